"""PIMC, perfect-information Monte Carlo: the best action in the mean over possible worlds.

At an infostate s_i of player i:

1. draw worlds w_k from a belief B_λ over the histories of s_i            `WorldSum.draw`
2. value every action a in every world, by perfect play after it when
   all players see everything: value_i(w_k after a)                       `WorldSum.values`
3. score(a) = sum_k weight_k * value_i(w_k after a)                       `WorldSum.scores`
4. play an action with the largest score; ties are split evenly           `WorldScores.policy`

    B_λ(w | s_i) = (1 - λ) B_priv(w | s_i) + λ B_pub(w | s_pub)

The weight of a world is the number of its draws, or its probability. The values come from
`perfect_information.py`. Limits on the number of worlds and on time are handled outside the sum, in
`determinization.py`.

Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in imperfect
information games", arXiv 2405.14346 (2024).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search.determinization import DeterminizedRoot, DeterminizedSearcher
from infoset.search.leaf_values import LeafValue, check_depth
from infoset.search.models import SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import MAX_N, PerfectInformationValues
from infoset.typing import BoolArray, FloatArray, LongArray

MAX_DRAWS: Final = 10_000
"""Number of draws whose values are computed together."""


class PIMC(DeterminizedSearcher):
    """Perfect-information Monte Carlo search.

    Worlds are drawn from the belief. The value of an action in a world is the utility that the
    player expects if all players see everything from then on. The searcher plays the action with
    the largest sum of values over the worlds; ties are split evenly.

    Parameters
    ----------
    model
        The game, such as `search_model(game)`.
    belief
        Distribution of worlds; a number is the public weight λ.
    num_worlds
        Number of worlds drawn; None weights every world by its probability, which is the limit of
        infinitely many draws.
    milliseconds
        Time limit of a search: worlds are drawn until `num_worlds` or the time is used up. The
        answer then depends on the machine. If the first world takes more than half of the time,
        each action is valued by samples of the leaf value right after it instead, and
        `last_search.is_fallback` is True. If there is no time for one of each, the policy of
        `leaf_value` answers, by default the uniform one.
    opponents
        What the other players maximize after all players see everything. `max_n`: their own
        utility, with the mean over equally good actions. `paranoid`: the loss of the searching
        player. In two-player constant-sum games both are minimax.
    depth
        Number of moves that the search looks ahead, including the one at the root; None searches to
        the end of the game. Forced actions and chance moves do not count.
    leaf_value : Rollouts, Policy or LeafFunction, optional
        With `depth`, the value of a position at which the search stops; by default the utility of
        one uniformly random play. See `Rollouts` and `LeafFunction`. Except for random play, the
        search then calls the rules of the game.
    seed
        Seed of the policy; `search` takes a generator instead.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        Result and cost of the last search.

    Raises
    ------
    ParameterError
        If a number is out of range, or `leaf_value` is given without `depth`.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). The paper does not say how it aggregates
    worlds, breaks ties, or values chance moves. Sums of values, even splits, and expectations
    reproduce its tables.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> king = Infostate(0, (Step(None, "K", None),))
    >>> PIMC(kuhn, num_worlds=None).search(king, np.random.default_rng(0)).tolist()
    [0.5, 0.5]
    """

    def __init__(
        self,
        model: SearchModel,
        *,
        belief: PublicPrivateBelief | float = 0.0,
        num_worlds: int | None = 1000,
        milliseconds: float | None = None,
        opponents: str = MAX_N,
        depth: int | None = None,
        leaf_value: LeafValue | None = None,
        seed: int = 0,
    ) -> None:
        check_depth(depth)
        if depth is None and leaf_value is not None:
            raise ParameterError(
                "leaf_value is given without depth, and a search to the end of the game has no "
                "leaves to value; give depth=1 or more, or remove leaf_value"
            )
        super().__init__(
            model,
            belief=belief,
            num_worlds=num_worlds,
            milliseconds=milliseconds,
            opponents=opponents,
            leaf_value=leaf_value,
            moves=None if depth is None else depth - 1,
            seed=seed,
        )
        self.depth = depth

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers, by name."""
        return {**super().settings(), "depth": self.depth}

    def _world_sum(self, root: DeterminizedRoot) -> WorldSum:
        kind = SampledSum if self._perfect.is_random else WorldSum
        return kind(self._perfect, root)


class WorldScores(NamedTuple):
    """Scores of actions over worlds.

    Examples
    --------
    >>> WorldScores(np.array([0.1 + 0.2, 0.3, -1.0]), 1.0).policy.tolist()
    [0.5, 0.5, 0.0]
    """

    score: FloatArray
    """[A] mean value of each action over the worlds in which it is legal, times the weight of all
    worlds, in `SUM_UNIT`. NaN if the action is not legal in any of them, so that its score is
    unknown."""
    scale: float
    """Sum over worlds of weight times the largest absolute value, in `SUM_UNIT`; the tie tolerance
    is relative to it."""

    @property
    def policy(self) -> FloatArray:
        """[A] the policy that is uniform over the actions with the largest score.

        Scores within `1e-11 * scale` of the largest are tied. Unknown scores (NaN) are never the
        largest, unless all scores are unknown.
        """
        score = np.where(np.isnan(self.score), -np.inf, self.score)
        is_best = score >= score.max() - TIE_TOLERANCE * self.scale
        policy: FloatArray = is_best / is_best.sum()
        return policy


