//! Proofs over the gallery and over mutilated formalisms, on small stacks.

use crate::common::{self, held_by_two_rows, model, of_gallery, prepare};
use appell::prove::{Parameters, Verdict, prove, prove_with};
use appell::{Equations, FORMALISMS, Formalism, Prepared, Unavailable, gallery, read};
use appell_expr::{Matrix, Sketch, SolveKind};
use appell_mech::{Constraints, System, output};

/// Runs a test on a thread of 512 KiB.
fn on_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new()
        .stack_size(512 << 10)
        .spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

#[track_caller]
fn assert_bounded(what: &str, verdict: &Verdict) {
    let Verdict::Proved { bound, points, .. } = verdict else {
        panic!("{what}: {verdict:?}");
    };
    let exponent = bound
        .strip_prefix("2^-")
        .and_then(|text| text.parse::<u32>().ok());
    assert!(
        exponent.is_some_and(|e| e >= 64) && *points != Some(0),
        "{what}: {bound}"
    );
}

/// Every formalism is proved equal to the first, every identity holds, and every claim that is an
/// equation is decided; what is open says why.
#[test]
fn the_gallery_is_proved() {
    on_small_stack(|| {
        for entry in gallery::entries() {
            let proof = of_gallery(entry.name, prove);
            let name = entry.name;
            assert!(!proof.is_refuted(), "{name}: {proof:?}");
            assert!(proof.equivalence.len() + proof.unavailable.len() + 1 == FORMALISMS.len());
            for pair in &proof.equivalence {
                assert_bounded(&format!("{name}: {} = {}", pair.a, pair.b), &pair.verdict);
            }
            assert!(!proof.identities.is_empty(), "{name}");
            for identity in &proof.identities {
                assert_bounded(&format!("{name}: {}", identity.name), &identity.verdict);
            }
            for claim in &proof.claims {
                match &claim.verdict {
                    Verdict::Undecided { why } => {
                        let known = ["one motion", "in the domain of every formula"];
                        let explained = known.iter().any(|words| why.contains(words));
                        assert!(explained, "{name}: {}: {why}", claim.name);
                    }
                    Verdict::Refuted { witness, .. } => {
                        let witness = witness.as_ref();
                        let witness = witness.unwrap_or_else(|| panic!("{name}: {}", claim.name));
                        assert_ne!(witness.values[0], witness.values[1]);
                    }
                    Verdict::Proved { .. } => assert_bounded(&claim.name, &claim.verdict),
                }
            }
        }
    });
}

