"""Options and tables of `infoset evaluate --leaks`: where a policy loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from infoset.cli.progress import live
from infoset.cli.screen import (
    error_text,
    frequencies_text,
    print_json,
    print_table,
    say,
    tell_notes,
)
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from infoset.efg import ExtensiveForm
    from infoset.evaluation import Leak, LeakGroup, LeakReport
    from infoset.front import EvaluatedPolicy
    from infoset.game import Game

DEFAULT_TOP = 10
"""Number of rows of a table."""

LeaksOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--leaks", help="Print what each decision contributes to NashConv, largest cost first."
    ),
]
TopOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        min=1,
        help="With --leaks: number of rows.",
        show_default=f"{DEFAULT_TOP}, or all with --json",
    ),
]
GroupOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="GROUP",
        help="With --leaks: add up by line or hand, in a game with a public form, or by action.",
        show_default=False,
    ),
]


def show_leaks(
    rules: Game | ExtensiveForm,
    players: list[EvaluatedPolicy],
    names: list[str],
    *,
    top: int | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Print what decisions contribute to NashConv, one by one or in groups.

    top : number of rows; by default `DEFAULT_TOP` in a table, and all in JSON.
    """
    from infoset.front import leak_report

    with live(str(rules)) as progress:
        by_hand = by in ("line", "hand")
        found = leak_report(rules, players, by_hand=by_hand, progress=progress.building)
    tell_notes(rules)
    groups = [] if by is None else found.grouped(by, _class_of_hand if by == "hand" else None)
    shown = top if as_json or top is not None else DEFAULT_TOP
    leaks = found.leaks(shown) if by is None else []
    if as_json:
        rows = [_record(leak) for leak in leaks] or [one._asdict() for one in groups[:shown]]
        numbers = {"nash_conv": found.nash_conv, "gains": found.gains, "leaks": rows}
        print_json({"game": str(rules), "policy": ", ".join(names), "by": by, **numbers})
        return
    title = f"{rules}: {', '.join(names)}"
    if by is None:
        _print_leaks(found, leaks, rules, title)
    else:
        _print_groups(found, groups[:shown], len(groups), by, rules, title)


def _class_of_hand(text: str) -> str:
    """Return the class of a hand of two cards, such as AKs, and other hands unchanged."""
    from infoset.views.labels import class_text, hand_class

    place = hand_class(text)
    return text if place is None else class_text(place)


def _record(leak: Leak) -> dict[str, Any]:
    """Return a leak as JSON values."""
    return {**leak._asdict(), "best": leak.best, "loss": leak.loss}


def _print_leaks(
    found: LeakReport, leaks: list[Leak], rules: Game | ExtensiveForm, title: str
) -> None:
    from infoset.game.player_names import short_name

    table = TextTable(
        ">cost", ">share", "player", "infostate", ">loss", "best", "policy", is_plain=True
    )
    for leak in leaks:
        table.add_row(
            _number(leak.cost),
            _share(leak.cost, found),
            short_name(rules, leak.player),
            leak.infostate,
            _number(leak.loss),
            str(leak.best),
            frequencies_text(leak.actions, leak.played),
        )
    print_table(table, title=title)
    _say_part(found, [leak.cost for leak in leaks], f"{found.num_leaks:,} suboptimal decisions")


def _print_groups(
    found: LeakReport,
    groups: list[LeakGroup],
    number: int,
    by: str,
    rules: Game | ExtensiveForm,
    title: str,
) -> None:
    from infoset.game.player_names import short_name

    table = TextTable(">cost", ">share", "player", by, ">infostates", is_plain=True)
    for one in groups:
        who, count = short_name(rules, one.player), f"{one.num_infostates:,}"
        table.add_row(_number(one.cost), _share(one.cost, found), who, one.text, count)
    print_table(table, title=title)
    _say_part(found, [one.cost for one in groups], f"{number:,} groups by {by}")


def _say_part(found: LeakReport, costs: list[float], of: str) -> None:
    """Print how much of NashConv the rows of a table make."""
    conv = error_text(found.nash_conv, found.form.rounding)
    say(f"{len(costs):,} of {of}, {_share(sum(costs), found)} of NashConv {conv}")


def _number(cost: float) -> str:
    return f"{cost:.4g}"


def _share(cost: float, found: LeakReport) -> str:
    """Return a cost as a percentage of NashConv."""
    return f"{100 * cost / found.nash_conv:.1f}%" if found.nash_conv > 0 else "-"
