//! Laws about which module speaks of which, read from `use` lines and from paths in the code.

use super::Violation;
use super::repository::{File, Repository};
use std::collections::{BTreeMap, BTreeSet};

/// The folders of a crate in the order of the way through it: none speaks of a later one.
const WAYS: [(&str, &[&str]); 1] = [(
    "crates/appell-study/src/",
    &["values", "states", "constraints", "motion", "questions"],
)];

/// A module's path in its crate, `["states", "ranks"]`; none for the crate's own file.
type Module = Vec<String>;

/// The modules of a crate with those that each speaks of.
struct Imports {
    files: BTreeMap<Module, String>,
    of: BTreeMap<Module, BTreeSet<Module>>,
}

/// No folder of a crate speaks of one that comes after it.
pub fn way(repository: &Repository) -> Vec<Violation> {
    let mut found = Vec::new();
    for (sources, folders) in WAYS {
        let place = |module: &Module| {
            folders
                .iter()
                .position(|folder| Some(*folder) == first(module))
        };
        let imports = Imports::read(repository, sources);
        for (module, others) in &imports.of {
            let later = others.iter().filter(|other| place(other) > place(module));
            found.extend(later.filter(|_| place(module).is_some()).map(|other| {
                let message = format!("it speaks of `{}`, which comes later", other.join("::"));
                about(&imports.files[module], message)
            }));
        }
    }
    found
}

/// No modules import each other in a circle, but a file and its children.
pub fn circles(repository: &Repository) -> Vec<Violation> {
    let mut found = Vec::new();
    for sources in crates(repository) {
        let imports = Imports::read(repository, &sources);
        for circle in imports.circles() {
            let [head, ..] = &circle[..] else { continue };
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            let message = format!("a circle of modules: {}", names.join(", "));
            found.push(about(&imports.files[head], message));
        }
    }
    found
}

fn about(path: &str, message: String) -> Violation {
    Violation {
        path: path.to_owned(),
        line: 0,
        message,
    }
}

fn first(module: &Module) -> Option<&str> {
    module.first().map(String::as_str)
}

/// The folders of sources: `crates/appell-expr/src/`.
fn crates(repository: &Repository) -> BTreeSet<String> {
    let paths = repository.ending(".rs").map(|file| file.path.as_str());
    let folder = |path: &str| path.split_inclusive('/').take(3).collect::<String>();
    paths
        .filter(|path| path.starts_with("crates/"))
        .map(folder)
        .filter(|folder| folder.ends_with("/src/"))
        .collect()
}

impl Imports {
    fn read(repository: &Repository, sources: &str) -> Self {
        let is_source = |file: &&File| file.path.starts_with(sources);
        let files: BTreeMap<Module, &File> = repository
            .ending(".rs")
            .filter(is_source)
            .map(|file| (module(&file.path[sources.len()..]), file))
            .collect();
        let spoken_of = |name: &Module, file: &File| -> BTreeSet<Module> {
            let paths = paths(&file.text).into_iter();
            let modules = paths.filter_map(|path| absolute(&path, name, &files));
            modules
                .filter(|other| other != name && !other.is_empty())
                .collect()
        };
        Self {
            of: files
                .iter()
                .map(|(name, file)| (name.clone(), spoken_of(name, file)))
                .collect(),
            files: files
                .iter()
                .map(|(name, file)| (name.clone(), file.path.clone()))
                .collect(),
        }
    }

    /// All modules that are reached from one.
    fn reached(&self, from: &Module) -> BTreeSet<&Module> {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&Module> = self.of[from].iter().collect();
        while let Some(module) = open.pop() {
            if reached.insert(module) {
                open.extend(&self.of[module]);
            }
        }
        reached
    }

    /// The circles that are wider than a file and its children.
    fn circles(&self) -> BTreeSet<Vec<Module>> {
        let reached: BTreeMap<&Module, BTreeSet<&Module>> = self
            .of
            .keys()
            .map(|module| (module, self.reached(module)))
            .collect();
        let circle = |module: &&Module| -> Vec<Module> {
            let ours = reached[module].iter().copied();
            ours.filter(|other| reached[other].contains(module))
                .cloned()
                .collect()
        };
        let circles = self.of.keys().map(|module| circle(&module));
        circles
            .filter(|circle| circle.len() > 1 && !is_one_family(circle))
            .collect()
    }
}

/// Whether these are children of one file, perhaps with the file itself.
fn is_one_family(circle: &[Module]) -> bool {
    let shortest = circle.iter().map(Vec::len).min().unwrap_or(0);
    let heads: Vec<&Module> = circle
        .iter()
        .filter(|module| module.len() == shortest)
        .collect();
    let parent = match heads[..] {
        [head] if circle.iter().any(|module| module.len() > shortest) => &head[..],
        _ => &heads[0][..shortest.saturating_sub(1)],
    };
    let child = |module: &Module| module.starts_with(parent) && module.len() <= parent.len() + 1;
    !parent.is_empty() && circle.iter().all(child)
}

