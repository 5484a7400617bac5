//! Everything at given states.

use crate::motion::acceleration_check::AccelerationCheck;
use crate::states::charts::{chart_at, has_charts, is_worn, with_linear_part};
use crate::states::given_states::State;
use crate::states::indeterminate::{Indeterminate, IndeterminateForces, null_multipliers};
use crate::states::nearest::parameters_of;
use crate::states::status::{Judgement, Status, judge};
use crate::values::derived::Derived;
use crate::values::error::Error;
use crate::values::prepared::{NO_PARAMETERS, Prepared};
use appell_expr::limits::{Why, attempt};
use appell_flow::Interpreter;
use appell_mech::{Carrier, Equations, Formalism, Hold, Unavailable, directions_output, output};
use serde::Serialize;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The answer of `appell eval`.
#[derive(Debug, Clone, Serialize)]
pub struct Evaluation {
    /// One entry per state, in order.
    pub states: Vec<StateValues>,
}

impl Evaluation {
    /// Whether any state has accelerations.
    pub fn any_evaluated(&self) -> bool {
        self.states.is_empty() || self.states.iter().any(|state| state.accel.is_some())
    }
}

/// One state. What is undefined is `None`, with the reason in `why`.
#[derive(Debug, Clone, Serialize)]
pub struct StateValues {
    /// The time.
    pub t: f64,
    /// The coordinates.
    pub q: Vec<f64>,
    /// The velocities.
    pub v: Option<Vec<f64>>,
    /// The verdict.
    pub status: Status,
    /// Why something is undefined, or the state not regular.
    pub why: Option<String>,
    /// `q''`.
    pub accel: Option<Vec<f64>>,
    /// The multipliers, one a row.
    pub lambda: Option<Vec<f64>>,
    /// The covariant reaction.
    pub reaction: Option<Vec<f64>>,
    /// `E`.
    pub energy: Option<f64>,
    /// `E*`.
    pub energy_star: Option<f64>,
    /// `dE/dt`.
    pub energy_rate: Option<f64>,
    /// `dE*/dt`.
    pub energy_star_rate: Option<f64>,
    /// `R.v`.
    pub reaction_power: Option<f64>,
    /// `alphabar - alpha` of the dependent velocities.
    pub alphabar_minus_alpha: Option<Vec<f64>>,
    /// Why `E*` is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy_star_why: Option<String>,
    /// Each row's left side minus right side.
    pub residual: Option<Vec<f64>>,
    /// The rank of `A`.
    pub rank: Option<usize>,
    /// Each formalism's own results.
    pub forms: BTreeMap<&'static str, FormValues>,
    /// The constraint forces on particles and bodies.
    pub forces: Vec<ForceValue>,
    /// Which of them, and of the multipliers, are a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub indeterminate: Option<Indeterminate>,
}

/// One formalism at one state.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum FormValues {
    /// It does not apply.
    Unavailable {
        /// The reason.
        unavailable: String,
    },
    /// It applies and has a value.
    Values {
        /// `q''`.
        accel: Vec<f64>,
        /// q and the form's own fibre coordinates, by name.
        state_names: Vec<String>,
        /// Their values.
        state: Vec<f64>,
        /// Their rates.
        rate: Vec<f64>,
        /// The multipliers, one a row.
        lambda: Vec<f64>,
        /// The covariant reaction.
        reaction: Vec<f64>,
        /// `E`.
        energy: f64,
        /// Kane's second set of equations, with no multipliers in evidence.
        #[serde(skip_serializing_if = "Option::is_none")]
        not_in_evidence: Option<SecondSet>,
    },
    /// It applies but has no value here: the same keys, null.
    Undefined {
        /// Undefined.
        accel: Null,
        /// q and the form's own fibre coordinates, by name.
        state_names: Vec<String>,
        /// Undefined.
        state: Null,
        /// Undefined.
        rate: Null,
        /// Undefined.
        lambda: Null,
        /// Undefined.
        reaction: Null,
        /// Undefined.
        energy: Null,
        /// The reason.
        why: String,
    },
}

