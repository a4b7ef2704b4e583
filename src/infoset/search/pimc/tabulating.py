"""The policy of PIMC at all infostates of a game at once, in the limit of all worlds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnsupportedGameError
from infoset.policy import TabularPolicy, tabulate
from infoset.search.models import GraphModel
from infoset.search.pimc._max_n_kernels import TIE_TOLERANCE
from infoset.search.pimc.graph_values import node_values
from infoset.search.pimc.pimc import PIMC
from infoset.search.pimc.values import MAX_N
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type

__all__ = ["pimc_policy"]


def pimc_policy(
    source: GameTree | GraphModel,
    belief: PublicPrivateBelief | float = 0.0,
    *,
    opponents: str = MAX_N,
) -> TabularPolicy:
    """Return what `PIMC` plays at every infostate of a game, each world weighed exactly.

    Parameters
    ----------
    source : GameTree or GraphModel
        Of a model, the one of a tree; it keeps the values of the worlds for the next call.
    belief : PublicPrivateBelief or float
    opponents : str
        As in `PIMC`.

    Raises
    ------
    ParameterError
        If it is neither.
    UnsupportedGameError
        If the model has no tree, or players choose at once.

    Examples
    --------
    >>> from infoset.evaluation import best_response
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> policy = pimc_policy(build_tree(load_game("liars_dice(dice_sides=3)")))
    >>> round(best_response(policy, 1).value, 4), round(best_response(policy, 0).value, 4)
    (-0.0741, 0.2593)
    """
    give = 'a tree, such as build_tree(load_game("leduc_poker"))'
    check_type("source", source, (GameTree, GraphModel), give)
    model = source if isinstance(source, GraphModel) else GraphModel(source)
    if model.tree is None:
        raise UnsupportedGameError(
            f"the model of {model.game} has no tree, whose infostates could be listed; make it "
            "with GraphModel(build_tree(game)), or search where an answer is needed"
        )
    held = belief if isinstance(belief, PublicPrivateBelief) else PublicPrivateBelief(belief)
    if held.policies is not None:
        player = PIMC(model, belief=held, num_worlds=None, opponents=opponents)
        return tabulate(model.tree.sequence_form, [player] * model.num_players)
    values = node_values(model, opponents)
    weights = [_best(model.tree, values, player, held) for player in range(model.num_players)]
    return TabularPolicy.from_weights(model.tree.sequence_form, weights)


class Moves(NamedTuple):
    """The transitions of a tree on which a player acts.

    Attributes
    ----------
    sequence : IntArray
        [M] the sequence that the action ends.
    key : LongArray
        [M] different for different actions, and at different public states.
    public_state : IntArray
        [M] the one in which the action is taken.
    reach : FloatArray
        [M] chance reach of the history after it.
    value : FloatArray
        [M] what the player gets if all see everything from there on.
    """

    sequence: IntArray
    key: LongArray
    public_state: IntArray
    reach: FloatArray
    value: FloatArray

    @classmethod
    def of_player(cls, tree: GameTree, values: FloatArray, player: Player) -> Moves:
        """Return the moves of a player, values [W, N] being those of world states."""
        after = 1 + np.flatnonzero(tree.graph.joint_action[tree.edge[1:], player] >= 0)
        before, edge = tree.parent[after], tree.edge[after]
        labels, num_labels = _action_labels(tree, player)
        public_state = tree.public_state[before]
        return cls(
            tree.infostate_trees[player].last_sequence[tree.infostate[after, player]],
            public_state.astype(np.int64) * num_labels + labels[edge],
            public_state,
            tree.chance_reach[after],
            tree.rewards_so_far[after, player] + values[tree.world[after], player],
        )


def _action_labels(tree: GameTree, player: Player) -> tuple[LongArray, int]:
    """Return [E] a number for the action of a player on each edge, and how many there are."""
    graph = tree.graph
    known: dict[object, int] = {}
    most = max(map(len, graph.action_sets))
    numbers = np.zeros((len(graph.action_sets), most), np.int64)
    for row, actions in enumerate(graph.action_sets):
        numbers[row, : len(actions)] = [known.setdefault(a, len(known)) for a in actions]
    world = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))
    return numbers[graph.action_set[world, player], graph.joint_action[:, player]], len(known)


def _best(
    tree: GameTree, values: FloatArray, player: Player, belief: PublicPrivateBelief
) -> FloatArray:
    """Return [Q] 1 for the sequences that end in a best action, else 0."""
    moves = Moves.of_player(tree, values, player)
    public_weight = _public_weights(tree, player, belief)
    score = _mean_over_worlds(tree, player, moves, moves.value, public_weight)
    size = _mean_over_worlds(tree, player, moves, abs(moves.value), public_weight)
    first = tree.sequence_form.treeplexes[player].first_sequence
    count = np.diff([*first, len(score)])
    best = np.repeat(np.maximum.reduceat(score, first), count)
    tolerance = TIE_TOLERANCE * np.repeat(np.maximum.reduceat(size, first), count)
    is_best = np.ones(len(score))
    is_best[1:] = score[1:] >= best - tolerance
    return is_best


def _mean_over_worlds(
    tree: GameTree, player: Player, moves: Moves, value: FloatArray, public_weight: FloatArray
) -> FloatArray:
    """Return [Q] the expectation over what a player believes; public_weight [Q]."""
    num_sequences = len(public_weight)
    weighted = moves.reach * value
    own_reach = np.bincount(moves.sequence, moves.reach, num_sequences)
    own_reach[0] = 1.0
    private = np.bincount(moves.sequence, weighted, num_sequences) / own_reach
    _, first, kind = np.unique(moves.key, return_index=True, return_inverse=True)
    of_public_state = np.bincount(tree.public_state, tree.chance_reach)
    everybody = np.bincount(kind, weighted) / of_public_state[moves.public_state[first]]
    public = np.zeros(num_sequences)
    public[moves.sequence] = everybody[kind]
    mixed: FloatArray = (1.0 - public_weight) * private + public_weight * public
    return mixed


def _public_weights(tree: GameTree, player: Player, belief: PublicPrivateBelief) -> FloatArray:
    """Return [Q] the weight of the public belief where each sequence is chosen."""
    infostates = tree.infostate_trees[player]
    if isinstance(belief.public_weight, (int, float)):
        return np.full(infostates.num_sequences, float(belief.public_weight))
    at = [
        belief.public_weight_at(infostates.infostate_at(number))
        for number in infostates.acting.tolist()
    ]
    return np.repeat([0.0, *at], [1, *infostates.num_actions[infostates.acting]])
