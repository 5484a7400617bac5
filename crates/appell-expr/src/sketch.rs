//! Programs being written, in the algebra of a graph: symbols stand for what is not yet computed.

use crate::graph::{Ex, Graph, Id, Node};
use crate::matrix::Matrix;
use crate::num::Rational;
use crate::program::{Operation, Output, Program, Slot, SlotSolve, SolveKind, Statement};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// The statement `matrix unknowns = right`, `size x size` times `size x columns`, row by row.
#[derive(Debug, Clone)]
pub struct Solve {
    /// What the unknowns are called.
    pub name: String,
    /// What is known of the matrix.
    pub kind: SolveKind,
    /// The number of rows of the matrix.
    pub size: usize,
    /// The number of right-hand sides.
    pub columns: usize,
    /// The matrix.
    pub matrix: Vec<Id>,
    /// The right-hand sides.
    pub right: Vec<Id>,
    /// Symbols that stand for the solution.
    pub unknowns: Vec<Id>,
}

/// One step of a [`Sketch`]; it may use the symbols of earlier steps.
#[derive(Debug, Clone)]
pub enum Step {
    /// A symbol and the expression it stands for.
    Let(Id, Id),
    /// A linear system.
    Solve(Solve),
}

impl Step {
    /// The symbols it gives a meaning to.
    fn defined(&self) -> &[Id] {
        match self {
            Self::Let(symbol, _) => std::slice::from_ref(symbol),
            Self::Solve(solve) => &solve.unknowns,
        }
    }

    /// Whether it gives a meaning to this symbol.
    pub fn defines(&self, symbol: Id) -> bool {
        self.defined().contains(&symbol)
    }

    /// The expressions it is made of.
    fn used(&self) -> Vec<Id> {
        match self {
            Self::Let(_, value) => vec![*value],
            Self::Solve(solve) => solve.matrix.iter().chain(&solve.right).copied().collect(),
        }
    }
}

/// A program being written, in the algebra of a graph.
#[derive(Debug, Clone)]
pub struct Sketch<'g> {
    graph: &'g Graph,
    steps: Vec<Step>,
    outputs: Vec<(String, Matrix<'g>)>,
}

impl<'g> Sketch<'g> {
    /// An empty program.
    pub fn new(graph: &'g Graph) -> Self {
        Self {
            graph,
            steps: Vec::new(),
            outputs: Vec::new(),
        }
    }

