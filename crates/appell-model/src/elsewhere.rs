//! What things are called elsewhere: in other programs, in papers, in other alphabets.

/// Functions under other names.
const FUNCTIONS: &[(&str, &str)] = &[
    ("ln", "log"),
    ("log10", "log(x)/log(10)"),
    ("log2", "log(x)/log(2)"),
    ("arcsin", "asin"),
    ("arccos", "acos"),
    ("arctan", "atan"),
    ("arctan2", "atan2"),
    ("tg", "tan"),
    ("cot", "1/tan(x)"),
    ("sec", "1/cos(x)"),
    ("csc", "1/sin(x)"),
    ("sgn", "sign"),
    ("fabs", "abs"),
    ("pow", "x^y"),
    ("square", "x^2"),
    ("cbrt", "x^(1/3)"),
    ("hypot", "sqrt(x^2 + y^2)"),
    ("radians", "x*pi/180"),
    ("deg2rad", "x*pi/180"),
    ("degrees", "x*180/pi"),
    ("rad2deg", "x*180/pi"),
    ("sind", "sin(x*pi/180)"),
    ("cosd", "cos(x*pi/180)"),
    ("tand", "tan(x*pi/180)"),
    ("heaviside", "(1 + sign(x))/2"),
    ("Heaviside", "(1 + sign(x))/2"),
    ("step", "(1 + sign(x))/2"),
    ("vel", "v"),
    ("velocity", "v"),
    ("acc", "a"),
    ("acceleration", "a"),
    ("position", "pos"),
    ("angvel", "omega"),
    ("ang_vel", "omega"),
    ("mag", "norm"),
    ("magnitude", "norm"),
    ("normalize", "unit"),
    ("normalise", "unit"),
    ("normalized", "unit"),
    ("inner", "dot"),
    ("outer", "cross"),
];

/// The name here of a function that is called so elsewhere.
pub(crate) fn function(name: &str) -> Option<&'static str> {
    let found = FUNCTIONS.iter().find(|(other, _)| *other == name);
    found.map(|(_, ours)| *ours)
}

/// Keys under other names, without `_`. Those that the table in question does not know are passed over.
const KEYS: &[(&str, &str)] = &[
    ("coords", "coordinates"),
    ("generalizedcoordinates", "coordinates"),
    ("generalisedcoordinates", "coordinates"),
    ("q", "coordinates"),
    ("dofs", "coordinates"),
    ("params", "parameters"),
    ("param", "parameters"),
    ("constants", "parameters"),
    ("constant", "parameters"),
    ("const", "parameters"),
    ("input", "inputs"),
    ("controls", "inputs"),
    ("actuators", "inputs"),
    ("definitions", "define"),
    ("let", "define"),
    ("expressions", "define"),
    ("aliases", "define"),
    ("init", "initial"),
    ("ic", "initial"),
    ("ics", "initial"),
    ("initialconditions", "initial"),
    ("initialcondition", "initial"),
    ("initialstate", "initial"),
    ("initialvalues", "initial"),
    ("simulation", "simulate"),
    ("sim", "simulate"),
    ("run", "simulate"),
    ("solve", "simulate"),
    ("integrate", "simulate"),
    ("integration", "simulate"),
    ("body", "bodies"),
    ("links", "bodies"),
    ("link", "bodies"),
    ("rigidbodies", "bodies"),
    ("rigidbody", "bodies"),
    ("masses", "particles"),
    ("pointmasses", "particles"),
    ("markers", "points"),
    ("sites", "points"),
    ("point", "points"),
    ("plot", "plots"),
    ("g", "gravity"),
    ("t", "kinetic"),
    ("ke", "kinetic"),
    ("kineticenergy", "kinetic"),
    ("v", "potential"),
    ("u", "potential"),
    ("pe", "potential"),
    ("potentialenergy", "potential"),
    ("l", "lagrangian"),
    ("tmax", "until"),
    ("tend", "until"),
    ("tfinal", "until"),
    ("tf", "until"),
    ("tstop", "until"),
    ("stoptime", "until"),
    ("endtime", "until"),
    ("end", "until"),
    ("duration", "until"),
    ("time", "until"),
    ("reltol", "rtol"),
    ("abstol", "atol"),
    ("maxstep", "max_step"),
    ("hmax", "max_step"),
    ("dtmax", "max_step"),
    ("events", "stop"),
    ("event", "stop"),
    ("solver", "method"),
    ("integrator", "method"),
    ("t0", "t"),
    ("tstart", "t"),
    ("starttime", "t"),
    ("states", "state"),
    ("x0", "state"),
    ("q0", "state"),
    ("point", "at"),
    ("on", "body"),
    ("reaction", "against"),
    ("val", "value"),
    ("default", "value"),
    ("description", "about"),
    ("comment", "about"),
    ("name", "title"),
    ("com", "position"),
    ("cog", "position"),
    ("origin", "position"),
    ("pos", "position"),
    ("orientation", "frame"),
    ("attitude", "frame"),
    ("i", "inertia"),
    ("moi", "inertia"),
    ("m", "mass"),
    ("relativeto", "parent"),
    ("base", "parent"),
    ("rotation", "angle"),
    ("expression", "equation"),
    ("eq", "equation"),
];

