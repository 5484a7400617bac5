//! Classes of constraints: what the notes of the reference cases and of the gallery state.

use crate::common::reference::{cases, number, numbers, state};
use crate::common::{close, gallery_model, model, prepare};
use appell::{Check, Prepared, check, gallery, prove, read, simplify};
use appell_expr::Rational;

fn checked(p: &Prepared<'_>) -> Check {
    check(p, None).0
}

/// The words that tell the classes apart, for each constraint of a model.
const TELLING: [&str; 10] = [
    "linear",
    "affine",
    "homogeneous",
    "general",
    "time-dependent",
    "contrived",
    "inherent",
    "holonomic",
    "nonholonomic",
    "redundant",
];

/// Classes of the reference cases and the gallery by the abbreviations of [`abbreviated`].
const CLASSES: &[(&str, &[&str])] = &[
    ("appell-hamel", &["H inherent N"]),
    ("appell-particle", &["H inherent N"]),
    ("benenti-9.1-skate", &["LH N"]),
    ("benenti-9.2-vertical-disc", &["LH N", "LH N"]),
    (
        "benenti-9.3-coaxial-discs-q5",
        &["LH N", "LH N", "LH holonomic"],
    ),
    (
        "benenti-9.3-coaxial-discs-q6",
        &["LH N", "LH N", "LH N", "LH N"],
    ),
    ("benenti-9.4-inclined-equal-masses", &["H inherent N"]),
    ("benenti-9.4-inclined-plane", &["H inherent N"]),
    ("benenti-9.4-parallel-velocities", &["H inherent N"]),
    (
        "chaplygin-nonlinear-n4-k2",
        &["G inherent N", "G inherent N"],
    ),
    ("chaplygin-sleigh-offset", &["LH N"]),
    ("degree3-affine", &["G T inherent N"]),
    ("disc-on-moving-belt-affine", &["A N", "LH N"]),
    (
        "disc-redundant-constraints",
        &["LH N", "LH N", "LH N redundant", "LH N redundant"],
    ),
    ("equal-magnitude-planar", &["H inherent N"]),
    ("equal-speeds-two-points", &["H inherent N"]),
    (
        "generic-rheonomic-n4-k2",
        &["G T inherent N", "G T inherent N"],
    ),
    ("geodesic-hyperbolic3-linear", &["LH N"]),
    ("isokinetic-two-particles", &["G inherent N"]),
    ("kane-perpendicular-planar", &["H inherent N"]),
    ("kane-perpendicular-planar-paper-data", &["H inherent N"]),
    ("metric4-two-linear", &["LH N", "LH N"]),
    ("parallel-planar", &["H inherent N"]),
    ("pars-magnetic-friction", &["LH N"]),
    ("perpendicular-velocities", &["H inherent N"]),
    ("planar-body-point-speed", &["G inherent N"]),
    ("point-velocity-angular-velocity", &["H inherent N"]),
    ("prescribed-speed-planar", &["G T inherent N"]),
    ("quadratic-homogeneous-qdep", &["H inherent N"]),
    ("snakeboard", &["LH N", "LH N"]),
    ("speed-program-rheonomic", &["G T inherent N"]),
    ("steered-blade-rheonomic", &["LH T N"]),
    ("talamucci-ex2-inverse-sqrt", &["G T inherent N"]),
    ("talamucci-ex3-affine", &["A N"]),
    ("talamucci-ex4", &["H contrived N", "LH N"]),
    ("talamucci-ex5", &["LH N", "LH N"]),
    ("talamucci-ex6-pursuit", &["LH T N", "LH T N"]),
    ("talamucci-ex7-pendulum", &["H inherent N"]),
    ("two-bodies-omega-perpendicular", &["H inherent N"]),
    ("zekovich-fork-linear", &["LH N", "LH N"]),
    ("zekovich-fork-nonlinear", &["LH N", "H contrived N"]),
];

