//! What is searched: monomials in functions of place and velocity.

use super::named::{turning, turning_in_print};
use super::search::Combination;
use crate::constraints::candidates::functions::{Atom, atoms};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Printer, Style};

/// At most so many candidates in one family.
pub(super) const BUDGET: usize = 300;
/// Functions of one coordinate alone are tried up to this degree.
const MAX_DEGREE_OF_ONE: usize = 6;
/// Functions of all coordinates are tried up to this degree.
const MAX_DEGREE: usize = 4;
/// Functions of the vertical in a body are tried up to this degree.
const MAX_DEGREE_IN_BODY: usize = 3;

/// Factors by their places among the generators, in order.
pub(super) type Monomial = Vec<usize>;

/// Candidates of which linear combinations are sought.
#[derive(Debug)]
pub(super) struct Family {
    /// The candidates, simple ones first.
    pub monomials: Vec<Monomial>,
    /// Candidates that are tried by themselves first: functions of place, and these times one
    /// product of velocities.
    pub parts: Vec<Vec<usize>>,
    /// What they are, in words.
    pub words: String,
}

/// The families, and what their monomials are made of.
#[derive(Debug, Default)]
pub(super) struct Ansatz<'g> {
    /// The factors.
    pub generators: Vec<Ex<'g>>,
    /// The same as they are written.
    pub shown: Vec<Ex<'g>>,
    /// Which of them are linear in the velocities.
    pub forms: Vec<usize>,
    /// The candidates.
    pub families: Vec<Family>,
    /// The functions of place among the factors; whether each is needed once at most.
    pub atoms: Vec<(usize, bool)>,
    /// The choices of velocities.
    pub fibres: Vec<Vec<usize>>,
    /// For each rotating body its name, the vertical and the angular velocity in its frame.
    pub turning: Vec<(String, Vec<usize>, Vec<usize>)>,
    /// What could not be searched for want of room.
    pub left_out: Vec<String>,
}

/// All families of a model.
pub(super) fn ansatz<'g>(p: &Prepared<'g>, velocity_degree: usize) -> Ansatz<'g> {
    let atoms = atoms(p);
    let mut ansatz = Ansatz::default();
    let places: Vec<usize> = atoms
        .iter()
        .map(|atom| ansatz.generator(atom.value))
        .collect();
    let velocities: Vec<usize> = p.system.v.iter().map(|v| ansatz.form(*v, *v)).collect();
    let all = || places.iter().copied().zip(&atoms);
    let wide = choices(p, &velocities);
    let whole: Vec<(usize, bool)> = all().map(|(place, atom)| (place, atom.once)).collect();
    (ansatz.atoms, ansatz.fibres) = (whole.clone(), wide.clone());
    let square = velocity_degree.min(2);
    let degree = ansatz.add(&whole, &wide, Degrees::new(square, MAX_DEGREE, 2));
    if degree.is_none() {
        let what = ansatz.listed(&whole);
        ansatz.left_out.push(format!(
            "products of two velocities with functions of {what} (more than {BUDGET} candidates)"
        ));
    }
    // There is more room without them.
    let least = degree.map_or(0, |degree| degree + 1);
    let linear = Degrees {
        least,
        ..Degrees::new(1, MAX_DEGREE, 2)
    };
    ansatz.add(&whole, &wide, linear);
    for i in 0..p.system.n() {
        let of_coordinate = |atom: &Atom<'_>| atom.of == [i];
        let of_one: Vec<(usize, bool)> = all()
            .filter(|(_, atom)| of_coordinate(atom))
            .map(|(place, atom)| (place, atom.once))
            .collect();
        let more = degree.is_none_or(|degree| degree < MAX_DEGREE) && of_one.len() < whole.len();
        if more && !of_one.is_empty() {
            ansatz.add(&of_one, &wide, Degrees::new(square, MAX_DEGREE_OF_ONE, 4));
        }
    }
    ansatz.positions(p);
    ansatz.bodies(p, square);
    ansatz
}

/// How far a family goes.
struct Degrees {
    /// In the velocities.
    velocities: usize,
    /// In the functions of place: not worth while below.
    least: usize,
    most: usize,
    /// Good enough.
    wanted: usize,
}

impl Degrees {
    fn new(velocities: usize, most: usize, wanted: usize) -> Self {
        Self {
            velocities,
            least: 0,
            most,
            wanted,
        }
    }
}

