//! The equations of a form with their small systems solved, as a book gives them.
//!
//! A program leaves every linear system to be solved in numbers. Here the same steps are written
//! with the solutions of small systems in place of their unknowns, and in quasi-velocities, where
//! the form has its own, in place of the velocities. What results is equal to what runs at states
//! on the constraints; the derivation tests hold it against that, formula by formula.

use super::agreement::OnRows;
use super::split_system::{Linear, Part, apart};
use super::tidy::Tidy;
use super::unit_rows;
use super::vocabulary::component;
use appell_expr::{Ex, Graph, Id, Matrix, Node, Sketch, Solve, SolveKind, Step};
use appell_mech::{Carrier, Constraints, Equations, System, output};

/// Forms whose steps have more nodes than this stay as they are.
const MAX_NODES: usize = 900;
/// The same for systems of few coordinates, whose unsolved equations say little to a reader.
const MAX_NODES_OF_FEW: usize = 2_500;
/// So many coordinates are few.
const FEW: usize = 6;
/// Systems of more unknowns stay unsolved.
const MAX_SIZE: usize = 12;
/// A solution with longer entries than this is not put in place of its unknowns.
const INLINE: usize = 90;
/// A system whose solution has longer entries stays unsolved.
const LONGEST: usize = 260;
/// What an unknown alone in its row is equal to stands in its place if it is not longer by more than this.
const SHORT: usize = 2;

/// Forms that a book leaves unsolved: multipliers stay beside their rows, and coefficients of
/// connections are too many.
const UNSOLVED: [&str; 2] = ["multipliers", "connection"];

/// The steps for the eye.
pub(super) struct Closed<'g> {
    pub sketch: Sketch<'g>,
    /// What they presume of a state.
    pub on_rows: OnRows<'g>,
    /// What regular systems were divided by: it vanishes at no state that has a motion.
    pub divisors: Vec<Ex<'g>>,
}

/// How much of the linear systems is solved for the eye.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Nothing: there are the form's own names for its quasi-velocities only.
    Names,
    /// What the places of zeros say: unknowns that are alone in a row, or 0.
    Parts,
    /// Small systems too.
    Small,
}

/// The steps for these outputs, solved so far; `None` where that is too much, or nothing new.
pub(super) fn closed<'g>(
    of: (&System<'g>, &Constraints<'g>, &Equations<'g>),
    wanted: &[&str],
    depth: Depth,
) -> Option<Closed<'g>> {
    let (system, constraints, equations) = of;
    let solving = depth == Depth::Small;
    if solving && UNSOLVED.contains(&equations.formalism.id) {
        return None;
    }
    // Dependent rows make systems singular: their least solution is no formula.
    let chart = constraints.chart.as_ref();
    if solving && chart.is_some_and(|chart| chart.rows.len() < constraints.k()) {
        return None;
    }
    let outputs: Vec<(&str, &Matrix<'g>)> = [output::STATE, output::STATE_RATE]
        .iter()
        .chain(wanted)
        .filter_map(|name| Some((*name, equations.sketch.get(name)?)))
        .collect();
    let needed = equations.sketch.needed_steps(&outputs);
    let steps: Vec<&Step> = needed
        .iter()
        .map(|index| &equations.sketch.steps()[*index])
        .collect();
    if solving && is_large((system, constraints), &outputs, &steps) {
        return None;
    }
    let mut closing = Closing::new(of, depth);
    closing.name_fibre();
    let renamed = !closing.names.is_empty() || !closing.quasi_velocities.is_empty();
    if depth == Depth::Names && !renamed {
        return None;
    }
    for step in steps {
        closing.step(step);
    }
    let new = match depth {
        Depth::Names | Depth::Small => true,
        Depth::Parts => closing.is_apart,
    };
    if !new {
        return None;
    }
    // Work that came to nothing promises nothing.
    if solving && !closing.solved && closing.tidy.is_spent() {
        return None;
    }
    for (name, matrix) in outputs {
        closing.output(name, matrix);
    }
    Some(Closed {
        on_rows: closing.on_rows,
        divisors: closing.divisors,
        sketch: closing.sketch,
    })
}

