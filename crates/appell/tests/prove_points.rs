//! Claims on sets whose points are hard to find in a prime field: sums of squares, coupled quadrics,
//! rows of sines, sums of angles, many square roots, products of many factors.
//!
//! The truth of each claim was derived by hand; what holds must be proved, what fails refuted.

use crate::common::{model, prepare, proof};
use appell::prove::{Verdict, prove};

/// A set of states: coordinates, rows, a start on it; claims that hold, and claims that fail.
struct Set {
    coordinates: &'static [&'static str],
    rows: &'static [&'static str],
    start: &'static [&'static str],
    holds: &'static [&'static str],
    fails: &'static [&'static str],
}

fn quoted(texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let texts = texts.into_iter();
    let texts: Vec<String> = texts.map(|text| format!("\"{}\"", text.as_ref())).collect();
    texts.join(", ")
}

impl Set {
    fn model(&self) -> String {
        let squares: Vec<String> = self.coordinates.iter().map(|q| format!("{q}'^2")).collect();
        let rows = (0..)
            .zip(self.rows)
            .map(|(i, row)| format!("r{i} = \"{row}\"\n"));
        let claims = [("t", self.holds), ("f", self.fails)];
        let claims = claims.iter().flat_map(|(kind, claims)| {
            let claims = (0..).zip(*claims);
            claims.map(move |(i, claim)| format!("{kind}{i} = {{ equation = \"{claim}\" }}\n"))
        });
        format!(
            "coordinates = [{}]\n[energy]\nkinetic = \"({})/2\"\n{}{}[initial]\nstate = [{}]\n[claims]\n{}",
            quoted(self.coordinates),
            squares.join(" + "),
            if self.rows.is_empty() {
                ""
            } else {
                "[constraints]\n"
            },
            rows.collect::<String>(),
            quoted(self.start),
            claims.collect::<String>(),
        )
    }

    fn check(&self) {
        let text = self.model();
        for claim in proof(&text).claims {
            let right = match claim.name.starts_with('t') {
                true => claim.verdict.is_proved(),
                false => claim.verdict.is_refuted(),
            };
            assert!(right, "{}: {:?}\n{text}", claim.name, claim.verdict);
        }
    }
}

#[test]
fn sums_of_squares() {
    let sets = [
        Set {
            coordinates: &["x", "y", "z"],
            rows: &["x'^2 + y'^2 = 0"],
            start: &["z' = 1"],
            holds: &["x' = 0", "x' + 3*y' = 0"],
            fails: &["z' = 0"],
        },
        Set {
            coordinates: &["x", "y", "z", "w"],
            rows: &["x'^2 + (y' - z')^2 + (w' - x*z')^2 = 0"],
            start: &["x = 2", "z' = 1"],
            holds: &["x' = 0", "y' = z'", "w' = x*z'"],
            fails: &["w' = 0", "y' = 2*z'"],
        },
        Set {
            coordinates: &["x", "y", "z"],
            rows: &["x^2 + (y - 1)^2 = 0"],
            start: &["x = 0", "y = 1", "z = 2", "z' = 1"],
            holds: &["x = 0", "y = 1", "y' = 0"],
            fails: &["z' = 0"],
        },
    ];
    sets.iter().for_each(Set::check);
}

#[test]
fn three_coupled_quadrics() {
    let sets = [
        Set {
            coordinates: &["x", "y", "z", "w"],
            rows: &[
                "x^2 + y^2 + z^2 = 3",
                "x*y + y*z + z*w = 3",
                "x*w + y^2 - z^2 = 1",
            ],
            start: &["x = 1", "y = 1", "z = 1", "w = 1"],
            holds: &[
                "(x*y + y*z + z*w - 3)*w + (x^2 + y^2 + z^2)*y = 3*y",
                "x*x' + y*y' + z*z' = 0",
                "x'*w + x*w' + 2*y*y' - 2*z*z' = 0",
            ],
            fails: &["x = y", "x' = 0", "x*w = 1"],
        },
        Set {
            coordinates: &["x", "y", "z", "w", "u"],
            rows: &[
                "x'^2 + y'^2 = z'^2",
                "x'*w' + y'*u' = 0",
                "z'*u' - w'^2 + x'^2 = 0",
            ],
            start: &["x' = 1", "y' = 0", "z' = -1", "w' = 0", "u' = 1"],
            holds: &["(x'^2 + y'^2)*w' = z'^2*w'", "x'^2*w'^2 = y'^2*u'^2"],
            fails: &["x' = z'", "w' = 0"],
        },
    ];
    sets.iter().for_each(Set::check);
}

