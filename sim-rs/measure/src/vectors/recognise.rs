//! Finds the parameter set that a file of vectors describes.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::elements::element;
use acclmt_poseidon::bounds::check_width;
use acclmt_poseidon::fields::{AnyParameters, FieldId, PoseidonField};
use acclmt_poseidon::grain::GrainLfsr;
use acclmt_poseidon::parameter_file::{
    CompressionRecord, ConstantsRecord, ElementRecord, InverseRoundsRecord, MatrixRecord,
    ParameterFile, ParameterFileError, RoundOrderRecord,
};
use acclmt_poseidon::params::{
    Compression, InverseRounds, PoseidonParameters, PoseidonSpecification, RoundOrder,
};
use acclmt_poseidon::poseidon2::internal_matrix;
use acclmt_poseidon::sponge::{Absorption, Capacity, Padding, Sponge};
use acclmt_poseidon::word::Word;
use acclmt_poseidon::{dispatch, presets, with_field, word};

/// The parameters of a file.
#[derive(Clone, Debug)]
pub(super) enum Recognised {
    /// One set for all cases.
    Set {
        parameters: Arc<AnyParameters>,
        /// Numbers of the domains that cases name.
        domains: BTreeMap<String, u64>,
        /// What the block with which Aleo's messages begin has in front.
        header: Option<Word>,
    },
    /// Circom's set for as many inputs as a case has.
    Circom,
    /// Filecoin's sets of the arities that a case names.
    Filecoin,
    /// One set for rows and one for nodes of several digests, both with digests of four elements.
    Nary {
        /// Its sponge hashes rows.
        rows: Arc<AnyParameters>,
        /// Its hash makes nodes.
        nodes: Arc<AnyParameters>,
    },
}

impl Recognised {
    fn set(parameters: AnyParameters) -> Self {
        Self::Set {
            parameters: Arc::new(parameters),
            domains: BTreeMap::new(),
            header: None,
        }
    }
}

/// What files of Rescue call the S-box in a cubic extension.
const CUBIC_STEP: &str = "EXT7";

/// How files of column trees begin to describe Filecoin's sets.
const FILECOIN: &str = "neptune Standard, HashType::MerkleTree";

/// The parameters as far as they are compared. Files describe what they leave out in words.
#[derive(Deserialize)]
struct ParametersRecord {
    p: Option<String>,
    t: Option<Value>,
    arity: Option<usize>,
    alpha: Option<u64>,
    rf: Option<usize>,
    rp: Option<usize>,
    rp_by_t_from_2: Option<Vec<usize>>,
    domain_tag: Option<String>,
    capacity_index: Option<Value>,
    output_index: Option<Value>,
    partial_sbox_index: Option<usize>,
    round_order: Option<String>,
    rc: Option<String>,
    rc_first: Option<String>,
    rc_last: Option<String>,
    rc_count: Option<usize>,
    round_constants: Option<Value>,
    mds: Option<Value>,
    mds_0_0: Option<String>,
    #[serde(default)]
    domain: BTreeMap<String, u64>,
    domain_value: Option<String>,
}

/// What counts of a file: its head, without the cases.
pub(super) struct Head<'a> {
    pub source: &'a str,
    pub kind: &'a str,
    pub whole: &'a Value,
}

fn unknown<T>(what: impl std::fmt::Display) -> Result<T, String> {
    Err(format!("no parameter set is known with {what}"))
}

