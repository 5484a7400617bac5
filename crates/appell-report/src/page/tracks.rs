//! Places over the time as short texts: whole numbers of a step, each told by how much it differs from
//! where the two before it point.

use super::scene::Track;
use super::security::base64;

/// Tracks by their numbers: what many shapes share, as the axes of their body, stands in the page once.
#[derive(Default)]
pub(crate) struct Tracks {
    pub texts: Vec<String>,
}

impl Tracks {
    /// The number of a track, written with so many digits of its largest component.
    pub(crate) fn number(&mut self, track: &Track, digits: i32) -> usize {
        let text = written(track, digits);
        let known = self.texts.iter().position(|other| *other == text);
        known.unwrap_or_else(|| {
            self.texts.push(text);
            self.texts.len() - 1
        })
    }
}

/// `STEP;` and the samples in Base64; `x,y,z` where nothing moves.
fn written(track: &Track, digits: i32) -> String {
    let finite = track.iter().flatten().filter(|x| x.is_finite());
    let largest = finite.fold(0.0_f64, |size, x| size.max(x.abs()));
    let exponent = match largest > 0.0 {
        true => largest.log10().floor() as i32 + 1 - digits,
        false => 0,
    };
    let step: f64 = format!("1e{exponent}").parse().unwrap_or(1.0);
    let whole = |x: f64| x.is_finite().then(|| (x / step).round() as i64);
    let samples: Vec<[Option<i64>; 3]> = track.iter().map(|p| p.map(whole)).collect();
    if let Some([Some(x), Some(y), Some(z)]) = constant(&samples) {
        return [x, y, z].map(|k| format!("{}e{exponent}", k)).join(",");
    }
    let mut bytes = Vec::new();
    let mut before = [[0_i64; 2]; 3];
    for sample in &samples {
        for (value, [last, one]) in sample.iter().zip(&mut before) {
            let Some(value) = *value else {
                bytes.push(0);
                continue;
            };
            let difference = value - (2 * *last - *one);
            // Signs go to the last place; 0 is for what is not defined.
            varint(
                ((difference << 1) ^ (difference >> 63)) as u64 + 1,
                &mut bytes,
            );
            (*one, *last) = (*last, value);
        }
    }
    format!("1e{exponent};{}", base64(&bytes))
}

/// The one place of a track at rest.
fn constant(samples: &[[Option<i64>; 3]]) -> Option<[Option<i64>; 3]> {
    let first = samples.first()?;
    samples
        .iter()
        .all(|sample| sample == first)
        .then_some(*first)
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn varint(mut value: u64, bytes: &mut Vec<u8>) {
    while value >= 128 {
        bytes.push((value & 127) as u8 | 128);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rests_is_one_place_and_what_is_shared_stands_once() {
        let mut tracks = Tracks::default();
        let rests: Track = vec![[1.0, -2.5, 0.0]; 7];
        let moves: Track = (0..7).map(|i| [f64::from(i), 0.5, f64::NAN]).collect();
        assert_eq!(tracks.number(&rests, 3), 0);
        assert_eq!(tracks.number(&moves, 3), 1);
        assert_eq!(tracks.number(&rests, 3), 0);
        assert_eq!(tracks.texts[0], "100e-2,-250e-2,0e-2");
        assert!(tracks.texts[1].starts_with("1e-2;"));
    }

    #[test]
    fn a_straight_motion_needs_a_byte_a_number() {
        let line: Track = (0..100).map(|i| [0.01 * f64::from(i), 0.0, 1.0]).collect();
        let text = written(&line, 6);
        assert!(text.len() < 100 * 3 * 4 / 3 + 30, "{}", text.len());
    }

    #[test]
    fn numbers_of_seven_bits() {
        let of = |value| {
            let mut bytes = Vec::new();
            varint(value, &mut bytes);
            bytes
        };
        assert_eq!(of(1), [1]);
        assert_eq!(of(300), [0b1010_1100, 0b10]);
    }
}
