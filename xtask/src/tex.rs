//! `cargo xtask tex`: the gallery's equations and the paper set by TeX, with no line too wide for its column.

use crate::steps::{install, succeeds, tool};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's packages with `article` and `amsmath`, and with `tikz`.
const PACKAGES: [&str; 2] = ["texlive-latex-base", "texlive-pictures"];
/// What a line may stick out of the column, in points; TeX marks what does.
const MOST: f64 = 10.0;
/// The narrowest common column: a plain `article`.
const BEFORE: &str = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n";
/// Two columns, as journals have them.
const COLUMNS: &str =
    "\\documentclass[twocolumn]{article}\n\\usepackage{tikz}\n\\begin{document}\n";
/// Models whose plots are set too: many units, Greek letters, paths, logarithms.
const DRAWN: [&str; 3] = ["bicycle", "rolling-disc", "chaplygin-sleigh"];
const AFTER: &str = "\n\\end{document}\n";

/// The paper, and the works that it names, from the root.
const PAPER: [&str; 3] = ["paper/paper.tex", "paper/paper.bib", "refs.bib"];

/// Sets the paper, and the equations of every model of the gallery, in every form that applies. Without TeX it says so.
///
/// # Errors
/// The documents that TeX refuses, and the lines that are too wide, in words.
pub fn run(root: &Path) -> Result<(), String> {
    let has_tex = || succeeds(Command::new("pdflatex").arg("--version"));
    let there =
        has_tex() || (install(&["--no-install-recommends", PACKAGES[0], PACKAGES[1]]) && has_tex());
    if !there {
        eprintln!("left out: there is no pdflatex, and the equations were not set by TeX");
        return Ok(());
    }
    eprintln!("\n== tex: the equations of the gallery");
    let tool = tool(root)?;
    let folder = root.join("target/tex");
    let failed = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut models: Vec<PathBuf> = fs::read_dir(root.join("zoo"))
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(failed)?;
    models.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    models.sort();
    let mut wrong = paper(root, &folder)?;
    for model in &models {
        wrong.extend(complaints(&tool, model, &folder)?);
    }
    for model in DRAWN {
        let model = root.join("zoo").join(format!("{model}.toml"));
        wrong.extend(plots(&tool, &model, &folder)?);
    }
    if wrong.is_empty() {
        eprintln!(
            "{} documents, and the paper in {}; no line sticks out by more than {MOST} pt",
            models.len(),
            folder.join("paper/paper.pdf").display()
        );
        return Ok(());
    }
    Err(wrong.join("\n"))
}

/// What TeX says of the plots of a model, each in a column of its own.
fn plots(tool: &Path, model: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let name = model.file_stem().unwrap_or_default().to_string_lossy();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    let below = folder.join(format!("plots-of-{name}"));
    let report = Command::new(tool)
        .arg("report")
        .arg(model)
        .args(["--plot-format", "tikz", "-o"])
        .arg(below.with_extension("html"))
        .arg("--svg-dir")
        .arg(&below)
        .output()
        .map_err(failed)?;
    let said = String::from_utf8_lossy(&report.stderr);
    let pictures = fs::read_dir(&below).map_err(|error| format!("{name}: {error}: {said}"))?;
    let mut body = String::new();
    for picture in pictures {
        let picture = fs::read_to_string(picture.map_err(failed)?.path()).map_err(failed)?;
        body.push_str(&format!(
            "\\begin{{figure}}[p]\n\\noindent {picture}\\end{{figure}}\n\\clearpage\n"
        ));
    }
    written(
        &format!("plots-of-{name}"),
        &format!("{COLUMNS}{body}{AFTER}"),
        folder,
    )
}

/// What TeX says of the equations of a model.
fn complaints(tool: &Path, model: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let name = model.file_stem().unwrap_or_default().to_string_lossy();
    let derive = Command::new(tool)
        .arg("derive")
        .arg(model)
        .args(["--form", "all", "--to", "latex"])
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let body = String::from_utf8_lossy(&derive.stdout);
    written(&name, &format!("{BEFORE}{body}{AFTER}"), folder)
}

