//! Candidates that have names: energies, momenta, angular momenta, what constant forces do.

use crate::values::prepared::Prepared;
use appell_expr::{Ex, Matrix};
use appell_mech::{Chart, kinetic_energy_is_of_bodies};
use appell_model::{Body, Vector};

/// A function of the state that may be conserved.
#[derive(Debug, Clone)]
pub(super) struct Named<'g> {
    /// How it is written where it has a name, such as `E`.
    pub text: Option<&'static str>,
    /// What it is.
    pub kind: String,
    /// Its value.
    pub value: Ex<'g>,
    /// The same as it is written.
    pub shown: Ex<'g>,
    pub sort: CandidateKind,
}

/// What a candidate is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CandidateKind {
    Momentum,
    /// Shown wherever it is conserved.
    Energy,
    /// The work of a constant force, or its impulse: a part of an integral.
    ConstantForce,
}

/// Momenta and angular momenta, work and impulse of constant forces, then `E` and `E*`.
pub(super) fn candidates<'g>(p: &Prepared<'g>) -> Vec<Named<'g>> {
    let mut named = Vec::new();
    for (coordinate, momentum) in p.model.coordinates.iter().zip(p.system.momentum.entries()) {
        let kind = format!("momentum of {}", coordinate.name);
        named.push(plain(kind, *momentum));
    }
    named.extend(of_bodies(p));
    named.extend(of_constant_forces(p));
    named.push(Named {
        text: Some("E"),
        kind: "energy".to_owned(),
        value: p.system.energy,
        shown: p.system.energy,
        sort: CandidateKind::Energy,
    });
    named.extend(energy_star(p).map(|value| Named {
        text: Some("E_star"),
        kind: "energy E*".to_owned(),
        value,
        shown: value,
        sort: CandidateKind::Energy,
    }));
    named.retain(|candidate| !speaks_of_inputs(p, candidate.value));
    named
}

/// Whether a function is made of inputs: it changes as these do, at any time.
pub(super) fn speaks_of_inputs<'g>(p: &Prepared<'g>, x: Ex<'g>) -> bool {
    let mut inputs = p.model.inputs();
    inputs.any(|input| x.depends_on(p.system.graph.ex(input.symbol)))
}

fn plain(kind: String, value: Ex<'_>) -> Named<'_> {
    Named {
        text: None,
        kind,
        value,
        shown: value,
        sort: CandidateKind::Momentum,
    }
}

/// `Q q` of a constant force `Q` that is no slope of the potential, and `F t` of a constant force `F = Q - V_q`.
fn of_constant_forces<'g>(p: &Prepared<'g>) -> Vec<Named<'g>> {
    let system = &p.system;
    let state = [&system.q[..], &system.v, &[system.t]].concat();
    let is_constant = |x: Ex<'g>| !x.is_zero() && state.iter().all(|symbol| !x.depends_on(*symbol));
    let mut named = Vec::new();
    for (i, q) in system.q.iter().enumerate() {
        let force = system.force[(i, 0)];
        let whole = force + system.lagrangian.diff(*q);
        if is_constant(force) {
            named.push(plain("work of a constant force".to_owned(), force * *q));
        }
        if is_constant(whole) {
            named.push(plain(
                "impulse of a constant force".to_owned(),
                whole * system.t,
            ));
        }
    }
    let of_force = |candidate: Named<'g>| Named {
        sort: CandidateKind::ConstantForce,
        ..candidate
    };
    named.into_iter().map(of_force).collect()
}

/// `E* = E + (alphabar - alpha).p_d` [talamucci2020, (42)], written out where one or two velocities
/// depend on the others; none on cones, where it is `E`.
fn energy_star<'g>(p: &Prepared<'g>) -> Option<Ex<'g>> {
    let (system, constraints) = (&p.system, &p.constraints);
    if constraints.are_cones(system) {
        return None;
    }
    let Chart {
        rows,
        dependent,
        independent,
        ..
    } = constraints.chart.as_ref()?;
    let a = constraints.a.select_rows(rows);
    let a_d = a.select_columns(dependent);
    let v = system.velocity();
    let right = -&(&a.select_columns(independent) * &v.select_rows(independent));
    let alphabar = solution(&a_d, right.entries())?;
    let alphabar = Matrix::column(system.graph, alphabar);
    let gap = &alphabar - &v.select_rows(dependent);
    Some(system.energy + gap.dot(&system.momentum.select_rows(dependent)))
}

