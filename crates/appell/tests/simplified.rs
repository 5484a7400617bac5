//! Files with the linear rows that curved ones say.

use crate::classes::letters;
use crate::common::{model, prepare};
use appell::simplify;

const FREE: &str = "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\n";

/// Where a square has no motion of its own, the simpler row is written but nothing is compared.
#[test]
fn squares_are_simplified_without_a_comparison() {
    let text = format!("{FREE}c = \"(z' - y*x')^2 = 0\"");
    let model = model(&text);
    let simplified = simplify(&prepare(&model)).expect("it can be replaced");
    let row = &simplified.replaced[0].by[0];
    assert_eq!(letters(row), letters("x'*y - z' = 0"));
    assert!(
        simplified.text.contains(&format!("c = \"{row}\"")),
        "{}",
        simplified.text
    );
    assert_eq!(simplified.replaced[0].verdict, "undecided");
    let text = format!("{FREE}c = \"x'^2 + y'^2 = 0\"");
    let model = crate::common::model(&text);
    let simplified = simplify(&prepare(&model)).expect("it can be replaced");
    assert!(
        simplified.text.contains("c_2 = \"y' = 0\""),
        "{}",
        simplified.text
    );
}

/// Beside a blade `x'^2 + y'^2 = u'^2` is `x' = u' cos(th)` where cos(th) is not 0.
#[test]
fn a_simpler_file_that_is_singular_elsewhere_says_so() {
    let text = "coordinates = [\"x\", \"y\", \"th\", \"u\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + th'^2 + u'^2)/2\"\n\
        [constraints]\nblade = \"x'*sin(th) = y'*cos(th)\"\nroll = \"x'^2 + y'^2 = u'^2\"\n\
        [initial]\nstate = [\"th = 1\", \"x' = 0.5\", \"th' = 0.5\", \"u' = 0.5/cos(1)\"]\n";
    let model = model(text);
    let simplified = simplify(&prepare(&model)).expect("it can be replaced");
    let why = &simplified.replaced[0].why;
    assert!(why.contains("singular where cos(th) = 0"), "{why}");
}

/// `y x'^2 + x' = y` is smooth at `y = 0`, and so is the root in its linear row: no pole is under it.
#[test]
fn roots_of_quotients_keep_their_sheet() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[constraints]\nc = \"y*x'^2 + x' - y = 0\"\n\
        [initial]\nstate = [\"y = -1\", \"x' = 2/(1 + sqrt(5))*(-1)\", \"y' = 1\"]\n";
    let given = model(text);
    let simplified = simplify(&prepare(&given)).expect("it can be replaced");
    let row = &simplified.replaced[0].by[0];
    assert_eq!(letters(row), letters("y*x' - sqrt(y^2 + 1/4) + 1/2 = 0"));
    // Beside the other sheet a quotient below the root would be `y` or `-y`.
    let simpler = model(&simplified.text);
    let until = |t: f64| crate::common::until(t);
    let ends = [&given, &simpler].map(|m| {
        crate::common::motion(&prepare(m), &until(0.9))
            .last_state()
            .to_vec()
    });
    crate::common::close("the end", &ends[0], &ends[1], 1e-8);
    // A cone that turns: the root of cos^2/sin^2 is a quotient.
    let cone = "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n[constraints]\n\
        c = \"x'^2 + y'^2 = z'^2\"\nd = \"x' = z'*cos(t)\"\n[initial]\nt = 1\nstate = [\"x' = cos(1)\", \"y' = sin(1)\", \"z' = 1\"]\n";
    let cone = model(cone);
    let simplified = simplify(&prepare(&cone)).expect("it can be replaced");
    assert!(
        !simplified.replaced[0].by[0].contains("sqrt"),
        "{:?}",
        simplified.replaced
    );
}
