//! Loops over lanes with the vector instructions that the processor has.
#![allow(
    unsafe_code,
    reason = "functions for special processors are called here"
)]

/// Work to be done with the vector instructions of the processor. Everything that should use them must be
/// inlined into [`run`](Vectorised::run).
pub(crate) trait Vectorised {
    type Output;
    fn run(self) -> Self::Output;
}

/// Runs work with the widest instructions that this processor has. Sums and products are rounded alike on
/// all: nothing is contracted.
pub(crate) fn vectorised<W: Vectorised>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
        {
            // SAFETY: the processor has these instructions.
            return unsafe { with_avx512(work) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has these instructions.
            return unsafe { with_avx2(work) };
        }
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
fn with_avx512<W: Vectorised>(work: W) -> W::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn with_avx2<W: Vectorised>(work: W) -> W::Output {
    work.run()
}
