//! `cargo xtask tidy`: the laws of the repository, each with its reason.

mod functions;
mod laws;
mod manifests;
mod modules;
mod repository;

use repository::Repository;
use std::path::Path;
use std::process::ExitCode;

/// One law: what must hold for all files, why, and the check.
struct Law {
    name: &'static str,
    reason: &'static str,
    check: fn(&Repository) -> Vec<Violation>,
}

/// A place where a law is broken.
#[derive(Clone, Debug, PartialEq)]
struct Violation {
    /// The file, from the root.
    path: String,
    /// The line, from one; zero if it is about the whole file.
    line: usize,
    /// What is wrong there, and what to do.
    message: String,
}

/// The laws. A new one is one row here and a test beside its check.
const LAWS: [Law; 11] = [
    Law {
        name: "arrows",
        reason: "mechanics that knows numerics, or numerics that knows mechanics, cannot be \
                 checked alone: crates depend on each other only as ARCHITECTURE.md draws it",
        check: manifests::arrows,
    },
    Law {
        name: "circles",
        reason: "modules that need each other can only be read together: none import each other in a \
                 circle, but a file and its children",
        check: modules::circles,
    },
    Law {
        name: "way",
        reason: "folders are in the order of the way through a crate: what comes first can be read first",
        check: modules::way,
    },
    Law {
        name: "manifests",
        reason: "one place decides edition, licence and lints, or crates drift apart",
        check: manifests::inherit,
    },
    Law {
        name: "finished",
        reason: "what is not done is not in the tree: a placeholder panics in front of a user, an \
                 ignored test fails unseen",
        check: laws::finished,
    },
    Law {
        name: "portable",
        reason: "the repository builds and passes alone, on any machine",
        check: laws::portable,
    },
    Law {
        name: "safe",
        reason: "what the compiler cannot check stands in one folder, where it is looked at",
        check: laws::safe,
    },
    Law {
        name: "length",
        reason: "a file that is read in one sitting is understood",
        check: laws::length,
    },
    Law {
        name: "functions",
        reason: "a function that fits on a page is read at once; a longer one says why it is one",
        check: functions::functions,
    },
    Law {
        name: "citations",
        reason: "a formula is only as good as the source a reader can find: every key cited is in \
                 refs.bib",
        check: laws::citations,
    },
    Law {
        name: "gallery",
        reason: "adding a system is adding one file to zoo/: a list kept by hand would be \
                 forgotten",
        check: laws::gallery,
    },
];

/// Checks all laws and prints what breaks them.
pub fn run(root: &Path) -> ExitCode {
    let repository = match Repository::read(root) {
        Ok(repository) => repository,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::FAILURE;
        }
    };
    let mut broken = 0;
    for law in &LAWS {
        let violations = (law.check)(&repository);
        if violations.is_empty() {
            continue;
        }
        broken += 1;
        eprintln!("error[{}]: {}", law.name, law.reason);
        for Violation {
            path,
            line,
            message,
        } in violations
        {
            match line {
                0 => eprintln!("  {path}: {message}"),
                _ => eprintln!("  {path}:{line}: {message}"),
            }
        }
    }
    if broken > 0 {
        eprintln!("{broken} of {} laws are broken", LAWS.len());
        return ExitCode::FAILURE;
    }
    eprintln!(
        "{} laws hold for {} files",
        LAWS.len(),
        repository.files.len()
    );
    ExitCode::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn laws_have_different_names_and_a_reason() {
        for (index, law) in LAWS.iter().enumerate() {
            assert!(
                LAWS[..index].iter().all(|other| other.name != law.name),
                "{}",
                law.name
            );
            assert!(!law.reason.is_empty());
        }
    }

    #[test]
    fn an_empty_repository_breaks_no_law() {
        let repository = Repository::of(&[]);
        assert!(LAWS.iter().all(|law| (law.check)(&repository).is_empty()));
    }
}
