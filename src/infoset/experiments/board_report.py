"""Reports of an endgame over many boards: each is solved, and what happens there is tabulated."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from math import fsum
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.evaluation import PublicValues
from infoset.experiments.cells import CellFolder, CellInterrupted, CellResult, run_cells
from infoset.experiments.reports import Entry, FrequencyBars, Report, Table, save_report
from infoset.forms import PublicForm
from infoset.front import solve, to_public_form
from infoset.games import (
    BOARDS_OVER,
    NoLimitEndgame,
    WeightedBoard,
    boards_over,
    load_game,
    with_board,
)
from infoset.games.bet_sizes import POSITIONS
from infoset.runs import Interrupt
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice, check_count

STUDY: Final = "report"
START: Final = "(start)"
NUM_VALUES: Final = 5
"""Columns of errors, values and equities, before those of frequencies."""
MAX_BARS: Final = 60
"""Number of boards in a picture."""


@dataclass(frozen=True)
class BoardCell:
    """An endgame that is solved on one board.

    Attributes
    ----------
    game : str
        The game as text, so that it can be sent to workers.
    method : str
    target : str or None
    iterations : int or None
    lines : tuple[str, ...]
        The public nodes whose frequencies are measured.
    """

    game: str
    method: str
    target: str | None
    iterations: int | None
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        """File name prefix: the board."""
        game: Any = load_game(self.game)
        return str(game.board)

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        return asdict(self)

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return errors, values and equities of the players, and frequencies at the lines."""
        form = to_public_form(load_game(self.game))
        result = solve(
            form,
            self.method,
            target=self.target,
            iterations=self.iterations,
            callback=lambda _: interrupt.is_set(),
        )
        if interrupt.is_set():
            raise CellInterrupted
        values = PublicValues(result.policy)
        return {
            "method": result.method,
            "outcome": result.outcome,
            "iterations": result.iterations,
            "values": list(result.values),
            "error": result.nash_conv / 2,
            "equities": _equities(values),
            "lines": [_at_line(values, line) for line in self.lines],
            "seconds": result.seconds,
        }


def _equities(values: PublicValues) -> list[float]:
    """Return the equity of each player's range at the start."""
    found = []
    for player, equity in enumerate(values.equity(0)):
        belief = values.belief(0, player)
        found.append(float(np.nansum(belief * np.nan_to_num(equity))))
    return found


def _at_line(values: PublicValues, line: str) -> dict[str, Any]:
    """Return what happens at a public node; frequencies are missing if it is not reached."""
    form: PublicForm = values.public_form
    node = 0 if line == START else form.find_line(line)[0]
    probability = values.probability(node)
    frequencies = values.action_frequencies(node).tolist() if probability > 0 else None
    return {
        "probability": probability,
        "actions": [str(action) for action in form.legal_actions(node)],
        "frequencies": frequencies,
    }


class BoardReport(NamedTuple):
    """The boards of a report, the result of each, and the tables and pictures."""

    boards: tuple[WeightedBoard, ...]
    results: tuple[CellResult, ...]
    report: Report
    files: tuple[str, ...]
    """Names of the files written to the folder."""


def report_boards(
    game: NoLimitEndgame,
    over: str,
    folder: str | Path,
    *,
    sample: int | Sequence[str] | None = None,
    seed: int = 0,
    lines: Sequence[str] = (START,),
    method: str = "auto",
    target: str | None = "0.5%pot",
    iterations: int | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    callback: Callable[[int, int], object] | None = None,
) -> BoardReport:
    """Solve an endgame on many boards, or resume that, and report what happens on each.

    Parameters
    ----------
    over
        "flops", "turns" or "rivers"; see `boards_over`. The game then begins on that street, with
        the same pot, stacks and ranges.
    folder
        Folder of the report, from which finished boards are read.
    sample
        A number of boards to draw by their probabilities, with replacement; or the boards to solve;
        by default all, one of each class of symmetric ones.
    lines
        The public nodes whose frequencies are reported, such as `check / bet 50`.
    target, iterations
        Limits for each board, as in `solve`.
    workers, executor
        As in `run_cells`.
    callback : callable, optional
        Called with the number of finished boards, and that of all.

    Raises
    ------
    ParameterError
        If an argument is invalid, or a board is not possible.
    GameTooLargeError
        If the public form of a board does not fit.
    UnknownNameError
        If a board has no such line.
    """
    check_choice("over", over, BOARDS_OVER)
    boards = _chosen(game, over, sample, seed)
    cells = [
        BoardCell(str(with_board(game, one.board)), method, target, iterations, tuple(lines))
        for one in boards
    ]
    done = iter(range(1, len(cells) + 1))

    def count(_: object) -> None:
        if callback is not None:
            callback(next(done), len(cells))

    saved = CellFolder(folder, STUDY)
    results = run_cells(cells, saved, workers=workers, executor=executor, on_done=count)
    report = _report(game, over, boards, results, lines)
    files = save_report(report, saved.path, STUDY, f"{over} of {game.name}")
    saved.warn_of_machines()
    return BoardReport(boards, tuple(results), report, tuple(files))


