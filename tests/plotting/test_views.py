"""The data of the three views agree with a walk through the rules."""

from __future__ import annotations

from collections import defaultdict
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import TERMINAL
from infoset.errors import GameTooLargeError, PolicyMismatchError
from infoset.game import Infostate, Observation, PublicState
from infoset.game.infostate import Step
from infoset.games import load_game
from infoset.plotting import drawing
from infoset.plotting.history_view import history_picture
from infoset.plotting.infostate_view import infostate_picture, public_picture
from infoset.plotting.picture import OBSERVING
from infoset.plotting.truncation import Limits, TruncatedTree, choose_part, compile_part
from infoset.policy import random_policy, uniform_policy
from infoset.tree import build_limits, build_tree
from infoset.typing import CHANCE, NOOP
from infoset.views.labels import number_duplicates, probability_text, shorten
from tests.support.function_game import FunctionGame
from tests.support.hypothesis_strategies import random_games

ALL = Limits(depth=None, nodes=10**6)


def whole(game):
    tree = build_tree(game)
    return TruncatedTree(tree, tree.num_histories)


class Walked:
    """A history found by the rules alone."""

    def __init__(self, game, world, infostates, public, utilities, path):
        self.game, self.world, self.infostates = game, world, infostates
        self.public, self.utilities, self.path = public, utilities, path

    def children(self):
        game, players = self.game, range(self.game.num_players)
        joint_actions = [()]
        for player in players:
            legal = [NOOP]
            if player in game.actors(self.world):
                legal = game.legal_actions(self.world, player)
            joint_actions = [(*joint, action) for joint in joint_actions for action in legal]
        for joint in joint_actions:
            for world, probability in game.transitions(self.world, joint):
                if not probability:
                    continue
                seen = game.observe(self.world, joint, world)
                rewards = game.rewards(self.world, joint, world)
                yield Walked(
                    game,
                    world,
                    [
                        known.extend(Step(joint[p], seen.seen_by(p), seen.public))
                        for p, known in enumerate(self.infostates)
                    ],
                    PublicState((*self.public.observations, seen.public)),
                    [u + r for u, r in zip(self.utilities, rewards, strict=True)],
                    (*self.path, (joint, float(probability))),
                )


def walk(game):
    """Return all histories breadth first."""
    players = range(game.num_players)
    root = [Infostate(p) for p in players]
    found = [Walked(game, game.initial_world(), root, PublicState(), [0] * len(players), ())]
    for history in found:
        found += history.children()
    return found


def partition(labels):
    groups = defaultdict(set)
    for node, label in enumerate(labels):
        groups[label].add(node)
    return {frozenset(group) for group in groups.values()}


def of_two_or_more(groups):
    return {group for group in groups if len(group) > 1}


def parents_first(picture):
    """Return the product of the probabilities from the root to each node."""
    reach = []
    for node in picture.nodes:
        reach.append(
            1.0 if node.parent < 0 else reach[node.parent] * (node.step.probability or 0.0)
        )
    return np.array(reach)


@given(random_games(max_histories=60))
def test_histories_infosets_and_public_states_are_those_of_the_rules(game):
    picture = history_picture(whole(game), ALL)
    histories = walk(game)
    assert len(picture.nodes) == len(histories)
    for player in range(game.num_players):
        told_apart = partition(history.infostates[player] for history in histories)
        drawn = {
            frozenset(infoset.nodes) for infoset in picture.infosets if infoset.player == player
        }
        assert drawn == of_two_or_more(told_apart)
    regions = partition(history.public for history in histories)
    assert {frozenset(region.nodes) for region in picture.regions} == regions
    assert sum(len(region.nodes) for region in picture.regions) == len(histories)
    assert picture.remark == ""


@given(random_games(max_histories=60))
def test_actors_and_utilities_are_those_of_the_rules(game):
    picture = history_picture(whole(game), ALL)
    for node, history in zip(picture.nodes, walk(game), strict=True):
        is_over = not any(True for _ in history.children())
        expected = tuple(sorted(game.actors(history.world)))
        assert node.actors == (expected or ((TERMINAL,) if is_over else (CHANCE,)))
        if is_over:
            values = [float(text.replace("−", "-")) for text in node.note.split(", ")]
            assert values == pytest.approx([float(u) for u in history.utilities], rel=1e-5)
        else:
            assert node.note == ""


