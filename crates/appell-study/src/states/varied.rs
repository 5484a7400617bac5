//! What a motion is differentiated by: starts of coordinates and velocities, parameters, inputs.

use crate::values::error::Error;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Sketch};
use appell_flow::{Direction, Interpreter};
use appell_model::nearest;

/// A quantity by which a motion is differentiated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Varied {
    /// The start of a coordinate.
    Coordinate(usize),
    /// The start of a velocity.
    Velocity(usize),
    /// The start of a motion variable, a parameter of the velocities.
    MotionVariable(usize),
    /// A parameter, or a constant that is added to an input.
    Parameter(usize),
}

/// The model of which derivatives by these are asked: [`Prepared::in_numbers`], unless a parameter among them may change what
/// vanishes there.
pub(crate) fn model_for<'p, 'g>(p: &'p Prepared<'g>, names: &[String]) -> &'p Prepared<'g> {
    let is_constant = |name: &String| match Varied::of(p, name) {
        Ok(Varied::Parameter(i)) => !p.model.parameters[i].is_input,
        _ => false,
    };
    match names.iter().any(is_constant) {
        true => p,
        false => p.in_numbers(),
    }
}

impl Varied {
    /// What a name means: `x`, `x'`, also written `x(0)` and `x'(0)`; `m`.
    ///
    /// # Errors
    /// A name that is none of the model's.
    pub fn of(p: &Prepared<'_>, name: &str) -> Result<Varied, Error> {
        let plain = name.strip_suffix("(0)").unwrap_or(name);
        let coordinates: Vec<&str> = p
            .model
            .coordinates
            .iter()
            .map(|c| c.name.as_str())
            .collect();
        let parameters: Vec<&str> = p.model.parameters.iter().map(|p| p.name.as_str()).collect();
        let place = |names: &[&str], name: &str| names.iter().position(|known| *known == name);
        let velocity = plain.strip_suffix('\'').unwrap_or_default();
        if let Some(i) = place(&coordinates, plain) {
            return Ok(Varied::Coordinate(i));
        }
        if let Some(i) = place(&coordinates, velocity) {
            return Ok(Varied::Velocity(i));
        }
        if let Some(i) = place(&parameters, name) {
            return Ok(Varied::Parameter(i));
        }
        let variables = p
            .constraints
            .parametric
            .iter()
            .flat_map(|parametrisation| &parametrisation.z);
        let variables: Vec<String> = variables.filter_map(|z| z.symbol_name()).collect();
        if let Some(i) = variables.iter().position(|known| known == plain) {
            return Ok(Varied::MotionVariable(i));
        }
        let velocities: Vec<String> = coordinates.iter().map(|name| format!("{name}'")).collect();
        let known = coordinates.iter().copied();
        let known = known.chain(velocities.iter().map(String::as_str));
        let known = known.chain(variables.iter().map(String::as_str));
        let known: Vec<&str> = known.chain(parameters).collect();
        let hint = match nearest(name, known.iter().copied()) {
            Some(near) => format!("did you mean `{near}`? "),
            None => String::new(),
        };
        Err(Error::Argument(format!(
            "`{name}` is no coordinate, velocity, parameter or input of the model; {hint}known: {}",
            known.join(", ")
        )))
    }

    /// The change of all parameters; those that are functions of it follow, if they were not given otherwise.
    pub fn direction(self, p: &Prepared<'_>) -> Direction {
        let count = p.model.parameters.len();
        let mut direction = Direction::of_state(count);
        let Varied::Parameter(place) = self else {
            return direction;
        };
        direction.parameters[place] = 1.0;
        let table = definitions(p);
        let now = table.results(0.0, &p.parameters).unwrap_or_default();
        let follows = |i: usize| {
            let given = p.overridden(&p.model.parameters[i].name).is_some();
            let value = p.parameters[i];
            let agrees = now
                .get(i)
                .is_some_and(|x| (x - value).abs() <= SAME * value.abs());
            i != place && agrees && !given
        };
        let follows: Vec<bool> = (0..count).map(follows).collect();
        // Definitions are acyclic: after at most so many rounds all are known.
        for _ in 0..count {
            let along = &direction.parameters;
            let Ok(moved) =
                table.duals_along(0.0, &p.parameters, along, &Direction::default(), None)
            else {
                break;
            };
            let before = along.clone();
            for i in (0..count).filter(|i| follows[*i]) {
                direction.parameters[i] = moved[i].along(0);
            }
            if direction.parameters == before {
                break;
            }
        }
        direction
    }
}

/// A value that differs from its expression by more is another one.
const SAME: f64 = 1e-14;

/// The expressions of the parameters as functions of all of them.
fn definitions(p: &Prepared<'_>) -> Interpreter {
    let graph = p.system.graph;
    let symbols = p
        .model
        .parameters
        .iter()
        .map(|parameter| graph.ex(parameter.symbol));
    let values: Vec<Ex<'_>> = p
        .model
        .parameters
        .iter()
        .map(|parameter| graph.ex(parameter.value))
        .collect();
    let mut sketch = Sketch::new(graph);
    sketch.output_list("values", &values);
    let inputs: Vec<Ex<'_>> = [p.system.t].into_iter().chain(symbols).collect();
    let program = sketch.program(&inputs, &["values"]);
    Interpreter::new(
        program.expect("parameters are functions of parameters"),
        &[],
    )
}
