//! The tests of this crate in one program: it is linked once, and its tests share the processors.

mod common;

mod cache;
mod check;
mod conserved;
mod derive;
mod documentation;
mod ensemble;
mod errors;
mod eval;
mod files;
mod fmu;
mod lab;
mod linearize;
mod numbers;
mod prove;
mod report;
mod run;
mod several;
#[cfg(target_os = "linux")]
mod signals;
#[cfg(feature = "sweep")]
mod sweep;
#[cfg(unix)]
mod targets;
mod texts;
