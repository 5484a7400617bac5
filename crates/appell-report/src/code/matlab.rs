//! MATLAB and Octave.

use super::{Code, Language, divided, semicolons};

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
    solve: |solve| divided(&MATLAB, solve, &semicolons(&solve.matrix)),
    frame: framed,
};

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
