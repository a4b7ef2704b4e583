"""Files of policies on public forms: one row per public action, and one column per hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from infoset.errors import InfosetError, PolicyFileError, show
from infoset.forms import PublicForm, Treeplex, check_public_form
from infoset.game.infostate import label_text
from infoset.policy.policy_tables import HAND, STORAGES, PolicyTable, read_table, write_table
from infoset.policy.public_policy import PublicPolicy, check_public_policy
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_choice, check_path

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["STORAGES", "load_public_policy", "rounded_policy", "save_public_policy"]

WHOLE: Final = {"uint16": 65_535, "uint8": 255}
"""The number that stands for a probability of 1."""


def save_public_policy(
    policy: PublicPolicy,
    path: str | Path,
    metadata: Mapping[str, Any] | None = None,
    *,
    storage: str = "float64",
) -> None:
    """Write a policy on a public form to a Parquet file; an existing file is replaced atomically.

    The columns are `player`, `line` and `action` (both as text), and `hand_0`, `hand_1` and so on:
    the probability of the action for each hand of the player. The rows are those of
    `policy.by_hand(0)`, then those of `policy.by_hand(1)`; a player with fewer hands than the other
    has no values in the last columns. The file's metadata contains, as JSON under the key
    `infoset`, the items that `save_policy` writes, and `hands` and `hand_probabilities`: for each
    player, the labels of the hands as text, and their prior probabilities.

    Parameters
    ----------
    policy : PublicPolicy
    path : str or Path
    metadata : Mapping[str, Any], optional
        Additional items to store in the file; the values must be JSON values.
    storage : str
        A name in `STORAGES`; all but "float64" change the policy to that of `rounded_policy`.

    Raises
    ------
    ParameterError
        If `policy` is not a `PublicPolicy`, or `path` is not a path.
    UnknownNameError
        If the storage is unknown.
    PolicyFileError
        If the file cannot be written.
    """
    check_public_policy(policy)
    check_choice("storage", storage, STORAGES)
    check_path("path", path)
    form = policy.public_form
    table = _table(policy, storage)
    prior = form.prior.matrix()
    about = {
        **(metadata or {}),
        "game": form.name,
        "fingerprint": form.fingerprint,
        "form": "public",
        "storage": storage,
        "hands": _hands(form),
        "hand_probabilities": [prior.sum(axis=1 - player).tolist() for player in range(2)],
    }
    write_table(table, about, Path(path), ["line", "action"])


def _table(policy: PublicPolicy, storage: str) -> pa.Table:
    """Return the table of a policy."""
    import pyarrow as pa

    form = policy.public_form
    rows = [_stored(policy, player, storage) for player in range(2)]
    columns: dict[str, Any] = _row_labels(form)
    for name in ("line", "action"):
        columns[name] = columns[name].dictionary_encode()
    kind: Any = pa.from_numpy_dtype(np.dtype(storage))
    for hand in range(max(form.num_hands)):
        parts = [
            pa.array(own[:, hand]) if hand < own.shape[1] else pa.nulls(len(own), kind)
            for own in rows
        ]
        columns[f"{HAND}{hand}"] = pa.chunked_array(parts, kind)
    return pa.table(columns)


def _row_labels(form: PublicForm) -> dict[str, Any]:
    """Return the columns that identify the rows of a policy: player, line and action."""
    import pyarrow as pa

    nodes = [node for own in form.decisions for node in own.tolist()]
    legal = [form.legal_actions(node) for node in nodes]
    places = [node for node, actions in zip(nodes, legal, strict=True) for _ in actions]
    return {
        "player": pa.array(form.player[places], pa.int32()),
        "line": pa.array([form.labels[node] for node in places], pa.string()),
        "action": pa.array([*map(label_text, chain.from_iterable(legal))], pa.string()),
    }


def _hands(form: PublicForm) -> tuple[tuple[str, ...], ...]:
    """Return the labels of the hands of both players as text."""
    return tuple(tuple(map(label_text, labels)) for labels in form.hands)


def _stored(policy: PublicPolicy, player: Player, storage: str) -> Any:
    """Return [public actions, hands] the numbers of a player as a file stores them."""
    if storage not in WHOLE:
        return policy.by_hand(player).astype(storage)
    plex = policy.public_form.treeplexes[player]
    numbers = _whole_numbers(plex, policy.probabilities[player], WHOLE[storage])
    return policy.public_form.by_hand(player, numbers).astype(storage)


def rounded_policy(policy: PublicPolicy, storage: str) -> PublicPolicy:
    """Return a policy as `load_public_policy` would read it from a file with a storage.

    Whole numbers are rounded by largest remainders, so that those of a decision sum to 65,535 or
    255; float32 numbers are normalized.

    Raises
    ------
    ParameterError
        If `policy` is not a `PublicPolicy`.
    UnknownNameError
        If the storage is unknown.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_public_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("kuhn_poker"))
    >>> rounded_policy(uniform_public_policy(form), "uint8")["K", "pass / bet"][
    ...     "bet"
    ... ] * 255
    127.0
    """
    check_public_policy(policy)
    check_choice("storage", storage, STORAGES)
    if storage == "float64":
        return policy
    form = policy.public_form
    if storage not in WHOLE:
        singles = [values.astype(storage).astype(np.float64) for values in policy.probabilities]
        return PublicPolicy.from_weights(form, singles)
    first, second = (
        _whole_numbers(plex, values, WHOLE[storage]) / WHOLE[storage]
        for plex, values in zip(form.treeplexes, policy.probabilities, strict=True)
    )
    return PublicPolicy(form, (first, second))


def _whole_numbers(plex: Treeplex, probabilities: FloatArray, whole: int) -> FloatArray:
    """Return [Q] whole numbers about `whole` times as large, which sum to it at each infostate."""
    exact = probabilities[1:] * whole
    numbers = np.floor(exact)
    if not len(exact):
        return np.array([float(whole)])
    first = plex.first_sequence - 1
    infostate = np.repeat(np.arange(len(first)), plex.num_actions)
    missing = whole - np.add.reduceat(numbers, first)
    # The actions of each infostate by remainder, the largest first; one more for those in front.
    order = np.lexsort((numbers - exact, infostate))
    place = np.arange(len(exact)) - first[infostate]
    numbers[order] += place < missing[infostate]
    return np.concatenate([[float(whole)], numbers])


def load_public_policy(path: str | Path, public_form: PublicForm) -> PublicPolicy:
    """Read a policy that `save_public_policy` wrote for the same public form.

    A file that stores float64 numbers returns the policy that was saved, bit for bit.

    Raises
    ------
    ParameterError
        If `public_form` is not a `PublicForm`, or `path` is not a path.
    PolicyFileError
        If the file is missing, damaged, or not a policy on a public form.
    PolicyMismatchError
        If the file was written for another game or other parameters.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_public_policy
    >>> from infoset.tree import build_public_form
    >>> form = build_public_form(load_game("leduc_poker"))
    >>> save_public_policy(uniform_public_policy(form), "leduc.parquet")
    >>> load_public_policy("leduc.parquet", form)["Ks", "raise"]["fold"]
    0.3333333333333333
    """
    check_public_form(public_form)
    check_path("path", path)
    found = read_table(Path(path), f"{HAND}0")
    found.check_game(
        public_form.name,
        public_form.fingerprint,
        f"on another public form of {public_form.name}: the rules have changed since the policy "
        "was saved, or one of the forms was derived from the tree (derive_public_form), or built "
        "with merge_symmetric=False; give the form with which the policy was saved, or solve the "
        "game again",
    )
    found.check_rows(_row_labels(public_form))
    if found.fields["hands"] != _hands(public_form):
        raise PolicyFileError(
            f"the columns of {path} are for the hands {show(found.fields['hands'])}, but "
            f"{public_form.name} has {show(_hands(public_form))}: save the policy again"
        )
    try:
        return _policy_of(found, public_form)
    except InfosetError as error:
        raise PolicyFileError(
            f"{path} does not contain a policy on a public form: {error}"
        ) from error


def _policy_of(found: PolicyTable, form: PublicForm) -> PublicPolicy:
    """Return the policy in a table whose rows are those of a form."""
    storage, policies, begin = found.fields["storage"], [], 0
    for player, (sequences, hands) in enumerate(zip(form.sequences, form.num_hands, strict=True)):
        own = found.table.slice(begin, len(sequences.start) - 1)
        begin += len(own)
        columns = [own.column(f"{HAND}{hand}") for hand in range(max(form.num_hands))]
        for hand, column in enumerate(columns):
            if column.null_count != (0 if hand < hands else len(own)):
                raise PolicyFileError(
                    f"the rows of player {player}, who has {hands} hands, have "
                    f"{column.null_count} gaps in the column {HAND}{hand}"
                )
        rows = np.stack([column.to_numpy() for column in columns[:hands]], axis=1)
        rows = rows.astype(np.float64) / WHOLE.get(storage, 1)
        policies.append(form.of_hands(player, rows))
        if not np.array_equal(form.by_hand(player, policies[-1]), rows):
            raise PolicyFileError(f"equivalent hands of player {player} have other probabilities")
    if storage == "float32":
        return PublicPolicy.from_weights(form, policies)
    return PublicPolicy(form, (policies[0], policies[1]))
