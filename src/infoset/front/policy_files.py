"""Policy files by path: their game, and the policy of a run folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Final

from infoset.efg import is_game_file_name
from infoset.errors import (
    InfosetError,
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
    UnsupportedGameError,
)
from infoset.evaluation import CorrelatedPolicy, evaluate_policy, load_correlated_policy
from infoset.forms import AnyForm, Form, SequenceForm
from infoset.front.game_sources import FormLike, to_kind
from infoset.front.python_files import is_python_file
from infoset.game import Game
from infoset.games import game_of_form, load_game
from infoset.policy import (
    TabularPolicy,
    check_policy,
    form_in_file,
    is_correlated_file,
    is_zoo_name,
    load_policy_csv,
    read_metadata,
    rounded_policy,
    save_policy_csv,
    transfer_policy,
    zoo_path,
)
from infoset.policy import load_policy as load_parquet
from infoset.policy import save_policy as save_parquet
from infoset.utils.arguments import check_path
from infoset.utils.paths import no_such_path
from infoset.utils.text import shortened

if TYPE_CHECKING:
    from infoset.deep import Critic, NetworkPolicy


CSV: Final = ".csv"
FILE_ENDINGS: Final = (".parquet", CSV, ".npz")

RESULT: Final = "result.json"
"""A file that every folder of a run has."""

GIVE: Final = "give a policy file (.parquet, .csv or .npz), the folder of a run, or 'uniform'"
MAX_RUNS: Final = 5
"""Maximum number of runs in a folder that an error names."""


def policy_path(policy: str | Path) -> Path:
    """Return the path of a policy file; for the folder of a run, that of its policy.

    `zoo:NAME` is a policy that is installed with the library.

    A table is preferred to a network, and both to a correlated policy.

    Raises
    ------
    PolicyFileError
        If nothing or a game is there, or the folder has no policy or several.
    """
    if is_zoo_name(policy):
        return zoo_path(str(policy))
    folder = Path(policy)
    if not os.path.isdir(policy):
        _check_is_no_game(folder)
        return folder
    found = _policies_in(folder)
    if not found:
        runs = sorted(found.parent for found in folder.glob(f"*/{RESULT}"))
        inside = f"runs in it: {', '.join(map(str, runs[:MAX_RUNS]))}" if runs else GIVE
        raise PolicyFileError(f"the folder {folder} has no policy; {inside}")
    if len(found) > 1:
        names = ", ".join(path.name for path in found)
        raise PolicyFileError(f"the folder {folder} has several policies; give one of: {names}")
    return found[0]


def _policies_in(folder: Path) -> list[Path]:
    """Return the tables in a folder; if there are none, the networks; else correlated policies."""
    patterns = ("policy*.parquet", "network*.npz", "correlated_policy*.parquet")
    return next(filter(None, (sorted(folder.glob(pattern)) for pattern in patterns)), [])


def _check_is_no_game(path: Path) -> None:
    """Raise unless a file exists that is not a game."""
    if not path.exists():
        raise PolicyFileError(no_such_path(path, GIVE))
    if is_game_file_name(path):
        raise PolicyFileError(
            f"{path} is a game, not a policy: infoset solve {path} computes and saves a policy, "
            f"and infoset info {path} describes the game; {GIVE}"
        )
    if is_python_file(str(path)):
        raise PolicyFileError(f"{path} is a Python file, not a policy file; {GIVE}")


def is_policy_file(policy: str) -> bool:
    """Return whether a text names a policy: a file, a run's folder, `zoo:NAME`, or an extension."""
    # Not `Path.is_file`, which raises an error for texts that are too long for a path.
    if os.path.isdir(policy):
        return os.path.isfile(os.path.join(policy, RESULT)) or bool(_policies_in(Path(policy)))
    is_file = os.path.exists(policy) and not is_python_file(policy)
    return is_file or policy.lower().endswith(FILE_ENDINGS) or is_zoo_name(policy)


