//! Forces that are felt for a moment or in a narrow place only, and corners and jumps however they are written.

use crate::common::{close, last, model, motion, prepare, until, with};
use appell::{
    CrossingSense, Event, ExitKind, Formalism, InputSource, Model, RunOptions, Then, When,
};
use std::f64::consts::{PI, TAU};

/// A point on a line, with a potential, a force and a start.
fn line(potential: &str, force: &str, start: [f64; 2]) -> Model {
    model(&format!(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"{potential}\"\n\
         [forces]\nx = \"{force}\"\n[initial]\nstate = [\"x = {}\", \"x' = {}\"]\n",
        start[0], start[1]
    ))
}

fn by(method: &str, end: f64) -> RunOptions {
    RunOptions {
        method: Some(method.to_owned()),
        ..until(end)
    }
}

/// The end of a motion that is computed to its end, its ledger closed.
#[track_caller]
fn end(model: &Model, options: &RunOptions) -> [f64; 2] {
    let run = motion(&prepare(model), options);
    assert_eq!(run.exit, ExitKind::Done, "{}", run.outcome);
    assert!(run.ledger.closes(), "{:?}", run.ledger);
    [last(&run, "x"), last(&run, "x'")]
}

#[test]
fn narrow_walls_throw_back() {
    for width in ["1e-2", "3e-4", "1e-6"] {
        let gauss = format!("50*exp(-(x/{width})^2)");
        let quotient = format!("50/(1 + (x/{width})^2)^4");
        for potential in [gauss, quotient] {
            let wall = line(&potential, "0", [-1.003, 1.0]);
            for method in ["dop853", "radau5", "taylor"] {
                let [x, v] = end(&wall, &by(method, 2.0));
                let (w, what) = (
                    width.parse::<f64>().expect("a number"),
                    format!("{potential} by {method}"),
                );
                // It turns where the potential is 1/2, within a few widths.
                assert!(
                    (x + 1.003 - 0.006).abs() < 8.0 * w && (v + 1.0).abs() < 1e-6,
                    "{what}: {x} {v}"
                );
            }
        }
    }
    // A narrow bump in a wide well takes the time of the well, but for its own width.
    let bump = line("x^2/2 + 1e-3*exp(-(x/1e-4)^2)", "0", [-1.0, 0.0]);
    for method in ["dop853", "radau5", "taylor"] {
        close(method, &end(&bump, &by(method, TAU)), &[-1.0, 0.0], 1e-5);
    }
}

#[test]
fn steep_functions_are_seen() {
    // The angle of a rod is |t - c|, rounded within 1e-5 s: of the bead beside the axis `r' - 0.3 w` is continuous.
    let rod = model(
        "coordinates = ['r']\n[parameters]\nc = 1.0037\n[frames]\n\
         B = { angle = '(t - c)*tanh(1e5*(t - c))', axis = 'z' }\n[particles]\n\
         P = { mass = 1, position = 'r*B.x + 0.3*B.y' }\n[initial]\nstate = ['r = 1', \"r' = 0.2\"]\n",
    );
    let p = prepare(&rod);
    let (c, rest) = (1.0037_f64, 2.5_f64 - 1.0037);
    let (r, v) = (c.cosh() + 0.2 * c.sinh(), c.sinh() + 0.2 * c.cosh() + 0.6);
    let wanted = r * rest.cosh() + v * rest.sinh();
    for form in ["multipliers", "hamilton", "kane"] {
        let options = RunOptions {
            form: Formalism::find(form),
            ..until(2.5)
        };
        close(form, &[last(&motion(&p, &options), "r")], &[wanted], 1e-4);
    }
    // x'' = -sign(x), all but: its period is 4 sqrt(2).
    let valley = line("0", "-tanh(1e6*x)", [1.0, 0.0]);
    let wanted = end(&line("0", "-sign(x)", [1.0, 0.0]), &by("dop853", 30.0));
    for method in ["dop853", "radau5", "taylor"] {
        close(method, &end(&valley, &by(method, 30.0)), &wanted, 1e-4);
    }
}

