//! The models that were asked last, with what was found for their pages.

use super::{Answered, Question, words};
use appell::{
    Diagnostic, Draft, Error, Formalism, Handles, Model, Pieces, Prepared, RunOptions, Source,
    State, Stepper, parse_override, show,
};
use std::cell::RefCell;

/// The model, and one or two that it is compared with.
const MAX_MODELS: usize = 3;

thread_local! {
    /// The last comes last.
    static KEPT: RefCell<Vec<Kept>> = const { RefCell::new(Vec::new()) };
}

/// A model made ready, and its page as far as it was asked for.
pub struct Kept {
    name: String,
    text: String,
    parameters: Vec<String>,
    dropped: Vec<String>,
    form: Option<&'static Formalism>,
    /// Never freed, as the algebra within is shared by all that is made of it: the host begins another module when
    /// the memory is large.
    model: &'static Model,
    /// Warnings of reading it.
    pub warnings: Vec<Diagnostic>,
    /// With the values of its parameters.
    pub prepared: Prepared<'static>,
    draft: Option<Draft>,
    /// Motions that begin later, each with the time from which it takes the place of those before it.
    legs: Vec<(f64, Draft)>,
    /// What makes steps of this length, from this state.
    stepper: Option<(f64, Stepper)>,
    handles: Option<Handles>,
}

impl Kept {
    /// What a function makes of the model of a question: one that is kept, if it is the same; read only if its text is
    /// new.
    pub fn with<T>(
        question: &Question,
        then: impl FnOnce(&mut Kept) -> Answered<T>,
    ) -> Answered<T> {
        KEPT.with_borrow_mut(|all| {
            let kept = Self::of(question, all)?;
            all.truncate(MAX_MODELS - 1);
            all.insert(0, kept);
            then(&mut all[0])
        })
    }

    fn of(question: &Question, all: &mut Vec<Kept>) -> Answered<Self> {
        let name = match question.name.as_str() {
            "" => "model.toml",
            name => name,
        };
        let text = appell::with_initial(&question.text, &question.initial)
            .map_err(|why| show::diagnostics_json(&[why], &source(name, &question.text)))?;
        let form = form_of(&question.form)?;
        let is_read = |kept: &Kept| kept.name == name && kept.text == text;
        let is_same = |kept: &Kept| {
            is_read(kept)
                && kept.parameters == question.parameters
                && kept.dropped == question.dropped
                && kept.form.map(|form| form.id) == form.map(|form| form.id)
        };
        if let Some(place) = all.iter().position(is_same) {
            return Ok(all.remove(place));
        }
        let (model, warnings) = match all.iter().find(|kept| is_read(kept)) {
            Some(kept) => (kept.model, kept.warnings.clone()),
            None => {
                let (model, warnings) = appell::read(name, &text)
                    .map_err(|errors| show::diagnostics_json(&errors, &source(name, &text)))?;
                (&*Box::leak(Box::new(model)), warnings)
            }
        };
        let overrides = question.parameters.iter().map(|text| parse_override(text));
        let overrides: Result<Vec<_>, _> = overrides.collect();
        let overrides = overrides.map_err(|error| of_error(model, error))?;
        let prepared = Prepared::new(model, &overrides, &question.dropped);
        let prepared = prepared.map_err(|error| of_error(model, error))?;
        Ok(Self {
            name: name.to_owned(),
            text,
            parameters: question.parameters.clone(),
            dropped: question.dropped.clone(),
            form,
            model,
            warnings,
            prepared,
            draft: None,
            legs: Vec::new(),
            stepper: None,
            handles: None,
        })
    }

    fn options(&self) -> RunOptions {
        RunOptions {
            form: self.form,
            ..RunOptions::default()
        }
    }

    fn draft(&mut self) -> (&mut Draft, &Prepared<'static>) {
        let prepared = &self.prepared;
        let form = self.form;
        let draft = self.draft.get_or_insert_with(|| Draft::new(prepared, form));
        (draft, prepared)
    }

