//! Latencies and depths of the chip's pipelines: one description, from which the SystemVerilog package
//! (`rtl/pkg/acclmt_latency_pkg.sv`) and the [cycle-exact model](crate) come.
//!
//! The package is committed; a test compares it with [`render_systemverilog`]. After a change regenerate
//! it with
//!
//! ```text
//! UPDATE_LATENCIES=1 cargo test -p acclmt-model latencies
//! ```

use std::fmt::Write as _;

use acclmt_driver::program::LANES;

macro_rules! latencies {
    ($($(#[doc = $doc:literal])+ $name:ident = $value:literal, $systemverilog:literal;)+) => {
        $($(#[doc = $doc])+ pub const $name: u64 = $value;)+

        /// Name, value and meaning of each.
        const ALL: &[(&str, u64, &str)] = &[$(($systemverilog, $value, concat!($($doc),+)),)+];
    };
}

latencies! {
    /// Choice of the state that takes a slot of a sub-engine.
    ISSUE = 1, "IssueLatency";
    /// Three-level Karatsuba multiplier or squarer.
    MULTIPLY = 6, "MulLatency";
    /// Addition of products, and resolution of the carries between chunks.
    ACCUMULATE = 2, "AccumulateLatency";
    /// Montgomery reduction by a constant prime.
    REDUCE = 7, "ReduceLatency";
    /// Montgomery reduction by a run-time prime: digits, one stage each.
    RUNTIME_DIGITS = 10, "RuntimeDigits";
    /// Montgomery reduction by a run-time prime: stages besides those of the digits.
    RUNTIME_REDUCE_STAGES = 3, "RuntimeReduceStages";
    /// Modular addition.
    ADD = 1, "AddLatency";
    /// A matrix of small integers, by adders, with its constants.
    ADDERS = 6, "AddersLatency";
    /// Sum of an element and a coefficient ahead of a multiplier.
    OPERAND = 1, "OperandLatency";
    /// Carries between the chunks of a sum.
    RESOLVE = 1, "ResolveLatency";
    /// A buffer from its input to its output.
    FIFO = 2, "FifoLatency";
    /// The buffer between the S-boxes and the matrix of a full-round sub-engine: write and read.
    TURN = 2, "TurnLatency";
    /// Product of an input element with a constant R^2.
    ENTER_PRODUCT = 5, "EnterProductLatency";
    /// Places of a buffer behind a pipeline that never stalls, besides one for each stage.
    PLACES_BESIDES_STAGES = 4, "PlacesBesidesStages";
    /// Beats that fit in a sub-engine, and in each of its output buffers: enough to keep the loop full
    /// with states of one to four beats.
    PLACES = 64, "ConstantPlaces";
    /// The same with a run-time prime, whose loops are longer.
    RUNTIME_PLACES = 128, "RuntimePlaces";
    /// States that wait for their dense layer in the turn memory, where other layers are made by adders.
    TURN_STATES = 16, "ConstantTurnStates";
    /// The same with a run-time prime, on their way through longer S-boxes.
    RUNTIME_TURN_STATES = 32, "RuntimeTurnStates";
    /// Beats of initial states that wait for their hash engine.
    LOADER_PLACES = 8, "LoaderPlaces";
    /// Beats that leave the partial rounds as residues and wait for the last visit.
    EXIT_PLACES = 8, "ExitPlaces";
    /// From a start that acts until the queue of the lowest level of the tree is laid out.
    LEVEL_SETUP = 2, "LevelSetupLatency";
    /// Nodes on their way out that wait for the conversion.
    NODE_OUTPUT_DEPTH = 4, "NodeOutputDepth";
}

/// Cycles of the blocks that are made of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pipelines {
    /// Montgomery reduction.
    pub reduce: u64,
    /// S-box: the longest chain of three modular multiplications.
    pub sbox: u64,
    /// Row of a matrix: products, their sum, the reduction.
    pub dot: u64,
    /// One partial round on a partial-round sub-engine, from issue to re-issue.
    pub partial_loop: u64,
    /// One round of a state of one beat on a full-round sub-engine, from issue to re-issue.
    pub full_loop: u64,
    /// From the start of a state that leaves the partial rounds until its first beat enters the buffer
    /// behind: three words, the carries of the last one, its reduction.
    pub exit: u64,
    /// Conversion of an input element, without its buffer.
    pub enter: u64,
    /// Beats that fit in a sub-engine and in each of its output buffers.
    pub places: u64,
    /// States that fit in the turn memory, where layers are made by adders.
    pub turn_states: u64,
}

impl Pipelines {
    /// Those of a chip with a constant prime, or with one that is set at run time.
    pub const fn new(runtime_modulus: bool) -> Self {
        let (reduce, product, places) = if runtime_modulus {
            (
                RUNTIME_DIGITS + RUNTIME_REDUCE_STAGES,
                MULTIPLY,
                RUNTIME_PLACES,
            )
        } else {
            (REDUCE, ENTER_PRODUCT, PLACES)
        };
        let sbox = 3 * (MULTIPLY + reduce);
        let dot = MULTIPLY + ACCUMULATE + reduce;
        Self {
            reduce,
            sbox,
            dot,
            partial_loop: ISSUE + sbox + ADD + FIFO,
            full_loop: ISSUE + sbox + TURN + OPERAND + dot + ADD + FIFO,
            exit: LANES as u64 - 1 + RESOLVE + reduce,
            enter: product + reduce,
            places,
            turn_states: if runtime_modulus {
                RUNTIME_TURN_STATES
            } else {
                TURN_STATES
            },
        }
    }
}

/// The text of `rtl/pkg/acclmt_latency_pkg.sv`.
pub fn render_systemverilog() -> String {
    let mut out = String::from(
        "// Copyright AcclMT contributors.\n\
         // Licensed under the Apache License, Version 2.0, see LICENSE for details.\n\
         // SPDX-License-Identifier: Apache-2.0\n\
         //\n\
         // Latencies, in cycles, and depths of the pipelines' buffers.\n\
         //\n\
         // Generated from sim-rs/model/src/latencies.rs, which the cycle-exact model shares; do not edit.\n\
         // Regenerate with\n\
         //   UPDATE_LATENCIES=1 cargo test -p acclmt-model latencies\n\n\
         package acclmt_latency_pkg;\n",
    );
    for (name, value, meaning) in ALL {
        let mut line = String::new();
        out.push('\n');
        for word in meaning.split_whitespace() {
            if line.len() + word.len() + 1 > 92 {
                let _ = writeln!(out, "  ///{line}");
                line.clear();
            }
            let _ = write!(line, " {word}");
        }
        let _ = writeln!(
            out,
            "  ///{line}\n  localparam int unsigned {name} = {value};"
        );
    }
    out.push_str("\nendpackage\n");
    out
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::{env, fs};

    use super::*;

    #[test]
    fn systemverilog_is_up_to_date() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../rtl/pkg/acclmt_latency_pkg.sv");
        if env::var_os("UPDATE_LATENCIES").is_some() {
            fs::write(&path, render_systemverilog()).unwrap();
        }
        let found = fs::read_to_string(&path).unwrap();
        assert!(
            found == render_systemverilog(),
            "{} is not up to date; regenerate it with UPDATE_LATENCIES=1",
            path.display()
        );
    }

    #[test]
    fn loops_are_those_of_the_capabilities() {
        let constant = Pipelines::new(false);
        assert_eq!((constant.partial_loop, constant.full_loop), (43, 61));
        let runtime = Pipelines::new(true);
        assert_eq!((runtime.partial_loop, runtime.full_loop), (61, 85));
        assert_eq!((constant.exit, runtime.exit), (10, 16));
    }
}
