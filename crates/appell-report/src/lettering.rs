//! Text in a drawing: made harmless, measured, broken into lines.

/// Text for an XML document, as content or inside a quoted attribute.
///
/// The five special characters become entities and white space becomes blanks. What XML forbids,
/// and what would reorder the text around it (the directional marks, embeddings and isolates of
/// Unicode), becomes a visible U+FFFD. Letters of a script that runs from right to left stay.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => out.push(' '),
            _ if is_harmful(c) => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

/// The text with U+FFFD for what XML forbids and what would reorder the text around it.
pub(crate) fn harmless(text: &str) -> String {
    let kept = |c: char| if is_harmful(c) { '\u{fffd}' } else { c };
    text.chars().map(kept).collect()
}

/// Control characters, directional formatting and the two code points XML has no place for.
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}'
        )
        || matches!(c, '\u{2066}'..='\u{206f}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
}

/// Letters of Greek by their names.
const GREEK: [(&str, char); 38] = [
    ("alpha", 'α'),
    ("beta", 'β'),
    ("gamma", 'γ'),
    ("delta", 'δ'),
    ("epsilon", 'ϵ'),
    ("eps", 'ε'),
    ("zeta", 'ζ'),
    ("eta", 'η'),
    ("theta", 'θ'),
    ("iota", 'ι'),
    ("kappa", 'κ'),
    ("lambda", 'λ'),
    ("mu", 'μ'),
    ("nu", 'ν'),
    ("xi", 'ξ'),
    ("rho", 'ρ'),
    ("sigma", 'σ'),
    ("tau", 'τ'),
    ("upsilon", 'υ'),
    ("phi", 'ϕ'),
    ("chi", 'χ'),
    ("psi", 'ψ'),
    ("omega", 'ω'),
    ("Gamma", 'Γ'),
    ("Delta", 'Δ'),
    ("Theta", 'Θ'),
    ("Lambda", 'Λ'),
    ("Xi", 'Ξ'),
    ("Pi", 'Π'),
    ("Sigma", 'Σ'),
    ("Phi", 'Φ'),
    ("Psi", 'Ψ'),
    ("Omega", 'Ω'),
    ("varphi", 'φ'),
    ("varsigma", 'ς'),
    ("Upsilon", 'Υ'),
    ("pi", 'π'),
    ("infty", '∞'),
];

/// The name of a letter of Greek, as LaTeX has it too.
pub(crate) fn greek_name(letter: char) -> Option<&'static str> {
    let mut named = GREEK.iter().filter(|(_, greek)| *greek == letter);
    match named.next() {
        Some(("eps", _)) => Some("varepsilon"),
        found => found.map(|(name, _)| *name),
    }
}

/// A formula of a model for the eye: Greek letters as Greek, digits behind a letter as indices.
/// Words that are no letters stay as they are.
pub(crate) fn readable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let end = match word(first) {
            true => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        out.push_str(&letter(token).unwrap_or_else(|| token.to_owned()));
        rest = after;
    }
    out
}

/// A name of one letter, with its digits below.
fn letter(name: &str) -> Option<String> {
    let digits = name.find(|c: char| c.is_ascii_digit());
    let (letters, digits) = name.split_at(digits.unwrap_or(name.len()));
    let greek = GREEK.iter().find(|(other, _)| *other == letters);
    let letter = match greek {
        Some((_, greek)) => greek.to_string(),
        None if letters.chars().count() == 1 => letters.to_owned(),
        None => return None,
    };
    let below = |c: char| char::from_u32(0x2080 + c.to_digit(10)?);
    let below: Option<String> = digits.chars().map(below).collect();
    Some(letter + &below?)
}

/// About how wide a text is at a font size of one: no font is at hand, so rather too wide.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(character_width).sum()
}

fn character_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 0.32,
        '(' | ')' | '[' | ']' | 'r' | '-' | '/' => 0.4,
        '⁰' | '¹' | '²' | '³' | '⁴'..='⁹' | '⁻' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '<' | '>' | '=' | '+' | '&' | '…' => 0.92,
        _ if is_harmful(c) => character_width('\u{fffd}'),
        'A'..='Z' => 0.7,
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200d}' => 0.0,
        '\u{1100}'.. if !matches!(c, '\u{1e00}'..='\u{2e7f}') => 1.05,
        _ => 0.6,
    }
}

/// The text, or its beginning with an ellipsis where it is wider than `room` (at font size one).
pub(crate) fn fitted(text: &str, room: f64) -> String {
    if width(text) <= room {
        return text.to_owned();
    }
    let mut used = character_width('…');
    let keeps = |c: &char| {
        used += character_width(*c);
        used <= room
    };
    let head: String = text.chars().take_while(keeps).collect();
    format!("{}…", head.trim_end())
}

/// Breaks at blanks into at most `most` lines of width `room` (at font size one); what does not
/// fit ends in an ellipsis. A text without words has no lines.
pub(crate) fn wrapped(text: &str, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(line) + width(" ") + width(word) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    if lines.len() > most {
        let rest = lines.split_off(most.saturating_sub(1)).join(" ");
        lines.push(rest);
    }
    lines.iter().map(|line| fitted(line, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_become_entities() {
        assert_eq!(escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
        assert_eq!(escape("]]>"), "]]&gt;");
        assert_eq!(escape("a\tb\nc\r\n\u{2028}d"), "a b c   d");
    }

    #[test]
    fn no_character_that_xml_forbids_or_that_reorders_text_is_left() {
        let reorder = "\u{200e}\u{200f}\u{61c}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\
                       \u{2066}\u{2067}\u{2068}\u{2069}";
        for c in ('\0'..=char::MAX).filter(|c| !matches!(c, '&' | '<' | '>' | '"' | '\'')) {
            let text = escape(&c.to_string());
            assert_eq!(text.chars().count(), 1);
            let left = text.chars().all(|c| {
                // The production `Char` of XML 1.0 without its three control characters.
                let legal = matches!(c, ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..);
                legal && !reorder.contains(c)
            });
            assert!(left, "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn letters_of_every_script_stay() {
        for text in ["θ̇ = ω", "כוח", "速度", "x''", "z₁"] {
            assert_eq!(escape(text).replace("&#39;", "'"), text);
        }
    }

    #[test]
    fn names_are_read_as_letters() {
        let rows = [
            ("theta", "θ"),
            ("x1 against t", "x₁ against t"),
            ("dtheta", "dtheta"),
            ("theta'", "θ'"),
            ("no_slip.x", "no_slip.x"),
            ("phi12*theta_max", "ϕ₁₂*theta_max"),
            ("E - E0", "E - E₀"),
            ("T + V", "T + V"),
        ];
        for (text, expected) in rows {
            assert_eq!(readable(text), expected);
        }
    }

    #[test]
    fn long_texts_are_broken_and_shortened() {
        let text = "the path of the first particle over the inclined plane";
        let lines = wrapped(text, 15.0, 5);
        assert!(lines.len() > 1 && lines.iter().all(|line| width(line) <= 15.0));
        assert_eq!(lines.join(" "), text);
        let two = wrapped(text, 10.0, 2);
        assert_eq!(two.len(), 2);
        assert!(two[1].ends_with('…') && width(&two[1]) <= 10.0);
        assert!(wrapped(" \n", 15.0, 2).is_empty());
        let endless = wrapped(&"x".repeat(10_000), 15.0, 2);
        assert_eq!(endless.len(), 1);
        assert!(width(&endless[0]) <= 15.0);
    }
}
