//! What a slip of a source makes of a model: the force with which the right equations become the printed ones.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix};

/// The paper and the place of the slip.
pub const MISPRINT: &str = "Benenti 2007, (7.1) as printed";

/// `M (psi_q psi + psi_t)` in the velocities, a component for each coordinate where it is not zero: the equations of
/// the first kind without this term, as Benenti 2007 prints them in (7.1), are the right ones under this force. Empty
/// where the term vanishes on the constraints.
///
/// # Errors
/// Why the printed equations do not apply to the model, in words.
pub fn misprinted_force(p: &Prepared<'_>) -> Result<Vec<(String, String)>, String> {
    let (system, graph) = (&p.system, p.system.graph);
    let parametric = p.constraints.parametric.as_ref();
    let parametric = parametric.filter(|_| !p.constraints.has_dropped_rows());
    let parametric = parametric.ok_or("(7.1) needs a [motion] that gives the velocities")?;
    let partial = &parametric.partial;
    let is_affine = |x: &Ex<'_>| !parametric.z.iter().any(|z| x.depends_on(*z));
    if !partial.entries().iter().all(is_affine) {
        return Err(
            "the velocities are not linear in the motion variables: these are no functions of the velocities"
                .to_owned(),
        );
    }
    let drift = parametric.psi.map(|x| system.drift(x));
    let at_zero: Vec<_> = parametric.z.iter().map(|z| (*z, graph.zero())).collect();
    let rest = &system.velocity() - &parametric.psi.substitute(&at_zero);
    let z = shortest(partial, &rest).ok_or("there are too many motion variables")?;
    let by: Vec<(Ex<'_>, Ex<'_>)> = parametric.z.iter().copied().zip(z).collect();
    let psi = &parametric.psi;
    let velocities: Vec<_> = system
        .v
        .iter()
        .copied()
        .zip(psi.entries().to_vec())
        .collect();
    let force = &system.mass * &drift;
    // On the constraints, where it acts.
    let acts = &partial.transpose() * &force.substitute(&velocities);
    if acts.is_zero() {
        return Ok(Vec::new());
    }
    let names = p
        .model
        .coordinates
        .iter()
        .map(|coordinate| coordinate.name.clone());
    let force = force.substitute(&by);
    let parts = names.zip(force.entries().iter().copied());
    let parts = parts.filter(|(_, part)| !part.is_zero());
    Ok(parts.map(|(name, part)| (name, part.to_string())).collect())
}

/// The solution `z` of `P z = w` by `(P^T P) z = P^T w`, by determinants; `None` for large ones.
fn shortest<'g>(partial: &Matrix<'g>, right: &Matrix<'g>) -> Option<Vec<Ex<'g>>> {
    let transposed = partial.transpose();
    let (normal, right) = (&transposed * partial, &transposed * right);
    let m = normal.rows();
    let whole = normal.determinant()?;
    let replaced = |k: usize| {
        let before = normal.select_columns(&(0..k).collect::<Vec<_>>());
        let after = normal.select_columns(&(k + 1..m).collect::<Vec<_>>());
        before.beside(&right).beside(&after).determinant()
    };
    (0..m).map(|k| Some(replaced(k)? / whole)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::questions::prove::prove;
    use appell_model::{GivenClaim, Model, read, with_claims, with_forces};

    fn prepared(model: &Model) -> Prepared<'_> {
        Prepared::new(model, &[], &[]).expect("its parameters are right")
    }

    const SLEIGH: &str = r#"
coordinates = ["x", "y", "theta"]
[parameters]
m = 1.2
I = 0.4
a = 0.5
[define]
J = "I + m*a^2"
[energy]
kinetic = "m/2*((x' - a*sin(theta)*theta')^2 + (y' + a*cos(theta)*theta')^2) + I/2*theta'^2"
[constraints]
blade = "x'*sin(theta) - y'*cos(theta) = 0"
[motion]
variables = ["z1", "z2"]
equations = ["x' = z1*cos(theta)", "y' = z1*sin(theta)", "theta' = z2"]
[initial]
state = ["x = 0", "y = 0", "theta = 0", "z1 = 0.3", "z2 = 2"]
"#;

    /// Whether `z2' = ..` is proved of a text.
    fn holds(text: &str, equation: &str) -> bool {
        let claim = GivenClaim {
            name: "printed",
            kind: "equation",
            said: &[equation.to_owned()],
            is_list: false,
            domain: &[],
        };
        let (model, _) = read("m.toml", &with_claims(text, &[claim])).expect("a model");
        prove(&prepared(&model)).claims[0].holds == Some(true)
    }

    #[test]
    fn under_the_force_the_printed_equations_hold() {
        let (model, _) = read("m.toml", SLEIGH).expect("a model");
        let force = misprinted_force(&prepared(&model)).expect("it applies");
        let text = with_forces(SLEIGH, "as printed", &force);
        assert!(holds(&text, "z2' = 0") && holds(&text, "z1' = a*z2^2"));
        assert!(!holds(SLEIGH, "z2' = 0"));
        assert!(holds(SLEIGH, "z2' = -m*a/J*z1*z2"));
    }

    #[test]
    fn where_the_term_vanishes_there_is_no_force() {
        let skate = SLEIGH
            .replace(" - a*sin(theta)*theta'", "")
            .replace(" + a*cos(theta)*theta'", "");
        let (model, _) = read("m.toml", &skate).expect("a model");
        assert_eq!(misprinted_force(&prepared(&model)), Ok(Vec::new()));
        let bare = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n";
        let (model, _) = read("m.toml", bare).expect("a model");
        assert!(misprinted_force(&prepared(&model)).is_err());
    }
}
