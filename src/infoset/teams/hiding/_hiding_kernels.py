"""Iterations of progressive hiding: decide, project, pass values up, observe."""

from __future__ import annotations

from infoset.teams.hiding._learning_kernels import (
    add_gains,
    decide,
    fill_weights,
    normalize_by_label,
    observe,
)
from infoset.teams.hiding._pass_kernels import clear, copy, fill_payoffs, fill_reach
from infoset.teams.hiding._projector_kernels import fill_distances, project_by_label, sum_by_label
from infoset.teams.hiding._visit_kernels import Visit, visit_outcome, visit_path
from infoset.teams.hiding.arrays import Game, Numbers, Room, State
from infoset.typing import FloatArray
from infoset.utils.compilation import inner_kernel, kernel

EVERYTHING = 0
OUTCOME = 1

IMPLEMENTABLE = 0
RELAXED = 1
PENALTY = 2
GAMMA = 3


@kernel
def cast_shadow(game: Game, numbers: Numbers, state: State, room: Room) -> None:
    """Project the relaxed policy: fill the shadow, and the distance to it of each label."""
    current, previous, uniform = numbers.of_current, numbers.of_previous, numbers.of_uniform
    clear(room.mass)
    for node in range(len(room.reach)):
        room.mass[game.fine.label[node]] += (
            current * room.reach[node]
            + previous * state.shadow_reach[node]
            + uniform * game.uniform_reach[node]
        )
    project_by_label(
        game.fine,
        game.coarse,
        game.known,
        game.num_nodes,
        room.mass,
        state.policy,
        room.total,
        state.shadow,
    )
    fill_distances(game.fine, game.coarse, game.known, state.policy, state.shadow, room.distance)


@kernel
def weigh_nodes(game: Game, numbers: Numbers, state: State, room: Room) -> None:
    """Fill the weight with which each node speaks at its label."""
    fill_weights(
        numbers.group,
        numbers.num_groups,
        game.nodes,
        game.fine,
        state.policy,
        room.reach,
        room.others,
        room.weight,
    )
    if numbers.conditional:
        total = room.reached
        if numbers.num_groups > 0:
            total = room.mass
            sum_by_label(game.fine.label, room.weight, total)
        normalize_by_label(game.nodes, game.fine.label, total, game.of_nature, room.weight)


@kernel
def learn(game: Game, numbers: Numbers, visit: Visit, state: State, room: Room) -> None:
    """Pass values up from what is visited, and let the learners observe them."""
    for team in game.teams:
        add_gains(
            team,
            numbers.future * state.gamma[team],
            game.nodes,
            game.fine,
            visit,
            state.policy,
            room.distance,
            room.weight,
            room.value,
            room.gain,
            room.observed,
        )
    for label in game.labels:
        room.twice_gamma[label] = 2.0 * state.gamma[game.label_team[label]]
    observe(
        game.labels,
        game.fine,
        game.coarse,
        game.known,
        room.twice_gamma,
        state.policy,
        state.shadow,
        numbers.floor,
        room.observed,
        room.gain,
        state.regret,
    )


@kernel
def measure(game: Game, state: State, room: Room, row: FloatArray) -> None:
    """Fill a row [T, 4] with what the shadow and the relaxed policy earn, the penalty, and γ."""
    fill_payoffs(game.nodes, game.fine, state.policy, room.reach, room.relaxed)
    fill_reach(game.nodes, game.coarse, state.shadow, state.shadow_reach)
    fill_payoffs(game.nodes, game.coarse, state.shadow, state.shadow_reach, room.implementable)
    for team in range(len(row)):
        row[team, IMPLEMENTABLE] = room.implementable[team]
        row[team, RELAXED] = room.relaxed[team]
        row[team, PENALTY] = 0.0
        row[team, GAMMA] = state.gamma[team]
    for label in range(len(room.distance)):
        row[game.label_team[label], PENALTY] += room.reached[label] * room.distance[label]


@inner_kernel
def keep_best(game: Game, state: State, row: FloatArray) -> None:
    """Keep the shadow if it has earned most; or, where several teams learn, whatever it earns."""
    earned = row[game.teams[0], IMPLEMENTABLE]
    if len(game.teams) > 1 or earned > state.best_payoff[0]:
        state.best_payoff[0] = earned
        copy(state.shadow, state.best)


@inner_kernel
def steer(numbers: Numbers, row: FloatArray, gamma: FloatArray) -> None:
    """Move γ [T] on by one iteration, in place."""
    for team in range(len(gamma)):
        factor = numbers.up if row[team, RELAXED] > numbers.target else numbers.down
        moved = gamma[team] * factor + numbers.step
        gamma[team] = min(max(moved, numbers.low), numbers.high)


@kernel
def hide(
    game: Game, numbers: Numbers, visit: Visit, state: State, room: Room, trace: FloatArray
) -> None:
    """Run one iteration for each row of `trace` [I, T, 4], which is filled; `state` in place.

    Source: Heymann and Lanctot (2025), Algorithm 2.
    """
    for row in trace:
        state.done[0] += 1
        rate = numbers.rate
        if numbers.drift != 0.0:
            rate *= float(state.done[0]) ** numbers.drift
        decide(game.labels, game.fine, rate, state.regret, state.policy)
        fill_reach(game.nodes, game.fine, state.policy, room.reach)
        sum_by_label(game.fine.label, room.reach, room.reached)
        cast_shadow(game, numbers, state, room)
        weigh_nodes(game, numbers, state, room)
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
        learn(game, numbers, visit, state, room)
        measure(game, state, room, row)
        keep_best(game, state, row)
        steer(numbers, row, state.gamma)
