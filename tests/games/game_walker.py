"""Reference walk of a whole game by recursion over the protocol, without the library's trees."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import cache
from itertools import product

from infoset.game import Game, History, initial_history
from infoset.typing import NOOP


@dataclass
class Walk:
    """Results of a full walk; `returns` is the distribution of returns under uniform play."""

    num_histories: int = 0
    num_terminals: int = 0
    acting: tuple[dict, ...] = ()
    values: list[float] = field(default_factory=list)
    returns: dict[tuple[float, ...], float] = field(default_factory=lambda: defaultdict(float))

    @property
    def num_acting(self) -> list[int]:
        return [len(infostates) for infostates in self.acting]


def joint_actions(game: Game, world):
    """Yield the joint actions of a world; an empty one at chance moves and terminal worlds."""
    actors = game.actors(world)
    choices = [
        game.legal_actions(world, player) if player in actors else (NOOP,)
        for player in range(game.num_players)
    ]
    return product(*choices)


def walk(game: Game) -> Walk:
    """Visit every history, folding infostates from actions and observations."""
    players = range(game.num_players)
    found = Walk(acting=tuple({} for _ in players), values=[0.0 for _ in players])
    names: dict = {}
    stack = [(game.initial_world(), (0,) * len(players), 1.0, (0.0,) * len(players))]
    while stack:
        world, infostates, reach, returns = stack.pop()
        found.num_histories += 1
        uniform = reach
        for player in game.actors(world):
            legal = tuple(game.legal_actions(world, player))
            assert found.acting[player].setdefault(infostates[player], legal) == legal
            uniform /= len(legal)
        num_edges = 0
        for joint in joint_actions(game, world):
            total = 0
            for next_world, probability in game.transitions(world, joint):
                num_edges += 1
                total += probability
                seen = game.observe(world, joint, next_world)
                rewards = game.rewards(world, joint, next_world)
                assert len(rewards) == len(players)
                after = tuple(
                    names.setdefault(
                        (infostates[p], joint[p], seen.seen_by(p), seen.public), len(names) + 1
                    )
                    for p in players
                )
                summed = tuple(a + b for a, b in zip(returns, rewards, strict=True))
                stack.append((next_world, after, uniform * float(probability), summed))
            assert total in (0, 1)
        if not num_edges:
            found.num_terminals += 1
            found.returns[tuple(round(value, 9) for value in returns)] += reach
            for player in players:
                found.values[player] += reach * returns[player]
    return found


def path_counts(game: Game) -> tuple[int, int]:
    """Count histories and terminal histories by the number of paths to the end of each world."""

    @cache
    def below(world) -> tuple[int, int]:
        histories, terminals = 1, 0
        for joint in joint_actions(game, world):
            for next_world, _ in game.transitions(world, joint):
                more, ends = below(next_world)
                histories, terminals = histories + more, terminals + ends
        return histories, terminals or 1

    return below(game.initial_world())


def num_worlds(game: Game) -> int:
    """Count the reachable world states."""
    seen = {game.initial_world()}
    stack = list(seen)
    while stack:
        world = stack.pop()
        for joint in joint_actions(game, world):
            for next_world, _ in game.transitions(world, joint):
                if next_world not in seen:
                    seen.add(next_world)
                    stack.append(next_world)
    return len(seen)


def play(game: Game, *moves) -> History:
    """Play a fixed line; each move is a joint action, or a predicate that selects the outcome."""
    history = initial_history(game)
    for move in moves:
        joint = (NOOP,) * game.num_players
        pick = move if callable(move) else None
        if pick is None:
            joint, pick = move if isinstance(move[0], tuple) else (move, lambda world: True)
        matches = [world for world, _ in game.transitions(history.world, joint) if pick(world)]
        assert len(matches) == 1, f"{move} fits {len(matches)} outcomes at {history.world}"
        history = history.extend(joint, matches[0])
    return history
