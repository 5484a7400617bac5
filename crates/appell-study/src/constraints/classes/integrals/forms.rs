//! Forms `Sum a_i dx_i` on the coordinates and the time, and which combinations with functions as
//! factors can be integrated.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Fractions, Matrix, vanishes};
use appell_mech::{forms, solved, states_on};

/// More independent directions are not bracketed with each other.
const MAX_FIELDS: usize = 8;
/// Products of terms while a system is solved once more, for other components: what takes longer has no factor that
/// is found.
const SOLVED_WORK: usize = 60_000;

/// The components by the coordinates, the time last where it takes part.
pub(super) type Form<'g> = Vec<Ex<'g>>;

/// The forms of rows that are affine in the velocities.
pub(super) fn forms_of<'g>(p: &Prepared<'g>, rows: &[Ex<'g>], with_time: bool) -> Vec<Form<'g>> {
    let matrix = forms(&p.system, rows);
    let width = p.system.n() + usize::from(with_time);
    let entries = matrix.entries().chunks(p.system.n() + 1);
    entries.map(|form| form[..width].to_vec()).collect()
}

/// The combinations that Frobenius' theorem admits: the last of the derived systems, of which each
/// leaves those whose differentials vanish on the fields that the system before annihilates.
/// `None` where quotients grow too large.
pub(super) fn integrable_part<'g>(
    p: &Prepared<'g>,
    mut system: Vec<Form<'g>>,
    coordinates: &[Ex<'g>],
) -> Option<Vec<Form<'g>>> {
    let graph = p.system.graph;
    let mut field = Fractions::new(graph, coordinates);
    loop {
        let fields = annihilated(p, &mut field, &system, 0)?.1;
        if fields.len() > MAX_FIELDS {
            return None;
        }
        let pairs = (0..fields.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let mut values = Vec::new();
        for (i, j) in &pairs {
            for form in &system {
                let value = differential(form, &fields[*i], &fields[*j], coordinates);
                values.push(field.simplified(value));
            }
        }
        values.push(graph.zero());
        if values.iter().all(|x| vanishes(*x)) {
            return Some(system);
        }
        let count = system.len();
        let matrix = Matrix::from_fn(graph, pairs.len(), count + 1, |i, j| match j < count {
            true => values[i * count + j],
            false => graph.zero(),
        });
        let locus = states_on(&p.system, &p.constraints, &[], &[]);
        let order: Vec<usize> = (0..count).collect();
        let factors = solved(&locus, &matrix, &order, &mut |x| field.simplified(x))?.kernel(graph);
        let combined = factors.iter().map(|factors| {
            let component = |i: usize| {
                let terms = factors.iter().zip(&system).map(|(f, form)| *f * form[i]);
                graph.sum(&terms.collect::<Vec<_>>())
            };
            (0..coordinates.len()).map(component).collect::<Form<'g>>()
        });
        let combined: Vec<Form<'g>> = combined.collect();
        if combined.is_empty() {
            return Some(Vec::new());
        }
        system = combined
            .iter()
            .map(|form| field.cleared(form).unwrap_or_else(|| form.clone()))
            .collect();
    }
}

/// The same system solved for as many components, from this one on; `None` where quotients grow too large.
pub(super) fn solved_from<'g>(
    p: &Prepared<'g>,
    system: &[Form<'g>],
    coordinates: &[Ex<'g>],
    first: usize,
) -> Option<Vec<Form<'g>>> {
    let mut field = Fractions::new(p.system.graph, coordinates).within(SOLVED_WORK);
    let forms = annihilated(p, &mut field, system, first)?.0;
    (field.left() > 0).then_some(forms)
}

#[allow(clippy::type_complexity, reason = "forms and fields")]
fn annihilated<'g>(
    p: &Prepared<'g>,
    field: &mut Fractions<'g>,
    system: &[Form<'g>],
    first: usize,
) -> Option<(Vec<Form<'g>>, Vec<Form<'g>>)> {
    let graph = p.system.graph;
    let width = system.first()?.len();
    let matrix = Matrix::from_fn(graph, system.len(), width + 1, |i, j| match j < width {
        true => system[i][j],
        false => graph.zero(),
    });
    let locus = states_on(&p.system, &p.constraints, &[], &[]);
    let order: Vec<usize> = (0..width).map(|i| (first + i) % width).collect();
    let solved = solved(&locus, &matrix, &order, &mut |x| field.simplified(x))?;
    let forms = solved.dependent.iter().zip(&solved.rows).map(|(d, line)| {
        let mut form = vec![graph.zero(); width];
        form[*d] = graph.one();
        for (j, x) in solved.independent.iter().zip(line) {
            form[*j] = *x;
        }
        field.cleared(&form).unwrap_or(form)
    });
    let forms = forms.collect();
    Some((forms, solved.kernel(graph)))
}

/// `d omega (u, w) = Sum_ij d_i omega_j (u_i w_j - u_j w_i)`.
pub(super) fn differential<'g>(
    form: &[Ex<'g>],
    u: &[Ex<'g>],
    w: &[Ex<'g>],
    coordinates: &[Ex<'g>],
) -> Ex<'g> {
    let graph = form[0].graph();
    let mut terms = Vec::new();
    for i in 0..form.len() {
        for j in 0..i {
            let turn = form[j].diff(coordinates[i]) - form[i].diff(coordinates[j]);
            if !turn.is_zero() {
                terms.push(turn * (u[i] * w[j] - u[j] * w[i]));
            }
        }
    }
    graph.sum(&terms)
}
