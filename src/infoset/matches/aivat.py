"""AIVAT: unbiased estimates of utility with reduced variance, on a tree or by the rules."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError, UserFunctionError
from infoset.evaluation.tree_reach import reach_without, sum_by
from infoset.game import History
from infoset.matches._tree_match_kernels import drawn_index
from infoset.policy import Policy, TabularPolicy, checked_probabilities, transfer_policy
from infoset.tree import GameTree
from infoset.typing import BoolArray, FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_player, check_type

ValueFunction: TypeAlias = Callable[[History], Sequence[float]]
"""A function that estimates the utility of each player at a nonterminal history."""

MAX_OUTCOMES = 1000
"""Draws with more outcomes are not corrected, because their mean would take too long."""

Distributions: TypeAlias = Mapping[Player, FloatArray]


def aivat_utilities(
    tree: GameTree,
    policy: TabularPolicy,
    values: FloatArray,
    *,
    unknown: Iterable[Player] = (),
) -> FloatArray:
    """Return [H, N] the AIVAT estimate of every player's utility at each terminal history.

    If all players except the `unknown` ones draw their actions from `policy`, the estimate is
    unbiased for any `values` and any behavior of the unknown players. The closer `values` are to
    the true values, the smaller the variance.

    The estimate averages over all histories that differ only in private information of the known
    players. Let s be the public state and the infostates of the unknown players at a history. With
    the reach P(h) of chance and the known players, let V(s) = Σ P(h) v(h) / P(s) and U(s) = Σ P(z)
    u(z) / P(s) over the histories of s. The estimate of a play through s₀, s₁, …, s_n is

        U(s_n) + Σ_t E[V(s_t) | s_{t-1}, actions of the unknown players] − V(s_t)

    Parameters
    ----------
    policy
        Policy of the known players, on any form of the game; the part of the unknown players is
        ignored.
    values
        [H, N] estimates of each player's final utility, such as the `history_values` of a policy
        that resembles those of the players.
    unknown
        Players whose actions are not drawn from the policy.

    Returns
    -------
    FloatArray
        [H, N], 0 at nonterminal histories.

    Raises
    ------
    ParameterError, PolicyMismatchError
        If an argument has the wrong type or shape, belongs to another game, or a player does not
        exist.

    Notes
    -----
    Source: Burch, Schmid, Moravčík, Morrill and Bowling, "AIVAT: a new variance reduction
    technique for agent evaluation in imperfect information games", AAAI 2018.

    Examples
    --------
    With the true values and no unknown players, the variance is zero:

    >>> import numpy as np
    >>> from infoset.evaluation import history_values
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> uniform = uniform_policy(kuhn.sequence_form)
    >>> estimates = aivat_utilities(kuhn, uniform, history_values(kuhn, uniform))
    >>> np.unique(estimates[kuhn.terminals, 0].round(9)).tolist()
    [0.125]
    """
    check_type("tree", tree, GameTree, "a GameTree, such as infoset.build_tree(game)")
    policy = transfer_policy(policy, tree)
    hidden = sorted(set(unknown))
    for player in hidden:
        check_player(player, tree.num_players, str(tree))
    check_values(tree, values)
    reach = reach_without(tree, policy, hidden)
    # Imaginary observations (section 4 of the paper): average over the histories of each s,
    # weighted by reach. `mean` is U at terminal parts and V elsewhere.
    is_end = np.diff(tree.first_child) == 0
    part = _parts(tree, is_end, hidden)
    mean = _means(part, reach, np.where(is_end[:, None], tree.rewards_so_far, values))
    total = sum_by(part, reach, len(mean))
    first = np.unique(part, return_index=True)[1]  # a representative history of each part
    parent = np.where(first > 0, part[tree.parent[first]], -1)
    # A correction compares parts with the same parent and the same last actions of the unknown
    # players, because the choices of unknown players are not corrected.
    group = _numbered(parent, *(tree.sequence[first, player] for player in hidden))
    correction = _means(group, total, mean)[group] - mean
    # Sum the correction terms along each path, level by level.
    total_correction = np.zeros_like(mean)
    # Level 1 is the root, which has no correction.
    level = np.searchsorted(tree.level_offsets, first, side="right")
    for depth in range(2, len(tree.level_offsets)):
        here = np.flatnonzero(level == depth)
        total_correction[here] = total_correction[parent[here]] + correction[here]
    estimate: FloatArray = np.where(is_end[:, None], (mean + total_correction)[part], 0.0)
    return estimate


def check_values(tree: GameTree, values: object) -> None:
    """Raise an error if values are not an array of finite numbers [H, N]."""
    check_type("values", values, np.ndarray, "an array [H, N], as from history_values")
    assert isinstance(values, np.ndarray)
    shape = (tree.num_histories, tree.num_players)
    if values.shape != shape or not np.isfinite(values).all():
        raise ParameterError(
            f"values have shape {values.shape}, or are not finite; {tree} needs finite values of "
            f"shape {shape}, such as history_values(tree, policy)"
        )


def _parts(tree: GameTree, is_end: BoolArray, unknown: Sequence[Player]) -> LongArray:
    """Return [H] the part of each history: histories that only known players can tell apart."""
    seen = [tree.infostate[:, player] for player in unknown] or [tree.public_state]
    return _numbered(is_end, *seen)


def _numbered(*columns: IntArray | LongArray | BoolArray) -> LongArray:
    """Return [n] a number for each row of the columns [n]; equal rows have equal numbers."""
    # One column at a time: pairs with few different numbers before do not overflow.
    number = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        rows = number * (int(column.max()) + 2) + column + 1  # entries are at least -1
        number = np.unique(rows, return_inverse=True)[1]
    return number


def _means(position: LongArray, weight: FloatArray, values: FloatArray) -> FloatArray:
    """Return [number of positions, N] the weighted means of values [n, N]; 0 for weight 0."""
    size = int(position.max()) + 1
    total, sums = sum_by(position, weight, size), sum_by(position, weight[:, None] * values, size)
    return np.divide(sums, total[:, None], out=np.zeros_like(sums), where=total[:, None] > 0)


def play_with_correction(
    history: History,
    policies: Sequence[Policy],
    own: Sequence[np.random.Generator],
    chance: np.random.Generator,
    values: ValueFunction,
) -> tuple[History, FloatArray]:
    """Play to the end; return the terminal history and [N] the control variate of each player.

    At each step the value of the drawn outcome is compared with the mean over all outcomes:

        correction = Σ_t E[v(h_{t+1}) | h_t] − v(h_{t+1})

    The correction has mean zero for any values, so that utility plus correction is an unbiased
    estimate. The function draws the same random numbers as `play_out`.

    Notes
    -----
    Source: Burch et al. (2018). Differs from the paper: it does not average over private
    information, so that policies are queried only along the play, and it does not correct draws
    with more than 1000 outcomes.
    """
    correction = np.zeros(history.game.num_players)
    while not history.is_terminal:
        distributions = {
            player: checked_probabilities(
                policies[player], history.infostates[player], history.legal_actions(player)
            )
            for player in history.actors
        }
        chosen = {
            player: history.legal_actions(player)[drawn_index(answer, own[player].random())]
            for player, answer in distributions.items()
        }
        following = history.sample(history.joint(chosen), chance)
        # The joint distribution of the next history, over chance and all players.
        outcomes = list(islice(_outcomes(history, distributions), MAX_OUTCOMES + 1))
        if 1 < len(outcomes) <= MAX_OUTCOMES:
            correction -= _value(following, values)
            for probability, outcome in outcomes:
                correction += probability * _value(outcome, values)
        history = following
    return history, correction


def _outcomes(history: History, distributions: Distributions) -> Iterator[tuple[float, History]]:
    """Yield the histories one transition longer, with their probabilities."""
    options = [
        [
            (float(probability), player, action)
            for probability, action in zip(answer, history.legal_actions(player), strict=True)
            if probability > 0
        ]
        for player, answer in distributions.items()
    ]
    for chosen in product(*options):
        joint_action = history.joint({player: action for _, player, action in chosen})
        drawn = float(np.prod([probability for probability, _, _ in chosen]))
        for world, chance in history.outcomes(joint_action):
            yield drawn * float(chance), history.extend(joint_action, world)


def _value(history: History, values: ValueFunction) -> FloatArray:
    """Return [N] the values of a history, which are the utilities if it is terminal."""
    if history.is_terminal:
        return np.array(history.rewards_so_far, np.float64)
    try:
        answer = values(history)
    except Exception as error:
        UserFunctionError.check(error, values, "the values", f"at {history!r}")
        raise
    found = np.asarray(answer, np.float64)
    if found.shape != (history.game.num_players,) or not np.isfinite(found).all():
        raise ParameterError(
            f"values returned {found.tolist()} at {history!r}; return a finite estimate of the "
            f"final utility of each of the {history.game.num_players} players"
        )
    return found
