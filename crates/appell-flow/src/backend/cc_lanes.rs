//! Machine code over lanes by the system's C compiler: functions of a motion, and the step of a method with
//! these functions in it, as far as the step is an ordinary one.
#![allow(
    unsafe_code,
    reason = "a library is loaded, and its addresses become functions that are called"
)]

use super::cc::{Contraction, library_of};
use super::lanes_source::{Dialect, Shape, source};
use crate::lane_step::{Advance, Advanced, Begin, Block, Manifold, Trial, Tried};
use crate::lanes::{Bits, Lanes, Mask};
use crate::tableau::Tableau;
use crate::tape::Tape;
use crate::unsupported::Unsupported;
use libloading::Library;

/// `(t, y, p, out)`: the lanes in which a system was refused, as bits.
type Function = unsafe extern "C" fn(*const Lanes, *const Lanes, *const Lanes, *mut Lanes) -> u32;

/// A step as the code takes it; lanes as bits.
#[repr(C)]
struct Step {
    t: *const Lanes,
    h: *const Lanes,
    y: *const Lanes,
    p: *const Lanes,
    rows: *const Lanes,
    largest: *const Lanes,
    slopes: *mut Lanes,
    end: *mut Lanes,
    error: *mut Lanes,
    rows_end: *mut Lanes,
    largest_end: *mut Lanes,
    rtol: f64,
    atol: f64,
    active: u32,
    good: u32,
    strange: u32,
    suspicious: u32,
}

/// What lanes go on with, likewise.
#[repr(C)]
struct Going {
    taken: *const Lanes,
    end: *const Lanes,
    last: *const Lanes,
    error: *const Lanes,
    rows_end: *const Lanes,
    largest_end: *const Lanes,
    t: *mut Lanes,
    h: *mut Lanes,
    y: *mut Lanes,
    slopes: *mut Lanes,
    rows: *mut Lanes,
    largest: *mut Lanes,
    steps: *mut Lanes,
    rejected: *mut Lanes,
    rejected_last: *mut Mask,
    until: f64,
    max_step: f64,
    max_steps: f64,
    good: u32,
    refused: u32,
    arrived: u32,
    brief: u32,
    spent: u32,
}

/// A beginning, likewise.
#[repr(C)]
struct Beginning {
    t: *const Lanes,
    p: *const Lanes,
    y: *mut Lanes,
    slopes: *mut Lanes,
    h: *mut Lanes,
    rows: *mut Lanes,
    largest: *mut Lanes,
    until: f64,
    max_step: f64,
    rtol: f64,
    atol: f64,
    ready: u32,
}

/// The code of a motion over lanes.
pub(crate) struct NativeLanes {
    functions: Vec<Function>,
    step: unsafe extern "C" fn(*mut Step),
    advance: unsafe extern "C" fn(*mut Going),
    begin: unsafe extern "C" fn(*mut Beginning),
    shape: Shape,
    /// Keeps the code in memory.
    _library: Library,
}

impl NativeLanes {
    /// Compiles functions, each of some tapes one after the other: the right-hand side that the steps of the
    /// method are taken with, those of the manifold, others.
    ///
    /// # Errors
    /// In words: no compiler, no place for the cache.
    pub(super) fn new(
        contraction: Contraction,
        functions: &[Vec<Tape>],
        parameters: usize,
        manifold: &Manifold,
        method: &Tableau,
    ) -> Result<NativeLanes, Unsupported> {
        let shape = Shape::of(functions, parameters, manifold, method)
            .ok_or("the functions of the motion read different states")?;
        let text = source(Dialect::Vectors, functions, &shape, manifold, method);
        let library = library_of(contraction, |conditions| conditions.to_owned() + &text)?;
        let words =
            |error: libloading::Error| format!("{} cannot be loaded: {error}", library.display());
        // SAFETY: the library lies in a folder that only the user can write to and was compiled from the
        // source of these very functions, which have these signatures and no initialisers.
        unsafe {
            let library = Library::new(&library).map_err(words)?;
            let function = |k: usize| {
                library
                    .get::<Function>(format!("appell_function_{k}\0").as_bytes())
                    .map(|symbol| *symbol)
                    .map_err(words)
            };
            let functions = (0..functions.len())
                .map(function)
                .collect::<Result<_, _>>()?;
            let advance = *library
                .get::<unsafe extern "C" fn(*mut Going)>(b"appell_advance\0")
                .map_err(words)?;
            let step = *library
                .get::<unsafe extern "C" fn(*mut Step)>(b"appell_step\0")
                .map_err(words)?;
            let begin = *library
                .get::<unsafe extern "C" fn(*mut Beginning)>(b"appell_begin\0")
                .map_err(words)?;
            Ok(NativeLanes {
                functions,
                step,
                advance,
                begin,
                shape,
                _library: library,
            })
        }
    }

