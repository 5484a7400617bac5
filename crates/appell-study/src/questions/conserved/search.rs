//! Linear algebra at random points: which combinations of candidates have the rate zero.

use super::ansatz::{Family, Monomial};
use crate::constraints::candidates::factor::{Factor, Units};
use crate::questions::prove::Parameters;
use crate::questions::prove::constraint_set::ConstraintSet;
use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_expr::{Column, Ex, LinearRelation, Locus, SampleSource, Samples, Sketch};

/// More points than candidates, so that no relation is met by chance.
const SPARE_POINTS: usize = 8;
/// So many primes are tried until one admits states: half of all numbers have no root.
pub(super) const SEEDS: u64 = 8;
const VALUES: &str = "values of the candidates";
const RATES: &str = "rates of the candidates";
const CONSTANTS: &str = "constants";
const GRADIENTS: &str = "gradients";

/// `Sum c_k` times the products of some generators.
pub(super) type Combination = Vec<(Factor, Monomial)>;

/// What a search asks for.
pub(super) struct Query<'a, 'g> {
    /// What the candidates are made of.
    pub generators: &'a [Ex<'g>],
    /// The candidates.
    pub families: &'a [Family],
    /// Products of generators of which integrals shall not be linear combinations.
    pub known: &'a [Monomial],
    /// The states. Parameters have one value each.
    pub locus: &'a Locus<'g>,
    /// How they are drawn.
    pub from: SampleSource,
    /// What the factors `c_k` may be made of, besides numbers.
    pub constants: &'a [Ex<'g>],
}

/// The combinations that were found.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// By family.
    pub found: Vec<Vec<Combination>>,
    /// Integrals whose factors are not of the kind that was asked for.
    pub other_factors: usize,
}

/// The integrals of each family, a basis modulo what vanishes on the constraints, constants, and
/// what is known. Nothing is proved here.
///
/// # Errors
/// Why nothing can be searched.
pub(super) fn search<'g>(
    p: &Prepared<'g>,
    (set, sketch): (&ConstraintSet<'g>, &Sketch<'g>),
    query: &Query<'_, 'g>,
    stop: &dyn Fn() -> bool,
) -> Result<Answer, Error> {
    let count = query.generators.len();
    let mut sketch = sketch.clone();
    sketch.output_list(VALUES, query.generators);
    let rates = query.generators.iter().map(|x| p.system.total_rate(*x));
    sketch.output_list(RATES, &rates.collect::<Vec<_>>());
    sketch.output_list(CONSTANTS, query.constants);
    let program = sketch.program(&set.symbols, &[VALUES, RATES, CONSTANTS])?;
    let most = query.families.iter().map(|family| family.monomials.len());
    let wanted = most.max().unwrap_or(0) + SPARE_POINTS;
    let samples = Samples::draw(query.locus, &program, (wanted, query.from), stop)?;
    if samples.len() < wanted {
        return Err(Error::no_value(format!(
            "only {} random points lie on the constraints and in the domain of every formula",
            samples.len()
        )));
    }
    let table = Table::new(&samples, count, query.constants.len());
    let mut answer = Answer::default();
    for family in query.families {
        if stop() {
            break;
        }
        table.search(family, query.known, &mut answer);
    }
    Ok(answer)
}

struct Table<'s> {
    samples: &'s Samples,
    values: Vec<Column>,
    rates: Vec<Column>,
    units: Units,
}

impl<'s> Table<'s> {
    /// Columns are the values of the generators, their rates, the constants.
    fn new(samples: &'s Samples, generators: usize, constants: usize) -> Self {
        let column = |i: usize| samples.column(i);
        let constants = 2 * generators..2 * generators + constants;
        let constants = constants.filter_map(|i| column(i).first().copied());
        Self {
            samples,
            values: (0..generators).map(column).collect(),
            rates: (generators..2 * generators).map(column).collect(),
            units: Units::new(samples, &constants.collect::<Vec<u64>>()),
        }
    }

