//! The search, stage by stage: after each one it says what it has.

use super::ansatz::{Ansatz, Family, Monomial, ansatz, plain, products};
use super::named::{self, CandidateKind, Named};
use super::numeric_check::{NumericVerdict, looks};
use super::search::{Combination, Query, SEEDS, independent, relations_of, search};
use super::words::{self, Generators};
use super::{Conserved, ConservedOptions, Integral, graded, ratios};
use crate::constraints::candidates::functions::constants;
use crate::constraints::classes::SampledConstraints;
use crate::questions::continuity::jumps_along;
use crate::questions::prove::constraint_set::ConstraintSet;
use crate::questions::prove::forms::Forms;
use crate::questions::prove::question_batch::QuestionBatch;
use crate::questions::prove::{Parameters, Verdict};
use crate::values::exact_values::random_values;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id, Locus, SampleSource};
use appell_mech::{Equations, FORMALISMS};
use std::collections::{HashMap, HashSet};

/// The forms whose accelerations are used: the first that applies.
const FORMS: [&str; 3] = ["multipliers", "gibbs-appell", "projector"];
/// More integrals than this from one model are not looked through.
const MAX_INTEGRALS: usize = 80;
/// Products of known integrals that new ones are compared with.
const MAX_KNOWN: usize = 200;

/// An integral before it is proved.
#[derive(Debug, Clone)]
pub(super) struct CandidateIntegral<'g> {
    pub text: String,
    pub kind: String,
    /// The function, or its logarithm.
    pub value: Ex<'g>,
    /// The function.
    pub shown: Ex<'g>,
    /// What vanishes where the function is constant.
    pub rate: Ex<'g>,
    /// In the velocities; the largest number where it is no polynomial.
    pub degree: usize,
    pub energy: bool,
    /// Whether it has a name, or no more than one product of velocities.
    pub simple: bool,
}

/// Searches everything; `news` is told what there is after each stage.
pub(super) fn search_all(
    p: &Prepared<'_>,
    options: &ConservedOptions,
    stop: &dyn Fn() -> bool,
    news: &dyn Fn(Conserved),
) -> Conserved {
    let p = p.exact();
    let chosen = FORMS
        .iter()
        .filter_map(|id| FORMALISMS.iter().find(|form| form.id == *id));
    let forms = Forms::new(p, &chosen.copied().collect::<Vec<_>>());
    let Some(form) = forms.all.first() else {
        return without_equations(&forms, options);
    };
    let set = ConstraintSet::new(p, &forms).seeded(options.seed);
    let named = named::candidates(p);
    let ansatz = ansatz(p, options.degree);
    let mut search = StagedSearch {
        p,
        options: *options,
        set: &set,
        form,
        found: Vec::new(),
        settled: HashMap::new(),
        integrals: Vec::new(),
        has_points: false,
        searched: Vec::new(),
        notes: Vec::new(),
        changing: Vec::new(),
    };
    let stages = search.stages(&ansatz);
    for (done, stage) in stages.iter().enumerate() {
        for parameters in [Parameters::Any, Parameters::Values] {
            let again = parameters == Parameters::Values && search.has_points;
            let once = matches!(stage.what, StageKind::Places) && parameters == Parameters::Values;
            if stop() || once || again && p.model.parameters.is_empty() {
                continue;
            }
            search.search_stage(stage, (&named, &ansatz), parameters, stop);
        }
        let words = |stages: &[Stage]| stages.iter().filter_map(|s| s.words.clone()).collect();
        if stop() {
            let left: Vec<String> = words(&stages[done..]);
            return search.answer((&named, &ansatz), &left);
        }
        search.searched.extend(stage.words.clone());
        search.settle();
        let left: Vec<String> = words(&stages[done + 1..]);
        if !left.is_empty() {
            news(search.answer((&named, &ansatz), &left));
        }
    }
    search.answer((&named, &ansatz), &[])
}

