//! What names and symbols stand for while a model is read.

use crate::attitude::{Attitude, Joint};
use crate::document::Entry;
use crate::formula::Written;
use crate::mentioned::Results;
use crate::model::{Coordinate, MaterialPoint, Point, Quantity, Value, Vector};
use crate::names::{Named, Names};
use crate::settings::Symbol;
use appell_expr::{Ex, Graph, Id, Span};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Every expression is worked out twice, the places of loads once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// In `q`, `v`, `t`.
    Plain = 0,
    /// With stand-ins for the kinematics of particles and bodies, so that the forces of a constraint
    /// can be read off.
    Inspected = 1,
    /// With stand-ins for `pos(P)` of every point, so that a place can be told from an offset.
    Placed = 2,
}

impl Mode {
    /// Where the value of this mode stands in a [`Slot`].
    pub(crate) fn index(self) -> usize {
        match self {
            Self::Plain | Self::Placed => 0,
            Self::Inspected => 1,
        }
    }
}

/// The value of something defined, in both modes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Slot {
    /// By [`Mode::index`].
    Known([Value; 2]),
    /// In error, which is reported; or not reached yet.
    Failed,
    /// It speaks of results of mechanics: known once the constraints are.
    Late,
}

/// A point, a particle, or the mass centre of a body.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) name: String,
    /// The index among the particles and bodies.
    pub(crate) carrier: Option<usize>,
    pub(crate) position: Slot,
    pub(crate) velocity: Slot,
}

/// A frame.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) name: String,
    /// The first body fixed in it, by its index among the bodies.
    pub(crate) carries: Option<usize>,
    /// How it lies, by [`Mode`], once known.
    pub(crate) attitude: [Option<Attitude>; 2],
    /// How it turns about an axis of its parent, where it does.
    pub(crate) joint: Option<Joint>,
}

/// A rigid body.
#[derive(Debug, Clone)]
pub(crate) struct RigidBody {
    pub(crate) name: String,
    /// The place of its mass centre.
    pub(crate) place: usize,
    /// Its frame, inner none for N; outer none in error.
    pub(crate) frame: Option<Option<usize>>,
}

/// A motion variable.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) symbol: Id,
    pub(crate) rate: Id,
    /// Its definition by `q`, `v`, `t`; none where the velocities are given by the variables.
    pub(crate) definition: Option<Slot>,
}

/// The rows of a constraint, for those who speak of its multipliers.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) name: String,
    /// First row and number of rows, once known.
    pub(crate) rows: Option<(usize, usize)>,
}

/// Everything a formula can refer to.
pub(crate) struct World<'g> {
    pub(crate) graph: &'g Graph,
    pub(crate) names: Names,
    pub(crate) coordinates: Vec<Coordinate>,
    pub(crate) time: Ex<'g>,
    pub(crate) parameters: Vec<Ex<'g>>,
    pub(crate) definitions: Vec<Slot>,
    pub(crate) frames: Vec<Frame>,
    /// The frames given by quaternions, and the coordinates these consist of.
    pub(crate) quaternions: Vec<(usize, [usize; 4])>,
    pub(crate) places: Vec<Place>,
    pub(crate) bodies: Vec<RigidBody>,
    /// Points fixed in bodies that formulas spoke of.
    pub(crate) material_points: RefCell<Vec<MaterialPoint>>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) kinetic: Slot,
    pub(crate) potential: Slot,
    /// Whether a Lagrangian stands in the place of `T` and `V`.
    pub(crate) only_lagrangian: bool,
    pub(crate) constraints: Vec<Rows>,
    pub(crate) results: RefCell<Results>,
    pub(crate) symbols: HashMap<Id, Symbol>,
    /// Whether the model was found too large, and that was said.
    pub(crate) exhausted: Cell<bool>,
    /// The total time derivative of each symbol that has one here.
    pub(crate) rates: HashMap<Id, Id>,
    /// What the stand-ins of [`Mode::Inspected`] stand for.
    pub(crate) unmasked: HashMap<Id, Id>,
    /// The formulas that were read, each with what it stands for.
    pub(crate) heard: RefCell<Vec<(Written, &'static str)>>,
    /// What was differentiated in them: a derivative by the rules is none at a corner.
    pub(crate) differentiated: RefCell<Vec<Id>>,
    /// The values in [`Mode::Placed`] of the definitions that speak of places.
    pub(crate) placed: HashMap<usize, Value>,
}

