"""Matches that stop at a given precision, are resumed, and run on several workers."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from types import ModuleType

import numpy as np
import pytest

from infoset.errors import (
    CheckpointFileError,
    CheckpointMismatchError,
    LostWorkersError,
    ParameterError,
    UnsavedWarning,
)
from infoset.games import load_game
from infoset.matches import exact_match, play_matches
from infoset.matches.game_matches import DealStream
from infoset.matches.match_statistics import (
    BLOCK,
    ColumnBounds,
    Tally,
    column_bounds,
    match_columns,
    summarize_tally,
)
from infoset.policy import TabularPolicy, UniformPolicy, uniform_policy
from infoset.runs.task_messages import packed
from infoset.utils.checksums import with_checksum
from tests.support.cached_games import cached_random_policies, cached_tree
from tests.support.fake_players import (
    CrashingPolicy,
    FailingPolicy,
    NoisySearcher,
    SampledActionSearcher,
)

pytestmark = pytest.mark.broad


def policies(spec):
    return cached_random_policies(spec, 2, seed=7)


# Sums


def test_a_tally_is_mean_and_variance_however_rows_come():
    rows = np.random.default_rng(0).normal(3, 2, size=(2 * BLOCK + 500, 3))
    whole, parts = Tally(3), Tally(3)
    whole.add(rows)
    for part in np.split(rows, [1, 7, BLOCK - 1, BLOCK + 3, 2 * BLOCK, 2 * BLOCK + 10]):
        parts.add(part)
    mean, spread = whole.moments()
    assert mean == pytest.approx(rows.mean(axis=0), rel=1e-13)
    assert spread / (len(rows) - 1) == pytest.approx(rows.var(axis=0, ddof=1), rel=1e-12)
    assert whole.num_rows == parts.num_rows == len(rows)
    assert np.array_equal(whole.moments(), parts.moments())


def test_a_tally_from_its_state_is_the_same_to_the_bit():
    rows = np.random.default_rng(1).normal(size=(BLOCK + 9, 2))
    one, other = Tally(2), Tally(2)
    one.add(rows)
    other.set_state(json.loads(json.dumps(one.state())))
    one.add(rows)
    other.add(rows)
    assert np.array_equal(one.moments(), other.moments())


# Searchers


class Notes:
    """A searcher that records the first random number of its first decision."""

    def __init__(self, num_drawn):
        self.num_drawn = num_drawn
        self.noted = []

    def search(self, infostate, rng):
        numbers = rng.random(self.num_drawn)
        if not any(step.action for step in infostate.steps):
            self.noted.append((infostate.player, numbers[0]))
        return np.array([1.0, 0.0])


def test_a_searcher_has_a_random_stream_of_its_position():
    game = load_game("kuhn_poker")
    alone, beside, greedy = Notes(1), Notes(1), Notes(5)
    play_matches(game, alone, None, num_deals=20)
    play_matches(game, beside, greedy, num_deals=20)
    assert len({number for _, number in alone.noted}) == len(alone.noted) == 40
    assert beside.noted == alone.noted  # for any opponent
    assert {*greedy.noted} == {*alone.noted}  # when it plays the other position


def test_different_deals_share_no_random_numbers():
    stream = DealStream(3, 1)
    drawn = []
    for deal in (0, 1, 2, 3, 2**40):
        stream.rewind(deal)
        drawn += stream.rng.random(500).tolist()
    assert len(set(drawn)) == len(drawn)
    stream.rewind(1)
    assert stream.rng.random(500).tolist() == drawn[500:1000]


@pytest.mark.parametrize("noise", [0.0, 0.5])
def test_a_searcher_plays_its_average_policy(noise):
    tree = cached_tree("kuhn_poker")
    first, second = policies("kuhn_poker")
    result = play_matches(
        tree.game, SampledActionSearcher(first), NoisySearcher(second, noise), num_deals=800
    )
    average = TabularPolicy(
        tree.sequence_form,
        tuple(
            np.concatenate([[1.0], (1 - noise) * values[1:] + noise / 2])
            for values in second.probabilities
        ),
    )
    exact = exact_match(tree, first, average)
    assert abs(result.mean - exact.mean) < 4 * result.standard_error
    for estimate, seat in zip(result.position_utilities, exact.position_means, strict=True):
        assert abs(estimate.mean - seat) < 4 * estimate.standard_error


def test_identical_searchers_win_half_of_every_deal():
    first, _ = policies("leduc_poker")
    searcher = NoisySearcher(first, 0.5)
    result = play_matches(load_game("leduc_poker"), searcher, searcher, num_deals=40)
    assert result.interval == (0, 0)
    rates = [seat.mean for seat in result.position_win_rates]
    assert sum(rates) == pytest.approx(1)
    assert result.win_rate.mean == pytest.approx(0.5)
    assert result.win_rate.standard_error == pytest.approx(0)


# Progress reports


@pytest.mark.parametrize("workers", [1, 2])
def test_the_results_so_far_are_those_of_shorter_matches(workers):
    tree, told = cached_tree("kuhn_poker"), []
    players = policies("kuhn_poker")
    last = play_matches(tree, *players, num_deals=120_000, callback=told.append, workers=workers)
    assert len(told) > 1
    assert told[-1] == last
    for result in told:
        assert result == play_matches(tree, *players, num_deals=result.num_deals)


def test_a_callback_may_interrupt_a_match_which_resumes(tmp_path):
    def enough(result):
        seen.append(result)
        raise KeyboardInterrupt

    file, seen = tmp_path / "match.json", []
    match = {"num_deals": 100, "checkpoint": file}
    rules, players = load_game("kuhn_poker"), policies("kuhn_poker")
    with pytest.raises(KeyboardInterrupt):
        play_matches(rules, *players, **match, callback=enough)
    assert 0 < seen[0].num_deals < 100
    told = []
    whole = play_matches(rules, *players, **match, callback=told.append)
    assert told[0].num_deals > seen[0].num_deals
    assert whole == play_matches(rules, *players, num_deals=100)


# Stopping


def test_a_match_stops_when_the_interval_is_narrow_enough():
    tree = cached_tree("kuhn_poker")
    result = play_matches(tree, *policies("kuhn_poker"), half_width=0.01, num_deals=10**6)
    assert 0.009 < result.utility.half_width <= 0.01
    needed = result.num_deals
    by_number = play_matches(tree, *policies("kuhn_poker"), num_deals=needed)
    assert by_number == result
    wins = play_matches(
        tree, *policies("kuhn_poker"), half_width=0.01, win_rate_half_width=0.002, num_deals=10**6
    )
    assert wins.num_deals > needed
    assert wins.win_rate.half_width <= 0.002


def test_a_match_that_stays_too_wide_stops_at_its_number_of_deals():
    result = play_matches(
        cached_tree("kuhn_poker"), *policies("kuhn_poker"), half_width=1e-6, num_deals=3000
    )
    assert result.num_deals == 3000


def test_a_match_without_variance_stops_at_the_first_check():
    policy, _ = policies("kuhn_poker")
    result = play_matches(cached_tree("kuhn_poker"), policy, policy, half_width=0.1)
    assert (result.num_deals, result.mean) == (1024, pytest.approx(0, abs=1e-15))


def test_stopping_by_width_keeps_the_confidence_level():
    tree = cached_tree("kuhn_poker")
    exact = exact_match(tree, *policies("kuhn_poker")).mean
    hits = []
    for seed in range(150):
        result = play_matches(
            tree, *policies("kuhn_poker"), half_width=0.02, num_deals=10**5, seed=seed
        )
        assert result.num_deals > 2000
        hits.append(result.interval[0] <= exact <= result.interval[1])
    assert np.mean(hits) > 0.89  # 0.95, less three standard deviations of 150 draws


# Resuming


@pytest.mark.parametrize("representation", ["tree", "rules"])
def test_a_match_resumes_to_the_same_bits(representation, tmp_path):
    tree = cached_tree("kuhn_poker")
    played = tree if representation == "tree" else tree.game
    first, second = policies("kuhn_poker")
    file = tmp_path / "match.json"
    deals = 3000 if representation == "tree" else 60
    play_matches(played, first, second, num_deals=deals // 4, checkpoint=file)
    whole = play_matches(played, first, second, num_deals=deals, checkpoint=file)
    assert whole == play_matches(played, first, second, num_deals=deals)
    assert play_matches(played, first, second, num_deals=deals, checkpoint=file) == whole
    assert play_matches(played, first, second, num_deals=2, checkpoint=file) == whole
    assert [path.name for path in tmp_path.iterdir()] == ["match.json"]


def test_an_interrupted_match_resumes_from_the_last_chunk(tmp_path):
    game = load_game("kuhn_poker")
    first, second = policies("kuhn_poker")
    file = tmp_path / "match.json"
    with pytest.raises(KeyboardInterrupt):
        play_matches(game, FailingPolicy(first, 150), second, num_deals=200, checkpoint=file)
    kept = json.loads(file.read_text())
    assert 16 <= len(kept["deals"]["rest"]) < 150
    untroubled = FailingPolicy(first, 0)
    went_on = play_matches(game, untroubled, second, num_deals=200, checkpoint=file)
    assert went_on == play_matches(game, first, second, num_deals=200)
    anew = FailingPolicy(first, 0)
    play_matches(game, anew, second, num_deals=200)
    assert anew.left < untroubled.left - 100 < 0  # decisions in deals that were not replayed


def test_a_match_interrupted_between_checks_stops_where_it_would_have(tmp_path, monkeypatch):
    monkeypatch.setattr("infoset.matches.match.FIRST_CHECK", 100)
    game = load_game("kuhn_poker")
    policies_of_kuhn = policies("kuhn_poker")
    whole = play_matches(game, *policies_of_kuhn, num_deals=500, half_width=0.05)
    assert 250 < whole.num_deals < 500
    file = tmp_path / "match.json"
    first, second = policies_of_kuhn
    wanted = dict(num_deals=500, half_width=0.05, checkpoint=file)
    with pytest.raises(KeyboardInterrupt):
        play_matches(game, FailingPolicy(first, 400), second, **wanted)
    kept = json.loads(file.read_text())
    assert 100 < len(kept["deals"]["rest"]) < kept["next_check"]
    assert play_matches(game, FailingPolicy(first, 0), second, **wanted) == whole


KILLED = """
from infoset.evaluation import match_file
from infoset.matches import play_matches
from infoset.games import load_game

