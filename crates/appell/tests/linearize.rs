//! Linear equations about steady motions: known spectra, the full field, refusals.

use crate::common::{model, prepare};
use appell::{
    Code, Control, Error, Linearization, ParameterArgument, Prepared, State, Sweep, linearize,
    parse_parameter, read, show, sweep,
};
use appell_flow::{Interpreter, linear};
use appell_mech::{FORMALISMS, output};

fn about(p: &Prepared<'_>, q: &[f64], v: &[f64]) -> Result<Linearization, Error> {
    let state = State {
        t: 0.0,
        q: q.to_vec(),
        v: Some(v.to_vec()),
        z: None,
    };
    linearize(p, Some(&state))
}

/// The same numbers in any order, each to `1e-13 max(1, |lambda|)`.
#[track_caller]
fn assert_spectrum(found: &[(f64, f64)], wanted: &[(f64, f64)]) {
    assert_eq!(found.len(), wanted.len(), "{found:?} for {wanted:?}");
    let mut left = found.to_vec();
    for y in wanted {
        let distance = |x: &(f64, f64)| (x.0 - y.0).hypot(x.1 - y.1);
        let place =
            (0..left.len()).min_by(|i, j| distance(&left[*i]).total_cmp(&distance(&left[*j])));
        let x = left.swap_remove(place.expect("as many"));
        let size = y.0.hypot(y.1).max(1.0);
        assert!(distance(&x) <= 1e-13 * size, "{found:?} for {wanted:?}");
    }
}

#[track_caller]
fn spectrum_of(text: &str, q: &[f64], v: &[f64]) -> Linearization {
    let model = model(text);
    about(&prepare(&model), q, v).unwrap_or_else(|why| panic!("{why:?}"))
}

fn pair(frequency: f64) -> [(f64, f64); 2] {
    [(0.0, -frequency), (0.0, frequency)]
}

/// A bead at the bottom of a hoop that is turned: `M = diag(1, sin^2 th)` is singular there, and the row `ph' = 2` makes up
/// for it. `th'' = (4 - g) th - c th'`.
#[test]
fn rows_make_up_for_inertia_that_vanishes_in_one_place() {
    let hoop = "coordinates = ['th', 'ph']\n[energy]\nkinetic = \"(th'^2 + sin(th)^2*ph'^2)/2\"\n\
                potential = '-9.81*cos(th)'\n[forces]\nth = \"-0.2*th'\"\n[constraints]\ndrive = \"ph' = 2\"";
    let found = spectrum_of(hoop, &[0.0, 0.0], &[0.0, 2.0]);
    let frequency = (5.81f64 - 0.01).sqrt();
    let wanted = [(-0.1, frequency), (-0.1, -frequency), (0.0, 0.0)];
    assert_spectrum(&found.eigenvalues, &wanted);
}

/// Two masses between walls: frequencies 1 and sqrt 3; three free masses in absolute coordinates: 1,
/// sqrt 3 and a Jordan block at zero, though no coordinate is ignored.
#[test]
fn chains_of_springs_have_their_frequencies() {
    let walls = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                 potential = '(x^2 + (y - x)^2 + y^2)/2'";
    let found = spectrum_of(walls, &[0.0, 0.0], &[0.0, 0.0]);
    assert_eq!(found.state_names, ["x", "y", "x'", "y'"]);
    assert_eq!(found.matrix[2], [-2.0, 1.0, 0.0, 0.0]);
    assert_spectrum(&found.eigenvalues, &[pair(1.0), pair(3f64.sqrt())].concat());
    let free = "coordinates = ['x', 'y', 'z']\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
                potential = '((y - x)^2 + (z - y)^2)/2'";
    for velocity in [0.0, 0.7] {
        let found = spectrum_of(free, &[0.3; 3], &[velocity; 3]);
        assert_eq!(found.zeros, 2);
        let wanted = [pair(1.0), pair(3f64.sqrt()), [(0.0, 0.0); 2]].concat();
        assert_spectrum(&found.eigenvalues, &wanted);
        assert_eq!(found.moving.len(), if velocity == 0.0 { 0 } else { 3 });
    }
}

/// A particle on a circle by a holonomic row: one freedom, `+- i sqrt(g/l)` below and `+- sqrt(g/l)` above,
/// wherever the circle is cut into charts.
#[test]
fn a_holonomic_row_takes_a_coordinate_and_a_velocity() {
    let text = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                potential = '4*(y*cos(a) - x*sin(a))'\n[parameters]\na = 0\n\
                [constraints]\ncircle = 'x^2 + y^2 = 1/4'";
    let root = 8f64.sqrt();
    for angle in [0.0f64, 0.4, 1.2, 2.5] {
        let text = text.replace("a = 0", &format!("a = {angle}"));
        let (x, y) = (0.5 * angle.sin(), -0.5 * angle.cos());
        let below = spectrum_of(&text, &[x, y], &[0.0, 0.0]);
        assert_spectrum(&below.eigenvalues, &pair(root));
        let above = spectrum_of(&text, &[-x, -y], &[0.0, 0.0]);
        assert_spectrum(&above.eigenvalues, &[(root, 0.0), (-root, 0.0)]);
    }
}

