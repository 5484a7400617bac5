//! An ensemble that is computed part by part: what all parts have in common is made ready once.

use super::claims::MemberClaim;
use super::deviations::{Exponents, MemberDeviations};
use super::generic::generic;
use super::members::{Column, Members};
use super::program;
use super::special_members::SingularMember;
use super::starts::{Base, Dependence, Search, Starts, starts};
use super::{Ensemble, EnsembleOptions, Finished, Samples, chosen, in_one_chart, numbers, refused};
use crate::motion::choices::{RunOptions, backend_for, method_for, settings};
use crate::states::ranks::{exact, row_rank};
use crate::states::status::judge;
use crate::values::error::Error;
use crate::values::outputs::write_outputs;
use crate::values::prepared::Prepared;
use appell_expr::limits::attempt;
use appell_expr::{Id, is_free_of, vanishes};
use appell_flow::ensemble::{
    Ending, EnsembleConfig, EnsembleProgram, Members as Lot, Ran, Report, run_ensemble,
};
use appell_flow::{Control, Field, Options, Pinned};
use appell_mech::{Carrier, ConstraintRow, Formalism, output};
use appell_model::{Diagnostic, Model};

/// What is ready for any members with these columns.
pub struct PreparedEnsemble<'n, 'p, 'g> {
    pub(super) p: &'p Prepared<'g>,
    columns: &'n [Column],
    pub(super) dependence: &'n Dependence,
    pub(super) program: EnsembleProgram<'n>,
    settings: Options,
    config: EnsembleConfig,
    backend_remark: Option<String>,
    form: &'static Formalism,
    pub(super) carrier: Carrier,
    pub(super) whole: Option<usize>,
    t0: f64,
    watched: Option<Box<dyn Field>>,
    energy: Option<Box<dyn Field>>,
    deviations: Option<MemberDeviations>,
    claims: Vec<MemberClaim>,
    /// What they were made of; none where they are for members with special parameters.
    pub(super) given: Option<Given<'n>>,
}

/// What parts are made of.
#[derive(Clone, Copy)]
pub(super) struct Given<'n> {
    pub columns: &'n [String],
    pub options: &'n EnsembleOptions,
    pub observables: &'n Observables<'n>,
}

/// What is to be known of members beside their motion.
#[derive(Debug, Clone, Copy, Default)]
pub struct Observables<'w> {
    /// Expressions of `(t, q, v)`, for [`PreparedEnsemble::watched`].
    pub expressions: &'w [Id],
    /// Lyapunov exponents, for [`PreparedEnsemble::deviations`].
    pub exponents: Option<Exponents>,
    /// The places of claims in the file, for [`PreparedEnsemble::claims`]; see [`is_of_motions`](super::is_of_motions).
    pub claims: &'w [usize],
}

/// What becomes known of a member, with what it began with.
pub struct MemberReport<'r> {
    /// A state, or the end.
    pub report: Report<'r>,
    /// The first state.
    pub start: &'r [f64],
    /// The parameters that differ from member to member.
    pub parameters: &'r [f64],
}

/// Starts that are searched at once, before their members move.
const SEARCHED: usize = 256;

/// The output of the expressions that are watched.
const WATCHED: &str = "watched";

