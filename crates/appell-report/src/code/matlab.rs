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
    prelude: "",
    postlude: LEAST_NORM,
    frame: framed,
};

/// By the singular values of the matrix with rows of unit size. A local function, which stands after its caller.
const LEAST_NORM: &str = "
% The solution of least norm of K X = R for K of this rank; -1: singular values above 1e-10 count.
function x = least_norm(k, r, rank)
    d = max(abs(k), [], 2);
    d(d == 0) = 1;
    [u, s, v] = svd(bsxfun(@rdivide, k, d));
    s = diag(s);
    if rank < 0
        rank = sum(s > 1e-10 * s(1));
    end
    inverse = v(:, 1:rank) * diag(1 ./ s(1:rank)) * u(:, 1:rank)';
    x = inverse * bsxfun(@rdivide, r, d);
    x = x + inverse * bsxfun(@rdivide, r - k * x, d);
end
";

fn framed(code: &Code<'_>) -> String {
    let body = &code.bodies[0];
    let names: Vec<&str> = body.results.iter().map(|(name, _)| name.as_str()).collect();
    let results = body.results.iter();
    let results = results.map(|(name, values)| format!("    {name} = [{}];\n", values.join("; ")));
    format!(
        "function [{}] = {}(t, y, p)\n{}{}end\n",
        names.join(", "),
        code.name,
        body.indented("    "),
        results.collect::<String>()
    )
}
