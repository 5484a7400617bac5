//! Components of the states that the rows allow on which `A` has a lower rank than on others: `x' = 0` of `x' y' = 0`,
//! `x' z' = 0`. There the rank does not drop.

use super::zero_set::{Conditions, TOO_MANY, Zeros, known, minors};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Finding, GenericRank, Locus, Matrix, generic_rank, tally_on, vanish_on};
use appell_mech::all_states;

/// Random points at which equations are held against others.
const POINTS: usize = 16;
/// Whether more equations are those of a component is not asked: their common points are found too slowly.
const MAX_EQUATIONS: usize = 5;

/// A component of the states that the rows allow.
pub(super) struct Component<'p, 'g> {
    p: &'p Prepared<'g>,
    branch: Conditions<'g>,
    /// Its equations, and the rates of those of the place.
    equations: Equations<'g>,
    /// The rank of `A` on it.
    rank: usize,
}

/// Equations of the place, and of the velocities; where they are those of a component, its rates come first.
struct Equations<'g> {
    still: Conditions<'g>,
    moving: Conditions<'g>,
}

impl<'g> Equations<'g> {
    /// Those of a branch.
    fn of(p: &Prepared<'g>, branch: &Zeros<'g>) -> Self {
        let all = branch.all().into_iter();
        let (moving, still) = all.partition(|x| x.depends_on_any(&p.system.v));
        Self { still, moving }
    }

    /// With others of the velocities before its own.
    fn with(self, others: Conditions<'g>) -> Self {
        Self {
            moving: [others, self.moving].concat(),
            ..self
        }
    }

    /// The rates of those of the place.
    fn rates(&self, p: &Prepared<'g>) -> Conditions<'g> {
        self.still.iter().map(|x| p.system.total_rate(*x)).collect()
    }

    fn all(&self) -> Conditions<'g> {
        [self.still.as_slice(), &self.moving].concat()
    }

    fn locus(&self, p: &Prepared<'g>) -> Locus<'g> {
        let mut locus = all_states(&p.system, &[]);
        locus.on(self.still.clone(), p.system.q.clone());
        locus.on(self.moving.clone(), p.system.v.clone());
        locus
    }
}

impl<'p, 'g> Component<'p, 'g> {
    /// The component that a branch of the zeros of minors is, if it is one: all rows hold on it, and the rank of `A` is the
    /// number of conditions that it is. On `x = 0` of `x^2 (x + y) = 0` the rows have no derivative, and say nothing of
    /// motions; by `x' = x y` and `x' y' = 0` the place is free, and `x = 0` is no component of places.
    pub fn on(p: &'p Prepared<'g>, branch: &Zeros<'g>) -> Option<Self> {
        if branch.all().len() > MAX_EQUATIONS {
            return None;
        }
        let equations = Equations::of(p, branch);
        let rates = equations.rates(p);
        let equations = equations.with(rates);
        let locus = equations.locus(p);
        let of_places = |rows: &[Ex<'g>]| {
            let slopes = Matrix::jacobian(p.system.graph, rows, &p.system.q);
            rank_on(&locus, &slopes).map_or(0, |found| found.rank)
        };
        let positions: Conditions<'g> = p.constraints.positions().collect();
        if of_places(&equations.still) != of_places(&positions) {
            return None;
        }
        let slopes = Matrix::jacobian(p.system.graph, &equations.moving, &p.system.v);
        let [rank, conditions] = [
            rank_on(&locus, &p.constraints.a)?,
            rank_on(&locus, &slopes)?,
        ];
        // In the order of what they cost.
        let is_one = rank.rank == conditions.rank
            && are_reduced(p, &equations, &conditions)
            && matches!(vanish_on(&locus, &known(p).all()), Finding::Holds(_));
        is_one.then(|| Self {
            p,
            branch: branch.conditions.clone(),
            equations,
            rank: rank.rank,
        })
    }

    /// Whether all states of a branch lie on it.
    pub fn contains(&self, branch: &Zeros<'g>) -> bool {
        // Where the rates of holonomic rows say nothing, all velocities are allowed.
        let equations = Equations::of(self.p, branch).with(known(self.p).rates);
        let locus = equations.locus(self.p);
        matches!(vanish_on(&locus, &self.equations.all()), Finding::Holds(_))
    }

    /// Equations of the states on it at which the rank of `A` is lower, and of those on other components as well, where the
    /// set has no tangent plane.
    pub fn singular_where(&self) -> Result<Vec<Conditions<'g>>, String> {
        let p = self.p;
        if self.rank == 0 {
            return Ok(Vec::new());
        }
        let lower = minors(&p.constraints.a, self.rank).ok_or(TOO_MANY)?;
        let mut found = vec![[lower, self.branch.clone()].concat()];
        if p.constraints.active().any(|row| row.position.is_none()) {
            let crossing = self.minors_of(&known(p).all()).ok_or(TOO_MANY)?;
            found.push([crossing, self.equations.all()].concat());
        }
        Ok(found)
    }

    /// The minors of the derivatives of some rows by the time, coordinates and velocities that vanish where the component
    /// meets others.
    fn minors_of(&self, rows: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
        let system = &self.p.system;
        let unknowns = [&[system.t], system.q.as_slice(), &system.v].concat();
        let slopes = |rows: &[Ex<'g>]| {
            let used = unknowns
                .iter()
                .filter(|x| rows.iter().any(|row| row.depends_on(**x)));
            Matrix::jacobian(system.graph, rows, &used.copied().collect::<Vec<_>>())
        };
        let of_it = slopes(&self.equations.all());
        let codimension = rank_on(&self.equations.locus(self.p), &of_it)?.rank;
        minors(&slopes(rows), codimension)
    }
}

fn rank_on<'g>(locus: &Locus<'g>, matrix: &Matrix<'g>) -> Option<GenericRank> {
    let order: Vec<usize> = (0..matrix.columns()).collect();
    generic_rank(locus, matrix, &order)
}

/// Whether equations whose derivatives have this rank are as many conditions: those of `x^2 + y^2 = 0` in real numbers, and
/// of `x^2 = 0`, are more. Independent ones say all of them.
fn are_reduced<'g>(p: &Prepared<'g>, all: &Equations<'g>, rank: &GenericRank) -> bool {
    let (chosen, rest): (Vec<usize>, Vec<usize>) =
        (0..all.moving.len()).partition(|index| rank.rows.contains(index));
    let of_moving = |places: &[usize]| places.iter().map(|i| all.moving[*i]).collect();
    let of_still = |places: &[usize]| {
        let of_rates = places.iter().filter(|i| **i < all.still.len());
        of_rates.map(|i| all.still[*i]).collect::<Conditions<'g>>()
    };
    let part = Equations {
        still: of_still(&chosen),
        moving: of_moving(&chosen),
    };
    let rest = [of_still(&rest), of_moving(&rest)].concat();
    rest.is_empty() || tally_on(&part.locus(p), &rest, POINTS).1 > 0
}
