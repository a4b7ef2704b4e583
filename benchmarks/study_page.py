"""Put the tables and figures of a study into its page of the documentation.

    infoset reproduce balanced --quick --out runs/balanced
    python benchmarks/study_page.py balanced --take runs/balanced

Without `--take` the page is made again of the files that the documentation has. Where a table or a
figure is not there yet, the page says so.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from report import DOCS, replace_part, table

PAGES: Final[Mapping[str, Path]] = MappingProxyType(
    {
        "balanced": DOCS / "learning" / "study.md",
        "beliefs": DOCS / "search" / "study.md",
        "hiding": DOCS / "teams" / "study.md",
    }
)
"""By the name of the study; tables and figures are in a folder beside the page, named like it."""

MAKER = "study_page.py"
MISSING = "Not run yet."


def files_of(page: Path) -> Path:
    """Return the folder that a page has its tables and figures in."""
    return page.with_suffix("")


def table_text(path: Path) -> str:
    """Return a CSV file as a table in Markdown, with commas in whole numbers."""
    if not path.exists():
        return MISSING
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return table(header, [[_shown(text) for text in row] for row in rows])


def _shown(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def figure_text(path: Path, title: str) -> str:
    """Return a figure as Markdown shows it."""
    return f"![{title}]({path.parent.name}/{path.name})" if path.exists() else MISSING


def filled(text: str, folder: Path) -> str:
    """Return the text of a page with tables and figures as they are in a folder.

    A table stands behind `<!-- made by benchmarks/study_page.py, NAME -->`, a figure behind
    `<!-- made by benchmarks/study_page.py, NAME.svg: TITLE -->`.
    """
    for place in re.findall(f"<!-- made by benchmarks/{MAKER}, (.+) -->", text):
        text = replace_part(text, f"{MAKER}, {place}", _part(place, folder))
    return text


def _part(place: str, folder: Path) -> str:
    """Return the table or figure that a place is for."""
    name, _, title = place.partition(": ")
    if name.endswith(".svg"):
        return figure_text(folder / name, title)
    return table_text(folder / f"{name}.csv")


def take(study: Path, folder: Path) -> None:
    """Copy the tables and figures that a study has left to a folder of the documentation."""
    folder.mkdir(exist_ok=True)
    for path in sorted([*study.glob("*.csv"), *study.glob("*.svg")]):
        shutil.copyfile(path, folder / path.name)


def main() -> None:
    """Take what a study has left, where it is said which, and fill its page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=PAGES)
    parser.add_argument("--take", type=Path, metavar="DIR", help="the folder of the study")
    given = parser.parse_args()
    page = PAGES[given.study]
    if given.take is not None:
        take(given.take, files_of(page))
    text = page.read_text(encoding="utf-8")
    page.write_text(filled(text, files_of(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
