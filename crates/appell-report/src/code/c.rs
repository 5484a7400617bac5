//! C: no library but that of mathematics.

use super::{Body, Code, LEVELS, Language, Regularity, Solve, numbers, of_a_list, or_minus_one};
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
        (Function::Min, "smaller"),
        (Function::Max, "larger"),
        (Function::Sign, "sign"),
    ],
    sqrt: "sqrt",
    define: |name, value| format!("const double {name} = {value};"),
    power: |base, exponent| format!("pow({base}, {exponent})"),
    unknown: of_a_list,
    solve: lines,
    prelude: &[("", SOLVER), ("least_norm(", LEAST_NORM)],
    postlude: &[],
    frame: |code| framed(code, true),
};

/// The same for functions whose results may be undefined one by one: who calls them looks at what is read.
pub(crate) static C_IN_PARTS: Language = Language {
    frame: |code| framed(code, false),
    ..C
};

/// Elimination with complete pivoting of the equilibrated matrix, once refined.
const SOLVER: &str = "
#include <math.h>

/* Undefined where an argument is. */
static inline double sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }
static inline double smaller(double x, double y) { return x < y || x != x ? x : y; }
static inline double larger(double x, double y) { return x > y || x != x ? x : y; }
static inline int is_finite(int n, const double *x) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* P A Q = L U in the place of A; the pivots above `least` of the first, `most` at most, are counted. */
static inline int eliminate(int n, int most, double least, double *a, int *row, int *col) {
    double first = 0.0;
    for (int i = 0; i < n; i++) row[i] = col[i] = i;
    for (int s = 0; s < n; s++) {
        int p = s, q = s;
        for (int i = s; i < n; i++)
            for (int j = s; j < n; j++)
                if (fabs(a[i * n + j]) > fabs(a[p * n + q])) p = i, q = j;
        const double pivot = fabs(a[p * n + q]);
        if (s == 0) first = pivot;
        if (s == most || !(pivot > least * first) || !isfinite(pivot)) return s;
        for (int j = 0; j < n; j++) { double x = a[s * n + j]; a[s * n + j] = a[p * n + j]; a[p * n + j] = x; }
        for (int i = 0; i < n; i++) { double x = a[i * n + s]; a[i * n + s] = a[i * n + q]; a[i * n + q] = x; }
        { int x = row[s]; row[s] = row[p]; row[p] = x; x = col[s]; col[s] = col[q]; col[q] = x; }
        for (int i = s + 1; i < n; i++) {
            const double f = a[i * n + s] /= a[s * n + s];
            for (int j = s + 1; j < n; j++) a[i * n + j] -= f * a[s * n + j];
        }
    }
    return n;
}

/* A x = b for an A that is eliminated. */
static inline void substitute(int n, const double *a, const int *row, const int *col, const double *b, double *x) {
    double w[n];
    for (int i = 0; i < n; i++) {
        w[i] = b[row[i]];
        for (int j = 0; j < i; j++) w[i] -= a[i * n + j] * w[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) w[i] -= a[i * n + j] * w[j];
        w[i] /= a[i * n + i];
    }
    for (int i = 0; i < n; i++) x[col[i]] = w[i];
}

/* The solution of K X = Y, K of n rows and Y of m columns, both row by row; X takes the place of Y. A pivot
   below `least` of the first is an error. A choice of velocities, with a larger `least`, is judged in their own units. */
static inline int solve(int n, int m, double least, const double *k, double *y) {
    double a[n * n], r[n], c[n];
    int row[n], col[n];
    for (int i = 0; i < n; i++) {
        double size = 0.0;
        for (int j = 0; j < n; j++) size = fmax(size, fabs(k[i * n + j]));
        r[i] = size > 0.0 ? 1.0 / size : 1.0;
    }
    for (int j = 0; j < n; j++) {
        double size = 0.0;
        for (int i = 0; i < n; i++) size = fmax(size, fabs(r[i] * k[i * n + j]));
        c[j] = size > 0.0 && least < 1e-14 ? 1.0 / size : 1.0;
        for (int i = 0; i < n; i++) a[i * n + j] = r[i] * k[i * n + j] * c[j];
    }
    if (eliminate(n, n, least, a, row, col) < n) return 1;
    for (int b = 0; b < m; b++) {
        double x[n], w[n], d[n];
        for (int i = 0; i < n; i++) x[i] = 0.0;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < n; i++) {
                w[i] = y[i * m + b];
                for (int j = 0; j < n; j++) w[i] -= k[i * n + j] * x[j];
                w[i] *= r[i];
            }
            substitute(n, a, row, col, w, d);
            for (int i = 0; i < n; i++) x[i] += c[i] * d[i];
        }
        for (int i = 0; i < n; i++) y[i * m + b] = x[i];
    }
    return 0;
}
";

