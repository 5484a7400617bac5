//! Ensembles as text and files.

use super::layout::columns;
use super::table::{number, quoted};
use appell_study::motion::ensemble::Ensemble;
use serde_json::{Value, json};
use std::io::{self, Write};

/// How the members ended, and what is to be said of those that failed.
pub fn ensemble_text(ensemble: &Ensemble) -> String {
    let mut text = format!("{} members, {}\n", ensemble.count, ensemble.backend);
    text.extend(ensemble.backend_remark.iter().map(|why| format!("{why}\n")));
    let counts = ensemble.counts();
    let rows: Vec<Vec<String>> = counts
        .iter()
        .map(|(word, count)| vec![(*word).to_owned(), count.to_string()])
        .collect();
    text.extend(columns(&rows).iter().map(|line| format!("  {line}\n")));
    if ensemble.moved > 0 {
        let moved = ensemble.moved;
        text += &format!("{moved} of them were moved on to the constraints at their start\n");
    }
    const SHOWN: usize = 5;
    for (member, why) in ensemble.remarks.iter().take(SHOWN) {
        text += &format!("member {}: {why}\n", member + 1);
    }
    if ensemble.remarks.len() > SHOWN {
        text += "(and more; --json has a hundred of these)\n";
    }
    text
}

/// What `--json` prints: the number of members, and of each way to end.
pub fn ensemble_summary(ensemble: &Ensemble) -> Value {
    let counts = ensemble.counts().into_iter();
    let counts: serde_json::Map<String, Value> = counts
        .map(|(word, count)| (word.to_owned(), json!(count)))
        .collect();
    let remarks = ensemble.remarks.iter();
    let remarks: Vec<Value> = remarks
        .map(|(member, why)| json!({"member": member + 1, "why": why}))
        .collect();
    json!({
        "members": ensemble.count,
        "endings": counts,
        "moved": ensemble.moved,
        "remarks": remarks,
    })
}

/// A line for each member, or for each sample of each member: number, time, ending, state.
///
/// # Errors
/// Those of the writer.
pub fn write_ensemble_csv(ensemble: &Ensemble, out: &mut dyn Write) -> io::Result<()> {
    let head = ensemble.head().into_iter();
    let head: Vec<String> = head
        .chain(ensemble.state_names.iter().map(|name| quoted(name)))
        .collect();
    writeln!(out, "{}", head.join(","))?;
    lines(ensemble, &mut |member, t, y| {
        write!(
            out,
            "{},{},{}",
            member + 1,
            number(t),
            ensemble.word(member)
        )?;
        for x in y {
            write!(out, ",{}", number(*x))?;
        }
        writeln!(out)
    })
}

/// One JSON object: each column's name with the list of its values. What is undefined is `null`.
///
/// # Errors
/// Those of the writer.
pub fn write_ensemble_json(ensemble: &Ensemble, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{{")?;
    let column = |name: &str, out: &mut dyn Write, cell: &dyn Fn(usize, f64, &[f64]) -> Value| {
        let mut first = true;
        write!(out, "{}:[", Value::from(name))?;
        lines(ensemble, &mut |member, t, y| {
            let comma = if std::mem::take(&mut first) { "" } else { "," };
            write!(out, "{comma}{}", cell(member, t, y))
        })?;
        write!(out, "]")
    };
    let [members, time, status] = ensemble.head();
    column(&members, out, &|member, _, _| Value::from(member + 1))?;
    write!(out, ",")?;
    column(&time, out, &|_, t, _| Value::from(t))?;
    write!(out, ",")?;
    column(&status, out, &|member, _, _| {
        Value::from(ensemble.word(member))
    })?;
    for (c, name) in ensemble.state_names.iter().enumerate() {
        write!(out, ",")?;
        column(name, out, &|_, _, y| Value::from(y[c]))?;
    }
    writeln!(out, "}}")
}

/// Writes what is known of a member at a time.
type Line<'l> = dyn FnMut(usize, f64, &[f64]) -> io::Result<()> + 'l;

/// Every line of a file: the ends, or the samples where these were asked for.
fn lines(ensemble: &Ensemble, line: &mut Line<'_>) -> io::Result<()> {
    let n = ensemble.state_names.len();
    for member in 0..ensemble.count {
        let Some(samples) = &ensemble.samples else {
            line(member, ensemble.t[member], ensemble.state(member))?;
            continue;
        };
        for (k, t) in samples.times.iter().enumerate() {
            let place = (member * samples.times.len() + k) * n;
            line(member, *t, &samples.y[place..place + n])?;
        }
    }
    Ok(())
}
