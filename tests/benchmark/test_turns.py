"""Alternate runs: one works at a time, in turn, and each by its own clock."""

from __future__ import annotations

import pytest

from infoset.benchmark import turns
from infoset.benchmark.turns import TurnBudget, alternate
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset.tree import build_sequence_form


class Clock:
    """The processor time of the process, which only the work of the runs advances."""

    now = 0.0


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(turns, "_processor_seconds", lambda: clock.now)
    return clock


def test_runs_take_turns_of_equal_time(clock):
    seen = []

    def worker(number, until):
        def work(turn):
            while turn.seconds < until:
                seen.append(number)
                clock.now += 1.0
                turn.offer()

        return work

    begun = []
    alternate([worker(0, 6.0), worker(1, 6.0), worker(2, 1.5)], 2.0, begun.append)
    assert seen == [0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 0, 0, 1, 1]
    assert begun == [0, 1, 2, 0, 1, 2, 0, 1, 0, 1]


def test_a_budget_counts_the_time_of_its_own_run(clock):
    form = build_sequence_form(load_game("matrix_mp"))
    policy = uniform_policy(form)
    points, outcomes = [], []

    def first(turn):
        budget = TurnBudget(
            seconds=4.0, turn=turn, hand_over=lambda n, _: points.append((n, turn.seconds))
        )
        for iteration in range(1, 100):
            clock.now += 1.0
            outcomes.append(budget.record(iteration, policy))
            if outcomes[-1]:
                return

    def second(turn):
        clock.now += 50.0

    alternate([first, second], 2.0, lambda number: None)
    assert points == [(1, 1.0), (2, 2.0), (3, 3.0), (4, 4.0)]
    assert outcomes == [None, None, None, "seconds"]


def test_a_run_that_ends_early_leaves_its_turns_to_the_others(clock):
    seen = []

    def long(turn):
        for _ in range(3):
            clock.now += 2.0
            seen.append("long")
            turn.offer()

    alternate([long, lambda turn: seen.append("short")], 2.0, lambda number: None)
    assert seen == ["long", "short", "long", "long"]
