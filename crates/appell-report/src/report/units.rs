//! The units of coordinates and of what is plotted, from those of the parameters: what is added has one
//! dimension, angles have none, and so the dimensions of the coordinates solve linear equations.

use appell_expr::{Function, Graph, Id, Node};
use appell_model::Model;
use std::collections::{HashMap, HashSet};

/// Exponents of kg, m, s.
type Dimension = [f64; 3];

/// A dimension that contains unknown ones, each with its exponent.
#[derive(Debug, Clone, Default, PartialEq)]
struct Form {
    known: Dimension,
    unknown: HashMap<Unknown, f64>,
}

/// What has a dimension that no unit tells: a symbol, or the energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Unknown {
    Symbol(Id),
    Energy,
}

const NONE: Dimension = [0.0; 3];
const SECOND: Dimension = [0.0, 0.0, 1.0];
const METRE: Dimension = [0.0, 1.0, 0.0];
/// Exponents closer than this are equal.
const EQUAL: f64 = 1e-9;

/// Coherent units: numbers in them need no factors.
const UNITS: [(&str, Dimension); 11] = [
    ("kg", [1.0, 0.0, 0.0]),
    ("m", METRE),
    ("s", SECOND),
    ("N", [1.0, 1.0, -2.0]),
    ("J", [1.0, 2.0, -2.0]),
    ("W", [1.0, 2.0, -3.0]),
    ("Pa", [1.0, -1.0, -2.0]),
    ("Hz", [0.0, 0.0, -1.0]),
    ("rad", NONE),
    ("1", NONE),
    ("", NONE),
];

impl Form {
    fn of(known: Dimension) -> Self {
        Self {
            known,
            unknown: HashMap::new(),
        }
    }

    fn unknown(unknown: Unknown) -> Self {
        Self {
            known: NONE,
            unknown: HashMap::from([(unknown, 1.0)]),
        }
    }

    /// Multiplied by a power of another.
    fn times(mut self, other: &Self, power: f64) -> Self {
        for (own, x) in self.known.iter_mut().zip(other.known) {
            *own += power * x;
        }
        for (unknown, x) in &other.unknown {
            *self.unknown.entry(*unknown).or_default() += power * x;
        }
        self.unknown.retain(|_, x| x.abs() > EQUAL);
        self
    }

    fn is_none(&self) -> bool {
        self.unknown.is_empty() && self.known.iter().all(|x| x.abs() < EQUAL)
    }
}

/// What is known of the dimensions in a model.
pub(super) struct Units<'m> {
    model: &'m Model,
    symbols: HashMap<Id, Form>,
    /// Forms that have no dimension, each solved for an unknown that no other has.
    solved: Vec<(Unknown, Form)>,
    /// Coordinates that are angles.
    angles: HashSet<Id>,
}

impl<'m> Units<'m> {
    /// None for a model without units, or whose formulas contradict them.
    pub(super) fn of(model: &'m Model) -> Option<Self> {
        let mut units = Self {
            model,
            symbols: symbols(model)?,
            solved: Vec::new(),
            angles: HashSet::new(),
        };
        let energies = [model.kinetic, model.potential, Some(model.lagrangian)];
        let energies = energies.into_iter().flatten();
        let energies = energies.map(|id| (id, Form::unknown(Unknown::Energy)));
        let places = model.bodies.iter().flat_map(|body| body.position);
        let places = places.map(|id| (id, Form::of(METRE)));
        let free = Form::of(NONE);
        let frames = model.frames.iter().flat_map(|frame| frame.axes);
        let frames = frames.flatten().map(|id| (id, free.clone()));
        let mut wanted: Vec<(Id, Form)> = energies.chain(places).chain(frames).collect();
        for (index, force) in &model.forces {
            let coordinate = units.symbols.get(&model.coordinates[*index].q)?.clone();
            let force_form = Form::unknown(Unknown::Energy).times(&coordinate, -1.0);
            wanted.push((*force, force_form));
        }
        for (id, form) in wanted {
            let found = units.form(id, true)?;
            if !is_zero(&model.graph, id) {
                units.equal(&found, &form)?;
            }
        }
        for row in model.constraints.iter().flat_map(|own| &own.rows) {
            units.form(row.phi, true)?;
        }
        Some(units)
    }

