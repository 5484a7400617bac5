//! The geometry of linear constraints on a Riemannian or pseudo-Riemannian manifold: what Benenti 1996
//! reads off the metric `g = M(q)` and the covectors `K^a` of the rows `K^a_i v^i = 0`.

use crate::constraints::{ConstraintRow, Constraints};
use crate::formalisms::identity;
use crate::system::{Metric, System, gradient};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Matrix, Node, Rational, Sketch, SolveKind, is_free_of, vanishes};

/// `g`, `K` and what follows from them without a derivative.
///
/// `G^ab = K^a.K^b` is regular: the metric is not degenerate on the constraint [benenti1996, sect. 5].
pub(crate) struct Geometry<'g> {
    /// `g^ij`, n x n.
    pub raised: Matrix<'g>,
    /// `K^a_i`, k x n.
    pub covectors: Matrix<'g>,
    /// `K^ai = g^ij K^a_j`, as columns, n x k.
    pub vectors: Matrix<'g>,
    /// `G^ab`, k x k.
    pub gram: Matrix<'g>,
    /// `G_ab`, its inverse.
    pub gram_inverse: Matrix<'g>,
    /// `G_ab K^bi`, as columns, n x k.
    pub dual: Matrix<'g>,
    /// `G^i_j = G_ab K^ai K^b_j`, n x n (printed with an index twice in (13)).
    pub reacting: Matrix<'g>,
    /// `P = 1 - G`, n x n (16).
    pub admitted: Matrix<'g>,
    /// `Q_i = -V_i + F_i`: forces and potential, n x 1.
    pub forces: Matrix<'g>,
}

impl<'g> Geometry<'g> {
    /// Writes the inverses of `g` and `G^ab` as linear systems, `shown` to a person or not.
    ///
    /// # Errors
    /// `T` is not `1/2 g_ij(q) v^i v^j` with a regular `g`, a row is not `K_i(q) v^i = 0`, rows are
    /// dependent, or a reaction is not along its row.
    pub fn new(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        sketch: &mut Sketch<'g>,
        shown: bool,
    ) -> Result<Self, Unavailable> {
        let refused = |why: String| Err(Unavailable(why));
        if let Some(why) = not_a_metric(system) {
            return refused(why);
        }
        if !constraints.ideal {
            return refused("the reaction is not Chetaev's".to_owned());
        }
        let mut active = constraints.active();
        if let Some(why) = active.find_map(|row| not_linear(system, row)) {
            return refused(why);
        }
        let (graph, k) = (system.graph, constraints.k());
        let independent = |rows: &[usize]| rows.len() == k;
        let chart = constraints.chart.as_ref();
        if k > 0 && !chart.is_some_and(|chart| independent(&chart.rows)) {
            return refused("the rows are dependent: the G^ab have no inverse".to_owned());
        }
        let raised = inverse(system, sketch, "g_up", &system.mass);
        let covectors = constraints.a.clone();
        let vectors = product(&raised, &covectors.transpose());
        let gram = product(&covectors, &vectors);
        let gram = match shown {
            true => gram.map(|x| of_fewest_coordinates(system, x)),
            false => gram,
        };
        let gram_inverse = inverse(system, sketch, "G_down", &gram);
        let dual = product(&vectors, &gram_inverse);
        let reacting = product(&dual, &covectors);
        let at_rest: Vec<_> = system.v.iter().map(|v| (*v, graph.zero())).collect();
        let potential = system.lagrangian.substitute(&at_rest);
        Ok(Self {
            admitted: &identity(graph, system.n()) - &reacting,
            forces: &gradient(graph, potential, &system.q) + &system.force,
            raised,
            covectors,
            vectors,
            gram,
            gram_inverse,
            dual,
            reacting,
        })
    }

    /// `Gamma_l,hj v^h`, n x n in (l, j): `1/2 (g_lj' + d_j p_l - d_l p_j)` with `p = g v`.
    pub fn transport(&self, system: &System<'g>) -> Matrix<'g> {
        let momentum = &system.mass * &system.velocity();
        let by_q = Matrix::jacobian(system.graph, momentum.entries(), &system.q);
        let rate = system.mass.map(|x| system.drift(x));
        (&(&rate + &by_q) - &by_q.transpose()).map(|x| x / 2)
    }

    /// `v^h nabla_h K^a_j`, k x n in (a, j), with [`Self::transport`].
    pub fn turning(&self, system: &System<'g>, transport: &Matrix<'g>) -> Matrix<'g> {
        let rate = self.covectors.map(|x| system.drift(x));
        &rate - &product(&self.vectors.transpose(), transport)
    }

