"""AIVAT on a tree: utilities of ends with the luck taken out, of the same expectation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.tree_plays import check_same_game, known_reach, step_probability, sum_by
from infoset.policy import TabularPolicy, check_policy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_player, check_type

__all__ = ["aivat_utilities", "history_values"]


def history_values(tree: GameTree, policy: TabularPolicy) -> FloatArray:
    """Return [H, N] what every player expects at each history, if all follow a policy from there.

    What was paid before is in it, so that it is the utility at terminal histories.

    Parameters
    ----------
    tree : GameTree
    policy : TabularPolicy
        For the same game.

    Raises
    ------
    ParameterError, PolicyMismatchError
        If they are not a tree and a policy for it.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> history_values(kuhn, uniform_policy(kuhn.sequence_form))[0].round(9).tolist()
    [0.125, -0.125]
    """
    _check(tree, policy)
    probability = step_probability(tree, policy)
    values = np.zeros((tree.num_histories, tree.num_players))
    values[tree.terminals] = tree.rewards_so_far[tree.terminals]
    for start, stop in reversed([*_levels(tree)][1:]):
        here = slice(start, stop)
        np.add.at(values, tree.parent[here], probability[here, None] * values[here])
    return values


def aivat_utilities(
    tree: GameTree,
    policy: TabularPolicy,
    values: FloatArray,
    *,
    unknown: Iterable[Player] = (),
) -> FloatArray:
    """Return [H, N] an estimate of every player's expected utility by the end of a play.

    Where plays are drawn with `policy` for all players who are not `unknown`, and anything at
    all for these, the mean of the estimates is that of the utilities, with any `values`; the
    better these are, the less estimates differ from play to play.

    Players who do not know what is not public, such as each other's cards, come to the same end
    in many histories. Let s be what is known at a history without the known policies: its public
    state, and what the unknown players know. With the reach P(h) of nature and the known players,
    V(s) = Σ P(h) v(h) / P(s) and U(s) = Σ P(z) u(z) / P(s) over the histories of s, a play
    through s₀, s₁, … s_n is worth

        U(s_n) + Σ_t E[V(s_t) | s_{t-1}, actions of the unknown] − V(s_t)

    Parameters
    ----------
    tree : GameTree
    policy : TabularPolicy
        Of the players who are not unknown; that of the others is not looked at.
    values : FloatArray
        [H, N] about what each player will have at the end; `history_values` of a guess at the
        policies is one.
    unknown : Iterable[Player]
        Whose actions are not drawn by the policy.

    Returns
    -------
    FloatArray
        [H, N], 0 at histories that are not terminal.

    Raises
    ------
    ParameterError, PolicyMismatchError
        If they are not a tree, a policy for it, an array of its shape, and some of its players.

    Notes
    -----
    Source: Burch, Schmid, Moravčík, Morrill and Bowling, "AIVAT: a new variance reduction
    technique for agent evaluation in imperfect information games", AAAI 2018.

    Examples
    --------
    With the values of the policies themselves, and nobody unknown, nothing is left to chance:

    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> uniform = uniform_policy(kuhn.sequence_form)
    >>> estimates = aivat_utilities(kuhn, uniform, history_values(kuhn, uniform))
    >>> np.unique(estimates[kuhn.terminals, 0].round(9)).tolist()
    [0.125]
    """
    _check(tree, policy)
    hidden = sorted(set(unknown))
    for player in hidden:
        check_player(player, tree.num_players, str(tree))
    check_values(tree, values)
    reach = known_reach(tree, policy, hidden)
    is_end = np.diff(tree.first_child) == 0
    part = _parts(tree, is_end, hidden)
    mean = _means(part, reach, np.where(is_end[:, None], tree.rewards_so_far, values))
    total = sum_by(part, reach, len(mean))
    first = np.unique(part, return_index=True)[1]  # a history of each part
    parent = np.where(first > 0, part[tree.parent[first]], -1)
    group = _numbered(parent, *(tree.sequence[first, player] for player in hidden))
    surprise = _means(group, total, mean)[group] - mean
    luck = np.zeros_like(mean)
    level = np.searchsorted(tree.level_offsets, first, side="right")
    for depth in range(2, len(tree.level_offsets)):
        here = np.flatnonzero(level == depth)
        luck[here] = luck[parent[here]] + surprise[here]
    estimate: FloatArray = np.where(is_end[:, None], (mean + luck)[part], 0.0)
    return estimate


def check_values(tree: GameTree, values: object) -> None:
    """Raise unless values are an array with a finite number for each history and player."""
    check_type("values", values, np.ndarray, "an array [H, N], such as history_values makes")
    assert isinstance(values, np.ndarray)
    shape = (tree.num_histories, tree.num_players)
    if values.shape != shape or not np.isfinite(values).all():
        raise ParameterError(
            f"values have shape {values.shape}, or are not finite; {tree} has {shape[0]:,} "
            f"histories and {shape[1]} players: history_values(tree, policy) makes such an array"
        )


def _check(tree: object, policy: object) -> None:
    check_type("tree", tree, GameTree, "a GameTree, such as infoset.build_tree makes")
    check_policy(policy)
    assert isinstance(tree, GameTree)
    assert isinstance(policy, TabularPolicy)
    check_same_game(tree, policy.sequence_form)


def _parts(tree: GameTree, is_end: BoolArray, unknown: Sequence[Player]) -> LongArray:
    """Return [H] a number for all histories that differ in what the known players know alone."""
    seen = [tree.infostate[:, player] for player in unknown] or [tree.public_state]
    return _numbered(is_end, *seen)


def _numbered(*columns: IntArray | LongArray | BoolArray) -> LongArray:
    """Return [n] a number for each row of columns [n], the same for equal rows."""
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        rows = number * (int(column.max()) + 2) + column + 1
        number = np.unique(rows, return_inverse=True)[1]
    return number


def _means(position: LongArray, weight: FloatArray, values: FloatArray) -> FloatArray:
    """Return [number of positions, N] the weighted means of values [n, N]; 0 without weight."""
    size = int(position.max()) + 1
    total, sums = sum_by(position, weight, size), sum_by(position, weight[:, None] * values, size)
    return np.divide(sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0)


def _levels(tree: GameTree) -> Iterable[tuple[int, int]]:
    """Yield the bounds of the histories of each length."""
    return pairwise(tree.level_offsets.tolist())
