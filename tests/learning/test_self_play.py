"""Invariants of self-play that hold for every learner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.learning import LEARNERS
from tests.learning.playing import UNEVEN, assert_same_bits, learner_of
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad

CHANGES = {
    "ixomd": {"center": 0.5},
    "balanced-cfr-hedge": {"center": 0.5},
    "balanced-cfr-baseline": {"baseline_window": 3},
    "local-omd": {"baseline_window": 3},
    "local-omd-action-baseline": {"baseline_window": 3, "exploration": 0.6},
    "as-mccfr": {"all_opponents": True, "threshold": 2.0, "bonus": 3.0},
    "vr-mccfr": {"clip_regrets": True},
}
ROWS = {
    **LEARNERS,
    **{f"{name}, changed": replace(LEARNERS[name], **CHANGES[name]) for name in CHANGES},
    **{
        f"{name}, anytime": replace(row, anytime=True)
        for name, row in LEARNERS.items()
        if hasattr(row, "anytime")
    },
}


@pytest.mark.parametrize("name", ROWS)
def test_a_run_in_parts_is_bit_identical(name):
    whole, parts = (learner_of(ROWS[name], "kuhn_poker(players=3)", seed=4) for _ in range(2))
    whole.run(331)
    for episodes in (1, 2, 7, 90, 0, 31, 200):
        parts.run(episodes)
        parts.policy(), parts.current_policy()
    assert_same_bits(whole, parts)


@pytest.mark.parametrize("name", ROWS)
def test_the_state_is_complete(name):
    whole, early = (learner_of(ROWS[name], UNEVEN) for _ in range(2))
    whole.run(100)
    for episodes in (5, 7, 12, 64):
        early.run(episodes - early.iteration)
        late = learner_of(ROWS[name], UNEVEN, seed=1)
        late.run(23)
        late.set_state({key: array.copy() for key, array in early.state().items()})
        late.run(100 - episodes)
        assert late.iteration == 100
        assert getattr(late, "terminal_visits", 0) == getattr(whole, "terminal_visits", 0)
        assert_same_bits(whole, late)


@pytest.mark.parametrize("name", LEARNERS)
def test_different_seeds_give_different_runs(name):
    first, second = (learner_of(LEARNERS[name], seed=seed) for seed in range(2))
    first.run(100)
    second.run(100)
    assert first.settings() == {**second.settings(), "seed": 0}
    assert np.any(first.state()["policy"] != second.state()["policy"])


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("horizon", [0, -1, 0.5, True])
def test_a_run_needs_episodes(name, horizon):
    with pytest.raises(ParameterError, match=f"horizon={horizon} must be a whole number"):
        learner_of(LEARNERS[name], horizon=horizon)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_game_without_decisions(name):
    learner = learner_of(LEARNERS[name], FunctionGame(2), horizon=10)
    learner.run(10)
    assert learner.iteration == 10
    assert learner.state()["policy"].tolist() == [1, 1]
