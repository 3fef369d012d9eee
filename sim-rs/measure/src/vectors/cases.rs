//! Reads the cases of a file: what each of them asks for.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::elements::{element, generate_element};
use super::recognise::{Recognised, with_tag};
use super::sectors;
use acclmt_merkle::tree::check_leaf_count;
use acclmt_poseidon::bounds::check_width;
use acclmt_poseidon::dispatch;
use acclmt_poseidon::fields::{AnyParameters, FieldId};
use acclmt_poseidon::presets;
use acclmt_poseidon::sponge::{Capacity, Padding, Sponge};
use acclmt_poseidon::text;
use acclmt_poseidon::word::{self, Word};

/// Most leaves that a case may have.
pub const MAX_LEAVES: usize = 1 << 24;

/// Most steps of a chain of a case.
pub const MAX_CHAIN: u64 = 1 << 24;

/// A case of a file.
#[derive(Clone, Debug)]
pub struct VectorCase {
    /// Name of the case.
    pub name: String,
    pub(super) checks: Result<Vec<Check>, Skipped>,
}

/// What a check of a case takes of a device.
#[derive(Clone, Copy, Debug)]
pub struct Work<'a> {
    /// What is computed with.
    pub parameters: &'a AnyParameters,
    /// Runs that wait for the one before. Hashes that wait for nothing share runs with other cases, and
    /// are not counted here.
    pub runs: u64,
    /// Permutations.
    pub hashes: u64,
}

impl VectorCase {
    /// What each check takes of a device; nothing for a case that is not run.
    pub fn work(&self) -> Vec<Work<'_>> {
        let checks = self.checks.iter().flatten();
        checks.filter_map(Check::work).collect()
    }

    /// Whether every hash waits for the one before.
    pub fn is_chain(&self) -> bool {
        let is_chain = |check: &Check| {
            matches!(
                check,
                Check::HashChain { .. } | Check::PermutationChain { .. }
            )
        };
        self.checks.iter().flatten().any(is_chain)
    }
}

/// Why a case is not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Skipped(pub(super) String);

/// What a case asks for; a few of these together are a case.
#[derive(Clone, Debug)]
pub(super) enum Check {
    Hash {
        parameters: Arc<AnyParameters>,
        inputs: Vec<Word>,
        output: Vec<Word>,
    },
    Permute {
        parameters: Arc<AnyParameters>,
        state: Vec<Word>,
        /// The elements that are compared.
        positions: Vec<usize>,
        output: Vec<Word>,
    },
    Sponge {
        parameters: Arc<AnyParameters>,
        sponge: Sponge,
        message: Vec<Word>,
        output: Vec<Word>,
    },
    /// A digest that needs no hash.
    Equal {
        output: Vec<Word>,
        got: Vec<Word>,
    },
    /// `x_0 = 0`, `x_(k+1) = H(x_k, k + 1, k + 2, ..)`; the output is `x_length`.
    HashChain {
        parameters: Arc<AnyParameters>,
        length: u64,
        output: Vec<Word>,
    },
    /// The permutation, `length` times on a state of zeros.
    PermutationChain {
        parameters: Arc<AnyParameters>,
        length: u64,
        output: Vec<Word>,
    },
    /// Blocks that are added to the elements from 1 on of a state of zeros, a permutation behind each; the output are
    /// these elements of the last state, and behind each further permutation (Aleo).
    Squeeze {
        parameters: Arc<AnyParameters>,
        message: Vec<Word>,
        output: Vec<Word>,
    },
    Merkle(Box<MerkleCheck>),
    Levels(Box<LevelsCheck>),
}

impl Check {
    /// What it takes of a device, see [`Work`].
    pub(super) fn work(&self) -> Option<Work<'_>> {
        let (parameters, runs, hashes) = match self {
            Self::Hash { parameters, .. } | Self::Permute { parameters, .. } => (parameters, 0, 1),
            Self::Sponge {
                parameters,
                sponge,
                message,
                ..
            } => (parameters, 0, sponge.blocks_of(message.len())),
            Self::Equal { .. } => return None,
            Self::HashChain {
                parameters, length, ..
            }
            | Self::PermutationChain {
                parameters, length, ..
            } => (parameters, *length, *length),
            Self::Squeeze {
                parameters,
                message,
                output,
            } => {
                let rate = parameters.width() - 1;
                let permutations = message.len().div_ceil(rate) + output.len().div_ceil(rate) - 1;
                (parameters, permutations as u64, permutations as u64)
            }
            Self::Merkle(check) => {
                let (leaves, blocks) = match &check.leaves {
                    Leaves::Digests(words) => (words.len() / check.parameters.digest_length(), 0),
                    Leaves::Messages(sponge, messages) => {
                        let blocks = messages.iter().map(|it| sponge.blocks_of(it.len()));
                        (messages.len(), blocks.sum())
                    }
                };
                (&check.parameters, 1, leaves as u64 + blocks)
            }
            // A node for each leaf is more than there are.
            Self::Levels(check) => (&check.parameters, 1, 2 * check.leaves),
        };
        Some(Work {
            parameters,
            runs,
            hashes,
        })
    }
}

