//! Hashes of messages of any length on a [`Device`].

use std::collections::BTreeSet;

use acclmt_poseidon::absorb;
use acclmt_poseidon::fields::AnyParameters;
use acclmt_poseidon::sponge::Sponge;
use acclmt_poseidon::word::Word;

use crate::device::{Device, DeviceError, NoProgress, is_unhashed, row_sponge};

/// Hashes each of `messages` with the sponge of `parameters`. The permutations run on `device`, the
/// n-th ones of all messages together.
///
/// # Errors
///
/// When the parameter set has no sponge, an element is not below the prime, or the device fails.
pub fn hash_messages(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    messages: &[Vec<Word>],
) -> Result<Vec<Vec<Word>>, DeviceError> {
    hash_messages_with(device, parameters, absorb::sponge_of(parameters)?, messages)
}

/// The same with another sponge over the permutation of `parameters`.
///
/// # Errors
///
/// As with [`hash_messages`], and when the sponge names elements that the state does not have.
pub fn hash_messages_with(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    sponge: &Sponge,
    messages: &[Vec<Word>],
) -> Result<Vec<Vec<Word>>, DeviceError> {
    absorb::check_messages(parameters, sponge, messages)?;
    let mut digests = vec![None; messages.len()];
    // A device may hash messages of one length by itself.
    let lengths: BTreeSet<usize> = messages.iter().map(Vec::len).collect();
    for length in lengths {
        let (indices, rows): (Vec<_>, Vec<_>) = (messages.iter().enumerate())
            .filter(|(_, message)| message.len() == length)
            .map(|(index, message)| (index, message.clone()))
            .unzip();
        if let Some(report) = device.hash_rows(parameters, sponge, &rows, &mut NoProgress)? {
            for (index, digest) in indices.into_iter().zip(report.digests) {
                digests[index] = Some(digest);
            }
        }
    }
    // The others are absorbed here, with the permutations of the device.
    let (indices, rest): (Vec<_>, Vec<_>) = (messages.iter().enumerate())
        .filter(|&(index, _)| digests[index].is_none())
        .map(|(index, message)| (index, message.clone()))
        .unzip();
    if !rest.is_empty() {
        let absorbed = absorb::absorb(parameters, sponge, &rest, &mut |states| {
            let report = device.permute(parameters, states, &mut NoProgress)?;
            Ok::<_, DeviceError>(report.states)
        })?;
        for (index, digest) in indices.into_iter().zip(absorbed) {
            digests[index] = Some(digest);
        }
    }
    Ok(digests.into_iter().flatten().collect())
}

/// The digests of rows of one length as leaves of a tree, one after another: by the sponge of
/// `parameters`, or the rows themselves where that has such a rule.
pub fn hash_rows(
    device: &mut dyn Device,
    parameters: &AnyParameters,
    rows: &[Vec<Word>],
) -> Result<Vec<Word>, DeviceError> {
    let columns = rows.first().map_or(0, Vec::len);
    if is_unhashed(parameters, columns) {
        return Ok(unhashed_digests(parameters.digest_length(), rows));
    }
    let sponge = row_sponge(parameters)?;
    Ok(hash_messages_with(device, parameters, sponge, rows)?.concat())
}

