//! Benchmark: one trajectory of some models by every method, at equal true error.
//!
//! `cargo run --release -p appell --example trajectory [BACKEND [METHOD]]`. For each method the loosest tolerance
//! whose error at the end is at most [`ERROR`] is found; then the time of a whole integration is measured,
//! with nothing but the steps (`bare`), and with projection, ledger and watch (`whole`).

use appell::{FORMALISMS, Prepared, gallery, read};
use appell_flow::backend::BACKENDS;
use appell_flow::method::{METHODS, Method};
use appell_flow::{
    Backend, Compiled, Control, Field, Motion, Options, Outcome, Stage, Tape, Trajectory,
    Velocities, Watch, integrate,
};
use appell_mech::{Carrier, Equations, function, output};
use std::hint::black_box;
use std::time::Instant;

/// The error that is aimed at, in the state at the end.
const ERROR: f64 = 1e-10;
/// The end of the motion.
const END: f64 = 10.0;
/// The fastest of so many rounds counts: the others were disturbed.
const ROUNDS: usize = 300;

/// The functions of a motion, compiled.
struct Fields {
    bare: Compiled,
    rate: Compiled,
    energy: Compiled,
    stages: Vec<([Compiled; 4], std::ops::Range<usize>)>,
    a: Compiled,
    mass: Compiled,
    rows: usize,
}

impl Fields {
    fn new(p: &Prepared<'_>, equations: &Equations<'_>, backend: &Backend) -> Fields {
        let make = |tape: Tape| Compiled::new(tape, backend).expect("the backend works");
        let program = |names: &[&str]| equations.program(names).expect("complete");
        let compile = |names: &[&str]| make(Tape::new(&program(names), &p.parameters));
        let sizes = |name: &str| {
            make(Tape::of_sizes(&program(&[name]), &p.parameters).expect("no linear systems"))
        };
        let n = p.system.n();
        let stage = |value: &str, slope: &str, moved| {
            let fields = [
                compile(&[value]),
                sizes(value),
                compile(&[slope]),
                compile(&[function::MASS]),
            ];
            (fields, moved)
        };
        let mut stages = Vec::new();
        if p.constraints.holonomic().next().is_some() {
            stages.push(stage(function::POSITION, function::POSITION_Q, 0..n));
        }
        if equations.carrier == Carrier::Velocities {
            stages.push(stage(function::PHI, function::PHI_V, n..2 * n));
        }
        Fields {
            bare: compile(&[output::RATE]),
            rate: compile(&[output::RATE, output::WORK]),
            energy: compile(&[output::ENERGY]),
            stages,
            a: compile(&[function::A]),
            mass: compile(&[function::MASS]),
            rows: p.constraints.k(),
        }
    }

    fn whole<'a>(&'a self, names: &'a [String]) -> Motion<'a> {
        let stage = |([residual, magnitudes, jacobian, metric], moved): &'a (
            [Compiled; 4],
            std::ops::Range<usize>,
        )| Stage {
            moved: moved.clone(),
            residual,
            magnitudes,
            jacobian,
            metric,
        };
        Motion {
            stages: self.stages.iter().map(stage).collect(),
            energy: Some(&self.energy),
            watch: Some(Watch {
                jacobian: &self.a,
                metric: &self.mass,
                rows: self.rows,
                rank: None,
            }),
            ..self.plain(names, &self.rate)
        }
    }

    fn plain<'a>(&'a self, names: &'a [String], field: &'a dyn Field) -> Motion<'a> {
        Motion {
            names,
            field,
            stages: vec![],
            energy: None,
            stops: vec![],
            watch: None,
            velocities: Some(Velocities {
                q: 0..names.len() / 2,
                v: names.len() / 2..names.len(),
            }),
        }
    }
}

fn options(tolerance: f64, watch: bool) -> Options {
    Options {
        until: END,
        rtol: tolerance,
        atol: tolerance,
        watch,
        ..Options::default()
    }
}

fn go(motion: &Motion, method: &'static Method, start: &[f64], options: &Options) -> Trajectory {
    integrate(motion, method, 0.0, start, options, &mut Control::default())
}

