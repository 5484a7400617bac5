//! Equilibria and steady motions against closed forms.

use crate::common::{self, close, gallery_model, model, of_gallery, prepare, with, words};
use appell::{Equilibria, Interval, Kind, Prepared, SteadyState, equilibria, gallery};

pub fn range(name: &str, low: f64, high: f64) -> Interval {
    Interval {
        name: name.to_owned(),
        low,
        high,
    }
}

pub fn found(p: &Prepared<'_>, ranges: &[Interval]) -> Equilibria {
    let found = equilibria(p, ranges).unwrap_or_else(|error| panic!("{}", words(p, error)));
    for state in &found.states {
        assert!(state.residual < 1e-9, "{state:?}");
    }
    found
}

pub fn of(found: &Equilibria, kind: Kind) -> Vec<&SteadyState> {
    found
        .states
        .iter()
        .filter(|state| state.kind == kind)
        .collect()
}

/// The values of a coordinate, sorted.
fn values(states: &[&SteadyState], index: usize) -> Vec<f64> {
    let mut values: Vec<f64> = states.iter().map(|state| state.q[index]).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// A bead on a hoop that turns with `W`: `cos(th) = g/(l W^2)` besides the top and the bottom.
const HOOP: &str = r#"
coordinates = ["th"]
[parameters]
m = 1.3
l = 0.7
g = 9.81
W = 5
[energy]
kinetic = "m*l^2/2*th'^2"
potential = "-m*g*l*cos(th) - m*l^2*W^2/2*sin(th)^2"
[initial]
state = ["th = 0.9", "th' = 0"]
"#;

#[test]
fn the_bead_on_the_hoop() {
    let text = model(HOOP);
    let p = prepare(&text);
    let all = found(&p, &[range("th", -3.0, 4.0)]);
    let states = of(&all, Kind::Equilibrium);
    let tilted = (9.81 / (0.7 * 25.0_f64)).acos();
    let wanted = [-tilted, 0.0, tilted, std::f64::consts::PI];
    close("equilibria", &values(&states, 0), &wanted, 1e-9);
    assert!(
        states.iter().all(|state| state.family == Some(0)),
        "{states:?}"
    );
    assert_eq!(of(&all, Kind::SteadyMotion).len(), 0);
    // From the initial state: one, the nearest.
    let near = found(&p, &[]);
    close(
        "near",
        &values(&of(&near, Kind::Equilibrium), 0),
        &[tilted],
        1e-9,
    );
    // Below the critical rate there are two.
    let slow = with(&text, &["W=3"], &[]);
    let slow = found(&slow, &[range("th", -3.0, 4.0)]);
    let wanted = [0.0, std::f64::consts::PI];
    close(
        "slow",
        &values(&of(&slow, Kind::Equilibrium), 0),
        &wanted,
        1e-9,
    );
    // Both ends of a full turn are one state.
    let all = found(&p, &[range("th", -3.5, 3.5)]);
    assert_eq!(of(&all, Kind::Equilibrium).len(), 4);
}

/// Watt's governor: `cos(th) = (m + M) g/(m l ps'^2)` at rates that the momentum of its start gives.
const GOVERNOR: &str = r#"
coordinates = ["th", "ps"]
[parameters]
m = 0.5
M = 2
l = 0.3
g = 9.81
c = 0
[energy]
kinetic = "m*l^2*(th'^2 + sin(th)^2*ps'^2) + M/2*(2*l*sin(th)*th')^2 + ps'^2/100"
potential = "-2*(m + M)*g*l*cos(th)"
[forces]
ps = "-c*ps'"
[initial]
state = ["th = 0.8", "ps' = 14"]
"#;

/// A friction whose coefficient is 0 is none: steady motions are as without it, and rest is stable by the energy.
#[test]
fn a_friction_of_zero_is_none() {
    let text = model(GOVERNOR);
    let all = found(&prepare(&text), &[range("th", 0.05, 1.5)]);
    let steady = of(&all, Kind::SteadyMotion);
    assert!(!steady.is_empty(), "{all:?}");
    for state in steady {
        let wanted = 2.5 * 9.81 / (0.5 * 0.3 * state.v[1].powi(2));
        close("cos(th)", &[state.q[0].cos()], &[wanted], 1e-9);
    }
    let damped = HOOP.replace("[initial]", "[forces]\nth = \"-c*th'\"\n[initial]");
    let damped = model(&damped.replace("W = 5", "W = 5\nc = 0"));
    let free = found(&prepare(&model(HOOP)), &[range("th", 0.1, 2.0)]);
    let damped = found(&prepare(&damped), &[range("th", 0.1, 2.0)]);
    let stabilities = |found: &Equilibria| -> Vec<String> {
        let states = of(found, Kind::Equilibrium).into_iter();
        states.map(|state| state.stability.clone()).collect()
    };
    assert_eq!(stabilities(&damped), stabilities(&free));
}

/// What the words on stability begin with.
pub fn verdict(state: &SteadyState) -> &str {
    let end = state.stability.find([':', ',']);
    &state.stability[..end.unwrap_or(state.stability.len())]
}

/// With friction the bead comes to rest on the side; without, where eigenvalues decide nothing, the energy relative to the hoop
/// has a minimum there.
#[test]
fn stability_of_the_bead() {
    const STABLE: &str = "stable in the linear approximation";
    let words = |text: &str| -> Vec<String> {
        let text = model(text);
        let all = found(&prepare(&text), &[range("th", -3.0, 4.0)]);
        let mut states = of(&all, Kind::Equilibrium);
        states.sort_by(|a, b| a.q[0].total_cmp(&b.q[0]));
        states
            .iter()
            .map(|state| verdict(state).to_owned())
            .collect()
    };
    let free = ["stable", "unstable", "stable", "unstable"];
    assert_eq!(words(HOOP), free);
    let rubbing = HOOP.replace("[initial]", "[forces]\nth = \"-0.2*th'\"\n[initial]");
    assert_eq!(words(&rubbing), [STABLE, "unstable", STABLE, "unstable"]);
}

/// A sleigh with its mass centre a before the blade: the eigenvalue of the turn is `-m a v/(I + m a^2)`.
#[test]
fn the_sleigh_glides_stably_one_way() {
    let text = model(
        r#"
coordinates = ["x", "y", "th"]
[parameters]
m = 1.3
I = 0.4
a = 0.3
[energy]
kinetic = "m/2*((x' - a*th'*sin(th))^2 + (y' + a*th'*cos(th))^2) + I/2*th'^2"
[constraints]
blade = "y'*cos(th) - x'*sin(th) = 0"
[motion]
variables = ["u", "w"]
equations = ["x' = u*cos(th)", "y' = u*sin(th)", "th' = w"]
[initial]
state = ["x = 0", "y = 0", "th = 0", "u = 1.5", "w = 0"]
"#,
    );
    let p = prepare(&text);
    for (low, high, wanted) in [
        (1.0, 2.0, "stable in the linear approximation"),
        (-2.0, -1.0, "unstable"),
    ] {
        let found = found(&p, &[range("x'", low, high)]);
        let steady = of(&found, Kind::SteadyMotion);
        assert!(!steady.is_empty(), "{found:?}");
        for state in steady {
            let ahead = state.z.as_ref().expect("parameters")[0] > 0.0;
            assert_eq!(ahead, low > 0.0, "{state:?}");
            assert_eq!(state.family, Some(4), "x, y, th and u: {state:?}");
            assert_eq!(verdict(state), wanted, "{state:?}");
        }
    }
}

/// The conical pendulum: `phi'^2 cos(th) = g/l`, with `phi` ignorable.
#[test]
fn the_conical_pendulum() {
    let text = model(
        r#"
coordinates = ["th", "phi"]
[parameters]
g = 9.81
l = 1.4
[energy]
kinetic = "l^2/2*(th'^2 + sin(th)^2*phi'^2)"
potential = "-g*l*cos(th)"
[initial]
state = ["th = 0.8", "phi = 0.3", "th' = 0", "phi' = 3.3"]
"#,
    );
    let p = prepare(&text);
    let found = found(&p, &[]);
    assert_eq!(found.ignorable, ["phi"]);
    assert_eq!(found.steady_in, ["th'", "phi'"]);
    let steady = of(&found, Kind::SteadyMotion);
    let [state] = steady.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(state.family, Some(2), "{state:?}");
    close(
        "steady",
        &[state.v[1].powi(2) * state.q[0].cos()],
        &[9.81 / 1.4],
        1e-9,
    );
    assert!((state.q[0] - 0.8).abs() < 0.2, "{state:?}");
}

/// A particle on a circle, on position level: the top and the bottom, with the rows' multipliers.
#[test]
fn a_pendulum_in_cartesian_coordinates() {
    let text = model(
        r#"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2 + y'^2"
potential = "2*9.81*y"
[constraints]
rod = "x^2 + y^2 = 4"
[initial]
state = ["x = 1.2", "y = -1.6", "x' = 0"]
"#,
    );
    let p = prepare(&text);
    let found = found(&p, &[range("x", -2.0, 2.0), range("y", -2.0, 2.0)]);
    let states = of(&found, Kind::Equilibrium);
    close("y", &values(&states, 1), &[-2.0, 2.0], 1e-9);
    close("x", &values(&states, 0), &[0.0, 0.0], 1e-9);
}

/// On a slope the skate can rest, or glide on, with its blade level: `cos(theta) = 0` [benenti2007, 9.1].
#[test]
fn the_skate_on_a_slope() {
    of_gallery("skate", |p| {
        let found = found(p, &[range("theta", -3.0, 3.0)]);
        assert_eq!(found.ignorable, ["x", "y"]);
        let half = std::f64::consts::FRAC_PI_2;
        let rest = of(&found, Kind::Equilibrium);
        close("rest", &values(&rest, 2), &[-half, half], 1e-9);
        assert!(rest.iter().all(|state| state.family == Some(2)), "{rest:?}");
        let steady = of(&found, Kind::SteadyMotion);
        assert!(!steady.is_empty());
        for state in steady {
            close("level", &[state.q[2].cos(), state.v[2]], &[0.0, 0.0], 1e-9);
            assert!(state.v[1].abs() > 1e-3, "{state:?}");
            assert_eq!(state.family, Some(3), "x, y and the speed");
        }
    });
}

/// Motors hold the discs on the slope where each bears half of the weight: `tau = R m g sin(alpha) cos(psi)`
/// [benenti2007, 9.3, corrected].
#[test]
fn the_coaxial_discs_on_their_motors() {
    let text = gallery_model("coaxial-discs");
    let unequal = found(&prepare(&text), &[range("psi", -3.0, 3.0)]);
    assert_eq!(of(&unequal, Kind::Equilibrium).len(), 0);
    assert!(
        unequal.why["equilibria"].contains("forces balance"),
        "{:?}",
        unequal.why
    );
    let p = with(&text, &["tau1=0.2", "tau2=0.2"], &[]);
    let equal = found(&p, &[range("psi", -3.0, 3.0)]);
    let value = |name: &str| {
        let place = text.parameters.iter().position(|q| q.name == name);
        p.parameters[place.expect("a parameter")]
    };
    let weight = value("R") * value("m") * value("g") * value("alpha").sin();
    let wanted = (0.2 / weight).acos();
    let rest = of(&equal, Kind::Equilibrium);
    assert_eq!(rest.len(), 2, "{rest:?}");
    for state in rest {
        close("psi", &[state.q[4].abs()], &[wanted], 1e-9);
    }
}

/// A thin disc rolls on a circle, or upright straight on:
/// `3/2 w psi' cos(th) - 1/4 psi'^2 sin(th) cos(th) + g/r sin(th) = 0`, `w = phi' + psi' sin(th)`.
#[test]
fn the_disc_rolls_steadily() {
    of_gallery("rolling-disc", |p| {
        let found = found(p, &[]);
        assert_eq!(found.ignorable, ["x", "y", "psi", "phi"]);
        assert_eq!(found.steady_in, ["psi'", "theta'", "phi'"]);
        let rest = of(&found, Kind::Equilibrium);
        let [upright] = rest.as_slice() else {
            panic!("{found:?}");
        };
        close("upright", &[upright.q[4], upright.q[2]], &[0.0, 0.5], 1e-9);
        assert_eq!(upright.family, Some(4), "x, y, psi and phi");
        let steady = of(&found, Kind::SteadyMotion);
        let [state] = steady.as_slice() else {
            panic!("{found:?}");
        };
        let (theta, turn, spin) = (state.q[4], state.v[3], state.v[5]);
        assert!(
            theta.abs() > 0.05 && turn.abs() > 0.05,
            "it leans and turns: {state:?}"
        );
        let axial = spin + turn * theta.sin();
        let balance = 1.5 * axial * turn * theta.cos()
            - 0.25 * turn * turn * theta.sin() * theta.cos()
            + 9.81 / 0.5 * theta.sin();
        assert!(balance.abs() < 1e-9, "{balance:e}");
        assert_eq!(
            state.family,
            Some(6),
            "x, y, psi, phi and two of lean, turn and spin"
        );
    });
}

/// At rest a homogeneous nonlinear row has no derivative to speak of [benenti2007, Remark 7.5].
#[test]
fn rest_is_excluded_where_it_is_singular() {
    for name in [
        "parallel-velocities",
        "perpendicular",
        "appell-particle",
        "equal-speeds",
    ] {
        of_gallery(name, |p| {
            let found = found(p, &[]);
            assert_eq!(of(&found, Kind::Equilibrium).len(), 0, "{name}");
            let [excluded] = found.excluded.as_slice() else {
                panic!("{name}: {found:?}");
            };
            assert!(excluded.v.iter().all(|v| *v == 0.0));
            let why = &excluded.why;
            assert!(
                why.contains("v = 0 is a singular state of"),
                "{name}: {why}"
            );
        });
    }
    // Two points without forces go on as they are.
    of_gallery("parallel-velocities", |p| {
        let found = found(p, &[]);
        let steady = of(&found, Kind::SteadyMotion);
        assert!(!steady.is_empty());
        for state in steady {
            let v = &state.v;
            assert!((v[0] * v[3] - v[1] * v[2]).abs() < 1e-12, "{state:?}");
        }
    });
}

#[test]
fn what_cannot_be_found_is_said() {
    of_gallery("constant-speed", |p| {
        let why = &found(p, &[]).why["equilibria"];
        assert!(why.contains("`speed` does not hold"), "{why}");
    });
    of_gallery("fading-speed", |p| {
        let found = found(p, &[]);
        assert!(found.states.is_empty());
        assert!(found.why["states"].contains("time"), "{:?}", found.why);
    });
    of_gallery("skate", |p| {
        let error = equilibria(p, &[range("tehta", 0.0, 1.0)]).expect_err("no such name");
        assert!(words(p, error).contains("did you mean `theta`?"));
    });
}

/// Every state that is reported on the gallery is one, by the equations of another form.
#[test]
fn the_gallery_keeps_still_where_it_should() {
    let mut states = 0;
    for entry in gallery::entries() {
        of_gallery(entry.name, |p| {
            for state in found(p, &[]).states {
                states += 1;
                let values = common::at(p, state.t, &state.q, &state.v);
                let accel = values
                    .accel
                    .unwrap_or_else(|| panic!("{}: {state:?}", entry.name));
                let size = state.v.iter().fold(1.0, |size: f64, v| size.max(v * v));
                if state.kind == Kind::Equilibrium {
                    let worst = accel.iter().fold(0.0, |s: f64, a| s.max(a.abs()));
                    assert!(worst < 1e-9 * size, "{}: {state:?}", entry.name);
                }
            }
        });
    }
    assert!(states >= 20, "{states}");
}

/// A file of one or two coordinates with a potential and forces.
fn particle(coordinates: &str, kinetic: &str, potential: &str, forces: &str) -> String {
    format!(
        "coordinates = [{coordinates}]\n[energy]\nkinetic = \"{kinetic}\"\npotential = \"{potential}\"\n\
         [forces]\n{forces}\n[initial]\nstate = [\"x = 0\"]\n"
    )
}

/// A matrix that is singular at an equilibrium makes no family of it: the next terms of `V'` have their zero there only.
#[test]
fn degenerate_equilibria_are_isolated() {
    let (q, one) = ("\"x\"", "x'^2/2");
    let cases = [
        particle(q, one, "-x^4", "x = \"-x'\""),
        particle(q, one, "x^4", "x = \"-x'\""),
        particle(q, one, "-x^3/3", "x = \"-x'\""),
        particle("\"x\", \"y\"", "(x'^2 + y'^2)/2", "x^2/2 + y^3", ""),
    ];
    for text in cases {
        let model = model(&text);
        let found = found(&prepare(&model), &[range("x", -5.0, 5.0)]);
        let rest = of(&found, Kind::Equilibrium);
        assert_eq!(rest.len(), 1, "{text}{rest:?}");
        assert_eq!(rest[0].family, Some(0), "{text}");
        assert!(
            verdict(rest[0]).starts_with("undecided"),
            "{text}{}",
            rest[0].stability
        );
    }
}

/// `V = (x^2 + y^2 - 1)^2`: the origin, and a circle of dimension 1.
#[test]
fn families_are_found_beside_isolated_states() {
    let text = particle(
        "\"x\", \"y\"",
        "(x'^2 + y'^2)/2",
        "(x^2 + y^2 - 1)^2",
        "x = \"-x'\"\ny = \"-y'\"",
    );
    let model = model(&text);
    let found = found(
        &prepare(&model),
        &[range("x", -2.0, 2.0), range("y", -2.0, 2.0)],
    );
    let rest = of(&found, Kind::Equilibrium);
    let origin = rest.iter().filter(|state| state.family == Some(0));
    let circle: Vec<_> = rest
        .iter()
        .filter(|state| state.family == Some(1))
        .collect();
    assert_eq!(
        origin.map(|state| state.q.clone()).collect::<Vec<_>>(),
        [[0.0, 0.0]]
    );
    assert!(!circle.is_empty());
    for state in circle {
        close("radius", &[state.q[0].hypot(state.q[1])], &[1.0], 1e-9);
        assert!(verdict(state).starts_with("stable"), "{}", state.stability);
    }
}

/// `V' = x (x^2 - 1)(x^2 - 4)(x^2 - 9)` has seven zeros.
#[test]
fn as_many_starts_as_find_something_new() {
    let text = particle(
        "\"x\"",
        "x'^2/2",
        "x^8/8 - 14*x^6/6 + 49*x^4/4 - 36*x^2/2",
        "",
    );
    let model = model(&text);
    let found = found(&prepare(&model), &[range("x", -4.0, 4.0)]);
    let rest = of(&found, Kind::Equilibrium);
    close(
        "roots",
        &values(&rest, 0),
        &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0],
        1e-8,
    );
}

