//! The plots of a file as pictures.

use crate::prepared::Prepared;
use crate::run::{PlotData, Run};
use appell_model::Plot;
use appell_report::plot::{Figure, Series};
use appell_report::svg;

/// One SVG document for each entry of `[[plots]]`, in the file's order.
pub fn svgs(p: &Prepared<'_>, run: &Run) -> Vec<String> {
    let plots = p.model.plots.iter().zip(&run.plots);
    plots
        .map(|(plot, data)| svg::write(&figure(p, plot, data)))
        .collect()
}

fn figure(p: &Prepared<'_>, plot: &Plot, data: &PlotData) -> Figure {
    let y_label = match data.curves.as_slice() {
        [(label, _)] => label.clone(),
        _ => String::new(),
    };
    let series = data.curves.iter().map(|(label, points)| Series {
        label: label.clone(),
        points: points.clone(),
    });
    Figure {
        title: data.title.clone(),
        x_label: data.x_label.clone(),
        y_label,
        log_y: false,
        equal_aspect: is_path(p, plot) && has_area(data),
        series: series.collect(),
    }
}

/// Whether both axes are coordinates: a path, which is drawn to scale.
fn is_path(p: &Prepared<'_>, plot: &Plot) -> bool {
    let is_coordinate = |id| p.model.coordinates.iter().any(|c| c.q == id);
    matches!(plot.y.as_slice(), [(_, y)] if is_coordinate(plot.x.1) && is_coordinate(*y))
}

/// A path longer than this times its breadth would be a line if drawn to scale.
const SLENDER: f64 = 10.0;

fn has_area(data: &PlotData) -> bool {
    let points = || data.curves.iter().flat_map(|(_, points)| points);
    let (width, height) = (extent(points().map(|p| p.0)), extent(points().map(|p| p.1)));
    width <= SLENDER * height && height <= SLENDER * width
}

/// The largest minus the smallest of the finite values.
fn extent(values: impl Iterator<Item = f64>) -> f64 {
    let finite = values.filter(|x| x.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    (high - low).max(0.0)
}