def is_network(policy: str | Path) -> bool:
    """Return whether a policy file is that of a network."""
    return policy != "uniform" and policy_path(policy).suffix.lower() == ".npz"


def is_csv(policy: str | Path) -> bool:
    """Return whether a policy file has comma-separated values."""
    return policy_path(policy).suffix.lower() == CSV


def is_correlated(policy: str | Path) -> bool:
    """Return whether a policy file, or the file of a run folder, has a correlated policy."""
    return is_correlated_file(policy_path(policy))


def save_policy(
    policy: TabularPolicy,
    path: str | Path,
    metadata: Mapping[str, Any] | None = None,
    *,
    storage: str = "float64",
) -> None:
    """Write a policy to a Parquet or CSV file; an existing file is replaced atomically.

    The columns are those of `infoset.policy.save_policy`. `measured` in the metadata has values,
    gains and exploitability of the policy as it is stored. If the name ends in `.csv`,
    `infoset.policy.save_policy_csv` writes the file, which has neither metadata nor a smaller
    storage.

    Parameters
    ----------
    metadata
        Additional items to store in the file; the values must be JSON values.
    storage
        How the file stores a probability, see
        `infoset.policy.STORAGES`: "float64", which loses nothing; "float32"; or "uint16" or
        "uint8", multiples of 1/65,535 or 1/255.

    Raises
    ------
    ParameterError
        If `policy` is not a policy, `path` is not a path, or metadata or a storage is given for a
        CSV file.
    PolicyFileError
        If the file cannot be written.

    Examples
    --------
    >>> from infoset.front import build_public_form, solve
    >>> result = solve(build_public_form("leduc_poker"), iterations=100)
    >>> save_policy(result.policy, "leduc.parquet", storage="uint8")
    >>> load_policy("leduc.parquet")["Ks", "raise"]["fold"]
    0.0
    """
    check_policy(policy)
    check_path("path", path)
    if str(path).lower().endswith(CSV):
        if metadata or storage != "float64":
            raise ParameterError(
                f"{path} is a CSV file, which stores probabilities in full and nothing else; leave "
                "out metadata and storage, or give a path that ends in .parquet"
            )
        save_policy_csv(policy, path)
        return
    about = dict(metadata or {})
    about["measured"] = asdict(evaluate_policy(rounded_policy(policy, storage)))
    save_parquet(policy, path, about, storage=storage)


def load_policy(path: str | Path, game: FormLike | None = None) -> TabularPolicy:
    """Read a policy from a file, or from the folder of a run.

    Parameters
    ----------
    path
        A Parquet or CSV file, a network, or a folder with one of them; or `zoo:NAME`, a policy that
        is installed with the library.
    game : str, Game, GameTree, ExtensiveForm or Form, optional
        The game of the policy. By default it is the game that the file names, which must be known
        by name: a library game or one from `register_game`. A policy on a public form needs the
        game or its public form.

    Returns
    -------
    TabularPolicy
        On the form for which it was saved, or on the one that is given.

    Raises
    ------
    PolicyFileError
        If the file is missing, damaged, or not a policy, or does not name a known game.
    PolicyMismatchError
        If the policy belongs to another game.

    Examples
    --------
    >>> load_policy("zoo:kuhn_poker")["[Q]"]
    {'pass': 1.0, 'bet': 0.0}
    """
    check_path("policy", path)
    found = game_of_policy(path) if game is None else game
    form = found if isinstance(found, Form) else to_kind(found, kind_of_file(path))
    return load_policy_file(path, form)


def kind_of_file(path: str | Path) -> str:
    """Return the kind of form to which the policy in a file belongs, as `solve` names it."""
    return form_in_file(policy_path(path))


