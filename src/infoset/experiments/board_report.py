"""Reports on an endgame over many boards: solve it on each board, and tabulate the results."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from hashlib import sha256
from math import fsum, sqrt
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from infoset.errors import GameTooLargeError, ParameterError, UnknownNameError
from infoset.evaluation import PublicValues
from infoset.experiments.cells import CellInterrupted, CellResult
from infoset.experiments.json_values import json_text
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
from infoset.front import resolve_method, solve, to_public_form
from infoset.front.game_sources import check_target
from infoset.game.infostate import START, join_steps, split_steps
from infoset.games import (
    BOARDS_OVER,
    NoLimitEndgame,
    WeightedBoard,
    boards_over,
    load_game,
    with_board,
)
from infoset.games.bet_sizes import POSITIONS
from infoset.regret.minimizer import PRECISIONS
from infoset.runs import Interrupt, check_workers
from infoset.runs.workers import local_workers
from infoset.solvers import runs_on
from infoset.tree import allowed_memory
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice, check_count

STUDY: Final = "report"
REACHED: Final = "reached"
NUM_VALUES: Final = 5
"""Number of columns for the error, values and equities; columns for frequencies follow."""
MAX_BARS: Final = 60
"""Maximum number of boards in a picture."""
SMALLEST_SHOWN: Final = 0.00005
"""Smaller numbers of a table are below the accuracy of solutions, and shown as 0."""
GIVEN: Final = "as given"
"""`BoardSetting.selection` of boards that the caller lists."""
SAMPLE_MEAN: Final = "sample mean"
STANDARD_ERROR: Final = "standard error"


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
    precision : str
    threads : int
        The result is the same for any number.
    memory : int or None
        Bytes allowed for building the game; None for the default of the machine where it is built.
    """

    game: str
    method: str
    target: str | None
    iterations: int | None
    lines: tuple[str, ...]
    precision: str = "float64"
    threads: int = field(default=1, compare=False)
    memory: int | None = field(default=None, compare=False)

    @property
    def name(self) -> str:
        """File name prefix: the board."""
        game: Any = load_game(self.game)
        return str(game.board)

    def settings(self) -> Mapping[str, Any]:
        """Return the settings that determine the result."""
        values = asdict(self)
        del values["threads"], values["memory"]
        return values

    def run(self, interrupt: Interrupt) -> CellResult:
        """Return the error, the players' values and equities, and the frequencies at the lines."""
        result = solve(
            self._form(),
            self.method,
            precision=self.precision,
            threads=self.threads,
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
            "equities": [values.mean(0, p, own) for p, own in enumerate(values.equity(0))],
            "lines": [_at_line(values, line) for line in self.lines],
            "seconds": result.seconds,
        }

    def _form(self) -> PublicForm:
        try:
            return to_public_form(
                load_game(self.game), memory=self.memory, precision=self.precision
            )
        except GameTooLargeError as error:
            if self.memory is None:
                raise
            raise type(error)(
                f"{str(error).rstrip('.')}. Boards that are solved simultaneously share the "
                "memory: try workers=1 (--workers 1)",
                error.counts,
            ) from error


