//! Standing identities: which there are, the balance of `E*` as claims, rows that are coupled.

use crate::common::{gallery_model, model, prepare};
use appell::prove::{Proof, Verdict, prove};

fn of_gallery(name: &str) -> Proof {
    let model = gallery_model(name);
    prove(&prepare(&model))
}

fn of_text(text: &str) -> Proof {
    prove(&prepare(&model(text)))
}

#[track_caller]
fn assert_all_proved(proof: &Proof) {
    for pair in &proof.equivalence {
        assert!(pair.verdict.is_proved(), "{pair:?}");
    }
    for identity in &proof.identities {
        assert!(identity.verdict.is_proved(), "{identity:?}");
    }
}

#[track_caller]
fn assert_has(proof: &Proof, names: &[&str]) {
    for name in names {
        let found = proof.identities.iter().find(|i| i.name == *name);
        let found = found.unwrap_or_else(|| panic!("no {name}"));
        assert!(found.verdict.is_proved(), "{found:?}");
    }
}

const BALANCE: [&str; 5] = [
    "L*_t = L_t + L_{v_d} . alpha_t",
    "L*_{q_d} = L_{q_d} + L_{v_d} . alpha_{q_d}",
    "Bbar = (alphabar - alpha)' - alpha_{q_d} (alphabar - alpha) + alpha_t",
    "dE*/dt = -L*_t + (alphabar - alpha) . L*_{q_d} + Bbar . L_{v_d} + F . (v_i, alphabar)",
    "R.v = (alpha - alphabar) . (L_{v_d}' - L_{q_d} - F_d)",
];
const WITH_KINETIC: &str = "the same with T* for L* and all forces in F";
const GENERALISED: &str = "N^T alpha^T = 0";
const VECTORS: &str = "a~ . W = 0";
const OF_PARTICLES: &str = "1/2 Sum m |a - a_f|^2 = 1/2 (q'' - a).M (q'' - a)";
const OF_REACTION: &str = "1/2 R.M^-1 R = 1/2 (q'' - a).M (q'' - a)";

#[test]
fn each_model_has_the_identities_it_has_the_ingredients_of() {
    let lacks = |proof: &Proof, name: &str| proof.identities.iter().all(|i| i.name != name);
    let particles = of_gallery("affine-particle");
    assert_has(&particles, &BALANCE);
    assert_has(
        &particles,
        &[WITH_KINETIC, GENERALISED, VECTORS, OF_PARTICLES],
    );
    assert!(lacks(&particles, OF_REACTION));
    let discs = of_gallery("coaxial-discs");
    assert_has(&discs, &BALANCE);
    assert_has(&discs, &[GENERALISED, OF_REACTION]);
    assert!(lacks(&discs, VECTORS) && lacks(&discs, OF_PARTICLES));
    let curved = of_gallery("pseudo-riemannian");
    assert_has(&curved, &[GENERALISED, OF_REACTION]);
    // The balances are those of ideal constraints.
    let servo = of_gallery("marle-servo");
    assert!(lacks(&servo, BALANCE[3]) && lacks(&servo, GENERALISED));
}

/// A bent, rheonomic row with a potential and forces: no term of the balances vanishes. The
/// terms of (30) and (34), each with what it is.
const BENT: &str = r#"
coordinates = ["x", "y", "z"]
[parameters]
m = 1.5
g = 2.0
c = 0.3
[energy]
kinetic = "m/2*(x'^2 + (1 + x^2)*y'^2 + z'^2) + t*x*z'"
potential = "m*g*z*y + t*z"
[forces]
x = "-c*x'*z"
z = "-c*z'"
[constraints]
bent = "z' = z*y*x' + t*x*y'^2 + z"
[motion]
independent = ["x'", "y'"]
[initial]
state = ["x = 1", "y = 0.5", "z = 0.3", "x' = 1", "y' = 0.4"]
[claims]
"#;

const TERMS_OF_30: [&str; 5] = [
    "D(L_star, t)",
    "(alphabar(z) - alpha_dep(z))*D(L_star, z)",
    "(B(x, z)*x' + B(y, z)*y')*D(T, z')",
    "(-c*x'*z)*x'",
    "(-c*z')*alphabar(z)",
];

