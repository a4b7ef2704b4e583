"""Times of every method: their computation, and agreement of the pages with saved results."""

from __future__ import annotations

from math import inf

import method_times
import pytest
from comparison import method_tables, ours

from infoset.games import load_game
from infoset.regret import SCHEMES
from infoset.solvers import FIRST_ORDER, METHODS
from infoset.tree import build_tree

pytestmark = pytest.mark.benchmarks

GAME = {"game": "kuhn", "histories": 55, "build": 1.0, "limit": 3.0}


def row(method, *times, **others):
    known = dict(zip(method_times.KEYS, times, strict=True))
    return {"game": "kuhn", "method": method, **known, "spent": 3.0, "gap": 2e-7, **others}


def cells_of(*found):
    return {(one["game"], one["method"]): one for one in found}


CELLS = cells_of(
    row("auto", 0.5, 0.5, None, chosen="lp lp cfr+"),
    row("cfr+", 0.25, None, None),
    row("dcfr", 0.75, 4.0, None),
    {"game": "kuhn", "method": "omd", "failure": "2 players only"},
)


THREE = {("leduc_3p", "lp"): {"game": "leduc_3p", "method": "lp", "failure": "2 players only"}}


@pytest.fixture(scope="module")
def kuhn():
    return build_tree(load_game("kuhn_poker"))


def test_auto_is_run_for_every_target_and_others_once(kuhn, monkeypatch):
    solved, solve = [], ours.solve

    def note(tree, method, limit, target, far):
        solved.append((method, target))
        return solve(tree, method, limit, target, far)

    monkeypatch.setattr(ours, "solve", note)
    for method in ("auto", "pcfr+"):
        result = ours.our_run(kuhn, method, 1.0, 30.0)
        assert all(0 < result["seconds"][key] <= 30 for key in method_times.KEYS)
    assert solved == [*(("auto", target) for target in ours.TARGETS), ("pcfr+", 1e-8)]


def test_a_run_that_stays_far_from_equilibrium_is_interrupted(kuhn):
    result = ours.our_run(kuhn, "xfp", 1.0, 0.8, far=1e-6)
    assert 0.2 < result["spent"] < 0.8
    assert result["gap"] > 1e-6
    assert result["seconds"]["1e-06"] is None


def test_methods_for_two_players_say_so_with_three():
    tree = build_tree(load_game("kuhn_poker(players=3)"))
    assert ours.our_run(tree, "omd", 1.0, 1.0) == {"failure": "2 players only"}


def test_cells_are_times_with_building_or_how_far_a_run_came():
    lines = method_tables.times_table([GAME], CELLS, "1e-06").splitlines()[2:]
    assert lines == [
        "| `auto` | **1.5** |",
        "| `cfr+` | (2e-07) |",
        "| `dcfr` | 5 |",
        "| `omd` | – |",
    ]


def test_the_quickest_of_all_is_bold():
    assert "| `cfr+` | **1.25** |" in method_tables.times_table([GAME], CELLS, "0.0001")
    assert "**" not in method_tables.times_table([GAME], CELLS, "1e-08")


def test_auto_is_compared_with_the_best_of_the_others():
    auto = CELLS["kuhn", "auto"]
    assert method_tables.best_method(GAME, CELLS, "0.0001") == ("cfr+", 0.25)
    assert method_tables.best_method(GAME, CELLS, "1e-08") == ("none", inf)
    assert method_tables.ratio_of(GAME, auto, CELLS, "0.0001") == (1.2, 2.0)
    assert method_tables.ratio_of(GAME, auto, CELLS, "1e-06") == (0.3, 0.125)
    assert method_tables.ratio_of(GAME, auto, CELLS, "1e-08") is None
    slow = row("auto", None, None, None)
    assert (
        method_tables.ratio_text(method_tables.ratio_of(GAME, slow, CELLS, "1e-06"))
        == "not reached"
    )
    assert method_tables.geometric_mean([(2.0, 9.0), None, (inf, inf), (8.0, 1.0)]) == "4.00 (3.00)"


def test_methods_are_ranked_by_their_mean_time_over_the_best():
    """The ratio is 4 for lp to 10⁻⁴ and for dcfr to 10⁻⁶; missed targets count with the limit."""
    cells = cells_of(
        row("lp", 1.0, 0.5, None), row("dcfr", 0.25, 2.0, None), row("cfr", 0.5, None, None)
    )
    lines = method_tables.ranking_table(
        [GAME, GAME | {"game": "leduc_3p"}], cells | THREE
    ).splitlines()
    assert lines[2:] == [
        "| `dcfr` | 2.00 | 1.00 | 4.00 | – | 0 of 2 |",
        "| `lp` | 2.00 | 4.00 | 1.00 | – | 0 of 2 |",
        "| `cfr` | 3.46 | 2.00 | 6.00 | – | 1 of 2 |",
    ]


def test_new_measurements_replace_only_those_of_the_same_game_and_method():
    kept = {"environment": {}, "games": [GAME], "rows": [row("lp", 1, 1, 1), row("auto", 2, 2, 2)]}
    again = {"games": [GAME | {"build": 2.0}], "rows": [row("lp", 3, 3, 3)]}
    found = method_times.joined(kept, again)
    assert found["games"] == [GAME | {"build": 2.0}]
    assert [(one["method"], one["1e-06"]) for one in found["rows"]] == [("auto", 2), ("lp", 3)]


def test_results_are_kept_a_row_to_a_line():
    lines = method_times.text_of(
        {"environment": {"a": "b"}, "rows": [row("lp", 1, 2, None)]}
    ).splitlines()
    assert [line for line in lines if '"method": "lp"' in line and '"gap"' in line]


@pytest.fixture(scope="module")
def kept():
    return method_times.json.loads(method_times.RESULTS.read_text("utf-8"))


def test_methods_with_their_own_iteration_are_timed_on_every_game(kept):
    """Times of methods defined by data, such as a new `RegretScheme`, are optional."""
    timed = {(one["game"], one["method"]) for one in kept["rows"]}
    assert timed <= {(game, method) for game in method_times.TITLES for method in METHODS}
    own = [name for name in METHODS if name not in {*SCHEMES, *FIRST_ORDER}]
    assert {(game, method) for game in method_times.TITLES for method in own} <= timed
