"""Checks of saved score cards: all policies are measured again, all other numbers recomputed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Final

from infoset.benchmark.card_files import CARD_FILES, card_curves, card_markdown, policy_file
from infoset.benchmark.handed_policies import KeptPolicy
from infoset.benchmark.races import Entrant, RaceRun, first_passages
from infoset.benchmark.score_cards import (
    FORMAT,
    FORMAT_VERSION,
    GameRow,
    ScoreCard,
    card_facts,
    payoff_width,
)
from infoset.benchmark.subjects import Subject
from infoset.benchmark.trials import Trial, TrialResult
from infoset.errors import InfosetError, PolicyFileError, ScoreCardError, show
from infoset.evaluation import evaluate_policy
from infoset.forms import SequenceForm
from infoset.front import read_policy_metadata
from infoset.games import PackEntry, get_pack_entry, load_game
from infoset.policy import TabularPolicy, load_policy
from infoset.tree import build_sequence_form
from infoset.utils.arguments import check_path
from infoset.utils.json_fields import read_json
from infoset.utils.text import shortened

MAX_CARD: Final = 100_000_000
"""Maximum number of bytes of `card.json`."""

MAX_POLICY: Final = 200_000_000
"""Maximum number of bytes of a policy."""

NOT_COMPARED: Final = ("environment",)

ENVIRONMENT: Final = b"Measured with "
"""What the line of the page begins with that names versions and the machine."""


@dataclass(frozen=True)
class CheckedCard:
    """A score card whose policies were measured again."""

    name: str
    """Name of the subject."""
    num_policies: int
    """Number of policies that were measured."""
    problems: tuple[str, ...]
    """Places of the card that differ from what its policies and points say, and how."""

    @property
    def is_confirmed(self) -> bool:
        """Whether the card agrees with its policies and points."""
        return not self.problems

    def facts(self) -> dict[str, Any]:
        """Return the check as JSON values."""
        return {**vars(self), "is_confirmed": self.is_confirmed}


def is_card(path: str | Path) -> bool:
    """Return whether a path is that of a score card, or of its folder."""
    path = Path(path)
    return path.name == CARD_FILES[0] or (path / CARD_FILES[0]).exists()


def check_card(path: str | Path) -> CheckedCard:
    """Measure the policies of a score card again, and recompute what follows from them.

    Every policy that first reached a target, and the last one of each run, must be saved with the
    card, and have the exploitability that its point states. Ratios, times to targets and gates must
    follow from the points. Times and iterations themselves cannot be measured again.

    Parameters
    ----------
    path
        The folder of the card, or its `card.json`.

    Raises
    ------
    ScoreCardError
        If the card cannot be read, or is not about games of a pack.
    """
    check_path("path", path)
    path = Path(path)
    folder = path.parent if path.name == CARD_FILES[0] else path
    facts = _read(folder / CARD_FILES[0])
    check = _Check(folder)
    try:
        card = check.card(facts)
        expected = json.loads(json.dumps(card_facts(card)))
        problems = [*check.problems, *_differences(facts, expected, "")]
        problems += _different_files(folder, card)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise ScoreCardError(
            f"{folder / CARD_FILES[0]} is damaged: {type(error).__name__}: {shortened(str(error))}"
        ) from error
    return CheckedCard(card.subject.name, check.num_policies, tuple(problems))


def _read(path: Path) -> dict[str, Any]:
    try:
        facts = read_json(path, MAX_CARD)
    except OSError as error:
        raise ScoreCardError(f"{path} cannot be read ({error.strerror or error})") from error
    except ValueError as error:
        raise ScoreCardError(f"{path} is damaged: {error}") from error
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise ScoreCardError(
            f"{path} is not a score card that can be checked; older ones have no policies: run "
            "infoset benchmark again"
        )
    if facts.get("format_version") != FORMAT_VERSION:
        raise ScoreCardError(
            f"format_version of {path} is {show(facts.get('format_version'))}; this version of "
            f"infoset reads {FORMAT_VERSION}"
        )
    return facts


class _Check:
    """Makes the score card that the policies and points of a folder give."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.num_policies = 0
        self.problems: list[str] = []

    def card(self, facts: Mapping[str, Any]) -> ScoreCard:
        """Return the card, in which exploitabilities are as measured here."""
        subject = Subject(str(facts["subject"]), str(facts["name"]), facts["kind"])
        rows = [
            self._row(subject, game, f"games[{place}]") for place, game in enumerate(facts["games"])
        ]
        pack, seconds, seeds = str(facts["pack"]), float(facts["seconds"]), int(facts["seeds"])
        card = ScoreCard(subject, pack, seconds, seeds, tuple(rows))
        for row in rows:
            for number, run in enumerate(row.runs):
                if run.entrant.name not in card.names:
                    place = f"games[{rows.index(row)}].runs[{number}].name"
                    self.problems.append(f"{place}: {show(run.entrant.name)} is not in this card")
        return card

    def _row(self, subject: Subject, game: Mapping[str, Any], place: str) -> GameRow:
        try:
            entry = get_pack_entry(str(game["name"]))
        except InfosetError as error:
            raise ScoreCardError(f"{place}: {error}") from error
        form = build_sequence_form(load_game(entry.game))
        if "trial" in game:
            trial = self._trial(subject, entry, form, game["trial"], place)
            return GameRow(entry, payoff_width(entry), trial=trial)
        runs = [
            self._run(subject, entry, form, run, (number, f"{place}.runs[{number}]"))
            for number, run in enumerate(game["runs"])
        ]
        return GameRow(entry, payoff_width(entry), runs=tuple(runs))

    def _run(
        self,
        subject: Subject,
        entry: PackEntry,
        form: SequenceForm,
        facts: Mapping[str, Any],
        where: tuple[int, str],
    ) -> RaceRun:
        """Return a run whose points are measured again where there have to be policies."""
        number, place = where
        text = subject.text if facts["name"] == subject.name else facts["name"]
        points = [(int(one), float(two), float(three)) for one, two, three in facts["points"]]
        run = RaceRun(
            Entrant(str(facts["name"]), text, facts["seed"]),
            points,
            str(facts["outcome"]),
            str(facts["message"]),
            facts["is_repeatable"],
            float(facts["seconds_before"]),
        )
        for point in first_passages(points, form.payoff_width):
            about = {"method": text, "iterations": points[point][0], "seed": facts["seed"]}
            file = policy_file(entry.name, number, point)
            found = self._measured(file, form, about, f"{place}.policies")
            if found is not None:
                run.policies[point] = KeptPolicy(found[0], (self.folder / file).read_bytes())
                points[point] = (*points[point][:2], _as_said(points[point][2], found[1]))
        return run

    def _trial(
        self,
        subject: Subject,
        entry: PackEntry,
        form: SequenceForm,
        facts: Mapping[str, Any],
        place: str,
    ) -> TrialResult:
        """Return a searcher's results, of which only its policy can be measured again."""
        said = {key: value for key, value in facts.items() if key != "sha256"}
        result = TrialResult(Trial(entry.game, subject.text, (), 0.0, 0), **said)
        if facts["sha256"] is not None or facts["exploitability"] is not None:
            file, about = policy_file(entry.name), {"method": subject.text}
            found = self._measured(file, form, about, f"{place}.trial.sha256")
            if found is not None:
                result.policy = KeptPolicy(found[0], b"")
                result.exploitability = _as_said(float(facts["exploitability"]), found[1])
        return result

    def _measured(
        self, file: str, form: SequenceForm, about: Mapping[str, Any], place: str
    ) -> tuple[str, float] | None:
        """Return the digest and the exploitability of a policy; None if it is not as it should."""
        path = self.folder / file
        try:
            if path.stat().st_size > MAX_POLICY:
                raise PolicyFileError(f"{path} has more than {MAX_POLICY:,} bytes")
            policy = load_policy(path, form)
            known = read_policy_metadata(path) or {}
        except (InfosetError, OSError) as error:
            self.problems.append(f"{place}: {file} cannot be measured: {error}")
            return None
        assert isinstance(policy, TabularPolicy)
        for key, value in about.items():
            if known.get(key) != value:
                self.problems.append(
                    f"{place}: {file} is of {key} {show(known.get(key))}, not {show(value)}"
                )
        self.num_policies += 1
        return policy.digest, float(evaluate_policy(policy).exploitability or 0.0)


