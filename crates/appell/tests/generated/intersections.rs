//! Irreducible rows whose intersection is reducible: parts of determinantal sets, quadrics that
//! share a line, a conic or a plane; and rows whose intersection is irreducible.

use super::draft::Truth::{self, Fails, Holds};
use super::draft::{Case, Draft};
use super::entries::Entries;
use super::random::Random;

/// Rows in the letters `a`, `b`, ..., what is true of them, and a point on each component.
struct Known {
    name: &'static str,
    entries: usize,
    rows: &'static [&'static str],
    /// Claims that hold, those that fail on a regular component.
    holds: &'static [&'static str],
    fails: &'static [&'static str],
    /// Points of the components, with claims that fail there where only the start tells it.
    points: &'static [(&'static [&'static str], &'static [&'static str])],
}

const SETS: &[Known] = &[
    // Matrix a b c / d e f of rank 1, and a = d = 0.
    Known {
        name: "two minors of 2x3",
        entries: 6,
        rows: &["a*e = b*d", "a*f = c*d"],
        holds: &["a*(b*f - c*e)", "d*(c*e - b*f)"],
        fails: &["b*f = c*e", "a = 0", "d = 0"],
        points: &[
            (&["1", "2", "3", "2", "4", "6"], &[]),
            (&["0", "1", "2", "0", "3", "1"], &[]),
        ],
    },
    // All three minors: rank 1 only.
    Known {
        name: "three minors of 2x3",
        entries: 6,
        rows: &["a*e = b*d", "a*f = c*d", "b*f = c*e"],
        holds: &["a*e*f = b*d*f", "(a + b)*f = c*(d + e)"],
        fails: &["a*e = c*d", "a = 0"],
        points: &[
            (&["1", "2", "3", "2", "4", "6"], &[]),
            (&["1/2", "1", "-1", "1", "2", "-2"], &[]),
        ],
    },
    // Matrix a b c d / e f g h: rank 1, and a = e = 0, where the three rows are dependent.
    Known {
        name: "three minors of 2x4",
        entries: 8,
        rows: &["a*f = b*e", "a*g = c*e", "a*h = d*e"],
        holds: &["a*(b*g - c*f)", "e*(c*h - d*g)", "a*f*h = b*e*h"],
        fails: &["a = 0", "e = 0"],
        points: &[
            (&["1", "2", "3", "1", "2", "4", "6", "2"], &[]),
            (
                &["0", "1", "2", "1", "0", "3", "1", "5"],
                &["b*g = c*f", "c*h = d*g"],
            ),
        ],
    },
    // The minors of a b c / d e f / g h i that hold a: rank 1, and where a = 0 others.
    Known {
        name: "four minors of 3x3",
        entries: 9,
        rows: &["a*e = b*d", "a*f = c*d", "a*h = b*g", "a*i = c*g"],
        holds: &[
            "a*(e*i - f*h) = b*(d*i - f*g) - c*(d*h - e*g)",
            "a*(b*f - c*e)",
        ],
        fails: &["a = 0", "b*f = c*e + b*c"],
        points: &[
            (&["1", "2", "3", "2", "4", "6", "1", "2", "3"], &[]),
            (
                &["0", "0", "0", "1", "2", "3", "3", "1", "1"],
                &["e*i = f*h"],
            ),
        ],
    },
    // det = 0 and a e = b d: then (a f - c d) (b g - a h) = 0, as the minors of a singular matrix.
    Known {
        name: "determinant and a minor",
        entries: 9,
        rows: &["a*(e*i - f*h) = b*(d*i - f*g) - c*(d*h - e*g)", "a*e = b*d"],
        holds: &["(a*f - c*d)*(b*g - a*h)"],
        fails: &["a*f = c*d", "a*h = b*g"],
        points: &[
            (&["1", "2", "1", "2", "4", "2", "1", "1", "3"], &[]),
            (&["1", "2", "3", "2", "4", "1", "1", "2", "5"], &[]),
        ],
    },
    // The twisted cubic (1, t, t^2, t^3) and the line a = b = 0.
    Known {
        name: "twisted cubic and a line",
        entries: 4,
        rows: &["a*c = b^2", "a*d = b*c"],
        holds: &["a*(b*d - c^2)", "b*(c^2 - b*d)"],
        fails: &["b*d = c^2", "a = 0", "b = 0"],
        points: &[(&["1", "2", "4", "8"], &[]), (&["0", "0", "1", "2"], &[])],
    },
    // The same curve between the other two quadrics: with the line b = c = 0.
    Known {
        name: "twisted cubic and another line",
        entries: 4,
        rows: &["a*c = b^2", "b*d = c^2"],
        holds: &["b*(a*d - b*c)", "c*(a*d - b*c)"],
        fails: &["a*d = b*c", "b = 0", "c = 0"],
        points: &[(&["1", "-1", "1", "-1"], &[]), (&["1", "0", "0", "3"], &[])],
    },
    // All three quadrics: rank 2 everywhere.
    Known {
        name: "twisted cubic",
        entries: 4,
        rows: &["a*c = b^2", "a*d = b*c", "b*d = c^2"],
        holds: &["b^3 = a^2*d", "c^3 = a*d^2"],
        fails: &["a = b", "b*d = a*c + a^2"],
        points: &[(&["1", "2", "4", "8"], &[]), (&["8", "4", "2", "1"], &[])],
    },
    // The scroll of a b d / b c e: with the plane a = b = 0.
    Known {
        name: "cubic scroll and a plane",
        entries: 5,
        rows: &["a*c = b^2", "a*e = b*d"],
        holds: &["a*(b*e - c*d)", "b*(b*e - c*d)"],
        fails: &["b*e = c*d", "a = 0", "b = 0"],
        points: &[
            (&["1", "2", "4", "3", "6"], &[]),
            (&["0", "0", "1", "2", "3"], &[]),
        ],
    },
    // Three of the six quadrics of (1, t, t^2, t^3, t^4); the rest of Bezout's 8 lies on a = b = 0.
    Known {
        name: "rational quartic and more",
        entries: 5,
        rows: &["a*c = b^2", "a*d = b*c", "a*e = b*d"],
        holds: &["a*(c*e - d^2)", "b*(b*d - c^2)"],
        fails: &["a = 0", "b = 0"],
        points: &[
            (&["1", "2", "4", "8", "16"], &[]),
            (&["0", "0", "1", "2", "3"], &["c*e = d^2", "b*d = c^2"]),
        ],
    },
    // A common conic d = 0, a^2 + b^2 = c^2, and another in the plane a = 2 b.
    Known {
        name: "quadrics with a common conic",
        entries: 4,
        rows: &["a^2 + b^2 - c^2 + d*a", "a^2 + b^2 - c^2 + 2*d*b"],
        holds: &["d*(a - 2*b)", "d*a = 2*d*b"],
        fails: &["d = 0", "a = 2*b", "a^2 + b^2 = c^2"],
        points: &[(&["3", "4", "5", "0"], &[]), (&["2", "1", "3", "2"], &[])],
    },
    // The plane a = b = 0 and a surface of degree 3 in the determinant.
    Known {
        name: "complete intersection with a plane",
        entries: 5,
        rows: &["a*c + b*d", "a*e = b*(c + d)"],
        holds: &["a*(c*(c + d) + d*e)", "b*(c*(c + d) + d*e)"],
        fails: &["c*(c + d) + d*e", "a = 0", "b = 0"],
        points: &[
            (&["0", "0", "1", "2", "3"], &[]),
            (&["1", "-1", "1", "1", "-2"], &[]),
        ],
    },
    // The same with entries of degree 2.
    Known {
        name: "cubics with a plane",
        entries: 5,
        rows: &["a*c^2 + b*d^2", "a*d*e + b*c^2"],
        holds: &["a*(c^4 - d^3*e)", "b*(c^4 - d^3*e)"],
        fails: &["c^4 = d^3*e", "a = 0", "b = 0"],
        points: &[
            (&["0", "0", "1", "2", "3"], &[]),
            (&["1", "-1", "1", "1", "1"], &[]),
        ],
    },
    // M (a, b, c) = 0: the origin a = b = c = 0 of the first three, and det M = 0.
    Known {
        name: "three quadrics with a space",
        entries: 6,
        rows: &["a*d + b*e + c*f", "a*e + b*f + c*d", "a*f + b*d + 2*c*e"],
        holds: &["a*(d*(2*e*f - d^2) - e*(2*e^2 - d*f) + f*(d*e - f^2))"],
        fails: &[
            "d*(2*e*f - d^2) - e*(2*e^2 - d*f) + f*(d*e - f^2)",
            "a + b = 0",
        ],
        points: &[(&["0", "0", "0", "1", "2", "4"], &[])],
    },
    // Equal speeds: three quadrics, irreducible.
    Known {
        name: "three quadrics",
        entries: 6,
        rows: &[
            "a^2 + b^2 = c^2 + d^2",
            "c^2 + d^2 = e^2 + f^2",
            "a*c + b*d = e*f",
        ],
        holds: &[
            "a^2 + b^2 = e^2 + f^2",
            "(a^2 + b^2)*e*f = (e^2 + f^2)*(a*c + b*d)",
        ],
        fails: &["a = c", "a*d = b*c", "a^2 = e^2"],
        points: &[
            (&["1", "0", "0", "1", "1", "0"], &[]),
            (&["1", "0", "0", "1", "0", "-1"], &[]),
        ],
    },
    // Each row splits over two others: eight linear components.
    Known {
        name: "three quadrics of eight planes",
        entries: 6,
        rows: &["a^2 = d^2", "b^2 = 4*e^2", "c^2 = 9*f^2"],
        holds: &["a^2*b^2 = 4*d^2*e^2", "a^2*9*f^2 = c^2*d^2"],
        fails: &["a = d", "a*b = 2*d*e", "a*b*c = 6*d*e*f", "b = -2*e"],
        points: &[
            (&["1", "2", "3", "1", "1", "1"], &[]),
            (&["1", "-2", "3", "-1", "1", "-1"], &[]),
        ],
    },
    // Differences of the rows split; three components of the same dimension.
    Known {
        name: "quadrics in a pencil",
        entries: 4,
        rows: &["a^2 + b^2 = c^2 + d^2", "2*a^2 + b^2 = 2*c^2 + d^2"],
        holds: &["a^2 = c^2", "b^2 = d^2", "(a - c)*(a + c)*b"],
        fails: &["a = c", "b = d", "a*b = c*d", "a*d = b*c"],
        points: &[(&["1", "2", "1", "2"], &[]), (&["1", "2", "-1", "2"], &[])],
    },
    // Two irreducible quadrics, an irreducible intersection.
    Known {
        name: "two quadrics",
        entries: 5,
        rows: &["a^2 + b^2 = c^2 + d*e", "a*b = c*d"],
        holds: &[
            "(a + b)^2 = c^2 + d*e + 2*c*d",
            "a*b*e = c*(a^2 + b^2 - c^2)",
        ],
        fails: &["a = c", "a*b*e = d^3", "a = b"],
        points: &[
            (&["1", "0", "1", "0", "0"], &[]),
            (&["1", "1", "1", "1", "1"], &[]),
        ],
    },
    // The cone over a plane curve of degree 4, irreducible.
    Known {
        name: "quartic cone",
        entries: 3,
        rows: &["a^4 + b^4 = 2*c^4"],
        holds: &["(a^2 + b^2)^2 = 2*c^4 + 2*a^2*b^2"],
        fails: &["a^2 = c^2", "a^2 + b^2 = 2*c^2"],
        points: &[(&["1", "1", "1"], &[]), (&["1", "-1", "1"], &[])],
    },
    // A sum of two squares of quadrics times a difference: a^4 - 4 b^4.
    Known {
        name: "difference of fourth powers",
        entries: 3,
        rows: &["a^4 = 16*b^4"],
        holds: &["a^2 = 4*b^2", "a^2*c = 4*b^2*c"],
        fails: &["a = 2*b", "a = -2*b"],
        points: &[(&["2", "1", "1"], &[]), (&["2", "-1", "1"], &[])],
    },
    // One row, a sum of two different components that no factor shows.
    Known {
        name: "hidden product",
        entries: 4,
        rows: &["a^2 - b^2 + a*c + b*c + 2*a*d - 2*b*d + 2*c*d"],
        holds: &["(a - b + c)*(a + b + 2*d) = 0"],
        fails: &["a + c = b", "a + b + 2*d = 0"],
        points: &[(&["1", "3", "2", "1"], &[]), (&["1", "1", "3", "-1"], &[])],
    },
];

/// How many different sets there are.
pub const KINDS: usize = SETS.len();

/// One of the sets, in random velocities, started on one of its components.
pub fn set(random: &mut Random, number: usize) -> Case {
    let known = &SETS[number % KINDS];
    let entries = Entries::new(random, known.entries);
    let mut draft = Draft::new(&entries.coordinates);
    for row in random.shuffled(known.rows) {
        draft.row(entries.formula(row));
    }
    let (point, fails_there) = known.points[random.below(known.points.len())];
    entries.start(&mut draft, point);
    let mut state = |claims: &[&str], truth: Truth| {
        for claim in claims {
            draft.equation(entries.formula(claim), truth);
        }
    };
    state(known.holds, Holds);
    state(known.fails, Fails);
    state(fails_there, Fails);
    let mut case = draft.case("intersection", number);
    case.name = format!("{}, {}", case.name, known.name);
    case
}
