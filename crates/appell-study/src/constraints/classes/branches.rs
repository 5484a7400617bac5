//! The sheets of a contrived row, and the one on which the start lies.

use super::consequence::follows;
use super::contrived::Nonlinearity;
use super::integrable::is_holonomic;
use crate::states::agreement::StateRef;
use crate::states::start::start;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix, generic_rank};
use appell_mech::{is_affine, states_on};

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
            let only =
                only.filter(|one| branches[*one].iter().all(|row| is_affine(&p.system, *row)));
            only.map_or(plain, |one| branches[one].clone())
        }
        _ => plain,
    }
}

/// The only branch that has states in common with affine rows, but for special times and places: of `x' y' = 0` beside
/// `x' = t` that is `y' = 0`.
fn only_branch_beside<'g>(
    p: &Prepared<'g>,
    affine: &[Ex<'g>],
    branches: &[Vec<Ex<'g>>],
) -> Option<usize> {
    if affine.is_empty() {
        return None;
    }
    let one = Matrix::column(p.system.graph, vec![p.system.graph.one()]);
    let has_states = |branch: &usize| {
        let rows = [affine, branches[*branch].as_slice()].concat();
        let states = states_on(&p.system, &p.constraints, &rows, &[]);
        generic_rank(&states, &one, &[0]).is_some()
    };
    let mut possible = (0..branches.len()).filter(has_states);
    possible.next().filter(|_| possible.next().is_none())
}

/// With the branch first that the affine rows put the state on or alone leave, or on which the start lies, if it lies on
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
        let on_start = |i: &usize| {
            let lies = |start| lies_on(p, start, &branches[*i]);
            start.as_ref().is_none_or(lies)
        };
        let implied = (0..branches.len()).find(|i| follows(p, affine, &branches[*i]));
        let first = implied
            .or_else(|| only_branch_beside(p, affine, branches).filter(on_start))
            .or_else(|| only_branch_at(p, start.as_ref()?, branches));
        if let Some(first) = first {
            branches.swap(0, first);
        }
        // At rest a start lies on all planes through rest, and chooses none.
        let moves = |start: &Start| start.v.iter().any(|v| *v != 0.0);
        *settled = first.is_some() || !start.as_ref().is_some_and(moves);
    }
    nature
}

/// So many choices of branches are compared.
const CHOICES: usize = 64;

/// With first branches that together are a component, where the start is at rest on all: of `x' y' = 0`, `y' z' = 0` not
/// `x' = 0` and `y' = 0`, which is a part of `y' = 0`.
pub(super) fn compatible_at_rest<'g>(
    p: &Prepared<'g>,
    mut natures: Vec<Nonlinearity<'g>>,
) -> Vec<Nonlinearity<'g>> {
    let is_at_rest = |start: Start| start.v.iter().all(|v| *v == 0.0);
    let of = |nature: &Nonlinearity<'g>| match nature {
        Nonlinearity::Contrived { branches, .. } => branches.clone(),
        _ => Vec::new(),
    };
    let several: Vec<Vec<Vec<Ex<'g>>>> = natures.iter().map(of).collect();
    let open: Vec<usize> = (0..several.len())
        .filter(|row| several[*row].len() > 1)
        .collect();
    let count: usize = open.iter().map(|row| several[*row].len()).product();
    if open.len() < 2 || count > CHOICES || !start(p).is_ok_and(is_at_rest) {
        return natures;
    }
    // The digits of the number of a choice, the last row's first.
    let places = |choice: usize| {
        let mut rest = choice;
        let digit = |row: &usize| {
            let digit = rest % several[*row].len();
            rest /= several[*row].len();
            (*row, digit)
        };
        open.iter().rev().map(digit).collect::<Vec<_>>()
    };
    let said = |choice: usize| {
        let rows = places(choice)
            .into_iter()
            .flat_map(|(row, branch)| several[row][branch].clone());
        rows.collect::<Vec<Ex<'g>>>()
    };
    let all: Vec<Vec<Ex<'g>>> = (0..count).map(said).collect();
    let is_part = |rows: &Vec<Ex<'g>>| {
        let larger = |other: &Vec<Ex<'g>>| follows(p, rows, other) && !follows(p, other, rows);
        all.iter().any(larger)
    };
    let Some(whole) = (0..count).find(|choice| !is_part(&all[*choice])) else {
        return natures;
    };
    for (row, first) in places(whole) {
        if let Nonlinearity::Contrived { branches, .. } = &mut natures[row] {
            branches.swap(0, first);
        }
    }
    natures
}

/// Whether a row can be integrated on each of its sheets, with `log2` of the probability that this is wrong, if all
/// are alike.
pub(super) fn alike_on_all_sheets<'g>(
    p: &Prepared<'g>,
    nature: &Nonlinearity<'g>,
) -> Option<(bool, f64)> {
    let Nonlinearity::Contrived { branches, .. } = nature else {
        return None;
    };
    let found = branches.iter().map(|sheet| is_holonomic(p, sheet));
    let all: Vec<(bool, f64)> = found.collect::<Option<_>>()?;
    let (holds, _) = *all.first()?;
    let bounds = all.iter().map(|sheet| sheet.1);
    let bound = bounds.fold(f64::NEG_INFINITY, f64::max);
    let alike = all.iter().all(|sheet| sheet.0 == holds);
    alike.then_some((holds, bound))
}

/// Whether it is not known of all sheets of a row that they can be integrated, or cannot, as that of the start.
pub(super) fn sheets_differ<'g>(p: &Prepared<'g>, nature: &Nonlinearity<'g>, holds: bool) -> bool {
    let differs =
        |sheet: &Vec<Ex<'g>>| is_holonomic(p, sheet).is_none_or(|(other, _)| other != holds);
    match nature {
        Nonlinearity::Contrived { branches, .. } => branches.iter().skip(1).any(differs),
        Nonlinearity::Union { .. } => true,
        _ => false,
    }
}

/// Whether rows hold at the start.
pub(super) fn lies_on<'g>(p: &Prepared<'g>, start: &Start, rows: &[Ex<'g>]) -> bool {
    hold_at(p, (start.t, &start.q, &start.v), rows)
}

/// Whether rows hold at a state.
pub(super) fn hold_at<'g>(p: &Prepared<'g>, (t, q, v): StateRef<'_>, rows: &[Ex<'g>]) -> bool {
    let values = p.functions_of(rows).measured(t, &[q, v].concat());
    values.is_ok_and(|values| values.iter().all(|x| x.value.abs() <= 1e-9 * x.size))
}
