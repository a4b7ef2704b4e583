"""The world form, against the sequence form of the same game, which lists the histories."""

from __future__ import annotations

import re
import weakref
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import infoset
from infoset.cli.commands.info import remarks
from infoset.errors import (
    GameRuleError,
    GameTooLargeError,
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.evaluation import nash_conv
from infoset.experiments import run_folder, save_run
from infoset.forms import (
    CompiledSets,
    ComposedPayoffs,
    Form,
    WorldForm,
    WorldPrograms,
    copy_plan,
    infostate_shapes,
    lock,
    no_composition,
    pair_gradient,
    split_world_payoffs,
    world_form,
    world_programs,
)
from infoset.forms._world_payoff_kernels import world_gradient
from infoset.front import load_policy, save_policy
from infoset.game import Infostate, Observation, Step
from infoset.games import load_game
from infoset.plotting import plot_policy
from infoset.plotting.notebooks import policy_html
from infoset.policy import TabularPolicy, random_policy, transfer_policy, uniform_policy
from infoset.regret.threads import partition_player
from infoset.tree import (
    build_limits,
    build_sequence_or_world_form,
    build_tree,
    build_world_form,
    build_world_graph,
    contract_worlds,
    world_contraction,
)
from infoset.typing import NOOP
from infoset.utils.interpretation import num_elements
from tests.support.function_game import FunctionGame
from tests.support.random_hidden_actions import HiddenActionsGame

LEDUC = "leduc_poker"
ABRUPT = "dark_hex(num_rows=2,num_cols=3,gameversion=adh)"
NAMED = [
    "kuhn_poker",
    LEDUC,
    "liars_dice(dice_sides=3)",
    "goofspiel(num_cards=3,imp_info=True)",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending,returns_type=point_difference)",
    ABRUPT,
    "dark_hex(num_rows=2,num_cols=2)",
    "phantom_ttt(num_rows=2,num_cols=2,line_length=2)",
    "phantom_ttt(num_rows=2,num_cols=2,line_length=2,obstype=reveal-numturns)",
    "phantom_ttt(num_rows=2,num_cols=2,line_length=2,gameversion=abrupt)",
    "matching_pennies",
]
RANDOM = [
    f"random_game(seed={seed},max_depth={3 + seed % 5},max_actions={2 + seed % 3},"
    f"max_histories=300,zero_sum={seed % 2 == 0})"
    for seed in range(40)
]
OTHER_NUMBERS_OF_PLAYERS = [
    "kuhn_poker(players=3)",
    "goofspiel(num_cards=3,players=3)",
    "bandit_tree(depth=2)",
    *(
        f"random_game(seed={seed},num_players={3 + seed % 2},max_histories=300,zero_sum=False)"
        for seed in range(8)
    ),
]


def bell() -> FunctionGame:
    """Player 0 may hear rain, and guesses the weather: silence makes rain less probable."""

    def transitions(world, joint_action):
        if world == "start":
            return [("wet", 0.5), ("dry", 0.5)]
        if world in ("wet", "dry"):
            return [("heard", 0.5), ("wet?", 0.5)] if world == "wet" else [("dry?", 1.0)]
        return [("end", 1.0)] if world != "end" else []

    return FunctionGame(
        2,
        actors=lambda world: (0,) if world in ("heard", "wet?", "dry?") else (),
        legal_actions=lambda world, player: ("rain", "sun"),
        transitions=transitions,
        rewards=lambda world, action, after: (
            ((1, -1) if (action[0] == "rain") == (world != "dry?") else (-1, 1))
            if after == "end"
            else (0, 0)
        ),
        observe=lambda world, action, after: Observation(
            None, ("drip" if after == "heard" else None, None)
        ),
    )


