//! Expressions as text that the parser reads back, and as LaTeX.
//!
//! A node is laid out as stretches of text with its children in between; the text is written in
//! one pass over these, with a stack of its own. Nothing recurses, and no text of a part is kept.

mod arrange;
mod letters;

pub use letters::latex_name;

use crate::graph::{Ex, Graph, Id};
use crate::limits::look;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt;

/// Longer texts of one subexpression are cut to `...`: a DAG can be exponentially longer as a tree.
const MAX_TEXT: usize = 200_000;
/// What stands for a text that is too long.
const CUT: &str = "...";

/// The notation to print in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// What the parser reads.
    Text,
    /// LaTeX math.
    Latex,
}

/// A stretch of a printed node.
#[derive(Debug, Clone)]
enum Piece {
    Text(Cow<'static, str>),
    Child(Id),
}

impl From<&'static str> for Piece {
    fn from(text: &'static str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Piece {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

/// Prints expressions; those that have been given a name by their name.
#[derive(Debug, Clone)]
pub struct Printer<'g> {
    graph: &'g Graph,
    style: Style,
    exact: bool,
    names: FxHashMap<Id, String>,
    leading: FxHashMap<Id, usize>,
    lengths: FxHashMap<Id, usize>,
}

impl<'g> Printer<'g> {
    /// A printer without abbreviations.
    pub fn new(graph: &'g Graph, style: Style) -> Self {
        let (names, leading, lengths) = Default::default();
        let exact = style == Style::Text;
        Self {
            graph,
            style,
            exact,
            names,
            leading,
            lengths,
        }
    }

    /// From now on prints for people only: `2*(x + y)/z`, although that is read as
    /// `(2*x + 2*y)/z`.
    pub fn loosen(&mut self) {
        self.exact = false;
    }

    /// Puts these symbols in front of the other factors of every product, in this order.
    pub fn lead_with(&mut self, symbols: &[Ex<'g>]) {
        self.leading.extend(symbols.iter().map(|x| x.id()).zip(0..));
    }

    /// From now on prints this expression by a name, already in the printer's notation.
    ///
    /// Expressions that contain it are to be printed and measured afterwards only.
    pub fn abbreviate(&mut self, x: Ex<'g>, name: String) {
        self.lengths.insert(x.id(), name.len());
        self.names.insert(x.id(), name);
    }

    /// The name it is printed by, if it has been given one.
    pub fn name(&self, x: Ex<'g>) -> Option<&str> {
        self.names.get(&x.id()).map(String::as_str)
    }

    /// The text of an expression.
    pub fn print(&mut self, x: Ex<'g>) -> String {
        self.measure(&[x.id()]);
        self.write(vec![Piece::Child(x.id())])
    }

    /// The text of the definition of an abbreviated expression: itself, not its name.
    pub fn print_definition(&mut self, x: Ex<'g>) -> String {
        let mut children = Vec::new();
        x.node().for_each_child(|child| children.push(child));
        self.measure(&children);
        self.write(self.layout(x.id()))
    }

    /// The length of its text in bytes.
    pub fn length(&mut self, x: Ex<'g>) -> usize {
        if let Some(length) = self.lengths.get(&x.id()) {
            return *length;
        }
        self.measure(&[x.id()]);
        self.lengths[&x.id()]
    }

    /// Finds the lengths of the texts of everything in `roots`.
    fn measure(&mut self, roots: &[Id]) {
        let known = &self.lengths;
        for id in self
            .graph
            .reachable_unless(roots, |id| known.contains_key(&id))
        {
            look();
            let length = self.total(&self.layout(id));
            self.lengths
                .insert(id, if length > MAX_TEXT { CUT.len() } else { length });
        }
    }

    /// The length of a text whose children have been measured.
    fn total(&self, pieces: &[Piece]) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Child(child) => self.lengths[child],
        };
        pieces.iter().map(length).sum()
    }

    fn write(&self, mut pending: Vec<Piece>) -> String {
        let mut text = String::new();
        pending.reverse();
        while let Some(piece) = pending.pop() {
            look();
            let id = match piece {
                Piece::Text(stretch) => {
                    text.push_str(&stretch);
                    continue;
                }
                Piece::Child(id) => id,
            };
            if let Some(name) = self.names.get(&id) {
                text.push_str(name);
                continue;
            }
            let pieces = self.layout(id);
            if self.total(&pieces) > MAX_TEXT {
                text.push_str(CUT);
            } else {
                pending.extend(pieces.into_iter().rev());
            }
        }
        text
    }
}

impl fmt::Display for Ex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Printer::new(self.graph(), Style::Text).print(*self))
    }
}

impl Ex<'_> {
    /// Its LaTeX.
    pub fn to_latex(self) -> String {
        Printer::new(self.graph(), Style::Latex).print(self)
    }
}
