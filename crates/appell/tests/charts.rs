//! Charts as numbers: one program for every choice of coordinates of the velocities.

use crate::common::linear::eliminated;
use crate::common::reference::{agree, cases, numbers, state};
use crate::common::{self, at, close, gallery_model, prepare};
use appell::{FormValues, Formalism, Prepared, read};
use appell_expr::{Ex, Matrix};
use appell_flow::Interpreter;
use appell_mech::{Equations, function, gibbs_appell_in_chart, output};

fn form(id: &str) -> &'static Formalism {
    Formalism::find(id).expect("it is in the table")
}

/// Symbols for the numbers of a chart, m x n.
fn chart_symbols<'g>(p: &Prepared<'g>, m: usize) -> Matrix<'g> {
    let graph = p.system.graph;
    Matrix::from_fn(graph, m, p.system.n(), |i, j| {
        graph.symbol(&format!("C[{i},{j}]"))
    })
}

/// `C = S^T M` at a state, `S` a basis of `ker A` orthonormal in `M`: by Gram and Schmidt from the
/// unit vectors, projected in `M`.
fn tangent_chart(p: &Prepared<'_>, (t, q, v): (f64, &[f64], &[f64])) -> Vec<f64> {
    let measured = p.measure(t, q, v).expect("a value");
    let (a, mass) = (
        measured.table(function::A),
        measured.table(function::MASS).values(),
    );
    let n = q.len();
    let row = |m: &[f64], i: usize| m[i * n..(i + 1) * n].to_vec();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let lowered = |x: &[f64]| (0..n).map(|i| dot(&row(&mass, i), x)).collect::<Vec<f64>>();
    // The dual of each row of A first, then the unit vectors: all made orthonormal in M.
    let dual = |i: usize| {
        let rows = (0..n).map(|j| [row(&mass, j), vec![a.values()[i * n + j]]].concat());
        eliminated(rows.collect())
            .iter()
            .map(|line| line[n])
            .collect::<Vec<f64>>()
    };
    let units = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect());
    let mut basis: Vec<Vec<f64>> = Vec::new();
    for mut x in (0..a.rows).map(dual).chain(units) {
        for _ in 0..2 {
            for e in &basis {
                let along = dot(&lowered(e), &x);
                x.iter_mut().zip(e).for_each(|(x, e)| *x -= along * e);
            }
        }
        let size = dot(&lowered(&x), &x).sqrt();
        if size > 1e-3 {
            basis.push(x.iter().map(|x| x / size).collect());
        }
    }
    assert_eq!(basis.len(), n);
    basis[a.rows..].iter().flat_map(|s| lowered(s)).collect()
}

fn accelerations(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    chart: &[f64],
    y: &[f64],
) -> [Vec<f64>; 3] {
    let names = [output::ACCEL, output::LAMBDA, output::REACTION];
    let program = equations.program(&names).expect("complete");
    let field = Interpreter::new(program, [&p.parameters, chart].concat());
    let values = field
        .results(0.0, y)
        .unwrap_or_else(|error| panic!("{error}"));
    names.map(|name| values[field.program().range(name).expect("an output")].to_vec())
}

