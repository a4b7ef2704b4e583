"""Depth limits and leaf values: exact values, random plays, and their error messages."""

from functools import cache, partial
from itertools import product
from zlib import crc32

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.errors import ParameterError
from infoset.game import Infostate, initial_history
from infoset.games import load_game
from infoset.policy import UniformPolicy
from infoset.search import (
    EPIMC,
    ISMCTS,
    PIMC,
    GraphModel,
    Rollouts,
    RulesModel,
    make_searcher,
    search_model,
)
from infoset.search.models import HistoriesModel, empty_position
from infoset.tree import build_world_graph
from infoset.utils.splitmix import make_stream
from tests.search.reference_values import limited_pimc_values, plain_values
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad

RANDOM = (
    "random_game(seed=5,num_players=3,max_depth=5,max_histories=300,simultaneous_share=0,"
    "chance_share=0.4,fractional_rewards=True)"
)


@cache
def model_of(name):
    return search_model(load_game(name))


def generator(seed=0):
    return np.random.default_rng(seed)


def first_decision(game, seed=0, depth=0):
    """Return the infostate of the first decision after some steps of a random play."""
    history, rng = initial_history(game), generator(seed)
    while True:
        choosers = [p for p in history.actors if len(history.legal_actions(p)) > 1]
        if choosers and history.depth >= depth:
            return history.infostates[choosers[0]]
        legal = {p: history.legal_actions(p) for p in history.actors}
        actions = {p: own[int(rng.integers(len(own)))] for p, own in legal.items()}
        history = history.sample(history.joint(actions), rng)


def scrambled(history):
    """Return values that depend on all infostates of a history."""
    text = "".join(map(str, history.infostates))
    return [
        crc32(f"{player}{text}".encode()) % 1000 / 100 for player in range(len(history.infostates))
    ]


def scrambled_values(histories):
    return np.array([scrambled(history) for history in histories])


def never(histories):
    raise AssertionError("there is no leaf")


@pytest.mark.parametrize("opponents", ["max_n", "paranoid"])
@pytest.mark.parametrize(
    ("name", "public_weight", "depth"),
    [
        ("leduc_poker(num_ranks=2)", 0.3, 2),
        ("kuhn_poker(players=3)", 0.5, 1),
        ("kuhn_poker(players=3)", 0.0, 2),
        (RANDOM, 0.0, 1),
        (RANDOM, 0.5, 2),
        ("trick_taking(num_cards=6,num_suits=2)", 0.4, 2),
    ],
)
def test_depth_limited_values_equal_brute_force(name, public_weight, depth, opponents):
    game = load_game(name)
    infostate = first_decision(game)
    searcher = PIMC(
        model_of(name),
        belief=public_weight,
        num_worlds=None,
        depth=depth,
        leaf_value=scrambled_values,
        opponents=opponents,
    )
    policy = searcher.search(infostate, generator())
    expected = limited_pimc_values(searcher, infostate, scrambled)
    assert searcher.last_search.values == pytest.approx(list(expected.values()), abs=1e-12)
    assert policy.argmax() == np.argmax(list(expected.values()))


@pytest.mark.parametrize(
    ("name", "public_weight"),
    [
        ("kuhn_poker(players=3)", 0.0),
        ("liars_dice(dice_sides=2)", 1.0),
    ],
)
def test_a_depth_beyond_the_end_changes_no_value(name, public_weight):
    game = load_game(name)
    infostate = first_decision(game)
    for model, opponents in product((model_of(name), RulesModel(game)), ("max_n", "paranoid")):
        settings = {"belief": public_weight, "num_worlds": None, "opponents": opponents}
        whole = PIMC(model, **settings)
        policy = whole.search(infostate, generator())
        for leaf_value in (None, never):
            limited = PIMC(model, **settings, depth=99, leaf_value=leaf_value)
            assert limited.search(infostate, generator()).tolist() == policy.tolist()
            assert limited.last_search.values == pytest.approx(whole.last_search.values, abs=1e-12)


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("name", ["leduc_poker(num_ranks=2)", RANDOM])
def test_with_exact_leaf_values_every_depth_gives_the_exact_answer(name, depth):
    game = load_game(name)
    value, infostate = plain_values(game), first_decision(game)

    def exact(histories):
        return np.array([np.array(h.rewards_so_far, float) + value(h.world) for h in histories])

    searchers = [
        PIMC(model_of(name), num_worlds=None, **settings)
        for settings in ({}, {"depth": depth, "leaf_value": exact})
    ]
    policies = [searcher.search(infostate, generator()).tolist() for searcher in searchers]
    assert policies[0] == policies[1]
    values = [searcher.last_search.values for searcher in searchers]
    assert values[1] == pytest.approx(values[0], abs=1e-12)


