//! Where loads and constraint forces act: by the name of a point, as an offset, between two bodies.

use crate::common::{at, close, gallery_model, model, motion, prepare, until};
use appell::{Code, Model, read};

/// A car with the drive force at its rear axle.
const CAR: &str = r#"
coordinates = ["x", "y", "th", "delta"]
[parameters]
m = 1200
J = 1600
Js = 30
lf = 1.2
lr = 1.4
F = 900
cd = 0.4
ks = 400
cs = 120
[define]
arm = "AT"
[frames]
C = { parent = "N", angle = "th", axis = "z" }
W = { parent = "C", angle = "delta", axis = "z" }
[points]
G = "[x, y, 0]"
rear = "pos(G) - lr*C.x"
front = "pos(G) + lf*C.x"
[bodies.chassis]
mass = "m"
frame = "C"
position = "pos(G)"
inertia = ["J/2", "J/2", "J"]
[bodies.steer]
frame = "W"
inertia = ["Js/2", "Js/2", "Js"]
[constraints]
rear_axle = "dot(v(rear), C.y) = 0"
front_axle = "dot(v(front), W.y) = 0"
[[loads]]
body = "chassis"
force = "F*C.x - cd*norm(v(chassis))*v(chassis)"
at = "PLACE"
[forces]
delta = "-ks*(delta - 0.3*sin(0.5*t)) - cs*delta'"
[initial]
state = ["x = 0", "y = 0", "th = 0", "delta = 0", "x' = 10", "delta' = 0"]
"#;

/// The car with this place of its force; in a definition of this value.
fn car(place: &str, arm: &str) -> String {
    CAR.replace("PLACE", place).replace("AT", arm)
}

/// The codes and the first remedy for a file that cannot be read.
fn refused(text: &str) -> (Vec<Code>, String) {
    let errors = read("test.toml", text).map(|_| ()).expect_err(text);
    let codes = errors.iter().map(|error| error.code).collect();
    (codes, errors[0].label.text.clone())
}

#[test]
fn a_force_at_a_named_point_is_one_at_its_offset() {
    // 17.3177085: the same car by hand, with generalised forces F*C.x and F*C.x's moment at the rear axle.
    for (place, arm) in [
        ("rear", "0*C.x"),
        ("-lr*C.x", "0*C.x"),
        ("pos(rear) - pos(chassis)", "0*C.x"),
        ("pos(rear) - pos(G)", "0*C.x"),
        ("[x, y, 0] - lr*C.x - pos(chassis)", "0*C.x"),
        ("arm", "pos(rear) - pos(chassis)"),
    ] {
        let text = model(&car(place, arm));
        let run = motion(&prepare(&text), &until(10.0));
        close(place, &run.last_state()[..1], &[17.3177085], 5e-9);
    }
}

#[test]
fn a_place_is_no_offset() {
    for (place, arm, remedy) in [
        ("pos(G) - lr*C.x", "0*C.x", "at = \"rear\""),
        ("pos(rear)", "0*C.x", "at = \"rear\""),
        ("[x, y, 0] - lr*C.x", "0*C.x", "at = \"rear\""),
        (
            "[x - lr*cos(th), y - lr*sin(th), 0]",
            "0*C.x",
            "at = \"rear\"",
        ),
        ("pos(rear) - lr/2*C.x", "0*C.x", "subtract `pos(chassis)`"),
        ("arm", "pos(rear) + 0.1*C.x", "subtract `pos(chassis)`"),
        (
            "0.5*(pos(rear) + pos(front))",
            "0*C.x",
            "subtract `pos(chassis)`",
        ),
        ("unit(pos(rear))", "0*C.x", "subtract `pos(chassis)`"),
    ] {
        let (codes, label) = refused(&car(place, arm));
        assert_eq!(codes, [Code::Offset], "{place}");
        assert!(label.contains(remedy), "{place}: {label}");
    }
    let (codes, label) = refused(&car("rear - 0.1*C.x", "0*C.x"));
    assert_eq!(codes, [Code::NotAQuantity]);
    assert!(label.contains("pos(rear) - pos(chassis)"), "{label}");
}

