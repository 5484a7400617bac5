//! Unit quaternions that a start gives in rounded digits, all four components or those that do not vanish.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Rational};

/// Components of size 1 are rounded by this.
const UNIT: f64 = 1e-15;
/// A complete quaternion is moved by so little without a word, as any other start.
const SLIGHT: f64 = 1e-9;

/// The four components of a quaternion of the model: indices of coordinates, the scalar part first.
type Components = Vec<usize>;

/// What the file says of one coordinate by a number alone.
struct Literal {
    value: Rational,
    /// Half a unit of the last digit that is written; 0 for whole numbers.
    half: f64,
}

/// A row of the start with its text.
type Line<'g> = (String, Ex<'g>);

/// Puts a unit quaternion in the place of each that is given by numbers whose digits miss one: components that
/// are not given keep their value at rest, or vanish, where the digits leave that open; in the place of one that is too
/// long whatever they are, the nearest. Returns a remark for each.
pub(crate) fn normalise<'g>(p: &Prepared<'g>, lines: &mut Vec<Line<'g>>) -> Vec<String> {
    let all = quaternions(p).into_iter();
    all.filter_map(|components| normalise_one(p, lines, &components))
        .collect()
}

/// The quaternions whose norm is a row that the tool added.
fn quaternions(p: &Prepared<'_>) -> Vec<Components> {
    let rows = p.constraints.rows.iter();
    let norms = rows.filter(|row| p.model.constraints[row.constraint].added);
    let components = norms.filter_map(|row| {
        let norm = row.position?;
        let q = p.system.q.iter().enumerate();
        Some(q.filter(move |(_, q)| norm.depends_on(**q)).map(|(i, _)| i))
    });
    components.map(Iterator::collect).collect()
}

fn normalise_one<'g>(
    p: &Prepared<'g>,
    lines: &mut Vec<Line<'g>>,
    components: &Components,
) -> Option<String> {
    let q = &p.system.q;
    let speaks = |line: &Line<'g>| components.iter().any(|i| line.1.depends_on(q[*i]));
    let given: Vec<Option<Literal>> = components.iter().map(|i| literal(p, lines, *i)).collect();
    let count = given.iter().flatten().count();
    if count == 0 || lines.iter().filter(|line| speaks(line)).count() != count {
        return None;
    }
    let rest = |i: usize| Rational::from(i64::from(p.model.coordinates[components[i]].rest));
    let at_rest: Vec<Rational> = (0..components.len()).map(rest).collect();
    let still = vec![Rational::zero(); components.len()];
    let missed = |others: &Vec<Rational>| Some((unit(&given, others)?, others == &at_rest));
    let found = [&at_rest, &still].into_iter().find_map(missed);
    let Some(((unit, miss), resting)) = found else {
        return too_long(p, lines, components, &given);
    };
    let complete = given.iter().all(Option::is_some);
    if miss <= if complete { SLIGHT } else { UNIT } && (resting || complete) {
        return None;
    }
    let names = put(p, lines, components, unit);
    (miss > UNIT).then(|| format!("the quaternion {names} was normalised within the digits given"))
}

/// Puts the nearest unit quaternion in the place of one that no components which are not given can complete, since it is
/// too long already. A complete one is what the file says: it is moved as any other start, where that is allowed.
fn too_long<'g>(
    p: &Prepared<'g>,
    lines: &mut Vec<Line<'g>>,
    components: &Components,
    given: &[Option<Literal>],
) -> Option<String> {
    let kept = &p.model.initial.keep_positions;
    let parts = given.iter().map(|given| match given {
        Some(given) => given.value.clone(),
        None => Rational::zero(),
    });
    let parts: Vec<Rational> = parts.collect();
    let square: f64 = parts.iter().map(|x| x.to_f64().powi(2)).sum();
    let complete = given.iter().all(Option::is_some);
    if complete || square <= 1.0 || components.iter().any(|i| kept.contains(i)) {
        return None;
    }
    let names = put(p, lines, components, parts);
    Some(format!(
        "the quaternion {names} has the length {}, and was normalised: the nearest of length 1 was taken",
        square.sqrt()
    ))
}

/// Puts a quaternion, divided by its length, in the place of what lines say of its components; returns their names.
fn put<'g>(
    p: &Prepared<'g>,
    lines: &mut Vec<Line<'g>>,
    components: &Components,
    parts: Vec<Rational>,
) -> String {
    let (graph, q) = (p.system.graph, &p.system.q);
    let square = parts
        .iter()
        .fold(Rational::zero(), |sum, x| &sum + &(x * x));
    let length = graph.number(square).sqrt();
    lines.retain(|line| !components.iter().any(|i| line.1.depends_on(q[*i])));
    for (i, part) in components.iter().zip(parts) {
        let name = q[*i].symbol_name().unwrap_or_default();
        lines.push((name, q[*i] - graph.number(part) / length));
    }
    let names: Vec<String> = components
        .iter()
        .filter_map(|i| q[*i].symbol_name())
        .collect();
    names.join(", ")
}

/// The components as given and, where they are not, as in `others`, with what their length misses of 1; if they
/// become a unit quaternion by changes below the digits given.
fn unit(given: &[Option<Literal>], others: &[Rational]) -> Option<(Vec<Rational>, f64)> {
    let parts = given.iter().zip(others);
    let parts: Vec<Rational> = parts
        .map(|(given, other)| given.as_ref().map_or(other, |given| &given.value).clone())
        .collect();
    let length = parts.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
    let within = |(part, given): (&Rational, &Option<Literal>)| {
        let x = part.to_f64();
        let half = given.as_ref().map_or(0.0, |given| given.half);
        (x / length - x).abs() <= half.max(UNIT)
    };
    let fits = length > 0.0 && parts.iter().zip(given).all(within);
    fits.then_some((parts, (length - 1.0).abs()))
}

/// What a row that gives a coordinate by a number says.
fn literal(p: &Prepared<'_>, lines: &[Line<'_>], coordinate: usize) -> Option<Literal> {
    let q = p.system.q[coordinate];
    let (text, _) = lines.iter().find(|line| line.1.depends_on(q))?;
    let (left, right) = text.split_once('=')?;
    let number = right.trim();
    let value = Rational::from_decimal(number)?;
    if q.symbol_name().as_deref() != Some(left.trim()) {
        return None;
    }
    Some(Literal {
        value,
        half: half_unit(number),
    })
}

/// Half a unit of the last digit of a decimal number; 0 for whole numbers.
fn half_unit(number: &str) -> f64 {
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let Some((_, fraction)) = mantissa.split_once('.') else {
        return 0.0;
    };
    let digits = fraction.chars().filter(char::is_ascii_digit).count();
    let exponent: f64 = exponent.parse().unwrap_or(0.0);
    0.5 * 10f64.powf(exponent - digits as f64)
}

#[cfg(test)]
mod tests {
    use super::half_unit;

    #[test]
    fn the_last_digit_says_how_much_is_open() {
        for (text, half) in [
            ("0.7071", 5e-5),
            ("7.071e-1", 5e-5),
            ("-0.70", 5e-3),
            ("1", 0.0),
        ] {
            assert!((half_unit(text) - half).abs() <= 1e-12 * half, "{text}");
        }
    }
}
