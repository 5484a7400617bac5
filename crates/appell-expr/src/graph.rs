//! The hash-consed arena: every expression once, children before parents.

mod occurring;
mod order;

use crate::function::Function;
use crate::limits::look;
use crate::num::Rational;
use indexmap::IndexSet;
use occurring::Occurring;
use order::Order;
use rustc_hash::{FxBuildHasher, FxHashMap};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::fmt;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// The number of an expression in its [`Graph`]; what is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(pub(crate) u32);

impl Id {
    /// Its position in the arena.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One expression in canonical form; its children have smaller ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Node {
    /// An exact number.
    Number(Rational),
    /// The number pi.
    Pi,
    /// A name, by its index in the graph.
    Symbol(u32),
    /// `constant + Sum c_i x_i`, the `c_i` not zero, the `x_i` distinct and in the order of
    /// [`Graph::order`].
    Sum(Rational, Box<[(Id, Rational)]>),
    /// `Prod x_i ^ e_i`, the `e_i` not zero, in order; no numeric coefficient.
    Product(Box<[(Id, Rational)]>),
    /// `base ^ exponent` with an exponent that is not a number.
    Power(Id, Id),
    /// A function of its arguments.
    Call(Function, Box<[Id]>),
}

impl Node {
    /// Calls `visit` on each child.
    pub fn for_each_child(&self, mut visit: impl FnMut(Id)) {
        match self {
            Self::Number(_) | Self::Pi | Self::Symbol(_) => {}
            Self::Sum(_, parts) | Self::Product(parts) => parts.iter().for_each(|p| visit(p.0)),
            Self::Power(base, exponent) => {
                visit(*base);
                visit(*exponent);
            }
            Self::Call(_, arguments) => arguments.iter().for_each(|a| visit(*a)),
        }
    }
}

/// An append-only arena of expressions, one per derivation.
///
/// Equal expressions (after the rewrites of [`crate::REWRITES`]) have equal ids.
#[derive(Default)]
pub struct Graph {
    nodes: RefCell<IndexSet<Node, FxBuildHasher>>,
    pub(crate) ordering: RefCell<Order>,
    occurring: RefCell<Occurring>,
    symbols: RefCell<IndexSet<String, FxBuildHasher>>,
    pub(crate) derivatives: RefCell<FxHashMap<(Id, Id), Id>>,
    marks: RefCell<Marks>,
    stores: RefCell<FxHashMap<TypeId, Box<dyn Any + Send>>>,
}

/// Which expressions a traversal has met; it begins anew by a new number. Its lists are kept for the next one.
#[derive(Default)]
struct Marks {
    traversal: u32,
    /// By id, the number of the last traversal that met it.
    met: Vec<u32>,
    /// What is to be looked at, with whether its children have been found.
    pending: Vec<(Id, bool)>,
    found: Vec<Id>,
}

impl Marks {
    fn begin(&mut self, len: usize) {
        self.traversal = self.traversal.checked_add(1).unwrap_or_else(|| {
            self.met.clear();
            1
        });
        self.met.resize(self.met.len().max(len), 0);
    }

    fn contains(&self, id: Id) -> bool {
        self.met[id.index()] == self.traversal
    }

    /// Whether it had not been met.
    fn insert(&mut self, id: Id) -> bool {
        std::mem::replace(&mut self.met[id.index()], self.traversal) != self.traversal
    }
}

impl Graph {
    /// An empty graph.
    pub fn new() -> Self {
        Self::default()
    }

    /// Looks at what is kept beside the expressions of this graph, one value for each type: what is costly
    /// to find again.
    pub(crate) fn kept<T: Any + Send + Default, R>(&self, look: impl FnOnce(&mut T) -> R) -> R {
        let mut stores = self.stores.borrow_mut();
        let store = stores
            .entry(TypeId::of::<T>())
            .or_insert_with(|| Box::<T>::default());
        look(store.downcast_mut().expect("kept by its type"))
    }

