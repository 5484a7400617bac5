//! A fragment of an article: the equations of one form with labels, and the claims.

use crate::derivation::{Derivation, tex_words};
use crate::page::{Claim, Page};

/// What stands above the fragment.
const HEAD: &str = "\
% A fragment of an article: \\input it between \\begin{document} and \\end{document}.
% Needs \\usepackage{amsmath}; names beyond ASCII need a font that has them (lualatex, xelatex).
";

/// The equations of the form that was run with a label each, and the claims with their verdicts.
#[must_use]
pub fn fragment(page: &Page) -> String {
    let form = page.forms.iter().find(|form| form.id == page.form);
    let derivation = form.and_then(|form| form.derivation.as_ref().ok());
    let mut text = HEAD.to_owned();
    if let Some(derivation) = derivation {
        text.push_str(&labelled(derivation));
    }
    text.push_str(&claims(&page.claims));
    text.push_str(&format!("\n{}\n", tex_words(&page.outcome)));
    text
}

/// The derivation with numbered equations: `sec:FORM`, `eq:FORM:1`, `eq:FORM:2`, ..
fn labelled(derivation: &Derivation) -> String {
    let form = &derivation.form;
    let (mut out, mut count) = (Vec::new(), 0);
    let mut label = || {
        count += 1;
        format!(r"\label{{eq:{form}:{count}}}")
    };
    let text = derivation.latex();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('%')).collect();
    let mut aligned = false;
    for (at, line) in lines.iter().enumerate() {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        out.push(match *line {
            line if line.starts_with(r"\section*{") => {
                let line = line.replacen(r"\section*", r"\section", 1);
                format!("{line}\n\\label{{sec:{form}}}")
            }
            r"\begin{align*}" => {
                aligned = true;
                r"\begin{align}".to_owned()
            }
            r"\end{align*}" => {
                aligned = false;
                r"\end{align}".to_owned()
            }
            line if aligned => numbered(line, next, &mut label),
            line => displayed(line, &mut label),
        });
    }
    out.join("\n") + "\n"
}

/// A line of an alignment: the last of its equation has the number.
fn numbered(line: &str, next: &str, label: &mut impl FnMut() -> String) -> String {
    let (body, end) = match line.strip_suffix(r" \\") {
        Some(body) => (body, r" \\"),
        None => (line, ""),
    };
    let has_right_side =
        body.contains("&= ") || body.contains(r"&\quad ") || body.starts_with("&& ");
    let goes_on = next.starts_with(r"&\quad ") || next.starts_with("&& ");
    match has_right_side && !goes_on {
        true => format!("{body} {}{end}", label()),
        false => format!("{body} \\notag{end}"),
    }
}

/// `\[ .. \]`, which may go over several lines.
fn displayed(line: &str, label: &mut impl FnMut() -> String) -> String {
    let line = match line.strip_prefix(r"\[ ") {
        Some(rest) => format!("\\begin{{equation}}{}\n{rest}", label()),
        None => line.to_owned(),
    };
    match line.strip_suffix(r" \]") {
        Some(rest) => format!("{rest}\n\\end{{equation}}"),
        None => line,
    }
}

fn claims(claims: &[Claim]) -> String {
    if claims.is_empty() {
        return String::new();
    }
    let item = |claim: &Claim| {
        let cite = match claim.cite.as_str() {
            "" => String::new(),
            cite => format!(" ({})", tex_words(cite)),
        };
        let proof = match claim.proof.as_str() {
            "" => String::new(),
            proof => format!("{}; ", tex_words(proof)),
        };
        format!(
            "\\item \\emph{{{}}}{cite}: \\texttt{{{}}}. {proof}along this motion: {}.\n",
            tex_words(&claim.name),
            tex_words(&claim.text),
            tex_words(&claim.motion)
        )
    };
    let items: String = claims.iter().map(item).collect();
    format!("\n\\paragraph{{Claims.}}\n\\begin{{itemize}}\n{items}\\end{{itemize}}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_equation_has_one_label_and_every_other_line_none() {
        let mut count = 0;
        let mut label = || {
            count += 1;
            format!("L{count}")
        };
        let lines = [
            r"x &= 1 \\",
            r"y &= a \\",
            r"&\quad + b \\",
            r"c \\",
            r"+ d &= 2",
        ];
        let out: Vec<String> = (0..lines.len())
            .map(|i| numbered(lines[i], lines.get(i + 1).unwrap_or(&""), &mut label))
            .collect();
        let expected = [
            r"x &= 1 L1 \\",
            r"y &= a \notag \\",
            r"&\quad + b L2 \\",
            r"c \notag \\",
            r"+ d &= 2 L3",
        ];
        assert_eq!(out, expected);
        assert_eq!(displayed(r"\[ a", &mut label), "\\begin{equation}L4\na");
        assert_eq!(displayed(r"= b \]", &mut label), "= b\n\\end{equation}");
        assert_eq!(displayed("words", &mut label), "words");
    }
}
