"""`infoset play`: play a game in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeAlias, TypeVar

import typer

from infoset.cli.options import GameArgument, JsonOption, MemoryOption
from infoset.cli.progress import live
from infoset.cli.screen import print_json, say, tell
from infoset.errors import ParameterError

if TYPE_CHECKING:
    import numpy as np

    from infoset.game import Game, History
    from infoset.policy import Policy
    from infoset.typing import Action, Player

    Write: TypeAlias = Callable[[str], None]

Done = TypeVar("Done")

UNIFORM = "uniform"
WIDTH = 78
UNBROKEN = "\N{NO-BREAK SPACE}"


class InputEndedError(Exception):
    """Standard input has ended."""


def run(
    game: GameArgument,
    human: Annotated[
        int,
        typer.Option("--as", metavar="P", min=0, help="Player that you control, counted from 0."),
    ] = 0,
    against: Annotated[
        str,
        typer.Option(
            metavar="PLAYER",
            help="Policy of the others: uniform, a policy file, a searcher such as pimc, or "
            "file.py:NAME.",
        ),
    ] = UNIFORM,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Random seed.", show_default="random"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="Time limit for all moves between two of yours."),
    ] = None,
    memory: MemoryOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play a game in the terminal.

    You see only what your player observes. At the end, everything is shown.
    """
    import numpy as np

    from infoset.front import to_game

    rules = to_game(game)
    _check_player(rules, human)
    rng = np.random.default_rng(seed)
    others = _opponent(rules, against, memory)
    write = tell if as_json else say
    write(f"{rules}: you are player {human} of {rules.num_players}, against {against}")
    write("answer with the name or number of an action; Ctrl-D quits")
    table = Table(rules, human, _searching_anew(others, rng), rng, seconds, memory)
    history = play_interactively(table, write)
    _show_end(history, write)
    _tell_notes(others, against)
    if as_json:
        print_json(_record(history, human, against, seed))


def _check_player(rules: Game, human: Player) -> None:
    if human >= rules.num_players:
        raise ParameterError(
            f"--as {human}: {rules} has no such player; players are 0 to {rules.num_players - 1}"
        )


def _opponent(rules: Game, against: str, memory: int | None) -> Policy:
    """Return the policy of the other players. The tree is built only for a policy file."""
    from infoset.front import resolve_players

    with live(str(rules)) as progress:
        return resolve_players([against], rules, memory=memory, progress=progress.building)[0]


def _searching_anew(player: Policy, rng: np.random.Generator) -> Policy:
    """Return the policy to play, under which a searcher repeats its search at every decision."""
    from infoset.matches import SearchPolicy, SupportsSearch

    return SearchPolicy(player, rng) if isinstance(player, SupportsSearch) else player


def _tell_notes(player: Policy, text: str) -> None:
    """Report searches that exceeded their time budget, and other notes of a searcher."""
    from infoset.search import Searcher

    if isinstance(player, Searcher):
        for note in player.notes():
            tell(f"note: {text}: {note}")


class Table(NamedTuple):
    """A game, who plays it, and the limits on the moves that are not the human's.

    Attributes
    ----------
    rules : Game
    human : Player
    others : Policy
    rng : np.random.Generator
    seconds : float or None
        Time limit between two decisions of the human; None for no limit.
    memory : int or None
        Memory limit in bytes; by default 70% of the free memory.
    """

    rules: Game
    human: Player
    others: Policy
    rng: np.random.Generator
    seconds: float | None = None
    memory: int | None = None

    def within_limits(self, work: Callable[[], Done]) -> Done:
        """Return the result of a function, which may call rules that do not end."""
        from infoset.cli.command_watch import CommandWatch
        from infoset.tree import allowed_memory

        memory = allowed_memory(self.memory)
        watch = CommandWatch(
            f"the play of {self.rules}", self.seconds, memory, options="--seconds or --memory"
        )
        return watch.end(work)

    def next_decision(self, history: History) -> tuple[History, Sequence[Action]]:
        """Play until the human acts; return its legal actions, or none at the end."""
        while not history.is_terminal and self.human not in history.actors:
            history = self.move(history, {})
        return history, () if history.is_terminal else history.legal_actions(self.human)

    def move(self, history: History, chosen: Mapping[Player, Action]) -> History:
        """Return the history after a move of all actors; the policy chooses for the others."""
        actions = dict(chosen)
        for player in history.actors:
            if player not in actions:
                legal = history.legal_actions(player)
                probabilities = self.others.action_probabilities(history.infostates[player], legal)
                actions[player] = legal[self.rng.choice(len(legal), p=probabilities)]
        return history.sample(history.joint(actions), self.rng)


