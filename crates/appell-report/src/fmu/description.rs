//! `modelDescription.xml`: which variables a unit has.

use super::derived::limits;
use super::{Derived, FmuKind, Prepared, Shown, Start};
use crate::lettering::escape;
use crate::units::Units;
use appell_model::Dimension;
use appell_study::motion::choices::DEFAULT_RTOL;
use std::collections::{BTreeMap, BTreeSet};

/// What is described.
pub(super) struct Described<'d, 'g> {
    pub p: &'d Prepared<'g>,
    pub start: &'d Start,
    pub identifier: &'d str,
    pub kind: FmuKind,
    pub answers: &'d Shown,
    pub derived: &'d Derived<'g>,
    /// How many quantities there are at whose zeros accelerations may jump or have a corner.
    pub switches: usize,
}

/// A variable; value references count them.
pub(super) struct Variable {
    name: String,
    /// `causality`, `variability` and `initial`, as FMI calls them.
    kind: Role,
    start: Option<f64>,
    limits: [Option<f64>; 2],
    unit: String,
    about: String,
}

/// What a variable is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Time,
    State,
    /// A state whose start follows from parameters or constraints, unless it is set itself.
    Following,
    /// Of the state of this value reference.
    Rate(usize),
    Parameter,
    /// One that is made of others, and cannot be set.
    Made,
    Input,
    Output,
    Indicator,
}

impl Role {
    fn attributes(self) -> String {
        let (causality, initial) = match self {
            Role::Time => return "causality=\"independent\" variability=\"continuous\"".to_owned(),
            Role::Parameter => {
                return "causality=\"parameter\" variability=\"tunable\" initial=\"exact\""
                    .to_owned();
            }
            Role::Made => {
                return "causality=\"calculatedParameter\" variability=\"tunable\" initial=\"calculated\""
                    .to_owned();
            }
            Role::Input => return "causality=\"input\" variability=\"continuous\"".to_owned(),
            Role::State => ("output", "exact"),
            Role::Following => ("output", "approx"),
            Role::Output => ("output", "calculated"),
            Role::Rate(_) | Role::Indicator => ("local", "calculated"),
        };
        format!("causality=\"{causality}\" variability=\"continuous\" initial=\"{initial}\"")
    }
}

impl Described<'_, '_> {
    /// The variables in the order of their value references.
    pub fn variables(&self) -> Vec<Variable> {
        let units = Units::of(self.p.model);
        let time = units.map_or_else(|| "s".to_owned(), |units| units.time());
        let time = variable("time", Role::Time, &time);
        let mut all = vec![time];
        all.extend(self.states());
        all.extend(self.parameters());
        all.extend(self.outputs());
        let stops = self.p.model.simulate.stop.iter().enumerate();
        all.extend(stops.map(|(index, stop)| Variable {
            about: format!("becomes 0 where {}", stop.text),
            ..variable(&format!("stop[{}]", index + 1), Role::Indicator, "")
        }));
        all.extend((1..=self.switches).map(|number| Variable {
            about: "becomes 0 where an acceleration may jump or has a corner".to_owned(),
            ..variable(&format!("switch[{number}]"), Role::Indicator, "")
        }));
        distinct(all)
    }

    fn states(&self) -> Vec<Variable> {
        let model = self.p.model;
        let units = Units::of(model);
        let unit = |id| units.as_ref().map_or(String::new(), |known| known.unit(id));
        let named: Vec<(String, String)> =
            (model.state()).map(|(name, id)| (name, unit(id))).collect();
        let values = self.start.q.iter().chain(&self.start.v);
        let Derived { starts, given, .. } = self.derived;
        let follows = |i: usize| starts.iter().any(|(place, _)| *place == i) || !given.contains(&i);
        let kind = |i: usize| {
            if follows(i) {
                Role::Following
            } else {
                Role::State
            }
        };
        let states = named.iter().zip(values).enumerate();
        let states = states.map(|(i, ((name, unit), x))| Variable {
            start: Some(*x),
            ..variable(name, kind(i), unit)
        });
        let rate_unit = |i: usize| match named.get(i + model.coordinates.len()) {
            Some((_, unit)) => unit.clone(),
            None => unit(model.coordinates[i - model.coordinates.len()].a),
        };
        let rates = named.iter().enumerate();
        let rates = rates.map(|(i, (name, _))| {
            variable(&format!("der({name})"), Role::Rate(1 + i), &rate_unit(i))
        });
        states.chain(rates).collect()
    }

