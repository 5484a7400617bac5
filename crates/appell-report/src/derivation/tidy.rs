//! Small expressions as a book prints them: in lowest terms, with `sin^2 + cos^2 = 1`, the angles
//! joined again, common factors in front. What is larger stays as it is.

use super::simplify::{content, monomial, reduced, terms};
use appell_expr::{Ex, Fractions, Function, Graph, Id, Node, Printer, Rational, Style};
use rustc_hash::FxHashMap;

/// Expressions of more nodes stay as they are.
const MAX_NODES: usize = 250;
/// Products of terms formed for one expression.
const WORK: usize = 10_000;
/// The same for one linear system.
const SOLVE_WORK: usize = 20_000;
/// The same for everything that one `Tidy` writes.
const ALL_WORK: usize = 40_000;
/// Counted for every expression besides.
const SPENT: usize = 100;
/// Sums of more terms are not searched for pairs.
const MAX_TERMS: usize = 40;

/// Writes small expressions shortly; remembers them.
pub(super) struct Tidy<'g> {
    graph: &'g Graph,
    /// What weighs most in the order of polynomials.
    symbols: Vec<Ex<'g>>,
    /// Symbols with their squares, as rows say.
    relations: Vec<(Ex<'g>, Ex<'g>)>,
    measure: Printer<'g>,
    known: FxHashMap<Id, Ex<'g>>,
    /// Products of terms that may still be formed.
    left: usize,
}

impl<'g> Tidy<'g> {
    pub fn new(graph: &'g Graph, symbols: Vec<Ex<'g>>, relations: Vec<(Ex<'g>, Ex<'g>)>) -> Self {
        let mut measure = Printer::new(graph, Style::Text);
        measure.loosen();
        Self {
            graph,
            symbols,
            relations,
            measure,
            known: FxHashMap::default(),
            left: ALL_WORK,
        }
    }

    /// Whether nothing more is taken apart.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// The length of its text.
    pub fn length(&mut self, x: Ex<'g>) -> usize {
        self.measure.length(x)
    }

