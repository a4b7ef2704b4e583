"""The study of public and private beliefs: its declarations, comparisons and files."""

from __future__ import annotations

from dataclasses import replace
from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from infoset.evaluation import best_response
from infoset.experiments import CellInterrupted, Expected, get_study, run_study
from infoset.experiments.json_values import exact_json_value
from infoset.experiments.studies import Experiment, Study
from infoset.games import load_game
from infoset.policy import uniform_policy
from infoset_studies.beliefs import (
    best_responses,
    final_policy_wins,
    opponent_weights,
    simulations,
    win_rates,
)
from infoset_studies.beliefs.average_policies import (
    Effort,
    PolicyCell,
    policy_numbers,
    responses,
    searched,
    searcher_of,
    tree_of,
)
from infoset_studies.beliefs.best_responses import EXPECTED, Setting, report
from infoset_studies.beliefs.chosen_weights import ChosenCell
from infoset_studies.beliefs.leakage import true_state_ratio
from infoset_studies.beliefs.pimc_all_worlds import ExactCell, exact_pimc
from infoset_studies.beliefs.published import (
    FITTED,
    GAMES,
    PUBLIC_WEIGHTS,
    RESPONSES,
    WIN_RATES,
    Measured,
    Row,
    compared_sheet,
    weight_chart,
)
from infoset_studies.beliefs.simulations import SimulationCell
from infoset_studies.beliefs.two_weights import PairCell, Point, joined, undominated
from infoset_studies.beliefs.win_rates import WinRateCell
from infoset_studies.liars_dice_policies import pimc_table

pytestmark = pytest.mark.broad

LITTLE = Effort(0.5, 3)
NEVER = Event()


def test_every_published_row_has_a_number_for_each_public_weight():
    for rows in (RESPONSES, WIN_RATES):
        assert all(len(numbers) == len(PUBLIC_WEIGHTS) == 11 for numbers in rows.values())
        assert {row.game for row in rows} <= set(GAMES)
    assert RESPONSES[Row("pimc", "LP", 1)][5].mean == 1.461
    assert WIN_RATES[Row("ismcts", "LD 5D", 1)][-1].mean == 14.7
    assert len(RESPONSES) == 9
    assert len(WIN_RATES) == 12


def test_games_of_the_paper_can_be_loaded():
    for known in GAMES.values():
        assert known.game.startswith(str(load_game(known.game)).partition("(")[0])


@pytest.mark.parametrize(
    ("public_weight", "first", "second"),
    [(0.0, 0.6, 0.4), (0.1, 0.6, 0.4), (0.2, 0.6833, 0.4667), (0.3, 0.7333, 0.6), (1.0, 1.6, 1.6)],
)
def test_exact_pimc_in_leduc_poker(public_weight, first, second):
    result = ExactCell("leduc_poker", (public_weight,)).run(NEVER)
    assert result["responses"] == pytest.approx((first, second), abs=1e-4)
    assert (result["ratios"][0] == pytest.approx(1.0)) == (public_weight == 1.0)


def test_sampled_pimc_is_near_the_paper_in_liars_dice():
    for public_weight, first, second in (
        (0.0, 0.300, 0.678),
        (0.6, 0.281, 0.711),
        (0.9, 0.382, 0.836),
    ):
        cell = PolicyCell("pimc", "liars_dice(numdice=2)", public_weight, Effort(0.5, 100), 0)
        assert cell.run(NEVER)["responses"] == pytest.approx((first, second), abs=0.015)


def test_a_policy_comes_back_from_its_cell():
    for game in ("kuhn_poker", "liars_dice(numdice=2,dice_sides=2)"):
        for algorithm in ("pimc", "ismcts"):
            cell = PolicyCell(algorithm, game, 0.5, LITTLE, 1)
            result = cell.run(NEVER)
            policy = searched(cell, result)
            assert responses(policy) == pytest.approx(result["responses"])
            assert cell.run(NEVER) == result