def game_of_policy(path: str | Path) -> Game:
    """Return the game that a policy file names, if it is known by name.

    Raises
    ------
    PolicyFileError
        If the file names no such game, or cannot be read.
    """
    about = read_policy_metadata(path) or {}
    name = about.get("game")
    try:
        return load_game(str(name))
    except InfosetError as error:
        reason = "does not name its game" if name is None else f"is for {shortened(repr(name))}"
        raise PolicyFileError(
            f"{path} {reason}, which is not known by name; give the game before the policy"
        ) from error


def load_policy_file(path: str | Path, form: AnyForm) -> TabularPolicy[AnyForm]:
    """Read a policy for a game from a file, or from the folder of a run, as a policy on a form.

    A policy on another form of the game is transferred if that form can be built. A network is
    queried at each infostate.

    Raises
    ------
    PolicyFileError, PolicyMismatchError
        As in `load_policy`.
    """
    check_path("policy", path)
    found = policy_path(path)
    if is_network(found):
        return load_network_file(found, form.whole.name).tabulate(form)
    if is_csv(found):
        return load_policy_csv(found, form)
    if is_correlated(found):
        raise PolicyFileError(
            f"{path} is a correlated policy, and a single one is needed: read it with "
            "infoset.evaluation.load_correlated_policy"
        )
    kind = kind_of_file(found)
    if kind == form.kind or read_metadata(found).get("fingerprint") == form.fingerprint:
        return load_parquet(found, form)
    other = to_kind(_rules_of(form, found), kind)
    return transfer_policy(load_parquet(found, other), form)


def _rules_of(form: Form, path: Path) -> Game:
    """Return the game of a form, if it is known by name."""
    try:
        return game_of_form(form)
    except UnsupportedGameError as error:
        raise PolicyFileError(
            f"{path} holds a policy on a form of {form.name} other than the {form.kind} form that "
            "is used, and the game is not known by name: load it with infoset.load_policy(path, "
            "game), and transfer it by infoset.policy.transfer_policy(policy, form)"
        ) from error


def load_correlated_policy_file(path: str | Path, form: SequenceForm) -> CorrelatedPolicy:
    """Read a correlated policy for a game from a file, or from the folder of a run.

    Raises
    ------
    PolicyFileError, PolicyMismatchError
        As raised by `load_correlated_policy`.
    """
    return load_correlated_policy(policy_path(path), form)


def read_policy_metadata(policy: str | Path) -> dict[str, Any] | None:
    """Return the metadata of a policy file; None for CSV files and for `uniform`.

    Raises
    ------
    PolicyFileError
        If the file cannot be read as a policy.
    """
    if policy == "uniform" or is_csv(policy):
        return None
    if is_network(policy):
        from infoset.deep import read_network_metadata

        return read_network_metadata(policy_path(policy))
    return read_metadata(policy_path(policy))


def load_network_file(path: str | Path, game: Game | str) -> NetworkPolicy:
    """Return the network policy in a file; JAX is loaded.

    Parameters
    ----------
    game
        The game, or its name, that the network is to play.

    Raises
    ------
    MissingExtraError
        If the extra `deep` is not installed.
    PolicyFileError, PolicyMismatchError
        As raised by `load_network`; and if the network was trained on another game, if both are
        known by name.
    """
    from infoset.deep import load_network, read_network_metadata
    from infoset.deep.rules import is_same_game

    found = policy_path(path)
    policy, name = load_network(found), read_network_metadata(found).get("game")
    try:
        trained, wanted = load_game(str(name)), load_game(str(game))
    except InfosetError:
        return policy
    if not is_same_game(trained, wanted):
        raise PolicyMismatchError(
            f"{path} holds a network for {trained}, not for {wanted}; use it with {trained}, or "
            f"train one: infoset train {quote(str(wanted))}"
        )
    return policy


def load_critic_file(path: str | Path, game: Game) -> Critic:
    """Return the critic in a file; JAX is loaded.

    Raises
    ------
    MissingExtraError
        If the extra `deep` is not installed.
    PolicyFileError, PolicyMismatchError
        As raised by `load_critic`.
    """
    from infoset.deep import load_critic

    return load_critic(path, game)
