"""Arguments of the conversions to other libraries, and errors for invalid ones."""

from __future__ import annotations

import numpy as np
import pytest

from infoset.efg import as_game, build_extensive_form, forget_non_acting, rules_of
from infoset.errors import ParameterError
from infoset.games import load_game
from infoset.interop import to_openspiel, to_pettingzoo
from infoset.tree import build_tree


def test_games_compiled_or_not():
    game = load_game("kuhn_poker")
    assert rules_of(game) is rules_of(build_tree(game)) is game


@pytest.mark.parametrize("use", [to_openspiel, to_pettingzoo])
def test_anything_else_is_refused_with_the_way_to_a_game(use):
    pytest.importorskip("pyspiel")
    pytest.importorskip("pettingzoo")
    with pytest.raises(ParameterError, match=r"of type str, .*; use infoset.load\(name\)"):
        use("kuhn_poker")
    with pytest.raises(ParameterError, match=r"; use as_game\(form\) to get a game"):
        use(build_extensive_form(load_game("kuhn_poker")))


def test_a_classical_extensive_form_plays_in_openspiel_by_that_way():
    pyspiel = pytest.importorskip("pyspiel")
    form = forget_non_acting(build_extensive_form(load_game("kuhn_poker")))
    game = to_openspiel(as_game(form))
    uniform = pyspiel.UniformRandomPolicy(game)
    values = pyspiel.expected_returns(game.new_initial_state(), uniform, -1, False, 0.0)
    assert np.allclose(values, [0.125, -0.125], rtol=0, atol=1e-12)