const SLEIGH: &str = "coordinates = ['x', 'y', 'theta']\n\
    [parameters]\nm = 1.2\nI = 0.4\na = 0.5\nu = 1\n[energy]\n\
    kinetic = \"m/2*((x' - a*sin(theta)*theta')^2 + (y' + a*cos(theta)*theta')^2) + I/2*theta'^2\"\n";
const BLADE: &str = "[constraints]\nblade = \"x'*sin(theta) - y'*cos(theta) = 0\"\n";
const RATES: &str = "[motion]\nvariables = ['z1', 'z2']\n\
    equations = [\"x' = z1*cos(theta)\", \"y' = z1*sin(theta)\", \"theta' = z2\"]\n";

/// Straight ahead at speed u the blade's heading obeys `theta'' = -m a u/(I + m a^2) theta'`.
#[test]
fn the_sleigh_is_stable_with_its_mass_in_front() {
    let texts = [
        format!("{SLEIGH}{BLADE}"),
        format!("{SLEIGH}{BLADE}{RATES}"),
        // Without rows the state is (q, z).
        format!("{SLEIGH}{RATES}"),
        // The same row three times, once squared up by a factor.
        format!(
            "{SLEIGH}{BLADE}again = \"(2 + x')*(x'*sin(theta) - y'*cos(theta)) = 0\"\ntwice = \"3*x'*sin(theta) - 3*y'*cos(theta) = 0\"\n"
        ),
        // Another multiplier for the same row: the reaction in its own words.
        format!(
            "{SLEIGH}[constraints]\nblade = {{ equation = \"x'*sin(theta) - y'*cos(theta) = 0\", reaction = {{ x = '2*sin(theta)', y = '-2*cos(theta)' }} }}"
        ),
    ];
    for text in texts {
        for (speed, heading) in [(1.0, 0.0), (2.5, 0.7), (-0.3, 2.0)] {
            let (x, y): (f64, f64) = (speed * f64::cos(heading), speed * f64::sin(heading));
            let found = spectrum_of(&text, &[0.1, 0.2, heading], &[x, y, 0.0]);
            let rate = -1.2 * 0.5 * speed / (0.4 + 1.2 * 0.25);
            assert_spectrum(
                &found.eigenvalues,
                &[vec![(rate, 0.0)], vec![(0.0, 0.0); 4]].concat(),
            );
            assert_eq!(found.zeros, 4, "{text}");
        }
    }
}

/// The user's choice of independent velocities names the unknowns, where it is no bad one.
#[test]
fn independent_velocities_are_the_user_s() {
    let with = |motion: &str| format!("{SLEIGH}{BLADE}[motion]\nindependent = [{motion}]");
    let names = |motion: &str, heading: f64| {
        let v = [f64::cos(heading), f64::sin(heading), 0.0];
        spectrum_of(&with(motion), &[0.0, 0.0, heading], &v).state_names
    };
    assert_eq!(
        names("\"x'\", \"theta'\"", 1.0),
        ["x", "y", "theta", "x'", "theta'"]
    );
    assert_eq!(
        names("\"y'\", \"theta'\"", 1.0),
        ["x", "y", "theta", "y'", "theta'"]
    );
    // y' is 0 whatever x' is.
    assert_eq!(
        names("\"y'\", \"theta'\"", 0.0),
        ["x", "y", "theta", "x'", "theta'"]
    );
}

/// `y'' = -y` is free of a reaction that acts along x alone, and x follows; Chetaev's reaction would
/// give `2 y'' = -y`.
#[test]
fn reactions_that_are_not_chetaev_s_are_taken_as_they_are() {
    let free = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = 'y^2/2'\n[constraints]\n";
    let servo = format!("{free}row = {{ equation = \"x' = y'\", reaction = {{ x = '1' }} }}");
    let found = spectrum_of(&servo, &[0.0; 2], &[0.0; 2]);
    assert_spectrum(
        &found.eigenvalues,
        &[vec![(0.0, 0.0)], pair(1.0).to_vec()].concat(),
    );
    let ideal = format!("{free}row = \"x' = y'\"");
    let found = spectrum_of(&ideal, &[0.0; 2], &[0.0; 2]);
    assert_spectrum(
        &found.eigenvalues,
        &[vec![(0.0, 0.0)], pair(0.5f64.sqrt()).to_vec()].concat(),
    );
    // Marle's rod comes upright at the rate k whatever the carriage must do for it.
    let rod = appell::gallery::find("marle-servo").expect("it is in the gallery");
    let (model, _) = appell::read("m.toml", rod.text).expect("a good model");
    let found = about(&prepare(&model), &[0.0, 0.0], &[0.0, 0.0]).expect("an equilibrium");
    assert_spectrum(&found.eigenvalues, &[(-2.0, 0.0), (0.0, 0.0), (0.0, 0.0)]);
    let row = |name: &str| {
        found
            .state_names
            .iter()
            .position(|known| known == name)
            .expect("independent")
    };
    let by_angle = found.matrix[row("x'")][row("theta")];
    assert!(
        (by_angle - (0.2 * 9.81 * 0.4 - (0.2 * 0.16 * 4.0 / 3.0) * 4.0) / (0.2 * 0.4)).abs()
            < 1e-12
    );
}

