"""Re-solving: parts of a game are solved again, alone or at each decision during play."""

from infoset.resolving.cfr_d import Decomposition, DecompositionSolver, solve_by_decomposition
from infoset.resolving.continual_resolving import ContinualResolving, DepthLimitedSearch
from infoset.resolving.continuation_values import ContinuationValues, ExactContinuationValues
from infoset.resolving.gadgets import GADGETS, Gadget, entered_form, gadget_form
from infoset.resolving.leaf_rules import LEAF_RULES, LeafRule
from infoset.resolving.lookahead import Lookahead
from infoset.resolving.opponent_values import (
    OPPONENT_VALUES,
    accumulated_gifts,
    best_response_values,
    gifts_of_hands,
    mean_values,
)
from infoset.resolving.public_part import PublicPart
from infoset.resolving.public_resolver import PublicResolver
from infoset.resolving.public_resolving import PublicResolution, resolve_public_subgame
from infoset.resolving.public_subgames import PublicSubgame, public_subgame
from infoset.resolving.range_values import Ranges, RangeValues, ResponseValues
from infoset.resolving.resolution import Resolution, ResolvingRecord, ResolvingSettings
from infoset.resolving.rollout_values import RolloutContinuationValues
from infoset.resolving.rules_resolver import RulesResolver
from infoset.resolving.subgame_solutions import (
    SubgameRegret,
    SubgameSolver,
    resolve_subgames,
    solve_subgames,
)
from infoset.resolving.tree_resolver import TreeResolver

__all__ = [
    "GADGETS",
    "LEAF_RULES",
    "OPPONENT_VALUES",
    "ContinualResolving",
    "ContinuationValues",
    "Decomposition",
    "DecompositionSolver",
    "DepthLimitedSearch",
    "ExactContinuationValues",
    "Gadget",
    "LeafRule",
    "Lookahead",
    "PublicPart",
    "PublicResolution",
    "PublicResolver",
    "PublicSubgame",
    "RangeValues",
    "Ranges",
    "Resolution",
    "ResolvingRecord",
    "ResolvingSettings",
    "ResponseValues",
    "RolloutContinuationValues",
    "RulesResolver",
    "SubgameRegret",
    "SubgameSolver",
    "TreeResolver",
    "accumulated_gifts",
    "best_response_values",
    "entered_form",
    "gadget_form",
    "gifts_of_hands",
    "mean_values",
    "public_subgame",
    "resolve_public_subgame",
    "resolve_subgames",
    "solve_by_decomposition",
    "solve_subgames",
]
