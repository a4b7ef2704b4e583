"""`infoset benchmark`: a score card of a method, learner, network or searcher."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.exit_codes import FAILED
from infoset.cli.options import JsonOption, OnOption, executor_of
from infoset.cli.screen import number_text, print_json, print_table, say, tell
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.benchmark import ScoreCard

MAX_PROBLEMS = 20
"""Maximum number of differences of a score card that are printed."""


def run(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]",
            help="Method, learner or searcher by name, network:PRESET, or file.py:NAME.",
            show_default=False,
        ),
    ] = None,
    pack: Annotated[str, typer.Option(help="Games: small, medium or large.")] = "small",
    games: Annotated[
        str | None,
        typer.Option(
            help="Games of the pack, separated by commas; 'infoset zoo' lists them.",
            show_default="all",
        ),
    ] = None,
    seeds: Annotated[
        int,
        typer.Option(
            metavar="NUMBER", min=1, help="Number of seeds of methods that draw random numbers."
        ),
    ] = 1,
    seconds: Annotated[
        float,
        typer.Option(help="Processor time for each run, or for each stage of a searcher."),
    ] = 1.0,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="New folder for the score card: JSON, Markdown and curves.",
            show_default="not saved",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Instead of a SUBJECT: measure the policies of a score card or a leaderboard "
            "entry again.",
        ),
    ] = None,
    on: OnOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a method with reference methods on games with known values.

    SUBJECT can be a RegretScheme, an update rule, anything with solve(form, budget), a learner, a
    network or a searcher; its kind is recognized. All methods run alternately in child processes,
    and send policies, which the parent process measures. Searchers are tested for leaks, and play
    fixed opponents. If a gate or a check fails, the exit code is 1.
    """
    from infoset.benchmark import card_facts, save_card, score_subject
    from infoset.errors import ParameterError, SubjectShapeError

    if (subject is None) == (check is None):
        raise typer.BadParameter("give either a SUBJECT, such as pcfr+, or --check DIR")
    if check is not None:
        _check(check, as_json)
        return
    assert subject is not None
    names = None if games is None else [name.strip() for name in games.split(",")]
    try:
        with executor_of(on) as executor:
            card = score_subject(
                subject,
                pack=pack,
                games=names,
                seeds=seeds,
                seconds=seconds,
                executor=executor,
                progress=None if as_json else lambda name: tell(f"measuring {name}"),
            )
    except SubjectShapeError as error:
        # The usual report of an error is one line, from which code could not be pasted.
        first, _, shapes = str(error).partition("\n")
        typer.echo(shapes, err=True)
        raise ParameterError(first.removesuffix(":") + ", which are listed above") from error
    folder = None if out is None else save_card(card, out)
    if as_json:
        print_json({**card_facts(card), "folder": None if folder is None else str(folder)})
    else:
        _report(card, folder)
    if not card.is_passed:
        raise typer.Exit(FAILED)


def _report(card: ScoreCard, folder: Path | None) -> None:
    for gate in card.gates:
        state = "passed" if gate.is_passed else "FAILED"
        say(f"{state}: {gate.name} ({' '.join(gate.found.split())})")
    if card.subject.kind == "searcher":
        _report_trials(card)
    else:
        _report_ratios(card)
    if folder is not None:
        say(f"saved in {folder}")


def _report_ratios(card: ScoreCard) -> None:
    table = TextTable(
        "method", ">median ratio", ">both reached", ">never", f">{card.reference} never", ">neither"
    )
    for ratio in card.ratios():
        table.add_row(
            ratio.name,
            number_text(round(ratio.median, 3)),
            *map(number_text, ratio[3:]),
        )
    print_table(table, title=f"processor time relative to {card.reference}")


def _report_trials(card: ScoreCard) -> None:
    table = TextTable("game", "opponent", ">utility", ">95% interval")
    for row in card.rows:
        if row.trial is None or not row.trial.applies:
            table.add_row(row.entry.name, "does not apply", "", "")
            continue
        for anchor, (mean, low, high, _) in row.trial.matches.items():
            interval = f"{number_text(low)} to {number_text(high)}"
            table.add_row(row.entry.name, anchor, number_text(mean), interval)
        exact = row.trial.exploitability
        shown = row.trial.not_computed if exact is None else number_text(exact)
        table.add_row(row.entry.name, "exploitability (exact)", shown, "")
    print_table(table, title=card.subject.name)


def _check(path: Path, as_json: bool) -> None:
    """Measure a score card or a leaderboard entry, and compare it with its claims."""
    from infoset.benchmark import is_card

    if not path.exists():
        raise typer.BadParameter(
            f"there is no folder {path}; give that of a score card, as from infoset benchmark "
            "SUBJECT --out DIR, or of a leaderboard entry"
        )
    is_confirmed = _check_card(path, as_json) if is_card(path) else _check_entry(path, as_json)
    if not is_confirmed:
        raise typer.Exit(FAILED)


def _check_card(path: Path, as_json: bool) -> bool:
    from infoset.benchmark import check_card

    checked = check_card(path)
    if as_json:
        print_json(checked.facts())
        return checked.is_confirmed
    for problem in checked.problems[:MAX_PROBLEMS]:
        say(problem)
    more = len(checked.problems) - MAX_PROBLEMS
    if more > 0:
        say(f"... and {more} more")
    state = "confirmed" if checked.is_confirmed else "NOT confirmed"
    say(f"score card of {checked.name}, {checked.num_policies} policies measured: {state}")
    return checked.is_confirmed


def _check_entry(entry: Path, as_json: bool) -> bool:
    from infoset.benchmark import check_board_entry

    checked = check_board_entry(entry)
    if as_json:
        print_json(checked.facts())
    else:
        say(f"{checked.entry.name}, {checked.entry.game}")
        claimed = number_text(checked.entry.exploitability)
        state = "confirmed" if checked.is_confirmed else "NOT confirmed"
        say(f"exploitability {number_text(checked.exploitability)}, claimed {claimed}: {state}")
    return checked.is_confirmed
