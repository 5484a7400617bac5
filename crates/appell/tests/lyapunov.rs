//! Lyapunov exponents against closed forms, Liouville's theorem and an independent program.

use crate::common::{self, close, gallery_model, model, prepare};
use appell::{Control, Lyapunov, LyapunovOptions, Prepared, RunOptions, lyapunov};

fn of(p: &Prepared<'_>, until: f64, discard: f64, count: Option<usize>) -> Lyapunov {
    let options = LyapunovOptions {
        run: RunOptions {
            until: Some(until),
            rtol: Some(1e-12),
            atol: Some(1e-12),
            ..RunOptions::default()
        },
        count,
        discard,
        interval: None,
    };
    let found = lyapunov(p, &options, &mut Control::default());
    found.unwrap_or_else(|error| panic!("{}", common::words(p, error)))
}

#[test]
fn at_an_unstable_equilibrium_exponents_are_the_eigenvalues() {
    let upright = model(
        r#"coordinates = ["theta"]
parameters = { k = 2.25 }
[energy]
kinetic = "theta'^2/2"
potential = "k*cos(theta)"
[initial]
state = ["theta = 0", "theta' = 0"]
"#,
    );
    let found = of(&prepare(&upright), 30.0, 12.0, None);
    assert_eq!(found.dimension, 2);
    close("pendulum", &found.exponents, &[1.5, -1.5], 1e-9);
    // The same on a circle in the plane: the constraint leaves the same two deviations.
    let plane = model(
        r#"coordinates = ["x", "y"]
parameters = { k = 2.25 }
[energy]
kinetic = "(x'^2 + y'^2)/2"
potential = "k*y"
[constraints]
rod = "x^2 + y^2 = 1"
[initial]
state = ["x = 0", "y = 1", "x' = 0", "y' = 0"]
"#,
    );
    let found = of(&prepare(&plane), 20.0, 12.0, None);
    assert_eq!(found.dimension, 2);
    close("on a circle", &found.exponents, &[1.5, -1.5], 1e-8);
    assert_eq!(of(&prepare(&plane), 20.0, 12.0, Some(1)).exponents.len(), 1);
}

/// About the steady rotation `w = c (I23, -I13)` deviations of the combination `I13 w1 + I23 w2` shrink with
/// `c (I13^2/I11 + I23^2/I22)`, `c < 0`, or grow; all others do not grow exponentially.
#[test]
fn suslov_s_problem_has_one_exponent_that_is_not_zero() {
    let suslov = gallery_model("suslov");
    let text = suslov.source.text.clone();
    let rotating = |c: f64| {
        text.replace(
            "\"w1 = 0.7\", \"w2 = -0.4\"",
            &format!("\"w1 = I23*{c}\", \"w2 = -I13*{c}\""),
        )
    };
    // The unstable rotation is left after a while, by rounding.
    for (c, until, slow) in [(-2.0, 210.0, 2e-2), (2.0, 70.0, 4e-2)] {
        let (turning, _) = appell::read("suslov.toml", &rotating(c)).expect("a right model");
        let found = of(&prepare(&turning), until, 10.0, None);
        assert_eq!(found.dimension, 5);
        let (i11, i22, i13, i23) = (2.0, 3.0, 0.5, 0.3);
        let rate = c * (i13 * i13 / i11 + i23 * i23 / i22);
        let (first, last) = (found.exponents[0], found.exponents[4]);
        // A change of the speed makes angles grow linearly: the means vanish as log(T)/T, here log(21)/200
        // and log(7)/60, and what depends on the frames that one begins with, over the time.
        let (exponent, zeros) = match c < 0.0 {
            true => (last, &found.exponents[..4]),
            false => (first, &found.exponents[1..]),
        };
        close("its exponent", &[exponent], &[rate], 1e-2);
        close("the others", zeros, &[0.0; 4], slow);
        close("their sum", &[found.exponents.iter().sum()], &[rate], 1e-8);
    }
}

/// The double pendulum of unit masses and lengths. By a program of its own in Python (accelerations written out,
/// their Jacobian by complex steps, `DOP853` of SciPy 1.16 at 1e-13, `numpy.linalg.qr` 80 times) the largest exponent
/// over 8 < t < 16 from the start at rest at (2, 2.5) is 1.9189 +- 0.0002, over two frames to begin with.
///
/// By Liouville's theorem, of flows in coordinates and velocities, all sum up to the mean rate of `-log det M`.
#[test]
fn a_double_pendulum_agrees_with_another_program() {
    let pendulum = model(
        r#"coordinates = ["a", "b"]
parameters = { g = 9.81 }
[energy]
kinetic = "a'^2 + b'^2/2 + a'*b'*cos(a - b)"
potential = "-2*g*cos(a) - g*cos(b)"
[initial]
state = ["a = 2", "b = 2.5", "a' = 0", "b' = 0"]
"#,
    );
    let p = prepare(&pendulum);
    let found = of(&p, 16.0, 8.0, None);
    close("the largest", &found.exponents[..1], &[1.9189], 1e-3);
    let alone = of(&p, 16.0, 8.0, Some(1));
    close("alone", &alone.exponents, &found.exponents[..1], 1e-3);
    let whole = of(&p, 5.0, 0.0, None);
    let options = RunOptions {
        rtol: Some(1e-13),
        ..RunOptions::until(5.0)
    };
    let last = appell::run(&p, &options, &mut Control::default()).expect("a motion");
    let volume = |a: f64, b: f64| (2.0 - (a - b).cos().powi(2)).ln();
    let state = last.last_state();
    let rate = (volume(2.0, 2.5) - volume(state[0], state[1])) / 5.0;
    close("their sum", &[whole.exponents.iter().sum()], &[rate], 1e-7);
    assert!(whole.history.len() <= 200 && whole.times.last() == Some(&5.0));
}

#[test]
fn questions_without_an_answer_are_refused_in_words() {
    let skate = gallery_model("skate");
    let p = prepare(&skate);
    let asked = |count: usize, discard: f64| {
        let run = RunOptions::until(1.0);
        let options = LyapunovOptions {
            run,
            count: Some(count),
            discard,
            interval: None,
        };
        lyapunov(&p, &options, &mut Control::default())
            .expect_err("refused")
            .to_string()
    };
    assert!(
        asked(6, 0.0).contains("1 to 5 exponents"),
        "{}",
        asked(6, 0.0)
    );
    assert!(asked(0, 0.0).contains("1 to 5 exponents"));
    assert!(asked(1, 1.0).contains("must lie between 0 and"));
}
