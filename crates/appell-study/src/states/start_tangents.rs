//! How a start moves with what it was found from: the derivatives of its completion on the constraints.

use crate::states::given_states::State;
use crate::states::nearest::mass_at;
use crate::states::residuals::velocity_rows;
use crate::states::start::{Given, at_rest, given, given_state, kinetic_momentum};
use crate::states::varied::Varied;
use crate::states::velocity_problem::VelocityProblem;
use crate::values::error::Error;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use crate::values::rows::{Change, Goal};
use appell_expr::Ex;
use appell_flow::Direction;
use appell_mech::function;

/// The change `(dq, dv)` of a start for each quantity: of the model's own, or of one that is given as a state.
///
/// Rows of `[initial]` hold as before, but for that of the varied coordinate or velocity, which gives it another
/// value; what they leave open follows from the constraints as at the start. Where they leave no room, what was
/// given besides gives way, by least kinetic energy of the change.
///
/// # Errors
/// A coordinate or velocity that the constraints determine; a start that was moved on to the constraints, or has no
/// derivative.
pub(crate) fn start_tangents(
    p: &Prepared<'_>,
    start: &Start,
    state: Option<&State>,
    varied: &[(Varied, Direction)],
) -> Result<Vec<Vec<f64>>, Error> {
    if start.projected {
        let why = "the start was moved on to the constraints, which has no exact derivative: give one that satisfies them";
        return Err(Error::argument(why));
    }
    let given = match state {
        None => given(p),
        Some(_) => given_state(p),
    };
    let mover = Mover::new(p, start, given)?;
    let one = |(varied, direction): &(Varied, Direction)| mover.tangent(*varied, direction);
    varied.iter().map(one).collect()
}

struct Mover<'p, 'g> {
    p: &'p Prepared<'g>,
    start: &'p Start,
    given: Given<'g>,
    problem: VelocityProblem<'g>,
    /// `(v, z)` of the start, as the problem has them.
    w: Vec<f64>,
    mass: Vec<f64>,
}

impl<'p, 'g> Mover<'p, 'g> {
    fn new(p: &'p Prepared<'g>, start: &'p Start, given: Given<'g>) -> Result<Self, Error> {
        let problem = VelocityProblem::new(p, start.t, &start.q, &given)?;
        let z = start.z.iter().flatten().copied();
        let w: Vec<f64> = start
            .v
            .iter()
            .copied()
            .chain(z)
            .take(problem.w.len())
            .collect();
        let mass = mass_at(p, start.t, &start.q, &start.v);
        let mass = mass.filter(|_| w.len() == problem.w.len());
        Ok(Self {
            mass: mass.ok_or_else(no_derivative)?,
            p,
            start,
            given,
            problem,
            w,
        })
    }

    fn tangent(&self, varied: Varied, direction: &Direction) -> Result<Vec<f64>, Error> {
        let p = self.p;
        let time = p.system.graph.ex(p.model.initial.time);
        let moves = |(parameter, change): (&appell_model::Parameter, &f64)| {
            *change != 0.0 && time.depends_on(p.system.graph.ex(parameter.symbol))
        };
        if p.model
            .parameters
            .iter()
            .zip(&direction.parameters)
            .any(moves)
        {
            let why = "the time at which the motion begins depends on it: differentiate by the state at a fixed time";
            return Err(Error::argument(why));
        }
        let dq = self.coordinates(varied, direction)?;
        let mut tangent = dq.clone();
        tangent.extend(self.velocities(varied, direction, &dq)?);
        Ok(tangent)
    }

