//! What the tests of mechanics share: models from text, states, runs, and comparison.

pub mod attitude;
pub mod closed;
pub mod corpus;
pub mod dice;
pub mod forms;
pub mod linear;
pub mod reference;

use appell::prove::{ClaimVerdict, Proof, prove};
use appell::{
    Check, Conserved, Error, FORMALISMS, FormValues, Formalism, Model, Override, Prepared, Run,
    RunOptions, Source, State, StateValues, check, eval, gallery, read, render, render_all, run,
};

/// The model of a file, which may leave out its first line.
#[track_caller]
pub fn model(text: &str) -> Model {
    let first = if text.contains("appell = 1\n") {
        ""
    } else {
        "appell = 1\n"
    };
    let text = format!("{first}{text}");
    let (model, _) = read("test.toml", &text).unwrap_or_else(|errors| {
        let source = Source::new("test.toml", &text);
        panic!("{}", render_all(&errors, &source, false))
    });
    model
}

/// A model of the gallery.
pub fn gallery_model(name: &str) -> Model {
    let entry = gallery::find(name).unwrap_or_else(|| panic!("{name} in the gallery"));
    read(name, entry.text).expect("the gallery is right").0
}

/// The model with the file's parameters and all its constraints.
pub fn prepare(model: &Model) -> Prepared<'_> {
    with(model, &[], &[])
}

/// The model with some parameters and without some constraints.
pub fn with<'m>(model: &'m Model, overrides: &[&str], dropped: &[&str]) -> Prepared<'m> {
    let overrides: Vec<Override> = overrides
        .iter()
        .map(|text| appell::parse_override(text).expect("an override"))
        .collect();
    let dropped: Vec<String> = dropped.iter().map(|name| (*name).to_owned()).collect();
    Prepared::new(model, &overrides, &dropped).unwrap_or_else(|error| panic!("{error}"))
}

/// An error as the user reads it.
pub fn words(p: &Prepared<'_>, error: impl Into<Error>) -> String {
    match error.into() {
        Error::Question(diagnostic) => render(&diagnostic, &p.model.source, false),
        other => other.to_string(),
    }
}

/// Each number within the tolerance, relative to `max(1, largest wanted number)`.
#[track_caller]
pub fn close(what: &str, got: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(got.len(), wanted.len(), "{what}: {got:?} for {wanted:?}");
    let size = wanted.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    for (x, y) in got.iter().zip(wanted) {
        let error = (x - y).abs();
        assert!(
            error <= tolerance * size,
            "{what}: {got:?} instead of {wanted:?}, off by {error:e}"
        );
    }
}

/// Everything at a state, in every formalism.
pub fn at(p: &Prepared<'_>, t: f64, q: &[f64], v: &[f64]) -> StateValues {
    let state = State {
        t,
        q: q.to_vec(),
        v: Some(v.to_vec()),
        z: None,
    };
    let mut found = eval(p, &[state], FORMALISMS);
    let values = found.states.remove(0);
    assert_no_nan(&values);
    values
}

/// Every number of the answer is finite.
#[track_caller]
pub fn assert_no_nan(values: &StateValues) {
    // JSON has no NaN: a number that is not finite would be printed as null.
    let lists = [
        &values.accel,
        &values.lambda,
        &values.reaction,
        &values.residual,
        &values.alphabar_minus_alpha,
    ];
    let numbers = lists.into_iter().flatten().flatten().copied();
    let single = [
        values.energy,
        values.energy_rate,
        values.energy_star,
        values.energy_star_rate,
        values.reaction_power,
    ];
    let numbers = numbers.chain(single.into_iter().flatten());
    let forces = values.forces.iter().flat_map(|f| f.force);
    assert!(numbers.chain(forces).all(f64::is_finite), "{values:?}");
}

/// The state moves with these accelerations, multipliers and this reaction in each of `forms`,
/// and in every other formalism of the table that applies.
#[track_caller]
pub fn moves_with(
    p: &Prepared<'_>,
    (t, q, v): (f64, &[f64], &[f64]),
    forms: &[&str],
    (accel, lambda, reaction): (&[f64], &[f64], &[f64]),
) -> StateValues {
    let values = at(p, t, q, v);
    let main = values.accel.as_deref();
    close(
        "accel",
        main.unwrap_or_else(|| panic!("{values:?}")),
        accel,
        1e-12,
    );
    for (id, result) in &values.forms {
        match result {
            FormValues::Values {
                accel: accel_by_form,
                lambda: lambda_by_form,
                reaction: reaction_by_form,
                ..
            } => {
                close(&format!("{id} accel"), accel_by_form, accel, 1e-12);
                close(&format!("{id} lambda"), lambda_by_form, lambda, 1e-12);
                close(&format!("{id} reaction"), reaction_by_form, reaction, 1e-12);
            }
            FormValues::Unavailable { .. } => assert!(!forms.contains(id), "{id}: {result:?}"),
            FormValues::Undefined { .. } => panic!("{id}: {result:?}"),
        }
    }
    values
}

