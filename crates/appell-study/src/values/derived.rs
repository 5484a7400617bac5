//! What was derived of a model, kept so that the next motion finds it ready.

mod choice;
pub(crate) mod fields;

use crate::values::error::Error;
use crate::values::outputs::write_outputs;
use crate::values::rows::Rows;
use appell_expr::{Ex, Id, Program, SolveKind, Step, Unbound};
use appell_flow::EvalError;
use appell_flow::backend::{AUTO, INTERP};
use appell_flow::{
    Backend, Compiled, Direction, Field, Interpreter, Measured, Parameters, Tangents, Tape,
    Workspace,
};
use appell_mech::{
    Constraints, Equations, FORMALISMS, Formalism, Growth, Reduced, Style, System, Unavailable,
    output, reduced,
};
use appell_model::{Diagnostic, Model};
pub(crate) use choice::Speeds;
use choice::by_choice;
use fields::{Fields, compiled, compiled_sizes, fields_of, ready};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::rc::Rc;
use std::sync::Arc;

/// Answers by their questions.
type Store<K, V> = RefCell<BTreeMap<K, V>>;

/// The answer that is there, or else is found now and kept.
fn once<K: Ord, V: Clone>(store: &Store<K, V>, key: K, find: impl FnOnce() -> V) -> V {
    if let Some(kept) = store.borrow().get(&key) {
        return kept.clone();
    }
    let found = find();
    store.borrow_mut().insert(key, found.clone());
    found
}

/// Empties a store that has grown.
fn bound<K, V>(store: &Store<K, V>) {
    if store.borrow().len() >= MAX_KEPT {
        store.borrow_mut().clear();
    }
}

/// The equations of a form with the outputs of the file, and what was compiled of them.
pub struct Derived<'g> {
    equations: Equations<'g>,
    /// Shorter programs for the rates of a motion than the form is written with.
    short: Option<Short<'g>>,
    /// The values of the parameters.
    parameters: Parameters,
    /// By the names of their outputs.
    programs: Store<String, Result<Rc<Interpreter>, Unbound>>,
    tables: Store<String, Result<Rc<Compiled>, Diagnostic>>,
    measured: Store<String, Result<Rc<MeasuredValues>, Diagnostic>>,
    /// By the names of their outputs and the directions.
    tangents: Store<String, Result<Arc<Tangents>, Diagnostic>>,
    /// By the name of the backend.
    fields: Store<&'static str, Result<Rc<Fields>, Diagnostic>>,
}

impl<'g> Derived<'g> {
    /// Equations without what the file asks for, which is added.
    pub fn new(model: &Model, parameters: &Parameters, mut equations: Equations<'g>) -> Self {
        write_outputs(model, &mut equations);
        Self {
            equations,
            short: None,
            parameters: parameters.clone(),
            programs: Store::default(),
            tables: Store::default(),
            measured: Store::default(),
            tangents: Store::default(),
            fields: Store::default(),
        }
    }

    /// Some outputs with the values of the parameters.
    ///
    /// # Errors
    /// As for [`Equations::program`].
    pub fn interpreter(&self, names: &[&str]) -> Result<Rc<Interpreter>, Unbound> {
        once(&self.programs, names.join("\n"), || {
            let program = self.equations.program(names)?;
            Ok(Rc::new(Interpreter::new(program, &self.parameters)))
        })
    }

    /// The rates of a motion, by a choice of dependent velocities that is good at most states and fails at others; `None`
    /// where there is no shorter program of that kind.
    ///
    /// # Errors
    /// As for [`Equations::program`].
    pub fn by_choice(&self, names: &[&str]) -> Option<Result<Program, Unbound>> {
        let choice = self.short.as_ref()?.choice.as_ref()?;
        Some(choice.program(&self.equations.inputs(), names))
    }

    /// The operations of the rates by a shorter program than the form is written with, and by that one; none where
    /// a motion uses what is written.
    pub fn short(&self) -> Option<[usize; 2]> {
        Some(self.short.as_ref()?.operations)
    }

    /// Some outputs, to be evaluated at many states.
    ///
    /// # Errors
    /// An expression about something that the form does not give.
    pub fn table(&self, names: &[&str]) -> Result<Rc<Compiled>, Diagnostic> {
        once(&self.tables, names.join("\n"), || {
            Ok(Rc::new(compiled(&*fields_of(self, names)?, &AUTO)?))
        })
    }