/// A row on acceleration level restricts no state: `x'' + 2 x' + 5 x = 0` has its own spectrum.
#[test]
fn rows_on_acceleration_level_restrict_no_deviation() {
    let text = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '9*y^2/2'\n\
                [constraints]\nservo = \"x'' + 2*x' + 5*x = 0\"";
    let found = spectrum_of(text, &[0.0; 2], &[0.0; 2]);
    let wanted = [vec![(-1.0, 2.0), (-1.0, -2.0)], pair(3.0).to_vec()].concat();
    assert_spectrum(&found.eigenvalues, &wanted);
}

/// A slide that moves with the time, and rows affine in the velocities: what moves is ignored.
#[test]
fn moving_rows_are_steady_where_nothing_changes() {
    let slide = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '2*y^2'\n\
                 [constraints]\nslide = 'x = 3*t'";
    let found = spectrum_of(slide, &[0.0, 0.0], &[3.0, 0.0]);
    assert_eq!(
        (&found.moving[..], &found.state_names[..]),
        (
            &["x".to_owned()][..],
            &["y".to_owned(), "y'".to_owned()][..]
        )
    );
    assert_spectrum(&found.eigenvalues, &pair(2.0));
    let belt = slide.replace("slide = 'x = 3*t'", "belt = \"x' = 3 - y\"");
    let found = spectrum_of(&belt, &[0.0, 0.0], &[3.0, 0.0]);
    assert_spectrum(
        &found.eigenvalues,
        &[vec![(0.0, 0.0)], pair(2.0).to_vec()].concat(),
    );
}

/// A heavy rigid body hanging from a fixed point, on unit quaternions: M has rank 3 of 4 and the norm is a
/// holonomic row. `I1 a'' = -m g l a`, `I2 b'' = -m g l b`, and free turns about the vertical.
#[test]
fn a_singular_mass_matrix_is_made_up_for_by_the_constraints() {
    let text = r#"coordinates = ["e0", "e1", "e2", "e3"]
        [define]
        w1 = "2*(-e1*e0' + e0*e1' + e3*e2' - e2*e3')"
        w2 = "2*(-e2*e0' - e3*e1' + e0*e2' + e1*e3')"
        w3 = "2*(-e3*e0' + e2*e1' - e1*e2' + e0*e3')"
        [energy]
        kinetic = "1/2*(2*w1^2 + 3*w2^2 + w3^2)"
        potential = "-5*(e0^2 - e1^2 - e2^2 + e3^2)"
        [constraints]
        norm = "e0^2 + e1^2 + e2^2 + e3^2 = 1""#;
    for e in [
        [1.0, 0.0, 0.0, 0.0],
        [0.6, 0.0, 0.0, 0.8],
        [0.28, 0.0, 0.0, -0.96],
    ] {
        let found = spectrum_of(text, &e, &[0.0; 4]);
        let wanted = [
            pair((5.0f64 / 2.0).sqrt()),
            pair((5.0f64 / 3.0).sqrt()),
            [(0.0, 0.0); 2],
        ];
        assert_spectrum(&found.eigenvalues, &wanted.concat());
    }
}

/// No freedom is left: an empty matrix, no eigenvalue.
#[test]
fn a_rigid_system_has_no_deviations() {
    let text =
        "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[constraints]\nfixed = 'x = 1'";
    let found = spectrum_of(text, &[1.0], &[0.0]);
    assert_eq!(
        (
            found.state_names.len(),
            found.matrix.len(),
            found.eigenvalues.len()
        ),
        (0, 0, 0)
    );
    assert!(appell::show::linearize_text(&found).contains("rigid"));
}