def _at_line(values: PublicValues, line: str) -> dict[str, Any]:
    """Return the results at a public node; frequencies are None if play never reaches it."""
    form: PublicForm = values.public_form
    node = form.find_line(line)[0]
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
    over: str
    boards: Mapping[WeightedBoard, float]
    """The weights of the boards in the means, which sum to 1."""
    selection: str
    """How the boards were chosen."""
    num_draws: int | None
    """The number of boards drawn; None if they are not a sample."""
    lines: tuple[str, ...]
    method: str
    target: str | None
    iterations: int | None
    precision: str
    threads: int
    """The results are the same for any number."""

    @property
    def title(self) -> str:
        """The number of boards, and the game."""
        return f"{len(self.boards):,} {self.over} of {self.game.name}"

    @property
    def text(self) -> str:
        """The parameters as a list in Markdown."""
        stops = f"target {self.target}" if self.target is not None else "no target"
        if self.iterations is not None:
            stops += f", at most {self.iterations:,} iterations"
        return (
            f"- Spot: `{self.game}`\n"
            f"- Boards: {len(self.boards):,} {self.over}, {self.selection}\n"
            f"- Lines: {', '.join(f'`{line}`' for line in self.lines)}\n"
            f"- Method: {self.method}, {self.precision}, {stops}"
        )

    @property
    def name(self) -> str:
        """The name of the study and its default folder; different reports have different names."""
        values = (self.text, [one.board for one in self.boards])
        digest = sha256(json_text(values).encode()).hexdigest()[:8]
        return f"{STUDY}-{self.over}-{self.game.board}-{digest}"

    def cells(self, memory: int | None) -> list[BoardCell]:
        """Return the cells of the boards, given the memory for each."""
        return [
            BoardCell(
                str(with_board(self.game, one.board)),
                self.method,
                self.target,
                self.iterations,
                self.lines,
                self.precision,
                self.threads,
                memory,
            )
            for one in self.boards
        ]


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
    precision: str = "float64",
    threads: int = 1,
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
    target, iterations, precision, threads
        For each board, as in `solve`.
    workers, executor, callback
        As in `run_study`; by default, `workers` times `threads` is the number of cores. Boards that
        are solved simultaneously on this machine share the memory that a game may use.

    Raises
    ------
    CheckpointMismatchError
        If the folder belongs to another report.
    ParameterError
        If an argument is invalid, or a board is impossible.
    GameTooLargeError
        If the public form of a board does not fit in memory.
    UnknownNameError
        If a line does not exist on a board.
    """
    setting = board_setting(
        game,
        over,
        sample=sample,
        seed=seed,
        lines=lines,
        method=method,
        target=target,
        iterations=iterations,
        precision=precision,
        threads=threads,
    )
    return run_report(setting, folder, workers=workers, executor=executor, callback=callback)


def board_setting(
    game: NoLimitEndgame,
    over: str,
    *,
    sample: int | Sequence[str] | None,
    seed: int,
    lines: Sequence[str],
    method: str,
    target: str | None,
    iterations: int | None,
    precision: str,
    threads: int,
) -> BoardSetting:
    """Check the arguments of `report_boards`, before anything is built or written."""
    check_choice("over", over, BOARDS_OVER)
    check_choice("precision", precision, PRECISIONS)
    chosen = resolve_method(method, precision, threads)
    if not runs_on(chosen, "public"):
        raise ParameterError(
            f"{chosen.name} does not run on public forms, which reports need: choose another "
            "method, such as cfr+ (--method cfr+)"
        )
    check_target(game, target)
    if iterations is not None:
        check_count("iterations", iterations, minimum=1)
    boards = _chosen(game, over, sample, seed)
    first = with_board(game, next(iter(boards)).board)
    for line in lines:
        _check_line(first, line)
    num_draws = sample if isinstance(sample, int) else None
    selection = GIVEN
    if num_draws is not None:
        selection = f"a sample of {num_draws:,} drawn with replacement, random seed {seed}"
    elif sample is None:
        selection = "one for each class of symmetric boards"
    return BoardSetting(
        game=game,
        over=over,
        boards=boards,
        selection=selection,
        num_draws=num_draws,
        lines=tuple(lines),
        method=method,
        target=target,
        iterations=iterations,
        precision=precision,
        threads=threads,
    )


def _check_line(game: NoLimitEndgame, line: str) -> None:
    """Raise an error unless a line leads to a decision; only the rules are needed, not a form."""
    rules: Any = game.public_rules()
    state = rules.initial_state()
    passed: list[str] = []
    known: dict[str, Any] = {}
    steps = split_steps(line)
    for place, text in enumerate(steps):
        if rules.actor(state) is None:
            known = {str(deal.observation): deal.next_state for deal in rules.deals(state)}
        else:
            known = {
                str(rules.observation(state, action)): rules.next_state(state, action)
                for action in rules.legal_actions(state)
            }
        step = text if text in known else game.normal_text(text)
        if step not in known or (place == len(steps) - 1 and rules.actor(known[step]) is None):
            decisions = [name for name, after in known.items() if rules.actor(after) is not None]
            found = [join_steps([*passed, name]) for name in decisions]
            raise UnknownNameError.of("line", line, [START, *found])
        state = known[step]
        passed.append(step)


def _chosen(
    game: NoLimitEndgame, over: str, sample: int | Sequence[str] | None, seed: int
) -> dict[WeightedBoard, float]:
    """Return the boards to solve, and their weights in the means, which sum to 1."""
    if sample is not None and not isinstance(sample, int):
        return {one: one.probability for one in boards_over(game, over, sample)}
    every = boards_over(game, over)
    if sample is None:
        return {one: one.probability for one in every}
    check_count("sample", sample, minimum=1)
    likely = np.array([one.probability for one in every])
    drawn = np.random.default_rng(seed).choice(len(every), sample, p=likely / likely.sum())
    counts = sorted(Counter(drawn.tolist()).items())
    return {every[place]: count / sample for place, count in counts}


def run_report(
    setting: BoardSetting,
    folder: str | Path,
    *,
    workers: int | None = None,
    executor: Executor | None = None,
    callback: CellCallback | None = None,
) -> Finished:
    """Run or resume the report of a checked setting, as `report_boards` does."""
    check_workers(workers, executor)
    if executor is None and workers is None:
        workers = max(1, (os.cpu_count() or 1) // setting.threads)
    memory = _memory(workers, executor, len(setting.boards))
    report = partial(tabulate_boards, memory=memory)
    experiment = Experiment(STUDY, setting.title, report, setting, setting, "", "")
    study = Study(setting.name, setting.title, (experiment,))
    (finished,) = run_study(
        study, Path(folder), workers=workers, executor=executor, callback=callback
    )
    return finished


def _memory(workers: int | None, executor: Executor | None, num_boards: int) -> int | None:
    """Return the memory for each board if several are solved on this machine, otherwise None."""
    together = min(workers or local_workers(executor), num_boards)
    return allowed_memory(None) // together if together > 1 else None


def tabulate_boards(run: RunCells, setting: BoardSetting, memory: int | None = None) -> Report:
    """Return a table with a row for each board and their mean, and a picture for each line."""
    game, lines, boards = setting.game, setting.lines, [*setting.boards]
    results = run(setting.cells(memory))
    actions = [_actions(results, place) for place in range(len(lines))]
    # With rake, the sum of utilities is not constant, and exploitability is not defined.
    error = "largest_gain" if results[0]["exploitability"] is None else "exploitability"
    named = error.replace("_", " ")
    columns = ["board", "outcome", "probability", f"{named}, % of pot"]
    columns += [f"{what}, {who}" for who in POSITIONS for what in ("EV with the pot", "equity")]
    for line, own in zip(lines, actions, strict=True):
        columns += [f"{line}: {name}" for name in (REACHED, *own)]
    rows: list[tuple[Entry, ...]] = [
        (one.board, result["outcome"], one.probability, *_numbers(game, result, error, actions))
        for one, result in zip(boards, results, strict=True)
    ]
    numbers = np.array([row[3:] for row in rows], np.float64)  # None becomes NaN
    weights = np.array([*setting.boards.values()])
    means, deviations = _means(numbers, weights, [*map(len, actions)])
    total = fsum(one.probability for one in boards)
    draws = setting.num_draws
    rows.append(("mean" if draws is None else SAMPLE_MEAN, None, total, *means))
    given = "the ranges"
    if setting.selection == GIVEN:
        given += " and that it is one of these boards"
    title = (
        f"Probability of the board given {given}, {named}, EV with the pot and equity of each "
        "player, and frequencies of lines and actions"
    )
    if draws is not None:
        title += f"; means of a sample of {draws:,}"
    if draws is not None and draws > 1:
        title += " with standard errors"
        scale = 1 / sqrt(draws - 1)
        errors = [None if one is None else scale * one for one in deviations]
        rows.append((STANDARD_ERROR, None, None, *errors))
    table = Table(STUDY, title, tuple(columns), tuple(rows), SMALLEST_SHOWN)
    pictures = tuple(
        _picture(boards, results, place, line, actions[place]) for place, line in enumerate(lines)
    )
    return Report((table,), pictures, setting.text)


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
    numbers: FloatArray, weights: FloatArray, num_actions: Sequence[int]
) -> tuple[list[float | None], list[float | None]]:
    """Return means of numeric columns, weighted by the probability of each board or node.

    The second list has standard deviations. Frequencies are ratios of two means: their deviations
    are those of the linear approximation at these means (the delta method).
    """

    def deviations(centered: FloatArray) -> list[float]:
        found: list[float] = np.sqrt(weights @ centered**2).tolist()
        return found

    plain = numbers[:, :NUM_VALUES]
    means: list[float | None] = (weights @ plain).tolist()
    spreads: list[float | None] = [*deviations(plain - weights @ plain)]
    first = NUM_VALUES
    for count in num_actions:
        reach = numbers[:, first : first + 1]
        frequencies = np.nan_to_num(numbers[:, first + 1 : first + 1 + count])
        total = float((weights @ reach)[0])
        means.append(total)
        spreads += deviations(reach - total)
        if total > 0:
            ratios = weights @ (reach * frequencies) / total
            means += ratios.tolist()
            spreads += deviations(reach * (frequencies - ratios) / total)
        else:
            means += [None] * count
            spreads += [None] * count
        first += 1 + count
    return means, spreads


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
