//! The reduced equations against the multipliers': the same accelerations at every state, on the constraints or
//! beside them, for the gallery, the models of strangers, and models that are made to be awkward here; chains of many
//! bodies as tapes, whose elimination is written out.

use crate::common::corpus::corpus;
use appell::{Formalism, Prepared, gallery, read, start};
use appell_flow::backend::INTERP;
use appell_flow::{Compiled, Field, Interpreter, Tape, Workspace};
use appell_mech::{Style, output, reduced};
use appell_study::motion::choices::derived_for;
use appell_study::states::ranks::exact;

/// Two eliminations of one system agree so far, relative to the largest number.
const APART: f64 = 1e-8;
/// Random states of each model.
const STATES: usize = 5;

/// Compares the two in both styles; the operations of the multipliers' program and of the shortest, or none where a
/// model is not reduced.
fn compare(name: &str, text: &str) -> Option<[usize; 2]> {
    let both = Style::ALL.map(|style| compare_in(style, name, text));
    both.into_iter().flatten().min_by_key(|[_, work]| *work)
}

/// Compares the two at random states, and their work at the start.
fn compare_in(style: Style, name: &str, text: &str) -> Option<[usize; 2]> {
    let (model, _) = read(name, text).ok()?;
    let p = Prepared::new(&model, &[], &[]).ok()?;
    let form = Formalism::find("multipliers").expect("it is in the table");
    let equations = (form.derive)(&p.system, &p.constraints).ok()?;
    let short = reduced(&p.system, &p.constraints, style)?;
    // As a motion: dependent rows are left to the equations as they are written.
    if exact(&p).is_none_or(|ranks| ranks.a < p.constraints.k()) {
        return None;
    }
    let program = |names: &[&str]| {
        let usual = equations.program(names).expect("complete");
        let short = short.program(&equations.inputs(), names).expect("complete");
        [usual, short].map(|program| Interpreter::new(program, &p.parameters))
    };
    let n = equations.state.len();
    let fields = program(&[output::RATE]);
    let mut compared = 0;
    for trial in 0..STATES {
        let y: Vec<f64> = (0..n)
            .map(|i| 0.7 * (1.3 + (i * i + 7 * trial * (i + 1)) as f64 * 0.61).sin() + 0.2)
            .collect();
        let [usual, shortened] = fields.each_ref().map(|field| field.results(0.3, &y));
        let (Ok(usual), Ok(shortened)) = (usual, shortened) else {
            continue;
        };
        let size = usual.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        for (i, (a, b)) in usual.iter().zip(&shortened).enumerate() {
            assert!(
                (a - b).abs() <= APART * size,
                "{name}, {style:?}: rate {i} at {y:?}: {a} and {b}"
            );
        }
        compared += 1;
    }
    if let Ok(start) = start(&p) {
        let y = [&start.q[..], &start.v].concat();
        let [usual, shortened] = program(&[output::WORK]).map(|field| field.results(start.t, &y));
        if let (Ok(usual), Ok(shortened)) = (usual, shortened) {
            let size = usual.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
            let close = usual
                .iter()
                .zip(&shortened)
                .all(|(a, b)| (a - b).abs() <= 1e-6 * size);
            assert!(close, "{name}, {style:?}: work {usual:?} and {shortened:?}");
            compared += 1;
        }
    }
    let names = [output::RATE, output::WORK];
    (compared > 0).then(|| {
        program(&names).map(|interpreter| Tape::new(interpreter.program(), &p.parameters).work())
    })
}

#[test]
fn the_gallery_moves_as_by_multipliers() {
    let known: Vec<(&str, [usize; 2])> = gallery::entries()
        .iter()
        .filter_map(|entry| Some((entry.name, compare(entry.name, entry.text)?)))
        .collect();
    let of = |name: &str| {
        known
            .iter()
            .find(|(other, _)| *other == name)
            .map(|entry| entry.1)
    };
    assert!(known.len() >= 20, "{known:?}");
    // Operations are counted: a program that grows is noticed.
    for (name, most) in [("rolling-disc", 80), ("bicycle", 1900), ("rattleback", 400)] {
        let [usual, short] = of(name).expect("it has bodies");
        assert!(short <= most && short < usual, "{name}: {short} of {usual}");
    }
}

