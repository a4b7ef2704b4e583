"""Common knowledge of a transition: who acted, and which actions were public."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import Final, NamedTuple

from infoset.errors import pass_stops
from infoset.game.protocol import Game, action_choices
from infoset.typing import NOOP, Action, JointAction, Player, World

MAX_TRANSITIONS: Final = 15_000
"""Maximum number of transitions that are examined for a play."""


class PublicMove(NamedTuple):
    """Common knowledge of a transition, given the public observations up to it."""

    actors: tuple[Player, ...] | None
    """Players who acted, in order; empty for chance. None if not common knowledge."""
    actions: dict[Player, Action]
    """Actions that are common knowledge, by player."""


UNKNOWN_MOVE: Final = PublicMove(None, {})


@dataclass(frozen=True, eq=False)
class PublicWorlds:
    """The world states that agree with the public observations of a play, and its last move."""

    worlds: frozenset[World] | None
    """None if there were too many transitions to examine."""
    num_left: int
    """Number of transitions that may still be examined."""
    move: PublicMove = UNKNOWN_MOVE
    following: dict[Hashable, PublicWorlds] = field(default_factory=dict, repr=False)
    """The successors by public observation, which histories of a public state share."""

    @classmethod
    def at_start(cls, world: World) -> PublicWorlds:
        """Return the only world state of the initial public state."""
        return cls(frozenset([world]), MAX_TRANSITIONS)

    def after(self, game: Game, joint_action: JointAction, public: Hashable) -> PublicWorlds:
        """Return the common knowledge after one more transition.

        The move is public where it is the same after all histories with these public observations.
        Only rules and public observations are used, so that no private information leaks.

        Parameters
        ----------
        joint_action
            Used only if the game declares its actions as public.
        """
        if game.public_actions:
            return PublicWorlds(None, 0, _common_move({joint_action}))
        if self.worlds is None:
            return self
        if public not in self.following:
            try:
                self.following[public] = self._filtered(game, public)
            except BaseException as error:
                # Rules that fail at another world state do not matter to this play.
                pass_stops(error)
                self.following[public] = PublicWorlds(None, 0)
        return self.following[public]

    def _filtered(self, game: Game, public: Hashable) -> PublicWorlds:
        """Return the world states after the transitions with a public observation."""
        legal = {world: action_choices(game, world) for world in self.worlds or ()}
        # Each joint action has a transition, so too many are noticed before any is requested.
        if sum(prod(map(len, actions)) for actions in legal.values()) > self.num_left:
            return PublicWorlds(None, 0)
        worlds: set[World] = set()
        moves: set[JointAction] = set()
        num_left = self.num_left
        for world, actions in legal.items():
            for joint_action in product(*actions):
                for next_world, probability in game.transitions(world, joint_action):
                    num_left -= 1
                    if num_left < 0:
                        return PublicWorlds(None, 0)
                    seen = game.observe(world, joint_action, next_world)
                    if probability and seen.public == public:
                        worlds.add(next_world)
                        moves.add(joint_action)
        return PublicWorlds(frozenset(worlds), num_left, _common_move(moves))


def _common_move(moves: Collection[JointAction]) -> PublicMove:
    """Return the common part of several joint actions."""
    actors = {tuple(p for p, action in enumerate(joint) if action is not NOOP) for joint in moves}
    by_player = enumerate(set(own) for own in zip(*moves, strict=True))
    actions = {p: next(iter(own)) for p, own in by_player if len(own) == 1 and own != {NOOP}}
    return PublicMove(actors.pop() if len(actors) == 1 else None, actions)
