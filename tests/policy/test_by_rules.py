"""Policies of trees given as such play the same by the rules that are made of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from infoset import load
from infoset.efg import (
    as_game,
    build_extensive_form,
    chance,
    decision,
    extensive_form_from_nodes,
    forget_non_acting,
    terminal,
    world_of_history,
)
from infoset.errors import PolicyMismatchError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game
from infoset.matches import exact_match
from infoset.policy import random_policy, transfer_policy, uniform_policy
from infoset.tree import build_tree

FILES = Path(__file__).parents[1] / "efg" / "files" / "games"


def late_guess():
    """Return a form that is padded: whoever guesses does so sooner or later, and cannot tell."""
    guess = decision(1, "guess", {"left": terminal(1, -1), "right": terminal(-1, 1)})
    other = decision(1, "guess", {"left": terminal(-1, 1), "right": terminal(1, -1)})
    slow = decision(0, "once more", {"wait": other, "stop": terminal(2, 0)})
    return extensive_form_from_nodes(
        chance({"early": (0.25, guess), "late": (0.75, slow), "never": (0.0, guess)}), players=2
    )


FORMS = {
    "padded": late_guess,
    "paid at the root": lambda: load(str(FILES / "toll_road.efg")),
    "three players": lambda: load(str(FILES / "horse.efg")),
    "cards": lambda: load(str(FILES / "one_card_poker.efg")),
    "augmented": lambda: build_extensive_form(load_game("kuhn_poker")),
    "classical": lambda: forget_non_acting(
        build_extensive_form(load_game("liars_dice(dice_sides=2)"))
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_what_is_played_is_the_same(name):
    form = FORMS[name]()
    tree = build_tree(as_game(form))
    policy = random_policy(form.sequence_form, np.random.default_rng(0))
    moved = transfer_policy(policy, tree)
    assert moved.sequence_form is tree.sequence_form
    before, after = evaluate_policy(policy), evaluate_policy(moved)
    assert after.values == pytest.approx(before.values)
    assert after.gains == pytest.approx(before.gains)


def test_histories_keep_their_place_when_waits_are_put_in():
    form = late_guess()
    tree = build_tree(as_game(form))
    never, waits = 3, 1
    assert tree.num_histories == form.num_histories - never + waits
    numbers = world_of_history(form)
    assert len(set(numbers.tolist())) == form.num_histories
    padded = tree.game.form
    assert (padded.actor[numbers] == form.actor).all()
    assert padded.utility[numbers][form.terminals].tolist() == (
        form.utility[form.terminals].tolist()
    )


def test_a_match_takes_policies_of_the_form():
    form = FORMS["padded"]()
    tree = build_tree(as_game(form))
    policy = random_policy(form.sequence_form, np.random.default_rng(0))
    assert exact_match(tree, policy, None) == exact_match(tree, transfer_policy(policy, tree), None)


def test_a_policy_of_the_tree_itself_stays_what_it_is():
    tree = build_tree(as_game(late_guess()))
    policy = uniform_policy(tree.sequence_form)
    assert transfer_policy(policy, tree) is policy


@pytest.mark.parametrize("game", [as_game(late_guess()), load_game("leduc_poker")])
def test_a_policy_of_another_game_is_refused(game):
    kuhn = uniform_policy(build_extensive_form(load_game("kuhn_poker")).sequence_form)
    with pytest.raises(PolicyMismatchError, match=r"for kuhn_poker, not for .*; everything"):
        transfer_policy(kuhn, build_tree(game))
