"""Published figures of spots of no-limit hold'em: infoset's are within the stated tolerances."""

from __future__ import annotations

import re

import published_spots
import pytest
from report import replace_part

import infoset
from infoset.tree import count_public_form

SPOTS, GAPS = published_spots.load_spots()
RESULTS = published_spots.load_results()
MARKS = {"default": (), "broad": (pytest.mark.broad,), "long": (pytest.mark.long,)}


def compare(spot, found):
    """Check each figure of a spot; return how many of them can be checked."""
    checked = 0
    for figure, number in zip(spot["figures"], found["figures"], strict=True):
        bound = published_spots.allowed(figure, found["exploitability"])
        if bound is not None:
            assert number == pytest.approx(figure["published"], abs=bound, rel=0), figure
            checked += 1
    return checked


@pytest.mark.parametrize(
    "spot", [pytest.param(s, marks=MARKS[s["cost"]], id=s["name"]) for s in SPOTS]
)
def test_infoset_finds_what_others_have_published(spot):
    found = published_spots.solved(spot)
    target = spot.get("target", published_spots.TARGET)
    assert found["exploitability"] <= target * published_spots.game_of(spot).pot
    assert compare(spot, found) > 0


@pytest.mark.broad
def test_the_small_flop_has_another_value_without_its_all_in_threshold():
    """The page says so: the threshold of a source is part of its tree."""
    spot = next(spot for spot in SPOTS if spot["name"] == "Flop, small")
    changed = {**spot, "tree": spot["tree"].replace("all_in=0.67", "all_in=1.0")}
    assert published_spots.game_of(changed) != published_spots.game_of(spot)
    value = published_spots.solved(changed)["figures"][1]
    shown = f"has the value {value:.2f}".replace("-", "−")
    assert shown in published_spots.PAGE.read_text("utf-8").replace("\n", " ")


def test_stored_results_agree_with_the_published_figures():
    assert RESULTS.keys() == {spot["name"] for spot in SPOTS}
    assert all(compare(spot, RESULTS[spot["name"]]) > 0 for spot in SPOTS)


def test_the_page_equals_the_stored_results():
    page = published_spots.PAGE.read_text("utf-8")
    part = published_spots.page_part(RESULTS)
    assert replace_part(page, "published_spots.py", part) == page, (
        "run python benchmarks/published_spots.py --write"
    )


def test_every_spot_names_its_source_and_date():
    for entry in [*SPOTS, *GAPS]:
        assert re.search(r"\d{4}|post \d+", entry["source"]), entry["name"]
    assert all("url" in entry for entry in GAPS)


def test_a_large_tree_has_the_published_number_of_nodes():
    """The README and `milestone4.toml` of postflop (ucsandman): 830k nodes."""
    game = infoset.load(
        "nolimit_endgame(board=QsJh2h,pot=6,stack=97,bets='flop: 33%, 75%; turn: 75%; river: 75%, "
        "a; donk: none',raises='flop: 60%; turn river: none',max_raises=3,all_in=0.67,chip=0.01,"
        "ranges=[AA;KK])"
    )
    assert published_spots.count_nodes(game)["nodes"] == 830_442


def test_the_page_says_by_how_much_a_tree_is_missed():
    """The benchmark of GTOpen, `bench_spot.json`, with donk bets by the previous street only."""
    game = infoset.load(
        "nolimit_endgame(board=Ks7h2d,pot=60,stack=970,bets='flop: 33%; flop ip: 33%, 75%; turn "
        "river: 75%; donk: none',raises=60%,max_raises=11,all_in=0.85,chip=0.01,ranges=[AA;KK])"
    )
    decisions = published_spots.count_nodes(game)["decisions"]
    assert any(f"{decisions:,} decision nodes" in gap["missing"] for gap in GAPS)


@pytest.mark.parametrize("board", ["Ks9d8h4s2c", "Ks9d8h4s"])
def test_nodes_are_counted_as_public_forms_count_them(board):
    # Ranges that favor suits, so that the public form merges none.
    spec = f"nolimit_endgame(board={board},bets='50%, a',ranges=['AhKd,QcJs';'AcKh,QdJc'])"
    game = infoset.load(spec)
    counted, form = published_spots.count_nodes(game), infoset.build_public_form(game)
    counts = count_public_form(game.public_rules())
    assert counted["nodes"] == counts.nodes + counts.ends
    assert counted["decisions"] == sum(len(own) for own in form.decisions)
    assert counted["decisions"] + counted["chance"] == counts.nodes


@pytest.mark.parametrize(
    ("figure", "bound"),
    [
        ({"what": "value", "published": 5.361, "exploitability": 0.029}, 0.06 + 0.0005),
        ({"what": "value", "published": 19.0, "within": 0.1}, 0.1),
        ({"what": "frequency", "published": 0.5}, 0.01),
        ({"what": "nodes", "published": 9}, 0.0),
        ({"what": "frequency", "published": 0.5, "free": True}, None),
    ],
)
def test_tolerances(figure, bound):
    found = published_spots.allowed(figure, 0.001)
    assert found == (bound if bound is None else pytest.approx(bound))
