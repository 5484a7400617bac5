//! Numbers without pattern, the same every time.

/// A linear congruential generator.
pub struct Dice(u64);

impl Dice {
    /// The dice of a number; those of neighbours have nothing in common.
    pub fn of(index: u64) -> Self {
        let mut dice = Self(index.wrapping_mul(0x9e37_79b9_7f4a_7c15) + 1);
        dice.unit();
        dice
    }

    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }

    /// A decimal of one to seven digits after the point, not 0.
    pub fn decimal(&mut self, low: f64, high: f64) -> String {
        let digits = [1, 2, 3, 4, 7][self.below(5)];
        let text = format!("{:.digits$}", low + (high - low) * self.unit());
        let zero = text.parse::<f64>().expect("a number") == 0.0;
        if zero { "0.1".to_owned() } else { text }
    }

    pub fn one_of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = self.below(i + 1);
            items.swap(i, j);
        }
    }
}
