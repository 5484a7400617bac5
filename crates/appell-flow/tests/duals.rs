//! Dual numbers against derivatives written in the algebra.

use appell_expr::{Ex, Function, Graph, Matrix, Sketch, SolveKind};
use appell_flow::{EvalError, Interpreter};

/// Reproducible numbers in [0, 1).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }
}

/// A formula of many steps over these leaves; corners and roots are among them.
fn formula<'g>(g: &'g Graph, leaves: &[Ex<'g>], draw: &mut Draw) -> Ex<'g> {
    let mut known = leaves.to_vec();
    for _ in 0..12 {
        let (x, y) = (
            known[draw.below(known.len())],
            known[draw.below(known.len())],
        );
        let positive = x * x + y * y + g.one();
        known.push(match draw.below(14) {
            0 => x + y * g.int(3),
            1 => x * y,
            2 => x / positive,
            3 => positive.sqrt(),
            4 => positive.recip().sqrt() * y,
            5 => positive.power(y.call(Function::Tanh)),
            6 => x.sin() + y.cos(),
            7 => x.call(Function::Atan) - y.call(Function::Tanh),
            8 => g.call(Function::Atan2, &[x, y + g.int(2)]),
            9 => (x / positive).call(Function::Asin) * (y / positive).call(Function::Acos),
            10 => positive.call(Function::Log) + y.call(Function::Tanh).call(Function::Exp),
            11 => g.call(Function::Min, &[x, y * y]) + x.call(Function::Abs),
            12 => {
                x.call(Function::Tanh).call(Function::Sinh)
                    + y.call(Function::Tanh).call(Function::Cosh)
            }
            _ => x.call(Function::Sign) * y.pow(3) + x.call(Function::Tanh).call(Function::Tan),
        });
    }
    known
        .into_iter()
        .skip(leaves.len())
        .fold(g.zero(), |sum, x| sum + x)
}

fn compiled(sketch: &Sketch<'_>, inputs: &[Ex<'_>], name: &str) -> Interpreter {
    Interpreter::new(sketch.program(inputs, &[name]).expect("complete"), &[])
}

