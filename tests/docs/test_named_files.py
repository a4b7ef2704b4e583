"""Files that pages and docstrings name exist, and hold the names that are said to be there."""

from __future__ import annotations

import re

import pytest

from tests.docs.snippets import PAGES, ROOT

PLACEHOLDERS = {"path/to/file.py", "src/infoset/games/your_game.py"}
NAMED = re.compile(r"(?:`(\w+)(?:\.\w+)?` in\s+`)?(?<![\w/.-])((?:\w+/)+\w+\.py)\b")
MODULES = sorted(path for folder in ("src", "studies") for path in (ROOT / folder).rglob("*.py"))
FOLDERS = ("tests", "benchmarks", "examples", "docs")
TOOLS = sorted((ROOT / "web").glob("*.py"))
FILES = [*MODULES, *TOOLS, *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
PROSE = {"pages": [*PAGES, ROOT / "CONTRIBUTING.md"], "docstrings": MODULES}


@pytest.mark.parametrize("kind", PROSE)
def test_named_files_exist_and_hold_the_names(kind):
    broken = []
    for text in PROSE[kind]:
        for held, name in NAMED.findall(text.read_text("utf-8")):
            found = [path for path in FILES if path.as_posix().endswith(f"/{name}")]
            if name not in PLACEHOLDERS and not any(
                held in path.read_text("utf-8") for path in found
            ):
                broken.append(f"{text.relative_to(ROOT)}: {held} {name}")
    assert not broken, "\n".join(broken)
