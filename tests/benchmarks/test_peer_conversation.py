"""Communication with workers: answers, errors, limits; OpenSpiel's CFR+ against ours."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from comparison.conversation import WORKERS, Conversation, PeerError
from comparison.forms import GameFiles
from comparison.games import GAMES, BenchmarkGame, choose
from comparison.iterations import start
from comparison.ours import gap_after
from comparison.peers import PEERS, PeerRun
from comparison.targets import iterate_there
from workers.serve import GRACE

import infoset

pytestmark = pytest.mark.benchmarks

WORKER = f"""
import sys, time
sys.path.insert(0, {str(WORKERS)!r})
from serve import serve

class Worker:
    def double(self, number):
        print("noise on standard output")
        return {{"number": 2 * number}}

    def fail(self):
        raise ValueError("seven is odd")

    def leave(self):
        sys.exit("out of memory")

    def sleep(self):
        time.sleep(60)

serve(Worker())
"""


@pytest.fixture
def worker(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(WORKER)
    with Conversation(Path(sys.executable), script, tmp_path) as talk:
        yield talk


def test_answers_are_apart_from_what_a_library_prints(worker):
    assert worker.ask("double", 30, number=21) == {"number": 42}
    assert worker.ask("double", 30, number=2) == {"number": 4}


def test_an_error_there_is_one_here_and_the_worker_goes_on(worker):
    with pytest.raises(PeerError, match="ValueError: seven is odd"):
        worker.ask("fail", 30)
    assert worker.ask("double", 30, number=1) == {"number": 2}


def test_the_last_output_of_a_worker_that_ends_is_reported(worker):
    with pytest.raises(PeerError, match="worker ended: out of memory"):
        worker.ask("leave", 30)
    with pytest.raises(PeerError, match="worker ended"):
        worker.ask("double", 30, number=1)


def test_a_worker_that_takes_too_long_is_given_up(worker):
    worker.ask("double", 30, number=1)
    with pytest.raises(PeerError, match=r">0\.2 s"):
        worker.ask("sleep", 0.2)


def test_a_worker_that_nobody_waits_for_ends_itself(worker, tmp_path):
    request = json.dumps({"do": "sleep", "limit": 0.1 - GRACE})
    done = subprocess.run(
        [sys.executable, tmp_path / "worker.py"],
        input=f"{request}\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout == ""
    assert "in sleep" in done.stderr


@dataclass
class HereToo:
    """Replacement of the peers' environment by that of the tests, which has OpenSpiel."""

    python: Path = Path(sys.executable)
    missing: dict[str, str] = field(default_factory=dict)


OPENSPIEL = PEERS[0]
GOOFSPIEL = "goofspiel(num_cards=3,imp_info=True,points_order=random)"


@pytest.fixture(
    params=[
        BenchmarkGame("kuhn", "", "kuhn_poker"),
        BenchmarkGame("leduc_efg", "", "leduc_poker(num_ranks=2)", in_openspiel=False),
        BenchmarkGame("kuhn_3p", "", "kuhn_poker(players=3)"),
        BenchmarkGame("goofspiel", "", GOOFSPIEL),
    ],
    ids=lambda game: game.name,
)
def game(request):
    return request.param


def test_openspiel_plays_our_game_and_comes_as_far(game, tmp_path):
    pytest.importorskip("pyspiel")
    files = GameFiles(infoset.build_tree(infoset.load(game.spec)), tmp_path)
    run = start(OPENSPIEL, game, files, HereToo())
    try:
        reached = iterate_there(run, limit=run.seconds + 0.005)
        assert run.iterations > 5
        expected = gap_after(files.tree.sequence_form, run.iterations, averages_next=False)
        if run.iterations < 50:  # later, rounding decides
            assert reached[-1][1] == pytest.approx(expected, rel=1e-6)
        assert [seconds for seconds, _ in reached] == sorted(seconds for seconds, _ in reached)
    finally:
        run.close()


def test_another_game_there_is_refused(tmp_path):
    pytest.importorskip("pyspiel")
    files = GameFiles(infoset.build_tree(infoset.load("kuhn_poker")), tmp_path)
    with pytest.raises(PeerError, match="another game there: infosets"):
        PeerRun(OPENSPIEL, BenchmarkGame("", "", "leduc_poker"), files, HereToo())


def test_an_average_of_other_policies_is_refused(tmp_path):
    pytest.importorskip("pyspiel")
    files = GameFiles(infoset.build_tree(infoset.load("kuhn_poker")), tmp_path)
    with pytest.raises(PeerError, match="after 5 iterations, not"):
        start(replace(OPENSPIEL, averages_next=True), choose(["kuhn"])[0], files, HereToo())


def test_a_peer_says_why_it_is_not_run(tmp_path):
    files = GameFiles(infoset.build_tree(infoset.load("kuhn_poker(players=3)")), tmp_path)
    gambit = PEERS[-1]
    with pytest.raises(PeerError, match="2 players only"):
        PeerRun(gambit, GAMES[0], files, HereToo())
    lacking = HereToo(missing={gambit.requirement: "no compiler"})
    with pytest.raises(PeerError, match="no compiler"):
        PeerRun(gambit, GAMES[0], files, lacking)


def test_games_are_chosen_by_name():
    assert [game.name for game in choose(["leduc", "kuhn"])] == ["leduc", "kuhn"]
    assert choose([]) == list(GAMES)
    with pytest.raises(ValueError, match="unknown game 'leduck': choose from kuhn, leduc"):
        choose(["leduck"])


def test_games_have_different_names_and_titles():
    assert len({game.name for game in GAMES}) == len({game.title for game in GAMES}) == len(GAMES)
