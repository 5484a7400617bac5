//! The functions that formulas may call, by name.

use appell_expr::{Ast, AstKind, Function};

/// Functions that are results.
pub(crate) const FUNCTIONS: [&str; 12] = [
    "alphabar",
    "alpha_dep",
    "B",
    "D",
    "M",
    "Gz",
    "multiplier",
    "power",
    "reaction",
    "reaction_up",
    "R",
    "torque_R",
];

/// Functions of vectors, with their numbers of arguments.
pub(crate) const VECTORS: [(&str, usize); 4] = [("dot", 2), ("cross", 2), ("norm", 1), ("unit", 1)];

/// Functions of points, bodies and frames.
pub(crate) const KINEMATICS: [&str; 6] = ["pos", "v", "a", "omega", "alpha", "vec"];

/// Functions whose first argument is a name: of a point, body, frame, constraint or motion variable.
pub(crate) const OF_NAMES: [&str; 11] = [
    "pos",
    "v",
    "a",
    "omega",
    "alpha",
    "vec",
    "multiplier",
    "power",
    "R",
    "torque_R",
    "Gz",
];

/// For each node, whether it is a name that only its function understands.
pub(crate) fn labels(ast: &Ast) -> Vec<bool> {
    let mut labels = vec![false; ast.nodes.len()];
    for node in &ast.nodes {
        if let AstKind::Call { name, args, .. } = &node.kind
            && OF_NAMES.contains(&name.as_str())
        {
            let names = if name == "Gz" { 2 } else { 1 };
            for arg in args.iter().take(names) {
                labels[arg.index()] = matches!(ast.node(*arg).kind, AstKind::Name(_));
            }
        }
    }
    labels
}

/// How many arguments a function takes, if it is one.
pub(crate) fn arity(name: &str) -> Option<usize> {
    match name {
        "sqrt" | "pos" | "a" | "omega" | "alpha" => Some(1),
        "vec" => Some(4),
        "D" | "B" | "M" | "Gz" => Some(2),
        _ if FUNCTIONS.contains(&name) => Some(1),
        _ => {
            let vector = VECTORS
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, arity)| *arity);
            vector.or_else(|| Function::from_name(name).map(Function::arity))
        }
    }
}

/// Whether a function bears this name.
pub(crate) fn is_function(name: &str) -> bool {
    name == "v" || arity(name).is_some()
}

/// Every function name, for suggestions.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    let elementary = Function::TABLE.iter().map(|row| row.1);
    let vectors = VECTORS.iter().map(|(name, _)| *name);
    elementary
        .chain(["sqrt"])
        .chain(vectors)
        .chain(KINEMATICS)
        .chain(FUNCTIONS)
}
