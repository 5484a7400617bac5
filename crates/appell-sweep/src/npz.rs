//! NumPy's archives of arrays: ZIP files of `.npy` files, stored or deflated.

/// Arrays of one dimension by their names.
type Arrays = Vec<(String, Vec<f64>)>;

/// Reads all arrays of an archive, in its order.
///
/// # Errors
/// In words: it is no archive; an array of another shape or type.
pub(crate) fn read(bytes: &[u8]) -> Result<Arrays, String> {
    const END: &[u8] = b"PK\x05\x06";
    let from = bytes.len().saturating_sub(22 + 65_535);
    let end = bytes[from..].windows(4).rposition(|window| window == END);
    let end = end.ok_or("it is no archive of NumPy")? + from;
    let (count, mut at) = (small(bytes, end + 10)?, number(bytes, end + 16)? as usize);
    let mut arrays = Vec::new();
    for _ in 0..count {
        let [name, extra, comment] = [28, 30, 32].map(|place| small(bytes, at + place));
        let (length, skip) = (name?, extra? + comment?);
        let text = part(bytes, at + 46, length)?;
        let text = String::from_utf8_lossy(text).into_owned();
        let packed = number(bytes, at + 20)? as usize;
        let (method, local) = (small(bytes, at + 10)?, number(bytes, at + 42)? as usize);
        let data = local + 30 + small(bytes, local + 26)? + small(bytes, local + 28)?;
        let data = part(bytes, data, packed)?;
        let size = number(bytes, at + 24)? as usize;
        let array = match method {
            0 => array(data),
            8 => {
                let whole = miniz_oxide::inflate::decompress_to_vec_with_limit(data, size);
                array(&whole.map_err(|error| error.to_string())?)
            }
            _ => Err("it is packed in another way than NumPy packs".to_owned()),
        };
        let name = text.trim_end_matches(".npy").to_owned();
        arrays.push((
            name.clone(),
            array.map_err(|why| format!("`{name}`: {why}"))?,
        ));
        at += 46 + length + skip;
    }
    Ok(arrays)
}

fn part(bytes: &[u8], at: usize, length: usize) -> Result<&[u8], String> {
    let end = at.checked_add(length);
    let part = end.and_then(|end| bytes.get(at..end));
    part.ok_or_else(|| "it was cut short, or is larger than 4 GiB".to_owned())
}

fn small(bytes: &[u8], at: usize) -> Result<usize, String> {
    let field = part(bytes, at, 2)?;
    Ok(usize::from(field[0]) | usize::from(field[1]) << 8)
}

fn number(bytes: &[u8], at: usize) -> Result<u32, String> {
    let field = part(bytes, at, 4)?;
    Ok(u32::from_le_bytes([field[0], field[1], field[2], field[3]]))
}

/// The numbers of an array of one dimension.
fn array(bytes: &[u8]) -> Result<Vec<f64>, String> {
    let magic = part(bytes, 0, 8)?;
    if &magic[..6] != b"\x93NUMPY" {
        return Err("it is no array of NumPy".to_owned());
    }
    let (length, from) = match magic[6] {
        1 => (small(bytes, 8)?, 10),
        _ => (number(bytes, 8)? as usize, 12),
    };
    let head = String::from_utf8_lossy(part(bytes, from, length)?).into_owned();
    let after = |key: &str| {
        head.split_once(key)
            .map(|(_, rest)| rest.trim_start_matches([':', ' ']))
    };
    let kind = after("'descr'")
        .and_then(|rest| rest.split('\'').nth(1))
        .unwrap_or_default();
    let shape = after("'shape'").and_then(|rest| rest.strip_prefix('(')?.split_once(')'));
    let shape = shape
        .map_or("", |(shape, _)| shape)
        .trim()
        .trim_end_matches(',');
    let count: usize = shape
        .parse()
        .map_err(|_| format!("its shape ({shape}) is not (members,)"))?;
    let data = &bytes[from + length..];
    let width = match kind {
        "<f8" | "<i8" => 8,
        "<f4" | "<i4" => 4,
        other => return Err(format!("its type `{other}` is none of <f8, <f4, <i8, <i4")),
    };
    let data = part(data, 0, count.saturating_mul(width))?;
    let of = |entry: &[u8]| match (kind, entry) {
        ("<f8", [a, b, c, d, e, f, g, h]) => f64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        ("<i8", [a, b, c, d, e, f, g, h]) => {
            i64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]) as f64
        }
        ("<f4", [a, b, c, d]) => f64::from(f32::from_le_bytes([*a, *b, *c, *d])),
        (_, [a, b, c, d]) => f64::from(i32::from_le_bytes([*a, *b, *c, *d])),
        _ => f64::NAN,
    };
    Ok(data.chunks_exact(width).map(of).collect())
}