/// How far the rates by a choice of velocities are from those of the multipliers at a state, relative to the largest;
/// `None` where one of them has no value.
fn apart(fields: &[Interpreter; 2], y: &[f64]) -> Option<f64> {
    let [usual, short] = fields.each_ref().map(|field| field.results(0.3, y).ok());
    let (usual, short) = (usual?, short?);
    let size = usual.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    let gaps = usual.iter().zip(&short).map(|(a, b)| (a - b).abs() / size);
    Some(gaps.fold(0.0, f64::max))
}

#[test]
fn a_choice_of_velocities_gives_the_same_rates_or_none() {
    let (mut found, mut compared, mut refused) = (0, 0, 0);
    let strangers = corpus()
        .into_iter()
        .map(|stranger| (stranger.name, stranger.text));
    let gallery = gallery::entries()
        .iter()
        .map(|entry| (entry.name.to_owned(), entry.text.to_owned()));
    for (name, text) in gallery.chain(strangers) {
        let Ok((model, _)) = read(&name, &text) else {
            continue;
        };
        let Ok(p) = Prepared::new(&model, &[], &[]) else {
            continue;
        };
        let Ok(derived) = derived_for(&p, None) else {
            continue;
        };
        let Some(choice) = derived.by_choice(&[output::RATE]) else {
            continue;
        };
        let form = Formalism::find("multipliers").expect("it is in the table");
        let usual = (form.derive)(&p.system, &p.constraints).expect("it applies");
        let usual = usual.program(&[output::RATE]).expect("complete");
        let fields = [usual, choice.expect("complete")]
            .map(|program| Interpreter::new(program, &p.parameters));
        found += 1;
        for trial in 0..40 {
            let y =
                |i: usize| 1.1 * (1.3 + (i * i + 7 * trial * (i + 1)) as f64 * 0.61).sin() + 0.2;
            let y: Vec<f64> = (0..2 * p.system.n()).map(y).collect();
            match apart(&fields, &y) {
                Some(apart) => assert!(apart < 1e-9, "{name}, {apart:.1e} at {y:?}"),
                None => refused += 1,
            }
            compared += 1;
        }
    }
    assert!(
        found >= 1 && refused < compared,
        "{found} {refused} {compared}"
    );
}

#[test]
fn a_poor_choice_of_velocities_gives_way() {
    let bicycle = gallery::find("bicycle").expect("it is there").text;
    let (model, _) = read("bicycle", bicycle).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let derived = derived_for(&p, None).expect("it moves");
    let choice = derived.by_choice(&[output::RATE]).expect("a choice");
    let sure = derived.interpreter(&[output::RATE]).expect("complete");
    let [chosen, sure] = [choice.expect("complete"), sure.program().clone()]
        .map(|program| Compiled::of(&program, &p.parameters, &INTERP).expect("it is interpreted"));
    let value = |field: &Compiled, y: &[f64]| {
        let mut out = vec![0.0; y.len()];
        let answer = field.eval(&mut Workspace::default(), 0.0, y, &mut out);
        answer.is_ok().then_some(out)
    };
    let start = start(&p).expect("a start");
    assert!(value(&chosen, &[&start.q[..], &start.v[..]].concat()).is_some());
    // Leaning and steered far, what was chosen does not give the rest.
    let states = (0..200).map(|trial| -> Vec<f64> {
        let y = |i: usize| 2.0 * (1.3 + (i * i + 7 * trial * (i + 1)) as f64 * 0.61).sin();
        (0..2 * p.system.n()).map(y).collect()
    });
    let poor: Vec<Vec<f64>> = states.filter(|y| value(&chosen, y).is_none()).collect();
    assert!(!poor.is_empty());
    let expected: Vec<_> = poor.iter().map(|y| value(&sure, y)).collect();
    assert!(expected.iter().any(Option::is_some));
    let both = chosen.or(sure);
    let found: Vec<_> = poor.iter().map(|y| value(&both, y)).collect();
    assert_eq!(found, expected);
}

#[test]
fn models_of_strangers_move_as_by_multipliers() {
    let entries = corpus();
    let known = entries
        .iter()
        .filter(|entry| compare(&entry.name, &entry.text).is_some());
    assert!(known.count() >= 10);
}

