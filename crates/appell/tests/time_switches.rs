//! Time that enters through switches only, as `sign(t - 1)`: its derivative vanishes, and nothing stays as it is.

use crate::common::{close, model, motion, prepare, until, words};
use appell::prove::{ClaimVerdict, prove};
use appell::{ExitKind, Interval, Prepared, RunOptions, check, equilibria, linearize};

/// A point in the plane with a row, a claim and a start.
fn switched(row: &str) -> String {
    format!(
        "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\n\
         drive = \"{row}\"\n[initial]\nstate = [\"y' = 1\"]\n[simulate]\nuntil = 3\n[claims]\n\
         kind = {{ class = ['time-dependent'] }}\n"
    )
}

/// A mass on a spring under a force that changes its sign at t = 5.
const FORCE: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "x^2/2"
[forces]
x = "sign(t - 5)"
[initial]
state = ["x = -1"]
[simulate]
until = 12
"#;

fn is_stationary(p: &Prepared<'_>) -> bool {
    check(p, None).0.stationary
}

fn claims(text: &str) -> Vec<ClaimVerdict> {
    let model = model(text);
    prove(&prepare(&model)).claims
}

#[test]
fn a_switch_in_time_is_time() {
    for row in [
        "x'' = sign(1 - t)",
        "x' = sign(t - 1)",
        "x' = sign(t - 1)*y'",
        "x'*sign(sin(t)) = y'",
        "x' = max(sign(t - 1), 0)",
    ] {
        let text = switched(row);
        let model = model(&text);
        let p = prepare(&model);
        assert!(!is_stationary(&p), "{row}");
        let claim = &prove(&p).claims[0];
        assert_eq!(claim.holds, Some(true), "{row}: {:?}", claim.verdict);
    }
    // The sign of what is positive does not switch.
    let text = switched("x' = sign(t^2 + 1)*y'");
    let model = model(&text);
    assert!(is_stationary(&prepare(&model)));
}

#[test]
fn nothing_rests_under_a_force_that_is_switched() {
    for force in ["sign(t - 5)", "min(t - 5, 0)"] {
        let text = FORCE.replace("sign(t - 5)", force);
        let model = model(&text);
        let p = prepare(&model);
        assert!(!is_stationary(&p), "{force}");
        let found = equilibria(&p, &[]).unwrap_or_else(|why| panic!("{}", words(&p, why)));
        assert!(found.states.is_empty(), "{:?}", found.states);
        if let Ok(found) = linearize(&p, None) {
            panic!("{force}: {found:?}");
        }
    }
}

/// Cyclic is a coordinate that does not occur: one of whose sign alone a force is a function is none.
#[test]
fn a_switch_in_place_is_place() {
    let text = FORCE
        .replace("sign(t - 5)", "sign(x)")
        .replace("x^2/2", "0");
    let model = model(&text);
    let found = equilibria(
        &prepare(&model),
        &[Interval {
            name: "x".into(),
            low: -2.0,
            high: 2.0,
        }],
    );
    assert!(
        !found
            .expect("an answer")
            .ignorable
            .contains(&"x".to_owned())
    );
}

/// A spring whose stiffness triples at t = 5: its work is that of the switch, `x(5)^2`.
fn stiffened(when: f64, until: f64) -> String {
    format!(
        "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2*(2 + sign(t - {when}))\"\n\
         [initial]\nstate = ['x = 1']\n[simulate]\nuntil = {until}\n[claims]\n\
         E = {{ constant = 'E' }}\nrate = {{ equation = \"E' = 0\" }}\n"
    )
}

#[test]
fn the_work_of_a_switch_is_booked() {
    let x5 = 5.0_f64.cos();
    for (when, until, work) in [
        (5.0, 12.0, x5 * x5),
        (5.0, 10.0, x5 * x5),
        // Half of the step is made at either side of sign(0) = 0.
        (0.0, 3.0, 0.5),
        (5.0, 5.0, 0.5 * x5 * x5),
    ] {
        let model = model(&stiffened(when, until));
        let p = prepare(&model);
        let run = motion(&p, &RunOptions::default());
        let ledger = &run.ledger;
        assert!(ledger.closes(), "{when} {until}: {ledger:?}");
        close("work", &[ledger.work["moving_frames"]], &[work], 1e-7);
    }
}

