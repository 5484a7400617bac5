//! The plots of a file as pictures.

use crate::plot::{Figure, Series};
use crate::units::Units;
use appell_model::Plot;
use appell_study::motion::run::{PlotData, Run};
use appell_study::values::prepared::Prepared;

/// One figure for each entry of `[[plots]]`, in the file's order.
pub fn pictures(p: &Prepared<'_>, run: &Run) -> Vec<Figure> {
    let units = Units::of(p.model);
    let plots = p.model.plots.iter().zip(&run.plots);
    plots
        .map(|(plot, data)| figure(p, plot, data, units.as_ref()))
        .collect()
}

/// A plot of the file with its numbers.
pub(crate) fn figure(
    p: &Prepared<'_>,
    plot: &Plot,
    data: &PlotData,
    units: Option<&Units<'_>>,
) -> Figure {
    let y_label = match data.curves.as_slice() {
        [(label, _)] => label.clone(),
        _ => String::new(),
    };
    let series = data.curves.iter().map(|(label, points)| Series {
        label: label.clone(),
        points: points.clone(),
        scattered: false,
    });
    Figure {
        title: data.title.clone(),
        x_label: data.x_label.clone(),
        y_label,
        equal_aspect: is_path(p, plot) && has_area(data),
        series: series.collect(),
        units: units.map_or_else(Default::default, |units| own_units(plot, units)),
        ..Figure::default()
    }
}

/// The units of a plot of the file, as far as all its curves have one.
fn own_units(plot: &Plot, units: &Units<'_>) -> [String; 2] {
    let mut of: Vec<String> = plot.y.iter().map(|(_, id)| units.unit(*id)).collect();
    of.dedup();
    let y = match of.as_slice() {
        [one] => one.clone(),
        _ => String::new(),
    };
    [units.unit(plot.x.1), y]
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

#[cfg(test)]
mod tests {
    use super::*;

    const MODEL: &str = r#"
coordinates = ["x", "y"]
[energy]
kinetic = "1/2*(x'^2 + y'^2)"
[[plots]]
x = "x"
y = "y"
[[plots]]
x = "t"
y = ["x", "y"]
"#;

    fn figures(points: &[(f64, f64)]) -> Vec<Figure> {
        let (model, _) = appell_model::read("m.toml", MODEL).expect("a good model");
        let prepared = Prepared::new(&model, &[], &[]).expect("no parameters");
        let data = |plot: &Plot| PlotData {
            title: String::new(),
            x_label: plot.x.0.clone(),
            curves: plot
                .y
                .iter()
                .map(|(name, _)| (name.clone(), points.to_vec()))
                .collect(),
        };
        model
            .plots
            .iter()
            .map(|plot| figure(&prepared, plot, &data(plot), None))
            .collect()
    }

    #[test]
    fn paths_are_drawn_to_scale_if_they_have_an_area() {
        let round = figures(&[(0.0, 0.0), (1.0, 1.0), (2.0, f64::NAN)]);
        assert_eq!(
            [round[0].equal_aspect, round[1].equal_aspect],
            [true, false]
        );
        let slender = figures(&[(0.0, 0.0), (100.0, 1.0)]);
        assert!(!slender[0].equal_aspect);
        assert!(!figures(&[])[1].equal_aspect);
    }

    #[test]
    fn one_curve_labels_the_axis_and_several_the_legend() {
        let figures = figures(&[(0.0, 0.0), (1.0, 1.0)]);
        assert_eq!(
            [figures[0].x_label.as_str(), &figures[0].y_label],
            ["x", "y"]
        );
        assert_eq!(
            [figures[1].x_label.as_str(), &figures[1].y_label],
            ["t", ""]
        );
        let labels: Vec<&str> = figures[1]
            .series
            .iter()
            .map(|series| series.label.as_str())
            .collect();
        assert_eq!(labels, ["x", "y"]);
    }
}
