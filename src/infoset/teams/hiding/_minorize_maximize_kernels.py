"""Proximal steps: π̂ ← P π, then π ← argmax J(π) - E_π [<w, π> + γ ‖π - π̂‖²], from the last stage.

Without multipliers w this is Algorithm 1, with them progressive hedging.
"""

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
    multiplier_step: float,
    stages: Stages,
    game: Game,
    numbers: Numbers,
    state: State,
    workspace: Workspace,
    trace: FloatArray,
) -> None:
    """Run one iteration per row of `trace` [I, T, 4], and fill the rows; update `state` in place.

    multiplier_step : after an iteration w ← w + multiplier_step · 2γ (π - π̂); 0 for Algorithm 1.

    Source: Heymann and Lanctot (2025), Algorithm 1; Rockafellar and Wets (1991), section 2.
    """
    team = game.teams[0]
    for row in trace:
        state.done[0] += 1
        # Step 1: π̂^t = P π^t, the proximal step of the indicator of implementable policies.
        fill_reach(game.nodes, game.fine, state.policy, workspace.reach)
        project_policy(game, numbers, state, workspace)
        # Step 2: π^{t+1} = argmax J(π) - <w^t, π> - γ ‖π - π̂^t‖², the proximal step of -J.
        weigh_nodes(game, numbers, state, workspace)
        # G(π, π̂) = J(π) - γ ‖π - π̂‖² minorizes F and touches it at π^t, where π̂ = P π^t is the
        # minimizer of the distance. So maximizing G never lowers F if w = 0 (Theorem 3).
        respond(team, state.penalty[team], stages, game, state, workspace)
        # The row measures π^{t+1} with its own projection: F(π^{t+1}) = J(π) - γ E ‖π - P π‖².
        fill_reach(game.nodes, game.fine, state.policy, workspace.reach)
        sum_by_cell(game.fine.cell, workspace.reach, workspace.reached)
        project_policy(game, numbers, state, workspace)
        measure(game, state, workspace, row)
        keep_best(game, state, row)
        if multiplier_step > 0.0:
            # Step 3: w^{t+1} = w^t + 2γ (π^{t+1} - π̂^{t+1}), the dual step with r = 2γ.
            update_multipliers(multiplier_step * 2.0 * state.penalty[team], game, state)


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
        fill_values(team, first, end, game, state, workspace)
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

    x_ι = projection onto the simplex of π̂_c(ι) + (Q_ι - w_ι) / (2γ), which maximizes
    <x, Q - w> - γ ‖x - π̂‖²

    `workspace.gain` holds Q and is 0 afterwards; `state.regret` holds the multipliers w.
    """
    for cell in range(first, end):
        if game.cell_team[cell] != team:
            continue
        entry, to = game.fine.first_entry[cell], game.coarse.first_entry[game.known[cell]]
        num_actions = game.fine.first_entry[cell + 1] - entry
        for action in range(num_actions):
            # The maximizer without constraints. Its nearest point in the simplex is the maximizer
            # there, because the penalty is a multiple of the squared Euclidean distance.
            earned = workspace.gain[entry + action] - state.regret[entry + action]
            step = earned / (2.0 * penalty)
            state.policy[entry + action] = state.projected[to + action] + step
            workspace.gain[entry + action] = 0.0
        project_on_simplex(state.policy, entry, 1, num_actions)
        # <w_ι, x_ι> + γ ‖x_ι - π̂_c(ι)‖², which `fill_values` subtracts at all nodes of the cell.
        distance, cost = 0.0, 0.0
        for action in range(num_actions):
            chosen = state.policy[entry + action]
            distance += (chosen - state.projected[to + action]) ** 2
            cost += state.regret[entry + action] * chosen
        workspace.distance[cell] = penalty * distance + cost


@inner_kernel
def fill_values(
    team: int, first: int, end: int, game: Game, state: State, workspace: Workspace
) -> None:
    """Fill V(n) = Σ_a x_ι(a) Q(n, a) - <w_ι, x_ι> - γ ‖x_ι - π̂_c(ι)‖² of the nodes in [first, end).

    `workspace.distance` holds the last two terms. At nodes of other teams, V is Σ_a x_ι(a) Q(n, a).
    """
    num_terminals = len(game.nodes.payoff_node)
    for node in range(first, end):
        cell = game.fine.cell[node]
        # The costs of this stage are part of V, so that earlier stages take them into account.
        value = -workspace.distance[cell] if game.nodes.team[node] == team else 0.0
        first_edge = game.outcomes.first_edge[node]
        for edge in range(first_edge, game.outcomes.first_edge[node + 1]):
            child = game.outcomes.child[edge]
            chance = state.policy[game.fine.first_entry[cell] + edge - first_edge]
            if child >= 0:
                value += chance * workspace.value[child]
            elif -1 - child < num_terminals:  # Z stands for a terminal without a payoff
                value += chance * game.nodes.payoff[team, -1 - child]
        workspace.value[node] = value


@inner_kernel
def update_multipliers(step: float, game: Game, state: State) -> None:
    """Add `step` times π - π̂ to the multipliers of the learning teams' cells, in place."""
    for cell in game.cells:
        entry, to = game.fine.first_entry[cell], game.coarse.first_entry[game.known[cell]]
        for action in range(game.fine.first_entry[cell + 1] - entry):
            gap = state.policy[entry + action] - state.projected[to + action]
            state.regret[entry + action] += step * gap
