"""Put the tables and figures of the study of learning into its page of the documentation.

    infoset reproduce balanced --quick --out runs/balanced
    python benchmarks/study_page.py --take runs/balanced

Without `--take` the tables are made again of the files that the documentation has.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
from pathlib import Path

from report import DOCS, replace_part, table

PAGE, FILES = DOCS / "learning" / "study.md", DOCS / "learning" / "study"
MAKER = "study_page.py"


def table_text(path: Path) -> str:
    """Return a CSV file as a table in Markdown, with commas in whole numbers."""
    with path.open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    return table(header, [[_shown(text) for text in row] for row in rows])


def _shown(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def with_tables(page: str, folder: Path = FILES) -> str:
    """Return a page with its tables as they are in the files of a folder."""
    for name in re.findall(f"<!-- made by benchmarks/{MAKER}, (\\S+) -->", page):
        page = replace_part(page, f"{MAKER}, {name}", table_text(folder / f"{name}.csv"))
    return page


def take(folder: Path) -> None:
    """Copy the tables and figures that a study has left to the documentation."""
    FILES.mkdir(exist_ok=True)
    for path in sorted([*folder.glob("*.csv"), *folder.glob("*.svg")]):
        shutil.copyfile(path, FILES / path.name)


def main() -> None:
    """Take what a study has left, where it is said which, and make the page's tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--take", type=Path, metavar="DIR", help="the folder of the study")
    given = parser.parse_args()
    if given.take is not None:
        take(given.take)
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
