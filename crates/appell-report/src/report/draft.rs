//! A page made part by part: each can be shown before the next is done.

use super::{RunOptions, beside, kept, plots, scene, smooth};
use crate::page::{self, Form, Pieces, Scene};
use appell_flow::Control;
use appell_mech::{FORMALISMS, Formalism};
use appell_model::Diagnostic;
use appell_study::motion::run::{Run, run_and};
use appell_study::questions::prove::Proof;
use appell_study::values::error::Error;
use appell_study::values::prepared::Prepared;

/// What has been found for a page: first the equations of one form, then its motion, then all forms, classes and
/// proofs. What is not there yet is left out of the page.
pub struct Draft {
    pub(super) forms: Vec<Form>,
    pub(super) moved: Option<Moved>,
    pub(super) classification: Vec<(String, Vec<String>)>,
    pub(super) proof: Option<Proof>,
}

/// A motion with its pictures.
pub(super) struct Moved {
    pub run: Run,
    /// The samples that the page keeps.
    pub kept: Vec<usize>,
    pub scene: Option<Scene>,
    pub plots: Vec<page::Plot>,
    /// What curves of the energy begin from, by their labels.
    pub starts: Vec<(String, f64)>,
}

impl Draft {
    /// The equations in the form asked for, or in the first that applies.
    #[must_use]
    pub fn new(p: &Prepared<'_>, form: Option<&'static Formalism>) -> Self {
        let form_of = |form: &&'static Formalism| beside::forms(p, &[*form], Some(form), None);
        let mut forms = Vec::new();
        for form in FORMALISMS
            .iter()
            .filter(|known| form.is_none_or(|form| form.id == known.id))
        {
            forms.extend(form_of(form));
            if let Some(applies) = forms.pop_if(|form| form.derivation.is_ok()) {
                forms = vec![applies];
                break;
            }
        }
        Self {
            forms,
            moved: None,
            classification: Vec::new(),
            proof: None,
        }
    }

    /// A motion alone, without equations.
    ///
    /// # Errors
    /// As for [`Draft::set_moving`].
    pub fn of_motion(
        p: &Prepared<'_>,
        options: &RunOptions,
        control: &mut Control<'_>,
    ) -> Result<Self, Error> {
        let mut draft = Self {
            forms: Vec::new(),
            moved: None,
            classification: Vec::new(),
            proof: None,
        };
        draft.set_moving(p, options, control)?;
        Ok(draft)
    }

    /// Whether its motion is known.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// Whether its forms and proofs are.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.proof.is_some()
    }

    /// Time, coordinates and velocities of the sample nearest to a time; none where there is no motion, or no value.
    #[must_use]
    pub fn sample(&self, t: f64, n: usize) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        let rows = self.moved.iter().flat_map(|moved| &moved.run.table.rows);
        let far = |row: &&Vec<f64>| row.first().map_or(f64::INFINITY, |time| (time - t).abs());
        let row = rows.min_by(|a, b| far(a).total_cmp(&far(b)))?;
        let state = row.get(..1 + 2 * n)?;
        let known = state.iter().all(|x| x.is_finite());
        known.then(|| (state[0], state[1..1 + n].to_vec(), state[1 + n..].to_vec()))
    }

    /// What the curves that tell how far the energy is from its start begin from, by their labels: a motion that goes
    /// on from another is drawn in its account. Nothing where there is no motion or no energy.
    #[must_use]
    pub fn starts(&self) -> &[(String, f64)] {
        self.moved.as_ref().map_or(&[], |moved| &moved.starts)
    }

    /// Computes the motion.
    ///
    /// # Errors
    /// As for [`appell_study::motion::run::run()`].
    pub fn set_moving(
        &mut self,
        p: &Prepared<'_>,
        options: &RunOptions,
        control: &mut Control<'_>,
    ) -> Result<(), Error> {
        self.moved = Some(moved(p, &smooth(p, options), control)?);
        Ok(())
    }

    /// Derives all forms, classifies the constraints and proves the claims.
    ///
    /// # Errors
    /// None for a model that has been read from its text.
    pub fn complete(
        &mut self,
        p: &Prepared<'_>,
        form: Option<&'static Formalism>,
    ) -> Result<(), Error> {
        let (found, ()) = beside::beside(p, form, None, || ());
        let found = found?;
        self.forms = found.forms;
        self.classification = found.classification;
        self.proof = Some(found.proof);
        Ok(())
    }

    /// The page as far as it is known; `warnings` are those of reading the model.
    ///
    /// # Errors
    /// Options that no motion can have.
    pub fn pieces(
        &self,
        p: &Prepared<'_>,
        options: &RunOptions,
        warnings: &[Diagnostic],
    ) -> Result<Pieces, Error> {
        let page = super::page(p, &smooth(p, options), warnings, self)?;
        Ok(page::pieces(&page, false))
    }
}

/// Runs the model, and draws what moves and what is plotted.
pub(super) fn moved(
    p: &Prepared<'_>,
    options: &RunOptions,
    control: &mut Control<'_>,
) -> Result<Moved, Error> {
    let (run, (kept, scene, looked)) = run_and(
        p.in_numbers(),
        options,
        control,
        |sampled_motion, trajectory| {
            let kept = kept(trajectory.samples.len(), super::columns(sampled_motion));
            let scene = scene::scene(sampled_motion, &kept);
            let looked = plots::plots(sampled_motion, trajectory, scene.as_ref(), &kept);
            (kept, scene, looked)
        },
    )?;
    let starts = looked.starts();
    let plots = plots::all(p, &run, looked, &kept);
    Ok(Moved {
        starts,
        run,
        kept,
        scene,
        plots,
    })
}