/// A Merkle tree.
#[derive(Clone, Debug)]
pub(super) struct MerkleCheck {
    pub parameters: Arc<AnyParameters>,
    /// The set of rows, where it is another one.
    pub rows: Option<Arc<AnyParameters>>,
    pub leaves: Leaves,
    /// Levels above the leaves of a tree some leaves of which are absent. An absent leaf, and a node
    /// without any leaf below, is zero and not a hash.
    pub sparse_height: Option<u32>,
    pub root: Vec<Word>,
    pub layers: Option<Vec<Vec<Word>>>,
    /// Nodes that there are, the first and the last one of each level.
    pub ends: Vec<LevelEnds>,
    pub paths: Vec<PathCheck>,
}

/// What is known of a level of a tree, leaves first.
#[derive(Clone, Debug)]
pub(super) struct LevelEnds {
    pub nodes: usize,
    pub first: Vec<Word>,
    pub last: Vec<Word>,
}

/// A Merkle tree whose levels may have parameter sets of their own.
#[derive(Clone, Debug)]
pub(super) struct LevelsCheck {
    pub parameters: Arc<AnyParameters>,
    /// The parameter set of leaves that are hashed.
    pub leaf: Option<Arc<AnyParameters>>,
    /// Those of upper levels, by ascending level.
    pub upper: Vec<(u32, Arc<AnyParameters>)>,
    /// Number of leaves.
    pub leaves: u64,
    /// Their elements.
    pub elements: Vec<Word>,
    /// Nodes, the root among them.
    pub nodes: Vec<NodeCheck>,
}

/// A node of a tree.
#[derive(Clone, Debug)]
pub(super) struct NodeCheck {
    /// Where the case gives it.
    pub place: String,
    pub level: u32,
    pub index: u64,
    pub value: Word,
}

/// The leaves of a tree.
#[derive(Clone, Debug)]
pub(super) enum Leaves {
    /// The elements of the leaves, one after another.
    Digests(Vec<Word>),
    /// The sponge hashes each of these to a leaf.
    Messages(Sponge, Vec<Vec<Word>>),
}

/// An authentication path.
#[derive(Clone, Debug)]
pub(super) struct PathCheck {
    pub index: usize,
    /// The elements of the leaf, where the file gives them.
    pub leaf: Option<Vec<Word>>,
    /// The elements of each sibling of each level.
    pub siblings: Vec<Vec<Vec<Word>>>,
}

/// One field element, or a list of some.
#[derive(Clone, Deserialize)]
#[serde(
    untagged,
    expecting = "expected a field element in hexadecimal with 0x, or a list of such"
)]
enum Elements {
    One(String),
    Many(Vec<String>),
}

impl Elements {
    fn texts(&self) -> &[String] {
        match self {
            Self::One(text) => std::slice::from_ref(text),
            Self::Many(texts) => texts,
        }
    }
}

#[derive(Deserialize)]
struct HashRecord {
    domain_tag: Option<String>,
    domain: Option<String>,
    #[serde(rename = "L")]
    length: Option<usize>,
    n: Option<usize>,
    inputs: Vec<String>,
    output: Elements,
}

#[derive(Deserialize)]
struct ChainRecord {
    domain_tag: Option<String>,
    length: u64,
    output: Elements,
}

#[derive(Deserialize)]
struct SpongeRecord {
    inputs: Vec<String>,
    output: Elements,
    hash_or_noop: Option<Elements>,
    hash_pad: Option<Elements>,
}

#[derive(Deserialize)]
struct PermutationRecord {
    state0: Option<String>,
    inputs: Vec<String>,
    output: Elements,
}

#[derive(Deserialize)]
struct TwoToOneRecord {
    left: Elements,
    right: Elements,
    output: Elements,
}

#[derive(Deserialize)]
struct MerkleRecord {
    arity: Option<usize>,
    height: Option<u32>,
    leaf_count: Option<usize>,
    capacity: Option<usize>,
    leaves_gen: Option<String>,
    seed: Option<String>,
    leaves: Option<Vec<Elements>>,
    row_count: Option<usize>,
    columns: Option<usize>,
    rows_gen: Option<String>,
    rows: Option<Vec<Vec<String>>>,
    root: Elements,
    layers: Option<Vec<Vec<Elements>>>,
    #[serde(default)]
    levels: Vec<LevelRecord>,
    #[serde(default)]
    paths: Vec<PathTextRecord>,
}