    /// Computes the motion, unless that was done.
    pub fn moving(&mut self) -> Result<(), Error> {
        let options = self.options();
        match self.draft() {
            (draft, _) if draft.has_moved() => Ok(()),
            (draft, p) => draft.set_moving(p, &options, &mut Default::default()),
        }
    }

    /// The same, and forgets how it was changed by hand.
    pub fn moving_anew(&mut self) -> Result<(), Error> {
        self.forget_legs();
        self.moving()
    }

    /// The motion is the model's own again.
    pub fn forget_legs(&mut self) {
        self.legs.clear();
    }

    /// Computes the motion from a state on: from its time it takes the place of what was known. What its page says, and
    /// by how much the energies that it begins from are above those of the model's own motion, by the labels of their
    /// curves.
    pub fn leg(
        &mut self,
        from: State,
        until: Option<f64>,
    ) -> Result<(Pieces, Vec<(String, f64)>), Error> {
        let options = RunOptions {
            until,
            start: Some(from.clone()),
            ..self.options()
        };
        let draft = Draft::of_motion(&self.prepared, &options, &mut Default::default())?;
        let pieces = draft.pieces(&self.prepared, &options, &self.warnings)?;
        let starts = self.draft.as_ref().map_or(&[][..], Draft::starts);
        let above = |(label, start): &(String, f64)| {
            let (_, before) = starts.iter().find(|(other, _)| other == label)?;
            Some((label.clone(), start - before))
        };
        let above = draft.starts().iter().filter_map(above).collect();
        self.legs.retain(|(t, _)| *t < from.t);
        self.legs.push((from.t, draft));
        Ok((pieces, above))
    }

    /// The state after a step from another; steps that go on from each other need not be prepared anew.
    pub fn step(&mut self, from: State, dt: f64) -> Result<(f64, Vec<f64>, Vec<f64>), Error> {
        let n = self.prepared.system.n();
        let goes_on = self.stepper.as_ref().is_some_and(|(last, stepper)| {
            let y = stepper.state();
            let v = from.v.as_deref().unwrap_or_default();
            *last == dt
                && stepper.t() == from.t
                && y.len() == 2 * n
                && y[..n] == from.q
                && y[n..] == *v
        });
        if !goes_on {
            // Its own velocities are those of the coordinates.
            let options = RunOptions {
                form: Formalism::find("multipliers"),
                start: Some(from),
                ..RunOptions::default()
            };
            self.stepper = Some((dt, Stepper::new(&self.prepared, dt, &options)?));
        }
        let (_, stepper) = self.stepper.as_mut().expect("it was made above");
        stepper.step()?;
        let (q, v) = stepper.state().split_at(n);
        Ok((stepper.t(), q.to_vec(), v.to_vec()))
    }

    /// The energy at a state, if it has one.
    pub fn energy(&self, t: f64, q: &[f64], v: &[f64]) -> Option<f64> {
        self.prepared.energy(t, q, v)
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
        let n = self.prepared.system.n();
        let leg = self.legs.iter().rev().find(|(from, _)| *from <= t);
        let draft = leg.map(|(_, draft)| draft).or(self.draft.as_ref())?;
        draft.sample(t, n)
    }

    /// The page as far as it is known.
    pub fn pieces(&mut self) -> Result<Pieces, Error> {
        self.draft();
        let draft = self.draft.as_ref().expect("it was made above");
        draft.pieces(&self.prepared, &self.options(), &self.warnings)
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

/// The formalism of an id; none for the first that applies.
fn form_of(id: &str) -> Answered<Option<&'static Formalism>> {
    match (id, Formalism::find(id)) {
        ("", _) => Ok(None),
        (_, Some(form)) => Ok(Some(form)),
        (_, None) => Err(words(&format!("`{id}` is no form of the equations"))),
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
