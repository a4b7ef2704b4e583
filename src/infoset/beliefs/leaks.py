"""Whether what somebody plays depends on what the player cannot see."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from infoset.beliefs.consistent import private_belief
from infoset.game import Game, History, Infostate, Step, initial_history
from infoset.typing import FloatArray, Player, World
from infoset.utils.arguments import check_callable, check_count, check_type

__all__ = ["Leak", "Search", "find_leak"]

Search: TypeAlias = Callable[[Infostate, np.random.Generator], FloatArray]
"""Gives the probability of each legal action at an infostate."""


ENOUGH_SAMPLES = 200
"""How many histories are drawn where they are too many, to deal again a few of them."""


@dataclass(frozen=True, eq=False)
class Leak:
    """Two answers that should have been the same.

    Attributes
    ----------
    infostate : Infostate
        What the player knew both times.
    worlds : tuple[World, World]
        The world states in which it was asked, which it cannot tell apart.
    answers : tuple[FloatArray, FloatArray]
        What was answered.
    difference : str
        What was changed: `world state`; `time of asking`, if nothing was; `infostate object` (an
        equal one was given); or `searcher` (one that had searched nothing was asked).
    """

    infostate: Infostate
    worlds: tuple[World, World]
    answers: tuple[FloatArray, FloatArray]
    difference: str

    def __str__(self) -> str:
        """Return what was found as a few lines of text."""
        first, second = (answer.tolist() for answer in self.answers)
        return (
            f"player {self.infostate.player} at {str(self.infostate)!r} answers\n"
            f"  {first} at world state {self.worlds[0]!r}\n"
            f"  {second} at world state {self.worlds[1]!r}\n"
            f"with the same random numbers; what differs is the {self.difference}"
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
    """Look for a decision that depends on what the player cannot see.

    Plays at random. At each decision what the player cannot see is dealt again, so that later
    observations may differ too: a history is drawn that it cannot tell apart, the rules are led
    along it, as play would lead them, and the same question is asked with the generator in the
    same state. The answer must be the same, bit by bit. So must be that to an equal infostate
    that is another object, that at the same infostate in another play, and that of a searcher
    that has searched nothing.

    Parameters
    ----------
    game : Game
        The rules that the search knows, if it knows any: the same object.
    search : Callable[[Infostate, np.random.Generator], FloatArray]
        Such as `searcher.search`.
    seed : int
    num_plays : int
    num_worlds : int
        How often each decision is dealt again.
    make_search : Callable[[], Search], optional
        Makes another one like `search`, that has searched nothing.

    Returns
    -------
    Leak or None
        The first that was found.

    Raises
    ------
    ParameterError
        If something is of the wrong type.

    Notes
    -----
    Finding none proves nothing about games, or decisions, that were not tried.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> def shy(infostate, rng):
    ...     return np.array([1.0, 0.0])
    >>> find_leak(load_game("kuhn_poker"), shy, seed=0) is None
    True
    """
    check_type("game", game, Game, 'a game, such as infoset.load("kuhn_poker")')
    check_callable("search", search, "a function of an infostate and a generator")
    check_count("seed", seed)
    check_count("num_plays", num_plays, minimum=1)
    check_count("num_worlds", num_worlds, minimum=1)
    if make_search is not None:
        check_callable("make_search", make_search, "a function that makes a search")
    trial = _Trial(game, search, seed, num_worlds, make_search)
    rng = np.random.default_rng(seed)
    for _ in range(num_plays):
        for history, player in _random_decisions(game, rng):
            found = trial.leak_at(history, player, rng)
            if found is not None:
                return found
    return None


def _random_decisions(game: Game, rng: np.random.Generator) -> Iterator[tuple[History, Player]]:
    """Play at random, and yield every decision on the way."""
    history = initial_history(game)
    while not history.is_terminal:
        actions = {}
        for player in history.actors:
            yield history, player
            legal = history.legal_actions(player)
            actions[player] = legal[int(rng.integers(len(legal)))]
        history = history.sample(history.joint(actions), rng)


@dataclass(frozen=True)
class _Question:
    """What was asked, where it was asked, and the answer."""

    world: World
    answer: FloatArray
    entropy: int


class _Trial:
    """Asks the same in different circumstances, and compares the answers."""

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
        self.asked: dict[Infostate, _Question] = {}

    def leak_at(self, history: History, player: Player, rng: np.random.Generator) -> Leak | None:
        """Return a leak at a decision of a player, if there is one."""
        infostate = history.infostates[player]
        if infostate not in self.asked:
            entropy = len(self.asked)
            answer = self._ask(self.search, history, infostate, entropy)
            self.asked[infostate] = _Question(history.world, answer, entropy)
        for difference, search, other, known in self._variants(history, infostate, rng):
            before = self.asked[infostate]
            answer = self._ask(search, other, known, before.entropy)
            if answer.tobytes() != before.answer.tobytes():
                worlds = (before.world, other.world)
                return Leak(infostate, worlds, (before.answer, answer), difference)
        return None

    def _variants(
        self, history: History, infostate: Infostate, rng: np.random.Generator
    ) -> Iterator[tuple[str, Search, History, Infostate]]:
        """Yield what may differ without a difference, with whom to ask, where, and what."""
        is_same = self.asked[infostate].world == history.world
        again = "time of asking" if is_same else "world state"
        yield again, self.search, history, infostate
        same = Infostate(infostate.player, tuple(Step(*step) for step in infostate.steps))
        yield "infostate object", self.search, history, same
        belief = private_belief(history.game, infostate, rng=rng, num_samples=ENOUGH_SAMPLES)
        for position in belief.sample(rng, self.num_worlds).tolist():
            other = belief.histories[position]
            yield "world state", self.search, other, other.infostates[infostate.player]
        if self.make_search is not None:
            yield "searcher", self.make_search(), history, infostate

    def _ask(
        self, search: Search, history: History, infostate: Infostate, entropy: int
    ) -> FloatArray:
        _lead_rules(self.game, history)
        rng = np.random.default_rng([self.seed, entropy])
        return np.array(search(infostate, rng), dtype=np.float64)


def _lead_rules(game: Game, history: History) -> None:
    """Ask the rules what a play to this history asks, in case they remember it.

    Beliefs are shared by games that are equal: the history may be of another such object.
    """
    for stop in history.path():
        if stop.parent is not None:
            transition = (stop.parent.world, stop.joint_action, stop.world)
            game.observe(*transition)
            game.rewards(*transition)
        for player in game.actors(stop.world):
            game.legal_actions(stop.world, player)
