//! Which formulas contradict the units of a model.
//!
//! Two systems of equations are solved. One takes every formula at its word: from it come the units that are shown. The
//! other has only what is sure: the units that are given, that places are lengths and arguments of a sine are numbers.
//! A contradiction is told where both sides are made of names with units: in `x^2/2` a stiffness of 1 may hide, which
//! is merely unstated, in `k*x^2/2` not.

use super::form::Solved;
use super::given::{Given, given};
use super::{Form, Unknown};
use crate::codes::Code;
use crate::diagnostic::{Diagnostic, Report};
use crate::dimension::{Dimension, Dimensions};
use crate::document::Table;
use crate::draft::Draft;
use crate::entries::entries;
use crate::formula::{Formula, Written};
use crate::function_names::labels;
use crate::names::Named;
use crate::settings;
use crate::world::World;
use appell_expr::{AstId, AstKind, Id, Operator, Rational, Span};
use std::collections::{BTreeMap, HashMap, HashSet};

/// How well the dimension of a part of a formula is known, from worse to better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// Something in it has no unit.
    Loose,
    /// A number whatever the units are, as a sine.
    Number,
    /// It follows from what is sure.
    Sure,
    /// A unit of the file stands in it, and all else is sure.
    Given,
}

/// The dimension of a part of a formula.
#[derive(Debug, Clone)]
enum Dim {
    /// A constant: as a term it may have any unit, as a factor too unless it looks like a number.
    Constant(f64),
    /// A dimension.
    Form(Form, Rank),
}

impl Dim {
    /// What is a number whatever the units are.
    fn number() -> Self {
        Self::Form(Form::default(), Rank::Number)
    }

    /// A power of it.
    fn raised(self, power: &Rational) -> Self {
        match self {
            Self::Form(form, rank) => Self::Form(Form::default().times(&form, power), rank),
            constant => constant,
        }
    }
}

/// Notes what contradicts the units of a model; the dimensions if nothing does. None where no unit is given.
pub(crate) fn check(
    draft: &Draft,
    table: &Table,
    world: &World,
    report: &mut Report,
) -> Option<Dimensions> {
    let Given {
        symbols,
        angles,
        time,
    } = given(draft, table, world, report);
    if symbols.values().all(Dimension::is_one) {
        return None;
    }
    let mut checker = Checker {
        world,
        given: symbols,
        time,
        sure: Solved::default(),
        shown: Solved::default(),
        is_shown: true,
        learns: false,
        judges: false,
        literal: None,
        forces: forces(table, world),
        is_placed: false,
        found: Vec::new(),
    };
    checker.begin(draft);
    checker.all(draft);
    // Now what is a length is known, be it the argument of a sine, where a wave number of 1 may hide.
    checker.literal = Some(std::mem::take(&mut checker.shown));
    checker.is_shown = true;
    checker.begin(draft);
    for judges in [false, true] {
        checker.judges = judges;
        checker.all(draft);
    }
    let sound = checker.found.is_empty() && checker.is_shown;
    let dimensions = checker.dimensions(angles);
    for diagnostic in std::mem::take(&mut checker.found) {
        report.push_once(diagnostic);
    }
    sound.then_some(dimensions)
}

/// The coordinates of the formulas of `[forces]`, by their places.
fn forces(table: &Table, world: &World) -> HashMap<usize, Id> {
    let forces = entries(table, "forces", &mut Report::default());
    let force = forces
        .iter()
        .filter_map(|entry| match world.names.get(&entry.key) {
            Some(Named::Coordinate(i)) => Some((entry.value.span.start, world.coordinates[i].q)),
            _ => None,
        });
    force.collect()
}