/// The field on all of `(q, v)` has the spectrum of the motion on the constraints, and two zeros more for each
/// holonomic row, one more for each other.
#[test]
fn the_full_field_has_zeros_more_and_nothing_else() {
    let chain = "coordinates = ['x', 'y', 'z', 'u']\n[energy]\n\
        kinetic = \"(x'^2 + 2*y'^2 + (1 + x^2)*z'^2 + u'^2 + x'*u')/2\"\npotential = '3*x^2 + y^2 + z^2/2 + x*z - u^2 + 2*x^3 + 5*(y + sin(z))'\n\
        [forces]\nx = \"-0.2*x' + 0.1*z\"\n[constraints]\nslope = 'y + x^2 + sin(z) = 0'\nroll = \"u' = z*x' + y' - 2*z' + x*z'\"";
    let pendulum = "coordinates = ['x', 'y', 'a']\n[energy]\nkinetic = \"(x'^2 + y'^2 + a'^2)/2\"\n\
        potential = '4*y + (a - x)^2'\n[constraints]\ncircle = 'x^2 + y^2 = 1/4'";
    let sleigh = format!("{SLEIGH}{BLADE}");
    let cases = [
        (pendulum, &[0.0, -0.5, 0.0][..], &[0.0; 3][..], (1, 0)),
        (
            &sleigh,
            &[0.0, 0.0, 0.4],
            &[f64::cos(0.4), f64::sin(0.4), 0.0],
            (0, 1),
        ),
        // The force 5 along (y, z) is balanced by the row `slope`, whose curvature acts as a stiffness.
        (chain, &[0.0; 4], &[0.0; 4], (1, 1)),
    ];
    for (text, q, v, (holonomic, other)) in cases {
        let model = model(text);
        let p = prepare(&model);
        let found = about(&p, q, v).unwrap_or_else(|why| panic!("{why:?}"));
        let equations =
            (FORMALISMS[0].derive)(&p.system, &p.constraints).expect("multipliers apply");
        let program = equations.program(&[output::RATE]).expect("complete");
        let n = 2 * q.len();
        let unit = |i: usize| (0..n).map(|j| f64::from(u8::from(i == j))).collect();
        let directions: Vec<Vec<f64>> = (0..n).map(unit).collect();
        let field = Interpreter::new(program, &p.parameters);
        let rate = field
            .duals(0.0, &[q, v].concat(), &directions, None)
            .expect("regular");
        let full: Vec<f64> = rate
            .iter()
            .flat_map(|x| (0..n).map(|j| x.along(j)))
            .collect();
        let full = linear::spectrum(n, &full, None).expect("it converges");
        assert_eq!(full.zeros, found.zeros + 2 * holonomic + other, "{text}");
        let rest: Vec<(f64, f64)> = found
            .eigenvalues
            .iter()
            .filter(|x| **x != (0.0, 0.0))
            .copied()
            .collect();
        assert_spectrum(&full.values, &rest);
    }
}

#[track_caller]
fn refused(text: &str, q: &[f64], v: &[f64]) -> Error {
    let model = model(text);
    match about(&prepare(&model), q, v) {
        Err(refused) => refused,
        Ok(found) => panic!("{found:?}"),
    }
}

#[track_caller]
fn assert_question(error: Error, code: Code, words: &[&str]) {
    let Error::Question(diagnostic) = error else {
        panic!("{error:?}")
    };
    assert_eq!(diagnostic.code, code, "{diagnostic:?}");
    for word in words {
        assert!(diagnostic.message.contains(word), "{word}: {diagnostic:?}");
    }
    assert!(!diagnostic.notes.is_empty());
}

#[test]
fn motions_that_are_not_steady_are_refused_with_what_moves() {
    let particle = |potential: &str| {
        format!(
            "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '{potential}'"
        )
    };
    let falls = refused(&particle("y"), &[0.0; 2], &[1.0, 0.0]);
    assert_question(falls, Code::NotSteady, &["not steady", "y'' = -1"]);
    // No acceleration, but the stiffness changes along the way.
    let rails = particle("y^2*(2 + cos(x))");
    let moves = refused(&rails, &[0.0; 2], &[1.0, 0.0]);
    assert_question(
        moves,
        Code::NotSteady,
        &["depend on `x`, which changes along the motion"],
    );
    let found = spectrum_of(&rails, &[0.0; 2], &[0.0; 2]);
    assert_spectrum(
        &found.eigenvalues,
        &[pair(6f64.sqrt()).to_vec(), vec![(0.0, 0.0); 2]].concat(),
    );
    let both = refused(&particle("y^2*(2 + cos(x))"), &[0.0; 2], &[1e-3, 0.0]);
    assert_question(both, Code::NotSteady, &["`x`"]);
    let shaken = refused(&particle("y^2*(2 + cos(t))"), &[0.0; 2], &[1.0, 0.0]);
    assert_question(shaken, Code::NotSteady, &["the time"]);
    // The ice of the blade turns under it.
    let turning = SLEIGH.to_owned()
        + "[constraints]\nblade = \"x'*sin(theta + y) - y'*cos(theta + y) = 0\"\n";
    let (x, y) = (f64::cos(0.3), f64::sin(0.3));
    let turning = refused(&turning, &[0.0, 0.0, 0.3], &[x, y, 0.0]);
    assert_question(turning, Code::NotSteady, &["not steady"]);
}

