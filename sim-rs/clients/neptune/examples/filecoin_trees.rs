//! Builds Filecoin's trees from files on a backend, and prints their roots.
//!
//!     cargo run --release --manifest-path sim-rs/clients/Cargo.toml --example filecoin_trees -- \
//!       --columns columns.bin --leaves leaves.bin --backend model --check
//!
//! A file has elements of 32 bytes each, the least significant byte first, as `acclmt generate` writes them:
//! column after column, or leaf after leaf.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use acclmt_driver::chip::ChipDevice;
use acclmt_driver::device::Device;
use acclmt_driver::software::SoftwareDevice;
use acclmt_model::{Hardware, ModelDevice};
use acclmt_neptune::{
    Batcher, ColumnTreeBuilder, ColumnTreeBuilderTrait as _, DEFAULT_MAX_BATCH_SIZE, SharedDevice,
    TreeBuilder, TreeBuilderTrait as _,
};
use acclmt_poseidon::word::{self, Word};
use acclmt_serve::SocketPort;
use blstrs::Scalar;
use clap::{Parser, value_parser};
use ff::PrimeField as _;
use generic_array::GenericArray;
use generic_array::typenum::{U1, U2, U3, U4, U5, U6, U7, U8, U9, U10, U11};
use neptune::poseidon::{Poseidon, PoseidonConstants};
use neptune::{Arity, BatchHasher as _};

/// Builds Filecoin's trees on a backend and prints their roots.
#[derive(Parser)]
struct Arguments {
    /// The columns of TreeC: 32 bytes an element, the least significant first
    #[arg(long, value_name = "FILE", required_unless_present = "leaves")]
    columns: Option<PathBuf>,
    /// Elements of a column
    #[arg(long, value_name = "N", default_value_t = 11, value_parser = value_parser!(u8).range(1..=11))]
    column_arity: u8,
    /// The leaves of TreeR: 32 bytes an element, the least significant first
    #[arg(long, value_name = "FILE")]
    leaves: Option<PathBuf>,
    /// Trees of arity 8 of equal size that make up a tree: their roots are joined by 8, and the last two by 2
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = base_trees)]
    base_trees: usize,
    /// Where trees are built: software (this processor), model (the cycle-exact model of the chip), socket:PATH (the
    /// chip of `acclmt serve`) or, on Linux, uio:/dev/uioN (a chip with DMA) or uio:/dev/uioN,/dev/udmabufN
    #[arg(long, value_name = "NAME", default_value = "software")]
    backend: String,
    /// Build the trees by neptune on this processor, too, and compare their nodes
    #[arg(long)]
    check: bool,
}

fn base_trees(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ (1 | 2 | 8 | 16)) => Ok(count),
        _ => Err("Filecoin has trees of 1, 2, 8 and 16 base trees".to_owned()),
    }
}

/// Why there are no roots.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("'{0}' is no backend; the backends are software, model, socket:PATH and uio:/dev/uioN")]
    Backend(String),
    #[error("the backend '{0}' cannot be made: {1}")]
    Device(String, String),
    #[error("cannot read {0}: {1}")]
    Read(PathBuf, io::Error),
    #[error(
        "{0} is no file whose length says how many leaves there are; write what comes from it to a file first"
    )]
    NoFile(PathBuf),
    #[error(
        "{path} has {bytes} bytes, which are not {} of arity 8 over leaves of {} of 32 bytes: a tree has 8, 64, \
         512, ... leaves",
        counted(*trees, "tree"),
        counted(*length, "element")
    )]
    Length {
        path: PathBuf,
        bytes: u64,
        trees: usize,
        length: usize,
    },
    #[error(
        "element {index} of {path} is {value}, not below the prime of BLS12-381's scalar field"
    )]
    Element {
        path: PathBuf,
        index: usize,
        value: String,
    },
    #[error("{0}")]
    Neptune(#[from] neptune::Error),
    #[error("{name}: node {node} is {given} on the backend, and {expected} by neptune")]
    Different {
        name: &'static str,
        node: usize,
        given: String,
        expected: String,
    },
}

/// So many things.
fn counted(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        _ => format!("{count} {thing}s"),
    }
}

/// The chip behind `/dev/uioN`, or behind that and a buffer of u-dma-buf after a comma.
#[cfg(target_os = "linux")]
fn open_uio(place: &str) -> Result<Box<dyn Device + Send>, Box<dyn std::error::Error>> {
    let (device, udmabuf) = match place.split_once(',') {
        Some((device, udmabuf)) => (device, Some(Path::new(udmabuf))),
        None => (place, None),
    };
    let timing = acclmt_linux::Timing::default();
    let port = acclmt_linux::uio::open(Path::new(device), udmabuf, timing)?;
    Ok(Box::new(ChipDevice::new(port)?))
}

