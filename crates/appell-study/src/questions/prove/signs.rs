//! Equations with signs and angles where these jump: random points never lie there.

use super::claims::is_never;
use super::constraint_set::ConstraintSet;
use crate::values::outputs::switch;
use crate::values::prepared::Prepared;
use appell_expr::{
    Ex, Function, Id, Matrix, Node, Range, Rational, range, real_form, tally_on, vanish_on,
};
use appell_model::{Condition, Quantity};

/// At so many random points roots take both signs.
const POINTS: usize = 24;

/// Symbols and functions with what is put in for them.
type Values<'g> = Vec<(Ex<'g>, Ex<'g>)>;

/// An equation that holds wherever no sign or angle in it jumps, and where it is claimed.
pub(super) struct Proved<'a, 'g> {
    /// What vanishes.
    pub zeros: &'a Matrix<'g>,
    /// The conditions of the claim, and what they say is positive.
    pub domain: &'a [Condition],
    pub positive: &'a [Ex<'g>],
    /// What is 0 where the rules give no derivative of what is differentiated in it.
    pub corners: &'a [Ex<'g>],
}

/// Where an equation fails that holds wherever no sign or angle in it or in the rows jumps, in words.
pub(super) fn exception<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    proved: &Proved<'_, 'g>,
) -> Option<String> {
    let written = quantities_of_state(p);
    let put_in =
        |xs: &[Ex<'g>]| -> Vec<Ex<'g>> { xs.iter().map(|x| x.substitute(&written)).collect() };
    let zeros = put_in(proved.zeros.entries());
    let of_state = |x: &Ex<'g>| x.symbols().iter().all(|s| set.symbols.contains(s));
    if set.is_parametrised() || !zeros.iter().all(of_state) {
        return None;
    }
    let gaps = proved.domain.iter();
    let gaps: Vec<Ex<'g>> = gaps.map(|c| p.system.graph.ex(c.difference)).collect();
    let rows = [&set.position_rows, &set.velocity_rows];
    let rows = rows.into_iter().flatten().copied();
    let all: Vec<Ex<'g>> = rows.chain(zeros.iter().copied()).collect();
    let places = Places {
        p,
        calls: jumping_calls(&all),
        positive: put_in(proved.positive),
    };
    let gaps = put_in(&gaps);
    let corners = put_in(proved.corners);
    places.jumps().find_map(|jump| {
        let there = jump.values_there();
        let is_outside = |(condition, gap): (&Condition, &Ex<'g>)| {
            is_never(condition, &places.range(gap.substitute(&there)))
        };
        if proved.domain.iter().zip(&gaps).any(is_outside) || !jump.fails(set, &zeros, &there) {
            return None;
        }
        let bent = corners.iter().find(|corner| jump.has(&places, **corner));
        Some(match bent {
            Some(corner) => format!(
                "it holds where {corner} is not 0; where {corner} = 0 there is a corner or a jump in what is \
                 differentiated, and the rules give no derivative"
            ),
            None => jump.words,
        })
    })
}

/// Results of mechanics that are functions of the state, as these.
fn quantities_of_state<'g>(p: &Prepared<'g>) -> Values<'g> {
    let (system, graph) = (&p.system, p.system.graph);
    let value = |quantity: &Quantity| match quantity {
        Quantity::Energy => Some(system.energy),
        Quantity::LagrangianStar => Some(system.lagrangian),
        Quantity::KineticStar => p.model.kinetic.map(|kinetic| graph.ex(kinetic)),
        Quantity::Mass(i, j) => Some(system.mass[(*i, *j)]),
        _ => None,
    };
    let all = p.model.quantities.iter();
    all.filter_map(|(quantity, symbol)| Some((graph.ex(*symbol), value(quantity)?)))
        .collect()
}

