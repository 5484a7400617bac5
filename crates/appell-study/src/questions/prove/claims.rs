//! The file's claims.

use super::constraint_set::ConstraintSet;
use super::forms::Forms;
use super::question_batch::{Domain, QuestionBatch, QuestionId};
use super::rates::rate;
use super::{CERTAIN, ClaimVerdict, Equivalence, Parameters, Verdict, integrals, signs, singular};
use crate::motion::claims::constraint_of_class;
use crate::questions::continuity::{jumps_along, jumps_of_rates};
use crate::states::indeterminate::IndeterminateForces;
use crate::values::outputs::{claim_output, domain_output, has_no_value};
use crate::values::prepared::Prepared;
use appell_expr::limits::{attempt, regardless};
use appell_expr::{
    Ex, Function, Id, Matrix, Node, Range, Relation, Results, Sketch, corners_of, range, vanishes,
};
use appell_mech::Equations;
use appell_model::{Claim, ClaimKind, Condition, Quantity};
use std::cell::LazyCell;

/// The expression that a claim says is zero.
const CLAIMED: &str = "what is claimed to vanish";
/// The expressions that are positive on a claim's domain.
const POSITIVE: &str = "what is positive";
/// What has a value where the rules give the derivatives of which a claim speaks.
const OFF_CORNERS: &str = "what has no value at corners of what is differentiated";
/// Why nothing is said of a claim about the force of a row that depends on others.
const INDETERMINATE: &str = "rows depend on each other, and this force is statically indeterminate: what is shown is that of the \
     least multipliers, and others belong to the same motion";

/// A claim that is a question about programs; the others have no entry.
pub(super) type Claimed = Option<Result<Questions, String>>;

/// The questions about a claim.
#[derive(Debug, Clone)]
pub(super) struct Questions {
    /// What is claimed, on its domain.
    question: QuestionId,
    /// Of a constant on a domain: whether its rate vanishes outside as well.
    everywhere: Option<QuestionId>,
    /// Of a constant: about what is constant in it.
    parts: integrals::Parts,
}

/// Asks about the claims that are equations.
pub(super) fn ask<'g>(
    p: &Prepared<'g>,
    forms: &Forms<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Vec<Claimed> {
    let choice = LazyCell::new(|| IndeterminateForces::new(p, forms.all.first()?));
    let is_a_choice = |claimed: &[Id]| {
        choice
            .as_ref()
            .is_some_and(|choice| choice.changes(claimed))
    };
    let claims = p.model.claims.iter().enumerate();
    claims
        .map(|(index, claim)| {
            let claimed = match &claim.kind {
                ClaimKind::Equation(zeros) => zeros.as_slice(),
                ClaimKind::Constant(x) => std::slice::from_ref(x),
                _ => return None,
            };
            Some(match is_a_choice(claimed) {
                true => Err(INDETERMINATE.to_owned()),
                false => in_any_form(p, forms, index, claim, batch),
            })
        })
        .collect()
}

/// Asks in the first formalism that has a value for everything in the claim.
fn in_any_form<'g>(
    p: &Prepared<'g>,
    forms: &Forms<'g>,
    index: usize,
    claim: &Claim,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Result<Questions, String> {
    let mut reasons: Vec<String> = Vec::new();
    for form in &forms.all {
        match in_form(p, form, index, claim, batch) {
            Ok(asked) => return Ok(asked),
            Err(why) if reasons.contains(&why) => {}
            Err(why) => reasons.push(why),
        }
    }
    let unavailable = forms
        .all
        .first()
        .into_iter()
        .flat_map(|form| &form.unavailable);
    for why in unavailable.map(|(_, why)| why.to_string()) {
        if !reasons.contains(&why) {
            reasons.push(why);
        }
    }
    Err(reasons.join("; "))
}

