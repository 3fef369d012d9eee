#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proves what the buffer between two clocks promises, by Yosys, for clocks of any ratio and phase.

acclmt_gray_fifo_proof.sv has the properties. They hold from the reset on for some edges, and after any state in
which they hold (induction): so for ever. Time is a sequence of steps; at each of them either clock has an edge or
not. A flop that is met by a change takes the old value here; that only one bit of a code changes, which makes the
new one as good, is an assertion of acclmt_gray_counter that protocol.py proves.

Faults that are planted in copies of the blocks must be found. Needs the packages of ../requirements.txt.
"""

import argparse
import tempfile
from pathlib import Path

import protocol
from protocol import elaborate

TOP = "acclmt_gray_fifo_proof"
# Steps from the reset, and the most that an induction may look back.
STEPS = 14
# A text of a block, which is there once, and what takes its place.
FAULTS = (
    # A binary pointer.
    ("acclmt_gray_counter", "gray_q <= next ^ (next >> 1);", "gray_q <= next;"),
    # Full too late, and never.
    ("acclmt_gray_fifo", "assign ready_o = held != CountWidth'(Depth);", "assign ready_o = 1'b1;"),
    # A word is offered that has not arrived.
    ("acclmt_gray_fifo", "assign valid_o = written_gray_synced != taken_gray;", "assign valid_o = 1'b1;"),
    # A place is emptied before its word was taken.
    ("acclmt_gray_fifo", "else if (!is_kept) places_q", "else if (!written_here) places_q"),
    # A count behind a full buffer.
    ("acclmt_gray_fifo", "assign push = valid_i && ready_o;", "assign push = valid_i;"),
    ("acclmt_gray_fifo", "assign pop = valid_o && ready_i;", "assign pop = ready_i;"),
)


def prove(sources, step):
    """Proves the properties, from the reset or as a step of the induction; returns what was said."""
    start = "-tempinduct-inductonly -set rst_ni 1" if step else "-tempinduct-baseonly -set-at 1 rst_ni 0 -set-at 2 rst_ni 0"
    files = " ".join(str(source) for source in sources)
    return protocol.yosys(
        [
            f"read_slang --no-synthesis-define -D SYNTHESIS --top {TOP} {files}",
            f"hierarchy -check -top {TOP}",
            f"prep -flatten -top {TOP}",
            "clk2fflogic",
            "chformal -lower",
            "opt -full",
            f"sat -verify -prove-asserts -set-assumes -tempinduct {start} -seq 1 -maxsteps {STEPS} {TOP}",
        ]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--no-faults", action="store_true", help="the proofs alone, without the planted faults")
    arguments = parser.parse_args()
    packages = [path for path in elaborate.read_file_list(elaborate.FILE_LIST) if path.stem.endswith("_pkg")]
    crossing = elaborate.ROOT / "rtl" / "crossing"
    blocks = [crossing / f"acclmt_{name}.sv" for name in ("synchroniser", "gray_counter", "gray_fifo")]
    sources = [*packages, *blocks, Path(__file__).resolve().parent / f"{TOP}.sv"]
    for step in (False, True):
        passed, said = prove(sources, step)
        if not passed:
            protocol.fail(f"a property of {TOP} does not hold {'in a step of the induction' if step else 'after a reset'}", said)
        asserted, _ = protocol.properties(said)
        if asserted == 0:
            protocol.fail(f"{TOP} has no property", said)
    print(f"{TOP}: {asserted} properties are proved for two clocks")
    with tempfile.TemporaryDirectory() as folder:
        for module, original, fault in FAULTS:
            source = crossing / f"{module}.sv"
            copy = Path(folder) / source.name
            # A fault whose text is gone is told by the short runs, too.
            copy.write_text(protocol.planted(source, source.read_text(), original, fault))
            if arguments.no_faults:
                continue
            _, said = prove([copy if path == source else path for path in sources], False)
            if "model found for base case: FAIL!" not in said:
                protocol.fail(f"a fault of {module} is not found: '{fault}' for '{original}'", said)
    if not arguments.no_faults:
        print(f"{TOP}: {len(FAULTS)} planted faults are found")


if __name__ == "__main__":
    main()
