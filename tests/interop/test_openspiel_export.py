"""Our games in OpenSpiel: its algorithms give the same results as ours."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infoset import solve
from infoset.efg import as_game, decision, extensive_form_from_nodes, terminal
from infoset.errors import GameRuleError, MissingExtraError, ParameterError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game, matrix_game
from infoset.interop import (
    OpenSpielGame,
    load_openspiel,
    policy_from_openspiel,
    policy_to_openspiel,
    to_openspiel,
)
from infoset.policy import random_policy
from infoset.tree import build_tree
from tests.interop.openspiel_walk import spiel_child, spiel_moves, walk_openspiel, walk_ours
from tests.support.cached_games import cached_tree
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

pyspiel = pytest.importorskip("pyspiel")
from open_spiel.python.algorithms import (  # noqa: E402
    cfr,
    expected_game_score,
    exploitability,
    outcome_sampling_mccfr,
)
from open_spiel.python.policy import python_policy_to_pyspiel_policy  # noqa: E402

GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True)"
SEQUENTIAL = ["kuhn_poker", "kuhn_poker(players=3)", "liars_dice(dice_sides=2)"]
SEEDS = st.integers(0, 2**32)


def tree_of(name):
    return cached_tree(name)


def states_of(game):
    """Yield every state of an OpenSpiel game."""
    stack = [game.new_initial_state()]
    while stack:
        state = stack.pop()
        yield state
        if not state.is_terminal():
            moves = spiel_moves(state, game.num_players())
            stack += [spiel_child(state, move) for move, _ in moves]


@given(game=random_games(max_histories=60), cached=st.booleans())
def test_plays_and_utilities_are_those_of_the_game(game, cached):
    ours, theirs = walk_ours(game), walk_openspiel(to_openspiel(game, cached=cached))
    assert ours.terminals == theirs.terminals
    assert ours.outcomes.keys() == theirs.outcomes.keys()
    for utilities, probability in theirs.outcomes.items():
        assert ours.outcomes[utilities] == pytest.approx(probability, abs=1e-12)


@given(game=random_games(max_histories=60), cached=st.booleans())
def test_every_state_satisfies_the_contract(game, cached):
    exported, seen = to_openspiel(game, cached=cached), {}
    decisions, draws, outcomes, utilities = 0, 0, 0, []
    for state in states_of(exported):
        chances = [move.player for move in state.full_history()].count(pyspiel.PlayerId.CHANCE)
        draws, decisions = max(draws, chances), max(decisions, state.move_number() - chances)
        if state.is_chance_node():
            probabilities = [probability for _, probability in state.chance_outcomes()]
            outcomes = max(outcomes, len(probabilities))
            assert sum(probabilities) == pytest.approx(1, abs=1e-12)
            assert min(probabilities) > 0
            continue
        utilities += state.returns() if state.is_terminal() else []
        for player in range(game.num_players):
            legal = state.legal_actions(player)
            assert legal == sorted(set(legal))
            key = state.information_state_string(player)
            assert seen.setdefault(key, (player, legal)) == (player, legal)
    assert (exported.max_game_length(), exported.max_chance_nodes_in_history()) == (
        decisions,
        draws,
    )
    assert exported.max_chance_outcomes() == outcomes
    assert (exported.min_utility(), exported.max_utility()) == (min(utilities), max(utilities))


@given(game=random_games(max_histories=60), cached=st.booleans())
def test_rewards_sum_to_returns(game, cached):
    def walk(state, so_far):
        so_far = so_far + np.array(state.rewards())
        assert state.returns() == pytest.approx(so_far.tolist(), abs=1e-12)
        if not state.is_terminal():
            for move, _ in spiel_moves(state, game.num_players):
                walk(spiel_child(state, move), so_far)

    walk(to_openspiel(game, cached=cached).new_initial_state(), np.zeros(game.num_players))


@pytest.mark.parametrize("cached", [True, False])
@pytest.mark.parametrize("name", [*SEQUENTIAL, GOOFSPIEL])
def test_openspiel_plays_and_serializes_it(name, cached):
    exported = to_openspiel(tree_of(name), cached=cached)
    pyspiel.random_sim_test(exported, 5, False, False)
    state = exported.new_initial_state()
    while not state.is_terminal():
        state = spiel_child(state, list(spiel_moves(state, exported.num_players()))[-1][0])
        again = exported.deserialize_state(state.serialize())
        assert (str(again), again.history()) == (str(state), state.history())
        assert hasattr(again, "position") == (not cached or name == GOOFSPIEL)


@pytest.mark.parametrize("name", SEQUENTIAL)
@pytest.mark.parametrize("cpp", [False, True])
def test_cfr_of_openspiel_finds_the_same_average_policy(name, cpp):
    tree = tree_of(name)
    exported = to_openspiel(tree)
    solver = (pyspiel if cpp else cfr).CFRSolver(exported)
    iterations = 5 if tree.num_players == 2 else 1
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    theirs = policy_from_openspiel(solver.average_policy(), tree)
    ours = solve(tree, "cfr", iterations=iterations)
    for first, second in zip(ours.policy.probabilities, theirs.probabilities, strict=True):
        assert np.abs(first - second).max() < 1e-9
    if cpp:
        conv = pyspiel.nash_conv(exported, solver.average_policy())
    else:
        conv = exploitability.nash_conv(exported, solver.average_policy())
    assert conv == pytest.approx(ours.nash_conv, abs=1e-9)


def test_turn_based_versions_of_simultaneous_games_have_the_same_solution():
    tree = tree_of(GOOFSPIEL)
    turn_based = pyspiel.convert_to_turn_based(to_openspiel(tree))
    solver = pyspiel.CFRSolver(turn_based)
    for _ in range(4):
        solver.evaluate_and_update_policy()
    conv = pyspiel.nash_conv(turn_based, solver.average_policy())
    assert conv == pytest.approx(solve(tree, "cfr", iterations=4).nash_conv, abs=1e-9)


def test_outcome_sampling_learns_our_game():
    tree = tree_of("kuhn_poker")
    exported = to_openspiel(tree)
    np.random.seed(7)  # noqa: NPY002 (the solver draws from there)
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(exported)
    for _ in range(500):
        solver.iteration()
    average = solver.average_policy()
    found = evaluate_policy(policy_from_openspiel(average, tree)).nash_conv
    assert found == pytest.approx(exploitability.nash_conv(exported, average), abs=1e-9)
    assert found < 0.4


@pytest.mark.parametrize("name", [GOOFSPIEL, *SEQUENTIAL])
def test_values_and_nash_conv_of_policies_agree(name):
    tree = tree_of(name)
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    table = policy_to_openspiel(policy, tree)
    ours = evaluate_policy(policy)
    root = table.game.new_initial_state()
    policies = table if name == GOOFSPIEL else [table] * tree.num_players
    values = expected_game_score.policy_value(root, policies)
    assert values == pytest.approx(ours.values, abs=1e-9)
    assert exploitability.nash_conv(table.game, table) == pytest.approx(ours.nash_conv, abs=1e-9)


@settings(max_examples=8)
@given(game=random_games(simultaneous_share=0.0, max_histories=60), seed=SEEDS)
def test_values_and_nash_conv_of_policies_agree_on_random_games(game, seed):
    tree = build_tree(game)
    if not any(one.num_acting for one in tree.infostate_trees):
        return
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    table = python_policy_to_pyspiel_policy(policy_to_openspiel(policy, tree))
    exported, ours = to_openspiel(tree), evaluate_policy(policy)
    values = pyspiel.expected_returns(exported.new_initial_state(), table, -1, True, 0.0)
    assert values == pytest.approx(ours.values, abs=1e-9)
    again = policy_from_openspiel(table, tree)
    for first, second in zip(policy.probabilities, again.probabilities, strict=True):
        assert np.abs(first - second).max() < 1e-14


@pytest.mark.parametrize(
    "name",
    ["kuhn_poker", "kuhn_poker(players=3)", "leduc_poker", "liars_dice(dice_sides=3)", GOOFSPIEL],
)
def test_openspiel_gets_the_strings_of_its_own_game(name):
    ours, theirs = to_openspiel(tree_of(name)), pyspiel.load_game(name)
    for number in ("num_players", "min_utility", "max_utility", "utility_sum"):
        assert getattr(ours, number)() == getattr(theirs, number)(), number
    for kind in ("dynamics", "chance_mode", "information", "utility", "reward_model"):
        assert getattr(ours.get_type(), kind) == getattr(theirs.get_type(), kind), kind
    if not name.startswith("goofspiel"):  # OpenSpiel plays the last card automatically
        assert ours.num_distinct_actions() == theirs.num_distinct_actions()
        assert ours.max_game_length() == theirs.max_game_length()


def test_deterministic_games_of_common_interest_and_others():
    kinds = pyspiel.GameType
    pennies, dilemma = (
        to_openspiel(load_game(name)).get_type() for name in ("matrix_mp", "matrix_pd")
    )
    assert pennies.chance_mode == kinds.ChanceMode.DETERMINISTIC
    assert pennies.dynamics == kinds.Dynamics.SIMULTANEOUS
    assert (pennies.utility, dilemma.utility) == (kinds.Utility.ZERO_SUM, kinds.Utility.GENERAL_SUM)
    same = to_openspiel(matrix_game([[1, 0], [0, 2]], [[1, 0], [0, 2]]))
    assert same.get_type().utility == kinds.Utility.IDENTICAL
    shifted = to_openspiel(matrix_game([[1, 0], [0, 2]], [[2, 3], [3, 1]]))
    assert (shifted.get_type().utility, shifted.utility_sum()) == (kinds.Utility.CONSTANT_SUM, 3)


def test_rewards_before_a_chance_move_are_paid_after_it():
    """A bet pays 1, and then a coin flip pays 10 more: OpenSpiel's values include both."""
    steps = {"start": ["paid"], "paid": ["heads", "tails"], "heads": [], "tails": []}
    game = FunctionGame(
        actors=lambda world: (0,) if world == "start" else (),
        legal_actions=lambda world, player: ("bet",),
        transitions=lambda world, joint: [(after, 1 / len(steps[world])) for after in steps[world]],
        rewards=lambda world, joint, after: ({"paid": 1, "heads": 10, "tails": 0}[after],),
    )
    exported = to_openspiel(game)
    assert exported.get_type().reward_model == pyspiel.GameType.RewardModel.REWARDS
    state = exported.new_initial_state()
    state.apply_action(0)
    assert (state.rewards(), state.returns(), str(state)) == ([0], [0], "paid, chance to move")
    assert [state.child(coin).rewards() for coin in (0, 1)] == [[11], [1]]
    uniform = pyspiel.UniformRandomPolicy(exported)
    root = exported.new_initial_state()
    assert pyspiel.expected_returns(root, uniform, -1, False, 0.0) == [6]


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL, "liars_dice(dice_sides=2)"])
def test_different_infostates_have_different_texts_and_tensors(name):
    tree = tree_of(name)
    exported = to_openspiel(tree, cached=False)
    texts, tensors = {}, {}
    for history in range(tree.num_histories):
        state = exported.state_at(history)
        assert state.position == exported.compiled.history(state.position) == history
        for player in range(tree.num_players):
            infostate = (player, int(tree.infostate[history, player]))
            text = state.information_state_string(player)
            tensor = tuple(state.information_state_tensor(player))
            assert texts.setdefault(text, infostate) == infostate
            assert tensors.setdefault(tensor, infostate) == infostate
    assert len(texts) == len(tensors) == sum(one.num_infostates for one in tree.infostate_trees)


