//! Other independent velocities where those at hand are singular.

use crate::common::forms::form;
use crate::common::{self, close, prepare};

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
        let appell::FormValues::Values { accel: by_form, .. } = &values.states[0].forms[id] else {
            panic!("{id}: {:?}", values.states[0].forms[id])
        };
        for (x, accel) in by_form.iter().zip(accel) {
            assert!((x - accel).abs() < 1e-13, "{id}: {x} {accel}");
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
