//! `appell schema`: the format for editors.

use super::Exit;
use crate::problem::Problem;
use crate::terminal::print;
use appell::{format, show};

/// Prints the JSON Schema of model files.
pub fn schema() -> Result<Exit, Problem> {
    print(&show::json_line(&format::schema()))?;
    Ok(Exit::Done)
}
