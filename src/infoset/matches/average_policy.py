"""The average of a searcher as a policy, for games that are not built."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.game.infostate import infostate_generator
from infoset.matches.repeated_search import Repeats, check_searcher
from infoset.matches.searching import SupportsSearch
from infoset.typing import Action, FloatArray
from infoset.utils.arguments import check_count, check_number

__all__ = ["AveragePolicy"]


class AveragePolicy:
    """What a searcher plays on average, found where it is asked for, and kept.

    `average_search` makes the same a table, where the game is built.

    Parameters
    ----------
    searcher : SupportsSearch
        Has a method `search(infostate, rng)`.
    tolerance, max_repeats
        As in `average_search`.
    seed : int
    min_probability : float
        Actions of a smaller average probability are dropped, and the others share it. Below 1 / 2.

    Raises
    ------
    ParameterError
        If it is no searcher, or a number is out of range.

    Examples
    --------
    >>> from infoset.matches import play_matches
    >>> from infoset.games import load_game
    >>> class Coin:
    ...     def search(self, infostate, rng):
    ...         return np.eye(2)[rng.integers(2)]
    >>> policy = AveragePolicy(Coin(), tolerance=0.1)
    >>> result = play_matches(load_game("kuhn_poker"), policy, None, num_deals=100)
    >>> policy.num_infostates
    12
    """

    def __init__(
        self,
        searcher: SupportsSearch,
        *,
        tolerance: float = 0.01,
        max_repeats: int = 3000,
        seed: int = 0,
        min_probability: float = 0.0,
    ) -> None:
        check_searcher(searcher)
        check_count("seed", seed)
        check_number("min_probability", min_probability)
        if min_probability >= 0.5:
            raise ParameterError(
                f"min_probability={min_probability} may drop all actions; give less than 0.5"
            )
        self.searcher = searcher
        self.repeats = Repeats(tolerance, max_repeats)
        self.seed = seed
        self.min_probability = min_probability
        self._found: dict[Infostate, FloatArray] = {}
        self.num_unconverged = 0

    @property
    def num_infostates(self) -> int:
        """At how many infostates it was asked."""
        return len(self._found)

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the average probability of each legal action, in order.

        The numbers that searches draw belong to the seed and the infostate.
        """
        if infostate not in self._found:
            self._found[infostate] = self._average(infostate, legal_actions)
        return self._found[infostate].copy()

    def _average(self, infostate: Infostate, legal_actions: Sequence[Action]) -> FloatArray:
        if len(legal_actions) == 1:
            return np.ones(1)
        rng = infostate_generator(self.seed, infostate)
        average = self.repeats.average(self.searcher, rng, infostate, legal_actions)
        self.num_unconverged += average.error > self.repeats.tolerance
        least = min(self.min_probability, float(average.policy.max()))
        kept = np.where(average.policy >= least, average.policy, 0.0)
        found: FloatArray = kept / kept.sum()
        return found
