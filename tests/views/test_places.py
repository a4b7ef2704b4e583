"""Places of public forms against those of trees, and against sums over hands."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError, PolicyMismatchError, UnsupportedGameError
from infoset.evaluation import evaluate_policy
from infoset.games import load_game
from infoset.policy import (
    TabularPolicy,
    random_policy,
    transfer_policy,
    uniform_policy,
)
from infoset.tree import build_public_form, derive_public_form
from infoset.views import (
    Explorer,
    PublicPlaces,
    RequestError,
    TreePlaces,
    view_beliefs,
    view_children,
    view_differences,
    view_hand_grid,
    view_infostates,
    view_leaks,
    view_match,
    view_state,
    view_state_leaks,
)
from tests.support.cached_games import cached_tree
from tests.support.small_holdem import small_holdem


def both(spec, seed=1):
    """Return the views' sources of a public form and of the tree, for one random policy."""
    tree = cached_tree(spec)
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    form = derive_public_form(tree)
    return PublicPlaces(form, transfer_policy(policy, form)), TreePlaces(tree, policy)


def same_places(places, values):
    """Yield pairs of places and public states of the same line; the tree has the deal, too."""
    waiting = [(0, view_children(values, 0).children[0].state)]
    while waiting:
        place, state = waiting.pop()
        yield place, state
        ours = view_children(places, place).children
        theirs = {link.label: link for link in view_children(values, state).children}
        for link in ours:
            other = theirs.get(link.label)
            if other is not None and not link.is_end:
                assert link.probability == pytest.approx(other.probability, abs=1e-12)
                assert link.actors == other.actors
                waiting.append((link.state, other.state))


@pytest.mark.parametrize(
    "spec", ["kuhn_poker", pytest.param("leduc_poker", marks=pytest.mark.broad)]
)
def test_views_are_those_of_the_tree(spec):
    places, values = both(spec)
    number = 0
    for place, state in same_places(places, values):
        ours, theirs = view_state(places, place), view_state(values, state)
        assert ours.probability == pytest.approx(theirs.probability, abs=1e-12)
        assert ours.values == pytest.approx(theirs.values, abs=1e-12)
        assert ours.num_infostates == theirs.num_infostates
        for player in range(2):
            mine = view_infostates(places, place, player).infostates
            wanted = {row.label: row for row in view_infostates(values, state, player).infostates}
            assert {row.label for row in mine} == {*wanted}
            for row in mine:
                other = wanted[row.label]
                assert row.own_reach == pytest.approx(other.own_reach, abs=1e-12)
                assert row.probability == pytest.approx(other.probability, abs=1e-12)
                assert row.value == pytest.approx(other.value, abs=1e-12)
                assert [asdict(action) for action in row.actions] == [
                    pytest.approx(asdict(action), abs=1e-12) for action in other.actions
                ]
                assert 0 <= row.equity <= 1
        number += 1
    assert number == places.form.num_nodes


def test_beliefs_are_those_of_the_tree():
    places, values = both("leduc_poker")
    place, state = next(pair for pair in same_places(places, values) if pair[0] == 20)
    for players in ((0, 1), (1, 0)):
        ours = view_beliefs(places, place, *players)
        theirs = view_beliefs(values, state, *players)
        order = [[*theirs.rows].index(row) for row in ours.rows]
        columns = [[*theirs.columns].index(column) for column in ours.columns]
        assert np.array(ours.probability) == pytest.approx(
            np.array(theirs.probability)[np.ix_(order, columns)], abs=1e-12
        )


