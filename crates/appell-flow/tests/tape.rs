//! Tapes and machine code give what the interpreter gives, on programs without pattern.

use appell_expr::{
    Function, Operation, Output, Program, Rational, SlotSolve, SolveKind, Statement,
};
use appell_flow::backend::{AUTO, CC_EXACT, INTERP, JIT};
use appell_flow::method::DOP853;
use appell_flow::{
    Backend, Compiled, Control, EvalError, Field, Interpreter, Measured, Motion, Options, Tape,
    Workspace, integrate,
};
use proptest::prelude::*;

const STATE: usize = 4;
const PARAMETERS: [f64; 2] = [0.7, -1.3];
const KINDS: [SolveKind; 5] = [
    SolveKind::PositiveDefinite,
    SolveKind::Symmetric,
    SolveKind::General,
    SolveKind::Chosen,
    SolveKind::OfRows { unique: 1 },
];

/// A program in the making.
struct Draft {
    program: Program,
    next: u32,
    /// What later statements may use: no exact zeros, for what is multiplied by one is dropped.
    usable: Vec<u32>,
}

impl Draft {
    fn new() -> Draft {
        let names = ["t", "a", "b", "c", "d", "p", "q"].map(str::to_owned);
        let numbers = [(0, 1), (1, 1), (-1, 1), (3, 1), (1, 2), (-5, 4)];
        Draft {
            next: names.len() as u32,
            usable: (0..names.len() as u32).collect(),
            program: Program {
                inputs: names.to_vec(),
                numbers: numbers.map(|(n, d)| Rational::new(n, d)).to_vec(),
                ..Program::default()
            },
        }
    }

    fn push(&mut self, operation: Operation) -> u32 {
        self.program
            .statements
            .push(Statement::Let(self.next, operation));
        if !matches!(
            self.program.statements.last(),
            Some(Statement::Let(_, Operation::Number(_)))
        ) {
            self.usable.push(self.next);
        }
        self.next += 1;
        self.next - 1
    }

    /// `3 + x^2`
    fn large(&mut self, x: u32) -> u32 {
        let square = self.push(Operation::Product(Box::new([(x, Rational::new(2, 1))])));
        self.push(Operation::Sum(3, Box::new([(square, Program::ONE)])))
    }

    /// A symmetric matrix with a large diagonal; a repeated row makes it singular.
    fn solve(
        &mut self,
        kind: SolveKind,
        size: usize,
        singular: bool,
        mut pick: impl FnMut() -> u32,
    ) {
        let mut matrix = vec![0; size * size];
        for i in 0..size {
            matrix[i * size + i] = self.large(pick());
            for j in 0..i {
                let entry = if pick().is_multiple_of(3) {
                    self.push(Operation::Number(Program::ZERO))
                } else {
                    self.push(Operation::Call(Function::Sin, Box::new([pick()])))
                };
                (matrix[i * size + j], matrix[j * size + i]) = (entry, entry);
            }
        }
        if singular && size > 1 {
            // The second row, then the second column, as the first.
            matrix.copy_within(..size, size);
            (0..size).for_each(|i| matrix[i * size + 1] = matrix[i * size]);
        }
        let right: Vec<u32> = (0..size).map(|_| pick()).collect();
        self.program.statements.push(Statement::Solve(SlotSolve {
            name: "x".to_owned(),
            kind,
            size,
            columns: 1,
            matrix,
            right,
            unknowns: self.next,
        }));
        self.usable.extend(self.next..self.next + size as u32);
        self.next += size as u32;
    }

