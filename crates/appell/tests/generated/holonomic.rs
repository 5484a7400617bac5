//! Holonomic rows with several components.

use super::draft::{Case, Draft};
use super::factors::substituted;
use super::random::Random;

// Where two components cross, the row's derivative vanishes and allows every velocity: the claims
// are such that they hold there too.

/// A holonomic row in `x`, `y` (`z` is free); the letters `K` and `M` stand for positive numbers.
struct Known {
    row: &'static str,
    holds: &'static [&'static str],
    fails: &'static [&'static str],
    starts: &'static [&'static [&'static str]],
}

const SETS: &[Known] = &[
    Known {
        row: "x^2 = K^2*y^2",
        holds: &[
            "x*x' = K^2*y*y'",
            "(x^2 + y^2)*(x'^2 - K^2*y'^2)",
            "(x - K*y)*(x' + K*y')",
            "x^4 = K^4*y^4",
        ],
        fails: &["x = K*y", "x' = K*y'", "x' + K*y' = 0"],
        starts: &[
            &["x = K", "y = 1", "x' = K", "y' = 1"],
            &["x = K", "y = -1", "x' = K", "y' = -1"],
        ],
    },
    Known {
        row: "sin(x) = 0",
        holds: &["x' = 0", "cos(x)^2 = 1", "sin(2*x) = 0", "x'*y'"],
        fails: &["x = 0", "cos(x) = 1", "x = pi", "y' = 0"],
        starts: &[&["x = 0", "y' = 1"], &["x = pi", "y' = 1"]],
    },
    Known {
        row: "cos(x) + cos(y) = 0",
        holds: &[
            "sin(x)*(x'^2 - y'^2)",
            "sin(x)^2 = sin(y)^2",
            "sin(x)*x' + sin(y)*y'",
        ],
        fails: &["x' = y'", "x' + y' = 0", "sin(x) = sin(y)", "x + y = pi"],
        starts: &[
            &["x = 1", "y = pi - 1", "x' = 1", "y' = -1"],
            &["x = 1", "y = pi + 1", "x' = 1", "y' = 1"],
        ],
    },
    Known {
        row: "x*y",
        holds: &["x*x'*y' = 0", "x*y' = 0", "x'*y = 0", "x^2*y'^2"],
        fails: &["x = 0", "x' = 0", "y' = 0", "y = 0"],
        starts: &[
            &["x = 0", "y = 1", "x' = 0", "y' = 2"],
            &["x = 1", "y = 0", "x' = 1", "y' = 0"],
        ],
    },
    Known {
        row: "(x - y)*(x + K*z)",
        holds: &["(x - y)*(x' + K*z')", "x*(x + K*z)*(x' - y')"],
        fails: &["x = y", "x' = y'", "x' + K*z' = 0"],
        starts: &[
            &["x = 1", "y = 1", "z = 2", "x' = 1", "y' = 1", "z' = 3"],
            &["x = K", "z = -1", "y = 7", "x' = 0", "z' = 0", "y' = 1"],
        ],
    },
    Known {
        row: "(x^2 + y^2 - M)*(z - x)",
        holds: &["(z - x)*(x*x' + y*y')", "(x^2 + y^2 - M)*(z' - x')"],
        fails: &["x*x' + y*y' = 0", "z = x", "z' = x'", "x^2 + y^2 = M"],
        starts: &[
            &["x = 1", "y = 5", "z = 1", "x' = 1", "y' = 1", "z' = 1"],
            &[
                "x = 0",
                "y = sqrt(M)",
                "z = 3",
                "x' = 1",
                "y' = 0",
                "z' = 2",
            ],
        ],
    },
    Known {
        row: "x^3 = x*y^2",
        holds: &["y^2*x'*(x'^2 - y'^2)", "x*(x'^2 - y'^2)", "x^2*(x^2 - y^2)"],
        fails: &["x = 0", "x = y", "x' = y'", "x'^2 = y'^2"],
        starts: &[
            &["x = 0", "y = 1", "x' = 0", "y' = 1"],
            &["x = 1", "y = -1", "x' = 2", "y' = -2"],
        ],
    },
    Known {
        row: "(x^2 + y^2 + M)*(z - K*x)",
        holds: &["z = K*x", "z' = K*x'", "z*x' = z'*x"],
        fails: &["z = x + 5", "z' = y'", "x' = 0"],
        starts: &[&["x = 1", "y = 1", "z = K", "x' = 1", "y' = 2", "z' = K"]],
    },
    Known {
        row: "sin(x) = sin(y)",
        holds: &[
            "cos(x)*(x'^2 - y'^2)",
            "cos(x)*x' = cos(y)*y'",
            "cos(x)^2 = cos(y)^2",
        ],
        fails: &["x = y", "x' = y'", "cos(x) = cos(y)", "x + y = pi"],
        starts: &[
            &["x = 1", "y = 1", "x' = 1", "y' = 1"],
            &["x = 1", "y = pi - 1", "x' = 1", "y' = -1"],
        ],
    },
    Known {
        row: "x^2 = exp(2*y)",
        holds: &["x' = x*y'", "x'^2 = exp(2*y)*y'^2", "x*x' = exp(2*y)*y'"],
        fails: &["x = exp(y)", "x' = exp(y)*y'", "x = -exp(y)"],
        starts: &[
            &["x = 1", "y = 0", "x' = 1", "y' = 1"],
            &["x = -1", "y = 0", "x' = -1", "y' = 1"],
        ],
    },
    Known {
        row: "(y - sqrt(1 + x^2))*(y + M*sqrt(1 + x^2))",
        holds: &[
            "(y - sqrt(1 + x^2))*(y'*sqrt(1 + x^2) + M*x*x')",
            "y'*(1 + x^2) = y*x*x'",
        ],
        fails: &["y = sqrt(1 + x^2)", "y*y' = x*x'", "y^2 = 1 + x^2"],
        starts: &[
            &["x = 0", "y = 1", "x' = 1", "y' = 0"],
            &["x = 0", "y = -M", "x' = 1", "y' = 0"],
        ],
    },
    Known {
        row: "x^2 + y^2 = 0",
        holds: &["x = 0", "y = 3*x", "x*y' = y*x'"],
        fails: &["z' = 0", "z = x"],
        starts: &[&["x = 0", "y = 0", "z = 1", "x' = 0", "y' = 0", "z' = 1"]],
    },
];

/// How many different sets there are.
pub const KINDS: usize = SETS.len();

/// One of the sets, started on one of its components, alone or with a row for a further velocity.
pub fn set(random: &mut Random, number: usize) -> Case {
    let known = &SETS[number % KINDS];
    let (k, m) = (
        random.pick(&["2", "3", "1/2", "5"]),
        random.pick(&["2", "3", "7"]),
    );
    let filled = |text: &str| substituted(text, &[("K", &format!("({k})")), ("M", m)]);
    let more = random.once_in(3);
    let mut draft = Draft::new(if more {
        &["x", "y", "z", "w"]
    } else {
        &["x", "y", "z"]
    });
    draft.row(filled(known.row));
    if more {
        draft.row("w' = z*x' - y'");
    }
    for equation in known.starts[random.below(known.starts.len())] {
        draft.start(filled(equation));
    }
    if more {
        draft.start("w' = z*x' - y'");
        draft.holds("w' + y' = z*x'");
    }
    for claim in known.holds {
        draft.holds(filled(claim));
    }
    for claim in known.fails {
        draft.fails(filled(claim));
    }
    draft.case("holonomic components", number)
}
