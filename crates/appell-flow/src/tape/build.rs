//! From a program to a tape: the program is run over registers instead of numbers.

use super::{Direct, Op, Register, Tape, TapeSolve, ldlt};
use crate::parameters::Parameters;
use appell_expr::{Function, Numbers, Program, Rational, SlotSolve, elementary};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// A value of the tape in the making. Constants keep apart from what is computed, so that they fold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    Constant(f64),
    /// The result of the node of this place.
    Node(u32),
}

/// What computes a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Input(u32),
    Unary(Unary, Key),
    Binary(Binary, Key, Key),
    /// The unknown of this place of a solve.
    Unknown(u32, u32),
}

impl Node {
    /// The nodes and constants that it reads; what a solve reads stands there.
    fn operands(self) -> impl Iterator<Item = Key> {
        let (first, second) = match self {
            Node::Unary(_, x) => (Some(x), None),
            Node::Binary(_, x, y) => (Some(x), Some(y)),
            Node::Input(_) | Node::Unknown(..) => (None, None),
        };
        first.into_iter().chain(second)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Unary {
    Neg,
    Abs,
    Sqrt,
    OrZero,
    Call(Function),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Power,
    Call(Function),
}

/// A [`Value`] that can be compared and hashed: constants by their bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Constant(u64),
    Node(u32),
}

impl From<Value> for Key {
    fn from(value: Value) -> Key {
        match value {
            Value::Constant(x) => Key::Constant(x.to_bits()),
            Value::Node(node) => Key::Node(node),
        }
    }
}

impl From<Key> for Value {
    fn from(key: Key) -> Value {
        match key {
            Key::Constant(bits) => Value::Constant(f64::from_bits(bits)),
            Key::Node(node) => Value::Node(node),
        }
    }
}

/// A system with its written-out solution, as values.
struct Pending {
    statement: SlotSolve,
    matrix: Vec<Value>,
    right: Vec<Value>,
    direct: Option<ldlt::Solution>,
}

/// A tape in the making: nodes in the order of computation, equal ones once.
#[derive(Default)]
pub(super) struct Builder {
    nodes: Vec<Node>,
    places: FxHashMap<Node, u32>,
    /// Whether a node is known not to be negative.
    nonnegative: Vec<bool>,
    solves: Vec<Pending>,
}

pub(super) const ZERO: Value = Value::Constant(0.0);
pub(super) const ONE: Value = Value::Constant(1.0);

/// The tape of a program with fixed parameters.
pub(super) fn tape(program: &Program, parameters: &Parameters) -> Tape {
    let mut builder = Builder::for_program(program);
    let mut values = builder.inputs(program, parameters);
    let numbers = program.convert_numbers(&mut builder);
    let Ok(()) = program.run(&mut builder, &numbers, &mut values);
    let inputs = program.inputs.len() - parameters.len() + parameters.driven_count();
    let results = program.outputs.iter().flat_map(|output| &output.slots);
    let results: Vec<Value> = results.map(|slot| values[*slot as usize]).collect();
    builder.finish(inputs, &results)
}

impl Builder {
    /// With room for about as many nodes as a program makes.
    fn for_program(program: &Program) -> Self {
        let nodes = 2 * program.statements.len();
        let mut builder = Self::default();
        builder.nodes.reserve(nodes);
        builder.nonnegative.reserve(nodes);
        builder.places.reserve(nodes);
        builder
    }

    /// The values of a program's inputs.
    pub fn inputs(&mut self, program: &Program, parameters: &Parameters) -> Vec<Value> {
        let free = program.inputs.len() - parameters.len();
        let fixed = parameters.len() - parameters.driven_count();
        let mut inputs: Vec<Value> = (0..free as u32)
            .map(|i| self.node(Node::Input(i)))
            .collect();
        let constants = parameters.iter().take(fixed);
        inputs.extend(constants.map(|x| Value::Constant(*x)));
        let driven = free..free + parameters.driven_count();
        inputs.extend(driven.map(|i| self.node(Node::Input(i as u32))));
        inputs
    }

    /// The input of this place.
    pub fn input(&mut self, place: u32) -> Value {
        self.node(Node::Input(place))
    }

