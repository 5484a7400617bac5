//! MATLAB and Octave.

use super::{Code, Language, Solve, semicolons};

/// MATLAB, also read by Octave.
pub static MATLAB: Language = Language {
    id: "matlab",
    title: "a function of MATLAB or Octave",
    comment: "%",
    first: 1,
    index: ("(", ")"),
    prefix: "",
    names: &[],
    define: |name, value| format!("{name} = {value};"),
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
    let (matrix, right) = (semicolons(matrix), semicolons(right));
    let call = match solve.least_norm {
        true => format!("pinv({matrix}) * {right}"),
        false => format!("{matrix} \\ {right}"),
    };
    let mut lines = vec![format!("% {title}"), format!("s{number} = {call};")];
    for (i, row) in (1..).zip(&solve.unknowns) {
        let one = |(j, name): (usize, &String)| format!("{name} = s{number}({i}, {});", j + 1);
        lines.extend(row.iter().enumerate().map(one));
    }
    lines
}

fn framed(code: &Code<'_>) -> String {
    let names: Vec<&str> = code.results.iter().map(|(name, _)| name.as_str()).collect();
    let results = code.results.iter();
    let results = results.map(|(name, values)| format!("    {name} = [{}];\n", values.join("; ")));
    format!(
        "{}function [{}] = equations(t, y, p)\n{}{}end\n",
        code.comments(),
        names.join(", "),
        code.body("    "),
        results.collect::<String>()
    )
}
