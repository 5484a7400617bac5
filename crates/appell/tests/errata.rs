//! `docs/errata.md` is what the gallery says, and no slip is without its corrected form.

#[path = "../examples/errata/document.rs"]
mod document;

/// If the document is to change, `cargo xtask errata` writes it anew: read it then.
#[test]
fn the_document_is_the_gallerys() {
    let made = document::errata().expect("every slip is refuted and corrected");
    let kept = std::fs::read_to_string(document::PLACE).expect("it is there");
    let differing = made
        .lines()
        .zip(kept.lines())
        .find(|(made, kept)| made != kept);
    assert!(
        made == kept,
        "docs/errata.md is not what the gallery says; write it anew by `cargo xtask errata`.\n{differing:#?}"
    );
}
