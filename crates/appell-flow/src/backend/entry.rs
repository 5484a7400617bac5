//! Machine code as a plain C function, for callers in any language.
#![allow(unsafe_code, reason = "machine code is called here")]

use super::native::{Entry, Machine};
use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;

/// A right-hand side as a C function `int f(double t, const double *y, double *out, void *data)`.
///
/// It reads [`inputs`](Self::inputs) numbers at `y` and writes [`outputs`](Self::outputs) numbers to `out`,
/// which must not overlap. It answers 0, or 1 where a linear system has no solution, and then what stands at
/// `out` means nothing. Results are not looked at: they may be infinite or no numbers. Ranks are found anew in
/// each call, as by [`Field::eval`](crate::Field::eval) with a fresh workspace.
///
/// Calls change nothing but `out`, so that threads may make them side by side. Address and data live as long
/// as the [`Compiled`](crate::Compiled) that they were taken from.
#[derive(Clone, Copy)]
pub struct CFunction<'a> {
    entry: Entry,
    data: *const c_void,
    inputs: usize,
    outputs: usize,
    owner: PhantomData<&'a Machine>,
}

// SAFETY: the code writes to the place of its results only, and nobody writes to the data.
unsafe impl Send for CFunction<'_> {}
// SAFETY: as above.
unsafe impl Sync for CFunction<'_> {}

impl<'a> CFunction<'a> {
    pub(super) fn new(machine: &'a Machine) -> CFunction<'a> {
        let (entry, data) = machine.plain();
        let (inputs, outputs) = machine.sizes();
        CFunction {
            entry,
            data,
            inputs,
            outputs,
            owner: PhantomData,
        }
    }

    /// The address of the function.
    pub fn address(&self) -> unsafe extern "C" fn(f64, *const f64, *mut f64, *mut c_void) -> c_int {
        self.entry
    }

    /// What it is to be given as `data`. Nobody may write there.
    pub fn data(&self) -> *mut c_void {
        self.data.cast_mut()
    }

    /// The number of components of `y`.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The number of results.
    pub fn outputs(&self) -> usize {
        self.outputs
    }

    /// Calls it; whether it answered 0.
    ///
    /// # Panics
    /// Where `y` or `out` is too short.
    #[inline]
    pub fn call(&self, t: f64, y: &[f64], out: &mut [f64]) -> bool {
        assert!(y.len() >= self.inputs && out.len() >= self.outputs);
        // SAFETY: the slices are long enough, do not overlap, and the owner of code and data is alive.
        unsafe { (self.entry)(t, y.as_ptr(), out.as_mut_ptr(), self.data()) == 0 }
    }
}

impl fmt::Debug for CFunction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CFunction({} -> {})", self.inputs, self.outputs)
    }
}
