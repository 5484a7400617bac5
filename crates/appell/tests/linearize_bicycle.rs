//! The benchmark bicycle [meijaard2007]: eigenvalues about upright straight riding, and the speeds at which it
//! gains and loses stability, against 20-digit data.

use crate::common::reference::number;
use appell::{Control, ParameterArgument, Prepared, parse_parameter, read, sweep, with_initial};
use serde_json::Value;

/// The bicycle from points and angular velocities alone.
const POINTS: &str = include_str!("models/whipple.toml");

/// The data, embedded as the model is.
const DATA: &str = include_str!("../../../reference/bicycle.json");

#[test]
fn the_bicycle_has_its_published_eigenvalues_and_speeds() {
    let data: Value = serde_json::from_str(DATA).expect("JSON");
    let linear = &data["linear"];
    let bodies = appell::gallery::find("bicycle")
        .expect("it is in the gallery")
        .text;
    for text in [POINTS, bodies] {
        let text = with_initial(text, &["phi' = 0".to_owned()]).expect("an equation");
        let (model, _) = read("bicycle.toml", &text).expect("a good model");
        let mut p = Prepared::new(&model, &[], &[]).expect("finite parameters");
        let Ok(ParameterArgument::Range(range)) = parse_parameter("vx=0:10:1") else {
            panic!("a range")
        };
        let found =
            sweep(&mut p, &[], &range, None, true, &mut Control::default()).expect("steady");
        assert_eq!(found.gaps, []);
        assert_eq!(found.state_names.len(), 18 - 2 * 2 - 4);
        assert_eq!(found.zero.iter().filter(|zero| **zero).count(), 6);
        for (speed, values) in found.eigenvalues.iter().enumerate() {
            let values = values.as_ref().expect("no gaps").iter().zip(&found.zero);
            let mut left: Vec<(f64, f64)> = values
                .filter(|(_, zero)| !**zero)
                .map(|(x, _)| *x)
                .collect();
            let wanted = linear["eigenvalues_20_digits"][speed.to_string()].as_array();
            for wanted in wanted.expect("every whole speed") {
                let wanted = (number(&wanted[0]), number(&wanted[1]));
                let error = |x: &(f64, f64)| (x.0 - wanted.0).hypot(x.1 - wanted.1);
                let place =
                    (0..left.len()).min_by(|i, j| error(&left[*i]).total_cmp(&error(&left[*j])));
                let x = left.swap_remove(place.expect("four of them"));
                let size = wanted.0.hypot(wanted.1).max(1.0);
                assert!(
                    error(&x) <= 1e-11 * size,
                    "{speed} m/s: {x:?} for {wanted:?}"
                );
            }
        }
        let crossings = found.crossings.expect("they were asked for");
        let wanted = [
            ("v_weave", "complex pair", "gains stability"),
            ("v_capsize", "real eigenvalue", "loses stability"),
        ];
        assert_eq!(crossings.len(), wanted.len(), "{crossings:?}");
        for (crossing, (name, what, means)) in crossings.iter().zip(wanted) {
            assert!(
                (crossing.value - number(&linear[name])).abs() < 1e-9,
                "{name}: {crossing:?}"
            );
            assert!(
                crossing.kind.starts_with(what) && crossing.kind.ends_with(means),
                "{crossing:?}"
            );
        }
    }
}