/// The formalisms that need no parametrisation.
pub const IMPLICIT: &[&str] = &["multipliers", "projector"];
/// The formalisms of a model with one.
pub const ALL: &[&str] = &["multipliers", "projector", "gibbs-appell"];

/// Options with tight tolerances.
pub fn until(t: f64) -> RunOptions {
    RunOptions {
        until: Some(t),
        rtol: Some(1e-12),
        atol: Some(1e-13),
        samples: Some(41),
        ..RunOptions::default()
    }
}

/// The motion; whatever was computed is finite.
#[track_caller]
pub fn motion(p: &Prepared<'_>, options: &RunOptions) -> Run {
    let run = run(p, options, &mut Default::default())
        .unwrap_or_else(|error| panic!("{}", words(p, error)));
    assert_finite(&run);
    run
}

/// No entry of the run is NaN or infinite.
#[track_caller]
pub fn assert_finite(run: &Run) {
    let states = run
        .trajectory
        .samples
        .iter()
        .flat_map(|s| s.y.iter().chain([&s.t]));
    let table = run.table.rows.iter().flatten();
    let ledger = run
        .ledger
        .work
        .values()
        .chain([&run.ledger.change, &run.ledger.defect]);
    let curves = run.plots.iter().flat_map(|plot| &plot.curves);
    let points = curves.flat_map(|curve| &curve.1).flat_map(|(x, y)| [x, y]);
    for x in states.chain(table).chain(ledger).chain(points) {
        assert!(x.is_finite(), "{}: {:?}", run.outcome, run.ledger);
    }
    assert!(!run.outcome.contains("NaN"), "{}", run.outcome);
}

/// The motion in every formalism that applies.
#[track_caller]
pub fn motions(p: &Prepared<'_>, options: &RunOptions) -> Vec<Run> {
    let applies = |form: &&&'static Formalism| (form.derive)(&p.system, &p.constraints).is_ok();
    let forms = FORMALISMS.iter().filter(applies);
    let one = |form: &&'static Formalism| {
        let options = RunOptions {
            form: Some(form),
            ..options.clone()
        };
        motion(p, &options)
    };
    // Chaplygin's form has one chart only, and ends in words where that is singular.
    let ends_early = |run: &Run| {
        run.form.id == "chaplygin" && run.outcome.contains("is singular, however short the step")
    };
    forms.map(one).filter(|run| !ends_early(run)).collect()
}

/// A column of the samples.
#[track_caller]
pub fn column(run: &Run, name: &str) -> Vec<f64> {
    let index = run.table.columns.iter().position(|column| column == name);
    let index = index.unwrap_or_else(|| panic!("{name} in {:?}", run.table.columns));
    run.table.rows.iter().map(|row| row[index]).collect()
}

/// The last value in a column.
#[track_caller]
pub fn last(run: &Run, name: &str) -> f64 {
    *column(run, name).last().expect("a sample")
}

/// The forces of the constraints by (constraint, particle).
pub fn forces(values: &StateValues) -> Vec<(&str, &str, [f64; 3])> {
    let forces = values.forces.iter();
    forces
        .map(|f| (f.constraint.as_str(), f.on.as_str(), f.force))
        .collect()
}

/// Two particles a fixed distance apart, pushed along x by 3, each kept from moving along it by a row of its own: how the
/// two share the load is a choice, their sum is not. At the start `sin(y)` is 0. More of the file follows.
pub fn held_by_two_rows(more: &str) -> Model {
    model(&format!(
        r#"coordinates = ["x", "y"]
parameters = {{ m = 1, b = 2 }}
[particles]
P = {{ mass = "m", position = "x*N.x + y*N.y" }}
Q = {{ mass = "m", position = "x*N.x + (y + b)*N.y" }}
[forces]
x = "3"
[constraints]
first = "dot(v(P), N.x) = 0"
second = "dot(v(Q), N.x) = 0"
[initial]
state = ["y' = 1"]
{more}"#
    ))
}

/// What is proved of a model.
#[track_caller]
pub fn proof(text: &str) -> Proof {
    prove(&prepare(&model(text)))
}

/// What is proved of a claim.
#[track_caller]
pub fn claim<'p>(proof: &'p Proof, name: &str) -> &'p ClaimVerdict {
    let found = proof.claims.iter().find(|claim| claim.name == name);
    found.unwrap_or_else(|| panic!("no claim {name}"))
}

/// The answer of `check` about a model.
#[track_caller]
pub fn checked(text: &str) -> Check {
    check(&prepare(&model(text)), None).0
}

/// Something asked of a model of the gallery.
pub fn of_gallery<T>(name: &str, work: impl FnOnce(&Prepared<'_>) -> T) -> T {
    work(&prepare(&gallery_model(name)))
}

/// The integrals that were found, as texts.
pub fn expressions(conserved: &Conserved) -> Vec<&str> {
    let integrals = conserved.integrals.iter();
    integrals
        .map(|integral| integral.expression.as_str())
        .collect()
}
