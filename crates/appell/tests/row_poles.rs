//! Rows that are infinite at some places of a motion, where what they say is the same on both sides.

use crate::common::{close, model, motion, prepare, until};

fn skates(first: &str, second: &str) -> String {
    format!(
        r#"
coordinates = ["x", "y", "th", "u", "w"]
[energy]
kinetic = "0.5*x'^2 + 0.5*y'^2 + 0.1*th'^2 + u'^2/2 + w'^2/2"
potential = "2*y + w"
[constraints]
first = "{first}"
second = "{second}"
[initial]
state = ["th = 0.3", "x' = 1", "th' = 0.7", "u' = 0.5"]
"#
    )
}

/// Skates that turn across their axes: the rows of the one by tangents, those of the other without poles.
#[test]
fn skates_pass_the_poles_of_tangents() {
    let with_poles = skates("tan(th)*x' - y' = 0", "u'/tan(th/2 + 1) = w'");
    let without = skates(
        "sin(th)*x' = cos(th)*y'",
        "u'*cos(th/2 + 1) = w'*sin(th/2 + 1)",
    );
    let [end, other] = [with_poles, without].map(|text| {
        let model = model(&text);
        let found = motion(&prepare(&model), &until(5.0));
        found.trajectory.samples.last().expect("an end").y.clone()
    });
    close("the end", &end, &other, 1e-8);
}
