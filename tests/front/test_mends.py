"""Parts of a policy that are solved again while the rest is locked."""

from __future__ import annotations

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, UnknownNameError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.policy import random_policy, uniform_policy
from infoset.views import Explorer, PublicPlaces, RequestError, TreePlaces
from tests.support.cached_games import cached_tree


def levels(policy):
    return np.array(evaluate_policy(policy).security_levels)


def test_only_the_part_changes_and_its_player_is_guaranteed_more():
    form, gains = cached_tree("kuhn_poker").sequence_form, []
    for seed in range(10):
        policy = random_policy(form, np.random.default_rng(seed))
        for player in (0, 1):
            labels = form.infostate_labels(player)
            found = infoset.mend(policy, (labels[0], player))
            assert [*found.results] == [player]
            np.testing.assert_allclose(found.gains, levels(found.policy) - levels(policy))
            assert found.gains[1 - player] == 0
            gains.append(found.gains[player])
            part = {labels[at] for at in np.flatnonzero(found.infostates[player])}
            assert part == {label for label in labels if label.startswith(labels[0])}
            for own in (0, 1):
                for label in form.infostate_labels(own):
                    if own != player or label not in part:
                        assert found.policy[label, own] == policy[label, own]
    assert min(gains) >= 0
    assert sum(gain > 0 for gain in gains) > 10


def test_one_decision_is_mended_as_a_scan_of_its_probabilities_finds_it():
    """An independent road: all probabilities of one decision, in small steps."""
    form = cached_tree("kuhn_poker").sequence_form
    policy = random_policy(form, np.random.default_rng(7))
    for label in ("[K] / pass / bet", "[Q] / pass / bet", "[J] / pass / bet"):
        player, infostate = form.look_up((label, 0))
        first = form.treeplexes[player].first_sequence[infostate]
        scanned = []
        for share in np.linspace(0, 1, 401):
            changed = policy.probabilities[0].copy()
            changed[first : first + 2] = 1 - share, share
            new = infoset.TabularPolicy(form, (changed, policy.probabilities[1]))
            scanned.append(levels(new)[0])
        best = levels(infoset.mend(policy, (label, 0)).policy)[0]
        assert max(scanned) - 1e-9 <= best <= max(scanned) + 0.005, "a step of the scan"


def test_a_policy_is_mended_to_an_equilibrium_if_all_of_it_is_the_part():
    form = cached_tree("leduc_poker").sequence_form
    first, second = (np.ones(plex.num_infostates, bool) for plex in form.treeplexes)
    found = infoset.mend(uniform_policy(form), (first, second), method="lp")
    assert found.after.exploitability == pytest.approx(0, abs=1e-6)
    assert found.before.exploitability == pytest.approx(2.3736, abs=1e-4)


def test_trees_and_public_forms_agree_and_larger_parts_gain_more():
    tree, form = cached_tree("leduc_poker"), infoset.build_public_form("leduc_poker")
    places = TreePlaces(tree, uniform_policy(tree.sequence_form))
    every = [places.at(at) for at in range(places.num_places)]
    found = []
    for line in ("raise / raise", "raise"):
        public = infoset.mend(uniform_policy(form), line, target=1e-4)
        node = form.find_line(line)[0]
        state = next(at for at in every if " / ".join(labels(at)) == line)
        first, second = (places.infostates_from(state.number, player) for player in (0, 1))
        listed = infoset.mend(places.policy, (first, second), method="lp")
        assert public.gains == pytest.approx(listed.gains, abs=2e-4)
        for player in (0, 1):
            # The public form also counts hands that the public card excludes.
            theirs = PublicPlaces(form, public.policy).infostates_from(node, player)
            np.testing.assert_array_equal(theirs, public.infostates[player])
            assert 0 < listed.infostates[player].sum() < theirs.sum()
        found.append(listed.after.exploitability)
    assert found[1] < found[0] < listed.before.exploitability


def labels(place):
    line = []
    while place.parent is not None and place.label != "∅":
        line.insert(0, place.label)
        place = place.parent
    return line


