"""The world states of a game and the transitions between them, as arrays."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from infoset.game import Game
from infoset.typing import NOOP, Action, FloatArray, IntArray, JointAction, Player, World
from infoset.utils.short_repr import Facts, ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class WorldGraph(ShortRepr):
    """The world states of a game and the transitions between them.

    The edges of world w are `first_edge[w]:first_edge[w + 1]`. They are sorted by joint action,
    with next worlds in the order in which the game lists them. A terminal world has no edges.
    """

    game: Game
    worlds: Sequence[World]
    """[W] the world states in breadth-first order, the initial one first."""
    num_expanded: int
    """Number of world states whose edges are in the graph. These world states are always the first
    ones in `worlds`; the number is W if the graph is complete."""
    action_set: IntArray
    """[W, N] index into `action_sets` of the legal actions; -1 for players who do not act."""
    action_sets: tuple[tuple[Action, ...], ...]
    """The distinct lists of legal actions."""
    first_edge: IntArray
    """[W + 1] first edge of each world state, as above."""
    joint_action: IntArray
    """[E, N] index of each player's action among its legal actions; -1 for no action."""
    probability: FloatArray
    """[E] probability of the next world given the joint action."""
    exact_probability: tuple[Fraction, ...] | None
    """[E] the probabilities as fractions, if the game returns all of them as `Fraction` or `int`.
    """
    next_world: IntArray
    """[E] index of the next world."""
    rewards: FloatArray
    """[E, N] rewards, in the game's units."""
    public_observation: IntArray
    """[E] index into `observations` of the public observation."""
    private_observation: IntArray
    """[E, N] index into `observations` of each player's private observation, including the shared
    observations of its groups."""
    observations: tuple[Hashable, ...]
    """The distinct observations."""
    stop: str | None = None
    """What stopped the exploration of a partial graph: `worlds`, `transitions`, `memory`, `seconds`
    or `interrupted`. None for a complete graph."""

    def _facts(self) -> Facts:
        values = {"world states": self.num_worlds, "transitions": self.num_edges}
        return Facts(str(self.game), values | ({} if self.is_complete else {"stopped": self.stop}))

    @property
    def num_players(self) -> int:
        """Number of players."""
        return self.game.num_players

    @property
    def num_worlds(self) -> int:
        """Number of world states."""
        return len(self.worlds)

    @property
    def num_edges(self) -> int:
        """Number of transitions of positive probability."""
        return len(self.next_world)

    @property
    def is_complete(self) -> bool:
        """Whether every reachable world state is in the graph, with its edges."""
        return self.num_expanded == self.num_worlds

    def legal_actions(self, world: int, player: Player) -> tuple[Action, ...]:
        """Return the legal actions of a player at a world state; empty if it does not act."""
        chosen = self.action_set[world, player]
        return self.action_sets[chosen] if chosen >= 0 else ()

    def joint_action_of(self, world: int, edge: int) -> JointAction:
        """Return the joint action of an edge of a world state."""
        pairs = zip(self.action_set[world], self.joint_action[edge], strict=True)
        return tuple(self.action_sets[own][taken] if taken >= 0 else NOOP for own, taken in pairs)
