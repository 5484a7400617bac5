//! Lines of equal value on a grid: marching squares, with values interpolated along the edges.

/// A line between two points.
type Line = [[f64; 2]; 2];

/// The lines at a level; `values` are given with the first axis fastest, `places` where they stand.
pub(super) fn at(level: f64, places: &[Vec<f64>; 2], values: &[Option<f64>]) -> Vec<Line> {
    let [x, y] = places;
    let wide = x.len();
    let mut lines = Vec::new();
    for j in 0..y.len().saturating_sub(1) {
        for i in 0..wide.saturating_sub(1) {
            let corners = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)];
            let corner =
                |(i, j): (usize, usize)| Some(([x[i], y[j]], values[j * wide + i]? - level));
            let known: Option<Vec<_>> = corners.into_iter().map(corner).collect();
            if let Some(known) = known {
                cell(&known, &mut lines);
            }
        }
    }
    lines
}

/// The lines within a cell. Where two opposite corners are high and two low, the mean decides which belong together.
fn cell(corners: &[([f64; 2], f64)], lines: &mut Vec<Line>) {
    let crossing = |k: usize| {
        let ((a, low), (b, high)) = (corners[k], corners[(k + 1) % 4]);
        ((low > 0.0) != (high > 0.0)).then(|| {
            let part = low / (low - high);
            [a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])]
        })
    };
    let points: Vec<[f64; 2]> = (0..4).filter_map(crossing).collect();
    match points.as_slice() {
        [a, b] => lines.push([*a, *b]),
        [a, b, c, d] => {
            let mean: f64 = corners.iter().map(|(_, value)| value).sum();
            let joined = (mean > 0.0) == (corners[0].1 > 0.0);
            lines.extend(match joined {
                true => [[*a, *b], [*c, *d]],
                false => [[*a, *d], [*b, *c]],
            });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of `x^2 + y^2` are circles.
    #[test]
    fn lines_of_a_bowl_are_circles() {
        let places: Vec<f64> = (0..41).map(|i| -1.0 + 0.05 * f64::from(i)).collect();
        let square = |y: &f64| {
            places
                .iter()
                .map(move |x| Some(x * x + y * y))
                .collect::<Vec<_>>()
        };
        let values: Vec<Option<f64>> = places.iter().flat_map(square).collect();
        let lines = at(0.5, &[places.clone(), places.clone()], &values);
        let radius = 0.5_f64.sqrt();
        let length: f64 = lines
            .iter()
            .map(|[a, b]| (a[0] - b[0]).hypot(a[1] - b[1]))
            .sum();
        assert!(
            lines
                .iter()
                .flatten()
                .all(|p| (p[0].hypot(p[1]) - radius).abs() < 1e-3)
        );
        assert!(
            (length / (std::f64::consts::TAU * radius) - 1.0).abs() < 2e-3,
            "{length}"
        );
        let mut holed = values;
        holed[0] = None;
        assert!(at(9.0, &[places.clone(), places], &holed).is_empty());
    }
}
