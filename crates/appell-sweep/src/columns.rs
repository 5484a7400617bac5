//! Tables of columns, and how they are kept in Parquet files.

use crate::problem::Problem;
use appell_expr::limits::look;
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::ColumnWriterImpl;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its entries.
    pub data: Data,
}

/// The entries of a column.
#[derive(Debug, Clone, PartialEq)]
pub enum Data {
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Doubles; what is undefined is NaN.
    Numbers(Vec<f64>),
    /// Words of a few.
    Words {
        /// The words that there may be.
        words: Vec<String>,
        /// The index of each entry's.
        codes: Vec<u32>,
    },
}

impl Column {
    /// A column.
    pub fn new(name: &str, data: Data) -> Self {
        Self {
            name: name.to_owned(),
            data,
        }
    }

    /// An empty column of doubles.
    pub fn numbers(name: String) -> Self {
        Self {
            name,
            data: Data::Numbers(Vec::new()),
        }
    }
}

impl Data {
    /// How many entries there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Whole(entries) => entries.len(),
            Self::Numbers(entries) => entries.len(),
            Self::Words { codes, .. } => codes.len(),
        }
    }

    /// The entries of these places.
    pub fn at(&self, places: &[usize]) -> Self {
        match self {
            Self::Whole(entries) => Self::Whole(places.iter().map(|i| entries[*i]).collect()),
            Self::Numbers(entries) => Self::Numbers(places.iter().map(|i| entries[*i]).collect()),
            Self::Words { words, codes } => Self::Words {
                words: words.clone(),
                codes: places.iter().map(|i| codes[*i]).collect(),
            },
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What a file says beside its columns.
pub type Remarks = Vec<(String, String)>;

/// The remark that has the digest of the file.
const DIGEST: &str = "appell.digest";

/// As many digits as a digest has: they stand for it while it is computed.
const BLANK: [u8; 64] = [b'0'; 64];

/// Where the digest of a file stands: behind its name in the remarks, which are at the end.
fn digest_place(bytes: &[u8]) -> Option<usize> {
    let name = DIGEST.as_bytes();
    let at = bytes
        .windows(name.len())
        .rposition(|window| window == name)?;
    // The kind and the length of the text that follows.
    let from = at + name.len() + 2;
    (bytes.len() >= from + BLANK.len()).then_some(from)
}

/// The digest that stands in a file, and that of all its other bytes.
fn digests(bytes: &[u8]) -> Option<(String, String)> {
    let from = digest_place(bytes)?;
    let to = from + BLANK.len();
    let mut sum = Sha256::new();
    for part in bytes[..from].chunks(1 << 22) {
        look();
        sum.update(part);
    }
    sum.update(BLANK);
    sum.update(&bytes[to..]);
    let said = String::from_utf8_lossy(&bytes[from..to]).into_owned();
    Some((said, hexadecimal(&sum.finalize())))
}

/// Bytes as digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of a file of these columns, and their digest: the same for the same columns and remarks.
///
/// # Errors
/// What the writer refuses; memory takes everything.
pub fn bytes(columns: &[Column], remarks: &Remarks) -> Result<(Vec<u8>, String), Problem> {
    let refused = |why: String| Problem::words(format!("a part cannot be written: {why}"));
    let mut bytes = written(columns, remarks).map_err(|error| refused(error.to_string()))?;
    let place = digest_place(&bytes).zip(digests(&bytes));
    let (from, (_, sum)) =
        place.ok_or_else(|| refused("it has no place for a digest".to_owned()))?;
    bytes[from..from + BLANK.len()].copy_from_slice(sum.as_bytes());
    Ok((bytes, sum))
}

/// As many numbers are written between two looks whether to stop: a few milliseconds.
const AT_ONCE: usize = 1 << 16;

/// Whether a dictionary of the entries is worth its making: of the values of a grid, of words, not of results.
fn repeats(data: &Data) -> bool {
    const SEEN: usize = 1024;
    let Data::Numbers(entries) = data else {
        return matches!(data, Data::Words { .. });
    };
    let seen = &entries[..entries.len().min(SEEN)];
    let different: HashSet<u64> = seen.iter().map(|x| x.to_bits()).collect();
    2 * different.len() <= seen.len()
}

fn written(columns: &[Column], remarks: &Remarks) -> Result<Vec<u8>, ParquetError> {
    let fields: Result<Vec<Arc<Type>>, ParquetError> = columns
        .iter()
        .map(|column| field(column).map(Arc::new))
        .collect();
    let schema = Type::group_type_builder("schema")
        .with_fields(fields?)
        .build()?;
    let digest = (
        DIGEST.to_owned(),
        String::from_utf8_lossy(&BLANK).into_owned(),
    );
    let remarks = remarks.iter().cloned().chain([digest]);
    let remarks = remarks
        .map(|(key, value)| KeyValue::new(key, value))
        .collect();
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_created_by(format!("appell {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(remarks));
    for column in columns.iter().filter(|column| !repeats(&column.data)) {
        let path = ColumnPath::from(column.name.as_str());
        properties = properties.set_column_dictionary_enabled(path, false);
    }
    let properties = properties.build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for column in columns {
        let Some(mut chunk) = group.next_column()? else {
            break;
        };
        match &column.data {
            Data::Whole(entries) => chunk
                .typed::<Int64Type>()
                .write_batch(entries, None, None)?,
            Data::Numbers(entries) => write_numbers(chunk.typed(), entries)?,
            Data::Words { words, codes } => {
                let words: Vec<ByteArray> = words.iter().map(|word| word.as_str().into()).collect();
                let entries: Vec<ByteArray> = codes
                    .iter()
                    .map(|code| words[*code as usize].clone())
                    .collect();
                chunk
                    .typed::<ByteArrayType>()
                    .write_batch(&entries, None, None)?
            }
        };
        chunk.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(out)
}

/// Writes numbers, as long as nobody is to stop; how many there are.
fn write_numbers(
    chunk: &mut ColumnWriterImpl<'_, DoubleType>,
    entries: &[f64],
) -> Result<usize, ParquetError> {
    entries.chunks(AT_ONCE).try_fold(0, |count, entries| {
        look();
        let written = chunk.write_batch(entries, None, None);
        written.map(|more| count + more)
    })
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.data {
        Data::Whole(_) => (Physical::INT64, None),
        Data::Numbers(_) => (Physical::DOUBLE, None),
        Data::Words { .. } => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_repetition(Repetition::REQUIRED)
        .with_logical_type(logical)
        .build()
}

/// The columns of a file and what it says beside them.
///
/// # Errors
/// In words: it is no Parquet file, or has columns of another kind.
pub fn read(path: &Path) -> Result<(Vec<Column>, Remarks), String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let reader = SerializedFileReader::new(file).map_err(in_words)?;
    let about = reader.metadata().file_metadata();
    let remarks = about.key_value_metadata().into_iter().flatten();
    let remarks = remarks
        .map(|pair| (pair.key.clone(), pair.value.clone().unwrap_or_default()))
        .collect();
    let schema = about.schema_descr();
    let mut columns = Vec::new();
    for index in 0..schema.num_columns() {
        let name = schema.column(index).name().to_owned();
        let mut data: Option<Data> = None;
        for group in 0..reader.num_row_groups() {
            let group = reader.get_row_group(group).map_err(in_words)?;
            let rows = group.metadata().num_rows() as usize;
            let more = entries(group.get_column_reader(index).map_err(in_words)?, rows);
            let more = more.map_err(|why| format!("column `{name}`: {why}"))?;
            data = Some(match data {
                Some(before) => joined(before, more),
                None => more,
            });
        }
        let data = data.unwrap_or(Data::Numbers(Vec::new()));
        columns.push(Column { name, data });
    }
    Ok((columns, remarks))
}

fn in_words(error: ParquetError) -> String {
    error.to_string()
}

/// All entries of a column; none may be missing.
fn all<T: DataType>(mut reader: ColumnReaderImpl<T>, rows: usize) -> Result<Vec<T::T>, String> {
    let (mut entries, mut levels) = (Vec::with_capacity(rows), Vec::new());
    let mut read = 0;
    while read < rows {
        let (records, ..) = reader
            .read_records(rows - read, Some(&mut levels), None, &mut entries)
            .map_err(in_words)?;
        if records == 0 {
            return Err("it ends before its last row".to_owned());
        }
        read += records;
    }
    match entries.len() == rows {
        true => Ok(entries),
        false => Err("entries are missing".to_owned()),
    }
}

fn entries(reader: ColumnReader, rows: usize) -> Result<Data, String> {
    Ok(match reader {
        ColumnReader::DoubleColumnReader(reader) => Data::Numbers(all(reader, rows)?),
        ColumnReader::Int64ColumnReader(reader) => Data::Whole(all(reader, rows)?),
        ColumnReader::FloatColumnReader(reader) => {
            Data::Numbers(all(reader, rows)?.into_iter().map(f64::from).collect())
        }
        ColumnReader::Int32ColumnReader(reader) => {
            Data::Whole(all(reader, rows)?.into_iter().map(i64::from).collect())
        }
        ColumnReader::ByteArrayColumnReader(reader) => coded(all(reader, rows)?)?,
        _ => return Err("it holds neither numbers nor words".to_owned()),
    })
}

fn coded(entries: Vec<ByteArray>) -> Result<Data, String> {
    let (mut words, mut codes): (Vec<String>, Vec<u32>) = Default::default();
    for entry in &entries {
        let word = entry.as_utf8().map_err(in_words)?;
        let code = words.iter().position(|w| w == word).unwrap_or_else(|| {
            words.push(word.to_owned());
            words.len() - 1
        });
        if words.len() > 10_000 {
            return Err("it holds too many different words".to_owned());
        }
        codes.push(code as u32);
    }
    Ok(Data::Words { words, codes })
}

/// The entries of both, of which the first decides on the kind.
fn joined(mut before: Data, more: Data) -> Data {
    match (&mut before, more) {
        (Data::Whole(all), Data::Whole(more)) => all.extend(more),
        (Data::Numbers(all), Data::Numbers(more)) => all.extend(more),
        (
            Data::Words { words, codes },
            Data::Words {
                words: more_words,
                codes: more,
            },
        ) => {
            let place: Vec<u32> = more_words
                .into_iter()
                .map(|word| {
                    let known = words.iter().position(|other| *other == word);
                    known.unwrap_or_else(|| {
                        words.push(word);
                        words.len() - 1
                    }) as u32
                })
                .collect();
            codes.extend(more.into_iter().map(|code| place[code as usize]));
        }
        _ => {}
    }
    before
}

/// The columns of a file that this program wrote, and that nobody has changed since.
///
/// # Errors
/// In words.
pub fn read_own(path: &Path) -> Result<(Vec<Column>, Remarks), String> {
    verified(path)?;
    read(path)
}

/// The digest of a file that this program wrote, and that nobody has changed since.
///
/// # Errors
/// In words.
pub fn verified(path: &Path) -> Result<String, String> {
    // Who opens a pipe waits for one that writes.
    let about = fs::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is no regular file".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    match digests(&bytes) {
        Some((said, sum)) if said == sum => Ok(sum),
        Some(_) => Err("the checksum does not match: the file was changed".to_owned()),
        None => {
            Err("there is no checksum in it: it was cut short, or not written by Appell".to_owned())
        }
    }
}

/// Several tables with the same columns, one below the other.
pub fn below(tables: impl IntoIterator<Item = Vec<Column>>) -> Vec<Column> {
    let mut tables = tables.into_iter();
    let mut all = tables.next().unwrap_or_default();
    for table in tables {
        for (column, more) in all.iter_mut().zip(table) {
            let before = std::mem::replace(&mut column.data, Data::Whole(Vec::new()));
            column.data = joined(before, more.data);
        }
    }
    all
}
