"""Algorithm 2, progressive hiding: sample, decide, project, pass values up, update regrets.

Symbols of the paper: π relaxed policy, π̂ projected policy, γ penalty coefficient, ρ reach, ι a
cell of the relaxed map, c(ι) the original cell that contains it, Q and V values with penalties.
"""

from __future__ import annotations

import numpy as np

from infoset.regret import hedge, match_regrets
from infoset.teams.hiding._projection_kernels import (
    fill_distances,
    fill_payoffs,
    fill_reach,
    fill_reach_without,
    project_by_cell,
    sum_by_cell,
)
from infoset.teams.hiding.arrays import (
    Game,
    Nodes,
    Numbers,
    Outcomes,
    Sampling,
    State,
    View,
    Visit,
    Workspace,
)
from infoset.typing import FloatArray, IndexArray, LongArray
from infoset.utils.array_kernels import clear, copy
from infoset.utils.compilation import bare_kernel, inner_kernel, nested_kernel
from infoset.utils.splitmix import Stream, draw_index, next_uniform

# Columns of a row of the trace.
IMPLEMENTABLE = 0
RELAXED = 1
SQUARED_DISTANCE = 2
COEFFICIENT = 3

MIN_TOTAL = np.finfo(np.float64).tiny
"""Cells of a smaller total weight count as unreached: dividing by it would overflow."""


@bare_kernel
def hide(
    game: Game,
    numbers: Numbers,
    sampling: Sampling | None,
    visit: Visit,
    state: State,
    workspace: Workspace,
    trace: FloatArray,
) -> None:
    """Run one iteration per row of `trace` [I, T, 4], and fill the rows; update `state` in place.

    sampling : None if each iteration visits everything; then no code for sampling is compiled.

    Source: Heymann and Lanctot (2025), Algorithm 2.
    """
    for row in trace:
        state.done[0] += 1
        learning_rate = numbers.learning_rate
        if numbers.decay_exponent != 0.0:
            learning_rate *= float(state.done[0]) ** numbers.decay_exponent
        # Step 1: π^t_ι = R_ι.decide() at every cell ι that learns.
        # All cells decide before any observes: learners are updated simultaneously.
        decide(game.cells, game.fine, learning_rate, state.regret, state.policy)
        # Step 2: ρ_t, the reach under π^t, exact even if the visit below is sampled.
        fill_reach(game.nodes, game.fine, state.policy, workspace.reach)
        sum_by_cell(game.fine.cell, workspace.reach, workspace.reached)
        # Step 3: π̂^t = P_{ρ_t} π^t, and ‖π^t - π̂^t‖² of each cell.
        project_policy(game, numbers, state, workspace)
        weigh_nodes(game, numbers, state, workspace)
        # The full traversal is filled in once, before the first iteration.
        if sampling is not None:
            sample_visit(sampling, game, state, visit)
        # Steps 4 and 5: backward pass for Q^t and V^t; R_ι.observe(v^t_ι) at every cell.
        # The visit may be sampled, but π̂ above is exact: only the gradients are estimates.
        learn(game, numbers, visit, state, workspace)
        measure(game, state, workspace, row)
        keep_best(game, state, row)
        adapt_penalty(numbers, row, state.penalty)


@nested_kernel
def decide(
    cells: LongArray, view: View, learning_rate: float, regret: FloatArray, policy: FloatArray
) -> None:
    """Set the policy [S] at some cells from their regrets, in place.

    Proportional to exp(learning_rate · regret), or to positive regret if the rate is 0.
    """
    for cell in cells:
        first, end = view.first_entry[cell], view.first_entry[cell + 1]
        # Entropic FTRL for a positive rate, otherwise regret matching.
        if learning_rate > 0.0:
            hedge(first, end, learning_rate, regret, policy)
        else:
            match_regrets(first, end, regret, policy)


