/*
 * Copyright AcclMT contributors.
 * Licensed under the Apache License, Version 2.0, see LICENSE for details.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Register map of the chip. docs/registers.md, docs/buses.md and docs/dma.md explain it.
 *
 * Generated from sim-rs/driver/src/registers.rs; do not edit. Regenerate with
 *   UPDATE_REGISTERS=1 cargo test -p acclmt-driver registers
 *
 * Registers of AcclMT, an accelerator of Poseidon hashes and Merkle trees. Every access is one of
 * 32 bits at a multiple of 4. docs/registers.md says what a host may do when, and what a
 * zeroisation covers.
 *
 * ACCLMT_REG_x        byte address of a register; of an array, of the register with that number
 * ACCLMT_REG_x_HIGH   the same of the high word of a counter of 64 bits; reading the low word,
 *                     at ACCLMT_REG_x, latches it
 * ACCLMT_x_FIRST      number of the first register of an array
 * ACCLMT_x_COUNT      number of registers of an array
 * ACCLMT_x_RESET      what a register reads after a reset, of counters both words
 * ACCLMT_x_y_LSB      position of the least significant bit of a field
 * ACCLMT_x_y_WIDTH    number of bits of a field
 * ACCLMT_x_y_MASK     the bits of a field
 * ACCLMT_ERROR_x      a code of ERROR
 * ACCLMT_DMA_ERROR_x  a code of DMA_ERROR
 */

#ifndef ACCLMT_REGISTERS_H_
#define ACCLMT_REGISTERS_H_

/* What ID and the versions read. */
#define ACCLMT_ID_VALUE 0x41434D54u
#define ACCLMT_VERSION_VALUE 0x00001000u
#define ACCLMT_BUS_VERSION_VALUE 0x00000100u
#define ACCLMT_DMA_VERSION_VALUE 0x00000100u

/* ID (RO). Identification: 0x41434D54, the ASCII letters ACMT. */
#define ACCLMT_REG_ID 0x000u
#define ACCLMT_ID_RESET 0x41434D54u

/* VERSION (RO). Version of the register map: major, minor and patch in bits 23:16, 15:8 and 7:0. */
#define ACCLMT_REG_VERSION 0x004u
#define ACCLMT_VERSION_RESET 0x00001000u

/*
 * CAPS_ENGINE (RO). Capabilities: the hash engines. Its value after a reset depends on how the chip
 * is built.
 */
#define ACCLMT_REG_CAPS_ENGINE 0x008u
/* Number of full-round sub-engines of each hash engine. */
#define ACCLMT_CAPS_ENGINE_NUM_FULL_LSB 0u
#define ACCLMT_CAPS_ENGINE_NUM_FULL_WIDTH 4u
#define ACCLMT_CAPS_ENGINE_NUM_FULL_MASK 0x0000000Fu
/* Number of partial-round sub-engines of each hash engine, at most 6. */
#define ACCLMT_CAPS_ENGINE_NUM_PARTIAL_LSB 4u
#define ACCLMT_CAPS_ENGINE_NUM_PARTIAL_WIDTH 4u
#define ACCLMT_CAPS_ENGINE_NUM_PARTIAL_MASK 0x000000F0u
/* Field elements a sub-engine takes in a cycle. */
#define ACCLMT_CAPS_ENGINE_LANES_LSB 8u
#define ACCLMT_CAPS_ENGINE_LANES_WIDTH 4u
#define ACCLMT_CAPS_ENGINE_LANES_MASK 0x00000F00u
/* Cycles a state of three elements needs for one round x^5 of a full-round sub-engine. */
#define ACCLMT_CAPS_ENGINE_LOOP_CYCLES_FULL_LSB 12u
#define ACCLMT_CAPS_ENGINE_LOOP_CYCLES_FULL_WIDTH 8u
#define ACCLMT_CAPS_ENGINE_LOOP_CYCLES_FULL_MASK 0x000FF000u
/* Cycles a state of three elements needs for one round x^5 of a partial-round sub-engine. */
#define ACCLMT_CAPS_ENGINE_LOOP_CYCLES_PARTIAL_LSB 20u
#define ACCLMT_CAPS_ENGINE_LOOP_CYCLES_PARTIAL_WIDTH 8u
#define ACCLMT_CAPS_ENGINE_LOOP_CYCLES_PARTIAL_MASK 0x0FF00000u
/*
 * Base-2 logarithm of the beats that the output buffer of a sub-engine holds; ROW_GROUP depends on
 * it.
 */
#define ACCLMT_CAPS_ENGINE_LOG2_PLACES_LSB 28u
#define ACCLMT_CAPS_ENGINE_LOG2_PLACES_WIDTH 4u
#define ACCLMT_CAPS_ENGINE_LOG2_PLACES_MASK 0xF0000000u

/*
 * CAPS_DEPTH (RO). Capabilities: the depths of the constant memories, and whether bases are stored.
 * Its value after a reset depends on how the chip is built.
 */
#define ACCLMT_REG_CAPS_DEPTH 0x00Cu
/*
 * Entries of each matrix memory of a full-round sub-engine, for the MDS matrix and those before and
 * after the recurrence.
 */
#define ACCLMT_CAPS_DEPTH_MATRIX_DEPTH_LSB 0u
#define ACCLMT_CAPS_DEPTH_MATRIX_DEPTH_WIDTH 10u
#define ACCLMT_CAPS_DEPTH_MATRIX_DEPTH_MASK 0x000003FFu
/*
 * Entries of each round constant memory of a full-round sub-engine, one for each beat of each of
 * its passes, and of one more where the last full round is short.
 */
#define ACCLMT_CAPS_DEPTH_CONSTANT_DEPTH_LSB 10u
#define ACCLMT_CAPS_DEPTH_CONSTANT_DEPTH_WIDTH 10u
#define ACCLMT_CAPS_DEPTH_CONSTANT_DEPTH_MASK 0x000FFC00u
/* Entries of each memory of a partial-round sub-engine, one for each beat of each of its rounds. */
#define ACCLMT_CAPS_DEPTH_PARTIAL_DEPTH_LSB 20u
#define ACCLMT_CAPS_DEPTH_PARTIAL_DEPTH_WIDTH 10u
#define ACCLMT_CAPS_DEPTH_PARTIAL_DEPTH_MASK 0x3FF00000u
/* Whether full-round sub-engines can store the elements of a pass. */
#define ACCLMT_CAPS_DEPTH_STORE_LSB 30u
#define ACCLMT_CAPS_DEPTH_STORE_WIDTH 1u
#define ACCLMT_CAPS_DEPTH_STORE_MASK 0x40000000u
/* Whether full-round sub-engines make layers of small integers by adders, in Goldilocks mode. */
#define ACCLMT_CAPS_DEPTH_ADDERS_LSB 31u
#define ACCLMT_CAPS_DEPTH_ADDERS_WIDTH 1u
#define ACCLMT_CAPS_DEPTH_ADDERS_MASK 0x80000000u

/*
 * CAPS_TREE (RO). Capabilities: the tree. Its value after a reset depends on how the chip is built.
 */
#define ACCLMT_REG_CAPS_TREE 0x010u
/* A tree has at most so many levels above its leaves. The level table has an entry more. */
#define ACCLMT_CAPS_TREE_MAX_HEIGHT_LSB 0u
#define ACCLMT_CAPS_TREE_MAX_HEIGHT_WIDTH 6u
#define ACCLMT_CAPS_TREE_MAX_HEIGHT_MASK 0x0000003Fu
/* Base-2 logarithm of the 256-bit words of the node memory. */
#define ACCLMT_CAPS_TREE_LOG2_NODE_WORDS_LSB 8u
#define ACCLMT_CAPS_TREE_LOG2_NODE_WORDS_WIDTH 5u
#define ACCLMT_CAPS_TREE_LOG2_NODE_WORDS_MASK 0x00001F00u

/*
 * CAPS_FIELD (RO). Capabilities: the fields. Its value after a reset depends on how the chip is
 * built.
 */
#define ACCLMT_REG_CAPS_FIELD 0x014u
/* The chip has the Goldilocks mode: FIELD may be 1. */
#define ACCLMT_CAPS_FIELD_GOLDILOCKS_LSB 0u
#define ACCLMT_CAPS_FIELD_GOLDILOCKS_WIDTH 1u
#define ACCLMT_CAPS_FIELD_GOLDILOCKS_MASK 0x00000001u
/* The large prime is loaded at run time: PRIME can be written and RADIX_SQUARED exists. */
#define ACCLMT_CAPS_FIELD_RUNTIME_MODULUS_LSB 1u
#define ACCLMT_CAPS_FIELD_RUNTIME_MODULUS_WIDTH 1u
#define ACCLMT_CAPS_FIELD_RUNTIME_MODULUS_MASK 0x00000002u
/* Base-2 logarithm of the Montgomery radix R of the large prime. */
#define ACCLMT_CAPS_FIELD_MONTGOMERY_BITS_LSB 8u
#define ACCLMT_CAPS_FIELD_MONTGOMERY_BITS_WIDTH 9u
#define ACCLMT_CAPS_FIELD_MONTGOMERY_BITS_MASK 0x0001FF00u

/*
 * CAPS_POOL (RO). Capabilities: the pool of hash engines, and whether memories keep parity. Its
 * value after a reset depends on how the chip is built.
 */
#define ACCLMT_REG_CAPS_POOL 0x018u
/* Number of hash engines, 1 to 8. */
#define ACCLMT_CAPS_POOL_NUM_ENGINES_LSB 0u
#define ACCLMT_CAPS_POOL_NUM_ENGINES_WIDTH 4u
#define ACCLMT_CAPS_POOL_NUM_ENGINES_MASK 0x0000000Fu
/* Memories keep parity: a bit that flips in one is noticed when its word is read (MemoryFault). */
#define ACCLMT_CAPS_POOL_MEMORY_PARITY_LSB 31u
#define ACCLMT_CAPS_POOL_MEMORY_PARITY_WIDTH 1u
#define ACCLMT_CAPS_POOL_MEMORY_PARITY_MASK 0x80000000u

/*
 * PRIME (RO/RW). The large prime, little-endian words of 32 bits. Legal on a chip with a run-time
 * modulus: from 2^250 up to 2^255, and 1 modulo 2^28. It can be written only on a chip with a
 * run-time modulus, while no run is in progress. Its value after a reset depends on how the chip is
 * built.
 */
#define ACCLMT_REG_PRIME(number) (0x020u + 4u * ((number) - 0u))
#define ACCLMT_PRIME_FIRST 0u
#define ACCLMT_PRIME_COUNT 8u

/*
 * CONTROL (WO). Commands, at most one in a write. During a run only a clear is taken, and during a
 * zeroisation none. It reads 0.
 */
#define ACCLMT_REG_CONTROL 0x040u
#define ACCLMT_CONTROL_RESET 0x00000000u
/*
 * 1 starts a run. Refused while STATUS.Busy is 1, and when a register of the configuration holds an
 * illegal value: see STATUS.StartRefused.
 */
