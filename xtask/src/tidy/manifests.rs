//! Laws about the `Cargo.toml` files.

use super::Violation;
use super::repository::{File, Repository};
use toml_edit::{DocumentMut, Item, TableLike};

/// Each crate and the crates of the repository it may name.
const ARROWS: [(&str, &[&str]); 12] = [
    ("appell-expr", &[]),
    ("appell-model", &["appell-expr"]),
    ("appell-mech", &["appell-expr", "appell-model"]),
    ("appell-flow", &["appell-expr"]),
    (
        "appell-study",
        &["appell-expr", "appell-model", "appell-mech", "appell-flow"],
    ),
    (
        "appell-report",
        &[
            "appell-expr",
            "appell-model",
            "appell-mech",
            "appell-flow",
            "appell-study",
        ],
    ),
    (
        "appell-sweep",
        &["appell-expr", "appell-model", "appell-flow", "appell-study"],
    ),
    (
        "appell",
        &[
            "appell-expr",
            "appell-model",
            "appell-mech",
            "appell-flow",
            "appell-study",
            "appell-report",
            "appell-sweep",
        ],
    ),
    ("appell-cli", &["appell"]),
    ("appell-py", &["appell"]),
    ("appell-web", &["appell"]),
    ("xtask", &["appell"]),
];

/// What a crate takes from the workspace instead of saying it itself.
const INHERITED: [&str; 4] = ["version", "edition", "rust-version", "license"];

/// Crates depend on each other along the arrows only: in code, in tests and in build scripts.
pub fn arrows(repository: &Repository) -> Vec<Violation> {
    each_package(repository, |name, manifest| {
        let Some((_, allowed)) = ARROWS.iter().find(|(from, _)| *from == name) else {
            return vec![format!("`{name}` is unknown: give it a row in ARROWS")];
        };
        let named = dependencies(manifest);
        let wrong = named
            .iter()
            .filter(|to| is_own(to) && !allowed.contains(&to.as_str()));
        wrong
            .map(|to| format!("`{name}` may not depend on `{to}`"))
            .collect()
    })
}

/// Crates inherit version, edition, licence and lints from the workspace.
pub fn inherit(repository: &Repository) -> Vec<Violation> {
    each_package(repository, |_, manifest| {
        let package = manifest.get("package");
        let mut missing: Vec<String> = INHERITED
            .iter()
            .filter(|key| !is_inherited(package.and_then(|package| package.get(key))))
            .map(|key| format!("write `{key}.workspace = true`"))
            .collect();
        if !is_inherited(manifest.get("lints")) {
            missing.push(String::from("write `[lints]` with `workspace = true`"));
        }
        missing
    })
}

/// Applies a check to the name and the manifest of every package.
fn each_package(
    repository: &Repository,
    check: impl Fn(&str, &DocumentMut) -> Vec<String>,
) -> Vec<Violation> {
    let messages = |file: &File| match file.text.parse::<DocumentMut>() {
        Err(error) => vec![format!("is no TOML: {}", error.message())],
        Ok(manifest) => match manifest
            .get("package")
            .and_then(|package| package.get("name"))
        {
            Some(name) => check(name.as_str().unwrap_or_default(), &manifest),
            None => Vec::new(),
        },
    };
    let manifests = repository.files.iter().filter(|file| {
        let folder = file.path.strip_suffix("Cargo.toml");
        folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
    });
    manifests
        .flat_map(|file| {
            messages(file).into_iter().map(|message| Violation {
                path: file.path.clone(),
                line: 0,
                message,
            })
        })
        .collect()
}

/// The packages named in every table of dependencies, those for one target included.
fn dependencies(manifest: &DocumentMut) -> Vec<String> {
    let targets = table(manifest.get("target"));
    let targets = targets.into_iter().flat_map(|table| table.iter());
    let places = targets.filter_map(|(_, target)| target.as_table_like());
    let places = std::iter::once(manifest.as_table() as &dyn TableLike).chain(places);
    let kinds = ["dependencies", "dev-dependencies", "build-dependencies"];
    places
        .flat_map(|place| kinds.map(|kind| table(place.get(kind))))
        .flatten()
        .flat_map(|table| table.iter())
        .map(|(key, value)| {
            let renamed = value.get("package").and_then(Item::as_str);
            renamed.unwrap_or(key).to_owned()
        })
        .collect()
}