/// Bodies on a moving base, with what a rule may overlook: an axis that leans, an angle with an offset, an arm that
/// grows, a quaternion, two bodies that turn about each other's axes, a force that knows the heading.
const AWKWARD: &[(&str, &str)] = &[
    ("sloped", r#"gravity = "-g*N.z + 2*N.x""#),
    ("upright", r#"gravity = "-g*N.z""#),
    ("sideways", r#"gravity = "-g*N.y""#),
];

/// The bodies; what stands in capitals is filled in.
const BODIES: &str = r#"
appell = 1
coordinates = ["x", "y", "z", "a", "b", "c", "s"]
GRAVITY
[parameters]
g = 9.81
[frames]
A = { parent = "N", angle = "a", axis = "z" }
B = { parent = "A", angle = "b", axis = "[1, 2, 0]" }
C = { parent = "B", angle = "c", axis = "-y" }
[bodies.first]
mass = 2
frame = "B"
position = "[x, y, z]"
inertia = [1, 2, 1.5]
[bodies.second]
mass = 3
frame = "C"
position = "pos(first) + 0.3*B.x + 0.2*C.z + ARM"
inertia = { xx = 1, yy = 2, zz = 1.5, xy = 0.1 }
FORCE
[particles.tip]
mass = 0.5
position = "pos(second) + 0.4*C.x"
[constraints]
ROWS
[initial]
state = ["x = 0", "y = 0", "z = 0", "a = 0.1", "b = 0.2", "c = 0.3", "s = 0.4", "a' = 1", "c' = 2", "s' = 0"]
[simulate]
until = 1
"#;

#[test]
fn awkward_models_move_as_by_multipliers() {
    let arms = ["s*N.x", "s*B.x", "0.1*A.y", "s*s*C.y"];
    let forces = [
        "",
        "force = \"-v(second)\"",
        "torque = \"0.3*A.x\"",
        "force = \"[x, 0, a]\"",
    ];
    let rows = [
        "roll = \"v(first, -0.5*B.z) = 0\"",
        "roll = \"v(second, -0.5*unit(N.z - dot(N.z, C.y)*C.y)) = 0\"",
        "roll = \"v(first, 0.1*A.x) = [0.1*t, 0, 0]\"",
        "edge = \"dot(v(second), B.y) = 0\"\nfloor = \"z = 0.5*cos(b)\"",
        "pin = \"pos(tip) = [0.1, 0.2, t]\"",
        "speed = \"dot(v(first), v(first)) = 1 + t\"",
        "joint = \"v(first) = v(tip) + [s', 0, 0]\"",
    ];
    let mut compared = 0;
    let mut all = 0;
    for (g, (name, gravity)) in AWKWARD.iter().enumerate() {
        for (i, arm) in arms.iter().enumerate() {
            for (j, force) in forces.iter().enumerate() {
                // Every pair of choices is met.
                let met = |(k, _): &(usize, _)| (g + i + j + k) % 4 == 0;
                for (k, row) in rows.iter().enumerate().filter(met) {
                    all += 1;
                    let text = BODIES
                        .replace("GRAVITY", gravity)
                        .replace("ARM", arm)
                        .replace("FORCE", force)
                        .replace("ROWS", row);
                    let name = format!("{name} {i} {j} {k}");
                    compared += usize::from(compare(&name, &text).is_some());
                }
            }
        }
    }
    assert!(compared > all / 2, "{compared} of {all}");
}

/// A chain of links in a plane or in space: by the parent of each, from 1; 0 is N.
fn links(parents: &[usize], spatial: bool, rest: &str) -> String {
    let angles: &[&str] = if spatial { &["a", "b", "c"] } else { &["c"] };
    let count = parents.len();
    let names = (1..=count).flat_map(|i| angles.iter().map(move |angle| format!("\"{angle}{i}\"")));
    let names: Vec<String> = names.collect();
    let mut text = format!("coordinates = [{}]\n", names.join(", "));
    text += "gravity = \"-g*N.y\"\n[parameters]\ng = 9.81\nl = 0.4\n[frames]\n";
    for (i, parent) in (1..).zip(parents) {
        let mut below = match parent {
            0 => "N".to_owned(),
            above => format!("C{above}"),
        };
        for (angle, axis) in angles
            .iter()
            .zip(if spatial { ["x", "y", "z"] } else { ["z"; 3] })
        {
            let frame = format!("{}{i}", angle.to_uppercase());
            text += &format!(
                "{frame} = {{ parent = \"{below}\", angle = \"{angle}{i}\", axis = \"{axis}\" }}\n"
            );
            below = frame;
        }
    }
    for (i, parent) in (1..).zip(parents) {
        let base = match parent {
            0 => String::new(),
            above => format!("pos(link{above}) - l*C{above}.y "),
        };
        text += &format!(
            "[bodies.link{i}]\nmass = {}\nframe = \"C{i}\"\nposition = \"{base}- l*C{i}.y\"\n\
             inertia = [0.02, 0.01, 0.03]\ntorque = \"-0.1*c{i}'*C{i}.z\"\n",
            1 + i % 3
        );
    }
    text + rest
}

/// A car with trailers, each hitched to the axle before it.
fn trailers(count: usize) -> String {
    let angles: Vec<String> = (0..count).map(|i| format!("\"th{i}\"")).collect();
    let mut text = format!(
        "coordinates = [\"x\", \"y\", {}]\n[frames]\n",
        angles.join(", ")
    );
    let mut bodies = String::new();
    let mut rows = "[constraints]\n".to_owned();
    for i in 0..count {
        text += &format!("L{i} = {{ parent = \"N\", angle = \"th{i}\", axis = \"z\" }}\n");
        let place = match i {
            0 => "[x, y, 0]".to_owned(),
            _ => format!("pos(T{}) - 0.8*L{i}.x", i - 1),
        };
        bodies += &format!(
            "[bodies.T{i}]\nmass = 2\nframe = \"L{i}\"\nposition = \"{place}\"\ninertia = [1, 1, 0.5]\n"
        );
        rows += &format!("axle{i} = \"dot(v(T{i}), L{i}.y) = 0\"\n");
    }
    text + &bodies + &rows
}

/// The operations of a chain as a tape that is written out, which gives the rates of the multipliers at every state.
fn chain_work(name: &str, text: &str) -> usize {
    let (model, _) = read(name, text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let form = Formalism::find("multipliers").expect("it is in the table");
    let usual = (form.derive)(&p.system, &p.constraints).expect("it applies");
    let chains = reduced(&p.system, &p.constraints, Style::Chains).expect("it has bodies");
    let names = [output::RATE];
    let chains = chains.program(&usual.inputs(), &names).expect("complete");
    let chains = Compiled::of(&chains, &p.parameters, &INTERP).expect("it is interpreted");
    let usual = Interpreter::new(usual.program(&names).expect("complete"), &p.parameters);
    let mut out = vec![0.0; 2 * p.system.n()];
    for trial in 0..STATES {
        let y = |i: usize| 0.7 * (1.3 + (i * i + 7 * trial * (i + 1)) as f64 * 0.61).sin() + 0.2;
        let y: Vec<f64> = (0..2 * p.system.n()).map(y).collect();
        let usual = usual.results(0.3, &y).expect("a value");
        let answer = chains.eval(&mut Workspace::default(), 0.3, &y, &mut out);
        answer.expect("a value");
        let size = usual.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
        let apart = usual.iter().zip(&out).map(|(a, b)| (a - b).abs() / size);
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < 1e-10, "{name}: {apart:.1e} at {y:?}");
        assert!(chains.is_written_out_at(0.3, &y), "{name} at {y:?}");
    }
    let tape = Field::tape(&chains).expect("it has one");
    tape.work()
}

#[test]
fn chains_take_as_many_operations_as_they_have_links() {
    let line = |n: usize| (0..n).collect::<Vec<usize>>();
    let tree = |n: usize| (1..=n).map(|i| i / 2).collect::<Vec<usize>>();
    let closed = |n: usize| {
        format!(
            "[points]\ntip = \"pos(link{n}) - l*C{n}.y\"\n[constraints]\n\
             along = \"dot(pos(tip), N.x) = 1\"\nabove = \"dot(pos(tip), N.y) = -0.5\"\n"
        )
    };
    type Model<'a> = (&'a str, Box<dyn Fn(usize) -> String>);
    let models: [Model<'_>; 5] = [
        ("line", Box::new(move |n| links(&line(n), false, ""))),
        ("tree", Box::new(move |n| links(&tree(n), false, ""))),
        (
            "loop",
            Box::new(move |n| links(&line(n), false, &closed(n))),
        ),
        ("in space", Box::new(move |n| links(&line(n / 2), true, ""))),
        ("trailers", Box::new(trailers)),
    ];
    for (name, text) in models {
        let [few, many] = [8, 16].map(|n| chain_work(name, &text(n)));
        assert!(many < 3 * few, "{name}: {few} and {many}");
    }
}

#[test]
fn chains_are_chosen_where_they_are_short() {
    let text = trailers(12);
    let (model, _) = read("trailers", &text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let derived = derived_for(&p, None).expect("it moves");
    let [short, usual] = derived.short().expect("a shorter program");
    assert!(short <= chain_work("trailers", &text) + 10, "{short}");
    assert!(3 * short < usual, "{short} of {usual}");
}
