"""Random streams for kernels, based on the SplitMix64 generator, whose state is one number.

A stream is an array [1] of `uint64` that every draw modifies in place; it can be saved, and a
resumed run draws the same numbers. Inside a kernel, a draw takes a fifth of the time of NumPy's
generators. Streams of different seeds are segments of one sequence of 2⁶⁴ numbers.

Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from infoset.typing import FloatArray
from infoset.utils.arguments import check_count
from infoset.utils.compilation import inner_kernel

Stream: TypeAlias = NDArray[np.uint64]
"""[1] The state of a stream."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
SHIFTS = (np.uint64(30), np.uint64(27), np.uint64(31), np.uint64(11))
UNIT = 2.0**-53


def make_stream(seed: int, *key: int) -> Stream:
    """Return the random stream for a seed and a `key`; keys distinguish streams of a seed.

    Examples
    --------
    >>> make_stream(0).shape
    (1,)
    """
    for number in (seed, *key):
        check_count("seed", number)
    return (
        np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64).astype(np.uint64)
    )


@inner_kernel
def next_uniform(stream: Stream) -> float:
    """Draw a number uniformly from [0, 1) and advance the stream in place."""
    stream[0] += GOLDEN
    return mixed_uniform(stream[0])


@inner_kernel
def uniform_at(key: np.uint64) -> float:
    """Return a pseudorandom number in [0, 1) that depends only on a key."""
    return mixed_uniform(key * GOLDEN)


@inner_kernel
def mixed_uniform(mixed: np.uint64) -> float:
    """Return a number in [0, 1) from the state of a stream."""
    mixed = (mixed ^ (mixed >> SHIFTS[0])) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SHIFTS[1])) * SECOND_FACTOR
    mixed = mixed ^ (mixed >> SHIFTS[2])
    return float((mixed >> SHIFTS[3]) * UNIT)


def uniforms(stream: Stream, count: int) -> FloatArray:
    """Return the next `count` numbers that `next_uniform` would draw, and advance the stream."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    mixed = stream + steps * GOLDEN
    stream[0] = mixed[-1] if count else stream[0]
    mixed = (mixed ^ (mixed >> SHIFTS[0])) * FIRST_FACTOR
    mixed = (mixed ^ (mixed >> SHIFTS[1])) * SECOND_FACTOR
    mixed = mixed ^ (mixed >> SHIFTS[2])
    numbers: FloatArray = (mixed >> SHIFTS[3]).astype(np.float64) * UNIT
    return numbers


@inner_kernel
def draw_index(probability: FloatArray, first: int, end: int, number: float) -> int:
    """Return the index in `first:end` that a uniform number in [0, 1) selects.

    probability [at least `end`] sums to 1 over `first:end`, up to rounding.
    """
    for index in range(first, end - 1):
        number -= probability[index]
        if number < 0.0:
            return index
    # The last index takes the remaining probability, so that an index is always found despite
    # rounding.
    return end - 1