fn in_form<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    index: usize,
    claim: &Claim,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Result<Questions, String> {
    let graph = p.system.graph;
    let mut sketch: Sketch<'g> = form.sketch.clone();
    let name = claim_output(index);
    let zeros = match &claim.kind {
        ClaimKind::Constant(x) => {
            let rate = rate(p, form, &mut sketch, graph.ex(*x))?;
            Matrix::column(graph, vec![rate])
        }
        _ => sketch.get(&name).cloned().ok_or("it has no expression")?,
    };
    let moving = |x: &Ex<'g>| p.system.v.iter().any(|v| x.depends_on(*v));
    let of_motions =
        speaks_of_motions(p, &zeros) || batch.touching && zeros.entries().iter().any(moving);
    let aims = [in_domain(p, &claim.domain), signs::both_sides(&zeros)].concat();
    sketch.output(CLAIMED, signs::with_known_signs(&zeros));
    let parts = match claim.kind {
        ClaimKind::Constant(x) => integrals::ask(p, form, graph.ex(x), batch),
        _ => Vec::new(),
    };
    let corners = off_corners(claim, &zeros, batch)?;
    let (question, everywhere) = on_its_domain(p, (index, claim), &mut sketch, batch)?;
    batch.aim(question, aims);
    for asked in [question].into_iter().chain(everywhere) {
        batch.off_corners(asked, corners.clone());
    }
    if of_motions {
        batch.of_motions(question);
    }
    Ok(Questions {
        question,
        everywhere,
        parts,
    })
}

/// Asks whether what is claimed vanishes on the claim's domain and, of a constant on one, whether it does everywhere.
fn on_its_domain<'g>(
    p: &Prepared<'g>,
    (index, claim): (usize, &Claim),
    sketch: &mut Sketch<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Result<(QuestionId, Option<QuestionId>), String> {
    let positive = positive(p, &claim.domain);
    sketch.output_list(POSITIVE, &positive);
    let domain = domain_output(index);
    let program = batch.program(sketch, &[CLAIMED, POSITIVE, &domain])?;
    let left = batch.results(program, &[CLAIMED]);
    if claim.domain.is_empty() {
        return Ok((batch.equal(left, None), None));
    }
    let is_constant = matches!(claim.kind, ClaimKind::Constant(_));
    let everywhere = match is_constant {
        // A program of its own: what is known of signs holds on the domain only.
        true => {
            let program = batch.program(sketch, &[CLAIMED])?;
            let rate = batch.results(program, &[CLAIMED]);
            Some(batch.equal(rate, None))
        }
        false => None,
    };
    let positive = Some(batch.results(program, &[POSITIVE])).filter(|r| !r.range.is_empty());
    let domain = Domain::new(&claim.domain, batch.results(program, &[&domain]));
    let question = batch.on_domain(left, None, positive, Some(domain));
    Ok((question, everywhere))
}

/// The results that have values where the rules give the derivatives of which a claim speaks.
fn off_corners<'g>(
    claim: &Claim,
    zeros: &Matrix<'g>,
    batch: &mut QuestionBatch<'_, 'g>,
) -> Result<Option<Results>, String> {
    let corners = corners(claim, zeros);
    let Some(first) = corners.first() else {
        return Ok(None);
    };
    let mut sketch = Sketch::new(first.graph());
    let off: Vec<Ex<'g>> = corners.iter().map(|corner| corner.recip()).collect();
    sketch.output_list(OFF_CORNERS, &off);
    let program = batch.program(&sketch, &[OFF_CORNERS])?;
    Ok(Some(batch.results(program, &[OFF_CORNERS])))
}

/// What is 0 where a claim speaks of a derivative that the rules do not give: where what is differentiated has a corner or a
/// jump, and its derivative one too.
fn corners<'g>(claim: &Claim, zeros: &Matrix<'g>) -> Vec<Ex<'g>> {
    let Some(graph) = zeros.entries().first().map(|x| x.graph()) else {
        return Vec::new();
    };
    let constant = match claim.kind {
        ClaimKind::Constant(x) => Some(x),
        _ => None,
    };
    let differentiated = claim.differentiated.iter().copied().chain(constant);
    let mut corners = corners_of(&graph.exs(&differentiated.collect::<Vec<_>>()));
    if !corners.is_empty() {
        let claimed = signs::switches_in(zeros);
        corners.retain(|corner| claimed.iter().any(|u| u == corner || *u == -*corner));
    }
    corners
}

