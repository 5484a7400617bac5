//! Machine code made in memory with Cranelift.
#![allow(
    unsafe_code,
    reason = "the address of finished code becomes a function"
)]

use super::native::{Entry, Machine, address, power, sin_cos};
use crate::tape::{Op, Register, Tape, TapeSolve};
use crate::unsupported::Unsupported;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{
    AbiParam, Block, BlockArg, InstBuilder, MemFlags, SigRef, Signature, StackSlot, StackSlotData,
    StackSlotKind, Type, Value, types,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Linkage, Module, default_libcall_names};
use std::sync::Mutex;

/// How much time the compiler may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effort {
    /// As little as it can.
    Quick,
    /// What good code takes.
    Best,
}

/// Operations above which good code takes the register allocator more than the square of the time: the quick one then.
const LARGE: usize = 16_000;
/// Operations above which even that takes most of a second, in which nobody can stop it: no code is made then.
const LONGEST: usize = 40_000;

/// Code in memory, freed with its last user.
struct Memory(Mutex<Option<JITModule>>);

impl Drop for Memory {
    fn drop(&mut self) {
        let module = self.0.get_mut().ok().and_then(Option::take);
        if let Some(module) = module {
            // SAFETY: the machine that owns this memory is gone, and nobody else has the entry.
            unsafe { module.free_memory() };
        }
    }
}

/// Compiles a tape; `None` for one that is too long, which is to be interpreted, with the same bits.
///
/// # Errors
/// What the code generator says, as on a machine it does not know.
pub(super) fn compile(tape: &Tape, effort: Effort) -> Result<Option<Machine>, Unsupported> {
    if tape.ops.len() > LONGEST {
        return Ok(None);
    }
    let effort = if tape.ops.len() > LARGE {
        Effort::Quick
    } else {
        effort
    };
    let mut module = module(effort)?;
    let mut context = module.make_context();
    context.func.signature = signature(
        &module,
        &[Kind::Number, Kind::Place, Kind::Place, Kind::Place],
        Some(types::I32),
    );
    let mut room = FunctionBuilderContext::new();
    Writer::new(
        tape,
        &module,
        FunctionBuilder::new(&mut context.func, &mut room),
    )
    .write();
    let words = |error: cranelift_module::ModuleError| error.to_string();
    let function = module
        .declare_function("field", Linkage::Export, &context.func.signature)
        .map_err(words)?;
    module
        .define_function(function, &mut context)
        .map_err(words)?;
    module.finalize_definitions().map_err(words)?;
    let code = module.get_finalized_function(function);
    // SAFETY: the code was written with the signature of `Entry`, for this tape, and the module that
    // owns its memory is handed over with it.
    Ok(unsafe {
        let entry = std::mem::transmute::<*const u8, Entry>(code);
        let owner = Box::new(Memory(Mutex::new(Some(module))));
        Some(Machine::new(entry, tape, owner))
    })
}

fn module(effort: Effort) -> Result<JITModule, Unsupported> {
    let (level, allocator) = match effort {
        Effort::Quick => ("none", "single_pass"),
        Effort::Best => ("speed", "backtracking"),
    };
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", level),
        ("regalloc_algorithm", allocator),
        (
            "enable_verifier",
            if cfg!(debug_assertions) {
                "true"
            } else {
                "false"
            },
        ),
        ("use_colocated_libcalls", "false"),
        ("is_pic", "false"),
    ] {
        flags.set(name, value).map_err(|error| error.to_string())?;
    }
    let isa = cranelift_native::builder()?
        .finish(settings::Flags::new(flags))
        .map_err(|error| error.to_string())?;
    Ok(JITModule::new(JITBuilder::with_isa(
        isa,
        default_libcall_names(),
    )))
}

/// What a parameter is.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    Place,
    Index,
}

fn signature(module: &JITModule, parameters: &[Kind], result: Option<Type>) -> Signature {
    let pointer = module.target_config().pointer_type();
    let mut signature = module.make_signature();
    signature.params.extend(parameters.iter().map(|kind| {
        AbiParam::new(match kind {
            Kind::Number => types::F64,
            Kind::Place => pointer,
            Kind::Index => types::I32,
        })
    }));
    signature.returns.extend(result.map(AbiParam::new));
    signature
}

