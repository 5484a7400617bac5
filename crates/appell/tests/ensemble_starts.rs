//! Where the members of an ensemble begin: what columns say, what the file says, and what follows from the constraints.

use crate::ensembles::{
    CROSS, PENDULUM, alone, backends, close, columns, computed, options, text_of,
};
use appell::{
    Control, Ending, Formalism, Prepared, ensemble, parse_override, read, run, with_initial,
};

#[test]
fn parameters_may_differ_and_what_depends_on_them_follows() {
    let text = PENDULUM.replace("\"x = 0.6\", \"y < 0\"", "\"x = 0.6\", \"y = -0.8\"");
    let members = columns(&["g", "m"], &[9.81, 2.0, 5.0, 1.0, 20.0, 3.0]);
    for backend in backends() {
        let done = computed(&text, &members, &options(backend, 1));
        for member in 0..3 {
            let row = &members.values[2 * member..2 * member + 2];
            let parameters = [format!("g={:?}", row[0]), format!("m={:?}", row[1])];
            let (state, ..) = alone(&text, &[], &parameters);
            close(done.state(member), &state, backend);
        }
    }
    // The frequency depends on k = 2 g: these are different motions.
    let done = computed(&text, &members, &options("interp", 1));
    assert!((done.state(0)[0] - done.state(2)[0]).abs() > 1e-3);
}

#[test]
fn starts_follow_parameters_by_rows_and_by_the_kinetic_energy() {
    // With x' + y' = c alone the velocities are those of least m x'^2 + y'^2.
    let open = "coordinates = ['x', 'y']\n[parameters]\nm = 1.0\nc = 1.0\n[energy]\n\
        kinetic = \"(m*x'^2 + y'^2)/2\"\n[constraints]\nboth = \"x' + y' = c\"\n[initial]\n\
        state = ['x = 0', 'y = 0']\n[simulate]\nuntil = 1\n";
    let given = open.replace("'y = 0']", "'y = 0', \"x' = 0.25\"]");
    for text in [open, &given] {
        let members = columns(&["m", "c"], &[1.0, 1.0, 3.0, 1.0, 3.0, 2.0]);
        let done = computed(text, &members, &options("interp", 1));
        for (member, row) in members.values.chunks(2).enumerate() {
            let parameters = [format!("m={}", row[0]), format!("c={}", row[1])];
            let (state, ..) = alone(text, &[], &parameters);
            close(done.state(member), &state, text);
            let x = if text == open {
                row[1] / (1.0 + row[0])
            } else {
                0.25
            };
            close(&done.state(member)[2..], &[x, row[1] - x], text);
        }
    }
}

#[test]
fn equations_of_the_file_hold_beside_columns_where_they_can() {
    let sleigh = text_of("chaplygin-sleigh");
    // z1 and z2 are given: along the blade, wherever it points; unless columns say otherwise.
    let turned = columns(&["theta"], &[1.0, -2.0]);
    let driven = columns(&["theta'", "x'"], &[0.5, 0.25]);
    let aimed = PENDULUM.replace(
        "\"x = 0.6\", \"y < 0\"",
        "\"x = 0.6\", \"y = -sqrt(1 - x^2)\"",
    );
    let swung = columns(&["x"], &[0.1, -0.28]);
    let interp = options("interp", 1);
    for (text, members) in [(&sleigh, &turned), (&aimed, &swung)] {
        let done = computed(text, members, &interp);
        for (member, x) in members.values.iter().enumerate() {
            let initial = format!("{} = {x:?}", members.columns[0]);
            let (state, ..) = alone(text, &[initial], &[]);
            close(done.state(member), &state, text);
        }
    }
    let mut at_start = options("interp", 1);
    at_start.run.times = Some(vec![0.0]);
    let done = computed(&sleigh, &driven, &at_start);
    let start = done.samples.as_ref().expect("samples").y.clone();
    close(&start, &[0.0, 0.0, 0.0, 0.25, 0.0, 0.5], "columns");
}

/// Where the file's start is, the third equation follows from the row and the others; a quarter turn on it does not.
#[test]
fn equations_that_say_more_at_a_member_s_start_hold_there() {
    let sleigh = r#"
coordinates = ["x", "y", "th"]
[energy]
kinetic = "(x'^2 + y'^2 + th'^2)/2"
[constraints]
blade = "-x'*sin(th) + y'*cos(th) = 0"
[initial]
state = ["th = 0.2", "x' = cos(th)", "y' = sin(th)", "th' = 2"]
[simulate]
until = 1
"#;
    let quarter = std::f64::consts::FRAC_PI_2;
    let members = columns(&["th"], &[quarter, 1.5, 0.2]);
    let found = computed(sleigh, &members, &options("interp", 1));
    assert_eq!(found.counts(), [("finished", 3)]);
    let (y, ..) = alone(sleigh, &[format!("th = {quarter:?}")], &[]);
    close(found.state(0), &y, "a quarter turn");
}

