//! The questions, each answered from the text of the model. The last model is kept: what is asked of it again, or with
//! other parameters, need not be read again.

mod exercises;
mod kept;

use appell::{
    Assets, FORMALISMS, Formalism, Handle, LANGUAGES, MISPRINT, Prepared, Pull, RunOptions, Source,
    show,
};
use kept::Kept;
use serde::Deserialize;
use serde_json::{Value, json};

/// What is asked.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub struct Question {
    ask: String,
    /// The name of the model's file, for messages.
    #[serde(default)]
    pub name: String,
    /// The text of the model.
    #[serde(default)]
    pub text: String,
    /// Values of parameters, `NAME=VALUE` each.
    #[serde(default)]
    pub parameters: Vec<String>,
    /// Equations of `[initial]` given anew.
    #[serde(default)]
    pub initial: Vec<String>,
    /// Names of constraints that are left out.
    #[serde(default)]
    pub dropped: Vec<String>,
    /// The formalism whose equations are integrated; by default the first that applies.
    #[serde(default)]
    pub form: String,
    /// The formalism, the language of code, or the part of the page that is asked for.
    #[serde(default)]
    id: String,
    /// A state.
    state: Option<State>,
    /// The number of a point of the state, or of a step of an exercise.
    #[serde(default)]
    point: usize,
    /// How far a motion goes from the state: a length of time, or its end.
    #[serde(default)]
    dt: f64,
    until: Option<f64>,
    /// Where the point is pulled to.
    place: Option<[f64; 3]>,
    /// The velocity that it is given.
    velocity: Option<[f64; 3]>,
    /// The axes of the plane in which velocities are sought; in space, if none.
    plane: Option<[usize; 2]>,
    /// What a page carries beside its content: the host has it anyway.
    #[serde(default)]
    style: String,
    #[serde(default)]
    script: String,
}

/// A time, coordinates and velocities.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    t: f64,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl State {
    fn given(&self) -> appell::State {
        appell::State {
            t: self.t,
            q: self.q.clone(),
            v: Some(self.v.clone()),
            z: None,
        }
    }
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

/// A list of one error, in words.
pub fn words(message: &str) -> String {
    show::words_json(message, &[])
}

/// The errors as a list in JSON.
pub type Answered<T> = Result<T, String>;

fn answered(question: &Question) -> Answered<Value> {
    match question.ask.as_str() {
        "gallery" => Ok(gallery()),
        "vocabulary" => Ok(vocabulary()),
        "exercises" => Ok(exercises::exercises()),
        "exercise" => exercises::exercise(question),
        "answer" => exercises::answered(question),
        "started" => started(question),
        "open" => Kept::with(question, |kept| Ok(opened(kept))),
        "form" => Kept::with(question, |kept| form(&kept.prepared, &question.id)),
        "code" => Kept::with(question, |kept| code(&kept.prepared, &question.id)),
        "part" => Kept::with(question, |kept| part(kept, &question.id)),
        "page" => Kept::with(question, |kept| page(kept, question)),
        "misprint" => Kept::with(question, |kept| misprint(kept, question)),
        "forget" => Kept::with(question, |kept| {
            kept.forget_legs();
            Ok(Value::Null)
        }),
        "leg" => Kept::with(question, |kept| leg(kept, question)),
        "step" => Kept::with(question, |kept| step(kept, question)),
        "start" => Kept::with(question, start),
        "instant" => Kept::with(question, |kept| instant(kept, question)),
        "pull" => Kept::with(question, |kept| pull(kept, question)),
        "allowed" => Kept::with(question, |kept| allowed(kept, question)),
        other => Err(words(&format!("`{other}` is no question"))),
    }
}

/// The models to begin with.
fn gallery() -> Value {
    let entries = appell::gallery::entries().iter();
    let entry = |entry: &appell::gallery::Entry| {
        json!({
            "name": entry.name,
            "title": entry.title(),
            "about": entry.about(),
            "text": entry.text,
        })
    };
    entries.map(entry).collect()
}