    /// The symbol of this name; the same name is the same symbol.
    pub fn symbol(&self, name: &str) -> Ex<'_> {
        let (index, _) = self.symbols.borrow_mut().insert_full(name.to_owned());
        let index = u32::try_from(index).expect("fewer than 2^32 symbols");
        self.intern(Node::Symbol(index))
    }

    /// The symbol of this name with its place in the order of terms, see [`Graph::order`]: to be
    /// called before anything else speaks of the symbol.
    pub fn declare(&self, name: &str, weight: u8) -> Ex<'_> {
        self.ordering.borrow_mut().declare(name, weight);
        self.symbol(name)
    }

    /// Gives a word that occurs within names of symbols, such as `lambda[word]`, its place in
    /// the order of these names.
    pub fn declare_word(&self, word: &str) {
        self.ordering.borrow_mut().declare_word(word);
    }

    /// An exact number.
    pub fn number(&self, value: Rational) -> Ex<'_> {
        self.intern(Node::Number(value))
    }

    /// An integer.
    pub fn int(&self, value: i64) -> Ex<'_> {
        self.number(Rational::from(value))
    }

    /// 0.
    pub fn zero(&self) -> Ex<'_> {
        self.int(0)
    }

    /// 1.
    pub fn one(&self) -> Ex<'_> {
        self.int(1)
    }

    /// The number pi.
    pub fn pi(&self) -> Ex<'_> {
        self.intern(Node::Pi)
    }

    /// The handle of a stored id.
    pub fn ex(&self, id: Id) -> Ex<'_> {
        Ex { graph: self, id }
    }

    /// The handles of stored ids.
    pub fn exs<'g>(&'g self, ids: &[Id]) -> Vec<Ex<'g>> {
        ids.iter().map(|id| self.ex(*id)).collect()
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.borrow().len()
    }

    /// Whether nothing was built yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A copy of the node of this id.
    pub fn node(&self, id: Id) -> Node {
        self.nodes.borrow()[id.index()].clone()
    }

    /// What a function makes of the node of this id, which is not copied.
    pub fn look<T>(&self, id: Id, read: impl FnOnce(&Node) -> T) -> T {
        read(&self.nodes.borrow()[id.index()])
    }

    /// The name of the symbol of this index.
    pub fn symbol_name(&self, index: u32) -> String {
        self.symbols.borrow()[index as usize].clone()
    }

    /// What is made of ids of another graph would be a formula at random.
    ///
    /// # Panics
    /// If one of the expressions lives in another graph.
    pub(crate) fn assert_own(&self, xs: &[Ex<'_>]) {
        let same = xs.iter().all(|x| x.lives_in(self));
        assert!(same, "an expression of another graph");
    }

    pub(crate) fn all_symbols(&self) -> std::cell::Ref<'_, IndexSet<String, FxBuildHasher>> {
        self.symbols.borrow()
    }

    /// The free symbols in several expressions, as they were declared, then the others by name.
    pub fn symbols_of<'g>(&'g self, xs: &[Ex<'g>]) -> Vec<Ex<'g>> {
        let mut ids = self.symbols_in(xs);
        self.sort_symbols(&mut ids);
        self.exs(&ids)
    }

    pub(crate) fn all_nodes(&self) -> std::cell::Ref<'_, IndexSet<Node, FxBuildHasher>> {
        self.nodes.borrow()
    }

    /// Everything that `roots` are made of, themselves included, children before parents.
    ///
    /// The order is that of the roots and of the children in their parents: it does not depend
    /// on what else is in the graph.
    pub fn reachable(&self, roots: &[Id]) -> Vec<Id> {
        self.reachable_unless(roots, |_| false)
    }

    /// As [`Graph::reachable`], not entering ids for which `known` holds.
    pub fn reachable_unless(&self, roots: &[Id], known: impl Fn(Id) -> bool) -> Vec<Id> {
        if roots.iter().all(|id| known(*id)) {
            return Vec::new();
        }
        look();
        let nodes = self.nodes.borrow();
        let mut marks = self.marks.take();
        marks.begin(nodes.len());
        let mut pending = std::mem::take(&mut marks.pending);
        pending.extend(roots.iter().rev().map(|id| (*id, false)));
        while let Some((id, complete)) = pending.pop() {
            if complete {
                marks.found.push(id);
            } else if marks.insert(id) && !known(id) {
                pending.push((id, true));
                let first = pending.len();
                nodes[id.index()].for_each_child(|child| {
                    if !marks.contains(child) {
                        pending.push((child, false));
                    }
                });
                pending[first..].reverse();
            }
        }
        let found = marks.found.clone();
        marks.found.clear();
        marks.pending = pending;
        self.marks.replace(marks);
        found
    }

    pub(crate) fn intern(&self, node: Node) -> Ex<'_> {
        look();
        let (index, new) = self.nodes.borrow_mut().insert_full(node);
        let id = Id(u32::try_from(index).expect("fewer than 2^32 expressions"));
        if new {
            let (nodes, symbols) = (self.nodes.borrow(), self.symbols.borrow());
            self.ordering.borrow_mut().enter(&nodes[index], &symbols);
            self.occurring.borrow_mut().enter(&nodes[index]);
        }
        Ex { graph: self, id }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} nodes)", self.len())
    }
}

