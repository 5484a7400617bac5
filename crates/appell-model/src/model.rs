//! What the user said: names, expressions, spans. Nothing here is derived.

use crate::dimension::Dimensions;
use crate::source::Source;
use appell_expr::{Graph, Id, Relation, Span};

/// Components in the inertial frame N.
pub type Vector = [Id; 3];

/// A model file, read and checked. Expressions are ids of [`Model::graph`].
///
/// For a coordinate `x` the graph's symbols are `x`, `x'`, `x''`; the time is `t`.
pub struct Model {
    /// The algebra in which every expression of the model, and later its equations, live.
    pub graph: Graph,
    /// The text the model was read from.
    pub source: Source,
    /// `title`, or the file's name.
    pub title: String,
    /// `source`: where the system comes from.
    pub origin: Option<String>,
    /// `about`.
    pub about: Option<String>,
    /// The Lagrangian coordinates, in the order of `q`.
    pub coordinates: Vec<Coordinate>,
    /// The symbol `t`.
    pub time: Id,
    /// The parameters, in the file's order, then the inputs.
    pub parameters: Vec<Parameter>,
    /// `[define]`: names for scalars and vectors, in the file's order.
    pub definitions: Vec<(String, Value)>,
    /// `[points]`.
    pub points: Vec<Point>,
    /// `[frames]`.
    pub frames: Vec<Frame>,
    /// `[particles]`, then `[bodies]`.
    pub bodies: Vec<Body>,
    /// The points that constraints take hold of: first the centre of each of [`Model::bodies`].
    pub material_points: Vec<MaterialPoint>,
    /// `[[loads]]`.
    pub loads: Vec<Load>,
    /// `gravity`.
    pub gravity: Vector,
    /// `T`: `[energy]` kinetic plus that of the bodies; `None` if only a Lagrangian is given.
    pub kinetic: Option<Id>,
    /// `V`: `[energy]` potential plus `-m g.r` of each body; `None` if only a Lagrangian is given.
    pub potential: Option<Id>,
    /// `L = T - V`, or `[energy] lagrangian` plus the bodies' part.
    pub lagrangian: Id,
    /// The part of `L` that `[energy]` gives.
    pub lagrangian_given: Id,
    /// `[forces]`: Lagrangian components not in the Lagrangian, by index of the coordinate.
    pub forces: Vec<(usize, Id)>,
    /// `[constraints]`, in the file's order.
    pub constraints: Vec<Constraint>,
    /// `[motion]`.
    pub motion: Motion,
    /// `[initial]`.
    pub initial: Initial,
    /// `[simulate]`.
    pub simulate: Simulate,
    /// `[claims]`, in the file's order.
    pub claims: Vec<Claim>,
    /// `[[plots]]`.
    pub plots: Vec<Plot>,
    /// `[animation]`.
    pub animation: Option<Animation>,
    /// The results that claims, plots and stops speak of, each a symbol that mechanics binds.
    pub quantities: Vec<(Quantity, Id)>,
    /// What the units of the file say of its symbols; none where it gives none, or where they contradict a formula.
    pub dimensions: Option<Dimensions>,
}

impl Model {
    /// The coordinates and then their velocities, `x'`, with their symbols.
    pub fn state(&self) -> impl Iterator<Item = (String, Id)> {
        let places = self.coordinates.iter().map(|x| (x.name.clone(), x.q));
        let rates = self
            .coordinates
            .iter()
            .map(|x| (format!("{}'", x.name), x.v));
        places.chain(rates)
    }

    /// Their names.
    pub fn state_names(&self) -> Vec<String> {
        self.state().map(|(name, _)| name).collect()
    }

    /// `[inputs]`: those of [`Model::parameters`] that may change during a motion.
    pub fn inputs(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(|parameter| parameter.is_input)
    }

    /// `[parameters]`: those of [`Model::parameters`] that do not change.
    pub fn constants(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(|parameter| !parameter.is_input)
    }
}

