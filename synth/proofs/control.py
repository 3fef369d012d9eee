#!/usr/bin/env python3
# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""Proves what the control blocks promise, by Yosys, for every input that their users may give.

The assertions are those of the RTL itself, and those of `invariants`, which are put into a copy of a block:

  MODULE.sv      in every proof in which the module is; an assumption of it is an assertion where a user is there, too
  MODULE.top.sv  in the proof of the module itself: a model beside it, what its users do, and what must hold

They hold from the reset for some cycles, and in any cycle that follows on as many in which all hold (induction). Each
fault of a list, planted in a copy of the block, must be found from the reset on. Memories are flip-flops in a proof.
Needs the packages of ../requirements.txt.
"""

import argparse
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "protocol"))
sys.path.insert(0, str(HERE))

import protocol
from assertions import Translator
from protocol import elaborate

INVARIANTS = HERE / "invariants"
# The array of a memory, and what the tools can look into.
MEMORY = "acclmt_mem_1r1w"
ARRAY = ("logic [Width-1:0] memory[Depth];", "logic [Depth-1:0][Width-1:0] memory;")


@dataclass(frozen=True)
class Block:
    """A control block."""

    module: str
    # Assertions of the block that are about its inputs.
    assumed: tuple[str, ...]
    # Faults: a text of the block, which is there once, and what takes its place.
    faults: tuple[tuple[str, str], ...]
    # Parameters that make it small.
    parameters: tuple[str, ...] = ()
    # Cycles from the reset, and the most that an induction may look back.
    cycles: int = 8
    # It takes minutes, and is left out where the planted faults are.
    takes_long: bool = False


BLOCKS = (
    Block(
        "acclmt_memory",
        (),
        (
            ("assign write_parity[g] = ^write_data_i", "assign write_parity[g] = ~^write_data_i"),
            ("^{read_parity[g], read_data_o[First+:Bits]}", "^{read_parity[0], read_data_o[First+:Bits]}"),
            (".write_data_i({write_parity, write_data_i}),", ".write_data_i({write_data_i, write_parity}),"),
        ),
        ("Width=66", "Depth=2", "MemoryParity=1'b1"),
        6,
    ),
    Block(
        "acclmt_fifo",
        (),
        (
            ("assign ready_o = count_q != CountWidth'(Depth);", "assign ready_o = 1'b1;"),
            ("(!head_valid_q || ready_i);", "(!head_valid_q || !ready_i);"),
            ("if (push) write_pointer_q <= (write_pointer_q == Last) ? '0 :", "if (push) write_pointer_q <="),
            ("if (push != fetch) count_q <=", "if (push) count_q <="),
            ("else if (ready_i) head_valid_q <= 1'b0;", ""),
            (".read_enable_i(fetch)", ".read_enable_i(1'b1)"),
        ),
        ("Width=2", "Depth=3"),
    ),
    Block(
        "acclmt_reserved_fifo",
        ("reserve_available_a",),
        (
            ("else taken_q <= taken_q + CountWidth'(reserve_i) - CountWidth'(leave);", "else taken_q <= taken_q + CountWidth'(reserve_i);"),
            ("assign leave = valid_o && ready_i;", "assign leave = ready_i;"),
            ("assign available_o = taken_q != CountWidth'(Places);", "assign available_o = 1'b1;"),
            ("assign idle_o = taken_q == '0;", "assign idle_o = taken_q <= CountWidth'(1);"),
        ),
        ("Width=1", "Places=4"),
        10,
    ),
    Block(
        "acclmt_beat_fifo",
        ("no_overflow_a", "take_what_is_there_a"),
        (
            ("assign enter = valid_i && last_i;", "assign enter = valid_i;"),
            ("assign leave = take_i && head_valid_o && last_o;", "assign leave = take_i && head_valid_o;"),
            ("if (enter != leave) complete_q", "if (enter) complete_q"),
        ),
        ("Width=1", "Depth=3"),
    ),
    Block(
        "acclmt_turns",
        (),
        (
            ("lowest((from != '0) ? from : request_i)", "lowest(request_i)"),
            ("else if (advance_i != '0) from_q <= ~(advance_i | (advance_i - Count'(1)));", ""),
            ("~(advance_i | (advance_i - Count'(1)))", "~(advance_i - Count'(1))"),
            ("lowest = bits & (~bits + Count'(1));", "lowest = bits;"),
        ),
        ("Count=4",),
        10,
    ),
    Block(
        "acclmt_level_queue",
        ("no_overflow_a", "nothing_after_the_last_a", "taken_group_is_ready_a", "freed_group_was_taken_a"),
        (
            # A group too many, a place that is given twice, a ring that does not close.
            ("groups_used_q != groups_q;", "groups_used_q <= groups_q;"),
            ("(reserve_index_next == arity_q) ? '0 : reserve_index_next;", "reserve_index_next;"),
            ("reserve_group_q <= (reserve_group_next == limit_q) ? base_q : reserve_group_next;", "reserve_group_q <= reserve_group_next;"),
            ("read_group_q <= (read_group_next == limit_q) ? base_q : read_group_next;", "read_group_q <= read_group_next;"),
            # A group that is complete is not seen: as its last node comes, as it becomes the oldest, as the last place is told.
            ("(looked_i && looked_count_i == read_count);", "1'b0;"),
            ("ready_q <= !take_i && (ready_q || becomes_ready);", "ready_q <= !take_i && becomes_ready;"),
            ("is_last = read_group_q == reserve_group_q && (complete_q || written_last_i);", "is_last = read_group_q == reserve_group_q && complete_q;"),
            # One is seen that is not: of another level, without its last node.
            ("(written_i && written_group_i == read_group_q[AddressWidth-2:0] &&", "(written_i &&"),
            ("if (is_last) read_count = complete_q ? last_count_q : reserve_index_next;", ""),
            ("last_count_q <= reserve_index_next;", "last_count_q <= reserve_index_q;"),
            # A group that was freed remains in use.
            ("if (reserve_first != free_i) begin", "if (reserve_first) begin"),
        ),
        (),
        10,
    ),
    Block(
        "acclmt_slot_control",
        ("most_beats_a",),
        (
            # A state enters without room, one leaves before it is complete, one moves faster than its beats come.
            (": inside_q <= most_inside;", ": 1'b1;"),
            ("head_valid_i && head_done_i && head_complete_i;", "head_valid_i && head_done_i;"),
            ("(head_complete_i || head_spacing_i >= head_arrival_i);", "1'b1;"),
            # A slot ends before the beats have moved: of one that leaves, of any.
            ("if (leave && start_cycles < 5'(head_beats_i)) start_cycles = 5'(head_beats_i);", ""),
            ("left_q <= start_cycles - 1'b1;", "left_q <= (start_cycles == 5'd1) ? 5'd0 : start_cycles - 5'd2;"),
            ("assign boundary = left_q == '0 && grid_q == '0;", "assign boundary = grid_q == '0;"),
            # What left is still counted; a state goes on leaving behind its last beat.
            ("inside_q <= staying + ((accept", "inside_q <= inside_q + ((accept"),
            ("leave_q <= leave && !head_last_i;", "leave_q <= leave;"),
        ),
        ("Places=8",),
        12,
    ),
    Block(
        "acclmt_node_fetch",
        ("count_in_range_a",),
        (
            ("assign read_o = read && !next_is_empty;", "assign read_o = read;"),
            ("index_q + 1'b1 >= job_q.count;", "index_q >= job_q.count;"),
            ("(job_q.is_top ? job_q.count : job_q.arity);", "job_q.arity;"),
            ("assign job_ready_o = !active_q;", "assign job_ready_o = 1'b1;"),
            ("assign read = job_taken || (word_taken && !last_word);", "assign read = job_taken || !last_word;"),
            ("address_q <= address_q + 1'b1;", ""),
        ),
        ("MaxHeight=2",),
    ),
    Block(
        "acclmt_group_counts",
        ("forgotten_group_is_not_written_a",),
        (
            ("forget_row[row] = forget_i && 32'(forget_index) / Columns == 32'(row);", "forget_row[row] = 1'b0;"),
            ("          count_q[group] <= written_count_o;", "          count_q[group] <= count_q[look_index] + 1'b1;"),
            # A column of another group.
            ("32'(write_index) % Columns == 32'(column);", "32'(look_index) % Columns == 32'(column);"),
            ("assign look_count_o = count_q[look_index];", "assign look_count_o = count_q[write_index];"),
        ),
        ("NodeWords=8",),
    ),
    Block(
        "acclmt_dispatch_scheduler",
        ("one_write_a",),
        (
            # A leaf that gets a place without room.
            ("assign leaf_ready_o = leaf_writes_i ? place_free[0] : leaf_places_q >= leaf_places_i;", "assign leaf_ready_o = 1'b1;"),
            # The end of a level that is not told, a group that is forgotten, one that is not.
            ("assign reserve_last = group_last[l-1];", "assign reserve_last = 1'b0;"),
            ("look_q <= (job_taken && !clear_i) ? job_grant : '0;", "look_q <= '0;"),
            (".forget_i(look_q != '0),", ".forget_i(1'b0),"),
            # A digest of another group, counts that go wrong.
            ("assign written_group = digest_valid_i ? digest_group_i : leaf_group_o;", "assign written_group = leaf_group_o;"),
            ("(leaf_freed ? AddressWidth'(arity[0]) : '0);", "AddressWidth'(leaf_freed);"),
            ("- (AddressWidth + 1)'(digest_valid_i);", ";"),
        ),
        ("MaxHeight=1", "NodeWords=16"),
        9,
    ),
    Block(
        "acclmt_dispatch_scheduler",
        ("one_write_a",),
        (
            # A level above the top; the place in its group of a digest that comes two levels above the leaves.
            ("assign exists = LevelWidth'(l) <= top_i;", "assign exists = 1'b1;"),
            ("of_level.parent_index = place_index[l+1];", "of_level.parent_index = place_index[(l == 1) ? 1 : l + 1];"),
        ),
        ("MaxHeight=2", "NodeWords=8"),
        10,
        takes_long=True,
    ),
    Block(
        "acclmt_input_sequencer",
        ("take_while_open_a",),
        (
            ("assign last_row = row_q + 16'd1 == group_q;", "assign last_row = row_q == group_q;"),
            ("block_q + 32'd1 == row_i.blocks;", "block_q == row_i.blocks;"),
            ("(last_block ? row_i.last_words : block_words_i)", "(block_words_i)"),
            ("open_q <= leaves_next != '0;", "open_q <= 1'b1;"),
            ("if (last_word) row_q <= last_row ? '0 : row_q + 16'd1;", "if (last_word) row_q <= row_q + 16'd1;"),
        ),
        (),
        7,
    ),
    Block(
        "acclmt_node_output",
        (),
        (
            ("else if (taken && end_i) index_q", "else if (taken) index_q"),
            ("label.index = index_q[level_i];", "label.index = index_q[0];"),
            ("else if (clear_i) index_q <= '0;", "else if (clear_i && !valid_i) index_q <= '0;"),
        ),
        (),
        6,
    ),
    Block(
        "acclmt_error_log",
        ("one_request_a",),
        (
            ("end else if (error_q == acclmt_reg_pkg::ErrorNone && event_o) begin", "end else if (event_o) begin"),
            ("info_q <= info;", "if (event_o) info_q <= info;\n    end else begin\n      info_q <= info;"),
        ),
    ),
    Block(
        "acclmt_constant_port",
        ("no_write_in_sweep_a", "one_write_a"),
        (
            ("assign write = address_write_i && !illegal_o;", "assign write = address_write_i;"),
            ("engines == '0 || 32'(engines)", "32'(engines)"),
            ("else if (data_write_i) constant_data_q[data_index_i] <= data_i;", "else if (data_write_i) constant_data_q[0] <= data_i;"),
            ("else if (data_write_i || write) begin", "else if (data_write_i || address_write_i) begin"),
            ("8'(data_index_i);", "8'd0;"),
        ),
    ),
    Block(
        "acclmt_run_control",
        ("one_command_a", "done_only_when_running_a", "flush_starts_a"),
        (
            # A start in a run, one that is lost, one that is refused in silence.
            ("assign start_legal = (start_i && !busy_o && !illegal_i) || flush_start;", "assign start_legal = (start_i && !illegal_i) || flush_start;"),
            ("else if (start_i || setup_illegal || program_illegal_o) refused_q <= 1'b1;", "else if (setup_illegal || program_illegal_o) refused_q <= 1'b1;"),
            ("else if (start_i || setup_illegal || program_illegal_o) refused_q <= 1'b1;", "else if (start_i || setup_illegal) refused_q <= 1'b1;"),
            ("end else if (setup_illegal || program_illegal_o) begin", "end else if (setup_illegal) begin"),
            # A void run that is valid, one that remains, a zeroisation that answers as a run, one in a run.
            ("else if (element_error_i || incomplete_o || memory_fault_i) void_q <= 1'b1;", "else void_q <= element_error_i || incomplete_o || memory_fault_i;"),
            ("if (clear || start_legal) void_q <= 1'b0;", "if (start_legal) void_q <= 1'b0;"),
            ("assign zeroise = zeroise_i && !busy_o;", "assign zeroise = zeroise_i;"),
            ("assign start_o = setup_done && !program_illegal_o;", "assign start_o = setup_done;"),
        ),
        ("MaxHeight=2", "NodeWords=32", "MatrixDepth=4", "ConstantDepth=4", "PartialDepth=4", "NumPartial=1"),
    ),
    Block(
        "acclmt_interrupt",
        (),
        (
            ("(pending_q & ~(acknowledge_i ? data_i : '0)) | events_i;", "(pending_q | events_i) & ~(acknowledge_i ? data_i : '0);"),
            ("(pending_q & ~(acknowledge_i ? data_i : '0)) | events_i;", "events_i;"),
            ("assign irq_o = (pending_q & enable_q) != '0;", "assign irq_o = pending_q != '0;"),
        ),
    ),
)


def prepared(block, source, fault):
    """The text of a source of the RTL in the proof of a block, with a fault if it is that block's."""
    text = source.read_text()
    if source.stem == MEMORY:
        text = protocol.planted(source, text, *ARRAY)
    is_top = source.stem == block.module
    if is_top and fault:
        text = protocol.planted(source, text, *fault)
    added = [INVARIANTS / f"{source.stem}.sv", *([INVARIANTS / f"{source.stem}.top.sv"] if is_top else [])]
    more = "".join(path.read_text() for path in added if path.is_file())
    text = text.replace("\nendmodule", f"\n{more}\nendmodule")
    if not is_top:
        # What is assumed of a user is proved of this one.
        text = text.replace(" : assume property", " : assert property")
    return Translator(block.assumed if is_top else ()).translate(text)


