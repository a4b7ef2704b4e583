"""Changes to the decoded content of policy files, after which all digests are made anew.

A forger can renew every checksum, so random changes to the bytes of a file never test what a reader
does with content that has another meaning. Here, labels, types, columns, header fields and numbers
are changed one at a time. After each change, all readers of a file must return the same policy, or
refuse the file with an error of the library; files with other labels, types or columns must be
refused by all.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import infoset
from infoset.benchmark import verify_policy_file
from infoset.errors import InfosetError
from infoset.evaluation import CorrelatedPolicy, load_correlated_policy, save_correlated_policy
from infoset.front import load_correlated_policy_file, resolve_policy
from infoset.policy import (
    constant_transformations,
    load_policy,
    random_policy,
    read_metadata,
    save_policy,
    transfer_policy,
    zoo_path,
)
from infoset.policy.policy_tables import (
    DIGEST,
    KEY,
    NUMBERS_DIGEST,
    NUMBERS_FORMAT,
    STORAGES,
    write_table,
)
from infoset.policy.table_digests import HAND, numbers_digest
from infoset.utils.array_files import HEADER, NAMES, read_arrays, write_arrays
from infoset.utils.checksums import CHECKSUM, with_checksum

ENDINGS = ("refused", "unchanged", "another policy", "readers differ", "other errors")
VALUES = (None, "", "x", "\x1b[31m", 0, -1, 2, True, 1.5, [], {}, [[]], "9" * 400, 10**400)
"""Values that take the place of those in a header."""
POLICY_FIELDS = (
    *("weights", "is_fine_tuned", "actions", "private_observations", "public_observations"),
    *("unit", "blueprints", "steps", "seconds"),
)
"""Fields of headers that are part of the policy, or of the critic; changed, it is another one."""


@dataclass(frozen=True)
class Forgery:
    """A change to a file that leaves all digests right.

    Attributes
    ----------
    name : str
        What is changed: `labels`, `types`, `columns`, `header` or `numbers`, and how.
    write : Callable[[Path], object]
        Writes the changed file.
    """

    name: str
    write: Callable[[Path], object]

    @property
    def allowed(self) -> frozenset[str]:
        """The endings that are right."""
        kind, *rest = self.name.split()
        if kind in ("labels:", "types:", "columns:"):
            return frozenset({"refused"})
        is_policy = kind == "numbers:" or rest[0] in POLICY_FIELDS
        return frozenset(ENDINGS[: 3 if is_policy else 2])


@dataclass(frozen=True)
class Reading:
    """All readers of a file, by name.

    Attributes
    ----------
    path : Path
        A valid file.
    readers : Mapping[str, Callable[[Path], object]]
        Functions that return something that determines the policy.
    verify : Callable[[Path], object], optional
        As a reader, but may refuse what readers return, and must refuse any other policy.
    """

    path: Path
    readers: Mapping[str, Callable[[Path], object]]
    verify: Callable[[Path], object] | None = None

    def endings(self, forgeries: Iterator[Forgery]) -> Iterator[tuple[Forgery, str]]:
        """Yield each forgery of the file with how its readers answer."""
        [valid, *others] = [read(self.path) for read in self.readers.values()]
        assert all(one == valid for one in others)
        for forgery in forgeries:
            forgery.write(self.path)
            yield forgery, self.ending(valid)

    def ending(self, valid: object) -> str:
        """Return how all readers of a changed file answer; `valid` is the content before."""
        found = [answer(read, self.path) for read in self.readers.values()]
        checked = REFUSED if self.verify is None else answer(self.verify, self.path)
        for one in (*found, checked):
            if isinstance(one, Exception):
                return f"other errors: {one!r}"
        if checked not in (REFUSED, valid):
            return "readers differ"
        policies = [one for one in found if one != REFUSED]
        if not policies:
            return "refused" if checked == REFUSED else "readers differ"
        if any(one != policies[0] for one in policies):
            return "readers differ"
        if policies[0] == valid:
            return "unchanged"
        return "another policy" if len(policies) == len(found) else "readers differ"


REFUSED = "refused"


def answer(read: Callable[[Path], object], path: Path) -> object:
    """Return what a reader returns, `REFUSED`, or an exception that is not the library's."""
    try:
        return read(path)
    except InfosetError:
        return REFUSED
    except Exception as error:
        return error


