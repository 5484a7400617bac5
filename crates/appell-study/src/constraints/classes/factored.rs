//! Factors of polynomials beyond contents and repeated ones: with square discriminants and with rational roots.

use appell_expr::{Ex, Fractions, Rational, degree_in, denominators_of};

/// Whole and simple fractional roots of a polynomial in one coordinate are sought up to this.
const MAX_ROOT: i64 = 12;

/// The factors of a polynomial that is quadratic in a coordinate, or has rational roots.
pub(super) fn factored<'g>(
    field: &mut Fractions<'g>,
    x: Ex<'g>,
    coordinates: &[Ex<'g>],
) -> Vec<Ex<'g>> {
    for q in coordinates {
        if let Some((a, b, c)) = quadratic(field, x, *q)
            && let Some(root) = field.square_root(b.pow(2) - 4 * a * c)
            && !root.is_zero()
        {
            let halves = [2 * a * *q + b - root, 2 * a * *q + b + root];
            let parts = halves.map(|half| field.parts(half, coordinates).unwrap_or_default());
            // 4 a x is the product of both.
            let divides = |part: &Ex<'g>| {
                let rest = field.simplified(x / *part);
                !denominators_of(rest)
                    .iter()
                    .any(|d| d.depends_on_any(coordinates))
            };
            return parts.concat().into_iter().filter(divides).collect();
        }
    }
    rational_factors(field, x, coordinates).unwrap_or_else(|| vec![x])
}

/// `a q^2 + b q + c`.
pub(super) fn quadratic<'g>(
    field: &mut Fractions<'g>,
    x: Ex<'g>,
    q: Ex<'g>,
) -> Option<(Ex<'g>, Ex<'g>, Ex<'g>)> {
    let (x, q) = (x.graph().ex(x.id()), x.graph().ex(q.id()));
    if degree_in(x, &[q]) != Some(2) {
        return None;
    }
    let at_zero = |x: Ex<'g>| x.substitute(&[(q, x.graph().zero())]);
    let slope = x.diff(q);
    let a = slope.diff(q).scale(&Rational::new(1, 2));
    let coefficients = [a, at_zero(slope), at_zero(x)].map(|x| field.simplified(x));
    let [a, b, c] = coefficients;
    (!a.is_zero()).then_some((a, b, c))
}

/// Linear factors with rational numbers of a polynomial in one coordinate.
fn rational_factors<'g>(
    field: &mut Fractions<'g>,
    x: Ex<'g>,
    coordinates: &[Ex<'g>],
) -> Option<Vec<Ex<'g>>> {
    let [q] = x.symbols()[..] else { return None };
    if !coordinates.contains(&q) || degree_in(x, &[q])? < 3 {
        return None;
    }
    let graph = x.graph();
    let mut found = Vec::new();
    let mut rest = x;
    for denominator in 1..=4 {
        for numerator in -MAX_ROOT..=MAX_ROOT {
            let root = Rational::new(numerator, denominator);
            if root.denominator() != denominator.into() {
                continue;
            }
            let value = x.substitute(&[(q, graph.number(root))]);
            if value.is_zero() {
                let line = denominator * q - numerator;
                found.push(line);
                rest = field.simplified(rest / line);
            }
        }
    }
    if found.is_empty() {
        return None;
    }
    if rest.depends_on(q) && !found.contains(&rest) {
        found.push(rest);
    }
    Some(found)
}
