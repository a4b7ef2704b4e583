"""Find and run the code blocks of a Markdown page.

A page runs from top to bottom. Its Python blocks share one module, and its commands share one empty
folder.

- A `python` block with `>>>` runs as a doctest, and its output is compared.
- Any other `python` block is executed. A `text` block directly after it shows its output.
- In a `console` block the lines that begin with `$ infoset` are run. If lines follow, they are what
  the command prints, standard error included. Other commands are left alone.

In outputs, `...` matches anything, and all white space is equivalent. In what commands print, times
match any other, and numbers with a decimal point or an exponent need to agree within one percent.
A comment before a block can skip it, `<!-- test: skip -->`, set the expected exit code,
`<!-- test: exit 2 -->`, or name the numbers that depend on the machine,
`<!-- test: varying iterations, episodes per second -->`; two orders are separated by `; `. After
`<!-- test: file NAME -->`, the block is the text of that file.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import math
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from textwrap import dedent
from types import ModuleType

from infoset.cli import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE

BLOCK = re.compile(
    r"(?:^[ ]*<!--[ ]test:[ ](?P<order>[^>]*?)[ ]-->\n+)?"
    r"^(?P<indent>[ ]*)```[ ]?(?P<language>\w+)[^\n]*\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.MULTILINE | re.DOTALL,
)
SHELL_SIGNS = ("|", ">", "<", "&&", ";")
COLUMNS = 84
"""Width of code on a page, and of the terminal in which commands are run."""

NUMBER = r"-?\d[\d,]*(?:\.\d+)?(?:e[-+]\d+)?"
UNITS = r"(?:µs|ms|s|min|h)"
OUTPUT_PART = re.compile(
    rf"(?P<any>\.\.\.)|(?P<space>\s+)|(?P<rule>─+)|(?<![\w.])(?P<time>{NUMBER}\ {UNITS}(?!\w))"
    r"|(?<![\w.])(?P<decimal>-?\d[\d,]*(?:\.\d+(?:e[-+]\d+)?|e[-+]\d+))(?![\w.])"
)
"""What an output is cut into; anything else is compared literally."""


@dataclass(frozen=True)
class Block:
    """A code block with its line number, its language and the comment before it."""

    page: Path
    line: int
    language: str
    body: str
    order: str
    output: str | None
    """The body of the `text` block that follows at once."""

    @property
    def place(self) -> str:
        return f"{self.page.name}:{self.line}"

    @property
    def exit_code(self) -> int:
        found = re.search(r"exit (\d+)", self.order)
        return int(found[1]) if found else 0

    @property
    def varying(self) -> tuple[str, ...]:
        """The names of the numbers that may differ."""
        found = re.search(r"varying (.+)", self.order)
        return tuple(found[1].split(", ")) if found else ()


def blocks(page: Path) -> list[Block]:
    """Return the code blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    matches = list(BLOCK.finditer(text))
    found = []
    for match, following in zip_longest(matches, matches[1:]):
        order = match["order"] or ""
        assert re.fullmatch(r"|skip|file [\w.]+|(exit \d+)?(; )?(varying .+)?", order), (
            f"{page.name}: unknown order {order!r}"
        )
        output = None
        if following is not None and following["language"] == "text":
            between = text[match.end() : following.start("indent")]
            output = None if between.strip() else dedent(following["body"])
        line = text.count("\n", 0, match.start("body")) + 1
        found.append(Block(page, line, match["language"], dedent(match["body"]), order, output))
    return found


