# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""The partial-round sub-engine and the exit of the recurrence: constants are loaded, states enter at random
paces, and each must leave as the integers of Python say."""

import json
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from blocks import EXPONENTS, LANES_OF_BEAT, Block, beat, check
from fields import (
    CHUNK_BITS,
    MOST_PRODUCTS,
    SLICE_BITS,
    SLICES,
    WORD_BITS,
    Goldilocks,
    Large,
    grow,
    join,
    power,
    split,
)

REFERENCE = Path(__file__).resolve().parent / "partial_rounds.json"
# Fields of `acclmt_pkg::engine_config_t` and their bits, from the top.
CONFIG_FIELDS = (
    ("alpha", 2),
    ("width", 5),
    ("sbox_width", 5),
    ("beats", 3),
    ("steps", 3),
    ("full_interval", 4),
    ("spacing", 3),
    ("grid", 3),
    ("partial_interval", 3),
    ("digest_short", 1),
    ("digest_beats", 3),
    ("pairs", 1),
    ("last_pairs", 2),
    ("skew", 4),
    ("order", 5),
    ("output_enters", 1),
    ("adders", 1),
    ("passes_first", 16),
    ("passes_last", 16),
    ("partial_rounds", 48),
    ("partial_base", 8),
    ("input_words", 4),
    ("digest_words", 4),
    ("input_map", 120),
    ("digest_map", 120),
)
INDEX_BITS, BANK_BITS, SUB_ENGINE_BITS = 8, 5, 4
LANE_BITS = SLICES * CHUNK_BITS
ELEMENTS = LANES_OF_BEAT * SLICES
CONSTANT_BANK = 2 * LANES_OF_BEAT
# Cycles after which a state that did not leave is given up.
PATIENCE = 3000


def configuration(**values):
    """A configuration of a hash engine, its other fields zero."""
    word = 0
    for name, bits in CONFIG_FIELDS:
        word = word << bits | values.pop(name, 0)
    if values:
        raise ValueError(f"the configuration has no field {next(iter(values))}")
    return word


@dataclass
class Segment:
    """Rounds of a recurrence, in the form in which the chip has them, on one sub-engine.

    A state is a list of places. Place 0 is the element, and above it the output of the S-box before it; place i
    is sum i in chunks, in Goldilocks mode one chunk. In the first round of a hash, that of sub-engine 1, every
    place is a residue.
    """

    mode: object
    alpha: int
    width: int
    order: int
    output_enters: bool
    number: int
    rounds: int
    # (bank, index) -> word.
    constants: dict
    # States before and after.
    states: list

    @property
    def beats(self):
        """Of a state."""
        return 1 if self.mode.goldilocks else -(-self.width // LANES_OF_BEAT)

    @property
    def places(self):
        """Places of a state, those beyond its width, too."""
        return ELEMENTS if self.mode.goldilocks else self.beats * LANES_OF_BEAT

    @property
    def alpha_code(self):
        """Of the exponent."""
        return next(code for code, exponent in EXPONENTS.items() if exponent == self.alpha)

    @property
    def partial_interval(self):
        """Cycles of a round."""
        return 2 if self.beats == 1 and self.alpha == 7 else self.beats

    @property
    def config(self):
        """What the sub-engine is configured with."""
        return configuration(
            alpha=self.alpha_code,
            width=self.width,
            sbox_width=self.width,
            beats=self.beats,
            partial_interval=self.partial_interval,
            order=self.order,
            output_enters=int(self.output_enters),
        )

    def is_fresh(self, number=0):
        """Whether a round is the first one of a hash."""
        return self.number == 1 and number == 0


def element_bits(mode):
    """Of an element in place 0."""
    return SLICE_BITS if mode.goldilocks else WORD_BITS


def elements_of(mode, state):
    """The elements of words by beats, in order: element 3 i + lane is in lane `lane`, in beat or slice i."""
    if not mode.goldilocks:
        return [word for words in state for word in words]
    lanes = [split(word) for word in state[0]]
    return [lanes[lane][s] for s in range(SLICES) for lane in range(LANES_OF_BEAT)]


def beats_of(mode, places, bits):
    """States of places as beats of lanes, with slices of so many bits in Goldilocks mode."""
    if mode.goldilocks:
        lanes = [places[lane::LANES_OF_BEAT] for lane in range(LANES_OF_BEAT)]
        return [[join(slices, bits) for slices in lanes]]
    return [places[i : i + LANES_OF_BEAT] for i in range(0, len(places), LANES_OF_BEAT)]


def halves(mode, place):
    """The element, and the output of the S-box before it, of place 0."""
    bits = element_bits(mode)
    return place & (1 << bits) - 1, place >> bits


def partial_rounds(segment, places):
    """The state after the rounds of the segment."""
    mode = segment.mode
    for number in range(segment.rounds):
        fresh = segment.is_fresh(number)
        a, b = (
            elements_of(
                mode,
                [
                    [
                        segment.constants[first + lane, number * segment.beats + i]
                        for lane in range(LANES_OF_BEAT)
                    ]
                    for i in range(segment.beats)
                ],
            )
            for first in (0, LANES_OF_BEAT)
        )
        y, x = (places[0], 0) if fresh else halves(mode, places[0])
        common = mode.product(mode.negative(x), y)
        sums = []
        for place in range(1, len(places)):
            other = places[place] if fresh else y
            product = mode.product(mode.operand(a[place], x), mode.operand(b[place], other))
            sums.append(grow(0 if fresh else places[place], product, common))
        x = power(mode, y, segment.alpha)
        y = mode.add(mode.reduce(sums[0]), segment.constants[CONSTANT_BANK, number * segment.beats])
        if segment.output_enters:
            y = mode.add(y, x)
        sums[: segment.order] = [*sums[1 : segment.order], 0]
        places = [y | x << element_bits(mode), *sums]
    return places


def residues(segment, places):
    """The state as the layer behind the recurrence takes it: elements, zero beyond the width."""
    y, x = halves(segment.mode, places[0])
    found = [y, *(segment.mode.reduce(place) for place in places[1 : segment.width])]
    found[segment.order] = x
    return found + [0] * (segment.places - segment.width)


def random_segment(mode, alpha, width, number, rounds, states, random):
    """Rounds of random constants and corners, and states for them."""
    corners = mode.corners()
    segment = Segment(
        mode,
        alpha,
        width,
        random.choice([width - 1, random.randrange(1, width)]),
        random.random() < 0.75,
        number,
        rounds,
        {},
        [],
    )

    def word():
        return random.choice(corners) if random.random() < 0.2 else mode.random(random)

    def element():
        return split(word())[0] if mode.goldilocks else word()

    for index in range(rounds * segment.beats):
        for bank in range(CONSTANT_BANK):
            value = word()
            if bank % LANES_OF_BEAT == 0 and index % segment.beats == 0:
                # Place 0 has no coefficients.
                value = value >> SLICE_BITS << SLICE_BITS if mode.goldilocks else 0
            segment.constants[bank, index] = value
    for index in range(rounds):
        segment.constants[CONSTANT_BANK, index * segment.beats] = element()

    def total():
        found = 0
        for _ in range(2):
            times = random.randint(0, MOST_PRODUCTS // 2 - rounds)
            found = grow(found, mode.product(element(), element()), times=times)
        return found

    for _ in range(states):
        if segment.is_fresh():
            before = [element() for _ in range(segment.places)]
        else:
            first = element() | element() << element_bits(mode)
            before = [first, *(total() for _ in range(1, segment.places))]
        segment.states.append((before, partial_rounds(segment, before)))
    return segment


def read_reference(file=REFERENCE):
    """Segments of presets with states of real hashes, which the Rust reference wrote; the states behind them are
    residues."""
    segments = []
    for entry in json.loads(Path(file).read_text()):
        mode = Goldilocks() if entry["goldilocks"] else Large()
        constants = {(c["bank"], c["index"]): int(c["word"], 16) for c in entry["constants"]}
        states = [
            tuple(
                elements_of(mode, [[int(word, 16) for word in words] for words in pair[when]])
                for when in ("before", "after")
            )
            for pair in entry["states"]
        ]
        segment = Segment(
            mode,
            entry["alpha"],
            entry["width"],
            entry["order"],
            entry["output_enters"],
            1,
            entry["rounds"],
            constants,
            states,
        )
        segments.append(segment)
    return segments


def known_bits(segment):
    """What is told of the places of a state that leaves: a mask for each. Those beyond its width hold what it is."""
    place = (1 << (CHUNK_BITS if segment.mode.goldilocks else LANE_BITS)) - 1
    masks = [(1 << 2 * element_bits(segment.mode)) - 1] + [place] * (segment.width - 1)
    return masks + [0] * (segment.places - segment.width)


def engine_lane(segment, random):
    """Loads the constants, sends the states through, and compares what leaves."""
    mode = segment.mode
    settings = {
        "goldilocks_i": mode.goldilocks,
        "prime_i": mode.prime,
        "configs_i": segment.config,
        "num_rounds_i": segment.rounds,
        "alpha_i": segment.alpha_code,
        "grid_i": segment.partial_interval,
        "most_beats_i": segment.beats,
        "pass_through_i": 0,
        "number_i": segment.number,
    }
    for (bank, index), word in segment.constants.items():
        write = 1 << SUB_ENGINE_BITS | segment.number
        write = (write << BANK_BITS | bank) << INDEX_BITS | index
        yield {**settings, "constant_write_i": write << WORD_BITS | word}
    masks = known_bits(segment)
    known = [beat_of_lanes(lanes) for lanes in beats_of(mode, masks, CHUNK_BITS)]
    states = []
    for before, after in segment.states:
        bits = SLICE_BITS if segment.is_fresh() else CHUNK_BITS
        after = [place & mask for place, mask in zip(after, masks)]
        states.append(
            (
                [beat_of_lanes(lanes) for lanes in beats_of(mode, before, bits)],
                [beat_of_lanes(lanes) for lanes in beats_of(mode, after, CHUNK_BITS)],
            )
        )
    return (yield from transfer(settings, states, known, random))


def exit_lane(segment, random):
    """Sends states of sums through the exit, and compares the residues that leave."""
    mode = segment.mode
    settings = {
        "goldilocks_i": mode.goldilocks,
        "prime_i": mode.prime,
        "configs_i": segment.config,
    }
    states = [
        (
            [beat_of_lanes(lanes) for lanes in beats_of(mode, before, CHUNK_BITS)],
            [beat(words) for words in beats_of(mode, residues(segment, before), SLICE_BITS)],
        )
        for before, _ in segment.states
    ]
    known = [(1 << LANES_OF_BEAT * WORD_BITS) - 1] * segment.beats
    return (yield from transfer(settings, states, known, random))


def beat_of_lanes(lanes):
    """Lanes of sums side by side."""
    return join(lanes, LANE_BITS)


def transfer(settings, states, known, random):
    """Sends states (beats before and after) through a block with a handshake for states, and compares of what
    leaves the bits that are known."""
    beats = len(known)
    waiting = deque(enumerate(states))
    inside, compared, cycle = deque(), 0, 0
    position = taken = 0
    offered = taking = False
    # Some lanes keep the block full, some make it wait for new states or for its user.
    offer, take = random.choice([(1.0, 1.0), (0.1, 1.0), (1.0, 0.1), (0.4, 0.4)])
    while waiting or inside:
        offered = offered or (bool(waiting) and random.random() < offer)
        given = {**settings, "take_i": int(taking)}
        if offered:
            number, (before, _) = waiting[0]
            given |= {"valid_i": 1, "state_i": before[position], "tag_i": number % 256}
        outputs = yield given
        if offered and outputs["take_o"]:
            position += 1
            if position == beats:
                inside.append(waiting.popleft())
                position, offered = 0, False
        if taking:
            check(cycle, "valid_o", 1, outputs["valid_o"], given)
        if outputs["valid_o"]:
            check(cycle, "whether a state is inside", 1, int(bool(inside)), {})
            number, (_, after) = inside[0]
            check(cycle, "tag_o", number % 256, outputs["tag_o"], given)
            check(cycle, "state_o", after[taken], outputs["state_o"] & known[taken], given)
            compared += 2
        if taking:
            taken += 1
            if taken == beats:
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


def kinds(random):
    """Field, exponent and width of every kind of state, again and again."""
    while True:
        for alpha in (5, 3, 7):
            for mode in (Large(), Goldilocks()):
                for groups in range(1, SLICES + 1):
                    yield mode, alpha, random.randint(max(2, 3 * groups - 2), 3 * groups)


def engine_lanes(random, number):
    """Lanes with random constants of every kind of state, and with those of presets."""
    segments = read_reference()
    for segment in segments:
        segment.states = [(before, partial_rounds(segment, before)) for before, _ in segment.states]
    for mode, alpha, width in kinds(random):
        if len(segments) >= number:
            break
        sub_engine, rounds = random.choice([1, 1, 2, 6]), random.randint(1, 4)
        states = random.randint(4, 24)
        segments.append(random_segment(mode, alpha, width, sub_engine, rounds, states, random))
    return [engine_lane(segment, random) for segment in segments[:number]]


def exit_lanes(random, number):
    """Lanes of the exit, of every kind of state."""
    states = kinds(random)
    return [
        exit_lane(random_segment(*next(states), 2, 0, random.randint(4, 24), random), random)
        for _ in range(number)
    ]


def blocks():
    """The exit and the sub-engine."""
    yield Block("sum_reduction", "acclmt_sum_reduction", {}, exit_lanes, 64, large=True)
    yield Block(
        "partial_round_engine", "acclmt_partial_round_engine", {}, engine_lanes, 64, large=True
    )
