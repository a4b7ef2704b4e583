"""`infoset match`: play policies and searchers against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.interrupts import interrupts_reported, is_interrupt
from infoset.cli.options import (
    CheckpointOption,
    GameArgument,
    JsonOption,
    OnOption,
    SecondsOption,
    executor_of,
)
from infoset.cli.progress import Progress, live
from infoset.cli.screen import (
    SEARCHER_NOTE,
    number_text,
    print_json,
    print_table,
    say,
    tell,
    tell_notes,
)
from infoset.cli.tables import TextTable
from infoset.cli.teams import parse_teams

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from infoset.evaluation import CorrelatedPolicy
    from infoset.forms import PublicForm
    from infoset.game import Game
    from infoset.matches import Estimate, MatchResult
    from infoset.policy import Policy
    from infoset.tree import GameTree

    Teams: TypeAlias = Sequence[tuple[int, ...]]
    Table: TypeAlias = Game | GameTree | PublicForm

DEFAULT_DEALS = 10_000
UNLIMITED_DEALS = 10**12
ROUNDING = 1e-12

ENDINGS = {
    "converged": "interval is narrow enough",
    "deals": "all deals played",
    "exact": "computed exactly",
    "interrupted": "interrupted; results of the deals played so far",
    "seconds": "time limit reached; results of the deals played so far",
    "memory": "memory limit reached; results of the deals played so far",
}
RAISING = "--seconds or --memory"
"""The options that raise the limits on playing."""


def player_argument(metavar: str) -> Any:
    """Return the command-line argument that names a player."""
    return typer.Argument(
        metavar=metavar,
        help="Player: uniform, a policy file, a searcher such as 'pimc(num_worlds=9)', or "
        "file.py:NAME.",
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
            help="Number of deals, each played in every position; with --half-width, the maximum.",
            show_default="10,000; unlimited with --half-width",
        ),
    ] = None,
    half_width: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Stop at this half-width of the 95% confidence interval of the utility.",
        ),
    ] = None,
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="Compute the expected result exactly; the game must fit in memory."
        ),
    ] = False,
    teams: Annotated[
        Any,
        typer.Option(
            metavar="TEAMS",
            parser=parse_teams,
            help="Teams as lists of players counted from 0, such as 0,2/1,3: FIRST plays for one "
            "team at a time.",
            show_default="each player alone",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    workers: Annotated[
        int | None,
        typer.Option(metavar="NUMBER", min=1, help="Number of processes.", show_default="1"),
    ] = None,
    on: OnOption = None,
    seconds: SecondsOption = None,
    checkpoint: CheckpointOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play FIRST against SECOND in every position, and report the results of FIRST.

    With more than two players, SECOND plays all other positions. With --teams,
    the positions are teams. Ctrl-C stops at any time and reports the results so
    far.
    """
    from infoset.cli.command_watch import CommandWatch
    from infoset.front import to_game
    from infoset.tree import allowed_memory

    stops = _Stops(deals, half_width, checkpoint)
    stops.check(exact=exact)
    rules = to_game(game)
    with (
        interrupts_reported(),
        executor_of(on, workers) as executor,
        live(str(rules)) as progress,
    ):
        table, players = _game_and_players(rules, (first, second), exact, progress)
        watch = CommandWatch(
            f"the match in {rules}", seconds, allowed_memory(None), options=RAISING
        )
        if exact:
            result, outcome = watch.end(lambda: _computed(table, players, teams))
        else:
            progress.playing(f"{first} against {second}", stops.max_deals, half_width)
            result, outcome = watch.end(
                lambda: _played(table, players, teams, stops, seed, (workers, executor), progress)
            )
            outcome = watch.reached if outcome == "interrupted" and watch.reached else outcome
    tell_notes(rules)
    _tell_notes((first, second), players, is_here=on is None and workers in (None, 1))
    about = {"game": str(rules), "first": first, "second": second, "outcome": outcome}
    if as_json:
        print_json({**about, **asdict(result)})
    else:
        seats = teams or [(player,) for player in range(rules.num_players)]
        _report(rules, result, about, seats)
    if outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


class _Stops(NamedTuple):
    """Limits of a match, and its checkpoint file."""

    deals: int | None
    half_width: float | None
    checkpoint: Path | None

    @property
    def max_deals(self) -> int:
        """Maximum number of deals."""
        return self.deals or (DEFAULT_DEALS if self.half_width is None else UNLIMITED_DEALS)

    def check(self, *, exact: bool) -> None:
        """Raise if an option about sampled deals is combined with `--exact`."""
        for name, value in self._asdict().items():
            if exact and value is not None:
                option = name.replace("_", "-")
                raise typer.BadParameter(f"--exact samples no deals: omit --{option}")
        if self.half_width == 0:
            raise typer.BadParameter("--half-width 0 cannot be reached by sampling; use --exact")


