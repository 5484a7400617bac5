//! What expressions look like: text that is read back, LaTeX, abbreviations.

use crate::common::{on_a_small_stack, read};
use appell_expr::{Ex, Graph, Printer, Style, latex_name};

/// Formulas and the text they are printed as, in a fresh graph.
const TEXTS: &[(&str, &str)] = &[
    ("0 - x", "-x"),
    ("1 - x", "1 - x"),
    ("y - x", "y - x"),
    ("-x - y - 1", "-x - y - 1"),
    ("x - 1/2", "x - 1/2"),
    ("-1/2*x", "-x/2"),
    ("3/4*x*y", "3*x*y/4"),
    ("x*0.1", "x/10"),
    ("1/2*I*theta'^2", "I*theta'^2/2"),
    ("theta'*cos(theta)*m", "m*theta'*cos(theta)"),
    ("(x' + y')*sin(x)*m", "m*sin(x)*(x' + y')"),
    ("x/y", "x/y"),
    ("x/(y*z)", "x/(y*z)"),
    ("x/y/2", "x/(2*y)"),
    ("1/x", "1/x"),
    ("-1/x", "-1/x"),
    ("x/(y + z)", "x/(y + z)"),
    ("(x + y)/z", "(x + y)/z"),
    ("-(x + y)/z", "(-x - y)/z"),
    ("0 - (x + y)/z", "-((x + y)/z)"),
    ("w - (x + y)/z", "w - (x + y)/z"),
    ("3*((x + 1)/y)", "3/y*(x + 1)"),
    ("x/2/(y + 1)", "x/2/(y + 1)"),
    ("2*((x + 1)*(y + 1))", "2*((x + 1)*(y + 1))"),
    ("x^2", "x^2"),
    ("(-x)^3", "-x^3"),
    ("(x + y)^2", "(x + y)^2"),
    ("(x^2)^a", "(x^2)^(a)"),
    ("x^(y + 1)", "x^(y + 1)"),
    ("2^x", "2^(x)"),
    ("(-2)^x", "(-2)^(x)"),
    ("x^(-2)", "1/x^2"),
    ("x^(1/3)", "x^(1/3)"),
    ("(2*x)^(1/3)", "(2*x)^(1/3)"),
    ("sqrt(x)", "sqrt(x)"),
    ("1/sqrt(x)", "1/sqrt(x)"),
    ("sqrt(x)^2", "sqrt(x)^2"),
    ("sqrt(x^2)", "sqrt(x^2)"),
    ("sqrt(x)^3", "x^(3/2)"),
    ("x^(3/2)", "x^(3/2)"),
    ("sqrt(2)/2", "sqrt(2)/2"),
    ("x/x", "x/x"),
    ("x^2*y/x", "x^2*y/x"),
    ("1/(1/x)", "1/(1/x)"),
    ("(1/x)^(-2)", "(1/x)^(-2)"),
    ("y/(x/x)", "y/(x/x)"),
    ("sin(x)^2", "sin(x)^2"),
    ("sin(-x)", "-sin(x)"),
    ("atan2(y, x - 1)", "atan2(y, x - 1)"),
    ("pi*x/2", "pi*x/2"),
    ("sin(pi/3)", "sin(pi/3)"),
    ("x*(1/0)", "0^(-1)*x"),
];

#[test]
fn texts_look_as_they_should_and_are_read_back() {
    for (before, after) in TEXTS {
        let g = Graph::new();
        let x = read(&g, before);
        assert_eq!(x.to_string(), *after, "{before}");
        assert_eq!(read(&g, after), x, "{before} printed {after}");
    }
}

#[test]
fn latex_looks_as_it_should() {
    let rows = [
        ("1/2*I*theta'^2", r"\frac{I\, {\dot{\theta}}^{2}}{2}"),
        ("x1'*sin(theta)", r"\dot{x}_{1}\, \sin \theta"),
        ("sin(theta)^2", r"\sin^{2} \theta"),
        ("1/sin(theta)^2", r"\frac{1}{\sin^{2} \theta}"),
        ("sin(2*x)", r"\sin\left(2\, x\right)"),
        ("(x + y)/z", r"\frac{x + y}{z}"),
        ("(x + y)^2/(z*w)", r"\frac{\left(x + y\right)^{2}}{w\, z}"),
        ("sqrt(x + y)", r"\sqrt{x + y}"),
        ("x^(1/3)", r"{x}^{1/3}"),
        ("sin(x)^y", r"\left(\sin x\right)^{y}"),
        ("x - 1/2", r"x - \frac{1}{2}"),
        ("2^x", r"2^{x}"),
        ("2*3^x", r"2 \cdot 3^{x}"),
        ("2*x*3^y", r"2\, x \cdot 3^{y}"),
        ("2*x^3", r"2\, {x}^{3}"),
        (
            "abs(x)*atan2(y, x)",
            r"\operatorname{abs} x\, \operatorname{atan2}\left(y, x\right)",
        ),
        ("mass*pi", r"\pi\, \mathit{mass}"),
    ];
    for (text, latex) in rows {
        assert_eq!(read(&Graph::new(), text).to_latex(), latex, "{text}");
    }
}

