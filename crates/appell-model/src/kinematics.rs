//! `pos(P)`, `v(P)`, `a(P)`: places of points, particles and bodies, and their total derivatives;
//! `v(body, r)`, `omega`, `alpha`, `vec`.

use crate::algebra;
use crate::attitude::Attitude;
use crate::bodies::{known, spin};
use crate::codes::Code;
use crate::elaborate::Pass;
use crate::function_names;
use crate::model::Value;
use crate::names::Named;
use crate::world::{Mode, Slot};
use appell_expr::{AstId, AstKind, Span};

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
        if function == "pos" && self.mode == Mode::Placed && world.has_place(&name) {
            return Some(Value::Vector(world.stand_ins("pos", &name)));
        }
        if name == "O" {
            return Some(Value::Vector(algebra::null(world.graph)));
        }
        match world.names.get(&name) {
            Some(Named::Place(place)) => self.of_place(function, place, arg),
            Some(Named::Body(body)) => self.of_place(function, self.world.bodies[body].place, arg),
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
            Slot::Known(values) => Some(values[self.mode.index()]),
            Slot::Failed | Slot::Late => None,
        };
        match function {
            "pos" => known(&place.position),
            "v" => known(&place.velocity),
            _ if self.mode == Mode::Inspected && self.world.is_material(place) => {
                Some(Value::Vector(self.world.stand_ins("a", &place.name)))
            }
            _ => {
                let velocity = known(&place.velocity)?;
                let span = self.written.sentence.ast.node(arg).span;
                self.rate(velocity, 1, span)
            }
        }
    }

    /// The velocity of the matter of a body at centre + r: `v(body) + omega x r`.
    pub(crate) fn of_matter(&mut self, args: &[AstId]) -> Option<Value> {
        let world = self.world;
        let graph = world.graph;
        let name = self.label(args[0], "the name of a body")?;
        let Some(Named::Body(body)) = world.names.get(&name) else {
            let label = "`v(body, r)` is the velocity of a body's matter at its centre + r";
            return self.not_turning(args[0], &name, "a body", label);
        };
        let arm = self.vector_argument(args[1], "v")?;
        let arm = world.unmask(arm);
        let place = &world.places[world.bodies[body].place];
        let carrier = place.carrier?;
        let centre = known(place.position)?;
        let omega = spin(body, world)?.omega;
        let velocity = algebra::add(
            graph,
            known(place.velocity)?,
            algebra::cross(graph, omega, arm),
        );
        if self.mode != Mode::Inspected {
            return Some(Value::Vector(velocity));
        }
        let position = algebra::add(graph, centre, arm);
        Some(Value::Vector(
            world.matter(&name, carrier, position, velocity),
        ))
    }

    /// `omega(body)`, `omega(frame)`, `alpha(..)`.
    pub(crate) fn rotation(&mut self, function: &str, arg: AstId, span: Span) -> Option<Value> {
        let world = self.world;
        let name = self.label(arg, "the name of a body or frame")?;
        let omega = match world.names.get(&name) {
            _ if name == "N" => algebra::null(world.graph),
            Some(Named::Frame(frame)) => world.frames[frame].attitude[self.mode.index()]?.omega,
            Some(Named::Body(_)) if self.mode == Mode::Inspected => world.stand_ins("omega", &name),
            Some(Named::Body(body)) => spin(body, world)?.omega,
            _ => {
                let label = "only these turn: write the name of one of them";
                return self.not_turning(arg, &name, "a body or frame", label);
            }
        };
        match function {
            "omega" => Some(Value::Vector(omega)),
            _ => self.rate(Value::Vector(omega), 1, span),
        }
    }

    /// `vec(F, a, b, c)`: components in a frame.
    pub(crate) fn in_frame(&mut self, args: &[AstId]) -> Option<Value> {
        let world = self.world;
        let name = self.label(args[0], "the name of a frame")?;
        let attitude = match world.names.get(&name) {
            _ if name == "N" => Attitude::inertial(world.graph),
            Some(Named::Frame(frame)) => world.frames[frame].attitude[self.mode.index()]?,
            Some(_) => {
                let label = "these are components along the axes of a frame";
                return self.not_turning(args[0], &name, "a frame", label);
            }
            None => {
                let place = self.place(args[0]);
                world.names.unknown_frame(&name, place, self.report);
                return None;
            }
        };
        let [a, b, c] = [args[1], args[2], args[3]].map(|arg| self.scalar(arg, "vec"));
        Some(Value::Vector(attitude.combine(world.graph, [a?, b?, c?])))
    }

    /// The name is not one of what is wanted.
    fn not_turning<T>(&mut self, arg: AstId, name: &str, wanted: &str, label: &str) -> Option<T> {
        let place = self.place(arg);
        match self.world.names.get(name) {
            None => {
                self.world.names.unknown_turning(name, place, self.report);
                None
            }
            Some(named) => {
                let kind = match self.world.carrier(name) {
                    Some(carrier) if self.world.is_particle(carrier) => "a particle",
                    _ => named.kind(),
                };
                let message = format!("`{name}` is {kind}, not {wanted}");
                self.report.reject(Code::Arguments, message, place, label)
            }
        }
    }

    /// The text of a formula with `pos(P)` for the points `P` in it.
    fn as_place(&self, arg: AstId) -> String {
        let (ast, text) = (&self.written.sentence.ast, &self.written.text.value);
        let whole = ast.node(arg).span;
        let labels = function_names::labels(ast);
        let bare = ast.nodes.iter().zip(labels).filter(|(node, is_label)| {
            let inside = whole.start <= node.span.start && node.span.end <= whole.end;
            let point = matches!(&node.kind, AstKind::Name(name) if self.world.has_place(name));
            inside && point && !is_label
        });
        let mut place = whole.of(text).to_owned();
        let mut bare: Vec<Span> = bare.map(|(node, _)| node.span).collect();
        bare.sort_unstable_by_key(|span| std::cmp::Reverse(span.start));
        for span in bare {
            let within = span.start - whole.start..span.end - whole.start;
            place.replace_range(within, &format!("pos({})", span.of(text)));
        }
        place
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
        if found != "an expression" {
            return self.unfit(arg, &message, "write the name of a point, particle or body");
        }
        let place = self.as_place(arg);
        let label =
            format!("name the place in [points], `Q = \"{place}\"`, and write `{function}(Q)`");
        self.unfit(arg, &message, &label)
    }
}
