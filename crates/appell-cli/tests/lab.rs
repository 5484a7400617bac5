//! `appell lab`: one page, for this machine only.

use crate::common::*;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// A lab that is served until this is dropped, and its address.
struct Served(Child, String);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn served(arguments: &[&str]) -> Served {
    let mut command = Command::new(env!("CARGO_BIN_EXE_appell"));
    command.args(["lab", "--no-open"]).args(arguments);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut line = String::new();
    let out = child.stdout.take().expect("it is piped");
    BufReader::new(out)
        .read_line(&mut line)
        .expect("an address");
    Served(child, line.trim().to_owned())
}

fn asked(served: &Served, path: &str) -> String {
    let host = served.1.trim_start_matches("http://").trim_end_matches('/');
    let mut stream = TcpStream::connect(host).expect("it listens");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n").expect("a request");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

#[test]
fn the_lab_is_served_with_a_model() {
    let folder = folder("lab");
    let [page, model] = ["page.html", "m.toml"].map(|name| inside(&folder, name));
    std::fs::write(&page, "<p>The lab</p>").expect("a page");
    std::fs::write(&model, "coordinates = [\"x\"]\n").expect("a model");
    let lab = served(&["--lab", &page, &model]);
    assert!(lab.1.starts_with("http://127.0.0.1:"), "{}", lab.1);
    let first = asked(&lab, "/");
    assert!(first.contains("Location: /lab.html#1,"), "{first}");
    assert!(asked(&lab, "/lab.html").ends_with("<p>The lab</p>"));
    assert!(asked(&lab, "/m.toml").starts_with("HTTP/1.1 404"));
    // A reload shows the file as it is then.
    std::fs::write(&model, "coordinates = [\"y\"]\n").expect("a model");
    let place = |answer: &str| {
        let mut lines = answer.lines();
        lines
            .find(|line| line.starts_with("Location"))
            .map(str::to_owned)
    };
    assert_ne!(place(&asked(&lab, "/")), place(&first));
}

#[test]
fn what_is_missing_is_said() {
    let answer = run(&["lab", "--no-open", "--lab", "nowhere.html"]);
    assert_exit(&answer, 2);
    assert!(stderr(&answer).contains("nowhere.html"));
}

#[test]
#[cfg(unix)]
fn a_device_is_no_lab() {
    let answer = run(&["lab", "--no-open", "--lab", "/dev/zero"]);
    assert_exit(&answer, 2);
    assert!(stderr(&answer).contains("it is longer than 64 MiB"));
}