def test_searches_in_dice_see_only_the_last_bid():
    """The answer after a single bid equals that after any bids with the same last bid."""
    cell = PolicyCell("ismcts", "liars_dice(numdice=2,dice_sides=2)", 0.0, Effort(0.5, 60), 0)
    table = searched(cell, cell.run(NEVER)).probability[0]
    tree = tree_of(cell.game)
    searcher = searcher_of("ismcts", tree, 0.0)
    own = tree.infostate_trees[0]
    rng = np.random.default_rng(0)
    hand = load_game(cell.game).rolls[1][0]
    deep = next(
        number
        for number in own.acting.tolist()
        if own.label(number).count("/") == 2 and own.infostate_at(number).steps[0].private == hand
    )
    last = own.infostate_at(deep).steps[-1].public
    place = load_game(cell.game).calls.index(last) + 1
    found = np.mean([searcher.search(own.infostate_at(deep), rng) for _ in range(60)], axis=0)
    assert found == pytest.approx(table[1, place, place:], abs=0.06)


def test_cells_can_be_interrupted():
    interrupt = Event()
    interrupt.set()
    for game in ("kuhn_poker", "liars_dice(numdice=2,dice_sides=2)"):
        with pytest.raises(CellInterrupted):
            PolicyCell("ismcts", game, 0.0, LITTLE, 0).run(interrupt)
    with pytest.raises(CellInterrupted):
        ChosenCell("kuhn_poker", 0, (0.0, 1.0), 1).run(interrupt)


def test_joined_policies_on_a_tree():
    early, late = exact_pimc("leduc_poker", (0.0,)), exact_pimc("leduc_poker", (1.0,))
    both = joined(early, late)
    again = exact_pimc("leduc_poker", (0.0, 1.0))
    for ours, theirs in zip(both.probabilities, again.probabilities, strict=True):
        assert ours == pytest.approx(theirs)
    assert best_response(both, 1).value == pytest.approx(1.667, abs=1e-3)


def test_joined_tables():
    game = load_game("liars_dice(numdice=2,dice_sides=3)")
    both = joined(pimc_table(game, 0.6), pimc_table(game, 0.1))
    assert np.array_equal(both.probability, pimc_table(game, (0.6, 0.1)).probability)


def test_the_settings_of_a_pair_contain_both_weights():
    cells = [
        PolicyCell("pimc", "kuhn_poker", public_weight, LITTLE, 0) for public_weight in (0.0, 1.0)
    ]
    policies = tuple(searched(cell, cell.run(NEVER)) for cell in cells)
    pair = PairCell(*cells, policies)
    assert pair.settings()["public_weight"] == 0.0
    assert pair.settings()["later_public_weight"] == 1.0
    assert pair.run(NEVER)["responses"] == responses(joined(*policies))


def test_information_leakage_of_a_first_bid():
    game = load_game("liars_dice(numdice=2)")
    assert true_state_ratio(pimc_table(game, 1.0), 0, "prior") == pytest.approx(1.0)
    # Reference values of an independent implementation that also samples worlds.
    drawn = pimc_table(game, 0.0, num_worlds=1000)
    assert true_state_ratio(drawn, 0) == pytest.approx(9.33, abs=0.1)
    assert true_state_ratio(drawn, 0, "prior") == pytest.approx(8.80, abs=0.1)


def test_choosing_public_weights_never_loses_to_one_public_weight():
    result = ChosenCell("leduc_poker", 1, (0.0, 0.5, 1.0), 1).run(NEVER)
    assert (result["public_weight"], result["one"]) == (0.0, pytest.approx(0.4))
    assert result["each"] <= result["one"]
    dice = ChosenCell("liars_dice(numdice=2,dice_sides=2)", 0, (0.0, 1.0), 1).run(NEVER)
    game = load_game("liars_dice(numdice=2,dice_sides=2)")
    alone = min(responses(pimc_table(game, public_weight))[0] for public_weight in (0.0, 1.0))
    assert dice["one"] == pytest.approx(alone)
    assert dice["each"] <= dice["one"]