const GALLERY: &[(&str, &[&str])] = &[
    ("affine-particle", &["A N"]),
    ("affine-program", &["A T N"]),
    ("appell-general-force", &["H inherent N"]),
    ("appell-hamel", &["H inherent N"]),
    ("appell-nappes", &["H inherent N"]),
    ("appell-particle", &["H inherent N"]),
    (
        "ball-in-cylinder",
        &[
            "LH holonomic",
            "LH holonomic",
            "LH N",
            "LH N",
            "LH holonomic",
        ],
    ),
    (
        "ball-on-tilted-turntable",
        &["LH holonomic", "A N", "LH holonomic"],
    ),
    (
        "ball-on-turntable",
        &["LH holonomic", "A N", "LH holonomic"],
    ),
    ("bicycle", &["LH holonomic", "LH holonomic", "LH N", "LH N"]),
    ("both-across-line", &["LH N", "LH N"]),
    (
        "car-with-trailers-at-given-speed",
        &["LH N", "LH N", "LH N", "LH N", "LH N", "A N"],
    ),
    (
        "car-with-trailers",
        &["LH N", "LH N", "LH N", "LH N", "LH N"],
    ),
    ("carried-along", &["A holonomic"]),
    ("chaplygin-sleigh", &["LH N"]),
    (
        "chaplygin-sphere",
        &["LH holonomic", "LH N", "LH holonomic"],
    ),
    ("coaxial-discs-free-axle", &["LH N", "LH N", "LH N", "LH N"]),
    ("coaxial-discs", &["LH N", "LH N", "LH holonomic"]),
    ("constant-speed", &["G inherent N"]),
    ("contact-oscillator", &["LH N"]),
    ("cubic-affine", &["G inherent N"]),
    ("disc-on-belt", &["A N", "LH N"]),
    ("equal-speeds", &["H inherent N"]),
    ("fading-speed", &["G T inherent N"]),
    ("free-speed", &["G inherent N"]),
    ("hyperbolic-geodesic", &["LH N"]),
    ("isokinetic", &["G inherent N"]),
    ("marle-servo", &["A holonomic"]),
    ("moving-metric", &["G inherent N"]),
    ("nonholonomic-pendulum", &["H inherent N"]),
    ("parallel-in-space", &["H inherent N", "H inherent N"]),
    ("parallel-skates", &["LH N", "LH N"]),
    ("parallel-velocities", &["H inherent N"]),
    ("pars", &["LH N"]),
    ("perpendicular-along-line", &["H contrived N", "LH N"]),
    ("perpendicular-kane", &["H inherent N"]),
    ("perpendicular-spins", &["H inherent N"]),
    ("perpendicular", &["H inherent N"]),
    ("point-across-spin", &["H inherent N"]),
    ("point-at-given-speed", &["G inherent N"]),
    ("prescribed-speed", &["G T inherent N"]),
    ("pseudo-riemannian", &["LH N"]),
    ("pursuit", &["LH T N redundant"]),
    ("rattleback", &["LH holonomic", "LH N"]),
    ("rod-across-blade", &["H contrived N"]),
    ("rod-along-blade", &["H contrived N"]),
    ("roller-racer", &["LH N", "LH N"]),
    ("rolling-disc", &["LH holonomic", "LH N"]),
    ("routh-sphere", &["LH holonomic", "LH N", "LH holonomic"]),
    ("skate", &["LH N"]),
    ("snakeboard", &["LH N", "LH N"]),
    ("steered-blade", &["LH T N"]),
    ("suslov", &["LH N", "LH holonomic"]),
    ("torus-wheel-on-moving-belt", &["LH holonomic", "A T N"]),
    ("two-speeds", &["G inherent N", "G inherent N"]),
    ("vertical-disc", &["LH N", "LH N"]),
    ("veselova", &["LH N", "LH holonomic"]),
    ("zekovic-fork-contrived", &["LH N", "H contrived N"]),
    ("zekovic-fork", &["LH N", "LH N"]),
];

/// The telling words, short.
fn abbreviated(words: &[&str]) -> String {
    let mut short: Vec<String> = Vec::new();
    let letters: String = [
        ("linear", "L"),
        ("affine", "A"),
        ("homogeneous", "H"),
        ("general", "G"),
    ]
    .iter()
    .filter(|(word, _)| words.contains(word))
    .map(|(_, letter)| *letter)
    .collect();
    short.push(letters);
    for word in TELLING[4..].iter().filter(|word| words.contains(word)) {
        short.push(match *word {
            "time-dependent" => "T".to_owned(),
            "nonholonomic" => "N".to_owned(),
            other => other.to_owned(),
        });
    }
    short.join(" ")
}

/// The characters of a text in order: sums and products are printed in the order in which their
/// parts were first met.
pub fn letters(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    letters.sort_unstable();
    letters.into_iter().collect()
}

/// Equations that hold together, one text a list, in any order.
fn equations(sheets: &[String]) -> Vec<Vec<String>> {
    let split = |sheet: &String| {
        let mut list: Vec<String> = sheet.split(", ").map(letters).collect();
        list.sort();
        list
    };
    sheets.iter().map(split).collect()
}

