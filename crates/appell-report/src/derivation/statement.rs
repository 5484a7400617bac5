//! General statements in plain mathematics, such as `A M^-1 A^T lambda`, as LaTeX.

use appell_expr::latex_name;
use std::iter::Peekable;
use std::str::Chars;

/// Words of a statement that are no names.
const WORDS: [&str; 7] = ["on", "if", "at", "under", "with", "where", "minimises"];
/// Subscripts deeper than this are left as they stand.
const DEEPEST: usize = 40;

/// A statement in LaTeX: scripts within scripts, dots for primes, sums, tildes, fractions of numbers.
pub(super) fn statement(text: &str) -> String {
    written(text, 0)
}

fn written(text: &str, depth: usize) -> String {
    if depth > DEEPEST {
        return text.to_owned();
    }
    let mut writer = Writer {
        rest: text.chars().peekable(),
        latex: String::new(),
        open: 0,
        depth,
    };
    while let Some(c) = writer.rest.next() {
        writer.character(c);
    }
    writer.latex
}

struct Writer<'t> {
    rest: Peekable<Chars<'t>>,
    latex: String,
    /// Brackets that are open.
    open: usize,
    depth: usize,
}

impl Writer<'_> {
    fn character(&mut self, c: char) {
        match c {
            'A'..='Z' | 'a'..='z' => {
                let name = self.run(c.to_string(), |c| c.is_ascii_alphanumeric());
                self.name(&name);
            }
            '0'..='9' => self.number(c),
            '_' | '^' => {
                let script = self.script(c);
                self.latex.push_str(&script);
            }
            ',' if self.open == 0 && self.rest.peek() == Some(&' ') => {
                self.latex.push_str(r",\quad")
            }
            '.' if self.rest.next_if_eq(&'.').is_some() => self.latex.push_str(r" \ldots "),
            '.' => self.latex.push_str(r" \cdot "),
            '(' | '[' | ')' | ']' => {
                self.open = match c {
                    '(' | '[' => self.open + 1,
                    _ => self.open.saturating_sub(1),
                };
                self.latex.push(c);
            }
            _ => self.latex.push(c),
        }
    }

    fn run(&mut self, mut word: String, accept: fn(char) -> bool) -> String {
        while let Some(c) = self.rest.next_if(|c| accept(*c)) {
            word.push(c);
        }
        word
    }

    /// A letter with its accent, scripts and dots; a sum; `d/dt`; a word.
    fn name(&mut self, name: &str) {
        if WORDS.contains(&name) {
            self.latex.push_str(&format!(r"\text{{{name}}}"));
            return;
        }
        if name == "d" && self.rest.clone().take(3).eq("/dt".chars()) {
            self.rest.nth(2);
            self.latex.push_str(r"\frac{d}{dt}");
            return;
        }
        let mut letter = match name {
            "Sum" => r"\sum".to_owned(),
            "nabla" => r"\nabla".to_owned(),
            _ => latex_name(name),
        };
        if self.rest.next_if_eq(&'~').is_some() {
            letter = format!(r"\tilde{{{letter}}}");
        }
        let mut scripts = String::new();
        if self.rest.peek() == Some(&'*') {
            self.rest.next();
            scripts.push_str("^{*}");
        }
        while let Some(sign) = self.rest.next_if(|c| *c == '_' || *c == '^') {
            scripts.push_str(&self.script(sign));
        }
        let primes = self.run(String::new(), |c| c == '\'').len();
        letter = match primes {
            0 => letter,
            1 => format!(r"\dot{{{letter}}}"),
            2 => format!(r"\ddot{{{letter}}}"),
            _ => letter + &"'".repeat(primes),
        };
        self.latex.push_str(&letter);
        self.latex.push_str(&scripts);
    }

    /// A number, or two of them as a fraction.
    fn number(&mut self, first: char) {
        let above = self.run(first.to_string(), |c| c.is_ascii_digit());
        let mut ahead = self.rest.clone();
        let divided = ahead.next() == Some('/') && ahead.next().is_some_and(|c| c.is_ascii_digit());
        if !divided {
            self.latex.push_str(&above);
            return;
        }
        self.rest.next();
        let below = self.run(String::new(), |c| c.is_ascii_digit());
        self.latex
            .push_str(&format!(r"\frac{{{above}}}{{{below}}}"));
    }

    /// What is raised or lowered: a group in braces, or what follows without a blank.
    fn script(&mut self, sign: char) -> String {
        let inner = match self.rest.next_if_eq(&'{') {
            Some(_) => self.braced(),
            None if sign == '_' => self.run(String::new(), |c| c.is_ascii_alphanumeric()),
            None => self.run(String::new(), |c| {
                c.is_ascii_alphanumeric() || "-+/".contains(c)
            }),
        };
        let inner = match inner.as_str() {
            "T" if sign == '^' => r"\mathsf{T}".to_owned(),
            "*" => inner,
            // Indices side by side are no name, unless that of a Greek letter.
            _ if inner.bytes().all(|b| b.is_ascii_alphanumeric()) => {
                match latex_name(&inner).strip_prefix('\\') {
                    Some(greek) if greek == inner => format!("\\{inner}"),
                    _ => inner,
                }
            }
            _ if inner.starts_with(['-', '+']) || inner.contains('/') => inner,
            _ => written(&inner, self.depth + 1),
        };
        format!("{sign}{{{inner}}}")
    }

    /// Up to the brace that closes; the end of the text closes as well.
    fn braced(&mut self) -> String {
        let (mut open, mut inner) = (0_usize, String::new());
        for c in self.rest.by_ref() {
            match c {
                '{' => open += 1,
                '}' if open == 0 => break,
                '}' => open -= 1,
                _ => {}
            }
            inner.push(c);
        }
        inner
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mathml::display;

    #[test]
    fn general_statements_are_typeset() {
        let rows = [
            (
                "M q'' = r + A^T lambda",
                r"M \ddot{q} = r + A^{\mathsf{T}} \lambda",
            ),
            (
                "pi = M^-1 A^T G^-1 A M^-1",
                r"\pi = M^{-1} A^{\mathsf{T}} G^{-1} A M^{-1}",
            ),
            ("(psi_q psi + psi_t)", r"(\psi_{q} \psi + \psi_{t})"),
            ("M^{-1/2} (A M^{-1/2})^+", r"M^{-1/2} (A M^{-1/2})^{+}"),
            (
                "q' = psi,  phi(q, H_p, t)",
                r"\dot{q} = \psi,\quad  \phi(q, H_{p}, t)",
            ),
            // Hard ones: scripts within scripts, tildes, sums, fractions, indices, dots under scripts.
            (
                "d/dt L~_{u_r} - Sum_s (c^s_0r + Sum_k c^s_kr u_k) L~_{u_s}",
                r"\frac{d}{dt} \tilde{L}_{u_{r}} - \sum_{s} (c^{s}_{0r} + \sum_{k} c^{s}_{kr} u_{k}) \tilde{L}_{u_{s}}",
            ),
            ("L*_{q_{m+nu}} alpha_nu", r"L^{*}_{q_{m+\nu}} \alpha_{\nu}"),
            ("Y_1' z + u_i'", r"\dot{Y}_{1} z + \dot{u}_{i}"),
            ("1/2 q''.M q''", r"\frac{1}{2} \ddot{q} \cdot M \ddot{q}"),
            (
                "Gamma^i_hj + nabla_h G^i_j",
                r"\Gamma^{i}_{hj} + \nabla_{h} G^{i}_{j}",
            ),
            ("q'' minimises G", r"\ddot{q} \text{minimises} G"),
            ("r = 1..m", r"r = 1 \ldots m"),
            ("x_{", "x_{}"),
        ];
        for (text, latex) in rows {
            assert_eq!(statement(text), latex);
        }
        let deep = format!("{}x{}", "a_{".repeat(1000), "}".repeat(1000));
        assert!(statement(&deep).contains('x'));
    }

    #[test]
    fn the_statement_of_every_formalism_is_typeset_to_the_last_command() {
        for formalism in appell_mech::FORMALISMS {
            let markup = display(formalism.latex);
            let picture = markup.split("<annotation").next().unwrap_or_default();
            for word in picture.split(['<', '>']).skip(2).step_by(2) {
                let letters = word.chars().filter(|c| c.is_ascii_alphabetic()).count();
                let known = ["minimises", "under", "without"];
                assert!(
                    letters < 2 || known.contains(&word.trim_matches(['\u{a0}', ' '])),
                    "{}: `{word}` in {picture}",
                    formalism.id
                );
            }
            assert!(!picture.contains('\''), "{}: a prime", formalism.id);
        }
    }
}
