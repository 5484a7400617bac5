//! The words that some keys take.

/// Colours by name; others are written `#rrggbb`.
pub(crate) const COLOURS: &[&str] = &[
    "blue", "orange", "green", "pink", "ochre", "purple", "grey", "black", "white",
];

/// Words of `class`.
pub(crate) const CLASSES: &[&str] = &[
    "linear",
    "affine",
    "homogeneous",
    "general",
    "cone",
    "time-dependent",
    "holonomic",
    "nonholonomic",
    "contrived",
    "inherent",
    "piecewise",
    "redundant",
    "void",
];
/// Shapes of the animation.
pub(crate) const SHAPES: &[&str] = &[
    "rod",
    "disc",
    "ball",
    "box",
    "wheel",
    "line",
    "polyline",
    "ellipsoid",
    "plate",
    "ground",
    "cone",
    "cylinder",
    "spring",
    "blade",
];
/// Planes of the animation.
pub(crate) const PLANES: &[&str] = &["xy", "xz", "yz"];
/// What a shape cannot be drawn without.
pub(crate) const NEEDED: [(&str, &[&str]); 4] = [
    ("line", &["from", "to"]),
    ("spring", &["from", "to"]),
    ("polyline", &["points"]),
    ("ellipsoid", &["radii"]),
];