#[track_caller]
fn assert_classes(name: &str, p: &Prepared<'_>, table: &[(&str, &[&str])]) {
    let wanted = table.iter().find(|(other, _)| *other == name);
    let (_, wanted) = wanted.unwrap_or_else(|| panic!("{name} is not in the table"));
    let found = checked(p);
    let found: Vec<String> = found
        .constraints
        .iter()
        .map(|class| abbreviated(&class.words))
        .collect();
    assert_eq!(found, *wanted, "{name}");
}

#[test]
fn the_reference_cases_have_the_classes_of_their_notes() {
    assert_eq!(CLASSES.len(), 41);
    for case in cases() {
        let text = case.model_text();
        let (model, _) = read(&case.name, &text).expect("it is right");
        assert_classes(&case.name, &prepare(&model), CLASSES);
    }
}

#[test]
fn the_gallery_has_the_classes_of_its_notes() {
    assert_eq!(GALLERY.len(), gallery::entries().len());
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        assert_classes(entry.name, &prepare(&model), GALLERY);
    }
}

fn of_gallery<T>(name: &str, look: impl Fn(&Check) -> T) -> T {
    let model = gallery_model(name);
    look(&checked(&prepare(&model)))
}

/// Growth vectors from the literature: the contact structure (2, 3), the rolling disc (2, 3, 4),
/// the snakeboard (3, 4, 5); on Q x R for the belt.
#[test]
fn growth_vectors() {
    for (name, wanted) in [
        ("skate", Some(vec![2, 3])),
        ("pars", Some(vec![2, 3])),
        ("vertical-disc", Some(vec![2, 3, 4])),
        ("snakeboard", Some(vec![3, 4, 5])),
        ("both-across-line", Some(vec![2, 3])),
        ("steered-blade", Some(vec![2, 3])),
        ("perpendicular", None),
    ] {
        let growth = of_gallery(name, |check| check.growth_vector.clone());
        assert_eq!(growth, wanted, "{name}");
    }
}

#[test]
fn hidden_holonomic_combinations() {
    let combinations = |name| of_gallery(name, |check| check.holonomic_combinations.clone());
    let found = combinations("coaxial-discs-free-axle").expect("decided");
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("a = const"), "{found:?}");
    assert_eq!(combinations("skate"), Some(Vec::new()));
    assert_eq!(combinations("perpendicular"), Some(Vec::new()));
    let found = combinations("both-across-line").expect("decided");
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("2*across1 - 2*across2"), "{found:?}");
    let found = combinations("marle-servo").expect("decided");
    let wanted = letters("theta*exp(k*t) = const, from servo");
    assert_eq!(letters(&found[0]), wanted);
}

const FREE: &str = "[energy]\nkinetic = \"1/2*(x'^2 + y'^2 + z'^2)\"\n[constraints]\n";

/// The check of a free particle with these rows.
fn particle<T>(rows: &str, look: impl Fn(&Check) -> T) -> T {
    let text =
        format!("coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\na = 2\nb = 0.5\n{FREE}{rows}");
    let model = model(&text);
    look(&checked(&prepare(&model)))
}

fn words_of(check: &Check) -> Vec<&'static str> {
    check.constraints[0].words.clone()
}

#[test]
fn single_rows_integrable_or_not() {
    for (row, integrable) in [
        ("x' + y*y' + z*z'", true),
        ("y*x' - x*y'", true),
        ("x' - a*x", true),
        ("x'*cos(x) + sin(t)", true),
        ("z' - y*x'", false),
        ("z' - y*t", false),
        ("z' - x'*t", false),
        ("x'*sin(t) - y'*cos(t)", false),
        ("exp(z)*(z' + y' + x')", true),
    ] {
        let words = particle(&format!("c = \"{row} = 0\""), words_of);
        assert_eq!(words.contains(&"holonomic"), integrable, "{row}: {words:?}");
        assert_eq!(
            words.contains(&"nonholonomic"),
            !integrable,
            "{row}: {words:?}"
        );
    }
    let found = particle("c = \"x' + y*y' + z*z' = 0\"", |check| {
        check.holonomic_combinations.clone()
    });
    let found = found.expect("decided");
    assert!(
        found[0].contains("x + 1/2*y^2 + 1/2*z^2") || found[0].contains("its rate is"),
        "{found:?}"
    );
}

