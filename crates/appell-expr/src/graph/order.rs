//! The order of terms and factors: by what an expression is, never by when it was made.
//!
//! A symbol has a weight, and a place among the symbols of its weight; the heaviest symbol of an
//! expression, and of these the first, leads it. Factors stand by their leading symbols, the
//! heaviest first, then symbols before functions before powers before sums. Terms stand as words
//! in a lexicon, their factors being the letters: higher powers first, longer products before
//! shorter ones. With accelerations heavier than velocities, these than coordinates, and
//! parameters light, that is `m*x'' + c*x' + k*x`, whatever was built before.
//!
//! Equal expressions have equal ids, so two expressions that differ are compared along a single
//! path: the first children that differ decide.

use crate::graph::{Graph, Id, Node};
use crate::num::Rational;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::cmp::Ordering;

/// The weight of symbols that are not declared, the unknowns of derivations; their rates, which are
/// written with primes, weigh more.
const UNDECLARED: u8 = 15;

/// What the order of expressions rests on, kept beside the nodes of a graph.
#[derive(Default)]
pub(crate) struct Order {
    /// Weight and place of what has been declared, by name.
    declared: FxHashMap<String, (u8, u32)>,
    /// By id.
    ranks: Vec<Rank>,
    /// The words of the names of symbols with their places, by the number of the symbol: derivations of large systems compare
    /// names millions of times.
    words: Vec<Box<[Word]>>,
}

/// A word of a name.
struct Word {
    place: u32,
    text: Box<str>,
}

/// The part of the order that most comparisons need no more than.
#[derive(Debug, Clone, Copy)]
struct Rank {
    /// As a factor: weight from heavy to light and place of the leading symbol, kind.
    factor: u64,
    /// That of its first factor.
    first: u64,
    /// The longest way down to a symbol or number.
    height: u32,
}

impl Rank {
    /// Weight and place of its leading symbol: the heaviest, and of these the first.
    fn lead(self) -> u32 {
        (self.factor >> 32) as u32
    }

    fn weight(self) -> u8 {
        u8::MAX - (self.factor >> 56) as u8
    }

    /// The place of its leading symbol alone.
    fn place(self) -> u32 {
        self.lead() & NO_PLACE
    }
}

/// Places in [`Rank::factor`] have 24 bits; this is that of what has no symbol.
const NO_PLACE: u32 = (1 << 24) - 1;
/// Names that are not declared stand after those that are: the first of their places.
const BY_NAME: u32 = 1 << 23;
/// After so many steps down, the taller of two expressions is the later one: what is built in a long
/// chain is not to be compared link by link.
const MAX_STEPS: usize = 64;

fn lead(weight: u8, place: u32) -> u32 {
    u32::from(u8::MAX - weight) << 24 | place.min(NO_PLACE)
}

/// Kinds of factors with the same leading symbol, in order.
fn kind(node: &Node) -> u32 {
    match node {
        Node::Symbol(_) => 0,
        Node::Call(function, _) => 1 + *function as u32,
        Node::Power(..) => 100,
        Node::Sum(..) => 101,
        Node::Product(_) => 102,
        Node::Pi => 103,
        Node::Number(_) => 104,
    }
}

impl Order {
    /// Gives a name a weight and the next place, if it has none.
    pub fn declare(&mut self, name: &str, weight: u8) {
        let place = u32::try_from(self.declared.len()).expect("fewer than 2^32 names");
        if !self.declared.contains_key(name) {
            self.declared.insert(name.to_owned(), (weight, place));
        }
    }

    /// Gives a word the next place.
    pub fn declare_word(&mut self, word: &str) {
        self.declare(word, UNDECLARED);
    }

    /// Enters the node that has just been made.
    pub fn enter(&mut self, node: &Node, symbols: &IndexSet<String, FxBuildHasher>) {
        if let Node::Symbol(index) = node {
            let words = symbols[*index as usize].split(separates_words);
            let word = |text: &str| Word {
                place: self.declared_at(text).1,
                text: text.into(),
            };
            let (index, words) = (*index as usize, words.map(word).collect());
            // Who is stopped may leave a name without its node, which comes later.
            let length = self.words.len().max(index + 1);
            self.words.resize_with(length, Default::default);
            self.words[index] = words;
        }
        let rank = self.rank_of(node, symbols);
        self.ranks.push(rank);
    }

    fn rank_of(&self, node: &Node, symbols: &IndexSet<String, FxBuildHasher>) -> Rank {
        let mut leading = match node {
            Node::Symbol(index) => {
                let (weight, place) = self.declared_at(&symbols[*index as usize]);
                lead(weight, place)
            }
            _ => lead(0, NO_PLACE),
        };
        let mut height = 0;
        node.for_each_child(|child| {
            let rank = self.ranks[child.index()];
            leading = leading.min(rank.lead());
            height = height.max(rank.height + 1);
        });
        let factor = u64::from(leading) << 32 | u64::from(kind(node));
        let first = match node {
            Node::Product(factors) => self.ranks[factors[0].0.index()].factor,
            _ => factor,
        };
        Rank {
            factor,
            first,
            height,
        }
    }

