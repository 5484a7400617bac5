//! What is written with `-o` and its like: which format, and where it may not go.

use crate::problem::Problem;
use crate::target::{self, write_whole};
use crate::terminal::remark;
use appell::limits::{attempt, look, pressing, regardless};
use appell::{Ensemble, Figure, PlotFormat, SampleTable};
use std::cell::Cell;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How a table is written.
type Format = fn(&SampleTable, &mut dyn Write) -> io::Result<()>;

/// A file asked for with `-o`.
pub struct TableFile {
    path: PathBuf,
    format: Format,
}

impl TableFile {
    /// Chooses the format by what was asked for or by the ending, before any work is done.
    pub fn new(path: &Path, asked: Option<&str>, model: &Path) -> Result<Self, Problem> {
        let ending = ending(path);
        let format: Format = match asked.or(ending.as_deref()) {
            Some("csv") => appell::show::write_csv,
            Some("json") => appell::show::write_json,
            Some("npz") => appell::show::write_npz,
            Some("arrow") if target::is_stream(path) => appell::show::write_arrow_stream,
            Some("arrow") => appell::show::write_arrow,
            #[cfg(feature = "sweep")]
            Some("parquet") => write_parquet,
            None if target::is_stream(path) => appell::show::write_csv,
            _ => return Err(unknown_ending(path, ending.as_deref())),
        };
        writable(path, model)?;
        Ok(Self {
            path: path.to_owned(),
            format,
        })
    }

    /// Where it goes, if it is a file that can be written line by line.
    pub fn by_lines(&self) -> Option<&Path> {
        let by_lines = self.has_lines() && !target::is_stream(&self.path);
        by_lines.then_some(&*self.path)
    }

    fn has_lines(&self) -> bool {
        let csv: Format = appell::show::write_csv;
        std::ptr::fn_addr_eq(self.format, csv)
    }

    /// Writes the file. Who is stopped before its end gets one of fewer samples, evenly over the motion; what a
    /// pipe or a device has cannot be taken back.
    pub fn write(&self, table: &SampleTable) -> Result<(), Problem> {
        let has_begun = Cell::new(false);
        let whole = |out: &mut dyn Write| {
            has_begun.set(true);
            (self.format)(table, &mut UntilStopped(out))
        };
        // Lines end where there is no more time.
        if table.rows.len() <= few(table) || self.has_lines() {
            return write_whole(&self.path, |out| (self.format)(table, out));
        }
        match attempt(|| write_whole(&self.path, whole)) {
            Err(why) if target::is_stream(&self.path) && has_begun.get() => {
                let path = self.path.display();
                remark(&format!("`{path}` has no end: {why}\n"));
                Ok(())
            }
            Err(_) => regardless(|| self.write_few(table)),
            Ok(written) => written,
        }
    }

    fn write_few(&self, table: &SampleTable) -> Result<(), Problem> {
        let every = table.rows.len().div_ceil(few(table));
        let few = SampleTable {
            columns: table.columns.clone(),
            rows: table.rows.iter().step_by(every).cloned().collect(),
        };
        let path = self.path.display();
        remark(&format!(
            "`{path}` has one of {every} samples: there was no time for all {}\n",
            table.rows.len()
        ));
        write_whole(&self.path, |out| (self.format)(&few, out))
    }
}

/// As many samples are written in any case: half a million numbers take less than a tenth of a second.
fn few(table: &SampleTable) -> usize {
    (500_000 / table.columns.len().max(1)).max(2_001)
}

/// A writer that work is left at which is to stop.
struct UntilStopped<'o>(&'o mut dyn Write);

impl Write for UntilStopped<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        look();
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether a stop has waited so long that no more is to be written.
fn is_late() -> bool {
    pressing() > 1
}

/// A writer that fails when a stop has waited for long.
struct UntilPressed<'o>(&'o mut dyn Write);