def observer(game, **kind):
    return game.make_py_observer(pyspiel.IIGObservationType(**kind))


def test_observers_show_the_requested_parts():
    game = to_openspiel(load_game("kuhn_poker"), cached=False)
    state = game.new_initial_state()
    nobody, single = pyspiel.PrivateInfoType.NONE, pyspiel.PrivateInfoType.SINGLE_PLAYER
    kinds = [
        {"perfect_recall": recall, "public_info": public, "private_info": private}
        for recall in (False, True)
        for public, private in ((True, nobody), (False, single), (True, single))
    ]

    def shown():
        return [observer(game, **kind).string_from(state, 0) for kind in kinds]

    assert shown() == ["", "", "", "(start)", "(start)", "0: (start) #0"]
    state.apply_action(5)
    assert str(state) == "Table(cards=('K', 'Q'), moves=())"
    assert shown() == ["", "[K]", "[K]", ".", "[K]", "0: [K]"]
    state.apply_action(1)
    assert shown()[:5] == ["bet", "", "bet", ". / bet", "[K] / !bet"]
    assert state.information_state_string(0).startswith("0: [K] / bet #")
    assert state.information_state_string(1) == "1: [Q] / bet"
    assert state.observation_string(1) == "bet"
    assert game.make_py_observer().string_from(state, 1) == "bet"
    assert (state.action_to_string(1, 0), state.legal_actions(0)) == ("pass", [])


