//! `appell report`: what is written where, and what is refused.

use crate::common::{
    SPRING, assert_exit, assert_files, folder, inside, run, run_with, stderr, stdout,
};
use std::fs;

#[test]
fn a_page_goes_to_standard_output_and_nowhere_else() {
    let output = run_with(&["report", "-", "-o", "-"], SPRING);
    assert_exit(&output, 0);
    let page = stdout(&output);
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    assert!(page.contains("<title>Spring</title>"));
    let said = stderr(&output);
    assert!(
        said.starts_with("Spring\n") && said.contains("computed to its end"),
        "{said}"
    );
}

#[test]
fn page_tex_and_plots_are_written_and_nothing_else() {
    let folder = folder("report");
    let (model, page, tex) = (
        inside(&folder, "model.toml"),
        inside(&folder, "page.html"),
        inside(&folder, "page.tex"),
    );
    fs::write(&model, SPRING).expect("written");
    let plots = inside(&folder, "plots");
    let output = run(&[
        "report",
        &model,
        "-o",
        &page,
        "--tex",
        &tex,
        "--svg-dir",
        &plots,
    ]);
    assert_exit(&output, 0);
    assert_eq!(stdout(&output), "");
    let pictures: Vec<_> = fs::read_dir(&plots).expect("the folder").collect();
    assert!(
        pictures.len() >= 3,
        "coordinates, energy, ledger: {pictures:?}"
    );
    fs::remove_dir_all(&plots).expect("removed");
    assert_files(&folder, &["model.toml", "page.html", "page.tex"]);
    let tex = fs::read_to_string(&tex).expect("the fragment");
    assert!(tex.contains("\\label{sec:multipliers}"), "{tex}");
}

#[test]
fn the_page_shows_the_values_that_were_asked_for() {
    let output = run_with(
        &["report", "-", "-o", "-", "--until", "2", "--rtol", "1e-7"],
        SPRING,
    );
    assert_exit(&output, 0);
    let page = stdout(&output);
    assert!(page.contains("t = 2") && page.contains("relative 1e-7"));
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let folder = folder("report-refused");
    let model = inside(&folder, "model.toml");
    fs::write(&model, SPRING).expect("written");
    let (page, inner) = (
        inside(&folder, "page.html"),
        inside(&folder, "no/page.html"),
    );
    let here = folder.to_str().expect("UTF-8");
    let rows: [(&[&str], &str); 6] = [
        (&["report", &model, "-o", &model], "is the model itself"),
        (&["report", &model, "-o", &inner], "there is no folder"),
        (&["report", &model, "-o", here], "is a folder, not a file"),
        (
            &["report", &model, "-o", &page, "--tex", &page],
            "both the page and the LaTeX",
        ),
        (
            &["report", "-", "-o", &page, "--watch"],
            "cannot be watched",
        ),
        (&["report", &model], "--output"),
    ];
    for (arguments, words) in rows {
        let output = run_with(arguments, SPRING);
        assert_exit(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
    let wrong = SPRING.replace("until = 1", "until = y");
    assert_exit(&run_with(&["report", "-", "-o", &page], &wrong), 2);
    assert_files(&folder, &["model.toml"]);
}

#[test]
fn a_claim_that_fails_is_on_the_page_and_in_the_exit_code() {
    let model = SPRING.replace("\"T + V\"", "\"x\"");
    let output = run_with(&["report", "-", "-o", "-"], &model);
    assert_exit(&output, 1);
    assert!(stdout(&output).contains("does not hold"));
}

/// Watched until Ctrl-C; a wrong model in between is told, and ends nothing.
#[cfg(unix)]
#[test]
fn a_watched_model_is_written_anew_until_it_is_interrupted() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let folder = folder("report-watch");
    let (model, page) = (inside(&folder, "model.toml"), inside(&folder, "page.html"));
    fs::write(&model, SPRING).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
        .args(["report", &model, "-o", &page, "--watch"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
    let mut wait = |words: &str| {
        let mut lines = lines.by_ref().map(|line| line.expect("text"));
        assert!(
            lines.any(|line| line.contains(words)),
            "it ended before `{words}`"
        );
    };
    wait("waiting for a change");
    fs::write(&model, "coordinates = 1").expect("written");
    wait("error");
    fs::write(&model, SPRING.replace("\"Spring\"", "\"Another spring\"")).expect("written");
    wait("waiting for a change");
    let text = fs::read_to_string(&page).expect("the page");
    assert!(text.contains("<title>Another spring</title>"));
    let kill = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status();
    assert!(kill.is_ok_and(|status| status.success()));
    let status = child.wait().expect("the program ends");
    assert_eq!(status.code(), Some(130));
    assert_files(&folder, &["model.toml", "page.html"]);
}
