//! Sums of symbols that rows close, `a + b + c + d = 2 pi`: one symbol is put into the programs.
//!
//! The sine of a symbol that a surface gives a value to is an unknown of its own; that of a sum is
//! written out in sines of its terms.

use super::locus::{Locus, Step, compile};
use crate::graph::{Ex, Node};
use crate::program::{Operation, Program, Slot, Statement};
use rustc_hash::FxHashSet;

/// The same questions without the symbols of functions that such rows give; `None` where there are
/// none.
pub(crate) fn put_in<'g>(
    locus: &Locus<'g>,
    programs: &[Program],
) -> Option<(Locus<'g>, Vec<Program>)> {
    let (mut locus, mut programs) = (locus.clone(), programs.to_vec());
    let mut changed = false;
    while let Some((step, row, symbol)) = closing_row(&locus, &programs) {
        let value = take(&mut locus, step, row, symbol)?;
        let place = locus.symbols.iter().position(|x| x.id() == symbol.id())?;
        let of_value = compile(&locus.symbols, &[value]).ok()?;
        for program in &mut programs {
            *program = with_input(program, place, &of_value)?;
        }
        changed = true;
    }
    changed.then_some((locus, programs))
}

/// A row that is a sum of symbols and numbers, and an unknown in it that a function reads; other unknowns
/// are left for other rows.
fn closing_row<'g>(locus: &Locus<'g>, programs: &[Program]) -> Option<(usize, usize, Ex<'g>)> {
    let read: FxHashSet<usize> = programs.iter().flat_map(read_by_functions).collect();
    let is_read = |u: &Ex<'g>| {
        let place = locus.symbols.iter().position(|x| x.id() == u.id());
        place.is_some_and(|place| read.contains(&place))
    };
    let of_step = |(index, step): (usize, &Step<'g>)| {
        let Step::On(rows, unknowns, others) = step else {
            return None;
        };
        if unknowns.len() <= rows.len() || !others.is_empty() {
            return None;
        }
        rows.iter().enumerate().find_map(|(row, x)| {
            let mut candidates = unknowns.iter().rev();
            let symbol = candidates.find(|u| is_sum(*x) && x.depends_on(**u) && is_read(u))?;
            Some((index, row, *symbol))
        })
    };
    locus.steps.iter().enumerate().find_map(of_step)
}

/// Whether it is a sum of symbols and multiples of pi.
fn is_sum(x: Ex<'_>) -> bool {
    let graph = x.graph();
    let is_term = |x: Ex<'_>| matches!(x.node(), Node::Symbol(_) | Node::Pi);
    match x.node() {
        Node::Sum(_, terms) => terms.iter().all(|(term, _)| is_term(graph.ex(*term))),
        _ => false,
    }
}

