//! States on the constraints that refute: each an enclosure with an exact state in it, so that what
//! differs there differs for sure.
//!
//! What prime fields proved is held against the start and a few states found from random velocities and signs;
//! what they did not prove is sought a counterexample for, at more states. Where an enclosure
//! does not exclude 0 the precision doubles, up to a budget.

use super::constraint_set::ConstraintSet;
use super::question_batch::{Domain, QuestionId};
use super::regular::{is_lost, is_off};
use super::{Parameters, Verdict, Witness};
use crate::states::corners::corners_of;
use crate::states::nearest::{nearest_on_constraints, parameters_of};
use crate::states::scattered_states::{scattered_constrained_state, scattered_state};
use crate::states::start::start;
use crate::states::status::{Status, judge};
use crate::values::prepared::Prepared;
use crate::values::scattered::scattered;
use appell_expr::{
    Approach, Ball, Balls, Enclosed, Ex, Id, Locus, Program, Question, Rational, Relation,
};
use appell_expr::{NoValue, Results};
use appell_mech::Metric;
use appell_model::ClaimKind;
use std::collections::BTreeMap;

/// Digits of a witness.
const DIGITS: u32 = 20;
/// The first precision in bits, and the last to which it is doubled.
const BITS: [u64; 2] = [256, 4096];
/// States that are tried for a witness.
const STATES: u32 = 36;
/// States that are tried with more bits than at first.
const CLOSER: usize = 3;
/// Products of balls that may be spent on holding proofs against states, on finding
/// witnesses, and on more bits.
const CONFIRMING: u64 = 400_000;
const REFUTING: u64 = 6_000_000;
const DOUBLING: u64 = 3_000_000;
/// How far beyond an edge a state is sought, in turn, at how many guesses, and what may be spent on one question.
const MARGINS: [&str; 5] = ["1", "1e-2", "1e-4", "1e-7", "1e-10"];
const AIMED: usize = 4;
const AIMING: u64 = 600_000;
/// Agreement to within `10^POOR` says little.
const POOR: i64 = -20;
/// At how many states, at least and at most, what was proved is looked at.
const CONFIRMATIONS: [u64; 2] = [2, 10];

/// Which locus a state is sought on: the start's, the constraints', or one with more equations.
type LocusIndex = usize;
const OF_START: LocusIndex = 0;
const OF_CONSTRAINTS: LocusIndex = 1;

/// Where Newton's method begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Guess {
    /// The state that a run starts from.
    Start,
    /// Its coordinates with random velocities.
    Velocities(u32),
    /// Its coordinates with its velocities' sizes and random signs.
    Signs(u32),
    /// A state near it.
    Near(u32),
    /// The state on the constraints nearest to a random one.
    SampleState(u32),
    /// The same with large coordinates: a claim may fail only where an angle has turned or a length is
    /// beyond a number in it.
    Far(u32),
}

type Spot = (LocusIndex, Guess);

/// The results of a program at a state.
struct Evaluated {
    values: Vec<Ball>,
    dependent: bool,
}

/// What is known at one precision.
struct Level {
    balls: Balls,
    states: BTreeMap<Spot, Option<Enclosed>>,
    values: BTreeMap<(Spot, usize), Option<Evaluated>>,
}

/// What the two sides of a question are at a state.
enum Sides {
    /// They differ, in this component.
    Differ(Box<Witness>, bool),
    /// They differ where no motion is known to pass.
    Apart,
    /// Their difference holds 0 and is not above `10^k`; `None` for exactly 0.
    Agree(Option<i64>),
    /// No state, no value there, or not in the domain.
    Nothing,
}

