//! Identities that were decided before: the answer is found by the digest of the whole question.

use super::identity::vanishes_by_points;
use crate::graph::{Ex, Graph};
use crate::num::Rational;
use crate::program::{Operation, Program, Statement};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// The digest of a program, SHA-256 of all that decides on its results: equal digests are equal programs.
pub type IdentityKey = [u8; 32];

/// Whether programs vanish identically.
#[derive(Default)]
struct Remembered(BTreeMap<IdentityKey, bool>);

impl Graph {
    /// What was decided of identities since the graph was made, with what it was told.
    pub fn decided(&self) -> Vec<(IdentityKey, bool)> {
        self.kept(|Remembered(known)| {
            known
                .iter()
                .map(|(asked, holds)| (*asked, *holds))
                .collect()
        })
    }

    /// Tells the graph what was decided by the same algebra before, so that it need not decide that again.
    pub fn tell_decided(&self, answers: impl IntoIterator<Item = (IdentityKey, bool)>) {
        self.kept(|Remembered(known)| known.extend(answers));
    }
}

/// Whether the result of a program is identically zero; found once.
pub(super) fn vanishes_as_known(x: Ex<'_>, program: Program) -> bool {
    let question = digest(&program);
    let known = |Remembered(known): &mut Remembered| known.get(&question).copied();
    x.graph().kept(known).unwrap_or_else(|| {
        let holds = vanishes_by_points(x, program);
        x.graph().tell_decided([(question, holds)]);
        holds
    })
}

/// The digest of a program without solves; names of inputs do not count.
fn digest(program: &Program) -> IdentityKey {
    let mut writer = Writer(Vec::with_capacity(16 * program.statements.len()));
    writer.length(program.inputs.len());
    writer.length(program.numbers.len());
    program.numbers.iter().for_each(|x| writer.number(x));
    writer.length(program.statements.len());
    program.statements.iter().for_each(|s| writer.statement(s));
    for output in &program.outputs {
        writer.length(output.slots.len());
        output.slots.iter().for_each(|slot| writer.place(*slot));
    }
    Sha256::digest(writer.0).into()
}

/// Writes programs as bytes, each by others: what has a length says it before.
struct Writer(Vec<u8>);

impl Writer {
    /// Seven bits a byte, the first bit tells whether more follow.
    fn count(&mut self, mut count: u64) {
        while count > 0x7f {
            self.0.push(count as u8 | 0x80);
            count >>= 7;
        }
        self.0.push(count as u8);
    }

    fn place(&mut self, place: u32) {
        self.count(place.into());
    }

    fn length(&mut self, length: usize) {
        self.count(length as u64);
    }

    fn number(&mut self, x: &Rational) {
        if let Some((n, d)) = x.to_i64s() {
            self.0.push(u8::from(n < 0));
            self.count(n.unsigned_abs());
            self.count(d.unsigned_abs());
            return;
        }
        self.0.push(2);
        for part in [x.numerator(), x.denominator()] {
            let bytes = part.to_signed_bytes_le();
            self.length(bytes.len());
            self.0.extend(bytes);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(slot, operation) => {
                self.place(*slot);
                self.operation(operation);
            }
            // A debug text says all of it.
            Statement::Solve(solve) => self.text(&format!("{solve:?}")),
        }
    }

    fn text(&mut self, text: &str) {
        self.length(text.len());
        self.0.extend(text.as_bytes());
    }

    fn operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Number(number) => {
                self.0.push(0);
                self.place(*number);
            }
            Operation::Pi => self.0.push(1),
            Operation::Sum(constant, terms) => {
                self.0.push(2);
                self.place(*constant);
                self.length(terms.len());
                terms
                    .iter()
                    .flat_map(|(x, c)| [*x, *c])
                    .for_each(|place| self.place(place));
            }
            Operation::Product(factors) => {
                self.0.push(3);
                self.length(factors.len());
                for (x, e) in factors {
                    self.place(*x);
                    self.number(e);
                }
            }
            Operation::Power(base, exponent) => {
                self.0.push(4);
                [*base, *exponent]
                    .into_iter()
                    .for_each(|place| self.place(place));
            }
            Operation::Call(function, arguments) => {
                self.0.push(5);
                self.text(function.name());
                self.length(arguments.len());
                arguments.iter().for_each(|x| self.place(*x));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::field::locus::compile;
    use crate::{Ex, Graph, vanishes};

    /// `sqrt(x) sqrt(y) - sqrt(x y)`, which no rewrite sees through.
    fn roots<'g>(g: &'g Graph, names: [&str; 2]) -> Ex<'g> {
        let [x, y] = names.map(|name| g.symbol(name));
        x.sqrt() * y.sqrt() - (x * y).sqrt()
    }

    fn question(x: Ex<'_>) -> super::IdentityKey {
        super::digest(&compile(&x.symbols(), &[x]).expect("closed"))
    }

    #[test]
    fn what_was_decided_is_told_to_another_graph() {
        let first = Graph::new();
        let holds = vanishes(roots(&first, ["x", "y"]));
        let answers = first.decided();
        assert_eq!(answers.len(), 1);
        assert_eq!(answers[0].1, holds);
        // An answer that no computation gives shows that none was made; names do not count.
        let second = Graph::new();
        second.tell_decided(answers.iter().map(|(asked, holds)| (*asked, !holds)));
        assert_eq!(vanishes(roots(&second, ["a", "b"])), !holds);
    }

    #[test]
    fn other_questions_have_other_digests() {
        let g = Graph::new();
        let (x, y) = (g.symbol("x"), g.symbol("y"));
        let all = [
            x + y,
            x + 2 * y,
            x + y + 1,
            x * y,
            x * y.pow(2),
            x.power(y),
            x.sin() + y,
            x.cos() + y,
            x + y + g.pi(),
        ];
        let mut digests: Vec<_> = all.into_iter().map(question).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), all.len());
    }
}
