//! Pixels as a PNG file.

use crate::zip::crc32;

/// A PNG file of pixels in red, green and blue, row by row [png2003].
pub(super) fn encoded(wide: usize, high: usize, pixels: &[u8]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(pixels.len() + high);
    for row in pixels.chunks(3 * wide.max(1)) {
        // No filter.
        lines.push(0);
        lines.extend_from_slice(row);
    }
    let mut head = Vec::new();
    head.extend((wide as u32).to_be_bytes());
    head.extend((high as u32).to_be_bytes());
    // Eight bits, true colour, nothing else.
    head.extend([8, 2, 0, 0, 0]);
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, b"IHDR", &head);
    chunk(
        &mut out,
        b"IDAT",
        &miniz_oxide::deflate::compress_to_vec_zlib(&lines, 6),
    );
    chunk(&mut out, b"IEND", &[]);
    out
}

fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    out.extend((data.len() as u32).to_be_bytes());
    let from = out.len();
    out.extend(kind);
    out.extend(data);
    let sum = crc32(&out[from..]);
    out.extend(sum.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_come_back_from_the_file() {
        let pixels: Vec<u8> = (0..3 * 5 * 4).collect();
        let file = encoded(5, 4, &pixels);
        let from = file
            .windows(4)
            .position(|window| window == b"IDAT")
            .expect("data")
            + 4;
        let lines = miniz_oxide::inflate::decompress_to_vec_zlib(&file[from..file.len() - 16]);
        let lines = lines.expect("whole");
        let inflated: Vec<u8> = lines
            .chunks(16)
            .flat_map(|line| line[1..].to_vec())
            .collect();
        assert_eq!(inflated, pixels);
    }
}
