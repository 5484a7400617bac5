//! Where a model's identities are to hold: states on its constraints.

use super::Parameters;
use super::forms::Forms;
use crate::states::said_together::said_together;
use crate::states::start::{ROUNDING, given, start};
use crate::values::exact_values::parameter_values;
use crate::values::found::Start;
use crate::values::prepared::Prepared;
use appell_expr::{Ball, Ex, Graph, Id, Locus, Range, real_form};
use appell_mech::{Carrier, put_on_positions};

/// Symbols and what they stand for.
type Values<'g> = Vec<(Ex<'g>, Ex<'g>)>;

/// The symbols that programs read, and the surface their values lie on.
pub(crate) struct ConstraintSet<'g> {
    /// `t, q, v`, parameters, `z`, `p`.
    pub symbols: Vec<Ex<'g>>,
    n: usize,
    /// Which parameters the file defines by others, in an order in which they can be computed.
    definitions: Values<'g>,
    /// Which parameters have values of their own.
    values: Values<'g>,
    /// Which parameters have special values: never free.
    fixed: Values<'g>,
    /// `p = L_v`, where a formalism reads momenta.
    pub(super) momenta: Values<'g>,
    /// `v = psi(q, z, t)`, if points are chosen so.
    psi: Option<Values<'g>>,
    /// The parameters of that choice.
    pub(super) z: Vec<Ex<'g>>,
    /// Holonomic rows and velocity rows.
    pub position_rows: Vec<Ex<'g>>,
    pub velocity_rows: Vec<Ex<'g>>,
    /// Whether these are other rows than the model's, with the same real states.
    rows_changed: bool,
    /// Rows that hold wherever these do, and elsewhere too, if that makes them simpler.
    wider_rows: Option<[Vec<Ex<'g>>; 2]>,
    q: Vec<Ex<'g>>,
    v: Vec<Ex<'g>>,
    /// The seed of the random primes and points.
    seed: u64,
    /// Whether a parametrisation is not used, for it does not reach the start.
    pub set_aside: bool,
}

/// Why nothing is said of a parametrisation.
pub(super) const PSI_SET_ASIDE: &str =
    "v = psi(q, z, t) does not reach the start, and is not what its motion satisfies";