def late() -> FunctionGame:
    """Players act at the first or the second step in the same world, and know which it is."""
    ways = {"start": [("act", 0.25), ("wait", 0.75)], "wait": [("act", 1.0)], "act": [("end", 1.0)]}
    return FunctionGame(
        2,
        actors=lambda world: (0, 1) if world == "act" else (),
        transitions=lambda world, action: ways.get(world, []),
        rewards=lambda world, action, after: (
            (
                (2, -2)
                if action == ("left", "left")
                else (-1, 1)
                if action[0] == action[1]
                else (0, 0)
            )
            if world == "act"
            else (0, 0)
        ),
        observe=lambda world, action, after: Observation("go" if after == "act" else None),
    )


def forgotten() -> FunctionGame:
    """Player 0 may see a coin; later worlds do not say whether it did, but its information does."""

    def transitions(world, joint_action):
        if world == "start":
            return [((side, 1), 0.5) for side in "HT"]
        side, stage = world
        return [((side, stage + 1), 1.0)] if stage < 4 else []

    def observe(world, joint_action, after):
        if world == "start":
            return Observation()
        side, stage = world
        # Player 1 decides whether the coin is shown; two steps later it is shown in any case.
        shown = (stage == 1 and joint_action[1] == "left") or stage == 2
        return Observation(None, (side if shown else None, None))

    return FunctionGame(
        2,
        actors=lambda world: () if world == "start" or world[1] > 3 else ((1, 0, 0)[world[1] - 1],),
        transitions=transitions,
        rewards=lambda world, action, after: (
            ((1, -1) if (action[0] == "left") == (world[0] == "H") else (-2, 2))
            if world != "start" and world[1] in (2, 3)
            else (0, 0)
        ),
        observe=observe,
    )


def resting() -> FunctionGame:
    """After a step in which nothing happens, player 0 acts again in one of two worlds only."""
    after = {
        "one": "one'",
        "one'": "rest",
        "rest": "end",
        "two": "two'",
        "two'": "act",
        "act": "end",
    }
    return FunctionGame(
        2,
        actors=lambda world: (
            (0,) if world in ("one", "two", "act") else (1,) if world == "rest" else ()
        ),
        transitions=lambda world, action: (
            [("one", 0.5), ("two", 0.5)]
            if world == "start"
            else [(after[world], 1.0)]
            if world in after
            else []
        ),
        rewards=lambda world, action, after: (
            (2, -2)
            if world == "act" and action[0] == "left"
            else (-1, 1)
            if world == "rest" and action[1] == "left"
            else (0, 0)
        ),
        observe=lambda world, action, after: Observation(
            after if after in ("rest", "act") else None
        ),
    )


CUSTOM = {"bell": bell, "late": late, "forgotten": forgotten, "resting": resting}


def rules_of(name):
    if name in CUSTOM:
        return CUSTOM[name]()
    return HiddenActionsGame(name) if isinstance(name, int) else load_game(name)


@cache
def forms(name):
    """Return the world form and the sequence form of a game."""
    rules = rules_of(name)
    return build_world_form(rules), build_tree(rules).sequence_form


@cache
def policies(name):
    """Return a random policy on both forms."""
    world, form = forms(name)
    policy = random_policy(form, np.random.default_rng(3))
    return transfer_policy(policy, world), policy


SMALL = [
    *(*NAMED, *CUSTOM, *range(4), *RANDOM[:10], *OTHER_NUMBERS_OF_PLAYERS[:5]),
    *(
        pytest.param(name, marks=pytest.mark.broad)
        for name in (*RANDOM[10:], *OTHER_NUMBERS_OF_PLAYERS[5:])
    ),
]


@pytest.mark.parametrize("name", SMALL)
def test_infostates_are_those_of_the_tree(name):
    world, form = forms(name)
    assert isinstance(world, Form)
    for player in range(form.num_players):
        assert sorted(world.infostate_labels(player)) == sorted(form.infostate_labels(player))
        for number in range(form.treeplexes[player].num_infostates):
            infostate = form.infostate_at(player, number)
            found = world.find(infostate)
            assert world.infostate_at(player, found) == infostate
            assert world.actions_at(player, found) == form.actions_at(player, number)
        one, other = world.treeplexes[player], form.treeplexes[player]
        assert (one.num_infostates, one.num_sequences) == (
            other.num_infostates,
            other.num_sequences,
        )
        assert one.plan_roundings == other.plan_roundings == world.shapes[player].plan_roundings


