//! Exercises: a model with questions, each answered by a claim that is to be found.

use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::document::{self, Entry, Kind, Node, Table};
use crate::keys::CLAIM_KINDS;
use crate::source::Source;
use crate::suggest::did_you_mean;
use crate::text::Text;
use appell_expr::{Rational, Span};

/// Keys of an exercise.
pub const EXERCISE: &[&str] = &["exercise", "title", "about", "model", "steps"];
/// Keys of one of its steps.
pub const STEP: &[&str] = &[
    "text", "claim", "where", "beside", "hint", "solution", "after",
];
/// Claims that are written as a list.
const LISTS: &[&str] = &["class", "singular_at", "equivalent"];
/// What stands for the answer.
pub const WANTED: char = '?';
/// More steps than this are no exercise.
const MOST_STEPS: usize = 100;
/// Characters of a text to be read.
const LONGEST: usize = 4000;

/// A model with questions.
#[derive(Debug, Clone)]
pub struct Exercise {
    /// What it is called.
    pub title: String,
    /// What it is about.
    pub about: Option<String>,
    /// The name of a model of the gallery, or the text of one.
    pub model: String,
    /// Where that stands.
    pub model_span: Span,
    /// One after the other.
    pub steps: Vec<Step>,
    /// The model's characters in the file.
    written: Text,
}

/// A question, or a remark where nothing is claimed.
#[derive(Debug, Clone)]
pub struct Step {
    /// What is asked.
    pub text: String,
    /// What is to be found.
    pub claim: Option<Wanted>,
    /// What helps to find it.
    pub hint: Option<String>,
    /// An answer that is right.
    pub solution: Option<String>,
    /// What is said once it is found.
    pub after: Option<String>,
}

/// A claim with a gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// What is claimed: a word of a claim in a model.
    pub kind: &'static str,
    /// Before and after the gap; `None` where the whole claim is given, and is to be judged.
    pub around: Option<[String; 2]>,
    /// The claim that is to be judged.
    pub given: Vec<String>,
    /// Whether the answer is a list.
    pub is_list: bool,
    /// Where it is to hold.
    pub domain: Vec<String>,
    /// Of these the constant is to be no function.
    pub beside: Vec<String>,
}

impl Exercise {
    /// The place in the file of a place in the model's text.
    #[must_use]
    pub fn place_in_model(&self, span: Span) -> Span {
        self.written.place(span)
    }

    /// Whether the model is given by its name in the gallery.
    #[must_use]
    pub fn names_model(&self) -> bool {
        !self.model.contains(['=', '\n'])
    }
}

/// Reads an exercise; the model in it is not read.
///
/// # Errors
/// Everything that is wrong with it, each with its place.
pub fn read_exercise(file_name: &str, text: &str) -> Result<Exercise, Vec<Diagnostic>> {
    let source = Source::new(file_name, text);
    let mut report = Report::default();
    let table = document::parse(&source, &mut report);
    let exercise = table.and_then(|table| exercise(&table, &mut report));
    let said = report.finish()?;
    exercise.ok_or(said)
}

fn exercise(table: &Table, report: &mut Report) -> Option<Exercise> {
    check_keys(table, "the exercise", EXERCISE, report);
    check_version(table, report);
    let start = Span::new(0, 0);
    let title = table.required("title", "the exercise", start, report);
    let title = title.and_then(|node| short(node, "title", report));
    let about = optional(table, "about", report);
    let model = table.required("model", "the exercise", start, report);
    let model = model.and_then(|node| Some((node.span, node.text("model", report)?.clone())));
    let steps = table.required("steps", "the exercise", start, report);
    let steps = steps.and_then(|node| Some((node.span, node.list("steps", report)?)));
    if let Some((span, list)) = &steps
        && (list.is_empty() || list.len() > MOST_STEPS)
    {
        let message = format!(
            "an exercise has 1 to {MOST_STEPS} steps, this one {}",
            list.len()
        );
        report.say(Code::BadValue, message, *span, "write one [[steps]] each");
    }
    let read = |node: &Node| step(node, report);
    let steps: Vec<Option<Step>> = steps?.1.iter().take(MOST_STEPS).map(read).collect();
    let (model_span, written) = model?;
    Some(Exercise {
        title: title?,
        about,
        model: written.value.trim().to_owned(),
        model_span,
        steps: steps.into_iter().collect::<Option<_>>()?,
        written,
    })
}

