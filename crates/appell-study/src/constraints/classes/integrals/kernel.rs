//! Sums of functions with constant factors that vanish at all states of some rows.

use crate::constraints::candidates::factor::{Factor, Units};
use crate::constraints::candidates::functions::constants;
use crate::values::exact_values::random_values;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Locus, Rational, SampleSource, Samples, Sketch};
use appell_mech::put_on_positions;

/// More points than columns, so that no relation is met by chance.
const SPARE_POINTS: usize = 8;
/// So many primes are tried until one admits states.
const SEEDS: u64 = 6;

/// The parameters at the states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    /// Nothing is known of them: factors may be made of them.
    Any,
    /// They have the file's values.
    Values,
}

/// A sum of columns, by their places.
pub(super) type Relation = Vec<(usize, Factor)>;

/// States on the holonomic rows and on some velocity rows.
pub(super) struct States<'a, 'g> {
    pub p: &'a Prepared<'g>,
    pub letters: Letters,
    /// The parameters, and what is made of them alone, as far as it occurs.
    pub constants: Vec<Ex<'g>>,
}

impl<'a, 'g> States<'a, 'g> {
    /// Those of a model; `rows` tell which constants occur.
    pub fn new(p: &'a Prepared<'g>, rows: &[Ex<'g>], letters: Letters) -> Self {
        let graph = p.system.graph;
        let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
        let reachable = graph.reachable(&roots);
        let occurs = |x: &Ex<'g>| reachable.contains(&x.id());
        let constants = match letters {
            Letters::Any => constants(p).into_iter().filter(occurs).collect(),
            Letters::Values => Vec::new(),
        };
        Self {
            p,
            letters,
            constants,
        }
    }

    /// States where the parameters are unknowns, or have the file's values.
    pub fn locus(&self, rows: &[Ex<'g>], extra: &[Ex<'g>]) -> Locus<'g> {
        let values = match self.letters {
            Letters::Any => Vec::new(),
            Letters::Values => self.file_values(),
        };
        self.locus_with(&values, rows, extra)
    }

    /// The columns' relations `Sum c_k column_k = 0`: each ends in a column of its own. They are
    /// read from one prime field and not proved; those with other factors are left out.
    pub fn relations(
        &self,
        rows: &[Ex<'g>],
        extra: &[Ex<'g>],
        columns: &[Ex<'g>],
    ) -> Vec<Relation> {
        (0..SEEDS)
            .find_map(|seed| self.relations_at(seed, rows, extra, columns))
            .unwrap_or_default()
    }

    fn relations_at(
        &self,
        seed: u64,
        rows: &[Ex<'g>],
        extra: &[Ex<'g>],
        columns: &[Ex<'g>],
    ) -> Option<Vec<Relation>> {
        let values = match self.letters {
            Letters::Any => random_values(self.p, seed),
            Letters::Values => self.file_values(),
        };
        let locus = self.locus_with(&values, rows, extra);
        let mut sketch = Sketch::new(self.p.system.graph);
        sketch.output_list("columns", columns);
        sketch.output_list("constants", &self.constants);
        let program = sketch
            .program(locus.symbols(), &["columns", "constants"])
            .ok()?;
        let wanted = columns.len() + SPARE_POINTS;
        let keep_functions = self.letters == Letters::Any;
        let from = SampleSource {
            seed,
            keep_functions,
        };
        let samples = Samples::draw(&locus, &program, (wanted, from), &|| false).ok()?;
        if samples.len() < wanted {
            return None;
        }
        let count = columns.len();
        let first = |i: usize| samples.column(count + i).first().copied();
        let constants: Vec<u64> = (0..self.constants.len()).filter_map(first).collect();
        let units = Units::new(&samples, &constants);
        let all: Vec<_> = (0..count).map(|i| samples.column(i)).collect();
        let lifted = samples.relations(&all).into_iter().filter_map(|relation| {
            let terms = relation.into_iter();
            terms
                .map(|(place, factor)| Some((place, units.factor(&samples, factor)?)))
                .collect()
        });
        Some(lifted.collect())
    }

    fn locus_with(
        &self,
        values: &[(Ex<'g>, Ex<'g>)],
        rows: &[Ex<'g>],
        extra: &[Ex<'g>],
    ) -> Locus<'g> {
        let (system, graph) = (&self.p.system, self.p.system.graph);
        let parameters = self.p.model.parameters.iter().map(|x| graph.ex(x.symbol));
        let symbols = [system.t]
            .into_iter()
            .chain(system.q.iter().chain(&system.v).copied())
            .chain(parameters)
            .chain(extra.iter().copied());
        let mut locus = Locus::new(symbols.collect());
        for (symbol, value) in values {
            locus.set(*symbol, *value);
        }
        let positions: Vec<Ex<'g>> = self.p.constraints.positions().collect();
        put_on_positions(&mut locus, positions, &system.q, &[]);
        locus.on(rows.to_vec(), system.v.clone());
        locus
    }

    fn file_values(&self) -> Vec<(Ex<'g>, Ex<'g>)> {
        let graph = self.p.system.graph;
        let parameters = self.p.model.parameters.iter().zip(&self.p.parameters);
        let value = |written: Ex<'g>, number: f64| {
            let exact = written.as_rational().filter(|x| x.to_f64() == number);
            exact.or_else(|| Rational::from_decimal(&format!("{number:e}")))
        };
        let pairs = parameters.filter_map(|(parameter, number)| {
            let value = value(graph.ex(parameter.value), *number)?;
            Some((graph.ex(parameter.symbol), graph.number(value)))
        });
        pairs.collect()
    }
}
