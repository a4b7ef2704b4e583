"""Charts of runs for teams."""

from __future__ import annotations

import pytest

import infoset
from infoset.errors import ParameterError
from infoset.plotting import plot_team

TRADE = "trade_comm(num_items=3)"


def drawn(axes, label):
    """Return the numbers of the line with a label."""
    return next(list(line.get_ydata()) for line in axes.lines if line.get_label() == label)


def test_what_is_drawn_is_what_was_measured():
    result = infoset.solve_team(TRADE, iterations=8, restarts=3)
    above, below = plot_team(result).axes
    best = result.trace_of(result.run)
    assert drawn(above, "implementable policy") == [point.payoffs[0] for point in best]
    assert drawn(above, "relaxed policy") == [point.relaxed_payoffs[0] for point in best]
    assert list(drawn(above, "upper bound")) == [1, 1]
    assert list(below.lines[0].get_ydata()) == [point.squared_distances[0] for point in best]
    faint = [line for line in above.lines if line.get_alpha() is not None]
    assert len(faint) == 2
    assert "best of 3 runs" in above.get_title()


def test_without_relaxation_there_is_no_relaxed_line():
    for method in ("exact", "iterated-best-response"):
        above = plot_team(infoset.solve_team(TRADE, method)).axes[0]
        labels = [text.get_text() for text in above.get_legend().get_texts()]
        assert labels == ["implementable policy", "upper bound"]


@pytest.mark.broad
def test_each_team_has_its_lines():
    result = infoset.solve_team("kuhn_poker", teams=[(0,), (1,)], iterations=5)
    above = plot_team(result).axes[0]
    labels = [text.get_text() for text in above.get_legend().get_texts()]
    assert labels[::2] == ["player 0: implementable policy", "player 1: implementable policy"]
    assert drawn(above, labels[2]) == [point.payoffs[1] for point in result.trace]


def test_teams_are_named_by_their_players():
    result = infoset.solve_team(
        "kuhn_poker(players=3)", teams=[(0, 2), (1,)], rule="sum", iterations=2
    )
    labels = {text.get_text() for text in plot_team(result).axes[0].get_legend().get_texts()}
    assert labels >= {"players 0, 2: implementable policy", "player 1: relaxed policy"}


def test_only_results_are_drawn():
    with pytest.raises(ParameterError, match="solve_team"):
        plot_team("trade_comm")
