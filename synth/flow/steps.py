# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Steps between Yosys commands, each a line `name JSON`."""

import json
from pathlib import Path

from . import polarity, sizing
from .library import Library


def run(line):
    """Runs the step that the line describes."""
    name, _, text = line.partition(" ")
    arguments = json.loads(text)
    if name == "polarity":
        polarity.apply(*arguments)
    elif name == "sizing":
        path = Path(arguments["library"])
        folder = Path(arguments["folder"])
        library = Library(path, folder)
        library.read()
        sizing.apply(*arguments["files"], library, arguments["top"])
    else:
        raise ValueError(f"no step '{name}'")
