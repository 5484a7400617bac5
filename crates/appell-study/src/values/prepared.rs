//! A model made ready for numbers: parameters evaluated, mechanics derived.

use crate::values::derived::{Cache, Derived, Known};
use crate::values::error::Error;
use crate::values::found::Found;
use crate::values::measurement::Measurement;
use crate::values::metric::{generic_metric, may_be_indefinite};
use crate::values::parameters::{Override, parameter_values, unknown};
use crate::values::rows::Rows;
use appell_expr::{Ex, IdentityKey, Matrix, Program, Sketch};
use appell_flow::method::{AUTO, METHODS};
use appell_flow::{Direction, Field, Interpreter, Parameters};
use appell_mech::{
    Carrier, Chart, Constraints, FORMALISMS, Formalism, Metric, System, Unavailable, function,
    hidden_rows, state_functions,
};
use appell_model::{ClaimKind, Code, Diagnostic, Model, nearest, read};
use std::cell::OnceCell;
use std::ops::Deref;
use std::rc::Rc;

/// Why a state has no counterpart on `(q, z)`.
pub(crate) const NO_PARAMETERS: &str = "no parameters z give this velocity: it misses a constraint, or the parametrisation is \
                                        singular here";

/// A model with values for its parameters, its system and its constraints.
pub struct Mechanics<'g> {
    /// The model.
    pub model: &'g Model,
    /// `M q'' = r`.
    pub system: System<'g>,
    /// `phi = 0`, `v = psi`.
    pub constraints: Constraints<'g>,
    /// The values of the parameters, in the file's order, then of the inputs.
    pub parameters: Parameters,
}

/// A model made ready: its [`Mechanics`], to be read as its own fields, and what has been derived from
/// them. They change only together, by [`Prepared::set_parameters`] and [`Prepared::set_chart`].
pub struct Prepared<'g> {
    mechanics: Mechanics<'g>,
    /// The functions of [`function`] at `(t, (q, v))`.
    functions: Interpreter,
    /// Of these `M`, which is looked up the most.
    mass: Interpreter,
    /// `(psi, psi_z)` at `(t, (q, z))`.
    parametric: Option<Interpreter>,
    /// What was derived with these parameters.
    pub(crate) kept: Cache<'g>,
    overrides: Vec<Override>,
    dropped: Vec<String>,
    /// What has been found with these parameters.
    pub(crate) found: Found,
    /// What special values of parameters change, where they have been put in.
    pub(crate) special: Vec<String>,
    /// The same with special values of parameters put in, once asked for; `None` if none is special.
    pub(crate) exact: OnceCell<Option<Box<Prepared<'g>>>>,
    /// The same without constants that vanish at these values, once asked for; `None` if there are none.
    pub(crate) rounded: OnceCell<Option<Box<Prepared<'g>>>>,
}

impl<'g> Mechanics<'g> {
    /// What determines accelerations and reactions.
    pub(crate) fn matrices(&self) -> [&Matrix<'g>; 6] {
        let Mechanics {
            system,
            constraints,
            ..
        } = self;
        [
            &system.mass,
            &system.right,
            &system.force,
            &constraints.a,
            &constraints.b,
            &constraints.w,
        ]
    }
}

impl<'g> Deref for Prepared<'g> {
    type Target = Mechanics<'g>;

    fn deref(&self) -> &Mechanics<'g> {
        &self.mechanics
    }
}

/// What it takes to prepare the same model in another thread, which may go on when this one has ended: the algebra stays in
/// one.
#[derive(Clone)]
pub struct Recipe {
    file: String,
    text: String,
    overrides: Vec<Override>,
    dropped: Vec<String>,
    parameters: Vec<f64>,
    chart: Option<Chart>,
    found: Found,
    /// What the algebra decided here.
    decided: Vec<(IdentityKey, bool)>,
}