#[test]
fn off_and_singular_states_are_refused() {
    let sleigh = format!("{SLEIGH}{BLADE}");
    let off = refused(&sleigh, &[0.0, 0.0, 0.3], &[1.0, 0.0, 0.0]);
    assert_question(off, Code::InconsistentStart, &["misses the constraints"]);
    let singular = |text: &str, q: &[f64], v: &[f64], words: &str| match refused(text, q, v) {
        Error::NoValue(why) => assert!(why.contains(words), "{why}"),
        other => panic!("{other:?}"),
    };
    let cone = "coordinates = ['x', 'y', 'z']\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
                [constraints]\ncone = \"z'^2 = x'^2 + y'^2\"";
    singular(
        cone,
        &[0.0; 3],
        &[0.0; 3],
        "singular state: the rank of A drops",
    );
    let found = spectrum_of(cone, &[0.0; 3], &[0.6, 0.8, 1.0]);
    assert_eq!((found.eigenvalues.len(), found.zeros), (5, 5));
    let corner = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = 'x^2'\n\
                  [forces]\ny = \"-abs(x')\"";
    singular(corner, &[0.0; 2], &[0.0; 2], "`abs` at its corner");
    assert_eq!(
        spectrum_of(
            "coordinates = ['y']\n[energy]\nkinetic = \"y'^2/2\"\n[forces]\ny = '-4*y'",
            &[0.0],
            &[0.0]
        )
        .zeros,
        0
    );
}

fn swept(
    text: &str,
    overrides: &[&str],
    range: &str,
    states: Option<&str>,
) -> Result<Sweep, Error> {
    let model = model(text);
    let mut p = prepare(&model);
    let overrides: Vec<_> = overrides
        .iter()
        .map(|o| appell::parse_override(o).expect("a value"))
        .collect();
    let Ok(ParameterArgument::Range(range)) = parse_parameter(range) else {
        panic!("a range")
    };
    sweep(
        &mut p,
        &overrides,
        &range,
        states,
        true,
        &mut Control::default(),
    )
}

/// `x'' + c x' + k x = 0`: a pair crosses at `c = 0`, a real eigenvalue at `k = 0`.
#[test]
fn crossings_of_an_oscillator_are_where_damping_and_stiffness_vanish() {
    let text = "coordinates = ['x']\nparameters = { c = 0.3, k = 4 }\n[energy]\nkinetic = \"x'^2/2\"\n\
                potential = 'k*x^2/2'\n[forces]\nx = \"-c*x'\"";
    let sweep = |range: &str| swept(text, &[], range, None).expect("an equilibrium");
    let damping = sweep("c=-1:1.3:0.25");
    let crossings = damping.crossings.expect("they were asked for");
    assert_eq!(crossings.len(), 1);
    assert!(crossings[0].value.abs() < 1e-14, "{crossings:?}");
    assert!(
        crossings[0].kind.starts_with("complex pair")
            && crossings[0].kind.contains("gains stability")
    );
    let stiffness = sweep("k=1:-1");
    assert_eq!((stiffness.values.len(), stiffness.values[100]), (101, -1.0));
    let crossings = stiffness.crossings.expect("they were asked for");
    assert!(
        crossings.len() == 1 && crossings[0].value.abs() < 1e-14,
        "{crossings:?}"
    );
    // As the parameter grows, whichever way it was followed.
    assert!(
        crossings[0].kind.starts_with("real eigenvalue")
            && crossings[0].kind.contains("gains stability")
    );
    let last = stiffness.eigenvalues[100].as_ref().expect("a value");
    let root = (0.3f64 * 0.3 + 4.0).sqrt();
    assert_spectrum(
        last,
        &[((-0.3 - root) / 2.0, 0.0), ((-0.3 + root) / 2.0, 0.0)],
    );
}

/// A shaft with damping outside and inside, `z'' + (c + d) z' + (1 - i d w) z = 0`: it whirls at the frequency 1
/// from `w = 1 + c/d` on.
#[test]
fn a_shaft_whirls_from_its_known_speed_on() {
    let text = "coordinates = ['x', 'y']\nparameters = { c = 0.2, d = 0.3, w = 1 }\n[energy]\n\
        kinetic = \"(x'^2 + y'^2)/2\"\npotential = '(x^2 + y^2)/2'\n[forces]\nx = \"-(c + d)*x' - d*w*y\"\ny = \"-(c + d)*y' + d*w*x\"";
    let found = swept(text, &["c=0.15"], "w=0:3:0.7", None).expect("an equilibrium");
    let crossings = found.crossings.expect("they were asked for");
    assert_eq!(crossings.len(), 1, "{crossings:?}");
    assert!((crossings[0].value - 1.5).abs() < 1e-13, "{crossings:?}");
    assert!(
        crossings[0].kind.contains("frequency 1,") && crossings[0].kind.contains("loses stability")
    );
}

/// A bead on a turning hoop leaves the lowest point at `w^2 = g/l`: a conservative system, in which
/// eigenvalues leave the imaginary axis.
#[test]
fn a_bead_on_a_hoop_leaves_the_lowest_point() {
    let text = "coordinates = ['a']\nparameters = { w = 1 }\n[energy]\nlagrangian = \"a'^2/2 + w^2*sin(a)^2/2 + 3*cos(a)\"";
    for range in ["w=0:3:0.4", "w=0:3", "w=1:2:0.1"] {
        let crossings = swept(text, &[], range, None)
            .expect("an equilibrium")
            .crossings;
        let crossings = crossings.expect("they were asked for");
        assert_eq!(crossings.len(), 1, "{crossings:?}");
        assert!(
            (crossings[0].value - 3f64.sqrt()).abs() < 1e-13,
            "{crossings:?}"
        );
    }
    let inside = swept(text, &[], "w=0:1.7:0.1", None).expect("an equilibrium");
    assert_eq!(inside.crossings, Some(Vec::new()));
}