    /// Some outputs with the sizes of their terms, to be evaluated at many states.
    ///
    /// # Errors
    /// An expression about something that the form does not give.
    pub fn measured_values(&self, names: &[&str]) -> Result<Rc<MeasuredValues>, Diagnostic> {
        once(&self.measured, names.join("\n"), || {
            let interpreter = fields_of(self, names)?;
            Ok(Rc::new(MeasuredValues {
                values: self.table(names)?,
                sizes: compiled_sizes(&interpreter, &AUTO)?,
                interpreter,
            }))
        })
    }

    /// Some outputs with their derivatives along directions.
    ///
    /// # Errors
    /// An expression about something that the form does not give.
    pub fn tangents(
        &self,
        names: &[&str],
        directions: &[Direction],
    ) -> Result<Arc<Tangents>, Diagnostic> {
        let key = format!("{}\n{directions:?}", names.join("\n"));
        bound(&self.tangents);
        once(&self.tangents, key, || {
            let fields = fields_of(self, names)?;
            let made = Tangents::new(fields.program(), &self.parameters, directions, &AUTO);
            Ok(Arc::new(ready(made, &AUTO)?))
        })
    }

    /// The compiled functions of the motion.
    ///
    /// # Errors
    /// An expression about something that the form does not give; a backend that this machine does not have.
    pub fn fields(
        &self,
        system: &System<'_>,
        constraints: &Constraints<'_>,
        backend: &Backend,
    ) -> Result<Rc<Fields>, Diagnostic> {
        once(&self.fields, backend.id, || {
            Ok(Rc::new(Fields::new(self, system, constraints, backend)?))
        })
    }
}

impl<'g> Deref for Derived<'g> {
    type Target = Equations<'g>;

    fn deref(&self) -> &Equations<'g> {
        &self.equations
    }
}

/// Values with the sizes of their terms, at many states.
pub struct MeasuredValues {
    values: Rc<Compiled>,
    /// None where large linear systems are solved.
    sizes: Option<Compiled>,
    interpreter: Rc<Interpreter>,
}

impl MeasuredValues {
    /// Where an output stands among the values.
    pub fn range(&self, name: &str) -> Option<Range<usize>> {
        self.interpreter.program().range(name)
    }

    /// The values alone.
    ///
    /// # Errors
    /// A linear solve that fails.
    pub fn values(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<f64>, EvalError> {
        let mut values = vec![0.0; self.values.outputs()];
        self.values.eval(workspace, t, y, &mut values)?;
        Ok(values)
    }

    /// What [`Interpreter::measured`] gives. Where it is asked, the program may solve linear systems in another way: what
    /// the two differ by is rounding, and the sizes cover it.
    ///
    /// # Errors
    /// A linear solve that fails.
    pub fn measured(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<Measured>, EvalError> {
        let mut all = self.all_measured(workspace, &[(t, y)]);
        all.pop().expect("of each state")
    }

    /// The same at each of these states.
    pub fn all_measured(
        &self,
        workspace: &mut Workspace,
        states: &[(f64, &[f64])],
    ) -> Vec<Result<Vec<Measured>, EvalError>> {
        let values = self.values.at_all(workspace, states);
        let Some(sizes) = &self.sizes else {
            let all = values.into_iter().zip(states);
            return all
                .map(|(row, state)| self.by_interpreter(&row?, *state))
                .collect();
        };
        let sizes = sizes.at_all(workspace, states);
        let all = values.into_iter().zip(sizes).zip(states);
        all.map(|((row, sizes), state)| match (row?, sizes) {
            (row, Ok(sizes)) => Ok(pairs(&row, sizes)),
            (row, Err(_)) => self.by_interpreter(&row, *state),
        })
        .collect()
    }

    fn by_interpreter(
        &self,
        values: &[f64],
        (t, y): (f64, &[f64]),
    ) -> Result<Vec<Measured>, EvalError> {
        let measured = self
            .interpreter
            .measured(t, &y[..self.interpreter.inputs()])?;
        let sizes = values.iter().zip(measured).map(|(value, other)| {
            let difference = (value - other.value).abs();
            other.size.max(difference / f64::EPSILON)
        });
        Ok(pairs(values, sizes.collect()))
    }
}

fn pairs(values: &[f64], sizes: Vec<f64>) -> Vec<Measured> {
    let pairs = values.iter().zip(sizes);
    pairs
        .map(|(value, size)| Measured {
            value: *value,
            size,
        })
        .collect()
}

/// What is known of the motions for which equations are made short.
pub(crate) struct Known<'a> {
    /// The rank of the rows at almost every state, where it is known: ranks that a run holds belong to the rows of the
    /// file.
    pub rank: &'a dyn Fn() -> Option<usize>,
    /// A state at which they begin.
    pub speeds: &'a dyn Fn() -> Option<Speeds>,
}

/// The operations of the rates and works by a program.
fn work(program: Result<Program, Unbound>, parameters: &Parameters) -> usize {
    program.map_or(usize::MAX, |code| Tape::new(&code, parameters).work())
}

/// So many bodies and particles may be a chain.
const MANY: usize = 4;
/// So many may be a chain though contacts close it.
const VERY_MANY: usize = 8;

/// The operations of the rates of a chain, if its large system is not left to a routine where motions begin.
fn chain_work(
    program: Result<Program, Unbound>,
    parameters: &Parameters,
    known: &Known<'_>,
) -> usize {
    let Ok(program) = program else {
        return usize::MAX;
    };
    let Ok(field) = Compiled::of(&program, parameters, &INTERP) else {
        return usize::MAX;
    };
    let start = (known.speeds)();
    let counts = start.is_none_or(|initial| field.is_written_out_at(initial.t, &initial.state));
    match counts {
        true => field.tape().work(),
        false => usize::MAX,
    }
}

/// What a motion asks for at each stage of a step.
const RATES: [&str; 2] = [output::RATE, output::WORK];

/// Shorter programs for the rates of a motion.
pub(crate) struct Short<'g> {
    /// The operations by the shortest, and by the one that the form is written with.
    operations: [usize; 2],
    /// The shortest where it is one that has no value at some states.
    choice: Option<Reduced<'g>>,
}

