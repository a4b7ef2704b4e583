"""Games with chance once at the start, then one agent at each stage."""

from infoset.teams.product_form.arrays import ProductArrays
from infoset.teams.product_form.form import Prefix, ProductForm, Source, check_form
from infoset.teams.product_form.making import product_form
from infoset.teams.product_form.reducing import drop_decided, equivalent_nodes, merge_outcomes

__all__ = [
    "Prefix",
    "ProductArrays",
    "ProductForm",
    "Source",
    "check_form",
    "drop_decided",
    "equivalent_nodes",
    "merge_outcomes",
    "product_form",
]
