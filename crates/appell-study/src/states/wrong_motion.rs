//! `[motion]` held against the constraints: `v = psi(q, z, t)` must satisfy every row and reach all
//! velocities that the rows leave, motion variables must determine the velocities, and independent
//! velocities must be independent on the rows.

use crate::states::scattered_states::scattered_state;
use crate::values::exact_values::closed_values;
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::{Ex, Locus, Matrix, Sketch, differs_on, generic_rank};
use appell_mech::{Parametrisation, RowStatus, states_on};
use appell_model::{Diagnostic, contradictory_motion};

/// A row that is off by less than this, relative to its terms, is off by rounded coefficients.
const ROUNDED: f64 = 1e-6;
/// So is this of its terms with the rounding of the state.
const ROUNDING: f64 = 1e-12;
/// States at which a row is looked at.
const STATES: u32 = 16;

/// Refuses a `[motion]` that contradicts the constraints, for the values of the parameters in force.
///
/// # Errors
/// What contradicts what, with the numbers of velocities. Only what is certain is refused.
pub(crate) fn refuse_wrong_motion(p: &Prepared<'_>) -> Result<(), Diagnostic> {
    let motion = &p.model.motion;
    let nothing = motion.psi.is_none()
        && motion.definitions.is_none()
        && motion.independent_coordinates.is_empty();
    // Where a constraint is left out, [motion] is still made for all of them.
    if nothing
        || p.constraints
            .rows
            .iter()
            .any(|row| row.status == RowStatus::Dropped)
        || p.constraints.rows.iter().any(|row| row.phi.is_none())
    {
        return Ok(());
    }
    let rows: Vec<Ex<'_>> = p.constraints.active().filter_map(|row| row.phi).collect();
    let found = match &p.constraints.parametric {
        Some(parametric) => of_parametrisation(p, &rows, parametric),
        None => of_velocities(p, &rows),
    };
    match found {
        Some((message, label)) => Err(contradictory_motion(p.model, &message, &label)),
        None => Ok(()),
    }
}

/// `n - rank A` on a locus: how many velocities the rows leave.
fn left<'g>(
    p: &Prepared<'g>,
    locus: &Locus<'g>,
    rows: &[Ex<'g>],
    by: &[(Ex<'g>, Ex<'g>)],
) -> Option<usize> {
    if rows.is_empty() {
        return Some(p.system.n());
    }
    let slopes = Matrix::jacobian(p.system.graph, rows, &p.system.v).substitute(by);
    Some(p.system.n() - rank(locus, &slopes)?)
}

fn rank<'g>(locus: &Locus<'g>, matrix: &Matrix<'g>) -> Option<usize> {
    let order: Vec<usize> = (0..matrix.columns()).collect();
    Some(generic_rank(locus, matrix, &order)?.rank)
}

/// With the parameters of the file.
fn at_values<'g>(p: &Prepared<'g>, mut locus: Locus<'g>) -> Locus<'g> {
    for (symbol, value) in closed_values(p) {
        locus.set(symbol, value);
    }
    locus
}

/// What is wrong with `v = psi`, and what to do.
fn of_parametrisation<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    parametric: &Parametrisation<'g>,
) -> Option<(String, String)> {
    let system = &p.system;
    let by: Vec<(Ex<'g>, Ex<'g>)> = (system.v.iter().zip(parametric.psi.entries()))
        .map(|(v, psi)| (*v, *psi))
        .collect();
    let locus = at_values(p, states_on(system, &p.constraints, &[], &parametric.z));
    for row in p.constraints.active() {
        let on_psi = row.phi?.substitute(&by);
        let differs = !on_psi.is_zero() && differs_on(&locus, &[on_psi]) == Some(true);
        if differs && is_off(p, row.phi?, parametric.z.len()) {
            return Some((
                format!("the velocities of [motion] do not satisfy `{}`", row.name),
                format!(
                    "with them its left side less its right one is {on_psi}, which should be 0"
                ),
            ));
        }
    }
    let (count, reached) = (parametric.z.len(), rank(&locus, &parametric.partial)?);
    if reached < count {
        return Some((
            format!(
                "the {count} motion variables of [motion] give only {reached} independent velocities"
            ),
            "remove what depends on the others".to_owned(),
        ));
    }
    let left = left(p, &locus, rows, &by)?;
    (!rows.is_empty() && reached < left).then(|| {
        (
            format!("[motion] describes {reached} of the {left} independent velocities"),
            format!("give {left} motion variables"),
        )
    })
}

/// Whether a row is off by more than rounded coefficients wherever it is looked at: `psi` may be made for one
/// sign of a variable only.
fn is_off<'g>(p: &Prepared<'g>, row: Ex<'g>, variables: usize) -> bool {
    let slopes = row.partials(&p.system.v);
    let mut sketch = Sketch::new(p.system.graph);
    sketch.output_list("row", &[vec![row], slopes].concat());
    let field = p.compile(&sketch, &["row"]);
    let is_off_at = |sample: u32| {
        let (t, q, _) = scattered_state(p, sample);
        let z: Vec<f64> = (211 * sample..).take(variables).map(scattered).collect();
        let v = p.measure_parametric(t, &q, &z)?.table("psi").values();
        let all = field.measured(t, &[&q[..], &v].concat()).ok()?;
        let (row, slopes) = all.split_first()?;
        // What the velocities make of it: by how much an angle is rounded does not matter.
        let terms = slopes
            .iter()
            .zip(&v)
            .map(|(slope, v)| (slope.value * v).abs());
        let left = row.value.abs();
        Some(left > ROUNDED * terms.sum::<f64>() && left > ROUNDING * row.size)
    };
    let mut looks = (0..STATES).filter_map(is_off_at).peekable();
    looks.peek().is_some() && looks.all(|is_off| is_off)
}

/// What is wrong with motion variables given by velocities, or with the choice of independent velocities.
fn of_velocities<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Option<(String, String)> {
    let (system, motion) = (&p.system, &p.model.motion);
    let (graph, n) = (system.graph, system.n());
    let locus = at_values(p, states_on(system, &p.constraints, rows, &[]));
    let left = left(p, &locus, rows, &[])?;
    if let Some(definitions) = &motion.definitions {
        let expressions = graph.exs(definitions);
        let all = [rows, &expressions].concat();
        let found = rank(&locus, &Matrix::jacobian(graph, &all, &system.v))?;
        if found < n {
            return Some((
                format!(
                    "the motion variables and the constraints determine {found} of the {n} velocities"
                ),
                format!("give {left} motion variables that are independent on the constraints"),
            ));
        }
    }
    let chosen = &motion.independent_coordinates;
    if chosen.is_empty() {
        return None;
    }
    let others: Vec<Ex<'g>> = (0..n)
        .filter(|i| !chosen.contains(i))
        .map(|i| system.v[i])
        .collect();
    let solved = match others.is_empty() || rows.is_empty() {
        true => 0,
        false => rank(&locus, &Matrix::jacobian(graph, rows, &others))?,
    };
    (solved < n - left).then(|| {
        let names: Vec<String> = chosen
            .iter()
            .map(|i| format!("`{}'`", p.model.coordinates[*i].name))
            .collect();
        (
            format!(
                "the velocities {} are not independent on the constraints",
                names.join(", ")
            ),
            format!("the constraints leave {left}; choose others, or leave the choice to the tool"),
        )
    })
}
