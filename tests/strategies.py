"""Hypothesis strategies that the tests of all floors draw from."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from infoset.games.random_game import RandomGame


def random_games(**limits: Any) -> st.SearchStrategy[RandomGame]:
    """Draw small random games; `limits` fixes a parameter, or gives a strategy for it.

    `random_games(num_players=2, zero_sum=True, max_depth=st.integers(1, 3))`
    """
    drawn: dict[str, Any] = {
        "seed": st.integers(0, 9999),
        "num_players": st.integers(2, 4),
        "max_depth": st.integers(1, 5),
        "max_histories": st.sampled_from([20, 60, 200]),
        "zero_sum": st.booleans(),
        "fractional_rewards": st.booleans(),
        "exact": st.booleans(),
        "simultaneous_share": st.sampled_from([0.0, 0.3, 0.8]),
        "chance_share": st.sampled_from([0.0, 0.25, 0.6]),
    }
    for name, limit in limits.items():
        drawn[name] = limit if isinstance(limit, st.SearchStrategy) else st.just(limit)
    return st.builds(RandomGame, **drawn)
