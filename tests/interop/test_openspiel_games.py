"""OpenSpiel's games through the protocol, compared with walks by OpenSpiel only."""

from functools import cache

import pytest

from infoset.errors import GameRuleError, UnsupportedGameError
from infoset.game import check_game
from infoset.interop import load_openspiel
from infoset.interop.openspiel import states
from infoset.interop.openspiel.states import CachedState, StateCache, unique_labels
from infoset.tree import build_tree
from tests.interop.openspiel_walk import strings_and_infostates, walk_openspiel, walk_ours

pyspiel = pytest.importorskip("pyspiel")

pytestmark = pytest.mark.broad

RECALLING = [
    "kuhn_poker",
    "kuhn_poker(players=3)",
    pytest.param("leduc_poker(suit_isomorphism=True)", marks=pytest.mark.long),
    "coordinated_mp",
    "liars_dice(dice_sides=3)",
    "liars_dice(dice_sides=2,bidding_rule=reset-quantity)",
    "goofspiel(imp_info=True,num_cards=3)",
    "goofspiel(imp_info=True,num_cards=3,players=3,points_order=descending)",
    "goofspiel(num_cards=3)",
    "tiny_hanabi",
    "trade_comm(num_items=2)",
    "lewis_signaling",
    "first_sealed_auction(max_value=3,players=3)",
    "sheriff(max_items=2,max_bribe=2,num_rounds=2)",
    "dark_hex(board_size=2)",
    "dark_hex(board_size=2,gameversion=adh)",
    "go_fish(players=2,ranks=2,suits=2,initial_cards=1)",
    "bargaining(max_turns=2,max_num_instances=3)",
    "matching_pennies_3p",
    "matrix_mp",
    "blotto(coins=3)",
    "misere(game=kuhn_poker)",
    "turn_based_simultaneous_game(game=goofspiel(num_cards=3,imp_info=True))",
    "python_kuhn_poker",
    pytest.param("python_liars_poker(hand_length=1,num_digits=2)", marks=pytest.mark.long),
    "nim(pile_sizes=1;2;2)",
]
"""Games whose information-state strings keep perfect recall, so that infostates equal them."""

OTHERS = [
    "liars_dice_ir(dice_sides=2)",
    "dark_hex_ir(board_size=2)",
    "hanabi(colors=1,ranks=2,hand_size=2,max_life_tokens=1,max_information_tokens=2)",
    "coin_game(columns=2,rows=2,episode_length=2,players=2,num_coins_per_color=1,"
    "num_extra_coin_colors=0)",
    "deep_sea(size=4)",
    "catch(rows=4,columns=3)",
    "cliff_walking(horizon=3)",
    "markov_soccer(horizon=2)",
    "oshi_zumo(coins=3,size=1,horizon=3)",
    "repeated_game(stage_game=matrix_pd,num_repetitions=3,recall=1)",
    "python_iterated_prisoners_dilemma(max_game_length=1)",
]
"""Rewards on the way, observation strings only, perfect information, forgetful strings."""


loaded = cache(load_openspiel)


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param(spec, marks=pytest.mark.long) if number % 2 and spec in OTHERS else spec
        for number, spec in enumerate(RECALLING + OTHERS)
    ],
)
def test_counts_and_outcomes_are_those_of_openspiel(spec):
    game = loaded(spec)
    ours, theirs = walk_ours(game), walk_openspiel(game.pyspiel_game)
    assert (ours.histories, ours.terminals) == (theirs.histories, theirs.terminals)
    assert ours.outcomes.keys() == theirs.outcomes.keys()
    for utilities, probability in theirs.outcomes.items():
        assert ours.outcomes[utilities] == pytest.approx(probability, abs=1e-12)


@pytest.mark.parametrize("spec", RECALLING)
def test_acting_infostates_are_the_strings_of_openspiel(spec):
    game = loaded(spec)
    for pairs in strings_and_infostates(game).values():
        assert len({string for string, _ in pairs}) == len(pairs)
        assert len({infostate for _, infostate in pairs}) == len(pairs)


@pytest.mark.parametrize("spec", RECALLING + OTHERS)
def test_games_keep_the_rules_of_the_model(spec):
    check_game(loaded(spec), max_histories=150)


@pytest.mark.parametrize(
    ("spec", "histories", "acting"),
    [
        ("kuhn_poker", 58, (6, 6)),
        ("kuhn_poker(players=3)", 617, (16, 16, 16)),
        pytest.param("leduc_poker", 9457, (468, 468), marks=pytest.mark.long),
        ("liars_dice(dice_sides=3)", 1147, (96, 96)),
        ("goofspiel(imp_info=True,num_cards=4,points_order=descending)", 737, (81, 81)),
        ("matrix_mp", 5, (1, 1)),
    ],
)
def test_trees_have_the_known_sizes(spec, histories, acting):
    tree = build_tree(loaded(spec))
    assert tree.num_histories == histories
    assert tuple(one.num_acting for one in tree.infostate_trees) == acting


