"""Plans of the rounds between restarts: each ends with the end of the penalty schedule."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.teams import (
    HidingScheme,
    ProgressiveHiding,
    RegretRestarts,
    build_product_form,
    geometric_penalty,
    get_relaxation,
    linear_penalty,
    relax,
)

pytestmark = pytest.mark.broad

FIRST, LAST = 0.1, 10.0


@pytest.fixture(scope="module")
def pennies():
    form = build_product_form(load_game("cooperative_matching_pennies"))
    return relax(form, get_relaxation("recall").relax(form.information, (0, 1)))


def planned(penalty=None, *, is_planned=True):
    penalty = geometric_penalty(FIRST, LAST, 100) if penalty is None else penalty
    return HidingScheme(penalty=penalty, regret_restarts=RegretRestarts(100), is_planned=is_planned)


def rounds_of(penalties):
    """Return the penalties of each round; a round begins when the penalty falls."""
    return np.split(penalties, np.flatnonzero(np.diff(penalties) < 0) + 1)


@pytest.mark.parametrize(
    ("iterations", "num_rounds"),
    [(2, 1), (7, 1), (30, 1), (99, 1), (100, 1), (130, 1), (160, 2), (250, 3), (1000, 10)],
)
@pytest.mark.parametrize("schedule", [geometric_penalty, linear_penalty])
def test_every_round_ends_with_the_schedule(pennies, schedule, iterations, num_rounds):
    hiding = ProgressiveHiding(pennies, planned(schedule(FIRST, LAST, 100)), seed=1)
    hiding.plan(iterations)
    rounds = rounds_of(hiding.run(iterations).penalty_coefficient[:, 0])
    assert len(rounds) == num_rounds
    for penalties in rounds:
        assert penalties[0] == FIRST
        assert penalties[-1] == pytest.approx(LAST, rel=1e-9)
    lengths = [len(penalties) for penalties in rounds]
    assert sum(lengths) == iterations
    assert max(lengths) - min(lengths) <= 1


def test_a_plan_for_whole_rounds_changes_no_bit(pennies):
    traces = []
    for iterations in (None, 300):
        hiding = ProgressiveHiding(pennies, planned(), seed=1)
        if iterations is not None:
            hiding.plan(iterations)
        traces.append(hiding.run(300))
    for with_plan, without in zip(*traces, strict=True):
        assert with_plan.tobytes() == without.tobytes()


def test_a_scheme_that_is_not_planned_is_used_as_given(pennies):
    hiding = ProgressiveHiding(pennies, planned(is_planned=False), seed=1)
    hiding.plan(30)
    penalties = hiding.run(30).penalty_coefficient[:, 0]
    assert penalties[-1] == pytest.approx(FIRST * (LAST / FIRST) ** (29 / 99))


@pytest.mark.parametrize(("begun", "left"), [(20, 30), (20, 1), (99, 2), (150, 33), (101, 500)])
def test_a_new_plan_in_the_middle_also_reaches_the_end(pennies, begun, left):
    hiding = ProgressiveHiding(pennies, planned(), seed=1)
    hiding.plan(1000)
    hiding.run(begun)
    hiding.plan(left)
    rounds = rounds_of(hiding.run(left).penalty_coefficient[:, 0])
    assert rounds[-1][-1] == pytest.approx(LAST, rel=1e-9) or left == 1
    assert all(penalties[-1] == pytest.approx(LAST) for penalties in rounds[:-1])
    assert hiding.run(20).penalty_coefficient[:, 0] == pytest.approx(LAST)


def test_a_complete_round_that_gets_more_time_is_followed_by_another(pennies):
    hiding = ProgressiveHiding(pennies, planned(), seed=1)
    hiding.plan(100)
    hiding.run(110)
    hiding.plan(90)
    penalties = hiding.run(90).penalty_coefficient[:, 0]
    assert (penalties[0], penalties[-1]) == (FIRST, pytest.approx(LAST))


def test_the_plan_is_part_of_the_state_and_not_of_the_calls(pennies):
    whole = ProgressiveHiding(pennies, planned(), seed=1)
    whole.plan(57)
    trace = whole.run(57)
    first = ProgressiveHiding(pennies, planned(), seed=1)
    first.plan(57)
    first.run(20)
    kept = {name: array.copy() for name, array in first.state().items()}
    again = ProgressiveHiding(pennies, planned(), seed=1)
    again.set_state(kept)
    for part in (7, 30):
        rest = again.run(part)
    assert rest.penalty_coefficient.tobytes() == trace.penalty_coefficient[-30:].tobytes()
    assert again.policy().tobytes() == whole.policy().tobytes()


def test_a_plan_needs_iterations(pennies):
    with pytest.raises(ParameterError, match="iterations=0"):
        ProgressiveHiding(pennies, planned()).plan(0)
