//! Where a model's identities are to hold: states on its constraints.

use super::Parameters;
use super::forms::Forms;
use crate::nearest::parameters_of;
use crate::prepared::Prepared;
use crate::scattered::{scattered, scattered_constrained_state};
use crate::special::parameter_values;
use crate::start::start;
use appell_expr::{Ex, Locus, Precise, Rational};
use appell_mech::{Carrier, put_on_positions};

/// States that are tried for a witness.
const STATES: u32 = 28;

/// Symbols and what they stand for.
type Values<'g> = Vec<(Ex<'g>, Ex<'g>)>;

/// The symbols that programs read, and the surface their values lie on.
pub(crate) struct Scene<'g> {
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
    momenta: Values<'g>,
    /// `v = psi(q, z, t)`, if points are chosen so.
    psi: Option<Values<'g>>,
    /// Holonomic rows and velocity rows.
    pub position_rows: Vec<Ex<'g>>,
    pub velocity_rows: Vec<Ex<'g>>,
    q: Vec<Ex<'g>>,
    v: Vec<Ex<'g>>,
}

impl<'g> Scene<'g> {
    pub fn new(p: &Prepared<'g>, forms: &Forms<'g>) -> Self {
        let graph = p.system.graph;
        let parametric = p.constraints.parametric.as_ref();
        let parametric = parametric.filter(|_| !p.constraints.has_dropped_rows());
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
        let active = p.constraints.rows.iter().filter(|row| row.is_active());
        Self {
            symbols,
            n,
            definitions,
            values,
            fixed: p.system.fixed.clone(),
            momenta,
            psi,
            position_rows: p
                .constraints
                .holonomic()
                .filter_map(|row| row.position)
                .collect(),
            velocity_rows: active.filter_map(|row| row.phi).collect(),
            q: p.system.q.clone(),
            v: p.system.v.clone(),
        }
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
        let mut locus = Locus::new(self.symbols.clone());
        for (symbol, value) in parameters {
            let fixed = self.fixed.iter().find(|(own, _)| own == symbol);
            locus.set(*symbol, fixed.map_or(*value, |(_, value)| *value));
        }
        put_on_positions(&mut locus, self.position_rows.clone(), &self.q, &[]);
        self.with_velocities(locus)
    }

    fn with_velocities(&self, mut locus: Locus<'g>) -> Locus<'g> {
        match &self.psi {
            Some(psi) => {
                for (v, value) in psi {
                    locus.set(*v, *value);
                }
                // psi may also reach another sheet than the rows describe.
                locus.keep(self.velocity_rows.clone());
            }
            None => locus.on(self.velocity_rows.clone(), self.v.clone()),
        }
        for (symbol, value) in &self.momenta {
            locus.set(*symbol, *value);
        }
        locus
    }

    /// Coordinates on the holonomic rows, parameters as wanted.
    fn positions(&self, parameters: Parameters) -> Locus<'g> {
        let mut locus = Locus::new(self.symbols.clone());
        let is_fixed = |x: Ex<'g>| self.fixed.iter().any(|(symbol, _)| *symbol == x);
        if parameters == Parameters::Values {
            for (symbol, value) in &self.values {
                locus.set(*symbol, *value);
            }
        }
        for (symbol, value) in self.fixed.iter() {
            let set = parameters == Parameters::Values
                && self.values.iter().any(|(own, _)| own == symbol);
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
        put_on_positions(&mut locus, self.position_rows.clone(), &self.q, &free);
        locus
    }

    /// Whether the file defines parameters by others.
    pub fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    /// States on the constraints to 70 digits, the start first.
    pub fn states(&self, p: &Prepared<'g>) -> Vec<Vec<Precise>> {
        let locus = self.locus(Parameters::Values);
        let guesses = (0..STATES).filter_map(|sample| self.guess(p, sample));
        guesses
            .filter_map(|guess| locus.near(&guess).ok())
            .collect()
    }

    /// Values near which a state is sought, to four decimals.
    fn guess(&self, p: &Prepared<'g>, sample: u32) -> Option<Vec<Precise>> {
        let (t, q, v) = if sample.is_multiple_of(2) {
            let start = start(p).ok()?;
            let moved = |x: &f64, i: u32| x + 0.07 * f64::from(sample) * scattered(97 * sample + i);
            let move_all = |x: &[f64], from: u32| -> Vec<f64> {
                (from..).zip(x).map(|(i, x)| moved(x, i)).collect()
            };
            let t = start.t + 0.05 * f64::from(sample);
            (t, move_all(&start.q, 1), move_all(&start.v, 40))
        } else {
            scattered_constrained_state(p, sample)?
        };
        let m = p
            .constraints
            .parametric
            .as_ref()
            .map_or(0, |parametric| parametric.z.len());
        let z = match &self.psi {
            Some(_) => parameters_of(p, t, &q, &v, None)
                .unwrap_or_else(|| (sample..).take(m).map(scattered).collect()),
            None => Vec::new(),
        };
        let mut guess: Vec<f64> = [&[t], q.as_slice(), v.as_slice()].concat();
        guess.extend(&p.parameters);
        guess.extend(z);
        guess.resize(self.symbols.len(), 0.0);
        guess.iter().map(|x| short(*x)).collect()
    }

    /// `t`, `q` and `v` of a point of the scene.
    pub fn state<'a>(&self, point: &'a [Precise]) -> (&'a Precise, &'a [Precise], &'a [Precise]) {
        let n = self.n;
        (&point[0], &point[1..=n], &point[n + 1..=2 * n])
    }
}

/// The number rounded to four decimals, exactly.
fn short(x: f64) -> Option<Precise> {
    let exact = Rational::from_decimal(&format!("{x:.4}"))?;
    Some(Precise::from(&exact))
}