@nested_kernel
def project_policy(game: Game, numbers: Numbers, state: State, workspace: Workspace) -> None:
    """Project the relaxed policy: fill π̂ and the squared distance ‖π_ι - π̂_c(ι)‖² of each cell."""
    current, previous, uniform = numbers.of_current, numbers.of_previous, numbers.of_uniform
    # Eq. 4 needs only the mass of each fine cell: π is constant on the nodes of a cell.
    clear(workspace.mass)
    for node in range(len(workspace.reach)):
        # ρ(n) mixes three reference profiles; `projected_reach` is still that of iteration t - 1.
        # A small uniform part gives every node some weight, even if regret matching gives an
        # action probability 0.
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


@nested_kernel
def weigh_nodes(game: Game, numbers: Numbers, state: State, workspace: Workspace) -> None:
    """Fill the weight of each node in the mean action values of its cell."""
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
    # Conditional form: Q̄_ι(a) = Σ ρ(n) Q(n, a) / Σ ρ(n), by the posterior over the nodes of ι.
    # Without it, weights are counterfactual reaches w_ι.
    if numbers.conditional:
        # Without groups the weight is the reach, whose sums by cell are known already.
        total = workspace.reached
        if numbers.num_groups > 0:
            total = workspace.mass
            sum_by_cell(game.fine.cell, workspace.weight, total)
        normalize_by_cell(game.nodes, game.fine.cell, total, game.of_chance, workspace.weight)


@nested_kernel
def fill_weights(
    group: IndexArray | None,
    num_groups: int,
    nodes: Nodes,
    view: View,
    policy: FloatArray,
    reach: FloatArray,
    others: FloatArray,
    weight: FloatArray,
) -> None:
    """Fill `weight` [N] with the reach [N] of each node without the choices of its group.

    group : [N] the acting group; if it is None, the weight is the whole reach.
    others : [N] buffer.
    """
    if group is None:
        copy(reach, weight)
    else:
        # One pass for each group: with several teams, a team's own choices must not weigh its
        # values.
        for removed in range(num_groups):
            fill_reach_without(group, removed, nodes, view, policy, others, weight)


@nested_kernel
def normalize_by_cell(
    nodes: Nodes,
    cell: IndexArray,
    total: FloatArray,
    of_chance: FloatArray,
    weight: FloatArray,
) -> None:
    """Divide the weights [N] of each cell's nodes by their sum `total` [M], in place.

    Weights that are all 0 become chance probabilities, whose sums are `of_chance` [M].
    """
    for node in range(len(weight)):
        here = cell[node]
        if total[here] >= MIN_TOTAL:
            weight[node] /= total[here]
        # 0 / 0: the cell is not reached, so any finite weights are valid. Chance probabilities do
        # not depend on π.
        else:
            weight[node] = nodes.chance[node] / of_chance[here]


@inner_kernel
def draw_outcome(outcomes: Outcomes, nodes: Nodes, stream: Stream) -> int:
    """Sample an outcome of chance."""
    outcome, last = 0, len(outcomes.first_node) - 2
    draw = next_uniform(stream) - nodes.chance[outcomes.node[0]]
    while draw >= 0.0 and outcome < last:
        outcome += 1
        # Inversion; the first node of an outcome carries its probability. The bound `last` catches
        # rounding.
        draw -= nodes.chance[outcomes.node[outcomes.first_node[outcome]]]
    return outcome


@nested_kernel
def sample_visit(sampling: Sampling, game: Game, state: State, visit: Visit) -> None:
    """Sample what an iteration visits."""
    if sampling.of_paths:
        visit_path(
            sampling.exploration,
            game.outcomes,
            game.nodes,
            game.fine,
            state.policy,
            state.stream,
            visit,
        )
    else:
        visit_outcome(game.outcomes, game.nodes, state.stream, visit)


@nested_kernel
def visit_outcome(outcomes: Outcomes, nodes: Nodes, stream: Stream, visit: Visit) -> None:
    """Sample an outcome of chance and visit everything below it, updating `visit` in place."""
    outcome = draw_outcome(outcomes, nodes, stream)
    first, end = outcomes.first_node[outcome], outcomes.first_node[outcome + 1]
    # Chance is sampled alone, so one factor corrects all nodes below: an unbiased estimate.
    importance = 1.0 / nodes.chance[outcomes.node[first]]
    for place in range(first, end):
        visit.node[place - first] = outcomes.node[place]
        visit.importance[place - first] = importance
    visit.size[0] = end - first
    first, end = outcomes.first_terminal[outcome], outcomes.first_terminal[outcome + 1]
    for place in range(first, end):
        visit.terminal[place - first] = outcomes.terminal[place]
        visit.terminal_importance[place - first] = importance
    visit.size[1] = end - first


