//! The account of the energy: it closes for what is right, and not for what is wrong.

use crate::common::forms::form;
use crate::common::{self, close, gallery_model, model, motion, prepare, until};
use appell::{Equations, ExitKind, Formalism, RunOptions, Unavailable, gallery, read, show};
use appell_expr::{Matrix, Sketch, Step};
use appell_mech::{Constraints, System, output};

type Derived<'g> = Result<Equations<'g>, Unavailable>;

const fn variant(
    id: &'static str,
    derive: for<'g> fn(&System<'g>, &Constraints<'g>) -> Derived<'g>,
) -> Formalism {
    Formalism {
        id,
        title: "a variant",
        statement: "",
        latex: "",
        sources: &[],
        recipe: &[],
        derive,
    }
}

/// The knife edge pushes at the mass centre, a behind the edge, and the row stays: `phi' = 0`.
fn misplaced<'g>(system: &System<'g>, constraints: &Constraints<'g>) -> Derived<'g> {
    let mut wrong = constraints.clone();
    let arm = system.graph.ex(system.model.parameters[2].symbol);
    let push = [wrong.w[(0, 0)], wrong.w[(1, 0)], -arm];
    wrong.w = Matrix::column(system.graph, push.to_vec());
    wrong.ideal = false;
    (form("multipliers").derive)(system, &wrong)
}

#[test]
fn a_force_at_the_wrong_point_is_caught_by_the_ledger_alone() {
    static MUTANT: Formalism = variant("misplaced", misplaced);
    let text = gallery_model("chaplygin-sleigh");
    assert_eq!(text.parameters[2].name, "a");
    let p = prepare(&text);
    let with = |form| RunOptions {
        form: Some(form),
        ..until(2.0)
    };
    let right = motion(&p, &with(form("multipliers")));
    assert!(
        right.ledger.closes() && right.exit == ExitKind::Done,
        "{:?}",
        right.ledger
    );
    let wrong = motion(&p, &with(&MUTANT));
    assert!(wrong.max_residual < 1e-14, "{}", wrong.max_residual);
    assert!(!wrong.ledger.closes(), "{:?}", wrong.ledger);
    assert!(wrong.ledger.defect.abs() > 1e-3, "{:?}", wrong.ledger);
    assert_eq!(wrong.exit, ExitKind::NumericalFailure);
    assert!(
        wrong.outcome.contains("the energy does not balance"),
        "{}",
        wrong.outcome
    );
    // What was computed is kept.
    assert_eq!(wrong.trajectory.samples.len(), 41);
}

/// The rates of work times a factor.
fn with_work<'g>(equations: &mut Equations<'g>, change: impl Fn(usize) -> i64) {
    let graph = equations.sketch.graph();
    let mut sketch = Sketch::new(graph);
    for step in equations.sketch.steps() {
        match step {
            Step::Let(symbol, value) => sketch.bind(graph.ex(*symbol), graph.ex(*value)),
            Step::Solve(solve) => {
                let table = |ids: &[appell_expr::Id], columns: usize| {
                    Matrix::from_fn(graph, ids.len() / columns, columns, |i, j| {
                        graph.ex(ids[i * columns + j])
                    })
                };
                let (matrix, right) = (
                    table(&solve.matrix, solve.size),
                    table(&solve.right, solve.columns),
                );
                let unknowns = table(&solve.unknowns, solve.columns);
                sketch.solve_for(solve.kind, &solve.name, &unknowns, &matrix, &right);
            }
        }
    }
    for (name, value) in equations.sketch.outputs() {
        let value = match name == output::WORK {
            true => Matrix::from_fn(graph, value.rows(), 1, |i, _| {
                value[(i, 0)] * graph.int(change(i))
            }),
            false => value.clone(),
        };
        sketch.output(name, value);
    }
    equations.sketch = sketch;
}

fn reversed<'g, const ENTRY: usize>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
) -> Derived<'g> {
    let mut equations = (form("multipliers").derive)(system, constraints)?;
    with_work(&mut equations, |i| if i == ENTRY { -1 } else { 1 });
    Ok(equations)
}

/// A force, a constraint with power, and a moving frame: each does work, and each entry matters.
const WORKING: &str = r#"
coordinates = ["x", "y"]
[parameters]
m = 2
[energy]
kinetic = "m/2*(x'^2 + y'^2) + m*cos(t)*x'"
[forces]
x = "-0.3*x'"
[constraints]
driven = "y' = 1 + x^2/4"
[initial]
state = ["x = 0.5", "y = 0", "x' = 1"]
"#;

