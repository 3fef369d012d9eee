# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Libraries of cells, as the files of ../libraries describe them."""

import gzip
import hashlib
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .errors import FlowError

FOLDER = Path(__file__).resolve().parent.parent / "libraries"
# Nanoseconds in a unit of Liberty.
TIME_UNITS = {"fs": 1e-6, "ps": 1e-3, "ns": 1.0}


@dataclass(frozen=True)
class Macro:
    """What stands for memories of a depth; `area_per_bit` is in um^2, or in GE without a library."""

    name: str
    depth: int
    area_per_bit: float


@dataclass(frozen=True)
class Cell:
    """What the flow needs to know of a cell of Liberty."""

    area: float
    flip_flop: bool
    # Pin -> capacitance in the unit of the library; None for outputs.
    pins: dict


class Library:
    """A library of cells, or the generic gates of Yosys if `liberty` is empty."""

    def __init__(self, path, folder=None):
        """Reads the description; the Liberty files are those of `folder`."""
        try:
            data = tomllib.loads(path.read_text())
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise FlowError(f"{path}: {error}") from error
        try:
            self.name = data["name"]
            self.description = data["description"]
            self.reference_gate = data["reference_gate"]
            self.memory = data["memory"]
            self.liberty_names = data.get("liberty", [])
            self.mapped = bool(self.liberty_names)
            self.macros = [
                Macro(m["name"], m["depth"], self._area_per_bit(m)) for m in data["memory"]["macro"]
            ]
            self.full_adder = data.get("full_adder")
            self.gates = {} if self.mapped else data["gates"]
            self.clock_ns = None
            self.digest = ""
            if self.mapped:
                self.dont_use = data["dont_use"]
                self.clock_ns = float(data["clock_ns"])
                self.driver = data["driver"]
                self.load = float(data["load"])
                self.tie_high = data["tie_high"]
                self.tie_low = data["tie_low"]
                self.folder_variable = data["folder_variable"]
                self.source = data["source"]
                self.load_per_drive = float(data["load_per_drive"])
                self.drive_pattern = data["drive_pattern"]
                self.liberty = self._find(folder)
        except KeyError as error:
            raise FlowError(f"{path}: {error} is missing") from error
        self.path = path

    def _area_per_bit(self, macro):
        if not self.mapped:
            return macro["ge_per_bit"]
        return macro["size_um"][0] * macro["size_um"][1] / (macro["depth"] * macro["width"])

    def _find(self, folder):
        """The Liberty files of the folder."""
        how = (
            f"Set {self.folder_variable} to the folder with {', '.join(self.liberty_names)} "
            f"(from {self.source}; compressed .gz will do): "
            f"make area LIB={self.name} {self.folder_variable}=FOLDER"
        )
        if not folder:
            raise FlowError(f"{self.folder_variable} is not set. {how}")
        found = []
        for name in self.liberty_names:
            candidates = [Path(folder) / name, Path(folder) / f"{name}.gz"]
            files = [path for path in candidates if path.is_file()]
            if not files:
                raise FlowError(
                    f"{candidates[0]} does not exist, and {candidates[1].name} neither. {how}"
                )
            found.append(files[0])
        return found

    def unpack(self, folder):
        """Writes the Liberty files to `folder`, not compressed, and reads them from there on."""
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for source in self.liberty:
            target = folder / source.name.removesuffix(".gz")
            try:
                data = source.read_bytes()
                if source.suffix == ".gz":
                    data = gzip.decompress(data)
            except (OSError, EOFError) as error:
                raise FlowError(f"{source}: {error}") from error
            if not target.is_file() or target.read_bytes() != data:
                partial = target.with_suffix(".partial")
                partial.write_bytes(data)
                partial.rename(target)
            files.append(target.resolve())
        self.liberty = files
        self.read()

    def read(self):
        """Reads the cells of the Liberty files."""
        self.files = self.liberty
        self.cells = {}
        digest = hashlib.sha256()
        for source in self.files:
            text = source.read_text()
            digest.update(text.encode())
            self._read_cells(source, text)
        self.digest = digest.hexdigest()
        for cell in [self.reference_gate, self.driver, self.tie_high[0], self.tie_low[0]]:
            if cell not in self.cells:
                raise FlowError(f"{cell} of {self.path} is in none of the Liberty files")
        self.reference_area = self.cells[self.reference_gate].area

    def _read_cells(self, source, text):
        unit = re.search(r'time_unit\s*:\s*"?1([a-z]+)"?', text)
        if not unit or unit[1] not in TIME_UNITS:
            raise FlowError(f"{source}: no time_unit of 1fs, 1ps or 1ns")
        self.time_unit_ns = TIME_UNITS[unit[1]]
        unit = re.search(r'capacitive_load_unit\s*\(\s*"?1(?:\.0*)?"?\s*,\s*"?([fp]f)"?\s*\)', text)
        if not unit:
            raise FlowError(f"{source}: no capacitive_load_unit of 1 ff or 1 pf")
        self.capacitance_unit = unit[1]
        starts = list(re.finditer(r'^\s*cell\s*\(\s*"?(\w+)"?\s*\)', text, re.MULTILINE))
        if not starts:
            raise FlowError(f"{source}: no cell")
        for start, end in zip(starts, [*starts[1:], None]):
            body = text[start.end() : end.start() if end else len(text)]
            area = re.search(r"^\s*area\s*:\s*([0-9.eE+-]+)", body, re.MULTILINE)
            if area:
                flip_flop = re.search(r"^\s*ff\s*\(", body, re.MULTILINE) is not None
                self.cells[start[1]] = Cell(float(area[1]), flip_flop, read_pins(body))

    def macro(self, depth):
        """The macro that stands for memories of this depth."""
        return next((m for m in self.macros if m.depth >= depth), self.macros[-1])


def read_pins(body):
    """Capacitance of each input of a cell, None of each output."""
    pins = {}
    starts = list(re.finditer(r'^\s*pin\s*\(\s*"?(\w+)"?\s*\)', body, re.MULTILINE))
    for start, end in zip(starts, [*starts[1:], None]):
        text = body[start.end() : end.start() if end else len(body)]
        output = re.search(r'direction\s*:\s*"?(output|internal)', text)
        capacitance = re.search(r"^\s*capacitance\s*:\s*([0-9.eE+-]+)", text, re.MULTILINE)
        pins[start[1]] = None if output else float(capacitance[1]) if capacitance else 0.0
    return pins


def load(name, environment=os.environ):
    """The library of this name."""
    path = FOLDER / f"{name}.toml"
    if not path.is_file():
        names = ", ".join(sorted(path.stem for path in FOLDER.glob("*.toml")))
        raise FlowError(f"LIB={name} is no library; the libraries are: {names}")
    variable = tomllib.loads(path.read_text()).get("folder_variable")
    return Library(path, environment.get(variable) if variable else None)
