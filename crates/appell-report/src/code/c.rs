//! C: no library but that of mathematics.

use super::{Body, Code, Language, Solve};
use appell_expr::Function;

/// C99.
pub static C: Language = Language {
    id: "c",
    title: "a function of C99",
    comment: "//",
    first: 0,
    index: ("[", "]"),
    prefix: "",
    names: &[
        (Function::Abs, "fabs"),
        (Function::Min, "fmin"),
        (Function::Max, "fmax"),
        (Function::Sign, "sign"),
    ],
    define: |name, value| format!("const double {name} = {value};"),
    power: |base, exponent| format!("pow({base}, {exponent})"),
    solve: lines,
    prelude: SOLVER,
    postlude: "",
    frame: framed,
};

/// Elimination with complete pivoting of the equilibrated matrix, once refined; of the solutions the one of
/// least norm. A rank other than the given one is an error.
const SOLVER: &str = "
#include <math.h>

static inline double sign(double x) { return (x > 0.0) - (x < 0.0); }

/* The solution of least norm of K X = Y, K of n rows and Y of m columns, both row by row; X takes the place
   of Y. K must have this rank (-1: the pivots above 1e-10 count), with pivots above `least` of the first. */
static int solve(int n, int m, int rank, double least, const double *k, double *y) {
    double a[n * n], r[n], c[n], null[n * n], first = 0.0;
    int row[n], col[n], found = 0;
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(k[i * n + j]));
        r[i] = size > 0.0 ? 1.0 / size : 1.0, row[i] = i;
    }
    for (int j = 0; j < n; j++) {
        double size = 0.0;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(r[i] * k[i * n + j]));
        c[j] = size > 0.0 ? 1.0 / size : 1.0, col[j] = j;
        for (int i = 0; i < n; i++) a[i * n + j] = r[i] * k[i * n + j] * c[j];
    }
    for (int s = 0; s < n; s++, found++) {
        int p = s, q = s;
        for (int i = s; i < n; i++)
            for (int j = s; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[p * n + q])) p = i, q = j;
        const double pivot = fabs(a[p * n + q]);
        if (s == 0) first = pivot;
        if (rank < 0 && pivot <= 1e-10) break;
        if (s == rank) {
            if (!(pivot <= 1e-4)) return 1;
            break;
        }
        if (!(pivot > least * first) || !isfinite(pivot)) return 1;
        for (int j = 0; j < n; j++) { double x = a[s * n + j]; a[s * n + j] = a[p * n + j]; a[p * n + j] = x; }
        for (int i = 0; i < n; i++) { double x = a[i * n + s]; a[i * n + s] = a[i * n + q]; a[i * n + q] = x; }
        { int x = row[s]; row[s] = row[p]; row[p] = x; x = col[s]; col[s] = col[q]; col[q] = x; }
        for (int i = s + 1; i < n; i++) {
            const double f = a[i * n + s] /= a[s * n + s];
            for (int j = s + 1; j < n; j++) a[i * n + j] -= f * a[s * n + j];
        }
    }
    for (int f = found; f < n; f++) {
        double w[n], *d = null + f * n;
        for (int i = found - 1; i >= 0; i--) {
            w[i] = -a[i * n + f];
            for (int j = i + 1; j < found; j++) w[i] -= a[i * n + j] * w[j];
            w[i] /= a[i * n + i];
        }
        for (int i = 0; i < n; i++) d[col[i]] = i < found ? c[col[i]] * w[i] : i == f ? c[col[i]] : 0.0;
        for (int g = found; g <= f; g++) {
            double part = 0.0, *e = null + g * n;
            for (int i = 0; i < n; i++) part += d[i] * e[i];
            for (int i = 0; i < n; i++) d[i] = g < f ? d[i] - part * e[i] : d[i] / sqrt(part);
        }
    }
    for (int b = 0; b < m; b++) {
        double x[n], w[n];
        for (int i = 0; i < n; i++) x[i] = 0.0;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < n; i++) {
                w[i] = y[row[i] * m + b];
                for (int j = 0; j < n; j++) w[i] -= k[row[i] * n + j] * x[j];
                w[i] *= r[row[i]];
                for (int j = 0; j < i && j < found; j++) w[i] -= a[i * n + j] * w[j];
            }
            for (int i = found - 1; i >= 0; i--) {
                for (int j = i + 1; j < found; j++) w[i] -= a[i * n + j] * w[j];
                w[i] /= a[i * n + i];
            }
            for (int i = 0; i < found; i++) x[col[i]] += c[col[i]] * w[i];
        }
        for (int f = found; f < n; f++) {
            double part = 0.0;
            for (int i = 0; i < n; i++) part += x[i] * null[f * n + i];
            for (int i = 0; i < n; i++) x[i] -= part * null[f * n + i];
        }
        for (int i = 0; i < n; i++) y[i * m + b] = x[i];
    }
    return 0;
}
";

fn lines(solve: &Solve<'_>) -> Vec<String> {
    let Solve {
        number,
        title,
        least,
        ..
    } = solve;
    let (n, m) = (solve.order(), solve.unknowns.first().map_or(0, Vec::len));
    if n * m == 0 {
        return Vec::new();
    }
    let (matrix, right) = (solve.matrix.concat(), solve.right.concat());
    let rank = solve.rank_or_none();
    let mut lines = vec![
        format!("// {title}"),
        format!("const double k{number}[] = {{{}}};", matrix.join(", ")),
        format!("double s{number}[] = {{{}}};", right.join(", ")),
        format!("if (solve({n}, {m}, {rank}, {least:e}, k{number}, s{number})) return {number};"),
    ];
    let unknowns = solve.unknowns.concat();
    let one = |(i, name): (usize, &String)| format!("const double {name} = s{number}[{i}];");
    lines.extend(unknowns.iter().enumerate().map(one));
    lines
}

fn framed(code: &Code<'_>) -> String {
    let name = code.name;
    let bodies = code.bodies.iter().zip(1..);
    let (several, count) = (code.bodies.len() > 1, code.bodies.len());
    let functions = bodies.map(|(body, index)| match several {
        true => function(body, &format!("static int {name}_{index}")),
        false => function(body, &format!("int {name}")),
    });
    let mut text: Vec<String> = functions.collect();
    if several {
        let results = code.bodies[0].results.iter();
        let arguments = results.map(|(name, _)| format!(", {name}"));
        let arguments = format!("(t, y, p{})", arguments.collect::<String>());
        let others = (2..=count).map(|i| format!("    if (why) why = {name}_{i}{arguments};\n"));
        text.push(format!(
            "/* In other independent velocities where the first ones fail. */\nint {name}{} {{\n    int why = \
             {name}_1{arguments};\n{}    return why;\n}}\n",
            parameters(&code.bodies[0]),
            others.collect::<String>()
        ));
    }
    format!(
        "\n/* 0, or the number of the linear system that is singular. */\n{}",
        text.join("\n")
    )
}

fn parameters(body: &Body) -> String {
    let results = body.results.iter();
    let pointers = results.map(|(name, _)| format!(", double *{name}"));
    format!(
        "(double t, const double *y, const double *p{})",
        pointers.collect::<String>()
    )
}

fn function(body: &Body, name: &str) -> String {
    let stores = body.results.iter().flat_map(|(name, values)| {
        let values = values.iter().enumerate();
        values.map(move |(i, value)| format!("    {name}[{i}] = {value};\n"))
    });
    format!(
        "{name}{} {{\n    (void)t, (void)y, (void)p;\n{}{}    return 0;\n}}\n",
        parameters(body),
        body.indented("    "),
        stores.collect::<String>()
    )
}
