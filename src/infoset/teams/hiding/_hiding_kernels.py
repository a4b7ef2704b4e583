"""Iterations of progressive hiding: decide, project, pass values up, observe."""

from __future__ import annotations

from infoset.teams.hiding._learning_kernels import (
    add_gains,
    decide,
    fill_weights,
    normalize_by_cell,
    observe,
)
from infoset.teams.hiding._pass_kernels import clear, copy, fill_payoffs, fill_reach
from infoset.teams.hiding._projector_kernels import fill_distances, project_by_cell, sum_by_cell
from infoset.teams.hiding._visit_kernels import Visit, visit_outcome, visit_path
from infoset.teams.hiding.arrays import Game, Numbers, State, Workspace
from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel, kernel

EVERYTHING = 0
OUTCOME = 1

IMPLEMENTABLE = 0
RELAXED = 1
SQUARED_DISTANCE = 2
COEFFICIENT = 3


@kernel
def project_policy(game: Game, numbers: Numbers, state: State, workspace: Workspace) -> None:
    """Project the relaxed policy: fill the projection, and the distance to it of each cell."""
    current, previous, uniform = numbers.of_current, numbers.of_previous, numbers.of_uniform
    clear(workspace.mass)
    for node in range(len(workspace.reach)):
        workspace.mass[game.fine.cell[node]] += (
            current * workspace.reach[node]
            + previous * state.projected_reach[node]
            + uniform * game.uniform_reach[node]
        )
    project_by_cell(
        game.fine,
        game.coarse,
        game.known,
        game.num_nodes,
        workspace.mass,
        state.policy,
        workspace.total,
        state.projected,
    )
    fill_distances(
        game.fine, game.coarse, game.known, state.policy, state.projected, workspace.distance
    )


@kernel
def weigh_nodes(game: Game, numbers: Numbers, state: State, workspace: Workspace) -> None:
    """Fill the weight with which each node speaks at its cell."""
    fill_weights(
        numbers.group,
        numbers.num_groups,
        game.nodes,
        game.fine,
        state.policy,
        workspace.reach,
        workspace.others,
        workspace.weight,
    )
    if numbers.conditional:
        total = workspace.reached
        if numbers.num_groups > 0:
            total = workspace.mass
            sum_by_cell(game.fine.cell, workspace.weight, total)
        normalize_by_cell(game.nodes, game.fine.cell, total, game.of_chance, workspace.weight)


@kernel
def learn(game: Game, numbers: Numbers, visit: Visit, state: State, workspace: Workspace) -> None:
    """Pass values up from what is visited, and let the learners observe them."""
    for team in game.teams:
        add_gains(
            team,
            numbers.future * state.penalty[team],
            game.nodes,
            game.fine,
            visit,
            state.policy,
            workspace.distance,
            workspace.weight,
            workspace.value,
            workspace.gain,
            workspace.observed,
        )
    for cell in game.cells:
        workspace.twice_penalty[cell] = 2.0 * state.penalty[game.cell_team[cell]]
    observe(
        game.cells,
        game.fine,
        game.coarse,
        game.known,
        workspace.twice_penalty,
        state.policy,
        state.projected,
        numbers.min_regret,
        workspace.observed,
        workspace.gain,
        state.regret,
    )


@kernel
def measure(game: Game, state: State, workspace: Workspace, row: FloatArray) -> None:
    """Fill a row [T, 4] of the trace: J(π̂), J(π), E ‖π - π̂‖², γ."""
    fill_payoffs(game.nodes, game.fine, state.policy, workspace.reach, workspace.relaxed)
    fill_reach(game.nodes, game.coarse, state.projected, state.projected_reach)
    fill_payoffs(
        game.nodes, game.coarse, state.projected, state.projected_reach, workspace.implementable
    )
    for team in range(len(row)):
        row[team, IMPLEMENTABLE] = workspace.implementable[team]
        row[team, RELAXED] = workspace.relaxed[team]
        row[team, SQUARED_DISTANCE] = 0.0
        row[team, COEFFICIENT] = state.penalty[team]
    for cell in range(len(workspace.distance)):
        row[game.cell_team[cell], SQUARED_DISTANCE] += (
            workspace.reached[cell] * workspace.distance[cell]
        )


@inner_kernel
def keep_best(game: Game, state: State, row: FloatArray) -> None:
    """Record π̂ if it is the best so far, or always where several teams learn."""
    earned = row[game.teams[0], IMPLEMENTABLE]
    if len(game.teams) > 1 or earned > state.best_payoff[0]:
        state.best_payoff[0] = earned
        copy(state.projected, state.best)


@inner_kernel
def adapt_penalty(numbers: Numbers, row: FloatArray, penalty: FloatArray) -> None:
    """Move γ [T] on by one iteration, in place."""
    for team in range(len(penalty)):
        factor = numbers.up if row[team, RELAXED] > numbers.target else numbers.down
        moved = penalty[team] * factor + numbers.step
        penalty[team] = min(max(moved, numbers.low), numbers.high)


@kernel
def hide(
    game: Game,
    numbers: Numbers,
    visit: Visit,
    state: State,
    workspace: Workspace,
    trace: FloatArray,
) -> None:
    """Run one iteration for each row of `trace` [I, T, 4], which is filled; `state` in place.

    Source: Heymann and Lanctot (2025), Algorithm 2.
    """
    for row in trace:
        state.done[0] += 1
        learning_rate = numbers.learning_rate
        if numbers.decay_exponent != 0.0:
            learning_rate *= float(state.done[0]) ** numbers.decay_exponent
        decide(game.cells, game.fine, learning_rate, state.regret, state.policy)
        fill_reach(game.nodes, game.fine, state.policy, workspace.reach)
        sum_by_cell(game.fine.cell, workspace.reach, workspace.reached)
        project_policy(game, numbers, state, workspace)
        weigh_nodes(game, numbers, state, workspace)
        if numbers.visits == OUTCOME:
            visit_outcome(game.below, game.nodes, state.stream, visit)
        elif numbers.visits != EVERYTHING:
            visit_path(
                numbers.exploration,
                game.below,
                game.nodes,
                game.fine,
                state.policy,
                state.stream,
                visit,
            )
        learn(game, numbers, visit, state, workspace)
        measure(game, state, workspace, row)
        keep_best(game, state, row)
        adapt_penalty(numbers, row, state.penalty)
