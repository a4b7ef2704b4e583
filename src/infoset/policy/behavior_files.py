"""Files with the probabilities at some infostates, for node locking."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from infoset.errors import PolicyFileError, UnknownNameError
from infoset.forms import Form, LockedBehavior, check_form
from infoset.forms.form import numbers_by_action
from infoset.policy.csv_files import action_texts, load_behavior_csv
from infoset.policy.policy_tables import replace_policy_file
from infoset.typing import Action
from infoset.utils.arguments import check_path
from infoset.utils.json_fields import read_json

EXAMPLE = '{"[K] / pass / bet": {"bet": 1.0}}'
REMEDY = (
    f"give the probabilities at the infostates to lock, such as {EXAMPLE}, or lines of a policy "
    "that was saved as CSV"
)


def load_behavior(path: str | Path, form: Form) -> LockedBehavior:
    """Read the probabilities at some infostates, for `infoset.lock`.

    Parameters
    ----------
    path
        A CSV file as of `save_policy_csv`, from which lines of other infostates are left out. Or a
        JSON file: an object that maps each infostate, as text, to an object with the probability of
        each action; actions that are left out have probability 0. If several players have an
        infostate with the same text, such objects are values of an object by player, as in
        `{"0": {"[K]": {"bet": 1}}}`. On a public form, a line stands for all hands.

    Raises
    ------
    PolicyFileError
        If the file is missing, locks no infostate, or breaks a rule.

    Examples
    --------
    >>> import infoset
    >>> form = infoset.build_public_form("kuhn_poker")
    >>> text = '{"[J]": {"bet": 1}, "bet": {"pass": 0.5, "bet": 0.5}}'
    >>> _ = Path("lock.json").write_text(text)
    >>> load_behavior("lock.json", form)
    {'[J]': {'bet': 1}, 'bet': {'pass': 0.5, 'bet': 0.5}}
    """
    check_form(form)
    check_path("path", path)
    file = Path(path)
    if file.suffix not in (".csv", ".json"):
        raise PolicyFileError(f"{file} is neither a .csv nor a .json file: {REMEDY}")
    read = load_behavior_csv if file.suffix == ".csv" else _load_behavior_json
    found: LockedBehavior = read(file, form)
    if not found:
        raise PolicyFileError(f"{file} locks no infostate: {REMEDY}")
    return found


def _load_behavior_json(file: Path, form: Form) -> dict[Any, dict[Action, float]]:
    """Read probabilities from a JSON file; see `load_behavior`."""
    try:
        content = read_json(file)
    except FileNotFoundError as error:
        raise PolicyFileError(f"there is no file {file}; check the path") from error
    except (OSError, ValueError) as error:
        raise PolicyFileError(f"{file} cannot be read as JSON ({error})") from error
    players = {str(player): player for player in range(form.num_players)}
    found: dict[Any, dict[Action, float]] = {}
    for key, value in _object(file, content).items():
        if key in players:
            for infostate, numbers in _object(file, value).items():
                named = infostate, players[key]
                found[named] = _actions(form, named, _object(file, numbers))
        else:
            found[key] = _actions(form, key, _object(file, value))
    return found


def save_behavior(behavior: LockedBehavior, path: str | Path, form: Form) -> None:
    """Write the probabilities at some infostates as a JSON file that `load_behavior` reads.

    Probabilities at a line of a public form are written for each hand. Numbers have all digits.

    Parameters
    ----------
    behavior
        As in `infoset.lock`.

    Raises
    ------
    PolicyFileError
        If the file cannot be written.

    Examples
    --------
    >>> import infoset
    >>> form = infoset.build_public_form("kuhn_poker")
    >>> save_behavior({"bet": {"pass": 0.5, "bet": 0.5}}, "half.json", form)
    >>> load_behavior("half.json", form)["[J] / bet", 1]
    {'pass': 0.5, 'bet': 0.5}
    """
    check_form(form)
    check_path("path", path)
    found: dict[str, dict[str, dict[str, float]]] = {}
    for key, given in behavior.items():
        player, infostates = form.look_up_all(key)
        legal = form.actions_at(player, int(infostates[0]))
        if not isinstance(given, np.ndarray):
            given = numbers_by_action(form, player, int(infostates[0]), given)
        columns = np.broadcast_to(given.T, (len(infostates), len(legal)))
        for number, column in zip(infostates.tolist(), columns.tolist(), strict=True):
            text = form.infostate_label(player, number)
            numbers = dict(zip(action_texts(legal), column, strict=True))
            found.setdefault(str(player), {})[text] = numbers
    with replace_policy_file(Path(path)) as temporary:
        temporary.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _object(file: Path, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise PolicyFileError(
            f"{file} has {json.dumps(value)[:60]} where an object is expected; write it as in "
            f"{EXAMPLE}"
        )
    return value


def _actions(form: Form, key: Any, numbers: dict[str, float]) -> dict[Action, float]:
    """Return numbers by action, given those by the texts of actions."""
    player, infostates = form.look_up_all(key)
    legal = form.actions_at(player, int(infostates[0]))
    by_text = dict(zip(action_texts(legal), legal, strict=True))
    for text in numbers:
        if text not in by_text:
            raise UnknownNameError.of(f"action at {key!r}", text, by_text)
    return {by_text[text]: number for text, number in numbers.items()}