impl std::fmt::Debug for Model {
    /// The title only: the rest is ids of the graph.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Model({:?})", self.title)
    }
}

/// A Lagrangian coordinate with the symbols of its first two rates.
#[derive(Debug, Clone)]
pub struct Coordinate {
    /// As written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// The symbol `x`.
    pub q: Id,
    /// The symbol `x'`.
    pub v: Id,
    /// The symbol `x''`.
    pub a: Id,
    /// Its value where nothing says otherwise: 1 for the scalar part of a quaternion, else 0.
    pub rest: i32,
}

/// A parameter, or an input: a symbol and its value.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// As written.
    pub name: String,
    /// Whether it is one of `[inputs]`, which may change during a motion; `value` is what it is otherwise.
    pub is_input: bool,
    /// Where its value stands.
    pub span: Span,
    /// Its symbol.
    pub symbol: Id,
    /// An exact number, or an expression in other parameters (acyclic).
    pub value: Id,
    /// Shown; where its dimension is known, formulas are held against it.
    pub unit: Option<String>,
    /// Shown.
    pub about: Option<String>,
    /// Smallest admissible value, an expression in parameters.
    pub min: Option<Id>,
    /// Largest admissible value, an expression in parameters.
    pub max: Option<Id>,
}

/// A scalar or a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// One component.
    Scalar(Id),
    /// Components in N.
    Vector(Vector),
}

/// A named point, a function of `(q, t)`.
#[derive(Debug, Clone)]
pub struct Point {
    /// As written.
    pub name: String,
    /// `pos(P)`.
    pub position: Vector,
}

/// A frame of `[frames]`.
#[derive(Debug, Clone)]
pub struct Frame {
    /// As written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its axes, in components in N.
    pub axes: [Vector; 3],
    /// `omega`, in components in N.
    pub omega: Vector,
    /// How it turns about an axis of another frame, where it does.
    pub hinge: Option<Hinge>,
}

/// How a frame turns about an axis that is fixed in its parent.
#[derive(Debug, Clone, Copy)]
pub struct Hinge {
    /// The parent's index among the frames; none for N.
    pub parent: Option<usize>,
    /// The unit vector of the axis; its components are the same in both.
    pub axis: Vector,
    /// The axes of the frame, in components in the parent.
    pub local: [Vector; 3],
    /// The angular velocity relative to the parent; its components are the same in both.
    pub relative: Vector,
}

/// A particle or a rigid body.
#[derive(Debug, Clone)]
pub struct Body {
    /// As written.
    pub name: String,
    /// Where it is declared.
    pub span: Span,
    /// Its mass; 0 for a body with a fixed centre.
    pub mass: Id,
    /// The position of its mass centre, a function of `(q, t)`.
    pub position: Vector,
    /// The total derivative of the position.
    pub velocity: Vector,
    /// The active force at its centre besides gravity.
    pub force: Option<Vector>,
    /// What it has more than a particle.
    pub rotation: Option<Rotation>,
}

/// The rotation of a rigid body.
#[derive(Debug, Clone)]
pub struct Rotation {
    /// The axes of its frame, in components in N.
    pub axes: [Vector; 3],
    /// `omega`, in components in N.
    pub omega: Vector,
    /// `omega`, in components in its own frame.
    pub spin: Vector,
    /// `omega`, in components in the axes of Resal: axes in which the inertia matrix has the same entries though
    /// they take no part in turns about an axis of symmetry of the body. Its own frame where there is none.
    pub resal: Vector,
    /// The angular velocity of the axes of Resal, in components in these.
    pub turning: Vector,
    /// The entries of the inertia matrix about the mass centre, in its own frame.
    pub inertia: [Vector; 3],
    /// Where the inertia is given.
    pub inertia_span: Span,
    /// The active torque, in components in N.
    pub torque: Option<Vector>,
    /// Stand-ins for `omega` in [`Row::inspected`].
    pub omega_symbols: Vector,
    /// Stand-ins for `alpha`, the rate of `omega`, in [`Row::inspected`].
    pub alpha_symbols: Vector,
    /// Stand-ins for the axes in [`Row::inspected`]; none if its frame carries another body before it.
    pub axis_symbols: Option<[Vector; 3]>,
}

