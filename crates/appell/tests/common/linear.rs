//! Linear systems of numbers, solved here once more.

/// `[I, X]` from `[K, Y]`, `K X = Y`, by Gauss and Jordan with row exchanges.
pub fn eliminated(mut m: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for j in 0..m.len() {
        let below = (j..m.len()).max_by(|a, b| m[*a][j].abs().total_cmp(&m[*b][j].abs()));
        m.swap(j, below.expect("a row"));
        let pivot = m[j][j];
        m[j].iter_mut().for_each(|x| *x /= pivot);
        let line = m[j].clone();
        for i in (0..m.len()).filter(|i| *i != j) {
            let factor = m[i][j];
            m[i].iter_mut()
                .zip(&line)
                .for_each(|(x, y)| *x -= factor * y);
        }
    }
    m
}
