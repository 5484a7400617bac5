//! The questions, each answered from the text of the model: nothing is kept between them but what the host keeps.

use appell::{
    Diagnostic, Error, FORMALISMS, Formalism, LANGUAGES, Model, Prepared, RunOptions, Source,
    parse_override, show,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// What is asked.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    /// The name of the model's file, for messages.
    #[serde(default)]
    name: String,
    /// The text of the model.
    #[serde(default)]
    text: String,
    /// Values of parameters, `NAME=VALUE` each.
    #[serde(default)]
    parameters: Vec<String>,
    /// Equations of `[initial]` given anew.
    #[serde(default)]
    initial: Vec<String>,
    /// The formalism or the language of code that is asked for.
    #[serde(default)]
    id: String,
}

/// Answers a question in JSON: `{"ok": ..}`, or `{"error": [{"code", "message", "line", "column", ..}, ..]}`.
pub fn answer(question: &str) -> String {
    let question: Question = match serde_json::from_str(question) {
        Ok(question) => question,
        Err(why) => return failed(&words(&format!("not a question: {why}"))),
    };
    match answered(&question) {
        Ok(value) => json!({ "ok": value }).to_string(),
        Err(errors) => failed(&errors),
    }
}

fn failed(errors: &str) -> String {
    format!("{{\"error\":{}}}", errors.trim_end())
}

fn words(message: &str) -> String {
    show::words_json(message, &[])
}

/// The errors as a list in JSON.
type Answered<T> = Result<T, String>;

fn answered(question: &Question) -> Answered<Value> {
    match question.ask.as_str() {
        "gallery" => Ok(gallery()),
        "vocabulary" => Ok(vocabulary()),
        "open" => of_model(question, |p, warnings| Ok(opened(p, warnings))),
        "form" => of_model(question, |p, _| form(p, &question.id)),
        "code" => of_model(question, |p, _| code(p, &question.id)),
        "page" => of_model(question, page),
        other => Err(words(&format!("`{other}` is no question"))),
    }
}

/// The models to begin with.
fn gallery() -> Value {
    let entries = appell::gallery::entries().iter();
    let entry = |entry: &appell::gallery::Entry| json!({ "name": entry.name, "title": entry.title(), "about": entry.about(), "text": entry.text });
    entries.map(entry).collect()
}

/// What an editor completes: the keys of a model and the languages of code.
fn vocabulary() -> Value {
    let languages = LANGUAGES.iter().map(|language| language.id);
    json!({
        "keys": appell::MODEL_KEYS,
        "energies": appell::ENERGY_KEYS,
        "languages": languages.collect::<Vec<_>>(),
    })
}