/// A rod out of a socket at the origin, s long, its centre in the middle: the tip is s/2 from it, and a body whose
/// centre is the origin has its places as offsets.
const ROD: &str = r#"
coordinates = ["s", "th"]
[frames]
B = { parent = "N", angle = "th", axis = "z" }
[points]
tip = "s*B.x"
wall = "[3, 1, 0]"
[bodies.rod]
mass = 2
frame = "B"
position = "s/2*B.x"
inertia = [0, 0.4, 0.4]
[bodies.hub]
frame = "B"
inertia = [0.1, 0.1, 0.2]
[[loads]]
body = "BODY"
force = "[0.3, -0.2, 0]"
at = "PLACE"
[initial]
state = ["s = 1", "th = 0.4", "s' = 0.1", "th' = -0.3"]
"#;

#[test]
fn offsets_that_change_with_the_motion_are_offsets() {
    let end = |body: &str, place: &str| {
        let text = model(&ROD.replace("BODY", body).replace("PLACE", place));
        motion(&prepare(&text), &until(1.0)).last_state().to_vec()
    };
    for (body, places) in [
        ("rod", ["tip", "s/2*B.x", "pos(tip) - pos(rod)"]),
        (
            "rod",
            [
                "wall",
                "[3, 1, 0] - pos(rod)",
                "pos(wall) - s/2*B.x - pos(O)",
            ],
        ),
        // Its centre is the origin, so that both are the same.
        ("hub", ["tip", "s*B.x", "pos(tip)"]),
    ] {
        let wanted = end(body, places[0]);
        for place in &places[1..] {
            close(place, &end(body, place), &wanted, 1e-12);
        }
    }
}

/// Two discs on a plane, a motor between them, and a spring from a pin of one to a pin of the other.
const DISCS: &str = r#"
coordinates = ["x1", "y1", "a", "x2", "y2", "b"]
[frames]
A = { parent = "N", angle = "a", axis = "z" }
B = { parent = "N", angle = "b", axis = "z" }
[points]
p = "pos(one) + 0.3*A.x"
q = "pos(two) + 0.2*B.y"
[define]
d = "pos(q) - pos(p)"
pull = "5*(norm(d) - 0.7)*unit(d)"
L = "2*(x1*y1' - y1*x1') + 0.1*a' + 3*(x2*y2' - y2*x2') + 0.4*b'"
[bodies.one]
mass = 2
frame = "A"
position = "[x1, y1, 0]"
inertia = [0.05, 0.05, 0.1]
[bodies.two]
mass = 3
frame = "B"
position = "[x2, y2, 0]"
inertia = [0.2, 0.2, 0.4]
LOADS
[initial]
state = ["x2 = 1", "y2 = 0.5", "a' = 1", "x1' = 0.3", "b = 0.4"]
[claims]
x = { constant = "2*x1' + 3*x2'" }
y = { constant = "2*y1' + 3*y2'" }
turn = { constant = "L" }
"#;
const AGAINST: &str = r#"
[[loads]]
body = "one"
against = "two"
at = "p"
force = "pull"
[[loads]]
body = "one"
against = "two"
torque = "0.8*cos(t)*N.z"
"#;
const APART: &str = r#"
[[loads]]
body = "one"
at = "p"
force = "pull"
[[loads]]
body = "two"
at = "q"
force = "-pull"
[[loads]]
body = "one"
torque = "0.8*cos(t)*N.z"
[[loads]]
body = "two"
torque = "-0.8*cos(t)*N.z"
"#;

#[test]
fn a_load_against_a_body_is_two_opposite_loads() {
    let run = |loads: &str| {
        let text: Model = model(&DISCS.replace("LOADS", loads));
        let run = motion(&prepare(&text), &until(2.0));
        for claim in &run.claims {
            assert_eq!(claim.holds, Some(true), "{claim:?}");
        }
        assert!(run.ledger.closes(), "{:?}", run.ledger);
        (run.last_state().to_vec(), run.ledger.work)
    };
    let ((together, works), (apart, _)) = (run(AGAINST), run(APART));
    close("the ends", &together, &apart, 1e-9);
    // The only body that turns with a frame may be named by it.
    let (by_frame, _) = run(&AGAINST.replace("against = \"two\"", "against = \"B\""));
    close("the ends", &together, &by_frame, 1e-12);
    assert!(works.contains_key("load 1 on one against two"), "{works:?}");
}

