"""Kuhn poker in the long form: Example 2.2 as printed, and the same game as the short form."""

from fractions import Fraction

import numpy as np
import pytest

import infoset
from infoset.evaluation import expected_values, nash_conv
from infoset.game import initial_history
from infoset.games import KuhnPokerLong
from infoset.policy import TabularPolicy, random_policy
from infoset.tree import build_tree
from infoset.typing import CHANCE
from tests.games.game_walker import num_worlds, path_counts, play, walk

ANTES = [("ante", None), (None, "ante")]
SHORT_NAME = {"check": "pass", "fold": "pass", "bet": "bet", "call": "bet"}


def card(player, name):
    return lambda world: world.cards[player] == name


def deal(first, second):
    return [*ANTES, card(0, first), card(1, second)]


def anything(world):
    return True


def test_the_trajectory_of_the_paper():
    history = play(KuhnPokerLong(), *deal("Q", "K"), ("bet", None), (None, "call"), anything)
    assert [tuple(stop.world) for stop in history.path()] == [
        (("", ""), (2, 2), 0),
        (("", ""), (1, 2), 1),
        (("", ""), (1, 1), CHANCE),
        (("Q", ""), (1, 1), CHANCE),
        (("Q", "K"), (1, 1), 0),
        (("Q", "K"), (0, 1), 1),
        (("Q", "K"), (0, 0), CHANCE),
        (("Q", "K"), (0, 4), None),
    ]
    assert [str(infostate) for infostate in history.infostates] == [
        "ante / ante / card to player 0 [Q] / card to player 1 / bet / call / Q,K",
        "ante / ante / card to player 0 / card to player 1 [K] / bet / call / Q,K",
    ]
    assert [stop.rewards_so_far for stop in history.path()] == [
        (0, 0), (-1, 0), (-1, -1), (-1, -1), (-1, -1), (-2, -1), (-2, -2), (-2, 2),
    ]  # fmt: skip


def test_a_fold_ends_the_game_and_shows_no_card():
    history = play(KuhnPokerLong(), *deal("J", "Q"), ("check", None), (None, "bet"), ("fold", None))
    assert history.is_terminal
    assert history.rewards_so_far == (-1, 1)
    assert str(history.infostates[1]).endswith("check / bet / fold")


def test_legal_actions():
    start = play(KuhnPokerLong(), *deal("J", "Q"))
    assert start.legal_actions(0) == ("check", "bet")
    assert play(KuhnPokerLong(), *deal("J", "Q"), ("bet", None)).legal_actions(1) == (
        "call",
        "fold",
    )
    checked = play(KuhnPokerLong(), *deal("J", "Q"), ("check", None))
    assert checked.legal_actions(1) == ("check", "bet")
    assert checked.legal_actions(0) == ()


def test_cards_come_one_by_one_with_equal_chances():
    before = play(KuhnPokerLong(), *ANTES)
    assert [chance for _, chance in before.chance_outcomes] == [Fraction(1, 3)] * 3
    between = play(KuhnPokerLong(), *ANTES, card(0, "Q"))
    assert [(world.cards[1], chance) for world, chance in between.chance_outcomes] == [
        ("J", Fraction(1, 2)),
        ("K", Fraction(1, 2)),
    ]


def test_counts():
    # The short form has 48 histories after its one deal; here 6 more lead to them, and each of
    # the 3 ways to a showdown has one history more for each of the 6 deals.
    game = KuhnPokerLong()
    assert path_counts(game) == (1 + 1 + 1 + 3 + 6 + 48 + 6 * 3, 30)
    assert walk(game).num_acting == [1 + 6, 1 + 6]
    assert num_worlds(game) == 60


def short_label(label):
    """Return the infostate of the short form for an infostate of the long form."""
    steps = label.split(" / ")
    (own,) = (step.split()[-1] for step in steps[2:4] if "[" in step)
    return " / ".join([own, *(SHORT_NAME[move] for move in steps[4:])])


def carried(short, long_form):
    """Transfer a policy of the short form to the long form."""
    probabilities = []
    for player, tree in enumerate(long_form.infostate_trees):
        weights = np.ones(long_form.treeplexes[player].num_sequences)
        for number, label in zip(tree.acting.tolist(), tree.acting_labels, strict=True):
            actions = tree.legal_actions(number)
            if len(actions) > 1:
                row = short[short_label(label), player]
                first = int(tree.first_sequence[number])
                chosen = [row[SHORT_NAME[action]] for action in actions]
                weights[first : first + len(actions)] = chosen
        probabilities.append(weights)
    return TabularPolicy(long_form, tuple(probabilities))


@pytest.fixture(scope="module")
def forms():
    return [
        build_tree(infoset.load(name)).sequence_form for name in ("kuhn_poker", "kuhn_poker_long")
    ]


def test_real_decisions_are_those_of_the_short_form(forms):
    short, long_form = forms
    for mine, tree in zip(short.infostate_trees, long_form.infostate_trees, strict=True):
        real = [
            short_label(label)
            for number, label in zip(tree.acting.tolist(), tree.acting_labels, strict=True)
            if len(tree.legal_actions(number)) > 1
        ]
        assert len(real) == len(set(real)) == 6
        assert set(real) == set(mine.acting_labels)


def test_translated_policies_have_the_same_values(forms):
    short, long_form = forms
    rng = np.random.default_rng(0)
    for _ in range(50):
        policy = random_policy(short, rng)
        other = carried(policy, long_form)
        assert expected_values(other) == pytest.approx(expected_values(policy), abs=1e-14)
        assert nash_conv(other) == pytest.approx(nash_conv(policy), abs=1e-14)


def test_both_forms_have_the_same_value(forms):
    results = [infoset.solve(name, "lp") for name in ("kuhn_poker", "kuhn_poker_long")]
    for result in results:
        assert result.values == pytest.approx((-1 / 18, 1 / 18), abs=1e-14)
    assert nash_conv(carried(results[0].policy, forms[1])) < 1e-14


def test_that_a_card_is_dealt_is_public_and_the_card_private():
    one, other = (play(KuhnPokerLong(), *ANTES, card(0, name)) for name in "JQ")
    assert one.public_state == other.public_state
    assert one.infostates[1] == other.infostates[1]
    assert one.infostates[0] != other.infostates[0]
    assert one.public_state != initial_history(KuhnPokerLong()).public_state
