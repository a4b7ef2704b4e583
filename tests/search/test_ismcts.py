"""Invariants of information-set Monte Carlo tree search, and its error messages."""

import pickle

import numpy as np
import pytest

from infoset.beliefs import PublicPrivateBelief
from infoset.errors import ParameterError, ShortSearchWarning, UnknownNameError
from infoset.game import Infostate, Observation, Step, initial_history
from infoset.games import load_game
from infoset.search import GraphModel, RulesModel, search_model
from infoset.search._ismcts_kernels import TREE_FULL, Bonus, next_infostate
from infoset.search.final_policies import max_visits, normalized_visits
from infoset.search.ismcts import BONUSES, ISMCTS
from infoset.search.search_tree import SearchTree, own_weights
from infoset.tree import build_world_graph
from infoset.utils.splitmix import next_uniform
from tests.support.function_game import FunctionGame


@pytest.fixture(scope="module")
def kuhn():
    return GraphModel(build_world_graph(load_game("kuhn_poker")))


@pytest.fixture(scope="module")
def leduc():
    return GraphModel(build_world_graph(load_game("leduc_poker")))


def leduc_start(card="Kd"):
    history = initial_history(load_game("leduc_poker"))
    worlds = [world for world, _ in history.chance_outcomes]
    found = [history.extend((None, None), world).infostates[0] for world in worlds]
    return found[0]


def generator(seed=0):
    return np.random.default_rng(seed)


def nim(heap):
    """Take one to three; the player who takes the last wins. There is no hidden information."""

    def move(world, joint):
        left, turn = world
        return [((left - joint[turn], 1 - turn), 1)] if left else []

    def pay(world, joint, after):
        if after[0]:
            return (0, 0)
        return (1, -1) if world[1] == 0 else (-1, 1)

    return FunctionGame(
        2,
        initial_world=lambda: (heap, 0),
        actors=lambda world: (world[1],) if world[0] else (),
        legal_actions=lambda world, player: tuple(range(1, 1 + min(3, world[0]))),
        transitions=move,
        rewards=pay,
        observe=lambda world, joint, after: Observation(after),
    )


def plain_uct(heap, simulations, exploration, stream):
    """Return the visits of one, two and three by perfect-information UCT over lines of play."""
    visits, wins = {}, {}
    for _ in range(simulations):
        next_uniform(stream)  # the only position
        line, left, turn, path = (), heap, 0, []
        while left and line in visits:
            counts = visits[line]
            if (counts == 0).any():
                untried = np.flatnonzero(counts == 0)
                take = untried[int(next_uniform(stream) * len(untried))]
            else:
                bounds = wins[line] / counts
                bounds += exploration * np.sqrt(np.log(counts.sum()) / counts)
                take, ties = 0, 1
                for action in range(1, len(bounds)):
                    if bounds[action] > bounds[take]:
                        take, ties = action, 1
                    elif bounds[action] == bounds[take]:
                        ties += 1
                        take = action if next_uniform(stream) * ties < 1 else take
            path.append((line, turn, take))
            line, left, turn = (*line, take), left - 1 - take, 1 - turn
        if left:
            visits[line], wins[line] = np.zeros(min(3, left)), np.zeros(min(3, left))
        while left:
            most = min(3, left)
            left, turn = left - 1 - (int(next_uniform(stream) * most) if most > 1 else 0), 1 - turn
        for passed, player, take in path:
            visits[passed][take] += 1
            wins[passed][take] += 1 if player != turn else -1
    return visits[()]


@pytest.mark.parametrize("exploration", [0.4, 1.4])
def test_with_perfect_information_it_is_uct(exploration):
    game = nim(9)
    start = initial_history(game).infostates[0]
    searcher = ISMCTS(
        GraphModel(build_world_graph(game)),
        num_simulations=400,
        exploration=exploration,
        reward_scale=1.0,
    )
    searcher.search(start, generator(11))
    stream = np.array([generator(11).integers(2**64, dtype=np.uint64)])
    assert searcher.last_search.visits.tolist() == plain_uct(9, 400, exploration, stream).tolist()
    assert searcher.search(start, generator(1)).argmax() == 0  # leaves eight


@pytest.mark.parametrize(
    ("simulations", "public_weight"), [(1, 0.0), (2, 0.0), (500, 0.0), (500, 1.0)]
)
def test_visits_sum_to_the_simulations_minus_the_roots(leduc, simulations, public_weight):
    searcher = ISMCTS(leduc, belief=public_weight, num_simulations=simulations)
    policy = searcher.search(leduc_start(), generator())
    num_roots = 6 if public_weight else 1
    assert searcher.last_search.visits.sum() == simulations - num_roots
    assert policy.sum() == pytest.approx(1)
    if simulations == 1:
        assert policy.tolist() == [0.5, 0.5]