@pytest.mark.parametrize("name", SMALL)
def test_values_and_best_responses_are_those_of_the_tree(name):
    measured, expected = map(infoset.evaluate, policies(name))
    assert measured.values == pytest.approx(expected.values, abs=1e-12)
    assert measured.nash_conv == pytest.approx(expected.nash_conv, abs=1e-12)
    world, form = forms(name)
    centered = [
        one.centered.player_values(policy.probabilities)
        for one, policy in zip((world, form), policies(name), strict=True)
    ]
    assert np.array(centered[0]) == pytest.approx(np.array(centered[1]), abs=1e-12)
    assert world.centered.payoff_range == pytest.approx(form.centered.payoff_range)
    assert world.payoff_range == pytest.approx(form.payoff_range)
    assert world.payoff_width == pytest.approx(form.payoff_width)
    assert world.constant_sum == pytest.approx(form.constant_sum)
    assert world.has_shared_payoffs == form.has_shared_payoffs
    assert 0 < world.rounding < 1e-10


@pytest.mark.parametrize("name", SMALL)
def test_sums_by_worlds_and_visits_of_all_histories_agree(name):
    rules = rules_of(name)
    graph = build_world_graph(rules)
    world, _ = forms(name)
    visiting = world.by_histories()
    assert visiting.visits_histories
    assert 0 < visiting.rounding < 1e-10
    plans = policies(name)[0].realization_plans()
    summing = [world, visiting]
    if graph.num_players == 2:
        sets = [CompiledSets.of(name, world.worlds, world.shapes, p, 10**8) for p in range(2)]
        paid = world.worlds.reward * world.worlds.probability[:, None]
        programs = (WorldPrograms.of(p, own, paid[:, p]) for p, own in enumerate(sets))
        summing.append(replace(world, programs=tuple(programs)))
        # The one that is chosen has less work.
        assert world.gradient_cost == min(form.gradient_cost for form in summing[1:])
    for player in range(graph.num_players):
        first, *others = (form.gradient(plans, player) for form in summing)
        for other in others:
            assert other == pytest.approx(first, abs=1e-12)
        first, *others = (form.reach_gradient(plans, player) for form in summing)
        for other in others:
            assert other == pytest.approx(first, abs=1e-12)
    # With ones everywhere, a gradient counts the payoffs that are added to each of its entries.
    for player, sweep in enumerate(visiting.programs):
        edges = np.ones(len(sweep.paid))
        counts = sweep._replace(chance=edges, paid=edges).gradient(
            lambda other: np.ones(len(plans[other])), len(plans[player]), 0.0
        )
        assert counts.max() <= sweep.additions


@pytest.mark.broad
@pytest.mark.parametrize("name", [LEDUC, ABRUPT, "goofspiel(num_cards=4,imp_info=True)"])
@pytest.mark.parametrize("number", [2, 3, 7])
def test_parts_of_a_gradient_have_its_bits(name, number):
    world, _ = forms(name)
    for form in (world, world.by_histories()):
        payoffs, none = form.payoffs(), no_composition("float64")
        rng = np.random.default_rng(6)
        plans = tuple(rng.random(plex.num_sequences) for plex in form.treeplexes)
        for player, (base, _) in enumerate(payoffs.pairs):
            plan = plans[1 - player]
            whole, found = np.empty(len(plans[player])), np.full(len(plans[player]), np.nan)
            pair_gradient(payoffs.pairs[player], plan, whole)
            parts = split_world_payoffs(base, number)
            assert len(parts) > 1
            # Parts are ranges of sequences, and each fills its own.
            assert [own.part[0] for own in parts[1:]] == [own.part[1] for own in parts[:-1]]
            copy_plan(parts[0].values, parts[0].other_position, plan, 0, len(plan))
            workspaces = [getattr(part, "free", place) for place, part in enumerate(parts)]
            assert len({*workspaces}) == len(parts)
            for part in reversed(parts):
                inside = slice(*part.part)
                for empty in (0.0, np.nan):
                    base.earned[:] = empty
                    pair_gradient(ComposedPayoffs(part, none), plan, found)
                    assert np.isfinite(base.earned[inside]).all()
                    base.earned[inside] = empty
                    assert np.array_equal(base.earned, np.full(len(whole), empty), equal_nan=True)
            assert np.array_equal(whole, found)


