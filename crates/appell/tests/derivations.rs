//! What a derivation says is true: every formula of it is read back and worked out, and the
//! motion it gives is the motion of the program. A few are kept as they were read and approved.

use crate::common::corpus::{in_threads, over_the_corpus};
use appell::{FORMALISMS, Formalism, Prepared, gallery, read, show, shown_equations};
use appell_expr::{AstKind, Operator, Style, parse};
use appell_flow::Interpreter;
use appell_mech::{Carrier, Equations, Metric, output};
use appell_report::derivation::{Definition, Derivation, RESULTS, Step};
use appell_study::states::nearest::nearest_on_constraints;
use appell_study::states::scattered_states::scattered_constrained_state;
use std::cell::Cell;
use std::collections::HashMap;
use std::path::Path;

/// Every output that a derivation of this form can show.
fn all(form: &Formalism) -> Vec<&'static str> {
    let recipe = form.recipe.iter().map(|object| object.output);
    RESULTS.iter().map(|row| row.0).chain(recipe).collect()
}

/// The motor of a servo pushes along its own directions `W`: no general statement may say `A^T` there.
#[test]
fn statements_name_the_directions_of_the_reactions() {
    for (name, expected) in [("marle-servo", true), ("skate", false)] {
        let entry = gallery::entries().iter().find(|entry| entry.name == name);
        let (model, _) = read(name, entry.expect("in the gallery").text).expect("it is right");
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        for (style, directions, transposed) in [
            (Style::Text, "W lambda", "A^T lambda"),
            (Style::Latex, r"W \lambda", r"A^{\mathsf{T}} \lambda"),
        ] {
            let equations = (FORMALISMS[0].derive)(&p.system, &p.constraints).expect("it applies");
            let derivation = Derivation::new(&p.system, &p.constraints, &equations, style, &[]);
            let is = [directions, transposed].map(|words| derivation.statement.contains(words));
            assert_eq!(
                is,
                [expected, !expected],
                "{name}: {}",
                derivation.statement
            );
        }
    }
}