/// Contrived rows with what says the same, and rows that no factor of the field splits.
#[test]
fn contrived_or_inherent() {
    let equivalent = |check: &Check| {
        let class = &check.constraints[0];
        let all = [class.equivalent_linear.clone().unwrap_or_default()];
        let mut sheets: Vec<Vec<String>> = match class.branches.is_empty() {
            true => all.to_vec(),
            false => class.branches.clone(),
        };
        for row in sheets.iter_mut().flatten() {
            *row = letters(row);
        }
        sheets.sort();
        (words_of(check), sheets)
    };
    let lists = |sheets: &[&[&str]]| -> Vec<Vec<String>> {
        let list = |rows: &&[&str]| rows.iter().map(|row| letters(row)).collect();
        let mut lists: Vec<Vec<String>> = sheets.iter().map(list).collect();
        lists.sort();
        lists
    };
    for (row, wanted) in [
        ("(z' - y*x')^2", lists(&[&["x'*y - z' = 0"]])),
        ("(z' - y*x')^3", lists(&[&["x'*y - z' = 0"]])),
        ("x'*y'", lists(&[&["x' = 0"], &["y' = 0"]])),
        (
            "x'^2 - a^2*y'^2",
            lists(&[&["x' + y'*a = 0"], &["x' - y'*a = 0"]]),
        ),
        ("x'^2 + y'^2", lists(&[&["x' = 0", "y' = 0"]])),
        ("x'/y' - x", lists(&[&["x' - y'*x = 0"]])),
        (
            "x'^2*y' - x^2*y'^3",
            lists(&[&["x' + y'*x = 0"], &["x' - y'*x = 0"], &["y' = 0"]]),
        ),
    ] {
        let (words, sheets) = particle(&format!("c = \"{row} = 0\""), equivalent);
        assert!(words.contains(&"contrived"), "{row}: {words:?}");
        assert!(!words.contains(&"inherent"), "{row}: {words:?}");
        assert_eq!(sheets, wanted, "{row}");
    }
    for row in [
        "x'^2 + y'^2 - z'^2",
        "x'^2 + y'^2 - 1",
        "x'*y' - 1",
        "x'*y' - z'^2",
        "x'*y' - z'",
        "x'^3 + y'^3 - z'^3",
        "z' - sqrt(x'^2 + y'^2)",
        "z' - exp(x')",
        "x'^4 + 2*y'^4 - z'^4",
    ] {
        let words = particle(&format!("c = \"{row} = 0\""), words_of);
        assert!(words.contains(&"inherent"), "{row}: {words:?}");
        assert!(!words.contains(&"contrived"), "{row}: {words:?}");
    }
}

/// A plane times a cone is neither contrived nor inherent: said, with the sheet that the start lies on.
#[test]
fn a_plane_and_a_cone_together_are_a_union() {
    let row = "c = \"(z' - y*x')*(x'^2 + y'^2 - z'^2) = 0\"\n[initial]\nstate = [\"x = 0.3\", \"y = 0.5\", \"z = 0\", ";
    for (velocities, place) in [
        (
            "\"x' = 2\", \"y' = 3\", \"z' = 1\"]",
            "the start lies on the linear part",
        ),
        (
            "\"x' = 3\", \"y' = 4\", \"z' = 5\"]",
            "the start lies on the curved part",
        ),
    ] {
        let (words, open) = particle(&format!("{row}{velocities}"), |check| {
            (words_of(check), check.constraints[0].open.clone())
        });
        assert!(
            !words.contains(&"contrived") && !words.contains(&"inherent"),
            "{words:?}"
        );
        let why = &open["contrived"];
        assert!(
            why.starts_with("its zero set is a union: linear where `"),
            "{why}"
        );
        assert!(why.contains("has rank 3") && why.ends_with(place), "{why}");
    }
}

/// Degrees are found wherever the form shows them, thirds too.
#[test]
fn rows_with_rational_powers_have_their_degree() {
    for (row, degree) in [
        ("x'^(2/3) + y'^(2/3) = z'^(2/3)", (2, 3)),
        ("x'^(7/5) = y'*z'^(2/5)", (7, 5)),
        ("abs(x')^(1/3)*z' = y'^(4/3)", (4, 3)),
        ("x'^11*z' = y'^12", (12, 1)),
    ] {
        let (words, found) = particle(&format!("c = \"{row}\""), |check| {
            (words_of(check), check.constraints[0].degree.clone())
        });
        let wanted = appell_expr::Rational::new(degree.0, degree.1);
        assert_eq!(found, Some(wanted), "{row}");
        assert!(
            words.contains(&"homogeneous") && words.contains(&"cone"),
            "{row}: {words:?}"
        );
        assert!(!words.contains(&"general"), "{row}: {words:?}");
    }
}

