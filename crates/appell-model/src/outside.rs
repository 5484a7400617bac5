//! Formulas that come with a question, not with the file: the numbers of a state, and equations of
//! `[initial]` given anew.

use crate::algebra::{self, Refusal};
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::elaborate::results;
use crate::function_names;
use crate::model::{Model, Value};
use crate::suggest::did_you_mean;
use appell_expr::{AstKind, AstNode, Function, Id, parse};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike};

/// An expression in the parameters of a model: numbers, `pi`, parameters, definitions made of these,
/// and the elementary functions.
///
/// # Errors
/// What is wrong with it.
pub fn expression_in_parameters(model: &Model, text: &str) -> Result<Id, Diagnostic> {
    scalar(model, text, Scope::Parameters).map_err(refused)
}

/// An expression in the time, coordinates, their rates (`x'`), parameters and definitions made of these.
///
/// # Errors
/// What is wrong with it.
pub fn expression_of_state(model: &Model, text: &str) -> Result<Id, Diagnostic> {
    scalar(model, text, Scope::State).map_err(refused)
}

/// The same, in which inputs may stand too.
///
/// # Errors
/// What is wrong with it.
pub fn expression_of_output(model: &Model, text: &str) -> Result<Id, Diagnostic> {
    scalar(model, text, Scope::Output).map_err(refused)
}

/// What a formula from outside may speak of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    Parameters,
    State,
    Output,
}

/// What is said of a text that comes with a question: it has no place in the file.
fn refused(why: String) -> Diagnostic {
    Diagnostic::new(Code::BadValue, why, Default::default(), "")
}

fn scalar(model: &Model, text: &str, scope: Scope) -> Result<Id, String> {
    let sentence = parse(text).map_err(|error| match error.kind.hint() {
        Some(hint) => format!("{}: {hint}", error.kind),
        None => error.kind.to_string(),
    })?;
    if sentence.relation.is_some() {
        return Err("an expression is needed, not an equation or a condition".to_owned());
    }
    let calls = sentence
        .ast
        .nodes
        .iter()
        .filter_map(|node| match &node.kind {
            AstKind::Call { name, .. } => Some(name),
            _ => None,
        });
    let mut of_mechanics = calls.filter(|name| is_of_results(name));
    if let (Some(name), true) = (of_mechanics.next(), scope != Scope::Parameters) {
        return Err(of_results(name));
    }
    let mut values: Vec<Id> = Vec::with_capacity(sentence.ast.nodes.len());
    for node in &sentence.ast.nodes {
        let value = value_of(model, node, &values, scope)?;
        values.push(value);
    }
    let value = values[sentence.lhs.index()];
    let symbols = model.graph.ex(value).symbols();
    let is_parameter = |id: Id| {
        let mut parameters = model.parameters.iter();
        parameters.any(|p| p.symbol == id && (scope == Scope::Output || !p.is_input))
    };
    let is_of_state = |id: Id| {
        let mut coordinates = model.coordinates.iter();
        scope != Scope::Parameters
            && (id == model.time
                || coordinates.any(|coordinate| coordinate.q == id || coordinate.v == id))
    };
    let known = |id: Id| is_parameter(id) || is_of_state(id);
    match symbols.iter().find(|symbol| !known(symbol.id())) {
        Some(other) => Err(format!(
            "`{}` is no parameter; {}",
            other.symbol_name().unwrap_or_default(),
            match scope {
                Scope::Parameters => "a state is made of numbers and parameters",
                Scope::State =>
                    "an input is made of the time, coordinates, velocities and parameters",
                Scope::Output =>
                    "an output is made of the time, coordinates, velocities, parameters and inputs",
            }
        )),
        None => Ok(value),
    }
}