#[test]
fn each_entry_of_the_ledger_matters() {
    static SAME: Formalism = variant("same", reversed::<99>);
    static FRAMES: Formalism = variant("frames", reversed::<0>);
    static FORCE: Formalism = variant("force", reversed::<1>);
    static ROW: Formalism = variant("row", reversed::<2>);
    let text = model(WORKING);
    let p = prepare(&text);
    for (form, closes) in [
        (&SAME, true),
        (&FRAMES, false),
        (&FORCE, false),
        (&ROW, false),
    ] {
        let options = RunOptions {
            form: Some(form),
            ..until(3.0)
        };
        let run = motion(&p, &options);
        assert_eq!(run.ledger.closes(), closes, "{}: {:?}", form.id, run.ledger);
        assert_eq!(
            run.exit == ExitKind::Done,
            closes,
            "{}: {}",
            form.id,
            run.outcome
        );
    }
}

/// The bound of the ledger on the gallery, from the works and the energies alone.
#[test]
fn the_ledger_of_every_gallery_motion_closes() {
    for entry in gallery::entries() {
        let (text, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&text);
        let run = motion(&p, &RunOptions::default());
        let ledger = &run.ledger;
        let terms = ledger
            .work
            .values()
            .chain(&ledger.energy)
            .chain([&ledger.change]);
        let largest = terms.fold(0.0, |size: f64, x| size.max(x.abs()));
        let (rtol, atol) = (text.simulate.rtol, text.simulate.atol);
        let (rtol, atol) = (rtol.unwrap_or(1e-10), atol.unwrap_or(1e-12));
        let bound = 10.0 * run.trajectory.steps as f64 * (rtol * largest + atol);
        assert!(ledger.defect.abs() <= bound, "{}: {ledger:?}", entry.name);
        assert!(ledger.closes(), "{}: {ledger:?}", entry.name);
        let sum: f64 = ledger.work.values().sum();
        close(entry.name, &[ledger.change - sum], &[ledger.defect], 1e-14);
    }
}

/// A step in the potential that no force knows of.
const STEP: &str = r#"
coordinates = ["x"]
[energy]
kinetic = "1/2*x'^2"
potential = "cos(x - 1)*sign(x^3 + x - 2)/4"
[initial]
state = ["x = 0", "x' = 1"]
[simulate]
until = 3
"#;

/// Velocities given by `v = psi` alone have a reaction too, which works where `psi` is affine: `y' = z1 x + 2`. The work
/// is that of the same constraint written as a row.
#[test]
fn the_reaction_to_given_velocities_has_its_work() {
    let text = |constraint: &str| {
        format!(
            "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\npotential = \"x\"\n{constraint}\n\
             [simulate]\nuntil = 1\n"
        )
    };
    let given = "[motion]\nvariables = [\"z1\"]\nequations = [\"x' = z1\", \"y' = z1*x + 2\"]\n\
                 [initial]\nstate = [\"x = 0.5\", \"y = 0\", \"z1 = 0.4\"]";
    let row = "[constraints]\nc = \"y' = x'*x + 2\"\n[initial]\nstate = [\"x = 0.5\", \"y = 0\", \"x' = 0.4\"]";
    let ledgers = [given, row].map(|constraint| {
        let model = model(&text(constraint));
        let run = motion(&prepare(&model), &RunOptions::default());
        assert_eq!(run.freedoms, 1);
        assert!(run.ledger.closes(), "{:?}", run.ledger);
        run.ledger
    });
    let [given, row] = ledgers;
    let of = |ledger: appell::Ledger, name| [ledger.work[name], ledger.change];
    close("works", &of(given, "motion"), &of(row, "c"), 1e-9);
}

#[test]
fn a_jump_of_the_energy_is_told_with_a_remedy() {
    let text = model(STEP);
    let run = motion(&prepare(&text), &RunOptions::default());
    assert_eq!(run.exit, ExitKind::NumericalFailure, "{}", run.outcome);
    close("change", &[run.ledger.change], &[0.5], 1e-12);
    assert!(
        run.outcome
            .starts_with("The motion was computed to its end"),
        "{}",
        run.outcome
    );
    assert!(
        run.outcome.contains("smaller tolerances"),
        "{}",
        run.outcome
    );
}