def test_every_part_has_the_decisions_that_follow_in_some_worlds_only():
    world, _ = forms("resting")
    paid = world.worlds.reward * world.worlds.probability[:, None]
    sets = CompiledSets.of("resting", world.worlds, world.shapes, 0, 10**8)
    program = WorldPrograms.of(0, sets, paid[:, 0])
    sizes = tuple(own.num_sequences for own in world.shapes)
    payoffs, plan = program.payoffs((None, None), sizes, 0.0), np.ones(sizes[1])
    whole, found = np.empty(sizes[0]), np.empty(sizes[0])
    world_gradient(payoffs, plan, whole)
    assert np.count_nonzero(whole) == 4
    for sequence in range(sizes[0]):
        world_gradient(payoffs._replace(part=np.array([sequence, sequence + 1])), plan, found)
    assert np.array_equal(found, whole)


@pytest.mark.broad
def test_several_threads_share_the_updates_of_a_player():
    world, _ = forms(ABRUPT)
    layout, nowhere = world.layouts[0], world.public_states[0]
    parts = partition_player(layout, nowhere, world.payoffs().pairs[0], 2)
    assert len(parts.below) == 2
    assert len(parts.copied) == 2


def test_plans_of_any_kind_have_a_gradient():
    world, _ = forms("kuhn_poker(players=3)")
    plans = policies("kuhn_poker(players=3)")[0].realization_plans()
    fixed = plans[0].copy()
    fixed.flags.writeable = False
    mixed = (fixed, plans[1].astype(np.float32), np.repeat(plans[2], 2)[::2])
    for player in range(3):
        expected = world.gradient(plans, player)
        assert world.gradient(mixed, player) == pytest.approx(expected, abs=1e-6)


def test_histories_that_are_not_reached_are_not_visited():
    """An infinite payoff times a probability of zero would be no number."""
    world, _ = forms("kuhn_poker(players=3)")
    plans = [plan.copy() for plan in policies("kuhn_poker(players=3)")[0].realization_plans()]
    plans[1][1:] = 0.0
    paid = np.full(len(world.worlds.target), 1.0)
    pays = world.programs[0].paying(paid)
    assert pays.gradient(plans.__getitem__, world.shapes[0].num_sequences, 0.0).sum() == 0.0


def test_nothing_else_is_in_memory_beside_a_gradient(monkeypatch):
    world, _ = forms(LEDUC)
    policy = uniform_policy(world)
    values, made, counts = world.player_values(policy.probabilities), [], []
    plan_of = WorldForm._plan

    def plan(*args):
        made.append(weakref.ref(found := plan_of(*args)))
        return found

    def gradient(payoffs, plan, found):
        counts.append(sum(array() is not None for array in made))
        made.append(weakref.ref(found))
        world_gradient(payoffs, plan, found)

    monkeypatch.setattr(WorldForm, "_plan", plan)
    monkeypatch.setattr(world_programs, "world_gradient", gradient)
    assert world.player_values(policy.probabilities) == values
    assert counts == [0, 0]


@pytest.mark.parametrize("name", SMALL)
def test_reach_is_that_of_the_tree(name):
    world, form = forms(name)
    plans, others = (policy.realization_plans() for policy in policies(name))
    for player in range(form.num_players):
        found = world.counterfactual_reach(plans, player)
        expected = form.counterfactual_reach(others, player)
        for number in range(len(expected)):
            at = world.find(form.infostate_at(player, number))
            assert found[at] == pytest.approx(expected[number], abs=1e-12)
        assert world.reach_gradient(plans, player) @ plans[player] == pytest.approx(1.0)