def commands(body: str) -> list[tuple[str, str]]:
    """Return the commands of a console block, each on one line, with the output shown for it."""
    joined = re.sub(r"\\\n\s*", "", body)
    parts = re.split(r"^\$ ", joined, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def run_page(page: Path) -> None:
    """Run all blocks of a page in the current folder."""
    module = ModuleType(f"page_{page.stem.replace('-', '_')}")
    sys.modules[module.__name__] = module
    try:
        for block in blocks(page):
            if block.order == "skip":
                continue
            if block.order.startswith("file "):
                Path(block.order.removeprefix("file ")).write_text(block.body, encoding="utf-8")
            elif block.language == "python":
                run_python(block, module)
            elif block.language == "console":
                run_console(block)
    finally:
        del sys.modules[module.__name__]


def run_python(block: Block, module: ModuleType) -> None:
    """Run a Python block as a doctest or as a program."""
    if ">>>" in block.body:
        run_doctest(block, module)
        return
    printed = io.StringIO()
    code = compile("\n" * (block.line - 1) + block.body, str(block.page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(code, module.__dict__)
    if block.output is not None:
        assert_output(block.place, block.output, printed.getvalue())


def run_doctest(block: Block, module: ModuleType) -> None:
    examples = doctest.DocTestParser().get_examples(block.body)
    test = doctest.DocTest(
        examples, module.__dict__, block.place, str(block.page), block.line - 1, block.body
    )
    test.globs = module.__dict__  # DocTest copies it; names must reach the next block
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def run_console(block: Block) -> None:
    """Run the `infoset` commands of a console block."""
    for command, output in commands(block.body):
        if not command.startswith("infoset"):
            continue
        code, printed = run_command(command)
        place = f"{block.place}: {command}"
        assert code == block.exit_code, f"{place} exits with {code}\n{printed}"
        if output.strip():
            assert_command_output(place, output, printed, block.varying)


def run_command(command: str) -> tuple[int, str]:
    """Run a command, in this process if it needs no shell; return its exit code and output."""
    words = shlex.split(command, comments=True)
    if words[-3:-1] == ["|", "head"]:
        code, printed = run_command(shlex.join(words[:-3]))
        lines = printed.splitlines(keepends=True)
        return code, "".join(lines[: int(words[-1].removeprefix("-"))])
    if words[-2:-1] == [">"]:
        code, printed = run_command(shlex.join(words[:-2]))
        Path(words[-1]).write_text(printed, encoding="utf-8")
        return code, ""
    if any(sign in words for sign in SHELL_SIGNS):
        return run_in_shell(command)
    printed, stdin = io.StringIO(), sys.stdin
    sys.stdin = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            main(words[1:])
    except SystemExit as ending:
        return int(ending.code or 0), printed.getvalue()
    finally:
        sys.stdin = stdin
    raise AssertionError("main always exits")


def run_in_shell(command: str) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-c", command],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.returncode, done.stdout


def assert_output(place: str, shown: str, printed: str) -> None:
    """Compare the output on the page with the actual output."""
    if not doctest.OutputChecker().check_output(shown.strip(), printed.strip(), FLAGS):
        raise AssertionError(f"{place}\n--- the page shows\n{shown}\n--- printed was\n{printed}")


def assert_command_output(
    place: str, shown: str, printed: str, varying: tuple[str, ...] = ()
) -> None:
    """Compare what a command printed with the page, except for what depends on the machine."""
    match = output_pattern(shown.strip(), varying).fullmatch(printed.strip())
    agree = match and all(
        math.isclose(as_number(number), as_number(found), rel_tol=0.01, abs_tol=1e-12)
        for number, found in zip(decimals(shown, varying), match.groups(), strict=True)
    )
    if not agree:
        raise AssertionError(f"{place}\n--- the page shows\n{shown}\n--- printed was\n{printed}")


def output_parts(shown: str, varying: tuple[str, ...]) -> list[tuple[str, str]]:
    """Return the parts of an output with their kinds; `""` is the kind of literal text."""
    names = "|".join(re.escape(name) for name in varying)
    pattern = OUTPUT_PART.pattern
    if names:
        pattern = rf"(?P<varying>\b(?:{names})\"?:?\s+{NUMBER})|{pattern}"
    parts, end = [], 0
    for match in re.finditer(pattern, shown):
        parts += [("", shown[end : match.start()]), (match.lastgroup or "", match.group())]
        end = match.end()
    return [*parts, ("", shown[end:])]


def decimals(shown: str, varying: tuple[str, ...]) -> list[str]:
    return [text for kind, text in output_parts(shown.strip(), varying) if kind == "decimal"]


def output_pattern(shown: str, varying: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of the outputs that agree with the page, with a group per decimal."""
    fixed = {
        "any": ".*?",
        "space": r"\s+",
        "rule": "─+",
        "time": rf"(?:{NUMBER}\ {UNITS}|\d+:\d\d(?::\d\d)?)",
        "decimal": rf"({NUMBER})",
    }
    text = ""
    for kind, part in output_parts(shown, varying):
        if kind == "varying":
            name = re.sub(rf"\s+{NUMBER}$", "", part)
            text += rf"{re.escape(name)}\s+{NUMBER}"
        else:
            text += fixed.get(kind) or re.escape(part)
    return re.compile(text, re.DOTALL)


def as_number(text: str) -> float:
    return float(text.replace(",", ""))
