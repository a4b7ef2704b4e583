"""Compare two models of a game, which must give the same answers."""

import numpy as np

from infoset.beliefs import PublicPrivateBelief
from infoset.game import initial_history
from infoset.search import RulesModel
from infoset.search.models._model_kernels import (
    CHANCE_MOVE,
    END,
    actor,
    apply_outcome,
    choose_action,
    empty_position,
    num_actions,
    num_outcomes,
    outcome_probability,
)


def decisions(game, rng, num_plays):
    """Yield the histories of random plays at which a player has a decision."""
    for _ in range(num_plays):
        history = initial_history(game).sample((None, None), rng)
        while not history.is_terminal:
            yield history
            (player,) = history.actors
            legal = history.legal_actions(player)
            action = legal[rng.integers(len(legal))]
            history = history.sample((action, None) if player == 0 else (None, action), rng)


def check_roots(model, world_of, history, public_weight):
    """Check that a model has the belief of the rules; return the roots of both."""
    (player,) = history.actors
    infostate, belief = history.infostates[player], PublicPrivateBelief(public_weight)
    roots = model.roots(infostate, belief, np.random.default_rng(0))
    expected = belief.at(model.game, infostate)
    place = {world_of(state): place for place, state in enumerate(roots.states.tolist())}
    assert len(place) == len(roots.states) == len(expected)
    order = [place[world] for world in expected.worlds]
    assert abs(roots.probability[order] - expected.probability).max() < 1e-15
    assert not roots.rewards_so_far.any()
    assert model.legal_actions(infostate) == history.legal_actions(player)
    for other in (0, 1):
        numbers, held = roots.infostates[order, other].tolist(), expected.infostates(other)
        pairs = set(zip(numbers, held, strict=True))
        assert len(pairs) == len(set(numbers)) == len(set(held))
        assert other != player or {known: number for number, known in pairs}[infostate] == 0
    rules = RulesModel(model.game)
    theirs = rules.roots(infostate, belief, np.random.default_rng(0))
    return roots.states[order], rules, theirs.states


def play_both(model, state, rules, rules_state, rng, shown):
    """Continue at random in both models, and compare them.

    `shown` maps the numbers of observations in one model to those in the other.
    """
    ours, theirs = empty_position(model.state_size, 2), empty_position(1, 2)
    ours.state[:], theirs.state[:] = state, rules_state
    mover = END
    while True:
        player = actor(model.arrays, ours)
        assert player == actor(rules, theirs)
        if player == END:
            assert abs(ours.rewards_so_far - theirs.rewards_so_far).max() == 0
            low, high = model.utility_range
            assert low <= ours.rewards_so_far.min() <= ours.rewards_so_far.max() <= high
            return ours.rewards_so_far
        if player == CHANCE_MOVE:
            assert num_outcomes(model.arrays, ours) == num_outcomes(rules, theirs) == 1
            assert outcome_probability(model.arrays, ours, 0) == 1
            apply_outcome(model.arrays, ours, 0)
            apply_outcome(rules, theirs, 0)
            for viewer in (0, 1):
                pair = int(ours.observations[viewer]), int(theirs.observations[viewer])
                assert shown.setdefault((viewer, mover, "ours", pair[0]), pair[1]) == pair[1]
                assert shown.setdefault((viewer, mover, "theirs", pair[1]), pair[0]) == pair[0]
            continue
        count = num_actions(model.arrays, ours)
        assert count == num_actions(rules, theirs)
        action = int(rng.integers(count))
        mover = player
        choose_action(model.arrays, ours, action)
        choose_action(rules, theirs, action)


def paranoid_values(game):
    """Return a brute-force function for a player's action values under perfect information."""
    known = {}

    def values(world, player):
        if (world, player) not in known:
            known[world, player] = tuple(_values_of(game, world, player, values))
        return known[world, player]

    return values


def _values_of(game, world, player, values):
    (mover,) = game.actors(world)
    for action in game.legal_actions(world, mover):
        joint = (action, None) if mover == 0 else (None, action)
        ((after, _),) = game.transitions(world, joint)
        value = game.rewards(world, joint, after)[player]
        if game.actors(after):
            best = max if after.player == player else min
            value += best(values(after, player))
        yield value
