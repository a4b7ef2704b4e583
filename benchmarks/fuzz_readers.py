"""Give damaged and edited files to every reader of the library, and count how each one answers.

    TMPDIR=/dev/shm python benchmarks/fuzz_readers.py             # a million files: half an hour
    python benchmarks/fuzz_readers.py --inputs 1000 --seed 7      # fewer, and others
    python benchmarks/fuzz_readers.py --reader checkpoint         # one reader only
    python benchmarks/fuzz_readers.py --write                     # update the results and the docs
    python benchmarks/fuzz_readers.py --inputs 0 --write          # only the forged files

A folder in memory spares waiting for a disk. Each reader has 45,000 inputs, and the slowest ones a
tenth of that. Half of them are a valid file with one to three changes to its bytes: flipped bits,
other bytes, deleted, repeated or moved parts, zeros, other digits, extreme numbers, or a cut. In
the other half, the decoded content is changed, and the file is written again with right checksums
(`file_edits.py`). A reader must refuse a file with an error of the library, or return what was
saved. Another value is right only where the content itself was edited: in formats without a
checksum, which people edit by hand, or in numbers and texts that the file is about. Then all
changes of one kind are made to policy files (`policy_forgeries.py`). Readers of networks need the
extra `deep`; without it, they are left out. With `--write`, rows of readers that were left out stay
as they are.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
import shutil
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
from file_edits import Edit, arrays_edit, json_edit, table_edit
from policy_forgeries import ENDINGS as FORGERY_ENDINGS
from policy_forgeries import POLICY_FIELDS, network_readings, table_readings
from policy_forgeries import count as count_forgeries
from report import DOCS, replace_part, table

import infoset
from infoset.benchmark import (
    Entrant,
    GameRow,
    RaceRun,
    ScoreCard,
    check_board_entry,
    check_card,
    find_subject,
    read_board,
    save_board_entry,
    save_card,
)
from infoset.benchmark.handed_policies import pack_policy
from infoset.benchmark.races import _Receiver as Receiver
from infoset.certificates import save_certificate, verify_file
from infoset.efg import StrategicGame, format_liteefg, load_game_file, save_efg
from infoset.errors import InfosetError
from infoset.evaluation import (
    load_correlated_policy,
    make_certificate,
    save_correlated_policy,
)
from infoset.experiments import CellFolder, check_results, save_run
from infoset.games import get_pack_entry, load_game
from infoset.games.holdem_ranges import parse_range
from infoset.learning import get_learner, make_learner, play_and_learn
from infoset.matches.match_file import MatchFile
from infoset.matches.match_statistics import Tally
from infoset.policy import (
    load_behavior,
    load_policy,
    load_policy_csv,
    save_policy,
    save_policy_csv,
    transfer_policy,
)
from infoset.runs import check_compatibility, read_checkpoint, read_traces
from infoset.solvers import solve_exactly
from infoset.teams import TeamPoint
from infoset.tree import build_world_graph, contract_worlds
from infoset.tree.saved_graphs import find_cache_entry, graph_cache
from infoset.tree.saved_world_forms import CLASSES, FACTS, SUFFIX, read_parts
from infoset.utils.array_files import read_arrays

PAGE = DOCS / "solvers" / "long_runs.md"
RESULTS = Path(__file__).parent / "results" / "fuzz_readers.csv"
COLUMNS = (
    *("reader", "checksum", "inputs", "refused", "unchanged", "edited", "another value"),
    "other errors",
)
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
    edit : Edit, optional
        Changes the content of the first file.
    is_slow : bool
        Whether the reader has a tenth of the inputs.
    """

    files: tuple[Path, ...]
    read: Callable[[], object]
    has_checksum: bool = True
    edit: Edit | None = None
    is_slow: bool = False