#define ACCLMT_CONTROL_START_LSB 0u
#define ACCLMT_CONTROL_START_WIDTH 1u
#define ACCLMT_CONTROL_START_MASK 0x00000001u
/*
 * 1 clears STATUS.Done, STATUS.StartRefused, the error, INTERRUPT_STATUS and the counters, and
 * aborts a run: the machine is flushed, and idle when STATUS.Busy reads 0. Refused during a
 * zeroisation.
 */
#define ACCLMT_CONTROL_CLEAR_LSB 1u
#define ACCLMT_CONTROL_CLEAR_WIDTH 1u
#define ACCLMT_CONTROL_CLEAR_MASK 0x00000002u
/*
 * 1 clears, and overwrites with zero what the chip holds of data and constants: see Zeroisation.
 * Refused while STATUS.Busy is 1. STATUS.Busy is 1 until it is done, and then STATUS.Zeroised is;
 * it cannot be aborted.
 */
#define ACCLMT_CONTROL_ZEROISE_LSB 2u
#define ACCLMT_CONTROL_ZEROISE_WIDTH 1u
#define ACCLMT_CONTROL_ZEROISE_MASK 0x00000004u

/*
 * STATUS (RO). State of the machine. A host that waits for the end of a run waits for Busy to fall,
 * and looks at StartRefused before it believes Done.
 */
#define ACCLMT_REG_STATUS 0x044u
#define ACCLMT_STATUS_RESET 0x00000000u
/* A run or a zeroisation is in progress. */
#define ACCLMT_STATUS_BUSY_LSB 0u
#define ACCLMT_STATUS_BUSY_WIDTH 1u
#define ACCLMT_STATUS_BUSY_MASK 0x00000001u
/* The last run that started is complete: its last word was taken from the data output. */
#define ACCLMT_STATUS_DONE_LSB 1u
#define ACCLMT_STATUS_DONE_WIDTH 1u
#define ACCLMT_STATUS_DONE_MASK 0x00000002u
/* ERROR holds a code. */
#define ACCLMT_STATUS_ERROR_LSB 2u
#define ACCLMT_STATUS_ERROR_WIDTH 1u
#define ACCLMT_STATUS_ERROR_MASK 0x00000004u
/*
 * The last start was refused. Set by a refused start, whatever ERROR holds: at once during a run or
 * with an illegal register, and in the cycle in which Busy falls when the level table does not fit.
 * Cleared by a start that is not refused at once, by a clear, and by a zeroisation as it begins.
 */
#define ACCLMT_STATUS_START_REFUSED_LSB 3u
#define ACCLMT_STATUS_START_REFUSED_WIDTH 1u
#define ACCLMT_STATUS_START_REFUSED_MASK 0x00000008u
/*
 * A zeroisation is complete, and since then no run has started and neither configuration nor a
 * constant was written. 0 after a reset.
 */
#define ACCLMT_STATUS_ZEROISED_LSB 4u
#define ACCLMT_STATUS_ZEROISED_WIDTH 1u
#define ACCLMT_STATUS_ZEROISED_MASK 0x00000010u

/* ERROR (RO). Code of the first error since the last clear, of the table of error codes. */
#define ACCLMT_REG_ERROR 0x048u
#define ACCLMT_ERROR_RESET 0x00000000u

/*
 * ERROR_INFO (RO). More about the first error, as the table of error codes says: the lower 32 bits.
 */
#define ACCLMT_REG_ERROR_INFO 0x04Cu
#define ACCLMT_ERROR_INFO_RESET 0x00000000u

/* MODE (RW). What a run does. It can be written only while no run is in progress. */
#define ACCLMT_REG_MODE 0x050u
#define ACCLMT_MODE_RESET 0x00000000u
/* 0: every input word is a leaf. 1: a leaf is the digest of a row of ROW_BLOCKS blocks. */
#define ACCLMT_MODE_LEAF_KIND_LSB 0u
#define ACCLMT_MODE_LEAF_KIND_WIDTH 1u
#define ACCLMT_MODE_LEAF_KIND_MASK 0x00000001u
/*
 * 1: the last group of siblings of a level may lack some, which then have the value of an empty
 * sub-tree of their level. 0: that is error 7.
 */
#define ACCLMT_MODE_PAD_LSB 1u
#define ACCLMT_MODE_PAD_WIDTH 1u
#define ACCLMT_MODE_PAD_MASK 0x00000002u
/*
 * How the elements of the second and later blocks of a row are absorbed. 0: they are added to those
 * of the state. 1: they take their places.
 */
#define ACCLMT_MODE_OVERWRITE_LSB 2u
#define ACCLMT_MODE_OVERWRITE_WIDTH 1u
#define ACCLMT_MODE_OVERWRITE_MASK 0x00000004u
/*
 * Elements of the last block of a row, where it is not the first one, from this number on take the
 * places of those of the state, those before are added. 0: all are absorbed as in other blocks.
 * Legal: up to 24, 0 with Overwrite.
 */
#define ACCLMT_MODE_CLOSE_FROM_LSB 8u
#define ACCLMT_MODE_CLOSE_FROM_WIDTH 5u
#define ACCLMT_MODE_CLOSE_FROM_MASK 0x00001F00u

/*
 * TOP_LEVEL (RW). The level whose nodes are sent out and end the run: that of the root, or a lower
 * one for a cap. Level 0 are the leaves: there is no tree then, and leaves must be hashed. Legal:
 * up to CAPS_TREE.MaxHeight. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_TOP_LEVEL 0x054u
#define ACCLMT_TOP_LEVEL_RESET 0x00000000u

/*
 * LEAVES (RW). Number of leaves, 1 to 2^32: its lower 32 bits. A start with 2^32 leaves has 0 here
 * and 1 in LEAVES_HIGH. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_LEAVES 0x058u
#define ACCLMT_LEAVES_RESET 0x00000000u

/*
 * FIELD (RW). The field. Legal: 0, the large prime, one element in a stream word; with
 * CAPS_FIELD.Goldilocks also 1, the prime 2^64 - 2^32 + 1, four elements in a stream word. It can
 * be written only while no run is in progress.
 */
#define ACCLMT_REG_FIELD 0x05Cu
#define ACCLMT_FIELD_RESET 0x00000000u

/*
 * EMIT_LEVELS (RW). Bit l: the nodes of level l are sent out when their parent is hashed. Those of
 * TOP_LEVEL always are, as soon as a group of them is complete. Without a tree leaves are sent out
 * as they are made. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_EMIT_LEVELS 0x060u
#define ACCLMT_EMIT_LEVELS_RESET 0x00000000u

/*
 * ROW_BLOCKS (RW). Blocks of the row that is hashed into a leaf, at least 1: so many permutations.
 * It can be written only while no run is in progress.
 */
#define ACCLMT_REG_ROW_BLOCKS 0x064u
#define ACCLMT_ROW_BLOCKS_RESET 0x00000000u

/*
 * ROW_GROUP (RW). Rows of a group: the first blocks of all rows of a group come before their second
 * blocks, and so on; the last group has the rows that are left. Legal: 1 to (2 + the number of
 * partial-round sub-engines with partial rounds) * floor(2^Log2Places / beats of a state), see
 * CAPS_ENGINE and LEAF_PARTIAL_ROUNDS; a state of t elements has ceil(t / 3) beats, in Goldilocks
 * mode ceil(t / 12), for each hash engine that takes rows. Where one takes nodes as well, and rows
 * have several blocks, the beats of its rows and of NodeLimit nodes fit into so many buffers of
 * 2^Log2Places - 3 beats. A run with a tree in which leaves are reserved, see ROLES, needs room for
 * a group of rows and a group of siblings less one in the queue of level 0. It can be written only
 * while no run is in progress.
 */
#define ACCLMT_REG_ROW_GROUP 0x068u
#define ACCLMT_ROW_GROUP_RESET 0x00000000u

/*
 * LAST_INPUT_WORDS (RW). Words of the last block of a row. Legal as LEAF_INPUT_WORDS. It can be
 * written only while no run is in progress.
 */
#define ACCLMT_REG_LAST_INPUT_WORDS 0x06Cu
#define ACCLMT_LAST_INPUT_WORDS_RESET 0x00000000u

/*
 * LAST_INPUT_MAP (RW). State elements that the elements of the last block of a row go to, as
 * LEAF_INPUT_MAP. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_LAST_INPUT_MAP(number) (0x070u + 4u * ((number) - 0u))
#define ACCLMT_LAST_INPUT_MAP_FIRST 0u
#define ACCLMT_LAST_INPUT_MAP_COUNT 4u
#define ACCLMT_LAST_INPUT_MAP_RESET 0x00000000u

/*
 * WINDOW_FIRST (RW). First leaf of the window in which sub-engines are counted as busy: the window
 * begins when so many leaves have left the leaf hash engine. It can be written only while no run is
 * in progress.
 */
#define ACCLMT_REG_WINDOW_FIRST 0x080u
#define ACCLMT_WINDOW_FIRST_RESET 0x00000000u

/*
 * WINDOW_LAST (RW). The window ends when so many leaves have left the leaf hash engine; 0: with the
 * run. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_WINDOW_LAST 0x084u
#define ACCLMT_WINDOW_LAST_RESET 0x00000000u

/*
 * LEAVES_HIGH (RW). The upper 32 bits of the number of leaves: 0, or 1 for 2^32 leaves. It can be
 * written only while no run is in progress.
 */
#define ACCLMT_REG_LEAVES_HIGH 0x088u
#define ACCLMT_LEAVES_HIGH_RESET 0x00000000u

/*
 * ERROR_INFO_HIGH (RO). The upper 32 bits of what ERROR_INFO says. They are 0 for errors that are
 * not about an element.
 */
#define ACCLMT_REG_ERROR_INFO_HIGH 0x08Cu
#define ACCLMT_ERROR_INFO_HIGH_RESET 0x00000000u

/*
 * ROLES (RW). What each hash engine does in a run. An engine can do both: it is shared, and its
 * rows and nodes are mixed. Legal: no bit of an engine that CAPS_POOL does not have. The parameter
 * sets that an engine mixes, those of the levels of the tree and in a shared engine that of rows,
 * have the same exponent, and rounds on the same partial-round sub-engines. Where rows have several
 * blocks, an engine is shared only with a NodeLimit. It can be written only while no run is in
 * progress.
 */
#define ACCLMT_REG_ROLES 0x090u
#define ACCLMT_ROLES_RESET 0x00000000u
/* Bit e: hash engine e hashes rows into leaves. At least one does in a run that hashes leaves. */
#define ACCLMT_ROLES_ROWS_LSB 0u
#define ACCLMT_ROLES_ROWS_WIDTH 8u
#define ACCLMT_ROLES_ROWS_MASK 0x000000FFu
/*
 * Bit e: hash engine e hashes groups of siblings into nodes. At least one does in a run with a
 * tree.
 */