    /// The graph it is written in.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// The solution `X` of `matrix X = right`, as new symbols `name[i]` or `name[i,j]`.
    pub fn solve(
        &mut self,
        kind: SolveKind,
        name: &str,
        matrix: &Matrix<'g>,
        right: &Matrix<'g>,
    ) -> Matrix<'g> {
        let letter = self.unused(name);
        let columns = right.columns();
        let unknowns = Matrix::from_fn(self.graph, right.rows(), columns, |i, j| {
            let column = if columns == 1 {
                String::new()
            } else {
                format!(",{}", j + 1)
            };
            self.graph.symbol(&format!("{letter}[{}{column}]", i + 1))
        });
        self.solve_for(kind, name, &unknowns, matrix, right);
        unknowns
    }

    /// Lets symbols `name[i]` stand for the entries of a vector: an intermediate object with a name.
    pub fn name(&mut self, name: &str, vector: &Matrix<'g>) -> Matrix<'g> {
        let letter = self.unused(name);
        let symbols = Matrix::from_fn(self.graph, vector.rows(), 1, |i, _| {
            self.graph.symbol(&format!("{letter}[{}]", i + 1))
        });
        for (symbol, value) in symbols.entries().iter().zip(vector.entries()) {
            self.bind(*symbol, *value);
        }
        symbols
    }

    /// The name, or the name with a number if the sketch has an object of this name.
    fn unused(&self, name: &str) -> String {
        let taken = |letter: &str| {
            let name_of = |id: &Id| self.graph.ex(*id).symbol_name().unwrap_or_default();
            let defined = self.steps.iter().flat_map(Step::defined);
            defined
                .map(name_of)
                .any(|symbol| symbol.split('[').next() == Some(letter))
        };
        let numbered = (2..).map(|count: usize| format!("{name}{count}"));
        let mut candidates = [name.to_owned()].into_iter().chain(numbered);
        candidates
            .find(|letter| !taken(letter))
            .unwrap_or_else(|| name.to_owned())
    }

    /// Lets the given symbols stand for the solution of `matrix unknowns = right`.
    ///
    /// # Panics
    /// If the shapes do not fit: they are decided by the formulas in the source.
    pub fn solve_for(
        &mut self,
        kind: SolveKind,
        name: &str,
        unknowns: &Matrix<'g>,
        matrix: &Matrix<'g>,
        right: &Matrix<'g>,
    ) {
        let (size, columns) = (right.rows(), right.columns());
        assert_eq!(
            (matrix.rows(), matrix.columns()),
            (size, size),
            "a square system: {name}"
        );
        assert_eq!(
            (unknowns.rows(), unknowns.columns()),
            (size, columns),
            "unknowns: {name}"
        );
        let ids = |m: &Matrix<'g>| m.entries().iter().map(|x| x.id()).collect();
        self.steps.push(Step::Solve(Solve {
            name: name.to_owned(),
            kind,
            size,
            columns,
            matrix: ids(matrix),
            right: ids(right),
            unknowns: ids(unknowns),
        }));
    }

    /// Lets a symbol stand for an expression, without putting it in its place.
    pub fn bind(&mut self, symbol: Ex<'g>, value: Ex<'g>) {
        self.steps.push(Step::Let(symbol.id(), value.id()));
    }

    /// Names a result.
    pub fn output(&mut self, name: &str, value: Matrix<'g>) {
        self.outputs.push((name.to_owned(), value));
    }

    /// Names a list of results.
    pub fn output_list(&mut self, name: &str, values: &[Ex<'g>]) {
        self.output(name, Matrix::column(self.graph, values.to_vec()));
    }

    /// All expressions that its steps and results are made of.
    pub fn expressions(&self) -> Vec<Id> {
        let steps = self.steps.iter().flat_map(Step::used);
        let results = self.outputs.iter().flat_map(|(_, value)| value.entries());
        steps.chain(results.map(|x| x.id())).collect()
    }

    /// The value of a named result.
    pub fn get(&self, name: &str) -> Option<&Matrix<'g>> {
        self.outputs
            .iter()
            .find(|(n, _)| n == name)
            .map(|(_, value)| value)
    }

    /// Adds the results of these names of another sketch, with the steps that they need. What the other reads
    /// is replaced as the pairs say.
    pub fn continue_with(&mut self, other: &Self, names: &[&str], by: &[(Ex<'g>, Ex<'g>)]) {
        let put = |ids: &[Id]| -> Vec<Id> {
            let found = self.graph.substitute(&self.graph.exs(ids), by);
            found.into_iter().map(Ex::id).collect()
        };
        let wanted = names
            .iter()
            .filter_map(|name| Some((*name, other.get(name)?)));
        let wanted: Vec<(&str, &Matrix<'g>)> = wanted.collect();
        let needed = other.needed_steps(&wanted).into_iter();
        let steps = needed.map(|index| match &other.steps[index] {
            Step::Let(symbol, value) => Step::Let(*symbol, put(&[*value])[0]),
            Step::Solve(solve) => Step::Solve(Solve {
                matrix: put(&solve.matrix),
                right: put(&solve.right),
                ..solve.clone()
            }),
        });
        let steps: Vec<Step> = steps.collect();
        let results = wanted
            .iter()
            .map(|(name, value)| ((*name).to_owned(), value.substitute(by)));
        self.outputs.extend(results);
        self.steps.extend(steps);
    }

    /// The steps, in the order in which they are carried out.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The named results.
    pub fn outputs(&self) -> &[(String, Matrix<'g>)] {
        &self.outputs
    }

    /// The program that computes the outputs of these names (in this order) from the inputs.
    ///
    /// Only what they need is kept.
    ///
    /// # Errors
    /// A symbol that is neither an input nor an unknown of a solve, or an output that is not there.
    pub fn program(&self, inputs: &[Ex<'g>], names: &[&str]) -> Result<Program, Unbound> {
        let mut outputs = Vec::new();
        for name in names {
            let value = self.get(name).ok_or_else(|| Unbound((*name).to_owned()))?;
            outputs.push((*name, value));
        }
        let mut writer = Writer::new(self.graph, inputs);
        for index in self.needed_steps(&outputs) {
            writer.write_step(&self.steps[index])?;
        }
        for (name, value) in outputs {
            writer.write_output(name, value)?;
        }
        Ok(writer.program)
    }

    /// The indices of the steps that the outputs depend on, in order.
    pub fn needed_steps(&self, outputs: &[(&str, &Matrix<'g>)]) -> Vec<usize> {
        let mut owner: FxHashMap<Id, usize> = FxHashMap::default();
        for (index, step) in self.steps.iter().enumerate() {
            owner.extend(step.defined().iter().map(|id| (*id, index)));
        }
        let mut needed: FxHashSet<usize> = FxHashSet::default();
        let mut pending: Vec<Id> = outputs
            .iter()
            .flat_map(|(_, value)| value.entries().iter().map(|x| x.id()))
            .collect();
        while !pending.is_empty() {
            let reachable = self.graph.reachable(&std::mem::take(&mut pending));
            for index in reachable.iter().filter_map(|id| owner.get(id)) {
                if needed.insert(*index) {
                    pending.extend(self.steps[*index].used());
                }
            }
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        needed
    }
}

/// A name that a program needs and nothing provides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unbound(pub String);

impl fmt::Display for Unbound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing gives a value to `{}`", self.0)
    }
}

impl std::error::Error for Unbound {}

/// Translates ids of a graph to slots of a program.
struct Writer<'g> {
    graph: &'g Graph,
    slots: FxHashMap<Id, Slot>,
    numbers: FxHashMap<Rational, u32>,
    program: Program,
}

impl<'g> Writer<'g> {
    fn new(graph: &'g Graph, inputs: &[Ex<'g>]) -> Self {
        let program = Program::default();
        let mut writer = Self {
            graph,
            slots: FxHashMap::default(),
            numbers: program.numbers.iter().cloned().zip(0..).collect(),
            program,
        };
        for input in inputs {
            let slot = writer.new_slot();
            writer.slots.insert(input.id(), slot);
            writer
                .program
                .inputs
                .push(input.symbol_name().unwrap_or_default());
        }
        writer
    }

    fn new_slot(&mut self) -> Slot {
        let slot = Slot::try_from(self.program.slots).expect("fewer than 2^32 slots");
        self.program.slots += 1;
        slot
    }

    fn number(&mut self, x: &Rational) -> u32 {
        if let Some(index) = self.numbers.get(x) {
            return *index;
        }
        let index = u32::try_from(self.program.numbers.len()).expect("fewer than 2^32 numbers");
        self.program.numbers.push(x.clone());
        self.numbers.insert(x.clone(), index);
        index
    }

    /// Writes what is needed for `roots` and returns their slots.
    fn write(&mut self, roots: &[Id]) -> Result<Vec<Slot>, Unbound> {
        let written = &self.slots;
        for id in self
            .graph
            .reachable_unless(roots, |id| written.contains_key(&id))
        {
            let operation = self.operation(id)?;
            let slot = self.new_slot();
            self.slots.insert(id, slot);
            self.program
                .statements
                .push(Statement::Let(slot, operation));
        }
        Ok(roots.iter().map(|id| self.slots[id]).collect())
    }

    fn operation(&mut self, id: Id) -> Result<Operation, Unbound> {
        let graph = self.graph;
        graph.look(id, |node| {
            Ok(match node {
                Node::Number(x) => Operation::Number(self.number(x)),
                Node::Pi => Operation::Pi,
                Node::Symbol(index) => return Err(Unbound(graph.symbol_name(*index))),
                Node::Sum(constant, terms) => {
                    let constant = self.number(constant);
                    let mut slots = Vec::with_capacity(terms.len());
                    for (x, c) in terms.iter() {
                        slots.push((self.slots[x], self.number(c)));
                    }
                    Operation::Sum(constant, slots.into())
                }
                Node::Product(factors) => Operation::Product(
                    factors
                        .iter()
                        .map(|(x, e)| (self.slots[x], e.clone()))
                        .collect(),
                ),
                Node::Power(base, exponent) => {
                    Operation::Power(self.slots[base], self.slots[exponent])
                }
                Node::Call(function, arguments) => {
                    Operation::Call(*function, arguments.iter().map(|x| self.slots[x]).collect())
                }
            })
        })
    }

    fn write_step(&mut self, step: &Step) -> Result<(), Unbound> {
        match step {
            Step::Let(symbol, value) => {
                let slots = self.write(&[*value])?;
                self.slots.insert(*symbol, slots[0]);
                Ok(())
            }
            Step::Solve(solve) => self.write_solve(solve),
        }
    }

    fn write_solve(&mut self, solve: &Solve) -> Result<(), Unbound> {
        let matrix = self.write(&solve.matrix)?;
        let right = self.write(&solve.right)?;
        let unknowns: Vec<Slot> = solve.unknowns.iter().map(|_| self.new_slot()).collect();
        self.slots
            .extend(solve.unknowns.iter().copied().zip(unknowns.iter().copied()));
        self.program.statements.push(Statement::Solve(SlotSolve {
            name: solve.name.clone(),
            kind: solve.kind,
            size: solve.size,
            columns: solve.columns,
            matrix,
            right,
            unknowns: unknowns.first().copied().unwrap_or_default(),
        }));
        Ok(())
    }

    fn write_output(&mut self, name: &str, value: &Matrix<'g>) -> Result<(), Unbound> {
        let ids: Vec<Id> = value.entries().iter().map(|x| x.id()).collect();
        let slots = self.write(&ids)?;
        let (rows, columns) = (value.rows(), value.columns());
        self.program.outputs.push(Output {
            name: name.to_owned(),
            rows,
            columns,
            slots,
        });
        Ok(())
    }
}
