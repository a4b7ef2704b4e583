"""Determinized searches within limits on the number of worlds and on time.

PIMC, EPIMC and αμ differ in the score of an action over weighted worlds, which is their sum over
worlds (`WorldSum` in `pimc.py`). A search draws worlds in batches as long as its limits allow and
plays an action with the largest score. If the values of one world take too much of a time limit,
values of random play after the action replace them.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple, Protocol

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Infostate
from infoset.runs.searcher import SearchBudget, Searcher, SearchRecord, check_model
from infoset.search.depth_limits import DepthLimitedValues, SampledLeafValues
from infoset.search.leaf_values import (
    LeafValue,
    as_leaf_value,
    default_policy,
    leaf_value_name,
)
from infoset.search.models import RootPositions, SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.models.histories import with_leaf_value
from infoset.search.models.model import timed_roots
from infoset.search.perfect_information import (
    MAX_N,
    PerfectInformationValues,
    perfect_information_values,
)
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_generator
from infoset.utils.clocks import OutOfTimeError, compiling_seconds, working_seconds


class DeterminizedRoot(NamedTuple):
    """The root of a search."""

    positions: RootPositions
    """The worlds of the belief."""
    indices: LongArray
    """[K, A] see `SearchModel.action_indices`."""
    player: Player

    @property
    def probability(self) -> FloatArray:
        """[K] probability of each world."""
        return self.positions.probability


class ActionScores(Protocol):
    """Scores of actions over worlds, such as `WorldScores`."""

    @property
    def score(self) -> FloatArray:
        """[A] score of each action."""

    @property
    def policy(self) -> FloatArray:
        """[A] the policy that follows from the scores."""


class ScoreSum(Protocol):
    """A sum over worlds that may stop early at a limit, such as `WorldSum`."""

    root: DeterminizedRoot
    perfect: PerfectInformationValues

    def draw(self, number: int, rng: np.random.Generator) -> FloatArray:
        """Return [K] the number of times that each world is drawn, in `number` draws."""

    def scores(self, weight: FloatArray) -> ActionScores:
        """Return the scores of the actions over worlds with weights [K]."""

    def sampled(self, samples: PerfectInformationValues) -> ScoreSum:
        """Return the sum over the same worlds, with random values right after the actions."""


class WorldEvaluation(NamedTuple):
    """Result of evaluating worlds within a budget."""

    scores: ActionScores | None
    """None if there was no time for a single world."""
    num_worlds: int
    """Number of worlds drawn; all worlds if `is_exact`."""
    is_exact: bool
    """Whether every world was weighted by its probability."""
    is_fallback: bool = False
    """As in `WorldSearchRecord`."""


def evaluate_worlds(
    worlds: ScoreSum, budget: SearchBudget, rng: np.random.Generator, start: float
) -> WorldEvaluation:
    """Draw worlds within a budget and score the actions over them.

    Instead of sampling, every world is weighted by its probability if the budget is unlimited, or
    if it limits only the time and every world was drawn at least once (unless values are random).
    From the second batch on, the deadline for computing values is the end of the time limit, and a
    batch that exceeds it is dropped.

    Parameters
    ----------
    budget
        Limits on worlds and time.
    start
        `working_seconds()` at the start of the search.

    Raises
    ------
    OutOfTimeError
        If the deadline for computing values passes in the first batch.
    """
    probability = worlds.root.probability
    weight, drawn = np.zeros(len(probability)), 0
    if budget.number is None and budget.seconds is None:
        return WorldEvaluation(worlds.scores(probability), len(probability), True)
    for batch in budget.batches(start):
        more = weight + worlds.draw(batch, rng)
        try:
            scores = worlds.scores(more)
        except OutOfTimeError:
            if not drawn:
                raise
            break
        weight, drawn = more, drawn + batch
        if budget.number is None and weight.all() and not worlds.perfect.is_random:
            return WorldEvaluation(worlds.scores(probability), len(probability), True)
        if budget.seconds is not None:
            worlds.perfect.deadline = start + budget.seconds
    return WorldEvaluation(scores, drawn, False)


MIN_WORLDS = 10

FIRST_WORLD = 0.5
"""Fraction of a time limit that the values of the first world may take."""


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldSearchRecord(SearchRecord):
    """Result and cost of a determinized search; `num_nodes` counts positions."""

    num_worlds: int
    """Number of worlds drawn; all worlds if `is_exact`. If the time limit left no world with values
    of all actions, this is 0, and the answer is the policy of `leaf_value`, by default the uniform
    one."""
    is_exact: bool
    """Whether every world was weighted by its probability."""
    is_fallback: bool = False
    """Whether the values of one world took more than half of the time limit. The search has then
    valued each action by samples of the leaf value right after it."""

    @property
    def is_short(self) -> bool:
        """Whether the time limit left fewer than ten worlds for a choice of several actions."""
        is_limited = self.time_limit is not None and not self.is_exact
        return is_limited and len(self.actions) > 1 and self.num_worlds < MIN_WORLDS


class DeterminizedSearcher(Searcher):
    """A searcher that plays an action with the largest sum of values over determinizations.

    Parameters
    ----------
    model, belief, num_worlds, milliseconds, opponents, leaf_value, seed
        As in `PIMC`.
    moves
        Number of moves after an action before leaf values replace perfect information; None for
        perfect information to the end.

    Attributes
    ----------
    budget : SearchBudget
        Limits on worlds and time.
    last_search : WorldSearchRecord or None
        Result and cost of the last search.
    num_fallbacks : int
        Number of searches that fell back to samples, as in `WorldSearchRecord.is_fallback`.
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
        leaf_value: LeafValue | None = None,
        moves: int | None = None,
        seed: int = 0,
    ) -> None:
        check_model(model, SearchModel)
        leaf = as_leaf_value(leaf_value)
        model = with_leaf_value(model, leaf)
        super().__init__(model, belief=belief, seed=seed)
        self.budget = SearchBudget("num_worlds", num_worlds, milliseconds)
        self.opponents = opponents
        self.last_search: WorldSearchRecord | None = None
        self.leaf_value = None if leaf_value is None else leaf
        self._perfect = (
            perfect_information_values(model, opponents)
            if moves is None
            else DepthLimitedValues(model, leaf, opponents, moves=moves)
        )
        self._samples = SampledLeafValues(model, leaf)
        self._is_prepared = False
        self.num_fallbacks = 0

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
        }

    @abstractmethod
    def _world_sum(self, root: DeterminizedRoot) -> ScoreSum:
        """Return the sum over the worlds of a root, which does not apply time limits."""

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
        compiled_before = compiling_seconds()
        start = working_seconds()
        actions = self.model.require_legal_actions(infostate)
        found = WorldEvaluation(None, 0, True)
        preparation = belief_seconds = model_noise = 0.0
        nodes_before = self._num_nodes
        if len(actions) > 1:
            root = self._root(infostate, rng)
            model_noise = root.positions.model_noise
            belief_seconds = working_seconds() - start
            self._perfect.start_search(rng)
            worlds = self._world_sum(root)
            preparation = self._prepare(worlds)
            start += preparation
            found = self._evaluate(worlds, rng, start)
        values, policy = np.full(len(actions), np.nan), np.ones(1)
        if found.scores is not None:
            num_summed = 1 if found.is_exact else found.num_worlds
            values, policy = found.scores.score / num_summed * SUM_UNIT, found.scores.policy
        elif len(actions) > 1:
            policy = default_policy(self.leaf_value, infostate, actions)
        self.last_search = WorldSearchRecord(
            actions=actions,
            values=values,
            num_worlds=found.num_worlds,
            is_exact=found.is_exact,
            is_fallback=found.is_fallback,
            num_nodes=self._num_nodes - nodes_before,
            seconds=working_seconds() - start,
            time_limit=self.budget.seconds,
            compile_seconds=compiling_seconds() - compiled_before,
            belief_seconds=belief_seconds,
            preparation_seconds=preparation,
            model_noise=model_noise,
        )
        self.num_fallbacks += found.is_fallback
        self._note_search(self.last_search, found.num_worlds, "world")
        return policy

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, num_searches: int
    ) -> FloatArray:
        """Return [R, A] the policies of R searches, equal to those of R calls of `search`.

        Without a time limit each world is evaluated once for all searches, unless its value is
        random, and `last_search` is left unchanged.

        Parameters
        ----------
        num_searches
            R, at least 1.

        Raises
        ------
        UnknownNameError, ParameterError, UnsupportedGameError
            As in `search`, or if `num_searches` is less than 1.
        """
        check_generator(rng)
        check_count("num_searches", num_searches, minimum=1)
        before = rng.bit_generator.state
        if len(self.model.require_legal_actions(infostate)) == 1:
            return np.ones((num_searches, 1))
        root = self._root(infostate, rng)
        is_shared = self.budget.seconds is None and not self._perfect.is_random
        # Sampled roots differ from search to search, so that they cannot be shared.
        if not is_shared or repr(rng.bit_generator.state) != repr(before):
            rng.bit_generator.state = before
            return super().search_many(infostate, rng, num_searches)
        self._perfect.start_search(rng)
        worlds = self._world_sum(root)
        found = (evaluate_worlds(worlds, self.budget, rng, 0.0) for _ in range(num_searches))
        return np.stack([evaluation.scores.policy for evaluation in found if evaluation.scores])

    def _evaluate(
        self, worlds: ScoreSum, rng: np.random.Generator, start: float
    ) -> WorldEvaluation:
        """Score the actions over worlds; by samples of leaf values if that takes too long."""
        limit = inf if self.budget.seconds is None else self.budget.seconds
        self._perfect.deadline = start + FIRST_WORLD * limit
        with suppress(OutOfTimeError):
            return evaluate_worlds(worlds, self.budget, rng, start)
        self._samples.deadline = start + limit
        self._samples.start_search(rng)
        with suppress(OutOfTimeError):
            found = evaluate_worlds(worlds.sampled(self._samples), self.budget, rng, start)
            return found._replace(is_fallback=True)
        return WorldEvaluation(None, 0, is_exact=False, is_fallback=True)

    @property
    def _num_nodes(self) -> int:
        return self._perfect.num_nodes + self._samples.num_nodes

    def _prepare(self, worlds: ScoreSum) -> float:
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
            with suppress(OutOfTimeError):
                worlds.scores(np.eye(1, len(worlds.root.probability))[0])
            self._is_prepared = True
        return working_seconds() - before

    def _root(self, infostate: Infostate, rng: np.random.Generator) -> DeterminizedRoot:
        roots = timed_roots(self.model, infostate, self.belief, rng, self.budget.seconds)
        indices = self.model.action_indices(infostate, roots)
        return DeterminizedRoot(roots, indices, infostate.player)