@pytest.mark.broad
@pytest.mark.parametrize("name", ["kuhn_poker", LEDUC, ABRUPT])
def test_gradients_are_those_of_the_tree_where_rewards_come_last(name):
    world, form = forms(name)
    plans, others = (policy.realization_plans() for policy in policies(name))
    for player in range(2):
        found, expected = world.gradient(plans, player), form.gradient(others, player)
        plex, other = world.treeplexes[player], form.treeplexes[player]
        for number in range(other.num_infostates):
            at = plex.first_sequence[world.find(form.infostate_at(player, number))]
            first, size = other.first_sequence[number], other.num_actions[number]
            assert found[at : at + size] == pytest.approx(expected[first : first + size], abs=1e-12)
        deviation = form.payoff_deviation(others, player, 2.0)
        assert world.payoff_deviation(plans, player, 2.0) == pytest.approx(deviation)
    assert world.payoff_scale == pytest.approx(form.payoff_scale)


@pytest.mark.broad
@pytest.mark.parametrize("name", [LEDUC, ABRUPT, *RANDOM[:6]])
@pytest.mark.parametrize("method", ["cfr+", "cfr", "mmd"])
def test_methods_find_the_policies_that_they_find_on_the_tree(name, method):
    world, form = forms(name)
    if method == "mmd" and not form.is_two_player_constant_sum:
        pytest.skip("mmd is for constant-sum games")
    found = infoset.solve(world, method, iterations=8)
    expected = infoset.solve(form, method, iterations=8)
    if method == "mmd":  # its steps depend on the payoff scale, which may be a bound
        assert world.payoff_scale == pytest.approx(form.payoff_scale) or found.nash_conv > 0
        return
    assert found.nash_conv == pytest.approx(expected.nash_conv, rel=1e-6)


@pytest.mark.broad
@pytest.mark.parametrize("by_histories", [False, True])
def test_precision_and_threads(by_histories):
    world, form = forms(ABRUPT)
    world = world.by_histories() if by_histories else world
    expected = infoset.solve(form, "cfr+", iterations=50).nash_conv
    single = infoset.solve(world, "cfr+", iterations=50, precision="float32").nash_conv
    assert single == pytest.approx(expected, rel=1e-2)
    double = infoset.solve(world, "cfr+", iterations=50)
    shared = infoset.solve(world, "cfr+", iterations=50, threads=2)
    for one, other in zip(double.policy.probabilities, shared.policy.probabilities, strict=True):
        assert np.array_equal(one, other)


def test_methods_that_need_a_matrix_refuse():
    world, _ = forms(LEDUC)
    with pytest.raises(UnsupportedGameError, match="world form of leduc_poker does not list"):
        infoset.solve(world, "lp")


@pytest.mark.broad
@pytest.mark.parametrize("name", [LEDUC, ABRUPT])
def test_locks_compose(name):
    world, form = forms(name)
    policy = random_policy(form, np.random.default_rng(5))
    rows = [row for place, row in enumerate(policy.rows()) if place % 3 == 0]
    held = {
        (row.infostate, row.player): dict(zip(row.actions, row.probabilities, strict=True))
        for row in rows
    }
    found, expected = (
        infoset.solve(lock(one, held), "cfr+", iterations=20) for one in (world, form)
    )
    assert found.nash_conv == pytest.approx(expected.nash_conv, rel=1e-6)
    assert found.values == pytest.approx(expected.values, rel=1e-6)


@pytest.mark.broad
@pytest.mark.parametrize("name", ["w.parquet", "w.csv"])
def test_files_of_policies(name, tmp_path):
    result = infoset.solve(ABRUPT, "cfr+", iterations=20, form="world")
    assert result.policy.form.kind == "world"
    path = tmp_path / name
    save_policy(result.policy, path)
    assert infoset.evaluate(ABRUPT, str(path)).nash_conv == pytest.approx(result.nash_conv)
    on_tree = infoset.evaluate(forms(ABRUPT)[1], str(path))
    assert on_tree.nash_conv == pytest.approx(result.nash_conv, abs=1e-12)
    if path.suffix == ".parquet":
        assert load_policy(path).form.kind == "world"