/// `states/ranks.rs` as a module's path.
fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let parts = path
        .split('/')
        .filter(|part| !["mod", "lib", "main"].contains(part));
    parts.map(str::to_owned).collect()
}

/// The module of a crate that a path leads to; none outside of the crate.
fn absolute(path: &str, from: &Module, files: &BTreeMap<Module, &File>) -> Option<Module> {
    let mut parts = path.split("::").peekable();
    let mut base: Module = match *parts.peek()? {
        "crate" => Vec::new(),
        "super" | "self" => from.clone(),
        // A path that begins with a child.
        child => {
            let inner = [&from[..], &[child.to_owned()]].concat();
            return files.contains_key(&inner).then_some(inner);
        }
    };
    for part in parts {
        match part {
            "crate" | "self" => {}
            "super" => {
                base.pop();
            }
            name => base.push(name.to_owned()),
        }
    }
    while !files.contains_key(&base) {
        base.pop()?;
    }
    Some(base)
}

/// All paths that a source speaks of: the trees of `use`, and paths in the code that begin at the crate or
/// above. Comments, texts and the tests at the end are left out.
fn paths(text: &str) -> Vec<String> {
    let text = text
        .split("\n#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or_default();
    let lines = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or_default());
    let code = lines.collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let tree = statement
            .rfind("use ")
            .filter(|at| statement[..*at].ends_with(['\n', ' ']) || *at == 0);
        match tree {
            Some(at) => {
                let tree: String = statement[at + 4..].split_whitespace().collect();
                found.extend(leaves(tree.trim_end_matches(';')));
                rest.push_str(&statement[..at]);
            }
            None => rest.push_str(statement),
        }
    }
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    let words = rest.split(|c| !word(c));
    let inner = ["crate::", "super::", "self::"];
    let paths = words.filter(|path| inner.iter().any(|begin| path.starts_with(begin)));
    found.extend(paths.map(|path| path.trim_end_matches(':').to_owned()));
    found
}

/// The paths of a tree such as `crate::{a, b::{c, d}}`, without spaces.
fn leaves(tree: &str) -> Vec<String> {
    let Some((stem, branches)) = tree.split_once('{') else {
        return vec![tree.to_owned()];
    };
    let branches = branches.strip_suffix('}').unwrap_or(branches);
    let (mut depth, mut begin) = (0, 0);
    let mut found = Vec::new();
    for (at, c) in branches.char_indices().chain([(branches.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let branch = &branches[begin..at];
                found.extend(
                    leaves(branch)
                        .into_iter()
                        .map(|leaf| format!("{stem}{leaf}")),
                );
                begin = at + 1;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(law: fn(&Repository) -> Vec<Violation>, files: &[(&str, &str)]) -> Vec<String> {
        let found = law(&Repository::of(files));
        found.into_iter().map(|violation| violation.path).collect()
    }

    #[test]
    fn a_circle_across_files_is_found() {
        let files = [
            ("crates/x/src/lib.rs", "mod a;\nmod b;\nmod c;\n"),
            ("crates/x/src/a.rs", "use crate::b::{self, B};\n"),
            ("crates/x/src/b.rs", "fn f() -> crate::c::C {}\n"),
            ("crates/x/src/c.rs", "use std::fmt;\nuse super::a;\n"),
        ];
        assert_eq!(broken(circles, &files), ["crates/x/src/a.rs"]);
        assert!(broken(circles, &files[..3]).is_empty());
    }

    #[test]
    fn a_file_and_its_children_may_speak_of_each_other() {
        let files = [
            ("crates/x/src/a.rs", "mod b;\nuse b::B;\n"),
            ("crates/x/src/a/b.rs", "use super::A;\nuse super::c::C;\n"),
            ("crates/x/src/a/c.rs", "use super::b::B;\n"),
        ];
        assert!(broken(circles, &files).is_empty());
        let beside = ("crates/x/src/d.rs", "use crate::a::A;\n");
        let back = (
            "crates/x/src/a/c.rs",
            "use crate::d::D;\nuse super::b::B;\n",
        );
        let wider = [files[0], files[1], back, beside];
        assert_eq!(broken(circles, &wider).len(), 1);
    }

    #[test]
    fn comments_and_tests_are_no_imports() {
        let files = [
            (
                "crates/x/src/a.rs",
                "// use crate::b;\n\n#[cfg(test)]\nmod tests {\n    use crate::b;\n}\n",
            ),
            ("crates/x/src/b.rs", "use crate::a;\n"),
        ];
        assert!(broken(circles, &files).is_empty());
    }

    #[test]
    fn an_early_folder_may_not_speak_of_a_later_one() {
        let states = "crates/appell-study/src/states/start.rs";
        let files = [
            (states, "use crate::motion::run::run;\n"),
            (
                "crates/appell-study/src/motion/run.rs",
                "use crate::states::start;\n",
            ),
        ];
        assert_eq!(broken(way, &files), [states]);
    }
}
