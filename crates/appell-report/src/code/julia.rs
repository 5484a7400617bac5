//! Julia.

use super::{Code, Language, Solve, semicolons};

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
    let Solve {
        number,
        title,
        matrix,
        right,
        ..
    } = solve;
    // One entry in brackets would be a vector.
    let matrix = match matrix.as_slice() {
        [row] => format!("fill({}, 1, 1)", row.concat()),
        rows => semicolons(rows),
    };
    let right = semicolons(right);
    let call = match solve.least_norm {
        true => format!("pinv({matrix}) * {right}"),
        false => format!("{matrix} \\ {right}"),
    };
    let mut lines = vec![format!("# {title}"), format!("s{number} = {call}")];
    for (i, row) in (1..).zip(&solve.unknowns) {
        let one = |(j, name): (usize, &String)| format!("{name} = s{number}[{i}, {}]", j + 1);
        lines.extend(row.iter().enumerate().map(one));
    }
    lines
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
