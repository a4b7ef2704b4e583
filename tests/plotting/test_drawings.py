"""Contents of drawings: nodes, labels, regions and widths, without overlaps."""

from __future__ import annotations

import sys
from itertools import combinations, pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import infoset
from infoset.efg import (
    as_game,
    build_extensive_form,
    chance,
    decision,
    extensive_form_from_nodes,
    forget_non_acting,
)
from infoset.efg import terminal as end
from infoset.errors import (
    MissingExtraError,
    ParameterError,
    PolicyMismatchError,
    UnknownNameError,
    UnsupportedGameError,
)
from infoset.games import load_game
from infoset.plotting import draw
from infoset.plotting.pen import SHAPES, mark_of, text_width
from infoset.policy import random_policy
from tests.plotting.svg_reader import Svg
from tests.support.hypothesis_strategies import random_games

pytestmark = pytest.mark.broad

VIEWS = ["history", "infostate", "public"]


@pytest.fixture(scope="module")
def kuhn():
    return Svg(draw("kuhn_poker").svg())


def text_boxes(svg):
    """Return a box for every text, slightly smaller than its letters."""
    for text, x, y, size, bold, anchor in svg.text_places():
        width = text_width(text, size, bold) / 1.04
        left = x - width / 2 if anchor == "middle" else x
        yield text, left, y - 0.7 * size, left + width, y


def overlap(one, other):
    _, left, top, right, bottom = one
    _, other_left, other_top, other_right, other_bottom = other
    return left < other_right and other_left < right and top < other_bottom and other_top < bottom


def assert_readable(svg):
    boxes = sorted(text_boxes(svg), key=lambda box: box[2])
    width, height = svg.size
    for text, left, top, right, bottom in boxes:
        assert left >= 0, text
        assert top >= 0, text
        assert right <= width, text
        assert bottom <= height, text
    for one, other in combinations(boxes, 2):
        assert not overlap(one, other), f"{one[0]!r} lies on {other[0]!r}"


def test_every_history_of_kuhn_poker_has_its_mark_and_labels(kuhn):
    assert len(kuhn.ids(r"history-\d+-actor--?\d+")) == 55
    assert len(kuhn.ids(r"history-\d+-edge")) == 54
    assert len(kuhn.ids(r"history-\d+-step")) == 54
    assert len(kuhn.ids(r"history-region-\d+")) == 25
    assert len(kuhn.ids(r"history-\d+-infoset-0")) == 6 * 3, "of three cards at six places"
    assert kuhn.texts(r"history-1-(step|actor-0-label|cell-\d|note)") == [
        "[J | Q]  1/6",
        "0",
        "J",
        "Q",
    ]
    assert kuhn.texts(r"history-54-(step|cell-\d|note)") == ["bet", "K", "Q", "+2, −2"]
    assert kuhn.text("history-title").startswith("kuhn_poker")


def test_players_chance_and_terminals_have_different_shapes(kuhn):
    def shape(name):
        (use,) = kuhn.groups[name].iter("{http://www.w3.org/2000/svg}use")
        return use.attrib["{http://www.w3.org/1999/xlink}href"]

    kinds = {
        pattern: {shape(name) for name in kuhn.ids(rf"history-\d+-actor-{pattern}")}
        for pattern in ("0", "1", "-1", "-2")
    }
    assert all(len(shapes) == 1 for shapes in kinds.values())
    assert len(set.union(*kinds.values())) == 4
    assert kuhn.texts(r"history-7-actor-\d-label") == ["1"], "the number of the player is inside"
    dashes = {kuhn.style(name, "stroke-dasharray") for name in kuhn.ids(r"legend-infoset-\d")}
    assert len(dashes) == 2
    assert len({(mark_of(p).sides, mark_of(p).turn) for p in range(len(SHAPES))}) == len(SHAPES)


