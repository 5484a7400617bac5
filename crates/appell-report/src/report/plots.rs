//! The plots of a page: those of the file, then what every motion has.

use crate::page::{Kind, Plot, Scene, Track};
use crate::plot::{Figure, Series};
use crate::show;
use crate::units::Units;
use appell_flow::{Interpreter, Trajectory};
use appell_mech::output;
use appell_study::motion::run::Run;
use appell_study::motion::sampled_motion::SampledMotion;
use appell_study::values::prepared::Prepared;

/// More curves than this are hard to tell apart: they get another plot.
const CURVES: usize = 6;
/// Works below this part of the largest are rounding.
const ROUNDING: f64 = 1e-13;

/// The plots that need a look at the motion in the algebra.
pub(super) struct Looked {
    path: Option<Plot>,
    /// The change of the energy with what it is made of, and what is missing in that.
    energy: Option<Energy>,
    reactions: Vec<Plot>,
}

struct Energy {
    plot: Plot,
    missing: Curve,
    starts: Starts,
}

/// What curves that begin at zero begin from, by their labels.
pub(super) type Starts = Vec<(String, f64)>;

impl Looked {
    /// What `E - E0` and `E* - E*0` begin from.
    pub(super) fn starts(&self) -> Starts {
        let energy = self.energy.as_ref();
        energy.map_or(Vec::new(), |energy| energy.starts.clone())
    }
}

/// Times with one value each.
type Curve = Vec<(f64, f64)>;

pub(super) fn plots(
    sampled_motion: &SampledMotion<'_, '_>,
    trajectory: &Trajectory,
    scene: Option<&Scene>,
    kept: &[usize],
) -> Looked {
    let times: Vec<f64> = kept.iter().map(|i| trajectory.samples[*i].t).collect();
    Looked {
        path: scene.and_then(path),
        energy: energy(sampled_motion, trajectory, kept, &times),
        reactions: scene.map_or(Vec::new(), |scene| reactions(scene, &times)),
    }
}

/// Every plot of the page, in its order.
pub(super) fn all(p: &Prepared<'_>, run: &Run, looked: Looked, kept: &[usize]) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    let units = Units::of(p.model);
    let pairs = p.model.plots.iter().zip(&run.plots);
    for (plot, data) in pairs {
        let mut figure = show::figure(p, plot, data, units.as_ref());
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
    plots.extend(by_kind(p, run, kept, units.as_ref()));
    let common = plots.len();
    if let Some(Energy { plot, missing, .. }) = looked.energy {
        plots.extend([plot, balance(missing, run.ledger.bound)]);
    }
    let residuals = named(run, kept, "residual[").into_iter();
    let residuals = residuals.map(|(name, curve)| (name, sizes(curve)));
    plots.extend(
        in_parts("Residuals of the constraints", residuals.collect(), true)
            .into_iter()
            .map(scattered),
    );
    match looked.reactions.is_empty() {
        true => plots.extend(in_parts("Multipliers", named(run, kept, "lambda["), false)),
        false => plots.extend(looked.reactions),
    }
    if units.as_ref().is_some_and(|units| units.is_si()) {
        plots.iter_mut().skip(common).for_each(in_si);
        for path in plots
            .iter_mut()
            .filter(|plot| plot.figure.title.starts_with(PATH))
        {
            path.figure.units = ["m", "m"].map(str::to_owned);
        }
    }
    let second = |plot: &&mut Plot| plot.over_time && plot.figure.units[0].is_empty();
    if let Some(units) = &units {
        for plot in plots.iter_mut().filter(second) {
            plot.figure.units[0] = units.time();
        }
    }
    plots
}

/// Coordinates, then velocities, those of one unit together.
fn by_kind(p: &Prepared<'_>, run: &Run, kept: &[usize], units: Option<&Units<'_>>) -> Vec<Plot> {
    let n = p.system.n();
    let mut plots = Vec::new();
    for (title, prime, first) in [("Coordinates", "", 1), ("Velocities", "'", 1 + n)] {
        let mut kinds: Vec<(String, Vec<(String, Curve)>)> = Vec::new();
        for (i, coordinate) in p.model.coordinates.iter().enumerate() {
            let id = if prime.is_empty() {
                coordinate.q
            } else {
                coordinate.v
            };
            let unit = units.map_or(String::new(), |units| units.unit(id));
            let curve = (
                format!("{}{prime}", coordinate.name),
                column(run, kept, first + i),
            );
            match kinds.iter_mut().find(|(kind, _)| *kind == unit) {
                Some((_, curves)) => curves.push(curve),
                None => kinds.push((unit, vec![curve])),
            }
        }
        for (unit, curves) in kinds {
            for mut plot in in_parts(title, curves, false) {
                plot.figure.units[1].clone_from(&unit);
                plots.push(plot);
            }
        }
    }
    plots
}

/// What is missing in the balance of the energy, beside what the tolerances allow.
fn balance(missing: Curve, bound: f64) -> Plot {
    let allowed = missing.iter().map(|(t, _)| (*t, bound)).collect();
    let curves = vec![
        ("missing".to_owned(), sizes(missing)),
        ("tolerances allow".to_owned(), allowed),
    ];
    let mut plot = over_time("Error of the energy balance", curves, true);
    plot.figure.series[0].scattered = true;
    plot
}

fn sizes(curve: Curve) -> Curve {
    curve.into_iter().map(|(t, x)| (t, x.abs())).collect()
}

/// Rounding errors are no curves.
fn scattered(mut plot: Plot) -> Plot {
    for series in &mut plot.figure.series {
        series.scattered = true;
    }
    plot
}

/// Forces, couples and energies where all is in SI units.
fn in_si(plot: &mut Plot) {
    let unit = match plot.figure.title.split(' ').next() {
        Some("Energy,") | Some("Error") => "J",
        _ if plot.figure.title.starts_with(FORCES) => "N",
        _ if plot.figure.title.starts_with(COUPLES) => "N m",
        _ => return,
    };
    plot.figure.units[1] = unit.to_owned();
}

const PATH: &str = "Path";
const FORCES: &str = "Constraint forces";
const COUPLES: &str = "Constraint couples";

/// A column of the table at the samples of these numbers: it may have more rows than the motion keeps samples.
fn column(run: &Run, kept: &[usize], column: usize) -> Curve {
    let mut rows = run.table.rows.iter();
    let point = |i: &usize| {
        let t = run.trajectory.samples.get(*i)?.t;
        let row = rows.find(|row| row.first() == Some(&t))?;
        Some((t, *row.get(column)?))
    };
    kept.iter().filter_map(point).collect()
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
    let series = curves.into_iter().map(|(label, points)| Series {
        label,
        points,
        scattered: false,
    });
    let figure = Figure {
        title: title.to_owned(),
        x_label: "t".to_owned(),
        log_y,
        series: series.collect(),
        ..Figure::default()
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
            scattered: false,
        })
        .collect();
    let moves = |series: &Series| {
        series
            .points
            .iter()
            .any(|p| Some(p) != series.points.first())
    };
    let title = match scene.plane {
        Some(_) => PATH.to_owned(),
        None => format!("{PATH}, from above"),
    };
    series.iter().any(moves).then(|| Plot {
        figure: Figure {
            title,
            x_label: axis(x),
            y_label: axis(y),
            equal_aspect: true,
            series,
            ..Figure::default()
        },
        over_time: false,
    })
}