impl Recipe {
    /// What a function makes of the same model, read and prepared anew.
    ///
    /// # Errors
    /// None for a model that has been read from its text.
    pub fn with<T>(self, look: impl FnOnce(&Prepared<'_>) -> T) -> Result<T, Diagnostic> {
        let read = read(&self.file, &self.text);
        let (model, _) = read.map_err(|mut errors| errors.remove(0))?;
        model.graph.tell_decided(self.decided);
        let mut prepared = Prepared::without_chart(&model, &self.overrides, &self.dropped)?;
        if *prepared.parameters != *self.parameters {
            prepared = prepared.with_parameters(&self.parameters);
        }
        prepared.mechanics.constraints.chart = self.chart;
        prepared.found = self.found;
        Ok(look(&prepared))
    }
}

impl<'g> Prepared<'g> {
    /// As [`Prepared::new`], before independent velocities are chosen.
    pub(crate) fn without_chart(
        model: &'g Model,
        overrides: &[Override],
        dropped: &[String],
    ) -> Result<Self, Diagnostic> {
        let parameters = Parameters::from(parameter_values(model, overrides)?);
        refuse_unknown_formalisms(model)?;
        refuse_unknown_method(model)?;
        let mut system = System::new(model, Metric::Definite);
        let mut constraints = Constraints::new(&system, &indices_of(model, dropped)?);
        constraints.hidden = hidden_rows(&system, &constraints);
        let [functions, mass] = Self::compile_functions(&system, &constraints, &parameters);
        system.metric = generic_metric(&system, &mass);
        let parametric = compile_parametric(&system, &constraints, &parameters);
        Ok(Self {
            mechanics: Mechanics {
                model,
                system,
                constraints,
                parameters,
            },
            functions,
            mass,
            parametric,
            overrides: overrides.to_vec(),
            dropped: dropped.to_vec(),
            kept: Cache::default(),
            found: Found::default(),
            special: Vec::new(),
            exact: OnceCell::new(),
            rounded: OnceCell::new(),
        })
    }

    /// The same with exact values put in for some parameters; `why` they are special. Independent velocities
    /// are not chosen anew.
    pub(crate) fn with_exact_values(&self, values: &[(Ex<'g>, Ex<'g>)], why: Vec<String>) -> Self {
        let system = self.system.with_values(values);
        let constraints = self.constraints.with_values_of(&system);
        Self {
            special: why,
            exact: OnceCell::from(None),
            rounded: OnceCell::from(None),
            ..self.of(system, constraints)
        }
    }

    /// The same without constants that vanish at the values of the parameters, see [`vanishing_constants`]; independent velocities
    /// are not chosen anew.
    pub(crate) fn without(&self, vanishing: &[(Ex<'g>, Ex<'g>)]) -> Self {
        let system = self.system.without(vanishing);
        let constraints = self.constraints.without_vanishing_of(&system);
        let mut reduced = self.of(system, constraints);
        reduced.mechanics.system.metric = generic_metric(&reduced.system, &reduced.mass);
        reduced.found = Found::default();
        reduced.rounded = OnceCell::from(None);
        reduced
    }

    /// The same parameters for another system and other constraints, without independent velocities.
    fn of(&self, system: System<'g>, mut constraints: Constraints<'g>) -> Self {
        constraints.hidden = hidden_rows(&system, &constraints);
        let names = |constraints: &Constraints<'g>| -> Vec<String> {
            constraints.active().map(|row| row.name.clone()).collect()
        };
        let found = match names(&constraints) == names(&self.constraints) {
            true => self.found.clone(),
            false => self.found.of_other_rows(),
        };
        let [functions, mass] = Self::compile_functions(&system, &constraints, &self.parameters);
        Self {
            functions,
            mass,
            parametric: compile_parametric(&system, &constraints, &self.parameters),
            mechanics: Mechanics {
                model: self.model,
                system,
                constraints,
                parameters: self.parameters.clone(),
            },
            kept: Cache::default(),
            overrides: self.overrides.clone(),
            dropped: self.dropped.clone(),
            found,
            special: Vec::new(),
            exact: OnceCell::new(),
            rounded: OnceCell::new(),
        }
    }

    /// The exact value that was given from outside for a parameter.
    pub(crate) fn overridden(&self, name: &str) -> Option<appell_expr::Rational> {
        let given = self.overrides.iter().rev().find(|o| o.name == name);
        given.map(|o| o.value.clone())
    }