/// The parameters that `head` describes, or the reason why they are not known.
pub(super) fn recognise(head: &Head<'_>) -> Result<Recognised, String> {
    let record = head.whole.get("params").filter(|record| !record.is_null());
    if let Some(prime) = note(record, "p")
        && word::from_hex(prime).is_ok_and(|prime| prime[4..].iter().all(|&byte| byte == 0))
    {
        return Err(format!(
            "fields with the prime {prime} are not supported, nor others of at most 32 bits"
        ));
    }
    // The steps of the rounds of RPX.
    let steps = record.and_then(|record| record.get("round_steps"));
    if steps.is_some_and(|steps| steps.to_string().contains(CUBIC_STEP)) {
        return Err(
            "the S-boxes of RPX work in a cubic extension of the field, which is not supported"
                .to_owned(),
        );
    }
    let Some(record) = record else {
        return from_source(head);
    };
    if head.kind == "merkle_nary" {
        return nary(record);
    }
    match note(Some(record), "permutation") {
        Some("poseidon2") => return poseidon2(record),
        Some("rescue") => return rescue(record),
        _ => {}
    }
    let record: ParametersRecord = serde_json::from_value(record.clone())
        .map_err(|error| format!("the parameters are not described in full: {error}"))?;
    let prime = required(&record.p, "p")?;
    let field = (word::from_hex(prime).ok())
        .and_then(|prime| FieldId::from_prime(&prime))
        .ok_or_else(|| format!("fields with the prime {prime} are not supported"))?;
    if head.kind == "column_tree" {
        // Their sets are those of the arities that cases name, by neptune's rule.
        let hash = note(head.whole.get("params"), "hash").unwrap_or_default();
        return match (field, hash.starts_with(FILECOIN)) {
            (FieldId::Bls12_381, true) => Ok(Recognised::Filecoin),
            _ => unknown(format!("column trees over {field} and the hash '{hash}'")),
        };
    }
    let width = match required(&record.t, "t")? {
        Value::String(text) if text == "n+1" => return circom(&record, field),
        Value::Number(width) if width.is_u64() => width.as_u64().unwrap_or_default() as usize,
        other => return unknown(format!("t = {other}")),
    };
    check_width(width, field.bits())?;
    let domains = record.domain.clone();
    let parameters = with_field!(field, F => find::<F>(&record, width))?;
    let domain = record.domain_value.as_ref();
    let domain = domain.map(|domain| element(domain, field, || "domain_value".to_owned()));
    Ok(Recognised::Set {
        parameters: Arc::new(with_tag(parameters, record.domain_tag.as_ref())?),
        domains,
        header: domain.transpose()?,
    })
}

/// What `merkle_nary` files call the sponge that puts the digest of a block beside the next one.
const ZISK: &str = "zisk";

/// The sets of trees over rows and digests, which such files name by those of the permutations.
fn nary(record: &Value) -> Result<Recognised, String> {
    let sponge = note(Some(record), "sponge");
    let set = |key: &str| {
        let name = note(Some(record), key).ok_or_else(|| {
            format!("the parameters are not described in full: missing field `{key}`")
        })?;
        let known = match (name, sponge) {
            ("plonky3_goldilocks_poseidon2_t8", None) => "plonky3-poseidon2-goldilocks-8",
            ("plonky3_goldilocks_poseidon2_t12", None) => "plonky3-poseidon2-goldilocks-12",
            ("plonky3_goldilocks_poseidon2_t16", None) => "plonky3-poseidon2-goldilocks-16",
            ("zisk_goldilocks_poseidon1_t12", Some(ZISK)) => "zisk-poseidon-arity-3",
            ("zisk_goldilocks_poseidon1_t16", Some(ZISK)) => "zisk-poseidon-arity-4",
            ("zkhash_goldilocks_poseidon2_t8", Some(ZISK)) => "zisk-poseidon2-arity-2",
            ("zkhash_goldilocks_poseidon2_t12", Some(ZISK)) => "zisk-poseidon2-arity-3",
            ("zkhash_goldilocks_poseidon2_t16", Some(ZISK)) => "zisk-poseidon2-arity-4",
            _ => return unknown(format!("{key} = {name}")),
        };
        Ok::<_, String>(Arc::new(preset(known)?.clone()))
    };
    Ok(Recognised::Nary {
        rows: set("leaf_hash_permutation")?,
        nodes: set("node_permutation")?,
    })
}

