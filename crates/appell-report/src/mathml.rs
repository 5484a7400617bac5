//! Formulas as presentation MathML, with their LaTeX as an annotation.
//!
//! The formulas are those that [`crate::derivation`] writes, so that picture and annotation are one
//! walk over the algebra and cannot differ. Only that LaTeX is read here: a command from elsewhere
//! is shown as its own name.

use crate::lettering::escape;
use std::fmt::Write;

/// Groups nested deeper than this are shown as their LaTeX: browsers limit the depth of a page.
const DEEPEST: usize = 60;

/// A formula in a line of text; one letter needs no annotation.
pub fn inline(latex: &str) -> String {
    math(latex, "")
}

/// A formula, or an environment such as `align*`, in lines of its own.
pub fn display(latex: &str) -> String {
    math(latex, " display=\"block\"")
}

fn math(latex: &str, attributes: &str) -> String {
    let mut reader = Reader {
        rest: latex,
        depth: 0,
    };
    let items = reader.row(&[]);
    // One letter in a line of text is its own LaTeX.
    if let ("", [one]) = (attributes, items.as_slice()) {
        return format!("<math>{}</math>", one.markup());
    }
    format!(
        "<math{attributes}><semantics>{}<annotation encoding=\"application/x-tex\">{}</annotation></semantics></math>",
        row(&items),
        escape(latex.trim())
    )
}

/// A piece of a row, and what stands to the right of it.
#[derive(Debug, Clone, PartialEq)]
enum Item {
    /// Something that is added, multiplied or raised.
    Operand(String),
    /// A sign after which `-` is a sign of its own.
    Operator(String),
    /// The name of a function: what follows is its argument.
    Function(String),
}

impl Item {
    fn markup(&self) -> &str {
        let (Self::Operand(markup) | Self::Operator(markup) | Self::Function(markup)) = self;
        markup
    }
}

/// A row as one element.
fn row(items: &[Item]) -> String {
    let markup: String = items.iter().map(Item::markup).collect();
    match items {
        [Item::Operand(_)] => markup,
        _ => format!("<mrow>{markup}</mrow>"),
    }
}

/// Commands that are one character: letters, then signs.
const LETTERS: [(&str, &str); 39] = [
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("epsilon", "ϵ"),
    ("zeta", "ζ"),
    ("eta", "η"),
    ("theta", "θ"),
    ("iota", "ι"),
    ("kappa", "κ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("nu", "ν"),
    ("xi", "ξ"),
    ("pi", "π"),
    ("rho", "ρ"),
    ("sigma", "σ"),
    ("varsigma", "ς"),
    ("tau", "τ"),
    ("upsilon", "υ"),
    ("phi", "ϕ"),
    ("varphi", "φ"),
    ("chi", "χ"),
    ("psi", "ψ"),
    ("omega", "ω"),
    ("Gamma", "Γ"),
    ("Delta", "Δ"),
    ("Theta", "Θ"),
    ("Lambda", "Λ"),
    ("Xi", "Ξ"),
    ("Pi", "Π"),
    ("Sigma", "Σ"),
    ("Upsilon", "Υ"),
    ("Phi", "Φ"),
    ("Psi", "Ψ"),
    ("Omega", "Ω"),
    ("partial", "∂"),
    ("nabla", "∇"),
    ("infty", "∞"),
];
const SIGNS: [(&str, &str); 8] = [
    ("cdot", "⋅"),
    ("times", "×"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("in", "∈"),
    ("to", "→"),
    ("ldots", "…"),
];
/// What has its bounds below and above.
const SUM: &str = "<mo>∑</mo>";
/// Functions that LaTeX knows by name.
const FUNCTIONS: [&str; 16] = [
    "sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "exp", "log", "ln",
    "min", "max", "dim", "det",
];
/// What is put above a letter.
const ACCENTS: [(&str, &str); 6] = [
    ("dot", "˙"),
    ("ddot", "¨"),
    ("bar", "‾"),
    ("hat", "^"),
    ("tilde", "~"),
    ("widetilde", "~"),
];
/// Letters in a font, words and names.
const FONTS: [&str; 5] = ["mathit", "mathrm", "mathsf", "mathbf", "operatorname"];

fn found(table: &[(&'static str, &'static str)], name: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(other, _)| *other == name)
        .map(|(_, character)| *character)
}

/// What is left of the LaTeX.
struct Reader<'t> {
    rest: &'t str,
    depth: usize,
}

