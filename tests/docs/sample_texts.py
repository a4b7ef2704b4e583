"""Sample docstrings, error messages and pages, so that a reader can judge their English.

The verdicts on two samples of the default sizes (seeds 20261128, before repairs, and 20261129,
after them) and on the help of every command are in `english_verdicts.csv`. Draw a new seed to
compare.

    python tests/docs/sample_texts.py --seed 1 --docstrings 100 --errors 100 --pages 20

The reader counts the texts over which a native-speaking engineer would stumble: `clear` if one
stops, misreads or must guess, `slight` if one reads on but would write it otherwise. Places are
those of the sample, before any repair of it.
"""

# Clear and slight stumbles of all texts, by seed:
#
#     kind        20261128         20261129
#     docstring   7 + 22 of 100    2 + 14 of 100
#     error       3 + 10 of 100    0 + 5 of 100
#     page        2 + 8 of 20      2 + 3 of 20
#     help        4 + 14 of 25     0 + 3 of 25

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted(path for folder in ("src", "studies") for path in (ROOT / folder).rglob("*.py"))
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def docstrings(path: Path) -> Iterator[str]:
    """Yield the docstrings of a module with their positions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield f"{place(path, getattr(node, 'lineno', 1))}\n{text}"


def errors(path: Path) -> Iterator[str]:
    """Yield the errors that a module raises with their positions."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield f"{place(path, node.lineno)}\n{ast.unparse(node.exc)}"


def place(path: Path, line: int) -> str:
    return f"## {path.relative_to(ROOT)}:{line}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name, number in (("seed", 1), ("docstrings", 100), ("errors", 100), ("pages", 20)):
        parser.add_argument(f"--{name}", type=int, default=number)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)
    texts = {
        "docstrings": [text for path in SOURCES for text in docstrings(path)],
        "errors": [text for path in SOURCES for text in errors(path)],
        "pages": [place(path, 1) for path in PAGES],
    }
    for name, found in texts.items():
        chosen = rng.sample(found, min(getattr(asked, name), len(found)))
        print(f"\n# {len(chosen)} of {len(found)} {name}\n")
        print("\n\n".join(chosen))


if __name__ == "__main__":
    main()
