//! Quasi-velocities: `v = Y(q, t) u + Z(q, t)`, where rows of the constraints are the last of the `u`.

use crate::complete::Fibre;
use crate::constraints::{Chart, ConstraintRow, Constraints, Parametrisation};
use crate::distribution::is_affine;
use crate::equations::{Index, Object};
use crate::formalisms::{chetaev_only, identity};
use crate::output;
use crate::system::System;
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Graph, Matrix, Sketch, SolveKind, is_free_of, vanishes};

/// The objects of [`Frame::write`].
pub(super) const FRAME: &[Object] = &[
    Object {
        letter: "[Y_1]",
        latex: "[Y_1]",
        formula: "",
        meaning: "the directions that the constraints leave free; the columns span the virtual displacements",
        output: output::VIRTUAL,
        indices: &[Index::Coordinate, Index::Fibre],
    },
    Object {
        letter: "[Y_2]",
        latex: "[Y_2]",
        formula: "",
        meaning: "the other vectors of the frame, A Y_2 = 1",
        output: output::FIXED,
        indices: &[Index::Coordinate, Index::Number],
    },
    Object {
        letter: "[Z^i]",
        latex: "[Z^i]",
        formula: "",
        meaning: "the velocities where all the quasi-velocities vanish",
        output: output::REST,
        indices: &[Index::Coordinate],
    },
];

/// A derivation of functions of `(q, t)`: `d/dt` along the motion, or a partial derivative.
pub(super) type Derivation<'a, 'g> = &'a dyn Fn(Ex<'g>) -> Ex<'g>;

/// `Y = [Y_1, Y_2]` and `Z`, or their derivatives.
pub(super) struct Vectors<'g> {
    /// `Y_1`, n x p: the directions that the rows leave free.
    pub free: Matrix<'g>,
    /// `Y_2`, n x (n - p): `A Y_2 = I`.
    pub fixed: Matrix<'g>,
    /// `Z`, n x 1.
    pub rest: Matrix<'g>,
}

/// A frame with its quasi-velocities.
///
/// The rows `Omega` with `Omega Y_2 = [0; I]`, and `Omega Y = I` where `Y_1` is not given in
/// closed form, are `p` rows that belong to the free `u`, and then rows of `A`.
pub(super) struct Frame<'g> {
    /// The names of the free quasi-velocities, p.
    pub names: Vec<String>,
    /// Their values, functions of `(q, v, t)`, p x 1.
    pub u: Matrix<'g>,
    /// `Y` and `Z`.
    pub vectors: Vectors<'g>,
    /// `Omega`, n x n.
    rows: Matrix<'g>,
    /// What is solved for: `Y`, or `Y_2` only.
    solved: Matrix<'g>,
    /// `Omega v + offset = u`; with a parametrisation `Y_1 = Psi` and `Z = psi` at `z = 0`.
    given: Given<'g>,
}

/// What a frame starts from.
enum Given<'g> {
    Offset(Matrix<'g>),
    Parametric(Matrix<'g>, Matrix<'g>),
}

/// Rows `u = U(q, t) v + U_0(q, t)` that become the free quasi-velocities.
pub(super) struct Variables<'g> {
    pub names: Vec<String>,
    pub values: Vec<Ex<'g>>,
}

impl<'g> Variables<'g> {
    /// The velocities of these coordinates.
    pub(super) fn velocities(system: &System<'g>, coordinates: &[usize]) -> Self {
        let values: Vec<Ex<'g>> = coordinates.iter().map(|i| system.v[*i]).collect();
        Self {
            names: values.iter().filter_map(|v| v.symbol_name()).collect(),
            values,
        }
    }

    /// The motion variables that the model defines, where they are affine in `v`.
    pub(super) fn defined(system: &System<'g>) -> Option<Self> {
        let motion = &system.model.motion;
        let values = system.graph.exs(motion.definitions.as_ref()?);
        let names = motion.variables.iter().map(|u| u.name.clone()).collect();
        let affine = values.iter().all(|u| is_affine(system, *u));
        affine.then_some(Self { names, values })
    }

    /// These of them, in this order.
    pub(super) fn select(&self, indices: &[usize]) -> Self {
        Self {
            names: indices.iter().map(|i| self.names[*i].clone()).collect(),
            values: indices.iter().map(|i| self.values[*i]).collect(),
        }
    }

