"""A sealed-bid auction: write the rules, check them, solve the game.

Each bidder knows what the item is worth to it, and bids without seeing the other bid. The higher
bid wins and is paid (a first-price auction); equal bids share the item.

    python examples/own_game.py
    infoset play examples/own_game.py:Auction
"""

from dataclasses import dataclass
from itertools import product

import infoset
from infoset import NOOP, Game, Observation


@dataclass(frozen=True)
class Auction(Game):
    """A first-price auction with two bidders."""

    num_values: int = 4
    num_players = 2

    def initial_world(self):
        """Return the state before the values are drawn."""
        return ()

    def actors(self, world):
        """Let both bid at the same time, once they know their values."""
        return (0, 1) if len(world) == 2 else ()

    def legal_actions(self, world, player):
        """Allow bids of whole numbers, up to the highest value."""
        return range(self.num_values)

    def transitions(self, world, joint_action):
        """Draw a value for each bidder, then take the bids."""
        if not world:
            values = range(1, self.num_values + 1)
            return [(pair, 1 / self.num_values**2) for pair in product(values, repeat=2)]
        return [((*world, joint_action), 1)] if len(world) == 2 else []

    def rewards(self, world, joint_action, next_world):
        """Pay the winner the difference of its value and its bid."""
        if joint_action == (NOOP, NOOP):
            return (0, 0)
        (mine, yours), (first, second) = world, joint_action
        if first == second:
            return ((mine - first) / 2, (yours - second) / 2)
        return (mine - first, 0) if first > second else (0, yours - second)

    def observe(self, world, joint_action, next_world):
        """Tell each bidder its own value, and everybody the bids."""
        if not world:
            return Observation(private={0: next_world[0], 1: next_world[1]})
        return Observation(public=joint_action)


if __name__ == "__main__":
    game = Auction()
    print(infoset.check_game(game))
    result = infoset.solve(game, "cfr+", target=1e-3)  # NashConv, as the game is not zero-sum
    print(result)
    for value in range(1, game.num_values + 1):
        bids = result.policy[f"[{value}]", 0]
        likely = {bid: round(p, 2) for bid, p in bids.items() if p > 0.005}
        print(f"an item worth {value}: bid {likely}")
