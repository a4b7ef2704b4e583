"""`infoset zoo`: policies of named games that come with the library, or are made by recipes."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from infoset.cli.exit_codes import FAILED
from infoset.cli.options import JsonOption
from infoset.cli.progress import live
from infoset.cli.screen import number_text, print_json, print_table, say, tell
from infoset.cli.tables import TextTable

if TYPE_CHECKING:
    from fractions import Fraction

    from infoset.games import PackEntry


class Action(StrEnum):
    """What the command does."""

    LIST = "list"
    MAKE = "make"
    CHECK = "check"


def run(
    action: Annotated[
        Action,
        typer.Argument(help="List the games, compute the policy of one, or check the list."),
    ] = Action.LIST,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="Game of a pack, such as leduc_poker_4.", show_default=False
        ),
    ] = None,
    pack: Annotated[
        str | None, typer.Option(help="Games of one pack: small, medium or large.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="File in which to save the policy.", show_default="NAME.parquet"
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the games with known values, compute their policies, or check them.

    Every command that takes a policy accepts an installed one as zoo:NAME. 'make' computes the
    others by their recipes, which takes seconds to hours, and compares them with the digest in the
    list. 'check' recomputes the numbers in the list, and first makes policies that are not
    installed.
    """
    from infoset.games import PACK_SIZES, get_pack_entry, load_pack

    if action is Action.MAKE and name is None:
        raise typer.BadParameter("the name is missing: infoset zoo make NAME; 'infoset zoo' lists")
    if name is not None:
        entries = [get_pack_entry(name)]
    else:
        packs = PACK_SIZES if pack is None else (pack,)
        entries = [entry for one in packs for entry in load_pack(one)]
    if action is Action.LIST:
        _list(entries, as_json)
    elif action is Action.MAKE:
        _make(entries[0], out or Path(f"{name}.parquet"), as_json)
    else:
        _check(entries, as_json)


def _list(entries: list[PackEntry], as_json: bool) -> None:
    if as_json:
        print_json({"games": [_facts(entry) for entry in entries]})
        return
    table = TextTable("name", "pack", ">infostates", ">value of player 0", ">exploitability", "")
    for entry in entries:
        table.add_row(
            entry.name,
            entry.pack,
            " ".join(map(number_text, entry.infostates)),
            _value_text(entry),
            number_text(entry.exploitability),
            "installed" if entry.in_wheel else entry.recipe,
        )
    print_table(table)


def _facts(entry: PackEntry) -> dict[str, object]:
    return {
        "name": entry.name,
        "game": entry.game,
        "pack": entry.pack,
        "infostates": list(entry.infostates),
        "lower": str(entry.lower),
        "upper": str(entry.upper),
        "proof": entry.proof,
        "exploitability": entry.exploitability,
        "recipe": entry.recipe,
        "digest": entry.digest,
        "installed": entry.in_wheel,
        "source": entry.source,
    }


def _value_text(entry: PackEntry) -> str:
    """Return the value if it is short, and otherwise its first digits, or the bounds."""
    if entry.value is None:
        return f"{_digits(entry.lower)} to {_digits(entry.upper)}"
    text = str(entry.value)
    return text if len(text) <= 12 else f"{_digits(entry.value)}…"


def _digits(value: Fraction) -> str:
    return f"{float(value):.7g}"


def _make(entry: PackEntry, out: Path, as_json: bool) -> None:
    from infoset.benchmark import save_zoo_policy

    with live(entry.game):
        made = save_zoo_policy(entry, out)
    is_same = made.policy.digest == entry.digest
    if as_json:
        found = made.measured.exploitability
        digests = {"digest": made.policy.digest, "expected_digest": entry.digest}
        print_json({"name": entry.name, "file": str(out), "exploitability": found, **digests})
        return
    say(f"{entry.game}: exploitability {number_text(made.measured.exploitability or 0.0)}")
    say(f"saved in {out}, digest {made.policy.digest[:16]}")
    if not is_same:
        tell(
            f"note: the expected digest is {entry.digest[:16]}; another processor or another "
            "version of a dependency rounds differently"
        )


def _check(entries: list[PackEntry], as_json: bool) -> None:
    from infoset.benchmark import check_pack_entry

    wrong: dict[str, list[str]] = {}
    for entry in entries:
        with live(entry.game):
            wrong[entry.name] = check_pack_entry(entry)
        if not as_json:
            say(f"{entry.name}: {'; '.join(wrong[entry.name]) or 'as stated'}")
    if as_json:
        print_json({"differences": wrong})
    if any(wrong.values()):
        raise typer.Exit(FAILED)
