"""Trials of OpenSpiel games in another process, because some calls of OpenSpiel crash.

A crash ends a process and cannot be caught, so everything that may crash at load is tried apart
first, once per game and process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any, TypeAlias

from infoset.errors import ParameterError
from infoset.interop.openspiel._trial import PLAYED, REFUSED
from infoset.interop.openspiel.states import import_pyspiel

TRIAL_SECONDS = 30

Value: TypeAlias = Any
"""A bool, int, float or str, or a dictionary for a nested game."""


def spec_text(parameters: Mapping[str, Value]) -> str:
    """Return the text of a game from its parameters, including its name.

    Examples
    --------
    >>> spec_text({"name": "misere", "game": {"name": "kuhn_poker", "players": 3}})
    'misere(game=kuhn_poker(players=3))'
    """
    given = ",".join(
        f"{key}={spec_text(value) if isinstance(value, dict) else value}"
        for key, value in parameters.items()
        if key != "name"
    )
    return f"{parameters['name']}({given})" if given else str(parameters["name"])


@lru_cache(maxsize=256)
def try_apart(wanted: str) -> bool:
    """Load and play a game in another process, and return whether its observers are safe to ask.

    If a second process cannot be started, or cannot import OpenSpiel, nothing is known; then the
    observers of games that contain other games are taken to be unsafe.

    Parameters
    ----------
    wanted
        The game's parameters as JSON, including its name.

    Raises
    ------
    ParameterError
        If OpenSpiel rejects the parameters, crashes on them or exceeds the time limit.
    """
    parameters = json.loads(wanted)
    shown = spec_text(parameters)
    is_nested = any(isinstance(value, dict) for value in parameters.values())
    try:
        done = run_trial(wanted)
    except subprocess.TimeoutExpired:
        raise ParameterError(
            f"OpenSpiel takes more than {TRIAL_SECONDS} s to start {shown}; "
            "choose smaller parameters"
        ) from None
    except OSError:
        return not is_nested
    if done.returncode == REFUSED:
        raise ParameterError(f"OpenSpiel rejects {shown}: {first_line(done.stdout)}")
    has_played = done.stdout.startswith(PLAYED)
    # A signal has a negative code, and a crash on Windows a large one.
    if not 0 <= done.returncode < 256 and not has_played:
        advice = "choose parameters within the game's range"
        if is_nested:
            advice = "it cannot transform every game; load the game inside, or choose another"
        raise ParameterError(f"OpenSpiel crashes on {shown}; {advice}")
    return done.returncode == 0 if has_played else not is_nested


def run_trial(wanted: str) -> subprocess.CompletedProcess[str]:
    """Run the trial script and return the finished process."""
    with as_file(files(__package__) / "_trial.py") as script:
        return subprocess.run(
            # -P: modules beside the script must not hide others of the same name.
            [sys.executable, "-P", str(script), wanted],
            capture_output=True,
            text=True,
            timeout=TRIAL_SECONDS,
            check=False,
        )


def first_line(error: object) -> str:
    """Return the first line of an OpenSpiel error, without its position in the source code."""
    text = re.sub(r"^\S+\.(?:cc|h):\d+\s*", "", str(error).strip())
    return text.splitlines()[0][:200] if text else type(error).__name__


def observers_are_safe(game: Any) -> bool:
    """Return whether the observers of a loaded game can be asked without a crash.

    Observers of games with default parameters are known to be safe, and those written in Python
    raise exceptions. Other games are tried under the name that OpenSpiel prints for them; observers
    of a game that cannot be loaded by this name are taken to be unsafe.
    """
    if hasattr(game, "make_py_observer"):
        return True
    pyspiel, text = import_pyspiel(), str(game)
    defaults = (t.short_name for t in pyspiel.registered_games() if t.default_loadable)
    if text.removesuffix("()") in defaults:
        return True
    try:
        return try_apart(json.dumps(pyspiel.game_parameters_from_string(text)))
    except ParameterError:
        return False
