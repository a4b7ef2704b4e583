"""Information-set tree search against a slow reference, simulation by simulation."""

from dataclasses import replace
from itertools import cycle

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.game import initial_history
from infoset.games import load_game
from infoset.search import GraphModel, RulesModel
from infoset.search.ismcts import ISMCTS
from tests.search.reference_ismcts import ReferenceISMCTS, root_counts
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

RANDOM = (
    "random_game(seed={},num_players=3,max_depth=5,max_histories=300,simultaneous_share=0.4,"
    "chance_share=0.4,fractional_rewards=True)"
)
GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(numdice=2,dice_sides=2)",
    "goofspiel(num_cards=3,players=3)",
    "dark_hex(board_size=2)",
    RANDOM.format(3),
    RANDOM.format(8),
)


def decision(game, rng, depth):
    """Return an infostate with a decision, after at least `depth` steps if possible."""
    found = None
    while found is None:
        history = initial_history(game)
        while not history.is_terminal:
            movers = [p for p in history.actors if len(history.legal_actions(p)) > 1]
            if movers:
                found = history.infostates[movers[-1]]
                if history.depth >= depth:
                    return found
            choose = {p: history.legal_actions(p) for p in history.actors}
            actions = {p: legal[rng.integers(len(legal))] for p, legal in choose.items()}
            history = history.sample(history.joint(actions), rng)
    return found


def reference_of(searcher, infostate, seed):
    """Return a reference that draws the same random numbers as a search with the seed."""
    weight = searcher.opponent_public_weight
    start = searcher.belief if weight is None else replace(searcher.belief, public_weight=weight)
    held = start.at(searcher.model.game, infostate)
    stream = np.array([np.random.default_rng(seed).integers(2**64, dtype=np.uint64)])
    factor = {"ln": 1.0, "2ln": 2.0}[searcher.bonus]
    is_relative = searcher.reward_scale is None
    scale = 1.0 if is_relative else searcher.reward_scale
    width = searcher.exploration * scale * factor**0.5
    histories = [held.histories[k] for k in range(len(held))]
    return ReferenceISMCTS(
        histories,
        held.probability,
        stream,
        width,
        searcher.num_rollouts,
        is_relative,
        searcher.depth,
        searcher.leaf_value,
    )


def check_same(searcher, infostate, seed):
    """Compare a search with its reference; return the reference."""
    policy = searcher.search(infostate, np.random.default_rng(seed))
    record = searcher.last_search
    reference = reference_of(searcher, infostate, seed)
    reference.run(record.num_simulations)
    visits, totals = root_counts(reference, infostate.player, record.actions)
    assert record.visits.tolist() == visits
    known = record.visits > 0
    expected = np.array(totals)[known] / np.array(visits)[known]
    assert record.values[known] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert np.isnan(record.values[~known]).all()
    assert policy == pytest.approx(np.array(visits) / sum(visits), abs=1e-15)
    assert record.num_nodes == len(reference.nodes)
    return reference


