"""Random two-player games in which everything after the deal is public, or almost everything."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations, product
from random import Random

from infoset.game import Game, Observation

VIOLATIONS = ("private", "hidden", "legal", "simultaneous", "turn")
"""What breaks the conditions of a public form; see `RandomPublicGame`."""


@dataclass(frozen=True)
class Line:
    """What happens at a public line: who moves, and how many choices there are.

    `kind` is "decision", "board" (a card is dealt), "coin" or "end".
    """

    kind: str
    player: int = 0
    choices: int = 0


@dataclass(frozen=True)
class RandomPublicGame(Game):
    """A random game, determined by its seed.

    Hands have no, one or two cards of a common deck; their prior is a product, or random for each
    pair. Later chance deals public cards, which are not in a hand, with equal or unequal weights,
    or flips public coins. Payoffs depend on the line only, on strengths, on pairs, or on hidden
    chance; they sum to zero, to a constant, or to anything. An end may reveal the hands.

    `violation`, at the first decision: "private": a player privately sees a coin after its action;
    "hidden": the action is not seen; "legal": the number of actions depends on the hand;
    "simultaneous": both players act; "turn": who acts depends on a signal that both see in private.
    """

    seed: int = 0
    violation: str = ""
    max_depth: int = 4

    name = "random_public_game"
    num_players = 2

    def parameters(self):
        return {"seed": self.seed, "violation": self.violation, "max_depth": self.max_depth}

    def random(self, *key) -> Random:
        return Random(f"{self.seed} {key}")

    @cached_property
    def style(self):
        rng = self.random("style")
        return {
            "cards": 0 if self.violation else rng.choice([0, 1, 2]),
            "product": rng.random() < 0.6 or self.violation != "",
            "equal_boards": rng.random() < 0.6,
            "payoffs": rng.choice(["line", "strength", "strength", "pair", "hidden"]),
            "sum": rng.choice(["zero", "zero", "constant", "any"]),
            "reveals": rng.random() < 0.5,
            "opening": rng.random() < 0.8 or self.violation != "",
        }

    @cached_property
    def deck(self):
        return tuple(range(self.random("deck").randint(4, 6)))

    @cached_property
    def hands(self):
        rng = self.random("hands")
        if not self.style["opening"]:
            return ((("nothing",),), (("nothing",),))
        fewest = 2 if self.violation else 1
        if self.style["cards"] == 0:
            return tuple(tuple((f"h{i}",) for i in range(rng.randint(fewest, 4))) for _ in range(2))
        every = [*combinations(self.deck, self.style["cards"])]
        return tuple(
            tuple(sorted(rng.sample(every, rng.randint(2, min(5, len(every)))))) for _ in range(2)
        )

    @cached_property
    def prior(self):
        rng = self.random("prior")
        weights = [[rng.randint(1, 4) for _ in own] for own in self.hands]
        joint = {}
        for (i, first), (j, second) in product(*map(enumerate, self.hands)):
            if first == ("nothing",) or not set(first) & set(second) or not self.style["cards"]:
                joint[first, second] = (
                    weights[0][i] * weights[1][j] if self.style["product"] else rng.randint(0, 3)
                )
        total = sum(joint.values())
        if not total:
            joint = {next(iter(joint), (self.hands[0][0], self.hands[1][0])): 1}
            total = 1
        return {pair: Fraction(weight, total) for pair, weight in joint.items() if weight}

    @cache  # noqa: B019, games live as long as a test
    def line(self, line) -> Line:
        """Return what happens after a public line."""
        if self.violation and not line:
            return Line("decision", 0, 2)
        rng = self.random("line", line)
        if self.violation and len(line) == 1:
            return Line("decision", self.random("second").randint(0, 1), 2)
        if len(line) >= self.max_depth or (line and rng.random() < 0.2):
            return Line("end")
        boards = [event for event in line if isinstance(event, tuple)]
        if self.style["cards"] and rng.random() < 0.3 and not boards and len(line):
            return Line("board")
        if rng.random() < 0.1 and len(line):
            return Line("coin", choices=2)
        return Line("decision", rng.randint(0, 1), rng.randint(1, 3))

    def initial_world(self):
        return (None, ()) if self.style["opening"] else ((("nothing",), ("nothing",), 0), ())

    def mover(self, world):
        pair, line = world
        if self.violation == "turn" and not line:
            return pair[2]
        return self.line(line).player

    def actors(self, world):
        pair, line = world[:2]
        if pair is None or len(world) == 3 or self.line(line).kind != "decision":
            return ()
        if self.violation == "simultaneous" and not line:
            return (0, 1)
        return (self.mover(world),)

    def legal_actions(self, world, player):
        pair, line = world
        choices = self.line(line).choices
        if self.violation == "legal" and not line:
            choices += pair[player] == self.hands[player][0]
        return tuple("abcd"[:choices])

    def transitions(self, world, joint_action):
        pair, line = world[:2]
        if pair is None:
            signals = (0, 1) if self.violation == "turn" else (0,)
            return [
                (((*pair, signal), ()), chance / len(signals))
                for pair, chance in self.prior.items()
                for signal in signals
            ]
        if len(world) == 3 or self.line(line).kind == "end":
            return []
        kind = self.line(line).kind
        if kind == "board":
            rng = self.random("board", line)
            most = 1 if self.style["equal_boards"] else 3
            weights = {card: rng.randint(1, most) for card in self.deck}
            left = [c for c in self.deck if c not in pair[0] and c not in pair[1]]
            if not left:
                return self.outcomes(pair, (*line, ("none",)))
            total = sum(weights[card] for card in left)
            dealt = [((*line, (card,)), Fraction(weights[card], total)) for card in left]
            return [world for after, p in dealt for world in self.outcomes(pair, after, p)]
        if kind == "coin":
            sides = [(*line, side) for side in ("heads", "tails")]
            return [world for side in sides for world in self.outcomes(pair, side, Fraction(1, 2))]
        taken = "".join(action for action in joint_action if action is not None)
        if not line and self.violation == "hidden":
            return [(((*pair[:2], taken), ("?",)), 1)]
        if not line and self.violation == "private":
            return [(((*pair[:2], coin), (taken,)), Fraction(1, 2)) for coin in (0, 1)]
        return self.outcomes(pair, (*line, taken))

    def outcomes(self, pair, line, chance=Fraction(1)):
        """Return the worlds after a line: an end may depend on a coin that nobody sees."""
        if self.line(line).kind == "end" and self.style["payoffs"] == "hidden":
            return [((pair, line, coin), chance * Fraction(1 + coin, 3)) for coin in (0, 1)]
        return [((pair, line), chance)]

    def rewards(self, world, joint_action, next_world):
        pair, line = next_world[:2]
        if pair is None or self.line(line).kind != "end":
            return (0, 0)
        rng = self.random("payoff", line)
        style = self.style["payoffs"]
        if style == "line":
            value = rng.randint(-3, 3)
        elif style == "strength":
            stakes = sorted(rng.randint(-4, 4) for _ in range(3))
            board = tuple(event for event in line if isinstance(event, tuple))
            first, second = (
                self.random("strength", hand, board).randint(0, 3) for hand in pair[:2]
            )
            value = stakes[1 + (first > second) - (first < second)]
        else:
            value = self.random("payoff", line, pair[:2], next_world[2:]).randint(-4, 4)
        total = {"zero": 0, "constant": 5}.get(self.style["sum"])
        if total is None:
            total = self.random("total", line, pair[:2]).randint(-3, 3)
        return (value, total - value)

    def observe(self, world, joint_action, next_world):
        pair, line = next_world[:2]
        if world[0] is None:
            signal = (pair[2],) if self.violation == "turn" else ()
            return Observation(private=tuple((own, *signal) for own in pair[:2]))
        event = line[-1]
        if self.violation == "hidden" and len(line) == 1:
            return Observation(public="something")
        if self.violation == "private" and len(line) == 1:
            return Observation(public=event, private=(pair[2], None))
        if self.style["reveals"] and self.line(line).kind == "end":
            return Observation(public=(event, pair[:2]))
        return Observation(public=event)
