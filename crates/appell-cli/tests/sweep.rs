//! `appell sweep` and `appell chart`.

mod exact;
mod reductions;

use crate::common::{self, SPRING, assert_exit, folder, inside, json, run, stderr, stdout};
use appell::studies::columns::{Column, Data};
use appell::studies::{Folder, table};
use std::f64::consts::PI;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A skate whose heading and mass differ.
const DESIGN: &str = "
until = 2
[grid]
m = \"0.5:2:9\"
\"theta'\" = [0, 0.5, 1, 2]
\"x'\" = \"0.1:1:5\"
[reduce]
far = { max = \"x^2 + y^2\" }
cut = { section = \"sin(theta) = 0.5\", of = [\"x\"] }
";

/// Its mass differs from member to member.
const SPRING_WITH_MASS: &str = "
coordinates = [\"x\"]
parameters = { m = 1 }
[energy]
kinetic = \"m*x'^2/2\"
potential = \"x^2/2\"
[initial]
state = [\"x = 1\"]
";

/// A study in a folder of its own.
struct Case {
    model: String,
    design: String,
    out: String,
}

impl Case {
    fn new(name: &str, model: &str, design: &str) -> Case {
        let folder = folder(name);
        let case = Case {
            model: inside(&folder, "model.toml"),
            design: inside(&folder, "design.toml"),
            out: inside(&folder, "study"),
        };
        fs::write(&case.model, model).expect("written");
        fs::write(&case.design, design).expect("written");
        case
    }

    fn skate(name: &str, head: &str) -> Case {
        Case::new(
            name,
            &common::zoo_text("chaplygin-sleigh"),
            &format!("{head}{DESIGN}"),
        )
    }

    fn arguments<'a>(&'a self, more: &[&'a str]) -> Vec<&'a str> {
        let common = [
            "sweep",
            &self.model,
            "--design",
            &self.design,
            "-o",
            &self.out,
        ];
        [&common, more].concat()
    }

    fn run(&self, more: &[&str]) -> Output {
        run(&self.arguments(more))
    }

    fn start(&self, more: &[&str]) -> Child {
        Command::new(env!("CARGO_BIN_EXE_appell"))
            .args(self.arguments(more))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts")
    }

    fn table(&self) -> Vec<Column> {
        table(&Folder::new(Path::new(&self.out))).expect("a whole study")
    }

    fn parts(&self) -> usize {
        let names = fs::read_dir(&self.out).into_iter().flatten().flatten();
        let names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.starts_with("part-")).count()
    }
}

/// Tables to the last bit: NaN equals itself.
fn bits(table: &[Column]) -> Vec<(String, Vec<String>)> {
    let entries = |data: &Data| match data {
        Data::Whole(entries) => entries.iter().map(i64::to_string).collect(),
        Data::Numbers(entries) => entries
            .iter()
            .map(|x| format!("{:x}", x.to_bits()))
            .collect(),
        Data::Words { words, codes } => codes.iter().map(|c| words[*c as usize].clone()).collect(),
    };
    let columns = table
        .iter()
        .map(|column| (column.name.clone(), entries(&column.data)));
    columns.collect()
}

fn numbers(table: &[Column], name: &str) -> Vec<f64> {
    match table
        .iter()
        .find(|column| column.name == name)
        .map(|column| &column.data)
    {
        Some(Data::Numbers(numbers)) => numbers.clone(),
        other => panic!("{name}: {other:?}"),
    }
}

/// The table of an undisturbed run.
fn undisturbed(name: &str) -> Vec<(String, Vec<String>)> {
    let case = Case::skate(name, "shard = 180");
    assert_exit(&case.run(&["--threads", "1"]), 0);
    bits(&case.table())
}

#[test]
fn shards_workers_and_threads_leave_the_numbers_alone() {
    let alone = undisturbed("sweep-alone");
    assert_eq!(alone[0].1.len(), 180);
    for shard in [11, 22] {
        let case = Case::skate(&format!("sweep-shard-{shard}"), &format!("shard = {shard}"));
        for share in ["2/3", "0/3", "1/3"] {
            assert_exit(&case.run(&["--shard", share, "--threads", "2"]), 0);
        }
        assert_eq!(bits(&case.table()), alone, "{shard}");
    }
}

#[test]
fn what_is_killed_at_random_instants_goes_on_without_a_trace() {
    let alone = undisturbed("sweep-undisturbed");
    let case = Case::skate("sweep-killed", "shard = 1");
    let mut noise = 0x9e37_79b9_u64;
    for _ in 0..20 {
        let before = case.parts();
        let mut child = case.start(&["--threads", "1"]);
        noise = noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let wanted = before + 1 + (noise >> 62) as usize;
        while case.parts() < wanted && child.try_wait().expect("a child").is_none() {}
        (0..noise >> 48).for_each(|i| {
            std::hint::black_box(i);
        });
        // It may have ended by itself.
        let _ = child.kill();
        child.wait().expect("a child");
    }
    assert!(case.parts() < 180, "no kill came in time");
    assert_exit(&case.run(&[]), 0);
    assert_eq!(bits(&case.table()), alone);
    let drafts = fs::read_dir(&case.out).expect("a folder").flatten();
    let mut names = drafts.map(|entry| entry.file_name().to_string_lossy().into_owned());
    assert!(!names.any(|name| name.ends_with(".draft")));
}

#[test]
fn two_workers_at_once_do_no_harm() {
    let alone = undisturbed("sweep-one-worker");
    let case = Case::skate("sweep-two-workers", "shard = 9");
    let mut workers = [case.start(&[]), case.start(&[])];
    for worker in &mut workers {
        assert!(worker.wait().expect("a child").success());
    }
    assert_eq!(bits(&case.table()), alone);
}

#[test]
fn a_part_that_was_changed_is_found() {
    let case = Case::skate("sweep-tampered", "shard = 60");
    assert_exit(&case.run(&[]), 0);
    let part = inside(Path::new(&case.out), "part-00001.parquet");
    let good = fs::read(&part).expect("a part");
    let section = inside(Path::new(&case.out), "section-cut-00001.parquet");
    for (file, place) in [(&part, good.len() / 3), (&part, 200), (&section, 10)] {
        let whole = fs::read(file).expect("a file");
        let mut bytes = whole.clone();
        bytes[place] ^= 0x04;
        fs::write(file, &bytes).expect("written");
        for more in [&[][..], &["--status"]] {
            let done = case.run(more);
            assert_exit(&done, 2);
            assert!(
                stderr(&done).contains("00001.parquet") && stderr(&done).contains("remove"),
                "{}",
                stderr(&done)
            );
        }
        fs::write(file, whole).expect("written");
    }
    fs::write(&part, &good[..good.len() / 2]).expect("written");
    assert_exit(&case.run(&[]), 2);
    fs::remove_file(&part).expect("removed");
    assert_exit(&case.run(&[]), 0);
    assert_eq!(fs::read(&part).expect("a part"), good);
}

/// A whole part in the place of another, and one of a study of another seed, are none of this study.
#[test]
fn parts_of_others_are_told() {
    let design = |seed: u32| {
        let between = "[sample.between]\nm = [1, 2]\n";
        format!("until = 1\nshard = 4\n[sample]\ncount = 8\nseed = {seed}\n{between}")
    };
    let cases = [3, 4].map(|seed| {
        let case = Case::new(
            &format!("sweep-parts-{seed}"),
            SPRING_WITH_MASS,
            &design(seed),
        );
        assert_exit(&case.run(&[]), 0);
        case
    });
    let part = |case: &Case, number: u32| {
        inside(Path::new(&case.out), &format!("part-0000{number}.parquet"))
    };
    let own = part(&cases[0], 1);
    for other in [part(&cases[0], 0), part(&cases[1], 1)] {
        fs::copy(other, &own).expect("copied");
        for more in [&[][..], &["--status"]] {
            let done = cases[0].run(more);
            assert_exit(&done, 2);
            assert!(
                stderr(&done).contains("it is another part"),
                "{}",
                stderr(&done)
            );
        }
    }
    fs::remove_file(&own).expect("removed");
    assert_exit(&cases[0].run(&[]), 0);
}

#[test]
fn a_folder_of_another_study_is_refused() {
    let case = Case::skate("sweep-other", "shard = 90");
    assert_exit(&case.run(&[]), 0);
    let refused = |what: &str| {
        let done = case.run(&[]);
        assert_exit(&done, 2);
        assert!(stderr(&done).contains(what), "{}", stderr(&done));
    };
    let keep = |path: &str, from: &str, to: &str, what: &str| {
        let text = fs::read_to_string(path).expect("a text");
        assert!(text.contains(from), "{text}");
        fs::write(path, text.replace(from, to)).expect("written");
        refused(what);
        fs::write(path, text).expect("written");
    };
    keep(&case.model, "value = 0.4", "value = 0.5", "another model");
    keep(&case.design, "until = 2", "until = 3", "another design");
    keep(&case.design, "shard = 90", "shard = 91", "another design");
    let manifest = inside(Path::new(&case.out), "manifest.json");
    keep(
        &manifest,
        "\"version\": \"",
        "\"version\": \"9.",
        "begun by Appell 9.",
    );
    keep(&manifest, "{", "[", "no manifest");
    assert_exit(&case.run(&["--exact"]), 2);
    // A design that is laid out in another way is the same.
    let text = fs::read_to_string(&case.design).expect("a text");
    fs::write(
        &case.design,
        format!(
            "# again\n{}",
            text.replace("\"0.5:2:9\"", "\"0.5 : 2.0 : 9\"")
        ),
    )
    .expect("written");
    assert_exit(&case.run(&[]), 0);
}

#[test]
fn drafts_that_nobody_writes_are_swept() {
    let case = Case::skate("sweep-drafts", "shard = 90");
    fs::create_dir_all(&case.out).expect("a folder");
    let draft = |name: &str| Path::new(&case.out).join(format!(".part-00000.parquet.{name}.draft"));
    fs::write(draft("stale"), "half").expect("written");
    let held = File::create(draft("held")).expect("a file");
    held.lock().expect("a lock");
    assert_exit(&case.run(&[]), 0);
    assert!(!draft("stale").exists() && draft("held").exists());
}

#[test]
fn wrong_designs_are_told_with_place_and_remedy() {
    let cases = [
        ("[grid]\nmm = [1]", "E0102", "did you mean `m`?"),
        (
            "[grid]\n\"tetha'\" = [1]",
            "E0102",
            "did you mean `theta'`?",
        ),
        (
            "shrad = 1\n[grid]\nm = [1]",
            "E0008",
            "did you mean `shard`?",
        ),
        ("[grid]\nm = \"1:2\"", "E0012", "FROM:TO:COUNT"),
        ("[grid]\nm = \"1:2:0\"", "E0012", "COUNT is at least 1"),
        ("[grid]\nm = []", "E0012", "give at least one"),
        (
            "[grid]\nm = [1]\n[reduce]\n\"../cut\" = { section = \"x = 0\" }",
            "E0205",
            "it names a file",
        ),
        ("[grid]\nm = [nan]", "E0010", "a list of finite numbers"),
        ("[grid]", "E0009", "name what differs"),
        ("until = 2", "E0009", "[grid], [sample] and table"),
        (
            "[grid]\nm = [1]\n[sample]\ncount = 1\nbetween = { m = [1, 2] }",
            "E0009",
            "more than once",
        ),
        (
            "[sample]\ncount = 0\nbetween = { m = [1, 2] }",
            "E0012",
            "no members",
        ),
        (
            "[sample]\ncount = 5\nmethod = \"sobel\"\nbetween = { m = [1, 2] }",
            "E0013",
            "did you mean `sobol`?",
        ),
        (
            "[sample]\ncount = 5\nbetween = { m = [1, 2] }\nnormal = { m = [1, 2] }",
            "E0202",
            "given twice",
        ),
        (
            "[grid]\nm = \"0:1:9999999999\"\na = \"0:1:9999999999\"",
            "E0014",
            "can be counted",
        ),
        (
            "[grid]\nm = [1]\n[reduce]\nh = { mx = \"x\" }",
            "E0008",
            "did you mean `max`?",
        ),
        (
            "[grid]\nm = [1]\n[reduce]\nh = { max = \"tetha\" }",
            "E0101",
            "tetha",
        ),
        (
            "[grid]\nm = [1]\n[reduce]\nh = { event = \"x\" }",
            "E0111",
            "no condition",
        ),
        (
            "[grid]\nm = [1]\n[reduce]\nh = { section = \"x > 0\" }",
            "E0111",
            "no equation",
        ),
        ("table = \"none.csv\"", "E0012", "none.csv"),
        ("[grid]\nm = [1]\nuntil = 2\nuntil = 3", "E0001", "design"),
        (
            "stop = [\"x ? 0\"]\n[grid]\nm = [1]",
            "E0111",
            "no condition",
        ),
    ];
    let case = Case::skate("sweep-wrong", "");
    for (design, code, words) in cases {
        fs::write(&case.design, design).expect("written");
        let done = case.run(&["--json"]);
        assert_exit(&done, 2);
        let said = stderr(&done);
        assert!(
            said.contains(code) && said.contains(words),
            "{design}\n{said}"
        );
        assert_eq!(json(&done.stdout)["error"][0]["code"], code, "{design}");
    }
    fs::write(&case.design, "[grid]\nm = \"1:2:100000000\"").expect("written");
    let done = case.run(&[]);
    assert_exit(&done, 2);
    assert!(stderr(&done).contains("100000000 members") && stderr(&done).contains("--yes"));
    assert!(!Path::new(&case.out).exists(), "nothing is begun");
}

/// `x = cos t` from `x(0) = 1`, in closed form.
#[test]
fn reductions_of_a_spring_are_those_of_a_cosine() {
    let design = "
until = 10
[grid]
x = [1, 2]
[reduce]
highest = { max = \"x\" }
lowest = { min = \"x\" }
area = { integral = \"x\" }
mean = { mean = \"x^2\" }
final = { final = \"x'\" }
falls = { event = \"x < 0\", of = [\"x'\"] }
never = { event = \"x > 3\" }
at_once = { event = \"x > 0\" }
fate = { classes = { left = \"x < -1\", right = \"x > 0\" } }
zeros = { section = \"x = 0\", direction = \"+\", of = [\"x'\"], most = 5 }
";
    let case = Case::new("sweep-spring", SPRING, design);
    assert_exit(&case.run(&[]), 0);
    let table = case.table();
    let close = |name: &str, expected: [f64; 2]| {
        let found = numbers(&table, name);
        let near = found
            .iter()
            .zip(expected)
            .all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(near, "{name}: {found:?}, not {expected:?}");
    };
    let square = 0.5 + (20.0_f64).sin() / 40.0;
    close("x(0)", [1.0, 2.0]);
    close("highest", [1.0, 2.0]);
    close("lowest", [-1.0, -2.0]);
    close("area", [10_f64.sin(), 2.0 * 10_f64.sin()]);
    close("mean", [square, 4.0 * square]);
    close("final", [-10_f64.sin(), -2.0 * 10_f64.sin()]);
    close("falls", [PI / 2.0; 2]);
    close("falls.x'", [-1.0, -2.0]);
    close("at_once", [0.0; 2]);
    close("energy_defect", [0.0; 2]);
    assert!(numbers(&table, "never").iter().all(|t| t.is_nan()));
    let fate = bits(&table)
        .into_iter()
        .find(|(name, _)| name == "fate")
        .expect("a column");
    assert_eq!(fate.1, ["none", "left"]);
    let path = Path::new(&case.out).join("section-zeros-00000.parquet");
    let (section, _) = appell::studies::columns::read(&path).expect("a section");
    assert_eq!(bits(&section)[0].1, ["0", "1"]);
    assert!(
        numbers(&section, "t")
            .iter()
            .all(|t| (t - 1.5 * PI).abs() < 1e-9)
    );
    assert!(
        (numbers(&section, "x'")[1] - 2.0).abs() < 1e-9,
        "{:?}",
        numbers(&section, "x'")
    );
}

/// What falls into a singular place is begun anew by itself, after the lanes have reported the way there: each crossing is
/// there once.
#[test]
fn what_is_run_anew_is_looked_at_once() {
    let model = "
coordinates = [\"x\"]
[energy]
kinetic = \"1/2*x'^2\"
potential = \"-sqrt(x)\"
[initial]
state = [\"x = 1\", \"x' = -3\"]
[simulate]
until = 2
";
    let design = "
[grid]
x = [1, 1.1]
[reduce]
way = { section = \"x = 0.7\" }
last = { final = \"t\" }
";
    let case = Case::new("sweep-anew", model, design);
    assert_exit(&case.run(&[]), 0);
    let table = case.table();
    let words = bits(&table).into_iter().find(|(name, _)| name == "status");
    let words = words.expect("a column").1;
    assert!(
        words
            .iter()
            .all(|word| word == "error" || word == "underflow"),
        "{words:?}"
    );
    assert_eq!(numbers(&table, "t"), numbers(&table, "last"));
    let path = Path::new(&case.out).join("section-way-00000.parquet");
    let (section, _) = appell::studies::columns::read(&path).expect("a section");
    assert_eq!(bits(&section)[0].1, ["0", "1"]);
}

/// Also by a second call, which computes nothing.
#[test]
fn starts_that_were_moved_are_told() {
    let model = "
coordinates = [\"x\", \"y\"]
[energy]
kinetic = \"(x'^2 + y'^2)/2\"
[constraints]
c = \"y' = 0\"
[initial]
state = [\"x' = 1\"]
inconsistent = \"project\"
[simulate]
until = 1
";
    let case = Case::new("sweep-moved", model, "[grid]\n\"y'\" = [0, 1, 2]\n");
    for _ in 0..2 {
        let done = case.run(&[]);
        assert_exit(&done, 0);
        let said = stdout(&done) + &stderr(&done);
        assert!(
            said.contains("2 of them were moved on to the constraints"),
            "{said}"
        );
    }
}

#[test]
fn samples_are_rows_and_stops_of_the_design_count() {
    let design = "samples = 5\nuntil = 2\nstop = [\"x < 0\"]\n[grid]\nx = [1]\n[reduce]\nlast = { final = \"t\" }\n";
    let case = Case::new("sweep-samples", SPRING, design);
    assert_exit(&case.run(&[]), 0);
    let table = case.table();
    assert_eq!(numbers(&table, "t"), [0.0, 0.5, 1.0, 1.5, 2.0]);
    let x = numbers(&table, "x");
    assert!((0..4).all(|k| (x[k] - (0.5 * k as f64).cos()).abs() < 1e-9) && x[4].is_nan());
    assert!((numbers(&table, "last")[0] - PI / 2.0).abs() < 1e-9);
    let words = bits(&table)
        .into_iter()
        .find(|(name, _)| name == "status")
        .expect("a column");
    assert!(words.1.iter().all(|word| word == "stopped"));
}

/// The rows of a table are the members of the grid with the same values.
#[test]
fn a_table_is_a_grid_written_out() {
    let grid = Case::new(
        "sweep-grid",
        SPRING,
        "[grid]\nx = [1, 2]\n\"x'\" = [0, 3]\n",
    );
    let rows = Case::new("sweep-table", SPRING, "table = \"members.csv\"\n");
    let folder = Path::new(&rows.design).parent().expect("a folder");
    fs::write(folder.join("members.csv"), "x,x'\n1,0\n1,3\n2,0\n2,3\n").expect("written");
    for case in [&grid, &rows] {
        assert_exit(&case.run(&[]), 0);
    }
    assert_eq!(bits(&grid.table()), bits(&rows.table()));
    // Another table is another design.
    fs::write(folder.join("members.csv"), "x,x'\n1,0\n1,3\n2,0\n2,4\n").expect("written");
    assert_exit(&rows.run(&[]), 2);
}

#[test]
fn members_are_those_of_a_plain_ensemble() {
    let case = Case::skate("sweep-ensemble", "shard = 50");
    assert_exit(&case.run(&[]), 0);
    let table = case.table();
    let [m, theta, x] = ["m", "theta'(0)", "x'(0)"].map(|name| numbers(&table, name));
    let lines = (0..m.len()).map(|i| format!("{:?},{:?},{:?}\n", m[i], theta[i], x[i]));
    let folder = Path::new(&case.design).parent().expect("a folder");
    let (members, ends) = (inside(folder, "members.csv"), inside(folder, "ends.csv"));
    fs::write(
        &members,
        format!("m,theta',x'\n{}", lines.collect::<String>()),
    )
    .expect("written");
    let done = run(&[
        "run",
        &case.model,
        "--until",
        "2",
        "--ensemble",
        &members,
        "-o",
        &ends,
    ]);
    assert_exit(&done, 0);
    // Looks do not change the steps.
    let ends = fs::read_to_string(&ends).expect("a table");
    let names = ["x", "y", "theta", "x'", "y'", "theta'"].map(|name| numbers(&table, name));
    for (member, line) in ends.lines().skip(1).enumerate() {
        let values: Vec<String> = names
            .iter()
            .map(|column| format!("{:?}", column[member]))
            .collect();
        assert!(line.ends_with(&values.join(",")), "{line}: {values:?}");
    }
}

#[test]
fn the_status_is_one_object() {
    let case = Case::skate("sweep-status", "shard = 50");
    let done = case.run(&["--status"]);
    assert_exit(&done, 2);
    assert!(stderr(&done).contains("no study"));
    assert_exit(&case.run(&["--shard", "1/2"]), 0);
    let done = run(&["sweep", &case.model, "-o", &case.out, "--status", "--json"]);
    assert_exit(&done, 0);
    let expected = "{\"members\":180,\"done\":80,\"parts\":4,\"parts_done\":2}\n";
    assert_eq!(stdout(&done), expected);
    assert_eq!(stdout(&case.run(&["--shard", "1/2", "--json"])), expected);
    for wrong in ["2/2", "x", "1"] {
        assert_exit(&case.run(&["--shard", wrong]), 2);
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_a_sentence_and_what_is_done_is_kept() {
    let case = Case::skate("sweep-full", "shard = 90");
    assert_exit(&case.run(&["--shard", "0/2"]), 0);
    let words: Vec<String> = case
        .arguments(&[])
        .iter()
        .map(|word| format!("'{word}'"))
        .collect();
    let program = env!("CARGO_BIN_EXE_appell");
    // No file beyond 512 bytes, as with a quota.
    let script = format!("ulimit -f 1; exec {program} {}", words.join(" "));
    let done = Command::new("sh")
        .args(["-c", &script])
        .output()
        .expect("a shell");
    assert_exit(&done, 2);
    assert!(
        stderr(&done).contains("cannot be written"),
        "{}",
        stderr(&done)
    );
    assert_eq!(case.parts(), 1);
    assert_exit(&case.run(&[]), 0);
    assert_eq!(case.parts(), 2);
}

#[test]
fn charts_are_drawn_of_numbers_and_of_words() {
    let case = Case::skate("sweep-chart", "shard = 50");
    let done = case.run(&["-q"]);
    assert_exit(&done, 0);
    assert_eq!(stderr(&done), "");
    let folder = Path::new(&case.design).parent().expect("a folder");
    let [svg, png, html] = ["far.svg", "far.png", "far.html"].map(|name| inside(folder, name));
    let chart = |colour: &str, x: &str| {
        let arguments = [
            "chart",
            &case.out,
            "--x",
            x,
            "--y",
            "theta'(0)",
            "--colour",
            colour,
        ];
        run(&[&arguments[..], &["-o", &svg, "-o", &png, "-o", &html]].concat())
    };
    let done = chart("far", "m");
    assert_exit(&done, 0);
    // The study differs in `x'`, too: 36 cells of five members.
    let said = stderr(&done);
    assert!(said.contains("36 cells have several members"), "{said}");
    let text = fs::read_to_string(&svg).expect("a picture");
    assert!(
        text.contains(">m in kg<") && text.contains(">θ&#39;(0)<"),
        "{text}"
    );
    assert!(fs::read(&png).expect("a picture").starts_with(b"\x89PNG"));
    let page = fs::read_to_string(&html).expect("a page");
    assert!(
        page.contains("default-src 'none'") && page.contains("\"member 0"),
        "{page}"
    );
    assert_exit(&chart("status", "m"), 0);
    let text = fs::read_to_string(&svg).expect("a picture");
    assert!(text.contains(">finished<"), "{text}");
    let done = chart("fra", "m");
    assert_exit(&done, 2);
    assert!(
        stderr(&done).contains("did you mean `far`?"),
        "{}",
        stderr(&done)
    );
    assert_exit(&chart("far", "status"), 2);
}
