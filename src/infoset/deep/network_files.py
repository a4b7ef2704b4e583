"""Files of networks: arrays and a JSON header."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields as fields_of
from pathlib import Path
from typing import Any, Literal, get_type_hints

import jax
import numpy as np

from infoset.deep.descent import PRECISIONS
from infoset.deep.device_games import DeviceGame, device_fingerprint, static_fields
from infoset.deep.network_inputs import DeviceInput, TreeInput
from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.networks import PolicyValueNetwork
from infoset.deep.perceptron_files import (
    FileKind,
    PerceptronFile,
    read_perceptron,
    write_perceptron,
)
from infoset.deep.rules import DEVICE_GAMES
from infoset.errors import ParameterError, PolicyFileError, PolicyMismatchError, show
from infoset.game.infostate import label_text
from infoset.tree import ENCODING_VERSION, InfostateEncoder
from infoset.utils.arguments import check_type
from infoset.utils.json_fields import typed_fields

COLUMNS = "columns"
KIND = FileKind("network", format=2, source="train", others=(COLUMNS,))
LABELS = ("actions", "private_observations", "public_observations")
MAX_SIZE = np.iinfo(np.int32).max
"""Limit on the length of an encoding, whose places are 32-bit numbers."""
SIZES = ("num_players", "max_steps")
ENCODER: dict[str, Any] = {
    **dict.fromkeys(LABELS, tuple[str, ...]),
    "num_players": Literal[2],
    "max_steps": int,
}
"""Types of the fields of an encoder; networks are for two players."""


def save_network(
    policy: NetworkPolicy, path: str | Path, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write a network policy to a file, which replaces an existing one atomically.

    Parameters
    ----------
    path
        The file; its name should end in `.npz`.
    metadata
        Further JSON values for the header, such as the game and the method.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    check_type("policy", policy, NetworkPolicy, "the policy of a result of train")
    inputs = policy.inputs
    header = {
        **(metadata or {}),
        "is_fine_tuned": policy.is_fine_tuned,
        "precision": policy.network.precision,
        **_about(inputs),
    }
    others = {COLUMNS: inputs.columns} if isinstance(inputs, TreeInput) else {}
    write_perceptron(path, KIND, policy.network, header, others)


def read_network_metadata(path: str | Path) -> dict[str, Any]:
    """Return the header of a network file.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or does not contain a network.
    """
    return dict(read_perceptron(path, KIND).header)


def load_network(path: str | Path, device: DeviceGame | None = None) -> NetworkPolicy:
    """Read a network that `save_network` wrote.

    The file contains the labels of all actions and observations as text, or the parameters of the
    rules in JAX, so that the game itself is not needed.

    Parameters
    ----------
    device
        The device game on which the network was trained; needed if it is your own.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or does not contain a network.
    PolicyMismatchError
        If the network belongs to another device game or another version of the encoding.
    """
    file = read_perceptron(path, KIND)
    fields = file.fields({"is_fine_tuned": bool, "precision": Literal[PRECISIONS]})
    weights, biases = file.layers()
    inputs = _device_input(file, device) if "rules" in file.header else _tree_input(file)
    sizes = [*map(len, weights), len(biases[-1])]
    try:
        expected = inputs.num_features, len(inputs.actions) + 1
    except Exception as error:  # of rules whose settings were changed
        raise file.error(f"settings that the rules do not know: {error!r}") from error
    if (sizes[0], sizes[-1]) != expected:
        raise file.error(
            f"it has {sizes[0]} inputs and {sizes[-1]} outputs, but its header is that of a "
            f"network with {expected[0]} and {expected[1]}"
        )
    network = PolicyValueNetwork(
        sizes[0], tuple(sizes[1:-1]), sizes[-1] - 1, jax.random.key(0), fields["precision"]
    )
    return NetworkPolicy(network.filled(weights, biases), inputs, fields["is_fine_tuned"])


def _about(inputs: object) -> dict[str, Any]:
    """Return the part of a header from which inputs are made again.

    Raises
    ------
    ParameterError
        If two labels have the same text.
    """
    if isinstance(inputs, TreeInput):
        labels = {name: list(map(label_text, getattr(inputs.encoder, name))) for name in LABELS}
        for name, texts in labels.items():
            twice = [text for text in texts if texts.count(text) > 1]
            if twice:
                raise ParameterError(
                    f"two {name.replace('_', ' ')} have the text {twice[0]!r}, so that a file "
                    "cannot tell them apart; give them different texts"
                )
        sizes = {name: getattr(inputs.encoder, name) for name in SIZES}
        return {"encoding": ENCODING_VERSION, **labels, **sizes}
    assert isinstance(inputs, DeviceInput)
    device = inputs.device
    about = {"rules": type(device).__qualname__, "fingerprint": device_fingerprint(device)}
    return {**about, "settings": static_fields(device)}


def _tree_input(file: PerceptronFile) -> TreeInput:
    """Return the inputs of a network for a game whose tree was built."""
    version = file.fields({"encoding": int})["encoding"]
    if version != ENCODING_VERSION:
        raise PolicyMismatchError(
            f"{file.path} has encodings of version {version}, and this is version "
            f"{ENCODING_VERSION}: read it with infoset {file.header.get('version')}"
        )
    fields = file.fields(ENCODER)
    for name in LABELS:
        if len(set(fields[name])) < len(fields[name]):
            raise file.error(f"{name} has a label twice")
    encoder = InfostateEncoder(**fields)
    if not (fields["max_steps"] > 0 and encoder.size <= MAX_SIZE):
        raise file.error(f"max_steps is {show(fields['max_steps'])}")
    columns = file.arrays.get(COLUMNS, np.zeros(0))
    is_list = columns.ndim == 1 and columns.dtype.kind == "i"
    if not is_list or not np.all((columns >= 0) & (columns < encoder.size)):
        raise file.error(f"{COLUMNS} is missing, or is not a list of places in the encoding")
    return TreeInput(encoder, columns, is_text=True)


def _device_input(file: PerceptronFile, device: DeviceGame | None) -> DeviceInput:
    """Return the inputs of a network for a device game: the one given, or one of the library."""
    fields = file.fields({"rules": str, "fingerprint": str, "settings": dict})
    name = fields["rules"]
    if COLUMNS in file.arrays:
        raise file.error(f"{COLUMNS} does not belong to a network for a device game")
    if device is None:
        known = {rules.__qualname__: rules for rules in DEVICE_GAMES}
        if name not in known:
            raise PolicyFileError(
                f"{file.path} contains a network for the device game {name}, which is not one of "
                "the library's: load it with load_network(path, device)"
            )
        # Class variables are typed, too, but are not settings.
        hints = get_type_hints(known[name])
        wanted = {own.name: hints[own.name] for own in fields_of(known[name])}
        try:
            settings = typed_fields(fields["settings"], wanted)
        except ValueError as error:
            raise file.error(f"{error} in its settings") from None
        device = known[name](**settings)
    if device_fingerprint(device) != fields["fingerprint"]:
        raise PolicyMismatchError(
            f"{file.path} contains a network for {name} with {show(fields['settings'])}; give the "
            "device game on which it was trained"
        )
    return DeviceInput(device)
