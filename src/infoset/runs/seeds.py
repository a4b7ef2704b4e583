"""Seeds of several runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from infoset.errors import ParameterError, show
from infoset.utils.arguments import check_count, check_type

MAX_RUNS = 1_000_000

Seeds: TypeAlias = int | Sequence[int]
"""Number of runs, with seeds 0, 1, …; or the seed of each run."""


def check_seeds(seeds: Seeds) -> tuple[int, ...]:
    """Return the seed of each run."""
    check_type(
        "seeds", seeds, (int, list, tuple, range), "the number of runs, or a list of their seeds"
    )
    if isinstance(seeds, int):
        check_count("seeds", seeds, minimum=1)
        if seeds > MAX_RUNS:
            raise ParameterError(f"seeds={show(seeds)} runs; there can be at most {MAX_RUNS}")
        return tuple(range(seeds))
    for seed in seeds:
        check_count("seed", seed)
    if not seeds or len(set(seeds)) < len(seeds):
        raise ParameterError(
            f"seeds={list(seeds)} is empty or repeats a seed; give at least one seed, all different"
        )
    return tuple(map(int, seeds))
