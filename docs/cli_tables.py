"""Write the tables of options in `cli.md` from the commands themselves.

    python docs/cli_tables.py

Each table stands between `<!-- options: COMMAND -->` and `<!-- end -->`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer

from infoset.cli.app import app

PAGE = Path(__file__).with_name("cli.md")
BLOCK = re.compile(r"(<!-- options: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
NOT_LISTED = ("--help", "--json")


def options_table(command: Any) -> str:
    """Return the options of a command as a Markdown table."""
    rows = ["| option | meaning | default |", "|---|---|---|"]
    for parameter in command.params:
        names = [name for name in parameter.opts if name.startswith("--")]
        if names and not set(names) & set(NOT_LISTED):
            shown = ", ".join(f"`{name}`" for name in names)
            rows.append(f"| {shown} | {parameter.help} | {default_text(parameter)} |")
    return "\n".join(rows) + "\n"


def default_text(parameter: Any) -> str:
    """Return the default of an option as its help shows it."""
    if isinstance(parameter.show_default, str):
        return parameter.show_default
    if parameter.default is None or parameter.is_flag:
        return ""
    return f"`{parameter.default}`"


def with_tables(text: str) -> str:
    """Return the text of the page with all tables written again."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return BLOCK.sub(lambda match: match[1] + options_table(commands[match[2]]) + match[3], text)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text("utf-8")), "utf-8")