/// Words of an exercise mean nothing of a model: a key is near another of its own table, or unknown.
fn check_keys(table: &Table, owner: &str, known: &[&str], report: &mut Report) {
    let is_known = |entry: &&Entry| known.contains(&entry.key.as_str());
    for entry in table.entries.iter().filter(|entry| !is_known(entry)) {
        let message = format!("unknown key `{}` in {owner}", entry.key);
        let label = did_you_mean(&entry.key, known.iter().copied(), "remove it");
        let wrong = Diagnostic::new(Code::UnknownKey, message, entry.key_span, label);
        report.push(wrong.note(format!("known: {}", known.join(", "))));
    }
}

/// `exercise = 1`
fn check_version(table: &Table, report: &mut Report) {
    match table.get("exercise").map(|entry| &entry.value) {
        Some(Node {
            kind: Kind::Number(version),
            ..
        }) if *version == Rational::one() => {}
        Some(node) => {
            let message = "this version of exercises is not known";
            report.say(Code::BadValue, message, node.span, "write `exercise = 1`");
        }
        None => {
            let message = "the exercise has no `exercise`";
            let label = "begin with `exercise = 1`";
            report.say(Code::MissingKey, message, Span::new(0, 0), label);
        }
    }
}

/// A text that is to be read by people.
fn short(node: &Node, key: &str, report: &mut Report) -> Option<String> {
    let text = node.text(key, report)?.value.trim().to_owned();
    let long = text.chars().count();
    if long > LONGEST {
        let message =
            format!("`{key}` has {long} characters, more than the {LONGEST} that are read");
        return report.reject(Code::TooLarge, message, node.span, "shorten it");
    }
    Some(text)
}

fn optional(table: &Table, key: &str, report: &mut Report) -> Option<String> {
    short(&table.get(key)?.value, key, report)
}

fn step(node: &Node, report: &mut Report) -> Option<Step> {
    let table = node.any_table("a step", report)?;
    check_keys(table, "a step", STEP, report);
    let text = table.required("text", "the step", node.span, report);
    let text = text.and_then(|node| short(node, "text", report));
    let domain = texts(table, "where", report);
    let beside = texts(table, "beside", report);
    let errors = report.errors();
    let claim = table
        .get("claim")
        .and_then(|entry| wanted(entry, domain, beside, report));
    if report.errors() == errors && claim.is_none() {
        let idle = ["where", "beside", "solution", "hint"];
        for entry in table.entries.iter().filter(|e| idle.contains(&&*e.key)) {
            let message = format!("`{}` of a step that asks for nothing", entry.key);
            report.say(
                Code::BadValue,
                message,
                entry.key_span,
                "add a `claim`, or remove it",
            );
        }
    }
    let solution = table
        .get("solution")
        .and_then(|entry| solution(&entry.value, report));
    Some(Step {
        text: text?,
        claim,
        hint: optional(table, "hint", report),
        solution,
        after: optional(table, "after", report),
    })
}

/// A text, or a list that is written with commas.
fn solution(node: &Node, report: &mut Report) -> Option<String> {
    let parts = node.one_or_more().iter();
    let parts: Option<Vec<String>> = parts.map(|part| short(part, "solution", report)).collect();
    Some(parts?.join(", "))
}

/// A text or a list of texts.
fn texts(table: &Table, key: &str, report: &mut Report) -> Vec<String> {
    let nodes = table.get(key).map_or(&[][..], |e| e.value.one_or_more());
    nodes.iter().filter_map(|n| short(n, key, report)).collect()
}

