# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""The partial-round sub-engine: constants are loaded, states enter at random paces, and each must leave
as its partial rounds, computed with the integers of Python, say."""

import json
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from blocks import EXPONENTS, LANES_OF_BEAT, Block, beat, check
from fields import SLICES, WORD_BITS, Goldilocks, Large, power, split

REFERENCE = Path(__file__).resolve().parent / "partial_rounds.json"
# Bits of the fields of `acclmt_pkg::engine_config_t` below those that a partial-round sub-engine uses.
CONFIG_BITS_BELOW_STEPS = 48 + 48 + 4 + 4 + 1 + 64 + 8 + 8 + 4 + 3 + 5
CONFIG_BITS_OF_BEATS = 3
NUMBER = 1
CONSTANT_BANK = 2 * LANES_OF_BEAT
# Cycles after which a state that did not leave is given up.
PATIENCE = 3000


@dataclass
class Segment:
    """Partial rounds of a hash, in the form in which the chip has them."""

    mode: object
    alpha: int
    beats: int
    rounds: int
    # (bank, index) -> word.
    constants: dict
    # States as beats of words, before and after.
    states: list

    @property
    def code(self):
        """Of the exponent, as in `acclmt_pkg::alpha_e`."""
        return next(code for code, exponent in EXPONENTS.items() if exponent == self.alpha)


def elements_of(mode, state):
    """The elements of a state, in order: element 3 i + lane is in lane `lane`, in beat or slice i."""
    if not mode.goldilocks:
        return [word for words in state for word in words]
    lanes = [split(word) for word in state[0]]
    return [lanes[lane][s] for s in range(SLICES) for lane in range(LANES_OF_BEAT)]


def state_of(mode, elements):
    """The contrary of `elements_of`."""
    if not mode.goldilocks:
        return [elements[i : i + LANES_OF_BEAT] for i in range(0, len(elements), LANES_OF_BEAT)]
    return [
        [
            sum(elements[LANES_OF_BEAT * s + lane] << 64 * s for s in range(SLICES))
            for lane in range(LANES_OF_BEAT)
        ]
    ]


def partial_rounds(segment, state):
    """The state after the rounds of the segment."""
    mode = segment.mode
    elements = elements_of(mode, state)
    for number in range(segment.rounds):
        banks = [
            [
                segment.constants[first + lane, number * segment.beats + i]
                for lane in range(LANES_OF_BEAT)
            ]
            for first in (0, LANES_OF_BEAT)
            for i in range(segment.beats)
        ]
        row = elements_of(mode, banks[: segment.beats])
        column = elements_of(mode, banks[segment.beats :])
        x = power(mode, elements[0], segment.alpha)
        first = mode.mul(row[0], x)
        for w, element in zip(row[1:], elements[1:]):
            first = mode.add(first, mode.mul(w, element))
        constant = segment.constants[CONSTANT_BANK, number]
        first = mode.add(first, split(constant)[0] if mode.goldilocks else constant)
        rest = [mode.add(s, mode.mul(v, x)) for v, s in zip(column[1:], elements[1:])]
        elements = [first, *rest]
    return state_of(mode, elements)


def random_segment(mode, alpha, beats, rounds, number, random):
    """Rounds of random constants and corners, and states for them."""
    corners = mode.corners()

    def word():
        return random.choice(corners) if random.random() < 0.2 else mode.random(random)

    constants = {
        (bank, index): word() for bank in range(CONSTANT_BANK) for index in range(rounds * beats)
    }
    for index in range(rounds):
        value = word()
        constants[CONSTANT_BANK, index] = split(value)[0] if mode.goldilocks else value
    segment = Segment(mode, alpha, beats, rounds, constants, [])
    for _ in range(number):
        state = [[word() for _ in range(LANES_OF_BEAT)] for _ in range(beats)]
        segment.states.append((state, partial_rounds(segment, state)))
    return segment


def read_reference(file=REFERENCE):
    """Segments of presets, with states of real hashes, which the Rust reference wrote."""
    segments = []
    for entry in json.loads(file.read_text()):
        mode = Goldilocks() if entry["goldilocks"] else Large()
        constants = {(c["bank"], c["index"]): int(c["word"], 16) for c in entry["constants"]}
        states = []
        for pair in entry["states"]:
            before, after = (
                [[int(word, 16) for word in words] for words in state]
                for state in (pair["before"], pair["after"])
            )
            states.append((before, after))
        segments.append(
            Segment(mode, entry["alpha"], entry["beats"], entry["rounds"], constants, states)
        )
    return segments


def lane(segment, random):
    """Loads the constants, sends the states through, and compares what leaves."""
    mode = segment.mode
    config = segment.beats << CONFIG_BITS_BELOW_STEPS + CONFIG_BITS_OF_BEATS
    config |= segment.code << CONFIG_BITS_BELOW_STEPS + 2 * CONFIG_BITS_OF_BEATS
    settings = {
        "goldilocks_i": mode.goldilocks,
        "prime_i": mode.prime,
        "config_i": config,
        "num_rounds_i": segment.rounds,
        "number_i": NUMBER,
    }
    for (bank, index), word in segment.constants.items():
        write = word | index << WORD_BITS | bank << WORD_BITS + 8 | NUMBER << WORD_BITS + 12
        yield {**settings, "constant_write_i": write | 1 << WORD_BITS + 16}
    waiting = deque(enumerate(segment.states))
    inside, compared, cycle = deque(), 0, 0
    position = taken = 0
    offered = taking = False
    # Some lanes keep the sub-engine full, some make it wait for new states or for its user.
    offer, take = random.choice([(1.0, 1.0), (0.1, 1.0), (1.0, 0.1), (0.4, 0.4)])
    while waiting or inside:
        offered = offered or (bool(waiting) and random.random() < offer)
        given = {**settings, "take_i": int(taking)}
        if offered:
            number, (before, _) = waiting[0]
            given |= {"valid_i": 1, "state_i": beat(before[position]), "tag_i": number % 256}
        outputs = yield given
        if offered and outputs["take_o"]:
            position += 1
            if position == segment.beats:
                inside.append(waiting.popleft())
                position, offered = 0, False
        if taking:
            check(cycle, "valid_o", 1, outputs["valid_o"], given)
        if outputs["valid_o"]:
            check(cycle, "whether a state is inside", 1, int(bool(inside)), {})
            number, (_, after) = inside[0]
            check(cycle, "tag_o", number % 256, outputs["tag_o"], given)
            check(cycle, "state_o", beat(after[taken]), outputs["state_o"], given)
            compared += 2
        if taking:
            taken += 1
            if taken == segment.beats:
                inside.popleft()
                taken, taking = 0, False
        else:
            # What is there stays until it is taken; the beats of a state follow one another.
            taking = bool(outputs["valid_o"]) and random.random() < take
        cycle += 1
        check(cycle, "whether all states left in time", 1, int(cycle < PATIENCE), {})
    outputs = yield settings
    check(cycle, "idle_o", 1, outputs["idle_o"], {})
    return compared


def engine_lanes(random, number):
    """Lanes with random constants of every kind of state, and with those of presets."""
    segments = read_reference()
    kinds = [
        (mode, alpha, beats)
        for alpha in (5, 3, 7)
        for mode in (Large(), Goldilocks())
        for beats in ((1,) if mode.goldilocks else (1, 2, 3, 4))
    ]
    while len(segments) < number:
        mode, alpha, beats = kinds[len(segments) % len(kinds)]
        rounds = random.randint(1, 4)
        segments.append(random_segment(mode, alpha, beats, rounds, random.randint(4, 24), random))
    return [lane(segment, random) for segment in segments[:number]]


def blocks():
    """The sub-engine."""
    yield Block(
        "partial_round_engine", "acclmt_partial_round_engine", {}, engine_lanes, 64, large=True
    )
