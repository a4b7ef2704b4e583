"""Bars of a policy: one for each infostate, which sum to one."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from infoset.errors import ParameterError
from infoset.plotting import plot_policy
from infoset.policy import TabularPolicy, uniform_policy
from tests.support.cached_games import cached_tree


def bars(axes):
    """Return, for each row, the widths and opacities of its bars from the left."""
    rows: dict[int, list[tuple[float, float, float]]] = {}
    for bar in axes.patches:
        assert isinstance(bar, Rectangle)
        place = round(bar.get_y() + bar.get_height() / 2)
        rows.setdefault(place, []).append((bar.get_x(), bar.get_width(), bar.get_alpha()))
    return {place: sorted(found) for place, found in rows.items()}


def pure(form, index):
    """Return the policy that takes the action with an index everywhere."""
    weights = []
    for plex in form.treeplexes:
        own = [1.0] + [0.0] * (plex.num_sequences - 1)
        for first, count in zip(plex.first_sequence, plex.num_actions, strict=True):
            own[first + min(index, count - 1)] = 1.0
        weights.append(own)
    return TabularPolicy.from_weights(form, [np.array(own) for own in weights])


def test_each_row_is_an_infostate_with_its_probabilities():
    form = cached_tree("kuhn_poker").sequence_form
    policy = uniform_policy(form)
    panels = plot_policy(policy).axes
    for player, axes in enumerate(panels):
        rows = [row for row in policy.sorted_rows() if row.player == player]
        assert [text.get_text() for text in axes.get_yticklabels()] == [r.infostate for r in rows]
        for place, row in enumerate(rows):
            widths = [width for _, width, _ in bars(axes)[place]]
            assert widths == pytest.approx(row.probabilities.tolist())
            assert sum(widths) == pytest.approx(1)


def test_infostates_off_the_own_path_are_pale():
    form = cached_tree("kuhn_poker").sequence_form
    policy = pure(form, 1)  # bets first, so that it never answers a bet
    rows = [row for row in policy.rows() if row.player == 0]
    for place, row in enumerate(rows):
        (_, _, opacity), *_ = bars(plot_policy(policy).axes[0])[place]
        assert (opacity == 1.0) == (row.own_reach > 0)
    assert {row.own_reach for row in rows} == {0.0, 1.0}


def test_many_infostates_and_long_names_are_cut():
    form = cached_tree("leduc_poker").sequence_form
    figure = plot_policy(uniform_policy(form), title="a title", max_infostates=400)
    axes = figure.axes[1]
    assert axes.get_title() == "player 1 (400 of 468)"
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert len(names) == 400
    assert max(map(len, names)) <= 36
    assert {len(name) for name in names if "…" in name} == {31}
    assert all(name.startswith("[") for name in names), "the card is always shown"
    assert figure.get_suptitle() == "a title"


def test_players_who_never_act_have_no_panel():
    form = cached_tree("bandit_tree").sequence_form
    assert len(plot_policy(uniform_policy(form)).axes) == 1


def test_wrong_arguments():
    policy = uniform_policy(cached_tree("kuhn_poker").sequence_form)
    with pytest.raises(ParameterError, match="max_infostates"):
        plot_policy(policy, max_infostates=0)
    with pytest.raises(ParameterError, match="policy"):
        plot_policy("uniform")