/// Rates of growth far below the largest eigenvalue decide where nothing couples them.
#[test]
fn slow_growth_beside_fast_oscillations_is_seen() {
    let two = "\"x\", \"y\"";
    let kinetic = "(x'^2 + y'^2)/2";
    let unstable = [
        particle(two, kinetic, "1e12*x^2/2 - 1e-3*y^2/2", ""),
        particle(
            two,
            kinetic,
            "1e12*x^2/2 - y^2/2",
            "x = \"-2e6*x'\"\ny = \"-1e3*y'\"",
        ),
        particle(two, kinetic, "1e8*x^2/2 - 1e-2*y^2/2", "x = \"-2e4*x'\""),
        particle("\"x\"", "x'^2/2", "x^2/2", "x = \"1e-6*x'\""),
    ];
    for text in unstable {
        let model = model(&text);
        let p = prepare(&model);
        let found = found(&p, &[]);
        let rest = of(&found, Kind::Equilibrium);
        assert!(
            verdict(rest[0]).starts_with("unstable"),
            "{text}{}",
            rest[0].stability
        );
        assert!(found.ignorable.is_empty(), "{text}{:?}", found.ignorable);
        let linear = appell::linearize(&p, None).expect("it is steady");
        let shown = appell::show::linearize_text(&linear);
        assert!(shown.contains("unstable"), "{shown}");
    }
    let damped = particle("\"x\"", "x'^2/2", "x^2/2", "x = \"-1e-6*x'\"");
    let model = model(&damped);
    let found = found(&prepare(&model), &[]);
    assert!(verdict(of(&found, Kind::Equilibrium)[0]).starts_with("stable"));
}

