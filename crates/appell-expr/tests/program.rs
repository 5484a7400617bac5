//! Programs: order of steps, dead code, solves, over a small number system of the test's own.

use crate::common::{on_a_small_stack, point, read, value};
use appell_expr::{
    Ex, Function, Graph, Matrix, Numbers, Program, Rational, Sketch, SlotSolve, SolveKind,
    Statement, Unbound,
};

/// Doubles; a solve is Gauss-Jordan elimination, and every solve is counted.
#[derive(Default)]
struct Doubles {
    solved: Vec<(String, SolveKind)>,
}

/// Why a run stopped.
#[derive(Debug, PartialEq)]
struct Singular(String);

impl Numbers for Doubles {
    type Value = f64;
    type Error = Singular;
    fn number(&mut self, x: &Rational) -> f64 {
        x.to_f64()
    }
    fn pi(&mut self) -> f64 {
        std::f64::consts::PI
    }
    fn add(&mut self, x: &f64, y: &f64) -> f64 {
        x + y
    }
    fn mul(&mut self, x: &f64, y: &f64) -> f64 {
        x * y
    }
    fn exact_power(&mut self, x: &f64, e: &Rational) -> Result<f64, Singular> {
        if *x == 0.0 && e.is_negative() {
            return Err(Singular("pole".to_owned()));
        }
        Ok(x.powf(e.to_f64()))
    }
    fn power(&mut self, x: &f64, y: &f64) -> Result<f64, Singular> {
        Ok(x.powf(*y))
    }
    fn call(&mut self, f: Function, x: &[&f64]) -> Result<f64, Singular> {
        Ok(match f {
            Function::Sin => x[0].sin(),
            Function::Cos => x[0].cos(),
            Function::Atan2 => x[0].atan2(*x[1]),
            other => panic!("{} is not needed here", other.name()),
        })
    }
    fn solve(
        &mut self,
        solve: &SlotSolve,
        mut a: Vec<f64>,
        b: &mut Vec<f64>,
    ) -> Result<(), Singular> {
        let (n, m) = (solve.size, solve.columns);
        assert_eq!((a.len(), b.len()), (n * n, n * m));
        self.solved.push((solve.name.clone(), solve.kind));
        for p in 0..n {
            let row = (p..n).find(|i| a[i * n + p] != 0.0);
            let row = row.ok_or_else(|| Singular(solve.name.clone()))?;
            (0..n).for_each(|j| a.swap(row * n + j, p * n + j));
            (0..m).for_each(|j| b.swap(row * m + j, p * m + j));
            let pivot = a[p * n + p];
            for i in (0..n).filter(|i| *i != p) {
                let factor = a[i * n + p] / pivot;
                (0..n).for_each(|j| a[i * n + j] -= factor * a[p * n + j]);
                (0..m).for_each(|j| b[i * m + j] -= factor * b[p * m + j]);
            }
        }
        for i in 0..n {
            (0..m).for_each(|j| b[i * m + j] /= a[i * n + i]);
        }
        Ok(())
    }
}

/// All results of a program, one output after the other.
fn results(program: &Program, inputs: &[f64]) -> Result<Vec<f64>, Singular> {
    let mut system = Doubles::default();
    let numbers = program.convert_numbers(&mut system);
    let mut values = inputs.to_vec();
    program.run(&mut system, &numbers, &mut values)?;
    let slots = program.outputs.iter().flat_map(|output| &output.slots);
    Ok(slots.map(|slot| values[*slot as usize]).collect())
}

fn matrix<'g>(g: &'g Graph, rows: usize, columns: usize, texts: &[&str]) -> Matrix<'g> {
    Matrix::from_fn(g, rows, columns, |i, j| read(g, texts[i * columns + j]))
}