/// Takes the accelerations from [`reduced`] equations where these need fewer operations, and finds a choice of velocities
/// by which they need fewer still. Chains are tried where there are many bodies. Programs by the formulas of the file are
/// long to write, and shorter only where little is gained by arms: where these halve the operations, they are not tried.
pub(crate) fn shorten<'g>(
    equations: &mut Equations<'g>,
    system: &System<'g>,
    constraints: &Constraints<'g>,
    parameters: &Parameters,
    known: &Known<'_>,
) -> Option<Short<'g>> {
    if equations.formalism.id != FORMALISMS[0].id {
        return None;
    }
    let is_regular = |step: &Step| match step {
        Step::Let(..) => true,
        Step::Solve(solve) => !matches!(solve.kind, SolveKind::OfRows { .. }),
    };
    let inputs = equations.inputs();
    let usual = work(equations.program(&RATES), parameters);
    let count = |short: &Reduced<'g>| work(short.program(&inputs, &RATES), parameters);
    let (mut least, mut best, mut choice) = (usual, None, None);
    for style in Style::ALL {
        let is_tried = match style {
            Style::Arms => true,
            Style::Chains => {
                let is_closed = choice.is_some();
                system.model.bodies.len() >= if is_closed { VERY_MANY } else { MANY }
            }
            Style::Formulas => 2 * least >= usual,
        };
        if !is_tried {
            continue;
        }
        let Some(short) = reduced(system, constraints, style) else {
            continue;
        };
        choice = choice.or_else(|| {
            let mechanics = (system, constraints, parameters);
            by_choice(&short, &inputs, mechanics, known.speeds)
        });
        let operations = match style {
            Style::Chains => chain_work(short.program(&inputs, &RATES), parameters, known),
            Style::Arms | Style::Formulas => count(&short),
        };
        let is_known = short.sketch.steps().iter().all(is_regular);
        if operations < least && (is_known || (known.rank)() == Some(constraints.k())) {
            (least, best) = (operations, Some(short));
        }
    }
    if let Some(best) = &best {
        equations.take_short(&best.sketch);
    }
    let choice = choice.map(|chosen| (count(&chosen), chosen));
    let choice = choice.filter(|(operations, _)| *operations < least);
    let shortest = choice.as_ref().map_or(least, |(operations, _)| *operations);
    (shortest < usual).then_some(Short {
        operations: [shortest, usual],
        choice: choice.map(|(_, chosen)| chosen),
    })
}

/// The functions that rows were compiled from, and their fixed inputs and unknowns.
type Origin = [Vec<Id>; 3];

/// So many kinds of rows, of functions, and of derivatives are kept: a start that is given in numbers has its own.
const MAX_KEPT: usize = 32;

