"""What a policy gives away: how likely an observer thinks the truth, against guessing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.tree_plays import check_same_game, known_reach, own_depths, sum_by
from infoset.evaluation.true_state_arrays import check_candidates
from infoset.policy import TabularPolicy, check_policy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, LongArray, Player
from infoset.utils.arguments import check_count, check_player, check_type

__all__ = ["TrueStateSamplingRatio", "true_state_sampling_ratio"]


@dataclass(frozen=True, eq=False)
class TrueStateSamplingRatio:
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
        check_count("number", number, minimum=1)
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


def true_state_sampling_ratio(
    tree: GameTree,
    policy: TabularPolicy,
    player: Player,
    *,
    observer: Player | None = None,
    candidates: str = "sorted",
) -> TrueStateSamplingRatio:
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
    TrueStateSamplingRatio

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
    >>> ratios = true_state_sampling_ratio(tree, honest, 0)
    >>> round(ratios.after_action(1), 9)
    2.0
    """
    check_type("tree", tree, GameTree, "a GameTree, such as infoset.build_tree makes")
    check_policy(policy)
    check_same_game(tree, policy.sequence_form)
    _check_players(tree, player, observer)
    check_candidates(candidates)
    unknown = {player} if observer is None else {player, observer}
    seen = (tree.public_state if observer is None else tree.infostate[:, observer]).astype(np.int64)
    own = tree.infostate[:, player].astype(np.int64)
    size = int(own.max()) + 1
    pairs, pair = np.unique(seen * size + own, return_inverse=True)
    at, known = np.divmod(pairs, size)
    prior = sum_by(pair, known_reach(tree, policy, unknown), len(pairs))
    plan = policy.realization_plan(player)
    belief = prior * plan[tree.infostate_trees[player].last_sequence[known]]
    ratio = _shares(belief, at) * _guesses(prior, at, candidates)
    return TrueStateSamplingRatio(tree, player, ratio[pair], known_reach(tree, policy))


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


def _check_players(tree: GameTree, player: Player, observer: Player | None) -> None:
    for number in (player,) if observer is None else (player, observer):
        check_player(number, tree.num_players, str(tree))
    if player == observer:
        raise ParameterError(
            f"player {player} observes itself, and knows what it knows; give another observer, or "
            "None for an onlooker"
        )
