"""Pictures of a policy: bars that sum to one at each infostate, and tables of hands."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from infoset.efg import decision, extensive_form_from_nodes
from infoset.efg import terminal as end
from infoset.errors import ParameterError, UnknownNameError
from infoset.plotting import plot_policy, save_figure
from infoset.plotting.policy_grids import find_grids
from infoset.policy import TabularPolicy, random_policy, uniform_policy
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
    panels = plot_policy(policy, layout="bars").axes
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
        (_, _, opacity), *_ = bars(plot_policy(policy, layout="bars").axes[0])[place]
        assert (opacity == 1.0) == (row.own_reach > 0)
    assert {row.own_reach for row in rows} == {0.0, 1.0}


def cells(axes):
    """Return, for each row and column, the widths of its bars from the left."""
    found: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for bar in axes.patches:
        place = round(bar.get_y() + bar.get_height() / 2), int(bar.get_x())
        found.setdefault(place, []).append((bar.get_x(), bar.get_width()))
    return {place: [width for _, width in sorted(parts)] for place, parts in found.items()}


def test_card_games_are_tables_of_hands_by_public_states():
    form = cached_tree("kuhn_poker").sequence_form
    policy = random_policy(form, np.random.default_rng(3))
    first, second = plot_policy(policy).axes
    assert [text.get_text() for text in first.get_xticklabels()] == ["J", "Q", "K"]
    assert [text.get_text() for text in first.get_yticklabels()] == ["∅", "pass / bet"]
    assert [text.get_text() for text in second.get_yticklabels()] == ["pass", "bet"]
    places = {"[J]": (0, 0), "[K]": (0, 2), "[Q] / pass / bet": (1, 1)}
    found = cells(first)
    assert len(found) == 6
    for label, place in places.items():
        expected = [*policy[label, 0].values()]
        assert np.array(found[place]) / sum(found[place]) == pytest.approx(expected)


def test_a_hand_that_is_impossible_has_no_cell():
    form = cached_tree("leduc_poker").sequence_form
    grid, _ = find_grids(uniform_policy(form))
    assert grid.hands == ("Js", "Jh", "Qs", "Qh", "Ks", "Kh")
    assert len(grid.public_states) == 93
    assert len(grid.cells) == 468
    public = grid.public_states.index("call / call / Qs")
    assert {column for column in range(6) if (public, column) not in grid.cells} == {2}
    for (row, column), cell in grid.cells.items():
        card, *steps = cell.infostate.split(" / ")
        assert card == f"[{grid.hands[column]}]"
        assert (" / ".join(steps) or "∅") == grid.public_states[row]


@pytest.mark.parametrize(
    "name",
    [
        "matrix_rps",  # a player with nothing in its hand
        "goofspiel(num_cards=3,imp_info=True)",  # hidden actions only
        "phantom_ttt(num_rows=2,num_cols=2,line_length=2)",  # knowledge that grows
        "bandit_tree",
    ],
)
def test_other_games_are_bars(name):
    policy = uniform_policy(cached_tree(name).sequence_form)
    assert find_grids(policy) == ()
    axes = plot_policy(policy, layout="grid").axes[0]
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == [row.infostate for row in policy.sorted_rows() if row.player == 0][:24]


@pytest.mark.broad
def test_many_infostates_are_cut():
    policy = uniform_policy(cached_tree("leduc_poker").sequence_form)
    figure = plot_policy(policy, title="a title", max_rows=40, layout="bars")
    axes = figure.axes[1]
    assert axes.get_title() == "player 1 (40 of 468)"
    assert len(axes.get_yticklabels()) == 40
    assert figure.get_suptitle() == "a title"
    table = plot_policy(policy, max_rows=5).axes[0]
    assert table.get_title() == "player 0 (5 of 93 public states)"
    assert {row for row, _ in cells(table)} == {0, 1, 2, 3, 4}


def test_long_names_lose_whole_steps(monkeypatch):
    monkeypatch.setattr("infoset.plotting.policy_bars.LABEL_LENGTH", 20)
    policy = uniform_policy(cached_tree("leduc_poker").sequence_form)
    axes = plot_policy(policy, max_rows=50, layout="bars").axes[0]
    rows = [row.infostate for row in policy.sorted_rows() if row.player == 0][:50]
    names = [text.get_text() for text in axes.get_yticklabels()]
    cut = [name for name, row in zip(names, rows, strict=True) if name != row]
    assert len(cut) == sum(len(row) > 20 for row in rows) > 0
    assert max(map(len, names)) <= 20
    for name, row in zip(names, rows, strict=True):
        first, *last = name.split(" / … / ")
        assert row.startswith(first)
        assert row.endswith(f" / {last[0]}" if last else row)


@pytest.mark.parametrize("layout", ["bars", "grid"])
def test_names_of_actions_are_inside_their_bars(layout):
    form = cached_tree("leduc_poker").sequence_form
    figure = plot_policy(random_policy(form, np.random.default_rng(0)), layout=layout, max_rows=6)
    figure.draw_without_rendering()
    named = 0
    for axes in figure.axes:
        for text in axes.texts:
            box = text.get_window_extent()
            middle = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
            (bar,) = [bar for bar in axes.patches if bar.get_window_extent().contains(*middle)]
            around = bar.get_window_extent()
            assert around.x0 <= box.x0 < box.x1 <= around.x1, text.get_text()
            named += 1
    assert named > 10


def test_the_legend_names_colors_and_pale_bars():
    form = cached_tree("kuhn_poker").sequence_form

    def legend(policy):
        (found,) = plot_policy(policy).legends
        return [text.get_text() for text in found.get_texts()]

    assert legend(uniform_policy(form)) == ["pass", "bet"]
    assert legend(pure(form, 1)) == ["pass", "bet", "pale: not reached by own actions"]
    many = uniform_policy(cached_tree("bandit_tree(depth=1,num_actions=16)").sequence_form)
    assert not plot_policy(many).legends, "too many"


def test_players_who_never_act_have_no_panel():
    form = cached_tree("bandit_tree").sequence_form
    assert len(plot_policy(uniform_policy(form)).axes) == 1


def test_wrong_arguments():
    policy = uniform_policy(cached_tree("kuhn_poker").sequence_form)
    with pytest.raises(ParameterError, match="max_rows"):
        plot_policy(policy, max_rows=0)
    with pytest.raises(UnknownNameError, match="did you mean bars"):
        plot_policy(policy, layout="bar")
    with pytest.raises(ParameterError, match="policy"):
        plot_policy("uniform")


def test_labels_with_control_characters(tmp_path):
    """The names of rows are labels of ticks, which are set again when they are drawn."""
    form = extensive_form_from_nodes(
        decision(0, "I\x1b[2J", {"bell\x07": end(1, -1), "other": end(-1, 1)})
    )
    figure = plot_policy(uniform_policy(form.sequence_form), layout="bars")
    save_figure(figure, tmp_path / "a.png")  # a character without a glyph is a warning
    save_figure(figure, tmp_path / "a.svg")
    texts = [*ElementTree.parse(tmp_path / "a.svg").getroot().itertext()]
    assert any(r"I\x1b[2J" in text for text in texts)
    assert any(r"bell\x07" in text for text in texts)
