//! Squares `d l^2` whose coefficient vanishes somewhere: there they say nothing of `l`.

use crate::states::real_rows::Signs;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Fractions, Function, Node, denominators_of, vanishes};

/// For each square what its row has to be multiplied by: 1 where the coefficient is nowhere 0, or where it is known not to be
/// at a `place`. None where others were divided by what vanishes somewhere: there the squares are not those of the form.
pub(super) fn kept_factors<'g>(
    p: &Prepared<'g>,
    field: &mut Fractions<'g>,
    squares: &[(Ex<'g>, Vec<Ex<'g>>)],
    place: &Option<String>,
) -> Option<Vec<Ex<'g>>> {
    let (graph, signs) = (p.system.graph, Signs::new(p));
    let may_vanish = |x: Ex<'g>| place.is_none() && !signs.of(x).excludes_zero();
    if !squares.iter().any(|(d, _)| may_vanish(*d)) {
        return Some(vec![graph.one(); squares.len()]);
    }
    let entries = squares.iter().flat_map(|(_, row)| row.iter());
    let entries: Vec<Ex<'g>> = entries.map(|x| field.simplified(*x)).collect();
    let mut below = entries.iter().flat_map(|x| denominators_of(*x));
    if below.any(may_vanish) {
        return None;
    }
    let mut factor = |d: Ex<'g>| {
        let factors: Vec<Ex<'g>> = match d.node() {
            Node::Product(factors) => {
                let above = factors.iter().filter(|(_, e)| !e.is_negative());
                above.map(|(base, _)| graph.ex(*base)).collect()
            }
            _ => vec![d],
        };
        let kept = factors.into_iter().filter(|x| may_vanish(*x)).map(|x| {
            let x = primitive(x);
            exact_root(field, x).unwrap_or(x)
        });
        graph.product(&kept.collect::<Vec<_>>())
    };
    Some(squares.iter().map(|(d, _)| factor(*d)).collect())
}

/// A root of what is not negative, of one sign or the other. Of `x/y^2` it is that of `x` over `y`, which is smooth beyond
/// `y = 0`.
pub(super) fn root_up_to_sign<'g>(field: &mut Fractions<'g>, x: Ex<'g>) -> Ex<'g> {
    if let Some(root) = exact_root(field, x) {
        return root;
    }
    let parts = field.quotient(x).into_iter();
    for parts in parts.flat_map(|parts| [parts, parts.map(|part| -part)]) {
        let roots = parts.map(|part| exact_root(field, part));
        if roots.iter().any(Option::is_some) {
            let [top, bottom] = [0, 1].map(|i| roots[i].unwrap_or_else(|| parts[i].sqrt()));
            return top / bottom;
        }
    }
    x.sqrt()
}

fn exact_root<'g>(field: &mut Fractions<'g>, x: Ex<'g>) -> Option<Ex<'g>> {
    let root = field.square_root(x);
    root.or_else(|| root_of_sines(field, x))
}

/// A root that `sin(u)^2 = 1 - cos(u)^2` shows, `sin(u)/2` of `1/4 - cos(u)^2/4`; the algebra writes cosines.
fn root_of_sines<'g>(field: &mut Fractions<'g>, x: Ex<'g>) -> Option<Ex<'g>> {
    let graph = x.graph();
    let cosines: Vec<(Ex<'g>, Ex<'g>)> = graph
        .reachable(&[x.id()])
        .into_iter()
        .filter_map(|id| match graph.node(id) {
            Node::Call(Function::Cos, u) => Some((graph.ex(id), graph.ex(u[0]))),
            _ => None,
        })
        .collect();
    cosines.into_iter().find_map(|(cosine, u)| {
        let sine = u.call(Function::Sin);
        let at = |value: i64| x.substitute(&[(cosine, graph.int(value))]);
        let (zero, one) = (at(0), at(1));
        let square = vanishes(x - zero - (one - zero) * cosine.pow(2));
        // x = a + b cos^2 = (a + b) - b sin^2
        if !square || !vanishes(one) {
            return None;
        }
        Some(sine * field.square_root(zero)?)
    })
}

/// Without a number in front, so that `2 z^2` has a root.
fn primitive(x: Ex<'_>) -> Ex<'_> {
    let Node::Sum(constant, terms) = x.node() else {
        return x;
    };
    let first = match constant.is_zero() {
        true => terms.first().map(|(_, c)| c.clone()),
        false => Some(constant),
    };
    let one = first.and_then(|c| c.abs().recip());
    one.map_or(x, |c| x.scale(&c))
}
