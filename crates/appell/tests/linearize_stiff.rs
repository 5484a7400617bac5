//! Linear equations of stiff models: what is slow beside what is fast.

use crate::common::{model, prepare};
use appell::{Linearization, linearize};
use appell_flow::linear;

fn at_rest(text: &str) -> Linearization {
    let model = model(text);
    linearize(&prepare(&model), None).unwrap_or_else(|why| panic!("{why:?}"))
}

/// Two masses, one of 1 mg on a stiff spring: the slow pair is damped by what is lost in rounding, and of unknown sign.
#[test]
fn rounding_of_stiff_entries_decides_no_stability() {
    let text = |d: f64| {
        format!(
            "coordinates = ['x', 's']\n[energy]\nkinetic = \"x'^2/2 + 1e-6*(x' + s')^2/2\"\n\
         potential = 'x^2/2 + 1e5*s^2/2'\n[forces]\ns = \"-300*s'\"\nx = \"{d}*x'\"\n"
        )
    };
    for d in [0.0, 2e-10] {
        let found = at_rest(&text(d));
        let growth = found.growth(1e-9);
        let slow = found
            .eigenvalues
            .iter()
            .zip(&growth)
            .filter(|(z, _)| z.1.abs() > 0.5);
        let slow: Vec<_> = slow.collect();
        assert_eq!(slow.len(), 2, "{:?}", found.eigenvalues);
        for (z, known) in slow {
            assert!((z.0 - d / 2.0).abs() < 1e-13, "{z:?}");
            assert_eq!(known.growth, linear::Growth::Open, "{z:?}");
        }
    }
}

/// Four unit masses in a chain of stiff springs, the first on a soft one that pushes away: `x = cosh(t sqrt(-k/4))`.
#[test]
fn soft_springs_beside_stiff_ones_are_no_zeros() {
    let chain = |k: f64| {
        let springs = "1e9/2*((b - a)^2 + (c - b)^2 + (d - c)^2)";
        format!(
            "coordinates = ['a', 'b', 'c', 'd']\n[energy]\nkinetic = \"(a'^2 + b'^2 + c'^2 + d'^2)/2\"\n\
             potential = '{k}*a^2/2 + {springs}'\n"
        )
    };
    for (k, zeros) in [(-1e-3, 0), (1e-3, 0), (0.0, 2)] {
        let found = at_rest(&chain(k));
        assert_eq!(found.zeros, zeros, "{k}: {:?}", found.eigenvalues);
        let slow = found.eigenvalues.iter().filter(|z| z.0.hypot(z.1) < 1.0);
        let slow: Vec<_> = slow.collect();
        assert_eq!(slow.len(), 2, "{k}");
        let size = (k.abs() / 4.0).sqrt();
        for z in slow {
            let rate = if k < 0.0 { z.0.abs() } else { z.1.abs() };
            assert!((rate - size).abs() <= 1e-3 * size, "{k}: {z:?}");
        }
    }
}

/// A disc in a circle, leaning far: rounding of the equations does not make them depend on the heading.
#[test]
fn steady_motions_are_steady_however_their_equations_are_rounded() {
    let page = include_str!("../../../docs/how-to/steady-motions.md");
    let (_, text) = page.split_once("```toml turning.toml\n").expect("the disc");
    let (text, _) = text.split_once("```").expect("its end");
    for lean in [0.4, 1.25, 1.35, 1.5] {
        let model = model(&text.replace("lean = 0.4", &format!("lean = {lean}")));
        let found = linearize(&prepare(&model), None);
        assert!(found.is_ok(), "{lean}: {found:?}");
    }
}
