//! The operations of a tape in an order that is interpreted fast.

use super::{Op, Register, Tape};
use crate::evaluation::EvalError;
use crate::linear::Scratch;

/// The operations of a [`Tape`], equal ones one after the other as far as what they read allows: an interpreter asks once
/// for each group what is to be done, not for each operation. Registers and results are those of the tape.
#[derive(Debug)]
pub(crate) struct Schedule {
    groups: Vec<Group>,
    /// The register that is written and those that are read.
    operations: Vec<[Register; 3]>,
}

/// Equal operations, up to a place in the list of all.
#[derive(Debug)]
struct Group {
    kind: Kind,
    end: usize,
}

/// What is done alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Add,
    Sub,
    Mul,
    Div,
    Neg,
    /// Any operation.
    Other,
}

const KINDS: [Kind; 6] = [
    Kind::Add,
    Kind::Sub,
    Kind::Mul,
    Kind::Div,
    Kind::Neg,
    Kind::Other,
];

impl Kind {
    fn of(op: Op) -> Kind {
        match op {
            Op::Add(..) => Kind::Add,
            Op::Sub(..) => Kind::Sub,
            Op::Mul(..) => Kind::Mul,
            Op::Div(..) => Kind::Div,
            Op::Neg(_) => Kind::Neg,
            _ => Kind::Other,
        }
    }
}

impl Schedule {
    pub(crate) fn new(tape: &Tape) -> Schedule {
        let mut order = Order::new(tape);
        let mut schedule = Schedule {
            groups: Vec::new(),
            operations: Vec::with_capacity(tape.ops.len()),
        };
        while let Some(kind) = order.next_kind() {
            while let Some(place) = order.take(kind) {
                let (x, y) = match tape.ops[place] {
                    Op::Add(x, y) | Op::Sub(x, y) | Op::Mul(x, y) | Op::Div(x, y) => (x, y),
                    Op::Neg(x) => (x, x),
                    _ => (0, 0),
                };
                let target = (tape.first() + place) as Register;
                schedule.operations.push([target, x, y]);
            }
            let end = schedule.operations.len();
            schedule.groups.push(Group { kind, end });
        }
        schedule
    }

    /// Runs the operations of its tape on registers whose inputs are filled in.
    pub(crate) fn run(
        &self,
        tape: &Tape,
        registers: &mut [f64],
        scratch: &mut Scratch,
    ) -> Result<(), EvalError> {
        let mut start = 0;
        for Group { kind, end } in &self.groups {
            let operations = &self.operations[start..*end];
            start = *end;
            match kind {
                Kind::Add => alike(tape, operations, registers, scratch, Op::Add)?,
                Kind::Sub => alike(tape, operations, registers, scratch, Op::Sub)?,
                Kind::Mul => alike(tape, operations, registers, scratch, Op::Mul)?,
                Kind::Div => alike(tape, operations, registers, scratch, Op::Div)?,
                Kind::Neg => alike(tape, operations, registers, scratch, |x, _| Op::Neg(x))?,
                Kind::Other => {
                    for [target, ..] in operations {
                        let target = *target as usize;
                        let op = tape.ops[target - tape.first()];
                        tape.step(target, op, registers, scratch)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Runs operations of one kind, which the compiler knows here.
#[inline(always)]
fn alike(
    tape: &Tape,
    operations: &[[Register; 3]],
    registers: &mut [f64],
    scratch: &mut Scratch,
    op: impl Fn(Register, Register) -> Op,
) -> Result<(), EvalError> {
    for [target, x, y] in operations {
        tape.step(*target as usize, op(*x, *y), registers, scratch)?;
    }
    Ok(())
}

/// Which operations are ready, since all that they read is there.
struct Order<'t> {
    tape: &'t Tape,
    /// For each operation, how much of what it reads is not there yet.
    missing: Vec<u32>,
    /// The operations that read the results of an operation: those of the k-th up to `ends[k]`.
    readers: Vec<u32>,
    ends: Vec<usize>,
    /// The operations that are ready, by their kinds, and how many of them were taken.
    ready: [(Vec<usize>, usize); KINDS.len()],
}

impl<'t> Order<'t> {
    fn new(tape: &'t Tape) -> Order<'t> {
        let count = tape.ops.len();
        let (mut missing, mut ends) = (vec![0; count], vec![0; count]);
        let pairs = dependencies(tape);
        for (reader, source) in &pairs {
            missing[*reader] += 1;
            ends[*source] += 1;
        }
        let mut sum = 0;
        for end in &mut ends {
            let degree = std::mem::replace(end, sum);
            sum += degree;
        }
        let mut readers = vec![0; sum];
        for (reader, source) in pairs {
            readers[ends[source]] = reader as u32;
            ends[source] += 1;
        }
        let mut order = Order {
            tape,
            missing,
            readers,
            ends,
            ready: Default::default(),
        };
        for place in 0..count {
            if order.missing[place] == 0 && tape.ops[place] != Op::Part {
                order.put(place);
            }
        }
        order
    }

    fn put(&mut self, place: usize) {
        let kind = Kind::of(self.tape.ops[place]);
        self.ready[kind as usize].0.push(place);
    }

    /// The kind of which most are ready.
    fn next_kind(&self) -> Option<Kind> {
        let waiting = |kind: &Kind| {
            let (places, taken) = &self.ready[*kind as usize];
            places.len() - taken
        };
        let most = KINDS.into_iter().max_by_key(waiting)?;
        (waiting(&most) > 0).then_some(most)
    }

    /// Takes the first operation of a kind that is ready.
    fn take(&mut self, kind: Kind) -> Option<usize> {
        let (places, taken) = &mut self.ready[kind as usize];
        let place = *places.get(*taken)?;
        *taken += 1;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        for k in start..self.ends[place] {
            let reader = self.readers[k] as usize;
            self.missing[reader] -= 1;
            if self.missing[reader] == 0 {
                self.put(reader);
            }
        }
        Some(place)
    }
}

/// Operations with those that must be done before. Systems stay in their order, in which ranks are kept.
fn dependencies(tape: &Tape) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(2 * tape.ops.len());
    let (mut owner, mut owners) = (0, Vec::with_capacity(tape.ops.len()));
    let mut system = None;
    for (place, op) in tape.ops.iter().enumerate() {
        if *op != Op::Part {
            owner = place;
        }
        owners.push(owner);
        let mut read = |register: Register| {
            if let Some(offset) = (register as usize).checked_sub(tape.first()) {
                pairs.push((place, owners[offset]));
            }
        };
        tape.arguments(op).for_each(&mut read);
        if let Op::Solve(index) = op {
            if let Some(direct) = &tape.solves[*index as usize].direct {
                let guards = direct.guards.iter().flat_map(|(a, b)| [*a, *b]);
                guards.chain(direct.solution.iter().copied()).for_each(read);
            }
            if let Some(before) = system.replace(place) {
                pairs.push((place, before));
            }
        }
    }
    pairs
}
