"""Differences between OpenSpiel's information-state strings and infostates with perfect recall.

In OpenSpiel, the implementation of each game defines its information states as strings. Some
strings omit what the player saw or did, and some hide the number of moves. Infostates of this
library consist of observations and own actions, with one step per move, and omit neither. The
searches below find two histories that show the difference.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product, zip_longest
from typing import NamedTuple, TypeAlias, cast

from infoset.game import Game, History, initial_history
from infoset.interop.openspiel.states import Moves, OneLine
from infoset.typing import NOOP, Action, JointAction, Player

MAX_LETTERS = 120

Strings: TypeAlias = Callable[[Moves, Player], str | None]
"""Function that returns a player's information-state string at a world state, or None."""

MoveTexts: TypeAlias = Callable[[Moves], tuple[str, ...]]
"""Function that returns the moves that led to a world state, in words."""


Memory: TypeAlias = tuple[tuple[str, Action], ...]
"""A player's memory: its information-state strings and actions, in order."""


class Visit(NamedTuple):
    """A history, the strings of its actors, and the memory of every player."""

    history: History
    strings: Mapping[Player, str]
    memories: Sequence[Memory]

    @property
    def world(self) -> Moves:
        """The moves of the history."""
        return cast(Moves, self.history.world)


def visit(game: Game, string: Strings, max_histories: int) -> Iterator[Visit]:
    """Yield histories, half of them breadth first and half depth first.

    Histories are taken alternately from both ends of the queue.
    """
    nothing: Sequence[Memory] = ((),) * game.num_players
    queue = deque([(initial_history(game), nothing)])
    found, from_end = 1, False
    while queue:
        history, memories = queue.pop() if from_end else queue.popleft()
        from_end = not from_end  # one queue: its front grows in breadth, its end in depth
        here = Visit(history, strings_at(string, history), memories)
        yield here
        for longer, remembered in longer_histories(here):
            if found >= max_histories:
                break
            found += 1
            queue.append((longer, remembered))


def strings_at(string: Strings, history: History) -> dict[Player, str]:
    """Return the actors' information-state strings; empty if the game has no strings."""
    world = cast(Moves, history.world)
    found = {player: string(world, player) for player in history.actors}
    return {player: text for player, text in found.items() if text is not None}


def longer_histories(here: Visit) -> Iterator[tuple[History, Sequence[Memory]]]:
    """Yield the histories one transition longer, with the memories of all players."""
    history, game = here.history, here.history.game
    choices = [history.legal_actions(player) or (NOOP,) for player in range(game.num_players)]
    for joint_action in product(*choices):
        remembered = remember(here, joint_action)
        for next_world, _ in game.transitions(history.world, joint_action):
            yield history.extend(joint_action, next_world), remembered


def remember(here: Visit, joint_action: JointAction) -> Sequence[Memory]:
    """Return the memories after a move, which adds each actor's string and action to its own."""
    return tuple(
        (*memory, (here.strings[player], joint_action[player]))
        if player in here.strings
        else memory
        for player, memory in enumerate(here.memories)
    )


@dataclass(frozen=True)
class RecallWitness:
    """Two histories with the same information-state string but different memories of the player."""

    player: Player
    """The player who is to act after both."""
    infostate_string: str
    """OpenSpiel's information-state string, the same after both."""
    history_a: tuple[str, ...]
    history_b: tuple[str, ...]
    """The moves, in words."""
    world_a: Moves
    world_b: Moves
    """The last world states of the two histories."""
    memory_a: Memory
    memory_b: Memory
    """The player's past strings and actions, which differ."""

    def __str__(self) -> str:
        first, second = next(
            pair for pair in zip_longest(self.memory_a, self.memory_b) if pair[0] != pair[1]
        )
        return (
            "OpenSpiel's information-state strings violate perfect recall, unlike the infostates "
            f"here: {pair_text(self)}, although before the first it {past_text(first, second)} "
            f"and before the second it {past_text(second, first)}"
        )


@dataclass(frozen=True)
class TimingWitness:
    """Two histories that differ for a player only in the number of moves."""

    player: Player
    """The player who is to act after both."""
    infostate_string: str
    """OpenSpiel's information-state string, the same after both."""
    history_a: tuple[str, ...]
    history_b: tuple[str, ...]
    """The moves, in words; one history is longer."""
    world_a: Moves
    world_b: Moves
    """The last world states of the two histories."""

    def __str__(self) -> str:
        return (
            "OpenSpiel's information-state strings hide the number of moves; the infostates here "
            f"count moves, are finer, and define a different game: {pair_text(self)}"
        )


def recall_witness(visits: Iterable[Visit], texts: MoveTexts) -> RecallWitness | None:
    """Return two of the histories with equal strings but different memories, or None."""
    first: dict[tuple[Player, str], Visit] = {}
    for here in visits:
        for player, string in here.strings.items():
            other = first.setdefault((player, string), here)
            memories = other.memories[player], here.memories[player]
            if memories[0] != memories[1]:
                moves = texts(other.world), texts(here.world)
                return RecallWitness(player, string, *moves, other.world, here.world, *memories)
    return None


def timing_witness(visits: Iterable[Visit], texts: MoveTexts) -> TimingWitness | None:
    """Return two histories with equal strings and memories but different lengths, or None."""
    first: dict[tuple[Player, str, Memory], Moves] = {}
    for here in visits:
        for player, string in here.strings.items():
            other = first.setdefault((player, string, here.memories[player]), here.world)
            if len(other) != len(here.world):
                moves = texts(other), texts(here.world)
                return TimingWitness(player, string, *moves, other, here.world)
    return None


def pair_text(witness: RecallWitness | TimingWitness) -> str:
    """Return a sentence that shows an infostate string and two histories with this string."""
    return (
        f"player {witness.player} sees {shown(witness.infostate_string)} after "
        f"[{'; '.join(witness.history_a)}] and after [{'; '.join(witness.history_b)}]"
    )


def past_text(step: tuple[str, Action] | None, other: tuple[str, Action] | None) -> str:
    """Return, as text, the step of a memory that differs from the other memory."""
    if step is None:
        return "had acted fewer times"
    return f"had taken {str(step[1])!r} when it saw {shown(step[0], other and other[0])}"


def shown(string: str, other: str | None = None) -> str:
    """Return an OpenSpiel string on one line and in quotes, shortened to the part that differs."""
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
    """Return the length of the common prefix."""
    pairs = zip_longest(first, second)
    return next((place for place, (a, b) in enumerate(pairs) if a != b), len(first))
