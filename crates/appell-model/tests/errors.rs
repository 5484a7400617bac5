//! What is said about wrong models, as it is shown: `errors/*.toml` and their snapshots.

use appell_model::{
    Source, inconsistent_constraints, inconsistent_start, read, render, render_all,
    singular_kinetic_energy,
};
use std::fs;

#[test]
fn wrong_models_are_answered() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/errors");
    let paths = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<_> = paths
        .map(|e| e.expect("its entries can be listed").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 20);
    for path in paths {
        let name = path
            .file_stem()
            .expect("a file has a name")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("the file can be read");
        let errors = read("model.toml", &text).map(|_| ()).expect_err(&name);
        let shown = render_all(&errors, &Source::new("model.toml", &text), false);
        insta::assert_snapshot!(name, shown);
    }
}

#[test]
fn later_stages_speak_in_words_of_the_model() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"1/2*x'^2\"\n[constraints]\none = \"x' = 1\"\n\
                two = \"x' = 2\"\n[initial]\nstate = [\"x' = 3\"]\n";
    let (model, _) = read("model.toml", text).expect("a model");
    let said = [
        inconsistent_constraints(&model, &[0, 1], "the rank of [A|B] is 2, that of A is 1"),
        inconsistent_start(&model, &[(0, 2.0), (1, 1.0)]),
        singular_kinetic_energy(&model, &[1], "the mass matrix has rank 1"),
    ];
    let shown: Vec<String> = said
        .iter()
        .map(|d| render(d, &model.source, false))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
    // Indices that the model does not have are passed over.
    let odd = inconsistent_constraints(&model, &[7], "so it is");
    assert!(render(&odd, &model.source, false).contains("so it is"));
}
