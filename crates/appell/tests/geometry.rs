//! Constrained geodesics: the tensors against numbers from another program, independence of the frame,
//! Killing vectors, and the motion and reaction against the multipliers.

use crate::common::forms::{form, refusal, result};
use crate::common::{close, gallery_model, model, prepare};
use appell::prove::prove_with;
use appell::{Prepared, gallery, read, show};
use appell_flow::Interpreter;
use appell_mech::{connection_with_tensors, output};

/// A metric that is indefinite and not diagonal, with one row; the row may be multiplied.
fn indefinite(row: &str) -> String {
    format!(
        r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "1/2*((2 + x^2)*x'^2 + (1 + z^2)*y'^2 - (3 + y^2)*z'^2) + x*y*x'*y' + sin(x)*y'*z'"
[constraints]
row = "{row}"
"#
    )
}

/// A definite metric with two rows.
fn definite(first: &str, second: &str) -> String {
    format!(
        r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "1/2*((2 + x^2)*x'^2 + (1 + z^2 + y^2)*y'^2 + (3 + y^2)*z'^2) + x*y*x'*y' + sin(x)/2*y'*z'"
[constraints]
first = "{first}"
second = "{second}"
"#
    )
}

const ROW: &str = "y*x' + y' + x*z*z' = 0";
const FIRST: &str = "y*x' + y' + x*z*z' = 0";
const SECOND: &str = "cos(z)*x' + x*y' + 2*z' = 0";
const PLACE: [f64; 3] = [0.3, -0.7, 0.4];

/// A tensor of the connection at [`PLACE`].
fn tensor(p: &Prepared<'_>, name: &str) -> Vec<f64> {
    let equations = connection_with_tensors(&p.system, &p.constraints).expect("it applies");
    let program = equations.program(&[name]).expect("an output");
    let state = [&PLACE[..], &[0.0; 3]].concat();
    let field = Interpreter::new(program, &p.parameters);
    field.results(0.0, &state).expect("a value")
}

/// Computed with SymPy from the definitions, `G^i_j` differentiated as it stands.
#[test]
fn the_tensors_are_those_of_another_program() {
    let tables: [(&str, &[f64]); 6] = [
        (output::CHRISTOFFEL, &ONE_CHRISTOFFEL),
        (output::DEFORMATION, &ONE_DEFORMATION),
        (output::NABLA_G, &ONE_NABLA_G),
        (output::REDUCED, &ONE_REDUCED),
        (output::REDUCED_SYMMETRIC, &ONE_SYMMETRIC),
        (output::TORSION, &ONE_TORSION),
    ];
    let text = model(&indefinite(ROW));
    let p = prepare(&text);
    for (name, wanted) in tables {
        close(name, &tensor(&p, name), wanted, 1e-12);
    }
    let tables: [(&str, &[f64]); 6] = [
        (output::CHRISTOFFEL, &TWO_CHRISTOFFEL),
        (output::DEFORMATION, &TWO_DEFORMATION),
        (output::NABLA_G, &TWO_NABLA_G),
        (output::REDUCED, &TWO_REDUCED),
        (output::REDUCED_SYMMETRIC, &TWO_SYMMETRIC),
        (output::TORSION, &TWO_TORSION),
    ];
    let text = model(&definite(FIRST, SECOND));
    let p = prepare(&text);
    for (name, wanted) in tables {
        close(name, &tensor(&p, name), wanted, 1e-12);
    }
}