#define ACCLMT_ROLES_NODES_LSB 8u
#define ACCLMT_ROLES_NODES_WIDTH 8u
#define ACCLMT_ROLES_NODES_MASK 0x0000FF00u
/*
 * Most nodes that are inside of a hash engine at a time; 0: as many as it takes. Rows of several
 * blocks wait inside for words that come later, and need to know what room nodes leave them.
 */
#define ACCLMT_ROLES_NODE_LIMIT_LSB 16u
#define ACCLMT_ROLES_NODE_LIMIT_WIDTH 8u
#define ACCLMT_ROLES_NODE_LIMIT_MASK 0x00FF0000u

/*
 * INTERRUPT_STATUS (RO, W1C). What happened and was not acknowledged. The interrupt output is high
 * while a bit is 1 here and in INTERRUPT_ENABLE. A write of 1 acknowledges: it clears the bit and
 * nothing else; STATUS, ERROR and the counters stay. A clear clears all bits.
 */
#define ACCLMT_REG_INTERRUPT_STATUS 0x094u
#define ACCLMT_INTERRUPT_STATUS_RESET 0x00000000u
/* A run was completed. */
#define ACCLMT_INTERRUPT_STATUS_DONE_LSB 0u
#define ACCLMT_INTERRUPT_STATUS_DONE_WIDTH 1u
#define ACCLMT_INTERRUPT_STATUS_DONE_MASK 0x00000001u
/*
 * Something of the table of error codes happened, be it registered in ERROR or not because another
 * error is there.
 */
#define ACCLMT_INTERRUPT_STATUS_ERROR_LSB 1u
#define ACCLMT_INTERRUPT_STATUS_ERROR_WIDTH 1u
#define ACCLMT_INTERRUPT_STATUS_ERROR_MASK 0x00000002u
/* A zeroisation was completed. */
#define ACCLMT_INTERRUPT_STATUS_ZEROISED_LSB 2u
#define ACCLMT_INTERRUPT_STATUS_ZEROISED_WIDTH 1u
#define ACCLMT_INTERRUPT_STATUS_ZEROISED_MASK 0x00000004u

/*
 * INTERRUPT_ENABLE (RW, at any time). Which bits of INTERRUPT_STATUS raise the interrupt output;
 * none after a reset. It can be written at any time.
 */
#define ACCLMT_REG_INTERRUPT_ENABLE 0x098u
#define ACCLMT_INTERRUPT_ENABLE_RESET 0x00000000u
/* A run was completed. */
#define ACCLMT_INTERRUPT_ENABLE_DONE_LSB 0u
#define ACCLMT_INTERRUPT_ENABLE_DONE_WIDTH 1u
#define ACCLMT_INTERRUPT_ENABLE_DONE_MASK 0x00000001u
/*
 * Something of the table of error codes happened, be it registered in ERROR or not because another
 * error is there.
 */
#define ACCLMT_INTERRUPT_ENABLE_ERROR_LSB 1u
#define ACCLMT_INTERRUPT_ENABLE_ERROR_WIDTH 1u
#define ACCLMT_INTERRUPT_ENABLE_ERROR_MASK 0x00000002u
/* A zeroisation was completed. */
#define ACCLMT_INTERRUPT_ENABLE_ZEROISED_LSB 2u
#define ACCLMT_INTERRUPT_ENABLE_ZEROISED_WIDTH 1u
#define ACCLMT_INTERRUPT_ENABLE_ZEROISED_MASK 0x00000004u

/*
 * RADIX_SQUARED (RW). R^2 modulo PRIME, little-endian words of 32 bits. Only on a chip with a
 * run-time modulus, unknown on others. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_RADIX_SQUARED(number) (0x0C0u + 4u * ((number) - 0u))
#define ACCLMT_RADIX_SQUARED_FIRST 0u
#define ACCLMT_RADIX_SQUARED_COUNT 8u
#define ACCLMT_RADIX_SQUARED_RESET 0x00000000u

/*
 * CONSTANT_DATA (RW). A constant, little-endian words of 32 bits: below the large prime and in
 * Montgomery form with R = 2^CAPS_FIELD.MontgomeryBits, or four elements of the Goldilocks field as
 * they are. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_CONSTANT_DATA(number) (0x100u + 4u * ((number) - 0u))
#define ACCLMT_CONSTANT_DATA_FIRST 0u
#define ACCLMT_CONSTANT_DATA_COUNT 8u
#define ACCLMT_CONSTANT_DATA_RESET 0x00000000u

/*
 * CONSTANT_ADDRESS (WO). A write stores CONSTANT_DATA at this address of the constant memories.
 * Refused while a run is in progress, when a sub-engine, bank or index does not exist, when
 * EngineMask is 0 or names an engine that CAPS_POOL does not have, and when a bit is set that no
 * field has. It reads 0.
 */
#define ACCLMT_REG_CONSTANT_ADDRESS 0x120u
#define ACCLMT_CONSTANT_ADDRESS_RESET 0x00000000u
/* Index inside the bank. */
#define ACCLMT_CONSTANT_ADDRESS_INDEX_LSB 0u
#define ACCLMT_CONSTANT_ADDRESS_INDEX_WIDTH 8u
#define ACCLMT_CONSTANT_ADDRESS_INDEX_MASK 0x000000FFu
/* Bank of the sub-engine. */
#define ACCLMT_CONSTANT_ADDRESS_BANK_LSB 8u
#define ACCLMT_CONSTANT_ADDRESS_BANK_WIDTH 8u
#define ACCLMT_CONSTANT_ADDRESS_BANK_MASK 0x0000FF00u
/*
 * 0: first full-round sub-engine; 1 to 6: partial-round sub-engine; 7: second full-round
 * sub-engine; 14: values of empty sub-trees, bank 0, index level, of the tree, whatever EngineMask
 * names; 15: initial vector, bank lane, index 8 set + beat, and for later blocks of a row index 8
 * set + 4 + beat. Set 0 is that of rows, set 1 that of nodes.
 */
#define ACCLMT_CONSTANT_ADDRESS_SUB_ENGINE_LSB 16u
#define ACCLMT_CONSTANT_ADDRESS_SUB_ENGINE_WIDTH 4u
#define ACCLMT_CONSTANT_ADDRESS_SUB_ENGINE_MASK 0x000F0000u
/* Which hash engines take it: bit e hash engine e. */
#define ACCLMT_CONSTANT_ADDRESS_ENGINE_MASK_LSB 20u
#define ACCLMT_CONSTANT_ADDRESS_ENGINE_MASK_WIDTH 8u
#define ACCLMT_CONSTANT_ADDRESS_ENGINE_MASK_MASK 0x0FF00000u

/*
 * CONSTANT_CHECKSUM (RO). CRC-32 (IEEE 802.3, as zlib's crc32) of every write of CONSTANT_DATA and
 * CONSTANT_ADDRESS that acted, since the reset or the last zeroisation: five bytes each, the value,
 * little-endian, and 0 to 7 for a word of CONSTANT_DATA, 8 for CONSTANT_ADDRESS. A host that keeps
 * the same sum sees that what it sent is what came.
 */
#define ACCLMT_REG_CONSTANT_CHECKSUM 0x124u
#define ACCLMT_CONSTANT_CHECKSUM_RESET 0x00000000u

/*
 * LEAF_INPUT_WORDS (RW). Words of the input stream in a block of a row. Legal: 1 to 12, or 1 to 6
 * in Goldilocks mode. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_INPUT_WORDS 0x140u
#define ACCLMT_LEAF_INPUT_WORDS_RESET 0x00000000u

/* LEAF_WIDTH (RW). Elements of the state. It can be written only while no run is in progress. */
#define ACCLMT_REG_LEAF_WIDTH 0x144u
#define ACCLMT_LEAF_WIDTH_RESET 0x00000000u
/* Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode. */
#define ACCLMT_LEAF_WIDTH_ELEMENTS_LSB 0u
#define ACCLMT_LEAF_WIDTH_ELEMENTS_WIDTH 5u
#define ACCLMT_LEAF_WIDTH_ELEMENTS_MASK 0x0000001Fu
/*
 * The last elements of the state, so many, stand beside the permutation: passes with S-boxes leave
 * them as they are. Legal: below Elements.
 */
#define ACCLMT_LEAF_WIDTH_BESIDE_LSB 8u
#define ACCLMT_LEAF_WIDTH_BESIDE_WIDTH 5u
#define ACCLMT_LEAF_WIDTH_BESIDE_MASK 0x00001F00u

/*
 * LEAF_ALPHA (RW). Exponent of the S-box. Legal: 3, 5 and 7. It can be written only while no run is
 * in progress.
 */
#define ACCLMT_REG_LEAF_ALPHA 0x148u
#define ACCLMT_LEAF_ALPHA_RESET 0x00000000u

/*
 * LEAF_PASSES (RW). Passes of the full-round sub-engines, loops counted as often as they are made.
 * A start compares them with the program. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_PASSES 0x14Cu
#define ACCLMT_LEAF_PASSES_RESET 0x00000000u
/* Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1. */
#define ACCLMT_LEAF_PASSES_FIRST_LSB 0u
#define ACCLMT_LEAF_PASSES_FIRST_WIDTH 16u
#define ACCLMT_LEAF_PASSES_FIRST_MASK 0x0000FFFFu
/* Passes of its last visit, behind the recurrence. At least 1. */
#define ACCLMT_LEAF_PASSES_LAST_LSB 16u
#define ACCLMT_LEAF_PASSES_LAST_WIDTH 16u
#define ACCLMT_LEAF_PASSES_LAST_MASK 0xFFFF0000u

/*
 * LEAF_RECURRENCE (RW). The recurrence that the partial-round sub-engines run. It can be written
 * only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_RECURRENCE 0x150u
#define ACCLMT_LEAF_RECURRENCE_RESET 0x00000000u
/*
 * Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all
 * partial rounds are dense.
 */
#define ACCLMT_LEAF_RECURRENCE_ORDER_LSB 0u
#define ACCLMT_LEAF_RECURRENCE_ORDER_WIDTH 5u
#define ACCLMT_LEAF_RECURRENCE_ORDER_MASK 0x0000001Fu
/*
 * Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is 0.
 */
#define ACCLMT_LEAF_RECURRENCE_OUTPUT_ENTERS_LSB 8u
#define ACCLMT_LEAF_RECURRENCE_OUTPUT_ENTERS_WIDTH 1u
#define ACCLMT_LEAF_RECURRENCE_OUTPUT_ENTERS_MASK 0x00000100u
/*
 * Whether the layers of the full-round sub-engines are made by adders, but for the last one before
 * the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has more
 * than 16 elements, with the large prime, and on a chip without adders.
 */
