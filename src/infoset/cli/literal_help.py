"""Help texts that are shown as they are written, including their square brackets.

Typer parses the help of commands and options as markup of Rich, in which `[deep]` is a style and
disappears. The classes below escape every text when the parser is built, so that authors of help
texts need not know it.
"""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption


class LiteralCommand(TyperCommand):
    """A command whose help is not markup."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _escape_help(self)


class LiteralGroup(TyperGroup):
    """A program whose help is not markup."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        _escape_help(self)


def _escape_help(command: TyperCommand | TyperGroup) -> None:
    """Escape the texts of a command and of its parameters, if they are parsed as markup."""
    if command.rich_markup_mode != "rich":
        return
    from rich.markup import escape

    # Lines of a paragraph are joined, so that it fills a terminal of any width.
    command.help = command.help and escape(re.sub(r"(?<=\S)\n(?=\S)", " ", command.help))
    command.short_help = command.short_help and escape(command.short_help)
    command.epilog = command.epilog and escape(command.epilog)
    for parameter in command.params:
        if isinstance(parameter, TyperArgument | TyperOption):
            parameter.help = parameter.help and escape(parameter.help)
