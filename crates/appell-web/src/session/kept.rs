//! The model that was asked last, with what was found for its page.

use super::{Answered, Question, words};
use appell::{
    Diagnostic, Draft, Error, Handles, Model, Pieces, Prepared, RunOptions, Source, parse_override,
    show,
};
use std::cell::RefCell;

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

/// A model made ready, and its page as far as it was asked for.
pub struct Kept {
    name: String,
    text: String,
    parameters: Vec<String>,
    /// Never freed, as the algebra within is shared by all that is made of it: the host begins another module when
    /// the memory is large.
    model: &'static Model,
    /// Warnings of reading it.
    pub warnings: Vec<Diagnostic>,
    /// With the values of its parameters.
    pub prepared: Prepared<'static>,
    draft: Option<Draft>,
    handles: Option<Handles>,
}

impl Kept {
    /// What a function makes of the model of a question: the one kept, if it is the same; read only if its text is new.
    pub fn with<T>(
        question: &Question,
        then: impl FnOnce(&mut Kept) -> Answered<T>,
    ) -> Answered<T> {
        KEPT.with_borrow_mut(|place| {
            let kept = Self::of(question, place.take())?;
            then(place.insert(kept))
        })
    }

    fn of(question: &Question, before: Option<Kept>) -> Answered<Self> {
        let name = match question.name.as_str() {
            "" => "model.toml",
            name => name,
        };
        let text = appell::with_initial(&question.text, &question.initial)
            .map_err(|why| show::diagnostics_json(&[why], &source(name, &question.text)))?;
        let parameters = question.parameters.clone();
        let (model, warnings) = match before {
            Some(kept) if kept.name == name && kept.text == text => {
                if kept.parameters == parameters {
                    return Ok(kept);
                }
                (kept.model, kept.warnings)
            }
            _ => {
                let (model, warnings) = appell::read(name, &text)
                    .map_err(|errors| show::diagnostics_json(&errors, &source(name, &text)))?;
                (&*Box::leak(Box::new(model)), warnings)
            }
        };
        let overrides = parameters.iter().map(|text| parse_override(text));
        let overrides: Result<Vec<_>, _> = overrides.collect();
        let overrides = overrides.map_err(|error| of_error(model, error))?;
        let prepared = Prepared::new(model, &overrides, &[]);
        let prepared = prepared.map_err(|error| of_error(model, error))?;
        Ok(Self {
            name: name.to_owned(),
            text,
            parameters,
            model,
            warnings,
            prepared,
            draft: None,
            handles: None,
        })
    }

    fn draft(&mut self) -> (&mut Draft, &Prepared<'static>) {
        let prepared = &self.prepared;
        let draft = self.draft.get_or_insert_with(|| Draft::new(prepared, None));
        (draft, prepared)
    }

    /// Computes the motion, unless that was done.
    pub fn moving(&mut self) -> Result<(), Error> {
        match self.draft() {
            (draft, _) if draft.has_moved() => Ok(()),
            (draft, p) => draft.set_moving(p, &RunOptions::default(), &mut Default::default()),
        }
    }

    /// Finds all forms and proofs, unless that was done.
    pub fn proving(&mut self) -> Result<(), Error> {
        match self.draft() {
            (draft, _) if draft.is_complete() => Ok(()),
            (draft, p) => draft.complete(p, None),
        }
    }

    /// The state of the motion at the sample nearest to a time.
    pub fn sample(&self, t: f64) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        self.draft.as_ref()?.sample(t, self.prepared.system.n())
    }

    /// The page as far as it is known.
    pub fn pieces(&mut self) -> Result<Pieces, Error> {
        self.draft();
        let draft = self.draft.as_ref().expect("it was made above");
        draft.pieces(&self.prepared, &RunOptions::default(), &self.warnings)
    }

    /// The points by which the state is moved.
    pub fn handles(&mut self) -> (&Handles, &Prepared<'static>) {
        let prepared = &self.prepared;
        let handles = self.handles.get_or_insert_with(|| Handles::new(prepared));
        (handles, prepared)
    }

    /// An error of this model as a list in JSON.
    pub fn of_error(&self, error: Error) -> String {
        of_error(self.model, error)
    }
}

fn source(name: &str, text: &str) -> Source {
    Source {
        name: name.to_owned(),
        text: text.to_owned(),
    }
}

fn of_error(model: &Model, error: Error) -> String {
    match error {
        Error::Question(diagnostic) => show::diagnostics_json(&[*diagnostic], &model.source),
        other => words(&other.to_string()),
    }
}