def readers(folder: Path) -> dict[str, Reader]:
    """Write valid files of every format in a folder and return their readers by name."""
    with graph_cache(folder / "graphs"):
        result = infoset.solve(
            "kuhn_poker", "cfr+", iterations=20, checkpoint=folder / "run.checkpoint"
        )
        entry = find_cache_entry(load_game("kuhn_poker"))
    assert entry is not None
    labels = ("action_sets", "observations", "fractions", "game")
    return {
        **policy_readers(folder, result.policy),
        **lock_readers(folder, result.policy.form),
        **game_readers(folder),
        "range of hands": range_reader(folder),
        "match": match_reader(folder),
        "folder of results": results_reader(folder, result),
        "trace": trace_reader(folder),
        "checkpoint": checkpoint_reader(folder / "run.checkpoint"),
        "checkpoint of a team": team_reader(folder),
        "learner": learner_reader(folder),
        "cell of a study": cell_reader(folder),
        "saved world graph": Reader(
            (entry.path,),
            lambda: graph_content(entry),
            edit=arrays_edit(entry.path, labels, without_digest=1),
        ),
        "saved world form": form_reader(entry),
        "certificate": certificate_reader(folder),
        "leaderboard entry": board_reader(folder),
        "score card": card_reader(folder),
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
        "policy": Reader(
            (single,), lambda: content(load_policy(single, form)), edit=table_edit(single, ())
        ),
        "correlated policy": Reader(
            (joint,),
            lambda: parts(load_correlated_policy(joint, form)),
            edit=table_edit(joint, ("weights",)),
        ),
        "policy on a public form": Reader(
            (public,),
            lambda: content(load_policy(public, public_form)),
            edit=table_edit(public, ()),
        ),
        "policy as CSV": Reader(
            (text,), lambda: content(load_policy_csv(text, form)), has_checksum=False
        ),
    }


def content(policy: Any) -> object:
    """Return the probabilities of a policy as bytes."""
    return [numbers.tobytes() for numbers in policy.probabilities]


def lock_readers(folder: Path, form: Any) -> dict[str, Reader]:
    """Return the readers of probabilities at some infostates, which are then locked."""
    path, text = folder / "lock.json", folder / "lock.csv"
    path.write_text('{"0": {"[K]": {"bet": 1, "pass": 0}}, "[J] / bet": {"pass": 0.5, "bet": 0.5}}')
    lines = ("player,infostate,action,probability", "0,[K],bet,1", "0,[K],pass,0")
    text.write_text("\n".join((*lines, "1,[J] / bet,pass,0.5", "1,[J] / bet,bet,0.5\n")))

    def read(file: Path) -> object:
        behavior = load_behavior(file, form)
        infoset.lock(form, behavior)
        return repr(behavior)

    edit = json_edit(path, ("0", "[J] / bet", ""), has_checksum=False)
    return {
        "probabilities to lock": Reader((path,), partial(read, path), False, edit),
        "probabilities to lock as CSV": Reader((text,), partial(read, text), False),
    }


def game_readers(folder: Path) -> dict[str, Reader]:
    """Return the readers of files of games."""
    names = ("kuhn.efg", "hunt.nfg", "kuhn.gbt", "kuhn.game", "kuhn.efg.gz", "again.efg")
    tree, table, workbook, paths, packed, again = (folder / name for name in names)
    game = infoset.build_tree(load_game("kuhn_poker"))
    save_efg(game, tree)
    table.write_text('NFG 1 R "stag hunt" { "Ann" "Bob" } { 2 2 }  2 2  1/2 0  0 1.5  1 1')
    text = tree.read_text()
    begin, end = (
        '<?xml version="1.0"?>\n<gambit><game>\n<efgfile>\n',
        "\n</efgfile></game></gambit>\n",
    )
    workbook.write_text(f"{begin}{text}{end}")
    paths.write_text(format_liteefg(game))
    packed.write_bytes(gzip.compress(text.encode()))

    def read(path: Path) -> object:
        found = load_game_file(path)
        if isinstance(found, StrategicGame):
            return repr(found)
        save_efg(found, again)
        return again.read_bytes()

    def edit(rng: np.random.Generator) -> bool:
        packed.write_bytes(gzip.compress(damaged(text.encode(), rng)))
        return True

    names = ("Gambit tree", "Gambit table", "Gambit workbook", "LiteEFG tree")
    files = (tree, table, workbook, paths)
    return {
        name: Reader((path,), partial(read, path), False)
        for name, path in zip(names, files, strict=True)
    } | {"compressed game": Reader((packed,), partial(read, packed), edit=edit)}


