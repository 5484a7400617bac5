//! Large coordinates, angles and times: what is wrong there is wrong by as much as near zero.

use crate::common::{model, prepare, until, words};
use appell::{Control, ExitKind, Prepared, Run, State, Status, linearize, run};
use appell_study::states::start::start;
use appell_study::states::status::judge;

/// A bar of 2 m at map coordinates.
const BAR: &str = "coordinates = ['x1', 'y1', 'x2', 'y2']\n[particles]\nP = { mass = 10, position = '[x1, y1, 0]' }\n\
    Q = { mass = 10, position = '[x2, y2, 0]' }\n[constraints]\nbar = 'ROW'\n[initial]\nstate = ['x1 = 500000', \
    'y1 = 4600000', 'x2 = 500000 + APART', 'y2 = 4600000', \"x1' = 1\", \"y1' = 1\", \"x2' = 1\", \"y2' = 0\"]\n[claims]\n";
const ROWS: [&str; 2] = ["(x1 - x2)^2 + (y1 - y2)^2 = 4", "norm(pos(P) - pos(Q)) = 2"];

fn bar(row: &str, apart: f64, claims: &str) -> String {
    let text = BAR.replace("ROW", row).replace("APART", &apart.to_string());
    text + claims
}

fn with(text: &str, look: impl FnOnce(&Prepared<'_>)) {
    look(&prepare(&model(text)));
}

fn runs(p: &Prepared<'_>, end: f64) -> Run {
    let found = run(p, &until(end), &mut Control::default());
    found.unwrap_or_else(|error| panic!("{}", words(p, error)))
}

#[test]
fn starts_off_the_constraints_by_decimetres_are_refused() {
    for row in ROWS {
        for apart in [1.5, 1.9, 2.5] {
            with(&bar(row, apart, ""), |p| {
                assert!(start(p).is_err(), "{row} at {apart}")
            });
        }
        with(&bar(row, 2.0, ""), |p| {
            let run = runs(p, 2.0);
            assert_eq!(run.exit, ExitKind::Done, "{row}: {}", run.outcome);
        });
    }
    // A tether of 1 m in orbit.
    let tether = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\n\
                  rod = '(x - 42164000)^2 + y^2 = 1'\n[initial]\nstate = ['x = 42164000.5', 'y = 0.5']\n";
    with(tether, |p| assert!(start(p).is_err()));
}

#[test]
fn claims_that_are_wrong_by_decimetres_do_not_hold() {
    let claims = "a = { equation = '(x1 - x2)^2 + (y1 - y2)^2 = 4.5' }\nb = { equation = \
                  'dot(pos(P) - pos(Q), pos(P) - pos(Q)) = 3' }\nc = { equation = 'norm(pos(P) - pos(Q)) = 2.1' }\n\
                  right = { equation = 'norm(pos(P) - pos(Q)) = 2' }\nsquare = { equation = '(x1 - x2)^2 + (y1 - y2)^2 = 4' }\n";
    with(&bar(ROWS[0], 2.0, claims), |p| {
        let run = runs(p, 2.0);
        let holds: Vec<_> = run.claims.iter().map(|claim| claim.holds).collect();
        assert_eq!(holds[..3], [Some(false); 3], "{:?}", run.claims);
        assert_eq!(holds[3..], [Some(true); 2], "{:?}", run.claims);
    });
}

#[test]
fn angles_of_many_turns_are_angles() {
    let blade = model(
        "coordinates = ['x', 'y', 'th']\n[energy]\nkinetic = \"(x'^2 + y'^2 + th'^2/5)/2\"\n[constraints]\n\
                       blade = \"x'*sin(th) - y'*cos(th) = 0\"\n",
    );
    let p = prepare(&blade);
    for th in [1e3_f64, 1e6, 1e8] {
        let along = [th.cos(), th.sin(), 2.0];
        let status = |v: &[f64]| judge(&p, 0.0, &[0.0, 0.0, th], v, None).status;
        assert_eq!(status(&along), Status::Regular, "{th}");
        let off = [along[0] + 0.1, along[1] - 0.1, 2.0];
        assert_ne!(status(&off), Status::Regular, "{th}");
    }
    let pendulum = model(
        "coordinates = ['th']\n[energy]\nkinetic = \"th'^2/2\"\npotential = '-9.81*cos(th)'\n",
    );
    let p = prepare(&pendulum);
    for turns in [0.0, 1e3, 1e7] {
        let about = |th: f64| {
            let state = State {
                t: 0.0,
                q: vec![th + turns * std::f64::consts::TAU],
                v: Some(vec![0.0]),
                z: None,
            };
            linearize(&p, Some(&state))
        };
        assert!(about(0.3).is_err(), "{turns}");
        assert!(about(0.0).is_ok(), "{turns}");
    }
}
