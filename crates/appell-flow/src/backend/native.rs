//! Machine code: how it is called, and how it calls back.
#![cfg_attr(
    not(all(feature = "cc", feature = "jit")),
    allow(dead_code, reason = "what makes machine code was left out")
)]
#![allow(unsafe_code, reason = "machine code is called here")]

use crate::evaluation::{EvalError, Workspace};
use crate::functions::solve_numerically;
use crate::linear::Scratch;
use crate::tableau::Tableau;
use crate::tape::{Tape, TapeSolve};
use appell_expr::{Function, elementary};
use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// `(t, y, out, data)`: writes the results to `out`. Not 0 where a system was refused. The data begin with the
/// address of a [`Fallback`].
pub(super) type Entry = unsafe extern "C" fn(f64, *const f64, *mut f64, *mut c_void) -> c_int;

/// `(data, index, work)`: solves the system of this place, its matrix and right side at the beginning of the
/// work area, and leaves the solution there. Not 0 where it is refused.
type Fallback = unsafe extern "C" fn(*mut c_void, u32, *mut f64) -> u32;

/// `(t, h, y, slopes, end, errors, arrives, data)`: takes a step, from `slopes` with the slope at the start on, and
/// where it `arrives` that at the end. Not 0 where a system was refused or a slope is not finite.
pub(super) type TrialEntry = unsafe extern "C" fn(
    f64,
    f64,
    *const f64,
    *mut f64,
    *mut f64,
    *mut f64,
    c_int,
    *mut c_void,
) -> c_int;

/// `(t, y, rows, data)`: writes the Taylor coefficients of the motion through `(t, y)`, a row of all components for each
/// order. Not 0 where a written-out solution does not count.
pub(super) type SeriesEntry = unsafe extern "C" fn(f64, *const f64, *mut f64, *mut c_void) -> c_int;

/// `(t, h, rows, scale, data)`: the root mean square, where it is worst, of what the slope of the polynomials is off over a
/// step from `t`, in units of the scale.
pub(super) type DefectEntry =
    unsafe extern "C" fn(f64, f64, *const f64, *const f64, *mut c_void) -> f64;

/// Code for Taylor series to one order.
pub(super) struct SeriesCode {
    pub entry: SeriesEntry,
    pub defect: DefectEntry,
    pub order: usize,
    /// Keeps the code in memory.
    pub _owner: Box<dyn Any + Send + Sync>,
}

/// Makes the code for series to an order.
pub(super) type MakeSeries = fn(&Tape, usize) -> Option<SeriesCode>;

/// Code for the steps of one method.
pub(super) struct Trial {
    pub entry: TrialEntry,
    /// The number of slopes, those at the start and at the end included.
    pub slopes: usize,
    /// Keeps the code in memory.
    pub _owner: Box<dyn Any + Send + Sync>,
}

/// Makes the code for the steps of a method.
pub(super) type MakeTrial = fn(&Tape, &Tableau) -> Option<Trial>;

/// Machine code for one tape.
pub(super) struct Machine {
    entry: Entry,
    inputs: usize,
    outputs: usize,
    /// The number of systems whose ranks are held during a run.
    held: usize,
    alone: Box<Alone>,
    make_trial: Option<MakeTrial>,
    /// For the method that asked first, which is told by the place of its constants.
    trial: OnceLock<(usize, Option<Trial>)>,
    make_series: Option<MakeSeries>,
    /// By their orders.
    series: Mutex<BTreeMap<usize, Option<Arc<SeriesCode>>>>,
    /// Keeps the code in memory.
    _owner: Box<dyn Any + Send + Sync>,
}

/// The data of a call that knows no run: nothing is written to them, so that many threads may share them.
#[repr(C)]
struct Alone {
    fallback: Fallback,
    solves: Vec<TapeSolve>,
}

/// The data of a call during a run.
#[repr(C)]
pub(super) struct Context<'a> {
    fallback: Fallback,
    solves: &'a [TapeSolve],
    scratch: &'a mut Scratch,
    /// How many ranks were held or found before the call.
    before: usize,
    error: Option<Box<EvalError>>,
}

/// An explicit Runge-Kutta step of length `h` from `(t, y)`.
pub struct ExplicitStep<'a> {
    pub t: f64,
    pub h: f64,
    pub y: &'a [f64],
    /// Rows of the length of `y`; the first is the slope at the start, the others are written.
    pub slopes: &'a mut [f64],
    /// The end of the step is written here.
    pub end: &'a mut [f64],
    /// The finer and the coarser weighted sum of slopes that estimate the error are written here.
    pub errors: &'a mut [f64],
    /// Whether the slope at the end is evaluated too.
    pub arrives: bool,
}

