//! What eigenvalues say of an equilibrium or a steady motion, in words.

use super::Linearization;
use crate::questions::least_energy::BY_ENERGY;
use appell_flow::linear::{Growth, Known};

/// Entries of the matrix are known to this part of themselves: parts of eigenvalues that it moves past 0 count as zero in
/// words.
const NEUTRAL: f64 = 1e-9;

impl Linearization {
    /// What is known of each eigenvalue.
    pub fn known(&self) -> Vec<Known> {
        self.growth(NEUTRAL)
    }

    /// Whether the motion is stable as far as the linear equations tell, in words.
    pub fn stability(&self) -> String {
        let known: Vec<Growth> = self.known().iter().map(|known| known.growth).collect();
        let count = |growth: Growth| known.iter().filter(|other| **other == growth).count();
        let unstable = count(Growth::Grows);
        let (open, multiple) = (count(Growth::Open), count(Growth::Multiple));
        let (pairs, zeros) = (count(Growth::Oscillates), count(Growth::Zero));
        let all = known.len();
        match (unstable, open, multiple, pairs) {
            _ if all == 0 => "rigid: no degrees of freedom remain".to_owned(),
            _ if self.has_least_energy => BY_ENERGY.to_owned(),
            (1.., ..) => {
                format!("unstable: {unstable} of {all} eigenvalues have a positive real part")
            }
            (_, 1.., ..) => format!(
                "undecided: the real parts of {open} of {all} eigenvalues may be positive, negative or 0 as far as \
                 they are known"
            ),
            (_, _, 1.., _) => "undecided: imaginary eigenvalues are multiple, or nearly so, and \
                               their oscillations may grow with the time"
                .to_owned(),
            (_, _, _, 1..) => {
                let beside = match zeros > 1 {
                    true => format!(
                        ", beside {zeros} eigenvalues that are 0, where deviations may stay or grow with the time"
                    ),
                    false => String::new(),
                };
                format!(
                    "neutral: oscillations that neither grow nor decay to first order{beside}; the nonlinear terms decide"
                )
            }
            _ if zeros == 0 => "stable: every small deviation decays".to_owned(),
            _ => {
                let others = match zeros == all {
                    true => "",
                    false => ", the other real parts negative",
                };
                format!(
                    "undecided: {zeros} of {all} eigenvalues are 0{others}: zeros belong to neighbouring steady \
                     motions and to coordinates that the equations ignore, or the nonlinear terms decide"
                )
            }
        }
    }
}