#[test]
fn names_become_letters_with_dots_and_indices() {
    let rows = [
        ("x", "x"),
        ("x1", "x_{1}"),
        ("theta", r"\theta"),
        ("theta1''", r"\ddot{\theta}_{1}"),
        ("x'''", "x^{(3)}"),
        ("rho_max", r"\rho_{\mathrm{max}}"),
        ("a_b_c", r"a_{\mathrm{b\_c}}"),
        ("mass", r"\mathit{mass}"),
        ("lambda[blade]", r"\lambda_{\mathrm{blade}}"),
        ("lambda[roll_x]", r"\lambda_{\mathrm{roll\_x}}"),
        ("mu[1,12]", r"\mu_{1,12}"),
        ("mu[1]_", r"\mu_{1}"),
        (
            "lambda[c & d_{50%}$#~^]",
            r"\lambda_{\mathrm{c\ \&\ d\_\{50\%\}\$\#\sim{}\wedge{}}}",
        ),
        ("M[x,theta]", r"M_{x,\theta}"),
        ("R[x1]", r"R_{x_{1}}"),
        ("_", r"\mathit{\_}"),
        ("θ'", r"\dot{\theta}"),
        ("Ω1", r"\Omega_{1}"),
        ("ο", "o"),
        ("p[θ_1]", r"p_{\theta_{1}}"),
        ("M[x_1,theta_2]", r"M_{x_{1},\theta_{2}}"),
        ("θmax", r"\mathit{\theta{}max}"),
    ];
    for (name, latex) in rows {
        assert_eq!(latex_name(name), latex, "{name}");
    }
}

#[test]
fn leading_symbols_come_first() {
    let g = Graph::new();
    let (x, m, a) = (read(&g, "x"), read(&g, "m"), read(&g, "g"));
    let mut printer = Printer::new(&g, Style::Text);
    printer.lead_with(&[m, a]);
    assert_eq!(printer.print(read(&g, "x*sin(x)*g*m/2")), "m*g*x*sin(x)/2");
    assert_eq!((x * a).to_string(), "g*x");
}

/// For people a number may stand at a sum, although the parser would multiply it in.
#[test]
fn loose_texts_have_fewer_brackets() {
    let rows = [
        ("3*((x + 1)/y)", "3*(x + 1)/y"),
        ("x/2/(y + 1)", "x/(2*(y + 1))"),
        ("0 - (x + y)/z", "-(x + y)/z"),
        ("2*((x + 1)*(y + 1))", "2*(x + 1)*(y + 1)"),
    ];
    for (text, loose) in rows {
        let g = Graph::new();
        let mut printer = Printer::new(&g, Style::Text);
        printer.loosen();
        assert_eq!(printer.print(read(&g, text)), loose);
    }
}

#[test]
fn abbreviations_stand_for_what_they_name() {
    let g = Graph::new();
    let shared = read(&g, "m*a*cos(x)");
    let whole = [
        ("2*m*a*cos(x) + y", "2*c1 + y"),
        ("(m*a*cos(x) + 1)^2", "(c1 + 1)^2"),
        ("sin(m*a*cos(x))", "sin(c1)"),
        ("y - m*a*cos(x)", "y - c1"),
    ];
    let mut printer = Printer::new(&g, Style::Text);
    printer.abbreviate(shared, "c1".to_owned());
    for (text, short) in whole {
        let x = read(&g, text);
        assert_eq!(printer.print(x), short);
        assert_eq!(printer.length(x), short.len());
    }
    assert_eq!(printer.print(shared), "c1");
    assert_eq!(printer.print_definition(shared), "a*m*cos(x)");
    assert_eq!(printer.name(shared), Some("c1"));
    assert_eq!(printer.name(g.symbol("m")), None);
}

/// A sum among the terms of a sum is kept whole when it is long: its sign must not come undone.
#[test]
fn long_sums_keep_their_brackets() {
    let g = Graph::new();
    let names: Vec<String> = (0..30).map(|i| format!("x{i}")).collect();
    let terms: Vec<Ex<'_>> = names.iter().map(|name| g.symbol(name)).collect();
    let sum = g.sum(&terms);
    let inner = names.join(" + ");
    assert_eq!(sum.to_string(), inner);
    assert_eq!((g.symbol("y") - sum).to_string(), format!("y - ({inner})"));
    assert_eq!((g.symbol("y") + sum).to_string(), format!("({inner}) + y"));
}

/// As a tree this has 2^64 leaves: the text is cut, quickly, and not in the middle of a word.
#[test]
fn exponentially_long_texts_are_cut() {
    let g = Graph::new();
    let mut x = g.symbol("x");
    for _ in 0..64 {
        x = x.sin() * (x + 1);
    }
    let text = x.to_string();
    assert!(
        text.len() <= 200_000 && text.contains("..."),
        "{} bytes",
        text.len()
    );
    assert_eq!(text.matches('(').count(), text.matches(')').count());
}