/// A point of a body on which a constraint may take hold.
///
/// In [`Row::inspected`] its place, velocity and acceleration are symbols, so that the derivatives of
/// a row by them are the directions of the constraint force at this point.
#[derive(Debug, Clone)]
pub struct MaterialPoint {
    /// Its name: that of a particle, of a body for its mass centre, or of a point of `[points]` that is
    /// fixed in the body; none for the point of a `v(body, r)`.
    pub name: Option<String>,
    /// The index of its body.
    pub body: usize,
    /// Where it is, a function of `(q, t)`.
    pub position: Vector,
    /// The velocity of the matter there.
    pub velocity: Vector,
    /// Stand-ins for the position.
    pub position_symbols: Vector,
    /// Stand-ins for the velocity.
    pub velocity_symbols: Vector,
    /// Stand-ins for the rate of the velocity.
    pub acceleration_symbols: Vector,
}

/// One entry of `[[loads]]`: a force at a point of a body, or a torque on it.
#[derive(Debug, Clone)]
pub struct Load {
    /// The index of the body.
    pub body: usize,
    /// The place of a force, from the mass centre.
    pub at: Vector,
    /// The force.
    pub force: Option<Vector>,
    /// The torque.
    pub torque: Option<Vector>,
    /// The index of the body that has the opposite force and torque, and the same place from its mass centre.
    pub against: Option<(usize, Vector)>,
}

/// One entry of `[constraints]`: a scalar or vector equation, or a list of equations with reactions.
#[derive(Debug, Clone)]
pub struct Constraint {
    /// As written.
    pub name: String,
    /// The equation as the user wrote it (the first one of a list).
    pub text: String,
    /// Where it stands.
    pub span: Span,
    /// Its rows, in order x, y, z for a vector equation.
    pub rows: Vec<Row>,
    /// Whether the tool added it: the unit norm of a quaternion.
    pub added: bool,
    /// The index of the entry of [`Model::points`] at which its force acts, where the file says so.
    pub at: Option<usize>,
}

/// On which level a constraint row was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// `f(q, t) = 0`: holonomic, kept on position and velocity level.
    Position,
    /// `phi(q, v, t) = 0`.
    Velocity,
    /// `A(q, v, t) q'' + B(q, v, t) = 0`, linear in `q''`.
    Acceleration,
}

/// One scalar constraint `phi = lhs - rhs = 0`.
#[derive(Debug, Clone)]
pub struct Row {
    /// `lhs - rhs`, of `(q, t)`, `(q, v, t)` or `(q, v, a, t)` according to the level.
    pub phi: Id,
    /// The level it was given on.
    pub level: Level,
    /// The same row where the kinematics of [`Model::material_points`] and of bodies stand as their
    /// stand-in symbols: its derivatives by these are the vectors that the constraint force follows.
    pub inspected: Id,
    /// The reaction's own direction where it is not Chetaev's.
    pub reaction: Option<Reaction>,
}

/// A direction `W(q, v, t)` that a reaction follows.
#[derive(Debug, Clone)]
pub struct Reaction {
    /// Its Lagrangian components, n.
    pub components: Vec<Id>,
    /// What it is on particles and bodies, if given so; else empty.
    pub on: Vec<Pull>,
}

/// A force at the centre of a particle or body, and a couple on it, in inertial components.
#[derive(Debug, Clone, Copy)]
pub struct Pull {
    /// The index of the particle or body.
    pub body: usize,
    /// The force.
    pub force: Vector,
    /// The couple.
    pub torque: Vector,
}

