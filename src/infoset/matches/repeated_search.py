"""Repeated searches at one infostate, until their average is accurate enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import CorrelatedPolicy
from infoset.game import Infostate
from infoset.policy import (
    Policy,
    PolicyFunction,
    as_policy,
    check_distributions,
    checked_probabilities,
)
from infoset.runs import SolveResult
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_number

MIN_GROWTH, MAX_GROWTH = 1.05, 2.0
"""Bounds on the growth factor of the sample between two checks."""


@runtime_checkable
class SupportsSearch(Protocol):
    """A searcher: it computes a policy at one infostate, possibly with random numbers."""

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order."""
        ...


@runtime_checkable
class SupportsBatchSearch(SupportsSearch, Protocol):
    """A searcher that can run many searches at one infostate in a single call."""

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, number: int
    ) -> FloatArray:
        """Return [R, A] the results of R independent searches."""
        ...


Participant: TypeAlias = Policy | SupportsSearch | CorrelatedPolicy | None
"""A participant in a match; None plays uniformly at random."""

Contestant: TypeAlias = Participant | PolicyFunction | SolveResult | str
"""A participant, or a function, a result or the word "uniform" in its place."""


def as_contestant(given: object) -> Participant:
    """Return a participant in a match: a function becomes its policy, a result that of its game.

    Raises
    ------
    ParameterError
        If the value is not a participant.
    """
    policy = given.policy if isinstance(given, SolveResult) else given
    if policy is None or isinstance(policy, CorrelatedPolicy | SupportsSearch):
        return policy
    try:
        return as_policy(policy)
    except ParameterError:
        raise ParameterError(
            f"{given!r} is not a policy: give a TabularPolicy (load_policy reads a file), a "
            "function of an infostate and its legal actions, an object with a method "
            "action_probabilities(infostate, legal_actions), a searcher, 'uniform', or None"
        ) from None


@dataclass(frozen=True)
class SearchPolicy:
    """The policy that runs a new search at every query, always with the same generator."""

    searcher: SupportsSearch
    rng: np.random.Generator

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the result of one search."""
        return self.searcher.search(infostate, self.rng)


class Average(NamedTuple):
    """The average of repeated searches at one infostate."""

    policy: FloatArray
    """[A] average probability of each legal action."""
    repeats: int
    """Number of searches."""
    error: float
    """Largest standard error of the probabilities."""
    last_change: float
    """Largest change of the probabilities between the last two checks."""


@dataclass(frozen=True)
class Repeats:
    """The stopping rule of repeated searches."""

    tolerance: float
    """Searches are repeated at least 1 / `tolerance` times, until every standard error is at most
    `tolerance`."""
    max_repeats: int
    """Limit on the number of searches."""

    def __post_init__(self) -> None:
        check_number("tolerance", self.tolerance)
        if not 0 < self.tolerance <= 1:
            raise ParameterError(
                f"tolerance={self.tolerance} is out of range: give a probability above 0 and at "
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
        """Return the average of searches, checking the stopping rule at increasing intervals."""
        sums, squares = np.zeros((2, len(legal_actions)))
        found, count = np.zeros(len(legal_actions)), 0
        minimum = min(ceil(1 / self.tolerance), self.max_repeats)
        check = ceil(minimum / 2)  # at least two checks, since `last_change` compares two averages
        while True:
            results = _results(searcher, rng, infostate, legal_actions, check - count)
            sums += results.sum(axis=0)
            squares += (results**2).sum(axis=0)
            before, found, count = found, sums / check, check
            error = _standard_error(found, squares, count)
            if count >= minimum and (error <= self.tolerance or count >= self.max_repeats):
                return Average(found, count, error, float(np.abs(found - before).max()))
            wanted = next_sample_size(count, error / self.tolerance)
            check = min(max(minimum, wanted), self.max_repeats)


def _results(
    searcher: SupportsSearch,
    rng: np.random.Generator,
    infostate: Infostate,
    legal_actions: Sequence[Action],
    number: int,
) -> FloatArray:
    """Return [R, A] the results of searches, in one call if the searcher supports it."""
    if isinstance(searcher, SupportsBatchSearch):
        results = np.asarray(searcher.search_many(infostate, rng, number), np.float64)
        check_distributions(results, infostate, legal_actions)
        return results
    policy = SearchPolicy(searcher, rng)
    return np.stack(
        [checked_probabilities(policy, infostate, legal_actions) for _ in range(number)]
    )


def _standard_error(average: FloatArray, squares: FloatArray, count: int) -> float:
    """Return the largest standard error of averages, from the sums of squares of the samples."""
    if count < 2:
        return inf
    variance = np.maximum(squares - count * average**2, 0.0).max() / (count - 1)
    return float(np.sqrt(variance / count))


def check_searcher(searcher: object) -> None:
    """Raise an error if a value is not a searcher.

    Raises
    ------
    ParameterError
        If the value has no method `search`.
    """
    if not isinstance(searcher, SupportsSearch):
        raise ParameterError(
            f"{searcher!r} is not a searcher: it has no method search(infostate, rng); give a "
            f"searcher such as infoset.search.PIMC(model), or use infoset.policy.tabulate for a "
            f"deterministic policy"
        )


def next_sample_size(count: int, excess: float) -> int:
    """Return the estimated number of samples needed, at most twice the current number.

    Parameters
    ----------
    count
        Number of samples so far.
    excess
        Ratio of the current error to the target error. Errors fall with the square root of the
        number of samples.
    """
    return ceil(count * min(max(excess**2, MIN_GROWTH), MAX_GROWTH))