#[derive(Deserialize)]
struct LevelRecord {
    nodes: usize,
    first: Elements,
    last: Elements,
}

#[derive(Deserialize)]
struct SpongeHashRecord {
    domain: Option<String>,
    inputs: Vec<String>,
    output: Elements,
}

#[derive(Deserialize)]
struct PathTextRecord {
    index: usize,
    leaf: Option<Elements>,
    row: Option<Vec<String>>,
    siblings: Vec<Siblings>,
}

/// The siblings of a level: a list of nodes, or, where there is one, its elements.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected a list of field elements in hexadecimal with 0x, or a list of such lists"
)]
enum Siblings {
    Texts(Vec<String>),
    Nodes(Vec<Vec<String>>),
}

pub(super) type Read = Result<Result<Vec<Check>, Skipped>, String>;

pub(super) fn skip(reason: impl Into<String>) -> Read {
    Ok(Err(Skipped(reason.into())))
}

/// What `case` of a file of the kind `kind` asks for.
///
/// # Errors
///
/// When the case does not follow the format.
pub(super) fn read(recognised: &Recognised, kind: &str, case: Value) -> Read {
    let text = |key| case.get(key).and_then(Value::as_str);
    let kind = match (kind, text("kind")) {
        ("mixed" | "merkle_nary" | "sponge_hash", own) => match text("op") {
            Some(op) => (own.filter(|_| kind == "sponge_hash"))
                .map_or_else(|| op.to_owned(), |own| format!("{op} {own}")),
            None => return Err("it does not say its op".to_owned()),
        },
        ("merkle", _) | (_, None) => kind.to_owned(),
        ("hash", Some(own)) => own.to_owned(),
        (kind, Some(own)) => format!("{kind} {own}"),
    };
    let parameters = match recognised {
        Recognised::Set { parameters, .. } => Arc::clone(parameters),
        Recognised::Circom => {
            let count = case.get("n").and_then(Value::as_u64);
            let count = count.and_then(|count| usize::try_from(count).ok());
            let listed = case.get("inputs").and_then(Value::as_array).map(Vec::len);
            let Some(inputs) = count.or(listed) else {
                return Err("it gives no inputs".to_owned());
            };
            if let Err(problem) = check_width(inputs.saturating_add(1), FieldId::Bn254.bits()) {
                return skip(problem);
            }
            let set = presets::by_name(&format!("circom-bn254-arity-{inputs}"));
            Arc::new(set.map_err(|error| error.to_string())?.clone())
        }
        Recognised::Filecoin => {
            let op = text("op").ok_or("it does not say its op")?.to_owned();
            return sectors::read(&op, case);
        }
        // The nodes of a tree count where both do.
        Recognised::Nary { rows, .. } if kind == "sponge" => Arc::clone(rows),
        Recognised::Nary { nodes, .. } => Arc::clone(nodes),
    };
    let reader = Reader {
        parameters,
        recognised,
    };
    match kind.as_str() {
        "hash" => reader.hash(record(case)?),
        "chain" => reader.chain(record(case)?),
        "sponge" | "hash_many" => reader.sponge(record(case)?),
        "hash_single" => reader.hash_single(record(case)?),
        "permutation" | "permutation_output1" => reader.permutation(record(case)?),
        "permutation chain" => reader.permutation_chain(record(case)?),
        "two_to_one" => reader.two_to_one(record(case)?),
        "merkle" => reader.merkle(record(case)?),
        "tree" => reader.tree(case),
        "node" | "merge" | "merge_in_domain" => reader.node(record(case)?),
        "hash_elements" | "hash_in_domain" => reader.hash_in_domain(record(case)?),
        "preimage" => reader.preimage(record(case)?),
        "aleo" => reader.aleo(record(case)?),
        "jive_merge" => reader.jive(record(case)?),
        kind => skip(format!("cases of the kind '{kind}' are not supported")),
    }
}

pub(super) fn record<T: DeserializeOwned>(case: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(case).map_err(|error| {
        let problem = text::message(error.inner());
        match error.path().to_string() {
            // The message of a missing key names it.
            path if path == "." => problem,
            path => format!("{path}: {problem}"),
        }
    })
}

fn check_chain(length: u64) -> Result<(), String> {
    match length {
        0..=MAX_CHAIN => Ok(()),
        _ => Err(format!(
            "its chain has {length} steps, expected at most {MAX_CHAIN}"
        )),
    }
}