/// How far `E` and `E*` are from their start, with the works that this is made of; and what is missing.
fn energy(
    sampled_motion: &SampledMotion<'_, '_>,
    trajectory: &Trajectory,
    kept: &[usize],
    times: &[f64],
) -> Option<Energy> {
    let sampled = sampled_motion.own();
    let values = |name: &str| -> Option<Vec<f64>> {
        let program = sampled.equations.program(&[name]).ok()?;
        let field = Interpreter::new(program, &sampled_motion.p.parameters);
        let at = |i: &usize| {
            let (t, y) = sampled.states.get(*i)?;
            field.results(*t, y).ok()?.first().copied()
        };
        Some(kept.iter().map(|i| at(i).unwrap_or(f64::NAN)).collect())
    };
    let curve =
        |values: &[f64]| -> Curve { times.iter().copied().zip(values.iter().copied()).collect() };
    let energy = values(output::ENERGY)?;
    let star = sampled
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
    let from_start = |values: &[f64]| -> Vec<f64> {
        let first = values.first().copied().unwrap_or(f64::NAN);
        values.iter().map(|x| x - first).collect()
    };
    let change = from_start(&energy);
    let (works, missing) = ledger(sampled_motion, trajectory, kept, &change, size);
    let first = energy.first().copied().unwrap_or(f64::NAN);
    let mut curves = vec![("E - E0".to_owned(), curve(&change))];
    let mut starts = vec![("E - E0".to_owned(), first)];
    if let Some(star) = star.filter(differs) {
        let label = "E* - E*0".to_owned();
        starts.extend(star.first().map(|first| (label.clone(), *first)));
        curves.push((label, curve(&from_start(&star))));
    }
    curves.extend(works.into_iter().map(|(name, work)| (name, curve(&work))));
    let title = format!("Energy, from E₀ = {} on", show::size(first));
    Some(Energy {
        plot: over_time(&title, curves, false),
        missing: curve(&missing),
        starts,
    })
}

/// The works that are worth showing, and what they leave of the change of the energy.
fn ledger(
    sampled_motion: &SampledMotion<'_, '_>,
    trajectory: &Trajectory,
    kept: &[usize],
    change: &[f64],
    size: f64,
) -> (Vec<(String, Vec<f64>)>, Vec<f64>) {
    let equations = &sampled_motion.own().equations;
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
    let missing = change
        .iter()
        .enumerate()
        .map(|(i, change)| change - works.iter().map(|work| work[i]).sum::<f64>());
    let missing = missing.collect();
    let largest = |values: &[f64]| values.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    let scale = works.iter().map(|work| largest(work)).fold(size, f64::max);
    let names = equations
        .ledger
        .iter()
        .map(|name| format!("work of {name}"));
    let names = names.chain(["work of projection".to_owned()]);
    let worth = names.zip(works);
    let worth = worth.filter(|(_, work)| largest(work) > ROUNDING * scale);
    (worth.collect(), missing)
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
        let chosen = arrows.filter(move |arrow| arrow.kind == kind && constraint(arrow.toggle));
        chosen
            .map(|arrow| (arrow.label.clone(), lengths(times, &arrow.vector)))
            .collect()
    };
    let forces = in_parts(FORCES, of_kind(Kind::Force), false);
    let couples = in_parts(COUPLES, of_kind(Kind::Couple), false);
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
