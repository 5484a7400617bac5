//! `cargo xtask site`: the documentation as a folder of static pages that works from a disk, without a network.
//!
//! Pages made from the program (reference, gallery, commands) are written as Markdown beside those of `docs/`; mdBook makes
//! the site of them; each model of the gallery has its own page of `appell report`; then every link is followed.

mod links;

use crate::lab;
use crate::page;
use crate::steps::{cargo, may_install};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The generator, and the version that the style and the tests of the site were made with.
const GENERATOR: &str = "mdbook";
const VERSION: &str = "0.5.4";

/// The example of the library that writes pages.
const WRITER: &str = "site";

/// Where the generator is installed, under the target folder.
const TOOLS: &str = "tools";

/// Exit codes with which a page is written all the same.
const WITH_PAGE: [i32; 4] = [0, 1, 3, 4];

/// Writes the site to a folder, by default `target/site`.
///
/// # Errors
/// The generator is missing; a page cannot be made; a link leads nowhere.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let lab = lab::build(root)?;
    write(root, arguments, lab.as_deref())
}

/// The same with a lab that was built before, or none.
fn write(root: &Path, arguments: &[&str], lab: Option<&Path>) -> Result<(), String> {
    let target = target(root)?;
    let out = match arguments {
        [] => target.join("site"),
        ["--out", folder] => root.join(folder),
        _ => return Err("write `cargo xtask site [--out DIR]`".to_owned()),
    };
    let generator = generator(&target)?;
    let tool = programs(root)?;
    let sources = target.join("site-sources");
    clear(&sources)?;
    is_own(&out)?;
    clear(&out)?;
    sources_of(root, &tool, &sources)?;
    eprintln!("\n== site: {GENERATOR}");
    generate(&generator, &sources, &out.join("docs"))?;
    let players = players(root, &tool, &out.join("gallery"))?;
    put_lab(lab, &out.join("lab.html"))?;
    save(&out.join("index.html"), INDEX)?;
    let index = has_search(&out.join("docs"))?;
    let checked = links::check(&out)?;
    eprintln!(
        "\n{}: {} pages, {players} of them motions; {} links hold; the search knows {index} bytes of text",
        out.display(),
        checked.pages,
        checked.links
    );
    Ok(())
}

/// The same among all that must hold: where the generator is missing and may not be installed, that is said. Then pages
/// of the site are opened in a browser, if there is one.
///
/// # Errors
/// As [`run`]; what a browser finds.
pub fn check(root: &Path, lab: Option<&Path>) -> Result<(), String> {
    let target = target(root)?;
    if known(&target).is_none() && !may_install() {
        eprintln!(
            "\nleft out: the documentation as a site: there is no {GENERATOR} {VERSION}; allow it with --install"
        );
        return Ok(());
    }
    write(root, &[], lab)?;
    page::documentation(root, &target.join("site"))
}

const INDEX: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Appell</title>\
<meta http-equiv=\"refresh\" content=\"0; url=docs/index.html\"></head>\
<body><main><h1>Appell</h1><p><a href=\"docs/index.html\">The documentation</a></p></main></body></html>\n";

const NO_LAB: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Appell in the browser</title></head>\
<body><main><h1>Appell in the browser</h1><p>It was left out when this site was made: <code>cargo xtask lab</code> says what it needs.</p></main></body></html>\n";

/// The folder of built things, as cargo was told.
pub fn target(root: &Path) -> Result<PathBuf, String> {
    let folder =
        std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = root.join(folder);
    fs::create_dir_all(&target).map_err(|error| said(&target, &error))?;
    Ok(target)
}

fn said(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

fn save(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| said(path, &error))
}

/// Refuses a folder with other things in it: what is there would be removed.
fn is_own(folder: &Path) -> Result<(), String> {
    let written = fs::read_to_string(folder.join("index.html"));
    let is_empty = fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none());
    if is_empty || written.is_ok_and(|text| text == INDEX) {
        return Ok(());
    }
    Err(format!(
        "`{}` holds other things than this site: it is not overwritten",
        folder.display()
    ))
}

/// An empty folder.
fn clear(folder: &Path) -> Result<(), String> {
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(|error| said(folder, &error))?;
    }
    fs::create_dir_all(folder).map_err(|error| said(folder, &error))
}

fn must(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{program}: {status}; see above")),
        Err(error) => Err(format!("{program} could not be started: {error}")),
    }
}

/// Where the generator is, under the target folder or on the path.
fn known(target: &Path) -> Option<PathBuf> {
    let places = [own(target), PathBuf::from(GENERATOR)];
    places.into_iter().find(|program| is_known(program))
}

/// Where it is installed.
fn own(target: &Path) -> PathBuf {
    let file = format!("{GENERATOR}{}", std::env::consts::EXE_SUFFIX);
    target.join(TOOLS).join("bin").join(file)
}

/// mdBook: that of the target folder, or of the path, or installed if that is allowed.
fn generator(target: &Path) -> Result<PathBuf, String> {
    if let Some(program) = known(target) {
        return Ok(program);
    }
    let how = format!(
        "cargo install {GENERATOR} --version {VERSION} --locked --no-default-features --features search"
    );
    if !may_install() {
        return Err(format!(
            "there is no {GENERATOR} {VERSION}: the site was not written. Install it by `{how}`, or allow it under the target \
             folder with --install"
        ));
    }
    eprintln!("\n== site: {how}");
    must(
        cargo(how.trim_start_matches("cargo "))
            .arg("--root")
            .arg(target.join(TOOLS)),
    )?;
    Ok(own(target))
}