/// The description of a set of Poseidon2: all its tables.
#[derive(Deserialize)]
struct Poseidon2Record {
    p: String,
    t: usize,
    alpha: u64,
    rf: usize,
    rp: usize,
    #[serde(default)]
    partial_sbox_index: usize,
    external_matrix: Vec<Value>,
    internal_diagonal_minus_one: Vec<Value>,
    external_initial_constants: Vec<Value>,
    internal_constants: Vec<Value>,
    external_final_constants: Vec<Value>,
    sponge: Option<Poseidon2Sponge>,
}

/// A sponge over it: ranges of state elements, and words for its rules.
#[derive(Deserialize)]
struct Poseidon2Sponge {
    rate: [usize; 2],
    capacity: [usize; 2],
    digest: [usize; 2],
    absorb: String,
    length: String,
}

/// The elements of a range, which is in the state.
fn positions([first, end]: [usize; 2]) -> Vec<usize> {
    (first..end).collect()
}

impl Poseidon2Sponge {
    /// Ranges that a file gives are not to be filled before they are known to be in the state.
    fn check(&self, width: usize) -> Result<(), String> {
        let ranges = [self.rate, self.capacity, self.digest];
        match ranges.iter().find(|[_, end]| *end > width) {
            Some([_, end]) => Err(format!(
                "its sponge has state elements up to {end}; t is {width}"
            )),
            None => Ok(()),
        }
    }

    /// The sponge, where its rules are those of Miden or of Winterfell.
    fn sponge(&self) -> Result<Sponge, String> {
        let [position, behind] = self.capacity;
        let (absorption, padding, capacity) = match (self.absorb.as_str(), self.length.as_str()) {
            ("overwrite", "mod_rate")
                if position.checked_add(2).is_some_and(|end| end <= behind) =>
            {
                (
                    Absorption::Overwrite,
                    Padding::Zeros,
                    Capacity::LengthModuloRate {
                        position,
                        domain_position: position + 1,
                        domain: 0,
                    },
                )
            }
            ("add", "full") if position < behind => (
                Absorption::Add,
                Padding::None,
                Capacity::WholeLength { position },
            ),
            ("add", "jive") if position < behind => (
                Absorption::AddClosed,
                Padding::None,
                Capacity::ShortBlock { position },
            ),
            _ => {
                return unknown(format!(
                    "a sponge with absorb = {}, length = {} and capacity = {:?}",
                    self.absorb, self.length, self.capacity
                ));
            }
        };
        Ok(Sponge {
            rate_positions: positions(self.rate),
            absorption,
            padding,
            capacity,
            permute_empty: false,
            short_rows_are_digests: false,
        })
    }
}

/// The description of a set of Rescue Prime: all its tables.
#[derive(Deserialize)]
struct RescueRecord {
    p: String,
    t: usize,
    alpha: u64,
    rounds: usize,
    round_steps: Vec<String>,
    mds: Vec<Value>,
    constants_1: Vec<Value>,
    constants_2: Vec<Value>,
    sponge: Poseidon2Sponge,
}

/// The steps of a round of Rescue Prime, and of its optimized form.
const RESCUE_STEPS: &str = "SBOX,MDS,ADD1,INV,MDS,ADD2";
const OPTIMIZED_STEPS: &str = "MDS,ADD1,SBOX,MDS,ADD2,INV";

/// The field with the prime `p`, for a state of `width` elements that fits it.
fn described_field(p: &str, width: usize) -> Result<FieldId, String> {
    let field = (word::from_hex(p).ok())
        .and_then(|prime| FieldId::from_prime(&prime))
        .ok_or_else(|| format!("fields with the prime {p} are not supported"))?;
    check_width(width, field.bits())?;
    Ok(field)
}

/// The set of Rescue Prime of the tables of `record`: its hash takes a block.
fn rescue(record: &Value) -> Result<Recognised, String> {
    let record: RescueRecord = serde_json::from_value(record.clone())
        .map_err(|error| format!("the parameters are not described in full: {error}"))?;
    let field = described_field(&record.p, record.t)?;
    with_field!(field, F => Ok(Recognised::set(F::wrap(record.set::<F>()?))))
}

