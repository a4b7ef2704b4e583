"""The table of questions that a page can ask, with their arguments and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from infoset.views.form_views import FormHistoriesView, FormInfostatesView
from infoset.views.game_view import GameView
from infoset.views.hand_grids import HandGridView
from infoset.views.plays import NumberedPlayView, OpponentBeliefView, ReviewView
from infoset.views.policy_differences import DifferencesView
from infoset.views.policy_matches import MatchView
from infoset.views.state_views import (
    BeliefView,
    ChildrenView,
    HistoriesView,
    InfostatesView,
    StateView,
)

__all__ = ["QUESTIONS", "Question"]


@dataclass(frozen=True)
class Question:
    """A question: the dataclass of its answer, and its arguments, all of them whole numbers."""

    answer: type
    arguments: tuple[str, ...] = ()
    optional: frozenset[str] = frozenset()


START: Final = frozenset({"start"})

QUESTIONS: Final[Mapping[str, Question]] = {
    "game": Question(GameView),
    "state": Question(StateView, ("policy", "state")),
    "children": Question(ChildrenView, ("policy", "state", "start"), START),
    "infostates": Question(InfostatesView, ("policy", "state", "player", "start"), START),
    "hands": Question(HandGridView, ("policy", "state", "player")),
    "beliefs": Question(BeliefView, ("policy", "state", "row", "column")),
    "histories": Question(HistoriesView, ("policy", "state", "start"), START),
    "differences": Question(DifferencesView, ("first", "second", "start"), START),
    "match": Question(MatchView, ("first", "second")),
    "form_history": Question(FormHistoriesView, ("policy", "history")),
    "form_children": Question(FormHistoriesView, ("policy", "history", "start"), START),
    "form_infostates": Question(FormInfostatesView, ("policy", "player", "start"), START),
    "play": Question(NumberedPlayView, ("opponent", "player", "seed")),
    "act": Question(NumberedPlayView, ("play", "action")),
    "review": Question(ReviewView, ("play", "policy"), frozenset({"policy"})),
    "opponent_belief": Question(OpponentBeliefView, ("play", "thought")),
}