/// What is known so far.
struct Checker<'a, 'g> {
    world: &'a World<'g>,
    given: BTreeMap<Unknown, Dimension>,
    time: Dimension,
    /// What is sure.
    sure: Solved,
    /// What all formulas say together.
    shown: Solved,
    /// The same without the arguments of functions, once known.
    literal: Option<Solved>,
    /// Whether they agree.
    is_shown: bool,
    /// Whether what is read now is sure: a place, an angle, a mass.
    learns: bool,
    /// Whether it is told what contradicts: not before all that is sure is known.
    judges: bool,
    forces: HashMap<usize, Id>,
    /// Whether places have a unit that the file gives.
    is_placed: bool,
    found: Vec<Diagnostic>,
}

fn unknown(unknown: Unknown) -> Form {
    Form::unknown(unknown)
}

fn squared(x: &Form) -> Form {
    x.clone().by(x)
}

impl Checker<'_, '_> {
    /// All formulas of the file, those of names first.
    fn all(&mut self, draft: &Draft) {
        let definitions = draft.definitions.iter().enumerate();
        let definitions =
            definitions.map(|(i, definition)| (Named::Definition(i), &definition.formula));
        let parameters = draft.parameters.iter().enumerate();
        let parameters = parameters.map(|(i, parameter)| (Named::Parameter(i), &parameter.value));
        for (named, formula) in definitions.chain(parameters) {
            if let Some(Formula::Written(written)) = formula {
                let known = self.named(named);
                self.holds(written, |this, dim| this.is(dim, known.as_ref()));
            }
        }
        let mut seen = HashSet::new();
        let world = self.world;
        for (written, what) in world.heard.borrow().iter() {
            let place = written.text.span;
            if seen.insert((place.start, place.end)) {
                self.formula(written, what);
            }
        }
    }

    /// Lengths are metres unless the file has units with factors; bodies have the kinetic energy of theirs.
    fn begin(&mut self, draft: &Draft) {
        if self.given.values().all(Dimension::is_coherent) {
            let metre = Form::of(Dimension::metre());
            self.take(&unknown(Unknown::Length), &metre);
        }
        if draft.has_masses() {
            let work = unknown(Unknown::Mass).by(&squared(&unknown(Unknown::Length)));
            self.take(&unknown(Unknown::Energy), &self.accelerated(&work));
        }
    }

    /// Takes something for sure.
    fn take(&mut self, a: &Form, b: &Form) {
        self.sure.equate(a, b);
        self.is_shown &= self.shown.equate(a, b);
    }

    /// What a formula of this setting is to be.
    fn expected(&self, what: &str, span: Span) -> Option<Dim> {
        let (length, energy) = (unknown(Unknown::Length), unknown(Unknown::Energy));
        let is = |setting: &settings::Setting| setting.what == what;
        let coordinate = self.forces.get(&span.start).map(|q| self.symbol(*q));
        if let Some(Dim::Form(_, Rank::Loose)) = coordinate {
            return None;
        }
        let number = is(&settings::ANGLE) || is(&settings::QUATERNION);
        let place = is(&settings::POSITION) || is(&settings::OFFSET);
        let form = match coordinate {
            Some(Dim::Form(q, _)) => energy.over(&q),
            _ if is(&settings::FORCE) => energy.over(&length),
            _ if number => Form::default(),
            _ if place => length,
            _ if is(&settings::ENERGY) || is(&settings::TORQUE) => energy,
            _ if is(&settings::GRAVITY) => self.accelerated(&length),
            _ if is(&settings::MASS) => unknown(Unknown::Mass),
            _ if is(&settings::INERTIA) => unknown(Unknown::Mass).by(&squared(&length)),
            _ => return None,
        };
        Some(Dim::Form(form, Rank::Given))
    }

