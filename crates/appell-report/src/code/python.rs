//! Python: with NumPy, for automatic differentiation with JAX, and as a function of CasADi.

use super::{Code, Language, Solve, nested};
use appell_expr::Function;

/// NumPy.
pub static NUMPY: Language = Language {
    id: "numpy",
    title: "a function of Python with NumPy",
    prefix: "np.",
    names: &ARC,
    solve: |solve| in_arrays(solve, "np"),
    frame: |code| framed(code, "import numpy as np", "np.array"),
    ..PYTHON
};

/// JAX.
pub static JAX: Language = Language {
    id: "jax",
    title: "a function of Python for JAX, in double precision",
    prefix: "jnp.",
    names: &ARC,
    solve: |solve| in_arrays(solve, "jnp"),
    frame: |code| {
        let import =
            "import jax\nimport jax.numpy as jnp\n\njax.config.update(\"jax_enable_x64\", True)";
        framed(code, import, "jnp.array")
    },
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
    frame: |code| framed(code, "import casadi as ca", "_column"),
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
    frame: |_| String::new(),
};

/// Perhaps singular systems by least squares, whose solution has the least norm.
fn in_arrays(solve: &Solve<'_>, module: &str) -> Vec<String> {
    let Solve {
        number,
        matrix,
        right,
        ..
    } = solve;
    let (matrix, right) = (nested(matrix), nested(right));
    let call = match solve.least_norm {
        true => format!("{module}.linalg.lstsq(k{number}, r{number}, rcond=1e-13)[0]"),
        false => format!("{module}.linalg.solve(k{number}, r{number})"),
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
    let mut lines = vec![
        format!("# {}: at regular states only", solve.title),
        format!(
            "s{number} = ca.solve({}, {})",
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

fn framed(code: &Code<'_>, import: &str, array: &str) -> String {
    let results = code.results.iter();
    let results: Vec<String> = results
        .map(|(name, values)| format!("{name:?}: {array}([{}])", values.join(", ")))
        .collect();
    let column = match array {
        "_column" => "\n\ndef _column(entries):\n    return ca.vertcat(*entries)\n",
        _ => "",
    };
    format!(
        "{}{import}\n{column}\n\ndef equations(t, y, p):\n{}    return {{{}}}\n",
        code.comments(),
        code.body("    "),
        results.join(", ")
    )
}