/// The value of a node from those of its children, which stand before it.
fn value_of(model: &Model, node: &AstNode, values: &[Id], scope: Scope) -> Result<Id, String> {
    let graph = &model.graph;
    match &node.kind {
        AstKind::Number(number) => Ok(graph.number(number.clone()).id()),
        AstKind::Name(name) => named(model, name, scope),
        AstKind::Prime(of, 1) if scope != Scope::Parameters => {
            let coordinate = model.coordinates.iter().find(|x| x.q == values[of.index()]);
            let rate = coordinate.map(|c| c.v);
            rate.ok_or_else(|| "only a coordinate has a prime here, as `x'`".to_owned())
        }
        AstKind::Neg(a) => Ok((-graph.ex(values[a.index()])).id()),
        AstKind::Binary(operator, a, b) => {
            let scalar = |id: &appell_expr::AstId| Value::Scalar(values[id.index()]);
            match algebra::combined(graph, *operator, scalar(a), scalar(b)) {
                Ok(Value::Scalar(x)) => Ok(x),
                Err(Refusal::Zero) => Err("a division by zero".to_owned()),
                Ok(Value::Vector(_)) | Err(Refusal::Kinds(..)) => Err("not a scalar".to_owned()),
            }
        }
        AstKind::Call { name, args, .. } => {
            let arguments: Vec<_> = args.iter().map(|a| graph.ex(values[a.index()])).collect();
            match (Function::from_name(name), arguments.as_slice()) {
                (Some(f), arguments) if f.arity() == arguments.len() => {
                    Ok(graph.call(f, arguments).id())
                }
                (None, [x]) if name == "sqrt" => Ok(x.sqrt().id()),
                _ => Err(format!(
                    "`{name}` is no elementary function of these arguments"
                )),
            }
        }
        AstKind::Prime(..) | AstKind::Vector(_) | AstKind::Axis { .. } => {
            Err("a number is needed: rates and vectors cannot stand here".to_owned())
        }
    }
}

fn named(model: &Model, name: &str, scope: Scope) -> Result<Id, String> {
    if let Some(id) = of_state(model, name).filter(|_| scope != Scope::Parameters) {
        return Ok(id);
    }
    if name == "pi" {
        return Ok(model.graph.pi().id());
    }
    let parameter = model.parameters.iter().find(|p| p.name == name);
    let definition = || {
        let found = model.definitions.iter().find(|(key, _)| key == name);
        found.and_then(|(_, value)| match value {
            Value::Scalar(x) => Some(*x),
            Value::Vector(_) => None,
        })
    };
    let known = || model.parameters.iter().map(|p| p.name.as_str());
    let energy = || match name {
        "T" if scope != Scope::Parameters => model.kinetic,
        "V" if scope != Scope::Parameters => model.potential,
        _ => None,
    };
    parameter
        .map(|p| p.symbol)
        .or_else(definition)
        .or_else(energy)
        .ok_or_else(|| {
            if results::named(name).is_some() && scope != Scope::Parameters {
                return of_results(name);
            }
            let all = known().collect::<Vec<_>>().join(", ");
            if scope == Scope::Parameters {
                let hint = did_you_mean(name, known(), &format!("the parameters are: {all}"));
                return format!("`{name}` is no parameter; {hint}");
            }
            let coordinates = || model.coordinates.iter().map(|c| c.name.as_str());
            let also = coordinates().collect::<Vec<_>>().join(", ");
            let known_here = format!("the coordinates are: {also}; the parameters: {all}");
            let hint = did_you_mean(name, coordinates().chain(known()), &known_here);
            format!("`{name}` is not known here; {hint}")
        })
}

/// Whether it is a function of points, bodies or results of the motion.
fn is_of_results(name: &str) -> bool {
    let vectors = function_names::VECTORS.iter().map(|(function, _)| function);
    let others = function_names::KINEMATICS
        .iter()
        .chain(&function_names::FUNCTIONS);
    vectors.chain(others).any(|function| *function == name)
}

/// Where results may stand, and here not.
fn of_results(name: &str) -> String {
    format!(
        "`{name}` cannot stand here: a formula that comes with a question is made of the time, coordinates, velocities, \
         parameters, scalars of [define], T and V; `E`, forces and vectors can stand in the model, in `stop` of \
         [simulate], in [claims] and in [[plots]]"
    )
}

/// The time or a coordinate.
fn of_state(model: &Model, name: &str) -> Option<Id> {
    let coordinate = model.coordinates.iter().find(|c| c.name == name);
    match name {
        "t" => Some(model.time),
        _ => coordinate.map(|c| c.q),
    }
}

