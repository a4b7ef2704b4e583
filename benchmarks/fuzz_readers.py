"""Give damaged files to every reader of the library, and count how each one answers.

    python benchmarks/fuzz_readers.py                             # 20,000 files per reader
    python benchmarks/fuzz_readers.py --inputs 1000 --seed 7      # fewer, and others
    python benchmarks/fuzz_readers.py --reader checkpoint         # one reader only
    python benchmarks/fuzz_readers.py --write                     # update the results and the docs
    python benchmarks/fuzz_readers.py --inputs 0 --write          # only the forged files

Each input is a valid file with one to three changes: flipped bits, other bytes, deleted, repeated
or moved parts, zeros, other digits, extreme numbers, or a cut. A reader must refuse it with an
error of the library, or return what was saved. Another value is possible only in formats without a
checksum, which people edit by hand. Then the content of policy files is changed, and all digests
are made anew (`policy_forgeries.py`). Readers of networks need the extra `deep`; without it, they
are left out. With `--write`, rows of readers that were left out stay as they are.
"""

from __future__ import annotations

import argparse
import csv
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from policy_forgeries import ENDINGS as FORGERY_ENDINGS
from policy_forgeries import count as count_forgeries
from policy_forgeries import network_readings, table_readings
from report import DOCS, replace_part, table

import infoset
from infoset.efg import load_efg, save_efg
from infoset.errors import InfosetError
from infoset.evaluation import load_correlated_policy, save_correlated_policy
from infoset.experiments import CellFolder, check_results, save_run
from infoset.games import load_game
from infoset.matches.match_file import MatchFile
from infoset.matches.match_statistics import Tally
from infoset.policy import (
    load_policy,
    load_policy_csv,
    save_policy,
    save_policy_csv,
    transfer_policy,
)
from infoset.runs import read_checkpoint
from infoset.tree.saved_graphs import find_cache_entry, graph_cache

PAGE = DOCS / "solvers" / "long_runs.md"
RESULTS = Path(__file__).parent / "results" / "fuzz_readers.csv"
COLUMNS = ("reader", "checksum", "inputs", "refused", "unchanged", "another value", "other errors")
ENDINGS = COLUMNS[3:]
FORGERIES = RESULTS.with_name("policy_forgeries.csv")
FORGERY_COLUMNS = ("reader", "files", *FORGERY_ENDINGS)
HAS_NETWORKS = find_spec("jax") is not None and find_spec("equinox") is not None
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
EXTREMES = (
    *(b"NaN", b"Infinity", b"-1", b"0", b"1e999", b"-0.0", b"9" * 400, b"1e-400", b"null", b"1/0"),
    *(b'"', b"[" * 2000, b"{}", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b",", b"\r", b"\n\n"),
)
"""Texts that take the place of numbers, or are inserted."""


@dataclass(frozen=True)
class Reader:
    """A reader of files.

    Attributes
    ----------
    files : tuple[Path, ...]
        Valid files, of which one is damaged in each trial.
    read : Callable[[], object]
        Reads all files and returns something that determines their content.
    has_checksum : bool
    """

    files: tuple[Path, ...]
    read: Callable[[], object]
    has_checksum: bool = True


def readers(folder: Path) -> dict[str, Reader]:
    """Write valid files of every format in a folder and return their readers by name."""
    with graph_cache(folder / "graphs"):
        result = infoset.solve(
            "kuhn_poker", "cfr+", iterations=20, checkpoint=folder / "run.checkpoint"
        )
        entry = find_cache_entry(load_game("kuhn_poker"))
    assert entry is not None
    form, policy = result.policy.form, result.policy
    return {
        **policy_readers(folder, policy),
        "Gambit file": Reader(*efg_reader(folder), has_checksum=False),
        "match": Reader(*match_reader(folder, form)),
        "folder of results": Reader(*results_reader(folder, result)),
        "checkpoint": Reader(
            (folder / "run.checkpoint",),
            lambda: checkpoint_content(read_checkpoint(folder / "run.checkpoint")),
        ),
        "cell of a study": Reader(*cell_reader(folder)),
        "saved world graph": Reader((entry.path,), lambda: graph_content(entry)),
    }


def policy_readers(folder: Path, policy: Any) -> dict[str, Reader]:
    """Return the readers of policies."""
    names = ("policy.parquet", "joint.parquet", "public.parquet", "p.csv")
    single, joint, public, text = (folder / name for name in names)
    form, public_form = policy.form, infoset.build_public_form("kuhn_poker")
    save_policy(transfer_policy(policy, public_form), public)
    save_policy(policy, single)
    mixed = infoset.evaluation.CorrelatedPolicy((policy, policy), (0.25, 0.75))
    save_correlated_policy(mixed, joint)
    save_policy_csv(policy, text)

    def parts(found: Any) -> object:
        return [p.tobytes() for one in found.policies for p in one.probabilities], found.weights

    return {
        "policy": Reader((single,), lambda: content(load_policy(single, form))),
        "correlated policy": Reader((joint,), lambda: parts(load_correlated_policy(joint, form))),
        "policy on a public form": Reader(
            (public,), lambda: content(load_policy(public, public_form))
        ),
        "policy as CSV": Reader(
            (text,), lambda: content(load_policy_csv(text, form)), has_checksum=False
        ),
    }