/// On top of an ellipse, `x'' = x/4`, and at its foot; under critical damping, a double eigenvalue -1.
#[test]
fn stability_where_eigenvalues_have_few_digits_or_are_double() {
    let ellipse = model(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"y\"\n\
         [constraints]\nc = \"x^2 + 4*y^2 = 4\"\n[initial]\nstate = [\"x = 0\", \"y = 1\"]\n",
    );
    let all = found(&prepare(&ellipse), &[]);
    assert_eq!(verdict(of(&all, Kind::Equilibrium)[0]), "unstable");
    let damped = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"-2*x' - x\"\n\
         [initial]\nstate = [\"x = 0.1\"]\n",
    );
    let all = found(&prepare(&damped), &[]);
    let words = verdict(of(&all, Kind::Equilibrium)[0]);
    assert_eq!(words, "stable in the linear approximation");
}

/// Equilibria at which the linear part leaves more open than there are directions in the set: `{xy = 0}`, three axes,
/// a point. No dimension and no stability is made of it; `xyz` is unstable along `x = y = z`.
#[test]
fn families_are_claimed_only_where_their_dimension_is_known() {
    let three = "\"x\", \"y\", \"z\"";
    let (two, rubbing) = ("\"x\", \"y\"", "x = \"-x'\"\ny = \"-y'\"");
    let plane = |potential: &str| particle(two, "(x'^2 + y'^2)/2", potential, rubbing);
    let axes = particle(
        three,
        "(x'^2 + y'^2 + z'^2)/2",
        "x*y*z",
        &format!("{rubbing}\nz = \"-z'\""),
    );
    let cases = [
        (plane("x^2*y^2"), None, 2),
        (plane("-x^2*y^2"), None, 2),
        (axes, None, 3),
        (plane("(x^2 - y)^2 - x^6"), Some(0), 1),
        (plane("(x - y)^2 + (x - y)^4"), Some(1), 1),
        (plane("(x^2 - y)^2"), Some(1), 1),
    ];
    for (text, family, open) in cases {
        let model = model(&text);
        let found = found(&prepare(&model), &[]);
        let rest = of(&found, Kind::Equilibrium);
        assert_eq!((rest[0].family, rest[0].open), (family, open), "{text}");
        let wanted = match family {
            Some(1) => "stable in the linear approximation",
            _ => "undecided",
        };
        assert_eq!(verdict(rest[0]), wanted, "{text}{}", rest[0].stability);
    }
}

