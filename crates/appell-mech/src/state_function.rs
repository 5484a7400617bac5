//! Functions of the state that a claim may name.

use crate::constraints::Constraints;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::Ex;
use appell_model::Quantity;

pub(crate) type Found<'g> = Result<Ex<'g>, Unavailable>;

/// Quantities that are functions of `(q, v, t)` by themselves.
pub(crate) fn state_function<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    quantity: &Quantity,
) -> Found<'g> {
    match quantity {
        Quantity::Energy => Ok(system.energy),
        Quantity::LagrangianStar => Ok(system.lagrangian),
        Quantity::KineticStar => match system.model.kinetic {
            Some(kinetic) => Ok(system.graph.ex(kinetic)),
            None => Err(Unavailable(
                "the model gives a Lagrangian, no kinetic energy".to_owned(),
            )),
        },
        Quantity::AlphaDependent(i) => Ok(system.v[*i]),
        Quantity::Mass(i, j) => Ok(system.mass[(*i, *j)]),
        Quantity::Gram(i, j) => match &constraints.parametric {
            Some(p) => Ok((&(&p.partial.transpose() * &system.mass) * &p.partial)[(*i, *j)]),
            None => Err(Unavailable(
                "the model gives no v = psi(q, z, t)".to_owned(),
            )),
        },
        _ => Err(Unavailable(
            "it is not a function of the state alone".to_owned(),
        )),
    }
}
