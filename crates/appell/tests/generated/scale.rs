//! Identities, and what is almost one, at every scale; inverse functions; numbers.

use super::draft::Truth::{Fails, Holds};
use super::draft::{Case, Draft};
use super::random::Random;

/// Left minus right is 0 where both have a value.
const IDENTITIES: &[&str] = &[
    "log(2*exp(x)) - log(2) - x",
    "sin(2*x) - 2*sin(x)*cos(x)",
    "log(x^2 + 1)*2 - log((x^2 + 1)^2)",
    "sqrt((x^2 + 1)^2) - x^2 - 1",
    "cosh(x)^2 - sinh(x)^2 - 1",
    "exp(x)*exp(y) - exp(x + y)",
    "exp(x/2)^2 - exp(x)",
    "cos(atan(x)) - 1/sqrt(1 + x^2)",
    "tan(x)*cos(x) - sin(x)",
    "sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)",
    "cos(3*x) - 4*cos(x)^3 + 3*cos(x)",
    "(x + y)^5 - x^5 - 5*x^4*y - 10*x^3*y^2 - 10*x^2*y^3 - 5*x*y^4 - y^5",
    "sqrt(3 + 2*sqrt(2)) - 1 - sqrt(2)",
    "sqrt(5 + 2*sqrt(6)) - sqrt(2) - sqrt(3)",
    "sqrt(x^4 + 2*x^2*y^2 + y^4) - x^2 - y^2",
    "1/(1 + x^2) + x^2/(1 + x^2) - 1",
    "sqrt(2 + 2*sqrt(1 + x^2) + x^2) - 1 - sqrt(1 + x^2)",
    "tanh(x) - sinh(x)/cosh(x)",
    "log(exp(x) + exp(-x)) - log(2*cosh(x))",
    "sqrt(1 + x^2)^2*y' - y' - x^2*y'",
    "x'^2*sin(y)^2 + x'^2*cos(y)^2 - x'^2",
    "sqrt(x'^2 + 4)*sqrt(x'^2 + 4) - x'^2 - 4",
    "1/(sqrt(2 + x^2) - 1) - (sqrt(2 + x^2) + 1)/(1 + x^2)",
    "sqrt(12 + x - x) - 2*sqrt(3)",
];

/// Identities with inverse functions, powers and numbers.
const INVERSES: &[(&str, &str)] = &[
    ("sin(asin(x)) = x", ""),
    ("cos(acos(x)) = x", ""),
    ("tan(atan(x)) = x", ""),
    ("tan(atan2(y, x)) = y/x", ""),
    ("exp(log(x)) = x", ""),
    ("log(exp(x)) = x", ""),
    ("2^x = exp(x*log(2))", ""),
    ("sqrt((z' + 1)^2) = z' + 1", "z' > 0"),
    ("sqrt(x^2) = x", "x > 0"),
    ("sqrt(x^2) = -x", "x < 0"),
    ("abs(x) = x", "x > 0"),
    ("abs(x)^2 = x^2", ""),
    ("sin(pi/10) = (sqrt(5) - 1)/4", ""),
    ("cos(pi/5) = (1 + sqrt(5))/4", ""),
    ("sin(pi/12) = (sqrt(6) - sqrt(2))/4", ""),
    ("tan(pi/8) = sqrt(2) - 1", ""),
    ("cos(asin(x)) = sqrt(1 - x^2)", ""),
    ("sin(acos(x)) = sqrt(1 - x^2)", ""),
    ("sin(atan(x)) = x/sqrt(1 + x^2)", ""),
    ("cos(atan2(y, x)) = x/sqrt(x^2 + y^2)", ""),
    ("sin(atan2(y', x')) = y'/sqrt(x'^2 + y'^2)", ""),
    ("asin(x) + acos(x) = pi/2", ""),
    ("atan(1/x) + atan(x) = pi/2", "x > 0"),
    ("log(x^3) = 3*log(x)", "x > 0"),
    ("log(x^2) = 2*log(x)", "x > 0"),
    ("exp(3*log(x)) = x^3", ""),
    ("(x^2 + 1)^(3/2) = (x^2 + 1)*sqrt(x^2 + 1)", ""),
    ("4^x = (2^x)^2", ""),
    ("atan(1) = pi/4", ""),
    ("log(8) = 3*log(2)", ""),
    ("sqrt(exp(2*x)) = exp(x)", ""),
    ("atan2(y, x) = atan(y/x)", "x > 0"),
];

