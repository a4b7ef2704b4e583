"""Insert the tables and figures of a study into its page of the documentation.

    infoset reproduce balanced --quick --out runs/balanced
    python benchmarks/study_page.py balanced --take runs/balanced

Without `--take` the page is generated from the files that are already in the documentation. If a
table or a figure is missing, the page says so.
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
        "networks": DOCS / "networks" / "study.md",
        "sepot": DOCS / "search" / "resolving_study.md",
    }
)
"""Pages by study. Tables and figures are in a folder beside the page, with the name of the page."""

MAKER = "study_page.py"
MISSING = "Not run yet."


def files_of(page: Path) -> Path:
    """Return the folder with the tables and figures of a page."""
    return page.with_suffix("")


def table_text(path: Path) -> str:
    """Convert a CSV file to a Markdown table, with thousands separators in whole numbers.

    Columns without any entry are left out.
    """
    if not path.exists():
        return MISSING
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    used = [i for i in range(len(header)) if {row[i] for row in rows} - {"-", ""}]
    return table([header[i] for i in used], [[_shown(row[i]) for i in used] for row in rows])


def _shown(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def figure_text(path: Path, title: str) -> str:
    """Return the Markdown text of a figure."""
    return f"![{title}]({path.parent.name}/{path.name})" if path.exists() else MISSING


def filled(text: str, folder: Path) -> str:
    """Return the text of a page with the tables and figures of a folder.

    A table follows `<!-- made by benchmarks/study_page.py, NAME -->`, a figure follows `<!-- made
    by benchmarks/study_page.py, NAME.svg: TITLE -->`.
    """
    for place in re.findall(f"<!-- made by benchmarks/{MAKER}, (.+) -->", text):
        text = replace_part(text, f"{MAKER}, {place}", _part(place, folder))
    return text


def _part(place: str, folder: Path) -> str:
    """Return the table or figure for a marker."""
    name, _, title = place.partition(": ")
    if name.endswith(".svg"):
        return figure_text(folder / name, title)
    return table_text(folder / f"{name}.csv")


def take(study: Path, folder: Path) -> None:
    """Copy the tables and figures of a study to a folder of the documentation."""
    folder.mkdir(exist_ok=True)
    for path in sorted([*study.glob("*.csv"), *study.glob("*.svg")]):
        shutil.copyfile(path, folder / path.name)


def main() -> None:
    """Copy the results of a study if requested, and update its page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("study", choices=PAGES)
    parser.add_argument(
        "--take", type=Path, metavar="DIR", help="copy tables and figures from this folder"
    )
    given = parser.parse_args()
    page = PAGES[given.study]
    if given.take is not None:
        take(given.take, files_of(page))
    text = page.read_text(encoding="utf-8")
    page.write_text(filled(text, files_of(page)), encoding="utf-8")


if __name__ == "__main__":
    main()