@pytest.mark.parametrize("public_weight", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("name", GAMES)
def test_searches_agree_with_the_reference(name, public_weight):
    game = load_game(name)
    rng = np.random.default_rng(7)
    searcher = ISMCTS(
        GraphModel(cached_tree(name).graph), belief=public_weight, num_simulations=100
    )
    for depth in (0, 3):
        infostate = decision(game, rng, depth)
        check_same(searcher, infostate, seed=depth)


@pytest.mark.parametrize(
    "settings",
    [
        {"exploration": 0.0},
        {"exploration": 5.0},
        {"bonus": "2ln", "reward_scale": 26.0},
        {"num_rollouts": 3},
        {"reward_scale": 1.0},
    ],
    ids=str,
)
def test_other_settings_agree_with_the_reference(settings):
    game = load_game("leduc_poker")
    searcher = ISMCTS(GraphModel(cached_tree("leduc_poker").graph), num_simulations=150, **settings)
    check_same(searcher, decision(game, np.random.default_rng(3), 2), seed=5)


@pytest.mark.parametrize(("name", "depth"), [*zip(GAMES, cycle([1, 2, 3]))])
def test_searches_with_a_depth_limit_agree_with_the_reference(name, depth):
    game = load_game(name)
    searcher = ISMCTS(
        GraphModel(cached_tree(name).graph), belief=0.3, num_simulations=100, depth=depth
    )
    check_same(searcher, decision(game, np.random.default_rng(7), 0), seed=depth)


@pytest.mark.parametrize(("depth", "num_rollouts"), [(None, 1), (2, 3)])
@pytest.mark.parametrize("name", ["kuhn_poker(players=3)", "leduc_poker"])
def test_searches_with_a_leaf_function_agree_with_the_reference(name, depth, num_rollouts):
    def leaf_value(histories):
        return np.array([[len(str(known)) % 7 for known in h.infostates] for h in histories])

    game = load_game(name)
    searcher = ISMCTS(
        GraphModel(cached_tree(name).graph),
        belief=0.3,
        num_simulations=100,
        num_rollouts=num_rollouts,
        depth=depth,
        leaf_value=leaf_value,
    )
    check_same(searcher, decision(game, np.random.default_rng(7), 0), seed=3)


@pytest.mark.parametrize(
    ("public_weight", "opponent_public_weight"), [(0.0, 0.4), (0.0, 1.0), (0.3, 1.0), (0.8, 0.3)]
)
@pytest.mark.parametrize("name", [*GAMES[:3], RANDOM.format(3)])
def test_the_weight_of_opponents_agrees_with_the_reference(
    name, public_weight, opponent_public_weight
):
    """Simulations start from one belief; visits are weighted by the ratio of both probabilities."""
    game = load_game(name)
    searcher = ISMCTS(
        GraphModel(cached_tree(name).graph),
        belief=public_weight,
        opponent_public_weight=opponent_public_weight,
        num_simulations=300,
    )
    for depth in (0, 3):
        infostate = decision(game, np.random.default_rng(7), depth)
        player = infostate.player
        policy = searcher.search(infostate, np.random.default_rng(depth))
        reference = reference_of(searcher, infostate, seed=depth)
        reference.run(300)
        read, start = (
            PublicPrivateBelief(weight).at(game, infostate).infostate_probabilities(player)
            for weight in (public_weight, opponent_public_weight)
        )
        factors = {own: probability / start[own] for own, probability in read.items()}
        actions = searcher.last_search.actions
        visits, totals = root_counts(reference, player, actions, factors)
        assert policy == pytest.approx(np.array(visits) / sum(visits))
        assert abs(searcher.last_search.visits - np.array(visits)).max() <= 0.5 + 1e-9
        known = np.array(visits) > 0
        values = np.array(totals)[known] / np.array(visits)[known]
        assert searcher.last_search.values[known] == pytest.approx(values)


def test_actions_at_other_hands_count_by_card():
    """Under the public belief, roots have different hands and therefore different actions."""
    game = load_game("trick_taking(num_cards=6,num_suits=2)")
    infostate = decision(game, np.random.default_rng(0), 0)
    held = PublicPrivateBelief(1.0).at(game, infostate)
    legal = {history.legal_actions(infostate.player) for history in held.histories}
    assert len(legal) > 1
    searcher = ISMCTS(RulesModel(game), belief=1.0, num_simulations=200)
    check_same(searcher, infostate, seed=1)
    assert 0 < searcher.last_search.visits.sum() < 200 - len(legal)


@pytest.mark.parametrize(("name", "public_weight"), [*zip(GAMES, cycle([0.0, 0.5]))])
def test_rules_graphs_and_plain_python_search_alike(name, public_weight):
    game = load_game(name)
    infostate = decision(game, np.random.default_rng(2), 2)
    compiled, rules = GraphModel(cached_tree(name).graph), RulesModel(game)
    plain = GraphModel(cached_tree(name).graph)
    plain.__class__ = type("PlainGraph", (GraphModel,), {"is_compiled": False})
    found = []
    for model in (compiled, rules, plain):
        searcher = ISMCTS(model, belief=public_weight, num_simulations=120)
        policy = searcher.search(infostate, np.random.default_rng(4))
        found.append((policy.tolist(), searcher.last_search.values.tolist()))
    assert str(found[0]) == str(found[1]) == str(found[2])


def test_a_tree_and_its_graph_search_alike():
    """Their beliefs list the same worlds."""
    tree = cached_tree("leduc_poker")
    infostate = decision(tree.graph.game, np.random.default_rng(2), 2)
    policies = [
        ISMCTS(GraphModel(source)).search(infostate, np.random.default_rng(0)).tolist()
        for source in (tree, tree.graph)
    ]
    assert policies[0] == policies[1]