impl<'t> Reader<'t> {
    /// Items up to one of these stretches, which is left, or to the end or a bracket that nothing
    /// here opened.
    fn row(&mut self, until: &[&str]) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            let ends = until.iter().any(|end| self.rest.starts_with(end));
            if ends || self.rest.is_empty() {
                return items;
            }
            if let Some(rest) = self.rest.strip_prefix('}') {
                if !until.is_empty() {
                    return items;
                }
                self.rest = rest;
            } else if self.rest.starts_with(['^', '_', '\'']) {
                let base = items
                    .pop()
                    .unwrap_or(Item::Operand("<mrow></mrow>".to_owned()));
                items.push(self.scripts(base));
            } else {
                let signed = matches!(items.last(), None | Some(Item::Operator(_)));
                let item = self.item(signed);
                if matches!(items.last(), Some(Item::Function(_))) {
                    items.push(application(&item));
                }
                items.extend(item);
            }
        }
    }

    /// The next item; `signed` says that a minus is no subtraction.
    fn item(&mut self, signed: bool) -> Option<Item> {
        let c = self.rest.chars().next()?;
        if c == '\\' {
            return self.command();
        }
        if c == '{' {
            let inner = self.group();
            return Some(Item::Operand(inner));
        }
        if c.is_ascii_digit() {
            let end = self.rest.find(|c: char| !c.is_ascii_digit() && c != '.');
            let number = self.take(end.unwrap_or(self.rest.len()));
            return Some(Item::Operand(format!("<mn>{number}</mn>")));
        }
        self.take(c.len_utf8());
        Some(match c {
            '-' if signed => Item::Operator("<mo form=\"prefix\">−</mo>".to_owned()),
            '-' => Item::Operator("<mo>−</mo>".to_owned()),
            '+' | '=' | '<' | '>' | '/' | '(' | '[' | ',' | ';' | '*' | ':' => {
                let fence = if c == '(' || c == '[' {
                    " stretchy=\"false\""
                } else {
                    ""
                };
                Item::Operator(format!("<mo{fence}>{}</mo>", escape(&c.to_string())))
            }
            ')' | ']' | '|' => Item::Operand(format!("<mo stretchy=\"false\">{c}</mo>")),
            '&' | '~' => Item::Operator("<mspace width=\"0.3em\"/>".to_owned()),
            c => Item::Operand(format!("<mi>{}</mi>", escape(&c.to_string()))),
        })
    }

    fn take(&mut self, bytes: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// What stands after `\`.
    fn command(&mut self) -> Option<Item> {
        self.take(1);
        let letters = self.rest.find(|c: char| !c.is_ascii_alphabetic());
        let name = self.take(letters.unwrap_or(self.rest.len()));
        if name.is_empty() {
            return self.escaped();
        }
        let operand = |markup: String| Some(Item::Operand(markup));
        if let Some(letter) = found(&LETTERS, name) {
            return operand(format!("<mi>{letter}</mi>"));
        }
        if let Some(sign) = found(&SIGNS, name) {
            return Some(Item::Operator(format!("<mo>{sign}</mo>")));
        }
        if FUNCTIONS.contains(&name) {
            return Some(Item::Function(format!("<mi>{name}</mi>")));
        }
        if let Some(accent) = found(&ACCENTS, name) {
            let base = self.argument();
            return operand(format!(
                "<mover accent=\"true\">{base}<mo stretchy=\"false\">{accent}</mo></mover>"
            ));
        }
        if FONTS.contains(&name) {
            let word = escape(&self.words());
            return Some(match name {
                "operatorname" => Item::Function(format!("<mi>{word}</mi>")),
                "mathsf" => Item::Operand(format!("<mi mathvariant=\"normal\">{word}</mi>")),
                _ => Item::Operand(format!("<mi>{word}</mi>")),
            });
        }
        self.structure(name)
    }

    /// A backslash before what is no letter: blanks, line ends, and characters with a meaning of their own.
    fn escaped(&mut self) -> Option<Item> {
        let c = self.rest.chars().next()?;
        self.take(c.len_utf8());
        Some(match c {
            ',' => Item::Operand("<mspace width=\"0.16em\"/>".to_owned()),
            ' ' | ';' | ':' | '!' => Item::Operator("<mspace width=\"0.3em\"/>".to_owned()),
            '\\' => Item::Operator("<mspace linebreak=\"newline\"/>".to_owned()),
            c => Item::Operand(format!("<mi>{}</mi>", escape(&c.to_string()))),
        })
    }

    /// Commands with operands, and a few signs that stand by themselves.
    fn structure(&mut self, name: &str) -> Option<Item> {
        let operand = |markup: String| Some(Item::Operand(markup));
        match name {
            "frac" => {
                let (above, below) = (self.argument(), self.argument());
                operand(format!("<mfrac>{above}{below}</mfrac>"))
            }
            "sqrt" => {
                let inner = self.argument();
                operand(format!("<msqrt>{inner}</msqrt>"))
            }
            "left" => operand(self.fenced()),
            "right" => {
                self.delimiter();
                None
            }
            "bigl" | "bigr" | "big" => {
                let sign = self.delimiter();
                let markup = format!("<mo stretchy=\"false\">{sign}</mo>");
                Some(match name {
                    "bigl" => Item::Operator(markup),
                    _ => Item::Operand(markup),
                })
            }
            "sum" => Some(Item::Operator(SUM.to_owned())),
            "quad" => Some(Item::Operator("<mspace width=\"1em\"/>".to_owned())),
            "text" => {
                let words = self.words();
                // Blanks at the ends of an element do not count in MathML.
                let inner = words.trim();
                let blank = |there: bool| if there { "\u{a0}" } else { "" };
                let (before, after) = (words.starts_with(' '), words.ends_with(' '));
                let (before, after) = (blank(before), blank(after));
                operand(format!("<mtext>{before}{}{after}</mtext>", escape(inner)))
            }
            "begin" => operand(self.environment()),
            _ => operand(format!("<mi>{name}</mi>")),
        }
    }

    /// `( .. )` as high as what is in it.
    fn fenced(&mut self) -> String {
        let open = self.delimiter();
        let inner = self.nested(|reader| row(&reader.row(&[r"\right"])));
        let mut close = String::new();
        if let Some(rest) = self.rest.strip_prefix(r"\right") {
            self.rest = rest;
            close = self.delimiter();
        }
        let sign = |sign: String| match sign.as_str() {
            "" => sign,
            _ => format!("<mo>{sign}</mo>"),
        };
        let round = open == "(" && close == ")";
        let tall = round && (inner.contains("<mfrac>") || inner.contains("<mtable"));
        let class = if tall { " class=\"tall\"" } else { "" };
        format!("<mrow{class}>{}{inner}{}</mrow>", sign(open), sign(close))
    }

    fn delimiter(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let Some(c) = self.rest.chars().next() else {
            return String::new();
        };
        self.take(c.len_utf8());
        match c {
            '.' => String::new(),
            '\\' => {
                let brace = self.rest.chars().next().map_or(0, char::len_utf8);
                escape(self.take(brace))
            }
            c => escape(&c.to_string()),
        }
    }

    /// Rows of cells: matrices, and lines under each other.
    fn environment(&mut self) -> String {
        let name = self.words();
        let arguments = if name == "array" {
            self.words()
        } else {
            String::new()
        };
        let mut rows: Vec<Vec<String>> = vec![Vec::new()];
        loop {
            let cell = self.nested(|reader| row(&reader.row(&["&", r"\\", r"\end{"])));
            if let Some(row) = rows.last_mut() {
                row.push(cell);
            }
            if let Some(rest) = self.rest.strip_prefix('&') {
                self.rest = rest;
            } else if let Some(rest) = self.rest.strip_prefix(r"\\") {
                self.rest = rest;
                rows.push(Vec::new());
            } else if let Some(rest) = self.rest.strip_prefix(r"\end") {
                self.rest = rest;
                self.words();
                break;
            } else if self.rest.is_empty() {
                break;
            } else {
                // A bracket that nothing opened.
                let c = self.rest.chars().next().map_or(0, char::len_utf8);
                self.take(c);
            }
        }
        let aligned = name.starts_with("align");
        let table = table(&rows, aligned);
        if name == "pmatrix" {
            return format!("<mrow class=\"tall\"><mo>(</mo>{table}<mo>)</mo></mrow>");
        }
        debug_assert!(aligned || !arguments.is_empty() || name == "aligned");
        table
    }

    /// Scripts and primes after a base.
    fn scripts(&mut self, base: Item) -> Item {
        let (mut below, mut above, mut primes) = (None, None, 0);
        loop {
            if let Some(rest) = self.rest.strip_prefix('\'') {
                self.rest = rest;
                primes += 1;
            } else if let Some(rest) = self.rest.strip_prefix('_') {
                self.rest = rest;
                below = Some(self.argument());
            } else if let Some(rest) = self.rest.strip_prefix('^') {
                self.rest = rest;
                above = Some(self.argument());
            } else {
                break;
            }
        }
        let prime = match primes {
            0 => None,
            1 => Some("<mo class=\"prime\">′</mo>".to_owned()),
            2 => Some("<mo class=\"prime\">″</mo>".to_owned()),
            n => Some(format!("<mo class=\"prime\">{}</mo>", "′".repeat(n))),
        };
        let above = match (prime, above) {
            (Some(prime), Some(above)) => Some(format!("<mrow>{prime}{above}</mrow>")),
            (prime, above) => prime.or(above),
        };
        let text = base.markup();
        let markup = match (below, above) {
            (Some(below), Some(above)) if text == SUM => {
                format!("<munderover>{text}{below}{above}</munderover>")
            }
            (Some(below), None) if text == SUM => format!("<munder>{text}{below}</munder>"),
            (Some(below), Some(above)) => format!("<msubsup>{text}{below}{above}</msubsup>"),
            (Some(below), None) => format!("<msub>{text}{below}</msub>"),
            (None, Some(above)) => format!("<msup>{text}{above}</msup>"),
            (None, None) => text.to_owned(),
        };
        match base {
            Item::Function(_) => Item::Function(markup),
            Item::Operator(sum) if sum == SUM => Item::Operator(markup),
            _ => Item::Operand(markup),
        }
    }

    /// A group, or the next item alone.
    fn argument(&mut self) -> String {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('{') {
            return self.group();
        }
        let item = self.item(true);
        item.map_or_else(
            || "<mrow></mrow>".to_owned(),
            |item| item.markup().to_owned(),
        )
    }

    /// `{ .. }` as one element.
    fn group(&mut self) -> String {
        if self.depth >= DEEPEST {
            let words = self.words();
            return format!("<mtext>{}</mtext>", escape(&words));
        }
        self.take(1);
        let inner = self.nested(|reader| row(&reader.row(&["}"])));
        self.take(1);
        inner
    }

    fn nested(&mut self, read: impl FnOnce(&mut Self) -> String) -> String {
        if self.depth >= 2 * DEEPEST {
            let text = format!("<mtext>{}</mtext>", escape(self.rest));
            self.rest = "";
            return text;
        }
        self.depth += 1;
        let inner = read(self);
        self.depth -= 1;
        inner
    }

    /// The text of `{ .. }`, its escapes undone.
    fn words(&mut self) -> String {
        self.rest = self.rest.trim_start();
        let Some(rest) = self.rest.strip_prefix('{') else {
            return String::new();
        };
        self.rest = rest;
        let (mut open, mut words, mut escaped) = (0usize, String::new(), false);
        let mut end = self.rest.len();
        for (at, c) in self.rest.char_indices() {
            match c {
                _ if escaped => {
                    escaped = false;
                    if c.is_ascii_alphabetic() {
                        words.push('\\');
                    }
                    words.push(c);
                }
                '\\' => escaped = true,
                '}' if open == 0 => {
                    end = at;
                    break;
                }
                '{' => open += 1,
                '}' => open -= 1,
                '$' => {}
                c => words.push(c),
            }
        }
        self.take(end);
        self.take(1);
        // What names and words write for a few characters.
        [
            ("\\backslash", "\\"),
            ("\\sim", "~"),
            ("\\wedge", "^"),
            ("\\textbackslash", "\\"),
            ("\\textasciitilde", "~"),
            ("\\textasciicircum", "^"),
        ]
        .iter()
        .fold(words, |words, (from, to)| words.replace(from, to))
    }
}