/// The state at the end.
fn end(run: &Trajectory) -> Option<&[f64]> {
    let done = matches!(run.outcome, Outcome::Finished { .. });
    run.samples.last().filter(|_| done).map(|last| &last.y[..])
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let apart = a
        .iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs() / b.abs().max(1.0));
    apart.fold(0.0, f64::max)
}

/// Microseconds of one integration.
fn time(motion: &Motion, method: &'static Method, start: &[f64], options: &Options) -> f64 {
    let round = |count: usize| {
        let clock = Instant::now();
        for _ in 0..count {
            black_box(go(motion, method, black_box(start), options));
        }
        clock.elapsed().as_secs_f64() * 1e6 / count as f64
    };
    let count = (1e3 / round(10)).clamp(1.0, 1e4) as usize;
    (0..ROUNDS)
        .map(|_| round(count))
        .fold(f64::INFINITY, f64::min)
}

/// Measures a method on a motion.
fn show(what: &str, motion: &Motion, method: &'static Method, start: &[f64], wanted: &[f64]) {
    let watch = motion.watch.is_some();
    let error = |tolerance: f64| {
        let run = go(motion, method, start, &options(tolerance, watch));
        end(&run).map_or(f64::INFINITY, |last| {
            distance(&last[..wanted.len()], wanted)
        })
    };
    let mut tolerances = (24..60).map(|k| 10f64.powf(-f64::from(k) / 4.0));
    let Some(tolerance) = tolerances.find(|tolerance| error(*tolerance) <= ERROR) else {
        println!("  {:9} {what:6} does not reach {ERROR:.0e}", method.id);
        return;
    };
    let settings = options(tolerance, watch);
    let run = go(motion, method, start, &settings);
    let micros = time(motion, method, start, &settings);
    println!(
        "  {:9} {what:6} {micros:9.2} us  {:7.0} ns a step, {} steps, {} evaluations, tolerance {tolerance:.1e}, error {:.1e}",
        method.id,
        1e3 * micros / run.steps as f64,
        run.steps,
        run.rhs_evaluations,
        error(tolerance)
    );
}

/// The methods that are asked for; by default those of high order.
fn wanted_method(id: &str) -> bool {
    match std::env::args().nth(2) {
        Some(wanted) => wanted == id,
        None => ["dop853", "taylor"].contains(&id),
    }
}

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_else(|| "jit".to_owned());
    let backend = BACKENDS.iter().find(|backend| backend.id == wanted);
    let backend = backend.expect("a backend of this name");
    for name in ["perpendicular", "rolling-disc"] {
        let entry = gallery::find(name).expect("in the gallery");
        let (model, _) = read(entry.name, entry.text).ok().expect("right");
        let prepared = Prepared::new(&model, &[], &[]).ok().expect("parameters");
        let equations = FORMALISMS
            .iter()
            .find_map(|f| (f.derive)(&prepared.system, &prepared.constraints).ok())
            .expect("a formalism applies");
        let Ok(found) = appell::run(
            &prepared,
            &appell::RunOptions {
                until: Some(0.0),
                ..Default::default()
            },
            &mut Control::default(),
        ) else {
            panic!("{name} does not start")
        };
        let state = [&found.start.q[..], &found.start.v[..]].concat();
        let whole = [&state[..], &vec![0.0; equations.ledger.len()]].concat();
        let names = equations.input_names();
        let fields = Fields::new(&prepared, &equations, backend);
        let tape = fields.bare.tape();
        println!("{name}, backend {wanted}: {} operations", tape.ops.len());
        let bare = fields.plain(&names, &fields.bare);
        let reference = go(
            &bare,
            &appell_flow::method::DOP853,
            &state,
            &options(3e-15, false),
        );
        let reference = end(&reference).expect("it ends").to_vec();
        for method in METHODS.iter().filter(|method| wanted_method(method.id)) {
            show("bare", &bare, method, &state, &reference);
            show("whole", &fields.whole(&names), method, &whole, &reference);
        }
    }
}