    /// Calls the function of this place; the lanes that were refused as bits.
    #[inline(always)]
    pub fn call(
        &self,
        place: usize,
        t: &Lanes,
        y: &[Lanes],
        p: &[Lanes],
        out: &mut [Lanes],
    ) -> Bits {
        let shape = &self.shape;
        let (y, p) = (&y[..shape.state], &p[..shape.parameters]);
        let out = &mut out[..shape.outputs[place]];
        let function = self.functions[place];
        // SAFETY: the function reads and writes as many numbers as the slices have.
        unsafe { function(t, y.as_ptr(), p.as_ptr(), out.as_mut_ptr()) as Bits }
    }

    /// Makes members ready to go on as lanes; those that can.
    #[inline(always)]
    pub fn begin(&self, block: &mut Block, begin: &Begin) -> Bits {
        let shape = &self.shape;
        let (y, p) = (&mut block.y[..shape.state], &block.p[..shape.parameters]);
        let mut beginning = Beginning {
            t: &raw const block.t,
            p: p.as_ptr(),
            y: y.as_mut_ptr(),
            slopes: block.slopes[..shape.state].as_mut_ptr(),
            h: &raw mut block.h,
            rows: block.rows[..shape.rows].as_mut_ptr(),
            largest: &raw mut block.largest,
            until: begin.until,
            max_step: begin.max_step,
            rtol: begin.rtol,
            atol: begin.atol,
            ready: 0,
        };
        // SAFETY: as for a step.
        unsafe { (self.begin)(&raw mut beginning) };
        beginning.ready as Bits
    }

    /// Tries a step in the lanes that are active.
    #[inline(always)]
    pub fn step(&self, trial: &mut Trial<'_>) -> Tried {
        let shape = &self.shape;
        let (y, p) = (&trial.y[..shape.state], &trial.p[..shape.parameters]);
        let slopes = &mut trial.slopes[..shape.state * (shape.stages + 1)];
        let end = &mut trial.end[..shape.state];
        let mut step = Step {
            t: trial.t,
            h: trial.h,
            y: y.as_ptr(),
            p: p.as_ptr(),
            rows: trial.rows[..shape.rows].as_ptr(),
            largest: trial.largest,
            slopes: slopes.as_mut_ptr(),
            end: end.as_mut_ptr(),
            error: trial.error,
            rows_end: trial.rows_end[..shape.rows].as_mut_ptr(),
            largest_end: trial.largest_end,
            rtol: trial.rtol,
            atol: trial.atol,
            active: trial.active.into(),
            good: 0,
            strange: 0,
            suspicious: 0,
        };
        // SAFETY: the function reads and writes as many numbers as the slices have, and one for each lane
        // elsewhere.
        unsafe { (self.step)(&raw mut step) };
        Tried {
            good: step.good as Bits,
            strange: step.strange as Bits,
            suspicious: step.suspicious as Bits,
        }
    }

