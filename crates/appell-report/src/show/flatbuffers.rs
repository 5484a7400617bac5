//! FlatBuffers, as far as the metadata of Arrow need them: tables, texts, lists. What is pointed to stands behind
//! what points to it, and each table behind its list of places.

/// A part of a buffer; scalars stand within their table.
pub(super) enum Value {
    None,
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    Text(String),
    Table(Vec<Value>),
    Tables(Vec<Value>),
    /// Structures of one length, a multiple of eight bytes.
    Structs(Vec<Vec<u8>>),
}

impl Value {
    /// The length within a table.
    fn size(&self) -> usize {
        match self {
            Value::None => 0,
            Value::Byte(_) => 1,
            Value::Short(_) => 2,
            Value::Long(_) => 8,
            _ => 4,
        }
    }
}

/// A whole buffer with its root.
pub(super) fn buffer(root: &Value) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    let place = write(root, &mut bytes);
    point(&mut bytes, 0, place);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    bytes
}

/// Notes at one place the distance to another.
fn point(bytes: &mut [u8], from: usize, to: usize) {
    bytes[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
}

/// Fills up so that the next byte but `ahead` stands at a multiple.
fn align(bytes: &mut Vec<u8>, ahead: usize, multiple: usize) {
    bytes.resize((bytes.len() + ahead).next_multiple_of(multiple) - ahead, 0);
}

/// Writes what is pointed to; its place.
fn write(value: &Value, bytes: &mut Vec<u8>) -> usize {
    match value {
        Value::Table(fields) => table(fields, bytes),
        Value::Tables(entries) => {
            align(bytes, 0, 4);
            let place = bytes.len();
            bytes.extend((entries.len() as u32).to_le_bytes());
            bytes.resize(place + 4 + 4 * entries.len(), 0);
            for (i, entry) in entries.iter().enumerate() {
                let at = write(entry, bytes);
                point(bytes, place + 4 + 4 * i, at);
            }
            place
        }
        Value::Structs(entries) => {
            align(bytes, 4, 8);
            let place = bytes.len();
            bytes.extend((entries.len() as u32).to_le_bytes());
            entries.iter().for_each(|entry| bytes.extend(entry));
            place
        }
        Value::Text(text) => {
            align(bytes, 0, 4);
            let place = bytes.len();
            bytes.extend((text.len() as u32).to_le_bytes());
            bytes.extend(text.bytes());
            bytes.push(0);
            place
        }
        _ => bytes.len(),
    }
}

/// The list of places, the table, then what it points to.
fn table(fields: &[Value], bytes: &mut Vec<u8>) -> usize {
    let mut size = 4_usize;
    let mut places = Vec::new();
    for field in fields {
        let width = field.size();
        size = size.next_multiple_of(width.max(1));
        places.push(if width == 0 { 0 } else { size });
        size += width;
    }
    let head = 4 + 2 * fields.len();
    align(bytes, head, 8);
    bytes.extend((head as u16).to_le_bytes());
    bytes.extend((size as u16).to_le_bytes());
    places
        .iter()
        .for_each(|place| bytes.extend((*place as u16).to_le_bytes()));
    let start = bytes.len();
    bytes.extend((head as u32).to_le_bytes());
    bytes.resize(start + size, 0);
    for (field, place) in fields.iter().zip(&places) {
        let at = start + place;
        let mut put = |part: &[u8]| bytes[at..at + part.len()].copy_from_slice(part);
        match field {
            Value::None => {}
            Value::Byte(x) => put(&[*x]),
            Value::Short(x) => put(&x.to_le_bytes()),
            Value::Int(x) => put(&x.to_le_bytes()),
            Value::Long(x) => put(&x.to_le_bytes()),
            _ => {
                let to = write(field, bytes);
                point(bytes, at, to);
            }
        }
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_points_to_its_text() {
        let bytes = buffer(&Value::Table(vec![
            Value::Byte(7),
            Value::None,
            Value::Text("ab".to_owned()),
        ]));
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
        let start = number(0) as usize;
        let places = start - number(start) as usize;
        let place = |field: usize| usize::from(bytes[places + 4 + 2 * field]);
        assert_eq!(bytes[start + place(0)], 7);
        assert_eq!(place(1), 0, "what is absent has no place");
        let text = start + place(2) + number(start + place(2)) as usize;
        assert_eq!(bytes[text..text + 7], *b"\x02\0\0\0ab\0");
        assert_eq!(start % 8, 0);
    }
}
