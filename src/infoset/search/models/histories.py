"""The search model whose positions are histories, for leaf values that depend on them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import History, Infostate, Probability, Step
from infoset.policy import UniformPolicy
from infoset.search.leaf_values import (
    LeafFunction,
    Rollouts,
    checked_leaf_values,
    play_move,
    rollout_values,
)
from infoset.search.models._model_kernels import CHANCE_MOVE, END, Position
from infoset.search.models.model import (
    RootPositions,
    SearchModel,
    action_indices_in,
)
from infoset.typing import NOOP, Action, FloatArray, LongArray, Player, World
from infoset.utils.splitmix import Stream, next_uniform


def with_leaf_value(model: SearchModel, leaf_value: Rollouts | LeafFunction) -> SearchModel:
    """Return a model that can value leaves: the same one if they are valued by random play."""
    if isinstance(leaf_value, Rollouts) and leaf_value.is_uniform:
        return model
    return HistoriesModel(model, leaf_value)


class Node(NamedTuple):
    """A history and the actions that its first actors have chosen."""

    history: History
    chosen: tuple[Action, ...] = ()


class HistoriesModel(SearchModel):
    """The search model of a game whose positions are histories. It calls the rules.

    Other models merge histories with the same future. Here they stay apart, and the infostates of
    all players are known, as leaf functions and policies require.

    Parameters
    ----------
    model
        Another model of the game.
    leaf_value
        The value of the positions at which a search stops.
    """

    state_size = 1

    def __init__(self, model: SearchModel, leaf_value: Rollouts | LeafFunction) -> None:
        self.game = model.game
        self.arrays = self
        self.leaf_value = leaf_value
        self._model = model
        self._start([])

    def _start(self, roots: list[Node]) -> None:
        """Forget all positions but the roots, which have the first numbers."""
        self._nodes = roots
        self._after: dict[tuple[int, int], int] = {}
        self._legal_of: dict[int, tuple[Action, ...]] = {}
        self._outcomes_of: dict[int, list[tuple[World, Probability]]] = {}
        self._step_number: dict[Step, int] = {}

    @property
    def is_zero_sum(self) -> bool:
        """As in the other model; this says nothing about the leaf values."""
        return self._model.is_zero_sum

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate."""
        return self._model.legal_actions(infostate)

    def roots(
        self, infostate: Infostate, belief: PublicPrivateBelief, rng: np.random.Generator
    ) -> RootPositions:
        """Return the histories of a belief; earlier positions become invalid."""
        held = belief.at(self.game, infostate, rng=rng)
        self._start([Node(history) for history in held.histories])
        return RootPositions(
            np.arange(len(held))[:, None],
            held.rewards_so_far.copy(),  # searches write to theirs
            held.infostate_numbers(infostate),
            held.probability,
            held.model_noise,
        )

    def action_indices(self, infostate: Infostate, roots: RootPositions) -> LongArray:
        """Return [K, A] for each root, the index of each of the infostate's legal actions."""
        histories = [self._nodes[number].history for number in roots.states[:, 0].tolist()]
        offered = [history.legal_actions(infostate.player) for history in histories]
        return action_indices_in(offered, self.legal_actions(infostate))

    def leaf_values(self, states: LongArray, stream: Stream) -> FloatArray:
        """Return [K, N] the values of positions [K, 1] at which a search stops.

        A leaf function is called once for all positions. From positions that are not at a decision,
        it values the next one, and moves that have been chosen in part are completed at random.
        """
        rng = np.random.default_rng(int(next_uniform(stream) * 2**53))
        nodes = [self._nodes[number] for number in states[:, 0].tolist()]
        if isinstance(self.leaf_value, Rollouts):
            return rollout_values(nodes, self.leaf_value, rng)
        histories = [_next_decision(node, rng) for node in nodes]
        values = np.array([history.rewards_so_far for history in histories], np.float64)
        going_on = [row for row, history in enumerate(histories) if not history.is_terminal]
        if going_on:
            values[going_on] = checked_leaf_values(
                self.leaf_value, [histories[row] for row in going_on]
            )
        return values

    # The functions of `_model_kernels` as methods: searches on this model run uncompiled.

    def value_leaf(self, position: Position, stream: Stream) -> None:
        """Write the value of a position to its rewards, in place."""
        position.rewards_so_far[:] = self.leaf_values(position.state[None], stream)[0]

    def actor(self, position: Position) -> int:
        """Return the player to act, `CHANCE_MOVE` or `END`."""
        history, chosen = self._at(position)
        if len(chosen) < len(history.actors):
            return sorted(history.actors)[len(chosen)]
        return CHANCE_MOVE if self._outcomes(position) else END

    def num_actions(self, position: Position) -> int:
        """Return the number of legal actions of the actor."""
        return len(self._legal(position))

    def choose_action(self, position: Position, action: int) -> None:
        """Record the action of the actor."""
        key = (int(position.state[0]), action)
        if key not in self._after:
            history, chosen = self._at(position)
            self._add(key, Node(history, (*chosen, self._legal(position)[action])))
        position.state[0] = self._after[key]

    def num_outcomes(self, position: Position) -> int:
        """Return the number of possible next world states."""
        return len(self._outcomes(position))

    def outcome_probability(self, position: Position, outcome: int) -> float:
        """Return the probability of a next world state."""
        return float(self._outcomes(position)[outcome][1])

    def apply_outcome(self, position: Position, outcome: int) -> None:
        """Move to a next world state."""
        key = (int(position.state[0]), outcome)
        if key not in self._after:
            world = self._outcomes(position)[outcome][0]
            after = self._at(position).history.extend(self._joint_action(position), world)
            self._add(key, Node(after))
        position.state[0] = self._after[key]
        history = self._at(position).history
        position.rewards_so_far[:] = np.array(history.rewards_so_far, np.float64)
        for player, infostate in enumerate(history.infostates):
            number = self._step_number.setdefault(infostate.steps[-1], len(self._step_number))
            position.observations[player] = number

    def _at(self, position: Position) -> Node:
        return self._nodes[int(position.state[0])]

    def _add(self, key: tuple[int, int], node: Node) -> None:
        self._after[key] = len(self._nodes)
        self._nodes.append(node)

    def _legal(self, position: Position) -> tuple[Action, ...]:
        number = int(position.state[0])
        if number not in self._legal_of:
            legal = self._at(position).history.legal_actions(self.actor(position))
            self._legal_of[number] = legal
        return self._legal_of[number]

    def _joint_action(self, position: Position) -> tuple[Action, ...]:
        history, chosen = self._at(position)
        actions: dict[Player, Action] = dict(zip(sorted(history.actors), chosen, strict=True))
        return tuple(actions.get(player, NOOP) for player in range(self.num_players))

    def _outcomes(self, position: Position) -> list[tuple[World, Probability]]:
        number = int(position.state[0])
        if number not in self._outcomes_of:
            pairs = self._at(position).history.outcomes(self._joint_action(position))
            self._outcomes_of[number] = [pair for pair in pairs if pair[1] > 0]
        return self._outcomes_of[number]


def _next_decision(node: Node, rng: np.random.Generator) -> History:
    """Return the history at or after a node at which some player has a choice, or an end."""
    history, chosen = node
    actors = sorted(history.actors)[: len(chosen)]
    if any(len(history.legal_actions(player)) > 1 for player in actors):
        history = play_move(history, chosen, UniformPolicy(), rng)
    while not (history.is_terminal or _has_choice(history)):
        history = play_move(history, (), UniformPolicy(), rng)
    return history


def _has_choice(history: History) -> bool:
    return any(len(history.legal_actions(player)) > 1 for player in history.actors)