/// All velocities, or where rows are affine in them the independent ones.
fn choices(p: &Prepared<'_>, velocities: &[usize]) -> Vec<Vec<usize>> {
    let mut choices = vec![velocities.to_vec()];
    let affine = p.constraints.a.entries().iter().all(|a| {
        let mut v = p.system.v.iter();
        !v.any(|v| a.depends_on(*v))
    });
    if let Some(chart) = p.constraints.chart.as_ref().filter(|_| affine) {
        let independent = chart.independent.iter();
        choices.push(
            independent
                .filter_map(|i| velocities.get(*i).copied())
                .collect(),
        );
    }
    choices
}

impl<'g> Ansatz<'g> {
    /// The place of a factor.
    fn generator(&mut self, x: Ex<'g>) -> usize {
        self.generator_in_print(x, x)
    }

    fn generator_in_print(&mut self, x: Ex<'g>, shown: Ex<'g>) -> usize {
        let found = self.generators.iter().position(|generator| *generator == x);
        found.unwrap_or_else(|| {
            self.generators.push(x);
            self.shown.push(shown);
            self.generators.len() - 1
        })
    }

    fn form(&mut self, x: Ex<'g>, shown: Ex<'g>) -> usize {
        let place = self.generator_in_print(x, shown);
        if !self.forms.contains(&place) {
            self.forms.push(place);
        }
        place
    }

    /// The degree of a monomial in the velocities.
    pub fn velocity_degree(&self, monomial: &[usize]) -> usize {
        let forms = monomial.iter().filter(|place| self.forms.contains(place));
        forms.count()
    }

    /// Whether no two terms have different products of velocities.
    pub fn is_simple(&self, combination: &Combination) -> bool {
        let products = combination.iter().map(|(_, monomial)| {
            let forms = monomial.iter().filter(|place| self.forms.contains(place));
            forms.copied().collect::<Vec<usize>>()
        });
        let mut products: Vec<Vec<usize>> =
            products.filter(|product| !product.is_empty()).collect();
        products.sort_unstable();
        products.dedup();
        products.len() <= 1
    }

    /// Adds polynomials in atoms times polynomials in velocities: of the first choice of velocities
    /// that leaves room for the wanted degree, or of that with the highest. Returns the degree.
    fn add(
        &mut self,
        atoms: &[(usize, bool)],
        choices: &[Vec<usize>],
        degrees: Degrees,
    ) -> Option<usize> {
        let mut best: Option<(usize, Pairs, &[usize])> = None;
        for velocities in choices {
            let fibre = products(&plain(velocities), degrees.velocities, BUDGET);
            let Some(fibre) = fibre else { continue };
            let room = BUDGET / fibre.len();
            let most = if atoms.is_empty() { 0 } else { degrees.most };
            let mut down = (degrees.least..=most).rev();
            let fitting = down.find_map(|d| Some((d, products(atoms, d, room)?)));
            let Some((degree, functions)) = fitting else {
                continue;
            };
            if best.as_ref().is_none_or(|(known, ..)| degree > *known) {
                best = Some((degree, pairs(&fibre, &functions), velocities));
            }
            if degree >= degrees.wanted.min(degrees.most) {
                break;
            }
        }
        let (degree, (monomials, parts), velocities) = best?;
        let functions = match degree {
            0 => "constants".to_owned(),
            _ => format!("polynomials of degree {degree} in {}", self.listed(atoms)),
        };
        let words = format!(
            "{functions}, times polynomials of degree {} in {}",
            degrees.velocities,
            self.listed(&plain(velocities))
        );
        self.families.push(Family {
            monomials,
            parts,
            words,
        });
        Some(degree)
    }

    pub fn listed(&self, places: &[(usize, bool)]) -> String {
        let names = places.iter().map(|(place, _)| self.text(*place));
        names.collect::<Vec<String>>().join(", ")
    }

    /// Positions alone: every coordinate, angles included.
    fn positions(&mut self, p: &Prepared<'g>) {
        let places: Vec<usize> = p.system.q.iter().map(|q| self.generator(*q)).collect();
        let Some(monomials) = products(&plain(&places), 1, BUDGET) else {
            return;
        };
        let words = "linear functions of all coordinates".to_owned();
        self.families.push(Family {
            monomials,
            parts: Vec::new(),
            words,
        });
    }