/// Gyroscopic forces hold a particle on a hill from `G = 2` on: real parts become 0 and stay so.
#[test]
fn a_real_part_that_comes_to_stay_on_the_axis_does_not_become_negative() {
    let text = "coordinates = ['x', 'y']\nparameters = { G = 1 }\n[energy]\n\
        kinetic = \"(x'^2 + y'^2)/2 + G*(x*y' - y*x')/2\"\npotential = '-(x^2 + y^2)/2'";
    let found = swept(text, &[], "G=0:4:0.5", None).expect("an equilibrium");
    let crossings = found.crossings.expect("they were asked for");
    let kind = &crossings[0].kind;
    assert!(
        kind.contains("becomes 0") && !kind.contains("negative"),
        "{kind}"
    );
}

/// A state in parameters moves with them; four zeros cross nothing; at rest there is one more.
#[test]
fn a_sweep_moves_its_state_and_keeps_its_zeros() {
    let sleigh = format!("{SLEIGH}{BLADE}");
    let state = r#"{"q": [0, "1/3", 0], "v": ["u", 0, "0*sin(u)"]}"#;
    let found = swept(&sleigh, &[], "u=-1:1:0.25", Some(state)).expect("steady");
    assert_eq!(found.zero.iter().filter(|zero| **zero).count(), 4);
    for (u, values) in found.values.iter().zip(&found.eigenvalues) {
        let values = values.as_ref().expect("regular");
        assert_spectrum(
            values,
            &[vec![(-0.6 * u / 0.7, 0.0)], vec![(0.0, 0.0); 4]].concat(),
        );
    }
    let crossings = found.crossings.expect("they were asked for");
    assert!(
        crossings.len() == 1 && crossings[0].value.abs() < 1e-13,
        "{crossings:?}"
    );
    assert_eq!(
        crossings[0].kind,
        "real eigenvalue: becomes negative; gains stability"
    );
    let table = swept(&sleigh, &[], "u=1:2:0.5", Some(state))
        .expect("steady")
        .table();
    assert_eq!(
        (
            table.columns.len(),
            table.columns[1].as_str(),
            table.rows.len()
        ),
        (11, "re 1", 3)
    );
    assert!((table.rows[2][1] + 1.2 / 0.7).abs() < 1e-14);
}

#[test]
fn values_without_linear_equations_are_gaps() {
    let text = "coordinates = ['x']\nparameters = { k = 1 }\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'sqrt(k)*x^2'";
    let found = swept(text, &[], "k=-1:2:1", None).expect("an equilibrium for positive k");
    assert_eq!(
        found
            .eigenvalues
            .iter()
            .map(Option::is_some)
            .collect::<Vec<_>>(),
        [false, true, true, true]
    );
    assert!(found.gaps.len() == 1 && found.gaps[0].value == -1.0 && !found.gaps[0].why.is_empty());
    assert!(found.table().rows[0][1].is_nan());
    assert!(swept(text, &[], "k=-2:-1:0.5", None).is_err());
    let falls = "coordinates = ['x']\nparameters = { k = 1 }\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'k*x'";
    match swept(falls, &[], "k=1:2:1", None) {
        Err(refused) => assert_question(refused, Code::NotSteady, &["x'' = -1"]),
        Ok(found) => panic!("{found:?}"),
    }
    let two = r#"[{"q": [0], "v": [0]}, {"q": [0], "v": [0]}]"#;
    assert!(
        swept(text, &[], "k=1:2:1", Some(two))
            .expect_err("one state")
            .to_string()
            .contains("one state")
    );
}

/// A state in numbers stays behind where the constraints move with the parameter.
#[test]
fn states_that_leave_the_constraints_are_gaps() {
    let text = "coordinates = ['x', 'y']\nparameters = { l = 1 }\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n\
                potential = '9*y'\n[constraints]\ncircle = 'x^2 + y^2 = l^2'";
    let fixed = r#"{"q": [0, -1], "v": [0, 0]}"#;
    let found = swept(text, &[], "l=1:4:1", Some(fixed)).expect("at l = 1");
    assert_eq!(found.gaps.len(), 3);
    assert!(found.gaps[0].why.contains("misses the constraints"));
    let moving = r#"{"q": [0, "-l"], "v": [0, 0]}"#;
    let found = swept(text, &[], "l=1:4:1", Some(moving)).expect("everywhere");
    for (l, values) in found.values.iter().zip(&found.eigenvalues) {
        assert_spectrum(values.as_ref().expect("no gaps"), &pair(3.0 / l.sqrt()));
    }
}

