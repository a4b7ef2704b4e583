"""Determinization: worlds drawn from a belief, scores of the actions over them, and the searcher.

At an infostate s_i, worlds w_k are drawn from a belief B_λ, every action is valued in each world,
and an action with the largest sum is played:

    score(a) = sum_k weight_k * value_i(w_k after a),    w_k ~ B_λ(. | s_i)
    B_λ(w | s_i) = (1 - λ) B_priv(w | s_i) + λ B_pub(w | s_pub)

PIMC and EPIMC differ in the value of an action in a world.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Infostate
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search.budget import SearchBudget, SearchRecord
from infoset.search.models import RootPositions, SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import MAX_N, perfect_information_values
from infoset.search.searcher import Searcher
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_generator
from infoset.utils.clocks import compiling_seconds, working_seconds

__all__ = [
    "DeterminizedSearcher",
    "ScoreWorlds",
    "WorldScores",
    "WorldSearchRecord",
    "evaluate_worlds",
    "mean_where_legal",
    "split_ties",
]


class WorldScores(NamedTuple):
    """Scores of actions over worlds.

    Attributes
    ----------
    score : FloatArray
        [A] mean value of each action over the worlds in which it is legal, times the weight of all
        worlds, in `SUM_UNIT`. NaN if the action is legal in none of them, so that nothing is known
        about it.
    scale : float
        Sum over worlds of weight times the largest absolute value, in `SUM_UNIT`; the tie tolerance
        is relative to it.
    """

    score: FloatArray
    scale: float


def mean_where_legal(total: FloatArray, weight: FloatArray, is_legal: BoolArray) -> FloatArray:
    """Return [A] mean values over the worlds where each action is legal, times the total weight.

    A sum over all worlds would count an illegal action as if it earned 0, which depends on the
    constant that the payoffs contain.

    Parameters
    ----------
    total : FloatArray
        [A] sum over the worlds where the action is legal of weight times value.
    weight : FloatArray
        [K] weights of the worlds.
    is_legal : BoolArray
        [K, A] whether each action is legal in each world.
    """
    legal_weight = weight @ is_legal
    # Where the action is legal in all worlds, the factor is 1 without rounding.
    part = np.where(is_legal.all(axis=0), 1.0, legal_weight / weight.sum())
    return np.where(legal_weight > 0, total / np.where(part > 0, part, 1.0), np.nan)


ScoreWorlds: TypeAlias = Callable[[FloatArray], WorldScores]
"""A function that maps weights [K] of the worlds to scores of the actions."""


def split_ties(scores: WorldScores) -> FloatArray:
    """Return [A] the policy that is uniform over the actions with the largest score.

    Scores within `1e-11 * scale` of the largest are tied. Unknown scores (NaN) are never the
    largest, unless all scores are unknown.

    Examples
    --------
    >>> import numpy as np
    >>> split_ties(WorldScores(np.array([0.1 + 0.2, 0.3, -1.0]), 1.0)).tolist()
    [0.5, 0.5, 0.0]
    """
    score = np.where(np.isnan(scores.score), -np.inf, scores.score)
    is_best = score >= score.max() - TIE_TOLERANCE * scores.scale
    policy: FloatArray = is_best / is_best.sum()
    return policy


class WorldEvaluation(NamedTuple):
    """Result of evaluating worlds within a budget.

    Attributes
    ----------
    scores : WorldScores
    num_worlds : int
        Number of worlds drawn; all worlds if `is_exact`.
    is_exact : bool
        Whether every world was weighted by its probability.
    """

    scores: WorldScores
    num_worlds: int
    is_exact: bool


def evaluate_worlds(
    probability: FloatArray,
    budget: SearchBudget,
    rng: np.random.Generator,
    score_worlds: ScoreWorlds,
    start: float,
) -> WorldEvaluation:
    """Draw worlds within a budget and score the actions over them.

    Instead of sampling, every world is weighted by its probability if the budget is unlimited, or
    if it limits only the time and every world was drawn at least once.

    Parameters
    ----------
    probability : FloatArray
        [K] probability of each world.
    budget : SearchBudget
        Limits on worlds and time.
    rng : numpy.random.Generator
    score_worlds : ScoreWorlds
    start : float
        `working_seconds()` at the start of the search.
    """
    weight, drawn = np.zeros(len(probability)), 0
    if budget.number is None and budget.seconds is None:
        return WorldEvaluation(score_worlds(probability), len(probability), True)
    for batch in budget.batches(start):
        weight += rng.multinomial(batch, probability / probability.sum())
        drawn += batch
        scores = score_worlds(weight)
        if budget.number is None and weight.all():
            return WorldEvaluation(score_worlds(probability), len(probability), True)
    return WorldEvaluation(scores, drawn, False)


MIN_WORLDS = 10


@dataclass(frozen=True, eq=False, kw_only=True)
class WorldSearchRecord(SearchRecord):
    """Result and cost of a determinized search; `num_nodes` counts positions.

    Attributes
    ----------
    num_worlds : int
        Number of worlds drawn; all worlds if `is_exact`.
    is_exact : bool
        Whether every world was weighted by its probability.
    """

    num_worlds: int
    is_exact: bool

    @property
    def is_short(self) -> bool:
        """Whether the time limit left fewer than ten worlds for a choice of several actions."""
        is_limited = self.time_limit is not None and not self.is_exact
        return is_limited and len(self.actions) > 1 and self.num_worlds < MIN_WORLDS


class DeterminizedSearcher(Searcher):
    """A searcher that plays an action with the largest sum of values over determinizations.

    Parameters
    ----------
    model, belief, num_worlds, milliseconds, opponents, seed
        As in `PIMC`.

    Attributes
    ----------
    budget : SearchBudget
        Limits on worlds and time.
    last_search : WorldSearchRecord or None
        Result and cost of the last search.
    """

    def __init__(
        self,
        model: SearchModel,
        *,
        belief: PublicPrivateBelief | float = 0.0,
        num_worlds: int | None = 1000,
        milliseconds: float | None = None,
        opponents: str = MAX_N,
        seed: int = 0,
    ) -> None:
        super().__init__(model, belief=belief, seed=seed)
        self.budget = SearchBudget("num_worlds", num_worlds, milliseconds)
        self.opponents = opponents
        self.last_search: WorldSearchRecord | None = None
        self._perfect = perfect_information_values(model, opponents)
        self._is_prepared = False

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers, by name."""
        return {**super().settings(), **self.budget.settings(), "opponents": self.opponents}

    @abstractmethod
    def _world_scores(
        self, roots: RootPositions, indices: LongArray, player: Player
    ) -> ScoreWorlds:
        """Return a function that scores worlds; `indices` as in `SearchModel.action_indices`."""

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
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
        start, nodes_before = working_seconds(), self._perfect.num_nodes
        actions = self.model.require_legal_actions(infostate)
        found = WorldEvaluation(WorldScores(np.full(1, np.nan), 0.0), 0, True)
        preparation = model_noise = 0.0
        if len(actions) > 1:
            roots = self.model.roots(infostate, self.belief, rng)
            model_noise = roots.model_noise
            score_worlds = self._scores_at(infostate, roots)
            preparation = self._prepare(score_worlds, len(roots.probability))
            start += preparation
            found = evaluate_worlds(roots.probability, self.budget, rng, score_worlds, start)
        self.last_search = WorldSearchRecord(
            actions=actions,
            values=found.scores.score / (1 if found.is_exact else found.num_worlds) * SUM_UNIT,
            num_worlds=found.num_worlds,
            is_exact=found.is_exact,
            num_nodes=self._perfect.num_nodes - nodes_before,
            seconds=working_seconds() - start,
            time_limit=self.budget.seconds,
            compile_seconds=compiling_seconds() - compiled_before,
            preparation_seconds=preparation,
            model_noise=model_noise,
        )
        self._note_search(self.last_search, f"{found.num_worlds} worlds")
        return split_ties(found.scores) if len(actions) > 1 else np.ones(1)

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, num_searches: int
    ) -> FloatArray:
        """Return [R, A] the policies of R searches, equal to those of R calls of `search`.

        Without a time limit each world is evaluated once for all searches, and `last_search` is
        left unchanged.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
        num_searches : int
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
        roots = self.model.roots(infostate, self.belief, rng)
        # Sampled roots differ from search to search, so that they cannot be shared.
        if self.budget.seconds is not None or repr(rng.bit_generator.state) != repr(before):
            rng.bit_generator.state = before
            return super().search_many(infostate, rng, num_searches)
        score_worlds = self._scores_at(infostate, roots)
        found = (
            evaluate_worlds(roots.probability, self.budget, rng, score_worlds, 0.0)
            for _ in range(num_searches)
        )
        return np.stack([split_ties(evaluation.scores) for evaluation in found])

    def _prepare(self, score_worlds: ScoreWorlds, num_worlds: int) -> float:
        """Evaluate a world before the first search, so that kernels are compiled.

        Returns
        -------
        float
            The time in seconds, without compilation.
        """
        before = working_seconds()
        if self.model.is_compiled and not self._is_prepared:
            score_worlds(np.eye(1, num_worlds)[0])
            self._is_prepared = True
        return working_seconds() - before

    def _scores_at(self, infostate: Infostate, roots: RootPositions) -> ScoreWorlds:
        self._perfect.start_search()
        indices = self.model.action_indices(infostate, roots)
        return self._world_scores(roots, indices, infostate.player)
