//! Signals and budgets: every command ends within half a second of processor time, with the code that says
//! why, whole files and nothing else left behind. Time is that of the processor: a busy machine changes nothing.

use crate::common::*;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// Instants for each command and signal; more with the variable `APPELL_INSTANTS`.
const INSTANTS: u64 = 3;
/// What may pass between a signal and the end, in ticks of the system's clock of 10 ms.
const PROMISED: u64 = 50;
/// Signals are sent before so many ticks.
const LAST: u64 = 90;

/// Bodies with quaternions in a chain: slow in every respect.
fn bodies(count: usize) -> String {
    let all = || 0..count;
    let list = |of: &dyn Fn(usize) -> String| all().map(of).collect::<Vec<String>>();
    let names = |i: usize| {
        ["x", "y", "z", "ea", "eb", "ec", "ed"]
            .map(|a| format!("\"{a}{i}\""))
            .join(", ")
    };
    let body = |i: usize| {
        format!(
            "[bodies.B{i}]\nmass = 1\nframe = \"F{i}\"\nposition = \"[x{i}, y{i}, z{i}]\"\n\
             inertia = {{ xx = 1, yy = 2, zz = \"5/2\", xy = \"1/10\" }}\n"
        )
    };
    let frame = |i: usize| {
        format!(
            "F{i} = {{ parent = \"N\", quaternion = [\"ea{i}\", \"eb{i}\", \"ec{i}\", \"ed{i}\"] }}"
        )
    };
    let joint = |i: usize| {
        let next = i + 1;
        format!("j{i} = \"pos(B{i}) + F{i}.x - pos(B{next}) + F{next}.x = 0\"")
    };
    let start = |i: usize| format!("\"x{i} = {}\", \"ea{i} = 1\"", 2 * i);
    format!(
        "title = \"Bodies\"\ncoordinates = [{}]\ngravity = \"-9*N.z\"\n[frames]\n{}\n{}[constraints]\n{}\n\
         [initial]\nstate = [{}]\n[simulate]\nuntil = 0.5\n",
        list(&names).join(", "),
        list(&frame).join("\n"),
        list(&body).concat(),
        list(&joint)[..count - 1].join("\n"),
        list(&start).join(", ")
    )
}

/// The design of a study of a sleigh, in parts of a thousand members.
fn designed(folder: &Path, name: &str, until: u32, members: u32) -> String {
    let path = inside(folder, name);
    let text = format!("until = {until}\nshard = 1000\n[grid]\n\"theta'\" = \"1:2:{members}\"\n");
    fs::write(&path, text).expect("the design");
    path
}