fn of_model(
    question: &Question,
    then: impl FnOnce(&Prepared<'_>, &[Diagnostic]) -> Answered<Value>,
) -> Answered<Value> {
    let name = match question.name.as_str() {
        "" => "model.toml",
        name => name,
    };
    let source = |text: &str| Source {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let text = appell::with_initial(&question.text, &question.initial)
        .map_err(|why| show::diagnostics_json(&[why], &source(&question.text)))?;
    let (model, warnings) = appell::read(name, &text)
        .map_err(|errors| show::diagnostics_json(&errors, &source(&text)))?;
    let overrides = question.parameters.iter().map(|text| parse_override(text));
    let overrides: Vec<_> = overrides
        .collect::<Result<_, _>>()
        .map_err(|error| of_error(&model, error))?;
    let prepared =
        Prepared::new(&model, &overrides, &[]).map_err(|error| of_error(&model, error))?;
    then(&prepared, &warnings)
}

fn of_error(model: &Model, error: Error) -> String {
    match error {
        Error::Question(diagnostic) => show::diagnostics_json(&[*diagnostic], &model.source),
        other => words(&other.to_string()),
    }
}

/// What is said of a model at once: its names, its parameters with their ranges, and warnings.
fn opened(p: &Prepared<'_>, warnings: &[Diagnostic]) -> Value {
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap_or_default();
    let ranges = p.model.constants().map(|parameter| {
        let [min, max] = [parameter.min, parameter.max].map(|end| Some(p.constant(end?)));
        json!([min, max])
    });
    json!({
        "model": read(show::model_json(p)),
        "ranges": ranges.collect::<Value>(),
        "warnings": read(show::diagnostics_json(warnings, &p.model.source)),
    })
}

/// The equations in LaTeX in one formalism: by default the first that applies.
fn form(p: &Prepared<'_>, id: &str) -> Answered<Value> {
    let forms: Vec<&'static Formalism> = match id {
        "" => FORMALISMS.to_vec(),
        id => Formalism::find(id).into_iter().collect(),
    };
    let mut reasons = Vec::new();
    for form in forms {
        match show::derivation_latex(p, form, false) {
            Ok(latex) => return Ok(json!({ "id": form.id, "title": form.title, "latex": latex })),
            Err(why) => reasons.push(format!("{} does not apply: {why}", form.id)),
        }
    }
    Err(words(&reasons.join("; ")))
}

/// The equations of the form that a run would choose, as source code.
fn code(p: &Prepared<'_>, language: &str) -> Answered<Value> {
    let language = LANGUAGES.iter().find(|known| known.id == language);
    let Some(language) = language else {
        return Err(words("this is no language that code is written in"));
    };
    for form in FORMALISMS {
        let exported = appell::export(p, &[*form], language);
        if exported.unavailable.is_empty() && !exported.text.is_empty() {
            return Ok(json!({ "form": form.id, "text": exported.text }));
        }
    }
    Err(words("no form of the equations applies"))
}

/// The page of `appell report`: equations, proofs, motion with forces, plots.
fn page(p: &Prepared<'_>, warnings: &[Diagnostic]) -> Answered<Value> {
    let report = appell::report(p, &RunOptions::default(), warnings, &mut Default::default())
        .map_err(|error| of_error(p.model, error))?;
    Ok(json!({ "html": report.html }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(question: Value) -> Value {
        serde_json::from_str(&answer(&question.to_string())).expect("JSON")
    }

    fn skate(ask: &str, more: &[(&str, Value)]) -> Value {
        let text = appell::gallery::find("skate").expect("it is there").text;
        let mut question = json!({ "ask": ask, "name": "skate.toml", "text": text });
        for (key, value) in more {
            question[key] = value.clone();
        }
        asked(question)
    }

    #[test]
    fn questions_are_answered() {
        let gallery = asked(json!({ "ask": "gallery" }));
        assert_eq!(
            gallery["ok"].as_array().map(Vec::len),
            Some(appell::gallery::entries().len())
        );
        let opened = &skate("open", &[])["ok"];
        assert_eq!(opened["model"]["coordinates"], json!(["x", "y", "theta"]));
        let parameters = opened["model"]["parameters"].as_array().map(Vec::len);
        assert_eq!(opened["ranges"].as_array().map(Vec::len), parameters);
        let form = &skate("form", &[("id", json!("kane"))])["ok"];
        assert_eq!(form["id"], "kane");
        assert!(
            form["latex"]
                .as_str()
                .is_some_and(|latex| latex.contains("theta"))
        );
        let code = &skate("code", &[("id", json!("c"))])["ok"];
        assert!(
            code["text"]
                .as_str()
                .is_some_and(|text| text.contains("double"))
        );
        let html = &skate("page", &[])["ok"]["html"];
        assert!(html.as_str().is_some_and(|html| html.contains("<math")));
    }

    #[test]
    fn parameters_and_starts_take_the_place_of_the_files() {
        let name = skate("open", &[])["ok"]["model"]["parameters"][0]["name"].clone();
        let given = json!([format!("{}=0.125", name.as_str().unwrap_or_default())]);
        let opened = skate("open", &[("parameters", given)]);
        assert_eq!(opened["ok"]["model"]["parameters"][0]["value"], 0.125);
        let wrong = skate("open", &[("parameters", json!(["nobody=1"]))]);
        assert!(
            wrong["error"][0]["message"]
                .as_str()
                .is_some_and(|words| words.contains("nobody"))
        );
        let moved = skate("page", &[("initial", json!(["x = 77"]))]);
        assert!(
            moved["ok"]["html"]
                .as_str()
                .is_some_and(|html| html.contains("77"))
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let wrong = asked(json!({ "ask": "open", "text": "coordinates = [\"x\"]\n[bodie]\n" }));
        assert!(
            wrong["error"]
                .as_array()
                .is_some_and(|list| list.iter().any(|one| one["line"] == 2))
        );
        for question in [
            "",
            "{}",
            "[]",
            "{\"ask\":\"nothing\"}",
            "{\"ask\":\"open\",\"other\":1}",
        ] {
            let answer: Value = serde_json::from_str(&answer(question)).expect("JSON");
            assert!(answer["error"][0]["message"].is_string(), "{question}");
        }
    }
}