/// Something asked: the question and where it is to hold.
#[derive(Clone, Copy)]
pub(super) struct Query<'q> {
    pub question: &'q Question,
    pub domain: Option<&'q Domain>,
    /// What has a value where the rules give the derivatives.
    pub corners: Option<&'q Results>,
    /// The least and the largest rank of states that may refute: elsewhere what is asked does not apply.
    pub ranks: [usize; 2],
    /// What has to have a value, and what must not differ from 0, at states that may refute.
    pub chart: Option<&'q Results>,
    pub motion: Option<&'q Results>,
    /// What has to have a value: what of the model has none everywhere.
    pub defined: Option<&'q Results>,
    /// Whether it holds at some random points.
    pub partly: bool,
    /// Whether states that a claim calls singular do not refute it.
    pub regular: bool,
    /// Whether it speaks of accelerations, which singular states do not determine.
    pub of_motions: bool,
    /// Whether it is a claim of the file: neither an identity nor a comparison of formalisms.
    pub of_claim: bool,
}

/// How well both sides of a question agree where they were compared.
#[derive(Default)]
pub(super) struct Evidence {
    compared: usize,
    within: Option<i64>,
}

/// States on the constraints of a model, found as they are asked for.
pub(super) struct Witnesses<'i, 'p, 'g> {
    p: &'p Prepared<'g>,
    set: &'p ConstraintSet<'g>,
    programs: &'i [Program],
    places: Vec<Option<Approach>>,
    /// Places with the equations of these domains.
    on_domains: Vec<(Vec<Id>, LocusIndex)>,
    levels: BTreeMap<u64, Level>,
    /// At which states a motion is known to pass, or to have one acceleration, as far as they were judged.
    judged: BTreeMap<(Spot, bool), bool>,
    /// Whether rows have no derivative at some states.
    turns: bool,
    /// About how many products of balls have been spent.
    spent: u64,
}

impl<'i, 'p, 'g> Witnesses<'i, 'p, 'g> {
    pub fn new(p: &'p Prepared<'g>, set: &'p ConstraintSet<'g>, programs: &'i [Program]) -> Self {
        let mut found = Self {
            p,
            set,
            programs,
            places: Vec::new(),
            on_domains: Vec::new(),
            levels: BTreeMap::new(),
            judged: BTreeMap::new(),
            turns: !corners_of(p).is_empty(),
            spent: 0,
        };
        found.add_place(&set.start_locus(p));
        found.add_place(&set.locus(Parameters::Values));
        for claim in &p.model.claims {
            let ClaimKind::SingularAt(conditions) = &claim.kind else {
                continue;
            };
            let equations = conditions.iter().filter(|c| c.relation == Relation::Equal);
            let equations: Vec<Id> = equations.map(|c| c.difference).collect();
            if equations.len() == conditions.len() {
                found.add_place(&set.locus_on(p.system.graph, &equations));
            }
        }
        found
    }

    fn add_place(&mut self, locus: &Locus<'g>) -> LocusIndex {
        self.places.push(locus.approach().ok());
        self.places.len() - 1
    }

