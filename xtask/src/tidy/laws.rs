//! Laws about what stands in the files.

use super::Violation;
use super::repository::{File, Repository};
use std::collections::BTreeSet;

/// Words of unfinished work. They are written in two parts here, so that this file obeys.
const UNFINISHED: [&str; 6] = [
    concat!("todo", "!"),
    concat!("unimplemented", "!"),
    concat!("dbg", "!"),
    concat!("#[", "ignore"),
    concat!("FIX", "ME"),
    concat!("XX", "X:"),
];

/// Where files of one machine live, written in two parts as well.
const PLACES: [&str; 6] = [
    concat!("/", "work/"),
    concat!("/", "home/"),
    concat!("/", "root/"),
    concat!("/", "tmp/"),
    concat!("/", "mnt/"),
    concat!("/", "Users/"),
];

/// A source file may have as many lines.
const MOST_LINES: usize = 800;

/// No source has a placeholder, a debugging print, an ignored test or a note to do it later.
pub fn finished(repository: &Repository) -> Vec<Violation> {
    let found = |line: &str| {
        let words = UNFINISHED.iter().filter(|&&word| line.contains(word));
        words
            .map(|word| format!("`{word}`: finish it or take it out"))
            .collect()
    };
    each_line(repository.ending(".rs"), found)
}

/// No file names a place on one machine.
pub fn portable(repository: &Repository) -> Vec<Violation> {
    let found = |line: &str| {
        let places = PLACES.iter().filter(|place| is_absolute(line, place));
        places
            .map(|place| format!("a path of one machine (`{place}`)"))
            .collect()
    };
    each_line(repository.files.iter(), found)
}

/// Whether the place begins a path, and is not the middle of a longer path or of an address.
fn is_absolute(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/~}".contains(c))
    })
}

/// Where machine code is called.
const MACHINE_CODE: &str = "crates/appell-flow/src/backend/";
/// Where functions have names for other languages.
const EXPORTED: &str = "crates/appell-web/src/lib.rs";

/// No source lifts the ban on unsafe code but those that call machine code or are called by it.
pub fn safe(repository: &Repository) -> Vec<Violation> {
    let lifted = concat!("allow(", "unsafe_code");
    let found = |line: &str| {
        let message = || format!("unsafe code belongs to `{MACHINE_CODE}` and `{EXPORTED}`");
        line.contains(lifted).then(message).into_iter().collect()
    };
    let others = |file: &&File| !file.path.starts_with(MACHINE_CODE) && file.path != EXPORTED;
    each_line(repository.ending(".rs").filter(others), found)
}

/// No source is too long to read.
pub fn length(repository: &Repository) -> Vec<Violation> {
    let long = repository
        .ending(".rs")
        .filter(|file| file.text.lines().count() > MOST_LINES);
    long.map(|file| Violation {
        path: file.path.clone(),
        line: MOST_LINES + 1,
        message: format!("longer than {MOST_LINES} lines: split it by what it says"),
    })
    .collect()
}

/// Every key cited in a comment or a text is in `refs.bib`.
///
/// A citation is `[key, place]`, or `[key]` where the documentation tool does not read it; a key
/// is the first author's name, the year, and a letter if there are several of that year.
pub fn citations(repository: &Repository) -> Vec<Violation> {
    let known: BTreeSet<&str> = repository.ending("refs.bib").flat_map(entries).collect();
    let missing = |text: &str| -> Vec<String> {
        let unknown = cited(text).into_iter().filter(|key| !known.contains(key));
        unknown
            .map(|key| format!("`{key}` is not in refs.bib"))
            .collect()
    };
    let in_comment = |line: &str| {
        line.find("//")
            .map_or(Vec::new(), |at| missing(&line[at..]))
    };
    let mut found = each_line(repository.ending(".rs"), in_comment);
    found.extend(each_line(repository.ending(".md"), missing));
    found
}

/// The keys of a bibliography.
fn entries(file: &File) -> impl Iterator<Item = &str> {
    file.text.lines().filter_map(entry)
}