def content(policy: Any) -> object:
    """Return the probabilities of a policy as bytes."""
    return [numbers.tobytes() for numbers in policy.probabilities]


def efg_reader(folder: Path) -> tuple[tuple[Path, ...], Callable[[], object]]:
    """Return the files and the reader of extensive forms."""
    path, again = folder / "kuhn.efg", folder / "again.efg"
    save_efg(infoset.build_tree(load_game("kuhn_poker")), path)

    def read() -> object:
        save_efg(load_efg(path), again)
        return again.read_bytes()

    return (path,), read


def match_reader(folder: Path, form: Any) -> tuple[tuple[Path, ...], Callable[[], object]]:
    """Return the files and the reader of a match."""
    path = folder / "match.json"
    tally = Tally(6)
    about = {"game": "kuhn_poker", "seed": 3}
    tally.add(np.random.default_rng(0).normal(size=(50, 6)))
    MatchFile(path, about).write(tally, 64)

    def read() -> object:
        found = Tally(6)
        number = MatchFile(path, about).read(found)
        return number, repr(found.state())

    return (path,), read


def results_reader(folder: Path, result: Any) -> tuple[tuple[Path, ...], Callable[[], object]]:
    """Return the files and the reader of a folder of results."""
    saved = save_run(result, folder / "run")
    files = tuple(path for path in sorted(saved.iterdir()) if path.suffix != ".png")
    # The record is compared by its values: white space in JSON has no meaning.
    others = [path for path in files if path.suffix != ".json"]
    return files, lambda: (check_results(saved), [path.read_bytes() for path in others])


def checkpoint_content(found: Any) -> object:
    """Return the fields of a checkpoint, with the state as bytes."""
    state = {name: (str(a.dtype), a.shape, a.tobytes()) for name, a in found.state.items()}
    return repr({**vars(found), "state": state})


@dataclass(frozen=True)
class Cell:
    """A cell of a study; it is never run."""

    name: str = "cell"

    def settings(self) -> dict[str, Any]:
        """Return settings, which are saved with the result."""
        return {"seed": 5, "method": "cfr+"}

    def run(self, interrupt: Any) -> dict[str, Any]:
        """Raise, because the result is given."""
        raise NotImplementedError


def cell_reader(folder: Path) -> tuple[tuple[Path, ...], Callable[[], object]]:
    """Return the files and the reader of a cell of a study."""
    cells = CellFolder(folder / "study", "fuzzing")
    cells.write(Cell(), {"mean": 0.123456789, "trace": [1, 2.5, None, "end"]}, 1.0)
    return (cells.file_of(Cell()),), lambda: cells.read(Cell())


def graph_content(entry: Any) -> object:
    """Return the arrays and labels of a saved graph; a file that is not used is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = entry.load()
    if graph is None:
        raise InfosetError("the file is not used")
    fields = {name: value for name, value in vars(graph).items() if name not in ("game", "worlds")}
    return [
        (name, value.tobytes() if isinstance(value, np.ndarray) else repr(value))
        for name, value in fields.items()
    ]


def damaged(data: bytes, rng: np.random.Generator) -> bytes:
    """Return the content of a file after one to three changes."""
    for _ in range(int(rng.integers(1, 4))):
        change = CHANGES[int(rng.integers(len(CHANGES)))]
        begin = int(rng.integers(len(data) + 1))
        end = min(len(data), begin + 1 + int(rng.geometric(1 / 16)))
        data = change(data, begin, end, rng)
    return data


def flip(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Flip a bit."""
    flipped = bytes(byte ^ (1 << int(rng.integers(8))) for byte in data[begin : begin + 1])
    return data[:begin] + flipped + data[begin + 1 :]


