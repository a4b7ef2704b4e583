"""Test whether a search depends on information that the player does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.beliefs.posterior_beliefs import private_belief
from infoset.game import Game, History, Infostate, Step, initial_history
from infoset.typing import FloatArray, Player, World
from infoset.utils.arguments import check_callable, check_count, check_type

__all__ = ["Leak", "Search", "find_leak"]

Search: TypeAlias = Callable[[Infostate, np.random.Generator], FloatArray]
"""A function that returns the probability of each legal action at an infostate."""


NUM_SAMPLES = 200
"""Number of histories sampled at infostates with too many to enumerate. Few of them are used."""


@dataclass(frozen=True, eq=False)
class Leak:
    """Two different results of a search that should be equal.

    Attributes
    ----------
    infostate : Infostate
        The infostate of both queries.
    worlds : tuple[World, World]
        The world states of the queries, which the player cannot tell apart.
    answers : tuple[FloatArray, FloatArray]
        The results of the queries.
    difference : str
        What was varied: `world state`; `time of query` (the same query was repeated); `infostate
        object` (an equal copy was given); or `searcher` (a new searcher without earlier searches).
    """

    infostate: Infostate
    worlds: tuple[World, World]
    answers: tuple[FloatArray, FloatArray]
    difference: str

    def __str__(self) -> str:
        """Return a report of a few lines."""
        first, second = (answer.tolist() for answer in self.answers)
        return (
            f"player {self.infostate.player} at {str(self.infostate)!r} plays\n"
            f"  {first} at world state {self.worlds[0]!r}\n"
            f"  {second} at world state {self.worlds[1]!r}\n"
            f"with the same random seed; the queries differ in the {self.difference}"
        )


def find_leak(
    game: Game,
    search: Search,
    *,
    seed: int,
    num_plays: int = 10,
    num_worlds: int = 2,
    make_search: Callable[[], Search] | None = None,
) -> Leak | None:
    """Test whether the decisions of a search depend on information that the player does not have.

    Plays are random. At each decision, another history of the same infostate is drawn, so that
    hidden information and later observations may differ. The rules are called along that history,
    as in play, and the search is repeated with the same random seed. Its result must be equal bit
    for bit. The same must hold for an equal copy of the infostate, for the same infostate in
    another play, and for a new searcher without earlier searches.

    Parameters
    ----------
    game : Game
        The game. If the search uses a game object, give the same object.
    search : Callable[[Infostate, np.random.Generator], FloatArray]
        For example `searcher.search`.
    seed : int
    num_plays : int
    num_worlds : int
        Number of other histories tried at each decision.
    make_search : Callable[[], Search], optional
        A function that returns a new search equivalent to `search`, without earlier searches.

    Returns
    -------
    Leak or None
        The first leak found; None if there is none.

    Raises
    ------
    ParameterError
        If an argument has the wrong type or is out of range.

    Notes
    -----
    A test that finds no leak proves nothing about other games and decisions.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> def always_pass(infostate, rng):
    ...     return np.array([1.0, 0.0])
    >>> find_leak(load_game("kuhn_poker"), always_pass, seed=0) is None
    True
    """
    check_type("game", game, Game, 'a game, such as infoset.load("kuhn_poker")')
    check_callable("search", search, "a function of an infostate and a generator")
    check_count("seed", seed)
    check_count("num_plays", num_plays, minimum=1)
    check_count("num_worlds", num_worlds, minimum=1)
    if make_search is not None:
        check_callable("make_search", make_search, "a function that makes a search")
    test = _LeakTest(game, search, seed, num_worlds, make_search)
    rng = np.random.default_rng(seed)
    for _ in range(num_plays):
        for history, player in _random_decisions(game, rng):
            found = test.leak_at(history, player, rng)
            if found is not None:
                return found
    return None


def _random_decisions(game: Game, rng: np.random.Generator) -> Iterator[tuple[History, Player]]:
    """Play at random, and yield every decision of the play."""
    history = initial_history(game)
    while not history.is_terminal:
        actions = {}
        for player in history.actors:
            yield history, player
            legal = history.legal_actions(player)
            actions[player] = legal[int(rng.integers(len(legal)))]
        history = history.sample(history.joint(actions), rng)


@dataclass(frozen=True)
class _Query:
    """A query: its world state, its result, and the entropy of its generator."""

    world: World
    answer: FloatArray
    entropy: int


class _LeakTest:
    """Repeats queries under varied circumstances, and compares the results."""

    def __init__(
        self,
        game: Game,
        search: Search,
        seed: int,
        num_worlds: int,
        make_search: Callable[[], Search] | None,
    ) -> None:
        self.game = game
        self.search = search
        self.seed = seed
        self.num_worlds = num_worlds
        self.make_search = make_search
        self.queries: dict[Infostate, _Query] = {}

    def leak_at(self, history: History, player: Player, rng: np.random.Generator) -> Leak | None:
        """Return a leak at a decision of a player, or None."""
        infostate = history.infostates[player]
        if infostate not in self.queries:
            entropy = len(self.queries)
            answer = self._query(self.search, history, infostate, entropy)
            self.queries[infostate] = _Query(history.world, answer, entropy)
        for difference, search, other, known in self._variants(history, infostate, rng):
            before = self.queries[infostate]
            answer = self._query(search, other, known, before.entropy)
            if answer.tobytes() != before.answer.tobytes():
                worlds = (before.world, other.world)
                return Leak(infostate, worlds, (before.answer, answer), difference)
        return None

    def _variants(
        self, history: History, infostate: Infostate, rng: np.random.Generator
    ) -> Iterator[tuple[str, Search, History, Infostate]]:
        """Yield name, search, history, and infostate of variations that should be equal."""
        is_same = self.queries[infostate].world == history.world
        again = "time of query" if is_same else "world state"
        yield again, self.search, history, infostate
        same = Infostate(infostate.player, tuple(Step(*step) for step in infostate.steps))
        yield "infostate object", self.search, history, same
        belief = private_belief(history.game, infostate, rng=rng, num_samples=NUM_SAMPLES)
        for position in belief.sample(rng, self.num_worlds).tolist():
            other = belief.histories[position]
            yield "world state", self.search, other, other.infostates[infostate.player]
        if self.make_search is not None:
            yield "searcher", self.make_search(), history, infostate

    def _query(
        self, search: Search, history: History, infostate: Infostate, entropy: int
    ) -> FloatArray:
        _lead_rules(self.game, history)
        rng = np.random.default_rng([self.seed, entropy])
        return np.array(search(infostate, rng), dtype=np.float64)


def _lead_rules(game: Game, history: History) -> None:
    """Call the rules as a play of this history does, in case the game object has state.

    Equal games share beliefs, so that the history may come from another game object.
    """
    for stop in history.path():
        if stop.parent is not None:
            transition = (stop.parent.world, stop.joint_action, stop.world)
            game.observe(*transition)
            game.rewards(*transition)
        for player in game.actors(stop.world):
            game.legal_actions(stop.world, player)