/// The domain of dusk's Merkle trees of arity 4, which its preset hashes in.
const DUSK_MERKLE4_DOMAIN: u64 = 15;

struct Reader<'a> {
    parameters: Arc<AnyParameters>,
    recognised: &'a Recognised,
}

impl Reader<'_> {
    fn elements(&self, texts: &[String], what: &str) -> Result<Vec<Word>, String> {
        let field = self.parameters.field();
        (texts.iter().enumerate())
            .map(|(index, text)| element(text, field, || format!("{what}[{index}]")))
            .collect()
    }

    /// `length` elements; a single one may stand alone.
    fn list(&self, elements: &Elements, what: &str, length: usize) -> Result<Vec<Word>, String> {
        let words = match elements {
            Elements::One(text) => {
                vec![element(text, self.parameters.field(), || what.to_owned())?]
            }
            Elements::Many(texts) => self.elements(texts, what)?,
        };
        if words.len() == length {
            return Ok(words);
        }
        Err(format!(
            "its {what} has {} elements, expected {length}",
            words.len()
        ))
    }

    fn digest(&self, elements: &Elements, what: &str) -> Result<Vec<Word>, String> {
        self.list(elements, what, self.parameters.digest_length())
    }

    fn tagged(&self, tag: Option<&String>) -> Result<Arc<AnyParameters>, String> {
        match tag {
            None => Ok(Arc::clone(&self.parameters)),
            Some(_) => Ok(Arc::new(with_tag((*self.parameters).clone(), tag)?)),
        }
    }

    fn hash(&self, case: HashRecord) -> Read {
        let parameters = self.tagged(case.domain_tag.as_ref())?;
        let mut inputs = self.elements(&case.inputs, "inputs")?;
        let output = self.digest(&case.output, "output")?;
        let count = inputs.len();
        if let Some(given) = (case.length.or(case.n)).filter(|&given| given != count) {
            return Err(format!("it has {count} inputs and announces {given}"));
        }
        let expected = parameters.inputs();
        if let Some(name) = &case.domain {
            let Recognised::Set { domains, .. } = self.recognised else {
                return skip(format!("the domain '{name}' is not known"));
            };
            let (Some(&domain), Some(sponge)) = (domains.get(name), parameters.sponge()) else {
                return skip(format!("the domain '{name}' is not known"));
            };
            let Capacity::Safe { position, .. } = sponge.capacity else {
                return skip(format!("'{}' has no domains", parameters.name()));
            };
            if (domain, count) != (DUSK_MERKLE4_DOMAIN, expected) {
                let capacity = Capacity::Safe { position, domain };
                let sponge = Sponge {
                    capacity,
                    ..sponge.clone()
                };
                return Ok(Ok(vec![Check::Sponge {
                    parameters,
                    sponge,
                    message: inputs,
                    output,
                }]));
            }
        }
        // A hash of constant length has a tag of its own; its preimage is filled up with zeros.
        if case.domain_tag.is_some() && count < expected {
            inputs.resize(expected, Word::default());
        }
        if inputs.len() != expected {
            let Some(sponge) = parameters.sponge().cloned() else {
                return Err(format!("it has {count} inputs, expected {expected}"));
            };
            return Ok(Ok(vec![Check::Sponge {
                parameters,
                sponge,
                message: inputs,
                output,
            }]));
        }
        let mut checks = Vec::new();
        // With this rule the same hash is one of the sponge.
        if case.length.is_some()
            && let Some(sponge) = parameters.sponge()
        {
            checks.push(Check::Sponge {
                parameters: Arc::clone(&parameters),
                sponge: sponge.clone(),
                message: inputs.clone(),
                output: output.clone(),
            });
        }
        checks.push(Check::Hash {
            parameters,
            inputs,
            output,
        });
        Ok(Ok(checks))
    }

    fn chain(&self, case: ChainRecord) -> Read {
        check_chain(case.length)?;
        if self.parameters.digest_length() != 1 {
            return skip("chains of digests of several elements are not supported");
        }
        Ok(Ok(vec![Check::HashChain {
            parameters: self.tagged(case.domain_tag.as_ref())?,
            length: case.length,
            output: self.digest(&case.output, "output")?,
        }]))
    }

    fn sponge(&self, case: SpongeRecord) -> Read {
        let Some(sponge) = self.parameters.sponge() else {
            return skip(format!("'{}' has no sponge", self.parameters.name()));
        };
        let message = self.elements(&case.inputs, "inputs")?;
        let check = |sponge: &Sponge, output| Check::Sponge {
            parameters: Arc::clone(&self.parameters),
            sponge: sponge.clone(),
            message: message.clone(),
            output,
        };
        let mut checks = vec![check(sponge, self.digest(&case.output, "output")?)];
        if let Some(output) = &case.hash_or_noop {
            let output = self.digest(output, "hash_or_noop")?;
            checks.push(match self.short_digest(&message) {
                Some(got) => Check::Equal { output, got },
                None => check(sponge, output),
            });
        }
        if let Some(output) = &case.hash_pad {
            let padded = Sponge {
                padding: Padding::OneZerosOne,
                ..sponge.clone()
            };
            checks.push(check(&padded, self.digest(output, "hash_pad")?));
        }
        Ok(Ok(checks))
    }

    /// Plonky2's `hash_or_noop` of a message that is no longer than a digest: the message itself.
    fn short_digest(&self, message: &[Word]) -> Option<Vec<Word>> {
        let length = self.parameters.digest_length();
        (message.len() <= length).then(|| {
            let mut digest = message.to_vec();
            digest.resize(length, Word::default());
            digest
        })
    }

    /// Starknet's hash of one element: 1 in place of the 2, and 0 in place of the second element.
    fn hash_single(&self, case: HashRecord) -> Read {
        if self.parameters.name() != "starknet" {
            return skip(format!(
                "'{}' has no hash of a single element",
                self.parameters.name()
            ));
        }
        let [one, two] = [1, 2].map(word::from_u64);
        let state: Vec<Word> = (self.parameters.initial_state().into_iter())
            .map(|value| if value == two { one } else { value })
            .collect();
        let parameters =
            (self.parameters.with_initial_state(&state)).map_err(|error| error.to_string())?;
        let mut inputs = self.elements(&case.inputs, "inputs")?;
        if inputs.len() != 1 {
            return Err(format!("it has {} inputs, expected 1", inputs.len()));
        }
        inputs.push(Word::default());
        Ok(Ok(vec![Check::Hash {
            parameters: Arc::new(parameters),
            inputs,
            output: self.digest(&case.output, "output")?,
        }]))
    }

    fn permutation(&self, case: PermutationRecord) -> Read {
        let width = self.parameters.width();
        let mut texts = case.inputs;
        texts.splice(0..0, case.state0.clone());
        let state = self.elements(&texts, "inputs")?;
        if state.len() != width {
            return Err(format!(
                "its state has {} elements, expected {width}",
                state.len()
            ));
        }
        let (positions, output) = match &case.output {
            Elements::One(_) => {
                let positions = self.parameters.digest_positions().to_vec();
                (positions, self.digest(&case.output, "output")?)
            }
            Elements::Many(_) => {
                let output = self.list(&case.output, "output", width)?;
                ((0..width).collect(), output)
            }
        };
        Ok(Ok(vec![Check::Permute {
            parameters: Arc::clone(&self.parameters),
            state,
            positions,
            output,
        }]))
    }

    fn permutation_chain(&self, case: ChainRecord) -> Read {
        check_chain(case.length)?;
        Ok(Ok(vec![Check::PermutationChain {
            parameters: Arc::clone(&self.parameters),
            length: case.length,
            output: self.list(&case.output, "output", self.parameters.width())?,
        }]))
    }

    fn two_to_one(&self, case: TwoToOneRecord) -> Read {
        let parameters = &self.parameters;
        let mut inputs = self.digest(&case.left, "left")?;
        inputs.extend(self.digest(&case.right, "right")?);
        if inputs.len() != parameters.inputs() {
            return skip(format!(
                "'{}' does not hash two digests to one",
                parameters.name()
            ));
        }
        Ok(Ok(vec![Check::Hash {
            parameters: Arc::clone(parameters),
            inputs,
            output: self.digest(&case.output, "output")?,
        }]))
    }

    /// The set with `domain` in the element of its sponge for that.
    fn in_domain(&self, domain: Option<&String>) -> Result<(Sponge, Arc<AnyParameters>), String> {
        let parameters = &self.parameters;
        let missing = || format!("'{}' has no sponge with a domain", parameters.name());
        let Some(domain) = domain else {
            let sponge = parameters.sponge().cloned().ok_or_else(missing)?;
            return Ok((sponge, Arc::clone(parameters)));
        };
        let value = element(domain, parameters.field(), || "domain".to_owned())?;
        let mut sponge = parameters.sponge().cloned().ok_or_else(missing)?;
        let Capacity::LengthModuloRate {
            position,
            domain_position,
            ..
        } = sponge.capacity
        else {
            return Err(missing());
        };
        let domain = match value.split_first_chunk() {
            Some((low, high)) if high.iter().all(|&byte| byte == 0) => u64::from_le_bytes(*low),
            _ => return Err(format!("its domain {domain} has more than 64 bits")),
        };
        sponge.capacity = Capacity::LengthModuloRate {
            position,
            domain_position,
            domain,
        };
        let mut state = parameters.initial_state();
        state[domain_position] = value;
        let parameters =
            (parameters.with_initial_state(&state)).map_err(|error| error.to_string())?;
        Ok((sponge, Arc::new(parameters)))
    }

    /// Digests one after the other, hashed to one.
    fn node(&self, case: SpongeHashRecord) -> Read {
        let inputs = self.elements(&case.inputs, "inputs")?;
        if inputs.len() != self.parameters.inputs() {
            return Err(format!(
                "it has {} inputs, expected {}",
                inputs.len(),
                self.parameters.inputs()
            ));
        }
        let parameters = match &case.domain {
            None => Arc::clone(&self.parameters),
            domain => self.in_domain(domain.as_ref())?.1,
        };
        Ok(Ok(vec![Check::Hash {
            parameters,
            inputs,
            output: self.digest(&case.output, "output")?,
        }]))
    }

    fn hash_in_domain(&self, case: SpongeHashRecord) -> Read {
        let (sponge, _) = self.in_domain(case.domain.as_ref())?;
        Ok(Ok(vec![Check::Sponge {
            parameters: Arc::clone(&self.parameters),
            sponge,
            message: self.elements(&case.inputs, "inputs")?,
            output: self.digest(&case.output, "output")?,
        }]))
    }

    /// A hash whose domain is in the element that takes no input (Penumbra).
    fn preimage(&self, case: SpongeHashRecord) -> Read {
        self.hash(HashRecord {
            domain_tag: case.domain,
            domain: None,
            length: None,
            n: None,
            inputs: case.inputs,
            output: case.output,
        })
    }

    /// A hash of a message behind a block of a domain and the number of elements (Aleo).
    fn aleo(&self, case: SpongeHashRecord) -> Read {
        let Recognised::Set {
            header: Some(domain),
            ..
        } = self.recognised
        else {
            return skip("the file gives no domain_value");
        };
        let rate = self.parameters.width() - 1;
        let inputs = self.elements(&case.inputs, "inputs")?;
        let mut message = vec![*domain, word::from_u64(inputs.len() as u64)];
        if rate < message.len() {
            return skip("its blocks have room for one element, and the first one has two");
        }
        message.resize(rate, Word::default());
        message.extend(inputs);
        Ok(Ok(vec![Check::Squeeze {
            parameters: Arc::clone(&self.parameters),
            message,
            output: self.elements(case.output.texts(), "output")?,
        }]))
    }

    /// Jive's compression of a state to half of it.
    fn jive(&self, case: SpongeHashRecord) -> Read {
        let width = self.parameters.width();
        let compression: AnyParameters = dispatch!(&*self.parameters, parameters => {
            let compression = parameters.with_jive().map_err(|error| error.to_string())?;
            compression.into()
        });
        let inputs = self.elements(&case.inputs, "inputs")?;
        if inputs.len() != width {
            return Err(format!(
                "it has {} inputs, expected {width}, twice the elements of a digest",
                inputs.len()
            ));
        }
        Ok(Ok(vec![Check::Hash {
            parameters: Arc::new(compression),
            inputs,
            output: self.list(&case.output, "output", width / 2)?,
        }]))
    }

    /// A tree over rows, or over digests that are generated, as the file says in words.
    fn tree(&self, mut case: Value) -> Read {
        let is_generated = case.get("leaves").is_some_and(Value::is_string);
        if is_generated && let Some(case) = case.as_object_mut() {
            case.remove("leaves");
            case.insert("leaves_gen".to_owned(), "sha512".into());
        }
        self.merkle(record(case)?)
    }

    fn merkle(&self, case: MerkleRecord) -> Read {
        let parameters = &self.parameters;
        let arity = parameters.arity();
        if let Some(given) = case.arity.filter(|&given| given != arity) {
            return Err(format!(
                "its arity is {given}, that of the parameters {arity}"
            ));
        }
        if arity < 2
            || !parameters
                .inputs()
                .is_multiple_of(parameters.digest_length())
        {
            return skip(format!("'{}' makes no trees", parameters.name()));
        }
        let (leaves, what) = if case.columns.is_some() {
            (self.rows(&case)?, "rows")
        } else {
            (self.leaves(&case)?, "leaves")
        };
        let leaves = match leaves {
            Ok(leaves) => leaves,
            Err(skipped) => return Ok(Err(skipped)),
        };
        let count = match &leaves {
            Leaves::Digests(words) => words.len() / parameters.digest_length(),
            Leaves::Messages(_, messages) => messages.len(),
        };
        let mut sparse_height = None;
        match case.capacity.filter(|&capacity| capacity != count) {
            Some(capacity) => {
                if capacity < count {
                    return Err(format!("it has {count} {what} and room for {capacity}"));
                }
                check_leaf_count(capacity, arity).map_err(|error| error.to_string())?;
                sparse_height = Some(capacity.ilog(arity));
            }
            // What is missing of a group is a zero digest.
            None if matches!(self.recognised, Recognised::Nary { .. }) => {
                if count < 2 {
                    return Err(format!("it has {count} {what}, expected 2 at least"));
                }
                let height = (count - 1).ilog(arity) + 1;
                sparse_height = (arity.checked_pow(height) != Some(count)).then_some(height);
            }
            None => check_leaf_count(count, arity).map_err(|error| error.to_string())?,
        }
        if let Some(height) = case.height {
            let room = arity.checked_pow(height);
            if room != Some(case.capacity.unwrap_or(count)) {
                return Err(format!(
                    "it has {count} {what}, which is not {arity}^{height}"
                ));
            }
        }
        let layers = case.layers.map(|layers| {
            let level = |(level, nodes): (usize, &Vec<Elements>)| {
                let node = |(index, node): (usize, &Elements)| {
                    self.digest(node, &format!("layers[{level}][{index}]"))
                };
                let nodes = nodes.iter().enumerate().map(node);
                Ok::<_, String>(nodes.collect::<Result<Vec<_>, String>>()?.concat())
            };
            layers.iter().enumerate().map(level).collect()
        });
        let paths = case.paths.iter().enumerate().map(|(number, path)| {
            let leaf = (path.leaf.as_ref())
                .map(|leaf| self.digest(leaf, &format!("paths[{number}].leaf")));
            if let (Some(row), Leaves::Messages(_, messages)) = (&path.row, &leaves) {
                let place = format!("paths[{number}].row");
                if messages.get(path.index) != Some(&self.elements(row, &place)?) {
                    return Err(format!("{place} is not row {}", path.index));
                }
            }
            let siblings = path.siblings.iter().enumerate().map(|(level, siblings)| {
                self.siblings(siblings, &format!("paths[{number}].siblings[{level}]"))
            });
            Ok::<_, String>(PathCheck {
                index: path.index,
                leaf: leaf.transpose()?,
                siblings: siblings.collect::<Result<_, _>>()?,
            })
        });
        let paths = paths.collect::<Result<_, _>>()?;
        Ok(Ok(vec![Check::Merkle(Box::new(MerkleCheck {
            parameters: Arc::clone(parameters),
            rows: self.rows_of_trees(),
            ends: self.level_ends(&case.levels)?,
            root: self.digest(&case.root, "root")?,
            layers: layers.transpose()?,
            leaves,
            sparse_height,
            paths,
        }))]))
    }

    /// The set of rows, where it is another one than that of nodes.
    fn rows_of_trees(&self) -> Option<Arc<AnyParameters>> {
        match self.recognised {
            Recognised::Nary { rows, .. } => Some(Arc::clone(rows)),
            _ => None,
        }
    }

    fn level_ends(&self, levels: &[LevelRecord]) -> Result<Vec<LevelEnds>, String> {
        let level = |(number, level): (usize, &LevelRecord)| {
            Ok(LevelEnds {
                nodes: level.nodes,
                first: self.digest(&level.first, &format!("levels[{number}].first"))?,
                last: self.digest(&level.last, &format!("levels[{number}].last"))?,
            })
        };
        levels.iter().enumerate().map(level).collect()
    }

    fn siblings(&self, siblings: &Siblings, place: &str) -> Result<Vec<Vec<Word>>, String> {
        let length = self.parameters.digest_length();
        match siblings {
            Siblings::Texts(texts) => {
                let words = self.elements(texts, place)?;
                if !words.len().is_multiple_of(length) {
                    return Err(format!(
                        "{place} has {} elements, expected a multiple of {length}",
                        words.len()
                    ));
                }
                Ok(words.chunks(length).map(<[Word]>::to_vec).collect())
            }
            Siblings::Nodes(nodes) => (nodes.iter().enumerate())
                .map(|(index, node)| {
                    let node = Elements::Many(node.clone());
                    self.digest(&node, &format!("{place}[{index}]"))
                })
                .collect(),
        }
    }

    /// The leaves of a tree over digests.
    fn leaves(&self, case: &MerkleRecord) -> Result<Result<Leaves, Skipped>, String> {
        let given = match &case.leaves {
            None => None,
            Some(leaves) => {
                let texts: Vec<String> = (leaves.iter())
                    .flat_map(|leaf| leaf.texts().to_vec())
                    .collect();
                Some(self.elements(&texts, "leaves")?)
            }
        };
        let count = case.leaf_count.ok_or("missing field `leaf_count`")?;
        let length = self.parameters.digest_length();
        let words = self.list_or_generator(
            count,
            count.saturating_mul(length),
            given,
            case.leaves_gen.as_deref(),
            case.seed.as_deref(),
            ["leaves", "leaves"],
        )?;
        Ok(words.map(Leaves::Digests))
    }

    /// The leaves of a tree over rows of `columns` elements each: the hash of a row, or a short row
    /// itself.
    fn rows(&self, case: &MerkleRecord) -> Result<Result<Leaves, Skipped>, String> {
        let columns = case.columns.unwrap_or(0);
        let count = case.row_count.ok_or("missing field `row_count`")?;
        if columns == 0 || columns > MAX_LEAVES {
            return Err(format!(
                "it has {columns} columns, expected 1 to {MAX_LEAVES}"
            ));
        }
        let given = match &case.rows {
            None => None,
            Some(rows) => {
                if let Some(row) = rows.iter().position(|row| row.len() != columns) {
                    return Err(format!(
                        "rows[{row}] has {} elements, expected {columns}",
                        rows[row].len()
                    ));
                }
                Some(self.elements(&rows.concat(), "rows")?)
            }
        };
        let words = self.list_or_generator(
            count,
            count.saturating_mul(columns),
            given,
            case.rows_gen.as_deref(),
            case.seed.as_deref(),
            ["rows", "elements"],
        )?;
        let words = match words {
            Ok(words) => words,
            Err(skipped) => return Ok(Err(skipped)),
        };
        let rows = words.chunks(columns);
        let set = self.rows_of_trees();
        // Rows of Plonky2 that are no longer than a digest are digests.
        let short: Option<Vec<_>> = match set {
            None => rows.clone().map(|row| self.short_digest(row)).collect(),
            Some(_) => None,
        };
        if let Some(digests) = short {
            return Ok(Ok(Leaves::Digests(digests.concat())));
        }
        let set = set.as_ref().unwrap_or(&self.parameters);
        let Some(sponge) = set.sponge() else {
            return Ok(Err(Skipped(format!(
                "'{}' has no sponge for the leaves",
                set.name()
            ))));
        };
        let messages = rows.map(<[Word]>::to_vec).collect();
        Ok(Ok(Leaves::Messages(sponge.clone(), messages)))
    }

    /// `elements` elements that make up `count` leaves or rows: as given, and as the generator has
    /// them.
    fn list_or_generator(
        &self,
        count: usize,
        elements: usize,
        given: Option<Vec<Word>>,
        generator: Option<&str>,
        seed: Option<&str>,
        [what, parts]: [&str; 2],
    ) -> Result<Result<Vec<Word>, Skipped>, String> {
        if !(1..=MAX_LEAVES).contains(&count) || elements > MAX_LEAVES {
            return Err(format!(
                "it has {count} {what}, expected 1 to {MAX_LEAVES} of not more elements together"
            ));
        }
        let field = self.parameters.field();
        let range = 0..elements;
        let generated: Option<Vec<Word>> = match (generator, seed) {
            (Some("iota"), _) => Some(range.map(|index| word::from_u64(index as u64)).collect()),
            (Some("iota_plus_1"), _) => Some(
                range
                    .map(|index| word::from_u64(index as u64 + 1))
                    .collect(),
            ),
            (Some("sha512"), Some(seed)) => {
                let seeded = range.map(|index| generate_element(field, seed, index));
                Some(seeded.collect())
            }
            (Some("sha512"), None) => {
                return Err(format!(
                    "its {what} are generated by 'sha512' without a seed"
                ));
            }
            _ => None,
        };
        match (given, generated) {
            (Some(given), generated) => {
                if given.len() != elements {
                    return Err(format!(
                        "it announces {elements} {parts} and has {}",
                        given.len()
                    ));
                }
                if generated.is_some_and(|generated| generated != given) {
                    return Err(format!("its {what} are not those that its generator gives"));
                }
                Ok(Ok(given))
            }
            (None, Some(generated)) => Ok(Ok(generated)),
            (None, None) => Ok(Err(Skipped(format!(
                "its {what} are not given, and the generator {:?} is not known",
                generator.unwrap_or_default()
            )))),
        }
    }
}