def copies(block, sources, folder, fault=None):
    """Copies of the RTL for the proof of a block."""
    files = [folder / source.name for source in sources]
    for source, file in zip(sources, files):
        file.write_text(prepared(block, source, fault))
    return files


def prove_base(block, files):
    """Proves the assertions from the reset on: whether they hold, and what was said."""
    return protocol.induct(block, files, "-tempinduct-baseonly -set-at 1 rst_ni 0", block.cycles)


def prove_step(block, files):
    """Proves the assertions as a step of the induction: whether they hold, and what was said."""
    return protocol.induct(block, files, "-tempinduct-inductonly -set rst_ni 1", block.cycles)


# Proofs, and where an assertion does not hold if one fails; the first one finds the faults, and then says this.
INDUCTION = ((prove_base, "after a reset"), (prove_step, "in a step of the induction"))
INDUCTION_FAILS = "model found for base case: FAIL!"


def check(block, sources, faults, proofs=INDUCTION, fails=INDUCTION_FAILS):
    """Proves a block, and that its faults are found."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        files = copies(block, sources, Path(folder))
        for prove, place in proofs:
            passed, said = prove(block, files)
            if not passed:
                protocol.fail(f"an assertion of {block.module} does not hold {place}", said)
    asserted, assumed = protocol.properties(said)
    if asserted == 0:
        protocol.fail(f"{block.module} has no assertion", said)
    sizes = f" with {', '.join(block.parameters)}" if block.parameters else ""
    text = f"{block.module}{sizes}: {asserted} assertions are proved, {assumed} are assumed"
    # A fault whose text is gone is told without the proofs of the faults, too.
    for fault in block.faults:
        with tempfile.TemporaryDirectory() as folder:
            files = copies(block, sources, Path(folder), fault)
            if not faults:
                continue
            find, _ = proofs[0]
            _, said = find(block, files)
        if fails not in said:
            protocol.fail(f"a fault of {block.module} is not found: '{fault[1]}' for '{fault[0]}'", said)
    if faults and block.faults:
        text += f", {len(block.faults)} planted faults are found"
    print(f"{text} ({time.monotonic() - began:.0f} s)", flush=True)


def run(description, blocks, check):
    """The program: checks the blocks that are named, or all, with `check(block, sources, faults)`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--no-faults", action="store_true", help="the proofs alone, without the planted faults and what takes minutes")
    parser.add_argument("blocks", nargs="*", metavar="MODULE", help="blocks to prove [all]")
    arguments = parser.parse_args()
    known = list(dict.fromkeys(block.module for block in blocks))
    for name in arguments.blocks:
        if name not in known:
            sys.exit(f"{protocol.PROGRAM}: no proof of '{name}'; there are: {', '.join(known)}")
    sources = elaborate.read_file_list(elaborate.FILE_LIST)
    for block in blocks:
        if arguments.blocks and block.module not in arguments.blocks:
            continue
        if arguments.no_faults and block.takes_long:
            print(f"{block.module} with {', '.join(block.parameters)}: left out, it takes minutes", flush=True)
            continue
        check(block, sources, not arguments.no_faults)


if __name__ == "__main__":
    run(__doc__.splitlines()[0], BLOCKS, check)
