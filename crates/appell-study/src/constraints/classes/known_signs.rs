//! Signs of functions of the place.

use crate::states::real_rows::Signs;
use crate::states::scattered_states::{scattered_constrained_state, scattered_state};
use crate::states::start::start;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Sketch};

/// States at which signs are looked at, and at each scale.
const SIGNS: u32 = 5;
/// Sizes of coordinates and times, beyond those of scattered states.
const SCALES: [f64; 6] = [1e-3, 0.1, 10.0, 100.0, 1e4, 1e6];

/// What is known of the signs of some functions of coordinates.
pub(super) enum Known {
    Everywhere(Vec<bool>),
    /// They are the same at scattered states.
    ByNumbers(Vec<bool>),
    /// They change; at the start they are these, in words.
    AtStart(Vec<bool>, String),
    Not,
}

pub(super) fn is_constant(signs: &[bool]) -> bool {
    signs.iter().all(|s| *s == signs[0])
}

/// Signs up to a common one.
fn relative(signs: &[bool]) -> Vec<bool> {
    let first = signs.first().copied().unwrap_or_default();
    signs.iter().map(|s| *s == first).collect()
}

/// The signs of some functions of coordinates: the same everywhere, by their terms; or the same at
/// scattered states; or, where they change, those at the start.
pub(super) fn known_signs<'g>(p: &Prepared<'g>, xs: &[Ex<'g>]) -> Known {
    let ranges = Signs::new(p);
    let ranges: Vec<_> = xs.iter().map(|x| ranges.of(*x)).collect();
    if ranges.iter().all(|range| range.excludes_zero()) {
        return Known::Everywhere(ranges.iter().map(|range| range.is_positive()).collect());
    }
    let mut sketch = Sketch::new(p.system.graph);
    sketch.output_list("x", xs);
    let field = p.compile(&sketch, &["x"]);
    let at = |(t, q, v): (f64, Vec<f64>, Vec<f64>)| -> Option<Vec<bool>> {
        let values = field.results(t, &[q, v].concat()).ok()?;
        let known = values.iter().all(|x| x.is_finite() && *x != 0.0);
        known.then(|| values.iter().map(|x| *x > 0.0).collect())
    };
    let start = start(p).ok();
    let start = start.and_then(|start| at((start.t, start.q, start.v)));
    // Signs of functions of coordinates are looked at off the constraints too.
    let scattered = (0..SIGNS).filter_map(|sample| {
        let on = scattered_constrained_state(p, sample).and_then(at);
        on.or_else(|| at(scattered_state(p, sample)))
    });
    let far = SCALES.iter().flat_map(|scale| {
        (0..SIGNS).map(move |sample| {
            let (t, q, v) = scattered_state(p, sample);
            let scaled = |x: Vec<f64>| x.into_iter().map(|x| scale * x).collect();
            let sign = if sample % 2 == 0 { *scale } else { -scale };
            (sign * t, scaled(q), v)
        })
    });
    let far = far.filter_map(at);
    let all = start.clone().into_iter().chain(scattered).chain(far);
    let all: Vec<Vec<bool>> = all.collect();
    let Some(first) = all.first() else {
        return Known::Not;
    };
    if all.iter().all(|signs| relative(signs) == relative(first)) {
        return Known::ByNumbers(first.clone());
    }
    let Some(signs) = start else {
        return Known::Not;
    };
    let changing = (0..xs.len()).filter(|i| !ranges[*i].excludes_zero());
    let words: Vec<String> = changing
        .map(|i| format!("{} {} 0", xs[i], if signs[i] { ">" } else { "<" }))
        .collect();
    Known::AtStart(
        signs,
        format!("where {}, as at the start", words.join(", ")),
    )
}
