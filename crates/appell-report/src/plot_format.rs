//! What plots are written as.

use crate::plot::Figure;
use crate::{svg, tikz};

/// A language of pictures.
#[derive(Debug)]
pub struct PlotFormat {
    /// Its name on the command line.
    pub id: &'static str,
    /// What its files end in, without the point.
    pub ending: &'static str,
    /// A figure as a file.
    pub write: fn(&Figure) -> String,
}

/// All of them; the first is what a plot is written as if nothing is said.
pub const PLOT_FORMATS: [PlotFormat; 2] = [
    PlotFormat {
        id: "svg",
        ending: "svg",
        write: svg::write,
    },
    PlotFormat {
        id: "tikz",
        ending: "tex",
        write: tikz::write,
    },
];

impl PlotFormat {
    /// The format of a name.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        PLOT_FORMATS.iter().find(|format| format.id == id)
    }
}