/// `z' = 3/2` has `alpha = 3/2` and `alphabar = 0`, so `E* = E - 3/2 p_z`; the difference is constant.
#[test]
fn both_energies_are_shown_where_they_differ() {
    let affine = r#"
coordinates = ["x", "z"]
[energy]
kinetic = "x'^2 + z'^2"
potential = "x^2/2"
[forces]
x = "-x'/5"
[constraints]
lift = "z' = 3/2"
[motion]
independent = ["x'"]
[initial]
state = ["x = 1", "z = 0", "x' = 0"]
"#;
    let text = model(affine);
    let p = prepare(&text);
    let run = motion(&p, &until(2.0));
    let star = run.ledger.energy_star.expect("another energy");
    let wanted = run.ledger.energy.map(|e| e - 1.5 * 2.0 * 1.5);
    close("E*", &star, &wanted, 1e-14);
    close("E", &run.ledger.energy[..1], &[0.5 + 2.25], 1e-14);
    let shown = show::run_text(&p, &run);
    assert!(shown.contains("E*  -1.75 ->"), "{shown}");
    // Linear rows have one energy.
    let text = model(&affine.replace("3/2", "x'/2"));
    let p = prepare(&text);
    let run = motion(&p, &until(2.0));
    assert_eq!(run.ledger.energy_star, None);
    assert!(!show::run_text(&p, &run).contains("E*"));
}

/// However coarse the tolerances, what is allowed stays below the energy.
#[test]
fn the_bound_does_not_grow_with_what_it_bounds() {
    let text = model(
        r#"
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "x^2/2 + 2*y^2"
[initial]
state = ["x = 1", "y = 0", "x' = 0", "y' = 0.5"]
"#,
    );
    let p = prepare(&text);
    for (rtol, atol) in [(0.9, 1e-12), (0.1, 1e300), (1e-3, 1.0), (1e-6, 1e-8)] {
        let options = RunOptions {
            rtol: Some(rtol),
            atol: Some(atol),
            ..until(200.0)
        };
        let ledger = motion(&p, &options).ledger;
        assert!(
            ledger.bound < 0.02 * ledger.energy[0],
            "{rtol} {atol}: {ledger:?}"
        );
        assert_eq!(ledger.closes(), ledger.defect.abs() <= ledger.bound);
    }
}

/// Near a singularity of Euler angles these turn fast while the body does not: the allowance follows from what their
/// errors make of the energy, not from their squares, which was 200 times the energy.
#[test]
fn the_allowance_stays_below_the_energy_beside_a_singularity_of_the_coordinates() {
    let text = "coordinates = ['phi', 'z', 'a', 'b', 'c']\ngravity = '-9.81*N.z'\n[parameters]\nR = 0.31\nr = 0.033\n\
         m = 0.046\n[frames]\nP = { angle = 'phi', axis = 'z' }\nA = { angle = 'a', axis = 'z' }\n\
         B1 = { parent = 'A', angle = 'b', axis = 'x' }\nB = { parent = 'B1', angle = 'c', axis = 'y' }\n\
         [bodies.ball]\nmass = 'm'\nframe = 'B'\nposition = '(R - r)*P.x + z*N.z'\n\
         inertia = ['0.4*m*r^2', '0.4*m*r^2', '0.4*m*r^2']\n[constraints]\n\
         roll = 'v(ball, r*P.x) = 1.3*cos(2.2*t)*cross(N.z, R*P.x)'\n[initial]\n\
         state = [\"phi' = 7.7\", \"z' = 0.1\", 'dot(omega(ball), P.x) = 21']\n";
    let model = model(text);
    let p = prepare(&model);
    let run = appell::run(&p, &until(2.7), &mut Default::default());
    let run = run.unwrap_or_else(|error| panic!("{}", common::words(&p, error)));
    let ledger = &run.ledger;
    assert!(ledger.closes() && run.exit == ExitKind::Done, "{ledger:?}");
    let size = ledger.energy[0].abs();
    assert!(ledger.bound < 1e-2 * size, "{} of {size}", ledger.bound);
}

