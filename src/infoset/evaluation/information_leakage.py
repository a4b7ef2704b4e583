"""Information leakage: how much a player's actions reveal about its infostate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.tree_reach import reach_without, sum_by
from infoset.policy import TabularPolicy, check_policy, transfer_policy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import (
    SUM_TOLERANCE,
    check_choice,
    check_count,
    check_player,
    check_type,
)

BASELINES: Final = ("uniform", "prior")
"""Baseline guesses to which a belief is compared: uniform over the candidates, or the prior."""


@dataclass(frozen=True, eq=False)
class TrueStateSamplingRatio:
    """The true-state sampling ratio of one player at every history, for one observer."""

    tree: GameTree
    player: Player
    """The observed player."""
    ratio: FloatArray
    """[H] probability that the observer assigns to the true infostate of the player, divided by the
    probability under the baseline guess. A ratio of 1 means that nothing is leaked. NaN at
    histories that chance and the policies of the players other than the observer never reach."""
    reach: FloatArray
    """[H] reach of each history under chance and all policies."""

    @property
    def mean(self) -> float:
        """Mean over the histories right after an action of the player, weighted by reach.

        `Σ reach · ratio / Σ reach`. Terminal histories do not count. NaN if there is no such
        history.
        """
        return self._mean_over(self._actions_taken > 0)

    def after_action(self, number: int) -> float:
        """Return the mean over the histories right after the player's n-th action (n from 1).

        NaN if play never continues after that action.
        """
        check_count("number", number, minimum=1)
        return self._mean_over(self._actions_taken == number)

    def by_public_state(self) -> FloatArray:
        """Return [P] the mean at each public state, weighted by reach; NaN at unreached states."""
        size = self.tree.public_tree.num_public_states
        state, defined = self.tree.public_state, self.reach > 0
        weighted = self.reach[defined] * self.ratio[defined]
        sums = sum_by(state[defined], weighted, size)
        return _quotient(sums, sum_by(state[defined], self.reach[defined], size))

    @property
    def _actions_taken(self) -> LongArray:
        """[H] number of own actions at nonterminal histories right after an own action, else 0."""
        tree, plex = self.tree, self.tree.sequence_form.treeplexes[self.player]
        # [Q] own actions in each sequence: one more than before its decision; none in the empty.
        taken = np.concatenate([[0], 1 + plex.own_depth[plex.infostate_of_sequence[1:]]])
        count = taken[tree.sequence[:, self.player]].astype(np.int64)
        is_after = (count > count[tree.parent]) & (np.diff(tree.first_child) > 0)
        return np.where(is_after, count, 0)

    def _mean_over(self, moments: BoolArray) -> float:
        moments = moments & (self.reach > 0)
        if not moments.any():
            return float("nan")
        return float(np.average(self.ratio[moments], weights=self.reach[moments]))


def true_state_sampling_ratio(
    tree: GameTree,
    policy: TabularPolicy,
    player: Player,
    *,
    observer: Player | None = None,
    baseline: str = "uniform",
) -> TrueStateSamplingRatio:
    """Return how much better an observer knows a player's infostate than by guessing.

    The observer knows the policy and updates its belief by Bayes' rule. At a history with the
    player's infostate w and the observer's information s, let the candidates S(s) be the infostates
    of the player that the rules allow given s. The observer's belief is

        η(w | s) ∝ Σ P(h) over the histories h of w and s

    where P is the reach of chance and of all players except the observer. The true-state sampling
    ratio is `η(w | s) · |S(s)|`. It is 1 if nothing is leaked, and |S(s)| if the observer is
    certain.

    Parameters
    ----------
    policy
        Policy of all players. The observer's own part has no effect on its belief; it affects only
        the weights with which histories are averaged.
    player
        The observed player.
    observer
        A different player, who also uses its own private information. By default the observer sees
        only public information.
    baseline
        The guess by which the belief is divided: `uniform` over the candidates, or `prior`, the
        belief of an observer who ignores the actions of the player.

    Raises
    ------
    ParameterError
        If an argument has the wrong type, or `player` and `observer` are equal or do not exist.
    PolicyMismatchError
        If the policy is for another game.

    Notes
    -----
    Source: Arjonilla, Cazenave and Saffidine (2024). The paper does not say over which states the
    ratio is averaged, or whether the order of the cards in a hand counts.

    Examples
    --------
    A player who bets if and only if it has a king reveals its card:

    >>> from infoset.games import load_game
    >>> from infoset.policy import TabularPolicy, uniform_policy
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> form = tree.sequence_form
    >>> weights = [values.copy() for values in uniform_policy(form).probabilities]
    >>> weights[0][1:7] = [1, 0, 1, 0, 0, 1]
    >>> honest = TabularPolicy.from_weights(form, weights)
    >>> ratios = true_state_sampling_ratio(tree, honest, 0)
    >>> round(ratios.after_action(1), 9)
    2.0
    """
    check_type("tree", tree, GameTree, "a GameTree, such as infoset.build_tree(game)")
    check_policy(policy)
    policy = transfer_policy(policy, tree)
    for number in (player,) if observer is None else (player, observer):
        check_player(number, tree.num_players, str(tree))
    if player == observer:
        raise ParameterError(
            f"player {player} cannot observe itself; give a different observer, or None for an "
            f"observer who sees only public information"
        )
    check_choice("baseline", baseline, BASELINES)
    left_out = {player} if observer is None else {player, observer}
    seen = (tree.public_state if observer is None else tree.infostate[:, observer]).astype(np.int64)
    own = tree.infostate[:, player].astype(np.int64)
    # A candidate is a pair of the observer's information and an infostate of the player. `pair` [H]
    # is the number of the true candidate at each history.
    size = int(own.max()) + 1
    pairs, pair = np.unique(seen * size + own, return_inverse=True)
    at, infostate = np.divmod(pairs, size)
    # Bayes' rule: multiply the prior of a candidate by the player's own reach. Own reach is the
    # same at all histories of an infostate, so that it can be multiplied after the sum.
    prior = sum_by(pair, reach_without(tree, policy, left_out), len(pairs))
    plan = policy.realization_plan(player)
    belief = prior * plan[tree.infostate_trees[player].last_sequence[infostate]]
    ratio = _relative_to_baseline(_normalized(belief, at), prior, at, baseline)
    return TrueStateSamplingRatio(tree, player, ratio[pair], reach_without(tree, policy))


def _relative_to_baseline(
    belief: FloatArray, prior: FloatArray, group: LongArray, baseline: str
) -> FloatArray:
    """Return [n] the belief in each candidate divided by its baseline; NaN where that is zero."""
    if baseline == "uniform":
        return belief * np.bincount(group)[group]
    share = _normalized(prior, group)
    # The inverse of a subnormal number may overflow: scaling by a power of two changes no digit.
    scale = np.where(share < np.finfo(np.float64).tiny, 2.0**64, 1.0)
    return belief * scale * _quotient(np.ones(len(share)), share * scale)


def _normalized(weight: FloatArray, group: LongArray) -> FloatArray:
    """Return [n] weights divided by the sum of their group; NaN if the sum is zero."""
    return _quotient(weight, sum_by(group, weight, int(group.max()) + 1)[group])


def _quotient(numerator: FloatArray, denominator: FloatArray) -> FloatArray:
    """Return [n] quotients; NaN if the denominator is not positive."""
    found = np.full(len(numerator), np.nan)
    np.divide(numerator, denominator, out=found, where=denominator > 0)
    return found


def hand_sampling_ratios(
    reach: FloatArray, prior: FloatArray, *, baseline: str = "uniform"
) -> FloatArray:
    """Return [..., K] the true-state sampling ratio of each hand after each outcome.

    This function serves games that are not compiled. One of K hands is dealt, and the player
    follows its policy. After an outcome o, such as a first bid, the belief of an observer is `η(k |
    o) ∝ prior[k] reach[o, k]`. The ratio divides this belief by the baseline guess.

    Parameters
    ----------
    reach
        [..., K] probability of the player's own actions in each outcome, for each hand.
    prior
        [K] probability of each hand for an observer who ignores the actions of the player. Hands
        of probability 0 are not candidates.
    baseline
        `uniform` or `prior`, as in `true_state_sampling_ratio`.

    Returns
    -------
    FloatArray
        NaN for outcomes that no hand leads to, and for hands that are never dealt.

    Raises
    ------
    ParameterError
        If the shapes do not match, or an array does not contain probabilities.

    Examples
    --------
    Three hands, and a policy that bets with the last hand and half of the time with the second:

    >>> import numpy as np
    >>> bets, passes = np.array([0, 0.5, 1]), np.array([1, 0.5, 0])
    >>> hand_sampling_ratios(np.stack([bets, passes]), np.ones(3) / 3).tolist()
    [[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    """
    check_choice("baseline", baseline, BASELINES)
    reach, prior = np.asarray(reach, np.float64), np.asarray(prior, np.float64)
    _check_arrays(reach, prior)
    joint = reach * prior
    total = joint.sum(axis=-1, keepdims=True)
    belief = np.divide(joint, total, out=np.full(reach.shape, np.nan), where=total > 0)
    guess = prior if baseline == "prior" else (prior > 0) / np.count_nonzero(prior)
    ratios: FloatArray = np.divide(belief, guess, out=np.full(reach.shape, np.nan), where=guess > 0)
    return ratios


def mean_true_state_sampling_ratio(
    reach: FloatArray,
    prior: FloatArray,
    *,
    weights: FloatArray | None = None,
    baseline: str = "uniform",
) -> float:
    """Return the mean true-state sampling ratio over play, given arrays of probabilities.

        mean = Σ_o w[o] Σ_k prior[k] reach[o, k] ratio[o, k]
               / Σ_o w[o] Σ_k prior[k] reach[o, k]

    Parameters
    ----------
    reach, prior, baseline
        As in `hand_sampling_ratios`. Leave out outcomes that should not count, such as the end of
        the game.
    weights
        [...] reach of each outcome by chance and the other players; by default equal for all
        outcomes.

    Raises
    ------
    ParameterError
        If the shapes do not match, an array does not contain probabilities, or every outcome has
        probability zero.

    Examples
    --------
    >>> import numpy as np
    >>> honest = np.eye(3)
    >>> mean_true_state_sampling_ratio(honest, np.array([1, 1, 1]) / 3)
    3.0
    """
    ratios = hand_sampling_ratios(reach, prior, baseline=baseline)
    weights = np.ones(ratios.shape[:-1]) if weights is None else np.asarray(weights, np.float64)
    if weights.shape != ratios.shape[:-1] or not ((weights >= 0) & np.isfinite(weights)).all():
        raise ParameterError(
            f"weights have shape {weights.shape}, or some are negative or not finite; give one "
            f"nonnegative number for each outcome of reach, in an array of shape "
            f"{ratios.shape[:-1]}"
        )
    joint = weights[..., None] * reach * prior
    happens = joint > 0
    if not happens.any():
        raise ParameterError(
            "every outcome has probability zero under reach, prior, and weights; give at least one "
            "outcome a positive probability"
        )
    return float(np.average(ratios[happens], weights=joint[happens]))


def _check_arrays(reach: FloatArray, prior: FloatArray) -> None:
    if prior.ndim != 1 or reach.shape[-1:] != prior.shape:
        raise ParameterError(
            f"`reach` has shape {reach.shape} and `prior` has shape {prior.shape}; for K hands "
            "give arrays of shapes [..., K] and [K]"
        )
    if not (prior >= 0).all() or not abs(prior.sum() - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"prior sums to {prior.sum()} or has negative entries; give the probability of each "
            f"hand"
        )
    if not ((reach >= 0) & (reach <= 1 + SUM_TOLERANCE)).all():
        raise ParameterError(
            "reach has entries outside [0, 1]; give the probability of the player's actions in "
            "each outcome, for each hand"
        )
