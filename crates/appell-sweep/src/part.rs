//! One part: its members' values, their motions, and what is kept of them.

use crate::columns::{Column, Data};
use crate::design::Design;
use crate::problem::Problem;
use crate::reduce::{Bends, Bound, Cell, Looks, Path, Planner, Section, Seen, between};
use appell_expr::elementary;
use appell_flow::ensemble::{Ending, Report};
use appell_flow::threads;
use appell_flow::{Control, ExitKind, Field, Workspace};
use appell_model::Model;
use appell_study::motion::ensemble::{
    Ensemble, MemberClaim, MemberDeviations, MemberReport, Members, PreparedEnsemble,
};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;

/// What all parts have in common.
pub(crate) struct Task<'t, 'n, 'p, 'g> {
    pub design: &'t Design,
    pub bound: &'t Bound,
    pub parts: &'t PreparedEnsemble<'n, 'p, 'g>,
    /// Every so many of the places that are looked at are kept as samples.
    pub every: usize,
    /// Whether the energy is constant.
    pub keeps_energy: bool,
    /// How many threads reduce what others compute; 0 for one for each processor.
    pub threads: usize,
}

/// A part that is done.
pub(crate) struct Outcome {
    pub columns: Vec<Column>,
    pub sections: Vec<Section>,
    pub backend: String,
    pub remarks: Vec<(u64, String)>,
    /// How many members were moved on to the constraints at their start.
    pub moved: u64,
}

/// The words for how members end.
const WORDS: [&str; 12] = [
    "finished",
    "stopped",
    "singular",
    "rank-rose",
    "sheet-lost",
    "underflow",
    "error",
    "steps-exhausted",
    "interrupted",
    "refused",
    "row-missed",
    "impassable",
];

impl Task<'_, '_, '_, '_> {
    /// Whether motions may be looked at in more than so many parts of each interval.
    fn may_be_finer(&self, parts: usize) -> bool {
        let places = FINER * parts * self.parts.looks();
        self.bound.looks() && places * self.parts.state_names().len() <= MAX_NUMBERS
    }

    /// Whether so many parts may be enough for a motion of so many steps, or are the most.
    fn may_be_enough(&self, parts: usize, steps: u32) -> bool {
        let places = parts * self.parts.looks();
        places >= PLACES_IN_A_STEP * steps as usize || !self.may_be_finer(parts)
    }

    /// Empty columns of a part.
    pub fn columns(&self, model: &Model) -> Vec<Column> {
        let mut columns = vec![Column::new("member", Data::Whole(Vec::new()))];
        let varied = self.design.shown_columns(model);
        columns.extend(varied.into_iter().map(Column::numbers));
        columns.push(words_of_endings());
        let names = self.parts.state_names().iter().cloned();
        let numbers = ["t".to_owned()]
            .into_iter()
            .chain(names)
            .chain(["energy_defect".to_owned()]);
        columns.extend(numbers.map(Column::numbers));
        columns.extend(self.bound.columns());
        columns
    }

    /// The units of the parameters that differ, as lines of a name, a tab and a unit.
    pub fn units(&self) -> String {
        let parameters = self.parts.model().parameters.iter();
        let known =
            parameters.filter_map(|parameter| Some((&parameter.name, parameter.unit.as_ref()?)));
        let varied =
            known.filter(|(name, _)| self.design.names.iter().any(|(other, _)| other == *name));
        varied
            .map(|(name, unit)| format!("{name}\t{unit}\n"))
            .collect()
    }
}

fn words_of_endings() -> Column {
    let words = WORDS.map(str::to_owned).to_vec();
    let codes = Vec::new();
    Column::new("status", Data::Words { words, codes })
}

/// A motion that came to its end.
struct Ended {
    member: usize,
    /// The states at the places that were looked at, one after the other.
    states: Vec<f64>,
    t: f64,
    /// How many steps it took.
    steps: u32,
    /// The last state, the first one and the parameters that differ: one piece of memory for each motion.
    numbers: Vec<f64>,
    /// How many numbers a state has.
    n: usize,
}

impl Ended {
    fn y(&self) -> &[f64] {
        &self.numbers[..self.n]
    }

    fn start(&self) -> &[f64] {
        &self.numbers[self.n..2 * self.n]
    }

    fn parameters(&self) -> &[f64] {
        &self.numbers[2 * self.n..]
    }
}

