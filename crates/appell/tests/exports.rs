//! Exported code integrates to the end states of runs.
//!
//! A program in C extrapolates the midpoint rule [hairer1993, sect. II.9] over the exported function, so that nothing
//! of Appell's own numerics is between.

use crate::common::corpus::{is_whole, over_the_corpus};
use crate::common::forms::form;
use crate::common::{model, motion, prepare};
use appell::{FORMALISMS, Formalism, Language, Prepared, Run, RunOptions, export, gallery, read};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Reads `n t0 t1 tolerance y.. p..` and prints `y` at `t1`; exit code 3 where the function has no value.
const EXTRAPOLATION: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <math.h>
int EQUATIONS(double t, const double *y, const double *p, double *rate, double *lambda);
static double p[1000], lambda[1000];
static int n;
/* Gragg's midpoint rule: `count` parts of a step h. */
static int midpoint(double t, const double *y, double h, int count, double *end) {
    double a[n], b[n], f[n], part = h / count;
    if (EQUATIONS(t, y, p, f, lambda)) return 1;
    for (int i = 0; i < n; i++) a[i] = y[i], b[i] = y[i] + part * f[i];
    for (int k = 1; k <= count; k++) {
        if (EQUATIONS(t + k * part, b, p, f, lambda)) return 1;
        if (k == count) break;
        for (int i = 0; i < n; i++) { double c = a[i] + 2.0 * part * f[i]; a[i] = b[i], b[i] = c; }
    }
    for (int i = 0; i < n; i++) end[i] = 0.5 * (a[i] + b[i] + part * f[i]);
    return 0;
}
int main(void) {
    enum { COLUMNS = 7 };
    double t, last, tolerance;
    if (scanf("%d %lf %lf %lf", &n, &t, &last, &tolerance) != 4) return 2;
    double y[n], table[COLUMNS][n], h = (last - t) / 100.0;
    for (int i = 0; i < n; i++) if (scanf("%lf", y + i) != 1) return 2;
    for (int i = 0; i < 1000 && scanf("%lf", p + i) == 1; i++) {}
    while (t < last) {
        double error = 0.0;
        int bad = 0;
        if (t + 1.01 * h >= last) h = last - t;
        for (int j = 0; j < COLUMNS && !bad; j++) {
            double next[n];
            bad = midpoint(t, y, h, 2 * (j + 1), next);
            for (int k = j; k > 0; k--) {
                double ratio = (j + 1.0) / (j + 1.0 - (j - k + 1)), factor = 1.0 / (ratio * ratio - 1.0);
                for (int i = 0; i < n; i++) {
                    double old = table[j - k][i], better = next[i] + factor * (next[i] - old);
                    table[j - k][i] = next[i], next[i] = better;
                }
            }
            if (j == COLUMNS - 1)
                for (int i = 0; i < n; i++) {
                    double size = fmax(1.0, fmax(fabs(y[i]), fabs(next[i])));
                    error = fmax(error, fabs(next[i] - table[j - 1][i]) / (tolerance * size));
                }
            for (int i = 0; i < n; i++) table[j][i] = next[i];
        }
        if (bad || !(error <= 1.0)) {
            h *= 0.5;
            if (h < 1e-12 * fmax(1.0, fabs(t))) return 3;
            continue;
        }
        t = h == last - t ? last : t + h;
        for (int i = 0; i < n; i++) y[i] = table[COLUMNS - 1][i];
        h *= fmin(2.0, 0.9 * pow(fmax(error, 1e-12), -1.0 / 13.0));
    }
    for (int i = 0; i < n; i++) printf("%.17g\n", y[i]);
    return 0;
}
"#;

/// The errors of steps, as fine as they may be.
const FINE: f64 = 1e-13;

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("exports")
        .join(name);
    std::fs::create_dir_all(&path).expect("a folder for the test");
    path
}

/// The program that integrates the function of this name in this code.
fn compiled(name: &str, code: &str, function: &str) -> PathBuf {
    let folder = folder(name);
    let [main, source, program] = ["main.c", "equations.c", function].map(|x| folder.join(x));
    std::fs::write(&main, EXTRAPOLATION).expect("written");
    std::fs::write(&source, code).expect("written");
    let done = Command::new("cc")
        .args([
            "-std=c99",
            "-O0",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
        ])
        .arg(format!("-DEQUATIONS={function}"))
        .args([&main, &source])
        .arg("-o")
        .arg(&program)
        .arg("-lm")
        .output()
        .expect("a C compiler");
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{name}: {said}");
    program
}