def test_ends_have_the_values_that_their_parents_mix():
    form = small_holdem(True)
    rng = np.random.default_rng(1)
    weights = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    places = PublicPlaces(form, TabularPolicy.from_weights(form, weights))
    node = next(v for v in range(form.num_nodes) if form.legal_actions(v) == ("f", "k"))
    links = view_children(places, node).children
    assert [link.label for link in links] == ["f", "k"]
    assert links[0].is_end
    about = view_state(places, node)
    parts = [view_state(places, link.state) for link in links]
    assert sum(part.probability for part in parts) == pytest.approx(about.probability)
    for player in range(2):
        mixed = sum(part.probability * part.values[player] for part in parts)
        assert mixed == pytest.approx(about.probability * about.values[player])
    player = int(form.player[node])
    for row in view_infostates(places, node, player).infostates:
        ended = view_infostates(places, links[0].state, player).infostates
        same = next(own for own in ended if own.label == row.label)
        assert row.actions[0].value == pytest.approx(same.value)
        assert same.equity is None
        assert same.actions == ()


def test_merged_outcomes_of_chance_say_how_many_they_are():
    form = small_holdem(True)
    places = PublicPlaces(form, uniform_policy(form))
    chance = int(np.flatnonzero(form.player < 0)[0])
    links = view_children(places, chance).children
    assert [link.label for link in links] == ["Ah ×2", "Kh ×2", "Qh ×2", "Jh ×2"]
    assert sum(link.probability for link in links) == pytest.approx(1)


def test_hand_grids_are_means_over_hands():
    form = small_holdem()
    rng = np.random.default_rng(2)
    weights = [rng.random(plex.num_sequences) for plex in form.treeplexes]
    policy = TabularPolicy.from_weights(form, weights)
    places = PublicPlaces(form, policy)
    node = form.children[0, "k"]
    grid = view_hand_grid(places, node, 1)
    assert grid.action_labels == ("k", "b")
    rows = {row.label: row for row in view_infostates(places, node, 1).infostates}
    assert view_infostates(places, node, 1).are_hands
    cell = grid.cells[0][1]
    members = [rows["AhKh"], rows["AdKd"]]
    assert (cell.label, cell.num_hands) == ("AKs", 2)
    assert cell.probability == pytest.approx(sum(row.probability for row in members))
    mean = sum(row.probability * row.actions[1].probability for row in members)
    assert cell.actions[1] == pytest.approx(mean / cell.probability)
    assert grid.cells[1][0].num_hands == 2  # AKo
    assert grid.cells[12][12].num_hands == 0
    assert sum(cell.num_hands for line in grid.cells for cell in line) == 28
    assert view_hand_grid(places, node, 0).action_labels == ()
    kuhn, _ = both("kuhn_poker")
    with pytest.raises(ParameterError, match="two cards, such as AhKd"):
        view_hand_grid(kuhn, 0, 0)


def test_matches_and_differences():
    places, values = both("leduc_poker")
    form, tree = places.form, values.tree
    uniform = PublicPlaces(form, uniform_policy(form))
    ours = view_match(places.policy, uniform.policy)
    theirs = view_match(values.policy, uniform_policy(tree.sequence_form))
    assert ours.mean == pytest.approx(theirs.mean, abs=1e-12)
    for mine, wanted in zip(ours.positions, theirs.positions, strict=True):
        assert mine.values == pytest.approx(wanted.values, abs=1e-12)
    found = view_differences(places, uniform)
    assert len(found.differences) == 50 < found.total
    gains = [abs(row.gain) for row in found.differences]
    assert gains == sorted(gains, reverse=True)
    first = found.differences[0]
    rows = view_infostates(places, first.state, first.player).infostates
    row = next(row for row in rows if row.infostate == first.infostate)
    assert first.label.startswith(f"[{row.label}]")
    assert first.probabilities[0] == tuple(action.probability for action in row.actions)
    assert view_differences(places, places).total == 0


