//! Which solutions of `x' = A x` grow, as far as it is known, where the entries of `A` are known to a part of themselves.

use super::eigenvalues::{Spectrum, block_of, irreducible, reaches, spectrum_beside};
use super::uncertainties::uncertainties;

/// What is known of the solutions that belong to an eigenvalue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Growth {
    /// Its real part is positive.
    Grows,
    /// Its real part is negative.
    Decays,
    /// It is 0.
    Zero,
    /// It is imaginary, and its solutions are oscillations of constant amplitude.
    Oscillates,
    /// It is imaginary, and multiple or nearly so: without as many eigenvectors its solutions grow with the time.
    Multiple,
    /// Its real part may be positive, negative or 0.
    Open,
}

/// What is known of an eigenvalue.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    /// What its solutions do.
    pub growth: Growth,
    /// How far it may be from the number that was found.
    pub within: f64,
}

/// An eigenvalue of one of the irreducible diagonal blocks.
struct Member {
    block: usize,
    value: (f64, f64),
    known: Known,
}

/// What is known of each of these eigenvalues of a row-major `n x n` matrix, as [`spectrum_beside`] gives them, where every
/// entry is known to this part of itself and zeros are exact.
///
/// No number that was rounded is known to be imaginary. It is where `S A S = -A` with a diagonal matrix `S` of signs,
/// for then the spectrum of a block has with `z` also `-conj(z)`: of two such eigenvalues closer to each other than to any
/// third, both are one.
pub fn growth(
    n: usize,
    (a, rounding): (&[f64], &[f64]),
    values: &[(f64, f64)],
    part: f64,
) -> Vec<Known> {
    let blocks = irreducible(n, a);
    let numbered = blocks.iter().enumerate();
    let mut members: Vec<Member> = numbered
        .flat_map(|(block, places)| {
            let matrices = [a, rounding].map(|all| block_of(n, all, places));
            members_of(block, matrices.each_ref().map(Vec::as_slice), part)
        })
        .collect();
    mark_coupled(&mut members, &blocks, n, &reaches(n, a));
    let unknown = Known {
        growth: Growth::Open,
        within: f64::INFINITY,
    };
    let nearest = |value: &(f64, f64)| {
        let gap = |i: &usize| distance(members[*i].value, *value);
        let place = (0..members.len()).min_by(|i, j| gap(i).total_cmp(&gap(j)))?;
        Some(members.swap_remove(place).known)
    };
    let known = values.iter().map(nearest);
    known.map(|known| known.unwrap_or(unknown)).collect()
}

fn distance(a: (f64, f64), b: (f64, f64)) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

/// The eigenvalues of a block.
fn members_of(block: usize, [a, rounding]: [&[f64]; 2], part: f64) -> Vec<Member> {
    let n = a.len().isqrt();
    let values = spectrum_beside(n, a, rounding)
        .as_ref()
        .map_or(Vec::new(), Spectrum::all);
    let mut within = uncertainties(n, a, &values, part);
    // Zeros are counted, not computed.
    let zeros = values.iter().zip(&mut within);
    zeros
        .filter(|(value, _)| **value == (0.0, 0.0))
        .for_each(|(_, radius)| *radius = 0.0);
    let mirrored = is_mirrored(n, a);
    let growth = |i: usize| {
        let ((re, im), radius) = (values[i], within[i]);
        let apart = |j: usize| i == j || distance(values[i], values[j]) > radius + within[j];
        match re {
            _ if (re, im) == (0.0, 0.0) => Growth::Zero,
            re if re > radius => Growth::Grows,
            re if re < -radius => Growth::Decays,
            _ if !mirrored || im.abs() <= radius || radius.is_nan() => Growth::Open,
            _ if (0..values.len()).all(apart) => Growth::Oscillates,
            _ => Growth::Multiple,
        }
    };
    let member = |i: usize| Member {
        block,
        value: values[i],
        known: Known {
            growth: growth(i),
            within: within[i],
        },
    };
    (0..values.len()).map(member).collect()
}

