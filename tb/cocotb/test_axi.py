# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""acclmt_axi as the bus masters of cocotbext-axi see it."""

import cocotb
import host
from cocotb.triggers import ClockCycles
from cocotbext.axi import AxiResp, AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

USER_ERROR, USER_ABORTED = 1 << 56, 1 << 57


class Chip(host.Registers):
    """The registers and both streams."""

    def __init__(self, dut):
        super().__init__(dut)
        ends = (dut.aclk, dut.aresetn)
        bus = AxiStreamBus.from_prefix(dut, "s_axis")
        self.source = AxiStreamSource(bus, *ends, reset_active_level=False)
        bus = AxiStreamBus.from_prefix(dut, "m_axis")
        self.sink = AxiStreamSink(bus, *ends, reset_active_level=False)

    def pause(self, numbers):
        super().pause(numbers)
        for stream in (self.source, self.sink):
            stream.set_pause_generator(host.pauses(numbers, numbers.choice((0, 0.1, 0.5, 0.9))))

    async def receive(self):
        """A packet of the output: for each word its level, index, flags and value."""
        frame = await host.within(self.sink.recv(compact=False))
        words = []
        for start in range(0, len(frame.tdata), host.WORD_BYTES):
            users = set(frame.tuser[start : start + host.WORD_BYTES])
            assert len(users) == 1 and all(frame.tkeep[start : start + host.WORD_BYTES])
            user = users.pop()
            value = int.from_bytes(frame.tdata[start : start + host.WORD_BYTES], "little")
            words.append((user >> 40 & 0xFF, user & 0xFFFFFFFFFF, user >> 48, value))
        return words

    async def commit(self, script):
        """A run that must give the root of the script; the chip is configured."""
        await self.write(host.INTERRUPT_ENABLE, 1)
        await self.source.send(AxiStreamFrame(script.input_bytes()))
        await self.write(host.CONTROL, host.START)
        words = await self.receive()
        assert words == [(level, 0, 0, value) for level, value in script.outputs]
        await host.within(host.interrupt(self.dut))
        status = await self.read(host.STATUS)
        assert status & (host.BUSY | host.DONE | host.FAILED) == host.DONE, f"{status:#x}"
        await self.write(host.INTERRUPT_STATUS, await self.read(host.INTERRUPT_STATUS))
        await ClockCycles(self.dut.aclk, 2)
        assert not self.dut.irq.value


async def start(dut, salt, configured=True):
    """A chip after a reset, which every channel pauses from now on, and the numbers of the test."""
    numbers = host.generator(salt)
    chip = Chip(dut)
    host.start_clock(dut)
    await host.reset(dut)
    if configured:
        await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
    chip.pause(numbers)
    return chip, numbers


@cocotb.test()
async def every_register(dut):
    """Every register of the map reads what it should; what is no register is refused."""
    chip, numbers = await start(dut, "registers", configured=False)
    registers = [register for register in host.registers() if register.address < host.DMA_VERSION]
    known = {register.address for register in registers}
    assert len(known) == len(registers) > 80 and host.STREAM_ENABLE in known
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
    for register in registers:
        if register.access == "read-only":
            assert not await chip.try_write(register.address, 0), register
    others = set(range(0, 0x1000, 4)) - known
    for address in numbers.sample(sorted(others), 60):
        assert await chip.try_read(address) is None, hex(address)
        assert not await chip.try_write(address, 0), hex(address)
    assert await chip.read(host.ERROR) != 0
    await chip.write(host.CONTROL, host.CLEAR)
    assert await chip.read(host.ERROR) == 0


@cocotb.test()
async def strobes(dut):
    """A write of less than a register is refused and writes nothing; so is one beside a register."""
    chip, numbers = await start(dut, "strobes", configured=False)
    await chip.write(host.INTERRUPT_ENABLE, 1)
    for _ in range(30):
        offset = numbers.randrange(4)
        length = numbers.randrange(1, 5 - offset)
        if length == 4:
            continue
        answer = await chip.master.write(host.INTERRUPT_ENABLE + offset, bytes(length))
        assert answer.resp == AxiResp.SLVERR
        assert await chip.read(host.INTERRUPT_ENABLE) == 1
    assert await chip.read(host.ERROR) == 0