/// The key of the entry that begins here: `@article{key,`.
fn entry(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().strip_prefix('@')?.split_once('{')?;
    rest.split(',').next().map(str::trim)
}

/// The keys cited in a text: a key follows an opening bracket or a semicolon inside one, and is
/// followed by a comma, a semicolon or the closing bracket.
fn cited(text: &str) -> Vec<&str> {
    let brackets = text.split('[').skip(1);
    let inside = brackets
        .filter_map(|rest| rest.split_once(']'))
        .map(|(inside, _)| inside);
    inside
        .flat_map(|inside| inside.split(';'))
        .filter_map(|work| work.split(',').next())
        .map(|key| key.trim().trim_end_matches('\\'))
        .filter(|key| is_key(key))
        .collect()
}

/// Whether a word has the form `name1234` or `name1234a`.
fn is_key(word: &str) -> bool {
    let word = word
        .strip_suffix(|c: char| c.is_ascii_lowercase())
        .unwrap_or(word);
    let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
    word.len() == name.len() + 4
        && !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// No source lists models of the gallery: one may be an example, two are the beginning of a list.
pub fn gallery(repository: &Repository) -> Vec<Violation> {
    let model = |file: &File| Some(file.path.strip_prefix("zoo/")?.to_owned());
    let models: Vec<String> = repository.ending(".toml").filter_map(model).collect();
    let tests_and_zoo = |file: &&File| {
        file.path.starts_with("zoo/") || file.path.split('/').any(|part| part == "tests")
    };
    let sources = repository
        .ending(".rs")
        .chain(repository.ending("Cargo.toml"));
    sources
        .filter(|file| !tests_and_zoo(file))
        .filter_map(|file| {
            let code = without_tests_and_comments(&file.text);
            let named: Vec<&String> = models.iter().filter(|name| is_named(&code, name)).collect();
            let [first, second, ..] = named[..] else {
                return None;
            };
            Some(Violation {
                path: file.path.clone(),
                line: 0,
                message: format!("names `{first}` and `{second}`: read the folder instead"),
            })
        })
        .collect()
}

/// Whether the file name stands in the code by itself, not as the end of a longer one.
fn is_named(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '-' || c == '_')
    })
}