const TERMS_OF_34: [&str; 5] = [
    "D(T_star, t)",
    "(alphabar(z) - alpha_dep(z))*D(T_star, z)",
    "(B(x, z)*x' + B(y, z)*y')*D(T, z')",
    "(-c*x'*z)*x' - m*g*z*y'",
    "(-c*z' - m*g*y - t)*alphabar(z)",
];

const SIGNS: [i8; 5] = [-1, 1, 1, 1, 1];

/// The balance with these factors of its terms.
fn balance(left: &str, terms: &[&str; 5], factors: &[String; 5]) -> String {
    let sum: Vec<String> = terms
        .iter()
        .zip(factors)
        .map(|(term, factor)| format!("({factor})*({term})"))
        .collect();
    format!("{left} = {}", sum.join(" + "))
}

/// Each term matters: with another sign, without it, or wrong in the seventh digit it is refuted.
#[test]
fn a_wrong_term_in_a_balance_is_refuted() {
    let star = "(x'*D(T_star, x') + y'*D(T_star, y') - T_star)'";
    let mut text = BENT.to_owned();
    let right = SIGNS.map(|sign| sign.to_string());
    for (number, left, terms) in [(30, "E_star'", TERMS_OF_30), (34, star, TERMS_OF_34)] {
        let claim = balance(left, &terms, &right);
        text += &format!("of_{number} = {{ equation = \"{claim}\" }}\n");
        for (place, sign) in SIGNS.iter().enumerate() {
            for (slip, factor) in [("sign", -1.0), ("lost", 0.0), ("digit", 1.000_000_1)] {
                let mut wrong = right.clone();
                wrong[place] = format!("{}", f64::from(*sign) * factor);
                let claim = balance(left, &terms, &wrong);
                text += &format!("{slip}_{place}_{number} = {{ equation = \"{claim}\" }}\n");
            }
        }
    }
    let proof = of_text(&text);
    assert_all_proved(&proof);
    assert_has(&proof, &BALANCE);
    assert_has(&proof, &[WITH_KINETIC]);
    assert_eq!(proof.claims.len(), 32);
    for claim in &proof.claims {
        if claim.name.starts_with("of_") {
            assert!(claim.verdict.is_proved(), "{claim:?}");
        } else {
            let with_witness = matches!(
                &claim.verdict,
                Verdict::Refuted {
                    witness: Some(_),
                    ..
                }
            );
            assert!(with_witness, "{claim:?}");
        }
    }
}

/// Two rows with all velocities squared in both: no velocity enters either of them alone.
#[test]
fn coupled_rows_are_proved() {
    let coupled = |constraints: &str| {
        format!(
            r#"
coordinates = ["x", "y", "z", "w"]
[parameters]
m = 1.5
c = 2.0
h = 0.3
[energy]
kinetic = "m/2*(x'^2 + 2*y'^2 + z'^2 + w'^2) + x*x'*w'/3"
potential = "m*z"
[constraints]
{constraints}
[initial]
state = ["x = 0.5", "y = 0.2", "z = 0.3", "w = 0", "x' = 1", "y' = 1.5"]
[claims]
speed = {{ equation = "x'^2 + y'^2 + z'^2 + w'^2 = c^2" }}
near  = {{ equation = "x'^2 + y'^2 + z'^2 + 1.0000001*w'^2 = c^2", refuted = true }}
power = {{ equation = "E' = power(speed) + power(other)" }}
"#
        )
    };
    let speed = "speed = \"x'^2 + y'^2 + z'^2 + w'^2 = c^2\"";
    for other in [
        "x'^2 - y'^2 + 2*z'^2 - 3*w'^2 + x*x'*y' + z'*w'*(1 + t) = h",
        "x'^2 + 2*y'^2 + 4*z'^2 + w'^2*(1 + x^2) = 3*c^2/2",
        "(x'^2 + y'^2)*z' - w'^3 + x*y'^2 = h",
    ] {
        let text = coupled(&format!("{speed}\nother = \"{other}\""));
        let proof = of_text(&text);
        assert_eq!(
            proof.points, "velocities that satisfy the rows",
            "no parametrisation is given"
        );
        assert!(proof.equivalence.len() >= 6, "{:?}", proof.unavailable);
        assert_all_proved(&proof);
        assert_has(&proof, &BALANCE);
        for claim in &proof.claims {
            assert_eq!(claim.holds, Some(true), "{claim:?}");
        }
    }
}
