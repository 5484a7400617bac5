//! Names and words of a derivation that do not depend on its formulas.

use appell_expr::{Ex, Graph, Id, Node, SolveKind};
use appell_mech::{ConstraintRow, Constraints, RowStatus, System, output};
use std::collections::HashSet;

/// The outputs that can be shown, with their meaning.
pub const RESULTS: [(&str, &str); 6] = [
    (output::ACCEL, "accelerations"),
    (output::LAMBDA, "multipliers"),
    (output::REACTION, "reaction, covariant components"),
    (output::ENERGY, "energy E = v.L_v - L and its rate"),
    (output::ENERGY_RATE, "energy E = v.L_v - L and its rate"),
    (output::ENERGY_STAR, "energy of the independent velocities"),
];

/// Letters of the general statements, besides those with an index.
const LETTERS: [&str; 14] = [
    "M", "r", "A", "B", "W", "L", "R", "G", "phi", "psi", "lambda", "q", "v", "z",
];

/// Systems of equations by what they are solved for, in words.
const SYSTEMS: [(&str, &str); 18] = [
    ("a", "the accelerations of the free motion"),
    (
        "alphabar",
        "the dependent velocities, each derivative times its velocity",
    ),
    ("alphabar_rate", "their rates"),
    ("B", "Voronec's coefficients"),
    ("c", "the coefficients of the frame"),
    ("dalpha", "the derivatives of the dependent velocities"),
    ("dalpha_rate", "the rates of these derivatives"),
    ("dY", "the derivatives of the frame"),
    ("eta", "the accelerations along the constraint forces"),
    ("lifted", "the constraint rows, raised by the metric"),
    ("mu", "the multipliers"),
    ("Psi", "the directions that the constraints leave free"),
    ("R", "the reaction"),
    ("raised_rows", "the constraint rows, raised by the metric"),
    ("u", "the quasi-velocities"),
    ("Y", "the frame that the constraints leave free"),
    ("z", "the parameters of the velocities"),
    ("zdot", "the rates of the parameters"),
];

/// What a system of equations is solved for.
pub(super) fn solved_for(name: &str) -> &str {
    let known = SYSTEMS.iter().find(|(other, _)| *other == name);
    known.map_or(name, |(_, words)| words)
}

/// What a system of equations is solved for, and which solution is meant where there are several.
pub(super) fn system_of(name: &str, kind: &str) -> String {
    let least = SolveKind::OfRows { unique: 0 }.words();
    match kind == least {
        true => format!("{} ({kind})", solved_for(name)),
        false => solved_for(name).to_owned(),
    }
}

/// What is to be said about a row that does not simply enter with a multiplier.
pub(super) fn remark(row: &ConstraintRow<'_>, constraints: &Constraints<'_>) -> String {
    let mut remarks: Vec<String> = Vec::new();
    if let (Some(_), RowStatus::Merged(_)) = (row.position, &row.status) {
        remarks.push("holonomic".to_owned());
    } else if row.position.is_some() {
        remarks.push("holonomic, enters by its derivative".to_owned());
    } else if row.phi.is_none() {
        remarks.push("given for the accelerations".to_owned());
    }
    match row.status {
        RowStatus::Active(_) => {}
        RowStatus::Void => remarks.push("void, multiplier 0".to_owned()),
        RowStatus::Dropped => remarks.push("left out, multiplier 0".to_owned()),
        RowStatus::Merged(twin) => {
            let name = constraints
                .rows
                .get(twin)
                .map_or("another row", |row| row.name.as_str());
            remarks.push(format!("one with {name}, which carries the multiplier"));
        }
    }
    if !row.is_ideal() {
        remarks.push("the reaction has its own direction".to_owned());
    }
    remarks.join("; ")
}

/// A remark where the model's own names are letters of the general statement as well.
pub(super) fn ambiguity(system: &System<'_>) -> Option<String> {
    let names = model_names(system);
    let both: Vec<&str> = LETTERS
        .into_iter()
        .filter(|letter| names.contains(*letter))
        .collect();
    let (last, others) = both.split_last()?;
    let (list, they, are) = if others.is_empty() {
        (format!("{last} is a name"), "it", "is")
    } else {
        (
            format!("{} and {last} are names", others.join(", ")),
            "they",
            "are",
        )
    };
    Some(format!(
        "{list} of the model too. Inside formulas {they} {are} the model's; in front of a \
         matrix, with an index, and in the general statement {they} {are} not."
    ))
}

/// The names of coordinates, parameters and motion variables.
fn model_names(system: &System<'_>) -> HashSet<String> {
    let model = system.model;
    let coordinates = model.coordinates.iter().map(|c| c.name.clone());
    let parameters = model.parameters.iter().map(|p| p.name.clone());
    let variables = model.motion.variables.iter().map(|z| z.name.clone());
    coordinates.chain(parameters).chain(variables).collect()
}

/// A word such that no symbol among `ids` is called this word with a number.
pub(super) fn abbreviation_prefix(graph: &Graph, ids: &[Id], system: &System<'_>) -> String {
    let mut taken = model_names(system);
    taken.extend(ids.iter().filter_map(|id| match graph.node(*id) {
        Node::Symbol(index) => Some(graph.symbol_name(index)),
        _ => None,
    }));
    let stems: HashSet<&str> = taken
        .iter()
        .map(|name| {
            let stem = name.split('[').next().unwrap_or_default();
            stem.trim_end_matches('\'')
                .trim_end_matches(|c: char| c.is_ascii_digit())
        })
        .collect();
    let mut prefix = "c".to_owned();
    for candidate in ["c", "k", "h", "s", "d"] {
        if !stems.contains(candidate) {
            return candidate.to_owned();
        }
    }
    while stems.contains(prefix.as_str()) {
        prefix.push('c');
    }
    prefix
}

/// The symbol of a component, such as `M[x,theta]`; no name of a model has brackets.
pub(super) fn component<'g>(graph: &'g Graph, letter: &str, indices: &[&str]) -> Ex<'g> {
    graph.symbol(&format!("{letter}[{}]", indices.join(",")))
}