/// What Kane's equations with no multipliers in evidence give.
#[derive(Debug, Clone, Serialize)]
pub struct SecondSet {
    /// `q''`.
    pub accel: Option<Vec<f64>>,
    /// Why it is undefined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// JSON's null.
pub type Null = ();

/// The force of one constraint on one particle or body.
#[derive(Debug, Clone, Serialize)]
pub struct ForceValue {
    /// The entry of `[constraints]`.
    pub constraint: String,
    /// The particle or body.
    pub on: String,
    /// The point of application by name; `couple` where there is no force; none for the point of a
    /// `v(body, r)`.
    pub point: Option<String>,
    /// Where it is, in the inertial frame.
    pub at: [f64; 3],
    /// Its inertial components.
    pub force: [f64; 3],
    /// The couple besides the force's moment about `at`.
    pub torque: [f64; 3],
    /// Whether it is the same for every choice of the multipliers.
    pub unique: bool,
    /// `inspection` of the dot products, `gauss` for constraints in coordinates, or `place` where the file says at which
    /// point.
    pub rule: &'static str,
}

const RESULTS: [&str; 8] = [
    output::STATE,
    output::STATE_RATE,
    output::ACCEL,
    output::LAMBDA,
    output::REACTION,
    output::ENERGY,
    output::ENERGY_RATE,
    output::REACTION_POWER,
];
const STAR: [&str; 3] = [
    output::ENERGY_STAR,
    output::ENERGY_STAR_RATE,
    output::ALPHABAR_MINUS_ALPHA,
];

/// One formalism's equations with their compiled programs.
struct Form<'g> {
    formalism: &'static Formalism,
    equations: Result<Rc<Derived<'g>>, Unavailable>,
    field: Option<Rc<Interpreter>>,
    /// Kane's second set, a program of its own since it may fail where the first does not.
    second: Option<Rc<Interpreter>>,
}

/// Evaluates the formalisms at the states.
pub fn eval(p: &Prepared<'_>, states: &[State], formalisms: &[&'static Formalism]) -> Evaluation {
    let p = p.in_numbers();
    let forms: Vec<Form<'_>> = formalisms
        .iter()
        .map(|formalism| compile(p, formalism))
        .collect();
    let main = Main::new(p);
    Evaluation {
        states: states
            .iter()
            .map_while(|state| attempt(|| state_values(p, &main, &forms, state)).ok())
            .collect(),
    }
}

fn compile<'g>(p: &Prepared<'g>, formalism: &'static Formalism) -> Form<'g> {
    let late = |why: Why| Err(Unavailable(format!("not derived: {why}")));
    let equations = attempt(|| p.form(formalism)).unwrap_or_else(late);
    let compiled = |names: &[&str]| equations.as_ref().ok()?.interpreter(names).ok();
    Form {
        formalism,
        field: compiled(&RESULTS),
        second: compiled(&[output::ACCEL_MINIMAL]),
        equations,
    }
}

/// The form that answers for the state as a whole: the first of the table that applies.
struct Main<'g> {
    equations: Option<Rc<Derived<'g>>>,
    carrier: Carrier,
    results: Option<Rc<Interpreter>>,
    star: Option<Rc<Interpreter>>,
    state: Option<Rc<Interpreter>>,
    forces: Option<Rc<Interpreter>>,
}

impl<'g> Main<'g> {
    fn new(p: &Prepared<'g>) -> Self {
        let mut forms = appell_mech::FORMALISMS.iter();
        Self::of(forms.find_map(|form| p.form(form).ok()))
    }

    fn of(equations: Option<Rc<Derived<'g>>>) -> Self {
        let compiled = |names: &[&str]| equations.as_ref()?.interpreter(names).ok();
        let directions: Vec<String> = equations
            .iter()
            .flat_map(|e| (0..e.forces.len()).map(directions_output))
            .collect();
        let names: Vec<&str> = [output::FORCES, output::TORQUES, output::POINTS]
            .into_iter()
            .chain(directions.iter().map(String::as_str))
            .collect();
        Self {
            carrier: equations
                .as_ref()
                .map_or(Carrier::Velocities, |e| e.carrier),
            results: compiled(&RESULTS),
            star: compiled(&STAR),
            state: compiled(&[output::ENERGY, output::RESIDUAL]),
            forces: compiled(&names),
            equations,
        }
    }
}

