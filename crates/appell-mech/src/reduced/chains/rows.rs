//! The rows of a chain: their rates by the accelerations of the bodies that they speak of.

use super::super::frames::vector;
use super::super::scene::is_idle;
use super::super::sheet::{Vec3, is_null};
use super::{Moving, Rate, Turning, Writer, difference};
use crate::constraints::ConstraintRow;
use crate::system::System;
use appell_expr::{Ex, Id, vanishes};
use appell_model::{Level, Vector};
use std::collections::{BTreeMap, HashMap};

/// What the symbols in a row are, and their rates.
type Known<'g> = HashMap<Id, (Ex<'g>, Rate<'g>)>;

impl<'g> Writer<'_, 'g> {
    /// The rates of the rows: `Sum terms_k u_k + rest = 0`.
    pub(super) fn rows(&mut self) -> Vec<Rate<'g>> {
        let mut known = self.known();
        let rows = self.constraints.active();
        let rows: Vec<&ConstraintRow<'g>> = rows.collect();
        rows.into_iter()
            .map(|row| self.row(row, &mut known))
            .collect()
    }

    /// Coordinates, velocities and time; what stands for bodies is added when a row speaks of it.
    fn known(&self) -> Known<'g> {
        let (system, graph) = (self.system, self.system.graph);
        let mut known = Known::new();
        let by = |k: usize| Rate {
            terms: BTreeMap::from([(k, graph.one())]),
            ..self.still()
        };
        let along = |rest: Ex<'g>| Rate {
            rest,
            ..self.still()
        };
        for k in 0..system.n() {
            known.insert(system.q[k].id(), (system.q[k], along(system.v[k])));
            known.insert(system.v[k].id(), (system.v[k], by(k)));
        }
        known.insert(system.t.id(), (system.t, along(graph.one())));
        known
    }

    fn row(&mut self, row: &ConstraintRow<'g>, known: &mut Known<'g>) -> Rate<'g> {
        let given = match row.level {
            Level::Velocity => (self.prepare)(row.inspected),
            Level::Position => self.differentiated((self.prepare)(row.inspected)),
            Level::Acceleration => return self.row_as_derived(row),
        };
        self.learn(given, known);
        let symbols = given.symbols();
        let values: Vec<(Ex<'g>, Ex<'g>)> = symbols
            .iter()
            .filter_map(|s| Some((*s, known.get(&s.id())?.0)))
            .filter(|(s, value)| s != value)
            .collect();
        let mut parts = Vec::new();
        for symbol in &symbols {
            if let Some((_, rate)) = known.get(&symbol.id()) {
                let slope = given.diff(*symbol).substitute(&values);
                parts.push((self.sheet.keep(slope), rate.clone()));
            }
        }
        let parts: Vec<_> = parts.iter().map(|(slope, rate)| (*slope, rate)).collect();
        self.total(&parts, &[])
    }

    /// The rate of a row in places and axes, in the stand-ins for their rates.
    fn differentiated(&self, given: Ex<'g>) -> Ex<'g> {
        let (system, graph, model) = (self.system, self.system.graph, self.system.model);
        let mut rates: Vec<(Ex<'g>, Ex<'g>)> = system
            .q
            .iter()
            .copied()
            .zip(system.v.iter().copied())
            .collect();
        rates.push((system.t, graph.one()));
        for point in &model.material_points {
            rates.extend(
                vector(graph, point.position_symbols)
                    .into_iter()
                    .zip(vector(graph, point.velocity_symbols)),
            );
        }
        for rotation in model
            .bodies
            .iter()
            .filter_map(|body| body.rotation.as_ref())
        {
            let omega = vector(graph, rotation.omega_symbols);
            for axis in rotation.axis_symbols.iter().flatten() {
                let axis = vector(graph, *axis);
                let turned: Vec3<'g> = std::array::from_fn(|i| {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    omega[j] * axis[k] - omega[k] * axis[j]
                });
                rates.extend(axis.into_iter().zip(turned));
            }
        }
        let symbols = given.symbols();
        rates.retain(|(s, _)| symbols.contains(s));
        given.rate(&rates)
    }

    /// A row by its coefficients at the coordinates.
    fn row_as_derived(&mut self, row: &ConstraintRow<'g>) -> Rate<'g> {
        let entries = row.a.iter().enumerate();
        let entries: Vec<(usize, Ex<'g>)> = entries
            .map(|(k, x)| (k, self.sheet.keep((self.prepare)(*x))))
            .filter(|(_, x)| !x.is_zero())
            .collect();
        Rate {
            terms: entries.into_iter().collect(),
            rest: self.sheet.keep((self.prepare)(row.b)),
        }
    }

    /// Adds what stands for points, axes and angular velocities in an expression.
    fn learn(&mut self, x: Ex<'g>, known: &mut Known<'g>) {
        let (model, graph) = (self.system.model, self.system.graph);
        let symbols = x.symbols();
        let speaks = |ids: &Vector| ids.iter().any(|id| symbols.contains(&graph.ex(*id)));
        for (index, point) in model.material_points.iter().enumerate() {
            if speaks(&point.velocity_symbols) && !known.contains_key(&point.velocity_symbols[0]) {
                let moving = self.point(index);
                insert(known, point.velocity_symbols, moving.value, moving.rate);
            }
            if speaks(&point.position_symbols) && !known.contains_key(&point.position_symbols[0]) {
                let place = vector(graph, point.position).map(self.prepare);
                let moving = self.point(index);
                insert(
                    known,
                    point.position_symbols,
                    place,
                    self.at_rate(moving.value),
                );
            }
        }
        for (index, body) in model.bodies.iter().enumerate() {
            let (Some(rotation), Some(spin)) = (&body.rotation, self.spins[index].clone()) else {
                continue;
            };
            if speaks(&rotation.omega_symbols) {
                let moving = spin.omega.clone();
                insert(known, rotation.omega_symbols, moving.value, moving.rate);
            }
            for (j, axis) in rotation.axis_symbols.iter().flatten().enumerate() {
                if speaks(axis) {
                    let turned = self.sheet.cross(spin.omega.value, spin.axes[j]);
                    insert(known, *axis, spin.axes[j], self.at_rate(turned));
                }
            }
        }
    }

    /// A rate that depends on no acceleration.
    fn at_rate(&self, value: Vec3<'g>) -> [Rate<'g>; 3] {
        value.map(|rest| Rate {
            rest,
            ..self.still()
        })
    }

    /// The velocity of a point of matter.
    fn point(&mut self, index: usize) -> Moving<'g> {
        let (model, graph) = (self.system.model, self.system.graph);
        let point = &model.material_points[index];
        let body = &model.bodies[point.body];
        let (place, centre) = (vector(graph, point.position), vector(graph, body.position));
        let offset = difference(place, centre);
        if is_null(&offset) {
            return self.centres[point.body].clone();
        }
        match self.spins[point.body].clone() {
            Some(spin) => self.matter(point.body, &spin, offset),
            None => self.moving(vector(graph, point.velocity)),
        }
    }

    /// The velocity `v + omega x r` of the matter of a body, `r` moving in it or not, and its rate
    /// `a + alpha x r + omega x r'`.
    fn matter(&mut self, body: usize, spin: &Turning<'g>, offset: Vec3<'g>) -> Moving<'g> {
        let fixed = self.fixed();
        let moved = self.carried(&fixed, offset).value;
        let place = self.sheet.keep_all(offset.map(self.prepare));
        let omega = spin.omega.value;
        let turned = self.sheet.cross(omega, place);
        let rest = self.sheet.cross(omega, moved);
        let centre = self.centres[body].clone();
        let swept = (spin.omega.rate.clone(), place);
        Moving {
            value: self.sheet.sum(&[centre.value, turned]),
            rate: self.sum_of(&[centre.rate], &[swept], &[rest]),
        }
    }
}