/// Sheets that are no cones lie where no state was looked at: `(1/2, 1.7564)` is on the first row, its double not.
#[test]
fn cones_are_proved_on_all_sheets() {
    for (row, is_cone) in [
        ("x'*exp(y') = y'*exp(x')", false),
        ("(x' - y')*((x' - 1000)^2 + y'^2 - 1e-6) = 0", false),
        ("(x' - 1)^2*(x' - y') = 0", false),
        ("(x'^2 + y'^2 - z'^2)*(1 + x'^2) = 0", true),
        ("x'^2 + y'^2 = z'^2", true),
    ] {
        let words = particle(&format!("c = \"{row}\""), words_of);
        assert_eq!(words.contains(&"cone"), is_cone, "{row}: {words:?}");
    }
}

/// A root that is no rational function is written as a root.
#[test]
fn planes_with_roots() {
    let (words, linear) = particle("c = \"x'^2 - a*y'^2 = 0\"", |check| {
        (words_of(check), check.constraints[0].branches.clone())
    });
    assert!(words.contains(&"contrived"), "{words:?}");
    assert!(
        linear.iter().flatten().any(|row| row.contains("sqrt(a)")),
        "{linear:?}"
    );
}

/// The linear row of the fork, read from the simpler file, moves as the reference says.
#[test]
fn simpler_files_move_as_the_reference_states() {
    for name in ["zekovich-fork-nonlinear", "talamucci-ex4"] {
        let case = cases()
            .into_iter()
            .find(|case| case.name == name)
            .expect("it is there");
        let text = case.model_text();
        let (old, _) = read(name, &text).expect("it is right");
        let simplified = simplify(&prepare(&old)).expect("it can be replaced");
        let [replaced] = simplified.replaced.as_slice() else {
            panic!("{name}: {:?}", simplified.replaced);
        };
        assert_eq!(replaced.verdict, "proved", "{name}: {replaced:?}");
        assert_eq!(replaced.left_out.len(), 1, "{name}: {replaced:?}");
        let (new, _) = read(name, &simplified.text).expect("it is a model");
        let new = prepare(&new);
        for class in checked(&new).constraints {
            assert!(class.words.contains(&"linear"), "{name}: {class:?}");
        }
        for truth in case.states() {
            let (t, q, v) = state(truth);
            let states = format!("[{{\"t\": {t}, \"q\": {q:?}, \"v\": {v:?}}}]");
            let states = appell::read_states(&states, &new).expect("a state");
            let found = appell::eval(&new, &states, &appell::FORMALISMS[..1]);
            let accel = found.states[0].accel.clone().expect("it moves");
            close(name, &accel, &numbers(&truth["accel"]), 1e-11);
            let reaction = found.states[0].reaction.clone().expect("it moves");
            close(name, &reaction, &numbers(&truth["reaction"]), 1e-11);
            assert!(number(&truth["t"]).is_finite());
        }
    }
}

#[test]
fn class_claims_are_decided() {
    let text = format!(
        "coordinates = [\"x\", \"y\", \"z\"]\n{FREE}c = \"x'^2 + y'^2 - z'^2 = 0\"\n[claims]\n\
         right = {{ class = [\"homogeneous\", \"inherent\", \"nonholonomic\"] }}\n\
         wrong = {{ class = [\"contrived\"] }}\n"
    );
    let model = model(&text);
    let proof = prove(&prepare(&model));
    let holds: Vec<Option<bool>> = proof.claims.iter().map(|claim| claim.holds).collect();
    assert_eq!(holds, [Some(true), Some(false)], "{:?}", proof.claims);
}

/// Appell and Hamel's wheel: with its heading as a coordinate the rows are linear, and what is left of
/// them without it is a curved cone.
#[test]
fn the_heading_makes_appell_and_hamels_rows_linear() {
    let of_rows = |coordinates: &str, rows: &str| -> Vec<Vec<&'static str>> {
        let text = format!(
            "coordinates = [{coordinates}]\n[parameters]\na = 0.6\n[energy]\n\
             kinetic = \"(x'^2 + y'^2 + w'^2)/2{}\"\n[constraints]\n{rows}",
            if coordinates.contains("th") {
                " + th'^2/8"
            } else {
                ""
            }
        );
        let model = model(&text);
        let found = checked(&prepare(&model)).constraints;
        found.into_iter().map(|class| class.words).collect()
    };
    let with = of_rows(
        r#""x", "y", "w", "th""#,
        "along_x = \"x' = a*w'*cos(th)\"\nalong_y = \"y' = a*w'*sin(th)\"",
    );
    for words in &with {
        assert_eq!(abbreviated(words), "LH N", "{words:?}");
    }
    let without = of_rows(r#""x", "y", "w""#, "cone = \"x'^2 + y'^2 = a^2*w'^2\"");
    assert_eq!(abbreviated(&without[0]), "H inherent N");
}

