"""Write the tables of the documentation that follow from the code.

    python docs/write_tables.py

Each table stands between `<!-- table: NAME -->` and `<!-- end -->`: `options COMMAND` in
`reference/cli.md`, `games` in `games.md`, `packs` in `zoo.md`, `board` in `leaderboard.md`,
`papers` in `papers.md`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import typer

from infoset.benchmark import board_markdown, read_board
from infoset.cli.app import app
from infoset.games import GAMES, PACK_SIZES, GameEntry, PackEntry, load_pack

HERE = Path(__file__).parent
PAGES = (
    HERE / "reference" / "cli.md",
    HERE / "games.md",
    HERE / "zoo.md",
    HERE / "leaderboard.md",
    HERE / "papers.md",
)
BLOCK = re.compile(r"(<!-- table: ([\w ]+) -->\n).*?(<!-- end -->)", re.DOTALL)
NOT_LISTED = ("--help", "--json")
PAPERS = {
    "fosg": "Factored-observation stochastic games (Kovařík et al. 2022)",
    "balanced": "Balanced bandit learning (Bai et al. 2022)",
    "beliefs": "Public and private beliefs (Arjonilla et al. 2024)",
    "hiding": "Progressive hiding (Heymann and Lanctot 2025)",
    "sepot": "SePoT (Kubíček et al. 2024)",
    "benchmark": "Policy gradients re-evaluated (Rudolph et al. 2026)",
}
"""Titles of the papers in `papers.csv`."""
STATUSES = ("reproduced", "partly", "missing", "not explained")


def with_tables(text: str) -> str:
    """Return the text of a page with all tables written again."""
    return BLOCK.sub(
        lambda match: match[1] + table(*match[2].split()) + match[3], text
    )


def table(kind: str, name: str = "") -> str:
    """Return a table as Markdown."""
    if kind == "board":
        found = read_board(HERE / "leaderboard")
        return board_markdown([entry for _, entry in found])
    if kind == "papers":
        return "\n" + "\n".join(paper_text(paper) for paper in PAPERS) + "\n"
    rows = (
        {"games": games, "packs": packs}[kind]()
        if kind != "options"
        else options(name)
    )
    return lines_of(rows)


def lines_of(rows: Iterator[tuple[str, ...]]) -> str:
    """Return the lines of a table."""
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def options(command: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows on the options of a command."""
    yield from (("option", "meaning", "default"), ("---",) * 3)
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for parameter in commands[command].params:
        spellings = (*parameter.opts, *parameter.secondary_opts)
        names = [name for name in spellings if name.startswith("--")]
        if names and not set(names) & set(NOT_LISTED):
            yield (
                ", ".join(f"`{name}`" for name in names),
                parameter.help,
                default_text(parameter),
            )


def default_text(parameter: Any) -> str:
    """Return the default of an option as its help shows it."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    return (
        ""
        if parameter.default is None
        or (parameter.is_flag and not parameter.secondary_opts)
        else f"`{parameter.default}`"
    )


def games() -> Iterator[tuple[str, ...]]:
    """Yield the rows on the games, each linked to its page, or its section of a page."""
    yield from (("game", "description", "players", "other names"), ("---",) * 4)
    for entry in GAMES.values():
        aliases = ", ".join(f"`{alias}`" for alias in entry.aliases)
        yield (
            f"[`{entry.name}`]({page(entry.name)})",
            entry.summary,
            num_players(entry),
            aliases,
        )


def packs() -> Iterator[tuple[str, ...]]:
    """Yield the rows on the games of the packs."""
    yield (
        "name",
        "game",
        "infostates",
        "value of player 0",
        "proof",
        "exploitability",
        "policy",
    )
    yield ("---",) * 7
    for entry in (entry for pack in PACK_SIZES for entry in load_pack(pack)):
        yield (
            f"`{entry.name}`",
            f"`{entry.game}`",
            " + ".join(f"{number:,}" for number in entry.infostates),
            value_text(entry),
            entry.proof,
            f"{entry.exploitability:.2g}",
            "installed" if entry.in_wheel else f"`{entry.recipe}`",
        )


def value_text(entry: PackEntry) -> str:
    """Return the value as a fraction if it is short, else in decimals, or its bounds."""
    if entry.value is None:
        return f"{float(entry.lower):.9f} to {float(entry.upper):.9f}"
    text = str(entry.value)
    return text if len(text) < 12 else f"{float(entry.value):.10f}…"


def paper_rows() -> list[dict[str, str]]:
    """Return the rows of `papers.csv`."""
    with (HERE / "papers.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def paper_text(paper: str) -> str:
    """Return the section of a paper: how many rows have each status, and the rows."""
    rows = [row for row in paper_rows() if row["paper"] == paper]
    found = [row["status"] for row in rows]
    counts = ", ".join(f"{found.count(status)} {status}" for status in STATUSES)
    cells = (
        (
            row["item"],
            ", ".join(
                f"`{name.removeprefix('infoset.')}`"
                for name in row["where"].split()
            ),
            ", ".join(held_by(row)),
            result_text(row),
        )
        for row in rows
    )
    header = (("item", "code", "test or experiment", "result"), ("---",) * 4)
    return f"## {PAPERS[paper]}\n\n{counts}.\n\n{lines_of((*header, *cells))}"


def held_by(row: dict[str, str]) -> Iterator[str]:
    """Yield the tests of a row, and its experiments with the date of the committed results."""
    for test in row["test"].split():
        yield f"`{test.removeprefix('tests/')}`"
    for command in filter(None, row["command"].split(" && ")):
        name = command.rpartition(" ")[2]
        yield f"[{name}]({section_of(command)}), {row['date']}"


@cache
def section_of(command: str) -> str:
    """Return the link to the section that begins with a command."""
    begin = re.compile(rf"^#+ (.+)\n\n    {re.escape(command)}\b", re.MULTILINE)
    for path in sorted(HERE.glob("*/*study.md")):
        for title in begin.findall(path.read_text("utf-8")):
            anchor = re.sub(r"[^\w\s-]", "", title.lower()).replace(" ", "-")
            return f"{path.relative_to(HERE).as_posix()}#{anchor}"
    raise SystemExit(f"no section of a study begins with {command}")


def result_text(row: dict[str, str]) -> str:
    """Return the status, the number of the paper and ours, and the note of a row."""
    numbers = (
        f"{row['theirs']} → {row['ours']}"
        if row["theirs"] != row["ours"]
        else row["ours"] and f"both {row['ours']}"
    )
    details = "; ".join(filter(None, (numbers, row["note"])))
    return f"{row['status']}: {details}" if details else row["status"]


def page(name: str) -> str:
    """Return the link to the page of a game."""
    if (HERE / "games" / f"{name}.md").exists():
        return f"games/{name}.md"
    for path in sorted((HERE / "games").glob("*.md")):
        if re.search(rf"^#+ `{name}`$", path.read_text("utf-8"), re.MULTILINE):
            title = path.read_text("utf-8").splitlines()[0]
            return f"games/{path.name}" + ("" if name in title else f"#{name}")
    raise SystemExit(f"there is no page or section on {name} in docs/games")


def num_players(entry: GameEntry) -> str:
    """Return the numbers of players of a game."""
    for parameter in entry.parameters:
        if parameter.name in ("players", "num_players"):
            return str(parameter.domain).removeprefix("a whole number from ")
    if any(parameter.is_required for parameter in entry.parameters):
        return "2"
    return str(entry.load({}).num_players)


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(with_tables(path.read_text("utf-8")), "utf-8")