    /// Notes that two dimensions are one; none if they cannot be.
    fn equal(&mut self, a: &Form, b: &Form) -> Option<()> {
        let rest = self.reduced(a.clone().times(b, -1.0));
        if rest.is_none() {
            return Some(());
        }
        let unknown = *rest.unknown.keys().min()?;
        let factor = rest.unknown[&unknown];
        let own = Form::default().times(&rest, 1.0 / factor);
        for (_, other) in &mut self.solved {
            if let Some(power) = other.unknown.get(&unknown).copied() {
                *other = std::mem::take(other).times(&own, -power);
            }
        }
        self.solved.push((unknown, own));
        Some(())
    }

    /// A form without the unknowns that were solved for.
    fn reduced(&self, mut form: Form) -> Form {
        for (unknown, own) in &self.solved {
            if let Some(power) = form.unknown.get(unknown).copied() {
                form = form.times(own, -power);
            }
        }
        form
    }

    /// The dimension of an expression; with `learn`, what it says of others is noted. None where it
    /// contradicts itself.
    fn form(&mut self, root: Id, learn: bool) -> Option<Form> {
        let graph = &self.model.graph;
        let mut forms: HashMap<Id, Form> = HashMap::new();
        for id in graph.reachable(&[root]) {
            let form = self.of_node(id, &graph.node(id), &forms, learn)?;
            forms.insert(id, form);
        }
        forms.remove(&root)
    }

    fn of_node(
        &mut self,
        id: Id,
        node: &Node,
        forms: &HashMap<Id, Form>,
        learn: bool,
    ) -> Option<Form> {
        let of = |id: &Id| forms.get(id).cloned().unwrap_or_default();
        let same = |units: &mut Self, a: &Form, b: &Form| match learn {
            true => units.equal(a, b),
            false => Some(()),
        };
        Some(match node {
            Node::Number(_) | Node::Pi => Form::default(),
            Node::Symbol(_) => self
                .symbols
                .get(&id)
                .cloned()
                .unwrap_or_else(|| Form::unknown(Unknown::Symbol(id))),
            Node::Sum(_, terms) => {
                let mut terms = terms.iter().map(|(term, _)| of(term));
                let first = terms.next().unwrap_or_default();
                for term in terms {
                    same(self, &first, &term)?;
                }
                first
            }
            Node::Product(factors) => factors
                .iter()
                .fold(Form::default(), |form, (factor, power)| {
                    form.times(&of(factor), power.to_f64())
                }),
            Node::Power(base, exponent) => {
                same(self, &of(base), &Form::default())?;
                same(self, &of(exponent), &Form::default())?;
                Form::default()
            }
            Node::Call(function, arguments) => {
                let first = arguments.first().map(of).unwrap_or_default();
                match function {
                    Function::Abs => first,
                    Function::Sign => Form::default(),
                    Function::Min | Function::Max | Function::Atan2 => {
                        let second = arguments.get(1).map(of).unwrap_or_default();
                        same(self, &first, &second)?;
                        match function {
                            Function::Atan2 => Form::default(),
                            _ => first,
                        }
                    }
                    _ => {
                        same(self, &first, &Form::default())?;
                        self.turns(arguments);
                        Form::default()
                    }
                }
            }
        })
    }

    /// Coordinates in the arguments of sine and the like are angles.
    fn turns(&mut self, arguments: &[Id]) {
        for id in self.model.graph.reachable(arguments) {
            if self.model.coordinates.iter().any(|own| own.q == id) {
                self.angles.insert(id);
            }
        }
    }

    /// The unit of an expression, empty where it is a number or not known.
    pub(super) fn unit(&mut self, id: Id) -> String {
        let form = self.form(id, false).map(|form| self.reduced(form));
        let Some(form) = form.filter(|form| form.unknown.is_empty()) else {
            return String::new();
        };
        let turning = |own: &appell_model::Coordinate| {
            self.angles.contains(&own.q) && [own.q, own.v, own.a].contains(&id)
        };
        let angle = self.model.coordinates.iter().any(turning);
        written(form.known, angle)
    }

    /// The unit of energies.
    pub(super) fn energy(&self) -> String {
        let form = self.reduced(Form::unknown(Unknown::Energy));
        match form.unknown.is_empty() {
            true => written(form.known, false),
            false => String::new(),
        }
    }

