//! What moves: places at the times of the samples.

/// Places at the times of [`super::Page::times`], in inertial components; NaN where undefined.
pub type Track = Vec<[f64; 3]>;

/// The motion as it is drawn.
#[derive(Debug, Clone, Default)]
pub struct Scene {
    /// The two axes of the plane it lies in, as indices; none for a view in space.
    pub plane: Option<[usize; 2]>,
    /// Which way is up in a view in space: a unit vector.
    pub up: [f64; 3],
    /// Paths of points.
    pub trails: Vec<Trail>,
    /// Particles and mass centres.
    pub marks: Vec<Mark>,
    /// Bodies.
    pub shapes: Vec<Shape>,
    /// Velocities, forces, couples.
    pub arrows: Vec<Arrow>,
    /// What can be switched on and off.
    pub toggles: Vec<Toggle>,
    /// By what the usual lengths of force arrows are multiplied, if the file says so.
    pub force_scale: Option<f64>,
}

/// The path of a point.
#[derive(Debug, Clone)]
pub struct Trail {
    /// The point, as written.
    pub name: String,
    /// Where it is.
    pub at: Track,
}

/// A point with its name.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Its name.
    pub name: String,
    /// The axes of its frame, if it is the mass centre of a body; none for a particle.
    pub axes: Option<[Track; 3]>,
    /// Where it is.
    pub at: Track,
}

/// A body, or something else that is drawn.
#[derive(Debug, Clone, Default)]
pub struct Shape {
    /// `rod disc ball box wheel line polyline ellipsoid plate ground cone cylinder spring blade`.
    pub shape: String,
    /// Its sizes by the file's keys, such as `radius`; the radii of an ellipsoid one after the other.
    pub sizes: Vec<(String, f64)>,
    /// Its centre.
    pub at: Track,
    /// The axes of its frame, if it is fixed to a body or turns with a frame.
    pub axes: Option<[Track; 3]>,
    /// The direction of its length, or of the axle.
    pub along: Option<Track>,
    /// The axle.
    pub axis: Option<Track>,
    /// Across a plate or ground.
    pub normal: Option<Track>,
    /// The ends of a line or spring, the corners of a polyline.
    pub points: Vec<Track>,
    /// The name of a colour, or `#rrggbb`.
    pub colour: Option<String>,
    /// A text beside it; may be empty.
    pub label: String,
}

/// What an arrow shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A velocity, or another vector of the file.
    Vector,
    /// A constraint force.
    Force,
    /// A couple besides the force's moment.
    Couple,
}

/// A vector drawn at a place.
#[derive(Debug, Clone)]
pub struct Arrow {
    /// What it is, such as `blade on skate`.
    pub label: String,
    /// What it shows.
    pub kind: Kind,
    /// The index of the [`Toggle`] that shows it.
    pub toggle: usize,
    /// Where it begins.
    pub at: Track,
    /// Its components.
    pub vector: Track,
}

/// A labelled checkbox over arrows.
#[derive(Debug, Clone)]
pub struct Toggle {
    /// Its label.
    pub label: String,
    /// Whether it stands for a constraint.
    pub constraint: bool,
    /// Whether its arrows are shown at first.
    pub on: bool,
    /// Why it has nothing to show; empty if it has.
    pub why_not: String,
}
