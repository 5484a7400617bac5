//! Where the marks of an axis stand and what they say.
//!
//! Steps are 1, 2 or 5 times a power of ten [heckbert1990, p. 61]. A mark is a whole multiple of
//! the step, kept as an integer until its label is printed, so a label never shows the digits of
//! a rounding error.

/// The marks of one axis, in increasing order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ticks {
    /// The labelled marks.
    pub marks: Vec<Mark>,
    /// Values of the fine grid between the marks (logarithmic axes only).
    pub minor: Vec<f64>,
    /// What to do with a label to get the value, as `"×10⁻⁷ + 9.81"`; empty for nothing.
    pub note: String,
}

/// One labelled mark.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mark {
    /// Where it stands.
    pub value: f64,
    /// What is printed beside it.
    pub label: String,
}

/// A label of more digits than this is printed as a difference from a common offset.
const LABEL_DIGITS: i32 = 5;

/// Marks on a linear axis from `lo` to `hi`, as close as a nice step of `least` or more allows;
/// two at least if `least` is at most a fifth of the axis.
///
/// Needs `lo < hi`, both finite, with a width of more than some rounding errors of `lo` and `hi`,
/// and a `least` that is not much smaller than the width.
pub(crate) fn linear(lo: f64, hi: f64, least: f64) -> Ticks {
    let step = Step::at_least(least);
    let counts = step.counts(lo, hi);
    let (labels, note) = step.labels(&counts);
    let marks = counts
        .iter()
        .zip(labels)
        .map(|(&count, label)| Mark {
            value: step.value(count),
            label,
        })
        .collect();
    Ticks {
        marks,
        minor: Vec::new(),
        note,
    }
}

/// Marks on a logarithmic axis from `lo` to `hi`: powers of ten where three of them fit, else the
/// multiples 1, 2, 5 of them where three of those fit, else a linear axis's marks.
///
/// Needs `0 < lo < hi`, both finite.
pub(crate) fn logarithmic(lo: f64, hi: f64, most: usize) -> Ticks {
    let within = |value: f64| lo <= value && value <= hi;
    let decades: Vec<i32> = (exponent_of(lo)..=exponent_of(hi)).collect();
    let products = |digits: &[i64]| -> Vec<(i64, i32)> {
        decades
            .iter()
            .flat_map(|&e| digits.iter().map(move |&d| (d, e)))
            .filter(|&(d, e)| within(scaled(d, e)))
            .collect()
    };
    let stride = decades.len().div_ceil(most.max(1)).max(1) as i32;
    let powers: Vec<(i64, i32)> = products(&[1])
        .into_iter()
        .filter(|(_, e)| e.rem_euclid(stride) == 0)
        .collect();
    let chosen = if powers.len() >= 3 {
        powers
    } else {
        products(&[1, 2, 5])
    };
    if chosen.len() < 3 {
        return linear(lo, hi, (hi - lo) / most as f64);
    }
    let fine: &[i64] = match stride {
        1 => &[2, 3, 4, 5, 6, 7, 8, 9],
        2..=10 => &[1],
        _ => &[],
    };
    let minor = products(fine)
        .into_iter()
        .filter(|product| !chosen.contains(product))
        .map(|(d, e)| scaled(d, e))
        .collect();
    Ticks {
        marks: power_marks(&chosen),
        minor,
        note: String::new(),
    }
}

/// Marks at `digit * 10^exponent`, as decimals when all are of moderate size, else as powers.
fn power_marks(products: &[(i64, i32)]) -> Vec<Mark> {
    let moderate = products.iter().all(|(_, e)| (-3..=3).contains(e));
    let label = |digit: i64, exponent: i32| match (moderate, digit) {
        (true, _) => decimal(digit, exponent),
        (false, 1) => power_of_ten(exponent),
        (false, _) => format!("{digit}×{}", power_of_ten(exponent)),
    };
    products
        .iter()
        .map(|&(digit, exponent)| Mark {
            value: scaled(digit, exponent),
            label: label(digit, exponent),
        })
        .collect()
}