    /// Whether the file's numbers are of metres, kilograms and seconds.
    pub(super) fn is_si(&self) -> bool {
        self.energy() == "J"
    }
}

/// The forms of all symbols; none if no parameter has a unit.
fn symbols(model: &Model) -> Option<HashMap<Id, Form>> {
    let mut symbols = HashMap::from([(model.time, Form::of(SECOND))]);
    let mut any = false;
    for parameter in &model.parameters {
        let unit = parameter.unit.as_deref().and_then(dimension);
        any |= unit.is_some_and(|unit| unit != NONE);
        let form = unit.map_or(Form::unknown(Unknown::Symbol(parameter.symbol)), Form::of);
        symbols.insert(parameter.symbol, form);
    }
    for own in &model.coordinates {
        let form = Form::unknown(Unknown::Symbol(own.q));
        let second = Form::of(SECOND);
        symbols.insert(own.v, form.clone().times(&second, -1.0));
        symbols.insert(own.a, form.clone().times(&second, -2.0));
        symbols.insert(own.q, form);
    }
    any.then_some(symbols)
}

fn is_zero(graph: &Graph, id: Id) -> bool {
    matches!(graph.node(id), Node::Number(number) if number.to_f64() == 0.0)
}

/// What `kg m^2/s` is; none for units with a factor, or that are not known.
fn dimension(unit: &str) -> Option<Dimension> {
    let spaced = unit.replace(['*', '·'], " ").replace('/', " /");
    let mut whole = NONE;
    for factor in spaced.split_whitespace() {
        let (sign, factor) = match factor.strip_prefix('/') {
            Some(rest) => (-1.0, rest),
            None => (1.0, factor),
        };
        let (name, power) = factor.split_once('^').unwrap_or((factor, "1"));
        let power: f64 = power.parse().ok()?;
        let (_, own) = UNITS.iter().find(|(own, _)| *own == name)?;
        for (exponent, x) in whole.iter_mut().zip(own) {
            *exponent += sign * power * x;
        }
    }
    Some(whole)
}

/// A dimension in SI units; that of an angle and its rates is `rad`.
fn written(dimension: Dimension, angle: bool) -> String {
    let named = UNITS.iter().skip(3).take(3);
    if let Some((name, _)) = named.into_iter().find(|(_, own)| *own == dimension) {
        return (*name).to_owned();
    }
    let power = |name: &str, exponent: f64| match exponent.abs() {
        1.0 => name.to_owned(),
        2.0 => format!("{name}²"),
        3.0 => format!("{name}³"),
        other => format!("{name}^{other}"),
    };
    let parts = ["kg", "m", "s"].into_iter().zip(dimension);
    let part = |sign: f64| -> Vec<String> {
        let own = parts.clone().filter(|(_, x)| sign * x > EQUAL);
        own.map(|(name, x)| power(name, x)).collect()
    };
    let (mut above, below) = (part(1.0), part(-1.0));
    if angle && above.is_empty() {
        above.push("rad".to_owned());
    }
    let above = match (above.is_empty(), below.is_empty()) {
        (true, true) => return String::new(),
        (true, false) => "1".to_owned(),
        _ => above.join(" "),
    };
    match below.as_slice() {
        [] => above,
        [one] => format!("{above}/{one}"),
        several => format!("{above}/({})", several.join(" ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_read_and_written() {
        let rows = [
            ("kg m^2", "kg m²"),
            ("m/s^2", "m/s²"),
            ("N m", "J"),
            ("N s/m", "kg/s"),
            ("N*m", "J"),
            ("1/s", "1/s"),
            ("rad", ""),
        ];
        for (unit, again) in rows {
            assert_eq!(written(dimension(unit).expect(unit), false), again);
        }
        assert_eq!(dimension("mm"), None);
        assert_eq!(written(dimension("1/s").expect("known"), true), "rad/s");
    }

    fn units_of(text: &str, names: &[&str]) -> Option<Vec<String>> {
        let (model, _) = appell_model::read("m.toml", text).expect("a good model");
        let mut units = Units::of(&model)?;
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
    fn what_contradicts_itself_or_says_nothing_has_none() {
        let wrong = PENDULUM.replace("k*x^2", "m*g + k*x^2");
        assert_eq!(units_of(&wrong, &["x"]), None);
        let bare = PENDULUM.replace("unit", "about");
        assert_eq!(units_of(&bare, &["x"]), None);
    }
}
