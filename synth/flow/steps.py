# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Steps between Yosys commands, each a line `name JSON`."""

import json
from pathlib import Path

from . import polarity, sizing
from .library import Library


def split(techmap, listing, yosys):
    """Splits full adders by `techmap` until none is left to split; their names go to the file `listing`."""
    left = None
    while True:
        yosys("opt -fast -nodffe -nosdff")
        yosys(f"select -write {listing} t:{polarity.PLAIN}")
        before, left = left, len(Path(listing).read_text().splitlines())
        if left == before:
            return
        yosys(f"techmap -map {techmap}")


def run(line, yosys):
    """Runs the step that the line describes; `yosys` runs a command on the design."""
    name, _, text = line.partition(" ")
    arguments = json.loads(text)
    if name == "polarity":
        polarity.apply(*arguments)
    elif name == "split":
        split(*arguments, yosys)
    elif name == "sizing":
        path = Path(arguments["library"])
        folder = Path(arguments["folder"])
        library = Library(path, folder)
        library.read()
        sizing.apply(*arguments["files"], library, arguments["top"])
    else:
        raise ValueError(f"no step '{name}'")
