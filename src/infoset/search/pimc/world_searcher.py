"""What PIMC and its kin have in common: they think through worlds, and add up what they find."""

from __future__ import annotations

from abc import abstractmethod
from time import perf_counter
from typing import Any

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import Infostate
from infoset.search.budget import TimeBudget
from infoset.search.models import RootPositions, SearchModel
from infoset.search.pimc.choosing import perfect_information
from infoset.search.pimc.deciding import Scores, split_ties
from infoset.search.pimc.record import WorldSearchRecord
from infoset.search.pimc.thinking import Think, Thought, think_through
from infoset.search.pimc.values import MAX_N
from infoset.search.searcher import Searcher
from infoset.typing import FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_generator

__all__ = ["WorldSearcher"]


class WorldSearcher(Searcher):
    """A searcher that plays the action of the largest sum over worlds.

    Parameters
    ----------
    model, belief, num_worlds, milliseconds, opponents, seed
        As in `PIMC`.

    Attributes
    ----------
    budget : TimeBudget
        Of worlds.
    last_search : WorldSearchRecord or None
        What the last search found, and what it took.
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
        self.budget = TimeBudget("num_worlds", num_worlds, milliseconds)
        self.opponents = opponents
        self.last_search: WorldSearchRecord | None = None
        self._perfect = perfect_information(model, opponents)
        self._is_compiled = False

    def settings(self) -> dict[str, Any]:
        """Return what its answers go by besides the game, by name."""
        own = self.budget.settings()
        return {**super().settings(), **own, "opponents": self.opponents}

    @abstractmethod
    def _thinking(self, roots: RootPositions, numbers: LongArray, player: Player) -> Think:
        """Return what scores actions, given `numbers` as `SearchModel.action_indices` has them."""

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
            Draws worlds; where each is weighed by its probability, it is not asked.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there, or the generator is none.
        UnsupportedGameError
            If players choose at once further on.
        """
        check_generator(rng)
        start, nodes_before = perf_counter(), self._perfect.num_nodes
        actions = self.model.acting_actions(infostate)
        thought = Thought(Scores(np.full(1, np.nan), 0.0), 0, True)
        if len(actions) > 1:
            roots = self.model.roots(infostate, self.belief, rng)
            think = self._think_at(infostate, roots)
            start += self._compile(think, len(roots.probability))
            thought = think_through(roots.probability, self.budget, rng, think, start)
        self.last_search = WorldSearchRecord(
            actions=actions,
            values=thought.scores.score / (1 if thought.is_exact else thought.num_worlds),
            num_worlds=thought.num_worlds,
            is_exact=thought.is_exact,
            num_nodes=self._perfect.num_nodes - nodes_before,
            seconds=perf_counter() - start,
            allowed=self.budget.seconds,
        )
        self.overruns.add(self.last_search)
        return split_ties(thought.scores) if len(actions) > 1 else np.ones(1)

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, number: int
    ) -> FloatArray:
        """Return [R, A] the answers of as many searches, the same as `search` gives one by one.

        Where no time is set, a world is thought through once for all of them, and `last_search`
        stays as it was.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
        number : int
            R, at least 1.

        Raises
        ------
        UnknownNameError, ParameterError, UnsupportedGameError
            As `search`, or if the number is none.
        """
        check_generator(rng)
        check_count("number", number, minimum=1)
        before = rng.bit_generator.state
        if len(self.model.acting_actions(infostate)) == 1:
            return np.ones((number, 1))
        roots = self.model.roots(infostate, self.belief, rng)
        if self.budget.seconds is not None or repr(rng.bit_generator.state) != repr(before):
            rng.bit_generator.state = before
            return super().search_many(infostate, rng, number)
        think = self._think_at(infostate, roots)
        thoughts = (
            think_through(roots.probability, self.budget, rng, think, 0.0) for _ in range(number)
        )
        return np.stack([split_ties(thought.scores) for thought in thoughts])

    def _compile(self, think: Think, num_worlds: int) -> float:
        """Have what is compiled compiled, at the first search; return the seconds that it took."""
        before = perf_counter()
        if self.model.is_compiled and not self._is_compiled:
            think(np.eye(1, num_worlds)[0])
            self._is_compiled = True
        return perf_counter() - before

    def _think_at(self, infostate: Infostate, roots: RootPositions) -> Think:
        self._perfect.forget()
        numbers = self.model.action_indices(infostate, roots)
        return self._thinking(roots, numbers, infostate.player)