@nested_kernel
def visit_path(
    exploration: float,
    outcomes: Outcomes,
    nodes: Nodes,
    view: View,
    policy: FloatArray,
    stream: Stream,
    visit: Visit,
) -> None:
    """Sample one play and visit its nodes and its terminal, updating `visit` in place.

    All agents follow the policy [S], mixed with uniform play of probability `exploration`.
    """
    node = outcomes.node[outcomes.first_node[draw_outcome(outcomes, nodes, stream)]]
    chance = nodes.chance[node]
    visit.size[0] = visit.size[1] = 0
    while True:
        visit.node[visit.size[0]] = node
        # 1 / probability of having sampled the path up to here, so that sums over the visit are
        # unbiased.
        visit.importance[visit.size[0]] = 1.0 / chance
        visit.size[0] += 1
        first = view.first_entry[view.cell[node]]
        num_actions = outcomes.first_edge[node + 1] - outcomes.first_edge[node]
        if next_uniform(stream) < exploration:
            action = int(next_uniform(stream) * num_actions)
        else:
            action = draw_index(policy, first, first + num_actions, next_uniform(stream)) - first
        # `chance` becomes the probability that the sampled path comes this far.
        chance *= (1.0 - exploration) * policy[first + action] + exploration / num_actions
        child = outcomes.child[outcomes.first_edge[node] + action]
        if child < 0:
            break
        node = child
    terminal = -1 - child
    # Terminals without a payoff have number Z, beyond the list.
    if terminal < len(visit.terminal):
        visit.terminal[0] = terminal
        visit.terminal_importance[0] = 1.0 / chance
        visit.size[1] = 1


@nested_kernel
def learn(game: Game, numbers: Numbers, visit: Visit, state: State, workspace: Workspace) -> None:
    """Pass values up from the visited nodes and let the learners observe their gradients."""
    # Teams pass up their own payoffs and pay for their own cells only.
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
        # The derivative of γ ‖π - π̂‖² with π̂ frozen, which `observe` takes at the current π.
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


@nested_kernel
def add_gains(
    team: int,
    penalty: float,
    nodes: Nodes,
    view: View,
    visit: Visit,
    policy: FloatArray,
    distance: FloatArray,
    weight: FloatArray,
    value: FloatArray,
    gain: FloatArray,
    observed: FloatArray,
) -> None:
    """Add the action values of a team at the visited nodes, with the penalties of later stages.

    Q(n, a) = payoff, or V(child);  V(n) = Σ_a π(a) Q(n, a) - γ ‖π - π̂‖²
    gain(ι, a) = Σ_{n in ι} weight(n) Q(n, a);  observed(ι) = Σ_{n in ι} weight(n)

    gain [S] and observed [M] are added to in place. value [N] holds V(n) times the importance of
    the node; it must be 0 at first and is 0 afterwards.
    """
    for place in range(visit.size[1]):
        terminal = visit.terminal[place]
        node, entry = nodes.payoff_node[terminal], view.payoff_entry[terminal]
        worth = visit.terminal_importance[place] * nodes.payoff[team, terminal]
        value[node] += policy[entry] * worth
        if nodes.team[node] == team:
            gain[entry] += weight[node] * worth
    # Children before parents: when a node's turn comes, `value` holds all of Σ_a π(a) Q(n, a).
    for place in range(visit.size[0] - 1, -1, -1):
        node = visit.node[place]
        worth = value[node]
        value[node] = 0.0
        if nodes.team[node] == team:
            cell = view.cell[node]
            # The penalty of this stage (eq. 7) is a future penalty for the stages above.
            worth -= visit.importance[place] * penalty * distance[cell]
            observed[cell] += visit.importance[place] * weight[node]
        parent = nodes.parent[node]
        if parent != node:
            entry = view.entry[node]
            value[parent] += policy[entry] * worth
            if nodes.team[parent] == team:
                gain[entry] += weight[parent] * worth


