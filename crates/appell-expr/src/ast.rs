//! The shape of a formula as written: names are not resolved, nothing is computed.
//!
//! A formula is a flat list of nodes in which children stand before their parents. Whoever gives
//! it meaning does so in one loop over the list, without recursion, and dropping it is flat too.

use crate::num::Rational;
use crate::span::Span;

/// The place of a node in its [`Ast`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AstId(pub(crate) u32);

impl AstId {
    /// Its index in [`Ast::nodes`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The operations between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `a + b`
    Add,
    /// `a - b`
    Sub,
    /// `a * b`
    Mul,
    /// `a / b`
    Div,
    /// `a ^ b`
    Pow,
}

/// The axes of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Axis {
    /// `F.x`
    X,
    /// `F.y`
    Y,
    /// `F.z`
    Z,
}

impl Axis {
    /// The component it belongs to: 0, 1 or 2.
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How the two sides of a sentence are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `=`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
}

impl Relation {
    /// The two sides of a condition as text, and the sign between them; `None` where there is none.
    pub fn split(text: &str) -> Option<(&str, &str, Relation)> {
        // Longer signs first: `>=` has two of the others in it.
        let signs = [
            (">=", Relation::GreaterEqual),
            ("<=", Relation::LessEqual),
            (">", Relation::Greater),
            ("<", Relation::Less),
            ("=", Relation::Equal),
        ];
        signs.into_iter().find_map(|(sign, relation)| {
            let (left, right) = text.split_once(sign)?;
            Some((left, right, relation))
        })
    }
}

/// What a node is. The ids point to nodes further left in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AstKind {
    /// A literal, exact: `0.1` is 1/10. It is finite in double precision.
    Number(Rational),
    /// A name that is neither called nor followed by an axis.
    Name(String),
    /// `-a`
    Neg(AstId),
    /// `a + b` and its like.
    Binary(Operator, AstId, AstId),
    /// The total time derivative, as many times as there are primes: `x''` has 2, never 0.
    Prime(AstId, u32),
    /// `f(a, b)` with at least one argument.
    Call {
        /// The function, or whatever stands before the bracket.
        name: String,
        /// Where the name stands.
        name_span: Span,
        /// The arguments in order.
        args: Vec<AstId>,
    },
    /// `[a, b, c]`: any number of components, at least one.
    Vector(Vec<AstId>),
    /// `F.x`, an axis of a frame.
    Axis {
        /// The frame's name; it stands at the start of the node's span.
        frame: String,
        /// Which axis.
        axis: Axis,
    },
}

/// One operation, number or name of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AstNode {
    /// What it is.
    pub kind: AstKind,
    /// Where it stands, without brackets around it: in `(a + b)*c` the sum covers `a + b`.
    pub span: Span,
}

/// The nodes of a sentence, both sides together; children stand before their parents.
///
/// Every node but the sides themselves has exactly one parent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ast {
    /// The nodes in the order in which they can be worked out.
    pub nodes: Vec<AstNode>,
}

impl Ast {
    /// The node of this id.
    ///
    /// # Panics
    /// If the id belongs to another, longer formula.
    pub fn node(&self, id: AstId) -> &AstNode {
        &self.nodes[id.index()]
    }

    /// All nodes with their ids, children before parents.
    pub fn iter(&self) -> impl Iterator<Item = (AstId, &AstNode)> {
        (0..).map(AstId).zip(&self.nodes)
    }

    /// Every use of a name: plain, before a bracket, or before an axis; children before parents.
    pub fn names(&self) -> impl Iterator<Item = Mention<'_>> {
        self.nodes.iter().filter_map(AstNode::mention)
    }

    /// Appends a node whose children are there already.
    pub(crate) fn push(&mut self, kind: AstKind, span: Span) -> AstId {
        let index = u32::try_from(self.nodes.len());
        self.nodes.push(AstNode { kind, span });
        AstId(index.expect("the parser refuses texts that could hold 2^32 nodes"))
    }
}

/// How a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// On its own: `theta`.
    Quantity,
    /// Before a bracket: the `sin` of `sin(theta)`.
    Function,
    /// Before an axis: the `N` of `N.x`.
    Frame,
}

/// One use of a name in a formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mention<'a> {
    /// The name as written.
    pub name: &'a str,
    /// Where it stands: the name alone.
    pub span: Span,
    /// How it is used.
    pub role: Role,
}

impl AstNode {
    /// The use of a name that this node makes itself, apart from its children.
    pub fn mention(&self) -> Option<Mention<'_>> {
        let (name, span, role) = match &self.kind {
            AstKind::Name(name) => (name, self.span, Role::Quantity),
            AstKind::Call {
                name, name_span, ..
            } => (name, *name_span, Role::Function),
            AstKind::Axis { frame, .. } => {
                let start = self.span.start;
                (frame, Span::new(start, start + frame.len()), Role::Frame)
            }
            _ => return None,
        };
        Some(Mention { name, span, role })
    }

    /// The nodes it is built from, in the order written.
    pub fn children(&self) -> Vec<AstId> {
        match &self.kind {
            AstKind::Number(_) | AstKind::Name(_) | AstKind::Axis { .. } => Vec::new(),
            AstKind::Neg(a) | AstKind::Prime(a, _) => vec![*a],
            AstKind::Binary(_, a, b) => vec![*a, *b],
            AstKind::Call { args, .. } => args.clone(),
            AstKind::Vector(components) => components.clone(),
        }
    }
}

/// One formula: an expression, or two expressions with a relation between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sentence {
    /// The nodes of both sides; those of the left side stand first.
    pub ast: Ast,
    /// The left side, or the whole expression.
    pub lhs: AstId,
    /// The relation and where its sign stands; none for a bare expression.
    pub relation: Option<(Relation, Span)>,
    /// The right side, there exactly when the relation is.
    pub rhs: Option<AstId>,
}
