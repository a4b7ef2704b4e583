"""Public forms in which exchangeable cards are merged, against the forms in which they are not."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import GameRuleError, PolicyMismatchError, UnknownNameError
from infoset.evaluation import best_response_plan, evaluate_hands, evaluate_policy
from infoset.game import PublicRulesGame
from infoset.policy import TabularPolicy, load_policy, save_policy, transfer_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.tree import build_public_form, check_public_rules, count_public_form
from tests.support.suited_rules import SuitedPoker


def forms(**options):
    """Return the game with its merged and its whole public form."""
    game = PublicRulesGame(SuitedPoker(**options), "suited poker")
    return game, build_public_form(game), build_public_form(game, merge_symmetric=False)


GAMES = [
    {"num_ranks": 3},
    {"num_ranks": 2, "board": ("1a",), "num_cards": 2, "num_deals": 1},
    {"num_ranks": 3, "board": ("1a", "2b", "1b", "2a"), "num_deals": 1, "num_cards": 2},
]


@pytest.fixture(params=range(len(GAMES)))
def pair(request):
    return forms(**GAMES[request.param])


def expanded(policy, whole):
    """Return the policy on the whole form, by looking up each of its lines."""
    merged, found = policy.form, []
    for player, plex in enumerate(whole.treeplexes):
        weights = np.ones(plex.num_sequences)
        for node in whole.decisions[player].tolist():
            at, permutation = merged.find_line(whole.label(node))
            chosen = policy.at_node(at)
            images = [
                merged.hand_at(player, h, permutation) for h in range(whole.num_hands[player])
            ]
            first = int(whole.sequences[player].first[node])
            places = whole.places(player, slice(first, first + len(chosen)))
            weights[places] = chosen[:, images]
        found.append(weights)
    return TabularPolicy.from_weights(whole, found)


def random_policy(form, seed=0):
    rng = np.random.default_rng(seed)
    weights = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


def test_merging_makes_forms_smaller(pair):
    game, merged, whole = pair
    assert merged.num_nodes < whole.num_nodes
    assert merged.payoff_scale == pytest.approx(whole.payoff_scale)
    for own, all_of_it in zip(merged.treeplexes, whole.treeplexes, strict=True):
        assert own.num_sequences < all_of_it.num_sequences
    for form, merge in ((merged, True), (whole, False)):
        counts = count_public_form(game.public_rules(), merge_symmetric=merge)
        assert counts.nodes == form.num_nodes
        assert counts.sequences == tuple(plex.num_sequences for plex in form.treeplexes)
        assert counts.ends == len(form.terminals)


def test_policies_have_the_same_values_and_best_responses(pair):
    _, merged, whole = pair
    policy = random_policy(merged)
    ours, theirs = evaluate_policy(policy), evaluate_policy(expanded(policy, whole))
    assert ours.values == pytest.approx(theirs.values, abs=1e-12)
    assert ours.gains == pytest.approx(theirs.gains, abs=1e-12)
    assert ours.exploitability > 0.1


def test_gradients_are_sums_over_what_is_merged(pair):
    _, merged, whole = pair
    policy = random_policy(merged)
    plans, whole_plans = policy.realization_plans(), expanded(policy, whole).realization_plans()
    for player in range(2):
        ours = merged.gradient(plans, player)
        theirs = whole.gradient(whole_plans, player)
        best, best_whole = (
            best_response_plan(form, own, player)
            for form, own in ((merged, plans), (whole, whole_plans))
        )
        assert ours @ best == pytest.approx(theirs @ best_whole, abs=1e-12)
        assert ours.sum() == pytest.approx(theirs.sum(), abs=1e-12)


@pytest.mark.parametrize(("scheme", "threads"), [("cfr", 1), ("cfr+", 2), ("dcfr", 1)])
def test_iterates_are_those_of_the_whole_form(scheme, threads):
    _, merged, whole = forms(**GAMES[0])
    policies = []
    for form in (merged, whole):
        minimizer = RegretMinimizer(form, SCHEMES[scheme], threads=threads)
        minimizer.run(3)
        policies.append(TabularPolicy.from_weights(form, minimizer.average_plans()))
    ours = evaluate_policy(policies[0])
    assert ours.exploitability == pytest.approx(evaluate_policy(policies[1]).exploitability)
    for player in range(2):
        np.testing.assert_allclose(
            expanded(policies[0], whole).by_hand(player), policies[1].by_hand(player), atol=1e-9
        )


def test_tables_of_the_tree_and_back():
    game, merged, whole = forms(num_ranks=2, board=("1a",), num_deals=1)
    form = infoset.build_sequence_form(game)
    policy = random_policy(merged)
    table = transfer_policy(policy, form)
    ours, theirs = evaluate_policy(policy), evaluate_policy(table)
    assert ours.gains == pytest.approx(theirs.gains, abs=1e-12)
    assert ours.values == pytest.approx(theirs.values, abs=1e-12)
    back = transfer_policy(transfer_policy(table, merged), form)
    for ours, theirs in zip(back.probabilities, table.probabilities, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-15)
    unequal = transfer_policy(random_policy(whole), form)
    with pytest.raises(PolicyMismatchError, match="merge_symmetric=False"):
        transfer_policy(unequal, merged)


def test_policies_answer_at_omitted_lines():
    game, merged, _ = forms(**GAMES[0])
    policy = random_policy(merged)
    lines = ["c / c / 3c / b / c / 1a", "c / c / 3b / b / c / 1a", "c / c / 3a / b / c / 1c"]
    # Suits of hand, first and second card: the same up to names.
    answers = [policy[hand, line] for hand, line in zip(["2c", "2b", "2a"], lines, strict=True)]
    assert answers[0] == answers[1] == answers[2]
    assert answers[0] != policy["2b", lines[0]]
    assert infoset.play_matches(game, policy, policy, num_deals=20, seed=1).num_deals == 20
    with pytest.raises(UnknownNameError, match="line"):
        policy["2c", "c / c / 3d"]


class Lopsided(SuitedPoker):
    """Rules that treat suits alike except that nobody may bet after one card."""

    def legal_actions(self, state):
        legal = super().legal_actions(state)
        return legal if state[0][-1:] != ("2b",) else legal[:1]


class Unfair(SuitedPoker):
    """Rules that treat suits alike except that more is paid after one card."""

    def end(self, state):
        end = super().end(state)
        if end is None or state[0][-1:] != ("2b",):
            return end
        return end._replace(utilities=tuple((2 * a, 2 * b) for a, b in end.utilities))


def test_symmetries_are_checked_with_the_rules():
    game, *_ = forms(num_ranks=2, num_deals=1)
    assert check_public_rules(game).is_complete
    for rules in (Lopsided(num_deals=1), Unfair(num_deals=1)):
        with pytest.raises(GameRuleError, match="symmetries"):
            check_public_rules(PublicRulesGame(rules, "wrong"))
    with pytest.raises(GameRuleError, match="symmetries"):
        check_public_rules(PublicRulesGame(Lopsided(), "wrong"), max_histories=0)


class Unequal(SuitedPoker):
    """Wrong symmetries of a board, or wrong strengths."""

    def __init__(self, swaps, strengths=False, **options):
        super().__init__(**options)
        self.swaps, self.has_strengths = swaps, strengths

    def symmetries(self):
        return self.swaps

    def _by_strength(self, board):
        if not self.has_strengths:
            return super()._by_strength(board)
        own = tuple(range(len(self._hands)))
        return own, own


SWAP = {"1a": "1b", "2a": "2b", "1b": "1a", "2b": "2a"}


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (Unequal([{"1a": "1b"}]), "not a permutation of cards"),
        (Unequal([{"1a": "x", "x": "1a"}]), "are not a hand of player 0"),
        (Unequal([SWAP], weights={"1a": 2}), "'1a' with weight 2, but '1b'"),
        (Unequal([SWAP], strengths=True, num_deals=0), "different strengths"),
        (Unequal([SWAP], board=("1a",), num_cards=1), "are not a hand of player 0"),
    ],
)
def test_wrong_symmetries_are_refused(rules, message):
    with pytest.raises(GameRuleError, match=message):
        build_public_form(PublicRulesGame(rules, "wrong"))


def test_files_values_by_hand_and_rows_of_merged_forms(tmp_path):
    game, merged, whole = forms(num_ranks=2, board=("1a",), num_deals=1)
    policy = random_policy(merged)
    full = expanded(policy, whole)
    save_policy(policy, tmp_path / "policy.parquet")
    again = load_policy(tmp_path / "policy.parquet", merged)
    for player in range(2):
        np.testing.assert_array_equal(again.by_hand(player), policy.by_hand(player))
        ours, theirs = (evaluate_hands(own)[player] for own in (policy, full))
        for name in ("probabilities", "values", "best_response_values", "gains"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-12)
    with pytest.raises(PolicyMismatchError, match="merge_symmetric=False"):
        load_policy(tmp_path / "policy.parquet", whole)
    reaches = {(row.player, row.infostate): row.own_reach for row in full.rows()}
    for row in policy.rows():
        assert row.own_reach == pytest.approx(reaches[row.player, row.infostate], abs=1e-12)
    numbers = [count_public_form(game.public_rules(), merge_symmetric=m) for m in (True, False)]
    assert numbers[0].histories == numbers[1].histories == infoset.build_tree(game).num_histories
    assert numbers[0].world_states == numbers[1].world_states
