"""Product forms of games whose histories are too many, without what is already decided."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from typing import Final

from infoset.game import Game
from infoset.game.player_names import shown_names
from infoset.games import TradeComm
from infoset.teams.product_form.form import ProductForm
from infoset.teams.product_form.from_functions import Actions, product_form_from_functions
from infoset.typing import Action

MAX_HISTORIES: Final = 10_000_000
"""Number of complete plays up to which games are built from their rules."""


def compact_form(game: Game) -> ProductForm | None:
    """Return the product form of a game whose histories are too many to build, if it is known.

    Play ends as soon as its payoff is decided, so the form has the same optimal policies. It has no
    tree of histories; a policy for it cannot be converted to a table for the game.

    Returns
    -------
    ProductForm or None
        Trade and communication with more than `MAX_HISTORIES` complete plays; None for other games.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> compact_form(load_game("trade_comm(num_items=8)")).num_nodes
    8768
    >>> compact_form(load_game("trade_comm(num_items=5)")) is None
    True
    """
    if not isinstance(game, TradeComm):
        return None
    num_plays = game.num_items**6 * len(game.words) ** 2
    return short_market(game) if num_plays > MAX_HISTORIES else None


def short_market(game: TradeComm, *, remembers_words: bool = True) -> ProductForm:
    """Return trade and communication in product form, ending at the first wrong offer.

    After a wrong offer nothing can be won, so that no agent acts. With n items and as many words
    there are n² + n³ + 2 n⁴ nodes; the full game with ten items has 10⁸ complete plays.

    Parameters
    ----------
    remembers_words
        Whether an agent remembers its own word, as in the game.

    Examples
    --------
    >>> short_market(TradeComm(num_items=2)).num_nodes
    44
    """
    items, words, offers = range(game.num_items), game.words, game.offers
    deals = tuple(product(items, repeat=2))

    def agent(deal: Hashable, actions: Actions) -> int | None:
        over = len(actions) == 4 or (len(actions) == 3 and actions[2] != _fitting(deal, 0))
        return None if over else len(actions) % 2

    def reward(deal: Hashable, actions: Actions) -> tuple[int, int]:
        traded = len(actions) == 4 and actions[3] == _fitting(deal, 1)
        return (1, 1) if traded else (0, 0)

    def information(deal: Hashable, actions: Actions) -> Hashable:
        known = actions[:2] if remembers_words else _heard(actions)
        return _item(deal, len(actions) % 2), known

    return product_form_from_functions(
        {deal: Fraction(1, len(deals)) for deal in deals},
        agent_names=shown_names(game),
        num_stages=4,
        agent=agent,
        legal_actions=lambda deal, actions: words if len(actions) < 2 else offers,
        information=information,
        reward=reward,
        private_signals=lambda deal: (_item(deal, 0), _item(deal, 1)),
        name=str(game),
    )


def _item(deal: Hashable, agent: int) -> int:
    assert isinstance(deal, tuple)
    item: int = deal[agent]
    return item


def _fitting(deal: Hashable, agent: int) -> Action:
    """Return the offer to exchange the agent's own item for the other agent's item."""
    return f"{_item(deal, agent)}:{_item(deal, 1 - agent)}"


def _heard(actions: Actions) -> Action | None:
    """Return the word of the other agent, if it has spoken."""
    # By the number of actions: nothing, then the word of agent 0, of agent 1, and of agent 0.
    return (None, *actions[:1], *actions[1:2], *actions[:1])[len(actions)]
