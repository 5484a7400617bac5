//! Random numbers and words with a seed: xorshift64* (Vigna 2016), the same on every machine.

/// A generator of random numbers.
pub struct Random(u64);

impl Random {
    /// The generator of a seed; neighbouring seeds give unrelated numbers (`SplitMix64` mixes them).
    pub fn new(seed: u64) -> Self {
        let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Self((z ^ (z >> 31)) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// One of `0 .. n`.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from((self.next() >> 33) % n as u64).expect("below n")
    }

    /// One of `low ..= high`.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True once in `n` times.
    pub fn once_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of these.
    pub fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    /// These in random order.
    pub fn shuffled<T: Clone>(&mut self, of: &[T]) -> Vec<T> {
        let mut left = of.to_vec();
        let mut order = Vec::new();
        while !left.is_empty() {
            order.push(left.swap_remove(self.below(left.len())));
        }
        order
    }

    /// A coefficient that is neither 0 nor 1 nor -1, as text to be put before a `*`.
    pub fn coefficient(&mut self) -> String {
        self.pick(&[
            "2", "3", "5", "(-2)", "(-3)", "1/2", "3/2", "(-2/3)", "0.7", "1.25",
        ])
        .to_owned()
    }

    /// A positive number other than 1, as text.
    pub fn positive(&mut self) -> String {
        self.pick(&["2", "3", "5", "7", "0.5", "1.5", "0.25", "4.2"])
            .to_owned()
    }
}