impl Machine {
    /// # Safety
    /// `entry` must be code for `tape`: it reads `inputs - 1` numbers, writes `outputs`, and calls back with the
    /// places of the tape's systems and their matrices and right sides. `owner` must keep it in memory.
    pub unsafe fn new(entry: Entry, tape: &Tape, owner: Box<dyn Any + Send + Sync>) -> Machine {
        let solves = tape.solves.clone();
        Machine {
            entry,
            inputs: tape.inputs - 1,
            outputs: tape.outputs.len(),
            held: solves.iter().filter(|solve| solve.is_consistent()).count(),
            alone: Box::new(Alone {
                fallback: fallback_alone,
                solves,
            }),
            make_trial: None,
            trial: OnceLock::new(),
            make_series: None,
            series: Mutex::default(),
            _owner: owner,
        }
    }

    /// With code for whole steps, made when a method asks for it.
    ///
    /// # Safety
    /// It must be code for the tape of the machine and the tableau that it is given, and its number of slopes.
    pub unsafe fn with_trials(self, make: MakeTrial) -> Machine {
        Machine {
            make_trial: Some(make),
            ..self
        }
    }

    /// With code for Taylor series, made when a method asks for it.
    ///
    /// # Safety
    /// It must be code for the tape of the machine and the order that it is given.
    pub unsafe fn with_series(self, make: MakeSeries) -> Machine {
        Machine {
            make_series: Some(make),
            ..self
        }
    }

    /// The code for Taylor series to an order, where there is such code.
    pub fn series(&self, order: usize, tape: &Tape) -> Option<Arc<SeriesCode>> {
        let make = self.make_series?;
        let mut all = self.series.lock().unwrap_or_else(PoisonError::into_inner);
        let code = all.entry(order);
        code.or_insert_with(|| make(tape, order).map(Arc::new))
            .clone()
    }

    /// Writes the Taylor coefficients of the motion through `(t, y)` to rows; whether all written-out solutions count.
    pub fn expand(
        &self,
        code: &SeriesCode,
        scratch: &mut Scratch,
        (t, y): (f64, &[f64]),
        rows: &mut Vec<f64>,
    ) -> bool {
        rows.resize(self.outputs * (code.order + 1), 0.0);
        let y = &y[..self.inputs.max(self.outputs)];
        let mut context = self.context(scratch);
        let data = (&raw mut context).cast::<c_void>();
        // SAFETY: the slices have the lengths that the code was made for (see `with_series`).
        let answer = unsafe { (code.entry)(t, y.as_ptr(), rows.as_mut_ptr(), data) };
        if answer == 0 && self.held > 0 && context.scratch.holds() {
            context.pass(usize::MAX);
        }
        answer == 0
    }

    /// By how much the slope of the polynomials with these coefficients is off over a step of length `h` from `t`.
    pub fn defect(
        &self,
        code: &SeriesCode,
        scratch: &mut Scratch,
        (t, h): (f64, f64),
        rows: &[f64],
        scale: &[f64],
    ) -> f64 {
        let rows = &rows[..self.outputs * (code.order + 1)];
        let scale = &scale[..self.outputs];
        let mut context = self.context(scratch);
        let data = (&raw mut context).cast::<c_void>();
        // SAFETY: the slices have the lengths that the code was made for (see `with_series`).
        unsafe { (code.defect)(t, h, rows.as_ptr(), scale.as_ptr(), data) }
    }

    /// The code for the steps of a method, where there is such code.
    pub fn trial(&self, tableau: &'static Tableau, tape: &Tape) -> Option<&Trial> {
        let make = self.make_trial?;
        let name = std::ptr::from_ref(tableau) as usize;
        let (made, trial) = self.trial.get_or_init(|| (name, make(tape, tableau)));
        trial.as_ref().filter(|_| *made == name)
    }