/// Hands each gallery model in each form that applies to `visit`.
fn each_derivation(style: Style, visit: impl Fn(&str, &Prepared<'_>, &Formalism, &Derivation)) {
    for entry in gallery::entries() {
        let (model, _) = read(entry.name, entry.text).expect("it is right");
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        for form in FORMALISMS {
            if let Ok(equations) = (form.derive)(&p.system, &p.constraints) {
                let derivation =
                    Derivation::new(&p.system, &p.constraints, &equations, style, &all(form));
                visit(
                    &format!("{} by {}", entry.name, form.id),
                    &p,
                    form,
                    &derivation,
                );
            }
        }
    }
}

/// Names with an index in brackets become plain names.
fn plain(formula: &str) -> String {
    let mut plain = String::new();
    let mut inside = false;
    for c in formula.chars() {
        match c {
            '[' | ']' => {
                plain.push_str("_of_");
                inside = c == '[';
            }
            ',' | '.' if inside => plain.push('_'),
            _ => plain.push(c),
        }
    }
    plain
}

type Values = HashMap<String, f64>;

/// The value of a formula, once everything it speaks of has one.
fn value(formula: &str, values: &Values) -> Option<f64> {
    let formula = plain(formula);
    let sentence = parse(&formula).unwrap_or_else(|error| panic!("{formula}: {error:?}"));
    let mut done: Vec<Option<f64>> = Vec::new();
    let nodes = &sentence.ast.nodes;
    for node in nodes {
        let of = |id: &appell_expr::AstId| done[id.index()];
        let value = match &node.kind {
            AstKind::Number(x) => Some(x.to_f64()),
            AstKind::Name(name) if name == "pi" => Some(std::f64::consts::PI),
            AstKind::Name(name) => values.get(name).copied(),
            AstKind::Prime(of, count) => {
                let AstKind::Name(name) = &nodes[of.index()].kind else {
                    panic!("{formula}")
                };
                values
                    .get(&format!("{name}{}", "'".repeat(*count as usize)))
                    .copied()
            }
            AstKind::Neg(a) => of(a).map(|a| -a),
            AstKind::Binary(operator, a, b) => of(a).zip(of(b)).map(|(a, b)| match operator {
                Operator::Add => a + b,
                Operator::Sub => a - b,
                Operator::Mul => a * b,
                Operator::Div => a / b,
                Operator::Pow => a.powf(b),
            }),
            AstKind::Call { name, args, .. } => of(&args[0]).map(|x| match name.as_str() {
                "sqrt" => x.sqrt(),
                "sin" => x.sin(),
                "cos" => x.cos(),
                "tan" => x.tan(),
                "atan" => x.atan(),
                "sinh" => x.sinh(),
                "cosh" => x.cosh(),
                "exp" => x.exp(),
                "log" => x.ln(),
                other => panic!("{other} is not expected"),
            }),
            AstKind::Vector(_) | AstKind::Axis { .. } => panic!("{formula}"),
        };
        done.push(value);
    }
    done[sentence.lhs.index()]
}

/// The values of all formulas; `None` for a system without a value yet, or singular.
fn table(rows: &[Vec<String>], values: &Values) -> Option<Vec<Vec<f64>>> {
    let row = |row: &Vec<String>| row.iter().map(|x| value(x, values)).collect();
    rows.iter().map(row).collect()
}

/// Gauss-Jordan elimination with pivots.
fn solved(mut a: Vec<Vec<f64>>, mut b: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let n = a.len();
    for p in 0..n {
        let pivot = (p..n).max_by(|i, j| a[*i][p].abs().total_cmp(&a[*j][p].abs()))?;
        a.swap(p, pivot);
        b.swap(p, pivot);
        if a[p][p].abs() < 1e-9 {
            return None;
        }
        let (row, right) = (a[p].clone(), b[p].clone());
        for i in (0..n).filter(|i| *i != p) {
            let factor = a[i][p] / row[p];
            a[i].iter_mut()
                .zip(&row)
                .for_each(|(x, y)| *x -= factor * y);
            b[i].iter_mut()
                .zip(&right)
                .for_each(|(x, y)| *x -= factor * y);
        }
    }
    (0..n).for_each(|i| b[i].iter_mut().for_each(|x| *x /= a[i][i]));
    Some(b)
}

/// Gives values to the names of a derivation until nothing more can be found.
fn work_out(derivation: &Derivation, values: &mut Values) {
    let tables = derivation
        .tables
        .iter()
        .flat_map(|table| table.entries.iter().flatten());
    let results = derivation
        .results
        .iter()
        .flat_map(|results| &results.entries);
    let named = derivation.abbreviations.iter().chain(&derivation.shared);
    let alone = derivation.energies.iter().chain(named);
    let mut definitions: Vec<&Definition> = alone.chain(tables).chain(results).collect();
    let steps = || {
        let further = derivation
            .recipe_steps
            .iter()
            .chain(&derivation.result_steps);
        derivation.steps.iter().chain(further)
    };
    for step in steps() {
        match step {
            Step::Define(list) | Step::Solved { unknowns: list, .. } => definitions.extend(list),
            Step::Solve { .. } => {}
        }
    }
    definitions.retain(|d| d.name != d.value);
    loop {
        let before = values.len();
        for Definition {
            name,
            value: formula,
        } in &definitions
        {
            if !values.contains_key(&plain(name)) {
                let found = value(formula, values);
                values.extend(found.map(|x| (plain(name), x)));
            }
        }
        for step in steps() {
            let Step::Solve {
                matrix,
                unknowns,
                right,
                ..
            } = step
            else {
                continue;
            };
            let system = table(matrix, values).zip(table(right, values));
            let Some(solution) = system.and_then(|(a, b)| solved(a, b)) else {
                continue;
            };
            let names = unknowns.iter().flatten().map(|name| plain(name));
            values.extend(names.zip(solution.into_iter().flatten()));
        }
        if values.len() == before {
            return;
        }
    }
}

/// A state on the constraints at this time, where the program gives a motion.
fn on_constraints(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    t: f64,
) -> Option<(Vec<f64>, Vec<f64>)> {
    let moves = |q: &[f64], v: &[f64]| {
        let program = equations
            .program(&[output::STATE_RATE])
            .expect("it is there");
        let fibre = match equations.carrier {
            Carrier::Velocities => v.to_vec(),
            _ => return true,
        };
        let rates = Interpreter::new(program, &p.parameters).results(t, &[q, &fibre].concat());
        rates.is_ok_and(|rates| rates.iter().all(|x| x.is_finite()))
    };
    let mut scattered = (1..17).filter_map(|sample| scattered_constrained_state(p, sample));
    scattered.find_map(|(_, q, v)| {
        let near = nearest_on_constraints(p, t, &q, &v)?;
        moves(&near.0, &near.1).then_some(near)
    })
}

#[test]
fn formulas_give_the_motion_of_the_program() {
    let (checked, unseen) = (Cell::new(0), Cell::new(0));
    let wrong = std::cell::RefCell::new(Vec::new());
    each_derivation(Style::Text, |place, p, form, derivation| {
        let equations = (form.derive)(&p.system, &p.constraints).expect("it applied before");
        let (t, mut seed) = (0.4, 0.37);
        let state = equations.state.iter().map(|_| {
            seed = (seed * 7.3 + 0.21) % 1.0;
            0.4 + 0.7 * seed
        });
        let mut state: Vec<f64> = state.collect();
        // What is shown may use the rows: the state is on them.
        let chart = p.constraints.chart.as_ref();
        let redundant = chart.is_some_and(|chart| chart.rows.len() < p.constraints.k());
        let on_rows = on_constraints(p, &equations, t);
        if on_rows.is_none() && !redundant {
            unseen.set(unseen.get() + 1);
            eprintln!("no state on the rows: {place}");
            return;
        }
        if let Some((q, v)) = on_rows.filter(|_| !redundant) {
            let fibre = match equations.carrier {
                Carrier::Velocities => v,
                _ => state.split_off(q.len()),
            };
            state = [q, fibre].concat();
        }
        let mut values = Values::from([("t".to_owned(), t)]);
        values.extend(
            equations
                .input_names()
                .into_iter()
                .zip(state.iter().copied()),
        );
        let names = p
            .model
            .parameters
            .iter()
            .map(|parameter| parameter.name.clone());
        values.extend(names.zip(p.parameters.iter().copied()));
        work_out(derivation, &mut values);
        // Arguments of functions that have no value of their own get some.
        let arguments = equations.arguments.iter().map(|argument| {
            seed = (seed * 7.3 + 0.21) % 1.0;
            *values.entry(plain(&argument.name)).or_insert(seed)
        });
        let constants = [p.parameters.to_vec(), arguments.collect()].concat();
        let symbols = equations.arguments.iter().map(|argument| argument.symbol);
        let inputs: Vec<_> = equations.inputs().into_iter().chain(symbols).collect();
        let cones = p.constraints.are_cones(&p.system);
        let mut compared = 0;
        let results = derivation.results.iter();
        let results = results.map(|results| (results.output, results.entries.clone()));
        let recipe = derivation.recipe.iter();
        let recipe = recipe.map(|exhibit| (exhibit.output, exhibit.table.entries.concat()));
        // What is shown particle by particle is one output.
        let mut shown: Vec<(&str, Vec<Definition>)> = Vec::new();
        for (output, entries) in results.chain(recipe) {
            match shown.last_mut() {
                Some((last, all)) if *last == output => all.extend(entries),
                _ => shown.push((output, entries)),
            }
        }
        for (output, entries) in shown {
            // Said to be E on cones, which the state here is not on.
            if cones && output == output::ENERGY_STAR {
                continue;
            }
            let program = equations.sketch.program(&inputs, &[output]);
            let program = program.expect("it is there");
            // Off the constraints, redundant rows may contradict each other.
            let expected = Interpreter::new(program, &constants).results(t, &state);
            let Ok(expected) = expected else { continue };
            assert_eq!(entries.len(), expected.len(), "{place}: {output}");
            for (entry, expected) in entries.iter().zip(expected) {
                let Definition {
                    name,
                    value: formula,
                } = entry;
                // The elimination here gives up where rows are redundant.
                let chart = p.constraints.chart.as_ref();
                let redundant = chart.is_some_and(|chart| chart.rows.len() < p.constraints.k());
                let got = match value(formula, &values) {
                    Some(got) => got,
                    None if redundant => continue,
                    None => {
                        let what = format!("{place}: {name} = {formula}: no value");
                        wrong.borrow_mut().push(what);
                        continue;
                    }
                };
                let error = (got - expected).abs() / expected.abs().max(1.0);
                if error.is_nan() || error >= 1e-9 {
                    let what = format!("{place}: {name} = {formula} is {got}, not {expected}");
                    wrong.borrow_mut().push(what);
                }
                compared += 1;
            }
        }
        checked.set(checked.get() + usize::from(compared > 2 * p.system.n()));
    });
    let wrong = wrong.into_inner();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(checked.get() > 50, "{} derivations checked", checked.get());
    assert!(
        unseen.get() < 40,
        "{} derivations without a state",
        unseen.get()
    );
}

/// A state off the constraints, where nothing is small.
fn some_state(size: usize) -> Vec<f64> {
    (0..size)
        .map(|i| 0.4 + 0.7 * (0.37 + 0.618 * i as f64).fract())
        .collect()
}

/// `x y` for matrices row by row, `inner` columns in `x`.
fn product(x: &[f64], inner: usize, y: &[f64]) -> Vec<f64> {
    let columns = y.len() / inner;
    let entry = |row: &[f64], j| (0..inner).map(|i| row[i] * y[i * columns + j]).sum();
    let rows = x.chunks(inner);
    rows.flat_map(|row| (0..columns).map(move |j| entry(row, j)))
        .collect()
}

fn assert_near(place: &str, got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{place}");
    for (got, expected) in got.iter().zip(expected) {
        let error = (got - expected).abs() / expected.abs().max(1.0);
        assert!(error < 1e-8, "{place}: {got}, not {expected}");
    }
}

/// Remark 7.2, corrected: `G z' = Z`, `q'' = Psi z' + d`. Remark 8.1: `C pi g = C`, `g_ij R^j = R_i`.
#[test]
fn recipes_give_the_motion() {
    let checked = Cell::new(0);
    each_derivation(Style::Text, |place, p, form, _| {
        let equations = (form.derive)(&p.system, &p.constraints).expect("it applied before");
        let (n, state) = (p.system.n(), some_state(equations.state.len()));
        let get = |name: &str| {
            let program = equations.program(&[name]).expect("it is there");
            let found = Interpreter::new(program, &p.parameters).results(0.4, &state);
            found.ok()
        };
        let recipe: Vec<&str> = form.recipe.iter().map(|object| object.output).collect();
        if recipe.contains(&output::Z) {
            let all = [output::GRAM, output::PSI, output::STATE_RATE].map(get);
            let [Some(gram), Some(psi), Some(rate)] = all else {
                return;
            };
            let [Some(z), Some(drift), Some(accel)] =
                [output::Z, output::DRIFT, output::ACCEL].map(get)
            else {
                return;
            };
            let rate = &rate[n..];
            if rate.is_empty() {
                return;
            }
            assert_near(place, &product(&gram, rate.len(), rate), &z);
            let carried = product(&psi, rate.len(), rate);
            let carried: Vec<f64> = carried.iter().zip(&drift).map(|(x, d)| x + d).collect();
            assert_near(place, &carried, &accel);
            checked.set(checked.get() + 1);
        } else if recipe.contains(&output::PI) && p.constraints.k() > 0 {
            let all = [output::COVECTORS, output::PI, output::METRIC].map(get);
            let [Some(covectors), Some(pi), Some(metric)] = all else {
                return;
            };
            let projected = product(&product(&covectors, n, &pi), n, &metric);
            assert_near(place, &projected, &covectors);
            let [Some(raised), Some(reaction)] =
                [output::RAISED_REACTION, output::REACTION].map(get)
            else {
                return;
            };
            if p.system.metric != Metric::Singular {
                assert_near(place, &product(&metric, n, &raised), &reaction);
            }
            checked.set(checked.get() + 1);
        }
    });
    assert!(checked.get() > 30, "{} recipes checked", checked.get());
}

#[test]
fn texts_fit_the_page() {
    each_derivation(Style::Text, |place, _, _, derivation| {
        let wide = |line: &&str| line.chars().count() > 100;
        let text = derivation.text();
        assert_eq!(text.lines().find(wide), None, "{place}");
        assert!(
            !text.contains("\n\n\n") && !text.lines().any(|line| line.ends_with(' ')),
            "{place}"
        );
    });
}

/// The texts of all forms of a model, each asked of a model read anew, then of one model in the
/// given order: with every form twice, the second time each stands after all others.
fn compare_alone_and_beside(name: &str, text: &str, order: &[&'static Formalism]) {
    let prepared = |look: &mut dyn FnMut(&Prepared<'_>)| {
        let (model, _) = read(name, text).expect("it is right");
        look(&Prepared::new(&model, &[], &[]).expect("parameters"));
    };
    let shown = |p: &Prepared<'_>, form: &Formalism| {
        let derived = show::derivation_text(p, form, true);
        derived.unwrap_or_else(|why| why.to_string())
    };
    let mut alone = HashMap::new();
    for form in order {
        prepared(&mut |p| drop(alone.insert(form.id, shown(p, form))));
    }
    prepared(&mut |p| {
        for form in order.iter().chain(order) {
            let beside = shown(p, form);
            assert_eq!(beside, alone[form.id], "{name} by {}", form.id);
        }
    });
}

/// Every form of every model says the same alone and after all others.
#[test]
fn texts_do_not_depend_on_what_was_asked_before() {
    let order_of = |index: usize| {
        let mut order: Vec<&'static Formalism> = FORMALISMS.to_vec();
        if index % 2 == 1 {
            order.reverse();
        }
        order
    };
    let gallery = gallery::entries();
    let compared = in_threads(gallery.len(), |index| {
        let entry = &gallery[index];
        compare_alone_and_beside(entry.name, entry.text, &order_of(index));
    });
    compared
        .into_iter()
        .for_each(|result| result.expect("the same"));
    over_the_corpus(6, |index, entry| {
        // Some of the corpus are there for their errors.
        if read(&entry.name, &entry.text).is_ok() {
            compare_alone_and_beside(&entry.name, &entry.text, &order_of(index));
        }
        (1, vec![])
    });
}

/// What derivations of one system share does not show: they are what each is by itself.
#[test]
fn derivations_beside_each_other_are_those_by_themselves() {
    for name in [
        "snakeboard",
        "rolling-disc",
        "affine-particle",
        "rattleback",
    ] {
        let text = gallery::find(name).expect("in the gallery").text;
        let (model, _) = read(name, text).expect("it is right");
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let mut common = None;
        for form in FORMALISMS {
            let Ok(equations) = (form.derive)(&p.system, &p.constraints) else {
                continue;
            };
            let all = all(form);
            let alone = Derivation::new(&p.system, &p.constraints, &equations, Style::Latex, &all);
            let of = (&p.system, &p.constraints, &equations);
            let beside = Derivation::beside(of, Style::Latex, &all, false, &mut common);
            assert_eq!(beside, alone, "{name} by {}", form.id);
        }
    }
}

/// What is left out would not have been shown: with the abbreviations that it needs it has more than the
/// 40 000 bytes that a page allows a formula.
#[test]
fn only_what_is_too_long_is_left_out() {
    let mut left_out = 0;
    for name in ["bicycle", "rattleback", "rolling-disc", "car-with-trailers"] {
        let text = gallery::find(name).expect("in the gallery").text;
        let (model, _) = read(name, text).expect("it is right");
        let p = Prepared::new(&model, &[], &[]).expect("parameters");
        let form = FORMALISMS.iter().find(|form| form.id == "connection");
        let form = form.expect("in the table");
        let (equations, constraints) = shown_equations(&p, form).expect("it applies");
        let (of, all) = ((&p.system, &constraints, &equations), all(form));
        let whole = Derivation::beside(of, Style::Latex, &all, false, &mut None);
        let short = Derivation::beside(of, Style::Latex, &all, true, &mut None);
        for (exhibit, shown) in short.recipe.iter().zip(&whole.recipe) {
            assert_eq!(exhibit.output, shown.output);
            if exhibit.left_out {
                let entries = shown.table.entries.iter().flatten();
                let long: usize = entries.map(|entry| entry.value.len()).sum();
                assert!(long > 40_000, "{name}: {} has {long} bytes", exhibit.output);
                assert!(exhibit.table.entries.is_empty());
                left_out += 1;
            }
        }
        if name == "rolling-disc" {
            assert_eq!(short, whole, "it is short");
        }
    }
    assert!(left_out >= 4, "{left_out} in the bicycle");
}

/// The commands of LaTeX and `amsmath` that derivations may use.
const COMMANDS: &str = "
    allowbreak allowdisplaybreaks alpha bar begin beta bigl bigr cdot chi cos ddot Delta delta
    dim dot end epsilon eta frac Gamma gamma iota kappa Lambda lambda ldots left mathit mathrm
    mathsf mu nabla nu Omega omega operatorname par paragraph partial Phi phi Pi pi Psi psi
    quad raggedright rho right section Sigma sigma sin sloppy sqrt sum tau text
    textasciicircum Theta theta tilde times Upsilon upsilon usepackage varepsilon varphi Xi xi
    zeta";

/// A blank line would end the paragraph.
#[test]
fn a_title_of_several_lines_is_one_line_of_latex() {
    let text =
        "title = \"\"\"One\n\ntwo\"\"\"\ncoordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\n";
    let (model, _) = read("title", text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let latex = show::derivation_latex(&p, FORMALISMS[0], false).expect("equations");
    assert!(!latex.contains("One\n") && latex.contains("two"), "{latex}");
}

#[test]
fn latex_opens_and_closes() {
    each_derivation(Style::Latex, |place, _, _, derivation| {
        let latex = derivation.latex();
        let count = |word: &str| latex.matches(word).count();
        assert_eq!(count("{"), count("}"), "{place}");
        assert_eq!(count(r"\left"), count(r"\right"), "{place}");
        assert_eq!(count(r"\begin{align*}"), count(r"\end{align*}"), "{place}");
        assert_eq!(count(r"\["), count(r"\]"), "{place}");
        assert_eq!(count(r"\bigl("), count(r"\bigr)"), "{place}");
        for command in latex.split('\\').skip(1) {
            let end = command.find(|c: char| !c.is_ascii_alphabetic());
            let name = &command[..end.unwrap_or(command.len())];
            let known = name.is_empty() || COMMANDS.split_whitespace().any(|word| word == name);
            assert!(known, "{place}: \\{name} is no command of LaTeX");
        }
        assert!(
            !latex
                .lines()
                .any(|line| line.trim_end().ends_with("\\\\\n\\end")),
            "{place}"
        );
    });
}

/// Written out, the potential has 2^40 terms; with names for its parts it is a few lines.
#[test]
fn shared_expressions_have_names() {
    let parts = 40;
    let define = |k: usize| format!("d{} = \"sin(d{k})*(d{k} + y)\"\n", k + 1);
    let text = format!(
        "coordinates = [\"x\", \"y\", \"c1\"]\n[parameters]\nm = 1.0\nk3 = 2.0\n\
         [define]\nd0 = \"x*y + c1\"\n{}[energy]\n\
         kinetic = \"m/2*(x'^2 + y'^2 + c1'^2*(k3 + d{parts}^2))\"\npotential = \"d{parts}\"\n\
         [constraints]\nrow = \"x' - d{parts}*y' = 0\"\n",
        (0..parts).map(define).collect::<String>()
    );
    let (model, _) = read("deep.toml", &text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    for form in ["multipliers", "projector"] {
        let formalism = Formalism::find(form).expect("it is in the table");
        let equations = (formalism.derive)(&p.system, &p.constraints).expect("it applies");
        let text = Derivation::new(
            &p.system,
            &p.constraints,
            &equations,
            Style::Text,
            &all(formalism),
        )
        .text();
        assert!(text.len() < 500 * parts, "{} bytes", text.len());
        assert!(!text.contains("..."));
        // c1 is a coordinate and k3 a parameter: the next letter is taken.
        assert!(
            text.contains("\n    h1 ") && !text.contains("\n    k1 "),
            "{text}"
        );
    }
}

/// The text is the one that was read. Run with `UPDATE_GOLDEN=1` to write it anew, then read it.
fn golden(model: &str, form: &str, style: Style) {
    let entry = gallery::find(model).expect("it is in the gallery");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let formalism = Formalism::find(form).expect("it is in the table");
    let equations = (formalism.derive)(&p.system, &p.constraints).expect("it applies");
    let derivation = Derivation::new(
        &p.system,
        &p.constraints,
        &equations,
        style,
        &all(formalism),
    );
    let text = match style {
        Style::Text => derivation.text(),
        Style::Latex => derivation.latex(),
    };
    assert_golden(entry.name, form, style, &text);
}

/// The same for what the command shows, with closed parametrisations.
fn golden_shown(model: &str, form: &str, style: Style) {
    let entry = gallery::find(model).expect("it is in the gallery");
    let (model, _) = read(entry.name, entry.text).expect("it is right");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let formalism = Formalism::find(form).expect("it is in the table");
    let shown = match style {
        Style::Text => show::derivation_text(&p, formalism, true),
        Style::Latex => show::derivation_latex(&p, formalism, true),
    };
    assert_golden(entry.name, form, style, &shown.expect("it applies"));
}

fn assert_golden(name: &str, form: &str, style: Style, text: &str) {
    let ending = match style {
        Style::Text => "txt",
        Style::Latex => "tex",
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(format!("{name}-{form}.{ending}"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(&folder).expect("the folder can be made");
        std::fs::write(&path, text).expect("the golden file can be written");
    }
    let kept = std::fs::read_to_string(&path).expect("the golden file is there");
    assert!(
        text == kept,
        "{name} by {form} reads differently: set UPDATE_GOLDEN=1 and read it"
    );
}

#[test]
fn golden_skate() {
    golden("skate", "gibbs-appell", Style::Text);
    golden("skate", "gibbs-appell", Style::Latex);
}

#[test]
fn golden_vertical_disc_in_parameters() {
    golden("vertical-disc", "gibbs-appell", Style::Text);
}

#[test]
fn golden_perpendicular() {
    golden("perpendicular", "multipliers", Style::Text);
    golden("perpendicular", "multipliers", Style::Latex);
}

#[test]
fn golden_vertical_disc() {
    golden("vertical-disc", "multipliers", Style::Text);
    golden("vertical-disc", "projector", Style::Text);
}

#[test]
fn golden_nonholonomic_pendulum() {
    golden("nonholonomic-pendulum", "multipliers", Style::Text);
}

#[test]
fn golden_closed_forms() {
    golden_shown("perpendicular", "gibbs-appell", Style::Text);
    golden_shown("appell-particle", "gibbs-appell", Style::Latex);
}

#[test]
fn golden_recipes() {
    golden("affine-particle", "voronec", Style::Text);
    golden("affine-particle", "hamilton", Style::Text);
    golden("perpendicular", "kane", Style::Text);
    golden("perpendicular", "hamilton", Style::Latex);
    golden("affine-particle", "gauss", Style::Text);
    golden("chaplygin-sleigh", "gibbs-appell", Style::Latex);
}

/// What rows on accelerations ask for is no definition of these: the equations of motion give them.
#[test]
fn rows_on_accelerations_leave_the_equations_their_place() {
    let text = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + 2*y'^2)/2\"\npotential = 'x^2/2 + y^2'\n\
                [constraints]\nr = \"x'' + 0.5*y'' + 0.1*y' + y + 2*x = 0\"\n";
    let model = crate::common::model(text);
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    for form in ["projector", "gauss", "udwadia-kalaba"] {
        let form = Formalism::find(form).expect("in the table");
        let equations = (form.derive)(&p.system, &p.constraints).expect("it applies");
        let (style, wanted) = (Style::Text, all(form));
        let derivation = Derivation::new(&p.system, &p.constraints, &equations, style, &wanted);
        let text = derivation.text();
        let (before, after) = text.split_once("Equations of motion").expect("a title");
        assert!(!before.contains("x'' = "), "{text}");
        assert!(after.contains("x'' = "), "{text}");
    }
}