    fn statement(&mut self, seed: u32) {
        let mut state = u64::from(seed) << 20 | 1;
        let usable = self.usable.clone();
        let mut pick = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usable[(state >> 33) as usize % usable.len()]
        };
        let exponents = [
            (1, 1),
            (2, 1),
            (-1, 1),
            (3, 1),
            (1, 2),
            (-3, 2),
            (2, 3),
            (-2, 1),
        ];
        match seed % 9 {
            0..3 => {
                let terms = (0..1 + seed / 9 % 3).map(|k| (pick(), 1 + (seed / 27 + k) % 5));
                let terms = terms.collect();
                self.push(Operation::Sum(seed / 81 % 6, terms));
            }
            3..6 => {
                let factors = (0..1 + seed / 9 % 3).map(|k| {
                    let (n, d) = exponents[(seed / 27 + k) as usize % exponents.len()];
                    (pick(), Rational::new(n, d))
                });
                let factors = factors.collect();
                self.push(Operation::Product(factors));
            }
            6 => {
                let (f, _, _) = Function::TABLE[seed as usize / 9 % Function::TABLE.len()];
                let arguments = (0..f.arity()).map(|_| pick()).collect();
                self.push(Operation::Call(f, arguments));
            }
            7 => {
                self.push(Operation::Power(pick(), pick()));
            }
            _ => {
                let kind = KINDS[seed as usize / 9 % 4];
                let size = 1 + seed as usize / 36 % 3;
                self.solve(kind, size, (seed / 108).is_multiple_of(5), pick);
            }
        }
    }

    fn finish(mut self) -> Program {
        let slots: Vec<u32> = (0..self.next).collect();
        self.program.slots = self.next as usize;
        self.program.outputs = vec![Output {
            name: "all".to_owned(),
            rows: slots.len(),
            columns: 1,
            slots,
        }];
        self.program
    }
}

fn program(seeds: &[u32]) -> Program {
    let mut draft = Draft::new();
    seeds.iter().for_each(|seed| draft.statement(*seed));
    draft.finish()
}

fn value(field: &dyn Field, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
    let mut out = vec![0.0; field.outputs()];
    field.eval(&mut Workspace::default(), t, y, &mut out)?;
    Ok(out)
}

/// The program with regular systems for those that may be singular: what it computes has known sizes.
fn regular(mut program: Program) -> Program {
    for statement in &mut program.statements {
        if let Statement::Solve(solve) = statement
            && matches!(solve.kind, SolveKind::OfRows { .. })
        {
            solve.kind = SolveKind::Symmetric;
        }
    }
    program
}

/// Numbers by their bits; all that are none are the same.
fn bits(values: Result<Vec<f64>, EvalError>) -> Result<Vec<u64>, String> {
    let bits = |x: &f64| if x.is_nan() { u64::MAX } else { x.to_bits() };
    values
        .map(|values| values.iter().map(bits).collect())
        .map_err(|error| error.to_string())
}

fn compiled(tape: &Tape, backend: &Backend) -> Result<Compiled, appell_flow::Unsupported> {
    Compiled::new(tape.clone(), backend)
}

/// What the C function of a compiled tape gives; `None` where it refuses.
fn called(field: &Compiled, t: f64, y: &[f64]) -> Option<Vec<f64>> {
    let function = field.c_function().expect("machine code");
    let mut out = vec![0.0; function.outputs()];
    function.call(t, y, &mut out).then_some(out)
}

