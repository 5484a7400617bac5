//! One colour for one thing: the trail of a point, its velocity, the force of a constraint and the curves
//! of these share a hue, and no two curves of a plot look alike.

use super::{Page, Plot, Scene};
use crate::svg::{DASHES, HUES, Pen};
use std::collections::{HashMap, HashSet};

/// The hues of a scene and the pens of the plots.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Pens {
    /// Of each trail.
    pub trails: Vec<usize>,
    /// Of each switch with its arrows.
    pub toggles: Vec<usize>,
    /// Of the curves of each plot.
    pub plots: Vec<Vec<Pen>>,
}

/// Hues by the things they stand for.
#[derive(Default)]
struct Things {
    hues: HashMap<String, usize>,
    used: [usize; HUES],
}

impl Things {
    /// A velocity has the hue of its coordinate.
    fn known(&self, thing: &str) -> Option<usize> {
        let coordinate = thing.trim_end_matches('\'');
        let hue = self.hues.get(thing).or_else(|| self.hues.get(coordinate));
        hue.copied()
    }

    /// The hue of a thing; a new thing gets one that is not taken here and has been used least.
    fn hue(&mut self, thing: &str, taken: &HashSet<usize>) -> usize {
        if let Some(hue) = self.known(thing) {
            return hue;
        }
        let free = |hue: &usize| taken.len() >= HUES || !taken.contains(hue);
        let hue = (0..HUES).filter(free).min_by_key(|hue| self.used[*hue]);
        let hue = hue.unwrap_or(0);
        self.name(thing, hue);
        hue
    }

    fn name(&mut self, thing: &str, hue: usize) {
        if self.hues.insert(thing.to_owned(), hue).is_none() {
            self.used[hue] += 1;
        }
    }
}

/// Chooses them for a page: first what moves, then the curves in the order of the plots.
pub(crate) fn pens(page: &Page) -> Pens {
    let mut things = Things::default();
    let mut pens = Pens::default();
    if let Some(scene) = &page.scene {
        (pens.trails, pens.toggles) = of_scene(scene, &mut things);
    }
    pens.plots = page
        .plots
        .iter()
        .map(|plot| of_plot(plot, &mut things))
        .collect();
    pens
}

/// A trail and the velocity of its point are one thing, and so are a constraint, its forces and its work.
fn of_scene(scene: &Scene, things: &mut Things) -> (Vec<usize>, Vec<usize>) {
    let mut taken = HashSet::new();
    let mut hue = |things: &mut Things, thing: &str| {
        let hue = things.hue(thing, &taken);
        taken.insert(hue);
        hue
    };
    let trails: Vec<usize> = scene
        .trails
        .iter()
        .map(|trail| hue(things, &trail.name))
        .collect();
    let toggles = scene.toggles.iter().enumerate().map(|(index, toggle)| {
        let point = toggle
            .label
            .strip_prefix("v(")
            .and_then(|rest| rest.strip_suffix(')'));
        let of_point = point.and_then(|point| things.known(point));
        let colour = match of_point {
            Some(colour) if !toggle.constraint => colour,
            // What has nothing to show needs no hue.
            _ if !toggle.why_not.is_empty() => 0,
            _ => hue(things, &toggle.label),
        };
        if toggle.why_not.is_empty() {
            things.name(&toggle.label, colour);
            things.name(&format!("work of {}", toggle.label), colour);
        }
        for arrow in scene.arrows.iter().filter(|arrow| arrow.toggle == index) {
            things.name(&arrow.label, colour);
        }
        colour
    });
    let toggles = toggles.collect();
    (trails, toggles)
}

fn of_plot(plot: &Plot, things: &mut Things) -> Vec<Pen> {
    let label = |label: &str| match label.trim() {
        "" => plot.figure.y_label.clone(),
        given => given.to_owned(),
    };
    let labels: Vec<String> = plot
        .figure
        .series
        .iter()
        .map(|series| label(&series.label))
        .collect();
    let mut taken: HashSet<usize> = labels
        .iter()
        .filter_map(|label| things.known(label))
        .collect();
    let mut pens: Vec<Pen> = Vec::new();
    for (index, label) in labels.iter().enumerate() {
        let hue = things.hue(label, &taken);
        taken.insert(hue);
        let free = |dash: &usize| !pens.contains(&Pen { hue, dash: *dash });
        let dash = (index..index + DASHES).map(|dash| dash % DASHES).find(free);
        // More curves than pens of one hue: another hue will do.
        let pen = match dash {
            Some(dash) => Pen { hue, dash },
            None => (0..HUES * DASHES)
                .map(|pen| Pen {
                    hue: pen / DASHES,
                    dash: pen % DASHES,
                })
                .find(|pen| !pens.contains(pen))
                .unwrap_or(Pen { hue, dash: 0 }),
        };
        pens.push(pen);
    }
    pens
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Arrow, Kind, Toggle, Trail};
    use crate::plot::{Figure, Series};

    fn plot(labels: &[String]) -> Plot {
        let series = |label: &String| Series {
            label: label.clone(),
            points: Vec::new(),
            scattered: false,
        };
        Plot {
            figure: Figure {
                series: labels.iter().map(series).collect(),
                ..Figure::default()
            },
            over_time: true,
        }
    }

    #[test]
    fn no_two_curves_of_a_plot_look_alike() {
        for count in 1..=HUES * DASHES {
            let labels: Vec<String> = (0..count).map(|i| format!("c{i}")).collect();
            let pens = of_plot(&plot(&labels), &mut Things::default());
            let different: HashSet<(usize, usize)> =
                pens.iter().map(|pen| (pen.hue, pen.dash)).collect();
            assert_eq!(different.len(), count);
        }
        // Also where all are one thing.
        let same = vec!["x".to_owned(); 7];
        let pens = of_plot(&plot(&same), &mut Things::default());
        let dashes: HashSet<usize> = pens.iter().map(|pen| pen.dash).collect();
        assert_eq!(dashes.len(), 7);
    }

    #[test]
    fn a_thing_has_one_hue_in_space_and_in_every_plot() {
        let toggle = |label: &str, constraint: bool| Toggle {
            label: label.to_owned(),
            constraint,
            on: true,
            why_not: String::new(),
        };
        let arrow = |label: &str, toggle: usize| Arrow {
            label: label.to_owned(),
            kind: Kind::Force,
            toggle,
            at: Vec::new(),
            vector: Vec::new(),
        };
        let scene = Scene {
            trails: vec![Trail {
                name: "P".to_owned(),
                at: Vec::new(),
            }],
            arrows: vec![arrow("blade on skate", 0), arrow("v(P)", 1)],
            toggles: vec![toggle("blade", true), toggle("v(P)", false)],
            ..Scene::default()
        };
        let mut things = Things::default();
        let (trails, toggles) = of_scene(&scene, &mut things);
        assert_eq!(
            trails[0], toggles[1],
            "a trail and the velocity of its point"
        );
        assert_ne!(trails[0], toggles[0]);
        let labels = ["E", "work of blade", "blade on skate", "P"].map(str::to_owned);
        let pens = of_plot(&plot(&labels), &mut things);
        assert_eq!(pens[1].hue, toggles[0]);
        assert_eq!(pens[2].hue, toggles[0]);
        assert_eq!(pens[3].hue, trails[0]);
        assert_ne!(pens[1], pens[2], "one hue, two dashes");
    }
}
