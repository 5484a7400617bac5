//! `cargo xtask tex`: the gallery's equations set by TeX, with no line too wide for its column.

use crate::page::{must, tool};
use crate::steps::{cargo, install, succeeds};
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

/// Sets the equations of every model of the gallery, in every form that applies. Without TeX it says so.
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
    must(
        cargo("build --locked --package appell-cli").current_dir(root),
        "the build",
    )?;
    let folder = root.join("target/tex");
    let failed = |error: std::io::Error| format!("`{}`: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    let mut models: Vec<PathBuf> = fs::read_dir(root.join("zoo"))
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(failed)?;
    models.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    models.sort();
    let mut wrong = Vec::new();
    for model in &models {
        wrong.extend(complaints(model, &folder)?);
    }
    for model in DRAWN {
        let model = root.join("zoo").join(format!("{model}.toml"));
        wrong.extend(plots(&model, &folder)?);
    }
    if wrong.is_empty() {
        eprintln!(
            "{} documents; no line sticks out by more than {MOST} pt",
            models.len()
        );
        return Ok(());
    }
    Err(wrong.join("\n"))
}

/// What TeX says of the plots of a model, each in a column of its own.
fn plots(model: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let name = model.file_stem().unwrap_or_default().to_string_lossy();
    let failed = |error: std::io::Error| format!("{name}: {error}");
    let below = folder.join(format!("plots-of-{name}"));
    let written = Command::new(tool()?)
        .arg("report")
        .arg(model)
        .args(["--plot-format", "tikz", "-o"])
        .arg(below.with_extension("html"))
        .arg("--svg-dir")
        .arg(&below)
        .output()
        .map_err(failed)?;
    let said = String::from_utf8_lossy(&written.stderr);
    let pictures = fs::read_dir(&below).map_err(|error| format!("{name}: {error}: {said}"))?;
    let mut body = String::new();
    for picture in pictures {
        let picture = fs::read_to_string(picture.map_err(failed)?.path()).map_err(failed)?;
        body.push_str(&format!(
            "\\begin{{figure}}[p]\n\\noindent {picture}\\end{{figure}}\n\\clearpage\n"
        ));
    }
    set(
        &format!("plots-of-{name}"),
        &format!("{COLUMNS}{body}{AFTER}"),
        folder,
    )
}

/// What TeX says of the equations of a model.
fn complaints(model: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let name = model.file_stem().unwrap_or_default().to_string_lossy();
    let derive = Command::new(tool()?)
        .arg("derive")
        .arg(model)
        .args(["--form", "all", "--to", "latex"])
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let body = String::from_utf8_lossy(&derive.stdout);
    set(&name, &format!("{BEFORE}{body}{AFTER}"), folder)
}

/// What TeX says of a document.
fn set(name: &str, document: &str, folder: &Path) -> Result<Vec<String>, String> {
    let source = folder.join(format!("{name}.tex"));
    fs::write(&source, document).map_err(|error| format!("{name}: {error}"))?;
    let set = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error"])
        .arg(source.file_name().unwrap_or_default())
        .current_dir(folder)
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let log = String::from_utf8_lossy(&set.stdout).into_owned();
    let mut wrong: Vec<String> = log
        .lines()
        .filter(|line| line.starts_with('!'))
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