fn units(n: usize) -> Vec<Vec<f64>> {
    (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect()
}

#[test]
fn formulas_have_the_derivatives_of_the_algebra() {
    let mut draw = Draw(2);
    let mut compared = 0;
    for _ in 0..200 {
        let g = Graph::new();
        let symbols: Vec<Ex<'_>> = ["t", "x", "y", "z"].map(|name| g.symbol(name)).to_vec();
        let f = formula(&g, &symbols[1..], &mut draw);
        let mut sketch = Sketch::new(&g);
        sketch.output_list("f", &[f]);
        let slopes: Vec<Ex<'_>> = symbols[1..].iter().map(|x| f.diff(*x)).collect();
        sketch.output_list("slopes", &slopes);
        let y: Vec<f64> = (0..3).map(|_| 2.0 * draw.next() - 1.0).collect();
        let duals = compiled(&sketch, &symbols, "f")
            .duals(0.0, &y, &units(3), None)
            .expect("smooth here");
        let expected = compiled(&sketch, &symbols, "slopes")
            .measured(0.0, &y)
            .expect("no solve");
        for (i, wanted) in expected
            .iter()
            .enumerate()
            .filter(|(_, x)| x.value.is_finite())
        {
            let error = (duals[0].along(i) - wanted.value).abs();
            assert!(
                error <= 1e-13 * wanted.size.max(1.0),
                "{} for {wanted:?}",
                duals[0].along(i)
            );
            compared += 1;
        }
    }
    assert!(compared > 550, "{compared} derivatives were compared");
}

/// `A X = B` with two right sides by Cramer's rule, and its derivatives, against the solves.
#[test]
fn solves_have_the_derivatives_of_cramer_s_rule() {
    let kinds = [
        SolveKind::PositiveDefinite,
        SolveKind::Symmetric,
        SolveKind::General,
        SolveKind::OfRows { unique: 2 },
    ];
    let mut draw = Draw(5);
    for (round, kind) in (0..40).flat_map(|round| kinds.map(|kind| (round, kind))) {
        let g = Graph::new();
        let symbols: Vec<Ex<'_>> = ["t", "x", "y"].map(|name| g.symbol(name)).to_vec();
        let mut entry = || formula(&g, &symbols[1..], &mut draw).call(Function::Tanh);
        let (a, b, c, d) = (entry(), entry(), entry(), entry());
        let (first, second) = (g.int(3) + a * a, g.int(4) + d * d);
        let (upper, lower) = match kind {
            SolveKind::General => (b, c),
            _ => (b, b),
        };
        // Symmetric ones are indefinite.
        let second = if kind == SolveKind::Symmetric {
            -second
        } else {
            second
        };
        let right: Vec<Ex<'_>> = (0..4).map(|_| entry()).collect();
        let determinant = (first * second - upper * lower).recip();
        let cramer = |c: usize| {
            let (p, q) = (right[c], right[2 + c]);
            [
                (p * second - q * upper) * determinant,
                (first * q - lower * p) * determinant,
            ]
        };
        let ([x0, x1], [y0, y1]) = (cramer(0), cramer(1));
        let unknowns: Vec<Ex<'_>> = ["p", "q", "r", "s"].map(|name| g.symbol(name)).to_vec();
        let mut sketch = Sketch::new(&g);
        sketch.solve_for(
            kind,
            "a test",
            &Matrix::from_fn(&g, 2, 2, |i, j| unknowns[2 * i + j]),
            &Matrix::from_fn(&g, 2, 2, |i, j| [first, upper, lower, second][2 * i + j]),
            &Matrix::from_fn(&g, 2, 2, |i, j| right[2 * i + j]),
        );
        // What follows a solve is differentiated through it.
        let after = |p: Ex<'_>, q: Ex<'_>| (p * q).id();
        let solved: Vec<Ex<'_>> = unknowns
            .iter()
            .copied()
            .chain([g.ex(after(unknowns[0], unknowns[3]))])
            .collect();
        let written = [x0, y0, x1, y1, g.ex(after(x0, y1))];
        sketch.output_list("solved", &solved);
        let slopes = written
            .iter()
            .flat_map(|f| symbols[1..].iter().map(|x| f.diff(*x)));
        sketch.output_list("slopes", &slopes.collect::<Vec<_>>());
        let y = [draw.next() - 0.5, draw.next() - 0.5];
        let duals = compiled(&sketch, &symbols, "solved")
            .duals(0.0, &y, &units(2), None)
            .expect("regular");
        let expected = compiled(&sketch, &symbols, "slopes")
            .results(0.0, &y)
            .expect("no solve");
        let size = expected.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
        for (i, dual) in duals.iter().enumerate() {
            for j in 0..2 {
                let error = (dual.along(j) - expected[2 * i + j]).abs();
                assert!(error <= 1e-11 * size, "{round} {kind:?} {i} {j}: {error:e}");
            }
        }
    }
}

/// `[1, -a; -a, 0]` with the row twice, the second time multiplied by `2 + u`: `q''` and its
/// derivatives are those of one row.
fn redundant(times: usize, y: &[f64], directions: &[Vec<f64>]) -> Result<Vec<[f64; 3]>, EvalError> {
    let g = Graph::new();
    let symbols: Vec<Ex<'_>> = ["t", "x", "u", "w"].map(|name| g.symbol(name)).to_vec();
    let [_, x, u, w] = symbols[..] else {
        panic!("four symbols")
    };
    let (row, drift) = ([x, -g.one()], -(u * u) * x.cos());
    let size = 2 + times;
    // The second row is dependent on `w = 0` only.
    let factor = [g.one(), g.int(2) + u];
    let a = |row_index: usize, j: usize| {
        factor[row_index] * row[j]
            + if row_index == 1 && j == 0 {
                w
            } else {
                g.zero()
            }
    };
    let matrix = Matrix::from_fn(&g, size, size, |i, j| match (i < 2, j < 2) {
        (true, true) => {
            if i == j {
                g.int(1 + i as i64) + x * x
            } else {
                g.zero()
            }
        }
        (true, false) => -a(j - 2, i),
        (false, true) => -a(i - 2, j),
        (false, false) => g.zero(),
    });
    let right = Matrix::from_fn(&g, size, 1, |i, _| match i {
        0 => x.sin(),
        1 => u,
        i => factor[i - 2] * drift,
    });
    let names: Vec<Ex<'_>> = (0..size).map(|i| g.symbol(&format!("s{i}"))).collect();
    let mut sketch = Sketch::new(&g);
    let kind = SolveKind::OfRows { unique: 2 };
    sketch.solve_for(
        kind,
        "a test",
        &Matrix::column(&g, names.clone()),
        &matrix,
        &right,
    );
    sketch.output_list("accel", &names[..2]);
    let duals = compiled(&sketch, &symbols, "accel").duals(0.0, y, directions, None)?;
    Ok(duals
        .iter()
        .map(|x| [x.value, x.along(0), x.along(1)])
        .collect())
}

#[test]
fn redundant_rows_change_no_derivative_along_the_constraints() {
    let y = [0.4, -0.7, 0.0];
    let along = [vec![1.0, 0.0, 0.0], vec![0.3, 1.0, 0.0]];
    let (once, twice) = (redundant(1, &y, &along), redundant(2, &y, &along));
    for (a, b) in once
        .expect("regular")
        .iter()
        .zip(&twice.expect("consistent"))
    {
        a.iter()
            .zip(b)
            .for_each(|(a, b)| assert!((a - b).abs() < 1e-14, "{a} {b}"));
    }
    // Across the constraints the rows contradict each other at once.
    let across = [vec![0.0, 0.0, 1.0], vec![1.0, 0.0, 0.0]];
    let answer = redundant(2, &y, &across);
    assert!(
        matches!(answer, Err(EvalError::Inconsistent { .. })),
        "{answer:?}"
    );
}

#[test]
fn corners_are_refused_where_they_are_met() {
    let along = |text: &dyn for<'g> Fn(&'g Graph, Ex<'g>, Ex<'g>) -> Ex<'g>,
                 direction: [f64; 2]| {
        let g = Graph::new();
        let (t, x, y) = (g.symbol("t"), g.symbol("x"), g.symbol("y"));
        let mut sketch = Sketch::new(&g);
        sketch.output_list("f", &[text(&g, x, y)]);
        let field = compiled(&sketch, &[t, x, y], "f");
        field
            .duals(0.0, &[0.0, 0.0], &[direction.to_vec()], None)
            .map(|f| f[0].along(0))
    };
    let abs = along(&|_, x, y| x.call(Function::Abs) + y, [1.0, 0.0]);
    assert!(
        abs.expect_err("a corner")
            .to_string()
            .contains("`abs` at its corner")
    );
    assert_eq!(
        along(&|_, x, y| x.call(Function::Abs) + y, [0.0, 1.0]),
        Ok(1.0)
    );
    assert!(along(&|g, x, y| g.call(Function::Min, &[x, y]), [1.0, 0.0]).is_err());
    assert_eq!(
        along(&|g, x, y| g.call(Function::Min, &[x, y]), [1.0, 1.0]),
        Ok(1.0)
    );
    // A root that does not change at 0 has the derivative 0 there.
    assert_eq!(along(&|_, x, y| x.sqrt() + y, [0.0, 1.0]), Ok(1.0));
    assert_eq!(along(&|_, x, y| x.pow(2) + y.pow(3), [1.0, 1.0]), Ok(0.0));
    // Small factors smooth corners and jumps; a root of a sum of squares has a corner.
    let across = [1.0, 0.5];
    assert_eq!(
        along(&|_, x, y| x * x.call(Function::Abs) + y, across),
        Ok(0.5)
    );
    assert_eq!(
        along(&|_, x, y| y + x.pow(2) * x.call(Function::Sign), across),
        Ok(0.5)
    );
    assert_eq!(
        along(&|_, x, y| (x.pow(2) + y.pow(2)).sqrt() * x + y, across),
        Ok(0.5)
    );
    assert_eq!(
        along(
            &|_, x, y| x.call(Function::Abs) * y.call(Function::Abs),
            across
        ),
        Ok(0.0)
    );
    assert_eq!(
        along(&|_, x, y| (x * y.cos().call(Function::Abs)) + y, across),
        Ok(1.5)
    );
    assert!(along(&|_, x, y| (x.pow(2) + y.pow(2)).sqrt() + y, across).is_err());
    assert!(along(&|_, x, y| x * (x - y).call(Function::Sign), across).is_err());
    assert!(
        along(
            &|g, x, y| (x + g.one()) * (x - y).call(Function::Abs),
            across
        )
        .is_err()
    );
    assert!(along(&|_, x, y| x.call(Function::Abs).sin() + y, across).is_err());
}