    fn parameters(&self) -> impl Iterator<Item = Variable> {
        let values = self.p.parameters.iter();
        let all = self.p.model.parameters.iter().zip(values).enumerate();
        let limits = limits(self.p);
        all.map(move |(i, (parameter, x))| {
            let is_made = self.derived.parameters.iter().any(|(place, _)| *place == i);
            let kind = match (parameter.is_input, is_made) {
                (true, _) => Role::Input,
                (false, true) => Role::Made,
                (false, false) => Role::Parameter,
            };
            Variable {
                start: (kind != Role::Made).then_some(*x),
                limits: limits[i],
                about: parameter.about.clone().unwrap_or_default(),
                ..variable(
                    &parameter.name,
                    kind,
                    parameter.unit.as_deref().unwrap_or_default(),
                )
            }
        })
    }

    fn outputs(&self) -> Vec<Variable> {
        let units = Units::of(self.p.model);
        let si = units.as_ref().is_some_and(Units::is_si);
        let unit = |name: &str| match name.split('[').next() {
            Some("E" | "E (energy)") => units.as_ref().map_or(String::new(), Units::energy),
            Some("R") if si => "N".to_owned(),
            Some("torque") if si => "N m".to_owned(),
            Some("at") if si => "m".to_owned(),
            _ => String::new(),
        };
        let names = &self.answers.names;
        let plotted = names.len() - self.answers.plotted.len();
        let columns = names[..plotted]
            .iter()
            .map(|(_, name)| variable(name, Role::Output, &unit(name)));
        let curves = names[plotted..].iter().zip(&self.answers.plotted);
        let curves = curves.map(|((_, name), id)| {
            let unit = units
                .as_ref()
                .map_or(String::new(), |known| known.unit(*id));
            variable(name, Role::Output, &unit)
        });
        columns.chain(curves).collect()
    }

    /// The file.
    pub fn xml(&self, variables: &[Variable], token: &str) -> String {
        let model = self.p.model;
        let about = model.about.as_deref().or(model.origin.as_deref());
        let about = about.map_or(String::new(), |about| {
            format!(" description=\"{}\"", escape(about))
        });
        let mut text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription fmiVersion=\"3.0\" modelName=\"{}\" \
             instantiationToken=\"{token}\"{about} generationTool=\"Appell\" variableNamingConvention=\"flat\">\n",
            escape(&model.title)
        );
        text += &self.interfaces();
        text += &units(variables);
        text += "  <LogCategories>\n    <Category name=\"logStatusWarning\"/>\n    <Category \
                 name=\"logStatusDiscard\"/>\n    <Category name=\"logStatusError\"/>\n  </LogCategories>\n";
        text += &self.experiment();
        text += "  <ModelVariables>\n";
        text.extend(
            variables
                .iter()
                .enumerate()
                .map(|(at, variable)| variable.xml(at)),
        );
        text += "  </ModelVariables>\n  <ModelStructure>\n";
        text += &structure(variables);
        text + "  </ModelStructure>\n</fmiModelDescription>\n"
    }

    fn interfaces(&self) -> String {
        let common = format!(
            "modelIdentifier=\"{}\" canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\"",
            self.identifier
        );
        let exchange =
            format!("  <ModelExchange {common} needsCompletedIntegratorStep=\"true\"/>\n");
        let simulation =
            format!("  <CoSimulation {common} canHandleVariableCommunicationStepSize=\"true\"/>\n");
        match self.kind {
            FmuKind::Both => exchange + &simulation,
            FmuKind::ModelExchange => exchange,
            FmuKind::CoSimulation => simulation,
        }
    }

    fn experiment(&self) -> String {
        let simulate = &self.p.model.simulate;
        let until = simulate.until.map(|x| self.p.constant(x));
        let until = until.filter(|x| x.is_finite());
        let until = until.map_or(String::new(), |x| format!(" stopTime=\"{x:?}\""));
        format!(
            "  <DefaultExperiment startTime=\"{:?}\"{until} tolerance=\"{:?}\"/>\n",
            self.start.t,
            simulate.rtol.unwrap_or(DEFAULT_RTOL)
        )
    }
}