/// A bead on a hoop that turns at the rate at which the bottom loses its stability: `th'' = 9 sin(th)(cos(th) - 1)`.
#[test]
fn the_critical_hoop_has_no_more_than_its_turn_for_a_family() {
    let text = model(
        "coordinates = [\"phi\", \"theta\"]\n[energy]\nkinetic = \"(theta'^2 + sin(theta)^2*phi'^2)/2\"\n\
         potential = \"-9*cos(theta)\"\n[constraints]\nc = \"phi' = 3\"\n[initial]\nstate = [\"theta = 0\"]\n",
    );
    let found = found(&prepare(&text), &[]);
    let steady = of(&found, Kind::SteadyMotion);
    assert_eq!(steady[0].family, Some(1), "{found:?}");
    assert_eq!(verdict(steady[0]), "undecided", "{}", steady[0].stability);
}

/// `V = 1e10 (x - y)^2/2 - x^2/2`: the determinant of the stiffness is -1e10, though numbers see a rank of 1.
#[test]
fn stiff_springs_make_no_family() {
    for stiffness in ["1e8", "1e9", "1e10", "1e13"] {
        let potential = format!("{stiffness}*(x - y)^2/2 - x^2/2");
        let text = particle("\"x\", \"y\"", "(x'^2 + y'^2)/2", &potential, "");
        let model = model(&text);
        let found = found(&prepare(&model), &[]);
        let rest = of(&found, Kind::Equilibrium);
        assert_eq!(rest[0].family, Some(0), "{stiffness}");
        assert_ne!(verdict(rest[0]), "stable in the linear approximation");
    }
}