def range_reader(folder: Path) -> Reader:
    """Return the reader of hands with weights, which is a text."""
    path = folder / "range.txt"
    path.write_text("AA, KQs:0.5, TT+, A5s-A2s, 76o:0.25, AhKh")

    def read() -> object:
        return repr(parse_range(path.read_text("utf-8", errors="replace")))

    return Reader((path,), read, has_checksum=False)


def match_reader(folder: Path) -> Reader:
    """Return the reader of a match."""
    path = folder / "match.json"
    tally = Tally(6)
    about = {"game": "kuhn_poker", "seed": 3}
    tally.add(np.random.default_rng(0).normal(size=(50, 6)))
    MatchFile(path, about).write(tally, 64)

    def read() -> object:
        found = Tally(6)
        number = MatchFile(path, about).read(found)
        return number, repr(found.state())

    return Reader((path,), read, edit=json_edit(path, ("next_check", "deals")))


def results_reader(folder: Path, result: Any) -> Reader:
    """Return the reader of a folder of results."""
    saved = save_run(result, folder / "run")
    files = tuple(path for path in sorted(saved.iterdir()) if path.suffix != ".png")
    record = saved / "result.json"
    # The record is compared by its values: white space in JSON has no meaning.
    others = [path for path in files if path.suffix != ".json"]
    fields = {*json.loads(record.read_text()), ""} - {"checksums", "sha256"}
    return Reader(
        (record, *others),
        lambda: (check_results(saved), [path.read_bytes() for path in others]),
        edit=json_edit(record, fields, indent=2),
    )


def trace_reader(folder: Path) -> Reader:
    """Return the reader of a trace with the record next to it."""
    saved = folder / "run"
    copy = folder / "traced"
    shutil.copytree(saved, copy)
    record, trace = copy / "result.json", copy / "trace.csv"
    fields = {*json.loads(record.read_text()), ""}
    return Reader(
        (record, trace),
        lambda: repr(read_traces(copy)),
        has_checksum=False,
        edit=json_edit(record, fields),
    )


def checkpoint_reader(path: Path) -> Reader:
    """Return the reader of a checkpoint, which is compared with the run to resume."""
    expected = read_checkpoint(path)

    def read() -> object:
        found = read_checkpoint(path)
        check_compatibility(found, expected, path)
        return checkpoint_content(found)

    content = ("iteration", "seconds", "trace")
    return Reader((path,), read, edit=arrays_edit(path, content, without_digest=1))


def team_reader(folder: Path) -> Reader:
    """Return the reader of a checkpoint of a team method, whose runs are resumed."""
    path, game = folder / "team.checkpoint", load_game("cooperative_matching_pennies")
    infoset.solve_team(game, "progressive-hiding", iterations=20, restarts=1, checkpoint=path)
    expected = read_checkpoint(path, TeamPoint)

    def read() -> object:
        found = read_checkpoint(path, TeamPoint)
        check_compatibility(found, expected, path)
        return checkpoint_content(found)

    content = ("iteration", "seconds", "trace")
    return Reader((path,), read, edit=arrays_edit(path, content, without_digest=1))


def checkpoint_content(found: Any) -> object:
    """Return what a checkpoint has besides its identity, with the state as bytes."""
    state = {name: (str(a.dtype), a.shape, a.tobytes()) for name, a in found.state.items()}
    return repr((found.iteration, found.seconds, found.trace, state))


