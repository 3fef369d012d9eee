//! Reads the leaves of a commitment from files and from standard input.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use npyz::{DType, NpyHeader, Order as ArrayOrder, TypeChar};

use acclmt_driver::device::{DeviceError, LeafSource};
use acclmt_poseidon::fields::FieldId;
use acclmt_poseidon::text;
use acclmt_poseidon::word::Word;

/// How a NumPy file begins.
const NUMPY: &[u8] = b"\x93NUMPY";

/// The name of standard input in place of a file.
pub const STANDARD_INPUT: &str = "-";

/// Why something could not be used as input.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// It could not be read.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// It is a folder.
    #[error("cannot read {path}: it is a folder; give a file")]
    Folder {
        /// The folder.
        path: PathBuf,
    },
    /// It is a device, which need not end.
    #[error("{path} is a device and need not end; give the number of leaves with --leaves")]
    Endless {
        /// The device.
        path: PathBuf,
    },
    /// A stream could not be kept on disk.
    #[error("cannot keep {path} on disk: {source}; give a file, or the number of leaves")]
    Spool {
        /// The stream.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A NumPy array comes as a stream.
    #[error("{path} is a NumPy array; leave --leaves out, or give it as a file")]
    ArrayStream {
        /// The stream.
        path: PathBuf,
    },
    /// The file has no bytes.
    #[error("{path} is empty: there is nothing to commit to")]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The length of the file is no whole number of elements.
    #[error(
        "{path} has {length} bytes, which is no multiple of {element}: an element has {element} \
         bytes (--pack takes any file)"
    )]
    PartialElement {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        length: u64,
        /// Bytes of an element.
        element: usize,
    },
    /// A NumPy file holds something else than unsigned 64-bit integers in rows.
    #[error("{path} is no array that can be committed to: {problem}")]
    Array {
        /// The file.
        path: PathBuf,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// The rows of an array are no leaves.
    #[error("{path} has rows of {columns} columns, the leaves are of {expected} elements")]
    Columns {
        /// The file.
        path: PathBuf,
        /// Columns of the array.
        columns: u64,
        /// Elements of a leaf.
        expected: usize,
    },
    /// There are more elements than the leaves need.
    #[error(
        "{path} goes on after {leaves} leaves; give their number with --leaves, or cut the input"
    )]
    TooLong {
        /// The file.
        path: PathBuf,
        /// Leaves that were asked for.
        leaves: u64,
    },
}

/// The order in which leaves are taken from a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LeafOrder {
    /// As they are in the file.
    #[default]
    Natural,
    /// Leaf i is the one whose index has the bits of i in reverse; the number of leaves is a power of
    /// two.
    BitReversed,
}

/// Bytes that make up field elements.
pub struct Input {
    path: PathBuf,
    reader: Reader,
    /// Where the elements begin, their number if it is known, and the bytes of each.
    start: u64,
    elements: Option<u64>,
    element: usize,
    /// Columns of an array.
    columns: Option<u64>,
    /// Bytes of the elements: of a file all, of a stream those that were read.
    bytes: u64,
}

enum Reader {
    File(BufReader<File>),
    Stream(Box<dyn Read>),
}

impl Reader {
    fn as_read(&mut self) -> &mut dyn Read {
        match self {
            Self::File(file) => file,
            Self::Stream(input) => input,
        }
    }
}

/// How the bytes of a file are elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Little-endian elements of the size of their field, or a NumPy array.
    Elements,
    /// Any bytes, one less an element than the prime has, so that they are below it; the last element is
    /// filled up with zeros.
    Packed,
}

impl Input {
    /// Opens a file, or a stream: standard input, a pipe or a device. A stream is read as it comes if
    /// `is_counted`, which says that its leaves are, or else kept in a temporary file on disk.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is empty, or does not hold a whole number of elements.
    pub fn open(
        path: &Path,
        field: FieldId,
        format: Format,
        is_counted: bool,
    ) -> Result<Self, InputError> {
        let element = match format {
            Format::Elements => field.element_bytes(),
            Format::Packed => field.element_bytes() - 1,
        };
        let (path, opened) = match path == Path::new(STANDARD_INPUT) {
            true => (PathBuf::from("standard input"), None),
            false => (path.to_owned(), Some(File::open(path))),
        };
        let failed = |source| InputError::Read {
            path: path.clone(),
            source,
        };
        let mut stream: Box<dyn Read> = match opened.transpose().map_err(failed)? {
            None => Box::new(io::stdin().lock()),
            Some(file) => {
                let kind = file.metadata().map_err(failed)?.file_type();
                if kind.is_dir() {
                    return Err(InputError::Folder { path });
                }
                if kind.is_file() {
                    return Self::open_file(path, file, format, element);
                }
                if is_device(kind) && !is_counted {
                    return Err(InputError::Endless { path });
                }
                Box::new(BufReader::new(file))
            }
        };
        if !is_counted {
            let spooled = spool(&mut stream);
            let file = spooled.map_err(|source| InputError::Spool {
                path: path.clone(),
                source,
            })?;
            return Self::open_file(path, file, format, element);
        }
        let mut start = Vec::new();
        let magic = (&mut stream).take(NUMPY.len() as u64);
        { magic }.read_to_end(&mut start).map_err(failed)?;
        if format == Format::Elements && start == NUMPY {
            return Err(InputError::ArrayStream { path });
        }
        Ok(Self {
            path,
            reader: Reader::Stream(Box::new(io::Cursor::new(start).chain(stream))),
            start: 0,
            elements: None,
            element,
            columns: None,
            bytes: 0,
        })
    }