fn state_values<'g>(
    p: &Prepared<'g>,
    main: &Main<'g>,
    forms: &[Form<'_>],
    state: &State,
) -> StateValues {
    let State { t, q, .. } = state;
    let given = state.v.clone();
    let v = given.or_else(|| p.velocities(*t, q, state.z.as_deref()?));
    let Some(v) = v else {
        return without_velocities(state);
    };
    let judgement = judge(p, *t, q, &v, state.z.as_deref());
    let z = state
        .z
        .clone()
        .or_else(|| parameters_of(p, *t, q, &v, None));
    let measured = p.measure(*t, q, &v);
    let measured = measured.filter(|_| judgement.has_motion());
    let at = StateInCharts {
        p,
        t: *t,
        q,
        v: &v,
        z: z.as_deref(),
        judge: measured.and_then(|m| AccelerationCheck::new(p, &m)),
    };
    let mut values = StateValues::empty(*t, q, Some(v.clone()), &judgement);
    values.fill_state(main, &at);
    if judgement.has_motion() {
        values.fill(main, &at);
    }
    let undefined = judgement.why.clone().unwrap_or_default();
    for form in forms {
        let result = form_values(form, &at, judgement.has_motion(), &undefined);
        values.forms.insert(form.formalism.id, result);
    }
    values
}

/// A state in whichever coordinates a form wants it.
struct StateInCharts<'a, 'g> {
    p: &'a Prepared<'g>,
    t: f64,
    q: &'a [f64],
    v: &'a [f64],
    z: Option<&'a [f64]>,
    /// What answers are held against.
    judge: Option<AccelerationCheck>,
}

impl StateInCharts<'_, '_> {
    /// The results of a form, held against the equations that they have to satisfy.
    fn checked(&self, field: &Interpreter, carrier: Carrier) -> Result<Vec<f64>, Error> {
        let values = self.results(field, carrier)?;
        let accel = pick(field, &values, output::ACCEL);
        let reaction = pick(field, &values, output::REACTION);
        let judge = self.judge.as_ref();
        match judge.and_then(|judge| judge.acceleration_error(&accel, Some(&reaction))) {
            Some(why) => Err(Error::NoValue(why)),
            None => Ok(values),
        }
    }

    /// The accelerations that are all the results of a field, held against the same equations.
    fn accelerations(&self, field: &Interpreter, carrier: Carrier) -> Result<Vec<f64>, Error> {
        let accel = self.results(field, carrier)?;
        let judge = self.judge.as_ref();
        match judge.and_then(|judge| judge.acceleration_error(&accel, None)) {
            Some(why) => Err(Error::NoValue(why)),
            None => Ok(accel),
        }
    }

    /// The results of a field in its carrier, all finite.
    fn results(&self, field: &Interpreter, carrier: Carrier) -> Result<Vec<f64>, Error> {
        let state = self
            .p
            .carrier_state(carrier, self.t, self.q, self.v, self.z)
            .ok_or_else(|| Error::no_value(NO_PARAMETERS))?;
        let found = match &self.judge {
            Some(judge) => judge.results(field, self.t, &state),
            None => field.results(self.t, &state),
        };
        let values = found?;
        match values.iter().all(|x| x.is_finite()) {
            true => Ok(values),
            false => Err(Error::no_value("a value is not finite here")),
        }
    }
}

/// Cuts a list of results into the named outputs of its program.
fn pick(field: &Interpreter, values: &[f64], name: &str) -> Vec<f64> {
    field
        .program()
        .range(name)
        .map_or_else(Vec::new, |range| values[range].to_vec())
}

impl StateValues {
    fn empty(t: f64, q: &[f64], v: Option<Vec<f64>>, judgement: &Judgement) -> Self {
        Self {
            t,
            q: q.to_vec(),
            v,
            status: judgement.status,
            why: judgement.why.clone(),
            accel: None,
            lambda: None,
            reaction: None,
            energy: None,
            energy_star: None,
            energy_rate: None,
            energy_star_rate: None,
            reaction_power: None,
            alphabar_minus_alpha: None,
            energy_star_why: None,
            residual: None,
            rank: judgement.rank.a,
            forms: BTreeMap::new(),
            forces: Vec::new(),
            indeterminate: None,
        }
    }

    /// Puts in what a state has whether or not it has accelerations.
    fn fill_state(&mut self, main: &Main<'_>, at: &StateInCharts<'_, '_>) {
        let Some(field) = &main.state else { return };
        if let Ok(values) = at.results(field, main.carrier) {
            self.energy = pick(field, &values, output::ENERGY).first().copied();
            self.residual = Some(pick(field, &values, output::RESIDUAL));
        }
    }

