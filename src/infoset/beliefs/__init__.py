"""Ranges, beliefs, public belief states and subgames."""

from infoset.beliefs.assumed_policies import MODEL_NOISE
from infoset.beliefs.belief import Belief
from infoset.beliefs.decomposition import (
    PartEnds,
    TreeCut,
    TreePart,
    cut_tree,
    part_between,
)
from infoset.beliefs.hand_beliefs import hand_belief
from infoset.beliefs.history_sets import HistorySet
from infoset.beliefs.history_sources import MAX_WORLDS, NUM_SAMPLES
from infoset.beliefs.leak_test import Leak, find_leak
from infoset.beliefs.local_parts import LocalPart, local_part
from infoset.beliefs.posterior_beliefs import (
    PublicPrivateBelief,
    PublicWeight,
    private_belief,
    public_belief,
)
from infoset.beliefs.public_belief_state import PublicBeliefState, find_public_state, ranges
from infoset.beliefs.subgames import (
    SubgameWorld,
    counterfactual_form,
    counterfactual_values,
    is_closed_under_infosets,
    subgame_by_closure,
    subgame_by_histories,
    subgame_by_infosets,
    subgame_by_public_sets,
    value_form,
    value_subgame,
)

__all__ = [
    "MAX_WORLDS",
    "MODEL_NOISE",
    "NUM_SAMPLES",
    "Belief",
    "HistorySet",
    "Leak",
    "LocalPart",
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
    "hand_belief",
    "is_closed_under_infosets",
    "local_part",
    "part_between",
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
