//! The program of a GPU gives what lanes of the processor give, to the last bit where both round alike.

use crate::ensembles::CROSS;
use appell::{
    Control, Ensemble, EnsembleOptions, Members, Prepared, RunOptions, ensemble, gallery, read,
};
use appell_flow::backend::device_report;
use appell_study::motion::ensemble::{Observables, in_parts};

/// A column: its name, the middle of its values, their width.
type Column = (&'static str, f64, f64);

/// Systems with the columns that differ.
const SYSTEMS: [(&str, &[Column]); 4] = [
    ("perpendicular", &[("x1", 1.0, 2.0), ("y1", -2.0, 1.0)]),
    ("rolling-disc", &[("phi'", 6.0, 1.0), ("theta", 0.1, 0.2)]),
    ("chaplygin-sleigh", &[("theta'", 2.0, 1.0), ("m", 1.0, 0.4)]),
    ("bicycle", &[("phi'", 0.5, 0.2)]),
];

fn options(backend: &str) -> EnsembleOptions {
    EnsembleOptions {
        run: RunOptions {
            rtol: Some(1e-9),
            atol: Some(1e-9),
            backend: Some(backend.to_owned()),
            ..RunOptions::default()
        },
        threads: 1,
    }
}

fn members(columns: &[Column], count: usize) -> Members {
    let value = |k: usize, c: usize| {
        let (_, middle, width) = columns[c];
        let part = (k as f64 * 0.618_033_988_75 + c as f64 * 0.37).fract();
        middle + width * (part - 0.5)
    };
    let values = (0..count).flat_map(|k| (0..columns.len()).map(move |c| value(k, c)));
    let names = columns.iter().map(|(name, ..)| (*name).to_owned());
    Members::new(names.collect(), values.collect())
}

fn computed(name: &str, members: &Members, options: &EnsembleOptions) -> Ensemble {
    let text = gallery::find(name).expect("in the gallery").text;
    let (model, _) = read("model.toml", text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let mut control = Control::default();
    ensemble(&p, members, options, &mut control).expect("an ensemble")
}

#[test]
fn programs_of_devices_give_the_bits_of_lanes() {
    for (name, columns) in SYSTEMS {
        let members = members(columns, 40);
        let sampled = |backend: &str, samples: Option<usize>| {
            let mut options = options(backend);
            options.run.samples = samples;
            computed(name, &members, &options)
        };
        // The bicycle takes its time to compile.
        let sampled_too = (name != "bicycle").then_some(Some(23));
        for samples in [None].into_iter().chain(sampled_too) {
            let lanes = sampled("cc-exact", samples);
            let device = sampled("cuda-exact", samples);
            if lanes.backend_remark.is_some() {
                println!("not tested here: {:?}", lanes.backend_remark);
                return;
            }
            assert_eq!(device.backend_remark, None, "{name}");
            assert!(device.device_seconds.is_some(), "{name}: it ran elsewhere");
            assert_eq!(device.endings, lanes.endings, "{name}");
            assert_eq!(device.steps, lanes.steps, "{name}");
            assert_eq!(bits(&device.y), bits(&lanes.y), "{name}");
            let samples =
                |ensemble: &Ensemble| ensemble.samples.as_ref().map(|table| bits(&table.y));
            assert_eq!(samples(&device), samples(&lanes), "{name}");
        }
    }
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

/// What a thread cannot decide is decided on the processor: here a state that becomes singular.
#[test]
fn members_that_a_device_gives_up_end_as_alone() {
    let (model, _) = read("model.toml", CROSS).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let columns = ["x'", "y'"].map(str::to_owned).to_vec();
    let members = Members::new(columns, vec![1.0, 1.0, -1.0, -1.0, 2.0, -2.0]);
    let run = |options: &EnsembleOptions| {
        ensemble(&p, &members, options, &mut Control::default()).expect("an ensemble")
    };
    let done = run(&options("cuda-exact"));
    if done.device_seconds.is_none() {
        println!("not tested here: {:?}", done.backend_remark);
        return;
    }
    let words: Vec<&str> = (0..3).map(|member| done.word(member)).collect();
    assert_eq!(words, ["finished", "singular", "finished"]);
}

/// The program of an ensemble of this system, in CUDA C.
fn program(name: &str, columns: &[Column]) -> String {
    let text = gallery::find(name).expect("in the gallery").text;
    let (model, _) = read("model.toml", text).expect("a right model");
    let p = Prepared::new(&model, &[], &[]).expect("parameters");
    let names: Vec<String> = columns
        .iter()
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    let options = options("interp");
    let source = in_parts(
        &p,
        &names,
        None,
        &options,
        &Observables::default(),
        |parts| parts.device_source(),
    );
    source.expect("an ensemble").expect("a program for devices")
}

/// `Used 128 registers`, `16 bytes spill stores`: the largest number before these words.
fn most(said: &str, words: &str) -> usize {
    let before = said.match_indices(words).filter_map(|(place, _)| {
        let number = said[..place]
            .trim_end()
            .rsplit(|c: char| !c.is_ascii_digit())
            .next();
        number?.parse().ok()
    });
    before.max().unwrap_or(0)
}

/// NVIDIA's compiler needs no device.
#[test]
fn programs_of_devices_compile_with_few_spills() {
    for ((name, columns), spilled) in SYSTEMS.into_iter().zip([0, 400, 100, 4_000]) {
        let source = program(name, columns);
        if let Ok(path) = std::env::var("APPELL_DEVICE_SOURCES") {
            std::fs::write(format!("{path}/{name}.cu"), &source).expect("a folder");
        }
        match device_report(&source, (9, 0)) {
            Err(why) if why.0.starts_with("no compiler") => println!("not tested here: {why}"),
            said => {
                let said = said.unwrap_or_else(|why| panic!("{name}: {why}"));
                let (registers, spills) = (
                    most(&said, " registers"),
                    most(&said, " bytes spill stores"),
                );
                println!("{name}: {registers} registers, {spills} bytes spilled");
                assert!(registers > 0 && spills <= spilled, "{name}: {said}");
            }
        }
    }
}
