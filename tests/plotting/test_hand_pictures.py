"""Pictures of policies on public forms: squares of hands, grids and bars."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from infoset.errors import ParameterError, PolicyMismatchError, UnknownNameError
from infoset.game import PublicRulesGame
from infoset.plotting import draw, plot_hands, plot_policy
from infoset.plotting.figures import COLORS
from infoset.policy import TabularPolicy, random_policy, transfer_policy, uniform_policy
from infoset.tree import build_public_form, build_tree, derive_public_form
from infoset.views import PublicPlaces, view_hand_grid
from tests.support.cached_games import cached_tree
from tests.support.random_public_games import RandomPublicGame
from tests.support.small_holdem import SmallHoldem, small_holdem


def holdem_policy():
    form = small_holdem()
    rng = np.random.default_rng(1)
    weights = [rng.uniform(0.1, 1, plex.num_sequences) for plex in form.treeplexes]
    return TabularPolicy.from_weights(form, weights)


def test_the_bars_of_a_square_are_probabilities_of_classes_and_actions():
    policy = holdem_policy()
    figure = plot_hands(policy, "k")
    axes = figure.axes[0]
    assert len(axes.texts) == 13 * 13
    assert axes.get_title().startswith("player 1 acts after k, reached in ")
    node = policy.form.children[0, "k"]
    grid = view_hand_grid(PublicPlaces(policy.form, policy), node, 1)
    # The bar of kings is in the second cell of the diagonal.
    bars = [
        bar
        for bar in axes.patches
        if 1 < bar.get_x() < 2 and 1 < bar.get_y() < 2 and to_hex(bar.get_facecolor()) in COLORS
    ]
    kings = grid.cells[1][1]
    assert kings.label == "KK"
    widths = np.array([bar.get_width() for bar in bars])
    assert widths / widths.sum() == pytest.approx(kings.actions)
    assert [to_hex(bar.get_facecolor()) for bar in bars] == list(COLORS[:2])
    cells = [cell for row in grid.cells for cell in row if cell.num_hands]
    largest = max(cell.probability / cell.num_hands for cell in cells)
    tallest = max(bar.get_height() for bar in axes.patches if to_hex(bar.get_facecolor()) in COLORS)
    expected = kings.probability / kings.num_hands / largest
    assert bars[0].get_height() / tallest == pytest.approx(expected)
    legend = [text.get_text() for text in figure.legends[0].get_texts()]
    mean = sum(cell.probability * cell.actions[0] for cell in cells)
    assert legend == [f"k {mean:.1%}", f"b {1 - mean:.1%}"]


def test_a_player_who_waits_has_bars_of_one_color():
    figure = plot_hands(holdem_policy(), "k", player=0, title="mine")
    assert figure.get_suptitle() == "mine"
    assert figure.axes[0].get_title().startswith("player 0 waits after k")
    colors = {to_hex(bar.get_facecolor()) for bar in figure.axes[0].patches}
    assert colors == {"#8a8a8a", "#f0f0f0"}


def test_policies_on_public_forms_are_drawn_as_those_of_trees():
    form = derive_public_form(cached_tree("leduc_poker"))
    policy = uniform_policy(form)
    figure = plot_policy(policy, max_rows=2)
    assert [axes.get_title() for axes in figure.axes] == [
        "player 0 (2 of 93 public states)",
        "player 1 (2 of 93 public states)",
    ]
    assert {text.get_text() for text in figure.axes[0].get_xticklabels()} == {
        "Js", "Jh", "Qs", "Qh", "Ks", "Kh"
    }  # fmt: skip
    bars = plot_policy(policy, layout="bars", max_rows=2)
    assert bars.axes[0].get_yticklabels()[0].get_text() == "[Js]"
    assert len(bars.axes[0].get_yticklabels()) == 2


@pytest.mark.broad
def test_policies_on_hands_of_two_cards_are_drawn_as_squares_or_bars():
    square = plot_policy(holdem_policy(), line="b / k / Kh")
    assert square.axes[0].get_title().startswith("player 0 acts after b / k / Kh")
    assert len(plot_policy(holdem_policy(), layout="bars").axes) == 2


@pytest.mark.broad
def test_draw_has_lines_of_public_policies(tmp_path):
    form = derive_public_form(cached_tree("leduc_poker"))
    policy = uniform_policy(form)
    draw("leduc_poker", "policy", policy=policy, max_nodes=3).save(tmp_path / "grid.svg")
    assert (tmp_path / "grid.svg").read_text().count("Qh") >= 2
    picture = draw("leduc_poker", "public", policy=policy, depth=2)
    assert len(picture.pictures[0].nodes) == 4


@pytest.mark.broad
def test_policies_on_sequence_forms_are_drawn_for_readers():
    game = PublicRulesGame(SmallHoldem("AKQ"), "tiny_holdem")
    tree = build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(1))
    by_hand = transfer_policy(policy, build_public_form(game))
    wanted = plot_hands(by_hand, "k").axes[0]
    for source in (game, tree):
        axes = draw(source, "policy", policy=policy, line="k").figure().axes[0]
        assert axes.get_title() == wanted.get_title()
        assert [bar.get_bbox().bounds for bar in axes.patches] == [
            pytest.approx(bar.get_bbox().bounds) for bar in wanted.patches
        ]
    for shown in (policy, by_hand):
        rows = plot_policy(shown, layout="bars", max_rows=16).axes[1].get_yticklabels()
        hands, lines = zip(*(row.get_text().split(" / ") for row in rows), strict=True)
        assert lines == ("k",) * 15 + ("b",)
        assert hands[1] == "[AhKh]", "one suit comes first"
        assert [hand[1] + hand[3] for hand in hands] == [
            "AA",
            *4 * ["AK"],
            *4 * ["AQ"],
            "KK",
            *4 * ["KQ"],
            "QQ",
            "AA",
        ]


def test_likely_mistakes():
    policy = holdem_policy()
    with pytest.raises(UnknownNameError, match="line"):
        plot_hands(policy, "fly")
    with pytest.raises(ParameterError, match="no player 2"):
        plot_hands(policy, player=2)
    kuhn = uniform_policy(derive_public_form(cached_tree("kuhn_poker")))
    with pytest.raises(ParameterError, match=r"holds 'J'.*plot_policy"):
        plot_hands(kuhn)
    with pytest.raises(ParameterError, match="leave line out"):
        plot_policy(kuhn, line="pass")
    with pytest.raises(PolicyMismatchError, match=r"small_holdem, not for kuhn_poker"):
        draw("kuhn_poker", "policy", policy=policy)
    with pytest.raises(ParameterError, match="view='policy'"):
        draw("kuhn_poker", "public", line="pass")
    with pytest.raises(ParameterError, match="TabularPolicy"):
        plot_hands(build_tree(RandomPublicGame(1)))
