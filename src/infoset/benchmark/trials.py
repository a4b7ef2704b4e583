"""Trials: a searcher in one game, in a child process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from infoset.benchmark.child_process import ChildJob, ChildLimits, run_children
from infoset.benchmark.handed_policies import (
    KeptPolicy,
    keep_policy,
    message_bytes,
    unpack_policy,
)
from infoset.errors import ParameterError
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm
from infoset.games import load_game
from infoset.tree import build_sequence_form

EXTRA_SECONDS = 10.0
"""Seconds of processor time beyond its own after which a stage is stopped that does not end."""

UNRESUMED = ("build", "first call")
"""Stages without which no other stage is possible."""


@dataclass(frozen=True)
class Trial:
    """What is measured of a searcher in one game. It is plain data."""

    game: str
    """A registered game."""
    text: str
    """The searcher, as in `find_subject`."""
    anchors: tuple[str, ...]
    """Its opponents in matches, as in `infoset match`."""
    seconds: float
    """Seconds of processor time of each stage: the leak test, each match, the best response."""
    deals: int
    """Maximum number of deals of a match."""


@dataclass
class TrialResult:
    """What a trial has measured."""

    trial: Trial
    plays: int = 0
    """Number of plays of the leak test."""
    leak: str = ""
    """The leak that was found; empty if none was."""
    is_repeatable: bool | None = None
    """Whether a second searcher gave the same bits; None if that was not tested."""
    matches: dict[str, tuple[float, float, float, int]] = field(default_factory=dict)
    """By anchor: the mean utility, the ends of its 95% interval, and the number of deals."""
    exploitability: float | None = None
    """Exact exploitability of the policy that searches once at each infostate; None if it was not
    computed, for the reason `not_computed`. It is measured here, outside of the process of the
    searcher, in contrast to everything else."""
    not_computed: str = ""
    policy: KeptPolicy | None = None
    """That policy."""
    failures: dict[str, str] = field(default_factory=dict)
    """By stage, why it failed."""
    applies: bool = True
    """Whether the searcher supports the game."""


def run_trial(trial: Trial, limits: ChildLimits | None = None) -> TrialResult:
    """Run all stages of a trial; a stage that hangs or ends the process is left out.

    Parameters
    ----------
    limits
        By default, a stage may take ten seconds of processor time more than it should.
    """
    limits = limits or ChildLimits(trial.seconds + EXTRA_SECONDS)
    result, skipped = TrialResult(trial), list[str]()
    form = build_sequence_form(load_game(trial.game))

    def note(message: Mapping[str, Any], _: float) -> None:
        try:
            if message["kind"] == "ended":
                if message["stage"] != "first call":
                    skipped.append(str(message["stage"]))
            elif message["kind"] == "response":
                _measure(result, message, form)
            elif message["kind"] != "begins":
                _note(result, message)
        except (KeyError, TypeError, ValueError) as error:
            raise ParameterError("its process sent a message that cannot be read") from error

    while True:
        numbers = {"seconds": trial.seconds, "deals": trial.deals}
        names = {"game": trial.game, "text": trial.text, "anchors": trial.anchors}
        job = {"task": "trials", **names, **numbers, "skip": [*skipped]}
        (end,) = run_children([ChildJob(job, note, message_bytes(form))], limits)
        if not end.reason:
            return result
        result.failures[end.stage] = end.reason
        if end.stage in UNRESUMED:
            return result
        skipped.append(end.stage)


def _measure(result: TrialResult, message: Mapping[str, Any], form: SequenceForm) -> None:
    """Measure the policy that was sent, if there is one."""
    result.not_computed = str(message["reason"])
    if message["data"] is not None:
        policy = unpack_policy(message["data"], form)
        result.exploitability = evaluate_policy(policy).exploitability
        result.policy = keep_policy(policy, {"method": result.trial.text})


def _note(result: TrialResult, message: Mapping[str, Any]) -> None:
    """Add what a message says to the result."""
    kind = message["kind"]
    if kind == "leak":
        result.plays, result.leak = int(message["plays"]), str(message["leak"] or "")
    elif kind == "repetition":
        result.is_repeatable = bool(message["is_same"]) if message["queries"] else None
    elif kind == "match":
        mean, low, high = map(float, message["numbers"])
        result.matches[str(message["anchor"])] = (mean, low, high, int(message["deals"]))
    elif kind == "failed":
        result.applies = result.applies and bool(message["applies"])
        result.failures[str(message["stage"])] = str(message["message"])