/// The commands, with the files that each may leave.
fn commands(folder: &Path) -> Vec<(Vec<String>, &'static [&'static str])> {
    let model = inside(folder, "bodies.toml");
    let chain = inside(folder, "chain.toml");
    fs::write(&model, bodies(3)).expect("the model");
    fs::write(&chain, bodies(8)).expect("the model");
    let members: String = (0..200_000)
        .map(|i| format!("{}\n", 1.0 + f64::from(i) * 1e-6))
        .collect();
    let members = format!("theta'\n{members}");
    let table = inside(folder, "members.csv");
    fs::write(&table, members).expect("the members");
    let state = inside(folder, "state.json");
    let rest = vec!["0"; 21].join(",");
    let q = (0..3)
        .map(|i| format!("{},0,0,1,0,0,0", 2 * i))
        .collect::<Vec<_>>()
        .join(",");
    let states = vec![format!("{{\"t\": 0, \"q\": [{q}], \"v\": [{rest}]}}"); 40].join(",\n");
    fs::write(&state, format!("[{states}]")).expect("the states");
    let [csv, columns, ends, page, tex] = [
        "motion.csv",
        "motion.json",
        "ends.csv",
        "page.html",
        "page.tex",
    ]
    .map(|name| inside(folder, name));
    let [sleigh, particle] = ["chaplygin-sleigh", "affine-particle"].map(zoo);
    let spring = inside(folder, "steady.toml");
    let steady = SPRING.replace("\"1/2*x^2\"", "\"k*x^2/2\"");
    let steady = steady.replace("x = 1", "x = 0");
    let steady = steady.replace("[energy]", "[parameters]\nk = 1\n[energy]");
    fs::write(&spring, steady).expect("the model");
    let [unit, study, done, svg, chart] =
        ["bodies.fmu", "study", "done", "chart.svg", "chart.html"].map(|name| inside(folder, name));
    let design = designed(folder, "design.toml", 100, 200_000);
    let short = designed(folder, "short.toml", 1, 50_000);
    assert_exit(
        &run(&["sweep", &sleigh, "--design", &short, "-o", &done, "--yes"]),
        0,
    );
    let rows: Vec<(Vec<&str>, &'static [&'static str])> = vec![
        (vec!["check", &model, "--json"], &[]),
        (vec!["derive", &model, "--form", "all", "--steps"], &[]),
        (vec!["eval", &model, "--states", &state, "--json"], &[]),
        (vec!["prove", &model, "--json"], &[]),
        (vec!["conserved", &model, "--json"], &[]),
        (
            vec![
                "run",
                &sleigh,
                "--until",
                "1e6",
                "--samples",
                "400000",
                "-o",
                &csv,
            ],
            &["motion.csv"],
        ),
        (
            vec![
                "run",
                &particle,
                "--until",
                "400",
                "--samples",
                "400000",
                "-o",
                &columns,
            ],
            &["motion.json"],
        ),
        (
            vec![
                "run",
                &sleigh,
                "--ensemble",
                &table,
                "--until",
                "100",
                "-o",
                &ends,
            ],
            &["ends.csv"],
        ),
        (
            vec!["report", &model, "-o", &page, "--tex", &tex],
            &["page.html", "page.tex"],
        ),
        (
            vec![
                "linearize",
                &spring,
                "-p",
                "k=1:10000:1.0001",
                "--crossings",
                "--json",
            ],
            &[],
        ),
        (vec!["cite", &model], &[]),
        (vec!["fmu", &chain, "-o", &unit], &["bodies.fmu"]),
        (
            vec!["sweep", &sleigh, "--design", &design, "-o", &study, "--yes"],
            &["study"],
        ),
        (
            vec![
                "chart",
                &done,
                "--x",
                "theta'(0)",
                "--y",
                "x",
                "--colour",
                "y",
                "-o",
                &svg,
                "-o",
                &chart,
            ],
            &["chart.svg", "chart.html"],
        ),
    ];
    let owned = |arguments: Vec<&str>| arguments.into_iter().map(str::to_owned).collect();
    rows.into_iter()
        .map(|(arguments, files)| (owned(arguments), files))
        .collect()
}

/// Ticks of processor time from a line of `/proc/PID/stat`: those of the process, or of its children.
fn ticks(process: &str, children: bool) -> Option<u64> {
    let stat = fs::read_to_string(Path::new("/proc").join(process).join("stat")).ok()?;
    let (_, numbers) = stat.rsplit_once(')')?;
    let fields = numbers
        .split_whitespace()
        .skip(if children { 13 } else { 11 })
        .take(2);
    fields.map(|ticks| ticks.parse::<u64>().ok()).sum()
}

fn has_ended(child: &Child) -> bool {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

/// Sends a signal when so many ticks have been used; the status, and the ticks used after it. `None` where
/// the program was done before.
fn interrupted(arguments: &[String], signal: &str, at: u64) -> (ExitStatus, Option<u64>, Vec<u8>) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let process = child.id().to_string();
    // Its output is read meanwhile, or it would wait for a reader.
    let mut stdout = child.stdout.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        std::io::Read::read_to_end(&mut stdout, &mut text).expect("a pipe");
        text
    });
    while !has_ended(&child) && ticks(&process, false).is_some_and(|used| used < at) {
        sleep(Duration::from_millis(2));
    }
    let sent = (!has_ended(&child)).then(|| {
        kill(&process, signal);
        ticks(&process, false).unwrap_or_default()
    });
    while !has_ended(&child) {
        sleep(Duration::from_millis(2));
    }
    // A process that has ended tells what it has used until it is waited for.
    let used = sent.map(|before| {
        ticks(&process, false)
            .unwrap_or(before)
            .saturating_sub(before)
    });
    let status = child.wait().expect("it has ended");
    (status, used, reader.join().expect("the reader"))
}

