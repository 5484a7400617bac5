//! Integrals `f(q, t)` of holonomic combinations, within an ansatz.
//!
//! First candidates are coordinates, the time, functions that occur in the rows, their products by
//! pairs, and each term of a row times its coordinate, with the parameters that occur as factors.
//! Then logarithms of the factors of the rows' coefficients are added, which makes products of
//! powers, and arctangents and arcsines. Last an integrating factor of this kind is sought for each form of the
//! integrable part, and integrals among products with it.
//! The combinations with constant coefficients that are constant on every motion are a null space
//! in a prime field; each is proved by identity testing.

mod forms;
mod kernel;
mod multiplier;
mod shape;
mod symmetry;
mod terms;

use self::forms::{Form, forms_of, integrable_part, solved_from};
use self::kernel::{Letters, Relation, States};
use self::multiplier::integrating_factor;
use self::shape::sum_of;
use self::symmetry::contractions;
use self::terms::{Term, arcs, atoms, factors, products, push_new, sums_of};
use crate::constraints::candidates::product::LogSum;
use crate::states::near_start::differ_near_start;
use crate::states::scattered_states::scattered_state;
use crate::states::start::start;
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Finding, Fractions, Function, Id, Known, Locus, Matrix, Node, Rational, combined_rows,
    generic_rank, jumps, relations, vanish_on, vanishes,
};
use appell_mech::{forms as components, is_affine, states_on};
use std::collections::BTreeMap;

/// More candidates are not tried, but for all coordinates.
const MAX_CANDIDATES: usize = 160;
/// Forms that an integrating factor is sought for, at most.
const MAX_FORMS: usize = 12;
/// Functions in the exponent of an integrating factor, and their degree.
const EXPONENTS: (usize, usize) = (60, 3);
/// Products of the integrating factor with functions, and the degree of these.
const MULTIPLES: (usize, usize) = (120, 4);

/// A rate above this part of its terms is none of rounding.
const MOVES: f64 = 1e-6;

/// A function that is constant on every motion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Integral {
    /// `f(q, t)`.
    pub value: Id,
    /// The same as it is written.
    pub function: String,
    /// The rows that it is a combination of.
    pub rows: Vec<String>,
    /// `f'` as a combination of the rows with constant coefficients, if it is one.
    pub combination: Option<String>,
    /// The arcs in it that jump, as `atan(x/y)` at `y = 0`: it is constant between.
    pub jumps: Vec<String>,
}

impl Integral {
    /// The integral and where it comes from.
    pub fn words(&self) -> String {
        let Self {
            function,
            rows,
            combination,
            jumps,
            ..
        } = self;
        let between = match jumps.as_slice() {
            [] => String::new(),
            jumps => format!(" between jumps of {}", jumps.join(", ")),
        };
        match combination {
            Some(combination) => format!("{function} = const{between}, its rate is {combination}"),
            None => format!("{function} = const{between}, from {}", rows.join(", ")),
        }
    }
}

