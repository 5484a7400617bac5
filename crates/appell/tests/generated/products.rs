//! Products of factors: rows alone, two or three together, with claims on all components, some, none.

use super::draft::Truth::{Fails, Holds};
use super::draft::{Case, Draft};
use super::factors::{Graph, Kind, Names, graphs};
use super::random::Random;

const NAMES: Names = Names {
    velocities: ["x'", "y'"],
    coordinates: ["x", "z"],
};

/// One row, two to four factors of one velocity.
pub fn alone(random: &mut Random, number: usize) -> Case {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let kind = if number.is_multiple_of(3) {
        Kind::Polynomial
    } else {
        Kind::Mixed
    };
    let count = random.between(2, 4);
    let mut names = NAMES;
    if random.once_in(5) {
        names.coordinates[1] = "t";
    }
    let factors = graphs(random, "z'", names, count, kind);
    draft.row(written(random, &factors));
    let start = random.below(count);
    start_on(random, &mut draft, &[&factors[start]]);
    draft.holds(every(random, &factors));
    draft.fails(factors[start].equation());
    draft.fails(factors[(start + 1) % count].factor(random));
    if count > 2 {
        let left_out = random.below(count);
        let some: Vec<Graph> = others(&factors, left_out);
        draft.fails(every(random, &some));
    }
    draft.fails(format!("{} = x'^2 + 17", factors[0].factor(random)));
    draft.case("product", number)
}

/// One row with factors of different velocities.
pub fn of_several_velocities(random: &mut Random, number: usize) -> Case {
    let mut draft = Draft::new(&["x", "y", "z", "w"]);
    let kind = if number.is_multiple_of(2) {
        Kind::Polynomial
    } else {
        Kind::Mixed
    };
    let one = graphs(random, "z'", NAMES, 1, kind).remove(0);
    let other = graphs(random, "w'", NAMES, 1, kind).remove(0);
    let factors = [one, other];
    draft.row(product(random, &factors));
    let start = random.below(2);
    start_on(random, &mut draft, &[&factors[start]]);
    draft.start(format!("{} = 11/3", factors[1 - start].velocity));
    draft.holds(every(random, &factors));
    draft.fails(factors[start].equation());
    draft.fails(factors[1 - start].equation());
    draft.case("product of several", number)
}

/// Two or three rows, each a product of two factors of its own velocity.
pub fn together(random: &mut Random, number: usize) -> Case {
    let velocities = ["z'", "w'", "u'"];
    let rows = if random.once_in(3) { 3 } else { 2 };
    let coordinates = ["x", "y", "z", "w", "u"];
    let mut draft = Draft::new(&coordinates[..2 + rows]);
    let kind = if random.once_in(2) {
        Kind::Polynomial
    } else {
        Kind::Mixed
    };
    let pairs: Vec<Vec<Graph>> = velocities[..rows]
        .iter()
        .map(|velocity| graphs(random, velocity, NAMES, 2, kind))
        .collect();
    let mut on = Vec::new();
    for pair in &pairs {
        draft.row(written(random, pair));
        on.push(&pair[random.below(2)]);
    }
    start_on(random, &mut draft, &on);
    for pair in &pairs {
        draft.holds(every(random, pair));
    }
    draft.fails(on[0].equation());
    draft.fails(on[rows - 1].equation());
    draft.fails(format!("{}*{}", on[0].factor(random), on[1].factor(random)));
    draft.fails(format!(
        "{}*{}",
        pairs[0][0].factor(random),
        pairs[1][1].factor(random)
    ));
    draft.case("products together", number)
}

/// Two rows that share a factor: a component of dependent rows besides a regular one.
pub fn shared_factor(random: &mut Random, number: usize) -> Case {
    let mut draft = Draft::new(&["x", "y", "z", "w"]);
    let kind = if random.once_in(2) {
        Kind::Polynomial
    } else {
        Kind::Mixed
    };
    let shared = graphs(random, "z'", NAMES, 2, kind);
    let other = graphs(random, "w'", NAMES, 1, kind).remove(0);
    let (common, first) = (&shared[0], &shared[1]);
    draft.row(product(random, &[common.clone(), first.clone()]));
    draft.row(product(random, &[common.clone(), other.clone()]));
    let on_common = random.once_in(2);
    if on_common {
        start_on(random, &mut draft, &[common]);
        draft.start("w' = 13/2");
        // Only the start tells: elsewhere these hold wherever the rows are independent.
        draft.fails(first.equation());
        draft.fails(other.equation());
    } else {
        start_on(random, &mut draft, &[first, &other]);
    }
    draft.fails(common.equation());
    draft.holds(every(random, &[common.clone(), first.clone()]));
    draft.holds(format!(
        "{}*{}",
        common.factor(random),
        other.factor(random)
    ));
    draft.case("shared factor", number)
}

