//! `appell lab`: the lab in a browser, served to this machine alone.

use super::Exit;
use crate::args::Lab;
use crate::input;
use crate::problem::Problem;
use crate::terminal::{print, tell};
use appell::limits::stopped;
use appell::show;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Where the lab may lie, seen from the program: beside it, where packages put it, where `cargo xtask lab` does.
const PLACES: [&str; 3] = [
    "lab.html",
    "../share/appell/lab.html",
    "../wasm32-unknown-unknown/web/lab.html",
];
/// The lab has some 4 MB.
const PAGE_BYTES: u64 = 64 << 20;
/// A request is no longer than this, and comes within this time.
const REQUEST_BYTES: usize = 16 << 10;
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it looks whether it is to end.
const LOOK: Duration = Duration::from_millis(20);
/// The address of the lab itself; the first letters of what stands behind it for a model.
const LAB: &str = "/lab.html";
const MODEL: &str = "#1,";

/// What is served: one page, and one model.
struct Served {
    page: Vec<u8>,
    model: Option<Model>,
    port: u16,
}

/// A file is read again whenever the address is opened.
enum Model {
    File(PathBuf),
    Text(String),
}

impl Model {
    fn new(path: &Path) -> Result<Self, Problem> {
        let text = input::text_of(path)?;
        Ok(match path.as_os_str() == "-" {
            true => Self::Text(text),
            false => Self::File(path.to_owned()),
        })
    }

    /// Where the lab shows it.
    fn address(&self) -> Result<String, Problem> {
        let text = match self {
            Self::File(path) => input::text_of(path)?,
            Self::Text(text) => text.clone(),
        };
        let shared = show::json_line(&BTreeMap::from([("text", text)]));
        Ok(format!("{LAB}{MODEL}{}", appell::packed(&shared)))
    }
}

/// Serves the lab until it is ended.
pub fn lab(args: &Lab) -> Result<Exit, Problem> {
    let page = page(args.lab.as_deref())?;
    let model = args.model.as_deref().map(Model::new).transpose()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)).map_err(|error| {
        let problem = Problem::new(format!("cannot listen on port {}: {error}", args.port));
        problem.note("give another with --port, or none: a free one is taken then")
    })?;
    let port = listener
        .local_addr()
        .map_err(|error| Problem::new(error.to_string()))?
        .port();
    let address = format!("http://127.0.0.1:{port}/");
    print(&format!("{address}\n"))?;
    if !args.no_open && !opened(&address) {
        tell("no browser could be started: open this address in one\n");
    }
    let served = Arc::new(Served { page, model, port });
    let listening = thread::Builder::new().spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let served = Arc::clone(&served);
            // Who went away needs no answer, nor can a system without a thread give one.
            let answer = move || drop(serve(&served, stream));
            drop(thread::Builder::new().spawn(answer));
        }
    });
    drop(listening.map_err(|error| Problem::new(format!("the lab cannot be served: {error}")))?);
    loop {
        thread::sleep(LOOK);
        if let Some(why) = stopped() {
            return Err(Problem::Stopped(why));
        }
    }
}

/// The lab, which is a file of its own.
fn page(given: Option<&Path>) -> Result<Vec<u8>, Problem> {
    if let Some(path) = given {
        return read(path)
            .map_err(|error| Problem::new(format!("cannot read {}: {error}", path.display())));
    }
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let program =
        program.map_err(|error| Problem::new(format!("where is this program? {error}")))?;
    let places = PLACES.map(|place| program.with_file_name(place));
    let found = places.iter().find_map(|place| read(place).ok());
    found.ok_or_else(|| {
        let problem = Problem::new("the lab is not installed: it is one file, lab.html");
        let problem = problem.note(format!(
            "it is looked for beside the program, as {}",
            places[0].display()
        ));
        problem.note("`cargo xtask lab` builds it; `--lab FILE` says where it is")
    })
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    File::open(path)?
        .take(PAGE_BYTES + 1)
        .read_to_end(&mut page)?;
    match page.len() as u64 > PAGE_BYTES {
        true => Err(io::Error::other(
            "it is longer than 64 MiB, so it is no lab",
        )),
        false => Ok(page),
    }
}

