//! Refutations are certain at every scale, and what the file's own states contradict is not proved.

use crate::common::{claim, prepare, proof};
use appell::prove::{Proof, Verdict, prove};
use appell::{gallery, read};

/// A point on a line with claims; a name that begins with `false` is not true.
fn on_a_line(parameters: &str, claims: &[(String, String)]) -> String {
    let lines = claims
        .iter()
        .map(|(name, body)| format!("{name} = {{ {body} }}\n"));
    format!(
        "title = \"a line\"\ncoordinates = [\"x\"]\n[parameters]\n{parameters}\n\
         [energy]\nkinetic = \"x'^2/2\"\n[claims]\n{}",
        lines.collect::<String>()
    )
}

/// No true claim is refuted, every false one is, with two values that are printed and differ.
#[track_caller]
fn assert_told_apart(what: &str, proof: &Proof) {
    for claim in &proof.claims {
        let text = format!("{what}: {}: {:?}", claim.name, claim.verdict);
        let Verdict::Refuted { witness, .. } = &claim.verdict else {
            assert!(!claim.name.starts_with("false"), "{text}");
            continue;
        };
        assert!(claim.name.starts_with("false"), "{text}");
        let witness = witness.as_ref().unwrap_or_else(|| panic!("{text}"));
        assert_ne!(witness.values[0], witness.values[1], "{text}");
    }
}

/// `log` and nested roots are beyond prime fields, so that only enclosures speak here; sines cancel.
#[test]
fn scale_does_not_matter() {
    for power in (-60..=60).step_by(15) {
        let equation = |text: &str| format!("equation = \"{text}\"");
        let claims = [
            ("log", "k*(log(2*exp(x)) - log(2) - x) = 0"),
            ("logs", "k*(log(x^2 + 1)*2 - log((x^2 + 1)^2)) = 0"),
            ("sines", "k*(sin(2*x) - 2*sin(x)*cos(x)) = 0"),
            (
                "nested",
                "k*sqrt(2*x^2 + 2*x*sqrt(x^2 + 1) + 1) = k*(x + sqrt(x^2 + 1))",
            ),
            ("denested", "k*(sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2)) = 0"),
            (
                "inverse",
                "k*(atan(x/sqrt(1 + x^2)) - asin(x/sqrt(1 + 2*x^2))) = 0",
            ),
            (
                "false_log",
                "k*(log(2*exp(x)) - log(2) - x*(1 + 1e-60)) = 0",
            ),
            ("false_alone", "k*log(2 + x^2) = 0"),
            (
                "false_sines",
                "k*(sin(2*x) - 2*sin(x)*cos(x)*(1 + 1e-40)) = 0",
            ),
            (
                "false_nested",
                "k*sqrt(2*x^2 + 2*x*sqrt(x^2 + 1) + 1) = k*(x + sqrt(x^2 + 1) + 1e-50)",
            ),
            (
                "false_denested",
                "k*(sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2) - 1e-200) = 0",
            ),
        ];
        let claims = claims.map(|(name, text)| (name.to_owned(), equation(text)));
        let text = on_a_line(&format!("k = 1e{power}"), &claims);
        assert_told_apart(&format!("k = 1e{power}"), &proof(&text));
    }
}

/// What is true of the strangers' models stands, though terms of size 1e60 cancel.
#[test]
fn rounding_refutes_nothing() {
    for text in [
        include_str!("../../../strangers/scale-log.toml"),
        include_str!("../../../strangers/solar-system-si.toml"),
    ] {
        let proof = proof(text);
        assert!(!proof.is_refuted(), "{proof:?}");
        assert!(!proof.claims.is_empty());
    }
}

/// A spring of 1e12 N/m beside a false law that is off in the last digit of its stiffness.
#[test]
fn a_stiff_spring() {
    let text = "title = \"spring\"\ncoordinates = [\"x\", \"y\"]\n\
        [parameters]\nm = 1e-3\nk = 1e12\nw = \"sqrt(k/m)\"\n\
        [energy]\nkinetic = \"m*(x'^2 + y'^2)/2\"\npotential = \"k*(sqrt(1 + (x - y)^2) - 1)\"\n\
        [initial]\nstate = [\"x = 1e-6\", \"y = 0\", \"x' = 0\", \"y' = 1e-9\"]\n\
        [claims]\nenergy = { constant = \"T + V\" }\nmomentum = { constant = \"m*(x' + y')\" }\n\
        law = { equation = \"m*x'' = -k*(x - y)/sqrt(1 + (x - y)^2)\" }\n\
        logs = { equation = \"log(k^2) = 2*log(k)\" }\n\
        false_law = { equation = \"m*x'' = -(k + 1e-12)*(x - y)/sqrt(1 + (x - y)^2)\" }\n\
        false_momentum = { constant = \"m*(x' + y'*(1 + 1e-20))\" }\n\
        false_logs = { equation = \"log(k^2 + 1e-30) = 2*log(k)\" }\n";
    let proof = proof(text);
    assert_told_apart("a spring", &proof);
    for pair in &proof.equivalence {
        assert!(!pair.verdict.is_refuted(), "{} = {}", pair.a, pair.b);
    }
}

