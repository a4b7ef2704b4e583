"""What all forms answer: a public form and the sequence form of the same game agree."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from infoset.errors import ParameterError
from infoset.forms import Form, check_form, sequences_in_tree
from infoset.game import PublicRulesGame
from infoset.games import load_game
from infoset.policy import random_policy, transfer_policy
from infoset.tree import build_public_form, build_tree, derive_public_form
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.suited_rules import SuitedPoker

SUITED = {
    "suited": SuitedPoker(num_ranks=2, num_deals=1),
    "suited with a board": SuitedPoker(num_ranks=2, board=("1a",), num_deals=1),
}
GAMES = [
    "kuhn_poker",
    "leduc_poker",
    "liars_dice(dice_sides=3)",
    *range(12),
    *((name, is_merged) for name in SUITED for is_merged in (False, True)),
]

DEALT = [game for game in GAMES if game not in (5, 10)]
"""Games with a deal. Without one, the only hand is the start, which texts of the tree leave out."""


@cache
def forms(game):
    """Return the public form and the sequence form of a game, a random one if it is a number."""
    if isinstance(game, tuple):
        rules = PublicRulesGame(SUITED[game[0]], game[0])
        form = build_public_form(rules, merge_symmetric=game[1])
        assert (form.symmetry is not None) == game[1]
        return form, build_tree(rules).sequence_form
    tree = cached_tree(game) if isinstance(game, str) else build_tree(RandomPublicGame(game))
    return derive_public_form(tree), tree.sequence_form


@cache
def plans_of(game):
    """Return the plans of a random policy on both forms."""
    public, form = forms(game)
    policy = random_policy(public, np.random.default_rng(2))
    return policy.realization_plans(), transfer_policy(policy, form).realization_plans()


@cache
def infostates_of(game, player):
    """Return pairs of infostates of both forms that are the same."""
    public, form = forms(game)
    pairs = sequences_in_tree(public, form, player)
    plexes = (public.treeplexes[player], form.treeplexes[player])
    found = [plex.infostate_of_sequence[own] for plex, own in zip(plexes, pairs, strict=True)]
    return np.unique(np.stack(found), axis=1)


def in_public_form(game, player, values):
    """Return values of sequences of the tree, summed over those that the public form merges."""
    public, form = forms(game)
    here, there = sequences_in_tree(public, form, player)
    assert np.array_equal(np.unique(there), np.arange(1, form.treeplexes[player].num_sequences))
    sums = np.zeros(public.treeplexes[player].num_sequences)
    np.add.at(sums, np.append(0, here), values[np.append(0, there)])
    return sums


@pytest.mark.parametrize("game", GAMES)
def test_both_are_forms(game):
    public, form = forms(game)
    assert isinstance(public, Form)
    assert isinstance(form, Form)
    assert (public.kind, form.kind) == ("public", "sequence")
    assert public.payoff_range == pytest.approx(form.payoff_range)
    assert public.constant_sum == pytest.approx(form.constant_sum)
    assert public.payoff_width == pytest.approx(form.payoff_width)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_gradients(game, player):
    public, form = forms(game)
    own, in_tree = plans_of(game)
    for one, other in ((public, form), (public.centered, form.centered)):
        found = one.gradient(own, player)
        expected = in_public_form(game, player, other.gradient(in_tree, player))
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_reach(game, player):
    public, form = forms(game)
    own, in_tree = plans_of(game)
    found = public.reach_gradient(own, player)
    expected = in_public_form(game, player, form.reach_gradient(in_tree, player))
    assert found == pytest.approx(expected, abs=1e-12)
    assert found @ own[player] == pytest.approx(1.0)
    here, there = infostates_of(game, player)
    reach = form.counterfactual_reach(in_tree, player)
    sums = np.bincount(here, reach[there], public.treeplexes[player].num_infostates)
    assert public.counterfactual_reach(own, player) == pytest.approx(sums, abs=1e-12)


def test_counterfactual_reach_by_hand():
    """In Kuhn poker, player 1 has the king after a bet with probability (σ(J) + σ(Q)) / 6."""
    public, form = forms("kuhn_poker")
    for one in (public, form):
        bets = {"J": 0.3, "Q": 0.1, "K": 0.8}
        weights = [np.ones(plex.num_sequences) for plex in one.treeplexes]
        for hand, bet in bets.items():
            _, number = one.look_up((f"[{hand}]", 0))
            first = one.treeplexes[0].first_sequence[number]
            actions = one.actions_at(0, number)
            weights[0][first : first + 2] = [bet if own == "bet" else 1 - bet for own in actions]
        _, number = one.look_up(("[K] / bet", 1))
        reach = one.counterfactual_reach(tuple(weights), 1)
        assert reach[number] == pytest.approx((0.3 + 0.1) / 6)


@pytest.mark.parametrize("game", GAMES)
def test_moments_of_payoffs(game):
    public, form = forms(game)
    own, in_tree = plans_of(game)
    assert public.payoff_scale == pytest.approx(form.payoff_scale, rel=1e-12)
    for player in range(2):
        expected = form.payoff_deviation(in_tree, player)
        assert public.payoff_deviation(own, player) == pytest.approx(expected, abs=1e-10)
        halved = public.payoff_deviation(own, player, 2.0)
        assert halved == pytest.approx(expected / 2, abs=1e-10)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_multiplicities(game, player):
    public, form = forms(game)
    here, _ = infostates_of(game, player)
    expected = np.bincount(here, minlength=public.treeplexes[player].num_infostates)
    assert public.multiplicities[player].tolist() == expected.tolist()
    assert set(form.multiplicities[player].tolist()) <= {1}


@pytest.mark.parametrize("game", DEALT)
@pytest.mark.parametrize("player", [0, 1])
def test_infostates_have_the_same_texts_and_actions(game, player):
    public, form = forms(game)
    same = dict(infostates_of(game, player).T[:, ::-1].tolist())
    texts = dict(public.labeled_infostates(player))
    in_tree = dict(form.labeled_infostates(player))
    omitted = public.symmetry.images if public.symmetry else ()
    assert texts.keys() <= in_tree.keys()
    assert omitted or texts.keys() == in_tree.keys()
    for text, number in texts.items():
        assert same[in_tree[text]] == number
        assert public.actions_at(player, number) == form.actions_at(player, in_tree[text])
        assert public.look_up((text, player)) == (player, number)
        assert form.look_up((text, player)) == (player, in_tree[text])
    for one in forms(game):
        order = one.reading_order(player)
        count = len([*one.labeled_infostates(player)])
        assert sorted(order.tolist()) == [*range(count)]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("player", [0, 1])
def test_infostates_are_found(game, player):
    for one in forms(game):
        for number in range(one.treeplexes[player].num_infostates):
            assert one.find(one.infostate_at(player, number)) == number


@pytest.mark.parametrize("game", DEALT)
@pytest.mark.parametrize("player", [0, 1])
def test_infostates_of_the_tree_are_found_in_the_public_form(game, player):
    public, form = forms(game)
    for number, in_tree in infostates_of(game, player).T.tolist():
        assert public.find(form.infostate_at(player, in_tree)) == number


@pytest.mark.parametrize("game", GAMES)
def test_tables_have_a_row_for_each_sequence(game):
    for one in forms(game):
        table = one.table()
        legal = iter(table.legal)
        for player, plex in enumerate(one.treeplexes):
            columns = table.sequences[player][:, :]
            assert set(columns.ravel().tolist()) == set(range(1, plex.num_sequences))
            row = 0
            for count in table.num_actions[player].tolist():
                first, *others = columns[row : row + count, 0].tolist()
                number = int(plex.infostate_of_sequence[first])
                assert first == int(plex.first_sequence[number])
                assert others == [*range(first + 1, first + count)]
                assert next(legal) == one.actions_at(player, number)
                row += count
            assert len(columns) == row
            # Rows may be an array of any shape, and columns may be some of those of the table.
            some = np.arange(row)[None, ::2]
            np.testing.assert_array_equal(table.sequences[player][some, 1:], columns[some, 1:])
        assert not [*legal]
        assert len(table.places) == len(table.legal)


def test_asking_whether_something_is_a_form_computes_nothing():
    form = build_public_form(load_game("leduc_poker"))
    known = {*vars(form)}
    assert isinstance(form, Form)
    check_form(form)
    assert {*vars(form)} == known
    assert "payoff_scale" not in known
    assert not isinstance(form.treeplexes[0], Form)
    with pytest.raises(ParameterError, match="type"):
        check_form(type(form))


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker", "liars_dice(dice_sides=3)"])
def test_infostates_from_an_infostate_are_its_player_s_later_ones(game):
    for form in forms(game):
        for player, plex in enumerate(form.treeplexes):
            for number, label in list(enumerate(form.infostate_labels(player)))[::7]:
                found = form.infostates_from((label, player))
                expected = np.arange(plex.num_infostates) == number
                for later in range(plex.num_infostates):  # parents come first
                    before = plex.infostate_of_sequence[plex.parent_sequence[later]]
                    expected[later] |= before >= 0 and expected[before]
                np.testing.assert_array_equal(found[player], expected)
                assert not found[1 - player].any()


def test_infostates_from_a_line_are_those_of_both_players():
    form, _ = forms("leduc_poker")
    for node in range(form.num_nodes):
        if form.player[node] < 0:
            continue
        for player, own in enumerate(form.infostates_from(form.label(node))):
            lines = [form.label(int(at)) for at in form.infostates[player][0]]
            prefix = "" if node == 0 else form.label(node)
            expected = [prefix in ("", line) or line.startswith(f"{prefix} /") for line in lines]
            np.testing.assert_array_equal(own, expected)


@pytest.mark.parametrize("game", GAMES)
def test_sets_of_actions_are_those_of_the_infostates(game):
    for form in forms(game):
        for player, plex in enumerate(form.treeplexes):
            every = [form.actions_at(player, number) for number in range(plex.num_infostates)]
            assert {*every} <= {*form.action_sets}
        assert all(len({*actions}) == len(actions) for actions in form.action_sets)