def test_forgetful_strings_give_more_infostates_than_strings():
    pairs = strings_and_infostates(load_openspiel("liars_dice_ir(dice_sides=3)"))
    assert {player: len({s for s, _ in found}) for player, found in pairs.items()} == {0: 93, 1: 93}
    assert {player: len({i for _, i in found}) for player, found in pairs.items()} == {0: 96, 1: 96}


def test_simultaneous_moves_stay_simultaneous():
    game = load_openspiel("matrix_mp")
    assert game.actors(()) == (0, 1)
    assert game.legal_actions((), 1) == ("Heads", "Tails")
    ((world, probability),) = game.transitions((), ("Heads", "Tails"))
    assert (world, probability) == (((0, 1),), 1)
    assert game.rewards((), ("Heads", "Tails"), world) == (-1.0, 1.0)
    assert game.transitions(world, (None, None)) == []


def test_large_games_of_perfect_information_load_without_being_explored():
    game = load_openspiel("tic_tac_toe")
    assert len(game.legal_actions((), 0)) == 9
    assert game.notes == ()
    assert load_openspiel("connect_four").legal_actions((), 0) == tuple(f"x{i}" for i in range(7))


def test_rewards_on_the_way_are_paid_on_the_way():
    game = load_openspiel("cliff_walking(horizon=3)")
    ((first, _),) = game.transitions((), ("UP",))
    ((second, _),) = game.transitions(first, ("LEFT",))
    assert game.rewards((), ("UP",), first) == (-1.0,)
    assert game.rewards(first, ("LEFT",), second) == (-1.0,)


def test_actions_that_are_not_legal_are_refused():
    game = load_openspiel("kuhn_poker")
    with pytest.raises(GameRuleError, match="got 'Fold'"):
        game.transitions((0, 1), ("Fold", None))


def test_errors_of_openspiel_are_translated(monkeypatch):
    game = load_openspiel("kuhn_poker(players=3)")

    def fail(self, moves):
        raise pyspiel.SpielError("card 9 is not in the deck\nmore")

    monkeypatch.setattr(StateCache, "__getitem__", fail)
    message = r"OpenSpiel fails .*openspiel:kuhn_poker\(players=3\): card 9 .* deck$"
    with pytest.raises(UnsupportedGameError, match=message):
        game.actors(())


def test_forgotten_states_are_played_again(monkeypatch):
    monkeypatch.setattr(states, "MAX_CACHED_STATES", 2)
    game = load_openspiel("goofspiel(imp_info=True,num_cards=3)")
    assert len(list(build_tree(game).graph.worlds)) == 301


def test_the_states_used_last_are_cached(monkeypatch):
    monkeypatch.setattr(states, "MAX_CACHED_STATES", 3)
    nodes = StateCache(pyspiel.load_game("leduc_poker").new_initial_state())
    used = nodes[(0,)]
    for world in [(0, 1), (0, 2), (0, 3, 1, 1), (0, 4)]:
        assert nodes[world].state.history() == list(world)
        assert nodes[(0,)] is used
    assert len(nodes._cached) == 3


class Moments:
    """A state that OpenSpiel allows, but that none of its games has."""

    def __init__(self, legal=(), outcomes=(), simultaneous=False):
        self.legal, self.outcomes, self.simultaneous = legal, outcomes, simultaneous

    def num_players(self):
        return len(self.legal)

    def current_player(self):
        ids = pyspiel.PlayerId
        return ids.CHANCE if self.outcomes else ids.SIMULTANEOUS if self.simultaneous else 0

    def legal_actions(self, player):
        return self.legal[player]

    def chance_outcomes(self):
        return self.outcomes

    def action_to_string(self, player, action):
        return "go" if action < 2 else f"go {action}"

    def history_str(self):
        return "7, 7"


def test_labels_are_made_unique_by_their_numbers():
    assert unique_labels(Moments(), 0, [1, 2, 3]) == ["go", "go 2", "go 3"]
    assert unique_labels(Moments(), 0, [0, 1, 2]) == ["go #0", "go #1", "go 2 #2"]


def test_players_without_a_choice_do_not_act():
    node = CachedState(Moments(legal=([1, 2], []), simultaneous=True))
    assert node.actors == (0,)
    assert node.actions == {0: {"go": 1, "go 2": 2}}


def test_outcomes_that_cannot_happen_are_left_out():
    assert CachedState(Moments(outcomes=[(3, 0.0), (4, 1.0)])).outcomes == ((4, 1.0),)


def test_a_position_without_a_move_is_refused():
    with pytest.raises(UnsupportedGameError, match=r"no legal action of player 0 at \[7, 7\]"):
        _ = CachedState(Moments(legal=([],))).actions