def overwrite(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Replace a part by random bytes."""
    return data[:begin] + rng.bytes(end - begin) + data[end:]


def clear(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Replace a part by zeros."""
    return data[:begin] + bytes(end - begin) + data[end:]


def delete(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Delete a part."""
    return data[:begin] + data[end:]


def repeat(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Repeat a part."""
    return data[:end] + data[begin:]


def move(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Move a part to another place."""
    rest, place = data[:begin] + data[end:], int(rng.integers(len(data) + 1))
    return rest[:place] + data[begin:end] + rest[place:]


def cut(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Cut off the rest of the file."""
    return data[:begin]


def change_digit(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Replace the next digit by another one."""
    found = re.search(rb"\d", data[begin:])
    if found is None:
        return data
    place = begin + found.start()
    return data[:place] + b"%d" % rng.integers(10) + data[place + 1 :]


def change_number(data: bytes, begin: int, end: int, rng: np.random.Generator) -> bytes:
    """Replace the next number by an extreme one."""
    found = NUMBER.search(data, begin)
    first, last = found.span() if found else (begin, begin)
    return data[:first] + EXTREMES[int(rng.integers(len(EXTREMES)))] + data[last:]


CHANGES = (flip, overwrite, clear, delete, repeat, move, cut, change_digit, change_number)


def trial(reader: Reader, expected: object, rng: np.random.Generator) -> tuple[str, str]:
    """Damage a file, read it, and restore it; return how the reader answered, and its message."""
    path = reader.files[int(rng.integers(len(reader.files)))]
    valid = path.read_bytes()
    path.write_bytes(damaged(valid, rng))
    try:
        found = reader.read()
    except InfosetError as error:
        return "refused", str(error)
    except Exception as error:
        return "other errors", repr(error)
    finally:
        path.write_bytes(valid)
    return ("unchanged" if found == expected else "another value"), ""


@contextmanager
def prepared(*, networks: bool = False) -> Iterator[dict[str, Reader]]:
    """Yield the readers of valid files in a temporary folder; those of networks need JAX."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = readers(Path(folder))
        for name, reading in network_readings(Path(folder)).items() if networks else ():
            read = next(iter(reading.readers.values()))
            found[name] = Reader((reading.path,), partial(read, reading.path))
        yield found


def forgery_rows(only: str = "") -> Iterator[list[str]]:
    """Yield a row of the table of forged files for each reader whose name contains `only`."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        readings = table_readings(Path(folder))
        readings |= network_readings(Path(folder)) if HAS_NETWORKS else {}
        for name, reading in readings.items():
            if only in name:
                answers, wrong = count_forgeries(reading)
                print("\n".join(wrong[:10]) or f"{name}: forged files are read rightly", flush=True)
                counts = [str(answers[ending]) for ending in FORGERY_ENDINGS]
                yield [name, f"{answers.total()}", *counts]


def count(name: str, reader: Reader, inputs: int, seed: int) -> Counter[str]:
    """Return the numbers of answers of a reader; print the first errors of other kinds."""
    rng = np.random.default_rng([seed, sum(name.encode())])
    expected = reader.read()
    answers: Counter[str] = Counter()
    for number in range(inputs):
        ending, message = trial(reader, expected, rng)
        answers[ending] += 1
        if (ending == "other errors" and answers[ending] < 10) or (
            ending == "another value" and reader.has_checksum
        ):
            print(f"{name}, input {number}: {ending} {message[:300]}", flush=True)
    return answers


def rows(inputs: int, seed: int, only: str = "") -> Iterator[list[str]]:
    """Yield a row of the table for each reader whose name contains `only`."""
    with prepared(networks=HAS_NETWORKS) as found:
        for name, reader in found.items():
            if only in name and inputs:
                answers = count(name, reader, inputs, seed)
                kind = "yes" if reader.has_checksum else "no"
                yield [name, kind, f"{inputs}", *(str(answers[ending]) for ending in ENDINGS)]


def summary() -> str:
    """Return the table of the page: the stored counts, added up over readers of the same kind."""
    damaged, forged = stored(RESULTS), stored(FORGERIES)
    kinds = {
        "damaged, with a checksum": [row for row in damaged if row["checksum"] == "yes"],
        "damaged, without a checksum": [row for row in damaged if row["checksum"] == "no"],
        "forged": [
            row | {"inputs": row["files"], "another value": row["another policy"]} for row in forged
        ],
    }
    counted = COLUMNS[2:]
    lines = [
        [kind, *(f"{sum(int(row[column]) for row in rows):,}" for column in counted)]
        for kind, rows in kinds.items()
    ]
    return table(["files", *counted], lines)


def stored(path: Path) -> list[dict[str, str]]:
    """Return the rows of stored results."""
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write(path: Path, columns: Sequence[str], lines: list[list[str]]) -> None:
    """Write new rows of results, with the other rows as they are, and the table of the page."""
    rows = {row["reader"]: [*row.values()] for row in stored(path)}
    rows |= {row[0]: row for row in lines}
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows.values()])
    text = replace_part(PAGE.read_text("utf-8"), "fuzz_readers.py", summary())
    PAGE.write_text(text, encoding="utf-8")


def main() -> None:
    """Count, and write the results if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inputs", type=int, default=20_000, help="damaged files per reader")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reader", default="", help="only readers whose name contains this text")
    parser.add_argument("--write", action="store_true", help="update the results and the docs")
    asked = parser.parse_args()
    lines = []
    for row in rows(asked.inputs, asked.seed, asked.reader):
        lines.append(row)
        shown = (f"{name}: {cell}" for name, cell in zip(COLUMNS, row, strict=True))
        print(", ".join(shown), flush=True)
    forged = [*forgery_rows(asked.reader)]
    if asked.write:
        write(RESULTS, COLUMNS, lines)
        write(FORGERIES, FORGERY_COLUMNS, forged)


if __name__ == "__main__":
    main()