/// Velocities would have to jump with the mass, and do not: the motion stays one not to be trusted.
#[test]
fn a_mass_that_is_switched_is_not_booked() {
    let text = stiffened(5.0, 12.0)
        .replace("x'^2/2\"", "x'^2/2*(2 + sign(t - 5))\"")
        .replace("x^2/2*(2 + sign(t - 5))\"\n[init", "x^2/2\"\n[init");
    let model = model(&text);
    let p = prepare(&model);
    let run = appell::run(&p, &RunOptions::default(), &mut Default::default());
    let run = run.unwrap_or_else(|why| panic!("{}", words(&p, why)));
    assert!(!run.ledger.closes(), "{:?}", run.ledger);
}

/// Where `E` jumps there is no `E'`.
#[test]
fn a_rate_vanishes_between_jumps_only() {
    for claim in claims(&stiffened(5.0, 12.0)) {
        assert!(
            !claim.verdict.is_proved(),
            "{}: {:?}",
            claim.name,
            claim.verdict
        );
        assert_eq!(claim.between, ["sign(t - 5)"], "{}", claim.name);
    }
    let smooth = stiffened(5.0, 12.0).replace("(2 + sign(t - 5))", "2");
    for claim in claims(&smooth) {
        assert!(
            claim.verdict.is_proved(),
            "{}: {:?}",
            claim.name,
            claim.verdict
        );
    }
}

/// Friction jumps, the energy does not.
#[test]
fn the_rate_of_a_smooth_energy_is_proved_beside_friction() {
    let text = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[forces]\n\
                x = \"-sign(x')\"\n[initial]\nstate = ['x = 3']\n[claims]\n\
                rate = { equation = \"E' = -abs(x')\" }\n";
    let claim = &claims(text)[0];
    assert!(
        claim.verdict.is_proved(),
        "{:?} {:?}",
        claim.verdict,
        claim.between
    );
}

/// A corner in a place, a frame or the kinetic energy makes the momentum jump there: the velocities jump with it, which no
/// equation between the jumps says, and a form that misses it is not trusted.
#[test]
fn no_motion_leads_past_a_jump_of_the_momentum() {
    let trolley = "coordinates = ['th']\ngravity = '[0, -9.81, 0]'\n[particles]\n\
                   P = { mass = 1, position = '[min(t, 2 - t) + sin(th), -cos(th), 0]' }\n";
    let rotor = "coordinates = ['th']\n[frames]\nA = { angle = 'abs(t - 1)', axis = 'z' }\n\
                 B = { parent = 'A', angle = 'th', axis = 'z' }\n[bodies.wheel]\nmass = 1\nframe = 'B'\n\
                 position = '[0, 0, 0]'\ninertia = [1, 1, 1]\n[initial]\nstate = [\"th' = 1\"]\n";
    let charge = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"-sign(x - 1)*y'\"\n\
                  [initial]\nstate = [\"x' = 1\"]\n";
    for text in [trolley, rotor, charge] {
        let model = model(text);
        let p = prepare(&model);
        let run = motion(&p, &until(3.0));
        assert!((run.last_time() - 1.0).abs() < 1e-9, "{}", run.outcome);
        assert!(
            run.outcome.contains("the momentum jumps"),
            "{}",
            run.outcome
        );
        assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
    }
    // What is smooth all the same goes on: the square of a ramp, a drag.
    let ramp = "coordinates = ['x']\n[particles]\nP = { mass = 1, position = '[x, 0, max(x, 0)^2]' }\n\
                [initial]\nstate = ['x = -0.5', \"x' = 1\"]\n";
    let inertia = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2*(1 + x*abs(x))/2\"\n\
                   [initial]\nstate = ['x = -0.5', \"x' = 1\"]\n";
    let wave = ramp.replace("max(x, 0)^2", "max(cos(x), 0)^2");
    for smooth in [ramp, inertia, &wave.replace("x = -0.5", "x = 1.3")] {
        let model = model(smooth);
        let run = motion(&prepare(&model), &until(1.0));
        assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
    }
}