fn kill(process: &str, signal: &str) {
    let command = format!("kill -{signal} {process}");
    assert!(
        Command::new("sh")
            .args(["-c", &command])
            .status()
            .is_ok_and(|status| status.success())
    );
}

fn names_in(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<String> = files
        .map(|f| f.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// A study that was begun: its parts are read, and none is half written. It is removed.
fn assert_whole_study(study: &Path, what: &str) {
    let names = names_in(study);
    let whole = |name: &String| {
        name == "manifest.json" || name.starts_with("part-") && name.ends_with(".parquet")
    };
    assert!(names.iter().all(whole), "{what}: {names:?}");
    if names.iter().any(|name| name == "manifest.json") {
        let out = study.to_string_lossy();
        let status = run(&["sweep", &zoo("chaplygin-sleigh"), "-o", &out, "--status"]);
        assert_exit(&status, 0);
    }
    fs::remove_dir_all(study).expect("it can be removed");
}

/// Files are those of before, or whole.
fn assert_whole(folder: &Path, files: &[&str], before: &[String], what: &str) {
    // What is kept for the next call is read as far as it is whole.
    for kept in kept_members(folder) {
        fs::remove_file(kept).expect("it can be removed");
    }
    for name in names_in(folder) {
        assert!(
            before.contains(&name) || files.contains(&name.as_str()),
            "{what}: {name} is left behind"
        );
    }
    for name in files {
        if folder.join(name).is_dir() {
            assert_whole_study(&folder.join(name), what);
            continue;
        }
        let Ok(text) = fs::read(folder.join(name)) else {
            continue;
        };
        let text = String::from_utf8_lossy(&text);
        let cells = |line: &str| line.split(',').count();
        let kind = Path::new(name).extension().and_then(|e| e.to_str());
        let whole = match kind {
            // The directory of an archive is its end.
            Some("fmu") => text.contains("PK\u{5}\u{6}"),
            Some("csv") => {
                let width = text.lines().next().map_or(0, cells);
                text.ends_with('\n') && text.lines().all(|line| cells(line) == width)
            }
            Some("html" | "svg") => text
                .trim_end()
                .ends_with(&format!("</{}>", kind.unwrap_or_default())),
            _ => text.ends_with('\n'),
        };
        assert!(whole, "{what}: {name} is not whole");
        fs::remove_file(folder.join(name)).expect("it can be removed");
    }
}

#[test]
fn signals_end_every_command_and_leave_nothing_behind() {
    let folder = folder("signals");
    let commands = commands(&folder);
    let before = names_in(&folder);
    let instants = std::env::var("APPELL_INSTANTS")
        .ok()
        .and_then(|n| n.parse().ok());
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let (mut sent, mut slowest) = (0, 0);
    for (arguments, files) in &commands {
        for _ in 0..instants.unwrap_or(INSTANTS) {
            for (signal, code) in [("INT", 130), ("TERM", 143)] {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let at = 2 + (random >> 33) % LAST;
                let what = format!("{} {signal} at {at}", arguments[0]);
                let (status, used, text) = interrupted(arguments, signal, at);
                assert_whole(&folder, files, &before, &what);
                let Some(used) = used else {
                    assert!(
                        status.code().is_some_and(|code| code < 4),
                        "{what}: {status}"
                    );
                    continue;
                };
                // It may have been done at that moment.
                if status.code() != Some(code) {
                    assert!(
                        status.code().is_some_and(|code| code < 4) && used < 20,
                        "{what}: {status}, {used}"
                    );
                    continue;
                }
                assert!(used <= PROMISED, "{what}: {used} ticks");
                if arguments.iter().any(|a| a == "--json") && !text.is_empty() {
                    let _whole = json(&text);
                }
                (sent, slowest) = (sent + 1, slowest.max(used));
            }
        }
    }
    println!("{sent} signals, the slowest end took {slowest}0 ms");
    assert!(sent > commands.len() as u64, "{sent}");
}

#[test]
fn budgets_end_every_command_with_what_was_found() {
    let folder = folder("budgets");
    let commands = commands(&folder);
    let before = names_in(&folder);
    for (arguments, files) in &commands {
        // These may be done before; `check` has a larger model of its own below.
        if ["chart", "cite", "check", "eval", "fmu", "linearize"].contains(&arguments[0].as_str()) {
            continue;
        }
        for (option, value, words) in [
            ("--budget", "100ms", "the budget of 0.1 s is used up"),
            ("--memory", "1MB", "of memory is used up"),
        ] {
            let mut all: Vec<&str> = arguments.iter().map(String::as_str).collect();
            all.extend([option, value]);
            let output = run(&all);
            let what = format!("{} {option}", arguments[0]);
            assert_eq!(output.status.code(), Some(4), "{what}: {}", stderr(&output));
            assert!(
                stderr(&output).contains(words),
                "{what}: {}",
                stderr(&output)
            );
            assert_whole(&folder, files, &before, &what);
        }
    }
}

/// What was found is printed: of a check the freedoms, of a proof all claims as undecided.
#[test]
fn what_was_found_is_kept() {
    let folder = folder("kept");
    let model = inside(&folder, "bodies.toml");
    fs::write(&model, bodies(3)).expect("the model");
    let output = run(&["check", &model, "--json", "--budget", "1s"]);
    if output.status.code() == Some(4) && !output.stdout.is_empty() {
        let found = json(&output.stdout);
        assert_eq!(found["coordinates"], 21);
        assert!(
            found["why"]
                .to_string()
                .contains("the budget of time is used up"),
            "{found}"
        );
    }
    let output = run(&["conserved", &model, "--json", "--budget", "1s"]);
    assert_exit(&output, 4);
    let found = json(&output.stdout);
    assert!(
        found["ansatz"]
            .as_str()
            .is_some_and(|words| words.contains("the limit of time was reached")),
        "{found}"
    );
}

/// The lab is served until somebody ends it.
#[test]
fn signals_end_the_lab() {
    let page = inside(&folder("signals-lab"), "lab.html");
    fs::write(&page, "<p>The lab</p>").expect("a page");
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
            .args(["lab", "--no-open", "--lab", &page])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let mut address = [0; 1];
        let stdout = child.stdout.as_mut().expect("piped");
        std::io::Read::read_exact(stdout, &mut address).expect("the address");
        kill(&child.id().to_string(), signal);
        assert_eq!(child.wait().expect("it ends").code(), Some(code));
    }
}

/// A second signal does not wait for anything.
#[test]
fn the_second_signal_ends_at_once() {
    let folder = folder("second");
    let model = inside(&folder, "bodies.toml");
    fs::write(&model, bodies(3)).expect("the model");
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
            .args(["conserved", &model])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let process = child.id().to_string();
        while ticks(&process, false).is_some_and(|used| used < 30) {
            sleep(Duration::from_millis(2));
        }
        kill(&process, signal);
        sleep(Duration::from_millis(20));
        if !has_ended(&child) {
            kill(&process, "TERM");
        }
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(code));
    }
    assert_eq!(names_in(&folder), ["bodies.toml"]);
}

/// Compilers that have been started are ended too.
#[test]
fn compilers_are_ended_with_the_program() {
    let folder = folder("compiler");
    let (script, number) = (inside(&folder, "compiler"), inside(&folder, "number"));
    fs::write(&script, format!("echo $$ > {number}\nsleep 1000\n")).expect("the script");
    let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
        .args(["run", &zoo("chaplygin-sleigh"), "--backend", "cc"])
        .env("CC", format!("sh {script}"))
        .env("XDG_CACHE_HOME", &folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    let compiler = loop {
        match fs::read_to_string(&number) {
            Ok(text) if text.ends_with('\n') => break text.trim().to_owned(),
            _ => sleep(Duration::from_millis(2)),
        }
    };
    kill(&child.id().to_string(), "TERM");
    assert_eq!(child.wait().expect("it ends").code(), Some(143));
    let stat = || fs::read_to_string(format!("/proc/{compiler}/stat")).unwrap_or_default();
    while !(stat().is_empty() || stat().contains(") Z ")) {
        sleep(Duration::from_millis(2));
    }
    assert!(names_in(&folder.join("appell")).is_empty());
}
