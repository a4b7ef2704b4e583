"""Ranges of a public form: the reach of each hand, at a node or at the start."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from infoset.errors import ParameterError
from infoset.forms.hand_classes import check_symmetric_range
from infoset.forms.public_form import PublicForm, check_public_form
from infoset.forms.public_operators import HandPrior
from infoset.forms.public_reach import unblocked_reach
from infoset.forms.sequence_form import UNIT
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_type


def with_ranges(form: PublicForm, ranges: tuple[FloatArray, FloatArray]) -> PublicForm:
    """Return a public form whose hands are dealt with other probabilities.

    A pair of hands has the probability prior(h0, h1) · ranges[0][h0] · ranges[1][h1], divided by
    the sum over all pairs. Blocking stays as it is, and so does everything after the deal. Where
    all hands have the same weight, as in poker, the ranges are the weights of the hands.

    Parameters
    ----------
    ranges
        Per player, [hands] nonnegative. Hands of range 0 are never dealt: a solver learns nothing
        about them, and their policy stays uniform.

    Raises
    ------
    ParameterError
        If a range has the wrong shape or a negative entry, or no pair of hands is left; or if the
        form merges hands of different ranges.

    Examples
    --------
    Kuhn poker against an opponent who never has a queen; player 0 then earns more:

    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree, derive_public_form
    >>> form = derive_public_form(build_tree(load_game("kuhn_poker")))
    >>> form.hands[1]
    ('J', 'Q', 'K')
    >>> polar = with_ranges(form, (np.ones(3), np.array([1.0, 0.0, 1.0])))
    >>> polar.prior.matrix().round(3).tolist()
    [[0.0, 0.0, 0.25], [0.25, 0.0, 0.25], [0.25, 0.0, 0.0]]
    """
    check_public_form(form)
    # Four roundings: two products, the sum and the division.
    rounding = 4 * UNIT * max(map(abs, form.payoff_range))
    return replace(
        form,
        name=f"ranges({form.name})",
        prior=prior_with_ranges(form, checked_ranges(form, 0, ranges)),
        payoff_rounding=form.payoff_rounding + rounding,
        tree_infostates=None,
    )


def prior_with_ranges(form: PublicForm, reach: tuple[FloatArray, FloatArray]) -> HandPrior:
    """Return the prior times the reach of each hand, divided by its sum.

    Raises
    ------
    ParameterError
        If no pair of hands is left.
    """
    prior = form.prior
    dealt = 1.0 if prior.joint is not None else prior.weights[0]
    total = float((dealt * reach[0] * unblocked_reach(prior, 0, reach[1])).sum())
    if not total > 0:
        raise ParameterError(
            f"the ranges leave no pair of hands of {form.name} that can meet; give positive "
            "entries for hands of both players that share no card"
        )
    if prior.joint is not None:
        return replace(prior, joint=prior.joint * np.multiply.outer(*reach) / total)
    first, second = (own * reach[p] for p, own in enumerate(prior.weights))
    return replace(prior, weights=(first, second / total))


def checked_ranges(
    form: PublicForm, node: int, ranges: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """Return per player [hands] ranges at a node, 0 for removed hands, checked.

    Raises
    ------
    ParameterError
        If there are not two, or one has the wrong shape or an entry that is negative or not finite,
        or distinguishes hands that the form merges.
    """
    check_type("ranges", ranges, (tuple, list), "a pair of arrays [hands], one for each player")
    if len(ranges) != 2:
        raise ParameterError(f"got {len(ranges)} ranges; give one for each of the two players")
    found = []
    for player, given in enumerate(ranges):
        reach = np.asarray(given, np.float64)
        if reach.shape != (form.num_hands[player],):
            raise ParameterError(
                f"the range of player {player} has shape {reach.shape}; give one number for each "
                f"of the {form.num_hands[player]} hands of {form.name}"
            )
        if not (np.isfinite(reach).all() and (reach >= 0).all()):
            raise ParameterError(
                f"the range of player {player} has an entry that is negative or not finite; give "
                "the reach of each hand"
            )
        found.append(np.where(form.hand_sets[player][form.hand_set[node]], reach, 0.0))
        check_symmetric_range(form, node, player, found[-1])
    return found[0], found[1]


def check_node(form: PublicForm, node: int) -> None:
    """Check that a public form has a node.

    Raises
    ------
    ParameterError
        If it does not.
    """
    check_count("node", node)
    if node >= form.num_nodes:
        raise ParameterError(
            f"node={node}: {form.name} has the public nodes 0 to {form.num_nodes - 1}, see "
            "public_form.label(node)"
        )
