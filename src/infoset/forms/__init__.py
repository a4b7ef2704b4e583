"""Forms of games: treeplexes with payoffs, from which gradients and values follow."""

from infoset.forms._payoff_kernels import (
    BlockPayoffs,
    TwoPlayerPayoffs,
    block_gradient,
    fill_gradient,
    pair_gradient,
    terminal_gradient,
)
from infoset.forms._plan_kernels import (
    behavior_to_plan,
    first_invalid,
    normalize_behavior,
    realize_policy,
    widest_plan,
)
from infoset.forms._public_payoff_kernels import PublicPayoffs, public_gradient
from infoset.forms.hand_classes import class_means
from infoset.forms.hand_symmetry import Cards, CardSymmetries, Group, HandSymmetry
from infoset.forms.infostate_tree import InfostateTree, PublicTree
from infoset.forms.layout import (
    Layout,
    action_major_layout,
    averaged,
    game_layouts,
    is_new,
    public_states,
)
from infoset.forms.payoffs import block_payoffs, payoffs_by_player, restrict_blocks
from infoset.forms.public_form import (
    GameForm,
    PublicForm,
    PublicSequences,
    PublicTerminals,
    check_form,
    check_public_form,
)
from infoset.forms.public_operators import MAX_CARDS, Dense, Fold, HandPrior, Operator, Showdown
from infoset.forms.public_parts import (
    PublicLeaves,
    PublicTrunk,
    cut_public_form,
    form_below,
    nodes_below,
    sequences_of_nodes,
)
from infoset.forms.public_payoff_terms import (
    public_hand_gradient,
    public_payoffs,
    public_utility_gradient,
    split_public_payoffs,
    with_own_results,
)
from infoset.forms.public_ranges import check_node, checked_ranges, prior_with_ranges, with_ranges
from infoset.forms.public_reach import chance_reach_of_nodes, unblocked_reach
from infoset.forms.sequence_form import (
    TREE_EXAMPLE,
    UNIT,
    CenteredPayoffs,
    SequenceForm,
    TerminalReach,
    check_sequence_form,
)
from infoset.forms.terminal_contraction import (
    common_sum,
    contract_outcomes,
    contract_terminals,
    merge_reach,
    midranges,
)
from infoset.forms.terminal_values import values_at_terminals
from infoset.forms.treeplex import Treeplex

__all__ = [
    "MAX_CARDS",
    "TREE_EXAMPLE",
    "UNIT",
    "BlockPayoffs",
    "CardSymmetries",
    "Cards",
    "CenteredPayoffs",
    "Dense",
    "Fold",
    "GameForm",
    "Group",
    "HandPrior",
    "HandSymmetry",
    "InfostateTree",
    "Layout",
    "Operator",
    "PublicForm",
    "PublicLeaves",
    "PublicPayoffs",
    "PublicSequences",
    "PublicTerminals",
    "PublicTree",
    "PublicTrunk",
    "SequenceForm",
    "Showdown",
    "TerminalReach",
    "Treeplex",
    "TwoPlayerPayoffs",
    "action_major_layout",
    "averaged",
    "behavior_to_plan",
    "block_gradient",
    "block_payoffs",
    "chance_reach_of_nodes",
    "check_form",
    "check_node",
    "check_public_form",
    "check_sequence_form",
    "checked_ranges",
    "class_means",
    "common_sum",
    "contract_outcomes",
    "contract_terminals",
    "cut_public_form",
    "fill_gradient",
    "first_invalid",
    "form_below",
    "game_layouts",
    "is_new",
    "merge_reach",
    "midranges",
    "nodes_below",
    "normalize_behavior",
    "pair_gradient",
    "payoffs_by_player",
    "prior_with_ranges",
    "public_gradient",
    "public_hand_gradient",
    "public_payoffs",
    "public_states",
    "public_utility_gradient",
    "realize_policy",
    "restrict_blocks",
    "sequences_of_nodes",
    "split_public_payoffs",
    "terminal_gradient",
    "unblocked_reach",
    "values_at_terminals",
    "widest_plan",
    "with_own_results",
    "with_ranges",
]
