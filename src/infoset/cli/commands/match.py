"""`infoset match`: what one player earns against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.interrupts import told_if_interrupted
from infoset.cli.options import CheckpointOption, GameArgument, JsonOption, MemoryOption
from infoset.cli.progress import Progress, live
from infoset.cli.screen import (
    ASKED_ONCE,
    make_table,
    number_text,
    print_json,
    print_table,
    say,
    tell,
    tell_notes,
)

if TYPE_CHECKING:
    from infoset.game import Game
    from infoset.matches import Estimate, MatchResult
    from infoset.policy import Policy
    from infoset.tree import GameTree

DEFAULT_DEALS = 10_000
AS_MANY_AS_IT_TAKES = 10**12

ENDINGS = {
    "converged": "the interval is as narrow as asked",
    "deals": "all deals are played",
    "exact": "computed, not played",
    "interrupted": "interrupted; this is what was played so far",
}


def player_argument(metavar: str) -> Any:
    """Return the argument that names a player."""
    return typer.Argument(
        metavar=metavar,
        help="uniform, a policy file, or a searcher, such as 'pimc(num_worlds=200)'.",
        show_default=False,
    )


def run(
    game: GameArgument,
    first: Annotated[str, player_argument("FIRST")],
    second: Annotated[str, player_argument("SECOND")],
    deals: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            min=2,
            help="Deals to play, each once in every seat; with --half-width, at most.",
            show_default="10,000; with --half-width as many as it takes",
        ),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(metavar="NUMBER", help="Half width of the utility's interval to stop at."),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Compute the expectation; the game must fit in memory.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="For the same luck again.")] = 0,
    workers: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Processes that play at a time.")
    ] = 1,
    checkpoint: CheckpointOption = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let two players meet: what the first earns against the second, in every seat.

    With more than two players, the second has all the other seats.
    Ctrl-C stops it at any time, and what was played until then counts.
    """
    from infoset.front import to_game

    stops = _Stops(deals, half_width, checkpoint)
    stops.check(exact=exact)
    rules = to_game(game)
    with told_if_interrupted(), live(str(rules)) as progress:
        table, players = _seated(rules, (first, second), exact, memory, progress)
        if exact:
            result, outcome = _computed(table, players)
        else:
            progress.playing(f"{first} against {second}", stops.most, half_width)
            result, outcome = _played(table, players, stops, seed, workers, progress)
    tell_notes(rules)
    _tell_late((first, second), players, workers)
    about = {"game": str(rules), "first": first, "second": second, "outcome": outcome}
    if as_json:
        print_json({**about, **asdict(result)})
    else:
        _report(result, about)
    if outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


class _Stops(NamedTuple):
    """When to stop, and where to keep what is played."""

    deals: int | None
    half_width: float | None
    checkpoint: Path | None

    @property
    def most(self) -> int:
        """Deals to play at most."""
        return self.deals or (DEFAULT_DEALS if self.half_width is None else AS_MANY_AS_IT_TAKES)

    def check(self, *, exact: bool) -> None:
        """Refuse what is said of plays where nothing is played."""
        for name, value in self._asdict().items():
            if exact and value is not None:
                option = name.replace("_", "-")
                raise typer.BadParameter(f"--exact plays nothing: leave --{option} out")
        if self.half_width == 0:
            raise typer.BadParameter("--half-width 0 is never reached by play; give --exact")


def _seated(
    rules: Game, texts: tuple[str, str], exact: bool, memory: int | None, progress: Progress
) -> tuple[Game | GameTree, list[Policy]]:
    """Return where the match is played, on a tree where one is needed, and by whom."""
    from infoset.front import is_policy_file, resolve_players
    from infoset.tree import build_tree

    table: Game | GameTree = rules
    if exact or any(map(is_policy_file, texts)):
        table = build_tree(rules, memory=memory, progress=progress.explored)
    return table, resolve_players(texts, table)


def _computed(table: Game | GameTree, players: Sequence[Policy]) -> tuple[MatchResult, str]:
    """Return what the match comes to in expectation."""
    from infoset.matches import SupportsSearch, exact_match
    from infoset.tree import GameTree

    assert isinstance(table, GameTree)
    if any(isinstance(player, SupportsSearch) for player in players):
        tell(ASKED_ONCE)
    return exact_match(table, *players), "exact"


def _played(
    table: Game | GameTree,
    players: Sequence[Policy],
    stops: _Stops,
    seed: int,
    workers: int,
    progress: Progress,
) -> tuple[MatchResult, str]:
    """Play the match; if it is broken off, what was played counts."""
    from infoset.matches import play_matches

    so_far: list[MatchResult] = []

    def show(result: MatchResult) -> None:
        so_far[:] = [result]
        progress.played(result)

    try:
        result = play_matches(
            table,
            *players,
            num_deals=stops.most,
            half_width=stops.half_width,
            seed=seed,
            workers=workers,
            checkpoint=stops.checkpoint,
            callback=show,
        )
    except KeyboardInterrupt:
        if not so_far:
            raise
        return so_far[0], "interrupted"
    wanted = stops.half_width
    narrow = wanted is not None and result.utility.half_width <= wanted
    return result, "converged" if narrow else "deals"


def _tell_late(texts: Sequence[str], players: Sequence[Policy], workers: int) -> None:
    """Say how late the searches of players were who have a clock to keep to."""
    from infoset.search import Searcher

    for text, player in zip(texts, players, strict=True):
        if isinstance(player, Searcher):
            overruns = player.overruns
            if workers > 1 and player.settings().get("milliseconds") is not None:
                tell(f"note: {text} has a clock to keep to; --workers 1 says how late it was")
            elif overruns.num_late:
                tell(f"note: {text}: {overruns}")


def _report(result: MatchResult, about: Mapping[str, str]) -> None:
    table = make_table("", ">utility", ">95 % interval", ">wins", ">95 % interval")
    table.add_row("every seat", *_cells(result.utility), *_cells(result.win_rate, percent=True))
    seats = zip(result.position_utilities, result.position_win_rates, strict=True)
    for player, (utility, wins) in enumerate(seats):
        table.add_row(f"as player {player}", *_cells(utility), *_cells(wins, percent=True))
    print_table(table, title="{game}: {first} against {second}".format(**about))
    deals = f"{number_text(result.num_deals)} deals, each in every seat; "
    say(("" if about["outcome"] == "exact" else deals) + ENDINGS[about["outcome"]])


def _cells(estimate: Estimate, *, percent: bool = False) -> tuple[str, str]:
    """Return a mean and its interval as text; none where it is exact."""

    def text(value: float) -> str:
        return f"{100 * value:.4g} %" if percent else number_text(value)

    low, high = map(text, estimate.interval)
    return text(estimate.mean), f"{low} to {high}" if low != high else "-"
