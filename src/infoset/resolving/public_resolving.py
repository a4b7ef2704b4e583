"""Re-solving of subgames of public forms, with a gadget that bounds what the opponent gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import PublicLeafFunction, PublicValues
from infoset.forms import (
    HandPrior,
    PublicForm,
    PublicLeaves,
    PublicTrunk,
    cut_public_form,
    form_below,
    sequences_of_nodes,
    unblocked_reach,
)
from infoset.policy import TabularPolicy
from infoset.regret import RegretScheme
from infoset.resolving.gadgets import GADGETS
from infoset.resolving.public_subgames import PublicSubgame, public_subgame
from infoset.runs import Budget, SolveResult
from infoset.solvers.depth_limited_public_game import CutPublicGame
from infoset.solvers.methods import MethodSpec
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player

__all__ = ["PublicResolution", "public_gadget_game", "resolve_public_subgame"]

FOLLOW, TERMINATE = "follow", "terminate"
SUPPORTED = ("resolving", "none")
"""Gadgets that are public forms: in the others, the opponent chooses its own hand."""


@dataclass(frozen=True, eq=False)
class PublicResolution:
    """The answer of `resolve_public_subgame`.

    Attributes
    ----------
    policy : TabularPolicy[PublicForm]
        The blueprint, with the searching player's new probabilities in the subgame, up to the
        leaves if there are any.
    subgame : PublicSubgame
    opponent_values : FloatArray
        [hands] the expected utility that the opponent could take at the root instead.
    result : SolveResult
        The solution of the gadget game.
    """

    policy: TabularPolicy[PublicForm]
    subgame: PublicSubgame
    opponent_values: FloatArray
    result: SolveResult


def resolve_public_subgame(
    blueprint: TabularPolicy[PublicForm],
    node: int,
    player: Player,
    *,
    method: str | RegretScheme | MethodSpec = "cfr+",
    budget: Budget | None = None,
    gadget: str = "resolving",
    opponent_values: FloatArray | None = None,
    depth: int | None = None,
    leaf_values: PublicLeafFunction | None = None,
) -> PublicResolution:
    """Solve what follows a public node again for one player, and return its new policy.

    The searching player's range is that of the blueprint. With the gadget `resolving`, the opponent
    may take the value of a best response to the blueprint at its hand, or play on. If the gadget
    game is solved exactly and to the end, the best response to the new policy then earns at most as
    much as that to the blueprint. With `none`, the opponent has the range of the blueprint, and a
    better response to the new policy may exist.

    Parameters
    ----------
    blueprint : TabularPolicy[PublicForm]
        Of both players.
    node : int
        The root of the subgame.
    player : Player
        The searching player.
    method, budget : optional
        As in `LockedPublicGame.solve`; by default 1000 iterations of `cfr+`.
    gadget : str
        "resolving" or "none", see `infoset.resolving.GADGETS`.
    opponent_values : FloatArray, optional
        [hands] what the opponent may take instead, given its hand and the node, by default
        `PublicValues.response_values`.
    depth : int, optional
        Number of actions from the node after which the subgame is cut.
    leaf_values : PublicLeafFunction, optional
        For `depth`: a function of a node of the whole form and of each player's own reach of it, as
        in `cut_public_game`. The opponent's reach is that in the gadget game.

    Raises
    ------
    UnknownNameError
        If the gadget does not exist.
    UnsupportedGameError
        If the gadget is not a public form, or the game is not constant-sum.
    ParameterError
        If the player's blueprint never reaches the node, values have the wrong shape, or only one
        of `depth` and `leaf_values` is given.

    Notes
    -----
    Source: Burch, Johanson and Bowling (2014), "Solving imperfect information games using
    decomposition". Hands that the player never has at the node keep a uniform policy there.

    Examples
    --------
    >>> from infoset.evaluation import evaluate_policy
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> blueprint = uniform_policy(form)
    >>> found = resolve_public_subgame(blueprint, form.children[0, "raise"], 0)
    >>> [
    ...     round(evaluate_policy(policy).exploitability, 2)
    ...     for policy in (blueprint, found.policy)
    ... ]
    [2.37, 1.99]
    """
    values = PublicValues(blueprint)
    form = values.public_form
    check_player(player, 2, form.name)
    _check_gadget(gadget)
    other = 1 - player
    ranges = [values.own_reach(node, 0), values.own_reach(node, 1)]
    if gadget == "resolving":
        ranges[other] = np.ones(form.num_hands[other])
    subgame = public_subgame(form, node, (ranges[0], ranges[1]))
    worth = values.response_values(node, other) if opponent_values is None else opponent_values
    worth = np.nan_to_num(np.asarray(worth, np.float64), nan=0.0)
    game = public_gadget_game(
        subgame, player, worth if gadget == "resolving" else None, depth, leaf_values
    )
    result = game.solve(method, Budget(iterations=1000) if budget is None else budget)
    probabilities = [own.copy() for own in blueprint.probabilities]
    searched = subgame.nodes[game.trunk.nodes[game.trunk.nodes >= 0]]
    places = sequences_of_nodes(form, player, searched)
    probabilities[player][places] = result.policy.probabilities[player][1:]
    policy = TabularPolicy(form, (probabilities[0], probabilities[1]))
    return PublicResolution(policy, subgame, worth, result)


def public_gadget_game(
    subgame: PublicSubgame,
    player: Player,
    opponent_values: FloatArray | None,
    depth: int | None = None,
    leaf_values: PublicLeafFunction | None = None,
) -> CutPublicGame:
    """Return a subgame with a first decision of the opponent: to play on, or to take a value.

    The end that it takes is a leaf, whose values are those given for the opponent's hands, and for
    the player's hands the constant sum less their mean over the opponent's range at that end.

    Parameters
    ----------
    subgame : PublicSubgame
        With the opponent's range 1 for hands that it may choose freely.
    player : Player
        The searching player.
    opponent_values : FloatArray or None
        [hands] the values that the opponent may take; None for the subgame without a gadget.
    depth, leaf_values : optional
        As in `resolve_public_subgame`.

    Raises
    ------
    UnsupportedGameError
        If the game is not constant-sum.
    ParameterError
        If `opponent_values` has the wrong shape or an entry that is not finite, or only one of
        `depth` and `leaf_values` is given.
    """
    if (depth is None) != (leaf_values is None):
        raise ParameterError("depth and leaf_values belong together: give both or neither")
    form, other = subgame.form, 1 - player
    trunk = _whole_trunk(subgame) if depth is None else cut_public_form(form, depth=depth)
    function = _GadgetValues(subgame, player, opponent_values, leaf_values)
    if opponent_values is None:
        return CutPublicGame(trunk, function)
    if form.constant_sum is None:
        raise UnsupportedGameError(
            f"a gadget needs a constant-sum game, which {form.name} is not: give gadget='none'"
        )
    if opponent_values.shape != (form.num_hands[other],) or not np.isfinite(opponent_values).all():
        raise ParameterError(
            f"opponent_values has shape {opponent_values.shape}; give a finite number for each of "
            f"the {form.num_hands[other]} hands of player {other}"
        )
    return CutPublicGame(_with_first_choice(trunk, other), function)


def _with_first_choice(trunk: PublicTrunk, other: Player) -> PublicTrunk:
    """Return a trunk with a first decision of a player: to play on, or to end at a leaf, -1."""
    form, leaves = trunk.whole, trunk.leaves
    return PublicTrunk(
        whole=form,
        form=form_below(
            trunk.form,
            0,
            form.prior,
            name=f"gadget({form.name}, player={1 - other})",
            moves=[(other, (FOLLOW, TERMINATE))],
            chance_reach=1.0,
        ),
        nodes=np.append(-1, trunk.nodes),
        leaves=PublicLeaves(
            label=(TERMINATE, *leaves.label),
            node=np.append(-1, leaves.node).astype(np.int32),
            parent=np.append(0, leaves.parent + 1).astype(np.int32),
            action=np.append(1, leaves.action).astype(np.int32),
            hand_set=np.append(form.hand_set[0], leaves.hand_set).astype(np.int32),
            chance_reach=np.append(1.0, leaves.chance_reach),
        ),
    )


class _GadgetValues:
    """The leaf function of a gadget game; node -1 is the end that the opponent may take."""

    def __init__(
        self,
        subgame: PublicSubgame,
        player: Player,
        opponent_values: FloatArray | None,
        leaf_values: PublicLeafFunction | None,
    ) -> None:
        self._subgame, self._player = subgame, player
        self._taken, self._leaf_values = opponent_values, leaf_values

    def __call__(
        self, node: int, ranges: tuple[FloatArray, FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """Return the values of both players at a leaf of the gadget game."""
        if node >= 0:
            assert self._leaf_values is not None
            root = self._subgame.ranges
            whole = ranges[0] * root[0], ranges[1] * root[1]
            return self._leaf_values(int(self._subgame.nodes[node]), whole)
        assert self._taken is not None
        form, other = self._subgame.form, 1 - self._player
        mean = _mean_values(form.prior, self._player, ranges[other], self._taken)
        found = [self._taken, self._taken]
        found[self._player] = float(form.constant_sum or 0.0) - mean
        return found[0], found[1]


def _mean_values(
    prior: HandPrior, player: Player, reach: FloatArray, values: FloatArray
) -> FloatArray:
    """Return [hands] the mean of values of the opponent's hands that each hand may meet."""
    lowest = float(values.min())
    met = unblocked_reach(prior, player, reach)
    total = unblocked_reach(prior, player, reach * (values - lowest))
    return lowest + np.divide(total, met, np.zeros(len(met)), where=met > 0)


def _whole_trunk(subgame: PublicSubgame) -> PublicTrunk:
    """Return a subgame as a trunk without leaves."""
    form = subgame.form
    none = np.zeros(0, np.int32)
    leaves = PublicLeaves((), none, none.copy(), none.copy(), none.copy(), np.zeros(0))
    return PublicTrunk(form, form, np.arange(form.num_nodes), leaves)


def _check_gadget(gadget: str) -> None:
    if gadget not in GADGETS:
        raise UnknownNameError.of("gadget", gadget, GADGETS)
    if gadget not in SUPPORTED:
        raise UnsupportedGameError(
            f"the gadget {gadget!r} is not a public form, because the opponent chooses its hand: "
            f"give one of {', '.join(SUPPORTED)}, or re-solve on the tree, see "
            "infoset.resolving.ContinualResolving"
        )