impl RescueRecord {
    fn set<F: PoseidonField>(&self) -> Result<PoseidonParameters<F>, String> {
        let width = self.t;
        let has_steps = |steps: &str| self.round_steps.iter().all(|round| round == steps);
        let (round_order, first_layer, inverse_rounds) = if has_steps(RESCUE_STEPS) {
            (RoundOrder::SboxFirst, false, InverseRounds::EverySecond)
        } else if has_steps(OPTIMIZED_STEPS) {
            let last = InverseRounds::EverySecondWithoutLastMatrix;
            (RoundOrder::ConstantsFirst, true, last)
        } else {
            return unknown(format!("the steps {:?}", self.round_steps));
        };
        if self.round_steps.len() != self.rounds {
            return Err(format!(
                "it has {} rounds and the steps of {}",
                self.rounds,
                self.round_steps.len()
            ));
        }
        self.sponge.check(width)?;
        let [first, second] = [
            table::<F>(&self.constants_1, width, "constants_1")?,
            table::<F>(&self.constants_2, width, "constants_2")?,
        ];
        let round_constants = (first.into_iter().zip(second)).flat_map(|(one, two)| [one, two]);
        let sponge = self.sponge.sponge()?;
        // A hash of one block.
        let mut initial_state = vec![F::ZERO; width];
        if let Capacity::WholeLength { position } = sponge.capacity {
            initial_state[position] = F::from(sponge.rate() as u64);
        }
        PoseidonParameters::new(PoseidonSpecification {
            name: "the set of the file".to_owned(),
            field_name: F::ID.name().to_owned(),
            alpha: self.alpha,
            full_rounds_first: self.rounds,
            partial_rounds: 0,
            full_rounds_last: self.rounds,
            round_order,
            partial_index: 0,
            partial_matrix: None,
            first_layer,
            inverse_rounds,
            compression: Compression::None,
            round_constants: round_constants.collect(),
            mds: table(&self.mds, width, "mds")?,
            initial_state,
            input_positions: sponge.rate_positions.clone(),
            digest_positions: positions(self.sponge.digest),
            sponge: Some(sponge),
        })
        .map_err(|error| error.to_string())
    }
}

/// The set of Poseidon2 of the tables of `record`, for its permutation: without a sponge a hash of it takes and gives
/// nothing in particular, with one it takes a block.
fn poseidon2(record: &Value) -> Result<Recognised, String> {
    let record: Poseidon2Record = serde_json::from_value(record.clone())
        .map_err(|error| format!("the parameters are not described in full: {error}"))?;
    let field = described_field(&record.p, record.t)?;
    with_field!(field, F => Ok(Recognised::set(F::wrap(record.set::<F>()?))))
}

