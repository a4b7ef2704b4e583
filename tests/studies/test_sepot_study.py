"""The study of safe re-solving: experiments with tiny settings, from cells to files."""

from __future__ import annotations

from dataclasses import replace
from threading import Event
from typing import NamedTuple
from unittest.mock import Mock

import numpy as np
import pytest

from infoset import solve
from infoset.beliefs.history_sets import histories_around
from infoset.beliefs.history_sources import SamplingLimits
from infoset.evaluation import nash_conv, transformed_values
from infoset.experiments import CellFolder, CellInterrupted, Study, run_cells, run_study
from infoset.games import load_game
from infoset.policy import TRANSFORMATIONS, UniformPolicy
from infoset.resolving import OPPONENT_VALUES, ContinualResolving, ResponseValues
from infoset_studies.beliefs.average_policies import tree_of
from infoset_studies.sepot import (
    SEPOT,
    ablations,
    blueprints,
    curves,
    head_to_head,
    leaf_rules,
    position,
    search_cells,
)
from infoset_studies.sepot.blueprints import LEDUC, NETWORK, Blueprint, BlueprintCell, goofspiel
from infoset_studies.sepot.curves import CurveCell
from infoset_studies.sepot.head_to_head import Match, MatchCell, Played, Training
from infoset_studies.sepot.opponent_values import Grid, searches_of
from infoset_studies.sepot.search_cells import CriticCell, Search, SearchCell

pytestmark = pytest.mark.broad

GAME = goofspiel(3)
GOOD, BAD = Blueprint(GAME, "cfr+", 500), Blueprint(GAME, "cfr", 3)
LEARNED = Blueprint(GAME, NETWORK, 20)
GRID = Grid(
    "tiny", "Tiny", (LEARNED, GOOD, BAD), (1, None), ("resolving", "max-margin", "none"), 50
)
TINY = {
    "leduc": (GRID,),
    "goofspiel": (GRID._replace(name="depths", gadgets=("resolving",)),),
    "safest": (GRID,),
    "critic": ablations.CriticSetting((LEARNED,), 20, 2, (1,)),
    "noise": ablations.NoiseSetting(BAD, (0.0, 0.5), 2, 1),
    "iterations": ablations.IterationSetting(BAD, (5, 50), 1),
    "transformations": ablations.TransformationSetting(((BAD, ("identity", "all 22")),), (1,)),
    "leaf-rules": leaf_rules.LeafRuleSetting(((BAD, (50,)), (GOOD, (50,))), (1, 2), 20),
    "matches": (
        Match(head_to_head.BOARDS[0], Training(2, 2), head_to_head.RulesSearch(), ((0, 0),), 2),
    ),
    "table-1": head_to_head._table_1({head_to_head.CARDS[0]: 2}, (100,), 2, 2),
    "table-1-large": head_to_head._table_1({head_to_head.MORE_CARDS[0]: 2}, (200,), 2, 1),
    "position": position.PositionSetting(((Training(2), 1),), (1,)),
    "curves": (curves.Curve("tiny", goofspiel(3), 0.0, (2, 4), 2, (1,)),),
    "random-order": ablations.SeedSetting(((goofspiel(3, "random"), 20, (1,)),), 2),
}
EXPERIMENTS = tuple(replace(e, quick=TINY[e.name]) for e in SEPOT.experiments)


def run_all(folder, monkeypatch=None):
    if monkeypatch is not None:
        monkeypatch.setattr(blueprints, "has_extra", lambda name: False)
    study = Study("sepot", "tiny", EXPERIMENTS)
    found = run_study(study, folder, is_quick=True, workers=2)
    return {f.experiment.name: f for f in found}


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """Run every experiment as if JAX were missing; return the results and the folder."""
    folder = tmp_path_factory.mktemp("study") / "runs"
    with pytest.MonkeyPatch.context() as monkeypatch:
        return run_all(folder, monkeypatch), folder


