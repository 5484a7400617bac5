//! Where rows end: `z' = sqrt(c^2 - x'^2)` has no velocities with `z' < 0`.

use super::{JumpOf, StateJump};
use appell_expr::{Ex, Function, Id, Node, Range, Rational, range};
use appell_model::{Level, Model};

/// The ends of the rows of a model that are linear in a root, or in the inverse of a function that is periodic: the row asks it
/// for a value that has to be within its range. Beyond, what the row says after solving for another quantity may go on, as
/// `z'^2 = c^2 - x'^2` does, and the row itself does not hold.
pub(crate) fn ends_of_rows(model: &Model) -> Vec<StateJump<'_>> {
    let graph = &model.graph;
    let of_state = model
        .coordinates
        .iter()
        .flat_map(|coordinate| [coordinate.q, coordinate.v]);
    let state: Vec<Ex<'_>> = of_state.map(|id| graph.ex(id)).collect();
    let velocities: Vec<Ex<'_>> = model
        .coordinates
        .iter()
        .map(|coordinate| graph.ex(coordinate.v))
        .collect();
    let moving = [state.clone(), vec![graph.ex(model.time)]].concat();
    let mut found: Vec<StateJump<'_>> = Vec::new();
    for (index, constraint) in model.constraints.iter().enumerate() {
        let rows = constraint.rows.iter();
        for row in rows.filter(|row| row.level != Level::Acceleration) {
            let variables = match row.level {
                Level::Position => &state[..],
                _ => &velocities[..],
            };
            for bounded in bounded_functions(graph.ex(row.phi), &moving) {
                if bounded.turns_back(variables) || bounded.is_met(variables) {
                    continue;
                }
                let ends = bounded.ends(&moving).into_iter().filter(|(u, _)| {
                    u.depends_on_any(&moving) && !range(*u, &|_| Range::all()).is_nonnegative()
                });
                found.extend(ends.map(|(u, gap)| StateJump {
                    u,
                    gap,
                    of: JumpOf::Range {
                        constraint: index,
                        function: bounded.function.to_string(),
                    },
                    sizes: vec![graph.int(1)],
                }));
            }
        }
    }
    found
}

/// A motion ends where a root would be less than `-1/SLACK` of the root of its radicand's terms: those that only touch 0 do not,
/// for half of the digits of a root that is 0 are rounding.
const SLACK: i64 = 10_000_000;
/// Where an angle would be beyond its range by `1/ANGLE`.
const ANGLE: i64 = 1_000_000_000;
/// Where a value would be within `1/POLE` of that for which the argument is infinite: nearer it is known to few digits.
const POLE: i64 = 1_000_000_000_000;

/// A row `a f + rest` for a function `f` that has bounds.
struct Bounded<'g> {
    /// `base^e`, or the call of a function.
    function: Ex<'g>,
    base: Ex<'g>,
    e: Rational,
    a: Ex<'g>,
    rest: Ex<'g>,
}