    /// Holds what was proved against the start and other states: what they contradict is refuted.
    pub fn confirm(&mut self, verdicts: &mut [Option<Verdict>], queries: &[Query<'_>]) {
        let proved: Vec<QuestionId> = (0..verdicts.len())
            .filter(|asked| verdicts[*asked].as_ref().is_some_and(Verdict::is_proved))
            .collect();
        let work = self.work(proved.iter().map(|asked| queries[*asked].question));
        if proved.is_empty() {
            return;
        }
        if work > REFUTING {
            for asked in proved {
                verdicts[asked] = verdicts[asked].take().map(Verdict::held_against_no_state);
            }
            return;
        }
        let [least, most] = CONFIRMATIONS;
        let count = match CONFIRMING / work {
            _ if work > 2 * CONFIRMING => 1,
            count => usize::try_from(count.clamp(least, most)).unwrap_or(1),
        };
        let singular = (OF_CONSTRAINTS + 1..self.places.len()).map(|place| (place, Guess::Near(1)));
        let is_cheap = work.saturating_mul(4) < CONFIRMING;
        let spots = spots(OF_CONSTRAINTS).take(count);
        let spots: Vec<Spot> = spots.chain(singular.filter(|_| is_cheap)).collect();
        let of_claims = proved.iter().any(|asked| queries[*asked].of_claim);
        let dependent_start = of_claims.then(|| self.dependent_rank_of_start()).flatten();
        for asked in proved {
            if let Some(query) = dependent_start.and_then(|rank| below(queries[asked], rank)) {
                let verdict = verdicts[asked].take();
                verdicts[asked] = verdict.map(|verdict| self.held_against_start(verdict, query));
            }
            if !verdicts[asked].as_ref().is_some_and(Verdict::is_proved) {
                continue;
            }
            if self.is_silent_at_start(queries[asked]) {
                verdicts[asked] = verdicts[asked].take().map(Verdict::silent_at_start);
            }
            for spot in self.spots(queries[asked].domain, &spots) {
                if queries[asked].regular && spot.0 > OF_CONSTRAINTS {
                    continue;
                }
                let sides = self.sides(queries[asked], spot, BITS[0]);
                if let Sides::Differ(witness, dependent) = sides {
                    let why = contradiction(verdicts[asked].as_ref(), spot);
                    verdicts[asked] = Some(refuted(*witness, dependent, Some(why)));
                    break;
                }
                if matches!(sides, Sides::Apart) && spot == (OF_START, Guess::Start) {
                    let why = "it holds at random states, but not at the start, where the rows lose their rank";
                    verdicts[asked] = Some(Verdict::Undecided {
                        why: why.to_owned(),
                    });
                    break;
                }
            }
        }
    }

    /// The rank of the rows at the start, where some depend on others there though they determine a motion.
    fn dependent_rank_of_start(&mut self) -> Option<usize> {
        let start = start(self.p).ok()?;
        let judged = judge(self.p, start.t, &start.q, &start.v, start.z.as_deref());
        self.find_state((OF_START, Guess::Start), BITS[0]);
        (judged.status == Status::Redundant).then_some(judged.rank.a)?
    }

    /// The verdict on a claim that was proved where more rows are independent than at the start, as on `x' y' = 0`,
    /// `x' z' = 0` where `x' = 0`.
    fn held_against_start(&mut self, proved: Verdict, query: Query<'_>) -> Verdict {
        match self.sides(query, (OF_START, Guess::Start), BITS[0]) {
            Sides::Differ(witness, dependent) => {
                let why = contradiction(Some(&proved), (OF_START, Guess::Start));
                refuted(*witness, dependent, Some(why))
            }
            Sides::Agree(_) => proved,
            Sides::Apart | Sides::Nothing => Verdict::undecided(
                "it holds where more rows are independent than at the start, which lies on another component",
            ),
        }
    }

    /// Whether a claim has no value at the start, though the model has.
    fn is_silent_at_start(&mut self, query: Query<'_>) -> bool {
        let spot = (OF_START, Guess::Start);
        let of_claim =
            query.chart.is_none() && query.domain.is_none() && query.question.right.is_none();
        self.find_state(spot, BITS[0]);
        let level = self.levels.get(&BITS[0]);
        let known = level.and_then(|level| level.states.get(&spot)?.as_ref());
        of_claim && known.is_some() && self.results(&query.question.left, spot, BITS[0]).is_none()
    }

    /// A state where the sides differ, or how well they agree.
    pub fn find(&mut self, query: Query<'_>) -> Result<Verdict, Evidence> {
        let all: Vec<Spot> = spots(OF_CONSTRAINTS).collect();
        let limit = self.spent.max(REFUTING).saturating_add(REFUTING / 16);
        let mut evidence = Evidence::default();
        for spot in self.spots(query.domain, &all) {
            // Once the budget is spent, every question still has a little of its own.
            if self.spent > REFUTING && evidence.compared > 1 || self.spent > limit {
                break;
            }
            match self.sides(query, spot, BITS[0]) {
                Sides::Differ(witness, dependent) => {
                    let why = query.partly.then(|| contradiction(None, spot));
                    return Ok(refuted(*witness, dependent, why));
                }
                Sides::Agree(within) => evidence.note(within),
                Sides::Apart | Sides::Nothing => {}
            }
        }
        Err(evidence)
    }

    /// A state where the sides differ among those at which all expressions of a list are a small positive number.
    pub fn find_aimed(
        &mut self,
        query: Query<'_>,
        aims: &[Vec<Ex<'g>>],
        evidence: &mut Evidence,
    ) -> Option<Verdict> {
        let graph = self.p.system.graph;
        let equations = query.domain.map_or(&[][..], |domain| &domain.equations);
        let limit = self.spent.saturating_add(AIMING);
        let guesses: Vec<Guess> = spots(OF_CONSTRAINTS)
            .map(|spot| spot.1)
            .take(AIMED)
            .collect();
        for (aim, margin) in aims
            .iter()
            .flat_map(|aim| MARGINS.map(|margin| (aim, margin)))
        {
            let margin = graph.number(Rational::from_decimal(margin)?);
            let gaps = aim.iter().map(|gap| (*gap - margin).id());
            let equations: Vec<Id> = equations.iter().copied().chain(gaps).collect();
            let place = self.place_on(&equations);
            let made = self.places[place].as_ref().map_or(0, Approach::work);
            self.spent = self.spent.saturating_add(made);
            for guess in &guesses {
                if self.spent > limit {
                    return None;
                }
                match self.sides(query, (place, *guess), BITS[0]) {
                    Sides::Differ(witness, dependent) => {
                        return Some(refuted(*witness, dependent, None));
                    }
                    Sides::Agree(within) => evidence.note(within),
                    Sides::Apart | Sides::Nothing => {}
                }
            }
        }
        None
    }

    /// As [`Witnesses::find`] with more and more bits at a few states.
    pub fn find_closer(&mut self, query: Query<'_>, evidence: &mut Evidence) -> Option<Verdict> {
        let all: Vec<Spot> = spots(OF_CONSTRAINTS).take(2 * CLOSER).collect();
        let spots = self.spots(query.domain, &all);
        let (mut left, mut bits) = (DOUBLING, 2 * BITS[0]);
        while bits <= BITS[1] {
            // Products of twice the length cost about three times as much.
            let longer = bits / BITS[0];
            let work = self
                .work([query.question])
                .saturating_mul(longer * longer.isqrt());
            let mut compared = Evidence::default();
            for spot in &spots {
                if left < work || compared.compared == CLOSER {
                    break;
                }
                left -= work;
                match self.sides(query, *spot, bits) {
                    Sides::Differ(witness, dependent) => {
                        return Some(refuted(*witness, dependent, None));
                    }
                    Sides::Agree(within) => compared.note(within),
                    Sides::Apart | Sides::Nothing => {}
                }
            }
            if compared.compared > 0 && evidence.is_poor() {
                *evidence = compared;
            }
            bits *= 2;
        }
        None
    }

    /// About how many products a state with the programs of these questions costs.
    fn work<'q>(&self, questions: impl IntoIterator<Item = &'q Question>) -> u64 {
        let results = questions
            .into_iter()
            .flat_map(|question| [Some(&question.left), question.right.as_ref()]);
        let mut programs: Vec<usize> = results.flatten().map(|results| results.program).collect();
        programs.sort_unstable();
        programs.dedup();
        let approach = self.places[OF_CONSTRAINTS].as_ref();
        let of_programs = programs.iter().map(|i| Balls::work(&self.programs[*i]));
        approach.map_or(0, Approach::work) + of_programs.sum::<u64>() + 1
    }

    /// These states, or such that satisfy the equations of a domain.
    fn spots(&mut self, domain: Option<&Domain>, spots: &[Spot]) -> Vec<Spot> {
        let equations = domain.map_or(&[][..], |domain| &domain.equations);
        if equations.is_empty() {
            return spots.to_vec();
        }
        let place = self.place_on(equations);
        spots.iter().map(|(_, guess)| (place, *guess)).collect()
    }

    /// The states on the constraints that satisfy these equations too.
    fn place_on(&mut self, equations: &[Id]) -> LocusIndex {
        let known = self.on_domains.iter().find(|(known, _)| known == equations);
        if let Some((_, place)) = known {
            return *place;
        }
        let place = self.add_place(&self.set.locus_on(self.p.system.graph, equations));
        self.on_domains.push((equations.to_vec(), place));
        place
    }

    /// Both sides of a question at a state, with so many bits.
    fn sides(&mut self, query: Query<'_>, spot: Spot, bits: u64) -> Sides {
        self.compared(query, spot, bits).unwrap_or(Sides::Nothing)
    }

    fn compared(&mut self, query: Query<'_>, spot: Spot, bits: u64) -> Option<Sides> {
        let Query {
            question,
            domain,
            corners,
            ranks,
            chart,
            motion,
            defined,
            ..
        } = query;
        self.find_state(spot, bits);
        let state = self.levels.get(&bits)?.states.get(&spot)?.as_ref()?;
        if spot.0 <= OF_CONSTRAINTS && !(ranks[0]..=ranks[1]).contains(&state.rank) {
            return None;
        }
        for needed in chart.into_iter().chain(defined).chain(corners) {
            self.results(needed, spot, bits)?;
        }
        if let Some(motion) = motion {
            let (missed, _) = self.results(motion, spot, bits)?;
            if missed.iter().any(Ball::excludes_zero) {
                return None;
            }
        }
        if let Some(domain) = domain {
            let (gaps, _) = self.results(&domain.results, spot, bits)?;
            let mut holds = gaps.iter().zip(&domain.relations);
            if !holds.all(|(gap, relation)| certainly(gap, *relation)) {
                return None;
            }
        }
        let (left, mut dependent) = self.results(&question.left, spot, bits)?;
        let right = match &question.right {
            None => vec![Ball::zero(); left.len()],
            Some(right) => {
                let (right, other) = self.results(right, spot, bits)?;
                dependent |= other;
                right
            }
        };
        let mut within = None;
        for (component, (a, b)) in left.iter().zip(&right).enumerate() {
            let gap = a.minus(b, bits);
            if gap.excludes_zero() {
                if !self.has_motion((spot, query.of_motions), bits) {
                    return Some(Sides::Apart);
                }
                let component = (left.len() > 1).then_some(component + 1);
                let (witness, of_state) = self.shown(spot, bits, [a, b], component)?;
                return Some(Sides::Differ(Box::new(witness), dependent || of_state));
            }
            within = within.max(gap.below());
        }
        Some(Sides::Agree(within))
    }

    /// Whether a motion passes through a state, as far as is known: not where the rows lose rank, or no finite
    /// acceleration satisfies them. Rows say nothing there of what follows, and of velocities all that satisfy them
    /// though no motion has them: `x x' = 0` at `x = 0`.
    fn has_motion(&mut self, (spot, of_motions): (Spot, bool), bits: u64) -> bool {
        if let Some(known) = self.judged.get(&(spot, of_motions)) {
            return *known;
        }
        let known = self.levels.get(&bits);
        let state = known.and_then(|level| level.states.get(&spot)?.as_ref());
        let rows = self.set.velocity_rows.len();
        let turns = of_motions && self.turns;
        let has_masses = self.p.system.metric != Metric::Singular;
        let is_regular = |state: &Enclosed| {
            let independent = spot.0 <= OF_CONSTRAINTS && state.rank == rows;
            independent && !self.set.is_parametrised() && !turns && has_masses
        };
        let lost = state.is_some_and(|state| {
            let regular = is_regular(state);
            if regular && !self.set.has_other_rows() {
                return false;
            }
            let (t, q, v) = self.set.state(&state.point);
            let numbers = |x: &[Ball]| x.iter().map(Ball::to_f64).collect::<Vec<f64>>();
            let judged = judge(self.p, t.to_f64(), &numbers(q), &numbers(v), None);
            let lost = || is_lost(self.p, &judged);
            let singular = of_motions && judged.status == Status::Singular;
            is_off(&judged) || !regular && (lost() || singular)
        });
        self.judged.insert((spot, of_motions), !lost);
        !lost
    }

    fn shown(
        &self,
        spot: Spot,
        bits: u64,
        values: [&Ball; 2],
        component: Option<usize>,
    ) -> Option<(Witness, bool)> {
        let state = self.levels.get(&bits)?.states.get(&spot)?.as_ref()?;
        let text = |x: &Ball| x.decimal(DIGITS);
        let (t, q, v) = self.set.state(&state.point);
        let witness = Witness {
            t: text(t),
            q: q.iter().map(text).collect(),
            v: v.iter().map(text).collect(),
            inputs: self.inputs(&state.point, text),
            values: [told(values[0], values[1]), told(values[1], values[0])],
            component,
        };
        Some((witness, state.dependent))
    }

    /// The inputs at a point, by name.
    fn inputs(&self, point: &[Ball], text: impl Fn(&Ball) -> String) -> BTreeMap<String, String> {
        let parameters = self.p.model.parameters.iter();
        let values = parameters.zip(self.set.parameters(point));
        let inputs = values.filter(|(parameter, _)| parameter.is_input);
        inputs
            .map(|(parameter, x)| (parameter.name.clone(), text(x)))
            .collect()
    }

    /// Some results of a program at a state, and whether a matrix with dependent rows was met.
    fn results(&mut self, results: &Results, spot: Spot, bits: u64) -> Option<(Vec<Ball>, bool)> {
        let key = (spot, results.program);
        if !self.level(bits).values.contains_key(&key) {
            self.find_state(spot, bits);
            let program = &self.programs[results.program];
            let level = self.levels.get_mut(&bits)?;
            let state = level.states.get(&spot).and_then(Option::as_ref);
            if state.is_some() {
                self.spent += longer(Balls::work(program), bits);
            }
            let evaluated = state.and_then(|state| {
                level.balls.took_dependent_rows();
                let values = level.balls.run(program, &state.point).ok()?;
                let dependent = level.balls.took_dependent_rows();
                Some(Evaluated { values, dependent })
            });
            level.values.insert(key, evaluated);
        }
        let evaluated = self.levels.get(&bits)?.values.get(&key)?.as_ref()?;
        let values = evaluated.values.get(results.range.clone())?.to_vec();
        Some((values, evaluated.dependent))
    }

    fn level(&mut self, bits: u64) -> &mut Level {
        self.levels.entry(bits).or_insert_with(|| Level {
            balls: Balls::new(bits),
            states: BTreeMap::new(),
            values: BTreeMap::new(),
        })
    }

    fn find_state(&mut self, spot: Spot, bits: u64) {
        if self.level(bits).states.contains_key(&spot) {
            return;
        }
        let work = self.places[spot.0].as_ref().map_or(0, Approach::work);
        if work > REFUTING {
            self.level(bits).states.insert(spot, None);
            return;
        }
        self.spent += longer(work, bits);
        let near = |place: LocusIndex, guess: Option<Vec<Rational>>, balls: &mut Balls| {
            let approach = self.places[place].as_ref().ok_or(NoValue::Undefined)?;
            approach.near(&guess.ok_or(NoValue::Undefined)?, balls)
        };
        let mut balls = Balls::new(bits);
        let mut found = near(spot.0, self.guess(spot.1), &mut balls);
        if spot.0 == OF_START {
            let on_constraints = self.places[OF_CONSTRAINTS].as_ref();
            let exact = |found: Enclosed| on_constraints?.from(found.point, &mut balls).ok();
            let moved = found.ok().and_then(exact).ok_or(NoValue::Undefined);
            // A start that had to be moved on to the constraints satisfies not all that was given.
            found = moved.or_else(|_| near(OF_CONSTRAINTS, self.guess(spot.1), &mut balls));
        }
        self.level(bits).states.insert(spot, found.ok());
    }

    /// Values of the set's symbols near which a state is sought.
    fn guess(&self, guess: Guess) -> Option<Vec<Rational>> {
        let (t, q, v) = match guess {
            Guess::SampleState(sample) => scattered_constrained_state(self.p, sample)?,
            Guess::Far(sample) => far_state(self.p, sample)?,
            _ => {
                let start = start(self.p).ok()?;
                near_start(guess, start.t, start.q, start.v)
            }
        };
        let z = match (self.set.is_parametrised(), guess) {
            (false, _) => Vec::new(),
            (true, Guess::Start) => start(self.p).ok()?.z?,
            (true, _) => {
                let parametric = self.p.constraints.parametric.as_ref();
                let m = parametric.map_or(0, |parametric| parametric.z.len());
                let near = parameters_of(self.p, t, &q, &v, None);
                near.unwrap_or_else(|| (guess.number()..).take(m).map(scattered).collect())
            }
        };
        let mut values: Vec<f64> = [&[t], q.as_slice(), v.as_slice()].concat();
        values.extend(self.parameters(guess));
        values.extend(z);
        values.resize(self.set.symbols.len(), 0.0);
        let exact = |x: f64| match guess {
            Guess::Start => Rational::from_decimal(&format!("{x:e}")),
            _ => short(x),
        };
        values.into_iter().map(exact).collect()
    }

    /// The parameters' values. Inputs are random but at the start: what is asked is to hold for any of them.
    fn parameters(&self, guess: Guess) -> impl Iterator<Item = f64> {
        let pairs = self.p.model.parameters.iter().zip(&self.p.parameters);
        (1..).zip(pairs).map(move |(i, (parameter, value))| {
            match parameter.is_input && guess != Guess::Start {
                true => value + unit(*value) * scattered(53 * guess.number() + i),
                false => *value,
            }
        })
    }
}

/// The question about a claim for states of this rank, if it was not asked for such.
fn below(query: Query<'_>, rank: usize) -> Option<Query<'_>> {
    let asked = query.of_claim && rank < query.ranks[0];
    asked.then_some(Query {
        ranks: [rank, query.ranks[1]],
        ..query
    })
}

/// Work with so many bits: products of twice the length cost about three times as much.
fn longer(work: u64, bits: u64) -> u64 {
    let times = bits / BITS[0];
    work.saturating_mul(times.saturating_mul(times.isqrt()))
}

/// The start, then states of all kinds in turn.
fn spots(place: LocusIndex) -> impl Iterator<Item = Spot> {
    let others = (1..=STATES / 4).flat_map(|i| {
        [
            Guess::Velocities(i),
            Guess::SampleState(2 * i - 1),
            Guess::Signs(i),
            Guess::Near(2 * i),
            Guess::Far(i),
        ]
    });
    let others = others.map(move |guess| (place, guess));
    [(OF_START, Guess::Start)].into_iter().chain(others)
}

impl Guess {
    fn number(self) -> u32 {
        match self {
            Self::Start => 0,
            Self::Velocities(i)
            | Self::Signs(i)
            | Self::Near(i)
            | Self::SampleState(i)
            | Self::Far(i) => i,
        }
    }
}

/// A time, coordinates and velocities about the start's.
fn near_start(guess: Guess, t: f64, q: Vec<f64>, v: Vec<f64>) -> (f64, Vec<f64>, Vec<f64>) {
    let moved = |x: &[f64], sample: u32, from: u32| -> Vec<f64> {
        let by = |(x, i): (&f64, u32)| {
            x + 0.07 * f64::from(sample) * unit(*x) * scattered(97 * sample + i)
        };
        x.iter().zip(from..).map(by).collect()
    };
    match guess {
        Guess::Near(i) => (t + 0.05 * f64::from(i), moved(&q, i, 1), moved(&v, i, 40)),
        Guess::Velocities(i) => {
            let random = |(x, k): (&f64, u32)| unit(*x) * scattered(131 * i + k);
            let random = v.iter().zip(7..).map(random).collect();
            (t, q, random)
        }
        Guess::Signs(i) => {
            let sized = |(x, k): (&f64, u32)| {
                let size = if *x == 0.0 { 1.0 } else { x.abs() };
                size.copysign(scattered(61 * i + 5 * k))
            };
            let signs = v.iter().zip(3..).map(sized).collect();
            (t, q, signs)
        }
        Guess::Start | Guess::SampleState(_) | Guess::Far(_) => (t, q, v),
    }
}

/// How large coordinates are far away, in turn.
const FAR: [f64; 3] = [6.0, 60.0, 600.0];

/// A state on the constraints with large coordinates.
fn far_state(p: &Prepared<'_>, sample: u32) -> Option<(f64, Vec<f64>, Vec<f64>)> {
    let (t, q, v) = scattered_state(p, 700 + sample);
    let size = FAR[sample as usize % FAR.len()];
    let q: Vec<f64> = q.iter().map(|x| size * x).collect();
    let (q, v) = nearest_on_constraints(p, t, &q, &v)?;
    Some((t, q, v))
}

/// What counts as a small number beside `x`: 1, but for numbers of quite another size.
fn unit(x: f64) -> f64 {
    match x.abs() {
        size if size > 1e3 || (size < 1e-3 && size > 0.0) => size,
        _ => 1.0,
    }
}

/// The number rounded to four decimals, or as many digits, exactly.
fn short(x: f64) -> Option<Rational> {
    let text = if unit(x) == 1.0 {
        format!("{x:.4}")
    } else {
        format!("{x:.4e}")
    };
    Rational::from_decimal(&text)
}

/// Whether every number of the enclosure compares so with 0.
fn certainly(gap: &Ball, relation: Relation) -> bool {
    match relation {
        Relation::Less => gap.sign() == Some(-1),
        Relation::Greater => gap.sign() == Some(1),
        Relation::LessEqual => matches!(gap.sign(), Some(-1 | 0)),
        Relation::GreaterEqual => matches!(gap.sign(), Some(0 | 1)),
        // The state was found on these equations.
        Relation::Equal => !gap.excludes_zero(),
    }
}

/// How a proof and a state contradict each other.
fn contradiction(verdict: Option<&Verdict>, spot: Spot) -> String {
    let points = match verdict {
        Some(Verdict::Proved {
            points: Some(points),
            ..
        }) => format!("{points} random points"),
        _ => "random points".to_owned(),
    };
    let where_not = match spot.1 {
        Guess::Start => "the start",
        _ => "this state",
    };
    format!("it holds at {points}, not on the component of {where_not}")
}

/// A value beside another one: 0 where it is 0 to all digits that the other shows.
fn told(x: &Ball, other: &Ball) -> String {
    let shown = other.below().unwrap_or_default() - i64::from(DIGITS) - 2;
    match x.below() {
        Some(power) if !x.excludes_zero() && power < shown => "0".to_owned(),
        _ => x.decimal(DIGITS),
    }
}

fn refuted(witness: Witness, dependent: bool, why: Option<String>) -> Verdict {
    let dependent = dependent
        .then(|| "rows depend on others there, to all digits that were computed".to_owned());
    let why: Vec<String> = why.into_iter().chain(dependent).collect();
    Verdict::Refuted {
        witness: Some(witness),
        why: (!why.is_empty()).then(|| why.join("; ")),
    }
}

impl Evidence {
    fn note(&mut self, within: Option<i64>) {
        self.compared += 1;
        self.within = self.within.max(within);
    }

    /// In words, for what stays undecided.
    pub fn words(&self) -> String {
        let how = match self.within {
            Some(power) => format!("to within 1e{power}"),
            None => "exactly".to_owned(),
        };
        match self.compared {
            0 => "no state was found where it could be evaluated".to_owned(),
            1 => format!("both sides agree {how} at the one state that was tried"),
            count => format!("both sides agree {how} at {count} states"),
        }
    }

    /// Whether nothing was compared, or so that it says little.
    fn is_poor(&self) -> bool {
        self.compared == 0 || self.within.is_some_and(|power| power > POOR)
    }
}
