//! `pos(P)`, `v(P)`, `a(P)`: places of points and particles, and their total derivatives.

use crate::algebra;
use crate::codes::Code;
use crate::elaborate::Pass;
use crate::model::Value;
use crate::names::Named;
use crate::world::{Mode, Slot};
use appell_expr::{AstId, Span};

impl Pass<'_, '_> {
    /// `pos(P)`, `v(P)` or `a(P)`.
    pub(crate) fn kinematics(
        &mut self,
        function: &str,
        name_span: Span,
        arg: AstId,
    ) -> Option<Value> {
        let world = self.world;
        let Some(name) = self.name_of(arg) else {
            return self.not_a_point(function, name_span, arg, "an expression");
        };
        if name == "O" {
            return Some(Value::Vector(algebra::null(world.graph)));
        }
        match world.names.get(&name) {
            Some(Named::Place(place)) => self.of_place(function, place, arg),
            // Reported where it is declared.
            Some(Named::Body) => None,
            Some(named) => self.not_a_point(function, name_span, arg, named.kind()),
            None if matches!(name.as_str(), "t" | "pi" | "T" | "V") => {
                self.not_a_point(function, name_span, arg, "a quantity")
            }
            None => {
                world
                    .names
                    .unknown_point(&name, self.place(arg), self.report);
                None
            }
        }
    }

    fn of_place(&mut self, function: &str, place: usize, arg: AstId) -> Option<Value> {
        let place = &self.world.places[place];
        let known = |slot: &Slot| match slot {
            Slot::Known(values) => Some(values[self.mode as usize]),
            Slot::Failed | Slot::Late => None,
        };
        match function {
            "pos" => known(&place.position),
            "v" => known(&place.velocity),
            _ if self.mode == Mode::Inspected && place.particle.is_some() => {
                Some(Value::Vector(self.world.stand_ins("a", &place.name)))
            }
            _ => {
                let velocity = known(&place.velocity)?;
                let span = self.written.sentence.ast.node(arg).span;
                self.rate(velocity, 1, span)
            }
        }
    }

    /// `a(x + y)`: most likely the parameter `a` times a bracket.
    fn not_a_point(
        &mut self,
        function: &str,
        name_span: Span,
        arg: AstId,
        found: &str,
    ) -> Option<Value> {
        if self.world.names.get(function).is_some() {
            let message =
                format!("the function `{function}` takes the name of a point, not {found}");
            let label =
                format!("missing `*`: for the quantity `{function}` write `{function}*(...)`");
            return self.refuse(Code::MissingStar, &message, name_span, &label);
        }
        let message = format!("`{function}` takes the name of a point, not {found}");
        self.unfit(arg, &message, "write the name of a point or particle")
    }
}
