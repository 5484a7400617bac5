//! The plots of a page: those of the file, then what every motion has.

use crate::page::{Kind, Plot, Scene, Track};
use crate::plot::{Figure, Series};
use crate::show;
use appell_flow::{Interpreter, Trajectory};
use appell_mech::output;
use appell_study::motion::audit::Audit;
use appell_study::motion::run::Run;
use appell_study::values::prepared::Prepared;

/// More curves than this are hard to tell apart: they get another plot.
const CURVES: usize = 6;
/// Residuals below this, 0 included, are drawn here: a logarithm has no place for them.
const FLOOR: f64 = 1e-18;
/// Works below this part of the largest are rounding.
const ROUNDING: f64 = 1e-13;

/// The plots that need a look at the motion in the algebra.
pub(super) struct Looked {
    path: Option<Plot>,
    energy: Vec<Plot>,
    reactions: Vec<Plot>,
}

/// Times with one value each.
type Curve = Vec<(f64, f64)>;

pub(super) fn plots(
    audit: &Audit<'_, '_>,
    trajectory: &Trajectory,
    scene: Option<&Scene>,
    kept: &[usize],
) -> Looked {
    let times: Vec<f64> = kept.iter().map(|i| trajectory.samples[*i].t).collect();
    Looked {
        path: scene.and_then(path),
        energy: energy(audit, trajectory, kept, &times),
        reactions: scene.map_or(Vec::new(), |scene| reactions(scene, &times)),
    }
}

/// Every plot of the page, in its order.
pub(super) fn all(p: &Prepared<'_>, run: &Run, looked: Looked, kept: &[usize]) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    let own = p.model.plots.iter().zip(&run.plots);
    for (plot, data) in own {
        let mut figure = show::figure(p, plot, data);
        for series in &mut figure.series {
            series.points = kept
                .iter()
                .filter_map(|i| series.points.get(*i).copied())
                .collect();
        }
        let over_time = plot.x.1 == p.model.time;
        plots.push(Plot { figure, over_time });
    }
    if !plots.iter().any(|plot| plot.figure.equal_aspect) {
        plots.extend(looked.path);
    }
    let n = p.system.n();
    let names: Vec<String> = p.model.coordinates.iter().map(|c| c.name.clone()).collect();
    let coordinates = (0..n)
        .map(|i| (names[i].clone(), column(run, kept, 1 + i)))
        .collect();
    plots.extend(in_parts("Coordinates", coordinates, false));
    plots.extend(looked.energy);
    let residuals = named(run, kept, "residual[")
        .into_iter()
        .map(|(name, curve)| {
            (
                name,
                curve
                    .into_iter()
                    .map(|(t, x)| (t, x.abs().max(FLOOR)))
                    .collect(),
            )
        });
    plots.extend(in_parts(
        "Residual of the constraints",
        residuals.collect(),
        true,
    ));
    match looked.reactions.is_empty() {
        true => plots.extend(in_parts("Multipliers", named(run, kept, "lambda["), false)),
        false => plots.extend(looked.reactions),
    }
    plots
}

/// A column of the table of samples.
fn column(run: &Run, kept: &[usize], column: usize) -> Curve {
    let rows = kept.iter().filter_map(|i| run.table.rows.get(*i));
    rows.filter_map(|row| Some((*row.first()?, *row.get(column)?)))
        .collect()
}

/// The columns `PREFIX NAME]`, with their names.
fn named(run: &Run, kept: &[usize], prefix: &str) -> Vec<(String, Curve)> {
    let columns = run.table.columns.iter().enumerate();
    let named = columns.filter_map(|(index, name)| {
        let name = name.strip_prefix(prefix)?.strip_suffix(']')?;
        Some((name.to_owned(), column(run, kept, index)))
    });
    named.collect()
}

/// Curves over the time in as many plots as are readable.
fn in_parts(title: &str, curves: Vec<(String, Curve)>, log_y: bool) -> Vec<Plot> {
    let parts = curves.len().div_ceil(CURVES).max(1);
    let size = curves.len().div_ceil(parts).max(1);
    let part = |(index, part): (usize, &[(String, Curve)])| {
        let number = if parts > 1 {
            format!(" {} of {parts}", index + 1)
        } else {
            String::new()
        };
        over_time(&format!("{title}{number}"), part.to_vec(), log_y)
    };
    curves.chunks(size).enumerate().map(part).collect()
}

fn over_time(title: &str, curves: Vec<(String, Curve)>, log_y: bool) -> Plot {
    let series = curves
        .into_iter()
        .map(|(label, points)| Series { label, points });
    let figure = Figure {
        title: title.to_owned(),
        x_label: "t".to_owned(),
        y_label: String::new(),
        log_y,
        equal_aspect: false,
        series: series.collect(),
    };
    Plot {
        figure,
        over_time: true,
    }
}

/// The axes to the right and up of a picture that is seen from above: turns to the left are turns to the
/// left in it, also where an axis points down.
fn seen_from_above(up: [f64; 3]) -> [usize; 2] {
    let axis = (0..3).find(|i| up[*i] != 0.0).unwrap_or(2);
    let level = [(axis + 1) % 3, (axis + 2) % 3];
    match up[axis] < 0.0 {
        true => [level[1], level[0]],
        false => level,
    }
}

