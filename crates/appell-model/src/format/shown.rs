//! The sections of what is claimed and shown.

use super::takes::Takes;
use super::words::{CLASSES, COLOURS, PLANES, SHAPES};
use super::{Presence, Section, key};
use crate::codes::Code;
use crate::settings;
use Presence::{Default, Required};

const STRING: Takes = Takes::Text;
const CURVE: Takes = Takes::Formula("scalar expression in a string", &settings::CURVE);
const CONDITION: Takes = Takes::Formula("condition, such as `\"z' > 0\"`", &settings::ANYTHING);

pub(crate) static CLAIM: Section = Section {
    name: "claims",
    written: "[claims]",
    about: "A claim says one thing: that an expression is constant, that an equation holds, that a condition always does, what class the constraints are of, \
            which states are singular, or which formalisms agree.",
    keys: &[
        key(
            "constant",
            Takes::Scalar(&settings::CONSTANT),
            Default("none"),
            "This does not change along any motion.",
        ),
        key(
            "equation",
            Takes::Formula("equation", &settings::ANYTHING),
            Default("none"),
            "This holds along every motion; `''`, multipliers and reactions may stand in it.",
        ),
        key(
            "always",
            CONDITION,
            Default("none"),
            "This holds along the motion that is computed: `appell run` judges it, `appell prove` leaves it undecided.",
        ),
        key(
            "class",
            Takes::Words(CLASSES),
            Default("none"),
            "Some constraint is all of this, whatever the others are; the words are in the glossary.",
        ),
        key(
            "singular_at",
            Takes::List(&Takes::Formula("equation", &settings::SINGULAR), None),
            Default("none"),
            "States on which these equations hold are singular.",
        ),
        key(
            "equivalent",
            Takes::Ids("at least two formalisms, such as `\"kane\"`"),
            Default("none"),
            "These formalisms have the same motions.",
        ),
        key(
            "where",
            Takes::OneOrMore(&CONDITION),
            Default("everywhere"),
            "On which sheet or domain it is claimed.",
        ),
        key(
            "cite",
            STRING,
            Default("none"),
            "Where it is printed: `\"(3.4)\"`, or work and place.",
        ),
        key("about", STRING, Default("none"), "What it means."),
        key(
            "tolerance",
            Takes::Positive,
            Default("`1e-9`; for constants see the meaning"),
            "How far it may be missed along a computed motion, relative to the larger of 1 and, where it is given, the largest term of the formula as it is written, beyond rounding; else all that the formula is summed from, which is large far from 0: `x0^2` of `(x - x0)^2`. A constant without one holds where it misses no more than ten tolerances of the motion for each step, fails beyond 10000 of them, and between is not decided. What is small beside 1 is held against its own terms. Proofs have no tolerance.",
        ),
        key(
            "refuted",
            Takes::Flag,
            Default("`false`"),
            "A printed formula known to be wrong: the claim holds when it is refuted.",
        ),
    ],
    one_of: &[
        "constant",
        "equation",
        "always",
        "class",
        "singular_at",
        "equivalent",
    ],
    errors: &[
        Code::ClaimKind,
        Code::UnknownWord,
        Code::WrongSentence,
        Code::OnlyLagrangian,
    ],
    example: "[claims]\nenergy = { constant = \"T + V\" }\nforce = { equation = \"multiplier(blade) = m*x'*theta'\", cite = \"(3.4)\", where = \"x' > 0\" }\n\
              kind = { class = [\"linear\", \"nonholonomic\"] }\n",
};

pub(crate) static PLOT: Section = Section {
    name: "plots",
    written: "[[plots]]",
    about: "A plot of one or more curves along the motion.",
    keys: &[
        key("title", STRING, Default("none"), "What stands above it."),
        key(
            "x",
            CURVE,
            Required,
            "The abscissa: `\"t\"`, or any quantity.",
        ),
        key(
            "y",
            Takes::OneOrMore(&CURVE),
            Required,
            "The ordinate, or a list: one curve each.",
        ),
    ],
    one_of: &[],
    errors: &[Code::VectorScalar],
    example: "[[plots]]\ntitle = \"energies\"\nx = \"t\"\ny = [\"T\", \"V\", \"T + V\"]\n",
};