/// A coordinate on which forces depend on one side only, or by little, is not ignorable.
#[test]
fn coordinates_are_ignorable_on_all_pieces_or_not_at_all() {
    let cases = [
        ("max(x, 0)", ""),
        ("abs(x)", ""),
        ("0", "x = \"-sign(x)*x'^2\""),
        ("-1e-12*x^2 + y^2", "x = \"-x'\""),
    ];
    for (potential, forces) in cases {
        let text = particle("\"x\", \"y\"", "(x'^2 + y'^2)/2", potential, forces);
        let model = model(&text.replace("x = 0\"]", "x = -1\"]"));
        let found = found(&prepare(&model), &[]);
        assert!(
            !found.ignorable.contains(&"x".to_owned()),
            "{text}{:?}",
            found.ignorable
        );
    }
}

/// A point in the plane with a spring along y and a force along x, damped, looked at between two places.
fn along_x(potential: &str, force: &str, start: f64, (low, high): (f64, f64)) -> Equilibria {
    let text = format!(
        "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
         potential = \"{potential} + y^2/2\"\n[forces]\nx = \"{force} - x'\"\ny = \"-y'\"\n\
         [initial]\nstate = ['x = {start}', 'y = 0']\n"
    );
    let model = model(&text);
    equilibria(&prepare(&model), &[range("x", low, high)]).expect("an answer")
}