impl Write for UntilPressed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match is_late() {
            true => Err(io::Error::other("there is no more time")),
            false => self.0.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A table as a Parquet file, as the parts of a study are.
#[cfg(feature = "sweep")]
fn write_parquet(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    use appell::studies::columns::{Column, Data, bytes};
    let entries = |j: usize| table.rows.iter().map(|row| row[j]).collect();
    let names = table.columns.iter().enumerate();
    let columns = names.map(|(j, name)| Column::new(name, Data::Numbers(entries(j))));
    let (bytes, _) = bytes(&columns.collect::<Vec<_>>(), &Vec::new())
        .map_err(|_| io::Error::other("the columns do not fit a Parquet file"))?;
    out.write_all(&bytes)
}

/// How the members of an ensemble are written.
type EnsembleFormat = fn(&Ensemble, &mut dyn Write) -> io::Result<()>;

/// The formats of ensembles by the endings of their files.
const ENSEMBLE_FORMATS: &[(&str, EnsembleFormat)] = &[
    ("csv", appell::show::write_ensemble_csv),
    ("json", appell::show::write_ensemble_json),
    ("npz", appell::show::write_ensemble_npz),
    ("arrow", appell::show::write_ensemble_arrow),
];

/// A file for an ensemble, asked for with `-o`.
pub struct EnsembleFile {
    path: PathBuf,
    format: EnsembleFormat,
}

impl EnsembleFile {
    /// Chooses the format by the ending, before any work is done; the file is none of those that are read.
    pub fn new(
        path: &Path,
        asked: Option<&str>,
        model: &Path,
        members: &Path,
    ) -> Result<Self, Problem> {
        let ending = ending(path);
        let usual = target::is_stream(path).then_some("csv");
        let wanted = asked.or(ending.as_deref()).or(usual);
        let known = |(other, _): &&(&str, EnsembleFormat)| Some(*other) == wanted;
        let Some((name, format)) = ENSEMBLE_FORMATS.iter().find(known) else {
            return Err(unknown_ending(path, ending.as_deref()));
        };
        let format: EnsembleFormat = match *name == "arrow" && target::is_stream(path) {
            true => appell::show::write_ensemble_arrow_stream,
            false => *format,
        };
        writable(path, model)?;
        if is_same_file(path, members) {
            let path = path.display();
            return Err(Problem::new(format!(
                "`{path}` is the table of members itself: it is not overwritten"
            )));
        }
        Ok(Self {
            path: path.to_owned(),
            format,
        })
    }

    /// Writes the file; whether it was written: once the program is to stop there may be no time for it.
    pub fn write(&self, ensemble: &Ensemble) -> Result<bool, Problem> {
        let done = write_whole(&self.path, |out| {
            (self.format)(ensemble, &mut UntilPressed(out))
        });
        match done {
            Err(_) if is_late() => {
                let path = self.path.display();
                remark(&format!(
                    "`{path}` was not written: there was no time for all {} members\n",
                    ensemble.count
                ));
                Ok(false)
            }
            done => done.map(|()| true),
        }
    }
}

/// The ending of a file's name.
fn ending(path: &Path) -> Option<String> {
    let ending = path.extension()?;
    Some(ending.to_string_lossy().to_lowercase())
}

/// Whether one of these is standard output: then it has data, and what is said goes to standard error.
pub fn on_standard_output(paths: &[PathBuf]) -> bool {
    paths.iter().any(|path| target::is_standard_output(path))
}

/// Refuses the model itself, a file that is protected, and a folder that is not there.
pub fn writable(path: &Path, model: &Path) -> Result<(), Problem> {
    if is_same_file(path, model) {
        let message = format!(
            "`{}` is the model itself: it is not overwritten",
            path.display()
        );
        return Err(Problem::new(message));
    }
    let is_protected = |about: fs::Metadata| about.is_file() && about.permissions().readonly();
    if fs::metadata(path).is_ok_and(is_protected) {
        let message = format!("`{}` is read-only: it is not overwritten", path.display());
        return Err(Problem::new(message));
    }
    let folder = target::folder_of(path);
    if !folder.is_dir() {
        return Err(Problem::new(format!(
            "there is no folder `{}`",
            folder.display()
        )));
    }
    Ok(())
}

/// Writes a text whole or not at all.
pub fn write_text(path: &Path, text: &str) -> Result<(), Problem> {
    write_whole(path, |out| out.write_all(text.as_bytes()))
}

fn unknown_ending(path: &Path, ending: Option<&str>) -> Problem {
    let path = path.display();
    let message = match ending {
        Some(ending @ "parquet") => {
            format!("`{path}`: only studies and samples of runs are written as .{ending}")
        }
        Some(ending) => format!("`{path}`: the format .{ending} is not supported"),
        None => format!("`{path}` has no ending that tells the format"),
    };
    Problem::new(message)
        .note("use .csv, .json, .npz or .arrow; samples of a run and parts of `appell sweep` can be .parquet")
}

fn is_same_file(a: &Path, b: &Path) -> bool {
    let real = |path: &Path| fs::canonicalize(path).ok();
    matches!((real(a), real(b)), (Some(a), Some(b)) if a == b)
}

/// Refuses two outputs that are one file, where the later would take the place of the earlier, and two on standard
/// output, of which the object of `--json` is one.
pub fn apart<'p>(paths: impl IntoIterator<Item = &'p PathBuf>, json: bool) -> Result<(), Problem> {
    let paths: Vec<&PathBuf> = paths.into_iter().collect();
    let on_standard_output = |path: &&&PathBuf| target::is_standard_output(path);
    match (paths.iter().filter(on_standard_output).count(), json) {
        (0, _) | (1, false) => {}
        (_, true) => {
            let message = "`--json` and `-o -` both write to standard output";
            return Err(
                Problem::new(message).note("give one of them a file, such as `-o motion.csv`")
            );
        }
        (_, false) => return Err(Problem::new("two outputs go to standard output")),
    }
    let regular = |path: &&&PathBuf| !target::is_stream(path);
    for (index, path) in paths.iter().enumerate().filter(|(_, path)| regular(path)) {
        let place = target::place_of(path);
        let mut before = paths[..index].iter().filter(regular);
        if let Some(other) = before.find(|other| target::place_of(other) == place) {
            let (path, other) = (path.display(), other.display());
            return Err(Problem::new(match path.to_string() == other.to_string() {
                true => format!("two outputs go to `{path}`"),
                false => format!("`{other}` and `{path}` are the same file"),
            }));
        }
    }
    Ok(())
}