/// Another frame `K'^a = c^a_b K^b` gives the same connection, but other deformation tensors.
#[test]
fn the_connection_does_not_depend_on_the_frame() {
    let scaled = "(2 + sin(x*y))*(y*x' + y' + x*z*z') = 0";
    let text = model(&indefinite(scaled));
    let p = prepare(&text);
    for (name, wanted) in [
        (output::NABLA_G, &ONE_NABLA_G[..]),
        (output::REDUCED, &ONE_REDUCED),
        (output::TORSION, &ONE_TORSION),
    ] {
        close(name, &tensor(&p, name), wanted, 1e-12);
    }
    let bent = tensor(&p, output::DEFORMATION);
    let differs = |wanted: &[f64]| bent.iter().zip(wanted).any(|(x, y)| (x - y).abs() > 0.05);
    assert!(differs(&ONE_DEFORMATION), "{bent:?}");

    let mixed = "(1 + x^2)*(y*x' + y' + x*z*z') + sin(z)*(cos(z)*x' + x*y' + 2*z') = 0";
    let other = "y*(y*x' + y' + x*z*z') + (2 + x)*(cos(z)*x' + x*y' + 2*z') = 0";
    let text = model(&definite(mixed, other));
    let p = prepare(&text);
    close("reduced", &tensor(&p, output::REDUCED), &TWO_REDUCED, 1e-12);
}

/// Geodesics and reactions, with forces and potentials, against the multipliers: proved wherever the
/// form applies; elsewhere words.
#[test]
fn geodesics_and_reactions_are_those_of_the_multipliers() {
    let mut applies = 0;
    for entry in gallery::entries() {
        let (text, _) = read(entry.name, entry.text).expect("the gallery is right");
        let p = prepare(&text);
        let proof = prove_with(&p, &[form("multipliers"), form("connection")]);
        match proof.equivalence.as_slice() {
            [pair] => {
                assert!(pair.verdict.is_proved(), "{}: {pair:?}", entry.name);
                applies += 1;
            }
            _ => {
                let why: Vec<&str> = proof.unavailable.iter().map(|x| x.why.as_str()).collect();
                assert!(
                    !why.is_empty() && why.iter().all(|why| why.len() > 20),
                    "{}: {why:?}",
                    entry.name
                );
            }
        }
    }
    assert!(applies >= 12, "{applies}");
    for text in [indefinite(ROW), definite(FIRST, SECOND)] {
        let text = model(&text);
        let p = prepare(&text);
        let proof = prove_with(&p, &[form("multipliers"), form("connection")]);
        assert!(
            proof.equivalence[0].verdict.is_proved(),
            "{:?}",
            proof.equivalence
        );
    }
}

/// `R_i = -G_ab K^b_i D^a_hk v^h v^k` from the tensors, against the multipliers' reaction.
#[test]
fn the_reaction_is_the_deformation() {
    let text = model(&definite(FIRST, SECOND));
    let p = prepare(&text);
    let deformation = tensor(&p, output::DEFORMATION);
    let rows = [[-0.7, 1.0, 0.3 * 0.4], [0.4_f64.cos(), 0.3, 2.0]];
    // The direction that both rows admit.
    let [a, b] = rows;
    let v = [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ];
    let quadratic = |a: usize| -> f64 {
        let pairs = (0..9).map(|pair| deformation[9 * a + pair] * v[pair / 3] * v[pair % 3]);
        pairs.sum()
    };
    let state = (0.0, &PLACE[..], &v[..]);
    let reaction = result(&p, "multipliers", output::REACTION, state).expect("regular");
    // G^ab R.K^b = -D^a(v, v), without any inverse: K^a.R = g^ij K^a_i R_j.
    let mass = result(&p, "multipliers", "M", state).expect("regular");
    let raised = solve3(&mass, &reaction);
    for (a, row) in rows.iter().enumerate() {
        let product: f64 = row.iter().zip(&raised).map(|(k, r)| k * r).sum();
        assert!(
            (product + quadratic(a)).abs() < 1e-12,
            "{product} {}",
            quadratic(a)
        );
    }
}

/// Cramer's rule.
fn solve3(m: &[f64], b: &[f64]) -> [f64; 3] {
    let det = |m: &[f64]| {
        m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6])
            + m[2] * (m[3] * m[7] - m[4] * m[6])
    };
    [0, 1, 2].map(|column| {
        let mut changed = m.to_vec();
        (0..3).for_each(|row| changed[3 * row + column] = b[row]);
        det(&changed) / det(m)
    })
}

