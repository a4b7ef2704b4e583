"""What a policy gives away: how likely an observer thinks the truth, against guessing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.checks import SUM_TOLERANCE, check_count, check_kind, check_player
from infoset.errors import ParameterError, UnknownNameError
from infoset.evaluation.tree_plays import check_same_game, known_reach, own_depths, sum_by
from infoset.policy import TabularPolicy, check_policy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, LongArray, Player

__all__ = ["CANDIDATES", "TrueStateRatios", "mean_true_state_ratio", "true_state_ratios"]

CANDIDATES = ("sorted", "ordered")
"""How candidates are counted: each infostate once, or by its prior probability."""


@dataclass(frozen=True, eq=False)
class TrueStateRatios:
    """The true state sampling ratio of a player at every history, as an observer has it.

    Attributes
    ----------
    tree : GameTree
    player : Player
        Who is observed.
    ratio : FloatArray
        [H] probability that the observer gives to the true infostate of the player, times the
        number of candidates: 1 is what guessing has. NaN where the player's policy or that of
        others, except the observer's, never leads.
    reach : FloatArray
        [H] probability of the history, all policies and nature in it.
    """

    tree: GameTree
    player: Player
    ratio: FloatArray
    reach: FloatArray

    @property
    def mean(self) -> float:
        """Mean over a whole game: all moments right after an action of the player, but the end.

        By how often they come: Σ reach · ratio / Σ reach over those histories. NaN if there is
        none.
        """
        return self._mean_over(self._actions_taken > 0)

    def after_action(self, number: int) -> float:
        """Return the mean over play of the moments right after an own action, counted from 1.

        NaN if the play never goes on after one.

        Raises
        ------
        ParameterError
            If the number is not at least 1.
        """
        check_count("number", number, least=1)
        return self._mean_over(self._actions_taken == number)

    def by_public_state(self) -> FloatArray:
        """Return [P] the mean over the histories of each public state, by reach; NaN if none is."""
        size = self.tree.public_tree.num_public_states
        state, defined = self.tree.public_state, self.reach > 0
        weighted = self.reach[defined] * self.ratio[defined]
        sums = sum_by(state[defined], weighted, size)
        return _ratios(sums, sum_by(state[defined], self.reach[defined], size))

    @property
    def _actions_taken(self) -> LongArray:
        """[H] own actions so far, at histories that are not terminal and follow one; else 0."""
        tree, plex = self.tree, self.tree.sequence_form.treeplexes[self.player]
        taken = np.concatenate([[0], 1 + own_depths(plex)[plex.infostate_of_sequence[1:]]])
        count = taken[tree.sequence[:, self.player]].astype(np.int64)
        is_after = (count > count[tree.parent]) & (np.diff(tree.first_child) > 0)
        return np.where(is_after, count, 0)

    def _mean_over(self, moments: BoolArray) -> float:
        moments = moments & (self.reach > 0)
        if not moments.any():
            return float("nan")
        return float(np.average(self.ratio[moments], weights=self.reach[moments]))


def true_state_ratios(
    tree: GameTree,
    policy: TabularPolicy,
    player: Player,
    *,
    observer: Player | None = None,
    candidates: str = "sorted",
) -> TrueStateRatios:
    """Return how well an observer who knows the policy guesses what a player knows.

    At a history with the player's infostate w and the observer's s, the true state sampling
    ratio is `η(w | s) · |S(s)|`. S(s) are the infostates of the player that the rules allow
    where the observer is at s, and η is its belief by Bayes' rule,

        η(w | s) ∝ Σ P(h) over the histories h of w and s

    with P the reach of nature and of all players. 1 says that nothing is given away, |S(s)| that
    the observer is sure.

    Parameters
    ----------
    tree : GameTree
    policy : TabularPolicy
        Of all players. The observer's own does not enter its belief, but how often plays come
        to a history.
    player : Player
        Who is observed.
    observer : Player, optional
        Another player, who also knows its own cards and actions; by default an onlooker, who
        knows what is public.
    candidates : str
        `sorted` counts every infostate of S(s) once. `ordered` counts them by how many ways
        nature has to deal them: the ratio is that of the belief to the belief of an observer
        who does not look at the player's actions.

    Returns
    -------
    TrueStateRatios

    Raises
    ------
    ParameterError, PolicyMismatchError, UnknownNameError
        If they are not a tree, a policy for it, two different players, and a way to count.

    Notes
    -----
    Source: Arjonilla, Cazenave and Saffidine (2024). Differs from the paper, which does not say
    over which states it averages, or which hands it counts.

    Examples
    --------
    Who bets with a king alone gives it away, and with a pass that it has none:

    >>> from infoset.games import load_game
    >>> from infoset.policy import TabularPolicy, uniform_policy
    >>> from infoset.tree import build_tree
    >>> tree = build_tree(load_game("kuhn_poker"))
    >>> form = tree.sequence_form
    >>> weights = [values.copy() for values in uniform_policy(form).probabilities]
    >>> weights[0][1:7] = [1, 0, 1, 0, 0, 1]
    >>> honest = TabularPolicy.from_weights(form, weights)
    >>> ratios = true_state_ratios(tree, honest, 0)
    >>> round(ratios.after_action(1), 9)
    2.0
    """
    check_kind("tree", tree, GameTree, "a GameTree, such as infoset.build_tree makes")
    check_policy(policy)
    check_same_game(tree, policy.sequence_form)
    _check_players(tree, player, observer)
    check_candidates(candidates)
    unknown = {player} if observer is None else {player, observer}
    seen = tree.public_state if observer is None else tree.infostate[:, observer]
    own = tree.infostate[:, player].astype(np.int64)
    size = int(own.max()) + 1
    pairs, pair = np.unique(seen * size + own, return_inverse=True)
    at, known = np.divmod(pairs, size)
    prior = sum_by(pair, known_reach(tree, policy, unknown), len(pairs))
    plan = policy.realization_plan(player)
    belief = prior * plan[tree.infostate_trees[player].last_sequence[known]]
    ratio = _shares(belief, at) * _guesses(prior, at, candidates)
    return TrueStateRatios(tree, player, ratio[pair], known_reach(tree, policy))


def _guesses(prior: FloatArray, group: LongArray, candidates: str) -> FloatArray:
    """Return [n] one by the probability of each candidate for who guesses; NaN if it has none."""
    if candidates == "sorted":
        return np.bincount(group)[group].astype(np.float64)
    return _ratios(np.ones(len(prior)), _shares(prior, group))


def _shares(weight: FloatArray, group: LongArray) -> FloatArray:
    """Return [n] weights divided by the sum of their group; NaN where that is zero."""
    return _ratios(weight, sum_by(group, weight, int(group.max()) + 1)[group])


def _ratios(above: FloatArray, below: FloatArray) -> FloatArray:
    """Return [n] quotients; NaN where the divisor is not positive."""
    found = np.full(len(above), np.nan)
    np.divide(above, below, out=found, where=below > 0)
    return found


def mean_true_state_ratio(
    reach: FloatArray, prior: FloatArray, *, candidates: str = "sorted"
) -> float:
    """Return the true state sampling ratio, averaged over play, of arrays.

    For games that are not built: of K hands, one is dealt by `prior`, and what is then seen of
    the player is one of some outcomes, such as its first bid.

        mean = Σ_o Σ_k prior[k] reach[o, k] · η(k | o) |S|,    η(k | o) ∝ prior[k] reach[o, k]

    Parameters
    ----------
    reach : FloatArray
        [..., K] probability of each outcome for each hand. Outcomes that are left out, such as
        the end of the game, do not count.
    prior : FloatArray
        [K] probability of each hand; those of probability 0 are no candidates.
    candidates : str
        `sorted` or `ordered`, as in `true_state_ratios`.

    Raises
    ------
    ParameterError
        If the arrays do not fit, are no probabilities, or no outcome has any.
    UnknownNameError
        If there is no such way to count candidates.

    Examples
    --------
    >>> import numpy as np
    >>> honest = np.eye(3)
    >>> mean_true_state_ratio(honest, np.array([1, 1, 1]) / 3)
    3.0
    """
    check_candidates(candidates)
    prior = np.asarray(prior, np.float64)
    reach = np.asarray(reach, np.float64)
    _check_arrays(reach, prior)
    dealt = prior > 0
    joint = (reach * prior)[..., dealt].reshape(-1, int(dealt.sum()))
    joint = joint[joint.sum(axis=1) > 0]
    guess = prior[dealt] if candidates == "ordered" else np.full(joint.shape[1], 1 / joint.shape[1])
    belief = joint / joint.sum(axis=1, keepdims=True)
    return float((joint * belief / guess).sum() / joint.sum())


def _check_players(tree: GameTree, player: Player, observer: Player | None) -> None:
    for number in (player,) if observer is None else (player, observer):
        check_player(number, tree.num_players, str(tree))
    if player == observer:
        raise ParameterError(
            f"player {player} observes itself, and knows what it knows; give another observer, or "
            "None for an onlooker"
        )


def check_candidates(candidates: str) -> None:
    """Raise unless there is such a way to count candidates."""
    if candidates not in CANDIDATES:
        raise UnknownNameError.of("way to count candidates", str(candidates), CANDIDATES)


def _check_arrays(reach: FloatArray, prior: FloatArray) -> None:
    if prior.ndim != 1 or reach.shape[-1:] != prior.shape:
        raise ParameterError(
            f"reach has shape {reach.shape} and prior {prior.shape}; with K hands they have "
            "[..., K] and [K]"
        )
    if not (prior >= 0).all() or not abs(prior.sum() - 1) <= SUM_TOLERANCE:
        raise ParameterError(f"prior sums to {prior.sum()}; it is the probability of each hand")
    if not ((reach >= 0) & (reach <= 1 + SUM_TOLERANCE)).all() or not (reach * prior).any():
        raise ParameterError(
            "reach has numbers that are no probabilities, or is zero for every hand; it is the "
            "probability of each outcome for each hand"
        )