/// Solves the row for the symbol, puts its value into the rows, and has it set.
fn take<'g>(locus: &mut Locus<'g>, step: usize, row: usize, symbol: Ex<'g>) -> Option<Ex<'g>> {
    let graph = symbol.graph();
    let Step::On(rows, unknowns, _) = &mut locus.steps[step] else {
        return None;
    };
    let row = rows.remove(row);
    unknowns.retain(|u| u.id() != symbol.id());
    let is_empty = rows.is_empty();
    let put = |xs: &[Ex<'g>], value: Ex<'g>| graph.substitute(xs, &[(symbol, value)]);
    let value = -(put(&[row], graph.zero())[0] / row.diff(symbol));
    for step in &mut locus.steps[step..] {
        match step {
            Step::On(rows, ..) => *rows = put(rows.as_slice(), value),
            Step::Where(zeros) => *zeros = put(zeros.as_slice(), value),
            Step::Set(_, x) | Step::Off(x) => *x = put(&[*x], value)[0],
        }
    }
    let set = Step::Set(symbol, value);
    match is_empty {
        true => locus.steps[step] = set,
        false => locus.steps.insert(step + 1, set),
    }
    Some(value)
}

/// The inputs that arguments of functions depend on.
fn read_by_functions(program: &Program) -> Vec<usize> {
    let mut needed: FxHashSet<Slot> = FxHashSet::default();
    for statement in program.statements.iter().rev() {
        match statement {
            Statement::Let(slot, operation) => {
                let is_call = matches!(operation, Operation::Call(..));
                if is_call || needed.contains(slot) {
                    needed.extend(operation.arguments());
                }
            }
            Statement::Solve(solve) => {
                let count = u32::try_from(solve.size * solve.columns).unwrap_or(0);
                let mut unknowns = solve.unknowns..solve.unknowns + count;
                if unknowns.any(|slot| needed.contains(&slot)) {
                    needed.extend(solve.matrix.iter().chain(&solve.right));
                }
            }
        }
    }
    let inputs = 0..program.inputs.len();
    let is_needed = |i: &usize| u32::try_from(*i).is_ok_and(|slot| needed.contains(&slot));
    inputs.filter(is_needed).collect()
}

/// The program with the result of another, of the same inputs, in the place of one input.
fn with_input(program: &Program, place: usize, value: &Program) -> Option<Program> {
    let inputs = Slot::try_from(program.inputs.len()).ok()?;
    let shift = Slot::try_from(program.slots).ok()? - inputs;
    let numbers = u32::try_from(program.numbers.len()).ok()?;
    let moved = |slot: Slot| if slot < inputs { slot } else { slot + shift };
    let result = moved(*value.outputs.first()?.slots.first()?);
    let input = Slot::try_from(place).ok()?;
    let read = |slot: Slot| if slot == input { result } else { slot };
    let of_value = value.statements.iter().map(|statement| match statement {
        Statement::Let(slot, operation) => {
            let operation = with_slots(operation, &moved, &|number| number + numbers);
            Some(Statement::Let(moved(*slot), operation))
        }
        Statement::Solve(_) => None,
    });
    let of_program = program.statements.iter().map(|statement| match statement {
        Statement::Let(slot, operation) => {
            Statement::Let(*slot, with_slots(operation, &read, &|number| number))
        }
        Statement::Solve(solve) => {
            let mut solve = solve.clone();
            let slots = solve.matrix.iter_mut().chain(&mut solve.right);
            slots.for_each(|slot| *slot = read(*slot));
            Statement::Solve(solve)
        }
    });
    let mut statements = of_value.collect::<Option<Vec<Statement>>>()?;
    statements.extend(of_program);
    let mut outputs = program.outputs.clone();
    let slots = outputs.iter_mut().flat_map(|output| &mut output.slots);
    slots.for_each(|slot| *slot = read(*slot));
    Some(Program {
        inputs: program.inputs.clone(),
        statements,
        outputs,
        numbers: [program.numbers.as_slice(), &value.numbers].concat(),
        slots: program.slots + value.slots - program.inputs.len(),
    })
}

fn with_slots(
    operation: &Operation,
    slot: &impl Fn(Slot) -> Slot,
    number: &impl Fn(u32) -> u32,
) -> Operation {
    match operation {
        Operation::Number(index) => Operation::Number(number(*index)),
        Operation::Pi => Operation::Pi,
        Operation::Sum(constant, terms) => {
            let terms = terms.iter().map(|(x, c)| (slot(*x), number(*c)));
            Operation::Sum(number(*constant), terms.collect())
        }
        Operation::Product(factors) => {
            let factors = factors.iter().map(|(x, e)| (slot(*x), e.clone()));
            Operation::Product(factors.collect())
        }
        Operation::Power(base, exponent) => Operation::Power(slot(*base), slot(*exponent)),
        Operation::Call(function, arguments) => {
            Operation::Call(*function, arguments.iter().map(|x| slot(*x)).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::Random;
    use super::super::locus::results;
    use super::super::prime::PrimeField;
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn a_program_with_a_value_in_an_input() {
        let g = Graph::new();
        let [a, b, c] = ["a", "b", "c"].map(|name| g.symbol(name));
        let mut locus = Locus::new(vec![a, b, c]);
        locus.on(vec![a + 2 * b + 3 * c - g.pi() / 2], vec![a, b, c]);
        let program = compile(locus.symbols(), &[c, c.sin() + a, (c * b).pow(2)]).expect("closed");
        let (put, programs) =
            put_in(&locus, std::slice::from_ref(&program)).expect("c is read by a sine");
        assert!(matches!(&put.steps[..], [Step::Set(symbol, _)] if *symbol == c));
        let mut field = PrimeField::draw(&mut Random(3), 40_320);
        let value = compile(locus.symbols(), &[(g.pi() / 2 - a - 2 * b) / 3]).expect("closed");
        let mut point = vec![field.element(), field.element(), field.element()];
        let found = results(&programs[0], &mut field, &point);
        point[2] = results(&value, &mut field, &point).expect("a sum")[0];
        assert_eq!(found, results(&program, &mut field, &point));
        assert!(put_in(&put, &programs).is_none());
        let plain = compile(locus.symbols(), &[a.sin() * c]).expect("closed");
        let (put, _) = put_in(&locus, &[plain]).expect("a is read by a sine");
        assert!(matches!(&put.steps[..], [Step::Set(symbol, _)] if *symbol == a));
    }
}