impl<'g> Bounded<'g> {
    /// Whether it is a root of what is nowhere negative, as `sqrt(max(h, 0))`, for one of the unknowns of the row: that turns back
    /// at 0, or stays there.
    fn turns_back(&self, unknowns: &[Ex<'g>]) -> bool {
        !self.e.is_integer()
            && range(self.base, &|_| Range::all()).is_nonnegative()
            && self.rest.depends_on_any(unknowns)
    }

    /// Whether another unknown takes any value that the function has, as `y'` of `y' = tanh(x)`: ends that are never reached
    /// are none then.
    fn is_met(&self, unknowns: &[Ex<'g>]) -> bool {
        let function = self.function;
        let is_open = matches!(
            function.node(),
            Node::Call(Function::Tanh | Function::Atan, _)
        );
        let takes = |x: &Ex<'g>| self.rest.depends_on(*x) && !function.depends_on(*x);
        is_open && unknowns.iter().any(takes)
    }

    /// What is positive while the row asks for a value within the bounds, and the same with some slack.
    fn ends(&self, moving: &[Ex<'g>]) -> Vec<(Ex<'g>, Ex<'g>)> {
        let graph = self.a.graph();
        let sign = range(self.a, &|_| Range::all());
        let (asked, unit) = match (sign.is_positive(), sign.is_negative()) {
            (true, _) => (-self.rest, self.a),
            (_, true) => (self.rest, -self.a),
            _ if !self.a.depends_on_any(moving) => (-(self.rest * self.a), self.a * self.a),
            // Where `a` vanishes the row asks for nothing, and what it asks for beside such places cannot be told from rounding.
            _ => return Vec::new(),
        };
        let half_turn = graph.pi() * unit;
        let [angle, pole] = [ANGLE, POLE].map(|part| unit / graph.int(part));
        let with = |slack: Ex<'g>, all: Vec<Ex<'g>>| {
            let ends = all.into_iter().map(|u| (u, u + slack));
            ends.collect()
        };
        match self.function.node() {
            Node::Call(Function::Acos, _) => with(angle, vec![asked, half_turn - asked]),
            // Beyond the cut the angle is another one, and nothing leads there.
            Node::Call(Function::Atan2, _) => {
                with(-angle, vec![half_turn + asked, half_turn - asked])
            }
            Node::Call(Function::Asin, _) => {
                let quarter_turn = half_turn / graph.int(2);
                with(angle, vec![quarter_turn + asked, quarter_turn - asked])
            }
            // The end itself is where the argument grows without bound.
            Node::Call(Function::Atan, _) => {
                let quarter_turn = half_turn / graph.int(2);
                with(-pole, vec![quarter_turn + asked, quarter_turn - asked])
            }
            Node::Call(Function::Tanh, _) => with(-pole, vec![unit + asked, unit - asked]),
            _ => {
                let size = size(self.base).pow_rational(&self.e);
                with(unit * size / graph.int(SLACK), vec![asked])
            }
        }
    }
}

/// The sum of the sizes of the terms of an expression.
fn size(x: Ex<'_>) -> Ex<'_> {
    let graph = x.graph();
    match x.node() {
        Node::Sum(constant, terms) => {
            let terms = terms
                .iter()
                .map(|(x, c)| size(graph.ex(*x)).scale(&c.abs()));
            let all: Vec<Ex<'_>> = terms.chain([graph.number(constant.abs())]).collect();
            graph.sum(&all)
        }
        Node::Call(Function::Max | Function::Min, arguments) => {
            let all: Vec<Ex<'_>> = arguments
                .iter()
                .map(|argument| size(graph.ex(*argument)))
                .collect();
            graph.sum(&all)
        }
        _ => x.call(Function::Abs),
    }
}

/// The functions with bounds in which a row is linear.
fn bounded_functions<'g>(phi: Ex<'g>, state: &[Ex<'g>]) -> Vec<Bounded<'g>> {
    let graph = phi.graph();
    let terms: Vec<Ex<'g>> = match phi.node() {
        Node::Sum(constant, terms) => {
            let terms = terms
                .iter()
                .map(|(x, c)| graph.number(c.clone()) * graph.ex(*x));
            terms.chain([graph.number(constant.clone())]).collect()
        }
        _ => vec![phi],
    };
    let mut functions: Vec<Factor> = Vec::new();
    for factor in terms.iter().flat_map(|term| factors(*term)) {
        let is_new = !functions.contains(&factor);
        if is_new && is_bounded(graph.ex(factor.0), &factor.1) {
            functions.push(factor);
        }
    }
    let split = |factor: &Factor| {
        let function = graph.ex(factor.0).pow_rational(&factor.1);
        let (inside, rest): (Vec<Ex<'g>>, Vec<Ex<'g>>) = terms
            .iter()
            .partition(|term| factors(**term).contains(factor));
        let inside: Vec<Ex<'g>> = inside
            .into_iter()
            .map(|term| without(term, factor))
            .collect();
        let (a, rest) = (graph.sum(&inside), graph.sum(&rest));
        let is_linear = function.depends_on_any(state) && !occurs(factor, &[a, rest]);
        is_linear.then(|| Bounded {
            function,
            base: graph.ex(factor.0),
            e: factor.1.clone(),
            a,
            rest,
        })
    };
    functions.iter().filter_map(split).collect()
}

/// A base and its exponent.
type Factor = (Id, Rational);

fn factors(term: Ex<'_>) -> Vec<Factor> {
    match term.node() {
        Node::Product(factors) => factors.to_vec(),
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            factors(term.graph().ex(terms[0].0))
        }
        _ => vec![(term.id(), Rational::one())],
    }
}

/// A term without one of its factors.
fn without<'g>(term: Ex<'g>, removed: &Factor) -> Ex<'g> {
    let graph = term.graph();
    let others = factors(term).into_iter().filter(|factor| factor != removed);
    let others = others.map(|(base, e)| graph.ex(base).pow_rational(&e));
    let others = graph.product(&others.collect::<Vec<_>>());
    match term.node() {
        Node::Sum(_, terms) if terms.len() == 1 => others.scale(&terms[0].1),
        _ => others,
    }
}

fn is_bounded(base: Ex<'_>, e: &Rational) -> bool {
    // Higher powers are flat at 0, so that what is small there cannot be told from what is less.
    let is_root = |e: &Rational| !e.is_negative() && !e.is_zero() && *e < Rational::one();
    match base.node() {
        Node::Call(function, _) if has_bounds(function) => *e == Rational::one(),
        _ => is_root(e),
    }
}

/// Whether what a row asks of a function has to be within its range, where the function does not turn back, as the sine does.
fn has_bounds(function: Function) -> bool {
    use Function::{Acos, Asin, Atan, Atan2, Tanh};
    matches!(function, Acos | Asin | Atan | Atan2 | Tanh)
}

/// Whether a function, or another root of the same, occurs in expressions.
fn occurs((base, e): &Factor, xs: &[Ex<'_>]) -> bool {
    let graph = xs[0].graph();
    let ids: Vec<Id> = xs.iter().map(|x| x.id()).collect();
    graph
        .reachable(&ids)
        .into_iter()
        .any(|id| match graph.node(id) {
            _ if *e == Rational::one() => id == *base,
            Node::Product(factors) => factors.iter().any(|(x, e)| x == base && !e.is_integer()),
            _ => false,
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(row: &str) -> Vec<String> {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n[parameters]\nc = 2\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nr = \"{row}\"\n"
        );
        let (model, _) = appell_model::read("test.toml", &text).expect("a right model");
        let ends = ends_of_rows(&model);
        ends.iter().map(|end| end.u.to_string()).collect()
    }

    #[test]
    fn what_a_row_asks_of_a_function_has_to_be_within_its_range() {
        assert_eq!(ends("y' = sqrt(c^2 - x'^2)"), ["y'"]);
        assert_eq!(ends("y' = -2*sqrt(c^2 - x'^2)"), ["-y'"]);
        assert_eq!(ends("y' = c*sqrt(1 - x'^2)"), ["c*y'"]);
        assert_eq!(ends("y' = x*sqrt(c^2 - x'^2)"), [""; 0]);
        assert_eq!(ends("y' = 1/sqrt(c^2 - x'^2)"), [""; 0]);
        assert_eq!(ends("acos(x') = y"), ["y", "pi - y"]);
        assert_eq!(ends("2*asin(x') = y"), ["y + pi", "pi - y"]);
        assert_eq!(ends("atan2(y', x') = y"), ["y + pi", "pi - y"]);
        assert_eq!(ends("2*atan(y'/x') = y"), ["y + pi", "pi - y"]);
        assert_eq!(ends("3*tanh(x') = y"), ["y + 3", "3 - y"]);
        for met in [
            "x' = tanh(t)",
            "y' = 2*atan(exp(x))",
            "y = tanh(20*x)",
            "y' = tanh(x')",
        ] {
            assert_eq!(ends(met), [""; 0]);
        }
        assert_eq!(ends("sqrt(x'^2 + y'^2) = 1 + x^2"), [""; 0]);
        assert_eq!(ends("y' = x'^2"), [""; 0]);
        assert_eq!(ends("y' = (1 - x'^2)^(3/2)"), [""; 0]);
        assert_eq!(ends("y' = sqrt(max(1 - x^2, 0))"), [""; 0]);
        assert_eq!(ends("sqrt(x'^2 + y'^2) = 1 - t"), ["1 - t"]);
    }
}
