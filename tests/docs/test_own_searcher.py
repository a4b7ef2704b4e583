"""The searcher of its page does not depend on a constant in all utilities."""

from __future__ import annotations

import re

import numpy as np
import pytest

from infoset.game import initial_history
from infoset.games import TrickTaking
from infoset.search import search_model
from tests.docs.snippets import ROOT

PARAMETERS = {"num_cards": 6, "num_suits": 2, "hand_size": 2}


class ShiftedTrickTaking(TrickTaking):
    """Trick taking in which both players get 100 more at the end."""

    def rewards(self, world, joint_action, next_world):
        found = super().rewards(world, joint_action, next_world)
        is_end = not any(next_world.hands)
        return tuple(reward + 100.0 * is_end for reward in found)


@pytest.fixture(scope="module")
def searcher():
    page = (ROOT / "docs/search/own_searcher.md").read_text("utf-8")
    module = {"__name__": "page"}
    exec(re.search(r"```python\n(import numpy.*?)```", page, re.DOTALL)[1], module)
    return module["FlatMonteCarlo"]


def decisions(game, count):
    """Yield infostates of player 1 with several legal actions, after first actions."""
    rng = np.random.default_rng(0)
    while count:
        history = initial_history(game)
        while not history.is_terminal:
            if history.actors == (1,) and len(history.legal_actions(1)) > 1:
                yield history.infostates[1]
                count -= 1
                break
            first = {who: history.legal_actions(who)[0] for who in history.actors}
            history = history.sample(history.joint(first), rng)


@pytest.mark.parametrize("belief", [0.0, 1.0])
def test_a_constant_changes_no_decision(searcher, belief):
    games = TrickTaking(**PARAMETERS), ShiftedTrickTaking(**PARAMETERS)
    for infostate in decisions(games[0], 10):
        found, shifted = (
            searcher(search_model(game), belief=belief, num_worlds=100).search(
                infostate, np.random.default_rng(1)
            )
            for game in games
        )
        assert found.tolist() == shifted.tolist()
