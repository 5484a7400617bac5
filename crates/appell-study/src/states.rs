//! States on the constraints: found, judged, with independent velocities chosen.

pub(crate) mod agreement;
pub mod charts;
pub(crate) mod corners;
pub mod departures;
pub(crate) mod flat_rows;
pub mod given_states;
pub mod handles;
pub mod indeterminate;
pub mod nearest;
pub(crate) mod out_of_reach;
pub(crate) mod quaternions;
pub mod ranks;
pub mod real_rows;
pub(crate) mod regular_points;
pub mod residuals;
pub(crate) mod said_together;
pub mod scattered_states;
pub mod start;
pub(crate) mod start_tangents;
pub mod status;
pub(crate) mod touching;
pub(crate) mod touching_velocities;
pub mod varied;
pub(crate) mod velocity_problem;
pub(crate) mod wrong_motion;
