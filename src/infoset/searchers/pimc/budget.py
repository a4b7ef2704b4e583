"""How many worlds a search may think through, or for how long."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from typing import NamedTuple, TypeAlias

import numpy as np

from infoset.checks import check_count, check_number
from infoset.errors import ParameterError
from infoset.searchers.pimc.deciding import Scores
from infoset.typing import FloatArray

__all__ = ["Think", "Thought", "WorldBudget"]

SHARE_OF_BATCH = 0.05
"""Batches grow until one takes this share of the time allowed."""


class Thought(NamedTuple):
    """What came of thinking worlds through.

    Attributes
    ----------
    scores : Scores
        Of the actions, over all the worlds.
    num_worlds : int
        How many were drawn, or how many there are.
    is_exact : bool
        Whether all were weighed by their probability.
    """

    scores: Scores
    num_worlds: int
    is_exact: bool


Think: TypeAlias = Callable[[FloatArray], Scores]
"""Thinks through worlds, or more of them than before: the scores of actions from weights [K]."""


@dataclass(frozen=True)
class WorldBudget:
    """How many worlds are drawn, and how long that may take; both, if both are given.

    Attributes
    ----------
    num_worlds : int or None
        None for as many as there is time for; with no time given either, for all worlds there
        are, each weighed by its probability.
    milliseconds : float or None
        None for no limit. With one, what is found depends on the speed of the machine.

    Raises
    ------
    ParameterError
        If one of them is not a positive number.
    """

    num_worlds: int | None
    milliseconds: float | None

    def __post_init__(self) -> None:
        if self.num_worlds is not None:
            check_count("num_worlds", self.num_worlds, least=1)
        if self.milliseconds is not None:
            check_number("milliseconds", self.milliseconds)
            if self.milliseconds == 0:
                raise ParameterError(
                    "milliseconds=0 leaves no time; give more, or None for no limit"
                )

    @property
    def seconds(self) -> float | None:
        """The time allowed."""
        return None if self.milliseconds is None else self.milliseconds / 1000

    def spend(
        self, probability: FloatArray, rng: np.random.Generator, think: Think, start: float
    ) -> Thought:
        """Draw worlds of probabilities [K], and think them through.

        start : what `time.perf_counter` was when the search began.
        """
        if self.seconds is not None:
            return self._in_time(probability, rng, think, start + self.seconds)
        if self.num_worlds is None:
            return Thought(think(probability), len(probability), True)
        weight = _draw(probability, self.num_worlds, rng)
        return Thought(think(weight), self.num_worlds, False)

    def _in_time(
        self, probability: FloatArray, rng: np.random.Generator, think: Think, end: float
    ) -> Thought:
        """Draw one batch after another, as long as one more seems to fit."""
        weight = np.zeros(len(probability))
        number, batch = 0, 1
        most = inf if self.num_worlds is None else self.num_worlds
        while True:
            before = perf_counter()
            weight += _draw(probability, batch, rng)
            number += batch
            scores = think(weight)
            if self.num_worlds is None and weight.all():
                return Thought(think(probability), len(probability), True)
            now = perf_counter()
            if now - before < SHARE_OF_BATCH * (self.seconds or 0.0):
                batch *= 2
            batch = int(min(batch, most - number))
            if batch == 0 or now + (now - before) * (1 + batch / number) > end:
                return Thought(scores, number, False)


def _draw(probability: FloatArray, number: int, rng: np.random.Generator) -> FloatArray:
    """Return [K] how often each world is drawn."""
    return rng.multinomial(number, probability / probability.sum()).astype(np.float64)
