//! Letters made of strokes, for pictures: no font is at hand.
//!
//! A stroke is a list of points, each two digits to the base 36: from the left, and from below, where the base line is 4,
//! the height of small letters 12 and that of capitals 16. A `~` before it makes it round.

use super::drawing::Point;

/// How high a capital is, of a size of one.
const CAPITAL: f64 = 0.72;
/// A unit of the strokes.
const UNIT: f64 = CAPITAL / 12.0;
/// Between two letters.
const GAP: f64 = 3.2;
const BLANK: f64 = 6.0;

const LETTERS: &[(char, &str)] = &[
    ('0', "~4g1e0a1644768a7e4g"),
    ('1', "1d4g44"),
    ('2', "~0d1f4g7f8c6904 0484"),
    ('3', "~0e2g6g8d6b3a ~3a6987642406"),
    ('4', "646g0898"),
    ('5', "7g1g0b ~0b4c7b88754405"),
    ('6', "~7f4g1d0907245486886b3b08"),
    ('7', "0g8g34"),
    ('8', "~4a1b0e4g8e7b4a19064486794a"),
    ('9', "~1544778b8d6g3g0e0c29598c"),
    ('a', "~895c1b08154487 8c84"),
    ('b', "0g04 ~083c7b88753407"),
    ('c', "~8a5c1b08154486"),
    ('d', "8g84 ~895c1b08154487"),
    ('e', "0888 ~887b4c1b08154486"),
    ('f', "~6g4g3d3a34 0c6c"),
    ('g', "~895c1b08154487 ~8c85714011"),
    ('h', "0g04 ~083c6c8a84"),
    ('i', "1c14 1f1g"),
    ('j', "~3c332000 3f3g"),
    ('k', "0g04 7c07 2984"),
    ('l', "1g14"),
    ('m', "0c04 ~083c5c6a64 ~689cbccac4"),
    ('n', "0c04 ~083c6c8a84"),
    ('o', "~4c1b08154475887b4c"),
    ('p', "0c00 ~083c7b88753407"),
    ('q', "8c80 ~895c1b08154487"),
    ('r', "0c04 ~083b6c"),
    ('s', "~7b4c1b194877754405"),
    ('t', "~3f365474 0c6c"),
    ('u', "~0c06245488 8c84"),
    ('v', "0c448c"),
    ('w', "0c346a94cc"),
    ('x', "0c84 048c"),
    ('y', "0c44 8c20"),
    ('z', "0c8c0484"),
    ('A', "045ga4 2888"),
    ('B', "0g04 0g4g ~4g8e7b4a 0a4a ~4a898644 0444"),
    ('C', "~9e6g2f0a256496"),
    ('D', "0g04 0g3g ~3g7f9a7534 3404"),
    ('E', "8g0g0484 0a6a"),
    ('F', "8g0g04 0a6a"),
    ('G', "~9e6g2f0a256496 969a6a"),
    ('H', "0g04 8g84 0a8a"),
    ('I', "1g14"),
    ('J', "~6g66441406"),
    ('K', "0g04 8g09 3b94"),
    ('L', "0g0484"),
    ('M', "040g5aaga4"),
    ('N', "040g848g"),
    ('O', "~5g2f0a255485aa8f5g"),
    ('P', "040g 0g4g ~4g8f8b4a 4a0a"),
    ('Q', "~5g2f0a255485aa8f5g 66a3"),
    ('R', "040g 0g4g ~4g8f8b4a 4a0a 4a84"),
    ('S', "~8e5g1f1b5a88754406"),
    ('T', "0g8g 4g44"),
    ('U', "~0g072464878g"),
    ('V', "0g448g"),
    ('W', "0g346e94cg"),
    ('X', "0g84 048g"),
    ('Y', "0g4a8g 4a44"),
    ('Z', "0g8g0484"),
    ('.', "1415"),
    (',', "1502"),
    (':', "1415 1b1c"),
    ('\'', "1g1d"),
    ('(', "~3h0c0832"),
    (')', "~0h3c3802"),
    ('[', "3h0h0232"),
    (']', "0h3h3202"),
    ('-', "0a5a"),
    ('−', "0a8a"),
    ('+', "0a8a 4e46"),
    ('=', "0c8c 0888"),
    ('/', "026h"),
    ('*', "4d47 1c78 187c"),
    ('^', "0d3g6d"),
    ('_', "0383"),
    ('<', "8d0a87"),
    ('>', "0d8a07"),
    ('|', "1h12"),
    ('×', "0d77 077d"),
    ('·', "1a1b"),
    ('°', "~2g0e2c4e2g"),
    ('%', "~2g0e2c4e2g ~98768494a698 049g"),
    ('θ', "~4g1e0a1644768a7e4g 0a8a"),
    ('ϕ', "~4c1b08154475887b4c 4g40"),
    ('φ', "~4c1b08154475887b4c 4g40"),
    ('ω', "~1c08244558 ~586584a89c"),
    ('α', "~8c5534083c5b84"),
    ('β', "000d ~0d2g6f6b3a ~3a79864406"),
    ('γ', "0c44 8c44 4440"),
    ('δ', "~4c1b08154475887b4c2f6g"),
    ('ε', "~7b3c1a48063475"),
    ('ϵ', "~7b3c0a063475 0858"),
    ('η', "0c04 ~083c6c8a80"),
    ('κ', "0c04 7c07 2984"),
    ('λ', "1g84 4a04"),
    ('μ', "0c00 ~06245488 8c84"),
    ('ν', "0c448c"),
    ('π', "0c9c 2c24 7c74"),
    ('ρ', "0008 ~083c7b88753407"),
    ('σ', "~4c1b08154475887b4c 4c9c"),
    ('τ', "0c8c 4c44"),
    ('χ', "0c80 008c"),
    ('ψ', "~0c1644768c 4g40"),
    ('Γ', "8g0g04"),
    ('Δ', "045ga404"),
    ('Φ', "~5e1d0a175697aa9d5e 5g54"),
    ('Σ', "8g0g4a0484"),
    ('Ω', "0434 ~34181c5g9c9874 74a4"),
    ('ß', "040d ~0d2g5f5c3a ~3a7a8754 5424"),
];