/// Forces that are tiny and nowhere zero: what is left of them is rounding, and no equilibrium.
#[test]
fn tails_of_forces_have_no_equilibria() {
    for (potential, force, start, box_) in [
        ("tanh(x)", "0", 2.0, (-30.0, 30.0)),
        ("0", "tanh(5*(1 - x)) + 1", 1.2, (-8.0, 8.0)),
        ("atan(exp(x))", "0", 2.0, (-900.0, 900.0)),
    ] {
        let found = along_x(potential, force, start, box_);
        assert!(
            found.states.is_empty(),
            "{potential}, {force}: {:?}",
            found.states
        );
    }
    // Zeros that are known stay so beside them.
    let found = along_x("-exp(-x^2)", "0", 1.0, (-40.0, 40.0));
    let states = of(&found, Kind::Equilibrium);
    assert_eq!(states.len(), 1, "{states:?}");
    assert!(states[0].q[0].abs() < 1e-9 && states[0].family == Some(0));
}

/// `V = exp(-x^2) - x y^2` has a degenerate critical point at 0 and no other nearby.
#[test]
fn nothing_is_found_beside_a_degenerate_equilibrium() {
    let text = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                potential = \"exp(-x^2) - y^2*x\"\n[forces]\nx = \"-x'\"\ny = \"-y'\"\n\
                [initial]\nstate = ['x = 0', 'y = 0']\n";
    let model = model(text);
    let ranges = [range("x", -4.0, 4.0), range("y", -4.0, 4.0)];
    let found = equilibria(&prepare(&model), &ranges).expect("an answer");
    for state in of(&found, Kind::Equilibrium) {
        let [x, y] = state.q[..] else { unreachable!() };
        let forces = [2.0 * x * (-x * x).exp() + y * y, 2.0 * x * y];
        assert!(forces.iter().all(|f| f.abs() < 1e-12), "{state:?}");
        let isolated = state.family == Some(0);
        assert!(!isolated || y == 0.0, "{state:?}");
    }
}

