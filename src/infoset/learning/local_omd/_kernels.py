"""LocalOMD: one player samples with a fixed policy, and learns along its path."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.kernels import inner_kernel, kernel
from infoset.learning._kernels import count_path, follow_baseline
from infoset.learning.path._kernels import update_infostate
from infoset.learning.simulation import Infostates, Nodes, Paths, play
from infoset.streams import Stream
from infoset.typing import FloatArray, LongArray

RATE = 0
ADAPTIVE = 1
WINDOW = 2


class LocalState(NamedTuple):
    """The arrays that LocalOMD reads and moves.

    Attributes
    ----------
    policy : FloatArray
        [S] the current policy.
    sampling : FloatArray
        [S] b(a|x), by which the learner of an episode acts, and with which policies begin; not
        moved.
    weight : FloatArray
        [I] by which fixed rates are multiplied; not moved.
    rate : FloatArray
        [I] the learning rate of the last visit.
    squares : FloatArray
        [I] sum of the squares of the estimated losses, where rates adapt.
    baseline, visits : FloatArray
        [I] b₀(x), what is taken off losses, and how many losses it has followed.
    mass, counted : FloatArray
        [S] and [I] the average; see `infoset.learning._kernels`.
    """

    policy: FloatArray
    sampling: FloatArray
    weight: FloatArray
    rate: FloatArray
    squares: FloatArray
    baseline: FloatArray
    visits: FloatArray
    mass: FloatArray
    counted: FloatArray


@inner_kernel
def learn_locally(
    numbers: FloatArray,
    infostates: Infostates,
    player: int,
    paths: Paths,
    loss: float,
    state: LocalState,
) -> None:
    """Update the player that sampled an episode along its path, `state` in place.

    From the last own decision to the first, the estimated loss of the action taken is
    `(cost - b₀(x)) / b(a|x)`, of the others 0; the cost is the loss at the last decision, and
    before it `b₀ - log Z / η` of the decision after it.

    numbers : [3] η, whether rates adapt, and over how many costs baselines run, 0 for constant.
    Source: Fiegel et al. (2024); baselines that run are ours.
    """
    cost = loss
    for step in range(paths.length[player] - 1, -1, -1):
        here, taken = paths.infostate[player, step], paths.slot[player, step]
        baseline = state.baseline[here]
        estimate = (cost - baseline) / state.sampling[taken]
        rate = numbers[RATE] * state.weight[here]
        if numbers[ADAPTIVE] > 0.0:
            state.squares[here] += estimate * estimate
            rate = numbers[RATE] / np.sqrt(1.0 + state.squares[here])
        kept = rate / state.rate[here]
        state.rate[here] = rate
        log_total = update_infostate(
            infostates, here, taken, state.sampling, state.policy, rate, kept, estimate
        )
        follow_baseline(here, cost, numbers[WINDOW], state.baseline, state.visits)
        cost = baseline - log_total / rate


@kernel
def learn_in_turn(
    numbers: FloatArray,
    nodes: Nodes,
    infostates: Infostates,
    losses: FloatArray,
    episodes: int,
    done: LongArray,
    stream: Stream,
    paths: Paths,
    state: LocalState,
) -> None:
    """Play episodes in which one player after another samples and learns; count them in done[0].

    numbers : [N, 3] of each player, see `learn_locally`. losses : [Z, N] at terminal nodes.
    """
    num_players = len(numbers)
    for _ in range(episodes):
        player = done[0] % num_players
        end = play(
            nodes,
            infostates,
            state.policy,
            player,
            state.sampling,
            1.0,
            paths.slot.shape[1],
            stream,
            paths,
        )
        done[0] += 1
        count_path(infostates, player, paths, state.policy, state.mass, state.counted)
        learn_locally(numbers[player], infostates, player, paths, losses[end, player], state)