/// An oscillator by a force: its energy is that of its speed, which vanishes where the motion begins, where it stops, and
/// at both of two samples. The energies met on the way allow what the steps err by, and no more than a hundredth of
/// them.
#[test]
fn the_allowance_knows_the_energies_between_the_samples() {
    let text = |force: &str, until: &str| {
        format!(
            "coordinates = [\"x\"]\n[particles]\nP = {{ mass = 1, position = \"[x, 0, 0]\", force = \"{force}*N.x\" }}\n\
             [initial]\nstate = [\"x = 1\"]\n[simulate]\nuntil = {until}\n"
        )
    };
    for (force, until) in [
        ("-4*x", "1000\nstop = [\"x' > 0\"]"),
        ("-4*sin(x)", "1000\nstop = [\"x' > 0\"]"),
        ("-4*x", "\"pi\"\nsamples = 2"),
        ("-4*x", "\"200*pi\"\nsamples = 201"),
    ] {
        let text = model(&text(force, until));
        let run = motion(&prepare(&text), &RunOptions::default());
        let ledger = &run.ledger;
        assert!(
            ledger.closes() && run.exit == ExitKind::Done,
            "{force} {until}: {}",
            run.outcome
        );
        assert!(ledger.bound < 0.03, "{force} {until}: {ledger:?}");
    }
}

/// As a function of momenta the energy is a sum of terms that cancel, a thousand times as large, which allow nothing.
#[test]
fn the_allowance_of_momenta_is_below_the_energy() {
    let text = model(
        r#"
coordinates = ["x", "y", "th", "ph"]
[frames]
A = { parent = "N", angle = "th + 0.7*t", axis = "z" }
B = { parent = "A", angle = "ph", axis = "[1, 2, 0.5]" }
[bodies.b]
mass = 1
frame = "B"
position = "x*A.x + y*A.y + 0.3*sin(t)*N.z"
inertia = [0.2, 0.4, 0.5]
[constraints]
c = "dot(v(b, 0.2*B.y), B.x) = 0.1*x'*y'"
[motion]
independent = ["x'", "th'", "ph'"]
[initial]
state = ["x = 1", "y = 0.3", "th = 0.1", "ph = 0.4", "x' = 0.2", "th' = 0.3", "ph' = -0.6"]
"#,
    );
    let p = prepare(&text);
    for id in ["multipliers", "hamilton"] {
        let options = RunOptions {
            form: Some(form(id)),
            ..until(2.0)
        };
        let ledger = motion(&p, &options).ledger;
        assert!(ledger.closes(), "{id}: {ledger:?}");
        assert!(ledger.bound < 1e-4 * ledger.energy[0], "{id}: {ledger:?}");
    }
}

/// A row that follows from others, with a gradient that is nothing but rounding, is no direction in which to move.
#[test]
fn rows_without_derivatives_stop_no_pendulum() {
    let text = "coordinates = ['x', 'y', 'z']\ngravity = '[0, -9.81, 0]'\n[particles]\nP = { mass = 1, position = '[x, y, z]' }\n\
                [constraints]\nrod = 'x^2 + y^2 + z^2 = 1'\nplane = 'z = 0'\nsame = 'dot(unit(pos(P)), unit([x, y, 0])) = 1'\n\
                [initial]\nstate = ['x = sin(1.2)', 'y = -cos(1.2)', 'z = 0']\n[simulate]\nuntil = 3\n";
    let model = common::model(text);
    let whole = common::prepare(&model);
    let without = common::with(&model, &[], &["same"]);
    let [run, other] = [&whole, &without].map(|p| {
        let run = appell::run(p, &Default::default(), &mut Default::default());
        run.unwrap_or_else(|error| panic!("{}", common::words(p, error)))
    });
    common::close("the end", run.last_state(), other.last_state(), 1e-7);
    assert!(run.ledger.closes(), "{:?}", run.ledger);
}

/// At large times steps are those that the clock makes: nothing is shifted in time.
#[test]
fn motions_do_not_depend_on_when_they_begin() {
    let text = "coordinates = ['x']\n[parameters]\nt0 = 0\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'x^2/2'\n\
                [initial]\nt = 't0'\nstate = ['x = 1', \"x' = 0\"]\n[simulate]\nuntil = 't0 + 50'\n";
    let model = common::model(text);
    for method in ["dop853", "radau5", "taylor"] {
        for (begin, tolerance) in [("t0=0", 1e-8), ("t0=1e9", 1e-6)] {
            let p = common::with(&model, &[begin], &[]);
            let options = appell::RunOptions {
                method: Some(method.to_owned()),
                ..Default::default()
            };
            let run = appell::run(&p, &options, &mut Default::default());
            let run = run.unwrap_or_else(|error| panic!("{}", common::words(&p, error)));
            let wanted = [50.0_f64.cos(), -(50.0_f64.sin())];
            common::close(method, run.last_state(), &wanted, tolerance);
        }
    }
}