/// Whether these steps and outputs have too many nodes to be solved for the eye.
fn is_large(
    (system, constraints): (&System<'_>, &Constraints<'_>),
    outputs: &[(&str, &Matrix<'_>)],
    steps: &[&Step],
) -> bool {
    let entries = outputs.iter().flat_map(|(_, matrix)| matrix.entries());
    let mut roots: Vec<Id> = entries.map(|x| x.id()).collect();
    for step in steps {
        match step {
            Step::Let(_, value) => roots.push(*value),
            Step::Solve(solve) => roots.extend(solve.matrix.iter().chain(&solve.right)),
        }
    }
    // The four numbers of a quaternion turn as three angles do.
    let angles = system.n() - unit_rows::units(constraints).len();
    let most = match angles <= FEW {
        true => MAX_NODES_OF_FEW,
        false => MAX_NODES,
    };
    system.graph.reachable(&roots).len() > most
}

/// The coordinates whose squares add up to 1 by a row, with that sum.
fn unit_rows<'g>(constraints: &Constraints<'g>) -> Vec<(Ex<'g>, Ex<'g>)> {
    let squares = |symbols: Vec<Ex<'g>>| {
        let (first, others) = symbols.split_first()?;
        let others: Vec<Ex<'g>> = others.iter().map(|x| x.pow(2)).collect();
        let graph = first.graph();
        Some((*first, graph.one() - graph.sum(&others)))
    };
    let units = unit_rows::units(constraints).into_iter();
    units.filter_map(squares).collect()
}

struct Closing<'a, 'g> {
    graph: &'g Graph,
    system: &'a System<'g>,
    constraints: &'a Constraints<'g>,
    equations: &'a Equations<'g>,
    tidy: Tidy<'g>,
    sketch: Sketch<'g>,
    /// New names of unknowns.
    names: Vec<(Ex<'g>, Ex<'g>)>,
    /// What stands in place of symbols in further steps.
    inline: Vec<(Ex<'g>, Ex<'g>)>,
    /// What symbols with names of their own stand for.
    meaning: Vec<(Ex<'g>, Ex<'g>)>,
    /// Symbols that keep their names.
    kept: Vec<Ex<'g>>,
    /// The form's own quasi-velocities.
    quasi_velocities: Vec<Ex<'g>>,
    /// What is presumed of a state.
    on_rows: OnRows<'g>,
    /// Whether a system was solved.
    solved: bool,
    /// Whether a system was taken apart.
    is_apart: bool,
    divisors: Vec<Ex<'g>>,
    depth: Depth,
    /// Whether small systems are solved.
    solving: bool,
}

impl<'a, 'g> Closing<'a, 'g> {
    fn new(
        (system, constraints, equations): (&'a System<'g>, &'a Constraints<'g>, &'a Equations<'g>),
        depth: Depth,
    ) -> Self {
        let solving = depth == Depth::Small;
        let relations = match solving {
            true => unit_rows(constraints),
            false => Vec::new(),
        };
        let on_rows = OnRows {
            squares: relations.clone(),
            ..OnRows::default()
        };
        let symbols = [&equations.parameters[..], &system.q, &system.v].concat();
        let mut kept = system.a.clone();
        let rows = constraints.rows.iter().map(|row| row.name.as_str());
        kept.extend(rows.map(|row| component(system.graph, "lambda", &[row])));
        Self {
            graph: system.graph,
            system,
            constraints,
            equations,
            tidy: Tidy::new(system.graph, symbols, relations),
            sketch: Sketch::new(system.graph),
            names: Vec::new(),
            inline: Vec::new(),
            meaning: Vec::new(),
            kept,
            quasi_velocities: Vec::new(),
            on_rows,
            solved: false,
            is_apart: false,
            divisors: Vec::new(),
            depth,
            solving,
        }
    }