    /// Gives other values to the parameters: the overrides, and the file's for the rest.
    ///
    /// Nothing is derived anew but what is known of `M`; the choice of independent velocities stays.
    ///
    /// # Errors
    /// As for [`Prepared::new`]; nothing is changed then.
    pub fn set_parameters(&mut self, overrides: &[Override]) -> Result<(), Error> {
        self.mechanics.parameters = parameter_values(self.model, overrides)?.into();
        self.overrides = overrides.to_vec();
        self.found = Found::default();
        self.functions = self.functions.with_parameters(&self.mechanics.parameters);
        let parametric = self.parametric.as_ref();
        self.parametric = parametric.map(|psi| psi.with_parameters(&self.mechanics.parameters));
        self.mass = self.mass.with_parameters(&self.mechanics.parameters);
        self.mechanics.system.metric = generic_metric(&self.system, &self.mass);
        self.kept = self.kept.with_parameters(&self.mechanics.parameters);
        self.exact = OnceCell::new();
        self.rounded = OnceCell::new();
        Ok(())
    }

    /// Chooses independent velocities before anything has been derived.
    pub(crate) fn choose_chart(&mut self, chart: Option<Chart>) {
        self.mechanics.constraints.chart = chart;
    }

    /// Chooses other independent velocities; `None` for none.
    pub fn set_chart(&mut self, chart: Option<Chart>) {
        self.mechanics.constraints.chart = chart;
        self.kept = Cache::default();
        self.exact = OnceCell::new();
        self.rounded = OnceCell::new();
    }