    fn coordinates(&self, varied: Varied, direction: &Direction) -> Result<Vec<f64>, Error> {
        let (p, t, n) = (self.p, self.start.t, self.p.system.n());
        let place = match varied {
            Varied::Coordinate(i) => Some(i),
            _ => None,
        };
        let coordinate = place.map(|i| p.system.q[i]);
        let holonomic: Vec<Ex<'g>> = p.constraints.positions().collect();
        let rest = vec![0.0; n];
        let moved = |rows: Vec<Ex<'g>>, unit: Option<usize>, goal: &Goal| {
            let wanted = unit_vector(rows.len(), unit);
            let change = Change {
                fixed: &[],
                direction,
                gradient: &rest,
                rows: &wanted,
            };
            p.rows(&rows, &[], &p.system.q).moved(t, &[], goal, &change)
        };
        let (given, unit) = varied_rows(&self.given.positions, &p.system.q, coordinate);
        let goal = Goal {
            start: self.start.q.clone(),
            ..at_rest(p)
        };
        let found = moved([given, holonomic.clone()].concat(), unit, &goal).or_else(|| {
            let (rows, unit) = varied_rows(&[], &p.system.q, coordinate);
            let all = vec![true; n];
            let goal = Goal::nearest(self.mass.clone(), self.start.q.clone(), all);
            moved([rows, holonomic].concat(), unit, &goal)
        });
        found.ok_or_else(|| self.determined(place.map(|i| p.model.coordinates[i].name.clone())))
    }

    fn velocities(
        &self,
        varied: Varied,
        direction: &Direction,
        dq: &[f64],
    ) -> Result<Vec<f64>, Error> {
        let (p, t, n) = (self.p, self.start.t, self.p.system.n());
        let velocity = self.varied_velocity(varied)?;
        let problem = &self.problem;
        let gradient = self
            .momentum_change(direction, dq)
            .ok_or_else(no_derivative)?;
        let (given, unit) = varied_rows(&problem.given_rows, &problem.w, velocity);
        let rows = [given, problem.constraint_rows.clone()].concat();
        let wanted = unit_vector(rows.len(), unit);
        let goal = Goal {
            metric: problem.metric.clone(),
            linear: problem.linear.clone(),
            free: vec![true; problem.w.len()],
            start: self.w.clone(),
        };
        let change = Change {
            fixed: dq,
            direction,
            gradient: &gradient,
            rows: &wanted,
        };
        let own_rows = p.rows(&rows, &p.system.q, &problem.w);
        let found = own_rows.moved(t, &self.start.q, &goal, &change);
        let found = found.or_else(|| {
            if matches!(varied, Varied::MotionVariable(_)) {
                return None;
            }
            let (rows, unit) = varied_rows(&[], &p.system.v, velocity);
            let rows = [rows, velocity_rows(p)].concat();
            let wanted = unit_vector(rows.len(), unit);
            let goal = Goal::nearest(self.mass.clone(), self.start.v.clone(), vec![true; n]);
            let change = Change {
                gradient: &vec![0.0; n],
                rows: &wanted,
                ..change
            };
            let rows = p.rows(&rows, &p.system.q, &p.system.v);
            rows.moved(t, &self.start.q, &goal, &change)
        });
        let name = velocity.and_then(|symbol| symbol.symbol_name());
        let mut found = found.ok_or_else(|| self.determined(name))?;
        found.truncate(n);
        Ok(found)
    }

    /// The velocity or motion variable that is varied.
    fn varied_velocity(&self, varied: Varied) -> Result<Option<Ex<'g>>, Error> {
        match varied {
            Varied::Velocity(i) => Ok(Some(self.p.system.v[i])),
            Varied::MotionVariable(i) => match self.problem.w.get(self.p.system.n() + i) {
                Some(z) => Ok(Some(*z)),
                None => Err(Error::argument(
                    "motion variables can be varied where equations of [initial] speak of them",
                )),
            },
            Varied::Coordinate(_) | Varied::Parameter(_) => Ok(None),
        }
    }

    /// The change of `M w + b` by the coordinates and parameters, at fixed `w`.
    fn momentum_change(&self, direction: &Direction, dq: &[f64]) -> Option<Vec<f64>> {
        let n = dq.len();
        let at_rest = [&self.start.q[..], &vec![0.0; n]].concat();
        let along = [dq, &vec![0.0; n]].concat();
        let names = [function::MASS, function::MOMENTUM];
        let at = (self.start.t, &at_rest[..]);
        let found = self.p.change_of(&names, at, (&along, direction))?;
        let [mass, momentum] = &found[..] else {
            return None;
        };
        let changed = kinetic_momentum(self.p).map(|kinetic| {
            let moved = kinetic
                .duals_along(self.start.t, &at_rest, &along, direction, None)
                .ok()?;
            Some(moved.iter().map(|x| x.along(0)).collect::<Vec<f64>>())
        });
        let momentum = match &changed {
            Some(moved) => moved.as_ref()?,
            None => momentum,
        };
        let row = |i: usize| {
            (0..n)
                .map(|j| mass[i * n + j] * self.start.v[j])
                .sum::<f64>()
        };
        let mut change: Vec<f64> = (0..n).map(|i| row(i) + momentum[i]).collect();
        change.resize(self.w.len(), 0.0);
        Some(change)
    }

    fn determined(&self, name: Option<String>) -> Error {
        match name {
            Some(name) => Error::argument(format!(
                "the start of `{name}` cannot be varied: the constraints determine it"
            )),
            None => Error::argument(
                "the start does not follow the parameter: with it no start satisfies the constraints",
            ),
        }
    }
}

fn no_derivative() -> Error {
    Error::no_value("the start has no derivative")
}

/// A vector of zeros with a 1 at a place.
fn unit_vector(size: usize, place: Option<usize>) -> Vec<f64> {
    (0..size)
        .map(|i| f64::from(u8::from(Some(i) == place)))
        .collect()
}

/// The rows with the unknown itself in the place of the one that gives it outright, or as one more; and its place.
fn varied_rows<'g>(
    rows: &[Ex<'g>],
    unknowns: &[Ex<'g>],
    varied: Option<Ex<'g>>,
) -> (Vec<Ex<'g>>, Option<usize>) {
    let mut rows = rows.to_vec();
    let Some(varied) = varied else {
        return (rows, None);
    };
    let alone = |row: &Ex<'g>| {
        let others = unknowns.iter().filter(|x| **x != varied);
        row.depends_on(varied) && others.into_iter().all(|x| !row.depends_on(*x))
    };
    match rows.iter().position(alone) {
        Some(place) => {
            rows[place] = varied;
            (rows, Some(place))
        }
        None => {
            rows.push(varied);
            let place = rows.len() - 1;
            (rows, Some(place))
        }
    }
}
