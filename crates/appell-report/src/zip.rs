//! ZIP files, without compression.

use std::io::{self, Write};

/// ZIP files count in 32 bits.
const LIMIT: u64 = u32::MAX as u64;
/// The first day that a ZIP file can tell, 1 January 1980: files do not depend on the clock.
const DATE: u16 = 0x0021;
/// Version 2.0, stored, names in UTF-8.
const VERSION: u16 = 20;
const UTF8: u16 = 1 << 11;

/// A ZIP file of files by their names.
///
/// # Errors
/// Those of the writer; more than 4 GiB, or more than 65535 files.
pub(crate) fn archive(
    files: impl Iterator<Item = (String, Vec<u8>)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut directory = Vec::new();
    let mut offset = 0_u64;
    let mut count = 0_u16;
    for (name, data) in files {
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

/// CRC-32 of ISO 3309, the checksum of ZIP and PNG files: the remainder by the polynomial 0xEDB88320, lowest bit first.
pub(crate) fn crc32(data: &[u8]) -> u32 {
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
    io::Error::other(
        "this is too large for one archive, as .npz and .fmu files are; of a table write .csv, or fewer samples",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_that_of_zip_files() {
        // The check value of the catalogue of CRC algorithms.
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(b"IEND"), 0xAE42_6082);
    }
}
