"""Progress on the terminal while a game is built, solved or played."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import dataclass
from math import log
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from infoset.cli.screen import duration_text, error_console, number_text, tell
from infoset.cli.tables import TextTable
from infoset.utils.clocks import compiling_now, working_seconds
from infoset.utils.text import printable_line

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

    from infoset.deep import MatchPoint
    from infoset.experiments.studies import CellCallback
    from infoset.matches import MatchResult
    from infoset.runs import Budget, TracePoint
    from infoset.teams import TeamPoint
    from infoset.teams.solving import TeamOptions
    from infoset.tree import BuildPoint


REFRESHES_PER_SECOND = 8
BAR_WIDTH = 60
COLUMN_WIDTH = 8
MIN_COMPILING = 0.5
"""Seconds after which a compilation is shown; loading kernels from disk takes less."""

MIN_PAUSE, MAX_PAUSE = 10.0, 600.0
"""Seconds between two lines of progress where standard error is not a terminal."""
PAUSE_FRACTION = 0.25
"""Pause as a fraction of the elapsed time, within these limits."""
THREAD_NAME = "infoset-progress"


@dataclass(frozen=True)
class StepPoint:
    """Completed learner steps, and numbers to show next to them, by name."""

    iteration: int
    seconds: float
    scores: Mapping[str, float]

    @property
    def errors(self) -> Mapping[str, float]:
        """Distances from equilibrium: none is known."""
        return {}


class Progress:
    """State of the work so far, which another thread displays.

    Attributes
    ----------
    name : str
        The game.
    method : str
        The method; empty before solving begins.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._began = working_seconds()
        self.method = ""
        self._build_point: BuildPoint | None = None
        self._limits: Budget | None = None
        self._trace: list[Any] = []
        self._episodes_per_step = 0
        self._stage = ""
        self._other: MatchProgress | TeamProgress | None = None

    def building(self, point: BuildPoint) -> None:
        """Record how far building the game has come."""
        self._build_point = point
        if isinstance(self._other, TeamProgress):
            self._other.stage = point

    def solving(self, method: str, limits: Budget) -> None:
        """Record that the game is built and solving begins, with these limits."""
        self.method = method
        self._limits = limits
        self._trace = []
        self._began = working_seconds()

    def training(self, method: str, limits: Budget, episodes_per_step: int) -> None:
        """Record that training of a network begins, with these limits."""
        self.solving(method, limits)
        self._episodes_per_step = episodes_per_step

    def at_stage(self, text: str) -> None:
        """Record what is measured after training, and how far."""
        self._stage = text

    def measured(self, point: TracePoint | MatchPoint | StepPoint) -> None:
        """Record a measurement and the time so far, including earlier sessions."""
        self._trace.append(point)
        self._began = working_seconds() - point.seconds

    def playing(self, players: str, max_deals: int, half_width: float | None) -> None:
        """Record that a match begins, with its limits on deals and interval width."""
        self.method = players
        self._other = MatchProgress(max_deals, half_width)
        self._began = working_seconds()

    def played(self, result: MatchResult) -> None:
        """Record the result of a match so far."""
        assert isinstance(self._other, MatchProgress)
        self._other.result = result

    def solving_teams(self, method: str, limits: TeamOptions) -> None:
        """Record that the game is built and team learning begins, with these limits."""
        self.method = method
        self._other = TeamProgress(limits)
        self._began = working_seconds()

    def measured_teams(self, point: TeamPoint) -> None:
        """Record a measurement of teams."""
        assert isinstance(self._other, TeamProgress)
        self._other.point, self._other.stage = point, None
        self._began = working_seconds() - point.seconds

    @property
    def elapsed(self) -> float:
        """Seconds since this stage of the work began, without compilation."""
        return working_seconds() - self._began

    @property
    def fraction_done(self) -> float | None:
        """Completed fraction of the nearest limit, from 0 to 1; None if unknown.

        Progress toward a target exploitability is measured on a logarithmic scale.
        """
        if isinstance(self._other, TeamProgress):
            return self._other.fraction_done(self.elapsed)
        if self._other is not None:
            return self._other.fraction_done
        if self._limits is None or not self._trace:
            return None
        fractions = [0.0]
        if self._limits.seconds:
            fractions.append(self.elapsed / self._limits.seconds)
        if self._limits.iterations:
            fractions.append(self._trace[-1].iteration / self._limits.iterations)
        target = self._limits.target
        first, last = (getattr(self._trace[place], "error", 0.0) for place in (0, -1))
        if target and last > 0 and first > target:
            fractions.append(log(first / last) / log(first / target))
        return min(max(fractions), 1.0)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Yield the lines of the current display."""
        from rich.progress_bar import ProgressBar
        from rich.segment import Segment
        from rich.text import Text

        yield Text(self.title, style="bold", no_wrap=True, overflow="ellipsis")
        if self.is_building:
            yield self.building_text()
        else:
            fraction, width = self.fraction_done, min(BAR_WIDTH, options.max_width)
            yield ProgressBar(1.0, fraction or 0.0, width=width, pulse=fraction is None)
            yield Segment.line()
            headers, values = self._numbers().fitting_lines(options.max_width)
            yield Text(headers, style="dim")
            yield Text(values)
        if self._stage:
            yield self._stage
        compiling = compiling_now()
        if compiling is not None and compiling >= MIN_COMPILING:
            yield f"compiling kernels, once per installation: {duration_text(compiling)}"

    @property
    def title(self) -> str:
        """The game, and the method once it is known."""
        return printable_line(", ".join(filter(None, [self.name, self.method])))

    @property
    def is_building(self) -> bool:
        """Whether the game is still being built."""
        return self._limits is None and self._other is None

    def line(self) -> str:
        """Return the current state in one line."""
        if self.is_building:
            return f"{self.title}: {self.building_text()}"
        numbers = ", ".join(f"{name} {value}" for name, value in self.numbers().items())
        return f"{self.title}: {self._stage or numbers}"

    def building_text(self) -> str:
        """Return what is being built, how much is done, how fast, and the time since the start."""
        point, elapsed = self._build_point, duration_text(self.elapsed)
        if point is None:
            return f"preparing, {elapsed}"
        if point.stage == "payoffs":
            return f"summing the payoffs of {point.total:,} terminal histories, {elapsed}"
        rate = f", {point.done / point.seconds:,.0f}/s" if point.done and point.seconds else ""
        if point.stage in ("histories", "public tree"):
            what = (
                "numbering histories" if point.stage == "histories" else "building the public tree"
            )
            return f"{what}: {point.done:,} of {point.total:,}{rate}, {elapsed}"
        return f"building the world graph: {point.done:,} world states{rate}, {elapsed}"

    def _numbers(self) -> TextTable:
        """Return the numbers as a table of one row."""
        numbers = self.numbers()
        table = TextTable(*(name.ljust(COLUMN_WIDTH) for name in numbers), is_plain=True)
        table.add_row(*numbers.values())
        return table

    def numbers(self) -> dict[str, str]:
        """Return the labels and formatted values of the numbers shown while solving or playing."""
        if self._other is not None:
            return {**self._other.numbers(), "elapsed": duration_text(self.elapsed)}
        from infoset.experiments import iterations_per_second, seconds_to_target

        trace = [*self._trace]
        last = trace[-1] if trace else None
        target = self._limits.target if self._limits is not None else None
        speed = iterations_per_second(trace)
        shown = {"iteration": number_text(last.iteration if last else None)}
        measured = last and (last.errors or last.scores)
        name, number = next(iter(measured.items())) if measured else ("exploitability", None)
        shown[name] = number_text(number)
        if target is not None:
            shown["target"] = number_text(target)
        shown["iterations/s"] = "-" if speed is None else f"{speed:,.0f}"
        if self._episodes_per_step and speed is not None:
            shown["episodes/s"] = f"{speed * self._episodes_per_step:,.0f}"
        shown["elapsed"] = duration_text(self.elapsed)
        left = None if target is None else seconds_to_target(trace, target)
        shown["to target"] = duration_text(left)
        return shown


@dataclass
class MatchProgress:
    """Progress of a match."""

    max_deals: int
    """Maximum number of deals."""
    half_width: float | None
    """Half width of the interval at which to stop."""
    result: MatchResult | None = None
    """The result so far; None before the first deal."""

    @property
    def fraction_done(self) -> float | None:
        """Completed fraction of the nearest limit; the interval width falls as 1 / √deals."""
        if self.result is None:
            return None
        width, fractions = self.result.utility.half_width, [self.result.num_deals / self.max_deals]
        if self.half_width:
            fractions.append((self.half_width / max(width, self.half_width)) ** 2)
        return min(max(fractions), 1.0)

    def numbers(self) -> dict[str, str]:
        """Return the labels and formatted values of the numbers shown while playing."""
        if self.result is None:
            return {"deals": "-"}
        utility = self.result.utility
        return {
            "deals": number_text(self.result.num_deals),
            "utility": number_text(utility.mean),
            "half width": f"{utility.half_width:.2g}",
            "wins": f"{100 * self.result.win_rate.mean:.4g}%",
        }


@dataclass
class TeamProgress:
    """Progress of team learning."""

    limits: TeamOptions
    """Iterations, restarts and seconds; None where there is no limit."""
    point: TeamPoint | None = None
    """The last measurement; None before there is one."""
    stage: BuildPoint | None = None
    """The stage other than learning that is running, such as `security levels`; None while
    learning."""

    def fraction_done(self, elapsed: float) -> float | None:
        """Return the completed fraction of the nearest limit, from 0 to 1; None if unknown.

        The time limit includes CFR+ and the security levels; the limit on iterations does not.
        """
        fractions = []
        if self.limits.seconds:
            fractions.append(elapsed / self.limits.seconds)
        if self.point is not None and self.limits.iterations and self.stage is None:
            runs_done = self.point.run + self.point.iteration / self.limits.iterations
            fractions.append(runs_done / (self.limits.restarts or 1))
        return min(max(fractions), 1.0) if fractions else None

    def numbers(self) -> dict[str, str]:
        """Return the labels and formatted values of the numbers shown while teams learn."""
        shown, stage = {}, self.stage
        if stage is not None and stage.stage == "security levels":
            shown["now"] = f"security level {stage.done + 1} of {stage.total}"
        elif stage is not None:
            shown["now"] = stage.stage
        point = self.point
        if point is None:
            return shown or {"iteration": "-"}
        return {
            **shown,
            "run": f"{point.run + 1} of {self.limits.restarts or 1}",
            "iteration": number_text(point.iteration),
            "payoff": _each_text(point.payoffs),
            "relaxed payoff": _each_text(point.relaxed_payoffs),
            "squared distance": _each_text(point.squared_distances),
        }


def _each_text(values: tuple[float, ...]) -> str:
    """Return one number for each team, with few digits so that several fit on a line."""
    return ", ".join(f"{value:.4g}" for value in values)


@contextmanager
def live(name: str) -> Iterator[Progress]:
    """Show the progress of a game on standard error while the block runs.

    On a terminal, the display is removed at the end. In a pipe or a file, a line is printed now and
    then, first after `MIN_PAUSE` seconds. Output of other libraries, such as HiGHS at Ctrl-C, is
    redirected to standard error, because standard output is for data.
    """
    from rich.live import Live

    progress = Progress(name)
    console = error_console()
    with redirect_stdout(sys.stderr):
        if not console.is_terminal:
            with _logged(progress):
                yield progress
            return
        with Live(
            progress, console=console, refresh_per_second=REFRESHES_PER_SECOND, transient=True
        ):
            yield progress


@contextmanager
def _logged(progress: Progress) -> Iterator[None]:
    """Write lines about the progress to standard error while the block runs."""
    is_over = Event()
    thread = Thread(target=_log, args=(progress, is_over), name=THREAD_NAME, daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no more threads: the work is done without lines
        yield
        return
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def _log(progress: Progress, is_over: Event) -> None:
    """Write a line after each pause until the work is over."""
    passed = pause = MIN_PAUSE
    with suppress(OSError, ValueError):  # standard error is closed
        while not is_over.wait(pause):
            tell(progress.line())
            # The longer the work takes, the rarer the lines.
            pause = min(max(MIN_PAUSE, PAUSE_FRACTION * passed), MAX_PAUSE)
            passed += pause


@contextmanager
def cells_counted() -> Iterator[CellCallback | None]:
    """Show the number of finished cells if standard error is a terminal."""
    from rich import progress as bars

    console = error_console()
    if not console.is_terminal:
        yield None
        return
    columns = (
        bars.TextColumn("{task.description}", markup=False),
        bars.BarColumn(),
        bars.MofNCompleteColumn(),
        bars.TimeElapsedColumn(),
    )
    with bars.Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)

        def show(experiment: str, done: int, asked: int) -> None:
            progress.update(task, description=experiment, completed=done, total=asked)

        yield show