    /// The elements of a file, from where it is.
    fn open_file(
        path: PathBuf,
        mut file: File,
        format: Format,
        element: usize,
    ) -> Result<Self, InputError> {
        let failed = |source| InputError::Read {
            path: path.clone(),
            source,
        };
        let length = file.metadata().map_err(failed)?.len();
        if length == 0 {
            return Err(InputError::Empty { path });
        }
        if format == Format::Elements {
            let mut start = Vec::new();
            let magic = (&mut file).take(NUMPY.len() as u64);
            { magic }.read_to_end(&mut start).map_err(failed)?;
            file.rewind().map_err(failed)?;
            let is_named = path.extension().is_some_and(|extension| extension == "npy");
            if is_named || start == NUMPY {
                return Self::open_array(path, file);
            }
            if !length.is_multiple_of(element as u64) {
                return Err(InputError::PartialElement {
                    path,
                    length,
                    element,
                });
            }
        }
        Ok(Self {
            path,
            reader: Reader::File(BufReader::new(file)),
            start: 0,
            elements: Some(length.div_ceil(element as u64)),
            element,
            columns: None,
            bytes: length,
        })
    }

    fn open_array(path: PathBuf, file: File) -> Result<Self, InputError> {
        let problem = |problem: String| InputError::Array {
            path: path.clone(),
            problem,
        };
        let failed = |source| InputError::Read {
            path: path.clone(),
            source,
        };
        let length = file.metadata().map_err(failed)?.len();
        let mut reader = BufReader::new(file);
        // The library multiplies the lengths without a look at the product.
        let mut start = Vec::new();
        (reader.by_ref().take(MAX_ARRAY_HEADER))
            .read_to_end(&mut start)
            .map_err(failed)?;
        // Nor does it end in time on brackets in brackets in brackets, each of which doubles it.
        let Some(header) = array_header(&start) else {
            return Err(problem(
                "it is no NumPy file (its header is not complete, or longer than 65,000 bytes)"
                    .to_owned(),
            ));
        };
        if nesting(header) > MOST_NESTING {
            let message = "its header has brackets in each other that no array of integers has";
            return Err(problem(message.to_owned()));
        }
        if let Some(shape) = written_shape(&String::from_utf8_lossy(header))
            && size_of_array(&shape).is_none()
        {
            let message = format!("an array of the shape {shape:?} has more than 2^64 bytes");
            return Err(problem(message));
        }
        reader.rewind().map_err(failed)?;
        let header = NpyHeader::from_reader(&mut reader).map_err(|error| {
            // What the library says repeats the header, whatever its length.
            let error = text::message(&error);
            problem(format!("it is no NumPy file ({error})"))
        })?;
        let is_uint64 = match header.dtype() {
            DType::Plain(kind) => {
                kind.type_char() == TypeChar::Uint
                    && kind.num_bytes() == Some(8)
                    && kind.endianness() != npyz::Endianness::Big
            }
            _ => false,
        };
        if !is_uint64 {
            let kind = header.dtype().descr();
            let message = format!("its elements are {kind}, expected '<u8' (uint64)");
            return Err(problem(message));
        }
        let shape = header.shape().to_vec();
        let columns = match shape[..] {
            [_] => None,
            [_, columns] => Some(columns),
            _ => {
                let message = format!("it has {} dimensions, expected 1 or 2", shape.len());
                return Err(problem(message));
            }
        };
        if columns.is_some() && header.order() != ArrayOrder::C {
            let message = "it is in Fortran order; store it with numpy.ascontiguousarray";
            return Err(problem(message.to_owned()));
        }
        let Some((elements, bytes)) = size_of_array(&shape) else {
            let message = format!("an array of the shape {shape:?} has more than 2^64 bytes");
            return Err(problem(message));
        };
        if elements == 0 {
            return Err(InputError::Empty { path });
        }
        let start = reader.stream_position().map_err(failed)?;
        if length - start != bytes {
            let message = format!(
                "it has {} bytes of data, its shape {shape:?} needs {bytes}",
                length - start
            );
            return Err(problem(message));
        }
        Ok(Self {
            path,
            reader: Reader::File(reader),
            start,
            elements: Some(elements),
            element: 8,
            columns,
            bytes,
        })
    }

