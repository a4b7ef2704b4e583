from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.game import Observation, check_game, initial_history
from infoset.games import Hanabi
from infoset.tree import build_tree
from tests.games.game_walker import num_worlds, path_counts, play, walk
from tests.games.team_optimum import team_optimum
from tests.support.reference_histories import enumerate_histories

pytestmark = pytest.mark.broad

TINY = dict(colors=1, ranks=2, hand_size=1, max_information_tokens=1, max_life_tokens=1)


def dealt(*hands):
    return lambda world: world.hands == tuple(tuple(hand.split()) for hand in hands)


def small(**parameters):
    return Hanabi(**{"colors": 2, "ranks": 3, "hand_size": 2} | parameters)


def table(game, hands, **changes):
    """Return a table of `game` in the middle of a play."""
    after_deal = next(iter(game.transitions(game.initial_world(), (None,) * game.players)))[0]
    hands = tuple(tuple(hand.split()) for hand in hands)
    return after_deal._replace(hands=hands)._replace(**changes)


def outcomes(game, world, move):
    joint = tuple(move if player == world.player else None for player in range(game.players))
    return joint, list(game.transitions(world, joint))


# --- the deck and the deal ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ranks", "copies"),
    [(1, [3]), (2, [3, 1]), (3, [3, 2, 1]), (4, [3, 2, 2, 1]), (5, [3, 2, 2, 2, 1])],
)
def test_the_deck(ranks, copies):
    found = Counter(Hanabi(colors=2, ranks=ranks, hand_size=1).full_deck)
    assert found == {
        f"{color}{rank}": copies[rank - 1] for color in "RY" for rank in range(1, ranks + 1)
    }


@pytest.mark.long
def test_the_real_game_breaks_no_rule():
    assert check_game(Hanabi(), max_histories=60, max_samples=200).num_samples == 200


def test_the_real_game():
    game = Hanabi()
    assert len(game.full_deck) == 50
    world = game.sample_transition(game.initial_world(), (None, None), np.random.default_rng(0))
    assert [len(hand) for hand in world.hands] == [5, 5]
    assert len(world.deck) == 40
    assert Counter(game.full_deck) == Counter(world.deck + world.hands[0] + world.hands[1])
    assert (world.information, world.lives, world.fireworks) == (8, 3, (0,) * 5)


@pytest.mark.parametrize(("players", "size"), [(2, 5), (3, 5), (4, 4), (5, 4)])
def test_the_size_of_a_hand(players, size):
    game = Hanabi(players=players)
    rng = np.random.default_rng(1)
    world = game.sample_transition(game.initial_world(), (None,) * players, rng)
    assert {len(hand) for hand in world.hands} == {size}


def test_the_chances_of_the_deal():
    outcomes = initial_history(Hanabi(colors=1, ranks=2, hand_size=1)).chance_outcomes
    chances = {world.hands: chance for world, chance in outcomes}
    assert chances == {
        (("R1",), ("R1",)): Fraction(1, 2),
        (("R1",), ("R2",)): Fraction(1, 4),
        (("R2",), ("R1",)): Fraction(1, 4),
    }


def test_the_starting_player_is_drawn():
    game = Hanabi(players=3, colors=1, ranks=2, hand_size=1, random_start_player=True)
    chances = Counter()
    for world, chance in initial_history(game).chance_outcomes:
        chances[world.player] += chance
    assert chances == {player: Fraction(1, 3) for player in range(3)}
    (begins,) = {
        str(initial_history(game).extend((None,) * 3, world).public_state)
        for world, _ in initial_history(game).chance_outcomes
        if world.player == 2
    }
    assert begins == "player 2 begins"
    drawn = {
        game.sample_transition(
            game.initial_world(), (None,) * 3, np.random.default_rng(seed)
        ).player
        for seed in range(20)
    }
    assert drawn == {0, 1, 2}


# --- moves -------------------------------------------------------------------------------------


def test_a_card_that_fits():
    game = small()
    world = table(game, ["Y1 R1", "R3 R2"], fireworks=(0, 0), deck=("R2", "R2", "Y3"))
    joint, after = outcomes(game, world, "play 1")
    assert {(later.hands[0], chance) for later, chance in after} == {
        (("Y1", "R2"), Fraction(2, 3)),
        (("Y1", "Y3"), Fraction(1, 3)),
    }
    later = next(later for later, _ in after if later.hands[0][1] == "Y3")
    assert later.deck == ("R2", "R2")
    assert (later.fireworks, later.lives, later.information, later.player) == ((1, 0), 3, 8, 1)
    assert game.rewards(world, joint, later) == (1, 1)