def test_a_single_action_needs_no_simulation():
    game = nim(1)
    searcher = ISMCTS(GraphModel(build_world_graph(game)))
    assert searcher.search(initial_history(game).infostates[0], generator()).tolist() == [1.0]
    assert searcher.last_search.num_simulations == 0


def test_it_avoids_dominated_actions(kuhn):
    facing_bet = Infostate(1, (Step(None, "J", None), Step(None, None, "bet")))
    searcher = ISMCTS(kuhn, num_simulations=5000)
    assert searcher.search(facing_bet, generator())[0] > 0.98
    values = searcher.last_search.values
    assert values == pytest.approx([-1.0, -2.0])
    king = Infostate(1, (Step(None, "K", None), Step(None, None, "bet")))
    assert searcher.search(king, generator())[1] > 0.98


@pytest.mark.parametrize("public_weight", [0.0, 0.6])
def test_max_visits_plays_the_most_visited_action_of_the_same_search(leduc, public_weight):
    settings = {"belief": public_weight, "num_simulations": 200}
    normalized = ISMCTS(leduc, **settings)
    played = ISMCTS(leduc, **settings, final_policy="max-visits")
    for seed in range(5):
        visits = normalized.search(leduc_start(), generator(seed))
        policy = played.search(leduc_start(), generator(seed))
        assert played.last_search.visits.tolist() == normalized.last_search.visits.tolist()
        assert policy.max() == 1.0
        assert policy.argmax() == visits.argmax()


def test_final_policies_of_visit_counts():
    visits = np.array([[6, 2, 0], [3, 3, 1], [0, 0, 0]])
    third = [1 / 3] * 3
    assert normalized_visits(visits).tolist() == [[0.75, 0.25, 0.0], [3 / 7, 3 / 7, 1 / 7], third]
    assert max_visits(visits).tolist() == [[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], third]


def test_rounding_of_normalized_counts_decides_no_tie():
    shares = np.array([0.1 + 0.2, 0.3, 0.3 - 1e-6])
    assert shares[0] > shares[1]
    assert max_visits(shares).tolist() == [0.5, 0.5, 0.0]


def test_with_the_public_belief_all_hands_have_the_same_policy(leduc):
    """A search has the same roots for every true hand."""
    searcher = ISMCTS(leduc, belief=1.0, num_simulations=300)
    history = initial_history(leduc.game)
    deals = [history.extend((None, None), world) for world, _ in history.chance_outcomes]
    found = {
        tuple(searcher.search(deal.infostates[0], generator(3)).tolist())
        for deal in deals
        if not deal.is_terminal
    }
    assert len(found) == 1


@pytest.mark.parametrize("public_weight", [0.0, 0.4, 1.0])
def test_an_equal_weight_of_the_opponent_changes_no_bit(leduc, public_weight):
    settings = {"belief": public_weight, "num_simulations": 300}
    one = ISMCTS(leduc, **settings)
    equal = ISMCTS(leduc, **settings, opponent_public_weight=public_weight)
    start = leduc_start()
    assert one.search(start, generator(1)).tolist() == equal.search(start, generator(1)).tolist()
    many = [searcher.search_many(start, generator(2), 3).tolist() for searcher in (one, equal)]
    assert many[0] == many[1]


def test_weights_of_hands_in_the_worked_example_of_the_paper():
    """One die with two sides each; player 0 rolled a one."""
    model = search_model(load_game("liars_dice(dice_sides=2)"))
    one = Infostate(0, (Step(None, (1,), None),))
    start = model.roots(one, PublicPrivateBelief(1.0), generator())
    assert start.probability.tolist() == [0.25] * 4
    weights = own_weights(start, 0, 0.5, 1.0)
    assert weights.tolist() == [1.5, 0.5]
    worlds = start.probability * weights[start.infostates[:, 0]]
    half = model.roots(one, PublicPrivateBelief(0.5), generator())
    assert worlds.tolist() == half.probability.tolist() == [0.375, 0.375, 0.125, 0.125]
    assert own_weights(start, 0, 0.0, 1.0).tolist() == [2.0, 0.0]


def rising(infostate, legal):
    """Return probabilities in proportion to 1, 2, and so on."""
    weights = np.arange(1, len(legal) + 1)
    return weights / weights.sum()


