"""OpenSpiel's states, asked each thing once, and what is shown of them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from infoset.errors import UnsupportedGameError
from infoset.game import Observation
from infoset.typing import Player

Move: TypeAlias = int | tuple[int, ...]
"""An action of OpenSpiel's, of nature or one player, or one of every player at once."""

Moves: TypeAlias = tuple[Move, ...]
"""A world state: the moves made so far."""

Watch: TypeAlias = Callable[[Any, Player], str]
"""Gives what OpenSpiel shows a player of a state."""

CHANCE_MOVES, PLAYERS_MOVE, NOBODY_MOVES = -1, -2, -4
"""What OpenSpiel gives as the current player where it is none."""

NODES_KEPT = 4096


class OneLine(str):
    """A string equal to OpenSpiel's and printed on one line, its line ends as semicolons."""

    __slots__ = ()

    def __str__(self) -> str:
        return "; ".join(line.strip() for line in self.splitlines() if line.strip())


class Node:
    """A state of OpenSpiel's game and the answers it has given.

    Attributes
    ----------
    state : pyspiel.State
        OpenSpiel's state; never changed.
    is_chance, is_simultaneous, is_terminal : bool
        Whether nature moves, players move at once, or the game is over; otherwise one moves.
    actors : tuple[Player, ...]
        The players who have a choice of actions, be it of one.
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
        self._shown: dict[tuple[Watch, Player], OneLine] = {}

    @cached_property
    def actions(self) -> dict[Player, dict[str, int]]:
        """By actor and label, OpenSpiel's number of the action."""
        return {player: self._labelled(player) for player in self.actors}

    def _labelled(self, player: Player) -> dict[str, int]:
        legal = [int(action) for action in self.state.legal_actions(player)]
        if not legal:
            raise UnsupportedGameError(
                f"OpenSpiel gives player {player} no legal action at [{self.state.history_str()}], "
                "where it is to act; choose other parameters"
            )
        return dict(zip(unique_labels(self.state, player, legal), legal, strict=True))

    @cached_property
    def outcomes(self) -> tuple[tuple[int, float], ...]:
        """Nature's actions that can happen, with their probabilities."""
        pairs = self.state.chance_outcomes()
        return tuple((int(move), float(chance)) for move, chance in pairs if chance > 0)

    @cached_property
    def chance_labels(self) -> dict[int, str]:
        """What OpenSpiel calls each of nature's actions."""
        numbers = [number for number, _ in self.outcomes]
        labels = unique_labels(self.state, self.state.current_player(), numbers)
        return dict(zip(numbers, labels, strict=True))

    def shown(self, watch: Watch, player: Player) -> OneLine:
        """Return what `watch` gives a player to see of this state."""
        key = (watch, player)
        if key not in self._shown:
            self._shown[key] = OneLine(watch(self.state, player))
        return self._shown[key]

    def child(self, move: Move) -> Any:
        """Return OpenSpiel's state after a move."""
        if isinstance(move, int):
            return self.state.child(move)
        state = self.state.clone()
        state.apply_actions(move)
        return state


def unique_labels(state: Any, player: Player, actions: Sequence[int]) -> list[str]:
    """Return what OpenSpiel calls the actions, with their numbers if that is not unique."""
    texts = [str(state.action_to_string(player, action)) for action in actions]
    if len(set(texts)) == len(texts):
        return texts
    return [f"{text} #{action}" for text, action in zip(texts, actions, strict=True)]


class Nodes:
    """The nodes used last, so that walking through a game rarely replays it from the start.

    A walk in breadth replays a world state's moves at most once more when its turn comes, at a
    cost proportional to its depth; a walk in depth never does.
    """

    def __init__(self, root: Any) -> None:
        self._root = Node(root)
        self._kept: OrderedDict[Moves, Node] = OrderedDict()

    def __getitem__(self, moves: Moves) -> Node:
        if not moves:
            return self._root
        node = self._kept.get(moves)
        if node is not None:
            self._kept.move_to_end(moves)
            return node
        node = self._kept[moves] = Node(self._state_after(moves))
        if len(self._kept) > NODES_KEPT:
            self._kept.popitem(last=False)
        return node

    def _state_after(self, moves: Moves) -> Any:
        parent = self._kept.get(moves[:-1])
        if parent is not None:
            return parent.child(moves[-1])
        state = self._root.state.clone()
        for move in moves:
            if isinstance(move, int):
                state.apply_action(move)
            else:
                state.apply_actions(move)
        return state


@dataclass(frozen=True)
class Sources:
    """Where a game's observations come from; what is None (or False) shows nothing.

    Attributes
    ----------
    moves : bool
        Every move is public: perfect information.
    public : Watch or None
        OpenSpiel's public observer, after every move.
    private : Watch or None
        Its private observer, or its observation string, after every move.
    own_turn : Watch or None
        Its information-state string, where the player is to act and at the end.
    is_kept : bool
        Whether the private string describes a state, so that it is shown when it changes, rather
        than an event, shown when there is one.
    """

    moves: bool = False
    public: Watch | None = None
    private: Watch | None = None
    own_turn: Watch | None = None
    is_kept: bool = True

    def observe(self, before: Node, move: str | tuple[str, ...] | None, after: Node) -> Observation:
        """Return what the transition between two nodes shows."""
        public: Hashable = move if self.moves else None
        if self.public is not None:
            public = after.shown(self.public, 0)
        players = range(after.state.num_players())
        if self.own_turn is not None:
            return Observation(public, [self._known(self.own_turn, after, p) for p in players])
        if self.private is not None:
            return Observation(
                public, [self._changed(self.private, before, after, p) for p in players]
            )
        return Observation(public)

    def _known(self, watch: Watch, after: Node, player: Player) -> Hashable:
        if after.is_terminal:  # OpenSpiel's string may be the same as where the game goes on
            return ("end", after.shown(watch, player))
        return after.shown(watch, player) if player in after.actors else None

    def _changed(self, watch: Watch, before: Node, after: Node, player: Player) -> Hashable:
        text = after.shown(watch, player)
        nothing = before.shown(watch, player) if self.is_kept else ""
        return None if text == nothing else text


def joined(labels: Sequence[str]) -> str | tuple[str, ...]:
    """Return the only label of one actor, or the tuple of several."""
    return labels[0] if len(labels) == 1 else tuple(labels)
