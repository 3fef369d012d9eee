# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""What the tests of every top share: scripts of runs, the register map, and a host of the registers.

The register map comes from rtl/registers/acclmt.svd, which other tools read; the bits of single registers
stand here as docs/registers.md and docs/buses.md have them.
"""

import itertools
import logging
import os
import random
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, with_timeout
from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp

ROOT = Path(__file__).resolve().parent.parent.parent
SEED = int(os.environ["ACCLMT_SEED"])
# Whether what takes long is tested: what goes wrong, which the tests of the chip with DMA in Rust have as well.
LONG = bool(os.environ.get("ACCLMT_LONG"))
PERIOD_NS = 2
WORD_BYTES = 32

ID, CONTROL, STATUS, ERROR, ERROR_INFO = 0x000, 0x040, 0x044, 0x048, 0x04C
INTERRUPT_STATUS, INTERRUPT_ENABLE = 0x094, 0x098
START, CLEAR = 1 << 0, 1 << 1
BUSY, DONE, FAILED = 1 << 0, 1 << 1, 1 << 2

STREAM_STATE, STREAM_CONTROL, STREAM_EVENTS, STREAM_ENABLE = 0x804, 0x808, 0x80C, 0x810
INPUT_OPEN, DISCARDING, OUTPUT_OPEN = 1, 2, 4
DISCARD = 1
EARLY_LAST, LATE_LAST, PARTIAL_WORD = 1, 2, 4

# The first register of a chip with DMA, and others.
DMA_VERSION, DMA_CONTROL, DMA_STATUS = 0x900, 0x908, 0x90C
DMA_RING_BASE, DMA_RING_SIZE, DMA_TAIL, DMA_HEAD = 0x910, 0x918, 0x91C, 0x920
DMA_EVENTS, DMA_ENABLE, DMA_ERROR, DMA_ERROR_INFO = 0x924, 0x928, 0x92C, 0x930
ENABLE, RESUME = 1, 3
STOPPED = 2
DMA_DONE, DMA_STOPPED, DMA_REFUSED = 1, 2, 4

# The scalar field of BLS12-381, that of the scripts.
PRIME = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001


def generator(salt):
    """Random numbers of a test of their own."""
    return random.Random(f"{SEED} {salt}")


def pauses(numbers, share):
    """Whether a channel pauses, cycle by cycle."""
    return (numbers.random() < share for _ in itertools.count())


@dataclass
class Script:
    """The register writes, input words and output words of a run."""

    writes: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)

    @classmethod
    def load(cls, path):
        """Reads a file such as docs/examples/first-hash.txt."""
        script = cls()
        for number, line in enumerate(Path(path).read_text(encoding="utf-8").splitlines(), start=1):
            command, first, second = line.split()
            first, second = int(first, 16), int(second, 16)
            if command == "write":
                script.writes.append((first, second))
            elif command == "in":
                script.inputs.append(second)
            elif command == "out":
                script.outputs.append((first, second))
            else:
                raise ValueError(f"{path}:{number}: unknown command '{command}'")
        if not (script.writes and script.inputs and script.outputs):
            raise ValueError(f"{path}: it has no run")
        return script

    def input_bytes(self):
        """The input as it stands in memory or on the stream."""
        return b"".join(word.to_bytes(WORD_BYTES, "little") for word in self.inputs)


FIRST_HASH = Script.load(ROOT / "docs" / "examples" / "first-hash.txt")


@dataclass
class Register:
    """A register of the map."""

    name: str
    address: int
    access: str
    # What it reads after a reset; nothing where that depends on how the chip is built.
    reset: int | None


def registers():
    """The register map: every register of the SVD file, arrays as their elements."""
    tree = ElementTree.parse(ROOT / "rtl" / "registers" / "acclmt.svd").getroot()
    found = []
    for entry in tree.iter("register"):
        known = int(entry.findtext("resetMask", "0xFFFFFFFF"), 16) != 0
        reset = int(entry.findtext("resetValue", "0"), 16) if known else None
        address, access = int(entry.findtext("addressOffset"), 16), entry.findtext("access")
        for index in range(int(entry.findtext("dim", "1"), 0)):
            step = int(entry.findtext("dimIncrement", "0"), 16)
            found.append(Register(entry.findtext("name"), address + index * step, access, reset))
    return found


# Levels of the default chip.
MAX_HEIGHT = 32
LEVEL_TABLE = 0x400


def is_there(register):
    """Whether the default chip has the register: no run-time modulus, two hash engines, MAX_HEIGHT levels of nodes."""
    if register.name.startswith("RADIX_SQUARED") or re.match("ENGINE[2-7]_", register.name):
        return False
    return not (register.name.startswith("LEVEL_TABLE") and register.address > LEVEL_TABLE + 4 * MAX_HEIGHT)


class Registers:
    """A host of the registers, over cocotbext-axi's master of AXI4-Lite."""

    def __init__(self, dut):
        self.dut = dut
        bus = AxiLiteBus.from_prefix(dut, "s_axil")
        self.master = AxiLiteMaster(bus, dut.aclk, dut.aresetn, reset_active_level=False)

    def pause(self, numbers):
        """From now on every channel pauses at random, each as often as it pleases."""
        channels = (
            self.master.write_if.aw_channel,
            self.master.write_if.w_channel,
            self.master.write_if.b_channel,
            self.master.read_if.ar_channel,
            self.master.read_if.r_channel,
        )
        for channel in channels:
            channel.set_pause_generator(pauses(numbers, numbers.choice((0, 0.1, 0.5))))

    async def try_write(self, address, value):
        """Writes a register; returns whether it was not refused."""
        answer = await self.master.write(address, value.to_bytes(4, "little"))
        return answer.resp == AxiResp.OKAY

    async def write(self, address, value):
        """Writes a register that must take it."""
        assert await self.try_write(address, value), f"write {address:#x} {value:#x} is refused"

    async def try_read(self, address):
        """Reads a register; nothing where it is refused."""
        answer = await self.master.read(address, 4)
        if answer.resp != AxiResp.OKAY:
            assert answer.data == bytes(4), f"a refused read of {address:#x} has data"
            return None
        return int.from_bytes(answer.data, "little")

    async def read(self, address):
        """Reads a register that must give it."""
        value = await self.try_read(address)
        assert value is not None, f"read {address:#x} is refused"
        return value

    async def wait_for(self, address, mask, value):
        """Reads until the bits of `mask` are those of `value`."""
        for _ in range(1000):
            if await self.read(address) & mask == value:
                return
            await ClockCycles(self.dut.aclk, 20)
        raise AssertionError(f"register {address:#x} stays {await self.read(address):#x}")

    async def configure(self, script):
        """Everything but the start."""
        assert script.writes[-1] == (CONTROL, START)
        for address, value in script.writes[:-1]:
            await self.write(address, value)


def start_clock(dut):
    """The clock of a test; it ends with the test."""
    # A line for every access is too much.
    logging.getLogger(f"cocotb.{dut._name}").setLevel(logging.WARNING)
    Clock(dut.aclk, PERIOD_NS, "ns").start()


async def reset(dut):
    """Resets the chip and every bus."""
    dut.aresetn.value = 0
    await ClockCycles(dut.aclk, 5)
    dut.aresetn.value = 1
    await ClockCycles(dut.aclk, 2)


async def within(awaitable, cycles=100_000):
    """A run that hangs fails."""
    return await with_timeout(awaitable, cycles * PERIOD_NS, "ns")


async def interrupt(dut):
    """Waits for the interrupt."""
    while not dut.irq.value:
        await RisingEdge(dut.irq)
