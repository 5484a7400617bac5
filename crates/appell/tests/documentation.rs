//! The kept pages of the reference are what the tables say.

#[path = "../examples/site/reference.rs"]
#[allow(dead_code)]
mod reference;

/// If a page is to change, `cargo xtask reference` writes it anew: read it then.
#[test]
fn the_reference_is_what_the_tables_say() {
    for (name, made) in reference::pages() {
        let kept = std::fs::read_to_string(reference::place(name)).unwrap_or_default();
        let mut lines = made.lines().zip(kept.lines());
        let differing = lines.find(|(made, kept)| made != kept);
        assert!(
            made == kept,
            "docs/{name} is not what the tables say; write it anew by `cargo xtask reference`.\n{differing:#?}"
        );
    }
}

/// Every model of the reference is right, and what stands there as a default is one.
#[test]
fn defaults_are_those_of_a_run() {
    use appell::format::{Presence, SECTIONS};
    let simulate = SECTIONS.iter().find(|section| section.name == "simulate");
    let default = |key: &str| match simulate
        .and_then(|section| section.key(key))
        .map(|key| key.presence)
    {
        Some(Presence::Default(text)) => text.trim_matches('`').to_owned(),
        other => panic!("{key}: {other:?}"),
    };
    let text = |simulate: &str| {
        format!(
            "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"cos(x)\"\n[initial]\nstate = [\"x = 1\"]\n[simulate]\nuntil = 9\n{simulate}"
        )
    };
    let run = |simulate: &str| {
        let text = text(simulate);
        let (model, _) = appell::read("m.toml", &text).expect("a right model");
        let prepared = appell::Prepared::new(&model, &[], &[]).expect("a right model");
        let run = appell::run(&prepared, &Default::default(), &mut Default::default());
        let run = run.expect("a motion");
        (run.table.rows.len(), run.method.id, run.table.rows)
    };
    let given = format!(
        "rtol = {}\natol = {}\nmethod = {}\nsamples = {}\nstop = {}\n",
        default("rtol"),
        default("atol"),
        default("method"),
        default("samples"),
        default("stop")
    );
    assert_eq!(run(""), run(&given));
    assert_ne!(run(""), run("rtol = 1e-9\n"));
}
