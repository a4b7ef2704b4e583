"""The policy of PIMC at every infostate of a game tree, with worlds weighted by probability."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import UnsupportedGameError
from infoset.policy import TabularPolicy, tabulate
from infoset.search._max_n_kernels import TIE_TOLERANCE
from infoset.search.models import GraphModel
from infoset.search.perfect_information import MAX_N, values_of_nodes
from infoset.search.pimc import PIMC
from infoset.tree import GameTree
from infoset.typing import FloatArray, IntArray, LongArray, Player
from infoset.utils.arguments import check_type


def pimc_policy(
    source: GameTree | GraphModel,
    belief: PublicPrivateBelief | float = 0.0,
    *,
    opponents: str = MAX_N,
) -> TabularPolicy:
    """Return the policy that `PIMC` plays at every infostate, in the limit of all worlds.

    Unless the belief has assumed policies, the scores of all infostates come from one pass over the
    histories of the tree.

    Parameters
    ----------
    source
        A model must have been built from a tree. It caches its perfect-information values for later
        calls.
    belief
        Distribution of worlds; a number is the public weight λ.
    opponents
        As in `PIMC`.

    Raises
    ------
    UnsupportedGameError
        If the model has no tree, or players choose simultaneously.

    Examples
    --------
    >>> from infoset.evaluation import best_response
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> policy = pimc_policy(build_tree(load_game("liars_dice(dice_sides=3)")))
    >>> (
    ...     round(best_response(policy, 1).value, 4),
    ...     round(best_response(policy, 0).value, 4),
    ... )
    (-0.0741, 0.2593)
    """
    example = 'a tree, such as build_tree(load_game("leduc_poker"))'
    check_type("source", source, (GameTree, GraphModel), example)
    model = source if isinstance(source, GraphModel) else GraphModel(source)
    if model.tree is None:
        raise UnsupportedGameError(
            f"the model of {model.game} was built from a world graph and has no tree; build it "
            f"with "
            "GraphModel(build_tree(game)), or search single infostates with PIMC"
        )
    held = belief if isinstance(belief, PublicPrivateBelief) else PublicPrivateBelief(belief)
    if held.policies is not None:
        player = PIMC(model, belief=held, num_worlds=None, opponents=opponents)
        return tabulate(model.tree.sequence_form, [player] * model.num_players)
    values = values_of_nodes(model, opponents)
    weights = [
        _best_sequences(model.tree, values, player, held) for player in range(model.num_players)
    ]
    return TabularPolicy.from_weights(model.tree.sequence_form, weights)


class OwnMoves(NamedTuple):
    """The transitions of a tree in which a player acts."""

    sequence: IntArray
    """[M] the sequence that ends with the action."""
    key: LongArray
    """[M] number of the pair of public state and action."""
    before: IntArray
    """[M] the history before the action."""
    reach: FloatArray
    """[M] chance reach of the history after it."""
    value: FloatArray
    """[M] perfect-information value to the player."""

    @classmethod
    def of_player(cls, tree: GameTree, values: FloatArray, player: Player) -> OwnMoves:
        """Return the moves of a player, given the values [W, N] of the world states."""
        after = 1 + np.flatnonzero(tree.graph.joint_action[tree.edge[1:], player] >= 0)
        before, edge = tree.parent[after], tree.edge[after]
        label, num_labels = _action_labels(tree, player, edge)
        return cls(
            tree.infostate_trees[player].last_sequence[tree.infostate[after, player]],
            tree.public_state[before].astype(np.int64) * num_labels + label,
            before,
            tree.chance_reach[after],
            tree.rewards_so_far[after, player] + values[tree.world[after], player],
        )


def _action_labels(tree: GameTree, player: Player, edge: IntArray) -> tuple[LongArray, int]:
    """Return [M] the number of the player's action on each edge, and how many actions there are."""
    graph = tree.graph
    known: dict[object, int] = {}
    max_actions = max(map(len, graph.action_sets), default=0)
    numbers = np.zeros((len(graph.action_sets), max_actions), np.int64)
    for row, actions in enumerate(graph.action_sets):
        numbers[row, : len(actions)] = [known.setdefault(a, len(known)) for a in actions]
    world = np.repeat(np.arange(graph.num_worlds), np.diff(graph.first_edge))[edge]
    return numbers[graph.action_set[world, player], graph.joint_action[edge, player]], len(known)


def _best_sequences(
    tree: GameTree, values: FloatArray, player: Player, belief: PublicPrivateBelief
) -> FloatArray:
    """Return [Q] 1 for the sequences that end with a best action, else 0."""
    moves = OwnMoves.of_player(tree, values, player)
    weight = _public_weights(tree, player, belief)
    score = _expectation(tree, moves, moves.value, weight)
    scale = _expectation(tree, moves, abs(moves.value), weight)
    first = tree.sequence_form.treeplexes[player].first_sequence
    count = np.diff([*first, len(score)])
    best = np.repeat(np.maximum.reduceat(score, first), count)
    tolerance = TIE_TOLERANCE * np.repeat(np.maximum.reduceat(scale, first), count)
    is_best = np.ones(len(score))
    is_best[1:] = score[1:] >= best - tolerance
    return is_best


def _expectation(
    tree: GameTree, moves: OwnMoves, value: FloatArray, public_weight: FloatArray
) -> FloatArray:
    """Return [Q] the expectation of values [M] under B_λ, for the λ [Q] of each sequence.

    The expectation is over the histories in which the action is legal.
    """
    num_sequences = len(public_weight)
    weighted = moves.reach * value
    # B_priv: normalize over the histories of the infostate.
    own_reach = np.bincount(moves.sequence, moves.reach, num_sequences)
    own_reach[0] = 1.0
    private = np.bincount(moves.sequence, weighted, num_sequences) / own_reach
    # B_pub: normalize over the histories of the public state; only those where the action is legal
    # contribute.
    _, first, kind = np.unique(moves.key, return_index=True, return_inverse=True)
    here = tree.public_state[moves.before[first]]
    public_reach = np.bincount(tree.public_state, tree.chance_reach)[here]
    public = np.zeros(num_sequences)
    public[moves.sequence] = (np.bincount(kind, weighted) / public_reach)[kind]
    # The part of B_pub in which the action is legal; 1 without rounding if it is legal everywhere.
    # An action with random outcomes has several moves from one history, which count once.
    num_histories = len(tree.public_state)
    pairs = np.unique(kind.astype(np.int64) * num_histories + moves.before)
    num_legal = np.bincount(pairs // num_histories, minlength=len(first))
    is_always_legal = num_legal == np.bincount(tree.public_state)[here]
    legal = np.ones(num_sequences)
    legal[moves.sequence] = np.where(
        is_always_legal, 1.0, np.bincount(kind, moves.reach) / public_reach
    )[kind]
    mixed: FloatArray = (1.0 - public_weight) * private + public_weight * public
    # The mean over the histories where the action is legal.
    part = np.where(legal == 1.0, 1.0, (1.0 - public_weight) + public_weight * legal)
    return mixed / part


def _public_weights(tree: GameTree, player: Player, belief: PublicPrivateBelief) -> FloatArray:
    """Return [Q] the public weight at the infostate of each sequence's last action."""
    infostates = tree.infostate_trees[player]
    if isinstance(belief.public_weight, (int, float)):
        return np.full(infostates.num_sequences, float(belief.public_weight))
    at = [
        belief.public_weight_at(infostates.infostate_at(number))
        for number in infostates.acting.tolist()
    ]
    return np.repeat([0.0, *at], [1, *infostates.num_actions[infostates.acting]])
