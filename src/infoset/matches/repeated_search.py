"""Searches repeated at one infostate until their average stays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.matches.looks import next_look
from infoset.matches.searching import SearchPolicy, SupportsBatchSearch, SupportsSearch
from infoset.policy import check_distributions, checked_probabilities
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_number

__all__ = ["Average", "Repeats", "check_searcher"]


class Average(NamedTuple):
    """An average of searches at one infostate.

    Attributes
    ----------
    policy : FloatArray
        [A]
    repeats : int
        How many searches.
    error : float
        Standard error of an action's probability, the largest.
    moved : float
        By how much an action's probability moved between the last two looks, at most.
    """

    policy: FloatArray
    repeats: int
    error: float
    moved: float


@dataclass(frozen=True)
class Repeats:
    """How often searches are repeated.

    Attributes
    ----------
    tolerance : float
        At least 1 / `tolerance` times, and until no standard error is above it.
    max_repeats : int
        At most so often.

    Raises
    ------
    ParameterError
        If a number is out of range.
    """

    tolerance: float
    max_repeats: int

    def __post_init__(self) -> None:
        check_number("tolerance", self.tolerance)
        if not 0 < self.tolerance <= 1:
            raise ParameterError(
                f"tolerance={self.tolerance} is out of range: it is a probability, above 0 and at "
                "most 1, such as 0.01"
            )
        check_count("max_repeats", self.max_repeats, minimum=2)

    def average(
        self,
        searcher: SupportsSearch,
        rng: np.random.Generator,
        infostate: Infostate,
        legal_actions: Sequence[Action],
    ) -> Average:
        """Return the average of searches, looked at now and then."""
        sums, squares = np.zeros((2, len(legal_actions)))
        found, count = np.zeros(len(legal_actions)), 0
        enough = min(ceil(1 / self.tolerance), self.max_repeats)
        look = ceil(enough / 2)
        while True:
            answers = _answers(searcher, rng, infostate, legal_actions, look - count)
            sums += answers.sum(axis=0)
            squares += (answers**2).sum(axis=0)
            before, found, count = found, sums / look, look
            error = _standard_error(found, squares, count)
            if count >= enough and (error <= self.tolerance or count >= self.max_repeats):
                return Average(found, count, error, float(np.abs(found - before).max()))
            look = min(max(enough, next_look(count, error / self.tolerance)), self.max_repeats)


def _answers(
    searcher: SupportsSearch,
    rng: np.random.Generator,
    infostate: Infostate,
    legal_actions: Sequence[Action],
    number: int,
) -> FloatArray:
    """Return [R, A] what so many searches find, in one call where the searcher has it."""
    if isinstance(searcher, SupportsBatchSearch):
        answers = np.asarray(searcher.search_many(infostate, rng, number), np.float64)
        check_distributions(answers, infostate, legal_actions)
        return answers
    policy = SearchPolicy(searcher, rng)
    return np.stack(
        [checked_probabilities(policy, infostate, legal_actions) for _ in range(number)]
    )


def _standard_error(average: FloatArray, squares: FloatArray, count: int) -> float:
    """Return the largest standard error of averages, by the sums of squares of what they are of."""
    if count < 2:
        return inf
    variance = np.maximum(squares - count * average**2, 0.0).max() / (count - 1)
    return float(np.sqrt(variance / count))


def check_searcher(searcher: object) -> None:
    """Raise unless a value is a searcher.

    Raises
    ------
    ParameterError
        If it has no method `search`.
    """
    if not isinstance(searcher, SupportsSearch):
        raise ParameterError(
            f"{searcher!r} is no searcher: it has no method search(infostate, rng); what "
            "always answers the same is made a table by infoset.policy.tabulate"
        )
