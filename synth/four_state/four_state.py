#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Smoke run of the chip in a four-state simulator: what is never reset must reach no memory that is enabled.

Yosys writes the whole of `acclmt_core`, with small hash engines and memories, as a netlist of words (after
`proc; opt`), which Icarus Verilog simulates. A memory reports an unknown enable or address, as a macro of SRAM
would lose its content then, and a configuration that is not the one at the chip's port (memory.v takes the
place of the memory's file, as an integrator's would); the testbench reports an unknown handshake or answer
(testbench.v). The run hashes two leaves and folds them into a root, with full rounds, dense partial rounds, a
recurrence, and states of two beats; the last round of a leaf makes all beats, that of the root the first one alone.
The root must be the one that is computed here with integers.

Needs the packages of synth/requirements.txt and iverilog.
"""

import argparse
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(ROOT / "synth"))

import elaborate

MEMORY = "acclmt_mem_1r1w"
PRIME = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
# The Montgomery radix of the constant reduction.
RADIX = 2**264
PARAMETERS = {
    "NumPartial": 1,
    "MatrixDepth": 32,
    "ConstantDepth": 16,
    "PartialDepth": 4,
    "MaxHeight": 1,
    "NodeWords": 32,
    # The parity of a word that is unknown is unknown, even where it is the one that was stored with it.
    "MemoryParity": 0,
}
LANES = 3
# Of the state, and of the whole run.
WIDTH, BEATS, ALPHA = 5, 2, 5
INPUTS = (1, 3)
# In the second beat and in the first one.
LEAF_DIGEST, ROOT_DIGEST = 4, 1
FULL_FIRST, FULL_LAST = 2, 1
# On the full-round sub-engine and on the partial-round one; sums that move up in these.
DENSE, RECURRENT = 2, 2
ORDER = 3
LEAVES = 2
CYCLES = 40_000
SUB_ENGINE_FULL, SUB_ENGINE_PARTIAL, SUB_ENGINE_INITIAL = 0, 1, 15
# Bank of the passes, and the power x^5 (`acclmt_pkg::sbox_e`).
PASS_BANK, SBOX_FIFTH = 21, 4
# Where the initial vectors of the parameter set of nodes begin.
NODE_SET = 8


class FourStateError(Exception):
    """What went wrong, for the user."""


def registers():
    """Byte addresses of the registers, from the generated package."""
    text = (ROOT / "rtl" / "pkg" / "acclmt_reg_pkg.sv").read_text()
    return {name: int(value, 16) for name, value in re.findall(r" Reg(\w+) = 12'h([0-9a-f]+);", text)}


def code(position):
    """Position code of a state element: group, lane."""
    return position // LANES << 2 | position % LANES


def position_map(positions):
    """Values of the registers of a map, six codes in each; the rest are positions of no element."""
    codes = [code(position) for position in positions] + [3] * (24 - len(positions))
    registers = (codes[first : first + 6] for first in range(0, len(codes), 6))
    return [sum(entry << 5 * number for number, entry in enumerate(register)) for register in registers]


class Hash:
    """A permutation of random constants, in the form in which the chip has it: full rounds, dense partial rounds,
    rounds of a recurrence, the layer behind them, a full round."""

    def __init__(self, generator):
        def element():
            return generator.randrange(PRIME)

        def vector():
            return [element() for _ in range(WIDTH)]

        self.initial = vector()
        # Of the rounds, ahead of the recurrence and behind it.
        self.matrices = [[vector() for _ in range(WIDTH)] for _ in range(3)]
        # Passes of the full-round sub-engine: matrix, elements that pass the S-box, constants.
        self.passes = [(0, WIDTH, vector()) for _ in range(FULL_FIRST)]
        self.passes += [(0, 1, vector()) for _ in range(DENSE - 1)]
        self.passes += [(1, 1, vector()), (2, 0, vector())]
        self.passes += [(0, WIDTH, vector()) for _ in range(FULL_LAST)]
        # Coefficients of the sums, of which there is none in place 0, and the constant of element 0.
        self.recurrence = [
            ([0, *vector()[1:]], [0, *vector()[1:]], element()) for _ in range(RECURRENT)
        ]

    def digest(self, inputs, position):
        """Element of the state behind the permutation, of plain integers."""
        state = list(self.initial)
        for place, value in zip(INPUTS, inputs, strict=True):
            state[place] = (state[place] + value) % PRIME
        for number, (matrix, s_boxes, constants) in enumerate(self.passes):
            if number == FULL_FIRST + DENSE:
                state = self.partial_rounds(state)
            powers = [pow(x, ALPHA if i < s_boxes else 1, PRIME) for i, x in enumerate(state)]
            rows = [
                sum(a * b for a, b in zip(row, powers, strict=True))
                for row in self.matrices[matrix]
            ]
            state = [(row + constant) % PRIME for row, constant in zip(rows, constants, strict=True)]
        return state[position]

    def partial_rounds(self, state):
        """The recurrence: of residues, to the element, sums, and in place `ORDER` the last output of the S-box."""
        y, others = state[0], state
        x, sums = 0, [0] * WIDTH
        for a, b, constant in self.recurrence:
            sums = [
                (sums[i] + (a[i] + x) * (b[i] + others[i]) - x * y) % PRIME for i in range(WIDTH)
            ]
            x = pow(y, ALPHA, PRIME)
            y = (x + sums[1] + constant) % PRIME
            sums = [0, *sums[2 : ORDER + 1], 0, *sums[ORDER + 1 :]]
            others = [y] * WIDTH
        sums[0], sums[ORDER] = y, x
        return sums

    def constants(self):
        """(sub-engine, bank, index, plain value) of everything that the chip stores."""

        def at(vector, beat, lane):
            position = LANES * beat + lane
            return vector[position] if position < WIDTH else 0

        def full_vector(number, vector):
            for beat in range(BEATS):
                for lane in range(LANES):
                    bank = 2 * LANES * LANES + lane
                    yield SUB_ENGINE_FULL, bank, number * BEATS + beat, at(vector, beat, lane)

        for beat in range(BEATS):
            for lane in range(LANES):
                # Of the parameter set of rows, and of that of nodes.
                yield SUB_ENGINE_INITIAL, lane, beat, at(self.initial, beat, lane)
                yield SUB_ENGINE_INITIAL, lane, NODE_SET + beat, at(self.initial, beat, lane)
        # Of the full-round sub-engine: matrices by row chunks, of two beats a step; those have one step.
        for number, matrix in enumerate(self.matrices):
            for chunk in range(BEATS):
                for row in range(LANES):
                    position = LANES * chunk + row
                    values = matrix[position] if position < WIDTH else [0] * WIDTH
                    for beat in range(BEATS):
                        for lane in range(LANES):
                            bank = LANES * LANES * beat + LANES * row + lane
                            index = number * BEATS + chunk
                            yield SUB_ENGINE_FULL, bank, index, at(values, beat, lane)
        for number, (matrix, _, vector) in enumerate(self.passes):
            pairs = [
                sum(row[i] * row[i + LANES] for i in range(WIDTH - LANES))
                for row in self.matrices[matrix]
            ]
            folded = [constant - pair for constant, pair in zip(vector, pairs, strict=True)]
            yield from full_vector(number, folded)
        # The last round as one that makes the first beat alone.
        yield from full_vector(len(self.passes), self.passes[-1][2])
        for number, (a, b, constant) in enumerate(self.recurrence):
            for beat in range(BEATS):
                for lane in range(LANES):
                    index = number * BEATS + beat
                    yield SUB_ENGINE_PARTIAL, lane, index, at(a, beat, lane)
                    yield SUB_ENGINE_PARTIAL, LANES + lane, index, at(b, beat, lane)
            yield SUB_ENGINE_PARTIAL, 2 * LANES, number * BEATS, constant

    def table(self, parameter_set):
        """Words of the table of passes (`acclmt_pkg::pass_word_t`), without loops."""
        behind = FULL_FIRST + DENSE
        for number, (matrix, s_boxes, _) in enumerate(self.passes):
            # A vector is added.
            word = 1 << 30 | matrix * BEATS << 16
            if s_boxes:
                word |= SBOX_FIFTH << 24
            if s_boxes == 1:
                word |= 1 << 27
            if number in (behind - 1, len(self.passes) - 1):
                word |= 1 << 31
            if number in (0, behind):
                visit = int(number == behind)
                word |= 1 << 32 | visit << 33 | parameter_set << 34 | number * BEATS << 40
            yield word

    def writes(self):
        """(address, data) of the whole configuration and of the start."""
        address = registers()
        for sub_engine, bank, index, value in self.constants():
            word = value * RADIX % PRIME
            for number in range(8):
                yield address[f"ConstantData{number}"], word >> 32 * number & 0xFFFFFFFF
            # For both engines.
            yield address["ConstantAddress"], 3 << 20 | sub_engine << 16 | bank << 8 | index
        for parameter_set in (0, 1):
            # Engine 0 has the set of rows, engine 1 that of nodes.
            for index, word in enumerate(self.table(parameter_set)):
                for number in range(8):
                    yield address[f"ConstantData{number}"], word >> 32 * number & 0xFFFFFFFF
                place = SUB_ENGINE_FULL << 16 | PASS_BANK << 8 | index
                yield address["ConstantAddress"], 1 << 20 + parameter_set | place
        for engine, digest in (("Leaf", LEAF_DIGEST), ("Root", ROOT_DIGEST)):
            values = {
                "InputWords": len(INPUTS),
                "Width": WIDTH,
                "Alpha": ALPHA,
                # Behind the recurrence the layer and the last rounds.
                "Passes": FULL_FIRST + DENSE | (1 + FULL_LAST) << 16,
                # The output of the S-box enters the next element.
                "Recurrence": 1 << 8 | ORDER,
                "DigestWords": 1,
            }
            for number, value in enumerate(position_map(INPUTS)):
                values[f"InputMap{number}"] = value
            for number, value in enumerate(position_map([digest])):
                values[f"DigestMap{number}"] = value
            values["PartialBase"] = 0
            for number in range(1, 7):
                values[f"PartialRounds{number}"] = RECURRENT if number == 1 else 0
            yield from ((address[engine + name], value) for name, value in values.items())
        run = {
            "Mode": 1,
            "TopLevel": 1,
            "Leaves": LEAVES,
            "Field": 0,
            "EmitLevels": 0,
            "RowBlocks": 1,
            "RowGroup": 1,
            "LastInputWords": len(INPUTS),
            **{f"LastInputMap{number}": value for number, value in enumerate(position_map(INPUTS))},
            "WindowFirst": 0,
            "WindowLast": 0,
            # Hash engine 0 takes rows, hash engine 1 nodes.
            "Roles": 1 | 2 << 8,
            # Groups in the queues of the leaves and of the root, which have the set of nodes, 1.
            "LevelTable0": 1 << 16 | LEAVES,
            "LevelTable1": 1 << 16 | 1,
            "Control": 1,
        }
        yield from ((address[name], value) for name, value in run.items())


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = (done.stdout + done.stderr).splitlines()[-25:]
        raise FourStateError("\n".join([f"{Path(command[0]).name} failed:", *lines]))
    return done.stdout


def netlist(sources, folder):
    """Has Yosys write the design; memories are those of memory.v."""
    memory = [path for path in sources if path.stem == MEMORY]
    others = [path for path in sources if path.stem != MEMORY]
    packages = [path for path in others if path.stem.endswith("_pkg")]

    def files(paths):
        return " ".join(shlex.quote(str(path)) for path in paths)

    values = "".join(f" -set {name} {value}" for name, value in PARAMETERS.items())
    commands = [
        f"read_verilog -sv -D SYNTHESIS {files(packages)}",
        f"read_verilog -sv -lib -D SYNTHESIS {files(memory)}",
        f"read_verilog -sv -D SYNTHESIS {files(p for p in others if p not in packages)}",
        f"chparam{values} acclmt_core",
        "hierarchy -check -top acclmt_core",
        "proc",
        "opt",
        "rename -top acclmt_core",
        "write_verilog -noattr design.v",
    ]
    run([sys.executable, "-c", elaborate.RUN_YOSYS, *commands], folder)


def configuration(folder, generator):
    """Bits of the memories' configuration at the port of the chip, and a value with both kinds of bits."""
    found = re.search(r"^  input \[(\d+):0\] memory_config_i;$", (folder / "design.v").read_text(), re.M)
    if not found:
        raise FourStateError("the netlist has no input memory_config_i of several bits")
    width = int(found[1]) + 1
    return width, generator.randrange(1, 2**width - 1)