/// `[motion]`: parameters or motion variables of the velocities.
#[derive(Debug, Clone, Default)]
pub struct Motion {
    /// Where it stands.
    pub span: Span,
    /// `variables`, with their symbols `z` and `z'`.
    pub variables: Vec<MotionVariable>,
    /// `v = psi(q, z, t)`, one component per coordinate, if the equations have the form `x' = ...`.
    pub psi: Option<Vec<Id>>,
    /// `u = u(q, v, t)`, one per variable, if the equations have the form `u1 = ...`.
    pub definitions: Option<Vec<Id>>,
    /// `independent`: indices of coordinates (for `"x1'"`).
    pub independent_coordinates: Vec<usize>,
    /// `independent`: indices of motion variables (for `"u2"`).
    pub independent_variables: Vec<usize>,
}

/// A fibre coordinate.
#[derive(Debug, Clone)]
pub struct MotionVariable {
    /// As written.
    pub name: String,
    /// The symbol `z`.
    pub symbol: Id,
    /// The symbol `z'`.
    pub rate: Id,
}

/// `lhs relation rhs`, kept as `lhs - rhs`.
#[derive(Debug, Clone)]
pub struct Condition {
    /// `lhs - rhs`.
    pub difference: Id,
    /// How it compares with zero.
    pub relation: Relation,
    /// As the user wrote it.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

/// `[initial]`.
#[derive(Debug, Clone)]
pub struct Initial {
    /// The start time, an expression in parameters.
    pub time: Id,
    /// Equations in `q`, `v`, motion variables and kinematics (relation `Equal`).
    pub state: Vec<Condition>,
    /// Indices of the coordinates whose velocities a projection must not touch.
    pub keep: Vec<usize>,
    /// Indices of the coordinates that a projection must not touch.
    pub keep_positions: Vec<usize>,
    /// What to do with a start off the constraint; `None` if the file does not say.
    pub inconsistent: Option<Inconsistent>,
    /// Where `[initial]` stands, or the start of the file.
    pub span: Span,
}

/// `inconsistent = "project"` or `"error"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inconsistent {
    /// Move the state on to the constraint, least in the kinetic metric.
    Project,
    /// Refuse it.
    Error,
}

/// `[simulate]`, every entry optional.
#[derive(Debug, Clone, Default)]
pub struct Simulate {
    /// End time, an expression in parameters.
    pub until: Option<Id>,
    /// Relative tolerance.
    pub rtol: Option<f64>,
    /// Absolute tolerance.
    pub atol: Option<f64>,
    /// The longest step.
    pub max_step: Option<f64>,
    /// Method id.
    pub method: Option<String>,
    /// Where it stands.
    pub method_span: Span,
    /// Number of reported samples.
    pub samples: Option<usize>,
    /// Stop as soon as one of these holds.
    pub stop: Vec<Condition>,
}

/// One entry of `[claims]`.
#[derive(Debug, Clone)]
pub struct Claim {
    /// As written.
    pub name: String,
    /// Where it stands.
    pub span: Span,
    /// What is claimed.
    pub kind: ClaimKind,
    /// The sheet or domain it speaks of.
    pub domain: Vec<Condition>,
    /// Every formula in an equation, as written: also what cancels, which may be defined nowhere.
    pub formulas: Vec<Id>,
    /// What is differentiated in its formulas, and in those before the claims, which these may name.
    pub differentiated: Vec<Id>,
    /// Its source.
    pub cite: Option<String>,
    /// A remark.
    pub about: Option<String>,
    /// Relative to `max(1, value)`.
    pub tolerance: Option<f64>,
    /// A printed formula known to be wrong: the claim holds when it is refuted.
    pub refuted: bool,
}

/// What is claimed. Expressions may contain accelerations and the symbols of [`Model::quantities`].
#[derive(Debug, Clone)]
pub enum ClaimKind {
    /// The expression keeps its value along every motion.
    Constant(Id),
    /// `lhs - rhs = 0` along every motion; one id, or three for a vector equation.
    Equation(Vec<Id>),
    /// The condition holds along the motion from the given initial state.
    Always(Condition),
    /// Words of the classification.
    Class(Vec<String>),
    /// The states that satisfy these equations are singular.
    SingularAt(Vec<Condition>),
    /// These formalisms give the same motion.
    Equivalent(Vec<String>),
}