/// The text of a model with equations of `[initial] state` given anew: each takes the place of the
/// one with the same left side, or is added.
///
/// # Errors
/// An equation without `=`. A text that is not as a model should be is given back as it
/// is, for [`read`](crate::read()) to say what is wrong with it.
pub fn with_initial(text: &str, equations: &[String]) -> Result<String, Diagnostic> {
    if let Some(other) = equations.iter().find(|text| left_side(text).is_none()) {
        let why = format!("`{other}` is no equation: write it as `x' = 0`");
        return Err(refused(why));
    }
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return Ok(text.to_owned());
    };
    let initial = document
        .entry("initial")
        .or_insert(Item::Table(Table::new()));
    let Some(state) = initial.as_table_like_mut().and_then(state_of) else {
        return Ok(text.to_owned());
    };
    for equation in equations {
        let side = left_side(equation);
        let same = (0..state.len()).find(|i| {
            let old = state.get(*i).and_then(|value| value.as_str());
            old.and_then(left_side) == side
        });
        match same {
            Some(i) => _ = state.replace(i, equation.as_str()),
            None => state.push(equation.as_str()),
        }
    }
    Ok(document.to_string())
}

/// The text of a model that starts at another time. A text that is not as a model should be is given back as it is.
#[must_use]
pub fn with_time(text: &str, time: f64) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return text.to_owned();
    };
    let initial = document
        .entry("initial")
        .or_insert(Item::Table(Table::new()));
    let Some(initial) = initial.as_table_like_mut() else {
        return text.to_owned();
    };
    let before = initial.get("t");
    let before = before.and_then(|item| item.as_float().or(item.as_integer().map(|t| t as f64)));
    if before.unwrap_or(0.0) != time || (initial.contains_key("t") && before.is_none()) {
        initial.insert("t", toml_edit::value(time));
    }
    document.to_string()
}

/// The text of a model that starts at a time with these equations and no others.
///
/// # Errors
/// As for [`with_initial`].
pub fn with_start(text: &str, time: f64, lines: &[String]) -> Result<String, Diagnostic> {
    let text = with_time(&with_initial(text, lines)?, time);
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return Ok(text);
    };
    let initial = document.get_mut("initial");
    if let Some(state) = initial.and_then(Item::as_table_like_mut).and_then(state_of) {
        state.clear();
        for line in lines {
            let mut value = toml_edit::Value::from(line.as_str());
            // Velocities stand beside their coordinates.
            let rate = left_side(line).is_some_and(|side| side.ends_with('\''));
            value
                .decor_mut()
                .set_prefix(if rate { " " } else { "\n  " });
            state.push_formatted(value);
        }
        state.set_trailing("\n");
        state.set_trailing_comma(!lines.is_empty());
    }
    Ok(document.to_string())
}

/// The text of a model whose only claims are these: a name, what is claimed, and the words or formulas of the claim.
///
/// A text that is not as a model should be is given back as it is, for [`read`](crate::read()) to say what is wrong.
#[must_use]
pub fn with_claims(text: &str, claims: &[GivenClaim<'_>]) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return text.to_owned();
    };
    document.remove("claims");
    if claims.is_empty() {
        return document.to_string();
    }
    let mut table = Table::new();
    for claim in claims {
        let mut inline = InlineTable::new();
        let value = match claim.is_list {
            true => Array::from_iter(claim.said.iter().map(String::as_str)).into(),
            false => toml_edit::Value::from(claim.said.concat()),
        };
        inline.insert(claim.kind, value);
        if !claim.domain.is_empty() {
            inline.insert(
                "where",
                Array::from_iter(claim.domain.iter().map(String::as_str)).into(),
            );
        }
        table.insert(claim.name, toml_edit::value(inline));
    }
    document.insert("claims", Item::Table(table));
    document.to_string()
}

/// A claim that is put into a model.
pub struct GivenClaim<'a> {
    /// What it is called.
    pub name: &'a str,
    /// What is claimed.
    pub kind: &'a str,
    /// Its words or formulas.
    pub said: &'a [String],
    /// Whether they are a list.
    pub is_list: bool,
    /// Where it is to hold.
    pub domain: &'a [String],
}

/// The text of a model with more forces along coordinates, and another title.
///
/// A text that is not as a model should be is given back as it is.
#[must_use]
pub fn with_forces(text: &str, title: &str, forces: &[(String, String)]) -> String {
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return text.to_owned();
    };
    document.insert("title", toml_edit::value(title));
    let all = document
        .entry("forces")
        .or_insert(Item::Table(Table::new()));
    if let Some(all) = all.as_table_like_mut() {
        for (coordinate, more) in forces {
            let before = all.get(coordinate).and_then(Item::as_str);
            let force = match before {
                Some(before) => format!("({before}) + ({more})"),
                None => more.clone(),
            };
            all.insert(coordinate, toml_edit::value(force));
        }
    }
    document.to_string()
}

