"""Colors, keys and the order of actions."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import infoset
from infoset.plotting import plot_frequencies, plot_hands, plot_policy
from infoset.policy import uniform_policy
from infoset.views import Explorer, action_keys, action_styles, styles_of
from tests.support.cached_games import cached_tree

GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "goofspiel(num_cards=3,imp_info=True)",
    "liars_dice(dice_sides=3)",
    "matrix_rps",
    "battleship(board_width=2,board_height=2,ship_sizes=[1],ship_values=[1],num_shots=1)",
    "bandit_tree(num_actions=9)",
)
RIVER = "nolimit_endgame(board=Ks9d8h4s2c,ranges=['AA,KK', 'QQ'],bets=[0.5,1])"


def luminance(color):
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_actions_of_betting_are_ordered_from_a_fold_to_an_all_in():
    labels = ["all-in", "bet 100", "raise 30", "bet 5", "call", "check", "fold"]
    found = action_styles(labels)
    assert [style.label for style in found] == [
        *("fold", "check", "call", "bet 5", "raise 30", "bet 100", "all-in")
    ]
    assert [style.key for style in found] == ["f", "k", "c", "1", "2", "3", "a"]
    colors = {style.label: style.color for style in found}
    assert (colors["bet 5"], colors["bet 100"]) == ("#f4b860", "#d9583f")


def test_words_of_betting_mean_nothing_else_where_nobody_bets():
    stop, fold = action_styles(["stop", "fold"])
    assert (stop.label, fold.label, fold.key) == ("stop", "fold", "f")
    assert fold.color != action_styles(["fold", "bet"])[0].color


def test_numbers_are_ordered_by_size():
    labels = ["2-1", "liar", "1-10", "1-2"]
    assert [style.label for style in action_styles(labels)] == ["1-2", "1-10", "2-1", "liar"]


def test_labels_with_an_equal_first_word_share_a_hue():
    found = {style.label: style.color for style in action_styles(["play 0", "tell R", "play 1"])}
    assert found["play 0"] == "#0072b2"
    assert luminance(found["play 1"]) > luminance(found["play 0"])
    assert contrast(found["play 0"], found["tell R"]) > 1.1


@pytest.mark.parametrize("game", [*GAMES, RIVER])
def test_actions_at_an_infostate_can_be_told_apart(game):
    is_river = game == RIVER
    form = infoset.build_public_form(game) if is_river else cached_tree(game).sequence_form
    styles = {style.label: style for style in styles_of(form)}
    assert {str(action) for actions in form.action_sets for action in actions} == styles.keys()
    keys = [style.key for style in styles.values() if style.key]
    assert len({*keys}) == len(keys)
    for actions in form.action_sets:
        shown = [styles[str(action)] for action in actions]
        assert len({style.color for style in shown}) == len(actions)
        assert all(style.key for style in shown)


@given(st.lists(st.text(min_size=1, max_size=12), max_size=60))
def test_any_labels_have_styles(labels):
    found = action_styles(labels)
    assert sorted(style.label for style in found) == sorted({*labels})
    assert all(contrast(style.color, style.ink) >= 4.5 for style in found)
    keys = [style.key for style in found if style.key]
    assert len({*keys}) == len(keys)
    assert found == action_styles(labels)


def test_the_key_that_quits_is_never_an_action():
    keys = action_keys(["qq", *(f"play {number}" for number in range(40))])
    assert "q" not in keys.values()


def test_keys_do_not_change_when_further_actions_are_met():
    keys = action_keys(["call", "raise"])
    later = action_keys(["fold", "call", "raise", "check"], keys)
    assert later == {"call": "c", "raise": "r", "fold": "f", "check": "k"}


def test_a_page_has_the_styles_of_pictures():
    tree = cached_tree("leduc_poker")
    policy = uniform_policy(tree.sequence_form)
    page = Explorer(tree, {"uniform": policy}).ask({"ask": "game"})
    assert page["actions"] == tuple(map(vars, styles_of(tree.sequence_form)))
    wanted = {style["label"]: style["color"] for style in page["actions"]}
    (legend,) = plot_policy(policy).legends
    assert named_colors(legend) == wanted
    (legend,) = plot_frequencies(["J"], [*wanted], [[0.2, 0.3, 0.5]]).legends
    assert named_colors(legend) == wanted

    river = infoset.build_public_form(RIVER)
    (legend,) = plot_hands(uniform_policy(river)).legends
    shown = {style.label: style.color for style in styles_of(river)}
    found = {text.rpartition(" ")[0]: color for text, color in named_colors(legend).items()}
    assert found == {label: shown[label] for label in ("check", "bet 50", "bet 100", "all-in")}


def named_colors(legend):
    from matplotlib.colors import to_hex

    handles = zip(legend.get_texts(), legend.legend_handles, strict=True)
    return {text.get_text(): to_hex(mark.get_facecolor()) for text, mark in handles}


def test_segments_of_a_bar_are_in_the_order_of_styles():
    policy = uniform_policy(cached_tree("leduc_poker").sequence_form)
    bars = plot_policy(policy, layout="bars").axes[0].patches
    order = [style.color for style in styles_of(policy.form)]
    from matplotlib.colors import to_hex

    places = [(bar.get_y(), bar.get_x(), order.index(to_hex(bar.get_facecolor()))) for bar in bars]
    for one, other in pairwise(sorted(places)):
        assert one[0] != other[0] or one[2] < other[2]