def test_histories_stand_inside_the_region_of_their_public_state_and_of_no_other(kuhn):
    picture = draw("kuhn_poker").pictures[0]
    boxes = [
        (min(xs), min(ys), max(xs), max(ys))
        for number in range(25)
        for xs, ys in [zip(*kuhn.points(f"history-region-{number}"), strict=True)]
    ]
    for number, region in enumerate(picture.regions):
        for node in region.nodes:
            (mark,) = kuhn.ids(rf"history-{node}-actor-.*(?<!label)")
            x, y = kuhn.marker(mark)
            around = [
                other
                for other, (left, top, right, bottom) in enumerate(boxes)
                if left < x < right and top < y < bottom
            ]
            assert around == [number]
    for one, other in combinations(boxes, 2):
        assert not overlap(("", *one), ("", *other))


def test_dots_of_an_infoset_stand_beside_its_histories(kuhn):
    picture = draw("kuhn_poker").pictures[0]
    for group in picture.infosets:
        name = f"history-{group.nodes[0]}-infoset-{group.player}"
        dots = [
            float(use.attrib["y"])
            for use in kuhn.groups[name].iter("{http://www.w3.org/2000/svg}use")
        ]
        marks = [
            kuhn.marker(kuhn.ids(rf"history-{node}-actor-.*(?<!label)")[0])[1]
            for node in group.nodes
        ]
        assert dots == pytest.approx(marks)


def test_views_have_the_names_that_tables_use():
    for plural, view in (("histories", "history"), ("infostates", "infostate")):
        assert draw("matrix_mp", plural).svg() == draw("matrix_mp", view).svg()
    with pytest.raises(UnknownNameError, match="did you mean history"):
        draw("matrix_mp", "historys")


@pytest.mark.parametrize("view", VIEWS)
def test_children_stand_below_each_other_in_the_order_of_the_moves(view):
    drawing = draw("kuhn_poker", view)
    (picture,), svg = drawing.pictures, Svg(drawing.svg())
    heights = {}
    for number, node in enumerate(picture.nodes):
        (mark,) = svg.ids(rf"{view}-{number}-actor-.*(?<!label)")
        heights.setdefault(node.parent, []).append((node.rank, svg.marker(mark)[1]))
    for of_siblings in heights.values():
        for (rank, y), (other_rank, other_y) in combinations(of_siblings, 2):
            assert rank == other_rank or (rank < other_rank) == (y < other_y)


def test_infosets_that_overlap_have_lines_of_their_own(kuhn):
    lines = []
    for name in kuhn.ids(r"history-\d+-infoset-\d"):
        xs, ys = zip(*kuhn.points(name), strict=True)
        lines.append((min(xs), min(ys), max(ys)))
    for (x, top, bottom), (other_x, other_top, other_bottom) in combinations(lines, 2):
        assert x != other_x or bottom < other_top or other_bottom < top


def test_edges_end_at_the_nodes_they_join(kuhn):
    picture = draw("kuhn_poker").pictures[0]
    for node in range(1, 55):
        places = {
            at: kuhn.marker(kuhn.ids(rf"history-{at}-actor-.*(?<!label)")[0])
            for at in (node, picture.nodes[node].parent)
        }
        points = kuhn.points(f"history-{node}-edge")
        assert points[0][1] == pytest.approx(places[picture.nodes[node].parent][1])
        assert points[-1][1] == pytest.approx(places[node][1])
        assert places[picture.nodes[node].parent][0] < points[0][0] < points[-1][0]
        assert points[-1][0] < places[node][0]


def test_with_a_policy_edges_are_as_wide_as_they_are_probable():
    policy = infoset.solve("kuhn_poker", "lp").policy
    drawing = draw("kuhn_poker", policy=policy)
    svg = Svg(drawing.svg())
    nodes = drawing.pictures[0].nodes
    drawn = [
        (node.step.probability, svg.width(f"history-{number}-edge"))
        for number, node in enumerate(nodes)
        if node.parent >= 0 and node.step.probability
    ]
    for (low, thin), (high, wide) in pairwise(sorted(drawn)):
        assert (thin < wide) == (low < high) or low == pytest.approx(high)
    never = [n for n, node in enumerate(nodes) if node.step.probability == 0]
    assert never
    for number in never:
        assert svg.style(f"history-{number}-edge", "stroke-dasharray")
        assert svg.text(f"history-{number}-step").endswith("  0")
    assert svg.text("legend-probability-text") == "probability 1, 1/2, 0"
    assert "  0.67" in "".join(svg.texts(r"history-\d+-step"))


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize(
    "game",
    [
        "kuhn_poker",
        "goofspiel(num_cards=3,imp_info=True)",
        pytest.param("leduc_poker", marks=pytest.mark.long),
    ],
)
def test_no_text_lies_on_another(game, view):
    assert_readable(Svg(draw(game, view, policy="uniform", max_nodes=80).svg()))