/// A place where functions jump.
struct Jump<'g> {
    /// What is 0 there.
    zeros: Vec<Ex<'g>>,
    /// Functions with their values there.
    by: Values<'g>,
    /// What must not vanish there, where the angle of a point is spoken of.
    behind: Option<Ex<'g>>,
    /// Whether nothing was put in that makes it negative, so that roots of its square may have either sign.
    loose: bool,
    /// What is said where an equation fails there.
    words: String,
}

impl<'g> Jump<'g> {
    /// What is put in for functions and symbols there.
    fn values_there(&self) -> Values<'g> {
        let zeros = self.zeros.iter().filter(|x| x.symbol_name().is_some());
        let zeros = zeros.map(|x| (*x, x.graph().zero()));
        self.by.iter().copied().chain(zeros).collect()
    }

    /// Whether some of these differ from 0 there.
    fn fails(&self, set: &ConstraintSet<'g>, zeros: &[Ex<'g>], there: &[(Ex<'g>, Ex<'g>)]) -> bool {
        let locus = set.locus_where(&self.zeros, &self.by);
        let fails = |xs: &[Ex<'g>], by: &[(Ex<'g>, Ex<'g>)]| {
            let values: Vec<Ex<'g>> = xs.iter().map(|x| x.substitute(by)).collect();
            let everywhere = || tally_on(&locus, &values, POINTS).1 == 0;
            vanish_on(&locus, &values).fails() && (!self.loose || everywhere())
        };
        // The origin has no angle.
        let is_origin = |x: Ex<'g>| !fails(&[x], there);
        // Roots of `x^2 + y^2` are those of `x^2` where 0 is put in for y; what has no value there does not fail.
        !self.behind.is_some_and(is_origin) && fails(zeros, &self.by) && fails(zeros, there)
    }

    /// Whether something is 0 there.
    fn has(&self, places: &Places<'_, 'g>, u: Ex<'g>) -> bool {
        let there = self.values_there();
        places.vanishes(u, &self.zeros, &there)
    }
}

/// The calls of `sign`, `abs` and `atan2` in some expressions.
fn jumping_calls<'g>(xs: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let Some(graph) = xs.first().map(|x| x.graph()) else {
        return Vec::new();
    };
    let roots: Vec<_> = xs.iter().map(|x| x.id()).collect();
    let jumps = |id: &Id| {
        let node = graph.node(*id);
        matches!(
            node,
            Node::Call(Function::Sign | Function::Abs | Function::Atan2, _)
        )
    };
    let inside = graph.reachable(&roots).into_iter().filter(jumps);
    inside.map(|id| graph.ex(id)).collect()
}

/// Where the calls in an equation jump.
struct Places<'p, 'g> {
    p: &'p Prepared<'g>,
    /// Those of `sign`, `abs` and `atan2`.
    calls: Vec<Ex<'g>>,
    /// What is positive in the claim's domain.
    positive: Vec<Ex<'g>>,
}

