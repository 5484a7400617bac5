//! Equilibria and steady motions, as text.

use super::check::status_word;
use super::layout::{listed, wrapped};
use super::number::{size, value};
use appell_study::questions::equilibria::{Equilibria, Kind, SteadyState};
use appell_study::values::prepared::Prepared;

/// What was found, state by state, and what had to be left out.
pub(super) fn equilibria_lines(p: &Prepared<'_>, found: &Equilibria) -> Vec<String> {
    let mut lines = wrapped(&format!("searched {}", found.searched));
    if !found.steady_in.is_empty() {
        let kept = found.steady_in.join(", ");
        let ignorable = match found.ignorable.is_empty() {
            true => "no coordinate is ignorable".to_owned(),
            false => format!("ignorable: {}", found.ignorable.join(", ")),
        };
        lines.extend(wrapped(&format!("steady motions keep {kept}; {ignorable}")));
    }
    lines.extend(found.states.iter().flat_map(|state| state_lines(p, state)));
    for excluded in &found.excluded {
        lines.extend(wrapped(&format!("excluded: {}", excluded.why)));
    }
    if found.states.is_empty() && !found.why.contains_key("states") {
        lines.push("none was found".to_owned());
    }
    lines.extend(found.why.iter().flat_map(|(key, why)| {
        let key = if *key == "steady_in" {
            "steady motions"
        } else {
            key
        };
        wrapped(&format!("{key}: {why}"))
    }));
    lines
}

fn state_lines(p: &Prepared<'_>, state: &SteadyState) -> Vec<String> {
    let coordinates = || p.model.coordinates.iter().map(|c| c.name.clone());
    let places = coordinates().zip(&state.q);
    let rates = coordinates().map(|name| format!("{name}'")).zip(&state.v);
    let (head, all): (&str, Vec<(String, &f64)>) = match state.kind {
        Kind::Equilibrium => ("equilibrium", places.collect()),
        Kind::SteadyMotion => ("steady motion", places.chain(rates).collect()),
    };
    let items = all
        .into_iter()
        .map(|(name, x)| format!("{name} = {}", value(*x)));
    let family = match state.family {
        Some(0) => "isolated".to_owned(),
        Some(dimension) => format!("one of a family of dimension {dimension}"),
        None => {
            let directions = match state.open {
                1 => "1 direction".to_owned(),
                open => format!("{open} directions"),
            };
            format!("family undecided, the linear part leaves {directions} open")
        }
    };
    let status = status_word(state.status);
    let mut lines = vec![format!(
        "{head}: {family}, {status}, residual {}",
        size(state.residual)
    )];
    let stability = wrapped(&state.stability);
    let inside = listed(items).into_iter().chain(stability);
    lines.extend(inside.map(|line| format!("  {line}")));
    lines
}
