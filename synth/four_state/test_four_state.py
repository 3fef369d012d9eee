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
    def errors_with(self, faults):
        """What is wrong where each module of `faults` has its second text in place of its first."""
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            sources = []
            for path in elaborate.read_file_list(elaborate.FILE_LIST):
                if path.stem in faults:
                    original, fault = faults[path.stem]
                    text = path.read_text()
                    self.assertEqual(text.count(original), 1, f"{original} in {path}")
                    path = folder / path.name
                    path.write_text(text.replace(original, fault))
                sources.append(path)
            return four_state.simulate(sources, folder, SEED)[0]

    def test_memories_that_are_always_enabled_or_without_the_configuration(self):
        # In one simulation, which takes more than a minute.
        wrong = self.errors_with(
            {
                "acclmt_partial_round_engine": (
                    ".read_enable_i((bank == BankConstant) ? constant_is_next : issue_q)",
                    ".read_enable_i(!idle_o)",
                ),
                "acclmt_node_fetch": (".memory_config_i,", ".memory_config_i('0),"),
                "acclmt_digest_reader": (".memory_config_i,", ".memory_config_i(),"),
            }
        )
        self.assertTrue(any("u_partial.gen_bank" in line for line in wrong), wrong[:5])
        unconfigured = {line.split(":")[1].strip() for line in wrong if "configuration" in line}
        # Those of the fetch of nodes, and of the digest readers of both hash engines.
        self.assertEqual(len(unconfigured), 3, unconfigured)
        for name, count in (("u_tree", 1), ("u_reader", 2)):
            self.assertEqual(sum(name in memory for memory in unconfigured), count, unconfigured)


if __name__ == "__main__":
    unittest.main()
