//! The samples of a motion as a table.

use crate::states::ranks::workspace;
use crate::states::residuals::scaled_residual;
use crate::values::derived::{Derived, MeasuredValues};
use crate::values::prepared::Prepared;
use crate::values::rows::worst_of;
use appell_expr::limits::pressing;
use appell_flow::residual::SATISFIED;
use appell_flow::{Compiled, Field, Sample, Trajectory, Workspace};
use appell_mech::{Carrier, Equations, Hold, function, output};
use appell_model::Diagnostic;
use std::ops::Range;
use std::rc::Rc;

/// The columns of the output file, one row per sample.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleTable {
    /// `t`, coordinates, velocities, multipliers, `E`, residuals, forces.
    pub columns: Vec<String>,
    /// The values, NaN where undefined.
    pub rows: Vec<Vec<f64>>,
}

impl SampleTable {
    /// Tables for several values of a parameter, one below the other, with the value in a first column of this
    /// name. A column that a table has not is undefined there.
    pub fn joined(name: &str, tables: &[(f64, &SampleTable)]) -> SampleTable {
        let mut columns = vec![name.to_owned()];
        for (_, table) in tables {
            let new = table
                .columns
                .iter()
                .filter(|column| !columns[1..].contains(column));
            let new: Vec<String> = new.cloned().collect();
            columns.extend(new);
        }
        let mut rows = Vec::new();
        for (value, table) in tables {
            let place = |column: &String| table.columns.iter().position(|other| other == column);
            let places: Vec<Option<usize>> = columns[1..].iter().map(place).collect();
            rows.extend(table.rows.iter().map(|row| {
                let cells = places
                    .iter()
                    .map(|place| place.map_or(f64::NAN, |j| row[j]));
                [*value].into_iter().chain(cells).collect()
            }));
        }
        // A parameter may be called as a column, `E`.
        if columns[1..].contains(&columns[0]) {
            columns[0] += " (parameter)";
        }
        SampleTable { columns, rows }
    }
}

/// Rows that are computed side by side.
const AT_ONCE: usize = 32;

/// The table of samples, and the largest scaled residual among them.
pub(crate) fn sample_table(
    p: &Prepared<'_>,
    equations: &Derived<'_>,
    trajectory: &Trajectory,
) -> Result<(SampleTable, f64), Diagnostic> {
    let mut maker = RowMaker::new(p, equations)?;
    let mut rows = Vec::with_capacity(trajectory.samples.len());
    for samples in trajectory.samples.chunks(AT_ONCE) {
        // Who is stopped keeps what there is time for.
        if pressing() > 0 && !rows.is_empty() {
            break;
        }
        rows.extend(maker.rows(samples));
    }
    let (columns, worst) = (maker.columns, maker.worst);
    Ok((SampleTable { columns, rows }, worst))
}

/// What stands in a row behind the time and the coordinates.
pub(crate) const COLUMNS: &[&str] = &[
    output::VELOCITY,
    output::LAMBDA,
    output::ENERGY,
    output::RESIDUAL,
    output::FORCES,
    output::TORQUES,
    output::POINTS,
];

/// Makes a row of the table of each sample.
pub(crate) struct RowMaker<'p, 'g> {
    p: &'p Prepared<'g>,
    /// What the columns of the rows mean.
    pub columns: Vec<String>,
    /// The largest scaled residual so far; one that cannot be computed is not small.
    pub worst: f64,
    main: Rc<Compiled>,
    levels: Rc<MeasuredValues>,
    state: usize,
    fibre: Range<usize>,
    kept: Vec<bool>,
    workspace: Workspace,
}

impl<'p, 'g> RowMaker<'p, 'g> {
    pub fn new(p: &'p Prepared<'g>, equations: &Derived<'_>) -> Result<Self, Diagnostic> {
        let main = equations.table(COLUMNS)?;
        let (n, state) = (p.system.n(), equations.state.len());
        let fibre = match equations.carrier {
            Carrier::Velocities => n..n,
            Carrier::Parameters | Carrier::Momenta => n..state,
        };
        let columns = columns(p, equations, fibre.clone());
        let kept = kept(p, equations, columns.len());
        Ok(Self {
            p,
            columns: selected(columns, &kept),
            worst: 0.0,
            levels: equations.measured_values(&[function::POSITION, function::PHI])?,
            main,
            state,
            fibre,
            kept,
            workspace: workspace(p),
        })
    }

    pub fn row(&mut self, sample: &Sample) -> Vec<f64> {
        let mut rows = self.rows(std::slice::from_ref(sample));
        rows.pop().expect("of each sample")
    }

