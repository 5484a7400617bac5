//! Stability in the linear approximation, from the eigenvalues of `appell linearize`.

use crate::questions::linearize::{Linearizer, NOT_STEADY};
use crate::states::given_states::State;
use crate::values::prepared::Prepared;

/// States are found to some ten digits: so far the entries of the matrix are known, relative to themselves.
const NEUTRAL: f64 = 1e-8;

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
        Ok(found) => {
            let known = found.uncertainties(NEUTRAL);
            let all: Vec<_> = found.eigenvalues.iter().copied().zip(known).collect();
            by_eigenvalues(&all, family)
        }
        Err(refused) => match refused.to_string().strip_prefix(NOT_STEADY) {
            Some(why) => format!(
                "undecided: {why}; linear equations with constant coefficients need coordinates that move with it"
            ),
            None => format!("undecided: {}", refused),
        },
    }
}

/// Each eigenvalue with the size below which its parts count as zero.
fn by_eigenvalues(eigenvalues: &[((f64, f64), f64)], family: usize) -> String {
    let all = || {
        eigenvalues
            .iter()
            .map(|((re, im), zero)| (*re, re.hypot(*im), *zero))
    };
    let growing = all().filter(|(re, _, zero)| re > zero).count();
    let zeros = all().filter(|(_, size, zero)| size <= zero).count();
    let waves = all().filter(|(re, size, zero)| re.abs() <= *zero && size > zero);
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
