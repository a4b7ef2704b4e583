"""The search model that calls a game's rules."""

from __future__ import annotations

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import initial_history
from infoset.games import KuhnPoker, LiarsDice
from infoset.search import GraphModel, RulesModel
from infoset.tree import build_world_graph


class Counted(LiarsDice):
    """Liar's dice that counts the questions for legal actions."""

    num_questions = 0

    def legal_actions(self, world, player):
        type(self).num_questions += 1
        return super().legal_actions(world, player)


def first_infostate(game):
    history = initial_history(game)
    while not history.actors:
        history = history.sample(history.joint({}), np.random.default_rng(0))
    return history.infostates[history.actors[0]]


def test_legal_actions_are_asked_once_per_infostate_of_the_roots():
    """A belief of 36 worlds, in all of which the player sees the same."""
    game, rng = Counted(numdice=2), np.random.default_rng(0)
    model, infostate = RulesModel(game), first_infostate(game)
    actions = model.legal_actions(infostate)
    roots = model.roots(infostate, PublicPrivateBelief(0.0), rng)
    before = Counted.num_questions
    indices = model.action_indices(infostate, roots)
    assert len(roots.states) > 10
    assert Counted.num_questions - before == 1
    assert (indices == np.arange(len(actions))).all()


def test_action_indices_agree_with_those_of_the_world_graph():
    game, rng = KuhnPoker(), np.random.default_rng(0)
    infostate = first_infostate(game)
    found = []
    for model in (RulesModel(game), GraphModel(build_world_graph(game))):
        roots = model.roots(infostate, PublicPrivateBelief(0.5), rng)
        found.append(model.action_indices(infostate, roots).tolist())
    assert found[0] == found[1]
    assert len(found[0]) > 2
