"""Hypothesis strategies shared by the tests of all packages."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from infoset.efg import ExtensiveForm
from infoset.games.random_game import RandomGame
from tests.support.random_forms import random_form


def random_games(**limits: Any) -> st.SearchStrategy[RandomGame]:
    """Draw small random games; `limits` fixes a parameter, or gives a strategy for it.

    `random_games(num_players=2, zero_sum=True, max_depth=st.integers(1, 3))`
    """
    drawn: dict[str, Any] = {
        "seed": st.integers(0, 9999),
        "num_players": st.integers(2, 3),
        "max_depth": st.integers(1, 5),
        "max_histories": st.sampled_from([20, 60, 200]),
        "zero_sum": st.booleans(),
        "fractional_rewards": st.booleans(),
        "exact": st.booleans(),
        "simultaneous_share": st.sampled_from([0.0, 0.3, 0.8]),
        "chance_share": st.sampled_from([0.0, 0.25, 0.6]),
    }
    return st.builds(RandomGame, **_limited(drawn, limits))


def random_forms(**limits: Any) -> st.SearchStrategy[ExtensiveForm]:
    """Draw small extensive forms that keep or break any property; `limits` as in `random_games`.

    The parameters are the fields of `random_forms.Recipe`.
    """
    drawn: dict[str, Any] = {
        "seed": st.integers(0, 9999),
        "num_players": st.integers(1, 3),
        "max_depth": st.integers(0, 4),
        "memory": st.sampled_from([0, 1, 2, 9]),
        "public_memory": st.sampled_from([0, 1, 9]),
        "knows_public": st.booleans(),
        "knows_time": st.booleans(),
        "knows_turn": st.booleans(),
        "knows_payoffs": st.booleans(),
        "is_augmented": st.booleans(),
    }
    return st.builds(random_form, **_limited(drawn, limits))


def _limited(drawn: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    """Return the strategies with limits in place of some; a value is drawn as it is."""
    for name, limit in limits.items():
        drawn[name] = limit if isinstance(limit, st.SearchStrategy) else st.just(limit)
    return drawn