    /// One formula of the file: its parts, its sides, and what it is to be.
    fn formula(&mut self, written: &Written, what: &str) {
        let among =
            |settings: &[&settings::Setting]| settings.iter().any(|setting| setting.what == what);
        if among(&[
            &settings::TRAIL,
            &settings::ARROW,
            &settings::CURVE,
            &settings::PARAMETER,
        ]) {
            return;
        }
        self.learns = among(&[
            &settings::POSITION,
            &settings::OFFSET,
            &settings::ANGLE,
            &settings::MASS,
            &settings::INERTIA,
        ]);
        let expected = self.expected(what, written.text.span);
        self.holds(written, |this, dim| {
            let is_given = matches!(dim, Dim::Form(_, Rank::Given));
            this.is_placed |= is_given && what == settings::POSITION.what;
            let (found, expected) = this.differ(dim, &expected?)?;
            Some(format!("{what} is in {expected}, and this in {found}"))
        });
        self.learns = false;
    }

    /// Whether a formula has the dimension of a name; if not, in words.
    fn is(&mut self, dim: &Dim, declared: Option<&Dim>) -> Option<String> {
        // In `1/sqrt(t)` the 1 may stand for what has a unit.
        self.learns = matches!(dim, Dim::Form(_, Rank::Given));
        let differ = self.differ(dim, declared?);
        self.learns = false;
        let (found, expected) = differ?;
        Some(format!(
            "this name is in {expected}, and its value in {found}"
        ))
    }

    /// Works a sentence out, and asks whether its value is as it should be.
    fn holds(&mut self, written: &Written, judge: impl FnOnce(&mut Self, &Dim) -> Option<String>) {
        let sentence = &written.sentence;
        let before = self.found.len();
        let dims = self.parts(written);
        if self.found.len() > before {
            return;
        }
        let Some(left) = dims[sentence.lhs.index()].clone() else {
            return;
        };
        let Some(rhs) = sentence.rhs else {
            if let Some(message) = judge(self, &left) {
                self.tell(written, message, written.text.contents(), "", Vec::new());
            }
            return;
        };
        if let Some(right) = dims[rhs.index()].clone() {
            self.same(written, (sentence.lhs, &left), (rhs, &right), "compared");
        }
    }

    /// The dimensions of all nodes; none where a name is an argument such as the `P` of `pos(P)`.
    fn parts(&mut self, written: &Written) -> Vec<Option<Dim>> {
        let ast = &written.sentence.ast;
        let labels = labels(ast);
        let mut dims: Vec<Option<Dim>> = Vec::with_capacity(ast.nodes.len());
        for (index, label) in labels.into_iter().enumerate() {
            let dim = match label {
                true => None,
                false => self.node(written, index, &dims),
            };
            dims.push(dim);
        }
        dims
    }

    fn node(&mut self, written: &Written, index: usize, dims: &[Option<Dim>]) -> Option<Dim> {
        let node = &written.sentence.ast.nodes[index];
        let of = |id: &AstId| dims[id.index()].clone();
        // Constants of other formulas are others.
        let position = written.text.span.start + index;
        match &node.kind {
            AstKind::Number(number) => Some(Dim::Constant(number.to_f64())),
            AstKind::Name(name) => self.name(name),
            AstKind::Neg(a) => of(a),
            AstKind::Binary(operator, a, b) => {
                let (left, right) = (of(a)?, of(b)?);
                match operator {
                    Operator::Add | Operator::Sub => {
                        self.same(written, (*a, &left), (*b, &right), "added");
                        Some(sum(left, right, *operator))
                    }
                    Operator::Mul => Some(product(left, right, 1, position)),
                    Operator::Div => Some(product(left, right, -1, position)),
                    Operator::Pow => Some(self.power(written, (*a, left), (*b, right))),
                }
            }
            AstKind::Prime(a, count) => match of(a)? {
                Dim::Form(form, rank) => {
                    let count = Rational::from(-i64::from(*count));
                    Some(Dim::Form(form.times(&self.second(), &count), rank))
                }
                constant => Some(constant),
            },
            AstKind::Vector(parts) => self.alike(written, parts, dims),
            AstKind::Axis { .. } => Some(Dim::number()),
            AstKind::Call { name, args, .. } => self.call(written, name, args, dims),
        }
    }