/// Whether something in it needs the equations of motion: all but states, energies and masses.
fn speaks_of_motions<'g>(p: &Prepared<'g>, x: &Matrix<'g>) -> bool {
    let (system, graph) = (&p.system, p.system.graph);
    let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol));
    let of_state = p.model.quantities.iter().filter(|(quantity, _)| {
        use Quantity::{Energy, KineticStar, LagrangianStar, Mass};
        matches!(quantity, Energy | KineticStar | LagrangianStar | Mass(..))
    });
    let z = p.model.motion.variables.iter().map(|z| graph.ex(z.symbol));
    let known: Vec<Ex<'g>> = [system.t]
        .into_iter()
        .chain(system.q.iter().chain(&system.v).copied())
        .chain(parameters)
        .chain(of_state.map(|(_, symbol)| graph.ex(*symbol)))
        .chain(z)
        .collect();
    let mut symbols = x.entries().iter().flat_map(|x| x.symbols());
    symbols.any(|s| !known.contains(&s))
}

/// The expressions whose sign a domain fixes: `x > c` with `c >= 0` makes `x` positive.
fn positive<'g>(p: &Prepared<'g>, domain: &[Condition]) -> Vec<Ex<'g>> {
    gaps(p, domain).map(without_margin).collect()
}

/// The same of what a domain's border leaves out: `x >= 0` does not keep `x` from 0.
fn strictly_positive<'g>(p: &Prepared<'g>, domain: &[Condition]) -> Vec<Ex<'g>> {
    let is_strict = |condition: &&Condition| {
        let gap = gaps(p, std::slice::from_ref(*condition)).next();
        matches!(condition.relation, Relation::Greater | Relation::Less)
            || gap.is_some_and(|gap| without_margin(gap) != gap)
    };
    let strict: Vec<Condition> = domain.iter().filter(is_strict).cloned().collect();
    positive(p, &strict)
}

/// Whether an expression has a part like an angle, of which a motion that comes back may have turned: it is no number on
/// the domain, as `atan(x) + atan(1/x)` is.
fn is_angle<'g>(p: &Prepared<'g>, x: Ex<'g>) -> bool {
    let graph = p.system.graph;
    let turns = |id| {
        matches!(
            graph.node(id),
            Node::Call(Function::Atan | Function::Atan2, _)
        )
    };
    let system = &p.system;
    let symbols = [system.q.as_slice(), &system.v, &[system.t]].concat();
    graph.reachable(&[x.id()]).into_iter().any(turns)
        && !x.partials(&symbols).iter().all(|slope| vanishes(*slope))
}

/// What a domain's inequalities say is positive, or not negative.
fn gaps<'g>(p: &Prepared<'g>, domain: &[Condition]) -> impl Iterator<Item = Ex<'g>> {
    let graph = p.system.graph;
    domain.iter().filter_map(move |condition| {
        let gap = graph.ex(condition.difference);
        match condition.relation {
            Relation::Greater | Relation::GreaterEqual => Some(gap),
            Relation::Less | Relation::LessEqual => Some(-gap),
            Relation::Equal => None,
        }
    })
}

/// Where a domain may lie that random states miss: its inequalities at once, and each by itself.
fn in_domain<'g>(p: &Prepared<'g>, domain: &[Condition]) -> Vec<Vec<Ex<'g>>> {
    let gaps: Vec<Ex<'g>> = gaps(p, domain).collect();
    let each = gaps.iter().map(|gap| vec![*gap]);
    match gaps.len() {
        0 | 1 => each.collect(),
        _ => [gaps.clone()].into_iter().chain(each).collect(),
    }
}

/// `x` for `x - c` with a number `c > 0`.
fn without_margin(gap: Ex<'_>) -> Ex<'_> {
    match gap.node() {
        Node::Sum(constant, _) if constant.is_negative() => {
            gap + gap.graph().number(constant.abs())
        }
        _ => gap,
    }
}

/// The verdicts on all claims.
pub(super) fn answers<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    claimed: &[Claimed],
    forms: &Forms<'g>,
    equivalence: &[Equivalence],
    verdicts: &[Verdict],
) -> Vec<ClaimVerdict> {
    let claims = p.model.claims.iter().zip(claimed).enumerate();
    claims
        .map(|(index, (claim, claimed))| {
            let verdict = attempt(|| match claimed {
                _ if is_void(p, claim) => {
                    Verdict::undecided("nothing to decide: it has no real value at any state")
                }
                Some(Ok(asked)) => match &verdicts[asked.question] {
                    proved if proved.is_proved() => {
                        let why = except_at_signs(p, set, forms, index);
                        why.map_or_else(|| proved.clone(), Verdict::undecided)
                    }
                    other => other.clone(),
                },
                Some(Err(why)) => Verdict::undecided(why),
                None => by_other_means(p, set, &claim.kind, equivalence).with_special(p),
            });
            let verdict = verdict.unwrap_or_else(|why| match claimed {
                Some(Ok(asked)) => verdicts[asked.question].clone(),
                _ => Verdict::undecided(why.to_string()),
            });
            let everywhere = claimed
                .as_ref()
                .and_then(|asked| asked.as_ref().ok()?.everywhere);
            let left = everywhere.is_some_and(|asked| !verdicts[asked].is_proved());
            let asked = claimed.as_ref().and_then(|asked| asked.as_ref().ok());
            let still = || match asked.filter(|_| verdict.is_proved()) {
                Some(asked) => integrals::still(p, forms.all.first(), &asked.parts, verdicts),
                None => Vec::new(),
            };
            let still = regardless(still);
            regardless(|| answer(p, forms.all.first(), (claim, &still), verdict, left))
        })
        .collect()
}