    /// Puts in what the main form computes, or the first other form whose answer stands.
    fn fill<'g>(&mut self, main: &Main<'g>, at: &StateInCharts<'_, 'g>) {
        self.fill_by(main, at);
        let id = main.equations.as_ref().map(|e| e.formalism.id);
        let (Some(id), None) = (id, &self.accel) else {
            return;
        };
        let why = self.why.take();
        for form in appell_mech::FORMALISMS.iter().filter(|form| form.id != id) {
            let Ok(equations) = at.p.form(form) else {
                continue;
            };
            self.fill_by(&Main::of(Some(equations)), at);
            if self.accel.is_some() {
                let why = why.unwrap_or_default();
                self.why = Some(format!("by `{}`, for `{id}`: {why}", form.id));
                return;
            }
        }
        self.why = why;
    }

    fn fill_by<'g>(&mut self, main: &Main<'g>, at: &StateInCharts<'_, 'g>) {
        let (Some(equations), Some(field)) = (&main.equations, &main.results) else {
            self.why = Some("no formalism applies to this model".to_owned());
            return;
        };
        match at.checked(field, main.carrier) {
            Ok(values) => {
                let list = |name| Some(pick(field, &values, name));
                let one = |name| pick(field, &values, name).first().copied();
                (self.accel, self.lambda) = (list(output::ACCEL), list(output::LAMBDA));
                self.reaction = list(output::REACTION);
                self.energy_rate = one(output::ENERGY_RATE);
                self.reaction_power = one(output::REACTION_POWER);
            }
            Err(why) => {
                self.why = Some(why.to_string());
                return;
            }
        }
        let run = |field: &Option<Rc<Interpreter>>| {
            field
                .as_ref()
                .and_then(|f| Some((f.clone(), at.results(f, main.carrier).ok()?)))
        };
        match (&equations.energy_star, run(&main.star)) {
            (Err(why), _) => self.energy_star_why = Some(why.to_string()),
            (Ok(()), None) => {
                self.energy_star_why =
                    Some("the independent velocities are no chart here".to_owned());
            }
            (Ok(()), Some((field, values))) => {
                self.energy_star = pick(&field, &values, output::ENERGY_STAR).first().copied();
                self.energy_star_rate = pick(&field, &values, output::ENERGY_STAR_RATE)
                    .first()
                    .copied();
                self.alphabar_minus_alpha =
                    Some(pick(&field, &values, output::ALPHABAR_MINUS_ALPHA));
            }
        }
        if let Some((field, values)) = run(&main.forces) {
            let null = null_multipliers(at.p, (at.t, at.q, at.v));
            self.forces = force_values(at.p, equations, &field, &values, &null);
            let output = |name: &str| pick(&field, &values, name);
            let place = (at.t, at.q, at.v);
            self.indeterminate =
                IndeterminateForces::at(at.p, &equations.forces, place, null, &output).said();
        }
    }
}

fn without_velocities(state: &State) -> StateValues {
    let why = "v = psi(q, z, t) has no value at these parameters";
    let judgement = Judgement::without_values(Status::Chart, why);
    StateValues::empty(state.t, &state.q, None, &judgement)
}

fn form_values(
    form: &Form<'_>,
    at: &StateInCharts<'_, '_>,
    has_motion: bool,
    why: &str,
) -> FormValues {
    let equations = match &form.equations {
        Ok(equations) => equations,
        Err(unavailable) => {
            return FormValues::Unavailable {
                unavailable: unavailable.to_string(),
            };
        }
    };
    let undefined = |why: String| FormValues::Undefined {
        accel: (),
        state_names: equations.state_names.clone(),
        state: (),
        rate: (),
        lambda: (),
        reaction: (),
        energy: (),
        why,
    };
    let Some(field) = &form.field else {
        return undefined("its program is incomplete".to_owned());
    };
    if !has_motion {
        return undefined(why.to_owned());
    }
    let chart = at.p.constraints.chart.as_ref();
    let place = (at.t, at.q, at.v);
    let worn = has_charts(equations) && chart.is_some_and(|chart| is_worn(at.p, chart, place));
    let elsewhere = || in_another_chart(form, equations, at);
    let here = || values_of(form, equations, field, at);
    let values = match worn {
        true => elsewhere().map_or_else(here, Ok),
        false => here().or_else(|why| elsewhere().ok_or(why)),
    };
    values.unwrap_or_else(|why| undefined(why.to_string()))
}