def table_forgeries(path: Path) -> Iterator[Forgery]:
    """Yield changes of a Parquet file with a policy, in its own format and in that of 0.1.0."""
    table = pq.read_table(path)
    about = json.loads(table.schema.metadata[KEY])
    for name, changed in (*row_changes(table), *column_changes(table), *number_changes(table)):
        yield Forgery(name, lambda to, t=changed: write_table(t, about, to))
        yield Forgery(f"{name}, in format 2", lambda to, t=changed: write_old(t, about, to))
    for name, fields in field_changes(about):
        yield Forgery(f"header {name}", lambda to, a=fields: write_header(table, a, to))
    empty = {**about, "format": NUMBERS_FORMAT, NUMBERS_DIGEST: ""}
    yield Forgery("columns: digest empty", lambda to: write_header(table, empty, to))


def write_old(table: pa.Table, about: Mapping[str, Any], path: Path) -> None:
    """Write a table as version 0.1.0 did, whose digest covers the numbers only."""
    numbers = [name for name in table.column_names if name.startswith(("probabilit", HAND))]
    try:
        digest = numbers_digest(table, numbers[0])
    except Exception:  # of types that cannot be numbers, for which it wrote an empty digest
        digest = ""
    fields = {name: value for name, value in about.items() if name != DIGEST}
    write_header(table, {**fields, "format": NUMBERS_FORMAT, NUMBERS_DIGEST: digest}, path)


def write_header(table: pa.Table, about: Mapping[str, Any], path: Path) -> None:
    """Write a table with any header, whose checksum is right."""
    fields = with_checksum({name: value for name, value in about.items() if name != CHECKSUM})
    pq.write_table(table.replace_schema_metadata({KEY: json.dumps(fields).encode()}), path)