/// The verdict of `appell linearize` on `x'' = force` about `x = 0`.
fn verdict(force: &str) -> String {
    let text =
        format!("coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"{force}\"\n");
    spectrum_of(&text, &[0.0], &[0.0]).stability()
}

/// Eigenvalues of few digits, as 1 and -1, are as well known as others; double ones to the root of what is known of the
/// matrix, which leaves no doubt of a 1 either.
#[test]
fn signs_of_real_parts_are_known_wherever_eigenvalues_are() {
    for (force, wanted) in [
        ("x", "unstable: 1 of 2"),
        ("4*x", "unstable: 1 of 2"),
        ("9.81*x", "unstable: 1 of 2"),
        ("2*x' - x", "unstable: 2 of 2"),
        ("-2*x' - x", "stable: every small deviation decays"),
        ("-6*x' - 9*x", "stable: every small deviation decays"),
        ("-3*x' - 2*x", "stable: every small deviation decays"),
        ("-x", "neutral: oscillations"),
        ("-x'", "undecided: 1 of 2 eigenvalues are 0"),
    ] {
        let found = verdict(force);
        assert!(found.starts_with(wanted), "x'' = {force}: {found}");
    }
}

/// Upside down on a circle: `x'' = g x`.
#[test]
fn a_pendulum_upside_down_falls_whatever_its_weight() {
    for g in [0.1, 1.0, 2.0, 4.0, 9.0, 9.81, 16.0, 100.0] {
        let text = format!(
            "coordinates = ['x', 'y']\ngravity = '-{g}*N.y'\n[particles]\nP = {{ mass = 1, position = '[x, y, 0]' }}\n\
             [constraints]\ncircle = 'x^2 + y^2 = 1'"
        );
        let page = show::linearize_text(&spectrum_of(&text, &[0.0, 1.0], &[0.0, 0.0]));
        assert!(page.contains("unstable: 1 of 2"), "g = {g}: {page}");
    }
}

/// Of a double eigenvalue it is said to how much it is known.
#[test]
fn double_eigenvalues_are_told_with_what_is_known_of_them() {
    let text = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\nx = \"-2*x' - x\"\n";
    let page = show::linearize_text(&spectrum_of(text, &[0.0], &[0.0]));
    assert!(page.contains("nearly multiple"), "{page}");
    let simple = text.replace("-2*x'", "-3*x'");
    let page = show::linearize_text(&spectrum_of(&simple, &[0.0], &[0.0]));
    assert!(!page.contains("multiple"), "{page}");
}

/// About the origin, of two coordinates.
fn verdict_of_two(potential: &str, force: &str) -> String {
    let text = format!(
        "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '{potential}'\n[forces]\nx = \"{force}\"\n"
    );
    spectrum_of(&text, &[0.0; 2], &[0.0; 2]).stability()
}

/// `x'' = -x + c y`, `y'' = -y`: `x` grows as `t sin(t)` where c is not 0.
#[test]
fn resonance_is_not_neutral() {
    let found = verdict_of_two("(x^2 + y^2)/2", "0");
    assert!(found.starts_with("stable: the energy"), "{found}");
    for coupling in ["1", "-2", "1e-6"] {
        let found = verdict_of_two("(x^2 + y^2)/2", &format!("{coupling}*y"));
        assert!(
            found.starts_with("undecided: imaginary eigenvalues are multiple"),
            "{coupling}: {found}"
        );
    }
}

/// True growth, at the rates 0.7071 and 5e-10, that the digits of the entries do not show.
#[test]
fn real_parts_that_are_not_known_are_not_called_zero() {
    for (potential, force) in [
        ("1e10*(x - y)^2/2 - x^2/2", "0"),
        ("(x^2 + y^2)/2", "1e-9*x'"),
    ] {
        let found = verdict_of_two(potential, force);
        assert!(
            found.starts_with("undecided: the real parts of 2 of 4"),
            "{potential}: {found}"
        );
    }
}