def _game_and_players(
    rules: Game, texts: tuple[str, str], exact: bool, progress: Progress
) -> tuple[Table, list[Policy | CorrelatedPolicy]]:
    """Return the game, built if the match needs it, and the players.

    Players with tables of a tree play on it, if it fits in the limits; exact results come from it,
    or from the public form.
    """
    from infoset.errors import GameTooLargeError
    from infoset.front import (
        is_network,
        is_policy_file,
        policy_kind,
        resolve_players,
        to_public_form,
    )
    from infoset.front.game_sources import check_world_states
    from infoset.tree import GameTree, build_tree, public_rules_of

    is_table = (
        is_policy_file(text)
        and not is_network(text)
        and policy_kind(text) not in ("public", "world")
        for text in texts
    )
    table: Table = rules
    if exact or any(is_table):
        try:
            check_world_states(rules)
            table = build_tree(rules, progress=progress.building)
        except GameTooLargeError:
            if exact and public_rules_of(rules) is None:
                raise
            table = to_public_form(rules, progress=progress.building) if exact else rules
    played = table if isinstance(table, GameTree) else rules
    players = resolve_players(texts, played, progress=progress.building)
    return table, players


def _computed(
    table: Table, players: Sequence[Policy | CorrelatedPolicy], teams: Teams | None
) -> tuple[MatchResult, str]:
    """Return the expected result of the match."""
    from infoset.game import Game
    from infoset.matches import SupportsSearch, exact_match

    assert not isinstance(table, Game)
    if any(isinstance(player, SupportsSearch) for player in players):
        tell(SEARCHER_NOTE)
    return exact_match(table, *players, teams=teams), "exact"


def _played(
    table: Table,
    players: Sequence[Policy | CorrelatedPolicy],
    teams: Teams | None,
    stops: _Stops,
    seed: int,
    where: tuple[int | None, Executor | None],
    progress: Progress,
) -> tuple[MatchResult, str]:
    """Play the match; after Ctrl-C, return the result so far."""
    from infoset.matches import play_matches

    so_far: list[MatchResult] = []

    def show(result: MatchResult) -> None:
        so_far[:] = [result]
        progress.played(result)

    try:
        result = play_matches(
            table,
            *players,
            num_deals=stops.max_deals,
            half_width=stops.half_width,
            teams=teams,
            seed=seed,
            workers=where[0],
            executor=where[1],
            checkpoint=stops.checkpoint,
            callback=show,
        )
    except (KeyboardInterrupt, SystemError) as error:
        if not so_far or not is_interrupt(error):
            raise
        return so_far[0], "interrupted"
    wanted = stops.half_width
    narrow = wanted is not None and result.utility.half_width <= wanted
    return result, "converged" if narrow else "deals"


def _tell_notes(
    texts: Sequence[str], players: Sequence[Policy | CorrelatedPolicy], *, is_here: bool
) -> None:
    """Report searches that exceeded their time budget, and other notes of searchers."""
    from infoset.search import Searcher

    for text, player in zip(texts, players, strict=True):
        if isinstance(player, Searcher):
            if not is_here and player.settings().get("milliseconds") is not None:
                tell(f"note: {text} has a time budget; overruns are reported only with --workers 1")
            for note in player.notes():
                tell(f"note: {text}: {note}")


def _report(rules: Game, result: MatchResult, about: Mapping[str, str], seats: Teams) -> None:
    from infoset.game.player_names import name_players
    from infoset.matches import Estimate

    is_exact = about["outcome"] == "exact"
    interval = [] if is_exact else [">95% interval"]
    table = TextTable("", ">utility", *interval, ">wins", *interval)

    # Exact numbers that cancel leave rounding errors, which are not information.
    smallest = ROUNDING * max(abs(own.mean) for own in result.position_utilities) if is_exact else 0

    def cells(utility: Estimate, wins: Estimate) -> tuple[str, ...]:
        if abs(utility.mean) < smallest:
            utility = Estimate(0.0, 0.0, (0.0, 0.0))
        found = (*_cells(utility), *_cells(wins, percent=True))
        return found[::2] if is_exact else found

    table.add_row("all positions", *cells(result.utility, result.win_rate))
    rows = zip(seats, result.position_utilities, result.position_win_rates, strict=True)
    for players, utility, wins in rows:
        table.add_row(f"as {name_players(rules, players)}", *cells(utility, wins))
    print_table(table, title="{game}: {first} against {second}".format(**about))
    deals = f"{number_text(result.num_deals)} deals, each in every position; "
    say(("" if is_exact else deals) + ENDINGS[about["outcome"]])


def _cells(estimate: Estimate, *, percent: bool = False) -> tuple[str, str]:
    """Format a mean and its interval: `-` if the mean is exact, `unknown` if nothing bounds it."""

    def text(value: float) -> str:
        return f"{100 * value:.4g}%" if percent else number_text(value)

    low, high = map(text, estimate.interval)
    if not isfinite(estimate.half_width):
        return text(estimate.mean), "unknown"
    return text(estimate.mean), f"{low} to {high}" if low != high else "-"