@pytest.mark.broad
def test_auto_takes_the_world_form_where_histories_do_not_fit(monkeypatch):
    with build_limits(memory=1_500_000):
        with pytest.raises(GameTooLargeError):
            infoset.solve(ABRUPT, "cfr+", iterations=1, form="sequence")
        result = infoset.solve(ABRUPT, "cfr+", iterations=1)
        assert result.policy.form.kind == "world"
        assert result.form_reason == (
            "world form (6,045 + 6,343 sequences): the game has 149,953 histories, and its "
            "sequence form does not fit in the limits"
        )
        # A method that needs the matrix gets the error about the sequence form.
        with pytest.raises(GameTooLargeError, match="histories"):
            infoset.solve(ABRUPT, "lp")
    # If neither form fits, the error is that of the smaller one of games with many histories.
    with build_limits(memory=100_000):
        with pytest.raises(GameTooLargeError, match="its sequence form needs about"):
            build_sequence_or_world_form(load_game(ABRUPT))
        monkeypatch.setattr("infoset.tree.world_contraction.MANY_HISTORIES", 1000)
        with pytest.raises(GameTooLargeError, match="its world form needs about"):
            build_sequence_or_world_form(load_game(ABRUPT))
        monkeypatch.undo()
    form, reason = build_sequence_or_world_form(load_game(ABRUPT))
    assert (form.kind, reason) == ("sequence", None)


@pytest.mark.broad
@pytest.mark.parametrize("name", OTHER_NUMBERS_OF_PLAYERS[:4])
def test_methods_for_other_numbers_of_players(name):
    world, form = forms(name)
    found, expected = (infoset.solve(one, "cfr", iterations=10) for one in (world, form))
    assert found.nash_conv == pytest.approx(expected.nash_conv, rel=1e-6)
    single = infoset.solve(world, "cfr", iterations=10, precision="float32")
    assert single.nash_conv == pytest.approx(expected.nash_conv, rel=1e-3, abs=1e-5)
    assert infoset.evaluate(world.by_histories(), "uniform").values == pytest.approx(
        infoset.evaluate(form, "uniform").values
    )


@pytest.mark.broad
def test_auto_says_that_histories_are_visited():
    name = "kuhn_poker(players=3,num_cards=6)"
    with build_limits(memory=400_000):
        result = infoset.solve(name, "cfr", iterations=1)
    assert result.form_reason.endswith("does not fit in the limits; a gradient visits all of them")


@pytest.mark.broad
def test_auto_compares_the_work_of_large_games(monkeypatch):
    monkeypatch.setattr(world_contraction, "MANY_HISTORIES", 10_000)
    monkeypatch.setattr(world_contraction, "HISTORY_COST", 2000)
    result = infoset.solve(ABRUPT, "cfr+", iterations=1)
    assert re.fullmatch(
        r"world form \(6,045 \+ 6,343 sequences\): the game has 149,953 histories, and its "
        r"sequence form would take more than [3-9] times as long",
        result.form_reason,
    )
    # In Goofspiel, worlds and infostates determine histories.
    form, reason = build_sequence_or_world_form(load_game("goofspiel(num_cards=4)"))
    assert (form.kind, reason) == ("sequence", None)


def test_info_has_the_size_of_the_world_form():
    found = infoset.info(ABRUPT, memory=2_000_000)
    world, _ = forms(ABRUPT)
    assert found.sequences == tuple(plex.num_sequences for plex in world.treeplexes)
    assert found.acting_infostates == tuple(plex.num_infostates for plex in world.treeplexes)
    assert (found.fits, found.world_form_fits, found.infostates) == (False, True, None)
    assert 1_000_000 < found.world_form_bytes < 2_000_000
    assert any("builds the world form instead" in line for line in remarks(found))
    assert infoset.info(ABRUPT, memory=1_000_000).world_form_fits is False
    assert infoset.info(ABRUPT, memory=5_000).world_form_fits is False
    assert infoset.info(ABRUPT).world_form_bytes is None


