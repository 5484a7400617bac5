//! The state that an error of the start proposes is accepted as it is printed.

use crate::common::{model, prepare, words};
use appell::check;

const ROWS: [&str; 5] = [
    "a = \"x^2 + y^2 + z^2 = S^2\"",
    "a = \"x*y = S*z\"\nb = \"z = S*sin(x/S)\"",
    "a = \"x^2/4 + y^2 + z^2/9 = S^2\"\nb = \"x'*y = z'*x\"",
    "a = \"x + y + z = S\"\nb = \"x'*z = y'*S\"",
    "a = \"y = x^2/S\"\nb = \"z' = x'*y/S\"",
];
/// Coordinates and velocities that satisfy none of them, in units of `S`.
const GIVEN: [f64; 6] = [
    0.297949, -0.801801, 0.773588, 0.0618619, -0.506854, 0.0875217,
];

const SIZES: [f64; 4] = [1e-6, 1e-3, 1.0, 1e3];

type Named = Vec<(String, String)>;

/// What is proposed for a state, by name; nothing where the state is accepted.
fn proposed(rows: &str, size: f64, values: &Named) -> Option<Named> {
    let lines = values.iter().map(|(name, x)| format!("\"{name} = {x}\""));
    let state: Vec<String> = lines.collect();
    let model = model(&format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\nS = {size:e}\n[energy]\n\
         kinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\n{rows}\n[initial]\nstate = [{}]\n",
        state.join(", ")
    ));
    let p = prepare(&model);
    let text = words(&p, check(&p, None).1?);
    let (_, list) = text
        .split_once("the nearest state that satisfies them has ")
        .unwrap_or_else(|| panic!("{text}"));
    let pairs = list.trim().split(", ").map(|pair| {
        let (name, x) = pair.split_once(" = ").expect("an equation");
        (name.to_owned(), x.to_owned())
    });
    Some(pairs.collect())
}

#[test]
fn what_is_proposed_is_accepted_as_printed() {
    for (rows, size) in ROWS.iter().flat_map(|rows| SIZES.map(|size| (rows, size))) {
        let names = ["x", "y", "z", "x'", "y'", "z'"];
        let named = names.iter().zip(GIVEN);
        let mut state: Named = named
            .map(|(name, x)| ((*name).to_owned(), (size * x).to_string()))
            .collect();
        let changes = proposed(rows, size, &state).expect("a refusal");
        for (name, x) in changes {
            let entry = state.iter_mut().find(|entry| entry.0 == name);
            entry.expect("a coordinate or velocity").1 = x;
        }
        assert_eq!(proposed(rows, size, &state), None, "{rows} of {size}");
    }
}

/// Ten digits of the largest number are none of an angle beside a radius of the Earth.
#[test]
fn small_numbers_beside_large_ones_are_proposed() {
    let model = model(
        "coordinates = [\"A\", \"x\"]\n[energy]\nkinetic = \"(A'^2 + x'^2)/2\"\n[constraints]\n\
         r = \"x = 3e5*A\"\n[initial]\nstate = [\"A = 0.3333333\", \"x = 1e5\"]\n",
    );
    let p = prepare(&model);
    let text = words(&p, check(&p, None).1.expect("a refusal"));
    assert!(text.contains("has A = 0.3333333333"), "{text}");
}

/// Mirror images of least kinetic energy: the positive one is taken whatever has nothing to do with them, and it is told.
#[test]
fn mirror_images_are_told_from_each_other() {
    for mass in [0.3, 0.5, 0.9, 1.0, 1.09, 1.1, 1.11, 2.0, 3.0] {
        let model = model(&format!(
            "coordinates = [\"x\", \"y\", \"w\"]\n[energy]\n\
             kinetic = \"{mass}*(x'^2 + y'^2)/2 + w'^2/2\"\n[constraints]\nr = \"x'^2 + y'^2 = 1 + w'^2/10\"\n\
             [initial]\nstate = [\"x' = 0.6\", \"w' = 1\"]\n"
        ));
        let start = check(&prepare(&model), None)
            .0
            .initial
            .expect("a start")
            .start;
        assert!(
            (start.v[1] - 0.74f64.sqrt()).abs() < 1e-12,
            "{mass}: {start:?}"
        );
        let told = start
            .remarks
            .iter()
            .any(|remark| remark.contains("with other signs"));
        assert!(told, "{:?}", start.remarks);
    }
}