@pytest.mark.parametrize("policies", [None, rising])
def test_weights_of_hands_turn_one_belief_into_another(leduc, policies):
    """Worlds drawn for the opponent, reweighted by own hand, have the player's belief."""
    history = initial_history(leduc.game)
    history = history.extend((None, None), history.chance_outcomes[3][0])
    seen = history.sample(("raise", None), generator()).infostates[1]
    for own, opponent in [(0.2, 0.7), (0.0, 1.0), (0.9, 0.1)]:
        read, start = (
            leduc.roots(seen, PublicPrivateBelief(weight, policies=policies), generator())
            for weight in (own, opponent)
        )
        found = {tuple(state): k for k, state in enumerate(start.states.tolist())}
        weights = own_weights(start, 1, own, opponent)
        places = np.unique(start.infostates[:, 1], return_inverse=True)[1]
        weighted = start.probability * weights[places]
        at = [found.pop(tuple(state)) for state in read.states.tolist()]
        assert weighted[at] == pytest.approx(read.probability, rel=1e-12)
        assert not weighted[list(found.values())].any()


def test_an_opponent_who_does_not_know_the_hand_is_bluffed(kuhn):
    """At public weight 0 a simulated opponent calls every bet with the worst card."""
    jack = Infostate(0, (Step(None, "J", None),))
    bets = [
        ISMCTS(kuhn, opponent_public_weight=weight, num_simulations=20_000).search(
            jack, generator()
        )[1]
        for weight in (0.0, 1.0)
    ]
    assert bets[0] < 0.02
    assert bets[1] > 0.06


@pytest.mark.parametrize("public_weight", [0, (0.0, 0.0), {}])
def test_two_weights_of_zero_are_equal_in_every_form(leduc, public_weight):
    settings = {"opponent_public_weight": 0, "num_simulations": 100}
    found = ISMCTS(leduc, belief=PublicPrivateBelief(public_weight), **settings)
    plain = ISMCTS(leduc, num_simulations=100)
    start = leduc_start()
    assert found.search(start, generator()).tolist() == plain.search(start, generator()).tolist()


def test_the_hand_must_be_among_the_samples():
    dice = search_model(load_game("liars_dice(numdice=3)"))
    hand = Infostate(0, (Step(None, (1, 2, 3), None),))
    few = PublicPrivateBelief(0.0, max_worlds=10, num_samples=2)
    searcher = ISMCTS(dice, belief=few, opponent_public_weight=1.0)
    with pytest.raises(ParameterError, match=r"no history .* such as opponent_public_weight=0\.9"):
        searcher.search(hand, generator())
    below = ISMCTS(dice, belief=few, opponent_public_weight=0.9, num_simulations=200)
    assert below.search(hand, generator()).sum() == pytest.approx(1)


def test_the_reward_scale_multiplies_the_exploration(leduc):
    start = leduc_start()
    first = ISMCTS(leduc, exploration=0.5, reward_scale=26.0).search(start, generator())
    second = ISMCTS(leduc, exploration=13.0, reward_scale=1.0).search(start, generator())
    third = ISMCTS(leduc, exploration=13.0 / 2**0.5, bonus="2ln", reward_scale=1.0).search(
        start, generator()
    )
    assert first.tolist() == second.tolist() == third.tolist()
    assert first.tolist() != ISMCTS(leduc).search(start, generator()).tolist()
    assert BONUSES == {"ln": 1.0, "2ln": 2.0}


def test_a_used_searcher_answers_like_a_new_one(leduc, kuhn):
    start = leduc_start()
    used = ISMCTS(leduc, belief=0.3, exploration=9.0)
    first = used.search(start, generator(0)).tolist()
    used.search(start, generator(1))
    assert used.search(start, generator(0)).tolist() == first
    assert ISMCTS(leduc, belief=0.3, exploration=9.0).search(start, generator(0)).tolist() == first
    assert used.search(start, generator(2)).tolist() != first


@pytest.mark.parametrize("is_compiled", [True, False])
def test_growing_the_tree_changes_no_answer(leduc, is_compiled):
    model = leduc if is_compiled else RulesModel(leduc.game)
    number = 2000 if is_compiled else 150
    start = leduc_start()
    found = []
    for size in (1, 16, 4096):
        searcher = ISMCTS(model, belief=0.5, num_simulations=number, exploration=20.0)
        searcher._tree = SearchTree(model.state_size, 2, num_infostates=size)
        searcher.search(start, generator())
        found.append(searcher.last_search)
        assert len(searcher._tree.tree.visits) > found[0].num_nodes
    assert found[0].visits.tolist() == found[1].visits.tolist() == found[2].visits.tolist()
    assert found[0].values.tolist() == found[2].values.tolist()
    assert found[0].num_nodes == found[2].num_nodes > 64