/// What is kept of a member, beside its end.
#[derive(Default)]
struct Known {
    /// Whether more places are needed to follow the motion; then nothing else is known.
    needs_more: bool,
    cells: Vec<Cell>,
    kept: Vec<f64>,
    defect: f64,
    sections: Vec<Section>,
    /// What is to be said of it.
    remark: Option<String>,
}

/// The motions of some members, and what is known of each.
type Moved = (Ensemble, Vec<Option<Known>>);

/// Members that are handed to a reducing thread at once.
const HANDFUL: usize = 64;
/// Fewer are handed over where their states are more numbers.
const NUMBERS_AT_ONCE: usize = 1_000_000;
/// A motion that is not followed is looked at in so many times as many places, and again.
const FINER: usize = 4;
/// A motion that is not followed has at least so many places for a step of its method.
const PLACES_IN_A_STEP: usize = 1;
/// Numbers of the states of one motion at most, unless the design asks for more.
const MAX_NUMBERS: usize = 2_000_000;
/// What is smaller than so many absolute tolerances need not be followed.
const NOTHING: f64 = 1e3;

/// Computes a part; none where it was interrupted.
pub(crate) fn compute(
    task: &Task<'_, '_, '_, '_>,
    part: u64,
    control: &mut Control<'_>,
) -> Result<Option<Outcome>, Problem> {
    let design = task.design;
    let first = part * design.shard;
    let count = design.shard.min(design.members() - first);
    let numbers: Vec<u64> = (first..first + count).collect();
    let Some((done, mut known)) = motions(task, &numbers, 1, control)? else {
        return Ok(None);
    };
    let mut parts = 1;
    let is_open = |known: &Option<Known>| known.as_ref().is_some_and(|result| result.needs_more);
    while known.iter().any(is_open) {
        parts *= FINER;
        let places = (0..known.len()).filter(|place| {
            is_open(&known[*place]) && task.may_be_enough(parts, done.steps[*place])
        });
        let places: Vec<usize> = places.collect();
        if places.is_empty() {
            continue;
        }
        let numbers: Vec<u64> = places.iter().map(|place| first + *place as u64).collect();
        // The part was told to be done once.
        let mut again = Control {
            cancel: control.cancel,
            ..Control::default()
        };
        let Some((_, finer)) = motions(task, &numbers, parts, &mut again)? else {
            return Ok(None);
        };
        for (place, result) in places.into_iter().zip(finer) {
            known[place] = result;
        }
    }
    Ok(Some(outcome(task, first, &done, known)))
}

/// The motions of these members, looked at in so many parts of each interval, and what is known of each; none where they
/// were interrupted. One thread hears what the others report, and hands ended motions on to those that reduce them.
fn motions(
    task: &Task<'_, '_, '_, '_>,
    numbers: &[u64],
    parts: usize,
    control: &mut Control<'_>,
) -> Result<Option<Moved>, Problem> {
    let members = Members::new(task.design.columns(), values(task.design, numbers));
    let threads = match task.threads {
        0 => thread::available_parallelism().map_or(1, usize::from),
        threads => threads,
    };
    let reducer = Reducer::new(task, numbers, parts, control.cancel);
    let (jobs, taken) = mpsc::sync_channel::<Vec<Ended>>(2 * threads);
    let taken = Mutex::new(taken);
    let (results, found) = mpsc::channel();
    let choice = elementary::current();
    let done = thread::scope(|scope| {
        let started = threads::start(scope, threads, || {
            let (results, reducer, taken) = (results.clone(), &reducer, &taken);
            move || elementary::within(choice, || reducer.work(taken, &results))
        });
        drop(results);
        if started == 0 {
            return Err(Problem::words("no thread can be started"));
        }
        let mut collector = ReportCollector::new(jobs, reducer.n, reducer.handful());
        let mut look = |member, look: MemberReport<'_>| collector.collect(member, &look);
        let done = task.parts.looked_at(&members, parts, &mut look, control);
        collector.flush();
        Ok(done?)
    })?;
    if done.exit() == ExitKind::Interrupted || control.cancelled() {
        return Ok(None);
    }
    let mut known: Vec<Option<Known>> = numbers.iter().map(|_| None).collect();
    for (member, result) in found {
        known[member] = Some(result);
    }
    Ok(Some((done, known)))
}

/// What members have of their own.
fn values(design: &Design, numbers: &[u64]) -> Vec<f64> {
    let mut values = Vec::with_capacity(numbers.len() * design.names.len());
    for member in numbers {
        design.values.row(*member, &mut values);
    }
    values
}