    /// The unit of the time.
    fn second(&self) -> Form {
        Form::of(self.time.clone())
    }

    /// `x` by the square of the time.
    fn accelerated(&self, x: &Form) -> Form {
        x.clone().times(&self.second(), &Rational::from(-2))
    }

    /// A name on its own.
    fn name(&self, name: &str) -> Option<Dim> {
        match (name, self.world.names.get(name)) {
            ("pi", _) => Some(Dim::Constant(std::f64::consts::PI)),
            ("t", _) => Some(Dim::Form(self.second(), Rank::Sure)),
            ("T" | "V", _) | ("E" | "E_star" | "L_star" | "T_star", None) => {
                let energy = unknown(Unknown::Energy);
                let known = self.sure.reduced(&energy).is_known();
                let rank = if known { Rank::Given } else { Rank::Loose };
                Some(Dim::Form(energy, rank))
            }
            (_, Some(named)) => self.named(named),
            (_, None) => None,
        }
    }

    fn named(&self, named: Named) -> Option<Dim> {
        match named {
            Named::Coordinate(i) => Some(self.symbol(self.world.coordinates[i].q)),
            Named::Parameter(i) | Named::Input(i) => {
                Some(self.symbol(self.world.parameters[i].id()))
            }
            Named::Variable(i) => Some(self.symbol(self.world.variables[i].symbol)),
            Named::Definition(i) => Some(self.one(Unknown::Definition(i))),
            Named::Place(_) | Named::Frame(_) | Named::Body(_) => None,
        }
    }

    fn symbol(&self, id: Id) -> Dim {
        self.one(Unknown::Symbol(id))
    }

    fn one(&self, quantity: Unknown) -> Dim {
        match self.given.get(&quantity) {
            Some(known) => Dim::Form(Form::of(known.clone()), Rank::Given),
            None => self.ranked(unknown(quantity)),
        }
    }

    /// A dimension that is sure, or not.
    fn ranked(&self, form: Form) -> Dim {
        let rank = match self.sure.reduced(&form).is_known() {
            true => Rank::Sure,
            false => Rank::Loose,
        };
        Dim::Form(form, rank)
    }

    /// A dimension of points and bodies, which the units of their places give.
    fn placed(&self, form: Form) -> Dim {
        match self.ranked(form) {
            Dim::Form(form, Rank::Sure) if self.is_placed => Dim::Form(form, Rank::Given),
            other => other,
        }
    }

    fn power(&mut self, written: &Written, a: (AstId, Dim), b: (AstId, Dim)) -> Dim {
        let constant = match &b.1 {
            Dim::Constant(value) => exact(*value),
            Dim::Form(..) => None,
        };
        match (a.1, constant) {
            (Dim::Constant(x), Some(power)) => Dim::Constant(x.powf(power.to_f64())),
            (base, Some(power)) => base.raised(&power),
            (base, None) => {
                self.number(written, b.0, &b.1, "an exponent");
                self.number(written, a.0, &base, "what is raised to it");
                Dim::number()
            }
        }
    }

    /// Components, which have one dimension.
    fn alike(&mut self, written: &Written, parts: &[AstId], dims: &[Option<Dim>]) -> Option<Dim> {
        let known: Vec<(AstId, Dim)> = parts
            .iter()
            .filter_map(|id| Some((*id, dims[id.index()].clone()?)))
            .collect();
        let is_form = |part: &&(AstId, Dim)| matches!(part.1, Dim::Form(..));
        let mut forms = known.iter().filter(is_form);
        let Some(first) = forms.next() else {
            return Some(Dim::Constant(0.0));
        };
        let mut best = first.1.clone();
        for other in forms {
            self.same(
                written,
                (first.0, &first.1),
                (other.0, &other.1),
                "components",
            );
            best = sum(best, other.1.clone(), Operator::Add);
        }
        Some(best)
    }

