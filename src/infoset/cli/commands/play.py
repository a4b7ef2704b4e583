"""`infoset play`: play a game in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar

import typer

from infoset.cli.options import GameArgument, JsonOption
from infoset.cli.progress import live
from infoset.cli.screen import in_lines, print_json, say, tell, tell_average
from infoset.cli.tables import JOINT

if TYPE_CHECKING:
    import numpy as np

    from infoset.cli.coach import Coach
    from infoset.evaluation import CorrelatedPolicy
    from infoset.game import Game, History
    from infoset.policy import Policy
    from infoset.typing import Action, Player

    DrawPolicy: TypeAlias = Callable[[], Policy]
    Write: TypeAlias = Callable[[str], None]

Done = TypeVar("Done")

UNIFORM = "uniform"
WIDTH = 78
HELP, COACH, STOP = "?", "!", ("q", "quit")
KEYS = "? lists these keys, q or Ctrl-D quits"


class InputEndedError(Exception):
    """Standard input has ended."""


def run(
    game: GameArgument,
    player: Annotated[
        str,
        typer.Option(
            "--player",
            metavar="PLAYER",
            help="Player that you control: its number, from 0, or its name.",
        ),
    ] = "0",
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
    coach: Annotated[
        str | None,
        typer.Option(
            metavar="POLICY",
            help="Policy with which your decisions are compared after each hand, and when you type "
            "!: a policy file or the folder of a run.",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", help="Time limit for all moves between two of yours."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a game in the terminal, hand after hand.

    You see only what your player observes. At the end of a hand, everything is shown.
    """
    import numpy as np

    from infoset.front import to_game
    from infoset.game.broken_rules import check_num_players
    from infoset.game.player_names import find_player, own_names, player_name

    rules = to_game(game)
    check_num_players(rules)
    human = find_player(rules, player)
    rng = np.random.default_rng(seed)
    others = _opponent(rules, against)
    write = partial(in_lines, tell if as_json else say)
    table = Table(
        rules,
        human,
        _for_hands(others, rng),
        rng,
        seconds,
        None if coach is None else _coach(rules, coach, human),
    )
    who = f"player {human} of {rules.num_players}"
    if own_names(rules):
        who = f"{player_name(rules, human)} ({who})"
    write(f"{rules}: you are {who}, against {against}")
    write(f"answer with the name, its beginning, or the key of an action; {table.keys}")
    hands = list(play_hands(table, write))
    _tell_notes(others, against)
    if as_json:
        about = {"game": str(rules), "player": human, "against": against, "seed": seed}
        print_json({**about, "hands": [_record(history, human) for history in hands]})


def _opponent(rules: Game, against: str) -> Policy | CorrelatedPolicy:
    """Return the policy of the other players. The tree is built only for a policy file."""
    from infoset.front import resolve_players

    with live(str(rules)) as progress:
        return resolve_players([against], rules, progress=progress.building)[0]


def _coach(rules: Game, coach: str, human: Player) -> Coach:
    """Return the coach that knows a policy."""
    from infoset.cli.coach import Coach
    from infoset.front import form_of_policies, resolve_average

    tell_average(coach)
    with live(str(rules)) as progress:
        form = form_of_policies(rules, coach, progress=progress.building)
        return Coach(resolve_average(coach, form), human)


def _for_hands(others: Policy | CorrelatedPolicy, rng: np.random.Generator) -> DrawPolicy:
    """Return the function that gives the policy of the others in each hand.

    A searcher repeats its search at every decision; a correlated policy is drawn for each hand.
    """
    from infoset.evaluation import CorrelatedPolicy
    from infoset.matches import SearchPolicy, SupportsSearch

    if isinstance(others, CorrelatedPolicy):
        return partial(others.draw, rng)
    policy = SearchPolicy(others, rng) if isinstance(others, SupportsSearch) else others
    return lambda: policy


def _tell_notes(player: Policy | CorrelatedPolicy, text: str) -> None:
    """Report searches that exceeded their time budget, and other notes of a searcher."""
    from infoset.search import Searcher

    if isinstance(player, Searcher):
        for note in player.notes():
            tell(f"note: {text}: {note}")


@dataclass(frozen=True)
class Table:
    """A game, who plays it, and the limits on the moves that are not the human's."""

    rules: Game
    human: Player
    others: DrawPolicy
    """Returns the policy of the other players in the next hand."""
    rng: np.random.Generator
    seconds: float | None = None
    """Time limit between two decisions of the human; None for no limit."""
    coach: Coach | None = None
    action_keys: dict[str, str] = field(default_factory=dict)
    """Keys of the actions that have been offered, which stay the same."""

    @property
    def keys(self) -> str:
        """What can be typed besides actions."""
        return KEYS if self.coach is None else f"! asks the coach, {KEYS}"

    def within_limits(self, work: Callable[[], Done]) -> Done:
        """Return the result of a function, which may call rules that do not end."""
        from infoset.cli.command_watch import CommandWatch
        from infoset.tree import allowed_memory

        watch = CommandWatch(
            f"the play of {self.rules}",
            self.seconds,
            allowed_memory(None),
            options="--seconds or --memory",
        )
        return watch.end(work)

    def next_decision(self, history: History, others: Policy) -> tuple[History, Sequence[Action]]:
        """Play until the human acts; return its legal actions, or none at the end."""
        while not history.is_terminal and self.human not in history.actors:
            history = self.move(history, others, {})
        return history, () if history.is_terminal else history.legal_actions(self.human)

    def move(self, history: History, others: Policy, chosen: Mapping[Player, Action]) -> History:
        """Return the history after a move of all actors; a policy chooses for the others."""
        actions = dict(chosen)
        for player in history.actors:
            if player not in actions:
                legal = history.legal_actions(player)
                probabilities = others.action_probabilities(history.infostates[player], legal)
                actions[player] = legal[self.rng.choice(len(legal), p=probabilities)]
        return history.sample(history.joint(actions), self.rng)


