"""EPIMC equals PIMC at depth 1, and avoids strategy fusion up to its depth."""

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import best_response, expected_values
from infoset.game import Infostate, Observation, Step
from infoset.games import load_game
from infoset.policy import tabulate, uniform_policy
from infoset.search import EPIMC, GraphModel, RulesModel, pimc_policy
from infoset.search.models.dice import DiceModel
from infoset.tree import build_tree, build_world_graph
from tests.search.reference_values import plain_values
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame

SIDES = ("rock", "paper", "scissors")


def guessing(leave, *, is_hidden=True, is_drawn=True, num_guesses=1):
    """A player who stays must guess a hidden coin; a player who leaves gets `leave`.

    Only the last guess counts. World states are the sequences of past moves.
    """

    def actors(world):
        if world in ((), ("play",)):
            return (0,) if world == () else () if is_drawn else (1,)
        return (0,) if 2 <= len(world) < 2 + num_guesses else ()

    def legal_actions(world, player):
        if world == ():
            return ("leave", "play")
        return SIDES

    def transitions(world, joint):
        if world == ("play",) and is_drawn:
            return [((*world, side), 1 / 3) for side in SIDES]
        action = joint[1] if joint[1] is not None else joint[0]
        return [((*world, action), 1)] if action is not None else []

    def rewards(world, joint, after):
        if after == ("leave",):
            return leave, -leave
        is_right = len(after) == 2 + num_guesses and after[-1] == after[1]
        return (1, -1) if is_right else (0, 0)

    def observe(world, joint, after):
        shown = after[1] if world == ("play",) and not is_hidden else len(after)
        return Observation(public=shown)

    return FunctionGame(
        2,
        initial_world=lambda: (),
        actors=actors,
        legal_actions=legal_actions,
        transitions=transitions,
        rewards=rewards,
        observe=observe,
    )


def models(game):
    return GraphModel(build_world_graph(game)), RulesModel(game)


def first_move(game, depth, **options):
    """Return the first action, which must be the same by the graph and by the rules."""
    answers = [
        EPIMC(model, depth=depth, num_worlds=None, **options)
        .search(Infostate(0, ()), np.random.default_rng(0))
        .tolist()
        for model in models(game)
    ]
    assert answers[0] == answers[1]
    return dict(zip(("leave", "play"), answers[0], strict=True))


@pytest.mark.parametrize(
    ("name", "public_weight"),
    [
        ("leduc_poker(num_ranks=2)", (0.9, 0.2)),
        ("kuhn_poker(players=3)", 0.4),
        ("trick_taking(num_cards=4,num_suits=2)", 0.0),
        ("trick_taking(num_cards=4,num_suits=2)", (0.9, 0.2)),
    ],
)
def test_at_depth_one_it_is_pimc(name, public_weight):
    tree, belief = build_tree(load_game(name)), PublicPrivateBelief(public_weight)
    table = pimc_policy(tree, belief)
    searcher = EPIMC(GraphModel(tree), depth=1, belief=belief, num_worlds=None)
    found = tabulate(tree.sequence_form, [searcher] * tree.num_players)
    for one, other in zip(found.probabilities, table.probabilities, strict=True):
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("is_drawn", [True, False])
def test_no_strategy_fusion_within_the_depth(is_drawn):
    # a guess is right one time in three: worth 1/3, not 1; if another hides, whatever it
    # hides is as good to it, as long as it counts on being seen through
    for leave, best in ((0.3, "play"), (0.4, "leave"), (0.9, "leave"), (1.1, "leave")):
        game = guessing(leave, is_drawn=is_drawn)
        assert first_move(game, 1)["play"] == (leave < 1), "PIMC counts on seeing"
        assert first_move(game, 2)[best] == first_move(game, 3)[best] == 1.0


def test_later_observations_are_used():
    game = guessing(0.9, is_hidden=False)
    assert first_move(game, 1) == first_move(game, 2) == {"leave": 0.0, "play": 1.0}


def test_depth_counts_own_decisions():
    # the first guess is for nothing, so that at depth 2 the second one is thought to be seen
    game = guessing(0.5, num_guesses=2)
    assert [first_move(game, depth)["play"] for depth in (1, 2, 3, 4)] == [1.0, 1.0, 0.0, 0.0]


def test_equal_actions_are_tied():
    assert first_move(guessing(1 / 3), 2) == {"leave": 0.5, "play": 0.5}


@pytest.mark.parametrize(("seed", "loses"), [(1, False), (3, True)])
def test_with_one_player_enough_depth_is_optimal(seed, loses):
    # in a game without decisions of the opponent, the optimal policy is known and PIMC may lose
    name = f"random_game(seed={seed},num_players=2,simultaneous_share=0.0,chance_share=0.6)"
    game = load_game(name)
    dumb = FunctionGame(
        2,
        initial_world=game.initial_world,
        actors=game.actors,
        legal_actions=lambda w, p: game.legal_actions(w, p)[: 9 if p == 0 else 1],
        transitions=game.transitions,
        rewards=game.rewards,
        observe=game.observe,
    )
    tree = build_tree(dumb)
    best = best_response(uniform_policy(tree.sequence_form), 0).value
    values = []
    for depth in (1, 9):
        searcher = EPIMC(GraphModel(tree), depth=depth, num_worlds=None)
        policy = tabulate(tree.sequence_form, [searcher, None])
        values.append(expected_values(policy)[0])
    assert values[1] == pytest.approx(best)
    assert (values[0] < best - 1e-3) == loses, "PIMC loses where it counts on seeing"


