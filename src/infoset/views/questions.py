"""The table of questions that a page can ask, with their arguments, answers and views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from infoset.views.belief_views import (
    BeliefView,
    PlayerBeliefView,
    view_beliefs,
    view_player_belief,
)
from infoset.views.form_views import (
    FormHistoriesView,
    FormInfostatesView,
    view_form_children,
    view_form_history,
    view_form_infostates,
)
from infoset.views.game_view import GameView
from infoset.views.hand_grids import HandGridView, view_hand_grid
from infoset.views.leak_views import (
    LeaksView,
    StateLeaksView,
    view_leaks,
    view_state_leaks,
)
from infoset.views.mend_views import MendView
from infoset.views.places import Places
from infoset.views.plays import NumberedPlayView, OpponentBeliefView, ReviewView
from infoset.views.policy_differences import DifferencesView, view_differences
from infoset.views.policy_matches import MatchView, view_match
from infoset.views.state_views import (
    ChildrenView,
    HistoriesView,
    InfostatesView,
    StateView,
    view_children,
    view_histories,
    view_infostates,
    view_state,
)

SOURCES: Final = ("policy", "first", "second")
"""Arguments that are positions of policies; views receive the policies in their place."""

_PLAYS: Final[Literal["plays"]] = "plays"


@dataclass(frozen=True)
class Question:
    """A question, whose arguments are whole numbers."""

    answer: type
    """The dataclass of the answer."""
    arguments: tuple[str, ...] = ()
    view: Callable[..., Any] | None = None
    """The function that answers it: policies in a game come first, then the other arguments by
    name. None where the explorer itself answers."""
    optional: frozenset[str] = frozenset()
    needs: Literal["", "places", "histories", "plays"] = "places"
    """What the game of the explorer must have: public states, histories of an extensive form, or
    rules and opponents to play against."""


def _match(first: Places, second: Places) -> MatchView:
    return view_match(first.policy, second.policy)


def _page(answer: type, view: Callable[..., Any], *arguments: str) -> Question:
    """Return a question whose answer is a part of a list, from an entry `start` on."""
    return Question(answer, (*arguments, "start"), view, frozenset({"start"}))


def _of_form(answer: type, view: Callable[..., Any], *arguments: str) -> Question:
    """Return a question about an extensive form."""
    optional = frozenset({"start"} & {*arguments})
    return Question(answer, arguments, view, optional, needs="histories")


QUESTIONS: Final[Mapping[str, Question]] = {
    "game": Question(GameView, needs=""),
    "state": Question(StateView, ("policy", "state"), view_state),
    "children": _page(ChildrenView, view_children, "policy", "state"),
    "infostates": _page(InfostatesView, view_infostates, "policy", "state", "player"),
    "hands": Question(HandGridView, ("policy", "state", "player"), view_hand_grid),
    "beliefs": Question(BeliefView, ("policy", "state", "row", "column"), view_beliefs),
    "player_belief": Question(
        PlayerBeliefView, ("policy", "state", "player", "infostate", "other"), view_player_belief
    ),
    "histories": _page(HistoriesView, view_histories, "policy", "state"),
    "state_leaks": _page(StateLeaksView, view_state_leaks, "policy"),
    "leaks": _page(LeaksView, view_leaks, "policy"),
    "mend": Question(MendView, ("policy", "state")),
    "differences": _page(DifferencesView, view_differences, "first", "second"),
    "match": Question(MatchView, ("first", "second"), _match),
    "form_history": _of_form(FormHistoriesView, view_form_history, "policy", "history"),
    "form_children": _of_form(FormHistoriesView, view_form_children, "policy", "history", "start"),
    "form_infostates": _of_form(
        FormInfostatesView, view_form_infostates, "policy", "player", "start"
    ),
    "play": Question(NumberedPlayView, ("opponent", "player", "seed"), needs=_PLAYS),
    "act": Question(NumberedPlayView, ("play", "action"), needs=_PLAYS),
    "again": Question(NumberedPlayView, ("play", "step", "seed"), needs=_PLAYS),
    "review": Question(ReviewView, ("play", "policy"), None, frozenset({"policy"}), _PLAYS),
    "opponent_belief": Question(OpponentBeliefView, ("play", "thought"), needs=_PLAYS),
}