    /// Names quasi-velocities and their rates as the form does, and writes the velocities by them.
    fn name_fibre(&mut self) {
        let (n, equations) = (self.system.n(), self.equations);
        let values = |name: &str| {
            let matrix = equations.sketch.get(name);
            matrix.map_or_else(Vec::new, |m| m.entries()[n..].to_vec())
        };
        let (state, rates) = (values(output::STATE), values(output::STATE_RATE));
        self.keep_rates(&rates);
        if equations.carrier != Carrier::Velocities {
            return;
        }
        let named = self.system.v.iter().filter_map(|v| v.symbol_name());
        if state == self.system.v && named.eq(equations.state_names[n..].iter().cloned()) {
            let pairs = rates.iter().zip(&self.system.a);
            let pairs: Vec<_> = pairs.map(|(rate, a)| (*rate, *a)).collect();
            self.names = pairs
                .into_iter()
                .filter(|(x, a)| x != a && self.is_unknown(*x))
                .collect();
            self.inline = self.names.clone();
            return;
        }
        for ((name, value), rate) in equations.state_names[n..].iter().zip(&state).zip(&rates) {
            let velocity = self.system.v.iter().position(|v| v == value);
            let velocity =
                velocity.filter(|i| self.system.v[*i].symbol_name().as_ref() == Some(name));
            let (symbol, primed) = match velocity {
                Some(i) => (self.system.v[i], self.system.a[i]),
                None => (
                    self.graph.symbol(name),
                    self.graph.symbol(&format!("{name}'")),
                ),
            };
            self.quasi_velocities.push(symbol);
            self.kept.push(primed);
            if self.is_unknown(*value) {
                self.names.push((*value, symbol));
            } else if symbol != *value {
                self.sketch.bind(symbol, *value);
            }
            if self.is_unknown(*rate) {
                self.names.push((*rate, primed));
            }
        }
        self.inline = self.names.clone();
        if !self.solving {
            return;
        }
        let velocities = self.velocities(&state);
        let pairs = self.system.v.iter().zip(velocities.into_iter().flatten());
        let pairs: Vec<(Ex<'g>, Ex<'g>)> = pairs.map(|(v, x)| (*v, x)).collect();
        let pairs = pairs.into_iter().filter(|(v, x)| v != x);
        self.on_rows.symbols.clone_from(&self.quasi_velocities);
        self.on_rows.velocities = pairs.collect();
        self.inline.extend_from_slice(&self.on_rows.velocities);
    }

