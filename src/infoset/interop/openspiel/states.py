"""OpenSpiel's states with cached results."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeAlias

from infoset.errors import UnsupportedGameError
from infoset.typing import Player
from infoset.utils.extras import import_extra

Move: TypeAlias = int | tuple[int, ...]
"""An OpenSpiel action of chance or of one player, or a tuple of the actions of all players."""

Moves: TypeAlias = tuple[Move, ...]
"""A world state: the sequence of moves."""

Observer: TypeAlias = Callable[[Any, Player], str]
"""Function that returns OpenSpiel's observation of a state for a player."""

CHANCE_MOVES, PLAYERS_MOVE, NOBODY_MOVES = -1, -2, -4
"""Values of OpenSpiel's current player that do not stand for a single player."""

MAX_CACHED_STATES = 4096


class OneLine(str):
    """An OpenSpiel string that prints on one line, with semicolons instead of line ends."""

    __slots__ = ()

    def __str__(self) -> str:
        return "; ".join(line.strip() for line in self.splitlines() if line.strip())


class CachedState:
    """A state of an OpenSpiel game with cached results of its methods.

    Attributes
    ----------
    state : pyspiel.State
        OpenSpiel's state; never changed.
    is_chance, is_simultaneous, is_terminal : bool
        Whether chance moves, whether players move simultaneously, and whether the game is over. If
        all are False, a single player moves.
    actors : tuple[Player, ...]
        The players who have at least one legal action.
    """

    def __init__(self, state: Any) -> None:
        self.state = state
        mover = int(state.current_player())
        self.is_chance = mover == CHANCE_MOVES
        self.is_simultaneous = mover == PLAYERS_MOVE
        self.is_terminal = mover == NOBODY_MOVES
        self.actors: tuple[Player, ...] = (mover,) if mover >= 0 else ()
        if self.is_simultaneous:
            players = range(state.num_players())
            self.actors = tuple(player for player in players if state.legal_actions(player))
        self._shown: dict[tuple[Observer, Player], OneLine] = {}

    @cached_property
    def actions(self) -> dict[Player, dict[str, int]]:
        """OpenSpiel's action numbers, by actor and label."""
        return {player: self._labelled(player) for player in self.actors}

    def _labelled(self, player: Player) -> dict[str, int]:
        legal = [int(action) for action in self.state.legal_actions(player)]
        if not legal:
            raise UnsupportedGameError(
                f"OpenSpiel lists no legal action of player {player} at "
                f"[{self.state.history_str()}], where the player is to act; choose other parameters"
            )
        return dict(zip(unique_labels(self.state, player, legal), legal, strict=True))

    @cached_property
    def outcomes(self) -> tuple[tuple[int, float], ...]:
        """The chance actions of positive probability, with their probabilities."""
        pairs = self.state.chance_outcomes()
        return tuple((int(move), float(chance)) for move, chance in pairs if chance > 0)

    @cached_property
    def chance_labels(self) -> dict[int, str]:
        """OpenSpiel's labels of the chance actions."""
        numbers = [number for number, _ in self.outcomes]
        labels = unique_labels(self.state, self.state.current_player(), numbers)
        return dict(zip(numbers, labels, strict=True))

    def observation(self, observer: Observer, player: Player) -> OneLine:
        """Return the observation of this state that an observer gives to a player."""
        key = (observer, player)
        if key not in self._shown:
            self._shown[key] = OneLine(observer(self.state, player))
        return self._shown[key]

    def child(self, move: Move) -> Any:
        """Return OpenSpiel's state after a move."""
        if isinstance(move, int):
            return self.state.child(move)
        state = self.state.clone()
        state.apply_actions(move)
        return state


def unique_labels(state: Any, player: Player, actions: Sequence[int]) -> list[str]:
    """Return OpenSpiel's labels of actions, with action numbers added if labels repeat."""
    texts = [str(state.action_to_string(player, action)) for action in actions]
    if len(set(texts)) == len(texts):
        return texts
    return [f"{text} #{action}" for text, action in zip(texts, actions, strict=True)]


class StateCache:
    """The most recently used states, so that a traversal rarely replays a game from the start.

    A breadth-first traversal replays the moves of a world state at most once, at a cost
    proportional to its depth; a depth-first traversal never does.
    """

    def __init__(self, root: Any) -> None:
        self._root = CachedState(root)
        self._cached: OrderedDict[Moves, CachedState] = OrderedDict()

    def __getitem__(self, moves: Moves) -> CachedState:
        if not moves:
            return self._root
        state = self._cached.get(moves)
        if state is not None:
            self._cached.move_to_end(moves)
            return state
        state = self._cached[moves] = CachedState(self._state_after(moves))
        if len(self._cached) > MAX_CACHED_STATES:
            self._cached.popitem(last=False)
        return state

    def _state_after(self, moves: Moves) -> Any:
        parent = self._cached.get(moves[:-1])
        if parent is not None:
            return parent.child(moves[-1])
        state = self._root.state.clone()
        for move in moves:
            if isinstance(move, int):
                state.apply_action(move)
            else:
                state.apply_actions(move)
        return state


def import_pyspiel(purpose: str = "loading a game from OpenSpiel") -> Any:
    """Import and return OpenSpiel; `purpose` completes the error message.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    """
    return import_extra("openspiel", purpose)


def single_or_tuple(labels: Sequence[str]) -> str | tuple[str, ...]:
    """Return the label of a single actor, or the tuple of several labels."""
    return labels[0] if len(labels) == 1 else tuple(labels)