#[test]
fn rows_of_sines() {
    let sets = [
        Set {
            coordinates: &["x", "y"],
            rows: &["sin(x) = 0"],
            start: &["x = 0", "y = 0", "y' = 1"],
            holds: &["cos(x)^2 = 1", "sin(2*x) = 0", "x' = 0"],
            fails: &["cos(x) = 1", "cos(x) = -1", "y' = 0"],
        },
        Set {
            coordinates: &["x", "y"],
            rows: &["sin(x)*y' = 0"],
            start: &["x = 1", "x' = 1"],
            holds: &["sin(2*x)*y' = 0"],
            fails: &["sin(x) = 0"],
        },
        Set {
            coordinates: &["x", "y"],
            rows: &["cos(x) + cos(y) = 0"],
            start: &["x = 1", "y = pi - 1", "x' = 1"],
            holds: &[
                "sin(x)^2 = sin(y)^2",
                "cos(2*x) = cos(2*y)",
                "sin(x)*x' + sin(y)*y' = 0",
                "x'^2*sin(x)^2 = y'^2*sin(x)^2",
            ],
            fails: &["sin(x) = sin(y)", "x' + y' = 0", "x + y = pi"],
        },
        Set {
            coordinates: &["x", "y", "z"],
            rows: &["(cos(x) + cos(y))*z' = 0"],
            start: &["x = 1", "y = 1", "x' = 1"],
            holds: &["(cos(x)^2 - cos(y)^2)*z' = 0"],
            fails: &["cos(x) + cos(y) = 0", "x' = 0"],
        },
        Set {
            coordinates: &["x", "y", "z"],
            rows: &["cos(x') + cos(y') = 0"],
            start: &["x' = 1", "y' = pi - 1"],
            holds: &["sin(x')^2 = sin(y')^2"],
            fails: &["x' + y' = pi", "sin(x') = sin(y')"],
        },
    ];
    sets.iter().for_each(Set::check);
}

#[test]
fn sums_of_four_angles() {
    let coordinates = &["a", "b", "c", "d"];
    let sets = [
        Set {
            coordinates,
            rows: &[],
            start: &["a = 0.1", "b = 0.2", "c = 0.3", "d = 0.4"],
            holds: &[
                "sin(a + b + c + d) = sin(a + b)*cos(c + d) + cos(a + b)*sin(c + d)",
                "4*sin(a)*sin(b)*sin(c) = sin(a + b - c) + sin(b + c - a) + sin(c + a - b) - sin(a + b + c)",
            ],
            fails: &["sin(a + b + c + d) = sin(a + b)*cos(c + d) - cos(a + b)*sin(c + d)"],
        },
        Set {
            coordinates,
            rows: &["a + b + c + d = 2*pi"],
            start: &["a = pi/2", "b = pi/2", "c = pi/2", "d = pi/2"],
            holds: &[
                "sin(a + b) = -sin(c + d)",
                "sin(a) + sin(b) + sin(c) + sin(d) = 4*sin((a + b)/2)*sin((b + c)/2)*sin((c + a)/2)",
            ],
            fails: &["sin(a + b) = sin(c + d)", "sin(a) = cos(b)"],
        },
        Set {
            coordinates,
            rows: &["sin(a + b + c + d) = 0"],
            start: &["a = 0.5", "b = 0.25", "c = -0.5", "d = -0.25", "a' = 1"],
            holds: &[
                "cos(a + b + c + d)^2 = 1",
                "a' + b' + c' + d' = 0",
                "sin(a + b)^2 = sin(c + d)^2",
            ],
            fails: &["sin(a + b) = -sin(c + d)", "a' = 0"],
        },
    ];
    sets.iter().for_each(Set::check);
}

