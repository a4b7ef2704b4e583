"""Learners by name or row, for loops of one's own."""

from __future__ import annotations

from math import isfinite, nan
from types import NoneType

from infoset.errors import ParameterError
from infoset.learning.learner_spec import Knowledge, LearnerSpec, OnlineLearnerSpec
from infoset.learning.learners import get_learner
from infoset.learning.online.infostates import InfostateTable
from infoset.learning.online.learner import Learner
from infoset.learning.online.met import DiscoveredInfostates
from infoset.learning.online.own_tree import TreeInfostates
from infoset.learning.online.terms import Terms
from infoset.learning.step_sizes import TreeSize, tree_size_of
from infoset.tree import InfostateTree
from infoset.typing import Player
from infoset.utils.arguments import check_count, check_type

__all__ = ["make_learner"]


def make_learner(
    learner: str | LearnerSpec,
    *,
    player: Player,
    utility_range: tuple[float, float],
    horizon: int,
    tree: InfostateTree | None = None,
    size: TreeSize | None = None,
    seed: int = 0,
    game: str = "",
) -> Learner:
    """Return a learner of one player, to be driven by a loop of your own.

    Parameters
    ----------
    learner : str or LearnerSpec
        A name, or a row such as `get_learner` returns.
    player : Player
        The seat that it learns for.
    utility_range : tuple[float, float]
        Least and greatest utility there can be, in the game's units.
    horizon : int
        How many episodes are meant: step sizes go by it.
    tree : InfostateTree, optional
        The player's own tree, without payoffs and probabilities, for learners that know it, and
        only for them: of a compiled game, or from `make_own_tree`.
    size : TreeSize, optional
        How large the tree is, at least about, for learners that know nothing and yet go by it.
    seed : int
        Of its actions: the same seed gives the same bits.
    game : str
        What the game is called: checkpoints of another are refused.

    Raises
    ------
    UnknownNameError
        If there is no learner of that name.
    ParameterError
        If a number is none, or out of range; if the learner needs a simulator; if it needs a
        tree or the size of one and has none, or is given what it may not know.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker"))
    >>> learner = make_learner(
    ...     "balanced-omd",
    ...     player=0,
    ...     utility_range=(-2, 2),
    ...     horizon=1000,
    ...     tree=kuhn.infostate_trees[0],
    ... )
    >>> learner.act("[K]") in ("pass", "bet")
    True
    """
    row = get_learner(learner)
    check_count("player", player)
    check_count("horizon", horizon, minimum=1)
    check_count("seed", seed)
    check_type("game", game, str, "the name of the game")
    check_type("size", size, (TreeSize, NoneType), "TreeSize(infostates=..., ...), or leave it out")
    terms = Terms(player, _checked_range(utility_range), horizon, seed, game)
    if not isinstance(row, OnlineLearnerSpec):
        raise ParameterError(_refusal(row))
    table = _table(row, player, tree)
    if isinstance(table, TreeInfostates):
        size = tree_size_of(table.infostates, table.depth, 0, game)
    return Learner(row.name, row.update_rule(size, horizon), table, terms)


def _checked_range(utility_range: tuple[float, float]) -> tuple[float, float]:
    try:
        least, greatest = map(float, utility_range)
    except (TypeError, ValueError):
        least = greatest = nan
    if not (isfinite(least) and isfinite(greatest) and least < greatest):
        raise ParameterError(
            f"utility_range={utility_range!r} must be two finite numbers, the least utility there "
            "can be and the greatest, such as (-1, 1)"
        )
    return least, greatest


def _refusal(row: LearnerSpec) -> str:
    """Say why a learner cannot be driven from outside."""
    if row.knowledge is Knowledge.SIMULATOR:
        return (
            f"{row.name} learns from {Knowledge.SIMULATOR.value}, and in a loop of your own an "
            "episode is played once: choose a learner from episodes, such as ixomd"
        )
    return f"{row.name} learns in self-play only: choose another learner, such as ixomd"


def _table(row: OnlineLearnerSpec, player: Player, tree: InfostateTree | None) -> InfostateTable:
    """Return the infostates that a learner begins with."""
    if row.knowledge is Knowledge.NOTHING:
        if tree is not None:
            raise ParameterError(f"{row.name} learns infostates as they appear: leave tree out")
        return DiscoveredInfostates(player)
    if tree is None:
        raise ParameterError(
            f"{row.name} goes by {Knowledge.OWN_TREE.value}: give tree, such as "
            f"build_tree(game).infostate_trees[{player}] or make_own_tree({player}, decisions); or "
            "choose a learner that needs to know nothing, such as adaptive-ftrl"
        )
    check_type("tree", tree, InfostateTree, "an InfostateTree, as a GameTree has for each player")
    if tree.player != player:
        raise ParameterError(f"tree is that of player {tree.player}, and player={player}")
    return TreeInfostates(tree)