/// On a surface of revolution the rotation is a Killing vector: held off it, a particle needs no force.
/// The covector of the same distribution without the factor `r^2` is none.
#[test]
fn killing_vectors_have_no_reaction() {
    let surface = |row: &str| {
        format!(
            "coordinates = [\"r\", \"phi\"]\n[energy]\nkinetic = \"1/2*((1 + r^2)*r'^2 + r^2*phi'^2)\"\n\
             [constraints]\nmeridian = \"{row}\"\n"
        )
    };
    let text = model(&surface("r^2*phi' = 0"));
    let p = prepare(&text);
    let connection = form("connection");
    let shown = show::derivation_text(&p, connection, false).expect("it applies");
    assert!(shown.contains("Every K^a is a Killing vector"), "{shown}");
    let state = (0.0, &[0.8, 0.1][..], &[1.3, 0.0][..]);
    let reaction = result(&p, "multipliers", output::REACTION, state).expect("regular");
    close("reaction", &reaction, &[0.0, 0.0], 1e-15);
    // r'' = -r r'^2/(1 + r^2), the meridian as a free geodesic.
    let accel = result(&p, "connection", output::ACCEL, state).expect("regular");
    close("accel", &accel, &[-0.8 * 1.69 / 1.64, 0.0], 1e-14);

    let text = model(&surface("phi' = 0"));
    let p = prepare(&text);
    let shown = show::derivation_text(&p, connection, false).expect("it applies");
    assert!(shown.contains("no D^a is found to be 0"), "{shown}");
}

/// The tensors of the skate in print: `G` projects on the normal of the blade.
#[test]
fn the_skate_in_print() {
    let text = gallery_model("skate");
    let p = prepare(&text);
    let shown = show::derivation_text(&p, form("connection"), false).expect("it applies");
    for line in [
        "[G^ab] = [ 1/m ]",
        "[Gamma^i_hj] = 0",
        "[D^a_hk] = [ 0  0  cos(theta)/2  0  0  sin(theta)/2  cos(theta)/2  sin(theta)/2  0 ]",
        "T[x,theta,x] = 2*sin(theta)*cos(theta)",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    let latex = show::derivation_latex(&p, form("connection"), false).expect("it applies");
    assert!(latex.contains(r"\widetilde{\Gamma}^i_{hj}"), "{latex}");
    let json = show::derivation_json(&p, &[form("connection")], false);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    let recipe = json["forms"][0]["recipe"].as_array().expect("a list");
    let names: Vec<&str> = recipe.iter().filter_map(|x| x["output"].as_str()).collect();
    assert!(
        names.contains(&"reduced") && names.contains(&"torsion"),
        "{names:?}"
    );
}

#[test]
fn what_is_no_metric_or_no_distribution_gets_words() {
    let particle = |kinetic: &str, row: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"{kinetic}\"\n[constraints]\nrow = \"{row}\"\n"
        )
    };
    let plain = "1/2*(x'^2 + y'^2)";
    for (kinetic, row, wanted) in [
        (plain, "y' = x*x' + 1", "affine"),
        (plain, "y' = t*x'", "not linear"),
        (plain, "y'^2 = x*x'^2", "not linear"),
        (plain, "y'' = x*x''", "given for the accelerations"),
        ("1/2*(x'^2 + y'^2) + x*y'", "y' = x*x'", "degree 1"),
        ("1/2*(x'^2 + t^2*y'^2) + x^2", "y' = x*x'", "time"),
    ] {
        let text = model(&particle(kinetic, row));
        let why = refusal(&prepare(&text), "connection");
        assert!(why.contains(wanted), "{kinetic}, {row}: {why}");
    }
    let twice = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\n[constraints]\n\
                 a = \"y' = x*x'\"\nb = \"2*y' = 2*x*x'\"\n";
    let text = model(twice);
    let why = refusal(&prepare(&text), "connection");
    assert!(why.contains("dependent"), "{why}");
}

