//! Appell in a browser: questions and answers in JSON through one buffer of the module's memory.
//!
//! The host calls [`reserve`] with the length of its question, writes the question's UTF-8 bytes to the address
//! that it got, and calls [`ask`]: the answer then stands at [`address`], of the length returned. A trap ends the
//! module, as stopping its worker does; the host begins another.

mod session;

use session::answer;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Question, then answer.
static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Room for a question of so many bytes, and where it is.
// Nothing but its name is unsafe: no other function of the module is called so.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn reserve(length: usize) -> *const u8 {
    let mut buffer = buffer();
    buffer.clear();
    buffer.resize(length, 0);
    buffer.as_ptr()
}

/// Answers the question in the buffer; the length of the answer.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> usize {
    let question = std::mem::take(&mut *buffer());
    let answer = answer(&String::from_utf8_lossy(&question));
    let mut buffer = buffer();
    *buffer = answer.into_bytes();
    buffer.len()
}

/// Where the answer is.
#[allow(unsafe_code)]
#[unsafe(no_mangle)]
pub extern "C" fn address() -> *const u8 {
    buffer().as_ptr()
}