def rows_of(finished, experiment, table):
    (found,) = (t for t in finished[experiment].report.tables if t.name == table)
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def test_every_experiment_leaves_its_files(done):
    finished, folder = done
    assert list(finished) == [experiment.name for experiment in SEPOT.experiments]
    for found in finished.values():
        assert found.experiment.quick_time
        assert found.experiment.full_time
        for file in found.files:
            assert (folder / file).stat().st_size > 0


def test_tables_say_that_networks_are_missing(done):
    for name in ("leduc", "safest", "critic", "random-order"):
        assert "pip install 'infoset[deep]'" in done[0][name].report.tables[0].title
    assert rows_of(done[0], "critic", "critic") == []
    assert rows_of(done[0], "random-order", "random-order") == []
    assert not list((done[1] / "cells").glob("*rnad*"))


def test_numbers_of_the_grid_are_those_of_a_search(done):
    tree = tree_of(GAME)
    policy = BAD.make()
    values = transformed_values(tree, policy, TRANSFORMATIONS)
    rows = rows_of(done[0], "leduc", "tiny")
    assert rows[0][BAD.label] == nash_conv(policy)
    assert len(rows) == 1 + 2 * (2 * len(OPPONENT_VALUES) + 1)
    (row,) = (
        row
        for row in rows
        if (row["gadget"], row["opponent values"], row["depth"]) == ("max-margin", "profile", "1")
    )
    search = ContinualResolving(
        tree, policy, values, depth=1, gadget="max-margin", opponent="profile", iterations=50
    )
    assert row[BAD.label] == nash_conv(search.search_policy())
    by_depth = rows_of(done[0], "goofspiel", "depths")
    (line,) = (
        line
        for line in by_depth
        if (line["blueprint"], line["opponent values"]) == (BAD.label, "previous")
    )
    wanted = {
        row["depth"]: row[BAD.label]
        for row in rows
        if (row["gadget"], row["opponent values"]) == ("resolving", "previous")
    }
    assert (line["depth 1"], line["to the end"]) == (wanted["1"], wanted["to the end"])


def test_rises_are_counted_over_the_cells_of_the_tables(done):
    cells = rows_of(done[0], "leduc", "tiny")
    before = cells[0]
    for row in rows_of(done[0], "safest", "safest"):
        alike = [
            cell
            for cell in cells[1:]
            if (cell["gadget"], cell["opponent values"]) == (row["gadget"], row["opponent values"])
        ]
        rises = [cell[made.label] - before[made.label] for cell in alike for made in (GOOD, BAD)]
        assert row["cells"] == len(rises)
        assert row["raised"] == sum(rise > 0.01 for rise in rises)
        assert row["largest rise"] == max(rises)


def test_searches_without_a_gadget_are_not_repeated():
    searches = searches_of(GRID)
    assert sum(search.gadget == "none" for search in searches) == len(GRID.depths)
    assert len(set(searches)) == len(searches)


