"""Plays against policies: what the human sees, and the review."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.evaluation import decision_losses
from infoset.game import PublicRulesGame
from infoset.games import load_game
from infoset.policy import (
    TabularPolicy,
    UniformPolicy,
    random_policy,
    transfer_policy,
    uniform_policy,
)
from infoset.search import make_searcher, search_model
from infoset.tree import derive_public_form
from infoset.views import Play, PublicPlaces, TreePlaces, plays
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import SmallHoldem, small_holdem

LEDUC = load_game("leduc_poker")


def play_to_end(play: Play, rng: np.random.Generator) -> list[dict]:
    """Act at random until the end; return all views."""
    views = [asdict(play.view())]
    while not views[-1]["is_over"]:
        views.append(asdict(play.act(int(rng.integers(len(views[-1]["actions"]))))))
    return views


@pytest.mark.parametrize("game", ["leduc_poker", "goofspiel(num_cards=3,imp_info=True)"])
def test_views_before_the_end_depend_on_the_players_infostate_alone(game):
    rules, seen, hands = load_game(game), {}, set()
    for seed in range(60):
        play, rng = Play(rules, 0, UniformPolicy(), seed), np.random.default_rng(seed)
        while not play.history.is_terminal:
            known = play.history.infostates[0]
            assert seen.setdefault(known, play.view()) == play.view()
            hands.add((known, play.history.world))
            play.act(int(rng.integers(len(play.view().actions))))
    assert len(hands) > len(seen), "some infostates were met with different hidden worlds"


def test_losses_are_those_of_decision_losses_and_the_most_costly_come_first():
    tree = cached_tree("leduc_poker")
    policy = random_policy(tree.sequence_form, np.random.default_rng(3))
    losses = decision_losses(policy, 1)
    own = tree.infostate_trees[1]
    for seed in range(10):
        play = Play(LEDUC, 1, policy, seed)
        play_to_end(play, np.random.default_rng(seed))
        review = play.review(policy)
        found = [decision.loss for decision in review.decisions]
        assert found == sorted(found, reverse=True)
        path = play.history.path()
        for decision in review.decisions:
            before, after = path[decision.step], path[decision.step + 1]
            number = own.index_of(before.infostates[1])
            place = before.legal_actions(1).index(after.joint_action[1])
            assert decision.action == decision.actions[place]
            assert decision.loss == losses[own.first_sequence[number] + place]


def test_the_others_beliefs_are_those_of_bayes_with_the_truth_marked():
    tree = cached_tree("kuhn_poker")
    policy = random_policy(tree.sequence_form, np.random.default_rng(5))
    own = tree.infostate_trees[0]
    checked = 0
    for seed in range(20):
        play = Play(load_game("kuhn_poker"), 0, policy, seed)
        with pytest.raises(ParameterError, match="not over"):
            play.belief(0, TreePlaces(tree, policy))
        play.act(1)  # bet, so that player 1 decides, and the play ends
        thought, belief = play.review(policy).thoughts[0], play.belief(0, TreePlaces(tree, policy))
        holds = thought.infostate[1]
        cards = [card for card in "JQK" if card != holds]
        weight = []
        for card in cards:
            number = next(at for at in range(own.num_infostates) if own.label(at) == f"[{card}]")
            weight.append(policy.probabilities[0][own.first_sequence[number] + 1])
        expected = dict(zip(cards, np.array(weight) / sum(weight), strict=True))
        assert {entry.label for entry in belief.entries} == set(cards)
        for entry in belief.entries:
            assert entry.probability == pytest.approx(expected[entry.label])
            checked += entry.is_true
        (true,) = [entry.label for entry in belief.entries if entry.is_true]
        assert str(play.history.path()[1].infostates[0]) == f"[{true}]"
        assert belief == play.belief(0), "the rules give what the tree gives"
    assert checked == 20
    with pytest.raises(ParameterError, match="thought=9: the others made"):
        play.belief(9)


def test_the_truth_is_marked_also_where_it_was_not_believed():
    tree = cached_tree("kuhn_poker")
    own = tree.infostate_trees[0]
    weights = np.ones(own.num_sequences)
    for number in own.acting.tolist():
        if own.label(number) == "[J]":  # a jack never bets
            weights[own.first_sequence[number] + 1] = 0
    ones = np.ones(tree.infostate_trees[1].num_sequences)
    policy = TabularPolicy.from_weights(tree.sequence_form, (weights, ones))
    for seed in range(20):
        play = Play(load_game("kuhn_poker"), 0, policy, seed)
        holds_jack = str(play.history.infostates[0]) == "[J]"
        play.act(1)
        (true,) = [
            entry for entry in play.belief(0, TreePlaces(tree, policy)).entries if entry.is_true
        ]
        assert (true.probability == 0) == holds_jack


@pytest.mark.parametrize("game", ["kuhn_poker", "leduc_poker"])
def test_reviews_on_public_forms_are_those_of_trees(game):
    tree, rules = cached_tree(game), load_game(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(2))
    form = derive_public_form(tree)
    by_hand = transfer_policy(policy, form)
    sources = (TreePlaces(tree, policy), PublicPlaces(form, by_hand))
    num_losses = num_beliefs = 0
    for seed in range(6):
        plays = [Play(rules, seed % 2, others, seed) for others in (policy, by_hand)]
        for play in plays:
            play_to_end(play, np.random.default_rng(seed))
        first, second = (
            play.review(places.policy) for play, places in zip(plays, sources, strict=True)
        )
        assert second.lines == first.lines
        for one, other in zip(first.decisions, second.decisions, strict=True):
            assert (other.step, other.infostate, other.action) == (
                one.step,
                one.infostate,
                one.action,
            )
            assert other.probabilities == pytest.approx(one.probabilities, abs=1e-12)
            assert other.values == pytest.approx(one.values, abs=1e-12)
            assert other.loss == pytest.approx(one.loss, abs=1e-12)
            num_losses += other.loss > 0
        for thought in range(len(first.thoughts)):
            one, other = (
                p.belief(thought, places) for p, places in zip(plays, sources, strict=True)
            )
            assert [entry.is_true for entry in other.entries].count(True) == 1
            shares = (
                {entry.label: entry.probability for entry in own.entries} for own in (one, other)
            )
            wanted, found = shares
            assert found == pytest.approx(wanted, abs=1e-12)
            num_beliefs += 1
    assert num_losses
    assert num_beliefs


def test_a_searcher_tells_its_values_worlds_and_time():
    searcher = make_searcher("pimc", search_model(LEDUC), num_worlds=10)
    play = Play(LEDUC, 0, searcher, seed=1)
    play_to_end(play, np.random.default_rng(1))
    review = play.review()
    assert review.decisions == ()
    assert review.thoughts
    for thought in review.thoughts:
        assert len(thought.values) == len(thought.actions) == len(thought.probabilities)
        assert thought.num_worlds == 10
        assert thought.seconds > 0
    assert sum(review.utilities) == 0


def test_equal_seeds_give_equal_plays():
    views = [
        play_to_end(Play(LEDUC, 0, UniformPolicy(), 7), np.random.default_rng(0)) for _ in "ab"
    ]
    assert views[0] == views[1]


def test_mistakes_and_failures_leave_the_play_unchanged():
    class Broken:
        def search(self, infostate, rng):
            raise UnsupportedGameError("no")

    play = Play(LEDUC, 0, Broken())
    before = play.view()
    with pytest.raises(ParameterError, match="legal actions"):
        play.act(2)
    with pytest.raises(UnsupportedGameError, match="no"):
        play.act(0)
    assert play.view() == before
    with pytest.raises(ParameterError, match="not over"):
        play.review()
    with pytest.raises(ParameterError, match="player"):
        Play(LEDUC, 2, UniformPolicy())


def test_beliefs_say_what_they_leave_out_and_what_was_drawn(monkeypatch):
    form = small_holdem()
    play = Play(PublicRulesGame(SmallHoldem(), "small_holdem"), 0, uniform_policy(form), seed=1)
    play_to_end(play, np.random.default_rng(1))
    belief = play.belief(0, PublicPlaces(form, uniform_policy(form)))
    assert (belief.rest, belief.num_drawn) == (0.0, None)
    assert sum(entry.probability for entry in belief.entries) == pytest.approx(1)
    assert play.belief(0).num_drawn is None, "the rules list all hands"
    monkeypatch.setattr(plays, "MAX_LISTED", 5)
    monkeypatch.setattr(plays, "MAX_BELIEF", 4)
    play = Play(load_game("liars_dice(numdice=3)"), 0, UniformPolicy(), seed=1)
    play_to_end(play, np.random.default_rng(1))
    belief = play.belief(0)
    assert belief.num_drawn > 5
    assert len(belief.entries) in (4, 5)
    assert sum(entry.probability for entry in belief.entries) + belief.rest == pytest.approx(1)
    assert belief.rest > 0.3


def test_a_play_is_continued_from_a_decision_with_the_same_hidden_cards():
    for seed in range(20):
        play = Play(LEDUC, 1, UniformPolicy(), seed)
        first = play.view()
        with pytest.raises(ParameterError, match="not over"):
            play.again(1, 0)
        play_to_end(play, np.random.default_rng(seed))
        end = play.view()
        own = [made for made in play._decisions if made.player == 1]
        for made in own:
            other = play.again(made.history.depth, 5)
            assert other.history == made.history
            lines = [" ".join(line.split()) for line in other.view().lines]
            assert lines == [" ".join(line.split()) for line in end.lines[: made.history.depth]]
            assert [one for one in other._decisions if one.player == 1] == own[: own.index(made)]
            again = play.again(made.history.depth, 5)
            seen = play_to_end(other, np.random.default_rng(0))
            assert seen == play_to_end(again, np.random.default_rng(0)), "the same seed"
            assert (
                len(
                    other.review(uniform_policy(cached_tree("leduc_poker").sequence_form)).decisions
                )
                >= own.index(made) + 1
            )
        assert play.again(own[0].history.depth, 5).view() == first
        assert play.view() == end, "the play itself has not changed"
        with pytest.raises(ParameterError, match="made no decision there"):
            play.again(0, 0)


def test_what_follows_a_decision_is_drawn_anew():
    play = Play(LEDUC, 0, UniformPolicy(), seed=2)
    play_to_end(play, np.random.default_rng(1))
    step = next(made for made in play._decisions if made.player == 0).history.depth
    ends = set()
    for seed in range(20):
        other = play.again(step, seed)
        while not other.history.is_terminal:
            other.act(0)
        ends.add(other.history)
        assert other.history.infostates[1].steps[0] == play.history.infostates[1].steps[0]
    assert len(ends) > 3
