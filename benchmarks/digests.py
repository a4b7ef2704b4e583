"""Digests of the numbers that the library computes, to check that a change kept every bit.

    python benchmarks/digests.py                          # recompute and compare with the table
    python benchmarks/digests.py --package solvers        # only one package (repeatable)
    python benchmarks/digests.py --only cfr+ --show       # only ids that contain a text, with times
    python benchmarks/digests.py --write                  # replace the table
    python benchmarks/digests.py --write --table FILE     # write another table, such as this tree's
    python benchmarks/digests.py --table FILE             # compare with that table

The table, `results/digests.csv`, has one line per digest: an id, and the first 16 hex digits of a
SHA-256 over arrays and numbers. Ids remain the same if the library renames an object. A digest
does not depend on names, files, texts or times, except those of labels, fingerprints and files in
`forms`. `digest_packages` has one module for each package of the library; `forms` and `resolving`
cut across packages.

Floating-point results agree bit for bit only on the same kind of processor and with the same
versions of the libraries, which the table records. On another machine, write a table of your own
before the change, with `--table`, and compare with it afterwards.

With compiled kernels in the cache, all packages take about two minutes of processor time.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from digest_packages.common import Cell
from digest_packages.hashing import digest
from report import environment

TABLE = Path(__file__).parent / "results" / "digests.csv"

PACKAGES = (
    "games",
    "forms",
    "efg",
    "policy",
    "regret",
    "evaluation",
    "beliefs",
    "solvers",
    "resolving",
    "learning",
    "search",
    "teams",
    "studies",
    "interop",
)

ERROR = "error: "
LISTED = 200
"""Maximum number of ids that a check lists for each kind of difference."""

Digests = dict[str, str]


def main() -> None:
    """Compute digests, then write the table or compare with it."""
    arguments = parse_arguments()
    packages = arguments.package or [*PACKAGES]
    found: Digests = {}
    for package in packages:
        done = compute(package, arguments.only, arguments.show)
        found |= done.digests
        print(f"{package}: {len(done.digests)} digests, {done.seconds:.1f} s of CPU", flush=True)
        for name in done.uncovered:
            print(f"  not covered: {name}")
    errors = {name: text for name, text in found.items() if text.startswith(ERROR)}
    for name, text in errors.items():
        print(f"{name}: {text}")
    if arguments.write:
        write(found, packages, arguments.table)
        sys.exit(1 if errors else 0)
    is_equal = check(found, packages, arguments.only, arguments.table)
    sys.exit(0 if is_equal and not errors else 1)


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--package", action="append", choices=PACKAGES, help="limit to a package (repeatable)"
    )
    parser.add_argument("--only", default="", help="limit to ids that contain this text")
    parser.add_argument("--show", action="store_true", help="print each digest with its seconds")
    parser.add_argument(
        "--table", type=Path, default=TABLE, help="the table (default: results/digests.csv)"
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--write", action="store_true", help="replace the table")
    mode.add_argument("--check", action="store_true", help="compare with the table (the default)")
    arguments = parser.parse_args()
    if arguments.write and arguments.only:
        parser.error("--write replaces whole packages; remove --only")
    return arguments


@dataclass
class PackageDigests:
    """Digests of a package.

    Attributes
    ----------
    digests : dict
        Digests by id; text that begins with `error: ` if the computation failed.
    seconds : float
        Processor time in seconds, including compilation.
    uncovered : list
        Registered names, such as methods and learners, without a digest.
    """

    digests: Digests = field(default_factory=dict)
    seconds: float = 0.0
    uncovered: list[str] = field(default_factory=list)


def compute(package: str, only: str, show: bool) -> PackageDigests:
    """Compute the digests of a package; an error is recorded in place of its digest."""
    started = time.process_time()
    done = PackageDigests()
    for name, cell in cells_of(package):
        full = f"{package}/{name}"
        if only not in full:
            continue
        if full in done.digests:
            done.digests[full] = f"{ERROR}duplicate id"
            continue
        before = time.perf_counter()
        done.digests[full] = digest_of(cell)
        if show:
            print(f"{done.digests[full]}  {time.perf_counter() - before:6.2f} s  {full}")
    done.seconds = time.process_time() - started
    uncovered = getattr(import_module(f"digest_packages.{package}"), "uncovered", list)
    done.uncovered = sorted(uncovered())
    return done


def cells_of(package: str) -> Iterator[tuple[str, Cell]]:
    """Yield the ids and cells of a package; if listing them fails, a cell that raises the error."""
    try:
        yield from import_module(f"digest_packages.{package}").cells()
    except Exception as error:
        problem = error

        def fail() -> object:
            raise problem

        yield "(listing)", fail


def digest_of(cell: Cell) -> str:
    """Return the digest of the result of a cell, or the error as text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return digest(cell())
    except Exception as error:
        return f"{ERROR}{type(error).__name__}: {' '.join(str(error).split())}"


def machine() -> dict[str, str]:
    """Return the processor and the versions on which the bits depend."""
    known = environment()
    processor = known["machine"].partition(" cores of ")[2].rpartition(", ")[0]
    return {
        "processor": processor,
        "system": known["system"],
        "python": known["python"],
        **{name: version(name) for name in ("numpy", "scipy", "numba", "highspy")},
    }


def read(path: Path = TABLE) -> tuple[dict[str, str], Digests]:
    """Return the header and the digests of a table; both are empty if the file is missing."""
    if not path.exists():
        return {}, {}
    lines = path.read_text(encoding="utf-8").splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = csv.DictReader(line for line in lines if not line.startswith("#"))
    return about, {row["id"]: row["digest"] for row in rows}


def write(found: Digests, packages: Sequence[str], path: Path = TABLE) -> None:
    """Replace the digests of `packages` in a table."""
    about, known = read(path)
    here = machine()
    if set(packages) != set(PACKAGES) and about and about != here:
        sys.exit("the table is from another machine or other versions; write all packages")
    kept = {name: text for name, text in known.items() if package_of(name) not in packages}
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(f"# {name}: {value}\n" for name, value in here.items())
        table = csv.writer(file, lineterminator="\n")
        table.writerow(("id", "digest"))
        table.writerows(sorted((kept | found).items()))


def check(found: Digests, packages: Sequence[str], only: str, path: Path = TABLE) -> bool:
    """Print the differences from a table; return True if there are none."""
    about, known = read(path)
    if not known:
        print(f"{path} does not exist or is empty: write it first, with --write")
    for name, value in machine().items():
        if about.get(name) != value:
            print(f"the table was written with {name} {about.get(name)}, not {value}")
    wanted = {n: text for n, text in known.items() if package_of(n) in packages and only in n}
    different = [n for n in wanted if n in found and found[n] != wanted[n]]
    missing, extra = sorted(set(wanted) - set(found)), sorted(set(found) - set(wanted))
    for kind, names in (("differs", different), ("missing", missing), ("extra", extra)):
        for name in names[:LISTED]:
            print(f"{kind}: {name}")
        if len(names) > LISTED:
            print(f"{kind}: {len(names) - LISTED} more")
    print(
        f"{len(found)} digests: {len(different)} differ, {len(missing)} missing, {len(extra)} extra"
    )
    return not (different or missing or extra)


def package_of(name: str) -> str:
    """Return the package of an id."""
    return name.partition("/")[0]


if __name__ == "__main__":
    main()