/// Why there is no total derivative.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NoRate {
    /// It would take the rate of this symbol.
    Beyond(String),
    /// It would take the rate of this input.
    Input(String),
    /// The model is too large already.
    TooLarge,
}

/// More expressions than this are refused; the gallery needs a few thousand.
pub(crate) const MAX_EXPRESSIONS: usize = 200_000;

/// What symbols weigh in the order of terms: `m*x'' + c*x' + k*x`.
mod weight {
    pub(super) const PARAMETER: u8 = 1;
    pub(super) const POSITION: u8 = 2;
    pub(super) const VELOCITY: u8 = 3;
    pub(super) const ACCELERATION: u8 = 4;
}

impl<'g> World<'g> {
    /// A world with nothing in it but the time.
    pub(crate) fn new(graph: &'g Graph) -> Self {
        let time = graph.declare("t", weight::POSITION);
        Self {
            graph,
            names: Names::default(),
            coordinates: Vec::new(),
            time,
            parameters: Vec::new(),
            definitions: Vec::new(),
            frames: Vec::new(),
            quaternions: Vec::new(),
            places: Vec::new(),
            bodies: Vec::new(),
            material_points: RefCell::default(),
            variables: Vec::new(),
            kinetic: Slot::Failed,
            potential: Slot::Failed,
            only_lagrangian: false,
            constraints: Vec::new(),
            results: RefCell::default(),
            exhausted: Cell::new(false),
            symbols: HashMap::from([(time.id(), Symbol::Time)]),
            rates: HashMap::from([(time.id(), graph.one().id())]),
            unmasked: HashMap::new(),
            heard: RefCell::default(),
            differentiated: RefCell::default(),
            placed: HashMap::new(),
        }
    }

    /// A coordinate with the symbols of its rates.
    pub(crate) fn add_coordinate(&mut self, name: &str, span: Span) {
        let symbol = |primes: &str, weight: u8| {
            let name = format!("{name}{primes}");
            self.graph.declare(&name, weight).id()
        };
        let q = symbol("", weight::POSITION);
        let v = symbol("'", weight::VELOCITY);
        let a = symbol("''", weight::ACCELERATION);
        self.symbols.extend([
            (q, Symbol::Coordinate),
            (v, Symbol::Velocity),
            (a, Symbol::Acceleration),
        ]);
        self.rates.extend([(q, v), (v, a)]);
        self.coordinates.push(Coordinate {
            name: name.to_owned(),
            span,
            q,
            v,
            a,
            rest: 0,
        });
    }

    /// A parameter, or an input, which is one that may change during a motion.
    pub(crate) fn add_parameter(&mut self, name: &str, kind: Symbol) {
        let symbol = self.graph.declare(name, weight::PARAMETER);
        self.symbols.insert(symbol.id(), kind);
        self.parameters.push(symbol);
    }

    /// A motion variable, `defined` by velocities or defining them.
    pub(crate) fn add_variable(&mut self, name: &str, defined: bool) {
        let symbol = self.graph.declare(name, weight::VELOCITY).id();
        let rate = format!("{name}'");
        let rate = self.graph.declare(&rate, weight::ACCELERATION).id();
        self.symbols
            .extend([(symbol, Symbol::Variable), (rate, Symbol::Result)]);
        self.rates.insert(symbol, rate);
        let definition = defined.then_some(Slot::Failed);
        self.variables.push(Variable {
            symbol,
            rate,
            definition,
        });
    }

