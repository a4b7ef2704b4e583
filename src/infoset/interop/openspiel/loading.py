"""From the text of a game to the game."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from functools import lru_cache
from importlib.resources import as_file, files
from typing import Any

from infoset.errors import ParameterError
from infoset.interop.openspiel._spec import Spec, import_pyspiel, read_spec, spec_text
from infoset.interop.openspiel._trial import REFUSED
from infoset.interop.openspiel.game import OpenSpielGame

__all__ = ["load_openspiel"]

PREFIX = "openspiel:"
TRIAL_SECONDS = 30


def load_openspiel(spec: str) -> OpenSpielGame:
    """Load one of OpenSpiel's sequential or simultaneous games.

    Values are read by the type OpenSpiel declares, and spaces around them are ignored. A game with
    parameters is first tried in another process (some tens of milliseconds), because OpenSpiel
    ends its process on some of them.

    Parameters
    ----------
    spec : str
        `"kuhn_poker(players=3)"`, with or without `openspiel:` before it; games inside games as
        in `"misere(game=kuhn_poker())"`; the games that OpenSpiel has in Python by their names,
        such as `"python_kuhn_poker"`.

    Raises
    ------
    MissingExtraError
        If OpenSpiel is not installed.
    UnknownNameError
        If OpenSpiel has no such game, or the game no such parameter.
    ParameterError
        If a value is of the wrong type, or OpenSpiel refuses it or crashes on it.
    UnsupportedGameError
        If the game is a mean-field game, samples chance instead of listing it, or hides
        something without saying what a player sees.

    Examples
    --------
    >>> game = load_openspiel("openspiel:kuhn_poker(players=3)")
    >>> game.num_players
    3
    """
    wanted = read_spec(spec.strip().removeprefix(PREFIX))
    if wanted.parameters or not wanted.game_type.default_loadable:
        try_apart(json.dumps({"name": wanted.name, **wanted.parameters}))
    return OpenSpielGame(load_game(wanted), str(wanted))


def load_game(wanted: Spec) -> Any:
    """Return OpenSpiel's own game object."""
    pyspiel = import_pyspiel()
    try:
        return pyspiel.load_game(wanted.name, wanted.parameters)
    except pyspiel.SpielError as error:
        raise ParameterError(f"OpenSpiel refuses {wanted.name}: {first_line(error)}") from error


@lru_cache(maxsize=256)
def try_apart(wanted: str) -> None:
    """Load and play a game in another process, and turn its failure there into an error here.

    A trial that cannot be held (no second process is allowed, or it lacks OpenSpiel) proves
    nothing and refuses nothing.

    Parameters
    ----------
    wanted : str
        The game's parameters as JSON, its name among them.

    Raises
    ------
    ParameterError
        If OpenSpiel refuses the parameters, crashes on them or does not come to an end.
    """
    shown = spec_text(json.loads(wanted))
    try:
        done = run_trial(wanted)
    except subprocess.TimeoutExpired:
        raise ParameterError(
            f"OpenSpiel takes more than {TRIAL_SECONDS} s to begin {shown}; "
            "choose smaller parameters"
        ) from None
    except OSError:
        return
    if done.returncode == REFUSED:
        raise ParameterError(f"OpenSpiel refuses {shown}: {first_line(done.stdout)}")
    if not 0 <= done.returncode < 256:
        raise ParameterError(
            f"OpenSpiel crashes on {shown}; choose parameters within the game's range"
        )


def run_trial(wanted: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the trial and return how it ended."""
    with as_file(files(__package__) / "_trial.py") as script:
        return subprocess.run(
            [sys.executable, "-P", str(script), wanted],
            capture_output=True,
            text=True,
            timeout=TRIAL_SECONDS,
            check=False,
        )


def first_line(error: object) -> str:
    """Return what an error of OpenSpiel says, without the place in its source code."""
    text = re.sub(r"^\S+\.(?:cc|h):\d+\s*", "", str(error).strip())
    return text.splitlines()[0][:200] if text else type(error).__name__