#[cfg(not(target_os = "linux"))]
fn open_uio(_place: &str) -> Result<Box<dyn Device + Send>, Box<dyn std::error::Error>> {
    Err("devices /dev/uioN are those of Linux; take another backend".into())
}

fn open_backend(name: &str) -> Result<SharedDevice, Failure> {
    fn failed<E: ToString>(name: &str) -> impl Fn(E) -> Failure {
        move |error| Failure::Device(name.to_owned(), error.to_string())
    }
    let device: Box<dyn Device + Send> = match name.split_once(':') {
        None if name == "software" => Box::new(SoftwareDevice::new()),
        None if name == "model" => {
            Box::new(ModelDevice::new(Hardware::default()).map_err(failed(name))?)
        }
        Some(("uio", place)) => open_uio(place).map_err(failed(name))?,
        Some(("socket", path)) => {
            let mut waits =
                |before: u32| eprintln!("the chip is in use; before this in the queue: {before}");
            let port = SocketPort::connect(Path::new(path), &mut waits).map_err(failed(name))?;
            Box::new(ChipDevice::new(port).map_err(failed(name))?)
        }
        _ => return Err(Failure::Backend(name.to_owned())),
    };
    Ok(device.into())
}

/// A file of elements.
struct Elements {
    path: PathBuf,
    file: BufReader<File>,
    read: usize,
    /// Leaves of each base tree.
    leaves: usize,
}

impl Elements {
    /// The elements of `trees` trees over leaves of `length` elements.
    fn open(path: &Path, trees: usize, length: usize) -> Result<Self, Failure> {
        let error = |error| Failure::Read(path.to_owned(), error);
        // Opening a pipe waits for who writes to it.
        let is_file = |metadata: io::Result<Metadata>| match metadata.map_err(error)? {
            metadata if metadata.is_file() => Ok(metadata.len()),
            _ => Err(Failure::NoFile(path.to_owned())),
        };
        is_file(fs::metadata(path))?;
        let file = File::open(path).map_err(error)?;
        let bytes = is_file(file.metadata())?;
        let leaf = (trees * length * size_of::<Word>()) as u64;
        let leaves = usize::try_from(bytes / leaf).unwrap_or_default();
        let height = leaves.checked_ilog(8).unwrap_or_default();
        if !bytes.is_multiple_of(leaf) || height == 0 || 8_usize.pow(height) != leaves {
            return Err(Failure::Length {
                path: path.to_owned(),
                bytes,
                trees,
                length,
            });
        }
        Ok(Self {
            path: path.to_owned(),
            file: BufReader::with_capacity(1 << 20, file),
            read: 0,
            leaves,
        })
    }

    fn next(&mut self) -> Result<Scalar, Failure> {
        let mut word = Word::default();
        (self.file.read_exact(&mut word))
            .map_err(|error| Failure::Read(self.path.clone(), error))?;
        let index = self.read;
        self.read += 1;
        let element = Scalar::from_repr(word).into_option();
        element.ok_or_else(|| Failure::Element {
            path: self.path.clone(),
            index,
            value: word::to_hex(&word),
        })
    }

    fn column<A: Arity<Scalar>>(&mut self) -> Result<GenericArray<Scalar, A>, Failure> {
        let mut column = GenericArray::default();
        for element in column.iter_mut() {
            *element = self.next()?;
        }
        Ok(column)
    }
}

/// A tree by plain calls of neptune's hash.
struct Check<C: Arity<Scalar>> {
    columns: PoseidonConstants<Scalar, C>,
    nodes: PoseidonConstants<Scalar, U8>,
}

impl<C: Arity<Scalar>> Check<C> {
    fn new() -> Self {
        Self {
            columns: PoseidonConstants::new(),
            nodes: PoseidonConstants::new(),
        }
    }

    fn column(&self, column: &GenericArray<Scalar, C>) -> Scalar {
        Poseidon::new_with_preimage(column, &self.columns).hash()
    }