match_file.SECONDS_BETWEEN_WRITES = 0
play_matches(load_game("kuhn_poker"), None, None, num_deals=10**9, checkpoint="match.json")
"""


def test_a_process_that_is_killed_leaves_a_whole_file(tmp_path):
    file = tmp_path / "match.json"
    with subprocess.Popen([sys.executable, "-c", KILLED], cwd=tmp_path) as process:
        while process.poll() is None and not (file.exists() and file.stat().st_size > 2000):
            time.sleep(0.01)
        process.kill()
    game = load_game("kuhn_poker")
    kept = play_matches(game, None, None, num_deals=2, checkpoint=file)
    assert kept == play_matches(game, None, None, num_deals=kept.num_deals)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (dict(seed=1), "with seed 0, but this match has 1"),
        (dict(second=uniform_policy()), "with second 'table .*', but this match has 'uniform'"),
        (dict(game="leduc_poker"), "with game 'kuhn_poker'"),
        (dict(values=lambda history: (0, 0)), "with values 'none'"),
    ],
)
def test_another_match_is_refused(other, message, tmp_path):
    _, second = policies("kuhn_poker")
    file = tmp_path / "match.json"
    play_matches(load_game("kuhn_poker"), None, second, num_deals=2, checkpoint=file)
    given = {"game": "kuhn_poker", "first": None, "second": second, **other}
    given["game"] = load_game(given["game"])
    with pytest.raises(CheckpointMismatchError, match=message):
        play_matches(**given, num_deals=2, checkpoint=file)


def test_files_that_are_not_matches(tmp_path):
    game = load_game("kuhn_poker")
    damaged = tmp_path / "match.json"
    for text in ("{", "[]", "{}", "3", '{"format": 1}', "[" * 100_000, '{"format": ' + "9" * 9000):
        damaged.write_text(text)
        with pytest.raises(CheckpointFileError, match="delete"):
            play_matches(game, None, None, num_deals=2, checkpoint=damaged)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "none" / "match.json"):
        with pytest.raises(ParameterError, match="existing directory"):
            play_matches(game, None, None, num_deals=2, checkpoint=path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"next_check": None}, "next_check is None, not int"),
        ({"next_check": -1}, "next_check is -1"),
        ({"match": []}, r"match is \[\], not dict"),
        ({"deals": {}}, "means is missing"),
        ({"deals": {"rest": [[10**400]]}}, r"rest is \[\[10+"),
        ({"deals": {"rest": [[0.5]]}}, "a row does not have 6 numbers"),
        ({"deals": {"rest": [[[0.5] * 6]]}}, "rest is "),
        ({"deals": {"means": [[0.5] * 6]}}, "the numbers of means and of spreads differ"),
        ({"deals": {"spreads": [None]}}, "spreads is "),
    ],
)
def test_fields_of_other_types_are_refused(tmp_path, changes, message):
    game, file = load_game("kuhn_poker"), tmp_path / "match.json"
    play_matches(game, None, None, num_deals=2, checkpoint=file)
    stored = json.loads(file.read_text())
    del stored["sha256"]
    if changes.get("deals"):
        changes = {"deals": {**stored["deals"], **changes["deals"]}}
    file.write_text(json.dumps(with_checksum({**stored, **changes})))
    with pytest.raises(CheckpointFileError, match=message):
        play_matches(game, None, None, num_deals=2, checkpoint=file)


def test_any_changed_digit_of_a_file_is_found(tmp_path):
    game, file = load_game("kuhn_poker"), tmp_path / "match.json"
    play_matches(game, None, None, num_deals=20, checkpoint=file)
    text = file.read_text()
    for place in [place for place, character in enumerate(text) if character.isdigit()]:
        changed = str((int(text[place]) + 1) % 10)
        file.write_text(text[:place] + changed + text[place + 1 :])
        with pytest.raises(CheckpointFileError, match=r"match\.json cannot be read as a match"):
            play_matches(game, None, None, num_deals=20, checkpoint=file)


def test_a_match_goes_on_where_its_folder_vanishes(tmp_path):
    game, folder = load_game("kuhn_poker"), tmp_path / "matches"
    folder.mkdir()
    wanted = play_matches(game, None, None, num_deals=20)
    with pytest.warns(UnsavedWarning, match=r"cannot write the match to .*match\.json \(No such"):
        found = play_matches(
            game,
            None,
            None,
            num_deals=20,
            checkpoint=folder / "match.json",
            callback=lambda _: shutil.rmtree(folder, ignore_errors=True),
        )
    assert found == wanted


def test_a_match_deletes_what_a_killed_process_left(tmp_path):
    leftover = tmp_path / ".match.json.17-ab.tmp"
    leftover.write_text("half")
    os.utime(leftover, (0, 0))
    play_matches(
        load_game("kuhn_poker"), None, None, num_deals=20, checkpoint=tmp_path / "match.json"
    )
    assert os.listdir(tmp_path) == ["match.json"]


# Workers


def test_results_do_not_depend_on_the_number_of_processes():
    game = load_game("kuhn_poker")
    first, second = policies("kuhn_poker")
    players = NoisySearcher(first, 0.3), SampledActionSearcher(second)
    alone = play_matches(game, *players, num_deals=50)
    assert play_matches(game, *players, num_deals=50, workers=2) == alone


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch):
    monkeypatch.setattr("infoset.matches.tree_matches.RANDOM_NUMBERS_PER_CHUNK", 1000)
    tree = cached_tree("kuhn_poker")
    alone = play_matches(tree, *policies("kuhn_poker"), num_deals=5000)
    assert play_matches(tree, *policies("kuhn_poker"), num_deals=5000, workers=3) == alone


def test_arrays_come_as_they_are_so_that_kernels_need_not_be_compiled_again():
    tree = cached_tree("kuhn_poker")
    there = pickle.loads(packed(tree))
    assert not there.first_child.flags.writeable
    assert not there.infostate.flags.writeable
    assert there.infostate.flags.f_contiguous == tree.infostate.flags.f_contiguous
    assert (there.infostate == tree.infostate).all()


def test_classes_that_cannot_be_sent_to_a_process():
    class Local:
        def action_probabilities(self, infostate, legal_actions):
            return np.full(len(legal_actions), 1 / len(legal_actions))

    with pytest.raises(ParameterError, match="top level of a module, or give workers=1"):
        play_matches(load_game("kuhn_poker"), Local(), None, num_deals=50, workers=2)


def test_a_class_of_a_module_that_other_processes_do_not_find(monkeypatch):
    module = ModuleType("of_this_process_alone")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    module.Own = type("Own", (UniformPolicy,), {"__module__": module.__name__})
    game = load_game("kuhn_poker")
    with pytest.raises(ParameterError, match=r"'of_this_process_alone'.*workers=1"):
        play_matches(game, module.Own(), None, num_deals=50, workers=2)


def test_a_process_that_dies():
    with pytest.raises(LostWorkersError, match=r"lost 4 times.*under `if __name__ == "):
        play_matches(load_game("kuhn_poker"), CrashingPolicy(), None, num_deals=50, workers=2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(half_width=0), "exact_match"),
        (dict(half_width=-1.0), "half_width=-1.0 must be a finite number, at least 0"),
        (dict(win_rate_half_width=float("nan")), "must be a finite number"),
        (dict(workers=0), "workers=0 must be a whole number, at least 1"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ParameterError, match=message):
        play_matches(load_game("kuhn_poker"), None, None, **arguments)


def test_utilities_whose_squares_overflow_have_infinite_intervals():
    rows = np.array([[1e300, -1e300], [-1e300, 1e300], [1e300, -1e300]])
    tally = Tally(6)
    tally.add(match_columns(np.tile(rows, (2 * BLOCK, 1)), np.ones((6 * BLOCK, 2)) / 2))
    result = summarize_tally(tally, 0, ColumnBounds(*[column_bounds(np.full((2, 2), np.nan))] * 2))
    assert result.position_utilities[0].mean == pytest.approx(1e300 / 3)
    assert result.position_utilities[0].interval == (-np.inf, np.inf)
    assert result.win_rate.interval == pytest.approx((0.5, 0.5), abs=1e-3)