def test_colliding_hash_keys_are_different_infostates():
    """Colliding keys are compared completely."""
    memory = SearchTree(1, 2, num_infostates=2048)
    memory.start_search(3, Bonus(0.7, True))
    rng = generator()
    seen = [0, 1, -1, 2**31, 2**62, -(2**62), *rng.integers(-(2**63), 2**63, 600).tolist()]
    keys = [(previous, step) for previous in (0, 1, 2) for step in dict.fromkeys(seen)]
    numbers = [next_infostate(memory.tree, np.int64(p), np.int64(s)) for p, s in keys]
    assert numbers == list(range(3, 3 + len(keys)))
    assert [next_infostate(memory.tree, np.int64(p), np.int64(s)) for p, s in keys] == numbers
    memory.grow()
    assert [next_infostate(memory.tree, np.int64(p), np.int64(s)) for p, s in keys] == numbers
    memory.start_search(4096, Bonus(0.7, True))
    assert next_infostate(memory.tree, np.int64(0), np.int64(0)) == TREE_FULL
    memory.start_search(5, Bonus(0.7, True))
    assert next_infostate(memory.tree, np.int64(0), np.int64(0)) == 5


def test_as_a_policy_it_does_not_depend_on_earlier_queries(leduc):
    first, second = leduc_start(), None
    history = initial_history(leduc.game)
    other = history.extend((None, None), history.chance_outcomes[-1][0]).infostates[0]
    legal = leduc.legal_actions(first)
    one, two = ISMCTS(leduc, seed=4), ISMCTS(leduc, seed=4)
    second = two.action_probabilities(other, legal)
    assert one.action_probabilities(first, legal).tolist() == (
        two.action_probabilities(first, legal).tolist()
    )
    assert one.action_probabilities(other, legal).tolist() == second.tolist()


def test_it_can_be_pickled(leduc):
    searcher = ISMCTS(leduc, belief=0.5)
    policy = searcher.search(leduc_start(), generator())
    sent = pickle.loads(pickle.dumps(searcher))
    assert sent.search(leduc_start(), generator()).tolist() == policy.tolist()


@pytest.mark.filterwarnings("ignore::infoset.errors.ShortSearchWarning")
@pytest.mark.parametrize(("each", "number", "overrun"), [(1e-4, 499, 0.0), (0.08, 1, 0.6)])
def test_simulations_fill_the_time_limit(leduc, clock, monkeypatch, each, number, overrun):
    simulate = ISMCTS._simulate

    def timed(self, roots, stream, number):
        simulate(self, roots, stream, number)
        clock.now += number * each

    monkeypatch.setattr(ISMCTS, "_simulate", timed)
    searcher = ISMCTS(leduc, num_simulations=None, milliseconds=50)
    searcher.search(leduc_start(), generator())
    record = searcher.last_search
    assert record.time_limit == 0.05
    assert record.num_simulations == pytest.approx(number, abs=1)
    assert record.seconds == pytest.approx(record.num_simulations * each)
    assert record.overrun == pytest.approx(overrun)


def test_a_time_limit_that_is_not_reached_changes_nothing(leduc, clock):
    searcher = ISMCTS(leduc, num_simulations=300, milliseconds=50)
    policy = searcher.search(leduc_start(), generator())
    assert searcher.last_search.num_simulations == 300
    untimed = ISMCTS(leduc, num_simulations=300).search(leduc_start(), generator())
    assert policy.tolist() == untimed.tolist()


@pytest.mark.parametrize(
    ("settings", "error", "said"),
    [
        ({"num_simulations": 0}, ParameterError, "num_simulations=0 must be a whole number"),
        ({"num_simulations": 1.5}, ParameterError, "num_simulations=1.5 must be a whole number"),
        ({"num_simulations": None}, ParameterError, "never end a search"),
        ({"milliseconds": 0}, ParameterError, "milliseconds=0 leaves no time"),
        ({"milliseconds": -3}, ParameterError, "milliseconds=-3 must be"),
        ({"exploration": -0.1}, ParameterError, "exploration=-0.1 must be a finite number"),
        ({"reward_scale": float("nan")}, ParameterError, "reward_scale=nan must be"),
        ({"num_rollouts": 0}, ParameterError, "num_rollouts=0 must be"),
        ({"bonus": "2 ln"}, UnknownNameError, "did you mean 2ln"),
        ({"final_policy": "max-visit"}, UnknownNameError, "did you mean max-visits"),
        ({"belief": 1.5}, ParameterError, "public_weight is 1.5"),
        ({"opponent_public_weight": 1.5}, ParameterError, "opponent_public_weight=1.5 must be"),
        (
            {"belief": 0.5, "opponent_public_weight": 0},
            ParameterError,
            "public_weight=0.5 of the belief also needs visits at others",
        ),
        (
            {"belief": PublicPrivateBelief((0.0, 0.25)), "opponent_public_weight": 0},
            ParameterError,
            "public_weight=0.25 of the belief",
        ),
        (
            {"belief": PublicPrivateBelief({}, default=0.5), "opponent_public_weight": 0},
            ParameterError,
            "public_weight=0.5 of the belief",
        ),
    ],
    ids=str,
)
def test_invalid_settings(kuhn, settings, error, said):
    with pytest.raises(error, match=said):
        ISMCTS(kuhn, **settings)


