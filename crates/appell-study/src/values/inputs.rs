//! What drives the inputs of a model during its motions.

use crate::values::error::Error;
use crate::values::narrow::{narrow_in, quantities};
use crate::values::outputs::switches;
use crate::values::parameters::unknown;
use crate::values::prepared::Prepared;
use appell_flow::{
    Direction, Drive, Feedback, Field, Formula, Hold, InputValues, Interpreter, Slope, Switch,
};
use appell_model::{Code, expression_of_state};
use std::sync::Arc;

/// Where the values of an input come from.
pub enum InputSource {
    /// A number.
    Number(f64),
    /// An expression in the time, coordinates, velocities and parameters.
    Expression(String),
    /// A source of the integrator: samples, or a function.
    Values(InputValues),
}

impl<'g> Prepared<'g> {
    /// The same model with inputs that vary during its motions. Those that are not named keep their values.
    ///
    /// # Errors
    /// A name that is no input; an expression that speaks of anything else; samples that are none.
    pub fn driven(&self, inputs: Vec<(String, InputSource)>) -> Result<Prepared<'g>, Error> {
        let declared = self.model.parameters.iter().zip(&self.parameters);
        let (names, values): (Vec<&str>, Vec<f64>) = declared
            .filter(|(parameter, _)| parameter.is_input)
            .map(|(parameter, value)| (parameter.name.as_str(), *value))
            .unzip();
        let mut sources: Vec<InputValues> =
            values.iter().copied().map(InputValues::number).collect();
        for (name, given) in inputs {
            let Some(place) = names.iter().position(|input| *input == name) else {
                return Err(unknown("input", &name, names).into());
            };
            sources[place] = self.source(&name, given)?;
            sources[place].begin_with(values[place]);
        }
        let drive = Arc::new(Drive::new(sources));
        Ok(self.with_parameters(self.parameters.driven(drive)))
    }

    fn source(&self, name: &str, given: InputSource) -> Result<InputValues, Error> {
        let source = match given {
            InputSource::Number(x) => InputValues::number(x),
            InputSource::Expression(text) => return self.by_expression(name, &text),
            InputSource::Values(source) => source,
        };
        match complaint(&source) {
            Some(why) => Err(Error::Argument(format!("input `{name}`: {why}"))),
            None => Ok(source),
        }
    }

    /// `2*sin(t) - k*x`
    fn by_expression(&self, name: &str, text: &str) -> Result<InputValues, Error> {
        let graph = self.system.graph;
        let found = expression_of_state(self.model, text);
        let id =
            found.map_err(|why| Error::Argument(format!("input `{name}`: {}", why.message)))?;
        let field = self.functions_of(&[graph.ex(id)]);
        let switches = switches(self.model, graph, &[id]).into_iter();
        let switches = switches.map(|gap| self.functions_of(&[gap]));
        let (function, slope) = with_slope(field);
        let narrow = quantities(&narrow_in(self.model, graph.ex(id)));
        let value = |x| {
            let field = self.functions_of(&[x]);
            Box::new(move |t: f64, y: &[f64]| value_of(&field, t, y)) as Feedback
        };
        Ok(InputValues::Smooth {
            function,
            slope,
            narrow: narrow.map(|list| list.into_iter().map(value).collect()),
            switches: switches
                .map(|gap| {
                    let (value, slope) = with_slope(gap);
                    Switch { value, slope }
                })
                .collect(),
        })
    }
}

/// A function of the time and the state, and how it changes; NaN where it has no value.
fn with_slope(field: Interpreter) -> (Feedback, Slope) {
    let moving = field.clone();
    let value = move |t: f64, y: &[f64]| value_of(&field, t, y);
    let slope = move |t: f64, y: &[f64], dy: &[f64], along: &Direction| {
        let moved = moving.duals_along(t, y, dy, along, None);
        moved.map_or(f64::NAN, |values| values[0].along(0))
    };
    (Box::new(value), Box::new(slope))
}

