//! Single formalisms at single states.

use super::close;
use appell::{FormValues, Formalism, Prepared, StateValues};
use appell_flow::{EvalError, Interpreter};

/// The formalism of this id.
pub fn form(id: &str) -> &'static Formalism {
    Formalism::find(id).expect("it is in the table")
}

/// `(t, q, v)`.
pub type State<'a> = (f64, &'a [f64], &'a [f64]);

/// An output of a form at a state.
pub fn result(
    p: &Prepared<'_>,
    id: &str,
    name: &str,
    (t, q, v): State<'_>,
) -> Result<Vec<f64>, EvalError> {
    let equations =
        (form(id).derive)(&p.system, &p.constraints).unwrap_or_else(|why| panic!("{id}: {why}"));
    let program = equations.program(&[name]).expect("complete");
    Interpreter::new(program, &p.parameters).results(t, &[q, v].concat())
}

/// What a form answers for a model it does not apply to.
pub fn refusal(p: &Prepared<'_>, id: &str) -> String {
    let derived = (form(id).derive)(&p.system, &p.constraints);
    derived.map_or_else(|why| why.to_string(), |_| format!("{id} applies"))
}

/// What a form gives, with the names, values and rates of its own fibre coordinates.
pub struct Found {
    pub accel: Vec<f64>,
    pub lambda: Vec<f64>,
    pub reaction: Vec<f64>,
    pub names: Vec<String>,
    pub u: Vec<f64>,
    pub rates: Vec<f64>,
}

/// What a form gives, which must apply and have values.
#[track_caller]
pub fn found(values: &StateValues, id: &str) -> Found {
    let FormValues::Values {
        accel,
        lambda,
        reaction,
        state_names,
        state,
        rate,
        ..
    } = &values.forms[id]
    else {
        panic!("{id}: {:?}", values.forms[id])
    };
    let n = accel.len();
    Found {
        accel: accel.clone(),
        lambda: lambda.clone(),
        reaction: reaction.clone(),
        names: state_names[n..].to_vec(),
        u: state[n..].to_vec(),
        rates: rate[n..].to_vec(),
    }
}

/// The forms that apply give these accelerations and multipliers.
#[track_caller]
pub fn all_give(values: &StateValues, ids: &[&str], accel: &[f64], lambda: &[f64]) {
    for id in ids {
        let found = found(values, id);
        close(&format!("{id} accel"), &found.accel, accel, 1e-14);
        close(&format!("{id} lambda"), &found.lambda, lambda, 1e-14);
    }
}