    fn node(&mut self, node: Node) -> Value {
        if let Some(place) = self.places.get(&node) {
            return Value::Node(*place);
        }
        let nonnegative = self.cannot_be_negative(node);
        let place = self.nodes.len() as u32;
        self.nodes.push(node);
        self.nonnegative.push(nonnegative);
        self.places.insert(node, place);
        Value::Node(place)
    }

    fn unary(&mut self, op: Unary, x: Value) -> Value {
        self.node(Node::Unary(op, x.into()))
    }

    fn binary(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.node(Node::Binary(op, x.into(), y.into()))
    }

    fn is_nonnegative(&self, value: Value) -> bool {
        match value {
            Value::Constant(x) => x >= 0.0,
            Value::Node(node) => self.nonnegative[node as usize],
        }
    }

    /// Whether the absolute value of a node is the node itself, so that none need be taken.
    fn cannot_be_negative(&self, node: Node) -> bool {
        let known = |key: Key| self.is_nonnegative(key.into());
        match node {
            Node::Unary(Unary::Abs | Unary::Sqrt | Unary::Call(Function::Exp), _) => true,
            Node::Unary(Unary::OrZero, x) => known(x),
            Node::Binary(Binary::Mul, x, y) => x == y || known(x) && known(y),
            Node::Binary(Binary::Add | Binary::Div, x, y) => known(x) && known(y),
            _ => false,
        }
    }

    /// The argument of a negation.
    fn negated(&self, value: Value) -> Option<Value> {
        match value {
            Value::Node(node) => match self.nodes[node as usize] {
                Node::Unary(Unary::Neg, x) => Some(x.into()),
                _ => None,
            },
            Value::Constant(_) => None,
        }
    }

    /// `x - y` where `y` is a term of `x`: in numbers `(a + y) - y` would keep the rounding error of the sum.
    fn without(&self, x: Value, y: Value) -> Option<Value> {
        if x == y {
            return Some(ZERO);
        }
        let Value::Node(node) = x else {
            return None;
        };
        match self.nodes[node as usize] {
            Node::Binary(Binary::Add, a, b) if Value::from(a) == y => Some(b.into()),
            Node::Binary(Binary::Add, a, b) if Value::from(b) == y => Some(a.into()),
            _ => None,
        }
    }

    /// `x` and `c` of a product `x c`.
    fn scaled(&self, value: Value) -> Option<(Value, f64)> {
        match value {
            Value::Node(node) => match self.nodes[node as usize] {
                Node::Binary(Binary::Mul, x, Key::Constant(c)) => {
                    Some((x.into(), f64::from_bits(c)))
                }
                _ => None,
            },
            Value::Constant(_) => None,
        }
    }

    pub fn neg(&mut self, x: Value) -> Value {
        match (x, self.negated(x)) {
            (Value::Constant(x), _) => Value::Constant(-x),
            (_, Some(argument)) => argument,
            _ => self.unary(Unary::Neg, x),
        }
    }

    pub fn abs(&mut self, x: Value) -> Value {
        match (x, self.negated(x)) {
            (Value::Constant(x), _) => Value::Constant(x.abs()),
            (_, Some(argument)) => self.abs(argument),
            _ if self.is_nonnegative(x) => x,
            _ => self.unary(Unary::Abs, x),
        }
    }

    /// `x + y`; a negative term becomes a difference, two of them one negation; a constant factor of both
    /// stands outside.
    pub fn add(&mut self, x: Value, y: Value) -> Value {
        if let (Value::Constant(x), Value::Constant(y)) = (x, y) {
            return Value::Constant(x + y);
        }
        // Signs go outwards, so that terms that differ by the sign are one node.
        match (self.negated(x), self.negated(y)) {
            _ if x == ZERO => y,
            _ if y == ZERO => x,
            (Some(x), Some(y)) => {
                let sum = self.add(x, y);
                self.neg(sum)
            }
            (Some(x), None) => self.sub(y, x),
            (None, Some(y)) => self.sub(x, y),
            (None, None) => match self.common_factor(x, y) {
                Some((x, y, factor)) => {
                    let sum = self.add(x, y);
                    self.mul(sum, Value::Constant(factor))
                }
                None => self.commuting(Binary::Add, x, y),
            },
        }
    }