    fn declared_at(&self, name: &str) -> (u8, u32) {
        let found = self.declared.get(name).copied();
        found.unwrap_or_else(|| {
            let primes = name.bytes().rev().take_while(|c| *c == b'\'').take(3);
            (UNDECLARED + primes.count() as u8, self.place_by_name(name))
        })
    }

    /// For a name that is not declared, by its first letter and its first index: `eta[1]` leads a sum
    /// that comes before one with `eta[2]`, whatever the rest of them is.
    fn place_by_name(&self, name: &str) -> u32 {
        let letter = name
            .bytes()
            .next()
            .map_or(0, |c| c.to_ascii_lowercase() & 0x7f);
        let index = name.split(separates_words).nth(1).unwrap_or_default();
        let place = self.declared.get(index).map(|(_, place)| *place);
        let index = place.or(index.parse().ok()).unwrap_or(0).min(0xffff);
        BY_NAME | u32::from(letter) << 16 | index
    }

    /// Names of symbols that have one place: by the words between their brackets, declared ones first, with numbers in them
    /// as numbers.
    fn compare_words(&self, a: u32, b: u32) -> Ordering {
        let (left, right) = (&self.words[a as usize], &self.words[b as usize]);
        let pairs = left.iter().zip(right).filter(|(l, r)| l.text != r.text);
        let mut orders = pairs.map(|(l, r)| {
            let places = l.place.cmp(&r.place);
            places.then_with(|| compare_with_numbers(&l.text, &r.text))
        });
        let first = orders.find(|order| order.is_ne());
        first.unwrap_or_else(|| left.len().cmp(&right.len()))
    }
}

/// Whether a character stands between the words of a name, such as `lambda[roll]`.
fn separates_words(c: char) -> bool {
    !(c.is_alphanumeric() || c == '_' || c == '\'')
}

/// As texts, but runs of digits as the numbers they are: `z2` before `z10`.
fn compare_with_numbers(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let digits = |text: &[u8]| text.iter().take_while(|c| c.is_ascii_digit()).count();
        let (m, n) = (digits(a), digits(b));
        let order = if m > 0 && n > 0 {
            m.cmp(&n).then_with(|| a[..m].cmp(&b[..n]))
        } else {
            a.first().cmp(&b.first())
        };
        if order.is_ne() || a.is_empty() {
            return order;
        }
        (a, b) = (&a[m.max(1)..], &b[n.max(1)..]);
    }
}

/// How two expressions are to be compared.
#[derive(Debug, Clone, Copy)]
enum As {
    Term,
    Factor,
}

/// The outcome of one step of a comparison.
enum Next {
    Decided(Ordering),
    Compare(As, Id, Id),
}

impl Graph {
    /// The order of terms, the same whatever else is in the graph; equal are only equal ids.
    pub fn order(&self, a: Id, b: Id) -> Ordering {
        self.with_view(|view| view.compare(As::Term, a, b))
    }

    /// What its heaviest symbol weighs, see [`Graph::declare`].
    pub fn weight(&self, x: Id) -> u8 {
        self.ordering.borrow().ranks[x.index()].weight()
    }

    pub(crate) fn sort_terms(&self, terms: &mut [(Id, Rational)]) {
        self.sort_as(As::Term, terms);
    }

    pub(crate) fn sort_factors(&self, factors: &mut [(Id, Rational)]) {
        self.sort_as(As::Factor, factors);
    }

    /// A stable sort.
    fn sort_as(&self, what: As, parts: &mut [(Id, Rational)]) {
        if parts.len() > 1 {
            self.with_view(|view| parts.sort_by(|a, b| view.compare(what, a.0, b.0)));
        }
    }

    /// Symbols as they were declared, of whatever weight, then the others by name.
    pub(crate) fn sort_symbols(&self, symbols: &mut [Id]) {
        self.with_view(|view| {
            let place = |id: &Id| view.order.ranks[id.index()].place();
            symbols.sort_unstable_by(|a, b| {
                let places = place(a).cmp(&place(b));
                places.then_with(|| view.compare_names(*a, *b))
            });
        });
    }

    fn with_view<T>(&self, look: impl FnOnce(&View<'_>) -> T) -> T {
        let (order, nodes, names) = (self.ordering.borrow(), self.all_nodes(), self.all_symbols());
        look(&View {
            order: &order,
            nodes: &nodes,
            names: &names,
        })
    }
}

/// What a comparison looks at, borrowed once for many.
struct View<'a> {
    order: &'a Order,
    nodes: &'a IndexSet<Node, FxBuildHasher>,
    names: &'a IndexSet<String, FxBuildHasher>,
}

