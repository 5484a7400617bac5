//! `appell run --ensemble`.

mod common;

use common::{folder, run, stderr, stdout, zoo};
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