fn value_of(field: &Interpreter, t: f64, y: &[f64]) -> f64 {
    field.results(t, y).map_or(f64::NAN, |values| values[0])
}

/// What is wrong with a source.
fn complaint(source: &InputValues) -> Option<&'static str> {
    match source {
        InputValues::Samples { times, values, .. } => {
            let finite = times.iter().chain(values).all(|x| x.is_finite());
            match () {
                () if times.is_empty() => Some("there are no samples"),
                () if times.len() != values.len() => Some("there are not as many values as times"),
                () if !finite => Some("a sample is not a finite number"),
                () if !times.is_sorted_by(|a, b| a < b) => Some("the times of samples must rise"),
                () => None,
            }
        }
        InputValues::Sampled { every, .. } if !(every.is_finite() && *every > 0.0) => {
            Some("the sample time is a number > 0")
        }
        _ => None,
    }
}

/// The quantities at whose zeros inputs jump or bend, and those that tell where they are felt in a narrow place, as [`switches`],
/// [`narrow`] and [`peaks`] of a motion.
///
/// [`switches`]: appell_flow::Motion::switches
/// [`narrow`]: appell_flow::Motion::narrow
/// [`peaks`]: appell_flow::Motion::peaks
pub(crate) fn quantities_of_inputs<'p>(p: &'p Prepared<'_>) -> [Vec<impl Field + 'p>; 3] {
    let n = p.system.n();
    let field = |feedback: &'p Feedback| {
        Formula::new(2 * n, 1, |t, y: &[f64], out: &mut [f64]| {
            out[0] = feedback(t, y)
        })
    };
    let Some(drive) = p.parameters.drive() else {
        return [Vec::new(), Vec::new(), Vec::new()];
    };
    let switches = drive.switches().map(|switch| field(&switch.value));
    let narrow = |kind: usize| {
        drive
            .narrow()
            .flat_map(move |functions| &functions[kind])
            .map(field)
    };
    [switches.collect(), narrow(0).collect(), narrow(1).collect()]
}

/// What samples do not cover of a motion from `from` to `to`, in words.
pub(crate) fn uncovered(p: &Prepared<'_>, from: f64, to: f64) -> Option<String> {
    let drive = p.parameters.drive()?;
    let inputs = p.model.inputs();
    let (first, last) = (from.min(to), from.max(to));
    inputs.zip(drive.sources()).find_map(|(input, source)| {
        let name = &input.name;
        match source {
            InputValues::Samples { times, .. } if times[0] > first => Some(format!(
                "the samples of the input `{name}` begin at t = {}, and the motion at {first}",
                times[0]
            )),
            InputValues::Samples { times, hold, .. }
                if *hold == Hold::Linear && times[times.len() - 1] < last =>
            {
                let end = times[times.len() - 1];
                Some(format!(
                    "the samples of the input `{name}` end at t = {end}, and the motion at {last}"
                ))
            }
            InputValues::Sampled { .. } if to < from => Some(format!(
                "the input `{name}` is held over a sample time, which needs a motion forwards"
            )),
            _ => None,
        }
    })
}

/// Whether an input is a function of the state, which is asked with coordinates and velocities.
pub(crate) fn has_feedback(p: &Prepared<'_>) -> bool {
    let is_function = |source: &InputValues| {
        matches!(
            source,
            InputValues::Function(_) | InputValues::Smooth { .. } | InputValues::Sampled { .. }
        )
    };
    let drive = p.parameters.drive();
    drive.is_some_and(|drive| drive.sources().iter().any(is_function))
}

/// Why a form cannot be run with inputs or events.
pub(crate) fn refused_form(form: &str, what: &str) -> Error {
    Error::question(
        Code::NotAllowed,
        format!(
            "{what} is a function of (q, v), which is not the state of the form `{form}`: use another form, such as \
                `multipliers`"
        ),
    )
}