#[test]
fn angles_of_points_and_inverse_functions() {
    let sets = [
        Set {
            coordinates: &["x", "y", "z", "w"],
            rows: &[],
            start: &["x = 1", "y = 2", "z = 3", "w = 4"],
            holds: &[
                "tan(atan2(y, x) + atan2(w, z)) = (y*z + x*w)/(x*z - y*w)",
                "sin(atan2(y, x))*cos(atan2(w, z)) = y*z/(sqrt(x^2 + y^2)*sqrt(z^2 + w^2))",
                "cos(atan2(y, x) + atan2(w, z)) = cos(atan2(y*z + x*w, x*z - y*w))",
            ],
            fails: &[
                "atan2(y, x) + atan2(w, z) = atan2(y*z + x*w, x*z - y*w)",
                "atan2(y, x)*atan2(w, z) = 1",
                "asin(sin(x)) = x",
                "acos(cos(x)) = x",
                "atan(tan(x)) = x",
            ],
        },
        Set {
            coordinates: &["x", "y", "z"],
            rows: &["atan2(y', x')*atan2(x', y') = z'"],
            start: &["x' = 1", "y' = 1", "z' = pi^2/16"],
            holds: &["z' = atan2(x', y')*atan2(y', x')"],
            fails: &["z' = 0"],
        },
    ];
    sets.iter().for_each(Set::check);
}

/// The rows are independent on the line `x' = y' = 0` only, and random points are drawn there; the start
/// lies on the plane `z' = 0`, and what fails there is not proved.
#[test]
fn a_start_where_no_random_point_lies() {
    let set = Set {
        coordinates: &["x", "y", "z"],
        rows: &["x'*z' = 0", "y'*z' = 0"],
        start: &["x' = 1", "y' = 2", "z' = 0"],
        holds: &["x'*y'*z' = 0", "(x'^2 + y'^2)*z' = 0"],
        fails: &["x' = 0", "x' + 3*y' = 0"],
    };
    set.check();
}

/// States on equations of the coordinates and of the velocities, where the velocities are parametrised.
#[test]
fn domains_of_parametrised_velocities() {
    let claims = [
        ("x' = 0", "theta = 0", false),
        ("y' = 0", "theta = 0", true),
        ("y' = 1", "x' = 2", false),
        ("x' = 2*cos(theta)^2 + y'*cos(theta)", "theta' = 1", false),
    ];
    let written = (0..).zip(claims).map(|(i, (claim, domain, _))| {
        format!("c{i} = {{ equation = \"{claim}\", where = \"{domain}\" }}\n")
    });
    let text = format!(
        "coordinates = [\"x\", \"y\", \"theta\"]\n[energy]\n\
         kinetic = \"(x'^2 + y'^2 + theta'^2)/2\"\n[constraints]\n\
         skate = \"x'*sin(theta) = y'*cos(theta)\"\n[motion]\nvariables = [\"z1\", \"z2\"]\n\
         equations = [\"x' = z1*cos(theta)\", \"y' = z1*sin(theta)\", \"theta' = z2\"]\n[initial]\n\
         state = [\"x = 0\", \"y = 0\", \"theta = 0.3\", \"z1 = 1\", \"z2 = 2\"]\n[claims]\n{}",
        written.collect::<String>()
    );
    for (found, (claim, domain, holds)) in proof(&text).claims.iter().zip(claims) {
        let verdict = &found.verdict;
        assert!(
            !holds || !verdict.is_refuted(),
            "{claim} where {domain}: {verdict:?}"
        );
        assert!(
            holds || verdict.is_refuted(),
            "{claim} where {domain}: {verdict:?}"
        );
    }
}