@pytest.mark.broad
def test_what_takes_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(world_contraction, "MAX_COST", 1e3)
    with pytest.raises(GameTooLargeError, match="longer than a quarter of an hour"):
        build_world_form(load_game("kuhn_poker(players=3)"))
    # Programs of sets of worlds take less time, if they fit in memory.
    assert not build_world_form(load_game(ABRUPT)).visits_histories


def test_what_has_no_world_form():
    world, _ = forms("kuhn_poker(players=3)")
    with pytest.raises(UnsupportedGameError, match="locks and other transforms need two players"):
        infoset.solve(lock(world, {("[K]", 0): {"pass": 1, "bet": 0}}), "cfr", iterations=1)
    with pytest.raises(ParameterError, match="a sequence form of leduc_poker was given"):
        infoset.solve(forms(LEDUC)[1], form="world")
    with pytest.raises(ParameterError, match="a world form of leduc_poker was given"):
        infoset.solve(forms(LEDUC)[0], form="sequence")
    graph = build_world_graph(load_game(ABRUPT))
    with pytest.raises(GameTooLargeError, match="sets of worlds that player 0 may consider"):
        contract_worlds(graph, memory=100)
    with pytest.raises(GameTooLargeError, match="its world form needs about"):
        contract_worlds(graph, memory=200_000)
    partial = build_world_graph(load_game(LEDUC), max_worlds=50, partial=True)
    with pytest.raises(ValueError, match="partial"):
        contract_worlds(partial)


@pytest.mark.broad
def test_pictures_of_policies(tmp_path):
    result = infoset.solve("kuhn_poker", "cfr+", iterations=1, form="world")
    assert [panel.get_title() for panel in plot_policy(result.policy).axes] == [
        "player 0",
        "player 1",
    ]
    assert (save_run(result, tmp_path / "run") / "policy.png").is_file()


def test_unknown_infostates():
    world, _ = forms("kuhn_poker")
    known = world.infostate_at(0, 0)
    for steps in (
        (*known.steps, Step("sing", None, "sing")),
        (Step(NOOP, "A", None),),
        (*known.steps, Step(NOOP, None, "bet")),
    ):
        with pytest.raises(UnknownNameError, match="no play of this game"):
            world.find(Infostate(0, steps))
    with pytest.raises(UnknownNameError, match="does not act"):
        world.find(Infostate(0))
    for number in (-1, 6, 10**9):
        for ask in (world.infostate_at, world.actions_at):
            with pytest.raises(
                IndexError, match=f"infostate {number}; they are numbered from 0 to 5"
            ):
                ask(0, number)
    player, number = world.look_up(("[K]", 0))
    assert str(world.infostate_at(player, number)) == "[K]"


def test_players_must_know_their_actions():
    rules = FunctionGame(
        2,
        actors=lambda world: (0,) if world in ("heads", "tails") else (),
        legal_actions=lambda world, player: ("left", "right") if world == "heads" else ("left",),
        transitions=lambda world, action: (
            [("heads", 0.5), ("tails", 0.5)]
            if world == "start"
            else [("end", 1.0)] * (world != "end")
        ),
        observe=lambda world, action, after: Observation(),
    )
    with pytest.raises(GameRuleError, match="which actions are legal"):
        build_world_form(rules)


def test_equal_forms_have_equal_fingerprints():
    world, form = forms(LEDUC)
    again = build_world_form(load_game(LEDUC))
    assert again.fingerprint == world.fingerprint != form.fingerprint
    assert again.fingerprint != forms("kuhn_poker")[0].fingerprint
    policy = uniform_policy(world)
    assert transfer_policy(policy, again).form is again


def test_listing_decisions_counts_as_work_for_each_of_them(monkeypatch):
    """Otherwise the kernel would run uncompiled, for minutes in the large games."""
    form, found = build_world_form(load_game(ABRUPT)), []
    monkeypatch.setattr(infostate_shapes, "list_decisions", lambda *given: found.append(given))
    form.shapes[0].treeplex()
    assert num_elements(found[0]) > form.shapes[0].num_infostates