@pytest.mark.parametrize(("card", "fireworks"), [("R1", (1, 0)), ("R3", (1, 0)), ("Y2", (1, 0))])
def test_a_card_that_does_not_fit_costs_a_life(card, fireworks):
    game = small()
    world = table(game, [f"{card} Y1", "R2 Y2"], fireworks=fireworks)
    joint, after = outcomes(game, world, "play 0")
    assert {later.lives for later, _ in after} == {2}
    assert {later.fireworks for later, _ in after} == {fireworks}
    assert {game.rewards(world, joint, later) for later, _ in after} == {(0, 0)}
    assert {later.hands[0][0] for later, _ in after} == {"Y1"}


def test_the_last_life_takes_all_rewards_back():
    game = small()
    world = table(game, ["R1 Y1", "R2 Y2"], fireworks=(3, 2), lives=1)
    joint, ((later, chance),) = outcomes(game, world, "play 1")
    assert chance == 1
    assert game.rewards(world, joint, later) == (-5, -5)
    assert game.actors(later) == ()
    assert list(game.transitions(later, (None, None))) == []


@pytest.mark.parametrize(("before", "after"), [(0, 1), (7, 8), (8, 8)])
def test_a_finished_firework_gives_a_token_back(before, after):
    game = small()
    world = table(game, ["R3 Y1", "R2 Y2"], fireworks=(2, 0), information=before)
    assert {later.information for later, _ in outcomes(game, world, "play 0")[1]} == {after}


def test_all_fireworks_finished():
    game = small()
    world = table(game, ["R3 Y1", "R2 Y2"], fireworks=(2, 3))
    joint, ((later, _),) = outcomes(game, world, "play 0")
    assert game.rewards(world, joint, later) == (1, 1)
    assert game.actors(later) == ()


def test_a_discard():
    game = small()
    world = table(game, ["R3 Y1", "R2 Y2"], information=7, deck=("Y2",))
    joint, ((later, _),) = outcomes(game, world, "discard 0")
    assert later.hands == (("Y1", "Y2"), ("R2", "Y2"))
    assert (later.information, later.lives, later.player) == (8, 3, 1)
    assert game.rewards(world, joint, later) == (0, 0)


def test_a_hint():
    game = small()
    world = table(game, ["R3 Y1", "R2 Y2"], information=1)
    joint, ((later, _),) = outcomes(game, world, "tell 1 2")
    assert later == world._replace(information=0, player=1)
    assert game.observe(world, joint, later) == Observation(public="tell 1 2: 0 1")
    joint, ((later, _),) = outcomes(game, world, "tell 1 Y")
    assert game.observe(world, joint, later) == Observation(public="tell 1 Y: 1")


def test_legal_moves():
    game = small(players=3)
    plays, discards = ["play 0", "play 1"], ["discard 0", "discard 1"]
    world = table(game, ["R3 Y1", "R2 Y2", "R1 R1"], player=1)
    hints = ["tell 2 R", "tell 0 R", "tell 0 Y", "tell 2 1", "tell 0 1", "tell 0 3"]
    legal = {
        information: list(game.legal_actions(world._replace(information=information), 1))
        for information in (0, 1, 8)
    }
    assert legal == {0: discards + plays, 1: discards + plays + hints, 8: plays + hints}


def test_every_player_has_one_more_turn_after_the_last_card():
    game = small(players=3)
    world = table(game, ["R1 Y1", "R2 Y2", "R1 R1"], deck=("Y3",), information=1)
    ((world, _),) = outcomes(game, world, "discard 0")[1]
    assert (world.deck, world.hands[0]) == ((), ("Y1", "Y3"))
    turns = []
    for move in ("discard 0", "tell 0 Y", "play 0"):
        turns += game.actors(world)
        ((world, _),) = outcomes(game, world, move)[1]
    assert turns == [1, 2, 0]
    assert game.actors(world) == ()
    assert world.hands == (("Y3",), ("Y2",), ("R1", "R1"))
    assert (world.fireworks, world.lives) == ((0, 1), 3)


# --- who sees what -----------------------------------------------------------------------------


def test_everybody_sees_the_cards_of_the_others():
    game = Hanabi(players=3, colors=2, ranks=2, hand_size=1)
    world = next(w for w, _ in initial_history(game).chance_outcomes if w.hands[0] == ("Y2",))
    seen = initial_history(game).extend((None,) * 3, world).observation
    groups = {(1, 2): world.hands[0], (0, 2): world.hands[1], (0, 1): world.hands[2]}
    assert seen == Observation(shared=groups)


