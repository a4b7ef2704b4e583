"""The table of learners: names, presets, step sizes and error messages."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from infoset.errors import ParameterError, UnknownNameError
from infoset.learning import (
    LEARNERS,
    Knowledge,
    LearnerSpec,
    StepSizes,
    TreeSize,
    get_learner,
    make_simulator,
)
from infoset.learning.online_mirror_descent import OnlineMirrorDescent
from tests.support.cached_games import cached_tree

pytestmark = pytest.mark.broad

KUHN = TreeSize(6, 12, 2, 2, "kuhn_poker")


def test_specs_by_name_ignore_case():
    for name, row in LEARNERS.items():
        assert isinstance(row, LearnerSpec)
        assert row.name == name
        assert get_learner(name.upper()) is row
        assert get_learner(row) is row
        assert row.description
        assert "\n" not in row.description


@pytest.mark.parametrize(
    ("name", "knowledge"),
    [
        ("ixomd", Knowledge.NOTHING),
        ("adaptive-ftrl", Knowledge.NOTHING),
        ("tweaked-ftrl", Knowledge.NOTHING),
        ("balanced-omd", Knowledge.OWN_TREE),
        ("balanced-ftrl", Knowledge.OWN_TREE),
    ],
)
def test_specs_show_their_parameters(name, knowledge):
    assert LEARNERS[name].knowledge is knowledge


def test_presets_change_fields_and_keep_the_rest():
    simulator = make_simulator(cached_tree("kuhn_poker"))
    for name, row in LEARNERS.items():
        for preset in row.presets:
            changed = get_learner(name, preset=preset.upper())
            assert (changed.name, changed.knowledge) == (name, row.knowledge)
            learners = changed.self_play(simulator, horizon=50, seed=1)
            assert learners.settings()["learner"] == name


@pytest.mark.parametrize("name", LEARNERS)
def test_every_number_of_a_learner_is_among_its_settings(name):
    """By them, a checkpoint of a run with other numbers is refused."""
    simulator = make_simulator(cached_tree("kuhn_poker"))
    row = LEARNERS[name]
    usual = row.self_play(simulator, horizon=50).settings()
    numbers = {one.name: getattr(row, one.name) for one in fields(row)}
    # What is reported, and what has a meaning for other step sizes only, determines no episode.
    without = {"use_last_policy", "anytime"}
    for field, number in numbers.items():
        if field in without or not isinstance(number, bool | int | float):
            continue
        if isinstance(number, bool):
            changes = {field: not number}
        else:
            changes = {field: number / 2 if 0 < number <= 1 else 2 * number or 3}
        if "bonus" in numbers and field == "min_probability":
            changes["bonus"] = 1.0  # which it needs, but which is not compared
            usual = replace(row, bonus=1.0).self_play(simulator, horizon=50).settings()
        changed = replace(row, **changes)
        assert changed.self_play(simulator, horizon=50).settings() != usual, field


def test_learners_with_a_horizon_have_anytime_steps():
    """Anytime parameters do not depend on the horizon."""
    simulator = make_simulator(cached_tree("kuhn_poker"))

    def goes_by_horizon(row):
        runs = [row.self_play(simulator, horizon=horizon).settings() for horizon in (100, 9999)]
        few, many = (np.array(settings.get("parameters", ())) for settings in runs)
        return not np.allclose(few, many, rtol=1e-12, atol=0)

    for name, row in LEARNERS.items():
        assert goes_by_horizon(row) == ("anytime" in row.presets), name
        if "anytime" in row.presets:
            assert not goes_by_horizon(get_learner(name, preset="anytime")), name


@pytest.mark.parametrize(
    ("name", "episodes", "expected"),
    [
        ("ixomd", 1000, (0.013163, 0.0573553)),
        ("balanced-omd", 1000, (0.032243, 0.198684)),
        ("balanced-ftrl", 1000, (0.015200, 0.0331141)),
    ],
)
def test_published_steps_on_kuhn_poker(name, episodes, expected):
    assert LEARNERS[name].step_sizes(KUHN, episodes) == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("name", "growth"), [("ixomd", 0.5), ("balanced-omd", 0.5), ("adaptive-ftrl", -0.5)]
)
def test_steps_fall_with_the_root_of_episodes(name, growth):
    for preset in LEARNERS[name].presets:
        rule = get_learner(name, preset=preset).step_sizes
        few, many = rule(KUHN, 100), rule(KUHN, 10_000)
        assert few.learning_rate / many.learning_rate == pytest.approx(100**growth)
        assert few.implicit_exploration / many.implicit_exploration == pytest.approx(100**growth)


def test_steps_are_a_pair_or_a_rule():
    assert get_learner("ixomd", step_sizes=(0.1, 0.005)).step_sizes == StepSizes(0.1, 0.005)
    assert (
        get_learner("ixomd", step_sizes=LEARNERS["balanced-omd"].step_sizes)
        .step_sizes(KUHN, 1000)
        .learning_rate
        < 0.04
    )
    assert get_learner("ixomd", preset="tuned", step_sizes=(0.2, 0)).step_sizes == StepSizes(0.2, 0)


@pytest.mark.parametrize(
    ("step_sizes", "message"),
    [
        ((0, 0.1), "learning_rate=0 is not allowed"),
        ((-0.1, 0.1), "learning_rate=-0.1 must be a finite number"),
        ((0.1, -0.1), "implicit_exploration=-0.1 must be a finite number"),
        ((float("nan"), 0.1), "learning_rate=nan must be a finite number"),
        ((0.1, 0.1, 0.1), r"give a pair \(learning_rate, implicit_exploration\)"),
        (0.1, r"give a pair \(learning_rate, implicit_exploration\)"),
        ("theory", r"give a pair \(learning_rate, implicit_exploration\)"),
    ],
)
def test_invalid_steps_are_refused(step_sizes, message):
    with pytest.raises(ParameterError, match=message):
        get_learner("ixomd", step_sizes=step_sizes)


def test_unknown_names_come_with_the_nearest():
    with pytest.raises(UnknownNameError, match=r"unknown learner 'ixmod'; did you mean ixomd\?"):
        get_learner("ixmod")
    with pytest.raises(
        UnknownNameError, match=r"ixomd has no preset 'theroy'; did you mean theory\?"
    ):
        get_learner("ixomd", preset="theroy")
    with pytest.raises(ParameterError, match="preset='tuned': os-mccfr has no presets"):
        get_learner("os-mccfr", preset="tuned")
    with pytest.raises(ParameterError, match="learner=3 is of type int; give a name"):
        get_learner(3)
    with pytest.raises(ParameterError, match="preset=3 is of type int; give one of: theory"):
        get_learner("ixomd", preset=3)


def test_untuned_steps_are_refused():
    simulator = make_simulator(cached_tree("goofspiel(num_cards=2)"))
    with pytest.raises(ParameterError, match=r"no tuned step sizes for goofspiel.*another preset"):
        get_learner("ixomd", preset="tuned").self_play(simulator, horizon=10)


@pytest.mark.parametrize("horizon", [0, -1, 0.5, True])
def test_a_run_needs_episodes(horizon):
    simulator = make_simulator(cached_tree("kuhn_poker"))
    with pytest.raises(ParameterError, match=f"horizon={horizon} must be a whole number"):
        LEARNERS["ixomd"].self_play(simulator, horizon=horizon)


def test_parameters_of_a_spec_are_checked():
    row = LEARNERS["ixomd"]
    assert isinstance(row, OnlineMirrorDescent)
    for name in ("adaptivity_exponent", "center", "baseline_window", "min_probability"):
        with pytest.raises(ParameterError, match=f"{name}=-1 must be a finite number"):
            replace(row, **{name: -1})