/// Singular sets of the papers, with bad charts told apart.
#[test]
fn singular_sets() {
    let sets = |name| {
        of_gallery(name, |check| {
            (check.singular.clone(), check.chart_singular.clone())
        })
    };
    let rest = |names: &[&str]| {
        let texts: Vec<String> = names.iter().map(|v| format!("{v} = 0")).collect();
        Some(equations(&[texts.join(", ")]))
    };
    let sorted = |sheets: &Option<Vec<String>>| sheets.as_deref().map(equations);
    let (real, _) = sets("perpendicular");
    assert_eq!(sorted(&real), rest(&["x1'", "x2'", "y1'", "y2'"]));
    let (real, _) = sets("appell-particle");
    assert_eq!(sorted(&real), rest(&["x'", "y'", "z'"]));
    let (real, chart) = sets("skate");
    assert_eq!((real, chart), (Some(Vec::new()), Vec::new()));
    let (real, chart) = sets("snakeboard");
    assert_eq!(sorted(&real), rest(&["cos(phi)"]));
    assert!(chart.is_empty(), "{chart:?}");
    let (real, chart) = sets("coaxial-discs-free-axle");
    assert_eq!(real, Some(Vec::new()));
    assert!(chart.is_empty(), "{chart:?}");
    let (real, _) = sets("perpendicular-along-line");
    let real = real.expect("decided");
    assert!(
        real.iter().any(|sheet| sheet.contains("x2' = 0")),
        "{real:?}"
    );
    let planes = particle("c = \"x'*y' = 0\"", |check| check.singular.clone());
    assert_eq!(sorted(&planes), rest(&["x'", "y'"]));
    let spiral = particle("c = \"y*x' - x*y' = 0\"", |check| check.singular.clone());
    assert_eq!(sorted(&spiral), rest(&["x", "y"]));
}

/// Of the zeros of minors those count at which the rows hold, and where the rank is lower than nearby: three speeds are
/// each by itself, `y x' = x y'` on two circles would need `0 = 1`, and `x' = 0` is all that both rows allow about it.
#[test]
fn singular_sets_hold_allowed_states_only() {
    let of = |rows: &str| particle(rows, |check| check.singular.clone());
    assert_eq!(of("c = \"x'*(x' - 1)*(x' - 2) = 0\""), Some(vec![]));
    let circles = "c = \"x^2 + y^2 = 1\"\nd = \"x'^2 + y'^2 = 1\"\n[initial]\nstate = [\"x = 1\"]";
    assert_eq!(of(circles), Some(vec![]));
    let planes = of("c = \"x'*y' = 0\"\nd = \"x'*z' = 0\"").expect("decided");
    let tip = ["x' = 0, y' = 0, z' = 0".to_owned()];
    assert_eq!(equations(&planes), equations(&tip));
}

/// Branches as sets of equations, in one order.
fn sorted(sheets: &[impl AsRef<str>]) -> Vec<Vec<String>> {
    let sheets: Vec<String> = sheets.iter().map(|x| x.as_ref().to_owned()).collect();
    let mut all = equations(&sheets);
    all.sort();
    all
}

