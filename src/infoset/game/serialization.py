"""Serialization: simultaneous moves become consecutive moves that nobody observes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from infoset.game.checked_rules import CheckedGame
from infoset.game.observation import Observation
from infoset.game.outcome_lists import ended
from infoset.game.protocol import Game, Probability, action_choices
from infoset.typing import NOOP, Action, JointAction, Player, World


class SerialWorld(NamedTuple):
    """A world state of a serialized game."""

    world: World
    """The world state of the original game."""
    public: int
    """Number of the `PublicView`: the world states that are publicly possible."""
    turn: int
    """Number of turns taken since the last transition of the original game."""
    actions: JointAction
    """The actions chosen in these turns; `NOOP` for all other players."""


@dataclass(frozen=True)
class PublicView:
    """The world states that are consistent with the public observations, and their turns."""

    worlds: tuple[World, ...]
    turns: tuple[tuple[Player, ...], ...]
    """For each turn, the players who may act; empty for a chance turn."""
    following: dict[Hashable, int] = field(default_factory=dict)
    """By public observation, the number of the next view."""


def serialize(game: Game) -> Game:
    """Return the game in which simultaneous actors choose one after another, unobserved.

    Simultaneous actors choose in increasing order, without rewards or observations. The
    transition of the original game, with its rewards and observations, happens at the last
    choice, or after it as a chance move if it is random. A game that is already serial is
    unchanged.

    In the result at most one player acts in a world state, and its action determines the next
    one (Lemma 3.2). It is strategically equivalent: every player has the same choices with the
    same information.

    Notes
    -----
    Source: Kovařík et al. (2022), Example B.1. Differs from the paper, whose construction takes
    as many turns as there are actors: because time is observed, a player would learn the number
    of actors even if it is hidden. Here all world states that are publicly possible take the same
    turns; a player without a choice is passed over by a deterministic chance move.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> serial = serialize(load_game("matrix_mp"))
    >>> start = serial.initial_world()
    >>> serial.actors(start)
    (0,)
    >>> [
    ...     serial.actors(world)
    ...     for world, _ in serial.transitions(start, ("Heads", None))
    ... ]
    [(1,)]
    """
    return _SerialGame(game)


class _SerialGame(Game):
    """The game that `serialize` returns."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.rules = CheckedGame(game)
        self.num_players = self.rules.num_players
        self.player_names = game.player_names
        self.utility_range = game.utility_range
        self._views: list[PublicView] = []
        self._numbers: dict[frozenset[World], int] = {}

    def initial_world(self) -> SerialWorld:
        world = self.rules.initial_world()
        return self._start(world, self._number((world,)))

    def actors(self, world: SerialWorld) -> Sequence[Player]:
        acting = self.rules.actors(world.world)
        turn = self._views[world.public].turns[world.turn]
        return tuple(player for player in turn if player in acting)

    def legal_actions(self, world: SerialWorld, player: Player) -> Sequence[Action]:
        return self.rules.legal_actions(world.world, player)

    def transitions(
        self, world: SerialWorld, joint_action: JointAction
    ) -> Iterator[tuple[SerialWorld, Probability]]:
        chosen = _add(world.actions, joint_action)
        if not self._is_last(world):
            yield world._replace(turn=world.turn + 1, actions=chosen), 1
            return
        following = self._following(world.public)
        outcomes = self.rules.transitions(world.world, chosen)
        for target, probability in ended(outcomes, world.world, chosen):
            if probability:
                seen = self.rules.observe(world.world, chosen, target).public
                yield self._start(target, following[seen]), probability

    def rewards(
        self, world: SerialWorld, joint_action: JointAction, next_world: SerialWorld
    ) -> Sequence[float]:
        if not self._is_last(world):
            return (0,) * self.num_players
        chosen = _add(world.actions, joint_action)
        return self.rules.rewards(world.world, chosen, next_world.world)

    def observe(
        self, world: SerialWorld, joint_action: JointAction, next_world: SerialWorld
    ) -> Observation:
        if not self._is_last(world):
            return Observation()
        chosen = _add(world.actions, joint_action)
        return self.rules.observe(world.world, chosen, next_world.world)

    def parameters(self) -> dict[str, Any]:
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def _start(self, world: World, public: int) -> SerialWorld:
        return SerialWorld(world, public, 0, (NOOP,) * self.num_players)

    def _is_last(self, world: SerialWorld) -> bool:
        return world.turn == len(self._views[world.public].turns) - 1

    def _following(self, public: int) -> dict[Hashable, int]:
        """Return the numbers of the next views by public observation; computed on first use."""
        view = self._views[public]
        if not view.following:
            # A dictionary as an ordered set: numbers of views must not depend on hashes.
            possible: dict[Hashable, dict[World, None]] = {}
            for world, joint, target in self._moves_from(view.worlds):
                seen = self.rules.observe(world, joint, target).public
                possible.setdefault(seen, {})[target] = None
            for seen, worlds in possible.items():
                view.following[seen] = self._number(tuple(worlds))
        return view.following

    def _moves_from(self, worlds: Iterable[World]) -> Iterator[tuple[World, JointAction, World]]:
        for world in worlds:
            for joint in product(*action_choices(self.rules, world)):
                outcomes = self.rules.transitions(world, joint)
                for target, probability in ended(outcomes, world, joint):
                    if probability:
                        yield world, joint, target

    def _number(self, worlds: tuple[World, ...]) -> int:
        """Return the number of the view with these world states; add the view if it is new."""
        key = frozenset(worlds)
        if key not in self._numbers:
            self._numbers[key] = len(self._views)
            self._views.append(PublicView(worlds, self._turns(worlds)))
        return self._numbers[key]

    def _turns(self, worlds: tuple[World, ...]) -> tuple[tuple[Player, ...], ...]:
        actors = [self.rules.actors(world) for world in worlds]
        players = sorted({player for acting in actors for player in acting})
        is_random = any(
            acting and self._is_random(world) for world, acting in zip(worlds, actors, strict=True)
        )
        if not is_random and max(map(len, actors)) <= 1:
            # Already serial: one turn, even if the actor differs between the worlds.
            return (tuple(players),)
        # A last turn for chance, in all worlds of the view, as soon as one of them needs it.
        return (*((player,) for player in players), *([()] if is_random else []))

    def _is_random(self, world: World) -> bool:
        """Whether some joint action leads to more than one world state."""
        moves = {(joint, target) for _, joint, target in self._moves_from([world])}
        return len(moves) > len({joint for joint, _ in moves})


def _add(chosen: JointAction, joint_action: JointAction) -> JointAction:
    """Return the actions chosen so far, including those of this turn."""
    return tuple(
        before if now is NOOP else now for before, now in zip(chosen, joint_action, strict=True)
    )
