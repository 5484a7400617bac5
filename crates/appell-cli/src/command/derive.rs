//! `appell derive`: the equations of motion.

use super::Exit;
use crate::args::{Derive, FormOrAll, Notation};
use crate::input;
use crate::problem::Problem;
use crate::terminal::{print, tell};

/// stub while the report is written
pub fn derive(args: &Derive) -> Result<Exit, Problem> {
    let model = input::model(&args.given.model)?;
    let _prepared = input::prepared(&model, &args.given, None)?;
    let _ = (FormOrAll::meant(&args.form), args.steps, matches!(args.to, Notation::Text | Notation::Latex | Notation::Json));
    tell("");
    print("")?;
    Ok(Exit::Done)
}
