"""Writing a game so that players act one at a time."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, NamedTuple

from infoset.game.protocol import Game, Observation, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World

__all__ = ["SerialWorld", "serialize"]


class SerialWorld(NamedTuple):
    """A world state of a serialized game.

    Attributes
    ----------
    world : World
        The world state of the game that was serialized.
    public : int
        Number of the set of world states that are possible by the public observations.
    turn : int
        How many turns are over before the transition happens.
    actions : JointAction
        What was chosen in them; `NOOP` for everyone else.
    """

    world: World
    public: int
    turn: int
    actions: JointAction


@dataclass(frozen=True)
class PublicView:
    """What everybody knows together: the world states that are possible, and the turns taken.

    Attributes
    ----------
    worlds : tuple[World, ...]
    turns : tuple[tuple[Player, ...], ...]
        The players of whom one may choose in each turn; none in a turn that is nature's.
    following : dict[Hashable, int]
        The number of the next view, by public observation.
    """

    worlds: tuple[World, ...]
    turns: tuple[tuple[Player, ...], ...]
    following: dict[Hashable, int] = field(default_factory=dict)


def serialize(game: Game) -> Game:
    """Return the game with players who act at once acting one after another, unseen.

    Where several players act, they choose in the order of their numbers, which shows and pays
    nothing. The transition, with its rewards and observations, happens at the last choice, or
    after it as a move of nature where it is random. What is serial already stays as it is.

    The result is serial: at most one player acts in a world state, and then the next one is sure
    (Lemma 3.2). It is strategically equivalent: every player has the same choices with the same
    information.

    Notes
    -----
    Source: Kovařík et al. (2022), Example B.1. Differs from the paper, whose construction takes
    as many turns as there are actors: time is observed, so a player would learn how many acted
    even where that is hidden. Here all world states that are possible by the public observations
    take the same turns; who has nothing to choose in one is passed over by a sure move of nature.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> serial = serialize(load_game("matrix_mp"))
    >>> start = serial.initial_world()
    >>> serial.actors(start)
    (0,)
    >>> [serial.actors(world) for world, _ in serial.transitions(start, ("Heads", None))]
    [(1,)]
    """
    return _SerialGame(game)


class _SerialGame(Game):
    """The game that `serialize` returns."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.num_players = game.num_players
        self._views: list[PublicView] = []
        self._numbers: dict[frozenset[World], int] = {}

    def initial_world(self) -> SerialWorld:
        world = self.game.initial_world()
        return self._start(world, self._number((world,)))

    def actors(self, world: SerialWorld) -> Sequence[Player]:
        acting = self.game.actors(world.world)
        turn = self._views[world.public].turns[world.turn]
        return tuple(player for player in turn if player in acting)

    def legal_actions(self, world: SerialWorld, player: Player) -> Sequence[Action]:
        return self.game.legal_actions(world.world, player)

    def transitions(
        self, world: SerialWorld, joint_action: JointAction
    ) -> Iterable[tuple[SerialWorld, Probability]]:
        chosen = _add(world.actions, joint_action)
        if not self._is_last(world):
            return [(world._replace(turn=world.turn + 1, actions=chosen), 1)]
        return self._real_transitions(world, chosen)

    def rewards(
        self, world: SerialWorld, joint_action: JointAction, next_world: SerialWorld
    ) -> Sequence[float]:
        if not self._is_last(world):
            return (0,) * self.num_players
        chosen = _add(world.actions, joint_action)
        return self.game.rewards(world.world, chosen, next_world.world)

    def observe(
        self, world: SerialWorld, joint_action: JointAction, next_world: SerialWorld
    ) -> Observation:
        if not self._is_last(world):
            return Observation()
        chosen = _add(world.actions, joint_action)
        return self.game.observe(world.world, chosen, next_world.world)

    def parameters(self) -> dict[str, Any]:
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def _start(self, world: World, public: int) -> SerialWorld:
        return SerialWorld(world, public, 0, (NOOP,) * self.num_players)

    def _is_last(self, world: SerialWorld) -> bool:
        return world.turn == len(self._views[world.public].turns) - 1

    def _real_transitions(
        self, world: SerialWorld, chosen: JointAction
    ) -> Iterator[tuple[SerialWorld, Probability]]:
        following = self._following(world.public)
        for target, probability in self.game.transitions(world.world, chosen):
            if probability:
                seen = self.game.observe(world.world, chosen, target).public
                yield self._start(target, following[seen]), probability

    def _following(self, public: int) -> dict[Hashable, int]:
        """Return the next views by public observation; empty while not asked for before."""
        view = self._views[public]
        if not view.following:
            possible: dict[Hashable, dict[World, None]] = {}
            for world, joint, target in self._moves_from(view.worlds):
                seen = self.game.observe(world, joint, target).public
                possible.setdefault(seen, {})[target] = None
            for seen, worlds in possible.items():
                view.following[seen] = self._number(tuple(worlds))
        return view.following

    def _moves_from(self, worlds: Iterable[World]) -> Iterator[tuple[World, JointAction, World]]:
        for world in worlds:
            for joint in self._joint_actions(world):
                for target, probability in self.game.transitions(world, joint):
                    if probability:
                        yield world, joint, target

    def _number(self, worlds: tuple[World, ...]) -> int:
        """Return the number of the view of some world states, made when they are first met."""
        key = frozenset(worlds)
        if key not in self._numbers:
            self._numbers[key] = len(self._views)
            self._views.append(PublicView(worlds, self._turns(worlds)))
        return self._numbers[key]

    def _turns(self, worlds: tuple[World, ...]) -> tuple[tuple[Player, ...], ...]:
        actors = [self.game.actors(world) for world in worlds]
        players = sorted({player for acting in actors for player in acting})
        is_random = any(
            acting and self._is_random(world) for world, acting in zip(worlds, actors, strict=True)
        )
        if not is_random and max(map(len, actors)) <= 1:
            return (tuple(players),)
        return (*((player,) for player in players), *([()] if is_random else []))

    def _is_random(self, world: World) -> bool:
        """Whether some joint action leads to more than one world state."""
        moves = {(joint, target) for _, joint, target in self._moves_from([world])}
        return len(moves) > len({joint for joint, _ in moves})

    def _joint_actions(self, world: World) -> Iterator[JointAction]:
        acting = self.game.actors(world)
        choices = (
            self.game.legal_actions(world, player) if player in acting else (NOOP,)
            for player in range(self.num_players)
        )
        return product(*choices)


def _add(chosen: JointAction, joint_action: JointAction) -> JointAction:
    """Return the actions chosen so far, and those of this turn."""
    return tuple(
        before if now is NOOP else now for before, now in zip(chosen, joint_action, strict=True)
    )
