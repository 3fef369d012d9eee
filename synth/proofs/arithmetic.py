#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proves what arithmetic blocks compute, by Yosys, for all operands and whatever was in their registers before.

What a result must be is in `invariants/MODULE.top.sv`, in other words than those of the block: products by `*`, residues
by a multiple of the prime. Multipliers, squarers and products with constants are proved at small widths, at every depth
of their recursion, the other blocks as they are. Each fault of a list, planted in a copy of the block, must be found.
Needs the packages of ../requirements.txt.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "protocol"))
sys.path.insert(0, str(HERE))

import control
import protocol


def block(module, cycles, parameters=(), faults=()):
    """A block at a size, with so many cycles from its operands to its result."""
    return control.Block(module, (), faults, parameters, cycles)


def levels(module, width, count, registers, faults=()):
    """A multiplier or squarer with so many levels, and registers ahead of some of them (bits)."""
    cycles = 1 + count + registers.bit_count()
    parameters = (
        f"Width={width}",
        f"Levels={count}",
        f"PreRegister=4'd{registers}",
        f"Latency={cycles}",
        "Goldilocks=1'b0",
    )
    return block(module, cycles, parameters, faults)


def columns(low, high, constant, faults=()):
    """A product with a constant that delivers these columns."""
    parameters = (f"LowColumn={low}", f"HighColumn={high}", f"Constant=264'h{constant:x}", "ChunkColumns=7")
    return block("acclmt_const_mul", 0, parameters, faults)


BLOCKS = (
    levels(
        "acclmt_mul",
        8,
        3,
        0b1010,
        (
            # A sum of halves without its carries, the other half, a middle term that still has one of the products.
            ("a_sum_q <= separate ? a_beside : Sum'(a_i[Low-1:0]) +", "a_sum_q <= Sum'(a_i[Low-1:0] ^ Low'(a_i[Width-1:Low]));  //"),
            ("b_high_q <= b_i[Width-1:Low];", "b_high_q <= High'(b_i[Low-1:0]);"),
            ("Upper'(added) - Upper'(low) - Upper'(high)", "Upper'(added) - Upper'(low)"),
        ),
    ),
    levels("acclmt_mul", 6, 2, 0b0010),
    levels("acclmt_mul", 7, 1, 0b0000),
    levels("acclmt_mul", 6, 0, 0b0000),
    levels(
        "acclmt_sqr",
        10,
        3,
        0b1010,
        (
            ("a_sum_q <= separate ? '0 : Sum'(a_i[Low-1:0]) +", "a_sum_q <= Sum'(a_i[Low-1:0] ^ Low'(a_i[Width-1:Low]));  //"),
            ("Upper'(middle) - Upper'(low) - Upper'(high)", "Upper'(middle) - Upper'(low)"),
            ("low_square[Low-1:0]\n      };", "Low'(low_square[2*Low-1:Low])\n      };"),
        ),
    ),
    levels("acclmt_sqr", 9, 2, 0b0010),
    levels("acclmt_sqr", 9, 1, 0b0000),
    levels("acclmt_sqr", 8, 0, 0b0000),
    columns(
        7,
        15,
        0x35D3,
        (
            # What a chunk carries, and what its top bit says of those below.
            ("localparam int unsigned From = (c == 1) ? BelowColumns : ChunkColumns;", "localparam int unsigned From = ChunkColumns - 1;"),
            ("assign below_o = chunk_sum[0][BelowColumns-1];", "assign below_o = chunk_sum[0][BelowColumns-2];"),
            ("assign signed_part = Negative ? ~part : part;", "assign signed_part = part;"),
            ("ChunkBits'(Correction[End-1:First])", "ChunkBits'(0)"),
        ),
    ),
    columns(7, 14, 0x2BA9),
    columns(0, 15, 0x5D37),
    block(
        "acclmt_mod_add",
        1,
        (),
        (
            ("not_below[s] = majority[int'(SliceWidth)*(s+1)-1] ||", "not_below[s] ="),
            ("(difference[s][SliceWidth] ^ !goldilocks);", "difference[s][SliceWidth];"),
            ("not_below[goldilocks ? s : int'(Slices) - 1]", "not_below[int'(Slices) - 1]"),
            ("if (goldilocks) carry[int'(SliceWidth)*s] = 1'b1;", ""),
        ),
    ),
    block("acclmt_mod_add", 1, ("Goldilocks=1'b0",)),
    block(
        "acclmt_operand_add",
        1,
        ("Negative=1'b1",),
        (
            ("(Slices * (SliceWidth + 1))'(carry_in);", "'0;"),
            ("(goldilocks && !negative[s] && reduced[s][SliceWidth])", "(goldilocks && reduced[s][SliceWidth])"),
            ("(goldilocks && !negative[s] && reduced[s][SliceWidth])", "(!negative[s] && reduced[s][SliceWidth])"),
            ("a[s] = {!goldilocks,", "a[s] = {1'b1,"),
        ),
    ),
    block("acclmt_operand_add", 1),
    block(
        "acclmt_reduce_goldilocks",
        1,
        (),
        (
            ("corrected[Width-1] ?", "!negative ?"),
            ("(negative ? Prime : -Prime)", "-Prime"),
            ("x0 + (x1 << 32) - x1 - x2;", "x0 + (x1 << 32) - x1 + x2;"),
        ),
    ),
)


def prove(block, files):
    """Proves the assertions of the first operands' result: whether they hold, and what was said."""
    # Behind the result is the register of the assertion.
    steps = block.cycles + 2
    return protocol.yosys(
        [
            *protocol.read(block, files, "-D FORMAL"),
            "async2sync",
            "chformal -lower",
            "opt -full",
            f"sat -verify -prove-asserts -set-assumes -seq {steps} -prove-skip {steps - 1} {block.module}",
        ]
    )


def check(block, sources, faults):
    """Proves a block, and that its faults are found."""
    control.check(block, sources, faults, ((prove, "when its result is due"),), "model found: FAIL!")


if __name__ == "__main__":
    control.run(__doc__.splitlines()[0], BLOCKS, check)
