"""Transfer of policies between a game and an equivalent one, by walking both together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from infoset.forms import SequenceForm
from infoset.game import Game, History, Infostate, initial_history
from infoset.game.serialization import SerialWorld
from infoset.game.transforms import WAIT
from infoset.policy import TabularPolicy
from tests.support.reference_histories import enumerate_histories

Pairs = dict[Infostate, Infostate]
"""Acting infostates of the other game, and the ones of the base game they stand for."""

Project = Callable[[Game, History], History]


def of_serial(game: Game, history: History) -> History:
    """Return the history of `game` for a history of its serialization."""
    base = initial_history(game)
    for step in history.path()[1:]:
        world, before = step.world, step.parent.world
        assert isinstance(world, SerialWorld)
        assert isinstance(before, SerialWorld)
        if world.turn == 0:  # the transition happened
            chosen = [
                now if now is not None else earlier
                for earlier, now in zip(before.actions, step.joint_action, strict=True)
            ]
            base = base.extend(tuple(chosen), world.world)
    return base


def of_unfactored(game: Game, history: History) -> History:
    """Return the history of `game` for a history of the POSG made from it."""
    base = initial_history(game)
    for step in history.path()[1:]:
        actors = base.actors
        joint = tuple(a if p in actors else None for p, a in enumerate(step.joint_action))
        assert all(a == WAIT for p, a in enumerate(step.joint_action) if p not in actors and a)
        base = base.extend(joint, step.world)
    return base


def pair_infostates(game: Game, other: Game, project: Project) -> Pairs:
    """Match the acting infostates with a choice, which must correspond one to one."""
    pairs: Pairs = {}
    for visit in enumerate_histories(other):
        base = project(game, visit.history)
        for player in visit.history.actors:
            if visit.history.legal_actions(player) == (WAIT,):
                continue
            mine, theirs = base.infostates[player], visit.history.infostates[player]
            assert visit.history.legal_actions(player) == base.legal_actions(player)
            assert pairs.setdefault(theirs, mine) == mine
    assert len(set(pairs.values())) == len(pairs)
    return pairs


def carry(policy: TabularPolicy, pairs: Pairs, form: SequenceForm) -> TabularPolicy:
    """Transfer `policy` to the corresponding infostates of the other game."""
    weights = [np.ones(plex.num_sequences) for plex in form.treeplexes]
    for theirs, mine in pairs.items():
        tree = form.infostate_trees[theirs.player]
        number = tree.index_of(theirs)
        legal = tree.legal_actions(number)
        first = tree.first_sequence[number]
        weights[theirs.player][first : first + len(legal)] = policy.action_probabilities(
            mine, legal
        )
    return TabularPolicy.from_weights(form, weights)
