/*
 * Copyright AcclMT contributors.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of acclmt_registers.h that drivers count on, written out. It is compiled as C and as C++, and
 * never linked.
 */

#include "acclmt_registers.h"

#include <assert.h>

static_assert(ACCLMT_REG_ID == 0x000, "identification");
static_assert(ACCLMT_ID_VALUE == 0x41434D54, "the letters ACMT");
static_assert(ACCLMT_REG_PRIME(7) == 0x03C, "last word of the prime");
static_assert(ACCLMT_REG_CONTROL == 0x040, "commands");
static_assert(ACCLMT_CONTROL_START_MASK == 1, "command 1 starts");
static_assert(ACCLMT_CONTROL_CLEAR_MASK == 2, "command 2 clears");
static_assert(ACCLMT_CONTROL_ZEROISE_MASK == 4, "command 4 zeroises");
static_assert(ACCLMT_REG_STATUS == 0x044, "state");
static_assert(ACCLMT_REG_ERROR_INFO == 0x04C, "more about an error");
static_assert(ACCLMT_REG_INTERRUPT_STATUS == 0x094, "interrupts that are pending");
static_assert(ACCLMT_REG_CONSTANT_DATA(0) == 0x100, "first word of a constant");
static_assert(ACCLMT_REG_CONSTANT_ADDRESS == 0x120, "writes a constant");
static_assert(ACCLMT_CONSTANT_ADDRESS_ENGINE_MASK_MASK == 0x0FF00000, "hash engines of a constant");
static_assert(ACCLMT_REG_LEAF_PASSES == 0x14C, "passes of the leaf hash engine");
static_assert(ACCLMT_REG_ROOT_PARTIAL_ROUNDS(6) == 0x1EC, "rounds of the last partial-round sub-engine");
static_assert(ACCLMT_REG_LAST_INPUT_MAP(3) == 0x07C, "last register of the map of the last block");
static_assert(ACCLMT_REG_WINDOW_LAST == 0x084, "end of the window");
static_assert(ACCLMT_REG_TOP_INPUT_MAP(3) == 0x764, "last register of a map");
static_assert(ACCLMT_REG_TOP_DIGEST_MAP(0) == 0x768, "first register of a map");
static_assert(ACCLMT_LEAF_RECURRENCE_ORDER_MASK == 0x1F, "order of a recurrence, up to 23");
static_assert(ACCLMT_REG_CYCLES == 0x200, "low word of the cycles");
static_assert(ACCLMT_REG_CYCLES_HIGH == 0x204, "high word of the cycles");
static_assert(ACCLMT_LEAF_BUSY_PARTIAL_FIRST == 1, "partial-round sub-engines count from 1");
static_assert(ACCLMT_REG_LEAF_BUSY_PARTIAL(1) == 0x278, "first partial-round sub-engine");
static_assert(ACCLMT_REG_LEAF_BUSY_PARTIAL_HIGH(6) == 0x2A4, "last partial-round sub-engine");
static_assert(ACCLMT_REG_LEVEL_TABLE(32) == 0x480, "last level");
static_assert(ACCLMT_LEVEL_TABLE_GROUPS_LSB == 0, "groups of a level");
static_assert(ACCLMT_ERROR_ILLEGAL_PROGRAM == 9, "last error");
static_assert(ACCLMT_REG_BUS_VERSION == 0x800, "version of the streams");
static_assert(ACCLMT_REG_STREAM_CONTROL == 0x808, "commands to the streams");
static_assert(ACCLMT_REG_DMA_CONTROL == 0x908, "commands to the DMA");
static_assert(ACCLMT_REG_DMA_RING_BASE(1) == 0x914, "high word of the ring's address");
static_assert(ACCLMT_REG_DMA_TAIL == 0x91C, "descriptors given");
static_assert(ACCLMT_DMA_ERROR_RUN_VOID == 15, "last error of the DMA");
