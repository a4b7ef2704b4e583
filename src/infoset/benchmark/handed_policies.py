"""Policies on their way from the process of a subject to the one that measures them.

A policy travels as its probabilities alone. Whoever receives it builds the game anew, checks the
probabilities, and measures them exactly, so that nothing depends on what the subject says.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.forms import SequenceForm
from infoset.policy import TabularPolicy, save_policy


class KeptPolicy(NamedTuple):
    """A policy that is saved with a score card."""

    digest: str
    """`TabularPolicy.digest`."""
    file: bytes
    """The Parquet file."""


def pack_policy(policy: TabularPolicy) -> str:
    """Return the probabilities of a policy as text."""
    values = np.concatenate(policy.probabilities).astype("<f8")
    return b64encode(values.tobytes()).decode()


def unpack_policy(data: object, form: SequenceForm) -> TabularPolicy:
    """Return the policy in a text of a subject."""
    lengths = [plex.num_sequences for plex in form.treeplexes]
    try:
        content = b64decode(str(data), validate=True)
    except (Base64Error, ValueError) as error:
        raise ParameterError(f"it sent a policy that cannot be read: {error}") from error
    if len(content) != 8 * sum(lengths):
        raise ParameterError(
            f"it sent {len(content) / 8:g} probabilities; {form.name} has {sum(lengths)}"
        )
    values = np.frombuffer(content, "<f8").astype(np.float64)
    return TabularPolicy(form, tuple(np.split(values, np.cumsum(lengths)[:-1])))


def message_bytes(form: SequenceForm) -> int:
    """Return the maximum number of bytes of a message, which has at most two policies."""
    # Eight bytes are at most eleven characters in base 64.
    return 10_000 + 2 * 11 * sum(plex.num_sequences for plex in form.treeplexes)


def keep_policy(policy: TabularPolicy, about: dict[str, Any]) -> KeptPolicy:
    """Return a policy with its file, whose metadata are `about`."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "policy.parquet"
        save_policy(policy, path, about)
        return KeptPolicy(policy.digest, path.read_bytes())
