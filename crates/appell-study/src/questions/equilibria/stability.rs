//! Stability in the linear approximation, from the eigenvalues of `appell linearize`.

use crate::questions::linearize::{Linearizer, NOT_STEADY};
use crate::states::given_states::State;
use crate::values::prepared::Prepared;
use appell_flow::linear::{Growth, Known};

/// States are found to some ten digits: so far the entries of the matrix are known, relative to themselves.
const NEUTRAL: f64 = 1e-8;

/// Whether an equilibrium or steady motion is stable in the linear approximation, in words.
///
/// A positive real part is unstable. If as many eigenvalues vanish as its family is known to have dimensions and all
/// others have negative real parts, the family attracts what is near. Imaginary pairs, further zeros, a family of unknown
/// dimension and eigenvalues whose real part has no known sign decide nothing.
pub(super) fn stability(
    linearizer: Option<&Linearizer<'_>>,
    p: &Prepared<'_>,
    state: &State,
    family: Option<usize>,
) -> String {
    let Some(linearizer) = linearizer else {
        return "undecided: no formalism gives linear equations".to_owned();
    };
    let found = linearizer.place(p, Some(state));
    match found.and_then(|at| linearizer.about(p, at)) {
        Ok(found) => by_eigenvalues(&found.growth(NEUTRAL), family),
        Err(refused) => match refused.to_string().strip_prefix(NOT_STEADY) {
            Some(why) => format!(
                "undecided: {why}; linear equations with constant coefficients need coordinates that move with it"
            ),
            None => format!("undecided: {}", refused),
        },
    }
}

fn by_eigenvalues(eigenvalues: &[Known], family: Option<usize>) -> String {
    let count = |test: fn(&Growth) -> bool| {
        let all = eigenvalues.iter().map(|known| known.growth);
        all.filter(test).count()
    };
    let growing = count(|growth| *growth == Growth::Grows);
    let open = count(|growth| *growth == Growth::Open);
    let waves = count(|growth| matches!(growth, Growth::Oscillates | Growth::Multiple));
    let zeros = count(|growth| *growth == Growth::Zero);
    let have = |n: usize| match n {
        1 => "1 eigenvalue has".to_owned(),
        n => format!("{n} eigenvalues have"),
    };
    match (growing, open, waves) {
        (1.., ..) => format!("unstable: {} a positive real part", have(growing)),
        (0, 1.., _) => format!(
            "undecided: {} a real part of unknown sign, or 0",
            have(open)
        ),
        (0, 0, 1..) => format!("undecided: {} the real part 0", have(waves)),
        (0, 0, 0) => by_zeros(zeros, eigenvalues.len(), family),
    }
}

/// The words where all other eigenvalues have negative real parts.
fn by_zeros(zeros: usize, all: usize, family: Option<usize>) -> String {
    let are = |n: usize| match n {
        1 => "1 eigenvalue is".to_owned(),
        n => format!("{n} eigenvalues are"),
    };
    match family {
        _ if zeros == 0 => {
            "stable in the linear approximation: all real parts are negative".to_owned()
        }
        Some(family) if zeros <= family => format!(
            "stable in the linear approximation, up to motions along its family: {zeros} of {all} eigenvalues are 0, the \
             other real parts negative"
        ),
        Some(family) => format!(
            "undecided: {} 0, its family explains {family} of them",
            are(zeros)
        ),
        None => format!(
            "undecided: {} 0, and how large its family is is not known",
            are(zeros)
        ),
    }
}