def test_epimc_with_leaf_values_at_depth_one_is_pimc_at_depth_one():
    model = model_of("leduc_poker")
    infostate = first_decision(model.game, depth=3)
    settings = {"num_worlds": None, "belief": 0.3, "leaf_value": scrambled_values, "depth": 1}
    searchers = PIMC(model, **settings), EPIMC(model, **settings)
    policies = [searcher.search(infostate, generator()).tolist() for searcher in searchers]
    assert policies[0] == policies[1]
    values = [searcher.last_search.values for searcher in searchers]
    assert values[1] == pytest.approx(values[0], abs=1e-12)


class Favorite:
    """A policy that prefers the last action."""

    def action_probabilities(self, infostate, legal_actions):
        weight = 1.0 + np.arange(len(legal_actions))
        return weight / weight.sum()


@pytest.mark.parametrize(
    ("leaf_value", "policy"),
    [
        (None, UniformPolicy()),
        (Rollouts(num_rollouts=3), UniformPolicy()),
        (Favorite(), Favorite()),
        (Rollouts(Favorite(), 2), Favorite()),
    ],
)
def test_rollouts_have_the_expected_value_of_their_policy(leaf_value, policy):
    """At depth one, from the first infostate of Kuhn poker: both other cards are equally likely."""
    model = model_of("kuhn_poker")
    queen = first_decision(model.game)
    searcher = PIMC(model, num_worlds=500, depth=1, leaf_value=leaf_value)
    searcher.search(queen, generator())
    held = PublicPrivateBelief(0.0).at(model.game, queen)

    def value(history):
        if history.is_terminal:
            return float(history.rewards_so_far[0])
        (who,) = history.actors
        legal = history.legal_actions(who)
        chances = policy.action_probabilities(history.infostates[who], legal)
        return sum(p * after(history, who, a) for p, a in zip(chances, legal, strict=True))

    def after(history, who, action):
        joint = history.joint({who: action})
        return sum(float(p) * value(history.extend(joint, w)) for w, p in history.outcomes(joint))

    expected = [
        sum(p * after(h, 0, action) for h, p in zip(held.histories, held.probability, strict=True))
        for action in searcher.last_search.actions
    ]
    assert searcher.last_search.values == pytest.approx(expected, abs=4 * 2 / 500**0.5)


@pytest.mark.parametrize("num_worlds", [400, None])
def test_each_draw_of_a_single_world_has_its_own_play(num_worlds):
    """With perfect information there is one world; without draws it has a single play."""
    game = FunctionGame(
        1,
        initial_world=lambda: "first",
        actors=lambda w: (0,) if w in ("first", "left") else (),
        transitions=lambda w, a: {
            "first": [(a[0], 1)],
            "left": [("won" if a[0] == "left" else "lost", 1)],
        }.get(w, []),
        rewards=lambda w, a, n: ({"won": 1.0, "right": 0.25}.get(n, 0.0),),
    )
    for model in (RulesModel(game), GraphModel(build_world_graph(game))):
        searcher = PIMC(model, num_worlds=num_worlds, depth=1)
        searcher.search(Infostate(0, ()), generator())
        left, right = searcher.last_search.values
        assert right == 0.25
        if num_worlds is None:
            assert left in (0.0, 1.0)
        else:
            assert left == pytest.approx(0.5, abs=4 * 0.5 / 20)


@pytest.mark.parametrize("leaf_value", [scrambled_values, Rollouts(UniformPolicy())])
def test_a_move_that_is_chosen_in_part_is_completed_at_random(leaf_value):
    """After player 0 has chosen one of three cards, player 1 plays each of its cards equally often.

    With the last two cards the play ends, so that a rollout has the value of its only end.
    """
    is_play = isinstance(leaf_value, Rollouts)
    game = load_game(f"goofspiel(num_cards={2 if is_play else 3},points_order=descending)")
    start = first_decision(game)
    model = HistoriesModel(search_model(game), leaf_value)
    roots = model.roots(start, PublicPrivateBelief(0.0), generator())
    position = empty_position(1, 2)
    position.state[:] = roots.states[0]
    model.choose_action(position, 0)
    stream = make_stream(0)
    found = [tuple(model.leaf_values(position.state[None], stream)[0]) for _ in range(600)]
    history = PublicPrivateBelief(0.0).at(game, start).histories[0]
    expected = []
    for card in history.legal_actions(1):
        joint = (history.legal_actions(0)[0], card)
        ((world, _),) = history.outcomes(joint)
        after = history.extend(joint, world)
        while is_play and not after.is_terminal:
            joint = tuple(after.legal_actions(player)[0] for player in after.actors) or (None, None)
            ((world, _),) = after.outcomes(joint)
            after = after.extend(joint, world)
        expected.append(tuple(after.rewards_so_far if is_play else scrambled(after)))
    assert set(found) == set(expected)
    for value in set(expected):
        chance = expected.count(value) / len(expected)
        assert found.count(value) / 600 == pytest.approx(chance, abs=4 * 0.5 / 600**0.5)