@nested_kernel
def observe(
    cells: LongArray,
    fine: View,
    coarse: View,
    known: IndexArray,
    twice_penalty: FloatArray,
    policy: FloatArray,
    projected: FloatArray,
    min_regret: float,
    observed: FloatArray,
    gain: FloatArray,
    regret: FloatArray,
) -> None:
    """Update the regrets [S] of the learners at some cells from their gradients, in place.

    v(a) = gain(a) - observed · 2γ (π(a) - π̂(a))
    regret(a) ← max(regret(a) + v(a) - <π, v>, min_regret)

    twice_penalty : [M] 2γ.
    gain, observed : [S] and [M] set to 0.
    """
    for cell in cells:
        first, end = fine.first_entry[cell], fine.first_entry[cell + 1]
        # Actions of a fine cell and of its coarse cell are in the same order, offset by `to`.
        to = coarse.first_entry[known[cell]]
        # The penalty's gradient has the weight of the values that it is compared with: without
        # conditional weights or with sampling, `observed` is not 1.
        scale = observed[cell] * twice_penalty[cell]
        mean = 0.0
        for action in range(end - first):
            entry = first + action
            gain[entry] -= scale * (policy[entry] - projected[to + action])
            mean += policy[entry] * gain[entry]
        for entry in range(first, end):
            # The linearized local regret. A minimum of 0 gives regret matching+; -∞ gives no
            # clipping.
            regret[entry] = max(regret[entry] + gain[entry] - mean, min_regret)
            gain[entry] = 0.0
        observed[cell] = 0.0


@nested_kernel
def measure(game: Game, state: State, workspace: Workspace, row: FloatArray) -> None:
    """Fill a row [T, 4] of the trace: J(π̂), J(π), E ‖π - π̂‖², γ."""
    fill_payoffs(game.nodes, game.fine, state.policy, workspace.reach, workspace.relaxed)
    # The next iteration reads this reach as that of the previous projection.
    fill_reach(game.nodes, game.coarse, state.projected, state.projected_reach)
    fill_payoffs(
        game.nodes, game.coarse, state.projected, state.projected_reach, workspace.implementable
    )
    for team in range(len(row)):
        row[team, IMPLEMENTABLE] = workspace.implementable[team]
        row[team, RELAXED] = workspace.relaxed[team]
        row[team, SQUARED_DISTANCE] = 0.0
        row[team, COEFFICIENT] = state.penalty[team]
    # E_π Σ ‖π - π̂‖²: squared distances weighted by the reach of the cell under π.
    for cell in range(len(workspace.distance)):
        row[game.cell_team[cell], SQUARED_DISTANCE] += (
            workspace.reached[cell] * workspace.distance[cell]
        )


@inner_kernel
def keep_best(game: Game, state: State, row: FloatArray) -> None:
    """Record π̂ if it is the best so far; if several teams learn, its mean over iterations."""
    earned = row[game.teams[0], IMPLEMENTABLE]
    if len(game.teams) > 1:
        # No payoff shows which iterate is best. Iteration t has weight t, as in CFR+.
        weight = 2.0 / (state.done[0] + 1.0)
        for entry in range(len(state.best)):
            state.best[entry] += weight * (state.projected[entry] - state.best[entry])
        state.best_payoff[0] = earned
    elif earned > state.best_payoff[0]:
        state.best_payoff[0] = earned
        copy(state.projected, state.best)


@inner_kernel
def adapt_penalty(numbers: Numbers, row: FloatArray, penalty: FloatArray) -> None:
    """Set γ_{t+1} [T] by the schedule, in place."""
    for team in range(len(penalty)):
        # Raise γ while the relaxed policy earns more than the target, lower it otherwise. A
        # geometric or linear schedule has equal factors or a step, and no target.
        factor = numbers.up if row[team, RELAXED] > numbers.target else numbers.down
        moved = penalty[team] * factor + numbers.step
        penalty[team] = min(max(moved, numbers.low), numbers.high)