    /// `x`, `y` and `c` of `x c` and `y c`.
    fn common_factor(&self, x: Value, y: Value) -> Option<(Value, Value, f64)> {
        let ((x, c), (y, d)) = (self.scaled(x)?, self.scaled(y)?);
        (c == d).then_some((x, y, c))
    }

    pub fn sub(&mut self, x: Value, y: Value) -> Value {
        if let (Value::Constant(x), Value::Constant(y)) = (x, y) {
            return Value::Constant(x - y);
        }
        if let Some(rest) = self.without(x, y) {
            return rest;
        }
        match (self.negated(x), self.negated(y)) {
            _ if x == ZERO => self.neg(y),
            _ if y == ZERO => x,
            (_, Some(y)) => self.add(x, y),
            (Some(x), None) => {
                let sum = self.add(x, y);
                self.neg(sum)
            }
            (None, None) => match self.common_factor(x, y) {
                Some((x, y, factor)) => {
                    let difference = self.sub(x, y);
                    self.mul(difference, Value::Constant(factor))
                }
                None => self.binary(Binary::Sub, x, y),
            },
        }
    }

    /// `x y`; signs and constant factors are moved outwards, where they meet and fold.
    pub fn mul(&mut self, x: Value, y: Value) -> Value {
        if let (Value::Constant(x), Value::Constant(y)) = (x, y) {
            return Value::Constant(x * y);
        }
        if let Value::Constant(c) = x {
            return self.mul(y, Value::Constant(c));
        }
        if let Some(x) = self.negated(x) {
            let product = self.mul(x, y);
            return self.neg(product);
        }
        if let Value::Constant(c) = y {
            return self.scale(x, c);
        }
        if self.negated(y).is_some() {
            return self.mul(y, x);
        }
        if let Some((x, c)) = self.scaled(x) {
            let product = self.mul(x, y);
            return self.mul(product, Value::Constant(c));
        }
        if self.scaled(y).is_some() {
            return self.mul(y, x);
        }
        self.commuting(Binary::Mul, x, y)
    }

    fn scale(&mut self, x: Value, c: f64) -> Value {
        // The parameters of a term that vanishes are often zero: `0 x` counts as 0 whatever `x` is.
        if c == 0.0 {
            ZERO
        } else if c == 1.0 {
            x
        } else if c < 0.0 {
            let product = self.scale(x, -c);
            self.neg(product)
        } else if let Some((x, first)) = self.scaled(x).filter(|(_, d)| folds(*d, c)) {
            self.scale(x, first * c)
        } else {
            self.binary(Binary::Mul, x, Value::Constant(c))
        }
    }

    /// In one order, so that `x y` and `y x` are one node; a constant stands second, where [`Self::scaled`]
    /// looks for it.
    fn commuting(&mut self, op: Binary, x: Value, y: Value) -> Value {
        match (x, y) {
            (Value::Constant(_), _) => self.binary(op, y, x),
            (Value::Node(i), Value::Node(j)) if i > j => self.binary(op, y, x),
            _ => self.binary(op, x, y),
        }
    }

    pub fn recip(&mut self, x: Value) -> Value {
        if let Value::Constant(x) = x {
            return Value::Constant(1.0 / x);
        }
        if let Some(x) = self.negated(x) {
            let reciprocal = self.recip(x);
            return self.neg(reciprocal);
        }
        self.binary(Binary::Div, ONE, x)
    }

    fn sqrt(&mut self, x: Value) -> Value {
        match x {
            Value::Constant(x) => Value::Constant(x.sqrt()),
            Value::Node(_) => self.unary(Unary::Sqrt, x),
        }
    }

    /// `x`, or 0 where it is undefined.
    pub fn or_zero(&mut self, x: Value) -> Value {
        match x {
            Value::Constant(x) => Value::Constant(super::or_zero(x)),
            Value::Node(_) => self.unary(Unary::OrZero, x),
        }
    }

    /// `x^n` for `n > 0` by squaring.
    fn repeated(&mut self, x: Value, n: u32) -> Value {
        if n == 1 {
            return x;
        }
        let half = self.repeated(x, n / 2);
        let square = self.mul(half, half);
        if n % 2 == 1 {
            self.mul(square, x)
        } else {
            square
        }
    }