    fn call(
        &mut self,
        written: &Written,
        name: &str,
        args: &[AstId],
        dims: &[Option<Dim>],
    ) -> Option<Dim> {
        let of = |i: usize| args.get(i).and_then(|id| dims[id.index()].clone());
        let (length, energy) = (unknown(Unknown::Length), unknown(Unknown::Energy));
        let second = Dim::Form(self.second(), Rank::Sure);
        let per_second = |x: Dim| product(x, second.clone(), -1, 0);
        let over = |a: Dim, b: Dim| product(a, b, -1, 0);
        let radians = Dim::Form(Form::default(), Rank::Given);
        let (length, energy) = (self.placed(length), self.placed(energy));
        Some(match name {
            "pos" => length,
            "v" => {
                if let (Some(arm), Some(id)) = (of(1), args.get(1)) {
                    let place = Dim::Form(unknown(Unknown::Length), Rank::Given);
                    self.same(written, (*id, &arm), (*id, &place), "an offset");
                }
                per_second(length)
            }
            "a" => per_second(per_second(length)),
            "omega" => per_second(radians),
            "alpha" => per_second(per_second(radians)),
            "vec" => self.alike(written, args.get(1..)?, dims)?,
            "dot" | "cross" => product(of(0)?, of(1)?, 1, 0),
            "norm" | "abs" => of(0)?,
            "min" | "max" => self.alike(written, args, dims)?,
            "sqrt" => match of(0)? {
                Dim::Constant(x) => Dim::Constant(x.sqrt()),
                form => form.raised(&Rational::new(1, 2)),
            },
            "atan2" => self.alike(written, args, dims).map(|_| Dim::number())?,
            // The logarithm of a length is a number up to a constant.
            "unit" | "sign" | "log" => Dim::number(),
            "D" | "B" => over(of(0)?, of(1)?),
            "M" => over(
                energy,
                per_second(per_second(product(of(0)?, of(1)?, 1, 0))),
            ),
            "alphabar" | "alpha_dep" => per_second(of(0)?),
            "reaction_up" => per_second(per_second(of(0)?)),
            "reaction" => over(energy, of(0)?),
            "power" => per_second(energy),
            "R" => over(energy, length),
            "torque_R" => energy,
            "multiplier" => self.multiplier(written, args)?,
            "Gz" => return None,
            _ => {
                let (first, dim) = (*args.first()?, of(0)?);
                self.number(written, first, &dim, &format!("the argument of `{name}`"));
                match dim {
                    Dim::Constant(_) => dim,
                    Dim::Form(..) => Dim::number(),
                }
            }
        })
    }

    fn multiplier(&self, written: &Written, args: &[AstId]) -> Option<Dim> {
        let AstKind::Name(name) = &written.sentence.ast.node(*args.first()?).kind else {
            return None;
        };
        let index = self
            .world
            .constraints
            .iter()
            .position(|c| c.name == *name)?;
        Some(self.ranked(unknown(Unknown::Multiplier(index))))
    }

    /// Takes two parts to have one dimension, and tells where they cannot.
    fn same(&mut self, written: &Written, a: (AstId, &Dim), b: (AstId, &Dim), how: &str) {
        let Some((first, second)) = self.differ(a.1, b.1) else {
            return;
        };
        let place = |id: AstId| written.place(written.sentence.ast.node(id).span);
        let message = match how {
            "added" => format!("a sum of {first} and {second}"),
            "compared" => format!("one side is in {first}, the other in {second}"),
            "an offset" => format!("an offset is in {second}, and this in {first}"),
            _ => format!("components in {first} and {second}"),
        };
        let other = match a.0 == b.0 {
            true => Vec::new(),
            false => vec![(place(a.0), format!("this is in {first}"))],
        };
        let label = match a.0 == b.0 {
            true => String::new(),
            false => format!("this is in {second}"),
        };
        self.tell(written, message, place(b.0), &label, other);
    }

