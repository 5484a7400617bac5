//! The pages of the codes: each wrong model gives exactly its code, each corrected one does not.
//! What the wrong ones are answered with is kept in `snapshots/`.

use appell_model::{CODES, Code, Source, Stage, read, render_all};

/// The models of a page: the wrong one and the corrected one.
fn examples(code: Code) -> [String; 2] {
    let mut fences = code.explanation().split("```toml\n").skip(1);
    let mut next = || {
        let fence = fences
            .next()
            .unwrap_or_else(|| panic!("{code} has two examples"));
        fence.split("```").next().unwrap_or_default().to_owned()
    };
    let examples = [next(), next()];
    assert!(fences.next().is_none(), "{code} has two examples");
    examples
}

/// Everything that is said about a text.
fn said(text: &str) -> Vec<appell_model::Diagnostic> {
    read("model.toml", text).map_or_else(|errors| errors, |(_, warnings)| warnings)
}

#[test]
fn wrong_models_give_their_code_and_nothing_else() {
    for code in CODES.iter().filter(|code| code.stage() == Stage::Reading) {
        let [wrong, _] = examples(*code);
        let codes: Vec<Code> = said(&wrong).iter().map(|d| d.code).collect();
        let shown = render_all(&said(&wrong), &Source::new("model.toml", &wrong), false);
        assert_eq!(codes, [*code], "{code}\n{shown}");
    }
}

#[test]
fn models_that_only_mechanics_refuses_are_read() {
    for code in CODES.iter().filter(|code| code.stage() == Stage::Mechanics) {
        let [wrong, _] = examples(*code);
        assert_eq!(said(&wrong), [], "{code}");
    }
}

#[test]
fn mended_models_are_read_without_a_word() {
    for code in CODES {
        let [_, corrected] = examples(*code);
        let shown = render_all(
            &said(&corrected),
            &Source::new("model.toml", &corrected),
            false,
        );
        assert!(said(&corrected).is_empty(), "{code}\n{shown}");
    }
}

#[test]
fn answers_to_the_wrong_models() {
    for code in CODES.iter().filter(|code| code.stage() == Stage::Reading) {
        let [wrong, _] = examples(*code);
        let shown = render_all(&said(&wrong), &Source::new("model.toml", &wrong), false);
        insta::assert_snapshot!(code.id(), shown);
    }
}

#[test]
fn labels_lie_within_the_text_and_messages_are_sentences() {
    for code in CODES {
        let [wrong, _] = examples(*code);
        for diagnostic in said(&wrong) {
            let labels = std::iter::once(&diagnostic.label).chain(&diagnostic.more);
            for label in labels {
                assert!(label.span.start <= label.span.end, "{code}");
                assert!(
                    wrong.get(label.span.start..label.span.end).is_some(),
                    "{code}"
                );
            }
            assert!(
                !diagnostic.message.is_empty() && !diagnostic.message.ends_with('.'),
                "{code}"
            );
        }
    }
}
