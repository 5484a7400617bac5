//! Mechanical systems written out as fields, for the tests of the integrator.
#![allow(dead_code, reason = "each test file uses some of these")]

use appell_flow::method::DOP853;
use appell_flow::{
    Control, Field, Formula, MonitoredRows, Motion, Options, SINGULAR, Stage, Trajectory, integrate,
};

/// A field written as a function.
pub fn field(
    inputs: usize,
    outputs: usize,
    function: impl Fn(f64, &[f64], &mut [f64]) + Send + Sync + 'static,
) -> Box<dyn Field> {
    Box::new(Formula::new(inputs, outputs, function))
}

/// A motion whose fields are owned here.
pub struct System {
    pub names: Vec<String>,
    pub field: Box<dyn Field>,
    pub energy: Option<Box<dyn Field>>,
    pub stages: Vec<Manifold>,
    pub monitored: Option<Watched>,
}

/// `A`, its number of rows, `M` and the known rank.
pub struct Watched {
    pub jacobian: Box<dyn Field>,
    pub metric: Box<dyn Field>,
    pub rows: usize,
    pub rank: Option<usize>,
}

/// `residual`, `magnitudes`, `jacobian`, `metric` for the components `moved`.
pub struct Manifold {
    pub moved: std::ops::Range<usize>,
    pub fields: [Box<dyn Field>; 4],
}

impl Manifold {
    fn stage(&self) -> Stage<&dyn Field> {
        let [residual, magnitudes, jacobian, metric] = &self.fields;
        Stage {
            moved: self.moved.clone(),
            residual: &**residual,
            magnitudes: &**magnitudes,
            jacobian: &**jacobian,
            metric: &**metric,
            rank: None,
            names: vec![],
        }
    }
}

impl System {
    pub fn free(field: Box<dyn Field>) -> System {
        let names = (0..field.outputs()).map(|i| format!("y{i}")).collect();
        System {
            names,
            field,
            energy: None,
            stages: vec![],
            monitored: None,
        }
    }

    pub fn motion(&self) -> Motion<'_> {
        Motion {
            names: &self.names,
            field: &*self.field,
            stages: self.stages.iter().map(Manifold::stage).collect(),
            energy: self.energy.as_deref(),
            stops: vec![],
            watched: vec![],
            switches: None,
            narrow: None,
            peaks: None,
            corners: None,
            switched: None,
            leave: None,
            monitored: self.monitored.as_ref().map(|monitored| MonitoredRows {
                jacobian: &*monitored.jacobian,
                metric: &*monitored.metric,
                rows: monitored.rows,
                rank: monitored.rank,
                zero: SINGULAR,
            }),
            unprojected: None,
            velocities: None,
        }
    }

    pub fn run(&self, start: &[f64], options: &Options) -> Trajectory {
        integrate(
            &self.motion(),
            &DOP853,
            0.0,
            start,
            options,
            &mut Control::default(),
        )
    }
}

/// Tolerances of `tolerance` to the time `until`.
pub fn options(until: f64, tolerance: f64) -> Options {
    Options {
        until,
        rtol: tolerance,
        atol: tolerance,
        ..Options::default()
    }
}

/// The unit matrix as a field.
pub fn unit(n: usize) -> Box<dyn Field> {
    field(0, n * n, move |_, _, out| {
        out.iter_mut()
            .enumerate()
            .for_each(|(k, x)| *x = f64::from(u8::from(k / n == k % n)))
    })
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .fold(0.0, |worst: f64, (a, b)| worst.max((a - b).abs()))
}

/// Appell's particle of unit mass with `z'^2 = a^2 (x'^2 + y'^2)`: state (x, y, z, x', y', z').
pub fn appell(a: f64, g: f64) -> System {
    let squares = move |v: &[f64]| (v[2] * v[2], a * a * (v[0] * v[0] + v[1] * v[1]));
    let row = move |v: &[f64]| [-2.0 * a * a * v[0], -2.0 * a * a * v[1], 2.0 * v[2]];
    let right = move |_: f64, y: &[f64], out: &mut [f64]| {
        let v = &y[3..6];
        let row = row(v);
        // A q'' = 0 with q'' = (0, 0, -g) + A lambda
        let lambda = g * row[2] / dot(&row, &row);
        out[..3].copy_from_slice(v);
        (0..3).for_each(|i| out[3 + i] = lambda * row[i]);
        out[5] -= g;
    };
    let cone = Manifold {
        moved: 3..6,
        fields: [
            field(6, 1, move |_, y, out| {
                out[0] = squares(&y[3..]).0 - squares(&y[3..]).1
            }),
            field(6, 1, move |_, y, out| {
                out[0] = squares(&y[3..]).0 + squares(&y[3..]).1
            }),
            field(6, 3, move |_, y, out| out.copy_from_slice(&row(&y[3..]))),
            unit(3),
        ],
    };
    let names = ["x", "y", "z", "x'", "y'", "z'"].map(String::from).to_vec();
    System {
        names,
        field: field(6, 6, right),
        energy: Some(field(6, 1, move |_, y, out| {
            out[0] = 0.5 * dot(&y[3..], &y[3..]) + g * y[2]
        })),
        stages: vec![cone],
        monitored: Some(Watched {
            jacobian: field(6, 3, move |_, y, out| out.copy_from_slice(&row(&y[3..]))),
            metric: unit(3),
            rows: 1,
            rank: None,
        }),
    }
}
