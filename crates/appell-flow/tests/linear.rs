//! Linear solves on arbitrary numbers: no panic, and what is called a solution is one.

use appell_flow::linear::{
    Kind, Scratch, Unsolved, bunch_kaufman, consistent, ldlt, lu, rank, singular_values,
};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

type Solver = fn(usize, &[f64], &[f64], &mut [f64], &mut Scratch) -> Result<(), Unsolved>;

fn general(n: usize, a: &[f64], b: &[f64], x: &mut [f64], s: &mut Scratch) -> Result<(), Unsolved> {
    consistent(Kind::General, n, a, b, x, None, s).map(|_| ())
}

fn symmetric(
    n: usize,
    a: &[f64],
    b: &[f64],
    x: &mut [f64],
    s: &mut Scratch,
) -> Result<(), Unsolved> {
    consistent(Kind::Symmetric, n, a, b, x, None, s).map(|_| ())
}

/// Numbers as they come, and as they should not.
fn entry() -> impl Strategy<Value = f64> {
    prop_oneof![
        8 => -3.0..3.0f64,
        4 => (-3i8..=3).prop_map(f64::from),
        1 => prop::sample::select(vec![0.0, -0.0, 1e-300, 1e300, 5e-324, 1e-12, 1e12]),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY]),
    ]
}

fn matrix() -> impl Strategy<Value = (usize, Vec<f64>, Vec<f64>)> {
    (0usize..6).prop_flat_map(|n| {
        let entries = |count| prop::collection::vec(entry(), count);
        (Just(n), entries(n * n), entries(2 * n))
    })
}

fn mirrored(n: usize, a: &[f64]) -> Vec<f64> {
    (0..n * n)
        .map(|k| a[(k / n).max(k % n) * n + (k / n).min(k % n)])
        .collect()
}

/// The residual of each row against its terms; consistent systems may be off by their threshold.
fn check(n: usize, a: &[f64], b: &[f64], solver: Solver, slack: f64) -> Result<(), TestCaseError> {
    let mut x = vec![0.0; b.len()];
    if solver(n, a, b, &mut x, &mut Scratch::default()).is_err() {
        return Ok(());
    }
    prop_assert!(x.iter().all(|x| x.is_finite()));
    let size = x.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for i in 0..n {
        for c in 0..2 {
            let terms: Vec<f64> = (0..n).map(|j| a[i * n + j] * x[2 * j + c]).collect();
            let largest = a[i * n..(i + 1) * n]
                .iter()
                .fold(0.0, |m: f64, a| m.max(a.abs()));
            let defect = terms.iter().sum::<f64>() - b[2 * i + c];
            let scale = largest * size + b[2 * i + c].abs();
            prop_assert!(
                !scale.is_finite() || defect.abs() <= slack * scale,
                "{a:?} {b:?} {x:?}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20),
        ..Default::default()
    })]

    #[test]
    fn a_solution_solves((n, a, b) in matrix()) {
        let symmetric_part = mirrored(n, &a);
        check(n, &a, &b, lu, 1e-9)?;
        check(n, &a, &b, general, 1e-6)?;
        check(n, &symmetric_part, &b, ldlt, 1e-9)?;
        check(n, &symmetric_part, &b, bunch_kaufman, 1e-9)?;
        check(n, &symmetric_part, &b, symmetric, 1e-6)?;
    }

    #[test]
    fn ranks_and_singular_values_exist_for_all_numbers((n, a, _) in matrix()) {
        let sizes: Vec<f64> = a.iter().map(|x| x.abs()).collect();
        prop_assert!(rank(n, n, &a, &sizes) <= n);
        prop_assert_eq!(singular_values(n, n, &a).len(), n);
    }
}