def play_interactively(table: Table, write: Write) -> History:
    """Play until the game or the input ends; return the history."""
    from infoset.game import initial_history

    history = table.within_limits(lambda: initial_history(table.rules))
    num_shown = 0
    while True:
        history, legal = table.within_limits(partial(table.next_decision, history))
        if not legal:
            return history
        num_shown = _show_observations(history, table.human, num_shown, write)
        try:
            chosen = {table.human: _ask(legal, write)}
        except InputEndedError:
            return history
        history = table.within_limits(partial(table.move, history, chosen))


def _show_observations(history: History, human: Player, num_shown: int, write: Write) -> int:
    """Write the observations since the last decision; return the total number of lines."""
    from infoset.game import transcript

    lines = transcript(history, viewer=human).splitlines()[1:]
    write("")
    for line in lines[num_shown:]:
        write(line)
    return len(lines)


def _ask(legal: Sequence[Action], write: Write) -> Action:
    """Read one of the legal actions from standard input.

    Raises
    ------
    InputEndedError
        At the end of the input.
    """
    names = [str(action) for action in legal]
    write(menu(names))
    while True:
        line = _read_line()
        position = find_choice(line, names)
        if position is not None:
            return legal[position]
        write(f"{line!r} is not a legal action; the legal actions are: {', '.join(names)}")


def _read_line() -> str:
    sys.stdout.flush()
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return "?"
    if not line:
        raise InputEndedError
    return line.strip()


def menu(names: Sequence[str]) -> str:
    """Return the list of actions, with numbers unless the actions are numbers themselves.

    Examples
    --------
    >>> menu(["pass", "bet"])
    'your move: [1] pass  [2] bet'
    """
    are_numbers = any(name.isdecimal() for name in names)
    entries = [
        (name if are_numbers else f"[{number}] {name}").replace(" ", UNBROKEN)
        for number, name in enumerate(names, start=1)
    ]
    text = fill(
        "  ".join(entries),
        WIDTH,
        initial_indent="your move: ",
        subsequent_indent=" " * 11,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return text.replace(UNBROKEN, " ")


def find_choice(text: str, names: Sequence[str]) -> int | None:
    """Return the index of the action with a name or a number from 1; None if there is none.

    If the actions are numbers themselves, a number is always read as a name.

    Examples
    --------
    >>> find_choice("Bet", ["pass", "bet"]), find_choice("1", ["pass", "bet"])
    (1, 0)
    >>> find_choice("5", ["2", "5"]), find_choice("1", ["2", "5"]), find_choice("?", ["2", "5"])
    (1, None, None)
    """
    named = [position for position, name in enumerate(names) if name.lower() == text.lower()]
    if len(named) == 1:
        return named[0]
    are_numbers = any(name.isdecimal() for name in names)
    if are_numbers or not text.isdecimal() or not 1 <= int(text) <= len(names):
        return None
    return int(text) - 1


def _show_end(history: History, write: Write) -> None:
    from infoset.game import transcript

    write("")
    if history.is_terminal:
        write("game over; the whole history:")
        write(transcript(history))
    else:
        write("you quit before the end of the game; hidden information is not shown")


def _record(history: History, human: Player, against: str, seed: int | None) -> dict[str, Any]:
    from infoset.game import transcript

    over = history.is_terminal
    return {
        "game": str(history.game),
        "player": human,
        "against": against,
        "seed": seed,
        "finished": over,
        "rewards": history.rewards_so_far if over else None,
        "transcript": transcript(history, viewer=None if over else human).splitlines(),
    }
