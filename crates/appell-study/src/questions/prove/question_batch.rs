//! Questions about programs, collected, asked together and answered.

use super::constraint_set::{ConstraintSet, PSI_SET_ASIDE};
use super::regular::{self, MISSED, PARTIAL, SLOPES};
use super::witness::{Evidence, Query, Witnesses};
use super::{Parameters, Verdict};
use crate::states::near_start::{is_clear, states_near_start};
use crate::states::nearest::parameters_of;
use crate::states::start::start;
use crate::values::found::SampleState;
use crate::values::prepared::Prepared;
use appell_expr::limits::{Why, attempt, regardless};
use appell_expr::{
    Ex, Finding, Id, Locus, Matrix, Program, Question, Relation, Results, Sketch, decide,
    opaque_functions,
};
use appell_flow::{Interpreter, Measured};
use appell_mech::{Equations, Metric};
use appell_model::Condition;
use std::collections::BTreeMap;

/// What random points say of a question that fails at some of a section only.
const PARTLY: &str = "it holds on some components of the constraint set, not on all";

/// Why a proof on the regular part of the constraints says nothing of motions from a singular start.
const BESIDE_START: &str =
    "it holds where the rows keep their rank, but not beside the start, where they lose it";

/// The number of a question.
pub(crate) type QuestionId = usize;

/// A condition on states: the place of its left minus right side in a program's results.
#[derive(Debug, Clone)]
pub(crate) struct Domain {
    pub results: Results,
    pub relations: Vec<Relation>,
    /// Those that are equations, as left minus right side.
    pub equations: Vec<Id>,
}

impl Domain {
    /// Conditions with the results of their differences.
    pub fn new(conditions: &[Condition], results: Results) -> Self {
        let equal = conditions.iter().filter(|c| c.relation == Relation::Equal);
        Self {
            results,
            relations: conditions.iter().map(|c| c.relation).collect(),
            equations: equal.map(|c| c.difference).collect(),
        }
    }
}

/// All questions about one model.
pub(crate) struct QuestionBatch<'p, 'g> {
    p: &'p Prepared<'g>,
    set: &'p ConstraintSet<'g>,
    programs: Vec<Program>,
    questions: Vec<Question>,
    domains: Vec<Option<Domain>>,
    /// What is to be positive, each list at once, where random states may not come.
    aims: Vec<Vec<Vec<Ex<'g>>>>,
    /// What has a value where the rules give the derivatives that a question speaks of.
    corners: Vec<Option<Results>>,
    /// Which are identities that hold for every model.
    standing: Vec<bool>,
    /// Which speak of accelerations.
    of_motions: Vec<bool>,
    /// What has a value where the independent velocities are a chart, and what vanishes where rows that
    /// depend on others do not contradict them.
    guards: [Option<Results>; 2],
    /// What of the model has no value everywhere.
    defined: Option<Results>,
    /// Why nothing is said of accelerations.
    undetermined: Option<String>,
    /// Whether holonomic rows touch, so that nothing is said of velocities either.
    pub touching: bool,
}

impl<'p, 'g> QuestionBatch<'p, 'g> {
    pub fn new(p: &'p Prepared<'g>, set: &'p ConstraintSet<'g>) -> Self {
        Self {
            p,
            set,
            programs: Vec::new(),
            questions: Vec::new(),
            domains: Vec::new(),
            aims: Vec::new(),
            corners: Vec::new(),
            standing: Vec::new(),
            of_motions: Vec::new(),
            guards: [None, None],
            defined: None,
            undetermined: None,
            touching: false,
        }
    }

