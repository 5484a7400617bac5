//! One row quadratic in the velocities: `Sum d_i w_i^2 = h` with `w_i = v_i + l_i(v_{i+1}, ..)/2 d_i`.

use super::{Signs, monomial, name_of};
use crate::unavailable::Unavailable;
use appell_expr::{Ex, Graph, Rational, is_free_of, vanishes};

/// A quadratic row, its squares completed one after the other.
pub(super) struct Quadric<'g> {
    squares: Vec<Square<'g>>,
    /// `h`, of `(q, t)`.
    height: Ex<'g>,
}

/// `d (v + shift)^2`, the shift affine in the velocities of later squares.
#[derive(Clone, Copy)]
struct Square<'g> {
    velocity: Ex<'g>,
    d: Ex<'g>,
    shift: Ex<'g>,
}

/// Values of velocities.
type Values<'g> = Vec<(Ex<'g>, Ex<'g>)>;

impl<'g> Quadric<'g> {
    /// Completes the squares; `None` where a row is not quadratic, or has no square to begin with.
    pub(super) fn new(graph: &'g Graph, phi: Ex<'g>, open: &[Ex<'g>]) -> Option<Self> {
        let mut left: Vec<Ex<'g>> = open
            .iter()
            .copied()
            .filter(|v| phi.depends_on(*v))
            .collect();
        let second = left
            .iter()
            .flat_map(|v| left.iter().map(|w| phi.diff(*v).diff(*w)));
        let cubic = second.flat_map(|x| left.iter().map(move |u| x.diff(*u)));
        if left.is_empty() || !cubic.into_iter().all(vanishes) {
            return None;
        }
        let at_rest: Vec<_> = left.iter().map(|v| (*v, graph.zero())).collect();
        let mut rest = phi;
        let mut squares = Vec::new();
        while !left.is_empty() {
            let curvature = |v: Ex<'g>| rest.diff(v).diff(v).substitute(&at_rest) / 2;
            let place = left.iter().position(|v| !vanishes(curvature(*v)))?;
            let velocity = left.remove(place);
            let d = curvature(velocity);
            let without = [(velocity, graph.zero())];
            let shift = rest.diff(velocity).substitute(&without) / (2 * d);
            let shift = if vanishes(shift) { graph.zero() } else { shift };
            rest = rest.substitute(&without) - d * shift.pow(2);
            left.retain(|v| !is_free_of(rest, *v));
            squares.push(Square { velocity, d, shift });
        }
        let height = -rest.substitute(&at_rest);
        let height = if vanishes(height) {
            graph.zero()
        } else {
            height
        };
        Some(Self { squares, height })
    }

    /// The velocities by parameters, and what the row is, in words.
    ///
    /// # Errors
    /// Signs that are not known, no real points.
    pub(super) fn parametrised(
        &self,
        graph: &'g Graph,
        signs: &Signs<'_, 'g>,
        parameter: &mut dyn FnMut() -> Ex<'g>,
    ) -> Result<(Values<'g>, String), Unavailable> {
        let names: Vec<String> = self.squares.iter().map(|s| name_of(s.velocity)).collect();
        let names = names.join(", ");
        let unknown = || {
            Unavailable(format!(
                "the signs of the squares of {names} are not always the same"
            ))
        };
        let signed = |s: &Square<'g>| Some((*s, (signs.everywhere)(s.d)?));
        let signed: Option<Vec<_>> = self.squares.iter().map(signed).collect();
        let signed = signed.ok_or_else(unknown)?;
        let flip = match self.height.is_zero() {
            // Of a cone, the side with fewer squares is the axis.
            true if signed.iter().map(|(_, s)| s).sum::<i64>() < 0 => -1,
            true => 1,
            false => (signs.everywhere)(self.height).ok_or_else(unknown)?,
        };
        let side = |wanted: i64| -> Vec<Square<'g>> {
            let chosen = signed.iter().filter(|(_, sign)| sign * flip == wanted);
            let scaled = chosen.map(|(s, sign)| Square {
                d: *sign * s.d,
                ..*s
            });
            scaled.collect()
        };
        let (round, axis) = (side(1), side(-1));
        if round.is_empty() || (self.height.is_zero() && axis.is_empty()) {
            return Err(Unavailable(format!("no real {names} but isolated ones")));
        }
        let shape = Shape {
            round,
            axis,
            height: flip * self.height,
        };
        let (values, words) = shape.parametrised(graph, signs, parameter);
        Ok((self.unshifted(graph, values), format!("{words} in {names}")))
    }

    /// From `w` back to `v`, the last square first.
    fn unshifted(&self, graph: &'g Graph, values: Values<'g>) -> Values<'g> {
        let mut known: Values<'g> = Vec::new();
        for square in self.squares.iter().rev() {
            let entry = values.iter().find(|(v, _)| *v == square.velocity);
            let w = entry.map_or(graph.zero(), |(_, w)| *w);
            known.push((square.velocity, w - square.shift.substitute(&known)));
        }
        known
    }
}

