//! What may stand where: a mass depends on parameters only, a position on `q` and `t`, and so on.

/// A place for a formula.
#[derive(Debug)]
pub(crate) struct Setting {
    /// "a mass", "the position of a point", ...
    pub(crate) what: &'static str,
    allows: Allows,
    /// Whether inputs are admitted: nothing here is differentiated by the time.
    inputs: bool,
    /// Whether a function with corners is worth a warning here.
    pub(crate) wants_smooth: bool,
}

/// Which symbols are admitted besides parameters, in the order of this ladder.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Allows {
    Parameters,
    Time,
    Coordinates,
    /// `q`, `t` and motion variables.
    Variables,
    Velocities,
    Accelerations,
    /// `q`, `v`, `t` and motion variables.
    States,
    Everything,
}

/// What a symbol of the graph stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    Parameter,
    Input,
    Time,
    Coordinate,
    Velocity,
    Acceleration,
    Variable,
    /// The rate of a motion variable, and every result of mechanics.
    Result,
}

impl Symbol {
    /// "a velocity", ...
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Self::Parameter => "a parameter",
            Self::Input => "an input",
            Self::Time => "the time",
            Self::Coordinate => "a coordinate",
            Self::Velocity => "a velocity",
            Self::Acceleration => "an acceleration",
            Self::Variable => "a motion variable",
            Self::Result => "a result of the motion",
        }
    }
}

impl Setting {
    /// Whether the symbol may stand here.
    pub(crate) fn admits(&self, symbol: Symbol) -> bool {
        use Symbol::{
            Acceleration, Coordinate, Input, Parameter, Result, Time, Variable, Velocity,
        };
        match symbol {
            Parameter => true,
            Input => self.inputs,
            Time => self.allows != Allows::Parameters,
            Coordinate => !matches!(self.allows, Allows::Parameters | Allows::Time),
            Velocity => matches!(
                self.allows,
                Allows::Velocities | Allows::Accelerations | Allows::States | Allows::Everything
            ),
            Acceleration => matches!(self.allows, Allows::Accelerations | Allows::Everything),
            Variable => matches!(
                self.allows,
                Allows::Variables | Allows::States | Allows::Everything
            ),
            Result => self.allows == Allows::Everything,
        }
    }

    /// Whether nothing that stands here is worth a word.
    pub(crate) fn is_free(&self) -> bool {
        self.allows == Allows::Everything && self.inputs && !self.wants_smooth
    }

    /// "parameters, coordinates and the time": what may stand here.
    pub(crate) fn admitted(&self) -> &'static str {
        match self.allows {
            Allows::Parameters => "parameters only",
            Allows::Time => "parameters and the time",
            Allows::Coordinates => "parameters, coordinates and the time",
            Allows::Variables => "parameters, coordinates, motion variables and the time",
            Allows::Velocities if self.inputs => {
                "parameters, inputs, coordinates, velocities and the time"
            }
            Allows::Velocities => "parameters, coordinates, velocities and the time",
            Allows::Accelerations => {
                "parameters, coordinates, velocities, accelerations and the time"
            }
            Allows::States => "parameters, coordinates, velocities, motion variables and the time",
            Allows::Everything if !self.inputs => {
                "everything but inputs, which may change at any time"
            }
            Allows::Everything => "everything",
        }
    }
}

const fn setting(what: &'static str, allows: Allows, wants_smooth: bool) -> Setting {
    Setting {
        what,
        allows,
        inputs: matches!(allows, Allows::Everything),
        wants_smooth,
    }
}

/// The same with inputs: they are no functions of the time whose rate would be known.
const fn with_inputs(setting: Setting, inputs: bool) -> Setting {
    Setting { inputs, ..setting }
}

pub(crate) const PARAMETER: Setting =
    setting("the value of a parameter", Allows::Parameters, false);
pub(crate) const GRAVITY: Setting = setting("gravity", Allows::Time, true);
pub(crate) const MASS: Setting = setting("a mass", Allows::Parameters, false);
pub(crate) const INERTIA: Setting = setting("an inertia", Allows::Parameters, false);
pub(crate) const AXIS: Setting = setting("the axis of a frame", Allows::Parameters, false);
pub(crate) const ANGLE: Setting = setting("the angle of a frame", Allows::Coordinates, true);
pub(crate) const QUATERNION: Setting =
    setting("a component of a quaternion", Allows::Coordinates, false);
pub(crate) const OFFSET: Setting = setting("the place of a load", Allows::Coordinates, true);
pub(crate) const TORQUE: Setting = with_inputs(setting("a torque", Allows::Velocities, true), true);
pub(crate) const POSITION: Setting = setting("a position", Allows::Coordinates, true);
pub(crate) const FORCE: Setting = with_inputs(setting("a force", Allows::Velocities, true), true);
pub(crate) const ENERGY: Setting = setting("an energy", Allows::Velocities, true);
/// Rows that are differentiated are refused when their level is known.
pub(crate) const CONSTRAINT: Setting =
    with_inputs(setting("a constraint", Allows::Accelerations, true), true);
pub(crate) const REACTION: Setting =
    setting("the direction of a reaction", Allows::Velocities, true);
pub(crate) const PSI: Setting = setting(
    "a velocity in terms of motion variables",
    Allows::Variables,
    true,
);
pub(crate) const VARIABLE: Setting = setting(
    "the definition of a motion variable",
    Allows::Velocities,
    true,
);
pub(crate) const START: Setting = setting("an initial state", Allows::States, false);
pub(crate) const SINGULAR: Setting = setting("a singular state", Allows::States, false);
pub(crate) const TIME: Setting = setting("a time", Allows::Parameters, false);
pub(crate) const TRAIL: Setting = setting("what an animation draws", Allows::Velocities, false);
pub(crate) const ARROW: Setting = setting("an arrow", Allows::Everything, false);
pub(crate) const CURVE: Setting = setting("a curve", Allows::Everything, false);
pub(crate) const CONSTANT: Setting = with_inputs(
    setting("a claimed constant", Allows::Everything, false),
    false,
);
/// Definitions are judged where they are used; claimed equations, conditions and stops are free.
pub(crate) const ANYTHING: Setting = setting("a definition", Allows::Everything, false);
