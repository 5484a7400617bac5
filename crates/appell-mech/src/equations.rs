//! Equations of motion, unsolved: a vector field in a chart, with the results every form has.

use crate::constraints::Constraints;
use crate::forces::ConstraintForce;
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Graph, Matrix, Program, Sketch, Unbound};
use appell_model::Quantity;

/// A classical form of the equations of motion.
#[derive(Debug)]
pub struct Formalism {
    /// The name on the command line.
    pub id: &'static str,
    /// The name in print.
    pub title: &'static str,
    /// Its equations, in one line of plain mathematics.
    pub statement: &'static str,
    /// The same in LaTeX, written by hand: a formula for a line of its own.
    pub latex: &'static str,
    /// Where they come from: keys of `refs.bib` with equation numbers.
    pub sources: &'static [&'static str],
    /// The objects of the paper's own recipe for writing them, in its order.
    pub recipe: &'static [Object],
    /// Writes the equations.
    pub derive: for<'g> fn(&System<'g>, &Constraints<'g>) -> Result<Equations<'g>, Unavailable>,
}

impl Formalism {
    /// The statement, and the same in LaTeX: with the directions `W` of the reactions for `A^T` where some are not those
    /// of Chetaev's rule.
    pub fn statements(&self, ideal: bool) -> (String, String) {
        let (text, latex) = (self.statement.to_owned(), self.latex.to_owned());
        match ideal {
            true => (text, latex),
            false => (
                text.replace("A^T", "W"),
                latex.replace(r"A^{\mathsf{T}}", "W"),
            ),
        }
    }
}

/// An object of a paper's recipe: what is printed, under the paper's letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object {
    /// The paper's letter in text, such as `[g_ij]`.
    pub letter: &'static str,
    /// The same in LaTeX.
    pub latex: &'static str,
    /// What it is in the letters of the general statement; may be empty.
    pub formula: &'static str,
    /// What it is in words.
    pub meaning: &'static str,
    /// The output that holds it; an object without this output is not shown.
    pub output: &'static str,
    /// What its rows, then its columns are counted by; none for a number.
    pub indices: &'static [Index],
}

/// What an index of an [`Object`] runs over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Index {
    /// The coordinates.
    Coordinate,
    /// The form's own fibre coordinates.
    Fibre,
    /// The active constraint rows.
    Row,
    /// The coordinates whose velocities are dependent.
    Dependent,
    /// The three components of the velocity of each particle or body, and of each `omega`.
    Body,
    /// The pairs of coordinates, in the order x,x; x,y; .. y,x; ..
    Pair,
    /// 1, 2, ..
    Number,
}

/// The coordinates of the velocities that a form's programs read after `t` and `q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carrier {
    /// `v`.
    Velocities,
    /// `z`, with `v = psi(q, z, t)`: found from `v` by numbers only.
    Parameters,
    /// `p = L_v`.
    Momenta,
}

/// The equations of one formalism for one model.
#[derive(Debug)]
pub struct Equations<'g> {
    /// The form they have.
    pub formalism: &'static Formalism,
    /// The inputs of their programs before the state: `t`.
    pub t: Ex<'g>,
    /// What the programs read for the velocities.
    pub carrier: Carrier,
    /// What the programs read: first q in the file's order, then the carrier's coordinates.
    pub state: Vec<Ex<'g>>,
    /// The names of q and of the form's own fibre coordinates, as in [`STATE`](crate::output::STATE).
    pub state_names: Vec<String>,
    /// The parameters, in the file's order.
    pub parameters: Vec<Ex<'g>>,
    /// What is computed, step by step, with the results by name.
    pub sketch: Sketch<'g>,
    /// The entries of the ledger: forces, constraints, `moving_frames`.
    pub ledger: Vec<String>,
    /// The constraint forces on particles and bodies.
    pub forces: Vec<ConstraintForce<'g>>,
    /// Why `E*` is not among the outputs.
    pub energy_star: Result<(), Unavailable>,
    /// Quantities of claims and plots that this form cannot give, and why.
    pub unavailable: Vec<(Quantity, Unavailable)>,
    /// What the general statement does not say of this model.
    pub remark: Option<String>,
    /// The free arguments of outputs that are functions, as Appell's `S(z')`. No program that moves
    /// a system reads them.
    pub arguments: Vec<Argument<'g>>,
}

/// An argument of a displayed function.
#[derive(Debug, Clone)]
pub struct Argument<'g> {
    /// Its symbol, which stands for nothing else.
    pub symbol: Ex<'g>,
    /// How it is called in print, such as `z1'`.
    pub name: String,
}

impl<'g> Argument<'g> {
    /// Arguments of these names.
    pub(crate) fn all(graph: &'g Graph, names: impl IntoIterator<Item = String>) -> Vec<Self> {
        let argument = |name: String| Self {
            symbol: graph.symbol(&format!("argument[{name}]")),
            name,
        };
        names.into_iter().map(argument).collect()
    }

    /// Their symbols, as a vector.
    pub(crate) fn symbols(graph: &'g Graph, arguments: &[Self]) -> Matrix<'g> {
        Matrix::column(graph, arguments.iter().map(|x| x.symbol).collect())
    }
}

impl<'g> Equations<'g> {
    /// The inputs of every program: `t`, the state, the parameters.
    pub fn inputs(&self) -> Vec<Ex<'g>> {
        let all = [self.t].into_iter().chain(self.state.iter().copied());
        all.chain(self.parameters.iter().copied()).collect()
    }

    /// The names of what the programs read after `t`.
    pub fn input_names(&self) -> Vec<String> {
        self.state.iter().filter_map(|x| x.symbol_name()).collect()
    }

    /// The program for the outputs of these names.
    ///
    /// # Errors
    /// An output that is not there, or an expression that speaks of something unavailable.
    pub fn program(&self, names: &[&str]) -> Result<Program, Unbound> {
        self.program_from(&self.inputs(), names)
    }

    /// The same from other inputs: what a motion asks for comes from the shorter program, where there is one.
    ///
    /// # Errors
    /// As for [`Equations::program`].
    pub fn program_from(&self, inputs: &[Ex<'g>], names: &[&str]) -> Result<Program, Unbound> {
        match short_program(&self.sketch, inputs, names) {
            Some(program) => program,
            None => self.sketch.program(inputs, names),
        }
    }

    /// From now on a motion asks for the results of [`reduced`](crate::reduced) equations.
    pub fn take_short(&mut self, short: &Sketch<'g>) {
        let names = output::SHORT.map(|(_, short)| short);
        self.sketch.continue_with(short, &names, &[]);
    }
}

/// The program for results that a shorter one in a sketch gives, under their usual names; `None` where it does not give
/// them all.
pub(crate) fn short_program<'g>(
    sketch: &Sketch<'g>,
    inputs: &[Ex<'g>],
    names: &[&str],
) -> Option<Result<Program, Unbound>> {
    let short = |name: &&str| {
        let (_, short) = output::SHORT.iter().find(|(usual, _)| usual == name)?;
        sketch.get(short).map(|_| *short)
    };
    let short_names = names.iter().map(short).collect::<Option<Vec<&str>>>()?;
    Some(sketch.program(inputs, &short_names).map(|mut program| {
        for (output, name) in program.outputs.iter_mut().zip(names) {
            (*name).clone_into(&mut output.name);
        }
        program
    }))
}