    /// The Christoffel symbols `Gamma^i_hj`: for each h a matrix in (i, j).
    pub fn christoffel(&self, system: &System<'g>) -> Vec<Matrix<'g>> {
        let (graph, n, g) = (system.graph, system.n(), &system.mass);
        let by = |l: usize| g.map(|x| x.diff(system.q[l]));
        let d: Vec<Matrix<'g>> = (0..n).map(by).collect();
        let first = |h: usize| {
            Matrix::from_fn(graph, n, n, |l, j| {
                (d[h][(l, j)] + d[j][(l, h)] - d[l][(h, j)]) / 2
            })
        };
        (0..n).map(|h| product(&self.raised, &first(h))).collect()
    }

    /// `nabla_h K^a_j = d_h K^a_j - Gamma^l_hj K^a_l`: for each h a matrix in (a, j).
    pub fn covariant(&self, system: &System<'g>, christoffel: &[Matrix<'g>]) -> Vec<Matrix<'g>> {
        let partial = |h: usize| self.covectors.map(|x| x.diff(system.q[h]));
        let along =
            |(h, gamma): (usize, &Matrix<'g>)| &partial(h) - &product(&self.covectors, gamma);
        christoffel.iter().enumerate().map(along).collect()
    }

    /// A derivative of `G^i_j` from that of `K`, (a, j): `G_ab K^bi E^a_j + E^ai G_ab K^b_j`, `E = dK P`.
    ///
    /// For `G` is a projector and symmetric: `dG = P dG G + G dG P`.
    pub fn change_of_reacting(&self, change: &Matrix<'g>) -> Matrix<'g> {
        let bent = product(change, &self.admitted);
        let raised = product(&self.raised, &bent.transpose());
        let lowered = product(&self.gram_inverse, &self.covectors);
        &product(&self.dual, &bent) + &product(&raised, &lowered)
    }
}

/// The inverse of a symmetric matrix, block by block: numbers alone in their row are divided by, each
/// other block is a linear system. What is zero stays zero in print.
fn inverse<'g>(
    system: &System<'g>,
    sketch: &mut Sketch<'g>,
    name: &str,
    matrix: &Matrix<'g>,
) -> Matrix<'g> {
    let (graph, size) = (system.graph, matrix.rows());
    let mut entries = vec![graph.zero(); size * size];
    for block in blocks(matrix) {
        let part = matrix.select_rows(&block).select_columns(&block);
        let inverse = match block.as_slice() {
            [i] => Matrix::column(graph, vec![cancelled(matrix[(*i, *i)].recip())]),
            _ => {
                let unit = identity(graph, block.len());
                sketch.solve(kind(system), name, &part, &unit)
            }
        };
        for (a, i) in block.iter().enumerate() {
            for (b, j) in block.iter().enumerate() {
                entries[i * size + j] = inverse[(a, b)];
            }
        }
    }
    Matrix::from_fn(graph, size, size, |i, j| entries[i * size + j])
}

/// A product of matrices, its entries without fractions in fractions.
pub(crate) fn product<'g>(a: &Matrix<'g>, b: &Matrix<'g>) -> Matrix<'g> {
    (a * b).map(cancelled)
}

