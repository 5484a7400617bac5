//! The results of mechanics that claims, plots, stops and arrows speak of.

use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::elaborate::Pass;
use crate::model::{Quantity, Value};
use crate::names::Named;
use crate::suggest::did_you_mean;
use crate::world::World;
use appell_expr::{AstId, Ex, Id};

/// Results that are named without a bracket, unless the model declares the name itself.
pub(crate) const NAMED: [(&str, Quantity); 4] = [
    ("E", Quantity::Energy),
    ("E_star", Quantity::EnergyStar),
    ("L_star", Quantity::LagrangianStar),
    ("T_star", Quantity::KineticStar),
];

/// The quantity of a plain name.
pub(crate) fn named(name: &str) -> Option<Quantity> {
    NAMED
        .into_iter()
        .find(|(known, _)| *known == name)
        .map(|(_, quantity)| quantity)
}

impl<'g> World<'g> {
    /// The name of a quantity's symbol, as a formula writes it where it can.
    pub(crate) fn quantity_name(&self, quantity: &Quantity) -> String {
        let coordinate = |i: &usize| self.coordinates[*i].name.as_str();
        let variable = |i: &usize| {
            self.graph
                .ex(self.variables[*i].symbol)
                .symbol_name()
                .unwrap_or_default()
        };
        match quantity {
            Quantity::Energy => "E".into(),
            Quantity::EnergyStar => "E_star".into(),
            Quantity::LagrangianStar => "L_star".into(),
            Quantity::KineticStar => "T_star".into(),
            Quantity::VariableRate(i) => format!("{}'", variable(i)),
            Quantity::Multiplier(row) => self.multiplier_name(*row),
            Quantity::Power(c) => format!("power({})", self.constraints[*c].name),
            Quantity::Reaction(i) => format!("reaction({})", coordinate(i)),
            Quantity::ReactionUp(i) => format!("reaction_up({})", coordinate(i)),
            Quantity::ReactionForce(body, i) => {
                format!("R({}).{}", self.carrier_name(*body), ["x", "y", "z"][*i])
            }
            Quantity::ReactionMoment(body, i) => {
                format!(
                    "torque_R({}).{}",
                    self.carrier_name(*body),
                    ["x", "y", "z"][*i]
                )
            }
            Quantity::AlphaBar(i) => format!("alphabar({})", coordinate(i)),
            Quantity::AlphaDependent(i) => format!("alpha_dep({})", coordinate(i)),
            Quantity::Voronec(r, x) => format!("B({}, {})", coordinate(r), coordinate(x)),
            Quantity::Mass(x, y) => format!("M({}, {})", coordinate(x), coordinate(y)),
            Quantity::Gram(i, j) => format!("Gz({}, {})", variable(i), variable(j)),
            Quantity::Rate(inner) => format!("{}'", self.quantity_name(inner)),
            Quantity::Partial(inner, by) => {
                let by = self.graph.ex(*by).symbol_name().unwrap_or_default();
                format!("D({}, {by})", self.quantity_name(inner))
            }
        }
    }

    fn carrier_name(&self, carrier: usize) -> &str {
        let place = self
            .places
            .iter()
            .find(|place| place.carrier == Some(carrier));
        place.map_or("", |place| place.name.as_str())
    }

    fn multiplier_name(&self, row: usize) -> String {
        let of_row = |(first, count): (usize, usize)| (first..first + count).contains(&row);
        let constraint = self.constraints.iter().find(|c| c.rows.is_some_and(of_row));
        match constraint.and_then(|c| c.rows.map(|rows| (c, rows))) {
            Some((c, (_, 1))) => format!("multiplier({})", c.name),
            Some((c, (first, _))) => format!(
                "multiplier({}).{}",
                c.name,
                ["x", "y", "z"][(row - first).min(2)]
            ),
            None => format!("multiplier({row})"),
        }
    }

    /// `d x/d symbol` where results of mechanics in `x` are functions of the symbol too.
    fn partial(&self, x: Ex<'g>, symbol: Ex<'g>) -> Ex<'g> {
        let mut terms = vec![x.diff(symbol)];
        for inner in x.symbols().into_iter().filter(|inner| *inner != symbol) {
            let quantity = self.results.borrow().quantity(inner.id());
            if let Some(quantity) = quantity.filter(|q| !matches!(q, Quantity::VariableRate(_))) {
                let partial = self.quantity(Quantity::Partial(Box::new(quantity), symbol.id()));
                terms.push(x.diff(inner) * partial);
            }
        }
        self.graph.sum(&terms)
    }
}

/// A call of one of [`FUNCTIONS`].
pub(crate) struct Call<'c> {
    pub(crate) name: &'c str,
    pub(crate) args: &'c [AstId],
}

