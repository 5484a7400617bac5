//! Initial states on rows that are not linear in the velocities, found away from rest.

use crate::common::close;
use crate::starts::start;

/// Velocities far from those given, where the rows say that they are.
#[test]
fn large_velocities_that_rows_ask_for_are_found() {
    for (row, wanted) in [
        ("1e-9*y' = 1", 1e9),
        ("y'^2 = 1e18 + x", 1e9),
        ("log(y') = 30", 30f64.exp()),
        ("x' + y' = 1e12", 1e12),
    ] {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + 2*y'^2)/2\"\n[constraints]\n\
             c = \"{row}\"\n[initial]\nstate = [\"x' = 0\"]\n"
        );
        let found = start(&text);
        assert!(
            (found.v[1].abs() / wanted - 1.0).abs() < 1e-9,
            "{row}: {:?}",
            found.v
        );
    }
}

/// Rows without a value at rest have no least kinetic energy, or a root that Newton's method does not find from there.
#[test]
fn rows_without_a_value_at_rest_begin_at_usual_velocities() {
    let with = |row: &str, state: &str| {
        start(&format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
             [constraints]\nc = \"{row}\"\n[initial]\nstate = [{state}]\n"
        ))
    };
    for row in [
        "x'/y' = 3",
        "y'/x' = tan(z)",
        "sqrt(x'^2 + y'^2)/z' = 2",
        "x'/y' = z'/x'",
    ] {
        let v = with(row, "\"z = 0.4\"").v;
        let size = v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!((0.1..10.0).contains(&size), "{row}: {v:?}");
    }
    assert_eq!(with("x'/y' = 3", "").v[2], 0.0, "nothing speaks of it");
    for (row, wanted) in [
        ("exp(x') = 1e30", 30.0 * 10f64.ln()),
        ("x'^y = 2", 2f64.powf(1.0 / 0.6)),
    ] {
        let v = with(row, "\"y = 0.6\"").v;
        assert!((v[0] - wanted).abs() < 1e-13 * wanted, "{row}: {v:?}");
    }
}

/// A double root: the third velocity can only be 0.
#[test]
fn a_double_root_is_found_to_all_digits() {
    let found = start(
        "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2 + x'*z'/5\"\n\
         [constraints]\ns = \"x'^2 + y'^2 + z'^2 = 1.69\"\n[initial]\nstate = [\"x' = 0.5\", \"y' = 1.2\"]\n",
    );
    assert_eq!(found.v, [0.5, 1.2, 0.0]);
}

/// Four speeds with the sum 4 and the product 1 are 1 each, where the rows touch: the start is there, as far as rows that
/// touch tell, and not where it has less energy.
#[test]
fn an_isolated_point_of_the_rows_is_hit() {
    let text = "coordinates = [\"x\", \"y\", \"z\", \"w\"]\n[energy]\nkinetic = \"(x'^2 + 2*y'^2 + z'^2 + w'^2)/2\"\n\
         potential = \"x\"\n[constraints]\nproduct = \"x'*y'*z'*w' = 1\"\nsum = \"x' + y' + z' + w' = 4\"\n\
         [initial]\nstate = [\"x' = 1\"]\n";
    let found = start(text);
    // A double root is known to half the digits.
    close("speeds", &found.v, &[1.0; 4], 1e-8);
}

/// A speed has no derivative at rest, where the search begins.
#[test]
fn a_speed_alone_begins_a_motion() {
    let text = "coordinates = [\"x\", \"y\"]\n[particles]\nP = { mass = 1, position = \"[x, y, 0]\" }\n\
        [initial]\nstate = [\"x' = y'\", \"norm(v(P)) = 2\"]\n";
    let found = start(text);
    assert!((found.v[0] - found.v[1]).abs() < 1e-14, "{found:?}");
    close("speed", &[found.v[0].hypot(found.v[1])], &[2.0], 1e-14);
    assert!(
        found
            .remarks
            .iter()
            .any(|remark| remark.contains("at rest")),
        "{found:?}"
    );
}
