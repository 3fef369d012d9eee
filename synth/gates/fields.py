# Copyright AcclMT contributors.
# SPDX-License-Identifier: Apache-2.0
"""The fields that the blocks compute in, with the integers of Python, and the corner values of operands.

They follow tb/tests/units.rs, where the same blocks are checked as RTL.
"""

WORD_BITS = 256
SLICES = 4
SLICE_BITS = 64
# Bits of a chunk of a sum, and of a chunk of a product in it.
CHUNK_BITS = 136
PRODUCT_CHUNK_BITS = 128
# Squares of the prime whose sum a reduction takes, and products that a chunk of a sum has room for.
MOST_SQUARES = 512
MOST_PRODUCTS = 2 ** (CHUNK_BITS - PRODUCT_CHUNK_BITS) - 1
GOLDILOCKS = 2**64 - 2**32 + 1
BLS12_381 = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
# Large primes of presets and of the Pasta curves, for the run-time modulus.
PRIMES = (
    BLS12_381,
    0x30644E72E131A029B85045B68181585D2833E84879B9709143E1F593F0000001,
    0x40000000000000000000000000000000224698FC094CF91B992D30ED00000001,
    0x40000000000000000000000000000000224698FC0994A8DD8C46EB2100000001,
    0x0800000000000011000000000000000000000000000000000000000000000001,
)
# log2 of the Montgomery radix: reduction by a constant prime, and by a run-time one.
RADIX_BITS = (264, 280)


def split(value, bits=SLICE_BITS):
    """The four slices, or chunks, of a word or sum."""
    return [value >> bits * i & (1 << bits) - 1 for i in range(SLICES)]


def join(slices, bits=SLICE_BITS):
    """The contrary of `split`."""
    return sum(value << bits * i for i, value in enumerate(slices))


def grow(total, *products, times=1):
    """A sum in chunks with products added, each so many times, without carries between the chunks."""
    chunks = split(total, CHUNK_BITS)
    for product in products:
        added = split(product, PRODUCT_CHUNK_BITS)
        chunks = [(a + times * b) % 2**CHUNK_BITS for a, b in zip(chunks, added)]
    return join(chunks, CHUNK_BITS)