/// The end of the motion by a compiled program whose steps have errors of this size, or its exit code.
fn integrated(
    program: &Path,
    run: &Run,
    p: &Prepared<'_>,
    tolerance: f64,
) -> Result<Vec<f64>, Option<i32>> {
    let first = &run.trajectory.samples[0];
    let n = run.state_names.len();
    let numbers = [first.t, run.last_time(), tolerance];
    let numbers = numbers.iter().chain(&first.y[..n]).chain(&p.parameters);
    let numbers: Vec<String> = numbers.map(|x| format!("{x:e}")).collect();
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let input = child.stdin.take();
    write!(input.expect("a pipe"), "{n} {}", numbers.join(" ")).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    match output.status.success() {
        true => {
            let text = String::from_utf8_lossy(&output.stdout);
            Ok(text.lines().map(|x| x.parse().expect("a number")).collect())
        }
        false => Err(output.status.code()),
    }
}

/// A fine run of a form. Where it does not reach its end, of nine tenths of the time that it reaches.
fn fine(p: &Prepared<'_>, form: Option<&'static Formalism>) -> Run {
    let options = RunOptions {
        form,
        rtol: Some(1e-13),
        atol: Some(1e-15),
        samples: Some(2),
        ..RunOptions::default()
    };
    let run = motion(p, &options);
    match run.exit {
        appell::ExitKind::Done => run,
        _ => {
            let until = Some(run.start.t + 0.9 * (run.last_time() - run.start.t));
            motion(p, &RunOptions { until, ..options })
        }
    }
}

fn apart(found: &[f64], wanted: &[f64]) -> f64 {
    let pairs = found.iter().zip(wanted);
    pairs
        .map(|(a, b)| (a - b).abs() / b.abs().max(1.0))
        .fold(0.0, f64::max)
}

/// A drive whose contacts say one thing twice, and whose heading passes every direction.
const DRIVE: &str = r#"
coordinates = ["x", "y", "psi", "pl", "pr", "w"]
[parameters]
d = 0.2
R = 0.08
[energy]
kinetic = "1/2*(x'^2 + y'^2 + psi'^2 + pl'^2 + pr'^2 + w'^2)"
[constraints]
lx = "x' - d*cos(psi)*psi' - R*cos(psi)*pl' = 0"
ly = "y' - d*sin(psi)*psi' - R*sin(psi)*pl' = 0"
rx = "x' + d*cos(psi)*psi' - R*cos(psi)*pr' = 0"
ry = "y' + d*sin(psi)*psi' - R*sin(psi)*pr' = 0"
ww = "w' = pl'"
[initial]
state = ["psi = 0.3", "pl' = 1", "pr' = 7"]
[simulate]
until = 8
"#;

/// A car that turns round, steered by a spring.
const CAR: &str = r#"
coordinates = ["x", "y", "th", "delta"]
[frames]
C = { parent = "N", angle = "th", axis = "z" }
W = { parent = "C", angle = "delta", axis = "z" }
[points]
G = "[x, y, 0]"
rear = "pos(G) - 1.4*C.x"
front = "pos(G) + 1.2*C.x"
[bodies.chassis]
mass = 1200
frame = "C"
position = "pos(G)"
inertia = [800, 800, 1600]
[bodies.steer]
frame = "W"
inertia = [15, 15, 30]
[constraints]
rear_axle = "dot(v(rear), C.y) = 0"
front_axle = "dot(v(front), W.y) = 0"
[[loads]]
body = "chassis"
force = "900*C.x - 0.4*norm(v(chassis))*v(chassis)"
at = "rear"
[forces]
delta = "-400*(delta - 0.3*sin(0.5*t)) - 120*delta'"
[initial]
state = ["x = 0", "y = 0", "th = 0", "delta = 0", "x' = 10", "delta' = 0"]
[simulate]
until = 10
"#;

/// The distance of the end of C from that of the run, for one form.
fn of_form(name: &str, p: &Prepared<'_>, form: Option<&'static Formalism>) -> Result<f64, String> {
    let run = fine(p, form);
    let c = Language::find("c").expect("a language");
    let exported = export(p, &[run.form], c);
    let program = compiled(name, &exported.text, "equations");
    // Where a choice of velocities wears out, rounding errors are above what the finest steps allow.
    let end = integrated(&program, &run, p, FINE);
    let coarser = |tolerance| integrated(&program, &run, p, tolerance);
    let end = end
        .or_else(|_| coarser(1e-12))
        .or_else(|_| coarser(1e-11))
        .or_else(|_| coarser(1e-10));
    let end = end.map_err(|code| format!("exit {code:?}"))?;
    Ok(apart(&end, run.last_state()))
}

