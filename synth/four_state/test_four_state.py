#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests that four_state.py finds what it is there for, in copies of the sources with a planted fault."""

import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]

import elaborate
import four_state

SEED = 2


class FourState(unittest.TestCase):
    def errors_with(self, name, original, fault):
        """What is wrong where the module `name` has `fault` in place of `original`."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            sources = []
            for path in elaborate.read_file_list(elaborate.FILE_LIST):
                if path.stem == name:
                    text = path.read_text()
                    self.assertEqual(text.count(original), 1, f"{original} in {path}")
                    path = folder / path.name
                    path.write_text(text.replace(original, fault))
                sources.append(path)
            return four_state.simulate(sources, folder, SEED)[0]

    def test_a_memory_that_is_always_enabled(self):
        wrong = self.errors_with(
            "acclmt_partial_round_engine",
            ".read_enable_i((bank == BankConstant) ? constant_is_next : matrix_is_next)",
            ".read_enable_i(!idle_o)",
        )
        self.assertTrue(any("u_partial.gen_bank" in line for line in wrong), wrong[:5])


if __name__ == "__main__":
    unittest.main()