/// With an indefinite metric no row need lose rank: at `s = 0` and `s = -2` it is `A M^-1 A^T = 1 - (1 + s)^2` that vanishes.
#[test]
fn singular_states_of_an_indefinite_metric_are_proved() {
    let model = model(
        "coordinates = [\"x\", \"y\", \"s\"]
energy = { kinetic = \"(x'^2 - y'^2 + s'^2)/2\" }
constraints = { row = \"x' = (1 + s)*y'\" }
[initial]
state = [\"x' = 2\", \"y' = 1\", \"s = 1\", \"s' = -1\"]
[claims]
first = { singular_at = [\"s = 0\"] }
second = { singular_at = [\"s = -2\"] }
neither = { singular_at = [\"s = -1\"] }
",
    );
    let prepared = Prepared::new(&model, &[], &[]).expect("it has no parameters");
    let proof = prove(&prepared);
    let verdicts: Vec<&Verdict> = proof.claims.iter().map(|claim| &claim.verdict).collect();
    assert!(
        matches!(verdicts[0], Verdict::Proved { .. }),
        "{:?}",
        verdicts[0]
    );
    assert!(
        matches!(verdicts[1], Verdict::Proved { .. }),
        "{:?}",
        verdicts[1]
    );
    assert!(
        matches!(verdicts[2], Verdict::Refuted { .. }),
        "{:?}",
        verdicts[2]
    );
}

/// Two particles a fixed distance apart, each kept from moving along x: how the two rows share the load is a choice. Their
/// sum is not: it balances what pushes both. At the start `sin(y)` is 0, and does not tell.
#[test]
fn forces_of_rows_that_depend_on_each_other_are_no_facts() {
    let model = held_by_two_rows(
        "[claims]
shares = { equation = \"dot(R(P), N.x) = dot(R(Q), N.x)\" }
half = { equation = \"multiplier(first) = -3/2\" }
sum = { equation = \"dot(R(P) + R(Q), N.x) = -3\" }
both = { equation = \"multiplier(first) + multiplier(second) = -3\" }
wrong = { equation = \"dot(R(P) + R(Q), N.x) = -2\" }
across = { equation = \"dot(R(P), N.y) = 0\" }
scaled = { equation = \"cos(y)*(multiplier(first) + multiplier(second)) = -3*cos(y)\" }
turned = { equation = \"sin(y)*multiplier(first) = -3/2*sin(y)\" }
idle = { equation = \"power(first) = 0\" }
",
    );
    let proof = prove(&prepare(&model));
    for claim in &proof.claims {
        let fits = match (claim.name.as_str(), &claim.verdict) {
            ("shares" | "half" | "turned", Verdict::Undecided { why }) => {
                why.contains("statically indeterminate")
            }
            ("sum" | "both" | "across" | "scaled" | "idle", Verdict::Proved { .. }) => true,
            ("wrong", Verdict::Refuted { .. }) => true,
            _ => false,
        };
        assert!(fits, "{}: {:?}", claim.name, claim.verdict);
    }
}

/// The formalisms are equal and the identities hold in every reference case too.
#[test]
fn the_reference_cases_are_proved() {
    on_small_stack(|| {
        for case in common::reference::cases() {
            let text = case.model_text();
            let (model, _) = read(&case.name, &text).expect("the cases are right");
            let proof = prove(&prepare(&model));
            let name = &case.name;
            assert!(!proof.equivalence.is_empty(), "{name}");
            for pair in &proof.equivalence {
                assert_bounded(&format!("{name}: {} = {}", pair.a, pair.b), &pair.verdict);
            }
            for identity in &proof.identities {
                assert_bounded(&format!("{name}: {}", identity.name), &identity.verdict);
            }
        }
    });
}

fn without_curvature<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    gibbs_appell(system, constraints, false)
}

fn with_curvature<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Result<Equations<'g>, Unavailable> {
    gibbs_appell(system, constraints, true)
}

/// Benenti's (7.1), corrected or as printed: without `M (psi_q psi + psi_t)`.
fn gibbs_appell<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    corrected: bool,
) -> Result<Equations<'g>, Unavailable> {
    let original = Formalism::find("gibbs-appell").expect("in the table");
    let mut equations = (original.derive)(system, constraints)?;
    let parametric = constraints.parametric.as_ref().expect("given by psi");
    let mut sketch = Sketch::new(system.graph);
    for (v, psi) in system.v.iter().zip(parametric.psi.entries()) {
        sketch.bind(*v, *psi);
    }
    let transposed = parametric.partial.transpose();
    let drift = parametric.psi.map(|x| system.drift(x));
    let force = if corrected {
        &system.right - &(&system.mass * &drift)
    } else {
        system.right.clone()
    };
    let gram = &(&transposed * &system.mass) * &parametric.partial;
    let rate = sketch.solve(SolveKind::Symmetric, "rate", &gram, &(&transposed * &force));
    let accel = &(&parametric.partial * &rate) + &drift;
    let reaction = &(&system.mass * &accel) - &system.right;
    let a = &constraints.a;
    let kind = SolveKind::OfRows { unique: 0 };
    let lambda = sketch.solve(kind, "l", &(a * &a.transpose()), &(a * &reaction));
    sketch.output(output::ACCEL, accel);
    sketch.output(output::REACTION, reaction);
    let rows: Vec<_> = constraints.all_rows(&lambda, system.graph.zero());
    sketch.output(output::LAMBDA, Matrix::column(system.graph, rows));
    equations.sketch = sketch;
    Ok(equations)
}

static PRINTED: Formalism = Formalism {
    id: "printed",
    title: "Benenti's (7.1) as printed",
    statement: "(Psi^T M Psi) z' = Psi^T r",
    latex: "",
    sources: &[],
    recipe: &[],
    derive: without_curvature,
};

static CORRECTED: Formalism = Formalism {
    id: "corrected",
    title: "Benenti's (7.1), corrected",
    statement: "(Psi^T M Psi) z' = Psi^T (r - M (psi_q psi + psi_t))",
    latex: "",
    sources: &[],
    recipe: &[],
    derive: with_curvature,
};

#[test]
fn the_printed_equations_of_benenti_are_refuted_and_the_corrected_ones_proved() {
    on_small_stack(|| {
        let first = Formalism::find("multipliers").expect("in the table");
        for name in ["pars", "chaplygin-sleigh", "hyperbolic-geodesic"] {
            let proof = of_gallery(name, |p| prove_with(p, &[first, &PRINTED, &CORRECTED]));
            assert!(proof.is_refuted());
            let Verdict::Refuted {
                witness: Some(witness),
                ..
            } = &proof.equivalence[0].verdict
            else {
                panic!("{name}: {:?}", proof.equivalence[0]);
            };
            let digits = |text: &String| text.chars().filter(char::is_ascii_digit).count() >= 20;
            let texts = witness.q.iter().chain(&witness.v).chain(&witness.values);
            assert!(
                texts.clone().all(|text| text == "0" || digits(text)),
                "{witness:?}"
            );
            assert_bounded(name, &proof.equivalence[1].verdict);
        }
    });
}

/// The skate with claims that are wrong by little, and one that only its parameters make true.
const SKATE: &str = r#"
coordinates = ["x", "y", "theta"]
[parameters]
m = 1.5
I = { value = "m*r^2", about = "a ring" }
r = 0.5
g = 9.81
alpha = 0.3
[energy]
kinetic = "m/2*(x'^2 + y'^2) + I/2*theta'^2"
potential = "m*g*sin(alpha)*x"
[constraints]
blade = "x'*sin(theta) - y'*cos(theta) = 0"
[motion]
variables = ["z1", "z2"]
equations = ["x' = z1*cos(theta)", "y' = z1*sin(theta)", "theta' = z2"]
[initial]
state = ["x = 0", "y = 0", "theta = 0.4", "z1 = 1", "z2 = 0.7"]
[claims]
right   = { equation = "z1' = -g*sin(alpha)*cos(theta)" }
seventh = { equation = "z1' = -1.0000001*g*sin(alpha)*cos(theta)" }
marked  = { equation = "z1' = -1.0000001*g*sin(alpha)*cos(theta)", refuted = true }
boast   = { equation = "z1' = -g*sin(alpha)*cos(theta)", refuted = true }
half    = { equation = "theta'^2 = 2*(theta'*cos(theta/2))^2 - theta'^2*cos(theta)" }
defined = { equation = "I*theta' = m*r^2*theta'" }
valued  = { equation = "2*r*z1' = -g*sin(alpha)*cos(theta)" }
energy  = { constant = "E" }
turn    = { constant = "theta" }
speed   = { constant = "z1" }
spin    = { constant = "z2*E + T - T" }
log_law = { equation = "log(exp(z1)) = z1" }
machin  = { equation = "4*atan(1/5) = pi/4 + atan(1/239)" }
branch  = { equation = "asin(sin(2)) = pi - 2" }
forward = { equation = "sqrt(x'^2 + y'^2) = z1", where = "z1 > 0.001" }
both    = { equation = "sqrt(x'^2 + y'^2) = z1" }
"#;

#[test]
fn claims_near_the_truth() {
    on_small_stack(|| {
        let model = model(SKATE);
        let proof = prove(&prepare(&model));
        let claim = |name: &str| {
            let found = proof.claims.iter().find(|claim| claim.name == name);
            found.unwrap_or_else(|| panic!("{name}"))
        };
        let proved = |name: &str, parameters: Parameters| {
            let found = claim(name);
            assert_eq!(found.holds, Some(true), "{found:?}");
            let Verdict::Proved { parameters: of, .. } = &found.verdict else {
                panic!("{found:?}");
            };
            assert_eq!(*of, parameters, "{found:?}");
        };
        proved("right", Parameters::Any);
        proved("half", Parameters::Any);
        proved("defined", Parameters::Defined);
        proved("valued", Parameters::Values);
        proved("energy", Parameters::Any);
        proved("spin", Parameters::Any);
        proved("forward", Parameters::Any);
        proved("log_law", Parameters::Any);
        for name in ["seventh", "turn", "speed", "both", "marked"] {
            assert!(claim(name).verdict.is_refuted(), "{:?}", claim(name));
            assert_eq!(claim(name).holds, Some(name == "marked"));
        }
        assert_eq!(
            claim("boast").holds,
            Some(false),
            "it is right, and the file denies it"
        );
        assert!(claim("machin").verdict.is_proved(), "{:?}", claim("machin"));
        let Verdict::Undecided { why } = &claim("branch").verdict else {
            panic!("{:?}", claim("branch"));
        };
        assert!(why.contains("asin") && why.contains("agree"), "{why}");
    });
}

#[test]
fn overrides_are_the_values_that_count() {
    let model = model(SKATE);
    let proof = prove(&common::with(&model, &["r=0.25"], &[]));
    let valued = proof.claims.iter().find(|claim| claim.name == "valued");
    assert!(
        valued.is_some_and(|claim| claim.verdict.is_refuted()),
        "{valued:?}"
    );
}

#[test]
fn holonomic_rows_redundant_and_void_ones() {
    on_small_stack(|| {
        let text = r#"
coordinates = ["x", "y", "s"]
[parameters]
m = 1.5
g = 9.81
l = 2.0
[energy]
kinetic = "m/2*(x'^2 + y'^2 + s'^2)"
potential = "m*g*y"
[constraints]
circle = "x^2 + y^2 = l^2"
again = "x*x' + y*y' = 0"
slide = "s' = x*y' - y*x'"
twice = "2*s' - 2*x*y' + 2*y*x' = 0"
void = "0*x' = 0"
[initial]
state = ["x = 2", "y = 0", "s = 0", "y' = 1"]
[claims]
energy = { constant = "T + V" }
radius = { constant = "x^2 + y^2" }
area = { equation = "s'^2 = l^2*(x'^2 + y'^2)" }
wrong = { equation = "s' = x*y'", refuted = true }
"#;
        let model = model(text);
        let proof = prove(&prepare(&model));
        for pair in &proof.equivalence {
            assert!(pair.verdict.is_proved(), "{pair:?}");
        }
        for claim in &proof.claims {
            assert_eq!(claim.holds, Some(true), "{claim:?}");
        }
        assert!(proof.equivalence.len() >= 3, "{:?}", proof.unavailable);
    });
}

#[test]
fn the_json_of_the_contract() {
    let proof = of_gallery("pars", prove);
    let json = serde_json::to_value(&proof).expect("plain data");
    assert_eq!(json["equivalence"][0]["a"], "multipliers");
    assert_eq!(json["equivalence"][0]["verdict"], "proved");
    assert!(
        json["equivalence"][0]["bound"]
            .as_str()
            .is_some_and(|b| b.starts_with("2^-"))
    );
    assert_eq!(json["claims"][0]["holds"], true);
    assert_eq!(json["identities"][0]["name"], "A Psi = 0");
    let text = json.to_string();
    assert!(!text.contains("NaN") && !text.contains("inf"));
}

/// The blade's row is a product: it says nothing about the midpoint where the rod does not turn.
#[test]
fn a_claim_that_holds_on_one_factor_of_a_row_only_is_refuted() {
    let entry = gallery::find("rod-across-blade").expect("it is in the gallery");
    let text = entry.text.replace(r#", where = "th'^2 > 0.0001""#, "");
    assert_ne!(text, entry.text);
    let (model, _) = read(entry.name, &text).expect("it is right");
    let prepared = Prepared::new(&model, &[], &[]).expect("parameters");
    let proof = prove(&prepared);
    let blade = proof.claims.iter().find(|claim| claim.name == "blade");
    let blade = blade.expect("it is claimed");
    assert!(
        matches!(blade.verdict, Verdict::Refuted { .. }),
        "{:?}",
        blade.verdict
    );
}
