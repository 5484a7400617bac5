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
    frame: framed,
};

fn lines(solve: &Solve<'_>) -> Vec<String> {
    // One entry in brackets would be a vector.
    let matrix = match solve.matrix.as_slice() {
        [row] => format!("fill({}, 1, 1)", row.concat()),
        rows => semicolons(rows),
    };
    divided(&JULIA, solve, &matrix)
}

fn framed(code: &Code<'_>) -> String {
    let results = code.results.iter();
    let results: Vec<String> = results
        .map(|(name, values)| format!("{name} = [{}]", values.join(", ")))
        .collect();
    format!(
        "{}using LinearAlgebra\n\nfunction equations(t, y, p)\n{}    return (; {})\nend\n",
        code.comments(),
        code.body("    "),
        results.join(", ")
    )
}