def test_no_limit_makes_a_policy_worse():
    form = infoset.build_public_form("leduc_poker")
    nearly = infoset.solve(form, "cfr+", iterations=300).policy
    gains = []
    for method in ("cfr", "cfr+"):
        for number in (1, 2, 5, 50, 2000):
            found = infoset.mend(nearly, "raise", method=method, iterations=number)
            assert (levels(found.policy) >= levels(nearly)).all()
            assert found.after.exploitability <= found.before.exploitability
            for player in (0, 1):
                if found.gains[player] == 0:
                    np.testing.assert_array_equal(
                        found.policy.probabilities[player], nearly.probabilities[player]
                    )
            gains.append(found.gains)
    assert min(map(max, gains)) == 0
    assert max(map(max, gains)) > 0


def test_a_page_mends_a_policy_and_lists_it():
    tree = cached_tree("leduc_poker")
    page = Explorer(tree, {"uniform": uniform_policy(tree.sequence_form)})
    answer = page.ask({"ask": "mend", "policy": 0, "state": 1})
    assert answer["after"] < answer["before"]
    assert page.policy_names[answer["policy"]] == answer["name"] == "uniform, mended at ∅"
    about = page.ask({"ask": "game"})["policies"][answer["policy"]]
    assert about["exploitability"] == pytest.approx(answer["after"])
    again = page.ask({"ask": "mend", "policy": answer["policy"], "state": 1})
    assert again["after"] <= answer["after"]


def test_an_equilibrium_is_left_as_it_is():
    for name in ("kuhn_poker", "leduc_poker"):
        policy = infoset.solve(name, "lp").policy
        every = policy.form.infostate_labels(0)[0]
        found = infoset.mend(policy, (every, 0))
        assert found.gains == (0, 0)
        assert found.policy is policy
        assert found.results == {}
    nearly = infoset.solve(infoset.build_public_form("leduc_poker"), "pcfr+", target=1e-9).policy
    found = infoset.mend(nearly, "raise", seconds=2)
    assert found.after.exploitability <= found.before.exploitability


def test_a_page_with_many_policies_solves_nothing_again(monkeypatch):
    monkeypatch.setattr("infoset.views.explorer.MAX_POLICIES", 1)
    tree = cached_tree("kuhn_poker")
    page = Explorer(tree, {"uniform": uniform_policy(tree.sequence_form)})
    with pytest.raises(RequestError, match="has 1 policies"):
        page.ask({"ask": "mend", "policy": 0, "state": 1})
    alone = cached_tree("bandit_tree")
    page = Explorer(alone, {"uniform": uniform_policy(alone.sequence_form)})
    monkeypatch.setattr("infoset.views.explorer.MAX_POLICIES", 50)
    with pytest.raises(UnsupportedGameError, match="two-player constant-sum"):
        page.ask({"ask": "mend", "policy": 0, "state": 0})


def test_wrong_parts_are_refused():
    form = cached_tree("kuhn_poker").sequence_form
    with pytest.raises(ParameterError, match="at least one infostate"):
        infoset.mend(uniform_policy(form), [])
    with pytest.raises(UnknownNameError):
        infoset.mend(uniform_policy(form), ("[X]", 0))
    with pytest.raises(UnknownNameError, match="unknown line"):
        infoset.mend(uniform_policy(infoset.build_public_form("kuhn_poker")), "raise")
    with pytest.raises(ParameterError, match="policy"):
        infoset.mend("uniform", ("[K]", 0))
    many = cached_tree("kuhn_poker(players=3)").sequence_form
    with pytest.raises(UnsupportedGameError, match="two-player constant-sum"):
        infoset.mend(uniform_policy(many), (many.infostate_labels(0)[0], 0))


def test_a_stopped_solution_ends_a_mend_and_nothing_is_worse():
    uniform = uniform_policy(infoset.build_public_form("leduc_poker"))
    found = infoset.mend(uniform, "raise", method="cfr+", target=1e-9, callback=lambda point: True)
    assert [*found.results] == [0]
    assert found.results[0].outcome == "stopped"
    assert found.after.exploitability <= found.before.exploitability
