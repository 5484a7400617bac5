//! The page of a model: its numbers are those of other ways to the same result, its text is harmless.

use appell::limits::{Stop, Why, under};
use appell::{
    Control, ExitKind, Override, Prepared, Rational, Report, State, eval, gallery, read, report,
};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The page of a model text.
fn page_of(name: &str, text: &str, look: impl FnOnce(&Prepared<'_>, &Report, &Value)) {
    let (model, warnings) = read(name, text).expect("a good model");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters");
    let made =
        report(&p, &Default::default(), &warnings, &mut Default::default()).expect("it moves");
    look(&p, &made, &data_of(&made));
}

/// The numbers of a page.
fn data_of(made: &Report) -> Value {
    let data = made.html.split_once("id=\"data\">").expect("the numbers").1;
    let data = data.split_once("</script>").expect("their end").0;
    serde_json::from_str(data).expect("JSON")
}

fn page(name: &str, look: impl FnOnce(&Prepared<'_>, &Report, &Value)) {
    page_of(
        name,
        gallery::find(name).expect("in the gallery").text,
        look,
    );
}

fn list(value: &Value) -> Vec<f64> {
    let items = value.as_array().expect("a list").iter();
    items.map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

/// The three numbers of a sample.
fn at(track: &Value, index: usize) -> [f64; 3] {
    let all = list(track);
    [0, 1, 2].map(|i| all[3 * index + i])
}

fn near(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-5 * scale.max(a.abs()).max(b.abs())
}

/// Each arrow of a constraint is the force that `eval` gives on that body at that state.
fn arrows_are_the_forces_of_eval(name: &str, expected: usize) {
    page(name, |p, made, data| {
        let times = list(&data["times"]);
        let (index, n) = (times.len() / 3, p.system.n());
        // Of many samples the page keeps evenly spaced ones.
        let run = made.run.as_ref().expect("it moves");
        let mut rows = run.table.rows.iter();
        let row = rows.find(|row| near(row[0], times[index], 1.0));
        let row = row.expect("a sample of the run");
        let state = State {
            t: row[0],
            q: row[1..=n].to_vec(),
            v: Some(row[n + 1..=2 * n].to_vec()),
            z: None,
        };
        assert!(near(state.t, times[index], 1.0), "{name}: another sample");
        let values = eval(p, &[state], &[run.form]);
        let forces = &values.states[0].forces;
        let arrows = data["scene"]["arrows"].as_array().expect("arrows");
        let toggles = &data["scene"]["toggles"];
        let mut compared = 0;
        for force in forces {
            let label = format!("{} on {}", force.constraint, force.on);
            for (kind, vector) in [("force", force.force), ("couple", force.torque)] {
                let size = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
                let of = |arrow: &&Value| arrow["label"] == label.as_str() && arrow["kind"] == kind;
                let Some(arrow) = arrows.iter().find(of) else {
                    assert!(size < 1e-9, "{name}: no {kind} of {label}, which is {size}");
                    continue;
                };
                let toggle = &toggles[arrow["toggle"].as_u64().expect("an index") as usize];
                assert_eq!(toggle["label"], force.constraint.as_str());
                let (drawn, place) = (at(&arrow["vector"], index), at(&arrow["at"], index));
                for i in 0..3 {
                    assert!(
                        near(drawn[i], vector[i], size),
                        "{name}, {label}: {drawn:?} {vector:?}"
                    );
                    let known = force.point.as_deref() != Some("couple");
                    assert!(
                        !known || near(place[i], force.at[i], 1.0),
                        "{name}, {label}: {place:?}"
                    );
                }
                compared += 1;
            }
        }
        assert!(compared >= expected, "{name}: {compared} arrows compared");
    });
}

#[test]
fn arrows_stand_where_the_forces_act() {
    arrows_are_the_forces_of_eval("perpendicular", 2);
    arrows_are_the_forces_of_eval("rolling-disc", 1);
    arrows_are_the_forces_of_eval("roller-racer", 2);
}

/// The curve of a plot by its label.
fn curve(data: &Value, plot: &str, label: &str) -> Vec<f64> {
    let plots = data["plots"].as_array().expect("plots");
    let is_meant = |p: &&Value| {
        p["title"]
            .as_str()
            .is_some_and(|title| title.starts_with(plot))
    };
    let series = plots.iter().filter(is_meant);
    let mut series = series.flat_map(|plot| plot["series"].as_array().expect("curves"));
    let found = series.find(|series| series["label"] == label);
    list(&found.unwrap_or_else(|| panic!("no curve {label}"))["y"])
}

#[test]
fn the_plots_are_the_run_and_the_ledger() {
    page("affine-particle", |p, made, data| {
        let run = made.run.as_ref().expect("it moves");
        let ends = |curve: &[f64]| [curve[0], curve[curve.len() - 1]];
        let change = ends(&curve(data, "Energy", "E - E0"));
        let star = ends(&curve(data, "Energy", "E* - E*0"));
        let energy_star = run.ledger.energy_star.expect("affine: E* is not E");
        for (drawn, expected) in [(change, run.ledger.energy), (star, energy_star)] {
            assert_eq!(drawn[0], 0.0);
            assert!(near(drawn[1], expected[1] - expected[0], 0.0), "{drawn:?}");
        }
        assert!(near(change[1], run.ledger.change, 0.0));
        let missing = curve(data, "Error of the energy", "missing");
        assert!(missing.iter().all(|x| (0.0..=run.ledger.bound).contains(x)));
        let allowed = curve(data, "Error of the energy", "tolerances allow");
        assert!(allowed.iter().all(|x| near(*x, run.ledger.bound, 0.0)));
        for (name, work) in &run.ledger.work {
            if work.abs() > 1e-6 {
                let drawn = curve(data, "Energy", &format!("work of {name}"));
                assert!(near(drawn[drawn.len() - 1], *work, 0.0), "{name}");
            }
        }
        let name = &p.model.coordinates[0].name;
        let drawn = curve(data, "Coordinates", name);
        let last = run.table.rows.last().expect("a sample");
        assert!(near(drawn[drawn.len() - 1], last[1], 0.0));
        let drawn = curve(data, "Velocities", &format!("{name}'"));
        let last = last[1 + p.system.n()];
        assert!(near(drawn[drawn.len() - 1], last, 0.0));
    });
}

#[test]
fn trails_are_paths_of_points() {
    page("perpendicular", |_, made, data| {
        let trail = &data["scene"]["trails"][0];
        assert_eq!(trail["name"], "P1");
        let rows = &made.run.as_ref().expect("it moves").table.rows;
        let last = rows.len() - 1;
        let row = &rows[last];
        let place = at(&trail["at"], last);
        assert!(
            near(place[0], row[1], 1.0) && near(place[1], row[2], 1.0),
            "{place:?}"
        );
    });
}

/// The claim holds for the given value only, and one constraint is left out: what is found beside the
/// motion knows of both.
#[test]
fn every_part_of_a_page_has_the_parameters_and_constraints_that_were_given() {
    let text = "coordinates = ['x', 'y']\n[parameters]\nm = 1\n[energy]\n\
        kinetic = \"m/2*(x'^2 + y'^2)\"\n[constraints]\nkept = \"x' = 0\"\nlost = \"y' = x' + 1\"\n\
        [initial]\nstate = [\"y' = 1\"]\n[simulate]\nuntil = 1\n\
        [claims]\ndouble = { equation = \"m*y' = 2*y'\" }\n";
    let (model, _) = read("m.toml", text).expect("a good model");
    let made = |overrides: &[Override], dropped: &[String]| {
        let p = Prepared::new(&model, overrides, dropped).expect("its parameters");
        let page = report(&p, &Default::default(), &[], &mut Default::default());
        page.expect("it moves").html
    };
    let two = Override {
        name: "m".to_owned(),
        value: Rational::from(2),
    };
    let given = made(&[two], &["lost".to_owned()]);
    assert!(given.contains("left out, multiplier 0") && !given.contains("refuted"));
    let file = made(&[], &["lost".to_owned()]);
    assert!(file.contains("left out, multiplier 0") && file.contains("refuted"));
    assert!(!made(&[], &[]).contains("left out, multiplier 0"));
}

/// What was not begun is not derived, and the motion ends as any that is interrupted.
#[test]
fn an_interrupted_page_says_so() {
    let text = gallery::find("skate").expect("in the gallery").text;
    let (model, _) = read("skate.toml", text).expect("a good model");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters");
    let cancel = AtomicBool::new(true);
    let mut control = Control {
        cancel: Some(&cancel),
        progress: None,
        stream: None,
    };
    let made = report(&p, &Default::default(), &[], &mut control).expect("a page");
    let run = made.run.expect("a motion that was begun");
    assert_eq!(run.exit, ExitKind::Interrupted);
    assert!(run.outcome.contains("interrupted"), "{}", run.outcome);
    assert!(made.html.contains("Not derived: it was interrupted."));
}

/// A page of what is known stands whenever the work is stopped, at the latest from when the model is prepared.
#[test]
fn a_stopped_page_is_a_page() {
    let text = gallery::find("bicycle").expect("in the gallery").text;
    let (model, _) = read("bicycle.toml", text).expect("a good model");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters");
    let stop = Arc::new(Stop::new());
    stop.set(Why::Time);
    let made = || report(&p, &Default::default(), &[], &mut Default::default());
    let made = under(Some(stop), made).expect("a page");
    assert!(made.run.is_none());
    for words in [
        "The motion was not computed: the budget of time is used up.",
        "Not derived: the budget of time is used up.",
        "Carvallo-Whipple",
    ] {
        assert!(made.html.contains(words), "{words}");
    }
}

const HOSTILE: &str = r#"
title = "</title></script><script>alert(1)</script>"
source = "<img src=x onerror=alert(1)> TURNED"
about = "<b>&amp;</b>"
coordinates = ["x"]
[parameters]
m = { value = 1, unit = "<i>", about = "</td><script>" }
[energy]
kinetic = "m/2*x'^2"
[initial]
state = ["x' = 1"]
[simulate]
until = 1
[claims]
still = { constant = "x'", cite = "<script>", about = "--><script>" }
[[plots]]
title = "</script><svg onload=alert(1)>"
x = "t"
y = "x"
"#;

#[test]
fn no_text_of_a_model_becomes_markup() {
    let turned = HOSTILE.replace("TURNED", "\u{202e}turned\u{2066}");
    page_of("<script>.toml", &turned, |_, made, _| {
        let html = &made.html;
        assert_eq!(html.matches("<script").count(), 2);
        assert_eq!(html.matches("</script").count(), 2);
        assert_eq!(
            html.matches("</title>").count() - html.matches("<svg ").count(),
            1
        );
        for bad in [
            "<img",
            "<b>",
            "<i>",
            "onload=alert(1)>",
            "\u{202e}",
            "\u{2066}",
        ] {
            assert!(!html.contains(bad), "{bad}");
        }
        assert!(
            html.contains("&lt;/script&gt;&lt;script&gt;alert(1)"),
            "it is still to be read"
        );
    });
}

#[test]
fn a_page_has_its_policy_first_and_no_address() {
    page("skate", |_, made, _| {
        let html = &made.html;
        let policy = html.find("Content-Security-Policy").expect("a policy");
        assert!(policy < html.find("<style").expect("a style"));
        assert!(html.contains("default-src 'none'; style-src 'sha256-"));
        // Names of namespaces are no addresses.
        let names = ["2000/svg", "1998/Math/MathML"];
        let names = names.map(|name| html.matches(&format!("http://www.w3.org/{name}")).count());
        assert_eq!(html.matches("://").count(), names.iter().sum::<usize>());
        for loading in [
            "@import", "url(http", " src=", "<link", "<iframe", " style=", "eval(",
        ] {
            assert!(!html.contains(loading), "{loading}");
        }
        assert!(html.len() < 2_000_000, "{}", html.len());
    });
}

#[test]
fn the_page_of_a_failed_motion_says_how_it_ended() {
    let text = "coordinates = ['x']\n[energy]\nkinetic = \"x'^2/2\"\npotential = 'cos(x - 1)*sign(x^3 + x - 2)/4'\n\
        [initial]\nstate = ['x = 0', \"x' = 1\"]\n[simulate]\nuntil = 3\n";
    page_of("jump.toml", text, |_, made, data| {
        assert!(made.html.contains("<p class=\"notice ill\">"));
        assert!(made.html.contains("the energy does not balance"));
        assert!(data["scene"].is_null(), "nothing has a place");
    });
}

#[test]
fn the_fragment_of_an_article_has_a_label_for_each_equation() {
    page("perpendicular", |_, made, _| {
        let tex = &made.tex;
        let labels = tex.matches("\\label{eq:").count();
        assert!(labels > 5, "{tex}");
        assert!(tex.contains("\\label{sec:multipliers}") && !tex.contains("\\documentclass"));
        for environment in ["align", "equation", "itemize"] {
            let count = |what: &str| tex.matches(&format!("\\{what}{{{environment}}}")).count();
            assert_eq!(count("begin"), count("end"), "{environment}");
        }
        assert!(!tex.contains("align*") && !tex.contains("\\["));
    });
}

#[test]
fn more_samples_than_a_page_needs_are_thinned() {
    let text = gallery::find("skate").expect("in the gallery").text;
    let (model, _) = read("skate", text).expect("a good model");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters");
    let options = appell::RunOptions {
        samples: Some(5000),
        until: Some(1.0),
        ..Default::default()
    };
    let made = report(&p, &options, &[], &mut Default::default()).expect("it moves");
    assert_eq!(made.run.expect("it moves").table.rows.len(), 5000);
    assert!(made.html.len() < 2_000_000, "{}", made.html.len());
}

/// Beside a table with more rows than samples are kept, curves of the table and of the samples have the same times.
#[test]
fn a_table_may_have_more_rows_than_the_page_has_samples() {
    let text = gallery::find("skate").expect("in the gallery").text;
    let (model, _) = read("skate", text).expect("a good model");
    let p = Prepared::new(&model, &[], &[]).expect("its parameters");
    let data = |samples: usize| {
        let options = appell::RunOptions {
            samples: Some(samples),
            until: Some(1.0),
            ..Default::default()
        };
        let made = report(&p, &options, &[], &mut Default::default()).expect("it moves");
        let data = data_of(&made);
        let run = made.run.expect("it moves");
        assert_eq!(run.table.rows.len(), samples);
        assert!(run.trajectory.samples.len() <= 20_002);
        data
    };
    let [few, many] = [20_001, 60_001].map(data);
    for (title, label) in [("Energy", "E - E0"), ("Velocities", "y'")] {
        let [a, b] = [&few, &many].map(|data| curve(data, title, label));
        assert!(a.len() == b.len() && a.len() > 100, "{title}");
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8),
            "{title}"
        );
    }
}