/// Of the solutions of a symmetric system the one of least norm. Rows may be dependent on the constraints only: a little
/// off them the eigenvectors of the smallest eigenvalues are left out, a choice that is smooth in the state, while one of
/// rows is not. Elimination finds them roughly; each solution with these added to the matrix brings them nearer.
const LEAST_NORM: &str = "
/* Vectors, one after the other, made orthonormal. */
static inline void orthonormal(int n, int count, double *v) {
    for (int f = 0; f < count; f++)
        for (int pass = 0; pass < 2; pass++)
            for (int g = 0; g <= f; g++) {
                double part = 0.0;
                for (int i = 0; i < n; i++) part += v[f * n + i] * v[g * n + i];
                for (int i = 0; i < n; i++) v[f * n + i] = g < f ? v[f * n + i] - part * v[g * n + i] : v[f * n + i] / sqrt(part);
            }
}

/* x without its part along orthonormal vectors. */
static inline void remove_along(int n, int count, const double *v, double *x) {
    for (int f = 0; f < count; f++) {
        double part = 0.0;
        for (int i = 0; i < n; i++) part += x[i] * v[f * n + i];
        for (int i = 0; i < n; i++) x[i] -= part * v[f * n + i];
    }
}

/* The solution of least norm of K X = Y, K symmetric of n rows and Y of m columns, both row by row; X takes the
   place of Y. Another rank than the given one is an error; -1: the pivots above 1e-10 count. The first unknowns, `unique`
   many, are the same in every solution. The entries of d[i] d[j] K[i][j] are of the order of 1. */
static inline int least_norm(int n, int m, int rank, int unique, const double *d, const double *k, double *y) {
    double s[n * n], a[n * n], null[n * n + 1], x[n], w[n];
    int row[n], col[n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = s[i * n + j] = d[i] * k[i * n + j] * d[j];
    const int found = eliminate(n, rank < 0 ? n : rank, rank < 0 ? 1e-10 : 1e-15, a, row, col), spare = n - found;
    if (found < rank) return 1;
    for (int i = found; i < n; i++)
        for (int j = found; j < n; j++)
            if (!(fabs(a[i * n + j]) <= 1e-4)) return 1;
    for (int f = 0; f < spare; f++) {
        for (int i = n - 1; i >= 0; i--) {
            w[i] = i < found ? -a[i * n + found + f] : i == found + f;
            for (int j = i + 1; j < found; j++) w[i] -= a[i * n + j] * w[j];
            if (i < found) w[i] /= a[i * n + i];
        }
        for (int i = 0; i < n; i++) null[f * n + col[i]] = w[i];
    }
    for (int pass = 0; pass < 3; pass++) {
        orthonormal(n, spare, null);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                a[i * n + j] = s[i * n + j];
                for (int f = 0; f < spare; f++) a[i * n + j] += null[f * n + i] * null[f * n + j];
            }
        if (eliminate(n, n, 1e-15, a, row, col) < n) return 1;
        for (int f = 0; f < spare && pass < 2; f++) substitute(n, a, row, col, null + f * n, null + f * n);
    }
    for (int b = 0; b < m; b++) {
        double z[n];
        for (int i = 0; i < n; i++) z[i] = 0.0;
        for (int pass = 0; pass < 2; pass++) {
            for (int i = 0; i < n; i++) {
                w[i] = d[i] * y[i * m + b];
                for (int j = 0; j < n; j++) w[i] -= s[i * n + j] * z[j];
            }
            remove_along(n, spare, null, w);
            substitute(n, a, row, col, w, x);
            for (int i = 0; i < n; i++) z[i] += x[i];
            remove_along(n, spare, null, z);
        }
        for (int i = 0; i < n; i++) y[i * m + b] = d[i] * z[i];
    }
    for (int f = 0; f < spare; f++)
        for (int i = 0; i < n; i++) null[f * n + i] *= i < unique ? 0.0 : d[i];
    orthonormal(n, spare, null);
    for (int b = 0; b < m; b++) {
        for (int i = 0; i < n; i++) x[i] = y[i * m + b];
        remove_along(n, spare, null, x);
        for (int i = 0; i < n; i++) y[i * m + b] = x[i];
    }
    return 0;
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
        Regularity::Pivots(least) => format!("solve({n}, {m}, {least}, k{number}, s{number})"),
        Regularity::Rank { rank, unique, .. } => {
            let rank = or_minus_one(*rank);
            format!("least_norm({n}, {m}, {rank}, {unique}, d{number}, k{number}, s{number})")
        }
    };
    let mut lines = vec![format!("// {title}")];
    if let Regularity::Rank { scales, .. } = &solve.regularity {
        let scales = numbers(scales).join(", ");
        lines.push(format!("static const double d{number}[] = {{{scales}}};"));
    }
    lines.extend([
        format!("const double k{number}[] = {{{}}};", matrix.join(", ")),
        format!("double s{number}[] = {{{}}};", right.join(", ")),
        format!("if ({call}) return {number};"),
    ]);
    lines
}

