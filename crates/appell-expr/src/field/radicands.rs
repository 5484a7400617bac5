//! Free symbols drawn so that roots exist.
//!
//! At a random point r independent radicands are squares together with a chance of 2^-r only. Here the
//! symbols are drawn one group after the other, each anew until the radicands that are complete with
//! it are squares. Of the values of a group a share of `2^-k`, k the number of these radicands, makes them
//! squares but for `O(p^-1/2)`, by Weil's bound for sums of characters: every good point is as
//! likely as if whole points were drawn until one is good.

use super::arithmetic::Random;
use super::locus::results;
use super::prime::{InadmissibleDraw, PrimeField, RootId};
use crate::program::{Operation, Output, Program, Slot, Statement};
use rustc_hash::FxHashSet;
use std::cell::Cell;

/// With fewer radicands whole points are drawn.
const LEAST: usize = 5;
/// More radicands that are complete together are left to chance.
const MOST_TOGETHER: usize = 10;
/// A group is drawn at most so many times as often as is needed on average.
const TRIES: usize = 16;
/// After so many failures without a point, points are left to chance: roots of different questions need
/// not exist together.
const FAILURES: usize = 12;
/// The program that these roots are said to belong to.
pub(crate) const OF_POINTS: usize = usize::MAX;

/// Radicands that are polynomials or quotients in free symbols alone.
#[derive(Default)]
pub(crate) struct Radicands {
    programs: Vec<Program>,
    groups: Vec<Group>,
    /// Symbols with fixed values.
    fixed: Vec<(usize, Program)>,
    /// How often no point was found; none once one was.
    failures: Cell<Option<usize>>,
}

/// What symbols are before surfaces are met: drawn at random, or numbers.
pub(crate) struct Free {
    pub is_free: Vec<bool>,
    pub fixed: Vec<(usize, Program)>,
}

impl Free {
    fn is_fixed(&self, place: usize) -> bool {
        self.fixed.iter().any(|(fixed, _)| *fixed == place)
    }
}

/// Symbols that are drawn together, and the radicands that are complete with them.
struct Group {
    symbols: Vec<usize>,
    radicands: Vec<usize>,
}

/// One of them: its program, the symbols in it, and its value at a certain point, by which it is told
/// apart from others.
pub(crate) struct Radicand {
    part: Program,
    symbols: Vec<usize>,
    mark: u64,
}

/// Those of a program in the symbols that are free.
pub(crate) fn radicands_in(program: &Program, free: &Free) -> Vec<Radicand> {
    let mut images = Images::default();
    let known = |slot| {
        let part = sole(program, slot);
        let symbols = rational_in(&part, free)?;
        let mark = images.mark(&part, free.is_free.len())?;
        Some(Radicand {
            part,
            symbols,
            mark,
        })
    };
    radicands(program).into_iter().filter_map(known).collect()
}

/// The marks of all of these, in order.
pub(crate) fn marks<'r>(radicands: impl Iterator<Item = &'r Radicand>) -> Vec<u64> {
    let mut marks: Vec<u64> = radicands.map(|one| one.mark).collect();
    marks.sort_unstable();
    marks.dedup();
    marks
}

impl Radicands {
    /// These, unless they are few or too many at once.
    pub fn of<'r>(radicands: impl Iterator<Item = &'r Radicand>, free: &Free) -> Self {
        let mut known: FxHashSet<u64> = FxHashSet::default();
        let new = radicands.filter(|one| known.insert(one.mark));
        let (programs, symbols): (Vec<_>, Vec<_>) = new
            .map(|one| (one.part.clone(), one.symbols.clone()))
            .unzip();
        let groups = groups(&symbols);
        let together = groups.iter().map(|group| group.radicands.len()).max();
        match programs.len() >= LEAST && together <= Some(MOST_TOGETHER) {
            true => Self {
                programs,
                groups,
                fixed: free.fixed.clone(),
                failures: Cell::new(Some(0)),
            },
            false => Self::default(),
        }
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.programs.len()
    }

    /// Draws their symbols anew until all are squares; tells the field which they are, and which have
    /// been met as no squares, all before them being squares.
    pub fn settle(
        &self,
        field: &mut PrimeField,
        point: &mut [u64],
    ) -> Result<(), InadmissibleDraw> {
        if self.failures.get().is_some_and(|count| count > FAILURES) {
            return Ok(());
        }
        for (place, value) in &self.fixed {
            point[*place] = results(value, field, point)?[0];
        }
        for group in &self.groups {
            self.settle_group(group, field, point)?;
        }
        self.failures.set(None);
        let order = self.groups.iter().flat_map(|group| &group.radicands);
        for (place, index) in order.enumerate() {
            let value = results(&self.programs[*index], field, point)?[0];
            field.roots.name(value, (OF_POINTS, place));
        }
        Ok(())
    }

    fn settle_group(
        &self,
        group: &Group,
        field: &mut PrimeField,
        point: &mut [u64],
    ) -> Result<(), InadmissibleDraw> {
        let failures = self.failures.get();
        let before = self
            .groups
            .iter()
            .take_while(|other| !std::ptr::eq(*other, group));
        let first: usize = before.map(|group| group.radicands.len()).sum();
        for _ in 0..TRIES << group.radicands.len() {
            for place in &group.symbols {
                point[*place] = field.element();
            }
            match self.first_failure(group, field, point) {
                None => return Ok(()),
                Some(Some(place)) => {
                    let id: RootId = (OF_POINTS, first + place);
                    if !field.roots.no_squares.contains(&id) {
                        field.roots.no_squares.push(id);
                    }
                }
                Some(None) => {}
            }
        }
        self.failures.set(failures.map(|count| count + 1));
        Err(InadmissibleDraw)
    }

    /// The place in its group of the first radicand that is no square; without one where it is 0 or
    /// has a pole.
    fn first_failure(
        &self,
        group: &Group,
        field: &mut PrimeField,
        point: &[u64],
    ) -> Option<Option<usize>> {
        group
            .radicands
            .iter()
            .enumerate()
            .find_map(
                |(place, index)| match results(&self.programs[*index], field, point) {
                    Ok(values) if field.f.is_square(values[0]) => None,
                    Ok(values) if values[0] != 0 => Some(Some(place)),
                    _ => Some(None),
                },
            )
    }
}

