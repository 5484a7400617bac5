//! Equilibria by their energy, and how many there are where forces turn with an angle or do not.

use crate::common::{close, model, prepare};
use crate::equilibria::{found, of, range, verdict};
use appell::{Interval, Kind};
use std::f64::consts::{PI, TAU};

/// Lagrange and Dirichlet: a strict minimum of the potential is stable whatever its eigenvalues leave open, with rows on
/// velocities too; on a circle it is one among the places that this leaves.
#[test]
fn minima_of_the_potential_are_stable() {
    let rest = |rows: &str, potential: &str, forces: &str, names: &[&str]| -> Vec<(f64, String)> {
        let text = format!(
            "coordinates = ['x', 'y', 'th']\n[energy]\nkinetic = \"(x'^2 + y'^2 + th'^2)/2\"\n\
             potential = \"{potential}\"\n{forces}\n[constraints]\n{rows}\n[initial]\nstate = ['x = 0']\n"
        );
        let model = model(&text);
        let ranges: Vec<Interval> = names.iter().map(|name| range(name, -1.5, 1.5)).collect();
        let found = found(&prepare(&model), &ranges);
        let states = of(&found, Kind::Equilibrium).into_iter();
        states
            .map(|state| (state.q[1], state.stability.clone()))
            .collect()
    };
    let is_stable = |(_, words): &(f64, String)| words.starts_with("stable: the energy");
    let all = ["x", "y", "th"];
    let circle = rest("c = 'x^2 + y^2 = 1'", "9.81*y + th^2", "", &all);
    assert_eq!(circle.len(), 2, "{circle:?}");
    for state in &circle {
        assert_eq!(is_stable(state), state.0 < 0.0, "{state:?}");
        assert_eq!(state.1.starts_with("unstable"), state.0 > 0.0, "{state:?}");
    }
    let blade = "blade = \"x'*sin(th) = y'*cos(th)\"";
    let springs = rest(blade, "x^2 + 2*y^2 + th^2 + x*y", "", &[]);
    assert!(
        springs.iter().all(is_stable) && !springs.is_empty(),
        "{springs:?}"
    );
    // Not a strict minimum, not known to be one, or with a force beside the potential.
    let others = [
        rest(blade, "x^2 + th^2", "", &[]),
        rest("c = 'x = th'", "x^2 + y^3", "", &all),
        rest("c = 'x = th'", "x^2 + y^4", "", &all),
        rest(
            "c = 'x = th'",
            "x^2 + y^2",
            "[forces]\nx = '-y'\ny = 'x'",
            &all,
        ),
    ];
    for states in others {
        assert!(!states.iter().any(is_stable), "{states:?}");
        assert!(!states.is_empty());
    }
}

/// At places that are no rational numbers all of the force is rounding.
#[test]
fn minima_at_irrational_places_are_stable() {
    for (potential, least) in [
        ("x^4/4 - x^2", vec![-2.0_f64.sqrt(), 2.0_f64.sqrt()]),
        ("x^3/3 - x/2", vec![0.5_f64.sqrt()]),
    ] {
        let model = model(&format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = '{potential}'\n"
        ));
        let found = found(&prepare(&model), &[range("x", -3.0, 3.0)]);
        let states = of(&found, Kind::Equilibrium).into_iter();
        let stable = states.filter(|state| state.stability.starts_with("stable: the energy"));
        let mut places: Vec<f64> = stable.map(|state| state.q[0]).collect();
        places.sort_by(f64::total_cmp);
        close(potential, &places, &least, 1e-8);
    }
}

/// `sin(x)` turns with x and `sign(x)` does not: the seven places where the force vanishes are seven states.
#[test]
fn a_sign_of_an_angle_does_not_turn() {
    let model = model(
        "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = '-(sin(x) - 0.5)*sign(x)'\n\
         [initial]\nstate = ['x = 0.1']\n",
    );
    let found = found(&prepare(&model), &[range("x", -10.0, 10.0)]);
    assert!(!found.searched.contains("2 pi"), "{}", found.searched);
    let states = of(&found, Kind::Equilibrium);
    let stable = |x: f64| {
        let mut near = states.iter().filter(|state| (state.q[0] - x).abs() < 1e-6);
        Some(verdict(near.next()?) != "unstable")
    };
    let (first, second) = (PI / 6.0, 5.0 * PI / 6.0);
    let all = [first, second, first - TAU, second - TAU].map(stable);
    assert_eq!(all, [true, false, false, true].map(Some));
}
