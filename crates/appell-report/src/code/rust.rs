//! Rust: the standard library only.

use super::{Body, Code, LEVELS, Language, Regularity, Solve, numbers, of_a_list, or_minus_one};

/// Rust, edition 2018 and later.
pub static RUST: Language = Language {
    id: "rust",
    title: "a function of Rust",
    comment: "//",
    first: 0,
    index: ("[", "]"),
    prefix: "functions::",
    names: &[],
    sqrt: "sqrt",
    define: |name, value| format!("let {name}: f64 = {value};"),
    power: |base, exponent| format!("functions::power({base}, {exponent})"),
    unknown: of_a_list,
    solve: lines,
    prelude: &[("", SOLVER), ("least_norm(", LEAST_NORM)],
    postlude: &[],
    frame: framed,
};

/// The functions of the model language, and what [`C`](super::c::C) does, word for word.
const SOLVER: &str = r#"
#[allow(dead_code)]
mod functions {
    pub fn sin(x: f64) -> f64 { x.sin() }
    pub fn cos(x: f64) -> f64 { x.cos() }
    pub fn tan(x: f64) -> f64 { x.tan() }
    pub fn asin(x: f64) -> f64 { x.asin() }
    pub fn acos(x: f64) -> f64 { x.acos() }
    pub fn atan(x: f64) -> f64 { x.atan() }
    pub fn atan2(y: f64, x: f64) -> f64 { y.atan2(x) }
    pub fn sinh(x: f64) -> f64 { x.sinh() }
    pub fn cosh(x: f64) -> f64 { x.cosh() }
    pub fn tanh(x: f64) -> f64 { x.tanh() }
    pub fn exp(x: f64) -> f64 { x.exp() }
    pub fn log(x: f64) -> f64 { x.ln() }
    pub fn sqrt(x: f64) -> f64 { x.sqrt() }
    pub fn abs(x: f64) -> f64 { x.abs() }
    /// Undefined where an argument is.
    pub fn min(x: f64, y: f64) -> f64 { if x < y || x.is_nan() { x } else { y } }
    pub fn max(x: f64, y: f64) -> f64 { if x > y || x.is_nan() { x } else { y } }
    pub fn power(x: f64, e: f64) -> f64 { x.powf(e) }
    pub fn sign(x: f64) -> f64 { if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { x } }
}

/// P A Q = L U in the place of A; the pivots above `least` of the first, `most` at most, are counted.
#[allow(dead_code)]
fn eliminate(n: usize, most: usize, least: f64, a: &mut [f64], row: &mut [usize], col: &mut [usize]) -> usize {
    let mut first = 0.0;
    for i in 0..n {
        row[i] = i;
        col[i] = i;
    }
    for s in 0..n {
        let (mut p, mut q) = (s, s);
        for i in s..n {
            for j in s..n {
                if a[i * n + j].abs() > a[p * n + q].abs() {
                    p = i;
                    q = j;
                }
            }
        }
        let pivot = a[p * n + q].abs();
        if s == 0 {
            first = pivot;
        }
        if s == most || !(pivot > least * first) || !pivot.is_finite() {
            return s;
        }
        for j in 0..n {
            a.swap(s * n + j, p * n + j);
        }
        for i in 0..n {
            a.swap(i * n + s, i * n + q);
        }
        row.swap(s, p);
        col.swap(s, q);
        for i in s + 1..n {
            a[i * n + s] /= a[s * n + s];
            let f = a[i * n + s];
            for j in s + 1..n {
                a[i * n + j] -= f * a[s * n + j];
            }
        }
    }
    n
}

/// A x = b for an A that is eliminated.
#[allow(dead_code)]
fn substitute(n: usize, a: &[f64], row: &[usize], col: &[usize], b: &[f64]) -> Vec<f64> {
    let mut w = vec![0.0; n];
    for i in 0..n {
        w[i] = b[row[i]];
        for j in 0..i {
            w[i] -= a[i * n + j] * w[j];
        }
    }
    for i in (0..n).rev() {
        for j in i + 1..n {
            w[i] -= a[i * n + j] * w[j];
        }
        w[i] /= a[i * n + i];
    }
    let mut x = vec![0.0; n];
    for i in 0..n {
        x[col[i]] = w[i];
    }
    x
}