/// With `k = 1` the rows are one; else they leave `x` and `y` at rest. The file's value and the members' may each be either.
#[test]
fn members_with_special_parameters_move_as_their_single_runs() {
    let model = r#"
coordinates = ["x", "y", "z"]
parameters = { k = 1 }
[energy]
kinetic = "(x'^2 + 2*y'^2 + 3*z'^2)/2"
potential = "x + 2*y^2 - z*y"
[constraints]
a = "x' + y' = 0"
b = "x' + k*y' = 0"
[initial]
state = ["z' = 0.3"]
[simulate]
until = 2
"#;
    let members = columns(&["k"], &[1.01, 1.0001, 1.0000001, 1.0, 2.0, 1.0]);
    let (free, ..) = alone(model, &[], &[]);
    let rest = [0.0, 0.0, 0.6, 0.0, 0.0, 0.3];
    for text in [model.to_owned(), model.replace("k = 1 }", "k = 2 }")] {
        for backend in backends() {
            let found = computed(&text, &members, &options(backend, 1));
            assert_eq!(found.counts(), [("finished", 6)], "{backend}");
            for member in 0..6 {
                let expected = if matches!(member, 3 | 5) {
                    &free[..]
                } else {
                    &rest
                };
                close(found.state(member), expected, backend);
            }
        }
    }
    // A row that says nothing any more, where its factors are 0.
    let row = model.replace("k = 1 }", "c = 1, d = 1, e = 1 }");
    let row = row.replace("a = \"x' + y' = 0\"\n", "");
    let row = row.replace("b = \"x' + k*y' = 0\"", "s = \"c*x' + d*y' + e*z' = 0\"");
    let row = row.replace("[\"z' = 0.3\"]", "[\"x' = 1\", \"y' = -1\"]");
    let members = columns(&["c", "d", "e"], &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let found = computed(&row, &members, &options("interp", 1));
    assert_eq!(found.counts(), [("finished", 2)]);
    let none = ["c=0", "d=0", "e=0"].map(str::to_owned);
    let (y, ..) = alone(&row, &[], &none);
    close(found.state(0), &y, "no row");
}

#[test]
fn what_the_file_leaves_open_follows_from_the_constraints() {
    let text = text_of("rolling-disc");
    let members = columns(&["theta", "phi'"], &[0.1, 6.0, 0.3, 5.0, -0.2, 7.0]);
    let done = computed(&text, &members, &options("interp", 2));
    assert_eq!((done.counts(), done.moved), (vec![("finished", 3)], 0));
    for member in 0..3 {
        let row = &members.values[2 * member..2 * member + 2];
        let initial = [
            format!("theta = {:?}", row[0]),
            format!("phi' = {:?}", row[1]),
        ];
        let (state, ..) = alone(&text, &initial, &[]);
        close(done.state(member), &state, "rolling disc");
    }
}

#[test]
fn starts_off_the_constraints_are_refused_or_projected_as_the_file_says() {
    let members = columns(&["x'", "y'"], &[1.0, 1.0, 1.0, 1.2]);
    let done = computed(CROSS, &members, &options("interp", 1));
    assert_eq!(done.endings, [Some(Ending::Finished), None]);
    assert!(done.state(1).iter().all(|x| x.is_nan()));
    let (member, why) = &done.remarks[0];
    assert!(*member == 1 && why.contains("the residual is"), "{why}");
    let text = CROSS.replace("[initial]", "[initial]\ninconsistent = \"project\"");
    let done = computed(&text, &members, &options("interp", 1));
    assert_eq!((done.counts(), done.moved), (vec![("finished", 2)], 1));
    // The nearest state is (1.1, 1.1): x = 1.1 t + t^2 / 2.
    close(&done.state(1)[..1], &[1.1 * 2.5 + 3.125], "projected");
}

/// Corrected starts, found by compiled functions: with other lengths, and beside a column that replaces an equation.
#[test]
fn members_with_other_lengths_begin_as_their_single_runs() {
    for (name, column, values) in [
        ("bicycle", "c", [0.05, 0.08, 0.11]),
        ("bicycle", "phi'", [0.4, 0.5, -0.7]),
        ("rolling-disc", "r", [0.3, 0.5, 0.7]),
        ("rolling-disc", "theta", [0.1, -0.4, 0.9]),
    ] {
        let text = text_of(name).replace("until = 5.0", "until = 0.01");
        let done = computed(&text, &columns(&[column], &values), &options("interp", 1));
        for (member, value) in values.iter().enumerate() {
            let given = vec![format!("{column} = {value:?}")];
            let (initial, parameters) = match column {
                "c" | "r" => (Vec::new(), given),
                _ => (given, Vec::new()),
            };
            let (state, ..) = alone(&text, &initial, &parameters);
            close(
                done.state(member),
                &state,
                &format!("{name}, {column} = {value}"),
            );
        }
    }
}

/// The file's start is off the rod; members begin elsewhere, or with a rod of another length.
#[test]
fn members_are_judged_alone_where_the_start_of_the_file_misses_the_constraints() {
    let text = PENDULUM.replace("\"y < 0\"", "\"y = -0.7\"");
    let (p, options) = (
        read("rod", &text).expect("it is a model").0,
        options("interp", 1),
    );
    let p = Prepared::new(&p, &[], &[]).expect("it can be prepared");
    let words = |names: &[&str], values: &[f64]| -> Vec<&'static str> {
        let done = ensemble(
            &p,
            &columns(names, values),
            &options,
            &mut Control::default(),
        );
        let done = done.expect("members are judged alone");
        (0..done.count).map(|member| done.word(member)).collect()
    };
    assert_eq!(
        words(
            &["x", "y", "x'", "y'"],
            &[0.6, -0.8, 0.0, 0.0, 0.6, -0.7, 0.0, 0.0]
        ),
        ["finished", "refused"]
    );
    assert_eq!(words(&["y"], &[-0.75, -0.8]), ["refused", "finished"]);
    assert_eq!(
        words(&["l"], &[0.85_f64.sqrt(), 1.0]),
        ["finished", "refused"]
    );
    assert_eq!(
        words(&["l", "y"], &[2.0, -3.64_f64.sqrt(), 1.0, -0.7]),
        ["finished", "refused"]
    );
    // What no column speaks of is the same for all.
    let members = columns(&["m"], &[1.0, 2.0]);
    let refused = ensemble(&p, &members, &options, &mut Control::default());
    assert!(refused.is_err_and(|why| why.to_string().contains("does not satisfy")));
}