/// A domain that selects one of the components.
pub fn selected(random: &mut Random, number: usize) -> Case {
    let mut draft = Draft::new(&["x", "y", "z"]);
    // Positive everywhere, and not constant.
    let root = random.pick(&[
        "sqrt(1 + x'^2)",
        "sqrt(x'^2 + y'^2 + 2)",
        "(exp(x)*(1 + y'^2))",
        "(1 + x^2*y'^2)",
        "(3/(1 + x'^2))",
        "(2 + sin(y))",
    ]);
    let row = match random.below(3) {
        0 => format!("z'^2 = {root}^2"),
        1 => format!("(z' - {root})*(z' + {root})"),
        _ => format!("(z' - {root})*(z' + 2*{root})*(z' + {root})"),
    };
    draft.row(row);
    draft.start("x' = 1/2");
    draft.start("y' = 1/3");
    let up = random.once_in(2);
    draft.start(if up {
        format!("z' = {root}")
    } else {
        format!("z' = -{root}")
    });
    draft.within("z' > 0", format!("z' = {root}"), Holds);
    draft.within("z' < 0", format!("z' = {root}"), Fails);
    draft.fails(format!("z' = {root}"));
    draft.fails(format!("z' = -{root}"));
    draft.within("z' > 0", format!("z'^3 = z'*{root}^2"), Holds);
    draft.case("selected by a domain", number)
}

/// Linear factors in a plane and a domain between them.
pub fn selected_line(random: &mut Random, number: usize) -> Case {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let k = random.pick(&["2", "3", "5/2", "7"]);
    let g = random.pick(&["y'", "y'*exp(x)", "y'*(1 + x^2)", "y'/sqrt(2 + x^2)"]);
    draft.row(format!("(x' - {g})*(x' - {k}*{g})"));
    draft.start("x' = 1".to_owned());
    draft.start(if random.once_in(2) {
        format!("{g} = 1")
    } else {
        format!("{k}*{g} = 1")
    });
    draft.start("z' = 3");
    draft.within(&format!("x' > {g}"), format!("x' = {k}*{g}"), Holds);
    draft.fails(format!("x' = {k}*{g}"));
    draft.fails(format!("x' = {g}"));
    draft.holds(format!("x'^2 + {k}*({g})^2 = (1 + {k})*x'*{g}"));
    draft.case("selected by a domain", number)
}

fn others(factors: &[Graph], left_out: usize) -> Vec<Graph> {
    let kept = factors.iter().enumerate().filter(|(i, _)| *i != left_out);
    kept.map(|(_, factor)| factor.clone()).collect()
}

/// The product of the factors, in random order.
fn product(random: &mut Random, factors: &[Graph]) -> String {
    let texts: Vec<String> = factors.iter().map(|f| f.factor(random)).collect();
    random.shuffled(&texts).join("*")
}

/// That all factors vanish somewhere: their product, one perhaps squared (rows never have squares,
/// which would take their rank).
fn every(random: &mut Random, factors: &[Graph]) -> String {
    let text = product(random, factors);
    if random.once_in(4) {
        format!("{text}*{}", factors[0].factor(random))
    } else {
        text
    }
}

/// The row of these factors of one velocity: a product, or two factors multiplied out.
fn written(random: &mut Random, factors: &[Graph]) -> String {
    if let ([one, two], true) = (factors, random.once_in(2)) {
        let (v, a, b) = (one.velocity, &one.value, &two.value);
        return format!("{v}^2 + ({a})*({b}) = ({a})*{v} + {v}*({b})");
    }
    product(random, factors)
}

/// A start at which these factors vanish.
fn start_on(random: &mut Random, draft: &mut Draft, factors: &[&Graph]) {
    draft.start(format!("x = {}", random.pick(&["1/3", "0.4", "1/2"])));
    draft.start(format!("z = {}", random.pick(&["1/5", "0.3", "2/3"])));
    draft.start(format!("x' = {}", random.pick(&["1", "1/2", "0.7"])));
    draft.start(format!("y' = {}", random.pick(&["2", "1/3", "1.1"])));
    for factor in factors {
        draft.start(factor.equation());
    }
}