def test_infostates_at_which_the_player_does_not_act(kuhn):
    searcher = ISMCTS(kuhn)
    with pytest.raises(ParameterError, match="player 1 does not act at"):
        searcher.search(Infostate(1, (Step(None, "J", None),)), generator())
    with pytest.raises(ParameterError, match="model=None"):
        ISMCTS(None)


@pytest.mark.parametrize(
    "name", ["liars_dice(dice_sides=3)", "trick_taking(num_cards=6,num_suits=2,hand_size=2)"]
)
def test_special_models_search_like_the_rules(name):
    game = load_game(name)
    own, rules = search_model(game), RulesModel(game)
    history = initial_history(game)
    while not history.actors:
        history = history.sample((None, None), generator())
    infostate = history.infostates[history.actors[0]]
    belief = PublicPrivateBelief(0.5)
    found = [
        ISMCTS(model, belief=belief, num_simulations=400).search(infostate, generator())
        for model in (own, rules)
    ]
    assert own.is_compiled
    assert found[0] == pytest.approx(found[1], abs=0.25)


def test_sampled_positions_are_not_cached():
    model = search_model(load_game("trick_taking(num_cards=10)"))
    rng = generator()
    known = initial_history(model.game).sample((None, None), rng).infostates[0]
    belief = PublicPrivateBelief(0.5, max_worlds=9, num_samples=9)
    searcher, fresh = (ISMCTS(model, belief=belief, num_simulations=50) for _ in range(2))
    first = searcher.search(known, generator(1))
    second = searcher.search(known, generator(2))
    assert second.tolist() == fresh.search(known, generator(2)).tolist() != first.tolist()


def test_compilation_and_its_time_do_not_count_as_search(leduc, clock, monkeypatch):
    """In this test, the first simulations compile for a minute, and each takes 10 ms."""
    searcher = ISMCTS(leduc, num_simulations=None, milliseconds=1000)
    simulate = ISMCTS._simulate
    compiled = [0.0]

    def compile_first(self, roots, stream, number):
        compiled[0] = 60.0
        clock.now += 0.01 * number
        simulate(self, roots, stream, number)

    monkeypatch.setattr(ISMCTS, "_simulate", compile_first)
    monkeypatch.setattr("infoset.search.ismcts.compiling_seconds", lambda: compiled[0])
    infostate = leduc_start()
    searcher.search(infostate, generator())
    assert searcher.last_search.num_simulations in (99, 100)
    assert searcher.last_search.seconds == pytest.approx(1, abs=0.011)
    assert searcher.last_search.compile_seconds == 60
    assert searcher.overruns.num_late == 0


@pytest.mark.parametrize("is_compiled", [True, False])
def test_a_search_with_too_few_simulations_warns_once(leduc, clock, monkeypatch, is_compiled):
    model = leduc if is_compiled else RulesModel(leduc.game)
    searcher = ISMCTS(model, num_simulations=None, milliseconds=100)
    simulate = ISMCTS._simulate

    def slowly(self, roots, stream, number):
        clock.now += 0.05 * number
        simulate(self, roots, stream, number)

    monkeypatch.setattr(ISMCTS, "_simulate", slowly)
    infostate = leduc_start()
    with pytest.warns(ShortSearchWarning, match="2 simulations in its 100 ms") as seen:
        searcher.search(infostate, generator(0))
    assert ("uncompiled" in str(seen[0].message)) is not is_compiled
    assert searcher.last_search.is_short
    searcher.search(infostate, generator(1))  # a second warning would be an error


def test_a_search_with_enough_simulations_does_not_warn(leduc, clock, recwarn):
    searcher = ISMCTS(leduc, num_simulations=50, milliseconds=100)
    searcher.search(leduc_start(), generator())
    assert not recwarn.list
    assert not searcher.last_search.is_short