/// Hears what becomes known of members, and collects it until they end.
struct ReportCollector {
    jobs: SyncSender<Vec<Ended>>,
    n: usize,
    handful: usize,
    ways: HashMap<usize, Vec<f64>>,
    ended: Vec<Ended>,
}

impl ReportCollector {
    fn new(jobs: SyncSender<Vec<Ended>>, n: usize, handful: usize) -> Self {
        Self {
            jobs,
            n,
            handful,
            ways: HashMap::new(),
            ended: Vec::with_capacity(handful),
        }
    }

    fn collect(&mut self, member: usize, look: &MemberReport<'_>) {
        match look.report {
            Report::Sample { index, y, .. } => {
                let way = self.ways.entry(member).or_default();
                // What is begun anew by itself is reported anew from its start.
                way.truncate(index * self.n);
                way.extend_from_slice(y);
            }
            Report::End {
                ending: Ending::Interrupted,
                ..
            } => {}
            Report::End { t, y, steps, .. } => {
                self.ended.push(Ended {
                    member,
                    steps,
                    states: self.ways.remove(&member).unwrap_or_default(),
                    t,
                    numbers: [y, look.start, look.parameters].concat(),
                    n: self.n,
                });
                if self.ended.len() == self.handful {
                    self.flush();
                }
            }
        }
    }

    fn flush(&mut self) {
        let ended = std::mem::replace(&mut self.ended, Vec::with_capacity(self.handful));
        // Nobody listens only where a reducing thread has panicked.
        let _ = self.jobs.send(ended);
    }
}

/// Reduces motions that came to their end.
struct Reducer<'r> {
    bound: &'r Bound,
    watched: Option<&'r dyn Field>,
    /// The energy, where it should be constant.
    energy: Option<&'r dyn Field>,
    deviations: Option<&'r MemberDeviations>,
    claims: &'r [MemberClaim],
    cancel: Option<&'r AtomicBool>,
    times: Vec<f64>,
    begin: f64,
    n: usize,
    /// The numbers of the members.
    numbers: &'r [u64],
    /// Below that a motion need not be followed.
    nothing: f64,
    /// Whether motions that are not followed may be looked at more closely.
    may_need_more: bool,
    /// Every so many of the places are kept; none where no samples are.
    every: Option<usize>,
}

/// Where functions are evaluated.
#[derive(Default)]
struct Buffers {
    workspace: Workspace,
    inputs: Vec<f64>,
    energies: Vec<f64>,
    planner: Planner,
}

impl Buffers {
    /// Appends the values of a function; what has none is NaN.
    fn values(
        &mut self,
        field: &dyn Field,
        t: f64,
        y: &[f64],
        parameters: &[f64],
        out: &mut Vec<f64>,
    ) {
        self.inputs.clear();
        self.inputs.extend_from_slice(y);
        self.inputs.extend_from_slice(parameters);
        let place = out.len();
        out.resize(place + field.outputs(), f64::NAN);
        let tail = &mut out[place..];
        if field
            .eval(&mut self.workspace, t, &self.inputs, tail)
            .is_err()
        {
            tail.fill(f64::NAN);
        }
    }
}

impl<'r> Reducer<'r> {
    fn new(
        task: &'r Task<'_, '_, '_, '_>,
        numbers: &'r [u64],
        parts: usize,
        cancel: Option<&'r AtomicBool>,
    ) -> Self {
        let times = match task.bound.looks() || task.design.samples > 0 {
            true => task.parts.look_times(parts),
            false => Vec::new(),
        };
        let n = task.parts.state_names().len();
        Self {
            bound: task.bound,
            watched: task.parts.watched(),
            energy: task.parts.energy().filter(|_| task.keeps_energy),
            deviations: task.parts.deviations(),
            claims: task.parts.claims(),
            cancel,
            may_need_more: task.may_be_finer(parts),
            times,
            begin: task.parts.times().0,
            n,
            numbers,
            nothing: NOTHING * task.parts.absolute_tolerance(),
            every: (task.design.samples > 0).then_some(task.every * parts),
        }
    }

    /// How many members are handed over at once: few where each has many numbers, or much is to be done with each, so
    /// that all end together.
    fn handful(&self) -> usize {
        let each = (self.n * self.times.len()).max(1);
        match self.deviations {
            Some(_) => 1,
            None => HANDFUL.min(NUMBERS_AT_ONCE / each).max(1),
        }
    }

