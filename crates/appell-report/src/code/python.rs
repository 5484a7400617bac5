//! Python: with NumPy, for automatic differentiation with JAX, and as a function of CasADi.

use super::{Body, Code, Language, Solve, nested};
use appell_expr::Function;

/// NumPy.
pub static NUMPY: Language = Language {
    id: "numpy",
    title: "a function of Python with NumPy",
    prefix: "np.",
    names: &ARC,
    solve: |solve| in_arrays(solve, "np"),
    prelude: "\
import numpy as np


def least_norm(k, r, rank, least):
    \"\"\"The solution of least norm of K X = R for K of this rank (None: what is above 1e-10 counts), where no
    singular value of the equilibrated matrix falls below `least` of the largest.\"\"\"
    d = _inverse(np.abs(k).max(axis=1))[:, None]
    sizes = np.linalg.svd(d * k * _inverse(np.abs(d * k).max(axis=0)), compute_uv=False)
    rank = int((sizes > 1e-10 * sizes[0]).sum()) if rank is None else rank
    if not (sizes[:rank] > least * sizes[0]).all() or (sizes[rank:] > 1e-4 * sizes[0]).any():
        raise np.linalg.LinAlgError(\"a linear system is singular\")
    u, s, v = np.linalg.svd(d * k)
    inverse = (v[:rank].T / s[:rank]) @ u[:, :rank].T
    x = inverse @ (d * r)
    return x + inverse @ (d * (r - k @ x))


def _inverse(sizes):
    return 1 / np.where(sizes > 0, sizes, 1)


",
    frame: charts,
    ..PYTHON
};

/// JAX.
pub static JAX: Language = Language {
    id: "jax",
    title: "a function of Python for JAX, in double precision",
    prefix: "jnp.",
    names: &ARC,
    solve: |solve| in_arrays(solve, "jnp"),
    prelude: "\
import jax
import jax.numpy as jnp

jax.config.update(\"jax_enable_x64\", True)


def least_norm(k, r, *_):
    \"\"\"The solution of least norm of K X = R, by iteration: no choice, so that it can be differentiated.\"\"\"
    size = jnp.abs(k).max(axis=1)
    d = jax.lax.stop_gradient(1 / jnp.where(size > 0, size, 1))[:, None]
    k, r = d * k, d * r
    lifted = k @ k.T
    lifted += jax.lax.stop_gradient(1e-10 * jnp.trace(lifted)) * jnp.eye(len(k))
    x = jnp.zeros_like(r)
    for _ in range(6):
        x += k.T @ jnp.linalg.solve(lifted, r - k @ x)
    return x


",
    frame: |code| function(&code.bodies[0], code.name, "jnp.array"),
    ..PYTHON
};

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
    solve: by_casadi,
    prelude: "\
import casadi as ca


def _column(entries):
    return ca.vertcat(*entries)


def least_norm(k, r):
    \"\"\"The solution of least norm of K X = R, by iteration: no choice, so that it can be symbols.\"\"\"
    sizes = [ca.norm_2(k[i, :]) for i in range(k.shape[0])]
    d = ca.diag(ca.vertcat(*[ca.if_else(size > 0, 1 / size, 1) for size in sizes]))
    k, r = d @ k, d @ r
    lifted = k @ k.T
    lifted += 1e-10 * ca.trace(lifted) * ca.DM.eye(k.shape[0])
    x = 0 * r
    for _ in range(6):
        x += k.T @ ca.solve(lifted, r - k @ x)
    return x


",
    frame: |code| function(&code.bodies[0], code.name, "_column"),
    ..PYTHON
};

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
    define: |name, value| format!("{name} = {value}"),
    power: |base, exponent| format!("({base})**({exponent})"),
    solve: |_| Vec::new(),
    prelude: "",
    postlude: "",
    frame: |_| String::new(),
};

/// Systems that may be singular, or become so where independent velocities fail, by `least_norm`.
fn in_arrays(solve: &Solve<'_>, module: &str) -> Vec<String> {
    let Solve {
        number,
        matrix,
        right,
        ..
    } = solve;
    let (matrix, right) = (nested(matrix), nested(right));
    let regular = solve.rank == Some(solve.order()) && (module != "np" || solve.least < ROUNDED);
    let rank = solve
        .rank
        .map_or("None".to_owned(), |rank| rank.to_string());
    let call = match regular {
        true => format!("{module}.linalg.solve(k{number}, r{number})"),
        false => format!(
            "least_norm(k{number}, r{number}, {rank}, {:e})",
            solve.least
        ),
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
    let call = match solve.rank == Some(solve.order()) {
        true => "ca.solve",
        false => "least_norm",
    };
    let mut lines = vec![
        format!("# {}", solve.title),
        format!(
            "s{number} = {call}({}, {})",
            stacked(matrix),
            stacked(right)
        ),
    ];
    for (i, row) in solve.unknowns.iter().enumerate() {
        let one = |(j, name): (usize, &String)| format!("{name} = s{number}[{i}, {j}]");
        lines.extend(row.iter().enumerate().map(one));
    }
    lines
}

/// `(a, b), (c, d)`, with a comma after a single row.
fn unpacked(solve: &Solve<'_>) -> String {
    let row = |row: &Vec<String>| format!("({},)", row.join(", "));
    let rows: Vec<String> = solve.unknowns.iter().map(row).collect();
    format!("{},", rows.join(", "))
}

/// Limits below this are rounding errors.
const ROUNDED: f64 = 1e-14;

/// The function, in other independent velocities where the first ones fail.
fn charts(code: &Code<'_>) -> String {
    let name = code.name;
    if let [body] = &code.bodies[..] {
        return function(body, name, "np.array");
    }
    let names: Vec<String> = (1..=code.bodies.len())
        .map(|i| format!("_{name}_{i}"))
        .collect();
    let bodies = code.bodies.iter().zip(&names);
    let mut text: Vec<String> = bodies
        .map(|(body, name)| function(body, name, "np.array"))
        .collect();
    text.push(format!(
        "def {name}(t, y, p):\n    for chart in ({}):\n        try:\n            return chart(t, y, p)\n        \
         except np.linalg.LinAlgError:\n            pass\n    raise np.linalg.LinAlgError(\"a linear system is \
         singular\")\n",
        names.join(", ")
    ));
    text.join("\n\n")
}

fn function(body: &Body, name: &str, array: &str) -> String {
    let results = body.results.iter();
    let results: Vec<String> = results
        .map(|(name, values)| format!("{name:?}: {array}([{}])", values.join(", ")))
        .collect();
    format!(
        "def {name}(t, y, p):\n{}    return {{{}}}\n",
        body.indented("    "),
        results.join(", ")
    )
}