/// `{ constant = "?" }`
fn wanted(
    entry: &Entry,
    domain: Vec<String>,
    beside: Vec<String>,
    report: &mut Report,
) -> Option<Wanted> {
    let table = entry
        .value
        .table("the claim of a step", CLAIM_KINDS, report)?;
    let [claim] = &table.entries[..] else {
        let message = "the claim of a step claims one thing";
        let label = "such as { constant = \"?\" }";
        let wrong = Diagnostic::new(Code::ClaimKind, message, entry.key_span, label);
        return report.refuse(wrong.note(format!("one of: {}", CLAIM_KINDS.join(", "))));
    };
    let kind = CLAIM_KINDS.iter().find(|kind| **kind == claim.key)?;
    let is_list = LISTS.contains(kind);
    let given: Option<Vec<String>> = claim
        .value
        .one_or_more()
        .iter()
        .map(|n| short(n, kind, report))
        .collect();
    let given = given?;
    if !beside.is_empty() && *kind != "constant" {
        let message = "`beside` is for a constant that is to be found";
        return report.reject(Code::BadValue, message, entry.key_span, "remove `beside`");
    }
    let gaps: usize = given.iter().map(|text| text.matches(WANTED).count()).sum();
    let around = match (gaps, &given[..]) {
        (0, [_, ..]) => None,
        (1, [one]) if ["equation", "always"].contains(kind) && one == "?" => {
            let message = "what is true of everything would be an answer";
            let label = "write the side that is known, such as \"z1' = ?\"";
            return report.reject(Code::BadValue, message, claim.value.span, label);
        }
        (1, [one]) if !is_list || one == "?" => {
            let (before, after) = one.split_once(WANTED)?;
            Some([before, after].map(str::to_owned))
        }
        _ => {
            let message = match is_list {
                true => "what is to be found is the whole list: write one `?`",
                false => "write one `?` for what is to be found",
            };
            return report.reject(Code::BadValue, message, claim.value.span, "one gap");
        }
    };
    Some(Wanted {
        kind,
        given: around.as_ref().map_or(given, |_| Vec::new()),
        around,
        is_list,
        domain,
        beside,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "exercise = 1\ntitle = \"A skate\"\nmodel = \"skate\"\n[[steps]]\ntext = \"Which?\"\n\
                        claim = { constant = \"?\" }\nbeside = [\"T + V\"]\nsolution = \"theta'\"\n";

    #[test]
    fn an_exercise_is_read() {
        let found = read_exercise("e.toml", GOOD).expect("a good exercise");
        assert!(found.names_model());
        let claim = found.steps[0].claim.as_ref().expect("a claim");
        assert_eq!((claim.kind, claim.is_list), ("constant", false));
        assert_eq!(claim.around, Some(["", ""].map(str::to_owned)));
        assert_eq!(claim.beside, ["T + V"]);
        let judged = GOOD
            .replace("\"?\"", "\"x\"")
            .replace("beside = [\"T + V\"]", "");
        let judged = read_exercise("e.toml", &judged).expect("a good exercise");
        let claim = judged.steps[0].claim.as_ref().expect("a claim");
        assert_eq!(
            (&claim.around, &claim.given[..]),
            (&None, &["x".to_owned()][..])
        );
    }

    #[test]
    fn what_is_wrong_is_said_where_it_stands() {
        let cases = [
            ("exercise = 1", "exercise = 2", "not known", "2"),
            ("title = \"A skate\"\n", "", "has no `title`", ""),
            ("[[steps]]", "[[step]]", "did you mean `steps`", "step"),
            ("text = ", "txt = ", "did you mean `text`", "txt"),
            ("\"?\"", "\"?*?\"", "one `?`", "\"?*?\""),
            ("constant", "constnt", "did you mean `constant`", "constnt"),
            ("{ constant", "{ equation", "remove `beside`", "claim"),
            ("\"skate\"", "3", "model", "3"),
            (
                "claim = { constant = \"?\" }\n",
                "",
                "asks for nothing",
                "beside",
            ),
            (
                "constant = \"?\" }\nbeside = [\"T + V\"]",
                "equation = \"?\" }",
                "the side that is known",
                "\"?\"",
            ),
        ];
        for (from, to, said, place) in cases {
            let text = GOOD.replacen(from, to, 1);
            let errors = read_exercise("e.toml", &text).expect_err(to);
            let is_own = |error: &&Diagnostic| {
                format!("{}: {}", error.message, error.label.text).contains(said)
            };
            let first = errors.iter().find(is_own);
            let found = first.unwrap_or_else(|| panic!("{to}: {errors:?}"));
            assert_eq!(found.label.span.of(&text), place, "{to}: {found:?}");
        }
        assert!(read_exercise("e.toml", "exercise = [").is_err());
    }

    #[test]
    fn places_in_the_model_are_places_in_the_file() {
        let text = GOOD.replace("\"skate\"", "'''\ncoordinates = [\"x\"]\nbodie = 1\n'''");
        let found = read_exercise("e.toml", &text).expect("a good exercise");
        assert!(!found.names_model());
        let at = found.written.value.find("bodie").expect("it is there");
        let place = found.place_in_model(Span::new(at, at + 5));
        assert_eq!(place.of(&text), "bodie");
    }
}