/// Rows that are digests of `length` elements, with zeros behind them.
pub fn unhashed_digests(length: usize, rows: &[Vec<Word>]) -> Vec<Word> {
    let digest = |row: &Vec<Word>| {
        let mut digest = row.clone();
        digest.resize(length, Word::default());
        digest
    };
    rows.iter().flat_map(digest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use acclmt_poseidon::presets;
    use acclmt_poseidon::sponge::Padding;
    use acclmt_poseidon::word;

    use crate::software::SoftwareDevice;

    fn numbers(count: u64) -> Vec<Word> {
        (1..=count).map(word::from_u64).collect()
    }

    fn messages() -> Vec<Vec<Word>> {
        (0..20).map(numbers).collect()
    }

    fn permute(parameters: &AnyParameters, state: &[Word]) -> Vec<Word> {
        let states = [state.to_vec()];
        let report = SoftwareDevice::new().permute(parameters, &states, &mut NoProgress);
        report.unwrap().states.remove(0)
    }

    fn hash_one(parameters: &AnyParameters, sponge: &Sponge, message: &[Word]) -> Vec<Word> {
        let messages = [message.to_vec()];
        let device = &mut SoftwareDevice::new();
        hash_messages_with(device, parameters, sponge, &messages)
            .unwrap()
            .remove(0)
    }

    #[test]
    fn messages_together_give_what_they_give_alone() {
        for name in [
            "orchard",
            "starknet",
            "mina-kimchi",
            "dusk",
            "plonky2",
            "miden-poseidon2",
            "zisk-poseidon2-arity-3",
        ] {
            let parameters = presets::by_name(name).unwrap();
            let sponge = parameters.sponge().unwrap();
            let together =
                hash_messages(&mut SoftwareDevice::new(), parameters, &messages()).unwrap();
            let alone: Vec<_> = messages()
                .iter()
                .map(|message| hash_one(parameters, sponge, message))
                .collect();
            assert_eq!(together, alone);
        }
    }

    #[test]
    fn one_block_is_a_permutation() {
        let parameters = presets::by_name("starknet").unwrap();
        let sponge = parameters.sponge().unwrap();
        let [zero, one, five] = [0, 1, 5].map(word::from_u64);
        assert_eq!(
            hash_one(parameters, sponge, &[five]),
            permute(parameters, &[five, one, zero])[..1]
        );
        assert_eq!(
            hash_one(parameters, sponge, &[]),
            permute(parameters, &[one, zero, zero])[..1]
        );
        let parameters = presets::by_name("plonky2").unwrap();
        let sponge = parameters.sponge().unwrap();
        assert_eq!(hash_one(parameters, sponge, &[]), [zero; 4]);
        // A short last block leaves the other elements as they are.
        let mut state = numbers(8);
        state.resize(12, zero);
        let mut state = permute(parameters, &state);
        state[0] = word::from_u64(9);
        assert_eq!(
            hash_one(parameters, sponge, &numbers(9)),
            permute(parameters, &state)[..4]
        );
        let padded = Sponge {
            padding: Padding::OneZerosOne,
            ..sponge.clone()
        };
        for (length, rest) in [(0, "10000001"), (5, "101"), (6, "11"), (7, "100000001")] {
            let mut explicit = numbers(length);
            explicit.extend(
                rest.bytes()
                    .map(|digit| word::from_u64(u64::from(digit - b'0'))),
            );
            assert_eq!(
                hash_one(parameters, &padded, &numbers(length)),
                hash_one(parameters, sponge, &explicit)
            );
        }
    }

    #[test]
    fn the_length_counts() {
        for name in ["orchard", "dusk", "starknet"] {
            let parameters = presets::by_name(name).unwrap();
            let lists = [numbers(3), [numbers(3), vec![word::from_u64(0)]].concat()];
            let digests = hash_messages(&mut SoftwareDevice::new(), parameters, &lists).unwrap();
            assert_ne!(digests[0], digests[1]);
        }
    }

    #[test]
    fn the_hash_of_a_preset_is_its_sponge() {
        for (name, length) in [("orchard", 2), ("mina-kimchi", 2), ("plonky2", 8)] {
            let parameters = presets::by_name(name).unwrap();
            let lists = [numbers(length)];
            let mut device = SoftwareDevice::new();
            let digests = hash_messages(&mut device, parameters, &lists).unwrap();
            let report = device.hash(parameters, &lists, &mut NoProgress).unwrap();
            assert_eq!(digests, report.digests);
        }
    }

    #[test]
    fn what_cannot_be_hashed_is_an_error() {
        let mut device = SoftwareDevice::new();
        let parameters = presets::by_name("filecoin-arity-2").unwrap();
        let error = hash_messages(&mut device, parameters, &messages()).unwrap_err();
        assert!(error.to_string().contains("has no sponge"), "{error}");
        let sponge = presets::by_name("plonky2").unwrap().sponge().unwrap();
        let error = hash_messages_with(&mut device, parameters, sponge, &[]).unwrap_err();
        assert!(error.to_string().contains("rate element 3"), "{error}");
        let parameters = presets::by_name("plonky2").unwrap();
        let lists = [numbers(3), vec![parameters.prime()]];
        let error = hash_messages(&mut device, parameters, &lists).unwrap_err();
        assert!(error.to_string().contains("not below the prime"), "{error}");
    }
}
