//! The ends of an ensemble's members as they become known, in a file beside the output: whatever ends the
//! program, a second call with the same inputs goes on where the first one was.
//!
//! The file begins with the digest of all that decides on the numbers, and is called after it, so that calls with other
//! inputs leave it alone. Then stands a record for each member: its
//! length, its numbers in little-endian order, and a checksum, so that one that was cut short is seen.

use crate::target;
use appell::{Ending, Finished};
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MAGIC: &[u8; 16] = b"appell members 1";
/// Records are written when there are so many bytes of them, or after this time.
const BLOCK: usize = 1 << 16;
const PAUSE: Duration = Duration::from_millis(100);

/// What decides on the numbers of an ensemble.
pub struct Key(Sha256);

impl Key {
    /// That of this version of the program.
    pub fn new() -> Self {
        let mut key = Self(Sha256::new());
        key.part(env!("CARGO_PKG_VERSION").as_bytes());
        key
    }

    /// Adds a part, told from the next by its length.
    pub fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds numbers, to the last bit.
    pub fn numbers(&mut self, numbers: &[f64]) {
        self.0.update((numbers.len() as u64).to_le_bytes());
        numbers.iter().for_each(|x| self.0.update(x.to_le_bytes()));
    }

    fn head(self) -> Vec<u8> {
        [&MAGIC[..], &self.0.finalize()].concat()
    }
}

/// The file, open and locked by this process.
pub struct Journal {
    path: PathBuf,
    file: File,
    pending: Vec<u8>,
    /// Whether the end of a member stands in it.
    told: bool,
    written: Instant,
    failed: Option<io::Error>,
}

/// `NAME.DIGEST.members` beside an output, by the first digits of the digest.
pub fn path_beside(output: &Path, key: &Key) -> PathBuf {
    let place = target::place_of(output);
    let mut name: OsString = place.file_name().unwrap_or_default().to_owned();
    let digest = key.0.clone().finalize();
    let digits: String = digest[..4].iter().map(|x| format!("{x:02x}")).collect();
    name.push(format!(".{digits}.members"));
    place.with_file_name(name)
}

impl Journal {
    /// Opens the file, or makes it, and gives the members of which it knows the ends. One of other inputs begins
    /// anew.
    pub fn open(path: PathBuf, key: Key) -> io::Result<(Self, Vec<Finished>)> {
        if fs::symlink_metadata(&path).is_ok_and(|about| !about.is_file()) {
            return Err(io::Error::other("it is no regular file"));
        }
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)?;
        file.try_lock()
            .map_err(|_| io::Error::other("another process writes it"))?;
        let head = key.head();
        let (known, whole) = read(&mut BufReader::new(&file), &head)?;
        file.set_len(whole)?;
        file.seek(SeekFrom::Start(whole))?;
        if whole == 0 {
            file.write_all(&head)?;
        }
        let journal = Self {
            path,
            file,
            pending: Vec::new(),
            told: !known.is_empty(),
            written: Instant::now(),
            failed: None,
        };
        Ok((journal, known))
    }

    /// Notes the end of a member. After a failure no more is written.
    pub fn note(&mut self, end: &Finished) {
        record(&mut self.pending, end);
        self.told = true;
        if self.pending.len() >= BLOCK || self.written.elapsed() >= PAUSE {
            self.write();
        }
    }

    fn write(&mut self) {
        if self.failed.is_none() {
            self.failed = self.file.write_all(&self.pending).err();
        }
        self.pending.clear();
        self.written = Instant::now();
    }

    /// Keeps what was noted for a later call, and says where; nothing is kept where nothing was noted.
    ///
    /// # Errors
    /// Why not all of it could be written.
    pub fn keep(mut self) -> io::Result<Option<PathBuf>> {
        if !self.told {
            self.remove();
            return Ok(None);
        }
        self.write();
        self.failed.map_or(Ok(Some(self.path)), Err)
    }

    /// Removes the file: all is done.
    pub fn remove(self) {
        // A file that cannot be removed does no harm.
        let _ = fs::remove_file(&self.path);
    }
}

/// The records of a file that begins as it should, and how many of its bytes are good.
fn read(file: &mut impl Read, head: &[u8]) -> io::Result<(Vec<Finished>, u64)> {
    let mut found = vec![0; head.len()];
    match file.read_exact(&mut found) {
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok((Vec::new(), 0)),
        read => read?,
    }
    if found != head {
        return Ok((Vec::new(), 0));
    }
    let (mut known, mut whole) = (Vec::new(), head.len() as u64);
    let mut bytes = Vec::new();
    while let Some(end) = next(file, &mut bytes)? {
        whole += bytes.len() as u64;
        known.push(end);
    }
    Ok((known, whole))
}

