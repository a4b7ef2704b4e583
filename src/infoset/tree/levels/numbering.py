"""Numbers for the states that histories are told apart by, given level by level."""

from __future__ import annotations

import numpy as np

from infoset.errors import GameRuleError
from infoset.tree.infostate_tree import InfostateTree, StepTable
from infoset.tree.levels._kernels import extend_states, find_contradiction
from infoset.tree.world_graph import WorldGraph
from infoset.typing import IntArray, Player

__all__ = ["StateNumbering", "check_actions", "numbered_tree"]


class StateNumbering:
    """The states of one observer so far: infostates of a player, public states, or tallies.

    A state is known by its parent and the step from there. Every transition adds a step, so the
    states of histories of one length have parents among those of the length before, and only
    these need to be looked up.

    Parameters
    ----------
    step : IntArray
        [E] what the observer is shown by each edge of the world graph.
    num_steps : int
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
        """Give numbers to the states of the children of histories of one length.

        Parameters
        ----------
        world, state : IntArray
            [n] of the histories.
        first_edge : IntArray
            [W + 1] of the world graph.
        num_children : int
            C, the children of all of them.

        Returns
        -------
        tuple[IntArray, IntArray]
            [C] the states of the children in the order of their edges, and [s] the first child
            in each new state; the new states are the last s.
        """
        child_state = np.empty(num_children, np.int32)
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
        """Return the parents and steps of the states of each length."""
        return list(zip(self._parents, self._steps, strict=True))

    def parent(self) -> IntArray:
        """Return [S] the parent of each state; -1 at the root."""
        return np.concatenate(self._parents)

    def step(self) -> IntArray:
        """Return [S] the step that leads to each state; -1 at the root."""
        return np.concatenate(self._steps)


def numbered_tree(
    graph: WorldGraph,
    player: Player,
    steps: StepTable,
    numbering: StateNumbering,
    world: IntArray,
    public_state: IntArray,
) -> InfostateTree:
    """Return the infostates of a player as a tree.

    Parameters
    ----------
    graph : WorldGraph
    player : Player
    steps : StepTable
        Of the player.
    numbering : StateNumbering
        Of its infostates.
    world, public_state : IntArray
        [S] a world state and the public state of each.
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
    """Check that what a player may do follows from what it has seen.

    Parameters
    ----------
    graph : WorldGraph
    player : Player
    state, world : IntArray
        [C] infostate and world state of some histories.
    first_number : int
        Number of the first infostate in `expected`.
    expected : IntArray
        [s] a world state of each infostate.

    Raises
    ------
    GameRuleError
        If the legal actions at a history are not those at its infostate's world state.
    """
    action_set = np.ascontiguousarray(graph.action_set[:, player])
    found = find_contradiction(state, first_number, world, action_set, action_set[expected])
    if found >= 0:
        other = int(expected[state[found] - first_number])
        raise _contradiction_error(graph, player, int(world[found]), other)


def _contradiction_error(
    graph: WorldGraph, player: Player, world: int, other: int
) -> GameRuleError:
    def legal(at: int) -> str:
        chosen = graph.action_set[at, player]
        return str(list(graph.action_sets[chosen])) if chosen >= 0 else "none (it does not act)"

    return GameRuleError(
        "whether a player acts, and its legal actions, follow from what the player has seen; "
        "show the difference in observe()",
        found=f"the player cannot tell this from world state {graph.worlds[other]!r}, but its "
        f"legal actions are {legal(world)} here and {legal(other)} there",
        world=graph.worlds[world],
        player=player,
    )
