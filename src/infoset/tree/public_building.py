"""Building the public form of a game: from its public rules, or from its tree."""

from __future__ import annotations

from infoset.forms import PublicForm
from infoset.game import Game
from infoset.tree.build_progress import BuildProgress
from infoset.tree.game_tree import build_tree
from infoset.tree.public_counting import check_public_form_fits, count_public_form
from infoset.tree.public_derivation import derive_public_form
from infoset.tree.public_rules_form import form_of_public_rules, public_rules_of
from infoset.utils.arguments import check_type

__all__ = ["build_public_form"]


def build_public_form(
    game: Game,
    *,
    merge_symmetric: bool = True,
    memory: int | None = None,
    max_worlds: int | None = None,
    max_seconds: float | None = None,
    progress: BuildProgress | None = None,
) -> PublicForm:
    """Build the public form of a two-player game in which everything after the deal is public.

    If the game has public rules (see `PublicRules`), as Leduc poker and liar's dice have, only its
    public states are visited. Otherwise the form is derived from the tree of the game.

    Parameters
    ----------
    game : Game
    merge_symmetric : bool
        Whether to merge lines and hands that differ only by cards which the public rules declare to
        be exchangeable, such as suits. Policies answer for all lines and hands in either case.
    memory : int, optional
        Limit in bytes on building the form and solving it; by default 70% of the free memory.
    max_worlds, max_seconds, progress : optional
        Limits and progress of building the tree, as in `build_tree`.

    Raises
    ------
    UnsupportedGameError
        If something after the deal is not public, as in `derive_public_form`.
    GameTooLargeError
        If the form or the tree would not fit in memory. This is checked before they are built.
    ExplorationLimitError, GameRuleError
        As in `build_tree`, or if the public rules break a rule of `PublicRules`.

    Examples
    --------
    A deck of 100 cards, whose tree has 73 million histories:

    >>> from infoset.games import load_game
    >>> form = build_public_form(load_game("leduc_poker(num_ranks=50)"))
    >>> form.num_hands, form.num_nodes
    ((100, 100), 3011)
    """
    check_type("game", game, Game, 'a game, such as infoset.load("leduc_poker")')
    rules = public_rules_of(game)
    if rules is not None:
        counts = count_public_form(rules, memory, merge_symmetric)
        check_public_form_fits(counts, str(game), memory)
        return form_of_public_rules(game, rules, merge_symmetric)
    tree = build_tree(
        game, memory=memory, max_worlds=max_worlds, max_seconds=max_seconds, progress=progress
    )
    return derive_public_form(tree)