#define ACCLMT_LEAF_RECURRENCE_ADDERS_LSB 9u
#define ACCLMT_LEAF_RECURRENCE_ADDERS_WIDTH 1u
#define ACCLMT_LEAF_RECURRENCE_ADDERS_MASK 0x00000200u

/*
 * LEAF_DIGEST_WORDS (RW). Words of the output stream in a digest. Legal: 1 to 12, or 1 to 6 in
 * Goldilocks mode; for a tree: 1. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_DIGEST_WORDS 0x154u
#define ACCLMT_LEAF_DIGEST_WORDS_RESET 0x00000000u

/*
 * LEAF_INPUT_MAP (RW). State elements that the input elements go to, as position codes of 5 bits, 6
 * in a register, least significant first; bits 31:30 are 0. A code is 4 group + lane: element 3
 * group + lane of the state; lane 3: the input element is dropped. All 24 codes name an element
 * below WIDTH or have lane 3. Input element j is stream word j of the block, of which there are up
 * to 12, in Goldilocks mode bits 64 s + 63 to 64 s of stream word w with j = 4 w + s. It can be
 * written only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_INPUT_MAP(number) (0x158u + 4u * ((number) - 0u))
#define ACCLMT_LEAF_INPUT_MAP_FIRST 0u
#define ACCLMT_LEAF_INPUT_MAP_COUNT 4u
#define ACCLMT_LEAF_INPUT_MAP_RESET 0x00000000u

/*
 * LEAF_DIGEST_MAP (RW). State elements that the digest consists of, as position codes like those of
 * the input map. Code j is for output word j of the digest, in Goldilocks mode for bits 64 s + 63
 * to 64 s of output word w with j = 4 w + s; there lane 3 gives 0. It can be written only while no
 * run is in progress.
 */
#define ACCLMT_REG_LEAF_DIGEST_MAP(number) (0x168u + 4u * ((number) - 0u))
#define ACCLMT_LEAF_DIGEST_MAP_FIRST 0u
#define ACCLMT_LEAF_DIGEST_MAP_COUNT 4u
#define ACCLMT_LEAF_DIGEST_MAP_RESET 0x00000000u

/*
 * LEAF_PARTIAL_ROUNDS (RW). Rounds of the recurrence on each partial-round sub-engine. 0 for those
 * that CAPS_ENGINE does not have. With a recurrence that of sub-engine 1 is at least 1, without one
 * all are 0. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_PARTIAL_ROUNDS(number) (0x178u + 4u * ((number) - 1u))
#define ACCLMT_LEAF_PARTIAL_ROUNDS_FIRST 1u
#define ACCLMT_LEAF_PARTIAL_ROUNDS_COUNT 6u
#define ACCLMT_LEAF_PARTIAL_ROUNDS_RESET 0x00000000u

/*
 * LEAF_PARTIAL_BASE (RW). Index of the first entry of its coefficients and constants in a
 * partial-round sub-engine, up to 255. They fit behind it into the memories of CAPS_DEPTH. It can
 * be written only while no run is in progress.
 */
#define ACCLMT_REG_LEAF_PARTIAL_BASE 0x190u
#define ACCLMT_LEAF_PARTIAL_BASE_RESET 0x00000000u

/*
 * ROOT_INPUT_WORDS (RW). Nodes that a hash takes, the arity of the levels that are hashed with this
 * set. Legal: 2 to 12, or 2 to 6 in Goldilocks mode. It can be written only while no run is in
 * progress.
 */
#define ACCLMT_REG_ROOT_INPUT_WORDS 0x1A0u
#define ACCLMT_ROOT_INPUT_WORDS_RESET 0x00000000u

/* ROOT_WIDTH (RW). Elements of the state. It can be written only while no run is in progress. */
#define ACCLMT_REG_ROOT_WIDTH 0x1A4u
#define ACCLMT_ROOT_WIDTH_RESET 0x00000000u
/* Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode. */
#define ACCLMT_ROOT_WIDTH_ELEMENTS_LSB 0u
#define ACCLMT_ROOT_WIDTH_ELEMENTS_WIDTH 5u
#define ACCLMT_ROOT_WIDTH_ELEMENTS_MASK 0x0000001Fu
/*
 * The last elements of the state, so many, stand beside the permutation: passes with S-boxes leave
 * them as they are. Legal: below Elements.
 */
#define ACCLMT_ROOT_WIDTH_BESIDE_LSB 8u
#define ACCLMT_ROOT_WIDTH_BESIDE_WIDTH 5u
#define ACCLMT_ROOT_WIDTH_BESIDE_MASK 0x00001F00u

/*
 * ROOT_ALPHA (RW). Exponent of the S-box. Legal: 3, 5 and 7. It can be written only while no run is
 * in progress.
 */
#define ACCLMT_REG_ROOT_ALPHA 0x1A8u
#define ACCLMT_ROOT_ALPHA_RESET 0x00000000u

/*
 * ROOT_PASSES (RW). Passes of the full-round sub-engines, loops counted as often as they are made.
 * A start compares them with the program. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_ROOT_PASSES 0x1ACu
#define ACCLMT_ROOT_PASSES_RESET 0x00000000u
/* Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1. */
#define ACCLMT_ROOT_PASSES_FIRST_LSB 0u
#define ACCLMT_ROOT_PASSES_FIRST_WIDTH 16u
#define ACCLMT_ROOT_PASSES_FIRST_MASK 0x0000FFFFu
/* Passes of its last visit, behind the recurrence. At least 1. */
#define ACCLMT_ROOT_PASSES_LAST_LSB 16u
#define ACCLMT_ROOT_PASSES_LAST_WIDTH 16u
#define ACCLMT_ROOT_PASSES_LAST_MASK 0xFFFF0000u

/*
 * ROOT_RECURRENCE (RW). The recurrence that the partial-round sub-engines run. It can be written
 * only while no run is in progress.
 */
#define ACCLMT_REG_ROOT_RECURRENCE 0x1B0u
#define ACCLMT_ROOT_RECURRENCE_RESET 0x00000000u
/*
 * Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all
 * partial rounds are dense.
 */
#define ACCLMT_ROOT_RECURRENCE_ORDER_LSB 0u
#define ACCLMT_ROOT_RECURRENCE_ORDER_WIDTH 5u
#define ACCLMT_ROOT_RECURRENCE_ORDER_MASK 0x0000001Fu
/*
 * Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is 0.
 */
#define ACCLMT_ROOT_RECURRENCE_OUTPUT_ENTERS_LSB 8u
#define ACCLMT_ROOT_RECURRENCE_OUTPUT_ENTERS_WIDTH 1u
#define ACCLMT_ROOT_RECURRENCE_OUTPUT_ENTERS_MASK 0x00000100u
/*
 * Whether the layers of the full-round sub-engines are made by adders, but for the last one before
 * the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has more
 * than 16 elements, with the large prime, and on a chip without adders.
 */
#define ACCLMT_ROOT_RECURRENCE_ADDERS_LSB 9u
#define ACCLMT_ROOT_RECURRENCE_ADDERS_WIDTH 1u
#define ACCLMT_ROOT_RECURRENCE_ADDERS_MASK 0x00000200u

/*
 * ROOT_DIGEST_WORDS (RW). Words of a digest. Legal: 1. It can be written only while no run is in
 * progress.
 */
#define ACCLMT_REG_ROOT_DIGEST_WORDS 0x1B4u
#define ACCLMT_ROOT_DIGEST_WORDS_RESET 0x00000000u

/*
 * ROOT_INPUT_MAP (RW). State elements that the input elements go to, as position codes of 5 bits, 6
 * in a register, least significant first; bits 31:30 are 0. A code is 4 group + lane: element 3
 * group + lane of the state; lane 3: the input element is dropped. All 24 codes name an element
 * below WIDTH or have lane 3. Input element j is stream word j of the block, of which there are up
 * to 12, in Goldilocks mode bits 64 s + 63 to 64 s of stream word w with j = 4 w + s. It can be
 * written only while no run is in progress.
 */
#define ACCLMT_REG_ROOT_INPUT_MAP(number) (0x1B8u + 4u * ((number) - 0u))
#define ACCLMT_ROOT_INPUT_MAP_FIRST 0u
#define ACCLMT_ROOT_INPUT_MAP_COUNT 4u
#define ACCLMT_ROOT_INPUT_MAP_RESET 0x00000000u

/*
 * ROOT_DIGEST_MAP (RW). State elements that the digest consists of, as position codes like those of
 * the input map. Code j is for output word j of the digest, in Goldilocks mode for bits 64 s + 63
 * to 64 s of output word w with j = 4 w + s; there lane 3 gives 0. It can be written only while no
 * run is in progress.
 */
#define ACCLMT_REG_ROOT_DIGEST_MAP(number) (0x1C8u + 4u * ((number) - 0u))
#define ACCLMT_ROOT_DIGEST_MAP_FIRST 0u
#define ACCLMT_ROOT_DIGEST_MAP_COUNT 4u
#define ACCLMT_ROOT_DIGEST_MAP_RESET 0x00000000u

/*
 * ROOT_PARTIAL_ROUNDS (RW). Rounds of the recurrence on each partial-round sub-engine. 0 for those
 * that CAPS_ENGINE does not have. With a recurrence that of sub-engine 1 is at least 1, without one
 * all are 0. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_ROOT_PARTIAL_ROUNDS(number) (0x1D8u + 4u * ((number) - 1u))
#define ACCLMT_ROOT_PARTIAL_ROUNDS_FIRST 1u
#define ACCLMT_ROOT_PARTIAL_ROUNDS_COUNT 6u
#define ACCLMT_ROOT_PARTIAL_ROUNDS_RESET 0x00000000u

/*
 * ROOT_PARTIAL_BASE (RW). Index of the first entry of its coefficients and constants in a
 * partial-round sub-engine, up to 255. They fit behind it into the memories of CAPS_DEPTH. It can
 * be written only while no run is in progress.
 */
#define ACCLMT_REG_ROOT_PARTIAL_BASE 0x1F0u
#define ACCLMT_ROOT_PARTIAL_BASE_RESET 0x00000000u

/* CYCLES (RO). Cycles from start to done, or to now while the run is in progress. */
#define ACCLMT_REG_CYCLES 0x200u
#define ACCLMT_REG_CYCLES_HIGH 0x204u
#define ACCLMT_CYCLES_RESET 0x00000000u

/* CYCLE_FIRST_IN (RO). Cycle, counted from start, in which the first input word was taken. */
#define ACCLMT_REG_CYCLE_FIRST_IN 0x208u
#define ACCLMT_REG_CYCLE_FIRST_IN_HIGH 0x20Cu
#define ACCLMT_CYCLE_FIRST_IN_RESET 0x00000000u

/* CYCLE_LAST_IN (RO). Cycle in which the last input word was taken. */
#define ACCLMT_REG_CYCLE_LAST_IN 0x210u
#define ACCLMT_REG_CYCLE_LAST_IN_HIGH 0x214u
#define ACCLMT_CYCLE_LAST_IN_RESET 0x00000000u

