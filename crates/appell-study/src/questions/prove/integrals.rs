//! Parts of a constant that are constant themselves: they never move, so that no jump of a function of them is crossed, as of
//! `atan2(y', x')` along the motion of a free particle.

use super::Verdict;
use super::question_batch::{QuestionBatch, QuestionId};
use super::rates::rate;
use crate::questions::continuity::jumps_along;
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Id, Known, Node, Sketch, jumps};
use appell_mech::Equations;

/// More parts are not asked about.
const MAX_PARTS: usize = 12;

/// Parts with the questions whether their rates vanish everywhere.
pub(super) type Parts = Vec<(Id, QuestionId)>;

/// Asks about the arguments of functions and the denominators in `x`, if `x` may jump as it is written.
pub(super) fn ask<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    x: Ex<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Parts {
    let graph = x.graph();
    let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol));
    let known = Known {
        constant: parameters.collect(),
        ..Known::default()
    };
    if jumps(x, &known).is_empty() {
        return Vec::new();
    }
    let mut sketch: Sketch<'g> = form.sketch.clone();
    let mut named: Vec<(Id, String)> = Vec::new();
    for part in parts_of(x).into_iter().take(MAX_PARTS) {
        if let Ok(rate) = rate(p, form, &mut sketch, part) {
            let name = format!("rate of part {}", named.len());
            sketch.output_list(&name, &[rate]);
            named.push((part.id(), name));
        }
    }
    let names: Vec<&str> = named.iter().map(|(_, name)| name.as_str()).collect();
    let Ok(program) = batch.program(&sketch, &names) else {
        return Vec::new();
    };
    let asked = named.iter().map(|(part, name)| {
        let question = batch.equal(batch.results(program, &[name.as_str()]), None);
        batch.of_motions(question);
        (*part, question)
    });
    asked.collect()
}

/// The arguments of functions and the bases of negative powers, but for what has a value by itself.
fn parts_of<'g>(x: Ex<'g>) -> Vec<Ex<'g>> {
    let graph = x.graph();
    let mut parts: Vec<Id> = Vec::new();
    for id in graph.reachable(&[x.id()]) {
        match graph.node(id) {
            Node::Call(_, arguments) => parts.extend(arguments.iter()),
            Node::Product(factors) => {
                let below = factors.iter().filter(|(_, e)| e.is_negative());
                parts.extend(below.map(|(base, _)| *base));
            }
            _ => {}
        }
    }
    parts.sort_unstable();
    parts.dedup();
    let all = parts.into_iter().map(|id| graph.ex(id));
    all.filter(|part| !part.symbols().is_empty()).collect()
}

/// The parts that keep their values: their rates vanish, and they jump nowhere.
pub(super) fn still<'g>(
    p: &Prepared<'g>,
    form: Option<&Equations<'g>>,
    asked: &[(Id, QuestionId)],
    verdicts: &[Verdict],
) -> Vec<Ex<'g>> {
    let proved = asked
        .iter()
        .filter(|(_, question)| verdicts[*question].is_proved());
    let parts = proved.map(|(part, _)| p.system.graph.ex(*part));
    parts
        .filter(|part| jumps_along(p, form, *part, &[], &[]).is_empty())
        .collect()
}
