"""Any policies as a table."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.policy import UniformPolicy, random_policy, tabulate, uniform_policy
from infoset.tree import build_tree

LEDUC = build_tree(load_game("leduc_poker")).sequence_form


def test_a_table_asked_everywhere_is_itself():
    policy = random_policy(LEDUC, np.random.default_rng(0))
    again = tabulate(LEDUC, [policy, policy])
    for old, new in zip(policy.probabilities, again.probabilities, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-15)


def test_players_are_kept_apart_and_none_is_uniform():
    policy = random_policy(LEDUC, np.random.default_rng(1))
    mixed = tabulate(LEDUC, [None, policy])
    np.testing.assert_array_equal(mixed.probabilities[0], uniform_policy(LEDUC).probabilities[0])
    np.testing.assert_allclose(mixed.probabilities[1], policy.probabilities[1], rtol=1e-15)


def test_bad_policies_are_refused():
    class Half:
        def action_probabilities(self, infostate, legal_actions):
            return np.full(len(legal_actions), 0.5 / len(legal_actions))

    with pytest.raises(ParameterError, match="it must give each legal action a probability"):
        tabulate(LEDUC, [Half(), None])
    with pytest.raises(ParameterError, match="got 1 policies; leduc_poker has 2 players"):
        tabulate(LEDUC, [UniformPolicy()])