def test_observers_that_make_no_sense_are_refused():
    game = to_openspiel(load_game("kuhn_poker"), cached=False)
    with pytest.raises(ParameterError, match="ALL_PLAYERS"):
        observer(game, perfect_recall=True, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(ParameterError, match="take no parameters; got"):
        game.make_py_observer(None, {"colour": 1})


@pytest.mark.parametrize("name", ["kuhn_poker", GOOFSPIEL, "liars_dice(dice_sides=2)"])
def test_what_goes_out_comes_in_again(name):
    tree = tree_of(name)
    again = build_tree(OpenSpielGame(to_openspiel(tree, cached=False)))
    assert len(tree.terminals) == len(again.terminals)
    for ours, theirs in zip(tree.infostate_trees, again.infostate_trees, strict=True):
        assert ours.num_acting == theirs.num_acting
    if name != GOOFSPIEL:  # here drawing the next prize becomes a separate move
        assert tree.num_histories == again.num_histories
        assert tree.public_tree.num_public_states == again.public_tree.num_public_states
    first, second = (solve(one, "lp").values for one in (tree, again))
    assert first == pytest.approx(second, abs=1e-9)


def test_a_game_of_openspiel_goes_back_as_it_came():
    game = load_openspiel("leduc_poker")
    assert to_openspiel(game) is game.pyspiel_game


def test_a_copy_goes_its_own_way():
    state = to_openspiel(load_game("kuhn_poker"), cached=False).new_initial_state()
    copy = state.clone()
    copy.apply_action(3)
    assert (state.position, copy.position) == (0, 4)


def test_actions_that_are_not_legal_are_refused():
    state = to_openspiel(load_game("matrix_mp")).new_initial_state()
    with pytest.raises(GameRuleError, match=r"got action 7 .* legal actions are \[0, 1\]"):
        state.apply_actions([0, 7])
    state = to_openspiel(load_game("kuhn_poker"), cached=False).new_initial_state()
    state.apply_action(0)
    with pytest.raises(
        GameRuleError, match=r"got action 9 .* legal actions are \[0, 1\] .*player 0"
    ):
        state.apply_action(9)


def test_only_games_that_the_cache_describes_correctly_are_cached():
    kinds = pyspiel.GameType
    for name in ("matrix_mp", "kuhn_poker", GOOFSPIEL):
        kind = to_openspiel(tree_of(name)).get_type()
        is_joint = name != "kuhn_poker"
        assert (kind.dynamics == kinds.Dynamics.SIMULTANEOUS) == is_joint
        assert (kind.short_name == "cached_tree") == (not is_joint)
    root = decision(0, "start", {"a": terminal(1), "b": terminal(2)})
    open_game = to_openspiel(as_game(extensive_form_from_nodes(root, players=1)))
    assert open_game.get_type().information == kinds.Information.PERFECT_INFORMATION


def test_players_who_do_not_act_may_be_given_any_action():
    """Players 0 and 2 act, and player 1 does not."""
    game = FunctionGame(
        num_players=3,
        actors=lambda world: (0, 2) if world == "start" else (),
        legal_actions=lambda world, player: ("x", "y"),
        transitions=lambda world, joint: [(f"{joint[0]}{joint[2]}", 1)] if world == "start" else [],
        rewards=lambda world, joint, after: (1, 2, 3),
    )
    for idle in (0, 5, -1):
        state = to_openspiel(game).new_initial_state()
        state.apply_actions([1, idle, 0])
        assert str(state) == "yx"


def test_without_openspiel_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    tree = tree_of("kuhn_poker")
    for use in (
        lambda: to_openspiel(tree),
        lambda: policy_to_openspiel(
            random_policy(tree.sequence_form, np.random.default_rng()), tree
        ),
        lambda: policy_from_openspiel(None, tree),
    ):
        with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[openspiel\]'"):
            use()
