"""Making the product form of a game: of its rules, its tree, or an extensive form."""

from __future__ import annotations

from infoset.efg import ExtensiveForm
from infoset.errors import UnsupportedGameError
from infoset.game import Game
from infoset.teams.product_form.assembling import assemble_arrays, lay_out
from infoset.teams.product_form.chance import draw_all
from infoset.teams.product_form.form import ProductForm, Source
from infoset.teams.product_form.histories import Histories, histories_of_form, histories_of_tree
from infoset.teams.product_form.outcome_names import OutcomeNames
from infoset.teams.product_form.shown import shown_alone
from infoset.teams.product_form.unfolding import make_nodes, unfold
from infoset.tree import GameTree, build_tree
from infoset.typing import NOOP
from infoset.utils.arguments import check_count, check_type
from infoset.utils.sorting import number_by_appearance

__all__ = ["product_form"]

MAX_NODES = 20_000_000
MAX_STAGES = 1000


def product_form(
    game: Game | GameTree | ExtensiveForm,
    *,
    max_nodes: int = MAX_NODES,
    max_stages: int = MAX_STAGES,
) -> ProductForm:
    """Return the product form of a game: chance once at the start, then one agent per stage.

    Each draw of chance is made at the start, by a number that says what it will be in any
    history; agents who act at once choose one after another, unseen. What agents know when they
    act is what they know in the game, own actions included. What policies are worth stays the
    same.

    Parameters
    ----------
    game : Game, GameTree or ExtensiveForm
    max_nodes : int
        Largest number of histories allowed, those of all outcomes of chance together.
    max_stages : int
        Largest number of stages allowed.

    Raises
    ------
    GameTooLargeError
        If it would have more histories.
    UnsupportedGameError
        If nobody ever acts, if there are more stages, or if an extensive form has none.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.games import load_game
    >>> form = product_form(load_game("trade_comm(num_items=2)"))
    >>> np.diff(form.arrays.first_node).tolist()
    [4, 8, 16, 64]
    """
    check_type(
        "game",
        game,
        (Game, GameTree, ExtensiveForm),
        'rules, such as infoset.load("trade_comm"), or a tree',
    )
    check_count("max_nodes", max_nodes, minimum=1)
    check_count("max_stages", max_stages, minimum=1)
    tree = build_tree(game) if isinstance(game, Game) else game
    histories = _histories(tree)
    outcomes = draw_all(histories, max_nodes)
    plays = unfold(histories, outcomes, max_nodes)
    nodes = make_nodes(histories, plays)
    layout = lay_out(histories, plays, nodes, max_stages, str(tree))
    order = layout.order
    history = plays.history[nodes.row][order]
    return ProductForm(
        name=str(tree),
        agent_names=tuple(f"player {player}" for player in range(histories.num_agents)),
        arrays=assemble_arrays(histories, outcomes, plays, nodes, layout),
        outcomes=OutcomeNames(tree, histories, outcomes.draws),
        outcome=plays.outcome[nodes.row][order],
        action_sets=(*histories.action_sets, (NOOP,)),
        action_set=nodes.action_set[order],
        original=number_by_appearance(layout.cell[order]),
        shown=shown_alone(tree)[history] if isinstance(tree, GameTree) else None,
        source=Source(tree, history, layout.infostate[order]),
    )


def _histories(tree: GameTree | ExtensiveForm) -> Histories:
    if isinstance(tree, ExtensiveForm):
        histories = histories_of_form(tree)
    else:
        histories = histories_of_tree(tree)
    if (histories.action_set < 0).all():
        raise UnsupportedGameError(f"in {tree} nobody ever acts, so there is nothing to decide")
    return histories