def test_equal_futures_are_one_world():
    world, form = forms(ABRUPT)
    graph = build_world_graph(load_game(ABRUPT))
    assert world.worlds.num_classes < graph.num_worlds / 4
    assert isinstance(world, WorldForm)
    assert world.gradient_cost > 0
    assert nash_conv(uniform_policy(world)) == pytest.approx(nash_conv(uniform_policy(form)))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "conv", "value"),
    [
        ("dark_hex", 1.8328042328, 1 / 3),
        ("dark_hex(gameversion=adh)", 1.5252094356, 0.2669257055),
        ("phantom_ttt", 1.5774636243, 0.2968253968),
        ("phantom_ttt(gameversion=abrupt)", 1.2386684303, 0.3162748278),
    ],
)
def test_uniform_play_of_the_benchmark_games(name, conv, value):
    """As measured by the program of Rudolph et al. (2026), which visits all histories."""
    measured = infoset.evaluate(build_world_form(load_game(name)), "uniform")
    assert measured.nash_conv == pytest.approx(conv, abs=1e-10)
    assert measured.values[0] == pytest.approx(value, abs=1e-10)


@pytest.mark.long
def test_all_histories_of_abrupt_dark_hex():
    """All 29 billion histories are visited once for each player, which takes minutes."""
    with build_limits(max_worlds=3_000_000):
        world = build_world_form(load_game("dark_hex(gameversion=adh)"))
    visiting = world.by_histories()
    sweep = visiting.programs[0]
    assert sweep.visits + sweep.operations == 29_311_526_419
    plans = uniform_policy(world).realization_plans()
    rng = np.random.default_rng(7)
    plans = tuple(plan * rng.random(len(plan)) for plan in plans)
    for player in range(2):
        found, expected = (form.gradient(plans, player) for form in (visiting, world))
        assert np.abs(found - expected).max() < 1e-12 * np.abs(expected).max()


@pytest.mark.broad
def test_policies_of_very_many_infostates_are_stored_without_texts(tmp_path, monkeypatch):
    result = infoset.solve(ABRUPT, "cfr+", iterations=5, form="world")
    listed = tmp_path / "listed.parquet"
    save_policy(result.policy, listed)
    monkeypatch.setattr(world_form, "MAX_LISTED", 100)
    world = build_world_form(load_game(ABRUPT))
    path = tmp_path / "w.parquet"
    save_policy(result.policy, path, storage="uint16")
    assert path.stat().st_size < listed.stat().st_size / 2
    measured = infoset.evaluate(ABRUPT, str(path))
    assert measured.nash_conv == pytest.approx(result.nash_conv, abs=1e-4)
    save_policy(result.policy, path)
    for own, other in zip(
        load_policy(path).probabilities, result.policy.probabilities, strict=True
    ):
        assert np.array_equal(own, other)
    with pytest.raises(PolicyMismatchError, match="not for dark_hex"):
        load_policy(path, "dark_hex(num_rows=2,num_cols=3)")
    once = replace(result, trace=result.trace[:1])
    monkeypatch.setattr(run_folder, "MAX_LISTED", 100)
    assert {file.name for file in save_run(once, tmp_path / "run").iterdir()} >= {"convergence.png"}
    assert "too many to list" in policy_html(load_policy(path))
    # The first decisions are listed, with the texts and numbers that they have among all.
    few = result.policy.sorted_rows(2)
    found = TabularPolicy(world, result.policy.probabilities).sorted_rows(2)
    assert [row._replace(probabilities=None) for row in found] == [
        row._replace(probabilities=None) for row in few
    ]
    assert 0 < len(few) < 100
    assert {row.own_depth for row in few} == {0, 1}
    for refused in (
        lambda: world.infostate_labels(0),
        lambda: save_policy(result.policy, tmp_path / "w.csv"),
        lambda: world.look_up("anything"),
    ):
        with pytest.raises(GameTooLargeError, match="too many to list"):
            refused()
    # A file with texts can still be read: the fingerprint says that its rows are those of the form.
    assert infoset.evaluate(load_policy(listed)).nash_conv == pytest.approx(result.nash_conv)