/// A car with three trailers straight on: components that are zero but for rounding are no hidden condition. Each trailer
/// follows with its speed over its length, 1/2, 1/0.5 and 1/1; what is left is a pair of the springs and the damper.
#[test]
fn trailers_straight_on_have_their_spectrum() {
    let text = r#"
coordinates = ["x", "y", "a0", "a1", "a2", "a3"]
[frames]
F0 = { parent = "N", angle = "a0", axis = "z" }
F1 = { parent = "F0", angle = "a1", axis = "z" }
F2 = { parent = "F1", angle = "a2", axis = "z" }
F3 = { parent = "F2", angle = "a3", axis = "z" }
[points]
A1 = "[x, y, 0] - 2*F1.x"
A2 = "[x, y, 0] - 2*F1.x - 0.2*F1.x - 0.5*F2.x"
A3 = "[x, y, 0] - 2*F1.x - 0.2*F1.x - 0.5*F2.x - F3.x"
[bodies.p0]
mass = 1
frame = "F0"
position = "[x, y, 0]"
inertia = [0, 0.2, 0.2]
[bodies.p1]
mass = 0.3
frame = "F1"
position = "[x, y, 0] - 2*F1.x + 0.05*F1.x"
inertia = [0, 0.1, 0.1]
[bodies.p2]
mass = 1
frame = "F2"
position = "[x, y, 0] - 2*F1.x - 0.2*F1.x - 0.5*F2.x"
inertia = [0, 0.1, 0.1]
[bodies.p3]
mass = 1
frame = "F3"
position = "[x, y, 0] - 2*F1.x - 0.2*F1.x - 0.5*F2.x - F3.x + 0.1*F3.x"
inertia = [0, 0.1, 0.1]
[energy]
potential = "0.4*a1^2/2 + 0.4*a2^2/2 + 0.4*a3^2/2"
[forces]
a1 = "-0.1*a1'"
[constraints]
k0 = "dot(v(p0), F0.y) = 0"
k1 = "dot(v(A1), F1.y) = 0"
k2 = "dot(v(A2), F2.y) = 0"
k3 = "dot(v(A3), F3.y) = 0"
"#;
    for u in [0.25, 0.5, 1.0, 2.0] {
        let v = [u, 0.0, 0.0, 0.0, 0.0, 0.0];
        let found = spectrum_of(text, &[0.0; 6], &v).eigenvalues;
        let has = |x: f64| {
            found
                .iter()
                .any(|value| (value.0 - x).hypot(value.1) < 1e-9)
        };
        assert_eq!(found.len(), 8, "{found:?}");
        assert!(has(-2.0 * u) && has(-u), "{u}: {found:?}");
        let zeros = found.iter().filter(|value| value.0.hypot(value.1) < 1e-3);
        assert_eq!(zeros.count(), 4, "{u}: {found:?}");
    }
}

/// `x'' = -x' + k x` with `k = w (1 - w) (2 - w)`, which is 0 at most of the values: no branch is 0 everywhere.
#[test]
fn branches_that_are_zero_at_most_values_are_branches() {
    let text = "coordinates = ['x']\n[parameters]\nw = 0\n[energy]\nkinetic = \"x'^2/2\"\n[forces]\n\
                x = \"-x' + w*(1 - w)*(2 - w)*x\"\n";
    let found = swept(text, &[], "w=0:2:0.5", None).expect("steady");
    for (w, values) in found.values.iter().zip(&found.eigenvalues) {
        let k = w * (1.0 - w) * (2.0 - w);
        let root = 0.25 + k;
        let wanted = match root < 0.0 {
            true => [(-0.5, -(-root).sqrt()), (-0.5, (-root).sqrt())],
            false => [(-0.5 - root.sqrt(), 0.0), (-0.5 + root.sqrt(), 0.0)],
        };
        assert_spectrum(values.as_ref().expect("regular"), &wanted);
    }
    assert_eq!(found.zero, [false, false]);
}

/// Rows that depend on each other by coefficients that vary with the place: the rounded numbers of a state make them
/// independent, and then nothing moves.
#[test]
fn repeated_rows_leave_stiffness_and_damping() {
    let bead = "coordinates = ['x', 'y']\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = '9.81*y'\n[forces]\n\
                x = \"-0.2*x'\"\n[constraints]\na = 'y = x^2/2'\nb = '(1 + x)*(y - x^2/2) = 0'\n";
    let found = spectrum_of(bead, &[0.0, 0.0], &[0.0, 0.0]);
    let turn = (9.81_f64 - 0.01).sqrt();
    assert_spectrum(&found.eigenvalues, &[(-0.1, turn), (-0.1, -turn)]);
    // A rod that stands on its pin, whose length is said too.
    let rod = "coordinates = ['x', 'y', 'th']\n[energy]\nkinetic = \"x'^2 + y'^2 + th'^2/10\"\npotential = '2*9.81*y'\n\
               [constraints]\na = 'x + sin(th) = 0'\nb = 'y = cos(th)'\nlength = 'x^2 + y^2 = 1'\n";
    let found = spectrum_of(rod, &[0.0, 1.0, 0.0], &[0.0; 3]);
    let growth = (2.0 * 9.81 / 2.2_f64).sqrt();
    assert_spectrum(&found.eigenvalues, &[(growth, 0.0), (-growth, 0.0)]);
}

#[test]
fn a_sweep_leaves_the_parameters_as_they_were() {
    let text = "coordinates = ['x']\n[parameters]\nk = 4\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'k*x^2/2'\n";
    let (model, _) = read("model.toml", text).expect("a right model");
    let mut p = Prepared::new(&model, &[], &[]).expect("parameters");
    for range in ["k=1:9:1", "k=9,1"] {
        let Ok(ParameterArgument::Range(range)) = parse_parameter(range) else {
            panic!("a range")
        };
        sweep(&mut p, &[], &range, None, false, &mut Control::default()).expect("a sweep");
        assert_eq!(p.parameters.to_vec(), [4.0]);
        let found = linearize(&p, None).expect("linear equations");
        assert_spectrum(&found.eigenvalues, &pair(2.0));
    }
}