/// Two pucks with perpendicular velocities where `y1'` goes through zero: the independent
/// velocities `x1', y1', x2'` fail, a tangent chart from a tenth of a unit away does not.
#[test]
fn one_program_in_all_charts_keeps_the_accuracy_where_independent_velocities_fail() {
    let model = gallery_model("perpendicular");
    let mut p = prepare(&model);
    p.set_chart(Some(appell_mech::Chart::new(4, &[0, 1, 2], vec![0])));
    let c = chart_symbols(&p, 3);
    let equations = gibbs_appell_in_chart(&p.system, &p.constraints, &c).expect("it applies");
    assert_eq!(equations.chart_inputs.len(), 12);
    assert!(
        equations
            .chart_inputs
            .iter()
            .zip(c.entries())
            .all(|(x, y): (&Ex<'_>, _)| x == y)
    );
    let q = [1.0, -2.0, 1.0, 2.0];
    let velocities = |u2: f64| [0.3, u2, -u2 * 0.5 / 0.3, 0.5];
    let charts = [0.1, -0.4, 0.0].map(|u2| tangent_chart(&p, (0.0, &q, &velocities(u2))));
    for u2 in [1e-3, 1e-9, 1e-14, 0.0, -1e-9] {
        let y = [q, velocities(u2)].concat();
        let truth = accelerations(
            &p,
            &(form("multipliers").derive)(&p.system, &p.constraints).expect("always"),
            &[],
            &y,
        );
        for chart in &charts {
            let found = accelerations(&p, &equations, chart, &y);
            for (found, truth) in found.iter().zip(&truth) {
                close(&format!("u2 = {u2}"), found, truth, 1e-14);
            }
        }
    }
    // In the chart x1', y1', x2' an error of 1e-16 in v is one of 1e-16/u2 in d alpha/dv; at u2 = 0
    // it is none, and `eval` takes another.
    let y = [&q[..], &velocities(0.0)].concat();
    let values = at(&p, 0.0, &q, &velocities(0.0));
    for id in ["gibbs-appell", "voronec"] {
        let equations = (form(id).derive)(&p.system, &p.constraints).expect("it applies");
        let program = equations.program(&[output::ACCEL]).expect("it is complete");
        assert!(
            Interpreter::new(program, &p.parameters)
                .results(0.0, &y)
                .is_err(),
            "{id}"
        );
        let FormValues::Values { state_names, .. } = &values.forms[id] else {
            panic!("{:?}", values.forms[id])
        };
        assert_ne!(*state_names, equations.state_names, "{id}");
    }
    // Other independent velocities are as good as any chart.
    p.set_chart(Some(appell_mech::Chart::new(4, &[0, 1, 3], vec![0])));
    for u2 in [1e-9, 0.0] {
        let values = at(&p, 0.0, &q, &velocities(u2));
        let truth = values.accel.as_ref().expect("regular");
        for id in ["gibbs-appell", "voronec", "chaplygin"] {
            let FormValues::Values { accel, .. } = &values.forms[id] else {
                panic!("{id}: {:?}", values.forms[id])
            };
            close(id, accel, truth, 1e-14);
        }
    }
}

/// Redundant rows in a chart of numbers; a chart of the wrong shape is refused in words.
#[test]
fn charts_of_numbers_take_redundant_rows_and_refuse_wrong_shapes() {
    let case = cases()
        .into_iter()
        .find(|case| case.name == "disc-redundant-constraints");
    let case = case.expect("it is in the folder");
    let (model, _) = read(&case.name, &case.model_text()).expect("it is right");
    let p = prepare(&model);
    let rows = p.constraints.chart.as_ref().expect("a chart").rows.len();
    let m = p.system.n() - rows;
    assert!(rows < p.constraints.k(), "the rows are redundant");
    let c = chart_symbols(&p, m);
    let equations = gibbs_appell_in_chart(&p.system, &p.constraints, &c).expect("it applies");
    assert_eq!(equations.state_names[p.system.n()..], ["w1", "w2"]);
    for truth in case.states() {
        let (t, q, v) = state(truth);
        let chart: Vec<f64> = (0..m * q.len())
            .map(|i| f64::sin(1.0 + (i * i) as f64))
            .collect();
        let program = equations.program(&[output::ACCEL, output::LAMBDA, output::REACTION]);
        let field = Interpreter::new(
            program.expect("complete"),
            [&p.parameters, &chart[..]].concat(),
        );
        let found = field
            .results(t, &[q, v].concat())
            .unwrap_or_else(|error| panic!("{error}"));
        let wanted = ["accel", "lambda", "reaction"]
            .map(|name| numbers(&truth[name]))
            .concat();
        agree("disc", &found, &wanted, 10.0);
    }
    let wrong = chart_symbols(&p, m + 1);
    let refused = gibbs_appell_in_chart(&p.system, &p.constraints, &wrong);
    let n = p.system.n();
    let words = format!("the chart needs {m} x {n} numbers, not {} x {n}", m + 1);
    assert_eq!(refused.err().map(|why| why.to_string()), Some(words));
}

/// Where the independent velocities of the start are singular, the forms that speak of them choose
/// others: at `y1' = 0` the pucks' `y2'` does not follow from the rest.
#[test]
fn evaluation_changes_a_singular_chart() {
    let entry = appell::gallery::find("perpendicular").expect("it is there");
    let text = entry.text.replace(
        "[initial]",
        "[motion]\nindependent = [\"x1'\", \"y1'\", \"x2'\"]\n\n[initial]",
    );
    let (model, _) = appell::read("pucks.toml", &text).expect("it is right");
    let p = appell::Prepared::new(&model, &[], &[]).expect("parameters");
    let states = r#"[{"q": [1, -2, 1, 2], "v": [0.5, 0, 0, -0.3]}]"#;
    let states = appell::read_states(states, &p).expect("a state");
    let values = appell::eval(&p, &states, appell::FORMALISMS);
    let accel = values.states[0].accel.as_ref().expect("regular");
    for id in ["voronec", "gibbs-appell", "kane"] {
        let appell::FormValues::Values { accel: own, .. } = &values.states[0].forms[id] else {
            panic!("{id}: {:?}", values.states[0].forms[id])
        };
        for (own, accel) in own.iter().zip(accel) {
            assert!((own - accel).abs() < 1e-13, "{id}: {own} {accel}");
        }
    }
}

/// A leader and two followers: a distance, parallel velocities and a ratio of speeds. At the start the distance does
/// not determine the velocity that Kane's equations take from it at almost every state.
#[test]
fn kane_takes_other_velocities_where_a_pivot_vanishes() {
    let text = "coordinates = ['x1', 'y1', 'x2', 'y2', 'x3', 'y3']\n[particles]\n\
         A = { mass = 1.2, position = '[x1, y1, 0]', force = '[0.31*cos(t), 0.17, 0]' }\n\
         B = { mass = 0.8, position = '[x2, y2, 0]', force = '-0.1*v(B)' }\n\
         C = { mass = 2.0, position = '[x3, y3, 0]' }\n[constraints]\n\
         dist = 'norm(pos(A) - pos(B)) = 2.0'\npar = 'cross(v(A), v(C)) = 0'\n\
         ratio = 'dot(v(C), v(C)) = 0.81*dot(v(A), v(A))'\n[initial]\n\
         state = ['x2 = -2', 'x3 = 1', 'y3 = -3', \"x1' = 0.5\", \"y1' = 0.2\", \"x3' = 0.45\"]\n";
    let model = common::model(text);
    let p = prepare(&model);
    let ends = ["kane", "multipliers"].map(|id| {
        let options = appell::RunOptions {
            form: Some(form(id)),
            ..common::until(3.0)
        };
        let run = common::motion(&p, &options);
        assert!(
            !run.outcome.contains("computed in the form"),
            "{}",
            run.outcome
        );
        run.last_state().to_vec()
    });
    close("the end", &ends[0], &ends[1], 1e-8);
}