    fn integer_power(&mut self, x: Value, n: i32) -> Value {
        match n {
            0 => ONE,
            1.. => self.repeated(x, n.unsigned_abs()),
            // The reciprocal first: all negative powers of `x` share its division.
            _ => {
                let reciprocal = self.recip(x);
                self.repeated(reciprocal, n.unsigned_abs())
            }
        }
    }

    /// `x^e`: integers by squaring, halves by the square root.
    pub fn exponent(&mut self, x: Value, e: &Rational) -> Value {
        if let Value::Constant(x) = x {
            return Value::Constant(e.power_of(x));
        }
        let integer = |e: &Rational| e.to_i64().and_then(|n| i32::try_from(n).ok());
        if let Some(n) = integer(e) {
            return self.integer_power(x, n);
        }
        // Longer chains of products cost more than the library's power, and round more often.
        let doubled = 2.0 * e.to_f64();
        if doubled.fract() == 0.0 && doubled.abs() <= 64.0 {
            let root = self.sqrt(x);
            return self.integer_power(root, doubled as i32);
        }
        self.binary(Binary::Power, x, Value::Constant(e.to_f64()))
    }

    pub fn raise(&mut self, x: Value, y: Value) -> Value {
        match (x, y) {
            (Value::Constant(x), Value::Constant(y)) => Value::Constant(elementary::power(x, y)),
            _ => self.binary(Binary::Power, x, y),
        }
    }

    pub fn apply(&mut self, f: Function, x: &[Value]) -> Value {
        match (f, x) {
            (Function::Abs, [x]) => self.abs(*x),
            (_, [Value::Constant(x)]) => Value::Constant(f.value(*x, 0.0)),
            (_, [Value::Constant(x), Value::Constant(y)]) => Value::Constant(f.value(*x, *y)),
            (_, [x, y, ..]) => self.binary(Binary::Call(f), *x, *y),
            (_, [x]) => self.unary(Unary::Call(f), *x),
            (_, []) => ZERO,
        }
    }

    pub fn system(&mut self, statement: &SlotSolve, matrix: Vec<Value>, right: &mut Vec<Value>) {
        let direct = ldlt::write_out(self, statement, &matrix, right);
        // A solution in constants needs no solve: its guards are known to hold.
        if let Some(known) = direct.as_ref().and_then(ldlt::Solution::known) {
            *right = known;
            return;
        }
        let index = self.solves.len() as u32;
        let known = std::mem::take(right);
        right.extend((0..known.len() as u32).map(|k| self.node(Node::Unknown(index, k))));
        self.solves.push(Pending {
            statement: statement.clone(),
            matrix,
            right: known,
            direct,
        });
    }

    /// The nodes that results and solves need. Solves are kept even where nothing reads them: they may
    /// refuse a state.
    fn needed(&self, results: &[Value]) -> Vec<bool> {
        let mut needed = vec![false; self.nodes.len()];
        let mark = |needed: &mut [bool], key: Key| {
            if let Key::Node(node) = key {
                needed[node as usize] = true;
            }
        };
        let solves = self.solves.iter().flat_map(Pending::reads);
        for value in results.iter().chain(solves) {
            mark(&mut needed, (*value).into());
        }
        // Operands stand before what reads them.
        for place in (0..self.nodes.len()).rev() {
            if needed[place] {
                let operands = self.nodes[place].operands();
                operands.for_each(|key| mark(&mut needed, key));
            }
        }
        needed
    }

    /// Products with a reciprocal that nothing else needs, as quotients: one rounding and one operation less.
    /// The reciprocals are needed no more.
    fn quotients(&self, needed: &mut [bool], results: &[Value]) -> FxHashMap<u32, (Key, Key)> {
        let mut uses = vec![0_usize; self.nodes.len()];
        let mut count = |key: Key| {
            if let Key::Node(node) = key {
                uses[node as usize] += 1;
            }
        };
        let nodes = self.nodes.iter().zip(&*needed);
        for (node, _) in nodes.filter(|(_, needed)| **needed) {
            node.operands().for_each(&mut count);
        }
        let others = self.solves.iter().flat_map(Pending::reads);
        others
            .chain(results)
            .for_each(|value| count((*value).into()));
        let divisor = |key: Key| match key {
            Key::Node(node) if uses[node as usize] == 1 => match self.nodes[node as usize] {
                Node::Binary(Binary::Div, one, y) if Value::from(one) == ONE => Some((node, y)),
                _ => None,
            },
            _ => None,
        };
        let mut quotients = FxHashMap::default();
        for (place, node) in self.nodes.iter().enumerate() {
            let Node::Binary(Binary::Mul, x, y) = *node else {
                continue;
            };
            let found = divisor(y).map(|found| (x, found));
            let found = found.or_else(|| divisor(x).map(|found| (y, found)));
            if let Some((x, (reciprocal, y))) = found.filter(|_| needed[place]) {
                needed[reciprocal as usize] = false;
                quotients.insert(place as u32, (x, y));
            }
        }
        quotients
    }

