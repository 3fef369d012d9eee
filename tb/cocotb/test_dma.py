# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""acclmt_axi_dma as the bus master and the memory of cocotbext-axi see it.

Descriptors, records and codes of errors stand here as docs/dma.md has them.
"""

import struct
from dataclasses import dataclass, replace

import cocotb
import host
from cocotb.triggers import ClockCycles, Timer
from cocotbext.axi import AxiBus, AxiSlave

INTERRUPT, TAGGED = 1, 2
DESCRIPTOR_BYTES, RECORD_BYTES, WORD_BYTES = 64, 32, 32
RECORD_ADDRESS, RESERVED, INPUT_ADDRESS, INPUT_WORDS, OUTPUT_ADDRESS, OUTPUT_LIMIT = range(2, 8)
DESCRIPTOR_READ, INPUT_READ, INPUT_TOO_SHORT, INPUT_TOO_LONG, OUTPUT_TOO_SMALL = 1, 8, 9, 10, 11
OUTPUT_WRITE, RECORD_WRITE, START_REFUSED, RUN_VOID = 12, 13, 14, 15
# Anywhere but at address 0.
BASE, SIZE = 0x7_6543_2000, 1 << 14
RING_SIZE = 1
# Where docs/examples/first-hash-dma.txt has its memory.
GUIDE_BASE = 0x8000_0000


class Absent(Exception):
    """The memory has nothing there: an error of the bus."""


class Memory:
    """Memory that answers when it likes, with places that refuse."""

    def __init__(self, numbers):
        self.numbers = numbers
        self.base = BASE
        self.bytes = bytearray(numbers.randbytes(SIZE))
        self.absent = []
        self.wait = 0

    def place(self, address, length):
        offset = address - self.base
        if not 0 <= offset <= SIZE - length:
            raise Absent(hex(address))
        if any(start < address + length and address < end for start, end in self.absent):
            raise Absent(hex(address))
        return offset

    async def pause(self):
        if self.wait and self.numbers.random() < 0.3:
            await Timer(host.PERIOD_NS * self.numbers.randrange(1, self.wait), "ns")

    async def read(self, address, length, **_):
        """What the memory holds."""
        await self.pause()
        offset = self.place(address, length)
        return bytes(self.bytes[offset : offset + length])

    async def write(self, address, data, **_):
        """Stores bytes."""
        await self.pause()
        offset = self.place(address, len(data))
        self.bytes[offset : offset + len(data)] = data


@dataclass
class Job:
    """A descriptor."""

    flags: int
    tag: int
    inputs: int
    input_words: int
    outputs: int
    output_limit: int
    record: int

    def bytes(self):
        """As it stands in the ring."""
        return struct.pack(
            "<IIQQQQQ16x",
            self.flags,
            self.tag,
            self.inputs,
            self.input_words,
            self.outputs,
            self.output_limit,
            self.record,
        )


class Chip(host.Registers):
    """The registers and the memory."""

    def __init__(self, dut, numbers):
        super().__init__(dut)
        self.numbers = numbers
        self.memory = Memory(numbers)
        bus = AxiBus.from_prefix(dut, "m_axi")
        self.slave = AxiSlave(bus, dut.aclk, dut.aresetn, target=self.memory, reset_active_level=False)
        self.ring = BASE + 0x400
        self.given = 0

    def pause(self, numbers):
        super().pause(numbers)
        channels = (
            self.slave.write_if.aw_channel,
            self.slave.write_if.w_channel,
            self.slave.write_if.b_channel,
            self.slave.read_if.ar_channel,
            self.slave.read_if.r_channel,
        )
        for channel in channels:
            channel.set_pause_generator(host.pauses(numbers, numbers.choice((0, 0.1, 0.5, 0.9))))
        self.memory.wait = numbers.choice((0, 3, 60))

    def store(self, address, data):
        self.memory.bytes[address - BASE : address - BASE + len(data)] = data

    def load(self, address, length):
        return bytes(self.memory.bytes[address - BASE : address - BASE + length])

    def job(self):
        """The run of the script at places that change."""
        step = 0x200 * self.numbers.randrange(4)
        job = Job(
            flags=self.numbers.choice((0, TAGGED)) | INTERRUPT,
            tag=self.numbers.randrange(1 << 32),
            inputs=BASE + 0x1000 + step + 32 * self.numbers.randrange(8),
            input_words=len(host.FIRST_HASH.inputs),
            outputs=BASE + 0x2000 + step,
            output_limit=len(host.FIRST_HASH.outputs),
            record=BASE + 0x3000 + step,
        )
        self.store(job.inputs, host.FIRST_HASH.input_bytes())
        self.store(job.record, bytes(RECORD_BYTES))
        return job

    async def enable(self):
        """A ring of two descriptors."""
        self.given = 0
        await self.write(host.DMA_RING_BASE, self.ring & 0xFFFFFFFF)
        await self.write(host.DMA_RING_BASE + 4, self.ring >> 32)
        await self.write(host.DMA_RING_SIZE, RING_SIZE)
        await self.write(host.DMA_ENABLE, host.DMA_DONE | host.DMA_STOPPED)
        await self.write(host.DMA_CONTROL, host.ENABLE)

    async def give(self, job):
        """Puts a descriptor into the ring."""
        self.store(self.ring + DESCRIPTOR_BYTES * (self.given % (1 << RING_SIZE)), job.bytes())
        self.given += 1
        await self.write(host.DMA_TAIL, self.given)

    async def end(self):
        """Waits for the interrupt; returns the events."""
        await host.within(host.interrupt(self.dut), 1_000_000)
        events = await self.read(host.DMA_EVENTS)
        await self.write(host.DMA_EVENTS, events)
        return events

    def record(self, job):
        """Code, error of the core, tag, words, cycles, information of the core, number."""
        code, core, flags, tag, words, cycles, info, number = struct.unpack("<BBHIQQII", self.load(job.record, 32))
        assert flags == 0x8000, hex(flags)
        assert tag == job.tag
        return code, core, words, cycles, info, number

    async def commit(self, job=None):
        """A run that must give the root of the script."""
        job = job or self.job()
        number = self.given
        before = bytes(self.memory.bytes)
        await self.give(job)
        assert await self.end() == host.DMA_DONE
        assert await self.read(host.DMA_HEAD) == self.given
        code, core, words, cycles, info, ended = self.record(job)
        assert (code, core, info, ended) == (0, 0, 0, number) and cycles > 0
        assert words == len(host.FIRST_HASH.outputs)
        stride = 64 if job.flags & TAGGED else 32
        expected = b""
        for level, value in host.FIRST_HASH.outputs:
            expected += value.to_bytes(32, "little")
            if job.flags & TAGGED:
                expected += (level << 40).to_bytes(32, "little")
        assert len(expected) == stride * words
        assert self.load(job.outputs, len(expected)) == expected
        # Nothing else was written, but the descriptor by the host.
        after = bytearray(self.memory.bytes)
        places = (
            (job.outputs, len(expected)),
            (job.record, RECORD_BYTES),
            (self.ring, DESCRIPTOR_BYTES << RING_SIZE),
        )
        for address, length in places:
            after[address - BASE : address - BASE + length] = before[address - BASE : address - BASE + length]
        assert bytes(after) == before

    async def fail(self, job, code):
        """A descriptor that an error ends."""
        number = self.given
        await self.give(job)
        assert await self.end() & host.DMA_STOPPED
        assert await self.read(host.DMA_STATUS) == host.STOPPED
        assert await self.read(host.DMA_ERROR) == code
        assert await self.read(host.DMA_HEAD) == number + 1
        core, info = 0, 0
        if code not in (DESCRIPTOR_READ, RECORD_ADDRESS, RECORD_WRITE):
            found, core, _, _, info, ended = self.record(job)
            assert (found, ended) == (code, number)
        self.memory.absent.clear()
        await self.write(host.DMA_CONTROL, host.RESUME)
        await self.commit()
        return core, info


async def start(dut, salt):
    """A configured chip whose ring is used, with pauses from now on, and the numbers of the test."""
    numbers = host.generator(salt)
    chip = Chip(dut, numbers)
    host.start_clock(dut)
    await host.reset(dut)
    await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
    chip.pause(numbers)
    await chip.enable()
    return chip, numbers


@cocotb.test()
async def every_register(dut):
    """Every register of the map reads what it should after a reset."""
    chip = Chip(dut, host.generator("dma registers"))
    host.start_clock(dut)
    await host.reset(dut)
    registers = host.registers()
    assert max(register.address for register in registers) == host.DMA_ERROR_INFO
    for register in registers:
        value = await chip.try_read(register.address)
        if not host.is_there(register):
            assert value is None, (register, value)
        elif register.access == "write-only":
            assert value == 0, (register, value)
        elif register.reset is not None:
            assert value == register.reset, (register, value)
        else:
            assert value is not None, register


@cocotb.test()
async def commitments(dut):
    """Whole commitments with random pauses, one after the other and two at once."""
    chip, numbers = await start(dut, "dma commitments")
    for _ in range(4):
        chip.pause(numbers)
        await chip.commit()
    first = replace(chip.job(), flags=INTERRUPT)
    second = replace(first, flags=0, tag=first.tag ^ 1, outputs=BASE + 0x2900, record=BASE + 0x3900)
    chip.store(second.record, bytes(RECORD_BYTES))
    await chip.give(first)
    await chip.give(second)
    assert await chip.end() == host.DMA_DONE
    await chip.wait_for(host.DMA_STATUS, host.BUSY, 0)
    for number, job in enumerate((first, second)):
        assert chip.record(job)[0] == 0 and chip.record(job)[-1] == chip.given - 2 + number
        root = host.FIRST_HASH.outputs[0][1].to_bytes(32, "little")
        assert chip.load(job.outputs, 32) == root


@cocotb.test()
async def first_hash_of_the_guide(dut):
    """Every line of first-hash-dma.txt, by a host that knows nothing of descriptors."""
    chip = Chip(dut, host.generator("dma guide"))
    memory = chip.memory
    memory.base = GUIDE_BASE
    host.start_clock(dut)
    await host.reset(dut)
    await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
    done = 0
    for line in (host.ROOT / "docs" / "examples" / "first-hash-dma.txt").read_text(encoding="utf-8").splitlines():
        code = line.partition("#")[0].split()
        if not code:
            continue
        command, address, digits = code[0], int(code[1], 16), code[2]
        value = int(digits, 16)
        if command == "write":
            await chip.write(address, value)
        elif command == "wait":
            await chip.wait_for(address, 0xFFFFFFFF, value)
        elif command == "memory":
            data = value.to_bytes(len(digits) // 2, "little")
            place = memory.place(address, len(data))
            memory.bytes[place : place + len(data)] = data
        elif command == "expect":
            data = value.to_bytes(len(digits) // 2, "little")
            place = memory.place(address, len(data))
            assert bytes(memory.bytes[place : place + len(data)]) == data, line
        else:
            raise ValueError(f"unknown command '{command}'")
        done += 1
    assert done > 0
    root = memory.place(GUIDE_BASE + 0x180, WORD_BYTES)
    assert int.from_bytes(memory.bytes[root : root + WORD_BYTES], "little") == host.FIRST_HASH.outputs[0][1]


@cocotb.test(skip=not host.LONG)
async def wrong_descriptors(dut):
    """Each ends with its code, and nothing but its record is written."""
    chip, numbers = await start(dut, "dma descriptors")
    job = replace(chip.job(), flags=0)
    wrong = (
        (RECORD_ADDRESS, replace(job, record=job.record + 8)),
        (RESERVED, replace(job, flags=1 << numbers.randrange(2, 32))),
        (INPUT_ADDRESS, replace(job, inputs=job.inputs + numbers.randrange(1, 32))),
        (INPUT_WORDS, replace(job, input_words=0)),
        (INPUT_WORDS, replace(job, inputs=2**64 - 32, input_words=2)),
        (OUTPUT_ADDRESS, replace(job, flags=TAGGED, outputs=job.outputs + 32)),
        (OUTPUT_LIMIT, replace(job, output_limit=0)),
        (OUTPUT_LIMIT, replace(job, outputs=2**64 - 32, output_limit=2)),
    )
    for code, descriptor in wrong:
        await chip.fail(descriptor, code)


@cocotb.test(skip=not host.LONG)
async def error_responses(dut):
    """SLVERR of the memory ends the descriptor with a code, and leaves the chip usable."""
    chip, _ = await start(dut, "dma errors")
    for code in (DESCRIPTOR_READ, INPUT_READ, OUTPUT_WRITE, RECORD_WRITE):
        job = chip.job()
        place = {
            DESCRIPTOR_READ: chip.ring + DESCRIPTOR_BYTES * (chip.given % 2) + 32,
            INPUT_READ: job.inputs + 32 * (job.input_words - 1),
            OUTPUT_WRITE: job.outputs,
            RECORD_WRITE: job.record,
        }[code]
        chip.memory.absent.append((place, place + 32))
        await chip.fail(job, code)


@cocotb.test(skip=not host.LONG)
async def runs_that_go_wrong(dut):
    """Wrong lengths, an element above the prime, a configuration that is illegal."""
    chip, numbers = await start(dut, "dma runs")
    job = chip.job()
    await chip.fail(replace(job, input_words=job.input_words - 1), INPUT_TOO_SHORT)
    job = chip.job()
    await chip.fail(replace(job, input_words=job.input_words + numbers.randrange(1, 20)), INPUT_TOO_LONG)
    job = chip.job()
    word = numbers.randrange(job.input_words)
    element = host.PRIME + numbers.randrange(2**254)
    chip.store(job.inputs + 32 * word, element.to_bytes(32, "little"))
    _, info = await chip.fail(job, RUN_VOID)
    assert info == word


@cocotb.test()
async def refused_accesses(dut):
    """While descriptors are under way the configuration stays, and a start is never the host's."""
    chip, _ = await start(dut, "dma accesses")
    assert not await chip.try_write(host.CONTROL, host.START)
    await chip.give(chip.job())
    for address, value in ((0x058, 4), (host.STREAM_CONTROL, 1), (host.DMA_RING_BASE, 0), (host.DMA_TAIL, 9)):
        assert not await chip.try_write(address, value)
    assert await chip.end() == host.DMA_DONE | host.DMA_REFUSED
    await chip.commit()


@cocotb.test(skip=not host.LONG)
async def ends_in_mid_run(dut):
    """A clear, a ring that is disabled, a reset: nothing is written after that, and the next run is good."""
    chip, numbers = await start(dut, "dma ends")
    for how in ("clear", "disable", "reset"):
        chip.pause(numbers)
        await chip.give(chip.job())
        await ClockCycles(dut.aclk, numbers.randrange(4000))
        if how == "reset":
            await host.reset(dut)
            await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
        else:
            await (chip.write(host.CONTROL, host.CLEAR) if how == "clear" else chip.write(host.DMA_CONTROL, 0))
            await chip.wait_for(host.DMA_STATUS, host.BUSY, 0)
        before = bytes(chip.memory.bytes)
        await ClockCycles(dut.aclk, 500)
        assert bytes(chip.memory.bytes) == before
        await chip.write(host.DMA_EVENTS, await chip.read(host.DMA_EVENTS))
        await chip.enable()
        await chip.commit()
