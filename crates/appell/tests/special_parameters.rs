//! Models whose parameters have special values: ranks and kinds of rows differ from those close by.

use crate::common::{model, prepare, until, with};
use appell::{Check, check, conserved, prove, run};

const FREE: &str =
    "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"1/2*(x'^2 + y'^2 + z'^2)\"\n";

struct Case {
    parameters: &'static str,
    rows: &'static str,
    /// Which parameters are special, in the file's order.
    special: &'static [&'static str],
    dof: usize,
    growth: Option<&'static [usize]>,
    /// A word of the first row.
    word: &'static str,
}

const CASES: &[Case] = &[
    // Two rows that coincide.
    Case {
        parameters: "a = 1\nb = 1",
        rows: "c0 = \"a*x' + b*y' = 0\"\nc1 = \"b*x' + a*y' = 0\"",
        special: &["a = 1", "b = 1"],
        dof: 2,
        growth: Some(&[2]),
        word: "holonomic",
    },
    Case {
        parameters: "a = 2\nb = 1",
        rows: "c0 = \"a*x' + b*y' = 0\"\nc1 = \"b*x' + a*y' = 0\"",
        special: &[],
        dof: 1,
        growth: Some(&[1]),
        word: "holonomic",
    },
    // A second row that a parameter turns into the first.
    Case {
        parameters: "e = 0",
        rows: "c0 = \"x' = y*z'\"\nc1 = \"x' = y*z' + e*y'\"",
        special: &["e = 0"],
        dof: 2,
        growth: Some(&[2, 3]),
        word: "nonholonomic",
    },
    // A row that says nothing.
    Case {
        parameters: "e = 0",
        rows: "c0 = \"e*(x' - y*z') = 0\"",
        special: &["e = 0"],
        dof: 3,
        growth: Some(&[3]),
        word: "void",
    },
    // A row that can be integrated for one value only.
    Case {
        parameters: "e = 0",
        rows: "c0 = \"z' = e*y*x' + y'\"",
        special: &["e = 0"],
        dof: 2,
        growth: Some(&[2]),
        word: "holonomic",
    },
    Case {
        parameters: "k = 1",
        rows: "c0 = \"x*y' + k*y*x' = (1 - k)*z'*x\"",
        special: &["k = 1"],
        dof: 2,
        growth: Some(&[2]),
        word: "holonomic",
    },
    // A quadratic row that becomes linear,
    Case {
        parameters: "e = 0",
        rows: "c0 = \"e*x'^2 + y' - x*z' = 0\"",
        special: &["e = 0"],
        dof: 2,
        growth: Some(&[2, 3]),
        word: "linear",
    },
    // a cone that becomes two planes,
    Case {
        parameters: "e = 0",
        rows: "c0 = \"x'*y' = e*z'^2\"",
        special: &["e = 0"],
        dof: 2,
        growth: Some(&[2]),
        word: "contrived",
    },
    // a sphere of radius 0,
    Case {
        parameters: "speed = 0",
        rows: "c0 = \"x'^2 + y'^2 + z'^2 = speed^2\"",
        special: &["speed = 0"],
        dof: 0,
        growth: Some(&[0]),
        word: "holonomic",
    },
    // an affine row that becomes linear.
    Case {
        parameters: "w = 0",
        rows: "c0 = \"x' = y*z' + w\"",
        special: &["w = 0"],
        dof: 2,
        growth: Some(&[2, 3]),
        word: "linear",
    },
    // A parameter that is special only by its definition,
    Case {
        parameters: "a = 3\nb = \"a\"",
        rows: "c0 = \"x' = a*y*z'\"\nc1 = \"x' = b*y*z'\"",
        special: &["b = a"],
        dof: 2,
        growth: Some(&[2, 3]),
        word: "nonholonomic",
    },
    // by an angle,
    Case {
        parameters: "s = \"sin(pi)\"",
        rows: "c0 = \"x' = y*z'\"\nc1 = \"x' = y*z' + s*y'\"",
        special: &["s = 0"],
        dof: 2,
        growth: Some(&[2, 3]),
        word: "nonholonomic",
    },
    // and none that is like any other.
    Case {
        parameters: "e = 0.5",
        rows: "c0 = \"z' = e*y*x' + y'\"",
        special: &[],
        dof: 2,
        growth: Some(&[2, 3]),
        word: "nonholonomic",
    },
    Case {
        parameters: "k = 0",
        rows: "c0 = \"z' = k*x' + y'\"",
        special: &[],
        dof: 2,
        growth: Some(&[2]),
        word: "holonomic",
    },
];

fn text(case: &Case) -> String {
    let [head, energy] =
        ["coordinates", "[energy]"].map(|key| FREE.find(key).expect("it is there"));
    let coordinates = &FREE[head..energy];
    let Case {
        parameters, rows, ..
    } = case;
    format!(
        "{coordinates}[parameters]\n{parameters}\n{}[constraints]\n{rows}\n",
        &FREE[energy..]
    )
}