    /// The same with other values of the parameters, which must be admissible.
    pub(crate) fn with_parameters(&self, values: impl Into<Parameters>) -> Prepared<'g> {
        let mut other = self.with_parameters_of_start(values.into());
        other.mechanics.system.metric = generic_metric(&other.system, &other.mass);
        other
    }

    /// The same with other values of the parameters, to find a start: whether `M` is definite is not looked up.
    pub(crate) fn with_parameters_of_start(&self, values: Parameters) -> Prepared<'g> {
        debug_assert!(
            self.system.fixed.is_empty(),
            "some parameters have been put in"
        );
        let parametric = self.parametric.as_ref();
        Prepared {
            functions: self.functions.with_parameters(&values),
            mass: self.mass.with_parameters(&values),
            kept: self.kept.with_parameters(&values),
            parametric: parametric.map(|psi| psi.with_parameters(&values)),
            mechanics: Mechanics {
                model: self.model,
                constraints: self.constraints.clone(),
                parameters: values,
                system: self.system.clone(),
            },
            overrides: self.overrides.clone(),
            dropped: self.dropped.clone(),
            found: Found::default(),
            special: Vec::new(),
            exact: OnceCell::new(),
            rounded: OnceCell::new(),
        }
    }

    /// For another thread.
    pub fn recipe(&self) -> Recipe {
        Recipe {
            file: self.model.source.name.clone(),
            text: self.model.source.text.clone(),
            overrides: self.overrides.clone(),
            dropped: self.dropped.clone(),
            parameters: self.parameters.to_vec(),
            chart: self.constraints.chart.clone(),
            found: self.found.clone(),
            decided: self.model.graph.decided(),
        }
    }

    fn compile_functions(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        parameters: &Parameters,
    ) -> [Interpreter; 2] {
        let sketch = state_functions(system, constraints);
        let all = sketch.outputs().iter().map(|(name, _)| name.as_str());
        [all.collect(), vec![function::MASS]].map(|names: Vec<&str>| {
            let program = program(system, &sketch, &names);
            Interpreter::new(program, parameters)
        })
    }

    /// Whether `M` has a negative direction at some state, be it far from the start; then it is singular at others.
    pub(crate) fn may_be_indefinite(&self) -> bool {
        may_be_indefinite(&self.system, &self.mass)
    }

    /// A program of `(t, (q, v), parameters)` as a field of `(t, (q, v))`.
    pub fn compile(&self, sketch: &Sketch<'g>, names: &[&str]) -> Interpreter {
        Interpreter::new(program(&self.system, sketch, names), &self.parameters)
    }

    /// Functions of `(t, (q, v))`, compiled once.
    pub(crate) fn functions_of(&self, xs: &[Ex<'g>]) -> Interpreter {
        self.kept.functions(xs, || {
            let mut sketch = Sketch::new(self.system.graph);
            sketch.output_list("values", xs);
            self.compile(&sketch, &["values"])
        })
    }

    /// The equations of a form with the outputs of the file, derived once.
    pub(crate) fn form(&self, form: &'static Formalism) -> Result<Rc<Derived<'g>>, Unavailable> {
        self.kept
            .form(&self.system, &self.constraints, &self.parameters, form)
    }

    /// The forms of the table that apply to the model.
    pub(crate) fn forms(&self) -> impl Iterator<Item = Rc<Derived<'g>>> {
        FORMALISMS.iter().filter_map(|form| self.form(form).ok())
    }

    /// The equations that a motion uses where no form is asked for.
    pub(crate) fn usual(&self, known: &Known<'_>) -> Result<Rc<Derived<'g>>, Unavailable> {
        self.kept
            .usual(&self.system, &self.constraints, &self.parameters, known)
    }

    /// Rows `c(w) = 0` with `fixed` inputs before `w`, compiled once.
    pub(crate) fn rows(&self, c: &[Ex<'g>], fixed: &[Ex<'g>], w: &[Ex<'g>]) -> Rc<Rows> {
        self.kept.rows(&self.system, &self.parameters, c, fixed, w)
    }

    /// All functions of [`function`] at a state; `None` where a solve or a value fails.
    pub fn measure(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Measurement<'_>> {
        Measurement::at(&self.functions, t, &[q, v].concat())
    }

    /// The functions of [`function`] at `(t, (q, v))`, for a thread of its own.
    pub(crate) fn functions(&self) -> &Interpreter {
        &self.functions
    }

    /// `E = v . L_v - L` at a state; `None` where it has no value.
    pub fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
        let field = self.functions_of(&[self.system.energy]);
        let value = field.results(t, &[q, v].concat()).ok()?;
        value.first().copied().filter(|x| x.is_finite())
    }

    /// `M` at a state; `None` where it has no value.
    pub(crate) fn mass_matrix(&self, t: f64, q: &[f64], v: &[f64]) -> Option<Vec<f64>> {
        self.mass.results(t, &[q, v].concat()).ok()
    }

    /// How a function of [`function`] changes at `(t, (q, v))` where the state changes so and the parameters along a
    /// direction; `None` where it has no derivative.
    pub(crate) fn change_of(
        &self,
        names: &[&str],
        (t, state): (f64, &[f64]),
        (along, direction): (&[f64], &Direction),
    ) -> Option<Vec<Vec<f64>>> {
        let functions = &self.functions;
        let duals = functions
            .duals_along(t, state, along, direction, None)
            .ok()?;
        let one = |name: &&str| -> Option<Vec<f64>> {
            let range = functions.program().range(name)?;
            Some(duals[range].iter().map(|x| x.along(0)).collect())
        };
        names.iter().map(one).collect()
    }

    /// `psi` and `psi_z` at `(t, q, z)`, if the model has them.
    pub fn measure_parametric(&self, t: f64, q: &[f64], z: &[f64]) -> Option<Measurement<'_>> {
        let parametric = self.parametric.as_ref()?;
        let state = [q, z].concat();
        let values = parametric.measured(t, &state).ok()?;
        Some(Measurement {
            program: parametric.program(),
            values,
            state,
        })
    }

    /// `q` with the velocities as a carrier takes them; `z` are the parameters if they are known.
    pub fn carrier_state(
        &self,
        carrier: Carrier,
        t: f64,
        q: &[f64],
        v: &[f64],
        z: Option<&[f64]>,
    ) -> Option<Vec<f64>> {
        let fibre = match carrier {
            Carrier::Velocities => v.to_vec(),
            Carrier::Parameters => z?.to_vec(),
            Carrier::Momenta => self.measure(t, q, v)?.table(function::MOMENTUM).values(),
        };
        Some([q, &fibre].concat())
    }

    /// `v = psi(q, z, t)`.
    pub fn velocities(&self, t: f64, q: &[f64], z: &[f64]) -> Option<Vec<f64>> {
        let psi = self.measure_parametric(t, q, z)?.table("psi");
        let values: Vec<f64> = psi.entries.iter().map(|x| x.value).collect();
        values.iter().all(|v| v.is_finite()).then_some(values)
    }
}

