"""Games in product form: chance moves once at the start, then one agent acts at each stage."""

from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.compact_forms import compact_form, short_market
from infoset.teams.product_form.construction import build_product_form
from infoset.teams.product_form.form import (
    InformationMap,
    Prefix,
    ProductForm,
    Source,
    Team,
    check_form,
    check_information,
    check_team,
    listed,
)
from infoset.teams.product_form.from_functions import product_form_from_functions
from infoset.teams.product_form.perfect_recall import (
    RecallViolation,
    find_recall_violation,
    last_own_edges,
)
from infoset.teams.product_form.reduction import drop_decided, equivalent_nodes, merge_outcomes

__all__ = [
    "InformationMap",
    "Prefix",
    "ProductArrays",
    "ProductForm",
    "RecallViolation",
    "Source",
    "Team",
    "build_product_form",
    "check_form",
    "check_information",
    "check_team",
    "compact_form",
    "drop_decided",
    "equivalent_nodes",
    "find_recall_violation",
    "last_own_edges",
    "listed",
    "merge_outcomes",
    "product_form_from_functions",
    "short_market",
]
