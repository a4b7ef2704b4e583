"""Team games in `infoset solve`: their options and report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, cast

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.interrupts import interrupts_reported
from infoset.cli.progress import live
from infoset.cli.saved_results import Saved, save_and_report
from infoset.cli.screen import (
    add_times,
    asks_for_list,
    duration_text,
    list_and_leave,
    number_text,
    print_json,
    print_table,
    tell,
    tell_notes,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.efg import ExtensiveForm
    from infoset.game import Game
    from infoset.teams import (
        PayoffRule,
        ProductForm,
        SecurityLevel,
        TeamMethod,
        TeamPoint,
        TeamResult,
    )
    from infoset.teams.solving import TeamOptions
    from infoset.tree import BuildPoint


OUTCOMES = {
    "optimal": "optimal",
    "local": "local optimum: no player gains by deviating alone, but two together may",
    "iterations": "all runs reached the iteration limit",
    "seconds": "time limit reached",
    "states": "state limit of the search reached",
    "steps": "step limit of the search reached",
    "stopped": "stopped",
    "interrupted": "interrupted; results so far",
}


def _list_relaxations(context: typer.Context, name: str | None) -> str | None:
    """Print the table of relaxations and exit if the value is `list`."""
    if name is not None and asks_for_list(name):
        from infoset.teams import RELAXATIONS

        rows = [(row.name, row.description) for row in RELAXATIONS.values()]
        list_and_leave(context, "relaxations", ("name", "description"), rows)
    return name


def parse_teams(text: str) -> list[tuple[int, ...]]:
    """Parse teams from text such as `0,2/1,3`.

    Raises
    ------
    typer.BadParameter
        If the text does not have this form.
    """
    if not re.fullmatch(r"\d+(,\d+)*(/\d+(,\d+)*)*", text):
        raise typer.BadParameter(
            f"{text!r} does not describe teams; write them as 0,2/1,3, with players counted from 0"
        )
    return [tuple(map(int, team.split(","))) for team in text.split("/")]


PANEL = "Team methods"
RelaxOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Information relaxation used during learning; 'list' prints all relaxations.",
        show_default="recall; closure for a game in a file",
        callback=_list_relaxations,
        rich_help_panel=PANEL,
    ),
]
TeamsOption: TypeAlias = Annotated[
    Any,
    typer.Option(
        metavar="TEAMS",
        parser=parse_teams,
        help="Teams as lists of players counted from 0, such as 0,2/1,3.",
        show_default="one team of all players",
        rich_help_panel=PANEL,
    ),
]
PenaltyOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        metavar="NUMBER",
        help="Penalty coefficient γ for relying on relaxed information, in utility units.",
        show_default="depends on the method",
        rich_help_panel=PANEL,
    ),
]
RestartsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Number of runs from different initial policies; the best one is reported.",
        show_default="depends on the method",
        rich_help_panel=PANEL,
    ),
]
SeedOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Seed of the first run.",
        show_default="0",
        rich_help_panel=PANEL,
    ),
]


RuleOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Payoff of a team: common (all its players get the same payoff) or sum "
        "(of their payoffs).",
        show_default="common",
        rich_help_panel=PANEL,
    ),
]


class TeamRequest(NamedTuple):
    """Options of a team method as the user gave them; None for an option that is not given."""

    relax: str | None
    teams: list[tuple[int, ...]] | None
    penalty: float | None
    restarts: int | None
    seed: int | None
    rule: str | None
    iterations: int | None
    seconds: float | None

    @property
    def is_for_teams(self) -> bool:
        """Whether an option is given that only team games have."""
        return any(value is not None for value in (self.teams, self.rule, self.relax))

    @property
    def num_teams(self) -> int:
        """Number of teams; all players are one by default."""
        return 1 if self.teams is None else len(self.teams)

    def default_method(self) -> str:
        """Return the name of the method that `solve_team` would choose."""
        from infoset.teams.solving import TeamOptions, default_team_method

        given = TeamOptions(self.relax, self.penalty, self.iterations, self.restarts, self.seconds)
        return default_team_method(given, self.num_teams).name

    def limits(self, row: TeamMethod) -> TeamOptions:
        """Return the options of a method, with its defaults filled in."""
        from infoset.teams import get_relaxation
        from infoset.teams.solving import TeamOptions, fill_options

        if self.relax is not None:
            get_relaxation(self.relax)
        given = TeamOptions(self.relax, self.penalty, self.iterations, self.restarts, self.seconds)
        return fill_options(row, given, self.num_teams)


def is_for_teams(method: str) -> bool:
    """Return whether a name belongs to a team method."""
    from infoset.teams import TEAM_METHODS

    return TEAM_METHODS.knows(method)


def refuse(hint: str, **options: object) -> None:
    """Raise if any of some options is given, because the method does not support them.

    Raises
    ------
    typer.BadParameter
        If one is not None.
    """
    for name, value in options.items():
        if value is not None:
            option = name.replace("_", "-")
            raise typer.BadParameter(f"--{option} does not apply: {hint}")


def solve_teams(
    spec: str,
    method: str,
    request: TeamRequest,
    keeping: Mapping[str, Any],
    *,
    out: Path | None,
    as_json: bool,
) -> None:
    """Solve a game by a team method, save the result in a folder, and print a report.

    Raises
    ------
    typer.Exit
        If the run was interrupted.
    """
    from infoset.experiments import check_writable
    from infoset.front import load, solve_team
    from infoset.teams import get_team_method

    rules, row = load(spec), get_team_method(method)
    check_writable(out)
    limits = request.limits(row)
    with interrupts_reported(), live(str(rules)) as progress:

        def show(point: TeamPoint) -> None:
            if not progress.method:
                progress.solving_teams(row.name, limits)
            progress.measured_teams(point)

        def stage(point: BuildPoint) -> None:
            # These stages come after building, and may come before the first measurement.
            if point.stage in ("cfr+", "security levels") and not progress.method:
                progress.solving_teams(row.name, limits)
            progress.building(point)

        result = solve_team(
            rules,
            row,
            teams=request.teams,
            rule=cast("PayoffRule", request.rule or "common"),
            seed=request.seed or 0,
            callback=show,
            progress=stage,
            **{name: value for name, value in vars(limits).items() if name != "checkpoint"},
            **keeping,
        )
    tell_notes(rules)
    _save(result, out, rules, spec=spec, as_json=as_json)
    if result.outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _save(
    result: TeamResult,
    out: Path | None,
    rules: Game | ExtensiveForm,
    *,
    spec: str,
    as_json: bool,
) -> None:
    """Save a result in a folder, and print a report.

    The policy of a result in a compact form cannot be saved as a table for the game.
    """
    from infoset.experiments import save_team

    def report(saved: Saved) -> None:
        if as_json:
            print_json({**result.summary(), **saved.record})
            return
        _print_table(result)
        saved.say(spec)

    if result.information.form.source is not None:
        save_and_report(lambda to: save_team(result, to, game=rules), out, report)
        return
    report(Saved())
    tell(
        f"note: {result.game} has too many histories for a table of the policy, so that nothing is "
        "saved; in Python, solve_team returns the policy of its compact form"
    )


def _print_table(result: TeamResult) -> None:
    table, form = TextTable(), result.information.form
    table.add_row("outcome", OUTCOMES[result.outcome])
    add_times(table, result)
    if result.num_runs > 1:
        table.add_row("best run", f"{result.run + 1} of {result.num_runs}")
    table.add_row("iterations", number_text(result.last.iteration))
    for team, agents in enumerate(result.teams):
        whose = _whose(form, agents, len(result.teams))
        table.add_row(f"payoff{whose}", number_text(result.payoffs[team]))
        if len(result.teams) > 1:
            table.add_row(f"security level{whose}", _level_text(result.security_levels, team))
        if result.chosen and len(result.candidates) > 1:
            table.add_row(f"policy{whose}", result.chosen[team])
        if result.relaxed is not result.information:
            relaxed = result.last.relaxed_payoffs[team]
            table.add_row(f"relaxed payoff{whose}", number_text(relaxed))
            table.add_row(
                f"squared distance{whose}", number_text(result.last.squared_distances[team])
            )
    if result.upper_bound is not None:
        is_open = "" if result.outcome == "optimal" else " (may not be attainable)"
        table.add_row("upper bound", number_text(result.upper_bound) + is_open)
    if result.gap and result.outcome != "optimal":
        table.add_row("gap", number_text(result.gap))
    if result.depends_on_clock:
        table.add_row("depends on clock", "yes: the time limit changed the course of the run")
    print_table(table, title=f"{result.game}, {result.method}")
    if len(result.candidates) > 1:
        _report_candidates(result)


def _report_candidates(result: TeamResult) -> None:
    """Print the policies that were compared, and the payoffs of the teams under each."""
    num_teams = len(result.teams)
    measured = "payoff" if num_teams == 1 else "security level"
    form = result.information.form
    columns = [_whose(form, team, num_teams).removeprefix(" of ") for team in result.teams]
    table = TextTable("policy", "iterations", "time", *(name or measured for name in columns))
    for candidate in result.candidates:
        table.add_row(
            candidate.name,
            number_text(candidate.iterations),
            duration_text(candidate.seconds),
            *(
                number_text(candidate.payoffs[0])
                if num_teams == 1
                else _level_text(candidate.security_levels, team)
                for team in range(num_teams)
            ),
        )
    print_table(table, title=f"policies compared by {measured}")


def _level_text(levels: tuple[SecurityLevel, ...] | None, team: int) -> str:
    """Return the security level of a team, or that there was no time to compute it."""
    if levels is None:
        return "not computed"
    return interval_text(levels[team].lower, levels[team].upper)


def interval_text(lower: float, upper: float) -> str:
    """Return one number if two agree to the digits that are shown, otherwise both."""
    texts = number_text(lower), number_text(upper)
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _whose(form: ProductForm, agents: tuple[int, ...], num_teams: int) -> str:
    """Return the suffix of a row label that names a team's players; empty if there is one team."""
    from infoset.game.player_names import name_players

    if num_teams == 1:
        return ""
    return f" of {name_players(form, agents)}"