/// Statements of this kind that are false.
const FALSE_INVERSES: &[&str] = &[
    "asin(sin(x)) = x",
    "acos(cos(x)) = x",
    "atan(tan(x)) = x",
    "sqrt(x^2) = x",
    "sqrt((x - 1)^2) = x - 1",
    "log(x^2)/2 = x - 1",
    "log((x - 2)^2) = 2*log(5 - x)",
    "atan2(y, x) = atan(y/x)",
    "atan(1/x) + atan(x) = pi/2",
    "sin(pi/10) = (sqrt(5) - 1)/5",
    "abs(x) = x",
    "abs(x + y) = abs(x) + abs(y)",
    "sqrt(x^2 + y^2) = x + y",
    "exp(pi*sqrt(163)) = 262537412640768744",
    "2^x = x^2",
    "acos(-x) = acos(x)",
    "atan2(y, x) + atan2(x, y) = pi/2",
    "sqrt(x^2*y^2) = x*y",
    "x'*sqrt(y'^2) = y'*sqrt(x'^2)",
];

/// What is not zero, however small.
const NEARLY: &[&str] = &[
    "S*log(2 + x^2)",
    "sin(2*x) - 2*sin(x)*cos(x) + S*x",
    "x + S - x",
    "sqrt(x^2 + 1 + S) - sqrt(x^2 + 1)",
    "exp(S*x) - 1",
    "(1 + S)*x' - x'",
    "cos(x)^2 + sin(x)^2 - 1 - S*y'",
    "log(2 + x^2 + S) - log(2 + x^2)",
    "S*x'*y'",
    "x'/(1 + S*x^2) - x'",
    "sqrt(2)*(1 + S) - sqrt(2)",
    "tanh(x*S)",
];

fn power(random: &mut Random, low: usize, high: usize, negative: bool) -> String {
    let exponent = random.between(low, high);
    format!(
        "{}e{}{exponent}",
        random.pick(&["1", "3", "7.5"]),
        if negative { "-" } else { "" }
    )
}

/// Identities multiplied by a number between `1e-60` and `1e60`, or divided by one.
pub fn identities(random: &mut Random, number: usize) -> Case {
    let mut draft = plane(random);
    let negative = random.once_in(2);
    let scale = power(random, 3, 60, negative);
    draft.parameter("k", &scale);
    let mut left = random.shuffled(IDENTITIES);
    draft.holds(format!("k*({})", left.remove(0)));
    draft.holds(format!("{scale}*({})", left.remove(0)));
    draft.holds(format!("{} = 0", left.remove(0)));
    let (lhs, term) = (left.remove(0), random.pick(&["x", "y'", "exp(x)", "1/7"]));
    draft.holds(format!("{lhs} + k*{term} = k*{term}"));
    draft.fails(format!("k*({} + x) = 0", left.remove(0)));
    draft.case("scaled identity", number)
}

/// Tiny differences, alone and multiplied by something large.
pub fn nearly(random: &mut Random, number: usize) -> Case {
    let mut draft = plane(random);
    let small = power(random, 12, 60, true);
    draft.parameter("e", &small);
    let mut left = random.shuffled(NEARLY);
    draft.fails(left.remove(0).replace('S', "e"));
    draft.fails(left.remove(0).replace('S', &small));
    let large = power(random, 3, 40, false);
    draft.fails(format!(
        "{large}*({}) = 0",
        left.remove(0).replace('S', "e")
    ));
    draft.holds(format!("{small}*({})", random.pick(IDENTITIES)));
    draft.case("tiny difference", number)
}

/// Inverse functions, powers and numbers, true and false.
pub fn inverses(random: &mut Random, number: usize) -> Case {
    let mut draft = Draft::new(&["x", "y", "z"]);
    let wrap = |random: &mut Random, text: &str| match random.once_in(3) {
        true => {
            let (l, r) = text.split_once(" = ").expect("an equation");
            format!("{k}*({l}) = {k}*({r})", k = random.positive())
        }
        false => text.to_owned(),
    };
    for i in 0..3 {
        let (text, domain) = INVERSES[(3 * number + i) % INVERSES.len()];
        let text = wrap(random, text);
        match domain {
            "" => draft.holds(text),
            _ => draft.within(domain, text, Holds),
        }
    }
    let text = FALSE_INVERSES[number % FALSE_INVERSES.len()];
    draft.equation(wrap(random, text), Fails);
    draft.case("inverse functions", number)
}

fn plane(random: &mut Random) -> Draft {
    let mut draft = Draft::new(&["x", "y", "z"]);
    if random.once_in(2) {
        draft.row("z' = x*y'");
        draft.start("x = 1");
        draft.start("y' = 2");
        draft.start("z' = 2");
    }
    draft
}