    /// A frame that is not known yet.
    pub(crate) fn add_frame(&mut self, name: &str) {
        self.frames.push(Frame {
            name: name.to_owned(),
            carries: None,
            attitude: [None; 2],
            joint: None,
        });
    }

    /// A body in a frame, with the place of its centre.
    pub(crate) fn add_body(
        &mut self,
        entry: &Entry,
        place: usize,
        frame: Option<Option<usize>>,
        carrier: usize,
    ) {
        self.add_place(entry, Some(carrier));
        if let Some(Some(frame)) = frame {
            self.frames[frame].carries.get_or_insert(self.bodies.len());
        }
        self.bodies.push(RigidBody {
            name: entry.key.clone(),
            place,
            frame,
        });
    }

    /// A point, or the particle or body of this index, whose place is not known yet.
    pub(crate) fn add_place(&mut self, entry: &Entry, carrier: Option<usize>) {
        let name = entry.key.clone();
        self.graph.declare_word(&name);
        self.places.push(Place {
            name,
            carrier,
            position: Slot::Failed,
            velocity: Slot::Failed,
        });
    }

    /// The symbols `pos(P).x`, `pos(P).y`, `pos(P).z` and their like.
    pub(crate) fn stand_ins(&self, function: &str, place: &str) -> Vector {
        self.components(&format!("{function}({place})"))
    }

    /// The symbols `name.x`, `name.y`, `name.z`.
    pub(crate) fn components(&self, name: &str) -> Vector {
        ["x", "y", "z"].map(|axis| self.graph.symbol(&format!("{name}.{axis}")).id())
    }

    /// A vector of [`Mode::Inspected`] as it is in [`Mode::Plain`].
    pub(crate) fn unmask(&self, vector: Vector) -> Vector {
        vector.map(|x| {
            let x = self.graph.ex(x);
            let pairs = x.symbols().into_iter().filter_map(|symbol| {
                let plain = self.unmasked.get(&symbol.id())?;
                Some((symbol, self.graph.ex(*plain)))
            });
            x.substitute(&pairs.collect::<Vec<_>>()).id()
        })
    }

    /// `dx/dt`, total: every symbol is followed.
    pub(crate) fn rate(&self, x: Id) -> Result<Id, NoRate> {
        let x = self.graph.ex(x);
        let mut terms = Vec::new();
        for symbol in x.symbols() {
            if self.graph.len() > MAX_EXPRESSIONS {
                return Err(NoRate::TooLarge);
            }
            if let Some(rate) = self.rate_of_symbol(symbol)? {
                terms.push(x.diff(symbol) * rate);
            }
        }
        Ok(self.graph.sum(&terms).id())
    }

    /// The same of what a formula differentiates, which is noted.
    pub(crate) fn written_rate(&self, x: Id) -> Result<Id, NoRate> {
        self.note_differentiated(x);
        self.rate(x)
    }

    /// Notes what a formula differentiates, but for symbols.
    pub(crate) fn note_differentiated(&self, x: Id) {
        let mut noted = self.differentiated.borrow_mut();
        if self.graph.ex(x).symbol_name().is_none() && !noted.contains(&x) {
            noted.push(x);
        }
    }