    /// Number of elements; nothing for a stream.
    pub fn elements(&self) -> Option<u64> {
        self.elements
    }

    /// Bytes of the elements: of a file all, of a stream those that were read.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that make up an element.
    pub fn element_bytes(&self) -> usize {
        self.element
    }

    /// Whether it can be read once more.
    pub fn is_file(&self) -> bool {
        matches!(self.reader, Reader::File(_))
    }

    /// The name for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The leaves from the first one on, of `length` elements each. Behind the end of a file are zeros if
    /// `zeros` are wanted, and behind that of a stream to the end of its last leaf.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, or an array has rows of another length.
    pub fn leaves(
        &mut self,
        length: usize,
        leaves: u64,
        order: LeafOrder,
        zeros: bool,
    ) -> Result<Leaves<'_>, InputError> {
        if let Some(columns) = self.columns.filter(|&columns| columns != length as u64) {
            return Err(InputError::Columns {
                path: self.path.clone(),
                columns,
                expected: length,
            });
        }
        let start = self.start;
        if let Reader::File(file) = &mut self.reader {
            file.seek(SeekFrom::Start(start))
                .map_err(|source| InputError::Read {
                    path: self.path.clone(),
                    source,
                })?;
        }
        Ok(Leaves {
            input: self,
            length,
            leaves,
            order,
            zeros,
            position: 0,
        })
    }
}

/// Most bytes of the header of an array.
const MAX_ARRAY_HEADER: u64 = 1 << 16;

/// Brackets in each other that the header of an array of integers may have: a dictionary, with a tuple in it.
const MOST_NESTING: usize = 4;

/// The text of a NumPy array's header in the beginning of the file: behind the magic bytes, the version, and its
/// length, which has two bytes in version 1 and four in the later ones. Nothing where it is not complete.
fn array_header(start: &[u8]) -> Option<&[u8]> {
    let (begin, length) = match *start.get(6..12)? {
        [1, _, a, b, ..] => (10, usize::from(u16::from_le_bytes([a, b]))),
        [_, _, a, b, c, d] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        _ => return None,
    };
    start.get(begin..)?.get(..length)
}

