"""Playing one of our games and OpenSpiel's game of the same text side by side, move by move."""

from __future__ import annotations

from itertools import permutations, product
from math import prod

import numpy as np
import pytest

from infoset.game import Game, History, initial_history
from infoset.games import Goofspiel, KuhnPoker, LeducPoker, LiarsDice, MatrixGame, load_game
from infoset.typing import NOOP

LEDUC = {"fold": 0, "call": 1, "raise": 2}


class Lockstep:
    """Both games from the same text, and which infostates of ours went with which strings.

    `coarser` says how OpenSpiel's strings may forget: nothing (""), which own actions count as
    the same ("actions"), or anything at all ("any").
    """

    def __init__(self, spec: str, coarser: str = "") -> None:
        self.theirs = pytest.importorskip("pyspiel").load_game(spec)
        self.ours = load_game(spec)
        self.coarser = coarser
        self.string_of: dict = {}
        self.infostate_of: dict = {}
        assert self.ours.num_players == self.theirs.num_players()

    def walk(self) -> int:
        """Compare every history; return how many there are."""
        stack = [(initial_history(self.ours), self.theirs.new_initial_state())]
        count = 0
        while stack:
            history, state = stack.pop()
            count += 1
            stack.extend(self.successors(history, state))
        return count

    def sample(self, num_plays: int, seed: int = 0) -> None:
        """Compare random plays."""
        rng = np.random.default_rng(seed)
        for _ in range(num_plays):
            history, state = initial_history(self.ours), self.theirs.new_initial_state()
            while not history.is_terminal:
                self.check(history, state)
                joint = tuple(
                    legal[int(rng.integers(len(legal)))] if legal else NOOP
                    for legal in map(history.legal_actions, range(self.ours.num_players))
                )
                after = history.sample(joint, rng)
                self.apply(state, history.world, joint, after.world)
                history = after
            self.check(history, state)

    def successors(self, history: History, state):
        self.check(history, state)
        choices = [history.legal_actions(p) or (NOOP,) for p in range(self.ours.num_players)]
        for joint in product(*choices):
            for world, probability in self.ours.transitions(history.world, joint):
                child = state.clone()
                chance = self.apply(child, history.world, joint, world)
                assert chance == pytest.approx(float(probability), abs=1e-12)
                yield history.extend(joint, world), child

    def check(self, history: History, state) -> None:
        """Compare where both games stand."""
        assert history.is_terminal == state.is_terminal()
        if state.is_terminal():
            assert history.rewards_so_far == pytest.approx(tuple(state.returns()), abs=1e-12)
        elif state.is_simultaneous_node():
            assert history.actors == tuple(range(self.ours.num_players))
        else:
            assert history.actors == (() if state.is_chance_node() else (state.current_player(),))
        for player in history.actors:
            legal = [self.action(player, action) for action in history.legal_actions(player)]
            assert legal == state.legal_actions(player)
            self.match(player, history, state.information_state_string(player))

    def match(self, player: int, history: History, string: str) -> None:
        """Check that infostates and strings go together one to one."""
        infostate = history.infostates[player]
        assert self.string_of.setdefault((player, infostate), string) == string
        if self.coarser == "any":
            return
        key = infostate
        if self.coarser == "actions":
            key = tuple(step[1:] for step in infostate.steps)
        assert self.infostate_of.setdefault((player, string), key) == key

    def num_acting(self) -> list[int]:
        """Count the acting infostates seen, ours, by player."""
        players = [player for player, _ in self.string_of]
        return [players.count(player) for player in range(self.ours.num_players)]

    def action(self, player: int, action) -> int:
        match self.ours:
            case KuhnPoker():
                return ("pass", "bet").index(action)
            case LeducPoker():
                return LEDUC[action]
            case LiarsDice():
                return self.ours.calls.index(action)
            case Goofspiel():
                return action - 1
            case MatrixGame():
                return (self.ours.row_actions, self.ours.column_actions)[player].index(action)

    def apply(self, state, world, joint, next_world) -> float:
        """Make the same transition in OpenSpiel's game; return its probability there."""
        chance = 1.0
        actors = self.ours.actors(world)
        if len(actors) == 1:
            state.apply_action(self.action(actors[0], joint[actors[0]]))
        elif actors:
            state.apply_actions([self.action(player, joint[player]) for player in actors])
        for outcome in nature(self.ours, world, next_world):
            chance *= dict(state.chance_outcomes())[outcome]
            state.apply_action(outcome)
        return chance * orders(self.ours, world, next_world)


def nature(game: Game, world, next_world) -> list[int]:
    """Return OpenSpiel's chance outcomes for one of our transitions."""
    match game:
        case KuhnPoker() if not world.cards:
            return [game.deck.index(card) for card in next_world.cards]
        case LeducPoker() if world.turn is None:
            cards = game.ranks if game.suit_isomorphism else game.deck
            return [
                cards.index(c) for c in ([next_world.board] if world.cards else next_world.cards)
            ]
        case LiarsDice() if not world.hands:
            return [die - 1 for hand in next_world.hands for die in hand]
        case Goofspiel(points_order="random") if next_world.prize:
            return [next_world.prize - 1]
    return []


def orders(game: Game, world, next_world) -> int:
    """Return in how many orders OpenSpiel's dice lead to our sorted hands."""
    if isinstance(game, LiarsDice) and not world.hands:
        return prod(len(set(permutations(hand))) for hand in next_world.hands)
    return 1
