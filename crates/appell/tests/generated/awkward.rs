//! Awkward rows: components of different dimensions, squares and their sums, factors that vanish
//! nowhere, monotone functions of a row, rows that say nothing new.

use super::draft::Truth::{Fails, Holds};
use super::draft::{Case, Draft};
use super::entries::Entries;
use super::random::Random;

/// Rows in three or four letters; what holds, what fails wherever the start is, and starts with what
/// fails there.
struct Known {
    entries: usize,
    rows: &'static [&'static str],
    holds: &'static [&'static str],
    fails: &'static [&'static str],
    starts: &'static [(&'static [&'static str], &'static [&'static str])],
}

const SETS: &[Known] = &[
    // a = 0, where the rows are dependent, and b = c = 0.
    Known {
        entries: 3,
        rows: &["a*b", "a*c"],
        holds: &["a*b*c", "a*(b + 3*c)", "a*(b^2 + c^2)"],
        fails: &["a = 0"],
        starts: &[
            (&["0", "1", "2"], &["b = 0", "b*c = 0"]),
            (&["2", "0", "0"], &[]),
        ],
    },
    Known {
        entries: 4,
        rows: &["a*b", "a*c", "d = 2*b"],
        holds: &["a*d", "a*b*d"],
        fails: &["a = 0"],
        starts: &[
            (&["0", "1", "3", "2"], &["d = 0", "c = 0"]),
            (&["2", "0", "0", "0"], &[]),
        ],
    },
    // a = b = 0 with dependent rows, and c = d = 0 likewise; (a, b) along (c, d).
    Known {
        entries: 4,
        rows: &["a*d - b*c", "a*c - b*d"],
        holds: &["a*(d^2 - c^2)", "c*(a^2 - b^2)"],
        fails: &["a = b", "c = d", "a*c = b*c"],
        starts: &[(&["1", "1", "2", "2"], &[]), (&["1", "-1", "2", "-2"], &[])],
    },
    // A square: the rows' derivatives vanish on it.
    Known {
        entries: 3,
        rows: &["(a - 2*b)^2"],
        holds: &["a = 2*b", "a*c = 2*b*c"],
        fails: &[],
        starts: &[(&["2", "1", "5"], &["a = b", "c = 0"])],
    },
    Known {
        entries: 4,
        rows: &["(a - b)^2*(c - d)^2"],
        holds: &["(a - b)*(c - d)", "a*c + b*d = b*c + a*d"],
        fails: &[],
        starts: &[
            (&["1", "1", "2", "3"], &["c = d"]),
            (&["1", "2", "3", "3"], &["a = b"]),
        ],
    },
    // Sums of squares.
    Known {
        entries: 3,
        rows: &["a^2 + (b - c)^2"],
        holds: &["a = 0", "b = c", "a*b + c = b"],
        fails: &[],
        starts: &[(&["0", "2", "2"], &["b = 0", "b + c = 0"])],
    },
    Known {
        entries: 4,
        rows: &["a^2 + 3*b^2 + (c + a)^4"],
        holds: &["a = 0", "c = 0", "a*d = b"],
        fails: &[],
        starts: &[(&["0", "0", "0", "2"], &["d = 0", "d = a"])],
    },
    Known {
        entries: 3,
        rows: &["a^2 - 4*a*b + 5*b^2"],
        holds: &["a = 0", "b = 0", "a*c = b"],
        fails: &[],
        starts: &[(&["0", "0", "1"], &["c = 0"])],
    },
    // The same hidden: only a = b = 0 is real.
    Known {
        entries: 4,
        rows: &["(a^2 + b^2)*(c^2 + 1)", "c*a = d"],
        holds: &["a = b", "d = 0"],
        fails: &[],
        starts: &[(&["0", "0", "2", "0"], &["c = 0"])],
    },
    // Factors that vanish nowhere.
    Known {
        entries: 3,
        rows: &["(a^2 + 1)*(b - 2*c)"],
        holds: &["b = 2*c", "a*b = 2*a*c"],
        fails: &["b = c", "a = 0"],
        starts: &[(&["1", "2", "1"], &[])],
    },
    Known {
        entries: 3,
        rows: &["(exp(a) + b^2)*(c - a*b)"],
        holds: &["c = a*b", "c^2 = a*b*c"],
        fails: &["c = a", "exp(a) + b^2 = 0"],
        starts: &[(&["1", "2", "2"], &[])],
    },
    Known {
        entries: 4,
        rows: &["(2 + sin(a))*(b - c)*(b + c)"],
        holds: &["b^2 = c^2", "b^2*d = c^2*d"],
        fails: &["b = c", "b = -c"],
        starts: &[(&["1", "2", "2", "1"], &[]), (&["1", "2", "-2", "1"], &[])],
    },
    Known {
        entries: 3,
        rows: &["sqrt(a^2 + b^2 + 1)*(c - 3*b)"],
        holds: &["c = 3*b"],
        fails: &["c = b", "a = 0"],
        starts: &[(&["1", "1", "3"], &[])],
    },
    // Monotone functions of a row; the cube of a row.
    Known {
        entries: 3,
        rows: &["a^3 = 8*b^3"],
        holds: &["a = 2*b", "a*c = 2*b*c"],
        fails: &["a = b", "a + c = b"],
        starts: &[(&["2", "1", "1"], &[])],
    },
    Known {
        entries: 3,
        rows: &["exp(a - b*c) = 1"],
        holds: &["a = b*c", "a^2 = a*b*c"],
        fails: &["a = b", "a = 0"],
        starts: &[(&["2", "1", "2"], &[])],
    },
    Known {
        entries: 3,
        rows: &["tanh(a - 2*b) = 0"],
        holds: &["a = 2*b"],
        fails: &["a = b", "c = 0"],
        starts: &[(&["2", "1", "2"], &[])],
    },
    Known {
        entries: 3,
        rows: &["log(1 + (a^2 - b^2)^2) = 0"],
        holds: &["a^2 = b^2"],
        fails: &[],
        starts: &[
            (&["1", "1", "3"], &["a = -b", "c = 0"]),
            (&["1", "-1", "3"], &["a = b"]),
        ],
    },
    Known {
        entries: 3,
        rows: &["atan(a) = atan(3*b + c)"],
        holds: &["a = 3*b + c"],
        fails: &["a = 3*b", "a = 0"],
        starts: &[(&["4", "1", "1"], &[])],
    },
    Known {
        entries: 3,
        rows: &["exp(a)*exp(b) = exp(c)"],
        holds: &["a + b = c", "a*c + b*c = c^2"],
        fails: &["a = c", "b = 0"],
        starts: &[(&["1", "2", "3"], &[])],
    },
    Known {
        entries: 4,
        rows: &["sqrt(a^2 + b^2) = sqrt(c^2 + d^2)"],
        holds: &["a^2 + b^2 = c^2 + d^2"],
        fails: &["a = c", "a*d = b*c", "a*c + b*d = 0"],
        starts: &[(&["3", "4", "5", "0"], &[]), (&["1", "2", "2", "-1"], &[])],
    },
    // Periodic functions and even powers: many parallel components.
    Known {
        entries: 3,
        rows: &["sin(a) = 0"],
        holds: &["sin(2*a) = 0", "cos(a)^2 = 1", "b*tan(a) = 0"],
        fails: &["a = 0", "cos(a) = 1", "a = pi"],
        starts: &[(&["0", "1", "2"], &[]), (&["pi", "1", "2"], &[])],
    },
    Known {
        entries: 3,
        rows: &["cos(a) = cos(b)"],
        holds: &["sin(a)^2 = sin(b)^2", "cos(2*a) = cos(2*b)"],
        fails: &["a = b", "a = -b", "sin(a) = sin(b)"],
        starts: &[(&["1", "1", "2"], &[]), (&["1", "-1", "2"], &[])],
    },
    Known {
        entries: 3,
        rows: &["a^2 = 2"],
        holds: &["a^4 = 4", "a^3*b = 2*a*b"],
        fails: &["a = sqrt(2)", "a = -sqrt(2)", "b = 0"],
        starts: &[
            (&["sqrt(2)", "1", "2"], &[]),
            (&["-sqrt(2)", "1", "2"], &[]),
        ],
    },
    // Piecewise rows.
    Known {
        entries: 3,
        rows: &["abs(a) = abs(2*b)"],
        holds: &["a^2 = 4*b^2"],
        fails: &["a = 2*b", "a = -2*b"],
        starts: &[(&["2", "1", "3"], &[]), (&["2", "-1", "3"], &[])],
    },
    Known {
        entries: 3,
        rows: &["sqrt(a^2) = b"],
        holds: &["a^2 = b^2", "b = abs(a)"],
        fails: &["a = b", "a = -b"],
        starts: &[(&["1", "1", "3"], &[]), (&["-1", "1", "3"], &[])],
    },
    Known {
        entries: 3,
        rows: &["max(a, b) = 0"],
        holds: &["a*b = 0", "a*b*c = 0"],
        fails: &["a = 0", "b = 0"],
        starts: &[(&["0", "-1", "3"], &[]), (&["-1", "0", "3"], &[])],
    },
    Known {
        entries: 3,
        rows: &["a*abs(a) = b*abs(b)"],
        holds: &["a = b", "a*c = b*c"],
        fails: &["a = c", "a = -b"],
        starts: &[(&["1", "1", "3"], &[]), (&["-1", "-1", "3"], &[])],
    },
    // What says nothing new.
    Known {
        entries: 4,
        rows: &["a = 2*b", "c = a + b", "c = 3*b"],
        holds: &["c = 3*b", "2*c = 3*a"],
        fails: &["a = c", "b = 0", "d = a"],
        starts: &[(&["2", "1", "3", "1"], &[])],
    },
    Known {
        entries: 4,
        rows: &["a^2 + b^2 = c^2", "2*a^2 + 2*b^2 = 2*c^2"],
        holds: &["a^2 = c^2 - b^2", "a^2*d + b^2*d = c^2*d"],
        fails: &["a = c", "b = 0", "a^2 = b^2"],
        starts: &[(&["3", "4", "5", "2"], &[])],
    },
    Known {
        entries: 4,
        rows: &["a = b*c", "a^2 = b^2*c^2"],
        holds: &["a = b*c", "a*d = b*c*d"],
        fails: &["a = 0", "a = -b*c", "b = c"],
        starts: &[(&["2", "1", "2", "1"], &[])],
    },
    Known {
        entries: 4,
        rows: &["a^2 = b^2", "a*c = b*c"],
        holds: &["c*(a - b)", "a^2 = b^2"],
        fails: &["a = b"],
        starts: &[
            (&["1", "-1", "0", "2"], &[]),
            (&["1", "1", "3", "2"], &["a + b = 0", "c = 0"]),
        ],
    },
    // Rest alone.
    Known {
        entries: 3,
        rows: &["a^4 + b^4 + c^4 = 0"],
        holds: &["a = 0", "b = c", "a*b = c"],
        fails: &[],
        starts: &[(&["0", "0", "0"], &["a = 1"])],
    },
];

/// How many different sets there are.
pub const KINDS: usize = SETS.len();

/// One of the sets, in random velocities, started on one of its components.
pub fn set(random: &mut Random, number: usize) -> Case {
    let known = &SETS[number % KINDS];
    let entries = Entries::new(random, known.entries);
    let mut draft = Draft::new(&entries.coordinates);
    for row in known.rows {
        draft.row(entries.formula(row));
    }
    let (point, fails_there) = known.starts[random.below(known.starts.len())];
    entries.start(&mut draft, point);
    for claim in known.holds {
        draft.equation(entries.formula(claim), Holds);
    }
    for claim in known.fails.iter().chain(fails_there) {
        draft.equation(entries.formula(claim), Fails);
    }
    draft.case("awkward row", number)
}