    /// Compares a tree with neptune's over these leaves.
    fn compare(
        &self,
        name: &'static str,
        leaves: Vec<Scalar>,
        (base, tree): &(Vec<Scalar>, Vec<Scalar>),
    ) -> Result<(), Failure> {
        let mut expected = leaves;
        let mut row = 0..expected.len();
        while row.len() > 1 {
            let parents: Vec<Scalar> = (expected[row.clone()].chunks(8))
                .map(|children| Poseidon::new_with_preimage(children, &self.nodes).hash())
                .collect();
            row = expected.len()..expected.len() + parents.len();
            expected.extend(parents);
        }
        let given: Vec<Scalar> = base.iter().chain(tree).copied().collect();
        let length = given.len().max(expected.len());
        let text =
            |nodes: &[Scalar], node: usize| nodes.get(node).map_or("nothing".to_owned(), hex);
        match (0..length).find(|&node| given.get(node) != expected.get(node)) {
            None => Ok(()),
            Some(node) => Err(Failure::Different {
                name,
                node,
                given: text(&given, node),
                expected: text(&expected, node),
            }),
        }
    }
}

/// Joins the roots of base trees by arity 8, then by 2.
fn join(
    device: &SharedDevice,
    name: &'static str,
    mut roots: Vec<Scalar>,
    arguments: &Arguments,
) -> Result<Scalar, Failure> {
    while roots.len() > 1 {
        roots = if roots.len().is_multiple_of(8) {
            hash::<U8>(device, name, &roots, arguments)?
        } else {
            hash::<U2>(device, name, &roots, arguments)?
        };
    }
    Ok(roots[0])
}

/// The nodes above these.
fn hash<A: Arity<Scalar>>(
    device: &SharedDevice,
    name: &'static str,
    nodes: &[Scalar],
    arguments: &Arguments,
) -> Result<Vec<Scalar>, Failure> {
    let groups: Vec<GenericArray<Scalar, A>> = (nodes.chunks(A::to_usize()))
        .map(|group| GenericArray::clone_from_slice(group))
        .collect();
    let mut batcher = Batcher::<Scalar, A>::new(device.clone(), DEFAULT_MAX_BATCH_SIZE)?;
    let digests = batcher.hash(&groups)?;
    if arguments.check {
        let constants = PoseidonConstants::<Scalar, A>::new();
        for (node, (digest, group)) in digests.iter().zip(&groups).enumerate() {
            let expected = Poseidon::new_with_preimage(group, &constants).hash();
            if *digest != expected {
                return Err(Failure::Different {
                    name,
                    node,
                    given: hex(digest),
                    expected: hex(&expected),
                });
            }
        }
    }
    Ok(digests)
}

/// The root of TreeC.
fn tree_c<C: Arity<Scalar>>(
    device: &SharedDevice,
    path: &Path,
    arguments: &Arguments,
) -> Result<Scalar, Failure> {
    const PIECE: usize = 1 << 12;
    let mut elements = Elements::open(path, arguments.base_trees, C::to_usize())?;
    let column_batcher = Batcher::<Scalar, C>::new(device.clone(), DEFAULT_MAX_BATCH_SIZE)?;
    let tree_batcher = Batcher::<Scalar, U8>::new(device.clone(), DEFAULT_MAX_BATCH_SIZE)?;
    let mut builder =
        ColumnTreeBuilder::new(Some(column_batcher), Some(tree_batcher), elements.leaves)?;
    let check = arguments.check.then(Check::<C>::new);
    let mut roots = Vec::new();
    for _ in 0..arguments.base_trees {
        let mut expected = Vec::new();
        let mut left = elements.leaves;
        let tree = loop {
            let piece: Result<Vec<_>, _> =
                (0..left.min(PIECE)).map(|_| elements.column()).collect();
            let piece = piece?;
            if let Some(check) = &check {
                expected.extend(piece.iter().map(|column| check.column(column)));
            }
            left -= piece.len();
            if left == 0 {
                break builder.add_final_columns(&piece)?;
            }
            builder.add_columns(&piece)?;
        };
        if let Some(check) = &check {
            check.compare("TreeC", expected, &tree)?;
        }
        roots.extend(tree.1.last());
    }
    join(device, "base trees of TreeC", roots, arguments)
}

/// The root of TreeR.
fn tree_r(device: &SharedDevice, path: &Path, arguments: &Arguments) -> Result<Scalar, Failure> {
    let mut elements = Elements::open(path, arguments.base_trees, 1)?;
    let batcher = Batcher::<Scalar, U8>::new(device.clone(), DEFAULT_MAX_BATCH_SIZE)?;
    let mut builder = TreeBuilder::new(Some(batcher), elements.leaves, 0)?;
    let check = arguments.check.then(Check::<U8>::new);
    let mut roots = Vec::new();
    for _ in 0..arguments.base_trees {
        let leaves: Result<Vec<Scalar>, _> =
            (0..elements.leaves).map(|_| elements.next()).collect();
        let leaves = leaves?;
        let tree = builder.add_final_leaves(&leaves)?;
        if let Some(check) = &check {
            check.compare("TreeR", leaves, &tree)?;
        }
        roots.extend(tree.1.last());
    }
    join(device, "base trees of TreeR", roots, arguments)
}

