"""Test whether a search depends on information that the player does not have."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from inspect import signature
from typing import TypeAlias

import numpy as np

from infoset.beliefs.posterior_beliefs import private_belief
from infoset.errors import ParameterError
from infoset.game import Game, History, Infostate, Step, initial_history
from infoset.game.broken_rules import check_num_players
from infoset.game.checked_rules import CheckedGame
from infoset.typing import FloatArray, Player, World
from infoset.utils.arguments import check_callable, check_count, check_type
from infoset.utils.text import shortened

Search: TypeAlias = Callable[[Infostate, np.random.Generator], FloatArray]
"""A function that returns the probability of each legal action at an infostate."""


IS_A_SEARCH = "a function of an infostate and a random generator"
MAKES_A_SEARCH = "a function or class that returns a search, such as lambda: PIMC(model).search"

NUM_BRANCHES = 8
"""Number of random plays from each visited history that may lead to a rare infostate."""

MAX_ATTEMPTS = 4
"""Number of times that these plays are drawn before the test ends without an untested infostate."""

NUM_SAMPLES = 200
"""Number of histories sampled at infostates with too many to enumerate. Few of them are used."""


@dataclass(frozen=True, eq=False)
class Leak:
    """Two different results of a search that should be equal."""

    infostate: Infostate
    """The infostate of both queries."""
    worlds: tuple[World, World]
    """The world states of the queries, which the player cannot tell apart."""
    answers: tuple[FloatArray, FloatArray]
    """The results of the queries."""
    difference: str
    """What was varied: `world state`; `time of query` (the same query was repeated); `infostate
    object` (an equal copy was given); or `searcher` (a new searcher without earlier searches)."""

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
    seed: int = 0,
    num_plays: int = 10,
    num_worlds: int = 2,
    make_search: Callable[[], Search] | None = None,
) -> Leak | None:
    """Test whether the decisions of a search depend on information that the player does not have.

    Half of the plays are random. The others begin at infostates that no play has reached yet, those
    that random play rarely reaches first. At each decision, another history of the same infostate
    is drawn, so that hidden information and later observations may differ. The rules are called
    along that history, as in play, and the search is repeated with the same random seed. Its result
    must be equal bit for bit. The same must hold for an equal copy of the infostate, for the same
    infostate in another play, and for a new searcher without earlier searches.

    Parameters
    ----------
    game
        The game. If the search uses a game object, give the same object.
    search : Callable[[Infostate, np.random.Generator], FloatArray]
        For example `searcher.search`.
    num_plays
        Number of random plays, and maximum number of plays that begin at rare infostates: by
        default 20 plays in all. Each of their decisions costs five or six searches, so that more
        would take minutes with a slow search. This finds leaks that show in most plays, such as a
        search that reads the world. Give more to find rare ones.
    num_worlds
        Number of other histories tried at each decision; if the infostate has no more, all are.
    make_search
        A function or class that returns a new search equivalent to `search`, without earlier
        searches.

    Returns
    -------
    Leak or None
        The first leak found; None if there is none.

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
    check_num_players(game)
    check_callable("search", search, IS_A_SEARCH)
    _check_parameters("search", search, (None, None), IS_A_SEARCH)
    check_count("seed", seed)
    check_count("num_plays", num_plays, minimum=1)
    check_count("num_worlds", num_worlds, minimum=1)
    if make_search is not None:
        if not isinstance(make_search, type):
            check_callable("make_search", make_search, MAKES_A_SEARCH)
        _check_parameters("make_search", make_search, (), MAKES_A_SEARCH)
        made: object = make_search()
        if not callable(made):
            has_search = callable(getattr(made, "search", None))
            fix = "make_search=lambda: MyClass(...).search" if has_search else MAKES_A_SEARCH
            raise ParameterError(
                f"make_search() returns {type(made).__name__}, which is not a search; a search is "
                f"a function of an infostate and a random generator; give {fix}"
            )
    test = _LeakTest(game, search, seed, num_worlds, make_search)
    rng = np.random.default_rng(seed)
    for history, player in _decisions(game, test.queries, num_plays, rng):
        found = test.leak_at(history, player, rng)
        if found is not None:
            return found
    return None


def _check_parameters(
    name: str, function: Callable[..., object], arguments: tuple[None, ...], instruction: str
) -> None:
    """Raise if a function or class cannot be called with as many arguments as there are."""
    with suppress(ValueError):  # a function without a known signature
        known = signature(function)
        try:
            known.bind(*arguments)
        except TypeError as error:
            raise ParameterError(
                f"{name} cannot be called with {len(arguments)} arguments: {error}; give "
                f"{instruction}"
            ) from None