fn table(item: Option<&Item>) -> Option<&dyn TableLike> {
    item.and_then(Item::as_table_like)
}

fn is_own(package: &str) -> bool {
    package == "xtask" || package == "appell" || package.starts_with("appell-")
}

fn is_inherited(item: Option<&Item>) -> bool {
    let workspace = item.and_then(|item| item.get("workspace"));
    workspace.and_then(Item::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(check: fn(&Repository) -> Vec<Violation>, manifest: &str) -> Vec<String> {
        let repository = Repository::of(&[("crates/x/Cargo.toml", manifest)]);
        check(&repository)
            .into_iter()
            .map(|violation| violation.message)
            .collect()
    }

    fn package(name: &str, rest: &str) -> String {
        format!("[package]\nname = \"{name}\"\n{rest}")
    }

    #[test]
    fn allowed_arrows_pass() {
        let manifest = package(
            "appell-mech",
            "[dependencies]\nappell-expr.workspace = true\nappell-model = { path = \"../m\" }\n\
             serde = \"1\"",
        );
        assert!(messages(arrows, &manifest).is_empty());
        assert!(messages(arrows, "[workspace]\nmembers = []").is_empty());
    }

    #[test]
    fn an_arrow_between_mechanics_and_numerics_fails_however_it_is_written() {
        let ways = [
            "[dependencies]\nappell-flow.workspace = true",
            "[dev-dependencies]\nappell-flow = { path = \"../appell-flow\" }",
            "[build-dependencies.appell-flow]\nworkspace = true",
            "[dependencies]\nnumerics = { package = \"appell-flow\", version = \"0.1\" }",
            "[target.'cfg(unix)'.dependencies]\nappell-flow = \"0.1\"",
        ];
        for way in ways {
            assert_eq!(
                messages(arrows, &package("appell-mech", way)),
                ["`appell-mech` may not depend on `appell-flow`"],
                "{way}"
            );
        }
    }

    #[test]
    fn the_arrows_go_one_way() {
        for (from, allowed) in ARROWS {
            for to in allowed {
                let back = package(to, &format!("[dependencies]\n{from}.workspace = true"));
                assert_eq!(messages(arrows, &back).len(), 1, "{to} -> {from}");
            }
        }
    }

    #[test]
    fn the_report_does_not_read_models_and_the_front_sees_the_facade_only() {
        for (from, to) in [
            ("appell-model", "appell-report"),
            ("appell-cli", "appell-mech"),
        ] {
            let manifest = package(from, &format!("[dependencies]\n{to}.workspace = true"));
            assert_eq!(messages(arrows, &manifest).len(), 1);
        }
    }

    #[test]
    fn an_unknown_crate_needs_a_row() {
        assert_eq!(messages(arrows, &package("appell-utils", "")).len(), 1);
    }

    #[test]
    fn a_manifest_that_is_no_toml_is_reported() {
        assert!(messages(arrows, "[package")[0].starts_with("is no TOML"));
    }

    const INHERITING: &str = "version.workspace = true\nedition.workspace = true\n\
                              rust-version.workspace = true\nlicense = { workspace = true }\n\
                              [lints]\nworkspace = true\n";

    #[test]
    fn a_crate_that_inherits_passes() {
        assert!(messages(inherit, &package("appell", INHERITING)).is_empty());
    }

    #[test]
    fn a_crate_with_its_own_edition_licence_or_lints_fails() {
        let cases = [
            ("edition.workspace = true", "edition = \"2021\"", "edition"),
            (
                "license = { workspace = true }",
                "license = \"MIT\"",
                "license",
            ),
            (
                "license = { workspace = true }",
                "license.workspace = false",
                "license",
            ),
            ("[lints]\nworkspace = true\n", "", "[lints]"),
            (
                "[lints]\nworkspace = true\n",
                "[lints.rust]\nunsafe_code = \"allow\"",
                "[lints]",
            ),
        ];
        for (right, wrong, key) in cases {
            let manifest = package("appell", &INHERITING.replace(right, wrong));
            let found = messages(inherit, &manifest);
            assert!(
                found.len() == 1 && found[0].contains(key),
                "{wrong}: {found:?}"
            );
        }
    }
}