impl Poseidon2Record {
    fn set<F: PoseidonField>(&self) -> Result<PoseidonParameters<F>, String> {
        let width = self.t;
        let sponge = self.sponge.as_ref();
        if let Some(sponge) = sponge {
            sponge.check(width)?;
        }
        let list = |values: &[Value], key: &str| table::<F>(values, 1, key).map(|it| it.concat());
        let diagonal = list(
            &self.internal_diagonal_minus_one,
            "internal_diagonal_minus_one",
        )?;
        if diagonal.len() != width || self.partial_sbox_index >= width {
            return Err(format!(
                "internal_diagonal_minus_one has {} entries and partial_sbox_index is {}; t is {width}",
                diagonal.len(),
                self.partial_sbox_index
            ));
        }
        let of_one = |constant: F| {
            let mut vector = vec![F::ZERO; width];
            vector[self.partial_sbox_index] = constant;
            vector
        };
        let first = &self.external_initial_constants;
        let last = &self.external_final_constants;
        let mut round_constants = table(first, width, "external_initial_constants")?;
        let partial = list(&self.internal_constants, "internal_constants")?;
        round_constants.extend(partial.into_iter().map(of_one));
        round_constants.extend(table(last, width, "external_final_constants")?);
        PoseidonParameters::new(PoseidonSpecification {
            name: "the set of the file".to_owned(),
            field_name: F::ID.name().to_owned(),
            alpha: self.alpha,
            full_rounds_first: self.rf - self.rf / 2,
            partial_rounds: self.rp,
            full_rounds_last: self.rf / 2,
            round_order: RoundOrder::ConstantsFirst,
            partial_index: self.partial_sbox_index,
            partial_matrix: Some(internal_matrix(&diagonal)),
            first_layer: true,
            inverse_rounds: InverseRounds::None,
            compression: Compression::None,
            round_constants,
            mds: table(&self.external_matrix, width, "external_matrix")?,
            initial_state: vec![F::ZERO; width],
            input_positions: positions(sponge.map_or([0, width], |sponge| sponge.rate)),
            digest_positions: positions(sponge.map_or([0, 1], |sponge| sponge.digest)),
            sponge: sponge.map(Poseidon2Sponge::sponge).transpose()?,
        })
        .map_err(|error| error.to_string())
    }
}

fn note<'a>(record: Option<&'a Value>, key: &str) -> Option<&'a str> {
    record?.get(key)?.as_str()
}

fn required<'a, T>(value: &'a Option<T>, key: &str) -> Result<&'a T, String> {
    (value.as_ref())
        .ok_or_else(|| format!("the parameters are not described in full: missing field `{key}`"))
}

/// Two kinds of files give no parameters but name the program that computed them.
fn from_source(head: &Head<'_>) -> Result<Recognised, String> {
    let number = |key: &str| {
        let value = head.whole.get(key).and_then(Value::as_u64);
        value.and_then(|value| usize::try_from(value).ok())
    };
    if head.kind == "permutation_output1"
        && let (Some(width), Some(full_rounds), Some(partial_rounds)) =
            (number("t"), number("rf"), number("rp"))
        && (head.whole.get("conversion").and_then(Value::as_str))
            .is_some_and(|text| text.contains("BLS12-381 Fr"))
    {
        check_width(width, FieldId::Bls12_381.bits())?;
        let filecoin = preset(&format!("filecoin-arity-{}", width - 1))?;
        if (filecoin.full_rounds(), filecoin.partial_rounds()) != (full_rounds, partial_rounds) {
            return unknown(format!(
                "t = {width}, {full_rounds} + {partial_rounds} rounds"
            ));
        }
        return Ok(Recognised::set(filecoin.clone()));
    }
    if head.source.contains("light-poseidon new_circom")
        && let Some(arity) = number("arity")
    {
        check_width(arity.saturating_add(1), FieldId::Bn254.bits())?;
        let circom = preset(&format!("circom-bn254-arity-{arity}"))?;
        return Ok(Recognised::set(circom.clone()));
    }
    Err("the file gives no parameters, and its name does not count".to_owned())
}

/// The family of circom's sets, whose width goes with the inputs of a case.
fn circom(record: &ParametersRecord, field: FieldId) -> Result<Recognised, String> {
    if field != FieldId::Bn254 {
        return unknown(format!("t = n+1 over {field}"));
    }
    let partial_rounds = required(&record.rp_by_t_from_2, "rp_by_t_from_2")?;
    for (inputs, &rp) in (1..=11).zip(partial_rounds) {
        let set = preset(&format!("circom-bn254-arity-{inputs}"))?;
        if set.partial_rounds() != rp {
            return unknown(format!("t = {} and {rp} partial rounds", inputs + 1));
        }
        dispatch!(set, set => compare(record, set))?;
    }
    Ok(Recognised::Circom)
}

fn preset(name: &str) -> Result<&'static AnyParameters, String> {
    presets::by_name(name).map_err(|error| error.to_string())
}