/// A result of mechanics that expressions may name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// `E = v.L_v - L`.
    Energy,
    /// `E*`.
    EnergyStar,
    /// `L*`, the Lagrangian restricted to the constraint.
    LagrangianStar,
    /// `T*`.
    KineticStar,
    /// Rate of the motion variable of this index.
    VariableRate(usize),
    /// `multiplier(c)` of this row (index over all rows of the model).
    Multiplier(usize),
    /// `power(c)`: sum over the rows of the constraint of this index.
    Power(usize),
    /// `reaction(x)`: covariant component, by index of the coordinate.
    Reaction(usize),
    /// `reaction_up(x)`: contravariant component.
    ReactionUp(usize),
    /// `R(P)`: component 0, 1, 2 of the constraint force on the body of this index.
    ReactionForce(usize, usize),
    /// `torque_R(body)`: component 0, 1, 2 of its moment about the mass centre.
    ReactionMoment(usize, usize),
    /// `alphabar(x)`, by index of the coordinate.
    AlphaBar(usize),
    /// `alpha_dep(x)`.
    AlphaDependent(usize),
    /// `B(r, x)`, Voronec's coefficient, by indices of coordinates.
    Voronec(usize, usize),
    /// `M(x, y)`, by indices of coordinates.
    Mass(usize, usize),
    /// `Gz(i, j)`, by indices of motion variables.
    Gram(usize, usize),
    /// The total time derivative of a quantity: `E'`.
    Rate(Box<Quantity>),
    /// `D(quantity, name)`: its partial derivative by the symbol of this id.
    Partial(Box<Quantity>, Id),
}

/// One entry of `[[plots]]`.
#[derive(Debug, Clone)]
pub struct Plot {
    /// `title`, may be empty.
    pub title: String,
    /// The abscissa and its text.
    pub x: (String, Id),
    /// The ordinates and their texts.
    pub y: Vec<(String, Id)>,
}

/// `[animation]`: checked and kept for the page.
#[derive(Debug, Clone)]
pub struct Animation {
    /// `plane`: `"xy"`, `"xz"`, `"yz"`, or none for a view in space.
    pub plane: Option<String>,
    /// `trail`: points whose path is drawn.
    pub trail: Vec<(String, Vector)>,
    /// `arrows`: vectors drawn at the point they belong to (or at the origin).
    pub arrows: Vec<Arrow>,
    /// `bodies`: shapes.
    pub shapes: Vec<Shape>,
    /// By what the usual lengths of force arrows are multiplied; depends on parameters only.
    pub force_scale: Option<Id>,
}

/// A vector drawn in the animation.
#[derive(Debug, Clone)]
pub struct Arrow {
    /// As written.
    pub text: String,
    /// Where it starts.
    pub at: Vector,
    /// Its components.
    pub vector: Vector,
}

/// A shape of the animation.
#[derive(Debug, Clone)]
pub struct Shape {
    /// `rod disc ball box wheel line polyline ellipsoid plate ground cone cylinder spring blade`.
    pub shape: String,
    /// The index of the body it is fixed to; its `at`, `along` and `axis` are then given in N for the
    /// present state.
    pub body: Option<usize>,
    /// The axes of the frame it turns with, if one is named.
    pub axes: Option<[Vector; 3]>,
    /// Its places, directions and sizes by their keys; a list has one entry for each element.
    pub values: Vec<(String, Value)>,
    /// The name of a colour, or `#rrggbb`.
    pub colour: Option<String>,
    /// A text drawn beside it; may be empty.
    pub label: String,
    /// Whether its centre leaves a trail, if the file says so.
    pub trail: Option<bool>,
}