    /// Takes a part to be a number, and tells where it cannot. That is sure whatever stands around it.
    fn number(&mut self, written: &Written, id: AstId, dim: &Dim, what: &str) {
        let (Dim::Form(form, rank), Some(literal)) = (dim, &self.literal) else {
            return;
        };
        let as_written = literal.reduced(form);
        if *rank != Rank::Given && as_written.is_known() && !as_written.known.is_number() {
            return;
        }
        let learns = std::mem::replace(&mut self.learns, true);
        let one = Dim::Form(Form::default(), Rank::Given);
        if let Some((found, _)) = self.differ(dim, &one) {
            let place = written.place(written.sentence.ast.node(id).span);
            let in_degrees = |form: &Form| self.sure.reduced(form).known.is_number();
            let message = match dim {
                Dim::Form(form, _) if in_degrees(form) => {
                    format!("{what} is in radians, and this in {found}")
                }
                _ => format!("{what} is a number, and this is in {found}"),
            };
            self.tell(written, message, place, "", Vec::new());
        }
        self.learns = learns;
    }

    /// Takes two dimensions to be one; both in words where they cannot be, and both are given.
    fn differ(&mut self, a: &Dim, b: &Dim) -> Option<(String, String)> {
        let (Dim::Form(a, rank_a), Dim::Form(b, rank_b)) = (a, b) else {
            return None;
        };
        self.is_shown &= self.shown.equate(a, b);
        if self.judges && *rank_a.min(rank_b) == Rank::Given {
            let agree = self.sure.equate(a, b);
            return (!agree).then(|| (self.text(a), self.text(b)));
        }
        if self.learns {
            self.sure.equate(a, b);
        }
        None
    }

    fn tell(
        &mut self,
        written: &Written,
        message: String,
        place: Span,
        label: &str,
        more: Vec<(Span, String)>,
    ) {
        let mut diagnostic = Diagnostic::new(Code::Dimension, message, place, label);
        for (span, text) in more {
            diagnostic = diagnostic.also(span, text);
        }
        let mut units = Vec::new();
        for mention in written.sentence.ast.names() {
            let dim = self
                .world
                .names
                .get(mention.name)
                .and_then(|named| self.named(named));
            let Some(Dim::Form(form, Rank::Sure | Rank::Given)) = dim else {
                continue;
            };
            if !self.sure.reduced(&form).known.is_one() {
                let said = format!("`{}` is in {}", mention.name, self.text(&form));
                if !units.contains(&said) {
                    units.push(said);
                }
            }
        }
        if !units.is_empty() {
            units.truncate(8);
            diagnostic = diagnostic.note(units.join(", "));
        }
        self.found.push(diagnostic);
    }

    /// `kg m/s²`, with the names of what is unknown in brackets.
    fn text(&self, form: &Form) -> String {
        let form = self.sure.reduced(form);
        let mut parts: Vec<String> = [form.known.written()].into();
        if parts[0].is_empty() && form.is_known() {
            return match form.known.is_one() {
                true => "1".to_owned(),
                false => form.known.in_si(),
            };
        }
        parts.retain(|part| !part.is_empty());
        for (unknown, power) in &form.unknown {
            let name = self.name_of(*unknown);
            parts.push(match power.is_one() {
                true => format!("[{name}]"),
                false => format!("[{name}]^{power}"),
            });
        }
        parts.join(" ")
    }

    fn name_of(&self, unknown: Unknown) -> String {
        match unknown {
            Unknown::Number(_) => "a number".to_owned(),
            Unknown::Definition(i) => {
                let named = |named: Named| named == Named::Definition(i);
                self.world
                    .names
                    .name_of(named)
                    .unwrap_or("a definition")
                    .to_owned()
            }
            Unknown::Multiplier(i) => format!("multiplier({})", self.world.constraints[i].name),
            Unknown::Symbol(id) => self.world.graph.ex(id).symbol_name().unwrap_or_default(),
            Unknown::Mass => "mass".to_owned(),
            Unknown::Length => "length".to_owned(),
            Unknown::Energy => "energy".to_owned(),
        }
    }

