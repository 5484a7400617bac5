//! C: no library but that of mathematics.

use super::{Code, Language, Solve};
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
    frame: framed,
};

/// Elimination with complete pivoting; a singular system is an error.
const SOLVER: &str = "\
#include <math.h>

static inline double sign(double x) { return (x > 0.0) - (x < 0.0); }

/* K X = Y for K of n rows and Y of m columns, both row by row; X takes the place of Y. */
static int solve(int n, int m, double *k, double *y) {
    int place[n];
    for (int i = 0; i < n; i++) place[i] = i;
    for (int s = 0; s < n; s++) {
        int row = s, column = s;
        for (int i = s; i < n; i++)
            for (int j = s; j < n; j++)
                if (fabs(k[i * n + j]) > fabs(k[row * n + column])) row = i, column = j;
        if (!(fabs(k[row * n + column]) > 0.0)) return 1;
        for (int j = 0; j < n; j++) { double x = k[s * n + j]; k[s * n + j] = k[row * n + j]; k[row * n + j] = x; }
        for (int j = 0; j < m; j++) { double x = y[s * m + j]; y[s * m + j] = y[row * m + j]; y[row * m + j] = x; }
        for (int i = 0; i < n; i++) { double x = k[i * n + s]; k[i * n + s] = k[i * n + column]; k[i * n + column] = x; }
        { int x = place[s]; place[s] = place[column]; place[column] = x; }
        for (int i = s + 1; i < n; i++) {
            const double f = k[i * n + s] / k[s * n + s];
            for (int j = s; j < n; j++) k[i * n + j] -= f * k[s * n + j];
            for (int j = 0; j < m; j++) y[i * m + j] -= f * y[s * m + j];
        }
    }
    for (int c = 0; c < m; c++) {
        double x[n];
        for (int i = n - 1; i >= 0; i--) {
            double sum = y[i * m + c];
            for (int j = i + 1; j < n; j++) sum -= k[i * n + j] * x[place[j]];
            x[place[i]] = sum / k[i * n + i];
        }
        for (int i = 0; i < n; i++) y[i * m + c] = x[i];
    }
    return 0;
}
";

fn lines(solve: &Solve<'_>) -> Vec<String> {
    let Solve {
        number,
        title,
        matrix,
        right,
        ..
    } = solve;
    let (n, m) = (matrix.len(), solve.unknowns.first().map_or(0, Vec::len));
    if n * m == 0 {
        return Vec::new();
    }
    let mut lines = vec![
        format!("// {title}"),
        format!("double k{number}[] = {{{}}};", matrix.concat().join(", ")),
        format!("double s{number}[] = {{{}}};", right.concat().join(", ")),
        format!("if (solve({n}, {m}, k{number}, s{number})) return {number};"),
    ];
    let unknowns = solve.unknowns.concat();
    let one = |(i, name): (usize, &String)| format!("const double {name} = s{number}[{i}];");
    lines.extend(unknowns.iter().enumerate().map(one));
    lines
}

fn framed(code: &Code<'_>) -> String {
    let pointers = code
        .results
        .iter()
        .map(|(name, _)| format!(", double *{name}"));
    let stores = code.results.iter().flat_map(|(name, values)| {
        let values = values.iter().enumerate();
        values.map(move |(i, value)| format!("    {name}[{i}] = {value};\n"))
    });
    format!(
        "{}\n{SOLVER}\n/* 0, or the number of the linear system that is singular. */\nint equations(double t, const \
         double *y, const double *p{}) {{\n    (void)t, (void)y, (void)p;\n{}{}    return 0;\n}}\n",
        code.comments(),
        pointers.collect::<String>(),
        code.body("    "),
        stores.collect::<String>()
    )
}