fn without_equations(forms: &Forms<'_>, options: &ConservedOptions) -> Conserved {
    let reasons = forms
        .unavailable
        .iter()
        .map(|form| format!("{}: {}", form.form, form.why));
    let reasons: Vec<String> = reasons.collect();
    Conserved {
        ansatz: format!(
            "nothing, for no equations of motion could be derived: {}",
            reasons.join("; ")
        ),
        integrals: Vec::new(),
        seed: options.seed,
        interrupted: false,
        over_budget: false,
    }
}

/// A part of the search.
struct Stage {
    what: StageKind,
    /// What it is, where the ansatz does not tell.
    words: Option<String>,
}

enum StageKind {
    /// Named candidates and the families of the ansatz.
    Polynomials,
    /// What the rows say of the place.
    Places,
    /// A family of higher degree.
    Graded(Family, usize),
    /// Products of powers and exponentials.
    Products,
    /// Quotients of linear functions of the velocities.
    Quotients,
}

/// What became of something found.
#[derive(Clone)]
struct Settled {
    /// Whether the numbers speak against it.
    left_out: bool,
    verdict: Option<Verdict>,
}

/// A search in progress.
struct StagedSearch<'a, 'g> {
    p: &'a Prepared<'g>,
    options: ConservedOptions,
    set: &'a ConstraintSet<'g>,
    form: &'a Equations<'g>,
    found: Vec<CandidateIntegral<'g>>,
    /// By the ids of values.
    settled: HashMap<Id, Settled>,
    integrals: Vec<Integral>,
    /// Whether states were found at all.
    has_points: bool,
    /// What was searched besides the ansatz.
    searched: Vec<String>,
    /// What did not go as it should.
    notes: Vec<String>,
    /// What changes although random points do not tell, by where it does.
    changing: Vec<(String, Vec<String>)>,
}