    /// Calls the code for a step; whether no system was refused and all slopes are finite.
    #[inline]
    pub fn call_trial(
        &self,
        trial: &Trial,
        context: &mut Context,
        step: &mut ExplicitStep<'_>,
    ) -> bool {
        let ExplicitStep { t, h, y, .. } = *step;
        let n = self.outputs;
        let (y, end) = (&y[..n], &mut step.end[..n]);
        let slopes = &mut step.slopes[..n * trial.slopes];
        let errors = &mut step.errors[..2 * n];
        let data = (&raw mut *context).cast::<c_void>();
        // SAFETY: the slices have the lengths that the code was made for (see `with_trials`).
        let answer = unsafe {
            (trial.entry)(
                t,
                h,
                y.as_ptr(),
                slopes.as_mut_ptr(),
                end.as_mut_ptr(),
                errors.as_mut_ptr(),
                c_int::from(step.arrives),
                data,
            )
        };
        answer == 0
    }

    /// The code and the data that it is to be called with where there is no run. Whoever calls it must not
    /// outlive the machine.
    pub fn plain(&self) -> (Entry, *const c_void) {
        (self.entry, (&raw const *self.alone).cast())
    }

    /// How many components are read and how many written.
    pub fn sizes(&self) -> (usize, usize) {
        (self.inputs, self.outputs)
    }

    /// Runs the code; the ranks that the scratch holds must be full.
    #[inline]
    pub fn eval(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
        out: &mut [f64],
    ) -> Result<(), Box<EvalError>> {
        let mut context = self.context(&mut workspace.linear);
        if !self.call(&mut context, t, y, out) {
            return Err(context.refused());
        }
        if self.held > 0 && context.scratch.holds() {
            context.pass(usize::MAX);
        }
        Ok(())
    }

    /// What the code is given during a run.
    #[inline]
    pub fn context<'a>(&'a self, scratch: &'a mut Scratch) -> Context<'a> {
        Context {
            fallback: fallback_in_run,
            solves: &self.alone.solves,
            before: scratch.calls(),
            scratch,
            error: None,
        }
    }

    /// Calls the code; whether no system was refused.
    #[inline(always)]
    pub fn call(&self, context: &mut Context, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        let (y, out) = (&y[..self.inputs], &mut out[..self.outputs]);
        let data = (&raw mut *context).cast::<c_void>();
        // SAFETY: the slices have the lengths of the tape that the code is for (see `new`).
        unsafe { (self.entry)(t, y.as_ptr(), out.as_mut_ptr(), data) == 0 }
    }
}

impl Context<'_> {
    /// Takes the place of the systems with held ranks before the system `index`: those that were solved
    /// directly are regular.
    fn pass(&mut self, index: usize) {
        self.scratch.rewind_to(self.before);
        let solves = self.solves.iter().take(index);
        for solve in solves.filter(|solve| solve.is_consistent()) {
            self.scratch.regular(solve.statement.size);
        }
    }

    /// Why the call was refused.
    #[cold]
    fn refused(&mut self) -> Box<EvalError> {
        self.error.take().unwrap_or_else(|| {
            Box::new(EvalError::NotFinite {
                what: "a linear system".to_owned(),
            })
        })
    }
}

/// Solves a system whose matrix and right side lie in the work area, and leaves the solution there.
///
/// # Safety
/// The work area must be as long as both, and nobody else may refer to it.
unsafe fn solve(solve: &TapeSolve, work: *mut f64, scratch: &mut Scratch) -> Result<(), EvalError> {
    let (squares, rows) = (solve.matrix.len(), solve.right.len());
    // SAFETY: see above.
    let work = unsafe { std::slice::from_raw_parts_mut(work, squares + rows) };
    let (matrix, right) = work.split_at(squares);
    let mut right = right.to_vec();
    solve_numerically(&solve.statement, matrix, &mut right, scratch)?;
    work[..rows].copy_from_slice(&right);
    Ok(())
}

unsafe extern "C" fn fallback_in_run(data: *mut c_void, index: u32, work: *mut f64) -> u32 {
    // SAFETY: machine code hands on the context that it was given, which nobody else refers to during the
    // call, and a work area for the system of this place.
    unsafe {
        let context = &mut *data.cast::<Context>();
        context.pass(index as usize);
        match solve(&context.solves[index as usize], work, context.scratch) {
            Ok(()) => 0,
            Err(error) => {
                context.error = Some(Box::new(error));
                1
            }
        }
    }
}

unsafe extern "C" fn fallback_alone(data: *mut c_void, index: u32, work: *mut f64) -> u32 {
    // SAFETY: machine code hands on the data of `Machine::plain`, to which nobody writes, and a work area for
    // the system of this place.
    unsafe {
        let alone = &*data.cast_const().cast::<Alone>();
        let solved = solve(&alone.solves[index as usize], work, &mut Scratch::default());
        u32::from(solved.is_err())
    }
}