fn checked(text: &str, overrides: &[&str]) -> Check {
    let model = model(text);
    check(&with(&model, overrides, &[]), None).0
}

#[test]
fn classes_growth_and_freedoms_are_those_of_the_files_values() {
    for case in CASES {
        let text = text(case);
        let found = checked(&text, &[]);
        let what = format!("{} with {}", case.rows, case.parameters);
        assert_eq!(found.dof, case.dof, "{what}: {found:#?}");
        assert_eq!(
            found.growth_vector.as_deref(),
            case.growth,
            "{what}: {found:#?}"
        );
        let words = &found.constraints[0].words;
        assert!(words.contains(&case.word), "{what}: {words:?}");
        let model = model(&text);
        let p = prepare(&model);
        assert_eq!(p.special_parameters().0, case.special, "{what}");
        // Another reading is told which they are, and says the same of them.
        let elsewhere = p.recipe().with(|q| {
            let (names, why) = q.special_parameters();
            let check = check(q, None).0;
            (names, why.to_vec(), format!("{check:?}"))
        });
        let (names, why, check) = elsewhere.expect("it was read before");
        assert_eq!(names, case.special, "{what}");
        assert_eq!(why, p.special_parameters().1, "{what}");
        assert_eq!(check, format!("{found:?}"), "{what}");
        let parameters = if case.special.is_empty() {
            "generic"
        } else {
            "file"
        };
        assert_eq!(found.parameters, parameters, "{what}");
        // Freedoms beside a growth vector that begins with another number contradict each other.
        let steered = found
            .growth_vector
            .as_ref()
            .and_then(|growth| growth.first().copied());
        let with_time = usize::from(found.distribution_has_time);
        assert_eq!(steered, Some(found.dof + with_time), "{what}: {found:#?}");
    }
}

/// Values from the command line count as the file's.
#[test]
fn overrides_make_values_special_and_ordinary() {
    let case = &CASES[2];
    let ordinary = checked(&text(case), &["e=0.3"]);
    assert_eq!((ordinary.dof, ordinary.parameters), (1, "generic"));
    let general = text(case).replace("e = 0", "e = 0.3");
    let special = checked(&general, &["e=0"]);
    assert_eq!((special.dof, special.parameters), (2, "file"));
    assert_eq!(special.growth_vector, Some(vec![2, 3]));
}

const SLEIGH: &str = r#"
coordinates = ["x", "y", "theta"]
[parameters]
m = 1.0
I = 0.4
c = 0.3
b = 0.25
alpha = 0
[energy]
kinetic = "m/2*(x'^2 + y'^2) + I/2*theta'^2 + m*b*theta'*(y'*cos(theta) - x'*sin(theta))"
[constraints]
left = "-sin(theta + alpha)*(x' - c*cos(theta)*theta') + cos(theta + alpha)*(y' - c*sin(theta)*theta') = 0"
right = "-sin(theta - alpha)*(x' + c*cos(theta)*theta') + cos(theta - alpha)*(y' + c*sin(theta)*theta') = 0"
[initial]
state = ["x = 0", "y = 0", "theta = 0.2", "theta' = 1", "x'*cos(theta) + y'*sin(theta) = 0.6"]
[claims]
blade = { equation = "x'*sin(theta) = y'*cos(theta)" }
stands = { equation = "x'*cos(theta) + y'*sin(theta) = 0" }
spin = { constant = "theta'" }
"#;

/// With parallel wheels the sleigh is Chaplygin's; with a toe angle it can only turn on the spot.
#[test]
fn claims_of_parallel_wheels() {
    let model = model(SLEIGH);
    let proof = prove(&prepare(&model));
    let holds: Vec<Option<bool>> = proof.claims.iter().map(|claim| claim.holds).collect();
    assert_eq!(
        holds,
        [Some(true), Some(false), Some(false)],
        "{:#?}",
        proof.claims
    );
    assert!(!proof.equivalence.iter().any(|e| e.verdict.is_refuted()));
    for pair in &proof.equivalence {
        let text = format!("{:?}", pair.verdict);
        assert!(
            text.starts_with("Proved") && text.contains("parameters: Values"),
            "{text}"
        );
    }
    let found = conserved(&prepare(&model), None);
    let names: Vec<&str> = found
        .integrals
        .iter()
        .map(|i| i.expression.as_str())
        .collect();
    assert_eq!(names, ["E"]);
    let toed = with(&model, &["alpha=0.1"], &[]);
    let toed = prove(&toed);
    let holds: Vec<Option<bool>> = toed.claims.iter().map(|claim| claim.holds).collect();
    assert_eq!(holds[2], Some(true), "{:#?}", toed.claims);
}

