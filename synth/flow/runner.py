# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Synthesises and times the units of designs, each once, and keeps the results."""

import dataclasses
import hashlib
import json
import shutil
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path

from . import synthesis
from . import timing as sta
from .errors import FlowError

# Files of this folder that decide what the netlist of a unit is, and what its timing is.
SYNTHESIS_CODE = ("synthesis.py", "square.v", "polarity.py", "sizing.py", "steps.py")
TIMING_CODE = ("timing.py", "exceptions.toml")


@dataclass
class Result:
    """What was found out about a unit, without the units and memories below it."""

    name: str
    # Cells of the library, by type.
    cells: dict
    area_um2: float | None
    ge: float
    flip_flops: int
    timing: sta.Timing | None = None
    seconds: float = 0.0
    peak_mb: int = 0
    # Below: names -> instances.
    units: dict = field(default_factory=dict)
    memories: dict = field(default_factory=dict)


class Runner:
    """Runs the flow for one library; results stay in `folder`."""

    def __init__(self, library, memory_model, folder, versions, jobs, say=print):
        self.library = library
        self.memory_model = memory_model
        self.folder = folder
        self.jobs = jobs
        self.say = say
        basis = [
            hashlib.sha256(library.path.read_bytes()).hexdigest(),
            json.dumps(versions, sort_keys=True),
            library.digest,
        ]
        self.synthesis_basis = [*basis, *code_of(SYNTHESIS_CODE)]
        self.timing_basis = [*basis, *code_of(TIMING_CODE)]
        self.results = {}
        self.keys = {}
        self.timing_keys = {}

    def key(self, unit):
        """Digest of everything that the netlist of a unit depends on."""
        return digest_of([*self.synthesis_basis, unit.digest])

    def timing_key(self, unit):
        """Digest of everything that the timing of a unit depends on, the units below it too."""
        parts = [*self.timing_basis, self.keys[unit.name]]
        parts += [self.timing_keys[child] for child in sorted(unit.units)]
        parts += [self.memory_file(name).read_text() for name in sorted(unit.memories)]
        return digest_of(parts)

    def unit_folder(self, name):
        """Where the files of a unit are."""
        return self.folder / "units" / self.keys[name]

    def run(self, designs):
        """Synthesises every unit of the designs."""
        units = {}
        for design in designs:
            for unit in design.order():
                other = units.setdefault(unit.name, unit)
                if other.digest != unit.digest:
                    raise FlowError(f"{unit.name} stands for two units; this is an error of the flow")
            for name, ports in design.memory_ports.items():
                self._memory(name, ports)
        for name, unit in units.items():
            self.keys.setdefault(name, self.key(unit))
            if self.library.mapped:
                self.timing_keys.setdefault(name, self.timing_key(unit))
        waiting = [u for name, u in units.items() if name not in self.results]
        # The longest first.
        waiting.sort(key=lambda unit: -len(unit.text))
        number = len(waiting)
        running, done = {}, 0
        with ThreadPoolExecutor(self.jobs) as pool:
            while waiting or running:
                for unit in list(waiting):
                    # Timing needs the models of what is below.
                    ready = all(child in self.results for child in unit.units)
                    if (ready or not self.library.mapped) and len(running) < self.jobs:
                        waiting.remove(unit)
                        running[pool.submit(self._unit, unit)] = unit
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    unit = running.pop(future)
                    result, kept = future.result()
                    self.results[unit.name] = result
                    done += 1
                    self.say(f"[{done}/{number}] {describe(result, kept)}")

    def memory_file(self, name):
        """The timing model of a memory."""
        return self.folder / "memories" / f"{name}.lib"

    def _memory(self, name, ports):
        if self.library.mapped:
            file = self.memory_file(name)
            file.parent.mkdir(parents=True, exist_ok=True)
            self.memory_model.write_liberty(file, name, ports, self.library)

    def _unit(self, unit):
        """The result of a unit, and whether it was there already."""
        folder = self.unit_folder(unit.name)
        file = folder / "result.json"
        result = load(file)
        kept = result is not None
        if not kept:
            started = time.time()
            shutil.rmtree(folder, ignore_errors=True)
            cells, peak_mb = synthesis.synthesise(unit, self.library, folder)
            result = self._count(unit, cells)
            result.seconds = round(time.time() - started, 1)
            result.peak_mb = peak_mb
            keep(file, dataclasses.asdict(result))
        if self.library.mapped:
            key = self.timing_keys[unit.name]
            file = folder / "timing.json"
            result.timing = load_timing(file, key)
            if result.timing is None:
                kept = False
                models = [self.unit_folder(child) / "model.lib" for child in unit.units]
                models += [self.memory_file(name) for name in unit.memories]
                result.timing = sta.measure(unit, self.library, models, folder)
                keep(file, {"key": key, "timing": dataclasses.asdict(result.timing)})
        return result, kept

    def _count(self, unit, cells):
        """Adds the cells up; what is below must be all that the library does not have."""
        below = {**unit.units, **unit.memories}
        found = {name: count for name, count in cells.items() if name in below}
        if found != below:
            raise FlowError(f"{unit.name}: {found} is below it after synthesis, not {below}")
        own = {name: count for name, count in cells.items() if name not in below}
        if self.library.mapped:
            unknown = [name for name in own if name not in self.library.cells]
            if unknown:
                raise FlowError(f"{unit.name}: {', '.join(unknown)} is in no Liberty file")
            area = sum(self.library.cells[name].area * count for name, count in own.items())
            flip_flops = sum(n for name, n in own.items() if self.library.cells[name].flip_flop)
            ge = area / self.library.reference_area
        else:
            area = None
            unknown = [name for name in own if name not in self.library.gates]
            if unknown:
                raise FlowError(f"{unit.name}: {', '.join(unknown)} has no gate equivalents")
            ge = sum(self.library.gates[name] * count for name, count in own.items())
            flip_flops = sum(n for name, n in own.items() if "DFF" in name)
        return Result(
            unit.name, own, area, ge, flip_flops, units=unit.units, memories=unit.memories
        )


def digest_of(parts):
    """A digest of strings that names a folder."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def code_of(names):
    """Digests of files of this folder."""
    return [hashlib.sha256((Path(__file__).parent / n).read_bytes()).hexdigest() for n in names]


def keep(file, data):
    """Writes data as a whole."""
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(data, indent=1))
    partial.rename(file)


def load(file):
    """A result that was kept, without its timing; None if there is none."""
    return Result(**json.loads(file.read_text())) if file.is_file() else None


def load_timing(file, key):
    """A timing that was kept; None if there is none, or it is that of other units below."""
    if not file.is_file():
        return None
    data = json.loads(file.read_text())
    if data["key"] != key:
        return None
    timing = sta.Timing(**data["timing"])
    timing.paths = [sta.Path(**path) for path in timing.paths]
    return timing


def describe(result, kept):
    """A line about a result."""
    area = f"{result.area_um2:.0f} um^2, " if result.area_um2 is not None else ""
    worst = ""
    if result.timing and result.timing.worst_ns is not None:
        worst = f", {result.timing.worst_ns:.2f} ns"
    time_used = "kept" if kept else f"{result.seconds:.0f} s, {result.peak_mb} MB"
    return f"{result.name}: {area}{result.ge:.0f} GE{worst} ({time_used})"
