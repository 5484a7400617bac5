//! Intermediate results with names, and vectors of three components.

use appell_expr::{Ex, Graph, Id, Node, Sketch};
use std::collections::HashMap;

/// A vector, in components.
pub(super) type Vec3<'g> = [Ex<'g>; 3];

/// A sketch whose intermediate results are named, so that each is computed once: sums and products that go on
/// would otherwise be merged into longer ones.
pub(super) struct Sheet<'g> {
    pub graph: &'g Graph,
    pub sketch: Sketch<'g>,
    /// Whether intermediate results get names: without, the algebra sees through them.
    names: bool,
    named: HashMap<Id, Ex<'g>>,
}

impl<'g> Sheet<'g> {
    pub fn new(graph: &'g Graph, names: bool) -> Self {
        Self {
            graph,
            names,
            sketch: Sketch::new(graph),
            named: HashMap::new(),
        }
    }

    /// A name for the expression; numbers and symbols need none.
    pub fn keep(&mut self, x: Ex<'g>) -> Ex<'g> {
        if !self.names || is_short(x) || is_short(-x) {
            return x;
        }
        if let Some(symbol) = self.named.get(&x.id()) {
            return *symbol;
        }
        if let Some(symbol) = self.named.get(&(-x).id()) {
            return -*symbol;
        }
        let name = format!("reduced[{}]", self.named.len() + 1);
        let symbol = self.graph.symbol(&name);
        self.sketch.bind(symbol, x);
        self.named.insert(x.id(), symbol);
        symbol
    }

    /// The same for each component.
    pub fn keep_all(&mut self, x: Vec3<'g>) -> Vec3<'g> {
        x.map(|x| self.keep(x))
    }

    /// `a x b`
    pub fn cross(&mut self, a: Vec3<'g>, b: Vec3<'g>) -> Vec3<'g> {
        let c = std::array::from_fn(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            a[j] * b[k] - a[k] * b[j]
        });
        self.keep_all(c)
    }

    /// `Sum_j x_j axes_j`
    pub fn combine(&mut self, x: Vec3<'g>, axes: &[Vec3<'g>; 3]) -> Vec3<'g> {
        let c = std::array::from_fn(|i| dot(x, [axes[0][i], axes[1][i], axes[2][i]]));
        self.keep_all(c)
    }

    /// `(x . axes_j)_j`
    pub fn along(&mut self, x: Vec3<'g>, axes: &[Vec3<'g>; 3]) -> Vec3<'g> {
        let c = axes.map(|axis| dot(x, axis));
        self.keep_all(c)
    }

    /// The sum of vectors.
    pub fn sum(&mut self, terms: &[Vec3<'g>]) -> Vec3<'g> {
        let c = std::array::from_fn(|i| {
            let terms: Vec<Ex<'g>> = terms.iter().map(|x| x[i]).collect();
            self.graph.sum(&terms)
        });
        self.keep_all(c)
    }

    pub fn null(&self) -> Vec3<'g> {
        [self.graph.zero(); 3]
    }
}

/// Numbers, symbols, functions with a factor or without, and multiples of anything: a name would hide from the algebra
/// that `r sin^2 + r cos^2` is `r`.
fn is_short(x: Ex<'_>) -> bool {
    let graph = x.graph();
    let is_call = |id: Id| matches!(graph.ex(id).node(), Node::Call(..));
    let is_atom = |id: Id| is_call(id) || matches!(graph.ex(id).node(), Node::Symbol(_));
    match x.node() {
        Node::Symbol(_) | Node::Call(..) => true,
        Node::Product(factors) => {
            let atoms = factors.iter().all(|(id, e)| e.is_one() && is_atom(*id));
            atoms && factors.len() <= 2 && factors.iter().any(|(id, _)| is_call(*id))
        }
        Node::Sum(constant, terms) => constant.is_zero() && terms.len() == 1,
        _ => x.as_rational().is_some(),
    }
}

pub(super) fn dot<'g>(a: Vec3<'g>, b: Vec3<'g>) -> Ex<'g> {
    let terms: [Ex<'g>; 3] = std::array::from_fn(|i| a[i] * b[i]);
    terms[0].graph().sum(&terms)
}

pub(super) fn is_null(x: &Vec3<'_>) -> bool {
    x.iter().all(|x| x.is_zero())
}

/// `Sum_j x_j axes_j`, without a name.
pub(super) fn combined<'g>(x: Vec3<'g>, axes: &[Vec3<'g>; 3]) -> Vec3<'g> {
    std::array::from_fn(|i| dot(x, [axes[0][i], axes[1][i], axes[2][i]]))
}