/// The paths of the points of the animation: in its plane, in space as seen from above.
fn path(scene: &Scene) -> Option<Plot> {
    let [x, y] = scene.plane.unwrap_or_else(|| seen_from_above(scene.up));
    let axis = |i: usize| ["x", "y", "z"][i.min(2)].to_owned();
    let series: Vec<Series> = scene
        .trails
        .iter()
        .map(|trail| Series {
            label: trail.name.clone(),
            points: trail.at.iter().map(|p| (p[x], p[y])).collect(),
        })
        .collect();
    let moves = |series: &Series| {
        series
            .points
            .iter()
            .any(|p| Some(p) != series.points.first())
    };
    let title = match scene.plane {
        Some(_) => "Path",
        None => "Path, from above",
    };
    series.iter().any(moves).then(|| Plot {
        figure: Figure {
            title: title.to_owned(),
            x_label: axis(x),
            y_label: axis(y),
            log_y: false,
            equal_aspect: true,
            series,
        },
        over_time: false,
    })
}

/// `E` and `E*`, then the ledger: the change of `E` and the works that it is made of.
fn energy(
    audit: &Audit<'_, '_>,
    trajectory: &Trajectory,
    kept: &[usize],
    times: &[f64],
) -> Vec<Plot> {
    let own = audit.own();
    let values = |name: &str| -> Option<Vec<f64>> {
        let program = own.equations.program(&[name]).ok()?;
        let field = Interpreter::new(program, &audit.p.parameters);
        let at = |i: &usize| {
            let (t, y) = own.states.get(*i)?;
            field.results(*t, y).ok()?.first().copied()
        };
        Some(kept.iter().map(|i| at(i).unwrap_or(f64::NAN)).collect())
    };
    let curve =
        |values: &[f64]| -> Curve { times.iter().copied().zip(values.iter().copied()).collect() };
    let Some(energy) = values(output::ENERGY) else {
        return Vec::new();
    };
    let star = own
        .equations
        .energy_star
        .is_ok()
        .then(|| values(output::ENERGY_STAR))
        .flatten();
    let size = energy.iter().fold(0.0_f64, |size, e| size.max(e.abs()));
    let differs = |star: &Vec<f64>| {
        star.iter()
            .zip(&energy)
            .any(|(a, b)| (a - b).abs() > 1e-9 * size.max(a.abs()))
    };
    let mut curves = vec![("E".to_owned(), curve(&energy))];
    curves.extend(
        star.filter(differs)
            .map(|star| ("E*".to_owned(), curve(&star))),
    );
    vec![
        over_time("Energy", curves, false),
        ledger(audit, trajectory, kept, times, &energy),
    ]
}

fn ledger(
    audit: &Audit<'_, '_>,
    trajectory: &Trajectory,
    kept: &[usize],
    times: &[f64],
    energy: &[f64],
) -> Plot {
    let equations = &audit.own().equations;
    let (state, entries) = (equations.state.len(), equations.ledger.len());
    let sample = |i: &usize| &trajectory.samples[*i];
    let work = |entry: usize| -> Vec<f64> {
        let value = |i: &usize| match entry < entries {
            true => sample(i).y.get(state + entry).copied().unwrap_or(f64::NAN),
            false => sample(i).projection_work,
        };
        kept.iter().map(value).collect()
    };
    let works: Vec<Vec<f64>> = (0..=entries).map(work).collect();
    let first = energy.first().copied().unwrap_or(f64::NAN);
    let change: Vec<f64> = energy.iter().map(|e| e - first).collect();
    let missing = change
        .iter()
        .enumerate()
        .map(|(i, change)| change - works.iter().map(|work| work[i]).sum::<f64>());
    let missing: Vec<f64> = missing.collect();
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let scale = works
        .iter()
        .map(|work| largest(work))
        .fold(largest(energy), f64::max);
    let names = equations
        .ledger
        .iter()
        .map(|name| format!("work of {name}"));
    let names = names.chain(["work of projection".to_owned()]);
    let curve = |values: &[f64]| {
        times
            .iter()
            .copied()
            .zip(values.iter().copied())
            .collect::<Curve>()
    };
    let mut curves = vec![("change of E".to_owned(), curve(&change))];
    let worth = names
        .zip(&works)
        .filter(|(_, work)| largest(work) > ROUNDING * scale);
    curves.extend(worth.map(|(name, work)| (name, curve(work))));
    curves.push(("missing".to_owned(), curve(&missing)));
    over_time("Ledger of the energy", curves, false)
}

/// The sizes of constraint forces and couples.
fn reactions(scene: &Scene, times: &[f64]) -> Vec<Plot> {
    let constraint = |toggle: usize| {
        scene
            .toggles
            .get(toggle)
            .is_some_and(|toggle| toggle.constraint)
    };
    let of_kind = |kind: Kind| {
        let arrows = scene.arrows.iter();
        let own = arrows.filter(move |arrow| arrow.kind == kind && constraint(arrow.toggle));
        own.map(|arrow| (arrow.label.clone(), lengths(times, &arrow.vector)))
            .collect()
    };
    let forces = in_parts("Constraint forces", of_kind(Kind::Force), false);
    let couples = in_parts("Constraint couples", of_kind(Kind::Couple), false);
    forces.into_iter().chain(couples).collect()
}

fn lengths(times: &[f64], vectors: &Track) -> Curve {
    let length = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    times
        .iter()
        .copied()
        .zip(vectors.iter().map(length))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_from_above_looks_down() {
        for axis in 0..3 {
            for sign in [1.0, -1.0] {
                let unit = |i: usize| [0, 1, 2].map(|j| f64::from(u8::from(i == j)));
                let up = unit(axis).map(|x| sign * x);
                let [x, y] = seen_from_above(up).map(unit);
                let out = [0, 1, 2].map(|i| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    x[j] * y[k] - x[k] * y[j]
                });
                assert_eq!(out, up);
            }
        }
    }
}
