"""Numbering of infostates, public states and outcomes, level by level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import GameRuleError
from infoset.forms import InfostateTree
from infoset.game.answer_checks import advice_on_information
from infoset.tree._unrolling_kernels import extend_states, find_contradiction
from infoset.tree.world_graph import WorldGraph
from infoset.typing import Action, IntArray, Player


@dataclass(frozen=True)
class StepTable:
    """The distinct steps by which the edges of a world graph extend infostates or public states.

    Steps are numbered by their first appearance in the order of the edges.
    """

    of_edge: IntArray
    """[E] the step of each edge."""
    action: IntArray
    private_observation: IntArray
    public_observation: IntArray
    """[number of steps + 1] the parts of each step; -1 for none. The last entry stands for the
    root, to which no step leads."""

    @property
    def size(self) -> int:
        """Number of different steps."""
        return len(self.action) - 1

    @classmethod
    def of_player(cls, graph: WorldGraph, player: Player) -> StepTable:
        """Return the steps of `player`: own action, private and public observation."""
        return cls._of(
            graph.joint_action[:, player],
            graph.private_observation[:, player],
            graph.public_observation,
        )

    @classmethod
    def of_public(cls, graph: WorldGraph) -> StepTable:
        """Return the steps of public states, which are public observations."""
        nothing = np.full(graph.num_edges, -1, np.int32)
        return cls._of(nothing, nothing, graph.public_observation)

    @classmethod
    def _of(cls, *columns: IntArray) -> StepTable:
        rows = np.stack(columns, axis=1)
        root = np.full((1, len(columns)), -1, np.int32)
        # Like np.unique with axis=0, but ten times faster, and numbered by first appearance.
        order = np.lexsort(rows.T[::-1])
        ordered = rows[order]
        is_new = np.ones(len(rows), dtype=bool)
        is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        first_edge = np.sort(order[is_new])
        number = np.empty(len(rows), np.int32)
        number[first_edge] = np.arange(len(first_edge))
        of_edge = np.empty(len(rows), np.int32)
        # Equal rows are a run in `order`, and get the number of the first edge of the run.
        of_edge[order] = number[order[is_new]][np.cumsum(is_new) - 1]
        steps = np.concatenate([rows[first_edge], root])
        return cls(of_edge, *np.ascontiguousarray(steps.T))


class StateNumbering:
    """The states found so far of one kind: a player's infostates, public states, or outcomes.

    A state is identified by its parent and the step from it. Every transition adds one step, so the
    parents of the states of a level are states of the level before, and a new state has to be
    compared only with states of the same level.

    Parameters
    ----------
    step
        [E] step by which each edge of the world graph extends a state.
    num_steps
        Number of different steps.
    """

    def __init__(self, step: IntArray, num_steps: int) -> None:
        self.step_of_edge = step
        self.num_steps = num_steps
        self.num_states = 1
        root = np.array([-1], np.int32)
        self._parents = [root]
        self._steps = [root]

    def extend(
        self, world: IntArray, state: IntArray, first_edge: IntArray, num_children: int
    ) -> tuple[IntArray, IntArray]:
        """Assign numbers to the states of the children of a level of histories.

        Parameters
        ----------
        world, state
            [n] world state and state of each history of the level.
        first_edge
            [W + 1] of the world graph.
        num_children
            C, the total number of their children.

        Returns
        -------
        tuple[IntArray, IntArray]
            [C] the states of the children in edge order, and [s] the first child in each of the s
            new states. New states get the next numbers.
        """
        child_state = np.empty(num_children, np.int32)
        # The states of the level are those that were found last.
        parent, step, first = extend_states(
            world,
            state,
            first_edge,
            self.step_of_edge,
            self.num_steps,
            self.num_states - len(self._parents[-1]),
            self.num_states,
            child_state,
        )
        self._parents.append(parent)
        self._steps.append(step)
        self.num_states += len(parent)
        return child_state, first

    def levels(self) -> list[tuple[IntArray, IntArray]]:
        """Return the parents and steps of the states of each level."""
        return list(zip(self._parents, self._steps, strict=True))

    def parent(self) -> IntArray:
        """Return [S] the parent of each state; -1 at the root."""
        return np.concatenate(self._parents)

    def step(self) -> IntArray:
        """Return [S] the step that leads to each state; -1 at the root."""
        return np.concatenate(self._steps)


def build_infostate_tree(
    graph: WorldGraph,
    player: Player,
    steps: StepTable,
    numbering: StateNumbering,
    world: IntArray,
    public_state: IntArray,
) -> InfostateTree:
    """Build the infostate tree of a player from the numbering of its infostates.

    Parameters
    ----------
    steps
        The player's steps.
    numbering
        The player's infostates.
    world, public_state
        [S] for each infostate, a world state in which it occurs, and its public state.
    """
    step = numbering.step()
    return InfostateTree(
        player=player,
        parent=numbering.parent(),
        action=steps.action[step],
        private_observation=steps.private_observation[step],
        public_observation=steps.public_observation[step],
        public_state=public_state,
        action_set=graph.action_set[world, player],
        action_sets=graph.action_sets,
        observations=graph.observations,
    )


def check_actions(
    graph: WorldGraph,
    player: Player,
    state: IntArray,
    world: IntArray,
    first_number: int,
    expected: IntArray,
) -> None:
    """Check that a player has the same legal actions at all histories of an infostate.

    Parameters
    ----------
    state, world
        [C] infostate and world state of each history.
    first_number
        Number of the first infostate in `expected`.
    expected
        [s] the first world state found for each infostate.

    Raises
    ------
    GameRuleError
        If the legal actions at a history differ from those at the first world state.
    """
    action_set = np.ascontiguousarray(graph.action_set[:, player])
    found = find_contradiction(state, first_number, world, action_set, action_set[expected])
    if found >= 0:
        other = int(expected[state[found] - first_number])
        raise contradiction_error(graph, player, int(world[found]), other)


def contradiction_error(graph: WorldGraph, player: Player, world: int, other: int) -> GameRuleError:
    """Return the error for two worlds with different actions that a player cannot tell apart."""

    def text(actions: tuple[Action, ...]) -> str:
        return str(list(actions)) if actions else "none (it does not act)"

    here, there = (graph.legal_actions(at, player) for at in (world, other))
    return GameRuleError(
        "a player's infostate determines whether it acts and which actions are legal; "
        + advice_on_information(here, there),
        found=f"the player cannot tell this world state from {graph.worlds[other]!r}, but its "
        f"legal actions are {text(here)} here and {text(there)} there",
        world=graph.worlds[world],
        player=player,
    )
