//! Sines and cosines side by side, in C: those of a tape whose arguments need nothing but arithmetic.

use crate::tape::{Op, Tape};
use std::fmt::Write as _;

/// Vectors `V` of so many numbers, `I` and `M` of as many integers and choices, and `near_sin_cos` of them.
pub(super) fn vectors(width: usize) -> String {
    let bytes = 8 * width;
    format!(
        "typedef double V __attribute__((vector_size({bytes}), aligned({bytes})));\n\
         typedef long long M __attribute__((vector_size({bytes}), aligned({bytes})));\n{}{}",
        include_str!("vectors.c"),
        include_str!("sin_cos.c")
    )
}

/// The angles of a tape.
#[derive(Default)]
pub(super) struct Angles {
    /// The places of their operations, each a [`Op::SinCos`].
    places: Vec<usize>,
    /// Whether the operation of a place is one of them or is needed for them.
    early: Vec<bool>,
}

impl Angles {
    /// Finds them: their arguments are inputs, or sums and products of such.
    pub fn of(tape: &Tape) -> Angles {
        let first = tape.first();
        let mut ready = Vec::with_capacity(tape.ops.len());
        let mut places = Vec::new();
        for (place, op) in tape.ops.iter().enumerate() {
            let known = |register: u32| {
                let place = (register as usize).checked_sub(first);
                place.is_none_or(|place| ready[place])
            };
            let all_known = operands(*op).is_some_and(|x| x.into_iter().all(known));
            match op {
                Op::SinCos(x) if known(*x) => {
                    places.push(place);
                    ready.push(false);
                }
                _ => ready.push(all_known),
            }
        }
        let mut early = vec![false; tape.ops.len()];
        for place in &places {
            early[*place] = true;
        }
        for place in (0..tape.ops.len()).rev().filter(|_| !places.is_empty()) {
            if let (true, Some(operands)) = (early[place], arguments(tape.ops[place])) {
                let operands = operands
                    .into_iter()
                    .filter_map(|x| (x as usize).checked_sub(first));
                operands.for_each(|operand| early[operand] = true);
            }
        }
        Angles { places, early }
    }

    /// The numbers in a vector, none where there are no angles.
    pub fn width(&self) -> Option<usize> {
        match self.places.len() {
            0 => None,
            1 | 2 => Some(2),
            3 | 4 => Some(4),
            _ => Some(8),
        }
    }

    /// Whether an operation is written before all others.
    pub fn is_early(&self, place: usize) -> bool {
        self.early.get(place).is_some_and(|early| *early)
    }

    /// The statements of the angles, by what their arguments are called.
    pub fn write(&self, text: &mut String, tape: &Tape, read: impl Fn(u32) -> String) {
        let Some(width) = self.width() else { return };
        for (k, group) in self.places.chunks(width).enumerate() {
            let angles = group.iter().filter_map(|place| match tape.ops[*place] {
                Op::SinCos(x) => Some((tape.first() + place, read(x))),
                _ => None,
            });
            let angles: Vec<(usize, String)> = angles.collect();
            let all = |form: &dyn Fn(usize, usize, &str) -> String, between: &str| {
                let numbered = angles.iter().enumerate();
                let forms: Vec<String> = numbered.map(|(i, (r, x))| form(i, *r, x)).collect();
                forms.join(between)
            };
            let arguments = all(&|_, _, x| x.to_owned(), ", ");
            let values = all(
                &|i, r, _| format!("r{r} = s{k}[{i}], r{} = c{k}[{i}]", r + 1),
                ", ",
            );
            let near = all(&|_, _, x| format!("(fabs({x}) <= LARGEST_ANGLE)"), " & ");
            let far = all(
                &|_, r, x| format!("r{r} = sin({x}), r{} = cos({x});", r + 1),
                " ",
            );
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "  const V x{k} = {{{arguments}}};\n  V s{k}, c{k};\n  near_sin_cos(x{k}, &s{k}, &c{k});\n  double {values};\n  \
                 if (__builtin_expect(!({near}), 0)) {{ {far} }}"
            );
        }
    }
}

/// What an operation of arithmetic reads; none for others.
fn operands(op: Op) -> Option<Vec<u32>> {
    match op {
        Op::Neg(x) | Op::Abs(x) | Op::Sqrt(x) | Op::OrZero(x) => Some(vec![x]),
        Op::Add(x, y) | Op::Sub(x, y) | Op::Mul(x, y) | Op::Div(x, y) => Some(vec![x, y]),
        Op::Power(..) | Op::Call(..) | Op::SinCos(_) | Op::Solve(_) | Op::Part => None,
    }
}

/// The same, and what an angle reads.
fn arguments(op: Op) -> Option<Vec<u32>> {
    match op {
        Op::SinCos(x) => Some(vec![x]),
        _ => operands(op),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{BACKENDS, Compiled};
    use crate::evaluation::Workspace;
    use crate::field::Field;

    /// Sines and cosines of ten inputs, of a sum of two, and of a sine.
    fn tape() -> Tape {
        let mut ops: Vec<Op> = (1..=10).flat_map(|x| [Op::SinCos(x), Op::Part]).collect();
        let first = 11;
        let next = |ops: &[Op]| first + ops.len() as u32;
        let sum = next(&ops);
        ops.extend([Op::Add(1, 2), Op::SinCos(sum), Op::Part]);
        ops.extend([Op::SinCos(first), Op::Part]);
        let outputs = (first..next(&ops)).filter(|x| *x != sum).collect();
        Tape {
            inputs: 11,
            constants: Vec::new(),
            ops,
            solves: Vec::new(),
            outputs,
        }
    }

    #[test]
    fn arguments_of_functions_are_not_early() {
        let (tape, angles) = (tape(), Angles::of(&tape()));
        assert_eq!(angles.places.len(), 11);
        let nested = tape.ops.len() - 2;
        assert!(!angles.is_early(nested) && angles.is_early(nested - 3));
        assert_eq!(angles.width(), Some(8));
    }

    /// In two vectors, beside numbers out of the range of the series.
    #[test]
    fn angles_side_by_side_are_those_alone_to_a_unit() {
        let backend = BACKENDS.iter().find(|backend| backend.id == "cc");
        let Ok(compiled) = Compiled::new(tape(), backend.expect("it is in the table")) else {
            println!("not tested here: no C compiler");
            return;
        };
        let usual = [0.3, -0.7, 2.0, -9.0, 1e-9, 0.0, 100.0, 1.5, -3.1, 7.7];
        let far = [1e7, -0.7, 2.0, f64::NAN, 1e-9, -0.0, 100.0, 1.5, -3.1, 2e9];
        for y in [usual, far] {
            let mut out = vec![0.0; compiled.outputs()];
            let answer = compiled.eval(&mut Workspace::default(), 0.0, &y, &mut out);
            assert!(answer.is_ok());
            let x = y.into_iter().chain([y[0] + y[1], y[0].sin()]);
            for (x, found) in x.zip(out.chunks(2)) {
                for (found, wanted) in found.iter().zip([x.sin(), x.cos()]) {
                    let near = (found - wanted).abs() <= 2.3e-16;
                    assert!(
                        near || found.is_nan() && wanted.is_nan(),
                        "{x}: {found} {wanted}"
                    );
                }
            }
        }
    }
}
