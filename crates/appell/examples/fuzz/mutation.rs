//! New models from old ones: what they are made of is changed, taken away, doubled, and brought in from others.

use super::Dice;
use toml_edit::{DocumentMut, Formatted, Item, Table, TableLike, Value, value};

/// What stands in a formula.
const NUMBERS: &[&str] = &[
    "0", "1", "-1", "2", "3", "1/2", "1/3", "0.1", "1.7", "1e-9", "1e-3", "1e4", "1e12", "pi",
];
const FUNCTIONS: &[&str] = &[
    "sin", "cos", "tan", "sqrt", "exp", "log", "abs", "sign", "asin", "atan", "tanh",
];
const OPERATORS: &[&str] = &["+", "-", "*", "/", "^"];
/// Texts for people, which nothing computes.
const WORDS: &[&str] = &[
    "title",
    "about",
    "cite",
    "source",
    "note",
    "unit",
    "description",
];
/// Entries of these come and go one by one.
const SECTIONS: &[&str] = &[
    "constraints",
    "forces",
    "loads",
    "claims",
    "define",
    "particles",
    "bodies",
    "points",
    "frames",
    "parameters",
    "energy",
    "initial",
    "simulate",
];

/// A model made of one of these texts, or of two.
pub fn mutated(texts: &[&str], dice: &mut Dice) -> String {
    let text = texts[dice.below(texts.len())];
    let Ok(mut document) = text.parse::<DocumentMut>() else {
        return text.to_owned();
    };
    for key in ["plots", "animation"] {
        document.remove(key);
    }
    for _ in 0..1 + dice.below(4) {
        match dice.below(12) {
            0..=5 => one_formula(&mut document, dice),
            6 => one_number(&mut document, dice),
            7 => take_away(&mut document, dice),
            8 => double(&mut document, dice),
            9 | 10 => splice(&mut document, texts[dice.below(texts.len())], dice),
            _ => start(&mut document, dice),
        }
    }
    let mut text = document.to_string();
    if dice.below(50) == 0 {
        spoil(&mut text, dice);
    }
    text
}

/// Every value below an item, with the key that it belongs to.
fn values(item: &mut Item, key: &str, visit: &mut dyn FnMut(&str, &mut Value)) {
    match item {
        Item::Value(value) => inner(value, key, visit),
        Item::Table(table) => below(table, visit),
        Item::ArrayOfTables(tables) => tables.iter_mut().for_each(|table| below(table, visit)),
        Item::None => {}
    }
}

fn below(table: &mut dyn TableLike, visit: &mut dyn FnMut(&str, &mut Value)) {
    for (key, item) in table.iter_mut() {
        let key = key.get().to_owned();
        values(item, &key, visit);
    }
}

fn inner(value: &mut Value, key: &str, visit: &mut dyn FnMut(&str, &mut Value)) {
    match value {
        Value::Array(array) => array.iter_mut().for_each(|one| inner(one, key, visit)),
        Value::InlineTable(table) => below(table, visit),
        other => visit(key, other),
    }
}

fn is_formula(key: &str, value: &Value) -> bool {
    value.is_str() && !WORDS.contains(&key)
}

/// Changes one of the values for which `wanted` holds.
fn change(
    document: &mut DocumentMut,
    dice: &mut Dice,
    wanted: fn(&str, &Value) -> bool,
    change: impl FnOnce(&mut Value, &mut Dice),
) {
    let mut count = 0;
    let all = document.as_table_mut();
    below(all, &mut |key, value| {
        count += usize::from(wanted(key, value))
    });
    if count == 0 {
        return;
    }
    let chosen = dice.below(count);
    let (mut index, mut change) = (0, Some(change));
    below(all, &mut |key, value| {
        if wanted(key, value) {
            if index == chosen {
                change
                    .take()
                    .into_iter()
                    .for_each(|change| change(value, dice));
            }
            index += 1;
        }
    });
}

