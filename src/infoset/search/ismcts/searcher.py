"""Information-set Monte Carlo tree search: trying out plays, the promising ones more often."""

from __future__ import annotations

from math import nan, sqrt
from time import perf_counter
from typing import Any, Final

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.search.budget import TimeBudget
from infoset.search.ismcts._kernels import Start, search_often, simulate
from infoset.search.ismcts.beginning import Beginning, begin_at
from infoset.search.ismcts.memory import Memory
from infoset.search.ismcts.record import TreeSearchRecord
from infoset.search.models import SearchModel
from infoset.search.searcher import Searcher
from infoset.typing import FloatArray, LongArray
from infoset.utils.arguments import check_choice, check_count, check_generator, check_number
from infoset.utils.splitmix import Stream

__all__ = ["BONUSES", "ISMCTS"]

BONUSES: Final = {"ln": 1.0, "2ln": 2.0}
"""The factor c of the bonus sqrt(c ln N / n), by name: OpenSpiel's, and that of UCB1."""

MAX_KEPT_ROOTS = 200_000
"""Positions where searches begin; when they are more, all are forgotten."""


class ISMCTS(Searcher):
    """Monte Carlo tree search over infostates, with plays that begin where the player believes.

    Each simulation draws a position from the belief and goes down a tree whose nodes are the
    infostates of whoever acts, so that nobody acts on what it does not know. At a node the action
    of the highest `mean return + exploration * reward_scale * sqrt(c ln N / n)` is taken, N and n
    being the visits of node and action; actions not tried yet come first, in random order. The
    first time that a node is met, the game is played from there at random, and what it brings is
    added to the actions on the path. The policy is the share of the visits.

    Under a belief with a public part, the own infostates that it holds possible are all roots of
    one tree, which share what follows where others cannot tell them apart; their visits are summed.

    Parameters
    ----------
    model : SearchModel
        The game: with any number of players, general sums, simultaneous moves and chance.
    belief : PublicPrivateBelief or float
        As for every searcher.
    num_simulations : int or None
        At most so many; None where `milliseconds` alone decides.
    exploration : float
        The constant that multiplies the bonus.
    bonus : str
        One of `BONUSES`: "ln" for sqrt(ln N / n), "2ln" for sqrt(2 ln N / n).
    reward_scale : float
        The returns at which the exploration is meant, in the game's units: 1 takes them as they
        are; the difference of the greatest and least utility brings them to a range of 1.
    num_rollouts : int
        Random plays from each new node, of which the mean counts.
    milliseconds : float or None
        Time for a search. The answer then depends on the machine.
    seed : int
        Of the policy.

    Attributes
    ----------
    budget : TimeBudget
        Of simulations.
    last_search : TreeSearchRecord or None
        What the last search found, and what it took.

    Raises
    ------
    ParameterError
        If a number is not what it should be, or neither simulations nor time are limited.
    UnknownNameError
        If there is no such bonus.

    Notes
    -----
    The memory is kept from one search to the next: a searcher is for one thread at a time.
    Source: Cowling, Powley, Whitehouse, "Information set Monte Carlo tree search" (2012), as in
    OpenSpiel's `ISMCTSBot`: the first simulation of a root only makes its node, so that visits
    sum to one less than the simulations.

    Examples
    --------
    >>> from infoset.game import Infostate, Step
    >>> from infoset.games import load_game
    >>> from infoset.search import search_model
    >>> searcher = ISMCTS(search_model(load_game("kuhn_poker")), num_simulations=2000)
    >>> jack = Infostate(1, (Step(None, "J", None), Step(None, None, "bet")))
    >>> searcher.search(jack, np.random.default_rng(0)).round(1).tolist()
    [1.0, 0.0]
    """

    def __init__(
        self,
        model: SearchModel,
        *,
        belief: PublicPrivateBelief | float = 0.0,
        num_simulations: int | None = 1000,
        exploration: float = 0.7,
        bonus: str = "ln",
        reward_scale: float = 1.0,
        num_rollouts: int = 1,
        milliseconds: float | None = None,
        seed: int = 0,
    ) -> None:
        super().__init__(model, belief=belief, seed=seed)
        if num_simulations is None and milliseconds is None:
            raise ParameterError(
                "num_simulations=None and milliseconds=None let a search go on forever; give one"
            )
        self.budget = TimeBudget("num_simulations", num_simulations, milliseconds)
        check_number("exploration", exploration)
        check_number("reward_scale", reward_scale)
        check_count("num_rollouts", num_rollouts, minimum=1)
        check_choice("bonus", bonus, BONUSES)
        self.exploration = exploration
        self.bonus = bonus
        self.reward_scale = reward_scale
        self.num_rollouts = num_rollouts
        self.last_search: TreeSearchRecord | None = None
        self._width = exploration * reward_scale * sqrt(BONUSES[bonus])
        self._memory = Memory(model.state_size, model.num_players)
        self._kept: dict[Infostate, Beginning] = {}
        self._num_kept = 0
        self._is_compiled = False

    def settings(self) -> dict[str, Any]:
        """Return what its answers go by besides the game, by name."""
        return {
            **super().settings(),
            **self.budget.settings(),
            "exploration": self.exploration,
            "bonus": self.bonus,
            "reward_scale": self.reward_scale,
            "num_rollouts": self.num_rollouts,
        }

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the share of the simulations that took each legal action, in order.

        Where there were too few for any, all are alike.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
            Gives the seed of the simulations, and draws positions where there are too many to
            list.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate.
        ParameterError
            If its player does not act there, or the generator is none.
        """
        check_generator(rng)
        started = perf_counter()
        beginning = self._beginning(infostate, rng)
        stream = np.array([rng.integers(2**64, dtype=np.uint64)])
        self._memory.begin(beginning.roots.num_known)
        started += self._compile(beginning.start, stream)
        num_simulations = 0
        if len(beginning.actions) > 1:
            for batch in self.budget.batches(started):
                self._simulate(beginning.start, stream, batch)
                num_simulations += batch
        visits, returns = self._memory.totals(beginning.roots)
        self.last_search = TreeSearchRecord(
            actions=beginning.actions,
            values=means(returns, visits),
            num_nodes=self._memory.num_nodes,
            seconds=perf_counter() - started,
            allowed=self.budget.seconds,
            visits=visits,
            num_simulations=num_simulations,
        )
        self.overruns.add(self.last_search)
        return shares(visits)

    def search_many(
        self, infostate: Infostate, rng: np.random.Generator, number: int
    ) -> FloatArray:
        """Return [R, A] the answers of as many searches, the same as `search` gives one by one.

        Where the model is compiled, and no time is set, they are one call, which other threads do
        not wait for; `last_search` stays as it was.

        Parameters
        ----------
        infostate : Infostate
        rng : numpy.random.Generator
        number : int
            R, at least 1.

        Raises
        ------
        UnknownNameError, ParameterError
            As `search`, or if the number is none.
        """
        check_generator(rng)
        check_count("number", number, minimum=1)
        before = rng.bit_generator.state
        beginning = self._beginning(infostate, rng)
        if infostate not in self._kept or self.budget.number is None or self.budget.seconds:
            rng.bit_generator.state = before
            return super().search_many(infostate, rng, number)
        seeds = rng.integers(2**64, size=number, dtype=np.uint64)
        visits = np.zeros((number, len(beginning.actions)), np.int64)
        if len(beginning.actions) > 1:
            self._search_often(beginning, self.budget.number, seeds, visits)
        return shares(visits)

    def _search_often(
        self, beginning: Beginning, num_simulations: int, seeds: Stream, visits: LongArray
    ) -> None:
        """Search once for each seed, with more memory where there is too little."""
        memory, done = self._memory, 0
        memory.make_room(beginning.roots.num_known)
        while done < len(seeds):
            done += search_often(
                self.model.arrays,
                beginning.start,
                beginning.roots,
                memory.tree,
                memory.play,
                self._width,
                self.num_rollouts,
                num_simulations,
                seeds[done:],
                visits[done:],
            )
            if done < len(seeds):
                memory.grow()

    def _simulate(self, start: Start, stream: Stream, number: int) -> None:
        """Make simulations, with more memory where there is too little."""
        run = simulate if self.model.is_compiled else simulate.py_func  # type: ignore[attr-defined]
        memory = self._memory
        arguments = (self._width, self.num_rollouts)
        while True:
            number -= run(
                self.model.arrays, start, memory.tree, memory.play, *arguments, number, stream
            )
            if number == 0:
                return
            memory.grow()

    def _compile(self, start: Start, stream: Stream) -> float:
        """Have what is compiled compiled, at the first search; return the seconds that it took."""
        before = perf_counter()
        if not self._is_compiled:
            self._simulate(start, stream, 0)
            self._memory.grow()
            self._is_compiled = True
        return perf_counter() - before

    def _beginning(self, infostate: Infostate, rng: np.random.Generator) -> Beginning:
        """Return what there is at an infostate, kept where no random numbers went into it."""
        if infostate in self._kept:
            return self._kept[infostate]
        before = repr(rng.bit_generator.state)
        found = begin_at(self.model, self.belief, infostate, rng)
        if self.model.is_compiled and repr(rng.bit_generator.state) == before:
            self._keep(infostate, found)
        return found

    def _keep(self, infostate: Infostate, beginning: Beginning) -> None:
        self._num_kept += len(beginning.start.states)
        if self._num_kept > MAX_KEPT_ROOTS:
            self._kept.clear()
            self._num_kept = len(beginning.start.states)
        self._kept[infostate] = beginning


def means(returns: FloatArray, visits: LongArray) -> FloatArray:
    """Return [A] the mean return of each action; nan where there is none."""
    found = np.full(len(visits), nan)
    np.divide(returns, visits, out=found, where=visits > 0)
    return found


def shares(visits: LongArray) -> FloatArray:
    """Return [..., A] the policies of visit counts; uniform where all are zero."""
    counts = np.where(visits.any(axis=-1, keepdims=True), visits, 1)
    policy: FloatArray = counts / counts.sum(axis=-1, keepdims=True)
    return policy