/// What an editor completes: the keys of a model and the languages of code.
fn vocabulary() -> Value {
    let languages = LANGUAGES.iter().map(|language| language.id);
    let exercise = [appell::EXERCISE_KEYS, appell::STEP_KEYS].concat();
    let forms = FORMALISMS.iter().map(|form| [form.id, form.title]);
    json!({
        "keys": appell::MODEL_KEYS,
        "exercise": exercise,
        "forms": forms.collect::<Vec<_>>(),
        "energies": appell::ENERGY_KEYS,
        "languages": languages.collect::<Vec<_>>(),
    })
}

/// What is said of a model at once: its names, its parameters with their ranges, and warnings.
fn opened(kept: &Kept) -> Value {
    let p = &kept.prepared;
    let read = |text: String| serde_json::from_str::<Value>(&text).unwrap_or_default();
    let ranges = p.model.parameters.iter().map(|parameter| {
        let [min, max] = [parameter.min, parameter.max].map(|end| Some(p.constant(end?)));
        json!([min, max])
    });
    json!({
        "model": read(show::model_json(p)),
        "ranges": ranges.collect::<Value>(),
        "warnings": read(show::diagnostics_json(&kept.warnings, &p.model.source)),
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
fn page(kept: &Kept, question: &Question) -> Answered<Value> {
    let [style, script] = [&question.style, &question.script].map(String::clone);
    if style.is_empty() || script.is_empty() {
        return Err(words("a page needs its `style` and its `script`"));
    }
    let assets = Assets { style, script };
    let options = RunOptions::default();
    let control = &mut Default::default();
    let html = appell::report_html(&kept.prepared, &options, &kept.warnings, &assets, control)
        .map_err(|error| kept.of_error(error))?;
    Ok(json!({ "html": html }))
}

/// Its pieces, as far as they are known after a part: `equations` in one form, `motion`, or `proofs` with all forms.
fn part(kept: &mut Kept, id: &str) -> Answered<Value> {
    let outcome = match id {
        "equations" => Ok(()),
        "motion" => kept.moving_anew(),
        "proofs" => kept.proving(),
        _ => return Err(words(&format!("`{id}` is no part of a page"))),
    };
    outcome.map_err(|error| kept.of_error(error))?;
    let pieces = kept.pieces().map_err(|error| kept.of_error(error))?;
    let sections = pieces.sections.into_iter();
    let sections = sections
        .map(|(id, title, content)| json!({ "id": id, "title": title, "content": content }));
    Ok(json!({
        "header": pieces.header,
        "sections": sections.collect::<Value>(),
        "data": pieces.data,
    }))
}

/// The text of a model that moves as equations that are printed wrongly would have it: under another force.
fn misprint(kept: &Kept, question: &Question) -> Answered<Value> {
    let p = &kept.prepared;
    let forces = appell::misprinted_force(p).map_err(|why| words(&why))?;
    let title = format!("{}, by {MISPRINT}", p.model.title);
    let text = appell::with_forces(&question.text, &title, &forces);
    let parts = forces.iter().map(|(along, force)| json!([along, force]));
    Ok(json!({
        "name": MISPRINT,
        "text": appell::with_claims(&text, &[]),
        "forces": parts.collect::<Value>(),
    }))
}

/// The motion from a state on, which is not the model's own: after a nudge. Its numbers, and what a page says of it.
fn leg(kept: &mut Kept, question: &Question) -> Answered<Value> {
    let from = fitting(kept, question)?;
    let found = kept.leg(from.given(), question.until);
    let (pieces, above) = found.map_err(|error| kept.of_error(error))?;
    let section = |id: &str| {
        let mut named = pieces.sections.iter().filter(|(other, ..)| *other == id);
        named.next().map_or("", |(.., content)| content.as_str())
    };
    Ok(json!({
        "data": pieces.data,
        "energy": kept.energy(from.t, &from.q, &from.v),
        "above": above.into_iter().map(|(label, by)| (label, json!(by))).collect::<serde_json::Map<_, _>>(),
        "header": pieces.header,
        "claims": section("claims"),
        "about": section("about"),
    }))
}

/// The state a while after the one given.
fn step(kept: &mut Kept, question: &Question) -> Answered<Value> {
    let from = fitting(kept, question)?;
    let after = kept.step(from.given(), question.dt);
    let (t, q, v) = after.map_err(|error| kept.of_error(error))?;
    let mut answer = state(kept, t, &q, &v)?;
    answer["energy"] = json!(kept.energy(t, &q, &v));
    Ok(answer)
}

/// The text of a model that starts from a state.
fn started(question: &Question) -> Answered<Value> {
    let State { t, .. } = given(question)?;
    appell::with_start(&question.text, *t, &question.initial)
        .map(|text| json!({ "text": text }))
        .map_err(|why| {
            let source = Source {
                name: question.name.clone(),
                text: question.text.clone(),
            };
            show::diagnostics_json(&[why], &source)
        })
}

/// The state that the model starts from, with its points.
fn start(kept: &mut Kept) -> Answered<Value> {
    let start = appell::start(&kept.prepared);
    let start = start.map_err(|why| kept.of_error(why.into()))?;
    let mut answer = state(kept, start.t, &start.q, &start.v)?;
    answer["coordinates"] = kept
        .prepared
        .model
        .coordinates
        .iter()
        .map(|coordinate| coordinate.name.as_str())
        .collect();
    answer["points"] = json!(kept.handles().0.names);
    answer["timeless"] = json!(is_timeless(&kept.prepared));
    Ok(answer)
}

/// Whether nothing depends on the time itself.
fn is_timeless(p: &Prepared<'_>) -> bool {
    let (system, rows) = (&p.system, p.constraints.rows.iter());
    let rows = rows.flat_map(|row| row.phi.into_iter().chain(row.position));
    let mechanics = [&system.mass, &system.right]
        .into_iter()
        .flat_map(|matrix| matrix.entries().iter().copied());
    let parametric = p
        .constraints
        .parametric
        .iter()
        .flat_map(|parametrisation| parametrisation.psi.entries().iter().copied());
    !mechanics
        .chain(rows)
        .chain(parametric)
        .any(|x| x.depends_on(system.t))
}

/// The state of the motion at the sample nearest to a time.
fn instant(kept: &mut Kept, question: &Question) -> Answered<Value> {
    let State { t, .. } = given(question)?;
    kept.moving().map_err(|error| kept.of_error(error))?;
    let found = kept.sample(*t);
    let (t, q, v) = found.ok_or_else(|| words("the motion has no state at this time"))?;
    let mut answer = state(kept, t, &q, &v)?;
    answer["energy"] = json!(kept.energy(t, &q, &v));
    Ok(answer)
}

/// The state nearest to the one given, or after a point was pulled, on the constraints.
fn pull(kept: &mut Kept, question: &Question) -> Answered<Value> {
    let State { t, q, v } = fitting(kept, question)?;
    let to = match (question.place, question.velocity) {
        (Some(place), None) => Some(Pull::Place(place)),
        (None, Some(velocity)) => Some(Pull::Velocity(velocity)),
        _ => None,
    };
    let found = match to {
        Some(to) => {
            let (handles, p) = kept.handles();
            handles.pulled(p, (*t, q, v), question.point, to)
        }
        None => appell::allowed(&kept.prepared, *t, q, v),
    };
    let found = found.ok_or_else(|| words("the constraints allow no state near this one"))?;
    let mut answer = state(kept, *t, &found.q, &found.v)?;
    answer["energies"] = json!([kept.energy(*t, q, v), kept.energy(*t, &found.q, &found.v)]);
    answer["residual"] = json!(found.residual);
    answer["discarded"] = json!(found.discarded);
    Ok(answer)
}

/// The velocities that the constraints allow a point.
fn allowed(kept: &mut Kept, question: &Question) -> Answered<Value> {
    let State { t, q, v } = fitting(kept, question)?;
    let speed = question
        .velocity
        .map_or(1.0, |v| v.iter().map(|x| x * x).sum::<f64>().sqrt());
    let plane = question.plane.filter(|[x, y]| *x < 3 && *y < 3 && x != y);
    let (handles, p) = kept.handles();
    let found = handles.allowed_set(p, (*t, q, v), question.point, plane, speed);
    let found = found.ok_or_else(|| words("the point has no velocity here"))?;
    Ok(json!({ "kind": found.kind, "velocities": found.velocities }))
}

fn given(question: &Question) -> Answered<&State> {
    question
        .state
        .as_ref()
        .ok_or_else(|| words("the question has no state"))
}

/// The state of the question, of as many numbers as the model has coordinates.
fn fitting<'q>(kept: &mut Kept, question: &'q Question) -> Answered<&'q State> {
    let (n, points) = (kept.prepared.system.n(), kept.handles().0.names.len());
    let state = given(question)?;
    let pulled = question.place.or(question.velocity).is_some();
    match state.q.len() == n && state.v.len() == n && (!pulled || question.point < points) {
        true => Ok(state),
        false => Err(words(&format!(
            "the model has {n} coordinates and {points} points"
        ))),
    }
}

/// A state with its points, in numbers.
fn state(kept: &mut Kept, t: f64, q: &[f64], v: &[f64]) -> Answered<Value> {
    let handles = kept.handles().0.at(t, q, v).unwrap_or_default();
    let point = |handle: &Handle| json!({ "at": handle.at, "velocity": handle.velocity });
    Ok(json!({ "t": t, "q": q, "v": v, "handles": handles.iter().map(point).collect::<Value>() }))
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
        assert!(whole_page(&[]).contains("<math"));
        let bare = skate("page", &[])["error"][0]["message"].clone();
        assert_eq!(bare, "a page needs its `style` and its `script`");
    }

    fn whole_page(more: &[(&str, Value)]) -> String {
        let assets = [("style", json!("p {}")), ("script", json!("let here;"))];
        let page = skate("page", &[more, &assets].concat())["ok"]["html"].clone();
        page.as_str().unwrap_or_default().to_owned()
    }

    /// A part of a page, and what its sections are called.
    fn part(id: &str, more: &[(&str, Value)]) -> (Value, Vec<String>) {
        let more = [&[("id", json!(id))], more].concat();
        let pieces = skate("part", &more)["ok"].clone();
        let sections = pieces["sections"].as_array().cloned().unwrap_or_default();
        let names = sections
            .iter()
            .map(|section| section["id"].as_str().unwrap_or_default().to_owned());
        (pieces, names.collect())
    }

    #[test]
    fn a_page_is_made_part_by_part() {
        let (_, first) = part("equations", &[]);
        assert_eq!(first, ["equations", "claims", "model"]);
        let (_, second) = part("motion", &[]);
        assert_eq!(
            second,
            ["motion", "plots", "equations", "claims", "model", "about"]
        );
        let (whole, third) = part("proofs", &[]);
        assert_eq!(
            third,
            [
                "motion",
                "plots",
                "equations",
                "claims",
                "proof",
                "model",
                "about"
            ]
        );
        // Whatever was asked before, the whole is the page of the tool.
        for parameters in [json!([]), json!(["alpha=0.25"]), json!([])] {
            let given = [("parameters", parameters.clone())];
            let html = whole_page(&given);
            part("motion", &given);
            let (whole, _) = part("proofs", &given);
            let sections = whole["sections"].as_array().cloned().unwrap_or_default();
            assert!(html.contains("<script>let here;</script>"), "{html}");
            // Pictures that the script draws are left out.
            let drawn = |section: &&Value| section["id"] == "motion" || section["id"] == "plots";
            let pieces = sections
                .iter()
                .filter(|section| !drawn(section))
                .map(|section| &section["content"]);
            for piece in pieces.chain([&whole["header"], &whole["data"]]) {
                assert!(
                    html.contains(piece.as_str().unwrap_or("none")),
                    "{parameters}: {piece}"
                );
            }
        }
        assert_ne!(
            whole,
            part("proofs", &[("parameters", json!(["alpha=0.25"]))]).0
        );
    }

    fn numbers(value: &Value) -> Vec<f64> {
        let list = value.as_array().cloned().unwrap_or_default();
        list.iter().filter_map(Value::as_f64).collect()
    }

    #[test]
    fn a_blade_takes_its_own_part_of_a_velocity() {
        let start = skate("start", &[])["ok"].clone();
        assert_eq!(start["coordinates"], json!(["x", "y", "theta"]));
        assert_eq!(numbers(&start["handles"][0]["velocity"]), [1.0, 0.0, 0.0]);
        let state = json!({ "t": 0.0, "q": [0.0, 0.0, 0.5], "v": [1.0, 0.0, 2.0] });
        let pulled = skate(
            "pull",
            &[
                ("state", state.clone()),
                ("velocity", json!([2.0, 3.0, 0.0])),
            ],
        );
        let found = &pulled["ok"];
        let (sin, cos) = 0.5_f64.sin_cos();
        let along = 2.0 * cos + 3.0 * sin;
        let expected = [along * cos, along * sin, 2.0];
        for (x, expected) in numbers(&found["v"]).iter().zip(expected) {
            assert!((x - expected).abs() < 1e-9, "{pulled}");
        }
        let lost = (3.0 * cos - 2.0 * sin).abs();
        assert!(
            (found["discarded"].as_f64().unwrap_or(0.0) - lost).abs() < 1e-9,
            "{pulled}"
        );
        assert!(
            found["residual"]
                .as_f64()
                .is_some_and(|residual| residual < 1e-12)
        );
        let set = skate("allowed", &[("state", state), ("plane", json!([0, 1]))]);
        assert_eq!(set["ok"]["kind"], "line");
        let state = json!({ "t": 0.0, "q": [0.0, 0.0, 0.0], "v": [1.0, 0.0, 2.0] });
        let moved = skate(
            "pull",
            &[("state", state), ("place", json!([4.0, -1.0, 0.0]))],
        );
        let place = numbers(&moved["ok"]["handles"][0]["at"]);
        assert!(
            (place[0] - 4.0).abs() < 1e-9 && (place[1] + 1.0).abs() < 1e-9,
            "{moved}"
        );
    }

    /// Steps one after the other end where a run ends, and a leg from the middle of a motion where that ends.
    #[test]
    fn steps_and_legs_go_where_a_run_goes() {
        let start = skate("start", &[])["ok"].clone();
        let mut state = json!({ "t": start["t"], "q": start["q"], "v": start["v"] });
        let energy = skate("step", &[("state", state.clone()), ("dt", json!(0.25))]);
        let energy = energy["ok"]["energy"].as_f64();
        for _ in 0..8 {
            let next = skate("step", &[("state", state), ("dt", json!(0.25))])["ok"].clone();
            state = json!({ "t": next["t"], "q": next["q"], "v": next["v"] });
            let drift = (next["energy"].as_f64().unwrap_or(f64::NAN) - energy.unwrap_or(0.0)).abs();
            assert!(drift < 1e-9, "{next}");
        }
        assert_eq!(state["t"], 2.0);
        part("motion", &[]);
        let there = skate(
            "instant",
            &[("state", json!({ "t": 2.0, "q": [], "v": [] }))],
        );
        let there = there["ok"].clone();
        let nearly = |one: &Value, other: &Value| {
            let (one, other) = (numbers(one), numbers(other));
            one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-8)
        };
        assert!(nearly(&state["q"], &there["q"]), "{state} {there}");
        let end = |t: f64| skate("instant", &[("state", json!({ "t": t, "q": [], "v": [] }))]);
        let before = end(10.0)["ok"].clone();
        let leg = skate("leg", &[("state", state.clone()), ("until", json!(10.0))]);
        assert!(leg["ok"]["data"].is_string(), "{leg}");
        assert!(nearly(&before["q"], &end(10.0)["ok"]["q"]));
        // A nudge, and the instants before it stay.
        let mut nudged = state.clone();
        nudged["v"][2] = json!(3.0);
        skate("leg", &[("state", nudged), ("until", json!(10.0))]);
        assert!(!nearly(&before["q"], &end(10.0)["ok"]["q"]));
        let early = end(1.0)["ok"].clone();
        skate("forget", &[]);
        assert!(nearly(&early["q"], &end(1.0)["ok"]["q"]));
        assert!(nearly(&before["q"], &end(10.0)["ok"]["q"]));
        for dt in [json!(0.0), json!(-1.0)] {
            let wrong = skate("step", &[("state", state.clone()), ("dt", dt)]);
            assert!(wrong["error"][0]["message"].is_string());
        }
    }

    #[test]
    fn variants_are_kept_beside_the_model() {
        let plain = part("motion", &[]).0;
        let free = part("motion", &[("dropped", json!(["blade"]))]).0;
        assert_ne!(plain["data"], free["data"]);
        let other = part("motion", &[("form", json!("projector"))]).0;
        assert!(other["data"].is_string());
        assert_eq!(part("motion", &[]).0["data"], plain["data"]);
        let wrong = skate("open", &[("dropped", json!(["blad"]))]);
        assert!(
            wrong["error"][0]["message"]
                .as_str()
                .is_some_and(|m| m.contains("blad"))
        );
        let wrong = skate(
            "part",
            &[("id", json!("motion")), ("form", json!("nobody"))],
        );
        assert!(wrong["error"][0]["message"].is_string(), "{wrong}");
    }

    #[test]
    fn a_misprint_is_a_force() {
        let found = skate("misprint", &[])["ok"].clone();
        assert_eq!(found["forces"], json!([]));
        let text = appell::gallery::find("chaplygin-sleigh")
            .expect("it is there")
            .text;
        let found = asked(json!({ "ask": "misprint", "text": text }))["ok"].clone();
        assert!(
            found["forces"]
                .as_array()
                .is_some_and(|list| !list.is_empty()),
            "{found}"
        );
        let moved = asked(json!({ "ask": "part", "id": "motion", "text": found["text"] }));
        assert!(moved["ok"]["data"].is_string(), "{moved}");
        let free = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2\"\n";
        let found = asked(json!({ "ask": "misprint", "text": free }));
        assert!(found["error"][0]["message"].is_string());
    }

    #[test]
    fn a_model_starts_from_a_state() {
        let state = json!({ "t": 0.25, "q": [], "v": [] });
        let lines = json!(["x = 3", "x' = 0"]);
        let started = skate("started", &[("state", state), ("initial", lines)]);
        let text = started["ok"]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(
            text.contains("\"x = 3\"") && text.contains("t = 0.25") && !text.contains("z1 = 1\",")
        );
    }

    #[test]
    fn inputs_have_ranges_and_values() {
        let text = "coordinates = [\"x\"]\n[parameters]\nm = 2\n[inputs]\nu = { value = 0.5 }\n\
                    [energy]\nkinetic = \"m*x'^2/2\"\n[forces]\nx = \"u\"\n";
        let question = json!({ "ask": "open", "text": text, "parameters": ["u=3"] });
        let opened = &asked(question)["ok"];
        assert_eq!(opened["model"]["inputs"][0]["name"], "u", "{opened}");
        assert_eq!(opened["ranges"], json!([[null, null], [null, null]]));
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
        assert!(whole_page(&[("initial", json!(["x = 77"]))]).contains("77"));
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
            "{\"ask\":\"pull\",\"text\":\"coordinates = ['x']\\nenergy.kinetic = \\\"x'^2\\\"\"}",
        ] {
            let answer: Value = serde_json::from_str(&answer(question)).expect("JSON");
            assert!(answer["error"][0]["message"].is_string(), "{question}");
        }
    }
}