    /// Reduces what is handed over, until no more comes.
    fn work(&self, jobs: &Mutex<Receiver<Vec<Ended>>>, results: &mpsc::Sender<(usize, Known)>) {
        let mut buffers = Buffers::default();
        let next = || jobs.lock().ok()?.recv().ok();
        while let Some(ended) = next() {
            for motion in ended {
                // Nobody listens only where the other thread has panicked.
                let _ = results.send((motion.member, self.known(&mut buffers, &motion)));
            }
        }
    }

    fn known(&self, buffers: &mut Buffers, ended: &Ended) -> Known {
        let (mut times, mut states) = (Vec::new(), Vec::with_capacity(ended.states.len() + self.n));
        for (t, y) in self.places(ended) {
            times.push(t);
            states.extend_from_slice(y);
        }
        let path = Path {
            times: &times,
            states: &states,
            n: self.n,
        };
        let bends = match self.bound.looks() {
            true => path.bends(self.nothing),
            false => Bends::none(),
        };
        let is_followed = bends.is_followed;
        if !is_followed && self.may_need_more {
            return Known {
                needs_more: true,
                ..Known::default()
            };
        }
        let (exponents, remark) = self.exponents(ended);
        let seen = Seen {
            exponents,
            claims: self.judged(buffers, ended),
            ..self.curve(buffers, ended, (path, &bends))
        };
        let mut sections = self.bound.sections();
        let member = self.numbers[ended.member];
        let cells = self
            .bound
            .row(member, &seen, &mut buffers.planner, &mut sections);
        let kept = self.every.map_or_else(Vec::new, |every| {
            let states = ended.states.chunks_exact(self.n).step_by(every);
            states.flatten().copied().collect()
        });
        let unfollowed = || (!is_followed).then(|| "the motion".to_owned());
        let turns_more = |what: String| {
            format!(
                "{what} has more extrema between two samples than are resolved: increase `looks`"
            )
        };
        let missed = self.cut_short(&seen).or_else(unfollowed);
        Known {
            needs_more: false,
            cells,
            kept,
            defect: self.defect(buffers, ended),
            sections,
            remark: remark.or(missed.map(turns_more)),
        }
    }

    /// The expressions that are not followed to the end.
    fn cut_short(&self, seen: &Seen) -> Option<String> {
        let names = self.bound.cut_short(seen);
        (!names.is_empty()).then(|| {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("the expression of {}", names.join(", "))
        })
    }

    /// The Lyapunov exponents that are asked for: NaN with a remark where there are none.
    fn exponents(&self, ended: &Ended) -> (Vec<f64>, Option<String>) {
        let Some(deviations) = self.deviations else {
            return (Vec::new(), None);
        };
        let mut control = Control {
            cancel: self.cancel,
            ..Control::default()
        };
        let (start, parameters) = (ended.start(), ended.parameters());
        let count = deviations.asked().count;
        match deviations.exponents(self.begin, start, parameters, &mut control) {
            Ok(found) if found.history.is_empty() => (vec![f64::NAN; count], Some(found.outcome)),
            Ok(found) => (found.exponents, None),
            Err(why) => (vec![f64::NAN; count], Some(why.to_string())),
        }
    }

    /// Whether the claims hold that are asked for.
    fn judged(&self, buffers: &mut Buffers, ended: &Ended) -> Vec<(Option<bool>, Option<f64>)> {
        let judge = |claim: &MemberClaim| {
            let states = self.places(ended);
            let found = claim.judged(
                &mut buffers.workspace,
                states,
                ended.parameters(),
                ended.steps,
            );
            (found.holds, found.drift)
        };
        self.claims.iter().map(judge).collect()
    }

