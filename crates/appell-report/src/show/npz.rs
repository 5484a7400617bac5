//! The samples of a motion as NumPy's archive: `numpy.load("motion.npz")["theta'"]`.
//!
//! An archive is a ZIP file, here without compression, of one `.npy` array for each column.

use appell_study::motion::ensemble::Ensemble;
use appell_study::motion::samples::SampleTable;
use std::io::{self, Write};

/// ZIP files count in 32 bits.
const LIMIT: u64 = u32::MAX as u64;
/// The first day that a ZIP file can tell, 1 January 1980: files do not depend on the clock.
const DATE: u16 = 0x0021;
/// Version 2.0, stored, names in UTF-8.
const VERSION: u16 = 20;
const UTF8: u16 = 1 << 11;

/// Writes one array of doubles for each column, under its name; what is undefined is NaN.
///
/// # Errors
/// Those of the writer; more than 4 GiB, or more columns than a ZIP file holds.
pub fn write_npz(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    let columns = table.columns.iter().enumerate().map(|(index, name)| {
        let values = table.rows.iter().map(|row| row[index]);
        (name.as_str(), doubles(&[table.rows.len()], values))
    });
    archive(columns, out)
}

/// Writes `t`, `status` and one array for each name of the state. `status` has a word for each member. Of the
/// ends all arrays have an entry for each member; with samples, `t` has their times and the state's arrays
/// have the shape (members, samples).
///
/// # Errors
/// Those of [`write_npz`].
pub fn write_ensemble_npz(ensemble: &Ensemble, out: &mut dyn Write) -> io::Result<()> {
    let (members, n) = (ensemble.count, ensemble.state_names.len());
    let (t, y, shape) = match &ensemble.samples {
        None => (&ensemble.t, &ensemble.y, vec![members]),
        Some(samples) => {
            let shape = vec![members, samples.times.len()];
            (&samples.times, &samples.y, shape)
        }
    };
    let words: Vec<&str> = (0..members).map(|member| ensemble.word(member)).collect();
    let head = [
        ("t", doubles(&[t.len()], t.iter().copied())),
        ("status", texts(&words)),
    ];
    let names = ensemble.state_names.iter().enumerate();
    let state = names.map(|(index, name)| {
        let values = y.iter().skip(index).step_by(n).copied();
        (name.as_str(), doubles(&shape, values))
    });
    archive(head.into_iter().chain(state), out)
}

/// A ZIP file of named arrays.
fn archive<'n>(
    arrays: impl Iterator<Item = (&'n str, Vec<u8>)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut directory = Vec::new();
    let mut offset = 0_u64;
    let mut count = 0_u16;
    for (name, data) in arrays {
        let name = format!("{name}.npy");
        count = count.checked_add(1).ok_or_else(too_large)?;
        let entry = Entry::new(&name, &data, offset)?;
        let head = entry.local();
        out.write_all(&head)?;
        out.write_all(&data)?;
        offset += (head.len() + data.len()) as u64;
        directory.extend(entry.central());
    }
    let size = u32::try_from(directory.len()).map_err(|_| too_large())?;
    let start = u32::try_from(offset).map_err(|_| too_large())?;
    out.write_all(&directory)?;
    let end = [
        &0x0605_4b50_u32.to_le_bytes()[..],
        &[0; 4],
        &count.to_le_bytes(),
        &count.to_le_bytes(),
        &size.to_le_bytes(),
        &start.to_le_bytes(),
        &[0; 2],
    ];
    out.write_all(&end.concat())
}

/// Doubles, the last index fastest.
fn doubles(shape: &[usize], values: impl Iterator<Item = f64>) -> Vec<u8> {
    array("<f8", shape, values.flat_map(f64::to_le_bytes))
}

/// Texts of one length, filled up with zeros, in UCS-4.
fn texts(words: &[&str]) -> Vec<u8> {
    let length = words.iter().map(|word| word.chars().count()).max();
    let length = length.unwrap_or(0).max(1);
    let letters = words.iter().flat_map(|word| {
        let filled = word.chars().chain(std::iter::repeat('\0')).take(length);
        filled.flat_map(|letter| u32::from(letter).to_le_bytes())
    });
    array(&format!("<U{length}"), &[words.len()], letters)
}

/// An array in NumPy's format 1.0; the head is filled up so that the entries begin at a multiple of 64.
fn array(kind: &str, shape: &[usize], entries: impl Iterator<Item = u8>) -> Vec<u8> {
    let shape: String = shape.iter().map(|length| format!("{length}, ")).collect();
    let mut head = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let length = (10 + head.len() + 1).next_multiple_of(64) - 10;
    head.extend(std::iter::repeat_n(' ', length - 1 - head.len()));
    head.push('\n');
    let mut data = b"\x93NUMPY\x01\x00".to_vec();
    // The head is some 80 bytes long.
    data.extend((length as u16).to_le_bytes());
    data.extend(head.bytes());
    data.extend(entries);
    data
}