    /// Keeps refutations to states at which the equations of motion have a meaning.
    pub fn guard_by(&mut self, form: Option<&Equations<'g>>) {
        self.undetermined = regular::undetermined(self.p, self.set);
        self.touching = regular::touching_rows(self.p).is_some();
        self.defined = regular::domain_guard(self.p).and_then(|sketch| {
            let program = self.program(&sketch, &[PARTIAL]).ok()?;
            Some(self.results(program, &[PARTIAL]))
        });
        let Some(form) = form else { return };
        let guards = [
            (regular::chart_guard(self.p, form), SLOPES),
            (regular::motion_guard(self.p, form), MISSED),
        ];
        self.guards = guards.map(|(sketch, name)| {
            let program = self.program(&sketch?, &[name]).ok()?;
            Some(self.results(program, &[name]))
        });
    }

    /// Says of a question that it speaks of accelerations.
    pub fn of_motions(&mut self, asked: QuestionId) {
        self.of_motions[asked] = true;
    }

    /// Says where else to look for states that refute: where all of one list are positive.
    pub fn aim(&mut self, asked: QuestionId, at: Vec<Vec<Ex<'g>>>) {
        self.aims[asked] = at;
    }

    /// Keeps refutations to states at which these results have values.
    pub fn off_corners(&mut self, asked: QuestionId, corners: Option<Results>) {
        self.corners[asked] = corners;
    }

    /// Adds the program for these outputs of a sketch, as results one after the other.
    ///
    /// # Errors
    /// Something in it has no value at the set's states.
    pub fn program(&mut self, sketch: &Sketch<'g>, names: &[&str]) -> Result<usize, String> {
        let program = sketch.program(&self.set.symbols, names);
        self.programs
            .push(program.map_err(|unbound| match self.set.set_aside {
                true => PSI_SET_ASIDE.to_owned(),
                false => unbound.to_string(),
            })?);
        Ok(self.programs.len() - 1)
    }

    /// Some results of a program.
    pub fn results(&self, program: usize, names: &[&str]) -> Results {
        let ranges = names
            .iter()
            .filter_map(|name| self.programs[program].range(name));
        let (mut start, mut end) = (usize::MAX, 0);
        for range in ranges {
            (start, end) = (start.min(range.start), end.max(range.end));
        }
        Results {
            program,
            range: start.min(end)..end,
        }
    }

    /// Asks whether both sides agree.
    pub fn equal(&mut self, left: Results, right: Option<Results>) -> QuestionId {
        self.on_domain(left, right, None, None)
    }

    /// Asks whether both sides agree where some expressions are positive and conditions hold.
    pub fn on_domain(
        &mut self,
        left: Results,
        right: Option<Results>,
        positive: Option<Results>,
        domain: Option<Domain>,
    ) -> QuestionId {
        self.standing.push(false);
        self.of_motions.push(right.is_some());
        self.questions.push(Question {
            left,
            right,
            positive,
        });
        self.domains.push(domain);
        self.aims.push(Vec::new());
        self.corners.push(None);
        self.questions.len() - 1
    }

    /// Asks whether all these vanish at the set's states.
    ///
    /// # Errors
    /// Something in them has no value there.
    pub fn vanish(
        &mut self,
        sketch: &Sketch<'g>,
        zeros: &Matrix<'g>,
    ) -> Result<QuestionId, String> {
        let mut sketch = sketch.clone();
        sketch.output("zeros", zeros.clone());
        let program = self.program(&sketch, &["zeros"])?;
        let left = self.results(program, &["zeros"]);
        let asked = self.equal(left, None);
        self.standing[asked] = true;
        self.of_motions[asked] = true;
        Ok(asked)
    }

