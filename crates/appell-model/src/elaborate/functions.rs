//! Calls: elementary functions, vectors, kinematics.

use super::results::Call;
use crate::codes::Code;
use crate::diagnostic::Diagnostic;
use crate::elaborate::Pass;
use crate::function_names::{FUNCTIONS, VECTORS, all, arity};
use crate::model::{Value, Vector};
use crate::names::Named;
use crate::suggest::did_you_mean;
use crate::{algebra, elsewhere};
use appell_expr::{AstId, AstKind, Function, Span};

/// Functions that elsewhere take a derivative by the time.
const RATES: [&str; 7] = [
    "diff",
    "der",
    "derivative",
    "Derivative",
    "ddt",
    "d",
    "deriv",
];

impl<'g> Pass<'_, 'g> {
    /// `name(args)`
    pub(crate) fn call(
        &mut self,
        name: &str,
        name_span: Span,
        args: &[AstId],
        span: Span,
    ) -> Option<Value> {
        if name == "v" && args.len() == 2 {
            return self.of_matter(args);
        }
        if name != "v" && arity(name).is_none() {
            return self.no_function(name, name_span, args);
        }
        let wanted = arity(name).unwrap_or(1);
        if args.len() != wanted {
            let (are, s) = (args.len(), if wanted == 1 { "" } else { "s" });
            let message = format!("`{name}` takes {wanted} argument{s}, not {are}");
            let label = match (name, args) {
                ("dot", [_]) => self.primed(args),
                _ => None,
            };
            let label = label.unwrap_or_else(|| usage(name));
            return self.refuse(Code::Arguments, &message, span, &label);
        }
        match name {
            "pos" | "v" | "a" => return self.kinematics(name, name_span, args[0]),
            "omega" | "alpha" => return self.rotation(name, args[0], span),
            "vec" => return self.in_frame(args),
            _ => {}
        }
        if FUNCTIONS.contains(&name) {
            return self.result(&Call { name, args });
        }
        match VECTORS.iter().any(|(known, _)| *known == name) {
            true => self.vector_function(name, args),
            false => self.elementary(name, args, span),
        }
    }

    fn elementary(&mut self, name: &str, args: &[AstId], span: Span) -> Option<Value> {
        let graph = self.world.graph;
        let mut scalars = Vec::new();
        for arg in args {
            scalars.push(self.scalar(*arg, name).map(|x| graph.ex(x)));
        }
        let scalars: Vec<_> = scalars.into_iter().collect::<Option<_>>()?;
        let function = Function::from_name(name);
        let pole = match function {
            Some(Function::Log) if scalars[0].is_zero() => {
                Some(("the logarithm of zero", "this is exactly 0"))
            }
            Some(Function::Tan) if scalars[0].is_odd_quarter_turn() => {
                let label = "the cosine is exactly 0 here";
                Some(("the tangent of an odd multiple of pi/2", label))
            }
            _ => None,
        };
        if let Some((message, label)) = pole {
            return self.refuse(Code::DivisionByZero, message, span, label);
        }
        let value = match function {
            Some(function) => graph.call(function, &scalars),
            None => algebra::sqrt(scalars[0]),
        };
        Some(Value::Scalar(value.id()))
    }

    fn vector_function(&mut self, name: &str, args: &[AstId]) -> Option<Value> {
        let graph = self.world.graph;
        let vectors: Vec<Option<Vector>> = args
            .iter()
            .map(|arg| self.vector_argument(*arg, name))
            .collect();
        let vectors: Vec<Vector> = vectors.into_iter().collect::<Option<_>>()?;
        Some(match (name, vectors.as_slice()) {
            ("dot", [a, b]) => Value::Scalar(algebra::dot(graph, *a, *b).id()),
            ("cross", [a, b]) => Value::Vector(algebra::cross(graph, *a, *b)),
            ("norm", [a]) => Value::Scalar(algebra::norm(graph, *a).id()),
            (_, [a, ..]) => {
                let norm = algebra::norm(graph, *a);
                if norm.is_zero() {
                    let place = self.place(args[0]);
                    let message = "the null vector has no direction";
                    return self.report.reject(
                        Code::DivisionByZero,
                        message,
                        place,
                        "this is exactly 0",
                    );
                }
                Value::Vector(algebra::scale(graph, norm.recip(), *a))
            }
            (_, []) => return None,
        })
    }

    pub(crate) fn vector_argument(&mut self, id: AstId, function: &str) -> Option<Vector> {
        match self.value(id)? {
            Value::Vector(a) => Some(a),
            Value::Scalar(_) => {
                let message = format!("a scalar stands where `{function}` takes a vector");
                let place = self.place(id);
                let label = "write a vector, such as `[a, b, c]` or `v(P)`";
                self.report
                    .reject(Code::VectorScalar, message, place, label)
            }
        }
    }

    /// `x'` instead of a function of `x` or `x(t)`, `x''` for its second derivative.
    fn primed(&self, args: &[AstId]) -> Option<String> {
        let (first, others) = args.split_first()?;
        let name = self
            .name_of(*first)
            .or_else(|| self.coordinate_of_time(*first))?;
        let times = match others {
            [_, last] => match &self.written.sentence.ast.node(*last).kind {
                AstKind::Number(number) if number.to_i64() != Some(2) => 1,
                _ => 2,
            },
            _ => 1,
        };
        Some(format!(
            "a rate is written with a prime: `{name}{}`",
            "'".repeat(times)
        ))
    }

    /// `x` of `x(t)`, for a coordinate x.
    fn coordinate_of_time(&self, arg: AstId) -> Option<String> {
        let AstKind::Call { name, args, .. } = &self.written.sentence.ast.node(arg).kind else {
            return None;
        };
        let moves = matches!(
            self.world.names.get(name),
            Some(Named::Coordinate(_) | Named::Variable(_))
        );
        (moves && self.is_of_time(args)).then(|| name.clone())
    }

    /// Whether the only argument is the time or a number, as in `x(t)` and `x(0)`.
    fn is_of_time(&self, args: &[AstId]) -> bool {
        let [arg] = args else { return false };
        match &self.written.sentence.ast.node(*arg).kind {
            AstKind::Name(name) => name == "t",
            AstKind::Number(_) => true,
            _ => false,
        }
    }

    /// A name before a bracket that is no function.
    fn no_function(&mut self, name: &str, span: Span, args: &[AstId]) -> Option<Value> {
        if self.world.names.get(name).is_some() || matches!(name, "t" | "pi" | "T" | "V") {
            let message = format!("`{name}` is not a function");
            let moves = matches!(
                self.world.names.get(name),
                Some(Named::Coordinate(_) | Named::Variable(_))
            );
            let label = match moves && self.is_of_time(args) {
                true => format!("write `{name}`: a coordinate depends on the time by itself"),
                false => format!("missing `*`: write `{name}*(...)`"),
            };
            return self.refuse(Code::MissingStar, &message, span, &label);
        }
        let message = format!("unknown function `{name}`");
        let label = match elsewhere::function(name) {
            _ if RATES.contains(&name) => self
                .primed(args)
                .unwrap_or_else(|| "a rate is written with a prime: `x'`, `(T + V)'`".to_owned()),
            Some(ours) => format!("write `{ours}`"),
            None if name == "lambda" => {
                "the multiplier of a constraint c is `multiplier(c)`, in claims and plots; \
                                         a product needs `*`"
                    .to_owned()
            }
            None => did_you_mean(name, all(), "use one of those below; a product needs `*`"),
        };
        let known: Vec<&str> = all().collect();
        let place = self.written.place(span);
        let diagnostic = Diagnostic::new(Code::UnknownFunction, message, place, label);
        self.report
            .refuse(diagnostic.note(format!("known: {}", known.join(" "))))
    }

    /// An error about an argument.
    pub(crate) fn unfit<T>(&mut self, arg: AstId, message: &str, label: &str) -> Option<T> {
        let place = self.place(arg);
        self.report.reject(Code::Arguments, message, place, label)
    }

    /// The name that an argument must be.
    pub(crate) fn label(&mut self, arg: AstId, wanted: &str) -> Option<String> {
        let name = self.name_of(arg);
        if name.is_none() {
            return self.unfit(
                arg,
                &format!("an expression stands where {wanted} is needed"),
                &format!("write {wanted}"),
            );
        }
        name
    }
}

/// How a function is written.
fn usage(name: &str) -> String {
    let arguments = match name {
        "pos" | "a" | "R" => "P",
        "v" => "P)` or `v(body, r",
        "omega" | "alpha" | "torque_R" => "body",
        "vec" => "frame, a, b, c",
        "dot" | "cross" => "a, b",
        "D" => "expression, name",
        "B" => "r, x",
        "M" => "x, y",
        "Gz" => "i, j",
        "atan2" => "y, x",
        "min" | "max" => "a, b",
        "multiplier" | "power" => "constraint",
        "norm" | "unit" => "vector",
        _ => "x",
    };
    format!("write `{name}({arguments})`")
}
