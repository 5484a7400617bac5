//! Rotations as matrices, from Euler angles and quaternions, and their angular velocities.

/// A rotation: the columns are the axes of the body.
pub type Matrix = [[f64; 3]; 3];
/// Components.
pub type Vector = [f64; 3];

/// The rotation about the axis x, y, z (0, 1, 2).
pub fn about(axis: usize, angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut r = [[0.0; 3]; 3];
    r[axis][axis] = 1.0;
    r[j][j] = c;
    r[k][k] = c;
    r[k][j] = s;
    r[j][k] = -s;
    r
}

/// `a b`.
pub fn product(a: Matrix, b: Matrix) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

/// `a^T`.
pub fn transposed(a: Matrix) -> Matrix {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[j][i]))
}

/// `a x`.
pub fn times(a: Matrix, x: Vector) -> Vector {
    a.map(|row| dot(row, x))
}

/// `a . b`.
pub fn dot(a: Vector, b: Vector) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

/// `a x b`.
pub fn cross(a: Vector, b: Vector) -> Vector {
    [0, 1, 2].map(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        a[j] * b[k] - a[k] * b[j]
    })
}

/// Rotations about the given axes one after the other, and `omega` in the body.
pub fn chain(axes: [usize; 3], angles: &[f64], rates: &[f64]) -> (Matrix, Vector) {
    let mut r = about(0, 0.0);
    let mut omega = [0.0; 3];
    for ((axis, angle), rate) in axes.into_iter().zip(angles).zip(rates) {
        let turn = about(axis, *angle);
        r = product(r, turn);
        omega = times(transposed(turn), omega);
        omega[axis] += rate;
    }
    (r, omega)
}

/// The rotation of a unit quaternion, the scalar part first, and `omega = 2 E e'` in the body.
pub fn quaternion(e: &[f64], rate: &[f64]) -> (Matrix, Vector) {
    let (e0, u) = (e[0], [e[1], e[2], e[3]]);
    let column = |x: Vector| -> Vector {
        let (once, twice) = (cross(u, x), cross(u, cross(u, x)));
        [0, 1, 2].map(|i| x[i] + 2.0 * e0 * once[i] + 2.0 * twice[i])
    };
    let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(column);
    let turning = cross(u, [rate[1], rate[2], rate[3]]);
    let omega = [0, 1, 2].map(|i| 2.0 * (e0 * rate[i + 1] - rate[0] * u[i] - turning[i]));
    (transposed(columns), omega)
}

/// The unit quaternion of the Euler angles z-x-z.
pub fn from_zxz(angles: &[f64]) -> [f64; 4] {
    let half = angles[1] / 2.0;
    let (sum, difference) = ((angles[0] + angles[2]) / 2.0, (angles[0] - angles[2]) / 2.0);
    [
        half.cos() * sum.cos(),
        half.sin() * difference.cos(),
        half.sin() * difference.sin(),
        half.cos() * sum.sin(),
    ]
}

/// The rate of a quaternion by the components of the angular velocity in the body, `1/2 E^T w`.
pub fn quaternion_rate(e: [f64; 4], w: Vector) -> [f64; 4] {
    [
        -e[1] * w[0] - e[2] * w[1] - e[3] * w[2],
        e[0] * w[0] - e[3] * w[1] + e[2] * w[2],
        e[3] * w[0] + e[0] * w[1] - e[1] * w[2],
        -e[2] * w[0] + e[1] * w[1] + e[0] * w[2],
    ]
    .map(|x| x / 2.0)
}

/// A vector turned by a unit quaternion.
pub fn turned(e: [f64; 4], x: Vector) -> Vector {
    let u = [e[1], e[2], e[3]];
    let once = cross(u, x);
    let twice = cross(u, once);
    [0, 1, 2].map(|i| x[i] + 2.0 * e[0] * once[i] + 2.0 * twice[i])
}
