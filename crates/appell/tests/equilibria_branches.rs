//! Equilibria of linkages, whose coordinates follow from each other on several branches.

use crate::common::{close, model, prepare};
use crate::equilibria::{found, of, range};
use appell::Kind;

/// A parallelogram of two cranks hangs, stands, and is crossed: the box of one crank leads to all branches of the others.
#[test]
fn branches_of_a_linkage_are_searched_beside_the_box() {
    let text = "coordinates = [\"a\", \"b\", \"c\"]\ngravity = \"-9.81*N.y\"\n[parameters]\nl = 0.3\nL = 0.5\n[particles]\n\
        P = { mass = 1, position = \"[l*cos(a), l*sin(a), 0]\" }\nQ = { mass = 1, position = \"[L + l*cos(c), l*sin(c), 0]\" }\n\
        [energy]\nkinetic = \"0.0005*b'^2\"\n[constraints]\nlx = \"l*cos(a) + L*cos(b) = L + l*cos(c)\"\n\
        ly = \"l*sin(a) + L*sin(b) = l*sin(c)\"\n[initial]\nstate = [\"a = -pi/2\", \"b = 0\", \"c = -pi/2\"]\n";
    let model = model(text);
    let answer = found(&prepare(&model), &[range("a", -3.0, 3.0)]);
    let states = of(&answer, Kind::Equilibrium);
    assert_eq!(states.len(), 6, "{states:?}");
    let half = std::f64::consts::FRAC_PI_2;
    let wanted = [-1.918045, -half, -0.347249, 0.347249, half, 1.918045];
    let mut cranks: Vec<f64> = states.iter().map(|state| state.q[0]).collect();
    cranks.sort_by(f64::total_cmp);
    close("a", &cranks, &wanted, 1e-6);
    // No coordinate is a whole turn away from the start.
    for state in &states {
        let turned = state.q[1].abs().max((state.q[2] + half).abs());
        assert!(turned <= 2.0 * half + 1e-9, "{state:?}");
    }
}

/// Closed form: on the axis of a wire that turns `z'` tells nothing of `r'`, but `r'` tells `z'` at every state.
#[test]
fn steady_motions_are_found_where_other_velocities_determine_none() {
    let text = "coordinates = [\"r\", \"z\", \"ph\"]\n[energy]\nkinetic = \"(r'^2 + z'^2 + r^2*ph'^2)/2\"\n\
        potential = \"10*z\"\n[constraints]\nwire = \"z = r^2\"\nturn = \"ph' = 3\"\n[initial]\n\
        state = [\"r = 0.1\", \"ph = 0\", \"r' = 0\"]\n";
    let model = model(text);
    let answer = found(&prepare(&model), &[range("r", -1.0, 1.0)]);
    assert_eq!(answer.steady_in, ["r'"]);
    let states = of(&answer, Kind::SteadyMotion);
    assert_eq!(states.len(), 1, "{states:?}");
    close("r", &states[0].q[..2], &[0.0, 0.0], 1e-12);
    close("v", &states[0].v, &[0.0, 0.0, 3.0], 1e-12);
}
