"""Score cards as files: JSON, Markdown, and curves as CSV and pictures."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from math import inf, isinf
from pathlib import Path
from typing import TYPE_CHECKING, Final

from infoset.benchmark.handed_policies import KeptPolicy
from infoset.benchmark.races import TARGETS
from infoset.benchmark.score_cards import GameRow, Ratio, ScoreCard, card_facts
from infoset.benchmark.trials import TrialResult
from infoset.plotting import plot_comparison, save_figure
from infoset.runs import TracePoint, make_trace
from infoset.utils.arguments import check_path, check_type
from infoset.utils.files import write_folder, write_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


CARD_FILES: Final = ("card.json", "card.md", "curves.csv")
"""Files of every score card; methods also have a picture and a policy for each game."""

POLICIES: Final = "policies"
"""Folder of the policies by which a card can be checked."""


def save_card(card: ScoreCard, folder: str | Path, *, pictures: bool = True) -> Path:
    """Write a score card to a new folder, completely or not at all.

    Parameters
    ----------
    folder
        If it exists, a number is appended to the name.
    pictures
        Whether to draw the curves of each game.

    Returns
    -------
    Path
        The new folder.

    Raises
    ------
    OSError
        If the folder cannot be written.
    """
    check_type("card", card, ScoreCard, 'a score card, such as score_subject("pcfr+")')
    check_path("folder", folder)

    def write(to: Path) -> None:
        write_text(to / "card.json", json.dumps(card_facts(card), indent=1) + "\n")
        write_text(to / "card.md", card_markdown(card))
        write_text(to / "curves.csv", card_curves(card))
        for row in card.rows:
            for run in row.runs_of(card.subject.name)[:1]:
                if run.policy:
                    (to / f"{row.entry.name}.parquet").write_bytes(run.policy)
            for file, policy in policy_files(row).items():
                (to / file).parent.mkdir(exist_ok=True)
                (to / file).write_bytes(policy.file)
            if pictures and any(run.points for run in row.runs):
                save_figure(plot_card(card, row), to / f"{row.entry.name}.svg")

    return write_folder(folder, write)


def policy_file(game: str, *numbers: int) -> str:
    """Return the file of a policy: of a run by its number and that of its point."""
    return f"{POLICIES}/{'-'.join([game, *map(str, numbers)])}.parquet"


def policy_files(row: GameRow) -> dict[str, KeptPolicy]:
    """Return the policies of a game by file."""
    if row.trial is not None:
        found = row.trial.policy
        return {} if found is None else {policy_file(row.entry.name): found}
    return {
        policy_file(row.entry.name, number, place): policy
        for number, run in enumerate(row.runs)
        for place, policy in run.policies.items()
    }


def card_curves(card: ScoreCard) -> str:
    """Return all measurements as comma-separated values."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("game", "method", "seed", "iteration", "seconds", "exploitability"))
    for row in card.rows:
        for run in row.runs:
            for point in run.points:
                writer.writerow((row.entry.name, run.entrant.name, run.entrant.seed, *point))
    return text.getvalue()


def plot_card(card: ScoreCard, row: GameRow) -> Figure:
    """Draw the curves of all methods on one game."""
    found: list[tuple[str, Sequence[TracePoint]]] = [
        (
            run.entrant.name,
            make_trace(
                [point[2] for point in run.points],
                iterations=[point[0] for point in run.points],
                seconds=[point[1] for point in run.points],
            ),
        )
        for name in card.names
        for run in row.runs_of(name)
        if run.points
    ]
    return plot_comparison(found, payoff_width=row.payoff_width, title=row.entry.game)


