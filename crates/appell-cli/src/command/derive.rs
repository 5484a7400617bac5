//! `appell derive`: the equations of motion.

use super::Exit;
use crate::args::{Derive, FormOrAll, Notation};
use crate::input;
use crate::problem::Problem;
use crate::terminal::{print, print_text, tell};
use appell::limits::attempt;
use appell::{FORMALISMS, Formalism, Language, Prepared, export, show};

/// Prints the equations of each form; one that does not apply says why on standard error.
pub fn derive(args: &Derive) -> Result<Exit, Problem> {
    let model = input::model(&args.given.model)?;
    let prepared = input::prepared(&model, &args.given, None)?;
    let forms = match args.form.as_slice() {
        [] => attempt(|| first_that_applies(&prepared)).map_err(Problem::Stopped)?,
        list => FormOrAll::meant(list),
    };
    let write = |form: &Formalism| match args.to {
        Notation::Latex => show::derivation_latex(&prepared, form, args.steps),
        _ => show::derivation_text(&prepared, form, args.steps),
    };
    match args.to {
        Notation::Json => {
            print(&show::derivation_json(&prepared, &forms, args.steps))?;
            return Ok(Exit::Done);
        }
        Notation::Code(language) => return code(&prepared, &forms, language, args),
        Notation::Text | Notation::Latex => {}
    }
    let mut texts = Vec::new();
    for form in forms {
        match attempt(|| write(form)) {
            Ok(Ok(text)) => texts.push(text),
            Err(why) => tell(&format!("{} is not derived: {why}\n", form.id)),
            Ok(Err(why)) => tell(&format!(
                "{} does not apply: {}\n",
                form.id,
                show::plain(&why.to_string())
            )),
        }
    }
    match args.to {
        Notation::Text => print_text(&texts.join("\n"))?,
        _ => print(&texts.join("\n"))?,
    }
    Ok(Exit::Done)
}

/// Source code. Nothing reads a remark in it: a form that was asked for and does not apply is an error, and
/// nothing is written where none does.
fn code(
    prepared: &Prepared<'_>,
    forms: &[&'static Formalism],
    language: &Language,
    args: &Derive,
) -> Result<Exit, Problem> {
    let exported = attempt(|| export(prepared, forms, language)).map_err(Problem::Stopped)?;
    for (id, why) in &exported.unavailable {
        tell(&format!(
            "{id} does not apply: {}\n",
            show::plain(&why.to_string())
        ));
    }
    let all = args.form.iter().any(|form| matches!(form, FormOrAll::All));
    let missing = !exported.unavailable.is_empty();
    if exported.text.is_empty() || (missing && !all) {
        return Ok(Exit::Wrong);
    }
    print(&exported.text)?;
    Ok(Exit::Done)
}

fn first_that_applies(prepared: &Prepared<'_>) -> Vec<&'static Formalism> {
    let applies =
        |form: &&Formalism| (form.derive)(&prepared.system, &prepared.constraints).is_ok();
    FORMALISMS
        .iter()
        .copied()
        .find(applies)
        .into_iter()
        .collect()
}
