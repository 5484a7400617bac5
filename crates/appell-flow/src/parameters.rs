//! The values of a program's last inputs: parameters, and inputs that may vary during a motion.

use crate::drive::Drive;
use appell_expr::{Program, Slot, Statement};
use std::ops::Deref;
use std::sync::Arc;

/// The values of a program's last inputs, to be read as numbers. The last of them may vary: they come from a
/// [`Drive`] wherever a field is evaluated.
#[derive(Debug, Clone, Default)]
pub struct Parameters {
    numbers: Vec<f64>,
    drive: Option<Arc<Drive>>,
}

impl Parameters {
    /// The same with a drive of the last inputs.
    pub fn driven(&self, drive: Arc<Drive>) -> Parameters {
        Parameters {
            numbers: self.numbers.clone(),
            drive: Some(drive),
        }
    }

    /// What drives the last inputs.
    pub fn drive(&self) -> Option<&Arc<Drive>> {
        self.drive.as_ref()
    }

    /// The same without the drive where the program does not read what it gives.
    pub(crate) fn for_program(&self, program: &Program) -> Parameters {
        let read = |drive: &&Arc<Drive>| {
            let end = program.inputs.len() as Slot;
            let first = end - drive.count() as Slot;
            reads(program, |slot| (first..end).contains(&slot))
        };
        Parameters {
            numbers: self.numbers.clone(),
            drive: self.drive.as_ref().filter(read).map(Arc::clone),
        }
    }

    /// How many of them a drive gives.
    pub(crate) fn driven_count(&self) -> usize {
        self.drive.as_ref().map_or(0, |drive| drive.count())
    }

    /// Overwrites the last of some numbers that end with the parameters.
    pub(crate) fn drive_into(&self, t: f64, y: &[f64], numbers: &mut [f64]) {
        if let Some(drive) = &self.drive {
            let first = numbers.len() - drive.count();
            drive.values(t, y, &mut numbers[first..]);
        }
    }
}

/// Whether a program reads a slot of this kind.
fn reads(program: &Program, is_meant: impl Fn(Slot) -> bool) -> bool {
    let outputs = program.outputs.iter().flat_map(|output| &output.slots);
    outputs.copied().any(&is_meant)
        || program.statements.iter().any(|statement| match statement {
            Statement::Let(_, operation) => operation.arguments().into_iter().any(&is_meant),
            Statement::Solve(solve) => solve
                .matrix
                .iter()
                .chain(&solve.right)
                .copied()
                .any(&is_meant),
        })
}

impl Deref for Parameters {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        &self.numbers
    }
}

impl From<Vec<f64>> for Parameters {
    fn from(numbers: Vec<f64>) -> Parameters {
        Parameters {
            numbers,
            drive: None,
        }
    }
}

impl From<&[f64]> for Parameters {
    fn from(numbers: &[f64]) -> Parameters {
        numbers.to_vec().into()
    }
}

impl<const N: usize> From<&[f64; N]> for Parameters {
    fn from(numbers: &[f64; N]) -> Parameters {
        numbers.to_vec().into()
    }
}

impl From<&Vec<f64>> for Parameters {
    fn from(numbers: &Vec<f64>) -> Parameters {
        numbers.clone().into()
    }
}

impl From<&Parameters> for Parameters {
    fn from(parameters: &Parameters) -> Parameters {
        parameters.clone()
    }
}

impl<'a> IntoIterator for &'a Parameters {
    type Item = &'a f64;
    type IntoIter = std::slice::Iter<'a, f64>;

    fn into_iter(self) -> Self::IntoIter {
        self.numbers.iter()
    }
}
