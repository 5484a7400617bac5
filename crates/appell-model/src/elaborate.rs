//! From the shape of a formula to its value: one loop over its nodes, no recursion.

pub(crate) mod functions;
pub(crate) mod results;

use crate::algebra::{self, Refusal};
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::formula::Written;
use crate::function_names;
use crate::model::Value;
use crate::names::Named;
use crate::world::{MAX_EXPRESSIONS, Mode, NoRate, Slot, World};
use appell_expr::{Ast, AstId, AstKind, AstNode, Id, Node, Operator, Span};

/// Exact numbers with more bits than this are refused.
const MAX_BITS: u64 = 4096;

/// The values of all nodes of a formula, by their index; none where an error was reported, or
/// where a name is an argument such as the `P` of `pos(P)`.
pub(crate) fn values<'g>(
    world: &World<'g>,
    written: &Written,
    mode: Mode,
    report: &mut Report,
) -> Vec<Option<Value>> {
    let ast = &written.sentence.ast;
    let mut labels = function_names::labels(ast);
    for node in &ast.nodes {
        if let Some((_, parts)) = quotient_of_rates(&node.kind, ast, world) {
            parts.iter().for_each(|part| labels[part.index()] = true);
        }
    }
    let mut pass = Pass {
        world,
        written,
        mode,
        values: Vec::with_capacity(ast.nodes.len()),
        report,
    };
    for (node, is_label) in ast.nodes.iter().zip(labels) {
        let value = if is_label || world.exhausted.get() {
            None
        } else {
            pass.node(node)
                .and_then(|v| pass.of_bounded_size(v, node.span))
        };
        pass.values.push(value);
    }
    pass.values
}

/// The state of the loop.
pub(crate) struct Pass<'a, 'g> {
    pub(crate) world: &'a World<'g>,
    pub(crate) written: &'a Written,
    pub(crate) mode: Mode,
    pub(crate) values: Vec<Option<Value>>,
    pub(crate) report: &'a mut Report,
}

