"""Re-solving of subgames of public forms, with a gadget that bounds what the opponent gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import PublicValues
from infoset.forms import (
    GADGET_KINDS,
    Form,
    GadgetForm,
    LeafFunction,
    PublicForm,
    add_gadget,
    check_public_form,
    class_means,
    cut,
    cut_public_form,
    entered_public_form,
    nodes_below,
    sequences_of_nodes,
    unblocked_reach,
)
from infoset.policy import TabularPolicy
from infoset.regret import RegretScheme
from infoset.resolving.public_subgames import PublicSubgame, public_subgame
from infoset.runs import Budget, SolveResult
from infoset.solvers.methods import MethodSpec, get_method, run_method
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_choice, check_player

__all__ = ["PublicResolution", "public_gadget_form", "resolve_public_subgame"]

NUM_ENTRIES = 2
"""Number of public nodes of forced moves that precede a subgame, one for each player."""


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
    leaf_values: LeafFunction | None = None,
) -> PublicResolution:
    """Solve what follows a public node again for one player, and return its new policy.

    The searching player's range is that of the blueprint. With the gadget `resolving`, the opponent
    may take the value of a best response to the blueprint at its hand, or play on. If the gadget
    game is solved exactly and to the end, the best response to the new policy then earns at most as
    much as that to the blueprint. With `max-margin`, the opponent chooses the hand at which it
    gains most over that value, and the same holds. With `none`, the opponent has the range of the
    blueprint, and a better response to the new policy may exist.

    Parameters
    ----------
    blueprint : TabularPolicy[PublicForm]
        Of both players.
    node : int
        The root of the subgame.
    player : Player
        The searching player.
    method, budget : optional
        As in `infoset.solve`; by default 1000 iterations of `cfr+`.
    gadget : str
        "resolving", "max-margin" or "none", see `infoset.resolving.GADGETS`. For
        `reach-max-margin`, give `max-margin` and values to which gifts are added.
    opponent_values : FloatArray, optional
        [hands] what the opponent may take instead, given its hand and the node, by default
        `PublicValues.response_values`.
    depth : int, optional
        Number of actions from the node after which the subgame is cut.
    leaf_values : LeafFunction, optional
        For `depth`: a function of a node of the whole form and of each player's own reach of it, as
        in `infoset.forms.cut`. The opponent's reach is that in the gadget game.

    Raises
    ------
    UnknownNameError
        If the gadget does not exist.
    UnsupportedGameError
        If the game is not constant-sum.
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
    check_choice("gadget", gadget, GADGET_KINDS)
    other = 1 - player
    ranges = [values.own_reach(node, 0), values.own_reach(node, 1)]
    if gadget != "none":
        ranges[other] = np.ones(form.num_hands[other])
    subgame = public_subgame(form, node, (ranges[0], ranges[1]))
    worth = values.response_values(node, other) if opponent_values is None else opponent_values
    worth = np.nan_to_num(np.asarray(worth, np.float64), nan=0.0)
    game = public_gadget_form(
        form,
        node,
        player,
        ranges[player],
        ranges[other] if gadget == "none" else worth,
        gadget,
        depth=depth,
        leaf_values=leaf_values,
    )
    spent = Budget(iterations=1000) if budget is None else budget
    result = run_method(get_method(method), game, spent)
    probabilities = [own.copy() for own in blueprint.probabilities]
    nodes = subgame.nodes
    if depth is not None:
        trunk = cut_public_form(entered_public_form(form, node), depth=depth + NUM_ENTRIES)
        nodes = nodes[trunk.nodes[NUM_ENTRIES:] - NUM_ENTRIES]
    places = sequences_of_nodes(form, player, nodes)
    # The first sequences are the empty one and those of the forced moves.
    found = result.policy.probabilities[player]
    probabilities[player][places] = found[len(found) - len(places) :]
    policy = TabularPolicy(form, (probabilities[0], probabilities[1]))
    return PublicResolution(policy, subgame, worth, result)


def public_gadget_form(
    form: PublicForm,
    node: int,
    player: Player,
    own_range: FloatArray,
    opponent: FloatArray,
    gadget: str = "resolving",
    *,
    depth: int | None = None,
    leaf_values: LeafFunction | None = None,
) -> GadgetForm:
    """Return what follows a public node with a gadget at its root, as a form for any method.

    Parameters
    ----------
    form : PublicForm
    node : int
    player : Player
        The searching player.
    own_range : FloatArray
        [hands] its own reach of the node.
    opponent : FloatArray
        [hands] the values that the opponent may take; for `none`, its own reach of the node.
    gadget : str
        "resolving", "max-margin" or "none".
    depth, leaf_values : optional
        As in `resolve_public_subgame`.

    Raises
    ------
    UnsupportedGameError
        If the game is not constant-sum, and there is a gadget.
    ParameterError
        If an array has the wrong shape or an entry that is not finite, the range is zero wherever
        play can lead to the node, or only one of `depth` and `leaf_values` is given.
    """
    check_public_form(form)
    check_player(player, 2, form.name)
    if (depth is None) != (leaf_values is None):
        raise ParameterError("depth and leaf_values belong together: give both or neither")
    other, entered = 1 - player, entered_public_form(form, node)
    own, theirs = (
        _by_class(entered, p, values) for p, values in ((player, own_range), (other, opponent))
    )
    total = _probability(entered, player, own_range, opponent if gadget == "none" else None)
    part: Form = entered
    if depth is not None and leaf_values is not None:
        nodes = nodes_below(form, node)

        def continued(
            leaf: int, ranges: tuple[FloatArray, FloatArray]
        ) -> tuple[FloatArray, FloatArray]:
            whole = [ranges[0], ranges[1]]
            whole[player] = whole[player] * total
            return leaf_values(int(nodes[leaf - NUM_ENTRIES]), (whole[0], whole[1]))

        part = cut(entered, continued, depth=depth + NUM_ENTRIES)
    return add_gadget(
        part,
        player,
        own / total,
        theirs,
        gadget,
        constant=form.constant_sum,
        is_zero_sum=True,
    )


def _by_class(form: PublicForm, player: Player, values: FloatArray) -> FloatArray:
    """Return [S] values by infostate at the root, given those [hands]: means over classes."""
    found = np.asarray(values, np.float64)
    if found.shape != (form.num_hands[player],) or not np.isfinite(found).all():
        raise ParameterError(
            f"an array has shape {found.shape}; give a finite number for each of the "
            f"{form.num_hands[player]} hands of player {player}"
        )
    means = class_means(form, player, np.zeros(1, np.int64), found[None])[0]
    _, first = np.unique(form.hand_classes[player][form.class_map[0]], return_index=True)
    by_class: FloatArray = means[first]
    return by_class


def _probability(
    form: PublicForm, player: Player, own_range: FloatArray, their_range: FloatArray | None
) -> float:
    """Return the probability of the root, given ranges; 1 if it is never reached."""
    theirs = np.ones(form.num_hands[1 - player]) if their_range is None else their_range
    dealt = 1.0 if form.prior.joint is not None else form.prior.weights[player]
    total = float((dealt * own_range * unblocked_reach(form.prior, player, theirs)).sum())
    return total if total > 0 else 1.0