impl<'g> ConstraintSet<'g> {
    pub fn new(p: &Prepared<'g>, forms: &Forms<'g>) -> Self {
        let graph = p.system.graph;
        let parametric = p.constraints.parametric.as_ref();
        let parametric = parametric.filter(|_| !p.constraints.has_dropped_rows());
        // What holds on a parametrisation says nothing of a start that it does not reach.
        let set_aside = parametric.is_some() && start_is_elsewhere(p);
        let parametric = parametric.filter(|_| !set_aside);
        let z = parametric.map_or(&[][..], |parametric| &parametric.z);
        let parameters = p.model.parameters.iter().map(|q| graph.ex(q.symbol));
        let on_momenta = forms.all.iter().find(|e| e.carrier == Carrier::Momenta);
        let n = p.system.n();
        let momenta: Values<'g> = on_momenta.map_or_else(Vec::new, |e| {
            let symbols = e.state[n..].iter().copied();
            symbols
                .zip(p.system.momentum.entries().iter().copied())
                .collect()
        });
        let symbols = [p.system.t]
            .into_iter()
            .chain(p.system.q.iter().copied())
            .chain(p.system.v.iter().copied())
            .chain(parameters)
            .chain(z.iter().copied())
            .chain(momenta.iter().map(|(symbol, _)| *symbol))
            .collect();
        let psi = parametric.map(|parametric| {
            let psi = parametric.psi.entries().iter().copied();
            p.system.v.iter().copied().zip(psi).collect()
        });
        let (values, definitions) = parameter_values(p);
        let rows = RealRows::of(p, false);
        let wider = RealRows::of(p, true);
        let is_wider =
            wider.of_positions != rows.of_positions || wider.of_velocities != rows.of_velocities;
        let wider_rows = is_wider.then_some([wider.of_positions, wider.of_velocities]);
        Self {
            symbols,
            n,
            definitions,
            values,
            fixed: p.system.fixed.clone(),
            momenta,
            psi,
            z: z.to_vec(),
            position_rows: rows.of_positions,
            velocity_rows: rows.of_velocities,
            rows_changed: rows.changed,
            wider_rows,
            q: p.system.q.clone(),
            v: p.system.v.clone(),
            seed: 0,
            set_aside,
        }
    }

    /// The same with other primes and random points.
    pub fn seeded(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The states on rows that hold wherever the model's do: what holds on all of these holds on those.
    pub fn wider_locus(&self, parameters: Parameters) -> Option<Locus<'g>> {
        let [positions, velocities] = self.wider_rows.as_ref().filter(|_| self.psi.is_none())?;
        let mut locus = self.positions_on(parameters, positions);
        locus.on(velocities.clone(), self.v.clone());
        Some(self.with_chosen_velocities(locus))
    }

    /// How the velocities are chosen, in words.
    pub fn points(&self) -> &'static str {
        match self.psi {
            Some(_) => "v = psi(q, z, t)",
            None => "velocities that satisfy the rows",
        }
    }

    /// The states on the constraints.
    pub fn locus(&self, parameters: Parameters) -> Locus<'g> {
        self.with_velocities(self.positions(parameters))
    }

    /// The states on the constraints where all parameters have these values.
    pub fn locus_at(&self, parameters: &[(Ex<'g>, Ex<'g>)]) -> Locus<'g> {
        let mut locus = Locus::new(self.symbols.clone()).seeded(self.seed);
        for (symbol, value) in parameters {
            let fixed = self.fixed.iter().find(|(other, _)| other == symbol);
            locus.set(*symbol, fixed.map_or(*value, |(_, value)| *value));
        }
        put_on_positions(&mut locus, self.position_rows.clone(), &self.q, &[]);
        self.with_velocities(locus)
    }

    fn with_velocities(&self, mut locus: Locus<'g>) -> Locus<'g> {
        if self.psi.is_none() {
            locus.on(self.velocity_rows.clone(), self.v.clone());
        }
        self.with_chosen_velocities(locus)
    }

    fn with_chosen_velocities(&self, mut locus: Locus<'g>) -> Locus<'g> {
        if let Some(psi) = &self.psi {
            for (v, value) in psi {
                locus.set(*v, *value);
            }
            // psi may also reach another sheet than the rows describe.
            locus.keep(self.velocity_rows.clone());
        }
        for (symbol, value) in &self.momenta {
            locus.set(*symbol, *value);
        }
        locus
    }

    /// Coordinates on the holonomic rows, parameters as wanted.
    fn positions(&self, parameters: Parameters) -> Locus<'g> {
        self.positions_on(parameters, &self.position_rows)
    }

    fn positions_on(&self, parameters: Parameters, rows: &[Ex<'g>]) -> Locus<'g> {
        let mut locus = Locus::new(self.symbols.clone()).seeded(self.seed);
        let is_fixed = |x: Ex<'g>| self.fixed.iter().any(|(symbol, _)| *symbol == x);
        if parameters == Parameters::Values {
            for (symbol, value) in &self.values {
                locus.set(*symbol, *value);
            }
        }
        for (symbol, value) in self.fixed.iter() {
            let set = parameters == Parameters::Values
                && self.values.iter().any(|(other, _)| other == symbol);
            if !set {
                locus.set(*symbol, *value);
            }
        }
        if parameters != Parameters::Any {
            let open = self
                .definitions
                .iter()
                .filter(|(symbol, _)| !is_fixed(*symbol));
            for (symbol, value) in open {
                locus.set(*symbol, *value);
            }
        }
        let symbols = self.values.iter().chain(&self.definitions);
        let symbols = symbols.map(|(symbol, _)| *symbol).filter(|x| !is_fixed(*x));
        let free: Vec<Ex<'g>> = match parameters {
            Parameters::Any => symbols.collect(),
            _ => Vec::new(),
        };
        put_on_positions(&mut locus, rows.to_vec(), &self.q, &free);
        locus
    }

    /// Whether the file defines parameters by others.
    pub fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// The state that a run starts from: on the constraints and on the file's equations for it, but for
    /// those that it had to be moved off.
    pub fn start_locus(&self, p: &Prepared<'g>) -> Locus<'g> {
        let mut given = given(p);
        if let Ok(start) = start(p) {
            given.positions = kept(p, &start, given.positions);
            given.velocities = kept(p, &start, given.velocities);
        }
        let mut locus = self.at_values();
        let positions = [given.positions, self.position_rows.clone()].concat();
        locus.on(positions, self.q.clone());
        match (&self.psi, &p.constraints.parametric) {
            (Some(psi), Some(parametric)) => {
                let given = given.velocities.iter().map(|row| row.substitute(psi));
                locus.on(given.collect(), parametric.z.clone());
            }
            _ => {
                let rows = [given.velocities, self.velocity_rows.clone()].concat();
                locus.on(rows, self.v.clone());
            }
        }
        self.with_chosen_velocities(locus)
    }

    /// The states on the constraints that satisfy further equations.
    pub fn locus_on(&self, graph: &'g Graph, equations: &[Id]) -> Locus<'g> {
        let equations: Vec<Ex<'g>> = equations.iter().map(|id| graph.ex(*id)).collect();
        let (moving, written) = match &self.psi {
            Some(psi) => (&self.z, graph.substitute(&equations, psi)),
            None => (&self.v, equations),
        };
        let on_velocities = |x: &Ex<'g>| moving.iter().any(|v| x.depends_on(*v));
        let (on_velocities, on_positions): (Vec<_>, Vec<_>) =
            written.into_iter().partition(on_velocities);
        let mut locus = self.at_values();
        locus.on(
            [self.position_rows.clone(), on_positions].concat(),
            self.q.clone(),
        );
        match self.psi {
            Some(_) => locus.on(on_velocities, moving.clone()),
            None => locus.on(
                [self.velocity_rows.clone(), on_velocities].concat(),
                moving.clone(),
            ),
        }
        self.with_chosen_velocities(locus)
    }

    /// The states on the constraints where all of `zeros` vanish and some expressions have these values.
    pub fn locus_where(&self, zeros: &[Ex<'g>], by: &[(Ex<'g>, Ex<'g>)]) -> Locus<'g> {
        let zeros = zeros.iter().map(|u| u.substitute(by));
        let zeros: Vec<Ex<'g>> = zeros.filter(|u| !u.is_zero()).collect();
        let moves = |u: &Ex<'g>| u.depends_on_any(&self.v);
        let (moving, still): (Vec<_>, Vec<_>) = zeros.into_iter().partition(moves);
        let (resting, of_time): (Vec<_>, Vec<_>) =
            still.into_iter().partition(|u| u.depends_on_any(&self.q));
        let rows = |rows: &[Ex<'g>], further: Vec<Ex<'g>>| -> Vec<Ex<'g>> {
            let substituted = rows.iter().map(|row| row.substitute(by));
            substituted.chain(further).collect()
        };
        let mut locus = self.at_values();
        for u in of_time {
            locus.on(vec![u], u.symbols());
        }
        locus.on(rows(&self.position_rows, resting), self.q.clone());
        locus.on(rows(&self.velocity_rows, moving), self.v.clone());
        self.with_chosen_velocities(locus)
    }

    /// All coordinates and velocities, with the file's values of the parameters.
    fn at_values(&self) -> Locus<'g> {
        let mut locus = Locus::new(self.symbols.clone()).seeded(self.seed);
        for (symbol, value) in self.values.iter().chain(&self.definitions) {
            locus.set(*symbol, *value);
        }
        locus
    }

    /// How many of the model's rows states are put on, velocities last; none where a parametrisation
    /// gives them. `None` where states are put on other rows, whose rank says nothing of the model's.
    pub fn rows_to_solve(&self) -> Option<usize> {
        match self.psi {
            Some(_) => Some(0),
            None => (!self.rows_changed).then_some(self.velocity_rows.len()),
        }
    }

    /// Whether states are put on other rows than the model's.
    pub fn has_other_rows(&self) -> bool {
        self.rows_changed
    }

    /// Whether velocities are given by a parametrisation.
    pub fn is_parametrised(&self) -> bool {
        self.psi.is_some()
    }

    /// `t`, `q` and `v` of a point of the set.
    pub fn state<'a>(&self, point: &'a [Ball]) -> (&'a Ball, &'a [Ball], &'a [Ball]) {
        let n = self.n;
        (&point[0], &point[1..=n], &point[n + 1..=2 * n])
    }

    /// The parameters of a point.
    pub fn parameters<'a>(&self, point: &'a [Ball]) -> &'a [Ball] {
        &point[2 * self.n + 1..]
    }
}

/// The rows that states are put on: of a sum of squares each square, of a function of a row that vanishes
/// with it the row. Over the real numbers, and for all values of the parameters, they say the same.
struct RealRows<'g> {
    of_positions: Vec<Ex<'g>>,
    of_velocities: Vec<Ex<'g>>,
    changed: bool,
}

