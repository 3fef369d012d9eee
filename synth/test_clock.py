#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Tests of the stated clocks."""

import unittest

import clock


def layout(library, top, needs_ps, before_ns, asked_ps=None):
    asked = asked_ps or needs_ps
    return {
        "layout": {"library": library, "top": top, "shortest_period_ps": needs_ps, "period_ps": asked},
        "before": {"worst_path_ns": before_ns},
    }


def module(path, *units):
    return {"worst_path_ns": path, "units": dict.fromkeys(units, 1)}


LAYOUTS = {"a": layout("one", "mul", 1500, 1.2), "b": layout("one", "add", 600, 0.4), "c": layout("one", "x", 900, None)}
AREA = {
    "top": {"module": "chip"},
    "modules": {
        "chip": module(0.5, "mul", "check"),
        "check": module(1.0, "add"),
        "mul": module(1.2),
        "add": module(0.4),
        # Not in the chip.
        "other": module(9.0),
    },
}


class Clocks(unittest.TestCase):
    def test_paths_without_a_layout_grow_as_the_worst_of_those_with_one(self):
        ratio, module = clock.growth(LAYOUTS, "one")
        self.assertAlmostEqual(ratio, 1.5)
        self.assertEqual(module, "add")
        row = clock.stated("one", {"mhz": 500}, LAYOUTS, AREA)
        self.assertEqual(
            row,
            ["one", "500", "2.000", "`mul`", "1.500", "33 %", "`check`", "1.000", "1.50 (`add`)", "1.500", "33 %"],
        )

    def test_a_layout_that_was_not_pressed_does_not_count_as_growth(self):
        for asked, ratio in ((1000, 2.5), (1111, 2.5), (1112, 1.5)):
            with self.subTest(asked):
                layouts = {**LAYOUTS, "d": layout("one", "shift", 1000, 0.4, asked)}
                self.assertAlmostEqual(clock.growth(layouts, "one")[0], ratio)
        with self.assertRaisesRegex(clock.ClockError, "no layout of one that uses its period"):
            clock.growth({"d": layout("one", "shift", 1000, 0.4, 2000)}, "one")

    def test_a_library_without_layouts_takes_those_of_another(self):
        row = clock.stated("two", {"mhz": 100, "grows_as": "one"}, LAYOUTS, AREA)
        self.assertEqual(row[3:6], ["-", "-", "-"])
        # Now the multiplier, too, is without one.
        self.assertEqual(row[6:8], ["`mul`", "1.200"])
        with self.assertRaisesRegex(clock.ClockError, "no layout of two"):
            clock.stated("two", {"mhz": 100}, LAYOUTS, AREA)

    def test_clocks_that_are_too_fast_are_refused(self):
        slow = {**LAYOUTS, "a": layout("one", "mul", 1700, 1.2)}
        with self.assertRaisesRegex(clock.ClockError, "mul needs 1.700 ns"):
            clock.stated("one", {"mhz": 600}, slow, AREA)
        slow = {**AREA, "modules": {**AREA["modules"], "check": module(1.2, "add")}}
        with self.assertRaisesRegex(clock.ClockError, "check needs 1.800 ns"):
            clock.stated("one", {"mhz": 600}, LAYOUTS, slow)

    def test_a_top_that_was_not_measured_is_told(self):
        with self.assertRaisesRegex(clock.ClockError, "no chip"):
            clock.below({}, "chip")

    def test_the_clocks_of_the_book_hold(self):
        text = clock.PAGE.read_text()
        before, after = text.index(clock.BEGIN), text.index(clock.END)
        self.assertIn("| asap7 | 400 | 2.500 |", text[before:after])


if __name__ == "__main__":
    unittest.main()