/// A force that is undefined beyond y = 0, where the motion comes at t = 0.5.
fn undefined_beyond(force: &str) -> String {
    format!(
        "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"(x'^2 + y'^2)/2\"\n[forces]\nx = \"{force}\"\n\
         [initial]\nstate = [\"y = 0.5\", \"y' = -1\"]\n[simulate]\nuntil = 2\n"
    )
}

/// What `min`, `max` and `sign` make of something undefined is undefined, by every backend and in what is exported.
#[test]
fn functions_of_what_is_undefined_are_undefined() {
    let forces = ["min(sqrt(y), 1)", "max(1, sqrt(y))", "sign(log(y))"];
    for (number, force) in forces.iter().enumerate() {
        let text = model(&undefined_beyond(force));
        let p = prepare(&text);
        for backend in ["interp", "jit", "cc"] {
            let options = RunOptions {
                backend: Some(backend.to_owned()),
                ..RunOptions::default()
            };
            let run = motion(&p, &options);
            assert!(
                run.exit != appell::ExitKind::Done && (run.last_time() - 0.5).abs() < 1e-6,
                "{force} by {backend}: {} at {}",
                run.outcome,
                run.last_time()
            );
        }
        let run = motion(
            &p,
            &RunOptions {
                until: Some(0.4),
                ..RunOptions::default()
            },
        );
        let c = Language::find("c").expect("a language");
        let exported = export(&p, &[run.form], c);
        let program = compiled(&format!("undefined-{number}"), &exported.text, "equations");
        assert!(
            integrated(&program, &run, &p, FINE).is_ok(),
            "{force} until 0.4"
        );
        let mut beyond = run.clone();
        beyond.trajectory.samples[0].y[1] = -0.5;
        assert_eq!(
            integrated(&program, &beyond, &p, FINE),
            Err(Some(3)),
            "{force} beyond"
        );
    }
}

#[test]
fn c_of_every_gallery_model_ends_where_its_run_ends() {
    for entry in gallery::entries() {
        let (text, _) = read(entry.name, entry.text).expect("it is right");
        let p = prepare(&text);
        let apart = of_form(entry.name, &p, None);
        assert!(
            apart.as_ref().is_ok_and(|x| *x < 1e-8),
            "{}: {apart:?}",
            entry.name
        );
    }
}

/// Forces narrower than a step: `run` ends steps where they jump, the program that is exported does not know where. And a
/// pole of velocities as functions of their parameters: `run` changes the form before it.
const UNSEEN: [&str; 4] = [
    "blow-of-ten-milliseconds",
    "narrow-force",
    "narrow-wall",
    "steered-by-given-velocities",
];

/// Ends of motions of the corpus in the form of the run, and in one other for each model, in all others where the whole
/// corpus is asked for: C against the run.
#[test]
fn c_of_strangers_ends_where_their_runs_end() {
    let count = over_the_corpus(3, |index, entry| {
        let is_known = entry.text.contains("# expect: t = ");
        if !is_known || UNSEEN.contains(&entry.name.as_str()) {
            return (0, vec![]);
        }
        let (model, _) = read(&entry.name, &entry.text).expect("a right model");
        let p = prepare(&model);
        let applies = |form: &&'static Formalism| {
            // It has one choice of velocities, beyond whose edge there is nothing.
            form.id != "chaplygin" && (form.derive)(&p.system, &p.constraints).is_ok()
        };
        let from_here = FORMALISMS.iter().copied().cycle().skip(index);
        let all = from_here.take(FORMALISMS.len()).filter(applies);
        let others = all.take(if is_whole() { FORMALISMS.len() } else { 1 });
        let forms = [None].into_iter().chain(others.map(Some));
        let wrong = forms.filter_map(|form| {
            let id = form.map_or("run", |form| form.id);
            let apart = of_form(&format!("{}-{id}", entry.name), &p, form);
            (!apart.as_ref().is_ok_and(|x| *x < 1e-8)).then(|| format!("{id}: {apart:?}"))
        });
        (1, wrong.collect())
    });
    assert!(count >= if is_whole() { 80 } else { 25 }, "{count}");
}

#[test]
fn c_of_dependent_rows_and_of_independent_velocities_ends_where_the_run_ends() {
    for (name, text, ids) in [
        (
            "drive",
            DRIVE,
            &["multipliers", "gibbs-appell", "projector", "udwadia-kalaba"][..],
        ),
        (
            "car",
            CAR,
            &["maggi", "kane", "boltzmann-hamel", "voronec"][..],
        ),
    ] {
        let text = model(text);
        let p = prepare(&text);
        for id in ids {
            let apart = of_form(&format!("{name}-{id}"), &p, Some(form(id)));
            assert!(
                apart.as_ref().is_ok_and(|x| *x < 1e-8),
                "{name} {id}: {apart:?}"
            );
        }
    }
}

