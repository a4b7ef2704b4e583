"""The literal construction of Example B.1 tells what is hidden; the one of the library does not."""

from __future__ import annotations

import pytest

from infoset import solve
from infoset.efg import build_extensive_form
from infoset.efg.unrolled import is_serial
from infoset.errors import GameRuleError
from infoset.game import Game, Observation, check_game, serialize
from infoset.tree import build_tree
from infoset.typing import NOOP


class Whisper(Game):
    """Player 1 sees a coin, and has a say only on tails; then player 0 guesses the side.

    On heads player 0 sets the stake alone; on tails player 1 sets a factor at the same time. A
    bell is heard when that is done.
    """

    num_players = 2
    bell = "bell"

    def initial_world(self):
        return ()

    def actors(self, world):
        if world == ("tails",):
            return (0, 1)
        return (0,) if len(world) in (1, 3) else ()

    def legal_actions(self, world, player):
        return (1, 2) if len(world) == 1 else ("heads", "tails")

    def transitions(self, world, joint_action):
        if not world:
            return [(("heads",), 0.5), (("tails",), 0.5)]
        if len(world) == 1:
            return [((*world, joint_action[0], joint_action[1] or 1), 1)]
        return [((*world, joint_action[0]), 1)] if len(world) == 3 else []

    def rewards(self, world, joint_action, next_world):
        if len(next_world) < 4:
            return (0, 0)
        side, stake, factor, guess = next_world
        paid = stake * factor * (1 if guess == side else -1)
        return (paid, -paid)

    def observe(self, world, joint_action, next_world):
        if not world:
            return Observation(private={1: next_world[0]})
        return Observation(public=self.bell if len(next_world) == 3 else None)


class Silent(Whisper):
    """The same without the bell."""

    bell = None


class LiteralSerial(Game):
    """Example B.1 as it is written: a turn for each actor, then one of nature.

    A world state is (w, the actions so far of those who act at w); nature moves once all are there.
    """

    def __init__(self, game):
        self.game = game
        self.num_players = game.num_players

    def initial_world(self):
        return (self.game.initial_world(), ())

    def actors(self, world):
        original, chosen = world
        return tuple(self.game.actors(original))[len(chosen) : len(chosen) + 1]

    def legal_actions(self, world, player):
        return self.game.legal_actions(world[0], player)

    def transitions(self, world, joint_action):
        original, chosen = world
        acting = self.actors(world)
        if acting:
            return [((original, (*chosen, joint_action[acting[0]])), 1)]
        following = self.game.transitions(original, self.joint(world))
        return [((target, ()), probability) for target, probability in following]

    def rewards(self, world, joint_action, next_world):
        if self.actors(world):
            return (0,) * self.num_players
        return self.game.rewards(world[0], self.joint(world), next_world[0])

    def observe(self, world, joint_action, next_world):
        if self.actors(world):
            return Observation()
        return self.game.observe(world[0], self.joint(world), next_world[0])

    def joint(self, world):
        original, chosen = world
        actions = dict(zip(self.game.actors(original), chosen, strict=True))
        return tuple(actions.get(player, NOOP) for player in range(self.num_players))


def value(game):
    return solve(game, "lp").values[0]


@pytest.mark.parametrize("game", [Whisper(), Silent()], ids=str)
def test_ours_keeps_the_value_and_the_rules(game):
    check_game(game)
    serial = serialize(game)
    check_game(serial)
    assert is_serial(build_tree(serial).graph)
    for kind in (game, serial, build_extensive_form(game)):
        assert value(kind) == pytest.approx(0)


def test_the_literal_construction_changes_the_value_of_a_game():
    """When the bell is heard tells how many chose before it."""
    literal = LiteralSerial(Whisper())
    check_game(literal)
    assert is_serial(build_tree(literal).graph)
    assert value(literal) == pytest.approx(2)


def test_without_the_bell_the_literal_construction_is_no_game():
    """Then player 0 cannot tell whether it is asked already."""
    with pytest.raises(GameRuleError, match="whether a player acts"):
        check_game(LiteralSerial(Silent()))


@pytest.mark.parametrize(
    ("construct", "infostates"), [(LiteralSerial, 4), (serialize, 2), (lambda game: game, 2)]
)
def test_what_leaks_is_when_the_bell_is_heard(construct, infostates):
    """Before its guess player 0 knows its stake alone; with the leak, also the side."""
    tree = build_tree(construct(Whisper())).sequence_form.infostate_trees[0]
    guessing = [n for n in tree.acting.tolist() if "heads" in tree.legal_actions(n)]
    assert len(guessing) == infostates


def test_where_the_number_of_actors_is_known_they_agree():
    class Open(Whisper):
        def observe(self, world, joint_action, next_world):
            return Observation(public=next_world[0])

    for kind in (Open(), LiteralSerial(Open()), serialize(Open())):
        assert value(kind) == pytest.approx(2)
