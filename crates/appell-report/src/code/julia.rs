//! Julia.

use super::{Body, Code, LEVELS, Language, Solve, divided, of_a_matrix, semicolons};

/// Julia, with its standard library only.
pub static JULIA: Language = Language {
    id: "julia",
    title: "a function of Julia",
    comment: "#",
    first: 1,
    index: ("[", "]"),
    prefix: "",
    names: &[(appell_expr::Function::Atan2, "atan")],
    sqrt: "sqrt",
    define: |name, value| format!("{name} = {value}"),
    power: |base, exponent| format!("({base})^({exponent})"),
    unknown: |entry| of_a_matrix(&JULIA, entry),
    solve: lines,
    prelude: &[
        ("", "using LinearAlgebra\n\n"),
        ("chosen(", CHOSEN),
        ("least_norm(", LEAST_NORM),
    ],
    postlude: &[],
    frame: framed,
};

/// For choices of independent velocities.
const CHOSEN: &str = "\
# The solution of K X = R, where no singular value is below `least` of the largest, rows equilibrated.
function chosen(k, r, least)
    d = k ./ maximum(abs.(k), dims=2)
    sizes = svdvals(d)
    sizes[end] > least * sizes[1] || throw(SingularException(0))
    return k \\ r
end

";

/// By the eigenvectors of the matrix in constant scales: smooth in the state, also a little off the constraints.
const LEAST_NORM: &str = "\
# The solution of least norm of K X = R for a symmetric K of this rank; -1: what is above 1e-10 counts. The first unknowns,
# `unique` many, are the same in every solution. The entries of d[i] d[j] K[i, j] are of the order of 1.
function least_norm(k, r, rank, unique, d)
    s = d .* k .* d'
    found = eigen(Symmetric((s + s') / 2))
    order = sortperm(-abs.(found.values))
    sizes, vectors = found.values[order], found.vectors[:, order]
    first = abs(sizes[1])
    rank = rank < 0 ? count(abs.(sizes) .> 1e-10 * first) : rank
    sound = all(abs.(sizes[1:rank]) .> 1e-15 * first) && all(abs.(sizes[rank+1:end]) .<= 1e-4 * first)
    sound || throw(SingularException(0))
    solve(b) = vectors[:, 1:rank] * ((vectors[:, 1:rank]' * b) ./ sizes[1:rank])
    x = solve(d .* r)
    x = d .* (x + solve(d .* r - s * x))
    open = unique+1:length(d)
    null = d[open] .* vectors[open, rank+1:end]
    x[open, :] -= null * (null \\ x[open, :])
    return x
end

";

fn lines(solve: &Solve<'_>) -> Vec<String> {
    // One entry in brackets would be a vector.
    let matrix = match solve.matrix.as_slice() {
        [row] => format!("fill({}, 1, 1)", row.concat()),
        rows => semicolons(rows),
    };
    divided(&JULIA, solve, &matrix)
}

fn framed(code: &Code<'_>) -> String {
    let (name, count) = (code.name, code.bodies.len());
    if let [body] = &code.bodies[..] {
        return function(body, name, "");
    }
    let bodies = code.bodies.iter().zip(1..);
    let mut text: Vec<String> = bodies
        .map(|(body, i)| function(body, &format!("{name}_{i}"), "least, "))
        .collect();
    let names: Vec<String> = (1..=count).map(|i| format!("{name}_{i}")).collect();
    let levels = LEVELS.map(|level| format!("{level:e}")).join(", ");
    text.push(format!(
        "# In other independent velocities where the first ones fail, at last in poor ones.\nfunction {name}(t, y, p)\n    \
         for least in ({levels}), chart in ({})\n        try\n            return chart(least, t, y, p)\n        catch why\n            \
         why isa SingularException || rethrow()\n        end\n    end\n    throw(SingularException(0))\nend\n",
        names.join(", ")
    ));
    text.join("\n")
}

fn function(body: &Body, name: &str, more: &str) -> String {
    let results = body.results.iter();
    let results: Vec<String> = results
        .map(|(name, values)| format!("{name} = [{}]", values.join(", ")))
        .collect();
    format!(
        "function {name}({more}t, y, p)\n{}    return (; {})\nend\n",
        body.indented("    "),
        results.join(", ")
    )
}
