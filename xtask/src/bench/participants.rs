//! The programs that are measured side by side, and how they are made and asked.

use super::figures::{Figure, parse};
use super::machine::Machine;
use crate::steps::cargo;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Where a participant comes from.
#[derive(Debug, Clone, Copy)]
pub enum Origin {
    /// A file of `benches/native/`.
    Native,
    /// A file of `benches/peers/`.
    Peer,
    /// An example of the facade.
    Example,
}

/// A program: it is called with the name of a part, measures once for each line that it reads, prints a
/// JSON object a line, and an empty line at the end of the round.
pub struct Participant {
    pub origin: Origin,
    pub name: &'static str,
    pub parts: &'static [&'static str],
}

/// A part of the benchmark.
pub struct Part {
    pub name: &'static str,
    pub title: &'static str,
    /// How often everything is measured: the more the shorter a round is.
    pub rounds: usize,
}

const fn part(name: &'static str, title: &'static str, rounds: usize) -> Part {
    Part {
        name,
        title,
        rounds,
    }
}

/// The parts of the benchmark.
pub const PARTS: [Part; 7] = [
    part("right-side", "One right-hand side", 25),
    part(
        "trajectory",
        "One trajectory, t = 0..10, at a true error of 1e-10 and of 1e-13",
        7,
    ),
    part(
        "ensemble",
        "An ensemble of (A), t = 0..10, at a true error of 1e-8: processor time of one trajectory",
        9,
    ),
    part(
        "bicycle",
        "The bicycle's motion M2, 20 s, energy within 1e-5 %",
        9,
    ),
    part(
        "whole-run",
        "A run as users call it, with 201 samples, beside its steps",
        9,
    ),
    part(
        "derivation",
        "From a model to a right-hand side that can be called",
        5,
    ),
    part("start-up", "`appell run` as a whole process", 9),
];

/// Every participant; a new one is a file and a row.
pub const PARTICIPANTS: &[Participant] = &[
    native("perpendicular", &["right-side", "trajectory"]),
    native("rolling-disc", &["right-side", "trajectory"]),
    native("bicycle", &["right-side"]),
    native("right-side-lanes-perpendicular", &["right-side"]),
    native("right-side-lanes-rolling-disc", &["right-side"]),
    native("perpendicular-lanes", &["ensemble"]),
    Participant {
        origin: Origin::Example,
        name: "bench",
        parts: &[
            "right-side",
            "trajectory",
            "ensemble",
            "bicycle",
            "whole-run",
            "derivation",
        ],
    },
    peer("heyoka_peer", &["right-side", "trajectory", "ensemble"]),
    peer("casadi_peer", &["right-side", "trajectory", "ensemble"]),
    peer("scipy_peer", &["right-side", "trajectory", "ensemble"]),
    peer("diffrax_peer", &["right-side", "trajectory", "ensemble"]),
    peer("sympy_peer", &["right-side", "derivation"]),
    peer("exudyn_peer", &["trajectory", "bicycle"]),
    peer("startup", &["start-up"]),
];

const fn native(name: &'static str, parts: &'static [&'static str]) -> Participant {
    let origin = Origin::Native;
    Participant {
        origin,
        name,
        parts,
    }
}

const fn peer(name: &'static str, parts: &'static [&'static str]) -> Participant {
    let origin = Origin::Peer;
    Participant {
        origin,
        name,
        parts,
    }
}

/// A participant that waits for a line.
pub struct Running {
    pub name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    messages: PathBuf,
}

impl Participant {
    /// Makes it and starts it for a part.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn start(&self, machine: &Machine, part: &str, quick: bool) -> Result<Running, String> {
        let mut command = self.command(machine)?;
        let messages = machine.place.join(format!("{}.err", self.name));
        let file = File::create(&messages).map_err(|error| error.to_string())?;
        command.arg(part).args(quick.then_some("--quick"));
        // One core is what is compared.
        for threads in [
            "OMP_NUM_THREADS",
            "OPENBLAS_NUM_THREADS",
            "NUMBA_NUM_THREADS",
        ] {
            command.env(threads, "1");
        }
        command.env("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false");
        command.env("JAX_PLATFORMS", "cpu");
        command.env("APPELL", machine.built("appell"));
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(file);
        let mut child = command
            .spawn()
            .map_err(|error| format!("it does not start: {error}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("it has no input or output".to_owned());
        };
        Ok(Running {
            name: self.name.to_owned(),
            child,
            input,
            output: BufReader::new(output),
            messages,
        })
    }

    fn command(&self, machine: &Machine) -> Result<Command, String> {
        match self.origin {
            Origin::Native => {
                let program = machine.place.join(self.name);
                let source = format!("benches/native/{}.c", self.name);
                let mut compiler = Command::new("cc");
                compiler.args(["-O3", "-march=native", "-o"]).arg(&program);
                compiler.arg(machine.root.join(source)).arg("-lm");
                let made = compiler.output();
                let made = made.map_err(|error| format!("no C compiler: {error}"))?;
                match made.status.success() {
                    true => Ok(Command::new(program)),
                    false => Err(String::from_utf8_lossy(&made.stderr).into_owned()),
                }
            }
            Origin::Peer => {
                let mut command = Command::new(machine.python.clone()?);
                let script = format!("benches/peers/{}.py", self.name);
                // Python is not to leave its compiled files in the tree.
                command.arg("-B").arg(machine.root.join(script));
                Ok(command)
            }
            Origin::Example => {
                let arguments = format!(
                    "build --locked --release --quiet --workspace --example {}",
                    self.name
                );
                let made = cargo(&arguments).current_dir(&machine.root).status();
                match made {
                    Ok(status) if status.success() => Ok(Command::new(
                        machine.built(&format!("examples/{}", self.name)),
                    )),
                    _ => Err(format!("`cargo {arguments}` failed")),
                }
            }
        }
    }
}

impl Running {
    /// One round.
    ///
    /// # Errors
    /// What went wrong: the last words of its messages.
    pub fn round(&mut self) -> Result<Vec<Figure>, String> {
        // If it is gone, the reading below says so.
        let _ = writeln!(self.input, "round").and_then(|()| self.input.flush());
        let mut figures = Vec::new();
        let mut line = String::new();
        loop {
            line.clear();
            let read = self.output.read_line(&mut line);
            match read {
                Ok(1..) if line.trim().is_empty() => return Ok(figures),
                Ok(1..) => figures.push(parse(&line)?),
                _ => return Err(self.last_words()),
            }
        }
    }

    fn last_words(&mut self) -> String {
        let status = self.child.wait();
        let ended = status.map_or("it ended".to_owned(), |status| {
            format!("it ended ({status})")
        });
        let messages = std::fs::read_to_string(&self.messages).unwrap_or_default();
        let last = messages.lines().rfind(|line| !line.trim().is_empty());
        format!("{ended}: {}", last.unwrap_or("without a word"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn participants_are_files_and_their_parts_are_known() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for participant in PARTICIPANTS {
            let name = participant.name;
            let path = match participant.origin {
                Origin::Native => format!("benches/native/{name}.c"),
                Origin::Peer => format!("benches/peers/{name}.py"),
                Origin::Example => format!("crates/appell/examples/{name}"),
            };
            assert!(root.join(&path).exists(), "{path}");
            for part in participant.parts {
                assert!(
                    PARTS.iter().any(|known| known.name == *part),
                    "{name}: {part}"
                );
            }
        }
    }
}