/// Whether a browser was started.
fn opened(address: &str) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/c", "start"]),
        _ => ("xdg-open", &[]),
    };
    let mut browser = Command::new(program);
    browser.args(arguments).arg(address);
    browser
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    browser.spawn().is_ok()
}

fn serve(served: &Served, mut stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|end| end == b"\r\n\r\n") && request.len() < REQUEST_BYTES {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            count => request.extend_from_slice(&buffer[..count]),
        }
    }
    let (head, body) = answer(served, &String::from_utf8_lossy(&request));
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

/// The head and the body of the answer to a request.
fn answer<'s>(served: &'s Served, request: &str) -> (String, &'s [u8]) {
    let mut lines = request.split("\r\n");
    let mut first = lines.next().unwrap_or_default().split(' ');
    let (method, target) = (
        first.next().unwrap_or_default(),
        first.next().unwrap_or_default(),
    );
    let path = target.split(['?', '#']).next().unwrap_or_default();
    let host = lines.find_map(|line| {
        line.split_once(':')
            .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
    });
    let host = host.map_or("", |(_, host)| host.trim());
    let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", served.port));
    let nothing: &[u8] = &[];
    // A page elsewhere whose name leads to this machine is no reader of ours.
    if !hosts.iter().any(|known| known == host) {
        return (head("403 Forbidden", 0, ""), nothing);
    }
    if !["GET", "HEAD"].contains(&method) {
        return (
            head("405 Method Not Allowed", 0, "Allow: GET, HEAD\r\n"),
            nothing,
        );
    }
    match (path, &served.model) {
        ("/", Some(model)) => match model.address() {
            Ok(address) => (
                head("303 See Other", 0, &format!("Location: {address}\r\n")),
                nothing,
            ),
            Err(_) => (head("404 Not Found", 0, ""), nothing),
        },
        ("/" | LAB, _) => {
            let kind = "Content-Type: text/html; charset=utf-8\r\n";
            let body = if method == "HEAD" {
                nothing
            } else {
                &served.page
            };
            (head("200 OK", served.page.len(), kind), body)
        }
        _ => (head("404 Not Found", 0, ""), nothing),
    }
}

fn head(status: &str, length: usize, more: &str) -> String {
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n{more}X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\n\
         Cache-Control: no-store\r\nConnection: close\r\n\r\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(model: Option<&str>, request: &str) -> (String, Vec<u8>) {
        let served = Served {
            page: b"<!DOCTYPE html>".to_vec(),
            model: model.map(|text| Model::Text(text.to_owned())),
            port: 7,
        };
        let (head, body) = answer(&served, request);
        (head, body.to_vec())
    }

    #[test]
    fn nothing_but_the_lab_is_served_and_to_nobody_else() {
        let rows = [
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n", "200"),
            (
                "GET /lab.html?x HTTP/1.1\r\nhost:localhost:7\r\n\r\n",
                "200",
            ),
            ("HEAD / HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n", "200"),
            (
                "GET /../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n",
                "404",
            ),
            (
                "GET /model.toml HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n",
                "404",
            ),
            ("POST / HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n", "405"),
            ("GET / HTTP/1.1\r\nHost: elsewhere.example:7\r\n\r\n", "403"),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:8\r\n\r\n", "403"),
            ("GET / HTTP/1.1\r\n\r\n", "403"),
            ("", "403"),
        ];
        for (request, status) in rows {
            let (head, body) = asked(None, request);
            assert!(
                head.starts_with(&format!("HTTP/1.1 {status} ")),
                "{request}: {head}"
            );
            assert_eq!(
                !body.is_empty(),
                status == "200" && request.starts_with("GET"),
                "{request}"
            );
        }
    }

    #[test]
    fn a_model_stands_in_the_address() {
        let (head, _) = asked(
            Some("coordinates = [\"x\"]"),
            "GET / HTTP/1.1\r\nHost: 127.0.0.1:7\r\n\r\n",
        );
        let place = head
            .lines()
            .find_map(|line| line.strip_prefix("Location: "));
        let packed = place
            .and_then(|place| place.strip_prefix("/lab.html#1,"))
            .unwrap_or_default();
        let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(!packed.is_empty() && packed.chars().all(letters), "{head}");
    }
}
