//! `appell run --ensemble`.

use crate::common::{assert_exit, folder, inside, kept_members, run, stderr, stdout, zoo};
use serde_json::Value;
use std::fs;

#[test]
fn a_table_of_members_becomes_a_table_of_ends() {
    let folder = folder("ensemble-ends");
    let members = folder.join("members.csv");
    fs::write(&members, "x1,m1\n1,1\n2,1.5\n3,-1\n").expect("written");
    let (csv, json) = (folder.join("ends.csv"), folder.join("ends.json"));
    let path = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
    let (members, csv, json) = (path(&members), path(&csv), path(&json));
    let model = zoo("perpendicular");
    let arguments = [
        "run",
        &model,
        "--ensemble",
        &members,
        "-o",
        &csv,
        "-o",
        &json,
    ];
    let done = run(&[&arguments[..], &["--threads", "2", "--json"]].concat());
    let said = stderr(&done);
    let table = fs::read_to_string(&csv).expect("a file");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(
        lines[0], "member,t,status,x1,y1,x2,y2,x1',y1',x2',y2'",
        "{said}"
    );
    assert!(
        lines.len() == 4 && lines[1].starts_with("1,10.0,finished,"),
        "{table}"
    );
    let columns: Value =
        serde_json::from_str(&fs::read_to_string(&json).expect("a file")).expect("JSON");
    assert_eq!(columns["member"], serde_json::json!([1, 2, 3]));
    // A coordinate that nothing depends on moves the motion along.
    let first = columns["x1"][0].as_f64().expect("a number");
    assert!(lines[1].contains(&format!("{first:?}")), "{table}");
    let summary: Value = serde_json::from_str(&stdout(&done)).expect("JSON");
    assert_eq!(summary["members"], 3);
    assert_eq!(
        done.status.code(),
        Some(if lines[3].contains("finished") { 0 } else { 3 })
    );
}

#[test]
fn samples_are_in_long_form_and_wrong_tables_are_usage_errors() {
    let folder = folder("ensemble-samples");
    let members = folder.join("members.csv");
    let csv = folder.join("samples.csv");
    let (members, csv) = (
        members.to_str().expect("UTF-8"),
        csv.to_str().expect("UTF-8"),
    );
    let model = zoo("perpendicular");
    fs::write(members, "x1\n1\n2\n").expect("written");
    let done = run(&[
        "run",
        &model,
        "--ensemble",
        members,
        "--samples",
        "3",
        "-o",
        csv,
    ]);
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    let table = fs::read_to_string(csv).expect("a file");
    let times: Vec<&str> = table
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(1).expect("t"))
        .collect();
    assert_eq!(times, ["0.0", "5.0", "10.0", "0.0", "5.0", "10.0"]);
    fs::write(members, "x1,w\n1,2\n").expect("written");
    let done = run(&["run", &model, "--ensemble", members]);
    assert_eq!(done.status.code(), Some(2));
    assert!(
        stderr(&done).contains("`w` is no coordinate"),
        "{}",
        stderr(&done)
    );
}

/// Members that were finished are not computed again, whatever ended the first call; the file is the same to the
/// last bit. Other inputs begin anew.
#[cfg(unix)]
#[test]
fn an_ensemble_that_was_killed_goes_on() {
    use std::process::{Command, Stdio};
    let folder = folder("ensemble-killed");
    let count = 6_000;
    let rows: String = (0..count)
        .map(|i| format!("{}\n", 1.0 + f64::from(i) * 1e-5))
        .collect();
    let (table, ends) = (inside(&folder, "table.csv"), inside(&folder, "ends.csv"));
    let journals = || kept_members(&folder);
    fs::write(&table, format!("theta'\n{rows}")).expect("the members");
    let model = zoo("chaplygin-sleigh");
    let arguments = |until: &'static str| {
        let how = ["--backend", "interp", "--until", until, "-o", &ends];
        [&["run", &model, "--ensemble", &table][..], &how].concat()
    };
    assert_exit(&run(&arguments("5")), 0);
    assert_eq!(journals().len(), 0);
    let whole = fs::read(&ends).expect("a file");
    let (mut kills, mut last) = (0, 0);
    loop {
        fs::remove_file(&ends).expect("it is there");
        let mut child = Command::new(env!("CARGO_BIN_EXE_appell"))
            .args(arguments("5"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        // It is killed as soon as it knows more than before, three times.
        let size = || {
            let sizes = journals()
                .into_iter()
                .map(|path| fs::metadata(path).map_or(0, |about| about.len()));
            sizes.sum::<u64>()
        };
        while kills < 3 && size() <= last && child.try_wait().expect("a child").is_none() {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        if kills == 3 || child.try_wait().expect("a child").is_some() {
            assert!(child.wait().expect("it ends").success());
            break;
        }
        child.kill().expect("it can be killed");
        child.wait().expect("it has ended");
        assert!(!ends.is_empty() && !std::path::Path::new(&ends).exists());
        let known = size();
        assert!(known > last, "{known} {last}");
        (kills, last) = (kills + 1, known);
        // A call with other inputs leaves what is known alone.
        let other = run(&arguments("0.1"));
        assert_exit(&other, 0);
        assert!(!stderr(&other).contains("are known"), "{}", stderr(&other));
        assert_eq!((journals().len(), size()), (1, known));
    }
    assert!(kills > 0, "it was never killed");
    assert_eq!(fs::read(&ends).expect("a file"), whole);
    assert_eq!(journals().len(), 0);
}

/// A coordinate or a parameter may be called as a column.
#[test]
fn columns_of_one_name_are_told_apart() {
    let folder = folder("ensemble-names");
    let text = "coordinates = [\"member\", \"status\"]\nparameters = { E = 2 }\n[energy]\n\
                kinetic = \"(member'^2 + status'^2)/2\"\npotential = \"E*member^2/2\"\n[simulate]\nuntil = 1\n";
    let path = |name: &str| folder.join(name).to_str().expect("UTF-8").to_owned();
    let (model, members, ends, table) = (
        path("m.toml"),
        path("in.csv"),
        path("ends.csv"),
        path("t.csv"),
    );
    fs::write(&model, text).expect("written");
    fs::write(&members, "member,status\n0.5,1\n").expect("written");
    assert_exit(
        &run(&["run", &model, "--ensemble", &members, "-o", &ends]),
        0,
    );
    let ends = fs::read_to_string(&ends).expect("a file");
    let head =
        "member (of the ensemble),t,status (of the ensemble),member,status,member',status'\n";
    assert!(ends.starts_with(head), "{ends}");
    assert_exit(&run(&["run", &model, "-p", "E=1,2", "-o", &table]), 0);
    let table = fs::read_to_string(&table).expect("a file");
    let head = table.lines().next().expect("a line").to_owned();
    assert!(
        head.starts_with("E (parameter),t,") && head.ends_with(",E"),
        "{head}"
    );
}
