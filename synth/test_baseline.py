#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests the baseline multiplier, simulated by Verilator, against the integers of Python."""

import random
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import elaborate

BASELINE = Path(__file__).resolve().parent / "baseline"
RADIX = 2**256
PRIMES = {
    "BLS12-381": 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001,
    "Pallas": 0x40000000000000000000000000000000224698FC094CF91B992D30ED00000001,
    "BN254": 0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001,
}
SEED = 20240611


def vectors(prime, number, generator):
    """Lines of the testbench for a modulus: corner values, then random ones."""
    inverse = -pow(prime, -1, RADIX) % RADIX
    corners = [0, 1, 2, prime // 2, prime - 2, prime - 1]
    pairs = [(a, b) for a in corners for b in corners]
    pairs += [(generator.randrange(prime), generator.randrange(prime)) for _ in range(number)]
    for a, b in pairs:
        expected = a * b * pow(RADIX, -1, prime) % prime
        yield f"{prime:064x} {inverse:064x} {a:064x} {b:064x} {expected:064x}\n"


class Baseline(unittest.TestCase):
    def test_products_of_three_moduli(self):
        sources = [*elaborate.read_file_list(elaborate.FILE_LIST)]
        packages = ("latency_pkg", "tree_pkg", "pkg", "timing_pkg", "prime_pkg", "memory_pkg")
        needed = {f"acclmt_{name}" for name in (*packages, "mem_1r1w", "memory", "delay", "mul_leaf", "mul")}
        sources = [str(path) for path in sources if path.stem in needed]
        generator = random.Random(SEED)
        with tempfile.TemporaryDirectory() as folder:
            command = ["verilator", "--binary", "--assert", "-Wno-fatal", "--Mdir", folder]
            command += ["-CFLAGS", "-O0", "--top-module", "testbench", *sources]
            command += [str(BASELINE / "acclmt_baseline_montgomery.sv"), str(BASELINE / "testbench.sv")]
            built = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(built.returncode, 0, built.stdout + built.stderr)
            program = Path(folder) / "Vtestbench"

            def simulate(lines):
                # The modulus is static while products are inside, so each has a run of its own.
                file = Path(folder) / "vectors.txt"
                file.write_text("".join(lines))
                done = subprocess.run(
                    [program, f"+vectors={file}"], capture_output=True, text=True, check=False
                )
                found = re.search(r"compared (\d+), wrong (\d+)", done.stdout)
                self.assertTrue(found, done.stdout + done.stderr)
                return int(found[1]), int(found[2])

            for name, prime in PRIMES.items():
                with self.subTest(name, seed=SEED):
                    lines = list(vectors(prime, 500, generator))
                    self.assertEqual(simulate(lines), (len(lines), 0))
            # A wrong expectation is found.
            lines = list(vectors(PRIMES["Pallas"], 10, generator))
            lines[7] = lines[7][:-2] + ("0" if lines[7][-2] != "0" else "1") + "\n"
            self.assertEqual(simulate(lines), (len(lines), 1))


if __name__ == "__main__":
    unittest.main()
