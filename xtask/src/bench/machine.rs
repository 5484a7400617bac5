//! The machine that is measured on: what it is, and the peers' own Python.

use crate::steps::cargo;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Places and programs.
pub struct Machine {
    pub root: PathBuf,
    /// A folder of its own in the target directory.
    pub place: PathBuf,
    target: PathBuf,
    /// The Python that has the peers, or why there is none.
    pub python: Result<PathBuf, String>,
    /// Peers that could not be installed.
    pub missing: Vec<String>,
}

impl Machine {
    /// Makes the places, and the peers' Python if it is wanted.
    ///
    /// # Errors
    /// The target directory cannot be written.
    pub fn new(root: &Path) -> Result<Machine, String> {
        let folder = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
        let target = folder.unwrap_or_else(|| root.join("target"));
        let place = target.join("bench");
        fs::create_dir_all(&place).map_err(|error| format!("{}: {error}", place.display()))?;
        let mut machine = Machine {
            root: root.to_owned(),
            place,
            target,
            python: Err("it was not looked for".to_owned()),
            missing: Vec::new(),
        };
        machine.python = machine.install();
        // With the features of the workspace, as in every other build: else all would be compiled once more.
        let arguments = "build --locked --release --quiet --workspace --bin appell";
        match cargo(arguments).current_dir(root).status() {
            Ok(status) if status.success() => Ok(machine),
            _ => Err(format!("`cargo {arguments}` failed")),
        }
    }

    /// A program of the release build.
    pub fn built(&self, name: &str) -> PathBuf {
        self.target.join("release").join(name)
    }

    /// Installs the peers one by one, so that one that is missing does not take others with it.
    fn install(&mut self) -> Result<PathBuf, String> {
        let folder = self.place.join("venv");
        let python = folder.join("bin/python");
        let list = self.root.join("benches/peers/requirements.txt");
        let list = fs::read_to_string(list).map_err(|error| format!("requirements: {error}"))?;
        let done = self.place.join("installed.txt");
        if python.exists() && fs::read_to_string(&done).is_ok_and(|text| text == list) {
            return Ok(python);
        }
        eprintln!("installing the peers into {}", folder.display());
        let made = Command::new("python3")
            .args(["-m", "venv"])
            .arg(&folder)
            .status();
        if !made.is_ok_and(|status| status.success()) {
            return Err("no Python 3 with venv".to_owned());
        }
        for package in list.lines().filter(|line| !line.is_empty()) {
            let mut pip = Command::new(&python);
            pip.args(["-m", "pip", "install", "--quiet", package]);
            if !pip.status().is_ok_and(|status| status.success()) {
                self.missing
                    .push(format!("{package} could not be installed"));
            }
        }
        if self.missing.is_empty() {
            fs::write(&done, &list).map_err(|error| error.to_string())?;
        }
        Ok(python)
    }

    /// The machine in rows of a table.
    pub fn description(&self) -> Vec<(&'static str, String)> {
        let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = information
            .lines()
            .find(|line| line.starts_with("model name"));
        let model = model.and_then(|line| line.split_once(": "));
        let cores = std::thread::available_parallelism().map_or(0, usize::from);
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let peers = fs::read_to_string(self.root.join("benches/peers/requirements.txt"));
        vec![
            (
                "processor",
                model.map_or("unknown", |(_, name)| name).to_owned(),
            ),
            ("cores", cores.to_string()),
            (
                "load at the end",
                load.split(' ').take(3).collect::<Vec<_>>().join(" "),
            ),
            ("date", first_line("date", &["-u", "+%Y-%m-%d"])),
            ("C compiler", first_line("cc", &["--version"])),
            ("rustc", first_line("rustc", &["--version"])),
            (
                "peers",
                peers
                    .unwrap_or_default()
                    .lines()
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        ]
    }
}

fn first_line(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let text = text.unwrap_or_else(|_| "missing".to_owned());
    text.lines().next().unwrap_or_default().to_owned()
}
