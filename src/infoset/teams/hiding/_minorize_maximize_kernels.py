"""Algorithm 1: π̂ ← P π, then π ← argmax J(π) - γ E_π ‖π - π̂‖², stage by stage from the last."""

from __future__ import annotations

from typing import NamedTuple

from infoset.regret import project_on_simplex
from infoset.teams.hiding._progressive_hiding_kernels import (
    keep_best,
    measure,
    project_policy,
    weigh_nodes,
)
from infoset.teams.hiding._projection_kernels import fill_reach, sum_by_cell
from infoset.teams.hiding.arrays import Game, Numbers, State, Workspace
from infoset.typing import FloatArray, LongArray
from infoset.utils.array_kernels import clear
from infoset.utils.compilation import bare_kernel, inner_kernel, nested_kernel


class Stages(NamedTuple):
    """The L stages of play."""

    first_node: LongArray
    """[L + 1] the nodes of stage l are `first_node[l]:first_node[l + 1]`."""
    first_cell: LongArray
    """[L + 1] the cells of stage l are `first_cell[l]:first_cell[l + 1]`."""


@bare_kernel
def minorize_maximize(
    stages: Stages,
    game: Game,
    numbers: Numbers,
    state: State,
    workspace: Workspace,
    trace: FloatArray,
) -> None:
    """Run one iteration per row of `trace` [I, T, 4], and fill the rows; update `state` in place.

    Source: Heymann and Lanctot (2025), Algorithm 1.
    """
    team = game.teams[0]
    for row in trace:
        state.done[0] += 1
        # Step 1: π̂^t = P π^t, the proximal step of the indicator of implementable policies.
        fill_reach(game.nodes, game.fine, state.policy, workspace.reach)
        project_policy(game, numbers, state, workspace)
        # Step 2: π^{t+1} = argmax J(π) - γ ‖π - π̂^t‖², the proximal step of -J.
        weigh_nodes(game, numbers, state, workspace)
        # G(π, π̂) = J(π) - γ ‖π - π̂‖² minorizes F and touches it at π^t, where π̂ = P π^t is the
        # minimizer of the distance. So maximizing G never lowers F (Theorem 3).
        respond(team, state.penalty[team], stages, game, state, workspace)
        # The row measures π^{t+1} with its own projection: F(π^{t+1}) = J(π) - γ E ‖π - P π‖².
        fill_reach(game.nodes, game.fine, state.policy, workspace.reach)
        sum_by_cell(game.fine.cell, workspace.reach, workspace.reached)
        project_policy(game, numbers, state, workspace)
        measure(game, state, workspace, row)
        keep_best(game, state, row)


@nested_kernel
def respond(
    team: int, penalty: float, stages: Stages, game: Game, state: State, workspace: Workspace
) -> None:
    """Replace a team's policy, in place, with the best response to π̂, including penalties.

    With perfect recall the weights of a cell's nodes do not depend on the team's own policy, so
    one pass from the last stage to the first is exact. `workspace.weight` holds these weights,
    normalized by cell; `workspace.value` is 0 before and after.
    """
    # Q of the actions that end play. Other actions follow, stage by stage.
    add_terminals(team, game, workspace)
    for stage in range(len(stages.first_node) - 2, -1, -1):
        first, end = stages.first_node[stage], stages.first_node[stage + 1]
        first_cell, end_cell = stages.first_cell[stage], stages.first_cell[stage + 1]
        # V of later stages is final. For this stage compute Q, then the policy, then V.
        add_children(team, first, end, game, workspace)
        respond_at_cells(team, penalty, first_cell, end_cell, game, state, workspace)
        fill_values(team, penalty, first, end, game, state, workspace)
    # Algorithm 2, which may use the same workspace, begins with zeros.
    clear(workspace.value)


@inner_kernel
def add_terminals(team: int, game: Game, workspace: Workspace) -> None:
    """Add the payoffs at terminals to a team's action values Q."""
    nodes = game.nodes
    for terminal in range(len(nodes.payoff_node)):
        node = nodes.payoff_node[terminal]
        if nodes.team[node] == team:
            entry = game.fine.payoff_entry[terminal]
            # The weights of a cell sum to 1, so Q_ι(a) is a mean over the nodes of the cell ι.
            workspace.gain[entry] += workspace.weight[node] * nodes.payoff[team, terminal]


@inner_kernel
def add_children(team: int, first: int, end: int, game: Game, workspace: Workspace) -> None:
    """Add the values V of children to a team's action values Q, for nodes in [first, end)."""
    for node in range(first, end):
        if game.nodes.team[node] == team:
            for edge in range(game.outcomes.first_edge[node], game.outcomes.first_edge[node + 1]):
                child = game.outcomes.child[edge]
                # Terminals are negative: `add_terminals` has added them.
                if child >= 0:
                    workspace.gain[game.fine.entry[child]] += (
                        workspace.weight[node] * workspace.value[child]
                    )


@nested_kernel
def respond_at_cells(
    team: int, penalty: float, first: int, end: int, game: Game, state: State, workspace: Workspace
) -> None:
    """Set the policy at a team's cells in [first, end) from their action values.

    x_ι = projection onto the simplex of π̂_c(ι) + Q_ι / (2γ), which maximizes <x, Q> - γ ‖x - π̂‖²

    `workspace.gain` holds Q and is 0 afterwards.
    """
    for cell in range(first, end):
        if game.cell_team[cell] != team:
            continue
        entry, to = game.fine.first_entry[cell], game.coarse.first_entry[game.known[cell]]
        num_actions = game.fine.first_entry[cell + 1] - entry
        for action in range(num_actions):
            # The maximizer without constraints. Its nearest point in the simplex is the maximizer
            # there, because the penalty is a multiple of the squared Euclidean distance.
            step = workspace.gain[entry + action] / (2.0 * penalty)
            state.policy[entry + action] = state.projected[to + action] + step
            workspace.gain[entry + action] = 0.0
        project_on_simplex(state.policy, entry, 1, num_actions)
        # ‖x_ι - π̂_c(ι)‖², which `fill_values` subtracts at all nodes of the cell.
        distance = 0.0
        for action in range(num_actions):
            distance += (state.policy[entry + action] - state.projected[to + action]) ** 2
        workspace.distance[cell] = distance


@inner_kernel
def fill_values(
    team: int, penalty: float, first: int, end: int, game: Game, state: State, workspace: Workspace
) -> None:
    """Fill V(n) = Σ_a x_ι(a) Q(n, a) - γ ‖x_ι - π̂_c(ι)‖² of the nodes in [first, end).

    At nodes of other teams, V is Σ_a x_ι(a) Q(n, a).
    """
    num_terminals = len(game.nodes.payoff_node)
    for node in range(first, end):
        cell = game.fine.cell[node]
        # The penalty of this stage is part of V, so that earlier stages take it into account.
        value = -penalty * workspace.distance[cell] if game.nodes.team[node] == team else 0.0
        first_edge = game.outcomes.first_edge[node]
        for edge in range(first_edge, game.outcomes.first_edge[node + 1]):
            child = game.outcomes.child[edge]
            chance = state.policy[game.fine.first_entry[cell] + edge - first_edge]
            if child >= 0:
                value += chance * workspace.value[child]
            elif -1 - child < num_terminals:  # Z stands for a terminal without a payoff
                value += chance * game.nodes.payoff[team, -1 - child]
        workspace.value[node] = value