def card_markdown(card: ScoreCard) -> str:
    """Return a score card as a page in Markdown."""
    unit = "each stage" if card.subject.kind == "searcher" else "each run"
    environment = ", ".join(f"{name} {value}" for name, value in card.environment().items())
    head = [
        f"# Score card of {card.subject.name}",
        "",
        f"A {card.subject.kind} on the pack `{card.pack}`: {len(card.rows)} games, "
        f"{card.seconds:g} s of processor time for {unit}, seeds: {card.seeds}.",
        "",
        f"Measured with {environment}.",
        "",
        "## Gates",
        "",
        *_table(
            ("gate", "", "found"),
            [
                (
                    gate.name,
                    "passed" if gate.is_passed else "**failed**",
                    # A cell of a table has one line, and no bars.
                    " ".join(gate.found.replace("|", "/").split()),
                )
                for gate in card.gates
            ],
        ),
        "",
    ]
    body = _searcher_part(card) if card.subject.kind == "searcher" else _method_part(card)
    return "\n".join([*head, *body]) + "\n"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _method_part(card: ScoreCard) -> list[str]:
    """Return the ranking, and a table for each game."""
    pairs = f"{len(card.rows)} games × {len(TARGETS)} targets"
    lines = [
        "## Ranking",
        "",
        f"Time to reach an exploitability of 10⁻² to 10⁻⁶ of the payoff range, divided by that of "
        f"`{card.reference}`, over {pairs}. Below 1 is faster. A target that was never reached "
        "counts as infinite in the median, and one that only the reference did not reach as 0.",
        "",
    ]
    for column, what in ((1, "processor time"), (0, "iterations")):
        lines += [
            *_table(
                (
                    "method",
                    f"median ratio of {what}",
                    "geometric mean",
                    "both reached",
                    "never reached",
                    "reference never",
                    "neither",
                ),
                [_ratio_cells(ratio) for ratio in card.ratios(column)],
            ),
            "",
        ]
    for row in card.rows:
        lines += [f"## {row.entry.game}", "", *_game_table(card, row), ""]
    return lines


def _ratio_cells(ratio: Ratio) -> tuple[str, ...]:
    middle = "never" if isinf(ratio.median) else f"{ratio.median:.3g}"
    counts = (ratio.num_both, ratio.num_never, ratio.num_reference_never, ratio.num_neither)
    return (ratio.name, middle, f"{ratio.geometric_mean:.3g}", *map(str, counts))


def _game_table(card: ScoreCard, row: GameRow) -> list[str]:
    """Return the exploitability at the end, and the times to the targets."""
    rows = []
    for name in card.names:
        runs = row.runs_of(name)
        worst = max((run.exploitability for run in runs), default=inf)
        outcome = ", ".join(dict.fromkeys(run.outcome for run in runs))
        times = [row.first(name, target, 1) for target in TARGETS]
        cells = ["never" if isinf(time) else f"{time:.3g} s" for time in times]
        rows.append((name, "–" if isinf(worst) else f"{worst:.3g}", outcome, *cells))
    targets = [f"{target:g}" for target in TARGETS]
    return _table(("method", "exploitability at the end", "outcome", *targets), rows)


def _searcher_part(card: ScoreCard) -> list[str]:
    """Return the matches, and exploitability where it was computed exactly."""
    lines = [
        "Utilities per play, averaged over all positions, with 95% intervals. Exploitability is "
        "exact, of the policy that searches once at each infostate; it is missing where the game "
        "is too large or the seconds were too few.",
        "",
    ]
    rows: list[tuple[str, ...]] = []
    for row in card.rows:
        trial = row.trial
        if trial is None or not trial.applies:
            rows.append((row.entry.name, "does not apply", "", "", ""))
            continue
        rows.append((row.entry.name, *_trial_cells(trial)))
    anchors = ("uniform", "policy of the zoo", "pimc(num_worlds=10)")
    return [*lines, *_table(("game", *anchors, "exploitability"), rows), ""]


def _trial_cells(trial: TrialResult) -> tuple[str, ...]:
    zoo = next((anchor for anchor in trial.matches if anchor.startswith("zoo:")), "")
    cells = []
    for anchor in ("uniform", zoo, "pimc(num_worlds=10)"):
        if anchor not in trial.matches:
            cells.append("–")
            continue
        mean, low, high, deals = trial.matches[anchor]
        cells.append(f"{mean:.3g} ({low:.3g} to {high:.3g}, {deals} deals)")
    exact = trial.exploitability
    return (*cells, f"– ({trial.not_computed})" if exact is None else f"{exact:.3g}")
