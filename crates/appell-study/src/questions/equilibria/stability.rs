//! Stability in the linear approximation, from the eigenvalues of `appell linearize`.

use crate::questions::linearize::{Linearizer, NOT_STEADY};
use crate::states::given_states::State;
use crate::values::prepared::Prepared;

/// Parts of eigenvalues within this part of the largest one are zero: states are found to some ten
/// digits only, and a double eigenvalue keeps half of them.
const NEUTRAL: f64 = 1e-4;

/// Whether an equilibrium or steady motion in a family of this dimension is stable, in words.
///
/// A positive real part is unstable. If as many eigenvalues vanish as the family has dimensions and all
/// others have negative real parts, the family attracts what is near. Imaginary pairs and further zeros
/// decide nothing.
pub(super) fn stability(
    linearizer: Option<&Linearizer<'_>>,
    p: &Prepared<'_>,
    state: &State,
    family: usize,
) -> String {
    let Some(linearizer) = linearizer else {
        return "undecided: no formalism gives linear equations".to_owned();
    };
    let found = linearizer.place(p, Some(state));
    match found.and_then(|at| linearizer.about(p, at)) {
        Ok(found) => by_eigenvalues(&found.eigenvalues, family),
        Err(refused) => match refused.to_string().strip_prefix(NOT_STEADY) {
            Some(why) => format!(
                "undecided: {why}; linear equations with constant coefficients need coordinates that move with it"
            ),
            None => format!("undecided: {}", refused),
        },
    }
}

fn by_eigenvalues(eigenvalues: &[(f64, f64)], family: usize) -> String {
    let sizes = eigenvalues.iter().map(|(re, im)| re.hypot(*im));
    let neutral = NEUTRAL * sizes.fold(0.0, f64::max);
    let growing = eigenvalues.iter().filter(|(re, _)| *re > neutral).count();
    let zeros = eigenvalues
        .iter()
        .filter(|(re, im)| re.hypot(*im) <= neutral);
    let zeros = zeros.count();
    let waves = eigenvalues.iter();
    let waves = waves.filter(|(re, im)| re.abs() <= neutral && re.hypot(*im) > neutral);
    let count = |n: usize| match n {
        1 => "1 eigenvalue has".to_owned(),
        n => format!("{n} eigenvalues have"),
    };
    match (growing, waves.count()) {
        (0, 0) if zeros <= family && family == 0 => {
            "stable in the linear approximation: all real parts are negative".to_owned()
        }
        (0, 0) if zeros <= family => format!(
            "stable in the linear approximation, up to motions along its family: {zeros} of {} eigenvalues \
             are 0, the other real parts negative",
            eigenvalues.len()
        ),
        (0, 0) => {
            format!("undecided: {zeros} eigenvalues are 0, its family explains {family} of them")
        }
        (0, waves) => format!("undecided: {} the real part 0", count(waves)),
        (growing, _) => format!("unstable: {} a positive real part", count(growing)),
    }
}
