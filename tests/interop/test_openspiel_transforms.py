"""OpenSpiel's games of games load and are right, where some of OpenSpiel's observers crash.

A crash ends a process, so the games are loaded in a process of their own, and the test names the
game at which it ended.
"""

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from infoset.interop import OpenSpielGame, load_openspiel
from infoset.interop.openspiel import trials
from tests.interop.openspiel_pairs import WRAPPED

pyspiel = pytest.importorskip("pyspiel")

pytestmark = pytest.mark.broad

ROOT = Path(__file__).parents[2]
POKER = (
    "universal_poker(numRounds=1,blind=1 1,stack=2 2,firstPlayer=1,numSuits=1,numRanks=3,"
    "numBoardCards=0,bettingAbstraction=fullgame)"
)
FISH = "go_fish(players=2,ranks=2,suits=2,initial_cards=1)"
BIDS = "goofspiel(num_cards=2,imp_info=True)"

CRASHING = [
    "restricted_nash_response(game=tiny_hanabi())",
    "restricted_nash_response(game=liars_dice(dice_sides=2),fixed_player=0,p=0.75)",
    "restricted_nash_response(game=liars_dice_ir(dice_sides=2),fixed_player=1)",
    "restricted_nash_response(game=dark_hex(board_size=2),p=1)",
    "restricted_nash_response(game=lewis_signaling())",
    "restricted_nash_response(game=first_sealed_auction(max_value=2),p=0.25)",
    f"restricted_nash_response(game={FISH},fixed_player=1,p=1)",
    f"restricted_nash_response(game={POKER})",
    "restricted_nash_response(game=phantom_go(board_size=2,max_game_length=2))",
    "restricted_nash_response(game=trade_comm(num_items=1))",
    f"restricted_nash_response(game=turn_based_simultaneous_game(game={BIDS}))",
    "restricted_nash_response(game=misere(game=tiny_hanabi()))",
]
"""Games whose observers crash."""

OBSERVED = "restricted_nash_response(game=kuhn_poker())"
HARMLESS = [
    OBSERVED,
    "restricted_nash_response(game=coordinated_mp())",
    "misere(game=restricted_nash_response(game=liars_dice(dice_sides=2)))",
    "misere(game=liars_dice(dice_sides=2))",
    f"misere(game={POKER})",
    "zerosum(game=tiny_hanabi())",
    "zerosum(game=restricted_nash_response(game=lewis_signaling()))",
    "cached_tree(game=tiny_hanabi())",
    f"cached_tree(game={FISH})",
    "add_noise(game=tiny_hanabi(),epsilon=0,seed=1)",
    "add_noise(game=kuhn_poker(),epsilon=0,seed=1)",
    "start_at(game=tiny_hanabi(),history=0;1)",
    "start_at(game=kuhn_poker(),history=2;0)",
    f"turn_based_simultaneous_game(game={BIDS})",
    "turn_based_simultaneous_game(game=matrix_mp())",
    "coop_to_1p(game=tiny_hanabi())",
    "normal_form_extensive_game(game=coordinated_mp())",
    "repeated_game(stage_game=matrix_pd(),num_repetitions=2)",
]
TRANSFORMED = CRASHING + HARMLESS
WRAPPED_TOO = [CRASHING[0], OBSERVED, "misere(game=liars_dice(dice_sides=2))"]

TRANSFORMS = [
    "restricted_nash_response(game={})",
    "restricted_nash_response(game={},fixed_player=1,p=0.25)",
    "restricted_nash_response(game=misere(game={}))",
    "restricted_nash_response(game=turn_based_simultaneous_game(game={}))",
    "misere(game={})",
    "misere(game=restricted_nash_response(game={}))",
    "zerosum(game={})",
    "zerosum(game=turn_based_simultaneous_game(game={}))",
    "add_noise(game={})",
    "cached_tree(game={})",
    "coop_to_1p(game={})",
    "repeated_game(stage_game={},num_repetitions=2)",
    "repeated_poker(universal_poker_game_string={},max_num_hands=1)",
    "start_at(game={},history=0)",
    "turn_based_simultaneous_game(game={})",
    "{}",
]


@cache
def answers(task, specs):
    """Return what a process says about each of some games; None from a crash on."""
    program = [sys.executable, "-m", "tests.interop.openspiel_pairs", task, json.dumps(specs)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return dict(zip(specs, lines + [None] * (len(specs) - len(lines)), strict=True))


def in_one_process(spec):
    """Return what a process that loads all games of this page says about one of them."""
    specs = (*TRANSFORMED, *(WRAPPED + spec for spec in WRAPPED_TOO))
    return answers("compared", specs)[spec]


@pytest.mark.parametrize("spec", TRANSFORMED)
def test_a_game_of_a_game_loads_and_is_openspiel_s(spec):
    found = in_one_process(spec)
    assert found is not None, "the process ended here, or at a game before"
    assert found["ours"][0] == found["theirs"][0] > 1
    assert found["ours"][1] == pytest.approx(found["theirs"][1], abs=1e-12)
    assert found["observers"] == (spec == OBSERVED)
    crash = any("observers" in note and "crash" in note for note in found["notes"])
    assert crash == (spec in CRASHING)


def test_the_response_to_a_restricted_opponent_in_liars_dice():
    assert in_one_process(CRASHING[1])["ours"] == [255, [0.125, -0.125]]
    spec = "openspiel:" + CRASHING[1]
    # -5/32, by another program's linear program over OpenSpiel's information-state strings.
    values = answers("solved", (spec,))[spec]["values"]
    assert values == pytest.approx([-0.15625, 0.15625], abs=1e-9)


@pytest.mark.parametrize("spec", WRAPPED_TOO)
def test_a_game_that_openspiel_has_loaded_can_be_wrapped(spec):
    wrapped = in_one_process(WRAPPED + spec)
    assert wrapped is not None
    assert wrapped["ours"] == in_one_process(spec)["ours"]
    # OpenSpiel prints names for responses that it cannot load, so that they cannot be tried.
    assert not wrapped["observers"]


def test_observers_of_plain_games_need_no_trial(monkeypatch):
    monkeypatch.setattr(trials, "run_trial", None)
    for name in ("kuhn_poker", "python_kuhn_poker", "tiny_hanabi"):
        game = load_openspiel(name)
        assert (game._sources.public is not None) == (name != "tiny_hanabi")
        wrapped = OpenSpielGame(game.pyspiel_game)
        assert wrapped._sources.public is None or wrapped.notes == game.notes


def test_a_game_with_parameters_is_tried_once(monkeypatch):
    held, run_trial = [], trials.run_trial
    monkeypatch.setattr(trials, "run_trial", lambda text: held.append(text) or run_trial(text))
    trials.try_apart.cache_clear()
    for _ in range(2):
        assert load_openspiel("leduc_poker(players=3)")._sources.public is not None
        assert (
            OpenSpielGame(pyspiel.load_game("leduc_poker(players=3)"))._sources.public is not None
        )
    assert len(held) == 1


@pytest.mark.long
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_no_transform_of_a_game_ends_the_process(transform):
    pytest.importorskip("open_spiel.python.games")
    mean_field = pyspiel.GameType.Dynamics.MEAN_FIELD
    names = [
        one.short_name
        for one in pyspiel.registered_games()
        if one.default_loadable and one.dynamics != mean_field and "pokerkit" not in one.short_name
    ]
    for first in range(0, len(names), 20):
        specs = tuple(transform.format(name + "()") for name in names[first : first + 20])
        assert [spec for spec, found in answers("begun", specs).items() if found is None] == []