impl<'g> Pass<'_, 'g> {
    /// The value of a result function.
    pub(crate) fn result(&mut self, call: &Call) -> Option<Value> {
        match call.name {
            "D" => self.partial_derivative(call),
            "multiplier" | "power" => self.of_constraint(call),
            "Gz" => {
                let [i, j] = [self.variable(call, 0)?, self.variable(call, 1)?];
                self.symbol(Quantity::Gram(i.min(j), i.max(j)))
            }
            "R" | "torque_R" => self.reaction_force(call),
            "M" => {
                let [x, y] = [self.coordinate(call, 0)?, self.coordinate(call, 1)?];
                self.symbol(Quantity::Mass(x.min(y), x.max(y)))
            }
            "B" => {
                let [r, x] = [self.coordinate(call, 0)?, self.coordinate(call, 1)?];
                self.symbol(Quantity::Voronec(r, x))
            }
            name => {
                let x = self.coordinate(call, 0)?;
                self.symbol(match name {
                    "alphabar" => Quantity::AlphaBar(x),
                    "alpha_dep" => Quantity::AlphaDependent(x),
                    "reaction" => Quantity::Reaction(x),
                    _ => Quantity::ReactionUp(x),
                })
            }
        }
    }

    fn symbol(&self, quantity: Quantity) -> Option<Value> {
        Some(Value::Scalar(self.world.quantity(quantity).id()))
    }

    /// `D(expr, name)`
    fn partial_derivative(&mut self, call: &Call) -> Option<Value> {
        let (x, by) = (
            self.value(call.args[0])?,
            self.scalar(call.args[1], call.name)?,
        );
        let world = self.world;
        let symbol = world.graph.ex(by);
        if symbol.symbol_name().is_none() {
            let label = "the second argument is a coordinate, a velocity, `t`, a parameter or a motion variable";
            return self.unfit(
                call.args[1],
                "there is no derivative by an expression",
                label,
            );
        }
        let partial = |x: Id| {
            world.note_differentiated(x);
            Ok::<Id, ()>(world.partial(world.graph.ex(x), symbol).id())
        };
        crate::algebra::try_map(x, partial).ok()
    }

    fn of_constraint(&mut self, call: &Call) -> Option<Value> {
        let name = self.label(call.args[0], "the name of a constraint")?;
        let world = self.world;
        let Some(index) = world.constraints.iter().position(|c| c.name == name) else {
            let known = world.constraints.iter().map(|c| c.name.as_str());
            let label = did_you_mean(
                &name,
                known.clone(),
                "write the key of a row of [constraints]",
            );
            let message = format!("unknown constraint `{name}`");
            let diagnostic =
                Diagnostic::new(Code::UnknownName, message, self.place(call.args[0]), label);
            let known: Vec<&str> = known.collect();
            return self
                .report
                .refuse(diagnostic.note(format!("known: {}", known.join(", "))));
        };
        let (first, count) = world.constraints[index].rows?;
        match (call.name, count) {
            ("power", _) => self.symbol(Quantity::Power(index)),
            (_, 1) => self.symbol(Quantity::Multiplier(first)),
            (_, 3) => {
                let symbol = |i| world.quantity(Quantity::Multiplier(first + i)).id();
                Some(Value::Vector([symbol(0), symbol(1), symbol(2)]))
            }
            _ => {
                let message = format!("`{name}` has {count} rows, and a multiplier for each");
                self.unfit(
                    call.args[0],
                    &message,
                    "give each equation a name of its own",
                )
            }
        }
    }

    fn reaction_force(&mut self, call: &Call) -> Option<Value> {
        let name = self.label(call.args[0], "the name of a particle or body")?;
        let world = self.world;
        let place = self.place(call.args[0]);
        let Some(body) = world.carrier(&name) else {
            return match world.names.get(&name) {
                None => {
                    world.names.unknown_point(&name, place, self.report);
                    None
                }
                Some(named) => {
                    let message = format!("`{name}` is {}, not a particle or body", named.kind());
                    let label = "constraint forces act on particles and bodies";
                    self.unfit(call.args[0], &message, label)
                }
            };
        };
        let component: fn(usize, usize) -> Quantity = match call.name {
            "R" => Quantity::ReactionForce,
            _ if world.is_particle(body) => {
                let label = "only bodies have `torque_R`";
                return self.unfit(call.args[0], "a particle has no moment", label);
            }
            _ => Quantity::ReactionMoment,
        };
        Some(Value::Vector(
            [0, 1, 2].map(|i| world.quantity(component(body, i)).id()),
        ))
    }

    /// The coordinate that is an argument.
    fn coordinate(&mut self, call: &Call, index: usize) -> Option<usize> {
        let id = self.scalar(call.args[index], call.name)?;
        let found = self.world.coordinate(id);
        if found.is_none() {
            let message = format!("`{}` takes the name of a coordinate", call.name);
            return self.unfit(call.args[index], &message, "write one of `coordinates`");
        }
        found
    }

    /// The motion variable that is an argument: its name, or its number counted from 1.
    fn variable(&mut self, call: &Call, index: usize) -> Option<usize> {
        let count = self.world.variables.len();
        let argument = call.args[index];
        if let Some(name) = self.name_of(argument) {
            if let Some(Named::Variable(found)) = self.world.names.get(&name) {
                return Some(found);
            }
        } else if let Value::Scalar(id) = self.value(argument)? {
            let number = self
                .world
                .graph
                .ex(id)
                .as_rational()
                .and_then(|n| n.to_i64());
            let number = number.and_then(|n| usize::try_from(n).ok());
            if let Some(number) = number.filter(|n| (1..=count).contains(n)) {
                return Some(number - 1);
            }
        }
        let label = "write a name from `variables` of [motion], or its number";
        self.unfit(argument, "`Gz` takes motion variables", label)
    }
}
