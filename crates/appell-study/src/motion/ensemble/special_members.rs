//! Members whose parameters have special values, as `k = 1` of a row `x' + k*y' = 0` beside `x' + y' = 0`.
//!
//! The equations of the others are singular for them: they end where they begin. Those that share the special values
//! have equations of their own, as a single run of one of them has.

use super::generic::special_among;
use super::parts::{PreparedEnsemble, made};
use crate::values::error::Error;
use appell_flow::ensemble::{Ending, Report};

/// More groups of special values are not looked for.
const MAX_GROUPS: usize = 32;

/// A member whose equations are singular at its start.
pub(super) struct SingularMember {
    place: usize,
    t: f64,
    y: Vec<f64>,
    steps: u32,
    rejected: u32,
    alone: Option<String>,
}

impl SingularMember {
    /// What is reported of a member, if that is its end at the first time, and singular.
    pub fn at_the_start(report: &Report<'_>, t0: f64) -> Option<Self> {
        match *report {
            Report::End {
                member,
                t,
                y,
                ending: Ending::Singular,
                steps,
                rejected,
                alone,
            } if t == t0 => Some(Self {
                place: member,
                t,
                y: y.to_vec(),
                steps,
                rejected,
                alone: alone.map(str::to_owned),
            }),
            _ => None,
        }
    }

    fn report(&self) -> Report<'_> {
        Report::End {
            member: self.place,
            t: self.t,
            y: &self.y,
            ending: Ending::Singular,
            steps: self.steps,
            rejected: self.rejected,
            alone: self.alone.as_deref(),
        }
    }
}

impl PreparedEnsemble<'_, '_, '_> {
    /// Runs members that are stuck, by their special values, and reports of all of them. `values` are the parameters that
    /// differ of the member at a place; `run` runs those at some places with other parts.
    ///
    /// One piece: which members make a group, and what becomes of it.
    ///
    /// # Errors
    /// As `run`.
    pub(super) fn with_special_equations<'v>(
        &self,
        mut stuck: Vec<SingularMember>,
        values: &dyn Fn(usize) -> &'v [f64],
        mut run: impl FnMut(
            &PreparedEnsemble<'_, '_, '_>,
            &[usize],
            &mut dyn FnMut(Report<'_>),
        ) -> Result<(), Error>,
        report: &mut dyn FnMut(Report<'_>),
    ) -> Result<(), Error> {
        let Some(given) = self.given else {
            return Ok(());
        };
        let all: Vec<usize> = (0..self.dependence.varied.len()).collect();
        let mut tried = Vec::new();
        for _ in 0..MAX_GROUPS {
            let Some(one) = stuck.first() else {
                return Ok(());
            };
            let of_one = values(one.place);
            let mut parameters = self.p.parameters.to_vec();
            for (place, value) in self.dependence.varied.iter().zip(of_one) {
                parameters[*place] = *value;
            }
            let p = self.p.with_parameters(parameters);
            let special = special_among(&p, &self.dependence.varied);
            let special_values: Vec<f64> = special.iter().map(|i| of_one[*i]).collect();
            let has_equations =
                !special.is_empty() && !tried.contains(&(special.clone(), special_values.clone()));
            // Members of the same parameters are not looked at again.
            let shared = if has_equations { &special } else { &all };
            let shares = |other: &SingularMember| {
                let other = values(other.place);
                shared.iter().all(|i| other[*i] == of_one[*i])
            };
            let (group, others): (Vec<SingularMember>, Vec<SingularMember>) =
                stuck.into_iter().partition(shares);
            stuck = others;
            let mut again = Vec::new();
            let places: Vec<usize> = group.iter().map(|member| member.place).collect();
            let whole = Some(self.whole.unwrap_or(places.len()));
            let mut run_group = |ensemble: &PreparedEnsemble<'_, '_, '_>| {
                let is_alike = ensemble.state_names() == self.state_names()
                    && ensemble.carrier == self.carrier
                    && ensemble.dependence.varied == self.dependence.varied;
                // Those of even more special values have other equations still.
                let mut told = |known: Report<'_>| {
                    let known = known.of_member(|i| places[i]);
                    let stuck = SingularMember::at_the_start(&known, group[0].t);
                    let differs = |stuck: &SingularMember| values(stuck.place) != of_one;
                    match stuck.filter(differs) {
                        Some(stuck) => again.push(stuck),
                        None => report(known),
                    }
                };
                match is_alike {
                    true => run(ensemble, &places, &mut told).map(|()| true),
                    false => Ok(false),
                }
            };
            // Where there are no equations for them, they stay where they are.
            let has_run = has_equations
                && made(&p, given, whole, true, &mut run_group).unwrap_or(Ok(false))?;
            match has_run {
                true => stuck.extend(again),
                false => group.iter().for_each(|member| report(member.report())),
            }
            tried.push((special, special_values));
        }
        stuck.iter().for_each(|member| report(member.report()));
        Ok(())
    }
}