const ONE_CHRISTOFFEL: [f64; 27] = [
    0.085713693992022,
    0.0034916994659945,
    0.041235864288244,
    0.0034916994659945,
    0.14321893016386,
    -0.19304483142079,
    0.041235864288244,
    -0.19304483142079,
    -0.060429189778337,
    -0.57551609312702,
    0.034750723256803,
    0.41039503029729,
    0.034750723256803,
    -0.0032020759882159,
    0.35335498520645,
    0.41039503029729,
    0.35335498520645,
    -0.60141431731774,
    -0.048732560108259,
    -0.13392512998405,
    0.034750723256803,
    -0.13392512998405,
    0.11434204064247,
    -0.17065228130286,
    0.034750723256803,
    -0.17065228130286,
    -0.050925525313131,
];
const ONE_DEFORMATION: [f64; 9] = [
    0.64136358613443,
    0.48376448196748,
    -0.18570001208633,
    0.48376448196748,
    0.089734282225824,
    -0.46800809344466,
    -0.18570001208633,
    -0.46800809344466,
    0.86522494751048,
];
const ONE_NABLA_G: [f64; 27] = [
    -0.32103755735798,
    0.22771574506287,
    0.023157133571123,
    -0.52446172660064,
    0.36563543109233,
    0.16671416344725,
    0.34702944192213,
    -0.23431305241105,
    -0.26451428027018,
    0.29085407995391,
    0.31914491711266,
    0.051560515854092,
    0.48935609395702,
    0.52135037084993,
    -0.32825352256407,
    -0.34079414580323,
    -0.3449474260041,
    0.71071544632932,
    0.013863196842976,
    0.011119558189917,
    0.0018926402453129,
    -0.078152214133534,
    0.1630183843382,
    0.0031113557507104,
    0.17231333326564,
    -0.28117523594396,
    -0.0020820159180227,
];
const ONE_REDUCED: [f64; 27] = [
    -0.23532386336595,
    0.23120744452886,
    0.064392997859367,
    -0.52097002713464,
    0.5088543612562,
    -0.026330667973543,
    0.38826530621037,
    -0.42735788383184,
    -0.32494347004852,
    -0.28466201317311,
    0.35389564036947,
    0.46195554615138,
    0.52410681721382,
    0.51814829486171,
    0.025101462642384,
    0.069600884494053,
    0.0084075592023491,
    0.10930112901158,
    -0.034869363265283,
    -0.12280557179413,
    0.036643363502115,
    -0.21207734411758,
    0.27736042498067,
    -0.16754092555215,
    0.20706405652244,
    -0.45182751724681,
    -0.053007541231154,
];
const ONE_SYMMETRIC: [f64; 27] = [
    -0.23532386336595,
    -0.14488129130289,
    0.22632915203487,
    -0.14488129130289,
    0.5088543612562,
    -0.22684427590269,
    0.22632915203487,
    -0.22684427590269,
    -0.32494347004852,
    -0.28466201317311,
    0.43900122879164,
    0.26577821532272,
    0.43900122879164,
    0.51814829486171,
    0.016754510922367,
    0.26577821532272,
    0.016754510922367,
    0.10930112901158,
    -0.034869363265283,
    -0.16744145795585,
    0.12185371001228,
    -0.16744145795585,
    0.27736042498067,
    -0.30968422139948,
    0.12185371001228,
    -0.30968422139948,
    -0.053007541231154,
];
const ONE_TORSION: [f64; 27] = [
    0.0,
    0.75217747166351,
    -0.323872308351,
    -0.75217747166351,
    0.0,
    0.40102721585829,
    0.323872308351,
    -0.40102721585829,
    0.0,
    0.0,
    -0.17021117684436,
    0.39235466165733,
    0.17021117684436,
    0.0,
    0.016693903440035,
    -0.39235466165733,
    -0.016693903440035,
    0.0,
    0.0,
    0.089271772323451,
    -0.17042069302033,
    -0.089271772323451,
    0.0,
    0.28428659169467,
    0.17042069302033,
    -0.28428659169467,
    0.0,
];
const TWO_CHRISTOFFEL: [f64; 27] = [
    0.10206135177736,
    -0.00062614943381322,
    0.01478925281419,
    -0.00062614943381322,
    0.1031100284536,
    -0.089156438441613,
    0.01478925281419,
    -0.089156438441613,
    0.043345887392655,
    -0.41281797516814,
    -0.0062316776984269,
    0.14718827800789,
    -0.0062316776984269,
    -0.40238114539039,
    0.24998650446872,
    0.14718827800789,
    0.24998650446872,
    0.43139478405071,
    0.017477944603898,
    0.068697683559325,
    -0.0062316776984269,
    0.068697683559325,
    -0.097577111856391,
    -0.21115702914945,
    -0.0062316776984269,
    -0.21115702914945,
    -0.018264452111073,
];
const TWO_DEFORMATION: [f64; 18] = [
    0.48216356805983,
    0.49754965106764,
    0.063912000285851,
    0.49754965106764,
    0.48626741873067,
    -0.28705716787991,
    0.063912000285851,
    -0.28705716787991,
    -0.098860928622521,
    -0.0051152267746895,
    0.36505085801078,
    -0.24002410305744,
    0.36505085801078,
    0.22089794203076,
    0.42943662477107,
    -0.24002410305744,
    0.42943662477107,
    -0.13281373712088,
];
const TWO_NABLA_G: [f64; 27] = [
    0.06046542198375,
    0.17847201421358,
    0.21308542632067,
    -0.68154529725908,
    0.37747331162779,
    0.32811050065474,
    0.11346302963311,
    -0.082948874898671,
    -0.077599124896327,
    0.1960825099195,
    0.21280475327259,
    0.016809033731887,
    0.2831116303272,
    0.69802031704938,
    -0.5414400375079,
    -0.06811607007444,
    -0.14226796519961,
    0.093100711195677,
    0.11829383151847,
    -0.025454302445733,
    -0.27327017525634,
    0.21708330959708,
    -0.30597512086712,
    -0.016475019790296,
    -0.049188677029151,
    0.055928292033058,
    0.028804935566496,
];
const TWO_REDUCED: [f64; 27] = [
    0.16252677376111,
    0.17784586477977,
    0.22787467913486,
    -0.68217144669289,
    0.48058334008139,
    0.23895406221312,
    0.1282522824473,
    -0.17210531334028,
    -0.034253237503672,
    -0.21673546524864,
    0.20657307557416,
    0.16399731173978,
    0.27687995262877,
    0.29563917165899,
    -0.29145353303918,
    0.079072207933454,
    0.10771853926911,
    0.52449549524638,
    0.13577177612237,
    0.043243381113592,
    -0.27950185295476,
    0.2857809931564,
    -0.40355223272351,
    -0.22763204893974,
    -0.055420354727578,
    -0.15522873711639,
    0.010540483455423,
];
const TWO_SYMMETRIC: [f64; 27] = [
    0.16252677376111,
    -0.25216279095656,
    0.17806348079108,
    -0.25216279095656,
    0.48058334008139,
    0.03342437443642,
    0.17806348079108,
    0.03342437443642,
    -0.034253237503672,
    -0.21673546524864,
    0.24172651410146,
    0.12153475983662,
    0.24172651410146,
    0.29563917165899,
    -0.091867496885037,
    0.12153475983662,
    -0.091867496885037,
    0.52449549524638,
    0.13577177612237,
    0.164512187135,
    -0.16746110384117,
    0.164512187135,
    -0.40355223272351,
    -0.19143039302807,
    -0.16746110384117,
    -0.19143039302807,
    0.010540483455423,
];
const TWO_TORSION: [f64; 27] = [
    0.0,
    0.86001731147266,
    0.099622396687557,
    -0.86001731147266,
    0.0,
    0.41105937555341,
    -0.099622396687557,
    -0.41105937555341,
    0.0,
    0.0,
    -0.070306877054609,
    0.084925103806327,
    0.070306877054609,
    0.0,
    -0.39917207230829,
    -0.084925103806327,
    0.39917207230829,
    0.0,
    0.0,
    -0.24253761204281,
    -0.22408149822719,
    0.24253761204281,
    0.0,
    -0.072403311823355,
    0.22408149822719,
    0.072403311823355,
    0.0,
];