class Large:
    """Montgomery residues of a large prime."""

    goldilocks = 0

    def __init__(self, prime=BLS12_381, reduction=0):
        self.prime = prime
        self.reduction = reduction
        self.radix = 1 << RADIX_BITS[reduction]
        self.inverse = pow(self.radix, -1, prime)

    def add(self, a, b):
        """a + b"""
        return (a + b) % self.prime

    def mul(self, a, b):
        """a * b / R"""
        return a * b * self.inverse % self.prime

    def operand(self, coefficient, element):
        """Their sum as a multiplier takes it."""
        return coefficient + element

    def negative(self, element):
        """p - x"""
        return self.prime - element

    def product(self, a, b):
        """The product as the multiplier gives it."""
        return a * b

    def reduce(self, value):
        """The residue of a sum in chunks."""
        return self.number(value) * self.inverse % self.prime

    def number(self, value):
        """The number that the chunks of a sum are."""
        return join(split(value, CHUNK_BITS), PRODUCT_CHUNK_BITS)

    def chunks(self, number):
        """A number as the chunks of a sum."""
        low = (1 << 3 * PRODUCT_CHUNK_BITS) - 1
        chunks = split(number & low, PRODUCT_CHUNK_BITS)
        chunks[3] = number >> 3 * PRODUCT_CHUNK_BITS
        return join(chunks, CHUNK_BITS)

    def resolve(self, value):
        """A sum in chunks with its carries resolved."""
        return self.chunks(self.number(value))

    def enter(self, word):
        """The residue of a word that comes in, which may be no element."""
        return word * self.radix % self.prime

    def leave(self, residue):
        """The element of a residue."""
        return residue * self.inverse % self.prime

    def is_element(self, word):
        """Whether the word is below the prime."""
        return word < self.prime

    def random(self, random):
        """A residue."""
        return random.randrange(self.prime)

    def corners(self):
        """Residues near 0, near the prime, and near powers of two."""
        p = self.prime
        values = [0, 1, 2, p - 1, p - 2, p // 2, p // 2 + 1]
        values += [self.radix % p, self.radix * self.radix % p]
        for bit in (1, 32, 64, 128, 192, 224, 248, 249):
            values += [1 << bit, (1 << bit) - 1, p - (1 << bit)]
        return values

    def sums(self, random, number):
        """Sums to reduce, in chunks: corners, and random sums of products."""
        p = self.prime
        square = (p - 1) ** 2
        most = MOST_SQUARES * p**2
        values = [most, most - 1, 0, 1]
        values += [square * count for count in range(1, MOST_SQUARES + 1)]
        # Multiples of the prime: the quotient is the prime itself, and must become zero.
        values += [p, 2 * p, p * (p - 1), p << 200]
        values += [most >> bits << bits for bits in RADIX_BITS]
        for bit in (28, 56, 112, 168, 224, 244, 251, 252, 253, 263, 264, 265, 279, 280, 281):
            values += [1 << bit, (1 << bit) - 1]
            values += [random.randrange(most >> bit) << bit for _ in range(8)]
        for bit in (1, 32, 64, 128, 255, 256, 300, 400, 490):
            values += [1 << bit, (1 << bit) - 1]
        for _ in range(number):
            count = random.randint(1, MOST_PRODUCTS)
            values.append(sum(random.randrange(p) * random.randrange(p) for _ in range(count)))
        return [self.chunks(value) for value in values]


class Goldilocks:
    """Four plain elements in a word."""

    goldilocks = 1

    def __init__(self, reduction=0):
        self.prime = BLS12_381
        self.reduction = reduction

    def add(self, a, b):
        return join((x + y) % GOLDILOCKS for x, y in zip(split(a), split(b)))

    def mul(self, a, b):
        return join(x * y % GOLDILOCKS for x, y in zip(split(a), split(b)))

    operand = add

    def negative(self, element):
        """p - x in slice 0 alone."""
        return GOLDILOCKS - split(element)[0]

    def product(self, a, b):
        return join((x * y for x, y in zip(split(a), split(b))), PRODUCT_CHUNK_BITS)

    def resolve(self, value):
        return value

    def reduce(self, value):
        return join(chunk % GOLDILOCKS for chunk in split(value, CHUNK_BITS))

    def enter(self, word):
        return join(x % GOLDILOCKS for x in split(word))

    leave = enter

    def is_element(self, word):
        return all(x < GOLDILOCKS for x in split(word))

    def random(self, random):
        return join(random.randrange(GOLDILOCKS) for _ in range(SLICES))

    def corners(self):
        p = GOLDILOCKS
        corners = [0, 1, 2, p - 1, p - 2, p // 2, p // 2 + 1, 2**32 - 1, 2**32, 2**32 + 1]
        corners += [2**64 - 2**32, 2**64 - 2**33 + 2**32 - 1, 2**63, 2**31]
        words = [join([corner] * SLICES) for corner in corners]
        for i, corner in enumerate(corners):
            words.append(join(corners[(i + 3 * s) % len(corners)] for s in range(SLICES)))
            # One slice alone: nothing of it may reach the others.
            words.append(corner << SLICE_BITS * (i % SLICES))
        return words

    def sums(self, random, number):
        square = (GOLDILOCKS - 1) ** 2
        ones = (1 << CHUNK_BITS) - 1
        corners = [0, 1, ones, ones - 1, ones // GOLDILOCKS * GOLDILOCKS]
        corners += [square * count for count in range(1, MOST_PRODUCTS + 1)]
        for bit in (0, 1, 31, 32, 33, 63, 64, 65, 66, 67):
            corners += [(GOLDILOCKS << bit) + distance for distance in (-1, 0, 1)]
        for bit in range(1, CHUNK_BITS):
            corners += [1 << bit, (1 << bit) - 1]
        values = []
        for i, corner in enumerate(corners):
            values.append(join([corner] * SLICES, CHUNK_BITS))
            mixed = [random.choice(corners) for _ in range(SLICES)]
            mixed[i % SLICES] = corner
            values.append(join(mixed, CHUNK_BITS))
        values += [random.getrandbits(SLICES * CHUNK_BITS) for _ in range(number)]
        return values


def power(field, x, exponent):
    """x to the exponent."""
    result = x
    for _ in range(exponent - 1):
        result = field.mul(result, x)
    return result


def wide_corners(prime=BLS12_381):
    """Corners of 256-bit operands: near 0, near powers of two, all ones, long carries."""
    values = [0, 1, prime, prime - 1]
    for bit in (16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 192, 255, 256):
        values.append((1 << bit) - 1)
        if bit < 256:
            values.append(1 << bit)
    ones = (1 << WORD_BITS) - 1
    # Ones in one half of every split, and alternating bits.
    for half in (16, 32, 64, 128):
        low = ones // ((1 << half) + 1)
        values += [ones - low, low]
    return [*values, ones // 3, ones // 3 * 2]