def test_leaks_have_their_place():
    for places in both("leduc_poker"):
        report = places.leaks
        found = view_leaks(places)
        assert len(found.leaks) == 50 < found.total == report.num_leaks
        assert found.nash_conv == pytest.approx(places.evaluation.nash_conv)
        expected = report.leaks(top=120)
        assert [leak.cost for leak in found.leaks] == [leak.cost for leak in expected[:50]]
        later = view_leaks(places, start=100, size=20)
        assert [leak.label for leak in later.leaks] == [leak.infostate for leak in expected[100:]]
        assert view_leaks(places, start=found.total).leaks == ()
        for leak in (*found.leaks[:5], *later.leaks[:5]):
            rows = view_infostates(places, leak.state, leak.player).infostates
            row = next(row for row in rows if row.infostate == leak.infostate)
            assert leak.actions == tuple(action.label for action in row.actions)
            played = [action.probability for action in row.actions]
            assert leak.probabilities == pytest.approx(played)
            assert leak.values[leak.best] == max(leak.values)
        states = view_state_leaks(places)
        assert len(states.states) == 10 < states.total
        every = [
            state
            for start in range(0, states.total, 10)
            for state in view_state_leaks(places, start).states
        ]
        costs = [state.cost for state in every]
        assert costs == sorted(costs, reverse=True)
        assert sum(costs) == pytest.approx(found.nash_conv)
        assert sum(state.num_infostates for state in every) == report.num_leaks
        for state in every[:3]:
            path = view_state(places, state.state).path
            assert state.label == " / ".join(link.label for link in path[1:]) or not path[1:]


def test_an_equilibrium_has_no_leaks():
    form = build_public_form(load_game("kuhn_poker"))
    solved = infoset.solve("kuhn_poker", "lp").policy
    places = PublicPlaces(form, transfer_policy(solved, form))
    assert view_leaks(places).leaks == ()
    assert view_leaks(places).total == 0


def test_the_explorer_answers_questions_about_public_forms():
    form = small_holdem()
    explorer = Explorer(form, {"uniform": uniform_policy(form)})
    about = explorer.ask({"ask": "game"})
    assert about["kind"] == "public"
    assert about["game"] == "small_holdem"
    assert about["sizes"] == {"public nodes": 103, "hands": 56}
    assert about["opponents"] == ()
    last = form.num_nodes + len(form.terminals) - 1
    for question in (
        {"ask": "state", "state": last},
        {"ask": "children", "state": 0},
        {"ask": "infostates", "state": 3, "player": 1},
        {"ask": "hands", "state": 3, "player": 0},
        {"ask": "beliefs", "state": 3, "row": 1, "column": 0},
    ):
        json.dumps(explorer.ask({**question, "policy": 0}), allow_nan=False)
    json.dumps(explorer.ask({"ask": "leaks", "policy": 0}), allow_nan=False)
    explorer.add_policy("other", uniform_policy(form))
    explorer.ask({"ask": "differences", "first": 0, "second": 1})
    assert explorer.ask({"ask": "match", "first": 0, "second": 1})["mean"] == pytest.approx(0)
    with pytest.raises(UnsupportedGameError, match="does not list histories: build the game as"):
        explorer.ask({"ask": "histories", "policy": 0, "state": 0})
    with pytest.raises(RequestError, match="small_holdem is shown without its rules"):
        explorer.ask({"ask": "play", "opponent": 0, "player": 0, "seed": 0})
    with pytest.raises(RequestError, match="small_holdem has public states; ask state"):
        explorer.ask({"ask": "form_history", "policy": 0, "history": 0})
    for wrong in (
        {"ask": "state", "policy": 0, "state": last + 1},
        {"ask": "infostates", "policy": 0, "state": 0, "player": 2},
    ):
        with pytest.raises(RequestError):
            explorer.ask(wrong)
    with pytest.raises(PolicyMismatchError):
        explorer.add_policy("wrong", uniform_policy(small_holdem(True)))
    with pytest.raises(PolicyMismatchError, match="have different infostates"):
        explorer.add_policy("wrong", uniform_policy(cached_tree("kuhn_poker").sequence_form))
    with pytest.raises(ParameterError, match="has the nodes and ends"):
        view_state(PublicPlaces(form, uniform_policy(form)), 10**6)


def test_values_of_the_root_are_those_of_the_policy():
    form = small_holdem(True)
    places = PublicPlaces(form, uniform_policy(form))
    assert view_state(places, 0).values == pytest.approx(
        evaluate_policy(places.policy).values, abs=1e-12
    )
