//! No text makes the reader panic, overflow a small stack, or point outside the text.

use appell_model::{Code, Model, Source, read, render};
use proptest::prelude::*;
use std::fs;
use std::thread;

/// Reads a text and renders all that is said about it; true if it is a model.
fn survives(text: &str) -> bool {
    let result = read("m.toml", text);
    let good = result.is_ok();
    if let Ok((model, _)) = &result {
        assert_complete(model, text);
    }
    let said = result.map_or_else(|errors| errors, |(_, warnings)| warnings);
    assert!(good || !said.is_empty(), "a refusal without a word");
    let source = Source::new("m.toml", text);
    for diagnostic in &said {
        for label in std::iter::once(&diagnostic.label).chain(&diagnostic.more) {
            let span = label.span;
            let inside = text.get(span.start..span.end).is_some();
            assert!(inside, "{:?} {span:?} in {text:?}", diagnostic.message);
        }
        assert!(!render(diagnostic, &source, true).is_empty());
    }
    good
}

/// Nothing of a model that is accepted was passed over.
fn assert_complete(model: &Model, text: &str) {
    let table = toml_edit::ImDocument::parse(text).expect("a model is TOML");
    let count = |key: &str| {
        let item = table.get(key);
        let entries = item
            .and_then(|item| item.as_table_like())
            .map(|table| table.len());
        entries
            .or_else(|| item.and_then(|i| i.as_array_of_tables()).map(|a| a.len()))
            .unwrap_or(0)
    };
    let found = [
        ("parameters", model.parameters.len()),
        ("define", model.definitions.len()),
        ("points", model.points.len()),
        ("frames", model.frames.len()),
        ("loads", model.loads.len()),
        ("forces", model.forces.len()),
        ("claims", model.claims.len()),
        ("plots", model.plots.len()),
    ];
    for (key, found) in found
        .into_iter()
        .filter(|(key, _)| *key != "plots" || text.contains("[[plots]]"))
    {
        assert_eq!(count(key), found, "{key} in {text}");
    }
    // The norm rows of quaternions are the tool's own.
    let given = model.constraints.iter().filter(|c| !c.added).count();
    assert_eq!(count("constraints"), given, "{text}");
    let bodies = count("particles") + count("bodies");
    assert_eq!(bodies, model.bodies.len(), "{text}");
    assert!(
        model.constraints.iter().all(|c| !c.rows.is_empty()),
        "{text}"
    );
}

/// Does it on a stack of 512 KiB.
fn survives_on_a_small_stack(text: String) -> bool {
    let thread = thread::Builder::new().stack_size(512 << 10);
    let handle = thread
        .spawn(move || survives(&text))
        .expect("a thread can be started");
    handle.join().expect("no panic")
}

fn gallery() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../zoo");
    let paths = fs::read_dir(folder).expect("the gallery is there");
    let mut paths: Vec<_> = paths
        .map(|e| e.expect("its entries can be listed").path())
        .collect();
    paths.sort();
    paths
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect()
}

/// Pieces that models are made of, and some that they are not.
const PIECES: &[&str] = &[
    "",
    "'",
    "''",
    "\"",
    "\"\"\"",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "=",
    "==",
    ",",
    ".",
    "\n",
    "#",
    "\\",
    "^",
    "*",
    "-",
    "/",
    "x",
    "x'",
    "x''",
    "theta",
    "t",
    "pi",
    "T",
    "V",
    "N",
    "N.x",
    "O",
    "P",
    "E",
    "m",
    "v(P)",
    "pos(P)",
    "a(P)",
    "R(P)",
    "dot(",
    "norm(",
    "D(",
    "multiplier(",
    "power(",
    "sin(",
    "abs(",
    "1",
    "0",
    "1e308",
    "-1e-400",
    "nan",
    "true",
    "v(P, N.x)",
    "omega(B)",
    "alpha(",
    "vec(B, ",
    "B.x",
    "[constraints]\n",
    "[frames]\n",
    "B = { parent = \"N\", angle = \"x\", axis = \"z\" }\n",
    "[bodies.b]\nframe = \"B\"\n",
    "inertia = [1, 1, 1]\n",
    "[[loads]]\n",
    "body = \"b\"\n",
    "torque = \"N.z\"\n",
    "[[plots]]\n",
    "[energy]\n",
    "kinetic",
    "coordinates = [\"x\"]\n",
    "θ",
    "\u{301}",
    "\u{feff}",
    "\u{0}",
    "𝔸",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text(text in "\\PC*") {
        survives(&text);
    }

    #[test]
    fn random_pieces(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        survives(&pieces.concat());
        survives(&format!("coordinates = [\"x\"]\n[energy]\nkinetic = \"{}\"", pieces.concat()));
    }

    #[test]
    fn changed_models(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), 0..6usize, prop::sample::select(PIECES)), 1..5),
    ) {
        let models = gallery();
        let mut text = which.get(&models).clone();
        for (place, dropped, piece) in changes {
            let boundaries: Vec<usize> = (0..=text.len()).filter(|i| text.is_char_boundary(*i)).collect();
            let first = place.index(boundaries.len());
            let last = (first + dropped).min(boundaries.len() - 1);
            text.replace_range(boundaries[first]..boundaries[last], piece);
        }
        survives(&text);
    }
}

/// A model with these lines below its energy.
fn model(lines: &str) -> String {
    format!("coordinates = [\"x\"]\n[energy]\nkinetic = \"1/2*x'^2\"\n{lines}")
}