/// The functions; `whole` whether a result that is no finite number is an error.
fn framed(code: &Code<'_>, whole: bool) -> String {
    let name = code.name;
    let bodies = code.bodies.iter().zip(1..);
    let (several, count) = (code.bodies.len() > 1, code.bodies.len());
    let functions = bodies.map(|(body, index)| match several {
        true => function(
            body,
            &format!("static int {name}_{index}"),
            "double least, ",
            whole,
        ),
        false => function(body, &format!("int {name}"), "", whole),
    });
    let mut text: Vec<String> = functions.collect();
    if several {
        let results = code.bodies[0].results.iter();
        let arguments = results.map(|(name, _)| format!(", {name}"));
        let arguments = format!("(least[i], t, y, p{})", arguments.collect::<String>());
        let calls = (1..=count).map(|i| format!("        if (why) why = {name}_{i}{arguments};\n"));
        let levels = LEVELS.map(|level| format!("{level:e}")).join(", ");
        text.push(format!(
            "/* In other independent velocities where the first ones fail, at last in poor ones. */\nint {name}{} {{\n    \
             static const double least[] = {{{levels}}};\n    int why = 1;\n    for (int i = 0; i < {} && why; i++) {{\n\
             {}    }}\n    return why;\n}}\n",
            parameters(&code.bodies[0], ""),
            LEVELS.len(),
            calls.collect::<String>()
        ));
    }
    let undefined = if whole {
        ", or -1 where a result is not a finite number"
    } else {
        ""
    };
    format!(
        "\n/* 0, or the number of the linear system that is singular{undefined}. */\n{}",
        text.join("\n")
    )
}

fn parameters(body: &Body, more: &str) -> String {
    let results = body.results.iter();
    let pointers = results.map(|(name, _)| format!(", double *{name}"));
    format!(
        "({more}double t, const double *y, const double *p{})",
        pointers.collect::<String>()
    )
}

fn function(body: &Body, name: &str, more: &str, whole: bool) -> String {
    let finite = body.results.iter().filter(|_| whole);
    let finite: Vec<String> = finite
        .map(|(name, values)| format!("is_finite({}, {name})", values.len()))
        .collect();
    let answer = match finite.is_empty() {
        true => "0".to_owned(),
        false => format!("{} ? 0 : -1", finite.join(" && ")),
    };
    let stores = body.results.iter().flat_map(|(name, values)| {
        let values = values.iter().enumerate();
        values.map(move |(i, value)| format!("    {name}[{i}] = {value};\n"))
    });
    // Compilers warn of arguments that are not read.
    let without = body.results.iter().filter(|(_, values)| values.is_empty());
    let without = without.map(|(name, _)| format!(", (void){name}"));
    let least = if more.is_empty() { "" } else { ", (void)least" };
    format!(
        "{name}{} {{\n    (void)t, (void)y, (void)p{least}{};\n{}{}    return {answer};\n}}\n",
        parameters(body, more),
        without.collect::<String>(),
        body.indented("    "),
        stores.collect::<String>()
    )
}