/// Whose even roots a program takes.
fn radicands(program: &Program) -> Vec<Slot> {
    let mut found = Vec::new();
    for statement in &program.statements {
        let Statement::Let(_, Operation::Product(factors)) = statement else {
            continue;
        };
        let even = factors.iter().filter(|(_, e)| {
            let denominator = e.to_i64s().map(|(_, d)| d);
            denominator.is_some_and(|d| d % 2 == 0)
        });
        found.extend(even.map(|(slot, _)| *slot));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The program with one result, without what that does not need.
fn sole(program: &Program, slot: Slot) -> Program {
    let mut needed: FxHashSet<Slot> = [slot].into_iter().collect();
    let mut statements = Vec::new();
    for statement in program.statements.iter().rev() {
        let (targets, read) = match statement {
            Statement::Let(target, operation) => (*target..*target + 1, operation.arguments()),
            Statement::Solve(solve) => {
                let count = u32::try_from(solve.size * solve.columns).unwrap_or(0);
                let read = solve.matrix.iter().chain(&solve.right).copied();
                (solve.unknowns..solve.unknowns + count, read.collect())
            }
        };
        if targets.into_iter().any(|target| needed.contains(&target)) {
            needed.extend(read);
            statements.push(statement.clone());
        }
    }
    statements.reverse();
    Program {
        statements,
        outputs: vec![Output {
            name: String::new(),
            rows: 1,
            columns: 1,
            slots: vec![slot],
        }],
        ..program.clone()
    }
}

/// The symbols of a program of sums, products and whole powers in free symbols; `None` for others.
fn rational_in(part: &Program, free: &Free) -> Option<Vec<usize>> {
    let mut symbols: Vec<usize> = Vec::new();
    let defined: FxHashSet<Slot> = part
        .statements
        .iter()
        .filter_map(|statement| match statement {
            Statement::Let(slot, _) => Some(*slot),
            Statement::Solve(_) => None,
        })
        .collect();
    let read = part.outputs.iter().flat_map(|output| output.slots.clone());
    let mut read: Vec<Slot> = read.collect();
    for statement in &part.statements {
        match statement {
            Statement::Let(_, Operation::Product(factors)) => {
                if factors.iter().any(|(_, e)| !e.is_integer()) {
                    return None;
                }
                read.extend(factors.iter().map(|(slot, _)| *slot));
            }
            Statement::Let(_, operation @ (Operation::Number(_) | Operation::Sum(..))) => {
                read.extend(operation.arguments());
            }
            _ => return None,
        }
    }
    for slot in read.into_iter().filter(|slot| !defined.contains(slot)) {
        let place = usize::try_from(slot).ok()?;
        match free.is_free.get(place)? {
            true => symbols.push(place),
            false if free.is_fixed(place) => {}
            false => return None,
        }
    }
    symbols.sort_unstable();
    symbols.dedup();
    (!symbols.is_empty()).then_some(symbols)
}

/// The radicand with the fewest symbols that are not drawn yet is next, until all are complete.
fn groups(symbols: &[Vec<usize>]) -> Vec<Group> {
    let mut drawn: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..symbols.len()).collect();
    let mut groups = Vec::new();
    let missing = |of: &[usize], drawn: &[usize]| -> Vec<usize> {
        let missing = of.iter().filter(|symbol| !drawn.contains(symbol));
        missing.copied().collect()
    };
    while let Some(next) = left
        .iter()
        .min_by_key(|index| missing(&symbols[**index], &drawn).len())
    {
        let added = missing(&symbols[*next], &drawn);
        drawn.extend(&added);
        let (complete, others): (Vec<usize>, Vec<usize>) = left
            .iter()
            .partition(|index| missing(&symbols[**index], &drawn).is_empty());
        left = others;
        groups.push(Group {
            symbols: added,
            radicands: complete,
        });
    }
    groups
}

/// Tells radicands apart by their values at one point.
struct Images {
    field: PrimeField,
    point: Vec<u64>,
}

impl Default for Images {
    fn default() -> Self {
        Self {
            field: PrimeField::draw(&mut Random(0x6a09_e667_f3bc_c908), 4),
            point: Vec::new(),
        }
    }
}

impl Images {
    /// Its value; none for numbers that are squares in every field.
    fn mark(&mut self, part: &Program, count: usize) -> Option<u64> {
        while self.point.len() < count {
            let value = self.field.element();
            self.point.push(value);
        }
        let values = results(part, &mut self.field, &self.point).ok()?;
        Some(values[0]).filter(|value| *value > 1)
    }
}
