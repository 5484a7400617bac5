//! Equilibria do not depend on the units: lengths, forces and masses from tiny to huge.

use crate::common::{model, with};
use crate::equilibria::{found, of, range};
use appell::{Interval, Kind, Model, Prepared, equilibria};

/// With these values of parameters.
fn prepare_with<'m>(model: &'m Model, values: &[(&str, f64)]) -> Prepared<'m> {
    let values: Vec<String> = values
        .iter()
        .map(|(name, x)| format!("{name}={x:e}"))
        .collect();
    let values: Vec<&str> = values.iter().map(String::as_str).collect();
    with(model, &values, &[])
}

const LENGTHS: [f64; 8] = [1e-9, 1e-6, 1e-4, 1e-2, 1.0, 1e2, 1e4, 1e7];

/// The coordinates of all equilibria, sorted.
fn rest(p: &Prepared<'_>, ranges: &[Interval]) -> Vec<Vec<f64>> {
    let found = equilibria(p, ranges).expect("names are known");
    assert!(found.excluded.is_empty(), "{:?}", found.excluded);
    let mut places: Vec<Vec<f64>> = of(&found, Kind::Equilibrium)
        .iter()
        .map(|state| state.q.clone())
        .collect();
    places.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    places
}

/// Whether these are the places, beside a length.
fn are(found: &[Vec<f64>], places: &[Vec<f64>], length: f64) -> bool {
    let near = |(a, b): (&Vec<f64>, &Vec<f64>)| {
        let mut pairs = a.iter().zip(b);
        pairs.all(|(a, b)| (a - b).abs() < 1e-9 * length)
    };
    found.len() == places.len() && found.iter().zip(places).all(near)
}

fn square(half: f64) -> [Interval; 2] {
    ["x", "y"].map(|name| range(name, -half, half))
}

#[test]
fn a_particle_on_a_circle() {
    const TEXT: &str = r#"
coordinates = ["x", "y"]
[parameters]
l = 1
m = 1
g = 9.81
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "m*g*y"
[constraints]
c = "x^2 + y^2 = l^2"
[initial]
state = ["x = 0.6*l"]
"#;
    let text = model(TEXT);
    for l in LENGTHS {
        for m in [1e-6, 1.0, 1e6] {
            let p = prepare_with(&text, &[("l", l), ("m", m)]);
            let places = [vec![0.0, -l], vec![0.0, l]];
            let in_box = rest(&p, &square(2.0 * l));
            assert!(are(&in_box, &places, l), "{l} {m}: {in_box:?}");
            // From the start alone one of them.
            let near = rest(&p, &[]);
            assert!(
                near.len() == 1 && near[0][0].abs() < 1e-9 * l,
                "{l} {m}: {near:?}"
            );
        }
    }
}