    /// For each rotating body: the vertical, and `omega`, in its own frame.
    fn bodies(&mut self, p: &Prepared<'g>, square: usize) {
        let graph = p.system.graph;
        let is_level = |i: &usize| graph.ex(p.model.gravity[*i]).is_zero();
        let vertical = (0..3).find(|i| !is_level(i)).unwrap_or(2);
        for body in &p.model.bodies {
            let (rotation, shown) = (turning(p, body), turning_in_print(p, body));
            let Some((rotation, shown)) = rotation.zip(shown) else {
                continue;
            };
            let vary = |x: &(Ex<'g>, Ex<'g>)| x.0.as_rational().is_none();
            let axes = rotation.axes.into_iter().zip(shown.axes);
            let up = axes.map(|(axis, shown)| (axis[vertical], shown[vertical]));
            let up: Vec<(Ex<'g>, Ex<'g>)> = up.filter(vary).collect();
            let up = up
                .into_iter()
                .map(|(x, shown)| self.generator_in_print(x, shown));
            let up: Vec<usize> = up.collect();
            let spin = rotation.spin.into_iter().zip(shown.spin).filter(vary);
            let spin: Vec<usize> = spin.map(|(x, shown)| self.form(x, shown)).collect();
            self.turning
                .push((body.name.clone(), up.clone(), spin.clone()));
            let room = products(&plain(&spin), square, BUDGET);
            let Some(fibre) = room else { continue };
            let budget = BUDGET / fibre.len();
            let fitting = (0..=MAX_DEGREE_IN_BODY)
                .rev()
                .find_map(|d| Some((d, products(&plain(&up), d, budget)?)));
            let Some((degree, functions)) = fitting else {
                continue;
            };
            let (monomials, parts) = pairs(&fibre, &functions);
            let words = format!(
                "polynomials of degree {degree} in the vertical, times polynomials of degree {square} in omega, both in the frame of {}",
                body.name
            );
            self.families.push(Family {
                monomials,
                parts,
                words,
            });
        }
    }

    /// Pairs of factors whose product is 1.
    pub fn inverses(&self) -> Vec<(usize, usize)> {
        let places = 0..self.generators.len();
        let pairs = places.clone().flat_map(|i| (0..i).map(move |j| (i, j)));
        let is_one = |(i, j): &(usize, usize)| {
            let (x, y) = (self.generators[*i], self.generators[*j]);
            x == y.recip() || y == x.recip()
        };
        pairs.filter(is_one).collect()
    }

    fn text(&self, place: usize) -> String {
        let x = self.shown.get(place);
        x.map_or_else(String::new, |x| {
            Printer::new(x.graph(), Style::Text).print(*x)
        })
    }
}

/// Products of two kinds, and the places of those with at most one of the first kind.
type Pairs = (Vec<Monomial>, Vec<Vec<usize>>);

/// All products of velocities with functions of place.
fn pairs(fibre: &[Monomial], functions: &[Monomial]) -> Pairs {
    let (mut all, count) = (Vec::new(), functions.len());
    for w in fibre {
        all.extend(functions.iter().map(|f| [f.as_slice(), w].concat()));
    }
    let with = |k: usize| (0..count).chain(k * count..(k + 1) * count).collect();
    (all, (1..fibre.len()).map(with).collect())
}

pub(super) fn plain(places: &[usize]) -> Vec<(usize, bool)> {
    places.iter().map(|place| (*place, false)).collect()
}

/// All products up to a degree, those of low degree first, factors that say so at most once; `None`
/// if there are more than the limit.
pub(super) fn products(
    factors: &[(usize, bool)],
    degree: usize,
    limit: usize,
) -> Option<Vec<Monomial>> {
    // Places among the factors, so that each product is met once.
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    let mut begin = 0;
    for _ in 0..degree {
        let end = all.len();
        for shorter in begin..end {
            let last = all[shorter].last().copied();
            for (next, (_, once)) in factors.iter().enumerate().skip(last.unwrap_or(0)) {
                if *once && last == Some(next) {
                    continue;
                }
                let longer = [all[shorter].as_slice(), &[next]].concat();
                all.push(longer);
            }
            if all.len() > limit {
                return None;
            }
        }
        begin = end;
    }
    let named = |product: Vec<usize>| product.into_iter().map(|i| factors[i].0).collect();
    Some(all.into_iter().map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::products;

    #[test]
    fn products_are_met_once_and_counted() {
        let factors = [(7, false), (9, true)];
        let all = products(&factors, 2, 10).expect("five");
        assert_eq!(all, [vec![], vec![7], vec![9], vec![7, 7], vec![7, 9]]);
        assert_eq!(products(&factors, 2, 4), None);
        assert_eq!(products(&[], 3, 4), Some(vec![vec![]]));
    }
}