@settings(max_examples=5)
@given(random_games(max_histories=60), st.sampled_from([*VIEWS, "all"]))
def test_every_random_game_is_drawn_and_readable(game, view):
    tree = infoset.build_tree(game)
    policy = random_policy(tree.sequence_form, np.random.default_rng(0))
    drawing = draw(tree, view, player=game.num_players - 1, policy=policy, max_nodes=40)
    svg = Svg(drawing.svg())
    assert_readable(svg)
    for picture in drawing.pictures:
        assert len(svg.ids(rf"{picture.kind}-\d+-edge")) == len(picture.nodes) - 1
        assert len(svg.ids(rf"{picture.kind}-region-\d+")) == len(picture.regions)
        if picture.remark:
            assert svg.text(f"{picture.kind}-remark") == picture.remark


def test_the_mark_of_own_actions_is_explained_where_it_occurs():
    ships = "battleship(board_width=2,board_height=1,ship_sizes=[1],ship_values=[1],num_shots=1)"
    explained = [Svg(draw(game).svg()).ids("legend-own-action") for game in (ships, "kuhn_poker")]
    assert [len(found) for found in explained] == [1, 0]


def test_all_views_on_one_sheet_share_a_legend():
    drawing = draw("kuhn_poker", "all", player=1)
    assert [picture.kind for picture in drawing.pictures] == ["public", "infostate", "history"]
    assert drawing.pictures[1].title == "kuhn_poker: infostates of player 1"
    svg = Svg(drawing.svg())
    tops = [svg.marker(f"{kind}-0-actor-{who}")[1] for kind, who in TOPS]
    assert tops == sorted(tops)
    assert svg.text("legend-actor--3-text") == "does not act"
    assert len(svg.ids("legend-region")) == 1
    assert_readable(svg)


TOPS = [("public", -1), ("infostate", -3), ("history", -1)]


def test_the_same_game_gives_the_same_bytes(tmp_path):
    begins = {"svg": b"<?xml", "png": b"\x89PNG", "PDF": b"%PDF"}
    for suffix, begin in begins.items():
        files = [tmp_path / f"{number}.{suffix}" for number in range(2)]
        for file in files:
            draw("matrix_mp", policy="uniform").save(file)
        assert files[0].read_bytes() == files[1].read_bytes()
        assert files[0].read_bytes().startswith(begin)


def test_labels_that_are_long_or_have_control_characters(tmp_path):
    """SVG allows no control characters, and images have a largest size."""
    moves = ["x" * 50_000, "bell\x07\nline"]
    form = extensive_form_from_nodes(decision(0, "I", {move: end(1, -1) for move in moves}))
    drawing = draw(form)
    texts = "".join(ElementTree.fromstring(drawing.svg()).itertext())
    assert r"bell\x07 line" in texts
    drawing.save(tmp_path / "a.png")


def test_formats(tmp_path):
    drawing = draw("matrix_mp")
    drawing.save(tmp_path / "a.svg")
    assert drawing._repr_svg_() == drawing.svg() == (tmp_path / "a.svg").read_text("utf-8")
    assert "'DejaVu Sans', Verdana, sans-serif" in drawing.svg()
    with pytest.raises(ParameterError, match=r"'a.gif'; use a name that ends in .svg"):
        drawing.save("a.gif")
    with pytest.raises(ParameterError, match="no folder"):
        drawing.save(tmp_path / "nowhere" / "a.svg")