def _chosen(
    game: NoLimitEndgame, over: str, sample: int | Sequence[str] | None, seed: int
) -> tuple[WeightedBoard, ...]:
    """Return the boards to solve, with probabilities that sum to 1."""
    if sample is not None and not isinstance(sample, int):
        return boards_over(game, over, sample)
    every = boards_over(game, over)
    if sample is None:
        return every
    check_count("sample", sample, minimum=1)
    likely = np.array([one.probability for one in every])
    drawn = np.random.default_rng(seed).choice(len(every), sample, p=likely / likely.sum())
    return tuple(
        WeightedBoard(every[place].board, count / sample)
        for place, count in sorted(Counter(drawn.tolist()).items())
    )


def _report(
    game: NoLimitEndgame,
    over: str,
    boards: Sequence[WeightedBoard],
    results: Sequence[CellResult],
    lines: Sequence[str],
) -> Report:
    """Return a table with a row for each board and their mean, and a picture for each line."""
    actions = [_actions(results, place) for place in range(len(lines))]
    columns = ["board", "probability", "exploitability, % of pot"]
    columns += [f"{what}, {who}" for who in POSITIONS for what in ("EV with the pot", "equity")]
    columns += [f"{line}: {name}" for line, own in zip(lines, actions, strict=True) for name in own]
    rows = [
        (one.board, one.probability, *_numbers(game, result, actions))
        for one, result in zip(boards, results, strict=True)
    ]
    weights = np.array([one.probability for one in boards])
    mean = ("mean", fsum(weights.tolist()), *_means(rows, weights, results, actions))
    title = (
        f"{len(boards)} {over}: probability given the ranges, exploitability, what each player "
        "gets of the pot, its equity, and how often each action is played"
    )
    table = Table(STUDY, title, tuple(columns), (*rows, mean))
    pictures = tuple(
        _picture(boards, results, place, line, actions[place]) for place, line in enumerate(lines)
    )
    return Report((table,), pictures)


def _actions(results: Sequence[CellResult], place: int) -> list[str]:
    """Return all actions at a line, in the order of the boards that have most of them."""
    listed = sorted((result["lines"][place]["actions"] for result in results), key=len)
    return [*dict.fromkeys(name for own in reversed(listed) for name in own)]


def _numbers(
    game: NoLimitEndgame, result: CellResult, actions: Sequence[Sequence[str]]
) -> list[float | None]:
    """Return the numbers of a row; frequencies are missing at nodes that are not reached."""
    pot = game.initial_pot
    found: list[float | None] = [100 * result["error"] / pot.size]
    for value, share, equity in zip(
        result["values"], pot.contributions, result["equities"], strict=True
    ):
        found += [value + share, equity]
    for at, names in zip(result["lines"], actions, strict=True):
        known = at["frequencies"]
        shares = dict(zip(at["actions"], known, strict=True)) if known is not None else {}
        found += [shares.get(name, 0.0) if known is not None else None for name in names]
    return found


def _means(
    rows: Sequence[tuple[Entry, ...]],
    weights: FloatArray,
    results: Sequence[CellResult],
    actions: Sequence[Sequence[str]],
) -> list[float | None]:
    """Return the means of the columns of numbers, weighted by how likely each board or node is."""
    numbers = np.array([row[2:] for row in rows], np.float64)  # missing ones are NaN
    found: list[float | None] = (weights @ numbers[:, :NUM_VALUES]).tolist()
    first = NUM_VALUES
    for place, names in enumerate(actions):
        reach = weights * np.array([result["lines"][place]["probability"] for result in results])
        own = np.nan_to_num(numbers[:, first : first + len(names)])
        total = reach.sum()
        found += (reach @ own / total).tolist() if total > 0 else [None] * len(names)
        first += len(names)
    return found


def _picture(
    boards: Sequence[WeightedBoard],
    results: Sequence[CellResult],
    place: int,
    line: str,
    actions: Sequence[str],
) -> FrequencyBars:
    """Return the frequencies at a line, sorted by those of its actions."""
    rows = []
    for one, result in zip(boards, results, strict=True):
        at = result["lines"][place]
        if at["frequencies"] is not None:
            shares = dict(zip(at["actions"], at["frequencies"], strict=True))
            rows.append((tuple(shares.get(name, 0.0) for name in actions), one.board))
    rows.sort(reverse=True)
    # Of many boards, every so many-th is drawn.
    drawn = np.linspace(0, len(rows) - 1, min(len(rows), MAX_BARS)).astype(int).tolist()
    chosen = [rows[at] for at in drawn]
    many = "" if len(chosen) == len(rows) else f", {len(chosen)} of {len(rows)}"
    return FrequencyBars(
        f"{STUDY}-{place}" if place else STUDY,
        f"{line}: frequencies by board{many}",
        tuple(board for _, board in chosen),
        tuple(actions),
        tuple(shares for shares, _ in chosen),
    )
