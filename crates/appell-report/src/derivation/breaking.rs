//! Formulas of LaTeX in lines of a given breadth.
//!
//! A line ends before a term. What is still too wide is opened: first the factors of a term, then brackets and
//! fractions, whose brackets get a fixed size since `\left` and `\right` have to stand in one line.

use super::layout::{stretches, width};
use appell_expr::Style;
use appell_expr::limits::is_hurried;

/// Brackets are opened so many deep.
const DEEPEST: usize = 40;

/// A piece of a formula that stays in one line, and how it goes on from the one before.
struct Piece {
    text: String,
    joint: Joint,
    /// It begins a line: a term or denominator that takes several.
    fresh: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Joint {
    /// As it is: a term with its sign, or what stands after a bracket.
    Term,
    /// A factor: a small space within a line, the sign of multiplication where a line begins.
    Factor,
}

/// The formula in lines of at most this width, as far as it can be broken.
pub(super) fn lines(formula: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut left = 0;
    for piece in pieces(formula, most, DEEPEST) {
        let width = wide(&piece.text);
        match lines.last_mut() {
            Some(line) if width <= left && !piece.fresh => {
                if piece.joint == Joint::Factor {
                    line.push_str(TIMES);
                }
                line.push_str(&piece.text);
                left -= width;
            }
            None => {
                lines.push(piece.text.trim_start().to_owned());
                left = most.saturating_sub(width);
            }
            Some(_) => {
                let sign = match piece.joint {
                    Joint::Term => "",
                    Joint::Factor => r"\times ",
                };
                lines.push(format!("{sign}{}", piece.text.trim_start()));
                left = most.saturating_sub(width);
            }
        }
    }
    lines
}

/// What stands between the factors of a product.
const TIMES: &str = r"\, ";

fn wide(formula: &str) -> usize {
    width(formula, Style::Latex)
}

/// The pieces of a sum.
fn pieces(formula: &str, most: usize, depth: usize) -> Vec<Piece> {
    let terms = stretches(formula, 0).into_iter();
    terms.flat_map(|term| of_term(term, most, depth)).collect()
}

/// The pieces of a term with its sign: itself where it is narrow, or its factors.
fn of_term(term: &str, most: usize, depth: usize) -> Vec<Piece> {
    let whole = |text: &str, joint| {
        let (text, fresh) = (text.to_owned(), false);
        vec![Piece { text, joint, fresh }]
    };
    // Who waits for a page that was stopped gets long lines.
    if wide(term) <= most || depth == 0 || is_hurried() {
        return whole(term, Joint::Term);
    }
    let mut all = Vec::new();
    // The factors before a bracket that stay in its line.
    let mut before = 0;
    for (at, factor) in factors(term).into_iter().enumerate() {
        let joint = if at == 0 { Joint::Term } else { Joint::Factor };
        let width = wide(factor);
        let left = match before > most / 3 {
            true => most,
            false => most - before,
        };
        before = if width > left { most } else { before + width };
        let opened = (width > left).then(|| opened(factor, left, depth - 1));
        all.extend(opened.flatten().map_or_else(
            || whole(factor, joint),
            |mut parts| {
                parts[0].joint = joint;
                parts
            },
        ));
    }
    all[0].fresh = true;
    all
}

/// A term cut at the small spaces between its factors.
fn factors(term: &str) -> Vec<&str> {
    let (mut open, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, byte) in term.bytes().enumerate() {
        match byte {
            b'(' | b'{' | b'[' => open += 1,
            b')' | b'}' | b']' => open = open.saturating_sub(1),
            b'\\' if open == 0 && term[at..].starts_with(TIMES) => {
                parts.push(&term[start..at]);
                start = at + TIMES.len();
            }
            _ => {}
        }
    }
    parts.push(&term[start..]);
    parts
}

/// A fraction as numerator over denominator in one line, a root as a power, or the inside of a bracket: whichever the
/// factor begins with.
fn opened(factor: &str, most: usize, depth: usize) -> Option<Vec<Piece>> {
    let first = |word: &str| factor.find(word).unwrap_or(usize::MAX);
    let (fraction, root, bracket) = (first(r"\frac{"), first(r"\sqrt{"), first(r"\left"));
    let least = fraction.min(root).min(bracket);
    if least == usize::MAX {
        return None;
    }
    let (before, rest) = factor.split_at(least);
    let depths = before.matches('{').count() as isize - before.matches('}').count() as isize;
    if depths != 0 {
        return None;
    }
    let within = Within { most, depth };
    if least == bracket {
        let (sign, inside, closed, after) = bracketed(rest)?;
        return Some(within.brackets((before, sign), inside, (closed, after)));
    }
    let (argument, rest) = braced(rest.split_once('{')?.1)?;
    if least == root {
        return Some(within.brackets((before, "("), argument, (")", &format!("^{{1/2}}{rest}"))));
    }
    let (denominator, after) = braced(rest.strip_prefix('{')?)?;
    let mut parts = within.brackets((before, "("), argument, (")", ""));
    let mut below = within.brackets((" / ", "("), denominator, (")", after));
    below[0].fresh = true;
    parts.append(&mut below);
    Some(parts)
}

/// How wide and how deep the inside of brackets may be.
struct Within {
    most: usize,
    depth: usize,
}

impl Within {
    /// The pieces of what stands in brackets, with these.
    fn brackets(
        &self,
        (before, open): (&str, &str),
        inside: &str,
        (closed, after): (&str, &str),
    ) -> Vec<Piece> {
        let taken = wide(before) + 2;
        let mut parts = pieces(inside, self.most.saturating_sub(taken), self.depth);
        if let Some(first) = parts.first_mut() {
            first.text = format!(r"{before}\bigl{open}{}", first.text.trim_start());
            first.joint = Joint::Term;
            // The bracket stays with what stands before it.
            first.fresh = false;
        }
        if let Some(last) = parts.last_mut() {
            last.text.push_str(&format!(r"\bigr{closed}{after}"));
        }
        parts
    }
}

/// `\left( .. \right) ..` as the bracket, its inside, the closing bracket and what follows.
fn bracketed(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (sign, inside) = delimiter(text.strip_prefix(r"\left")?)?;
    let mut open = 1;
    let mut at = 0;
    while let Some(next) = inside[at..].find('\\') {
        at += next;
        let here = &inside[at..];
        let ends = |word: &str| {
            let after = here.strip_prefix(word)?;
            (!after.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(())
        };
        if ends(r"\left").is_some() {
            open += 1;
        } else if ends(r"\right").is_some() {
            open -= 1;
            if open == 0 {
                let (closed, after) = delimiter(&here[r"\right".len()..])?;
                return Some((sign, &inside[..at], closed, after));
            }
        }
        at += 1;
    }
    None
}

/// `(`, `|` or `\{`, and what follows.
fn delimiter(text: &str) -> Option<(&str, &str)> {
    let long = usize::from(text.starts_with('\\')) + 1;
    text.split_at_checked(long)
}

/// What stands before the brace that closes one opened before the text, and after it.
fn braced(text: &str) -> Option<(&str, &str)> {
    let mut open = 1;
    let end = text.char_indices().find_map(|(at, c)| {
        match c {
            '{' => open += 1,
            '}' => open -= 1,
            _ => {}
        }
        (open == 0).then_some(at)
    })?;
    Some((&text[..end], &text[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_stay_together_where_they_fit() {
        assert_eq!(
            lines(r"\frac{a + b}{c} + d", 6),
            [r"\frac{a + b}{c}", "+ d"]
        );
        assert_eq!(lines("-x", 1), ["-x"]);
        // What cannot be broken stays, and so does what is narrow.
        assert_eq!(lines(r"\frac{a}{b}", 2), [r"\frac{a}{b}"]);
        assert_eq!(lines(r"{x_{1}}^{2}", 1), [r"{x_{1}}^{2}"]);
    }

    #[test]
    fn wide_fractions_stand_in_one_line() {
        assert_eq!(
            lines(r"x - m\, \frac{a + b + c + g}{d - e} + f", 9),
            [
                "x",
                r"- m\, \bigl(a + b",
                r"+ c + g\bigr)",
                r"/ \bigl(d - e\bigr)",
                "+ f"
            ]
        );
    }

    #[test]
    fn brackets_and_products_are_broken_where_they_must_be() {
        assert_eq!(
            lines(
                r"2\, \left(a + b\, \left(c + d\right) - e\right)^{2} + f",
                12
            ),
            [
                r"2\, \bigl(a",
                r"+ b\, \left(c + d\right)",
                r"- e\bigr)^{2} + f"
            ]
        );
        assert_eq!(
            lines(
                r"- \left(a + b\right)\, \left(c + d\right)\, \left(e + g\right)",
                9
            ),
            [
                r"- \left(a + b\right)",
                r"\times \left(c + d\right)",
                r"\times \left(e + g\right)"
            ]
        );
        assert_eq!(
            lines(r"\sin\left(a + b + c + d + e\right)", 9),
            [r"\sin\bigl(a + b", r"+ c + d", r"+ e\bigr)"]
        );
        assert_eq!(
            lines(r"\sqrt{a + b + c + d + e}\, x", 9),
            [r"\bigl(a + b + c", r"+ d + e\bigr)^{1/2}", r"\times x"]
        );
    }
}
