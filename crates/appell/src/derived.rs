//! What was derived of a model, kept so that the next motion finds it ready.

use crate::audit::write_outputs;
use crate::fields::{Fields, compiled, fields_of, ready};
use crate::nearest::Rows;
use crate::prepared::Prepared;
use appell_expr::{Ex, Id, Unbound};
use appell_flow::backend::AUTO;
use appell_flow::field::Trouble;
use appell_flow::{Backend, Compiled, Field, Interpreter, Measured, Tape, Workspace};
use appell_mech::{Equations, Formalism, Unavailable};
use appell_model::Diagnostic;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Deref, Range};
use std::rc::Rc;

/// The equations of a form with the outputs of the file, and what was compiled of them.
pub(crate) struct Derived<'g> {
    equations: Equations<'g>,
    /// The values of the parameters.
    parameters: Vec<f64>,
    /// By the names of their outputs.
    programs: RefCell<BTreeMap<String, Result<Rc<Interpreter>, Unbound>>>,
    /// The same, ready to be evaluated at many states.
    tables: RefCell<BTreeMap<String, Rc<Compiled>>>,
    gauges: RefCell<BTreeMap<String, Rc<Gauge>>>,
    /// By the name of the backend.
    fields: RefCell<BTreeMap<&'static str, Rc<Fields>>>,
}

impl<'g> Derived<'g> {
    /// Equations without what the file asks for, which is added.
    pub fn new(p: &Prepared<'g>, mut equations: Equations<'g>) -> Self {
        write_outputs(p.model, &mut equations);
        Self {
            equations,
            parameters: p.parameters.clone(),
            programs: RefCell::default(),
            tables: RefCell::default(),
            gauges: RefCell::default(),
            fields: RefCell::default(),
        }
    }

    /// Some outputs with the values of the parameters.
    ///
    /// # Errors
    /// As for [`Equations::program`].
    pub fn interpreter(&self, names: &[&str]) -> Result<Rc<Interpreter>, Unbound> {
        let key = names.join("\n");
        if let Some(kept) = self.programs.borrow().get(&key) {
            return kept.clone();
        }
        let program = self.equations.program(names);
        let made = program.map(|program| Rc::new(Interpreter::new(program, &self.parameters)));
        self.programs.borrow_mut().insert(key, made.clone());
        made
    }

    /// Some outputs with the values of the parameters, to be evaluated at many states.
    ///
    /// # Errors
    /// As for [`fields_of`].
    pub fn table(&self, names: &[&str]) -> Result<Rc<Compiled>, Diagnostic> {
        let key = names.join("\n");
        if let Some(kept) = self.tables.borrow().get(&key) {
            return Ok(Rc::clone(kept));
        }
        let made = Rc::new(compiled(&*fields_of(self, names)?, &AUTO)?);
        self.tables.borrow_mut().insert(key, Rc::clone(&made));
        Ok(made)
    }

    /// The same, with the sizes of their terms.
    ///
    /// # Errors
    /// As for [`fields_of`].
    pub fn gauge(&self, names: &[&str]) -> Result<Rc<Gauge>, Diagnostic> {
        let key = names.join("\n");
        if let Some(kept) = self.gauges.borrow().get(&key) {
            return Ok(Rc::clone(kept));
        }
        let interpreter = fields_of(self, names)?;
        let sizes = Tape::of_sizes(interpreter.program(), interpreter.parameters());
        let made = Rc::new(Gauge {
            values: self.table(names)?,
            sizes: sizes.map(|tape| ready(tape, &AUTO)).transpose()?,
            interpreter,
        });
        self.gauges.borrow_mut().insert(key, Rc::clone(&made));
        Ok(made)
    }

    /// The compiled functions of the motion.
    ///
    /// # Errors
    /// As for [`Fields::new`].
    pub fn fields(&self, p: &Prepared<'_>, backend: &Backend) -> Result<Rc<Fields>, Diagnostic> {
        if let Some(kept) = self.fields.borrow().get(backend.id) {
            return Ok(Rc::clone(kept));
        }
        let made = Rc::new(Fields::new(p, self, backend)?);
        self.fields
            .borrow_mut()
            .insert(backend.id, Rc::clone(&made));
        Ok(made)
    }
}

