"""Product forms that take a second to build, shared by tests."""

from __future__ import annotations

from functools import cache

from infoset.games import load_game
from infoset.teams import ProductForm, build_product_form


@cache
def tiny_bridge_form() -> ProductForm:
    """Return the product form of abstracted tiny bridge."""
    return build_product_form(load_game("tiny_bridge_2p(abstracted=true)"))
