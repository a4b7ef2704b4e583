"""Score cards: targets, ratios and gates by hand, and their files."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import inf, sqrt

import pytest

from infoset.benchmark import (
    CARD_FILES,
    Entrant,
    GameRow,
    RaceRun,
    ScoreCard,
    Trial,
    TrialResult,
    card_facts,
    card_markdown,
    find_subject,
    save_card,
    score_subject,
)
from infoset.errors import ParameterError, UnknownNameError
from infoset.games import get_pack_entry

KUHN = get_pack_entry("kuhn_poker")


def run_of(name, *points, seed=None, outcome="seconds", message="", same=True):
    return RaceRun(Entrant(name, name, seed), list(points), outcome, message, same)


def card_of(*runs, subject="lp"):
    row = GameRow(KUHN, 2.0, tuple(runs))
    return ScoreCard(find_subject(subject), "small", 1.0, 1, (row,))


OTHERS = (run_of("dcfr", (1, 0.1, 0.5)), run_of("pcfr+", (1, 0.1, 0.5)))


def test_targets_are_parts_of_the_payoff_range_and_the_first_time_counts():
    run = run_of("lp", (1, 0.5, 0.3), (2, 1.0, 0.02), (3, 1.5, 0.03), (4, 2.0, 0.001))
    row = GameRow(KUHN, 2.0, (run,))
    assert (row.first("lp", 1e-2, 1), row.first("lp", 1e-2, 0)) == (1.0, 2)
    assert row.first("lp", 1e-3, 1) == 2.0
    assert row.first("lp", 1e-4, 1) == inf


def test_the_median_over_seeds_counts_runs_that_never_arrive():
    runs = [run_of("lp", (1, time, 0.0), seed=seed) for seed, time in enumerate((1.0, 3.0))]
    never = run_of("lp", (1, 1.0, 1.0), seed=2)
    assert GameRow(KUHN, 2.0, tuple(runs)).first("lp", 1e-6, 1) == 2.0
    assert GameRow(KUHN, 2.0, (*runs, never)).first("lp", 1e-6, 1) == 3.0
    assert GameRow(KUHN, 2.0, (*runs, never, never)).first("lp", 1e-6, 1) == inf


def test_ratios_count_what_was_never_reached():
    card = card_of(
        run_of("lp", (1, 2.0, 0.02), (2, 4.0, 0.002)),
        run_of("cfr+", (1, 1.0, 0.02), (2, 1.0, 0.002), (3, 1.0, 0.0002)),
        *OTHERS,
    )
    ratios = {ratio.name: ratio for ratio in card.ratios()}
    # Ratios 2 and 4, once infinite; two targets are reached by neither.
    lp = ratios["lp"]
    assert (lp.median, lp.geometric_mean) == (4.0, pytest.approx(2 * sqrt(2)))
    assert lp[3:] == (2, 1, 0, 2)
    assert ratios["cfr+"][1:] == (1.0, 1.0, 3, 0, 0, 2)
    assert (ratios["dcfr"].median, ratios["dcfr"].num_never) == (inf, 3)
    assert card.ratios()[0].name == "cfr+"
    iterations = {ratio.name: ratio for ratio in card.ratios(0)}
    assert iterations["lp"].geometric_mean == 1.0


def test_a_target_that_only_the_method_reached_counts_for_it():
    card = card_of(run_of("lp", (1, 1.0, 0.0)), run_of("cfr+", (1, 1.0, 1.0)), *OTHERS)
    lp = next(ratio for ratio in card.ratios() if ratio.name == "lp")
    assert (lp.median, lp.num_reference_never) == (0.0, 5)


def test_gates_name_the_game_and_the_reason():
    good = card_of(run_of("lp", (1, 1.0, 0.0)), run_of("cfr+", (1, 1.0, 1.0)), *OTHERS)
    assert good.is_passed
    late = run_of("lp", outcome="late", message="it had not ended after 9 s", same=None)
    failed = card_of(late, run_of("cfr+", (1, 1.0, 1.0)), *OTHERS)
    assert not failed.is_passed
    assert failed.gates[0].found == "kuhn_poker: it had not ended after 9 s"
    varying = card_of(run_of("lp", (1, 1.0, 0.0), same=False), *OTHERS)
    assert [gate.is_passed for gate in varying.gates] == [True, False]
    # A failed reference method is not the subject's fault.
    other = card_of(run_of("lp", (1, 1.0, 0.0)), run_of("cfr+", outcome="failed"), *OTHERS)
    assert other.is_passed


def test_gates_of_searchers():
    trial = Trial("kuhn_poker", "pimc", ("uniform",), 1.0, 10)
    good = TrialResult(trial, plays=3, is_repeatable=True)

    def gates(result):
        row = GameRow(KUHN, 2.0, trial=result)
        card = ScoreCard(find_subject("pimc"), "small", 1.0, 1, (row,))
        return [gate.is_passed for gate in card.gates]

    assert gates(good) == [True, True, True]
    assert gates(replace(good, leak="player 0 ...")) == [True, False, True]
    assert gates(replace(good, plays=0)) == [True, False, True]
    assert gates(replace(good, is_repeatable=False)) == [True, True, False]
    assert gates(replace(good, failures={"best response": "late"})) == [False, True, True]
    assert gates(replace(good, applies=False)) == [False, False, False]


def test_the_reference_of_ratios_stays_the_same_if_it_is_the_subject():
    card = card_of(run_of("cfr+", (1, 1.0, 0.0)), *OTHERS, subject="cfr+")
    assert (card.names, card.reference) == (("cfr+", "dcfr", "pcfr+"), "cfr+")


def test_files_are_complete_and_infinity_is_null(tmp_path):
    card = card_of(
        run_of("lp", (1, 2.0, 0.02)), run_of("cfr+", (1, 1.0, 0.0)), run_of("dcfr"), OTHERS[1]
    )
    folder = save_card(card, tmp_path / "card", pictures=False)
    assert sorted(path.name for path in folder.iterdir()) == sorted(CARD_FILES)
    facts = json.loads((folder / "card.json").read_text(), parse_constant=pytest.fail)
    assert facts == json.loads(json.dumps(card_facts(card)))
    (game,) = facts["games"]
    assert game["runs"][0]["seconds_to"] == {"0.01": 2.0, "0.001": None} | dict.fromkeys(
        ("0.0001", "1e-05", "1e-06")
    )
    page = card_markdown(card)
    assert "| lp | 0.02 | seconds | 2 s | never | never | never | never |" in page
    lines = (folder / "curves.csv").read_text().splitlines()
    assert lines[1] == "kuhn_poker,lp,,1,2.0,0.02"
    assert save_card(card, tmp_path / "card", pictures=False).name == "card-2"


def test_the_page_of_a_searcher_shows_matches_and_exact_numbers_only():
    trial = Trial("kuhn_poker", "pimc", ("uniform",), 1.0, 10)
    result = TrialResult(trial, 3, "", True, {"uniform": (0.25, 0.1, 0.4, 10)})
    result.not_computed = "the game is too large"
    row = GameRow(KUHN, 2.0, trial=result)
    card = ScoreCard(find_subject("pimc"), "small", 1.0, 1, (row,))
    page = card_markdown(card)
    assert (
        "| kuhn_poker | 0.25 (0.1 to 0.4, 10 deals) | – | – | – (the game is too large) |" in page
    )


def test_wrong_arguments_are_refused_before_any_work():
    with pytest.raises(UnknownNameError, match="unknown pack"):
        score_subject("cfr+", pack="tiny")
    with pytest.raises(ParameterError, match="the pack small has no game 'poker'"):
        score_subject("cfr+", games=["poker"])
    with pytest.raises(ParameterError, match="leaves no time"):
        score_subject("cfr+", seconds=0)
    with pytest.raises(ParameterError, match="seeds"):
        score_subject("cfr+", seeds=0)


def test_games_can_be_measured_by_an_executor(monkeypatch):
    asked = []

    def run(race, limits):
        asked.append((race.game, race.needs_tree, len(race.entrants)))
        return tuple(RaceRun(entrant, [(1, 0.1, 0.0)], "seconds") for entrant in race.entrants)

    monkeypatch.setattr("infoset.benchmark.score_cards.run_race", run)
    games = ["matrix_mp", "kuhn_poker"]
    with ThreadPoolExecutor(2) as pool:
        card = score_subject("es-mccfr", games=games, seeds=2, executor=pool)
    assert sorted(asked) == [("kuhn_poker", True, 6), ("matrix_mp", True, 6)]
    assert [row.entry.name for row in card.rows] == games
    assert card.names == ("es-mccfr", "vr-mccfr-balanced", "balanced-omd")
