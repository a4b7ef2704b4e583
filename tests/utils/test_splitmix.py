"""SplitMix64: its published numbers, array shapes, and the streams of one seed."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.utils.compilation import kernel
from infoset.utils.splitmix import draw_index, make_stream, next_uniform


@kernel
def fill(stream, out):
    for i in range(len(out)):
        out[i] = next_uniform(stream)


def drawn(stream, count):
    out = np.empty(count)
    fill(stream, out)
    return out


def test_the_numbers_are_those_published_for_the_generator():
    outputs = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    found = drawn(np.array([1234567], np.uint64), len(outputs))
    np.testing.assert_array_equal(found, [(number >> 11) / 2**53 for number in outputs])


def test_numbers_are_uniform_and_independent():
    numbers = drawn(make_stream(3), 400_000)
    assert numbers.min() >= 0.0
    assert numbers.max() < 1.0
    cells = np.histogram2d(numbers[:-1:2], numbers[1::2], bins=16, range=[(0, 1), (0, 1)])[0]
    expected = cells.sum() / cells.size
    chi_square = np.sum((cells - expected) ** 2) / expected
    freedom = cells.size - 1
    assert abs(chi_square - freedom) < 4 * np.sqrt(2 * freedom)


def test_a_saved_stream_continues():
    whole, parts = make_stream(5), make_stream(5)
    first, second = drawn(parts, 10), drawn(parts, 7)
    np.testing.assert_array_equal(drawn(whole, 17), np.concatenate([first, second]))
    assert whole == parts


def test_streams_differ_by_seed_and_key():
    states = {int(make_stream(seed, *key)[0]) for seed in range(50) for key in ((), (0,), (0, 1))}
    assert len(states) == 150
    assert make_stream(7, 2) == make_stream(7, 2)


@pytest.mark.parametrize("numbers", [(-1,), (0.5,), (True,), (1, -2), ("0",)])
def test_seeds_are_whole_numbers(numbers):
    with pytest.raises(ParameterError, match="seed"):
        make_stream(*numbers)


@kernel
def drawn_index(probability, first, end, number):
    return draw_index(probability, first, end, number)


@pytest.mark.parametrize(("number", "index"), [(0.0, 1), (0.24, 1), (0.25, 3), (0.99, 3)])
def test_an_index_is_drawn_by_the_running_sum_of_its_part(number, index):
    assert drawn_index(np.array([9.0, 0.25, 0.0, 0.75, 9.0]), 1, 4, number) == index


def test_the_last_index_takes_what_rounding_leaves():
    assert drawn_index(np.array([0.5, 0.25]), 0, 2, 0.99) == 1