def learner_reader(folder: Path) -> Reader:
    """Return the reader of a learner that discovers infostates."""
    path = folder / "learner.checkpoint"

    def learner() -> Any:
        spec = get_learner("ixomd", step_sizes=(0.05, 0.01))
        return make_learner(spec, player=0, utility_range=(-2, 2), horizon=100)

    taught = learner()
    play_and_learn(load_game("kuhn_poker"), [taught, None], episodes=30)
    taught.save(path)

    def read() -> object:
        found = learner()
        found.load(path)
        state = {name: (str(a.dtype), a.shape, a.tobytes()) for name, a in found.state().items()}
        return repr(state)

    # The header has no other content than what identifies the learner, and its progress.
    content = ("iteration", "seconds", "trace")
    return Reader((path,), read, edit=arrays_edit(path, content, without_digest=1))


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


def cell_reader(folder: Path) -> Reader:
    """Return the reader of a cell of a study."""
    cells = CellFolder(folder / "study", "fuzzing")
    cells.write(Cell(), {"mean": 0.123456789, "trace": [1, 2.5, None, "end"]}, 1.0)
    path = cells.file_of(Cell())

    def read() -> object:
        return CellFolder(folder / "study", "fuzzing").read(Cell())

    return Reader(
        (path, folder / "study" / "study.json"),
        read,
        edit=json_edit(path, ("result", "times")),
    )


def certificate_reader(folder: Path) -> Reader:
    """Return the reader of a certificate, whose claims are checked."""
    path = folder / "certificate.json"
    tree = infoset.build_tree("kuhn_poker")
    save_certificate(make_certificate(solve_exactly(tree), tree), path)
    fields = ("policies", "infoset_version")
    return Reader((path,), lambda: repr(verify_file(path)), edit=json_edit(path, fields))


def board_reader(folder: Path) -> Reader:
    """Return the reader of an entry of the leaderboard, whose policy is measured."""
    entry = folder / "board" / "entry"
    about = {"name": "uniform", "authors": "A. Author", "source": "none"}
    save_board_entry(entry, folder / "policy.parquet", **about)
    claim = entry / "claim.json"

    def read() -> object:
        [(_, found)] = read_board(entry.parent)
        return repr((found, check_board_entry(entry)))

    return Reader(
        (claim, entry / "policy.parquet"),
        read,
        has_checksum=False,
        edit=json_edit(claim, (), has_checksum=False),
    )


def card_reader(folder: Path) -> Reader:
    """Return the reader of a score card, whose policies are measured; a wrong card is refused."""
    saved = folder / "card"
    save_card(small_card(), saved, pictures=False)
    card = saved / "card.json"
    policies = sorted((saved / "policies").glob("*.parquet"))

    def read() -> object:
        found = check_card(saved)
        if not found.is_confirmed:
            raise InfosetError(found.problems[0])
        facts = json.loads(card.read_text())
        return repr(found), repr({**facts, "environment": None})

    # Times cannot be measured again, and names have no checksum.
    edit = json_edit(card, (), has_checksum=False, indent=1)
    return Reader((card, *policies[:2]), read, has_checksum=False, edit=edit, is_slow=True)


def small_card() -> ScoreCard:
    """Return a score card of Kuhn poker."""
    form, entry = infoset.build_sequence_form("kuhn_poker"), get_pack_entry("kuhn_poker")
    names = ("lp", "cfr+", "dcfr", "pcfr+")
    runs = {number: RaceRun(Entrant(name, name, None)) for number, name in enumerate(names)}
    receive = Receiver(runs, form)
    for number, name in enumerate(names):
        receive({"kind": "begins", "run": number}, 0.5)
        for place, iterations in enumerate((1,) if name == "lp" else (1, 10)):
            data = pack_policy(infoset.solve(form, name, iterations=iterations).policy)
            message = {"kind": "policy", "run": number, "iteration": iterations, "data": data}
            receive(message, place + 1.0)
        receive({"kind": "repeated", "run": number, "policies": [data, data]}, 3.0)
        receive({"kind": "done", "run": number, "outcome": "seconds", "message": ""}, 3.0)
    row = GameRow(entry, form.payoff_width, tuple(runs.values()))
    return ScoreCard(find_subject("lp"), "small", 1.0, 1, (row,))


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


