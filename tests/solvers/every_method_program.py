"""Run every method on every form of a small game in plain Python, and print the differences.

    NUMBA_DISABLE_JIT=1 python -m tests.solvers.every_method_program

Two forms of one game are a pair: the sequence form and the public form, both also locked and with
gadgets; and a cut form and the whole form that is locked after the leaves. The methods run on both,
and what they return is measured. Without compilation this takes a fraction of the time.
"""

from __future__ import annotations

import json
import re
import sys

import numba
import numpy as np

from infoset.beliefs import part_between
from infoset.errors import UnsupportedGameError
from infoset.evaluation import PublicContinuation
from infoset.forms import GADGET_KINDS, add_gadget, cut, entered_public_form
from infoset.policy import random_policy, transfer_policy
from infoset.resolving import entered_form
from infoset.runs import Budget
from infoset.solvers import METHODS, run_method
from infoset.tree import derive_public_form
from tests.forms.test_cut_form import locked_after
from tests.forms.test_transforms import locked_pair
from tests.support.cached_games import cached_tree, cached_tree_without_ties

ITERATIONS = 3


def gadget_pair(tree, gadget, *, is_zero_sum=False):
    """Return what follows the first action of player 0, with a gadget, on both forms."""
    public = derive_public_form(tree)
    node = int(public.decisions[1][0])
    acting = tree.infostate_trees[1]
    state = next(
        int(acting.public_state[number])
        for number, text in zip(acting.acting, acting.acting_labels, strict=True)
        if text.endswith(f"/ {public.label(node)}")
    )
    parts = entered_form(part_between(tree, state)), entered_public_form(public, node)
    cards = [
        [
            [re.search("[JQK]", text)[0] for text in part.infostate_labels(player)[:3]]
            for player in (0, 1)
        ]
        for part in parts
    ]
    own, values = {"J": 0.9, "Q": 0.4, "K": 0.7}, {"J": 0.2, "Q": 0.3, "K": 0.1}
    return tuple(
        add_gadget(
            part,
            0,
            np.array([own[card] for card in mine]),
            np.array([values[card] for card in theirs]),
            gadget,
            is_zero_sum=is_zero_sum,
        )
        for part, (mine, theirs) in zip(parts, cards, strict=True)
    )


def pairs():
    """Return the pairs of forms by name."""
    kuhn, tree = cached_tree("kuhn_poker"), cached_tree_without_ties("kuhn_poker")
    public = derive_public_form(kuhn)
    policy = random_policy(public, np.random.default_rng(3))
    # Payoffs without ties are not products of a reach and a result, which cuts and gadgets need.
    game = cut(public, PublicContinuation(policy), depth=2)
    return {
        "whole": (tree.sequence_form, derive_public_form(tree)),
        "locked": locked_pair(tree, 4, share=0.3),
        "cut": (game, locked_after(game, policy)),
        **{gadget: gadget_pair(kuhn, gadget) for gadget in GADGET_KINDS},
        "constant-sum": gadget_pair(kuhn, "resolving", is_zero_sum=True),
    }


def answer(name, form):
    """Return the result of a method; the error's name if the method does not support the form."""
    try:
        return run_method(METHODS[name], form, Budget(iterations=ITERATIONS))
    except UnsupportedGameError as error:
        return type(error).__name__


def difference(pair, results):
    """Return how far two results are apart: in their policies, if these are comparable."""
    if any(isinstance(result, str) for result in results):
        return results[0] if isinstance(results[0], str) else results[1]
    measured = [np.array([*one.measured.values, *one.measured.gains]) for one in results]
    apart = float(np.abs(measured[0] - measured[1]).max())
    if pair == "whole":
        expected, found = (transfer_policy(one.policy, results[0].policy.form) for one in results)
        plans = zip(expected.probabilities, found.probabilities, strict=True)
        apart = max(apart, *(float(np.abs(a - b).max()) for a, b in plans))
    return apart


def main() -> None:
    """Print one JSON object: the difference by pair of forms and method."""
    assert numba.config.DISABLE_JIT
    found = {
        pair: {
            name: difference(pair, [answer(name, form) for form in forms])
            for name in METHODS
            if name != "auto"
        }
        for pair, forms in pairs().items()
    }
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