    /// The integrals of a family that are not known yet.
    fn search(&self, family: &Family, known: &[Monomial], answer: &mut Answer) {
        let mut found = Vec::new();
        // First what needs one product of velocities only: among all others it might be found as a
        // sum with another integral.
        let parts = family.parts.iter().map(Vec::as_slice);
        let all: Vec<usize> = (0..family.monomials.len()).collect();
        let relations = parts
            .chain([all.as_slice()])
            .flat_map(|part| self.integrals(family, part));
        for relation in relations.collect::<Vec<_>>() {
            if self.is_known(family, &relation, known) {
                continue;
            }
            let lifted = relation.iter().map(|(place, factor)| {
                let factor = self.units.factor(self.samples, *factor)?;
                Some((factor, family.monomials[*place].clone()))
            });
            match lifted.collect() {
                Some(lifted) => found.push(lifted),
                None => answer.other_factors += 1,
            }
        }
        answer.found.push(found);
    }

    fn value(&self, monomial: &[usize]) -> Column {
        let factors = monomial.iter().map(|place| &self.values[*place]);
        factors.fold(self.samples.ones(), |product, x| {
            self.samples.product(&product, x)
        })
    }

    /// By the product rule.
    fn rate(&self, monomial: &[usize]) -> Column {
        let none = vec![0; self.samples.len()];
        (0..monomial.len()).fold(none, |sum, i| {
            let others = [&monomial[..i], &monomial[i + 1..]].concat();
            let rate = &self.rates[monomial[i]];
            let term = self.samples.product(&self.value(&others), rate);
            self.samples.sum(&sum, &term)
        })
    }

    /// Relations between the rates of those candidates that are independent on the constraints.
    fn integrals(&self, family: &Family, part: &[usize]) -> Vec<LinearRelation> {
        let monomials: Vec<&Monomial> = part.iter().map(|i| &family.monomials[*i]).collect();
        let values = monomials.iter().map(|monomial| self.value(monomial));
        let values: Vec<Column> = [self.samples.ones()].into_iter().chain(values).collect();
        let independent = self.samples.independent(&values).into_iter();
        let kept: Vec<usize> = independent.filter_map(|i| i.checked_sub(1)).collect();
        let rates: Vec<Column> = kept.iter().map(|i| self.rate(monomials[*i])).collect();
        let relations = self.samples.relations(&rates).into_iter();
        let in_family = |relation: LinearRelation| {
            let terms = relation.into_iter();
            terms
                .map(|(place, factor)| (part[kept[place]], factor))
                .collect()
        };
        relations.map(in_family).collect()
    }

    /// Whether an integral is a linear combination of these and a constant.
    fn is_known(&self, family: &Family, relation: &LinearRelation, known: &[Monomial]) -> bool {
        let none = vec![0; self.samples.len()];
        let whole = relation.iter().fold(none, |sum, (place, factor)| {
            let value = self.value(&family.monomials[*place]);
            let factors = vec![*factor; self.samples.len()];
            self.samples
                .sum(&sum, &self.samples.product(&value, &factors))
        });
        let known = known.iter().map(|monomial| self.value(monomial));
        let ones = [self.samples.ones()].into_iter();
        let columns: Vec<Column> = ones.chain(known).chain([whole]).collect();
        let independent = self.samples.independent(&columns);
        !independent.contains(&(columns.len() - 1))
    }
}