/// `A^-1 b` by Cramer's rule, up to two rows.
fn solution<'g>(a: &Matrix<'g>, b: &[Ex<'g>]) -> Option<Vec<Ex<'g>>> {
    match *b {
        [b] => Some(vec![b / a[(0, 0)]]),
        [b, c] => {
            let det = a[(0, 0)] * a[(1, 1)] - a[(0, 1)] * a[(1, 0)];
            Some(vec![
                (b * a[(1, 1)] - c * a[(0, 1)]) / det,
                (c * a[(0, 0)] - b * a[(1, 0)]) / det,
            ])
        }
        _ => None,
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// The axes of a body's frame in components in N, and `omega` in its own.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyRotation<'g> {
    /// `axes[i][j]` is component j of axis i.
    pub axes: [[Ex<'g>; 3]; 3],
    /// The components of `omega`.
    pub spin: [Ex<'g>; 3],
}

/// As functions of the state.
pub(super) fn turning<'g>(p: &Prepared<'g>, body: &Body) -> Option<BodyRotation<'g>> {
    let rotation = body.rotation.as_ref()?;
    Some(BodyRotation {
        axes: rotation.axes.map(|axis| vector(p, axis)),
        spin: vector(p, rotation.spin),
    })
}

/// As a model file may write them: `dot(B.x, N.z)`, `dot(omega(body), B.x)`.
pub(super) fn turning_in_print<'g>(p: &Prepared<'g>, body: &Body) -> Option<BodyRotation<'g>> {
    let (known, graph) = (turning(p, body)?, p.system.graph);
    let rotation = body.rotation.as_ref()?;
    let mut frames = p.model.frames.iter();
    let Some(frame) = frames.find(|frame| frame.axes == rotation.axes) else {
        return Some(known);
    };
    let print = |x: Ex<'g>, text: String| match x.as_rational() {
        Some(_) => x,
        None => graph.symbol(&text),
    };
    let (name, frame) = (&body.name, &frame.name);
    Some(BodyRotation {
        axes: [0, 1, 2].map(|i| {
            [0, 1, 2].map(|j| {
                let text = format!("dot({frame}.{}, N.{})", AXES[i], AXES[j]);
                print(known.axes[i][j], text)
            })
        }),
        spin: [0, 1, 2].map(|i| {
            let text = format!("dot(omega({name}), {frame}.{})", AXES[i]);
            print(known.spin[i], text)
        }),
    })
}

/// Where all inertia is that of particles and bodies: the momenta of each, about its centre, about
/// the points where constraints hold it, and along the way to them (Jellett); those of all.
fn of_bodies<'g>(p: &Prepared<'g>) -> Vec<Named<'g>> {
    if p.model.bodies.is_empty() || !kinetic_energy_is_of_bodies(&p.system) {
        return Vec::new();
    }
    let values = momenta(p, turning);
    let shown = momenta(p, turning_in_print);
    let both = values.into_iter().zip(shown);
    both.map(|((kind, value), (_, shown))| Named {
        shown,
        ..plain(kind, value)
    })
    .collect()
}

/// By kind; the frames of bodies are written in one of two ways.
fn momenta<'g>(
    p: &Prepared<'g>,
    turning: fn(&Prepared<'g>, &Body) -> Option<BodyRotation<'g>>,
) -> Vec<(String, Ex<'g>)> {
    let graph = p.system.graph;
    let mut named = Vec::new();
    let (mut all, mut about_origin) = ([graph.zero(); 3], [graph.zero(); 3]);
    for (index, body) in p.model.bodies.iter().enumerate() {
        let [r, v] = [body.position, body.velocity].map(|x| vector(p, x));
        let momentum = v.map(|v| graph.ex(body.mass) * v);
        all = sum(all, momentum);
        about_origin = sum(about_origin, cross(r, momentum));
        let Some((rotation, turning)) = body.rotation.as_ref().zip(turning(p, body)) else {
            continue;
        };
        let name = &body.name;
        let along_axes = rotation
            .inertia
            .map(|row| dot(p, vector(p, row), turning.spin));
        for (axis, x) in AXES.iter().zip(along_axes) {
            let kind = format!("angular momentum of {name} along its own {axis}");
            named.push((kind, x));
        }
        let spin = [0, 1, 2].map(|j| dot(p, along_axes, turning.axes.map(|axis| axis[j])));
        about_origin = sum(about_origin, spin);
        let about = format!("angular momentum of {name} about its centre");
        components(&mut named, &about, spin);
        about_holds(&mut named, p, (index, body), (momentum, spin));
    }
    components(&mut named, "momentum", all);
    components(
        &mut named,
        "angular momentum about the origin",
        about_origin,
    );
    named
}

fn components<'g>(named: &mut Vec<(String, Ex<'g>)>, what: &str, vector: [Ex<'g>; 3]) {
    for (axis, x) in AXES.iter().zip(vector) {
        named.push((format!("{what}, along N.{axis}"), x));
    }
}

/// With `r` from the mass centre to a point where a constraint holds the body: `L.r`, and the
/// components of `L - r x m v` about that point.
fn about_holds<'g>(
    named: &mut Vec<(String, Ex<'g>)>,
    p: &Prepared<'g>,
    (index, body): (usize, &Body),
    (momentum, spin): ([Ex<'g>; 3], [Ex<'g>; 3]),
) {
    let centre = vector(p, body.position);
    // The first points are the centres.
    let points = p.model.material_points.iter().skip(p.model.bodies.len());
    for point in points.filter(|point| point.body == index) {
        let at = vector(p, point.position);
        let r = [0, 1, 2].map(|i| at[i] - centre[i]);
        let name = &body.name;
        let along = format!("angular momentum of {name} along the way to its contact");
        named.push((along, dot(p, spin, r)));
        let moment = cross(r, momentum);
        let about = [0, 1, 2].map(|i| spin[i] - moment[i]);
        components(
            named,
            &format!("angular momentum of {name} about its contact"),
            about,
        );
    }
}

fn vector<'g>(p: &Prepared<'g>, x: Vector) -> [Ex<'g>; 3] {
    x.map(|x| p.system.graph.ex(x))
}

fn dot<'g>(p: &Prepared<'g>, x: [Ex<'g>; 3], y: [Ex<'g>; 3]) -> Ex<'g> {
    p.system.graph.sum(&[0, 1, 2].map(|i| x[i] * y[i]))
}

fn sum<'g>(x: [Ex<'g>; 3], y: [Ex<'g>; 3]) -> [Ex<'g>; 3] {
    [0, 1, 2].map(|i| x[i] + y[i])
}

fn cross<'g>(x: [Ex<'g>; 3], y: [Ex<'g>; 3]) -> [Ex<'g>; 3] {
    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| x[i] * y[j] - x[j] * y[i])
}
