"""Any policies of a compiled game, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from infoset.errors import ParameterError
from infoset.policy.protocol import Policy, UniformPolicy, checked_probabilities
from infoset.policy.tabular import TabularPolicy
from infoset.tree import InfostateTree, SequenceForm
from infoset.typing import FloatArray

__all__ = ["tabulate"]


def tabulate(sequence_form: SequenceForm, policies: Sequence[Policy | None]) -> TabularPolicy:
    """Return the policies of all players as one table, by asking each at all its infostates.

    Parameters
    ----------
    sequence_form : SequenceForm
        The game.
    policies : Sequence[Policy or None]
        One per player; None plays uniformly at random.

    Raises
    ------
    ParameterError
        If there are more or fewer than players, or one answers with no distribution.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> tabulate(kuhn, [None, UniformPolicy()])["[K]", 0]
    {'pass': 0.5, 'bet': 0.5}
    """
    if len(policies) != sequence_form.num_players:
        raise ParameterError(
            f"got {len(policies)} policies; {sequence_form.name} has {sequence_form.num_players} "
            "players: give one for each, None for one that plays uniformly"
        )
    pairs = zip(sequence_form.infostate_trees, policies, strict=True)
    return TabularPolicy.from_weights(
        sequence_form, [_answers(tree, policy or UniformPolicy()) for tree, policy in pairs]
    )


def _answers(tree: InfostateTree, policy: Policy) -> FloatArray:
    """Return [Q] what a policy answers at its infostates; 1 for the empty sequence."""
    answers = [np.ones(1)]
    for number in tree.acting.tolist():
        legal_actions = tree.legal_actions(number)
        answers.append(checked_probabilities(policy, tree.infostate_at(number), legal_actions))
    return np.concatenate(answers)