def test_the_picture_counts_omitted_histories():
    svg = Svg(draw("leduc_poker", depth=2).svg())
    assert svg.text("history-remark") == "… 9,360 more histories below depth 2"
    assert set(svg.texts(r"history-\d+-note")) == {"…"}
    assert "history-remark" not in Svg(draw("matrix_mp").svg()).groups


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"view": "tree"}, UnknownNameError, "unknown view 'tree'"),
        ({"player": 2}, ParameterError, "no player 2; kuhn_poker has players 0 to 1"),
        ({"player": -1}, ParameterError, "no player -1"),
        ({"depth": -1}, ParameterError, "depth=-1"),
        ({"max_nodes": 0}, ParameterError, "max_nodes=0"),
    ],
)
def test_invalid_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        draw("kuhn_poker", **arguments)


def test_a_policy_of_another_game_is_refused():
    policy = infoset.uniform_policy(infoset.build_tree(load_game("matrix_mp")).sequence_form)
    with pytest.raises(PolicyMismatchError):
        draw("kuhn_poker", policy=policy)


def test_without_pygraphviz_the_error_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'infoset\[draw\]'"):
        draw("kuhn_poker").svg()


def test_a_classical_form_has_the_infosets_of_the_acting_player():
    tree = infoset.build_tree(load_game("kuhn_poker"))
    form = forget_non_acting(build_extensive_form(load_game("kuhn_poker")))
    drawing = draw(form)
    (picture,) = drawing.pictures
    svg = Svg(drawing.svg())
    assert_readable(svg)
    assert len(picture.nodes) == tree.num_histories
    assert picture.regions == ()
    assert len(picture.infosets) == 12
    for group in picture.infosets:
        assert {picture.nodes[node].actors for node in group.nodes} == {(group.player,)}
        assert len({picture.nodes[node].cells[group.player] for node in group.nodes}) == 1
    assert svg.text("legend-knower-0-text") == "an infoset of player 0"


def test_an_augmented_form_looks_like_its_game():
    of_game = draw("kuhn_poker").pictures[0]
    of_form = draw(build_extensive_form(load_game("kuhn_poker"))).pictures[0]
    assert [node.parent for node in of_form.nodes] == [node.parent for node in of_game.nodes]
    assert [node.note for node in of_form.nodes] == [node.note for node in of_game.nodes]
    assert set(of_form.infosets) == set(of_game.infosets)
    assert [region.nodes for region in of_form.regions] == [r.nodes for r in of_game.regions]


@settings(max_examples=5)
@given(random_games(max_histories=60, simultaneous_share=st.just(0.0)), st.integers(0, 9))
def test_shares_of_a_form_multiply_to_its_reach(game, seed):
    form = forget_non_acting(build_extensive_form(game))
    policy = random_policy(form.sequence_form, np.random.default_rng(seed))
    reach = []
    for node in draw(form, policy=policy, max_nodes=10**6).pictures[0].nodes:
        reach.append(1.0 if node.parent < 0 else reach[node.parent] * node.step.probability)
    values = np.array(reach)[form.terminals] @ form.utility[form.terminals]
    assert values == pytest.approx(np.array(infoset.evaluate(policy).values), abs=1e-9)


def test_an_infoset_of_several_depths_is_joined_by_a_curve():
    late = decision(1, "B", {"u": end(1, -1), "v": end(0, 0)})
    early = decision(0, "A", {"x": end(1, 0), "y": end(3, 0)})
    root = chance(
        {
            "a": (0.5, decision(0, "A", {"x": end(1, 0), "y": late})),
            "b": (0.5, decision(1, "B", {"u": early, "v": end(1, 2)})),
        }
    )
    svg = Svg(draw(extensive_form_from_nodes(root, name="crossed")).svg())
    assert sorted(svg.ids(r"history-\d+-infoset-\d-\d+")) == [
        "history-1-infoset-0-5",
        "history-2-infoset-1-4",
    ]
    assert_readable(svg)


def test_a_form_is_not_given_views_that_it_does_not_have():
    form = forget_non_acting(build_extensive_form(load_game("kuhn_poker")))
    with pytest.raises(UnsupportedGameError, match="as_game"):
        draw(form, "public")
    assert len(draw(as_game(form), "infostate").pictures[0].nodes) > 12
