//! Exercises: the questions of a file, and whether an answer is right.

use super::{Answered, Question, words};
use appell::{
    ClaimKind, Diagnostic, Exercise, GivenClaim, Id, Model, Prepared, Source, Verdict, Wanted, show,
};
use serde_json::{Value, json};

include!(concat!(env!("OUT_DIR"), "/exercises.rs"));

/// More characters than this are no answer.
const LONGEST: usize = 2000;
const ANSWER: &str = "answer";

/// The exercises to begin with.
pub fn exercises() -> Value {
    let one = |(name, text): &(&str, &str)| {
        let title = appell::read_exercise(name, text).map(|exercise| exercise.title);
        json!({ "name": name, "title": title.unwrap_or_default(), "text": text })
    };
    EXERCISES.iter().map(one).collect()
}

/// An exercise with the text of its model, which claims nothing.
pub fn exercise(question: &Question) -> Answered<Value> {
    let (exercise, text) = opened(question)?;
    let steps = exercise.steps.iter().map(|step| {
        json!({
            "text": step.text,
            "claim": step.claim.as_ref().map(shown),
            "hint": step.hint,
            "solution": step.solution,
            "after": step.after,
        })
    });
    Ok(json!({
        "title": exercise.title,
        "about": exercise.about,
        "model": text,
        "steps": steps.collect::<Value>(),
    }))
}

fn shown(wanted: &Wanted) -> Value {
    json!({
        "kind": wanted.kind,
        "around": wanted.around,
        "given": wanted.given,
        "list": wanted.is_list,
        "where": wanted.domain,
    })
}

/// The exercise of a question and the text of its model without claims; all that is wrong with either stands in the
/// file of the exercise.
fn opened(question: &Question) -> Answered<(Exercise, String)> {
    let name = match question.name.as_str() {
        "" => "exercise.toml",
        name => name,
    };
    let source = Source::new(name, &question.text);
    let said = |errors: &[Diagnostic]| show::diagnostics_json(errors, &source);
    let exercise = appell::read_exercise(name, &question.text).map_err(|errors| said(&errors))?;
    let text = match exercise.names_model() {
        true => match appell::gallery::find(&exercise.model) {
            Some(entry) => entry.text.to_owned(),
            None => return Err(said(&[no_model(&exercise)])),
        },
        false => exercise.model.clone(),
    };
    if let Err(mut errors) = appell::read(name, &text) {
        for error in &mut errors {
            error.label.span = exercise.place_in_model(error.label.span);
            for more in &mut error.more {
                more.span = exercise.place_in_model(more.span);
            }
        }
        return Err(said(&errors));
    }
    Ok((exercise, appell::with_claims(&text, &[])))
}

fn no_model(exercise: &Exercise) -> Diagnostic {
    let names = appell::gallery::entries().iter().map(|entry| entry.name);
    let near = appell::nearest_word(&exercise.model, names);
    let label = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "write the name of a model of the gallery, or the text of one".to_owned(),
    };
    let message = format!("the gallery has no model `{}`", exercise.model);
    Diagnostic::new(
        appell::Code::UnknownName,
        message,
        exercise.model_span,
        label,
    )
}

/// Whether an answer is right: `verdict` is `right`, `wrong`, `open`, `trivial` or `unread`, `said` says why.
pub fn answered(question: &Question) -> Answered<Value> {
    let (exercise, text) = opened(question)?;
    let step = exercise.steps.get(question.point);
    let step = step.ok_or_else(|| words("the exercise has no such step"))?;
    let Some(wanted) = &step.claim else {
        return Err(words("this step asks for nothing"));
    };
    Ok(match judged(&text, wanted, question.id.trim()) {
        Ok((verdict, said)) => json!({ "verdict": verdict, "said": said, "after": step.after }),
        Err(said) => json!({ "verdict": "unread", "said": said }),
    })
}

