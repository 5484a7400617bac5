//! Words for files that are not TOML: what the writer of a formula is likely to have meant.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use appell_expr::Span;
use toml_edit::TomlError;

/// What to say of a file that the TOML reader refuses.
pub(crate) fn explain(source: &Source, error: &TomlError) -> Diagnostic {
    let offset = source.floor(error.span().map_or(0, |span| span.start));
    let line = source.line_span(offset);
    let scene = Scene {
        offset,
        above: &source.text[..line.start],
        before: &source.text[line.start..offset.max(line.start)],
        rest: &source.text[offset..],
        message: error.message(),
    };
    let kinds = [
        Scene::other_format,
        Scene::carriage_returns,
        Scene::escape,
        Scene::duplicate,
        Scene::prime_in_key,
        Scene::prime_in_quotes,
        Scene::bare_key,
        Scene::inline_table,
        Scene::large_number,
    ];
    kinds
        .iter()
        .find_map(|kind| kind(&scene))
        .unwrap_or_else(|| scene.other())
}

/// Where reading stopped.
struct Scene<'a> {
    offset: usize,
    /// The lines before.
    above: &'a str,
    /// The line up to there.
    before: &'a str,
    /// Everything from there on.
    rest: &'a str,
    /// What the TOML reader says.
    message: &'a str,
}