@given(random_games(max_histories=60))
def test_cells_distinguish_infosets_only_within_a_public_state(game):
    picture = history_picture(whole(game), ALL)
    histories = walk(game)
    for player in range(game.num_players):
        seen = {}
        for node, history in zip(picture.nodes, histories, strict=True):
            key = (history.public, node.cells[player])
            assert seen.setdefault(key, history.infostates[player]) == history.infostates[player]
        by_infostate = defaultdict(set)
        for node, history in zip(picture.nodes, histories, strict=True):
            by_infostate[history.infostates[player]].add(node.cells[player])
        assert all(len(texts) == 1 for texts in by_infostate.values())


@given(random_games(max_histories=60))
def test_children_of_a_history_have_different_labels(game):
    picture = history_picture(whole(game), ALL)
    labels = [(node.parent, node.step.text) for node in picture.nodes]
    assert len(set(labels)) == len(labels)


@given(random_games(max_histories=200), st.integers(0, 99))
def test_shares_along_a_history_multiply_to_its_reach(game, seed):
    truncated = whole(game)
    policy = random_policy(truncated.tree.sequence_form, np.random.default_rng(seed))
    reach = parents_first(history_picture(truncated, ALL, policy))
    ends = truncated.tree.terminals
    assert reach[ends].sum() == pytest.approx(1)
    values = reach[ends] @ truncated.tree.rewards_so_far[ends]
    assert values == pytest.approx(np.array(infoset.evaluate(policy).values), abs=1e-9)


@given(random_games(max_histories=200), st.integers(0, 99))
def test_shares_along_an_infostate_multiply_to_its_reach(game, seed):
    truncated = whole(game)
    tree = truncated.tree
    policy = random_policy(tree.sequence_form, np.random.default_rng(seed))
    reach = parents_first(history_picture(truncated, ALL, policy))
    for player, infostates in enumerate(tree.infostate_trees):
        expected = np.bincount(tree.infostate[:, player], reach)
        picture = infostate_picture(truncated, player, ALL, policy)
        assert parents_first(picture) == pytest.approx(expected, abs=1e-12)
        assert len(picture.nodes) == infostates.num_infostates
    expected = np.bincount(tree.public_state, reach)
    assert parents_first(public_picture(truncated, ALL, policy)) == pytest.approx(expected)


def test_a_step_out_of_what_is_never_reached_has_no_probability():
    truncated = whole(load_game("kuhn_poker"))
    form = truncated.tree.sequence_form
    never_bets = [np.zeros(plex.num_sequences) for plex in form.treeplexes]
    for weights, plex in zip(never_bets, form.treeplexes, strict=True):
        weights[plex.first_sequence] = 1
        weights[0] = 1
    policy = infoset.TabularPolicy.from_weights(form, never_bets)
    public = public_picture(truncated, ALL, policy).nodes
    (bet,) = [n for n, node in enumerate(public) if node.step.text == "bet" and node.parent == 1]
    assert (public[bet].step.probability, public[bet].step.probability_text) == (0.0, "0")
    after = [node.step for node in public if node.parent == bet]
    assert len(after) == 7
    assert {(step.probability, step.probability_text) for step in after} == {(None, "")}
    own = infostate_picture(truncated, 0, ALL, policy).nodes
    bets = [n for n, node in enumerate(own) if node.step.text == "bet" and node.step.movers == (0,)]
    probabilities = [node.step.probability for node in own if node.parent in bets]
    assert probabilities == pytest.approx([0.0 if s < 0.5 else 1.0 for s in probabilities]), (
        "others do move"
    )
    assert sum(probabilities) == len(bets)