/// A verdict and what it rests on; an answer that cannot be read is told in words.
type Judged = Result<(&'static str, Vec<String>), Vec<String>>;

fn judged(text: &str, wanted: &Wanted, answer: &str) -> Judged {
    if answer.chars().count() > LONGEST {
        return Err(vec![format!("an answer has at most {LONGEST} characters")]);
    }
    let (said, holds) = match &wanted.around {
        None => (wanted.given.clone(), truth(answer)?),
        Some(around) => {
            plain(text, wanted, answer)?;
            (filled(wanted, around, answer), true)
        }
    };
    let claim = GivenClaim {
        name: ANSWER,
        kind: wanted.kind,
        said: &said,
        is_list: wanted.is_list,
        domain: &wanted.domain,
    };
    let model = read(&appell::with_claims(text, &[claim]), answer)?;
    let prepared = prepared(&model)?;
    let proof = appell::prove(&prepared);
    let found = proof.claims.iter().find(|known| known.name == ANSWER);
    let found = found.ok_or_else(|| vec!["nothing was claimed".to_owned()])?;
    let verdict = match &found.verdict {
        Verdict::Undecided { .. } => "open",
        other if other.is_proved() == holds => "right",
        _ => "wrong",
    };
    // What is constant between jumps, as `sign(x)`, is not true whatever moves.
    if verdict == "right"
        && wanted.around.is_some()
        && let Some(why) = trivial(text, wanted, answer)?
    {
        return Ok(("trivial", vec![why]));
    }
    Ok((verdict, said_of(&model, wanted.kind, &found.verdict)))
}

/// Why an answer is right or not; a state that refutes it by the names of its coordinates, in a few digits.
fn said_of(model: &Model, kind: &str, verdict: &Verdict) -> Vec<String> {
    let Verdict::Refuted {
        witness: Some(witness),
        ..
    } = verdict
    else {
        return show::verdict_lines(verdict);
    };
    let [left, right] = witness.values.each_ref().map(|value| short(value));
    let first = match (kind, right.as_str()) {
        ("constant", "0") => format!("its rate is {left}, not 0"),
        ("equation", "0") => format!("the two sides differ by {left}"),
        _ => format!("{left} is not {right}"),
    };
    let names = || {
        model
            .coordinates
            .iter()
            .map(|coordinate| coordinate.name.as_str())
    };
    let places = names().zip(&witness.q);
    let places = places.map(|(name, x)| format!("{name} = {}", short(x)));
    let rates = names().zip(&witness.v);
    let rates = rates.map(|(name, x)| format!("{name}' = {}", short(x)));
    let inputs = witness.inputs.iter();
    let inputs = inputs.map(|(name, x)| format!("{name} = {}", short(x)));
    let time = [format!("t = {}", short(&witness.t))];
    let state: Vec<String> = time
        .into_iter()
        .chain(places)
        .chain(rates)
        .chain(inputs)
        .collect();
    vec![first, format!("at {}", state.join(", "))]
}

/// Six digits of a number that has more.
fn short(number: &str) -> String {
    match number.parse::<f64>() {
        Ok(x) if x.is_finite() => format!("{x:.6e}").parse::<f64>().unwrap_or(x).to_string(),
        _ => number.to_owned(),
    }
}

/// `true` or `false`.
fn truth(answer: &str) -> Result<bool, Vec<String>> {
    match answer {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(vec!["the answer is `true` or `false`".to_owned()]),
    }
}

/// The claim with the answer in its gap.
fn filled(wanted: &Wanted, [before, after]: &[String; 2], answer: &str) -> Vec<String> {
    match wanted.is_list {
        true => answer
            .split([',', '\n', ';'])
            .map(|one| one.trim().to_owned())
            .filter(|one| !one.is_empty())
            .collect(),
        false if before.is_empty() && after.is_empty() => vec![answer.to_owned()],
        false => vec![format!("{before}({answer}){after}")],
    }
}

/// What is put into an equation is an expression in the state: what is asked for is not the answer.
fn plain(text: &str, wanted: &Wanted, answer: &str) -> Result<(), Vec<String>> {
    if answer.is_empty() {
        return Err(vec!["there is no answer yet".to_owned()]);
    }
    if wanted.is_list {
        return Ok(());
    }
    let model = read(&with_constants(text, &[answer.to_owned()]), answer)?;
    let value = constants(&model);
    let known = of_the_state(&model);
    let symbols = value.iter().flat_map(|id| model.graph.ex(*id).symbols());
    let mut others = symbols.filter(|symbol| !known.contains(&symbol.id()));
    match others.next() {
        Some(other) => Err(vec![format!(
            "say it by coordinates, velocities, motion variables and parameters, without `{}`",
            other.symbol_name().unwrap_or_default()
        )]),
        None => Ok(()),
    }
}

/// The text of a model that claims these to be constant, and nothing else.
fn with_constants(text: &str, said: &[String]) -> String {
    let names: Vec<String> = (0..said.len()).map(|i| format!("{ANSWER}{i}")).collect();
    let claims = names.iter().zip(said.chunks(1));
    let claims: Vec<GivenClaim<'_>> = claims
        .map(|(name, said)| GivenClaim {
            name,
            kind: "constant",
            said,
            is_list: false,
            domain: &[],
        })
        .collect();
    appell::with_claims(text, &claims)
}

/// What a model claims to be constant.
fn constants(model: &Model) -> Vec<Id> {
    let claims = model.claims.iter();
    let ids = claims.filter_map(|claim| match claim.kind {
        ClaimKind::Constant(id) => Some(id),
        _ => None,
    });
    ids.collect()
}

/// The symbols of the time, coordinates, velocities, motion variables and parameters.
fn of_the_state(model: &Model) -> Vec<Id> {
    let coordinates = model
        .coordinates
        .iter()
        .flat_map(|coordinate| [coordinate.q, coordinate.v]);
    let variables = model
        .motion
        .variables
        .iter()
        .map(|variable| variable.symbol);
    let parameters = model.parameters.iter().map(|parameter| parameter.symbol);
    let others = coordinates.chain(variables).chain(parameters);
    [model.time].into_iter().chain(others).collect()
}

/// Why a constant is none that was asked for: it is one whatever moves, or a function of those that are known.
fn trivial(text: &str, wanted: &Wanted, answer: &str) -> Result<Option<String>, Vec<String>> {
    if wanted.kind != "constant" {
        return Ok(None);
    }
    let all = [&wanted.beside[..], &[answer.to_owned()]].concat();
    let model = read(&with_constants(text, &all), answer)?;
    let prepared = prepared(&model)?;
    let found = appell::independent(&prepared, &constants(&model));
    if found.contains(&(all.len() - 1)) {
        return Ok(None);
    }
    Ok(Some(match wanted.beside.len() {
        0 => "it is constant whatever moves: it says nothing of the motion".to_owned(),
        _ => format!(
            "it is constant whatever moves, or a function of what is known already: {}",
            wanted.beside.join(", ")
        ),
    }))
}

/// A model with an answer in it; what is wrong with that is told without the model around it.
fn read(text: &str, answer: &str) -> Result<Model, Vec<String>> {
    let errors = match appell::read(ANSWER, text) {
        Ok((model, _)) => return Ok(model),
        Err(errors) => errors,
    };
    let said = errors.iter().map(|error| {
        let at = error.label.span.of(text);
        let place = match !at.is_empty() && at.len() < answer.len() && answer.contains(at) {
            true => format!(" at `{at}`"),
            false => String::new(),
        };
        let hint = match error.label.text.as_str() {
            "" => String::new(),
            hint => format!(": {hint}"),
        };
        format!("{}{place}{hint}", error.message)
    });
    Err(said.collect())
}

fn prepared(model: &Model) -> Result<Prepared<'_>, Vec<String>> {
    Prepared::new(model, &[], &[]).map_err(|why| vec![why.to_string()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::answer;

    fn asked(question: Value) -> Value {
        serde_json::from_str(&answer(&question.to_string())).expect("JSON")
    }

    fn verdict(text: &str, step: usize, answer: &str) -> (String, String) {
        let question = json!({ "ask": "answer", "text": text, "point": step, "id": answer });
        let found = asked(question);
        let said = found["ok"]["said"].to_string();
        let verdict = found["ok"]["verdict"].as_str().unwrap_or("none");
        (verdict.to_owned(), said)
    }

    #[test]
    fn every_step_of_every_exercise_has_a_solution_that_is_right() {
        for (name, text) in EXERCISES {
            let read = asked(json!({ "ask": "exercise", "text": text }));
            assert!(read["ok"]["title"].is_string(), "{name}: {read}");
            let exercise = appell::read_exercise(name, text).expect("it is right");
            assert!(exercise.steps.len() > 2, "{name}");
            for (index, step) in exercise.steps.iter().enumerate() {
                if step.claim.is_none() {
                    continue;
                }
                let solution = step.solution.as_deref().unwrap_or_default();
                let found = verdict(text, index, solution);
                assert_eq!(found.0, "right", "{name}, step {}: {found:?}", index + 1);
            }
        }
    }

    fn one_step(claim: &str) -> String {
        format!(
            "exercise = 1\ntitle = \"t\"\nmodel = \"skate\"\n[[steps]]\ntext = \"?\"\n{claim}\n"
        )
    }

    #[test]
    fn an_answer_that_says_nothing_is_not_right() {
        let constant = one_step("claim = { constant = \"?\" }\nbeside = [\"T + V\"]");
        for (answer, expected) in [
            ("theta'", "right"),
            ("z2^2", "right"),
            ("sign(x)", "open"),
            ("7", "trivial"),
            ("m", "trivial"),
            ("2*(T + V)", "trivial"),
            ("x'*sin(theta) - y'*cos(theta)", "trivial"),
            ("x'", "wrong"),
            ("x''", "unread"),
            ("multiplier(blade)", "unread"),
            ("nonsense", "unread"),
            ("1 +", "unread"),
            ("", "unread"),
            ("theta' = 0", "unread"),
            ("\"]\n[energy]\nkinetic = \"", "unread"),
        ] {
            let found = verdict(&constant, 0, answer);
            assert_eq!(found.0, expected, "{answer}: {}", found.1);
        }
        let equation = one_step("claim = { equation = \"multiplier(blade) = ?\" }");
        for (answer, expected) in [
            ("m*g*sin(alpha)*sin(theta) - m*z1*z2", "right"),
            ("multiplier(blade)", "unread"),
            ("0) + (multiplier(blade)", "unread"),
            ("m*z1*z2", "wrong"),
        ] {
            let found = verdict(&equation, 0, answer);
            assert_eq!(found.0, expected, "{answer}: {}", found.1);
        }
        let said = verdict(&equation, 0, "m*z1*z2").1;
        assert!(
            said.contains("sides differ by -4") && said.contains("theta' = 2"),
            "{said}"
        );
        let judged = one_step("claim = { constant = \"x'\" }");
        assert_eq!(verdict(&judged, 0, "false").0, "right");
        assert_eq!(verdict(&judged, 0, "true").0, "wrong");
        assert_eq!(verdict(&judged, 0, "perhaps").0, "unread");
        let long = "1+".repeat(5000);
        assert_eq!(verdict(&constant, 0, &long).0, "unread");
    }

    #[test]
    fn what_is_wrong_with_an_exercise_has_its_place() {
        let wrong = |text: &str, said: &str, line: u64| {
            let found = asked(json!({ "ask": "exercise", "text": text }));
            let errors = found["error"].as_array().cloned().unwrap_or_default();
            let is_own = |error: &Value| {
                error["line"] == line && error["message"].as_str().is_some_and(|m| m.contains(said))
            };
            assert!(errors.iter().any(is_own), "{said}: {found}");
        };
        let good = one_step("claim = { constant = \"?\" }");
        wrong(&good.replace("\"skate\"", "\"skte\""), "skte", 3);
        wrong(&good.replace("claim", "clam"), "clam", 6);
        let model = "'''\ncoordinates = [\"x\"]\n[bodie]\n'''";
        wrong(&good.replace("\"skate\"", model), "bodie", 5);
        let none = json!({ "ask": "answer", "text": EXERCISES[0].1, "point": 99, "id": "1" });
        assert!(asked(none)["error"].is_array());
    }

    #[test]
    fn the_model_of_an_exercise_claims_nothing() {
        for (name, text) in EXERCISES {
            let found = asked(json!({ "ask": "exercise", "text": text }));
            let model = found["ok"]["model"].as_str().unwrap_or_default();
            assert!(
                model.contains("coordinates") && !model.contains("[claims]"),
                "{name}"
            );
        }
    }
}
