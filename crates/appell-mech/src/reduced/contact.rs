//! The matter of a body where it touches something.

use super::frames::{Angles, Frames, Point, Prepare, frame_of, vector};
use super::sheet::{Sheet, Vec3, is_null};
use crate::system::System;
use appell_expr::Ex;

/// The matter of a body at an offset from its centre.
pub(super) fn contact<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    (frames, angles): (&Frames<'g>, &Angles<'g>),
    (body, offset): (usize, Vec3<'g>),
    centres: &[Point<'g>],
) -> Point<'g> {
    let centre = &centres[body];
    let rotation = system.model.bodies[body].rotation.as_ref();
    let frame = rotation.and_then(|r| frame_of(&system.model.frames, system.graph, r));
    let Some(frame) = frame.filter(|_| !is_null(&offset)) else {
        return centre.clone();
    };
    let place_and_rate = on_arms(system, sheet, prepare, (frames, angles), offset)
        .or_else(|| by_axis(system, sheet, prepare, frames, offset));
    let place_and_rate = place_and_rate.unwrap_or_else(|| {
        let both = [offset, offset.map(|x| system.drift(x))];
        both.map(|x| frames.in_basis(sheet, x.map(prepare)))
    });
    centre.matter(sheet, frames, frame, place_and_rate)
}

/// An offset that is constant in frames, and its rate.
fn on_arms<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    (frames, angles): (&Frames<'g>, &Angles<'g>),
    offset: Vec3<'g>,
) -> Option<[Vec3<'g>; 2]> {
    let arms = angles
        .arms(system, offset)
        .filter(|arms| is_null(&arms.base.map(|x| system.drift(x))))?;
    let mut places = vec![frames.in_basis(sheet, arms.base.map(prepare))];
    let mut rates = Vec::new();
    for (frame, arm) in &arms.arms {
        let turning = frames.at(Some(*frame));
        let arm = sheet.combine(arm.map(prepare), &turning.axes);
        places.push(arm);
        rates.push(sheet.cross(turning.omega, arm));
    }
    Some([sheet.sum(&places), sheet.sum(&rates)])
}

/// An offset `f(e)` of one axis `e` of a frame, such as the lowest point of a wheel, and its rate `f_e (omega x e)`: as a
/// function of the coordinates its rate would be very much longer.
fn by_axis<'g>(
    system: &System<'g>,
    sheet: &mut Sheet<'g>,
    prepare: Prepare<'_, 'g>,
    frames: &Frames<'g>,
    offset: Vec3<'g>,
) -> Option<[Vec3<'g>; 2]> {
    let graph = system.graph;
    let e = [0, 1, 2].map(|i: usize| graph.symbol(&format!("reduced axis[{}]", i + 1)));
    let all = system.model.frames.iter().enumerate();
    let mut axes = all.flat_map(|(index, frame)| (0..3).map(move |j| (index, j, frame.axes[j])));
    let (frame, j, f) = axes.find_map(|(index, j, axis)| {
        let f = as_function_of(system, offset, vector(graph, axis), e)?;
        Some((index, j, f.map(prepare)))
    })?;
    let turning = frames.at(Some(frame));
    let axis = frames.in_inertial(sheet, turning.axes[j]);
    let turned = sheet.cross(turning.omega, turning.axes[j]);
    let rate = frames.in_inertial(sheet, turned);
    let at: Vec<(Ex<'g>, Ex<'g>)> = e.into_iter().zip(axis).collect();
    let slope = |x: Ex<'g>| {
        let terms = [0, 1, 2].map(|i: usize| x.diff(e[i]) * rate[i]);
        graph.sum(&terms)
    };
    let both = [f, f.map(slope)];
    Some(both.map(|x| {
        let inertial = x.map(|x| sheet.keep(x.substitute(&at)));
        frames.in_basis(sheet, inertial)
    }))
}

/// A vector as a function of an axis, if it is one and of nothing else that moves.
fn as_function_of<'g>(
    system: &System<'g>,
    x: Vec3<'g>,
    axis: Vec3<'g>,
    e: Vec3<'g>,
) -> Option<Vec3<'g>> {
    let named = (0..3).filter(|i| axis[*i].as_rational().is_none());
    let by: Vec<(Ex<'g>, Ex<'g>)> = named
        .flat_map(|i| [(axis[i], e[i]), (-axis[i], -e[i])])
        .collect();
    let f = x.map(|x| x.substitute(&by));
    let symbols = system.graph.symbols_of(&f);
    let mut moving = system.q.iter().chain(&system.v).chain([&system.t]);
    let is_function = !moving.any(|symbol| symbols.contains(symbol));
    (is_function && e.iter().any(|symbol| symbols.contains(symbol))).then_some(f)
}