/// `V = F (y + 0.3 x + x^2/l)` on the circle: where it stands still does not depend on `F` and `m`, and is as long as `l`.
#[test]
fn forces_of_any_size_on_a_circle() {
    const TEXT: &str = r#"
coordinates = ["x", "y"]
[parameters]
l = 1
F = 1
m = 1
[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "F*(y + 0.3*x + x^2/l)"
[constraints]
c = "x^2 + y^2 = l^2"
[initial]
state = ["x = 0.6*l"]
"#;
    // Zeros of the slope along the circle, by halving.
    let slope = |a: f64| a.cos() - 0.3 * a.sin() - 2.0 * a.cos() * a.sin();
    let mut places = Vec::new();
    for i in 0..1000 {
        let turn = |i: f64| i * std::f64::consts::TAU / 1000.0 - 3.0;
        let (mut a, mut b) = (turn(f64::from(i)), turn(f64::from(i) + 1.0));
        if slope(a) * slope(b) < 0.0 {
            for _ in 0..60 {
                let c = 0.5 * (a + b);
                if slope(a) * slope(c) < 0.0 {
                    b = c
                } else {
                    a = c
                }
            }
            places.push(vec![a.cos(), a.sin()]);
        }
    }
    places.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    assert_eq!(places.len(), 4);
    let text = model(TEXT);
    for force in [1e-12, 1e-8, 1e-5, 1e-3, 1.0, 1e3, 1e6, 1e9] {
        for l in [1e-6, 1.0, 1e3, 1e6] {
            for m in [1e-3, 1.0, 1e6] {
                let p = prepare_with(&text, &[("l", l), ("F", force), ("m", m)]);
                let scaled: Vec<Vec<f64>> = places
                    .iter()
                    .map(|place| place.iter().map(|x| x * l).collect())
                    .collect();
                let found = rest(&p, &square(1.1 * l));
                assert!(are(&found, &scaled, l), "{force} {l} {m}: {found:?}");
            }
        }
    }
}

/// A bead on `y = x^2` held by a spring, at `x` where `(x - 0.1) + 2 x (x^2 - 0.3 + m g/k) = 0`.
#[test]
fn a_spring_of_any_stiffness() {
    const TEXT: &str = r#"
coordinates = ["x", "y"]
gravity = "[0, -9.81, 0]"
[parameters]
k = 1e6
[particles]
P = { mass = 0.2, position = "[x, y, 0]" }
[energy]
potential = "k/2*((x - 0.1)^2 + (y - 0.3)^2)"
[constraints]
wire = "y = x^2"
"#;
    let text = model(TEXT);
    for k in [1e2, 1e4, 1e5, 1e6, 1e8, 1e10] {
        let force = |x: f64| x - 0.1 + 2.0 * x * (x * x - 0.3 + 0.2 * 9.81 / k);
        let (mut a, mut b) = (0.0, 1.0);
        for _ in 0..60 {
            let c = 0.5 * (a + b);
            if force(c) < 0.0 { a = c } else { b = c }
        }
        let p = prepare_with(&text, &[("k", k)]);
        let found = rest(&p, &[range("x", -1.0, 1.0)]);
        assert!(are(&found, &[vec![a, a * a]], 1.0), "{k}: {found:?}");
    }
}

#[test]
fn wells_that_lie_close_together_or_far_apart() {
    const LINE: &str = r#"
coordinates = ["x"]
[parameters]
s = 1
F = 1
[energy]
kinetic = "x'^2/2"
potential = "F*(x - s)^2*(x + s)^2/s^2"
"#;
    const PLANE: &str = r#"
coordinates = ["x", "y"]
[parameters]
s = 1
F = 1
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "F*((x^2 - s^2)^2/s^4 + (y - x)^2/s^2)"
"#;
    let (line, plane) = (model(LINE), model(PLANE));
    for s in LENGTHS {
        for force in [1e-9, 1.0, 1e9] {
            let p = prepare_with(&line, &[("s", s), ("F", force)]);
            let on_line = rest(&p, &[range("x", -2.0 * s, 2.0 * s)]);
            assert!(
                are(&on_line, &[vec![-s], vec![0.0], vec![s]], s),
                "{s} {force}: {on_line:?}"
            );
            let p = prepare_with(&plane, &[("s", s), ("F", force)]);
            let in_plane = rest(&p, &square(2.0 * s));
            let places = [vec![-s, -s], vec![0.0, 0.0], vec![s, s]];
            assert!(are(&in_plane, &places, s), "{s} {force}: {in_plane:?}");
        }
    }
}

/// In a box that is much wider than they are apart, states are told from each other as before.
#[test]
fn wells_in_a_wide_box() {
    let text = model(
        r#"
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
potential = "(x - 1)^2*(x - 1.001)^2"
"#,
    );
    let p = prepare_with(&text, &[]);
    let wide = found(&p, &[range("x", -1e3, 1e3)]);
    let mut places: Vec<f64> = of(&wide, Kind::Equilibrium)
        .iter()
        .map(|s| s.q[0])
        .collect();
    places.sort_by(f64::total_cmp);
    // Newton's method from all over the box leads to the wells, not to the saddle between them.
    let is_found = |well: &f64| places.iter().any(|x| (x - well).abs() < 1e-6);
    assert!([1.0, 1.001].iter().all(is_found), "{places:?}");
}

/// A coordinate that is small beside another is not 0: `V = (x/1e9 - 1)^2 + (z/1e-2 - 1)^2`; and a start beside 0 says nothing
/// of the lengths where the terms do not feel it.
#[test]
fn small_coordinates_beside_large_ones() {
    let text = model(
        r#"
coordinates = ["x", "z"]
[energy]
kinetic = "(x'^2 + z'^2)/2"
potential = "(x/1e9 - 1)^2 + (z/1e-2 - 1)^2"
[initial]
state = ["x = 5e8", "z = 0.004"]
"#,
    );
    let p = prepare_with(&text, &[]);
    let found = rest(&p, &[]);
    assert!(
        found.len() == 1 && (found[0][1] - 0.01).abs() < 1e-9,
        "{found:?}"
    );
    const CIRCLE: &str = r#"
coordinates = ["x", "y"]
[parameters]
a = 0
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "(x - 0.1)^2 + (y - 3)^2 + x*y"
[constraints]
c = "x^2 + y^2/4 = 1"
[initial]
state = ["x = a", "y = 1"]
inconsistent = "project"
"#;
    let text = model(CIRCLE);
    let at = |a: f64| rest(&prepare_with(&text, &[("a", a)]), &[]);
    let known = at(0.0);
    assert_eq!(known.len(), 1);
    for a in [1e-12, 1e-9, 1e-6, 1e-3] {
        let scaled = at(a);
        assert!(
            scaled.len() == 1 && are(&scaled, &known, 1.0),
            "{a}: {scaled:?} {known:?}"
        );
    }
}

pub const CRANKS: &str = r#"
coordinates = ["a", "b", "c", "x", "y", "th"]
gravity = "[0, -9.81, 0]"
[frames]
P = { parent = "N", angle = "th", axis = "z" }
[bodies.plate]
mass = 3
frame = "P"
position = "[x, y, 0]"
inertia = [0.1, 0.2, 0.3]
[particles]
ca = { mass = 1, position = "[0.3*cos(a), 0.3*sin(a), 0]" }
cb = { mass = 1, position = "[0.7, 0, 0] + [0.3*cos(b), 0.3*sin(b), 0]" }
cc = { mass = 1, position = "[0.35, 0.2, 0] + [0.3*cos(c), 0.3*sin(c), 0]" }
[constraints]
ja = "pos(plate) - 0.35*P.x = [0.3*cos(a), 0.3*sin(a), 0]"
jb = "pos(plate) + 0.35*P.x = [0.7, 0, 0] + [0.3*cos(b), 0.3*sin(b), 0]"
jc = "pos(plate) + 0.2*P.y = [0.35, 0.2, 0] + [0.3*cos(c), 0.3*sin(c), 0]"
"#;

/// A plate on three parallel cranks: one of six rows depends on the others where these hold, and not beside. It is unstable
/// above and stable below, whatever the order of the box, and where it starts there.
#[test]
fn a_plate_on_three_parallel_cranks() {
    let verdicts = |text: &str, ranges: &[Interval]| -> Vec<(f64, bool)> {
        let text = model(text);
        let p = with(&text, &[], &[]);
        let found = equilibria(&p, ranges).expect("names are known");
        let parallel = of(&found, Kind::Equilibrium)
            .into_iter()
            .filter(|state| state.q[5].abs() < 1e-6);
        let mut all: Vec<(f64, bool)> = parallel
            .map(|state| (state.q[4], state.stability.starts_with("stable")))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all
    };
    let start = |state: &str| format!("{CRANKS}[initial]\nstate = [{state}]\n");
    let widths = [
        ("a", 3.0),
        ("b", 3.0),
        ("c", 3.0),
        ("th", 1.0),
        ("x", 1.0),
        ("y", 1.0),
    ];
    let mut order = widths
        .map(|(name, width)| range(name, -width, width))
        .to_vec();
    for _ in 0..3 {
        let all = verdicts(&start("\"a = 1\""), &order);
        let stable: Vec<bool> = all.iter().map(|verdict| verdict.1).collect();
        assert_eq!(stable, [true, false], "{all:?}");
        assert!(
            (all[0].0 + 0.3).abs() < 1e-9 && (all[1].0 - 0.3).abs() < 1e-9,
            "{all:?}"
        );
        order.rotate_left(2);
    }
    let above = "\"a = pi/2\", \"b = pi/2\", \"c = pi/2\", \"x = 0.35\", \"y = 0.3\", \"th = 0\"";
    assert_eq!(verdicts(&start(above), &[]), [(0.3, false)]);
}

/// A motion that starts at an equilibrium: the accelerations there are rounding, and no unit.
#[test]
fn the_start_is_an_equilibrium() {
    let pendulum = |state: &str, potential: &str| {
        let text = model(&format!(
            "coordinates = [\"a\"]\n[energy]\nkinetic = \"a'^2/2\"\npotential = \"{potential}\"\n\
             [initial]\nstate = [\"a = {state}\"]\n"
        ));
        rest(&with(&text, &[], &[]), &[])
    };
    let pi = std::f64::consts::PI;
    for (state, potential, place) in [
        ("pi", "-cos(a)", pi),
        ("2*pi", "-cos(a)", 2.0 * pi),
        ("3.14159265358979", "cos(a)", pi),
        ("sqrt(2)", "a^3/3 - 2*a", 2f64.sqrt()),
        ("sqrt(3/10)", "(a^2 - 3/10)^2", 0.3f64.sqrt()),
        ("0", "a^2", 0.0),
        ("0", "a^4", 0.0),
    ] {
        let found = pendulum(state, potential);
        assert!(are(&found, &[vec![place]], 1.0), "{potential}: {found:?}");
    }
}

/// Rows that say the same twice have no derivative at some places.
#[test]
fn angles_that_are_equal_by_cosines_and_sines() {
    let text = model(
        "coordinates = [\"a\", \"b\", \"c\"]\n[energy]\nkinetic = \"(a'^2 + b'^2 + c'^2)/2\"\n\
         potential = \"9.81*(sin(a) + sin(b) + sin(c))\"\n[constraints]\nx1 = \"cos(a) = cos(b)\"\n\
         y1 = \"sin(a) = sin(b)\"\nx2 = \"cos(a) = cos(c)\"\ny2 = \"sin(a) = sin(c)\"\n[initial]\nstate = [\"a = 1\"]\n",
    );
    let ranges = ["a", "b", "c"].map(|name| range(name, -3.0, 3.0));
    let half = std::f64::consts::FRAC_PI_2;
    let found = rest(&with(&text, &[], &[]), &ranges);
    assert!(
        are(&found, &[vec![-half; 3], vec![half; 3]], 1.0),
        "{found:?}"
    );
}

/// A force that only decays has no zero, though it has none that a number could tell far away.
#[test]
fn a_force_that_decays_has_no_equilibrium() {
    let text = model(
        "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"exp(-x)\"\n[initial]\nstate = [\"x = 1\"]\n",
    );
    for high in [50.0, 700.0, 740.0, 1000.0] {
        let found = equilibria(&with(&text, &[], &[]), &[range("x", 0.0, high)]).expect("a name");
        assert!(found.states.is_empty(), "{high}: {:?}", found.states);
    }
}
