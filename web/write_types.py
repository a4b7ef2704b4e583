"""Write `src/types.ts`: the answers of the page's questions, from the dataclasses of the library.

    python web/write_types.py

An interface has the name of its dataclass without `View`, and all of its fields. `Questions` has
the arguments and the answer of each question, from the table `infoset.views.QUESTIONS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from infoset.views import QUESTIONS, LivePoint, Question

TARGET = Path(__file__).parent / "src" / "types.ts"
HEADER = """\
// Written by write_types.py from the dataclasses of infoset.views: change those, and run
// `python web/write_types.py`.
"""
WORDS = {int: "number", float: "number", str: "string", bool: "boolean", NoneType: "null"}
MESSAGES = (LivePoint,)
"""What a page receives without a question."""


def types_text() -> str:
    """Return the text of `types.ts`."""
    found: dict[type, str] = {}
    for answer in (*(question.answer for question in QUESTIONS.values()), *MESSAGES):
        add_interface(answer, found)
    return "\n".join([HEADER, *found.values(), questions_text()])


def add_interface(kind: type, found: dict[type, str]) -> None:
    """Add the interface of a dataclass, after those of its fields."""
    if kind in found:
        return
    lines = []
    hints = get_type_hints(kind)
    for field in fields(kind):
        for part in dataclasses_in(hints[field.name]):
            add_interface(part, found)
        lines.append(f"  {field.name}: {type_text(hints[field.name])};\n")
    about = (kind.__doc__ or "").split("\n\n")[0].strip()
    found[kind] = f"/** {about} */\nexport interface {name_of(kind)} {{\n{''.join(lines)}}}\n"


def name_of(kind: type) -> str:
    """Return the name of a dataclass on the page."""
    return kind.__name__.removesuffix("View")


def dataclasses_in(hint: Any) -> list[type]:
    """Return the dataclasses that a type is made of."""
    if isinstance(hint, type) and is_dataclass(hint):
        return [hint]
    return [kind for part in get_args(hint) for kind in dataclasses_in(part)]


def type_text(hint: Any) -> str:
    """Return a type of Python as TypeScript writes it, as JSON has its values."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in WORDS:
        return WORDS[hint]
    if isinstance(hint, type) and is_dataclass(hint):
        return name_of(hint)
    if origin in (Union, UnionType):
        return " | ".join(map(type_text, parts))
    if origin is Literal:
        return " | ".join(f'"{part}"' for part in parts)
    if origin is tuple and parts[-1] is Ellipsis:
        inner = type_text(parts[0])
        return f"({inner})[]" if " " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(type_text, parts))}]"
    if origin in (dict, Mapping) and parts[0] is str:
        return f"Record<string, {type_text(parts[1])}>"
    raise TypeError(f"an answer has a field of type {hint}, which JSON does not have")


def questions_text() -> str:
    """Return the interface of all questions."""
    rows = "".join(f"  {name}: {question_text(known)};\n" for name, known in QUESTIONS.items())
    return (
        "/** The arguments and the answer of each question. */\n"
        f"export interface Questions {{\n{rows}}}\n"
    )


def question_text(question: Question) -> str:
    """Return the type of a question."""
    arguments = [
        f"{name}{'?' if name in question.optional else ''}: number" for name in question.arguments
    ]
    taken = f"{{ {'; '.join(arguments)} }}" if arguments else "{}"
    return f"{{ arguments: {taken}; answer: {name_of(question.answer)} }}"


if __name__ == "__main__":
    TARGET.write_text(types_text(), encoding="utf-8")