impl<'g> RealRows<'g> {
    /// With rows too that say the same only beside inequalities, if `wider`.
    fn of(p: &Prepared<'g>, wider: bool) -> Self {
        let (q, v) = (&p.system.q, &p.system.v);
        let mut found = Self {
            of_positions: Vec::new(),
            of_velocities: Vec::new(),
            changed: false,
        };
        for row in &p.constraints.rows {
            let position = row.position.map(|x| (x, simpler(x, q, wider)));
            if let Some((x, real)) = &position {
                found
                    .of_positions
                    .extend(real.as_deref().unwrap_or(&[*x]).iter().copied());
            }
            let Some(phi) = row.phi.filter(|_| row.is_active()) else {
                continue;
            };
            let real = match position {
                Some((_, Some(real))) => {
                    Some(real.into_iter().map(|x| p.system.total_rate(x)).collect())
                }
                _ => simpler(phi, v, wider),
            };
            found.changed |= real.is_some();
            let moves = |x: &Ex<'g>| v.iter().any(|v| x.depends_on(*v));
            let (moving, of_place): (Vec<_>, Vec<_>) =
                real.unwrap_or(vec![phi]).into_iter().partition(moves);
            found.of_velocities.extend(moving);
            // What squares say of the place alone holds all the time, and so do its rates.
            let rates = of_place.iter().map(|x| p.system.total_rate(*x));
            found.of_velocities.extend(rates);
            found.of_positions.extend(of_place);
        }
        if let Some(said) = said_together(p).filter(|_| !wider) {
            found.of_velocities = said.of_rows.concat();
            found.changed = true;
        }
        let hidden = &p.constraints.hidden;
        found.changed |= !hidden.is_empty();
        found
            .of_positions
            .extend(hidden.iter().map(|row| row.position));
        found
            .of_velocities
            .extend(hidden.iter().map(|row| row.rate));
        found
    }
}