/// Writes `DIR/plot-1.svg`, `DIR/plot-2.svg`, ... in this format, and makes the folder if it is not there.
pub fn write_pictures(
    folder: &Path,
    pictures: &[Figure],
    format: &'static PlotFormat,
) -> Result<(), Problem> {
    let failed = |error| {
        Problem::new(format!(
            "the folder `{}` cannot be made: {error}",
            folder.display()
        ))
    };
    if pictures.is_empty() {
        let folder = folder.display();
        remark(&format!(
            "no plot was written to `{folder}`: the model has none; add [[plots]] with `x` and `y`\n"
        ));
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(failed)?;
    for (index, picture) in pictures.iter().enumerate() {
        let path = folder.join(format!("plot-{}.{}", index + 1, format.ending));
        write_whole(&path, |out| {
            out.write_all((format.write)(picture).as_bytes())
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use appell::limits::{Stop, Why, under};
    use std::sync::Arc;

    #[test]
    fn who_is_stopped_while_writing_gets_fewer_samples() {
        let folder = std::env::temp_dir().join(format!("appell-output-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let rows = (0..400_000).map(|i| vec![f64::from(i), 0.5]).collect();
        let columns = ["t", "x"].map(str::to_owned).to_vec();
        let table = SampleTable { columns, rows };
        for name in ["motion.json", "motion.npz", "motion.arrow"] {
            let path = folder.join(name);
            let file = TableFile::new(&path, None, Path::new("model.toml")).expect("a format");
            let size = || fs::metadata(&path).expect("the file").len();
            let stop = Arc::new(Stop::at_look(3));
            under(Some(Arc::clone(&stop)), || file.write(&table)).expect("it is written");
            assert_eq!(
                (stop.why(), stop.was_heeded()),
                (Some(Why::Interrupted), true)
            );
            let few = size();
            file.write(&table).expect("it is written");
            assert!(few * 3 / 2 < size(), "{name}: {few} of {}", size());
            assert_eq!(fs::read_dir(&folder).expect("the folder").count(), 1);
            fs::remove_file(&path).expect("it can be removed");
        }
        fs::remove_dir(&folder).expect("it can be removed");
    }
}