class WorldSum:
    """The sum over the worlds of an infostate, for which each world is valued once.

    Parameters
    ----------
    perfect
        The values of positions.
    root
        The worlds of the belief.
    """

    def __init__(self, perfect: PerfectInformationValues, root: DeterminizedRoot) -> None:
        self.perfect = perfect
        self.root = root
        self._row = np.full(len(root.indices), -1)  # [K] row of `_known`; -1 if not valued yet
        self._known = np.zeros((0, root.indices.shape[1]))

    def draw(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return [K] the number of times that each world is drawn, in `number` draws."""
        probability = self.root.probability
        return rng.multinomial(number, probability / probability.sum()).astype(np.float64)

    def values(self, worlds: LongArray) -> FloatArray:
        """Return [R, A] the value of each action in each of R worlds; NaN if it is not legal.

        In a world where the player's hand is different, an action may be illegal.
        """
        positions, indices, player = self.root
        indices = indices[worlds]
        states, rewards_so_far = positions.states[worlds], positions.rewards_so_far[worlds]
        values = self.perfect.action_values(states, rewards_so_far, player, player)
        if not values.size:  # The player does not act in any of these worlds.
            return np.full(indices.shape, np.nan)
        picked: FloatArray = np.take_along_axis(values, np.maximum(indices, 0), axis=1)
        return np.where(indices >= 0, picked, np.nan)

    def scores(self, weight: FloatArray) -> WorldScores:
        """Return the scores of the actions over worlds with weights [K]."""
        drawn = np.flatnonzero(weight)
        new = drawn[self._row[drawn] < 0]
        if len(new):
            values = self.values(new)  # may run out of time
            self._row[new] = len(self._known) + np.arange(len(new))
            self._known = np.concatenate([self._known, values])
        values, weight = self._known[self._row[drawn]], weight[drawn]
        is_legal = ~np.isnan(values)
        values = np.where(is_legal, values, 0.0) / SUM_UNIT
        score = mean_where_legal(weight @ values, weight, is_legal)
        return WorldScores(score, float(weight @ abs(values).max(axis=1)))

    def sampled(self, samples: PerfectInformationValues) -> SampledSum:
        """Return the sum over the same worlds, with random values right after the actions."""
        return SampledSum(samples, self.root)


def mean_where_legal(total: FloatArray, weight: FloatArray, is_legal: BoolArray) -> FloatArray:
    """Return [A] mean values over the worlds where each action is legal, times the total weight.

    A sum over all worlds would count an illegal action as if it earned 0, which depends on the
    constant that the payoffs contain.

    Parameters
    ----------
    total
        [A] sum over the worlds where the action is legal of weight times value.
    weight
        [K] weights of the worlds.
    is_legal
        [K, A] whether each action is legal in each world.
    """
    legal_weight = weight @ is_legal
    # Where the action is legal in all worlds, the factor is 1 without rounding.
    part = np.where(is_legal.all(axis=0), 1.0, legal_weight / weight.sum())
    return np.where(legal_weight > 0, total / np.where(part > 0, part, 1.0), np.nan)


class SampledSum(WorldSum):
    """The sum with random values, which are computed again for each draw of a world."""

    def __init__(self, perfect: PerfectInformationValues, root: DeterminizedRoot) -> None:
        super().__init__(perfect, root)
        self._seen = np.zeros(len(root.indices))  # [K] weight of each world in the last call
        # [A] sums over the draws of weight times value, and of weight where the action is legal
        self._total, self._legal_weight = np.zeros((2, root.indices.shape[1]))
        self._scale = 0.0

    def scores(self, weight: FloatArray) -> WorldScores:
        """Return the scores of the actions over worlds with weights [K], which only grow."""
        more = weight - self._seen
        worlds = np.flatnonzero(more > 0)
        # A number of draws has one value for each, a probability a single value.
        times = np.maximum(more[worlds], 1.0).astype(np.int64)
        draws, draw_weight = np.repeat(worlds, times), np.repeat(more[worlds] / times, times)
        for first in range(0, len(draws), MAX_DRAWS):
            block = slice(first, first + MAX_DRAWS)
            self._add(self.values(draws[block]), draw_weight[block])
        self._seen = weight.copy()
        mean = np.full(len(self._total), np.nan)
        np.divide(self._total, self._legal_weight, out=mean, where=self._legal_weight > 0)
        return WorldScores(mean * weight.sum(), self._scale)

    def _add(self, values: FloatArray, weight: FloatArray) -> None:
        is_legal = ~np.isnan(values)
        values = np.where(is_legal, values, 0.0) / SUM_UNIT
        self._total += weight @ values
        self._legal_weight += weight @ is_legal
        self._scale += float(weight @ abs(values).max(axis=1))