/* CYCLE_FIRST_LEAF (RO). Cycle in which the first leaf left the leaf hash engine. */
#define ACCLMT_REG_CYCLE_FIRST_LEAF 0x218u
#define ACCLMT_REG_CYCLE_FIRST_LEAF_HIGH 0x21Cu
#define ACCLMT_CYCLE_FIRST_LEAF_RESET 0x00000000u

/* CYCLE_LAST_LEAF (RO). Cycle in which the last leaf left the leaf hash engine. */
#define ACCLMT_REG_CYCLE_LAST_LEAF 0x220u
#define ACCLMT_REG_CYCLE_LAST_LEAF_HIGH 0x224u
#define ACCLMT_CYCLE_LAST_LEAF_RESET 0x00000000u

/* CYCLE_FIRST_OUT (RO). Cycle in which the first output word left. */
#define ACCLMT_REG_CYCLE_FIRST_OUT 0x228u
#define ACCLMT_REG_CYCLE_FIRST_OUT_HIGH 0x22Cu
#define ACCLMT_CYCLE_FIRST_OUT_RESET 0x00000000u

/* CYCLE_LAST_OUT (RO). Cycle in which the last output word left. */
#define ACCLMT_REG_CYCLE_LAST_OUT 0x230u
#define ACCLMT_REG_CYCLE_LAST_OUT_HIGH 0x234u
#define ACCLMT_CYCLE_LAST_OUT_RESET 0x00000000u

/*
 * STALL_IN (RO). Cycles in which an input word was offered and not taken: the leaf hash engine is
 * full.
 */
#define ACCLMT_REG_STALL_IN 0x238u
#define ACCLMT_REG_STALL_IN_HIGH 0x23Cu
#define ACCLMT_STALL_IN_RESET 0x00000000u

/* MISSING_IN (RO). Cycles in which an input word was due and none was offered. */
#define ACCLMT_REG_MISSING_IN 0x240u
#define ACCLMT_REG_MISSING_IN_HIGH 0x244u
#define ACCLMT_MISSING_IN_RESET 0x00000000u

/*
 * STALL_LEAF (RO). Cycles in which a leaf waited for room in its queue, while a digest was stored,
 * or at the output. Where the place of a leaf is reserved as its row begins, those in which a row
 * waited for it.
 */
#define ACCLMT_REG_STALL_LEAF 0x248u
#define ACCLMT_REG_STALL_LEAF_HIGH 0x24Cu
#define ACCLMT_STALL_LEAF_RESET 0x00000000u

/*
 * STARVED_ROOT (RO). Cycles in which a hash engine could take a group of siblings and none was
 * ready.
 */
#define ACCLMT_REG_STARVED_ROOT 0x250u
#define ACCLMT_REG_STARVED_ROOT_HIGH 0x254u
#define ACCLMT_STARVED_ROOT_RESET 0x00000000u

/* STALL_OUT (RO). Cycles in which an output word was offered and not taken. */
#define ACCLMT_REG_STALL_OUT 0x258u
#define ACCLMT_REG_STALL_OUT_HIGH 0x25Cu
#define ACCLMT_STALL_OUT_RESET 0x00000000u

/* WINDOW_CYCLES (RO). Cycles of the window in which sub-engines are counted as busy. */
#define ACCLMT_REG_WINDOW_CYCLES 0x260u
#define ACCLMT_REG_WINDOW_CYCLES_HIGH 0x264u
#define ACCLMT_WINDOW_CYCLES_RESET 0x00000000u

/* LEAF_HASHES (RO). Permutations that hash engine 0 has begun, the leaf hash engine. */
#define ACCLMT_REG_LEAF_HASHES 0x268u
#define ACCLMT_REG_LEAF_HASHES_HIGH 0x26Cu
#define ACCLMT_LEAF_HASHES_RESET 0x00000000u

/*
 * LEAF_BUSY_FULL (RO). Cycles of the window in which the first full-round sub-engine of hash engine
 * 0 was occupied.
 */
#define ACCLMT_REG_LEAF_BUSY_FULL 0x270u
#define ACCLMT_REG_LEAF_BUSY_FULL_HIGH 0x274u
#define ACCLMT_LEAF_BUSY_FULL_RESET 0x00000000u

/* LEAF_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_LEAF_BUSY_PARTIAL(number) (0x278u + 8u * ((number) - 1u))
#define ACCLMT_REG_LEAF_BUSY_PARTIAL_HIGH(number) (0x27Cu + 8u * ((number) - 1u))
#define ACCLMT_LEAF_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_LEAF_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_LEAF_BUSY_PARTIAL_RESET 0x00000000u

/* LEAF_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_LEAF_BUSY_FULL_LAST 0x2A8u
#define ACCLMT_REG_LEAF_BUSY_FULL_LAST_HIGH 0x2ACu
#define ACCLMT_LEAF_BUSY_FULL_LAST_RESET 0x00000000u

/*
 * ROOT_HASHES (RO). Permutations that hash engine 1 has begun, the root hash engine; 0 without one.
 */
#define ACCLMT_REG_ROOT_HASHES 0x2B0u
#define ACCLMT_REG_ROOT_HASHES_HIGH 0x2B4u
#define ACCLMT_ROOT_HASHES_RESET 0x00000000u

/*
 * ROOT_BUSY_FULL (RO). Cycles of the window in which the first full-round sub-engine of hash engine
 * 1 was occupied.
 */
#define ACCLMT_REG_ROOT_BUSY_FULL 0x2B8u
#define ACCLMT_REG_ROOT_BUSY_FULL_HIGH 0x2BCu
#define ACCLMT_ROOT_BUSY_FULL_RESET 0x00000000u

/* ROOT_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ROOT_BUSY_PARTIAL(number) (0x2C0u + 8u * ((number) - 1u))
#define ACCLMT_REG_ROOT_BUSY_PARTIAL_HIGH(number) (0x2C4u + 8u * ((number) - 1u))
#define ACCLMT_ROOT_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ROOT_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ROOT_BUSY_PARTIAL_RESET 0x00000000u

/* ROOT_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ROOT_BUSY_FULL_LAST 0x2F0u
#define ACCLMT_REG_ROOT_BUSY_FULL_LAST_HIGH 0x2F4u
#define ACCLMT_ROOT_BUSY_FULL_LAST_RESET 0x00000000u

/* HIGH_WATER (RO). Most words that the node memory held at a time. */
#define ACCLMT_REG_HIGH_WATER 0x2F8u
#define ACCLMT_REG_HIGH_WATER_HIGH 0x2FCu
#define ACCLMT_HIGH_WATER_RESET 0x00000000u

/*
 * LEVEL_TABLE (RW). The queue of a level of the tree up to TOP_LEVEL; CAPS_TREE.MaxHeight + 1 of
 * these registers exist. A write is refused when a bit is set that no field has. The queues follow
 * each other in the node memory in the order of the levels and have to fit into it: a start is
 * refused otherwise. Without a tree, TOP_LEVEL = 0, there is none. It can be written only while no
 * run is in progress.
 */
#define ACCLMT_REG_LEVEL_TABLE(number) (0x400u + 4u * ((number) - 0u))
#define ACCLMT_LEVEL_TABLE_FIRST 0u
#define ACCLMT_LEVEL_TABLE_COUNT 33u
#define ACCLMT_LEVEL_TABLE_RESET 0x00000000u
/* Groups of siblings that the queue of the level has room for, at least 1. */
#define ACCLMT_LEVEL_TABLE_GROUPS_LSB 0u
#define ACCLMT_LEVEL_TABLE_GROUPS_WIDTH 16u
#define ACCLMT_LEVEL_TABLE_GROUPS_MASK 0x0000FFFFu
/*
 * Parameter set with which the nodes of the level are hashed: 1 that of ROOT, 2 that of TOP, and 0
 * that of LEAF where leaves are not hashed. Its input words are the arity of the level. The top
 * level is not hashed: there it is the room of a group alone.
 */
#define ACCLMT_LEVEL_TABLE_SET_LSB 16u
#define ACCLMT_LEVEL_TABLE_SET_WIDTH 2u
#define ACCLMT_LEVEL_TABLE_SET_MASK 0x00030000u

/* ENGINE2_HASHES (RO). Permutations that hash engine 2 has begun. */
#define ACCLMT_REG_ENGINE2_HASHES 0x500u
#define ACCLMT_REG_ENGINE2_HASHES_HIGH 0x504u
#define ACCLMT_ENGINE2_HASHES_RESET 0x00000000u

/*
 * ENGINE2_BUSY_FULL (RO). Cycles of the window in which its first full-round sub-engine was
 * occupied.
 */
#define ACCLMT_REG_ENGINE2_BUSY_FULL 0x508u
#define ACCLMT_REG_ENGINE2_BUSY_FULL_HIGH 0x50Cu
#define ACCLMT_ENGINE2_BUSY_FULL_RESET 0x00000000u

/* ENGINE2_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ENGINE2_BUSY_PARTIAL(number) (0x510u + 8u * ((number) - 1u))
#define ACCLMT_REG_ENGINE2_BUSY_PARTIAL_HIGH(number) (0x514u + 8u * ((number) - 1u))
#define ACCLMT_ENGINE2_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ENGINE2_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ENGINE2_BUSY_PARTIAL_RESET 0x00000000u

/* ENGINE2_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ENGINE2_BUSY_FULL_LAST 0x540u
#define ACCLMT_REG_ENGINE2_BUSY_FULL_LAST_HIGH 0x544u
#define ACCLMT_ENGINE2_BUSY_FULL_LAST_RESET 0x00000000u

/* ENGINE3_HASHES (RO). Permutations that hash engine 3 has begun. */
#define ACCLMT_REG_ENGINE3_HASHES 0x548u
#define ACCLMT_REG_ENGINE3_HASHES_HIGH 0x54Cu
#define ACCLMT_ENGINE3_HASHES_RESET 0x00000000u

/*
 * ENGINE3_BUSY_FULL (RO). Cycles of the window in which its first full-round sub-engine was
 * occupied.
 */
#define ACCLMT_REG_ENGINE3_BUSY_FULL 0x550u
#define ACCLMT_REG_ENGINE3_BUSY_FULL_HIGH 0x554u
#define ACCLMT_ENGINE3_BUSY_FULL_RESET 0x00000000u

/* ENGINE3_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ENGINE3_BUSY_PARTIAL(number) (0x558u + 8u * ((number) - 1u))
#define ACCLMT_REG_ENGINE3_BUSY_PARTIAL_HIGH(number) (0x55Cu + 8u * ((number) - 1u))
#define ACCLMT_ENGINE3_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ENGINE3_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ENGINE3_BUSY_PARTIAL_RESET 0x00000000u

/* ENGINE3_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ENGINE3_BUSY_FULL_LAST 0x588u
#define ACCLMT_REG_ENGINE3_BUSY_FULL_LAST_HIGH 0x58Cu
#define ACCLMT_ENGINE3_BUSY_FULL_LAST_RESET 0x00000000u

/* ENGINE4_HASHES (RO). Permutations that hash engine 4 has begun. */
#define ACCLMT_REG_ENGINE4_HASHES 0x590u
#define ACCLMT_REG_ENGINE4_HASHES_HIGH 0x594u
#define ACCLMT_ENGINE4_HASHES_RESET 0x00000000u

