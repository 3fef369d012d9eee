// Copyright AcclMT contributors.
// SPDX-License-Identifier: Apache-2.0
//
// The C interface of the simulation models. Wide values are arrays of 32-bit words, the least
// significant first. A model may be used by one thread at a time, any thread.

#ifndef ACCLMT_SHIM_H
#define ACCLMT_SHIM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Words of a field element.
#define ACCLMT_WORDS 8
// Words of an output: the element, the level and the index of the node, flags (bit 0 last, bit 1 error).
#define ACCLMT_OUTPUT_WORDS (ACCLMT_WORDS + 3)

// Words of what is observed in a cycle for a timeline, see acclmt_tb_chip.
#define ACCLMT_OBSERVED_WORDS 50
// Sub-engines of a hash engine that have a word there.
#define ACCLMT_OBSERVED_SUB_ENGINES 8
// Bits of the first word: the stalls from bit 0 on, a cycle is counted, the counters are cleared, a group of
// siblings is taken, its level.
#define ACCLMT_OBSERVED_COUNTED 5
#define ACCLMT_OBSERVED_CLEARED 6
#define ACCLMT_OBSERVED_JOB 7
#define ACCLMT_OBSERVED_JOB_LEVEL 8

// The whole chip: acclmt_tb_chip.
typedef struct acclmt_chip acclmt_chip;

// A register access takes one clock cycle.
typedef struct {
  uint32_t data;
  // The chip answered with reg_error_o.
  uint32_t refused;
} acclmt_answer;

// Arguments and results of acclmt_chip_transfer.
typedef struct {
  // Words to offer, ACCLMT_WORDS each.
  const uint32_t *input;
  uint64_t input_count;
  // Room for output, ACCLMT_OUTPUT_WORDS each.
  uint32_t *output;
  uint64_t output_capacity;
  // Clock cycles to run at most.
  uint64_t cycles;
  // Results: words taken and given.
  uint64_t taken;
  uint64_t given;
} acclmt_transfer;

// A new chip, reset; all registers and memories without reset hold random values of `seed`.
acclmt_chip *acclmt_chip_new(uint32_t seed);
void acclmt_chip_free(acclmt_chip *chip);
// Asserts reset for a few cycles.
void acclmt_chip_reset(acclmt_chip *chip);
acclmt_answer acclmt_chip_write(acclmt_chip *chip, uint32_t address, uint32_t value);
acclmt_answer acclmt_chip_read(acclmt_chip *chip, uint32_t address);
// Offers input and takes output until the cycles are over, the room for output is full, or the last
// output word was taken.
void acclmt_chip_transfer(acclmt_chip *chip, acclmt_transfer *transfer);
// From now on in_valid and out_ready are withheld with these probabilities (times 2^-32) a cycle. A
// word that was offered stays offered.
void acclmt_chip_stalls(acclmt_chip *chip, uint64_t seed, uint32_t input, uint32_t output);
// From now on at most `words` input words are offered every `cycles` cycles of acclmt_chip_transfer,
// evenly; 1 <= words <= cycles. A word that waits for the chip keeps the next one waiting.
void acclmt_chip_input_rate(acclmt_chip *chip, uint32_t words, uint32_t cycles);
// Writes a waveform (FST) of the clock cycles first .. first + count - 1 since construction, of the
// signals down to `depth` levels of hierarchy (0: all).
void acclmt_chip_trace(acclmt_chip *chip, const char *path, uint64_t first, uint64_t count,
                       uint32_t depth);
// Ends the waveform; returns the clock cycles that it holds, 0 where the file could not be written.
uint64_t acclmt_chip_trace_end(acclmt_chip *chip);
// From now on what is observed in every clock cycle is kept until acclmt_chip_forget, or no more.
void acclmt_chip_observe(acclmt_chip *chip, uint32_t on);
// What is kept: ACCLMT_OBSERVED_WORDS each of acclmt_chip_observed_cycles cycles. Valid until the
// next cycle.
const uint32_t *acclmt_chip_observed(const acclmt_chip *chip);
uint64_t acclmt_chip_observed_cycles(const acclmt_chip *chip);
void acclmt_chip_forget(acclmt_chip *chip);
// Clock cycles since construction.
uint64_t acclmt_chip_cycles(const acclmt_chip *chip);
// Whether irq_o is high.
uint32_t acclmt_chip_interrupt(const acclmt_chip *chip);
// The message of the first assertion that failed, or null. Valid until the chip is freed.
const char *acclmt_chip_failure(const acclmt_chip *chip);

// A bench of blocks side by side: packed input and output, one operand set a clock cycle.
typedef struct acclmt_bench acclmt_bench;

// The blocks of the chip, some of them with deliberate faults, the tree, a hash engine that mixes sets, a
// chip with four hash engines, a small chip in whose memories bits flip, the hash engines of every size, a small chip
// with its buses, the same with two clocks, buffers between two clocks, small chips with DMA, the default chip with
// DMA. Each is in builds with the feature of its name only.
acclmt_bench *acclmt_units_new(uint32_t seed);
acclmt_bench *acclmt_mutants_new(uint32_t seed);
acclmt_bench *acclmt_tree_new(uint32_t seed);
acclmt_bench *acclmt_sets_new(uint32_t seed);
acclmt_bench *acclmt_pool_new(uint32_t seed);
acclmt_bench *acclmt_flips_new(uint32_t seed);
acclmt_bench *acclmt_engines_new(uint32_t seed);
acclmt_bench *acclmt_axi_new(uint32_t seed);
acclmt_bench *acclmt_dma_new(uint32_t seed);
acclmt_bench *acclmt_dma_chip_new(uint32_t seed);
acclmt_bench *acclmt_clocks_new(uint32_t seed);
acclmt_bench *acclmt_crossing_new(uint32_t seed);
void acclmt_bench_free(acclmt_bench *bench);
// Words of the packed input and output.
uint32_t acclmt_bench_input_words(const acclmt_bench *bench);
uint32_t acclmt_bench_output_words(const acclmt_bench *bench);
// Runs `cycles` clock cycles. In cycle i the input is input[i], and output[i] is what the bench shows
// in that cycle, before the clock edge that ends it.
void acclmt_bench_run(acclmt_bench *bench, const uint32_t *input, uint32_t *output, uint64_t cycles);
// The message of the first assertion that failed, or null. Valid until the bench is freed.
const char *acclmt_bench_failure(const acclmt_bench *bench);

#ifdef __cplusplus
}
#endif

#endif  // ACCLMT_SHIM_H