/// The parameter set over `F` that `record` describes.
fn find<F: PoseidonField>(
    record: &ParametersRecord,
    width: usize,
) -> Result<AnyParameters, String> {
    let full_rounds = *required(&record.rf, "rf")?;
    let partial_rounds = *required(&record.rp, "rp")?;
    let mut first_error = None;
    for preset in presets::all()
        .iter()
        .filter(|preset| preset.field() == F::ID)
    {
        let set = preset.parameters();
        if (set.width(), set.full_rounds(), set.partial_rounds())
            != (width, full_rounds, partial_rounds)
        {
            continue;
        }
        match dispatch!(set, set => compare(record, set)) {
            Ok(()) => return Ok(set.clone()),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    if let (Some(Value::Array(constants)), Some(Value::Array(_))) =
        (&record.round_constants, &record.mds)
    {
        return Ok(F::wrap(given::<F>(record, width, constants)?));
    }
    if let Some(error) = first_error {
        return Err(error);
    }
    // Neptune's rule gives sets of other round numbers too.
    let set =
        neptune::<F>(width, full_rounds, partial_rounds).map_err(|error| error.to_string())?;
    dispatch!(&set, set => compare(record, set))?;
    Ok(set)
}

/// The set of neptune with other round numbers than its presets have.
fn neptune<F: PoseidonField>(
    width: usize,
    full_rounds: usize,
    partial_rounds: usize,
) -> Result<AnyParameters, ParameterFileError> {
    let tag = (1 << (width - 1)) - 1;
    let mut initial_state = vec![ElementRecord::Unsigned(0); width];
    initial_state[0] = ElementRecord::Unsigned(tag);
    let file = ParameterFile {
        name: format!("neptune t={width} rf={full_rounds} rp={partial_rounds}"),
        description: None,
        source: None,
        field: F::ID.name().to_owned(),
        width,
        alpha: 5,
        full_rounds_first: full_rounds / 2,
        partial_rounds,
        full_rounds_last: full_rounds - full_rounds / 2,
        round_order: RoundOrderRecord::ConstantsSboxMatrix,
        partial_index: 0,
        initial_state: Some(initial_state),
        input_positions: (1..width).collect(),
        digest_positions: vec![1],
        constants: ConstantsRecord::Grain {
            sbox: GrainLfsr::NEPTUNE_SBOX,
            bits: None,
            single_in_partial_rounds: false,
        },
        matrix: MatrixRecord::Cauchy { scale: None },
        partial_matrix: None,
        first_layer: false,
        inverse_rounds: InverseRoundsRecord::None,
        compression: CompressionRecord::None,
        sponge: None,
    };
    file.parameters()
}

/// The indices that a number, or a text `from..end`, names.
fn indices(value: &Value) -> Option<Vec<usize>> {
    if let Some(index) = value.as_u64() {
        return Some(vec![usize::try_from(index).ok()?]);
    }
    let (from, end) = value.as_str()?.split_once("..")?;
    let (from, end): (usize, usize) = (from.parse().ok()?, end.parse().ok()?);
    (end <= 64).then(|| (from..end).collect())
}

/// Whether a text that the file has about round constants describes those of the preset `name`.
fn describes(text: &str, name: &str) -> bool {
    let family = |prefix: &str| name.starts_with(prefix);
    if family("circom-") || family("orchard") {
        text.contains("Grain") && text.contains("sbox=0")
    } else if family("dusk") {
        text.contains("poseidon-for-plonk")
    } else if family("starknet") {
        text.contains("SHA256") && text.contains("Hades")
    } else if family("plonky2") || family("polygon") {
        text.contains("ChaCha8")
    } else {
        // The sets of neptune differ in the header of the LFSR, so values have to tell.
        false
    }
}

fn order_name(order: RoundOrder) -> &'static str {
    match order {
        RoundOrder::ConstantsFirst => "ARC,SBOX,MDS",
        RoundOrder::SboxFirst => "SBOX,MDS,ARC",
    }
}

/// Compares all that `record` says with `set`; the error names the first difference.
fn compare<F: PoseidonField>(
    record: &ParametersRecord,
    set: &PoseidonParameters<F>,
) -> Result<(), String> {
    let width = set.width();
    if record.arity.is_some_and(|arity| arity != set.arity()) {
        return unknown(format!("t = {width} and the arity {:?}", record.arity));
    }
    let alpha = *required(&record.alpha, "alpha")?;
    if alpha != set.alpha() {
        return unknown(format!("t = {width} and alpha {alpha}"));
    }
    if record.rf.is_some_and(|rf| rf != set.full_rounds()) {
        return unknown(format!("t = {width} and {:?} full rounds", record.rf));
    }
    let capacity: Vec<usize> = (0..width)
        .filter(|position| !set.input_positions().contains(position))
        .collect();
    for (what, key, value, known) in [
        (
            "the capacity at index",
            "capacity_index",
            &record.capacity_index,
            capacity.as_slice(),
        ),
        (
            "the output at index",
            "output_index",
            &record.output_index,
            set.digest_positions(),
        ),
    ] {
        let value = required(value, key)?;
        if indices(value).as_deref() != Some(known) {
            return unknown(format!("t = {width} and {what} {value}"));
        }
    }
    match record.partial_sbox_index {
        Some(index) if index != set.partial_index() => {
            return unknown(format!("the partial S-box on element {index}"));
        }
        None if set.partial_rounds() > 0 => {
            required(&record.partial_sbox_index, "partial_sbox_index")?;
        }
        _ => {}
    }
    let order = required(&record.round_order, "round_order")?;
    if !order.starts_with(order_name(set.round_order())) {
        return unknown(format!("the order of a round '{order}'"));
    }

    let constants = set.round_constants();
    let count = constants.len() * width;
    if record.rc_count.is_some_and(|given| given != count) {
        return unknown(format!(
            "{:?} round constants, not {count}",
            record.rc_count
        ));
    }
    let mut is_identified = (record.rc.as_ref()).is_some_and(|text| describes(text, set.name()));
    if let Some(Value::Array(given)) = &record.round_constants {
        if !is_table(given, constants) {
            return unknown("these round constants");
        }
        is_identified = true;
    }
    let first = constants.first().and_then(|vector| vector.first());
    let last = constants.last().and_then(|vector| vector.last());
    for (what, key, given, known) in [
        (
            "the first round constant",
            "rc_first",
            &record.rc_first,
            first,
        ),
        ("the last round constant", "rc_last", &record.rc_last, last),
    ] {
        if !is_identified {
            required(given, key)?;
        }
        if let Some(given) = given
            && !is_element(given, known)
        {
            return unknown(format!("{what} {given}"));
        }
    }
    match (&record.mds, &record.mds_0_0) {
        (Some(Value::Array(rows)), _) => {
            if !is_table(rows, set.mds()) {
                return unknown("this MDS matrix");
            }
        }
        (_, Some(given)) => {
            if !is_element(given, Some(&set.mds()[0][0])) {
                return unknown(format!("the MDS matrix entry {given} in row 0, column 0"));
            }
        }
        (Some(Value::String(_)), None) if is_identified => {}
        _ => return Err("the parameters give no entry of the MDS matrix".to_owned()),
    }
    Ok(())
}

/// Whether a list, of elements or of lists of elements, has the elements of `known` in order.
fn is_table<F: PoseidonField>(given: &[Value], known: &[Vec<F>]) -> bool {
    let given: Vec<&Value> = given
        .iter()
        .flat_map(|value| match value.as_array() {
            Some(row) => row.iter().collect(),
            None => vec![value],
        })
        .collect();
    let known: Vec<&F> = known.iter().flatten().collect();
    given.len() == known.len()
        && (given.iter().zip(known)).all(|(given, known)| match given.as_str() {
            Some(given) => is_element(given, Some(known)),
            None => given.as_i64().is_some_and(|given| F::from(given) == *known),
        })
}

fn is_element<F: PoseidonField>(given: &str, known: Option<&F>) -> bool {
    word::from_hex(given).ok() == known.map(|&known| word::from_field(known))
}

/// The set whose tables the file gives in full.
fn given<F: PoseidonField>(
    record: &ParametersRecord,
    width: usize,
    constants: &[Value],
) -> Result<PoseidonParameters<F>, String> {
    let full_rounds = *required(&record.rf, "rf")?;
    let order = required(&record.round_order, "round_order")?;
    let round_order = [RoundOrder::ConstantsFirst, RoundOrder::SboxFirst]
        .into_iter()
        .find(|&known| order.starts_with(order_name(known)));
    let Some(round_order) = round_order else {
        return unknown(format!("the order of a round '{order}'"));
    };
    let positions = |value: &Option<Value>, key: &str| {
        let value = required(value, key)?;
        indices(value).ok_or_else(|| format!("{key} is {value}, expected an index or a range"))
    };
    let capacity = positions(&record.capacity_index, "capacity_index")?;
    let rows = record.mds.as_ref().and_then(Value::as_array);
    PoseidonParameters::new(PoseidonSpecification {
        name: "the set of the file".to_owned(),
        field_name: F::ID.name().to_owned(),
        alpha: *required(&record.alpha, "alpha")?,
        full_rounds_first: full_rounds - full_rounds / 2,
        partial_rounds: *required(&record.rp, "rp")?,
        full_rounds_last: full_rounds / 2,
        round_order,
        partial_index: record.partial_sbox_index.unwrap_or(0),
        partial_matrix: None,
        first_layer: false,
        inverse_rounds: InverseRounds::None,
        compression: Compression::None,
        round_constants: table(constants, width, "round_constants")?,
        mds: table(rows.map_or(&[], Vec::as_slice), width, "mds")?,
        initial_state: vec![F::ZERO; width],
        input_positions: (0..width)
            .filter(|position| !capacity.contains(position))
            .collect(),
        digest_positions: positions(&record.output_index, "output_index")?,
        sponge: None,
    })
    .map_err(|error| error.to_string())
}

fn table<F: PoseidonField>(
    values: &[Value],
    width: usize,
    key: &str,
) -> Result<Vec<Vec<F>>, String> {
    let flat = values.iter().flat_map(|value| match value.as_array() {
        Some(row) => row.iter().collect(),
        None => vec![value],
    });
    let elements: Vec<F> = flat
        .enumerate()
        .map(|(index, value)| match (value.as_str(), value.as_i64()) {
            (Some(text), _) => {
                let word = element(text, F::ID, || format!("{key}[{index}]"))?;
                word::to_field(&word).ok_or_else(|| format!("{key}[{index}] is too large"))
            }
            (_, Some(number)) => Ok(F::from(number)),
            _ => Err(format!(
                "{key}[{index}] is {value}, expected a field element"
            )),
        })
        .collect::<Result<_, String>>()?;
    Ok(elements.chunks(width).map(<[F]>::to_vec).collect())
}

/// `parameters` with the value `tag`, if there is one, in the state element that takes no input.
pub(super) fn with_tag(
    parameters: AnyParameters,
    tag: Option<&String>,
) -> Result<AnyParameters, String> {
    let Some(tag) = tag else {
        return Ok(parameters);
    };
    let tag = element(tag, parameters.field(), || "domain_tag".to_owned())?;
    let free: Vec<usize> = (0..parameters.width())
        .filter(|position| !parameters.input_positions().contains(position))
        .collect();
    let [position] = *free.as_slice() else {
        return Err(format!(
            "it has a domain_tag, but {} state elements take no input",
            free.len()
        ));
    };
    let mut state = vec![word::Word::default(); parameters.width()];
    state[position] = tag;
    (parameters.with_initial_state(&state)).map_err(|error| error.to_string())
}
