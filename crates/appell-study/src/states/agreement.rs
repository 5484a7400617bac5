//! Whether rows that depend on others at a state follow from them, or agree with them at some states only.

use crate::states::charts::is_in_velocities;
use crate::states::ranks::{parameters_in_force, set_position_rank};
use crate::states::real_rows::{Signs, real_row};
use crate::states::touching::dependent_positions;
use crate::values::found::Agreement;
use crate::values::measurement::Table;
use crate::values::prepared::Prepared;
use crate::values::scattered::{are_within, moved, scattered};
use appell_expr::{Ex, Finding, Locus, generic_rank, tally_on, vanish_on};
use appell_flow::backend::INTERP;
use appell_flow::method::DOP853;
use appell_flow::{Control, Options, Outcome, integrate, linear};
use appell_mech::{ConstraintRow, RowStatus, is_affine, put_on_positions};
use std::sync::Arc;

/// Random points at which a row is held against the others.
const POINTS: usize = 48;
/// States close by at which it is, and how far away.
const STATES: u32 = 4;
const STEP: f64 = 0.1;
/// Parts of it, where a step may lead to another component.
const CLOSER: [f64; 3] = [1.0, 0.2, 0.04];
/// So many steps away a state is no longer close by.
const FEW: f64 = 10.0;
/// How far motions are followed: a part of their time, or so long where that is not given, and so many steps.
const FOLLOWED: f64 = 0.1;
const TIME: f64 = 1.0;
const STEPS: usize = 400;

/// A time with coordinates and velocities.
pub(crate) type StateRef<'a> = (f64, &'a [f64], &'a [f64]);

/// Holds the rows that depend on others at a state, where the rank of `A` is known, against these.
pub(crate) fn agreement(
    p: &Prepared<'_>,
    place: StateRef<'_>,
    a: &Table,
    rank: usize,
) -> Agreement {
    let following = dependent_positions(p, place.0, place.1).following;
    let kept = independent(p, a, rank, &following);
    if let Some(known) = p.found.agreement.borrow().get(&kept) {
        return known.clone();
    }
    let found = Others::new(p, &kept).agreement(place);
    p.found.agreement.borrow_mut().insert(kept, found.clone());
    found
}

/// The same of some active rows against the `kept` ones where no state is at hand.
pub(crate) fn agreement_anywhere(p: &Prepared<'_>, kept: &[usize], rows: &[usize]) -> Agreement {
    match rows {
        [] => Agreement::Follow,
        _ => Others::new(p, kept).verdict(rows, None),
    }
}

/// The name of an active row.
pub(crate) fn name_of(p: &Prepared<'_>, index: usize) -> String {
    let mut active = p.constraints.active();
    active
        .nth(index)
        .map_or(String::new(), |row| row.name.clone())
}

/// As many independent rows as there are: of rows that depend on each other the holonomic ones, then those on velocities.
/// These keep what is said of accelerations, and not the other way round. Those that are known to follow come last.
fn independent(p: &Prepared<'_>, a: &Table, rank: usize, following: &[usize]) -> Vec<usize> {
    let active = p.constraints.active();
    let level = |row: &ConstraintRow<'_>| match (row.position, row.phi) {
        (Some(_), _) => 0,
        (None, Some(_)) => 1,
        (None, None) => 2,
    };
    let mut order: Vec<(i32, usize)> = active.map(level).zip(0..).collect();
    order.sort_unstable_by_key(|(level, row)| (following.contains(row), *level, *row));
    let (values, sizes) = (a.values(), a.sizes());
    let lines = |all: &[f64], rows: &[usize]| -> Vec<f64> {
        let line = |row: &usize| all[row * a.columns..(row + 1) * a.columns].to_vec();
        rows.iter().flat_map(line).collect()
    };
    let mut chosen: Vec<usize> = Vec::new();
    for (_, row) in order {
        let with = [&chosen[..], &[row]].concat();
        let (entries, beside) = (lines(&values, &with), lines(&sizes, &with));
        if chosen.len() < rank
            && linear::rank(with.len(), a.columns, &entries, &beside) == with.len()
        {
            chosen = with;
        }
    }
    chosen.sort_unstable();
    chosen
}

