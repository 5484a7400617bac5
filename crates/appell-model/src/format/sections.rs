//! The sections and their keys.

use super::takes::{Naming, Takes};
use super::{ANIMATION, CLAIM, PLOT, Presence, SHAPE, Section, key};
use crate::codes::Code;
use crate::settings;
use Presence::{Default, Required};

/// More than so many samples are refused.
pub(crate) const MAX_SAMPLES: u32 = 10_000_000;

/// Every section, in the order of the reference.
pub const SECTIONS: &[&Section] = &[
    &MODEL,
    &PARAMETER,
    &INPUT,
    &FRAME,
    &PARTICLE,
    &BODY,
    &INERTIA,
    &LOAD,
    &ENERGY,
    &CONSTRAINT,
    &REACTION,
    &MOTION,
    &INITIAL,
    &SIMULATE,
    &CLAIM,
    &PLOT,
    &ANIMATION,
    &SHAPE,
];

const STRING: Takes = Takes::Text;
const EQUATION: Takes = Takes::Formula("equation", &settings::CONSTRAINT);
const CONDITION: Takes = Takes::Formula("condition, such as `\"z' > 0\"`", &settings::ANYTHING);
const CONSTRAINT_TABLE: Takes = Takes::Table(&CONSTRAINT);

pub(crate) static MODEL: Section = Section {
    name: "model",
    written: "the model",
    about: "The keys of the whole model. Those that are no tables stand above the first `[table]`. All but `coordinates` and \
            something that has a kinetic energy (`energy`, `particles` or `bodies`) may be left out.",
    keys: &[
        key(
            "appell",
            Takes::Version,
            Default("`1`"),
            "The version of the format.",
        ),
        key(
            "title",
            STRING,
            Default("the name of the file"),
            "A line that names the model.",
        ),
        key(
            "source",
            STRING,
            Default("none"),
            "Where the model comes from: paper, section. `appell cite` looks it up in the bibliography.",
        ),
        key("about", STRING, Default("none"), "What it shows."),
        key(
            "coordinates",
            Takes::List(&STRING, None),
            Required,
            "The names of the Lagrangian coordinates; their order is that of `q` in all answers. Up to 300.",
        ),
        key(
            "gravity",
            Takes::Vector(&settings::GRAVITY),
            Default("`\"[0, 0, 0]\"`"),
            "The acceleration of free fall, which acts on all particles and bodies: `\"-g*N.z\"`.",
        ),
        key(
            "parameters",
            Takes::Named(
                &Takes::Either(&[
                    Takes::Scalar(&settings::PARAMETER),
                    Takes::Table(&PARAMETER),
                ]),
                Naming::Declared,
            ),
            Default("none"),
            "Constants with their values: `m = 1.5`, `a = \"2*m\"`, or a table. A value may be made of other parameters, in any order, not in a circle. \
             Decimals are exact: `0.1` is one tenth.",
        ),
        key(
            "inputs",
            Takes::Named(
                &Takes::Either(&[Takes::Scalar(&settings::PARAMETER), Takes::Table(&INPUT)]),
                Naming::Declared,
            ),
            Default("none"),
            "Quantities that may change during a motion, with the values that they have otherwise: `tau = 0`, or a table. They may stand in forces, torques, \
             loads, rows on accelerations, claimed equations, plots and stops.",
        ),
        key(
            "define",
            Takes::Named(&Takes::Expression(&settings::ANYTHING), Naming::Declared),
            Default("none"),
            "Abbreviations, scalar or vector, in any order, not in a circle: `r = \"sqrt(x^2 + y^2)\"`. They may be used wherever what they are made of may stand.",
        ),
        key(
            "units",
            Takes::Named(&STRING, Naming::Free),
            Default("none"),
            "Units of coordinates, definitions and motion variables: `x = \"m\"`; `t = \"h\"` that of the time, which is seconds otherwise. Where the units of a formula are known, or follow from the others, its dimensions are checked.",
        ),
        key(
            "frames",
            Takes::Named(&Takes::Table(&FRAME), Naming::Declared),
            Default("none"),
            "Frames that turn, each in a parent; `N` is the inertial one. Their axes are `B.x`, `B.y`, `B.z`.",
        ),
        key(
            "points",
            Takes::Named(&Takes::Vector(&settings::POSITION), Naming::Declared),
            Default("none"),
            "Places with names: `Q = \"pos(rod) + l*B.x\"`. They may move with the time.",
        ),
        key(
            "particles",
            Takes::Named(&Takes::Table(&PARTICLE), Naming::Declared),
            Default("none"),
            "Points with mass; each adds `1/2 m v.v` to the kinetic energy.",
        ),
        key(
            "bodies",
            Takes::Named(&Takes::Table(&BODY), Naming::Declared),
            Default("none"),
            "Rigid bodies; each adds `1/2 m v.v + 1/2 omega.I omega`.",
        ),
        key(
            "loads",
            Takes::List(&Takes::Table(&LOAD), None),
            Default("none"),
            "Forces at points of bodies and torques on them, alone or between two bodies.",
        ),
        key(
            "energy",
            Takes::Table(&ENERGY),
            Default("that of particles and bodies"),
            "Energies in coordinates; they add to those of particles and bodies.",
        ),
        key(
            "forces",
            Takes::Named(&Takes::Scalar(&settings::FORCE), Naming::Coordinates),
            Default("none"),
            "Generalised forces that are in no energy, by coordinates: `theta = \"-c*theta'\"`. Forces on bodies are `[[loads]]`.",
        ),
        key(
            "constraints",
            Takes::Named(
                &Takes::OneOrMore(&Takes::Either(&[EQUATION, CONSTRAINT_TABLE])),
                Naming::Free,
            ),
            Default("none"),
            "Equations between coordinates and velocities, each with its name: an equation in a string, scalar or vector, or a table, or a list of these.",
        ),
        key(
            "motion",
            Takes::Table(&MOTION),
            Default("chosen by the tool, and said"),
            "Velocities by motion variables, or motion variables by velocities.",
        ),
        key(
            "initial",
            Takes::Table(&INITIAL),
            Default("all velocities and coordinates 0, moved to the constraints"),
            "Where the motion begins.",
        ),
        key(
            "simulate",
            Takes::Table(&SIMULATE),
            Default("the defaults of its keys"),
            "How far and how exactly the motion is followed.",
        ),
        key(
            "claims",
            Takes::Named(&Takes::Table(&CLAIM), Naming::Free),
            Default("none"),
            "What is held to be true. `appell prove` proves or refutes it for all motions, `appell run` looks at it along one.",
        ),
        key(
            "plots",
            Takes::List(&Takes::Table(&PLOT), None),
            Default("none"),
            "Curves of the motion.",
        ),
        key(
            "animation",
            Takes::Table(&ANIMATION),
            Default("points and bodies as they are"),
            "What the player of the page draws.",
        ),
    ],
    one_of: &["energy", "particles", "bodies"],
    errors: &[
        Code::ReservedName,
        Code::NameTaken,
        Code::BadName,
        Code::Cycle,
        Code::NoEnergy,
        Code::BadValue,
        Code::UnknownName,
        Code::SingularKineticEnergy,
        Code::Unused,
        Code::Alike,
    ],
    example: "appell = 1\ntitle = \"A bead on a helix\"\ncoordinates = [\"phi\", \"z\"]\n",
};