/// A run with another value has the rows of that value.
#[test]
fn runs_with_other_values_are_those_of_other_values() {
    let text = SLEIGH.replace(
        "\"theta' = 1\", \"x'*cos(theta) + y'*sin(theta) = 0.6\"",
        "\"theta' = 1\"",
    );
    let model = model(&text);
    let toed = with(&model, &["alpha=0.1"], &[]);
    assert_eq!(check(&toed, None).0.dof, 1);
    let motion = run(&toed, &until(1.0), &mut Default::default()).expect("it moves");
    let last = motion.trajectory.samples.last().expect("a sample");
    // It turns on the spot with constant speed.
    assert!((last.y[2] - 1.2).abs() < 1e-9, "{:?}", last.y);
}

/// `M` that is singular for the file's value only: a massless turn.
#[test]
fn a_massless_turn_is_said_to_be_special() {
    let text = r#"
coordinates = ["x", "y", "theta"]
[parameters]
I = 0
[energy]
kinetic = "1/2*(x'^2 + y'^2) + I/2*theta'^2"
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
"#;
    let found = checked(text, &[]);
    assert_eq!((found.metric, found.parameters), ("singular", "file"));
    assert!(
        found.special.iter().any(|line| line.contains("rank of M")),
        "{:?}",
        found.special
    );
    let found = checked(text, &["I=1"]);
    assert_eq!(
        (found.metric, found.parameters),
        ("positive definite", "generic")
    );
}

/// Of several rows a value may turn each into another one, while all together keep their ranks and their growth.
#[test]
fn rows_are_special_one_by_one() {
    for (value, rows, true_words, wrong) in [
        (
            1,
            "c = \"x' + (a - 1)*y*z' = 0\"\nd = \"y' + (a - 1)*x*z' = 0\"",
            "\"holonomic\"",
            "\"nonholonomic\"",
        ),
        (
            0,
            "c = \"x' + a*y*z' = 0\"\nd = \"y' = z'\"",
            "\"holonomic\"",
            "\"nonholonomic\"",
        ),
        (
            0,
            "c = \"x' = a*x*t*y'\"\nd = \"z' = 0\"",
            "\"holonomic\", \"linear\"",
            "\"time-dependent\"",
        ),
        (
            2,
            "c = \"x' = a*y*z'\"\nd = \"y' = 3*a*x*z'\"",
            "\"nonholonomic\"",
            "\"holonomic\"",
        ),
    ] {
        let text = format!(
            "{FREE}[parameters]\na = {value}\n[constraints]\n{rows}\n[claims]\n\
             right = {{ class = [{true_words}] }}\nwrong = {{ class = [{wrong}] }}\n"
        );
        let given = model(&text);
        for claim in prove(&prepare(&given)).claims {
            assert_eq!(
                claim.holds,
                Some(claim.name == "right"),
                "{rows}: {}: {:?}",
                claim.name,
                claim.verdict
            );
        }
    }
}

/// A contact on a cone: the row along its normal says nothing, whatever the angle. The sine of the parameter and that
/// of its value were numbers of their own to the points at which ranks were looked at.
#[test]
fn angles_of_a_cone_are_not_special() {
    let text = "coordinates = [\"r\", \"ph\", \"w\"]\nparameters = { m = 0.2, R = 0.03, al = 0.6 }\n\
        [frames]\nP = { parent = \"N\", angle = \"ph\", axis = \"z\" }\n\
        [define]\nnn = \"-sin(al)*P.x + cos(al)*N.z\"\n\
        [particles]\nb = { mass = 1, position = \"r*P.x + r*tan(al)*N.z + R*nn\" }\n\
        [energy]\nkinetic = \"w'^2/2\"\n\
        [constraints]\nroll = \"v(b) - R*w'*cross(nn, [0, 0, 1]) = cross(2*t*N.z, r*P.x)\"\n\
        [initial]\nstate = [\"r = 0.4\"]\n";
    let model = model(text);
    for angle in ["al = 0.6", "al = 0.25", "al = 1"] {
        let p = with(&model, &[angle], &[]);
        assert_eq!(check(&p, None).0.special, Vec::<String>::new(), "{angle}");
    }
}

/// An incline by its height, and once more by its speed, with what vanishes on it: what is read with the value of the
/// angle, the rows on the place too, is read so everywhere.
#[test]
fn the_angle_of_an_incline_is_not_special() {
    let text = "coordinates = [\"x\", \"y\", \"z\"]\nparameters = { al = 0.6 }\n\
        [energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\n\
        p = \"z*cos(al) = x*sin(al)\"\n\
        q = \"z'*cos(al)^2 = x'*sin(al)*cos(al) + y*(z*cos(al) - x*sin(al))*y'\"\n";
    let model = model(text);
    assert_eq!(
        check(&prepare(&model), None).0.special,
        Vec::<String>::new()
    );
}
