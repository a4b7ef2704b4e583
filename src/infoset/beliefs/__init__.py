"""Ranges, public belief states and subgames: what is known in the middle of a game."""

from infoset.beliefs._names import find_public_state
from infoset.beliefs.belief import Belief
from infoset.beliefs.consistent import private_belief, public_belief
from infoset.beliefs.leaks import Leak, find_leak
from infoset.beliefs.membership import (
    is_closed_under_infosets,
    subgame_by_closure,
    subgame_by_histories,
    subgame_by_infosets,
    subgame_by_public_sets,
)
from infoset.beliefs.part_forms import counterfactual_form, counterfactual_values, value_form
from infoset.beliefs.player_ranges import ranges
from infoset.beliefs.public_belief_state import PublicBeliefState
from infoset.beliefs.public_private import PublicPrivateBelief, PublicWeight
from infoset.beliefs.subgame_rules import SubgameWorld, value_subgame
from infoset.beliefs.tree_cut import TreeCut, cut_tree
from infoset.beliefs.tree_part import PartEnds, TreePart

__all__ = [
    "Belief",
    "Leak",
    "PartEnds",
    "PublicBeliefState",
    "PublicPrivateBelief",
    "PublicWeight",
    "SubgameWorld",
    "TreeCut",
    "TreePart",
    "counterfactual_form",
    "counterfactual_values",
    "cut_tree",
    "find_leak",
    "find_public_state",
    "is_closed_under_infosets",
    "private_belief",
    "public_belief",
    "ranges",
    "subgame_by_closure",
    "subgame_by_histories",
    "subgame_by_infosets",
    "subgame_by_public_sets",
    "value_form",
    "value_subgame",
]
