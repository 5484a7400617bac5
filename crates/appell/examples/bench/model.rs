//! A model of any size.

use std::fmt::Write;

/// The model of a snake with n links.
pub fn snake(n: usize) -> String {
    let names: Vec<String> = (1..=n).map(|i| format!("\"th{i}\"")).collect();
    let mut text = format!(
        "coordinates = [\"x\", \"y\", {}]\n[parameters]\nm = 1.5\nJ = 0.2\nl = 0.4\n[frames]\n",
        names.join(", ")
    );
    let mut add = |line: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(line);
    };
    for i in 1..=n {
        add(format_args!(
            "L{i} = {{ parent = \"N\", angle = \"th{i}\", axis = \"z\" }}\n"
        ));
    }
    for i in 1..=n {
        let position = match i {
            1 => "[x, y, 0]".to_owned(),
            _ => format!("pos(B{0}) - l*L{0}.x - l*L{i}.x", i - 1),
        };
        add(format_args!(
            "[bodies.B{i}]\nmass = \"m\"\nframe = \"L{i}\"\nposition = \"{position}\"\n\
             inertia = [\"J\", \"J\", \"J\"]\n"
        ));
    }
    add(format_args!("[constraints]\n"));
    for i in 1..=n {
        add(format_args!("wheels{i} = \"dot(v(B{i}), L{i}.y) = 0\"\n"));
    }
    text
}