    /// Their derivatives by `v`.
    pub(super) fn rows(&self, system: &System<'g>) -> Matrix<'g> {
        Matrix::jacobian(system.graph, &self.values, &system.v)
    }
}

/// The active rows, by the index of their multiplier.
pub(super) fn active<'a, 'g>(
    constraints: &'a Constraints<'g>,
) -> impl Iterator<Item = &'a ConstraintRow<'g>> {
    constraints.active()
}

/// The parametrisation if it is affine in `z` and still describes the motion.
pub(super) fn affine_parametrisation<'a, 'g>(
    constraints: &'a Constraints<'g>,
) -> Option<&'a Parametrisation<'g>> {
    let parametric = constraints.parametric.as_ref()?;
    let entries = parametric.partial.entries();
    let affine = !constraints.has_dropped_rows()
        && parametric
            .z
            .iter()
            .all(|z| entries.iter().all(|x| is_free_of(*x, *z)));
    affine.then_some(parametric)
}

/// The independent velocities and independent rows of the model.
pub(super) fn chart<'a>(constraints: &'a Constraints<'_>) -> Result<&'a Chart, Unavailable> {
    constraints.chart.as_ref().ok_or_else(|| {
        Unavailable("no independent velocities were found for this model".to_owned())
    })
}

impl<'g> Frame<'g> {
    /// The quasi-velocities with their rates, as a form's own coordinates.
    pub fn fibre(self, rates: Matrix<'g>) -> Fibre<'g> {
        Fibre {
            names: self.names,
            values: self.u,
            rates,
        }
    }

    /// The frame for rows that are all affine in `v`: of the parametrisation where it is affine,
    /// else of the motion variables the model defines, else of the independent velocities.
    ///
    /// # Errors
    /// A reaction that is not Chetaev's, or a row that is not affine in `v`.
    pub(super) fn of_affine_rows(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        sketch: &mut Sketch<'g>,
    ) -> Result<Self, Unavailable> {
        chetaev_only(constraints)?;
        for row in active(constraints) {
            let why = match row.phi {
                Some(phi) if is_affine(system, phi) => continue,
                Some(_) => "is not affine in the velocities",
                None => "is given on acceleration level",
            };
            return Err(Unavailable(format!("the row `{}` {why}", row.name)));
        }
        Self::embedding(system, constraints, &chart(constraints)?.rows, sketch)
    }

    /// The frame for these active rows, which are affine in `v` and the only ones.
    pub(super) fn embedding(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        rows: &[usize],
        sketch: &mut Sketch<'g>,
    ) -> Result<Self, Unavailable> {
        let only_parametric = constraints.rows.is_empty();
        if let Some(parametric) = affine_parametrisation(constraints)
            && (only_parametric || parametric.z.len() + rows.len() == system.n())
        {
            return Ok(Self::parametric(
                system,
                constraints,
                parametric,
                rows,
                sketch,
            ));
        }
        if only_parametric && constraints.parametric.is_some() {
            return Err(Unavailable(
                "v = psi(q, z, t) is not affine in z, and there are no rows".to_owned(),
            ));
        }
        let defined = Variables::defined(system).and_then(|u| {
            let order = in_front(&system.model.motion.independent_variables, u.names.len());
            let wanted = u.select(&order);
            let mut echelon = Echelon::new(system);
            echelon.add_all(&constraints.a.select_rows(rows));
            let chosen = echelon.independent(&wanted.rows(system));
            (chosen.len() + rows.len() == system.n()).then(|| wanted.select(&chosen))
        });
        let variables = match defined {
            Some(variables) => variables,
            None => Variables::velocities(system, &chart(constraints)?.independent),
        };
        Ok(Self::new(system, constraints, variables, rows, sketch))
    }

    /// The frame whose free quasi-velocities are these variables.
    pub(super) fn new(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        variables: Variables<'g>,
        rows: &[usize],
        sketch: &mut Sketch<'g>,
    ) -> Self {
        let graph = system.graph;
        let omega = variables
            .rows(system)
            .above(&constraints.a.select_rows(rows));
        let active: Vec<_> = active(constraints).collect();
        let fixed = rows.iter().map(|row| {
            let phi = active[*row].phi;
            phi.expect("a row that is affine in v is not given on acceleration level")
        });
        let all = Matrix::column(
            graph,
            variables.values.iter().copied().chain(fixed).collect(),
        );
        let offset = (&all - &(&omega * &system.velocity())).map(|x| exact_zero(graph, x));
        let unit = identity(graph, system.n());
        let solved = if (&omega - &unit).is_zero() {
            unit
        } else {
            sketch.solve(SolveKind::General, "Y", &omega, &unit)
        };
        let p = variables.names.len();
        let vectors = Vectors {
            free: columns(&solved, 0, p),
            fixed: columns(&solved, p, system.n()),
            rest: -&(&solved * &offset),
        };
        Self {
            names: variables.names,
            u: Matrix::column(graph, variables.values),
            vectors,
            rows: omega,
            solved,
            given: Given::Offset(offset),
        }
    }

    /// `Y_1 = Psi`, `Z = psi(q, 0, t)`, `Psi^T Y_2 = 0`; `u = z` from `Psi^T Psi z = Psi^T (v - Z)`.
    fn parametric(
        system: &System<'g>,
        constraints: &Constraints<'g>,
        parametric: &Parametrisation<'g>,
        rows: &[usize],
        sketch: &mut Sketch<'g>,
    ) -> Self {
        let graph = system.graph;
        let at_zero: Vec<_> = parametric.z.iter().map(|z| (*z, graph.zero())).collect();
        let free = parametric.partial.substitute(&at_zero);
        let rest = parametric.psi.substitute(&at_zero);
        let transposed = free.transpose();
        let right = &transposed * &(&system.velocity() - &rest);
        let normal = &transposed * &free;
        let u = sketch.solve(SolveKind::PositiveDefinite, "u", &normal, &right);
        let omega = transposed.above(&constraints.a.select_rows(rows));
        let names = parametric.z.iter().filter_map(|z| z.symbol_name());
        let fixed = if rows.is_empty() {
            Matrix::zero(graph, system.n(), 0)
        } else {
            let unit = columns(&identity(graph, system.n()), parametric.z.len(), system.n());
            sketch.solve(SolveKind::General, "Y", &omega, &unit)
        };
        Self {
            names: names.collect(),
            u,
            vectors: Vectors {
                free: free.clone(),
                fixed: fixed.clone(),
                rest: rest.clone(),
            },
            rows: omega,
            solved: fixed,
            given: Given::Parametric(free, rest),
        }
    }

    /// Writes `Y_1`, `Y_2` and `Z`.
    pub(super) fn write(&self, sketch: &mut Sketch<'g>) {
        sketch.output(output::VIRTUAL, self.vectors.free.clone());
        sketch.output(output::FIXED, self.vectors.fixed.clone());
        sketch.output(output::REST, self.vectors.rest.clone());
    }

    /// The derivatives of `Y` and `Z`, all in one solve of `Omega dY = -dOmega Y`.
    pub(super) fn derivatives(
        &self,
        sketch: &mut Sketch<'g>,
        derivations: &[Derivation<'_, 'g>],
    ) -> Vec<Vectors<'g>> {
        let graph = sketch.graph();
        let (n, width) = (self.rows.columns(), self.solved.columns());
        let right = derivations
            .iter()
            .fold(Matrix::zero(graph, n, 0), |all, d| match width {
                0 => all,
                _ => all.beside(&-&(&self.rows.map(d) * &self.solved)),
            });
        let rates = solve_columns(sketch, "dY", &self.rows, &right);
        let parts = derivations.iter().enumerate();
        parts
            .map(|(i, d)| self.derivative(&columns(&rates, i * width, (i + 1) * width), d))
            .collect()
    }

