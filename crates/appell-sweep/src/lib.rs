//! Studies of many motions: designs instead of tables, parts that are ordinary files, reductions where the motions are
//! computed.
//!
//! ```text
//! design -> values of member n -> motions of a part -> columns -> part-00000.parquet
//! ```
//!
//! [`design::read`] reads a design, [`sweep`] computes what is missing of a study in a folder, or of a share of it;
//! [`status`] and [`table`] tell what is there. The motions are those of
//! [`appell_study::motion::ensemble`]: nothing here integrates.

pub mod columns;
pub mod design;
mod document;
pub mod folder;
pub mod manifest;
mod npz;
mod part;
mod problem;
mod reduce;
mod study;
mod table;

pub use design::Design;
pub use folder::Folder;
pub use problem::Problem;
pub use reduce::KINDS;
pub use study::{
    Done, Estimate, Progress, SweepOptions, apply, estimate, exactly, section, status, sweep,
    table, units,
};