#[test]
fn what_cannot_be_acted_against_is_refused() {
    let with = |loads: &str| refused(&DISCS.replace("LOADS", loads));
    let load = |keys: &str| format!("[[loads]]\nbody = \"one\"\n{keys}\n");
    let (codes, label) = with(&load("against = \"N\"\nforce = \"N.x\""));
    assert!(
        codes == [Code::Arguments] && label.contains("leave"),
        "{label}"
    );
    let (codes, label) = with(&load("against = \"one\"\nforce = \"N.x\""));
    assert!(
        codes == [Code::Arguments] && label.contains("another body"),
        "{label}"
    );
    let (codes, _) = with(&load("against = \"p\"\nforce = \"N.x\""));
    assert_eq!(codes, [Code::Arguments]);
    let third = "[bodies.three]\nmass = 1\nframe = \"B\"\nposition = \"[x2, y2, 1]\"\ninertia = [1, 1, 1]\n";
    let (codes, label) = with(&(load("against = \"B\"\nforce = \"N.x\"") + third));
    assert!(
        codes == [Code::Arguments] && label.contains("two, three"),
        "{label}"
    );
}

/// A skate by its energy, and as a body.
const SKATE: &str = r#"
coordinates = ["x", "y", "th"]
[points]
edge = "[x, y, 0]"
toe = "[x + cos(th), y + sin(th), 0]"
[energy]
kinetic = "1/2*1.3*(x'^2 + y'^2) + 1/2*0.2*th'^2"
potential = "-3*x"
[constraints]
blade = { equation = "x'*sin(th) - y'*cos(th) = 0", at = "POINT" }
"#;
const BODY: &str = r#"
coordinates = ["x", "y", "th"]
[frames]
A = { parent = "N", angle = "th", axis = "z" }
[bodies.skate]
mass = 1.3
frame = "A"
position = "[x, y, 0]"
inertia = [0.1, 0.1, 0.2]
force = "3*N.x"
[constraints]
blade = "dot(v(skate), -A.y) = 0"
"#;

#[test]
fn the_force_of_a_constraint_in_coordinates_is_drawn_at_its_point() {
    let (q, v) = (
        [0.2, -0.1, 0.3],
        [0.7 * 0.3_f64.cos(), 0.7 * 0.3_f64.sin(), 1.2],
    );
    let text = model(&SKATE.replace("POINT", "edge"));
    let by_energy = at(&prepare(&text), 0.0, &q, &v);
    let body = model(BODY);
    let by_body = at(&prepare(&body), 0.0, &q, &v);
    let (drawn, wanted) = (&by_energy.forces[0], &by_body.forces[0]);
    assert_eq!(
        (drawn.on.as_str(), drawn.point.as_deref()),
        ("edge", Some("edge"))
    );
    close("force", &drawn.force, &wanted.force, 1e-12);
    close("place", &drawn.at, &wanted.at, 1e-15);
    assert!(drawn.force[1].abs() > 0.1);
    // At the toe the same reaction is a force and a couple.
    let text = model(&SKATE.replace("POINT", "toe"));
    assert!(at(&prepare(&text), 0.0, &q, &v).forces.is_empty());
    let (codes, _) = refused(&BODY.replace(
        "blade = \"dot(v(skate), -A.y) = 0\"",
        "blade = { equation = \"dot(v(skate), -A.y) = 0\", at = \"skate\" }",
    ));
    assert_eq!(codes, [Code::NotAllowed]);
}

/// The forces drawn for a model of the gallery in coordinates: by constraint, the place and the force.
fn drawn_forces(name: &str, q: &[f64], v: &[f64], expected: &[(&str, [f64; 3], [f64; 3])]) {
    let model = gallery_model(name);
    let values = at(&prepare(&model), 0.0, q, v);
    let forces = &values.forces;
    let names: Vec<&str> = forces.iter().map(|f| f.constraint.as_str()).collect();
    let wanted: Vec<&str> = expected.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, wanted, "{name}");
    for (found, (constraint, place, force)) in forces.iter().zip(expected) {
        let what = format!("{name}, {constraint}");
        close(&what, &found.at, place, 1e-14);
        close(&what, &found.force, force, 1e-12);
    }
}