/// What a prepared model keeps, for its values of the parameters.
#[derive(Default)]
pub(crate) struct Cache<'g> {
    forms: Store<&'static str, Result<Rc<Derived<'g>>, Unavailable>>,
    rows: Store<Origin, Rc<Rows>>,
    /// Functions of the state, by their expressions.
    functions: Store<Vec<Id>, Interpreter>,
    /// By the rows.
    growth: Store<Vec<Id>, Option<Growth>>,
    /// What became of the claims that do not speak of a motion, by their place in the file.
    claims: Store<usize, Result<f64, Error>>,
}

impl<'g> Cache<'g> {
    /// For other values of the parameters: what was compiled of rows and functions stays.
    pub fn with_parameters(&self, parameters: &Parameters) -> Cache<'g> {
        let rows = self.rows.borrow();
        let rows = rows.iter().map(|(origin, compiled)| {
            let other = compiled.with_parameters(parameters);
            (origin.clone(), Rc::new(other))
        });
        let functions = self.functions.borrow();
        let functions = functions.iter().map(|(ids, interpreter)| {
            let other = interpreter.with_parameters(parameters.clone());
            (ids.clone(), other)
        });
        Cache {
            rows: RefCell::new(rows.collect()),
            functions: RefCell::new(functions.collect()),
            ..Cache::default()
        }
    }

    /// The equations of a form.
    ///
    /// # Errors
    /// The form does not apply.
    pub fn form(
        &self,
        system: &System<'g>,
        constraints: &Constraints<'g>,
        parameters: &Parameters,
        form: &'static Formalism,
    ) -> Result<Rc<Derived<'g>>, Unavailable> {
        once(&self.forms, form.id, || {
            let equations = (form.derive)(system, constraints)?;
            Ok(Rc::new(Derived::new(system.model, parameters, equations)))
        })
    }

    /// The equations of the first form that applies, where a motion may use a shorter program for them.
    ///
    /// # Errors
    /// No form applies.
    pub fn usual(
        &self,
        system: &System<'g>,
        constraints: &Constraints<'g>,
        parameters: &Parameters,
        known: &Known<'_>,
    ) -> Result<Rc<Derived<'g>>, Unavailable> {
        once(&self.forms, "", || {
            let derive = |form: &&Formalism| (form.derive)(system, constraints).ok();
            let mut equations = FORMALISMS
                .iter()
                .copied()
                .find_map(|form| derive(&form))
                .ok_or_else(|| Unavailable("no formalism applies to this model".to_owned()))?;
            let short = shorten(&mut equations, system, constraints, parameters, known);
            let derived = Derived::new(system.model, parameters, equations);
            Ok(Rc::new(Derived { short, ..derived }))
        })
    }

    /// Rows `c(w) = 0` with `fixed` inputs before `w`.
    pub fn rows(
        &self,
        system: &System<'g>,
        parameters: &Parameters,
        c: &[Ex<'g>],
        fixed: &[Ex<'g>],
        w: &[Ex<'g>],
    ) -> Rc<Rows> {
        let origin = [c, fixed, w].map(|all| all.iter().map(|x| x.id()).collect::<Vec<Id>>());
        bound(&self.rows);
        once(&self.rows, origin, || {
            Rc::new(Rows::new(system, parameters, c, fixed, w))
        })
    }

    /// Functions of `(t, q, v)`.
    pub fn functions(&self, xs: &[Ex<'g>], compile: impl FnOnce() -> Interpreter) -> Interpreter {
        bound(&self.functions);
        once(
            &self.functions,
            xs.iter().map(|x| x.id()).collect(),
            compile,
        )
    }

    /// The growth of the distribution of some rows: iterated brackets are costly.
    pub fn growth(&self, rows: &[Ex<'g>], find: impl FnOnce() -> Option<Growth>) -> Option<Growth> {
        once(&self.growth, rows.iter().map(|x| x.id()).collect(), find)
    }

    /// The same as far as it was found.
    pub fn known_growth(&self, rows: &[Ex<'g>]) -> Option<Option<Growth>> {
        let rows: Vec<Id> = rows.iter().map(|x| x.id()).collect();
        self.growth.borrow().get(&rows).cloned()
    }

    /// The deviation of a claim that holds or fails whatever the motion.
    pub fn claim(
        &self,
        index: usize,
        judge: impl FnOnce() -> Result<f64, Error>,
    ) -> Result<f64, Error> {
        once(&self.claims, index, judge)
    }
}