    /// Times and states at the places and at the end.
    fn places<'e>(&'e self, ended: &'e Ended) -> impl Iterator<Item = (f64, &'e [f64])> {
        // Two places that nearly coincide are one: no polynomial goes through both.
        let apart = self
            .times
            .get(1)
            .map_or(0.0, |second| 0.1 * (second - self.times[0]).abs());
        let states = ended.states.chunks_exact(self.n).enumerate();
        let looked = states.map(|(index, y)| (self.times[index], y));
        let before = looked
            .filter(move |(t, _)| (ended.t - t).abs() > apart || *t == self.begin && *t != ended.t);
        before.chain([(ended.t, ended.y())])
    }

    /// The values of the watched expressions along a path.
    fn curve(
        &self,
        buffers: &mut Buffers,
        ended: &Ended,
        (path, bends): (Path<'_>, &Bends),
    ) -> Seen {
        let mut seen = Seen::default();
        let Some(field) = self.watched else {
            return seen;
        };
        seen.times.extend_from_slice(path.times);
        for (t, y) in path.times.iter().zip(path.states.chunks_exact(self.n)) {
            buffers.values(field, *t, y, ended.parameters(), &mut seen.values);
        }
        let followed = self.bound.followed();
        if !followed.contains(&true) && self.bound.guides.is_empty() {
            seen.between = vec![Default::default(); followed.len()];
            return seen;
        }
        let looks = Looks {
            times: &seen.times,
            values: &seen.values,
            width: field.outputs(),
        };
        let mut polynomials = path.polynomials(bends);
        let told = (&self.bound.guides[..], &bends.times()[..]);
        let (mut y, mut values) = (vec![0.0; self.n], Vec::new());
        seen.between = between(looks, &followed, told, |k, t, out| {
            polynomials.row(k, t, &mut y);
            values.clear();
            buffers.values(field, t, &y, ended.parameters(), &mut values);
            out.copy_from_slice(&values);
        });
        seen
    }

    /// By how much an energy that should be constant has changed.
    fn defect(&self, buffers: &mut Buffers, ended: &Ended) -> f64 {
        let Some(field) = self.energy else {
            return f64::NAN;
        };
        let mut energies = std::mem::take(&mut buffers.energies);
        energies.clear();
        for (t, y) in [(self.begin, ended.start()), (ended.t, ended.y())] {
            buffers.values(field, t, y, ended.parameters(), &mut energies);
        }
        let defect = energies[1] - energies[0];
        buffers.energies = energies;
        defect
    }
}

/// The columns of a part.
fn outcome(
    task: &Task<'_, '_, '_, '_>,
    first: u64,
    done: &Ensemble,
    mut known: Vec<Option<Known>>,
) -> Outcome {
    let mut columns = task.columns(task.parts.model());
    let n = done.state_names.len();
    let times = task.parts.look_times(1);
    let nothing = task.bound.nothing();
    for (member, known) in known.iter().enumerate() {
        let status = WORDS.iter().position(|word| *word == done.word(member));
        let varied = values(task.design, &[first + member as u64]);
        let defect = known.as_ref().map_or(f64::NAN, |known| known.defect);
        let cells = known.as_ref().map_or(&nothing, |known| &known.cells);
        for sample in 0..task.design.samples.max(1) {
            let (t, y) = match task.design.samples {
                0 => (done.t[member], Some(done.state(member))),
                _ => (times[sample * task.every], kept(known.as_ref(), n, sample)),
            };
            let y = (0..n).map(|i| y.map_or(f64::NAN, |y| y[i]));
            let given = varied.iter().map(|x| Cell::Number(*x));
            let state = [t].into_iter().chain(y).chain([defect]).map(Cell::Number);
            let row = given.chain([Cell::Word(status)]).chain(state);
            let row = row.chain(cells.iter().copied());
            add(&mut columns, first + member as u64, row);
        }
    }
    let of_motions = done.remarks.iter().cloned();
    let of_reductions = known.iter().enumerate().filter_map(|(member, known)| {
        let remark = known.as_ref()?.remark.clone()?;
        Some((member, remark))
    });
    let remarks: Vec<_> = of_motions.chain(of_reductions).collect();
    let sections = known
        .iter_mut()
        .flatten()
        .map(|result| std::mem::take(&mut result.sections));
    Outcome {
        columns,
        sections: joined(task.bound.sections(), sections.collect()),
        moved: done.moved as u64,
        backend: done.backend.clone(),
        remarks: remarks
            .into_iter()
            .map(|(member, why)| (first + member as u64, why))
            .collect(),
    }
}

/// The state of a sample; none where the motion did not come so far.
fn kept(known: Option<&Known>, n: usize, sample: usize) -> Option<&[f64]> {
    known?.kept.get(sample * n..(sample + 1) * n)
}

/// Appends a row.
fn add(columns: &mut [Column], member: u64, cells: impl Iterator<Item = Cell>) {
    if let Data::Whole(members) = &mut columns[0].data {
        members.push(member as i64);
    }
    for (column, cell) in columns[1..].iter_mut().zip(cells) {
        cell.add_to(&mut column.data);
    }
}

/// The rows of all members' sections, in their order.
fn joined(mut all: Vec<Section>, members: Vec<Vec<Section>>) -> Vec<Section> {
    for (index, section) in all.iter_mut().enumerate() {
        let rows = members
            .iter()
            .filter_map(|sections| Some(sections.get(index)?.columns.clone()));
        let empty = std::mem::take(&mut section.columns);
        section.columns = crate::columns::below([empty].into_iter().chain(rows));
    }
    all
}