/// The words of a formula: names with their dots and primes, numbers, signs.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    let mut last = ' ';
    for c in text.chars() {
        let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || c == '\'';
        let begins = last.is_alphanumeric() || last == '_' || last == '.' || last == '\'';
        match tokens.last_mut() {
            Some(token) if joins(c) && begins => token.push(c),
            _ => tokens.push(c.to_string()),
        }
        last = c;
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

/// Names that mean something in a model.
fn names(document: &DocumentMut) -> Vec<String> {
    let coordinates = document.get("coordinates").and_then(Item::as_array);
    let coordinates = coordinates.into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<String> = coordinates
        .flat_map(|name| [name.to_owned(), format!("{name}'"), format!("{name}'")])
        .collect();
    for section in ["parameters", "define"] {
        let table = document.get(section).and_then(Item::as_table_like);
        names.extend(
            table
                .into_iter()
                .flat_map(|t| t.iter())
                .map(|(key, _)| key.to_owned()),
        );
    }
    names.push("t".to_owned());
    names
}

fn one_formula(document: &mut DocumentMut, dice: &mut Dice) {
    let names = names(document);
    change(document, dice, is_formula, |value, dice| {
        let Some(text) = value.as_str() else { return };
        let mut tokens = tokens(text);
        let kind: fn(&str) -> bool = match dice.below(4) {
            0 => is_number,
            1 => |token| OPERATORS.contains(&token),
            _ => is_name,
        };
        let places: Vec<usize> = (0..tokens.len()).filter(|i| kind(&tokens[*i])).collect();
        if places.is_empty() {
            return;
        }
        let place = places[dice.below(places.len())];
        let old = tokens[place].clone();
        let name = names[dice.below(names.len())].clone();
        tokens[place] = match (is_number(&old), is_name(&old), dice.below(6)) {
            (true, ..) => dice.one_of(NUMBERS).to_owned(),
            (_, false, _) => dice.one_of(OPERATORS).to_owned(),
            (_, true, 0 | 1) => name,
            (_, true, 2) => format!("{}({old})", dice.one_of(FUNCTIONS)),
            (_, true, 3) => format!("({old}*{name})"),
            (_, true, 4) => format!("({old} + {}*{name})", dice.one_of(NUMBERS)),
            _ => format!("{old}^{}", dice.one_of(&["2", "3", "(1/2)", "(-1)"])),
        };
        *value = Value::String(Formatted::new(tokens.concat()));
    });
}

fn one_number(document: &mut DocumentMut, dice: &mut Dice) {
    let is_number = |_: &str, value: &Value| value.is_float() || value.is_integer();
    change(document, dice, is_number, |value, dice| {
        const VALUES: [f64; 9] = [0.0, -1.0, 1.0, 1e-8, 1e8, 0.3, 2.0, -2.5, 1e-300];
        *value = Value::Float(Formatted::new(VALUES[dice.below(VALUES.len())]));
    });
}

/// One of the sections that are tables, with its name.
fn section<'d>(
    document: &'d mut DocumentMut,
    dice: &mut Dice,
) -> Option<(&'static str, &'d mut dyn TableLike)> {
    let is_there = |name: &&&str| document.get(name).is_some_and(Item::is_table_like);
    let there: Vec<&'static str> = SECTIONS.iter().filter(is_there).copied().collect();
    let name = *there.get(dice.below(there.len().max(1)))?;
    let table = document.get_mut(name)?.as_table_like_mut()?;
    Some((name, table))
}

fn key_of(table: &dyn TableLike, dice: &mut Dice) -> Option<String> {
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    keys.get(dice.below(keys.len().max(1))).cloned()
}

fn take_away(document: &mut DocumentMut, dice: &mut Dice) {
    let Some((_, table)) = section(document, dice) else {
        return;
    };
    if let Some(key) = key_of(table, dice) {
        table.remove(&key);
    }
}

fn double(document: &mut DocumentMut, dice: &mut Dice) {
    let Some((_, table)) = section(document, dice) else {
        return;
    };
    let Some(key) = key_of(table, dice) else {
        return;
    };
    if let Some(item) = table.get(&key).cloned() {
        table.insert(&format!("{key}_too"), item);
    }
}

/// An entry of another model, of which names that this one has not become names of this one.
fn splice(document: &mut DocumentMut, other: &str, dice: &mut Dice) {
    let Ok(mut other) = other.parse::<DocumentMut>() else {
        return;
    };
    let (present, foreign) = (names(document), names(&other));
    let Some((section, table)) = section(&mut other, dice) else {
        return;
    };
    let Some(key) = key_of(table, dice) else {
        return;
    };
    let Some(mut item) = table.get(&key).cloned() else {
        return;
    };
    values(&mut item, &key, &mut |key, value| {
        if !is_formula(key, value) {
            return;
        }
        let tokens = tokens(value.as_str().unwrap_or_default());
        let known = |token: &String| foreign.contains(token) && !present.contains(token);
        let renamed = tokens.into_iter().map(|token| match known(&token) {
            true => present[dice.below(present.len())].clone(),
            false => token,
        });
        *value = Value::String(Formatted::new(renamed.collect::<String>()));
    });
    if document.get(section).is_none() {
        document.insert(section, Item::Table(Table::new()));
    }
    if let Some(table) = document.get_mut(section).and_then(Item::as_table_like_mut) {
        table.insert(&key, item);
    }
}

/// Another start, or one that is not on the constraints.
fn start(document: &mut DocumentMut, dice: &mut Dice) {
    let names = names(document);
    let name = &names[dice.below(names.len())];
    let row = format!("{name} = {}", dice.one_of(NUMBERS));
    if document.get("initial").is_none() {
        document.insert("initial", Item::Table(Table::new()));
    }
    let Some(initial) = document
        .get_mut("initial")
        .and_then(Item::as_table_like_mut)
    else {
        return;
    };
    if dice.below(2) == 0 {
        initial.insert("inconsistent", value("project"));
    }
    if let Some(state) = initial.get_mut("state").and_then(Item::as_array_mut) {
        match state.is_empty() || dice.below(2) == 0 {
            true => state.push(row),
            false => {
                let place = dice.below(state.len());
                state.replace(place, row);
            }
        }
    }
}

/// A slip of the pen.
fn spoil(text: &mut String, dice: &mut Dice) {
    let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
    let place = places[dice.below(places.len())];
    match dice.below(3) {
        0 => {
            text.remove(place);
        }
        1 => text.insert(
            place,
            ['\'', '"', '[', ']', '=', '\n', '\0', 'ü'][dice.below(8)],
        ),
        _ => text.truncate(place),
    }
}

/// The same text without one of its entries, for each of them: what a smaller model may look like.
pub fn smaller(text: &str) -> Vec<String> {
    let Ok(document) = text.parse::<DocumentMut>() else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, item) in document.iter() {
        let mut fewer = document.clone();
        fewer.remove(name);
        found.push(fewer.to_string());
        for (key, _) in item
            .as_table_like()
            .into_iter()
            .flat_map(|table| table.iter())
        {
            let mut fewer = document.clone();
            if let Some(table) = fewer.get_mut(name).and_then(Item::as_table_like_mut) {
                table.remove(key);
            }
            found.push(fewer.to_string());
        }
    }
    found
}