@cocotb.test()
async def commitments(dut):
    """Whole commitments with random pauses, one after the other."""
    chip, numbers = await start(dut, "commitments", configured=False)
    await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
    for _ in range(3):
        chip.pause(numbers)
        await chip.commit(host.FIRST_HASH)


@cocotb.test()
async def an_element_that_is_not_below_the_prime(dut):
    """It makes the run void, and the next run is fine."""
    chip, numbers = await start(dut, "element")
    for _ in range(2):
        wrong = bytearray(host.FIRST_HASH.input_bytes())
        word = numbers.randrange(len(host.FIRST_HASH.inputs))
        element = host.PRIME + numbers.choice((0, 1, numbers.randrange(2**254)))
        wrong[32 * word : 32 * word + 32] = element.to_bytes(32, "little")
        await chip.source.send(AxiStreamFrame(bytes(wrong)))
        await chip.write(host.CONTROL, host.START)
        *_, (_, _, flags, _) = await chip.receive()
        assert flags << 48 & USER_ERROR
        assert await chip.read(host.STATUS) & host.FAILED
        assert await chip.read(host.ERROR_INFO) == word
        await chip.write(host.CONTROL, host.CLEAR)
        await chip.commit(host.FIRST_HASH)


@cocotb.test()
async def packets_of_wrong_lengths(dut):
    """A short packet waits for a clear; the rest of a long one is discarded."""
    chip, numbers = await start(dut, "packets")
    whole = host.FIRST_HASH.input_bytes()
    for _ in range(2):
        short = whole[: 32 * numbers.randrange(1, len(host.FIRST_HASH.inputs))]
        await chip.source.send(AxiStreamFrame(short))
        await chip.write(host.CONTROL, host.START)
        await chip.wait_for(host.STREAM_EVENTS, host.EARLY_LAST, host.EARLY_LAST)
        assert await chip.read(host.STATUS) & host.BUSY
        await chip.write(host.CONTROL, host.CLEAR)
        assert await chip.read(host.STREAM_EVENTS) == 0
        await chip.commit(host.FIRST_HASH)

        extra = numbers.randbytes(32 * numbers.randrange(1, 20))
        await chip.source.send(AxiStreamFrame(whole + extra))
        await chip.write(host.CONTROL, host.START)
        *_, (_, _, flags, _) = await chip.receive()
        assert flags << 48 & USER_ERROR
        await chip.wait_for(host.STREAM_EVENTS, host.LATE_LAST, host.LATE_LAST)
        await host.within(chip.source.wait())
        await chip.write(host.STREAM_EVENTS, host.LATE_LAST)
        await chip.commit(host.FIRST_HASH)


@cocotb.test()
async def clears_in_mid_run(dut):
    """A run that a clear ends leaves nothing behind."""
    chip, numbers = await start(dut, "clears")
    for _ in range(3):
        chip.pause(numbers)
        await chip.source.send(AxiStreamFrame(host.FIRST_HASH.input_bytes()))
        await chip.write(host.CONTROL, host.START)
        await ClockCycles(dut.aclk, numbers.randrange(600))
        if await chip.read(host.STATUS) & host.DONE:
            # It was too quick.
            await chip.receive()
            continue
        await chip.write(host.CONTROL, host.CLEAR)
        assert await chip.read(host.STATUS) & (host.BUSY | host.DONE) == 0
        if not chip.source.idle():
            await chip.write(host.STREAM_CONTROL, host.DISCARD)
            await host.within(chip.source.wait())
            await chip.wait_for(host.STREAM_STATE, host.DISCARDING, 0)
        await chip.wait_for(host.STREAM_STATE, host.OUTPUT_OPEN, 0)
        assert chip.sink.empty()
        await chip.commit(host.FIRST_HASH)


@cocotb.test()
async def resets_in_mid_run(dut):
    """A reset forgets everything, on both sides of the buses."""
    chip, numbers = await start(dut, "resets", configured=False)
    for _ in range(2):
        await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
        await chip.source.send(AxiStreamFrame(host.FIRST_HASH.input_bytes()))
        await chip.write(host.CONTROL, host.START)
        await ClockCycles(dut.aclk, numbers.randrange(600))
        await host.reset(dut)
        chip.source.clear()
        chip.sink.clear()
        assert await chip.read(host.STATUS) == 0
    await host.within(chip.configure(host.FIRST_HASH), 1_000_000)
    await chip.commit(host.FIRST_HASH)
