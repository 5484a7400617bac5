//! Formalisms compared: the same accelerations, reactions and multipliers.

use super::question_batch::{QuestionBatch, QuestionId};
use super::{Equivalence, NotApplicable, Verdict};
use crate::values::outputs::write_outputs;
use crate::values::prepared::Prepared;
use appell_expr::limits::attempt;
use appell_mech::{Equations, Formalism, Unavailable, output};

/// The formalisms that apply to a model.
pub(crate) struct Forms<'g> {
    /// Their equations, with the file's claims among the outputs.
    pub all: Vec<Equations<'g>>,
    /// The others.
    pub unavailable: Vec<NotApplicable>,
}

/// Two formalisms, and the question about them or why it cannot be asked.
pub(crate) struct Pair {
    a: &'static str,
    b: &'static str,
    asked: Result<QuestionId, String>,
}

impl<'g> Forms<'g> {
    pub fn new(p: &Prepared<'g>, formalisms: &[&'static Formalism]) -> Self {
        let (mut all, mut unavailable) = (Vec::new(), Vec::new());
        for form in formalisms {
            let derived = attempt(|| {
                let mut equations = (form.derive)(&p.system, &p.constraints)?;
                write_outputs(p.model, &mut equations);
                Ok(equations)
            });
            let why = match derived {
                Ok(Ok(equations)) => {
                    all.push(equations);
                    continue;
                }
                Ok(Err(why)) => Unavailable::to_string(&why),
                Err(why) => format!("not derived: {why}"),
            };
            unavailable.push(NotApplicable { form: form.id, why });
        }
        Self { all, unavailable }
    }

    /// Asks about each formalism and the first.
    pub fn ask(&self, p: &Prepared<'g>, batch: &mut QuestionBatch<'_, 'g>) -> Vec<Pair> {
        let mut names = vec![output::ACCEL, output::REACTION];
        let unique = p.constraints.chart.as_ref();
        if unique.is_some_and(|chart| chart.rows.len() == p.constraints.k()) {
            names.push(output::LAMBDA);
        }
        let Some((first, others)) = self.all.split_first() else {
            return Vec::new();
        };
        let base = batch.program(&first.sketch, &names);
        let pairs = others.iter().map(|form| {
            let other = batch.program(&form.sketch, &names);
            let asked = base.clone().and_then(|base| {
                let (left, right) = (batch.results(base, &names), batch.results(other?, &names));
                Ok(batch.equal(left, Some(right)))
            });
            Pair {
                a: first.formalism.id,
                b: form.formalism.id,
                asked,
            }
        });
        pairs.collect()
    }
}

/// The verdicts on the pairs.
pub(crate) fn answers(pairs: &[Pair], verdicts: &[Verdict]) -> Vec<Equivalence> {
    let answer = |pair: &Pair| Equivalence {
        a: pair.a,
        b: pair.b,
        verdict: match &pair.asked {
            Ok(asked) => verdicts[*asked].clone(),
            Err(why) => Verdict::undecided(why),
        },
    };
    pairs.iter().map(answer).collect()
}
