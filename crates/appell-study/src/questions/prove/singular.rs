//! States that a claim calls singular: all minors of `A` of its generic rank vanish there.

use super::constraint_set::ConstraintSet;
use super::{Parameters, Verdict};
use crate::constraints::classes::singular_set::without_rows;
use crate::motion::claims::{SINGULAR_SAMPLES, is_of_time, singular_deviation};
use crate::values::prepared::Prepared;
use appell_expr::{Ex, Finding, Locus, Matrix, Question, Sketch, decide};
use appell_model::Condition;

/// So many states are looked at where some of the set are known to be regular, over the complex numbers at least.
const MORE_SAMPLES: u32 = 40;

/// Whether the rows lose rank wherever these conditions hold.
pub(super) fn verdict<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    conditions: &[Condition],
) -> Verdict {
    match singular_deviation(p, conditions, SINGULAR_SAMPLES) {
        Ok(0.0) => {}
        Ok(_) => return is_regular(),
        Err(why) => return Verdict::undecided(why.to_string()),
    }
    let Some((minors, auxiliary)) = minors(p) else {
        return Verdict::undecided("singular at scattered states; too many rows for a proof");
    };
    let mut open = None;
    for solve_rows in [true, false] {
        let locus = locus(p, set, conditions, &auxiliary, solve_rows);
        match vanishes_on(&locus, minors) {
            Finding::Holds(bound) => return Verdict::proved(&bound, Parameters::Any),
            Finding::Open(why) => open = Some(why),
            // Where a state of the set is regular, a choice of the others proves nothing.
            Finding::Fails | Finding::FailsAtSome => {
                if singular_deviation(p, conditions, MORE_SAMPLES).is_ok_and(|found| found > 0.0) {
                    return is_regular();
                }
                open = None;
                break;
            }
        }
    }
    let scattered = "singular at scattered states, in double precision";
    Verdict::undecided(match open {
        Some(why) => format!("{scattered}; {why}"),
        None => format!("{scattered}; the determinants do not vanish on all of the set"),
    })
}

fn is_regular() -> Verdict {
    Verdict::Refuted {
        witness: None,
        why: Some("a state that satisfies its equations is regular".to_owned()),
    }
}

fn vanishes_on(locus: &Locus<'_>, x: Ex<'_>) -> Finding {
    let graph = x.graph();
    let symbols: Vec<Ex<'_>> = locus.symbols().iter().map(|s| graph.ex(s.id())).collect();
    let mut sketch = Sketch::new(graph);
    sketch.output_list("minors", &[x]);
    let program = match sketch.program(&symbols, &["minors"]) {
        Ok(program) => program,
        Err(unbound) => return Finding::Open(unbound.to_string()),
    };
    let question = Question::zeros(1);
    match decide(locus, &[program], &[question]) {
        Ok(mut findings) => findings.remove(0),
        Err(unbound) => Finding::Open(unbound.to_string()),
    }
}

/// The states that satisfy the conditions and the constraints.
fn locus<'g>(
    p: &Prepared<'g>,
    set: &ConstraintSet<'g>,
    conditions: &[Condition],
    auxiliary: &[Ex<'g>],
    solve_rows: bool,
) -> Locus<'g> {
    let graph = p.system.graph;
    let gaps = conditions.iter().map(|c| graph.ex(c.difference));
    let moving = |x: &Ex<'g>| p.system.v.iter().any(|v| x.depends_on(*v));
    let (of_state, on_time): (Vec<_>, Vec<_>) = gaps.partition(|gap| !is_of_time(p, *gap));
    let (on_velocities, on_positions): (Vec<_>, Vec<_>) = of_state.into_iter().partition(moving);
    let symbols = set.symbols.iter().chain(auxiliary).copied();
    let mut locus = Locus::new(symbols.collect());
    locus.on(on_time, vec![p.system.t]);
    let positions = set.position_rows.iter().copied().chain(on_positions);
    locus.on(positions.collect(), p.system.q.clone());
    let rows = set.velocity_rows.clone();
    if solve_rows {
        locus.on([rows, on_velocities].concat(), p.system.v.clone());
    } else {
        locus.on(on_velocities, p.system.v.clone());
        locus.keep(rows);
    }
    locus
}

/// `det(D A C)` with new symbols for the entries of `D` and `C`: by the formula of Cauchy and
/// Binet it is zero where all minors are. Where the rows do not tell, the determinant of the equations of motion.
fn minors<'g>(p: &Prepared<'g>) -> Option<(Ex<'g>, Vec<Ex<'g>>)> {
    let (graph, constraints) = (p.system.graph, &p.constraints);
    let (k, n) = (constraints.k(), p.system.n());
    let rank = constraints.chart.as_ref().map(|chart| chart.rows.len());
    if let Some(all) = without_rows(p, || rank == Some(k)) {
        return Some((all.determinant()?, Vec::new()));
    }
    let rank = rank?;
    let mut auxiliary = Vec::new();
    let mut unknowns = |name: &str, rows: usize, columns: usize| {
        Matrix::from_fn(graph, rows, columns, |i, j| {
            let symbol = graph.symbol(&format!("{name}[{},{}]", i + 1, j + 1));
            auxiliary.push(symbol);
            symbol
        })
    };
    let (left, right) = (unknowns("D", rank, k), unknowns("C", n, rank));
    let square = &(&left * &constraints.a) * &right;
    Some((square.determinant()?, auxiliary))
}
