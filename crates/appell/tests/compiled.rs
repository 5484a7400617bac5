//! Compiled programs give what the interpreted ones do: every formalism of every gallery model.

use appell::{Control, FORMALISMS, Prepared, RunOptions, gallery, read, run};
use appell_expr::{SolveKind, Statement};
use appell_flow::backend::{CC_EXACT, INTERP, JIT};
use appell_flow::{Compiled, EvalError, Field, Interpreter, Measured, Tape, TermSizes, Workspace};
use appell_mech::{Equations, function, output};

/// Numbers in (-2, 2) without pattern.
fn scattered(index: usize) -> f64 {
    2.0 * (((index as f64 + 0.5) * 0.618_033_988_749_894_9).fract() * 43.758_5).sin()
}

/// A time and a carrier's coordinates.
type State = (f64, Vec<f64>);

/// States on and off the constraints: of a motion, near it, and far from it.
fn states(p: &Prepared<'_>, equations: &Equations<'_>) -> Vec<State> {
    let n = equations.state.len();
    let mut states: Vec<State> = (0..3)
        .map(|sample| {
            let number = |i: usize| scattered(100 * sample + i);
            (0.3 * sample as f64, (0..n).map(number).collect())
        })
        .collect();
    let options = RunOptions {
        form: Some(equations.formalism),
        until: Some(0.1),
        samples: Some(2),
        ..RunOptions::default()
    };
    if let Ok(run) = run(p, &options, &mut Control::default()) {
        for sample in &run.trajectory.samples {
            let y = sample.y[..n].to_vec();
            let near = |(i, x): (usize, &f64)| x + 0.01 * scattered(i);
            states.push((sample.t, y.iter().enumerate().map(near).collect()));
            states.push((sample.t, y));
        }
    }
    states
}

/// Applies `check` to every program of the gallery at every state; the last flag says that the program
/// is the rate of the model's first form.
fn everywhere(mut check: impl FnMut(&str, &Interpreter, &[State], bool)) {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("the gallery is right");
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let mut known: Vec<(usize, Vec<State>)> = Vec::new();
        let mut first = true;
        for form in FORMALISMS {
            let Ok(equations) = (form.derive)(&p.system, &p.constraints) else {
                continue;
            };
            let carrier = equations.carrier as usize;
            if !known.iter().any(|(other, _)| *other == carrier) {
                known.push((carrier, states(&p, &equations)));
            }
            let states = &known
                .iter()
                .find(|(other, _)| *other == carrier)
                .expect("known")
                .1;
            for names in [
                &[output::RATE, output::WORK][..],
                &[output::ACCEL, output::LAMBDA],
                &[output::ENERGY],
                &[function::PHI],
                &[function::A, function::MASS],
            ] {
                let Ok(program) = equations.program(names) else {
                    continue;
                };
                let interpreter = Interpreter::new(program, &p.parameters);
                let place = format!("{} by {}, {names:?}", entry.name, form.id);
                check(&place, &interpreter, states, first);
                first = false;
            }
        }
    }
}

fn tape(interpreter: &Interpreter) -> Tape {
    Tape::new(interpreter.program(), interpreter.parameters())
}

fn eval(field: &dyn Field, t: f64, y: &[f64]) -> Result<Vec<f64>, EvalError> {
    let mut out = vec![0.0; field.outputs()];
    field.eval(&mut Workspace::default(), t, &y[..field.inputs()], &mut out)?;
    Ok(out)
}

/// The size of a result's terms. The interpreter does not know it for solutions of systems that may be
/// singular: there the largest result stands for all.
fn sizes(interpreter: &Interpreter, measured: &[Measured]) -> Vec<f64> {
    let unsized_ = |statement: &Statement| matches!(statement, Statement::Solve(solve) if matches!(solve.kind, SolveKind::OfRows { .. }));
    let rough = interpreter.program().statements.iter().any(unsized_);
    let largest = measured.iter().fold(0.0, |size: f64, x| size.max(x.size));
    let size = |x: &Measured| if rough { largest } else { x.size };
    measured.iter().map(size).collect()
}

#[test]
fn a_tape_gives_the_values_of_its_program_and_refuses_what_it_refuses() {
    let (mut compared, mut refused) = (0, 0);
    everywhere(|place, interpreter, states, _| {
        let tape = tape(interpreter);
        for (t, y) in states {
            match (
                interpreter.measured(*t, &y[..interpreter.inputs()]),
                eval(&tape, *t, y),
            ) {
                (Err(expected), Err(found)) => {
                    assert_eq!(found.to_string(), expected.to_string(), "{place} {t} {y:?}");
                    refused += 1;
                }
                (Ok(expected), Ok(found)) => {
                    let sizes = sizes(interpreter, &expected);
                    for (k, (x, found)) in expected.iter().zip(&found).enumerate() {
                        compared += 1;
                        let close = (found - x.value).abs() <= 1e-13 * sizes[k];
                        assert!(
                            close || !x.value.is_finite(),
                            "{place} {t} {y:?}: result {k} {found:e} for {:e}, size {:e}",
                            x.value,
                            sizes[k]
                        );
                    }
                }
                (expected, found) => panic!("{place} {t} {y:?}: {found:?} for {expected:?}"),
            }
        }
    });
    assert!(compared > 20_000 && refused > 10, "{compared}, {refused}");
}