#[test]
fn square_waves_are_counted() {
    let wave = line("0", "sign(sin(t))", [0.0, 0.0]);
    let (periods, rest) = (318.0, 2000.0 - 318.0 * TAU);
    // In each period the velocity rises to pi and falls to 0.
    let x = periods * PI * PI + rest * rest / 2.0;
    for method in ["dop853", "taylor", "radau5"] {
        close(method, &end(&wave, &by(method, 2000.0)), &[x, rest], 1e-7);
    }
}

#[test]
fn corners_are_passed_where_times_are_rounded() {
    let rectified = line("0", "abs(sin(50*t))", [0.0, 0.0]);
    let turn: f64 = 50.0 * 290.0 / PI;
    let v = (2.0 * turn.floor() + 1.0 - (turn.fract() * PI).cos()) / 50.0;
    let [_, found] = end(&rectified, &by("dop853", 290.0));
    assert!((found - v).abs() < 1e-7, "{found} for {v}");
    let pulse = line("0", "max(0, 1 - abs(t - 3.3337)/1e-6)*1e6", [0.0, 0.0]);
    for method in ["dop853", "radau5"] {
        close(
            method,
            &end(&pulse, &by(method, 10.0)),
            &[6.6663, 1.0],
            1e-8,
        );
    }
}

/// What jumps with the time alone changes the energy, and the ledger knows it.
#[test]
fn jumps_of_the_lagrangian_with_the_time_are_accounted_for() {
    let rod = model(
        "coordinates = ['x']\n[frames]\nB = { angle = 'max(0, t - 1)', axis = 'z' }\n[particles]\n\
         P = { mass = 1, position = 'x*B.x' }\n[initial]\nstate = ['x = 1', \"x' = 0.2\"]\n",
    );
    let (cosh, sinh) = (1.5_f64.cosh(), 1.5_f64.sinh());
    let wanted = [1.2 * cosh + 0.2 * sinh, 1.2 * sinh + 0.2 * cosh];
    close("rod", &end(&rod, &until(2.5)), &wanted, 1e-9);
    let free = line("sign(t - 1)", "0", [0.0, 1.0]);
    close("free", &end(&free, &until(3.0)), &[3.0, 1.0], 1e-12);
}

/// No motion leads through a jump of the potential or of the momentum, however it is written.
#[test]
fn impassable_places_end_the_motion() {
    let run = motion(&prepare(&line("2*sign(x)", "0", [-1.0, 1.0])), &until(3.0));
    assert_eq!(run.exit, ExitKind::NumericalFailure);
    assert!(
        run.outcome.contains("the potential energy jumps"),
        "{}",
        run.outcome
    );
    for corner in [
        "sqrt((t - 1)^2)",
        "((t - 1)^2)^(1/2)",
        "norm((t - 1)*N.x)",
        "sqrt(4*(t - 1)^2)",
    ] {
        let text = format!(
            "coordinates = ['x']\n[particles]\nP = {{ mass = 1, position = '(x + {corner})*N.x' }}\n[initial]\nstate = [\"x' = 1\"]\n"
        );
        let run = motion(&prepare(&model(&text)), &until(3.0));
        assert_eq!(run.exit, ExitKind::NumericalFailure, "{corner}");
        assert!(
            run.outcome.contains("the momentum jumps"),
            "{corner}: {}",
            run.outcome
        );
    }
}

/// A particle that an input pushes for a moment, or that is watched for one.
fn pushed() -> Model {
    model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[inputs]\nF = 0\n[forces]\nx = \"F\"\n\
         [initial]\nstate = [\"x = 0\", \"x' = 0\"]\n",
    )
}