/// How many brackets are open at the same time, at most.
fn nesting(text: &[u8]) -> usize {
    let mut open = 0_usize;
    let mut most = 0;
    for byte in text {
        match byte {
            b'{' | b'(' | b'[' => open += 1,
            b'}' | b')' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most
}

/// The shape in the header of an array, where there is one: `'shape': (2, 3), `.
fn written_shape(header: &str) -> Option<Vec<u64>> {
    let (_, rest) = header.split_once("'shape'")?;
    let (_, rest) = rest.split_once('(')?;
    let (lengths, _) = rest.split_once(')')?;
    let lengths = lengths.split(',').map(str::trim);
    lengths
        .filter(|length| !length.is_empty())
        .map(|length| length.parse().ok())
        .collect()
}

/// Elements and bytes of an array of 64-bit integers; nothing where they are 2^64 or more.
fn size_of_array(shape: &[u64]) -> Option<(u64, u64)> {
    let mut lengths = shape.iter();
    let elements = lengths.try_fold(1_u64, |size, &length| size.checked_mul(length))?;
    Some((elements, elements.checked_mul(8)?))
}

/// Whether a file is a device, such as `/dev/zero`.
#[cfg(unix)]
fn is_device(kind: std::fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_kind: std::fs::FileType) -> bool {
    false
}

/// Whether `path` is a file, and neither a stream nor a folder.
pub fn is_regular(path: &Path) -> bool {
    path != Path::new(STANDARD_INPUT) && path.is_file()
}

/// Copies a stream into a file without a name, which is gone when it is closed.
fn spool(input: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(input, &mut file)?;
    file.flush()?;
    file.rewind()?;
    Ok(file)
}

/// The leaves of an [`Input`].
pub struct Leaves<'a> {
    input: &'a mut Input,
    length: usize,
    leaves: u64,
    order: LeafOrder,
    zeros: bool,
    /// Elements that were read.
    position: u64,
}

impl Leaves<'_> {
    fn failed(&self, source: io::Error) -> DeviceError {
        DeviceError::failed(InputError::Read {
            path: self.input.path.clone(),
            source,
        })
    }

    /// The next elements where the reader is.
    fn read_on(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        let element = self.input.element;
        let mut bytes = Vec::new();
        let wanted = (elements * element) as u64;
        self.input
            .reader
            .as_read()
            .take(wanted)
            .read_to_end(&mut bytes)
            .map_err(|error| self.failed(error))?;
        let read = bytes.len() as u64;
        if read < wanted {
            // A stream that ends before its last leaf was not what its producer meant.
            let given = self.position + read.div_ceil(element as u64);
            let is_complete = match self.input.is_file() {
                true => self.zeros,
                false => self.zeros && given > (self.leaves - 1) * self.length as u64,
            };
            if !is_complete {
                return Err(DeviceError::SourceEnds {
                    given: read / element as u64,
                    expected: elements as u64,
                });
            }
        }
        if !self.input.is_file() {
            self.input.bytes += read;
        }
        let mut words: Vec<Word> = bytes
            .chunks(element)
            .map(|chunk| {
                let mut word = Word::default();
                word[..chunk.len()].copy_from_slice(chunk);
                word
            })
            .collect();
        words.resize(elements, Word::default());
        Ok(words)
    }

    /// A stream must end with its last leaf.
    fn check_end(&mut self) -> Result<(), DeviceError> {
        if self.input.is_file() {
            return Ok(());
        }
        let mut byte = [0];
        let more = self.input.reader.as_read().read(&mut byte);
        match more.map_err(|error| self.failed(error))? {
            0 => Ok(()),
            _ => Err(DeviceError::failed(InputError::TooLong {
                path: self.input.path.clone(),
                leaves: self.leaves,
            })),
        }
    }

    /// Moves the reader to leaf `index`.
    fn seek(&mut self, index: u64) -> Result<(), DeviceError> {
        let offset = self.input.start + index * (self.length * self.input.element) as u64;
        let Reader::File(file) = &mut self.input.reader else {
            return Ok(());
        };
        // What the buffer holds already is not read again.
        let moved = file
            .stream_position()
            .and_then(|current| file.seek_relative(offset as i64 - current as i64));
        moved.map_err(|error| self.failed(error))
    }
}