def form_reader(entry: Any) -> Reader:
    """Return the reader of a saved world form, whose file is written beside that of the graph."""
    with graph_cache(entry.path.parent):
        graph = build_world_graph(entry.game)
        contract_worlds(graph)
    path = entry.path.with_suffix(SUFFIX)
    about = read_arrays(path)[0]
    origin = {name: about[name] for name in ("rules", "graph")}
    edit = arrays_edit(path, FACTS)
    read = partial(form_content, entry, graph, path, origin)
    return Reader((path,), read, edit=edit, is_slow=True)


def form_content(entry: Any, graph: Any, path: Path, origin: dict[str, str]) -> object:
    """Return what a saved world form consists of; a file that is not used is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = entry.read(path, lambda: read_parts(graph, path, origin))
    if parts is None:
        raise InfosetError("the file is not used")
    arrays = [getattr(parts.worlds, name) for name in CLASSES] + [parts.utility_limits]
    return [
        *(array.tobytes() for array in arrays),
        *(getattr(parts, name) for name in FACTS),
        *([*own.decisions()] for own in parts.shapes),
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
    """Change a file, read it, and restore it; return how the reader answered, and its message."""
    path, edit = reader.files[0], None
    if reader.edit is not None and rng.integers(2):
        edit = reader.edit
    else:
        path = reader.files[int(rng.integers(len(reader.files)))]
    valid, may_differ = path.read_bytes(), not reader.has_checksum
    if edit is None:
        path.write_bytes(damaged(valid, rng))
    else:
        may_differ |= edit(rng)
    try:
        found = reader.read()
    except InfosetError as error:
        return "refused", str(error)
    except Exception as error:
        return "other errors", repr(error)
    finally:
        path.write_bytes(valid)
    if found == expected:
        return "unchanged", ""
    return ("edited" if may_differ else "another value"), repr(found)


@contextmanager
def prepared(*, networks: bool = False) -> Iterator[dict[str, Reader]]:
    """Yield the readers of valid files in a temporary folder; those of networks need JAX."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = readers(Path(folder))
        for name, reading in network_readings(Path(folder)).items() if networks else ():
            read = next(iter(reading.readers.values()))
            fields = (*POLICY_FIELDS, "settings", "labels")
            edit = arrays_edit(reading.path, fields, without_digest=1)
            found[name] = Reader((reading.path,), partial(read, reading.path), True, edit, True)
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
        if ending in ("other errors", "another value") and answers[ending] < 10:
            print(f"{name}, input {number}: {ending} {message[:300]}", flush=True)
    return answers


def rows(inputs: int, seed: int, only: str = "") -> Iterator[list[str]]:
    """Yield a row of the table for each reader whose name contains `only`."""
    with prepared(networks=HAS_NETWORKS) as found:
        for name, reader in found.items():
            number = -(-inputs // 10) if reader.is_slow else inputs
            if only in name and number:
                answers = count(name, reader, number, seed)
                kind = "yes" if reader.has_checksum else "no"
                yield [name, kind, f"{number}", *(str(answers[ending]) for ending in ENDINGS)]


def summary() -> str:
    """Return the table of the page: the stored counts, added up over readers of the same kind."""
    damaged, forged = stored(RESULTS), stored(FORGERIES)
    kinds = {
        "with a checksum": [row for row in damaged if row["checksum"] == "yes"],
        "without a checksum": [row for row in damaged if row["checksum"] == "no"],
        "forged policies": [
            row | {"inputs": row["files"], "edited": row["another policy"], "another value": "0"}
            for row in forged
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
    parser.add_argument("--inputs", type=int, default=45_000, help="changed files per reader")
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
