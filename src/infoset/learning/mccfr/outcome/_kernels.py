"""Outcome sampling: regrets estimated from what one player saw of one episode."""

from __future__ import annotations

from typing import NamedTuple

from infoset.learning._kernels import count_for_all, count_infostate, follow_baseline
from infoset.learning.mccfr._kernels import match_floored
from infoset.learning.simulation import Infostates, Paths, PlayState, play
from infoset.typing import FloatArray
from infoset.utils.compilation import bare_kernel, inner_kernel


class OutcomeParameters(NamedTuple):
    """The numbers of a row of outcome sampling.

    Attributes
    ----------
    exploration : float
        ε, the probability with which the player that learns follows `exploration_policy`.
    baseline_window : float
        How many visits baselines remember; 0 for no baselines.
    min_regret : float
        0 for regret matching+, -∞ for regret matching.
    """

    exploration: float
    baseline_window: float
    min_regret: float


class OutcomeState(NamedTuple):
    """The arrays that outcome sampling reads and moves.

    Attributes
    ----------
    policy : FloatArray
        [S] the current policy.
    exploration_policy : FloatArray
        [S] the policy that a player explores by; not moved.
    regret : FloatArray
        [S] sums of estimated counterfactual regrets.
    baseline, visits : FloatArray
        [S] what is guessed to follow an action, in units of utility, and one more than how often
        that was seen.
    mass, counted : FloatArray
        [S] and [I] the average; see `infoset.learning._kernels`.
    """

    policy: FloatArray
    exploration_policy: FloatArray
    regret: FloatArray
    baseline: FloatArray
    visits: FloatArray
    mass: FloatArray
    counted: FloatArray


@inner_kernel
def follow_path(
    exploration: float,
    infostates: Infostates,
    player: int,
    paths: Paths,
    state: OutcomeState,
) -> None:
    """Count a player's path in the average, and write the probability of sampling it.

    That is of the player's own actions up to each step. To be done before the policy changes, and
    after the mass of the empty sequence has grown.
    """
    paths.reach[player, 0] = 1.0
    for step in range(paths.length[player]):
        here, slot = paths.infostate[player, step], paths.slot[player, step]
        count_infostate(infostates, here, state.policy, state.mass, state.counted)
        sampled = (
            exploration * state.exploration_policy[slot] + (1.0 - exploration) * state.policy[slot]
        )
        paths.reach[player, step + 1] = paths.reach[player, step] * sampled


@inner_kernel
def learn_outcome(
    numbers: OutcomeParameters,
    infostates: Infostates,
    player: int,
    paths: Paths,
    utility: float,
    state: OutcomeState,
) -> None:
    """Count the path of a player that has sampled, and add estimated regrets, `state` in place.

    With q the probability of the player's own actions as it samples them, b a baseline, σ the
    policy, and u what follows, which at the last decision is the utility, from there up:

        v(a) = b(x, a) + 1{a is taken} (u - b(x, a)) q(x) / q(x, a)
        u ← Σ_a σ(a|x) v(a)
        R(x, a) += (v(a) - u) / q(x)

    What the others and nature do, they do on policy: their reach cancels.

    Source: Lanctot et al. (2009), Section 3.1; the baselines, here of infostates: Schmid et al.
    (2019), eq. (9).
    """
    follow_path(numbers.exploration, infostates, player, paths, state)
    for step in range(paths.length[player] - 1, -1, -1):
        here, taken = paths.infostate[player, step], paths.slot[player, step]
        first_slot = infostates.first_slot[here]
        end = first_slot + infostates.num_actions[here]
        reach, further = paths.reach[player, step], paths.reach[player, step + 1]
        surprise = (utility - state.baseline[taken]) * (reach / further)
        value = state.policy[taken] * surprise
        for slot in range(first_slot, end):
            value += state.policy[slot] * state.baseline[slot]
        for slot in range(first_slot, end):
            state.regret[slot] += (state.baseline[slot] - value) / reach
        state.regret[taken] += surprise / reach
        follow_baseline(taken, utility, numbers.baseline_window, state.baseline, state.visits)
        match_floored(infostates, here, numbers.min_regret, state.regret, state.policy)
        utility = value


@bare_kernel
def learn_outcome_alone(
    numbers: OutcomeParameters,
    infostates: Infostates,
    paths: Paths,
    utility: float,
    state: OutcomeState,
) -> None:
    """Count an episode of the only player there is, number 0, and learn from it, in place."""
    state.mass[infostates.root_slot[0]] += 1.0
    learn_outcome(numbers, infostates, 0, paths, utility, state)


@bare_kernel
def learn_by_outcomes(
    numbers: OutcomeParameters, arena: PlayState, episodes: int, state: OutcomeState
) -> None:
    """Play episodes in an arena, in which one player after another explores and learns.

    What players are told is utilities.
    """
    nodes, infostates, utility, done, stream, paths = arena
    num_players, most_steps = paths.slot.shape
    for _ in range(episodes):
        player = done[0] % num_players
        done[0] += 1
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            state.exploration_policy,
            numbers.exploration,
            most_steps,
            stream,
            paths,
        )
        count_for_all(infostates, state.mass)
        learn_outcome(numbers, infostates, player, paths, utility[end, player], state)
