"""αμ: search over pure policies of Max against defenders with perfect information.

A policy of Max has one result per world, so that positions have Pareto fronts of vectors instead of
values. The union of the fronts of its actions is taken where Max acts, and the join, which is the
componentwise minimum of all pairs, where Min does. After `max_moves` actions of Max, the vector of
perfect-information values by world is the leaf.

The vectors here have one entry per position that Max cannot tell apart, rather than per world. The
positions after an observation form the next infostate of Max. A world in which an action of Min is
illegal has no position there, and does not enter the minimum: it is an invalid world of the paper.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnsupportedGameError
from infoset.runs.searcher import check_model
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search._perfect_information_kernels import (
    after_transitions,
    next_movers,
)
from infoset.search.determinization import Worlds, WorldScores
from infoset.search.models import END, RulesModel, SearchModel
from infoset.search.models._model_kernels import SUM_UNIT
from infoset.search.perfect_information import MAX_N, PARANOID, run_on
from infoset.search.pimc import PIMC
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count


class AlphaMu(PIMC):
    """αμ search: the best pure policy of the player against an opponent that sees everything.

    In its next `max_moves` decisions, including the one at the root, the player takes the same
    action in all worlds that it cannot tell apart. The opponent sees everything and answers the
    player's policy in each world. After these decisions all players see everything. With
    `max_moves=1` it is PIMC; with enough moves to end the game, it finds the best pure policy
    exactly. Ties are split evenly.

    Parameters
    ----------
    model
        A two-player constant-sum game in which players do not act simultaneously. On a `RulesModel`
        the sum is not checked, and the opponent minimizes the utility of the player.
    max_moves
        Number M of decisions of the player before it gets perfect information. Decisions with a
        single action do not count.
    belief
        As in `PIMC`. The probabilities of worlds weight the vectors at the root.
    num_worlds
        As in `PIMC`; the cost of fronts grows fast with the number of worlds.
    milliseconds
        Time limit of a search. The search then deepens from one move to `max_moves`, and the answer
        is that of the last completed iteration, which depends on the machine. The worlds are drawn
        in the first iteration.
    seed
        Seed of the policy; `search` takes a generator instead.

    Attributes
    ----------
    last_search : WorldSearchRecord or None
        Result and cost of the last search. The values of actions that cannot be the best are NaN.
    last_moves : int
        Number of moves of the last completed iteration.

    Raises
    ------
    UnsupportedGameError
        If the game does not have two players, or their utilities have no constant sum.

    Notes
    -----
    Source: Cazenave, Ventos, "The αμ Search Algorithm for the Game of Bridge", arXiv 1911.07960
    (2019). Differs from the paper: vectors have utilities instead of wins and losses, compared
    componentwise; chance moves have expectations; and moves of Min may be hidden from Max. The cuts
    compare with perfect-information values, which are upper bounds on the result of any policy.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> kuhn = search_model(load_game("kuhn_poker"))
    >>> queen = Infostate(0, (Step(None, "Q", None),))
    >>> rng = np.random.default_rng(0)
    >>> [
    ...     AlphaMu(kuhn, max_moves=m, num_worlds=None).search(queen, rng).tolist()
    ...     for m in (1, 2)
    ... ]
    [[1.0, 0.0], [0.5, 0.5]]
    """

    def __init__(
        self,
        model: SearchModel,
        *,
        max_moves: int = 2,
        belief: PublicPrivateBelief | float = 0.0,
        num_worlds: int | None = 20,
        milliseconds: float | None = None,
        seed: int = 0,
    ) -> None:
        check_model(model, SearchModel)
        check_count("max_moves", max_moves, minimum=1)
        check_sides(model)
        super().__init__(
            model,
            belief=belief,
            num_worlds=num_worlds,
            milliseconds=milliseconds,
            opponents=MAX_N if model.is_zero_sum else PARANOID,
            seed=seed,
        )
        self.max_moves = max_moves
        self.last_moves = 0

    def settings(self) -> dict[str, Any]:
        """Return the settings that determine the answers, by name."""
        settings = super().settings()
        del settings["opponents"], settings["leaf_value"], settings["depth"]
        return {**settings, "max_moves": self.max_moves}

    def _scores(self, worlds: Worlds, draws: Iterable[FloatArray]) -> Iterator[WorldScores]:
        """Yield the scores over each of some draws, and then those with more moves."""
        search = FrontSearch(worlds)
        first = self.max_moves if self.budget.seconds is None else 1
        self.last_moves = 0
        for weight in draws:
            [bounds] = super()._scores(worlds, [weight])
            scores = search.scores(weight, bounds, first)
            self.last_moves = first
            yield scores
        # With a time limit, the search deepens on the worlds that it has drawn.
        for moves in range(first + 1, self.max_moves + 1):
            scores = search.scores(weight, bounds, moves)
            self.last_moves = moves
            yield scores


def check_sides(model: SearchModel) -> None:
    """Raise unless a model has two players who may have opposite interests."""
    if model.num_players != 2:
        raise UnsupportedGameError(
            f"{model.game} has {model.num_players} players, and AlphaMu is for Max against a "
            "single opponent Min; use infoset.search.EPIMC"
        )
    # The rules alone do not say whether a game is zero-sum.
    if not (model.is_zero_sum or isinstance(model, RulesModel)):
        raise UnsupportedGameError(
            f"the utilities of {model.game} do not have a constant sum, and AlphaMu assumes that "
            "Min minimizes the utility of Max; use infoset.search.EPIMC"
        )


def pareto_front(vectors: FloatArray) -> FloatArray:
    """Return the vectors [F, P] that no other vector dominates, each once, best sum first."""
    if len(vectors) == 1:
        return vectors
    vectors = np.unique(vectors, axis=0)
    # A vector can only be dominated by one with a sum that is at least as large; where rounding
    # makes sums equal, the lexicographic order of `unique`, reversed, has the dominating one first.
    total = (vectors[::-1] / SUM_UNIT).sum(axis=1)
    vectors = vectors[::-1][np.argsort(-total, kind="stable")]
    front: FloatArray = vectors[:1]
    for vector in vectors[1:]:
        if not is_dominated(vector, front):
            front = np.concatenate([front, vector[None]])
    return front


def is_dominated(vector: FloatArray, front: FloatArray) -> bool:
    """Return whether a vector of a front [F, P] is at least as large in all entries."""
    return bool((front >= vector).all(axis=1).any())


def join(front: FloatArray, other: FloatArray, combine: np.ufunc) -> FloatArray:
    """Return the front of the combinations of all pairs of vectors [F, P] and [G, P]."""
    pairs = combine(front[:, None], other[None])
    return pareto_front(pairs.reshape(-1, front.shape[1]))


def minima(vectors: FloatArray, parent: LongArray, num_parents: int) -> FloatArray:
    """Return [F, P] minima of the entries of vectors [F, C] by parent [C]; inf without entries."""
    found = np.full((num_parents, len(vectors)), np.inf)
    np.minimum.at(found, parent, vectors.T)
    return found.T


class Positions(NamedTuple):
    """Positions that Max cannot tell apart."""

    states: LongArray
    rewards_so_far: FloatArray
    """[P, L] and [P, N], as in `RootPositions`."""

    def pick(self, which: LongArray | BoolArray) -> Positions:
        """Return a selection of the positions."""
        return Positions(self.states[which], self.rewards_so_far[which])


class Part(NamedTuple):
    """The front of positions that follow others."""

    front: FloatArray
    """[F, C]"""
    origin: LongArray
    """[C] the position that each comes from."""
    probability: FloatArray
    """[C] or [1] probability of the transition to each."""


class FrontSearch:
    """Pareto fronts of the results of Max's pure policies, by depth-first search over infostates.

    Parameters
    ----------
    worlds
        Their player is Max.
    """

    def __init__(self, worlds: Worlds) -> None:
        self.worlds, self.perfect = worlds, worlds.perfect
        self._model, self._player = worlds.perfect.model, worlds.player

    def scores(self, weight: FloatArray, bounds: WorldScores, moves: int) -> WorldScores:
        """Return the scores of the root actions that can be the best; the others are NaN.

        Parameters
        ----------
        weight
            [K] weights of the worlds.
        bounds
            The scores of PIMC, which are upper bounds: no policy earns more than perfect play.
        moves
            Number of decisions of Max, including the root, before perfect information.
        """
        if moves == 1:
            return bounds
        score = np.full_like(bounds.score, np.nan)
        best = -np.inf
        margin = TIE_TOLERANCE * bounds.scale
        # Root cut: the remaining actions have smaller upper bounds than the best score so far.
        for action in np.argsort(-bounds.score, kind="stable").tolist():
            if np.isnan(bounds.score[action]) or bounds.score[action] < best - margin:
                break
            score[action] = self._root_score(action, weight, moves)
            best = max(best, score[action])
        return WorldScores(score, bounds.scale)

    def _root_score(self, action: int, weight: FloatArray, moves: int) -> float:
        """Return the best mean over worlds in which an action is legal, times the total weight."""
        indices, positions = self.worlds.indices[:, action], self.worlds.positions
        worlds = np.flatnonzero((weight > 0) & (indices >= 0))
        # Under a public belief the player has several infostates, which continue separately.
        own = positions.infostates[worlds, self._player]
        total = 0.0
        for number in np.unique(own).tolist():
            here = worlds[own == number]
            roots = Positions(positions.states[here], positions.rewards_so_far[here])
            after, origin, index = self._after_actions(roots, self._player)
            after = after.pick(index == indices[here[origin]])
            front = self._front(after, moves - 1)
            total += float((front / SUM_UNIT @ weight[here]).max())
        part = float(weight[worlds].sum() / weight.sum())
        return total / part

    def _front(
        self, positions: Positions, moves: int, known: FloatArray | None = None
    ) -> FloatArray:
        """Return the front [F, P] of positions that Max cannot tell apart, after a move of Max.

        Vectors that a vector of the front `known` dominates may be left out.
        """
        self.perfect.check_time()
        if moves == 0:
            return self._values(positions)[None]
        played, parent, movers = self._after_responses(positions)
        parts, is_random = self._parts(played, movers, moves)
        num_positions, num_played = len(positions.states), len(played.states)
        if is_random:
            # Expectations come first, so that the minima can only be taken over the whole sum.
            front = np.zeros((1, num_played))
            for part, origin, probability in parts:
                expected = np.zeros((num_played, len(part)))
                np.add.at(expected, origin, (part * probability).T)
                front = join(front, expected.T, np.add)
            return pareto_front(minima(front, parent, num_positions))
        front = np.full((1, num_positions), np.inf)
        for part, origin, _ in parts:
            front = join(front, minima(part, parent[origin], num_positions), np.minimum)
            if known is not None:
                # Early cut: further minima only make vectors worse.
                front = front[[not is_dominated(vector, known) for vector in front]]
                if not len(front):
                    break
        return front

    def _after_responses(self, positions: Positions) -> tuple[Positions, LongArray, LongArray]:
        """Return the positions in which Min does not act, the origin of each, and who acts."""
        states = positions.states.copy()
        parent = np.arange(len(states))
        while True:
            movers = run_on(self._model, next_movers)(
                self._model.arrays, states, self._model.num_players
            )
            is_min = movers == 1 - self._player
            positions = positions._replace(states=states)
            if not is_min.any():
                return positions, parent, movers
            after, origin, _ = self._after_actions(positions.pick(is_min), 1 - self._player)
            waiting = positions.pick(~is_min)
            positions = Positions._make(map(np.concatenate, zip(after, waiting, strict=True)))
            parent = np.concatenate([parent[is_min][origin], parent[~is_min]])
            states = positions.states

    def _parts(
        self, positions: Positions, movers: LongArray, moves: int
    ) -> tuple[Iterator[Part], bool]:
        """Return the parts of positions that Max tells apart, and whether chance acts."""
        is_over, is_own = movers == END, movers == self._player
        moving = np.flatnonzero(~is_over & ~is_own)
        states, rewards_so_far, observation, origin, probability = run_on(
            self._model, after_transitions
        )(self._model.arrays, *positions.pick(moving), self._player)
        after = Positions(states, rewards_so_far)

        def parts() -> Iterator[Part]:
            if is_over.any():
                result = positions.rewards_so_far[is_over, self._player]
                yield Part(result[None], np.flatnonzero(is_over), np.ones(1))
            if is_own.any():
                own = positions.pick(is_own)
                yield Part(self._union(own, moves), np.flatnonzero(is_own), np.ones(1))
            for seen in np.unique(observation).tolist():
                same = observation == seen
                front = self._front(after.pick(same), moves)
                yield Part(front, moving[origin[same]], probability[same])

        return parts(), len(origin) > len(moving)

    def _values(self, positions: Positions) -> FloatArray:
        return self.perfect.values(positions.states, positions.rewards_so_far, self._player)

    def _union(self, positions: Positions, moves: int) -> FloatArray:
        """Return the union of the fronts of Max's actions at an infostate."""
        after, _, action = self._after_actions(positions, self._player)
        options = [after.pick(action == index) for index in range(1 + int(action.max()))]
        bounds = [self._values(option) for option in options]
        if moves == 1:
            return pareto_front(np.stack(bounds))
        front = np.empty((0, len(positions.states)))
        total = np.array([(bound / SUM_UNIT).sum() for bound in bounds])
        for index in np.argsort(-total, kind="stable").tolist():
            # Early cut: a known policy does as well in every position.
            if not is_dominated(bounds[index], front):
                found = self._front(options[index], moves - 1, front)
                front = pareto_front(np.concatenate([front, found]))
        return front

    def _after_actions(
        self, positions: Positions, actor: Player
    ) -> tuple[Positions, LongArray, LongArray]:
        after, origin, action = self.perfect.after_actions(*positions, actor)
        return Positions(after, positions.rewards_so_far[origin]), origin, action