/// Where an equation that is proved with signs or angles fails, because one of them jumps.
fn except_at_signs<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    forms: &Forms<'g>,
    index: usize,
) -> Option<String> {
    let claim = &p.model.claims[index];
    let is_equation = matches!(claim.kind, ClaimKind::Equation(_));
    let zeros = forms.all.first()?.sketch.get(&claim_output(index))?;
    let proved = signs::Proved {
        zeros,
        domain: &claim.domain,
        positive: &strictly_positive(p, &claim.domain),
        corners: &corners(claim, zeros),
    };
    is_equation
        .then(|| signs::exception(p, set, &proved))
        .flatten()
}

/// Whether a condition never holds whose difference lies in a range.
pub(super) fn is_never(condition: &Condition, gap: &Range) -> bool {
    match condition.relation {
        Relation::Greater => gap.is_nonpositive(),
        Relation::GreaterEqual => gap.is_negative(),
        Relation::Less => gap.is_nonnegative(),
        Relation::LessEqual => gap.is_positive(),
        Relation::Equal => gap.excludes_zero(),
    }
}

/// Whether a claim speaks of no state: a formula in it has no value, or its domain is empty.
fn is_void(p: &Prepared<'_>, claim: &Claim) -> bool {
    let graph = p.system.graph;
    let never = |condition: &Condition| {
        let gap = range(graph.ex(condition.difference), &|_| Range::all());
        is_never(condition, &gap)
    };
    has_no_value(graph, claim) || claim.domain.iter().any(never)
}