/// Marks above a small letter, and below it; above a capital they stand higher.
const MARKS: &[(char, &str)] = &[
    ('¨', "2e2f 6e6f"),
    ('´', "3e6h"),
    ('`', "2h5e"),
    ('^', "2e4g6e"),
    ('~', "~1e3g5e7g"),
    ('°', "~4e3f4g5f4e"),
    ('ˇ', "2g4e6g"),
    ('¸', "4453 5332 3221"),
];

/// Letters with a mark, by their letters in the same order.
const MARKED: &[(char, &str, &str)] = &[
    ('¨', "äëïöüÿÄËÏÖÜŸ", "aeiouyAEIOUY"),
    ('´', "áéíóúýćńśźÁÉÍÓÚÝĆŃŚŹ", "aeiouycnszAEIOUYCNSZ"),
    ('`', "àèìòùÀÈÌÒÙ", "aeiouAEIOU"),
    ('^', "âêîôûÂÊÎÔÛ", "aeiouAEIOU"),
    ('~', "ãñõÃÑÕ", "anoANO"),
    ('°', "åůÅŮ", "auAU"),
    ('ˇ', "čďěňřšťžČĎĚŇŘŠŤŽ", "cdenrstzCDENRSTZ"),
    ('¸', "çşÇŞ", "csCS"),
];

/// A letter and the mark on it, of one that has any.
fn taken_apart(letter: char) -> Option<(char, char)> {
    MARKED.iter().find_map(|(mark, marked, plain)| {
        let place = marked.chars().position(|c| c == letter)?;
        Some((plain.chars().nth(place)?, *mark))
    })
}

/// Digits above and below the line.
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻";
const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₋";
const PLAIN: &str = "0123456789−";

/// The letter, its size, and how far it is raised.
fn set(letter: char) -> (char, f64, f64) {
    let plain = |among: &str| {
        let place = among.chars().position(|c| c == letter)?;
        PLAIN.chars().nth(place)
    };
    match (plain(RAISED), plain(LOWERED)) {
        (Some(digit), _) => (digit, 0.65, 7.0),
        (_, Some(digit)) => (digit, 0.65, -3.0),
        _ => (letter, 1.0, 0.0),
    }
}

/// The strokes of a letter, as points in units; a box for one that is not here.
fn strokes(letter: char) -> Vec<Vec<Point>> {
    let Some((plain, mark)) = taken_apart(letter) else {
        let found = LETTERS.iter().find(|(other, _)| *other == letter);
        return read(found.map_or("040g6g6404", |(_, strokes)| *strokes));
    };
    let mut all = strokes(plain);
    let right = all.iter().flatten().map(|p| p[0]).fold(0.0, f64::max);
    let over = if plain.is_uppercase() && mark != '¸' {
        4.0
    } else {
        0.0
    };
    let mark = MARKS.iter().find(|(other, _)| *other == mark);
    let mut above = read(mark.map_or("", |(_, strokes)| *strokes));
    for point in above.iter_mut().flatten() {
        *point = [point[0] - 4.0 + 0.5 * right, point[1] + over];
    }
    all.append(&mut above);
    all
}