/// Solutions of systems are rounded in another way, and their sizes with them; what is nothing but rounding has none. Of
/// systems that may be singular the interpreter knows less.
#[test]
fn a_tape_of_sizes_gives_the_sizes_of_terms() {
    let (mut compared, mut of_systems) = (0, 0);
    everywhere(|place, interpreter, states, _| {
        let Some(tape) = Tape::of_sizes(interpreter.program(), interpreter.parameters()) else {
            return;
        };
        let mut statements = interpreter.program().statements.iter();
        let solves = statements.any(|statement| matches!(statement, Statement::Solve(_)));
        let mut statements = interpreter.program().statements.iter();
        let of_rows = |statement: &Statement| matches!(statement, Statement::Solve(solve) if matches!(solve.kind, SolveKind::OfRows { .. }));
        let rough = statements.any(of_rows);
        for (t, y) in states {
            let expected = eval(&TermSizes(interpreter.clone()), *t, y);
            let found = eval(&tape, *t, y);
            let (Ok(expected), Ok(found)) = (expected, found) else {
                assert!(solves, "{place}: no systems");
                continue;
            };
            let rounding = expected.iter().fold(0.0_f64, |most, x| most.max(*x)) * 1e-12;
            for (found, expected) in found.iter().zip(&expected) {
                let alike = |x: f64, y: f64| x <= 8.0 * y + rounding;
                let close = match solves {
                    true => (rough || alike(*found, *expected)) && alike(*expected, *found),
                    false => (found - expected).abs() <= 1e-13 * expected,
                };
                *if solves {
                    &mut of_systems
                } else {
                    &mut compared
                } += 1;
                assert!(
                    close || !expected.is_finite(),
                    "{place}: {found} for {expected}"
                );
            }
        }
    });
    assert!(
        compared > 5_000 && of_systems > 5_000,
        "{compared}, {of_systems}"
    );
}

#[test]
fn states_side_by_side_have_the_values_of_each_by_itself() {
    let (mut compared, mut refused) = (0, 0);
    everywhere(|place, interpreter, states, _| {
        let field = Compiled::new(tape(interpreter), &INTERP).expect("it needs nothing");
        let all: Vec<(f64, &[f64])> = states.iter().map(|(t, y)| (*t, &y[..])).collect();
        let found = field.at_all(&mut Workspace::default(), &all);
        assert_eq!(found.len(), states.len());
        for ((t, y), found) in states.iter().zip(found) {
            let bits =
                |values: Vec<f64>| -> Vec<u64> { values.iter().map(|x| x.to_bits()).collect() };
            match (eval(&field, *t, y), found) {
                (Ok(expected), Ok(found)) => {
                    compared += expected.len();
                    assert_eq!(bits(expected), bits(found), "{place} {t} {y:?}");
                }
                (Err(_), Err(_)) => refused += 1,
                (expected, found) => panic!("{place} {t} {y:?}: {found:?} for {expected:?}"),
            }
        }
    });
    assert!(compared > 20_000 && refused > 5, "{compared}, {refused}");
}

/// Longer code is made for the rates only: the compilers need their time.
#[test]
fn machine_code_gives_the_bits_of_the_tape() {
    let (mut by_jit, mut by_cc) = (0, 0);
    let bits = |values: Result<Vec<f64>, EvalError>| match values {
        Ok(values) => Ok(values
            .iter()
            .map(|x| if x.is_nan() { 0 } else { x.to_bits() })
            .collect::<Vec<u64>>()),
        Err(error) => Err(error.to_string()),
    };
    everywhere(|place, interpreter, states, first| {
        let tape = tape(interpreter);
        let mut fields = Vec::new();
        if first || tape.ops.len() < 200 {
            fields.push(Compiled::new(tape.clone(), &JIT).expect("this machine is known"));
            by_jit += 1;
        }
        if first && tape.ops.len() < 1_000 {
            fields.extend(Compiled::new(tape.clone(), &CC_EXACT));
            by_cc += 1;
        }
        for field in &fields {
            for (t, y) in states {
                assert_eq!(
                    bits(eval(field, *t, y)),
                    bits(eval(&tape, *t, y)),
                    "{place} {t} {y:?}"
                );
            }
        }
    });
    assert!(by_jit > 100 && by_cc > 20, "{by_jit}, {by_cc}");
}
