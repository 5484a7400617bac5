//! The command line of studies: `sweep` and `chart`.

use super::{Given, Limits};
use clap::Args;
use std::path::PathBuf;

/// `appell sweep`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell sweep model.toml --design design.toml -o study
  appell sweep model.toml --design design.toml -o study --shard 3/16
  appell sweep model.toml --design design.toml -o study --status

The design says which members there are and what is kept of each:
  [grid]
  m        = \"0.5:2:16\"
  \"theta'\" = [0, 0.5, 1]
  [reduce]
  highest = { max = \"z\" }

The folder gets a manifest.json and a part-00000.parquet for every 50000 members. A part is there whole or not at
all: the same command goes on where an earlier one was ended, and several may work in one folder at once.

Exit codes: 0 the share is done, however its members ended; 2 wrong model, design or usage, or a folder of another
study; 4 too much time or memory, and 130 interrupted: finished parts are kept.")]
pub struct Sweep {
    #[command(flatten)]
    pub given: Given,
    /// The design of the study
    #[arg(long, value_name = "FILE.toml", required_unless_present = "status")]
    pub design: Option<PathBuf>,
    /// The folder of the study
    #[arg(short, long, value_name = "DIR")]
    pub output: PathBuf,
    /// Compute this share of the parts only, counted from 0: 3/16
    #[arg(long, value_name = "I/N", value_parser = share)]
    pub shard: Option<(u64, u64)>,
    /// How many threads; by default one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Compute the same bits as every other machine, by portable elementary functions and without compiled C
    #[arg(long)]
    pub exact: bool,
    /// Begin a study even if it has more than 20 million rows, or 8 GB
    #[arg(long)]
    pub yes: bool,
    /// Say what is done, and compute nothing
    #[arg(long)]
    pub status: bool,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

/// `appell chart`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  appell chart study --x m --y \"theta'(0)\" --colour highest -o chart.png
  appell chart study --x m --y \"theta'(0)\" --colour status -o chart.svg -o chart.html

Names are those of the columns. A full grid becomes cells, with contours where the colour is a number; other members
become dots. What is undefined is grey, and left out of the range.")]
pub struct Chart {
    /// The folder of the study
    pub study: PathBuf,
    #[command(flatten)]
    pub limits: Limits,
    /// The column of the abscissa
    #[arg(long, value_name = "NAME")]
    pub x: String,
    /// The column of the ordinate
    #[arg(long, value_name = "NAME")]
    pub y: String,
    /// The column in colours
    #[arg(long, value_name = "NAME")]
    pub colour: String,
    /// Draw the rows of this section in place of the members; columns are its own, and those of its members
    #[arg(long, value_name = "NAME")]
    pub section: Option<String>,
    /// The label of the abscissa [default: the column's name and unit]
    #[arg(long, value_name = "TEXT")]
    pub x_label: Option<String>,
    /// The label of the ordinate
    #[arg(long, value_name = "TEXT")]
    pub y_label: Option<String>,
    /// The label of the colours
    #[arg(long, value_name = "TEXT")]
    pub colour_label: Option<String>,
    /// The title of the chart
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub title: String,
    /// The picture, by its ending: .svg, .png, or .html for a page that tells what is under the pointer; may be repeated
    #[arg(short, long, value_name = "FILE", required = true)]
    pub output: Vec<PathBuf>,
}

/// A share as `I/N`, with `I` below `N`.
fn share(text: &str) -> Result<(u64, u64), String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((i, n)) if i < n => Ok((i, n)),
        Some(_) => Err("shares are counted from 0: the last one of 16 is 15/16".to_owned()),
        None => Err("write a share such as 3/16".to_owned()),
    }
}
