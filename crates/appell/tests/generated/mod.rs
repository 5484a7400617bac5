//! Generated models with claims whose truth is known by construction, the same for the same seed.

pub mod awkward;
pub mod constants;
pub mod draft;
pub mod entries;
pub mod factors;
pub mod holonomic;
pub mod intersections;
pub mod parameters;
pub mod products;
pub mod random;
pub mod scale;
pub mod words;

use draft::Case;
use random::Random;

type Generator = fn(&mut Random, usize) -> Case;

/// The generators and how many models of each.
const GENERATORS: &[(Generator, usize)] = &[
    (products::alone, 36),
    (products::of_several_velocities, 16),
    (products::together, 24),
    (products::shared_factor, 16),
    (products::selected, 12),
    (products::selected_line, 8),
    (intersections::set, 2 * intersections::KINDS),
    (awkward::set, awkward::KINDS + 9),
    (holonomic::set, 2 * holonomic::KINDS),
    (parameters::case, 3 * parameters::KINDS),
    (scale::identities, 24),
    (scale::nearly, 12),
    (scale::inverses, 22),
    (constants::case, 4 * constants::KINDS),
    (constants::with_jumps, 9),
    (constants::in_si_units, 9),
    (words::classes, 19),
    (words::singular, 10),
    (words::void, 12),
];

/// The cases of a seed. Each has its own random numbers, whatever the others draw.
pub fn cases(seed: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, (generate, count)) in GENERATORS.iter().enumerate() {
        for number in 0..*count {
            let of_case = 1_000_003 * seed + 10_007 * kind as u64 + number as u64;
            cases.push(generate(&mut Random::new(of_case), number));
        }
    }
    cases
}