impl Scene<'_> {
    fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// From the start of `length` bytes before the stop to `ahead` bytes after it.
    fn around(&self, length: usize, ahead: usize) -> Span {
        Span::new(self.offset - length, self.offset + ahead)
    }

    /// The name at the end of what was read, without blanks.
    fn name_before(&self) -> &str {
        let start = self
            .before
            .rfind(|c| !is_name_part(c))
            .map_or(0, |i| i + last_length(&self.before[i..]));
        &self.before[start..]
    }

    /// JSON, XML, Python, Modelica, YAML: nothing of a model stands before the place.
    fn other_format(&self) -> Option<Diagnostic> {
        let says_nothing = |line: &str| line.trim().is_empty() || line.starts_with('#');
        if !self.above.lines().all(says_nothing) {
            return None;
        }
        let line: String = [self.before, self.rest.lines().next().unwrap_or_default()].concat();
        let (word, _) = line.split_once(' ').unwrap_or((&line, ""));
        let format = match line.trim_start().chars().next()? {
            '{' => "this looks like JSON",
            '<' => "this looks like XML",
            _ if matches!(word, "import" | "from" | "def" | "class") => "this looks like Python",
            _ if matches!(word, "model" | "function" | "package") => "this looks like a program",
            _ if line.contains(':') && !line.contains('=') => "this looks like YAML",
            _ => return None,
        };
        let span = self.around(0, self.next().map_or(0, char::len_utf8));
        let label = format!(
            "{format}; a model is a TOML file: lines `key = value` under `[table]` headers"
        );
        let diagnostic = Diagnostic::new(Code::NotToml, "this is not TOML", span, label);
        Some(diagnostic.note("`appell new` prints a model to begin with"))
    }

    /// Lines that end as on old computers.
    fn carriage_returns(&self) -> Option<Diagnostic> {
        let stops = self.next() == Some('\r') && !self.rest.starts_with("\r\n");
        let message = "the lines of this file end with carriage returns only";
        let span = self.around(0, 1);
        let label = "save it with the line ends of Unix or Windows";
        stops.then(|| Diagnostic::new(Code::NotToml, message, span, label))
    }

    /// The last `[table]` before the place.
    fn table(&self) -> &str {
        let mut headers = self.above.lines().filter_map(|line| {
            let line = line.trim();
            line.strip_prefix('[')?.split(']').next()
        });
        headers
            .next_back()
            .unwrap_or_default()
            .trim_matches(['[', ' '])
    }

    /// `"\e"`, `"\sin"`: the reader stops after the letter.
    fn escape(&self) -> Option<Diagnostic> {
        let concerned =
            self.message.contains("escape sequence") || self.message.contains("unicode");
        let backslash = self.before.rfind('\\').filter(|_| concerned)?;
        let escape = &self.before[backslash..];
        let message = format!("`{escape}` is not an escape sequence");
        let span = self.around(escape.len(), 0);
        let diagnostic = Diagnostic::new(
            Code::Escape,
            message,
            span,
            "write formulas without backslashes",
        );
        Some(diagnostic.note(r#"TOML 1.0 knows \b \t \n \f \r \" \\ \uXXXX and \UXXXXXXXX"#))
    }

    fn duplicate(&self) -> Option<Diagnostic> {
        let (_, tail) = self.message.split_once("duplicate key `")?;
        let (key, _) = tail.split_once('`')?;
        let line = self.rest.lines().next().unwrap_or_default();
        let span = match line.find(key) {
            Some(start) => Span::new(self.offset + start, self.offset + start + key.len()),
            None => self.around(0, line.len()),
        };
        let message = format!("`{key}` is given twice");
        let label = match (key, line.trim_start().starts_with('[')) {
            ("loads" | "plots", true) => {
                format!("it is a list of tables: write `[[{key}]]` above each, with two brackets")
            }
            _ => "remove one of them, or rename it".to_owned(),
        };
        Some(Diagnostic::new(Code::DuplicateKey, message, span, label))
    }

    /// `x' = 1`, and the same inside brackets.
    fn prime_in_key(&self) -> Option<Diagnostic> {
        let in_list = self.before.trim_end().ends_with(['[', ',']);
        let (name, ahead) = match self.next()? {
            '\'' if self.message.starts_with("expected `.`") => (self.name_before(), 0),
            c if in_list && is_name_part(c) => {
                let end = self.rest.find(|c| !is_name_part(c))?;
                (&self.rest[..end], end)
            }
            _ => return None,
        };
        let primes: String = self.rest[ahead..]
            .chars()
            .take_while(|c| *c == '\'')
            .collect();
        if name.is_empty() || primes.is_empty() {
            return None;
        }
        let span = self.around(
            if ahead == 0 { name.len() } else { 0 },
            ahead + primes.len(),
        );
        let message = format!("`{name}{primes}` cannot be a bare key of TOML");
        let (label, example) = match self.table() {
            "forces" => (
                format!("write `{name}`: a force is named after its coordinate"),
                format!("for example `{name} = \"-2*{name}'\"`"),
            ),
            "constraints" => (
                "give the row a name, and write it as a string".to_owned(),
                format!("for example `row = \"{name}{primes} = 1\"`"),
            ),
            _ => (
                "write the equation as a string in a list".to_owned(),
                format!("for example `state = [\"{name}{primes} = 1\"]`"),
            ),
        };
        Some(Diagnostic::new(Code::PrimeInKey, message, span, label).note(example))
    }

    /// `'x'*sin(theta)'`: the string ended at the prime.
    fn prime_in_quotes(&self) -> Option<Diagnostic> {
        let (start, end) = last_literal(self.before)?;
        if !self.before[end..].trim().is_empty()
            || self.rest.trim_start_matches([' ', '\t']).starts_with('\n')
        {
            return None;
        }
        let line = Span::new(self.offset - self.before.len(), self.offset);
        let span = Span::new(line.start + end - 1, line.start + end);
        let message = "a formula in 'single quotes' ends at its first prime";
        let opened = Span::new(line.start + start, line.start + start + 1);
        let diagnostic =
            Diagnostic::new(Code::PrimeInQuotes, message, span, "the string ends here");
        let diagnostic = diagnostic.also(opened, "write \"double quotes\" around the formula");
        Some(diagnostic.note("in TOML a 'literal string' cannot contain a single quote"))
    }

    /// `θ = 1`
    fn bare_key(&self) -> Option<Diagnostic> {
        let at_key = [
            "invalid key",
            "expected `.`",
            "invalid inline table",
            "invalid table header",
        ];
        let concerned = at_key.iter().any(|start| self.message.starts_with(start));
        let next = self
            .next()
            .filter(|c| concerned && !c.is_ascii() && c.is_alphabetic())?;
        let name = self.name_before();
        let end = self
            .rest
            .find(|c| !is_name_part(c))
            .unwrap_or(next.len_utf8());
        let key = format!("{name}{}", &self.rest[..end]);
        let message = format!("`{key}` needs quotes as a key of TOML");
        let span = self.around(name.len(), end);
        let diagnostic =
            Diagnostic::new(Code::BareKey, message, span, format!("write `\"{key}\"`"));
        Some(diagnostic.note("inside formulas it needs none: bare keys of TOML have only the letters a-z, A-Z, digits, _ and -"))
    }

    /// Line breaks and trailing commas in inline tables, which TOML 1.0 does not have.
    fn inline_table(&self) -> Option<Diagnostic> {
        let after_comma = self.rest.strip_prefix(',').map(str::trim_start);
        let blank = self.rest.trim_start_matches([' ', '\t', ',']);
        let concerned = self.message.starts_with("invalid inline table");
        let (message, label, ahead) = if after_comma.is_some_and(|rest| rest.starts_with('}')) {
            (
                "a comma before the `}` of an inline table",
                "remove this comma",
                1,
            )
        } else if blank.starts_with(['\n', '\r', '#']) {
            (
                "an inline table `{ ... }` must stand on one line",
                "the line ends here",
                self.rest.len() - blank.len(),
            )
        } else {
            return None;
        };
        let span = self.around(0, ahead);
        let diagnostic =
            concerned.then(|| Diagnostic::new(Code::InlineTable, message, span, label))?;
        Some(diagnostic.note(
            "TOML 1.0 wants it so; a table with a [header] of its own may take several lines",
        ))
    }

    /// `1e999`, and integers beyond 64 bits.
    fn large_number(&self) -> Option<Diagnostic> {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.' | '_');
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        let number = &self.rest[..end];
        let span = self.around(0, end);
        if self.message.contains("too large to fit") || self.message.contains("too small to fit") {
            let message = format!("the integer `{number}` does not fit in 64 bits");
            let label = "write it with a decimal point or an exponent";
            return Some(Diagnostic::new(Code::BadValue, message, span, label));
        }
        let infinite = number
            .replace('_', "")
            .parse::<f64>()
            .is_ok_and(f64::is_infinite);
        (self.message.contains("floating-point") && infinite).then(|| not_finite(number, span))
    }

    fn other(&self) -> Diagnostic {
        let after_blank = self.before.trim_end();
        let at_value = after_blank.ends_with(['=', '[', ',']) || after_blank.is_empty();
        let next = self.next();
        let (_, value) = self.before.rsplit_once('=').unwrap_or(("", ""));
        let unquoted = !value.trim().is_empty() && !value.contains(['"', '\'', '[', '{', '#']);
        let number = value.trim();
        let is_number = number.parse::<f64>().is_ok();
        let digits: String = self
            .rest
            .chars()
            .skip(1)
            .take_while(char::is_ascii_digit)
            .collect();
        let decimal = format!("write `{number}.{digits}`: the decimal sign is a point");
        let label = match next {
            Some(',') if is_number && !digits.is_empty() => decimal.as_str(),
            Some(';') => "lines end without a sign: remove it",
            Some('/') if self.rest.starts_with("//") => "comments begin with `#`",
            Some('%' | '!') if is_number => "comments begin with `#`",
            Some('.') if is_number => "a number has one decimal point",
            Some(c) if is_number && c.is_alphabetic() => {
                "units stand beside the number: `{ value = 1.0, unit = \"kg\" }`"
            }
            Some('"' | '\'') if self.message.contains("array") => "a comma is missing before it",
            Some(':') => "write `=`",
            None | Some('\n' | '\r') if self.message.contains("table header") => {
                "the closing `]` is missing"
            }
            Some(c) if unquoted && !c.is_whitespace() && c != '#' => {
                "formulas stand in \"double quotes\""
            }
            Some('“' | '”' | '„' | '‘' | '’') => "write straight quotes: \"...\"",
            Some('.') if self.message.contains("floating-point") => {
                "write a digit before the point"
            }
            Some(c) if at_value && c.is_alphabetic() => {
                "formulas and words stand in \"double quotes\""
            }
            Some(c) if c.is_control() && c != '\n' && c != '\r' => "a control character",
            None | Some('\n' | '\r') if self.message.contains("string") => {
                "the closing quote is missing"
            }
            None | Some('\n' | '\r') => "something is missing here",
            _ => "unexpected here",
        };
        let said: Vec<&str> = self
            .message
            .lines()
            .filter(|line| !line.is_empty())
            .collect();
        let span = self.around(0, next.map_or(0, char::len_utf8));
        let diagnostic = Diagnostic::new(Code::NotToml, "this is not TOML", span, label);
        if said.is_empty() {
            diagnostic
        } else {
            diagnostic.note(said.join(", "))
        }
    }
}

/// An error about a number that is infinite or not a number.
pub(crate) fn not_finite(number: &str, span: Span) -> Diagnostic {
    let message = format!("`{number}` is not a finite number");
    let label = "write a number below about 1.8e308 in size";
    Diagnostic::new(Code::NotFinite, message, span, label)
}

fn is_name_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

fn last_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Where the last finished string in single quotes begins and ends in a line.
fn last_literal(line: &str) -> Option<(usize, usize)> {
    let mut found = None;
    let mut characters = line.char_indices();
    while let Some((start, quote)) = characters.next() {
        match quote {
            '#' => return found,
            '"' | '\'' => loop {
                match characters.next() {
                    Some((_, '\\')) if quote == '"' => _ = characters.next(),
                    Some((end, c)) if c == quote => {
                        if quote == '\'' {
                            found = Some((start, end + 1));
                        }
                        break;
                    }
                    Some(_) => {}
                    None => return found,
                }
            },
            _ => {}
        }
    }
    found
}