/// The next record and its bytes; none where the rest is not whole.
fn next(file: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<Option<Finished>> {
    bytes.clear();
    if file.by_ref().take(4).read_to_end(bytes)? < 4 {
        return Ok(None);
    }
    let length = u64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    file.by_ref().take(length + 8).read_to_end(bytes)?;
    let Some((body, sum)) = bytes.split_last_chunk::<8>() else {
        return Ok(None);
    };
    let good = bytes.len() as u64 == length + 12 && checksum(body) == u64::from_le_bytes(*sum);
    Ok(good.then(|| parsed(&body[4..])).flatten())
}

/// FNV-1a in 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The ways to end, by the number that stands for each.
const ENDINGS: [Ending; 10] = [
    Ending::Finished,
    Ending::Stopped(0),
    Ending::Singular,
    Ending::RankRose,
    Ending::SheetLost,
    Ending::Underflow,
    Ending::Error,
    Ending::StepsExhausted,
    Ending::RowMissed,
    Ending::Impassable,
];

fn code(ending: Ending) -> [u32; 2] {
    let alike = |other: &Ending| other.word() == ending.word();
    let place = ENDINGS.iter().position(alike).unwrap_or(ENDINGS.len());
    let index = match ending {
        Ending::Stopped(index) => index,
        _ => 0,
    };
    [place as u32, index]
}

fn ending(place: u32, index: u32) -> Option<Ending> {
    match ENDINGS.get(place as usize)? {
        Ending::Stopped(_) => Some(Ending::Stopped(index)),
        other => Some(*other),
    }
}

/// Appends a record.
fn record(out: &mut Vec<u8>, end: &Finished) {
    let from = out.len();
    let words = end.alone.as_deref();
    let [kind, index] = code(end.ending);
    // The length follows when it is known.
    out.extend([0; 4]);
    out.extend((end.member as u64).to_le_bytes());
    let spoken = words.map_or(0, |words| words.len() as u32 + 1);
    let lengths = [end.y.len() as u32, end.samples.len() as u32, spoken];
    let whole = [kind, index, end.steps, end.rejected].into_iter();
    whole
        .chain(lengths)
        .for_each(|number| out.extend(number.to_le_bytes()));
    let numbers = [end.t].into_iter().chain(end.y.iter().copied());
    numbers
        .chain(end.samples.iter().copied())
        .for_each(|x| out.extend(x.to_le_bytes()));
    out.extend(words.unwrap_or_default().as_bytes());
    let length = (out.len() - from - 4) as u32;
    out[from..from + 4].copy_from_slice(&length.to_le_bytes());
    let sum = checksum(&out[from..]);
    out.extend(sum.to_le_bytes());
}

/// What a record says; none where it contradicts itself.
fn parsed(mut body: &[u8]) -> Option<Finished> {
    let member = usize::try_from(u64::from_le_bytes(taken(&mut body)?)).ok()?;
    let mut whole = [0; 7];
    for number in &mut whole {
        *number = u32::from_le_bytes(taken(&mut body)?);
    }
    let [kind, index, steps, rejected, state, samples, spoken] = whole;
    let mut numbers = Vec::new();
    for _ in 0..1 + u64::from(state) + u64::from(samples) {
        numbers.push(f64::from_le_bytes(taken(&mut body)?));
    }
    let samples = numbers.split_off(1 + state as usize);
    let words = String::from_utf8(body.to_vec()).ok()?;
    Some(Finished {
        member,
        t: numbers.remove(0),
        y: numbers,
        ending: ending(kind, index)?,
        steps,
        rejected,
        alone: (spoken > 0).then_some(words),
        samples,
    })
}

fn taken<const N: usize>(body: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = body.split_first_chunk::<N>()?;
    *body = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends() -> Vec<Finished> {
        let endings = ENDINGS.into_iter().chain([Ending::Stopped(3)]);
        let end = |(member, ending)| Finished {
            member,
            t: 0.1 + 0.2,
            y: vec![f64::MIN_POSITIVE, -0.0],
            ending,
            steps: 7,
            rejected: u32::MAX,
            alone: [None, Some(String::new()), Some("ü".to_owned())][member % 3].clone(),
            samples: vec![1.5; 2 * (member % 2)],
        };
        (0..).zip(endings).map(end).collect()
    }

    /// Wherever a file is cut, the records before the cut are read; a byte that was changed ends it.
    #[test]
    fn records_are_read_up_to_the_first_that_is_not_whole() {
        let head = Key::new().head();
        let mut text = head.clone();
        let mut places = vec![text.len()];
        for end in ends() {
            record(&mut text, &end);
            places.push(text.len());
        }
        for cut in 0..=text.len() {
            let (known, whole) = read(&mut &text[..cut], &head).expect("it is read");
            let good = places.iter().filter(|place| **place <= cut).count();
            assert_eq!(known, ends()[..good.saturating_sub(1)], "{cut}");
            let place = good.checked_sub(1).map_or(0, |last| places[last]);
            assert_eq!(whole, place as u64);
        }
        for place in head.len()..text.len() {
            let mut other = text.clone();
            other[place] ^= 0x10;
            let (known, _) = read(&mut &other[..], &head).expect("it is read");
            let before = places.iter().filter(|end| **end <= place).count() - 1;
            assert_eq!(known, ends()[..before], "{place}");
        }
        let other = read(&mut &text[..], &{
            let mut key = Key::new();
            key.part(b"another model");
            key.head()
        });
        assert_eq!(other.expect("it is read").1, 0);
    }
}