/// All of a gap are equilibria: its ends are not isolated.
#[test]
fn the_end_of_a_gap_is_not_isolated() {
    let text = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2\"\n\
                potential = \"500*(max(0, x - 0.1)^2 + max(0, -x - 0.1)^2)\"\n\
                [initial]\nstate = ['x = 0']\n";
    let model = model(text);
    let found = equilibria(&prepare(&model), &[range("x", -1.0, 1.0)]).expect("an answer");
    let states = of(&found, Kind::Equilibrium);
    assert!(!states.is_empty());
    for state in states {
        assert!(state.q[0].abs() <= 0.1 + 1e-9, "{state:?}");
        assert_ne!(state.family, Some(0), "{state:?}");
    }
}

/// The file's start is near an equilibrium that most starts of a large box run away from.
#[test]
fn the_start_of_the_file_is_one_of_the_box() {
    let found = along_x("x^(-12) - 2*x^(-6)", "0", 1.2, (0.5, 100.0));
    let states = of(&found, Kind::Equilibrium);
    assert_eq!(states.len(), 1, "{states:?}");
    close("x", &[states[0].q[0]], &[1.0], 1e-9);
}

/// Lagrange's rule for `z + x y` on the unit sphere leaves its poles; both are degenerate.
#[test]
fn degenerate_equilibria_on_a_sphere_are_found_where_they_are() {
    let text = "coordinates = ['x', 'y', 'z']\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
                potential = \"z + x*y\"\n[constraints]\nsphere = \"x^2 + y^2 + z^2 = 1\"\n\
                [initial]\nstate = ['z = 1']\n";
    let model = model(text);
    let all = ["x", "y", "z"].map(|name| range(name, -2.0, 2.0));
    let found = found(&prepare(&model), &all);
    let states = of(&found, Kind::Equilibrium);
    assert_eq!(states.len(), 2, "{states:?}");
    close("z", &values(&states, 2), &[-1.0, 1.0], 1e-9);
    close("x", &values(&states, 0), &[0.0, 0.0], 1e-9);
}