/// The solution of K X = Y, K of n rows and Y of m columns, both row by row; X takes the place of Y. A pivot below
/// `least` of the first is an error. A choice of velocities, with a larger `least`, is judged in their own units.
#[allow(dead_code)]
fn solve(n: usize, m: usize, least: f64, k: &[f64], y: &mut [f64]) -> bool {
    let scale = |size: f64| if size > 0.0 { 1.0 / size } else { 1.0 };
    let largest = |entries: &mut dyn Iterator<Item = f64>| entries.fold(0.0, f64::max);
    let r: Vec<f64> = (0..n).map(|i| scale(largest(&mut (0..n).map(|j| k[i * n + j].abs())))).collect();
    let unit = |size: f64| if least < 1e-14 { scale(size) } else { 1.0 };
    let c: Vec<f64> = (0..n).map(|j| unit(largest(&mut (0..n).map(|i| (r[i] * k[i * n + j]).abs())))).collect();
    let mut a: Vec<f64> = (0..n * n).map(|e| r[e / n] * k[e] * c[e % n]).collect();
    let (mut row, mut col) = (vec![0; n], vec![0; n]);
    if eliminate(n, n, least, &mut a, &mut row, &mut col) < n {
        return false;
    }
    for b in 0..m {
        let mut x = vec![0.0; n];
        for _ in 0..2 {
            let rest = |i: usize| r[i] * (y[i * m + b] - (0..n).map(|j| k[i * n + j] * x[j]).sum::<f64>());
            let w: Vec<f64> = (0..n).map(rest).collect();
            let d = substitute(n, &a, &row, &col, &w);
            (0..n).for_each(|i| x[i] += c[i] * d[i]);
        }
        (0..n).for_each(|i| y[i * m + b] = x[i]);
    }
    true
}
"#;

/// See [`C`](super::c::C).
const LEAST_NORM: &str = r"
/// x without its part along orthonormal vectors.
#[allow(dead_code)]
fn remove_along(vectors: &[Vec<f64>], x: &mut [f64]) {
    for v in vectors {
        let part: f64 = x.iter().zip(v).map(|(x, v)| x * v).sum();
        x.iter_mut().zip(v).for_each(|(x, v)| *x -= part * v);
    }
}

/// Vectors made orthonormal.
#[allow(dead_code)]
fn orthonormal(vectors: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let mut made: Vec<Vec<f64>> = Vec::new();
    for mut v in vectors {
        for _ in 0..2 {
            remove_along(&made, &mut v);
            let size = v.iter().map(|x| x * x).sum::<f64>().sqrt();
            v.iter_mut().for_each(|x| *x /= size);
        }
        made.push(v);
    }
    made
}

/// The solution of least norm of K X = Y, K symmetric of n rows and Y of m columns, both row by row; X takes the
/// place of Y. Another rank than the given one is an error; -1: the pivots above 1e-10 count. The first unknowns,
/// `unique` many, are the same in every solution. The entries of d[i] d[j] K[i][j] are of the order of 1.
#[allow(dead_code)]
fn least_norm(n: usize, m: usize, rank: i64, unique: usize, d: &[f64], k: &[f64], y: &mut [f64]) -> bool {
    let s: Vec<f64> = (0..n * n).map(|e| d[e / n] * k[e] * d[e % n]).collect();
    let mut a = s.clone();
    let (mut row, mut col) = (vec![0; n], vec![0; n]);
    let (most, least) = if rank < 0 { (n, 1e-10) } else { (rank as usize, 1e-15) };
    let found = eliminate(n, most, least, &mut a, &mut row, &mut col);
    let small = |i: usize| (found..n).all(|j| a[i * n + j].abs() <= 1e-4);
    if (found as i64) < rank || !(found..n).all(small) {
        return false;
    }
    let null = (found..n).map(|f| {
        let mut w = vec![0.0; n];
        w[f] = 1.0;
        for i in (0..found).rev() {
            w[i] = -a[i * n + f] - (i + 1..found).map(|j| a[i * n + j] * w[j]).sum::<f64>();
            w[i] /= a[i * n + i];
        }
        let mut v = vec![0.0; n];
        (0..n).for_each(|i| v[col[i]] = w[i]);
        v
    });
    let mut null: Vec<Vec<f64>> = null.collect();
    for pass in 0..3 {
        null = orthonormal(null);
        a = (0..n * n).map(|e| s[e] + null.iter().map(|v| v[e / n] * v[e % n]).sum::<f64>()).collect();
        if eliminate(n, n, 1e-15, &mut a, &mut row, &mut col) < n {
            return false;
        }
        if pass < 2 {
            null = null.iter().map(|v| substitute(n, &a, &row, &col, v)).collect();
        }
    }
    let open = |i: usize| if i < unique { 0.0 } else { d[i] };
    let moved = null.iter().map(|v| v.iter().enumerate().map(|(i, v)| v * open(i)).collect());
    let own = orthonormal(moved.collect());
    for b in 0..m {
        let mut z = vec![0.0; n];
        for _ in 0..2 {
            let rest = |i: usize| d[i] * y[i * m + b] - (0..n).map(|j| s[i * n + j] * z[j]).sum::<f64>();
            let mut w: Vec<f64> = (0..n).map(rest).collect();
            remove_along(&null, &mut w);
            let x = substitute(n, &a, &row, &col, &w);
            (0..n).for_each(|i| z[i] += x[i]);
            remove_along(&null, &mut z);
        }
        let mut x: Vec<f64> = z.iter().zip(d).map(|(z, d)| z * d).collect();
        remove_along(&own, &mut x);
        (0..n).for_each(|i| y[i * m + b] = x[i]);
    }
    true
}
";