def _different_files(folder: Path, card: ScoreCard) -> Iterator[str]:
    """Yield the files of a folder that do not agree with its card."""
    _, page, curves = CARD_FILES
    texts = {page: card_markdown(card), curves: card_curves(card)}
    found: dict[str, bytes] = {name: text.encode() for name, text in texts.items()}
    for row in card.rows:
        for run in row.runs_of(card.subject.name)[:1]:
            if run.policy:
                found[f"{row.entry.name}.parquet"] = run.policy
    for name, content in found.items():
        try:
            said = (folder / name).read_bytes()
        except OSError as error:
            yield f"{name}: it cannot be read ({error.strerror or error})"
            continue
        if _without_environment(said) != _without_environment(content):
            yield f"{name}: it differs from what the card says"


def _without_environment(content: bytes) -> list[bytes]:
    """Return the lines of a file, without that of versions and machine."""
    return [line for line in content.split(b"\n") if not line.startswith(ENVIRONMENT)]


def _as_said(said: float, measured: float) -> float:
    """Return the stated number if it equals the measured one up to rounding, else the latter."""
    # Another machine may round differently; the card is then compared with its own number.
    return said if isclose(said, measured, rel_tol=1e-9, abs_tol=1e-12) else measured


def _differences(said: Any, expected: Any, place: str) -> Iterator[str]:
    """Yield the places at which a card differs from the expected content."""
    if isinstance(said, dict) and isinstance(expected, dict):
        for key in dict.fromkeys((*expected, *said)):
            if key in NOT_COMPARED and not place:
                continue
            inner = f"{place}.{key}" if place else str(key)
            yield from _differences(said.get(key), expected.get(key), inner)
    elif isinstance(said, list) and isinstance(expected, list) and len(said) == len(expected):
        for number, pair in enumerate(zip(said, expected, strict=True)):
            yield from _differences(*pair, f"{place}[{number}]")
    elif said != expected or type(said) is not type(expected):
        yield (
            f"{place}: the card says {show(said)}, but its policies and points give "
            f"{show(expected)}"
        )
