//! Closed forms of the constraints for display: the signs they need, looked up in numbers.

use crate::states::scattered_states::scattered_constrained_state;
use crate::states::start::start;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Sketch, vanishes};
use appell_mech::{
    Constraints, Equations, Formalism, Signs, Unavailable, closed_form, connection_with_tensors,
};

/// The form that speaks of `v = psi(q, z, t)`.
const PARAMETRIC: &str = "gibbs-appell";
/// The form that is a connection: its tensors are the answer.
pub const GEOMETRIC: &str = "connection";
/// States on the constraints, besides the start, at which signs are looked up.
const SAMPLES: u32 = 6;
/// Below this a number has no sign.
const NO_SIGN: f64 = 1e-9;

/// The equations as they are shown, with the constraints they are derived on: in closed parameters
/// of the velocities where the file gives none and the form speaks of such.
///
/// # Errors
/// The form does not apply to the model.
pub fn shown_equations<'g>(
    p: &Prepared<'g>,
    form: &Formalism,
) -> Result<(Equations<'g>, Constraints<'g>), Unavailable> {
    let mut constraints = p.constraints.clone();
    if form.id == GEOMETRIC {
        let equations = connection_with_tensors(&p.system, &constraints)?;
        return Ok((equations, constraints));
    }
    let free = constraints.parametric.is_none() && constraints.k() > 0;
    let wanted = form.id == PARAMETRIC && free && constraints.ideal;
    let remark = match wanted.then(|| found(p)) {
        None => None,
        Some(Ok((psi, words))) => {
            constraints.parametric = Some(psi);
            Some(words)
        }
        Some(Err(why)) => Some(format!(
            "The file gives no v = psi(q, z, t), and no closed form of it was found: {why}. The \
             parameters are the independent velocities."
        )),
    };
    let mut equations = (form.derive)(&p.system, &constraints)?;
    equations.remark = remark.or(equations.remark);
    Ok((equations, constraints))
}

fn found<'g>(p: &Prepared<'g>) -> Result<(appell_mech::Parametrisation<'g>, String), Unavailable> {
    let start = start(p).ok().map(|start| (start.t, start.q, start.v));
    let scattered = (0..SAMPLES).filter_map(|sample| scattered_constrained_state(p, sample));
    let states: Vec<(f64, Vec<f64>, Vec<f64>)> = start.iter().cloned().chain(scattered).collect();
    let sign_at = |x: Ex<'g>, states: &[(f64, Vec<f64>, Vec<f64>)]| {
        let mut sketch = Sketch::new(p.system.graph);
        sketch.output_list("x", &[x]);
        let known = x.symbols().iter().all(|s| {
            let of_state = p.system.q.contains(s) || p.system.v.contains(s) || *s == p.system.t;
            of_state || p.model.parameters.iter().any(|q| q.symbol == s.id())
        });
        if !known || vanishes(x) {
            return None;
        }
        let field = p.compile(&sketch, &["x"]);
        let mut signs = states.iter().filter_map(|(t, q, v)| {
            let x = *field.results(*t, &[&q[..], v].concat()).ok()?.first()?;
            (x.abs() > NO_SIGN).then_some(if x > 0.0 { 1 } else { -1 })
        });
        let first = signs.next()?;
        signs.all(|sign| sign == first).then_some(first)
    };
    let everywhere = |x| sign_at(x, &states);
    let at_start = |x| sign_at(x, start.as_slice());
    let signs = Signs {
        everywhere: &everywhere,
        at_start: &at_start,
    };
    let found = closed_form(&p.system, &p.constraints, &signs)?;
    let how = match found.words.is_empty() {
        true => String::new(),
        false => format!(" ({})", found.words.join("; ")),
    };
    let words = format!(
        "The file gives no v = psi(q, z, t); this one was found{how}, and passed the check \
         phi(q, psi, t) = 0, A Psi = 0, rank Psi = m. Runs use the independent velocities."
    );
    Ok((found.parametric, words))
}
