//! Rows that are written as products, taken apart.
//!
//! The zero set of rows `f_1 f_2 .. = 0` is made of those of all choices of one factor for each row. What
//! vanishes on each of them vanishes on the whole, and each has a lower degree. Factors that are nowhere
//! zero have no set; a set of what is a denominator only adds points.

use super::identity::{Bound, Cover, Finding, Question};
use super::locus::{Locus, Step};
use crate::graph::{Ex, Node};
use crate::real::{Range, range};

/// More choices of factors are not looked at.
const MAX_CHOICES_OF_FACTORS: usize = 16;

/// The loci with one factor of each row; `None` where no row is a product, or too many are.
pub(crate) fn pieces<'g>(locus: &Locus<'g>) -> Option<Vec<Locus<'g>>> {
    let mut pieces = vec![Locus {
        steps: Vec::new(),
        ..locus.clone()
    }];
    for step in &locus.steps {
        let ways = match step {
            Step::On(rows, unknowns, others) => {
                let solved = [unknowns.as_slice(), others].concat();
                let choices = choices(rows, &solved)?;
                let on = |rows| Step::On(rows, unknowns.clone(), others.clone());
                choices.into_iter().map(on).collect()
            }
            other => vec![other.clone()],
        };
        if pieces.len() * ways.len() > MAX_CHOICES_OF_FACTORS {
            return None;
        }
        let with = |piece: &Locus<'g>, way: &Step<'g>| {
            let mut piece = piece.clone();
            piece.steps.push(way.clone());
            piece
        };
        pieces = pieces
            .iter()
            .flat_map(|piece| ways.iter().map(|way| with(piece, way)))
            .collect();
    }
    (pieces.len() > 1).then_some(pieces)
}

/// All choices of one factor for each row.
fn choices<'g>(rows: &[Ex<'g>], solved: &[Ex<'g>]) -> Option<Vec<Vec<Ex<'g>>>> {
    let mut choices: Vec<Vec<Ex<'g>>> = vec![Vec::new()];
    for row in rows {
        let factors = factors(*row, solved);
        if choices.len() * factors.len() > MAX_CHOICES_OF_FACTORS {
            return None;
        }
        choices = choices
            .iter()
            .flat_map(|choice| factors.iter().map(|f| [choice.as_slice(), &[*f]].concat()))
            .collect();
    }
    Some(choices)
}

/// The different factors of a row that may vanish where something is solved for; the row itself if none.
fn factors<'g>(row: Ex<'g>, solved: &[Ex<'g>]) -> Vec<Ex<'g>> {
    let mut found: Vec<Ex<'g>> = Vec::new();
    let mut open = vec![row];
    while let Some(x) = open.pop() {
        let graph = x.graph();
        match x.node() {
            Node::Product(parts) => {
                let above = parts.iter().filter(|(_, e)| !e.is_negative());
                open.extend(above.map(|(part, _)| graph.ex(*part)));
            }
            Node::Sum(constant, terms) if constant.is_zero() && terms.len() == 1 => {
                open.push(graph.ex(terms[0].0));
            }
            _ => {
                let moves = solved.iter().any(|u| x.depends_on(*u));
                let vanishes = !range(x, &|_| Range::all()).excludes_zero();
                if moves && vanishes && !found.contains(&x) {
                    found.push(x);
                }
            }
        }
    }
    match found.is_empty() {
        true => vec![row],
        false => found,
    }
}

/// What is known of the whole from what is known of each piece; `None` if that is not enough.
pub(crate) fn joined(pieces: &[&Finding]) -> Option<Finding> {
    let mut bounds = pieces.iter().filter_map(|finding| match finding {
        Finding::Holds(bound) => Some(*bound),
        _ => None,
    });
    let holds = bounds.clone().count();
    if holds < pieces.len() {
        let fails = pieces.iter().any(|finding| finding.fails());
        return fails.then_some(match holds {
            0 => Finding::Fails,
            _ => Finding::FailsAtSome,
        });
    }
    let first = bounds.next()?;
    Some(Finding::Holds(bounds.fold(first, both)))
}

/// The bound of what holds on two sets: the chances add up.
fn both(x: Bound, y: Bound) -> Bound {
    let (low, high) = (x.exponent.min(y.exponent), x.exponent.max(y.exponent));
    let exponent = match high.is_finite() {
        true => high + (low - high).exp2().ln_1p() / std::f64::consts::LN_2,
        false => high,
    };
    Bound {
        points: x.points + y.points,
        degree: x.degree.max(y.degree),
        exponent,
        cover: Cover {
            is_one: false,
            degree: x.cover.degree + y.cover.degree,
            sections: x.cover.sections + y.cover.sections,
            pieces: x.cover.pieces + y.cover.pieces,
            has_singular: x.cover.has_singular || y.cover.has_singular,
        },
    }
}

/// Those of the questions that are open, with their places.
pub(crate) fn open(questions: &[Question], findings: &[Finding]) -> (Vec<usize>, Vec<Question>) {
    let open = (0..questions.len()).filter(|i| matches!(findings[*i], Finding::Open(_)));
    open.map(|i| (i, questions[i].clone())).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn every_choice_of_factors_is_a_piece() {
        let g = Graph::new();
        let [a, x, y, z] = ["a", "x", "y", "z"].map(|name| g.symbol(name));
        let mut locus = Locus::new(vec![a, x, y, z]);
        let first = 3
            * (a * x.pow(2) * (y + 1) * (x.pow(2) + 1) * z.call(crate::function::Function::Exp)
                / y);
        locus.on(vec![first, x - z], vec![x, y]);
        locus.on(vec![z * (z - x) * (z + a)], vec![z]);
        let pieces = pieces(&locus).expect("products");
        let rows = |locus: &Locus<'_>| -> Vec<String> {
            let of = |step: &Step<'_>| match step {
                Step::On(rows, ..) => rows.iter().map(ToString::to_string).collect(),
                _ => Vec::new(),
            };
            locus.steps.iter().flat_map(of).collect()
        };
        let mut all: Vec<Vec<String>> = pieces.iter().map(rows).collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 2 * 3, "{all:?}");
        assert!(all.iter().all(|rows| rows.len() == 3));
    }

    #[test]
    fn chances_add_up() {
        let of = |exponent: f64| Bound {
            points: 2,
            degree: 3,
            exponent,
            cover: Cover::WHOLE,
        };
        let joint = both(of(-70.0), of(-70.0));
        assert!((joint.exponent + 69.0).abs() < 1e-12);
        assert_eq!((joint.points, joint.cover.pieces), (4, 2));
        let (holds, fails) = (Finding::Holds(of(-65.0)), Finding::Fails);
        let open = Finding::Open(String::new());
        assert_eq!(joined(&[&holds, &fails]), Some(Finding::FailsAtSome));
        assert_eq!(joined(&[&open, &fails]), Some(Finding::Fails));
        assert_eq!(joined(&[&holds, &open]), None);
        assert!(
            matches!(joined(&[&holds, &holds, &holds]), Some(Finding::Holds(b)) if b.exponent > -64.0)
        );
    }
}
