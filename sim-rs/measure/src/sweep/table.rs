//! Rows as tables: CSV and Parquet.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::Type;
use serde_json::Number;

use super::columns::{Cell, Column, Kind};
use super::row::Row;

/// Rows of a row group of a Parquet file.
const ROW_GROUP: usize = 1 << 17;

/// A table could not be written.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// As CSV.
    #[error(transparent)]
    Csv(#[from] csv::Error),
    /// As Parquet.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// The file.
    #[error(transparent)]
    File(#[from] io::Error),
    /// A number has no room in a column of signed integers of 64 bits.
    #[error("column {column}: {value} is above the largest integer of a Parquet file, 2^63 - 1")]
    TooLarge {
        /// Name of the column.
        column: &'static str,
        /// The number.
        value: u64,
    },
}

/// Writes rows as CSV: a line of names, and one for each row, in which a value that is not there is empty.
///
/// # Errors
///
/// When the file cannot be written.
pub fn write_csv(rows: &[Row], file: impl Write) -> Result<(), TableError> {
    let mut writer = csv::Writer::from_writer(file);
    writer.write_record(Row::columns().map(|column| column.name))?;
    for row in rows {
        writer.write_record(row.cells().into_iter().map(|cell| match cell {
            None => String::new(),
            Some(Cell::Integer(value)) => value.to_string(),
            // As in JSON.
            Some(Cell::Float(value)) => {
                Number::from_f64(value).map_or_else(String::new, |number| number.to_string())
            }
            Some(Cell::Text(text)) => text,
        }))?;
    }
    Ok(writer.flush()?)
}

/// Writes rows as a Parquet file: INT64, DOUBLE and STRING columns, compressed by Snappy.
///
/// # Errors
///
/// When the file cannot be written, or a number is too large.
pub fn write_parquet(rows: &[Row], file: impl Write + Send) -> Result<(), TableError> {
    let fields = Row::columns().map(|column| {
        let physical = match column.kind {
            Kind::Integer => PhysicalType::INT64,
            Kind::Float => PhysicalType::DOUBLE,
            Kind::Text => PhysicalType::BYTE_ARRAY,
        };
        let repetition = if column.optional {
            Repetition::OPTIONAL
        } else {
            Repetition::REQUIRED
        };
        Type::primitive_type_builder(column.name, physical)
            .with_repetition(repetition)
            .with_logical_type((column.kind == Kind::Text).then_some(LogicalType::String))
            .build()
            .map(Arc::new)
    });
    let schema = Type::group_type_builder("sweep")
        .with_fields(fields.collect::<Result<_, _>>()?)
        .build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
    for rows in rows.chunks(ROW_GROUP) {
        let mut group = writer.next_row_group()?;
        let mut columns: Vec<Vec<Option<Cell>>> = Row::columns()
            .map(|_| Vec::with_capacity(rows.len()))
            .collect();
        for row in rows {
            for (column, cell) in columns.iter_mut().zip(row.cells()) {
                column.push(cell);
            }
        }
        for (column, cells) in Row::columns().zip(columns) {
            write_column(&mut group, column, cells)?;
        }
        group.close()?;
    }
    writer.close()?;
    Ok(())
}

fn write_column<W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    column: &Column,
    cells: Vec<Option<Cell>>,
) -> Result<(), TableError> {
    let is_there: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
    let levels = column.optional.then_some(is_there.as_slice());
    let (mut integers, mut floats, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells.into_iter().flatten() {
        match cell {
            Cell::Integer(value) => {
                integers.push(i64::try_from(value).map_err(|_| TableError::TooLarge {
                    column: column.name,
                    value,
                })?)
            }
            Cell::Float(value) => floats.push(value),
            Cell::Text(text) => texts.push(ByteArray::from(text.into_bytes())),
        }
    }
    match column.kind {
        Kind::Integer => write_values::<W, Int64Type>(group, &integers, levels),
        Kind::Float => write_values::<W, DoubleType>(group, &floats, levels),
        Kind::Text => write_values::<W, ByteArrayType>(group, &texts, levels),
    }
}

fn write_values<W: Write + Send, T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), TableError> {
    if let Some(mut column) = group.next_column()? {
        column.typed::<T>().write_batch(values, levels, None)?;
        column.close()?;
    }
    Ok(())
}
