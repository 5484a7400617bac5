//! How wide a formula of LaTeX will be, before there is a page.

/// A group of LaTeX that is being measured.
enum Group {
    Plain,
    Script,
    Numerator,
    /// With the width of its numerator.
    Denominator(f64),
}

/// How wide a formula of LaTeX is in points, by the widths of Computer Modern at 10 pt; a little more where letters
/// differ. Groups may be open at either end.
///
/// One piece: a line for each kind of sign.
pub(super) fn points(formula: &str) -> f64 {
    let mut open: Vec<(Group, f64)> = Vec::new();
    let (mut here, mut next) = (0.0, Group::Plain);
    let mut script = false;
    // At the beginning, and behind a bracket or a sign, a sign is that of a number.
    let mut begins = true;
    let mut rest = formula.char_indices().peekable();
    while let Some((_, c)) = rest.next() {
        let wide = match c {
            '{' => {
                if std::mem::take(&mut script) {
                    next = Group::Script;
                }
                open.push((std::mem::replace(&mut next, Group::Plain), here));
                (here, begins) = (0.0, true);
                continue;
            }
            '}' => {
                let (group, before) = open.pop().unwrap_or((Group::Plain, 0.0));
                let inside = here;
                begins = false;
                here = before
                    + match group {
                        Group::Plain => inside,
                        Group::Script => SCRIPT * inside + SCRIPT_SPACE,
                        Group::Numerator => {
                            next = Group::Denominator(inside);
                            0.0
                        }
                        Group::Denominator(above) => above.max(inside) + 2.4,
                    };
                continue;
            }
            '^' | '_' => {
                script = true;
                continue;
            }
            '\\' => {
                let mut word = String::new();
                while let Some((_, letter)) = rest.next_if(|(_, c)| c.is_ascii_alphabetic()) {
                    word.push(letter);
                }
                if word == "frac" {
                    next = Group::Numerator;
                }
                match word.as_str() {
                    "" => spaced(rest.next().map(|(_, sign)| sign)),
                    "left"
                        if encloses_fraction(rest.peek().map_or("", |(at, _)| &formula[*at..])) =>
                    {
                        TALL
                    }
                    word => of_word(word),
                }
            }
            ' ' | '&' => continue,
            '+' | '-' if begins => 7.8,
            '+' | '-' => 12.2,
            '=' => 13.3,
            'm' | 'w' => 8.8,
            'M' | 'W' => 10.8,
            'H' | 'K' | 'N' => 9.0,
            'a'..='z' | '0'..='9' => 5.3,
            'A'..='Z' => 7.9,
            '(' | ')' | '[' | ']' | ',' | '\'' | '|' => 4.0,
            _ => 6.0,
        };
        begins = matches!(c, '(' | '[' | '+' | '-' | '=');
        here += if std::mem::take(&mut script) {
            SCRIPT * wide + SCRIPT_SPACE
        } else {
            wide
        };
    }
    // What is open at the end is measured as it stands.
    open.into_iter()
        .rev()
        .fold(here, |inside, (group, before)| {
            before
                + match group {
                    Group::Denominator(above) => above.max(inside),
                    _ => inside,
                }
        })
}

const SCRIPT: f64 = 0.72;
/// What follows a script.
const SCRIPT_SPACE: f64 = 0.5;

/// What a pair of brackets around a fraction is wider than a plain one.
const TALL: f64 = 7.0;

/// Whether there is a fraction before the next bracket that closes.
fn encloses_fraction(rest: &str) -> bool {
    let end = rest.char_indices().nth(ENCLOSED);
    let near = &rest[..end.map_or(rest.len(), |(at, _)| at)];
    let inside = near.split(r"\right").next().unwrap_or_default();
    inside.contains(r"\frac")
}

/// Characters behind a bracket in which a fraction is sought.
const ENCLOSED: usize = 200;

/// `\,` and the like.
fn spaced(sign: Option<char>) -> f64 {
    match sign {
        Some(',') => 1.7,
        Some(';' | ':') => 2.8,
        Some('{' | '}' | '_') => 5.0,
        _ => 0.0,
    }
}

fn of_word(word: &str) -> f64 {
    match word {
        "left" | "right" | "bigl" | "bigr" | "dot" | "ddot" | "bar" | "hat" | "frac" | "mathit"
        | "mathrm" | "mathbf" => 0.0,
        "sqrt" => 8.4,
        "quad" => 10.0,
        "cdot" => 7.3,
        "sin" | "cos" | "tan" | "sinh" | "cosh" | "tanh" | "arcsin" | "arccos" | "arctan"
        | "log" | "exp" | "min" | "max" => 4.8 * word.len() as f64 + 1.7,
        _ => 6.2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Widths of boxes of plain TeX, Computer Modern at 10 pt in display style, to a tenth.
    #[test]
    fn widths_are_near_those_of_computer_modern() {
        for (formula, wide) in [
            (r"x", 5.7),
            (r"m\, a", 15.7),
            (r"a + b", 20.8),
            (r"x = 1", 24.0),
            (r"\sin \theta", 18.7),
            (r"{z_{1}}^{2}", 13.0),
            (r"\frac{a + b}{c}", 23.2),
            (r"\dot{z}_{1}", 9.1),
        ] {
            let width = points(formula);
            assert!(
                (width - wide).abs() < 0.15 * wide + 1.5,
                "{formula}: {width} {wide}"
            );
        }
        assert_eq!(points(r"\frac{a}{"), points("a"));
        assert!(points("}}{{^_") >= 0.0);
    }
}
