"""The trade and communication game, a common-payoff game for two players."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import ClassVar, NamedTuple

from infoset.game import Game, Observation, Probability
from infoset.games.parameters import check_parameters, integer
from infoset.typing import JointAction, Player


class Market(NamedTuple):
    """The items by player (empty before the deal), the messages and the offers, in order.

    Messages are dropped when an offer is made, because nothing depends on them afterwards.
    """

    items: tuple[int, ...] = ()
    said: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()


@dataclass(frozen=True)
class TradeComm(Game):
    """Trade and communication: send messages about private items, then make matching offers.

    Each player privately gets an item of a random kind. Player 0 and then player 1 send a public
    message. Then each offers to exchange an item of one kind for an item of another kind, without
    observing the other offer. Both get 1 if each offers its own item for the other player's item,
    and 0 otherwise. At the end, both offers and whether there was a trade become public.

    Parameters
    ----------
    num_items
        Number of kinds of items.
    num_messages
        Number of messages; -1 for one message per kind of item.

    Notes
    -----
    With at least as many messages as kinds of items, the optimal team value is 1. With m messages
    for n > m kinds it is (rn + (m − r)(n − r)) / n², where r is n modulo m. Source: S. Sokota et
    al., "Solving common-payoff games with approximate policy iteration", AAAI 2021. Same game as
    OpenSpiel's.

    Examples
    --------
    >>> from infoset.games import TradeComm
    >>> TradeComm(num_items=2).offers
    ('0:0', '0:1', '1:0', '1:1')
    """

    name: ClassVar[str] = "trade_comm"
    num_players = 2

    num_items: int = integer(10, low=1, high=100)
    num_messages: int = integer(-1, low=1, high=10_000, special=-1, is_addition=True)

    def __post_init__(self) -> None:
        check_parameters(self)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The messages: `say 0`, `say 1` and so on."""
        count = self.num_items if self.num_messages == -1 else self.num_messages
        return tuple(f"say {word}" for word in range(count))

    @cached_property
    def offers(self) -> tuple[str, ...]:
        """The offers, as `give:get`."""
        return tuple(f"{give}:{get}" for give, get in product(range(self.num_items), repeat=2))

    def initial_world(self) -> Market:
        """Return the market before the items are dealt."""
        return Market()

    def actors(self, world: Market) -> Sequence[Player]:
        """Return the player to move; the players alternate until both have made an offer."""
        if not world.items or len(world.offers) == 2:
            return ()
        return ((len(world.said) + len(world.offers)) % 2,)

    def legal_actions(self, world: Market, player: Player) -> Sequence[str]:
        """Return the messages, or the offers once both have sent a message."""
        return self.offers if self._is_trading(world) else self.words

    def transitions(
        self, world: Market, joint_action: JointAction
    ) -> Iterable[tuple[Market, Probability]]:
        """Return the deals of items, or the market after a message or an offer."""
        if not world.items:
            chance = Fraction(1, self.num_items**2)
            items = product(range(self.num_items), repeat=2)
            return [(Market(pair), chance) for pair in items]
        return [(self._after(world, joint_action[p]), 1) for p in self.actors(world)]

    @cached_property
    def utility_range(self) -> tuple[float, float]:
        """Range from 0 without a trade to 1."""
        return (0, 1)

    def rewards(
        self, world: Market, joint_action: JointAction, next_world: Market
    ) -> Sequence[float]:
        """Return 1 for both if there was a trade."""
        return (1, 1) if self._is_traded(next_world) else (0, 0)

    def observe(self, world: Market, joint_action: JointAction, next_world: Market) -> Observation:
        """Show each player its item, both players the messages, and at the end both offers."""
        if not world.items:
            return Observation(private=next_world.items)
        if not next_world.offers:
            return Observation(public=next_world.said[-1])
        if len(next_world.offers) == 1:
            return Observation()
        news = "trade" if self._is_traded(next_world) else "no trade"
        return Observation(public=(*next_world.offers, news))

    def _is_trading(self, world: Market) -> bool:
        return len(world.said) == 2 or bool(world.offers)

    def _is_traded(self, world: Market) -> bool:
        if not world.items:
            return False
        first, second = world.items
        return world.offers == (f"{first}:{second}", f"{second}:{first}")

    def _after(self, world: Market, action: object) -> Market:
        if self._is_trading(world):
            # Messages do not matter any more: without them, there are fewer world states.
            return Market(world.items, (), (*world.offers, str(action)))
        return Market(world.items, (*world.said, str(action)))