/// The rows that others are held against.
struct Others<'p, 'g> {
    p: &'p Prepared<'g>,
    kept: Vec<usize>,
    active: Vec<&'p ConstraintRow<'g>>,
    /// What they say of the place, and of the velocities, over the real numbers.
    positions: Vec<Ex<'g>>,
    velocities: Vec<Ex<'g>>,
    /// The states that satisfy them.
    locus: Locus<'g>,
}

impl<'p, 'g> Others<'p, 'g> {
    fn new(p: &'p Prepared<'g>, kept: &[usize]) -> Self {
        let all = &p.constraints.rows;
        let active: Vec<&ConstraintRow<'g>> = all.iter().filter(|row| row.is_active()).collect();
        let rows = || kept.iter().map(|index| active[*index]);
        let signs = Signs::new(p);
        let holds = |row: &&ConstraintRow<'g>| match row.status {
            RowStatus::Merged(twin) => {
                let index = all[twin].active_index();
                index.is_some_and(|index| kept.contains(&index))
            }
            _ => false,
        };
        let of_place = rows().chain(all.iter().filter(holds));
        let holonomic = of_place.filter_map(|row| row.position);
        let mut positions: Vec<Ex<'g>> = holonomic
            .flat_map(|row| said(row, signs.zeros(row, &p.system.q).rows))
            .collect();
        positions.extend(p.constraints.hidden.iter().map(|row| row.position));
        let phis = rows().filter_map(|row| row.phi);
        let velocities: Vec<Ex<'g>> = phis
            .flat_map(|row| said(row, real_row(p, row).rows))
            .collect();
        let mut locus = parameters_in_force(p);
        put_on_positions(&mut locus, positions.clone(), &p.system.q, &[]);
        locus.on(velocities.clone(), p.system.v.clone());
        Self {
            p,
            kept: kept.to_vec(),
            positions,
            velocities,
            locus,
            active,
        }
    }

    fn agreement(&self, place: StateRef<'_>) -> Agreement {
        let dependent = (0..self.active.len()).filter(|index| !self.kept.contains(index));
        let dependent: Vec<usize> = dependent.collect();
        self.verdict(&dependent, Some(place))
    }

    fn verdict(&self, rows: &[usize], place: Option<StateRef<'_>>) -> Agreement {
        let (mut apart, mut open) = (Vec::new(), Vec::new());
        for index in rows {
            match self.follows(*index, place) {
                Some(true) => {}
                Some(false) => apart.push(*index),
                None => open.push(*index),
            }
        }
        match (apart.is_empty(), open.is_empty()) {
            (true, true) => Agreement::Follow,
            (true, false) => Agreement::Open(open),
            (false, _) => {
                let order: Vec<usize> = (0..self.p.system.n()).collect();
                let found = generic_rank(&self.locus, &self.p.constraints.a, &order);
                Agreement::Apart(apart, found.map(|found| found.rank))
            }
        }
    }

    /// Whether a row holds wherever the others do; `None` where that is not known. Where it does on some of several
    /// components, the state is on one of these.
    fn follows(&self, index: usize, place: Option<StateRef<'_>>) -> Option<bool> {
        if self.active[index].phi.is_none() {
            return self.follows_in_accelerations(index);
        }
        if self.surely_follows(index) {
            return Some(true);
        }
        let rows = self.said_by(index);
        match tally_on(&self.locus, &rows, POINTS) {
            // With others of which it is not known whether they are met.
            (0, 1..) => place.map(|_| true),
            (0, 0) => None,
            (_, 1..) => self.holds_about(&rows, place?),
            _ if self.is_affine() => Some(false),
            // Complex points may lie where no real ones do.
            _ => self.leaves(&rows, place?).then_some(false),
        }
    }

    /// What an active row says of the place and of the velocities.
    fn said_by(&self, index: usize) -> Vec<Ex<'g>> {
        let row = self.active[index];
        let all = self.p.constraints.rows.iter();
        let merged = all.filter(|other| {
            matches!(other.status, RowStatus::Merged(twin)
                if self.p.constraints.rows[twin].active_index() == Some(index))
        });
        let positions = merged.filter_map(|row| row.position).chain(row.position);
        positions.chain(row.phi).collect()
    }

    /// Whether a row is proved to hold wherever the others do.
    fn surely_follows(&self, index: usize) -> bool {
        match self.active[index].phi {
            Some(_) => matches!(
                vanish_on(&self.locus, &self.said_by(index)),
                Finding::Holds(_)
            ),
            None => self.follows_in_accelerations(index) == Some(true),
        }
    }

    /// The same of a row on accelerations: whether the rows have accelerations at almost all states.
    fn follows_in_accelerations(&self, index: usize) -> Option<bool> {
        let constraints = &self.p.constraints;
        let rows = [&self.kept[..], &[index]].concat();
        let all: Vec<usize> = (0..=self.p.system.n()).collect();
        let both = constraints.a.beside(&constraints.b).select_rows(&rows);
        let found = generic_rank(&self.locus, &both, &all)?;
        Some(found.rank == self.kept.len())
    }

    /// Whether the others hold at some velocities of any place, so that real states are everywhere among theirs.
    fn is_affine(&self) -> bool {
        let affine = |row: &Ex<'g>| is_affine(&self.p.system, *row);
        self.positions.is_empty() && self.velocities.iter().all(affine)
    }

    /// Whether real states of the others close by do not satisfy some rows.
    fn leaves(&self, rows: &[Ex<'g>], place: StateRef<'_>) -> bool {
        self.missed_about(rows, place, STEP).any(|missed| missed)
    }

    /// Whether the states of the others about a state satisfy some rows, where these hold on some of several components;
    /// `None` where none is found.
    fn holds_about(&self, rows: &[Ex<'g>], place: StateRef<'_>) -> Option<bool> {
        let at = |part: &f64| {
            let found = self.missed_about(rows, place, part * STEP);
            found
                .map(|missed| !missed)
                .reduce(|all, holds| all && holds)
        };
        CLOSER
            .iter()
            .filter_map(at)
            .reduce(|any, holds| any || holds)
    }

    /// Of states of the others, at most a few such steps away: whether each misses some rows.
    fn missed_about(
        &self,
        rows: &[Ex<'g>],
        (t, q, v): StateRef<'_>,
        step: f64,
    ) -> impl Iterator<Item = bool> {
        let (p, system) = (self.p, &self.p.system);
        let places = p.rows(&self.positions, &[], &system.q);
        let moving = p.rows(&self.velocities, &system.q, &system.v);
        let compiled = p.rows(rows, &system.q, &system.v);
        (0..STATES).filter_map(move |sample| {
            let t = t + step * scattered(577 + sample);
            let is_close = |x: &[f64], found: &[f64]| are_within(x, found, FEW * step);
            let found = places.root(t, &[], &moved(q, step, 97 * sample + 29));
            let found = found.filter(|found| is_close(q, found));
            let q = found.filter(|q| places.are_held(t, &[], q))?;
            let found = moving.root(t, &q, &moved(v, step, 97 * sample + 61))?;
            let v = Some(found).filter(|found| is_close(v, found))?;
            compiled.misses(&moving, t, &q, &v)
        })
    }
}

/// What a row says over the real numbers, or itself where that is nothing.
fn said<'g>(row: Ex<'g>, real: Vec<Ex<'g>>) -> Vec<Ex<'g>> {
    match real.is_empty() {
        true => vec![row],
        false => real,
    }
}

/// Where the motion from a state misses a row: the time, the row and the part of its terms. It is followed only a short
/// way.
pub(crate) fn first_missed(
    p: &Prepared<'_>,
    (t, q, v): StateRef<'_>,
    rank: usize,
) -> Option<(f64, String, f64)> {
    let equations = p.forms().find(|form| is_in_velocities(form))?;
    let fields = equations.fields(&p.system, &p.constraints, &INTERP).ok()?;
    let names = equations.input_names();
    let mut motion = fields.motion(&equations, &p.system, &p.constraints, &names, Some(rank));
    set_position_rank(p, &mut motion, Some(rank));
    motion.stops.clear();
    let until = p.model.simulate.until.map(|x| p.constant(x));
    let time = until.map_or(TIME, |until| until - t);
    let options = Options {
        until: t + FOLLOWED * time,
        max_steps: STEPS,
        monitored: false,
        drive: p.parameters.drive().map(Arc::clone),
        ..Options::default()
    };
    let mut y = [q, v].concat();
    y.resize(y.len() + equations.ledger.len(), 0.0);
    let found = integrate(&motion, &DOP853, t, &y, &options, &mut Control::default());
    match found.outcome {
        Outcome::RowMissed { at, row, part } => Some((at.t, row, part)),
        _ => None,
    }
}
