//! States carried from one set of velocity coordinates to another and back.

use crate::common::forms::form;
use crate::common::linear::eliminated;
use crate::common::reference::{cases, state};
use crate::common::{self, prepare};
use appell::{FormValues, Prepared, State, eval, read, read_states};
use appell_flow::Interpreter;
use appell_mech::{Carrier, Chart, function, output};
use std::cell::Cell;

/// Allowed for a condition of 1.
const TOLERANCE: f64 = 1e-13;

/// A square matrix row by row.
type Rows = Vec<Vec<f64>>;

fn rows(values: &[f64], columns: usize) -> Rows {
    values.chunks(columns).map(<[f64]>::to_vec).collect()
}

/// `K^-1 Y`, one right side.
fn solved(k: &Rows, y: &[f64]) -> Vec<f64> {
    let lines = k.iter().zip(y).map(|(row, y)| [&row[..], &[*y]].concat());
    let lines = eliminated(lines.collect());
    lines.iter().map(|line| line[k.len()]).collect()
}

fn inverse(k: &Rows) -> Rows {
    let unit = |i: usize| (0..k.len()).map(move |j| f64::from(u8::from(i == j)));
    let column = |i: usize| solved(k, &unit(i).collect::<Vec<f64>>());
    let columns: Rows = (0..k.len()).map(column).collect();
    transposed(&columns)
}

fn transposed(m: &Rows) -> Rows {
    let columns = m.first().map_or(0, Vec::len);
    (0..columns)
        .map(|j| m.iter().map(|row| row[j]).collect())
        .collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// The largest entry.
fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |size: f64, x| size.max(x.abs()))
}

/// The largest row sum.
fn norm(m: &Rows) -> f64 {
    let sums = m.iter().map(|row| row.iter().map(|x| x.abs()).sum());
    sums.fold(0.0, f64::max)
}

#[track_caller]
fn assert_back(place: &str, found: &[f64], wanted: &[f64], condition: f64) {
    assert!(condition.is_finite() && condition >= 1.0, "{place}");
    common::close(place, found, wanted, TOLERANCE * condition);
}

