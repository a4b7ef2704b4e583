"""The value-solving subgame of a public belief state, as a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.game import Game, Observation, Probability
from infoset.typing import Action, JointAction, Player, World


@dataclass(frozen=True)
class SubgameWorld:
    """A world state that a subgame adds to those of the base game."""

    belief: PublicBeliefState = field(repr=False)
    """The root of the subgame, which distinguishes the world states of nested subgames."""
    entered: int = -1
    """Position of the drawn history in `PublicBeliefState.histories`; -1 in the initial world
    state."""
    world: World = None
    """The last world state of that history; None in the initial world state."""


def value_subgame(belief: PublicBeliefState) -> Game:
    """Return the value-solving subgame G(β) of a public belief state β.

    In a new initial world state, chance draws a history of the public state from
    `PublicBeliefState.history_distribution`. This transition adds the rewards so far. It reveals
    the belief publicly, and to each player its infostate privately. Then the base game continues.

    Histories of reach zero are left out. The earlier actions of the players are part of the chance
    event, so that counterfactual reach must be computed from the ranges, as `TreePart` does.
    Counterfactual values computed from the subgame alone differ: at an infostate s_i at the root
    they contain the additional factor `range_i(s_i) / belief.probability`.

    Raises
    ------
    UnsupportedGameError
        If no history has positive reach.

    Notes
    -----
    Source: Kovařík et al. (2022), Appendix A.2.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> belief = PublicBeliefState(kuhn, 3, ([1 / 16, 3 / 16, 1], [1, 1, 1]))
    >>> subgame = build_tree(value_subgame(belief))
    >>> subgame.num_histories, [tree.num_acting for tree in subgame.infostate_trees]
    (19, [0, 3])
    """
    return _ValueSubgame(belief)


class _ValueSubgame(Game):
    """The game that `value_subgame` returns."""

    def __init__(self, belief: PublicBeliefState) -> None:
        self.belief = belief
        self.base = belief.tree.game
        self.num_players = self.base.num_players
        tree, histories = belief.tree, belief.histories
        self._entries = [
            (SubgameWorld(belief, entered, tree.graph.worlds[tree.world[history]]), probability)
            for entered, (history, probability) in enumerate(
                zip(histories.tolist(), belief.history_distribution.tolist(), strict=True)
            )
            if probability > 0
        ]
        self._rewards: list[list[float]] = tree.rewards_so_far[histories].tolist()
        self._infostates = [
            [infostates.infostate_at(number) for number in numbers.tolist()]
            for infostates, numbers in zip(tree.infostate_trees, belief.infostates, strict=True)
        ]

    def initial_world(self) -> World:
        return SubgameWorld(self.belief)

    def actors(self, world: World) -> Sequence[Player]:
        return () if self._is_initial(world) else self.base.actors(self._inner(world))

    def legal_actions(self, world: World, player: Player) -> Sequence[Action]:
        return self.base.legal_actions(self._inner(world), player)

    def transitions(
        self, world: World, joint_action: JointAction
    ) -> Iterable[tuple[World, Probability]]:
        if self._is_initial(world):
            return self._entries
        return self.base.transitions(self._inner(world), joint_action)

    def rewards(self, world: World, joint_action: JointAction, next_world: Any) -> Sequence[float]:
        if self._is_initial(world):
            return self._rewards[next_world.entered]
        return self.base.rewards(self._inner(world), joint_action, next_world)

    def observe(self, world: World, joint_action: JointAction, next_world: Any) -> Observation:
        if not self._is_initial(world):
            return self.base.observe(self._inner(world), joint_action, next_world)
        position = self.belief.position[next_world.entered].tolist()
        known = [self._infostates[player][place] for player, place in enumerate(position)]
        return Observation(public=self.belief, private=known)

    def sample_transition(
        self, world: World, joint_action: JointAction, rng: np.random.Generator
    ) -> World:
        if self._is_initial(world):
            return super().sample_transition(world, joint_action, rng)
        return self.base.sample_transition(self._inner(world), joint_action, rng)

    def __str__(self) -> str:
        return f"subgame({self.base},public_state={self.belief.public_state})"

    def _is_initial(self, world: Any) -> bool:
        return self._is_own(world) and bool(world.entered < 0)

    def _inner(self, world: Any) -> Any:
        """Return the world state of the base game."""
        return world.world if self._is_own(world) else world

    def _is_own(self, world: Any) -> bool:
        return isinstance(world, SubgameWorld) and world.belief == self.belief
