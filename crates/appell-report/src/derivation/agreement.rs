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
    pub symbols: Vec<Ex<'g>>,
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
    let open = rows.symbols.iter().filter(|x| !inputs.contains(x)).copied();
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

#[cfg(test)]
mod tests {
    use super::*;
    use appell_expr::Graph;
    use appell_mech::{Carrier, FORMALISMS};

    const NAMES: [&str; 4] = ["x", "y", "x'", "y'"];

    /// Equations of two coordinates whose accelerations are these.
    fn equations<'g>(g: &'g Graph, accelerations: [Ex<'g>; 2]) -> Equations<'g> {
        let state: Vec<Ex<'g>> = NAMES.iter().map(|name| g.symbol(name)).collect();
        let mut sketch = Sketch::new(g);
        let rates = [&state[2..], &accelerations].concat();
        sketch.output_list(output::STATE_RATE, &rates);
        Equations {
            formalism: FORMALISMS[0],
            t: g.symbol("t"),
            carrier: Carrier::Velocities,
            state,
            state_names: NAMES.map(str::to_owned).to_vec(),
            parameters: vec![g.symbol("k")],
            sketch,
            ledger: Vec::new(),
            forces: Vec::new(),
            energy_star: Ok(()),
            unavailable: Vec::new(),
            remark: None,
            arguments: Vec::new(),
        }
    }

    /// Whether steps that give these accelerations are taken for `of`.
    fn taken<'g>(of: &Equations<'g>, shown: [Ex<'g>; 2], rows: &OnRows<'g>) -> bool {
        let shown = equations(of.t.graph(), shown);
        agree(of, &shown.sketch, rows, &[])
    }

    #[test]
    fn equal_formulas_agree_and_others_do_not() {
        let g = Graph::new();
        let (x, y, k) = (g.symbol("x"), g.symbol("y"), g.symbol("k"));
        let of = equations(&g, [-(k * x), y.sin().pow(2)]);
        let rows = OnRows::default();
        assert!(taken(&of, [-(k * x), g.one() - y.cos().pow(2)], &rows));
        assert!(!taken(&of, [k * x, y.sin().pow(2)], &rows));
        assert!(!taken(&of, [-(k * x), y.sin()], &rows));
        assert!(!taken(&of, [-(k * x) + (-x).sqrt(), y.sin().pow(2)], &rows));
    }

    #[test]
    fn formulas_may_use_the_rows_that_they_presume() {
        let g = Graph::new();
        let [x, y, v, w] = NAMES.map(|name| g.symbol(name));
        let of = equations(&g, [v * w, x.pow(4)]);
        let z = g.symbol("z");
        let rows = OnRows {
            symbols: vec![z],
            velocities: vec![(v, z), (w, x * z)],
            squares: vec![(x, g.one() - y.pow(2))],
        };
        let shown = [x * v.pow(2), (g.one() - y.pow(2)).pow(2)];
        assert!(taken(&of, shown, &rows));
        assert!(!taken(&of, shown, &OnRows::default()));
    }

    #[test]
    fn what_nowhere_gives_a_motion_is_not_replaced() {
        let g = Graph::new();
        let x = g.symbol("x");
        let root = (-x.pow(2) - g.one()).sqrt();
        let of = equations(&g, [root, x]);
        assert!(!taken(&of, [root, x], &OnRows::default()));
    }
}