/// States are `(q, z)` and `(q, p)` too.
#[test]
fn members_of_every_carrier_are_as_their_single_runs() {
    let sleigh = text_of("chaplygin-sleigh");
    let members = columns(&["m", "theta"], &[1.0, 1.0, 3.0, -2.0, 0.7, 0.0]);
    for form in ["gibbs-appell", "hamilton", "multipliers"] {
        let mut options = options("interp", 1);
        options.run.form = Formalism::find(form);
        let done = computed(&sleigh, &members, &options);
        for (member, row) in members.values.chunks(2).enumerate() {
            let text =
                with_initial(&sleigh, &[format!("theta = {:?}", row[1])]).expect("equations");
            let (model, _) = read("model.toml", &text).expect("a right model");
            let m = parse_override(&format!("m={:?}", row[0])).expect("a number");
            let p = Prepared::new(&model, &[m], &[]).expect("parameters");
            let run = run(&p, &options.run, &mut Control::default()).expect("a run");
            close(done.state(member), run.last_state(), form);
        }
    }
}

/// At `th = 0` and a half turn the blade says of `x'` nothing; what the file says of the speed does, whether by `z` or not.
#[test]
fn equations_hold_where_rows_say_nothing_of_what_is_open() {
    let text = r#"
coordinates = ["x", "y", "th"]
[energy]
kinetic = "(x'^2 + y'^2)/2 + th'^2/4"
[constraints]
blade = "x'*sin(th) = y'*cos(th)"
[initial]
state = ["x = 1", "th = 0.3", "x'*cos(th) + y'*sin(th) = 0.7", "th' = 1"]
[simulate]
until = 1
"#;
    let rows = "[constraints]\nblade = \"x'*sin(th) = y'*cos(th)\"";
    let motion = "[motion]\nvariables = [\"a\", \"b\"]\nequations = [\"x' = a*cos(th)\", \"y' = a*sin(th)\", \"th' = b\"]";
    let by_z = text.replace(rows, motion).replace(
        "x'*cos(th) + y'*sin(th) = 0.7\", \"th' = 1",
        "a = 0.7\", \"b = 1",
    );
    let half_turn = std::f64::consts::PI;
    let mut at_start = options("interp", 1);
    at_start.run.times = Some(vec![0.0]);
    let members = columns(&["th", "y'"], &[0.0, 0.0, half_turn, 0.0]);
    for (text, form, fibres) in [
        (
            text,
            "multipliers",
            [&[0.7, 0.0, 1.0][..], &[-0.7, 0.0, 1.0]],
        ),
        (&by_z, "gibbs-appell", [&[0.7, 1.0], &[0.7, 1.0]]),
    ] {
        at_start.run.form = Formalism::find(form);
        let done = computed(text, &members, &at_start);
        let start = &done.samples.as_ref().expect("samples").y;
        let wanted = [
            &[1.0, 0.0, 0.0],
            fibres[0],
            &[1.0, 0.0, half_turn],
            fibres[1],
        ]
        .concat();
        close(start, &wanted, form);
    }
    // Velocities that no equation speaks of follow from `z`.
    let open = by_z.replace(", \"a = 0.7\", \"b = 1\"", "");
    at_start.run.form = Formalism::find("gibbs-appell");
    let done = computed(&open, &columns(&["th", "y'"], &[1.0, 0.5]), &at_start);
    let start = &done.samples.as_ref().expect("samples").y;
    close(start, &[1.0, 0.0, 1.0, 0.5 / 1.0_f64.sin(), 0.0], "open");
}