    /// Where parameters stand for the velocities, their rates are what is solved for.
    fn keep_rates(&mut self, rates: &[Ex<'g>]) {
        if self.equations.carrier == Carrier::Parameters {
            let unknown = rates.iter().copied().filter(|x| self.is_unknown(*x));
            let unknown: Vec<Ex<'g>> = unknown.collect();
            self.kept.extend(unknown);
        }
    }

    /// Whether it is a symbol that a linear system gives.
    fn is_unknown(&self, x: Ex<'g>) -> bool {
        let solves = |step: &Step| match step {
            Step::Solve(solve) => solve.unknowns.contains(&x.id()),
            Step::Let(..) => false,
        };
        self.equations.sketch.steps().iter().any(solves)
    }

    /// `v` by the quasi-velocities: as the file says, or solved.
    fn velocities(&mut self, state: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
        let given = self.constraints.parametric.as_ref();
        if let Some(given) = given.filter(|given| given.z == self.quasi_velocities)
            && !self.constraints.has_dropped_rows()
        {
            return Some(given.psi.entries().to_vec());
        }
        let active: Vec<_> = self.constraints.active().collect();
        let mut rows: Vec<Ex<'g>> = state
            .iter()
            .zip(&self.quasi_velocities)
            .map(|(x, z)| *x - *z)
            .collect();
        // A velocity that is its own quasi-velocity is known.
        let v = &self.system.v;
        let stands = |i: &usize| self.quasi_velocities.contains(&v[*i]);
        rows.retain(|row| !row.is_zero());
        for index in &self.constraints.chart.as_ref()?.rows {
            rows.push(active.get(*index)?.phi?);
        }
        let open: Vec<usize> = (0..v.len()).filter(|i| !stands(i)).collect();
        if rows.len() != open.len() || open.len() > MAX_SIZE {
            return None;
        }
        let at_rest: Vec<_> = open.iter().map(|i| (v[*i], self.graph.zero())).collect();
        let right: Vec<Ex<'g>> = rows.iter().map(|row| -row.substitute(&at_rest)).collect();
        let slopes = rows
            .iter()
            .flat_map(|row| open.iter().map(|i| row.diff(v[*i])));
        let slopes: Vec<Ex<'g>> = slopes.collect();
        // A row such as `th' (x' - y') = 0` has other components: rows must be affine in all.
        let moves = |x: &Ex<'g>| v.iter().any(|v| x.depends_on(*v));
        if slopes.iter().any(moves) {
            return None;
        }
        let found = self.tidy.solution(open.len(), &slopes, &right)?;
        let place = |i: usize| open.iter().position(|j| *j == i);
        let v = v.clone();
        let all = (0..v.len()).map(|i| place(i).map_or(v[i], |at| found[at]));
        Some(all.collect())
    }

    fn put(&mut self, x: Ex<'g>) -> Ex<'g> {
        self.put_all(&[x.id()])[0]
    }

    fn short(&mut self, x: Ex<'g>) -> Ex<'g> {
        match self.solving {
            true => self.tidy.short(x),
            false => x,
        }
    }

    fn put_all(&mut self, ids: &[Id]) -> Vec<Ex<'g>> {
        let put = self.put_in(self.graph.exs(ids));
        put.into_iter().map(|x| self.short(x)).collect()
    }

    /// With what stands in place of symbols: all at once, for entries have most of their parts in common.
    fn put_in(&self, xs: Vec<Ex<'g>>) -> Vec<Ex<'g>> {
        match self.inline.is_empty() {
            true => xs,
            false => self.graph.substitute(&xs, &self.inline),
        }
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Let(symbol, value) => {
                let (symbol, value) = (self.graph.ex(*symbol), self.put(self.graph.ex(*value)));
                self.give(symbol, value);
            }
            Step::Solve(solve) if solve.size == 0 => {}
            Step::Solve(solve) => self.solve(solve),
        }
    }

    /// Gives a symbol a value: in its place where it is short, else by its name.
    fn give(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        let given = |step: &Step| step.defines(symbol.id());
        if symbol == value || self.sketch.steps().iter().any(given) {
            return;
        }
        let atom = matches!(value.node(), Node::Number(_) | Node::Symbol(_));
        let kept = self.kept.contains(&symbol);
        // Energies speak of velocities: their definitions stay.
        let velocity = self.system.v.contains(&symbol);
        let short = atom || !kept && self.tidy.length(value) <= INLINE;
        let short = short && !velocity;
        // Where parameters stand for the velocities, these are read by them.
        if self.solving && velocity && self.equations.carrier == Carrier::Parameters {
            self.inline.push((symbol, value));
        }
        match (self.solving && !velocity, short) {
            (true, true) => self.inline.push((symbol, value)),
            (true, false) => self.mean(symbol, value),
            (false, _) => {}
        }
        self.sketch.bind(symbol, value);
    }

    fn mean(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        let value = value.substitute(&self.meaning);
        let value = self.tidy.short(value);
        self.meaning.push((symbol, value));
    }

    fn solve(&mut self, solve: &Solve) {
        let unknowns: Vec<Ex<'g>> = self.graph.exs(&solve.unknowns);
        let named: Vec<Ex<'g>> = unknowns.iter().map(|x| x.substitute(&self.names)).collect();
        let of_quasi = named.iter().any(|x| self.quasi_velocities.contains(x));
        // What defines quasi-velocities is said in velocities.
        let (matrix, right) = match of_quasi {
            true => (self.graph.exs(&solve.matrix), self.graph.exs(&solve.right)),
            false => (self.put_all(&solve.matrix), self.put_all(&solve.right)),
        };
        let solution = match self.solving && solve.size <= MAX_SIZE {
            true => self.tidy.solution(solve.size, &matrix, &right),
            false => None,
        };
        // Columns are systems of their own: those with a short solution are solved.
        let columns = solve.columns;
        let is_short = |closing: &mut Self, values: &[Ex<'g>], j: usize| {
            let mut column = values.iter().skip(j).step_by(columns);
            column.all(|x| closing.tidy.length(*x) <= LONGEST)
        };
        let able: Vec<usize> = match &solution {
            Some(values) => (0..columns)
                .filter(|j| is_short(self, values, *j))
                .collect(),
            None => Vec::new(),
        };
        let pick = |list: &[Ex<'g>], columns: &[usize]| -> Vec<Ex<'g>> {
            let rows = list.chunks(solve.columns);
            rows.flat_map(|row| columns.iter().map(|j| row[*j]))
                .collect()
        };
        let open: Vec<usize> = (0..columns).filter(|j| !able.contains(j)).collect();
        if !open.is_empty() {
            let [old, named, right] = [&unknowns, &named, &right].map(|all| pick(all, &open));
            self.leave(solve, &old, &named, (&matrix, &right));
        }
        let Some(values) = solution.filter(|_| !able.is_empty()) else {
            return;
        };
        let [unknowns, named, values] = [&unknowns, &named, &values].map(|all| pick(all, &able));
        if of_quasi {
            self.solved = true;
            for (symbol, value) in named.into_iter().zip(values) {
                self.sketch.bind(symbol, value);
            }
            return;
        }
        self.settle(solve, &unknowns, &named, &values);
    }

    /// Writes a system that is not solved, in parts where its zeros make it several.
    fn leave(
        &mut self,
        solve: &Solve,
        old: &[Ex<'g>],
        named: &[Ex<'g>],
        (matrix, right): (&[Ex<'g>], &[Ex<'g>]),
    ) {
        let (graph, size) = (self.graph, solve.size);
        let linear = Linear {
            graph,
            size,
            columns: right.len() / size,
            matrix,
            unknowns: named,
            right,
        };
        let mut is_short = |name: Ex<'g>, value: Ex<'g>| {
            let most = self.tidy.length(name) + SHORT;
            value.as_rational().is_some() || self.tidy.length(value) <= most
        };
        // What the file or the motion names stays in its rows; the least solution of a system that may be
        // singular is that of the whole.
        let stays = |x: &Ex<'g>| self.kept.contains(x) || self.quasi_velocities.contains(x);
        let regular = !matches!(solve.kind, SolveKind::OfRows { .. });
        let found = match self.depth != Depth::Names && regular && !named.iter().any(stays) {
            true => apart(&linear, &mut is_short),
            false => None,
        };
        let Some(found) = found else {
            self.write(solve, solve.kind, size, (matrix, named, right));
            return;
        };
        self.is_apart = true;
        self.divisors.extend(found.divisors);
        let pairs = old
            .iter()
            .zip(&found.values)
            .filter(|(x, value)| x != value);
        let pairs: Vec<(Ex<'g>, Ex<'g>)> = pairs.map(|(x, value)| (*x, *value)).collect();
        self.inline
            .retain(|(x, _)| !pairs.iter().any(|(y, _)| x == y));
        self.inline.extend(pairs);
        self.write_parts(solve, found.parts);
    }

    fn write_parts(&mut self, solve: &Solve, parts: Vec<Part<'g>>) {
        for part in parts {
            match part {
                Part::Given(name, value) => {
                    let unit = [self.graph.one()];
                    self.write(solve, SolveKind::General, 1, (&unit, &[name], &[value]));
                }
                Part::System {
                    on_diagonal,
                    size,
                    matrix,
                    unknowns,
                    right,
                } => {
                    let kind = match on_diagonal {
                        true => solve.kind,
                        false => SolveKind::General,
                    };
                    self.write(solve, kind, size, (&matrix, &unknowns, &right));
                }
            }
        }
    }

    /// A linear system under the name of another.
    fn write(
        &mut self,
        of: &Solve,
        kind: SolveKind,
        size: usize,
        (matrix, unknowns, right): (&[Ex<'g>], &[Ex<'g>], &[Ex<'g>]),
    ) {
        let shape = |entries: &[Ex<'g>]| {
            let columns = entries.len() / size;
            Matrix::from_fn(self.graph, size, columns, |i, j| entries[i * columns + j])
        };
        let [matrix, unknowns, right] = [matrix, unknowns, right].map(shape);
        self.sketch
            .solve_for(kind, &of.name, &unknowns, &matrix, &right);
    }

    /// Takes a solution over: in place of the unknowns if all of it is short, else by their names.
    fn settle(&mut self, solve: &Solve, old: &[Ex<'g>], named: &[Ex<'g>], values: &[Ex<'g>]) {
        self.solved = true;
        let kept = named.iter().any(|x| self.kept.contains(x));
        let short = values.iter().all(|x| self.tidy.length(*x) <= INLINE);
        for ((old, name), value) in old.iter().zip(named).zip(values) {
            let atom = matches!(value.node(), Node::Number(_) | Node::Symbol(_));
            if atom || short && !kept {
                self.inline.retain(|(x, _)| x != old);
                self.inline.push((*old, *value));
            } else {
                self.mean(*name, *value);
            }
        }
        let size = solve.size;
        let unit = Matrix::from_fn(self.graph, size, size, |i, j| {
            self.graph.int(i64::from(i == j))
        });
        let shape = |entries: &[Ex<'g>]| {
            let columns = entries.len() / size;
            Matrix::from_fn(self.graph, size, columns, |i, j| entries[i * columns + j])
        };
        let (named, values) = (shape(named), shape(values));
        self.sketch
            .solve_for(SolveKind::General, &solve.name, &named, &unit, &values);
    }

    fn output(&mut self, name: &str, matrix: &Matrix<'g>) {
        if name == output::STATE {
            let mut entries = matrix.entries().to_vec();
            for (entry, symbol) in entries[self.system.n()..]
                .iter_mut()
                .zip(&self.quasi_velocities)
            {
                *entry = *symbol;
            }
            self.sketch.output_list(name, &entries);
            return;
        }
        let parameters = self.equations.carrier == Carrier::Parameters;
        // By its difference from E, which speaks of velocities.
        if name == output::ENERGY_STAR || name == output::ENERGY && parameters {
            self.sketch.output(name, matrix.substitute(&self.names));
            return;
        }
        // The power of the reactions as they are shown.
        let reaction = self.sketch.get(output::REACTION).filter(|_| parameters);
        if let (output::ENERGY_RATE, Some(reaction)) = (name, reaction) {
            let system = self.system;
            let active = system.force.dot(&system.velocity()) - system.lagrangian.diff(system.t);
            let pairs = reaction.entries().iter().zip(&system.v);
            let power: Vec<Ex<'g>> = pairs.map(|(r, v)| *r * *v).collect();
            let rate = active + self.graph.sum(&power);
            self.sketch.output_list(name, &[rate]);
            return;
        }
        let by_meaning = self.solving && [output::LAMBDA, output::REACTION].contains(&name);
        let put = self.put_in(matrix.entries().to_vec());
        let entries = put.into_iter().map(|x| {
            let named = self.short(x);
            if !by_meaning {
                return named;
            }
            let whole = named.substitute(&self.meaning);
            let whole = self.tidy.short(whole);
            match self.tidy.length(whole) <= self.tidy.length(named) {
                true => whole,
                false => named,
            }
        });
        let entries: Vec<Ex<'g>> = entries.collect();
        let (rows, columns) = (matrix.rows(), matrix.columns());
        let shown = Matrix::from_fn(self.graph, rows, columns, |i, j| entries[i * columns + j]);
        self.sketch.output(name, shown);
    }
}
