"""αμ equals PIMC with one move, and finds the best pure policy with enough moves."""

from itertools import product

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.errors import ParameterError, UnsupportedGameError
from infoset.game import Infostate, Observation, initial_history
from infoset.games import load_game
from infoset.search import PIMC, AlphaMu, GraphModel, RulesModel, search_model
from infoset.search.alpha_mu import FrontSearch, join, minima, pareto_front
from infoset.tree import build_tree, build_world_graph
from infoset.utils.clocks import OutOfTimeError
from tests.support.function_game import FunctionGame

pytestmark = pytest.mark.broad


def values_at(searcher, infostate):
    searcher.search(infostate, np.random.default_rng(0))
    return searcher.last_search.values


@pytest.mark.parametrize("belief", [0.0, 0.4])
@pytest.mark.parametrize("num_worlds", [None, 7])
@pytest.mark.parametrize("name", ["leduc_poker(num_ranks=2)", "liars_dice(dice_sides=3)"])
def test_with_one_move_it_is_pimc(name, num_worlds, belief):
    model = GraphModel(build_tree(load_game(name)))
    infostates = model.tree.infostate_trees[1]
    shared = {"num_worlds": num_worlds, "belief": belief}
    pimc, alpha_mu = PIMC(model, **shared), AlphaMu(model, max_moves=1, **shared)
    for number in infostates.acting.tolist()[::3]:
        known = infostates.infostate_at(number)
        policies = [s.search(known, np.random.default_rng(1)).tolist() for s in (pimc, alpha_mu)]
        assert policies[0] == policies[1]
        if pimc.last_search.num_worlds:
            assert np.array_equal(
                pimc.last_search.values, alpha_mu.last_search.values, equal_nan=True
            )


def guess_the_coin(leave):
    """Leave for a payoff, or guess a hidden coin: 1 if right, -1 if wrong."""

    def transitions(world, joint):
        if world == "first":
            return [("left", 1)] if joint[0] == "leave" else [("heads", 0.5), ("tails", 0.5)]
        return [("right" if joint[0] == world else "wrong", 1)]

    def rewards(world, joint, after):
        won = {"left": leave, "right": 1, "wrong": -1}.get(after, 0)
        return won, -won

    return FunctionGame(
        2,
        initial_world=lambda: "first",
        actors=lambda world: (0,) if world in ("first", "heads", "tails") else (),
        legal_actions=lambda world, player: (
            ("leave", "play") if world == "first" else ("heads", "tails")
        ),
        transitions=lambda w, a: transitions(w, a) if w in ("first", "heads", "tails") else [],
        rewards=rewards,
        observe=lambda world, joint, after: Observation(public=after == "left"),
    )


@pytest.mark.parametrize("make_model", [lambda g: GraphModel(build_world_graph(g)), RulesModel])
def test_strategy_fusion(make_model):
    # A guess is worth 0, and 1 if the coin is seen.
    model, first = make_model(guess_the_coin(0.5)), Infostate(0, ())
    rng = np.random.default_rng(0)
    assert PIMC(model, num_worlds=None).search(first, rng).tolist() == [0.0, 1.0]
    assert AlphaMu(model, num_worlds=None).search(first, rng).tolist() == [1.0, 0.0]
    model = make_model(guess_the_coin(-0.5))
    assert values_at(AlphaMu(model, num_worlds=None), first)[1] == 0.0


def value_of_policy(history, player, policy):
    """Return the result of a pure policy against an opponent that sees everything."""
    if history.is_terminal:
        return history.rewards_so_far[player]
    (actor,) = history.actors or (None,)
    choices = [{}]
    if actor == player:
        choices = [{player: policy[history.infostates[player]]}]
    elif actor is not None:
        choices = [{actor: action} for action in history.legal_actions(actor)]
    results = []
    for choice in choices:
        joint = history.joint(choice)
        results.append(
            sum(
                float(probability) * value_of_policy(history.extend(joint, world), player, policy)
                for world, probability in history.outcomes(joint)
            )
        )
    return min(results)


def decisions_below(histories, player):
    """Return the player's infostates and legal actions at or after some histories."""
    found, waiting = {}, list(histories)
    while waiting:
        history = waiting.pop()
        if player in history.actors:
            found[history.infostates[player]] = history.legal_actions(player)
        actions = product(*(history.legal_actions(actor) for actor in history.actors))
        for chosen in [] if history.is_terminal else actions:
            joint = history.joint(dict(zip(history.actors, chosen, strict=True)))
            waiting.extend(history.extend(joint, world) for world, _ in history.outcomes(joint))
    return found


def best_pure_policy(game, infostate):
    """Return the best result of each action over all pure policies, or None if too many."""
    held = PublicPrivateBelief(0.0).at(game, infostate)
    below = decisions_below(held.histories, infostate.player)
    if np.prod([float(len(legal)) for legal in below.values()]) > 200:
        return None
    best = dict.fromkeys(below[infostate], -np.inf)
    for actions in product(*below.values()):
        policy = dict(zip(below, actions, strict=True))
        results = [value_of_policy(h, infostate.player, policy) for h in held.histories]
        action = policy[infostate]
        best[action] = max(best[action], float(np.dot(held.probability, results)))
    return np.array(list(best.values()))


