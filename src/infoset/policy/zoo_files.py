"""Policies that are installed with the library, by name: `zoo:leduc_poker`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from infoset.errors import PolicyFileError
from infoset.games.packs import get_pack_entry
from infoset.utils.arguments import check_type

ZOO_PREFIX: Final = "zoo:"
"""What names of policies of the zoo begin with."""

FOLDER: Final = Path(__file__).parent / "zoo"


def is_zoo_name(policy: object) -> bool:
    """Return whether a value is text that names a policy of the zoo."""
    return isinstance(policy, str) and policy.startswith(ZOO_PREFIX)


def zoo_path(policy: str) -> Path:
    """Return the file of a policy of the zoo.

    Parameters
    ----------
    policy
        `zoo:` and the name of a game of a pack.

    Raises
    ------
    UnknownNameError
        If no pack has a game of that name; the message suggests similar names.
    PolicyFileError
        If the policy is not installed; the message says how to make it.

    Examples
    --------
    >>> zoo_path("zoo:kuhn_poker").name
    'kuhn_poker.parquet'
    """
    check_type("policy", policy, str, "a name, such as zoo:leduc_poker")
    entry = get_pack_entry(policy.removeprefix(ZOO_PREFIX))
    path = FOLDER / f"{entry.name}.parquet"
    if not path.is_file():
        raise PolicyFileError(
            f"{policy} is not installed with the library; make it by 'infoset zoo make "
            f"{entry.name}', and give the file that is saved"
        )
    return path