/// What a form's program gives at a state.
fn values_of(
    form: &Form<'_>,
    equations: &Equations<'_>,
    field: &Interpreter,
    at: &StateInCharts<'_, '_>,
) -> Result<FormValues, Error> {
    let values = at.checked(field, equations.carrier)?;
    let list = |name| pick(field, &values, name);
    Ok(FormValues::Values {
        accel: list(output::ACCEL),
        state_names: equations.state_names.clone(),
        state: list(output::STATE),
        rate: list(output::STATE_RATE),
        lambda: list(output::LAMBDA),
        reaction: list(output::REACTION),
        energy: list(output::ENERGY).first().copied().unwrap_or(f64::NAN),
        not_in_evidence: form.second.as_ref().map(|second| {
            match at.accelerations(second, equations.carrier) {
                Ok(accel) => SecondSet {
                    accel: Some(accel),
                    why: None,
                },
                Err(why) => SecondSet {
                    accel: None,
                    why: Some(why.to_string()),
                },
            }
        }),
    })
}

/// The same where the independent velocities are singular and others are not.
fn in_another_chart(
    form: &Form<'_>,
    equations: &Equations<'_>,
    at: &StateInCharts<'_, '_>,
) -> Option<FormValues> {
    if !has_charts(equations) {
        return None;
    }
    let p = at.p;
    let all: Vec<usize> = (0..p.system.n()).collect();
    let mut constraints = p.constraints.clone();
    let place = (at.t, at.q, at.v);
    constraints.chart = Some(with_linear_part(p, place, chart_at(p, place, &all)?));
    let equations = (form.formalism.derive)(&p.system, &constraints).ok()?;
    let equations = Derived::new(p.model, &p.parameters, equations);
    let field = equations.interpreter(&RESULTS).ok()?;
    let second = equations.interpreter(&[output::ACCEL_MINIMAL]).ok();
    let form = Form {
        formalism: form.formalism,
        equations: Ok(Rc::new(equations)),
        field: None,
        second,
    };
    values_of(&form, form.equations.as_ref().ok()?, &field, at).ok()
}

fn force_values(
    p: &Prepared<'_>,
    equations: &Equations<'_>,
    field: &Interpreter,
    values: &[f64],
    null: &[Vec<f64>],
) -> Vec<ForceValue> {
    let [forces, torques, points] = [output::FORCES, output::TORQUES, output::POINTS].map(|name| {
        pick(field, values, name)
            .chunks(3)
            .map(triple)
            .collect::<Vec<_>>()
    });
    let entries = equations.forces.iter().enumerate();
    entries
        .map(|(index, force)| {
            let directions = pick(field, values, &directions_output(index));
            ForceValue {
                constraint: p.model.constraints[force.constraint].name.clone(),
                on: force.on(p.model).to_owned(),
                point: match force.hold {
                    Hold::Couple => Some("couple".to_owned()),
                    Hold::Point(point) => p.model.material_points[point].name.clone(),
                    Hold::Place(point) => Some(p.model.points[point].name.clone()),
                },
                at: points[index],
                force: forces[index],
                torque: torques[index],
                unique: null
                    .iter()
                    .all(|nu| annihilates(&directions, &force.rows, nu)),
                rule: match force.rule {
                    appell_mech::Rule::Inspection => "inspection",
                    appell_mech::Rule::Gauss => "gauss",
                    appell_mech::Rule::Place => "place",
                },
            }
        })
        .collect()
}

/// Three numbers.
fn triple(x: &[f64]) -> [f64; 3] {
    [0, 1, 2].map(|i| x.get(i).copied().unwrap_or(f64::NAN))
}

/// Whether `directions nu_rows = 0`, 6 x rows.
fn annihilates(directions: &[f64], rows: &[usize], nu: &[f64]) -> bool {
    directions.chunks(rows.len()).all(|line| {
        let terms = line.iter().zip(rows).map(|(d, row)| d * nu[*row]);
        let (sum, size) = terms.fold((0.0, 0.0), |(s, a): (f64, f64), x| (s + x, a + x.abs()));
        sum.abs() <= 1e-9 * size
    })
}