/// Newton's law across the blade: `m v w` bends the path, and gravity along the slope is held as far as it
/// points across.
#[test]
fn the_skate_is_held_across_its_blade() {
    let (th, speed, w) = (0.7_f64, 1.3, -0.4);
    let across = speed * w - 9.81 * 0.3_f64.sin() * th.sin();
    let force = [-across * th.sin(), across * th.cos(), 0.0];
    let q = [0.2, -0.5, th];
    let v = [speed * th.cos(), speed * th.sin(), w];
    drawn_forces("skate", &q, &v, &[("blade", [0.2, -0.5, 0.0], force)]);
}

/// The mass centre, ahead of the blade by `a`, has the acceleration `v w + a w'` across the blade, and the
/// force at the blade turns the sleigh: `I w' = -a F`.
#[test]
fn the_sleigh_is_held_at_its_blade() {
    let (m, inertia, a) = (1.2, 0.4, 0.5);
    let (th, speed, w) = (-0.9_f64, 0.8, 1.7);
    let across = m * speed * w / (1.0 + m * a * a / inertia);
    let force = [-across * th.sin(), across * th.cos(), 0.0];
    let q = [1.1, 0.3, th];
    let v = [speed * th.cos(), speed * th.sin(), w];
    let expected = [("blade", [1.1, 0.3, 0.0], force)];
    drawn_forces("chaplygin-sleigh", &q, &v, &expected);
}

/// `V` is the speed of the middle of the board, which turns by `V tan(steer)/r`, steered by `steer` in front and
/// against it behind; `V^2 (m + (J + 2 J1) tan(steer)^2/r^2)` is constant, for the rotor and the wheels keep
/// their own energy. Newton's law along and across the board, and the moments about its middle, give both forces.
#[test]
fn the_snakeboard_is_held_at_both_axles() {
    let (m, r, turned) = (6.0, 0.2, 0.016 + 2.0 * 0.0013);
    let (th, steer, steering, speed) = (0.6_f64, 0.45_f64, -0.3, 0.5);
    let (tan, per_angle) = (steer.tan(), 1.0 / steer.cos().powi(2));
    let w = speed * tan / r;
    let effective = m + turned * (tan / r).powi(2);
    let slowing = -speed * turned * tan * per_angle * steering / (r * r * effective);
    let spin_up = (slowing * tan + speed * per_angle * steering) / r;
    let sum = m * speed * w / steer.cos();
    let difference = turned * spin_up / (r * steer.cos());
    // Along the board only what differs remains.
    close("along", &[-difference * steer.sin()], &[m * slowing], 1e-12);
    let at_axle = |side: f64| {
        let place = [0.3 + side * r * th.cos(), 0.1 + side * r * th.sin(), 0.0];
        let force = (sum + side * difference) / 2.0;
        let left = th + side * steer;
        (place, [-force * left.sin(), force * left.cos(), 0.0])
    };
    let (front, back) = (at_axle(1.0), at_axle(-1.0));
    drawn_forces(
        "snakeboard",
        &[0.3, 0.1, th, 0.2, -steer],
        &[speed * th.cos(), speed * th.sin(), w, 0.7, -steering],
        &[("back", back.0, back.1), ("front", front.0, front.1)],
    );
}

/// The law gives `th'' = k^2 th`, the free rod then `x''`, and the momentum along the rail the actuator's force.
#[test]
fn the_servo_pushes_its_carriage() {
    let (cart, rod, l, g, k) = (0.5, 0.2, 0.4, 9.81, 2.0);
    let (x, th) = (0.3, 0.25_f64);
    let (w, spin_up) = (-k * th, k * k * th);
    let about_end = rod * l * l * 4.0 / 3.0;
    let accel = (rod * g * l * th.sin() - about_end * spin_up) / (rod * l * th.cos());
    let push = (cart + rod) * accel + rod * l * (spin_up * th.cos() - w * w * th.sin());
    let expected = [("servo", [x, 0.0, 0.0], [push, 0.0, 0.0])];
    drawn_forces("marle-servo", &[x, th], &[0.4, w], &expected);
}