def test_identical_players_share_the_wins():
    cell = WinRateCell("pimc", "liars_dice(numdice=2,dice_sides=3)", 0.0, 50, 0)
    assert sum(cell.run(NEVER)["wins"]) == pytest.approx(1.0)


def test_a_tie_wins_for_both_in_the_card_game():
    result = WinRateCell("pimc", "trick_taking(num_cards=8)", 0.0, 40, 0).run(NEVER)
    assert sum(result["wins"]) > 1.0


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1))
def test_undominated_points(pairs):
    points = [Point(float(a), float(b), 0.0, 0.0) for a, b in pairs]
    kept = {(p.ratio, p.response) for p in undominated(points)}
    best = {
        (a, b)
        for a, b in pairs
        if not any(c <= a and d <= b and (c, d) != (a, b) for c, d in pairs)
    }
    assert kept == best


def test_measured_numbers_stand_above_published_ones():
    row = Row("pimc", "LP", 1)
    found = {row: [Measured(0.5, 0.1), Measured(0.7)]}
    expected = {row: (Expected(0.4), Expected(0.9))}
    table = compared_sheet("t", "T", (0.0, 1.0), found, expected)
    assert table.columns == ("searcher", "game", "position", "source", "0", "1")
    assert [line[3] for line in table.rows] == ["measured", "±", "paper", "difference"]
    assert table.rows[0][:3] == ("PIMC", "LP", "second")
    assert table.rows[1][4:] == (0.1, None)
    assert table.rows[3][4:] == pytest.approx((0.1, -0.2))
    chart = weight_chart("c", "LP", "y", (0.0, 1.0), found, expected)
    assert [line.label for line in chart.lines] == ["PIMC", "PIMC, paper"]


def test_intervals_by_students_t():
    # t(2, 97.5%) = 4.302653, sd of 1, 2, 3 is 1
    assert Measured.of_runs([1.0, 2.0, 3.0]).half_width == pytest.approx(4.302653 / 3**0.5)
    assert Measured.of_runs([1.0]).half_width is None


def test_a_table_is_resumed_in_its_folder(tmp_path):
    setting = Setting(0, ("LD 2D",), LITTLE, LITTLE, 2, ("pimc",))
    study = Study("beliefs", "B", (Experiment("1", "T", report, setting, setting, "", ""),))
    (done,) = run_study(study, tmp_path / "runs")
    (table,) = done.report.tables
    assert [line[3] for line in table.rows] == ["measured", "±", "paper", "difference"]
    assert abs(table.rows[3][4]) < 0.05
    before = (tmp_path / "runs" / "table-1.csv").read_bytes()
    seen = []
    run_study(study, tmp_path / "runs", callback=lambda *received: seen.append(received))
    assert len(seen) == 22
    assert (tmp_path / "runs" / "table-1.csv").read_bytes() == before


def test_the_study_has_every_table_of_the_paper():
    names = [experiment.name for experiment in get_study("beliefs").experiments]
    assert names[:4] == [
        "best-responses-first",
        "win-rates-first",
        "best-responses-second",
        "win-rates-second",
    ]
    assert [e.name for e in get_study("beliefs").choose(["3"])] == ["best-responses-second"]


def test_settings_of_tree_searches_stand_above_the_paper():
    rows = {}

    def run(cells):
        rows.update({cell.changes: cell for cell in cells})
        return [{"responses": (cell.public_weight, cell.public_weight + 1)} for cell in cells]

    (table,) = best_responses.tree_report(
        run, best_responses.TreeSetting(("LP",), (0.0, 1.0), LITTLE)
    ).tables
    assert len(rows) == len(best_responses.VARIANTS) == 8
    assert table.columns[2:] == ("first, 0", "first, 1", "second, 0", "second, 1")
    assert table.rows[0][2:] == (0.0, 1.0, 1.0, 2.0)
    assert table.rows[-1] == ("LP", "paper", 0.797, 2.326, 0.784, 2.002)