    /// Gives registers to what is needed.
    pub fn finish(&self, inputs: usize, results: &[Value]) -> Tape {
        let mut needed = self.needed(results);
        let quotients = self.quotients(&mut needed, results);
        let mut writer = Writer {
            builder: self,
            registers: vec![None; self.nodes.len()],
            constants: FxHashMap::default(),
            needed: &needed,
            quotients,
            tape: Tape {
                inputs,
                constants: Vec::new(),
                ops: Vec::new(),
                solves: Vec::new(),
                outputs: Vec::new(),
            },
        };
        writer.constants(results);
        for (place, read) in needed.iter().enumerate() {
            if *read || matches!(self.nodes[place], Node::Unknown(..)) {
                writer.node(place);
            }
        }
        writer.tape.outputs = results
            .iter()
            .map(|value| writer.register(*value))
            .collect();
        writer.tape
    }
}

/// Whether two constant factors may be multiplied beforehand without leaving the range of numbers.
fn folds(first: f64, second: f64) -> bool {
    (first * second).is_normal()
}

impl Pending {
    /// All values that it reads.
    fn reads(&self) -> impl Iterator<Item = &Value> {
        let direct = self.direct.iter().flat_map(|direct| {
            let guards = direct.guards.iter().flat_map(|(a, b)| [a, b]);
            guards.chain(&direct.unknowns)
        });
        self.matrix.iter().chain(&self.right).chain(direct)
    }
}

/// Writes nodes as operations.
struct Writer<'b> {
    builder: &'b Builder,
    registers: Vec<Option<Register>>,
    constants: FxHashMap<u64, Register>,
    /// Which nodes are read by something.
    needed: &'b [bool],
    /// Products that are written as quotients.
    quotients: FxHashMap<u32, (Key, Key)>,
    tape: Tape,
}

