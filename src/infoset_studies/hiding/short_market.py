"""Trade and communication that ends at the first wrong offer, for sizes whose tree is too large."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import product

from infoset.teams import ProductForm, product_form_from_functions
from infoset.typing import Action

__all__ = ["short_market"]


def short_market(num_items: int) -> ProductForm:
    """Return the game with as many words as items, in product form.

    After a wrong offer nothing can be won: nobody chooses then. With n items there are
    n² + n³ + 2 n⁴ nodes; the whole game with ten has 10⁸ histories. Nobody remembers what it said.

    Parameters
    ----------
    num_items : int

    Examples
    --------
    >>> short_market(2).num_nodes
    44
    """
    words = tuple(f"say {word}" for word in range(num_items))
    offers = tuple(f"{give}:{get}" for give, get in product(range(num_items), repeat=2))
    deals = tuple(product(range(num_items), repeat=2))

    def agent(deal: Hashable, actions: tuple[Action, ...]) -> int | None:
        over = len(actions) == 4 or (len(actions) == 3 and actions[2] != _fitting(deal, 0))
        return None if over else len(actions) % 2

    def reward(deal: Hashable, actions: tuple[Action, ...]) -> tuple[int, int]:
        traded = len(actions) == 4 and actions[3] == _fitting(deal, 1)
        return (1, 1) if traded else (0, 0)

    return product_form_from_functions(
        {deal: Fraction(1, len(deals)) for deal in deals},
        agent_names=("player 0", "player 1"),
        num_stages=4,
        agent=agent,
        legal_actions=lambda deal, actions: words if len(actions) < 2 else offers,
        information=lambda deal, actions: (_item(deal, len(actions) % 2), _heard(actions)),
        reward=reward,
        private_signals=lambda deal: (_item(deal, 0), _item(deal, 1)),
        name=f"short market with {num_items} items",
    )


def _item(deal: Hashable, agent: int) -> int:
    assert isinstance(deal, tuple)
    item: int = deal[agent]
    return item


def _fitting(deal: Hashable, agent: int) -> Action:
    """Return the offer to give the own item for the other's."""
    return f"{_item(deal, agent)}:{_item(deal, 1 - agent)}"


def _heard(actions: tuple[Action, ...]) -> Action | None:
    """Return the word that the other has said, if it has."""
    return (None, *actions[:1], *actions[1:2], *actions[:1])[len(actions)]