/*
 * ENGINE4_BUSY_FULL (RO). Cycles of the window in which its first full-round sub-engine was
 * occupied.
 */
#define ACCLMT_REG_ENGINE4_BUSY_FULL 0x598u
#define ACCLMT_REG_ENGINE4_BUSY_FULL_HIGH 0x59Cu
#define ACCLMT_ENGINE4_BUSY_FULL_RESET 0x00000000u

/* ENGINE4_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ENGINE4_BUSY_PARTIAL(number) (0x5A0u + 8u * ((number) - 1u))
#define ACCLMT_REG_ENGINE4_BUSY_PARTIAL_HIGH(number) (0x5A4u + 8u * ((number) - 1u))
#define ACCLMT_ENGINE4_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ENGINE4_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ENGINE4_BUSY_PARTIAL_RESET 0x00000000u

/* ENGINE4_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ENGINE4_BUSY_FULL_LAST 0x5D0u
#define ACCLMT_REG_ENGINE4_BUSY_FULL_LAST_HIGH 0x5D4u
#define ACCLMT_ENGINE4_BUSY_FULL_LAST_RESET 0x00000000u

/* ENGINE5_HASHES (RO). Permutations that hash engine 5 has begun. */
#define ACCLMT_REG_ENGINE5_HASHES 0x5D8u
#define ACCLMT_REG_ENGINE5_HASHES_HIGH 0x5DCu
#define ACCLMT_ENGINE5_HASHES_RESET 0x00000000u

/*
 * ENGINE5_BUSY_FULL (RO). Cycles of the window in which its first full-round sub-engine was
 * occupied.
 */
#define ACCLMT_REG_ENGINE5_BUSY_FULL 0x5E0u
#define ACCLMT_REG_ENGINE5_BUSY_FULL_HIGH 0x5E4u
#define ACCLMT_ENGINE5_BUSY_FULL_RESET 0x00000000u

/* ENGINE5_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ENGINE5_BUSY_PARTIAL(number) (0x5E8u + 8u * ((number) - 1u))
#define ACCLMT_REG_ENGINE5_BUSY_PARTIAL_HIGH(number) (0x5ECu + 8u * ((number) - 1u))
#define ACCLMT_ENGINE5_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ENGINE5_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ENGINE5_BUSY_PARTIAL_RESET 0x00000000u

/* ENGINE5_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ENGINE5_BUSY_FULL_LAST 0x618u
#define ACCLMT_REG_ENGINE5_BUSY_FULL_LAST_HIGH 0x61Cu
#define ACCLMT_ENGINE5_BUSY_FULL_LAST_RESET 0x00000000u

/* ENGINE6_HASHES (RO). Permutations that hash engine 6 has begun. */
#define ACCLMT_REG_ENGINE6_HASHES 0x620u
#define ACCLMT_REG_ENGINE6_HASHES_HIGH 0x624u
#define ACCLMT_ENGINE6_HASHES_RESET 0x00000000u

/*
 * ENGINE6_BUSY_FULL (RO). Cycles of the window in which its first full-round sub-engine was
 * occupied.
 */
#define ACCLMT_REG_ENGINE6_BUSY_FULL 0x628u
#define ACCLMT_REG_ENGINE6_BUSY_FULL_HIGH 0x62Cu
#define ACCLMT_ENGINE6_BUSY_FULL_RESET 0x00000000u

/* ENGINE6_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ENGINE6_BUSY_PARTIAL(number) (0x630u + 8u * ((number) - 1u))
#define ACCLMT_REG_ENGINE6_BUSY_PARTIAL_HIGH(number) (0x634u + 8u * ((number) - 1u))
#define ACCLMT_ENGINE6_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ENGINE6_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ENGINE6_BUSY_PARTIAL_RESET 0x00000000u

/* ENGINE6_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ENGINE6_BUSY_FULL_LAST 0x660u
#define ACCLMT_REG_ENGINE6_BUSY_FULL_LAST_HIGH 0x664u
#define ACCLMT_ENGINE6_BUSY_FULL_LAST_RESET 0x00000000u

/* ENGINE7_HASHES (RO). Permutations that hash engine 7 has begun. */
#define ACCLMT_REG_ENGINE7_HASHES 0x668u
#define ACCLMT_REG_ENGINE7_HASHES_HIGH 0x66Cu
#define ACCLMT_ENGINE7_HASHES_RESET 0x00000000u

/*
 * ENGINE7_BUSY_FULL (RO). Cycles of the window in which its first full-round sub-engine was
 * occupied.
 */
#define ACCLMT_REG_ENGINE7_BUSY_FULL 0x670u
#define ACCLMT_REG_ENGINE7_BUSY_FULL_HIGH 0x674u
#define ACCLMT_ENGINE7_BUSY_FULL_RESET 0x00000000u

/* ENGINE7_BUSY_PARTIAL (RO). The same for this partial-round sub-engine. */
#define ACCLMT_REG_ENGINE7_BUSY_PARTIAL(number) (0x678u + 8u * ((number) - 1u))
#define ACCLMT_REG_ENGINE7_BUSY_PARTIAL_HIGH(number) (0x67Cu + 8u * ((number) - 1u))
#define ACCLMT_ENGINE7_BUSY_PARTIAL_FIRST 1u
#define ACCLMT_ENGINE7_BUSY_PARTIAL_COUNT 6u
#define ACCLMT_ENGINE7_BUSY_PARTIAL_RESET 0x00000000u

/* ENGINE7_BUSY_FULL_LAST (RO). The same for the second full-round sub-engine; 0 without one. */
#define ACCLMT_REG_ENGINE7_BUSY_FULL_LAST 0x6A8u
#define ACCLMT_REG_ENGINE7_BUSY_FULL_LAST_HIGH 0x6ACu
#define ACCLMT_ENGINE7_BUSY_FULL_LAST_RESET 0x00000000u

/*
 * TOP_INPUT_WORDS (RW). Nodes that a hash takes, the arity of the levels that are hashed with this
 * set. Legal: 2 to 12, or 2 to 6 in Goldilocks mode. It can be written only while no run is in
 * progress.
 */
#define ACCLMT_REG_TOP_INPUT_WORDS 0x740u
#define ACCLMT_TOP_INPUT_WORDS_RESET 0x00000000u

/* TOP_WIDTH (RW). Elements of the state. It can be written only while no run is in progress. */
#define ACCLMT_REG_TOP_WIDTH 0x744u
#define ACCLMT_TOP_WIDTH_RESET 0x00000000u
/* Width t of the state in field elements. Legal: 2 to 12, or 2 to 24 in Goldilocks mode. */
#define ACCLMT_TOP_WIDTH_ELEMENTS_LSB 0u
#define ACCLMT_TOP_WIDTH_ELEMENTS_WIDTH 5u
#define ACCLMT_TOP_WIDTH_ELEMENTS_MASK 0x0000001Fu
/*
 * The last elements of the state, so many, stand beside the permutation: passes with S-boxes leave
 * them as they are. Legal: below Elements.
 */
#define ACCLMT_TOP_WIDTH_BESIDE_LSB 8u
#define ACCLMT_TOP_WIDTH_BESIDE_WIDTH 5u
#define ACCLMT_TOP_WIDTH_BESIDE_MASK 0x00001F00u

/*
 * TOP_ALPHA (RW). Exponent of the S-box. Legal: 3, 5 and 7. It can be written only while no run is
 * in progress.
 */
#define ACCLMT_REG_TOP_ALPHA 0x748u
#define ACCLMT_TOP_ALPHA_RESET 0x00000000u

/*
 * TOP_PASSES (RW). Passes of the full-round sub-engines, loops counted as often as they are made. A
 * start compares them with the program. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_TOP_PASSES 0x74Cu
#define ACCLMT_TOP_PASSES_RESET 0x00000000u
/* Passes of its first visit to the full-round sub-engines, before the recurrence. At least 1. */
#define ACCLMT_TOP_PASSES_FIRST_LSB 0u
#define ACCLMT_TOP_PASSES_FIRST_WIDTH 16u
#define ACCLMT_TOP_PASSES_FIRST_MASK 0x0000FFFFu
/* Passes of its last visit, behind the recurrence. At least 1. */
#define ACCLMT_TOP_PASSES_LAST_LSB 16u
#define ACCLMT_TOP_PASSES_LAST_WIDTH 16u
#define ACCLMT_TOP_PASSES_LAST_MASK 0xFFFF0000u

/*
 * TOP_RECURRENCE (RW). The recurrence that the partial-round sub-engines run. It can be written
 * only while no run is in progress.
 */
#define ACCLMT_REG_TOP_RECURRENCE 0x750u
#define ACCLMT_TOP_RECURRENCE_RESET 0x00000000u
/*
 * Sums of a state that move up behind each round, below WIDTH. 0: there is no recurrence, and all
 * partial rounds are dense.
 */
#define ACCLMT_TOP_RECURRENCE_ORDER_LSB 0u
#define ACCLMT_TOP_RECURRENCE_ORDER_WIDTH 5u
#define ACCLMT_TOP_RECURRENCE_ORDER_MASK 0x0000001Fu
/*
 * Whether the output of a round's S-box is added to the next element 0. Legal: 0 where Order is 0.
 */
#define ACCLMT_TOP_RECURRENCE_OUTPUT_ENTERS_LSB 8u
#define ACCLMT_TOP_RECURRENCE_OUTPUT_ENTERS_WIDTH 1u
#define ACCLMT_TOP_RECURRENCE_OUTPUT_ENTERS_MASK 0x00000100u
/*
 * Whether the layers of the full-round sub-engines are made by adders, but for the last one before
 * the recurrence and the first one behind it. Legal: 0 where Order is 0, where a state has more
 * than 16 elements, with the large prime, and on a chip without adders.
 */
#define ACCLMT_TOP_RECURRENCE_ADDERS_LSB 9u
#define ACCLMT_TOP_RECURRENCE_ADDERS_WIDTH 1u
#define ACCLMT_TOP_RECURRENCE_ADDERS_MASK 0x00000200u

/*
 * TOP_DIGEST_WORDS (RW). Words of a digest. Legal: 1. It can be written only while no run is in
 * progress.
 */
#define ACCLMT_REG_TOP_DIGEST_WORDS 0x754u
#define ACCLMT_TOP_DIGEST_WORDS_RESET 0x00000000u