def test_a_weight_of_the_opponent_is_measured_in_both_positions():
    """The uniform policy leaks nothing."""
    received = []

    def run(cells):
        received.extend(cells)
        uniform = policy_numbers(uniform_policy(tree_of("leduc_poker").sequence_form))
        return [{"policy": uniform, "responses": (1.0, 2.0)} for _ in cells]

    pairs = (opponent_weights.Pair(0.0, 0.5), opponent_weights.Pair(1.0, 1.0, 50))
    setting = opponent_weights.Setting(("LP",), pairs, LITTLE)
    (table,) = opponent_weights.report(run, setting).tables
    assert [dict(cell.changes) for cell in received] == [
        {"opponent_public_weight": 0.5, "num_simulations": 1000},
        {"opponent_public_weight": 1.0, "num_simulations": 50},
    ]
    assert [cell.public_weight for cell in received] == [0.0, 1.0]
    assert table.rows[1][:6] == ("LP", 1.0, 1.0, 50, 1.0, 2.0)
    assert table.rows[1][6:] == pytest.approx((1.0,))


def test_final_policies_of_the_same_searches_agree_with_searchers_that_use_them():
    game, number = "liars_dice(numdice=2,dice_sides=2)", 30
    result = SimulationCell(game, 0.5, number, 4, seed=1).run(NEVER)
    for name, found in result.items():
        changes = (("num_simulations", number), ("final_policy", name))
        cell = PolicyCell("ismcts", game, 0.5, Effort(0.5, 4), 1, changes)
        assert cell.run(NEVER)["responses"] == pytest.approx(found)
    assert result["max-visits"] != result["normalized-visits"]


def test_games_won_with_each_final_policy_are_listed_above_the_paper():
    won = {"normalized-visits": (0.2, 0.4), "max-visits": (0.3, 0.5)}

    def run(cells):
        assert cells[0].settings()["changes"] == (("final_policy", "normalized-visits"),)
        return [{"wins": won[dict(cell.changes)["final_policy"]]} for cell in cells]

    dice = final_policy_wins.DICE._replace(positions=(1,))
    setting = final_policy_wins.Setting((dice, final_policy_wins.CARDS), (0.0, 1.0))
    (table,) = final_policy_wins.report(run, setting).tables
    assert table.rows == (
        ("LD 5D", "second", "normalized-visits", 40.0, 40.0),
        ("LD 5D", "second", "max-visits", 50.0, 50.0),
        ("LD 5D", "second", "paper", 48.4, 14.7),
        ("CG 20C", "both", "normalized-visits", pytest.approx(30.0), pytest.approx(30.0)),
        ("CG 20C", "both", "max-visits", 40.0, 40.0),
        ("CG 20C", "both", "paper", 36.5, 20.8),
    )


def test_a_match_is_played_with_the_settings_of_its_cell():
    game = "liars_dice(dice_sides=3)"
    plain = WinRateCell("ismcts", game, 0.5, 20, 0)
    assert "changes" not in plain.settings()
    greedy = replace(plain, changes=(("final_policy", "max-visits"),))
    assert plain.run(NEVER)["wins"] != greedy.run(NEVER)["wins"]