/// A skate on a circle about a fixed point, in coordinates that turn with it: it stands still in them.
#[test]
fn a_skate_goes_round_steadily() {
    let text = "coordinates = ['X', 'Y', 'psi']\n[frames]\nA = { angle = 'psi', axis = 'z' }\n[bodies.skate]\n\
                mass = 1\nframe = 'A'\nposition = 'X*A.x + Y*A.y'\ninertia = [0.3, 0.3, 0.3]\n[constraints]\n\
                blade = 'dot(v(skate), A.y) = 0'\n[initial]\nstate = ['X = 0', 'Y = -2', 'psi = 0', \"X' = 0\", \"psi' = 1.5\"]\n";
    let model = model(text);
    let found = found(&prepare(&model), &[]);
    let states = of(&found, Kind::SteadyMotion);
    assert_eq!(states.len(), 1, "{states:?}");
    close("psi'", &[states[0].v[2]], &[1.5], 1e-9);
}

/// A disc on a circle: the equations of its steady motion depend on each other, and its start satisfies them.
#[test]
fn a_disc_rolls_on_a_circle_in_coordinates_that_turn_with_it() {
    let (th, p) = (0.4, 3.0);
    let text = format!(
        "coordinates = ['x', 'y', 'z', 'psi', 'theta', 'phi']\ngravity = '-9.81*N.z'\n[frames]\n\
         A = {{ angle = 'psi', axis = 'z' }}\nL = {{ parent = 'A', angle = 'theta', axis = 'x' }}\n\
         B = {{ parent = 'L', angle = 'phi', axis = 'y' }}\n[bodies.disc]\nmass = 1.2\nframe = 'B'\n\
         position = 'x*A.x + y*A.y + z*N.z'\ninertia = [0.01875, 0.0375, 0.01875]\n[constraints]\n\
         rolling = 'v(disc, -0.25*L.z) = 0'\n[initial]\nstate = ['x = 0', 'y = 0.291003974686870', \
         'z = 0.25*cos(0.4)', 'psi = 0', 'theta = {th}', 'phi = 0', \"psi' = {p}\", \"theta' = 0\", \
         \"phi' = -4.6603027231683924\"]\n"
    );
    let model = model(&text);
    let found = found(&prepare(&model), &[]);
    let states = of(&found, Kind::SteadyMotion);
    assert_eq!(states.len(), 1, "{states:?}");
    close("theta", &[states[0].q[4]], &[th], 1e-6);
    close("psi'", &[states[0].v[3]], &[p], 1e-6);
}

/// A driven support that is held: with `A = 0` nothing depends on the time.
#[test]
fn a_drive_of_no_size_leaves_equilibria() {
    let text = "coordinates = ['s', 'th']\n[parameters]\nA = 0.3\n[energy]\n\
                kinetic = \"2*s'^2 + (s'^2 + 2*s'*th'*cos(th) + th'^2)/2\"\npotential = '-9.81*cos(th)'\n\
                [constraints]\ndrive = 's = A*sin(2*t)'\n[initial]\nstate = ['th = 0.2']\n";
    let model = model(text);
    let found = found(&with(&model, &["A=0"], &[]), &[range("th", -1.0, 4.0)]);
    let states = of(&found, Kind::Equilibrium);
    close(
        "th",
        &values(&states, 1),
        &[0.0, std::f64::consts::PI],
        1e-9,
    );
}

/// Newton's method finds such zeros to a third or half of the digits; the zero itself is a short number.
#[test]
fn multiple_zeros_of_the_forces_are_found_exactly() {
    for (force, zero) in [
        ("-(x - 2)^3", 2.0),
        ("-(x - 0.3)^3", 0.3),
        ("(x - 2)^4", 2.0),
    ] {
        let text = format!(
            "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"{force}\"\n"
        );
        let model = model(&text);
        let states = found(&prepare(&model), &[range("x", -3.0, 3.0)]).states;
        let places: Vec<f64> = states.iter().map(|state| state.q[0]).collect();
        assert_eq!(places, [zero], "{force}");
    }
}
