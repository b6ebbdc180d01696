"""What the functions of the game need in an exported bot: arrays of numpy as lists, and integers of
64 bits as Python's.
"""

# mypy: ignore-errors
# ruff: noqa: B905, D102, D103, F401

import base64
import collections
import enum
import functools
import zlib

import numpy

namedtuple = collections.namedtuple
IntEnum = enum.IntEnum
MASK = (1 << 64) - 1


class Matrix(list):
    """A list of lists with the indices of a matrix."""

    def __init__(self, rows):
        list.__init__(self, [list(row) for row in rows])

    def __getitem__(self, key):
        if type(key) is tuple:
            return list.__getitem__(self, key[0])[key[1]]
        return list.__getitem__(self, key)

    def __setitem__(self, key, value):
        if type(key) is tuple:
            list.__getitem__(self, key[0])[key[1]] = value
        else:
            list.__setitem__(self, key, value)


class np:  # noqa: N801
    """In place of numpy: kernels read and write single elements."""

    uint64 = int64 = int32 = int16 = int8 = int
    bool_ = bool

    @staticmethod
    def zeros(shape, dtype=int):
        return (
            [0] * shape
            if type(shape) is not tuple
            else Matrix([0] * shape[1] for _ in range(shape[0]))
        )

    empty = zeros

    @staticmethod
    def array(values, dtype=None):
        return list(values)


def size(cards):
    pairs = (cards & 0x0F0F0F0F0F0F0F0F) + (cards >> 4 & 0x0F0F0F0F0F0F0F0F)
    return (pairs * 0x0101010101010101 >> 56) & 255


def trailing_zeros(value):
    return (value & -value).bit_length() - 1


def leading_zeros(value):
    return 64 - value.bit_length()


def mix64(value):
    value = ((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ (value >> 27)) * 0x94D049BB133111EB) & MASK
    return value ^ (value >> 31)


def stored(text, dtype):
    return numpy.frombuffer(zlib.decompress(base64.b64decode(text)), dtype)


class Rules:
    """The tables of ``games.doudizhu.moves.Rules``, with an auction by calls."""

    encoding, bidding = 0, 1

    def __init__(self, cards, tables, first):
        self.packed = stored(cards, "<u8")
        self.cards = self.packed.tolist()
        rows = stored(tables, "i1").reshape(4, -1)
        self.category, self.top, self.length, self.size = rows.tolist()
        self.ids = {cards: move for move, cards in enumerate(self.cards)}
        self._first = stored(first, "<i2").reshape(15, 13, 16).tolist()

    @property
    def first(self):
        return self

    def __getitem__(self, key):
        return self._first[key[0]][key[1]][key[2]]


def remembered(function):
    """Returns the function with a memory of its results; its first argument is left out of it."""
    memory = {}

    def call(rules, *rest):
        if rest not in memory:
            if len(memory) > 200000:
                memory.clear()
            memory[rest] = function(rules, *rest)
        return memory[rest]

    return call


def remembered_moves(function):
    """The same for functions that write moves to their last argument and return their number."""
    memory = {}

    def call(rules, *rest):
        key, actions = rest[:-1], rest[-1]
        if key not in memory:
            if len(memory) > 20000:
                memory.clear()
            count = function(rules, *rest)
            memory[key] = actions[:count]
        found = memory[key]
        actions[: len(found)] = found
        return len(found)

    return call


GUARD = numpy.uint64(0x888888888888888)


def contained(rules, hand, begin, end):
    """Returns the moves from ``begin`` on that a hand contains."""
    cards = rules.packed[begin:end]
    guarded = numpy.uint64(hand | 0x888888888888888)
    return (numpy.flatnonzero(((guarded - cards) & GUARD) == GUARD) + begin).tolist()


def nets(weights, layers):
    """Returns the layers of each network by name: (weight, bias); ``layers`` are their shapes."""
    values = numpy.frombuffer(base64.b64decode(weights), "<f4")
    found, at = [], 0
    for shapes in layers:
        net = {"blocks": []}
        for name, outputs, inputs in shapes:
            weight = values[at : at + outputs * inputs].reshape(outputs, inputs)
            at += outputs * inputs
            layer = (weight, values[at : at + outputs])
            at += outputs
            if name == "block":
                net["blocks"].append(layer)
            else:
                net[name] = layer
        layer = net["blocks"]
        net["blocks"] = list(zip(layer[::2], layer[1::2]))
        found.append(net)
    return found


RULES = DECODER = NETS = None
LONG_RUNNING, PLANES = False, 0
"""What the exported file sets."""