    fn field(&self, work: usize) -> Fractions<'g> {
        let work = work.min(self.left);
        let mut field = Fractions::new(self.graph, &self.symbols).within(work);
        for (symbol, square) in &self.relations {
            field.relate(*symbol, *square);
        }
        field
    }

    /// The shortest of the forms that are known for it.
    pub fn short(&mut self, x: Ex<'g>) -> Ex<'g> {
        if let Some(known) = self.known.get(&x.id()) {
            return *known;
        }
        let small = self.left > 0 && self.graph.reachable(&[x.id()]).len() <= MAX_NODES;
        let best = match small {
            true => self.shortest_form(x),
            false => x,
        };
        self.known.insert(x.id(), best);
        best
    }

    fn shortest_form(&mut self, x: Ex<'g>) -> Ex<'g> {
        if matches!(x.node(), Node::Number(_) | Node::Symbol(_)) {
            return x;
        }
        let x = self.turned(x);
        let mut fields = vec![self.field(WORK)];
        if self.has_angles(x) {
            fields.push(self.field(WORK).by_sines());
        }
        let mut all = vec![x];
        for mut field in fields {
            let before = field.left();
            let lowest = field.simplified(x);
            self.left = self.left.saturating_sub(SPENT + before - field.left());
            if !all.contains(&lowest) {
                all.push(lowest);
            }
        }
        let mut forms = Vec::new();
        for form in all {
            forms.extend([form, cancelled(self.gathered(form))]);
        }
        forms.sort_by_cached_key(|form| self.measure.length(*form));
        forms[0]
    }

    fn has_angles(&self, x: Ex<'g>) -> bool {
        let all = self.graph.reachable(&[x.id()]);
        all.into_iter().any(|id| self.angle(id).is_some())
    }

    /// `cos(x - pi/2) = sin(x)` and its like, everywhere in an expression.
    fn turned(&self, x: Ex<'g>) -> Ex<'g> {
        let graph = self.graph;
        let mut by: Vec<(Ex<'g>, Ex<'g>)> = Vec::new();
        for id in graph.reachable(&[x.id()]) {
            if let Node::Call(f @ (Function::Sin | Function::Cos), arguments) = graph.node(id)
                && let Some(value) = self.quarter_turns(f, graph.ex(arguments[0]))
            {
                by.push((graph.ex(id), value));
            }
        }
        match by.is_empty() {
            true => x,
            false => x.substitute(&by),
        }
    }

    /// The sine or cosine of a sum with a multiple of a quarter turn.
    fn quarter_turns(&self, f: Function, argument: Ex<'g>) -> Option<Ex<'g>> {
        let pi = self.graph.pi();
        let turn = terms(argument).into_iter().find_map(|term| {
            let (c, factors) = monomial(term);
            let of_pi = matches!(factors.as_slice(), [(x, e)] if *x == pi.id() && e.is_one());
            of_pi.then_some((term, (&c + &c).to_i64()?))
        });
        let (term, quarters) = turn?;
        let rest = argument - term;
        let (s, c) = (rest.sin(), rest.cos());
        // f(rest + quarters pi/2), the cosine a quarter ahead of the sine.
        let ahead = quarters + i64::from(f == Function::Cos);
        Some(match ahead.rem_euclid(4) {
            0 => s,
            1 => c,
            2 => -s,
            _ => -c,
        })
    }

    /// Sums with their terms joined in pairs, and common factors in front.
    fn gathered(&mut self, x: Ex<'g>) -> Ex<'g> {
        let graph = self.graph;
        match x.node() {
            Node::Sum(constant, parts) if parts.len() > 1 || !constant.is_zero() => {
                let joined = self.joined(x);
                let factored = factored(joined);
                match self.measure.length(factored) <= self.measure.length(joined) {
                    true => factored,
                    false => joined,
                }
            }
            Node::Sum(_, parts) => {
                let (x, c) = &parts[0];
                self.gathered(graph.ex(*x)).scale(c)
            }
            Node::Product(factors) => {
                let factors = factors.iter();
                let factors: Vec<Ex<'g>> = factors
                    .map(|(x, e)| self.gathered(graph.ex(*x)).pow_rational(e))
                    .collect();
                graph.product(&factors)
            }
            _ => x,
        }
    }

    /// A sum, two terms of it replaced by one as long as any can be.
    fn joined(&mut self, x: Ex<'g>) -> Ex<'g> {
        let mut terms: Vec<Ex<'g>> = terms(x);
        if terms.len() > MAX_TERMS {
            return x;
        }
        while let Some((i, j, one)) = self.pair(&terms) {
            terms.remove(i.max(j));
            terms.remove(i.min(j));
            terms.push(one);
            let sum = self.graph.sum(&terms);
            terms = self::terms(sum);
        }
        self.graph.sum(&terms)
    }

    /// Two terms that are one.
    fn pair(&self, terms: &[Ex<'g>]) -> Option<(usize, usize, Ex<'g>)> {
        let place: FxHashMap<Id, usize> = terms.iter().map(|x| x.id()).zip(0..).collect();
        terms.iter().enumerate().find_map(|(i, x)| {
            let partners = self.partners(*x).into_iter();
            let mut there = partners.filter_map(|(y, one)| Some((i, *place.get(&y.id())?, one)));
            there.find(|(i, j, _)| i != j)
        })
    }

    /// Terms `y` for which `x + y` is one term by a theorem on angles, with that.
    fn partners(&self, x: Ex<'g>) -> Vec<(Ex<'g>, Ex<'g>)> {
        let angles: Vec<(Function, Ex<'g>, bool)> = monomial(x)
            .1
            .iter()
            .filter(|(_, e)| e.to_i64().is_some_and(|e| e >= 1))
            .filter_map(|(id, e)| {
                let (f, angle) = self.angle(*id)?;
                Some((f, angle, e.to_i64().is_some_and(|e| e >= 2)))
            })
            .collect();
        let mut found = Vec::new();
        for (f, a, _) in angles.iter().filter(|(_, _, twice)| *twice) {
            // T f^2 + T g^2 = T, and T f^2 - T = -T g^2.
            if let Some(rest) = reduced(x, of(*f, *a).pow(2)) {
                let complement = rest * of(other(*f), *a).pow(2);
                found.extend([(complement, rest), (-rest, -complement)]);
            }
        }
        for (f, a, _) in &angles {
            for (g, b, _) in angles.iter().filter(|(_, b, _)| b != a) {
                if *g != Function::Cos {
                    continue;
                }
                let Some(rest) = reduced(x, of(*f, *a) * of(*g, *b)) else {
                    continue;
                };
                let turned = rest * of(other(*f), *a) * of(other(*g), *b);
                let (same, opposite) = match f {
                    Function::Cos => (difference(*a, *b).cos(), (*a + *b).cos()),
                    _ => ((*a + *b).sin(), (*a - *b).sin()),
                };
                found.extend([(turned, rest * same), (-turned, rest * opposite)]);
            }
        }
        found
    }

    fn angle(&self, id: Id) -> Option<(Function, Ex<'g>)> {
        match self.graph.node(id) {
            Node::Call(f @ (Function::Sin | Function::Cos), arguments) => {
                Some((f, self.graph.ex(arguments[0])))
            }
            _ => None,
        }
    }

    /// The solution `X` of `matrix X = right`, if it can be written down with little work.
    pub fn solution(
        &mut self,
        size: usize,
        matrix: &[Ex<'g>],
        right: &[Ex<'g>],
    ) -> Option<Vec<Ex<'g>>> {
        let mut field = self.field(SOLVE_WORK);
        let before = field.left();
        let found = self.eliminated(&mut field, size, matrix, right);
        self.left = self.left.saturating_sub(before - field.left());
        Some(found?.into_iter().map(|x| self.short(x)).collect())
    }

    /// The solution by Gauss and Jordan, the simplest pivots first.
    fn eliminated(
        &self,
        field: &mut Fractions<'g>,
        size: usize,
        matrix: &[Ex<'g>],
        right: &[Ex<'g>],
    ) -> Option<Vec<Ex<'g>>> {
        let columns = right.len() / size;
        let minus = field.read(self.graph.int(-1))?;
        let mut rows = Vec::new();
        for i in 0..size {
            let row = &matrix[i * size..(i + 1) * size];
            let all = row.iter().chain(&right[i * columns..(i + 1) * columns]);
            rows.push(all.map(|x| field.read(*x)).collect::<Option<Vec<_>>>()?);
        }
        let mut pivots: Vec<Option<usize>> = vec![None; size];
        for _ in 0..size {
            let open = (0..size).filter(|i| !pivots.contains(&Some(*i)));
            let places = open.flat_map(|i| (0..size).map(move |j| (i, j)));
            let able = places.filter(|(i, j)| pivots[*j].is_none() && !rows[*i][*j].is_zero());
            let weight = |(i, j): &(usize, usize)| (rows[*i][*j].size(), *j, *i);
            let (i, j) = able.min_by_key(weight)?;
            pivots[j] = Some(i);
            let inverse = field.inverse(&rows[i][j])?;
            let scaled = rows[i].iter().map(|x| field.times(x, &inverse));
            rows[i] = scaled.collect::<Option<Vec<_>>>()?;
            let pivot_row = rows[i].clone();
            for (_, row) in rows.iter_mut().enumerate().filter(|(k, _)| *k != i) {
                if row[j].is_zero() {
                    continue;
                }
                let factor = field.times(&row[j], &minus)?;
                let pairs = pivot_row.iter().zip(row).filter(|(x, _)| !x.is_zero());
                for (x, y) in pairs {
                    let change = field.times(&factor, x)?;
                    *y = field.plus(y, &change)?;
                }
            }
        }
        let mut solution = Vec::new();
        for pivot in pivots {
            let row = &rows[pivot?];
            solution.extend(row[size..].iter().map(|x| field.write(x)));
        }
        Some(solution)
    }
}

/// The sine or the cosine of an angle.
fn of(f: Function, angle: Ex<'_>) -> Ex<'_> {
    match f {
        Function::Sin => angle.sin(),
        _ => angle.cos(),
    }
}

/// The cosine for the sine, the sine for the cosine.
fn other(f: Function) -> Function {
    match f {
        Function::Sin => Function::Cos,
        _ => Function::Sin,
    }
}

/// `a - b`, or `b - a` where that begins without a sign: their cosines are the same.
fn difference<'g>(a: Ex<'g>, b: Ex<'g>) -> Ex<'g> {
    let leads_with_minus = |x: Ex<'g>| {
        let mut printer = Printer::new(x.graph(), Style::Text);
        printer.print(x).starts_with('-')
    };
    match leads_with_minus(a - b) {
        true => b - a,
        false => a - b,
    }
}

/// A product in which no factor stands above and below.
fn cancelled(x: Ex<'_>) -> Ex<'_> {
    let graph = x.graph();
    let (c, factors) = monomial(x);
    let mut sums: Vec<(Id, Rational)> = Vec::new();
    for (x, e) in factors {
        match sums.iter_mut().find(|(y, _)| *y == x) {
            Some((_, sum)) => *sum = &*sum + &e,
            None => sums.push((x, e)),
        }
    }
    let powers: Vec<Ex<'_>> = sums
        .iter()
        .map(|(x, e)| graph.ex(*x).pow_rational(e))
        .collect();
    graph.product(&powers).scale(&c)
}

/// A sum with the factors that all its terms have in front.
fn factored(x: Ex<'_>) -> Ex<'_> {
    let graph = x.graph();
    let terms = terms(x);
    let mut factors: Option<Vec<(Id, Rational)>> = None;
    for term in &terms {
        let powers: Vec<(Id, Rational)> = monomial(*term).1;
        factors = Some(match factors {
            None => powers,
            Some(common) => common
                .into_iter()
                .filter_map(|(x, e)| {
                    let (_, d) = powers.iter().find(|(y, _)| *y == x)?;
                    (d.is_negative() == e.is_negative()).then(|| {
                        let least = if (&d.abs() - &e.abs()).is_negative() {
                            d.clone()
                        } else {
                            e
                        };
                        (x, least)
                    })
                })
                .collect(),
        });
    }
    let content = content(x);
    let common: Vec<Ex<'_>> = factors
        .iter()
        .flatten()
        .map(|(x, e)| graph.ex(*x).pow_rational(e))
        .collect();
    let common = graph.product(&common).scale(&content);
    if common.is_one() || common.is_zero() {
        return x;
    }
    let rest: Option<Vec<Ex<'_>>> = terms.iter().map(|term| reduced(*term, common)).collect();
    rest.map_or(x, |rest| common * graph.sum(&rest))
}
