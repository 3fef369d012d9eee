#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests the simulator of netlists, and that faults planted in netlists are found."""

import copy
import itertools
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "synth"))

import blocks
import engine
import equivalence
import gates
from netlists import Netlists
from simulator import FLIP_FLOPS, GATES, MEMORY_PINS, Flattener, NetlistError, Simulation

SEED = 20240917
FOLDER = ROOT / "target" / "area"
# What the gates are, in words of Python.
TRUTH = {
    "$_BUF_": lambda a: a,
    "$_NOT_": lambda a: not a,
    "$_AND_": lambda a, b: a and b,
    "$_NAND_": lambda a, b: not (a and b),
    "$_OR_": lambda a, b: a or b,
    "$_NOR_": lambda a, b: not (a or b),
    "$_XOR_": lambda a, b: a != b,
    "$_XNOR_": lambda a, b: a == b,
    "$_ANDNOT_": lambda a, b: a and not b,
    "$_ORNOT_": lambda a, b: a or not b,
    "$_MUX_": lambda a, b, s: b if s else a,
    "$_AOI3_": lambda a, b, c: not ((a and b) or c),
    "$_OAI3_": lambda a, b, c: not ((a or b) and c),
}
# Gates that take the place of each other as faults.
SWAPS = {
    "$_AND_": "$_OR_",
    "$_OR_": "$_AND_",
    "$_NAND_": "$_NOR_",
    "$_NOR_": "$_NAND_",
    "$_XOR_": "$_XNOR_",
    "$_XNOR_": "$_XOR_",
    "$_ANDNOT_": "$_ORNOT_",
    "$_ORNOT_": "$_ANDNOT_",
    "$_AOI3_": "$_OAI3_",
    "$_OAI3_": "$_AOI3_",
}
TECHNOLOGY = {"clk_i": {"direction": "input", "bits": [2]}}


def module(ports, cells):
    """A module of Yosys JSON: ports name -> (direction, bits), cells name -> (type, pins)."""
    return {
        "ports": TECHNOLOGY
        | {
            name: {"direction": direction, "bits": bits}
            for name, (direction, bits) in ports.items()
        },
        "cells": {
            name: {"type": kind, "connections": {pin: bits for pin, bits in pins.items()}}
            for name, (kind, pins) in cells.items()
        },
    }


def simulation(modules, memories=None, seed=SEED):
    return Simulation(Flattener(modules, memories or {}).circuit("top"), 64, seed)


def swapped(modules, generator, name):
    """The modules with a gate of one of them swapped for another one."""
    modules = copy.deepcopy(modules)
    cells = [cell for cell in modules[name]["cells"].values() if cell["type"] in SWAPS]
    cell = generator.choice(cells)
    cell["type"] = SWAPS[cell["type"]]
    return modules


