//! `appell manual`: the pages of all commands, as man pages or in Markdown.

use super::Exit;
use crate::args::{Cli, Manual, Pages};
use crate::output::write_text;
use crate::problem::Problem;
use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use std::fs;

/// Writes a page for the tool and one for each command into a folder.
pub fn manual(args: &Manual) -> Result<Exit, Problem> {
    let folder = args.folder.display();
    let failed = |error| Problem::new(format!("the folder `{folder}` cannot be made: {error}"));
    fs::create_dir_all(&args.folder).map_err(failed)?;
    let mut tool = Cli::command();
    tool.build();
    let shown = tool
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let commands = [&tool]
        .into_iter()
        .chain(shown.filter(|c| c.get_name() != "help"));
    for command in commands {
        let name = command
            .get_display_name()
            .unwrap_or_else(|| command.get_name());
        let (ending, text) = match args.to {
            Pages::Man => ("1", man_page(command)?),
            Pages::Markdown => ("md", markdown(name, command)),
        };
        write_text(&args.folder.join(format!("{name}.{ending}")), &text)?;
    }
    Ok(Exit::Done)
}

fn man_page(command: &Command) -> Result<String, Problem> {
    let mut page = Vec::new();
    let written = clap_mangen::Man::new(command.clone()).render(&mut page);
    written.map_err(|error| Problem::new(format!("a page cannot be written: {error}")))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// A page of the reference.
fn markdown(name: &str, command: &Command) -> String {
    let mut text = format!("# {}\n\n", name.replacen('-', " ", 1));
    let about = command.get_long_about().or_else(|| command.get_about());
    text += &format!("{}\n\n", plain(about).trim_end());
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").trim();
    text += &format!("```text\n{usage}\n```\n");
    let options: Vec<&Arg> = command
        .get_arguments()
        .filter(|arg| !arg.is_hide_set())
        .collect();
    if !options.is_empty() {
        text += "\n| option | does |\n|---|---|\n";
    }
    for option in options {
        text += &format!(
            "| `{}` | {} |\n",
            cell(&written(option)),
            cell(&what(option))
        );
    }
    let after = command
        .get_after_long_help()
        .or_else(|| command.get_after_help());
    if let Some(after) = after {
        text += &format!("\n```text\n{}\n```\n", after.to_string().trim_end());
    }
    text
}

fn plain(text: Option<&StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// Text within a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace("\n\n", ". ")
        .replace('\n', " ")
        .replace("..", ".")
}

/// `-p, --parameter <NAME=VALUE>`
fn written(option: &Arg) -> String {
    let short = option.get_short().map(|letter| format!("-{letter}"));
    let long = option.get_long().map(|word| format!("--{word}"));
    let names: Vec<String> = short.into_iter().chain(long).collect();
    let takes = option.get_action().takes_values();
    let value = option.get_value_names().filter(|_| takes);
    let value = value.map(|names| format!("<{}>", names.join("> <")));
    let parts = [names.join(", "), value.unwrap_or_default()];
    parts.join(" ").trim().to_owned()
}

/// What an option does, its words and its default.
fn what(option: &Arg) -> String {
    let mut text = plain(option.get_long_help().or_else(|| option.get_help()));
    let values = option.get_possible_values();
    let values = values.iter().filter(|value| !value.is_hide_set());
    let values: Vec<String> = values
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !values.is_empty() && option.get_action().takes_values() {
        text += &format!(". One of {}", values.join(", "));
    }
    let defaults = option.get_default_values();
    if !defaults.is_empty()
        && option.get_action().takes_values()
        && !option.is_hide_default_value_set()
    {
        let defaults: Vec<String> = defaults
            .iter()
            .map(|value| value.to_string_lossy().into_owned())
            .collect();
        text += &format!(". By default `{}`", defaults.join(","));
    }
    text
}