/// Writes a document and sets it.
fn written(name: &str, document: &str, folder: &Path) -> Result<Vec<String>, String> {
    let source = folder.join(format!("{name}.tex"));
    fs::write(&source, document).map_err(|error| format!("{name}: {error}"))?;
    set(&source)
}

/// What TeX says of the paper, with its references.
fn paper(root: &Path, folder: &Path) -> Result<Vec<String>, String> {
    // It finds the bibliography of the repository one above itself, as in its own folder.
    let place = folder.join("paper");
    let failed = |error: std::io::Error| format!("`{}`: {error}", place.display());
    fs::create_dir_all(&place).map_err(failed)?;
    for file in PAPER {
        fs::copy(root.join(file), folder.join(file)).map_err(failed)?;
    }
    let source = folder.join(PAPER[0]);
    set(&source)?;
    let cited = Command::new("bibtex")
        .arg("paper")
        .current_dir(&place)
        .output();
    let cited = cited.map_err(failed)?;
    if !cited.status.success() {
        return Ok(vec![String::from_utf8_lossy(&cited.stdout).into_owned()]);
    }
    // Once for the list of works, once for their numbers.
    set(&source)?;
    set(&source)
}

/// What TeX says of a document, in whose folder it writes.
fn set(source: &Path) -> Result<Vec<String>, String> {
    let name = source.file_stem().unwrap_or_default().to_string_lossy();
    let set = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error"])
        .arg(source.file_name().unwrap_or_default())
        .current_dir(source.with_file_name(""))
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let log = String::from_utf8_lossy(&set.stdout).into_owned();
    let mut wrong: Vec<String> = log
        .lines()
        .filter(|line| line.starts_with('!') || line.contains("undefined references"))
        .map(|line| format!("{name}: {line}"))
        .collect();
    if !set.status.success() && wrong.is_empty() {
        wrong.push(format!("{name}: pdflatex fails"));
    }
    let too_wide = log.lines().filter(|line| sticks_out(line) > MOST);
    wrong.extend(too_wide.map(|line| format!("{name}: {line}")));
    Ok(wrong)
}

/// By how many points, as in `Overfull \hbox (18.5pt too wide) ..`.
fn sticks_out(line: &str) -> f64 {
    let amount = line.strip_prefix("Overfull \\hbox (");
    let amount = amount
        .and_then(|rest| rest.split_once("pt"))
        .map(|(x, _)| x);
    amount.and_then(|x| x.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_counts_as_the_repository_does() {
        let root = crate::root();
        let read = |path: &Path| fs::read_to_string(path).expect("a text");
        let models = |folder: &str| -> Vec<String> {
            let entries = fs::read_dir(root.join(folder)).expect("a folder");
            let paths = entries.map(|entry| entry.expect("an entry").path());
            let models =
                paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
            models.map(|path| read(&path)).collect()
        };
        let gallery = models("zoo");
        let refuted: usize = gallery
            .iter()
            .map(|text| text.matches("refuted = true").count())
            .sum();
        let scripts = read(&root.join("docs/foreign.md"));
        let scripts = scripts
            .lines()
            .filter(|line| line.starts_with("| "))
            .count()
            - 1;
        let texts = fs::read_dir(root.join("crates/appell/tests/book")).expect("a folder");
        let paper = read(&root.join(PAPER[0]));
        for said in [
            format!("gallery of {} models", gallery.len()),
            format!("marks {refuted} printed statements"),
            format!("{} models outside the gallery", models("strangers").len()),
            format!("of {scripts} scripts"),
            format!("of {} textbook forms", texts.count()),
        ] {
            assert!(paper.contains(&said), "the paper does not say `{said}`");
        }
    }
}