class Simulator(unittest.TestCase):
    def test_gates(self):
        for kind, truth in TRUTH.items():
            pins = GATES[kind][0]
            bits = {pin: [10 + i] for i, pin in enumerate(pins)}
            ports = {"y": ("output", bits["Y"])}
            ports |= {pin: ("input", bits[pin]) for pin in pins[1:]}
            s = simulation({"top": module(ports, {"gate": (kind, bits)})})
            table = list(itertools.product((0, 1), repeat=len(pins) - 1))
            for i, pin in enumerate(pins[1:]):
                s.set(pin, [table[lane % len(table)][i] for lane in range(64)])
            s.evaluate()
            expected = [int(truth(*table[lane % len(table)])) for lane in range(64)]
            self.assertEqual(s.get("y"), expected, kind)
        self.assertEqual(set(TRUTH), set(GATES))
        self.assertEqual(set(TRUTH), set(equivalence.COVERS))

    def test_flip_flops(self):
        # Type -> (D, further pins) -> what is stored.
        expected = {
            "$_DFF_P_": lambda d: d,
            "$_DFF_PN0_": lambda d, r: d if r else 0,
            "$_DFF_PN1_": lambda d, r: d if r else 1,
            "$_DFF_PP0_": lambda d, r: 0 if r else d,
            "$_DFF_PP1_": lambda d, r: 1 if r else d,
            "$_DFFSR_PPP_": lambda d, s, r: 0 if r else 1 if s else d,
        }
        for kind, stored in expected.items():
            pins = FLIP_FLOPS[kind][0]
            bits = {pin: [10 + i] for i, pin in enumerate(pins)} | {"C": [2]}
            ports = {"q": ("output", bits["Q"])}
            ports |= {pin: ("input", bits[pin]) for pin in pins[2:]}
            s = simulation({"top": module(ports, {"flip_flop": (kind, bits)})})
            table = list(itertools.product((0, 1), repeat=len(pins) - 2))
            for i, pin in enumerate(pins[2:]):
                s.set(pin, [table[lane % len(table)][i] for lane in range(64)])
            s.evaluate()
            before = s.get("q")
            s.clock()
            self.assertEqual(s.get("q"), [stored(*table[n % len(table)]) for n in range(64)], kind)
            self.assertTrue(0 < sum(before) < 64, "registers begin with random bits")
        self.assertEqual(set(expected), set(FLIP_FLOPS))

    def test_memory(self):
        width, depth = 5, 6
        sizes = {"clk_i": 1, "memory_config_i": 2, "write_enable_i": 1, "write_address_i": 3}
        sizes |= {"write_data_i": width, "read_enable_i": 1, "read_address_i": 3, "read_data_o": width}
        pins, number = {}, 10
        for pin in MEMORY_PINS:
            pins[pin] = [2] if pin == "clk_i" else list(range(number, number + sizes[pin]))
            number += sizes[pin]
        ports = {
            pin: ("output" if pin == "read_data_o" else "input", bits)
            for pin, bits in pins.items()
            if pin != "clk_i"
        }
        s = simulation({"top": module(ports, {"m": ("memory", pins)})}, {"memory": (width, depth)})
        generator = random.Random(SEED)
        words = [dict() for _ in range(64)]
        shown = [None] * 64
        for _ in range(200):
            drawn = {
                pin: [generator.randrange(2 ** sizes[pin]) for _ in range(64)]
                for pin in ("write_enable_i", "write_data_i", "read_enable_i")
            }
            for pin in ("write_address_i", "read_address_i"):
                drawn[pin] = [generator.randrange(depth) for _ in range(64)]
            for pin, values in drawn.items():
                s.set(pin, values)
            s.evaluate()
            s.clock()
            found = s.get("read_data_o")
            for lane in range(64):
                if drawn["read_enable_i"][lane]:
                    shown[lane] = words[lane].get(drawn["read_address_i"][lane])
                if drawn["write_enable_i"][lane]:
                    words[lane][drawn["write_address_i"][lane]] = drawn["write_data_i"][lane]
                if shown[lane] is not None:
                    self.assertEqual(found[lane], shown[lane])

    def test_hierarchy(self):
        # A part whose outputs are an input, a constant, and twice the same wire.
        part = module(
            {
                "a": ("input", [3]),
                "same": ("output", [3]),
                "one": ("output", ["1"]),
                "x": ("output", [4]),
                "y": ("output", [4]),
            },
            {"n": ("$_NOT_", {"A": [3], "Y": [4]})},
        )
        pins = {"clk_i": [2], "a": [5], "same": [6], "one": [7], "x": [8], "y": [9]}
        again = {"clk_i": [2], "a": [9], "same": [10], "one": [], "x": [11], "y": []}
        ports = {"a": ("input", [5]), "z": ("output", [6, 7, 8, 9, 10, 11])}
        top = module(ports, {"p": ("part", pins), "q": ("part", again)})
        s = simulation({"top": top, "part": part})
        s.set("a", [0, 1] * 32)
        s.evaluate()
        self.assertEqual(s.get("z")[:2], [0b011110, 0b100011])

    def test_refusals(self):
        def refused(ports, cells, message):
            with self.assertRaisesRegex(NetlistError, message):
                simulation({"top": module(ports, cells)})

        y = {"y": ("output", [5])}
        refused(y, {}, "1 wires are not driven")
        refused(y, {"n": ("$_NOT_", {"A": [6], "Y": [5]})}, "1 wires are not driven")
        twice = {k: ("$_BUF_", {"A": ["0"], "Y": [5]}) for k in "ab"}
        refused(y, twice, "1 wires are driven more than once")
        refused(y, {"n": ("$_NOT_", {"A": [5], "Y": [5]})}, "combinational loop")
        refused(y, {"n": ("NOCELL", {"A": [5]})}, "top, n: the module NOCELL is in no netlist")
        refused(y, {"n": ("$_NOT_", {"A": ["z"], "Y": [5]})}, "connected to 'z'")
        clocked = {"q": ("$_DFF_P_", {"C": [6], "D": ["0"], "Q": [5]})}
        refused(y | {"a": ("input", [6])}, clocked, "not clocked by clk_i")

    def test_values(self):
        s = simulation({"top": module({"a": ("input", [5]), "y": ("output", [5])}, {})})
        with self.assertRaisesRegex(ValueError, "more than 1 bits"):
            s.set("a", 2)
        with self.assertRaisesRegex(ValueError, "y is no input"):
            s.set("y", 0)
        with self.assertRaisesRegex(ValueError, "lanes = 65"):
            Simulation(Flattener({"top": module({}, {})}, {}).circuit("top"), 65)


