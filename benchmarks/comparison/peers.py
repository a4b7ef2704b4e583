"""The peers: their installation, their input, and their definition of an iteration."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from comparison.conversation import WORKERS, Conversation, PeerError
from comparison.environment import PeerEnvironment
from comparison.forms import GameFiles, difference, load_form, load_gap
from comparison.games import BenchmarkGame

__all__ = ["PEERS", "Peer", "PeerError", "PeerRun"]

BUILD_SECONDS = 60.0
WALK_SECONDS = 300.0
MOST_WRITTEN = 800_000
"""Maximum number of histories of a game in a file."""
RUN_SECONDS = 120.0

Input = Callable[[BenchmarkGame, GameFiles], str]


@dataclass(frozen=True)
class Peer:
    """Another library.

    Attributes
    ----------
    name : str
    requirement : str
        The pinned distribution.
    worker : str
        Name of the worker script.
    method : str
        Description of the method, for the tables.
    iteration : str
        Definition of an iteration; empty for methods without iterations.
    given : callable
        Function that returns the text or file from which the worker builds the game.
    most_histories : int
        Maximum number of histories. The peer needs too much time or memory to read larger games.
    most_players : int
    walks : bool
        Whether the peer uses its own implementation of the game, which must be compared with ours.
    averages_next : bool
        Whether the peer averages the policies after each update.
    times_targets : bool
        Whether the tables of times to a target include the peer.
    """

    name: str
    requirement: str
    worker: str
    method: str
    iteration: str
    given: Input
    most_histories: int
    most_players: int = 2
    walks: bool = False
    averages_next: bool = False
    times_targets: bool = True

    @property
    def is_exact(self) -> bool:
        """Whether the method has no iterations."""
        return not self.iteration

    def refuses(self, files: GameFiles) -> str:
        """Return the reason to skip a game, or an empty text."""
        if files.tree.num_players > self.most_players:
            return f"{self.most_players} players only"
        if files.tree.num_histories > self.most_histories:
            return f">{self.most_histories:,} histories"
        return ""


def openspiel_input(game: BenchmarkGame, files: GameFiles) -> str:
    """Return the name of a game in OpenSpiel, or the path of an `.efg` file if it has none.

    Raises
    ------
    PeerError
        If there is neither, because the file would be too long.
    """
    if not game.in_openspiel and files.tree.num_histories > MOST_WRITTEN:
        raise PeerError(f">{MOST_WRITTEN:,} histories")
    return game.spec if game.in_openspiel else files.efg


PEERS = (
    Peer(
        "OpenSpiel",
        "open_spiel==2.0.2",
        "openspiel_worker.py",
        "CFR+ in C++",
        "`CFRPlusSolver.evaluate_and_update_policy`, called from Python: every player updated in "
        "turn, each by a walk of all histories; linear average of the policies before the update",
        openspiel_input,
        most_histories=5_000_000,
        most_players=10,
        walks=True,
    ),
    Peer(
        "LiteEFG",
        "LiteEFG==1.0.0",
        "liteefg_worker.py",
        "CFR+ in C++",
        "`update_graph`, which updates both players in turn, each by a walk of all histories, and "
        "`update_strategy` for the linear average of the policies after the update",
        lambda game, files: files.liteefg,
        most_histories=MOST_WRITTEN,
        averages_next=True,
    ),
    Peer(
        "noregret",
        "noregret==0.0.0.dev3",
        "noregret_worker.py",
        "CFR+ in NumPy",
        "`observe_utility` and `next_strategy` of both players in turn, which keep the linear "
        "average; the package leaves the loop and the sparse payoffs between players to its user",
        lambda game, files: files.arrays,
        most_histories=400_000,
        times_targets=False,
    ),
    Peer(
        "pygambit",
        "pygambit==16.7.0",
        "gambit_worker.py",
        "sequence-form LP in C++",
        "",
        lambda game, files: files.efg,
        most_histories=100_000,
    ),
)
"""All peers, in the order of the tables."""


class PeerRun:
    """A peer that runs on a game.

    Parameters
    ----------
    peer : Peer
    game : BenchmarkGame
    files : GameFiles
    environment : PeerEnvironment

    Raises
    ------
    PeerError
        If the peer is not installed, or if it does not support the game, cannot build it, or builds
        a different game.
    """

    def __init__(
        self, peer: Peer, game: BenchmarkGame, files: GameFiles, environment: PeerEnvironment
    ) -> None:
        if reason := environment.missing.get(peer.requirement) or peer.refuses(files):
            raise PeerError(reason)
        self.peer = peer
        self.iterations = 0
        self.seconds = 0.0
        given = peer.given(game, files)
        self._answer = files.folder / "answer.npz"
        self._talk = Conversation(environment.python, WORKERS / peer.worker, files.folder)
        try:
            self.build_seconds = float(self._ask("build", game=given)["seconds"])
            self._form = self._walked(files) if peer.walks else files.form.sequence_form
        except PeerError:
            self.close()
            raise

    def _walked(self, files: GameFiles) -> Any:
        path = files.folder / "walked.npz"
        self._ask("form", WALK_SECONDS, path=str(path))
        form = load_form(path, files.tree.sequence_form)
        if found := difference(files.tree.sequence_form, form):
            raise PeerError(f"another game there: {found}")
        return form

    def _ask(self, method: str, limit: float = BUILD_SECONDS, **arguments: Any) -> dict[str, Any]:
        return self._talk.ask(method, limit, **arguments)

    def run(self, iterations: int, limit: float = RUN_SECONDS) -> float:
        """Run some iterations and return their seconds.

        Raises
        ------
        PeerError
            If the iterations exceed the time limit.
        """
        seconds = float(self._ask("run", limit, iterations=iterations)["seconds"])
        self.iterations += iterations
        self.seconds += seconds
        return seconds

    def gap(self) -> float:
        """Return the exploitability (or NashConv) of the current answer by our best response."""
        self._ask("policy", path=str(self._answer))
        return load_gap(Path(self._answer), self._form)

    def close(self) -> None:
        """End the peer's process."""
        self._talk.__exit__(None, None, None)