/// Between the name of a function and its argument: nothing to see before a bracket.
fn application(argument: &Option<Item>) -> Item {
    let is_bracketed = |markup: &String| markup.starts_with("<mrow") && markup.contains("><mo>(");
    let bracketed = matches!(argument, Some(Item::Operand(markup)) if is_bracketed(markup));
    let space = if bracketed {
        ""
    } else {
        "<mspace width=\"0.16em\"/>"
    };
    Item::Operand(format!("<mo>\u{2061}</mo>{space}"))
}

/// The columns of `align` are right and left in turn; those of matrices are centred.
fn table(rows: &[Vec<String>], aligned: bool) -> String {
    let mut markup = match aligned {
        true => {
            "<mtable class=\"aligned\" displaystyle=\"true\" columnalign=\"right left\">".to_owned()
        }
        false => "<mtable>".to_owned(),
    };
    for row in rows {
        markup.push_str("<mtr>");
        for cell in row {
            // Writing to a string cannot fail.
            let _ = write!(markup, "<mtd>{cell}</mtd>");
        }
        markup.push_str("</mtr>");
    }
    markup.push_str("</mtable>");
    markup
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The presentation without the frame around it.
    fn shown(latex: &str) -> String {
        let math = display(latex);
        let start = "<math display=\"block\"><semantics>".len();
        math[start..math.find("<annotation").unwrap_or(math.len())].to_owned()
    }

    #[test]
    fn formulas_of_the_printer_are_presented() {
        let rows = [
            (
                r"\dot{\theta}_{1}",
                r#"<msub><mover accent="true"><mi>θ</mi><mo stretchy="false">˙</mo></mover><mn>1</mn></msub>"#,
            ),
            (r"\frac{1}{2}", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
            (r"{x}^{2}", "<msup><mi>x</mi><mn>2</mn></msup>"),
            (r"q''", "<msup><mi>q</mi><mo class=\"prime\">″</mo></msup>"),
            (
                r"\sum_{i=1}^{n} x",
                "<mrow><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>x</mi></mrow>",
            ),
            (
                r"a \text{ on } b",
                "<mrow><mi>a</mi><mtext>\u{a0}on\u{a0}</mtext><mi>b</mi></mrow>",
            ),
            (r"-x", "<mrow><mo form=\"prefix\">−</mo><mi>x</mi></mrow>"),
            (r"a - b", "<mrow><mi>a</mi><mo>−</mo><mi>b</mi></mrow>"),
            (
                r"\lambda_{\mathrm{no\_slip}}",
                "<msub><mi>λ</mi><mi>no_slip</mi></msub>",
            ),
            (
                r"\sin \theta",
                "<mrow><mi>sin</mi><mo>\u{2061}</mo><mspace width=\"0.16em\"/><mi>θ</mi></mrow>",
            ),
            (
                r"[g^{ij}]_a",
                "<mrow><mo stretchy=\"false\">[</mo><msup><mi>g</mi><mrow><mi>i</mi><mi>j</mi></mrow></msup><msub><mo stretchy=\"false\">]</mo><mi>a</mi></msub></mrow>",
            ),
        ];
        for (latex, expected) in rows {
            assert_eq!(shown(latex), expected, "{latex}");
        }
    }

    #[test]
    fn matrices_and_lines_are_tables() {
        let matrix = shown(r"M = \begin{pmatrix} m & 0 \\ 0 & -m \end{pmatrix}");
        assert_eq!(matrix.matches("<mtr>").count(), 2);
        assert_eq!(matrix.matches("<mtd>").count(), 4);
        assert!(matrix.contains("<mrow class=\"tall\"><mo>(</mo><mtable>"));
        let lines = shown("\\begin{align*}\nx &= 1 \\\\\ny &= 2\n\\end{align*}");
        assert!(lines.contains("class=\"aligned\""));
        assert_eq!(lines.matches("<mtr>").count(), 2);
    }

    #[test]
    fn one_letter_needs_no_annotation() {
        assert_eq!(inline(r"\theta"), "<math><mi>θ</mi></math>");
        assert!(inline("x y").contains("<annotation"));
    }

    #[test]
    fn everything_closed_is_what_was_opened() {
        let odd = [
            r"\left(x",
            r"}",
            r"{",
            r"\frac{1}",
            r"\frac",
            r"^",
            r"_{",
            r"\begin{pmatrix} 1 & }",
            r"\right)",
            r"\unknown{x}",
            r"\",
            r"\text{<b>}",
            "<script>",
            r"\mathrm{</math>}",
            "é_ü",
        ];
        for latex in odd {
            let math = display(latex);
            balanced(&math, latex);
            assert!(
                !math.contains("<script>") && !math.contains("<b>"),
                "{latex}"
            );
        }
        let deep = format!("{}x{}", "{".repeat(10_000), "}".repeat(10_000));
        balanced(&display(&deep), "deep");
        let deep = format!("{}x{}", r"\left(".repeat(10_000), r"\right)".repeat(10_000));
        balanced(&display(&deep), "deep brackets");
    }

    fn balanced(markup: &str, latex: &str) {
        let mut open: Vec<&str> = Vec::new();
        for tag in markup.split('<').skip(1) {
            let tag = tag.split('>').next().unwrap_or_default();
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{latex}: {markup}");
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap_or_default());
            }
        }
        assert!(open.is_empty(), "{latex}: {open:?}");
    }
}
