//! First integrals, found and proved.
//!
//! A candidate `I = Sum c_k b_k(q, v, t)` with numbers `c_k` is an integral where
//! `Sum c_k b_k' = 0` on the constraints, `q''` being that of the motion: at every state one linear
//! equation for the `c_k`. The equations at random states of a prime field have the kernel that
//! all states have; it is lifted to rational numbers, freed of what is trivial, and each integral
//! is then proved like any identity.

mod ansatz;
pub(crate) mod factor;
pub(crate) mod functions;
mod named;
mod search;
mod words;

use crate::prepared::Prepared;
use crate::prove::forms::Forms;
use crate::prove::inquiry::Inquiry;
use crate::prove::scene::Scene;
use crate::prove::{Parameters, Verdict};
use ansatz::{Ansatz, Family, ansatz};
use appell_expr::{Ex, SampleSource, Sketch};
use appell_mech::FORMALISMS;
use functions::constants;
use named::Named;
use search::{Combination, Query, SEEDS, independent, search};
use serde::Serialize;
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use words::Letters;

/// The forms whose accelerations are used: the first that applies.
const FORMS: [&str; 3] = ["multipliers", "gibbs-appell", "projector"];
/// More integrals than this from one model are not looked through.
const MOST: usize = 80;

/// The answer of `appell conserved`.
#[derive(Debug, Clone, Serialize)]
pub struct Conserved {
    /// What was searched, in words.
    pub ansatz: String,
    /// What was found: energies, then functions of which none is a function of those before it and,
    /// unless it is a simpler one, of the energies.
    pub integrals: Vec<Integral>,
    /// Whether the search was stopped; what was found so far is kept.
    #[serde(skip)]
    pub interrupted: bool,
    /// Whether something was not searched for want of room; `ansatz` says what.
    #[serde(skip)]
    pub over_budget: bool,
}

/// A function that keeps its value along every motion.
#[derive(Debug, Clone, Serialize)]
pub struct Integral {
    /// As a model file writes it, such as in `{ constant = "..." }`.
    pub expression: String,
    /// What it is.
    pub kind: String,
    /// That it is proved, and for which parameters.
    #[serde(flatten)]
    pub verdict: Verdict,
}

/// An integral before it is proved.
#[derive(Debug, Clone)]
struct Found<'g> {
    text: String,
    kind: String,
    value: Ex<'g>,
    energy: bool,
    /// Whether it has a name, or no more than one product of velocities.
    simple: bool,
}

/// Searches the ansatz for first integrals, until the flag is set.
pub fn conserved(p: &Prepared<'_>, cancel: Option<&AtomicBool>) -> Conserved {
    let stop = || cancel.is_some_and(|flag| flag.load(Ordering::Relaxed));
    let own = FORMS
        .iter()
        .filter_map(|id| FORMALISMS.iter().find(|form| form.id == *id));
    let forms = Forms::new(p, &own.copied().collect::<Vec<_>>());
    let Some(form) = forms.all.first() else {
        let reasons = forms
            .unavailable
            .iter()
            .map(|form| format!("{}: {}", form.form, form.why));
        let reasons: Vec<String> = reasons.collect();
        return Conserved {
            ansatz: format!(
                "nothing, for want of equations of motion: {}",
                reasons.join("; ")
            ),
            integrals: Vec::new(),
            interrupted: false,
            over_budget: false,
        };
    };
    let scene = Scene::new(p, &forms);
    let mut hunt = Hunt {
        p,
        scene: &scene,
        sketch: &form.sketch,
        found: Vec::new(),
        has_points: false,
        notes: Vec::new(),
    };
    let named = named::candidates(p);
    let ansatz = ansatz(p);
    for parameters in [Parameters::Any, Parameters::Values] {
        hunt.search_all(&named, &ansatz, parameters, &stop);
    }
    if stop() {
        hunt.note("interrupted before all of this was searched".to_owned());
    }
    let integrals = hunt.proved();
    let over_budget = !ansatz.left_out.is_empty();
    Conserved {
        ansatz: words::searched(&named, &ansatz, &hunt.notes),
        integrals,
        interrupted: stop(),
        over_budget,
    }
}

/// A search in progress.
struct Hunt<'a, 'g> {
    p: &'a Prepared<'g>,
    scene: &'a Scene<'g>,
    sketch: &'a Sketch<'g>,
    found: Vec<Found<'g>>,
    /// Whether states were found at all.
    has_points: bool,
    /// What did not go as it should.
    notes: Vec<String>,
}

