//! What the algebra decided about a model, kept for the next process.
//!
//! Only answers are kept, by the digests of their whole questions: a model is prepared with them as without them, to the
//! last bit, and faster. They are those of one build of the algebra, and nothing else in a file is believed.

use appell_expr::IdentityKey;
use appell_flow::backend::notes;
use appell_model::Model;

/// The first line of a note, with the build of the algebra.
const TITLE: &str = concat!("appell identities ", env!("APPELL_ALGEBRA"), "\n");
/// More answers are not kept of one model.
const MAX_ANSWERS: usize = 10_000;
/// A question's digest and its answer.
const RECORD: usize = size_of::<IdentityKey>() + 1;

/// What is kept of a model between processes.
#[derive(Debug)]
pub struct IdentityCache {
    /// How many answers were there.
    known: usize,
    /// Why those that were kept are not used.
    remark: Option<String>,
}

impl IdentityCache {
    /// Tells a model what was decided about it before.
    pub fn load(model: &Model) -> Self {
        let (answers, remark) = match loaded(model) {
            Ok(answers) => (answers, None),
            Err(why) => (Vec::new(), Some(format!("{why}; it is not used"))),
        };
        let known = answers.len();
        model.graph.tell_decided(answers);
        Self { known, remark }
    }

    /// Why what was kept is not used: it was changed, cut short, of another version or of another user.
    pub fn remark(&self) -> Option<&str> {
        self.remark.as_deref()
    }

    /// Keeps what was decided since, if anything was.
    ///
    /// # Errors
    /// In words: there is no place for the cache, or it cannot be written to.
    pub fn save(&self, model: &Model) -> Result<(), String> {
        let answers = model.graph.decided();
        if answers.len() <= self.known {
            return Ok(());
        }
        notes::keep(&decides(model), &written(&answers)).map_err(|why| why.to_string())
    }
}

/// All that decides on a note.
fn decides(model: &Model) -> Vec<u8> {
    [TITLE, &model.source.text].concat().into_bytes()
}

fn loaded(model: &Model) -> Result<Vec<(IdentityKey, bool)>, String> {
    match notes::note(&decides(model)) {
        Ok(Some(note)) => {
            read(&note).ok_or_else(|| "what was kept of the model is of another version".to_owned())
        }
        Ok(None) => Ok(Vec::new()),
        Err(why) => Err(why.to_string()),
    }
}

fn written(answers: &[(IdentityKey, bool)]) -> Vec<u8> {
    let mut note = TITLE.as_bytes().to_vec();
    for (question, holds) in answers.iter().take(MAX_ANSWERS) {
        note.extend(question);
        note.push(u8::from(*holds));
    }
    note
}

/// The answers in a note; `None` for one that this build has not written.
fn read(note: &[u8]) -> Option<Vec<(IdentityKey, bool)>> {
    let records = note.strip_prefix(TITLE.as_bytes())?.chunks(RECORD);
    let answer = |record: &[u8]| {
        let (holds, question) = record.split_last()?;
        let question = IdentityKey::try_from(question).ok()?;
        (*holds <= 1).then_some((question, *holds == 1))
    };
    records.map(answer).collect()
}

#[cfg(test)]
mod tests {
    use super::{TITLE, read, written};

    #[test]
    fn answers_are_read_as_they_were_written() {
        let answers: Vec<_> = (0..9_u8).map(|i| ([i; 32], i % 2 == 0)).collect();
        assert_eq!(read(&written(&answers)).as_deref(), Some(&answers[..]));
        assert_eq!(read(&written(&[])), Some(Vec::new()));
    }

    #[test]
    fn other_notes_are_refused() {
        let whole = written(&[([7; 32], true), ([8; 32], false)]);
        let mut other = whole.clone();
        *other.last_mut().expect("an answer") = 2;
        let foreign = [
            b"appell identities of another build\n",
            &whole[TITLE.len()..],
        ]
        .concat();
        for note in [
            &other,
            &foreign,
            &whole[..whole.len() - 1],
            &whole[1..],
            b"",
        ] {
            assert_eq!(read(note), None);
        }
    }
}