impl<'g> Pass<'_, 'g> {
    /// The value of a node that came before.
    pub(crate) fn value(&self, id: AstId) -> Option<Value> {
        self.values[id.index()]
    }

    /// The place in the file of a node.
    pub(crate) fn place(&self, id: AstId) -> Span {
        self.written.place(self.written.sentence.ast.node(id).span)
    }

    /// The name that a node consists of.
    pub(crate) fn name_of(&self, id: AstId) -> Option<String> {
        match &self.written.sentence.ast.node(id).kind {
            AstKind::Name(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// Adds an error at a place of the formula.
    pub(crate) fn refuse<T>(
        &mut self,
        code: Code,
        message: &str,
        span: Span,
        label: &str,
    ) -> Option<T> {
        let place = self.written.place(span);
        self.report.reject(code, message, place, label)
    }

    fn node(&mut self, node: &AstNode) -> Option<Value> {
        let graph = self.world.graph;
        match &node.kind {
            AstKind::Number(number) => Some(Value::Scalar(graph.number(number.clone()).id())),
            AstKind::Name(name) => self.name(name, node.span),
            AstKind::Neg(a) => Some(algebra::negated(graph, self.value(*a)?)),
            AstKind::Binary(operator, a, b) => {
                let ast = &self.written.sentence.ast;
                if let Some((rate, _)) = quotient_of_rates(&node.kind, ast, self.world) {
                    let label = format!("write `{rate}`");
                    let message = "a rate is written with a prime";
                    return self.refuse(Code::UnknownName, message, node.span, &label);
                }
                self.binary(*operator, *a, *b, node.span)
            }
            AstKind::Prime(a, count) => {
                if let AstKind::Number(_) = self.written.sentence.ast.node(*a).kind {
                    let message = "a prime on a number, whose rate is 0";
                    let label =
                        "for the power of a rate write `x'^2`, for the rate of a power `(x^2)'`";
                    return self.refuse(Code::NotAllowed, message, node.span, label);
                }
                let value = self.value(*a)?;
                self.rate(value, *count, node.span)
            }
            AstKind::Call {
                name,
                name_span,
                args,
            } => self.call(name, *name_span, args, node.span),
            AstKind::Vector(parts) => self.vector(parts, node.span),
            AstKind::Axis { frame, axis } if frame == "N" => {
                Some(Value::Vector(algebra::axis(graph, axis.index())))
            }
            AstKind::Axis { frame, axis } => self.axis_of(frame, axis.index(), node.span),
        }
    }

    fn binary(&mut self, operator: Operator, a: AstId, b: AstId, span: Span) -> Option<Value> {
        let (left, right) = (self.value(a)?, self.value(b)?);
        let refusal = match algebra::combined(self.world.graph, operator, left, right) {
            Ok(value) => return Some(value),
            Err(refusal) => refusal,
        };
        let place = self.written.place(span);
        self.report.refuse(match refusal {
            Refusal::Zero => {
                let label = "this is exactly 0";
                Diagnostic::new(
                    Code::DivisionByZero,
                    "a division by zero",
                    self.place(b),
                    label,
                )
            }
            Refusal::Kinds(message, remedy) => {
                Diagnostic::new(Code::VectorScalar, message, place, remedy)
                    .also(self.place(a), kind(left))
                    .also(self.place(b), kind(right))
            }
        })
    }

    fn vector(&mut self, parts: &[AstId], span: Span) -> Option<Value> {
        let [x, y, z] = parts else {
            let message = format!("a vector with {} components", parts.len());
            let label = "write its three components in N: `[a, b, c]`";
            return self.refuse(Code::Components, &message, span, label);
        };
        let parts = [x, y, z].map(|part| self.scalar(*part, "[...]"));
        Some(Value::Vector([parts[0]?, parts[1]?, parts[2]?]))
    }

    /// A node that must be a scalar, as an argument of `function`.
    pub(crate) fn scalar(&mut self, id: AstId, function: &str) -> Option<Id> {
        match self.value(id)? {
            Value::Scalar(x) => Some(x),
            Value::Vector(_) => {
                let message = format!("a vector stands where `{function}` takes a scalar");
                let label = "take a component with `dot(..., N.x)`, or its `norm(...)`";
                let place = self.place(id);
                self.report
                    .reject(Code::VectorScalar, message, place, label)
            }
        }
    }

    /// The `count`-th total time derivative.
    pub(crate) fn rate(&mut self, value: Value, count: u32, span: Span) -> Option<Value> {
        let mut value = value;
        for _ in 0..count {
            match algebra::try_map(value, |x| self.world.written_rate(x)) {
                Ok(rate) => value = rate,
                Err(NoRate::TooLarge) => return self.too_large(span),
                Err(NoRate::Input(name)) => {
                    let message = format!("this takes the rate of the input `{name}`");
                    let label = "an input may jump: make its rate the input, or leave out a prime";
                    return self.refuse(Code::NotAllowed, &message, span, label);
                }
                Err(NoRate::Beyond(symbol)) => {
                    let message = format!("this takes the rate of `{symbol}`");
                    let label = "equations of motion are of second order: leave out a prime";
                    return self.refuse(Code::ThirdRate, &message, span, label);
                }
            }
        }
        Some(value)
    }

    /// Said once; nothing is worked out any more.
    fn too_large<T>(&mut self, span: Span) -> Option<T> {
        self.world.exhausted.set(true);
        let message = format!("the model takes more than {MAX_EXPRESSIONS} expressions");
        self.refuse(Code::TooLarge, &message, span, "reading stopped here")
    }

    /// Refuses exact numbers that outgrow memory, and models that do.
    fn of_bounded_size(&mut self, value: Value, span: Span) -> Option<Value> {
        if self.world.graph.len() > MAX_EXPRESSIONS {
            return self.too_large(span);
        }
        let numbers = algebra::components(value);
        if numbers
            .iter()
            .all(|x| bits(&self.world.graph.node(*x)) <= MAX_BITS)
        {
            return Some(value);
        }
        let label = "numbers are exact until they are computed: write this one rounded";
        self.refuse(
            Code::TooLarge,
            "an exact number becomes too long",
            span,
            label,
        )
    }

    /// A name on its own.
    fn name(&mut self, name: &str, span: Span) -> Option<Value> {
        let world = self.world;
        let scalar = |x: appell_expr::Ex<'g>| Some(Value::Scalar(x.id()));
        match (name, world.names.get(name)) {
            ("t", _) => scalar(world.time),
            ("pi", _) => scalar(world.graph.pi()),
            ("T", _) => self.energy(world.kinetic, name, span),
            ("V", _) => self.energy(world.potential, name, span),
            ("N", _) => {
                let label = "write an axis: `N.x`, `N.y` or `N.z`";
                self.refuse(
                    Code::NotAQuantity,
                    "`N` is the inertial frame, not a quantity",
                    span,
                    label,
                )
            }
            ("O", _) => {
                let label = "write `pos(O)`";
                self.refuse(
                    Code::NotAQuantity,
                    "`O` is a point, not a quantity",
                    span,
                    label,
                )
            }
            (_, Some(named)) => self.declared(name, named, span),
            (_, None) => match results::named(name) {
                Some(quantity) => scalar(world.quantity(quantity)),
                None => {
                    world
                        .names
                        .unknown(name, self.written.place(span), self.report);
                    None
                }
            },
        }
    }

    fn declared(&mut self, name: &str, named: Named, span: Span) -> Option<Value> {
        let world = self.world;
        match named {
            Named::Coordinate(i) => Some(Value::Scalar(world.coordinates[i].q)),
            Named::Parameter(i) | Named::Input(i) => Some(Value::Scalar(world.parameters[i].id())),
            Named::Definition(i) => match world.placed.get(&i) {
                Some(value) if self.mode == Mode::Placed => Some(*value),
                _ => self.slot(world.definitions[i], name, span),
            },
            Named::Variable(i) => match world.variables[i].definition {
                Some(slot) => self.slot(slot, name, span),
                None => Some(Value::Scalar(world.variables[i].symbol)),
            },
            Named::Place(_) => {
                let message = format!("`{name}` is a point, not a quantity");
                let label = format!("write `pos({name})`, `v({name})` or `a({name})`");
                self.refuse(Code::NotAQuantity, &message, span, &label)
            }
            Named::Frame(_) => {
                let message = format!("`{name}` is a frame, not a quantity");
                self.refuse(
                    Code::NotAQuantity,
                    &message,
                    span,
                    &format!("write an axis: `{name}.x`"),
                )
            }
            Named::Body(_) => {
                let message = format!("`{name}` is a body, not a quantity");
                self.refuse(
                    Code::NotAQuantity,
                    &message,
                    span,
                    &format!("write `pos({name})`, `v({name})` or `omega({name})`"),
                )
            }
        }
    }

    fn slot(&mut self, slot: Slot, name: &str, span: Span) -> Option<Value> {
        match slot {
            Slot::Known(values) => Some(values[self.mode.index()]),
            Slot::Failed => None,
            Slot::Late => {
                let message = format!("`{name}` is a result of the motion");
                let label = "it can stand in claims, plots, stops and arrows only";
                self.refuse(Code::NotAllowed, &message, span, label)
            }
        }
    }

    fn energy(&mut self, slot: Slot, name: &str, span: Span) -> Option<Value> {
        if self.world.only_lagrangian {
            let message = format!("`{name}` is not known: the model gives a Lagrangian only");
            let label = "give `kinetic` and `potential` instead, or speak of `E`";
            return self.refuse(Code::OnlyLagrangian, &message, span, label);
        }
        self.slot(slot, name, span)
    }

    /// `F.x`
    fn axis_of(&mut self, frame: &str, axis: usize, span: Span) -> Option<Value> {
        match self.world.names.get(frame) {
            Some(Named::Frame(index)) => {
                let attitude = self.world.frames[index].attitude[self.mode.index()]?;
                Some(Value::Vector(attitude.axes[axis]))
            }
            Some(Named::Body(_)) => {
                let message = format!("`{frame}` is a body, not a frame");
                let axis = ["x", "y", "z"][axis];
                let label = format!(
                    "write an axis of its frame, or the component `dot(pos({frame}), N.{axis})`"
                );
                self.refuse(Code::NotAQuantity, &message, span, &label)
            }
            Some(named @ Named::Place(_)) => {
                let message = format!("`{frame}` is {}, not a frame", named.kind());
                let axis = ["x", "y", "z"][axis];
                let label = format!("write the component `dot(pos({frame}), N.{axis})`");
                self.refuse(Code::NotAQuantity, &message, span, &label)
            }
            Some(named) => {
                let message = format!("`{frame}` is {}, not a frame", named.kind());
                self.refuse(
                    Code::NotAQuantity,
                    &message,
                    span,
                    "axes of the inertial frame: `N.x`",
                )
            }
            None => {
                let place = self.written.place(span);
                self.world.names.unknown_frame(frame, place, self.report);
                None
            }
        }
    }
}

/// `x'` for `dx/dt`, where its parts are no names of the model, with the nodes of these.
fn quotient_of_rates(kind: &AstKind, ast: &Ast, world: &World) -> Option<(String, [AstId; 2])> {
    let AstKind::Binary(Operator::Div, above, below) = kind else {
        return None;
    };
    let name = |id: AstId| match &ast.node(id).kind {
        AstKind::Name(name) if world.names.get(name).is_none() => Some(name.as_str()),
        _ => None,
    };
    let (d, dt) = (name(*above)?, name(*below)?);
    let rate = world
        .names
        .rate(d)
        .filter(|_| d.starts_with('d') && dt == "dt")?;
    Some((rate, [*above, *below]))
}

/// The length of the longest number in a node itself.
fn bits(node: &Node) -> u64 {
    let of = |n: &appell_expr::Rational| n.numerator().bits().max(n.denominator().bits());
    match node {
        Node::Number(n) => of(n),
        Node::Sum(constant, parts) => parts
            .iter()
            .map(|(_, c)| of(c))
            .max()
            .unwrap_or(0)
            .max(of(constant)),
        Node::Product(parts) => parts.iter().map(|(_, e)| of(e)).max().unwrap_or(0),
        _ => 0,
    }
}

/// "a scalar" or "a vector".
pub(crate) fn kind(value: Value) -> &'static str {
    match value {
        Value::Scalar(_) => "a scalar",
        Value::Vector(_) => "a vector",
    }
}