impl Writer<'_> {
    /// Gives registers to all constants that are read.
    fn constants(&mut self, results: &[Value]) {
        let builder = self.builder;
        let nodes = builder
            .nodes
            .iter()
            .zip(self.needed)
            .filter(|(_, needed)| **needed);
        let operands = nodes.flat_map(|(node, _)| node.operands());
        let others = results
            .iter()
            .chain(builder.solves.iter().flat_map(Pending::reads));
        for key in operands.chain(others.map(|value| Key::from(*value))) {
            if let Key::Constant(bits) = key {
                let next = (self.tape.inputs + self.tape.constants.len()) as Register;
                if let std::collections::hash_map::Entry::Vacant(entry) = self.constants.entry(bits)
                {
                    entry.insert(next);
                    self.tape.constants.push(f64::from_bits(bits));
                }
            }
        }
    }

    fn register(&self, value: Value) -> Register {
        match value {
            Value::Constant(x) => self.constants.get(&x.to_bits()).copied(),
            Value::Node(node) => self.registers[node as usize],
        }
        .unwrap_or_default()
    }

    fn push(&mut self, op: Op) -> Register {
        self.tape.ops.push(op);
        (self.tape.first() + self.tape.ops.len() - 1) as Register
    }

    fn node(&mut self, place: usize) {
        if self.registers[place].is_some() {
            return;
        }
        if let Some((x, y)) = self.quotients.get(&(place as u32)) {
            let (x, y) = (self.register((*x).into()), self.register((*y).into()));
            self.registers[place] = Some(self.push(Op::Div(x, y)));
            return;
        }
        let register = match self.builder.nodes[place] {
            Node::Input(i) => i,
            Node::Unknown(index, _) => return self.solve(index),
            Node::Unary(Unary::Call(f @ (Function::Sin | Function::Cos)), x) => {
                return self.angle(place, f, x);
            }
            Node::Unary(op, x) => {
                let x = self.register(x.into());
                self.push(match op {
                    Unary::Neg => Op::Neg(x),
                    Unary::Abs => Op::Abs(x),
                    Unary::Sqrt => Op::Sqrt(x),
                    Unary::OrZero => Op::OrZero(x),
                    Unary::Call(f) => Op::Call(f, x, x),
                })
            }
            Node::Binary(op, x, y) => {
                let (x, y) = (self.register(x.into()), self.register(y.into()));
                self.push(match op {
                    Binary::Add => Op::Add(x, y),
                    Binary::Sub => Op::Sub(x, y),
                    Binary::Mul => Op::Mul(x, y),
                    Binary::Div => Op::Div(x, y),
                    Binary::Power => Op::Power(x, y),
                    Binary::Call(f) => Op::Call(f, x, y),
                })
            }
        };
        self.registers[place] = Some(register);
    }

    /// Sine and cosine of one argument are computed together where both are there.
    fn angle(&mut self, place: usize, f: Function, x: Key) {
        let argument = self.register(x.into());
        let other = if f == Function::Sin {
            Function::Cos
        } else {
            Function::Sin
        };
        let partner = self.builder.places.get(&Node::Unary(Unary::Call(other), x));
        let partner = partner.map(|partner| *partner as usize);
        let Some(partner) = partner.filter(|partner| self.needed[*partner]) else {
            let register = self.push(Op::Call(f, argument, argument));
            self.registers[place] = Some(register);
            return;
        };
        let sin = self.push(Op::SinCos(argument));
        let cos = self.push(Op::Part);
        let (result, its) = if f == Function::Sin {
            (sin, cos)
        } else {
            (cos, sin)
        };
        self.registers[place] = Some(result);
        self.registers[partner] = Some(its);
    }

    fn solve(&mut self, index: u32) {
        let pending = &self.builder.solves[index as usize];
        let registers = |values: &[Value]| values.iter().map(|v| self.register(*v)).collect();
        let solve = TapeSolve {
            statement: pending.statement.clone(),
            matrix: registers(&pending.matrix),
            right: registers(&pending.right),
            direct: pending.direct.as_ref().map(|direct| Direct {
                guards: direct
                    .guards
                    .iter()
                    .map(|(a, b)| (self.register(*a), self.register(*b)))
                    .collect(),
                solution: registers(&direct.unknowns),
            }),
        };
        self.tape.solves.push(solve);
        let first = self.push(Op::Solve(self.tape.solves.len() as u32 - 1));
        for k in 0..pending.right.len() {
            if k > 0 {
                self.push(Op::Part);
            }
            let unknown = Node::Unknown(index, k as u32);
            if let Some(place) = self.builder.places.get(&unknown) {
                self.registers[*place as usize] = Some(first + k as Register);
            }
        }
    }
}

impl Numbers for Builder {
    type Value = Value;
    type Error = Infallible;

    fn number(&mut self, x: &Rational) -> Value {
        Value::Constant(x.to_f64())
    }

    fn pi(&mut self) -> Value {
        Value::Constant(std::f64::consts::PI)
    }

    fn add(&mut self, x: &Value, y: &Value) -> Value {
        Builder::add(self, *x, *y)
    }

    fn mul(&mut self, x: &Value, y: &Value) -> Value {
        Builder::mul(self, *x, *y)
    }

    fn exact_power(&mut self, x: &Value, e: &Rational) -> Result<Value, Infallible> {
        Ok(self.exponent(*x, e))
    }

    fn power(&mut self, x: &Value, y: &Value) -> Result<Value, Infallible> {
        Ok(self.raise(*x, *y))
    }

    fn call(&mut self, f: Function, x: &[&Value]) -> Result<Value, Infallible> {
        let x: Vec<Value> = x.iter().map(|x| **x).collect();
        Ok(self.apply(f, &x))
    }

    fn solve(
        &mut self,
        solve: &SlotSolve,
        matrix: Vec<Value>,
        right: &mut Vec<Value>,
    ) -> Result<(), Infallible> {
        self.system(solve, matrix, right);
        Ok(())
    }
}
