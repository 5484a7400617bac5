//! Appell's output: what was derived and what was computed, in words and pictures.
//!
//! [`derivation`] shows the equations of a formalism to a person, as text, LaTeX or MathML, [`mod@code`] to a compiler; [`plot`]
//! draws motions, [`svg`] is the writer underneath. Everything is a function from values to a
//! string, the same string every time. Nothing here solves, integrates or reads files.

pub mod chart;
pub mod cite;
pub mod code;
pub mod derivation;
pub mod export;
pub mod fmu;
mod lettering;
pub mod mathml;
mod padding;
pub mod page;
pub mod plot;
pub mod plot_format;
pub mod report;
pub mod show;
pub mod svg;
pub mod tex;
mod ticks;
pub mod tikz;
mod units;
mod zip;
