"""A graph model against the rules of its game, query by query and playout by playout."""

import numba
import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import CyclicGameError
from infoset.game import initial_history
from infoset.games import load_game
from infoset.search import GraphModel, RulesModel, search_model
from infoset.search.models import _model_kernels as ask
from infoset.tree import build_world_graph
from infoset.utils.splitmix import make_stream
from tests.support.function_game import FunctionGame

GAMES = (
    "kuhn_poker(players=3)",
    "leduc_poker",
    "liars_dice(numdice=2,dice_sides=2)",
    "goofspiel(num_cards=3,players=3)",
    "random_game(seed=5,num_players=3,max_depth=4,max_histories=200,simultaneous_share=0.6,"
    "chance_share=0.6,fractional_rewards=True)",
)


def models(name):
    game = load_game(name)
    return GraphModel(build_world_graph(game)), RulesModel(game)


def first_decision(game, rng):
    history = initial_history(game)
    while not history.actors:
        history = history.sample((None,) * game.num_players, rng)
    return history.infostates[history.actors[0]]


def begin(model, infostate):
    """Return the first position of a player's uniform belief."""
    roots = model.roots(infostate, PublicPrivateBelief(0.0), np.random.default_rng(0))
    position = ask.empty_position(model.state_size, model.num_players)
    position.state[:], position.rewards_so_far[:] = roots.states[0], roots.rewards_so_far[0]
    return position


def both_ask(question, pair, positions, *arguments):
    """Return the answer of both models, which must be the same."""
    first, second = (
        question(model.arrays, position, *arguments)
        for model, position in zip(pair, positions, strict=True)
    )
    assert first == second
    return first


@pytest.mark.parametrize("name", GAMES)
def test_a_graph_answers_like_the_rules(name):
    rng = np.random.default_rng(1)
    pair = models(name)
    infostate = first_decision(pair[0].game, rng)
    seen = {}
    for _ in range(30):
        positions = [begin(model, infostate) for model in pair]
        known = [[(), ()] for _ in range(pair[0].num_players)]
        while (who := both_ask(ask.actor, pair, positions)) != ask.END:
            if who != ask.CHANCE_MOVE:
                count = both_ask(ask.num_actions, pair, positions)
                both_ask(ask.choose_action, pair, positions, int(rng.integers(count)))
                continue
            count = both_ask(ask.num_outcomes, pair, positions)
            chances = [both_ask(ask.outcome_probability, pair, positions, k) for k in range(count)]
            assert sum(chances) == pytest.approx(1, abs=1e-12)
            both_ask(ask.apply_outcome, pair, positions, int(rng.integers(count)))
            assert (positions[0].rewards_so_far == positions[1].rewards_so_far).all()
            for player, sides in enumerate(known):
                for side, position in enumerate(positions):
                    sides[side] = (*sides[side], int(position.observations[player]))
                seen.setdefault((player, sides[0]), set()).add(sides[1])
    assert all(len(others) == 1 for others in seen.values())
    assert len({(player, *others) for (player, _), others in seen.items()}) == len(seen)


@pytest.mark.parametrize("name", GAMES)
def test_playouts_agree_compiled_and_in_python(name):
    graph, rules = models(name)
    infostate = first_decision(graph.game, np.random.default_rng(2))
    found = []
    for model, run in ((graph, compiled_play_out), (graph, ask.play_out), (rules, ask.play_out)):
        position = begin(model, infostate)
        start = ask.Position(*(array.copy() for array in position))
        stream = make_stream(3)
        rewards_so_far = np.zeros((40, model.num_players))
        play_many(run, model.arrays, position, start, stream, rewards_so_far)
        found.append((rewards_so_far, stream))
    for rewards_so_far, stream in found[1:]:
        assert (rewards_so_far == found[0][0]).all()
        assert stream == found[0][1]
    assert found[0][0].any()


def play_many(run, model, position, start, stream, rewards_so_far):
    for play in range(len(rewards_so_far)):
        ask.copy_position(position, start)
        run(model, position, stream)
        rewards_so_far[play] = position.rewards_so_far


compiled_play_out = numba.njit(ask.play_out)


@pytest.mark.parametrize("name", ["leduc_poker", "liars_dice(numdice=2,dice_sides=3)"])
def test_the_fast_draw_agrees_with_inversion(name):
    """The first random outcome, for equal and for different probabilities."""
    graph = GraphModel(build_world_graph(load_game(name))).arrays
    position = ask.empty_position(1, 2)
    drawn = []
    for draw in (ask.draw_outcome, ask.draw_by_inversion):
        stream = make_stream(4)
        worlds = []
        for _ in range(2000):
            position.state[0] = 0
            draw(graph, position, stream)
            worlds.append(int(position.state[0]))
        drawn.append(worlds)
    assert drawn[0] == drawn[1]
    counts = np.bincount(drawn[0], minlength=graph.next_node.max() + 1)
    expected = 2000 * graph.probability[: graph.num_children[0]]
    there = counts[graph.next_node[: graph.num_children[0]]]
    assert (abs(there - expected) < 6 * np.sqrt(expected)).all()


def test_simultaneous_actors_choose_one_after_another():
    game = load_game("goofspiel(num_cards=3,players=3)")
    graph = build_world_graph(game)
    nodes = GraphModel(graph).arrays
    choosing = np.flatnonzero((graph.action_set >= 0).all(axis=1))
    first = nodes.first_child[choosing]
    assert (nodes.actor[choosing] == 0).all()
    assert (nodes.actor[nodes.next_node[first]] == 1).all()
    second = nodes.next_node[nodes.first_child[nodes.next_node[first]]]
    assert (nodes.actor[second] == 2).all()
    joint_actions = np.diff(graph.first_edge).sum()
    assert (nodes.actor == ask.CHANCE_MOVE).sum() <= joint_actions
    assert nodes.num_children[nodes.actor == ask.CHANCE_MOVE].sum() == graph.num_edges


def test_a_cycle_is_refused_because_searches_would_not_end():
    game = FunctionGame(initial_world=lambda: 0, transitions=lambda w, joint: [((w + 1) % 3, 1)])
    with pytest.raises(CyclicGameError) as caught:
        search_model(game)
    assert sorted(caught.value.cycle) == [0, 1, 2]