/// The answer; a constant, of which some parts are `still`, may be one between jumps only, or (`left`) while a motion stays in the
/// claim's domain.
fn answer<'g>(
    p: &Prepared<'g>,
    form: Option<&Equations<'g>>,
    (claim, still): (&Claim, &[Ex<'g>]),
    verdict: Verdict,
    left: bool,
) -> ClaimVerdict {
    let (parts, ends) = match (&claim.kind, &verdict) {
        (ClaimKind::Constant(x), Verdict::Proved { .. }) => {
            let x = p.system.graph.ex(*x);
            let parts = jumps_along(p, form, x, &strictly_positive(p, &claim.domain), still);
            (parts, ends(p, form, (claim, x), left))
        }
        (ClaimKind::Equation(rows), Verdict::Proved { .. }) => {
            let positive = strictly_positive(p, &claim.domain);
            let mut parts = Vec::new();
            for part in rows
                .iter()
                .flat_map(|x| jumps_of_rates(p, form, p.system.graph.ex(*x), &positive))
            {
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
            (parts, Vec::new())
        }
        _ => (Vec::new(), Vec::new()),
    };
    let crossed = [("crosses a jump of", &parts), ("leaves", &ends)];
    let crossed = crossed.iter().filter(|(_, parts)| !parts.is_empty());
    let crossed = crossed.map(|(what, parts)| format!("{what} {}", parts.join(", ")));
    let crossed: Vec<String> = crossed.collect();
    let verdict = match (crossed.as_slice(), &claim.kind) {
        ([], _) => verdict,
        (ways, ClaimKind::Equation(_)) => Verdict::undecided(format!(
            "it is proved between jumps: where a motion {} there is no rate",
            ways.join(" or ")
        )),
        (ways, _) => Verdict::undecided(format!(
            "its rate is proved to vanish, so that it is constant until a motion {}",
            ways.join(" or ")
        )),
    };
    let between = [parts, ends].concat();
    let holds = match &verdict {
        Verdict::Proved { .. } => Some(!claim.refuted),
        Verdict::Refuted { .. } => Some(claim.refuted),
        Verdict::Undecided { .. } => None,
    };
    ClaimVerdict {
        name: claim.name.clone(),
        verdict,
        holds,
        between,
        domain: claim.domain.iter().map(|c| c.text.clone()).collect(),
        cite: claim.cite.clone(),
    }
}

/// What ends the part of a motion on which a constant is one: the claim's domain, where its rate vanishes there only (`left`), or
/// where an angle jumps outside, of which the motion may have turned when it comes back.
fn ends<'g>(
    p: &Prepared<'g>,
    form: Option<&Equations<'g>>,
    (claim, x): (&Claim, Ex<'g>),
    left: bool,
) -> Vec<String> {
    let winds = || is_angle(p, x) && !jumps_along(p, form, x, &[], &[]).is_empty();
    let conditions = claim.domain.iter().map(|condition| condition.text.clone());
    match left || !claim.domain.is_empty() && winds() {
        true => conditions.collect(),
        false => Vec::new(),
    }
}

fn by_other_means<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    kind: &ClaimKind,
    equivalence: &[Equivalence],
) -> Verdict {
    let no_witness = |why: &str| Verdict::Refuted {
        witness: None,
        why: Some(why.to_owned()),
    };
    match kind {
        ClaimKind::Equivalent(ids) => of_pairs(ids, equivalence),
        ClaimKind::Class(words) => match constraint_of_class(p, words) {
            Ok(Some(class)) if words.iter().any(|w| class.by_numbers.contains(&w.as_str())) => {
                Verdict::undecided("true at scattered states, in double precision")
            }
            Ok(Some(class)) => {
                let by_start =
                    class.by_start && words.iter().any(|word| word.ends_with("holonomic"));
                let components = if by_start {
                    "the sheet of the start"
                } else {
                    "all"
                };
                by_identities(class.bound, components)
            }
            Ok(None) => no_witness("no constraint is all of this"),
            Err(why) => Verdict::undecided(why.to_string()),
        },
        ClaimKind::SingularAt(conditions) => singular::verdict(p, set, conditions),
        ClaimKind::Always(_) => {
            Verdict::undecided("it speaks of one motion; `appell run` holds it against that motion")
        }
        ClaimKind::Constant(_) | ClaimKind::Equation(_) => Verdict::undecided("it was not asked"),
    }
}

/// The words of a class rest on identities, the least sure of which has this `log2` of a bound; words
/// that rest on none are certain.
fn by_identities(exponent: f64, components: &str) -> Verdict {
    let bound = match exponent.is_finite() {
        true => format!("2^{}", exponent.ceil()),
        false => CERTAIN.to_owned(),
    };
    Verdict::Proved {
        bound,
        points: None,
        degree: None,
        parameters: Parameters::Any,
        components: components.to_owned(),
    }
}

/// The `log2` of a bound.
fn exponent(bound: &str) -> f64 {
    let exponent = bound.strip_prefix("2^").and_then(|x| x.parse().ok());
    exponent.unwrap_or(f64::NEG_INFINITY)
}

/// All formalisms of a list agree if each agrees with the first of the comparison; they do as surely as the least sure does.
fn of_pairs(ids: &[String], equivalence: &[Equivalence]) -> Verdict {
    let mut proved: Option<(f64, &Verdict)> = None;
    for id in ids {
        let is_base = equivalence.iter().any(|pair| pair.a == id);
        match equivalence.iter().find(|pair| pair.b == id) {
            None if is_base => {}
            None => return Verdict::undecided(format!("`{id}` does not apply to this model")),
            Some(pair) => match &pair.verdict {
                Verdict::Proved { bound, .. } => {
                    let found = (exponent(bound), &pair.verdict);
                    proved = proved.filter(|least| least.0 >= found.0).or(Some(found));
                }
                other => return other.clone(),
            },
        }
    }
    let alone = || Verdict::undecided("one formalism is no comparison");
    proved.map_or_else(alone, |(_, verdict)| verdict.clone())
}
