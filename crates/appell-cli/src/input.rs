//! Models and states from files and from standard input.

use crate::args::{Given, Parameters};
use crate::problem::Problem;
use crate::terminal;
use appell::limits::attempt;
use appell::{Diagnostic, IdentityCache, Members, Model, Override, Prepared, Source, State, show};
use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::ops::{Deref, DerefMut};
use std::path::Path;

/// More cannot be a model; smaller ones that are still too large are refused with the reason.
const MODEL_BYTES: u64 = 16 << 20;
/// More states than fit in this are too many for one call.
const STATES_BYTES: u64 = 64 << 20;

/// Whether the path stands for standard input.
fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads a model; warnings are shown at once.
pub fn model(path: &Path) -> Result<Model, Problem> {
    model_with(path, &[])
}

/// Reads a model, and hands its warnings over instead of showing them.
pub fn model_and_warnings(path: &Path) -> Result<(Model, Vec<Diagnostic>), Problem> {
    let (name, text) = (name(path), text_of(path)?);
    let read = attempt(|| appell::read(&name, &text)).map_err(Problem::Stopped)?;
    read.map_err(|errors| Problem::Model(Source::new(&name, &text), errors))
}

/// The text of a model.
pub fn text_of(path: &Path) -> Result<String, Problem> {
    text(path, MODEL_BYTES)
}

/// Reads a model with equations of `[initial]` given anew.
pub fn model_with(path: &Path, initial: &[String]) -> Result<Model, Problem> {
    let mut text = text(path, MODEL_BYTES)?;
    if !initial.is_empty() {
        text = appell::with_initial(&text, initial).map_err(|no| Problem::new(no.message))?;
    }
    let name = name(path);
    match attempt(|| appell::read(&name, &text)).map_err(Problem::Stopped)? {
        Ok((model, warnings)) => {
            terminal::warn(&warnings, &model.source);
            tell_of(&model);
            Ok(model)
        }
        Err(errors) => Err(Problem::Model(Source::new(&name, &text), errors)),
    }
}

/// What was read, for who asked to hear more.
fn tell_of(model: &Model) {
    let rows: usize = model
        .constraints
        .iter()
        .map(|constraint| constraint.rows.len())
        .sum();
    terminal::detail(&format!(
        "read {}: {} coordinates, {} parameters, {rows} rows of constraints",
        show::plain(&model.source.name),
        model.coordinates.len(),
        model.parameters.len(),
    ));
}

/// The model with the changes of the command line.
pub fn prepared<'m>(
    model: &'m Model,
    given: &Given,
    parameters: Option<&Parameters>,
) -> Result<Remembered<'m>, Problem> {
    let overrides: &[Override] = parameters.map_or(&[], |parameters| &parameters.parameters);
    prepared_with(model, given, overrides)
}

/// The model with values of parameters.
pub fn prepared_with<'m>(
    model: &'m Model,
    given: &Given,
    overrides: &[Override],
) -> Result<Remembered<'m>, Problem> {
    let memory = (!given.no_cache).then(|| IdentityCache::load(model));
    if let Some(why) = memory.as_ref().and_then(IdentityCache::remark) {
        terminal::remark(&format!("{}\n", show::plain(why)));
    }
    let prepared = attempt(|| Prepared::new(model, overrides, &given.drop));
    let prepared = prepared.map_err(Problem::Stopped)?;
    let prepared = prepared.map_err(|error| Problem::of(model, error))?;
    let values = model.parameters.iter().zip(&*prepared.parameters);
    let in_force: Vec<String> = values.map(|(p, x)| format!("{} = {x}", p.name)).collect();
    if !in_force.is_empty() {
        let in_force = in_force.join(", ");
        terminal::detail(&format!("values in force: {}", show::plain(&in_force)));
    }
    Ok(Remembered { prepared, memory })
}

