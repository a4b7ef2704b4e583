"""Public forms from public rules, and the comparison of public rules with the rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import infoset
from infoset.errors import (
    CyclicGameError,
    ExplorationLimitError,
    GameRuleError,
    GameTooLargeError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import evaluate_policy
from infoset.forms import UNIT
from infoset.game import Infostate, PublicRulesGame, Step
from infoset.games import LeducPoker, LiarsDice
from infoset.games.leduc_poker import LeducPublicRules
from infoset.games.liars_dice import LiarsDicePublicRules
from infoset.policy import random_policy, tabulate, transfer_policy
from infoset.tree import (
    build_limits,
    build_public_form,
    build_tree,
    build_world_graph,
    check_public_rules,
    count_histories,
    count_public_form,
    derive_public_form,
    public_rules_form,
)
from infoset.tree.public_rules_form import form_of_public_rules
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

GAMES = (
    "kuhn_poker",
    "kuhn_poker(num_cards=5)",
    "leduc_poker",
    "leduc_poker(num_ranks=4,num_suits=1,starting_player=1,num_raises=1)",
    "liars_dice(dice_sides=4)",
    "liars_dice(numdice=2,dice_sides=2)",
    "liars_dice(dice_sides=3,bidding_rule=reset-quantity)",
    "nolimit_preflop(stack=[9;20],ante=[0.5;1],dead=1,raises='2.5x;reraise:a',ranges=['QQ+,72o';AK])",
)


@pytest.mark.parametrize("spec", GAMES)
def test_public_rules_give_the_form_that_the_tree_gives(spec):
    report = check_public_rules(infoset.load(spec), num_lines=30)
    assert report.is_complete
    assert report.has_all_deals
    ours, derived = build_public_form(infoset.load(spec)), derive_public_form(cached_tree(spec))
    assert ours.tree_infostates is None
    assert ours.payoff_range == derived.payoff_range
    assert ours.payoff_width == derived.payoff_width
    assert ours.constant_sum == derived.constant_sum
    assert ours.num_nodes == derived.num_nodes


@pytest.mark.parametrize("spec", GAMES)
def test_policies_are_converted_by_hand_and_line(spec):
    form = cached_tree(spec).sequence_form
    policy = random_policy(form, np.random.default_rng(2))
    public = transfer_policy(policy, build_public_form(infoset.load(spec)))
    expected = evaluate_policy(policy)
    found = evaluate_policy(public)
    assert found.values == pytest.approx(expected.values, abs=1e-12)
    assert found.gains == pytest.approx(expected.gains, abs=1e-12)
    back = transfer_policy(public, form)
    for ours, theirs in zip(back.probabilities, policy.probabilities, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-15, atol=0)


@pytest.mark.parametrize("spec", GAMES)
def test_public_policies_answer_at_infostates_without_a_tree(spec):
    form = cached_tree(spec).sequence_form
    policy = random_policy(form, np.random.default_rng(3))
    public = transfer_policy(policy, build_public_form(infoset.load(spec)))
    asked = tabulate(form, [public, public])
    for ours, theirs in zip(asked.probabilities, policy.probabilities, strict=True):
        assert np.allclose(ours, theirs, rtol=1e-15, atol=0)


def test_a_public_policy_plays_matches_of_a_large_game():
    form = build_public_form(infoset.load("leduc_poker(num_ranks=12)"))
    policy = infoset.solve(form, "cfr+", iterations=30).policy
    uniform = infoset.uniform_policy()
    result = infoset.play_matches("leduc_poker(num_ranks=12)", policy, uniform, num_deals=60)
    assert result.mean > 0
    answer = policy.action_probabilities(Infostate(0, (Step(None, "3s", None),)), ["raise", "call"])
    assert answer.sum() == pytest.approx(1)
    with pytest.raises(UnknownNameError, match="hand"):
        policy.action_probabilities(Infostate(0, (Step(None, "Zs", None),)), ["call"])
    steps = (Step(None, "Ks", None), Step("call", None, "fly"))
    with pytest.raises(UnknownNameError, match=r"continues '\(start\)' by 'fly'"):
        policy.action_probabilities(Infostate(1, steps), ["call"])
    with pytest.raises(UnknownNameError, match=r"player 1 does not act at \[Ks\]"):
        policy.action_probabilities(Infostate(1, (Step(None, "Ks", None),)), ["call"])


@pytest.mark.parametrize("spec", GAMES)
def test_the_game_of_public_rules_is_the_game(spec):
    written = infoset.load(spec)
    game = PublicRulesGame(written.public_rules(), "mine")
    assert infoset.check_game(game, max_histories=3000).game == "mine"
    assert check_public_rules(game, num_lines=10).is_complete
    ours, theirs = build_tree(game).sequence_form, cached_tree(spec).sequence_form
    assert [plex.num_sequences for plex in ours.treeplexes] == [
        plex.num_sequences for plex in theirs.treeplexes
    ]
    rng = np.random.default_rng(4)
    policy = random_policy(theirs, rng)
    by_rules = tabulate(ours, [policy, policy])
    assert evaluate_policy(by_rules).gains == pytest.approx(evaluate_policy(policy).gains)
    assert evaluate_policy(by_rules).values == pytest.approx(evaluate_policy(policy).values)


def test_large_decks_and_many_dice():
    """Sizes whose trees have 10⁷ and more histories; the equilibrium value is bracketed."""
    form = build_public_form(infoset.load("leduc_poker(num_ranks=20)"))
    assert form.num_hands == (40, 40)
    assert form.num_nodes == 11 + 40 * 30
    assert form.prior.matrix().sum() == pytest.approx(1)
    dealt = form.hand_sets[0].sum(axis=1)
    assert sorted(set(dealt.tolist())) == [39, 40]
    result = infoset.solve(form, "dcfr", iterations=100)
    low, high = result.security_levels[0], -result.security_levels[1]
    assert low < high < low + 0.4
    report = check_public_rules(infoset.load("leduc_poker(num_ranks=12)"), num_lines=3)
    assert not report.is_complete
    dice = build_public_form(infoset.load("liars_dice(numdice=3,dice_sides=2)"))
    assert dice.num_nodes == 2**12
    assert dice.prior.matrix().diagonal() == pytest.approx(np.array([1, 9, 9, 1]) / 64)


def test_games_whose_actions_or_suits_are_hidden_are_derived():
    assert LeducPoker(action_mapping=True).public_rules() is None
    assert LeducPoker(players=3).public_rules() is None
    assert LeducPoker(suit_isomorphism=True).public_rules() is None
    with pytest.raises(UnsupportedGameError, match="does not determine the action"):
        build_public_form(LeducPoker(action_mapping=True, num_raises=1))
    with pytest.raises(UnsupportedGameError, match="no public rules to check"):
        check_public_rules(infoset.load("matrix_mp"))
    derived = build_public_form(LeducPoker(suit_isomorphism=True, num_raises=1))
    assert derived.tree_infostates is not None


@dataclass(frozen=True)
class DoubleStakes(LeducPoker):
    """Inherits public rules that do not know its rewards."""

    def rewards(self, world, joint_action, next_world):
        return tuple(2 * reward for reward in super().rewards(world, joint_action, next_world))


def test_inherited_public_rules_are_ignored_where_the_rules_differ():
    assert build_public_form(DoubleStakes()).payoff_range == (-26, 26)
    assert build_public_form(DoubleStakes()).tree_infostates is not None


class WrongEnd(LeducPublicRules):
    def end(self, state):
        end = super().end(state)
        return end and end._replace(utilities=end.utilities[::-1])


class WrongActions(LeducPublicRules):
    def legal_actions(self, state):
        return super().legal_actions(state)[::-1]


class WrongDeals(LeducPublicRules):
    def deals(self, state):
        return [deal._replace(probability=0.3) for deal in super().deals(state)]


class WrongHands(LeducPublicRules):
    def hands(self, player):
        return [hand._replace(weight=1 + (hand.label == "Js")) for hand in super().hands(player)]


class WrongTurn(LiarsDicePublicRules):
    def actor(self, state):
        actor = super().actor(state)
        return None if actor is None else 1 - actor


class WrongThreshold(LiarsDicePublicRules):
    def end(self, state):
        end = super().end(state)
        return end and end._replace(strengths=self._strengths[max(0, state.call - 1)])


@pytest.mark.parametrize(
    ("rules", "difference"),
    [
        (WrongEnd, "the utilities by the rules"),
        (WrongActions, "the legal actions by the rules"),
        (WrongDeals, "the probability of '.*' by the rules: 0.25"),
        (WrongHands, "the hands 'J.' and '..' have probability 0.0333"),
        (WrongTurn, "who acts by the rules"),
        (WrongThreshold, "the utilities by the rules"),
    ],
)
@pytest.mark.parametrize("num_lines", [0, 50])
def test_mistakes_in_public_rules_are_found_by_plays_and_by_the_whole_form(
    rules, difference, num_lines
):
    base = LeducPoker if issubclass(rules, LeducPublicRules) else LiarsDice

    class Game(base):
        """A game with wrong public rules."""

        initial_world, actors = base.initial_world, base.actors
        legal_actions, transitions = base.legal_actions, base.transitions
        observe, rewards = base.observe, base.rewards

        def public_rules(self):
            return rules(self)

    game = Game() if base is LeducPoker else Game(dice_sides=2)
    with pytest.raises(GameRuleError, match=difference if num_lines else "differ"):
        check_public_rules(game, num_lines=num_lines)


class NoEnd(LiarsDicePublicRules):
    def end(self, state):
        return None


class NoActions(LiarsDicePublicRules):
    def legal_actions(self, state):
        return ()


class TwoUtilities(LiarsDicePublicRules):
    def end(self, state):
        end = super().end(state)
        return end and end._replace(utilities=end.utilities[:2])


class WrongPairs(LiarsDicePublicRules):
    def pair_weights(self):
        return [[1, 2, 3]]


@pytest.mark.parametrize(
    ("rules", "rule"),
    [
        (NoEnd, "a decision, a chance move or an end"),
        (NoActions, "at least one legal action"),
        (TwoUtilities, "one pair of utilities, three if"),
        (WrongPairs, "one weight for each pair of hands, and hands do not have cards"),
    ],
)
def test_broken_public_rules(rules, rule):

    game = LiarsDice(dice_sides=2)
    with pytest.raises(GameRuleError, match=rule):
        form_of_public_rules(game, rules(game))


def test_public_forms_are_counted_before_they_are_built(monkeypatch):
    for spec in GAMES:
        game = infoset.load(spec)
        counts, form = count_public_form(game.public_rules()), build_public_form(game)
        assert counts.nodes == form.num_nodes
        assert counts.ends == len(form.terminals)
        assert counts.hands == form.num_hands
        assert counts.sequences == tuple(plex.num_sequences for plex in form.treeplexes)
        graph = build_world_graph(PublicRulesGame(game.public_rules(), "by public rules"))
        exact = count_histories(graph)
        for name in ("world_states", "histories", "terminals"):
            assert getattr(counts, name) == getattr(exact, name)
        assert count_histories(build_world_graph(game)).histories == exact.histories
    game = infoset.load("liars_dice(numdice=3,dice_sides=6)")
    counts = count_public_form(game.public_rules())
    assert counts.nodes == 2**36
    assert counts.hands == (56, 56)
    with pytest.raises(GameTooLargeError, match=r"public nodes, .* ends and .* seq") as caught:
        build_public_form(game)
    assert caught.value.counts["public_nodes"] == 2**36
    # Few states are counted beyond the limit, too, so that the message can state the size.
    assert count_public_form(game.public_rules(), memory=1000) == counts
    monkeypatch.setattr("infoset.tree.public_counting.MAX_STEPS", 100)
    with pytest.raises(GameTooLargeError, match=r"its public form exceeds .* 1\.0 kB"):
        count_public_form(game.public_rules(), memory=1000)
    assert count_public_form(game.public_rules(), memory=10**15) == counts
    with pytest.raises(GameTooLargeError, match="the memory limit"):
        build_public_form(infoset.load("leduc_poker(num_ranks=20)"), memory=500_000)


def test_building_a_public_form_has_a_time_limit_and_progress(monkeypatch):
    points = []
    form = build_public_form(infoset.load("liars_dice"), progress=points.append)
    total = form.num_nodes + len(form.terminals)
    assert [(one.stage, one.done, one.total) for one in points] == [
        *(("public tree", done, total) for done in range(0, total, 2048)),
        ("public tree", total, total),
    ]
    slow = infoset.load("liars_dice")
    message = r"has 8,191 public states; building its public form stopped at the time limit of 0"
    with pytest.raises(ExplorationLimitError, match=message):
        build_public_form(slow, max_seconds=0.0)
    with build_limits(max_seconds=0), pytest.raises(ExplorationLimitError, match="--build-seconds"):
        infoset.solve("nolimit_endgame(board=Ks9d8h4s2c)", iterations=1)
    # The limit is noticed while states are visited.
    clock = iter(range(100))
    monkeypatch.setattr(public_rules_form, "working_seconds", lambda: next(clock))
    with pytest.raises(ExplorationLimitError, match="limit of 2 s"):
        build_public_form(slow, max_seconds=2, progress=points.append)
    assert 0 < points[-1].done < total


class Circle(LiarsDicePublicRules):
    def next_state(self, state, action):
        return self.initial_state() if state.call == 2 else super().next_state(state, action)


class SignedZeros(LiarsDicePublicRules):
    def end(self, state):
        end = super().end(state)
        zero = -0.0 if state.call % 2 else 0.0
        return end if end is None else end._replace(utilities=((zero, 0.0),) * 3)


def test_shared_payoffs_keep_the_signs_of_zeros():
    """Fingerprints of forms, and so policy files, contain the bytes of payoffs."""
    game = LiarsDice(dice_sides=2)
    rules = SignedZeros(game)
    ends = form_of_public_rules(game, rules).terminals
    first, payoff = ends.payoffs_of(ends.payoff_set)
    assert len(ends.first_payoff) == 3
    signs = {tuple(np.signbit(payoff[begin])) for begin in first[:-1]}
    assert signs == {(True, False), (False, False)}


def test_circles_of_public_states_are_refused():
    with pytest.raises(CyclicGameError, match="call=2"):
        count_public_form(Circle(LiarsDice(dice_sides=2)))


def test_info_forecasts_the_public_form():
    found = infoset.info("leduc_poker")
    assert found.public_nodes == 191
    assert 100_000 < found.public_form_bytes < 1_000_000
    assert infoset.info("goofspiel(num_cards=3)").public_nodes is None


def test_the_rounding_error_grows_with_the_number_of_transitions():
    """Four roundings of the prior, two for each of three transitions, and utilities of up to 2."""
    assert infoset.build_public_form("kuhn_poker").payoff_rounding == (4 + 2 * 3) * UNIT * 2
