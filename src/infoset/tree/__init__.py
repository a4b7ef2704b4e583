"""World graph, game tree and sequence form: arrays that are derived once from a game's rules."""

from infoset.tree._public_payoff_kernels import PublicPayoffs, public_gradient
from infoset.tree.build_progress import BuildPoint, BuildProgress, BuildStage
from infoset.tree.counting import GameCounts, allowed_memory, check_fits, count_histories
from infoset.tree.encodings import ENCODING_VERSION, InfostateEncoder
from infoset.tree.estimates import HistoryEstimate, estimate_histories
from infoset.tree.exploration import build_world_graph
from infoset.tree.game_tree import GameTree, build_tree, unroll
from infoset.tree.graph_contraction import build_sequence_form, contract_graph, forecast_contraction
from infoset.tree.hand_classes import class_means
from infoset.tree.hand_symmetry import HandSymmetry
from infoset.tree.infostate_tree import InfostateTree, PublicTree
from infoset.tree.limits import BuildLimits, build_limits
from infoset.tree.public_building import build_public_form
from infoset.tree.public_counting import (
    PublicCounts,
    check_public_form_fits,
    count_public_form,
)
from infoset.tree.public_derivation import derive_public_form
from infoset.tree.public_form import (
    GameForm,
    PublicForm,
    PublicSequences,
    PublicTerminals,
    check_form,
    check_public_form,
)
from infoset.tree.public_gradients import (
    public_hand_gradient,
    public_payoffs,
    public_utility_gradient,
    split_public_payoffs,
)
from infoset.tree.public_operators import Dense, Fold, HandPrior, Operator, Showdown
from infoset.tree.public_parts import (
    PublicLeaves,
    PublicTrunk,
    cut_public_form,
    form_below,
    nodes_below,
    sequences_of_nodes,
)
from infoset.tree.public_ranges import check_node, checked_ranges, prior_with_ranges, with_ranges
from infoset.tree.public_reach import chance_reach_of_nodes, unblocked_reach
from infoset.tree.public_rules_check import PublicRulesReport, check_public_rules
from infoset.tree.public_rules_form import public_rules_of
from infoset.tree.saved_graphs import graph_cache
from infoset.tree.sequence_form import (
    CenteredPayoffs,
    SequenceForm,
    TerminalReach,
    Treeplex,
    check_sequence_form,
)
from infoset.tree.state_numbering import StepTable
from infoset.tree.terminal_contraction import common_sum, contract_terminals, merge_reach
from infoset.tree.terminal_values import values_at_terminals
from infoset.tree.world_graph import WorldGraph

__all__ = [
    "ENCODING_VERSION",
    "BuildLimits",
    "BuildPoint",
    "BuildProgress",
    "BuildStage",
    "CenteredPayoffs",
    "Dense",
    "Fold",
    "GameCounts",
    "GameForm",
    "GameTree",
    "HandPrior",
    "HandSymmetry",
    "HistoryEstimate",
    "InfostateEncoder",
    "InfostateTree",
    "Operator",
    "PublicCounts",
    "PublicForm",
    "PublicLeaves",
    "PublicPayoffs",
    "PublicRulesReport",
    "PublicSequences",
    "PublicTerminals",
    "PublicTree",
    "PublicTrunk",
    "SequenceForm",
    "Showdown",
    "StepTable",
    "TerminalReach",
    "Treeplex",
    "WorldGraph",
    "allowed_memory",
    "build_limits",
    "build_public_form",
    "build_sequence_form",
    "build_tree",
    "build_world_graph",
    "chance_reach_of_nodes",
    "check_fits",
    "check_form",
    "check_node",
    "check_public_form",
    "check_public_form_fits",
    "check_public_rules",
    "check_sequence_form",
    "checked_ranges",
    "class_means",
    "common_sum",
    "contract_graph",
    "contract_terminals",
    "count_histories",
    "count_public_form",
    "cut_public_form",
    "derive_public_form",
    "estimate_histories",
    "forecast_contraction",
    "form_below",
    "graph_cache",
    "merge_reach",
    "nodes_below",
    "prior_with_ranges",
    "public_gradient",
    "public_hand_gradient",
    "public_payoffs",
    "public_rules_of",
    "public_utility_gradient",
    "sequences_of_nodes",
    "split_public_payoffs",
    "unblocked_reach",
    "unroll",
    "values_at_terminals",
    "with_ranges",
]