fn lines(solve: &Solve<'_>) -> Vec<String> {
    let Solve { number, title, .. } = solve;
    let (n, m) = (solve.order(), solve.right.first().map_or(0, Vec::len));
    if n * m == 0 {
        return Vec::new();
    }
    let (matrix, right) = (solve.matrix.concat(), solve.right.concat());
    let call = match &solve.regularity {
        Regularity::Pivots(least) => {
            format!("solve({n}, {m}, {least}, &k{number}, &mut s{number})")
        }
        Regularity::Rank {
            rank,
            unique,
            scales,
        } => {
            let (rank, scales) = (or_minus_one(*rank), numbers(scales).join(", "));
            format!(
                "least_norm({n}, {m}, {rank}, {unique}, &[{scales}], &k{number}, &mut s{number})"
            )
        }
    };
    vec![
        format!("// {title}"),
        format!("let k{number}: [f64; {}] = [{}];", n * n, matrix.join(", ")),
        format!(
            "let mut s{number}: [f64; {}] = [{}];",
            n * m,
            right.join(", ")
        ),
        format!("if !{call} {{"),
        format!("    return Err({number});"),
        "}".to_owned(),
    ]
}

/// What no reader of generated code wants to hear.
const ALLOW: &str = "#[allow(unused_parens, unused_variables, clippy::all)]\n";

fn framed(code: &Code<'_>) -> String {
    let name = code.name;
    let errors = "/// An error is the number of the linear system that is singular, or 0 where a result is not a finite number.\n";
    if let [body] = &code.bodies[..] {
        return format!(
            "\n{errors}{}",
            function(body, &format!("pub fn {name}"), "")
        );
    }
    let bodies = code.bodies.iter().zip(1..);
    let mut text: Vec<String> = bodies
        .map(|(body, i)| function(body, &format!("fn {name}_{i}"), "least: f64, "))
        .collect();
    let results = code.bodies[0].results.iter();
    let arguments: String = results.map(|(name, _)| format!(", {name}")).collect();
    let last = code.bodies.len();
    let calls = (1..=last).map(|i| {
        let call = format!("{name}_{i}(least, t, y, p{arguments})");
        match i == last {
            false => {
                format!("        if {call}.is_ok() {{\n            return Ok(());\n        }}\n")
            }
            true => format!(
                "        match {call} {{\n            Ok(()) => return Ok(()),\n            \
                 Err(number) => why = number,\n        }}\n"
            ),
        }
    });
    let levels = LEVELS.map(|level| format!("{level:e}")).join(", ");
    text.push(format!(
        "{errors}/// In other independent velocities where the first ones fail, at last in poor ones.\npub fn {name}{} {{\n    \
         let mut why = 0;\n    for least in [{levels}].iter().copied() {{\n{}    }}\n    Err(why)\n}}\n",
        parameters(&code.bodies[0], ""),
        calls.collect::<String>()
    ));
    format!("\n{}", text.join("\n"))
}

fn parameters(body: &Body, more: &str) -> String {
    let results = body.results.iter();
    let slices = results.map(|(name, _)| format!(", {name}: &mut [f64]"));
    format!(
        "({more}t: f64, y: &[f64], p: &[f64]{}) -> Result<(), usize>",
        slices.collect::<String>()
    )
}

fn function(body: &Body, name: &str, more: &str) -> String {
    let stores = body.results.iter().flat_map(|(name, values)| {
        let values = values.iter().enumerate();
        values.map(move |(i, value)| format!("    {name}[{i}] = {value};\n"))
    });
    let finite = body.results.iter();
    let finite = finite
        .map(|(name, values)| format!("{name}[..{}].iter().all(|x| x.is_finite())", values.len()));
    let finite: Vec<String> = finite.collect();
    format!(
        "{ALLOW}{name}{} {{\n{}{}    if {} {{ Ok(()) }} else {{ Err(0) }}\n}}\n",
        parameters(body, more),
        body.indented("    "),
        stores.collect::<String>(),
        finite.join(" && ")
    )
}