    /// The rate of a symbol; none if it is constant.
    fn rate_of_symbol(&self, symbol: Ex<'g>) -> Result<Option<Ex<'g>>, NoRate> {
        let id = symbol.id();
        if let Some(rate) = self.rates.get(&id) {
            if self.symbols.get(&id) == Some(&Symbol::Variable) {
                self.register_rate_of_variable(id, *rate);
            }
            return Ok(Some(self.graph.ex(*rate)));
        }
        match self.symbols.get(&id) {
            Some(Symbol::Parameter) => return Ok(None),
            Some(Symbol::Input) => {
                return Err(NoRate::Input(symbol.symbol_name().unwrap_or_default()));
            }
            _ => {}
        }
        let quantity = self.results.borrow().quantity(id);
        match quantity {
            Some(Quantity::VariableRate(_)) | None => {
                Err(NoRate::Beyond(symbol.symbol_name().unwrap_or_default()))
            }
            Some(quantity) => Ok(Some(self.quantity(Quantity::Rate(Box::new(quantity))))),
        }
    }

    fn register_rate_of_variable(&self, variable: Id, rate: Id) {
        let index = self.variables.iter().position(|v| v.symbol == variable);
        if let Some(index) = index {
            self.results
                .borrow_mut()
                .insert(Quantity::VariableRate(index), rate);
        }
    }

    /// The symbol of a result of mechanics.
    pub(crate) fn quantity(&self, quantity: Quantity) -> Ex<'g> {
        if let Some(id) = self.results.borrow().symbol(&quantity) {
            return self.graph.ex(id);
        }
        let symbol = self.graph.symbol(&self.quantity_name(&quantity));
        self.results.borrow_mut().insert(quantity, symbol.id());
        symbol
    }

    /// What a symbol stands for; none for a stand-in.
    pub(crate) fn symbol(&self, id: Id) -> Option<Symbol> {
        let result = || self.results.borrow().quantity(id).map(|_| Symbol::Result);
        self.symbols.get(&id).copied().or_else(result)
    }

    /// The index of the coordinate whose symbol this is.
    pub(crate) fn coordinate(&self, q: Id) -> Option<usize> {
        self.coordinates.iter().position(|c| c.q == q)
    }

    /// `[points]` with values, in the file's order.
    pub(crate) fn known_points(&self) -> Vec<Point> {
        let points = self.places.iter().filter(|place| place.carrier.is_none());
        let known = points.filter_map(|place| match place.position {
            Slot::Known([Value::Vector(position), _]) => Some(Point {
                name: place.name.clone(),
                position,
            }),
            _ => None,
        });
        known.collect()
    }

    /// The particle or body of this name: its index among all of them.
    pub(crate) fn carrier(&self, name: &str) -> Option<usize> {
        match self.names.get(name) {
            Some(Named::Place(place)) => self.places[place].carrier,
            Some(Named::Body(body)) => self.places[self.bodies[body].place].carrier,
            _ => None,
        }
    }

    /// Whether `pos(name)` is the place of something.
    pub(crate) fn has_place(&self, name: &str) -> bool {
        name == "O" || matches!(self.names.get(name), Some(Named::Place(_) | Named::Body(_)))
    }

    /// Whether a place is a point of matter that constraints are inspected for.
    pub(crate) fn is_material(&self, place: &Place) -> bool {
        let is_named = |point: &MaterialPoint| point.name.as_deref() == Some(place.name.as_str());
        place.carrier.is_some() || self.material_points.borrow().iter().any(is_named)
    }

    /// The stand-in for the velocity of the matter of a body at a position.
    pub(crate) fn matter(
        &self,
        body: &str,
        carrier: usize,
        position: Vector,
        velocity: Vector,
    ) -> Vector {
        let mut points = self.material_points.borrow_mut();
        let same =
            |p: &&MaterialPoint| p.name.is_none() && (p.body, p.position) == (carrier, position);
        if let Some(point) = points.iter().find(same) {
            return point.velocity_symbols;
        }
        let name = format!("{body}, {}", points.len() + 1);
        let point = MaterialPoint {
            name: None,
            body: carrier,
            position,
            velocity,
            position_symbols: self.stand_ins("pos", &name),
            velocity_symbols: self.stand_ins("v", &name),
            acceleration_symbols: self.stand_ins("a", &name),
        };
        let symbols = point.velocity_symbols;
        points.push(point);
        symbols
    }

    /// Whether this index among particles and bodies is a particle's.
    pub(crate) fn is_particle(&self, carrier: usize) -> bool {
        let centres = self
            .bodies
            .iter()
            .map(|body| self.places[body.place].carrier);
        !centres.into_iter().any(|centre| centre == Some(carrier))
    }
}
