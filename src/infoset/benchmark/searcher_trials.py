"""What the child process does with searchers: gates, matches and the policy to measure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import numpy as np

from infoset.beliefs.leak_test import Search, find_leak
from infoset.benchmark.child_messages import Messenger
from infoset.benchmark.handed_policies import pack_policy
from infoset.benchmark.subjects import Subject, find_subject
from infoset.errors import InfosetError, UnsupportedGameError, describe_exception
from infoset.front.players import resolve_players
from infoset.game import Game, Infostate, initial_history
from infoset.games import load_game
from infoset.matches import MatchResult, SupportsSearch, play_matches
from infoset.policy import Policy, tabulate
from infoset.search import SearchModel, search_model
from infoset.tree import build_sequence_form
from infoset.typing import Action, FloatArray

MAX_DEALS: Final = 2000
"""Maximum number of deals of a match."""

MAX_INFOSTATES: Final = 5000
"""Limit on the infostates of a game in which the exact best response is computed."""

MATCH: Final = "match against"
"""What the names of stages that are matches begin with."""

QUERIES: Final = 10
"""Number of decisions that are repeated by a new searcher."""


class _EnoughError(Exception):
    """The seconds of a stage are used up."""


class _Trial:
    """A searcher in one game."""

    def __init__(self, job: Mapping[str, Any], messenger: Messenger) -> None:
        self.job, self.messenger = job, messenger
        self.game: Game = load_game(job["game"])
        self.subject: Subject = find_subject(job["text"])
        self.model: SearchModel = search_model(self.game)
        self.began = 0.0

    def stages(self) -> Iterator[tuple[str, Callable[[], object]]]:
        """Yield the stages, in order."""
        yield "first call", self.first_call
        yield "leak test", self.leak_test
        yield "repetition", self.repetition
        for anchor in self.job["anchors"]:
            yield f"{MATCH} {anchor}", partial(self.match, anchor)
        yield "best response", self.best_response

    def new(self) -> Policy | SupportsSearch:
        """Return a new searcher."""
        return self.subject.searcher(self.game)

    def search(self) -> Search:
        """Return a new searcher as a function of an infostate and a random generator."""
        made = self.new()
        if isinstance(made, SupportsSearch):
            return made.search

        def ask(infostate: Infostate, rng: np.random.Generator) -> FloatArray:
            legal = self.model.require_legal_actions(infostate)
            return np.asarray(made.action_probabilities(infostate, legal), np.float64)

        return ask

    def check_time(self, *_: object) -> None:
        """Raise if the seconds of the stage are used up."""
        if time.process_time() - self.began > self.job["seconds"]:
            raise _EnoughError

    def first_call(self) -> None:
        """Search once, so that kernels are compiled."""
        for infostate, _ in self.decisions(1):
            self.search()(infostate, np.random.default_rng(0))

    def decisions(self, number: int) -> Iterator[tuple[Infostate, Sequence[Action]]]:
        """Yield decisions of random plays."""
        rng = np.random.default_rng(0)
        while number > 0:
            history = initial_history(self.game)
            while not history.is_terminal and number > 0:
                chosen = {}
                for player in history.actors:
                    legal = history.legal_actions(player)
                    yield history.infostates[player], legal
                    number -= 1
                    chosen[player] = legal[int(rng.integers(len(legal)))]
                history = history.sample(history.joint(chosen), rng)

    def leak_test(self) -> None:
        """Test random plays with different seeds, as many as the time allows."""
        plays, leak = 0, None
        with suppress(_EnoughError):
            while leak is None:
                leak = find_leak(
                    self.game, self.search(), seed=plays, num_plays=1, make_search=self.search
                )
                plays += 1
                self.check_time()
        self.messenger.send("leak", plays=plays, leak=None if leak is None else str(leak))

    def repetition(self) -> None:
        """Repeat searches by a second searcher, with the same generators."""
        first, second = self.search(), self.search()
        is_same, num_tested = True, 0
        with suppress(_EnoughError):
            for infostate, _ in self.decisions(QUERIES):
                one, other = (
                    np.asarray(search(infostate, np.random.default_rng(num_tested)))
                    for search in (first, second)
                )
                is_same &= one.tobytes() == other.tobytes()
                num_tested += 1
                self.check_time()
        self.messenger.send("repetition", is_same=bool(is_same), queries=num_tested)

    def match(self, anchor: str) -> None:
        """Play against an anchor until the time is over."""
        (opponent,) = resolve_players([anchor], self.game)
        so_far: list[MatchResult] = []

        def watch(result: MatchResult) -> None:
            so_far[:] = [result]
            self.check_time()

        with suppress(_EnoughError):
            play_matches(
                self.game, self.new(), opponent, num_deals=self.job["deals"], callback=watch
            )
        utility = so_far[0].utility
        numbers = [utility.mean, *utility.interval]
        self.messenger.send("match", anchor=anchor, numbers=numbers, deals=so_far[0].num_deals)

    def best_response(self) -> None:
        """Send the policy of the searcher, if the tree is small enough."""
        form = build_sequence_form(self.game)
        if sum(plex.num_infostates for plex in form.treeplexes) > MAX_INFOSTATES:
            self.messenger.send("response", data=None, reason="the game is too large")
            return
        search = self.search()

        def ask(infostate: Infostate, legal_actions: Sequence[Action]) -> FloatArray:
            self.check_time()
            # Each infostate has its own random numbers, which depend on nothing else.
            seed = np.frombuffer(repr(infostate).encode(), np.uint8).tolist()
            return search(infostate, np.random.default_rng(seed))

        try:
            found = tabulate(form, ask)
        except _EnoughError:
            self.messenger.send("response", data=None, reason="not within the seconds")
            return
        self.messenger.send("response", data=pack_policy(found), reason="")


def run_trials(job: Mapping[str, Any], messenger: Messenger) -> None:
    """Run the stages of a trial that are not done yet, and report each result.

    Parameters
    ----------
    job
        `game`, `text` (the searcher), `seconds` of each stage, `deals`, `anchors`, and `skip`: the
        names of stages to leave out.
    """
    messenger.send("stage", stage="build", run=None)
    trial = _Trial(job, messenger)
    for stage, work in trial.stages():
        if stage in job["skip"]:
            continue
        messenger.send("stage", stage=stage, run=None)
        trial.began = time.process_time()
        try:
            work()
        except UnsupportedGameError as error:
            if not stage.startswith(MATCH):  # otherwise it is the opponent that does not apply
                messenger.send("failed", stage=stage, message=str(error), applies=False)
                return
        except InfosetError as error:
            messenger.send("failed", stage=stage, message=str(error), applies=True)
        except BaseException as error:
            messenger.send("failed", stage=stage, message=describe_exception(error), applies=True)
        messenger.send("ended", stage=stage)