/// `(t, q, fibre, parameters)`, what programs read.
fn inputs<'g>(system: &System<'g>, fibre: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let parameters = system.model.parameters.iter();
    [system.t]
        .into_iter()
        .chain(system.q.iter().copied())
        .chain(fibre.iter().copied())
        .chain(parameters.map(|p| system.graph.ex(p.symbol)))
        .collect()
}

pub(crate) fn program<'g>(system: &System<'g>, sketch: &Sketch<'g>, names: &[&str]) -> Program {
    let compiled = sketch.program(&inputs(system, &system.v), names);
    compiled.expect("functions of the state are made of t, q, v and parameters")
}

fn compile_parametric<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    parameters: &Parameters,
) -> Option<Interpreter> {
    let parametric = constraints.parametric.as_ref()?;
    let mut sketch = Sketch::new(system.graph);
    sketch.output("psi", parametric.psi.clone());
    sketch.output("psi_z", parametric.partial.clone());
    let program = sketch.program(&inputs(system, &parametric.z), &["psi", "psi_z"]);
    let program = program.expect("psi is made of t, q, z and parameters");
    Some(Interpreter::new(program, parameters))
}

/// The indices of constraints given by name.
fn indices_of(model: &Model, names: &[String]) -> Result<Vec<usize>, Diagnostic> {
    let known = || model.constraints.iter().map(|c| c.name.as_str());
    let index = |name: &String| {
        let found = known().position(|constraint| constraint == name);
        found.ok_or_else(|| unknown("constraint", name, known().collect()))
    };
    names.iter().map(index).collect()
}

/// Claims may name formalisms; their table is not known where the file is read.
fn refuse_unknown_formalisms(model: &Model) -> Result<(), Diagnostic> {
    let known = || FORMALISMS.iter().map(|form| form.id);
    for claim in &model.claims {
        let ClaimKind::Equivalent(ids) = &claim.kind else {
            continue;
        };
        if let Some(id) = ids
            .iter()
            .find(|id| known().all(|formalism| formalism != *id))
        {
            let message = format!("unknown formalism `{id}`");
            let near = nearest(id, known()).map(|near| format!("did you mean `{near}`?"));
            let diagnostic = Diagnostic::new(
                Code::UnknownWord,
                message,
                claim.span,
                near.unwrap_or_default(),
            );
            return Err(
                diagnostic.note(format!("known: {}", known().collect::<Vec<_>>().join(", ")))
            );
        }
    }
    Ok(())
}

/// The file's method is a word of the table, whatever the model is asked.
fn refuse_unknown_method(model: &Model) -> Result<(), Diagnostic> {
    let known = || METHODS.iter().map(|method| method.id).chain([AUTO.id]);
    let Some(name) = &model.simulate.method else {
        return Ok(());
    };
    if known().any(|id| id == name) {
        return Ok(());
    }
    let label = match nearest(name, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "take one of these, or leave it out".to_owned(),
    };
    let message = format!("unknown method `{name}` in [simulate]");
    let span = model.simulate.method_span;
    let diagnostic = Diagnostic::new(Code::UnknownWord, message, span, label);
    Err(diagnostic.note(format!("known: {}", known().collect::<Vec<_>>().join(", "))))
}

impl Prepared<'_> {
    /// The value of an expression in parameters, such as `until`.
    pub fn constant(&self, x: appell_expr::Id) -> f64 {
        let graph = &self.model.graph;
        let field = self.functions_of(&[graph.ex(x)]);
        let nothing = vec![f64::NAN; field.inputs()];
        field
            .results(f64::NAN, &nothing)
            .map_or(f64::NAN, |values| values[0])
    }
}