/// Makes the pages of the documentation; what the generator warns of is an error.
fn generate(generator: &Path, sources: &Path, out: &Path) -> Result<(), String> {
    let mut build = Command::new(generator);
    build.arg("build").arg(sources).arg("--dest-dir").arg(out);
    let output = build.output().map_err(|error| said(generator, &error))?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    if output.status.success() && !told.contains("WARN") {
        return Ok(());
    }
    Err(format!("{GENERATOR} is not content:\n{told}"))
}

/// Whether a program is the generator in the right version.
fn is_known(program: &Path) -> bool {
    let answer = Command::new(program).arg("--version").output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains(VERSION))
}

/// Whether this chore was built for speed: then so is what it builds.
fn profile() -> &'static str {
    if cfg!(debug_assertions) {
        ""
    } else {
        "--release"
    }
}

/// Builds the command line, which it names, and the program that writes pages, which lies among its examples; for the
/// whole workspace, as [`crate::steps::tool`] does.
fn programs(root: &Path) -> Result<PathBuf, String> {
    let build = format!(
        "build --locked --workspace --bin appell --example {WRITER} {}",
        profile()
    );
    must(cargo(&build).current_dir(root))?;
    let program = std::env::current_exe().map_err(|error| format!("where is xtask? {error}"))?;
    Ok(program.with_file_name(format!("appell{}", std::env::consts::EXE_SUFFIX)))
}

/// Everything that the generator reads.
fn sources_of(root: &Path, tool: &Path, sources: &Path) -> Result<(), String> {
    let pages = sources.join("src");
    let manual = pages.join("commands");
    fs::create_dir_all(&manual).map_err(|error| said(&manual, &error))?;
    must(
        Command::new(tool)
            .arg("manual")
            .arg(&manual)
            .args(["--to", "markdown"]),
    )?;
    eprintln!("\n== site: pages of the reference and the gallery");
    let name = format!("{WRITER}{}", std::env::consts::EXE_SUFFIX);
    let mut write = Command::new(tool.with_file_name("examples").join(name));
    must(write.arg(&pages).current_dir(root))?;
    for file in ["book.toml", "site.css", "site.js"] {
        let from = root.join("docs").join(file);
        fs::copy(&from, sources.join(file)).map_err(|error| said(&from, &error))?;
    }
    Ok(())
}

/// Appell in a browser tab; a page that says so where it cannot be built here.
fn put_lab(lab: Option<&Path>, page: &Path) -> Result<(), String> {
    match lab {
        Some(built) => fs::copy(built, page)
            .map(|_| ())
            .map_err(|error| said(built, &error)),
        None => save(page, NO_LAB),
    }
}

/// The page of each model with its motion, several at a time; how many there are.
fn players(root: &Path, tool: &Path, folder: &Path) -> Result<usize, String> {
    fs::create_dir_all(folder).map_err(|error| said(folder, &error))?;
    let zoo = root.join("zoo");
    let entries = fs::read_dir(&zoo).map_err(|error| said(&zoo, &error))?;
    let models = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let models: Vec<PathBuf> = models
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    eprintln!("\n== site: {} motions", models.len());
    let next = AtomicUsize::new(0);
    let work = || -> Result<(), String> {
        while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
            player(tool, model, folder)?;
        }
        Ok(())
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let ends = workers.into_iter().map(|worker| {
            worker
                .join()
                .unwrap_or_else(|_| Err("a thread failed".to_owned()))
        });
        ends.collect::<Result<Vec<()>, String>>()
    })?;
    Ok(models.len())
}

fn player(tool: &Path, model: &Path, folder: &Path) -> Result<(), String> {
    let page = folder
        .join(model.file_name().unwrap_or_default())
        .with_extension("html");
    let mut report = Command::new(tool);
    report.arg("report").arg(model).arg("-o").arg(&page);
    let output = report.output().map_err(|error| said(tool, &error))?;
    match output.status.code() {
        Some(code) if WITH_PAGE.contains(&code) && page.exists() => Ok(()),
        _ => Err(said(model, &String::from_utf8_lossy(&output.stderr))),
    }
}

/// The size of the index that the pages are searched by, which must be there.
fn has_search(docs: &Path) -> Result<u64, String> {
    let entries = fs::read_dir(docs).map_err(|error| said(docs, &error))?;
    let files = entries.filter_map(Result::ok);
    let is_index = |name: &str| name.starts_with("searchindex") && name.ends_with(".js");
    let mut found = files.filter(|file| is_index(&file.file_name().to_string_lossy()));
    let index = found.next().ok_or("the site has no index to search")?;
    index
        .metadata()
        .map(|about| about.len())
        .map_err(|error| said(docs, &error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_its_own_is_overwritten() {
        let folder = std::env::temp_dir().join(format!("appell-site-{}", std::process::id()));
        clear(&folder).expect("a folder");
        assert_eq!(is_own(&folder), Ok(()));
        fs::write(folder.join("thesis.tex"), "").expect("a file");
        assert!(is_own(&folder).is_err());
        fs::write(folder.join("index.html"), INDEX).expect("a file");
        assert_eq!(is_own(&folder), Ok(()));
        fs::remove_dir_all(&folder).expect("the folder");
    }
}