def play_hands(table: Table, write: Write) -> Iterator[History]:
    """Play hands until the player or the input ends; yield the history of each."""
    total, number = 0.0, 0
    while True:
        history = play_interactively(table, write)
        _show_end(history, write)
        yield history
        if not history.is_terminal:
            return
        if table.coach is not None:
            for line in table.coach.review(history):
                write(line)
        number += 1
        total += float(history.rewards_so_far[table.human])
        plural = "" if number == 1 else "s"
        write("")
        write(f"your total after {number} hand{plural}: {total:+g}")
        write("another hand? Enter to play, q to quit")
        try:
            if _read_line().lower() in STOP:
                return
        except InputEndedError:
            return


def play_interactively(table: Table, write: Write) -> History:
    """Play until the game or the input ends; return the history."""
    from infoset.game import initial_history, transcript

    history, others = table.within_limits(lambda: initial_history(table.rules)), table.others()
    num_shown = 0
    while True:
        history, legal = table.within_limits(partial(table.next_decision, history, others))
        if not legal:
            return history
        lines = transcript(history, viewer=table.human).splitlines()[1:]
        write("")
        for line in lines[num_shown:]:  # those since the last decision
            write(line)
        num_shown = len(lines)
        try:
            chosen = {table.human: _ask(table, history, legal, write)}
        except InputEndedError:
            return history
        history = table.within_limits(partial(table.move, history, others, chosen))


def _ask(table: Table, history: History, legal: Sequence[Action], write: Write) -> Action:
    """Read one of the legal actions from standard input.

    Raises
    ------
    InputEndedError
        At the end of the input, or if the player quits.
    """
    from infoset.views.styles import NUMBERS_ALONE, action_keys

    names = [str(action) for action in legal]
    # Numbers are typed as they are, so that keys for them would be confusing.
    words = [name for name in names if not NUMBERS_ALONE.fullmatch(name)]
    table.action_keys.update(action_keys(words, table.action_keys))
    infostate = history.infostates[table.human]
    board = table.rules.board_as_seen(infostate)
    while True:
        if board is not None:
            write(board)
        write(menu(names, table.action_keys))
        line = _read_line()
        position = find_choice(line, names, table.action_keys)
        if position is not None:
            return legal[position]
        if line.lower() in STOP:
            raise InputEndedError
        if line == HELP:
            write(table.keys + _where_actions_are_explained(table.rules))
        elif line == COACH and table.coach is not None:
            write(table.coach.advice(infostate))
            for held in table.within_limits(partial(table.coach.beliefs, infostate, table.rules)):
                write(held)
        else:
            write(f"{line!r} is not a legal action, or the beginning of several; ? helps")


def _where_actions_are_explained(rules: Game) -> str:
    """Return the command that describes a game of the library; empty for other games."""
    from infoset.games import GAMES

    name = str(rules).partition("(")[0]
    return f"\ninfoset games {name} describes the rules" if name in GAMES else ""


def _read_line() -> str:
    sys.stdout.flush()
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}"
    if not line:
        raise InputEndedError
    return line.strip()


def menu(names: Sequence[str], keys: Mapping[str, str]) -> str:
    """Return the list of actions with their keys.

    Examples
    --------
    >>> menu(["pass", "bet", "2"], {"pass": "p", "bet": "b"})
    'your move: [p] pass  [b] bet  2'
    """
    # Spaces inside an entry must not become line breaks.
    entries = [
        (f"[{keys[name]}] {name}" if keys.get(name) else name).replace(" ", JOINT) for name in names
    ]
    text = fill(
        "  ".join(entries),
        WIDTH,
        initial_indent="your move: ",
        subsequent_indent=" " * 11,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return text.replace(JOINT, " ")


def find_choice(text: str, names: Sequence[str], keys: Mapping[str, str]) -> int | None:
    """Return the index of the action with a name, a key or a beginning; None if unclear.

    Examples
    --------
    >>> keys = {"fold": "f", "feint": "e", "pass": "p", "bet": "b"}
    >>> (
    ...     find_choice("Bet", ["pass", "bet"], keys),
    ...     find_choice("p", ["pass", "bet"], keys),
    ... )
    (1, 0)
    >>> (
    ...     find_choice("e", ["fold", "feint"], keys),
    ...     find_choice("fe", ["fold", "feint"], keys),
    ... )
    (1, 1)
    """
    given = text.lower()
    lower = [name.lower() for name in names]
    for found in (
        [at for at, name in enumerate(lower) if name == given],
        [at for at, name in enumerate(names) if given and keys.get(name) == given],
        [at for at, name in enumerate(lower) if given and name.startswith(given)],
    ):
        if len(found) == 1:
            return found[0]
    return None


def _show_end(history: History, write: Write) -> None:
    from infoset.game import transcript

    write("")
    if history.is_terminal:
        write("game over; the whole history:")
        write(transcript(history, show_worlds=False))
    else:
        write("you quit before the end of the game; hidden information is not shown")


def _record(history: History, human: Player) -> dict[str, Any]:
    from infoset.game import transcript

    over = history.is_terminal
    return {
        "finished": over,
        "rewards": history.rewards_so_far if over else None,
        "transcript": transcript(history, viewer=None if over else human).splitlines(),
    }