/// Whether `S A S = -A` with a diagonal matrix `S` of signs: no entry stands between two unknowns of one sign.
fn is_mirrored(n: usize, a: &[f64]) -> bool {
    let linked = |i: usize, j: usize| a[i * n + j] != 0.0 || a[j * n + i] != 0.0;
    let mut signs: Vec<Option<bool>> = vec![None; n];
    for first in 0..n {
        let mut waiting = Vec::new();
        if signs[first].is_none() {
            signs[first] = Some(true);
            waiting.push(first);
        }
        while let Some(i) = waiting.pop() {
            for j in (0..n).filter(|j| linked(i, *j)) {
                if signs[j] == signs[i] {
                    return false;
                }
                if signs[j].is_none() {
                    signs[j] = signs[i].map(|sign| !sign);
                    waiting.push(j);
                }
            }
        }
    }
    true
}

/// Equal eigenvalues of two blocks, one of which drives the other, have one eigenvector: `x'' = -x + y`, `y'' = -y`.
fn mark_coupled(members: &mut [Member], blocks: &[Vec<usize>], n: usize, reaches: &[bool]) {
    let drives = |i: &Member, j: &Member| reaches[blocks[j.block][0] * n + blocks[i.block][0]];
    let meets = |i: &Member, j: &Member| {
        let near = distance(i.value, j.value) <= i.known.within + j.known.within;
        i.block != j.block && near && (drives(i, j) || drives(j, i))
    };
    let coupled: Vec<bool> = members
        .iter()
        .map(|i| members.iter().any(|j| meets(i, j)))
        .collect();
    for (member, coupled) in members.iter_mut().zip(coupled) {
        if coupled && member.known.growth == Growth::Oscillates {
            member.known.growth = Growth::Multiple;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::spectrum;
    use super::*;

    fn of(n: usize, a: &[f64]) -> Vec<Growth> {
        let values = spectrum(n, a, None).expect("it converges").all();
        let known = growth(n, (a, &[]), &values, 1e-9);
        known.iter().map(|known| known.growth).collect()
    }

    /// `x'' = -x + c y`, `y'' = -y`.
    #[test]
    fn equal_frequencies_stay_bounded_only_without_coupling() {
        let pair = |c: f64| {
            of(
                4,
                &[
                    0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, -1.0, c, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0,
                ],
            )
        };
        assert_eq!(pair(0.0), [Growth::Oscillates; 4]);
        for coupling in [1.0, -0.25, 1e-13] {
            assert_eq!(pair(coupling), [Growth::Multiple; 4], "{coupling}");
        }
    }

    /// An entry below what is known of the others: its sign is the eigenvalue's, and the zeros of a reversible motion.
    #[test]
    fn what_is_not_zero_by_its_form_is_not_said_to_be() {
        assert_eq!(of(2, &[0.0, 1.0, -1.0, 0.0]), [Growth::Oscillates; 2]);
        assert_eq!(of(2, &[0.0, 1.0, -1.0, 1e-9]), [Growth::Open; 2]);
        assert_eq!(of(2, &[0.0, 1.0, -1.0, 1e-3]), [Growth::Grows; 2]);
        assert_eq!(of(2, &[0.0, 1.0, 0.0, 0.0]), [Growth::Zero; 2]);
    }

    /// A disc that rolls straight on, in its lean, the lean's rate and the rate of the heading.
    #[test]
    fn a_zero_leaves_the_oscillation_beside_it_simple() {
        let found = of(3, &[0.0, 1.0, 0.0, 31.392, 0.0, 7.2, 0.0, -12.0, 0.0]);
        let count = |growth: Growth| found.iter().filter(|g| **g == growth).count();
        let both = (count(Growth::Oscillates), count(Growth::Zero));
        assert_eq!(both, (2, 1), "{found:?}");
    }

    /// `V = 1e10 (x - y)^2/2 - x^2/2` grows at the rate 0.7071, which is lost in the rounding of the entries.
    #[test]
    fn slow_growth_lost_in_stiff_entries_is_open() {
        let stiff = [
            0.0,
            0.0,
            1.0,
            0.0,
            0.0,
            0.0,
            0.0,
            1.0,
            -9_999_999_999.0,
            1e10,
            0.0,
            0.0,
            1e10,
            -1e10,
            0.0,
            0.0,
        ];
        let found = of(4, &stiff);
        let open = found.iter().filter(|g| **g == Growth::Open);
        assert_eq!(open.count(), 2, "{found:?}");
    }
}
