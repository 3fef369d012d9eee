# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area and timing that memories are counted with."""

from . import timing


class MemoryModel:
    """Bits times the area per bit of the macro that stands for memories of that depth."""

    def __init__(self, library):
        self.library = library

    def area_um2(self, width, depth):
        """Area in um^2; None without a library."""
        if not self.library.mapped:
            return None
        return width * depth * self.library.macro(depth).area_per_bit

    def ge(self, width, depth):
        """Area in gate equivalents."""
        area = width * depth * self.library.macro(depth).area_per_bit
        return area / self.library.reference_area if self.library.mapped else area

    def write_liberty(self, file, name, width, depth, library):
        """Writes the Liberty files of a memory with its assumed times."""
        address = max((depth - 1).bit_length(), 1)
        inputs = [
            ("write_enable_i", "input", 1),
            ("write_address_i", "input", address),
            ("write_data_i", "input", width),
            ("read_enable_i", "input", 1),
            ("read_address_i", "input", address),
        ]
        ports = [(timing.CLOCK, "input", 1), *inputs, ("read_data_o", "output", width)]
        assumed = timing.Timing(
            setup={port[0]: library.memory["setup_ns"] for port in inputs},
            delay={"read_data_o": [library.memory["clock_to_data_ns"]] * len(timing.LOADS)},
            hold={port[0]: library.memory["hold_ns"] for port in inputs},
            early_delay={"read_data_o": library.memory["clock_to_data_ns"]},
        )
        timing.write_models(file, name, ports, assumed, library)