/// The code up to the unit tests, without the lines that are comments.
fn without_tests_and_comments(text: &str) -> String {
    let lines = text.lines().map(str::trim_start);
    let code = lines.take_while(|line| !line.starts_with("#[cfg(test)]"));
    code.filter(|line| !line.starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Applies a check to every line; it returns what is wrong with it.
fn each_line<'a>(
    files: impl Iterator<Item = &'a File>,
    check: impl Fn(&str) -> Vec<String>,
) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in files {
        for (line, text) in file.lines() {
            found.extend(check(text).into_iter().map(|message| Violation {
                path: file.path.clone(),
                line,
                message,
            }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines at which a law is broken.
    fn broken(check: fn(&Repository) -> Vec<Violation>, files: &[(&str, &str)]) -> Vec<usize> {
        check(&Repository::of(files))
            .iter()
            .map(|violation| violation.line)
            .collect()
    }

    #[test]
    fn unsafe_code_is_allowed_where_machine_code_is_called_only() {
        let text = concat!("//!\n#![allow(", "unsafe_code)]\n");
        let inside = format!("{MACHINE_CODE}jit.rs");
        assert!(broken(safe, &[(&inside, text)]).is_empty());
        assert_eq!(
            broken(safe, &[("crates/appell-flow/src/step.rs", text)]),
            [2]
        );
    }

    #[test]
    fn unfinished_work_is_found() {
        for word in UNFINISHED {
            let text = format!("fn f() {{\n    {word}\n}}\n");
            assert_eq!(
                broken(finished, &[("crates/a/src/lib.rs", &text)]),
                [2],
                "{word}"
            );
            assert!(broken(finished, &[("notes.md", &text)]).is_empty());
        }
        assert!(
            broken(
                finished,
                &[("a.rs", "// to do it well takes time\nfn f() {}")]
            )
            .is_empty()
        );
    }

    #[test]
    fn paths_of_one_machine_are_found_in_every_file() {
        for place in PLACES {
            let text = format!("first\nread(\"{place}model.toml\")\n{place}\n");
            for path in ["a.rs", "README.md", ".ci/run", "Cargo.toml"] {
                assert_eq!(
                    broken(portable, &[(path, &text)]),
                    [2, 3],
                    "{place} in {path}"
                );
            }
        }
    }

    #[test]
    fn relative_paths_and_addresses_are_portable() {
        let lines = [
            "..{}x",
            "https://example.org{}x",
            "./a{}x",
            "~{}x",
            "${HOME}{}x",
        ];
        for line in lines {
            for place in PLACES {
                let text = line.replace("{}", place);
                assert!(broken(portable, &[("a.md", &text)]).is_empty(), "{text}");
            }
        }
    }

    #[test]
    fn a_source_has_at_most_800_lines() {
        let (full, over) = ("//\n".repeat(MOST_LINES), "//\n".repeat(MOST_LINES + 1));
        assert!(broken(length, &[("a.rs", &full), ("long.md", &over)]).is_empty());
        assert_eq!(broken(length, &[("a.rs", &over)]), [801]);
    }

    const BIBLIOGRAPHY: &str = "@article{benenti2007,\n  year = 2007,\n}\n @book { pars1965 ,\n}\n";

    #[test]
    fn a_citation_of_an_unknown_work_is_found() {
        // The slashes are put in later, or the law would read its own test.
        let lines = [
            "| [benenti2007, (7.1)]",
            "| [appell1911, p. 2]",
            "x | [pars1965]",
            r"| \[gibbs1879a\]",
        ];
        let text = lines.join("\n").replace('|', "///");
        let files = [("refs.bib", BIBLIOGRAPHY), ("a.rs", &text)];
        assert_eq!(broken(citations, &files), [2, 4]);
        let several = "see [benenti2007, (7.1); kane1985; pars1965]";
        assert_eq!(
            broken(citations, &[("refs.bib", BIBLIOGRAPHY), ("a.md", several)]),
            [1]
        );
        assert_eq!(broken(citations, &[("a.md", several)]), [1, 1, 1]);
    }

    #[test]
    fn only_what_looks_like_a_key_is_a_citation() {
        let others = [
            "[x1, x2]",
            "[a]",
            "[`Graph`]",
            "[y2024-05]",
            "[2007]",
            "[Pars1965]",
            "[ab123]",
        ];
        for text in others {
            assert!(broken(citations, &[("a.md", text)]).is_empty(), "{text}");
        }
        // An index into an array is code, not a citation.
        assert!(broken(citations, &[("a.rs", "let x = a[row2007];")]).is_empty());
    }

    #[test]
    fn a_list_of_models_is_found_in_sources_but_not_in_tests() {
        let list = "const ALL: [&str; 2] = [\n\"skate.toml\",\n\"zoo/pursuit.toml\"];\n";
        let zoo = [
            ("zoo/skate.toml", ""),
            ("zoo/pursuit.toml", ""),
            ("zoo/kate.toml", ""),
        ];
        let with = |path, text| [&zoo[..], &[(path, text)]].concat();
        assert_eq!(broken(gallery, &with("crates/a/src/lib.rs", list)), [0]);
        assert!(broken(gallery, &with("crates/a/tests/all.rs", list)).is_empty());
        let in_tests = format!("#[cfg(test)]\nmod tests {{\n{list}}}");
        assert!(broken(gallery, &with("crates/a/src/lib.rs", &in_tests)).is_empty());
        let example = "/// pursuit.toml, skate.toml\nlet help = \"run zoo/skate.toml\";";
        assert!(broken(gallery, &with("crates/a/src/lib.rs", example)).is_empty());
    }
}
