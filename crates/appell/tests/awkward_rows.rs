//! Rows that say something simpler than they look, or nothing: what each is was worked out by hand.

use crate::common::{self, model, prepare};
use appell::{Check, check, prove};

struct Row {
    row: &'static str,
    /// Velocities at the start, at (x, y, z) = (1, 2, 3).
    start: &'static str,
    dof: usize,
    /// Words it has, and words it must not have.
    has: &'static [&'static str],
    lacks: &'static [&'static str],
    /// The linear rows that say the same.
    linear: Option<&'static [&'static str]>,
}

const REST: &str = "";

const fn row(
    row: &'static str,
    start: &'static str,
    dof: usize,
    has: &'static [&'static str],
    lacks: &'static [&'static str],
    linear: Option<&'static [&'static str]>,
) -> Row {
    Row {
        row,
        start,
        dof,
        has,
        lacks,
        linear,
    }
}

const SKATE: &[&str] = &["linear", "contrived", "nonholonomic"];
const PLANE: &[&str] = &["linear", "contrived", "holonomic"];
const BENT: &[&str] = &["inherent", "nonholonomic"];
const NOT_BENT: &[&str] = &["inherent", "general"];
const NOT_FLAT: &[&str] = &["linear", "affine", "contrived", "holonomic"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    // Factors that vanish nowhere.
    row("(x'^2 + 1)*(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("exp(x')*(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("cosh(z')*(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("(2 + sin(x'))*(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("(x'^2 - x'*y' + y'^2 + 1)*(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("(x'^4 + z^2 + 1)*(y' - x*z')^3 = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("x'^2*y' + y' - x*z'*x'^2 - x*z' = 0", REST, 2, &["contrived", "nonholonomic"], &["inherent"], Some(&["y' - x*z' = 0"])),
    row("(y' - x*z')/(1 + x'^2) = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("(x'^2 + y'^2 + 1)*(x'^2 + y'^2 - z'^2) = 0", "\"x' = 3\", \"y' = 4\", \"z' = 5\"", 2, BENT, NOT_FLAT, None),
    // Sums of what is nowhere negative.
    row("x'^4 + y'^4 + z'^4 = 0", REST, 0, PLANE, NOT_BENT, Some(&["x' = 0", "y' = 0", "z' = 0"])),
    row("x'^2 + y'^2 = 0", REST, 1, PLANE, NOT_BENT, Some(&["x' = 0", "y' = 0"])),
    row("(x' - y*z')^2 + (y' - z')^2 = 0", REST, 1, &["linear", "contrived"], NOT_BENT, Some(&["x' - y*z' = 0", "y' - z' = 0"])),
    row("x'^2 - 2*x'*y' + 2*y'^2 = 0", REST, 1, PLANE, NOT_BENT, Some(&["x' = 0", "y' = 0"])),
    row("(x' - 1)^2 + (y' - 2)^2 = 0", "\"x' = 1\", \"y' = 2\"", 1, &["affine", "contrived", "holonomic"], NOT_BENT, Some(&["x' - 1 = 0", "y' - 2 = 0"])),
    row("abs(x') + abs(y' - x*z') = 0", REST, 1, &["linear", "contrived"], &["piecewise", "inherent"], Some(&["x' = 0", "y' - x*z' = 0"])),
    row("sqrt(x'^2 + y'^2) = 0", REST, 1, PLANE, NOT_BENT, Some(&["x' = 0", "y' = 0"])),
    row("x'^2 + (cosh(y') - 1) = 0", REST, 1, PLANE, NOT_BENT, Some(&["x' = 0", "y' = 0"])),
    row("max(x'^2, y'^2) = 0", REST, 1, PLANE, &["piecewise"], Some(&["x' = 0", "y' = 0"])),
    row("log(1 + (y' - x*z')^2) = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    // Monotone functions.
    row("exp(y' - x*z') = 1", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("tanh(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("sinh(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("atan(y' - x*z') = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("(y' - x*z')^3 = 0", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("log(1 + y' - x*z') = 0", REST, 2, &["linear", "contrived"], NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("log(y' - x*z') = 0", "\"y' = 1\"", 2, &["affine", "contrived", "nonholonomic"], &["linear", "inherent"], Some(&["y' - x*z' - 1 = 0"])),
    row("(x' - y*z')^3 = 8", "\"x' = 2\"", 2, &["affine", "contrived"], &["linear", "inherent"], Some(&["x' - y*z' - 2 = 0"])),
    row("abs(y' - x*z') = 0", REST, 2, SKATE, &["piecewise", "inherent"], Some(&["y' - x*z' = 0"])),
    row("x'^3 = y'^3", REST, 2, PLANE, NOT_BENT, Some(&["x' - y' = 0"])),
    row("x'^3 = y^3*z'^3", REST, 2, SKATE, NOT_BENT, Some(&["x' - y*z' = 0"])),
    row("exp(x') = exp(y*z')", REST, 2, SKATE, NOT_BENT, Some(&["x' - y*z' = 0"])),
    row("2^x' = 1", REST, 2, PLANE, NOT_BENT, Some(&["x' = 0"])),
    row("cosh(y' - x*z') = 1", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("exp((y' - x*z')^2) = 1", REST, 2, SKATE, NOT_BENT, Some(&["y' - x*z' = 0"])),
    row("atan2(y', x') = 1", "\"x' = cos(1)\", \"y' = sin(1)\"", 2, &["homogeneous", "cone", "contrived", "holonomic"], &["linear", "inherent"], None),
    row("atan2(y', x') = z", "\"x' = cos(3)\", \"y' = sin(3)\"", 2, &["homogeneous", "cone", "contrived", "nonholonomic"], &["linear", "inherent"], None),
    // Roots on both sides, or of a number.
    row("sqrt(x'^2 + y'^2) = sqrt(z'^2)", "\"x' = 3\", \"y' = 4\", \"z' = 5\"", 2, BENT, NOT_FLAT, None),
    row("sqrt(x'^2 + y'^2) = 5", "\"x' = 3\", \"y' = 4\"", 2, BENT, NOT_FLAT, None),
    // Corners.
    row("z' = sqrt(x'^2)", "\"x' = 1\", \"z' = 1\"", 2, &["homogeneous", "cone", "piecewise"], &["linear", "affine", "holonomic", "nonholonomic", "contrived", "inherent"], None),
    row("z' = abs(x')", "\"x' = 1\", \"z' = 1\"", 2, &["homogeneous", "piecewise"], &["linear", "holonomic", "nonholonomic"], None),
    row("z' = max(x', y')", "\"x' = 1\", \"z' = 1\"", 2, &["homogeneous", "piecewise"], &["linear", "holonomic", "nonholonomic"], None),
    row("z' = min(x', 2)", "\"x' = 1\", \"z' = 1\"", 2, &["piecewise"], &["linear", "affine", "holonomic"], None),
    row("z' = x'*sign(y')", "\"x' = 1\", \"y' = 1\", \"z' = 1\"", 2, &["piecewise"], &["linear", "holonomic"], None),
    row("z' = sqrt(x'^2 + 2*x'*y' + y'^2)", "\"x' = 1\", \"z' = 1\"", 2, &["piecewise"], &["linear", "inherent"], None),
    // Corners that are none.
    row("z' = abs(x'^2 + 1)", "\"z' = 1\"", 2, BENT, &["piecewise", "linear"], None),
    row("z' = x'*sign(1 + y'^2)", REST, 2, &["linear", "holonomic"], &["piecewise", "contrived"], None),
    row("z' = max(x', x' - 1)", REST, 2, &["linear", "holonomic"], &["piecewise", "contrived"], None),
    // Signs that change with the place: at z = 3, two lines.
    row("x'^2 + z*x'*y' + y'^2 = 0", "\"x' = -0.3819660112501051\", \"y' = 1\"", 2, &["contrived", "nonholonomic"], &["holonomic", "inherent"], None),
    row("x'^2 + (2 - z)*y'^2 = 0", "\"x' = 1\", \"y' = 1\"", 2, &["contrived", "nonholonomic"], &["holonomic", "inherent"], None),
    // The same at (1, 2, 3), where only rest is left of it.
    row("x'^2 + (z - 2)*y'^2 = 0", REST, 1, &["contrived", "holonomic"], &["inherent"], None),
    // What nothing simpler says.
    row("x'^2 + y'^2 - z'^2 = 0", "\"x' = 3\", \"y' = 4\", \"z' = 5\"", 2, BENT, NOT_FLAT, None),
    row("z' = exp(x')", "\"z' = 1\"", 2, BENT, NOT_FLAT, None),
];

fn text(rows: &str, start: &str) -> String {
    let comma = if start.is_empty() { "" } else { ", " };
    format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"1/2*(x'^2 + y'^2 + z'^2)\"\n\
         [constraints]\n{rows}\n[initial]\nstate = [\"x = 1\", \"y = 2\", \"z = 3\"{comma}{start}]\n"
    )
}

fn checked(rows: &str, start: &str) -> Check {
    let model = model(&text(rows, start));
    check(&prepare(&model), None).0
}

/// The characters of rows in order: sums are printed in the order in which their parts were met.
fn letters(rows: &[String]) -> Vec<Vec<char>> {
    let of = |row: &String| {
        let mut letters: Vec<char> = row.chars().filter(|c| !" +-".contains(*c)).collect();
        letters.sort_unstable();
        letters
    };
    let mut all: Vec<Vec<char>> = rows.iter().map(of).collect();
    all.sort();
    all
}

#[test]
fn classes_of_awkward_rows() {
    let mut wrong = Vec::new();
    for Row {
        row,
        start,
        dof,
        has,
        lacks,
        linear,
    } in ROWS
    {
        let found = checked(&format!("c = \"{row}\""), start);
        let class = &found.constraints[0];
        let mut fault = |what: &str| {
            wrong.push(format!(
                "{row}: {what}\n  {} freedoms, {class:?}",
                found.dof
            ));
        };
        if found.dof != *dof {
            fault(&format!("{dof} freedoms wanted"));
        }
        for word in *has {
            if !class.words.contains(word) {
                fault(&format!("not `{word}`"));
            }
        }
        for word in *lacks {
            if class.words.contains(word) {
                fault(&format!("`{word}`"));
            }
        }
        if let Some(wanted) = linear {
            let wanted: Vec<String> = wanted.iter().map(ToString::to_string).collect();
            let equivalent = class.equivalent_linear.clone().unwrap_or_default();
            // A row that is linear as it stands has nothing to be equivalent to.
            let plain = equivalent.is_empty() && !class.words.contains(&"contrived");
            if !plain && letters(&equivalent) != letters(&wanted) {
                fault(&format!("{equivalent:?} instead of {wanted:?}"));
            }
        }
        if let Some(growth) = &found.growth_vector
            && growth.first() != Some(&(dof + usize::from(found.distribution_has_time)))
        {
            fault(&format!("growth {growth:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong",
        wrong.join("\n"),
        wrong.len()
    );
}

/// No velocity at all: said, and no word guessed.
#[test]
fn rows_that_no_velocity_satisfies() {
    for row in [
        "x'^2 + y'^2 + 1 = 0",
        "exp(x') = 0",
        "cosh(x') = 0",
        "2 + sin(x') = 0",
        "x'^2 - x'*y' + y'^2 + z^2 + 1 = 0",
        "(x'^2 + 1)*(y'^4 + 2) = 0",
        "tanh(x') = 2",
    ] {
        let text = format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"1/2*(x'^2 + y'^2 + z'^2)\"\n\
             [constraints]\nc = \"{row}\"\n"
        );
        let model = model(&text);
        let class = check(&prepare(&model), None).0.constraints.remove(0);
        for word in ["contrived", "inherent", "holonomic", "nonholonomic"] {
            assert!(!class.words.contains(&word), "{row}: {class:?}");
        }
        let json = serde_json::to_value(&class).expect("it is plain data");
        let why = json["why"]["contrived"].as_str().unwrap_or_default();
        assert!(
            why.starts_with("no real velocity satisfies it"),
            "{row}: {json}"
        );
        assert_eq!(
            class.standing,
            ["c: no real velocity satisfies it"],
            "{row}"
        );
    }
}

/// A row beside another that says it already.
#[test]
fn rows_that_follow_from_others() {
    for (rows, index, growth) in [
        (
            "c0 = \"x' = y*z'\"\nc1 = \"x'^2 = y^2*z'^2\"",
            1,
            vec![2, 3],
        ),
        (
            "c0 = \"x'^2 = y^2*z'^2\"\nc1 = \"x' = y*z'\"",
            0,
            vec![2, 3],
        ),
        (
            "c0 = \"x' = y*z'\"\nc1 = \"(x' - y*z')*(x' + z'^3 + 1) = 0\"",
            1,
            vec![2, 3],
        ),
        (
            "c0 = \"x' = y*z'\"\nc1 = \"(x'^2 + 1)*(x' - y*z')^2 = 0\"",
            1,
            vec![2, 3],
        ),
    ] {
        let found = checked(rows, REST);
        assert_eq!(found.dof, 2, "{rows}: {found:#?}");
        assert_eq!(found.growth_vector, Some(growth), "{rows}");
        assert_eq!(found.holonomic_combinations, Some(Vec::new()), "{rows}");
        let words = &found.constraints[index].words;
        assert!(words.contains(&"redundant"), "{rows}: {words:?}");
        let words = &found.constraints[1 - index].words;
        assert!(!words.contains(&"redundant"), "{rows}: {words:?}");
    }
}

const CUBIC: &str = "coordinates = [\"x\", \"y\", \"z\", \"w\"]\n[energy]\n\
    kinetic = \"(x'^2 + y'^2 + z'^2 + w'^2)/2\"\n[constraints]\nc0 = \"x'*z' = y'^2\"\n\
    c1 = \"x'*w' = y'*z'\"\nc2 = \"y'*w' = z'^2\"\n";

/// The cone over the twisted cubic has two dimensions: three quadrics, of which one follows from the others
/// there.
#[test]
fn the_twisted_cubic_has_rank_two() {
    for start in [
        "",
        "[initial]\nstate = [\"x' = 1\", \"y' = 1\", \"z' = 1\", \"w' = 1\"]\n",
    ] {
        let model = model(&format!("{CUBIC}{start}"));
        let p = prepare(&model);
        let found = check(&p, None).0;
        assert_eq!(found.dof, 2, "{found:#?}");
        let redundant = |class: &&appell::ConstraintClass| class.words.contains(&"redundant");
        let count = found.constraints.iter().filter(redundant).count();
        assert_eq!(count, 1, "{:#?}", found.constraints);
        let proof = prove(&p);
        assert!(!proof.is_refuted(), "{proof:#?}");
        let normal = proof
            .identities
            .iter()
            .find(|i| i.name == "N^T alpha^T = 0");
        if let Some(normal) = normal.filter(|normal| !normal.verdict.is_proved()) {
            let words = format!("{:?}", normal.verdict);
            assert!(
                words.contains("it does not apply: the 3 rows have rank 2"),
                "{words}"
            );
        }
    }
}

/// The singular sets have real states on them, or are not listed.
#[test]
fn empty_singular_sets_are_not_listed() {
    for (row, wanted) in [
        ("exp(x)*y' - z' = 0", vec![]),
        ("exp(x)*y' - exp(y)*x' = 0", vec![]),
        ("(x^2 + y^2 + 1)*y' = x*(x^2 + y^2 + 1)*z'", vec![]),
        ("(x'^2 + 1)*(y' - x*z') = 0", vec![]),
        ("(x^2 + y^2)*y' = (x^2 + y^2)*z'", vec!["x = 0, y = 0"]),
        ("x*y' = y*z'", vec!["x = 0, y = 0"]),
    ] {
        let found = checked(&format!("c = \"{row}\""), REST);
        let singular = found.singular.clone().expect("it is decided");
        let split = |sheet: &str| -> Vec<String> { sheet.split(", ").map(str::to_owned).collect() };
        let sheets: Vec<_> = singular
            .iter()
            .map(|sheet| letters(&split(sheet)))
            .collect();
        let wanted: Vec<_> = wanted.iter().map(|sheet| letters(&split(sheet))).collect();
        assert_eq!(sheets, wanted, "{row}: {singular:?}");
    }
}

/// Claims of classes say how sure they are: by the identities behind their words.
#[test]
fn class_claims_have_their_own_bounds() {
    let claims = "[claims]\nskate = { class = [\"linear\", \"nonholonomic\"] }\n";
    let model = model(&format!("{}{claims}", text("c = \"y' = x*z'\"", REST)));
    let proof = prove(&prepare(&model));
    let json = serde_json::to_value(&proof.claims[0]).expect("it is plain data");
    assert_eq!(json["verdict"], "proved", "{json}");
    // That the row is linear is plain, and that a bracket leaves the planes is certain.
    assert_eq!(json["bound"], "2^-1074", "{json}");
    let claims = "[claims]\nbent = { class = [\"inherent\"] }\n";
    let model = common::model(&format!("{}{claims}", text("c = \"x'*y' = z'^2\"", REST)));
    let proof = prove(&prepare(&model));
    let json = serde_json::to_value(&proof.claims[0]).expect("it is plain data");
    let bound = json["bound"].as_str().unwrap_or_default();
    assert!(bound.starts_with("2^-") && bound != "2^-64", "{json}");
}

/// A start on a sum of squares is found, and the state said to be singular.
#[test]
fn starts_on_sums_of_squares() {
    let found = checked("c = \"(x' - 1)^2 + (y' - 2)^2 = 0\"", REST);
    let initial = found.initial.expect("there is a start");
    assert!(
        (initial.start.v[0] - 1.0).abs() < 1e-5,
        "{:?}",
        initial.start
    );
    assert!(
        (initial.start.v[1] - 2.0).abs() < 1e-5,
        "{:?}",
        initial.start
    );
}