/// The relations `Sum c_k column_k = 0` between functions of the state and of the accelerations, by
/// places; those with other factors are left out. Nothing is proved here.
///
/// # Errors
/// Why nothing can be searched.
pub(super) fn relations_of<'g>(
    (set, sketch): (&ConstraintSet<'g>, &Sketch<'g>),
    columns: &[Ex<'g>],
    (locus, constants, from): (&Locus<'g>, &[Ex<'g>], SampleSource),
    stop: &dyn Fn() -> bool,
) -> Result<Vec<Vec<(usize, Factor)>>, Error> {
    let mut sketch = sketch.clone();
    sketch.output_list(RATES, columns);
    sketch.output_list(CONSTANTS, constants);
    let program = sketch.program(&set.symbols, &[RATES, CONSTANTS])?;
    let wanted = columns.len() + SPARE_POINTS;
    let samples = Samples::draw(locus, &program, (wanted, from), stop)?;
    if samples.len() < wanted {
        return Err(Error::no_value(
            "too few random points lie on the constraints",
        ));
    }
    let count = columns.len();
    let constants = (count..count + constants.len()).map(|i| samples.column(i)[0]);
    let units = Units::new(&samples, &constants.collect::<Vec<_>>());
    let all: Vec<Column> = (0..count).map(|i| samples.column(i)).collect();
    let relations = samples.relations(&all).into_iter();
    let lifted = relations.filter_map(|relation| {
        let terms = relation.into_iter();
        terms
            .map(|(place, factor)| Some((place, units.factor(&samples, factor)?)))
            .collect()
    });
    Ok(lifted.collect())
}

/// The functions that are not functions of those before them on the constraints: their gradients
/// are independent of those and of the rows' gradients at a random state.
pub(super) fn independent<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    functions: &[Ex<'g>],
    first_seed: u64,
) -> Vec<usize> {
    let (system, graph) = (&p.system, p.system.graph);
    let parametric = p.constraints.parametric.as_ref();
    let parametric = parametric.filter(|_| !p.constraints.has_dropped_rows());
    let (fibre, rows, functions) = match parametric {
        Some(parametric) => {
            let psi = parametric.psi.entries().iter().copied();
            let psi: Vec<(Ex<'g>, Ex<'g>)> = system.v.iter().copied().zip(psi).collect();
            let functions = graph.substitute(functions, &psi);
            (&parametric.z, set.position_rows.clone(), functions)
        }
        None => {
            let rows = set.position_rows.iter().chain(&set.velocity_rows);
            (&system.v, rows.copied().collect(), functions.to_vec())
        }
    };
    let state: Vec<Ex<'g>> = system.q.iter().chain(fibre).copied().collect();
    let at_random = |functions: &[Ex<'g>]| {
        let all = rows.iter().chain(functions);
        let gradients: Vec<Ex<'g>> = all.flat_map(|x| x.partials(&state)).collect();
        let mut sketch = Sketch::new(graph);
        sketch.output_list(GRADIENTS, &gradients);
        let program = sketch.program(&set.symbols, &[GRADIENTS]).ok()?;
        let locus = set.locus(Parameters::Values);
        let samples = (0..SEEDS).find_map(|seed| {
            let from = SampleSource {
                seed: first_seed.wrapping_add(seed),
                ..SampleSource::default()
            };
            let samples = Samples::draw(&locus, &program, (1, from), &|| false).ok()?;
            (!samples.is_empty()).then_some(samples)
        })?;
        let vectors = samples.independent_vectors(0..gradients.len(), state.len());
        let places = vectors.into_iter();
        let places = places.filter_map(|place| place.checked_sub(rows.len()));
        Some(places.collect::<Vec<usize>>())
    };
    if let Some(places) = at_random(&functions) {
        return places;
    }
    // One that has no value at any random state, as powers that are no roots there, must not hide what is known of the
    // others.
    let (known, others): (Vec<usize>, Vec<usize>) =
        (0..functions.len()).partition(|i| at_random(&functions[*i..=*i]).is_some());
    let of_known: Vec<Ex<'g>> = known.iter().map(|i| functions[*i]).collect();
    let all = at_random(&of_known).unwrap_or_else(|| (0..known.len()).collect());
    let mut places: Vec<usize> = all.into_iter().map(|place| known[place]).collect();
    places.extend(others);
    places.sort_unstable();
    places
}