/// What a ZIP file says of one entry.
struct Entry<'n> {
    name: &'n str,
    name_length: u16,
    checksum: u32,
    size: u32,
    offset: u32,
}

impl<'n> Entry<'n> {
    fn new(name: &'n str, data: &[u8], offset: u64) -> io::Result<Self> {
        if offset + data.len() as u64 > LIMIT {
            return Err(too_large());
        }
        Ok(Self {
            name,
            name_length: u16::try_from(name.len()).map_err(|_| too_large())?,
            checksum: crc32(data),
            size: u32::try_from(data.len()).map_err(|_| too_large())?,
            offset: u32::try_from(offset).map_err(|_| too_large())?,
        })
    }

    /// What both heads have in common: from the version on to the length of extra fields.
    fn common(&self) -> Vec<u8> {
        [
            &VERSION.to_le_bytes()[..],
            &UTF8.to_le_bytes(),
            &[0; 4],
            &DATE.to_le_bytes(),
            &self.checksum.to_le_bytes(),
            &self.size.to_le_bytes(),
            &self.size.to_le_bytes(),
            &self.name_length.to_le_bytes(),
            &[0; 2],
        ]
        .concat()
    }

    /// The head before the data.
    fn local(&self) -> Vec<u8> {
        let signature = 0x0403_4b50_u32.to_le_bytes();
        [&signature[..], &self.common(), self.name.as_bytes()].concat()
    }

    /// The entry of the directory.
    fn central(&self) -> Vec<u8> {
        [
            &0x0201_4b50_u32.to_le_bytes()[..],
            &VERSION.to_le_bytes(),
            &self.common(),
            &[0; 10],
            &self.offset.to_le_bytes(),
            self.name.as_bytes(),
        ]
        .concat()
    }
}

/// The checksum of ZIP files, the remainder by the polynomial 0xEDB88320, lowest bit first.
fn crc32(data: &[u8]) -> u32 {
    let mut table = [0_u32; 256];
    for (byte, entry) in (0_u32..).zip(table.iter_mut()) {
        *entry = (0..8).fold(byte, |rest, _| match rest & 1 {
            1 => 0xEDB8_8320 ^ (rest >> 1),
            _ => rest >> 1,
        });
    }
    !data.iter().fold(!0, |rest, byte| {
        table[usize::from((rest as u8) ^ byte)] ^ (rest >> 8)
    })
}

fn too_large() -> io::Error {
    io::Error::other("the table is too large for an .npz file; write .csv, or fewer samples")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip_files() {
        // The check value of the catalogue of CRC algorithms.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn numbers_begin_at_a_multiple_of_64_and_lengths_agree() {
        let data = doubles(&[2], [1.5, f64::NAN].into_iter());
        assert_eq!((data.len() - 16) % 64, 0);
        assert_eq!(data[data.len() - 16..data.len() - 8], 1.5_f64.to_le_bytes());
        let head = usize::from(u16::from_le_bytes([data[8], data[9]]));
        assert_eq!(data.len(), 10 + head + 16);
        assert_eq!(data[10 + head - 1], b'\n');
    }

    #[test]
    fn texts_are_filled_up_to_the_longest() {
        let data = texts(&["on", "\u{3b8}"]);
        let entries: Vec<u32> = [u32::from('o'), u32::from('n'), 0x3b8, 0].to_vec();
        let bytes: Vec<u8> = entries.into_iter().flat_map(u32::to_le_bytes).collect();
        assert!(data.ends_with(&bytes));
        let head = String::from_utf8_lossy(&data[10..data.len() - bytes.len()]);
        assert!(head.contains("'descr': '<U2'") && head.contains("'shape': (2, )"));
    }

    #[test]
    fn an_archive_ends_with_its_directory() {
        let table = SampleTable {
            columns: vec!["t".to_owned(), "\u{3b8}'".to_owned()],
            rows: vec![vec![0.0, 1.0]],
        };
        let mut out = Vec::new();
        write_npz(&table, &mut out).expect("memory takes everything");
        let end = &out[out.len() - 22..];
        assert_eq!(end[..4], 0x0605_4b50_u32.to_le_bytes());
        assert_eq!(end[8..12], [2, 0, 2, 0]);
        let start = u32::from_le_bytes([end[16], end[17], end[18], end[19]]) as usize;
        assert_eq!(out[start..start + 4], 0x0201_4b50_u32.to_le_bytes());
    }
}
