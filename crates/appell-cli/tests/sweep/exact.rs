//! Studies whose bits do not depend on the machine.

use super::{Case, bits};
use crate::common::assert_exit;
use std::process::{Command, Stdio};

/// Chaotic: a difference in the last place grows by a factor of a billion. With all that a study computes.
const PENDULUM: &str = "
coordinates = [\"a\", \"b\"]
[parameters]
g = 9.81
k = { value = \"sqrt(2)*exp(-1/3)\" }
[energy]
kinetic = \"a'^2 + b'^2/2 + a'*b'*cos(a - b)\"
potential = \"-2*g*cos(a) - g*cos(b) + k*log(2 + sin(a))^1.7\"
[initial]
state = [\"a = 2\", \"b = 2.5\", \"a' = 0\", \"b' = tanh(1/2)\"]
[simulate]
until = 12
";

const DESIGN: &str = "
shard = 3
[sample]
count = 7
seed = 3
between = { g = [9, 10] }
normal = { b = [2.5, 0.4] }
[reduce]
l = { lyapunov = 2, discard = 1 }
f = { frequency = \"sin(a)\" }
high = { max = \"exp(cos(b))\" }
cut = { section = \"a = b\", of = [\"a'\"] }
";

/// What stands for all bits of a table.
fn digest(table: &[(String, Vec<String>)]) -> u64 {
    let text = table
        .iter()
        .flat_map(|(name, entries)| [name].into_iter().chain(entries));
    let bytes = text.flat_map(|word| word.bytes());
    bytes.fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The digest was noted once; every processor, system and compiler must find it again. That the functions of the system
/// do not matter is tried with those that glibc has for older processors.
#[test]
fn exact_studies_have_the_same_bits_on_every_machine() {
    let case = Case::new("sweep-exact", PENDULUM, DESIGN);
    assert_exit(&case.run(&["--exact"]), 0);
    let native = bits(&case.table());
    let older = Case::new("sweep-exact-older", PENDULUM, DESIGN);
    let status = Command::new(env!("CARGO_BIN_EXE_appell"))
        .args(older.arguments(&["--exact", "--threads", "1"]))
        .env(
            "GLIBC_TUNABLES",
            "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F",
        )
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    assert!(status.expect("the program starts").success());
    assert_eq!(
        bits(&older.table()),
        native,
        "with the functions of older processors"
    );
    assert_eq!(format!("{:016x}", digest(&native)), "a891de3c89d20a89");
}

/// Where it is not asked for, each part says which functions it was computed with, and `--status` where they differ.
#[test]
fn parts_say_whose_functions_they_were_computed_with() {
    let case = Case::new("sweep-functions", PENDULUM, DESIGN);
    assert_exit(&case.run(&["--shard", "0/2"]), 0);
    let text = std::fs::read_to_string(format!("{}/manifest.json", case.out)).expect("a manifest");
    let manifest: serde_json::Value = serde_json::from_str(&text).expect("an object");
    let machine = manifest["machine"].as_str().expect("a text");
    assert!(machine.contains(" functions "), "{machine}");
    assert_eq!(manifest["backend"], "auto");
}