/// Does something at every state of every reference case; the number of times it applied.
fn everywhere(work: impl Fn(&str, &mut Prepared<'_>, (f64, &[f64], &[f64])) -> bool) -> usize {
    let mut count = 0;
    for case in cases() {
        let text = case.model_text();
        let (model, _) = read(&case.name, &text).expect("the cases are right");
        let mut p = prepare(&model);
        for (index, truth) in case.states().iter().enumerate() {
            let (t, q, v) = state(truth);
            let place = format!("{} state {index}", case.name);
            count += usize::from(work(&place, &mut p, (t, &q, &v)));
        }
    }
    count
}

/// q and the form's own fibre coordinates, where it has values.
fn own_state(
    p: &Prepared<'_>,
    id: &str,
    (t, q, v): (f64, &[f64], &[f64]),
) -> Option<(Vec<String>, Vec<f64>)> {
    let given = State {
        t,
        q: q.to_vec(),
        v: Some(v.to_vec()),
        z: None,
    };
    match eval(p, &[given], &[form(id)])
        .states
        .remove(0)
        .forms
        .remove(id)
    {
        Some(FormValues::Values {
            state_names, state, ..
        }) => Some((state_names, state)),
        _ => None,
    }
}

/// What rounding errors of `v` and of the terms of `psi` become on the way through `z`, one being
/// that of `v` itself.
fn condition_of_parameters(p: &Prepared<'_>, (t, q, v): (f64, &[f64], &[f64]), z: &[f64]) -> f64 {
    let psi = p.measure_parametric(t, q, z).expect("a value");
    let partial = rows(&psi.table("psi_z").values(), z.len());
    let across = transposed(&partial);
    let products = |x: &Vec<f64>| across.iter().map(|y| dot(x, y)).collect();
    let gram: Rows = across.iter().map(products).collect();
    let condition = (norm(&gram) * norm(&inverse(&gram))).sqrt();
    let terms = size(&psi.table("psi").sizes()) / size(v).max(1.0);
    condition.max(1.0) * terms.max(1.0)
}

/// `(q, v) -> (q, z) -> (q, v)`.
#[test]
fn through_parameters_and_back() {
    let count = everywhere(|place, p, at| {
        let (t, q, v) = at;
        let Some(parametric) = &p.constraints.parametric else {
            return false;
        };
        let Some((_, carried)) = own_state(p, "gibbs-appell", at) else {
            panic!("{place}: no parameters");
        };
        let z = &carried[q.len()..];
        assert_eq!(z.len(), parametric.z.len());
        let text = serde_json::json!([{ "t": t, "q": q, "z": z }]).to_string();
        let states = read_states(&text, p).expect("a state in parameters");
        let back = eval(p, &states, &[]).states.remove(0);
        let found = back.v.expect("v = psi");
        assert_back(place, &found, v, condition_of_parameters(p, at, z));
        true
    });
    assert_eq!(count, 120);
}

/// `(q, v) -> (q, p) -> (q, v)`, by `M v = p - b` solved here and by Hamilton's own velocities.
#[test]
fn through_momenta_and_back() {
    let count = everywhere(|place, p, at| {
        let (t, q, v) = at;
        let Some((_, carried)) = own_state(p, "hamilton", at) else {
            return false;
        };
        let momenta = &carried[q.len()..];
        let at_rest = p.measure(t, q, &vec![0.0; q.len()]).expect("a value");
        let mass = rows(&at_rest.table(function::MASS).values(), q.len());
        let b = at_rest.table(function::MOMENTUM).values();
        let impulse: Vec<f64> = momenta.iter().zip(&b).map(|(p, b)| p - b).collect();
        let inverse = norm(&inverse(&mass));
        let lost = inverse * (size(momenta) + size(&b)) / size(v).max(1.0);
        let condition = (norm(&mass) * inverse).max(lost).max(1.0);
        assert_back(place, &solved(&mass, &impulse), v, condition);

        let hamilton = (form("hamilton").derive)(&p.system, &p.constraints).expect("it applies");
        assert_eq!(hamilton.carrier, Carrier::Momenta);
        let program = hamilton.program(&[output::VELOCITY]).expect("complete");
        let own_velocity = Interpreter::new(program, &p.parameters).results(t, &carried);
        let own_velocity = own_velocity.unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_back(place, &own_velocity, v, condition);
        true
    });
    assert_eq!(count, 247);
}

/// The velocities with independent ones of these names and values, and what `phi_d^-1` makes of a
/// rounding error of `phi`: by Newton's method on the sheet that the start lies on.
fn completed(
    p: &Prepared<'_>,
    (t, q): (f64, &[f64]),
    given: (&[String], &[f64]),
    start: Vec<f64>,
) -> (Vec<f64>, f64) {
    let chart = p
        .constraints
        .chart
        .as_ref()
        .expect("independent velocities");
    assert_eq!(given.0.len(), chart.independent.len());
    let (mut w, mut condition) = (start, f64::NAN);
    for (name, value) in given.0.iter().zip(given.1) {
        let same = |x: &appell_expr::Ex<'_>| x.symbol_name().as_ref() == Some(name);
        let index = p.system.v.iter().position(same).expect("a velocity");
        assert!(chart.independent.contains(&index), "{name}");
        w[index] = *value;
    }
    for _ in 0..12 {
        let measured = p.measure(t, q, &w).expect("a value");
        let phi = measured.table(function::PHI);
        let a = rows(&measured.table(function::PHI_V).values(), q.len());
        let pick = |row: &usize| chart.dependent.iter().map(|d| a[*row][*d]).collect();
        let phi_d: Rows = chart.rows.iter().map(pick).collect();
        let values: Vec<f64> = chart.rows.iter().map(|row| phi.values()[*row]).collect();
        for (d, step) in chart.dependent.iter().zip(solved(&phi_d, &values)) {
            w[*d] -= step;
        }
        let terms = norm(&inverse(&phi_d)) * size(&phi.sizes());
        condition = (terms / size(&w).max(1.0)).max(1.0);
    }
    (w, condition)
}

/// `(q, v) -> (q, u) -> (q, v)` for the form's own `u`, which are independent velocities or the
/// model's parameters. Newton's method starts a thousandth beside the state.
#[track_caller]
fn there_and_back(id: &str) -> usize {
    everywhere(|place, p, at| {
        let (t, q, v) = at;
        let n = q.len();
        let Some((names, carried)) = own_state(p, id, at) else {
            return false;
        };
        let place = format!("{id}, {place}");
        let z = p.constraints.parametric.as_ref().map(|p| &p.z[..]);
        let z_names = z.unwrap_or_default().iter().filter_map(|z| z.symbol_name());
        if !names[n..].is_empty() && z_names.eq(names[n..].iter().cloned()) {
            let found = p.velocities(t, q, &carried[n..]).expect("a value");
            let condition = condition_of_parameters(p, at, &carried[n..]);
            assert_back(&place, &found, v, condition);
            return true;
        }
        let start = v.iter().map(|v| v + 1e-3 * (1.0 + v.abs())).collect();
        let (found, condition) = completed(p, (t, q), (&names[n..], &carried[n..]), start);
        assert_back(&place, &found, v, condition);
        true
    })
}

#[test]
fn through_independent_velocities_and_back() {
    assert_eq!(["voronec", "chaplygin"].map(there_and_back), [247, 24]);
}

#[test]
fn through_quasi_velocities_and_back() {
    let forms = ["maggi", "boltzmann-hamel", "gibbs-appell"];
    assert_eq!(forms.map(there_and_back), [96, 96, 247]);
}

/// All choices of so many of `0..n`.
fn choices(n: usize, count: usize) -> Vec<Vec<usize>> {
    let sets = (0..1_usize << n).filter(|set| set.count_ones() as usize == count);
    sets.map(|set| (0..n).filter(|i| set >> i & 1 == 1).collect())
        .collect()
}

/// The same for every choice of independent velocities that is a chart at the state: any two of
/// them are then joined through `v`. Newton's method starts nearer than another sheet may be.
#[test]
fn through_every_choice_of_independent_velocities_and_back() {
    let charts = Cell::new(0);
    let count = everywhere(|place, p, at| {
        let (t, q, v) = at;
        let n = q.len();
        let given = p.constraints.chart.clone().expect("independent velocities");
        for independent in choices(n, given.independent.len()) {
            let chart = Chart::new(n, &independent, given.rows.clone());
            p.set_chart(Some(chart));
            let Some((names, carried)) = own_state(p, "voronec", at) else {
                continue;
            };
            // Where this choice is no chart at the state, `eval` has taken another.
            let velocity = |i: &usize| p.system.v[*i].symbol_name().expect("a symbol");
            if !independent
                .iter()
                .map(velocity)
                .eq(names[n..].iter().cloned())
            {
                continue;
            }
            let start = v.iter().map(|v| v + 1e-6).collect();
            let (found, condition) = completed(p, (t, q), (&names[n..], &carried[n..]), start);
            let place = format!("{place}, {independent:?}");
            assert_back(&place, &found, v, condition);
            charts.set(charts.get() + 1);
        }
        p.set_chart(Some(given));
        true
    });
    assert_eq!((count, charts.get()), (247, 933));
}
