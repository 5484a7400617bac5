//! MATLAB and Octave.

use super::{Body, Code, LEVELS, Language, divided, of_a_matrix, semicolons};
use appell_expr::Function;

/// MATLAB, also read by Octave.
pub static MATLAB: Language = Language {
    id: "matlab",
    title: "a function of MATLAB or Octave",
    comment: "%",
    first: 1,
    index: ("(", ")"),
    prefix: "",
    names: &[
        (Function::Asin, "real_asin"),
        (Function::Acos, "real_acos"),
        (Function::Log, "real_log"),
        (Function::Min, "smaller"),
        (Function::Max, "larger"),
    ],
    sqrt: "real_sqrt",
    define: |name, value| format!("{name} = {value};"),
    power: |base, exponent| format!("real_power({base}, {exponent})"),
    unknown: |entry| of_a_matrix(&MATLAB, entry),
    solve: |solve| divided(&MATLAB, solve, &semicolons(&solve.matrix)),
    prelude: &[],
    postlude: &[
        ("chosen(", CHOSEN),
        ("least_norm(", LEAST_NORM),
        ("real_", REAL),
        ("smaller(", SMALLER),
        ("larger(", LARGER),
    ],
    frame: framed,
};

/// Functions of real numbers; MATLAB's own go on with complex ones.
const REAL: &str = "
% Of real numbers: NaN where the value is not real.
function x = real_or_nan(x)
    if ~isreal(x)
        x = NaN;
    end
end

function y = real_asin(x), y = real_or_nan(asin(x)); end
function y = real_acos(x), y = real_or_nan(acos(x)); end
function y = real_log(x), y = real_or_nan(log(x)); end
function y = real_sqrt(x), y = real_or_nan(sqrt(x)); end
function y = real_power(x, e), y = real_or_nan(x^e); end
";

/// MATLAB's own pass over what is undefined.
const SMALLER: &str = "
% The smaller number, NaN where one is.
function z = smaller(x, y)
    if x < y || isnan(x), z = x; else, z = y; end
end
";

const LARGER: &str = "
% The larger number, NaN where one is.
function z = larger(x, y)
    if x > y || isnan(x), z = x; else, z = y; end
end
";

/// For choices of independent velocities. A local function, which stands after its caller.
const CHOSEN: &str = "
% The solution of K X = R, where no singular value is below `least` of the largest, rows equilibrated.
function x = chosen(k, r, least)
    d = bsxfun(@rdivide, k, max(max(abs(k), [], 2), 1e-300));
    sizes = svd(d);
    if ~(sizes(end) > least * sizes(1))
        error('appell:singular', 'a linear system is singular');
    end
    x = k \\ r;
end
";

/// By the eigenvectors of the matrix in constant scales: smooth in the state, also a little off the constraints.
const LEAST_NORM: &str = "
% The solution of least norm of K X = R for a symmetric K of this rank; -1: what is above 1e-10 counts. The first unknowns,
% `unique` many, are the same in every solution. The entries of d(i) d(j) K(i, j) are of the order of 1.
function x = least_norm(k, r, rank, unique, d)
    s = (d * d') .* k;
    [vectors, sizes] = eig((s + s') / 2);
    sizes = diag(sizes);
    [~, order] = sort(-abs(sizes));
    sizes = sizes(order);
    vectors = vectors(:, order);
    if rank < 0
        rank = sum(abs(sizes) > 1e-10 * abs(sizes(1)));
    end
    first = abs(sizes(1));
    if ~all(abs(sizes(1:rank)) > 1e-15 * first) || any(abs(sizes(rank+1:end)) > 1e-4 * first)
        error('appell:singular', 'a linear system has lost its rank');
    end
    inverse = vectors(:, 1:rank) * diag(1 ./ sizes(1:rank)) * vectors(:, 1:rank)';
    r = bsxfun(@times, r, d);
    x = inverse * r;
    x = bsxfun(@times, x + inverse * (r - s * x), d);
    open = unique+1:numel(d);
    null_space = bsxfun(@times, vectors(open, rank+1:end), d(open));
    x(open, :) = x(open, :) - null_space * (null_space \\ x(open, :));
end
";

fn framed(code: &Code<'_>) -> String {
    let (name, count) = (code.name, code.bodies.len());
    if let [body] = &code.bodies[..] {
        return function(body, name, "");
    }
    let bodies = code.bodies.iter().zip(1..);
    let functions = bodies.map(|(body, i)| function(body, &format!("{name}_{i}"), "least, "));
    let charts: Vec<String> = (1..=count).map(|i| format!("@{name}_{i}")).collect();
    let levels = LEVELS.map(|level| format!("{level:e}")).join(", ");
    let results = names(&code.bodies[0]);
    format!(
        "% In other independent velocities where the first ones fail, at last in poor ones.\nfunction [{results}] = \
         {name}(t, y, p)\n    charts = {{{}}};\n    for least = [{levels}]\n        for i = 1:{count}\n            try\n                \
         [{results}] = charts{{i}}(least, t, y, p);\n                return;\n            catch why\n                \
         if ~strcmp(why.identifier, 'appell:singular')\n                    rethrow(why);\n                end\n            \
         end\n        end\n    end\n    error('appell:singular', 'a linear system is singular');\nend\n\n{}",
        charts.join(", "),
        functions.collect::<Vec<String>>().join("\n")
    )
}

fn names(body: &Body) -> String {
    let names: Vec<&str> = body.results.iter().map(|(name, _)| name.as_str()).collect();
    names.join(", ")
}

fn function(body: &Body, name: &str, more: &str) -> String {
    let results = body.results.iter();
    let results = results.map(|(name, values)| format!("    {name} = [{}];\n", values.join("; ")));
    format!(
        "function [{}] = {name}({more}t, y, p)\n{}{}end\n",
        names(body),
        body.indented("    "),
        results.collect::<String>()
    )
}