fn variable(name: &str, kind: Role, unit: &str) -> Variable {
    Variable {
        name: name.to_owned(),
        kind,
        start: None,
        limits: [None; 2],
        unit: unit.to_owned(),
        about: String::new(),
    }
}

/// Names must differ: a coordinate may be called `time`, two curves may be written alike.
fn distinct(mut all: Vec<Variable>) -> Vec<Variable> {
    let mut taken = BTreeSet::new();
    for variable in &mut all {
        let name = variable.name.clone();
        let mut number = 2;
        while !taken.insert(variable.name.clone()) {
            variable.name = format!("{name} ({number})");
            number += 1;
        }
    }
    all
}

impl Variable {
    fn xml(&self, at: usize) -> String {
        let attribute = |name: &str, value: &str| match value.is_empty() {
            true => String::new(),
            false => format!(" {name}=\"{}\"", escape(value)),
        };
        let start = self
            .start
            .map_or(String::new(), |x| format!(" start=\"{x:?}\""));
        let limit =
            |name: &str, x: Option<f64>| x.map_or(String::new(), |x| format!(" {name}=\"{x:?}\""));
        let [min, max] = [limit("min", self.limits[0]), limit("max", self.limits[1])];
        let derivative = match self.kind {
            Role::Rate(state) => format!(" derivative=\"{state}\""),
            _ => String::new(),
        };
        format!(
            "    <Float64 name=\"{}\" valueReference=\"{at}\" {}{derivative}{min}{max}{start}{}{}/>\n",
            escape(&self.name),
            self.kind.attributes(),
            attribute("unit", &self.unit),
            attribute("description", &self.about)
        )
    }
}

/// What depends on what; without lists of dependencies all may depend on all.
fn structure(variables: &[Variable]) -> String {
    let entries = |element: &str, belongs: &dyn Fn(Role) -> bool| -> String {
        let all = variables
            .iter()
            .enumerate()
            .filter(|(_, variable)| belongs(variable.kind));
        all.map(|(at, _)| format!("    <{element} valueReference=\"{at}\"/>\n"))
            .collect()
    };
    let is_rate = |kind: Role| matches!(kind, Role::Rate(_));
    let of_output = |kind: Role| matches!(kind, Role::State | Role::Following | Role::Output);
    let unknown =
        |kind: Role| is_rate(kind) || matches!(kind, Role::Output | Role::Following | Role::Made);
    [
        entries("Output", &of_output),
        entries("ContinuousStateDerivative", &is_rate),
        entries("InitialUnknown", &unknown),
        entries("EventIndicator", &|kind| kind == Role::Indicator),
    ]
    .concat()
}

/// The units by their names, in powers of the base units where these are known.
fn units(variables: &[Variable]) -> String {
    let names: BTreeSet<&str> = variables
        .iter()
        .map(|variable| variable.unit.as_str())
        .collect();
    let all: BTreeMap<&str, String> = names
        .into_iter()
        .filter(|name| !name.is_empty())
        .map(|name| (name, base(name)))
        .collect();
    let written: String = all
        .iter()
        .map(|(name, base)| format!("    <Unit name=\"{}\">{base}</Unit>\n", escape(name)))
        .collect();
    match all.is_empty() {
        true => String::new(),
        false => format!("  <UnitDefinitions>\n{written}  </UnitDefinitions>\n"),
    }
}

/// `<BaseUnit kg="1" m="2" s="-2"/>`
fn base(unit: &str) -> String {
    let Some((powers, factor)) = Dimension::read(unit).and_then(|dimension| dimension.of_si())
    else {
        return String::new();
    };
    let names = ["kg", "m", "s", "A", "K", "mol", "cd"];
    let powers = names.iter().zip(powers).filter(|(_, power)| *power != 0);
    let powers: String = powers
        .map(|(name, power)| format!(" {name}=\"{power}\""))
        .collect();
    let angle = if unit.starts_with("rad") {
        " rad=\"1\""
    } else {
        ""
    };
    // Factors are kept as logarithms: their last digits are rounding.
    let factor: f64 = format!("{factor:.13e}").parse().unwrap_or(factor);
    let factor = if factor == 1.0 {
        String::new()
    } else {
        format!(" factor=\"{factor:?}\"")
    };
    format!("<BaseUnit{powers}{angle}{factor}/>")
}