/// Writes the sine and the cosine of `x` to two numbers at `out`.
pub(super) extern "C" fn sin_cos(x: f64, out: *mut f64) {
    let (sin, cos) = elementary::sin_cos(x);
    // SAFETY: machine code gives the place of two numbers on its stack.
    unsafe {
        out.write(sin);
        out.add(1).write(cos);
    }
}

/// `x ^ y`
pub(super) extern "C" fn power(x: f64, y: f64) -> f64 {
    elementary::power(x, y)
}

/// A function with the address that machine code calls; those of one argument pass over the second.
macro_rules! function {
    ($f:ident) => {{
        extern "C" fn f(x: f64, y: f64) -> f64 {
            Function::$f.value(x, y)
        }
        f as *const () as usize
    }};
}

/// The address of a function.
pub(super) fn address(f: Function) -> usize {
    match f {
        Function::Sin => function!(Sin),
        Function::Cos => function!(Cos),
        Function::Tan => function!(Tan),
        Function::Asin => function!(Asin),
        Function::Acos => function!(Acos),
        Function::Atan => function!(Atan),
        Function::Sinh => function!(Sinh),
        Function::Cosh => function!(Cosh),
        Function::Tanh => function!(Tanh),
        Function::Exp => function!(Exp),
        Function::Log => function!(Log),
        Function::Abs => function!(Abs),
        Function::Sign => function!(Sign),
        Function::Atan2 => function!(Atan2),
        Function::Min => function!(Min),
        Function::Max => function!(Max),
    }
}

#[cfg(test)]
mod tests {
    //! Functions of Rust stand for machine code, so that Miri can follow every pointer.

    use super::super::entry::CFunction;
    use super::*;
    use crate::method::DOP853;
    use appell_expr::{Output, Program, Rational, SlotSolve, SolveKind, Statement};
    use std::slice;

    /// `(1 t; t 1) x = (y1, y2)` for `x`.
    fn tape(kind: SolveKind) -> Tape {
        let program = Program {
            inputs: ["t", "one", "y1", "y2"].map(str::to_owned).to_vec(),
            statements: vec![Statement::Solve(SlotSolve {
                name: "x".to_owned(),
                kind,
                size: 2,
                columns: 1,
                matrix: vec![1, 0, 0, 1],
                right: vec![2, 3],
                unknowns: 4,
            })],
            outputs: vec![Output {
                name: "x".to_owned(),
                rows: 2,
                columns: 1,
                slots: vec![4, 5],
            }],
            numbers: [0, 1, -1].map(|x| Rational::new(x, 1)).to_vec(),
            slots: 6,
        };
        Tape::new(&program, &[])
    }

    fn machine(kind: SolveKind) -> Machine {
        // SAFETY: `solution` reads three numbers, writes two and calls back with the only system of the tape.
        unsafe { Machine::new(solution, &tape(kind), Box::new(())) }
    }

    unsafe extern "C" fn solution(
        t: f64,
        y: *const f64,
        out: *mut f64,
        data: *mut c_void,
    ) -> c_int {
        // SAFETY: the caller hands over three numbers, two places and data that begin with a fallback.
        unsafe {
            let (y, out) = (
                slice::from_raw_parts(y, 3),
                slice::from_raw_parts_mut(out, 2),
            );
            let fallback = *data.cast::<Fallback>();
            let mut work = [y[0], t, t, y[0], y[1], y[2]];
            let answer = fallback(data, 0, work.as_mut_ptr());
            out.copy_from_slice(&work[..2]);
            answer as c_int
        }
    }

    #[test]
    fn systems_are_solved_by_calling_back() {
        for kind in [SolveKind::General, SolveKind::OfRows { unique: 2 }] {
            let machine = machine(kind);
            let mut workspace = Workspace::default();
            workspace.linear.hold_ranks();
            for t in [0.0, 0.5] {
                workspace.linear.rewind();
                let mut out = [f64::NAN; 2];
                let y = [1.0, 1.0 + 2.0 * t, 2.0 + t];
                let answer = machine.eval(&mut workspace, t, &y, &mut out);
                assert!(answer.is_ok(), "{kind:?} {answer:?}");
                assert!((out[0] - 1.0).abs() + (out[1] - 2.0).abs() < 1e-15);
            }
            let refused = machine.eval(&mut workspace, 1.0, &[1.0, 1.0, 2.0], &mut [0.0; 2]);
            let why = refused.map_err(|why| why.to_string());
            assert!(why.is_err_and(|why| why.contains('x')));
        }
    }