/*
 * TOP_INPUT_MAP (RW). State elements that the input elements go to, as position codes of 5 bits, 6
 * in a register, least significant first; bits 31:30 are 0. A code is 4 group + lane: element 3
 * group + lane of the state; lane 3: the input element is dropped. All 24 codes name an element
 * below WIDTH or have lane 3. Input element j is stream word j of the block, of which there are up
 * to 12, in Goldilocks mode bits 64 s + 63 to 64 s of stream word w with j = 4 w + s. It can be
 * written only while no run is in progress.
 */
#define ACCLMT_REG_TOP_INPUT_MAP(number) (0x758u + 4u * ((number) - 0u))
#define ACCLMT_TOP_INPUT_MAP_FIRST 0u
#define ACCLMT_TOP_INPUT_MAP_COUNT 4u
#define ACCLMT_TOP_INPUT_MAP_RESET 0x00000000u

/*
 * TOP_DIGEST_MAP (RW). State elements that the digest consists of, as position codes like those of
 * the input map. Code j is for output word j of the digest, in Goldilocks mode for bits 64 s + 63
 * to 64 s of output word w with j = 4 w + s; there lane 3 gives 0. It can be written only while no
 * run is in progress.
 */
#define ACCLMT_REG_TOP_DIGEST_MAP(number) (0x768u + 4u * ((number) - 0u))
#define ACCLMT_TOP_DIGEST_MAP_FIRST 0u
#define ACCLMT_TOP_DIGEST_MAP_COUNT 4u
#define ACCLMT_TOP_DIGEST_MAP_RESET 0x00000000u

/*
 * TOP_PARTIAL_ROUNDS (RW). Rounds of the recurrence on each partial-round sub-engine. 0 for those
 * that CAPS_ENGINE does not have. With a recurrence that of sub-engine 1 is at least 1, without one
 * all are 0. It can be written only while no run is in progress.
 */
#define ACCLMT_REG_TOP_PARTIAL_ROUNDS(number) (0x778u + 4u * ((number) - 1u))
#define ACCLMT_TOP_PARTIAL_ROUNDS_FIRST 1u
#define ACCLMT_TOP_PARTIAL_ROUNDS_COUNT 6u
#define ACCLMT_TOP_PARTIAL_ROUNDS_RESET 0x00000000u

/*
 * TOP_PARTIAL_BASE (RW). Index of the first entry of its coefficients and constants in a
 * partial-round sub-engine, up to 255. They fit behind it into the memories of CAPS_DEPTH. It can
 * be written only while no run is in progress.
 */
#define ACCLMT_REG_TOP_PARTIAL_BASE 0x790u
#define ACCLMT_TOP_PARTIAL_BASE_RESET 0x00000000u

/*
 * BUS_VERSION (RO). Version of the registers of the streams: major, minor and patch in bits 23:16,
 * 15:8 and 7:0.
 */
#define ACCLMT_REG_BUS_VERSION 0x800u
#define ACCLMT_BUS_VERSION_RESET 0x00000100u

/* STREAM_STATE (RO). State of the streams. */
#define ACCLMT_REG_STREAM_STATE 0x804u
#define ACCLMT_STREAM_STATE_RESET 0x00000000u
/* The input takes words for a run. */
#define ACCLMT_STREAM_STATE_INPUT_OPEN_LSB 0u
#define ACCLMT_STREAM_STATE_INPUT_OPEN_WIDTH 1u
#define ACCLMT_STREAM_STATE_INPUT_OPEN_MASK 0x00000001u
/* The input drops words up to the next one with TLAST. */
#define ACCLMT_STREAM_STATE_DISCARDING_LSB 1u
#define ACCLMT_STREAM_STATE_DISCARDING_WIDTH 1u
#define ACCLMT_STREAM_STATE_DISCARDING_MASK 0x00000002u
/* A word of the output is on offer, or its packet has begun and not ended. */
#define ACCLMT_STREAM_STATE_OUTPUT_OPEN_LSB 2u
#define ACCLMT_STREAM_STATE_OUTPUT_OPEN_WIDTH 1u
#define ACCLMT_STREAM_STATE_OUTPUT_OPEN_MASK 0x00000004u

/*
 * STREAM_CONTROL (RW, at any time). Commands to the streams. Not on a chip with DMA, which gives
 * them itself: there a write is refused. It can be written at any time.
 */
#define ACCLMT_REG_STREAM_CONTROL 0x808u
#define ACCLMT_STREAM_CONTROL_RESET 0x00000000u
/*
 * 1 drops words up to and with the next one with TLAST, 0 ends that. Reads 1 until it has ended. A
 * 1 is refused while STREAM_STATE.InputOpen is 1. A clear ends it.
 */
#define ACCLMT_STREAM_CONTROL_DISCARD_LSB 0u
#define ACCLMT_STREAM_CONTROL_DISCARD_WIDTH 1u
#define ACCLMT_STREAM_CONTROL_DISCARD_MASK 0x00000001u

/* STREAM_EVENTS (RO, W1C). What happened on the streams. A clear clears all bits. */
#define ACCLMT_REG_STREAM_EVENTS 0x80Cu
#define ACCLMT_STREAM_EVENTS_RESET 0x00000000u
/* The run needs a word behind the one with TLAST. */
#define ACCLMT_STREAM_EVENTS_EARLY_LAST_LSB 0u
#define ACCLMT_STREAM_EVENTS_EARLY_LAST_WIDTH 1u
#define ACCLMT_STREAM_EVENTS_EARLY_LAST_MASK 0x00000001u
/* The run ended, and the word with TLAST had not been taken. */
#define ACCLMT_STREAM_EVENTS_LATE_LAST_LSB 1u
#define ACCLMT_STREAM_EVENTS_LATE_LAST_WIDTH 1u
#define ACCLMT_STREAM_EVENTS_LATE_LAST_MASK 0x00000002u
/* A word was taken whose TKEEP is not all ones. */
#define ACCLMT_STREAM_EVENTS_PARTIAL_WORD_LSB 2u
#define ACCLMT_STREAM_EVENTS_PARTIAL_WORD_WIDTH 1u
#define ACCLMT_STREAM_EVENTS_PARTIAL_WORD_MASK 0x00000004u

/*
 * STREAM_ENABLE (RW, at any time). Which bits of STREAM_EVENTS raise the interrupt output; none
 * after a reset. It can be written at any time.
 */
#define ACCLMT_REG_STREAM_ENABLE 0x810u
#define ACCLMT_STREAM_ENABLE_RESET 0x00000000u
/* The run needs a word behind the one with TLAST. */
#define ACCLMT_STREAM_ENABLE_EARLY_LAST_LSB 0u
#define ACCLMT_STREAM_ENABLE_EARLY_LAST_WIDTH 1u
#define ACCLMT_STREAM_ENABLE_EARLY_LAST_MASK 0x00000001u
/* The run ended, and the word with TLAST had not been taken. */
#define ACCLMT_STREAM_ENABLE_LATE_LAST_LSB 1u
#define ACCLMT_STREAM_ENABLE_LATE_LAST_WIDTH 1u
#define ACCLMT_STREAM_ENABLE_LATE_LAST_MASK 0x00000002u
/* A word was taken whose TKEEP is not all ones. */
#define ACCLMT_STREAM_ENABLE_PARTIAL_WORD_LSB 2u
#define ACCLMT_STREAM_ENABLE_PARTIAL_WORD_WIDTH 1u
#define ACCLMT_STREAM_ENABLE_PARTIAL_WORD_MASK 0x00000004u

/*
 * DMA_VERSION (RO). Version of the registers of the DMA and of what it reads and writes: major,
 * minor and patch in bits 23:16, 15:8 and 7:0.
 */
#define ACCLMT_REG_DMA_VERSION 0x900u
#define ACCLMT_DMA_VERSION_RESET 0x00000100u

/*
 * DMA_CAPS (RO). Capabilities: the DMA. Its value after a reset depends on how the chip is built.
 */
#define ACCLMT_REG_DMA_CAPS 0x904u
/* Base-2 logarithm of the bytes of a beat of the AXI4 master: 5 or 6. */
#define ACCLMT_DMA_CAPS_LOG2_BEAT_BYTES_LSB 0u
#define ACCLMT_DMA_CAPS_LOG2_BEAT_BYTES_WIDTH 4u
#define ACCLMT_DMA_CAPS_LOG2_BEAT_BYTES_MASK 0x0000000Fu
/*
 * Base-2 logarithm of the bytes of the longest burst, at most 12. No burst crosses a multiple of
 * it.
 */
#define ACCLMT_DMA_CAPS_LOG2_BURST_BYTES_LSB 4u
#define ACCLMT_DMA_CAPS_LOG2_BURST_BYTES_WIDTH 4u
#define ACCLMT_DMA_CAPS_LOG2_BURST_BYTES_MASK 0x000000F0u
/* Bursts of input that can be on their way, for all of which there is room. */
#define ACCLMT_DMA_CAPS_READ_BURSTS_LSB 8u
#define ACCLMT_DMA_CAPS_READ_BURSTS_WIDTH 8u
#define ACCLMT_DMA_CAPS_READ_BURSTS_MASK 0x0000FF00u
/* Largest legal value of DMA_RING_SIZE. */
#define ACCLMT_DMA_CAPS_MAX_LOG2_RING_LSB 16u
#define ACCLMT_DMA_CAPS_MAX_LOG2_RING_WIDTH 5u
#define ACCLMT_DMA_CAPS_MAX_LOG2_RING_MASK 0x001F0000u

/* DMA_CONTROL (RW, at any time). Commands to the DMA. It can be written at any time. */
#define ACCLMT_REG_DMA_CONTROL 0x908u
#define ACCLMT_DMA_CONTROL_RESET 0x00000000u
/*
 * The ring is used. A change from 0 to 1 sets DMA_TAIL, DMA_HEAD, DMA_ERROR and DMA_ERROR_INFO to
 * 0; it is refused while DMA_STATUS.Busy is 1, and if the ring would reach beyond 2^64. A change
 * from 1 to 0 ends a run that is under way, as a clear does.
 */
#define ACCLMT_DMA_CONTROL_ENABLE_LSB 0u
#define ACCLMT_DMA_CONTROL_ENABLE_WIDTH 1u
#define ACCLMT_DMA_CONTROL_ENABLE_MASK 0x00000001u
/*
 * 1 goes on with descriptor DMA_HEAD after a stop. Reads 0. Refused while DMA_STATUS.Stopped is 0,
 * and without a 1 in Enable.
 */
#define ACCLMT_DMA_CONTROL_RESUME_LSB 1u
#define ACCLMT_DMA_CONTROL_RESUME_WIDTH 1u
#define ACCLMT_DMA_CONTROL_RESUME_MASK 0x00000002u