/// What fails in general holds where the argument stays on the principal branch.
#[test]
fn principal_branches() {
    let claims = [
        ("asin(sin(x)) = x", "[\"x > -pi/2\", \"x < pi/2\"]", true),
        (
            "atan(tan(x + y)) = x + y",
            "[\"x + y > -1\", \"x + y < 3/2\"]",
            true,
        ),
        ("acos(cos(x)) = x", "[\"x > 0\", \"x < 3\"]", true),
        ("asin(sin(x)) = x", "[\"x > -2\", \"x < 2\"]", false),
        ("acos(cos(x)) = x", "[\"x > -1\", \"x < 1\"]", false),
    ];
    let written = (0..).zip(claims).map(|(i, (claim, domain, _))| {
        format!("c{i} = {{ equation = \"{claim}\", where = {domain} }}\n")
    });
    let text = format!(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
         [initial]\nstate = [\"x = -0.5\", \"y = 0.25\"]\n[claims]\n{}",
        written.collect::<String>()
    );
    for (found, (claim, domain, holds)) in proof(&text).claims.iter().zip(claims) {
        let right = match holds {
            true => found.verdict.is_proved(),
            false => found.verdict.is_refuted(),
        };
        assert!(right, "{claim} where {domain}: {:?}", found.verdict);
    }
}

/// Energy, momentum and angular momentum of six bodies with fifteen distances, in metres and kilograms.
#[test]
fn six_bodies_in_si_units() {
    let proof = proof(include_str!("../../../strangers/solar-system-si.toml"));
    for claim in &proof.claims {
        let Verdict::Proved { bound, points, .. } = &claim.verdict else {
            panic!("{}: {:?}", claim.name, claim.verdict);
        };
        let exponent: i32 = bound
            .strip_prefix("2^")
            .and_then(|n| n.parse().ok())
            .expect("2^-n");
        assert!(
            exponent <= -64 && *points >= Some(2),
            "{}: {bound}",
            claim.name
        );
        // 15 roots count twice: no point is worth more than 61 - 30 bits.
        let points = i32::try_from(points.expect("drawn")).expect("few");
        assert!(exponent >= -31 * points, "{}: {bound}", claim.name);
    }
    let pairs = proof.equivalence.iter().map(|e| &e.verdict);
    let identities = proof.identities.iter().map(|i| &i.verdict);
    assert!(pairs.chain(identities).all(Verdict::is_proved));
}

/// A product of ten quadrics has sections of twenty points; taken apart, each has two.
#[test]
fn products_of_many_factors() {
    let factors: Vec<String> = (1..=10)
        .map(|k| format!("(x'^2 + {k}*y'^2 - {}*z'^2)", 2 * k + 1))
        .collect();
    let product = factors.join("*");
    let text = |claim: &str| {
        format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
             [constraints]\nr = \"{product} = 0\"\n[initial]\nstate = [\"x' = 2\", \"y' = 1\", \"z'=1\", \
             \"x=0\", \"y=0\", \"z=0\"]\n[claims]\nc = {{ equation = \"{claim}\" }}\n"
        )
    };
    let found = proof(&text(&format!("x'*{product} = 0")));
    let Verdict::Proved { components, .. } = &found.claims[0].verdict else {
        panic!("{:?}", found.claims[0].verdict);
    };
    assert!(components.contains("10 sets"), "{components}");
    // All factors but the one of another component than the start's.
    for missing in [1, 9] {
        let mut others = factors.clone();
        others.remove(missing);
        let found = proof(&text(&format!("{} = 0", others.join("*"))));
        assert!(!found.claims[0].verdict.is_proved(), "{missing}");
    }
}

/// Links of a plane chain given as vectors: each row has unknowns of its own, and the third says nothing.
#[test]
fn vector_rows_of_a_plane_chain_are_proved_upon() {
    let names = |i: usize| ["x", "y", "a"].map(|name| format!("{name}{i}"));
    let all: Vec<String> = (0..3).flat_map(names).collect();
    let squares: Vec<String> = all.iter().map(|name| format!("{name}'^2")).collect();
    let rows = (0..3).map(|i| format!("h{i} = \"[x{i}, y{i}, 0] = [cos(a{i}), sin(a{i}), 0]\"\n"));
    let text = format!(
        "coordinates = {all:?}\n[energy]\nkinetic = \"({})/2\"\n[constraints]\n{}[claims]\n\
         circle = {{ equation = \"x1^2 + y1^2 = 1\" }}\n",
        squares.join(" + "),
        rows.collect::<String>()
    );
    let model = model(&text);
    let found = prove(&prepare(&model));
    assert!(
        found.claims[0].verdict.is_proved(),
        "{:?}",
        found.claims[0].verdict
    );
}
