//! The units of what is shown, from the dimensions that the model's units give to its symbols.

use appell_expr::{Function, Id, Node};
use appell_model::{Dimension, Dimensions, Model, Quantity};
use std::collections::{HashMap, HashSet};

/// What is known of the dimensions in a model.
pub(crate) struct Units<'m> {
    model: &'m Model,
    dimensions: &'m Dimensions,
    /// Results of mechanics by their symbols.
    results: HashMap<Id, Dimension>,
    /// Coordinates that are angles.
    angles: HashSet<Id>,
}

impl<'m> Units<'m> {
    /// None for a model without units, or whose formulas contradict them.
    pub(crate) fn of(model: &'m Model) -> Option<Self> {
        let dimensions = model.dimensions.as_ref()?;
        let result = |(quantity, id): &(Quantity, Id)| {
            let energies = [
                Quantity::Energy,
                Quantity::EnergyStar,
                Quantity::LagrangianStar,
                Quantity::KineticStar,
            ];
            let is_energy = energies.contains(quantity);
            Some((*id, dimensions.energy.clone().filter(|_| is_energy)?))
        };
        Some(Self {
            model,
            dimensions,
            results: model.quantities.iter().filter_map(result).collect(),
            angles: &angles(model) | &dimensions.angles,
        })
    }

    /// The dimension of an expression; none where it is not known.
    fn dimension(&self, root: Id) -> Option<Dimension> {
        let graph = &self.model.graph;
        let mut found: HashMap<Id, Option<Dimension>> = HashMap::new();
        for id in graph.reachable(&[root]) {
            let of = |id: &Id| found.get(id).cloned().flatten();
            let dimension = match graph.node(id) {
                Node::Number(_) | Node::Pi => Some(Dimension::default()),
                Node::Symbol(_) if id == self.model.time => Some(self.dimensions.time.clone()),
                Node::Symbol(_) => {
                    let dimension = self.dimensions.symbols.get(&id).or(self.results.get(&id));
                    dimension.cloned()
                }
                Node::Sum(_, terms) => terms.iter().find_map(|(term, _)| of(term)),
                Node::Product(factors) => factors
                    .iter()
                    .try_fold(Dimension::default(), |whole, (factor, power)| {
                        Some(whole.times(&of(factor)?, power))
                    }),
                Node::Power(..) => None,
                Node::Call(Function::Abs | Function::Min | Function::Max, arguments) => {
                    arguments.iter().find_map(of)
                }
                Node::Call(..) => Some(Dimension::default()),
            };
            found.insert(id, dimension);
        }
        found.remove(&root).flatten()
    }

    /// The unit of the time.
    pub(crate) fn time(&self) -> String {
        self.dimensions.time.written()
    }

    /// The unit of an expression, empty where it is a number or not known.
    pub(crate) fn unit(&self, id: Id) -> String {
        let Some(dimension) = self.dimension(id) else {
            return String::new();
        };
        let turning = |coordinate: &appell_model::Coordinate| {
            self.angles.contains(&coordinate.q)
                && [coordinate.q, coordinate.v, coordinate.a].contains(&id)
        };
        let unit = dimension.written();
        match self.model.coordinates.iter().any(turning) {
            true if unit.is_empty() => "rad".to_owned(),
            true => unit
                .strip_prefix('1')
                .map_or(unit.clone(), |rest| format!("rad{rest}")),
            false => unit,
        }
    }

    /// The unit of energies.
    pub(crate) fn energy(&self) -> String {
        self.dimensions
            .energy
            .as_ref()
            .map_or(String::new(), Dimension::written)
    }

    /// Whether the file's numbers are of metres, kilograms and seconds.
    pub(crate) fn is_si(&self) -> bool {
        self.energy() == "J"
    }

    /// `x in m`, for all coordinates and velocities, and the energy, as far as they are known.
    pub(crate) fn listed(&self) -> Vec<String> {
        let units = (self.model.state()).map(|(name, id)| (name, self.unit(id)));
        let energy = ("energy".to_owned(), self.energy());
        let known = units.chain([energy]).filter(|(_, unit)| !unit.is_empty());
        let mut together: Vec<(String, Vec<String>)> = Vec::new();
        for (name, unit) in known {
            match together.iter_mut().find(|(other, _)| *other == unit) {
                Some((_, names)) => names.push(name),
                None => together.push((unit, vec![name])),
            }
        }
        let entry =
            |(unit, names): &(String, Vec<String>)| format!("{} in {unit}", names.join(" "));
        together.iter().map(entry).collect()
    }
}

/// Coordinates in the arguments of sine and the like are angles.
fn angles(model: &Model) -> HashSet<Id> {
    let graph = &model.graph;
    let frames = model.frames.iter().flat_map(|frame| frame.axes).flatten();
    let rows = model
        .constraints
        .iter()
        .flat_map(|constraint| &constraint.rows);
    let roots: Vec<Id> = [model.lagrangian]
        .into_iter()
        .chain(frames)
        .chain(rows.map(|row| row.phi))
        .chain(model.forces.iter().map(|(_, force)| *force))
        .collect();
    let mut angles = HashSet::new();
    for id in graph.reachable(&roots) {
        if let Node::Call(Function::Sin | Function::Cos | Function::Tan, arguments) = graph.node(id)
        {
            angles.extend(graph.reachable(&arguments));
        }
    }
    let is_coordinate = |id: &Id| {
        model
            .coordinates
            .iter()
            .any(|coordinate| coordinate.q == *id)
    };
    angles.retain(is_coordinate);
    angles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units_of(text: &str, names: &[&str]) -> Option<Vec<String>> {
        let (model, _) = appell_model::read("m.toml", text).expect("a good model");
        let units = Units::of(&model)?;
        let of = |name: &&str| units.unit(model.graph.symbol(name).id());
        Some(names.iter().map(of).collect())
    }

    const PENDULUM: &str = "
coordinates = [\"x\", \"theta\"]
[parameters]
m = { value = 1, unit = \"kg\" }
l = { value = 1, unit = \"m\" }
g = { value = 9.81, unit = \"m/s^2\" }
k = 3
[energy]
kinetic = \"m*(x'^2 + l^2*theta'^2)/2\"
potential = \"-m*g*l*cos(theta) + k*x^2\"
";

    #[test]
    fn coordinates_have_the_units_that_the_formulas_ask_for() {
        let names = ["x", "x'", "theta", "theta'", "k"];
        let units = units_of(PENDULUM, &names).expect("they agree");
        assert_eq!(units, ["m", "m/s", "rad", "rad/s", "kg/s²"]);
    }

    #[test]
    fn coordinates_in_radians_are_shown_so() {
        let text = PENDULUM.replace("cos(theta)", "theta^2") + "[units]\ntheta = \"rad\"\n";
        let units = units_of(&text, &["x", "theta", "theta'"]).expect("they agree");
        assert_eq!(units, ["m", "rad", "rad/s"]);
    }

    #[test]
    fn units_with_factors_are_those_of_the_file() {
        let text = PENDULUM
            .replace("unit = \"m\"", "unit = \"mm\"")
            .replace("m/s^2", "mm/s^2");
        let units = units_of(&text, &["x", "x'", "theta"]).expect("they agree");
        assert_eq!(units, ["mm", "mm/s", "rad"]);
    }

    #[test]
    fn what_contradicts_itself_or_says_nothing_has_none() {
        let wrong = PENDULUM.replace("k*x^2", "m*g + k*x^2");
        assert_eq!(units_of(&wrong, &["x"]), None);
        let bare = PENDULUM.replace("unit", "about");
        assert_eq!(units_of(&bare, &["x"]), None);
    }
}
