//! Ranks along motions do not depend on the units of coordinates, nor on how nearly rows depend on each other.

use crate::common::{assert_finite, column, last, model, motion, until, with};
use appell::ExitKind;

/// A tethered satellite in a low orbit in SI units, its main body by radius and angle: where the tether points to the
/// Earth only the derivative by the angle vanishes. Beside it the same in Cartesian coordinates.
#[test]
fn a_tethered_satellite_passes_the_vertical() {
    let text = |coordinates: &str, main: &str, start: &str| {
        format!(
            "coordinates = [{coordinates}, \"x\", \"y\"]\n[parameters]\nmu = 3.986e14\nl = 1000\nm1 = 1000\nm2 = 50\n\
             [particles]\nmain = {{ mass = \"m1\", position = \"{main}\" }}\n\
             sub = {{ mass = \"m2\", position = \"[x, y, 0]\" }}\n[energy]\n\
             potential = \"-mu*m1/norm(pos(main)) - mu*m2/sqrt(x^2 + y^2)\"\n[constraints]\n\
             tether = \"norm(pos(main) - pos(sub)) = l\"\n[initial]\nstate = [{start}, \"x = 7e6 + l*sin(0.5)\", \
             \"y = l*cos(0.5)\", \"x' = -sqrt(mu/7e6^3)*l*cos(0.5)\", \"y' = sqrt(mu/7e6^3)*(7e6 + l*sin(0.5))\"]\n\
             inconsistent = \"project\"\n"
        )
    };
    let polar = model(&text(
        "\"r\", \"f\"",
        "r*[cos(f), sin(f), 0]",
        "\"r = 7e6\", \"f = 0\", \"r' = 0\", \"f' = sqrt(mu/r^3)\"",
    ));
    let plain = model(&text(
        "\"X\", \"Y\"",
        "[X, Y, 0]",
        "\"X = 7e6\", \"Y = 0\", \"X' = 0\", \"Y' = sqrt(mu/7e6)\"",
    ));
    for length in ["l=1000", "l=1e5"] {
        let [polar, plain] = [&polar, &plain].map(|model| {
            let run = motion(&with(model, &[length], &[]), &until(6000.0));
            assert_eq!(run.exit, ExitKind::Done, "{length}: {}", run.outcome);
            [last(&run, "x"), last(&run, "y")]
        });
        for (a, b) in polar.iter().zip(plain) {
            assert!((a - b).abs() < 1e-6 * b.abs(), "{length}: {a} beside {b}");
        }
    }
}

/// The same in any unit of length, where an angle stands beside it.
#[test]
fn units_of_length_are_no_matter() {
    for unit in ["u=1e-9", "u=1e-6", "u=1", "u=1e6", "u=1e11"] {
        let text = model(
            "coordinates = [\"r\", \"f\", \"x\", \"y\"]\n[parameters]\nu = 1\n[energy]\n\
             kinetic = \"(r'^2 + r^2*f'^2 + x'^2 + y'^2)/2\"\npotential = \"(x^2 + 2*y^2)/2\"\n[constraints]\n\
             rod = \"(r*cos(f) - x)^2 + (r*sin(f) - y)^2 = u^2\"\n[initial]\n\
             state = [\"r = 3*u\", \"f = 1/5\", \"x = 2*u\", \"f' = 1\", \"r' = 0\", \"x' = 0\"]\n",
        );
        let run = motion(&with(&text, &[unit], &[]), &until(10.0));
        assert_eq!(run.exit, ExitKind::Done, "{unit}: {}", run.outcome);
    }
}

/// A slider-crank of equal rods is singular where it is stretched, in any unit.
#[test]
fn a_real_singular_state_is_told_in_any_unit() {
    for unit in ["u=1e-9", "u=1", "u=1e9"] {
        let text = model(
            "coordinates = [\"a\", \"b\", \"x\"]\n[parameters]\nu = 1\n[energy]\n\
             kinetic = \"(u^2*a'^2 + u^2*b'^2 + x'^2)/2\"\n[constraints]\np = \"u*cos(a) + u*cos(b) = x\"\n\
             q = \"u*sin(a) + u*sin(b) = 0\"\n[initial]\nstate = [\"a = 1\", \"b = -1\", \"a' = 1\"]\n",
        );
        let run = motion(&with(&text, &[unit], &[]), &until(3.0));
        assert!(run.outcome.contains("singular"), "{unit}: {}", run.outcome);
        assert!(
            (last(&run, "a") - std::f64::consts::FRAC_PI_2).abs() < 1e-3,
            "{unit}"
        );
    }
}

/// Rows that differ by little are independent: multipliers and velocities of the samples have their values.
#[test]
fn rows_that_nearly_depend_on_each_other() {
    let text = model(
        "coordinates = [\"x\", \"y\", \"z\"]\n[parameters]\ne = 1e-5\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
         [forces]\nx = \"1\"\ny = \"2\"\nz = \"3\"\n[constraints]\np = \"x' + y' = 0\"\nq = \"x' + y' + e*z' = 0\"\n\
         [initial]\nstate = [\"x = 0\", \"y = 0\", \"z = 0\"]\n",
    );
    for e in [1e-2, 1e-4, 3e-5, 1e-5, 1e-6] {
        let run = motion(&with(&text, &[&format!("e={e:e}")], &[]), &until(1.0));
        assert_finite(&run);
        for (lambda, x) in column(&run, "lambda[q]").iter().zip(column(&run, "x'")) {
            assert!((lambda * e + 3.0).abs() < 1e-6, "{e}: {lambda}");
            assert!(x <= 0.0);
        }
    }
}