impl<'g> Hunt<'_, 'g> {
    /// Everything, for parameters of which nothing is known, or for the file's values.
    fn search_all(
        &mut self,
        named: &[Named<'g>],
        ansatz: &Ansatz<'g>,
        parameters: Parameters,
        stop: &dyn Fn() -> bool,
    ) {
        let constants = match parameters {
            Parameters::Values => Vec::new(),
            _ => constants(self.p),
        };
        // Alone, then with momenta, which may be part of a moving energy.
        let energies: Vec<usize> = (0..named.len()).filter(|i| named[*i].energy).collect();
        let others = (0..named.len()).filter(|i| !named[*i].energy);
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
            let (found, letters) = (
                self.search(
                    &generators,
                    &families,
                    &known,
                    (&constants, parameters),
                    stop,
                ),
                Letters {
                    generators: &generators,
                    shown: &shown,
                    constants: &constants,
                },
            );
            let found = found
                .iter()
                .filter_map(|x| words::of_named(named, &letters, x));
            self.found.extend(found);
        }
        self.in_ansatz(ansatz, &constants, parameters, stop);
    }

    /// All families of monomials.
    fn in_ansatz(
        &mut self,
        ansatz: &Ansatz<'g>,
        constants: &[Ex<'g>],
        parameters: Parameters,
        stop: &dyn Fn() -> bool,
    ) {
        let mut generators = ansatz.generators.clone();
        let known = self.energies(&mut generators);
        let families = &ansatz.families;
        let found = self.search(&generators, families, &known, (constants, parameters), stop);
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
        all.truncate(MOST);
        let letters = Letters {
            generators: &generators,
            shown: &ansatz.shown,
            constants,
        };
        for (degree, combination) in all {
            let found = words::of_monomials(
                &letters,
                &combination,
                (degree, ansatz.is_simple(&combination)),
            );
            let is_new = |found: &Found<'g>| self.found.iter().all(|own| own.value != found.value);
            self.found.extend(found.filter(is_new));
        }
    }

    /// Adds the energies that are conserved to the generators.
    fn energies(&self, generators: &mut Vec<Ex<'g>>) -> Vec<usize> {
        let energies = self.found.iter().filter(|found| found.energy);
        let begin = generators.len();
        generators.extend(energies.map(|found| found.value));
        (begin..generators.len()).collect()
    }

    /// The integrals of all families.
    fn search(
        &mut self,
        generators: &[Ex<'g>],
        families: &[Family],
        known: &[usize],
        (constants, parameters): (&[Ex<'g>], Parameters),
        stop: &dyn Fn() -> bool,
    ) -> Vec<Combination> {
        let values = parameters == Parameters::Values;
        let seeds = (0..SEEDS).map(|seed| {
            let locus = match values {
                true => self.scene.locus(Parameters::Values),
                false => self.scene.locus_at(&self.random(seed)),
            };
            let keep_functions = !values;
            (
                locus,
                constants,
                SampleSource {
                    seed,
                    keep_functions,
                },
            )
        });
        // Where rows have no points for given parameters, these have to move: no factor is made of them.
        let moving = (!values).then(|| {
            let locus = self.scene.locus(Parameters::Any);
            (locus, &[][..], SampleSource::default())
        });
        let mut why = String::new();
        for (locus, constants, from) in seeds.chain(moving) {
            let query = Query {
                generators,
                families,
                known,
                locus: &locus,
                from,
                constants,
            };
            match search(self.p, (self.scene, self.sketch), &query, stop) {
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
                Err(words) => why = words,
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

    fn note(&mut self, words: String) {
        if !self.notes.contains(&words) {
            self.notes.push(words);
        }
    }

    /// Values of the parameters of which nothing is known: whole numbers that look random.
    fn random(&self, draw: u64) -> Vec<(Ex<'g>, Ex<'g>)> {
        let graph = self.p.system.graph;
        let mut state = 1 + draw;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 16).cast_signed()
        };
        let parameters = self.p.model.parameters.iter();
        parameters
            .map(|parameter| (graph.ex(parameter.symbol), graph.int(next())))
            .collect()
    }

    /// Energies, and those of the others that are not functions of each other, where proved.
    ///
    /// A simple integral is kept beside an energy that is a function of it and others.
    fn proved(&mut self) -> Vec<Integral> {
        let found: Vec<Found<'g>> = self.found.drain(..).collect();
        // What is not simple may be the energy less something simple.
        let rank = |found: &Found<'g>| match (found.energy, found.simple) {
            (true, _) => 1,
            (_, simple) => 2 * usize::from(!simple),
        };
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|i| rank(&found[*i]));
        let values: Vec<Ex<'g>> = order.iter().map(|i| found[*i].value).collect();
        let independent = independent(self.p, self.scene, &values);
        let is_new: HashSet<usize> = independent.into_iter().map(|i| order[i]).collect();
        let (mut energies, others): (Vec<usize>, Vec<usize>) =
            (0..found.len()).partition(|i| found[*i].energy);
        energies.extend(others.into_iter().filter(|i| is_new.contains(i)));
        let found: Vec<Found<'g>> = energies.into_iter().map(|i| found[i].clone()).collect();
        let verdicts = self.verdicts(&found);
        let count = found.len();
        let integrals: Vec<Integral> = found
            .into_iter()
            .zip(verdicts)
            .filter(|(_, verdict)| verdict.is_proved())
            .map(|(found, verdict)| Integral {
                expression: found.text,
                kind: found.kind,
                verdict,
            })
            .collect();
        if integrals.len() < count {
            let open = count - integrals.len();
            self.notes.push(format!(
                "{open} candidates could not be proved and are left out"
            ));
        }
        integrals
    }

    /// `I' = 0`, asked all at once.
    fn verdicts(&self, found: &[Found<'g>]) -> Vec<Verdict> {
        let mut inquiry = Inquiry::new(self.p, self.scene);
        let mut sketch = self.sketch.clone();
        let names: Vec<String> = (0..found.len()).map(|i| format!("rate {i}")).collect();
        for (name, found) in names.iter().zip(found) {
            sketch.output_list(name, &[self.p.system.total_rate(found.value)]);
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let Ok(program) = inquiry.program(&sketch, &names) else {
            return Vec::new();
        };
        for name in &names {
            let rate = inquiry.results(program, &[name]);
            inquiry.equal(rate, None);
        }
        inquiry.verdicts()
    }
}
