//! Numbers from outside: whatever stands in a table or a list of states, a few lines say where it is wrong.

use crate::common::*;
use std::fs;
use std::process::Output;

fn refused(output: &Output, words: &str) {
    assert_exit(output, 2);
    let said = stderr(output);
    assert!(said.contains(words), "{}", &said[..said.len().min(2000)]);
    assert!(
        said.len() < 1000 && said.lines().count() <= 4,
        "{}",
        said.len()
    );
}

fn members(model: &str, table: &str) -> Output {
    run_with(
        &["run", model, "--ensemble", "-", "--memory", "300MB"],
        table,
    )
}

#[test]
fn tables_are_refused_by_row_and_column() {
    let folder = folder("tables-wrong");
    let model = inside(&folder, "spring.toml");
    fs::write(&model, SPRING).expect("the model");
    for (cell, words) in [
        ("nan", "`nan`"),
        ("-inf", "`-inf`"),
        ("1e400", "`1e400`"),
        ("", "``"),
        ("0x1", "`0x1`"),
    ] {
        let table = format!("x,x'\n1,0\n2,{cell}\nnan,nan\n");
        let place = format!("row 2, column `x'`: {words} is no finite number");
        refused(&members(&model, &table), &place);
    }
    refused(&members(&model, "x,x'\n1,2,3\n"), "row 1 has 3 numbers");
    // A cell of 50 MB, a line of as many numbers, a name of as many letters.
    let long = "7".repeat(50_000_000);
    refused(
        &members(&model, &format!("x,x'\n1,0\n{long},0\n")),
        "row 2 is longer than 1 MB",
    );
    let many = "1,".repeat(25_000_000);
    refused(
        &members(&model, &format!("x,x'\n{many}")),
        "row 1 is longer than 1 MB",
    );
    refused(&members(&model, &long), "is longer than 1 MB");
    let cell = "y".repeat(500_000);
    refused(
        &members(&model, &format!("x,x'\n{cell},0\n")),
        "... (500000 bytes)` is no finite number",
    );
    refused(&members(&model, &format!("{cell},x\n")), "is no coordinate");
}

#[test]
fn states_are_refused_by_number_and_place() {
    let folder = folder("states-wrong");
    let model = inside(&folder, "spring.toml");
    fs::write(&model, SPRING).expect("the model");
    let eval = |states: &str| {
        run_with(
            &["eval", &model, "--states", "-", "--memory", "700MB"],
            states,
        )
    };
    let good = r#"{"q": [1], "v": [0]}"#;
    for (state, words) in [
        (
            r#"{"q": [1], "v": ["nan"]}"#,
            "state 1: \"nan\" in \"v\"[0] is not a finite number",
        ),
        (
            r#"{"q": ["1e400"], "v": [0]}"#,
            "state 1: \"1e400\" in \"q\"[0] is not a finite number",
        ),
        (
            r#"{"t": null, "q": [1], "v": [0]}"#,
            "state 1: null in \"t\" is not a finite number",
        ),
        (
            r#"{"q": [1], "v": [NaN]}"#,
            "not JSON: expected value at line 1 column",
        ),
        (
            r#"{"q": [1, 2], "v": [0]}"#,
            "state 1: \"q\" has 2 numbers, 1 are needed",
        ),
    ] {
        refused(&eval(&format!("[{good}, {state}]")), words);
    }
    // 40 MB of numbers in one list, and a number of 40 MB.
    let many = "1,".repeat(10_000_000);
    refused(
        &eval(&format!("[{{\"q\": [{many}1], \"v\": [0]}}]")),
        "\"q\" has 10000001 numbers",
    );
    let long = format!("[{{\"q\": [\"{}\"], \"v\": [0]}}]", "z".repeat(5_000_000));
    refused(&eval(&long), "\"q\"[0]");
}
