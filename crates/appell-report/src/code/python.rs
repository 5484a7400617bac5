//! Python: with NumPy, for automatic differentiation with JAX, and as a function of CasADi.

use super::{Body, Code, LEVELS, Language, Regularity, Solve, nested, numbers, of_a_matrix};
use appell_expr::Function;

/// NumPy.
pub static NUMPY: Language = Language {
    id: "numpy",
    title: "a function of Python with NumPy",
    prefix: "np.",
    names: &ARC,
    solve: |solve| in_arrays(solve, "np"),
    prelude: &[
        ("", "import numpy as np\n\n\n"),
        ("chosen(", CHOSEN),
        ("least_norm(", LEAST_NORM),
    ],
    frame: charts,
    ..PYTHON
};

/// For choices of independent velocities.
const CHOSEN: &str = "\
def chosen(k, r, least):
    \"\"\"The solution of K X = R, where no singular value is below `least` of the largest,
    in the units of the velocities.\"\"\"
    d = 1 / np.maximum(np.abs(k).max(axis=1), 1e-300)[:, None]
    sizes = np.linalg.svd(d * k, compute_uv=False)
    if not sizes[-1] > least * sizes[0]:
        raise np.linalg.LinAlgError(\"a linear system is singular\")
    return np.linalg.solve(k, r)


";

/// By the eigenvectors of the matrix in constant scales: smooth in the state, also a little off the constraints.
const LEAST_NORM: &str = "\
def least_norm(k, r, rank, unique, d):
    \"\"\"The solution of least norm of K X = R for a symmetric K of this rank (None: what is above 1e-10 counts). The first
    unknowns, `unique` many, are the same in every solution. The entries of d[i] d[j] K[i][j] are of the order of 1.\"\"\"
    d = np.array(d)[:, None]
    s = d * k * d.T
    sizes, vectors = np.linalg.eigh((s + s.T) / 2)
    order = np.argsort(-np.abs(sizes))
    sizes, vectors = sizes[order], vectors[:, order]
    first = np.abs(sizes[0])
    rank = int((np.abs(sizes) > 1e-10 * first).sum()) if rank is None else rank
    if not (np.abs(sizes[:rank]) > 1e-15 * first).all() or (np.abs(sizes[rank:]) > 1e-4 * first).any():
        raise np.linalg.LinAlgError(\"a linear system has lost its rank\")
    inverse = (vectors[:, :rank] / sizes[:rank]) @ vectors[:, :rank].T
    x = inverse @ (d * r)
    x = d * (x + inverse @ (d * r - s @ x))
    d[:unique] = 0.0
    null = np.linalg.qr(d * vectors[:, rank:])[0]
    return x - null @ (null.T @ x)


";

/// JAX.
pub static JAX: Language = Language {
    id: "jax",
    title: "a function of Python for JAX, in double precision",
    prefix: "jnp.",
    names: &ARC,
    solve: |solve| in_arrays(solve, "jnp"),
    prelude: &[
        (
            "",
            "import jax\nimport jax.numpy as jnp\n\njax.config.update(\"jax_enable_x64\", True)\n\n\n",
        ),
        ("least_norm(", JAX_LEAST_NORM),
    ],
    frame: |code| function(&code.bodies[0], code.name, "jnp.array", ""),
    ..PYTHON
};

/// The eigenvectors of the smallest eigenvalues are found without derivatives; one solution with them added to the matrix
/// brings them nearer, and gives them their derivatives.
const JAX_LEAST_NORM: &str = "\
def least_norm(k, r, rank, unique, d):
    \"\"\"The solution of least norm of K X = R for a symmetric K of this rank (None: what is above 1e-10 counts). The first
    unknowns, `unique` many, are the same in every solution. The entries of d[i] d[j] K[i][j] are of the order of 1.\"\"\"
    d = jnp.array(d)[:, None]
    s = d * k * d.T
    sizes, vectors = jnp.linalg.eigh(jax.lax.stop_gradient((s + s.T) / 2))
    order = jnp.argsort(-jnp.abs(sizes))
    sizes, vectors = jnp.abs(sizes[order]), vectors[:, order]
    small = sizes <= 1e-10 * sizes[0] if rank is None else jnp.arange(len(k)) >= rank
    null = vectors * small
    for _ in range(2):
        null = jnp.linalg.solve(s + null @ null.T, null)
        part = null @ jnp.linalg.solve(null.T @ null + jnp.diag(1.0 - small), null.T)
        null = part @ null
    lifted = s + part
    x = jnp.linalg.solve(lifted, d * r - part @ (d * r))
    x += jnp.linalg.solve(lifted, (d * r - s @ x) - part @ (d * r - s @ x))
    x, null = d * (x - part @ x), d.at[:unique].set(0.0) * null
    return x - null @ jnp.linalg.solve(null.T @ null + jnp.diag(1.0 - small), null.T @ x)


";

/// CasADi.
pub static CASADI: Language = Language {
    id: "casadi",
    title: "a function of Python on CasADi's symbols",
    prefix: "ca.",
    names: &[
        (Function::Abs, "fabs"),
        (Function::Min, "fmin"),
        (Function::Max, "fmax"),
    ],
    unknown: |entry| of_a_matrix(&CASADI, entry),
    solve: by_casadi,
    prelude: &[
        (
            "",
            "import casadi as ca\n\n\ndef _column(entries):\n    return ca.vertcat(*entries)\n\n\n",
        ),
        ("", CASADI_SOLVED),
        ("least_norm(", CASADI_LEAST_NORM),
    ],
    frame: |code| function(&code.bodies[0], code.name, "_column", ""),
    ..PYTHON
};

/// Without pivots, which would be a choice: what QR loses, refining finds again.
const CASADI_SOLVED: &str = "\
def solved(k, r):
    \"\"\"The solution of K X = R, by QR of the equilibrated matrix, twice refined.\"\"\"
    d = ca.diag(1 / ca.sqrt(ca.sum2(k**2)))
    if isinstance(k, ca.MX):
        # One call of a solver, which CasADi differentiates as such.
        x = ca.solve(d @ k, d @ r)
        return x + ca.solve(d @ k, d @ (r - k @ x))
    k, r = ca.sparsify(d @ k), d @ r
    q, u = ca.qr(k)
    x = ca.solve(u, q.T @ r)
    for _ in range(2):
        x += ca.solve(u, q.T @ (r - k @ x))
    return x


def solved_with_inertias(k, r):
    \"\"\"The same for a symmetric K. Its diagonal becomes 1 where it has one, since small masses say as much beside rows of
    rods as large ones.\"\"\"
    diagonal = ca.diag(k)
    d = ca.diag(1 / ca.sqrt(ca.fabs(diagonal) + (diagonal == 0)))
    c = ca.diag(1 / ca.sqrt(ca.if_else(diagonal == 0, ca.sum1((d @ k @ d) ** 2).T, 1))) @ d
    return c @ solved(c @ k @ c, c @ r)


";

/// The projector onto the null space is found by iteration, without a choice: from powers of the matrix, then, as in the
/// other languages, by solving with it added to the matrix, which brings it nearer.
const CASADI_LEAST_NORM: &str = "\
def least_norm(k, r, unique, d):
    \"\"\"The solution of least norm of K X = R for a symmetric K, without a choice, so that it can be symbols. The first
    unknowns, `unique` many, are the same in every solution. The entries of d[i] d[j] K[i][j] are of the order of 1;
    eigenvalues of these below 1e-6 of their size count as zero.\"\"\"
    n = k.shape[0]
    # Of the null space the others alone, in a unit of their own: their projector is of the order of 1 then.
    e = ca.diag(ca.DM([0] * unique + d[unique:]) / max(d[unique:]))
    one, d = ca.DM.eye(n), ca.diag(ca.DM(d))
    s = d @ k @ d
    least = 1e-12 * ca.sumsqr(s)
    null = least * solved(s @ s + least * one, one)
    null = (null + null.T) / 2
    for _ in range(3):
        for _ in range(6):
            null = 3 * null @ null - 2 * null @ null @ null
        null = solved(s + null, null)
        null = null @ null.T
    null = 3 * null @ null - 2 * null @ null @ null
    r = d @ r
    x = solved(s + null, r - null @ r)
    x = d @ (x - null @ x)
    return x - e @ null @ solved(null @ e @ e @ null + one - null, null @ e @ x)


";

const ARC: [(Function, &str); 7] = [
    (Function::Asin, "arcsin"),
    (Function::Acos, "arccos"),
    (Function::Atan, "arctan"),
    (Function::Atan2, "arctan2"),
    (Function::Abs, "abs"),
    (Function::Min, "minimum"),
    (Function::Max, "maximum"),
];

const PYTHON: Language = Language {
    id: "",
    title: "",
    comment: "#",
    first: 0,
    index: ("[", "]"),
    prefix: "",
    names: &[],
    sqrt: "sqrt",
    define: |name, value| format!("{name} = {value}"),
    power: |base, exponent| format!("({base})**({exponent})"),
    unknown: |entry| format!("u{}_{}_{}", entry.number, entry.row, entry.column),
    solve: |_| Vec::new(),
    prelude: &[],
    postlude: &[],
    frame: |_| String::new(),
};

/// Systems that may be singular by `least_norm`, choices of independent velocities by `chosen`.
fn in_arrays(solve: &Solve<'_>, module: &str) -> Vec<String> {
    let Solve {
        number,
        matrix,
        right,
        ..
    } = solve;
    let (matrix, right) = (nested(matrix), nested(right));
    let call = match &solve.regularity {
        Regularity::Pivots(least) if module == "np" && solve.regularity.is_of_a_choice() => {
            format!("chosen(k{number}, r{number}, {least})")
        }
        Regularity::Pivots(_) => format!("{module}.linalg.solve(k{number}, r{number})"),
        Regularity::Rank {
            rank,
            unique,
            scales,
        } => {
            let rank = rank.map_or("None".to_owned(), |rank| rank.to_string());
            let scales = numbers(scales).join(", ");
            format!("least_norm(k{number}, r{number}, {rank}, {unique}, [{scales}])")
        }
    };
    vec![
        format!("# {}", solve.title),
        format!("k{number} = {module}.array({matrix})"),
        format!("r{number} = {module}.array({right})"),
        format!("{} = {call}", unpacked(solve)),
    ]
}

fn by_casadi(solve: &Solve<'_>) -> Vec<String> {
    let Solve {
        number,
        matrix,
        right,
        ..
    } = solve;
    let row = |row: &Vec<String>| format!("ca.horzcat({})", row.join(", "));
    let stacked = |rows: &[Vec<String>]| {
        let rows: Vec<String> = rows.iter().map(row).collect();
        format!("ca.vertcat({})", rows.join(", "))
    };
    let (matrix, right) = (stacked(matrix), stacked(right));
    let call = match &solve.regularity {
        Regularity::Pivots(_) if solve.symmetric => {
            format!("solved_with_inertias({matrix}, {right})")
        }
        Regularity::Pivots(_) => format!("solved({matrix}, {right})"),
        Regularity::Rank { unique, scales, .. } => {
            format!(
                "least_norm({matrix}, {right}, {unique}, [{}])",
                numbers(scales).join(", ")
            )
        }
    };
    vec![format!("# {}", solve.title), format!("s{number} = {call}")]
}

/// `(a, b), (c, d)`, with a comma after a single row.
fn unpacked(solve: &Solve<'_>) -> String {
    let row = |row: &Vec<String>| format!("({},)", row.join(", "));
    let rows: Vec<String> = solve.unknowns.iter().map(row).collect();
    format!("{},", rows.join(", "))
}

/// The function, in other independent velocities where the first ones fail, at last in poor ones.
fn charts(code: &Code<'_>) -> String {
    let name = code.name;
    if let [body] = &code.bodies[..] {
        return function(body, name, "np.array", "");
    }
    let names: Vec<String> = (1..=code.bodies.len())
        .map(|i| format!("_{name}_{i}"))
        .collect();
    let bodies = code.bodies.iter().zip(&names);
    let mut text: Vec<String> = bodies
        .map(|(body, name)| function(body, name, "np.array", "least, "))
        .collect();
    let levels = LEVELS.map(|level| format!("{level:e}")).join(", ");
    text.push(format!(
        "def {name}(t, y, p):\n    for least in ({levels}):\n        for chart in ({}):\n            try:\n                \
         return chart(least, t, y, p)\n            except np.linalg.LinAlgError:\n                pass\n    raise \
         np.linalg.LinAlgError(\"a linear system is singular\")\n",
        names.join(", ")
    ));
    text.join("\n\n")
}

fn function(body: &Body, name: &str, array: &str, more: &str) -> String {
    // Python's own floats give complex powers and raise errors where arrays have NaN.
    let of_floats = match array.strip_suffix(".array") {
        Some(module) => {
            format!("    y, p = 1.0 * {module}.asarray(y), 1.0 * {module}.asarray(p)\n")
        }
        None => String::new(),
    };
    let results = body.results.iter();
    let results: Vec<String> = results
        .map(|(name, values)| format!("{name:?}: {array}([{}])", values.join(", ")))
        .collect();
    format!(
        "def {name}({more}t, y, p):\n{of_floats}{}    return {{{}}}\n",
        body.indented("    "),
        results.join(", ")
    )
}