pub(crate) static PARAMETER: Section = Section {
    name: "parameters",
    written: "[parameters]",
    about: "A parameter as a table, where more than its value is to be said.",
    keys: &[
        key(
            "value",
            Takes::Scalar(&settings::PARAMETER),
            Required,
            "Its value, or an expression in other parameters.",
        ),
        key(
            "unit",
            STRING,
            Default("none"),
            "Its unit: products, powers and quotients of SI units and of `deg`, `rpm`, `km/h`, `g`, `mm`, `min` and the like. It is shown, and the dimensions of formulas are held against it; numbers are not converted.",
        ),
        key("about", STRING, Default("none"), "What it is."),
        key(
            "min",
            Takes::Scalar(&settings::PARAMETER),
            Default("no limit"),
            "Values below this are refused.",
        ),
        key(
            "max",
            Takes::Scalar(&settings::PARAMETER),
            Default("no limit"),
            "Values above this are refused.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::OutsideLimits,
        Code::Cycle,
        Code::NotFinite,
        Code::ImplicitProduct,
        Code::Dimension,
        Code::Unit,
        Code::Alike,
    ],
    example: "[parameters]\nm = 1.5\nalpha = { value = \"pi/10\", unit = \"rad\", about = \"slope\", min = 0, max = \"pi/2\" }\n",
};

pub(crate) static INPUT: Section = Section {
    name: "inputs",
    written: "[inputs]",
    about: "An input: a quantity from outside, such as a torque, that a program may change during a motion. In formulas it is used like a \
            parameter, but only where nothing is differentiated by the time: an input may jump, and its rate is not known. Whatever is proved, \
            derived and classified holds for any value of it.",
    keys: &[
        key(
            "value",
            Takes::Scalar(&settings::PARAMETER),
            Default("0"),
            "What it is where nothing changes it, or an expression in parameters.",
        ),
        key(
            "unit",
            STRING,
            Default("none"),
            "Its unit: products, powers and quotients of SI units and of `deg`, `rpm`, `km/h`, `g`, `mm`, `min` and the like. It is shown, and the dimensions of formulas are held against it; numbers are not converted.",
        ),
        key("about", STRING, Default("none"), "What it is."),
    ],
    one_of: &[],
    errors: &[Code::NotAllowed, Code::NotFinite, Code::UnknownKey],
    example: "[inputs]\ntau = { value = 0, unit = \"N*m\", about = \"torque of the motor\" }\n",
};

pub(crate) static FRAME: Section = Section {
    name: "frames",
    written: "[frames]",
    about: "A frame is turned in its parent by an angle about an axis, or by a unit quaternion of four coordinates. With a quaternion the row \
            `e0^2 + e1^2 + e2^2 + e3^2 = 1` is added by the tool; it carries no torque.",
    keys: &[
        key(
            "parent",
            Takes::Name("a frame, or `N`"),
            Default("`N`"),
            "In which frame it turns.",
        ),
        key(
            "angle",
            Takes::Scalar(&settings::ANGLE),
            Default("none: then `quaternion`"),
            "By which angle.",
        ),
        key(
            "axis",
            Takes::Vector(&settings::AXIS),
            Default("none: then `quaternion`"),
            "About which axis: `\"x\"`, `\"y\"`, `\"z\"` or one of these backwards, `\"-z\"`, or a vector in components in the parent, of any length.",
        ),
        key(
            "quaternion",
            Takes::List(&Takes::Name("coordinate"), Some(4)),
            Default("none: then `angle` and `axis`"),
            "Four coordinates, the scalar part first, from body to space.",
        ),
    ],
    one_of: &["angle", "quaternion"],
    errors: &[Code::Turn, Code::NotAQuantity, Code::Cycle],
    example: "[frames]\nA = { parent = \"N\", angle = \"psi\", axis = \"z\" }\nB = { parent = \"A\", angle = \"theta\", axis = \"x\" }\n",
};

pub(crate) static PARTICLE: Section = Section {
    name: "particles",
    written: "[particles]",
    about: "A particle is a point with mass.",
    keys: &[
        key(
            "mass",
            Takes::Scalar(&settings::MASS),
            Required,
            "Its mass.",
        ),
        key(
            "position",
            Takes::Vector(&settings::POSITION),
            Required,
            "Where it is, in N.",
        ),
        key(
            "force",
            Takes::Vector(&settings::FORCE),
            Default("none"),
            "A force on it, besides gravity and loads.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::VectorScalar,
        Code::Components,
        Code::SingularKineticEnergy,
    ],
    example: "[particles]\nP = { mass = \"m\", position = \"[x, y, 0]\", force = \"-c*v(P)\" }\n",
};

pub(crate) static BODY: Section = Section {
    name: "bodies",
    written: "[bodies.NAME]",
    about: "A rigid body: its frame turns with it. The inertia is about the mass centre.",
    keys: &[
        key(
            "mass",
            Takes::Scalar(&settings::MASS),
            Default("`0`, for a body that only turns"),
            "Its mass.",
        ),
        key(
            "frame",
            Takes::Name("a frame, or `N`"),
            Required,
            "The frame that turns with it.",
        ),
        key(
            "position",
            Takes::Vector(&settings::POSITION),
            Default("the origin"),
            "Where its mass centre is, in N.",
        ),
        key(
            "inertia",
            Takes::Either(&[
                Takes::List(
                    &Takes::Either(&[
                        Takes::Scalar(&settings::INERTIA),
                        Takes::List(&Takes::Scalar(&settings::INERTIA), Some(3)),
                    ]),
                    Some(3),
                ),
                Takes::Table(&INERTIA),
            ]),
            Required,
            "`[Ixx, Iyy, Izz]`, three rows of three, or a table of matrix entries, in its frame.",
        ),
        key(
            "force",
            Takes::Vector(&settings::FORCE),
            Default("none"),
            "A force at its mass centre.",
        ),
        key(
            "torque",
            Takes::Vector(&settings::TORQUE),
            Default("none"),
            "A torque on it.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::Inertia,
        Code::Impossible,
        Code::Turn,
        Code::NotAQuantity,
    ],
    example: "[bodies.disc]\nmass = \"m\"\nframe = \"B\"\nposition = \"[x, y, r]\"\ninertia = [\"m*r^2/4\", \"m*r^2/4\", \"m*r^2/2\"]\n",
};

pub(crate) static INERTIA: Section = Section {
    name: "inertia",
    written: "inertia = { .. }",
    about: "The entries of the inertia matrix about the mass centre in the body's frame. Off the diagonal these are matrix entries, \
            `Ixy = -(integral of x y dm)`, not products of inertia of the other sign.",
    keys: &[
        key(
            "xx",
            Takes::Scalar(&settings::INERTIA),
            Required,
            "First moment.",
        ),
        key(
            "yy",
            Takes::Scalar(&settings::INERTIA),
            Required,
            "Second moment.",
        ),
        key(
            "zz",
            Takes::Scalar(&settings::INERTIA),
            Required,
            "Third moment.",
        ),
        key(
            "xy",
            Takes::Scalar(&settings::INERTIA),
            Default("`0`"),
            "Matrix entry of x and y.",
        ),
        key(
            "yz",
            Takes::Scalar(&settings::INERTIA),
            Default("`0`"),
            "Matrix entry of y and z.",
        ),
        key(
            "xz",
            Takes::Scalar(&settings::INERTIA),
            Default("`0`"),
            "Matrix entry of x and z.",
        ),
    ],
    one_of: &[],
    errors: &[Code::Inertia],
    example: "[bodies.fork]\nmass = 4\nframe = \"H\"\nposition = \"[x, y, 0.7]\"\ninertia = { xx = 0.059, yy = 0.06, zz = 0.007, xz = -0.009 }\n",
};

pub(crate) static LOAD: Section = Section {
    name: "loads",
    written: "[[loads]]",
    about: "A force at a point of a body, or a torque on it. With `against` the other body has the opposite force at the same place, or the \
            opposite torque: a motor, a spring, a damper between two bodies.",
    keys: &[
        key(
            "body",
            Takes::Name("a particle or body"),
            Required,
            "On which it acts.",
        ),
        key(
            "against",
            Takes::Name("a particle or body, or the frame of one body"),
            Default("none"),
            "Which other one has the opposite load.",
        ),
        key(
            "at",
            Takes::Place(&settings::OFFSET),
            Default("the mass centre"),
            "Where the force acts: the name of a point, particle or body, or the offset from the mass centre of `body`. The force acts on the material point that is there.",
        ),
        key(
            "force",
            Takes::Vector(&settings::FORCE),
            Default("none"),
            "The force.",
        ),
        key(
            "torque",
            Takes::Vector(&settings::TORQUE),
            Default("none"),
            "The torque.",
        ),
    ],
    one_of: &["force", "torque"],
    errors: &[
        Code::Offset,
        Code::Arguments,
        Code::MissingKey,
        Code::Unused,
    ],
    example: "[[loads]]\nbody = \"arm\"\nagainst = \"base\"\ntorque = \"(tau - c*theta')*N.z\"\n",
};

pub(crate) static ENERGY: Section = Section {
    name: "energy",
    written: "[energy]",
    about: "Energies in coordinates and velocities: `kinetic` with `potential`, or `lagrangian`. They add to those of particles, bodies and gravity.",
    keys: &[
        key(
            "kinetic",
            Takes::Scalar(&settings::ENERGY),
            Default("`0`"),
            "`T` of what is no particle and no body. In formulas `T` is the whole kinetic energy.",
        ),
        key(
            "potential",
            Takes::Scalar(&settings::ENERGY),
            Default("`0`"),
            "`V`, which may depend on velocities. In formulas `V` is the whole potential energy.",
        ),
        key(
            "lagrangian",
            Takes::Scalar(&settings::ENERGY),
            Default("none"),
            "`L` in place of both; then `T` and `V` have no meaning in formulas.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::TwoLagrangians,
        Code::NoEnergy,
        Code::OnlyLagrangian,
        Code::SingularKineticEnergy,
    ],
    example: "[energy]\nkinetic = \"m*(x'^2 + y'^2)/2 + J*theta'^2/2\"\npotential = \"m*g*sin(alpha)*x\"\n",
};

pub(crate) static CONSTRAINT: Section = Section {
    name: "constraints",
    written: "[constraints]",
    about: "An equation, or a bare expression that is 0. Without a prime it is holonomic and is kept on positions and velocities; with `'` it \
            is a constraint on velocities, of any form; with `''` it must be linear in the accelerations. A vector equation gives its three components in N. \
            Dependent rows are found (`redundant`), rows that say nothing too (`void`); multipliers are then those of least norm.",
    keys: &[
        key("equation", EQUATION, Required, "The equation."),
        key(
            "reaction",
            Takes::Table(&REACTION),
            Default("Chetaev's: along the derivatives of the equation by the velocities"),
            "The direction of the force that keeps the constraint, where it is another: a servo acts where its motor is.",
        ),
        key(
            "at",
            Takes::Name("a point"),
            Default("none"),
            "Where the force of a constraint in coordinates is drawn; with particles and bodies that follows from the equation.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::NoCoordinate,
        Code::NonlinearAcceleration,
        Code::InconsistentConstraints,
        Code::NonSmooth,
    ],
    example: "[constraints]\nblade = \"x'*sin(theta) - y'*cos(theta) = 0\"\nrod = \"norm(pos(P) - pos(Q)) = l\"\nrolling = \"v(disc, -r*n) = 0\"\n\
              servo = { equation = \"theta = Omega*t\", reaction = { x = \"1\" } }\n",
};

pub(crate) static REACTION: Section = Section {
    name: "reaction",
    written: "reaction = { .. }",
    about: "The direction of a reaction that is not Chetaev's: by coordinates, `{ x = \"1\", theta = \"-r\" }`, or as a force on a particle or at the mass \
            centre of a body, and a couple on a body; with `against` the opposite of both on another, as a motor between two bodies exerts it.",
    keys: &[
        key(
            "on",
            Takes::Name("a particle or body"),
            Default("none: then components by coordinates"),
            "On which it acts.",
        ),
        key(
            "force",
            Takes::Vector(&settings::REACTION),
            Default("none"),
            "The direction of the force.",
        ),
        key(
            "torque",
            Takes::Vector(&settings::REACTION),
            Default("none"),
            "The couple on a body. Alone it is a motor's: no force goes with it.",
        ),
        key(
            "against",
            Takes::Name("a particle or body, or the frame of one body"),
            Default("none: the ground has it"),
            "The body that has the opposite couple, and the opposite force at the same place.",
        ),
    ],
    one_of: &[],
    errors: &[Code::Reaction],
    example: "[constraints]\nservo = { equation = \"theta' = 0\", reaction = { on = \"cart\", force = \"N.x\" } }\n\
              motor = { equation = \"phi' = 3*t\", reaction = { on = \"wheel\", torque = \"N.z\", against = \"rod\" } }\n",
};

pub(crate) static MOTION: Section = Section {
    name: "motion",
    written: "[motion]",
    about: "Fibre coordinates of the constraints, where you want your own. Either every velocity is given by them (`x' = z1*cos(theta)`: the parametric \
            form of the constraints), or each of them by velocities (`u1 = dot(v(P), A.x)`: motion variables as Kane's).",
    keys: &[
        key(
            "variables",
            Takes::List(&STRING, None),
            Default("none"),
            "Their names.",
        ),
        key(
            "equations",
            Takes::List(
                &Takes::Formula("equation `x' = ..`, or `u1 = ..`", &settings::VARIABLE),
                None,
            ),
            Default("none; needed with `variables`"),
            "One equation for each coordinate, or one for each variable.",
        ),
        key(
            "independent",
            Takes::List(
                &Takes::Formula("velocity `x'`, or motion variable", &settings::ANYTHING),
                None,
            ),
            Default("chosen by the tool, and said"),
            "The independent velocities of Voronec's and Chaplygin's equations, or Kane's minimal set.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::MotionEquations,
        Code::MotionForm,
        Code::ContradictoryMotion,
        Code::BadValue,
    ],
    example: "[motion]\nvariables = [\"z1\", \"z2\"]\nequations = [\"x' = z1*cos(theta)\", \"y' = z1*sin(theta)\", \"theta' = z2\"]\n",
};

pub(crate) static INITIAL: Section = Section {
    name: "initial",
    written: "[initial]",
    about: "The start. Equations that are given hold. Missing velocities are those of least kinetic energy, missing coordinates follow from holonomic \
            rows, and what these leave free is 0. The answer shows what was given and what is used.",
    keys: &[
        key(
            "t",
            Takes::Scalar(&settings::TIME),
            Default("`0`"),
            "The time of the start.",
        ),
        key(
            "state",
            Takes::List(&Takes::Formula("equation", &settings::START), None),
            Default("`[]`"),
            "Equations in coordinates, velocities, motion variables and kinematics: `\"x = 0\"`, `\"theta' = 2\"`, `\"dot(omega(ball), N.z) = 0.7\"`.",
        ),
        key(
            "keep",
            Takes::List(
                &Takes::Formula("velocity `x'`, or coordinate", &settings::ANYTHING),
                None,
            ),
            Default("`[]`"),
            "What is not moved where the start is moved to the constraints.",
        ),
        key(
            "inconsistent",
            Takes::Word(&["project", "error"]),
            Default("`\"error\"`"),
            "What happens where the given equations contradict the constraints: `project` moves velocities least in the kinetic metric, and coordinates only for holonomic rows.",
        ),
    ],
    one_of: &[],
    errors: &[
        Code::InconsistentStart,
        Code::InconsistentConstraints,
        Code::NotSteady,
        Code::BadValue,
        Code::UnknownWord,
    ],
    example: "[initial]\nstate = [\"theta = 0.3\", \"x' = 1\", \"theta' = 2\"]\ninconsistent = \"project\"\n",
};

pub(crate) static SIMULATE: Section = Section {
    name: "simulate",
    written: "[simulate]",
    about: "How the motion is computed. The options of `appell run` have the last word.",
    keys: &[
        key(
            "until",
            Takes::Scalar(&settings::TIME),
            Default("none: `--until` is needed"),
            "The end time.",
        ),
        key(
            "rtol",
            Takes::Positive,
            Default("`1e-10`"),
            "The relative tolerance of a step.",
        ),
        key(
            "atol",
            Takes::Positive,
            Default("`1e-12`"),
            "The absolute tolerance of a step.",
        ),
        key(
            "max_step",
            Takes::Positive,
            Default("none"),
            "The longest step, for what acts for a moment only: a step looks at its stages and does not see between them. A motion \
             with conditions that end it, or in whose equations the time stands, or functions of the state that may act briefly, such as `exp` \
             and quotients, has at least a hundred steps anyway. Steps see `tanh(u)`, `atan(u)`, `1/cosh(u)`, `1/(1 + exp(u))`, \
             `exp` where its exponent is the largest along the motion, powers above 9 and quotients by sums likewise, however narrow, in forces, \
             inputs, stops and `always`; of `log` and `atan2`, and of a model with more than 64 such functions, that is not looked for. A sample at which the energy does not balance is \
             reported.",
        ),
        key(
            "method",
            STRING,
            Default("`\"dop853\"`"),
            "The method of integration, one of those that `appell run --help` lists, or `\"auto\"`.",
        ),
        key(
            "samples",
            Takes::Count(MAX_SAMPLES),
            Default("`201`"),
            "How many states are reported, the first and the last included.",
        ),
        key(
            "stop",
            Takes::List(&CONDITION, None),
            Default("`[]`"),
            "Conditions, the first of which that comes true ends the motion.",
        ),
    ],
    one_of: &[],
    errors: &[Code::BadValue, Code::UnknownWord],
    example: "[simulate]\nuntil = \"2*pi/Omega\"\nrtol = 1e-12\nstop = [\"z' < 1e-3\"]\n",
};
