# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""The blocks that are simulated, what they are given and what must come out.

A lane is a generator: it yields what the inputs are in a cycle and gets what the outputs then are. It
raises `Mismatch` where they are not what the integers of Python say.
"""

import random as random_numbers
import re
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from fields import (
    CHUNK_BITS,
    MOST_PRODUCTS,
    PRIMES,
    SLICE_BITS,
    SLICES,
    WORD_BITS,
    Goldilocks,
    Large,
    grow,
    join,
    power,
    split,
    wide_corners,
)

LATENCY_PACKAGE = Path(__file__).resolve().parents[2] / "rtl" / "pkg" / "acclmt_latency_pkg.sv"
LANES_OF_BEAT = 3
PRODUCT_BITS = 2 * WORD_BITS
# Code of the exponent of the S-box -> the exponent.
EXPONENTS = {0: 3, 1: 5, 2: 7}
# Between two lines about the progress.
SECONDS_OF_SILENCE = 10
# Random operand sets of a mode, besides the corners.
RANDOM_SETS = 1000


class Mismatch(Exception):
    """A block gave a wrong result."""

    def __init__(self, cycle, port, expected, found, inputs):
        super().__init__(
            f"in cycle {cycle} of a run {port} is {found:x} in place of {expected:x}; "
            f"inputs: {', '.join(f'{name} = {value:x}' for name, value in inputs.items())}"
        )


def check(cycle, port, expected, found, inputs):
    """Raises `Mismatch` if `found` is not what is expected."""
    if expected != found:
        raise Mismatch(cycle, port, expected, found, inputs)


def read_latencies(file=LATENCY_PACKAGE):
    """Latencies of the design, in cycles."""
    found = re.findall(r"localparam int unsigned (\w+) = (\d+);", file.read_text())
    return {name: int(value) for name, value in found}


LATENCIES = read_latencies()


def reduce_latency(reduction):
    """Of the Montgomery reduction, as in acclmt_pkg."""
    if reduction:
        return LATENCIES["RuntimeDigits"] + LATENCIES["RuntimeReduceStages"]
    return LATENCIES["ReduceLatency"]


@dataclass
class Block:
    """A module with parameters; `lanes(random, number)` makes the generators of the lanes."""

    name: str
    top: str
    parameters: dict
    lanes: callable
    # Lanes to simulate side by side.
    number: int = 256
    # What is too large for a quick check.
    large: bool = False


def static(mode):
    """Inputs that do not change."""
    return {"goldilocks_i": mode.goldilocks, "prime_i": mode.prime}


def modes(reduction):
    """The fields that lanes are simulated in, in turn."""
    large = [Large(prime, 1) for prime in PRIMES] if reduction else [Large()]
    return [mode for one in large for mode in (one, Goldilocks(reduction))]


def pipeline_lane(mode, operands, expected):
    """Gives operand sets one a cycle; `expected(mode, inputs)`: (cycle, port) -> value."""
    inputs = [{**static(mode), **operand} for operand in operands]
    results = expected(mode, inputs)
    by_cycle = {}
    for (cycle, port), value in results.items():
        by_cycle.setdefault(cycle, []).append((port, value))
    compared = 0
    for cycle in range(max(by_cycle) + 1):
        given = inputs[min(cycle, len(inputs) - 1)]
        outputs = yield given
        for port, value in by_cycle.get(cycle, []):
            check(cycle, port, value, outputs[port], given)
            compared += 1
    return compared


def pipeline(operands, expected, reduction=0):
    """Lanes of a block that takes an operand set a cycle; `operands(mode, random)` is a list."""

    def lanes(random, number):
        found = modes(reduction)
        share = -(-number // len(found))
        made = []
        for mode in found:
            sets = operands(mode, random)
            length = max(1, -(-len(sets) // share))
            for i in range(share):
                start = i * length
                own = sets[start : start + length] or sets[:length]
                made.append(pipeline_lane(mode, own, expected))
        return spread(made, share, number)

    return lanes


def spread(made, share, number):
    """Takes the lanes of all modes in turn, so that none is cut off."""
    groups = [made[i : i + share] for i in range(0, len(made), share)]
    return [group[i] for i in range(share) for group in groups][:number]


def delayed(latency, port, function):
    """Expected results `latency` cycles after each operand set."""

    def expected(mode, inputs):
        return {(i + latency, port): function(mode, x) for i, x in enumerate(inputs)}

    return expected


def first_operand(mode, coefficient, element, negative):
    """The sum of a coefficient and an element, or p - x, in Goldilocks mode in slice 0."""
    total = mode.operand(coefficient, element)
    if not negative:
        return total
    if not mode.goldilocks:
        return mode.negative(element)
    return total >> SLICE_BITS << SLICE_BITS | mode.negative(element)


# ---- Operands ---------------------------------------------------------------------------------------


def wide_pairs(_mode, random):
    """Every pair of corners, then random ones, of 256 bits."""
    corners = wide_corners()
    pairs = [(a, b) for a in corners for b in corners]
    pairs += [
        (random.getrandbits(WORD_BITS), random.getrandbits(WORD_BITS)) for _ in range(RANDOM_SETS)
    ]
    return [{"a_i": a, "b_i": b} for a, b in pairs]


def wide_words(_mode, random):
    """Corners, then random words, of 256 bits."""
    words = wide_corners() * 2 + [random.getrandbits(WORD_BITS) for _ in range(RANDOM_SETS)]
    random.shuffle(words)
    return [{"a_i": word} for word in words]


def residue_pairs(mode, random):
    """Every pair of corners, random ones, and pairs whose sum is next to the modulus."""
    corners = mode.corners()
    pairs = [(a, b) for a in corners for b in corners]
    pairs += [(mode.random(random), mode.random(random)) for _ in range(RANDOM_SETS)]
    for distance in (-1, 0, 1):
        for _ in range(16):
            a = mode.random(random)
            pairs.append((a, complement(mode, a, distance)))
    return pairs


def complement(mode, a, distance):
    """What makes `a` the modulus, or a number next to it."""
    if mode.goldilocks:
        prime = 2**64 - 2**32 + 1
        return join((prime + distance - x) % prime for x in split(a))
    return (mode.prime + distance - a) % mode.prime


def steps(random, count):
    """Which steps of sums begin a new one."""
    return [int(i == 0 or random.random() < 1 / 6) for i in range(count)]


def sum_in_chunks(mode, random, most):
    """A sum of up to so many products, its carries not resolved."""
    largest = complement(mode, 0, -1)
    total = 0
    for _ in range(4):
        a, b = (largest if random.random() < 0.3 else mode.random(random) for _ in range(2))
        total = grow(total, mode.product(a, b), times=random.randint(0, most // 4))
    return total


def accumulate_lanes():
    """Lanes of `acclmt_accumulate`."""

    def lane(mode, random):
        largest = complement(mode, 0, -1)
        inputs, results = [], {}
        total = 0
        for i, first in enumerate(steps(random, 30)):
            pairs = [
                (largest, largest)
                if i < 15 and random.random() < 0.5
                else (mode.random(random), mode.random(random))
                for _ in range(LANES_OF_BEAT)
            ]
            products = [mode.product(a, b) for a, b in pairs]
            initial = sum_in_chunks(mode, random, MOST_PRODUCTS // 2)
            total = grow(initial if first else total, *products)
            inputs.append(
                {
                    "first_i": first,
                    "initial_i": initial,
                    "product_i": join_products(products),
                }
            )
            results[i + LATENCIES["AccumulateLatency"], "sum_o"] = mode.resolve(total)
        return pipeline_lane(mode, inputs, lambda *_: results)

    return each_mode(lane)


def join_products(products):
    """Products side by side."""
    return join(products, PRODUCT_BITS)


def each_mode(lane, reduction=0):
    """Lanes of all modes in turn, each made by `lane(mode, random)`."""

    def lanes(random, number):
        found = modes(reduction)
        return [lane(found[i % len(found)], random) for i in range(number)]

    return lanes


def pair_row_lanes():
    """Lanes of `acclmt_pair_row`: running sums of products of sums, with something to begin with."""
    to_product = LATENCIES["OperandLatency"] + LATENCIES["MulLatency"]
    latency = to_product + LATENCIES["AccumulateLatency"] + reduce_latency(0)

    def lane(mode, random):
        count = 24
        corners = mode.corners()
        inputs = [{"first_i": 1, "initial_i": 0} for _ in range(count + to_product)]
        results = {}
        total = 0
        for i, first in enumerate(steps(random, count)):
            a, x, b, y = (
                [
                    random.choice(corners) if random.random() < 0.3 else mode.random(random)
                    for _ in range(LANES_OF_BEAT)
                ]
                for _ in range(4)
            )
            operands = {"a_i": beat(a), "x_i": beat(x), "b_i": beat(b), "y_i": beat(y)}
            initial = sum_in_chunks(mode, random, MOST_PRODUCTS // 2)
            inputs[i] |= operands
            inputs[i + to_product] |= {"first_i": first, "initial_i": initial}
            products = [
                mode.product(mode.operand(a[k], x[k]), mode.operand(b[k], y[k]))
                for k in range(LANES_OF_BEAT)
            ]
            total = grow(initial if first else total, *products)
            results[i + latency, "result_o"] = mode.reduce(total)
        return pipeline_lane(mode, inputs, lambda *_: results)

    return each_mode(lane)


def beat(words):
    """Words side by side."""
    return join(words, WORD_BITS)


# Exponents of `acclmt_pkg::sbox_e`.
POWERS = {1: 2, 2: 4, 3: 3, 4: 5, 5: 7}


def sbox_lanes(random, number):
    """Lanes of `acclmt_sbox`: all powers without a base, and the choice between x and its power."""
    latency = 3 * (LATENCIES["MulLatency"] + reduce_latency(0))

    def lane(mode, code, words):
        spacing = 2 if POWERS[code] == 7 else 1
        inputs, results = [], {}
        for cycle in range(len(words) * spacing + latency):
            valid = cycle % spacing == 0 and cycle // spacing < len(words)
            inputs.append(
                {
                    "power_i": code,
                    "base_i": 0,
                    "valid_i": int(valid),
                    "x_i": words[cycle // spacing] if valid else mode.random(random),
                    "bypass_i": random.randrange(16),
                }
            )
        for i, word in enumerate(words):
            end = i * spacing + latency
            if end == len(inputs):
                inputs.append(dict(inputs[-1], valid_i=0))
            chosen = zip(range(SLICES), split(word), split(power(mode, word, POWERS[code])))
            bypass = inputs[end]["bypass_i"]
            results[end, "y_o"] = join(x if bypass >> s & 1 else y for s, x, y in chosen)
        return pipeline_lane(mode, inputs, lambda *_: results)

    made = []
    for mode in modes(0):
        corners = mode.corners()
        for code in POWERS:
            share = -(-number // 10)
            words = corners + [mode.random(random) for _ in range(12 * share - len(corners))]
            made += [lane(mode, code, words[i::share]) for i in range(share)]
    return spread(made, -(-number // 10), number)


# ---- Blocks with a handshake ------------------------------------------------------------------------


def conversion_lanes(names, pipeline_cycles, convert, reduction):
    """Lanes of a conversion: words come out once, in order, with their labels, and in time."""
    word_in, word_out = names
    # Cycles of the buffer at the end.
    buffer = LATENCIES["FifoLatency"]
    places = pipeline_cycles + LATENCIES["PlacesBesidesStages"]

    def lane(mode, random):
        words = mode.corners() + wide_corners() + [mode.random(random) for _ in range(40)]
        if mode.goldilocks:
            words += [(2**64 - 2**32 + 1) << 64 * s for s in range(SLICES)]
        radix_squared = 1 if mode.goldilocks else mode.radix * mode.radix % mode.prime
        inside, compared, cycle, taken_out = deque(), 0, 0, 0
        # Whether the word that was taken in the cycle before is none.
        wrong = 0
        paces = [(1.0, 1.0), (0.5, 0.5), (1.0, 0.2), (0.2, 1.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
        for offer, take in paces:
            for _ in range(2 * places):
                word, label = random.choice(words), random.randrange(2)
                given = {
                    **static(mode),
                    "radix_squared_i": radix_squared,
                    "clear_i": 0,
                    "valid_i": int(random.random() < offer),
                    "ready_i": int(random.random() < take),
                    word_in: word,
                    "label_i": label,
                    "label_set_i": 0,
                }
                outputs = yield given
                # Two words may be in the buffer's head and on their way to it.
                if len(inside) < places:
                    check(cycle, "ready_o", 1, outputs["ready_o"], given)
                    compared += 1
                if "idle_o" in outputs:
                    check(cycle, "idle_o", int(not inside), outputs["idle_o"], given)
                    compared += 1
                if not inside or cycle < inside[0][1] + pipeline_cycles + buffer:
                    check(cycle, "valid_o", 0, outputs["valid_o"], given)
                elif len(inside) == 1:
                    check(cycle, "valid_o", 1, outputs["valid_o"], given)
                if outputs["valid_o"]:
                    check(cycle, word_out, inside[0][0], outputs[word_out], given)
                    check(cycle, "label_o", inside[0][2], outputs["label_o"], given)
                    compared += 3
                accepted = given["valid_i"] and outputs["ready_o"]
                if "not_below_prime_o" in outputs:
                    check(cycle, "not_below_prime_o", wrong, outputs["not_below_prime_o"], given)
                    wrong = int(bool(accepted) and not mode.is_element(word))
                if outputs["valid_o"] and given["ready_i"]:
                    inside.popleft()
                    taken_out += 1
                if accepted:
                    inside.append((convert(mode, word), cycle, label))
                cycle += 1
        check(cycle, "words that stay inside", 0, len(inside), {})
        check(cycle, "whether words came out", 1, int(taken_out > places), {})
        return compared

    return each_mode(lane, reduction)


def fifo_lanes(depth):
    """Lanes of `acclmt_fifo`."""

    def lane(_mode, random):
        inside, compared = deque(), 0
        for cycle in range(160):
            push, pop = [(7, 3), (3, 7), (8, 8), (8, 0), (0, 8), (5, 5), (8, 1), (1, 8)][
                cycle // 20
            ]
            given = {
                "valid_i": int(random.randrange(8) < push),
                "ready_i": int(random.randrange(8) < pop),
                "clear_i": int(random.randrange(50) == 0),
                "data_i": random.getrandbits(WORD_BITS),
            }
            outputs = yield given
            if len(inside) < depth:
                check(cycle, "ready_o", 1, outputs["ready_o"], given)
            if not inside:
                check(cycle, "valid_o", 0, outputs["valid_o"], given)
            elif cycle >= inside[0][1] + LATENCIES["FifoLatency"]:
                check(cycle, "valid_o", 1, outputs["valid_o"], given)
            if outputs["valid_o"]:
                check(cycle, "data_o", inside[0][0], outputs["data_o"], given)
            compared += 1 + outputs["valid_o"]
            if outputs["valid_o"] and given["ready_i"]:
                inside.popleft()
            if outputs["ready_o"] and given["valid_i"]:
                inside.append((given["data_i"], cycle))
            check(
                cycle, "words inside beyond the capacity", 0, max(0, len(inside) - depth - 1), given
            )
            if given["clear_i"]:
                inside.clear()
        return compared

    return each_mode(lane)


# ---- The list ---------------------------------------------------------------------------------------


def reduction_blocks():
    """Reductions by both kinds of prime."""

    def sums(mode, random):
        return [{"value_i": value} for value in mode.sums(random, RANDOM_SETS)]

    def residue(latency):
        return delayed(latency, "residue_o", lambda mode, x: mode.reduce(x["value_i"]))

    goldilocks = {"goldilocks_i", "prime_i"}

    def slices(random, number):
        mode = Goldilocks()
        sets = sums(mode, random)
        # The block has no modes.
        made = []
        for i in range(number):
            made.append(without(goldilocks, pipeline_lane(mode, sets[i::number], residue(1))))
        return made

    yield Block("reduce_goldilocks", "acclmt_reduce_goldilocks", {}, slices)
    yield Block(
        "reduce_constant",
        "acclmt_reduce_constant",
        {},
        pipeline(sums, residue(reduce_latency(0))),
    )
    yield Block(
        "reduce_runtime",
        "acclmt_reduce_runtime",
        {},
        pipeline(sums, residue(reduce_latency(1)), reduction=1),
    )


def without(names, lane):
    """The lane without some inputs."""
    given = next(lane)
    while True:
        outputs = yield {name: value for name, value in given.items() if name not in names}
        try:
            given = lane.send(outputs)
        except StopIteration as stop:
            return stop.value


def blocks():
    """All blocks, the small ones first."""
    multiply = LATENCIES["MulLatency"]

    def pairs(mode, random):
        return [{"a_i": a, "b_i": b} for a, b in residue_pairs(mode, random)]

    def operands(mode, random):
        return [
            {"coefficient_i": a, "element_i": b, "negative_i": random.randrange(2)}
            for a, b in residue_pairs(mode, random)
        ]

    def operand(mode, x):
        return first_operand(mode, x["coefficient_i"], x["element_i"], x["negative_i"])

    def four_words(mode, random):
        corners = mode.corners()
        return [
            {
                "a_i": a,
                "x_i": b,
                "b_i": random.choice(corners),
                "y_i": mode.random(random) if i % 2 else random.choice(corners),
                "negative_i": random.randrange(2),
            }
            for i, (a, b) in enumerate(residue_pairs(mode, random))
        ]

    def pair_product(mode, x):
        left = first_operand(mode, x["a_i"], x["x_i"], x["negative_i"])
        return mode.product(left, mode.operand(x["b_i"], x["y_i"]))

    def slot_sums(_mode, random):
        product = (1 << PRODUCT_BITS) - 1
        return [
            {
                "keep_i": random.randrange(4) > 0,
                "sum_i": random.getrandbits(SLICES * CHUNK_BITS),
                "product_i": random.choice([product, random.getrandbits(PRODUCT_BITS)]),
                "common_i": random.choice([product, random.getrandbits(PRODUCT_BITS)]),
            }
            for _ in range(RANDOM_SETS)
        ]

    def slot_sum(_mode, x):
        return grow(x["sum_i"] if x["keep_i"] else 0, x["product_i"], x["common_i"])

    def words(_mode, random):
        return [{"data_i": random.getrandbits(WORD_BITS)} for _ in range(RANDOM_SETS)]

    add = delayed(LATENCIES["AddLatency"], "sum_o", lambda mode, x: mode.add(x["a_i"], x["b_i"]))
    yield Block("mod_add", "acclmt_mod_add", {}, pipeline(pairs, add))
    yield Block(
        "mod_add_runtime", "acclmt_mod_add", {"Reduction": 1}, pipeline(pairs, add, reduction=1)
    )
    yield Block(
        "delay",
        "acclmt_delay",
        {"Width": WORD_BITS, "Cycles": 26},
        pipeline(words, delayed(26, "data_o", lambda _mode, x: x["data_i"])),
    )
    yield Block("fifo", "acclmt_fifo", {"Width": WORD_BITS, "Depth": 5}, fifo_lanes(5))
    for reduction in (0, 1):
        yield Block(
            "operand_add" + ("_runtime" if reduction else ""),
            "acclmt_operand_add",
            {"Negative": 1} | ({"Reduction": reduction} if reduction else {}),
            pipeline(operands, delayed(LATENCIES["OperandLatency"], "operand_o", operand), reduction),
        )
    yield Block("slot_sum", "acclmt_slot_sum", {}, pipeline(slot_sums, delayed(1, "sum_o", slot_sum)))
    yield Block("accumulate", "acclmt_accumulate", {}, accumulate_lanes())
    yield from reduction_blocks()
    for reduction in (0, 1):
        product = multiply if reduction else LATENCIES["EnterProductLatency"]
        suffix = "_runtime" if reduction else ""
        parameters = {"Reduction": reduction} if reduction else {}
        yield Block(
            "to_montgomery" + suffix,
            "acclmt_to_montgomery",
            parameters,
            conversion_lanes(
                ("element_i", "residue_o"),
                product + reduce_latency(reduction),
                lambda mode, word: mode.enter(word),
                reduction,
            ),
            64,
            large=True,
        )
        yield Block(
            "from_montgomery" + suffix,
            "acclmt_from_montgomery",
            parameters,
            conversion_lanes(
                ("residue_i", "element_o"),
                reduce_latency(reduction),
                lambda mode, word: mode.leave(word),
                reduction,
            ),
            64,
            large=bool(reduction),
        )
    product = delayed(multiply, "product_o", lambda mode, x: mode.product(x["a_i"], x["b_i"]))
    square = delayed(multiply, "square_o", lambda mode, x: mode.product(x["a_i"], x["a_i"]))
    yield Block("mul", "acclmt_mul", {}, pipeline(wide_pairs, product), large=True)
    yield Block("sqr", "acclmt_sqr", {}, pipeline(wide_words, square), large=True)
    paired = delayed(LATENCIES["OperandLatency"] + multiply, "product_o", pair_product)
    yield Block(
        "pair_product",
        "acclmt_pair_product",
        {"Negative": 1},
        pipeline(four_words, paired),
        large=True,
    )
    yield Block("sbox", "acclmt_sbox", {}, sbox_lanes, large=True)
    yield Block("pair_row", "acclmt_pair_row", {}, pair_row_lanes(), large=True)


def run(block, simulation, seed, say=lambda _: None):
    """Simulates a block; returns the number of values compared and of cycles."""
    random = random_numbers.Random(seed)
    lanes = block.lanes(random, simulation.lanes)
    inputs = [port for port, (direction, _) in simulation.ports.items() if direction == "input"]
    inputs.remove("clk_i")
    outputs = [port for port, (direction, _) in simulation.ports.items() if direction == "output"]
    for port in inputs:
        simulation.set(port, 0)
    if "rst_ni" in inputs:
        inputs.remove("rst_ni")
        for _ in range(2):
            simulation.evaluate()
            simulation.clock()
        simulation.set("rst_ni", 1)
    given = [next(lane) for lane in lanes]
    running, compared, cycles, said = len(lanes), 0, 0, time.time()
    lanes = list(lanes)
    while running:
        for port in inputs:
            simulation.set(port, [x.get(port, 0) for x in given])
        simulation.evaluate()
        found = {port: simulation.get(port) for port in outputs}
        for i, lane in enumerate(lanes):
            if lane is None:
                continue
            try:
                given[i] = lane.send({port: values[i] for port, values in found.items()})
            except StopIteration as stop:
                lanes[i] = None
                running -= 1
                compared += stop.value
        simulation.clock()
        cycles += 1
        if time.time() > said + SECONDS_OF_SILENCE:
            said = time.time()
            say(f"  {block.name}: cycle {cycles}, {running} of {simulation.lanes} runs to finish")
    return compared, cycles