/// Up to `wanted` independent integrals of the rows, none of them a function of `known`.
pub(super) fn integrals<'g>(
    p: &Prepared<'g>,
    rows: &[(&str, Ex<'g>)],
    known: &[Ex<'g>],
    wanted: usize,
) -> Vec<Integral> {
    let mut search = IntegralSearch {
        p,
        named: rows,
        rows: rows.iter().map(|(_, row)| *row).collect(),
        found: known.to_vec(),
        integrals: Vec::new(),
        wanted,
    };
    search.among_polynomials();
    for letters in [Letters::Any, Letters::Values] {
        search.among_logarithms(letters);
    }
    search.integrals
}

/// A search in progress.
struct IntegralSearch<'a, 'g> {
    p: &'a Prepared<'g>,
    named: &'a [(&'a str, Ex<'g>)],
    rows: Vec<Ex<'g>>,
    /// What is known and what was found, logarithms written out.
    found: Vec<Ex<'g>>,
    integrals: Vec<Integral>,
    wanted: usize,
}

impl<'g> IntegralSearch<'_, 'g> {
    fn is_over(&self) -> bool {
        self.integrals.len() >= self.wanted
    }

    fn among_polynomials(&mut self) {
        let system = &self.p.system;
        let on_rows = states_on(system, &self.p.constraints, &self.rows, &[]);
        let candidates = candidates(self.p, &self.rows);
        let rates: Vec<Ex<'g>> = candidates.iter().map(|f| system.drift(*f)).collect();
        let columns = Matrix::from_fn(system.graph, 1, rates.len(), |_, j| rates[j]);
        let constants = relations(&on_rows, &columns).into_iter();
        let sums = constants.map(|c| combined(system.graph.zero(), &c, &candidates));
        let sums: Vec<(Ex<'g>, Ex<'g>)> = sums.map(|f| (f, system.drift(f))).collect();
        let mut sums = constant_on(&on_rows, sums);
        sums.retain(|(f, rate)| self.is_of_place(*f) && !self.moves_at_start(*rate));
        let new = new_ones(self.p, &self.found, &sums);
        sums = new.into_iter().map(|place| sums[place]).collect();
        sums.truncate(self.wanted - self.integrals.len());
        self.found.extend(sums.iter().map(|(f, _)| *f));
        let described = described_all(self.p, self.named, &sums);
        self.integrals.extend(described);
    }

    /// Whether a function speaks of no velocity: coefficients of rows as `sqrt(x'^2) = z'` do, and are not constant
    /// themselves.
    fn is_of_place(&self, f: Ex<'g>) -> bool {
        !f.depends_on_any(&self.p.system.v)
    }

    /// Whether a function that is constant by the rows has a rate at the velocities of the start, which may lie on a component
    /// that random points do not meet.
    fn moves_at_start(&self, rate: Ex<'g>) -> bool {
        differ_near_start(self.p, &[rate])
            || start(self.p).is_ok_and(|start| {
                // The rate may vanish where the start is though it does not elsewhere.
                let elsewhere = scattered_state(self.p, 0).1;
                [start.q.clone(), elsewhere].iter().any(|q| {
                    let state = [q.as_slice(), &start.v].concat();
                    self.on_rows(start.t, &state)
                        && self.vanish_at(&[rate], start.t, &state) == Some(false)
                })
            })
    }

    fn on_rows(&self, t: f64, state: &[f64]) -> bool {
        let positions: Vec<Ex<'g>> = self.p.constraints.positions().collect();
        let all = [self.rows.as_slice(), &positions].concat();
        self.vanish_at(&all, t, state) == Some(true)
    }

    /// Whether expressions are 0 at a state but for rounding; `None` where they have no value.
    fn vanish_at(&self, xs: &[Ex<'g>], t: f64, state: &[f64]) -> Option<bool> {
        let values = self.p.functions_of(xs).measured(t, state).ok()?;
        Some(values.iter().all(|x| x.value.abs() <= MOVES * x.size))
    }

    /// Sums of functions and logarithms; then with an integrating factor of each form.
    fn among_logarithms(&mut self, letters: Letters) {
        let affine = self.rows.iter().all(|row| is_affine(&self.p.system, *row));
        let no_parameters = letters == Letters::Values && self.p.model.parameters.is_empty();
        if self.is_over() || no_parameters {
            return;
        }
        let with_time = super::integrable::needs_time(self.p, &self.rows);
        let mut coordinates = self.p.system.q.clone();
        coordinates.extend(with_time.then_some(self.p.system.t));
        let states = States::new(self.p, &self.rows, letters);
        let forms = forms_of(self.p, &self.rows, with_time);
        let part = affine.then(|| integrable_part(self.p, forms.clone(), &coordinates));
        let part: Vec<Form<'g>> = part.flatten().unwrap_or_default();
        let all = [forms.as_slice(), &part].concat();
        let atoms = atoms(&coordinates, &self.p.system.v, &self.rows);
        let single = self.single(&part, &coordinates);
        let symmetric = single
            .iter()
            .flat_map(|form| contractions(&states, form, &coordinates));
        let symmetric: Vec<Ex<'g>> = symmetric.collect();
        // Factors of what is found may be those of what is not.
        let mut terms = Vec::new();
        let mut before = None;
        while !self.is_over() && before != Some(self.integrals.len()) {
            before = Some(self.integrals.len());
            let functions = [self.found.as_slice(), &symmetric].concat();
            let functions = (atoms.as_slice(), functions.as_slice());
            let factors = factors(self.p.system.graph, &coordinates, &all, functions);
            let arcs = arcs(self.p.system.graph, &coordinates, &factors, &atoms);
            terms = sums_of(&atoms, &factors, &arcs);
            self.take(&states, &terms, None);
        }
        if self.is_over() || part.is_empty() {
            return;
        }
        let exponents: Vec<Term<'g>> = factors_and(&terms, &atoms);
        let mut field = Fractions::new(self.p.system.graph, &coordinates);
        for form in single {
            if self.is_over() {
                break;
            }
            let factor = integrating_factor(&states, &form, &coordinates, &exponents);
            let Some(factor) = factor else { continue };
            let of_factor = products(&atoms, MULTIPLES.1, MULTIPLES.0);
            let of_factor = of_factor.into_iter().map(|x| field.simplified(factor * x));
            let of_factor: Vec<Term<'g>> = of_factor.map(Term::plain).collect();
            let more: Vec<Term<'g>> = terms
                .iter()
                .copied()
                .chain([Term::plain(factor)])
                .chain(of_factor)
                .collect();
            self.take(&states, &more, Some(factor));
        }
    }

    /// Forms that may have integrating factors of their own.
    fn single(&self, part: &[Form<'g>], coordinates: &[Ex<'g>]) -> Vec<Form<'g>> {
        let several = (0..coordinates.len()).filter(|_| part.len() > 1);
        let solved = several
            .flat_map(|first| solved_from(self.p, part, coordinates, first).unwrap_or_default());
        let mut kept: Vec<Form<'g>> = Vec::new();
        // A system is solved only where its forms are still wanted.
        for form in part.iter().cloned().chain(solved) {
            if kept.len() == MAX_FORMS {
                break;
            }
            if !kept.contains(&form) {
                kept.push(form);
            }
        }
        kept
    }

    /// The integrals that are sums of these terms.
    fn take(&mut self, states: &States<'_, 'g>, terms: &[Term<'g>], factor: Option<Ex<'g>>) {
        let system = &self.p.system;
        let rate = |term: &Term<'g>| {
            let rate = system.drift(term.value);
            match term.is_log {
                true => rate / term.value,
                false => rate,
            }
        };
        let columns: Vec<Ex<'g>> = terms.iter().map(rate).collect();
        let mut sums: Vec<(Relation, LogSum<'g>)> = states
            .relations(&self.rows, &[], &columns)
            .into_iter()
            .map(|relation| {
                let sum = sum_of(states, terms, &relation);
                (relation, sum)
            })
            .collect();
        sums.sort_by_key(|(relation, _)| relation.len());
        for (relation, sum) in sums {
            if self.is_over() {
                break;
            }
            let f = sum.value();
            let rates = relation.iter().map(|(place, factor)| {
                columns[*place] * factor.written(sum.one, &states.constants)
            });
            let rate = system.graph.sum(&rates.collect::<Vec<_>>());
            let holds = || vanish_on(&states.locus(&self.rows, &[]), &[rate]);
            // At the parameters in force: 4 h^2 sin^2 x + cos^2 x is a number for h = 1/2.
            let anywhere = states.locus(&[], &[]);
            let is_new = self.is_of_place(f) && is_new(self.p, &anywhere, &self.found, f);
            if !(is_new && matches!(holds(), Finding::Holds(_))) || self.moves_at_start(rate) {
                continue;
            }
            self.found.push(f);
            self.integrals
                .push(self.shown(states.letters, &sum, factor));
        }
    }

    /// The integral as a product, or with a common factor taken out where that is shorter.
    fn shown(&self, letters: Letters, sum: &LogSum<'g>, factor: Option<Ex<'g>>) -> Integral {
        let mut shown = sum.as_product();
        if let Some(factor) = factor.filter(|_| sum.logs.is_empty()) {
            let mut field = Fractions::new(self.p.system.graph, &self.p.system.q);
            let outside = field.simplified(shown / factor) * factor;
            if outside.to_string().len() < shown.to_string().len() {
                shown = outside;
            }
        }
        let rate = self.p.system.drift(sum.value());
        let mut integral = described(self.p, self.named, shown, rate);
        if letters == Letters::Values {
            integral.function.push_str(" (for the file's parameters)");
        }
        integral
    }
}

/// Logarithms, arcs, and products of few functions.
fn factors_and<'g>(terms: &[Term<'g>], atoms: &[Ex<'g>]) -> Vec<Term<'g>> {
    let few = products(atoms, EXPONENTS.1, EXPONENTS.0);
    let logs = terms.iter().copied().filter(|term| term.is_log);
    let few = few.into_iter().map(Term::plain);
    let arcs = terms
        .iter()
        .copied()
        .filter(|term| !term.is_log && is_arc(term.value));
    logs.chain(arcs).chain(few).collect()
}

fn is_arc(x: Ex<'_>) -> bool {
    matches!(x.node(), Node::Call(Function::Atan | Function::Asin, _))
}

fn combined<'g>(zero: Ex<'g>, constants: &[Rational], terms: &[Ex<'g>]) -> Ex<'g> {
    let terms = constants.iter().zip(terms).filter(|(c, _)| !c.is_zero());
    let terms: Vec<Ex<'g>> = terms.map(|(c, f)| f.scale(c)).collect();
    zero.graph().sum(&terms)
}

/// Whether the gradient of `f` is independent of those of the others at these states.
fn is_new<'g>(p: &Prepared<'g>, states: &Locus<'_>, others: &[Ex<'g>], f: Ex<'g>) -> bool {
    let all = [others, &[f]].concat();
    let gradients = Matrix::jacobian(p.system.graph, &all, &p.system.q);
    let order: Vec<usize> = (0..p.system.n()).collect();
    let found = generic_rank(states, &gradients, &order);
    found.is_some_and(|found| found.rows.contains(&others.len()))
}

/// Those functions, with their rates, that are constant on the locus: asked of all at once, and one by one
/// only where not all are.
fn constant_on<'g>(locus: &Locus<'_>, sums: Vec<(Ex<'g>, Ex<'g>)>) -> Vec<(Ex<'g>, Ex<'g>)> {
    let hold = |rates: &[Ex<'g>]| matches!(vanish_on(locus, rates), Finding::Holds(_));
    let rates: Vec<Ex<'g>> = sums.iter().map(|(_, rate)| *rate).collect();
    match rates.len() > 1 && hold(&rates) {
        true => sums,
        false => {
            let each = sums.into_iter();
            each.filter(|(_, rate)| hold(&[*rate])).collect()
        }
    }
}

/// The places of functions whose gradients are independent of those of the others and of those before.
fn new_ones<'g>(p: &Prepared<'g>, others: &[Ex<'g>], sums: &[(Ex<'g>, Ex<'g>)]) -> Vec<usize> {
    let all: Vec<Ex<'g>> = others
        .iter()
        .copied()
        .chain(sums.iter().map(|sum| sum.0))
        .collect();
    let gradients = Matrix::jacobian(p.system.graph, &all, &p.system.q);
    let locus = states_on(&p.system, &p.constraints, &[], &[]);
    let order: Vec<usize> = (0..p.system.n()).collect();
    let found = generic_rank(&locus, &gradients, &order);
    let rows = found.map_or_else(Vec::new, |found| found.rows);
    let new = rows
        .into_iter()
        .filter_map(|row| row.checked_sub(others.len()));
    let mut new: Vec<usize> = new.collect();
    new.sort_unstable();
    new
}

/// Which rows make up the rates, and how.
fn described_all<'g>(
    p: &Prepared<'g>,
    rows: &[(&str, Ex<'g>)],
    sums: &[(Ex<'g>, Ex<'g>)],
) -> Vec<Integral> {
    let expressions: Vec<Ex<'g>> = rows.iter().map(|(_, row)| *row).collect();
    let rates: Vec<Ex<'g>> = sums.iter().map(|(_, rate)| *rate).collect();
    let affine = expressions
        .iter()
        .chain(&rates)
        .all(|x| is_affine(&p.system, *x));
    let anywhere = states_on(&p.system, &p.constraints, &[], &[]);
    let needed = (affine && !sums.is_empty()).then(|| {
        let (rows, rates) = (
            components(&p.system, &expressions),
            components(&p.system, &rates),
        );
        combined_rows(&anywhere, &rows, &rates)
    });
    match needed.flatten() {
        Some(needed) => made_of_these(p, rows, sums, &needed),
        None => {
            let each = sums.iter();
            each.map(|(f, rate)| described(p, rows, *f, *rate))
                .collect()
        }
    }
}

/// The integrals that are made of these rows, by their places: many of them may be made of the same.
fn made_of_these<'g>(
    p: &Prepared<'g>,
    rows: &[(&str, Ex<'g>)],
    sums: &[(Ex<'g>, Ex<'g>)],
    needed: &[Vec<usize>],
) -> Vec<Integral> {
    let mut groups: BTreeMap<&[usize], Vec<Ex<'g>>> = BTreeMap::new();
    for ((f, _), places) in sums.iter().zip(needed) {
        groups.entry(places).or_default().push(p.system.drift(*f));
    }
    let known = groups.into_iter().map(|(places, rates)| {
        let chosen: Vec<Ex<'g>> = places.iter().map(|i| rows[*i].1).collect();
        (
            places,
            constant_combinations(p, &chosen, &rates).into_iter(),
        )
    });
    let mut known: BTreeMap<&[usize], _> = known.collect();
    let each = sums.iter().zip(needed);
    each.map(|((f, _), places)| {
        let chosen: Vec<(&str, Ex<'g>)> = places.iter().map(|i| rows[*i]).collect();
        let relation = known.get_mut(&places[..]).and_then(Iterator::next);
        integral_of(p, chosen, *f, relation.flatten())
    })
    .collect()
}

/// For each of the rates the constants `c` with `Sum_i c_i row_i + c_n rate = 0`, as far as there are any.
fn constant_combinations<'g>(
    p: &Prepared<'g>,
    rows: &[Ex<'g>],
    rates: &[Ex<'g>],
) -> Vec<Option<Vec<Rational>>> {
    let graph = p.system.graph;
    let anywhere = states_on(&p.system, &p.constraints, &[], &[]);
    let among = |parts: &[Ex<'g>]| {
        let columns = Matrix::from_fn(graph, 1, parts.len(), |_, j| parts[j]);
        relations(&anywhere, &columns)
    };
    let mut found: Vec<Option<Vec<Rational>>> = vec![None; rates.len()];
    for relation in among(&[rows, rates].concat()) {
        let last = relation.iter().rposition(|c| !c.is_zero());
        let Some(index) = last.and_then(|last| last.checked_sub(rows.len())) else {
            // Rows that depend on each other leave a choice.
            let each = rates.iter().map(|rate| [rows, &[*rate]].concat());
            return each.map(|parts| among(&parts).into_iter().next()).collect();
        };
        let (of_rows, of_rates) = relation.split_at(rows.len());
        if of_rates[..index].iter().all(|c| c.is_zero()) {
            found[index] = Some([of_rows, &of_rates[index..=index]].concat());
        }
    }
    found
}

/// Which rows make up `f'`, and how; `rate` vanishes where `f'` does.
fn described<'g>(p: &Prepared<'g>, rows: &[(&str, Ex<'g>)], f: Ex<'g>, rate: Ex<'g>) -> Integral {
    let system = &p.system;
    let mut needed: Vec<(&str, Ex<'g>)> = rows.to_vec();
    let mut index = 0;
    while index < needed.len() {
        let fewer: Vec<Ex<'g>> = needed
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != index)
            .map(|(_, (_, row))| *row)
            .collect();
        let locus = states_on(system, &p.constraints, &fewer, &[]);
        if matches!(vanish_on(&locus, &[rate]), Finding::Holds(_)) {
            needed.remove(index);
        } else {
            index += 1;
        }
    }
    let expressions: Vec<Ex<'g>> = needed.iter().map(|(_, row)| *row).collect();
    let relation = constant_combinations(p, &expressions, &[system.drift(f)]);
    integral_of(p, needed, f, relation.into_iter().next().flatten())
}

/// Whether rows are those of the file, not what these say on one sheet.
fn as_written(p: &Prepared<'_>, rows: &[(&str, Ex<'_>)]) -> bool {
    let phi_of = |name: &str| {
        let mut all = p.constraints.rows.iter();
        all.find(|row| row.name == name)?.phi
    };
    let graph = p.system.graph;
    let mut same = rows.iter().map(|(name, row)| {
        let row = graph.ex(row.id());
        phi_of(name).is_some_and(|phi| phi == row || vanishes(phi - row))
    });
    same.all(|same| same)
}

/// The integral of these rows, with the combination of them that its rate is, by its constants.
fn integral_of<'g>(
    p: &Prepared<'g>,
    needed: Vec<(&str, Ex<'g>)>,
    f: Ex<'g>,
    relation: Option<Vec<Rational>>,
) -> Integral {
    let system = &p.system;
    let rate = system.drift(f);
    let parts: Vec<Ex<'g>> = needed.iter().map(|(_, row)| *row).chain([rate]).collect();
    let anywhere = states_on(system, &p.constraints, &[], &[]);
    let mut rows: Vec<String> = needed.iter().map(|(name, _)| (*name).to_owned()).collect();
    rows.dedup();
    let combination = relation
        .filter(|_| as_written(p, &needed))
        .filter(|c| !vanish_on(&anywhere, &[combined(rate, c, &parts)]).fails())
        .map(|c| {
            let names = needed.iter().map(|(name, _)| system.graph.symbol(name));
            let names: Vec<Ex<'g>> = names.collect();
            (-combined(rate, &c[..names.len()], &names)).to_string()
        });
    Integral {
        value: f.id(),
        function: f.to_string(),
        rows,
        combination,
        jumps: jumping_arcs(p, f),
    }
}

fn jumping_arcs<'g>(p: &Prepared<'g>, f: Ex<'g>) -> Vec<String> {
    let graph = p.system.graph;
    let parameters = p.model.parameters.iter();
    let known = Known {
        constant: parameters.map(|x| graph.ex(x.symbol)).collect(),
        ..Known::default()
    };
    let is_arc = |part: &Ex<'g>| matches!(graph.node(part.id()), Node::Call(..));
    let arcs = jumps(f, &known).into_iter().filter(is_arc);
    arcs.map(|part| part.to_string()).collect()
}

/// The functions of the ansatz, simple ones first.
fn candidates<'g>(p: &Prepared<'g>, rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let system = &p.system;
    let parameters: Vec<Ex<'g>> = p
        .model
        .parameters
        .iter()
        .map(|x| system.graph.ex(x.symbol))
        .collect();
    let mut atoms = system.q.clone();
    if super::integrable::needs_time(p, rows) {
        atoms.push(system.t);
    }
    atoms.extend(functions(system.graph, &system.v, rows));
    let (mut scales, mut primitives) = (vec![system.graph.one()], Vec::new());
    let mut field = Fractions::new(system.graph, &[]);
    for row in rows.iter().filter(|row| is_affine(system, **row)) {
        let line = components(system, &[*row]);
        let variables = system.q.iter().chain([&system.t]);
        for (entry, x) in line.entries().iter().zip(variables) {
            for term in field.monomials(*entry).unwrap_or_default() {
                push_new(&mut primitives, term * *x);
                let factors = parameters.iter().filter(|a| term.depends_on(**a));
                let scale = factors.fold(system.graph.one(), |s, a| s * *a);
                push_new(&mut scales, scale);
            }
        }
    }
    let mut list = Vec::new();
    let pairs = || {
        let places = 0..atoms.len();
        places.flat_map(|i| (i..atoms.len()).map(move |j| (i, j)))
    };
    for scale in &scales {
        for atom in &atoms {
            push_new(&mut list, *scale * *atom);
        }
    }
    for primitive in primitives {
        push_new(&mut list, primitive);
    }
    // Rows q' + c q = .. have integrating factors exp(c t).
    for scale in scales.iter().filter(|_| atoms.contains(&system.t)) {
        let factor = (*scale * system.t).call(Function::Exp);
        for q in &system.q {
            push_new(&mut list, *q * factor);
        }
    }
    let most = MAX_CANDIDATES.max(atoms.len());
    for scale in &scales {
        for (i, j) in pairs() {
            if list.len() >= most {
                break;
            }
            push_new(&mut list, *scale * atoms[i] * atoms[j]);
        }
    }
    list.truncate(most);
    list
}

/// Functions of coordinates and time that occur in the rows; of sines and cosines both.
fn functions<'g>(graph: &'g appell_expr::Graph, v: &[Ex<'g>], rows: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let roots: Vec<_> = rows.iter().map(|row| row.id()).collect();
    let moves = |x: Ex<'g>| v.iter().any(|v| x.depends_on(*v));
    let mut found = Vec::new();
    for id in graph.reachable(&roots) {
        let x = graph.ex(id);
        match x.node() {
            Node::Product(factors) => {
                let roots = factors.iter().filter(|(_, e)| !e.is_integer());
                let roots = roots.map(|(base, e)| (graph.ex(*base), e.abs()));
                let still = roots.filter(|(base, _)| !moves(*base));
                still.for_each(|(base, e)| push_new(&mut found, base.pow_rational(&e)));
            }
            _ if moves(x) => {}
            Node::Call(Function::Sin | Function::Cos, arguments) => {
                let angle = graph.ex(arguments[0]);
                push_new(&mut found, angle.sin());
                push_new(&mut found, angle.cos());
            }
            Node::Call(..) | Node::Power(..) => push_new(&mut found, x),
            _ => {}
        }
    }
    found
}