def test_noise_changes_values_as_its_seed_says(done):
    tree = tree_of(GAME)
    exact = transformed_values(tree, BAD.make(), TRANSFORMATIONS)
    np.testing.assert_array_equal(search_cells.with_noise(exact, 0.0, 1).values, exact.values)
    first, second, again = (
        search_cells.with_noise(exact, 0.5, seed).values - exact.values for seed in (1, 2, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert np.std(first) == pytest.approx(0.5, rel=0.1)
    assert np.any(first != second)
    by_noise = {
        (row["opponent values"], row["sd of the noise"]): row
        for row in rows_of(done[0], "noise", "noise")
    }
    assert by_noise["previous", 0.0]["±"] == 0.0 < by_noise["previous", 0.5]["±"]


def test_more_transformations_make_a_search_safer(done):
    tree = tree_of(GAME)
    rows = rows_of(done[0], "transformations", "transformations")
    assert [row["transformations"] for row in rows] == 2 * ["identity"] + 2 * ["all 22"]
    values = transformed_values(tree, BAD.make(), TRANSFORMATIONS[:1])
    search = ContinualResolving(tree, BAD.make(), values, opponent="previous")
    assert rows[0]["depth 1"] == nash_conv(search.search_policy())
    assert rows[2]["depth 1"] < rows[0]["depth 1"]


def test_each_leaf_rule_has_its_own_searches(done):
    tree = tree_of(GAME)
    rows = rows_of(done[0], "leaf-rules", "leaf-rules")
    assert [row["blueprint"] for row in rows] == [BAD.label, GOOD.label]
    values = transformed_values(tree, BAD.make(), TRANSFORMATIONS, pairs=True)
    options = {"depth": 1, "iterations": 50, "tolerance": None, "leaf_rule": "matrix"}
    search = ContinualResolving(tree, BAD.make(), values, **options)
    assert rows[0]["matrix 1"] == nash_conv(search.search_policy())
    assert len({rows[0][f"{rule} 1"] for rule in ("choice", "stateless", "matrix")}) == 3
    assert rows[0]["network 1"] is None  # without JAX


def test_columns_of_value_networks_are_by_depth(monkeypatch):
    monkeypatch.setattr(leaf_rules, "has_networks", lambda: True)
    known = blueprints.Known(BAD, BAD.make(), 0.0)
    setting = leaf_rules.LeafRuleSetting((), (1, 2), 20)
    result = {"nash_conv": [0.25, 0.75], "error": 0.5}
    found = leaf_rules._with_network(lambda cells: [result], setting, known, 50)
    assert found == (0.5, {(1, "network"): 0.25, (2, "network"): 0.75})


@pytest.mark.networks
def test_the_error_of_a_value_network_is_in_the_units_of_the_game(monkeypatch):
    deep = pytest.importorskip("infoset.deep")

    def train(exact, *, steps, **_):
        network = ResponseValues(exact)
        network.unit, network.loss = 3.0, 0.25
        return network

    monkeypatch.setattr(deep, "train_value_network", train)
    known = blueprints.Known(BAD, BAD.make(), 0.0)
    search = Search(depth=1, iterations=50)
    found = leaf_rules.ValueNetworkCell(BAD, 1, (search,), known).run(Event())
    assert found["error"] == 1.5
    assert 0 < found["nash_conv"][0] < known.policy.form.payoff_width


def cell_of(utilities):
    """Return the result of a cell, given the utility of each deal."""
    error = np.std(utilities, ddof=1) / np.sqrt(len(utilities))
    methods = {"complete": 3, "blueprint": 1}
    return {"utility": np.mean(utilities), "standard_error": error, "methods": methods}


def test_cells_of_a_match_are_pooled():
    utilities = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], (2, 5, 10))
    found = Played.of(10, [[cell_of(block) for block in pairing] for pairing in utilities])
    assert found.deals == 100
    assert found.mean == pytest.approx(utilities.mean())
    # Pairings are fixed, and deals are drawn within them.
    variances = [pairing.ravel().var(ddof=1) / 50 for pairing in utilities]
    assert found.half_width == pytest.approx(1.96 * np.sqrt(sum(variances)) / 2)
    assert found.methods == {"complete": 30, "blueprint": 10}
    # Of several networks, the interval is over their means.
    many = np.random.default_rng(2).normal(size=(4, 1, 10))
    found = Played.of(10, [[cell_of(block) for block in pairing] for pairing in many])
    error = many.mean(axis=(1, 2)).std(ddof=1) / 2
    assert found.half_width == pytest.approx(3.182 * error, rel=1e-3)