/// `Sum_round d w^2 - Sum_axis d w^2 = h`, every `d > 0`, `h` positive or zero.
struct Shape<'g> {
    round: Vec<Square<'g>>,
    axis: Vec<Square<'g>>,
    height: Ex<'g>,
}

impl<'g> Shape<'g> {
    fn parametrised(
        &self,
        graph: &'g Graph,
        signs: &Signs<'_, 'g>,
        parameter: &mut dyn FnMut() -> Ex<'g>,
    ) -> (Values<'g>, String) {
        let Self {
            round,
            axis,
            height,
        } = self;
        if height.is_zero() {
            return self.cone(graph, signs, parameter);
        }
        let free: Values<'g> = axis.iter().map(|s| (s.velocity, parameter())).collect();
        let far = axis.iter().zip(&free).map(|(s, (_, z))| s.d * z.pow(2));
        let far: Vec<Ex<'g>> = far.chain([*height]).collect();
        let square = graph.sum(&far);
        let radius = |s: &Square<'g>| root(square / s.d);
        let kind = match (round.len(), axis.len()) {
            (1, 0) => "two planes",
            (1, _) => "a hyperboloid of two sheets",
            (2, 0) => "an ellipse",
            (_, 0) => "an ellipsoid",
            _ => "a hyperboloid of one sheet",
        };
        let (mut values, words) = match round.as_slice() {
            [one] => {
                let axis = axis.iter().zip(&free);
                let back = axis.map(|(s, (_, z))| (*z, s.velocity + s.shift));
                let back: Values<'g> = back.collect();
                let (value, words) = on_sheet(one, radius(one), &back, signs);
                (vec![(one.velocity, value)], format!("{kind}{words}"))
            }
            _ => (
                angles(graph, round, &radius, parameter),
                format!("{kind}, by angles,"),
            ),
        };
        values.extend(free);
        (values, words)
    }

    /// `h = 0`: the radius is a parameter, whose sign tells the nappes apart.
    fn cone(
        &self,
        graph: &'g Graph,
        signs: &Signs<'_, 'g>,
        parameter: &mut dyn FnMut() -> Ex<'g>,
    ) -> (Values<'g>, String) {
        let Self { round, axis, .. } = self;
        let z = parameter();
        let unit = axis[0].d;
        let radius = |s: &Square<'g>| z * root(unit / s.d);
        let (mut values, words) = match round.as_slice() {
            [one] => {
                let back = [(z, axis[0].velocity + axis[0].shift)];
                let (value, words) = on_sheet(one, radius(one), &back, signs);
                let words = format!("two planes{words}");
                (vec![(one.velocity, value)], words)
            }
            _ => {
                let words = "a cone, by angles and a radius whose sign tells the nappes apart,";
                (angles(graph, round, &radius, parameter), words.to_owned())
            }
        };
        match axis.as_slice() {
            [one] => values.push((one.velocity, z)),
            _ => values.extend(angles(graph, axis, &radius, parameter)),
        }
        (values, words)
    }
}

/// One of the two values `radius` and `-radius` of `w`: that of the start, with what the parameters
/// are in velocities.
fn on_sheet<'g>(
    square: &Square<'g>,
    radius: Ex<'g>,
    parameters: &[(Ex<'g>, Ex<'g>)],
    signs: &Signs<'_, 'g>,
) -> (Ex<'g>, String) {
    let name = name_of(square.velocity);
    let w = square.velocity + square.shift;
    match (signs.at_start)(w * radius.substitute(parameters)) {
        Some(sign) => (sign * radius, format!(", the one of the start for {name},")),
        None => (radius, format!(", one of two signs of {name},")),
    }
}

/// `w_1 = r_1 cos z_1`, `w_2 = r_2 sin z_1 cos z_2`, .., the last one with sines only.
fn angles<'g>(
    graph: &'g Graph,
    squares: &[Square<'g>],
    radius: &dyn Fn(&Square<'g>) -> Ex<'g>,
    parameter: &mut dyn FnMut() -> Ex<'g>,
) -> Values<'g> {
    let mut sines = graph.one();
    let mut values = Vec::new();
    for (place, square) in squares.iter().enumerate() {
        let last = place + 1 == squares.len();
        let turned = match last {
            true => sines,
            false => {
                let angle = parameter();
                let turned = sines * angle.cos();
                sines = sines * angle.sin();
                turned
            }
        };
        values.push((square.velocity, radius(square) * turned));
    }
    values
}

/// A square root of a positive expression; of either sign where it is a square as it stands.
fn root(x: Ex<'_>) -> Ex<'_> {
    let graph = x.graph();
    let (coefficient, factors) = monomial(x);
    let half = |e: &Rational| e.to_i64().filter(|e| e % 2 == 0).map(|e| e / 2);
    let powers = factors.iter().map(|(x, e)| Some(x.pow(half(e)?)));
    let powers: Option<Vec<Ex<'_>>> = powers.collect();
    match powers.zip(coefficient.root(2)) {
        Some((powers, number)) => graph.product(&powers).scale(&number),
        None => x.sqrt(),
    }
}
