//! Closed forms `v = psi(q, z, t)` of the constraints, where they can be found.
//!
//! Row by row: a row that is linear and homogeneous in two velocities leaves one multiple of a
//! vector; a row that is affine in a velocity is solved for it; a quadratic row is brought to
//! squares, and then it is a sphere, a hyperboloid or a cone, which angles describe.
//! Whatever is found is checked before it is handed out: `phi(q, psi, t) = 0`, `A Psi = 0`, the rank
//! of `Psi`.

mod quadric;

use crate::constraints::{Constraints, Parametrisation};
use crate::dependence::no_chart;
use crate::formalisms::quasi_velocities::Echelon;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Node, Rational, is_free_of, vanishes};

/// A parametric presentation of the constraints that the file does not give.
#[derive(Debug, Clone)]
pub struct ClosedForm<'g> {
    /// `v = psi(q, z, t)`.
    pub parametric: Parametrisation<'g>,
    /// How it was found, and on which sheet it lies: a clause for each row.
    pub words: Vec<String>,
}

/// Signs of expressions in `(q, v, t)` and parameters, looked up by whoever has numbers.
pub struct Signs<'a, 'g> {
    /// The sign that an expression has at every state that was looked at: -1 or 1.
    pub everywhere: &'a dyn Fn(Ex<'g>) -> Option<i64>,
    /// Its sign at the start of the motion.
    pub at_start: &'a dyn Fn(Ex<'g>) -> Option<i64>,
}

/// Looks for `v = psi(q, z, t)` on the constraints.
///
/// The chart of independent velocities says which velocities are better solved for.
///
/// # Errors
/// Nothing was found, and why.
pub fn closed_form<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    signs: &Signs<'_, 'g>,
) -> Result<ClosedForm<'g>, Unavailable> {
    let chart = constraints.chart.as_ref().ok_or_else(no_chart)?;
    let active: Vec<_> = constraints.active().collect();
    let mut rows = Vec::new();
    for row in chart.rows.iter().filter_map(|index| active.get(*index)) {
        let name = &row.name;
        let phi = row
            .phi
            .ok_or_else(|| Unavailable(format!("`{name}` is a constraint on accelerations")))?;
        rows.push((name.clone(), phi));
    }
    let mut search = Search {
        system,
        signs,
        dependent: &chart.dependent,
        values: system.v.clone(),
        open: system.v.clone(),
        parameters: Vec::new(),
        words: Vec::new(),
    };
    while !rows.is_empty() {
        let place = search.take_one(&rows)?;
        rows.remove(place);
    }
    let found = search.finish();
    check(
        system,
        constraints,
        chart.dependent.len(),
        &found.parametric,
    )?;
    Ok(found)
}

/// What is known of the velocities so far.
struct Search<'a, 'g> {
    system: &'a System<'g>,
    signs: &'a Signs<'a, 'g>,
    /// The velocities that are well determined by the rows.
    dependent: &'a [usize],
    /// All velocities, in terms of those that are open and of parameters.
    values: Vec<Ex<'g>>,
    /// The velocities that no row has determined yet.
    open: Vec<Ex<'g>>,
    /// The parameters so far.
    parameters: Vec<Ex<'g>>,
    words: Vec<String>,
}

/// A row, the velocity it is affine in, and its coefficient there.
#[derive(Clone, Copy)]
struct Affine<'g> {
    row: usize,
    v: Ex<'g>,
    slope: Ex<'g>,
}