fn hex(element: &Scalar) -> String {
    word::to_hex(&element.to_repr())
}

/// The roots and their names.
fn run(arguments: &Arguments) -> Result<Vec<(&'static str, String)>, Failure> {
    let device = open_backend(&arguments.backend)?;
    let mut roots = Vec::new();
    if let Some(path) = &arguments.columns {
        let tree = match arguments.column_arity {
            1 => tree_c::<U1>,
            2 => tree_c::<U2>,
            3 => tree_c::<U3>,
            4 => tree_c::<U4>,
            5 => tree_c::<U5>,
            6 => tree_c::<U6>,
            7 => tree_c::<U7>,
            8 => tree_c::<U8>,
            9 => tree_c::<U9>,
            10 => tree_c::<U10>,
            _ => tree_c::<U11>,
        };
        roots.push(("TreeC", tree(&device, path, arguments)?));
    }
    if let Some(path) = &arguments.leaves {
        roots.push(("TreeR", tree_r(&device, path, arguments)?));
    }
    if let [(_, tree_c), (_, tree_r)] = roots[..] {
        let comm_r = hash::<U2>(&device, "comm_r", &[tree_c, tree_r], arguments)?;
        roots.push(("comm_r", comm_r[0]));
    }
    Ok((roots.iter())
        .map(|(name, root)| (*name, hex(root)))
        .collect())
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(roots) => {
            for (name, root) in roots {
                println!("{name:<8}{root}");
            }
            if arguments.check {
                println!("Every node is that of neptune.");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use acclmt_driver::chip::ChipPort;
    use acclmt_model::ComputingChip;
    use acclmt_poseidon::fields::Bls12_381;
    use acclmt_serve::{Options, Server};
    use ark_ff::PrimeField as _;
    use sha2::{Digest as _, Sha512};
    use tempfile::TempDir;

    /// Elements that are SHA-512 of `seed:i` modulo the prime.
    fn file(folder: &TempDir, seed: &str, elements: usize) -> String {
        let words = (0..elements).map(|index| {
            let digest = Sha512::digest(format!("public/filecoin_column_trees/{seed}:{index}"));
            word::from_field(Bls12_381::from_be_bytes_mod_order(&digest))
        });
        write(folder, seed, &words.collect::<Vec<_>>().concat())
    }

    fn write(folder: &TempDir, name: &str, bytes: &[u8]) -> String {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn arguments(arguments: &[&str]) -> Arguments {
        Arguments::try_parse_from(["filecoin_trees"].iter().chain(arguments)).unwrap()
    }

    fn refusal(given: &[&str]) -> String {
        run(&arguments(given)).unwrap_err().to_string()
    }

    /// What neptune's builders and its hash gave, in the shape of a sector of 64 GiB.
    #[test]
    fn joined_trees_have_the_roots_of_neptune() {
        let folder = TempDir::new().unwrap();
        let columns = file(&folder, "joined_k1_sub8_top2_c", 128 * 11);
        let leaves = file(&folder, "joined_k1_sub8_top2_r", 128);
        for backend in ["software", "model"] {
            let roots = run(&arguments(&[
                "--columns",
                &columns,
                "--leaves",
                &leaves,
                "--base-trees",
                "16",
                "--backend",
                backend,
                "--check",
            ]));
            let expected = [
                (
                    "TreeC",
                    "0x69e8603bf8f66009b42279a3783f23a464ca452ce9a561a1c5cd6ac100e67c81",
                ),
                (
                    "TreeR",
                    "0x075ba7955209efff4f07a4a4cc166e3c073b9fc6dbf3c99fd1caa6907b244264",
                ),
                (
                    "comm_r",
                    "0x588d54653eef2e3cf70d878f7c32183787913d53696e516c5a6658c1addd63f8",
                ),
            ];
            let expected = expected.map(|(name, root)| (name, root.to_owned()));
            assert_eq!(roots.unwrap(), expected);
        }
    }

    #[test]
    fn columns_of_two_elements_have_the_root_of_neptune() {
        let folder = TempDir::new().unwrap();
        let columns = file(&folder, "column2_k1", 16);
        let roots = run(&arguments(&["--columns", &columns, "--column-arity", "2"])).unwrap();
        let expected = "0x3779a1555bbb1a4e28597b27c44b328f74a4ca3958f3fa277975237777691f53";
        assert_eq!(roots, [("TreeC", expected.to_owned())]);
    }

    #[test]
    fn a_chip_behind_a_socket_has_the_root_of_neptune() {
        let folder = TempDir::new().unwrap();
        let socket = folder.path().join("chip");
        let server = Server::bind(&socket, Options::default()).unwrap();
        let stopper = server.stopper();
        let thread = std::thread::spawn(move || {
            let open = || {
                let chip = ComputingChip::new(Hardware::default()).unwrap();
                Ok(Box::new(chip) as Box<dyn ChipPort>)
            };
            server.run(&open, &|_| {}).unwrap();
        });
        let columns = file(&folder, "column2_k1", 16);
        let backend = format!("socket:{}", socket.display());
        let roots = run(&arguments(&[
            "--columns",
            &columns,
            "--column-arity",
            "2",
            "--backend",
            &backend,
            "--check",
        ]));
        let expected = "0x3779a1555bbb1a4e28597b27c44b328f74a4ca3958f3fa277975237777691f53";
        assert_eq!(roots.unwrap(), [("TreeC", expected.to_owned())]);
        stopper.stop();
        thread.join().unwrap();
        let message = refusal(&["--columns", &columns, "--backend", &backend]);
        assert!(message.contains("there is no socket"), "{message}");
    }

    #[test]
    fn a_node_that_differs_is_told() {
        let check = Check::<U8>::new();
        let leaves = vec![Scalar::from(1); 8];
        let tree = (leaves.clone(), vec![Scalar::from(7)]);
        let message = check
            .compare("TreeR", leaves, &tree)
            .unwrap_err()
            .to_string();
        let expected = format!(
            "TreeR: node 8 is {} on the backend, and 0x",
            hex(&tree.1[0])
        );
        assert!(message.starts_with(&expected), "{message}");
    }

    #[test]
    fn wrong_files_and_backends_are_refused() {
        let folder = TempDir::new().unwrap();
        for bytes in [0, 32, 255, 257, 9 * 32, 16 * 32] {
            let path = write(&folder, "wrong", &vec![0; bytes]);
            let message = refusal(&["--leaves", &path]);
            let expected = format!(
                "{path} has {bytes} bytes, which are not 1 tree of arity 8 over leaves of 1 element of 32 bytes"
            );
            assert!(message.starts_with(&expected), "{message}");
        }
        let path = write(&folder, "wrong", &[0; 8 * 32]);
        let message = refusal(&["--columns", &path]);
        assert!(message.contains("over leaves of 11 elements"), "{message}");
        let message = refusal(&["--leaves", &path, "--base-trees", "2"]);
        assert!(message.contains("not 2 trees"), "{message}");
        let mut bytes = vec![0; 8 * 32];
        bytes[5 * 32..6 * 32].fill(0xff);
        let path = write(&folder, "wrong", &bytes);
        let message = refusal(&["--leaves", &path]);
        let expected = format!("element 5 of {path} is 0xff");
        assert!(message.starts_with(&expected), "{message}");
        let message = refusal(&["--leaves", &path, "--backend", "gpu"]);
        assert!(message.starts_with("'gpu' is no backend"), "{message}");
        let backend = "uio:/dev/uio999";
        let message = refusal(&["--leaves", &path, "--backend", backend]);
        let expected = format!("the backend '{backend}' cannot be made: ");
        assert!(message.starts_with(&expected), "{message}");
        let message = refusal(&["--leaves", "/dev/null"]);
        assert!(
            message.starts_with("/dev/null is no file whose length"),
            "{message}"
        );
        let message = refusal(&["--leaves", folder.path().to_str().unwrap()]);
        assert!(message.contains("is no file whose length"), "{message}");
        let missing = folder.path().join("missing");
        let message = refusal(&["--leaves", missing.to_str().unwrap()]);
        assert!(message.starts_with("cannot read "), "{message}");
    }

    #[test]
    fn wrong_options_are_refused() {
        for wrong in [
            &[][..],
            &["--columns", "a", "--column-arity", "12"],
            &["--columns", "a", "--column-arity", "0"],
            &["--columns", "a", "--base-trees", "3"],
        ] {
            let given = ["filecoin_trees"].iter().chain(wrong);
            assert!(Arguments::try_parse_from(given).is_err(), "{wrong:?}");
        }
    }
}