    /// Symbols for the rates of the free quasi-velocities, p x 1.
    pub(super) fn rate_symbols(&self, graph: &'g Graph) -> Matrix<'g> {
        let symbol = |i: usize| graph.symbol(&format!("rate[{}]", i + 1));
        Matrix::column(graph, (0..self.names.len()).map(symbol).collect())
    }

    /// One derivative, from that of what is solved for.
    fn derivative(&self, solved: &Matrix<'g>, d: Derivation<'_, 'g>) -> Vectors<'g> {
        match &self.given {
            Given::Parametric(free, rest) => Vectors {
                free: free.map(d),
                fixed: solved.clone(),
                rest: rest.map(d),
            },
            Given::Offset(offset) => {
                let p = self.names.len();
                let rest = &(solved * offset) + &(&self.solved * &offset.map(d));
                Vectors {
                    free: columns(solved, 0, p),
                    fixed: columns(solved, p, solved.columns()),
                    rest: -&rest,
                }
            }
        }
    }
}

impl<'g> Vectors<'g> {
    /// `Y_1 u + Z`, with the dependent `u` zero.
    pub(super) fn at(&self, u: &Matrix<'g>) -> Matrix<'g> {
        &(&self.free * u) + &self.rest
    }

    /// `Y`, n x n.
    pub(super) fn all(&self) -> Matrix<'g> {
        self.free.beside(&self.fixed)
    }
}

/// The multipliers of all active rows from those of independent ones, `R = A^T lambda` given: the
/// least in norm where rows are dependent.
pub(super) fn multipliers<'g>(
    system: &System<'g>,
    constraints: &Constraints<'g>,
    of_rows: &Matrix<'g>,
    reaction: &Matrix<'g>,
    sketch: &mut Sketch<'g>,
) -> Matrix<'g> {
    if of_rows.rows() == constraints.k() {
        return of_rows.clone();
    }
    let a = &constraints.a;
    let lambda = constraints.multiplier_symbols(system.graph);
    let kind = SolveKind::OfRows { unique: 0 };
    let normal = a * &a.transpose();
    sketch.solve_for(kind, "the multipliers", &lambda, &normal, &(a * reaction));
    lambda
}

/// Rows brought to echelon form over the functions of `(q, v, t)`: which are independent at
/// almost every state. For choices only; nothing of it enters a program.
pub(crate) struct Echelon<'a, 'g> {
    system: &'a System<'g>,
    /// Reduced rows with the column of their pivot.
    rows: Vec<(Vec<Ex<'g>>, usize)>,
}

impl<'a, 'g> Echelon<'a, 'g> {
    pub(crate) fn new(system: &'a System<'g>) -> Self {
        Self {
            system,
            rows: Vec::new(),
        }
    }

