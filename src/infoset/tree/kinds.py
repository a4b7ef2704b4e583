"""Whether what is given is a game in the form that is needed, and if not, what makes one of it."""

from __future__ import annotations

from infoset.checks import check_kind
from infoset.tree.forms.extensive_form import ExtensiveForm
from infoset.tree.game_tree import GameTree
from infoset.tree.sequence_form import SequenceForm

__all__ = ["MAKE_TREE", "check_sequence_form", "check_tree"]

MAKE_TREE = 'infoset.build_tree(infoset.load("kuhn_poker"))'


def check_sequence_form(form: object) -> None:
    """Raise unless a sequence form is given.

    Raises
    ------
    ParameterError
        If something else is, such as a name or a tree; the message says how to make one.
    """
    check_kind("form", form, SequenceForm, f"a SequenceForm, such as {MAKE_TREE}.sequence_form")


def check_tree(game: object) -> None:
    """Raise unless a game as a tree is given.

    Raises
    ------
    ParameterError
        If something else is, such as a name or rules; the message says how to make one.
    """
    check_kind(
        "game", game, (GameTree, ExtensiveForm), f"a GameTree or ExtensiveForm, such as {MAKE_TREE}"
    )