/// Rows with the same real zeros, if others are simpler; with more of them, if `wider`.
fn simpler<'g>(row: Ex<'g>, moving: &[Ex<'g>], wider: bool) -> Option<Vec<Ex<'g>>> {
    let form = real_form(row, moving, &|_| Range::all());
    let sided = !form.sides.is_empty() && !wider;
    let says_less = form.nowhere || form.rows.is_empty() || sided;
    (!says_less && form.rows != [row]).then_some(form.rows)
}

/// Whether the start lies on the rows where no parameters `z` of `v = psi(q, z, t)` give its velocities, though
/// `psi` has values there.
fn start_is_elsewhere(p: &Prepared<'_>) -> bool {
    let Some(parametric) = &p.constraints.parametric else {
        return false;
    };
    let has_rows = p.constraints.rows.iter().any(|row| row.phi.is_some());
    let rest = vec![0.0; parametric.z.len()];
    let missed =
        |start: Start| start.z.is_none() && p.velocities(start.t, &start.q, &rest).is_some();
    has_rows && start(p).is_ok_and(missed)
}

/// The equations that a start satisfies but for rounding.
fn kept<'g>(p: &Prepared<'g>, start: &Start, rows: Vec<Ex<'g>>) -> Vec<Ex<'g>> {
    let parametric = p.constraints.parametric.as_ref();
    let z = parametric.filter(|_| start.z.is_some());
    let symbols = [&p.system.q, &p.system.v].into_iter().flatten().copied();
    let symbols: Vec<Ex<'g>> = symbols
        .chain(z.into_iter().flat_map(|p| p.z.clone()))
        .collect();
    let w = [
        start.q.as_slice(),
        &start.v,
        start.z.as_deref().unwrap_or(&[]),
    ]
    .concat();
    let holds = |row: &Ex<'g>| {
        let unknown = |s: &Ex<'g>| parametric.is_some_and(|p| p.z.contains(s)) && z.is_none();
        if row.symbols().iter().any(unknown) {
            return false;
        }
        let residuals = p.rows(&[*row], &[], &symbols).residuals(start.t, &w);
        residuals.is_ok_and(|rows| rows.iter().all(|(x, size)| x.abs() <= ROUNDING * size))
    };
    rows.into_iter().filter(holds).collect()
}
