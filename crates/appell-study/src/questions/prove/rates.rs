//! Rates along motions of what is claimed to be constant.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Sketch};
use appell_mech::{Equations, FORMALISMS, output, third_derivatives};
use appell_model::Quantity;

/// `dx/dt` along the field of a formalism, where `q''` and the rates of results are bound. Where `x` speaks of
/// accelerations, their rates are appended to the sketch.
pub(super) fn rate<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    sketch: &mut Sketch<'g>,
    x: Ex<'g>,
) -> Result<Ex<'g>, String> {
    let (system, graph) = (&p.system, p.system.graph);
    let mut terms = vec![system.total_rate(x)];
    if system.a.iter().any(|a| x.depends_on(*a)) {
        let third = third(p, form, sketch)?;
        let pairs = system.a.iter().zip(third);
        terms.extend(pairs.map(|(a, rate)| x.diff(*a) * rate));
    }
    let variables = p.model.motion.variables.iter();
    let variables = variables.map(|z| (graph.ex(z.symbol), graph.ex(z.rate)));
    for (symbol, rate) in variables {
        if x.depends_on(rate) {
            return Err(underived(rate));
        }
        terms.push(x.diff(symbol) * rate);
    }
    for (quantity, symbol) in &p.model.quantities {
        let symbol = graph.ex(*symbol);
        if x.depends_on(symbol) {
            let rate = rate_of_quantity(p, form, quantity, symbol)?;
            terms.push(x.diff(symbol) * rate);
        }
    }
    Ok(graph.sum(&terms))
}

/// The rates of the accelerations, by the equations with multipliers.
fn third<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    sketch: &mut Sketch<'g>,
) -> Result<Vec<Ex<'g>>, String> {
    if form.formalism.id != FORMALISMS[0].id {
        return Err("the rates of accelerations are derived by `multipliers` only".to_owned());
    }
    if p.model.inputs().next().is_some() {
        return Err("accelerations change with the inputs, whose rates are not known".to_owned());
    }
    Ok(third_derivatives(&p.system, &p.constraints, sketch))
}

fn rate_of_quantity<'g>(
    p: &Prepared<'g>,
    form: &Equations<'g>,
    quantity: &Quantity,
    symbol: Ex<'g>,
) -> Result<Ex<'g>, String> {
    let system = &p.system;
    let kinetic = || p.model.kinetic.map(|kinetic| system.graph.ex(kinetic));
    match quantity {
        Quantity::Energy => Ok(system.total_rate(system.energy)),
        Quantity::LagrangianStar => Ok(system.total_rate(system.lagrangian)),
        Quantity::KineticStar => kinetic()
            .map(|kinetic| system.total_rate(kinetic))
            .ok_or_else(|| "the model gives a Lagrangian, no kinetic energy".to_owned()),
        Quantity::Mass(i, j) => Ok(system.total_rate(system.mass[(*i, *j)])),
        Quantity::AlphaDependent(i) => Ok(system.a[*i]),
        Quantity::EnergyStar => {
            let rate = form.sketch.get(output::ENERGY_STAR_RATE);
            let rate = rate.map(|rate| rate[(0, 0)]);
            rate.ok_or_else(|| "E* is not available".to_owned())
        }
        _ => Err(underived(symbol)),
    }
}

fn underived(symbol: Ex<'_>) -> String {
    format!("the rate of {symbol} is not derived; `appell run` follows it")
}
