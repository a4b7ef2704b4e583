"""Writing a factored-observation stochastic game as a partially observable one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from infoset.game.protocol import Game, Observation, Probability
from infoset.typing import NOOP, Action, JointAction, Player, World

__all__ = ["OVER", "WAIT", "forget_factorization"]

WAIT: Final = "wait"
"""The only action of a player who had nothing to do in the game that was rewritten."""

OVER: Final = "over"
"""What everybody sees, besides the rest, when the game ends."""


def forget_factorization(game: Game) -> Game:
    """Return the game as a POSG: all observations private, and all players acting all the time.

    Each player sees privately what it saw privately and publicly before; nothing is public.
    Everybody acts in every world state but the initial and the terminal ones; who had nothing to
    do takes the action `WAIT`.

    Every player has the same choices with the same information (Proposition 2.4), but public
    states are gone: everybody knows in common only how much time has passed.

    Notes
    -----
    Source: Kovařík et al. (2022), Section 2.3, Definition 2.3. Differs from the paper: nobody
    acts in terminal world states, which is how this library knows them, and everybody sees that
    the game is over, as it would by not being asked any more; players who act in the initial
    world state go on doing so.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> posg = forget_factorization(load_game("kuhn_poker"))
    >>> dealt, _ = next(iter(posg.transitions(posg.initial_world(), (None, None))))
    >>> posg.actors(dealt), posg.legal_actions(dealt, 1)
    ((0, 1), ('wait',))
    """
    return _UnfactoredGame(game)


class _UnfactoredGame(Game):
    """The game that `forget_factorization` returns."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.num_players = game.num_players

    def initial_world(self) -> World:
        return self.game.initial_world()

    def actors(self, world: World) -> Sequence[Player]:
        if world == self.initial_world():
            return self.game.actors(world)
        return () if self._is_over(world) else tuple(range(self.num_players))

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        if player in self.game.actors(world):
            return self.game.legal_actions(world, player)
        return (WAIT,)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        return self.game.transitions(world, self._meant(world, joint_action))

    def rewards(
        self, world: World, joint_action: JointAction, next_world: World
    ) -> Sequence[float]:
        return self.game.rewards(world, self._meant(world, joint_action), next_world)

    def observe(self, world: World, joint_action: JointAction, next_world: World) -> Observation:
        seen = self.game.observe(world, self._meant(world, joint_action), next_world)
        mark = (OVER,) if self._is_over(next_world) else ()
        return Observation(
            private=tuple((seen.seen_by(p), seen.public, *mark) for p in range(self.num_players))
        )

    def parameters(self) -> dict[str, Any]:
        return self.game.parameters()

    def __str__(self) -> str:
        return str(self.game)

    def _is_over(self, world: World) -> bool:
        nobody = (NOOP,) * self.num_players
        return not self.game.actors(world) and not any(self.game.transitions(world, nobody))

    def _meant(self, world: World, joint_action: JointAction) -> JointAction:
        """Return the joint action without the waiting of those who do not act."""
        acting = self.game.actors(world)
        return tuple(
            action if player in acting else NOOP for player, action in enumerate(joint_action)
        )