/// An expression at hand: a `Copy` handle with operators, so that formulas read as printed.
#[derive(Clone, Copy)]
pub struct Ex<'g> {
    graph: &'g Graph,
    id: Id,
}

impl<'g> Ex<'g> {
    /// What to store.
    pub fn id(self) -> Id {
        self.id
    }

    /// The graph it lives in.
    pub fn graph(self) -> &'g Graph {
        self.graph
    }

    /// Whether it lives in this graph: an id means nothing in another one.
    pub fn lives_in(self, graph: &Graph) -> bool {
        std::ptr::eq(self.graph, graph)
    }

    /// A copy of its node.
    pub fn node(self) -> Node {
        self.graph.node(self.id)
    }

    /// What a function makes of its node, which is not copied.
    pub fn look<T>(self, read: impl FnOnce(&Node) -> T) -> T {
        self.graph.look(self.id, read)
    }

    /// Whether it is the number 0 as it stands.
    pub fn is_zero(self) -> bool {
        self.look(|node| matches!(node, Node::Number(n) if n.is_zero()))
    }

    /// Whether it is the number 1 as it stands.
    pub fn is_one(self) -> bool {
        self.look(|node| matches!(node, Node::Number(n) if n.is_one()))
    }

    /// Its value, if it is a number as it stands.
    pub fn as_rational(self) -> Option<Rational> {
        self.look(|node| match node {
            Node::Number(n) => Some(n.clone()),
            _ => None,
        })
    }

    /// Its name, if it is a symbol.
    pub fn symbol_name(self) -> Option<String> {
        self.look(|node| match node {
            Node::Symbol(index) => Some(self.graph.symbol_name(*index)),
            _ => None,
        })
    }

    /// The free symbols in it, as they were declared, then the others by name.
    pub fn symbols(self) -> Vec<Self> {
        self.graph.symbols_of(&[self])
    }

    /// Whether `symbol` occurs in it.
    pub fn depends_on(self, symbol: Self) -> bool {
        self.graph.holds(self.id, symbol.id)
    }

    /// Whether some of these symbols occur in it.
    pub fn depends_on_any(self, symbols: &[Self]) -> bool {
        symbols.iter().any(|symbol| self.depends_on(*symbol))
    }

    /// `self ^ exponent`.
    pub fn pow(self, exponent: i64) -> Self {
        self.pow_rational(&Rational::from(exponent))
    }

    /// The square root, as the power 1/2.
    pub fn sqrt(self) -> Self {
        self.pow_rational(&Rational::new(1, 2))
    }

    /// `1 / self`.
    pub fn recip(self) -> Self {
        self.pow(-1)
    }

    /// A function of one argument.
    pub fn call(self, function: Function) -> Self {
        self.graph.call(function, &[self])
    }

    /// The sine.
    pub fn sin(self) -> Self {
        self.call(Function::Sin)
    }

    /// The cosine.
    pub fn cos(self) -> Self {
        self.call(Function::Cos)
    }
}

impl PartialEq for Ex<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Ex<'_> {}

impl fmt::Debug for Ex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl<'g> Add for Ex<'g> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.graph.sum(&[self, other])
    }
}

impl<'g> Sub for Ex<'g> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl<'g> Neg for Ex<'g> {
    type Output = Self;
    fn neg(self) -> Self {
        self.scale(&Rational::from(-1))
    }
}

impl<'g> Mul for Ex<'g> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        self.graph.product(&[self, other])
    }
}

impl<'g> Div for Ex<'g> {
    type Output = Self;
    #[allow(
        clippy::suspicious_arithmetic_impl,
        reason = "a quotient is a product of powers"
    )]
    fn div(self, other: Self) -> Self {
        self * other.recip()
    }
}

impl<'g> Mul<Ex<'g>> for i64 {
    type Output = Ex<'g>;
    fn mul(self, other: Ex<'g>) -> Ex<'g> {
        other.scale(&Rational::from(self))
    }
}

impl<'g> Add<i64> for Ex<'g> {
    type Output = Self;
    fn add(self, other: i64) -> Self {
        self + self.graph.int(other)
    }
}

impl<'g> Sub<i64> for Ex<'g> {
    type Output = Self;
    fn sub(self, other: i64) -> Self {
        self + -other
    }
}

impl<'g> Div<i64> for Ex<'g> {
    type Output = Self;
    fn div(self, other: i64) -> Self {
        self / self.graph.int(other)
    }
}