def test_a_card_drawn_is_seen_by_the_others():
    game = small(players=3)
    world = table(game, ["R1 Y1", "R2 Y2", "R1 R1"], player=1, deck=("Y3",))
    joint, ((later, _),) = outcomes(game, world, "play 0")
    expected = Observation(public="play 0: R2", shared={(0, 2): ("Y3",)})
    assert game.observe(world, joint, later) == expected
    world = world._replace(deck=())
    joint, ((later, _),) = outcomes(game, world, "play 0")
    assert game.observe(world, joint, later) == Observation(public="play 0: R2")


def test_a_player_does_not_know_its_cards():
    game = Hanabi(colors=2, ranks=2, hand_size=1)
    one, other = (play(game, dealt(own, "R1"), ("tell 1 R", None)) for own in ("R1", "Y2"))
    assert one.infostates[0] == other.infostates[0]
    assert one.infostates[1] != other.infostates[1]
    assert one.public_state == other.public_state


def test_a_seer_knows_all_cards():
    game = Hanabi(colors=2, ranks=2, hand_size=1, observation_type="seer")
    one, other = (play(game, dealt(own, "R1")) for own in ("R1", "Y2"))
    assert one.public_state != other.public_state
    tree = build_tree(Hanabi(**TINY, observation_type="seer"))
    counts = [len(np.unique(tree.infostate[:, player])) for player in range(2)]
    assert counts == [len(tree.world)] * 2


# --- counts and values -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "worlds", "histories", "terminals", "acting"),
    # Histories correspond to OpenSpiel's one to one, except for cards dealt in one step.
    [
        ({}, 67, 405, 218, [81, 95]),
        ({"hand_size": 2}, 27, 87, 66, [3, 13]),
        ({"max_information_tokens": 0}, 11, 11, 4, [2, 2]),
        ({"players": 3}, 77, 820, 496, [103, 176, 40]),
    ],
)
def test_counts(changes, worlds, histories, terminals, acting):
    game = Hanabi(**TINY | changes)
    assert num_worlds(game) == worlds
    assert path_counts(game) == (histories, terminals)
    assert walk(game).num_acting == acting


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"colors": 2, "ranks": 1, "max_information_tokens": 0},
        {"hand_size": 2, "max_life_tokens": 2},
        {"players": 3},
    ],
)
def test_scores_are_within_bounds(changes):
    game = Hanabi(**TINY | changes)
    returns = walk(game).returns
    most = game.colors * game.ranks
    assert all(len(set(scores)) == 1 and 0 <= scores[0] <= most for scores in returns)
    assert (most,) * game.players in returns
    assert sum(returns.values()) == pytest.approx(1, abs=1e-9)


def test_the_utility_is_the_final_score():
    for visit in enumerate_histories(Hanabi(**TINY | {"max_life_tokens": 2})):
        world = visit.history.world
        score = sum(world.fireworks) if world.lives else 0
        assert visit.history.rewards_so_far == (score, score)


@pytest.mark.parametrize(
    ("changes", "best"),
    [
        # Three 1s and a 2, no hints: both play blindly, and win 2 if first a 1 comes up (3/4) and
        # then the 2 (1/3), else the life is lost.
        ({"max_information_tokens": 0}, 1 / 2),
        # All cards are dealt. If player 1 has the 2, player 0 signals its position by the position
        # from which it plays, and they win 2. Otherwise player 1 plays a 1, and they win 1.
        ({"hand_size": 2}, 3 / 2),
        # There are enough turns to give all hints.
        ({}, 2),
    ],
)
def test_the_best(changes, best):
    assert team_optimum(Hanabi(**TINY | changes)) == pytest.approx(best, abs=1e-9)


# --- parameters --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"players": 6}, "players must be a whole number from 2 to 5"),
        ({"colors": 0}, "colors must be a whole number from 1 to 5"),
        ({"ranks": 6}, "ranks must be a whole number from 1 to 5"),
        ({"hand_size": 0}, "hand_size must be -1 or a whole number of at least 1"),
        (
            {"max_information_tokens": -1},
            "max_information_tokens must be a whole number of at least 0",
        ),
        ({"max_life_tokens": 0}, "max_life_tokens must be a whole number of at least 1"),
        ({"observation_type": "all"}, "must be one of card_knowledge, minimal, seer"),
        (
            {"colors": 1, "ranks": 2},
            r"hand_size=-1 .*must be at most 2, since the deck has 4 cards",
        ),
        ({"players": 4, "colors": 1, "ranks": 1}, "players must be at most 3, the number of cards"),
        ({"hand_size": 26}, r"at most 25, since the deck has 50 cards.*hanabi\(hand_size=25\)"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Hanabi(**parameters)
