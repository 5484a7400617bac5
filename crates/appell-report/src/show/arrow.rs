//! Tables as Apache Arrow: a stream of messages for pipes (`pyarrow.ipc.open_stream`), and the file of the same
//! messages with a footer (`.arrow`, Feather 2).
//!
//! Only what tables need is written: columns of doubles, of whole numbers and of words, where what is undefined is
//! null. See the columnar format and its metadata, <https://arrow.apache.org/docs/format/Columnar.html>.

use super::flatbuffers::{Value, buffer};
use appell_study::motion::ensemble::Ensemble;
use appell_study::motion::samples::SampleTable;
use std::borrow::Cow;
use std::io::{self, Write};

/// Rows of one message.
const BATCH: usize = 1 << 16;
/// Metadata and buffers begin at multiples of this.
const ALIGN: usize = 8;
/// Begins a message.
const CONTINUATION: [u8; 4] = [0xff; 4];
const MAGIC: &[u8] = b"ARROW1";
/// Version 5 of the metadata; the kinds of messages and of columns by their numbers there.
const VERSION: i16 = 4;
const SCHEMA: u8 = 1;
const RECORD_BATCH: u8 = 3;
const WHOLE: u8 = 2;
const DOUBLE: u8 = 3;
const WORDS: u8 = 5;

/// The cells of a column from one row to another.
enum Cells<'t> {
    Doubles(Box<dyn Fn(usize) -> f64 + 't>),
    Whole(Box<dyn Fn(usize) -> i64 + 't>),
    Words(Box<dyn Fn(usize) -> &'t str + 't>),
}

/// A table as named columns.
struct Columns<'t> {
    rows: usize,
    columns: Vec<(Cow<'t, str>, Cells<'t>)>,
}

/// Writes the samples as a stream of Arrow messages.
///
/// # Errors
/// Those of the writer.
pub fn write_arrow_stream(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    stream(&samples(table), out).map(drop)
}

/// Writes the samples as an Arrow file.
///
/// # Errors
/// Those of the writer.
pub fn write_arrow(table: &SampleTable, out: &mut dyn Write) -> io::Result<()> {
    file(&samples(table), out)
}

/// Writes a row for each member, or for each sample of each member, as a stream: `member`, `t`, `status`, the state.
///
/// # Errors
/// Those of the writer.
pub fn write_ensemble_arrow_stream(ensemble: &Ensemble, out: &mut dyn Write) -> io::Result<()> {
    stream(&members(ensemble), out).map(drop)
}

/// The same as an Arrow file.
///
/// # Errors
/// Those of the writer.
pub fn write_ensemble_arrow(ensemble: &Ensemble, out: &mut dyn Write) -> io::Result<()> {
    file(&members(ensemble), out)
}

fn samples(table: &SampleTable) -> Columns<'_> {
    let columns = table.columns.iter().enumerate().map(|(j, name)| {
        let cells = Cells::Doubles(Box::new(move |i: usize| table.rows[i][j]));
        (Cow::from(name), cells)
    });
    Columns {
        rows: table.rows.len(),
        columns: columns.collect(),
    }
}

fn members(ensemble: &Ensemble) -> Columns<'_> {
    let n = ensemble.state_names.len();
    let (t, y, each) = match &ensemble.samples {
        None => (&ensemble.t, &ensemble.y, 1),
        Some(samples) => (&samples.times, &samples.y, samples.times.len()),
    };
    let ends = ensemble.samples.is_none();
    let time = move |i: usize| if ends { t[i] } else { t[i % each] };
    let [members, clock, status] = ensemble.head().map(Cow::from);
    let head = [
        (
            members,
            Cells::Whole(Box::new(move |i| (i / each) as i64 + 1)),
        ),
        (clock, Cells::Doubles(Box::new(time))),
        (
            status,
            Cells::Words(Box::new(move |i| ensemble.word(i / each))),
        ),
    ];
    let state = ensemble.state_names.iter().enumerate().map(|(j, name)| {
        let cells = Cells::Doubles(Box::new(move |i| y[i * n + j]));
        (Cow::from(name), cells)
    });
    Columns {
        rows: ensemble.count * each,
        columns: head.into_iter().chain(state).collect(),
    }
}

/// Where a message stands: its place, the length of its head, that of its body.
type Block = (u64, usize, usize);

/// Writes schema, rows and the end; what the footer of a file says of them.
fn stream(table: &Columns<'_>, out: &mut dyn Write) -> io::Result<Vec<Block>> {
    let mut place = message(SCHEMA, schema(table), &[], out)? as u64;
    let mut blocks = Vec::new();
    for first in (0..table.rows).step_by(BATCH) {
        let rows = BATCH.min(table.rows - first);
        let (head, body) = batch(table, first, rows);
        let length = message(RECORD_BATCH, head, &body, out)?;
        blocks.push((place, length, body.len()));
        place += (length + body.len()) as u64;
    }
    out.write_all(&CONTINUATION)?;
    out.write_all(&[0; 4])?;
    Ok(blocks)
}

