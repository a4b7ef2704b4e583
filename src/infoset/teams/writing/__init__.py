"""Games in product form that are written down as functions on prefixes."""

from infoset.teams.writing.making import make_product_form

__all__ = ["make_product_form"]