def test_functions_value_decisions_only():
    """In goofspiel both players choose simultaneously, and the last card is forced."""
    seen = []

    def leaf_value(histories):
        seen.extend(histories)
        return np.zeros((len(histories), 2))

    game = load_game("goofspiel(num_cards=3,imp_info=True)")
    searcher = ISMCTS(search_model(game), num_simulations=200, leaf_value=leaf_value)
    searcher.search(first_decision(game), generator())
    assert {max(map(len, map(history.legal_actions, (0, 1)))) for history in seen} == {2, 3}


LEAF_VALUES = [None, pytest.param(Favorite(), id="policy"), scrambled_values]


@pytest.mark.parametrize("leaf_value", LEAF_VALUES)
@pytest.mark.parametrize(
    "text",
    [
        "pimc(depth=1,num_worlds=9)",
        "pimc(depth=2,num_worlds=3)",
        "ismcts(depth=1,num_simulations=30)",
    ],
)
def test_the_same_seed_gives_the_same_answer(text, leaf_value):
    model = model_of("kuhn_poker(players=3)")
    infostate = first_decision(model.game, depth=2)
    make = partial(make_searcher, text, model, leaf_value=leaf_value)
    used = make()
    first = used.search(infostate, generator(1)).tolist()
    used.search(first_decision(model.game), generator(2))
    assert used.search(infostate, generator(1)).tolist() == first
    assert make().search(infostate, generator(1)).tolist() == first
    one_by_one = [used.search(infostate, rng) for rng in [generator(3)] for _ in range(4)]
    assert used.search_many(infostate, generator(3), 4).tolist() == np.array(one_by_one).tolist()


@pytest.mark.parametrize("leaf_value", LEAF_VALUES)
@pytest.mark.parametrize(
    "text", ["pimc(depth=2,num_worlds=3)", "ismcts(depth=2,num_simulations=10)"]
)
def test_searches_with_leaf_values_do_not_leak(text, leaf_value):
    model = model_of("kuhn_poker")

    def make():
        belief = PublicPrivateBelief(0.4)
        return make_searcher(text, model, leaf_value=leaf_value, belief=belief).search

    assert find_leak(model.game, make(), seed=1, num_plays=2, make_search=make) is None


@pytest.mark.parametrize("kind", [PIMC, EPIMC, ISMCTS])
@pytest.mark.parametrize(
    ("leaf_value", "message"),
    [
        (lambda histories: np.zeros(len(histories)), r"shape \(\d+,\) for \d+ histories"),
        (lambda histories: np.zeros((len(histories), 3)), r"return an array of shape \(\d+, 2\)"),
        (lambda histories: None, "returned None for"),
        (lambda histories: "high", "returned 'high' for"),
        (lambda histories: np.full((len(histories), 2), np.nan), r"returned \[nan, nan\] at the"),
        (lambda histories: np.full((len(histories), 2), np.inf), "return finite numbers"),
    ],
)
def test_wrong_leaf_values_are_reported(kind, leaf_value, message):
    model = model_of("kuhn_poker")
    searcher = kind(model, depth=1, leaf_value=leaf_value)
    with pytest.raises(ParameterError, match=message):
        searcher.search(first_decision(model.game), generator())


@pytest.mark.parametrize("kind", [PIMC, EPIMC, ISMCTS])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"depth": 0}, "depth=0 must be a whole number, at least 1"),
        ({"depth": 1.5}, "depth=1.5 must be a whole number"),
        ({"depth": 1, "leaf_value": 3}, "leaf_value=3 is neither a policy nor a function"),
        ({"depth": 1, "leaf_value": UniformPolicy}, "is neither a policy nor a function"),
    ],
)
def test_invalid_settings(kind, settings, message):
    with pytest.raises(ParameterError, match=message):
        kind(model_of("kuhn_poker"), **settings)


def test_invalid_rollouts_and_leaf_values_without_leaves():
    with pytest.raises(ParameterError, match="num_rollouts=0"):
        Rollouts(num_rollouts=0)
    with pytest.raises(ParameterError, match="policy='uniform'"):
        Rollouts("uniform")
    with pytest.raises(ParameterError, match="leaf_value is given without depth"):
        PIMC(model_of("kuhn_poker"), leaf_value=Rollouts())


def test_settings_name_the_leaf_value():
    model = model_of("kuhn_poker")
    named = {
        "Rollouts(policy=Favorite, num_rollouts=1)": Favorite(),
        "Rollouts(num_rollouts=4)": Rollouts(num_rollouts=4),
        "scrambled_values": scrambled_values,
    }
    for name, leaf_value in named.items():
        assert PIMC(model, depth=2, leaf_value=leaf_value).settings()["leaf_value"] == name