/// A particle turns round at a wall that is higher than its energy, however narrow, or the run says that it does not know.
#[test]
fn a_narrow_wall_is_not_passed_in_silence() {
    let text = |width: &str| {
        format!(
            "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = '0.6*exp(-((x - 5)/{width})^2)'\n\
             [initial]\nstate = ['x = 0', \"x' = 1\"]\n[simulate]\nuntil = 10\n"
        )
    };
    for (method, width) in [
        ("dop853", "0.03"),
        ("dop853", "0.001"),
        ("radau5", "0.1"),
        ("taylor", "0.03"),
    ] {
        let model = common::model(&text(width));
        let p = common::prepare(&model);
        let options = appell::RunOptions {
            method: Some(method.to_owned()),
            ..Default::default()
        };
        let run = appell::run(&p, &options, &mut Default::default());
        let run = run.unwrap_or_else(|error| panic!("{}", common::words(&p, error)));
        assert!(
            (run.last_state()[1] + 1.0).abs() < 1e-7,
            "{method} {width}: {}",
            run.outcome
        );
    }
    let expanded = text("1").replace("-((x - 5)/1)^2", "1e6*(10*x - x^2 - 25)");
    let model = common::model(&expanded);
    let run = common::motion(&common::prepare(&model), &Default::default());
    assert!((run.last_state()[1] + 1.0).abs() < 1e-7, "{}", run.outcome);
    // Between two samples, and between the stages of all steps: one of many narrow functions is not looked for.
    let others = (0..70).map(|k| format!(" + exp(-(x - {})^2)", 100 + k));
    let wall = format!("0.6*exp(-((x - 5)/1e-5)^2){}", others.collect::<String>());
    let model = common::model(&text("1").replace("0.6*exp(-((x - 5)/1)^2)", &wall));
    let p = common::prepare(&model);
    let wall = appell::RunOptions {
        times: Some(vec![0.0, 5.0, 10.0]),
        ..Default::default()
    };
    let run = common::motion(&p, &wall);
    assert_eq!(run.exit, appell::ExitKind::NumericalFailure);
    assert!(
        run.outcome.contains("is missing at the sample t = 5."),
        "{}",
        run.outcome
    );
}

/// A double pendulum that turns over and over: the turns of its angles are no energy, and an energy that is lost is told.
#[test]
fn turns_of_angles_allow_no_defect() {
    let text = "coordinates = [\"a\", \"b\"]\n[energy]\n\
        kinetic = \"a'^2 + b'^2/2 + a'*b'*cos(a - b)\"\npotential = \"-9.81*(2*cos(a) + cos(b))\"\n\
        [initial]\nstate = [\"a = 3\", \"b = 3\", \"a' = 9\"]\n";
    let model = model(text);
    let p = prepare(&model);
    let coarse = RunOptions {
        rtol: Some(1e-3),
        atol: Some(1e-3),
        ..until(300.0)
    };
    let (found, fine) = (motion(&p, &coarse), motion(&p, &until(30.0)));
    let largest = 0.02 * fine.ledger.energy[0].abs().max(3.0 * 9.81);
    assert!(found.ledger.bound < largest, "{:?}", found.ledger);
    assert!(!found.ledger.closes() && found.exit == ExitKind::NumericalFailure);
    assert!(fine.ledger.closes(), "{:?}", fine.ledger);
}

/// A star falls from rest towards another, in kilograms and metres: works of 1e40 begin with 0.
#[test]
fn large_works_that_begin_at_rest_are_measured_by_their_own_size() {
    let text = |m: &str| {
        format!(
            "coordinates = [\"x\"]\n[parameters]\nG = 6.674e-11\nMs = 2e30\nm = {m}\n[particles]\n\
             E = {{ mass = \"m\", position = \"[x, 0, 0]\", force = \"-G*Ms*m/x^2*N.x\" }}\n\
             [initial]\nstate = [\"x = 1.5e11\"]\n"
        )
    };
    let ends = ["1", "2e30", "1e40"].map(|m| {
        let model = model(&text(m));
        let run = motion(&prepare(&model), &until(4e6));
        assert_eq!(run.exit, ExitKind::Done, "{m}: {}", run.outcome);
        run.last_state().to_vec()
    });
    for end in &ends {
        close(
            "the end",
            &[end[0] / 9.58330159e10, end[1] / -31716.6433],
            &[1.0; 2],
            1e-8,
        );
    }
}
