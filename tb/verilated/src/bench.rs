// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0

//! Blocks of the chip side by side.

use std::ptr::NonNull;

use crate::{SimulationError, bindings, message};

/// Which blocks a [`Bench`] holds. Each is there with the feature of its name; those that no prime
/// changes with the default one only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchKind {
    /// The blocks of the chip: `tb/rtl/acclmt_tb_units.sv`.
    #[cfg(feature = "units")]
    Units,
    /// Some of them with deliberate faults: `tb/rtl/acclmt_tb_mutants.sv`.
    #[cfg(all(feature = "mutants", feature = "bls12-381"))]
    Mutants,
    /// The tree of the root hash engine with small memories: `tb/rtl/acclmt_tb_tree.sv`.
    #[cfg(all(feature = "tree", feature = "bls12-381"))]
    Tree,
    /// A hash engine that mixes parameter sets: `tb/rtl/acclmt_tb_sets.sv`.
    #[cfg(feature = "sets")]
    Sets,
    /// A chip with four hash engines: `tb/rtl/acclmt_tb_pool.sv`.
    #[cfg(feature = "pool")]
    Pool,
    /// A small chip in whose memories bits flip: `tb/rtl/acclmt_tb_flips.sv`. Its assertions are not heeded.
    #[cfg(all(feature = "flips", feature = "bls12-381"))]
    Flips,
    /// Hash engines of every size: `tb/rtl/acclmt_tb_engines.sv`.
    #[cfg(feature = "engines")]
    Engines,
    /// A small chip with its buses: `tb/rtl/acclmt_tb_axi.sv`.
    #[cfg(all(feature = "axi", feature = "bls12-381"))]
    Axi,
    /// Small chips with DMA: `tb/rtl/acclmt_tb_dma.sv`.
    #[cfg(all(feature = "dma", feature = "bls12-381"))]
    Dma,
    /// The default chip with DMA: `tb/rtl/acclmt_tb_dma_chip.sv`.
    #[cfg(feature = "dma_chip")]
    DmaChip,
    /// The same with two clocks, whose edges the input places: `tb/rtl/acclmt_tb_clocks.sv`.
    #[cfg(all(feature = "clocks", feature = "bls12-381"))]
    Clocks,
    /// Buffers between two clocks, one of them faulty: `tb/rtl/acclmt_tb_crossing.sv`.
    #[cfg(all(feature = "crossing", feature = "bls12-381"))]
    Crossing,
}

/// Blocks of the chip side by side, with one packed input and one packed output.
pub struct Bench {
    model: NonNull<bindings::acclmt_bench>,
    cycles: u64,
}

// SAFETY: as for `Chip`.
unsafe impl Send for Bench {}

impl Bench {
    /// A bench that has been reset.
    #[allow(
        unreachable_code,
        unused_variables,
        reason = "a build without benches has no kind of bench"
    )]
    pub fn new(kind: BenchKind, seed: u32) -> Self {
        let construct: unsafe extern "C" fn(u32) -> *mut bindings::acclmt_bench = match kind {
            #[cfg(feature = "units")]
            BenchKind::Units => bindings::acclmt_units_new,
            #[cfg(all(feature = "mutants", feature = "bls12-381"))]
            BenchKind::Mutants => bindings::acclmt_mutants_new,
            #[cfg(all(feature = "tree", feature = "bls12-381"))]
            BenchKind::Tree => bindings::acclmt_tree_new,
            #[cfg(feature = "sets")]
            BenchKind::Sets => bindings::acclmt_sets_new,
            #[cfg(feature = "pool")]
            BenchKind::Pool => bindings::acclmt_pool_new,
            #[cfg(all(feature = "flips", feature = "bls12-381"))]
            BenchKind::Flips => bindings::acclmt_flips_new,
            #[cfg(feature = "engines")]
            BenchKind::Engines => bindings::acclmt_engines_new,
            #[cfg(all(feature = "axi", feature = "bls12-381"))]
            BenchKind::Axi => bindings::acclmt_axi_new,
            #[cfg(all(feature = "dma", feature = "bls12-381"))]
            BenchKind::Dma => bindings::acclmt_dma_new,
            #[cfg(feature = "dma_chip")]
            BenchKind::DmaChip => bindings::acclmt_dma_chip_new,
            #[cfg(all(feature = "clocks", feature = "bls12-381"))]
            BenchKind::Clocks => bindings::acclmt_clocks_new,
            #[cfg(all(feature = "crossing", feature = "bls12-381"))]
            BenchKind::Crossing => bindings::acclmt_crossing_new,
        };
        // SAFETY: the constructors take any seed.
        let model = unsafe { construct(seed) };
        Self {
            model: NonNull::new(model).expect("the constructor returns an object"),
            cycles: 0,
        }
    }

    /// 32-bit words of the packed input.
    pub fn input_words(&self) -> usize {
        // SAFETY: `model` is valid until drop; the call only reads.
        unsafe { bindings::acclmt_bench_input_words(self.model.as_ptr()) as usize }
    }

    /// 32-bit words of the packed output.
    pub fn output_words(&self) -> usize {
        // SAFETY: `model` is valid until drop; the call only reads.
        unsafe { bindings::acclmt_bench_output_words(self.model.as_ptr()) as usize }
    }

    /// Runs a clock cycle for every packed input in `input`, one after the other, and returns the packed
    /// outputs: those of a cycle are what the blocks show before the clock edge that ends it.
    ///
    /// # Errors
    ///
    /// When `input` is no whole number of packed inputs, or an assertion of the design failed.
    pub fn run(&mut self, input: &[u32]) -> Result<Vec<u32>, SimulationError> {
        let expected = self.input_words();
        if !input.len().is_multiple_of(expected) {
            return Err(SimulationError::InputLength {
                words: input.len(),
                expected,
            });
        }
        let cycles = input.len() / expected;
        let mut output = vec![0; cycles * self.output_words()];
        // SAFETY: `model` is valid until drop, and `&mut self` excludes other calls. `input` and `output`
        // hold `cycles` packed inputs and outputs.
        unsafe {
            bindings::acclmt_bench_run(
                self.model.as_ptr(),
                input.as_ptr(),
                output.as_mut_ptr(),
                cycles as u64,
            );
        }
        self.cycles += cycles as u64;
        // SAFETY: `model` is valid until drop; the message lives as long as the model and does not
        // change before the next call.
        let message = unsafe { message(bindings::acclmt_bench_failure(self.model.as_ptr())) };
        match message {
            None => Ok(output),
            Some(message) => Err(SimulationError::Assertion {
                cycle: self.cycles,
                message,
            }),
        }
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        // SAFETY: `model` came from the constructor and is not used again.
        unsafe { bindings::acclmt_bench_free(self.model.as_ptr()) }
    }
}
