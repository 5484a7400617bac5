//! The numbers that decide about a step and its control, for single motions, for lanes and for machine code: each of them
//! stands here only.

pub(crate) const SAFETY: f64 = 0.9;

pub(crate) const SHRINK: f64 = 1.0 / 3.0;

pub(crate) const GROW: f64 = 6.0;

/// What remains of a longer motion says nothing of the steps that it needs now.
pub(crate) const LONG: f64 = 1e3;

/// The least step, relative to the time or to what remains.
pub(crate) const LEAST: f64 = 16.0 * f64::EPSILON;

/// A start off the manifold by more than this, relative to the terms of a row, is none.
pub(crate) const OFF: f64 = 1e-6;
/// A row that depends on others and misses more than this, relative to its terms, contradicts them.
pub(crate) const MISSED: f64 = 1e-6;
/// It may miss so many relative tolerances, which may add up, but not more than the part that follows; and so many times
/// what it misses at the start, where numbers are given to rounded digits.
pub(crate) const DRIFT: f64 = 1e3;
pub(crate) const COARSE: f64 = 1e-2;
pub(crate) const ROUNDED: f64 = 100.0;
/// A correction longer than this many tolerances leaves the neighbourhood of the step.
pub(crate) const FAR: f64 = 10.0;
/// Off the manifold by less than this, relative to the terms of a row, is rounding.
pub(crate) const ROUNDING: f64 = 1e-12;
/// Rounding level of a residual: a row whose terms nearly all carry an error of half a unit.
pub(crate) const AIM: f64 = 1e-15;
/// Newton's corrections converge quadratically; more than these would only chase rounding errors.
pub(crate) const CORRECTIONS: usize = 8;
/// A least singular value below this, relative to the largest, is a singular state.
pub const SINGULAR: f64 = 1e-6;
/// Parts of a step at which the slope of a Taylor polynomial is held against the right-hand side: the coefficients at the
/// start know nothing of a smooth wall ahead whose tail is lost in rounding.
pub(crate) const PROBES: [f64; 4] = [0.21, 0.46, 0.71, 0.96];
/// Parts of a step between which singular values and rows are compared.
pub(crate) const PARTS: usize = 4;
/// Parts of a step between which rows over lanes are compared at the first look. Where a cubic vanishes within the step,
/// a third of it shows a turn, or a change of length that is not steady.
pub(crate) const ROUGH: usize = 3;
/// Parts at the second look.
pub(crate) const FINE: usize = 8;
/// Rows `a` and `b` follow each other steadily where `a.b` is more than this part of `(a.a + b.b)/2`: they turn by less
/// than 46 degrees, or change their length by less than a factor of 2.4.
pub(crate) const STEADY: f64 = 0.7;
/// A last step may be longer by this factor rather than leave a remainder.
pub(crate) const STRETCH: f64 = 1.01;
/// A step that the time rounds by more than this part of itself is as long as the time makes it.
pub(crate) const ROUNDED_TIME: f64 = 1e-10;

/// The numbers that machine code reads.
#[cfg_attr(not(feature = "cc"), allow(dead_code, reason = "read by machine code"))]
pub(crate) fn rules() -> [(&'static str, f64); 15] {
    [
        ("SINGULAR", SINGULAR),
        ("ROUGH", ROUGH as f64),
        ("STEADY", STEADY),
        ("FAR", FAR),
        ("ROUNDING", ROUNDING),
        ("AIM", AIM),
        ("CORRECTIONS", CORRECTIONS as f64),
        ("SAFETY", SAFETY),
        ("SHRINK", SHRINK),
        ("GROW", GROW),
        ("LEAST", LEAST),
        ("LONG", LONG),
        ("OFF", OFF),
        ("STRETCH", STRETCH),
        ("ROUNDED_TIME", ROUNDED_TIME),
    ]
}

/// Whether Newton's corrections of a residual go on: it is above rounding level, and the last one
/// made it smaller.
pub(crate) fn goes_on(before: f64, after: f64) -> bool {
    after < before && after > AIM
}