impl LeafSource for Leaves<'_> {
    fn read(&mut self, elements: usize) -> Result<Vec<Word>, DeviceError> {
        if elements == 0 {
            return Ok(Vec::new());
        }
        let words = match self.order {
            LeafOrder::Natural => self.read_on(elements)?,
            LeafOrder::BitReversed => {
                let mut words = Vec::with_capacity(elements);
                let first = self.position / self.length as u64;
                let bits = self.leaves.max(2).ilog2();
                for leaf in first..first + (elements / self.length) as u64 {
                    let index = if self.leaves == 1 {
                        0
                    } else {
                        leaf.reverse_bits() >> (u64::BITS - bits)
                    };
                    self.seek(index)?;
                    words.extend(self.read_on(self.length)?);
                }
                words
            }
        };
        self.position += elements as u64;
        if self.position == self.leaves * self.length as u64 {
            self.check_end()?;
        }
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn all(path: &Path, field: FieldId, format: Format) -> Result<Vec<Word>, String> {
        let mut input =
            Input::open(path, field, format, false).map_err(|error| error.to_string())?;
        let elements = input.elements().unwrap();
        let mut leaves = input
            .leaves(1, elements, LeafOrder::Natural, true)
            .map_err(|error| error.to_string())?;
        leaves
            .read(elements as usize)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn packed_bytes_are_little_endian_and_filled_up_with_zeros() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, (1..=33).collect::<Vec<u8>>()).unwrap();
        let words = all(&path, FieldId::Bls12_381, Format::Packed).unwrap();
        assert_eq!(words.len(), 2);
        assert_eq!(words[0][..31], (1..=31).collect::<Vec<u8>>());
        assert_eq!(
            (words[0][31], words[1][0], words[1][1], words[1][2]),
            (0, 32, 33, 0)
        );
        let words = all(&path, FieldId::Goldilocks, Format::Packed).unwrap();
        assert_eq!(words.len(), 5);
        assert_eq!(words[4][..8], [29, 30, 31, 32, 33, 0, 0, 0]);
    }

    #[test]
    fn elements_have_the_size_of_their_field() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bytes");
        fs::write(&path, (1..=24).collect::<Vec<u8>>()).unwrap();
        let words = all(&path, FieldId::Goldilocks, Format::Elements).unwrap();
        assert_eq!(words.len(), 3);
        assert_eq!(words[2][..9], [17, 18, 19, 20, 21, 22, 23, 24, 0]);
        let message = all(&path, FieldId::Bn254, Format::Elements).unwrap_err();
        assert!(
            message.contains("has 24 bytes, which is no multiple of 32"),
            "{message}"
        );
    }

    #[test]
    fn leaves_come_in_bit_reversed_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("elements");
        let bytes: Vec<u8> = (0..16_u64).flat_map(u64::to_le_bytes).collect();
        fs::write(&path, bytes).unwrap();
        let mut input = Input::open(&path, FieldId::Goldilocks, Format::Elements, false).unwrap();
        let mut leaves = input.leaves(2, 8, LeafOrder::BitReversed, false).unwrap();
        let mut words = leaves.read(6).unwrap();
        words.extend(leaves.read(10).unwrap());
        let numbers: Vec<_> = words.iter().map(|word| word[0]).collect();
        assert_eq!(
            numbers,
            [0, 1, 8, 9, 4, 5, 12, 13, 2, 3, 10, 11, 6, 7, 14, 15]
        );
    }

    fn npy(header: &str, data: &[u64]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let padded = format!("{header:<117}\n");
        bytes.extend((padded.len() as u16).to_le_bytes());
        bytes.extend(padded.bytes());
        bytes.extend(data.iter().flat_map(|value| value.to_le_bytes()));
        bytes
    }

    #[test]
    fn numpy_arrays_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.npy");
        let write = |header: &str, count: u64| {
            fs::write(&path, npy(header, &(0..count).collect::<Vec<_>>())).unwrap();
        };
        let matrix = "{'descr': '<u8', 'fortran_order': False, 'shape': (4, 3), }";
        write(matrix, 12);
        let mut input = Input::open(&path, FieldId::Goldilocks, Format::Elements, false).unwrap();
        assert_eq!(input.elements(), Some(12));
        let message = input.leaves(4, 3, LeafOrder::Natural, false).err().unwrap();
        assert!(
            message.to_string().contains("rows of 3 columns"),
            "{message}"
        );
        let words = input
            .leaves(3, 4, LeafOrder::Natural, false)
            .unwrap()
            .read(12)
            .unwrap();
        assert_eq!(words[11][0], 11);
        for (header, count, part) in [
            (matrix, 11, "88 bytes of data"),
            // 2^61 + 1 rows of 8 elements of 8 bytes are 64 bytes, modulo 2^64.
            (
                "{'descr': '<u8', 'fortran_order': False, 'shape': (2305843009213693953, 8), }",
                8,
                "more than 2^64 bytes",
            ),
            (
                "{'descr': '<u8', 'fortran_order': False, 'shape': (2305843009213693953,), }",
                1,
                "more than 2^64 bytes",
            ),
            (
                "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }",
                4,
                "expected '<u8'",
            ),
            (
                "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{",
                4,
                "brackets in each other",
            ),
            (
                "{'descr': '>u8', 'fortran_order': False, 'shape': (4,), }",
                4,
                "expected '<u8'",
            ),
            (
                "{'descr': '<u8', 'fortran_order': True, 'shape': (2, 2), }",
                4,
                "Fortran order",
            ),
            (
                "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 2, 2), }",
                4,
                "3 dimensions",
            ),
            (
                "{'descr': '<u8', 'fortran_order': False, 'shape': (0, 3), }",
                0,
                "nothing to commit to",
            ),
        ] {
            write(header, count);
            let message = all(&path, FieldId::Goldilocks, Format::Elements).unwrap_err();
            assert!(message.contains(part), "{message}");
        }
        // An array is one whatever its name is; packed, its bytes are data.
        let unnamed = folder.path().join("rows");
        let list = "{'descr': '<u8', 'fortran_order': False, 'shape': (12,), }";
        fs::write(&unnamed, npy(list, &(0..12).collect::<Vec<_>>())).unwrap();
        let words = all(&unnamed, FieldId::Goldilocks, Format::Elements).unwrap();
        assert_eq!((words.len(), words[11][0]), (12, 11));
        let words = all(&unnamed, FieldId::Goldilocks, Format::Packed).unwrap();
        assert_eq!(words.len(), (128 + 96_usize).div_ceil(7));
        fs::write(&path, "no array").unwrap();
        let message = all(&path, FieldId::Goldilocks, Format::Elements).unwrap_err();
        assert!(message.contains("no NumPy file"), "{message}");
    }
}