    pub fn rows(&mut self, samples: &[Sample]) -> Vec<Vec<f64>> {
        let count = self.state;
        let states = samples.iter().map(|sample| (sample.t, &sample.y[..count]));
        let states: Vec<(f64, &[f64])> = states.collect();
        let values = self.main.at_all(&mut self.workspace, &states);
        let levels = self.levels.all_measured(&mut self.workspace, &states);
        let undefined = vec![f64::NAN; self.main.outputs()];
        let all = states.iter().zip(values.into_iter().zip(levels));
        all.map(|((t, y), (values, levels))| {
            let values = values.as_ref().unwrap_or(&undefined);
            let residual = levels.map_or(f64::NAN, |rows| worst_of(&rows));
            self.assembled((*t, y), values, residual)
        })
        .collect()
    }

    fn assembled(&mut self, (t, y): (f64, &[f64]), values: &[f64], residual: f64) -> Vec<f64> {
        let n = self.p.system.n();
        let residual = if residual <= SATISFIED {
            residual
        } else {
            beside_state(self.p, t, &y[..n], &values[..n]).unwrap_or(residual)
        };
        self.worst = match residual.is_nan() {
            true => residual,
            false => self.worst.max(residual),
        };
        let (velocity, rest) = values.split_at(n);
        let fibre = &y[self.fibre.clone()];
        let row = [&[t][..], &y[..n], velocity, fibre, rest].concat();
        selected(row, &self.kept)
    }
}

/// What a table tells of a state `(q, v)` beside this itself: the outputs that hold it one after the other, and the name
/// of each number, none for those that say nothing.
pub fn answer_columns(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
) -> (&'static [&'static str], Vec<Option<String>>) {
    let (names, kept) = all_columns(p, equations);
    let state = 1 + 2 * p.system.n();
    let named = names.into_iter().zip(kept).skip(state);
    let named = named.map(|(name, kept)| kept.then_some(name)).collect();
    (&COLUMNS[1..], named)
}

/// The names of all columns of states `(q, v)`, and which of them a table keeps.
pub(crate) fn all_columns(p: &Prepared<'_>, equations: &Equations<'_>) -> (Vec<String>, Vec<bool>) {
    let n = p.system.n();
    let columns = columns(p, equations, n..n);
    let kept = kept(p, equations, columns.len());
    (columns, kept)
}

/// The names of all columns, nine for each force.
fn columns(p: &Prepared<'_>, equations: &Equations<'_>, fibre: Range<usize>) -> Vec<String> {
    let rows = || p.constraints.rows.iter();
    let mut columns: Vec<String> = vec!["t".to_owned()];
    columns.extend(p.model.state_names());
    columns.extend(equations.input_names()[fibre].iter().cloned());
    columns.extend(rows().map(|row| format!("lambda[{}]", row.name)));
    // A coordinate may be called E.
    let taken = columns.iter().any(|column| column == "E");
    columns.push(if taken { "E (energy)" } else { "E" }.to_owned());
    columns.extend(rows().map(|row| format!("residual[{}]", row.name)));
    for what in ["R", "torque", "at"] {
        for force in &equations.forces {
            let constraint = &p.model.constraints[force.constraint].name;
            let body = force.on(p.model);
            let column = |axis| format!("{what}[{constraint} on {body}].{axis}");
            columns.extend(["x", "y", "z"].map(column));
        }
    }
    columns
}

/// Which columns say something: particles have no couples, and their place is known from the coordinates; a
/// couple has no place.
fn kept(p: &Prepared<'_>, equations: &Equations<'_>, columns: usize) -> Vec<bool> {
    let of_force = |index: usize| {
        let force = &equations.forces[index];
        let body = force.body.map(|body| &p.model.bodies[body]);
        let rotates = body.is_some_and(|body| body.rotation.is_some());
        match force.hold {
            Hold::Couple => [false, true, false],
            Hold::Point(_) => [true, rotates, rotates],
            Hold::Place(_) => [true, false, true],
        }
    };
    let vectors = equations.forces.len();
    let before = columns - 9 * vectors;
    let kept = |column: usize| {
        let vector = column.saturating_sub(before) / 3;
        column < before || of_force(vector % vectors)[vector / vectors]
    };
    (0..columns).map(kept).collect()
}

/// The largest residual where each row is measured by the state too.
fn beside_state(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
    let known = v.iter().all(|v| v.is_finite());
    Some(scaled_residual(&p.measure(t, q, v).filter(|_| known)?))
}

/// The entries that are kept.
fn selected<T>(entries: Vec<T>, kept: &[bool]) -> Vec<T> {
    let entries = entries.into_iter().zip(kept);
    entries
        .filter_map(|(entry, kept)| kept.then_some(entry))
        .collect()
}