impl<'g> Places<'_, 'g> {
    /// Where a value lies by the signs of symbols in the claim's domain.
    fn range(&self, x: Ex<'g>) -> Range {
        range(x, &|symbol| self.of_symbol(symbol))
    }

    fn of_symbol(&self, symbol: Ex<'g>) -> Range {
        match self.positive.contains(&symbol) {
            true => Range::above(0, false),
            false => Range::all(),
        }
    }

    /// The same, of parameters by the signs of their values, where some symbol is positive besides.
    fn range_at_values(&self, x: Ex<'g>, positive: Option<Ex<'g>>) -> Range {
        let parameters = self.p.model.parameters.iter().zip(&self.p.parameters);
        let constants = parameters.filter(|(parameter, _)| !parameter.is_input);
        let values: Vec<(Id, f64)> = constants.map(|(q, value)| (q.symbol, *value)).collect();
        let sign = |symbol: Ex<'g>| {
            let (_, value) = values.iter().find(|(id, _)| *id == symbol.id())?;
            let value = Rational::from_decimal(&format!("{value:e}"))?;
            Some(Range::at(value).of_its_sign())
        };
        range(x, &|symbol| match positive == Some(symbol) {
            true => Range::above(0, false),
            false => sign(symbol).unwrap_or_else(|| self.of_symbol(symbol)),
        })
    }

    /// The symbols that change along a motion.
    fn moving(&self) -> Vec<Ex<'g>> {
        let system = &self.p.system;
        [system.q.as_slice(), &system.v, &[system.t]].concat()
    }

    fn varies(&self, u: Ex<'g>) -> bool {
        u.depends_on_any(&self.moving())
    }

    fn has_sign(&self, u: Ex<'g>) -> bool {
        let told = self.positive.contains(&u) || self.positive.contains(&-u);
        told || self.range(u).excludes_zero()
    }

    /// The sets of real states where something vanishes, each by what is 0 there: one for each factor.
    fn zero_sets(&self, u: Ex<'g>) -> Vec<Vec<Ex<'g>>> {
        let moving = self.moving();
        let of = |factor: Ex<'g>| {
            let form = real_form(factor, &moving, &|symbol| self.of_symbol(symbol));
            match form.rows.as_slice() {
                _ if form.nowhere => Vec::new(),
                _ if !form.sides.is_empty() => vec![vec![factor]],
                [] => vec![vec![factor]],
                [row] => factors(*row).into_iter().map(|row| vec![row]).collect(),
                rows => vec![rows.to_vec()],
            }
        };
        let may_vanish = |f: &Ex<'g>| self.varies(*f) && !self.has_sign(*f);
        // A parameter that is not 0 in the file vanishes at no state.
        let is_never =
            |row: &Ex<'g>| !self.varies(*row) && self.range_at_values(*row, None).excludes_zero();
        let all = factors(u).into_iter().filter(may_vanish).flat_map(of);
        all.filter(|set| !set.iter().any(is_never)).collect()
    }

    /// Whether something is 0 where all these are, symbols among which have these values.
    fn vanishes(&self, u: Ex<'g>, zeros: &[Ex<'g>], there: &[(Ex<'g>, Ex<'g>)]) -> bool {
        let is_among = |x: &Ex<'g>| zeros.contains(x) || zeros.contains(&-*x);
        u.substitute(there).is_zero()
            || factors(u).iter().any(is_among)
            || self.zero_sets(u).iter().any(|set| set.iter().all(is_among))
    }

    /// `sign(u)` jumps where a factor of `u` vanishes, `atan2(y, x)` where one of `y` does and `x` is negative.
    fn jumps(&self) -> impl Iterator<Item = Jump<'g>> {
        self.calls.iter().flat_map(|call| match call.node() {
            Node::Call(Function::Sign, of) => {
                let u = call.graph().ex(of[0]);
                let sets = self.zero_sets(u).into_iter();
                sets.flat_map(|zeros| self.sign_jumps((*call, u), &zeros))
                    .collect()
            }
            Node::Call(Function::Atan2, of) => {
                let (y, x) = (call.graph().ex(of[0]), call.graph().ex(of[1]));
                self.angle_jumps(*call, y, x)
            }
            _ => Vec::new(),
        })
    }

    /// A sign where these vanish; others and absolute values of what vanishes with them are 0 too.
    fn sign_jumps(&self, (call, u): (Ex<'g>, Ex<'g>), zeros: &[Ex<'g>]) -> Vec<Jump<'g>> {
        let at = all_zero(zeros);
        let words = format!("it holds where {u} is not 0; where {at} that sign is 0, and it fails");
        let turns = turning_points(zeros).into_iter();
        let jump = |turned: Values<'g>| {
            self.with_signs(Jump {
                zeros: zeros.to_vec(),
                by: [turned, vec![(call, u.graph().zero())]].concat(),
                behind: None,
                loose: false,
                words: words.clone(),
            })
        };
        turns.map(jump).collect()
    }

    /// Puts in 0 for the signs and absolute values of what vanishes there.
    fn with_signs(&self, mut jump: Jump<'g>) -> Jump<'g> {
        let there = jump.values_there();
        for call in &self.calls {
            let Node::Call(Function::Sign | Function::Abs, of) = call.node() else {
                continue;
            };
            let known = jump.by.iter().any(|(x, _)| x == call);
            let graph = call.graph();
            if !known && self.vanishes(graph.ex(of[0]), &jump.zeros, &there) {
                jump.by.push((*call, graph.zero()));
            }
        }
        jump
    }

    /// The angle of `(x, y)` where `y` vanishes and `x` is negative.
    fn angle_jumps(&self, call: Ex<'g>, y: Ex<'g>, x: Ex<'g>) -> Vec<Jump<'g>> {
        if self.positive.contains(&x) || self.range_at_values(x, None).is_nonnegative() {
            return Vec::new();
        }
        let sets = self.zero_sets(y).into_iter();
        let jumps = sets.flat_map(|zeros| {
            let turns = turning_points(&zeros).into_iter();
            turns.map(move |turned| (zeros.clone(), turned))
        });
        jumps
            .filter_map(|(zeros, turned)| self.angle_jump((call, x), zeros, turned))
            .collect()
    }

    /// The same where all of a set vanish, at such values of symbols.
    fn angle_jump(
        &self,
        (call, x): (Ex<'g>, Ex<'g>),
        zeros: Vec<Ex<'g>>,
        turned: Values<'g>,
    ) -> Option<Jump<'g>> {
        let graph = x.graph();
        let words = self.words_of_angle(call, x, &zeros);
        let mut jump = Jump {
            zeros,
            by: turned,
            behind: Some(x),
            loose: false,
            words,
        };
        let beside = x.substitute(&jump.values_there());
        let range = self.range_at_values(beside, None);
        if range.is_nonnegative() {
            return None;
        }
        let negative = match range.is_negative() {
            true => None,
            false => self.made_negative(beside),
        };
        jump.loose = negative.is_none() && !range.is_negative();
        jump.by.extend(negative);
        let there = jump.values_there();
        let angle = |other: &Ex<'g>| {
            let Node::Call(Function::Atan2, of) = other.node() else {
                return None;
            };
            let (y, other_x) = (graph.ex(of[0]), graph.ex(of[1]));
            if !self.vanishes(y, &jump.zeros, &there) {
                return None;
            }
            let positive = negative.map(|(s, _)| s);
            let range = self.range_at_values(other_x.substitute(&there), positive);
            match other_x == x || range.is_negative() {
                true => Some((*other, graph.pi())),
                false => range.is_positive().then(|| (*other, graph.zero())),
            }
        };
        let angles: Values<'g> = self.calls.iter().filter_map(angle).collect();
        jump.by.extend(angles);
        Some(self.with_signs(jump))
    }

    fn words_of_angle(&self, call: Ex<'g>, x: Ex<'g>, zeros: &[Ex<'g>]) -> String {
        let (zero, at) = (either(zeros), all_zero(zeros));
        match self.range_at_values(x, None).is_negative() {
            true => {
                format!("it holds where {zero} is not 0; where {at}, {call} is pi, and it fails")
            }
            false => format!(
                "it holds where {zero} is not 0; where {at} and {x} is negative, {call} is pi, and it fails"
            ),
        }
    }

    /// A symbol of the state with what makes `x` negative where it is put in for the symbol, which is positive then: `-sqrt(s)`
    /// for `x`, so that roots of `x^2` have their signs.
    fn made_negative(&self, x: Ex<'g>) -> Option<(Ex<'g>, Ex<'g>)> {
        self.moving().into_iter().find_map(|s| {
            let slope = x.diff(s).as_rational()?.recip()?;
            let rest = x.substitute(&[(s, x.graph().zero())]);
            Some((s, (-s.sqrt() - rest).scale(&slope)))
        })
    }
}

/// Half turns and quarter turns for `sin(s) = 0` and `cos(s) = 0`, two of each, and nothing where there are none: some of the
/// states there, which are enough to fail at.
fn turning_points<'g>(zeros: &[Ex<'g>]) -> Vec<Values<'g>> {
    let point = |zero: &Ex<'g>, turns: i64| {
        let graph = zero.graph();
        let Node::Call(f @ (Function::Sin | Function::Cos), of) = zero.node() else {
            return None;
        };
        let s = graph.ex(of[0]);
        s.symbol_name()?;
        let first = match f {
            Function::Sin => graph.zero(),
            _ => graph.pi() / 2,
        };
        Some((s, first + turns * graph.pi()))
    };
    let points = |turns| {
        zeros
            .iter()
            .filter_map(move |zero| point(zero, turns))
            .collect()
    };
    let mut all: Vec<Values<'g>> = [0, 1].map(points).into();
    all.dedup();
    all
}