impl<'g> Deref for Derived<'g> {
    type Target = Equations<'g>;

    fn deref(&self) -> &Equations<'g> {
        &self.equations
    }
}

/// Values with the sizes of their terms, at many states.
pub(crate) struct Gauge {
    values: Rc<Compiled>,
    /// None where linear systems are solved.
    sizes: Option<Compiled>,
    interpreter: Rc<Interpreter>,
}

impl Gauge {
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
    ) -> Result<Vec<f64>, Trouble> {
        let mut values = vec![0.0; self.values.outputs()];
        self.values.eval(workspace, t, y, &mut values)?;
        Ok(values)
    }

    /// What [`Interpreter::measured`] gives.
    ///
    /// # Errors
    /// A linear solve that fails.
    pub fn measured(
        &self,
        workspace: &mut Workspace,
        t: f64,
        y: &[f64],
    ) -> Result<Vec<Measured>, Trouble> {
        let Some(by_sizes) = &self.sizes else {
            return self.interpreter.measured(t, y);
        };
        let mut values = vec![0.0; 2 * self.values.outputs()];
        let (own, sizes) = values.split_at_mut(self.values.outputs());
        self.values.eval(workspace, t, y, own)?;
        by_sizes.eval(workspace, t, y, sizes)?;
        let pairs = own.iter().zip(sizes.iter());
        Ok(pairs
            .map(|(value, size)| Measured {
                value: *value,
                size: *size,
            })
            .collect())
    }
}

/// The functions that rows were compiled from, and their fixed inputs and unknowns.
type Origin = [Vec<Id>; 3];

/// So many kinds of rows are kept: a start that is given in numbers has rows of its own.
const MOST_ROWS: usize = 32;

/// What a prepared model keeps, for its values of the parameters.
#[derive(Default)]
pub(crate) struct Kept<'g> {
    forms: RefCell<BTreeMap<&'static str, Result<Rc<Derived<'g>>, Unavailable>>>,
    rows: RefCell<BTreeMap<Origin, Rc<Rows>>>,
    /// What became of the claims that do not speak of a motion, by their place in the file.
    claims: RefCell<BTreeMap<usize, Result<f64, String>>>,
}

impl<'g> Kept<'g> {
    /// The equations of a form.
    ///
    /// # Errors
    /// The form does not apply.
    pub fn form(
        &self,
        p: &Prepared<'g>,
        form: &'static Formalism,
    ) -> Result<Rc<Derived<'g>>, Unavailable> {
        if let Some(kept) = self.forms.borrow().get(form.id) {
            return kept.clone();
        }
        let equations = (form.derive)(&p.system, &p.constraints);
        let made = equations.map(|equations| Rc::new(Derived::new(p, equations)));
        self.forms.borrow_mut().insert(form.id, made.clone());
        made
    }

    /// Rows `c(w) = 0` with `fixed` inputs before `w`.
    pub fn rows(&self, p: &Prepared<'g>, c: &[Ex<'g>], fixed: &[Ex<'g>], w: &[Ex<'g>]) -> Rc<Rows> {
        let origin = [c, fixed, w].map(|all| all.iter().map(|x| x.id()).collect::<Vec<Id>>());
        let mut kept = self.rows.borrow_mut();
        if kept.len() >= MOST_ROWS {
            kept.clear();
        }
        let made = kept
            .entry(origin)
            .or_insert_with(|| Rc::new(Rows::new(p, c, fixed, w)));
        Rc::clone(made)
    }

    /// The deviation of a claim that holds or fails whatever the motion.
    pub fn claim(
        &self,
        index: usize,
        judge: impl FnOnce() -> Result<f64, String>,
    ) -> Result<f64, String> {
        if let Some(kept) = self.claims.borrow().get(&index) {
            return kept.clone();
        }
        let judged = judge();
        self.claims.borrow_mut().insert(index, judged.clone());
        judged
    }
}
