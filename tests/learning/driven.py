"""Run learners in an external loop through the same episodes as compiled self-play."""

from __future__ import annotations

from functools import cache

import numpy as np

from infoset.learning import (
    Knowledge,
    SelfPlay,
    Trajectory,
    make_learner,
    tree_size,
)
from infoset.tree.decision_nodes import CHANCE_NODE, TERMINAL_NODE, draw_outcome
from infoset.utils.splitmix import make_stream
from tests.learning.playing import simulator_of


def learners_for(row, simulator, horizon):
    """Return learners of a spec for all players, with the knowledge that they need."""
    form = simulator.form
    knows_tree = row.knowledge is Knowledge.OWN_TREE
    return [
        make_learner(
            row,
            player=player,
            utility_range=form.payoff_range,
            horizon=horizon,
            tree=tree if knows_tree else None,
            size=None if knows_tree else tree_size(simulator, player),
            game=form.name,
        )
        for player, tree in enumerate(form.infostate_trees)
    ]


def drive(simulator, learners, episodes, stream, turns=lambda episode: ()):
    """Play episodes in which chance and learners share one random stream, as in the compiled loop.

    turns : gives the players who follow in an episode.
    """
    for learner in learners:
        learner._stream = stream
    for episode in range(episodes):
        for player in turns(episode):
            learners[player].follow()
        rank = one_episode(simulator, learners, stream)
        for player, learner in enumerate(learners):
            learner.observe(Trajectory(learner.steps, simulator.utility[rank, player]))


def one_episode(simulator, learners, stream):
    nodes, node = simulator.nodes, 0
    while (here := nodes.kind[node]) != TERMINAL_NODE:
        if here == CHANCE_NODE:
            node = draw_outcome(nodes, node, stream)
        else:
            player, key, actions = names_of(simulator)[here]
            taken = learners[player].act(key, actions)
            node = nodes.first[node] + actions.index(taken)
    return nodes.first[node]


@cache
def names_of(simulator):
    """Return player, infostate and actions of each infostate of the simulator."""
    return [
        (tree.player, tree.infostate_at(number), tree.legal_actions(number))
        for tree in simulator.form.infostate_trees
        for number in tree.acting.tolist()
    ]


def assert_same_bits(simulator, learners, self_play, left_out=()):
    """Assert that the arrays of the learners equal those of compiled self-play, bit for bit."""
    compiled, sequences = self_play.state(), simulator.infostates
    compiled = {name: array for name, array in compiled.items() if name not in left_out}
    assert all(learner.episodes == self_play.iteration for learner in learners)
    num_met = 0
    for here, (player, key, _) in enumerate(names_of(simulator)):
        tables = learners[player]._tables
        number = tables.infostates.find(key)
        if number < 0:
            assert not self_play.state()["parent_counted"][here]
            continue
        num_met += 1
        first = int(sequences.first_sequence[here])
        theirs = slice(first, first + int(sequences.num_actions[here]))
        for name, mine in tables.state._asdict().items():
            if name == "touched" or name not in compiled or not len(mine):
                continue
            by_sequence = len(compiled[name]) == simulator.num_sequences
            ours = mine[tables.infostates.sequences(number)] if by_sequence else mine[number]
            other = compiled[name][theirs] if by_sequence else compiled[name][here]
            np.testing.assert_array_equal(ours, other, name)
    assert num_met > len(sequences.player) / 3


def assert_same_average(simulator, learners, self_play):
    """Assert that the averages agree, including pending contributions."""
    rows = SelfPlay.policy(self_play).rows()  # even if the answer of the spec is its last policy
    for (player, key, actions), row in zip(names_of(simulator), rows, strict=True):
        average = learners[player].average_policy.action_probabilities(key, actions)
        np.testing.assert_allclose(average, row.probabilities, rtol=1e-14)


def in_turn(episode):
    """Return the players who only follow, if two players alternate."""
    return [1 - episode % 2]


def same_as_self_play(row, game, episodes, seed=5, turns=lambda episode: (), left_out=()):
    """Run learners of a spec, and compare them with compiled self-play of the same seed."""
    simulator = simulator_of(game)
    self_play = row.self_play(simulator, horizon=episodes, seed=seed)
    self_play.run(episodes)
    own_episodes = episodes // 2 if turns is in_turn else episodes
    learners = learners_for(row, simulator, own_episodes)
    drive(simulator, learners, episodes, make_stream(seed), turns)
    assert_same_bits(simulator, learners, self_play, left_out)
    if not left_out:
        assert_same_average(simulator, learners, self_play)
    return learners, self_play