    /// Asks whether some expressions of the state are equal there.
    ///
    /// # Errors
    /// Something in them has no value there.
    pub fn agree(
        &mut self,
        sketch: &Sketch<'g>,
        left: &[Ex<'g>],
        right: &[Ex<'g>],
    ) -> Result<QuestionId, String> {
        let mut sketch = sketch.clone();
        sketch.output_list("left", left);
        sketch.output_list("right", right);
        let program = self.program(&sketch, &["left", "right"])?;
        let (left, right) = (
            self.results(program, &["left"]),
            self.results(program, &["right"]),
        );
        Ok(self.equal(left, Some(right)))
    }

    /// Answers every question.
    ///
    /// One piece: the order in which proofs and witnesses are tried.
    pub fn verdicts(&self) -> Vec<Verdict> {
        let mut open: Vec<QuestionId> = (0..self.questions.len()).collect();
        let mut verdicts: Vec<Option<Verdict>> = vec![None; open.len()];
        let mut reasons = vec![String::new(); open.len()];
        if let Some(why) = &self.undetermined {
            let (of_motions, others) = open.iter().partition(|asked| self.of_motions[**asked]);
            let of_motions: Vec<QuestionId> = of_motions;
            open = others;
            let undecided = || Some(Verdict::undecided(why));
            of_motions
                .iter()
                .for_each(|asked| verdicts[*asked] = undecided());
        }
        self.try_to_prove(&mut open, &mut verdicts, &mut reasons, Parameters::Any);
        if let Some(locus) = self.set.wider_locus(Parameters::Any) {
            let mut unsaid = reasons.clone();
            self.prove_on(
                &locus,
                &mut open,
                &mut verdicts,
                &mut unsaid,
                Parameters::Any,
            );
        }
        let witnesses = attempt(|| Witnesses::new(self.p, self.set, &self.programs));
        let mut witnesses = match witnesses {
            Ok(witnesses) => witnesses,
            Err(why) => return cut_short(verdicts, &reasons, why),
        };
        let query = |asked: QuestionId| Query {
            partly: reasons[asked] == PARTLY,
            ..self.query(asked)
        };
        let queries: Vec<Query<'_>> = (0..verdicts.len()).map(query).collect();
        let looks = || {
            witnesses.confirm(&mut verdicts, &queries);
            let beside_start = states_near_start(self.p);
            beside_start.iter().filter_map(|s| self.inputs(s)).collect()
        };
        let beside_start: Vec<(f64, Vec<f64>)> = match attempt(looks) {
            Ok(states) => states,
            Err(why) => return cut_short(verdicts, &reasons, why),
        };
        let mut evidence: BTreeMap<QuestionId, Evidence> = BTreeMap::new();
        open.retain(|asked| {
            match attempt(|| witnesses.find(queries[*asked])) {
                Ok(Ok(refuted)) => verdicts[*asked] = Some(refuted),
                Ok(Err(found)) => drop(evidence.insert(*asked, found)),
                Err(why) => reasons[*asked] = why.to_string(),
            }
            verdicts[*asked].is_none()
        });
        if self.set.has_definitions() {
            self.try_to_prove(&mut open, &mut verdicts, &mut reasons, Parameters::Defined);
        }
        self.try_to_prove(&mut open, &mut verdicts, &mut reasons, Parameters::Values);
        self.held_at(&beside_start, &mut verdicts);
        let mut undecided = |asked: usize| {
            let mut evidence = evidence.remove(&asked).unwrap_or_default();
            let mut closer = || {
                let aimed = witnesses.find_aimed(queries[asked], &self.aims[asked], &mut evidence);
                aimed.or_else(|| witnesses.find_closer(queries[asked], &mut evidence))
            };
            match attempt(&mut closer) {
                Ok(Some(closer)) => closer,
                Ok(None) => Verdict::undecided(format!("{}; {}", reasons[asked], evidence.words())),
                Err(why) => Verdict::undecided(why.to_string()),
            }
        };
        let settled = verdicts.into_iter().enumerate();
        settled
            .map(|(asked, verdict)| verdict.unwrap_or_else(|| undecided(asked)))
            .collect()
    }

    /// What was proved where the rows are independent is open where it fails beside a start at which they are not.
    fn held_at(&self, states: &[(f64, Vec<f64>)], verdicts: &mut [Option<Verdict>]) {
        let mut values: BTreeMap<usize, Vec<Vec<Measured>>> = BTreeMap::new();
        for (asked, verdict) in verdicts.iter_mut().enumerate() {
            let question = &self.questions[asked];
            let is_claim = !self.standing[asked] && question.right.is_none();
            if !is_claim || !verdict.as_ref().is_some_and(Verdict::is_proved) {
                continue;
            }
            let values = values.entry(question.left.program).or_insert_with(|| {
                let program = Interpreter::new(self.programs[question.left.program].clone(), &[]);
                let at = |(t, inputs): &(f64, Vec<f64>)| program.measured(*t, inputs).ok();
                states.iter().filter_map(at).collect()
            });
            if values.iter().any(|values| self.fails_with(asked, values)) {
                *verdict = Some(Verdict::undecided(BESIDE_START));
            }
        }
    }

    /// The values at a state of what programs read.
    fn inputs(&self, (t, q, v): &SampleState) -> Option<(f64, Vec<f64>)> {
        let (p, set) = (self.p, &self.set);
        let state = [q.as_slice(), v].concat();
        let base = start(p).ok().and_then(|start| start.z);
        let z = match set.z.is_empty() {
            true => Vec::new(),
            false => parameters_of(p, *t, q, v, base.as_deref())?,
        };
        let momenta: Vec<Ex<'g>> = set.momenta.iter().map(|(_, value)| *value).collect();
        let momenta = p.functions_of(&momenta).results(*t, &state).ok()?;
        Some((*t, [&state, &p.parameters[..], &z, &momenta].concat()))
    }

    /// Whether what is asked fails at a state, on its domain, by the values of its program there.
    fn fails_with(&self, asked: QuestionId, values: &[Measured]) -> bool {
        let in_domain = self.domains[asked].as_ref().is_none_or(|domain| {
            let gaps = values[domain.results.range.clone()].iter();
            let mut pairs = gaps.zip(&domain.relations);
            pairs.all(|(gap, relation)| match relation {
                Relation::Less | Relation::LessEqual => gap.value < 0.0,
                Relation::Greater | Relation::GreaterEqual => gap.value > 0.0,
                Relation::Equal => !is_clear(gap),
            })
        });
        let mut claimed = values[self.questions[asked].left.range.clone()].iter();
        in_domain && claimed.any(is_clear)
    }

    /// What is to be looked at for witnesses. Formalisms are compared where no rank is lost, standing
    /// identities hold where all rows are independent.
    fn query(&self, asked: QuestionId) -> Query<'_> {
        let question = &self.questions[asked];
        let chart = self.p.constraints.chart.as_ref();
        // No rank is this one: what is asked may not apply.
        let rows = self.set.rows_to_solve().unwrap_or(usize::MAX);
        let ranks = match (self.standing[asked], &question.right, chart) {
            (true, ..) => [rows, rows],
            (false, Some(_), Some(chart)) => [chart.rows.len().min(rows), chart.rows.len()],
            (false, None, Some(chart)) if self.of_motions[asked] => {
                [chart.rows.len().min(rows), rows]
            }
            _ => [0, rows],
        };
        let [chart, motion] = &self.guards;
        // States on the real form of the rows may lie where the rows themselves have no rank.
        let on_real_rows = self.of_motions[asked] && self.set.rows_to_solve().is_none();
        let compared = self.standing[asked] || question.right.is_some() || on_real_rows;
        Query {
            question,
            domain: self.domains[asked].as_ref(),
            corners: self.corners[asked].as_ref(),
            ranks,
            chart: chart.as_ref().filter(|_| compared),
            motion: motion.as_ref(),
            defined: self.defined.as_ref(),
            partly: false,
            // A parametrisation has no rows whose rank tells where formalisms do not apply.
            regular: self.set.is_parametrised()
                && (self.standing[asked] || question.right.is_some()),
            of_motions: self.of_motions[asked],
            of_claim: !self.standing[asked] && question.right.is_none(),
        }
    }

    /// Asks the open questions at random points; settles those that hold.
    fn try_to_prove(
        &self,
        open: &mut Vec<QuestionId>,
        verdicts: &mut [Option<Verdict>],
        reasons: &mut [String],
        parameters: Parameters,
    ) {
        let locus = self.set.locus(parameters);
        self.prove_on(&locus, open, verdicts, reasons, parameters);
    }

    /// The same at points of a set on which the set's states lie.
    fn prove_on(
        &self,
        locus: &Locus<'g>,
        open: &mut Vec<QuestionId>,
        verdicts: &mut [Option<Verdict>],
        reasons: &mut [String],
        parameters: Parameters,
    ) {
        if open.is_empty() {
            return;
        }
        let questions: Vec<Question> = open.iter().map(|i| self.questions[*i].clone()).collect();
        let all_open = |why: String| vec![Finding::Open(why); questions.len()];
        let findings = match attempt(|| decide(locus, &self.programs, &questions)) {
            Ok(Ok(findings)) => findings,
            Ok(Err(unbound)) => all_open(unbound.to_string()),
            Err(why) => all_open(why.to_string()),
        };
        let met = findings.iter().filter_map(|finding| match finding {
            Finding::Holds(bound) if !bound.cover.is_one => {
                Some((bound.cover.sections, bound.points))
            }
            _ => None,
        });
        let met: Vec<(usize, usize)> = met.collect();
        for (asked, finding) in open.iter().zip(findings) {
            match finding {
                Finding::Holds(bound) => {
                    let proved = Verdict::proved(&bound, parameters);
                    let alike = met.iter().filter(|(sections, _)| {
                        !bound.cover.is_one && *sections == bound.cover.sections
                    });
                    let most = alike.map(|(_, points)| *points).max().unwrap_or(0);
                    let proved = match bound.points < most {
                        true => proved.on_a_part(most),
                        false => proved,
                    };
                    verdicts[*asked] = Some(match self.set.is_parametrised() {
                        true => proved.on_sheet(),
                        false => proved,
                    });
                }
                Finding::Fails => reasons[*asked] = regardless(|| self.why_it_fails(*asked)),
                Finding::FailsAtSome => {
                    PARTLY.clone_into(&mut reasons[*asked]);
                }
                Finding::Open(why) => reasons[*asked] = why,
            }
        }
        open.retain(|asked| verdicts[*asked].is_none());
    }

    /// What may be behind an identity that is none between independent unknowns.
    fn why_it_fails(&self, asked: QuestionId) -> String {
        let Question { left, right, .. } = &self.questions[asked];
        let sides = [left].into_iter().chain(right);
        let mut names: Vec<&str> = sides
            .flat_map(|side| opaque_functions(&self.programs[side.program]))
            .collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() && self.domains[asked].is_some() {
            "without its conditions it does not hold".to_owned()
        } else if names.is_empty() && self.p.system.metric == Metric::Singular {
            "it does not follow from the rows; where masses vanish, Lagrange's equations may say more of the states"
                .to_owned()
        } else if names.is_empty() {
            "it does not hold for every sign of the roots and absolute values, or only by relations between powers and roots of parameters, which are unknowns here".to_owned()
        } else {
            format!(
                "it needs relations of {}, which are unknowns here",
                names.join(", ")
            )
        }
    }
}

/// The verdicts when the time is over: what was proved has not been held against the file's states, so that it
/// is not said to hold.
fn cut_short(verdicts: Vec<Option<Verdict>>, reasons: &[String], why: Why) -> Vec<Verdict> {
    let each = verdicts.into_iter().zip(reasons);
    each.map(|(verdict, reason)| match verdict {
        Some(Verdict::Proved { .. }) => Verdict::undecided(format!(
            "it holds at random points, but the check at the states of the file was not completed: {why}"
        )),
        Some(settled) => settled,
        None if reason.is_empty() => Verdict::undecided(why.to_string()),
        None => Verdict::undecided(format!("{reason}; {why}")),
    })
    .collect()
}
