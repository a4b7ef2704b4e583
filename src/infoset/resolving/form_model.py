"""A form as the game that a re-solving search reads."""

from __future__ import annotations

from infoset.forms import Form
from infoset.game import Game, Infostate
from infoset.tree import GameTree
from infoset.typing import Action


class FormModel:
    """The game of a re-solving search, given as a form; see `infoset.runs.searcher.SearchedGame`.

    Parameters
    ----------
    tree
        The tree of the form.
    """

    is_compiled = True

    def __init__(self, form: Form, tree: GameTree | None = None) -> None:
        self.form, self.tree = form, tree
        self.game: Game | str = form.name if tree is None else tree.game
        self.num_players = form.num_players

    def legal_actions(self, infostate: Infostate) -> tuple[Action, ...]:
        """Return the legal actions at an infostate at which its player acts.

        Raises
        ------
        UnknownNameError
            If no play leads to the infostate, or its player does not act there.
        """
        return self.form.actions_at(infostate.player, self.form.find(infostate))

    require_legal_actions = legal_actions