impl<'g> StagedSearch<'_, 'g> {
    /// What there is to search.
    fn stages(&self, ansatz: &Ansatz<'g>) -> Vec<Stage> {
        let places = "functions of the place whose rates are combinations of the rows";
        let products = "products of powers of velocities and functions of place, and exponentials";
        let quotients = "quotients of linear functions of the velocities by one of them";
        let stage = |what: StageKind, words: Option<&str>| Stage {
            what,
            words: words.map(str::to_owned),
        };
        let mut stages = vec![
            stage(StageKind::Polynomials, None),
            stage(StageKind::Places, Some(places)),
            stage(StageKind::Products, Some(products)),
            stage(StageKind::Quotients, Some(quotients)),
        ];
        for degree in 3..=self.options.degree {
            stages.extend(self.graded(ansatz, degree));
        }
        stages
    }

    /// The families of a higher degree: of all velocities, and of rotating bodies.
    fn graded(&self, ansatz: &Ansatz<'g>, degree: usize) -> Vec<Stage> {
        let p = self.p;
        let reversible = graded::is_reversible(p);
        let inverse = ansatz.inverses();
        let (rate, parity) = (
            graded::rate(p),
            match reversible {
                true if degree.is_multiple_of(2) => "even ",
                true => "odd ",
                false => "",
            },
        );
        let mut stages = Vec::new();
        let whole = ansatz.fibres.iter().map(|fibre| {
            let what = format!("with functions of {}", ansatz.listed(&ansatz.atoms));
            (ansatz.atoms.clone(), fibre.clone(), rate, what)
        });
        // The second choice of velocities serves where there is no room for the first.
        let turning = ansatz.turning.iter().map(|(name, up, spin)| {
            let what = format!("with functions of the vertical, in the frame of {name}");
            (plain(up), spin.clone(), 1, what)
        });
        let mut whole_done = false;
        for (index, (atoms, fibre, rate, what)) in whole.chain(turning).enumerate() {
            let is_whole = index < ansatz.fibres.len();
            if is_whole && whole_done {
                continue;
            }
            let ground = graded::Basis {
                atoms: &atoms,
                inverse: &inverse,
                fibre: &plain(&fibre),
                rate,
                reversible,
            };
            let Some((family, excess)) = graded::family(&ground, degree) else {
                continue;
            };
            whole_done |= is_whole;
            let words = format!(
                "{parity}polynomials of degree {degree} in {} {what}, of degree {excess} and {rate} more for each two velocities less ({} candidates)",
                ansatz.listed(&plain(&fibre)),
                family.monomials.len()
            );
            stages.push(Stage {
                what: StageKind::Graded(family, degree),
                words: Some(words),
            });
        }
        stages
    }

    fn search_stage(
        &mut self,
        stage: &Stage,
        (named, ansatz): (&[Named<'g>], &Ansatz<'g>),
        parameters: Parameters,
        stop: &dyn Fn() -> bool,
    ) {
        let constants = match parameters {
            Parameters::Values => Vec::new(),
            _ => constants(self.p),
        };
        let given = (constants.as_slice(), parameters);
        match &stage.what {
            StageKind::Polynomials => {
                self.among_named(named, given, stop);
                self.in_families(ansatz, &ansatz.families, given, stop);
            }
            StageKind::Places => self.of_rows(),
            StageKind::Graded(family, degree) => {
                self.of_degree(ansatz, (family, *degree), given, stop);
            }
            StageKind::Products => self.products(ansatz, given, stop),
            StageKind::Quotients => self.quotients(ansatz, given, stop),
        }
    }

    /// Energies alone, then with momenta, which may be part of a moving energy, and with what constant forces do.
    fn among_named(
        &mut self,
        named: &[Named<'g>],
        (constants, parameters): (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) {
        let energies: Vec<usize> = (0..named.len())
            .filter(|i| named[*i].sort == CandidateKind::Energy)
            .collect();
        let others = (0..named.len()).filter(|i| named[*i].sort != CandidateKind::Energy);
        let all: Vec<usize> = others.chain(energies.iter().copied()).collect();
        for places in [energies, all] {
            let mut generators: Vec<Ex<'g>> = named.iter().map(|x| x.value).collect();
            let family = Family {
                monomials: places.into_iter().map(|i| vec![i]).collect(),
                parts: Vec::new(),
                words: String::new(),
            };
            let (known, families) = (self.energies(&mut generators), [family]);
            let shown: Vec<Ex<'g>> = named.iter().map(|x| x.shown).collect();
            let given = (constants, parameters);
            let (found, generators) = (
                self.search(&generators, &families, &known, given, stop),
                Generators {
                    generators: &generators,
                    shown: &shown,
                    constants,
                },
            );
            let found = found
                .iter()
                .filter_map(|x| words::of_named(self.p, named, &generators, x));
            self.found.extend(found);
        }
    }

    /// All monomials of some families.
    fn in_families(
        &mut self,
        ansatz: &Ansatz<'g>,
        families: &[Family],
        given: (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) {
        let mut generators = ansatz.generators.clone();
        let known = self.energies(&mut generators);
        let found = self.search(&generators, families, &known, given, stop);
        self.keep(ansatz, &generators, found, given.0);
    }

    /// The integrals of the rows, as `check` finds them.
    fn of_rows(&mut self) {
        let rows = SampledConstraints::new(self.p);
        for integral in rows.integrals() {
            let value = self.p.system.graph.ex(integral.value);
            self.add(Some(CandidateIntegral {
                text: value.to_string(),
                kind: format!("function of the place, from {}", integral.rows.join(", ")),
                value,
                shown: value,
                rate: self.p.system.drift(value),
                degree: 0,
                energy: false,
                simple: true,
            }));
        }
    }

    /// A family of higher degree: what is a combination of products of lower integrals is not new.
    fn of_degree(
        &mut self,
        ansatz: &Ansatz<'g>,
        (family, degree): (&Family, usize),
        given: (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) {
        let mut generators = ansatz.generators.clone();
        let begin = generators.len();
        let lower: Vec<&CandidateIntegral<'g>> =
            self.found.iter().filter(|x| x.degree <= degree).collect();
        generators.extend(lower.iter().map(|found| found.value));
        let places: Vec<usize> = (begin..generators.len()).collect();
        let room = (1..=degree)
            .rev()
            .find_map(|d| products(&plain(&places), d, MAX_KNOWN));
        let fits = |known: &Monomial| {
            let degrees = known.iter().map(|place| lower[place - begin].degree);
            !known.is_empty() && degrees.sum::<usize>() <= degree
        };
        let known: Vec<Monomial> = room.unwrap_or_default().into_iter().filter(fits).collect();
        let families = std::slice::from_ref(family);
        let found = self.search(&generators, families, &known, given, stop);
        self.keep(ansatz, &generators, found, given.0);
    }

    /// Adds combinations of monomials, simple ones first.
    fn keep(
        &mut self,
        ansatz: &Ansatz<'g>,
        generators: &[Ex<'g>],
        found: Vec<Combination>,
        constants: &[Ex<'g>],
    ) {
        let degree = |combination: &Combination| {
            let degrees = combination.iter();
            let degrees = degrees.map(|(_, x)| ansatz.velocity_degree(x));
            degrees.max().unwrap_or(0)
        };
        let mut all: Vec<(usize, Combination)> =
            found.into_iter().map(|x| (degree(&x), x)).collect();
        all.sort_by_key(|(degree, combination)| {
            let factors: usize = combination.iter().map(|(_, x)| x.len()).sum();
            (*degree, combination.len(), factors)
        });
        all.truncate(MAX_INTEGRALS);
        let generators = Generators {
            generators,
            shown: &ansatz.shown,
            constants,
        };
        for (degree, combination) in all {
            let form = (degree, ansatz.is_simple(&combination));
            let found = words::of_monomials(self.p, &generators, &combination, form);
            self.add(found);
        }
    }

    fn add(&mut self, found: Option<CandidateIntegral<'g>>) {
        let found = found.filter(|found| !named::speaks_of_inputs(self.p, found.value));
        let is_new = |found: &CandidateIntegral<'g>| {
            self.found.iter().all(|known| known.value != found.value)
        };
        if let Some(found) = found.filter(is_new) {
            self.found.push(found);
        }
    }

    /// Products of powers and exponentials.
    fn products(
        &mut self,
        ansatz: &Ansatz<'g>,
        given: (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) {
        let ground = ratios::ground(self.p, ansatz);
        for relation in self.relations(&ground.rates(self.p), given, stop) {
            self.add(ground.product(self.p, &relation, given.0));
        }
    }

    /// Quotients of a linear function of the velocities and a velocity.
    fn quotients(
        &mut self,
        ansatz: &Ansatz<'g>,
        given: (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) {
        let system = &self.p.system;
        let numerators = ratios::numerators(self.p, ansatz);
        for w in ratios::denominators(self.p) {
            let cofactor = system.total_rate(w) / w;
            let columns = numerators
                .iter()
                .map(|x| system.total_rate(*x) - cofactor * *x);
            let columns: Vec<Ex<'g>> = columns.collect();
            for relation in self.relations(&columns, given, stop) {
                self.add(ratios::quotient(
                    self.p,
                    (&numerators, w),
                    &relation,
                    given.0,
                ));
            }
        }
    }

    /// Adds the energies that are conserved to the generators.
    fn energies(&self, generators: &mut Vec<Ex<'g>>) -> Vec<Monomial> {
        let energies = self.found.iter().filter(|found| found.energy);
        let begin = generators.len();
        generators.extend(energies.map(|found| found.value));
        (begin..generators.len()).map(|place| vec![place]).collect()
    }

    /// The sets of states that are tried one after the other, with what factors are made of there.
    fn places<'c>(
        &self,
        (constants, parameters): (&'c [Ex<'g>], Parameters),
    ) -> Vec<(Locus<'g>, &'c [Ex<'g>], SampleSource)> {
        let values = parameters == Parameters::Values;
        let first = self.first_seed();
        let seeds = (0..SEEDS).map(|seed| {
            let locus = match values {
                true => self.set.locus(Parameters::Values),
                false => self.set.locus_at(&random_values(
                    self.p,
                    first.wrapping_add(seed).wrapping_add(1),
                )),
            };
            let from = SampleSource {
                seed: first.wrapping_add(seed),
                keep_functions: !values,
            };
            (locus, constants, from)
        });
        // Where rows have no points for given parameters, these have to move: no factor is made of them.
        let moving = (!values).then(|| {
            let locus = self.set.locus(Parameters::Any);
            let from = SampleSource {
                seed: first,
                ..SampleSource::default()
            };
            (locus, &[][..], from)
        });
        seeds.chain(moving).collect()
    }

    /// The integrals of all families.
    fn search(
        &mut self,
        generators: &[Ex<'g>],
        families: &[Family],
        known: &[Monomial],
        given: (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) -> Vec<Combination> {
        let values = given.1 == Parameters::Values;
        let mut why = String::new();
        for (locus, constants, from) in self.places(given) {
            let query = Query {
                generators,
                families,
                known,
                locus: &locus,
                from,
                constants,
            };
            match search(self.p, (self.set, &self.form.sketch), &query, stop) {
                Ok(answer) => {
                    self.has_points = true;
                    if answer.other_factors > 0 && values {
                        self.note(format!(
                            "{} integrals left out whose factors are no rational numbers with few digits",
                            answer.other_factors
                        ));
                    }
                    return answer.found.into_iter().flatten().collect();
                }
                Err(error) => why = error.to_string(),
            }
            if stop() {
                return Vec::new();
            }
        }
        if values && !self.has_points {
            self.note(why);
        }
        Vec::new()
    }

    /// Relations between columns.
    fn relations(
        &self,
        columns: &[Ex<'g>],
        given: (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) -> Vec<Vec<(usize, crate::constraints::candidates::factor::Factor)>> {
        for (locus, constants, from) in self.places(given) {
            let place = (&locus, constants, from);
            let sources = (self.set, &self.form.sketch);
            match relations_of(sources, columns, place, stop) {
                Ok(relations) => return relations,
                Err(_) if stop() => break,
                Err(_) => {}
            }
        }
        Vec::new()
    }

    fn note(&mut self, words: String) {
        if !self.notes.contains(&words) {
            self.notes.push(words);
        }
    }

    /// Seeds that are asked for lie far from each other.
    fn first_seed(&self) -> u64 {
        self.options.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    /// Energies, and those of the others that are not functions of each other, where proved.
    ///
    /// A simple integral is kept beside an energy that is a function of it and others.
    fn settle(&mut self) {
        self.look();
        let kept = self.independent();
        self.prove(&kept);
        let answers = kept.into_iter().filter_map(|i| {
            let found = &self.found[i];
            let verdict = self.settled.get(&found.value.id())?.verdict.clone()?;
            verdict.is_proved().then(|| Integral {
                expression: found.text.clone(),
                kind: self.between_jumps(found),
                verdict,
            })
        });
        self.integrals = answers.collect();
    }

    /// What an integral is, and between which jumps it is one.
    fn between_jumps(&self, found: &CandidateIntegral<'g>) -> String {
        let parts = jumps_along(self.p, Some(self.form), found.shown, &[], &[]);
        match parts.as_slice() {
            [] => found.kind.clone(),
            parts => format!("{}, between jumps of {}", found.kind, parts.join(", ")),
        }
    }

    /// Looks at what is new in numbers.
    fn look(&mut self) {
        let is_new = |found: &&CandidateIntegral<'g>| !self.settled.contains_key(&found.value.id());
        let new: Vec<CandidateIntegral<'g>> = self.found.iter().filter(is_new).cloned().collect();
        for (found, verdict) in new.iter().zip(looks(self.p, self.form, &new)) {
            if let NumericVerdict::Changes(at) = &verdict {
                let known = self.changing.iter().position(|(other, _)| other == at);
                let place = known.unwrap_or(self.changing.len());
                if known.is_none() {
                    self.changing.push((at.clone(), Vec::new()));
                }
                let texts = &mut self.changing[place].1;
                if !texts.contains(&found.text) {
                    texts.push(found.text.clone());
                }
            }
            let settled = Settled {
                left_out: verdict != NumericVerdict::Constant,
                verdict: None,
            };
            self.settled.insert(found.value.id(), settled);
        }
    }

    /// Places of energies, and of the others that are no functions of each other.
    fn independent(&self) -> Vec<usize> {
        let is_constant = |i: &usize| {
            let settled = self.settled.get(&self.found[*i].value.id());
            settled.is_none_or(|settled| !settled.left_out)
        };
        // What is not simple may be the energy less something simple.
        let rank = |found: &CandidateIntegral<'g>| match (found.energy, found.simple) {
            (true, _) => 1,
            (_, simple) => 2 * usize::from(!simple),
        };
        let mut order: Vec<usize> = (0..self.found.len()).filter(is_constant).collect();
        let (mut energies, others): (Vec<usize>, Vec<usize>) =
            order.iter().partition(|i| self.found[**i].energy);
        order.sort_unstable_by_key(|i| (rank(&self.found[*i]), *i));
        let values: Vec<Ex<'g>> = order.iter().map(|i| self.found[*i].value).collect();
        let independent = independent(self.p, self.set, &values, self.first_seed());
        let is_new: HashSet<usize> = independent.into_iter().map(|i| order[i]).collect();
        energies.extend(others.into_iter().filter(|i| is_new.contains(i)));
        energies
    }

    /// `I' = 0`, asked all at once where it was not asked before.
    fn prove(&mut self, kept: &[usize]) {
        let is_open = |i: &usize| {
            let settled = self.settled.get(&self.found[*i].value.id());
            settled.is_some_and(|settled| settled.verdict.is_none())
        };
        let open: Vec<usize> = kept.iter().copied().filter(is_open).collect();
        let rates: Vec<Ex<'g>> = open.iter().map(|i| self.found[*i].rate).collect();
        let verdicts = self.verdicts(&rates);
        let unproved = verdicts
            .iter()
            .filter(|verdict| !verdict.is_proved())
            .count();
        if unproved > 0 {
            self.note(format!(
                "{unproved} candidates could not be proved and are left out"
            ));
        }
        for (i, verdict) in open.iter().zip(verdicts) {
            let id = self.found[*i].value.id();
            if let Some(settled) = self.settled.get_mut(&id) {
                settled.verdict = Some(verdict);
            }
        }
    }

    fn verdicts(&self, rates: &[Ex<'g>]) -> Vec<Verdict> {
        let mut batch = QuestionBatch::new(self.p, self.set);
        batch.guard_by(Some(self.form));
        let mut sketch = self.form.sketch.clone();
        let names: Vec<String> = (0..rates.len()).map(|i| format!("rate {i}")).collect();
        for (name, rate) in names.iter().zip(rates) {
            sketch.output_list(name, &[*rate]);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Ok(program) = batch.program(&sketch, &names) else {
            return Vec::new();
        };
        for name in &names {
            let rate = batch.results(program, &[name]);
            let asked = batch.equal(rate, None);
            batch.of_motions(asked);
        }
        let verdicts = batch.verdicts().into_iter();
        verdicts
            .map(|verdict| verdict.with_special(self.p))
            .collect()
    }

    /// What there is, with what is still to be searched.
    fn answer(&self, (named, ansatz): (&[Named<'g>], &Ansatz<'g>), left: &[String]) -> Conserved {
        let mut notes = self.notes.clone();
        notes.extend(self.changing.iter().map(words::of_another_part));
        notes.extend(left.iter().map(|words| format!("not searched: {words}")));
        Conserved {
            ansatz: words::searched(named, ansatz, (&self.searched, &notes)),
            integrals: self.integrals.clone(),
            seed: self.options.seed,
            interrupted: false,
            over_budget: !ansatz.left_out.is_empty(),
        }
    }
}
