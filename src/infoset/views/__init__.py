"""What pages show, as plain values: public states, beliefs, differences, plays, runs."""

from infoset.views.belief_views import (
    BeliefView,
    HoldingView,
    PlayerBeliefView,
    view_beliefs,
    view_player_belief,
)
from infoset.views.explorer import Explorer, Opponent, RequestError
from infoset.views.form_views import (
    FormHistoriesView,
    FormHistoryView,
    FormInfostatesView,
    FormInfostateView,
    FormValues,
    view_form_children,
    view_form_history,
    view_form_infostates,
)
from infoset.views.game_view import GameView, MethodView, PolicyView, PotView
from infoset.views.hand_grids import HandCellView, HandGridView, grid_of_hands, view_hand_grid
from infoset.views.leak_views import (
    LeaksView,
    LeakView,
    StateLeaksView,
    StateLeakView,
    view_leaks,
    view_state_leaks,
)
from infoset.views.live_runs import LivePoint, LiveRun
from infoset.views.method_catalog import WatchedMethod, watched_methods
from infoset.views.places import Place, PlaceHistories, Places
from infoset.views.plays import (
    BeliefEntry,
    DecisionView,
    NumberedPlayView,
    OpponentBeliefView,
    Play,
    PlayView,
    ReviewView,
    ThoughtView,
)
from infoset.views.policy_differences import DifferencesView, DifferenceView, view_differences
from infoset.views.policy_matches import MatchView, PositionView, view_match
from infoset.views.public_places import PublicPlaces
from infoset.views.questions import QUESTIONS, Question
from infoset.views.state_views import (
    ActionView,
    ChildrenView,
    HistoriesView,
    HistoryView,
    InfostatesView,
    InfostateView,
    StateLink,
    StateView,
    view_children,
    view_histories,
    view_infostates,
    view_probabilities,
    view_state,
)
from infoset.views.styles import ActionStyle, action_keys, action_styles, styles_of
from infoset.views.tree_places import TreePlaces

__all__ = [
    "QUESTIONS",
    "ActionStyle",
    "ActionView",
    "BeliefEntry",
    "BeliefView",
    "ChildrenView",
    "DecisionView",
    "DifferenceView",
    "DifferencesView",
    "Explorer",
    "FormHistoriesView",
    "FormHistoryView",
    "FormInfostateView",
    "FormInfostatesView",
    "FormValues",
    "GameView",
    "HandCellView",
    "HandGridView",
    "HistoriesView",
    "HistoryView",
    "HoldingView",
    "InfostateView",
    "InfostatesView",
    "LeakView",
    "LeaksView",
    "LivePoint",
    "LiveRun",
    "MatchView",
    "MethodView",
    "NumberedPlayView",
    "Opponent",
    "OpponentBeliefView",
    "Place",
    "PlaceHistories",
    "Places",
    "Play",
    "PlayView",
    "PlayerBeliefView",
    "PolicyView",
    "PositionView",
    "PotView",
    "PublicPlaces",
    "Question",
    "RequestError",
    "ReviewView",
    "StateLeakView",
    "StateLeaksView",
    "StateLink",
    "StateView",
    "ThoughtView",
    "TreePlaces",
    "WatchedMethod",
    "action_keys",
    "action_styles",
    "grid_of_hands",
    "styles_of",
    "view_beliefs",
    "view_children",
    "view_differences",
    "view_form_children",
    "view_form_history",
    "view_form_infostates",
    "view_hand_grid",
    "view_histories",
    "view_infostates",
    "view_leaks",
    "view_match",
    "view_player_belief",
    "view_probabilities",
    "view_state",
    "view_state_leaks",
    "watched_methods",
]
