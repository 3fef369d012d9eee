//! Tests of [`ChipRegisters::most_rows`] against the machine, which knows nothing of it: whether a run over
//! groups of so many rows comes to its end.

use super::chip::Hardware;
use super::machine::{Host, Machine, RunSetup};
use super::tree::TreeSetup;
use crate::latencies::{EXIT_PLACES, LOADER_PLACES, Pipelines};
use acclmt_driver::program::{
    ChipRegisters, GOLDILOCKS, LARGE_PRIME, PositionMap, Roles, RowRegisters, SUB_ENGINES,
};
use acclmt_driver::registers::{RECURRENCE_ORDER, SETS};

/// A hash engine, and what it hashes.
#[derive(Clone, Copy, Debug)]
struct Case {
    num_full: usize,
    goldilocks: bool,
    width: u32,
    full_rounds: u32,
    /// Rounds of the partial-round sub-engines of which the bit of `present` is set; those of the
    /// full-round sub-engines.
    partial_rounds: u32,
    others: u32,
    present: u32,
    runtime_modulus: bool,
}

const PARTIAL_SUB_ENGINES: usize = SUB_ENGINES - 2;

impl Case {
    fn registers(&self) -> ChipRegisters {
        let rounds_of = |number: usize| match number {
            1..=PARTIAL_SUB_ENGINES if self.present >> (number - 1) & 1 != 0 => self.partial_rounds,
            _ => 0,
        };
        let second = if self.num_full == 2 { self.others } else { 0 };
        ChipRegisters {
            arity: 1,
            field: if self.goldilocks {
                GOLDILOCKS
            } else {
                LARGE_PRIME
            },
            width: self.width,
            beside: 0,
            alpha: 5,
            passes: [
                self.full_rounds + self.others,
                self.full_rounds + u32::from(self.present != 0) + second,
            ],
            recurrence: RECURRENCE_ORDER.with(u32::from(self.present != 0)),
            digest_words: 1,
            input_map: PositionMap::default(),
            digest_map: PositionMap::default(),
            partial_rounds: std::array::from_fn(rounds_of),
            partial_base: 0,
        }
    }

    fn pipelines(&self) -> Pipelines {
        Pipelines::new(self.runtime_modulus)
    }

    /// The rule.
    fn most_rows(&self) -> u32 {
        let hardware = Hardware {
            num_full: self.num_full,
            num_partial: PARTIAL_SUB_ENGINES,
            runtime_modulus: self.runtime_modulus,
            ..Hardware::default()
        };
        self.registers().most_rows(&hardware.limits()) as u32
    }

    /// States in the buffers that the rule leaves out: ahead of the first sub-engine, and behind the exit
    /// from a recurrence.
    fn left_out(&self) -> u32 {
        let beats = self.registers().shape().beats() as u32;
        let exit = if self.present == 0 {
            0
        } else {
            EXIT_PLACES as u32 / beats
        };
        LOADER_PLACES as u32 / beats + exit
    }

    /// Runs over two groups of `group` rows of three blocks and another row. Returns how many digests there
    /// are when nothing moves any more, and how many there should be.
    fn digests(&self, group: u32) -> (u32, u32) {
        let leaves = 2 * group + 1;
        let registers = self.registers();
        let setup = RunSetup {
            sets: [registers; SETS.len()],
            layers_first: Vec::new(),
            rows: RowRegisters {
                blocks: 3,
                group,
                last_words: 1,
                last_map: PositionMap::default(),
                overwrite: false,
                close_from: 0,
            },
            hash_leaves: true,
            leaves: leaves.into(),
            tree: TreeSetup {
                top: 0,
                levels: Vec::new(),
                gated: false,
            },
            pad: false,
            emit: 0,
            window: (0, 0),
            num_engines: 1,
            roles: Roles {
                rows: 0b1,
                nodes: 0,
                node_limit: 0,
            },
            mixes: false,
            num_full: self.num_full,
            num_partial: PARTIAL_SUB_ENGINES,
            pipelines: self.pipelines(),
            slots: false,
            records: false,
        };
        let host = Host {
            offers: true,
            takes: true,
        };
        let mut machine = Machine::new(&setup);
        let mut digests = 0;
        // A hundred thousand cycles without a word in or out are a hang.
        while !machine.is_done() {
            let (_, moved) = machine.run(host, 100_000, 1);
            if moved.words == 0 && moved.output.is_none() {
                break;
            }
            digests += u32::from(moved.output.is_some());
        }
        (digests, leaves)
    }
}

/// Every set of partial-round sub-engines that can have rounds, with few rounds and with some, on both rings:
/// the first one is among them if there are any.
fn cases() -> impl Iterator<Item = Case> {
    let shapes = [
        (false, 3),
        (false, 12),
        (true, 12),
        (false, 5),
        (true, 16),
        (false, 7),
        (true, 24),
    ];
    let sets = (0..1_u32 << PARTIAL_SUB_ENGINES).filter(|&set| set == 0 || set & 1 != 0);
    sets.flat_map(move |present| {
        [1, 2].map(|num_full| {
            let number = present as usize;
            let (goldilocks, width) = shapes[number % shapes.len()];
            Case {
                num_full,
                goldilocks,
                width,
                full_rounds: 1 + present / 2 % 2 * 3,
                partial_rounds: [1, 9, 2][number % 3],
                others: [0, 0, 3][number / 3 % 3],
                present,
                runtime_modulus: present % 7 == 0,
            }
        })
    })
}

#[test]
fn the_largest_group_comes_to_its_end() {
    for case in cases() {
        let most = case.most_rows();
        let (digests, leaves) = case.digests(most);
        assert_eq!(digests, leaves, "groups of {most} rows: {case:?}");
    }
}

/// The rule is conservative by the buffers ahead of the first sub-engine and behind the exit, and by nothing
/// else: one place of the former must be free for the first second block.
#[test]
fn a_group_that_also_fills_what_the_rule_leaves_out_hangs() {
    for case in cases() {
        let most = case.most_rows() + case.left_out();
        let (digests, leaves) = case.digests(most - 1);
        assert_eq!(digests, leaves, "groups of {} rows: {case:?}", most - 1);
        let (digests, _) = case.digests(most);
        assert_eq!(digests, 0, "groups of {most} rows: {case:?}");
    }
}
