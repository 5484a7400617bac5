//! Colours: a perceptually uniform map for numbers, and classes that stay apart for every kind of colour vision.

use super::drawing::Rgb;

/// Coefficients of polynomials of degree 6 for red, green and blue, fitted to `viridis` [smith2015].
const VIRIDIS: [[f64; 3]; 7] = [
    [0.277_727_327, 0.005_407_345, 0.334_099_805],
    [0.105_093_043, 1.404_613_53, 1.384_590_163],
    [-0.330_861_829, 0.214_847_559, 0.095_095_163],
    [-4.634_230_499, -5.799_100_973, -19.332_440_956],
    [6.228_269_936, 14.179_933_367, 56.690_552_601],
    [4.776_384_998, -13.745_145_377, -65.353_032_633],
    [-5.435_455_856, 4.645_852_612, 26.312_435_249],
];

/// What has no number.
pub(super) const UNDEFINED: Rgb = [0xcc, 0xcc, 0xcc];

/// Colours of classes [okabe2008, fig. 16].
pub(super) const CLASSES: [Rgb; 7] = [
    [0x00, 0x72, 0xb2],
    [0xe6, 0x9f, 0x00],
    [0x00, 0x9e, 0x73],
    [0xcc, 0x79, 0xa7],
    [0x56, 0xb4, 0xe9],
    [0xd5, 0x5e, 0x00],
    [0x33, 0x33, 0x33],
];

/// The colour of a number between 0 and 1.
pub(super) fn map(x: f64) -> Rgb {
    let x = x.clamp(0.0, 1.0);
    [0, 1, 2].map(|c| {
        let value = VIRIDIS.iter().rev().fold(0.0, |sum, row| sum * x + row[c]);
        (255.0 * value.clamp(0.0, 1.0)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lightness `L*` of CIE 1976.
    fn lightness(colour: Rgb) -> f64 {
        let linear = |c: u8| {
            let c = f64::from(c) / 255.0;
            match c <= 0.040_45 {
                true => c / 12.92,
                false => ((c + 0.055) / 1.055).powf(2.4),
            }
        };
        let [r, g, b] = colour.map(linear);
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        116.0 * y.cbrt() - 16.0
    }

    /// Equal steps of the number are nearly equal steps of the lightness.
    #[test]
    fn the_map_is_uniform_to_the_eye() {
        let lightnesses: Vec<f64> = (0..=32)
            .map(|i| lightness(map(f64::from(i) / 32.0)))
            .collect();
        let steps: Vec<f64> = lightnesses
            .windows(2)
            .map(|pair| pair[1] - pair[0])
            .collect();
        let mean = steps.iter().sum::<f64>() / 32.0;
        assert!(mean > 2.0, "{mean}");
        assert!(
            steps.iter().all(|step| (0.5..1.6).contains(&(step / mean))),
            "{steps:?}"
        );
    }
}
