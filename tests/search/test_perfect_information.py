"""Two computations of perfect-information values, against recursion on the rules."""

import gc

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import CyclicGameError, UnknownNameError, UnsupportedGameError
from infoset.game import Infostate, initial_history
from infoset.games import load_game
from infoset.search import GraphModel, RulesModel
from infoset.search import perfect_information as perfect_information_module
from infoset.search.models.dice import DiceModel
from infoset.search.models.tricks import TricksModel
from infoset.search.perfect_information import (
    DepthFirstSearch,
    PerfectInformationValues,
    perfect_information_values,
)
from infoset.tree import build_world_graph
from tests.search.reference_values import plain_values
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad

RANDOM = "random_game(simultaneous_share=0.0,chance_share=0.5,max_depth=6,"


def game_of(name):
    return load_game(RANDOM + name + ")" if name.startswith("seed") else name)


GAMES = (
    *(f"seed={seed},fractional_rewards=True" for seed in range(6)),
    *(f"seed={seed},zero_sum=False" for seed in range(3)),
    *(f"seed={seed},num_players=3,zero_sum=False" for seed in range(3)),
    "leduc_poker(num_ranks=2)",
    "kuhn_poker(players=3)",
    "liars_dice(numdice=2,dice_sides=2)",
    "trick_taking(num_cards=6,num_suits=2)",
    "trick_taking(num_cards=8,num_suits=2,hand_size=2)",
)


def all_worlds(model):
    """Return the positions at all world states, with nonzero rewards so far."""
    states = np.arange(model.graph.num_worlds)[:, None]
    return states, np.tile(np.arange(model.num_players) - 0.5, (len(states), 1))


@pytest.mark.parametrize("opponents", ["max_n", "paranoid"])
@pytest.mark.parametrize("name", GAMES)
def test_values_agree_with_plain_recursion(name, opponents):
    model = GraphModel(build_world_graph(game_of(name)))
    states, rewards_so_far = all_worlds(model)
    ways = perfect_information_values(model, opponents), DepthFirstSearch(model, opponents)
    for player in range(model.num_players):
        plain = plain_values(model.game, opponents, player)
        expected = [plain(world)[player] for world in model.graph.worlds] + rewards_so_far[
            :, player
        ]
        for perfect in ways:
            assert abs(perfect.values(states, rewards_so_far, player) - expected).max() < 1e-9


def decisions(game, num_plays, seed=0):
    """Return the infostates with a choice in some random plays."""
    rng, found = np.random.default_rng(seed), {}
    for _ in range(num_plays):
        history = initial_history(game)
        while not history.is_terminal:
            actions = {}
            for player in history.actors:
                legal = history.legal_actions(player)
                actions[player] = legal[rng.integers(len(legal))]
                if len(legal) > 1:
                    found[history.infostates[player]] = None
            history = history.sample(history.joint(actions), rng)
    return list(found)


@pytest.mark.parametrize("opponents", ["max_n", "paranoid"])
@pytest.mark.parametrize(
    "name",
    [
        "seed=1,num_players=3,zero_sum=False",
        "leduc_poker(num_ranks=2)",
        "trick_taking(num_cards=6)",
    ],
)
def test_the_rules_give_the_same_values_as_the_graph(name, opponents):
    game = game_of(name)
    models = GraphModel(build_world_graph(game)), RulesModel(game)
    belief, rng = PublicPrivateBelief(1.0), np.random.default_rng(0)
    for infostate in decisions(game, 2):
        values = []
        for model in models:
            roots = model.roots(infostate, belief, rng)
            perfect = perfect_information_values(model, opponents)
            acting = infostate.player
            found = perfect.action_values(roots.states, roots.rewards_so_far, acting, acting)
            values.append(found + 0 * roots.probability[:, None])
        assert values[0].shape == values[1].shape
        assert np.allclose(*values, atol=1e-12, equal_nan=True)


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (DiceModel, "liars_dice(numdice=2,dice_sides=2)"),
        (TricksModel, "trick_taking(num_cards=12,num_suits=3,tie=draw)"),
        (TricksModel, "trick_taking(num_cards=8,tie=both_win)"),
    ],
)
def test_closed_form_values_agree_with_search(make, name):
    model = make(load_game(name))
    told, rng = DepthFirstSearch(model, "paranoid"), np.random.default_rng(0)
    for infostate in decisions(model.game, 3):
        acting = infostate.player
        roots = model.roots(infostate, PublicPrivateBelief(0.5), rng)
        some = roots.states[:50], roots.rewards_so_far[:50]
        found = PerfectInformationValues.action_values(
            DepthFirstSearch(model, "paranoid"), *some, acting, acting
        )
        assert np.allclose(told.action_values(*some, acting, acting), found, equal_nan=True)