/// `1/(1/x)` and `x (1/x)` written as `x` and `1`, term by term: where `x` vanishes, or has no value,
/// there is no metric or no frame, so nothing is lost.
fn cancelled(x: Ex<'_>) -> Ex<'_> {
    let graph = x.graph();
    match x.node() {
        Node::Sum(constant, parts) => {
            let term = |(x, c): &(_, Rational)| cancelled(graph.ex(*x)) * graph.number(c.clone());
            graph.sum(&parts.iter().map(term).collect::<Vec<_>>()) + graph.number(constant)
        }
        Node::Product(_) => {
            let mut powers = Vec::new();
            let factor = flattened(x, 1, &mut powers, NESTING);
            let powers = powers.into_iter();
            powers.fold(factor, |all, (base, e)| all * base.pow(e))
        }
        _ => x,
    }
}

/// Fractions are looked for so deep.
const NESTING: usize = 8;

/// Collects `x^e` as powers of bases that are no products, and returns what it leaves as a factor.
fn flattened<'g>(x: Ex<'g>, e: i64, powers: &mut Vec<(Ex<'g>, i64)>, depth: usize) -> Ex<'g> {
    let graph = x.graph();
    if let (Node::Product(factors), true) = (x.node(), depth > 0) {
        let exponents: Option<Vec<i64>> = factors.iter().map(|(_, f)| f.to_i64()).collect();
        if let Some(exponents) = exponents {
            let parts = factors.iter().zip(exponents);
            return parts.fold(graph.one(), |all, ((base, _), f)| {
                all * flattened(graph.ex(*base), e * f, powers, depth - 1)
            });
        }
    }
    if let (Node::Sum(constant, parts), true) = (x.node(), depth > 0)
        && let ([(base, c)], true) = (parts.as_ref(), constant.is_zero())
    {
        let number = graph.number(c.clone()).pow(e);
        return number * flattened(graph.ex(*base), e, powers, depth - 1);
    }
    match powers.iter_mut().find(|(base, _)| *base == x) {
        Some((_, sum)) => *sum += e,
        None => powers.push((x, e)),
    }
    graph.one()
}

/// The expression with those coordinates put to 0 on which it is proved not to depend.
fn of_fewest_coordinates<'g>(system: &System<'g>, x: Ex<'g>) -> Ex<'g> {
    system.q.iter().fold(x, |x, q| {
        if !x.depends_on(*q) {
            return x;
        }
        let less = x.substitute(&[(*q, system.graph.zero())]);
        match vanishes(x - less) {
            true => less,
            false => x,
        }
    })
}

fn kind(system: &System<'_>) -> SolveKind {
    match system.metric {
        Metric::Definite => SolveKind::PositiveDefinite,
        Metric::DefiniteAtStart | Metric::Indefinite | Metric::Singular => SolveKind::Symmetric,
    }
}

/// The indices of a symmetric matrix that entries other than 0 connect, set by set: with rows and columns in this order it
/// is block-diagonal.
pub fn blocks(matrix: &Matrix<'_>) -> Vec<Vec<usize>> {
    let size = matrix.rows();
    let mut block: Vec<usize> = (0..size).collect();
    for i in 0..size {
        for j in (0..i).filter(|j| !matrix[(i, *j)].is_zero()) {
            let (old, new) = (block[i].max(block[j]), block[i].min(block[j]));
            block
                .iter_mut()
                .filter(|b| **b == old)
                .for_each(|b| *b = new);
        }
    }
    let members = |b: usize| (0..size).filter(|i| block[*i] == b).collect::<Vec<_>>();
    let all = (0..size).map(members);
    all.filter(|members| !members.is_empty()).collect()
}

/// Why `T` is no metric: it must be `1/2 g_ij(q) v^i v^j`, `g` regular.
fn not_a_metric(system: &System<'_>) -> Option<String> {
    if system.metric == Metric::Singular {
        return Some("the metric M is singular".to_owned());
    }
    let mut entries = system.mass.entries().iter();
    if entries.any(|g| depends_on_motion(system, *g)) {
        return Some("the metric M depends on the velocities or on the time".to_owned());
    }
    let momentum = &system.mass * &system.velocity();
    let gap = &system.momentum - &momentum;
    let quadratic = gap.entries().iter().all(|x| vanishes(*x));
    let why = "the Lagrangian has terms of degree 1 in the velocities, from moving frames or magnetic potentials";
    (!quadratic).then(|| why.to_owned())
}

/// Why a row is not `K_i(q) v^i = 0`.
fn not_linear<'g>(system: &System<'g>, row: &ConstraintRow<'g>) -> Option<String> {
    let name = &row.name;
    let Some(phi) = row.phi else {
        return Some(format!("`{name}` is given for the accelerations"));
    };
    if row.a.iter().any(|k| depends_on_motion(system, *k)) {
        return Some(format!(
            "`{name}` is not linear in the velocities with coefficients that depend on the place only"
        ));
    }
    let zero = system.graph.zero();
    let at_rest: Vec<_> = system.v.iter().map(|v| (*v, zero)).collect();
    (!vanishes(phi.substitute(&at_rest)))
        .then(|| format!("`{name}` does not hold at rest: it is affine in the velocities"))
}

/// Whether an expression depends on velocities or on the time.
fn depends_on_motion<'g>(system: &System<'g>, x: Ex<'g>) -> bool {
    let symbols = x.symbols();
    let motion = system.v.iter().chain([&system.t]);
    let mut met = motion.filter(|s| symbols.contains(s));
    met.any(|s| !is_free_of(x, *s))
}