    #[test]
    fn threads_share_a_function_that_knows_no_run() {
        let machine = machine(SolveKind::OfRows { unique: 2 });
        let function = CFunction::new(&machine);
        std::thread::scope(|scope| {
            for t in [0.0, 0.25, 0.5] {
                scope.spawn(move || {
                    let mut out = [0.0; 2];
                    assert!(function.call(t, &[1.0, 1.0, t], &mut out));
                    assert!((out[0] - 1.0).abs() + out[1].abs() < 1e-15);
                    assert!(!function.call(1.0, &[1.0, 1.0, 2.0], &mut out));
                });
            }
        });
    }

    /// Writes to the last place.
    unsafe extern "C" fn coefficients(
        _: f64,
        y: *const f64,
        rows: *mut f64,
        _: *mut c_void,
    ) -> c_int {
        // SAFETY: three components of which two are results, orders 0 to 3.
        unsafe { rows.add(7).write(*y.add(2)) };
        0
    }

    /// Reads the last places.
    unsafe extern "C" fn defect(
        _: f64,
        h: f64,
        rows: *const f64,
        scale: *const f64,
        _: *mut c_void,
    ) -> f64 {
        // SAFETY: as above.
        unsafe { h * *rows.add(7) / *scale.add(1) }
    }

    #[test]
    fn series_are_written_and_read_to_their_ends() {
        let machine = machine(SolveKind::General);
        let code = SeriesCode {
            entry: coefficients,
            defect,
            order: 3,
            _owner: Box::new(()),
        };
        let (mut scratch, mut rows) = (Scratch::default(), Vec::new());
        assert!(machine.expand(&code, &mut scratch, (0.0, &[1.0, 2.0, 3.0]), &mut rows));
        assert_eq!(rows, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
        let off = machine.defect(&code, &mut scratch, (0.0, 0.5), &rows, &[1.0, 2.0]);
        assert_eq!(off, 0.75);
    }

    /// Writes to the last place of each part.
    unsafe extern "C" fn step(
        _: f64,
        h: f64,
        y: *const f64,
        slopes: *mut f64,
        end: *mut f64,
        errors: *mut f64,
        arrives: c_int,
        _: *mut c_void,
    ) -> c_int {
        // SAFETY: two components, two slopes.
        unsafe {
            end.add(1).write(*y.add(1) + h * *slopes.add(1));
            slopes.add(3).write(f64::from(arrives));
            errors.add(3).write(h);
        }
        0
    }

    #[test]
    fn steps_write_where_the_method_reads() {
        let trial: MakeTrial = |_, _| {
            Some(Trial {
                entry: step,
                slopes: 2,
                _owner: Box::new(()),
            })
        };
        // SAFETY: `step` is written for two components and two slopes.
        let machine = unsafe { machine(SolveKind::General).with_trials(trial) };
        let tape = tape(SolveKind::General);
        let tableau = DOP853.tableau.expect("a Runge-Kutta method");
        let trial = machine.trial(tableau, &tape).expect("made above");
        let (mut slopes, mut end, mut errors) = ([0.0, 3.0, 0.0, 0.0], [0.0; 2], [0.0; 4]);
        let mut scratch = Scratch::default();
        let mut step = ExplicitStep {
            t: 0.0,
            h: 0.5,
            y: &[1.0, 2.0],
            slopes: &mut slopes,
            end: &mut end,
            errors: &mut errors,
            arrives: true,
        };
        assert!(machine.call_trial(trial, &mut machine.context(&mut scratch), &mut step));
        assert_eq!((end[1], slopes[3], errors[3]), (3.5, 1.0, 0.5));
    }

    #[test]
    fn functions_are_called_by_their_addresses() {
        for (f, name, _) in Function::TABLE {
            let place = std::ptr::with_exposed_provenance::<()>(address(f));
            // SAFETY: it is the address of a function of this type.
            let call: extern "C" fn(f64, f64) -> f64 = unsafe { std::mem::transmute(place) };
            // Miri rounds elementary functions at random.
            assert!(
                (call(0.25, 0.5) - f.value(0.25, 0.5)).abs() < 1e-14,
                "{name}"
            );
        }
        let mut both = [0.0; 2];
        sin_cos(0.25, both.as_mut_ptr());
        assert!((both[0] - 0.25_f64.sin()).abs() + (both[1] - 0.25_f64.cos()).abs() < 1e-14);
        assert!((power(3.0, 2.0) - 9.0).abs() < 1e-14);
    }
}