/// Pulses of an input give the momentum of their area, at the time of the motion or where it comes by.
#[test]
fn narrow_pulses_of_inputs_are_seen() {
    let (model, options) = (pushed(), until(10.0));
    let p = prepare(&model);
    for width in [1e-2, 1e-4, 1e-7] {
        let pulse = format!("exp(-((t - 5)/{width})^2)/{width}");
        let bell = format!("1/(1 + ((t - 5)/{width})^2)^2/{width}");
        for (formula, area) in [(pulse, PI.sqrt()), (bell, PI / 2.0)] {
            let source = InputSource::Expression(formula);
            let driven = p.driven(vec![("F".to_owned(), source)]).expect("an input");
            let run = motion(&driven, &options);
            let found = [last(&run, "x"), last(&run, "x'")];
            close("driven", &found, &[5.0 * area, area], 1e-6);
        }
    }
}

/// Pulses of all kinds on the way of a particle, whose areas are known, by each method.
#[test]
fn pulses_are_seen_however_they_are_written() {
    let u = |w: &str| format!("((x - 3.37)/{w})");
    let step = |w: &str, at: &str| format!("1/(1 + exp(-({} {at})))", u(w));
    for w in ["0.02", "1e-4"] {
        let pulses = [
            (format!("{} - {}", step(w, "+ 1"), step(w, "- 1")), 2.0),
            (format!("2^(-{}^2)", u(w)), (PI / 2.0_f64.ln()).sqrt()),
            (format!("4/(exp({0}) + exp(-{0}))^2", u(w)), 2.0),
            (format!("1/cosh({})^2", u(w)), 2.0),
            (format!("exp(-(x^2 - 6.74*x + 11.3569)/{w}^2)"), PI.sqrt()),
            (
                format!("exp(-(atan(tan({}*{w}/2))*2/{w})^2)", u(w)),
                PI.sqrt(),
            ),
        ];
        // The expanded square rounds by 1e-7 of itself where it is narrow, which no step below that likes.
        let pulses = pulses
            .into_iter()
            .filter(|(pulse, _)| w == "0.02" || !pulse.contains("x^2"));
        for (pulse, area) in pulses {
            // On the coordinate y, so that the way along x is what it was.
            let text = format!(
                "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[forces]\n\
                 y = '({pulse})/{w}'\n[initial]\nstate = [\"x = 0\", \"x' = 1\"]\n"
            );
            let model = model(&text);
            for method in ["dop853", "radau5", "taylor"] {
                let run = motion(&prepare(&model), &by(method, 7.0));
                assert!(method == "taylor" || run.exit == ExitKind::Done, "{pulse}");
                // Where `exp` overflows its series has no coefficients, and the motion says so.
                if method == "taylor" && run.exit != ExitKind::Done {
                    assert!(run.outcome.contains("Taylor"), "{pulse}: {}", run.outcome);
                    assert!(pulse.contains("exp") || pulse.contains("cosh"), "{pulse}");
                    continue;
                }
                close(
                    &format!("{pulse} by {method}"),
                    &[last(&run, "y'")],
                    &[area],
                    1e-5,
                );
            }
        }
    }
}

/// A particle on the axis of a bump in the plane, on a wire over one, and beside one far away.
#[test]
fn bumps_in_the_plane_are_passed_in_few_steps() {
    let plane = |w: &str, z: &str| {
        model(&format!(
            "coordinates = ['x', 'z']\n[energy]\nkinetic = \"(x'^2 + z'^2)/2\"\n\
             potential = '0.1*exp(-((x - 3.37)^2 + (z - {z})^2)/{w}^2)'\n[initial]\n\
             state = ['x = 0', \"x' = 1\", 'z = 0.5']\n"
        ))
    };
    for (w, z) in [("1e-2", "0.5"), ("1e-3", "0.5"), ("1e-3", "0.7")] {
        let run = motion(&prepare(&plane(w, z)), &until(7.0));
        let w: f64 = w.parse().expect("a number");
        close(
            "x, x'",
            &[last(&run, "x"), last(&run, "x'")],
            &[7.0, 1.0],
            w,
        );
        assert!(run.trajectory.steps < 1000, "{}", run.trajectory.steps);
    }
    let wire = model(
        "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '9.81*y'\n\
         [constraints]\nwire = 'y = 0.1/cosh((x - 3.37)/1e-3)'\n[initial]\nstate = ['x = 0', \"x' = 1\"]\n",
    );
    let run = motion(&prepare(&wire), &until(7.0));
    close("thrown back", &[last(&run, "x'")], &[-1.0], 1e-8);
}

