"""Reports on an endgame over many boards: solve it on each board, and tabulate the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from math import fsum
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.evaluation import PublicValues
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.reports import Entry, FrequencyBars, Report, Table
from infoset.experiments.studies import (
    CellCallback,
    Experiment,
    Finished,
    RunCells,
    Study,
    run_study,
)
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
REACHED: Final = "reached"
NUM_VALUES: Final = 5
"""Number of columns for the error, values and equities; columns for frequencies follow."""
MAX_BARS: Final = 60
"""Maximum number of boards in a picture."""


@dataclass(frozen=True)
class BoardCell:
    """An endgame to be solved on one board.

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
        """Return the error, the players' values and equities, and the frequencies at the lines."""
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
            "exploitability": result.exploitability,
            "largest_gain": max(result.measured.gains),
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
    """Return the results at a public node; frequencies are None if play never reaches it."""
    form: PublicForm = values.public_form
    node = 0 if line == START else form.find_line(line)[0]
    probability = values.probability(node)
    frequencies = values.action_frequencies(node).tolist() if probability > 0 else None
    return {
        "probability": probability,
        "actions": [str(action) for action in form.legal_actions(node)],
        "frequencies": frequencies,
    }


class BoardSetting(NamedTuple):
    """The parameters of a report."""

    game: NoLimitEndgame
    boards: tuple[WeightedBoard, ...]
    lines: tuple[str, ...]
    method: str
    target: str | None
    iterations: int | None


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
    callback: CellCallback | None = None,
) -> Finished:
    """Solve an endgame on many boards and tabulate the results; resume an interrupted report.

    Parameters
    ----------
    over
        "flops", "turns" or "rivers"; see `boards_over`. The game then begins on that street, with
        the same pot, stacks and ranges.
    folder
        Folder of the report. Boards already finished there are not solved again.
    sample
        The number of boards to draw by their probabilities, with replacement; or the boards to
        solve. By default, all boards are solved, one for each class of symmetric boards.
    lines
        The public nodes whose frequencies are reported, such as `check / bet 50`.
    target, iterations
        Limits for each board, as in `solve`.
    workers, executor, callback
        As in `run_study`.

    Raises
    ------
    ParameterError
        If an argument is invalid, or a board is impossible.
    GameTooLargeError
        If the public form of a board does not fit in memory.
    UnknownNameError
        If a line does not exist on a board.
    """
    check_choice("over", over, BOARDS_OVER)
    boards = _chosen(game, over, sample, seed)
    setting = BoardSetting(game, boards, tuple(lines), method, target, iterations)
    title = f"{len(boards):,} {over} of {game.name}"
    experiment = Experiment(STUDY, title, tabulate_boards, setting, setting, "", "")
    study = Study(STUDY, title, (experiment,))
    (finished,) = run_study(
        study, Path(folder), workers=workers, executor=executor, callback=callback
    )
    return finished


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


def tabulate_boards(run: RunCells, setting: BoardSetting) -> Report:
    """Return a table with a row for each board and their mean, and a picture for each line."""
    game, boards, lines, method, target, iterations = setting
    results = run(
        [
            BoardCell(str(with_board(game, one.board)), method, target, iterations, lines)
            for one in boards
        ]
    )
    actions = [_actions(results, place) for place in range(len(lines))]
    # With rake, the sum of utilities is not constant, and exploitability is not defined.
    error = "largest_gain" if results[0]["exploitability"] is None else "exploitability"
    named = error.replace("_", " ")
    columns = ["board", "outcome", "probability", f"{named}, % of pot"]
    columns += [f"{what}, {who}" for who in POSITIONS for what in ("EV with the pot", "equity")]
    for line, own in zip(lines, actions, strict=True):
        columns += [f"{line}: {name}" for name in (REACHED, *own)]
    rows = [
        (one.board, result["outcome"], one.probability, *_numbers(game, result, error, actions))
        for one, result in zip(boards, results, strict=True)
    ]
    weights = np.array([one.probability for one in boards])
    total = fsum(weights.tolist())
    mean = ("mean", None, total, *_means(rows, weights, [*map(len, actions)]))
    title = (
        f"Probability of the board given the ranges, {named}, EV with the pot and equity of each "
        "player, and frequencies of lines and actions"
    )
    table = Table(STUDY, title, tuple(columns), (*rows, mean))
    pictures = tuple(
        _picture(boards, results, place, line, actions[place]) for place, line in enumerate(lines)
    )
    return Report((table,), pictures)


def _actions(results: Sequence[CellResult], place: int) -> list[str]:
    """Return all actions at a line, in the order of the boards with the most actions."""
    listed = sorted((result["lines"][place]["actions"] for result in results), key=len)
    return [*dict.fromkeys(name for own in reversed(listed) for name in own)]


def _numbers(
    game: NoLimitEndgame, result: CellResult, error: str, actions: Sequence[Sequence[str]]
) -> list[float | None]:
    """Return the numbers of a row; frequencies are missing at nodes that are not reached."""
    pot = game.initial_pot
    found: list[float | None] = [100 * result[error] / pot.size]
    for value, share, equity in zip(
        result["values"], pot.contributions, result["equities"], strict=True
    ):
        found += [value + share, equity]
    for at, names in zip(result["lines"], actions, strict=True):
        known = at["frequencies"]
        shares = dict(zip(at["actions"], known, strict=True)) if known is not None else {}
        found.append(at["probability"])
        found += [shares.get(name, 0.0) if known is not None else None for name in names]
    return found


def _means(
    rows: Sequence[tuple[Entry, ...]], weights: FloatArray, num_actions: Sequence[int]
) -> list[float | None]:
    """Return the means of numeric columns, weighted by the probability of each board or node."""
    numbers = np.array([row[3:] for row in rows], np.float64)  # None becomes NaN
    found: list[float | None] = (weights @ numbers[:, :NUM_VALUES]).tolist()
    first = NUM_VALUES
    for count in num_actions:
        reach = weights * numbers[:, first]
        shares = np.nan_to_num(numbers[:, first + 1 : first + 1 + count])
        total = float(reach.sum())
        found.append(total)
        found += (reach @ shares / total).tolist() if total > 0 else [None] * count
        first += 1 + count
    return found


def _picture(
    boards: Sequence[WeightedBoard],
    results: Sequence[CellResult],
    place: int,
    line: str,
    actions: Sequence[str],
) -> FrequencyBars:
    """Return a picture of the frequencies at a line, sorted by that of the first action."""
    rows = []
    for one, result in zip(boards, results, strict=True):
        at = result["lines"][place]
        if at["frequencies"] is not None:
            shares = dict(zip(at["actions"], at["frequencies"], strict=True))
            rows.append((tuple(shares.get(name, 0.0) for name in actions), one.board))
    rows.sort(reverse=True)
    # Of many boards, evenly spaced ones are drawn.
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
