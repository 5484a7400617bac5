//! First integrals known from the literature, of systems that the search was not made on.

use crate::common::{gallery_model, model, prepare};
use appell::{Conserved, conserved};

fn of(text: &str) -> Conserved {
    conserved(&prepare(&model(text)), None)
}

/// All that was found, each proved.
#[track_caller]
fn assert_all(found: &Conserved, wanted: &[&str]) {
    assert!(found.integrals.iter().all(|x| x.verdict.is_proved()));
    let expressions: Vec<&str> = found
        .integrals
        .iter()
        .map(|x| x.expression.as_str())
        .collect();
    assert_eq!(expressions, wanted, "{}", found.ansatz);
}

/// A body with a fixed point that does not turn about its third axis, under a potential of the vertical.
fn suslov(parameters: &str, potential: &str) -> String {
    format!(
        r#"
coordinates = ["e0", "e1", "e2", "e3"]
[parameters]
I1 = 1.3
I2 = 0.8
I3 = 1.7
{parameters}
[frames]
B = {{ parent = "N", quaternion = ["e0", "e1", "e2", "e3"] }}
[bodies.top]
mass = 1
frame = "B"
position = "[0, 0, 0]"
inertia = ["I1", "I2", "I3"]
[energy]
potential = "{potential}"
[constraints]
suslov = "dot(omega(top), B.z) = 0"
"#
    )
}

/// Kharlamova's integral `I1 b1 w1 + I2 b2 w2` for `U = (b, gamma)`, `b` across the axis; and as
/// `I1 w1' = -b2 gamma3`, `gamma2' = w1 gamma3`, each part of the energy by itself.
#[test]
fn suslov_in_the_field_of_kharlamova() {
    let text = suslov("b1 = 0.6\nb2 = -0.9", "b1*dot(B.x, N.z) + b2*dot(B.y, N.z)");
    assert_all(
        &of(&text),
        &[
            "E",
            "I1*b1*dot(omega(top), B.x) + I2*b2*dot(omega(top), B.y)",
            "2*b2*dot(B.y, N.z) + I1*dot(omega(top), B.x)^2",
            "2*b1*dot(B.x, N.z) + I2*dot(omega(top), B.y)^2",
        ],
    );
}

/// Kozlov's integrals in `U = c/2 (gamma, I gamma)`: `I1 w1^2 - c (I3 - I2) gamma2^2` and
/// `I2 w2^2 - c (I3 - I1) gamma1^2`, here times 100 and 25.
#[test]
fn suslov_in_the_field_of_a_distant_centre() {
    let text = suslov(
        "c = 0.7",
        "c/2*(I1*dot(B.x, N.z)^2 + I2*dot(B.y, N.z)^2 + I3*dot(B.z, N.z)^2)",
    );
    assert_all(
        &of(&text),
        &[
            "E",
            "130*dot(omega(top), B.x)^2 - 63*dot(B.y, N.z)^2",
            "20*dot(omega(top), B.y)^2 - 7*dot(B.x, N.z)^2",
        ],
    );
}

/// The constraint couple is vertical, so the horizontal angular momentum is constant, and with it the
/// square `|K|^2 - (K, gamma)^2` of Veselov and Veselova.
#[test]
fn veselova() {
    let text = gallery_model("veselova");
    let along = |axis: &str| {
        let parts = ["x", "y", "z"].iter().zip(1..);
        let parts =
            parts.map(|(i, k)| format!("I{k}*dot(B.{i}, N.{axis})*dot(omega(body), B.{i})"));
        parts.collect::<Vec<_>>().join(" + ")
    };
    assert_all(
        &conserved(&prepare(&text), None),
        &["E", &along("x"), &along("y")],
    );
}

/// A particle with `z' = x y' - y x'` between springs.
fn contact(potential: &str) -> String {
    format!(
        r#"
coordinates = ["x", "y", "z"]
[parameters]
k = 1.7
[energy]
kinetic = "(x'^2 + y'^2 + z'^2)/2"
potential = "{potential}"
[constraints]
contact = "z' = x*y' - y*x'"
"#
    )
}

/// In the plane's isotropic oscillator the row does not push: `lambda (1 + x^2 + y^2) = 0`. Fradkin's
/// tensor and z' are constant, one of them by the energy. With a spring along z only the energy is.
#[test]
fn a_contact_particle_in_an_isotropic_oscillator() {
    let found = of(&contact("k/2*(x^2 + y^2)"));
    assert_all(&found, &["E", "z'", "x'^2 + k*x^2", "x'*y' + k*x*y"]);
    assert_all(&of(&contact("k/2*(x^2 + y^2 + z^2)")), &["E"]);
}

/// A disc that rolls upright across a valley: `J th'` and `(I + m R^2) ph'^2/2 + m cos(x)`, times 80.
#[test]
fn an_upright_disc_in_a_valley() {
    let text = r#"
coordinates = ["x", "y", "th", "ph"]
[parameters]
m = 1.3
I = 0.4
J = 0.2
R = 0.5
[energy]
kinetic = "m/2*(x'^2 + y'^2) + I/2*ph'^2 + J/2*th'^2"
potential = "m*cos(x)"
[constraints]
roll_x = "x' = R*cos(th)*ph'"
roll_y = "y' = R*sin(th)*ph'"
"#;
    assert_all(&of(text), &["E", "J*th'", "29*ph'^2 + 104*cos(x)"]);
}

/// Chaplygin's sphere keeps the angular momentum about its contact point, in space.
#[test]
fn chaplygins_sphere() {
    let text = gallery_model("chaplygin-sphere");
    let found = conserved(&prepare(&text), None);
    let linear = |x: &&appell::Integral| x.kind.contains("moment");
    assert_eq!(
        found.integrals.iter().filter(linear).count(),
        3,
        "{found:?}"
    );
    assert_eq!(found.integrals.len(), 4, "{found:?}");
}