    /// Takes the steps that are good, shortens those that are refused.
    #[inline(always)]
    pub fn advance(&self, block: &mut Block, advance: &Advance<'_>) -> Advanced {
        let shape = &self.shape;
        let (slopes, last) =
            block.slopes[..shape.state * (shape.stages + 1)].split_at_mut(block.last);
        let end = &block.end[..shape.state];
        let y = &mut block.y[..shape.state];
        let mut going = Going {
            taken: advance.taken,
            end: end.as_ptr(),
            last: last[..shape.state].as_ptr(),
            error: &raw const block.error,
            rows_end: block.rows_end[..shape.rows].as_ptr(),
            largest_end: &raw const block.largest_end,
            t: &raw mut block.t,
            h: &raw mut block.h,
            y: y.as_mut_ptr(),
            slopes: slopes[..shape.state].as_mut_ptr(),
            rows: block.rows[..shape.rows].as_mut_ptr(),
            largest: &raw mut block.largest,
            steps: &raw mut block.steps,
            rejected: &raw mut block.rejected,
            rejected_last: &raw mut block.rejected_last,
            until: advance.until,
            max_step: advance.max_step,
            max_steps: advance.max_steps,
            good: advance.good.into(),
            refused: advance.refused.into(),
            arrived: 0,
            brief: 0,
            spent: 0,
        };
        // SAFETY: as for a step.
        unsafe { (self.advance)(&raw mut going) };
        Advanced {
            arrived: going.arrived as Bits,
            brief: going.brief as Bits,
            spent: going.spent as Bits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lanes::LANES;
    use crate::linear::check::Numbers;
    use crate::method::DOP853;
    use appell_expr::{Function as Name, Operation, Output, Program, Rational, Statement};

    /// `x' = sin x`, and the functions of `x` that the head writes.
    fn functions() -> Option<NativeLanes> {
        let names = [Name::Sin, Name::Cos, Name::Exp, Name::Log, Name::Atan];
        let program = |names: &[Name]| Program {
            inputs: vec!["t".to_owned(), "x".to_owned()],
            statements: (2..)
                .zip(names)
                .map(|(slot, name)| Statement::Let(slot, Operation::Call(*name, Box::new([1]))))
                .collect(),
            outputs: vec![Output {
                name: "values".to_owned(),
                rows: names.len(),
                columns: 1,
                slots: (2..2 + names.len() as u32).collect(),
            }],
            numbers: vec![
                Rational::new(0, 1),
                Rational::new(1, 1),
                Rational::new(-1, 1),
            ],
            slots: 2 + names.len(),
        };
        let tape = |names: &[Name]| vec![Tape::new(&program(names), &[])];
        let manifold = Manifold {
            stages: Vec::new(),
            monitored: None,
        };
        let made = NativeLanes::new(
            Contraction::Allowed,
            &[tape(&names[..1]), tape(&names)],
            0,
            &manifold,
            DOP853.tableau?,
        );
        if let Err(why) = &made {
            println!("not tested here: {why}");
        }
        made.ok()
    }

    /// The distance in units in the last place of `b`.
    fn units(a: f64, b: f64) -> f64 {
        if a == b || a.is_nan() && b.is_nan() {
            return 0.0;
        }
        let unit = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
        (a - b).abs() / unit
    }

    #[test]
    fn elementary_functions_over_lanes_are_the_usual_ones_to_two_units() {
        let Some(native) = functions() else {
            return;
        };
        let mut numbers = Numbers(7);
        let mut arguments: Vec<f64> = (0..40_000)
            .map(|k| match k % 5 {
                0 => 1e5 * numbers.next(),
                1 => 10.0 * numbers.next(),
                2 => 700.0 * numbers.next(),
                3 => 1.0 + 1e-3 * numbers.next(),
                _ => (300.0 * numbers.next()).exp2() * numbers.next(),
            })
            .collect();
        // Next to multiples of a right angle little is left of the argument.
        arguments.extend(
            (0..60_000)
                .step_by(7)
                .map(|k| f64::from(k) * std::f64::consts::FRAC_PI_2),
        );
        let awkward = [
            0.0,
            -0.0,
            1e300,
            -1e22,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        arguments.extend(awkward);
        arguments.extend([
            5e-324, 1e-310, 710.0, -745.1, -800.0, 99_999.999, 100_000.1, 1.0,
        ]);
        for block in arguments.chunks(LANES) {
            let mut x = Lanes::all(0.5);
            x.0[..block.len()].copy_from_slice(block);
            let mut out = [Lanes::default(); 5];
            let refused = native.call(1, &Lanes::all(0.0), &[x], &[], &mut out);
            assert_eq!(refused, 0);
            for (lane, x) in block.iter().enumerate() {
                let wanted = [x.sin(), x.cos(), x.exp(), x.ln(), x.atan()];
                for (out, wanted) in out.iter().zip(wanted) {
                    let off = units(out.0[lane], wanted);
                    assert!(off <= 2.0, "{x:e}: {:e} {wanted:e}, {off}", out.0[lane]);
                }
            }
        }
        // The sign of zero is kept.
        let mut out = [Lanes::default(); 5];
        native.call(1, &Lanes::all(0.0), &[Lanes::all(-0.0)], &[], &mut out);
        assert!(out[0].0[3].is_sign_negative());
    }

    #[test]
    fn what_is_far_away_in_one_lane_does_not_touch_the_others() {
        let Some(native) = functions() else {
            return;
        };
        let mut x = Lanes(std::array::from_fn(|i| 1.37 * i as f64 - 7.5));
        let (mut calm, mut mixed) = ([Lanes::default(); 5], [Lanes::default(); 5]);
        native.call(1, &Lanes::all(0.0), &[x], &[], &mut calm);
        x.0[4] = 1e9;
        native.call(1, &Lanes::all(0.0), &[x], &[], &mut mixed);
        for (calm, mixed) in calm.iter().zip(&mixed) {
            for lane in (0..LANES).filter(|lane| *lane != 4) {
                assert_eq!(calm.0[lane].to_bits(), mixed.0[lane].to_bits());
            }
        }
    }
}
