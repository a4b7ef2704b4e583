"""PIMC, perfect-information Monte Carlo: the best action in the mean over possible worlds.

At an infostate s_i of player i:

1. draw worlds w from a belief B_λ over the histories of s_i              `PIMC._worlds`, `Draws`
2. value every action a in every world, by perfect play after it when
   all players see everything: value(w, a) = value_i(w after a)           `Worlds.values`
3. score(a) = mean_w of value(w, a), by weight(w), where a is legal       `PIMC._scores`
4. play an action with the largest score; ties are split evenly           `WorldScores.policy`

    B_λ(w | s_i) = (1 - λ) B_priv(w | s_i) + λ B_pub(w | s_pub)

The weight of a world is the number of its draws, or its probability. The values come from
`perfect_information.py`. EPIMC and αμ differ in `_scores`. Limits on the number of worlds and
on time are outside the mean, in `Draws` (`determinization.py`): it yields the weights until a limit
is reached.

Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in imperfect
information games", arXiv 2405.14346 (2024).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from math import inf
from typing import Any

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.runs.searcher import SearchBudget, Searcher, check_model
from infoset.search.depth_limits import DepthLimitedValues, SampledLeafValues
from infoset.search.determinization import (
    FIRST_WORLD,
    Draws,
    Worlds,
    WorldScores,
    WorldSearchRecord,
    last_in_time,
    mean_where_legal,
    sampled_scores,
)
from infoset.search.leaf_values import (
    LeafValue,
    as_leaf_value,
    check_depth,
    default_policy,
    leaf_value_name,
)
from infoset.search.models import SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.models.histories import with_leaf_value
from infoset.search.models.model import timed_roots
from infoset.search.perfect_information import MAX_N, perfect_information_values
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_generator
from infoset.utils.clocks import compiling_seconds, working_seconds


class PIMC(Searcher):
    """Perfect-information Monte Carlo search.

    Worlds are drawn from the belief. The value of an action in a world is the utility that the
    player expects if all players see everything from then on. The searcher plays the action with
    the largest mean value over the worlds in which it is legal; ties are split evenly.

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
    budget : SearchBudget
        Limits on worlds and time.
    last_search : WorldSearchRecord or None
        Result and cost of the last search.
    num_fallbacks : int
        Number of searches that fell back to samples, as in `WorldSearchRecord.is_fallback`.

    Raises
    ------
    ParameterError
        If a number is out of range, or `leaf_value` is given without `depth`.

    Notes
    -----
    Source: Arjonilla, Cazenave, Saffidine, "Mixture of public and private distributions in
    imperfect information games", arXiv 2405.14346 (2024). The paper does not say how it aggregates
    worlds, breaks ties, or values chance moves. Means over the worlds where an action
    is legal, even splits, and expectations reproduce its tables.

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

    model: SearchModel

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
        check_model(model, SearchModel)
        leaf = as_leaf_value(leaf_value)
        model = with_leaf_value(model, leaf)
        super().__init__(model, belief=belief, seed=seed)
        self.budget = SearchBudget("num_worlds", num_worlds, milliseconds)
        self.opponents, self.depth = opponents, depth
        self.leaf_value = None if leaf_value is None else leaf
        self.last_search: WorldSearchRecord | None = None
        self.num_fallbacks = 0
        self._perfect = (
            perfect_information_values(model, opponents)
            if depth is None
            else DepthLimitedValues(model, leaf, opponents, moves=depth - 1)
        )
        self._samples = SampledLeafValues(model, leaf)
        self._is_prepared = False

    def notes(self) -> list[str]:
        """Return what a report on the searches so far should mention, one sentence each."""
        found = super().notes()
        if self.num_fallbacks:
            found.append(
                f"{self.num_fallbacks:,} searches took too long for one world and valued actions "
                "by samples of leaf values; give depth= to limit searches"
            )
        return found

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers, by name."""
        return {
            **super().settings(),
            **self.budget.settings(),
            "opponents": self.opponents,
            "leaf_value": leaf_value_name(self.leaf_value),
            "depth": self.depth,
        }

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order.

        Parameters
        ----------
        rng
            Draws worlds; not used if every world is weighted by its probability.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there.
        UnsupportedGameError
            If players choose simultaneously later in the game.
        """
        check_generator(rng)
        compiled_before, nodes_before = compiling_seconds(), self._num_nodes
        start = working_seconds()
        actions = self.model.require_legal_actions(infostate)
        values, policy = np.full(len(actions), np.nan), np.ones(1)
        draws, belief_seconds, preparation, model_noise = None, 0.0, 0.0, 0.0
        if len(actions) > 1:
            # 1. The worlds of the belief, and draws of them as long as the limits allow.
            worlds = self._worlds(infostate, rng)
            belief_seconds, model_noise = working_seconds() - start, worlds.positions.model_noise
            self._perfect.start_search(rng)
            preparation = self._prepare(worlds)
            start += preparation
            draws = Draws(worlds.positions.probability, self._perfect, self.budget, rng, start)
            # 2. and 3. Sums over these draws, of which the last complete one counts.
            scores = last_in_time(self._scores(worlds, draws))
            if scores is None:  # A single world takes too long: samples are cheaper.
                self._samples.start_search(rng)
                draws = replace(draws, values=self._samples, is_fallback=True)
                scores = last_in_time(sampled_scores(worlds, self._samples, draws))
            # 4. The actions with the largest score.
            if scores is None:
                policy = default_policy(self.leaf_value, infostate, actions)
            else:
                values = scores.score / draws.total_weight * SUM_UNIT
                policy = scores.policy
        self.last_search = WorldSearchRecord(
            actions=actions,
            values=values,
            num_worlds=draws.num_worlds if draws else 0,
            is_exact=draws is None or draws.is_exact,
            is_fallback=draws is not None and draws.is_fallback,
            num_nodes=self._num_nodes - nodes_before,
            seconds=working_seconds() - start,
            time_limit=self.budget.seconds,
            compile_seconds=compiling_seconds() - compiled_before,
            belief_seconds=belief_seconds,
            preparation_seconds=preparation,
            model_noise=model_noise,
        )
        self.num_fallbacks += self.last_search.is_fallback
        self._note_search(self.last_search, self.last_search.num_worlds, "world")
        return policy

    def _worlds(self, infostate: Infostate, rng: np.random.Generator) -> Worlds:
        """Return the worlds w of an infostate with their probabilities B_λ(w | s_i).

        They are a sample if there are too many to list.
        """
        positions = timed_roots(self.model, infostate, self.belief, rng, self.budget.seconds)
        indices = self.model.action_indices(infostate, positions)
        return Worlds(self._perfect, positions, indices, infostate.player)

    def _scores(self, worlds: Worlds, draws: Iterable[FloatArray]) -> Iterator[WorldScores]:
        """Yield score(a) for each of some draws: the mean where a is legal, times the total weight.

        draws : [K] the weight of each world, which is the number of its draws or its probability.
        """
        if self._perfect.is_random:
            yield from sampled_scores(worlds, self._perfect, draws)
            return
        for weight in draws:
            drawn = np.flatnonzero(weight)
            weight, value = weight[drawn], worlds.values(drawn) / SUM_UNIT  # [R] and [R, A]
            is_legal = ~np.isnan(value)
            value = np.where(is_legal, value, 0.0)
            total = weight @ value  # sum_w weight(w) * value(w, a)
            score = mean_where_legal(total, weight, is_legal)
            yield WorldScores(score, scale=float(weight @ abs(value).max(axis=1)))

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, num_searches: int
    ) -> FloatArray:
        """Return [R, A] the policies of R searches, equal to those of R calls of `search`.

        Without a time limit each world is evaluated once for all searches, unless its value is
        random, and `last_search` is left unchanged. Parameters and errors are those of
        `Searcher.search_many`.
        """
        check_generator(rng)
        check_count("num_searches", num_searches, minimum=1)
        if len(self.model.require_legal_actions(infostate)) == 1:
            return np.ones((num_searches, 1))
        if self.budget.seconds is not None or self._perfect.is_random:
            return super().search_many(infostate, rng, num_searches)
        before = rng.bit_generator.state
        worlds = self._worlds(infostate, rng)
        # Sampled worlds differ from search to search, so that they cannot be shared.
        if repr(rng.bit_generator.state) != repr(before):
            rng.bit_generator.state = before
            return super().search_many(infostate, rng, num_searches)
        self._perfect.start_search(rng)
        draws = Draws(worlds.positions.probability, self._perfect, self.budget, rng, 0.0)
        scores = self._scores(worlds, chain.from_iterable(repeat(draws, num_searches)))
        return np.stack([found.policy for found in scores])

    def _prepare(self, worlds: Worlds) -> float:
        """Evaluate a world before the first search, so that kernels are compiled.

        Random values are not computed ahead: they would count as those of a draw.

        Returns
        -------
        float
            The time in seconds, without compilation.
        """
        before = working_seconds()
        if self.model.is_compiled and not (self._is_prepared or self._perfect.is_random):
            limit = inf if self.budget.seconds is None else self.budget.seconds
            self._perfect.deadline = before + FIRST_WORLD * limit
            first_world = np.eye(1, len(worlds.indices))
            last_in_time(islice(self._scores(worlds, first_world), 1))
            self._is_prepared = True
        return working_seconds() - before

    @property
    def _num_nodes(self) -> int:
        return self._perfect.num_nodes + self._samples.num_nodes
