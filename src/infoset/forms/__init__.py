"""Forms of games: treeplexes with payoffs, from which gradients and values follow."""

from infoset.forms._payoff_kernels import (
    BlockPayoffs,
    TwoPlayerPayoffs,
    block_gradient,
    fill_gradient,
    pair_gradient,
    terminal_gradient,
)
from infoset.forms._public_payoff_kernels import (
    ComposedPayoffs,
    Composition,
    PublicPayoffs,
    collect_gradient,
    expand_plan,
    public_gradient,
)
from infoset.forms._treeplex_kernels import (
    behavior_to_plan,
    best_response_sweep,
    first_invalid,
    normalize_behavior,
    realize_policy,
    widest_plan,
)
from infoset.forms.action_numbers import numbers_by_action, sequences_at
from infoset.forms.correspondence import carry_behavior, sequences_in_tree
from infoset.forms.cut_form import CutForm, LeafFunction, LeafValues, cut
from infoset.forms.derived_members import plan_value, values_of_plans
from infoset.forms.form import AnyForm, Form, FormT, FormTable, PlayerValues, check_form
from infoset.forms.gadget import (
    FOLLOW,
    GADGET_KINDS,
    TERMINATE,
    GadgetForm,
    add_gadget,
    entered_public_form,
)
from infoset.forms.hand_classes import class_means
from infoset.forms.hand_symmetry import Cards, CardSymmetries, Group, HandSymmetry
from infoset.forms.infostate_tree import InfostateTree, PublicTree
from infoset.forms.locked import LockedBehavior, LockedForm, lock, lock_infostates
from infoset.forms.payoff_lists import listed_payoffs
from infoset.forms.payoffs import (
    FormPayoffs,
    block_payoffs,
    common_sum,
    composition_of,
    divided_payoffs,
    midranges,
    no_composition,
    restrict_blocks,
    with_own_results,
)
from infoset.forms.public_form import PublicForm, as_public_form, check_public_form
from infoset.forms.public_operators import MAX_CARDS, Dense, Fold, HandPrior, Operator, Showdown
from infoset.forms.public_parts import (
    PublicLeaves,
    PublicTrunk,
    count_actions,
    cut_public_form,
    form_below,
    nodes_below,
    sequences_of_nodes,
)
from infoset.forms.public_payoff_terms import (
    public_hand_gradient,
    public_payoffs,
    split_public_payoffs,
    terminals_of_terms,
    with_terms,
    with_weights,
)
from infoset.forms.public_ranges import check_node, checked_ranges, prior_with_ranges, with_ranges
from infoset.forms.public_reach import chance_reach_of_nodes, unblocked_reach
from infoset.forms.public_structure import PublicSequences, PublicStructure, PublicTerminals
from infoset.forms.sequence_form import (
    TREE_EXAMPLE,
    UNIT,
    CenteredPayoffs,
    SequenceForm,
    TerminalReach,
    as_sequence_form,
    check_sequence_form,
)
from infoset.forms.terminal_contraction import contract_outcomes, contract_terminals, merge_reach
from infoset.forms.terminal_values import values_at_terminals
from infoset.forms.transform import PlanMap, SideEnds, Transform
from infoset.forms.transformed_form import AddedInfostate, TransformedForm
from infoset.forms.treeplex import Layout, Treeplex, action_major_layout, averaged, is_new

__all__ = [
    "FOLLOW",
    "GADGET_KINDS",
    "MAX_CARDS",
    "TERMINATE",
    "TREE_EXAMPLE",
    "UNIT",
    "AddedInfostate",
    "AnyForm",
    "BlockPayoffs",
    "CardSymmetries",
    "Cards",
    "CenteredPayoffs",
    "ComposedPayoffs",
    "Composition",
    "CutForm",
    "Dense",
    "Fold",
    "Form",
    "FormPayoffs",
    "FormT",
    "FormTable",
    "GadgetForm",
    "Group",
    "HandPrior",
    "HandSymmetry",
    "InfostateTree",
    "Layout",
    "LeafFunction",
    "LeafValues",
    "LockedBehavior",
    "LockedForm",
    "Operator",
    "PlanMap",
    "PlayerValues",
    "PublicForm",
    "PublicLeaves",
    "PublicPayoffs",
    "PublicSequences",
    "PublicStructure",
    "PublicTerminals",
    "PublicTree",
    "PublicTrunk",
    "SequenceForm",
    "Showdown",
    "SideEnds",
    "TerminalReach",
    "Transform",
    "TransformedForm",
    "Treeplex",
    "TwoPlayerPayoffs",
    "action_major_layout",
    "add_gadget",
    "as_public_form",
    "as_sequence_form",
    "averaged",
    "behavior_to_plan",
    "best_response_sweep",
    "block_gradient",
    "block_payoffs",
    "carry_behavior",
    "chance_reach_of_nodes",
    "check_form",
    "check_node",
    "check_public_form",
    "check_sequence_form",
    "checked_ranges",
    "class_means",
    "collect_gradient",
    "common_sum",
    "composition_of",
    "contract_outcomes",
    "contract_terminals",
    "count_actions",
    "cut",
    "cut_public_form",
    "divided_payoffs",
    "entered_public_form",
    "expand_plan",
    "fill_gradient",
    "first_invalid",
    "form_below",
    "is_new",
    "listed_payoffs",
    "lock",
    "lock_infostates",
    "merge_reach",
    "midranges",
    "no_composition",
    "nodes_below",
    "normalize_behavior",
    "numbers_by_action",
    "pair_gradient",
    "plan_value",
    "prior_with_ranges",
    "public_gradient",
    "public_hand_gradient",
    "public_payoffs",
    "realize_policy",
    "restrict_blocks",
    "sequences_at",
    "sequences_in_tree",
    "sequences_of_nodes",
    "split_public_payoffs",
    "terminal_gradient",
    "terminals_of_terms",
    "unblocked_reach",
    "values_at_terminals",
    "values_of_plans",
    "widest_plan",
    "with_own_results",
    "with_ranges",
    "with_terms",
    "with_weights",
]