/// The form of a stranger's model.
fn of_stranger(name: &str, id: &str) -> Result<f64, String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../strangers");
    let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).expect("it is there");
    let (model, _) = read(name, &text).expect("a right model");
    of_form(&format!("{name}-{id}"), &prepare(&model), Some(form(id)))
}

/// Of redundant rows those must be left out that are so everywhere: the row of a cone follows from that of its rolling
/// ball, whose own components say the same twice wherever the normal has two components only;
/// of three cranks those along the frame do where the cranks are across.
#[test]
fn c_passes_states_where_other_rows_are_redundant() {
    for (name, id) in [
        ("ball-in-cone-root", "gibbs-appell"),
        ("ball-in-cone-root", "voronec"),
        ("parallelogram-overbraced", "kane"),
        // Elsewhere than on the component of the start all three rows are independent.
        ("platform-on-three-bars", "maggi"),
        ("platform-on-three-bars", "gibbs-appell"),
        ("hinge-of-unit-vectors", "kane"),
    ] {
        let apart = of_stranger(name, id);
        assert!(
            apart.as_ref().is_ok_and(|x| *x < 1e-8),
            "{name} {id}: {apart:?}"
        );
    }
}

#[test]
fn forms_of_one_file_have_names_of_their_own() {
    let text = model(CAR);
    let p = prepare(&text);
    let c = Language::find("c").expect("a language");
    let exported = export(&p, FORMALISMS, c);
    assert_eq!(exported.unavailable.len(), 1, "{:?}", exported.unavailable);
    let run = fine(&p, None);
    for function in ["equations_multipliers", "equations_udwadia_kalaba"] {
        let program = compiled("several", &exported.text, function);
        let end = integrated(&program, &run, &p, FINE).expect("it ends");
        assert!(apart(&end, run.last_state()) < 1e-8, "{function}: {end:?}");
    }
    for language in appell::LANGUAGES {
        let text = export(&p, FORMALISMS, language).text;
        for form in FORMALISMS.iter().filter(|form| form.id != "chaplygin") {
            let name = format!("equations_{}(", form.id.replace('-', "_"));
            assert!(text.contains(&name), "{}: {name}", language.id);
        }
    }
}

/// At a singular start fewer rows are independent; no choice of velocities may be made of those alone, for it would
/// give the free motion elsewhere.
#[test]
fn choices_of_velocities_keep_all_rows_where_the_start_is_singular() {
    for rows in [
        "c = \"x'^2 + y'^2 = z'^2\"",
        "c = \"z*(x' + x*y' + y*z') = 0\"",
    ] {
        let text = format!(
            "coordinates = [\"x\", \"y\", \"z\"]\n[energy]\nkinetic = \"(x'^2 + y'^2 + z'^2)/2\"\n\
             potential = \"x + 2*y + 3*z\"\n[constraints]\n{rows}\n"
        );
        let text = model(&text);
        let p = prepare(&text);
        let c = Language::find("c").expect("a language");
        for name in [
            "voronec",
            "gibbs-appell",
            "kane",
            "maggi",
            "boltzmann-hamel",
        ] {
            let code = export(&p, &[form(name)], c).text;
            assert!(!code.contains("lambda[0] = 0.0;"), "{rows}, {name}: {code}");
        }
    }
}

/// A state where the rows have another rank than at the start is an error, no number.
#[test]
fn a_lost_rank_is_an_error() {
    let text = "coordinates = [\"x\", \"y\"]\n[energy]\nkinetic = \"x'^2 + y'^2\"\n[constraints]\nc = \"x*x' + \
                y*y' = 0\"\n[initial]\nstate = [\"x = 1\", \"y = 0\", \"y' = 1\"]\n[simulate]\nuntil = 1\n";
    let text = model(text);
    let p = prepare(&text);
    let c = Language::find("c").expect("a language");
    let form = form("multipliers");
    let program = compiled("lost", &export(&p, &[form], c).text, "equations");
    let mut run = fine(&p, Some(form));
    assert!(integrated(&program, &run, &p, FINE).is_ok());
    run.trajectory.samples[0].y[..2].fill(0.0);
    assert_eq!(integrated(&program, &run, &p, FINE), Err(Some(3)));
}