def _numbers(answer: object, infostate: Infostate) -> FloatArray:
    """Return a copy of the answer of a search, because the search may reuse its array."""
    try:
        numbers = np.array(answer, np.float64)
    except (TypeError, ValueError):
        numbers = np.array(np.nan)
    if numbers.ndim != 1:  # also for None, which NumPy converts to a number
        raise ParameterError(
            f"search returned {shortened(repr(answer))} at the infostate {infostate} of player "
            f"{infostate.player}; it must return one number per legal action"
        )
    return numbers


def _decisions(
    game: Game, tested: Container[Infostate], num_plays: int, rng: np.random.Generator
) -> Iterator[tuple[History, Player]]:
    """Yield the decisions of random plays, and then of plays that begin at rare infostates.

    tested : the infostates that were tested so far; the caller adds those of yielded decisions.
    """
    # 1. Random plays.
    visited: list[History] = []
    for _ in range(num_plays):
        yield from _play_on(initial_history(game), visited, rng)
    # 2. Plays from the infostates that random play reaches most rarely.
    untested: dict[Infostate, History] = {}
    num_expanded = 0
    for _ in range(num_plays):
        for attempt in range(MAX_ATTEMPTS):
            # New histories only or, if all that they lead to is tested, all histories once more.
            for history in visited[0 if attempt else num_expanded :]:
                untested.update(_branches(history, rng))
            num_expanded = len(visited)
            untested = {known: at for known, at in untested.items() if known not in tested}
            if untested:
                break
        else:
            return
        yield from _play_on(min(untested.values(), key=_random_reach), visited, rng)


def _play_on(
    history: History, visited: list[History], rng: np.random.Generator
) -> Iterator[tuple[History, Player]]:
    """Play at random from a history, and yield every decision; add the histories to `visited`."""
    while not history.is_terminal:
        visited.append(history)
        for player in history.actors:
            yield history, player
        history = _random_successor(history, rng)


def _random_successor(history: History, rng: np.random.Generator) -> History:
    actions = {}
    for player in history.actors:
        legal = history.legal_actions(player)
        actions[player] = legal[int(rng.integers(len(legal)))]
    return history.sample(history.joint(actions), rng)


def _branches(history: History, rng: np.random.Generator) -> Iterator[tuple[Infostate, History]]:
    """Yield infostates at which a player acts after a history, each with one of its histories."""
    for _ in range(NUM_BRANCHES):
        after = _random_successor(history, rng)
        while not after.is_terminal:
            for player in after.actors:
                yield after.infostates[player], after
            after = _random_successor(after, rng)


def _random_reach(history: History) -> float:
    """Return the probability of the players' actions along a history under uniform play."""
    reach = 1.0
    for stop in history.path()[:-1]:
        for player in stop.actors:
            reach /= len(stop.legal_actions(player))
    return reach


@dataclass(frozen=True)
class _Query:
    """A query: its world state, its result, and the entropy of its generator."""

    world: World
    answer: FloatArray
    entropy: int


@dataclass(frozen=True)
class _LeakTest:
    """Repeats queries under varied circumstances, and compares the results."""

    game: Game
    search: Search
    seed: int
    num_worlds: int
    make_search: Callable[[], Search] | None
    queries: dict[Infostate, _Query] = field(default_factory=dict)
    """The first query at each infostate that was tested."""

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
        # The same query once more, or in another play, if the infostate was tested before.
        is_same = self.queries[infostate].world == history.world
        again = "time of query" if is_same else "world state"
        yield again, self.search, history, infostate
        # An equal copy: a search that looks objects up by identity sees another one.
        same = Infostate(infostate.player, tuple(Step(*step) for step in infostate.steps))
        yield "infostate object", self.search, history, same
        # Histories that the player cannot tell from this one: what differs is hidden from it.
        belief = private_belief(history.game, infostate, rng=rng, num_samples=NUM_SAMPLES)
        is_small = len(belief.histories) <= self.num_worlds
        sampled = range(len(belief.histories)) if is_small else belief.sample(rng, self.num_worlds)
        for position in map(int, sampled):
            other = belief.histories[position]
            yield "world state", self.search, other, other.infostates[infostate.player]
        # A searcher that has no caches of earlier searches.
        if self.make_search is not None:
            yield "searcher", self.make_search(), history, infostate

    def _query(
        self, search: Search, history: History, infostate: Infostate, entropy: int
    ) -> FloatArray:
        """Return the result of a search in a play of a history."""
        # The rules are called as such a play does, in case the game object has state. Equal games
        # share beliefs, so that the history may come from another game object.
        rules = CheckedGame(self.game)
        for stop in history.path():
            if stop.parent is not None:
                transition = (stop.parent.world, stop.joint_action, stop.world)
                rules.observe(*transition)
                rules.rewards(*transition)
            for player in rules.actors(stop.world):
                rules.legal_actions(stop.world, player)
        rng = np.random.default_rng([self.seed, entropy])
        return _numbers(search(infostate, rng), infostate)