/// Walls of height 10 and 20 in the way of a particle with the energy 1/2, however the sign is written that makes them.
#[test]
fn no_motion_leads_through_walls() {
    for wall in [
        "10*(sign((x - 3.37)/1e-4 + 1) - sign((x - 3.37)/1e-4 - 1))/2",
        "10*(1 - sign((x - 3.37)*(x - 3.38)))",
        "10*(1 + sign(1e-8 - (x - 3.37)^2))",
        "10*(1 + sign((x - 3.37)/2))",
        "10*(1 + sign((x - 3.37)^3*exp(x)))",
    ] {
        let run = motion(&prepare(&line(wall, "0", [0.0, 1.0])), &until(7.0));
        assert_eq!(
            run.exit,
            ExitKind::NumericalFailure,
            "{wall}: {}",
            run.outcome
        );
        assert!(
            run.outcome.contains("potential energy jumps"),
            "{wall}: {}",
            run.outcome
        );
        assert!(
            (run.last_time() - 3.37).abs() < 2e-4,
            "{wall}: {}",
            run.outcome
        );
    }
}

/// Where the parameters leave nothing of a jump, motions lead through.
#[test]
fn nothing_jumps_by_nothing() {
    let text = |kinetic: &str, potential: &str| {
        format!(
            "coordinates = ['x']\nparameters = {{ k = 0, a = 1, b = 1, c = 2, d = 0.5 }}\n[energy]\nkinetic = \"{kinetic}\"\n\
             potential = '{potential}'\n[initial]\nstate = ['x = 0', \"x' = 3\"]\n"
        )
    };
    let spring = "(1 - sign(x - a))/2*x^2/2 + (1 + sign(x - a))/2*(c*(x - a) + d)";
    for (kinetic, potential) in [
        ("x'^2/2", "k*sign(x - a)"),
        ("x'^2/2", "(x - a)*sign(x - b)"),
        ("x'^2/2", spring),
        ("x'^2/2*(1 + k*sign(x - 1))", "0"),
    ] {
        let model = model(&text(kinetic, potential));
        let run = motion(&prepare(&model), &until(1.0));
        assert_eq!(run.exit, ExitKind::Done, "{potential}: {}", run.outcome);
        assert!(run.ledger.closes() && last(&run, "x") > 1.0, "{potential}");
        let jumps = with(&model, &["k=0.1", "b=0.5", "d=0.6"], &[]);
        let stopped = motion(&jumps, &until(1.0));
        assert_eq!(stopped.exit, ExitKind::NumericalFailure, "{potential}");
    }
}

#[test]
fn what_is_not_chosen_has_no_size() {
    let heavy = model(
        "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2*(1 + 1e8*max(0, x - 1000))\"\n\
         [initial]\nstate = ['x = 0', \"x' = 1\"]\n",
    );
    let run = motion(&prepare(&heavy), &until(7.0));
    close("x", &[last(&run, "x")], &[7.0], 1e-9);
}

