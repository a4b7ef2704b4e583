"""Conversion of what a user writes as a player to a policy or a searcher."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

import numpy as np

from infoset.efg import ExtensiveForm, find_source_form
from infoset.errors import (
    ParameterError,
    PolicyFileError,
    PolicyMismatchError,
    UnknownNameError,
    nearest_names,
)
from infoset.evaluation import CorrelatedPolicy
from infoset.forms import Form
from infoset.front.game_sources import to_form
from infoset.front.policy_files import (
    is_correlated,
    is_network,
    is_policy_file,
    load_correlated_policy_file,
    load_critic_file,
    load_network_file,
    policy_path,
)
from infoset.front.policy_sources import form_of_policies, resolve_policy
from infoset.front.python_files import is_python_file, load_from_python_file
from infoset.game import Game, Infostate
from infoset.game.infostate import infostate_generator
from infoset.games import GAMES, parse_spec
from infoset.learning import LEARNERS
from infoset.matches import SupportsSearch
from infoset.policy import Policy, TabularPolicy, is_zoo_name, transfer_policy, uniform_policy
from infoset.search import SEARCHERS, Searcher, SearchModel, make_searcher, search_model
from infoset.solvers import METHODS
from infoset.tree import BuildProgress, GameTree, build_tree
from infoset.typing import Action, FloatArray
from infoset.utils.paths import looks_like_path, no_such_path

UNIFORM = "uniform"
EXAMPLE = "give uniform, a policy file, or a searcher such as pimc(num_worlds=200)"
PLAYER_KINDS: Final = (Policy, SupportsSearch)
"""Kinds of players that `path/to/file.py:NAME` may name; searchers are policies."""
FILE_PARAMETERS: Final = ("blueprint", "leaf_value", "values")
"""Parameters of searchers that name a policy file or the file of a critic."""


def resolve_players(
    players: Sequence[str],
    game: Game | GameTree,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> list[Policy | CorrelatedPolicy]:
    """Return the policies and searchers that a user names.

    Parameters
    ----------
    players
        Each is `uniform`, a policy file, a searcher such as `pimc(num_worlds=200)`, or your own
        policy or searcher class as `path/to/file.py:NAME`. A searcher's `blueprint` or
        `leaf_value` is a policy file or `uniform`, and its `values` are the file of a critic. A
        blueprint is also the name of a method, which solves the game.
    game
        If only rules are given, a form is built only for tabular policy files; see `policy_kind`.
        If the rules were derived from an extensive form by `as_game`, a file may belong to either.
    memory, progress
        As in `solve`.

    Raises
    ------
    ParameterError
        If the text of a searcher cannot be parsed, or a parameter is out of range.
    PolicyFileError, PolicyMismatchError
        As raised by `resolve_policy`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> [searcher] = resolve_players(["pimc(num_worlds=9)"], load_game("kuhn_poker"))
    >>> searcher.settings()["num_worlds"]
    9
    """
    for player in players:
        _check_name(player)
    rules = game.game if isinstance(game, GameTree) else game

    @cache
    def form(player: str) -> Form:
        return form_of_policies(game, player, memory=memory, progress=progress)

    model = cache(lambda: search_model(rules))
    given = find_source_form(rules)

    def find(player: str) -> Policy | CorrelatedPolicy:
        if is_policy_file(player):
            if is_correlated(player):
                return load_correlated_policy_file(player, to_form(form(player)))
            if is_network(player):
                return load_network_file(player, rules)
            if given is None:
                return resolve_policy(player, form(player))
            return _from_either(player, given, game)
        if is_python_file(player):
            return _from_python_file(player, model)
        return uniform_policy() if player == UNIFORM else _searcher(player, model(), form)

    return [find(player) for player in players]


def resolve_searcher(player: str, game: Game | GameTree) -> Policy:
    """Return the searcher or the policy of a Python file that a user names.

    Raises
    ------
    PolicyFileError
        If the text names a correlated policy.
    InfosetError
        As raised by `resolve_players`.
    """
    (found,) = resolve_players([player], game)
    if isinstance(found, CorrelatedPolicy):
        raise PolicyFileError(f"{player} is a correlated policy; give a searcher or a policy file")
    return found


def _searcher(player: str, model: SearchModel, form: Callable[[str], Form]) -> Searcher:
    """Return a searcher whose blueprint, leaf value and values are named by files."""
    name, settings = parse_spec(player, kind="searcher", example=EXAMPLE)
    files = {key: settings.pop(key) for key in FILE_PARAMETERS if key in settings}
    found: dict[str, Any] = {}
    for key, path in files.items():
        if key == "blueprint" and METHODS.knows(str(path)):
            found[key] = path
        elif not isinstance(path, str):
            raise ParameterError(f"{key}={path!r} is not a file; give its path in quotes")
        elif key == "values":
            found[key] = load_critic_file(path, model.game)
        elif is_network(path):
            found[key] = load_network_file(path, model.game)
        else:
            # Re-solving runs on the form of its blueprint; the values of a critic need the tree.
            like = UNIFORM if key == "blueprint" and "values" in files else path
            found[key] = None if path == UNIFORM else resolve_policy(path, form(like))
    return make_searcher(name, model, **settings, **found)


def _from_python_file(player: str, model: Callable[[], SearchModel]) -> Policy:
    """Return a policy from a Python file; a searcher class is called with the search model."""
    load = partial(load_from_python_file, player, among=PLAYER_KINDS)
    try:
        found: Policy = load((Searcher,), "searcher", (model(),))
    except UnknownNameError:
        try:
            found = load((Policy,), "policy")
        except UnknownNameError as error:
            with suppress(UnknownNameError):
                return PlainSearch(load((SupportsSearch,), "searcher", (model(),)))
            raise error from None
    return found


@dataclass(frozen=True)
class PlainSearch:
    """A searcher that has only the method `search`, as a policy."""

    searcher: SupportsSearch
    seed: int = 0
    """Seed of `action_probabilities`."""

    def search(self, infostate: Infostate, rng: np.random.Generator) -> FloatArray:
        """Return [A] the probability of each legal action at an infostate, in order."""
        return self.searcher.search(infostate, rng)

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return the result of one search, whose generator depends on seed and infostate."""
        return self.search(infostate, infostate_generator(self.seed, infostate))


