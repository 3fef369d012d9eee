# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Area and timing that memories are counted with."""

from . import timing

# Quasi-static: nothing is timed that ends there.
CONFIGURATION = "memory_config_i"


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

    def write_liberty(self, file, name, ports, library):
        """Writes the Liberty files of a memory with these ports (name, direction, width) and its assumed
        times."""
        timed = [
            port
            for port, direction, _ in ports
            if direction == "input" and port not in (timing.CLOCK, CONFIGURATION)
        ]
        assumed = timing.Timing(
            setup={port: library.memory["setup_ns"] for port in timed},
            delay={"read_data_o": [library.memory["clock_to_data_ns"]] * len(timing.LOADS)},
            hold={port: library.memory["hold_ns"] for port in timed},
            early_delay={"read_data_o": library.memory["clock_to_data_ns"]},
        )
        timing.write_models(file, name, ports, assumed, library)
