"""What pages show, as plain values: public states, infostates, beliefs, differences."""

from infoset.views.policy_differences import DifferencesView, DifferenceView, view_differences
from infoset.views.policy_values import PolicyValues
from infoset.views.state_views import (
    ActionView,
    BeliefView,
    ChildrenView,
    HistoriesView,
    HistoryView,
    InfostatesView,
    InfostateView,
    StateLink,
    StateView,
    view_beliefs,
    view_children,
    view_histories,
    view_infostates,
    view_state,
)

__all__ = [
    "ActionView",
    "BeliefView",
    "ChildrenView",
    "DifferenceView",
    "DifferencesView",
    "HistoriesView",
    "HistoryView",
    "InfostateView",
    "InfostatesView",
    "PolicyValues",
    "StateLink",
    "StateView",
    "view_beliefs",
    "view_children",
    "view_differences",
    "view_histories",
    "view_infostates",
    "view_state",
]