    /// Adds a row if it is independent of those that are there, with a pivot among `columns`, one
    /// that is the same at all states if there is such a one.
    pub(super) fn add(&mut self, mut row: Vec<Ex<'g>>, columns: &[usize]) -> bool {
        for (other, pivot) in &self.rows {
            let factor = row[*pivot] / other[*pivot];
            if factor.is_zero() {
                continue;
            }
            for (x, y) in row.iter_mut().zip(other) {
                *x = *x - factor * *y;
            }
            row[*pivot] = self.system.graph.zero();
        }
        let eligible: Vec<usize> = columns
            .iter()
            .copied()
            .filter(|i| !vanishes(row[*i]))
            .collect();
        let constant = eligible.iter().find(|i| self.is_constant(row[**i]));
        let Some(pivot) = constant.or(eligible.first()).copied() else {
            return false;
        };
        self.rows.push((row, pivot));
        true
    }

    /// Adds rows, wherever their pivots are.
    pub(super) fn add_all(&mut self, rows: &Matrix<'g>) {
        self.independent(rows);
    }

    /// Adds rows and returns the indices of the independent ones.
    pub(crate) fn independent(&mut self, rows: &Matrix<'g>) -> Vec<usize> {
        let columns: Vec<usize> = (0..rows.columns()).collect();
        (0..rows.rows())
            .filter(|i| self.add(rows.select_rows(&[*i]).entries().to_vec(), &columns))
            .collect()
    }

    /// The columns of the pivots.
    pub(super) fn pivots(&self) -> Vec<usize> {
        self.rows.iter().map(|(_, pivot)| *pivot).collect()
    }

    fn is_constant(&self, x: Ex<'g>) -> bool {
        let System { q, v, t, .. } = self.system;
        q.iter().chain(v).chain([t]).all(|s| is_free_of(x, *s))
    }
}

/// The numbers below `count`, with these in front.
pub(super) fn in_front(first: &[usize], count: usize) -> Vec<usize> {
    let others = (0..count).filter(|i| !first.contains(i));
    first.iter().copied().chain(others).collect()
}

/// The solution of `matrix X = right`, where columns of zeros need no solving.
pub(super) fn solve_columns<'g>(
    sketch: &mut Sketch<'g>,
    name: &str,
    matrix: &Matrix<'g>,
    right: &Matrix<'g>,
) -> Matrix<'g> {
    let places: Vec<usize> = (0..right.columns())
        .filter(|j| !right.select_columns(&[*j]).is_zero())
        .collect();
    if places.is_empty() {
        return right.clone();
    }
    let solved = sketch.solve(
        SolveKind::General,
        name,
        matrix,
        &right.select_columns(&places),
    );
    Matrix::from_fn(
        sketch.graph(),
        right.rows(),
        right.columns(),
        |i, j| match places.iter().position(|place| *place == j) {
            Some(column) => solved[(i, column)],
            None => right[(i, j)],
        },
    )
}

/// The columns from `start` to `end`.
fn columns<'g>(m: &Matrix<'g>, start: usize, end: usize) -> Matrix<'g> {
    m.select_columns(&(start..end).collect::<Vec<_>>())
}

/// The number 0 for an expression that vanishes identically.
fn exact_zero<'g>(graph: &'g Graph, x: Ex<'g>) -> Ex<'g> {
    if vanishes(x) { graph.zero() } else { x }
}
