//! Rows `x^2 + y^2 + .. = 1`, as of a unit quaternion, in what is shown: on the constraints such a sum is 1, and its
//! rate `x x' + y y' + ..` is 0.

use super::simplify::{monomial, terms};
use appell_expr::{Ex, Id, Node, Rational};
use appell_mech::{ConstraintRow, Constraints, System};
use rustc_hash::FxHashMap;

/// Sums of more terms are not searched.
const MAX_TERMS: usize = 120;

/// What is said where such rows are used.
pub(super) const NOTE: &str = "The squares of a unit quaternion are put to the sum 1.";

/// Products whose sum is a number on the constraints.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Relation<'g> {
    products: Vec<Ex<'g>>,
    value: Ex<'g>,
}

/// The coordinates of each row whose squares have the sum 1.
pub(super) fn units<'g>(constraints: &Constraints<'g>) -> Vec<Vec<Ex<'g>>> {
    constraints.rows.iter().filter_map(unit).collect()
}

/// `x, y, ..` of a row `x^2 + y^2 + .. - 1`.
pub(super) fn unit<'g>(row: &ConstraintRow<'g>) -> Option<Vec<Ex<'g>>> {
    let position = row.position?;
    let graph = position.graph();
    let Node::Sum(constant, parts) = position.node() else {
        return None;
    };
    let mut symbols = Vec::new();
    for (x, c) in &*parts {
        let Node::Product(factors) = graph.node(*x) else {
            return None;
        };
        let [(base, e)] = &*factors else { return None };
        let square = e.to_i64() == Some(2) && graph.ex(*base).symbol_name().is_some();
        if !square || !c.is_one() {
            return None;
        }
        symbols.push(graph.ex(*base));
    }
    (constant.to_i64() == Some(-1)).then_some(symbols)
}

/// The sums of squares, and of products with velocities.
pub(super) fn relations<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Vec<Relation<'g>> {
    let graph = system.graph;
    let rate = |x: &Ex<'g>| system.q.iter().position(|q| q == x).map(|i| system.v[i]);
    let mut all = Vec::new();
    for symbols in units(constraints) {
        let squares = symbols.iter().map(|x| x.pow(2)).collect();
        let rates: Option<Vec<Ex<'g>>> = symbols.iter().map(|x| Some(*x * rate(x)?)).collect();
        all.push(Relation {
            products: squares,
            value: graph.one(),
        });
        all.extend(rates.map(|products| Relation {
            products,
            value: graph.zero(),
        }));
    }
    all
}

impl<'g> Relation<'g> {
    /// The sum that has the value.
    pub fn whole(&self) -> (Ex<'g>, Ex<'g>) {
        let graph = self.value.graph();
        (graph.sum(&self.products), self.value)
    }

    /// All terms of `c x^2 + c y^2 + ..`, or all but one, in place of which stand others: which, and these.
    fn found(
        &self,
        list: &[Ex<'g>],
        places: &FxHashMap<Id, usize>,
    ) -> Option<(Vec<usize>, Ex<'g>)> {
        for term in list {
            for product in &self.products {
                let Some(rest) = divided(*term, *product) else {
                    continue;
                };
                let partners = self.products.iter().map(|x| rest * *x);
                let mut missing = Vec::new();
                let mut there: Vec<usize> = Vec::new();
                for partner in partners {
                    match places.get(&partner.id()) {
                        Some(place) if !there.contains(place) => there.push(*place),
                        _ => missing.push(partner),
                    }
                }
                let whole = rest * self.value;
                match (&missing[..], there.len()) {
                    ([], _) => return Some((there, whole)),
                    ([one], count) if count > 2 => return Some((there, whole - *one)),
                    _ => {}
                }
            }
        }
        None
    }
}

/// The sum with every such group of terms replaced.
pub(super) fn united<'g>(x: Ex<'g>, relations: &[Relation<'g>]) -> Ex<'g> {
    if relations.is_empty() {
        return x;
    }
    let graph = x.graph();
    let mut sum = x;
    loop {
        let list = terms(sum);
        if list.len() < 3 || list.len() > MAX_TERMS {
            return sum;
        }
        let places: FxHashMap<Id, usize> = list.iter().map(|x| x.id()).zip(0..).collect();
        let found = relations
            .iter()
            .find_map(|relation| relation.found(&list, &places));
        let Some((gone, new)) = found else {
            return sum;
        };
        let rest = list.iter().enumerate().filter(|(i, _)| !gone.contains(i));
        let mut rest: Vec<Ex<'g>> = rest.map(|(_, x)| *x).collect();
        rest.push(new);
        sum = graph.sum(&rest);
    }
}

/// `x/d` where `d` is a product of powers that `x` has.
fn divided<'g>(x: Ex<'g>, d: Ex<'g>) -> Option<Ex<'g>> {
    let graph = x.graph();
    let ((c, mut factors), (_, below)) = (monomial(x), monomial(d));
    for (base, e) in below {
        let (_, power) = factors.iter_mut().find(|(x, _)| *x == base)?;
        let rest: Rational = &*power - &e;
        if rest.is_negative() {
            return None;
        }
        *power = rest;
    }
    let powers: Vec<Ex<'g>> = factors
        .iter()
        .map(|(x, e)| graph.ex(*x).pow_rational(e))
        .collect();
    Some(graph.product(&powers).scale(&c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use appell_expr::Graph;

    #[test]
    fn squares_and_their_rates_are_numbers() {
        let g = Graph::new();
        let [x, y, z, a] = ["x", "y", "z", "a"].map(|name| g.symbol(name));
        let [u, v, w] = ["u", "v", "w"].map(|name| g.symbol(name));
        let relations = [
            Relation {
                products: vec![x.pow(2), y.pow(2), z.pow(2)],
                value: g.one(),
            },
            Relation {
                products: vec![x * u, y * v, z * w],
                value: g.zero(),
            },
        ];
        let short = |x| united(x, &relations);
        // 3 a x (x^2 + y^2 + z^2) + a = 3 a x + a.
        let cubic = 3 * (a * x.pow(3)) + 3 * (a * x * y.pow(2)) + 3 * (a * x * z.pow(2)) + a;
        assert_eq!(short(cubic), 3 * (a * x) + a);
        assert_eq!(short(a * x * u + a * y * v + a * z * w), g.zero());
        // Other coefficients, and two squares of three, are nothing.
        for kept in [
            2 * x.pow(2) + y.pow(2) + z.pow(2),
            x.pow(2) + y.pow(2) + a,
            x.pow(2) + y.pow(2) - z.pow(2),
        ] {
            assert_eq!(short(kept), kept);
        }
    }

    #[test]
    fn three_squares_of_four_are_one_less_the_fourth() {
        let g = Graph::new();
        let [x, y, z, w] = ["x", "y", "z", "w"].map(|name| g.symbol(name));
        let relation = Relation {
            products: [x, y, z, w].map(|x| x.pow(2)).to_vec(),
            value: g.one(),
        };
        let sum = 8 * x.pow(2) + 8 * y.pow(2) + 8 * w.pow(2);
        assert_eq!(united(sum, &[relation]), g.int(8) - 8 * z.pow(2));
    }
}
