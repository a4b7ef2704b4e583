"""From what a user names to who plays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from infoset.efg import ExtensiveForm, find_source_form
from infoset.errors import PolicyFileError, PolicyMismatchError, UnknownNameError
from infoset.front.load import to_form
from infoset.front.solve import find_policy
from infoset.game import Game
from infoset.games import parse_spec
from infoset.policy import Policy, TabularPolicy, UniformPolicy, transfer_policy
from infoset.search import SEARCHERS, make_searcher, search_model
from infoset.tree import ExplorationProgress, GameTree, build_tree

__all__ = ["find_players", "is_policy_file", "is_searcher"]

UNIFORM = "uniform"
FILE_ENDINGS = (".parquet", ".csv")
EXAMPLE = "write uniform, the name of a policy file, or a searcher, such as pimc(num_worlds=200)"


def find_players(
    players: Sequence[str],
    game: Game | GameTree,
    *,
    memory: int | None = None,
    progress: ExplorationProgress | None = None,
) -> list[Policy]:
    """Return who plays, of texts: `uniform`, policy files, searchers.

    Parameters
    ----------
    players : Sequence[str]
    game : Game or GameTree
        The sequence form of rules is made where a player is a file, and not otherwise. By the
        rules that `as_game` makes of a form, files may be for either.
    memory, progress
        As in `solve`.

    Raises
    ------
    UnknownNameError
        If a text names nobody; the message gives the nearest names.
    ParameterError
        If the text of a searcher cannot be read, or a value in it is not allowed.
    PolicyFileError, PolicyMismatchError
        As `find_policy`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> find_players(["pimc(num_worlds=9)"], load_game("kuhn_poker"))
    [PIMC(kuhn_poker, public_weight=0.0, seed=0, num_worlds=9, milliseconds=None, opponents=...)]
    """
    for player in players:
        _check_name(player)
    rules = game.game if isinstance(game, GameTree) else game
    form = cache(lambda: to_form(game, memory=memory, progress=progress))
    model = cache(lambda: search_model(rules))
    given = find_source_form(rules)

    def find(player: str) -> Policy:
        if is_policy_file(player):
            return find_policy(player, form()) if given is None else _of_form(player, given, game)
        return UniformPolicy() if player == UNIFORM else make_searcher(player, model())

    return [find(player) for player in players]


def _of_form(player: str, form: ExtensiveForm, rules: Game | GameTree) -> TabularPolicy:
    """Return the policy of a file by rules that were made of a form: it may be for either."""
    tree = rules if isinstance(rules, GameTree) else build_tree(rules)
    try:
        return transfer_policy(find_policy(player, form.sequence_form), tree)
    except (PolicyFileError, PolicyMismatchError):
        return find_policy(player, tree.sequence_form)


def is_policy_file(player: str) -> bool:
    """Return whether a text is the name of a policy file: one that is there, or looks like it."""
    return player.lower().endswith(FILE_ENDINGS) or Path(player).is_file()


def is_searcher(player: str) -> bool:
    """Return whether a text is meant for a searcher: one that begins with the name of one."""
    return not is_policy_file(player) and player.partition("(")[0].strip().lower() in SEARCHERS


def _check_name(player: str) -> None:
    """Raise unless a text names a player."""
    if is_policy_file(player):
        return
    name, _ = parse_spec(player, kind="player", example=EXAMPLE)
    if name != UNIFORM and name.lower() not in SEARCHERS:
        raise UnknownNameError.of("player", name, [UNIFORM, *SEARCHERS])
