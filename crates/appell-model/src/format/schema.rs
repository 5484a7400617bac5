//! The JSON Schema of the format, for editors: what a file may look like before any formula is read.

use super::takes::{Naming, Takes};
use super::words::NEEDED;
use super::{MODEL, Presence, Section};
use crate::names::RESERVED;
use serde_json::{Map, Value, json};

/// The schema (draft 2020-12) of model files as an editor sees them: keys, types, words and lists. What a formula
/// says is for the reader.
pub fn schema() -> Value {
    let mut schema = object(&MODEL);
    schema.insert(
        "$schema".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    schema.insert("title".into(), "Appell model".into());
    schema.into()
}

/// A table with its keys.
fn object(section: &'static Section) -> Map<String, Value> {
    let properties: Map<String, Value> = section
        .keys
        .iter()
        .map(|key| {
            let mut value = value(&key.takes);
            value.insert("description".into(), key.about.into());
            (key.name.to_owned(), value.into())
        })
        .collect();
    let required = section.keys.iter();
    let required = required.filter(|key| key.presence == Presence::Required);
    let required: Vec<&str> = required.map(|key| key.name).collect();
    let mut object = members([
        ("type", "object".into()),
        ("description", section.about.into()),
        ("properties", properties.into()),
        ("additionalProperties", false.into()),
    ]);
    if !required.is_empty() {
        object.insert("required".into(), required.into());
    }
    if !section.one_of.is_empty() {
        let ways = section
            .one_of
            .iter()
            .map(|name| json!({ "required": [name] }));
        // A claim claims one thing; elsewhere several may be there.
        let word = if section.name == "claims" {
            "oneOf"
        } else {
            "anyOf"
        };
        object.insert(word.into(), ways.collect());
    }
    object
}

fn members<const N: usize>(members: [(&str, Value); N]) -> Map<String, Value> {
    members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn of_type(name: &str) -> Map<String, Value> {
    members([("type", name.into())])
}

fn any_of(ways: Vec<Map<String, Value>>) -> Map<String, Value> {
    let ways: Vec<Value> = ways.into_iter().map(Value::Object).collect();
    members([("anyOf", ways.into())])
}

fn words(known: &[&str]) -> Map<String, Value> {
    members([("enum", known.into())])
}

fn list(of: Map<String, Value>) -> Map<String, Value> {
    members([("type", "array".into()), ("items", of.into())])
}

/// What may stand under a key.
fn value(takes: &'static Takes) -> Map<String, Value> {
    match takes {
        Takes::Version => members([("const", 1.into())]),
        Takes::Text | Takes::Name(_) | Takes::Formula(..) => of_type("string"),
        Takes::Word(known) => words(known),
        Takes::Words(known) => any_of(vec![list(words(known)), with_commas(known)]),
        Takes::Ids(_) => any_of(vec![list(of_type("string")), of_type("string")]),
        Takes::Colour(known) => {
            let code = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$";
            let code = members([("type", "string".into()), ("pattern", code.into())]);
            any_of(vec![words(known), code])
        }
        Takes::Scalar(_) | Takes::Expression(_) => {
            any_of(vec![of_type("string"), of_type("number")])
        }
        Takes::Vector(_) | Takes::Place(_) => {
            any_of(vec![of_type("string"), members([("const", 0.into())])])
        }
        Takes::Positive => members([("type", "number".into()), ("exclusiveMinimum", 0.into())]),
        Takes::Count(most) => members([
            ("type", "integer".into()),
            ("minimum", 1.into()),
            ("maximum", (*most).into()),
        ]),
        Takes::Flag => of_type("boolean"),
        Takes::List(of, count) => {
            let mut list = list(value(of));
            if let Some(count) = count {
                list.insert("minItems".into(), (*count).into());
                list.insert("maxItems".into(), (*count).into());
            }
            list
        }
        Takes::OneOrMore(of) => any_of(vec![value(of), list(value(of))]),
        Takes::Table(section) => object_of(section),
        Takes::Named(of, naming) => named(value(of), *naming),
        Takes::Either(ways) => any_of(ways.iter().map(value).collect()),
    }
}

/// A table of a section; what two of them need besides their keys.
fn object_of(section: &'static Section) -> Map<String, Value> {
    let mut object = object(section);
    match section.name {
        "reaction" => {
            // Coordinates may have the names of the other keys.
            let keys = ["on", "force"];
            let component = any_of(vec![of_type("string"), of_type("number")]);
            let mut components = named(component, Naming::Coordinates);
            components.insert("propertyNames".into(), json!({ "not": { "enum": keys } }));
            object.insert("required".into(), json!(["on"]));
            let one_of = ["force", "torque"].map(|key| json!({ "required": [key] }));
            object.insert("anyOf".into(), one_of.to_vec().into());
            any_of(vec![object, components])
        }
        "shapes" => {
            let needed = NEEDED.iter().map(|(shape, keys)| {
                let known =
                    json!({ "required": ["shape"], "properties": { "shape": { "const": shape } } });
                json!({ "if": known, "then": { "required": keys } })
            });
            object.insert("allOf".into(), needed.collect());
            object
        }
        _ => object,
    }
}

/// Words in one string.
fn with_commas(known: &[&str]) -> Map<String, Value> {
    let word = format!("({})", known.join("|"));
    let pattern = format!("^ *{word}( *, *{word})* *$");
    members([("type", "string".into()), ("pattern", pattern.into())])
}

/// A table whose keys are names.
fn named(of: Map<String, Value>, naming: Naming) -> Map<String, Value> {
    let mut object = members([
        ("type", "object".into()),
        ("additionalProperties", of.into()),
    ]);
    if naming == Naming::Declared {
        let reserved: Vec<&str> = RESERVED.iter().map(|(name, _)| *name).collect();
        object.insert(
            "propertyNames".into(),
            json!({ "not": { "enum": reserved } }),
        );
    }
    object
}