/// Strokes that are written as above.
fn read(text: &str) -> Vec<Vec<Point>> {
    let mut all = Vec::new();
    for stroke in text.split(' ') {
        let (round, digits) = match stroke.strip_prefix('~') {
            Some(digits) => (true, digits),
            None => (false, stroke),
        };
        let digits: Vec<f64> = digits
            .chars()
            .filter_map(|c| c.to_digit(36))
            .map(f64::from)
            .collect();
        let points: Vec<Point> = digits.chunks_exact(2).map(|p| [p[0], p[1] - 4.0]).collect();
        all.push(if round { rounded(&points) } else { points });
    }
    all
}

/// A smooth curve through points: Catmull and Rom's.
fn rounded(points: &[Point]) -> Vec<Point> {
    const PARTS: usize = 5;
    let closed = points.first() == points.last();
    let last = points.len() as isize - 1;
    let point = |i: isize| match closed {
        true => points[i.rem_euclid(last.max(1)) as usize],
        false => points[i.clamp(0, last) as usize],
    };
    let mut out = vec![point(0)];
    for i in 0..last {
        let [a, b, c, d] = [i - 1, i, i + 1, i + 2].map(point);
        out.extend((1..=PARTS).map(|part| {
            let t = part as f64 / PARTS as f64;
            [0, 1].map(|k| {
                let (slope_b, slope_c) = (0.5 * (c[k] - a[k]), 0.5 * (d[k] - b[k]));
                let (t2, t3) = (t * t, t * t * t);
                (2.0 * t3 - 3.0 * t2 + 1.0) * b[k]
                    + (t3 - 2.0 * t2 + t) * slope_b
                    + (3.0 * t2 - 2.0 * t3) * c[k]
                    + (t3 - t2) * slope_c
            })
        }));
    }
    out
}

/// How far a letter goes on, in units.
fn advance(letter: char) -> f64 {
    if letter == ' ' {
        return BLANK;
    }
    let (letter, size, _) = set(letter);
    let right = strokes(letter)
        .into_iter()
        .flatten()
        .map(|p| p[0])
        .fold(0.0, f64::max);
    size * right + GAP
}

/// How wide a text is at a size of one.
pub(super) fn width(text: &str) -> f64 {
    let all: f64 = text.chars().map(advance).sum();
    UNIT * (all - GAP).max(0.0)
}

/// The lines of each letter at a size of one, from the beginning of the base line to the right and upwards.
pub(super) fn lines(text: &str) -> Vec<Vec<[Point; 2]>> {
    let (mut all, mut place) = (Vec::new(), 0.0);
    for c in text.chars() {
        if c != ' ' {
            let (letter, size, raised) = set(c);
            let at = |p: Point| [UNIT * (place + size * p[0]), UNIT * (raised + size * p[1])];
            let mut glyph = Vec::new();
            for stroke in strokes(letter) {
                glyph.extend(stroke.windows(2).map(|pair| [at(pair[0]), at(pair[1])]));
            }
            all.push(glyph);
        }
        place += advance(c);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_stands_in_its_box() {
        for (letter, text) in LETTERS {
            let drawn = strokes(*letter);
            assert!(
                text.split(' ')
                    .all(|s| s.trim_start_matches('~').len() % 2 == 0),
                "{letter}"
            );
            assert!(drawn.iter().all(|stroke| stroke.len() > 1), "{letter}");
            let mut points = drawn.iter().flatten();
            assert!(
                points.all(|p| (-1.0..14.0).contains(&p[0]) && (-5.0..15.0).contains(&p[1])),
                "{letter}"
            );
        }
        for letter in ('a'..='z').chain('A'..='Z').chain('0'..='9') {
            assert!(
                LETTERS.iter().any(|(other, _)| *other == letter),
                "{letter}"
            );
        }
        assert!(width("10⁻¹²") > width("10") && width("") == 0.0);
        for (mark, marked, plain) in MARKED {
            assert_eq!(marked.chars().count(), plain.chars().count(), "{mark}");
            assert!(MARKS.iter().any(|(other, _)| other == mark), "{mark}");
        }
        assert_eq!(strokes('Ü').len(), strokes('U').len() + 2);
    }
}