/// Where a point lies on curves that cross, on a component on which rows have no derivative, where a row has none itself, and
/// at one time: no equations that are many are taken for ones without a common zero.
#[test]
fn singular_sets_lack_no_state() {
    let of = |rows: &[&str]| {
        let each = rows.iter().enumerate();
        let text: String = each.map(|(i, row)| format!("r{i} = \"{row}\"\n")).collect();
        let found = particle(&text, |check| check.singular.clone());
        sorted(&found.expect("decided"))
    };
    for (rows, wanted) in [
        (&["x^2*(x + y) = 0"][..], &["x = 0"][..]),
        (&["x^2*(x + 1) = 0"], &["x = 0"]),
        (&["x*(x' - y') = 0"], &["x = 0"]),
        (&["x*x' - x*y' = 0", "x*z' = 0"], &["x = 0"]),
        (&["x*y = 0", "x*z = 0"], &["x = 0, y = 0, z = 0"]),
        (&["x*(x' + z')*x' = 0"], &["x = 0", "x' = 0, z' = 0"]),
        (&["x'^2 = z'^2*y"], &["x' = 0, y = 0", "x' = 0, z' = 0"]),
        (
            &["x'^2 + y'^2 = z'^2*t"],
            &["x' = 0, y' = 0, z' = 0", "x' = 0, y' = 0, t = 0"],
        ),
        (
            &["x' = 0", "x' + y'*(y' - 1 + t) = 0"],
            &["2*y' + t - 1 = 0"],
        ),
        (
            &["sqrt(x^2 + y^2) = z"],
            &["x = 0, y = 0, sqrt(x^2 + y^2) - z = 0"],
        ),
        (
            &["x^2*y + y^2*z + z^2*x = 0"],
            &["x^2*y + x*z^2 + y^2*z = 0, x^2 + 2*y*z = 0, 2*x*y + z^2 = 0, 2*x*z + y^2 = 0"],
        ),
    ] {
        assert_eq!(of(rows), sorted(wanted), "{rows:?}");
    }
}

/// Random points meet one of several components: rank and singular states are those about the start as well, and what lies on a
/// component of lower rank is singular only where the rank is lower still.
#[test]
fn singular_sets_of_several_components() {
    let of = |rows: &str, start: &str| {
        let text = format!("{rows}\n[initial]\nstate = [{start}]");
        let found = particle(&text, |check| check.singular.clone());
        sorted(&found.expect("decided"))
    };
    let lines = of(
        "a = \"x*y = 0\"\nb = \"x'*z' = 0\"",
        "\"x = 1\", \"x' = -1\"",
    );
    let wanted = [
        "x' = 0, z' = 0, y = 0",
        "x' = 0, y' = 0, x = 0, y = 0",
        "z' = 0, x = 0, y = 0",
    ];
    assert_eq!(lines, sorted(&wanted));
    let planes = of(
        "a = \"z'*(y' - z') = 0\"\nb = \"(y' - z')*(x'^2 - 1) = 0\"",
        "\"y' = 1\", \"z' = 0\", \"x' = 1\"",
    );
    let wanted = ["x' + 1 = 0, y' = 0, z' = 0", "x' - 1 = 0, y' = 0, z' = 0"];
    assert_eq!(planes, sorted(&wanted));
    let crossing = of(
        "a = \"(x - y)*(x + y) = 0\"\nb = \"x' + y' = 0\"",
        "\"x = 1\", \"y = 1\"",
    );
    assert_eq!(crossing, sorted(&["x' = 0, y' = 0, x = 0, y = 0"]));
}

/// Euler's angles of a rolling ball are bad where its axis is upright, its place or not; no branch is empty.
#[test]
fn bad_charts_stand_apart_from_places() {
    let ball = "coordinates = ['x', 'y', 'psi', 'theta', 'phi']\n[frames]\nA = { angle = 'psi', axis = 'z' }\n\
                L = { parent = 'A', angle = 'theta', axis = 'x' }\nB = { parent = 'L', angle = 'phi', axis = 'z' }\n\
                [bodies.b]\nmass = 1\nframe = 'B'\nposition = '[x, y, 0.5]'\ninertia = [1, 2, 2.5]\n\
                [constraints]\nrolling = 'v(b, -0.5*N.z) = 0'\n";
    let model = model(ball);
    let found = checked(&prepare(&model));
    assert_eq!(found.chart_singular, ["cos(theta)^2 - 1 = 0"]);
    assert_eq!(found.singular, Some(Vec::new()));
    let skates = of_gallery("parallel-skates", |check| check.chart_singular.clone());
    assert!(skates.is_empty(), "{skates:?}");
}

/// A power with a parameter for its exponent is homogeneous; rows that hold on planes are not general: a product of
/// exponentials is one, and another may be.
#[test]
fn rows_that_hold_on_planes_are_not_general() {
    let of = |row: &str| {
        let text = format!(
            "coordinates = ['x', 'y', 'z']\n[parameters]\nn = 3\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
             [constraints]\nc = \"{row}\"\n[initial]\nstate = [\"x' = 1\", \"y' = 1\"]\n\
             [claims]\ngeneral = {{ class = ['general'] }}\nhomogeneous = {{ class = ['homogeneous'] }}\n"
        );
        let model = model(&text);
        let p = prepare(&model);
        let class = checked(&p).constraints.remove(0);
        let claims = prove(&p).claims;
        let holds = |name: &str| {
            let claim = claims.iter().find(|claim| claim.name == name);
            claim.expect("it is there").holds
        };
        (class, holds("general"), holds("homogeneous"))
    };
    let (class, general, homogeneous) = of("x'^n = y'^n");
    assert_eq!(class.degree, Some(Rational::from(3)), "{class:?}");
    assert_eq!((general, homogeneous), (Some(false), Some(true)));
    let (class, general, homogeneous) = of("exp(x')*exp(y') = exp(z')");
    let linear = class.equivalent_linear.expect("a plane");
    assert_eq!(linear, ["x' + y' - z' = 0"]);
    assert_eq!((general, homogeneous), (None, None));
    let (_, general, _) = of("x'^2 + y'^3 = z'");
    assert_eq!(general, Some(true));
}

