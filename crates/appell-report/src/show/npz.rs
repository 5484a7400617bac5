//! The samples of a motion as NumPy's archive: `numpy.load("motion.npz")["theta'"]`.
//!
//! An archive is a ZIP file, here without compression, of one `.npy` array for each column.

use crate::zip::archive;
use appell_study::motion::ensemble::Ensemble;
use appell_study::motion::samples::SampleTable;
use std::io::{self, Write};

/// Writes one array of doubles for each column, under its name; what is undefined is NaN.
///
/// # Errors
/// Those of the writer; more than 4 GiB, or more columns than a ZIP file holds.
pub fn write_npz(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    let columns = table.columns.iter().enumerate().map(|(index, name)| {
        let values = table.rows.iter().map(|row| row[index]);
        (npy(name), doubles(&[table.rows.len()], values))
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
    let [_, time, status] = ensemble.head();
    let head = [
        (npy(&time), doubles(&[t.len()], t.iter().copied())),
        (npy(&status), texts(&words)),
    ];
    let names = ensemble.state_names.iter().enumerate();
    let state = names.map(|(index, name)| {
        let values = y.iter().skip(index).step_by(n).copied();
        (npy(name), doubles(&shape, values))
    });
    archive(head.into_iter().chain(state), out)
}

/// The file of an array.
fn npy(name: &str) -> String {
    format!("{name}.npy")
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

#[cfg(test)]
mod tests {
    use super::*;

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