#[test]
fn a_program_computes_what_the_expression_says() {
    let g = Graph::new();
    let texts = [
        "3*x - 2*y + 1/7",
        "x*y^3/2",
        "sin(x)*cos(y)^2",
        "atan2(x, y)",
        "x^y",
        "2^x",
        "pi",
        "x/x",
        "sqrt(x + y)",
        "5/3",
        "x",
        "0",
    ];
    let values: Vec<Ex<'_>> = texts.iter().map(|text| read(&g, text)).collect();
    let mut sketch = Sketch::new(&g);
    sketch.output_list("all", &values);
    let program = sketch
        .program(&[read(&g, "x"), read(&g, "y")], &["all"])
        .expect("bound");
    let at = point(&[("x", 0.7), ("y", 1.9)]);
    let got = results(&program, &[0.7, 1.9]).expect("regular");
    for ((text, x), got) in texts.iter().zip(values).zip(got) {
        assert!((got - value(x, &at)).abs() < 1e-14, "{text}: {got}");
    }
    assert_eq!(program.inputs, ["x", "y"]);
    assert_eq!(program.numbers[..3], [0, 1, -1].map(Rational::from));
}

#[test]
fn shared_expressions_are_computed_once() {
    let g = Graph::new();
    let mut sketch = Sketch::new(&g);
    sketch.output_list(
        "f",
        &[
            read(&g, "sin(x) + 1"),
            read(&g, "sin(x)^2"),
            read(&g, "sin(x)"),
        ],
    );
    let program = sketch.program(&[read(&g, "x")], &["f"]).expect("bound");
    assert_eq!(program.statements.len(), 3);
}

#[test]
fn steps_run_in_order_and_use_each_other() {
    let g = Graph::new();
    let mut sketch = Sketch::new(&g);
    sketch.bind(read(&g, "a"), read(&g, "x + 1"));
    sketch.bind(read(&g, "b"), read(&g, "a*a"));
    let right = matrix(&g, 2, 1, &["b", "a"]);
    let u = sketch.solve(
        SolveKind::General,
        "u",
        &matrix(&g, 2, 2, &["1", "a", "0", "2"]),
        &right,
    );
    sketch.bind(read(&g, "c"), u[(0, 0)] + u[(1, 0)]);
    sketch.output_list("c", &[read(&g, "c*x")]);
    sketch.output("u", u.clone());
    let program = sketch
        .program(&[read(&g, "x")], &["c", "u"])
        .expect("bound");
    // x = 2: a = 3, b = 9; u2 = 3/2, u1 = 9 - 9/2; c = 6.
    assert_eq!(results(&program, &[2.0]), Ok(vec![12.0, 4.5, 1.5]));
    assert_eq!(
        (program.range("c"), program.range("u")),
        (Some(0..1), Some(1..3))
    );
    assert_eq!((program.range("v"), program.result_len()), (None, 3));
    assert_eq!(u[(1, 0)].symbol_name().as_deref(), Some("u[2]"));
}

#[test]
fn several_right_sides_are_solved_at_once() {
    let g = Graph::new();
    let mut sketch = Sketch::new(&g);
    let right = matrix(&g, 2, 3, &["x", "1", "0", "y", "0", "1"]);
    let k = matrix(&g, 2, 2, &["0", "2", "4", "0"]);
    let solution = sketch.solve(SolveKind::Symmetric, "s", &k, &right);
    sketch.output("s", solution.clone());
    let program = sketch
        .program(&[read(&g, "x"), read(&g, "y")], &["s"])
        .expect("bound");
    let expected = vec![2.0, 0.0, 0.25, 3.0, 0.5, 0.0];
    assert_eq!(results(&program, &[6.0, 8.0]), Ok(expected));
    assert_eq!(
        (program.outputs[0].rows, program.outputs[0].columns),
        (2, 3)
    );
    assert_eq!(solution[(1, 2)].symbol_name().as_deref(), Some("s[2,3]"));
}

#[test]
fn what_no_output_needs_is_not_computed() {
    let g = Graph::new();
    let one = matrix(&g, 1, 1, &["x"]);
    let mut sketch = Sketch::new(&g);
    let used = sketch.solve(SolveKind::General, "used", &one, &one);
    let singular = matrix(&g, 1, 1, &["0"]);
    let unused = sketch.solve(SolveKind::General, "unused", &singular, &one);
    sketch.bind(read(&g, "a"), unused[(0, 0)] + 1);
    sketch.bind(read(&g, "b"), used[(0, 0)] + 1);
    sketch.output_list("bad", &[read(&g, "a")]);
    sketch.output_list("good", &[read(&g, "b")]);
    let good = [("good", sketch.get("good").expect("an output"))];
    assert_eq!(sketch.needed_steps(&good), [0, 3]);
    let x = [read(&g, "x")];
    let program = sketch.program(&x, &["good"]).expect("bound");
    let solves = |program: &Program| {
        program
            .statements
            .iter()
            .filter(|s| matches!(s, Statement::Solve(_)))
            .count()
    };
    assert_eq!(
        (solves(&program), results(&program, &[3.0])),
        (1, Ok(vec![2.0]))
    );
    let program = sketch.program(&x, &["bad"]).expect("bound");
    assert_eq!(
        results(&program, &[3.0]),
        Err(Singular("unused".to_owned()))
    );
}

