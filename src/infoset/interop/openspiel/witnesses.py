"""Where OpenSpiel's own information states differ from those a player with memory has.

OpenSpiel's information states are strings that each game's author wrote. Some forget what the
player saw or did, some hide how many moves were made. Infostates here are folded from observations
and own actions, one step per move, so they do neither. The searches below find two histories that
show the difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING

from infoset.interop.openspiel._nodes import Moves, OneLine
from infoset.interop.openspiel._visits import Memory, Visited, visit
from infoset.typing import Action, Player

if TYPE_CHECKING:
    from infoset.interop.openspiel.game import OpenSpielGame

__all__ = ["RecallWitness", "TimingWitness", "find_recall_witness", "find_timing_witness"]

MAX_HISTORIES = 5000
MAX_LETTERS = 120


@dataclass(frozen=True)
class RecallWitness:
    """Two histories that share an information-state string, though the player did not forget.

    Attributes
    ----------
    player : Player
        The player who is to act after both.
    infostate_string : str
        OpenSpiel's information-state string, the same after both.
    history_a, history_b : tuple[str, ...]
        The moves made, in words.
    world_a, world_b : Moves
        The world states they end in.
    memory_a, memory_b : tuple[tuple[str, Action], ...]
        The player's own strings and actions on the way, which differ.
    """

    player: Player
    infostate_string: str
    history_a: tuple[str, ...]
    history_b: tuple[str, ...]
    world_a: Moves
    world_b: Moves
    memory_a: Memory
    memory_b: Memory

    def __str__(self) -> str:
        first, second = next(
            pair for pair in zip_longest(self.memory_a, self.memory_b) if pair[0] != pair[1]
        )
        return (
            "OpenSpiel's information-state strings break perfect recall, the infostates here do "
            f"not: {pair_text(self)}, though before the first it {past_text(first, second)} "
            f"and before the second it {past_text(second, first)}"
        )


@dataclass(frozen=True)
class TimingWitness:
    """Two histories that a player tells apart only by the number of moves made.

    Attributes
    ----------
    player : Player
        The player who is to act after both.
    infostate_string : str
        OpenSpiel's information-state string, the same after both.
    history_a, history_b : tuple[str, ...]
        The moves made, in words; one is longer.
    world_a, world_b : Moves
        The world states they end in.
    """

    player: Player
    infostate_string: str
    history_a: tuple[str, ...]
    history_b: tuple[str, ...]
    world_a: Moves
    world_b: Moves

    def __str__(self) -> str:
        return (
            "OpenSpiel's information-state strings hide how many moves were made, the infostates "
            f"here count them and so are finer, which makes another game: {pair_text(self)}"
        )


def find_recall_witness(
    game: OpenSpielGame, max_histories: int = MAX_HISTORIES
) -> RecallWitness | None:
    """Look for two histories by which OpenSpiel's information-state strings break perfect recall.

    A player with perfect recall tells apart any two histories on whose way it saw other strings,
    or took other actions.

    Parameters
    ----------
    game : OpenSpielGame
        The game; one without information-state strings has no witness.
    max_histories : int
        How many histories to visit, half of them in breadth and half in depth; 5,000 take a
        second or less.

    Returns
    -------
    RecallWitness or None
        None where the histories visited hold no such pair: a proof only if they are all.
    """
    return recall_witness(game, visit(game, max_histories))


def find_timing_witness(
    game: OpenSpielGame, max_histories: int = MAX_HISTORIES
) -> TimingWitness | None:
    """Look for two histories that OpenSpiel's strings do not tell apart and their lengths do.

    Players of a factored-observation stochastic game notice that time passes. Where a game is
    meant to hide it (how often the opponent ran into a stone in phantom tic-tac-toe), infostates
    here are finer than OpenSpiel's, and values and exploitability are those of another game.

    Parameters
    ----------
    game : OpenSpielGame
        The game; one without information-state strings has no witness.
    max_histories : int
        How many histories to visit, as `find_recall_witness` does.

    Returns
    -------
    TimingWitness or None
        None where the histories visited hold no such pair: a proof only if they are all.
    """
    return timing_witness(game, visit(game, max_histories))


def recall_witness(game: OpenSpielGame, visits: Iterable[Visited]) -> RecallWitness | None:
    """Return two of the histories with the same string and different memories, if any are."""
    first: dict[tuple[Player, str], Visited] = {}
    for here in visits:
        for player, string in here.strings.items():
            other = first.setdefault((player, string), here)
            memories = other.memories[player], here.memories[player]
            if memories[0] != memories[1]:
                texts = game.moves(other.world), game.moves(here.world)
                return RecallWitness(player, string, *texts, other.world, here.world, *memories)
    return None


def timing_witness(game: OpenSpielGame, visits: Iterable[Visited]) -> TimingWitness | None:
    """Return two of the histories with the same string and memory and other lengths, if any are."""
    first: dict[tuple[Player, str, Memory], Moves] = {}
    for here in visits:
        for player, string in here.strings.items():
            other = first.setdefault((player, string, here.memories[player]), here.world)
            if len(other) != len(here.world):
                texts = game.moves(other), game.moves(here.world)
                return TimingWitness(player, string, *texts, other, here.world)
    return None


def pair_text(witness: RecallWitness | TimingWitness) -> str:
    """Return a string and its two histories as text."""
    return (
        f"player {witness.player} is told {shown(witness.infostate_string)} after "
        f"[{'; '.join(witness.history_a)}] and after [{'; '.join(witness.history_b)}]"
    )


def past_text(step: tuple[str, Action] | None, other: tuple[str, Action] | None) -> str:
    """Return one step of a memory as text, so that it can be told from the other."""
    if step is None:
        return "had not been to act so often"
    return f"had taken {str(step[1])!r} when told {shown(step[0], other and other[0])}"


def shown(string: str, other: str | None = None) -> str:
    """Return one of OpenSpiel's strings on one line and in quotes, cut to where it differs."""
    text = str(OneLine(string))
    if len(text) <= MAX_LETTERS:
        return repr(text)
    common = 0 if other is None else common_letters(text, str(OneLine(other)))
    start = max(0, min(common - MAX_LETTERS // 4, len(text) - MAX_LETTERS))
    part = text[start : start + MAX_LETTERS]
    return repr(
        f"{'... ' if start else ''}{part}{' ...' if start + MAX_LETTERS < len(text) else ''}"
    )


def common_letters(first: str, second: str) -> int:
    """Return how many letters the two begin with in common."""
    pairs = zip_longest(first, second)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), len(first))
