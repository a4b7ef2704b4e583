"""A walk through the first histories of a game, with OpenSpiel's strings along the way."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from infoset.game import History, initial_history
from infoset.interop.openspiel._nodes import Moves
from infoset.typing import NOOP, Action, JointAction, Player

if TYPE_CHECKING:
    from infoset.interop.openspiel.game import OpenSpielGame

Memory: TypeAlias = tuple[tuple[str, Action], ...]
"""What a player saw and did: its information-state strings and actions, in order."""


class Visited(NamedTuple):
    """A history, and what each of its actors sees there and each player remembers."""

    history: History
    strings: Mapping[Player, str]
    memories: Sequence[Memory]

    @property
    def world(self) -> Moves:
        """The moves made."""
        return cast(Moves, self.history.world)


def visit(game: OpenSpielGame, max_histories: int) -> Iterator[Visited]:
    """Yield histories, from both ends of the queue by turns: half in breadth, half in depth."""
    nothing: Sequence[Memory] = ((),) * game.num_players
    queue = deque([(initial_history(game), nothing)])
    found, from_end = 1, False
    while queue:
        history, memories = queue.pop() if from_end else queue.popleft()
        from_end = not from_end
        here = Visited(history, strings_at(game, history), memories)
        yield here
        for longer, remembered in longer_histories(here):
            if found >= max_histories:
                break
            found += 1
            queue.append((longer, remembered))


def strings_at(game: OpenSpielGame, history: History) -> dict[Player, str]:
    """Return the actors' information-state strings; none where the game has none."""
    world = cast(Moves, history.world)
    strings = {player: game.infostate_string(world, player) for player in history.actors}
    return {player: string for player, string in strings.items() if string is not None}


def longer_histories(here: Visited) -> Iterator[tuple[History, Sequence[Memory]]]:
    """Yield the histories one transition longer, and what players remember there."""
    history, game = here.history, here.history.game
    choices = [history.legal_actions(player) or (NOOP,) for player in range(game.num_players)]
    for joint_action in product(*choices):
        remembered = remember(here, joint_action)
        for next_world, _ in game.transitions(history.world, joint_action):
            yield history.extend(joint_action, next_world), remembered


def remember(here: Visited, joint_action: JointAction) -> Sequence[Memory]:
    """Return the memories after a move: each actor's string and action added to its own."""
    return tuple(
        (*memory, (here.strings[player], joint_action[player]))
        if player in here.strings
        else memory
        for player, memory in enumerate(here.memories)
    )
