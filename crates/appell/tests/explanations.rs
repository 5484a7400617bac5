//! The pages of `appell explain` whose mistakes only the mechanics can find.

use appell::{CODES, Code, Error, Prepared, RunOptions, linearize, read, run};
use appell_model::Stage;

/// The models of a page: those in fences marked `toml`, the wrong one first.
fn models(page: &str) -> Vec<&str> {
    let fences = page.split("```toml\n").skip(1);
    fences.filter_map(|rest| rest.split("```").next()).collect()
}

fn outcome(code: Code, text: &str) -> Result<(), Error> {
    let (model, _) = read("page.toml", text).unwrap_or_else(|errors| panic!("{code}: {errors:?}"));
    let prepared = Prepared::new(&model, &[], &[])?;
    if code == Code::NotSteady {
        return linearize(&prepared, None).map(|_| ());
    }
    let options = RunOptions::until(0.1);
    run(&prepared, &options, &mut Default::default()).map(|_| ())
}

#[test]
fn wrong_models_get_their_code_and_corrected_ones_run() {
    let mut pages = 0;
    for code in CODES.iter().filter(|code| code.stage() == Stage::Mechanics) {
        let models = models(code.explanation());
        assert_eq!(models.len(), 2, "{code}: a wrong and a corrected model");
        match outcome(*code, models[0]) {
            Err(error) => assert_eq!(error.code(), Some(*code), "{error:?}"),
            Ok(()) => panic!("{code}: the wrong model runs"),
        }
        if let Err(error) = outcome(*code, models[1]) {
            panic!("{code}: the corrected model gives {error:?}");
        }
        pages += 1;
    }
    assert_eq!(pages, 5);
}

/// A formalism misspelt in a claim is an error with the name that was meant, not an open claim.
#[test]
fn claims_name_formalisms_that_exist() {
    let text = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\n[claims]\n\
                same = { equivalent = ['gibs-appell', 'multipliers'] }";
    let (model, _) = read("claim.toml", text).expect("it can be read");
    let error = Prepared::new(&model, &[], &[])
        .err()
        .and_then(|error| error.diagnostic().cloned())
        .expect("it is refused");
    assert_eq!(error.code, Code::UnknownWord);
    assert!(error.label.text.contains("gibbs-appell"), "{error:?}");
}
