"""Kernels of outcome-sampling Monte Carlo CFR: regrets estimated from one player's path.

Sources: Lanctot et al. (2009), Section 3.1. Baselines: Schmid et al. (2019), eq. (9); here they
belong to actions at the player's infostates, not to histories.
"""

from __future__ import annotations

from typing import NamedTuple

from infoset.learning._simulator_kernels import Paths, PlayState, play
from infoset.learning._update_kernels import (
    count_episode,
    count_infostate,
    match_clipped_regrets,
    update_baseline,
)
from infoset.tree.decision_nodes import Infostates
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel
from infoset.utils.splitmix import next_uniform


class OutcomeParameters(NamedTuple):
    """The parameters of outcome sampling."""

    exploration: float
    """Probability ε with which the learning player follows the exploration policy."""
    baseline_window: float
    """Number of visits that a baseline averages; 0 for no baselines."""
    min_regret: float
    """0 for regret matching+, -∞ for regret matching."""


class OutcomeState(NamedTuple):
    """The arrays of outcome sampling."""

    policy: FloatArray
    """[S] the current policy σ."""
    exploration_policy: FloatArray
    """[S] the exploration policy; constant."""
    regret: FloatArray
    """[S] sums of estimated counterfactual regrets."""
    baseline: FloatArray
    visits: FloatArray
    """[S] b(x, a), an estimate of the utility that follows an action; and 1 plus the number of
    visits of the action."""
    cumulative_plan: FloatArray
    parent_counted: FloatArray
    """[S] and [I] the average; see `infoset.learning._update_kernels`."""


@inner_kernel
def follow_path(
    exploration: float, infostates: Infostates, player: int, paths: Paths, state: OutcomeState
) -> None:
    """Add a player's path to the average, and write its own sampling reach to `paths.reach`.

    Call it before the policy changes, but after `count_episode`.
    """
    # q contains only the player's own probabilities, since those of the others cancel.
    paths.reach[player, 0] = 1.0
    for step in range(paths.length[player]):
        here, sequence = paths.infostate[player, step], paths.sequence[player, step]
        count_infostate(infostates, here, state.policy, state.cumulative_plan, state.parent_counted)
        explored = state.exploration_policy[sequence]
        # The ε-mixture of exploration and current policy, decision by decision.
        sampled = exploration * explored + (1.0 - exploration) * state.policy[sequence]
        # For all decisions before the first update: q refers to the policies that were sampled.
        paths.reach[player, step + 1] = paths.reach[player, step] * sampled


@inner_kernel
def follow_mixed_path(
    exploration: float, infostates: Infostates, player: int, paths: Paths, state: OutcomeState
) -> None:
    """Follow a path as `follow_path`, but with one of both policies for the whole episode."""
    explored = followed = paths.reach[player, 0] = 1.0
    for step in range(paths.length[player]):
        here, sequence = paths.infostate[player, step], paths.sequence[player, step]
        count_infostate(infostates, here, state.policy, state.cumulative_plan, state.parent_counted)
        explored *= state.exploration_policy[sequence]
        followed *= state.policy[sequence]
        # The mixture of both realization plans, and not the product of mixtures at each decision:
        # it is at least β times the reach of exploration, where the product has βᴴ.
        paths.reach[player, step + 1] = exploration * explored + (1.0 - exploration) * followed


@inner_kernel
def update_path(
    parameters: OutcomeParameters,
    infostates: Infostates,
    player: int,
    paths: Paths,
    utility: float,
    state: OutcomeState,
) -> None:
    """Add an episode to the average and update the sampling player along its path, in place.

    q is the sampling reach of the player's own actions, b the baseline, and σ the policy. u begins
    as the utility of the episode. From the last decision to the first,

        v(a) = b(x, a) + 1{a is taken} (u - b(x, a)) q(x) / q(x, a)
        u ← Σ_a σ(a|x) v(a)
        R(x, a) += (v(a) - u) / q(x)

    Opponents and chance are sampled on policy, so their reach cancels.
    """
    # The average is weighted by own reach; it needs no importance weights.
    count_episode(infostates, state.cumulative_plan)
    follow_path(parameters.exploration, infostates, player, paths, state)
    update_followed(parameters, infostates, player, paths, utility, state)


