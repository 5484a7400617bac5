//! The sheets of a contrived row, and the one on which the start lies.

use super::consequence::follows;
use super::contrived::Nonlinearity;
use crate::states::start::start;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_expr::Ex;

/// The branch on which the start lies, if it lies on one only.
fn only_branch_at<'g>(p: &Prepared<'g>, start: &Start, branches: &[Vec<Ex<'g>>]) -> Option<usize> {
    let mut on = (0..branches.len()).filter(|i| lies_on(p, start, &branches[*i]));
    on.next().filter(|_| on.next().is_none())
}

/// The affine rows that a row says, or of a row with several sheets those of the only one on which the start lies.
pub(super) fn or_at_start<'g>(
    p: &Prepared<'g>,
    plain: Vec<Ex<'g>>,
    nature: &Nonlinearity<'g>,
) -> Vec<Ex<'g>> {
    let start = || start(p).ok();
    match nature {
        Nonlinearity::Contrived { branches, .. } if plain.is_empty() && branches.len() > 1 => {
            let only = start().and_then(|start| only_branch_at(p, &start, branches));
            only.map_or(plain, |one| branches[one].clone())
        }
        _ => plain,
    }
}

/// With the branch first that the affine rows put the state on, or on which the start lies, if it lies on
/// one only. Where it moves and does not, the branch is open.
pub(super) fn start_first<'g>(
    p: &Prepared<'g>,
    mut nature: Nonlinearity<'g>,
    affine: &[Ex<'g>],
) -> Nonlinearity<'g> {
    if let Nonlinearity::Contrived {
        branches, settled, ..
    } = &mut nature
        && branches.len() > 1
    {
        let start = start(p).ok();
        let implied = (0..branches.len()).find(|i| follows(p, affine, &branches[*i]));
        let first = implied.or_else(|| only_branch_at(p, start.as_ref()?, branches));
        if let Some(first) = first {
            branches.swap(0, first);
        }
        // At rest a start lies on all planes through rest, and chooses none.
        let moves = |start: &Start| start.v.iter().any(|v| *v != 0.0);
        *settled = first.is_some() || !start.as_ref().is_some_and(moves);
    }
    nature
}

/// Whether rows hold at the start.
pub(super) fn lies_on<'g>(p: &Prepared<'g>, start: &Start, rows: &[Ex<'g>]) -> bool {
    let state = [start.q.as_slice(), &start.v].concat();
    let values = p.functions_of(rows).measured(start.t, &state);
    values.is_ok_and(|values| values.iter().all(|x| x.value.abs() <= 1e-9 * x.size))
}
