"""Extensive forms built from nodes, and errors for invalid nodes."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from infoset import solve
from infoset.efg import TERMINAL, Outcome, chance, decision, extensive_form_from_nodes, terminal
from infoset.errors import ParameterError
from infoset.evaluation import behavior_values
from infoset.policy import uniform_policy
from infoset.typing import CHANCE
from tests.support import example_forms

HALF = Fraction(1, 2)
THIRD = Fraction(1, 3)


def test_matching_pennies_as_arrays():
    form = example_forms.matching_pennies()
    assert form.parent.tolist() == [-1, 0, 0, 1, 1, 2, 2]
    assert form.first_child.tolist() == [1, 3, 5, 7, 7, 7, 7, 7]
    assert form.actor.tolist() == [0, 1, 1, *[TERMINAL] * 4]
    assert form.infoset.tolist() == [[0, -1], [-1, 0], [-1, 0], *[[-1, -1]] * 4]
    assert form.acting_infoset.tolist() == form.infoset.tolist()
    assert form.position.tolist() == [-1, 0, 1, 0, 1, 0, 1]
    assert form.num_moves.tolist() == [2, 2, 2, 0, 0, 0, 0]
    assert form.utility[form.terminals].tolist() == [[-1, 1], [1, -1], [1, -1], [-1, 1]]
    assert (form.public_set, form.is_augmented, str(form)) == (None, False, "matching pennies")
    assert [form.history_label(history) for history in (0, 1, 3)] == [
        "the root",
        "hidden H",
        "H H",
    ]
    assert form.infoset_numbers(1) == {"guess": 0}
    assert form.last_own_move(0).tolist() == [-1, 1, 2, 1, 1, 2, 2]
    assert form.last_own_sequence(1).tolist() == [-1, -1, -1, 0, 1, 0, 1]
    assert solve(form, "lp").values == pytest.approx((0, 0))
    with pytest.raises(ValueError, match="read-only"):
        form.parent[0] = 3


def test_chance_and_intermediate_payoffs():
    paid = Outcome((Fraction(1, 4), 0), "ante")
    late = terminal(2, -2)
    form = extensive_form_from_nodes(
        chance(
            {
                "rare": (THIRD, decision(0, "in", {"on": late}, outcome=paid)),
                "often": (1 - THIRD, terminal(outcome=paid)),
            }
        )
    )
    assert form.probabilities == (Fraction(1, 3), Fraction(2, 3))
    assert form.chance.tolist() == [-1, 0, 1, -1]
    np.testing.assert_allclose(form.chance_probability, [1, 1 / 3, 2 / 3, 1])
    np.testing.assert_allclose(form.chance_reach, [1, 1 / 3, 2 / 3, 1 / 3])
    assert form.outcomes == (paid, Outcome((2, -2)))
    assert form.outcome.tolist() == [-1, 0, 0, 1]
    assert form.utility.tolist() == [[0, 0], [0.25, 0], [0.25, 0], [2.25, -2]]
    assert solve(form, iterations=1).values == pytest.approx((1 / 4 + 2 / 3, -2 / 3))


def test_labels_that_repeat_and_labels_that_are_none():
    form = extensive_form_from_nodes(
        decision(0, "x", [("go", terminal(1)), ("go", terminal(2)), (None, terminal(3))]), players=1
    )
    assert form.legal_actions(0) == ("go", "go", "")
    assert solve(form, iterations=10_000).values == pytest.approx((3,), abs=1e-6)


def test_labels_python_holds_to_be_equal_stay_apart():
    form = extensive_form_from_nodes(
        decision(0, 1, {1: decision(0, True, {True: terminal(1)})}), players=1
    )
    assert form.infoset[:, 0].tolist() == [0, 1, -1]
    assert [type(move) for move in form.moves] == [int, bool]


def test_information_sets_that_share_a_name_are_numbered():
    last = decision(0, True, {"x": terminal(5), "y": terminal(0)})
    form = extensive_form_from_nodes(
        decision(0, "True", {"on": last, "out": terminal(1)}), players=1
    )
    assert form.infoset_numbers(0) == {"True": 0, "True #2": 1}
    assert form.sequence_form.infostate_trees[0].acting_labels == ("True", "True #2")
    assert uniform_policy(form.sequence_form)["True #2", 0] == {"x": 0.5, "y": 0.5}
    behavior = {("True #2", 0): {"x": 1.0}, ("True", 0): {"on": 1.0}}
    assert behavior_values(form, behavior) == (5,)


def test_names_of_players():
    assert extensive_form_from_nodes(terminal(1, 2, 3), players=3).player_names == (
        "player 0",
        "player 1",
        "player 2",
    )
    form = extensive_form_from_nodes(terminal(1, 2), players=("Ann", "Bob"), name="over at once")
    assert (form.player_names, form.num_players, form.name) == (("Ann", "Bob"), 2, "over at once")
    assert (form.num_histories, form.legal_actions(0)) == (1, ())


def test_complete_observations_make_a_form_augmented():
    everything = {"sees": {0: "a", 1: "b"}, "public": "start"}
    end = terminal(0, 0, sees={0: "end", 1: "end"}, public="end")
    assert extensive_form_from_nodes(chance({"on": (1, end)}, **everything)).is_augmented
    assert not extensive_form_from_nodes(
        chance({"on": (1, end)}, sees={0: "a"}, public="start")
    ).is_augmented
    root = decision(0, "mine", {"on": end}, sees={0: "overruled", 1: "b"}, public="start")
    form = extensive_form_from_nodes(root)
    assert form.infoset_name(0, int(form.infoset[0, 0])) == "mine"
    assert (form.public_names, form.public_set.tolist()) == (("start", "end"), [0, 1])


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (decision(2, "x", {"on": terminal(0, 0)}), "names player 2, but there are 2 players"),
        (decision(-3, "x", {"on": terminal(0, 0)}), "names player -3"),
        (chance({"on": (1, terminal())}, sees={5: "x"}), "names player 5"),
        (terminal(1), r"the payoffs \['1'\] are not one finite number for each of the 2"),
        (terminal(1, 2, 3), "each of the 2 players"),
        (terminal(inf, 0), "finite"),
        (decision(0, "x", {"on": terminal(outcome=Outcome((nan, 0)))}), "finite"),
        (decision(0, "x", {"on": terminal()}, public="here"), "some nodes have a public set"),
        (decision(0, "x", {"on": terminal(public="there")}), "to all nodes or to no node"),
    ],
)
def test_invalid_nodes_are_refused(root, message):
    with pytest.raises(ParameterError, match=message):
        extensive_form_from_nodes(root)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ([], "sum to 0"),
        ([HALF], "sum to 1/2"),
        ([HALF, HALF, HALF], "sum to 3/2"),
        ([1.5, -0.5], "nonnegative"),
        ([nan], "sum to nan"),
        ([0.1, 0.2], r"\['0\.1', '0\.2'\]"),
    ],
)
def test_invalid_probabilities_are_refused(probabilities, message):
    with pytest.raises(ParameterError, match=message):
        chance([(str(number), (share, terminal())) for number, share in enumerate(probabilities)])


def test_probabilities_within_rounding_are_taken():
    assert len(chance([(n, (0.1, terminal())) for n in range(10)]).probabilities) == 10
    assert chance({"never": (0, terminal()), "always": (1, terminal())}).probabilities == (0, 1)


def test_a_decision_has_moves():
    with pytest.raises(ParameterError, match="player 1 has no move at information set 'here'"):
        decision(1, "here", {})


def test_chance_is_never_named_as_a_player():
    assert chance({"on": (1, terminal())}).actor == CHANCE