/// The key among `known` that is called so elsewhere.
pub(crate) fn key(name: &str, known: &[&str]) -> Option<&'static str> {
    let plain = name.replace(['_', '-', ' '], "");
    let found = KEYS
        .iter()
        .find(|(other, ours)| known.contains(ours) && other.eq_ignore_ascii_case(&plain));
    found.map(|(_, ours)| *ours)
}

/// What to do instead of writing a key that there is not, where no other key has its place.
pub(crate) fn instead_of_key(name: &str) -> Option<&'static str> {
    let plain = name.replace(['_', '-', ' '], "").to_ascii_lowercase();
    Some(match plain.as_str() {
        "dt" | "h" | "stepsize" | "timestep" | "maxstep" | "step" => {
            "the tolerances choose the steps; `samples = 200` says how many states are reported"
        }
        "tspan" | "timespan" => {
            "write `until = ...` with the end time; `t = ...` of [initial] is the start"
        }
        "springs" | "spring" | "dampers" | "damper" => {
            "write its energy into `potential`, or its force as `[[loads]]` with `body`, `at` and `against`"
        }
        "joints" | "joint" | "contacts" | "contact" => {
            "write what it imposes as an equation in [constraints]"
        }
        "shape" | "geometry" | "radius" | "size" | "density" | "color" | "colour" => {
            "a body has `mass` and `inertia`; what is drawn stands in [animation]"
        }
        "euler" | "rpy" | "quat" | "rotationmatrix" => {
            "write `quaternion = [..]`, or an entry of [frames] for each angle"
        }
        _ => return None,
    })
}

/// Greek letters with their names.
const GREEK: [(&str, &str); 25] = [
    ("\u{3b1}", "alpha"),
    ("\u{3b2}", "beta"),
    ("\u{3b3}", "gamma"),
    ("\u{3b4}", "delta"),
    ("\u{3b5}", "epsilon"),
    ("\u{3b6}", "zeta"),
    ("\u{3b7}", "eta"),
    ("\u{3b8}", "theta"),
    ("\u{3d1}", "theta"),
    ("\u{3b9}", "iota"),
    ("\u{3ba}", "kappa"),
    ("\u{3bb}", "lambda"),
    ("\u{3bc}", "mu"),
    ("\u{3bd}", "nu"),
    ("\u{3be}", "xi"),
    ("\u{3c1}", "rho"),
    ("\u{3c3}", "sigma"),
    ("\u{3c4}", "tau"),
    ("\u{3c5}", "upsilon"),
    ("\u{3c6}", "phi"),
    ("\u{3d5}", "phi"),
    ("\u{3c7}", "chi"),
    ("\u{3c8}", "psi"),
    ("\u{3c9}", "omega"),
    ("\u{3a9}", "Omega"),
];

/// The other way to write the name of a Greek letter: `theta` for the letter, the letter for `theta`.
pub(crate) fn greek(name: &str) -> Option<&'static str> {
    GREEK.iter().find_map(|(letter, word)| {
        (name == *letter)
            .then_some(*word)
            .or_else(|| (name == *word).then_some(*letter))
    })
}

/// Letters with one and with two dots above them.
const DOTTED: [(&str, &str, &str); 14] = [
    ("\u{1e8b}", "x", "'"),
    ("\u{1e8f}", "y", "'"),
    ("\u{17c}", "z", "'"),
    ("\u{1e57}", "p", "'"),
    ("\u{1e59}", "r", "'"),
    ("\u{1e61}", "s", "'"),
    ("\u{1e87}", "w", "'"),
    ("\u{227}", "a", "'"),
    ("\u{1e03}", "b", "'"),
    ("\u{10b}", "c", "'"),
    ("\u{1e23}", "h", "'"),
    ("\u{1e8d}", "x", "''"),
    ("\u{ff}", "y", "''"),
    ("\u{1e85}", "w", "''"),
];

/// `x` and `'` of an x with a dot.
pub(crate) fn dotted(name: &str) -> Option<(&'static str, &'static str)> {
    let found = DOTTED.iter().find(|(letter, ..)| *letter == name);
    found.map(|(_, plain, primes)| (*plain, *primes))
}