fn seeds() -> impl Strategy<Value = (Vec<u32>, [f64; STATE])> {
    let number = || -2.0..2.0_f64;
    (
        prop::collection::vec(0..100_000_u32, 3..20),
        [number(), number(), number(), number()],
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Within 1e-13 of the sizes of the terms, wherever these are known, up to the first undefined result.
    #[test]
    fn a_tape_computes_its_program((seeds, y) in seeds()) {
        let program = program(&seeds);
        let tape = Tape::new(&program, &PARAMETERS);
        let sizes = Interpreter::new(regular(program.clone()), &PARAMETERS).measured(0.4, &y);
        let interpreter = Interpreter::new(program, &PARAMETERS);
        match (interpreter.measured(0.4, &y), value(&tape, 0.4, &y)) {
            // Overflow may meet an infinite pivot on one way and an undefined one on the other.
            (Err(expected), Err(found)) => {
                let is_overflow = |x: &EvalError| matches!(x, EvalError::NotFinite { .. });
                prop_assert!(expected == found || is_overflow(&expected) || is_overflow(&found));
            }
            // What cancels is dropped together with what made it undefined; and a pivot that is rounding beside its
            // terms on one way may be a number on the other.
            (Err(expected), Ok(_)) => {
                let contradicts = matches!(expected, EvalError::Inconsistent { .. });
                prop_assert!(!contradicts, "{expected:?}");
            }
            (Ok(expected), found) => {
                let defined = expected.iter().take_while(|x| x.value.is_finite()).count();
                let Ok(found) = found else {
                    prop_assert!(defined < expected.len(), "{found:?} for {expected:?}");
                    return Ok(());
                };
                let sizes = sizes.unwrap_or_default();
                for (k, (Measured { size, .. }, found)) in sizes.iter().zip(&found).take(defined).enumerate() {
                    let value = expected[k].value;
                    let close = !size.is_finite() || (found - value).abs() <= 1e-13 * size;
                    prop_assert!(close, "result {k}: {found:e} for {value:e}, size {size:e}");
                }
            }
        }
    }

    /// What is evaluated often is interpreted in another order, to the same bits, with ranks held or not.
    #[test]
    fn an_order_by_kinds_gives_the_bits_of_the_tape((seeds, y) in seeds(), holds in prop::bool::ANY) {
        let tape = Tape::new(&program(&seeds), &PARAMETERS);
        let often = compiled(&tape, &INTERP).expect("always there");
        let workspace = || {
            let mut workspace = Workspace::default();
            if holds {
                workspace.linear.hold_ranks();
            }
            workspace
        };
        let (mut one, mut other) = (workspace(), workspace());
        for k in 0..120 {
            let t = 0.1 * f64::from(k);
            let values = |field: &dyn Field, workspace: &mut Workspace| {
                workspace.linear.rewind();
                let mut out = vec![0.0; field.outputs()];
                bits(field.eval(workspace, t, &y, &mut out).map(|()| out).map_err(|error| *error))
            };
            prop_assert_eq!(values(&often, &mut one), values(&tape, &mut other));
        }
    }

    /// Machine code made in memory gives the bits of the interpreted tape.
    #[test]
    fn machine_code_gives_the_bits_of_the_tape((seeds, y) in seeds()) {
        let tape = Tape::new(&program(&seeds), &PARAMETERS);
        let interpreted = bits(value(&compiled(&tape, &INTERP).expect("always there"), 0.4, &y));
        let machine = bits(value(&compiled(&tape, &JIT).expect("this machine is known"), 0.4, &y));
        prop_assert_eq!(machine, interpreted);
    }

    /// So does it as a C function, also where systems are singular.
    #[test]
    fn the_c_function_gives_the_bits_of_the_tape((seeds, y) in seeds()) {
        let tape = Tape::new(&program(&seeds), &PARAMETERS);
        let interpreted = value(&tape, 0.4, &y).ok();
        let field = compiled(&tape, &JIT).expect("this machine is known");
        let bits = |values: Option<Vec<f64>>| values.map(|values| bits(Ok(values)));
        prop_assert_eq!(bits(called(&field, 0.4, &y)), bits(interpreted));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// So does the system's compiler, where contraction is off; a machine without one has no such code.
    #[test]
    fn c_gives_the_bits_of_the_tape((seeds, y) in seeds()) {
        let tape = Tape::new(&program(&seeds), &PARAMETERS);
        let interpreted = bits(value(&tape, 0.4, &y));
        match compiled(&tape, &CC_EXACT) {
            Ok(machine) => prop_assert_eq!(bits(value(&machine, 0.4, &y)), interpreted),
            Err(why) => prop_assert!(why.0.contains("no C compiler") || why.0.contains("no place"), "{why}"),
        }
    }
}

/// The motion `y' = f` whose slopes are the last results of a program, by a backend: its samples by their bits,
/// its account, its outcome.
fn motion(
    program: &Program,
    y: &[f64],
    backend: &Backend,
) -> Result<(Vec<u64>, [usize; 3], String), appell_flow::Unsupported> {
    let mut program = program.clone();
    let slots = &mut program.outputs[0].slots;
    slots.drain(..slots.len() - STATE);
    program.outputs[0].rows = STATE;
    let field = Compiled::new(Tape::new(&program, &PARAMETERS), backend)?;
    let names = ["a", "b", "c", "d"].map(str::to_owned);
    let options = Options {
        until: 0.9,
        rtol: 1e-7,
        atol: 1e-7,
        max_steps: 30,
        samples: vec![0.5, 0.6],
        ..Options::default()
    };
    let free = Motion::free(&names, &field);
    let done = integrate(&free, &DOP853, 0.4, y, &options, &mut Control::default());
    let numbers = done
        .samples
        .iter()
        .flat_map(|sample| [&[sample.t], &sample.y[..]].concat());
    let account = [done.steps, done.rejected, done.rhs_evaluations];
    Ok((
        numbers.map(f64::to_bits).collect(),
        account,
        format!("{:?}", done.outcome),
    ))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A motion whose stages are taken at once is that whose stages are taken one by one, refused ones too.
    #[test]
    fn stages_at_once_give_the_bits_of_stages_one_by_one((seeds, y) in seeds()) {
        let program = program(&seeds);
        prop_assert_eq!(motion(&program, &y, &JIT), motion(&program, &y, &INTERP));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// So it is where the stages of a step are one function.
    #[test]
    fn a_step_in_c_gives_the_bits_of_stages_one_by_one((seeds, y) in seeds()) {
        let program = program(&seeds);
        match motion(&program, &y, &CC_EXACT) {
            Ok(found) => prop_assert_eq!(Ok(found), motion(&program, &y, &INTERP)),
            Err(why) => prop_assert!(why.0.contains("no C compiler") || why.0.contains("no place"), "{why}"),
        }
    }
}

/// A system of the program that is evaluated along a run keeps the rank of its start, in machine code too.
#[test]
fn held_ranks_are_kept_by_machine_code() {
    let mut draft = Draft::new();
    // A regular system before it has a rank of its own: [a, p; p, b] X = (d, d), [a, b; b, c] X = (d, d).
    for matrix in [vec![1, 5, 5, 2], vec![1, 2, 2, 3]] {
        draft.program.statements.push(Statement::Solve(SlotSolve {
            name: "x".to_owned(),
            kind: SolveKind::OfRows { unique: 0 },
            size: 2,
            columns: 1,
            matrix,
            right: vec![4, 4],
            unknowns: draft.next,
        }));
        draft.next += 2;
    }
    let tape = Tape::new(&draft.finish(), &PARAMETERS);
    for backend in [&INTERP, &JIT] {
        let field = compiled(&tape, backend).expect("this machine is known");
        let mut workspace = Workspace::default();
        workspace.linear.hold_ranks();
        let mut eval = |y: [f64; 4]| {
            workspace.linear.rewind();
            let mut out = vec![0.0; field.outputs()];
            field.eval(&mut workspace, 0.0, &y, &mut out).map(|()| {
                assert!(
                    (out[7] - 1.0 / 1.7).abs() < 1e-14,
                    "{}: {out:?}",
                    backend.id
                );
                out[9..].to_vec()
            })
        };
        // Rank 1 at the start; a little off, where the rank would be 2, it stays 1.
        let at = eval([1.0, 1.0, 1.0, 1.0]).expect("consistent");
        assert!(
            (at[0] - 0.5).abs() < 1e-15 && (at[1] - 0.5).abs() < 1e-15,
            "{at:?}"
        );
        let near = eval([1.0, 1.0, 1.0 + 1e-6, 1.0]).expect("held");
        assert!(
            (near[0] - 0.5).abs() < 1e-5 && (near[1] - 0.5).abs() < 1e-5,
            "{}: {near:?}",
            backend.id
        );
    }
}

/// Threads that share one C function see the same numbers, at regular and at singular states in turn.
#[test]
fn threads_share_a_c_function() {
    let mut draft = Draft::new();
    // [a, b; b, c] X = (d, d), of rank 1 where a = b = c.
    draft.program.statements.push(Statement::Solve(SlotSolve {
        name: "x".to_owned(),
        kind: SolveKind::OfRows { unique: 0 },
        size: 2,
        columns: 1,
        matrix: vec![1, 2, 2, 3],
        right: vec![4, 4],
        unknowns: draft.next,
    }));
    draft.next += 2;
    let tape = Tape::new(&draft.finish(), &PARAMETERS);
    for backend in [&JIT, &AUTO] {
        let field = compiled(&tape, backend).expect("this machine is known");
        let work = || {
            for _ in 0..200 {
                for (c, expected) in [(1.0, [0.5, 0.5]), (2.0, [1.0, 0.0])] {
                    let out = called(&field, 0.0, &[1.0, 1.0, c, 1.0]).expect("consistent");
                    for (found, expected) in out[7..].iter().zip(expected) {
                        assert!((found - expected).abs() < 1e-15, "{out:?}");
                    }
                }
                // 0 X = (1, 1) has no solution.
                assert_eq!(called(&field, 0.0, &[0.0, 0.0, 0.0, 1.0]), None);
            }
        };
        std::thread::scope(|scope| {
            (0..4).for_each(|_| {
                scope.spawn(work);
            });
        });
    }
    let interpreted = compiled(&tape, &INTERP).expect("always there");
    assert!(interpreted.c_function().is_none());
}

#[test]
fn structure_is_used() {
    let mut draft = Draft::new();
    let sin = draft.push(Operation::Call(Function::Sin, Box::new([1])));
    let cos = draft.push(Operation::Call(Function::Cos, Box::new([1])));
    let dead = draft.push(Operation::Call(Function::Exp, Box::new([2])));
    let constant = draft.push(Operation::Product(Box::new([
        (5, Rational::new(2, 1)),
        (6, Rational::new(1, 1)),
    ])));
    let first = draft.push(Operation::Product(Box::new([
        (sin, Rational::new(1, 1)),
        (2, Rational::new(-1, 1)),
    ])));
    let second = draft.push(Operation::Product(Box::new([
        (cos, Rational::new(1, 1)),
        (2, Rational::new(-2, 1)),
    ])));
    let mut program = draft.finish();
    let _ = dead;
    program.outputs[0].slots = vec![constant, first, second];
    let tape = Tape::new(&program, &PARAMETERS);
    // sin and cos, 1/b, its square, two products.
    assert_eq!(tape.ops.len(), 6, "{tape:?}");
    assert_eq!(tape.constant(tape.outputs[0]), Some(0.7 * 0.7 * -1.3));
}

/// Masses with a row between each two: `[M, A^T; A, 0]`, with the slots of the unknowns.
fn chain(masses: usize) -> (Program, Vec<u32>) {
    let mut draft = Draft::new();
    let zero = draft.push(Operation::Number(Program::ZERO));
    let size = 2 * masses - 1;
    let mut matrix = vec![zero; size * size];
    for mass in 0..masses {
        matrix[mass * size + mass] = draft.large(1 + mass as u32 % 4);
    }
    for row in 0..masses - 1 {
        for (mass, input) in [(row, 2), (row + 1, 3)] {
            let entry = draft.push(Operation::Call(Function::Cos, Box::new([input])));
            let other = masses + row;
            (matrix[other * size + mass], matrix[mass * size + other]) = (entry, entry);
        }
    }
    let right = (0..size).map(|i| 1 + i as u32 % 4).collect();
    let unknowns: Vec<u32> = (draft.next..draft.next + size as u32).collect();
    draft.program.statements.push(Statement::Solve(SlotSolve {
        name: "x".to_owned(),
        kind: SolveKind::OfRows { unique: masses },
        size,
        columns: 1,
        matrix,
        right,
        unknowns: draft.next,
    }));
    draft.next += size as u32;
    let mut program = draft.finish();
    program.outputs[0].slots.clone_from(&unknowns);
    (program, unknowns)
}

/// A long chain is solved in as many operations as it has links, and as the routine does.
#[test]
fn chains_are_solved_along_their_zeros() {
    let operations = |masses| Tape::new(&chain(masses).0, &PARAMETERS).ops.len();
    let [few, many] = [30, 60].map(operations);
    assert!((many - 60..2 * many).contains(&(2 * few)), "{few} {many}");
    let (program, unknowns) = chain(60);
    let tape = Tape::new(&program, &PARAMETERS);
    let y = [0.3, 0.4, 0.9, -0.2];
    let found = value(&tape, 0.0, &y).expect("a solution");
    let wanted = value(&Interpreter::new(program, &PARAMETERS), 0.0, &y).expect("a solution");
    assert_eq!(found.len(), unknowns.len());
    let size = wanted.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for (a, b) in found.iter().zip(&wanted) {
        assert!((a - b).abs() < 1e-11 * size, "{a} {b}");
    }
}

/// A right side that is no number is refused, also where it is known beforehand.
#[test]
fn what_is_known_to_be_no_number_is_refused() {
    let mut draft = Draft::new();
    let root = draft.push(Operation::Product(Box::new([(6, Rational::new(1, 2))])));
    let four = draft.large(1);
    draft.program.statements.push(Statement::Solve(SlotSolve {
        name: "x".to_owned(),
        kind: SolveKind::PositiveDefinite,
        size: 1,
        columns: 1,
        matrix: vec![four],
        right: vec![root],
        unknowns: draft.next,
    }));
    draft.next += 1;
    let tape = Tape::new(&draft.finish(), &PARAMETERS);
    let refused = value(&tape, 0.0, &[1.0; STATE]);
    assert!(
        matches!(refused, Err(EvalError::NotFinite { .. })),
        "{refused:?}"
    );
}
