"""Compare one of our games with OpenSpiel's game of the same text, move by move."""

from __future__ import annotations

from itertools import permutations, product
from math import prod

import numpy as np
import pytest

from infoset.game import Game, History, initial_history
from infoset.games import (
    Battleship,
    Goofspiel,
    Hanabi,
    KuhnPoker,
    LeducPoker,
    LiarsDice,
    MatrixGame,
    TinyBridge2p,
    TradeComm,
    load_game,
)
from infoset.games.tiny_bridge_2p import CALLS, DECK
from infoset.typing import NOOP

LEDUC = {"fold": 0, "call": 1, "raise": 2}


class Lockstep:
    """Both games from the same text, with the correspondence of infostates and strings.

    `coarser` sets what OpenSpiel's strings may omit: nothing (""), differences of the player's own
    actions ("actions"), or anything ("any").
    """

    def __init__(self, spec: str, coarser: str = "") -> None:
        self.theirs = pytest.importorskip("pyspiel").load_game(spec)
        self.ours = load_game(spec)
        self.coarser = coarser
        self.string_of: dict = {}
        self.infostate_of: dict = {}
        assert self.ours.num_players == self.theirs.num_players()

    def walk(self) -> int:
        """Compare all histories; return their number."""
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
        """Compare the current states of both games."""
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
            self.match(player, history, self.information_string(state, player))

    def information_string(self, state, player: int) -> str:
        """Return OpenSpiel's information state, or all observations in order if there is none."""
        if self.theirs.get_type().provides_information_state_string:
            return state.information_state_string(player)
        replay, seen = self.theirs.new_initial_state(), []
        for action in state.history():
            replay.apply_action(action)
            if not replay.is_chance_node():
                seen.append(str(replay.observation_tensor(player)))
        return " ".join(seen)

    def match(self, player: int, history: History, string: str) -> None:
        """Check that infostates and strings correspond one to one."""
        infostate = history.infostates[player]
        assert self.string_of.setdefault((player, infostate), string) == string
        if self.coarser == "any":
            return
        key = infostate
        if self.coarser == "actions":
            key = tuple(step[1:] for step in infostate.steps)
        assert self.infostate_of.setdefault((player, string), key) == key

    def num_acting(self) -> list[int]:
        """Return the number of our acting infostates found so far, by player."""
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
            case TradeComm() if action in self.ours.words:
                return self.ours.words.index(action)
            case TradeComm():
                return self.ours.num_items + self.ours.offers.index(action)
            case TinyBridge2p():
                return CALLS.index(action)
            case Hanabi():
                return hanabi_action(self.ours, player, action)
            case Battleship():
                return battleship_action(self.ours, action)
            case MatrixGame():
                return (self.ours.row_actions, self.ours.column_actions)[player].index(action)

    def apply(self, state, world, joint, next_world) -> float:
        """Apply the same transition in OpenSpiel's game; return its probability."""
        chance = 1.0
        actors = self.ours.actors(world)
        if len(actors) == 1:
            state.apply_action(self.action(actors[0], joint[actors[0]]))
        elif actors:
            state.apply_actions([self.action(player, joint[player]) for player in actors])
        for outcome in chance_outcome(self.ours, world, next_world):
            chance *= dict(state.chance_outcomes())[outcome]
            state.apply_action(outcome)
        return chance * orders(self.ours, world, next_world)


def chance_outcome(game: Game, world, next_world) -> list[int]:
    """Return OpenSpiel's chance outcomes for one of our transitions."""
    match game:
        case KuhnPoker() if not world.cards:
            return [game.deck.index(card) for card in next_world.cards]
        case LeducPoker() if world.betting.turn is None:
            cards = game.ranks if game.suit_isomorphism else game.deck
            return [
                cards.index(c) for c in ([next_world.board] if world.cards else next_world.cards)
            ]
        case LiarsDice() if not world.hands:
            return [die - 1 for hand in next_world.hands for die in hand]
        case Goofspiel(points_order="random") if next_world.prize:
            return [next_world.prize - 1]
        case TradeComm() if not world.items:
            return [next_world.items[0] * game.num_items + next_world.items[1]]
        case TinyBridge2p() if not world.hands:
            return [bridge_hand(hand) for hand in next_world.hands]
        case Hanabi() if not world.hands:
            return [hanabi_card(game, card) for hand in next_world.hands for card in hand]
        case Hanabi() if len(next_world.deck) < len(world.deck):
            return [hanabi_card(game, next_world.hands[world.player][-1])]
    return []


def bridge_hand(hand: tuple[str, ...]) -> int:
    """Return the index of a hand in OpenSpiel's tiny bridge."""
    high, low = (DECK.index(card) for card in hand)
    return high * (high - 1) // 2 + low


def hanabi_card(game: Hanabi, card: str) -> int:
    """Return the index of a card in OpenSpiel's Hanabi."""
    return "RYGWB".index(card[0]) * game.ranks + int(card[1]) - 1


def hanabi_action(game: Hanabi, player: int, action: str) -> int:
    """Return the index of a move in OpenSpiel's Hanabi, which counts players from the actor."""
    verb, place, *mark = action.split()
    size = game.hand_size if game.hand_size > 0 else 5 if game.players < 4 else 4
    if verb != "tell":
        return int(place) + size * (verb == "play")
    other = (int(place) - player - 1) % game.players
    if mark[0] in "RYGWB":
        return 2 * size + other * game.colors + "RYGWB".index(mark[0])
    ranks = 2 * size + (game.players - 1) * game.colors
    return ranks + other * game.ranks + int(mark[0]) - 1


def battleship_action(game: Battleship, action: str) -> int:
    """Return the index of a shot or a ship position in OpenSpiel's battleship."""
    *direction, row, column = action.split("_")
    boards = {(): 0, ("h",): 1, ("v",): 2}[tuple(direction)]
    return (boards * game.board_height + int(row)) * game.board_width + int(column)


def orders(game: Game, world, next_world) -> int:
    """Return the number of orders of OpenSpiel's dice that give our sorted hands."""
    if isinstance(game, LiarsDice) and not world.hands:
        return prod(len(set(permutations(hand))) for hand in next_world.hands)
    return 1
