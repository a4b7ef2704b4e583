"""Re-solving of subgames of public forms, with a gadget that bounds the opponent's gain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import PublicValues
from infoset.forms import (
    LeafFunction,
    PublicForm,
    leaf_values_at,
)
from infoset.policy import TabularPolicy
from infoset.regret import RegretScheme
from infoset.resolving.gadgets import GADGETS
from infoset.resolving.opponent_values import gifts_of_hands
from infoset.resolving.public_part import PublicPart, dealt_weight, nodes_after
from infoset.resolving.public_subgames import PublicSubgame, public_subgame
from infoset.runs import Budget, SolveResult
from infoset.solvers.methods import MethodSpec, get_method, run_method
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_choice, check_player


@dataclass(frozen=True, eq=False)
class PublicResolution:
    """The result of `resolve_public_subgame`."""

    policy: TabularPolicy[PublicForm]
    """The blueprint, with the searching player's new probabilities in the subgame, up to the leaves
    if there are any."""
    subgame: PublicSubgame
    opponent_values: FloatArray
    """[hands] the expected utility that the opponent could take at the root instead."""
    result: SolveResult
    """The solution of the gadget game."""
    gain: float | None
    """The most that a best response to the new policy gains over `opponent_values` at some hand of
    the opponent: above 0 if the budget was too small, or without a gadget, and then the blueprint
    may be better. None at the root of the game, where there is nothing to gain over, and where leaf
    values replace the rest of the game."""


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
    """Re-solve the subgame at a public node for one player, and return its new policy.

    The searching player's range is that of the blueprint. With the gadget `resolving`, the opponent
    may take the value of a best response to the blueprint at its hand, or play on. If the gadget
    game is solved exactly and to the end, the best response to the new policy then earns at most as
    much as that to the blueprint. With `max-margin`, the opponent chooses the hand at which it
    gains most over that value, and the same holds. `reach-max-margin` adds the value that the
    opponent has given up on the way, against the blueprint. With `none`, the opponent has the range
    of the blueprint, and a best response to the new policy may earn more than before. No gadget is
    used at the root of the game, where the opponent has not acted yet.

    Parameters
    ----------
    blueprint
        The policy of both players.
    node
        The root of the subgame.
    player
        The searching player.
    method, budget : optional
        As in `infoset.solve`; by default 1000 iterations of `cfr+`.
    gadget
        A name from `infoset.resolving.GADGETS`.
    opponent_values
        [hands] the expected utility that the opponent may take instead, given its hand and the
        node; by default `PublicValues.response_values`.
    depth
        Number of actions after the node at which the subgame is cut.
    leaf_values
        For `depth`: a function of a node of the full form and of each player's own reach there, as
        in `infoset.forms.cut`. The opponent's reach is that in the gadget game.

    Raises
    ------
    UnsupportedGameError
        If the game is not constant-sum.
    ParameterError
        If the player's blueprint never reaches the node, values have the wrong shape, or only one
        of `depth` and `leaf_values` is given.

    Notes
    -----
    Source: Burch, Johanson and Bowling (2014), "Solving imperfect information games using
    decomposition". The policy is uniform for hands that the player never has at the node.

    Examples
    --------
    >>> from infoset.evaluation import evaluate_policy
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> blueprint = uniform_policy(form)
    >>> found = resolve_public_subgame(blueprint, form.children[0, "raise"], 0)
    >>> found.gain < 0.01
    True
    >>> [
    ...     round(evaluate_policy(policy).exploitability, 2)
    ...     for policy in (blueprint, found.policy)
    ... ]
    [2.37, 1.99]
    """
    values = PublicValues(blueprint)
    form, other = values.public_form, 1 - player
    check_player(player, 2, form.name)
    check_choice("gadget", gadget, GADGETS)
    own, theirs = (values.own_reach(node, p) for p in (player, other))
    if gadget != "none":
        theirs = np.ones(form.num_hands[other])
    subgame = public_subgame(form, node, (own, theirs) if player == 0 else (theirs, own))
    worth = values.response_values(node, other) if opponent_values is None else opponent_values
    worth = np.nan_to_num(np.asarray(worth, np.float64), nan=0.0)
    # Payoffs of the gadget game are conditional on the node, as far as the ranges determine it.
    met = dealt_weight(form, node, player, own, theirs)
    total = met / dealt_weight(form, node, player, np.ones_like(own), np.ones_like(theirs))
    total = total if total > 0 else 1.0
    part = _part(form, node, player, total, depth, leaf_values)
    gifts = gifts_of_hands(values, player, node) if GADGETS[gadget].uses_gifts else None
    taken = theirs if gadget == "none" else worth
    game = part.gadget_form(player, own / total, taken, gadget, gifts, is_zero_sum=True)
    spent = Budget(iterations=1000) if budget is None else budget
    result = run_method(get_method(method), game, spent)
    probabilities = [before.copy() for before in blueprint.probabilities]
    places = part.sequences[player][1:]
    # The first sequences are the empty one and those of forced moves.
    found = result.policy.probabilities[player]
    probabilities[player][places] = found[len(found) - len(places) :]
    policy = TabularPolicy(form, (probabilities[0], probabilities[1]))
    gain = None
    if depth is None and node:
        earned = PublicValues(policy).response_values(node, other)
        gain = float(np.nanmax(earned - worth))
    return PublicResolution(policy, subgame, worth, result, gain)


def _part(
    form: PublicForm,
    node: int,
    player: Player,
    total: float,
    depth: int | None,
    leaf_values: LeafFunction | None,
) -> PublicPart:
    """Return the part to solve, if the searching player's range is divided by a total."""
    if (depth is None) != (leaf_values is None):
        raise ParameterError("depth and leaf_values are used together: give both or neither")
    if depth is None or leaf_values is None:
        return PublicPart(form, node)

    def valued(leaf: int, ranges: tuple[FloatArray, FloatArray]) -> tuple[FloatArray, FloatArray]:
        whole = [ranges[0], ranges[1]]
        whole[player] = whole[player] * total
        return leaf_values_at(leaf_values, form, leaf, (whole[0], whole[1]))

    return PublicPart(form, node, nodes_after(form, node, depth), valued)