@pytest.mark.parametrize(("half_width", "cells"), [(0.0, 8), (0.3, 4), (9.0, 2)])
def test_a_match_ends_when_its_interval_is_narrow_enough(half_width, cells):
    asked = []

    def run(wanted):
        asked.extend(wanted)
        return [cell_of([1.0, -1.0, 0.0, 0.0, 1.0, -1.0, 0.0, 0.0]) for _ in wanted]

    game = head_to_head.CARDS[0]
    training, search = Training(2), head_to_head.RulesSearch(100, "profile")
    Match(game, training, search, ((0, 1), (1, 0)), 8, 4, half_width).play(run)
    assert len(asked) == len(set(asked)) == cells
    assert {cell.block for cell in asked} == set(range(cells // 2))


def test_rows_of_matches_have_the_fractions_of_decisions(monkeypatch):
    monkeypatch.setattr(head_to_head, "has_networks", lambda: True)
    match = Match(
        head_to_head.CARDS[0], Training(2), head_to_head.RulesSearch(), ((0, 1), (1, 0)), 4
    )
    found = head_to_head.match_report(
        "a", lambda cells: [cell_of([1.0, -1.0, 0.5, 0.0])] * len(cells), (match,)
    )
    [row] = rows_in(found.tables[0])
    assert (row["limit"], row["networks"], row["deals"], row["mean"]) == ("samples", 2, 8, 0.125)
    assert (row["searched"], row["sampled"], row["network"]) == (0.75, 0.0, 0.25)


def rows_in(table):
    return [dict(zip(table.columns, row, strict=True)) for row in table.rows]


@pytest.mark.parametrize(("limit", "num_samples"), [(100, 0), (None, None)])
def test_searches_of_matches_have_the_limits_of_the_paper(limit, num_samples):
    [match] = head_to_head._table_1({head_to_head.CARDS[0]: 2}, (limit,), 3, 2)
    assert match.search.opponent == ("previous" if limit is None else "profile")
    made = head_to_head.Made(UniformPolicy(), lambda histories, player: None)
    settings = match.search.searcher(load_game(match.game), made, 5).settings()
    names = ("max_ends", "max_histories", "num_samples", "seed", "opponent")
    expected = [limit, limit, num_samples, 5, match.search.opponent]
    assert [settings[name] for name in names] == expected


def test_in_a_match_the_search_with_one_network_plays_against_the_other(monkeypatch):
    made = {
        seed: head_to_head.Made(UniformPolicy(), lambda histories, player: None) for seed in (3, 8)
    }
    monkeypatch.setattr(Training, "make", lambda training, name, seed: made[seed])
    asked = {}

    def play(game, search, opponent, *, num_deals, seed, callback):
        asked.update(search=search, opponent=opponent, num_deals=num_deals, seed=seed)
        return Mock(utility=Mock(mean=0.25, standard_error=0.5))

    monkeypatch.setattr(head_to_head, "play_matches", play)
    cell = MatchCell(head_to_head.CARDS[0], Training(1), head_to_head.RulesSearch(), (3, 8), 7, 2)
    assert cell.run(Event()) == {"utility": 0.25, "standard_error": 0.5, "methods": {}}
    assert asked["search"].blueprint is made[3].policy
    assert asked["opponent"] is made[8].policy
    assert (asked["num_deals"], asked["seed"]) == (7, 2)


def test_at_the_position_each_player_has_one_ship_of_which_two_places_are_possible():
    game = load_game(head_to_head.BOARDS[1])
    history = position.position_history(game)
    policies, limits = [UniformPolicy()] * 2, SamplingLimits(None, 100, 100)
    found = histories_around(game, history.infostates[0], policies, limits).whole()
    # Both ships of two cells of the opponent, and all of the player, may have changed places.
    assert (len(found), *map(len, found.infostates)) == (16, 4, 4)
    ships = {world.fleets[1] for world in found.worlds}
    cells = {cell for fleet in ships for cell in cells_of(fleet[0])}
    assert cells == set(position.SENSIBLE)
    assert set(history.legal_actions(0)) == set(position.UNKNOWN[1]) > cells


def test_boards_are_drawn_with_the_first_row_at_the_top(monkeypatch):
    monkeypatch.setattr(position, "has_networks", lambda: True)
    shots = position.UNKNOWN[1]
    # By seed and kind: all shots at one cell.
    targets = {0: ("0_1", "4_4"), 1: ("1_2", "2_2")}

    def run(cells):
        rows = [
            [[float(cell == target) for cell in shots] for target in targets[one.seed]]
            for one in cells
        ]
        return [{"shots": list(shots), "probabilities": own} for own in rows]

    setting = position.PositionSetting(((Training(3), 2),), (1,))
    report = position.position_report(run, setting)
    [table] = report.tables
    assert [row[:4] for row in table.rows] == [
        (3, 2, "network", 1.0),
        (3, 2, "search to depth 1", 0.5),
    ]
    for chart, shares in zip(
        report.charts,
        ({(0, 1): 0.5, (1, 2): 0.5}, {(4, 4): 0.5, (2, 2): 0.5}),
        strict=True,
    ):
        for y, line in zip(chart.y, chart.values, strict=True):
            for x, value in zip(chart.x, line, strict=True):
                if f"{y:.0f}_{x:.0f}" in shots:
                    assert value == shares.get((y, x), 0.0)
                else:
                    assert np.isnan(value)
        assert chart.y == (4.0, 3.0, 2.0, 1.0, 0.0)  # from the bottom


def cells_of(ship):
    """Return the names of a ship's cells, given as bits."""
    return [f"{n // 5}_{n % 5}" for n in range(25) if ship >> n & 1]


def test_gains_in_curves_are_measured_from_the_value_of_the_game():
    curve = curves.Curve("a", GAME, -0.5, (2, 4), 3, (1, 2))

    def run(cells):
        level = {cell: (-0.5 - cell.steps, 0.5 - 10 * cell.seed) for cell in cells}
        return [{"security_levels": [level[cell]] * len(curve.labels())} for cell in cells]

    found = curve.exploitabilities(run)
    assert found.shape == (2, 3, 5, 2)
    assert (found[..., 0] == np.array([2, 4])[:, None, None]).all()
    assert (found[..., 1] == np.array([0, 10, 20])[:, None]).all()


def test_curves_are_reported_by_kind_player_and_steps(monkeypatch):
    monkeypatch.setattr(curves, "has_networks", lambda: True)
    curve = curves.Curve("a", GAME, -0.5, (2, 4), 3, (1, 2))

    def gain(kind, player, steps, seed):
        # Searches are as good as the network, better, better with the first seed only, and worse.
        worse = (0, 0, -1, 5 * (seed > 0) - 1, 5)[kind]
        return 10 + 100 * player + steps + seed**2 + worse

    def run(cells):
        return [
            {
                "security_levels": [
                    [-0.5 - gain(k, 0, one.steps, one.seed), 0.5 - gain(k, 1, one.steps, one.seed)]
                    for k in range(5)
                ]
            }
            for one in cells
        ]

    report = curves.curve_report(run, (curve,))
    table, last = report.tables
    spread = head_to_head.Measured.of_runs([0.0, 1.0, 4.0])
    assert [row[:3] for row in table.rows[:3]] == [
        ("a", "network", 2),
        ("a", "network", 4),
        ("a", "profile, depth 1", 2),
    ]
    expected = (12 + spread.value, spread.half_width, 112 + spread.value, spread.half_width)
    assert table.rows[0][3:7] == pytest.approx(expected)
    assert table.rows[0][7:] == pytest.approx((124 + 2 * spread.value, 2 * spread.half_width))
    assert [row[-1] for row in last.rows] == [None, 0, 3, 1, 0]
    assert [row[3:-1] for row in last.rows] == [row[3:] for row in table.rows[1::2]]
    for player, chart in enumerate(report.charts):
        assert [line.label for line in chart.lines] == list(curve.labels())
        network = chart.lines[0]
        assert network.x == (2.0, 4.0)
        means = [10 + 100 * player + steps + spread.value for steps in (2, 4)]
        assert network.y == pytest.approx(means)


def test_a_curve_goes_on_from_the_longest_shorter_run(tmp_path, monkeypatch):
    monkeypatch.setattr(curves, "_folder", lambda *_: Folder(str(tmp_path)))
    for steps in (2, 4, 8):
        (tmp_path / f"{steps}.npz").write_text(str(steps))
    for steps, begun in ((3, "2"), (6, "4"), (8, "8")):
        own = CurveCell(GAME, steps, 0, (Search(),))._checkpoint()
        assert (own.name, own.read_text()) == (f"{steps}.npz", begun)
    assert curves.CURVES.full[0].checkpoints == tuple(range(1_000, 10_001, 1_000))


class Folder(NamedTuple):
    name: str


def test_curves_know_the_values_of_their_games():
    for curve in curves.CURVES.full:
        if curve.game == LEDUC:
            value = solve(tree_of(curve.game), method="lp").values[0]
            assert curve.value == pytest.approx(value, abs=1e-6)
        else:  # a symmetric game
            assert curve.game.startswith("goofspiel")
            assert curve.value == 0.0


def test_cells_can_be_interrupted():
    stopped = Event()
    stopped.set()
    known = blueprints.Known(BAD, BAD.make(), 0.0)
    for cell in (
        BlueprintCell(BAD),
        SearchCell(BAD, Search(), known),
        CriticCell(BAD, 1, 0, (Search(),), known),
        CurveCell(GAME, 1, 0, (Search(),)),
        MatchCell(head_to_head.CARDS[0], Training(1), head_to_head.RulesSearch(), (0, 0), 2, 0),
        leaf_rules.ValueNetworkCell(BAD, 1, (Search(),), known),
        position.PositionCell(head_to_head.BOARDS[1], Training(1), 0, (1,), 100),
    ):
        with pytest.raises(CellInterrupted):
            cell.run(stopped)


def test_a_saved_blueprint_is_the_same_policy(tmp_path):
    folder = CellFolder(tmp_path / "runs", "sepot")
    for _ in range(2):
        (known,) = blueprints.known_blueprints(lambda cells: run_cells(cells, folder), [BAD])
        assert known.policy.digest == BAD.make().digest
        assert known.nash_conv == nash_conv(known.policy)


@pytest.mark.long
def test_networks_and_critics(tmp_path):
    pytest.importorskip("equinox")
    finished = run_all(tmp_path / "runs")
    rows = rows_of(finished, "critic", "critic")
    assert [row["opponent values"] for row in rows] == ["previous", "transformations", "profile"]
    assert all(row["error of the critic"] > 0 and row["critic"] >= 0 for row in rows)
    (first, *others) = rows_of(finished, "random-order", "random-order")
    assert first["opponent values"] == "no search"
    assert all(0 <= row["seeds improved"] <= 2 for row in others)
    assert rows_of(finished, "leduc", "tiny")[0][LEARNED.label] > 0
    for name in ("matches", "table-1", "table-1-large"):
        shares = ("searched", "sampled", "earlier search", "network")
        for row in rows_of(finished, name, name):
            assert sum(row[share] for share in shares) == pytest.approx(1)
            assert row["limit"] == "samples" or row["sampled"] == 0 < row["searched"]
    for row in rows_of(finished, "leaf-rules", "leaf-rules"):
        assert row["network 1"] > 0 < row["error of the network"]
        assert row["network 1"] != row["stateless 1"]
    shares = [row["sensible shots"] for row in rows_of(finished, "position", "position")]
    assert len(shares) == 2
    assert all(0 < share < 1 for share in shares)


@pytest.mark.long
def test_curves_go_on_from_shorter_runs_as_if_they_were_one(tmp_path):
    pytest.importorskip("equinox")
    from infoset.deep import train

    (curve,) = TINY["curves"]
    folder = CellFolder(tmp_path / "runs", "sepot")
    found = curve.exploitabilities(lambda cells: run_cells(cells, folder, workers=1))
    assert found.shape == (2, 2, 3, 2)
    tree = tree_of(curve.game)
    for place, steps in enumerate(curve.checkpoints):
        policy = train(
            tree,
            NETWORK,
            steps=steps,
            seed=1,
            critic=curves.SHARED_CRITIC,
            transformations=TRANSFORMATIONS,
        ).policy.tabulate(tree.sequence_form)
        assert found[place, 1, 0].sum() == pytest.approx(nash_conv(policy), abs=1e-12)