/// The same as [`is_idle`]; of what does not know the time it is told by the row as it was read, which is shorter:
/// velocities of points and bodies are linear in those of the coordinates.
pub(super) fn is_idle_as_read<'g>(system: &System<'g>, row: &ConstraintRow<'g>) -> bool {
    let is_still = |phi: Ex<'g>| row.level == Level::Velocity && !phi.depends_on(system.t);
    if !row.phi.is_some_and(is_still) {
        return is_idle(system, row);
    }
    let (graph, model, given) = (system.graph, system.model, row.inspected);
    let points = model.material_points.iter();
    let points = points.map(|point| point.velocity_symbols);
    let bodies = model
        .bodies
        .iter()
        .filter_map(|body| body.rotation.as_ref());
    let bodies = bodies.map(|rotation| rotation.omega_symbols);
    let mut speeds: Vec<Ex<'g>> = points
        .chain(bodies)
        .flatten()
        .map(|id| graph.ex(id))
        .collect();
    speeds.extend(&system.v);
    let symbols = given.symbols();
    speeds.retain(|s| symbols.contains(s));
    let power = given.rate(&speeds.iter().map(|s| (*s, *s)).collect::<Vec<_>>());
    (1..=2).any(|degree| vanishes(power - degree * given))
}

fn insert<'g>(known: &mut Known<'g>, symbols: Vector, value: Vec3<'g>, rate: [Rate<'g>; 3]) {
    for ((symbol, value), rate) in symbols.into_iter().zip(value).zip(rate) {
        known.insert(symbol, (value, rate));
    }
}
