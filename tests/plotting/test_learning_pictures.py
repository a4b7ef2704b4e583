"""Pictures of what is learned from play."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import infoset
from infoset.errors import ParameterError
from infoset.games import matrix_game
from infoset.plotting import plot_learning

SHAPLEY = matrix_game([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1], [1, 0, 0]])


def lines(figure):
    (axes,) = figure.axes
    return axes, [line.get_xydata() for line in axes.get_lines()]


def test_each_seed_is_a_line_of_its_trace():
    result = infoset.learn("kuhn_poker", "ixomd", episodes=300, seeds=3)
    axes, drawn = lines(plot_learning(result))
    for run, line in zip(result.runs, drawn, strict=True):
        assert np.array_equal(line, [(p.iteration, p.exploitability) for p in run.trace])
    assert (axes.get_xlabel(), axes.get_xscale(), axes.get_yscale()) == ("episodes", "log", "log")
    game, method = axes.get_title().split("\n")
    assert game == "kuhn_poker"
    assert method.endswith(" after 300 episodes, 3 seeds")


@pytest.mark.parametrize(
    ("game", "method", "said", "name"),
    [
        ("kuhn_poker(players=3)", "ixomd", "CCE gap of joint play", "cce_gap"),
        ("kuhn_poker", "balanced-efce-omd", "EFCE gap of recommended play", "efce_gap"),
    ],
)
def test_where_joint_play_is_learned_its_gap_is_drawn(game, method, said, name):
    result = infoset.learn(game, method, episodes=200)
    axes, (line,) = lines(plot_learning(result))
    assert axes.get_ylabel() == f"{said} (game's units)"
    assert np.array_equal(line[:, 1], [getattr(point, name) for point in result.runs[0].trace])


def test_a_gap_of_zero_is_drawn_where_the_axis_is_linear():
    result = infoset.learn(SHAPLEY, "ixomd", episodes=5000, step_sizes=(0.05, 0.005))
    assert result.cce_gap == (0.0,)
    axes, _ = lines(plot_learning(result))
    assert axes.get_yscale() == "symlog"
    assert axes.get_ylim()[0] < 0


def test_what_is_not_measured_at_all_points_is_not_drawn():
    result = infoset.learn("kuhn_poker(players=3)", "ixomd", episodes=50)
    (run,) = result.runs
    broken = replace(run, trace=(replace(run.trace[0], cce_gap=None), *run.trace[1:]))
    axes, _ = lines(plot_learning(replace(result, runs=(broken,))))
    assert axes.get_ylabel() == "NashConv (game's units)"


@pytest.mark.parametrize("given", [None, "kuhn_poker", 5])
def test_only_what_learn_returns_is_drawn(given):
    with pytest.raises(ParameterError, match=r"result=.* give what learn returns"):
        plot_learning(given)