/// `x = 0` for each.
fn all_zero(zeros: &[Ex<'_>]) -> String {
    let each: Vec<String> = zeros.iter().map(|zero| format!("{zero} = 0")).collect();
    each.join(" and ")
}

/// What vanishes at a jump, as one expression.
fn either(zeros: &[Ex<'_>]) -> String {
    let each: Vec<String> = zeros.iter().map(ToString::to_string).collect();
    each.join(" or ")
}

/// The factors of a product that make it 0, without their powers; of anything else itself.
fn factors(x: Ex<'_>) -> Vec<Ex<'_>> {
    let graph = x.graph();
    match x.node() {
        Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
            factors(graph.ex(terms[0].0))
        }
        Node::Product(parts) => {
            let zeros = parts.iter().filter(|(_, e)| !e.is_negative());
            zeros
                .flat_map(|(base, _)| factors(graph.ex(*base)))
                .collect()
        }
        Node::Power(base, _) => factors(graph.ex(base)),
        _ => vec![x],
    }
}

/// The same with the values of signs, absolute values and choices between two that are known by ranges, which random points do
/// not see: `sign(x^2 - x + 1)` is 1.
pub(super) fn with_known_signs<'g>(zeros: &Matrix<'g>) -> Matrix<'g> {
    let Some(graph) = zeros.entries().first().map(|x| x.graph()) else {
        return zeros.clone();
    };
    let known = |id: Id| {
        let u = switch(graph, id)?;
        let range = range(u, &|_| Range::all());
        let side = i64::from(range.is_positive()) - i64::from(range.is_negative());
        let is_above = range.is_nonnegative();
        let has_side = is_above || range.is_nonpositive();
        match graph.node(id) {
            Node::Call(Function::Sign, _) => (side != 0).then(|| graph.int(side)),
            Node::Call(Function::Abs, _) => has_side.then(|| if is_above { u } else { -u }),
            Node::Call(f @ (Function::Max | Function::Min), of) => {
                let first = is_above == (f == Function::Max);
                has_side.then(|| graph.ex(of[usize::from(!first)]))
            }
            _ => None,
        }
    };
    let roots: Vec<Id> = zeros.entries().iter().map(|x| x.id()).collect();
    let inside = graph.reachable(&roots).into_iter();
    let values: Values<'g> = inside
        .filter_map(|id| Some((graph.ex(id), known(id)?)))
        .collect();
    zeros.substitute(&values)
}

/// Both sides of each place where expressions change from one formula to another: `abs(u)` at `u = 0`, `max(a, b)` at
/// `a = b`.
pub(super) fn both_sides<'g>(zeros: &Matrix<'g>) -> Vec<Vec<Ex<'g>>> {
    let switches = switches_in(zeros).into_iter();
    switches.flat_map(|u| [vec![u], vec![-u]]).collect()
}

/// What changes its sign there.
pub(super) fn switches_in<'g>(zeros: &Matrix<'g>) -> Vec<Ex<'g>> {
    let Some(graph) = zeros.entries().first().map(|x| x.graph()) else {
        return Vec::new();
    };
    let roots: Vec<_> = zeros.entries().iter().map(|x| x.id()).collect();
    let inside = graph.reachable(&roots).into_iter();
    inside.filter_map(|id| switch(graph, id)).collect()
}