def against_nature(game):
    """Player 1 of a game becomes chance, and plays its best response under perfect information."""
    value = plain_values(game)

    def joint_actions(world, action):
        if 1 not in game.actors(world):
            return [((action, None), 1.0)]
        legal = game.legal_actions(world, 1)
        worth = [value.after(world, 1, reply)[1] for reply in legal]
        best = [reply for reply, w in zip(legal, worth, strict=True) if w > max(worth) - 1e-9]
        return [((None, reply), 1 / len(best)) for reply in best]

    return FunctionGame(
        2,
        initial_world=lambda: (game.initial_world(), None),
        actors=lambda w: [player for player in game.actors(w[0]) if player == 0],
        legal_actions=lambda w, player: game.legal_actions(w[0], player),
        transitions=lambda w, a: [
            ((after, joint), float(chance) * probability)
            for joint, probability in joint_actions(w[0], a[0])
            for after, chance in game.transitions(w[0], joint)
        ],
        rewards=lambda w, a, n: game.rewards(w[0], n[1], n[0]),
        observe=lambda w, a, n: game.observe(w[0], n[1], n[0]),
    )


@pytest.mark.parametrize(
    ("name", "too_much"), [("leduc_poker(num_ranks=2)", 0.1), ("liars_dice(dice_sides=3)", 0.0)]
)
def test_enough_depth_is_a_best_response_to_opponents_with_perfect_information(name, too_much):
    tree = build_tree(load_game(name))
    value = {}
    for depth in (1, 9):
        values, reach = first_values(tree, depth=depth)
        value[depth] = reach @ values.max(axis=1)
    single = build_tree(against_nature(tree.game))
    best = best_response(uniform_policy(single.sequence_form), 0).value
    assert value[9] == pytest.approx(best)
    assert value[1] >= best + too_much - 1e-9, "PIMC thinks that it will see everything"


def first_values(tree, **options):
    """Return the action values at the first infostates of player 0, all of one public state.

    The probability of each infostate is also returned.
    """
    infostates = tree.infostate_trees[0]
    first = infostates.acting[infostates.last_sequence[infostates.acting] == 0]
    values = []
    for number in first.tolist():
        searcher = EPIMC(GraphModel(tree), num_worlds=None, **options)
        searcher.search(infostates.infostate_at(number), np.random.default_rng(0))
        values.append(searcher.last_search.values)
    reach = [tree.chance_reach[tree.infostate[:, 0] == number].sum() for number in first]
    return np.array(values), np.array(reach)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_public_values_are_means_over_own_hands(depth):
    # each hand continues with knowledge of itself
    tree = cached_tree("leduc_poker")
    private, reach = first_values(tree, depth=depth)
    public, _ = first_values(tree, depth=depth, belief=1.0)
    assert abs(public - reach @ private).max() < 1e-12


def test_paranoid_is_max_n_in_zero_sum_games():
    tree = cached_tree("leduc_poker")
    max_n, _ = first_values(tree, depth=3)
    paranoid, _ = first_values(tree, depth=3, opponents="paranoid")
    assert abs(max_n - paranoid).max() < 1e-12


@pytest.mark.long
def test_the_same_on_a_model_with_closed_form_values():
    game = load_game("liars_dice(dice_sides=3)")
    models = GraphModel(build_world_graph(game)), DiceModel(game)
    hand, rng = Infostate(0, (Step(None, (2,), None),)), np.random.default_rng(0)
    for depth in (1, 2, 3):
        searchers = [EPIMC(m, depth=depth, num_worlds=None, belief=0.5) for m in models]
        one, other = (searcher.search(hand, rng).tolist() for searcher in searchers)
        assert one == other


def test_no_leak_and_no_memory():
    model = GraphModel(build_world_graph(load_game("leduc_poker(num_ranks=2)")))

    def search():
        return EPIMC(model, belief=0.4, num_worlds=20, depth=2).search

    assert find_leak(model.game, search(), seed=1, num_plays=3, make_search=search) is None


def test_a_search_with_a_time_limit(clock):
    model = GraphModel(cached_tree("leduc_poker"))
    searcher = EPIMC(model, num_worlds=None, milliseconds=200, belief=1.0)
    infostates = model.tree.infostate_trees[0]
    searcher.search(infostates.infostate_at(infostates.acting[0]), np.random.default_rng(0))
    assert searcher.last_search.num_worlds > 1
    assert searcher.last_search.num_nodes > 0


def test_invalid_arguments():
    model = GraphModel(build_world_graph(load_game("kuhn_poker")))
    with pytest.raises(ParameterError, match="depth=0 must be a whole number, at least 1"):
        EPIMC(model, depth=0)
    with pytest.raises(ParameterError, match="num_worlds=0"):
        EPIMC(model, num_worlds=0)
    goofspiel = RulesModel(load_game("goofspiel(num_cards=3,points_order=descending)"))
    with pytest.raises(UnsupportedGameError, match="choose simultaneously"):
        EPIMC(goofspiel).search(Infostate(0, ()), np.random.default_rng(0))
