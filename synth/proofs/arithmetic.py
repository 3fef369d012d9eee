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
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "protocol"))
sys.path.insert(0, str(HERE))

import control
import protocol
from protocol import elaborate


@dataclass(frozen=True)
class Size:
    """A size of a block: its parameters, and the cycles from its operands to its result."""

    cycles: int
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """An arithmetic block."""

    module: str
    sizes: tuple[Size, ...]
    # Faults, which the first size has: a text of the block, which is there once, and what takes its place.
    faults: tuple[tuple[str, str], ...]
    # Assertions of the block that are about its inputs.
    assumed: tuple[str, ...] = ()
    # None takes minutes.
    takes_long: bool = False


def levels(width, count, registers):
    """The size of a multiplier or squarer with so many levels, and registers ahead of so many of them (bits)."""
    cycles = 1 + count + registers.bit_count()
    return Size(
        cycles,
        (
            f"Width={width}",
            f"Levels={count}",
            f"PreRegister=4'd{registers}",
            f"Latency={cycles}",
            "Goldilocks=1'b0",
        ),
    )


def columns(low, high, constant):
    """The size of a product with a constant that delivers these columns."""
    return Size(
        0, (f"LowColumn={low}", f"HighColumn={high}", f"Constant=264'h{constant:x}", "ChunkColumns=7")
    )


BLOCKS = (
    Block(
        "acclmt_mul",
        (levels(8, 3, 0b1010), levels(6, 2, 0b0010), levels(7, 1, 0b0000), levels(6, 0, 0b0000)),
        (
            # A sum of halves without its carry, the other half, a middle term of three products, one that is not moved.
            ("a_sum_q <= separate ? a_beside : Sum'(a_i[Low-1:0]) +", "a_sum_q <= Sum'(a_i[Low-1:0] ^ Low'(a_i[Width-1:Low]));  //"),
            ("b_high_q <= b_i[Width-1:Low];", "b_high_q <= High'(b_i[Low-1:0]);"),
            ("Upper'(added) - Upper'(low) - Upper'(high)", "Upper'(added) - Upper'(low)"),
        ),
    ),
    Block(
        "acclmt_sqr",
        (levels(10, 3, 0b1010), levels(9, 2, 0b0010), levels(9, 1, 0b0000), levels(8, 0, 0b0000)),
        (
            ("a_sum_q <= separate ? '0 : Sum'(a_i[Low-1:0]) +", "a_sum_q <= Sum'(a_i[Low-1:0] ^ Low'(a_i[Width-1:Low]));  //"),
            ("Upper'(middle) - Upper'(low) - Upper'(high)", "Upper'(middle) - Upper'(low)"),
            ("low_square[Low-1:0]\n      };", "Low'(low_square[2*Low-1:Low])\n      };"),
        ),
    ),
    Block(
        "acclmt_const_mul",
        (columns(7, 15, 0x35D3), columns(7, 14, 0x2BA9), columns(0, 15, 0x5D37)),
        (
            # What a chunk carries, and what its top bit says of those below.
            ("localparam int unsigned From = (c == 1) ? BelowColumns : ChunkColumns;", "localparam int unsigned From = ChunkColumns - 1;"),
            ("assign below_o = chunk_sum[0][BelowColumns-1];", "assign below_o = chunk_sum[0][BelowColumns-2];"),
            ("assign signed_part = Negative ? ~part : part;", "assign signed_part = part;"),
            ("ChunkBits'(Correction[End-1:First])", "ChunkBits'(0)"),
        ),
    ),
    Block(
        "acclmt_mod_add",
        (Size(1), Size(1, ("Goldilocks=1'b0",))),
        (
            ("not_below[s] = majority[int'(SliceWidth)*(s+1)-1] ||", "not_below[s] ="),
            ("(difference[s][SliceWidth] ^ !goldilocks);", "difference[s][SliceWidth];"),
            ("not_below[goldilocks ? s : int'(Slices) - 1]", "not_below[int'(Slices) - 1]"),
            ("if (goldilocks) carry[int'(SliceWidth)*s] = 1'b1;", ""),
        ),
    ),
    Block(
        "acclmt_operand_add",
        (Size(1, ("Negative=1'b1",)), Size(1)),
        (
            ("(Slices * (SliceWidth + 1))'(carry_in);", "'0;"),
            ("(goldilocks && !negative[s] && reduced[s][SliceWidth])", "(goldilocks && reduced[s][SliceWidth])"),
            ("(goldilocks && !negative[s] && reduced[s][SliceWidth])", "(!negative[s] && reduced[s][SliceWidth])"),
            ("a[s] = {!goldilocks,", "a[s] = {1'b1,"),
        ),
    ),
    Block(
        "acclmt_reduce_goldilocks",
        (Size(1),),
        (
            ("corrected[Width-1] ?", "!negative ?"),
            ("(negative ? Prime : -Prime)", "-Prime"),
            ("x0 + (x1 << 32) - x1 - x2;", "x0 + (x1 << 32) - x1 + x2;"),
        ),
    ),
)


def prove(block, files, size):
    """Proves the assertions of the first operands' result: whether they hold, and what was said."""
    # Behind the result is the register of the assertion.
    steps = size.cycles + 2
    return protocol.yosys(
        [
            *protocol.read(control.Block(block.module, (), (), size.parameters), files, "-D FORMAL"),
            "async2sync",
            "chformal -lower",
            "opt -full",
            f"sat -verify -prove-asserts -set-assumes -seq {steps} -prove-skip {steps - 1} {block.module}",
        ]
    )


def check(block, sources, faults):
    """Proves a block at each of its sizes, and that its faults are found."""
    began = time.monotonic()
    proved = []
    with tempfile.TemporaryDirectory() as folder:
        files = control.copies(block, sources, Path(folder))
        for size in block.sizes:
            passed, said = prove(block, files, size)
            if not passed:
                protocol.fail(f"an assertion of {block.module} does not hold with {size.parameters}", said)
            asserted, _ = protocol.properties(said)
            if asserted == 0:
                protocol.fail(f"{block.module} has no assertion", said)
            proved.append(str(asserted))
    sizes = "one size" if len(block.sizes) == 1 else f"{len(block.sizes)} sizes"
    text = f"{block.module}: {', '.join(proved)} assertions are proved at {sizes}"
    # A fault whose text is gone is told without the proofs of the faults, too.
    for fault in block.faults:
        with tempfile.TemporaryDirectory() as folder:
            files = control.copies(block, sources, Path(folder), fault)
            if not faults:
                continue
            _, said = prove(block, files, block.sizes[0])
        if "model found: FAIL!" not in said:
            protocol.fail(f"a fault of {block.module} is not found: '{fault[1]}' for '{fault[0]}'", said)
    if faults:
        text += f", {len(block.faults)} planted faults are found"
    print(f"{text} ({time.monotonic() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    control.run(__doc__.splitlines()[0], BLOCKS, check)
