"""Construction of a learner for a user's own loop: checks of its arguments, and its tree."""

from __future__ import annotations

from math import isfinite, nan
from types import NoneType

from infoset.errors import ParameterError
from infoset.forms import InfostateTree
from infoset.learning.learner_spec import Knowledge, LearnerSpec, OnlineLearnerSpec
from infoset.learning.learners import get_learner
from infoset.learning.online.infostate_table import (
    DiscoveredInfostates,
    InfostateTable,
    TreeInfostates,
)
from infoset.learning.online.online_learner import Learner, LearningTask
from infoset.learning.step_sizes import TreeSize, tree_size_of
from infoset.typing import Player
from infoset.utils.arguments import check_count, check_type


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
    """Make a learner of one player for your own loop.

    Parameters
    ----------
    learner
        A name or a spec, such as the result of `get_learner`.
    player
        The player that learns.
    utility_range
        Minimum and maximum utility, in the game's units.
    horizon
        Planned number of episodes, which determines the step sizes.
    tree
        The player's own infostate tree, of a compiled game or from `make_own_tree`. Required by
        learners that know their tree; other learners do not accept it.
    size
        The size of the tree, at least approximately. Required by learners that do not know their
        tree, if their step sizes depend on its size.
    seed
        Random seed of the learner's actions; equal seeds give results that are equal bit for bit.
    game
        Name of the game. `load` rejects checkpoints of other games.

    Raises
    ------
    ParameterError
        If a number is out of range, if the learner needs a simulator, if a required tree or size is
        missing, or if the learner does not accept a tree.

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
    spec = get_learner(learner)
    check_count("player", player)
    check_count("horizon", horizon, minimum=1)
    check_count("seed", seed)
    check_type("game", game, str, "the name of the game")
    check_type("size", size, (TreeSize, NoneType), "TreeSize(infostates=..., ...), or leave it out")
    task = LearningTask(player, _checked_range(utility_range), horizon, seed, game)
    if not isinstance(spec, OnlineLearnerSpec):
        raise ParameterError(_refusal(spec))
    table = _table(spec, player, tree)
    if isinstance(table, TreeInfostates):
        size = tree_size_of(table.infostates, table.depth, 0, game)
    return Learner(spec.name, spec.update_rule(size, horizon), table, task)


def _checked_range(utility_range: tuple[float, float]) -> tuple[float, float]:
    try:
        minimum, maximum = map(float, utility_range)
    except (TypeError, ValueError):
        minimum = maximum = nan
    if not (isfinite(minimum) and isfinite(maximum) and minimum < maximum):
        raise ParameterError(
            f"utility_range={utility_range!r} must be two different finite numbers, the minimum "
            "and the maximum utility, such as (-1, 1)"
        )
    return minimum, maximum


def _refusal(spec: LearnerSpec) -> str:
    """Return a message that explains why a learner cannot be used in a user's own loop."""
    if spec.knowledge is Knowledge.SIMULATOR:
        return (
            f"{spec.name} learns from {Knowledge.SIMULATOR.value}, but in your own loop an episode "
            "is played once: choose a learner that needs no resets, such as ixomd"
        )
    return f"{spec.name} learns in self-play only: choose another learner, such as ixomd"


def _table(spec: OnlineLearnerSpec, player: Player, tree: InfostateTree | None) -> InfostateTable:
    """Return the initial infostates of a learner."""
    if spec.knowledge is Knowledge.NOTHING:
        if tree is not None:
            raise ParameterError(f"{spec.name} discovers infostates in play: leave tree out")
        return DiscoveredInfostates(player)
    if tree is None:
        raise ParameterError(
            f"{spec.name} needs {Knowledge.OWN_TREE.value}: give "
            f"tree=build_tree(game).infostate_trees[{player}] or "
            f"tree=make_own_tree({player}, decisions), or choose a learner that needs no tree, "
            "such as adaptive-ftrl"
        )
    check_type(
        "tree",
        tree,
        InfostateTree,
        "an InfostateTree, such as build_tree(game).infostate_trees[player]",
    )
    if tree.player != player:
        raise ParameterError(
            f"tree is the tree of player {tree.player}, but player={player}: give the tree of "
            f"player {player}"
        )
    return TreeInfostates(tree)