/// Writes the operations of a tape as code.
struct Writer<'a> {
    tape: &'a Tape,
    builder: FunctionBuilder<'a>,
    pointer: Type,
    /// The values of the operations.
    values: Vec<Value>,
    t: Value,
    y: Value,
    out: Value,
    data: Value,
    /// For the largest system.
    room: StackSlot,
    function: SigRef,
    pair: SigRef,
    back: SigRef,
    /// Where a refused system leads to.
    refused: Block,
}

const SIZE: i32 = size_of::<f64>() as i32;

impl<'a> Writer<'a> {
    fn new(tape: &'a Tape, module: &JITModule, mut builder: FunctionBuilder<'a>) -> Writer<'a> {
        use Kind::{Index, Number, Place};
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let [t, y, out, data] = std::array::from_fn(|i| builder.block_params(entry)[i]);
        let function = signature(module, &[Number, Number], Some(types::F64));
        let pair = signature(module, &[Number, Place], None);
        let back = signature(module, &[Place, Index, Place], Some(types::I32));
        let solves = tape.solves.iter().filter(|s| !s.is_left_out());
        let lengths = solves.map(|s| s.matrix.len() + s.right.len());
        let length = lengths.max().unwrap_or(0) as u32 * SIZE as u32;
        let room = StackSlotData::new(StackSlotKind::ExplicitSlot, length, 3);
        Writer {
            tape,
            room: builder.create_sized_stack_slot(room),
            pointer: module.target_config().pointer_type(),
            values: Vec::with_capacity(tape.ops.len()),
            t,
            y,
            out,
            data,
            function: builder.import_signature(function),
            pair: builder.import_signature(pair),
            back: builder.import_signature(back),
            refused: builder.create_block(),
            builder,
        }
    }

    fn write(mut self) {
        for op in &self.tape.ops {
            self.op(*op);
        }
        for (k, register) in self.tape.outputs.iter().enumerate() {
            let value = self.read(*register);
            let offset = k as i32 * SIZE;
            self.builder
                .ins()
                .store(MemFlags::trusted(), value, self.out, offset);
        }
        self.leave(0);
        self.builder.switch_to_block(self.refused);
        self.builder.set_cold_block(self.refused);
        self.leave(1);
        self.builder.seal_all_blocks();
        self.builder.finalize();
    }

    fn leave(&mut self, answer: i64) {
        let answer = self.builder.ins().iconst(types::I32, answer);
        self.builder.ins().return_(&[answer]);
    }

    /// The value of a register. Inputs and constants are read where they are used, so that they need no
    /// place in between.
    fn read(&mut self, register: Register) -> Value {
        let place = register as usize;
        if place == 0 {
            return self.t;
        }
        if place < self.tape.inputs {
            let flags = MemFlags::trusted().with_readonly();
            let offset = (place as i32 - 1) * SIZE;
            return self.builder.ins().load(types::F64, flags, self.y, offset);
        }
        match self.tape.constant(register) {
            Some(x) => self.builder.ins().f64const(x),
            None => self.values[place - self.tape.first()],
        }
    }

    fn pair(&mut self, x: Register, y: Register) -> (Value, Value) {
        (self.read(x), self.read(y))
    }

    fn op(&mut self, op: Op) {
        let value = match op {
            Op::Neg(x) => {
                let x = self.read(x);
                self.builder.ins().fneg(x)
            }
            Op::Abs(x) => {
                let x = self.read(x);
                self.builder.ins().fabs(x)
            }
            Op::Sqrt(x) => {
                let x = self.read(x);
                self.builder.ins().sqrt(x)
            }
            Op::OrZero(x) => {
                let x = self.read(x);
                let zero = self.builder.ins().f64const(0.0);
                let known = self.builder.ins().fcmp(FloatCC::Equal, x, x);
                self.builder.ins().select(known, x, zero)
            }
            Op::Add(x, y) => {
                let (x, y) = self.pair(x, y);
                self.builder.ins().fadd(x, y)
            }
            Op::Sub(x, y) => {
                let (x, y) = self.pair(x, y);
                self.builder.ins().fsub(x, y)
            }
            Op::Mul(x, y) => {
                let (x, y) = self.pair(x, y);
                self.builder.ins().fmul(x, y)
            }
            Op::Div(x, y) => {
                let (x, y) = self.pair(x, y);
                self.builder.ins().fdiv(x, y)
            }
            Op::Power(x, y) => self.call(power as *const () as usize, x, y),
            Op::Call(f, x, y) => self.call(address(f), x, y),
            Op::SinCos(x) => return self.angle(x),
            Op::Solve(index) => {
                let tape = self.tape;
                return self.solve(index, &tape.solves[index as usize]);
            }
            Op::Part => return,
        };
        self.values.push(value);
    }

    fn call(&mut self, address: usize, x: Register, y: Register) -> Value {
        let (x, y) = self.pair(x, y);
        let address = self.builder.ins().iconst(self.pointer, address as i64);
        let call = self
            .builder
            .ins()
            .call_indirect(self.function, address, &[x, y]);
        self.builder.inst_results(call)[0]
    }

    fn angle(&mut self, x: Register) {
        let x = self.read(x);
        let room = StackSlotData::new(StackSlotKind::ExplicitSlot, 2 * SIZE as u32, 3);
        let room = self.builder.create_sized_stack_slot(room);
        let place = self.builder.ins().stack_addr(self.pointer, room, 0);
        let address = sin_cos as *const () as usize as i64;
        let address = self.builder.ins().iconst(self.pointer, address);
        self.builder
            .ins()
            .call_indirect(self.pair, address, &[x, place]);
        for offset in [0, SIZE] {
            let value = self.builder.ins().stack_load(types::F64, room, offset);
            self.values.push(value);
        }
    }

    /// The direct solution where its guards hold, the numerical routine elsewhere.
    fn solve(&mut self, index: u32, solve: &TapeSolve) {
        let solved = self.builder.create_block();
        for _ in &solve.right {
            self.builder.append_block_param(solved, types::F64);
        }
        if let Some(direct) = &solve.direct {
            let mut holds = None;
            for (a, b) in &direct.guards {
                let (a, b) = self.pair(*a, *b);
                let this = self.builder.ins().fcmp(FloatCC::GreaterThan, a, b);
                holds = Some(match holds {
                    Some(others) => self.builder.ins().band(others, this),
                    None => this,
                });
            }
            let found: Vec<BlockArg> = direct
                .solution
                .iter()
                .map(|register| self.read(*register).into())
                .collect();
            match holds {
                Some(holds) => {
                    let otherwise = self.builder.create_block();
                    self.builder.set_cold_block(otherwise);
                    self.builder
                        .ins()
                        .brif(holds, solved, &found, otherwise, &[]);
                    self.builder.switch_to_block(otherwise);
                    self.ask(index, solve, solved);
                }
                None => {
                    self.builder.ins().jump(solved, &found);
                }
            }
        } else {
            self.ask(index, solve, solved);
        }
        self.builder.switch_to_block(solved);
        let unknowns = self.builder.block_params(solved).to_vec();
        self.values.extend(unknowns);
    }

    /// Calls back for the numerical routine.
    fn ask(&mut self, index: u32, solve: &TapeSolve, solved: Block) {
        if solve.is_left_out() {
            self.builder.ins().jump(self.refused, &[]);
            return;
        }
        let room = self.room;
        for (k, register) in solve.matrix.iter().chain(&solve.right).enumerate() {
            let value = self.read(*register);
            self.builder.ins().stack_store(value, room, k as i32 * SIZE);
        }
        let work = self.builder.ins().stack_addr(self.pointer, room, 0);
        let index = self.builder.ins().iconst(types::I32, i64::from(index));
        let flags = MemFlags::trusted().with_readonly();
        let fallback = self.builder.ins().load(self.pointer, flags, self.data, 0);
        let call = self
            .builder
            .ins()
            .call_indirect(self.back, fallback, &[self.data, index, work]);
        let answer = self.builder.inst_results(call)[0];
        let found: Vec<BlockArg> = (0..solve.right.len())
            .map(|k| {
                let place = k as i32 * SIZE;
                self.builder
                    .ins()
                    .stack_load(types::F64, room, place)
                    .into()
            })
            .collect();
        let refused = self.builder.ins().icmp_imm(IntCC::NotEqual, answer, 0);
        self.builder
            .ins()
            .brif(refused, self.refused, &[], solved, &found);
    }
}
