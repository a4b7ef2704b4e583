"""Games with hidden clock have the values of the trees in which nobody counts transitions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import pytest

import infoset
from infoset.efg import Node, Outcome, chance, decision, extensive_form_from_nodes, terminal
from infoset.errors import GameRuleError, ParameterError
from infoset.game import (
    Game,
    Observation,
    hide_clock,
    initial_history,
    play_out,
    transcript,
)
from infoset.games import DarkHex

NUM_TURNS = 3


@dataclass(frozen=True)
class SilentTries(Game):
    """Players take turns in trying; who hears which tries, and all payoffs, are random."""

    seed: int
    max_tries: int = 2
    num_players = 2

    def initial_world(self):
        return ((),)

    def actors(self, world):
        return () if len(world) > NUM_TURNS else ((len(world) - 1) % 2,)

    def legal_actions(self, world, player):
        return ("a", "b")

    def transitions(self, world, joint_action):
        if len(world) > NUM_TURNS:
            return []
        action = joint_action[(len(world) - 1) % 2]
        found = []
        for outcome, probability in (("hit", Fraction(1, 3)), ("miss", Fraction(2, 3))):
            tries = (*world[-1], (action, outcome))
            is_done = outcome == "hit" or len(tries) == self.max_tries
            found.append(((*world[:-1], tries, *([()] if is_done else [])), probability))
        return found

    def rewards(self, world, joint_action, next_world):
        if len(next_world) <= NUM_TURNS or len(next_world) == len(world):
            return (0, 0)
        payoff = self._draw("payoff", next_world) % 7 - 3
        return (payoff, -payoff)

    def observe(self, world, joint_action, next_world):
        turn, tries = len(world) - 1, next_world[len(world) - 1]
        heard = self._draw("heard", turn, tries[-1]) % 4
        private = {turn % 2: tries[-1][1]}
        if heard == 1:
            private[1 - turn % 2] = f"click {self._draw('click', tries[-1]) % 2}"
        if heard == 2:  # then who tries learns the outcome from what everybody hears
            return Observation(f"bell {tries[-1][1]}")
        return Observation("whistle" if heard == 3 else None, private)

    def _draw(self, *key):
        return int(sha256(repr((self.seed, *key)).encode()).hexdigest()[:8], 16)


def without_clock(game):
    """Return the tree of a game whose players remember only own actions and what they observed."""

    def node(world, seen, paid):
        (actor,) = game.actors(world) or (None,)
        if actor is None:
            return terminal(outcome=Outcome(paid))
        moves = {action: after(world, action, actor, seen, paid) for action in "ab"}
        return decision(actor, seen[actor], moves)

    def after(world, action, actor, seen, paid) -> Node:
        joint = tuple(action if player == actor else None for player in range(2))
        found = []
        for number, (target, probability) in enumerate(game.transitions(world, joint)):
            shown = game.observe(world, joint, target)
            parts = [(shown.seen_by(player), shown.public) for player in range(2)]
            acted = [(action,) if player == actor else () for player in range(2)]
            own = [
                past + moved + ((part,) if any(part) else ())
                for past, moved, part in zip(seen, acted, parts, strict=True)
            ]
            total = tuple(map(sum, zip(paid, game.rewards(world, joint, target), strict=True)))
            found.append((str(number), (probability, node(target, own, total))))
        return chance(found)

    return extensive_form_from_nodes(node(game.initial_world(), [(), ()], (0, 0)), players=2)


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.broad) for seed in range(2, 8))]
)
def test_values_are_those_of_the_tree_without_clock(seed):
    game = SilentTries(seed)
    form = without_clock(game)
    hidden = hide_clock(game, limit=2 + seed % 2)
    infoset.check_game(hidden)
    tree = infoset.build_tree(hidden)
    wanted = [len(form.infoset_numbers(player)) for player in range(2)]
    assert [one.num_acting for one in tree.infostate_trees] == wanted
    value = infoset.solve(form, "lp").values[0]
    assert infoset.solve(tree, "lp").values[0] == pytest.approx(value, abs=1e-9)


class Drop(NamedTuple):
    """Which hole is blocked, where the coin was dropped, and where player 1 looked."""

    blocked: int = -1
    tries: tuple[int, ...] = ()
    guess: int = -1


@dataclass(frozen=True)
class Silent(Game):
    """Player 0 drops a coin into a hole, again if it is blocked; player 1 guesses which hole."""

    announces_end: bool = True
    num_players = 2

    def initial_world(self):
        return Drop()

    def actors(self, world):
        if world.blocked < 0 or world.guess >= 0:
            return ()
        return (1,) if world.tries and world.tries[-1] != world.blocked else (0,)

    def legal_actions(self, world, player):
        return tuple(hole for hole in range(3) if player == 1 or hole not in world.tries)

    def transitions(self, world, joint_action):
        if world.blocked < 0:
            return [(Drop(hole), Fraction(1, 3)) for hole in range(3)]
        if world.guess >= 0:
            return []
        first, second = joint_action
        if second is not None:
            return [(world._replace(guess=second), 1)]
        return [(world._replace(tries=(*world.tries, first)), 1)]

    def rewards(self, world, joint_action, next_world):
        if next_world.guess < 0:
            return (0, 0)
        return (-1, 1) if next_world.guess == next_world.tries[-1] else (1, -1)

    def observe(self, world, joint_action, next_world):
        if next_world.guess >= 0:
            return Observation(next_world.guess if self.announces_end else None)
        if world.blocked < 0:
            return Observation()
        is_blocked = next_world.tries[-1] == next_world.blocked
        return Observation(private={0: "blocked" if is_blocked else "in"})


def test_a_game_whose_clock_tells_too_much():
    for check in (infoset.check_game, infoset.build_tree):
        with pytest.raises(GameRuleError, match=r"if the player may know it; if not.*hide_clock"):
            check(Silent())
    for limit, announces_end in ((2, True), (3, True), (2, False)):
        hidden = hide_clock(Silent(announces_end), limit)
        assert infoset.check_game(hidden).is_complete
        assert infoset.solve(hidden, "lp").values == pytest.approx((1 / 3, -1 / 3), abs=1e-12)
        assert infoset.info(hidden).acting_infostates == (4, 1)


class Quits(Game):
    """Player 0 begins, or silently quits in two steps; player 1 acts only in the first case."""

    num_players = 2

    def initial_world(self):
        return ""

    def actors(self, world):
        return {"": (0,), "q": (0,), "b": (1,)}.get(world, ())

    def legal_actions(self, world, player):
        return ("b", "q")

    def transitions(self, world, joint_action):
        return [(world + "".join(filter(None, joint_action)), 1)] if len(world) < 2 else []

    def rewards(self, world, joint_action, next_world):
        return (1, -1) if next_world == "bb" else (0, 0)

    def observe(self, world, joint_action, next_world):
        return Observation()


def test_the_silent_end_of_a_game_is_no_turn_of_others():
    with pytest.raises(GameRuleError):
        infoset.check_game(Quits())
    hidden = hide_clock(Quits(), 2)
    assert infoset.check_game(hidden).is_complete
    assert infoset.info(hidden).acting_infostates == (2, 1)


class CountedHex(DarkHex):
    """Dark hex in which the number of failed tries is hidden, but not how long a turn takes."""

    hides_tries = False

    def observe(self, world, joint_action, next_world):
        seen = super().observe(world, joint_action, next_world)
        return seen if next_world.result else Observation(private={world.player: seen.public})


def test_phantom_games_hide_as_much_by_themselves():
    theirs = infoset.info(DarkHex(num_rows=2, num_cols=2, obstype="reveal-nothing"))
    ours = infoset.info(hide_clock(CountedHex(num_rows=2, num_cols=2), 3))
    assert ours.acting_infostates == theirs.acting_infostates
    assert ours.terminals == theirs.terminals


@pytest.mark.parametrize(
    ("spec", "limit"),
    [
        ("kuhn_poker", 2),
        pytest.param("leduc_poker(num_ranks=2)", 3, marks=pytest.mark.broad),
        ("goofspiel(num_cards=3)", 1),
        ("liars_dice(dice_sides=2)", 3),
    ],
)
def test_where_nothing_is_hidden_values_stay(spec, limit):
    game = infoset.load(spec)
    hidden = hide_clock(game, limit)
    infoset.check_game(hidden)
    first, second = (infoset.solve(one, "lp").values for one in (game, hidden))
    assert first == pytest.approx(second, abs=1e-9)


def test_what_is_seen_at_the_end_of_a_turn_is_seen_in_order():
    hidden = hide_clock(SilentTries(0), 2)
    history = play_out(initial_history(hidden), [lambda *_: "a"] * 2, np.random.default_rng(1))
    assert transcript(history, viewer=0).splitlines()[1:5] == [
        "1. you: a        | you see whistle, miss",
        "2. you: a        | all see whistle, whistle | you see miss",
        "3. player 1 acts | you see nothing",
        "4. chance        | all see bell hit",
    ]
    assert transcript(history, viewer=1).splitlines() == [
        "hide_clock(SilentTries(seed=0),limit=2), seen by player 1",
        "1. player 0 acts | you see nothing",
        "2. player 0 acts | all see whistle, whistle",
        "3. you: a        | you see bell hit",
        "4. chance        | all see bell hit",
        "5. player 0 acts | you see nothing",
        "6. player 0 acts | all see bell hit | you see click 0, bell hit",
        "end: you get -1",
    ]


def test_names_and_limits():
    assert str(hide_clock(Silent(), 2)) == "hide_clock(Silent,limit=2)"
    words = r"the turn of player 0 takes more than 1 transitions.*raise the limit"
    with pytest.raises(GameRuleError, match=words):
        infoset.check_game(hide_clock(Silent(), 1))
    with pytest.raises(ParameterError, match="limit"):
        hide_clock(Silent(), 0)
    with pytest.raises(ParameterError, match="game"):
        hide_clock("kuhn_poker", 2)
