//! How one node is laid out: its signs, fractions and brackets, the children left open.

use super::{Piece, Printer, Style, latex_name};
use crate::function::Function;
use crate::graph::{Id, Node};
use crate::num::Rational;

/// How tightly the outermost operation of a printed text binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Power,
    Atom,
}

/// A factor, printed, and how tightly it binds.
#[derive(Debug, Clone)]
struct Part {
    pieces: Vec<Piece>,
    binding: Binding,
}

impl Part {
    fn atom(text: impl Into<Piece>) -> Self {
        Self {
            pieces: vec![text.into()],
            binding: Binding::Atom,
        }
    }
}

impl Printer<'_> {
    /// How tightly the text of this node binds.
    fn binding(&self, id: Id) -> Binding {
        if self.names.contains_key(&id) {
            return Binding::Atom;
        }
        self.graph.look(id, |node| match node {
            Node::Number(x) => number_binding(x),
            Node::Pi | Node::Symbol(_) | Node::Call(..) => Binding::Atom,
            Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
                if terms[0].1.is_negative() {
                    Binding::Sum
                } else {
                    Binding::Product
                }
            }
            Node::Sum(..) => Binding::Sum,
            Node::Product(factors) => match &**factors {
                [(x, e)] if !e.is_negative() => self.rational_power(*x, e).binding,
                _ => Binding::Product,
            },
            Node::Power(..) => Binding::Power,
        })
    }

    pub(super) fn layout(&self, id: Id) -> Vec<Piece> {
        self.graph.look(id, |node| match node {
            Node::Number(x) => vec![self.number(x).into()],
            Node::Pi => vec![
                if self.style == Style::Latex {
                    r"\pi"
                } else {
                    "pi"
                }
                .into(),
            ],
            Node::Symbol(index) => {
                let name = self.graph.symbol_name(*index);
                vec![
                    if self.style == Style::Latex {
                        latex_name(&name)
                    } else {
                        name
                    }
                    .into(),
                ]
            }
            Node::Sum(constant, terms) => self.sum(constant, terms),
            Node::Product(factors) => self.term(&Rational::one(), factors).pieces,
            Node::Power(base, exponent) => self.power(*base, Piece::Child(*exponent), false).pieces,
            Node::Call(function, arguments) => self.call(*function, arguments),
        })
    }

    fn number(&self, x: &Rational) -> String {
        if self.style == Style::Text || x.is_integer() {
            return x.to_string();
        }
        let sign = if x.is_negative() { "-" } else { "" };
        format!(
            r"{sign}\frac{{{}}}{{{}}}",
            x.abs().numerator(),
            x.denominator()
        )
    }

    /// Terms in order, a positive one first if there is any, the constant last.
    fn sum(&self, constant: &Rational, terms: &[(Id, Rational)]) -> Vec<Piece> {
        let mut parts: Vec<(bool, Vec<Piece>)> = Vec::new();
        for (x, c) in terms {
            let part = self.graph.look(*x, |node| match node {
                Node::Product(factors) if !self.names.contains_key(x) => {
                    self.term(&c.abs(), factors)
                }
                _ => self.term(&c.abs(), &[(*x, Rational::one())]),
            });
            // A sum as a whole among the terms keeps its brackets: it is one of them.
            let whole = part.binding == Binding::Sum;
            let part = if whole {
                self.bracket(part.pieces)
            } else {
                part.pieces
            };
            parts.push((c.is_negative(), part));
        }
        if !constant.is_zero() {
            parts.push((
                constant.is_negative(),
                vec![self.number(&constant.abs()).into()],
            ));
        }
        if let Some(first) = parts.iter().position(|(negative, _)| !negative) {
            parts[..=first].rotate_right(1);
        }
        if let [(true, part), ..] = parts.as_mut_slice() {
            // The sign belongs to the first factor when the text is read.
            if self.opens_with_sum(part) {
                *part = self.bracket(std::mem::take(part));
            }
        }
        let mut pieces = Vec::new();
        for (index, (negative, part)) in parts.into_iter().enumerate() {
            pieces.push(Piece::from(match (index, negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            }));
            pieces.extend(part);
        }
        pieces
    }

    /// Whether a text begins with a sum in brackets that is a factor by itself.
    fn opens_with_sum(&self, pieces: &[Piece]) -> bool {
        let [
            Piece::Text(open),
            Piece::Child(x),
            Piece::Text(_),
            Piece::Text(next),
            ..,
        ] = pieces
        else {
            return false;
        };
        let sum = open == "(" && self.binding(*x) == Binding::Sum;
        sum && self.exact && !next.starts_with('^')
    }

    /// `c Prod x_i ^ e_i` as a fraction, `c > 0`.
    fn term(&self, c: &Rational, factors: &[(Id, Rational)]) -> Part {
        let (mut above, mut below, mut apart) = (Vec::new(), Vec::new(), Vec::new());
        let mut factors: Vec<&(Id, Rational)> = factors.iter().collect();
        factors.sort_by_key(|(x, _)| self.rank(*x));
        for (x, e) in factors {
            if !e.is_negative() {
                above.push(self.rational_power(*x, e));
            } else if self.must_stay_above(*x, e) {
                above.push(self.power(*x, e.to_string().into(), false));
            } else if self.must_stand_apart(*x) {
                apart.push(self.rational_power(*x, &e.abs()));
            } else {
                below.push(self.rational_power(*x, &e.abs()));
            }
        }
        let number = |x: num_bigint::BigInt| (x != 1.into()).then(|| Part::atom(x.to_string()));
        let (n, d) = match c.is_one() {
            true => (None, None),
            false => (number(c.numerator()), number(c.denominator())),
        };
        self.fraction(n, above, d, below, apart)
    }

    /// Whether `x^e` in a denominator, as `x^-e`, would be read as something else: 0 joins
    /// other numbers, `(1/y)^2` becomes `1/y^2`.
    fn must_stay_above(&self, x: Id, e: &Rational) -> bool {
        self.graph.look(x, |node| match node {
            Node::Number(n) => n.is_zero(),
            Node::Product(_) => self.exact && *e != Rational::from(-1),
            _ => false,
        })
    }

    /// Whether a factor of a denominator would be read as several factors: a product.
    fn must_stand_apart(&self, x: Id) -> bool {
        self.exact && self.graph.look(x, |node| matches!(node, Node::Product(_)))
    }

    /// `n above / (d below) / apart`, such that no number stands directly at a sum: it would
    /// be multiplied in when the text is read.
    fn fraction(
        &self,
        n: Option<Part>,
        mut above: Vec<Part>,
        d: Option<Part>,
        mut below: Vec<Part>,
        apart: Vec<Part>,
    ) -> Part {
        let meets = |number: bool, side: &[Part]| {
            let sum = side
                .first()
                .is_some_and(|part| part.binding == Binding::Sum);
            number && sum && self.exact
        };
        let divisor = meets(d.is_some(), &below).then(|| self.product(std::mem::take(&mut below)));
        let halves = d.is_some() && (divisor.is_some() || !apart.is_empty());
        let number = n.is_some() || halves;
        let factor = meets(number, &above).then(|| self.product(std::mem::take(&mut above)));
        let mut whole = self.quotient(n.into_iter().chain(above), d.into_iter().chain(below));
        let divisors = divisor.into_iter().chain(apart).map(|part| ("/", part));
        for (sign, part) in divisors.chain(factor.map(|part| ("*", part))) {
            let bare = whole.binding > Binding::Sum;
            let left = if bare {
                whole.pieces
            } else {
                self.bracket(whole.pieces)
            };
            let pieces = [left, vec![sign.into()], self.joined(vec![part])].concat();
            whole = Part {
                pieces,
                binding: Binding::Product,
            };
        }
        whole
    }

    fn quotient(
        &self,
        above: impl Iterator<Item = Part>,
        below: impl Iterator<Item = Part>,
    ) -> Part {
        let (mut above, mut below): (Vec<_>, Vec<_>) = (above.collect(), below.collect());
        if below.is_empty() && !above.is_empty() {
            return self.product(above);
        }
        let numerator = match (self.style, above.len()) {
            (_, 0) => vec!["1".into()],
            (Style::Latex, 1) => above.remove(0).pieces,
            _ => self.joined(above),
        };
        let pieces = match (self.style, below.len()) {
            (_, 0) => numerator,
            (Style::Latex, 1) => latex_fraction(numerator, below.remove(0).pieces),
            (Style::Latex, _) => latex_fraction(numerator, self.joined(below)),
            (Style::Text, 1) => [numerator, vec!["/".into()], self.joined(below)].concat(),
            (Style::Text, _) => {
                let denominator = self.joined(below);
                [numerator, vec!["/".into()], self.bracket(denominator)].concat()
            }
        };
        Part {
            pieces,
            binding: Binding::Product,
        }
    }

    /// The place of a factor: leading symbols, other names, velocities, functions, brackets, and
    /// among these the lightest first; else as they stand.
    fn rank(&self, x: Id) -> (u8, usize, u8) {
        if let Some(place) = self.leading.get(&x) {
            return (0, *place, 0);
        }
        let kind = self.graph.look(x, |node| match node {
            _ if self.is_named_rate(x) => 2,
            _ if self.names.contains_key(&x) => 1,
            Node::Number(_) | Node::Pi => 0,
            Node::Symbol(index) => {
                if self.graph.symbol_name(*index).ends_with('\'') {
                    2
                } else {
                    1
                }
            }
            Node::Call(..) => 3,
            Node::Sum(..) | Node::Product(_) | Node::Power(..) => 4,
        });
        (kind, self.leading.len(), self.graph.weight(x))
    }

    /// Whether it is printed by a name with a prime or a dot.
    fn is_named_rate(&self, x: Id) -> bool {
        let name = self.names.get(&x);
        name.is_some_and(|name| name.ends_with('\'') || name.contains(r"\dot{"))
    }

    fn product(&self, mut factors: Vec<Part>) -> Part {
        match factors.len() {
            1 => factors.remove(0),
            _ => Part {
                pieces: self.joined(factors),
                binding: Binding::Product,
            },
        }
    }

    fn joined(&self, factors: Vec<Part>) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (index, part) in factors.into_iter().enumerate() {
            if index > 0 {
                let sign = match self.style {
                    Style::Latex if self.begins_with_digit(&part) => r" \cdot ",
                    Style::Latex => r"\, ",
                    _ => "*",
                };
                pieces.push(sign.into());
            }
            if part.binding >= Binding::Power {
                pieces.extend(part.pieces);
            } else {
                pieces.extend(self.bracket(part.pieces));
            }
        }
        pieces
    }

    /// Whether a factor would run into a number before it.
    fn begins_with_digit(&self, part: &Part) -> bool {
        let is_number = |id: Id| self.graph.look(id, |node| matches!(node, Node::Number(_)));
        match part.pieces.first() {
            _ if part.binding < Binding::Power => false,
            Some(Piece::Text(text)) => text.starts_with(|c: char| c.is_ascii_digit()),
            Some(Piece::Child(id)) if self.names.contains_key(id) => false,
            Some(Piece::Child(id)) => self.graph.look(*id, |node| match node {
                Node::Power(base, _) => is_number(*base),
                Node::Product(factors) => matches!(&**factors, [(x, _)] if is_number(*x)),
                _ => false,
            }),
            None => false,
        }
    }

    fn bracket(&self, inner: Vec<Piece>) -> Vec<Piece> {
        let (open, close) = match self.style {
            Style::Text => ("(", ")"),
            Style::Latex => (r"\left(", r"\right)"),
        };
        [vec![open.into()], inner, vec![close.into()]].concat()
    }

    fn rational_power(&self, base: Id, e: &Rational) -> Part {
        if e.is_one() {
            return Part {
                pieces: vec![Piece::Child(base)],
                binding: self.binding(base),
            };
        }
        if *e == Rational::new(1, 2) {
            let (open, close) = match self.style {
                Style::Text => ("sqrt(", ")"),
                Style::Latex => (r"\sqrt{", "}"),
            };
            let pieces = vec![open.into(), Piece::Child(base), close.into()];
            return Part {
                pieces,
                binding: Binding::Atom,
            };
        }
        self.power(
            base,
            e.to_string().into(),
            e.is_integer() && !e.is_negative(),
        )
    }

    /// `base ^ exponent`; `plain` says that the exponent is a natural number.
    fn power(&self, base: Id, exponent: Piece, plain: bool) -> Part {
        let pieces = match self.style {
            Style::Text => {
                let (open, close) = if plain { ("^", "") } else { ("^(", ")") };
                [
                    self.powered(base),
                    vec![open.into(), exponent, close.into()],
                ]
                .concat()
            }
            Style::Latex => {
                let raised = vec!["^{".into(), exponent, "}".into()];
                match self.graph.node(base) {
                    Node::Call(f, arguments) if plain && !self.names.contains_key(&base) => {
                        [vec![f.latex().into()], raised, self.arguments(&arguments)].concat()
                    }
                    _ => [self.powered(base), raised].concat(),
                }
            }
        };
        Part {
            pieces,
            binding: Binding::Power,
        }
    }

    /// What an exponent is put on.
    fn powered(&self, base: Id) -> Vec<Piece> {
        let alone = vec![Piece::Child(base)];
        if self.binding(base) < Binding::Atom {
            return self.bracket(alone);
        }
        match (self.style, self.graph.node(base)) {
            (Style::Text, _) | (_, Node::Number(_)) => alone,
            (Style::Latex, Node::Call(..)) if !self.names.contains_key(&base) => {
                self.bracket(alone)
            }
            _ => [vec!["{".into()], alone, vec!["}".into()]].concat(),
        }
    }

    fn call(&self, function: Function, arguments: &[Id]) -> Vec<Piece> {
        let name = if self.style == Style::Latex {
            function.latex()
        } else {
            function.name()
        };
        [vec![name.into()], self.arguments(arguments)].concat()
    }

    /// The arguments in brackets; a single symbol in LaTeX without.
    fn arguments(&self, arguments: &[Id]) -> Vec<Piece> {
        if let (Style::Latex, [x]) = (self.style, arguments)
            && self.graph.look(*x, |node| matches!(node, Node::Symbol(_)))
        {
            return vec![" ".into(), Piece::Child(*x)];
        }
        let mut list = Vec::new();
        for (index, x) in arguments.iter().enumerate() {
            list.push(if index == 0 { "" } else { ", " }.into());
            list.push(Piece::Child(*x));
        }
        self.bracket(list)
    }
}

fn latex_fraction(above: Vec<Piece>, below: Vec<Piece>) -> Vec<Piece> {
    [
        vec![r"\frac{".into()],
        above,
        vec!["}{".into()],
        below,
        vec!["}".into()],
    ]
    .concat()
}

fn number_binding(x: &Rational) -> Binding {
    match (x.is_negative(), x.is_integer()) {
        (true, _) => Binding::Sum,
        (false, false) => Binding::Product,
        (false, true) => Binding::Atom,
    }
}