def test_numbers_of_simulations_are_listed_above_the_paper():
    """A made-up response decreases with simulations, and depends on the seed."""

    def run(cells):
        return [
            {
                name: (100 / cell.num_simulations + cell.seed, 2.0 + place)
                for place, name in enumerate(("normalized-visits", "max-visits"))
            }
            for cell in cells
        ]

    efforts = (
        simulations.SearchEffort(0.0, 100, 5, 3),
        simulations.SearchEffort(0.0, 200, 5, 1),
        simulations.SearchEffort(1.0, 100, 5, 1, is_in_chart=False),
    )
    done = simulations.report(run, simulations.Setting("LD 2D", efforts))
    (table,), (chart,) = done.tables, done.charts
    # t(2, 97.5%) = 4.302653, sd of 1, 2, 3 is 1
    half_width = pytest.approx(4.302653 / 3**0.5)
    assert table.rows[0] == (0.0, 100, 5, "normalized-visits", 2.0, half_width, 2.0, 0.0)
    assert table.rows[1] == (0.0, 200, 5, "normalized-visits", 0.5, None, 2.0, None)
    assert table.rows[2][3:] == ("max-visits", 2.0, half_width, 3.0, 0.0)
    assert table.rows[4] == (0.0, None, None, "paper", 0.513, None, 0.697, None)
    assert table.rows[-1] == (1.0, None, None, "paper", 0.562, None, 0.787, None)
    assert len(table.rows) == 8
    assert chart.lines[0].x == (100.0, 200.0)
    assert chart.lines[0].y == (2.0, 0.5)
    assert [line.y[0] for line in chart.lines if line.is_guide] == [0.513, 0.697]


def test_the_fitted_tree_search_is_shown_with_the_papers():
    rows = [row for row in EXPECTED if row.algorithm == FITTED]
    assert {(row.game, row.position) for row in rows} == {("LP", 0), ("LP", 1)}
    received = []

    def run(cells):
        received.extend(cells)
        return [{"responses": (1.0, 2.0)} for _ in cells]

    report(run, Setting(0, ("LP",), LITTLE, Effort(0.4, 2), 1))
    fitted = [cell for cell in received if cell.changes]
    assert len(received) == 33
    assert [cell.algorithm for cell in fitted] == ["ismcts"] * 11
    assert fitted[0].changes == (("bonus", "2ln"), ("num_rollouts", 20))
    assert {cell.effort for cell in fitted} == {Effort(0.4, 2)}
    assert {cell.effort for cell in received if not cell.changes} == {LITTLE}


def test_readings_are_measured_by_their_distance():
    """Cells with the paper's values have distance zero."""

    def run(cells):
        found = []
        for cell in cells:
            name = "LD 3D" if "numdice=3" in cell.game else "LD 5D"
            place = PUBLIC_WEIGHTS.index(cell.public_weight)
            if isinstance(cell, PolicyCell):
                response = RESPONSES[Row("pimc", "LD 3D", 0)][place].mean
                found.append({"responses": (response + 0.5, 0.0)})
            elif "liars_dice" in cell.game:
                wins = [WIN_RATES[Row("pimc", name, seat)][place].mean for seat in (0, 1)]
                found.append({"wins": (wins[0] / 100, wins[1] / 100 + 0.02)})
            else:
                found.append({"wins": (0.25, 0.75)})
        return found

    dice, cards = win_rates.reading_report(run, win_rates.ReadingSetting(10, 5)).tables
    assert len(dice.rows) == 8
    assert dice.rows[1] == ("LD 3D", 4, *map(pytest.approx, (0.0, 2.0, 0.5)))
    assert dice.rows[5][4] is None
    assert cards.rows[0][2:] == (50.0,) * 11
    assert cards.rows[-1][:3] == ("CG 20C", "paper", 53.7)


def test_beliefs_that_infer_differ_from_those_that_do_not():
    plain, inferring = (ExactCell("kuhn_poker", (0.5,), kind) for kind in ("nothing", "pimc"))
    assert plain.settings() != inferring.settings()
    policies = [
        exact_pimc(cell.game, cell.public_weights, cell.assumes) for cell in (plain, inferring)
    ]
    assert any(
        abs(a - b).max() > 0.4
        for a, b in zip(policies[0].probabilities, policies[1].probabilities, strict=True)
    )


def test_a_ratio_that_does_not_exist_is_stored():
    """In Kuhn poker, this policy of the second player always ends the game."""
    result = exact_json_value(ExactCell("kuhn_poker", (0.5,)).run(Event()), "cell")
    assert [ratio is None for ratio in result["ratios"]] == [False, True]
