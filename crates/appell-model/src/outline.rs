//! A look at the brackets and dotted keys of a file before any tree is built from it.
//!
//! The TOML reader and the dropping of its tree recurse as deep as the file nests; dotted keys
//! within inline tables multiply that. Here the depth is bounded in one pass without recursion.

/// How deep brackets and dotted keys may nest together. Models need five.
pub(crate) const MAX_DEPTH: usize = 16;

/// The place where the file nests too deep, if it does.
///
/// On a file that is not TOML this speaks of the part before the first mistake only, as the TOML
/// reader does.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = Depth {
        dots: vec![0],
        total: 0,
    };
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'#' => at += line_length(&text[at..]),
            quote @ (b'"' | b'\'') => at += string_length(&text[at..], char::from(quote)),
            byte => {
                depth.take(byte);
                at += 1;
            }
        }
        if depth.total > MAX_DEPTH {
            return Some(at.saturating_sub(1));
        }
    }
    None
}

/// The open brackets, each with the dots of the element being read in it.
struct Depth {
    dots: Vec<usize>,
    /// Brackets and dots together.
    total: usize,
}

impl Depth {
    fn take(&mut self, byte: u8) {
        match byte {
            b'[' | b'{' => {
                self.dots.push(0);
                self.total += 1;
            }
            b']' | b'}' if self.dots.len() > 1 => {
                let dots = self.dots.pop().unwrap_or(0);
                self.total -= dots + 1;
            }
            b'.' => {
                if let Some(dots) = self.dots.last_mut() {
                    *dots += 1;
                    self.total += 1;
                }
            }
            b',' => self.next_element(),
            b'\n' if self.dots.len() == 1 => self.next_element(),
            _ => {}
        }
    }

    fn next_element(&mut self) {
        if let Some(dots) = self.dots.last_mut() {
            self.total -= *dots;
            *dots = 0;
        }
    }
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// The length of the string that `text` begins with, up to its closing quotes or, where those are
/// missing, up to where it breaks off.
fn string_length(text: &str, quote: char) -> usize {
    let triple = [quote; 3].iter().collect::<String>();
    let several_lines = text.starts_with(&triple);
    let open = if several_lines { 3 } else { 1 };
    let mut rest = text[open..].char_indices();
    while let Some((offset, character)) = rest.next() {
        let end = open + offset;
        match character {
            '\\' if quote == '"' => {
                rest.next();
            }
            '\n' if !several_lines => return end,
            c if c == quote && !several_lines => return end + 1,
            c if c == quote && text[end..].starts_with(&triple) => {
                // One or two quotes may stand before the closing three.
                return end
                    + text[end..]
                        .chars()
                        .take(5)
                        .take_while(|c| *c == quote)
                        .count();
            }
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_and_dots_together() {
        let deep = |open: usize, dots: usize| {
            let key = format!("a{}", ".a".repeat(dots));
            format!(
                "x = {}{}",
                format!("{{{key} = ").repeat(open),
                "}".repeat(open)
            )
        };
        assert_eq!(too_deep(&deep(16, 0)), None);
        assert!(too_deep(&deep(17, 0)).is_some());
        assert_eq!(too_deep(&deep(4, 3)), None);
        assert!(too_deep(&deep(5, 3)).is_some());
        assert!(too_deep(&format!("{}a", "a.".repeat(17))).is_some());
        assert!(too_deep(&format!("[{}a]", "a.".repeat(17))).is_some());
    }

    #[test]
    fn what_follows_one_another_does_not_add_up() {
        assert_eq!(too_deep(&"a.b = 1.5\n".repeat(50)), None);
        assert_eq!(too_deep(&format!("a = [{}]", "1.5, ".repeat(50))), None);
        assert_eq!(too_deep(&"[[a]]\n".repeat(50)), None);
    }

    #[test]
    fn strings_and_comments_do_not_count() {
        let brackets = "[".repeat(30);
        for file in [
            format!("a = \"{brackets}\\\"{brackets}\""),
            format!("a = '{brackets}'"),
            format!("a = \"\"\"\n{brackets}\"{brackets}\n\"\"\"\""),
            format!("a = '''\n{brackets}''{brackets}\n'''"),
            format!("# {brackets}\n"),
        ] {
            assert_eq!(too_deep(&file), None, "{file}");
        }
        assert!(too_deep(&format!("a = \"\" # \n b = {brackets}")).is_some());
    }
}
