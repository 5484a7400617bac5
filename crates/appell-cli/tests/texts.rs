//! Help, `new`, `explain`, and what is said about a wrong command line.

use crate::common::*;

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = stdout(&run(&["--help"]));
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let lines = list.lines().take_while(|line| !line.is_empty());
    // A description that goes on stands further to the right.
    let names = lines.filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|name| !name.starts_with(' '));
    let names = names.filter_map(|name| name.split_whitespace().next());
    let names = names.filter(|name| *name != "help");
    names.map(str::to_owned).collect()
}

#[test]
fn help_names_every_command_and_every_exit_code() {
    let help = run(&["--help"]);
    assert_exit(&help, 0);
    let text = stdout(&help);
    for word in ["new", "prove", "conserved", "sweep", "chart", "schema"] {
        assert!(commands().iter().any(|name| name == word), "{word}: {text}");
    }
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "130 ", "143 "] {
        assert!(
            text.lines().any(|line| line.trim_start().starts_with(code)),
            "{code}: {text}"
        );
    }
    assert!(stderr(&help).is_empty());
}

#[test]
fn every_command_has_help_with_examples() {
    for command in commands() {
        for option in ["-h", "--help"] {
            let help = run(&[&command, option]);
            assert_exit(&help, 0);
            let text = stdout(&help);
            assert!(text.contains(&format!("Usage: appell {command}")), "{text}");
            assert!(
                text.contains(&format!("Examples:\n  appell {command}")),
                "{text}"
            );
        }
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let version = run(&["--version"]);
    assert_exit(&version, 0);
    assert_eq!(
        stdout(&version),
        format!("appell {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    let model = zoo("skate");
    let wrong: [&[&str]; 10] = [
        &[],
        &["straighten", &model],
        &["run"],
        &["run", &model, "--until", "soon"],
        &["run", &model, "--form", "nobody"],
        &["run", &model, "--form", "kane,nobody"],
        &["run", &model, "--method", "magic"],
        &["run", &model, "-p", "m"],
        &["run", &model, "-p", "m=two"],
        &["new", "skate", "--list"],
    ];
    for arguments in wrong {
        let output = run(arguments);
        assert_exit(&output, 2);
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert!(
            stderr(&output).to_lowercase().contains("usage") || stderr(&output).contains("error"),
            "{arguments:?}"
        );
    }
}

#[test]
fn new_prints_models_that_can_be_checked() {
    for arguments in [&["new"][..], &["new", "skate"], &["new", "skate.toml"]] {
        let model = run(arguments);
        assert_exit(&model, 0);
        assert!(stderr(&model).is_empty());
        assert_exit(&run_with(&["check", "-"], &stdout(&model)), 0);
    }
    assert_eq!(stdout(&run(&["new", "skate"])), zoo_text("skate"));
    let starter = stdout(&run(&["new"]));
    assert!(starter.starts_with("# ") && starter.contains(&zoo_text("perpendicular")));
}

#[test]
fn the_list_has_every_model_with_its_title() {
    let list = run(&["new", "--list"]);
    assert_exit(&list, 0);
    let list = stdout(&list);
    let folder = std::path::Path::new(&zoo("skate"))
        .parent()
        .expect("a folder")
        .to_owned();
    let models = std::fs::read_dir(folder)
        .expect("the gallery")
        .map(|entry| entry.expect("an entry").path());
    let models: Vec<_> = models
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    let heads = list.lines().filter(|line| !line.starts_with(' '));
    assert_eq!(heads.count(), models.len());
    assert!(
        list.lines()
            .all(|line| !line.starts_with(' ') || line.chars().count() <= 80)
    );
    for path in models {
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let head = format!("{name}: ");
        let mut lines = list.lines().skip_while(|line| !line.starts_with(&head));
        let title = lines.next().map(|line| line.trim_start_matches(&head));
        assert!(title.is_some_and(|title| !title.is_empty()), "{name}");
        let shows = lines.next().unwrap_or_default();
        assert!(
            shows.starts_with("    "),
            "{name} does not say what it shows"
        );
    }
}

#[test]
fn an_unknown_model_gets_a_suggestion() {
    let output = run(&["new", "perpendiclar"]);
    assert_exit(&output, 2);
    assert!(output.stdout.is_empty());
    assert!(
        stderr(&output).contains("did you mean `perpendicular`?"),
        "{}",
        stderr(&output)
    );
    let far = stderr(&run(&["new", "brachistochrone"]));
    assert!(
        far.contains("--list") && !far.contains("did you mean"),
        "{far}"
    );
}

#[test]
fn explain_shows_the_page_in_any_case() {
    let page = run(&["explain", "E0102"]);
    assert_exit(&page, 0);
    assert!(stdout(&page).starts_with("# E0102: an unknown name\n"));
    assert!(stdout(&page).contains("Corrected:"));
    assert_eq!(stdout(&run(&["explain", "e0102"])), stdout(&page));
}

#[test]
fn explain_lists_codes_and_those_near_a_wrong_one() {
    let list = stdout(&run(&["explain"]));
    assert!(
        list.lines()
            .any(|line| line.starts_with("  E0102  an unknown name"))
    );
    assert!(list.lines().any(|line| line.starts_with("  W0101  ")));
    let near = run(&["explain", "E0199"]);
    assert_exit(&near, 2);
    let near = stderr(&near);
    assert!(
        near.contains("E0102  an unknown name") && !near.contains("E0201"),
        "{near}"
    );
    let far = run(&["explain", "brachistochrone"]);
    assert_exit(&far, 2);
    assert!(stderr(&far).contains("`appell explain` lists what is explained"));
}

#[test]
fn explain_answers_for_keys_and_words_as_for_codes() {
    for (topic, words) in [
        ("loads", "# [[loads]]"),
        ("[[loads]]", "against: name of a particle or body"),
        ("loads.against", "# `against` in [[loads]]"),
        ("rtol", "number above 0; default: `1e-10`"),
        ("coordinates", "required"),
        ("contrived", "looks nonlinear in the velocities and is not"),
        ("maggi", "Maggi's equations"),
        ("multipliers", "# multiplier\n"),
        ("radau5", "`appell run MODEL --method radau5`"),
        ("finished", "# ending"),
        ("statically indeterminate", "# redundant"),
        ("moving_frames", "# moving frames"),
        ("Sheets", "nappes of Appell's cone"),
        ("formulas", "`v(body, r)`"),
    ] {
        let page = run(&["explain", topic]);
        assert_exit(&page, 0);
        assert!(stdout(&page).contains(words), "{topic}: {}", stdout(&page));
    }
    // A name of several things is explained as each.
    let several = stdout(&run(&["explain", "reaction"]));
    assert!(
        several.contains("# reaction = { .. }") && several.contains("# reaction\n"),
        "{several}"
    );
    let near = run(&["explain", "contrivd"]);
    assert_exit(&near, 2);
    assert!(stderr(&near).contains("did you mean `contrived`?"));
}

#[test]
fn the_schema_is_one_line_of_json() {
    let schema = run(&["schema"]);
    assert_exit(&schema, 0);
    let schema = json(&schema.stdout);
    assert_eq!(schema["required"], serde_json::json!(["coordinates"]));
    assert_eq!(schema["additionalProperties"], false);
    let load = &schema["properties"]["loads"]["items"];
    assert_eq!(load["required"], serde_json::json!(["body"]));
}

#[test]
fn the_manual_has_a_page_for_every_command_in_both_forms() {
    let place = folder("manual");
    for form in ["man", "markdown"] {
        let folder = inside(&place, form);
        assert_exit(&run(&["manual", &folder, "--to", form]), 0);
        for command in commands() {
            let ending = if form == "man" { "1" } else { "md" };
            let page = std::path::Path::new(&folder).join(format!("appell-{command}.{ending}"));
            let text = std::fs::read_to_string(page).expect(&command);
            assert!(
                text.contains("Examples:") && text.contains(&command),
                "{command}: {text}"
            );
        }
    }
}

#[test]
fn the_sources_of_a_run_are_cited() {
    let cited = run(&["cite", &zoo("skate"), "--form", "gibbs-appell"]);
    assert_exit(&cited, 0);
    let text = stdout(&cited);
    // The tool, the model's source, the form's, the method's; no other form's.
    for key in [
        "appell",
        "benenti2007",
        "appell1900",
        "gibbs1879",
        "hairer1993",
    ] {
        assert!(text.contains(&format!("{{{key},")), "{key}: {text}");
    }
    assert!(!text.contains("voronec"), "{text}");
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    let other = stdout(&run(&["cite", &zoo("ball-on-turntable")]));
    assert!(
        other.contains("% not in the bibliography: Weckesser 1997"),
        "{other}"
    );
}

#[test]
fn shells_complete_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let script = run(&["completions", shell]);
        assert_exit(&script, 0);
        assert!(stdout(&script).contains("linearize"), "{shell}");
    }
    assert_exit(&run(&["completions", "abacus"]), 2);
}
