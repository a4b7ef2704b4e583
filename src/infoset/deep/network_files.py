"""Files of networks: arrays and a JSON header."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from infoset._version import __version__
from infoset.deep.device_games import DeviceGame, device_fingerprint, static_fields
from infoset.deep.network_inputs import DeviceInput, NetworkInput, TreeInput
from infoset.deep.network_policy import NetworkPolicy
from infoset.deep.networks import PolicyValueNetwork
from infoset.deep.rules import DEVICE_GAMES
from infoset.errors import ParameterError, PolicyFileError, PolicyMismatchError
from infoset.tree import ENCODING_VERSION, InfostateEncoder
from infoset.utils.arguments import check_path, check_type
from infoset.utils.array_files import read_arrays, write_arrays

__all__ = ["load_network", "read_network_metadata", "save_network"]

FORMAT = 1
KIND = "network"
COLUMNS = "columns"
LABELS = ("actions", "private_observations", "public_observations")
SIZES = ("num_players", "max_steps")


def save_network(
    policy: NetworkPolicy, path: str | Path, metadata: Mapping[str, Any] | None = None
) -> None:
    """Write a network policy to a file, which replaces an existing one atomically.

    Parameters
    ----------
    policy : NetworkPolicy
    path : str or Path
        The file; its name should end in `.npz`.
    metadata : Mapping[str, Any], optional
        Further JSON values for the header, such as the game and the method.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.
    """
    check_type("policy", policy, NetworkPolicy, "the policy of a result of train")
    check_path("path", path)
    network, inputs = policy.network, policy.inputs
    layers = range(len(network.weights))
    arrays = {f"weights_{layer}": network.weights[layer] for layer in layers}
    arrays |= {f"biases_{layer}": network.biases[layer] for layer in layers}
    header = {
        **(metadata or {}),
        "format": FORMAT,
        "kind": KIND,
        "version": __version__,
        "is_fine_tuned": policy.is_fine_tuned,
        "precision": network.precision,
        **_about(inputs),
    }
    plain = {name: jnp.asarray(array).__array__() for name, array in arrays.items()}
    if isinstance(inputs, TreeInput):
        plain[COLUMNS] = inputs.columns
    try:
        write_arrays(Path(path), header, plain)
    except OSError as error:
        raise PolicyFileError(
            f"{path} cannot be written: {error.strerror or error}; give the path of a file in an "
            "existing folder where you may write"
        ) from error


def read_network_metadata(path: str | Path) -> dict[str, Any]:
    """Return the header of a network file.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or does not contain a network.
    """
    return _read(path)[0]


def load_network(path: str | Path, device: DeviceGame | None = None) -> NetworkPolicy:
    """Read a network that `save_network` wrote.

    The file contains the labels of all actions and observations as text, or the parameters of the
    rules in JAX, so that the game itself is not needed.

    Parameters
    ----------
    path : str or Path
    device : DeviceGame, optional
        The device game on which the network was trained; needed if it is your own.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or does not contain a network.
    PolicyMismatchError
        If the network belongs to another device game or another version of the encoding.
    """
    header, arrays = _read(path)
    try:
        inputs = _inputs(header, arrays, device, path)
        layers = range(sum(name.startswith("weights_") for name in arrays))
        weights = [arrays[f"weights_{layer}"] for layer in layers]
        biases = [arrays[f"biases_{layer}"] for layer in layers]
        sizes = [len(weight) for weight in weights]
        network = PolicyValueNetwork(
            sizes[0],
            tuple(sizes[1:]),
            len(biases[-1]) - 1,
            jax.random.key(0),
            header["precision"],
        ).filled(weights, biases)
        return NetworkPolicy(network, inputs, bool(header["is_fine_tuned"]))
    except (KeyError, TypeError, IndexError) as error:
        raise PolicyFileError(
            f"{path} does not contain a whole network ({error!r}); give a file that train has saved"
        ) from error


def _about(inputs: object) -> dict[str, Any]:
    """Return the part of a header from which inputs are made again.

    Raises
    ------
    ParameterError
        If two labels have the same text.
    """
    if isinstance(inputs, TreeInput):
        labels = {name: list(map(str, getattr(inputs.encoder, name))) for name in LABELS}
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


def _inputs(
    header: Mapping[str, Any],
    arrays: Mapping[str, Any],
    device: DeviceGame | None,
    path: str | Path,
) -> NetworkInput:
    if "rules" not in header:
        if header["encoding"] != ENCODING_VERSION:
            raise PolicyMismatchError(
                f"{path} has encodings of version {header['encoding']}, and this is version "
                f"{ENCODING_VERSION}: read it with infoset {header.get('version')}"
            )
        parts: dict[str, Any] = {name: tuple(header[name]) for name in LABELS}
        encoder = InfostateEncoder(**parts, **{name: header[name] for name in SIZES})
        return TreeInput(encoder, arrays[COLUMNS], is_text=True)
    name = header["rules"]
    if device is None:
        known = {rules.__qualname__: rules for rules in DEVICE_GAMES}
        if name not in known:
            raise PolicyFileError(
                f"{path} contains a network for the device game {name}, which is not one of the "
                "library's: load it with load_network(path, device)"
            )
        settings = {
            field: tuple(value) if isinstance(value, list) else value
            for field, value in header["settings"].items()
        }
        device = known[name](**settings)
    if device_fingerprint(device) != header["fingerprint"]:
        raise PolicyMismatchError(
            f"{path} contains a network for {name} with {header['settings']}; give the device game "
            "on which it was trained"
        )
    return DeviceInput(device)


def _read(path: str | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    check_path("path", path)
    try:
        header, arrays = read_arrays(Path(path))
    except FileNotFoundError as error:
        raise PolicyFileError(f"there is no file {path}; check the path of the network") from error
    except ValueError as error:
        raise PolicyFileError(
            f"{path} cannot be read as a network ({error}); give a file that train has saved"
        ) from error
    if not isinstance(header, dict) or header.get("kind") != KIND:
        raise PolicyFileError(
            f"{path} does not contain a network; give a file that train has saved"
        )
    if header["format"] != FORMAT:
        raise PolicyFileError(
            f"{path} has format {header['format']}, but this version reads format {FORMAT}: read "
            f"it with infoset {header.get('version')}"
        )
    return header, arrays