impl View<'_> {
    fn compare(&self, how: As, a: Id, b: Id) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let mut next = Next::Compare(how, a, b);
        let mut steps = 0;
        loop {
            match next {
                Next::Decided(order) => return order,
                Next::Compare(how, a, b) => {
                    let heights = [a, b].map(|id| self.order.ranks[id.index()].height);
                    next = match heights {
                        [x, y] if steps > MAX_STEPS && x != y => Next::Decided(x.cmp(&y)),
                        _ => self.step(how, a, b),
                    };
                    steps += 1;
                }
            }
        }
    }

    /// Compares two expressions that differ, as far as that takes no look into their children.
    fn step(&self, how: As, a: Id, b: Id) -> Next {
        let ranks = [a, b].map(|id| self.order.ranks[id.index()]);
        let [x, y] = match how {
            As::Term => ranks.map(|rank| rank.first),
            As::Factor => ranks.map(|rank| rank.factor),
        };
        if x != y {
            return Next::Decided(x.cmp(&y));
        }
        let (x, y) = (&self.nodes[a.index()], &self.nodes[b.index()]);
        match how {
            As::Term => compare_terms(a, x, b, y),
            As::Factor => self.compare_factors(x, y),
        }
    }

    /// Two symbols by their names.
    fn compare_names(&self, a: Id, b: Id) -> Ordering {
        match (&self.nodes[a.index()], &self.nodes[b.index()]) {
            (Node::Symbol(x), Node::Symbol(y)) => self.compare_symbols(*x, *y),
            _ => Ordering::Equal,
        }
    }

    /// The same of one place; what stands between the words decides at last.
    fn compare_symbols(&self, x: u32, y: u32) -> Ordering {
        let names = [x, y].map(|index| &self.names[index as usize]);
        let by_words = self.order.compare_words(x, y);
        by_words.then_with(|| names[0].cmp(names[1]))
    }

    /// Two factors of one kind and with one leading symbol.
    fn compare_factors(&self, a: &Node, b: &Node) -> Next {
        match (a, b) {
            (Node::Number(x), Node::Number(y)) => Next::Decided(x.cmp(y)),
            (Node::Symbol(x), Node::Symbol(y)) => Next::Decided(self.compare_symbols(*x, *y)),
            (Node::Call(_, x), Node::Call(_, y)) => first_difference(x, y),
            (Node::Power(x, e), Node::Power(y, f)) => first_difference(&[*x, *e], &[*y, *f]),
            (Node::Product(x), Node::Product(y)) => compare_products(x, y),
            (Node::Sum(c, x), Node::Sum(d, y)) => compare_sums(c, x, d, y),
            _ => Next::Decided(Ordering::Equal),
        }
    }
}

/// Arguments of functions, as many in both: the first that differ, as terms.
fn first_difference(a: &[Id], b: &[Id]) -> Next {
    let mut pairs = a.iter().zip(b).filter(|(a, b)| a != b);
    let found = pairs.next();
    found.map_or(Next::Decided(Ordering::Equal), |(a, b)| {
        Next::Compare(As::Term, *a, *b)
    })
}

type Parts = [(Id, Rational)];

/// Term by term; of equal terms the greater coefficient first, then what has more terms.
fn compare_sums(c: &Rational, x: &Parts, d: &Rational, y: &Parts) -> Next {
    for ((a, c), (b, d)) in x.iter().zip(y) {
        if a != b {
            return Next::Compare(As::Term, *a, *b);
        }
        if c != d {
            return Next::Decided(d.cmp(c));
        }
    }
    Next::Decided(y.len().cmp(&x.len()).then_with(|| d.cmp(c)))
}

/// Two terms: a term that is no product is one of a single factor.
fn compare_terms(a: Id, x: &Node, b: Id, y: &Node) -> Next {
    match (x, y) {
        (Node::Product(x), Node::Product(y)) => compare_products(x, y),
        (Node::Product(x), _) => compare_with_factor(x, b),
        (_, Node::Product(y)) => match compare_with_factor(y, a) {
            Next::Decided(order) => Next::Decided(order.reverse()),
            Next::Compare(how, b, a) => Next::Compare(how, a, b),
        },
        _ => Next::Compare(As::Factor, a, b),
    }
}

fn compare_with_factor(product: &Parts, factor: Id) -> Next {
    let (x, e) = &product[0];
    if *x != factor {
        return Next::Compare(As::Factor, *x, factor);
    }
    let longer_first = Ordering::Less;
    Next::Decided(Rational::one().cmp(e).then(longer_first))
}

/// Factor by factor; of one base the higher power first, then what has more factors.
fn compare_products(a: &Parts, b: &Parts) -> Next {
    for ((x, e), (y, f)) in a.iter().zip(b) {
        if x != y {
            return Next::Compare(As::Factor, *x, *y);
        }
        if e != f {
            return Next::Decided(f.cmp(e));
        }
    }
    Next::Decided(b.len().cmp(&a.len()))
}