/// Makes ready what all members have in common, and works with it. `columns` are as those of [`Members`]; `whole` is
/// the number of members of all parts, on which it depends whether code is compiled for them: then a member has the
/// same bits in whatever part.
///
/// # Errors
/// As for [`ensemble`](super::ensemble()), but for what is wrong with single members.
pub fn in_parts<T>(
    p: &Prepared<'_>,
    columns: &[String],
    whole: Option<usize>,
    options: &EnsembleOptions,
    observables: &Observables<'_>,
    work: impl FnOnce(&PreparedEnsemble<'_, '_, '_>) -> T,
) -> Result<T, Error> {
    let given = Given {
        columns,
        options,
        observables,
    };
    made(p, given, whole, false, work)
}

/// Makes ready what all members have in common, or, with the special parameters of `p`, all those that have them.
///
/// One piece: what is made ready, one thing after the other.
pub(super) fn made<T>(
    p: &Prepared<'_>,
    given: Given<'_>,
    whole: Option<usize>,
    are_special: bool,
    work: impl FnOnce(&PreparedEnsemble<'_, '_, '_>) -> T,
) -> Result<T, Error> {
    let Given {
        columns,
        options,
        observables,
    } = given;
    if p.parameters.drive().is_some() {
        let words = "inputs of ensembles are numbers: give each member its own as a column";
        return Err(refused(words).into());
    }
    let none = Members::new(columns.to_vec(), Vec::new());
    let columns = none
        .meanings(p)
        .map_err(|error| refused(error.to_string()))?;
    let method = method_for(p, options.run.method.as_deref())?;
    let dependence = Dependence::new(p, &columns);
    let general = match are_special {
        true => None,
        false => generic(p, &columns, &dependence),
    };
    // Members with the values of the file move as it does.
    let of_file = dependence.varied.is_empty().then(|| p.in_numbers());
    let p = general.as_ref().or(of_file).unwrap_or(p);
    let mut equations = in_one_chart(p, &options.run)?;
    write_outputs(p.model, &mut equations);
    if !observables.expressions.is_empty() {
        let graph = equations.sketch.graph();
        let watched = graph.exs(observables.expressions);
        equations.sketch.output_list(WATCHED, &watched);
    }
    let (backend, backend_remark) = backend_for(options.run.backend.as_deref())?;
    refuse_times_of_their_own(p, &dependence, &options.run)?;
    let Base { start: base, holds } = Base::new(p, &columns, &dependence)?;
    let mut settings = settings(p, &options.run, base.t)?;
    if options.run.samples.is_none() && options.run.times.is_none() {
        settings.samples.clear();
    }
    let rank = match holds {
        true => judge(p, base.t, &base.q, &base.v, base.z.as_deref()).generic_rank,
        false => row_rank(p).or_else(|| Some(exact(p)?.a)),
    };
    let names = equations.input_names();
    let varied = &dependence.varied;
    let program = program::program(p, &mut equations, &names, varied, rank)?;
    let field = |name| program::field(p, &equations, varied, name);
    let tolerances = (settings.rtol, settings.atol);
    let claims = observables.claims.iter();
    let claims = claims.map(|index| program::claim(p, &equations, varied, *index, tolerances));
    let state = [base.q.clone(), base.v.clone()].concat();
    let deviations = observables.exponents.map(|asked| {
        let motion = || program::with_deviations(p, &equations, varied, asked.count, rank);
        let first = (base.t, holds.then_some(state.as_slice()));
        let how = (method, &settings);
        MemberDeviations::new(p, &equations, &dependence, how, asked, first, motion)
    });
    Ok(work(&PreparedEnsemble {
        watched: field(WATCHED)?,
        energy: field(output::ENERGY)?,
        deviations: deviations.transpose()?,
        claims: claims.collect::<Result<_, _>>()?,
        given: (!are_special).then_some(given),
        p,
        columns: &columns,
        dependence: &dependence,
        program,
        settings,
        config: EnsembleConfig {
            method,
            backend,
            threads: options.threads,
        },
        backend_remark,
        form: equations.formalism,
        carrier: equations.carrier,
        whole,
        t0: base.t,
    }))
}

/// All members begin and end at the same times.
fn refuse_times_of_their_own(
    p: &Prepared<'_>,
    dependence: &Dependence,
    options: &RunOptions,
) -> Result<(), Diagnostic> {
    let graph = p.system.graph;
    let simulate = &p.model.simulate;
    let overridden = options.until.is_some() || options.times.is_some();
    let until = simulate.until.filter(|_| !overridden);
    let times = [
        ("[initial] t", Some(p.model.initial.time)),
        ("[simulate] until", until),
    ];
    for (key, time) in times {
        let parameters = dependence.varied.iter().map(|i| &p.model.parameters[*i]);
        let mut parameters = parameters.filter(|parameter| {
            time.is_some_and(|time| graph.ex(time).depends_on(graph.ex(parameter.symbol)))
        });
        if let Some(parameter) = parameters.next() {
            return Err(refused(format!(
                "all members begin and end at the same times, but `{key}` depends on `{}`, which differs: give a \
                 number there",
                parameter.name
            )));
        }
    }
    Ok(())
}

impl<'g> PreparedEnsemble<'_, '_, 'g> {
    /// The names of the components of the state.
    pub fn state_names(&self) -> &[String] {
        self.program.motion.names
    }

    /// The model.
    pub fn model(&self) -> &Model {
        self.p.model
    }

    /// The times of the samples, with so many parts between two of them; those of one part are among those of more.
    pub fn look_times(&self, parts: usize) -> Vec<f64> {
        let samples = &self.settings.samples;
        let between = |pair: &[f64]| {
            let [a, b] = [pair[0], pair[1]];
            let place = move |i: usize| match i {
                0 => a,
                _ => a + (b - a) * (i as f64 / parts as f64),
            };
            (0..parts).map(place)
        };
        let all = samples.windows(2).flat_map(between);
        all.chain(samples.last().copied()).collect()
    }

    /// How many samples there are.
    pub fn looks(&self) -> usize {
        self.settings.samples.len()
    }

    /// What a motion may deviate by where it is zero.
    pub fn absolute_tolerance(&self) -> f64 {
        self.settings.atol
    }

    /// The time of all starts, and the last time.
    pub fn times(&self) -> (f64, f64) {
        (self.t0, self.settings.until)
    }

    /// The expressions that are watched, as a function of `(t, y, p)`; none where there are none.
    pub fn watched(&self) -> Option<&dyn Field> {
        self.watched.as_deref()
    }

    /// The motions of members with deviations from them, where exponents are asked for.
    pub fn deviations(&self) -> Option<&MemberDeviations> {
        self.deviations.as_ref()
    }

    /// The claims that are to be held against the motions, in the order in which they were asked for.
    pub fn claims(&self) -> &[MemberClaim] {
        &self.claims
    }

    /// The energy `E`, as a function of `(t, y, p)`.
    pub fn energy(&self) -> Option<&dyn Field> {
        self.energy.as_deref()
    }

    /// The motions of some members; the samples are kept.
    ///
    /// # Errors
    /// Too many samples; the file's own start cannot be found.
    pub fn motions(
        &self,
        members: &Members,
        known: &[Finished],
        mut note: Option<&mut dyn FnMut(&Finished)>,
        control: &mut Control<'_>,
    ) -> Result<Ensemble, Error> {
        let times = &self.settings.samples;
        let state = self.state_names().len();
        let numbers = numbers(members.count, times.len(), state)?;
        let (mut starts, mut search, mut result) = self.begin(members)?;
        result.samples = (!times.is_empty()).then(|| Samples {
            times: times.clone(),
            y: vec![f64::NAN; numbers],
        });
        let mut is_settled = vec![false; members.count];
        for member in known.iter().filter_map(|end| result.take_in(end)) {
            is_settled[member] = true;
        }
        search.open.retain(|member| !is_settled[*member]);
        let refused = starts.refused.iter().map(|(member, _)| member);
        for member in refused.chain(&search.open) {
            is_settled[*member] = true;
        }
        let mut chosen: Vec<usize> = (0..members.count).filter(|i| !is_settled[*i]).collect();
        let mut ran = None;
        // Where starts have to be searched, members end before all have begun.
        let open = std::mem::take(&mut search.open);
        let mut blocks = open.chunks(SEARCHED);
        loop {
            let of = |place: usize| chosen[place];
            let counts = (chosen.len(), members.count);
            let mut told = |report: Report<'_>| {
                if let (Some(member), Some(note)) = (result.note(report, &of), note.as_mut()) {
                    note(&result.finished(member, report));
                }
            };
            let done = self.march(&starts, counts, &of, &self.settings, control, &mut told)?;
            ran = ran.filter(|_| chosen.is_empty()).or(Some(done));
            let is_interrupted =
                |member: &usize| result.endings[*member] == Some(Ending::Interrupted);
            let Some(block) = blocks.next().filter(|_| !chosen.iter().any(is_interrupted)) else {
                break;
            };
            let refused = starts.refused.len();
            if attempt(|| search.settle(block, &mut starts)).is_err() {
                break;
            }
            chosen = result.begin(block, &starts, refused);
        }
        let ran = ran.expect("members were run at least once, if none");
        result.conclude(ran, self.settings.atol);
        Ok(result)
    }

    /// The motions of some members; samples, at the [`Self::look_times`] of so many parts, and ends are looked at as
    /// they come, and samples are not kept. Those of one member come in order.
    ///
    /// # Errors
    /// The file's own start cannot be found.
    pub fn looked_at(
        &self,
        members: &Members,
        parts: usize,
        look: &mut dyn FnMut(usize, MemberReport<'_>),
        control: &mut Control<'_>,
    ) -> Result<Ensemble, Error> {
        let (mut starts, mut search, mut result) = self.begin(members)?;
        let open = std::mem::take(&mut search.open);
        let refused = starts.refused.len();
        search.settle(&open, &mut starts);
        result.begin(&open, &starts, refused);
        let settings = Options {
            samples: self.look_times(parts),
            ..self.settings.clone()
        };
        let settled: Vec<usize> = starts.refused.iter().map(|(member, _)| *member).collect();
        let chosen = chosen(members.count, &settled);
        let of = |place: usize| chosen.get(place).map_or(place, |member| *member as usize);
        let count = members.count - settled.len();
        let counts = (count, count);
        let ran = self.march(&starts, counts, &of, &settings, control, &mut |report| {
            let (Report::Sample { member, .. } | Report::End { member, .. }) = report;
            let member = of(member);
            result.note(report, &of);
            let (start, parameters) = first(&starts, self.widths(), member);
            let told = MemberReport {
                report,
                start,
                parameters,
            };
            look(member, told);
        })?;
        result.conclude(ran, self.settings.atol);
        Ok(result)
    }

    /// Where the members begin, and what is known of them before they move.
    fn begin<'s>(
        &'s self,
        members: &'s Members,
    ) -> Result<(Starts, Search<'s, 'g>, Ensemble), Error> {
        let width = self.state_names().len();
        let (starts, search) = starts(
            self.p,
            members,
            self.columns,
            self.dependence,
            (self.carrier, width, self.config.thread_count()),
        )?;
        let (form, count) = (self.form, members.count);
        let mut result = Ensemble::before(form, &self.program, &starts, self.t0, count);
        result.backend_remark.clone_from(&self.backend_remark);
        result.leave_out(&starts.refused);
        Ok((starts, search, result))
    }

    /// That the method cannot compute motions such as this member's.
    fn refuse_unsuitable(&self, starts: &Starts, member: usize) -> Result<(), Diagnostic> {
        let method = self.config.method;
        let (y, parameters) = first(starts, self.widths(), member);
        let motion = &self.program.motion;
        let pinned = motion.map(|field| Pinned::new(&**field, parameters));
        let motion = pinned.map(|field| field as &dyn Field);
        let examined = method.examine(&motion, &self.settings, self.t0, y);
        examined.map_err(|why| {
            let id = method.id;
            refused(format!(
                "the method `{id}` cannot compute these motions: {why}"
            ))
        })
    }

    /// How many numbers a state has, and how many parameters differ.
    fn widths(&self) -> (usize, usize) {
        (self.state_names().len(), self.program.parameters)
    }

    /// Runs so many members of a whole, of which `of` tells the numbers; those that have special parameters with the
    /// equations for these.
    fn march(
        &self,
        starts: &Starts,
        counts: (usize, usize),
        of: &(dyn Fn(usize) -> usize + Sync),
        settings: &Options,
        control: &mut Control<'_>,
        report: &mut dyn FnMut(Report<'_>),
    ) -> Result<Ran, Error> {
        if counts.0 > 0 {
            self.refuse_unsuitable(starts, of(0))?;
        }
        let mut stuck = Vec::new();
        let ran = self.march_together(starts, counts, of, settings, control, &mut |known| {
            match SingularMember::at_the_start(&known, self.t0).filter(|_| self.given.is_some()) {
                Some(member) => stuck.push(member),
                None => report(known),
            }
        })?;
        if stuck.is_empty() {
            return Ok(ran);
        }
        let run = |ensemble: &PreparedEnsemble<'_, '_, '_>,
                   group: &[usize],
                   report: &mut dyn FnMut(Report<'_>)| {
            let counts = (group.len(), counts.1);
            let of = |place: usize| of(group[place]);
            let ran = ensemble.march_together(starts, counts, &of, settings, control, report);
            ran.map(|_| ())
        };
        let values = |place: usize| first(starts, self.widths(), of(place)).1;
        self.with_special_equations(stuck, &values, run, report)?;
        Ok(ran)
    }

    /// Runs so many members of a whole, of which `of` tells the numbers, with the same equations.
    fn march_together(
        &self,
        starts: &Starts,
        (count, whole): (usize, usize),
        of: &(dyn Fn(usize) -> usize + Sync),
        settings: &Options,
        control: &mut Control<'_>,
        report: &mut dyn FnMut(Report<'_>),
    ) -> Result<Ran, Error> {
        let widths = self.widths();
        let begin = |place: usize, y: &mut [f64], parameters: &mut [f64]| {
            let (first, given) = first(starts, widths, of(place));
            y.copy_from_slice(first);
            parameters.copy_from_slice(given);
        };
        let lot = Lot {
            count,
            whole: self.whole.unwrap_or(whole),
            t: self.t0,
            start: &begin,
        };
        let ran = run_ensemble(&self.program, &lot, settings, &self.config, control, report);
        Ok(ran.map_err(|why| refused(why.0))?)
    }

    /// The program for NVIDIA GPUs, in CUDA C.
    ///
    /// # Errors
    /// What a GPU does not do.
    pub fn device_source(&self) -> Result<String, Error> {
        let source = self
            .program
            .device_source(self.t0, &self.settings, &self.config);
        Ok(source.map_err(|why| refused(why.0))?)
    }

    /// Whether the energy is constant whatever the parameters: nothing depends on the time, no force acts besides those
    /// of the Lagrangian, and every reaction is without power since `W_a . v` is a multiple of its row.
    pub fn keeps_energy(&self) -> bool {
        let system = &self.p.system;
        let free = system.force.entries().iter().all(|force| vanishes(*force));
        let mut rows = self.p.constraints.rows.iter();
        free && is_free_of(system.lagrangian, system.t) && rows.all(|row| self.is_idle(row))
    }

    /// Whether `W_a . v = d phi_a` for a small whole `d`, as for rows homogeneous of degree `d` [Euler's identity].
    fn is_idle(&self, row: &ConstraintRow<'_>) -> bool {
        const DEGREES: i64 = 4;
        let system = &self.p.system;
        let products = row.direction().iter().zip(&system.v).map(|(w, v)| *w * *v);
        let power = system.graph.sum(&products.collect::<Vec<_>>());
        let is = |degree: i64| {
            let phi = row.phi?;
            vanishes(power - system.graph.int(degree) * phi).then_some(())
        };
        (1..=DEGREES).any(|degree| is(degree).is_some())
    }
}

/// The first state of a member, and its parameters.
fn first(starts: &Starts, (n, m): (usize, usize), member: usize) -> (&[f64], &[f64]) {
    (
        &starts.states[member * n..(member + 1) * n],
        &starts.parameters[member * m..(member + 1) * m],
    )
}
