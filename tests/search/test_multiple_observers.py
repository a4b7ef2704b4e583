"""IS-MCTS has one tree for each player: compared with a single tree of the searching player."""

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief, find_leak
from infoset.game import Infostate, Observation, initial_history
from infoset.search import ISMCTS, PIMC, GraphModel, RulesModel, make_searcher
from infoset.tree import build_world_graph
from infoset.utils.splitmix import make_stream
from tests.search.reference_ismcts import SingleObserverISMCTS
from tests.search.test_ismcts import nim
from tests.support.function_game import FunctionGame

SIDES = ("heads", "tails")


def single_observer_visits(game, infostate, num_simulations):
    """Return the root visits of SO-ISMCTS, by action."""
    held = PublicPrivateBelief(0.0).at(game, infostate)
    histories = [held.histories[number] for number in range(len(held))]
    search = SingleObserverISMCTS(
        infostate.player, histories, held.probability, make_stream(0), 1.4
    )
    search.run(num_simulations)
    return search.root_policy(infostate)


def best_action(searcher, infostate):
    policy = searcher.search(infostate, np.random.default_rng(0))
    return searcher.last_search.actions[int(policy.argmax())]


@pytest.mark.parametrize("heap", [6, 9])
def test_with_perfect_information_both_kinds_find_the_winning_action(heap):
    """The player who leaves a multiple of four wins."""
    game = nim(heap)
    start = initial_history(game).infostates[0]
    searcher = make_searcher("mo-ismcts(num_simulations=3000,reward_scale=2)", game)
    visits = single_observer_visits(game, start, 800)
    assert best_action(searcher, start) == max(visits, key=visits.get) == heap % 4


def hidden_coin():
    """Player 1 sees a coin. Player 0 leaves, which costs 0.5, or lets player 1 name a side.

    If player 1 names the right side, player 0 loses 1, otherwise it wins 1.
    """

    def move(world, joint):
        if world == "start":
            return [(side, 0.5) for side in SIDES]
        if world in SIDES:
            return [("left" if joint[0] == "leave" else (world,), 1)]
        if isinstance(world, tuple) and len(world) == 1:
            return [((*world, joint[1]), 1)]
        return []

    def pay(world, joint, after):
        if after == "left":
            return (-0.5, 0.5)
        if isinstance(after, tuple) and len(after) == 2:
            return (-1, 1) if after[0] == after[1] else (1, -1)
        return (0, 0)

    def observe(world, joint, after):
        if world == "start":
            return Observation(None, {1: after})
        return Observation(joint[0] or joint[1])

    return FunctionGame(
        2,
        actors=lambda w: (
            (0,) if w in SIDES else (1,) if isinstance(w, tuple) and len(w) == 1 else ()
        ),
        legal_actions=lambda w, p: ("leave", "stay") if p == 0 else SIDES,
        transitions=move,
        rewards=pay,
        observe=observe,
    )


def first_infostate(game):
    history = initial_history(game)
    return history.extend((None, None), history.chance_outcomes[0][0]).infostates[0]


def test_other_players_use_their_own_information():
    """Player 1 names the right side, so that staying is worth -1.

    A single tree merges the nodes of player 1, as if it did not see the coin. Staying then seems to
    be worth 0.
    """
    game = hidden_coin()
    known = first_infostate(game)
    for model in (GraphModel(build_world_graph(game)), RulesModel(game)):
        searcher = ISMCTS(model, num_simulations=500, reward_scale=2)
        assert best_action(searcher, known) == "leave"
        leave, stay = searcher.last_search.values
        assert leave == -0.5
        assert stay < -0.7
    visits = single_observer_visits(game, known, 500)
    assert visits["stay"] > 4 * visits["leave"]


def hidden_move():
    """Player 0 hides a coin under one of two cups, and player 1 guesses where it is."""

    def pay(world, joint, after):
        if len(after) < 2:
            return (0, 0)
        return (-1, 1) if after[0] == after[1] else (1, -1)

    return FunctionGame(
        2,
        initial_world=lambda: (),
        actors=lambda w: (len(w),) if len(w) < 2 else (),
        transitions=lambda w, a: [((*w, a[len(w)]), 1)] if len(w) < 2 else [],
        rewards=pay,
        observe=lambda w, a, n: Observation(None if len(n) < 2 else n),
    )


def test_other_players_do_not_use_hidden_actions():
    """In equilibrium both cups are worth 0. A player who saw the coin move would make it -1."""
    game = hidden_move()
    start = Infostate(0, ())
    model = GraphModel(build_world_graph(game))
    searcher = ISMCTS(model, num_simulations=4000, exploration=2.0, reward_scale=2)
    policy = searcher.search(start, np.random.default_rng(0))
    assert searcher.last_search.values == pytest.approx([0, 0], abs=0.25)
    assert policy == pytest.approx([0.5, 0.5], abs=0.15)
    seeing = PIMC(model, num_worlds=None)
    seeing.search(start, np.random.default_rng(0))
    assert seeing.last_search.values.tolist() == [-1, -1]


@pytest.mark.parametrize("game", [hidden_move(), hidden_coin()], ids=["move", "coin"])
@pytest.mark.parametrize("public_weight", [0.0, 0.5])
def test_it_does_not_leak(game, public_weight):
    model = GraphModel(build_world_graph(game))

    def make():
        return ISMCTS(model, belief=public_weight, num_simulations=30).search

    assert find_leak(game, make(), seed=0, num_plays=5, make_search=make) is None
