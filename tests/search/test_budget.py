"""Budgets of searches, with a simulated clock."""

from itertools import pairwise

import numpy as np
import pytest

from infoset.runs.searcher import Overruns, SearchBudget, SearchRecord


def batches_of(budget, clock, seconds_each):
    sizes = []
    for size in budget.batches(clock()):
        sizes.append(size)
        clock.now += size * seconds_each
    return sizes


@pytest.mark.parametrize("seconds_each", [1e-5, 1e-3, 0.01])
def test_batches_fill_the_time_limit_and_do_not_exceed_it(clock, seconds_each):
    sizes = batches_of(SearchBudget("num_worlds", None, 100.0), clock, seconds_each)
    assert 0.1 - 2 * seconds_each < clock.now < 0.1 + 1e-9
    assert sizes[0] == 1
    assert all(after <= 4 * before for before, after in pairwise(sizes))
    assert max(sizes) * seconds_each < max(0.05 * 0.1, seconds_each) + 1e-9


def test_the_first_batch_is_always_completed(clock):
    assert batches_of(SearchBudget("num_worlds", None, 100.0), clock, 3.0) == [1]


def test_the_first_limit_reached_ends_a_search(clock):
    assert sum(batches_of(SearchBudget("num_worlds", 30, 100.0), clock, 1e-3)) == 30
    assert sum(batches_of(SearchBudget("num_worlds", 300, 100.0), clock, 1e-3)) in (99, 100)
    assert batches_of(SearchBudget("num_worlds", 30, None), clock, 1e-3) == [30]


def test_searches_up_to_a_fifth_over_their_limit_count_as_on_time():
    overruns = Overruns()
    common = {"actions": (), "values": np.zeros(0), "num_nodes": 0, "time_limit": 1.0}
    for seconds in (0.5, 1.19, 1.21, 3.0):
        overruns.add(SearchRecord(seconds=seconds, **common))
    assert (overruns.num_searches, overruns.num_late, overruns.worst) == (4, 2, 2.0)
    assert str(overruns).endswith("the longest took 3 times its limit")
