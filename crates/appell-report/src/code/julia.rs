//! Julia.

use super::{Code, Language, Solve, divided, semicolons};

/// Julia, with its standard library only.
pub static JULIA: Language = Language {
    id: "julia",
    title: "a function of Julia",
    comment: "#",
    first: 1,
    index: ("[", "]"),
    prefix: "",
    names: &[(appell_expr::Function::Atan2, "atan")],
    define: |name, value| format!("{name} = {value}"),
    power: |base, exponent| format!("({base})^({exponent})"),
    solve: lines,
    prelude: LEAST_NORM,
    postlude: "",
    frame: framed,
};

/// By the singular values of the matrix with rows of unit size.
const LEAST_NORM: &str = "\
using LinearAlgebra

# The solution of least norm of K X = R for K of this rank; -1: singular values above 1e-10 count.
function least_norm(k, r, rank)
    d = [1 / (x > 0 ? x : 1) for x in maximum(abs.(k), dims=2)]
    f = svd(d .* k)
    rank = rank < 0 ? count(f.S .> 1e-10 * f.S[1]) : rank
    solve(b) = f.Vt[1:rank, :]' * ((f.U[:, 1:rank]' * b) ./ f.S[1:rank])
    x = solve(d .* r)
    return x + solve(d .* (r - k * x))
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
    let body = &code.bodies[0];
    let results = body.results.iter();
    let results: Vec<String> = results
        .map(|(name, values)| format!("{name} = [{}]", values.join(", ")))
        .collect();
    format!(
        "function {}(t, y, p)\n{}    return (; {})\nend\n",
        code.name,
        body.indented("    "),
        results.join(", ")
    )
}