/// Claims that hold on one component of the rows, while the start lies on another.
#[test]
fn the_start_contradicts() {
    for text in [
        include_str!("../../../strangers/two-rows-parallel.toml"),
        include_str!("../../../strangers/factor-with-root.toml"),
    ] {
        let proof = proof(text);
        let Verdict::Refuted { witness, why } = &claim(&proof, "k0").verdict else {
            panic!("{:?}", proof.claims);
        };
        assert!(witness.is_some());
        let why = why.as_deref().unwrap_or_default();
        assert!(why.contains("not on the component of the start"), "{why}");
    }
}

/// A sign is known only where the enclosure excludes 0: at the jump itself nothing is refuted.
#[test]
fn jumps_at_the_start_refute_nothing() {
    let model = |x: &str| {
        format!(
            "title = \"a jump\"\ncoordinates = [\"x\", \"y\"]\n\
             [energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[initial]\nstate = [\"x = {x}\"]\n\
             [claims]\nk = {{ equation = \"abs(x - 1/3)*sign(x - 1/3)*y = (x - 1/3)*y\" }}\n\
             j = {{ equation = \"sign((x - 1/3)^2 + y^2 + 1) = 1\" }}\n"
        )
    };
    for x in ["1/3", "0.3", "1/2"] {
        assert_told_apart(x, &proof(&model(x)));
    }
}

/// The start is taken as the file gives it: equations, fractions, and values of functions.
#[test]
fn the_start_is_exact() {
    let text = "title = \"exact\"\ncoordinates = [\"x\", \"y\"]\n\
        [energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
        [constraints]\nc = \"(x' - y')*(x' + y' - 1) = 0\"\n\
        [initial]\nstate = [\"x = pi/4\", \"3*y = 1\", \"x' = 1/7\", \"y' = 6/7\"]\n\
        [claims]\nk = { equation = \"x' = y'\" }\nl = { equation = \"x' + y' = 1\" }\n";
    let proof = proof(text);
    let verdict = &claim(&proof, "k").verdict;
    let Verdict::Refuted {
        witness: Some(witness),
        ..
    } = verdict
    else {
        panic!("{verdict:?}");
    };
    let pi_quarters = "7.8539816339744830962e-1";
    assert_eq!(witness.q, [pi_quarters, "3.3333333333333333333e-1"]);
    assert_eq!(
        witness.v,
        ["1.4285714285714285714e-1", "8.5714285714285714286e-1"]
    );
    assert!(!claim(&proof, "l").verdict.is_proved());
}

/// Conditions have to hold for sure: on the edge of a domain nothing is refuted.
#[test]
fn domains_are_strict() {
    let claims = [
        ("edge", "equation = \"sqrt(x^2) = x\", where = [\"x > 0\"]"),
        (
            "other",
            "equation = \"sqrt(x^2) = -x\", where = [\"x < 0\"]",
        ),
        (
            "false_other",
            "equation = \"sqrt(x^2) = x\", where = [\"x < 0\"]",
        ),
        (
            "line",
            "equation = \"log(1 + x^2*y^2) = 2*log(x) - 2*log(x)\", where = [\"x > 0\", \"y = 0\"]",
        ),
        (
            "false_line",
            "equation = \"log(1 + x^2 + y^2) = 2*log(x)\", where = [\"x > 0\", \"y = 0\"]",
        ),
    ];
    let claims = claims.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let text = on_a_line("k = 1", &claims);
    let text = text
        .replace("[\"x\"]", "[\"x\", \"y\"]")
        .replace("x'^2/2", "(x'^2 + y'^2)/2");
    assert_told_apart("domains", &proof(&text));
}

/// Nothing of the gallery is contradicted by its start: every proof is still one.
#[test]
fn starts_of_the_gallery_agree() {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("the gallery is right");
        let proof = prove(&prepare(&model));
        for claim in &proof.claims {
            let Verdict::Refuted { why: Some(why), .. } = &claim.verdict else {
                continue;
            };
            assert!(!why.contains("component"), "{}: {}", entry.name, claim.name);
        }
    }
}