def test_alpha_beta_prunes_and_keeps_the_value():
    model = GraphModel(
        build_world_graph(load_game("trick_taking(num_cards=8,num_suits=2,tie=draw)"))
    )
    deals = model.graph.next_world[model.graph.first_edge[0] : model.graph.first_edge[1]]
    states, rewards_so_far = deals[:, None].astype(np.int64), np.zeros((len(deals), 2))
    prunes, exhausts = DepthFirstSearch(model), DepthFirstSearch(model)
    exhausts._prunes = False
    values = [perfect.values(states, rewards_so_far, 0) for perfect in (prunes, exhausts)]
    assert (values[0] == values[1]).all()
    assert prunes.num_nodes < exhausts.num_nodes / 2


def test_a_line_longer_than_the_stack():
    chain = FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,) if w < 100 else (),
        transitions=lambda w, a: [(w + 1, 1)] if w < 100 else [],
        rewards=lambda w, a, n: (1.0 if a[0] == "right" else 0.5,),
    )
    for model in (GraphModel(build_world_graph(chain)), RulesModel(chain)):
        start = np.zeros((1, 1), np.int64)
        if isinstance(model, RulesModel):
            start = model.roots(Infostate(0, ()), PublicPrivateBelief(0.0), None).states
        assert DepthFirstSearch(model).values(start, np.zeros((1, 1)), 0) == 100


def test_simultaneous_games_are_refused():
    game = load_game("goofspiel(num_cards=3)")
    graph, rules = GraphModel(build_world_graph(game)), RulesModel(game)
    with pytest.raises(UnsupportedGameError, match=r"choose simultaneously.*ISMCTS"):
        perfect_information_values(graph).values(np.zeros((1, 1), np.int64), np.zeros((1, 2)), 0)
    start = decisions(game, 1)[0]
    for model in (graph, rules):
        roots = model.roots(start, PublicPrivateBelief(0.0), np.random.default_rng(0))
        for find in (DepthFirstSearch.values, DepthFirstSearch.action_values):
            more = (0,) if find is DepthFirstSearch.values else (0, 0)
            with pytest.raises(UnsupportedGameError, match="choose simultaneously"):
                find(DepthFirstSearch(model), roots.states, roots.rewards_so_far, *more)


def test_a_graph_with_a_cycle_is_refused():
    circle = FunctionGame(
        initial_world=lambda: 0,
        actors=lambda w: (0,),
        transitions=lambda w, a: [((w + 1) % 3, 1)],
        rewards=lambda w, a, n: (0.0,),
    )
    with pytest.raises(CyclicGameError, match="never ends"):
        perfect_information_values(GraphModel(build_world_graph(circle))).values(
            np.zeros((1, 1), np.int64), np.zeros((1, 1)), 0
        )


def test_unknown_opponents():
    model = GraphModel(build_world_graph(load_game("kuhn_poker")))
    with pytest.raises(UnknownNameError, match="max_n"):
        perfect_information_values(model, "selfless")


def test_values_are_cached_with_the_model():
    model = GraphModel(build_world_graph(load_game("kuhn_poker")))
    first, second = perfect_information_values(model), perfect_information_values(model)
    states, rewards_so_far = all_worlds(model)
    first.values(states, rewards_so_far, 0), second.values(states, rewards_so_far, 0)
    assert len(perfect_information_module._VALUES_OF[model]) == 1
    kept = len(perfect_information_module._VALUES_OF)
    del first, second, model
    gc.collect()
    assert len(perfect_information_module._VALUES_OF) < kept