def _from_either(player: str, form: ExtensiveForm, rules: Game | GameTree) -> TabularPolicy:
    """Load a policy file that belongs to an extensive form or to the rules derived from it."""
    tree = rules if isinstance(rules, GameTree) else build_tree(rules)
    try:
        return transfer_policy(resolve_policy(player, form.sequence_form), tree)
    except (PolicyFileError, PolicyMismatchError):
        return resolve_policy(player, tree.sequence_form)


def is_searcher(player: str) -> bool:
    """Return whether a text names a searcher, rather than `uniform` or a policy file."""
    if is_python_file(player):
        return True
    name = player.partition("(")[0].strip().lower()
    return not is_policy_file(player) and SEARCHERS.knows(name)


def _check_name(player: str) -> None:
    """Raise unless a text names a player."""
    if is_python_file(player):
        return
    is_name = player == UNIFORM or SEARCHERS.knows(player)
    if is_policy_file(player) or (looks_like_path(player) and not is_name):
        if not (os.path.exists(player) or is_zoo_name(player)):
            raise PolicyFileError(no_such_path(player, EXAMPLE))
        policy_path(player)  # raises if it is something else
        return
    name, _ = parse_spec(player, kind="player", example=EXAMPLE)
    if GAMES.knows(name):
        raise UnknownNameError(f"{player!r} is a game, not a player: give it before the players")
    if METHODS.knows(name) or LEARNERS.knows(name):
        command = "solve" if METHODS.knows(name) else "learn"
        raise UnknownNameError(
            f"{player!r} is a method, not a player: run infoset {command} GAME --method {name}, "
            "and give the folder of the run"
        )
    if name != UNIFORM and not SEARCHERS.knows(name):
        raise unknown_file_or_name("player", name, [UNIFORM, *SEARCHERS.known_names])


def unknown_file_or_name(kind: str, text: str, known: Sequence[str]) -> UnknownNameError:
    """Return the error for a text that is neither a file nor one of the `known` names.

    If no name is similar, a misspelled path is as likely.
    """
    hint = nearest_names(text, known)
    if hint.startswith("did you mean"):
        return UnknownNameError.of(kind, text, known)
    return UnknownNameError(no_such_path(text, f"there is no {kind} of this name, either; {hint}"))