#[test]
fn deep_expressions_are_printed_on_a_small_stack() {
    on_a_small_stack(|| {
        let g = Graph::new();
        let (mut x, y) = (g.symbol("x"), g.symbol("y"));
        for _ in 0..100_000 {
            x = x.sin() + y;
        }
        let mut printer = Printer::new(&g, Style::Text);
        let text = printer.print(x);
        assert!(
            text.starts_with("sin(") || text.starts_with("y + sin("),
            "{}",
            &text[..40]
        );
        assert_eq!(text.len(), printer.length(x));
        assert!(x.to_latex().len() <= 200_000);
    });
}

/// The order of sums as textbooks have it: declared symbols by weight, then by place, higher
/// powers first, the constant last; names that nobody declared by their words and numbers.
#[test]
fn terms_stand_by_what_they_are() {
    let rows = [
        ("k*x + c*x' + x''*m", "m*x'' + c*x' + k*x"),
        ("c - z' + a*x*y' + b*y*x'", "b*y*x' + a*x*y' - z' + c"),
        ("1 + x + x^2 + x*y + y^2 + y", "x^2 + x*y + x + y^2 + y + 1"),
        ("m*k*sin(x) + x'*cos(x)*k", "k*x'*cos(x) + m*k*sin(x)"),
        ("sin(y)*sin(x)*y*x*m*x'", "m*x*y*x'*sin(x)*sin(y)"),
        ("1/m + y^2/m + x^2/m", "x^2/m + y^2/m + 1/m"),
        ("lambda[10] + lambda[2]", "lambda[2] + lambda[10]"),
        ("R[y] + R[x]", "R[x] + R[y]"),
        ("f[roll] + f[pitch]", "f[roll] + f[pitch]"),
        ("m*x'' + lambda[1]", "lambda[1] + m*x''"),
    ];
    for (text, wanted) in rows {
        let g = Graph::new();
        for (weight, names) in [
            (1, ["m", "c", "k", "a", "b"].as_slice()),
            (2, &["x", "y", "z"]),
            (3, &["x'", "y'", "z'"]),
            (4, &["x''"]),
        ] {
            for name in names {
                g.declare(name, weight);
            }
        }
        ["roll", "pitch"]
            .iter()
            .for_each(|word| g.declare_word(word));
        assert_eq!(sum_of(&g, text).to_string(), wanted, "{text}");
    }
}

/// Sums stand by the symbols that lead them, whatever the rest of them is; names with a prime stand last in
/// a product.
#[test]
fn sums_stand_by_their_leading_symbols() {
    let g = Graph::new();
    let [x, y] = ["x", "y"].map(|name| g.declare(name, 2));
    let [first, second] = ["eta[1]", "eta[2]"].map(|name| g.symbol(name));
    let shift = g.symbol("Y[1,4]");
    let sum = (first - y * shift).pow(2) + (second - x * shift).pow(2);
    let wanted = "(eta[1] - y*Y[1,4])^2 + (eta[2] - x*Y[1,4])^2";
    assert_eq!(sum.to_string(), wanted);
    let (rate, z) = (g.symbol("rate[1]"), g.symbol("z2"));
    let mut printer = Printer::new(&g, Style::Text);
    printer.abbreviate(rate, "z1'".to_owned());
    assert_eq!(printer.print(rate.pow(2) * z), "z2*z1'^2");
}

/// Reads a sum whose terms may be names with an index, which formulas cannot have.
fn sum_of<'g>(g: &'g Graph, text: &str) -> Ex<'g> {
    let term = |term: &str| match term.contains('[') {
        true => g.symbol(term),
        false => read(g, term),
    };
    match text.contains('[') {
        true => g.sum(&text.split(" + ").map(term).collect::<Vec<_>>()),
        false => read(g, text),
    }
}

/// An id says nothing in another graph: there it would be some other formula.
#[test]
fn expressions_of_two_graphs_do_not_mix() {
    let mixed = |mix: fn(Ex<'_>, Ex<'_>)| {
        std::panic::catch_unwind(|| {
            let (g, h) = (Graph::new(), Graph::new());
            g.symbol("c");
            mix(g.symbol("a"), h.symbol("b"));
        })
        .is_err()
    };
    assert!(mixed(|a, b| {
        let _ = a.graph().sum(&[a, b]);
    }));
    assert!(mixed(|a, b| {
        let _ = a.graph().product(&[a, b]);
    }));
    assert!(mixed(|a, b| {
        let _ = a.power(b);
    }));
    assert!(mixed(|a, b| {
        let _ = a.diff(b);
    }));
    assert!(mixed(|a, b| {
        let _ = a.substitute(&[(a, b)]);
    }));
    assert!(mixed(|a, b| {
        let _ = a.graph().call(appell_expr::Function::Sin, &[b]);
    }));
    assert!(!mixed(|a, _| {
        let _ = a + a;
    }));
}
