//! States on the constraints: found, judged, with independent velocities chosen.

pub mod charts;
pub mod departures;
pub(crate) mod flat_rows;
pub mod given_states;
pub mod nearest;
pub(crate) mod quaternions;
pub mod ranks;
pub mod real_rows;
pub mod residuals;
pub mod scattered_states;
pub mod start;
pub mod status;
pub(crate) mod touching;
pub(crate) mod wrong_motion;
