//! Sobol's sequence with the direction numbers of Joe and Kuo [joe2008, D6], in the order of Gray's code.

/// Degree, inner coefficients and first direction numbers of the dimensions after the first.
const TABLE: [(u32, u32, &[u32]); 20] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// How many columns a sample may have.
pub(super) const DIMENSIONS: usize = TABLE.len() + 1;

/// The digits of a point.
const BITS: usize = 32;

/// How many points there are.
pub(super) const POINTS: u64 = 1 << BITS;

/// The directions of a dimension, counted from 0.
fn directions(dimension: usize) -> [u32; BITS] {
    let mut v = [0; BITS];
    let Some(&(degree, inner, first)) = dimension.checked_sub(1).and_then(|row| TABLE.get(row))
    else {
        return std::array::from_fn(|i| 1 << (BITS - 1 - i));
    };
    let s = degree as usize;
    for i in 0..BITS {
        v[i] = match first.get(i) {
            Some(m) => m << (BITS - 1 - i),
            None => (1..s).fold(v[i - s] ^ (v[i - s] >> s), |sum, k| {
                sum ^ (((inner >> (s - 1 - k)) & 1) * v[i - k])
            }),
        };
    }
    v
}

/// All directions of a sample.
pub(super) fn all_directions(dimensions: usize) -> Vec<[u32; BITS]> {
    (0..dimensions).map(directions).collect()
}

/// The digits of a coordinate of a point.
pub(super) fn digits(directions: &[u32; BITS], point: u64) -> u32 {
    let gray = point ^ (point >> 1);
    let chosen = directions.iter().enumerate();
    chosen.fold(0, |sum, (i, v)| sum ^ (((gray >> i) & 1) as u32 * v))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `scipy.stats.qmc.Sobol(21, scramble=False)` has them (SciPy 1.17): points 1 and 12345.
    #[test]
    fn points_are_those_of_another_program() {
        let all = all_directions(DIMENSIONS);
        let point = |n| all.iter().map(|v| digits(v, n)).collect::<Vec<u32>>();
        assert!(point(0).iter().all(|x| *x == 0));
        assert!(point(1).iter().all(|x| *x == 1 << 31));
        assert_eq!(point(12_345), POINT_12345);
    }

    const POINT_12345: [u32; DIMENSIONS] = [
        2_752_774_144,
        3_493_593_088,
        688_652_288,
        2_262_564_864,
        3_816_030_208,
        252_968_960,
        546_570_240,
        486_801_408,
        3_443_785_728,
        1_845_231_616,
        319_029_248,
        2_571_894_784,
        3_998_482_432,
        4_045_144_064,
        148_111_360,
        2_752_249_856,
        268_697_600,
        218_890_240,
        1_371_799_552,
        1_475_084_288,
        855_900_160,
    ];
}