class Reference(unittest.TestCase):
    def test_partial_rounds_of_the_rust_reference(self):
        segments = engine.read_reference()
        self.assertEqual({s.beats for s in segments}, {1, 2, 3, 4})
        self.assertEqual({s.mode.goldilocks for s in segments}, {0, 1})
        for segment in segments:
            for before, after in segment.states:
                found = engine.partial_rounds(segment, before)
                self.assertEqual(engine.residues(segment, found), after)

    def test_the_configuration_is_that_of_the_package(self):
        package = (ROOT / "rtl" / "pkg" / "acclmt_pkg.sv").read_text()
        struct = package[: package.index("} engine_config_t;")].rpartition("struct packed {")[2]
        names = re.findall(r"^ +(?!///)\S.* (\w+);$", struct, re.M)
        self.assertEqual(names, [name for name, _ in engine.CONFIG_FIELDS])


class Faults(unittest.TestCase):
    """Gates of real netlists, swapped."""

    @classmethod
    def setUpClass(cls):
        cls.netlists = Netlists("generic", FOLDER, say=lambda _: None)
        cls.blocks = gates.all_blocks()

    def design(self, name):
        block = self.blocks[name]
        return block, self.netlists.design(block.top, block.parameters)

    def test_simulation_finds_swapped_gates(self):
        generator = random.Random(SEED)
        # Some swaps in the upper bits of reduce_goldilocks change values that neither corners nor random
        # operands reach; the proofs find them.
        for name, number, least in (("mod_add", 20, 20), ("reduce_goldilocks", 20, 16)):
            block, cut = self.design(name)
            modules = self.netlists.modules(cut)
            gates.simulate(self.netlists, block, SEED, modules)
            found = 0
            for _ in range(number):
                try:
                    faulty = swapped(modules, generator, cut.top)
                    gates.simulate(self.netlists, block, SEED, faulty)
                except blocks.Mismatch:
                    found += 1
            with self.subTest(name, seed=SEED):
                self.assertGreaterEqual(found, least)

    def test_proofs_refute_swapped_gates(self):
        generator = random.Random(SEED)
        for name, number in (("fifo", 3), ("delay", 1)):
            _, cut = self.design(name)
            modules = self.netlists.modules(cut)
            for fault in range(number):
                faulty = swapped(modules, generator, cut.top)[cut.top]
                verdict = equivalence.check(self.netlists, cut, cut.top, 60, faulty)
                with self.subTest(name, fault=fault, seed=SEED):
                    self.assertIn(verdict.result, equivalence.DIFFERENT, verdict.reason)


class Equivalence(unittest.TestCase):
    def test_circuits_without_registers(self):
        def circuit(kind):
            bits = {"A": [10], "B": [11], "Y": [12]}
            ports = {pin: ("output" if pin == "Y" else "input", bits[pin]) for pin in bits}
            return Flattener({"top": module(ports, {"gate": (kind, bits)})}, {}).circuit("top")

        for other, result in (("$_AND_", equivalence.PROVEN), ("$_OR_", equivalence.REFUTED)):
            with self.subTest(other), tempfile.TemporaryDirectory() as folder:
                sides = circuit("$_AND_"), circuit(other)
                verdict = equivalence.compare(*sides, Path(folder), 60)
                self.assertEqual(verdict.result, result, verdict.reason)


class CommandLine(unittest.TestCase):
    def run_gates(self, *arguments, environment=None):
        return subprocess.run(
            [sys.executable, Path(__file__).parent / "gates.py", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )

    def test_errors(self):
        cases = [
            (("--blocks", "adder"), "there is no block adder; the blocks are: mod_add"),
            (("--library", "tsmc"), "LIB=tsmc is no library"),
            (("--library", "asap7"), "ASAP7_DIR is not set"),
        ]
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            for arguments, message in cases:
                done = self.run_gates(
                    *arguments, "--json", str(report), environment={"PATH": "/bin"}
                )
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn(message, done.stderr)
                self.assertFalse(report.exists())


if __name__ == "__main__":
    unittest.main()