/// With all of `a`, `b`, `c` 0 nothing is restricted: whoever the neighbours are.
#[test]
fn members_of_more_special_parameters_have_equations_of_their_own() {
    let text = r#"
coordinates = ["x", "y", "z"]
parameters = { a = 2, b = 1, c = 1 }
[energy]
kinetic = "(x'^2 + y'^2 + 2*z'^2)/2"
potential = "x^2/2 + y + z"
[constraints]
first = "a*x' = 0"
second = "b*y' = 0"
third = "c*z' = 0"
[initial]
state = ["x = 1"]
[simulate]
until = 1
"#;
    let interp = options("interp", 1);
    for rows in [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    ] {
        let done = computed(text, &columns(&["a", "b", "c"], &rows), &interp);
        assert_eq!(done.counts(), [("finished", 2)]);
        let free = usize::from(rows[0] != 0.0);
        close(
            &done.state(free)[..3],
            &[1.0_f64.cos(), -0.5, -0.25],
            "free",
        );
    }
    // The file's rows are one row: the members' are two.
    let alike = text
        .replace("a = 2", "a = 1")
        .replace("a*x' = 0", "x' + a*y' = 0");
    let alike = alike
        .replace("b*y' = 0", "x' + b*y' = 0")
        .replace("c*z' = 0", "x' + c*y' = 0");
    let done = computed(
        &alike,
        &columns(&["a", "b", "c"], &[1.0, 1.0, 2.0]),
        &interp,
    );
    close(&done.state(0)[..3], &[1.0, 0.0, -0.25], "two rows");
}

/// `T = (x'^2 + 2*y'^2 + z'^2)/2` with `x' + y' + z' = 0` is least from `(1, 0)` for `z' = -2` at `x' = 5/3`, `y' = 1/3`.
#[test]
fn columns_that_contradict_the_file_leave_the_nearest_velocities() {
    let text = r#"
coordinates = ["x", "y", "z"]
[energy]
kinetic = "(x'^2 + 2*y'^2 + z'^2)/2"
[constraints]
sum = "x' + y' + z' = 0"
[motion]
variables = ["a", "b"]
equations = ["x' = a", "y' = b", "z' = -a - b"]
[initial]
state = ["a = 1", "b = 0"]
[simulate]
until = 1
"#;
    let mut at_start = options("interp", 1);
    at_start.run.times = Some(vec![0.0]);
    for (form, fibre) in [
        ("gibbs-appell", &[5.0 / 3.0, 1.0 / 3.0][..]),
        ("multipliers", &[5.0 / 3.0, 1.0 / 3.0, -2.0]),
    ] {
        at_start.run.form = Formalism::find(form);
        let done = computed(text, &columns(&["z'"], &[-2.0]), &at_start);
        let start = &done.samples.as_ref().expect("samples").y;
        close(start, &[&[0.0; 3], fibre].concat(), form);
    }
}