#[test]
fn conditions_that_hold_for_a_moment_are_met() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n\
                [initial]\nstate = [\"x = 0\", \"x' = 1\"]\n[simulate]\nuntil = 10.0\n";
    let bell = "exp(-((x - 7)/1e-5)^2)";
    let stopping = model(&format!("{text}stop = [\"{bell} > 1/2\"]\n"));
    let stopped = motion(&prepare(&stopping), &RunOptions::default());
    close("stop", &[last(&stopped, "x")], &[7.0], 1e-5);
    let always = [
        format!("{bell} < 1/2"),
        "max(0, 1 - abs(x - 7)/1e-4) < 1/2".to_owned(),
        "(sign(x - 6.9999) - sign(x - 7.0001))/2 < 1/2".to_owned(),
        "1/cosh((x - 7)/1e-4) < 1/2".to_owned(),
    ];
    for condition in always {
        let claimed = model(&format!(
            "{text}[claims]\nc = {{ always = \"{condition}\" }}\n"
        ));
        let run = motion(&prepare(&claimed), &RunOptions::default());
        assert_eq!(run.claims[0].holds, Some(false), "{condition}");
        let stopping = condition.replace('<', ">");
        let stopping = model(&format!("{text}stop = [\"{stopping}\"]\n"));
        let stopped = motion(&prepare(&stopping), &RunOptions::default());
        close(&condition, &[last(&stopped, "x")], &[7.0], 2e-4);
    }
    let event = Event {
        name: "near".to_owned(),
        when: When::Formula(format!("{bell} > 1/2"), CrossingSense::Rising),
        then: Then::GoOn,
    };
    let options = RunOptions {
        events: vec![event],
        ..RunOptions::default()
    };
    let free = model(text);
    let watched = motion(&prepare(&free), &options);
    let times: Vec<f64> = watched.events.iter().map(|met| met.t).collect();
    close("event", &times, &[7.0], 1e-5);
}

/// A particle that meets `f(x)` on its way, by each method: its speed squared grows by twice the integral.
#[test]
fn widths_near_the_rounding_of_the_place_are_seen() {
    for w in ["1e-7", "3e-8", "1e-8"] {
        let text = format!("exp(-((x - 3.3)/{w})^2)/{w}");
        let [_, v] = end(&line("0", &text, [0.0, 1.0]), &until(10.0));
        close(w, &[v], &[(1.0 + 2.0 * PI.sqrt()).sqrt()], 1e-6);
    }
    for w in ["1e-8", "1e-9", "1e-10"] {
        let text = format!("tanh((t - 3.3)/{w})");
        let [_, v] = end(&line("0", &text, [0.0, 0.0]), &until(10.0));
        close(w, &[v], &[3.4], 1e-6);
    }
}

/// Quotients of exponential functions where these are large: a ramp of a force, and a potential that becomes a straight line.
#[test]
fn quotients_of_exponential_functions_keep_their_values() {
    let ramp = "exp(50*(t - 1))/(1 + exp(50*(t - 1)))";
    let [_, v] = end(&line("0", ramp, [0.0, 0.0]), &until(3.0));
    close(ramp, &[v], &[2.0], 1e-9);
    let slope = "-x*exp(x)/(1 + exp(x))";
    let [x, v] = end(&line(slope, "0", [36.0, 1.0]), &until(5.0));
    close(slope, &[x, v], &[53.5, 6.0], 1e-8);
    // The derivative of the potential has a value where its exponential functions have none.
    let far = "1/(1 + exp(1e4*(x - 1)))";
    let [_, v] = end(&line(far, "0", [0.0, 1.0]), &until(3.0));
    close(far, &[v], &[3.0_f64.sqrt()], 1e-8);
}

/// Thresholds beside the corners of conditions, however close, along `x = t`.
#[test]
fn thresholds_beside_corners_are_met() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n\
                [initial]\nstate = [\"x = 0\", \"x' = 1\"]\n[simulate]\nuntil = 10.0\n";
    for (condition, first) in [
        ("abs(abs(x - 5) - 2) < 1e-9", 3.0),
        ("min(abs(x - 3), abs(x - 7)) < 1e-9", 3.0),
        ("abs(sin(50*x)) < 1e-9", PI / 50.0),
        ("abs(x^2 - 9) < 1e-8", 3.0),
        ("max(0, 1 - abs(x - 7)/1e-9) > 1/2", 7.0),
    ] {
        for method in ["dop853", "radau5", "taylor"] {
            let options = RunOptions {
                method: Some(method.to_owned()),
                ..RunOptions::default()
            };
            let stopping = model(&format!("{text}stop = [\"{condition}\"]\n"));
            let run = motion(&prepare(&stopping), &options);
            close(
                &format!("{condition} by {method}"),
                &[run.last_time()],
                &[first],
                1e-7,
            );
        }
    }
}
