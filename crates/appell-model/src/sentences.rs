//! Whole formulas: expressions, equations and conditions, each judged by its setting.

use crate::algebra;
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::elaborate::results;
use crate::elaborate::{kind, values};
use crate::formula::{Formula, Written};
use crate::function_names;
use crate::model::{Condition, Value, Vector};
use crate::settings::{Setting, Symbol};
use crate::world::{Mode, Slot, World};
use appell_expr::{AstKind, Id, Node, Relation, Span};

/// What a constraint is called among the settings.
const CONSTRAINED: &str = crate::settings::CONSTRAINT.what;
/// Nodes of a formula looked at, at most, for the one to blame.
const SEARCHED: usize = 2000;

impl World<'_> {
    /// The value of an expression.
    pub(crate) fn expression(
        &self,
        formula: &Formula,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<Value> {
        match formula {
            Formula::Number(number, _) => {
                Some(Value::Scalar(self.graph.number(number.clone()).id()))
            }
            Formula::Written(written) => self.written(written, setting, report),
        }
    }

    /// The value of an expression in a string.
    pub(crate) fn written(
        &self,
        written: &Written,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<Value> {
        if let Some((_, span)) = written.sentence.relation {
            let message = format!(
                "{} is an expression, not an equation or a condition",
                setting.what
            );
            let place = written.place(span);
            return report.reject(Code::WrongSentence, message, place, "write one side only");
        }
        self.refuse_results(written, setting, report)?;
        self.hear(written, setting);
        let values = values(self, written, Mode::Plain, report);
        let value = values[written.sentence.lhs.index()]?;
        self.judge(
            &algebra::components(value),
            setting,
            written,
            &values,
            report,
        )?;
        Some(value)
    }

    /// The value of an expression in both modes.
    pub(crate) fn slot(&self, formula: &Formula, setting: &Setting, report: &mut Report) -> Slot {
        let Some(plain) = self.expression(formula, setting, report) else {
            return Slot::Failed;
        };
        let inspected = formula.written().and_then(|written| {
            // What is wrong was said the first time.
            let values = values(self, written, Mode::Inspected, &mut Report::default());
            values[written.sentence.lhs.index()]
        });
        Slot::Known([plain, inspected.unwrap_or(plain)])
    }

    /// The value of an expression that must be a scalar.
    pub(crate) fn scalar(
        &self,
        formula: &Formula,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<Id> {
        match self.expression(formula, setting, report)? {
            Value::Scalar(x) => Some(x),
            value => report.refuse(wrong_kind(value, formula.span(), setting)),
        }
    }

    /// The value of an expression that must be a vector; the number 0 counts as one.
    pub(crate) fn vector(
        &self,
        formula: &Formula,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<Vector> {
        match self.expression(formula, setting, report)? {
            Value::Vector(a) => Some(a),
            Value::Scalar(x) if self.graph.ex(x).is_zero() => Some(algebra::null(self.graph)),
            value => report.refuse(wrong_kind(value, formula.span(), setting)),
        }
    }

    /// `lhs - rhs` of an equation in a mode: one component, or three. A bare expression is
    /// compared with 0.
    pub(crate) fn equation(
        &self,
        written: &Written,
        setting: &Setting,
        mode: Mode,
        report: &mut Report,
    ) -> Option<Vec<Id>> {
        if let Some((relation, span)) = written
            .sentence
            .relation
            .filter(|(r, _)| *r != Relation::Equal)
        {
            let message = format!("`{}` where an equation is needed", sign(relation));
            let place = written.place(span);
            let label = match setting.what {
                CONSTRAINED => {
                    "constraints are equations; a condition belongs to `stop` in [simulate]"
                }
                _ => "write `=`",
            };
            return report.reject(Code::WrongSentence, message, place, label);
        }
        self.difference(written, setting, mode, report)
    }

    /// The right side of an equation, which must be a scalar.
    pub(crate) fn right_side(
        &self,
        written: &Written,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<Id> {
        self.right_sides(written, setting, report)
            .map(|[plain, _]| plain)
    }

    /// The right side of an equation, which must be a scalar, by [`Mode`].
    pub(crate) fn right_sides(
        &self,
        written: &Written,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<[Id; 2]> {
        let rhs = written.sentence.rhs?;
        self.refuse_results(written, setting, report)?;
        self.hear(written, setting);
        let plain = values(self, written, Mode::Plain, report);
        let Value::Scalar(x) = plain[rhs.index()]? else {
            let place = written.place(written.sentence.ast.node(rhs).span);
            return report.refuse(wrong_kind(plain[rhs.index()]?, place, setting));
        };
        self.judge(&[x], setting, written, &plain, report)?;
        let inspected = values(self, written, Mode::Inspected, &mut Report::default());
        match inspected[rhs.index()] {
            Some(Value::Scalar(y)) => Some([x, y]),
            _ => Some([x, x]),
        }
    }

    /// `lhs - rhs` of a condition between scalars.
    pub(crate) fn condition(
        &self,
        written: &Written,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<Condition> {
        if written.sentence.relation.is_none() {
            let message = "an expression where a condition is needed";
            let label = "compare it, as in `x > 0`";
            let place = written.text.contents();
            return report.reject(Code::WrongSentence, message, place, label);
        }
        match self
            .difference(written, setting, Mode::Plain, report)?
            .as_slice()
        {
            [difference] => Some(self.as_condition(*difference, written)),
            _ => {
                let message = "a condition compares scalars";
                let label = "take a component with `dot(..., N.x)`, or a `norm(...)`";
                let place = written.text.contents();
                report.reject(Code::VectorScalar, message, place, label)
            }
        }
    }

    /// A difference of two sides with what the user wrote.
    pub(crate) fn as_condition(&self, difference: Id, written: &Written) -> Condition {
        Condition {
            difference,
            relation: written
                .sentence
                .relation
                .map_or(Relation::Equal, |(relation, _)| relation),
            text: written.on_one_line(),
            span: written.text.contents(),
        }
    }

    /// Everything that a sentence is made of, one component after the other.
    pub(crate) fn formulas(&self, written: &Written, report: &mut Report) -> Vec<Id> {
        let values = values(self, written, Mode::Plain, report);
        let components = values.into_iter().flatten().map(|value| match value {
            Value::Scalar(x) => vec![x],
            Value::Vector(x) => x.to_vec(),
        });
        components.flatten().collect()
    }

    fn difference(
        &self,
        written: &Written,
        setting: &Setting,
        mode: Mode,
        report: &mut Report,
    ) -> Option<Vec<Id>> {
        self.refuse_results(written, setting, report)?;
        if mode == Mode::Plain {
            self.hear(written, setting);
        }
        let values = values(self, written, mode, report);
        let sentence = &written.sentence;
        let left = values[sentence.lhs.index()];
        let right = match sentence.rhs {
            Some(rhs) => values[rhs.index()],
            None => Some(Value::Scalar(self.graph.zero().id())),
        };
        let difference = self.sides(left?, right?, written, report)?;
        if mode == Mode::Plain {
            self.judge(&difference, setting, written, &values, report)?;
        }
        Some(difference)
    }

    /// Keeps a formula for those who look at all of them.
    fn hear(&self, written: &Written, setting: &Setting) {
        self.heard
            .borrow_mut()
            .push((written.clone(), setting.what));
    }

    fn sides(
        &self,
        left: Value,
        right: Value,
        written: &Written,
        report: &mut Report,
    ) -> Option<Vec<Id>> {
        use Value::{Scalar, Vector};
        let graph = self.graph;
        Some(match (left, right) {
            (Scalar(a), Scalar(b)) => vec![(graph.ex(a) - graph.ex(b)).id()],
            (Vector(a), Vector(b)) => algebra::subtract(graph, a, b).to_vec(),
            (Vector(a), Scalar(zero)) if graph.ex(zero).is_zero() => a.to_vec(),
            (Scalar(zero), Vector(b)) if graph.ex(zero).is_zero() => {
                algebra::subtract(graph, algebra::null(graph), b).to_vec()
            }
            _ => {
                let sentence = &written.sentence;
                let sign = sentence.relation.map_or(Span::default(), |(_, span)| span);
                let place = |id| written.place(sentence.ast.node(id).span);
                let message = "a vector is compared with a scalar";
                let label = "make both vectors, or take a component with `dot(..., N.x)`";
                let mut diagnostic =
                    Diagnostic::new(Code::VectorScalar, message, written.place(sign), label)
                        .also(place(sentence.lhs), kind(left));
                if let Some(rhs) = sentence.rhs {
                    diagnostic = diagnostic.also(place(rhs), kind(right));
                }
                return report.refuse(diagnostic);
            }
        })
    }

    /// Refuses results of mechanics by name where they cannot stand: some are not known yet.
    fn refuse_results(
        &self,
        written: &Written,
        setting: &Setting,
        report: &mut Report,
    ) -> Option<()> {
        if setting.admits(Symbol::Result) {
            return Some(());
        }
        let nodes = &written.sentence.ast.nodes;
        match nodes.iter().find(|node| self.names_result(&node.kind)) {
            None => Some(()),
            Some(node) => {
                let text = node.span.of(&written.text.value);
                report.refuse(not_admitted(
                    text,
                    Symbol::Result,
                    written.place(node.span),
                    setting,
                ))
            }
        }
    }

    /// Whether a node itself names a result of mechanics.
    pub(crate) fn names_result(&self, kind: &AstKind) -> bool {
        match kind {
            AstKind::Call { name, .. } => {
                name != "D" && function_names::FUNCTIONS.contains(&name.as_str())
            }
            AstKind::Name(name) => results::named(name).is_some() && self.names.get(name).is_none(),
            _ => false,
        }
    }

    /// Reports what may not stand in the setting, and warns of corners where they matter.
    fn judge(
        &self,
        ids: &[Id],
        setting: &Setting,
        written: &Written,
        values: &[Option<Value>],
        report: &mut Report,
    ) -> Option<()> {
        if setting.is_free() {
            return Some(());
        }
        let mut corner = None;
        for id in self.graph.reachable(ids) {
            match self.graph.node(id) {
                Node::Symbol(_) => {
                    let symbol = self.symbol(id).filter(|symbol| !setting.admits(*symbol));
                    if let Some(symbol) = symbol {
                        let blamed = self.blamed(written, values, |x| x == id);
                        let name = self.graph.ex(id).symbol_name().unwrap_or_default();
                        return report.refuse(not_admitted(&name, symbol, blamed, setting));
                    }
                }
                Node::Call(function, _) if !function.is_smooth() => corner = Some(function),
                _ => {}
            }
        }
        if let Some(function) = corner.filter(|_| setting.wants_smooth) {
            let is_corner = |x| matches!(self.graph.node(x), Node::Call(f, _) if f == function);
            let blamed = self.blamed(written, values, is_corner);
            let message = format!(
                "`{}` has corners, and {} should be smooth",
                function.name(),
                setting.what
            );
            let label = "at a corner, accelerations and forces are the mean of both sides; steps of a motion end there";
            report.say(Code::NonSmooth, message, blamed, label);
        }
        Some(())
    }

    /// The first name, rate or call in the formula whose value contains a node of this kind.
    fn blamed(
        &self,
        written: &Written,
        values: &[Option<Value>],
        of_kind: impl Fn(Id) -> bool,
    ) -> Span {
        let contains = |value: Value| {
            self.graph
                .reachable(&algebra::components(value))
                .into_iter()
                .any(&of_kind)
        };
        let candidates = written.sentence.ast.nodes.iter().zip(values).take(SEARCHED);
        let found = candidates.into_iter().find(|(node, value)| {
            let leaf = matches!(
                node.kind,
                AstKind::Name(_) | AstKind::Prime(..) | AstKind::Call { .. }
            );
            leaf && value.is_some_and(&contains)
        });
        match found {
            Some((node, _)) => written.place(node.span),
            None => written.text.contents(),
        }
    }
}

fn not_admitted(name: &str, symbol: Symbol, place: Span, setting: &Setting) -> Diagnostic {
    let message = format!("`{name}` cannot stand in {}", setting.what);
    let label = format!("{} is not admitted here", symbol.kind());
    let note = format!("{} may contain {}", setting.what, setting.admitted());
    Diagnostic::new(Code::NotAllowed, message, place, label).note(note)
}

fn wrong_kind(value: Value, span: Span, setting: &Setting) -> Diagnostic {
    let (is, wanted, remedy) = match value {
        Value::Scalar(_) => (
            "a scalar",
            "a vector",
            "write a vector, such as `[a, b, c]` or `a*N.x`",
        ),
        Value::Vector(_) => (
            "a vector",
            "a scalar",
            "take a component with `dot(..., N.x)`, or its `norm(...)`",
        ),
    };
    let message = format!("{} is {wanted} here, and this is {is}", setting.what);
    Diagnostic::new(Code::VectorScalar, message, span, remedy)
}

fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "=",
        Relation::Less => "<",
        Relation::LessEqual => "<=",
        Relation::Greater => ">",
        Relation::GreaterEqual => ">=",
    }
}