#[test]
fn deep_nesting_needs_little_stack() {
    let deep = |open: &str, close: &str, times: usize| {
        survives_on_a_small_stack(format!(
            "a = {}1{}",
            open.repeat(times),
            close.repeat(times)
        ))
    };
    assert!(!deep("[", "]", 100_000));
    assert!(!deep("{a = ", "}", 100_000));
    assert!(!deep("{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = ", "}", 80));
    assert!(!deep("[{a.a.a = ", "}]", 4));
    assert!(!survives_on_a_small_stack(format!(
        "{}a = 1",
        "a.".repeat(100_000)
    )));
    assert!(!survives_on_a_small_stack(format!(
        "[{}a]",
        "a.".repeat(100_000)
    )));
    assert!(!survives_on_a_small_stack(
        "[a.b.c.d.e.f.g.h.i.j.k.l]\n".repeat(10_000)
    ));
    for (open, close) in [
        ("(", ")"),
        ("sin(", ")"),
        ("-", ""),
        ("x^", "1"),
        ("[", "]"),
    ] {
        let formula = format!("{}x{}", open.repeat(3000), close.repeat(3000));
        survives_on_a_small_stack(model(&format!("potential = \"{formula}\"")));
    }
    assert!(survives_on_a_small_stack(model(&format!(
        "potential = \"{}x{}\"",
        "sin(".repeat(250),
        ")".repeat(250)
    ))));
}

#[test]
fn long_chains_of_definitions_need_little_stack() {
    let chain = |formula: &dyn Fn(usize) -> String| {
        let lines: Vec<String> = (1..4000)
            .map(|i| format!("d{i} = \"{}\"", formula(i)))
            .collect();
        model(&format!(
            "[define]\nd0 = \"x\"\n{}\n[claims]\nc = {{ constant = \"d3999'\" }}",
            lines.join("\n")
        ))
    };
    assert!(survives_on_a_small_stack(chain(&|i| format!(
        "sin(d{}) + x",
        i - 1
    ))));
    let backwards = (1..4000)
        .rev()
        .map(|i| format!("d{i} = \"cos(d{})\"", i - 1));
    let backwards: Vec<String> = backwards.collect();
    assert!(survives_on_a_small_stack(model(&format!(
        "[define]\nd0 = \"x\"\n{}",
        backwards.join("\n")
    ))));
    let cycle = chain(&|i| format!("d{}", i % 3999 + 1));
    assert!(!survives_on_a_small_stack(cycle));
}

/// The codes of a text's errors.
fn codes(text: &str) -> Vec<Code> {
    let mut codes: Vec<Code> = read("m.toml", text)
        .map_or_else(|e| e, |(_, w)| w)
        .iter()
        .map(|d| d.code)
        .collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn numbers_and_expressions_cannot_exhaust_memory() {
    let squares = |first: &str| {
        let lines: Vec<String> = (1..200)
            .map(|i| format!("d{i} = \"d{0}*d{0}\"", i - 1))
            .collect();
        model(&format!("[define]\nd0 = \"{first}\"\n{}", lines.join("\n")))
    };
    assert_eq!(codes(&squares("3")), [Code::TooLarge]);
    assert_eq!(codes(&squares("1/3*x")), [Code::TooLarge]);
    survives(&squares("x + 1"));
    survives(&model(
        "[parameters]\na = \"9^9^9^9^9\"\nb = \"(9^9)^(9^9)\"\nc = \"2^-1e300\"",
    ));
    let partials: Vec<String> = (1..200)
        .map(|i| format!("d{i} = \"D(d{}*sin(x*t), x)\"", i - 1))
        .collect();
    survives(&model(&format!(
        "[define]\nd0 = \"exp(x^2)\"\n{}",
        partials.join("\n")
    )));
}

#[test]
fn very_large_files_are_refused_and_large_ones_are_read() {
    assert_eq!(
        codes(&format!("{}{}", model(""), "#\n".repeat(1 << 20))),
        [Code::TooLarge]
    );
    let claims: Vec<String> = (0..4000)
        .map(|i| format!("c{i} = {{ constant = \"x + {i}*x'\" }}"))
        .collect();
    assert!(survives(&model(&format!(
        "[claims]\n{}",
        claims.join("\n")
    ))));
    let claims: Vec<String> = (0..6000)
        .map(|i| format!("c{i} = {{ constant = \"x\" }}"))
        .collect();
    assert_eq!(
        codes(&model(&format!("[claims]\n{}", claims.join("\n")))),
        [Code::TooLarge]
    );
    let wrong: Vec<String> = (0..4000)
        .map(|i| format!("c{i} = {{ constant = \"y\" }}"))
        .collect();
    assert_eq!(
        codes(&model(&format!("[claims]\n{}", wrong.join("\n")))),
        [Code::UnknownName]
    );
    let sum = vec!["x"; 10_000].join(" + sin(t)*");
    survives(&model(&format!("potential = \"{}\"", &sum[..30_000])));
}

#[test]
fn claims_of_nothing_are_errors_and_a_reserved_name_is_one() {
    let energy = "[energy]\nkinetic = \"x'^2/2\"\n";
    for claim in ["class = []", "singular_at = []"] {
        let text = format!("coordinates = [\"x\"]\n{energy}[claims]\nnone = {{ {claim} }}\n");
        assert_eq!(codes(&text), [Code::BadValue], "{claim}");
    }
    let text = "coordinates = [\"x\", \"T\"]\n[energy]\nkinetic = \"x'^2/2 + T'^2/2\"\n";
    assert_eq!(codes(text), [Code::ReservedName]);
}
