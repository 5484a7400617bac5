//! Random numbers by counting: Philox 4x32-10 [salmon2011, p. 5]. A number is a function of a key and a counter, and of
//! nothing that came before.

const ROUNDS: u32 = 10;
const MULTIPLIERS: [u32; 2] = [0xD251_1F53, 0xCD9E_8D57];
const WEYL: [u32; 2] = [0x9E37_79B9, 0xBB67_AE85];

/// The block of a counter under a key.
fn block(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let product = |a: u32, b: u32| {
        let whole = u64::from(a) * u64::from(b);
        ((whole >> 32) as u32, whole as u32)
    };
    for _ in 0..ROUNDS {
        let (high0, low0) = product(MULTIPLIERS[0], counter[0]);
        let (high1, low1) = product(MULTIPLIERS[1], counter[2]);
        counter = [
            high1 ^ counter[1] ^ key[0],
            low1,
            high0 ^ counter[3] ^ key[1],
            low0,
        ];
        key = [key[0].wrapping_add(WEYL[0]), key[1].wrapping_add(WEYL[1])];
    }
    counter
}

/// 64 bits of a seed for a place in a table, by row and column.
pub(super) fn bits(seed: u64, row: u64, column: u32) -> u64 {
    let counter = [row as u32, (row >> 32) as u32, column, 0];
    let [a, b, ..] = block(counter, [seed as u32, (seed >> 32) as u32]);
    u64::from(a) | u64::from(b) << 32
}

/// A number of 53 bits in `[0, 1)`.
pub(super) fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of the authors' library Random123.
    #[test]
    fn blocks_are_those_of_the_authors() {
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let rows = [
            (
                [0; 4],
                [0; 2],
                [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8],
            ),
            (
                [!0; 4],
                [!0; 2],
                [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd],
            ),
            (
                pi,
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, answer) in rows {
            assert_eq!(block(counter, key), answer);
        }
        assert_eq!(bits(0, 0, 0), 0xe169_c58d_6627_e8d5);
        assert_eq!(unit(!0), 1.0 - f64::EPSILON / 2.0);
    }
}