    /// What is known at the end.
    fn dimensions(&self, angles: HashSet<Id>) -> Dimensions {
        let known = |form: Form| {
            let form = self.shown.reduced(&form);
            form.is_known().then_some(form.known)
        };
        let mut symbols = HashMap::new();
        let rate = |form: &Form| form.clone().over(&self.second());
        let form = |dim: Dim| match dim {
            Dim::Form(form, _) => form,
            Dim::Constant(_) => Form::default(),
        };
        for coordinate in &self.world.coordinates {
            let q = form(self.symbol(coordinate.q));
            let v = rate(&q);
            let forms = [
                (coordinate.a, rate(&v)),
                (coordinate.v, v),
                (coordinate.q, q),
            ];
            symbols.extend(
                forms
                    .into_iter()
                    .filter_map(|(id, form)| Some((id, known(form)?))),
            );
        }
        let variables = self.world.variables.iter().map(|variable| variable.symbol);
        let parameters = self.world.parameters.iter().map(|parameter| parameter.id());
        for id in variables.chain(parameters) {
            symbols.extend(known(form(self.symbol(id))).map(|dimension| (id, dimension)));
        }
        Dimensions {
            symbols,
            energy: known(unknown(Unknown::Energy)),
            length: known(unknown(Unknown::Length)),
            time: self.time.clone(),
            angles,
        }
    }
}

/// The dimension of a sum: that of the term that is known best.
fn sum(a: Dim, b: Dim, operator: Operator) -> Dim {
    match (a, b) {
        (Dim::Constant(x), Dim::Constant(y)) if operator == Operator::Sub => Dim::Constant(x - y),
        (Dim::Constant(x), Dim::Constant(y)) => Dim::Constant(x + y),
        (Dim::Constant(_), form) | (form, Dim::Constant(_)) => form,
        (Dim::Form(a, first), Dim::Form(_, second)) if first >= second => Dim::Form(a, first),
        (_, second) => second,
    }
}

/// A product or a quotient. A constant that may have a unit has one of its own.
fn product(a: Dim, b: Dim, power: i64, index: usize) -> Dim {
    let (a, b) = match (a, b) {
        (Dim::Constant(x), Dim::Constant(y)) if power < 0 => return Dim::Constant(x / y),
        (Dim::Constant(x), Dim::Constant(y)) => return Dim::Constant(x * y),
        (a, b) => (factor(a, index), factor(b, index)),
    };
    let rank = match (a.1, b.1) {
        (Rank::Loose, _) | (_, Rank::Loose) => Rank::Loose,
        (first, second) => first.max(second),
    };
    Dim::Form(a.0.times(&b.0, &Rational::from(power)), rank)
}

fn factor(dim: Dim, index: usize) -> (Form, Rank) {
    match dim {
        Dim::Form(form, rank) => (form, rank),
        Dim::Constant(x) if is_pure(x) => (Form::default(), Rank::Number),
        Dim::Constant(_) => (unknown(Unknown::Number(index)), Rank::Loose),
    }
}

/// Whether a factor is surely a number, as 2, 1/2 or 2/5: 9.81 or 9/4 may stand for what has a unit, 60 or 180 for
/// a factor between units.
fn is_pure(value: f64) -> bool {
    let fraction = exact(value).or_else(|| exact(value / std::f64::consts::PI));
    let small = fraction.and_then(|x| x.to_i64s());
    small.is_some_and(|(n, d)| n.abs() <= 8 && (d <= 6 || d == 12))
}

/// The small fraction that a constant is.
fn exact(value: f64) -> Option<Rational> {
    (1..=12).find_map(|d| {
        let n = (value * d as f64).round();
        let is_it = (n / d as f64 - value).abs() < 1e-12 && n.abs() < 1e3;
        is_it.then(|| Rational::new(n as i64, d))
    })
}