/// Which of several planes the start lies on is told by velocities whose columns do not vanish there, and a start on
/// several has none. A root of what vanishes on the way makes another row beyond.
#[test]
fn rows_are_made_simpler_on_the_sheet_of_the_start_or_not_at_all() {
    let simpler = |rows: &str, start: &str| {
        let head = "coordinates = [\"x\", \"y\", \"z\"]\n";
        let text = format!("{head}{FREE}{rows}\n[initial]\nstate = [{start}]");
        simplify(&prepare(&model(&text)))
    };
    let turning = "r = \"x'^2 + y'^2 = z'^2\"\ns = \"x'*cos(z) + y'*sin(z) = 0\"";
    for (speed, row) in [("-1", "y' + z'*cos(z) = 0"), ("1", "y' - z'*cos(z) = 0")] {
        let found = simpler(turning, &format!("\"z' = 1\", \"y' = {speed}\""));
        let found = &found.expect("it lies on one plane").replaced[0];
        assert_eq!(letters(&found.by[0]), letters(row));
        assert_eq!(found.verdict, "proved", "{found:?}");
    }
    let refused = simpler(
        "r = \"(x' - y')*(x' - z*y') = 0\"",
        "\"z = 1\", \"x' = 1\", \"y' = 1\"",
    );
    let why = refused.expect_err("it lies on both").to_string();
    assert!(why.contains("several sheets"), "{why}");
    let round = "h = \"x^2 + y^2 = 1\"\nr = \"x'^2 + y'^2 = z'^2\"";
    let found = simpler(round, "\"x = 0\", \"y = 1\", \"x' = 1\", \"z' = 1\"");
    let found = &found.expect("it lies on one plane").replaced[0];
    assert_eq!(found.verdict, "undecided", "{found:?}");
    assert!(found.why.contains("root"), "{found:?}");
}

/// Factors that a row is written with are its sheets, whatever stands in them.
#[test]
fn factors_as_they_are_written_are_the_sheets() {
    let rows =
        "c = \"(sqrt(1 + z^2)*x' + exp(y)*y' - exp(y))*(z*y' + sqrt(1 + z^2)*z' + cos(z)*y') = 0\"";
    particle(rows, |check| {
        let class = &check.constraints[0];
        assert!(class.words.contains(&"contrived"), "{class:?}");
        let mut lengths: Vec<usize> = class
            .branches
            .iter()
            .map(|branch| branch[0].len())
            .collect();
        lengths.sort_unstable();
        assert!(
            lengths.len() == 2 && lengths[1] < 60,
            "{:?}",
            class.branches
        );
    });
}

/// An inverse function is undone within its range, and for arguments that it has.
#[test]
fn rows_that_say_the_same_come_with_the_conditions_under_which_they_do() {
    for (row, conditions) in [
        ("asin(x') = y'", &["pi/2 - y' >= 0", "y' + pi/2 >= 0"][..]),
        ("acos(x') = y'", &["y' >= 0", "pi - y' >= 0"]),
        ("acos(x') = y'^2", &["pi - y'^2 >= 0"]),
        ("asin(x') = asin(y')", &["1 - x' >= 0", "x' + 1 >= 0"]),
        ("sqrt(x')^2 = y'", &["x' >= 0"]),
        ("(x' - y')/(x' + 1) = 0", &["x' + 1 != 0"]),
        ("atan(x') = atan(y')", &[]),
    ] {
        let class = particle(&format!("c = \"{row}\""), |check| {
            check.constraints[0].clone()
        });
        assert_eq!(class.conditions, conditions, "{row}");
        let of_curved = class.equivalent.as_ref().and_then(|rows| rows.last());
        let why = of_curved.or(class.contrived.as_ref()).expect("a reason");
        assert!(conditions.iter().all(|c| why.contains(c)), "{row}: {why}");
    }
}