/// A number with four significant digits at most, in as few characters as that takes.
pub(crate) fn short(value: f64) -> String {
    if !value.is_finite() {
        return String::from("undefined");
    }
    let text = format!("{value:.3e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let count = digits.replace('.', "").parse().unwrap_or(0);
    let exponent: i32 = exponent.parse().unwrap_or(0);
    trimmed(count, exponent - 3)
}

/// `mantissa * 10^exponent`, the distance between two marks.
#[derive(Copy, Clone, Debug, PartialEq)]
struct Step {
    mantissa: i64,
    exponent: i32,
}

impl Step {
    /// The smallest step that is not below `width > 0`.
    fn at_least(width: f64) -> Step {
        let exponent = exponent_of(width);
        let mantissa = [1, 2, 5, 10]
            .into_iter()
            .find(|&m| scaled(m, exponent) >= width);
        match mantissa.unwrap_or(10) {
            10 => Step {
                mantissa: 1,
                exponent: exponent + 1,
            },
            mantissa => Step { mantissa, exponent },
        }
    }

    /// The number that stands `count` steps from zero.
    fn value(self, count: i64) -> f64 {
        scaled(count * self.mantissa, self.exponent)
    }

    /// All counts whose value lies in `lo..=hi`.
    fn counts(self, lo: f64, hi: f64) -> Vec<i64> {
        let width = self.value(1);
        // One more on either side than the quotients say: these are rounded, the values are not.
        let (first, last) = (
            (lo / width).floor() as i64 - 1,
            (hi / width).ceil() as i64 + 1,
        );
        let slack = 1e-9 * (hi - lo);
        (first..=last)
            .filter(|&count| {
                let value = self.value(count);
                lo - slack <= value && value <= hi + slack
            })
            .collect()
    }

    /// Labels for the values at `counts`, and the note that goes with them.
    fn labels(self, counts: &[i64]) -> (Vec<String>, String) {
        let units: Vec<i64> = counts.iter().map(|count| count * self.mantissa).collect();
        let offset = common_offset(&units);
        let largest = units
            .iter()
            .map(|unit| (unit - offset).unsigned_abs())
            .max();
        let top = self.exponent + digits(largest.unwrap_or(0)) - 1;
        let power = if (-3..=4).contains(&top) { 0 } else { top };
        let labels = units
            .iter()
            .map(|unit| decimal(unit - offset, self.exponent - power));
        (labels.collect(), note(power, offset, self.exponent))
    }
}

/// What to take from each number so that the remainders are short: zero unless one is long.
fn common_offset(units: &[i64]) -> i64 {
    let (Some(first), Some(last)) = (units.first(), units.last()) else {
        return 0;
    };
    if digits(first.unsigned_abs().max(last.unsigned_abs())) <= LABEL_DIGITS {
        return 0;
    }
    let block = 10_i64.saturating_pow(digits(first.abs_diff(*last)) as u32);
    first - first % block
}

/// `"×10^power + offset * 10^exponent"` in print, without the parts that do nothing.
fn note(power: i32, offset: i64, exponent: i32) -> String {
    let factor = if power == 0 {
        String::new()
    } else {
        format!("×{}", power_of_ten(power))
    };
    let sign = match offset {
        0 => return factor,
        1.. => '+',
        _ => '−',
    };
    let size = trimmed(offset.saturating_abs(), exponent);
    format!("{factor} {sign} {size}").trim_start().to_owned()
}

/// `count * 10^exponent` as the nearest double.
fn scaled(count: i64, exponent: i32) -> f64 {
    // The standard library's decimal parser rounds correctly; `powi` does not.
    format!("{count}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The exponent in scientific notation: `exponent_of(9.99) = 0`, `exponent_of(0.01) = -2`.
fn exponent_of(value: f64) -> i32 {
    let text = format!("{value:e}");
    let exponent = text.split_once('e').map(|(_, exponent)| exponent.parse());
    exponent.and_then(Result::ok).unwrap_or(0)
}

/// How many decimal digits a number has (zero has one).
fn digits(number: u64) -> i32 {
    number.checked_ilog10().unwrap_or(0) as i32 + 1
}

/// `count * 10^exponent` written out, with `-exponent` places if `exponent` is negative.
fn decimal(count: i64, exponent: i32) -> String {
    if count == 0 {
        return String::from("0");
    }
    let sign = if count < 0 { "−" } else { "" };
    let digits = count.unsigned_abs().to_string();
    let places = usize::try_from(-exponent).unwrap_or(0);
    if places == 0 {
        return format!(
            "{sign}{digits}{}",
            "0".repeat(exponent.unsigned_abs() as usize)
        );
    }
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    format!("{sign}{whole}.{fraction}")
}

/// `count * 10^exponent` without trailing zeros, in scientific notation if that is far from one.
fn trimmed(mut count: i64, mut exponent: i32) -> String {
    while count != 0 && count % 10 == 0 {
        count /= 10;
        exponent += 1;
    }
    let places = digits(count.unsigned_abs()) - 1;
    let top = exponent + places;
    if count == 0 || (-4..=9).contains(&top) {
        return decimal(count, exponent);
    }
    if count == 1 {
        return power_of_ten(top);
    }
    format!("{}×{}", decimal(count, -places), power_of_ten(top))
}

/// `10` with a raised exponent.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    let raise = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // The other raised digits follow each other, the first three are older than Unicode.
        _ => c
            .to_digit(10)
            .and_then(|d| char::from_u32(0x2070 + d))
            .unwrap_or(c),
    };
    let raised: String = exponent.to_string().chars().map(raise).collect();
    format!("10{raised}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &Ticks) -> Vec<&str> {
        ticks.marks.iter().map(|mark| mark.label.as_str()).collect()
    }

    /// Axes of every size and place: `centre ± half` with both over many powers of ten.
    fn axes() -> impl Iterator<Item = (f64, f64)> {
        (-290..=290).step_by(5).flat_map(|place: i32| {
            (-9..=9).flat_map(move |relative: i32| {
                [-1.0, -0.37, 0.0, 0.73, 1.0].map(|centre| {
                    let size = 10_f64.powi(place);
                    let half = (size * 10_f64.powi(relative)).clamp(1e-300, 1e300);
                    (centre * size - 0.77 * half, centre * size + half)
                })
            })
        })
    }

    #[test]
    fn linear_marks_lie_inside_and_are_few_enough_and_even() {
        for (lo, hi) in axes() {
            for most in [5, 7, 10] {
                let marks = linear(lo, hi, (hi - lo) / f64::from(most)).marks;
                let most = most as usize;
                assert!(
                    (2..=most + 1).contains(&marks.len()),
                    "{lo} {hi} {most}: {marks:?}"
                );
                let slack = 1e-9 * (hi - lo);
                assert!(
                    marks
                        .iter()
                        .all(|m| lo - slack <= m.value && m.value <= hi + slack)
                );
                let gaps = || marks.windows(2).map(|pair| pair[1].value - pair[0].value);
                let widest = gaps().fold(0.0, f64::max);
                let rounding = 4.0 * f64::EPSILON * lo.abs().max(hi.abs());
                assert!(
                    gaps().all(|gap| gap > 0.0 && widest - gap <= rounding),
                    "{lo} {hi}"
                );
                // No further mark would fit: the ends are less than a step away.
                let ends = (marks[0].value - lo).max(hi - marks[marks.len() - 1].value);
                assert!(ends < widest + slack, "{lo} {hi} {most}");
            }
        }
    }

    #[test]
    fn linear_labels_are_short_and_distinct() {
        for (lo, hi) in axes() {
            let ticks = linear(lo, hi, (hi - lo) / 7.0);
            let texts = labels(&ticks);
            assert!(
                texts.iter().all(|text| text.chars().count() <= 8),
                "{lo} {hi}: {texts:?}"
            );
            assert!(
                texts.windows(2).all(|pair| pair[0] != pair[1]),
                "{lo} {hi}: {texts:?}"
            );
        }
    }

    /// Undoes the printing: a label and the note give the mark's value back.
    #[test]
    fn labels_and_note_say_the_value() {
        for (lo, hi) in axes() {
            let ticks = linear(lo, hi, (hi - lo) / 7.0);
            let (power, offset) = read_note(&ticks.note);
            for mark in &ticks.marks {
                let label = ascii(&mark.label);
                let said: f64 = format!("{label}e{power}").parse().expect("a number");
                let error = (said + offset - mark.value).abs();
                let rounding = 4.0 * f64::EPSILON * mark.value.abs().max(said.abs());
                assert!(error <= rounding, "{mark:?} with note {:?}", ticks.note);
            }
        }
    }

    fn ascii(text: &str) -> String {
        let lower = |c: char| match c {
            '−' | '⁻' => '-',
            '¹' => '1',
            '²' => '2',
            '³' => '3',
            '⁰' | '⁴'..='⁹' => char::from(b'0' + (c as u32 - 0x2070) as u8),
            _ => c,
        };
        text.chars().map(lower).collect()
    }

    /// Reads `2.5×10⁻⁷`, `10⁻⁷` or `2.5`.
    fn read_number(text: &str) -> f64 {
        let raised = text
            .find(|c: char| "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c))
            .unwrap_or(text.len());
        let (base, exponent) = text.split_at(raised);
        let plain = match base.strip_suffix("10") {
            Some(factor) if !exponent.is_empty() => {
                let factor = factor.strip_suffix('×').unwrap_or("1");
                format!("{factor}e{}", ascii(exponent))
            }
            _ => base.to_owned(),
        };
        plain.parse().expect("a number")
    }

    /// The power of ten and the offset in a note.
    fn read_note(note: &str) -> (i32, f64) {
        let (factor, offset) = match note.split_once(' ') {
            Some(("+" | "−", _)) => ("", note),
            Some(parts) => parts,
            None => (note, ""),
        };
        let power = factor
            .strip_prefix("×10")
            .map_or(0, |text| ascii(text).parse().expect("one"));
        let offset = match offset.split_once(' ') {
            Some(("+", size)) => read_number(size),
            Some((_, size)) => -read_number(size),
            None => 0.0,
        };
        (power, offset)
    }

    #[test]
    fn familiar_axes() {
        let unit = linear(0.0, 1.0, 0.13);
        assert_eq!(labels(&unit), ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        let time = linear(0.0, 10.0, 2.0);
        assert_eq!(labels(&time), ["0", "2", "4", "6", "8", "10"]);
        let negative = linear(-0.3, 0.12, 0.08);
        assert_eq!(labels(&negative), ["−0.3", "−0.2", "−0.1", "0", "0.1"]);
        assert_eq!(negative.note, "");
    }

    #[test]
    fn common_factors_and_offsets_are_noted() {
        let tiny = linear(0.0, 4e-7, 0.9e-7);
        assert_eq!(labels(&tiny), ["0", "1", "2", "3", "4"]);
        assert_eq!(tiny.note, "×10⁻⁷");
        let drift = linear(9.81, 9.810_000_4, 0.9e-7);
        assert_eq!(labels(&drift), ["0", "1", "2", "3", "4"]);
        assert_eq!(drift.note, "×10⁻⁷ + 9.81");
        let below = linear(-1.000_000_4, -1.0, 0.9e-7);
        assert_eq!(labels(&below), ["−4", "−3", "−2", "−1", "0"]);
        assert_eq!(below.note, "×10⁻⁷ − 1");
    }

    #[test]
    fn logarithmic_marks_are_powers_then_products_then_linear() {
        assert_eq!(
            labels(&logarithmic(1e-3, 1e2, 8)),
            ["0.001", "0.01", "0.1", "1", "10", "100"]
        );
        assert_eq!(labels(&logarithmic(1e-16, 1e-12, 8))[0], "10⁻¹⁶");
        assert_eq!(
            labels(&logarithmic(0.9, 60.0, 8)),
            ["1", "2", "5", "10", "20", "50"]
        );
        assert_eq!(
            labels(&logarithmic(4e-9, 3e-8, 8)),
            ["5×10⁻⁹", "10⁻⁸", "2×10⁻⁸"]
        );
        assert_eq!(labels(&logarithmic(3.0, 4.1, 5)), ["3.0", "3.5", "4.0"]);
    }

    #[test]
    fn logarithmic_marks_are_never_too_many_on_any_axis() {
        for first in (-320..300).step_by(3) {
            for decades in [1, 2, 3, 5, 9, 40, 300, 600] {
                let (lo, hi) = (scaled(3, first), scaled(4, (first + decades).min(307)));
                let ticks = logarithmic(lo, hi, 8);
                assert!(
                    (2..=9).contains(&ticks.marks.len()),
                    "{lo:e} {hi:e}: {ticks:?}"
                );
                assert!(ticks.minor.len() <= 100);
                assert!(
                    ticks
                        .marks
                        .windows(2)
                        .all(|pair| pair[0].value < pair[1].value)
                );
            }
        }
    }

    #[test]
    fn short_numbers() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-2.5, "−2.5"),
            (0.407_747, "0.4077"),
            (1e-12, "10⁻¹²"),
            (6.022e23, "6.022×10²³"),
            (f64::NAN, "undefined"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }
}