fn file(table: &Columns<'_>, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(MAGIC)?;
    out.write_all(&[0; 2])?;
    let blocks = stream(table, out)?;
    let rows = blocks.iter().map(|&(place, head, body)| {
        let mut entry = Vec::new();
        // The first message stands behind the word that begins the file.
        entry.extend((place + ALIGN as u64).to_le_bytes());
        entry.extend((head as u64).to_le_bytes());
        entry.extend((body as u64).to_le_bytes());
        entry
    });
    let rows: Vec<Vec<u8>> = rows.collect();
    let footer = buffer(&Value::Table(vec![
        Value::Short(VERSION),
        schema(table),
        Value::Structs(Vec::new()),
        Value::Structs(rows),
    ]));
    out.write_all(&footer)?;
    out.write_all(&(footer.len() as u32).to_le_bytes())?;
    out.write_all(MAGIC)
}

/// Writes one message; the length of its head.
fn message(kind: u8, header: Value, body: &[u8], out: &mut dyn Write) -> io::Result<usize> {
    let mut head = buffer(&Value::Table(vec![
        Value::Short(VERSION),
        Value::Byte(kind),
        header,
        Value::Long(body.len() as i64),
    ]));
    head.resize(head.len().next_multiple_of(ALIGN), 0);
    out.write_all(&CONTINUATION)?;
    out.write_all(&(head.len() as u32).to_le_bytes())?;
    out.write_all(&head)?;
    out.write_all(body)?;
    Ok(ALIGN + head.len())
}

/// Names and kinds of the columns; all may have nulls.
fn schema(table: &Columns<'_>) -> Value {
    let field = |(name, cells): &(Cow<'_, str>, Cells<'_>)| {
        let (kind, about) = match cells {
            Cells::Doubles(_) => (DOUBLE, vec![Value::Short(2)]),
            Cells::Whole(_) => (WHOLE, vec![Value::Int(64), Value::Byte(1)]),
            Cells::Words(_) => (WORDS, Vec::new()),
        };
        Value::Table(vec![
            Value::Text(name.to_string()),
            Value::Byte(1),
            Value::Byte(kind),
            Value::Table(about),
            Value::None,
            Value::Tables(Vec::new()),
        ])
    };
    let fields = table.columns.iter().map(field).collect();
    Value::Table(vec![Value::Short(0), Value::Tables(fields)])
}

/// Rows from `first` on: the head that tells where the buffers are, and the buffers.
fn batch(table: &Columns<'_>, first: usize, rows: usize) -> (Value, Vec<u8>) {
    let (mut nodes, mut places, mut body) = (Vec::new(), Vec::new(), Vec::new());
    let pair = |a: usize, b: usize| [(a as u64).to_le_bytes(), (b as u64).to_le_bytes()].concat();
    for (_, cells) in &table.columns {
        let (nulls, buffers) = buffers(cells, first, rows);
        nodes.push(pair(rows, nulls));
        for buffer in buffers {
            places.push(pair(body.len(), buffer.len()));
            body.extend(buffer);
            body.resize(body.len().next_multiple_of(ALIGN), 0);
        }
    }
    let head = vec![
        Value::Long(rows as i64),
        Value::Structs(nodes),
        Value::Structs(places),
    ];
    (Value::Table(head), body)
}

/// How many cells are undefined, and the buffers: which are defined, and the values.
fn buffers(cells: &Cells<'_>, first: usize, rows: usize) -> (usize, Vec<Vec<u8>>) {
    let range = first..first + rows;
    match cells {
        Cells::Doubles(of) => {
            let values: Vec<f64> = range.map(of).collect();
            let nulls = values.iter().filter(|x| !x.is_finite()).count();
            let mut known = vec![0; if nulls > 0 { rows.div_ceil(8) } else { 0 }];
            let finite = values.iter().enumerate().filter(|(_, x)| x.is_finite());
            if nulls > 0 {
                finite.for_each(|(i, _)| known[i / 8] |= 1 << (i % 8));
            }
            let values = values.into_iter().flat_map(f64::to_le_bytes).collect();
            (nulls, vec![known, values])
        }
        Cells::Whole(of) => {
            let values = range.flat_map(|i| of(i).to_le_bytes()).collect();
            (0, vec![Vec::new(), values])
        }
        Cells::Words(of) => {
            let (mut ends, mut letters) = (0_i32.to_le_bytes().to_vec(), Vec::new());
            for i in range {
                letters.extend(of(i).bytes());
                // Words of a batch are short.
                ends.extend((letters.len() as i32).to_le_bytes());
            }
            (0, vec![Vec::new(), ends, letters])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_stand_where_the_footer_says() {
        let table = SampleTable {
            columns: ["t", "x"].map(str::to_owned).to_vec(),
            rows: (0..70_000).map(|i| vec![f64::from(i), f64::NAN]).collect(),
        };
        let mut bytes = Vec::new();
        let blocks = stream(&samples(&table), &mut bytes).expect("memory takes everything");
        assert_eq!(blocks.len(), 2);
        for (place, head, body) in blocks {
            let place = place as usize;
            assert_eq!(bytes[place..place + 4], CONTINUATION);
            assert_eq!((place % ALIGN, head % ALIGN, body % ALIGN), (0, 0, 0));
        }
        let (_, two) = batch(&samples(&table), 0, 3);
        // Column t: no bits, three doubles; column x: a byte of bits with none set, three doubles.
        assert_eq!(two.len(), 24 + 8 + 24);
        assert_eq!(two[8..16], 1.0_f64.to_le_bytes());
        assert_eq!(two[24], 0);
        let mut whole = Vec::new();
        write_arrow(&table, &mut whole).expect("memory takes everything");
        assert!(whole.starts_with(b"ARROW1\0\0") && whole.ends_with(MAGIC));
    }
}