pub(crate) static ANIMATION: Section = Section {
    name: "animation",
    written: "[animation]",
    about: "What the player of `appell report` draws. Particles, and bodies without a shape, are drawn in any case.",
    keys: &[
        key(
            "plane",
            Takes::Word(PLANES),
            Default("seen in space"),
            "Look at this plane from in front.",
        ),
        key(
            "trail",
            Takes::List(
                &Takes::Formula("name of a point, or vector expression", &settings::TRAIL),
                None,
            ),
            Default("the centres of solids"),
            "Points that leave a trail.",
        ),
        key(
            "arrows",
            Takes::List(&Takes::Formula("vector expression", &settings::ARROW), None),
            Default("none"),
            "Vectors that are drawn at the first point of which they speak: `\"v(P)\"`, `\"R(disc)\"`.",
        ),
        key(
            "bodies",
            Takes::List(&Takes::Table(&SHAPE), None),
            Default("`[]`"),
            "Shapes.",
        ),
        key(
            "force_scale",
            Takes::Scalar(&settings::TIME),
            Default("`1`"),
            "A factor of the length of arrows of forces.",
        ),
    ],
    one_of: &[],
    errors: &[Code::UnknownWord],
    example: "[animation]\nplane = \"xy\"\ntrail = [\"P\"]\narrows = [\"v(P)\"]\n",
};

pub(crate) static SHAPE: Section = Section {
    name: "shapes",
    written: "bodies = [{ shape = .., .. }]",
    about: "A shape of the animation. What it needs depends on its kind: a `line` and a `spring` have `from` and `to`, a `polyline` has `points`, an \
            `ellipsoid` has `radii`.",
    keys: &[
        key("shape", Takes::Word(SHAPES), Required, "Its kind."),
        key(
            "body",
            Takes::Name("a particle or body"),
            Default("none"),
            "With which it moves and turns.",
        ),
        key(
            "frame",
            Takes::Name("a frame, or `N`"),
            Default("that of `body`, else N"),
            "With which it turns.",
        ),
        key(
            "at",
            Takes::Place(&settings::TRAIL),
            Default("the mass centre of `body`, else the origin"),
            "Where it is.",
        ),
        key(
            "along",
            Takes::Vector(&settings::TRAIL),
            Default("an axis of its frame"),
            "The direction of its length, or of the axle of a wheel.",
        ),
        key(
            "axis",
            Takes::Vector(&settings::TRAIL),
            Default("the third axis of its frame"),
            "Its axle: `\"x\"`, `\"y\"`, `\"z\"` of its frame, or a vector.",
        ),
        key(
            "normal",
            Takes::Vector(&settings::TRAIL),
            Default("the third axis of its frame"),
            "The normal of a plate or of the ground.",
        ),
        key(
            "from",
            Takes::Place(&settings::TRAIL),
            Default("none"),
            "One end of a line or spring.",
        ),
        key(
            "to",
            Takes::Place(&settings::TRAIL),
            Default("none"),
            "Its other end.",
        ),
        key(
            "points",
            Takes::OneOrMore(&Takes::Place(&settings::TRAIL)),
            Default("none"),
            "The corners of a polyline.",
        ),
        key(
            "length",
            Takes::Scalar(&settings::TRAIL),
            Default("by the size of what moves"),
            "Its length.",
        ),
        key(
            "width",
            Takes::Scalar(&settings::TRAIL),
            Default("by the size of what moves"),
            "Its width.",
        ),
        key(
            "height",
            Takes::Scalar(&settings::TRAIL),
            Default("by the size of what moves"),
            "The height of a box.",
        ),
        key(
            "radius",
            Takes::Scalar(&settings::TRAIL),
            Default("by the size of what moves"),
            "Its radius.",
        ),
        key(
            "radii",
            Takes::List(&Takes::Scalar(&settings::TRAIL), Some(3)),
            Default("none"),
            "The half axes of an ellipsoid.",
        ),
        key(
            "size",
            Takes::OneOrMore(&Takes::Scalar(&settings::TRAIL)),
            Default("by the size of what moves"),
            "The sides of a plate or of the ground, one or two.",
        ),
        key(
            "colour",
            Takes::Colour(COLOURS),
            Default("one of its own"),
            "Its colour.",
        ),
        key("label", STRING, Default("none"), "A text beside it."),
        key(
            "trail",
            Takes::Flag,
            Default("`true` for solids where no trail is named"),
            "Whether its centre leaves a trail.",
        ),
    ],
    one_of: &[],
    errors: &[Code::UnknownWord, Code::Arguments],
    example: "[animation]\nbodies = [\n  { shape = \"rod\", at = \"[x, y, 0]\", along = \"[cos(theta), sin(theta), 0]\", length = 1 },\n  \
              { shape = \"ball\", at = \"[x, y, 0]\", radius = 0.05, colour = \"orange\" },\n]\n",
};