def simulate(sources, folder, seed):
    """Returns what is wrong, line by line, and the accesses of memories that were looked at."""
    if not shutil.which("iverilog"):
        raise FourStateError("iverilog was not found; install it, as with `apt-get install iverilog`")
    generator = random.Random(seed)
    hash_ = Hash(generator)
    elements = [generator.randrange(PRIME) for _ in range(LEAVES * len(INPUTS))]
    leaves = [hash_.digest(elements[i : i + 2], LEAF_DIGEST) for i in range(0, len(elements), 2)]
    root = hash_.digest(leaves, ROOT_DIGEST)
    writes = list(hash_.writes())
    (folder / "writes.hex").write_text("".join(f"{a:03x}{d:08x}\n" for a, d in writes))
    (folder / "elements.hex").write_text("".join(f"{element:064x}\n" for element in elements))
    netlist(sources, folder)
    width, value = configuration(folder, generator)
    defines = {
        "CONFIG_WIDTH": width,
        "CONFIG": f"{width}'d{value}",
        "WRITES": len(writes),
        "ELEMENTS": len(elements),
        "CYCLES": CYCLES,
        "STATUS": registers()["Status"],
    }
    command = ["iverilog", "-g2012", "-s", "testbench", "-o", "run.vvp"]
    command += [f"-D{name}={value}" for name, value in defines.items()]
    command += [str(FOLDER / "testbench.v"), str(FOLDER / "memory.v"), "design.v"]
    run(command, folder)
    output = run(["vvp", "-n", "run.vvp"], folder)

    wrong = [line for line in output.splitlines() if line.startswith("error: ")]
    done = re.search(r"^done: \d+ errors, (\d+) accesses", output, re.M)
    words = re.findall(r"^output (\w+) +(\d+) +(\d+) (\w) (\w)$", output, re.M)
    expected = [(f"{root:064x}", "1", "0", "1", "0")]
    if not done or words != expected:
        wrong.append(f"error: the output is {words} instead of {expected}")
    return wrong, int(done[1]) if done else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of constants and elements [1]")
    parser.add_argument("--file-list", type=Path, default=elaborate.FILE_LIST, help="[rtl/acclmt.f]")
    parser.add_argument("--folder", type=Path, help="keep the netlist and the testbench's files here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        try:
            sources = elaborate.read_file_list(arguments.file_list)
            wrong, accesses = simulate(sources, folder.resolve(), arguments.seed)
        except (FourStateError, OSError, ValueError) as error:
            sys.exit(f"four_state: {error}")
    if wrong:
        print("\n".join(wrong[:20]), file=sys.stderr)
        sys.exit(f"four_state: {len(wrong)} errors (seed {arguments.seed})")
    print(f"four_state: the root is right, {accesses} accesses of memories, none unknown (seed {arguments.seed})")


if __name__ == "__main__":
    main()