def test_histories_of_kuhn_poker():
    picture = history_picture(whole(load_game("kuhn_poker")), ALL)
    assert len(picture.nodes) == 55
    assert len(picture.regions) == 25
    assert len(picture.infosets) == 36
    deal = picture.nodes[1]
    assert (deal.step.text, deal.step.probability_text, deal.step.movers) == (
        "[J | Q]",
        "1/6",
        (CHANCE,),
    )
    assert deal.cells == ("J", "Q")
    assert picture.regions[0].title == "start"
    assert picture.regions[1] == ("∅", (1, 2, 3, 4, 5, 6))
    titles = [region.title for region in picture.regions]
    assert titles.count("pass") == 3
    assert titles.count("bet,K,Q") == 2
    shown = picture.nodes[-1]
    assert (shown.step.text, shown.cells, shown.note) == ("bet", ("K", "Q"), "+2, −2")


def test_infostates_of_kuhn_poker():
    picture = infostate_picture(whole(load_game("kuhn_poker")), 1, ALL)
    nodes = picture.nodes
    assert len(nodes) == 37
    actors = [node.actors for node in nodes]
    assert (actors.count((1,)), actors.count((TERMINAL,))) == (6, 6 + 9 + 9)
    assert actors.count((OBSERVING,)) == 1 + 3 + 3
    assert {node.step.text for node in nodes if node.parent == 0} == {"[J]", "[Q]", "[K]"}
    folded = [node for node in nodes if node.step.text == "pass" and node.step.movers == (1,)]
    assert [node.note for node in folded] == ["−1  ×2"] * 3


def test_public_states_of_kuhn_poker():
    nodes = public_picture(whole(load_game("kuhn_poker")), ALL).nodes
    assert len(nodes) == 25
    assert (nodes[1].step.text, nodes[1].cells) == ("∅", ("J  Q  K", "J  Q  K"))
    assert nodes[1].note == "×6"
    many = public_picture(
        compile_part(load_game("liars_dice(dice_sides=9)"), depth=1), Limits(1, 10)
    ).nodes
    assert many[1].cells == ("9 infostates", "9 infostates")


def test_simultaneous_moves_are_one_step():
    nodes = history_picture(whole(load_game("matrix_rps")), ALL).nodes
    assert nodes[0].actors == (0, 1)
    assert [node.step.text for node in nodes[1:3]] == ["Rock, Rock", "Rock, Paper"]
    assert nodes[1].step.movers == (0, 1)
    game = load_game("goofspiel(num_cards=3)")
    second = [node for node in history_picture(whole(game), ALL).nodes if node.parent == 1]
    assert second[0].step.text.startswith("1, 1 → ")
    assert second[0].step.probability_text == "1/2"


def test_outcomes_with_equal_observations_are_numbered():
    blind = FunctionGame(observe=lambda *_: Observation())
    nodes = history_picture(whole(blind), ALL).nodes
    assert [node.step.text for node in nodes[1:]] == ["∅", "∅ #2"]
    assert [node.step.probability_text for node in nodes[1:]] == ["0.50", "0.50"]


def test_what_is_too_long_to_write_is_numbered():
    loud = FunctionGame(
        observe=lambda w, a, world: Observation(private=[f"a long story of {world}"])
    )
    cells = [node.cells for node in history_picture(whole(loud), ALL).nodes]
    assert cells == [("–",), ("#1",), ("#2",)]


@pytest.mark.parametrize(
    ("depth", "most", "expected"),
    [
        (None, 7, (7, 2, True)),
        (None, 6, (3, 1, True)),
        (None, 2, (2, 1, False)),
        (None, 1, (1, 1, False)),
        (1, 7, (3, 1, True)),
        (0, 2, (1, 0, True)),
        (9, 7, (7, 2, True)),
    ],
)
def test_the_part_drawn(depth, most, expected):
    parent = np.array([-1, 0, 0, 1, 1, 2, 2])
    assert choose_part(parent, Limits(depth, most)) == expected


@given(random_games(max_histories=200), st.integers(0, 5), st.integers(2, 50))
def test_omitted_histories_are_counted(game, depth, most):
    truncated = whole(game)
    picture = history_picture(truncated, Limits(depth, most))
    assert len(picture.nodes) <= most
    left = truncated.tree.num_histories - len(picture.nodes)
    assert max(picture.depth) <= depth
    if left:
        assert picture.remark.startswith(f"… {left:,} more histor")
        assert [node for node in picture.nodes if node.note == "…"]
    else:
        assert picture.remark == ""