fn state_of(initial: &mut dyn TableLike) -> Option<&mut Array> {
    let state = initial.entry("state");
    state
        .or_insert(Item::Value(Array::new().into()))
        .as_array_mut()
}

/// What stands left of the `=`, without blanks.
pub fn left_side(equation: &str) -> Option<String> {
    let (left, _) = equation.split_once('=')?;
    Some(left.split_whitespace().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::read;

    const MODEL: &str = "coordinates = [\"x\"]\n[parameters]\nm = 2\nw = \"m/8\"\n[define]\n\
                         twice = \"2*w\"\nplace = \"x + w\"\n[energy]\nkinetic = \"m*x'^2/2\"\n\
                         [initial]\nstate = [\"x = 1\", \"x' = 2\"] # where it starts\n";

    fn expression(text: &str) -> Result<String, String> {
        let (model, _) = read("m.toml", MODEL).expect("a good model");
        let found = scalar(&model, text, Scope::Parameters);
        found.map(|x| format!("{}", model.graph.ex(x)))
    }

    #[test]
    fn inputs_are_made_of_the_state_too() {
        let (model, _) = read("m.toml", MODEL).expect("a good model");
        let of_state = |text: &str| scalar(&model, text, Scope::State);
        for good in ["sin(t) - m*x'", "place*x", "x'^2 + pi", "T/m"] {
            assert!(of_state(good).is_ok(), "{good}");
        }
        for bad in ["x''", "t'", "y", "x' = 1", "[x, 0, 0]", "E", "norm(x)"] {
            assert!(of_state(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn expressions_are_made_of_parameters() {
        for good in [
            "1/3",
            "-m/w",
            "sqrt(m)*sin(pi/4)",
            "twice^2",
            "atan2(m, w)",
            "1e-3",
        ] {
            assert!(expression(good).is_ok(), "{good}: {:?}", expression(good));
        }
        for (bad, why) in [
            ("x", "`x` is no parameter"),
            ("place", "`x` is no parameter"),
            ("mm", "did you mean `m`?"),
            ("m'", "rates"),
            ("[m, m, m]", "vectors"),
            ("m/0", "division by zero"),
            ("m = 1", "not an equation"),
            ("sin(m, w)", "`sin`"),
            ("2 +", ""),
        ] {
            let answer = expression(bad).expect_err(bad);
            assert!(answer.contains(why), "{bad}: {answer}");
        }
    }

    #[test]
    fn equations_take_the_place_of_those_with_their_left_side() {
        let changed = with_initial(MODEL, &["x'=3*m".to_owned()]).expect("an equation");
        assert!(
            changed.contains("\"x = 1\",\"x'=3*m\"") || changed.contains("\"x = 1\", \"x'=3*m\""),
            "{changed}"
        );
        assert!(changed.contains("# where it starts"));
        let (model, _) = read("m.toml", &changed).expect("still a good model");
        assert_eq!(model.initial.state.len(), 2);
        let added = with_initial("coordinates = [\"x\"]\n", &["x = 1".to_owned()]);
        let added = added.expect("an equation");
        assert!(
            added.contains("[initial]") && added.contains("state = [\"x = 1\"]"),
            "{added}"
        );
        let started = with_start(MODEL, 0.5, &["x = 7".to_owned(), "x' = 3".to_owned()]);
        let started = started.expect("equations");
        assert!(
            started.contains("state = [\n  \"x = 7\", \"x' = 3\",\n] # where it starts"),
            "{started}"
        );
        let (model, _) = read("m.toml", &started).expect("still a good model");
        assert_eq!(model.initial.state.len(), 2);
        assert!(started.contains("t = 0.5"), "{started}");
        assert!(
            !with_start(MODEL, 0.0, &[])
                .expect("no equations")
                .contains("t =")
        );
        assert!(with_initial(MODEL, &["x".to_owned()]).is_err());
        assert_eq!(
            with_initial("= 3", &["x = 1".to_owned()]),
            Ok("= 3".to_owned())
        );
    }
}