impl<'g> Search<'_, 'g> {
    /// Uses one of the rows, the simplest first, and tells which.
    fn take_one(&mut self, rows: &[(String, Ex<'g>)]) -> Result<usize, Unavailable> {
        let known: Vec<_> = self
            .system
            .v
            .iter()
            .copied()
            .zip(self.values.clone())
            .collect();
        let current: Vec<Ex<'g>> = rows.iter().map(|(_, phi)| phi.substitute(&known)).collect();
        let affine = self.affine(&current);
        let constant = |found: &&Affine<'g>| self.is_constant(found.slope);
        let plain = |found: &&Affine<'g>| !self.moves(found.slope);
        if let Some(found) = affine.iter().find(constant).copied() {
            self.solve(rows, &current, found);
            return Ok(found.row);
        }
        for (place, phi) in current.iter().enumerate() {
            if let Some((v, w)) = self.pair(&affine, place, *phi) {
                self.turn(&rows[place].0, *phi, v, w);
                return Ok(place);
            }
        }
        if let Some(found) = affine.iter().find(plain).or(affine.first()).copied() {
            self.solve(rows, &current, found);
            return Ok(found.row);
        }
        for (place, phi) in current.iter().enumerate() {
            if let Some(quadric) = quadric::Quadric::new(self.system.graph, *phi, &self.open) {
                self.describe(&rows[place].0, &quadric)?;
                return Ok(place);
            }
        }
        let names: Vec<String> = rows.iter().map(|(name, _)| format!("`{name}`")).collect();
        Err(Unavailable(format!(
            "{} is neither affine in a velocity nor quadratic",
            names.join(", ")
        )))
    }

    /// Where rows are affine in an open velocity: those of the chart first.
    fn affine(&self, rows: &[Ex<'g>]) -> Vec<Affine<'g>> {
        let place = |v: &Ex<'g>| self.system.v.iter().position(|w| w == v);
        let preferred = |v: &&Ex<'g>| place(v).is_some_and(|i| self.dependent.contains(&i));
        let (first, then): (Vec<&Ex<'g>>, Vec<&Ex<'g>>) = self.open.iter().partition(preferred);
        let mut found = Vec::new();
        for v in first.into_iter().chain(then) {
            for (row, phi) in rows.iter().enumerate() {
                let coefficient = phi.diff(*v);
                if is_free_of(coefficient, *v) && !vanishes(coefficient) {
                    let slope = coefficient.substitute(&[(*v, self.system.graph.zero())]);
                    found.push(Affine { row, v: *v, slope });
                }
            }
        }
        found
    }

    /// Two open velocities in which a row is linear and homogeneous.
    fn pair(&self, affine: &[Affine<'g>], row: usize, phi: Ex<'g>) -> Option<(Ex<'g>, Ex<'g>)> {
        let in_row: Vec<&Affine<'g>> = affine.iter().filter(|x| x.row == row).collect();
        let in_order = |x: Ex<'g>, y: Ex<'g>| {
            let place = |v| self.system.v.iter().position(|w| *w == v);
            if place(x) < place(y) { (x, y) } else { (y, x) }
        };
        let pairs = in_row
            .iter()
            .enumerate()
            .flat_map(|(i, x)| in_row[i + 1..].iter().map(move |y| (*x, *y)));
        let mut pairs = pairs.filter(|(x, y)| {
            let apart = !x.slope.depends_on(y.v) && !y.slope.depends_on(x.v);
            apart && vanishes(phi - x.slope * x.v - y.slope * y.v)
        });
        pairs.next().map(|(x, y)| in_order(x.v, y.v))
    }

    /// `a v + b w = 0`: `v = -b z`, `w = a z`.
    fn turn(&mut self, name: &str, phi: Ex<'g>, v: Ex<'g>, w: Ex<'g>) {
        let z = self.parameter();
        let (a, b) = (phi.diff(v), phi.diff(w));
        self.words.push(format!(
            "`{name}` is linear in {} and {}, which are a multiple of one vector",
            name_of(v),
            name_of(w)
        ));
        self.put(&[(v, -(b * z)), (w, a * z)]);
    }

    /// `c v + phi(v = 0) = 0`.
    fn solve(&mut self, rows: &[(String, Ex<'g>)], current: &[Ex<'g>], by: Affine<'g>) {
        let Affine { row, v, slope } = by;
        let rest = current[row].substitute(&[(v, self.system.graph.zero())]);
        let (name, velocity) = (&rows[row].0, name_of(v));
        let limit = match self.is_constant(slope) {
            true => "",
            false => ", where its coefficient does not vanish",
        };
        let words = format!("`{name}` is solved for {velocity}{limit}");
        self.words.push(words);
        self.put(&[(v, -quotient(rest, slope))]);
    }

    /// A quadratic row by angles.
    fn describe(&mut self, name: &str, quadric: &quadric::Quadric<'g>) -> Result<(), Unavailable> {
        let mut fresh = Vec::new();
        let (graph, taken) = (self.system.graph, self.parameters.len());
        let mut parameter = || {
            let z = temporary(graph, taken + fresh.len());
            fresh.push(z);
            z
        };
        let (values, words) = quadric.parametrised(graph, self.signs, &mut parameter)?;
        self.parameters.extend(fresh);
        self.words.push(format!("`{name}` is {words}"));
        self.put(&values);
        Ok(())
    }

    fn parameter(&mut self) -> Ex<'g> {
        let z = temporary(self.system.graph, self.parameters.len());
        self.parameters.push(z);
        z
    }

    /// Open velocities get values.
    fn put(&mut self, by: &[(Ex<'g>, Ex<'g>)]) {
        self.open.retain(|v| by.iter().all(|(w, _)| w != v));
        self.values = self.system.graph.substitute(&self.values, by);
    }

    /// Whether an expression speaks of anything but parameters of the model.
    fn is_constant(&self, x: Ex<'g>) -> bool {
        let System { q, t, .. } = self.system;
        !self.moves(x) && !q.iter().chain([t]).any(|s| x.depends_on(*s))
    }

    /// Whether it speaks of velocities.
    fn moves(&self, x: Ex<'g>) -> bool {
        let mut velocities = self.open.iter().chain(&self.parameters);
        velocities.any(|v| x.depends_on(*v))
    }

    /// The open velocities are parameters, too; numbers them in the order of the coordinates.
    fn finish(self) -> ClosedForm<'g> {
        let (graph, model) = (self.system.graph, self.system.model);
        let mut order: Vec<Ex<'g>> = Vec::new();
        for value in &self.values {
            let is_free = |x: &Ex<'g>| self.open.contains(x) || self.parameters.contains(x);
            let mut new: Vec<Ex<'g>> = value.symbols().into_iter().filter(is_free).collect();
            new.retain(|x| !order.contains(x));
            let place = |x: &Ex<'g>| self.open.iter().position(|v| v == x);
            new.sort_by_key(place);
            order.extend(new);
        }
        let coordinates = model.coordinates.iter().map(|c| &c.name);
        let taken: Vec<&String> = coordinates
            .chain(model.parameters.iter().map(|p| &p.name))
            .chain(model.motion.variables.iter().map(|z| &z.name))
            .collect();
        let names = |stem: &str| -> Vec<String> {
            (1..=order.len()).map(|i| format!("{stem}{i}")).collect()
        };
        let free = |stem: &&str| names(stem).iter().all(|name| !taken.contains(&name));
        let stem = ["z", "w", "zeta", "xi"].into_iter().find(free);
        let names = names(stem.unwrap_or("z_"));
        let symbols = |end: &str| -> Vec<Ex<'g>> {
            let name = |name: &String| graph.symbol(&format!("{name}{end}"));
            names.iter().map(name).collect()
        };
        let (z, rates) = (symbols(""), symbols("'"));
        let by: Vec<_> = order.into_iter().zip(z.iter().copied()).collect();
        let psi = graph.substitute(&self.values, &by);
        let parametric = Parametrisation {
            partial: Matrix::jacobian(graph, &psi, &z),
            psi: Matrix::column(graph, psi),
            z,
            rates,
        };
        ClosedForm {
            parametric,
            words: self.words,
        }
    }
}

/// `phi(q, psi, t) = 0`, `A Psi = 0` for all active rows, and the rank of `Psi`.
fn check<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    rank: usize,
    found: &Parametrisation<'g>,
) -> Result<(), Unavailable> {
    let psi: Vec<_> = system
        .v
        .iter()
        .copied()
        .zip(found.psi.entries().to_vec())
        .collect();
    let active = constraints.active();
    let on_rows = active
        .filter_map(|row| row.phi)
        .all(|phi| vanishes(phi.substitute(&psi)));
    let product = &constraints.a.substitute(&psi) * &found.partial;
    let tangent = product.entries().iter().all(|x| vanishes(*x));
    let m = system.n() - rank;
    let independent = Echelon::new(system).independent(&found.partial.transpose());
    if on_rows && tangent && found.z.len() == m && independent.len() == m {
        return Ok(());
    }
    Err(Unavailable(
        "what was found did not pass the check phi(q, psi, t) = 0, A Psi = 0, rank Psi = m"
            .to_owned(),
    ))
}

/// `x/d`, without `d` where `x` has it or its opposite as a factor.
fn quotient<'g>(x: Ex<'g>, d: Ex<'g>) -> Ex<'g> {
    let (number, factors) = monomial(x);
    for (place, (factor, exponent)) in factors.iter().enumerate() {
        let sign = [1, -1].into_iter().find(|s| vanishes(*factor - *s * d));
        if let Some(sign) = sign.filter(|_| exponent.is_one()) {
            let others = factors.iter().enumerate().filter(|(i, _)| *i != place);
            let others = others.map(|(_, (x, e))| x.pow_rational(e));
            let rest = x.graph().product(&others.collect::<Vec<_>>());
            return sign * rest.scale(&number);
        }
    }
    x / d
}

/// `c` and the factors of `c Prod x_i ^ e_i`.
fn monomial(x: Ex<'_>) -> (Rational, Vec<(Ex<'_>, Rational)>) {
    let graph = x.graph();
    match x.node() {
        Node::Number(c) => (c, Vec::new()),
        Node::Product(factors) => {
            let factors = factors.iter().map(|(x, e)| (graph.ex(*x), e.clone()));
            (Rational::one(), factors.collect())
        }
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            let (coefficient, factors) = monomial(graph.ex(terms[0].0));
            (&coefficient * &terms[0].1, factors)
        }
        _ => (Rational::one(), vec![(x, Rational::one())]),
    }
}

/// A parameter before it has its number.
fn temporary(graph: &appell_expr::Graph, count: usize) -> Ex<'_> {
    graph.symbol(&format!("closed[{count}]"))
}

/// The name of a symbol.
fn name_of(x: Ex<'_>) -> String {
    x.symbol_name().unwrap_or_default()
}