def test_enough_moves_find_the_best_pure_policy():
    # In these games perfect information after the first action is worth something.
    num_checked = num_wrong = 0
    for seed in (7, 8, 9, 15, 29):
        game = load_game(
            f"random_game(seed={seed},num_players=2,simultaneous_share=0.0,chance_share=0.4,"
            "max_depth=5,max_actions=2,num_observations=1,max_histories=60)"
        )
        tree = build_tree(game)
        models = GraphModel(tree), RulesModel(game)
        for infostates in tree.infostate_trees:
            for number in infostates.acting.tolist()[:4]:
                known = infostates.infostate_at(number)
                expected = best_pure_policy(game, known)
                if expected is None or len(expected) == 1:
                    continue
                for model in models:
                    found = values_at(AlphaMu(model, max_moves=9, num_worlds=None), known)
                    best = np.isclose(expected, expected.max(), atol=1e-9)
                    assert found[best] == pytest.approx(expected[best])
                    is_valued = ~np.isnan(found)
                    assert found[is_valued] == pytest.approx(expected[is_valued])
                seen = values_at(PIMC(models[0], num_worlds=None), known)
                num_wrong += seen.max() > expected.max() + 1e-6
                num_checked += 1
    assert num_checked >= 20
    assert num_wrong >= 5, "in some games PIMC expects too much"


def test_values_do_not_grow_with_the_moves():
    model = search_model(load_game("trick_taking(num_cards=12,hand_size=3)"))
    known = first_infostate(model.game)
    best = [
        np.nanmax(values_at(AlphaMu(model, max_moves=moves, num_worlds=20), known))
        for moves in (1, 2, 3)
    ]
    assert best == sorted(best, reverse=True)


def first_infostate(game, seed=1):
    rng = np.random.default_rng(seed)
    history = initial_history(game)
    while not history.actors:
        history = history.sample(history.joint({}), rng)
    return history.infostates[history.actors[0]]


def test_fronts():
    front = pareto_front(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [1.0, 0.0]]))
    assert front.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert join(front, np.array([[1.0, 1.0]]), np.minimum).tolist() == front.tolist()
    assert join(front, front[:1], np.minimum).tolist() == [[1.0, 0.0]]
    assert join(front, front[:1], np.add).tolist() == [[2.0, 0.0], [1.0, 1.0]]
    assert minima(np.array([[3.0, 1.0, 2.0]]), np.array([0, 0, 2]), 3).tolist() == [
        [1.0, np.inf, 2.0]
    ]


@pytest.mark.broad
def test_no_leak():
    model = search_model(load_game("trick_taking(num_cards=12,hand_size=3)"))

    def search():
        return AlphaMu(model, belief=0.5, num_worlds=6, max_moves=3).search

    assert find_leak(model.game, search(), seed=1, num_plays=2, make_search=search) is None


def test_a_time_limit_deepens_move_by_move(clock):
    model = search_model(load_game("leduc_poker"))
    known = first_infostate(model.game)
    limited = AlphaMu(model, max_moves=3, num_worlds=20, milliseconds=100)
    free = AlphaMu(model, max_moves=3, num_worlds=20)
    limited.search(known, np.random.default_rng(0))
    assert limited.last_moves == 3
    assert limited.last_search.num_worlds == 20
    free.search(known, np.random.default_rng(0))
    assert free.last_moves == 3


def test_without_a_complete_world_no_move_counts_as_searched(clock, monkeypatch):
    def late(self, weight, bounds, moves):
        raise OutOfTimeError

    monkeypatch.setattr(FrontSearch, "scores", late)
    model = search_model(load_game("leduc_poker"))
    limited = AlphaMu(model, max_moves=3, num_worlds=20, milliseconds=100)
    limited.search(first_infostate(model.game), np.random.default_rng(0))
    assert limited.last_search.is_fallback
    assert limited.last_moves == 0


def test_out_of_time_keeps_the_last_iteration(clock, monkeypatch):
    model = search_model(load_game("leduc_poker"))
    known = first_infostate(model.game)
    limited = AlphaMu(model, max_moves=5, num_worlds=20, milliseconds=100)
    scores = FrontSearch.scores

    def late(self, weight, bounds, moves):
        clock.now += 0.06 * (moves > 1)  # the second of these iterations passes the deadline
        return scores(self, weight, bounds, moves)

    monkeypatch.setattr(FrontSearch, "scores", late)
    found = limited.search(known, np.random.default_rng(0))
    assert limited.last_moves == 2
    assert found.sum() == 1.0


def test_invalid_arguments():
    kuhn = search_model(load_game("kuhn_poker"))
    with pytest.raises(ParameterError, match="max_moves=0 must be a whole number, at least 1"):
        AlphaMu(kuhn, max_moves=0)
    with pytest.raises(UnsupportedGameError, match="has 3 players"):
        AlphaMu(search_model(load_game("kuhn_poker(players=3)")))
    with pytest.raises(UnsupportedGameError, match="do not have a constant sum"):
        AlphaMu(search_model(load_game("trade_comm(num_items=2)")))
    goofspiel = RulesModel(load_game("goofspiel(num_cards=3,points_order=descending)"))
    with pytest.raises(UnsupportedGameError, match="choose simultaneously"):
        AlphaMu(goofspiel).search(Infostate(0, ()), np.random.default_rng(0))
