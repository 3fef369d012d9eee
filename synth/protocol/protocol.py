#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proves what the blocks of rtl/bus, rtl/crossing and rtl/dma promise, by Yosys, for every input that the protocol allows.

For each block:

  paths      no output to a bus depends on an input in the same cycle
  properties every assertion of the block and of the checks in it holds: from the reset for some cycles, and in
             any cycle that follows on as many in which all hold (induction); what the other side of a bus must
             do is taken for granted, the register port and the core do what they like

and each fault of a list, planted in a copy of the block, is found by a run from the reset that violates an
assertion, or by a path. Needs the packages of ../requirements.txt.
"""

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import elaborate

# What messages begin with.
PROGRAM = Path(sys.argv[0]).stem
# Cycles from the reset, and the most cycles that an induction may look back.
CYCLES = 8
# Registers, which end a path.
REGISTERS = "$dff,$dffe,$adff,$adffe,$sdff,$sdffe,$sdffce,$aldff,$aldffe,$dffsr,$dffsre"


@dataclass(frozen=True)
class Block:
    """A block of rtl/bus, rtl/crossing or rtl/dma."""

    module: str
    # Outputs to the bus.
    outputs: tuple[str, ...]
    # Faults: a text of the block, which is there once, and what takes its place.
    faults: tuple[tuple[str, str], ...]
    # Faults that are paths.
    path_faults: tuple[tuple[str, str], ...]
    # Parameters that make it small.
    parameters: tuple[str, ...] = ()


BLOCKS = (
    Block(
        "acclmt_axi_lite",
        ("awready_o", "wready_o", "bvalid_o", "bresp_o", "arready_o", "rvalid_o", "rdata_o", "rresp_o"),
        (
            # The answer to a write does not wait to be taken.
            ("if (b_full_q) b_full_q <= !bready_i;", "if (b_full_q) b_full_q <= 1'b0;"),
            # The data of a read change while they wait.
            ("if (read_ends) begin", "if (read_ends || reg_rvalid_i) begin"),
            # A write does not wait for its data, or for its address.
            ("aw_full_q && w_full_q && !b_full_q", "aw_full_q && !b_full_q"),
            ("aw_full_q && w_full_q && !b_full_q", "w_full_q && !b_full_q"),
            # An answer overwrites another one.
            ("aw_full_q && w_full_q && !b_full_q", "aw_full_q && w_full_q"),
            ("ar_full_q && !r_full_q && !write_turn", "ar_full_q && !write_turn"),
            # A read and a write go on in the same cycle.
            ("!r_full_q && !write_turn", "!r_full_q"),
            # Some bytes are enough; unaligned addresses are passed on.
            ("whole_word_q <= wstrb_i == 4'b1111;", "whole_word_q <= wstrb_i != 4'b0000;"),
            ("assign write_legal = awaddr_q[1:0] == 2'b00 && whole_word_q;", "assign write_legal = whole_word_q;"),
            ("assign read_legal = araddr_q[1:0] == 2'b00;", "assign read_legal = araddr_q[1] == 1'b0;"),
            # A refusal is answered with OKAY, an error of the register port is swallowed.
            (
                "if (write_ends) write_error_q <= !asked_q || reg_error_i;",
                "if (write_ends) write_error_q <= reg_error_i;",
            ),
            ("read_error_q <= !asked_q || reg_error_i;", "read_error_q <= !asked_q;"),
            # A request does not wait for the answer to the one before.
            ("if (asked_q) asked_q <= !reg_rvalid_i;", "if (asked_q) asked_q <= 1'b0;"),
        ),
        (("assign awready_o = !aw_full_q;", "assign awready_o = !aw_full_q || bready_i;"),),
    ),
    Block(
        "acclmt_stream_input",
        ("tready_o",),
        (
            # A word is taken that has no place; one is offered that was taken.
            ("open_q && !second_valid_q", "open_q"),
            (
                "end else if (taken) begin\n        head_valid_q <= second_valid_q;",
                "end else if (taken) begin\n        head_valid_q <= 1'b1;",
            ),
            # Words pass each other.
            ("assign to_head = pushed && (!head_valid_q || taken);", "assign to_head = pushed && !head_valid_q;"),
            # The input is open behind TLAST, and after a start whatever is in here.
            ("clear_i || run_done_i || (pushed && tlast_i)", "clear_i || run_done_i"),
            ("else if (start_i) open_q <= !last_inside_q;", "else if (start_i) open_q <= 1'b1;"),
            # TLAST is lost with its word.
            (
                "end else if (taken) begin\n        second_valid_q <= 1'b0;\n        second_last_q <= 1'b0;",
                "end else if (taken) begin\n        second_valid_q <= 1'b0;",
            ),
            # A dropped word remains readable.
            ("second_last_q <= 1'b0;\n        second_q <= '0;\n      end\n", "second_last_q <= 1'b0;\n      end\n"),
            # A clear leaves the words where they are, but not what is known of them.
            (
                "end else if (drop) begin\n      head_valid_q <= 1'b0;",
                "end else if (drop) begin\n      head_valid_q <= head_valid_q;",
            ),
        ),
        (
            (
                "assign tready_o = discard_q || (open_q && !second_valid_q);",
                "assign tready_o = discard_q || (open_q && (!second_valid_q || ready_i));",
            ),
        ),
    ),
    Block(
        "acclmt_gray_counter",
        ("count_o", "gray_o"),
        (
            # A binary pointer; a count whose code does not follow.
            ("gray_q <= next ^ (next >> 1);", "gray_q <= next;"),
            ("gray_q <= next ^ (next >> 1);", "gray_q <= gray_q;"),
        ),
        (("assign gray_o = gray_q;", "assign gray_o = gray_q ^ Width'(advance_i);"),),
    ),
    Block(
        "acclmt_packet_gate",
        ("asked_o",),
        (
            # Open behind TLAST, and when nobody asks any more.
            ("else if (valid_o && ready_i && tlast_i) open_q <= 1'b0;", ""),
            ("if (!ask_i) open_q <= 1'b0;\n      else if (!asked_q)", "if (!asked_q)"),
        ),
        (("assign asked_o = asked_q;", "assign asked_o = asked_q && ask_i;"),),
    ),
    Block(
        "acclmt_stream_output",
        ("tvalid_o", "tdata_o", "tuser_o", "tlast_o"),
        (
            # A clear takes back what is offered.
            (
                "end else if (head_valid_q && !tready_i) begin",
                "end else if (head_valid_q && !tready_i && !clear_i) begin",
            ),
            # A word that waits is overwritten.
            ("assign ready_o = !second_valid_q;", "assign ready_o = 1'b1;"),
            # A packet that was begun has no end; one that has not begun has.
            ("head_valid_q ? !head_q.last : packet_q);", "head_valid_q && !head_q.last);"),
            ("assign abort = clear_i && (head_valid_q ? !head_q.last : packet_q);", "assign abort = 1'b0;"),
            # A clear leaves the second word.
            ("next = abort ? abort_word : '0;", "next = abort ? abort_word : second_q;"),
            # The offered word follows the input.
            ("assign tdata_o = head_q.data;", "assign tdata_o = head_q.data ^ Width'(valid_i);"),
        ),
        (("assign tvalid_o = head_valid_q;", "assign tvalid_o = head_valid_q || valid_i;"),),
    ),
    Block(
        "acclmt_dma_port",
        ("dma_asked_o",),
        (
            # A request does not wait for the answer to the one before; a request of the host is lost.
            ("assign grant_dma = !asked_q && !host_low_q &&", "assign grant_dma = !host_low_q &&"),
            ("if (host_valid_i) host_q <= 1'b1;\n      else if (grant_host) host_q <= 1'b0;", "host_q <= host_valid_i;"),
            # Both go on at once; the answer is the other side's.
            ("host_q &&\n                      !(dma_valid_i && (host_turn_q || dma_low_q));", "host_q;"),
            ("assign dma_rvalid_o = asked_q && !host_turn_q && core_rvalid_i;", "assign dma_rvalid_o = core_rvalid_i;"),
            # The host gets the answer to the request that is made for it.
            ("host_turn_q && !fetching_q && core_rvalid_i;", "host_turn_q && core_rvalid_i;"),
            # Something comes between the words of a counter: nothing is fetched, the DMA is first, a low word is
            # fetched, the host comes between those of the DMA.
            ("assign grant_fetch = host_low_q;", "assign grant_fetch = 1'b0;"),
            (
                "assign grant_dma = !asked_q && !host_low_q && dma_valid_i",
                "assign grant_dma = !asked_q && dma_valid_i",
            ),
            ("if (grant_fetch) host_addr[HighBit] = 1'b1;", ""),
            (
                "!(dma_valid_i && (host_turn_q || dma_low_q));\n  assign grant_dma = !asked_q && !host_low_q && "
                "dma_valid_i &&\n                     (!host_q || host_turn_q || dma_low_q);",
                "!(dma_valid_i && host_turn_q);\n  assign grant_dma = !asked_q && !host_low_q && "
                "dma_valid_i &&\n                     (!host_q || host_turn_q);",
            ),
            # The host gets the high word that the core keeps now; the one that is kept is the DMA's.
            ("host_addr_q[HighBit] && !core_error_i) ? high_q", "1'b0) ? high_q"),
            ("if (fetching_q && core_rvalid_i) high_q <=", "if (core_rvalid_i) high_q <="),
        ),
        (),
    ),
    Block(
        "acclmt_dma_buffer",
        ("valid_o", "ready_o"),
        (
            # A flush does not begin at the first word, ends before the last one, or leaves the head.
            ("sweep_q <= 1'b1;", "sweep_q <= 1'b1; write_pointer_q <= PointerWidth'(1);"),
            ("sweep_q <= sweep_q && write_pointer_q != '1;", "sweep_q <= sweep_q && !(&(write_pointer_q | 1'b1));"),
            ("head_wipe_q <= sweep_q && write_pointer_q == '1;", "head_wipe_q <= 1'b0;"),
            # It moves words instead of overwriting them; one comes in meanwhile, or is left.
            (".write_data_i(sweep_q ? '0 : data_i),", ".write_data_i(data_i),"),
            ("assign ready_o = count_q != CountWidth'(Depth) && !wiping;", "assign ready_o = count_q != CountWidth'(Depth);"),
            ("      head_valid_q <= 1'b0;\n      sweep_q <= 1'b1;", "      sweep_q <= 1'b1;"),
            # A word leaves an empty buffer.
            ("assign fetch = count_q != '0 && (!head_valid_q || ready_i);", "assign fetch = !head_valid_q || ready_i;"),
        ),
        (("assign valid_o = head_valid_q;", "assign valid_o = head_valid_q && ready_i;"),),
        ("Width=4", "Depth=2"),
    ),
    Block(
        "acclmt_dma_writer",
        ("awvalid_o", "awaddr_o", "awlen_o", "wvalid_o", "wdata_o", "wstrb_o", "wlast_o", "bready_o"),
        (
            # A request that waits is taken back; one changes while it waits.
            ("else if (awready_i) awvalid_q <= 1'b0;", "else awvalid_q <= 1'b0;"),
            ("assign issue_ready = !awvalid_q && w_left_q", "assign issue_ready = w_left_q"),
            # The next burst begins before the data of the last one have gone.
            ("assign issue_ready = !awvalid_q && w_left_q == '0 &&", "assign issue_ready = !awvalid_q &&"),
            # A beat too few, the last one not marked, one counted that was not taken.
            ("if (issues) w_left_q <= issue.beats;", "if (issues) w_left_q <= issue.beats - 8'd1;"),
            ("assign wlast_o = w_left_q == BeatsWidth'(1);", "assign wlast_o = w_left_q == BeatsWidth'(2);"),
            ("assign w_done = wvalid_o && wready_i;", "assign w_done = wready_i;"),
            # A burst that waits begins when everything is to end.
            ("!flushing && !hold_i;", "!flushing;"),
            # A burst goes on beyond its multiple.
            ("last_i || index_q[BurstIndexWidth-1:0] == '1;", "last_i || &index_q[BurstIndexWidth:0];"),
        ),
        (("assign awvalid_o = awvalid_q;", "assign awvalid_o = awvalid_q || flush_i;"),),
        ("BurstBytes=64",),
    ),
    Block(
        "acclmt_dma_reader",
        ("arvalid_o", "araddr_o", "arlen_o", "rready_o"),
        (
            # A request that waits is taken back; one changes while it waits.
            ("else if (arready_i) arvalid_q <= 1'b0;", "else arvalid_q <= 1'b0;"),
            ("assign burst_ready_o = (!arvalid_q || arready_i) &&", "assign burst_ready_o ="),
            # More bursts are on their way than there are places.
            ("outstanding_q != (PlaceWidth + 1)'(Bursts) &&", ""),
            # A beat too many; an end that is not counted, one that is counted twice.
            ("arlen_q <= burst_beats_i - 8'd1;", "arlen_q <= burst_beats_i;"),
            ("assign burst_ends = rvalid_i && rlast_i;", "assign burst_ends = rvalid_i && rlast_i && !burst_descriptor;"),
            ("assign burst_ends = rvalid_i && rlast_i;", "assign burst_ends = rvalid_i;"),
            # A run is told of an error, or gets a word, of the packet behind its own.
            ("assign error_o = beat_valid && unreadable && !ended_q;", "assign error_o = beat_valid && unreadable;"),
            ("assign waiting_o = beat_valid && !unreadable && !ended_q;", "assign waiting_o = beat_valid && !unreadable;"),
        ),
        (("assign arvalid_o = arvalid_q;", "assign arvalid_o = arvalid_q || flush_i;"),),
        ("BurstBytes=64", "Bursts=2"),
    ),
)


def yosys(commands):
    """Runs Yosys commands; returns whether they passed, and what was said."""
    done = subprocess.run(
        [sys.executable, "-c", elaborate.RUN_YOSYS, *commands],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode == 0, done.stdout


def read(block, sources, defines):
    """The commands that read the block and what is in it as one module."""
    files = " ".join(str(source) for source in sources)
    parameters = " ".join(f"-G {parameter}" for parameter in block.parameters)
    return [
        f"read_slang --no-synthesis-define {defines} {parameters} --top {block.module} {files}",
        f"hierarchy -check -top {block.module}",
        f"prep -flatten -top {block.module}",
    ]


def paths(block, sources):
    """Whether an output to the bus depends on an input in the same cycle, and what was said."""
    outputs = " ".join(f"o:{output}" for output in block.outputs)
    # The outputs, everything before them up to registers, and of that the inputs.
    passed, said = yosys(
        [
            *read(block, sources, "-D SYNTHESIS"),
            *[f"select -assert-count 1 o:{output}" for output in block.outputs],
            f"select -set outputs {outputs}",
            f"select -set before @outputs %ci*:-{REGISTERS}",
            "select -assert-none @before i:* %i",
        ]
    )
    if not passed and "Assertion failed: selection is not empty" not in said:
        fail(f"{block.module} could not be looked at", said)
    return not passed, said


def induct(block, sources, start, cycles):
    """Proves the assertions from where `start` (options of `sat`) says, within so many cycles: whether they hold, and what was said."""
    return yosys(
        [
            *read(block, sources, "-D FORMAL"),
            "memory_map",
            "async2sync",
            "chformal -lower",
            "opt -full",
            f"sat -verify -prove-asserts -set-assumes -tempinduct {start} -maxsteps {cycles} {block.module}",
        ]
    )


def prove(block, sources, step):
    """Proves the assertions, from the reset or as a step of the induction; what was said."""
    start = "-tempinduct-inductonly" if step else "-tempinduct-baseonly -set-at 1 rst_ni 0"
    return induct(block, sources, start, CYCLES)


def planted(source, text, original, fault):
    """The text of a source with a fault in place of what must be there once."""
    if text.count(original) != 1:
        sys.exit(f"{PROGRAM}: {source} must have '{original}' once; adapt the list of faults")
    return text.replace(original, fault)


def properties(said):
    """How many assertions and assumptions a proof was about."""
    names = ("Import proof for assert: ", "Import constraint from assume cell: ")
    lines = said.splitlines()
    return [len({line.split()[4 + i] for line in lines if line.startswith(name)}) for i, name in enumerate(names)]


def fail(message, said):
    print("\n".join(said.splitlines()[-elaborate.LINES_AFTER_ERROR :]), file=sys.stderr)
    sys.exit(f"{PROGRAM}: {message}, see above")


def check(block, sources):
    """The block as it is."""
    has_path, said = paths(block, sources)
    if has_path:
        fail(f"an output of {block.module} depends on an input in the same cycle", said)
    for step in (False, True):
        passed, said = prove(block, sources, step)
        if not passed:
            place = "in a step of the induction" if step else "after a reset"
            fail(f"an assertion of {block.module} does not hold {place}", said)
    asserted, assumed = properties(said)
    if asserted == 0:
        fail(f"{block.module} has no assertion", said)
    print(f"{block.module}: {asserted} assertions are proved, {assumed} are assumed, no path")


def source_of(block, sources):
    """The file of the block, in which its faults are planted, and its text."""
    source = next(path for path in sources if path.name == f"{block.module}.sv")
    return source, source.read_text()


def check_texts(block, sources):
    """Every fault can be planted: what runs without them tells that, too."""
    source, text = source_of(block, sources)
    for original, fault in block.faults + block.path_faults:
        planted(source, text, original, fault)


def check_faults(block, sources):
    """Copies of the block with one fault each: every fault must be found."""
    source, text = source_of(block, sources)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / source.name
        faulty = [copy if path == source else path for path in sources]
        for faults, is_path in ((block.faults, False), (block.path_faults, True)):
            for original, fault in faults:
                copy.write_text(planted(source, text, original, fault))
                if is_path:
                    found, said = paths(block, faulty)
                else:
                    _, said = prove(block, faulty, False)
                    found = "model found for base case: FAIL!" in said
                if not found:
                    fail(f"a fault of {block.module} is not found: '{fault}' for '{original}'", said)
    count = len(block.faults) + len(block.path_faults)
    print(f"{block.module}: {count} planted faults are found")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--file-list", type=Path, default=elaborate.FILE_LIST, help="[rtl/acclmt.f]")
    parser.add_argument("--no-faults", action="store_true", help="the proofs alone, without the planted faults")
    arguments = parser.parse_args()
    try:
        sources = elaborate.read_file_list(arguments.file_list)
    except (OSError, ValueError) as error:
        sys.exit(f"protocol: {error}")
    for block in BLOCKS:
        check(block, sources)
        if arguments.no_faults:
            check_texts(block, sources)
        else:
            check_faults(block, sources)


if __name__ == "__main__":
    main()