@inner_kernel
def update_followed(
    parameters: OutcomeParameters,
    infostates: Infostates,
    player: int,
    paths: Paths,
    utility: float,
    state: OutcomeState,
) -> None:
    """Update a player along its path, whose sampling reach is in `paths.reach`, in place."""
    # Backward over the player's own decisions, from the utility at the end.
    for step in range(paths.length[player] - 1, -1, -1):
        here, taken = paths.infostate[player, step], paths.sequence[player, step]
        first_sequence = infostates.first_sequence[here]
        end = first_sequence + infostates.num_actions[here]
        # q(x) and q(x, a); `surprise` is the correction of the baseline of the action taken.
        reach, further = paths.reach[player, step], paths.reach[player, step + 1]
        surprise = (utility - state.baseline[taken]) * (reach / further)
        # Σ_a σ(a|x) v(a): the baselines of all actions, plus the correction of the one taken.
        value = state.policy[taken] * surprise
        for sequence in range(first_sequence, end):
            value += state.policy[sequence] * state.baseline[sequence]
        for sequence in range(first_sequence, end):
            # R(x, a) += (b(a) - u) / q(x); the action taken gets its correction after the loop.
            state.regret[sequence] += (state.baseline[sequence] - value) / reach
        # By q(x), not q(x, a): the correction already contains the factor q(x) / q(x, a).
        state.regret[taken] += surprise / reach
        # After its use: a baseline must not depend on the utility that it is compared with.
        update_baseline(taken, utility, parameters.baseline_window, state.baseline, state.visits)
        # Without waiting for the decisions above, which need only the value, and were sampled
        # before.
        match_clipped_regrets(infostates, here, parameters.min_regret, state.regret, state.policy)
        # The parent sees the expected value under σ, which replaces the sampled utility.
        utility = value


@bare_kernel
def run_self_play(
    parameters: OutcomeParameters, play_state: PlayState, episodes: int, state: OutcomeState
) -> None:
    """Play episodes in which the players alternate in exploring and learning; update `state`.

    The feedback consists of centered utilities.
    """
    nodes, infostates, utility, done, stream, paths = play_state
    num_players, max_steps = paths.sequence.shape
    for _ in range(episodes):
        # Only the exploring player learns: for it, all others are on policy.
        player = done[0] % num_players
        done[0] += 1
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            state.exploration_policy,
            parameters.exploration,
            max_steps,
            stream,
            paths,
        )
        update_path(parameters, infostates, player, paths, utility[end, player], state)


@bare_kernel
def run_online_self_play(
    parameters: OutcomeParameters,
    exponent: float,
    play_state: PlayState,
    episodes: int,
    state: OutcomeState,
) -> None:
    """Play and learn as `run_self_play`, but decide once per episode whether to explore.

    In its t-th episode, the exploring player follows the exploration policy throughout with
    probability t^-exponent, and its own policy otherwise; the estimates refer to this mixture.
    """
    nodes, infostates, utility, done, stream, paths = play_state
    num_players, max_steps = paths.sequence.shape
    for _ in range(episodes):
        player = done[0] % num_players
        exploration = float(done[0] // num_players + 1) ** -exponent
        done[0] += 1
        explores = 1.0 if next_uniform(stream) < exploration else 0.0
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            state.exploration_policy,
            explores,
            max_steps,
            stream,
            paths,
        )
        count_episode(infostates, state.cumulative_plan)
        follow_mixed_path(exploration, infostates, player, paths, state)
        update_followed(parameters, infostates, player, paths, utility[end, player], state)
