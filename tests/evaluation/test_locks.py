"""Locks as text, against sums over pairs of hands and trees in which chance plays the locks."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.errors import ParameterError, UnknownNameError
from infoset.evaluation import locked_behavior, parse_locks
from infoset.forms import lock
from infoset.front.lock_sources import resolve_locks
from infoset.game.infostate import split_steps, value_text
from infoset.policy import (
    complete_policy,
    load_behavior,
    random_policy,
    restrict_policy,
    save_behavior,
    uniform_policy,
)
from tests.support.cached_games import cached_tree
from tests.support.chance_plays import ChancePlays

RIVER = "nolimit_endgame(board=Ks9d8h4s2c,pot=100,stack=100,bets='50%,a',raises=100%,{})"
NARROW = RIVER.format("ranges=['AhAd,QhQd,JsTs';'KhQh,AhTh,9s8s']")
PAIRS = RIVER.format("ranges='AA,QQ:0.5,JTs:0.75'")


@cache
def form_of(game, **options):
    return infoset.build_public_form(game, **options)


def whole_policy(form, policy, locks):
    """Return a policy that plays the locks, and elsewhere as before."""
    return complete_policy(restrict_policy(lock(form, locked_behavior(policy, locks)), policy))


def frequency(policy, line, action, hands=None):
    """Return how often an action is played at a line, by a sum over all pairs of hands."""
    form = policy.form
    steps = split_steps(line)
    actor = int(form.player[form.find_line(line)[0]])
    prior, total, played = form.prior.matrix(), 0.0, 0.0
    for (a, first), (b, second) in product(*map(enumerate, form.hands)):
        weight, held = prior[a, b], (first, second)
        if not weight or (hands is not None and held[actor] not in hands):
            continue
        for number, step in enumerate(steps):
            before = " / ".join(steps[:number]) or "(start)"
            mover = int(form.player[form.find_line(before)[0]])
            weight *= policy[held[mover], before][step]
        total += weight
        played += weight * policy[held[actor], line][action]
    return played / total


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 2**32), st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_frequencies_are_those_over_all_pairs_of_hands(seed, first, second):
    """The later frequency is that after the earlier lock of the same player, and of the other."""
    form = form_of(PAIRS)
    policy = random_policy(form, np.random.default_rng(seed))
    locks = [
        f"check / bet 50 / all-in: fold {100 * second}%",
        f"check / bet 50: fold 10%, all-in {first / 2}",
        "[JTs] / (start): check 25%",
        f"check: bet = {first}",
    ]
    found = whole_policy(form, policy, locks)
    assert frequency(found, "check", "bet 50") == pytest.approx(first)
    assert frequency(found, "check / bet 50", "all-in") == pytest.approx(first / 2)
    assert frequency(found, "check / bet 50", "fold") == pytest.approx(0.1)
    assert frequency(found, "check / bet 50 / all-in", "fold") == pytest.approx(second)
    tens = {hand for hand in form.hands[0] if hand[0] == "J"}
    assert len(tens) == 4
    assert frequency(found, "(start)", "check", tens) == pytest.approx(0.25)
    for hand in set(form.hands[0]) - tens:
        assert found[hand, "(start)"] == pytest.approx(policy[hand, "(start)"])
    # In proportion: the ratio of probabilities changes by the same factor for all hands.
    factors = [
        found[hand, "check"]["bet 50"] * policy[hand, "check"]["check"]
        / (found[hand, "check"]["check"] * policy[hand, "check"]["bet 50"])
        for hand in form.hands[1]
    ]  # fmt: skip
    assert factors == pytest.approx([factors[0]] * len(factors))


@pytest.mark.parametrize(
    "locks",
    [
        ["check: bet 40%"],
        ["check: bet + all-in 30%", "bet 50: fold 20%", "[AhAd] / check / bet 50: call 100%"],
    ],
)
def test_the_value_is_that_of_the_tree_in_which_chance_plays(locks):
    form = form_of(NARROW)
    behavior = locked_behavior(random_policy(form, np.random.default_rng(7)), locks)
    solved = infoset.solve(lock(form, behavior), "pcfr+", iterations=3000)
    tree = infoset.build_tree(NARROW)
    whole = solved.policy
    named = {}
    for place in behavior:
        player, numbers = form.look_up_all(place)
        for number in numbers.tolist():
            label = form.infostate_labels(player)[number]
            named[label, player] = whole[label, player]
    by_hand = ChancePlays(tree.sequence_form, named).build(tree.game)
    exact = infoset.solve(by_hand, "lp")
    assert solved.exploitability < 1e-3
    assert solved.values == pytest.approx(exact.values, abs=2 * solved.exploitability + 1e-9)
    assert solved.values[0] != pytest.approx(infoset.solve(tree, "lp").values[0], abs=0.5)
    # What the locks cost: in the whole game, a player gains at least as much.
    measured = infoset.evaluate(whole)
    assert measured.values == pytest.approx(solved.values)
    assert measured.gains[1] > solved.measured.gains[1] + 0.5


def test_infostates_of_trees():
    form = cached_tree("kuhn_poker").sequence_form
    policy = random_policy(form, np.random.default_rng(3))
    found = locked_behavior(policy, ["[J]: bet 30%", "[Q] / bet", "[K] / bet: pass 0"])
    assert found["[J]", 0] == pytest.approx([0.7, 0.3])
    assert found["[Q] / bet", 1] == pytest.approx([*policy["[Q] / bet", 1].values()])
    assert found["[K] / bet", 1] == pytest.approx([0, 1])
    assert not any(own.needs_policy for own in parse_locks(form, ["[J]: bet 30%"]))
    with pytest.raises(UnknownNameError, match="only on a public form"):
        locked_behavior(policy, ["pass: bet 30%"])


def test_the_uniform_policy_gives_all_hands_one_frequency():
    form = form_of(PAIRS)
    found = locked_behavior(uniform_policy(form), ["check: bet 50 40%, all-in 0.1"])["check"]
    assert found == pytest.approx(np.repeat([[0.5], [0.4], [0.1]], len(form.hands[1]), axis=1))


def test_hands_that_only_play_what_is_forbidden_follow_the_others():
    form = form_of(PAIRS)
    policy = whole_policy(form, uniform_policy(form), ["[JTs] / bet 50: fold 100%"])
    policy = whole_policy(form, policy, ["[AA] / bet 50: fold 0%, call 75%"])
    found = locked_behavior(policy, ["bet 50: fold 0%"])["bet 50"]
    places = {hand: place for place, hand in enumerate(form.hands[1])}
    others = [place for hand, place in places.items() if hand[0] != "J"]
    assert found[:, places["JsTs"]] == pytest.approx(
        [0, *(lambda own: own / own.sum())(_mean(policy, found, form, others))]
    )
    assert found[0] == pytest.approx(np.zeros(len(places)))


def _mean(policy, found, form, hands):
    """Return how often hands call and raise after a bet, by a sum over pairs of hands."""
    bets = np.array([policy[hand, "(start)"]["bet 50"] for hand in form.hands[0]])
    weights = bets @ form.prior.matrix()
    before = policy.at_node(form.find_line("bet 50")[0])[1:]
    return before[:, hands] @ weights[hands]


def test_lines_to_which_the_opponent_never_leads():
    """Hands are then counted as they are dealt."""
    form = form_of(PAIRS)
    policy = whole_policy(form, uniform_policy(form), ["(start): check 100%"])
    random = random_policy(form, np.random.default_rng(4))
    policy = type(random)(form, (policy.probabilities[0], random.probabilities[1]))
    found = locked_behavior(policy, ["bet 50: call 45%"])["bet 50"]
    dealt = form.prior.matrix().sum(axis=0)
    assert found[1] @ dealt / dealt.sum() == pytest.approx(0.45)
    with pytest.raises(ParameterError, match="never reach the line"):
        locked_behavior(policy, ["bet 50 / all-in: call 45%"])


def test_lines_and_hands_of_merged_suits():
    """Named in any suits, hands are locked where the form has them."""
    game = "nolimit_endgame(board=Ks9s8s4h,pot=100,stack=100,bets='50%,a',max_raises=1,{})".format(
        "ranges='AdAc,AhAd,AhAc,QdQc,7d6d,7c6c'"
    )
    merged, listed = form_of(game), form_of(game, merge_symmetric=False)
    assert merged.num_nodes < listed.num_nodes
    policy = random_policy(merged, np.random.default_rng(5))
    for card in ("2d", "2c"):
        line = f"check / check / {card} / check"
        (suit,) = card[1:]
        locks = [f"[7{suit}6{suit},AdAc] / {line}: all-in 100%", "bet 50: fold 30%"]
        found = whole_policy(merged, policy, locks)
        for hand in ("AdAc", f"7{suit}6{suit}"):
            assert found[hand, line]["all-in"] == 1
        for hand in ("AhAd", "AhAc", "QdQc"):
            assert found[hand, line] == pytest.approx(policy[hand, line])
        other = {"d": "7c6c", "c": "7d6d"}[suit]
        assert found[other, line] == pytest.approx(policy[other, line])
        assert frequency(found, "bet 50", "fold") == pytest.approx(0.3)
    with pytest.raises(ParameterError, match=r"names 7d6d but not 7c6c, which .* merges"):
        locked_behavior(policy, ["[7d6d] / check: all-in 100%"])
    dealt = "check / check / Ah / check"
    with pytest.raises(ParameterError, match="cards dealt on that line"):
        locked_behavior(policy, [f"[AhAd,AhAc] / {dealt}: all-in 100%"])


def test_hands_of_several_dice():
    form = infoset.build_public_form("liars_dice(numdice=2,dice_sides=2)")
    hand = value_text(form.hands[0][1])
    assert "," in hand
    action = form.legal_actions(0)[0]
    assert [*locked_behavior(uniform_policy(form), [f"[{hand}]: {action} 100%"])] == [f"[{hand}]"]


def test_files_have_the_same_probabilities(tmp_path):
    form, other = form_of(PAIRS), cached_tree("kuhn_poker").sequence_form
    policy = random_policy(form, np.random.default_rng(6))
    behavior = locked_behavior(policy, ["check: bet 40%", "[AA,JsTs] / bet 50: fold 10%"])
    save_behavior(behavior, tmp_path / "lock.json", form)
    first, second = lock(form, behavior), lock(form, load_behavior(tmp_path / "lock.json", form))
    assert first.fingerprint == second.fingerprint
    save_behavior(locked_behavior(policy, ["[AA] / check: bet 100%"]), tmp_path / "aces.json", form)
    with pytest.raises(ParameterError, match="json and 'check' lock the same infostates"):
        resolve_locks(form, ["check", str(tmp_path / "aces.json")], lambda: policy)
    named = {("[J]", 0): {"bet": 0.25, "pass": 0.75}, "[Q] / bet": np.array([0.5, 0.5])}
    save_behavior(named, tmp_path / "lock.json", other)
    assert load_behavior(tmp_path / "lock.json", other) == {
        ("[J]", 0): {"pass": 0.75, "bet": 0.25},
        ("[Q] / bet", 1): {"pass": 0.5, "bet": 0.5},
    }


@pytest.mark.parametrize(
    ("locks", "message"),
    [
        (["chek: bet 40%"], "unknown line 'chek'; did you mean check"),
        (["AA,QQ: bet 40%"], r"'AA,QQ': write hands in brackets, as in '\[AA,QQ\]: bet 40%'"),
        (["AA / check"], r"write hands in brackets, as in '\[AA\] / check'$"),
        (["AA / chek: bet 40%"], "unknown line 'AA / chek'; known"),
        (["AA] / check: bet 40%"], r"unknown line 'AA\] / check'; did you mean"),
        (["check: bets 40%"], "^there is no action 'bets' at 'check'; did you mean bet"),
        (["check: bet 50"], "the action bet 50 needs a frequency, as in 'bet 50 40%'"),
        (["check: bet 50 40"], "above 100%; write 40%"),
        (["check: bet 140%"], "above 100%; give 0% to 100%"),
        (["check: bet -10%"], "'check: bet -10%' has a frequency below 0%; give 0% to 100%"),
        (["check: bet -.1"], "has a frequency below 0%; give 0% to 100%"),
        (["check: bet forty"], "there is no action 'bet forty' at 'check'"),
        (["check:"], "has an unreadable frequency: write 'check 40%'"),
        (["check: bet 10%,, check 20%"], "has an unreadable frequency"),
        (["check: check 50%, bet 60%"], "sum to 1.1: give at most 100%"),
        (["check: check 50%, bet 10%, all-in 20%"], "sum to 0.8, and all actions are named"),
        (["check: bet 10%, bet 50 10%"], "two frequencies for 'bet 50': name each action once"),
        (["[KK,AA] / check: bet 100%"], "'KK' in .* is outside the range of player 1"),
        (["[AA:0.5] / check: bet 100%"], "has a weight, but a lock applies to whole hands"),
        (["[AAA] / check: bet 100%"], "cannot read the range 'AAA'"),
        (["check: bet 40%", "[AA] / check: bet 100%"], "both apply to 'check': remove one"),
        ([7], "lock=7 is of type int"),
        (
            ["[AA] / check: bet 60%"],
            "cannot be reached: .* bet 50 can be played 0% to 0% of the time",
        ),
    ],
)
def test_likely_mistakes(locks, message):
    form = form_of(PAIRS)
    policy = whole_policy(form, uniform_policy(form), ["[AA] / check: check 80%, all-in 20%"])
    with pytest.raises((UnknownNameError, ParameterError), match=message) as raised:
        locked_behavior(policy, locks)
    assert "\n" not in str(raised.value)
