//! Samples of motions whose steps end beside the times of samples.

use crate::common::{model, motion, prepare, until};
use appell::RunOptions;

/// `x'' = sin t - x` from (1, 0): `x = cos t + (sin t - t cos t)/2`. A force that varies with the time holds steps to a
/// hundredth of the motion, and their ends lie beside the times of samples by rounding: none is lost, and none doubled.
#[test]
fn every_sample_is_given_where_steps_end_at_samples() {
    let text = "coordinates = [\"x\"]\n[energy]\nkinetic = \"x'^2/2\"\npotential = \"x^2/2\"\n[forces]\nx = \"sin(t)\"\n\
                [initial]\nstate = [\"x = 1\"]\n";
    let model = model(text);
    let p = prepare(&model);
    let exact = |t: f64| t.cos() + (t.sin() - t * t.cos()) / 2.0;
    for (end, count) in [
        (0.5, 21),
        (0.5, 201),
        (3.0, 101),
        (0.7, 201),
        (-0.7, 51),
        (9.0, 91),
    ] {
        for method in ["dop853", "taylor", "radau5", "leapfrog"] {
            let options = RunOptions {
                method: Some(method.to_owned()),
                samples: Some(count),
                step: (method == "leapfrog").then_some(0.005),
                ..until(end)
            };
            let run = motion(&p, &options);
            let times = run.trajectory.samples.iter().map(|sample| sample.t);
            let times: Vec<f64> = times.collect();
            let wanted = (0..count).map(|k| match k + 1 == count {
                true => end,
                false => end * k as f64 / (count - 1) as f64,
            });
            let close = times
                .iter()
                .zip(wanted)
                .all(|(t, wanted)| (t - wanted).abs() < 1e-14);
            assert!(
                times.len() == count && close,
                "{method} {end} {count}: {times:?}"
            );
            let off = run
                .trajectory
                .samples
                .iter()
                .map(|sample| (sample.y[0] - exact(sample.t)).abs());
            let off = off.fold(0.0, f64::max);
            let allowed = if method == "leapfrog" { 1e-3 } else { 1e-7 };
            assert!(off < allowed, "{method} {end} {count}: {off}");
        }
    }
}