/* DMA_STATUS (RO). State of the DMA. */
#define ACCLMT_REG_DMA_STATUS 0x90Cu
#define ACCLMT_DMA_STATUS_RESET 0x00000000u
/* Descriptors are under way or waiting, or what was ended is not finished on the bus. */
#define ACCLMT_DMA_STATUS_BUSY_LSB 0u
#define ACCLMT_DMA_STATUS_BUSY_WIDTH 1u
#define ACCLMT_DMA_STATUS_BUSY_MASK 0x00000001u
/* The ring stands after the error in DMA_ERROR, which ended descriptor DMA_HEAD - 1. */
#define ACCLMT_DMA_STATUS_STOPPED_LSB 1u
#define ACCLMT_DMA_STATUS_STOPPED_WIDTH 1u
#define ACCLMT_DMA_STATUS_STOPPED_MASK 0x00000002u

/*
 * DMA_RING_BASE (RW). Byte address of the ring, low word and high word: a multiple of 64, so that
 * the lowest 6 bits are 0. Refused while DMA_CONTROL.Enable is 1. It can be written only while no
 * run is in progress.
 */
#define ACCLMT_REG_DMA_RING_BASE(number) (0x910u + 4u * ((number) - 0u))
#define ACCLMT_DMA_RING_BASE_FIRST 0u
#define ACCLMT_DMA_RING_BASE_COUNT 2u
#define ACCLMT_DMA_RING_BASE_RESET 0x00000000u

/*
 * DMA_RING_SIZE (RW). Base-2 logarithm of the number of descriptors that the ring has room for: 0
 * to DMA_CAPS.MaxLog2Ring. Refused while DMA_CONTROL.Enable is 1. It can be written only while no
 * run is in progress.
 */
#define ACCLMT_REG_DMA_RING_SIZE 0x918u
#define ACCLMT_DMA_RING_SIZE_RESET 0x00000000u

/*
 * DMA_TAIL (RW, at any time). Number of descriptors that were given since the ring was enabled,
 * modulo 2^32. Refused while DMA_CONTROL.Enable is 0, if it takes descriptors back, and if there
 * were more than the ring has room for. It can be written at any time.
 */
#define ACCLMT_REG_DMA_TAIL 0x91Cu
#define ACCLMT_DMA_TAIL_RESET 0x00000000u

/* DMA_HEAD (RO). Number of descriptors that have ended since the ring was enabled, modulo 2^32. */
#define ACCLMT_REG_DMA_HEAD 0x920u
#define ACCLMT_DMA_HEAD_RESET 0x00000000u

/*
 * DMA_EVENTS (RO, W1C). What happened at the DMA and was not acknowledged. A clear does not change
 * it.
 */
#define ACCLMT_REG_DMA_EVENTS 0x924u
#define ACCLMT_DMA_EVENTS_RESET 0x00000000u
/* A descriptor with the flag Interrupt has ended without an error. */
#define ACCLMT_DMA_EVENTS_DONE_LSB 0u
#define ACCLMT_DMA_EVENTS_DONE_WIDTH 1u
#define ACCLMT_DMA_EVENTS_DONE_MASK 0x00000001u
/* An error has stopped the ring. */
#define ACCLMT_DMA_EVENTS_STOPPED_LSB 1u
#define ACCLMT_DMA_EVENTS_STOPPED_WIDTH 1u
#define ACCLMT_DMA_EVENTS_STOPPED_MASK 0x00000002u
/*
 * A write was refused by the DMA: of configuration while DMA_STATUS.Busy is 1, of a start, of
 * STREAM_CONTROL, or of a register of the DMA.
 */
#define ACCLMT_DMA_EVENTS_REFUSED_LSB 2u
#define ACCLMT_DMA_EVENTS_REFUSED_WIDTH 1u
#define ACCLMT_DMA_EVENTS_REFUSED_MASK 0x00000004u

/*
 * DMA_ENABLE (RW, at any time). Which bits of DMA_EVENTS raise the interrupt output; none after a
 * reset. It can be written at any time.
 */
#define ACCLMT_REG_DMA_ENABLE 0x928u
#define ACCLMT_DMA_ENABLE_RESET 0x00000000u
/* A descriptor with the flag Interrupt has ended without an error. */
#define ACCLMT_DMA_ENABLE_DONE_LSB 0u
#define ACCLMT_DMA_ENABLE_DONE_WIDTH 1u
#define ACCLMT_DMA_ENABLE_DONE_MASK 0x00000001u
/* An error has stopped the ring. */
#define ACCLMT_DMA_ENABLE_STOPPED_LSB 1u
#define ACCLMT_DMA_ENABLE_STOPPED_WIDTH 1u
#define ACCLMT_DMA_ENABLE_STOPPED_MASK 0x00000002u
/*
 * A write was refused by the DMA: of configuration while DMA_STATUS.Busy is 1, of a start, of
 * STREAM_CONTROL, or of a register of the DMA.
 */
#define ACCLMT_DMA_ENABLE_REFUSED_LSB 2u
#define ACCLMT_DMA_ENABLE_REFUSED_WIDTH 1u
#define ACCLMT_DMA_ENABLE_REFUSED_MASK 0x00000004u

/*
 * DMA_ERROR (RO). Code of the error that stopped the ring, of the table of codes in docs/dma.md; 0
 * after Resume.
 */
#define ACCLMT_REG_DMA_ERROR 0x92Cu
#define ACCLMT_DMA_ERROR_RESET 0x00000000u

/*
 * DMA_ERROR_INFO (RO). ERROR of the core in bits 7:0 where DMA_ERROR is StartRefused or RunVoid,
 * else 0.
 */
#define ACCLMT_REG_DMA_ERROR_INFO 0x930u
#define ACCLMT_DMA_ERROR_INFO_RESET 0x00000000u

/* Codes of ERROR. */
/* No error since the last clear. ERROR_INFO: 0. */
#define ACCLMT_ERROR_NONE 0u
/*
 * Start with an illegal configuration. Nothing was started. ERROR_INFO: byte address of the
 * register that holds the illegal value.
 */
#define ACCLMT_ERROR_ILLEGAL_CONFIGURATION 1u
/*
 * Write of configuration or constants during a run or a zeroisation. Nothing was changed.
 * ERROR_INFO: byte address written.
 */
#define ACCLMT_ERROR_WRITE_WHILE_RUNNING 2u
/*
 * An input element is not below the prime. The run's output is void. ERROR_INFO: index of the
 * element in the input stream, counted from 0, modulo 2^32; in Goldilocks mode element s of word w,
 * bits 64 s + 63 to 64 s, has the index 4 w + s, and the lowest one of its word is named.
 */
#define ACCLMT_ERROR_ELEMENT_NOT_BELOW_PRIME 3u
/*
 * Request for an address that has no register, or write to a read-only one. ERROR_INFO: byte
 * address of the request.
 */
#define ACCLMT_ERROR_UNKNOWN_REGISTER 4u
/*
 * Start or zeroisation during a run, or any command during a zeroisation. What is under way goes
 * on. ERROR_INFO: value written to CONTROL.
 */
#define ACCLMT_ERROR_COMMAND_WHILE_BUSY 5u
/*
 * Constant for a sub-engine, bank or index that does not exist, for no hash engine, or with a bit
 * set that no field has. Nothing was written. ERROR_INFO: value written to CONSTANT_ADDRESS.
 */
#define ACCLMT_ERROR_ILLEGAL_CONSTANT_ADDRESS 6u
/* The leaves do not fill the tree, and MODE.Pad is 0. The run's output is void. ERROR_INFO: 0. */
#define ACCLMT_ERROR_INCOMPLETE_TREE 7u
/*
 * Write of a value with a bit set that no field has, or of several commands at once. Nothing was
 * changed. ERROR_INFO: byte address written.
 */
#define ACCLMT_ERROR_ILLEGAL_VALUE 8u
/*
 * Start with a parameter set whose passes cannot run on a full-round sub-engine. Nothing was
 * started. ERROR_INFO: bits 15:8 the parameter set; bits 7:0 why: 1 the table of passes breaks a
 * rule, 2 it has no program of the set, 3 a pass needs what the sub-engine does not have or an
 * exponent that ALPHA does not announce, 4 a matrix is not loaded, 5 the constant vectors do not
 * fit into the memory, 6 PASSES has another number of passes.
 */
#define ACCLMT_ERROR_ILLEGAL_PROGRAM 9u
/*
 * A word of a memory was read and its parity is wrong: a bit of it has changed since it was
 * written. The output of a run under way is void. Only where CAPS_POOL.MemoryParity is 1.
 * ERROR_INFO: bits 15:8 the hash engine; bits 7:0 where: a sub-engine by its number in
 * CONSTANT_ADDRESS, 15 what is around the sub-engines of the engine, 14 the tree, 13 the conversion
 * of the input, 12 that of the output.
 */
#define ACCLMT_ERROR_MEMORY_FAULT 10u

/* Codes of DMA_ERROR. */
/* The run is complete, and its output is in memory. */
#define ACCLMT_DMA_ERROR_NONE 0u
/* The descriptor could not be read: the memory answered with an error. There is no record. */
#define ACCLMT_DMA_ERROR_DESCRIPTOR_READ 1u
/* The address of the record is no multiple of 32. There is no record. */
#define ACCLMT_DMA_ERROR_RECORD_ADDRESS 2u
/* A bit of the descriptor is set that no field has. */
#define ACCLMT_DMA_ERROR_RESERVED 3u
/* The input address is no multiple of 32. */
#define ACCLMT_DMA_ERROR_INPUT_ADDRESS 4u
/* The input has no word, or reaches beyond 2^64. */
#define ACCLMT_DMA_ERROR_INPUT_WORDS 5u
/* The output address is no multiple of 32, with the flag Tagged of 64. */
#define ACCLMT_DMA_ERROR_OUTPUT_ADDRESS 6u
/* The output has room for no word, or reaches beyond 2^64. */
#define ACCLMT_DMA_ERROR_OUTPUT_LIMIT 7u
/* The input could not be read: the memory answered with an error. */
#define ACCLMT_DMA_ERROR_INPUT_READ 8u
/* The run takes more words than the descriptor gives. */
#define ACCLMT_DMA_ERROR_INPUT_TOO_SHORT 9u
/* The run takes fewer words than the descriptor gives. */
#define ACCLMT_DMA_ERROR_INPUT_TOO_LONG 10u
/* The run gives more words than the output has room for. Nothing was written beyond it. */
#define ACCLMT_DMA_ERROR_OUTPUT_TOO_SMALL 11u
/* The output could not be written: the memory answered with an error. */
#define ACCLMT_DMA_ERROR_OUTPUT_WRITE 12u
/* The record could not be written: the memory answered with an error. */
#define ACCLMT_DMA_ERROR_RECORD_WRITE 13u
/* The core refused the start; its ERROR says why. */
#define ACCLMT_DMA_ERROR_START_REFUSED 14u
/* The output of the run is void; ERROR of the core says why. */
#define ACCLMT_DMA_ERROR_RUN_VOID 15u

#endif /* ACCLMT_REGISTERS_H_ */
