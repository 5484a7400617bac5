//! Whether steps for the eye are what runs: both are worked out at the same states on the rows.

use appell_expr::{Ex, Sketch};
use appell_flow::Interpreter;
use appell_mech::{Equations, output};

/// States at which all results must agree.
const STATES: usize = 2;
/// States that are tried: where the program gives no motion there is nothing to compare.
const TRIALS: u32 = 24;
/// Two numbers agree up to this, relative to the larger and to 1.
const NEAR: f64 = 1e-7;
const OUT: &str = "state";

/// What the steps for the eye presume of a state.
#[derive(Debug, Clone, Default)]
pub(super) struct OnRows<'g> {
    /// Symbols in place of velocities.
    pub own: Vec<Ex<'g>>,
    /// Velocities by these.
    pub velocities: Vec<(Ex<'g>, Ex<'g>)>,
    /// Coordinates with their squares by the others.
    pub squares: Vec<(Ex<'g>, Ex<'g>)>,
}

/// Whether both give the same numbers for the motion and for these outputs; not where no state is
/// found at which the program gives any.
pub(super) fn agree<'g>(
    equations: &Equations<'g>,
    shown: &Sketch<'g>,
    rows: &OnRows<'g>,
    wanted: &[&str],
) -> bool {
    found(equations, shown, rows, wanted).unwrap_or(false)
}

fn found<'g>(
    equations: &Equations<'g>,
    shown: &Sketch<'g>,
    rows: &OnRows<'g>,
    wanted: &[&str],
) -> Option<bool> {
    let arguments = equations.arguments.iter().map(|argument| argument.symbol);
    let inputs: Vec<Ex<'g>> = equations.inputs().into_iter().chain(arguments).collect();
    let names = [output::STATE_RATE].into_iter();
    let names = names.chain(wanted.iter().copied());
    let names: Vec<&str> = names.filter(|name| shown.get(name).is_some()).collect();
    let size = equations.state.len();
    let open = rows.own.iter().filter(|x| !inputs.contains(x)).copied();
    let all: Vec<Ex<'g>> = inputs.iter().copied().chain(open).collect();
    let state = on_rows(equations, rows).program(&all, &[OUT]).ok()?;
    let [program, steps] = [&equations.sketch, shown].map(|sketch| sketch.program(&inputs, &names));
    let (program, steps) = (program.ok()?, steps.ok()?);
    let mut agreed = 0;
    for trial in 0..TRIALS {
        let numbers: Vec<f64> = (0..all.len() as u32).map(|i| number(trial, i)).collect();
        let run = |program: &appell_expr::Program, state: &[f64], constants: &[f64]| {
            let found = Interpreter::new(program.clone(), constants).results(numbers[0], state);
            found.ok().filter(|all| all.iter().all(|x| x.is_finite()))
        };
        let Some(state) = run(&state, &numbers[1..=size], &numbers[1 + size..]) else {
            continue;
        };
        let constants = &numbers[1 + size..inputs.len()];
        let Some(expected) = run(&program, &state, constants) else {
            continue;
        };
        let near = |(x, y): (&f64, &f64)| (x - y).abs() <= NEAR * x.abs().max(y.abs()).max(1.0);
        let same = run(&steps, &state, constants)
            .is_some_and(|got| got.len() == expected.len() && got.iter().zip(&expected).all(near));
        if !same {
            return Some(false);
        }
        agreed += 1;
        if agreed == STATES {
            return Some(true);
        }
    }
    None
}

/// Writes a state on the rows, from numbers for the coordinates and for what is free.
fn on_rows<'g>(equations: &Equations<'g>, rows: &OnRows<'g>) -> Sketch<'g> {
    let graph = equations.t.graph();
    let roots = rows.squares.iter().map(|(x, square)| (*x, square.sqrt()));
    let roots: Vec<(Ex<'g>, Ex<'g>)> = roots.collect();
    let whole = |x: &Ex<'g>| x.substitute(&rows.velocities).substitute(&roots);
    let state: Vec<Ex<'g>> = equations.state.iter().map(whole).collect();
    let mut sketch = Sketch::new(graph);
    sketch.output_list(OUT, &state);
    sketch
}

/// Numbers without pattern between 0.1 and 0.5, the same every time: squares of three add up to less
/// than 1.
fn number(trial: u32, place: u32) -> f64 {
    let turn = f64::from(place + 1) * 0.618_033_988_749_895 + f64::from(trial) * 0.377_7;
    0.1 + 0.4 * turn.fract()
}