#[test]
fn kinds_reach_the_solver() {
    let g = Graph::new();
    let mut sketch = Sketch::new(&g);
    let one = matrix(&g, 1, 1, &["2"]);
    let kinds = [
        SolveKind::PositiveDefinite,
        SolveKind::Symmetric,
        SolveKind::General,
        SolveKind::OfRows { unique: 1 },
    ];
    let mut all = Vec::new();
    for (kind, name) in kinds.into_iter().zip(["a", "b", "c", "d"]) {
        all.push(sketch.solve(kind, name, &one, &one)[(0, 0)]);
    }
    sketch.output_list("all", &all);
    let program = sketch.program(&[], &["all"]).expect("bound");
    let mut system = Doubles::default();
    let numbers = program.convert_numbers(&mut system);
    program
        .run(&mut system, &numbers, &mut Vec::new())
        .expect("regular");
    assert_eq!(
        system
            .solved
            .iter()
            .map(|(_, kind)| *kind)
            .collect::<Vec<_>>(),
        kinds
    );
}

/// Unknowns of the same name are different symbols within a sketch, and the same in another one:
/// what was differentiated by them is known there.
#[test]
fn unknowns_have_names_of_their_own() {
    let g = Graph::new();
    let one = matrix(&g, 1, 1, &["2"]);
    let mut sketch = Sketch::new(&g);
    let first = sketch.solve(SolveKind::General, "u", &one, &one)[(0, 0)].id();
    let second = sketch.solve(SolveKind::General, "u", &one, &one)[(0, 0)].id();
    assert_ne!(first, second);
    assert!(sketch.steps()[0].defines(first) && !sketch.steps()[0].defines(second));
    let again = Sketch::new(&g).solve(SolveKind::General, "u", &one, &one)[(0, 0)].id();
    assert_eq!(again, first);
}

#[test]
fn what_has_no_value_is_named() {
    let g = Graph::new();
    let mut sketch = Sketch::new(&g);
    sketch.output_list("f", &[read(&g, "x + tetha")]);
    let unbound = sketch
        .program(&[read(&g, "x")], &["f"])
        .expect_err("tetha has no value");
    assert_eq!(unbound, Unbound("tetha".to_owned()));
    assert!(unbound.to_string().contains("`tetha`"));
    let missing = sketch
        .program(&[read(&g, "x")], &["g"])
        .expect_err("no such output");
    assert_eq!(missing, Unbound("g".to_owned()));
}

#[test]
fn empty_systems_and_outputs_are_legal() {
    let g = Graph::new();
    let mut sketch = Sketch::new(&g);
    let none = Matrix::zero(&g, 0, 0);
    let solution = sketch.solve(SolveKind::General, "u", &none, &Matrix::zero(&g, 0, 1));
    sketch.output("u", solution);
    let program = sketch.program(&[], &["u"]).expect("bound");
    assert_eq!(results(&program, &[]), Ok(vec![]));
}

#[test]
fn deep_expressions_become_programs() {
    on_a_small_stack(|| {
        let g = Graph::new();
        let (mut x, y) = (g.symbol("x"), g.symbol("y"));
        for _ in 0..100_000 {
            x = x.sin() + y;
        }
        let mut sketch = Sketch::new(&g);
        sketch.output_list("x", &[x]);
        let program = sketch.program(&[g.symbol("x"), y], &["x"]).expect("bound");
        assert_eq!(program.statements.len(), 200_000);
        assert_eq!(results(&program, &[0.0, 0.0]), Ok(vec![0.0]));
    });
}