@settings(max_examples=20)
@given(random_games(max_histories=200, max_depth=st.integers(3, 5)))
def test_a_game_cut_before_it_is_compiled_looks_the_same_as_far_as_it_goes(game):
    cut = compile_part(game, max_worlds=20)
    picture = history_picture(cut, ALL)
    assert cut.is_whole == (cut.tree.num_histories == cut.histories)
    limits = Limits(max(picture.depth), 10**6)
    assert picture.nodes == history_picture(whole(game), limits).nodes
    for player in range(game.num_players):
        of_cut = infostate_picture(cut, player, limits).nodes
        assert of_cut == infostate_picture(whole(game), player, limits).nodes
    assert public_picture(cut, limits).nodes == public_picture(whole(game), limits).nodes


def test_a_game_with_too_many_histories_is_cut_and_its_size_is_reported():
    huge = load_game("liars_dice(numdice=20,dice_sides=1)")
    truncated = compile_part(huge, depth=1)
    assert not truncated.is_whole
    picture = history_picture(truncated, Limits(1, 100))
    drawn = len(picture.nodes)
    assert picture.remark == f"… {2_199_023_255_552 - drawn:,} more histories below depth 1"
    infostates = infostate_picture(truncated, 0, Limits(None, 30))
    assert infostates.remark.startswith("… more infostates below depth")


def test_a_game_too_large_to_explore_has_a_lower_bound():
    truncated = compile_part(load_game("leduc_poker"), max_worlds=100)
    remark = history_picture(truncated, Limits(1, 100)).remark
    assert remark.startswith("… at least ")
    with pytest.raises(GameTooLargeError, match="more than 5 possible first steps"):
        compile_part(load_game("leduc_poker"), max_worlds=5)
    with (
        build_limits(max_seconds=0.0),
        pytest.raises(GameTooLargeError, match="first steps of leduc_poker take more"),
    ):
        compile_part(load_game("leduc_poker"))


def test_numbers_and_labels():
    assert probability_text(0) == "0"
    assert probability_text(1.0) == "1"
    assert probability_text(1 - 1e-15) == "1"
    assert probability_text(0.25) == "0.25"
    assert shorten("two\nlines", 20) == "two lines"
    assert number_duplicates(["a", "a", "b", "a"]) == ["a", "a #2", "b", "a #3"]


def test_uniform_shares_of_kuhn_poker():
    truncated = whole(load_game("kuhn_poker"))
    policy = uniform_policy(truncated.tree.sequence_form)
    steps = [node.step for node in history_picture(truncated, ALL, policy).nodes[1:]]
    assert {(step.movers, step.probability, step.probability_text) for step in steps} == {
        ((CHANCE,), 1 / 6, "1/6"),
        ((0,), 0.5, "0.50"),
        ((1,), 0.5, "0.50"),
    }


@pytest.mark.parametrize("view", ["history", "public", "infostate"])
def test_a_policy_of_a_game_too_large_for_a_tree_is_drawn_on_its_first_steps(view, monkeypatch):
    game = "leduc_poker(num_raises=1)"
    policy = random_policy(infoset.build_public_form(game), np.random.default_rng(0))
    [expected] = drawing.draw(game, view, policy=policy, depth=3, max_nodes=400).pictures
    monkeypatch.setattr(drawing, "compile_part", partial(compile_part, max_worlds=300))
    with build_limits(max_worlds=300):
        [picture] = drawing.draw(game, view, policy=policy, depth=3, max_nodes=400).pictures
    steps = [[(node.parent, node.step.text) for node in p.nodes] for p in (picture, expected)]
    assert steps[0] == steps[1]
    shares = [[node.step.probability for node in p.nodes[1:]] for p in (picture, expected)]
    assert shares[0] == pytest.approx(shares[1], abs=1e-12)
    assert picture.remark.startswith("… ")
    with build_limits(max_worlds=300), pytest.raises(PolicyMismatchError, match="leduc_poker"):
        drawing.draw("leduc_poker", view, policy=policy)