def row_changes(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield tables with other labels, or with the same in another order."""
    labels = [name for name in table.column_names if not name.startswith(("probabilit", HAND))]
    count = len(table)
    rows = table.select(labels).to_pylist()
    orders = {
        "reversed": np.arange(count)[::-1],
        "rotated": np.roll(np.arange(count), 1),
        "with two exchanged": np.r_[1, 0, 2:count],
        "by player, reversed": np.argsort([-row["player"] for row in rows], kind="stable"),
        "with blocks exchanged": exchanged_blocks([tuple(row.values())[:-1] for row in rows]),
        "without the last": np.arange(count - 1),
        "none": np.arange(0),
        "with one twice": np.r_[0, 0:count],
    }
    for name, order in orders.items():
        yield f"labels: rows {name}", table.take(pa.array(order.astype(np.int64)))
    for name in labels:
        values, place = table.column(name).to_pylist(), table.column_names.index(name)
        other = 1 - values[0] if name == "player" else f"{values[0]}\x1b[31m"
        changes = {
            "reversed": values[::-1],
            "rotated": [values[-1], *values[:-1]],
            "renamed": [other, *values[1:]],
            "with a gap": [None, *values[1:]],
        }
        kind = pa.int32() if name == "player" else pa.string()
        for change, new in changes.items():
            if new != values:
                yield (
                    f"labels: {name} {change}",
                    table.set_column(place, name, pa.array(new, kind)),
                )
    flipped = [1 - player for player in table.column("player").to_pylist()]
    yield "labels: players exchanged", table.set_column(0, "player", pa.array(flipped, pa.int32()))


def exchanged_blocks(keys: list[tuple[Any, ...]]) -> np.ndarray[Any, Any]:
    """Return an order of rows that exchanges two blocks of rows of equal lengths.

    keys : the player and the infostate or line of each row.
    """
    begins = [row for row, key in enumerate(keys) if row == 0 or key != keys[row - 1]]
    sizes = np.diff([*begins, len(keys)])
    first = begins[0]
    second = next(b for b, n in zip(begins[1:], sizes[1:], strict=True) if n == sizes[0])
    order = np.arange(len(keys))
    for row in range(sizes[0]):
        order[[first + row, second + row]] = second + row, first + row
    return order


def column_changes(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield tables with other columns, or with columns of other types."""
    names = table.column_names
    for place, name in enumerate(names):
        column = table.column(name)
        values = column.to_pylist()
        yield f"columns: without {name}", table.drop_columns([name])
        yield (
            f"columns: {name} renamed",
            table.rename_columns([f"{n}x" if n == name else n for n in names]),
        )
        if place:
            moved = [name, *(other for other in names if other != name)]
            yield f"columns: {name} first", table.select(moved)
        yield f"columns: {name} twice", table.append_column(name, column)
        for kind, change in TYPES.items():
            try:
                new = pa.array([None if v is None else change(v) for v in values])
            except (TypeError, ValueError, pa.ArrowException):
                continue
            is_text = isinstance(values[0], str) and kind == "string"
            if not is_text and new.type != column.type:
                yield f"types: {name} as {kind}", table.set_column(place, name, new)
    for name in ("more", "probability", "probabilities", f"{HAND}0", f"{HAND}99"):
        if name not in names:
            extra = pa.array(np.zeros(len(table)))
            yield f"columns: with {name}", table.append_column(name, extra)


TYPES: dict[str, Callable[[Any], Any]] = {
    "int64": int,
    "bool": bool,
    "float16": np.float16,
    "float32": np.float32,
    "double": np.float64,
    "uint16": np.uint16,
    "binary": lambda value: str(value).encode(),
    "string": str,
    "list": lambda value: [value],
    "struct": lambda value: {"value": value},
    "timestamp": lambda value: np.datetime64(int(value), "s"),
}
"""Functions that change the type of a value."""


def number_changes(table: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """Yield tables with other numbers of the same type."""
    names = [name for name in table.column_names if name.startswith(("probabilit", HAND))]
    changes: dict[str, Callable[[list[Any]], list[Any]]] = {
        "reversed": lambda values: values[::-1],
        "with a gap": lambda values: [None, *values[1:]],
        "zero": lambda values: [0 * value if value is not None else None for value in values],
        "one more": lambda values: [1, *values[1:]],
        "not a number": lambda values: [float("nan"), *values[1:]],
        "negative": lambda values: [-0.5, *values[1:]],
    }
    for name in dict.fromkeys((names[0], names[-1])):
        column, place = table.column(name), table.column_names.index(name)
        for change, of in changes.items():
            try:
                new = pa.array(of(column.to_pylist()), column.type)
            except (TypeError, ValueError, pa.ArrowException):
                continue
            yield f"numbers: {name} {change}", table.set_column(place, name, new)
    if len(names) > 1:
        columns = [table.column(name) for name in (*names[1:], names[0])]
        rotated = dict(zip(names, columns, strict=True))
        labels = {name: table.column(name) for name in table.column_names if name not in names}
        yield "numbers: hands rotated", pa.table(labels | rotated)


def field_changes(about: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield headers in which a field is missing or has another value."""
    for name, value in about.items():
        yield f"without {name}", {key: other for key, other in about.items() if key != name}
        others: list[Any] = [*VALUES, *STORAGES, "leduc_poker", "kuhn_poker", *changed_lists(value)]
        if isinstance(value, dict):
            others += [dict(list(value.items())[1:]), {**value, "more": 1}]
            others += [changed for _, changed in field_changes(value)] if len(value) < 50 else []
        for other in others:
            yield f"{name} {str(other)[:40]!r}", {**about, name: other}


def changed_lists(value: Any) -> list[Any]:
    """Return changed copies of a list."""
    if not isinstance(value, list) or not value:
        return []
    inner = [[changed, *value[1:]] for changed in changed_lists(value[0])]
    turned = [value[::-1], [value[-1], *value[:-1]]] if len(value) > 1 else []
    return [*turned, value[1:], [*value, value[0]], [*value[1:], 1], [*value[1:], None], *inner]


def array_forgeries(path: Path) -> Iterator[Forgery]:
    """Yield changes of a file of arrays with a header, in its own format and in that of 0.1.0."""
    header, arrays = read_arrays(path)
    old = {**header, "format": header["format"] - 1}
    for name, changed in array_changes(arrays):
        yield Forgery(name, lambda to, a=changed: write_arrays(to, header, a))
        yield Forgery(f"{name}, before", lambda to, a=changed: write_plain(to, old, a))
    for name, fields in field_changes(header):
        yield Forgery(f"header {name}", lambda to, h=fields: write_arrays(to, h, arrays))
    for name, fields in field_changes(old):
        yield Forgery(f"header {name}, before", lambda to, h=fields: write_plain(to, h, arrays))


def write_plain(path: Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write arrays and a header as they are, without a new digest, as version 0.1.0 did."""
    text: Any = np.frombuffer(json.dumps({**header, NAMES: [*arrays]}).encode(), np.uint8)
    with path.open("wb") as file:
        np.savez(file, **{HEADER: text, **arrays})


def array_changes(arrays: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield arrays of which one is missing or has other numbers, another type or shape."""
    first = arrays[next(iter(arrays))]
    yield "columns: one more", {**arrays, "more": first}
    yield "columns: one more layer", {**arrays, "weights_9": first, "biases_9": first[0]}
    yield "columns: none", {}
    for name, array in arrays.items():
        yield (
            f"columns: without {name}",
            {key: other for key, other in arrays.items() if key != name},
        )
        shapes = {"flat": array.ravel(), "deeper": array[None], "shorter": array[:-1]}
        if array.ndim == 1:
            del shapes["flat"]
        elif array.shape[0] != array.shape[1]:
            shapes["transposed"] = array.T
        kinds = ("float16", "float64", "complex64", "bool", "U9", "int32")
        types = {kind: array.astype(kind) for kind in kinds if array.dtype != kind}
        numbers = {"reversed": array[::-1].copy(), "doubled": array * 2, "negative": -array - 1}
        if array.dtype.kind == "f":
            numbers["not a number"] = np.full_like(array, np.nan)
        for kind, changes in (("columns", shapes), ("types", types), ("numbers", numbers)):
            for change, other in changes.items():
                yield f"{kind}: {name} {change}", {**arrays, name: other}


def table_readings(folder: Path) -> dict[str, Reading]:
    """Return the readers of tables by name, after writing valid files of Kuhn poker."""
    zoo, form = infoset.load_policy("zoo:kuhn_poker"), infoset.build_sequence_form("kuhn_poker")
    public_form = infoset.build_public_form("kuhn_poker")
    single, joint, public = (folder / f"{name}.parquet" for name in ("single", "joint", "public"))
    save_policy(zoo, single, read_metadata(zoo_path("zoo:kuhn_poker")))
    policies = [random_policy(form, np.random.default_rng(seed)) for seed in range(2)]
    save_correlated_policy(CorrelatedPolicy(tuple(policies), (0.25, 0.75)), joint)
    mixed = transfer_policy(policies[0], public_form)
    save_policy(mixed, public, storage="uint16")

    def verified(path: Path) -> str:
        verify_policy_file(path)
        return infoset.load_policy(path).digest

    def parts(policy: CorrelatedPolicy) -> object:
        return policy.weights, [one.digest for one in policy.policies]

    def in_tree(policy: Any) -> str:
        return transfer_policy(policy, form).digest

    tabular = {
        "infoset.policy": lambda path: load_policy(path, form).digest,
        "infoset": lambda path: infoset.load_policy(path).digest,
        "evaluate": lambda path: resolve_policy(path, form).digest,
    }
    correlated = {
        "infoset.evaluation": lambda path: parts(load_correlated_policy(path, form)),
        "evaluate": lambda path: parts(load_correlated_policy_file(path, form)),
    }
    on_public_form = {
        "infoset.policy": lambda path: in_tree(load_policy(path, public_form)),
        "infoset": lambda path: in_tree(infoset.load_policy(path)),
        "evaluate": lambda path: resolve_policy(path, form).digest,
    }
    return {
        "policy": Reading(single, tabular, verified),
        "correlated policy": Reading(joint, correlated),
        "policy on a public form": Reading(public, on_public_form),
    }


def network_readings(folder: Path) -> dict[str, Reading]:
    """Return the readers of networks and critics by name, after writing valid files; needs JAX."""
    import jax

    from infoset.deep import (
        CriticSpec,
        NetworkPolicy,
        PolicyValueNetwork,
        device_game,
        load_critic,
        load_network,
        make_tree_game,
        save_critic,
        save_network,
        train_critic,
    )
    from infoset.deep.network_inputs import DeviceInput

    tree, device = infoset.build_tree("kuhn_poker"), device_game("kuhn_poker")
    source, inputs, _ = make_tree_game(tree)
    form, rows = tree.sequence_form, constant_transformations(["pass", "bet"])
    paths = [folder / f"{name}.npz" for name in ("tree", "rules", "critic")]
    for path, game, own in ((paths[0], source, inputs), (paths[1], device, DeviceInput(device))):
        sizes = game.num_features, (4,), game.num_actions
        network = PolicyValueNetwork(*sizes, jax.random.key(2))
        save_network(NetworkPolicy(network, own), path, {"game": "kuhn_poker"})
    spec = CriticSpec(hidden=(4,), batch_size=4)
    save_critic(train_critic(tree, infoset.uniform_policy(form), rows, spec, steps=1), paths[2])

    def critic(path: Path) -> object:
        found = load_critic(path, tree, rows)
        return found.tabulate(tree).values.tobytes(), found.blueprints, found.steps, found.seconds

    network_readers = {
        "load_network": lambda path: load_network(path).tabulate(form).digest,
        "infoset": lambda path: infoset.load_policy(path).digest,
    }
    return {
        "network for a tree": Reading(paths[0], network_readers),
        "network for rules in JAX": Reading(paths[1], network_readers),
        "critic": Reading(paths[2], {"load_critic": critic}),
    }


def count(reading: Reading, every: int = 1) -> tuple[Counter[str], list[str]]:
    """Return the numbers of endings, and a line for each ending that is not right.

    every : only each forgery whose number is a multiple of it.
    """
    answers: Counter[str] = Counter()
    wrong = []
    forge = table_forgeries if reading.path.suffix == ".parquet" else array_forgeries
    for forgery, found in reading.endings(islice(forge(reading.path), 0, None, every)):
        kind = found.partition(":")[0]
        answers[kind] += 1
        if kind not in forgery.allowed:
            wrong.append(f"{forgery.name}: {found}")
    return answers, wrong