/// A model made ready, of which is kept in the end what was decided about it.
pub struct Remembered<'m> {
    prepared: Prepared<'m>,
    /// None where nothing is to be kept.
    memory: Option<IdentityCache>,
}

impl<'m> Deref for Remembered<'m> {
    type Target = Prepared<'m>;

    fn deref(&self) -> &Prepared<'m> {
        &self.prepared
    }
}

impl<'m> DerefMut for Remembered<'m> {
    fn deref_mut(&mut self) -> &mut Prepared<'m> {
        &mut self.prepared
    }
}

impl Drop for Remembered<'_> {
    fn drop(&mut self) {
        let kept = self
            .memory
            .iter()
            .try_for_each(|memory| memory.save(self.prepared.model));
        if let Err(why) = kept {
            terminal::detail(&format!(
                "the cache of the model cannot be written: {}",
                show::plain(&why)
            ));
        }
    }
}

/// Reads states for a model.
pub fn states(path: &Path, prepared: &Prepared<'_>) -> Result<Vec<State>, Problem> {
    let text = states_text(path)?;
    let states = attempt(|| appell::read_states(&text, prepared)).map_err(Problem::Stopped)?;
    states.map_err(|why| Problem::new(format!("{}: {why}", name(path))))
}

/// The text of a file of states.
pub fn states_text(path: &Path) -> Result<String, Problem> {
    text(path, STATES_BYTES)
}

/// Reads the members of an ensemble, line by line: there may be millions.
pub fn members(path: &Path, prepared: &Prepared<'_>) -> Result<Members, Problem> {
    let read = |text: &mut dyn BufRead| {
        let members = attempt(|| appell::read_members(text, prepared));
        let members = members.map_err(Problem::Stopped)?;
        members.map_err(|why| Problem::new(format!("{}: {why}", name(path))))
    };
    if is_standard(path) {
        return read(&mut io::stdin().lock());
    }
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    read(&mut BufReader::new(file))
}

/// Refuses to read the model and the states from the same standard input.
pub fn apart(model: &Path, states: &Path) -> Result<(), Problem> {
    if is_standard(model) && is_standard(states) {
        return Err(Problem::new(
            "the model and the states cannot both come from standard input",
        ));
    }
    Ok(())
}

/// The path as it stands in messages.
pub fn name(path: &Path) -> String {
    if is_standard(path) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// The whole text of a file that is no larger than `limit` bytes.
fn text(path: &Path, limit: u64) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = match is_standard(path) {
        true => io::stdin().lock().take(limit + 1).read_to_end(&mut bytes),
        false => File::open(path).and_then(|file| file.take(limit + 1).read_to_end(&mut bytes)),
    };
    read.map_err(|error| unreadable(path, &error))?;
    if bytes.len() as u64 > limit {
        return Err(Problem::new(format!(
            "{} is larger than {} MiB, which is the limit",
            name(path),
            limit >> 20
        )));
    }
    String::from_utf8(bytes).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let message = format!(
            "{} is not UTF-8 text: it is invalid at byte {place}",
            name(path)
        );
        Problem::new(message).note("save it as UTF-8")
    })
}

fn unreadable(path: &Path, error: &io::Error) -> Problem {
    let name = name(path);
    match error.kind() {
        ErrorKind::NotFound => missing(path),
        ErrorKind::PermissionDenied => {
            Problem::new(format!("`{name}` may not be read: permission denied"))
        }
        ErrorKind::IsADirectory => Problem::new(format!("`{name}` is a folder, not a file")),
        _ => Problem::new(format!("`{name}` cannot be read: {error}")),
    }
}

/// A missing file may be a model of the gallery.
fn missing(path: &Path) -> Problem {
    let message = format!("there is no file `{}`", name(path));
    let stem = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    match stem.as_deref().and_then(appell::gallery::find) {
        Some(entry) => {
            let hint = format!("the gallery has it: appell new {0} > {0}.toml", entry.name);
            Problem::new(message).note(hint)
        }
        None => Problem::new(message),
    }
}
