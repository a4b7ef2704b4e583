"""Transcripts, which show plays as readable text."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice

from infoset.errors import ParameterError
from infoset.game.history import History
from infoset.game.infostate import value_text
from infoset.game.observation import Observation
from infoset.game.player_names import player_name
from infoset.game.protocol import Game
from infoset.typing import NOOP, Player

MANY_OUTCOMES = 10_000
"""Chance moves with more outcomes are shown without checking whether they are observed."""
UNKNOWN = "-"
"""The actions of a transition if the viewer does not know who acted."""


def transcript(
    history: History,
    viewer: Player | None = None,
    *,
    show_worlds: bool = True,
    boards: bool = False,
) -> str:
    """Return a play as text: one line per transition, then the rewards if the play is over.

    Each line contains the actions, the public observation, the observations of groups and single
    players, and the nonzero rewards, separated by bars. A chance outcome that the observations do
    not determine is shown as the world state that it led to. Equal histories have equal
    transcripts; different histories have different transcripts if their world states, actions and
    observations differ as text.

    Parameters
    ----------
    viewer
        Show only what this player knows: its own actions and observations, and who else acted, and
        how, if everybody can know it from the rules and the public observations; when the play is
        over, its utility. During the play, the player's infostate determines the transcript.
    show_worlds
        Whether chance outcomes that the observations do not determine are shown as world states,
        so that different histories have different transcripts.
    boards
        Whether a drawing of the board follows each transition in games that have one: the board as
        the viewer sees it or, without a viewer, as those who acted see it afterwards. A board that
        has not changed is not repeated.

    Returns
    -------
    str

    Raises
    ------
    ParameterError
        If `viewer` is not a player of the game.

    Examples
    --------
    >>> import numpy as np
    >>> from infoset.game import initial_history, play_out
    >>> from infoset.games import load_game
    >>> rng = np.random.default_rng(0)
    >>> always_bet = lambda infostate, legal_actions: "bet"
    >>> history = play_out(
    ...     initial_history(load_game("kuhn_poker")), [always_bet] * 2, rng
    ... )
    >>> print(transcript(history, viewer=0))
    kuhn_poker, seen by player 0
    1. chance        | you see K
    2. you: bet      | all see bet
    3. player 1: bet | all see bet,K,J
    end: you get +2
    """
    if viewer is not None and viewer not in range(history.game.num_players):
        raise ParameterError(
            f"viewer={viewer!r} is not a player of {history.game}; players are 0 to "
            f"{history.game.num_players - 1}, and viewer=None shows everything"
        )
    path = history.path()
    rows = [_row(stop, viewer, show_worlds) for stop in path[1:]]
    if viewer is None and any(any(stop.rewards_so_far) for stop in path[:-1]):
        rows = [
            (doing, " | ".join(filter(None, [showing, _rewards_of(stop)])))
            for (doing, showing), stop in zip(rows, path[1:], strict=True)
        ]
    title = str(history.game)
    if viewer is not None:
        title += f", seen by {player_name(history.game, viewer)}"
    lines = [title]
    shown: dict[Player, str | None] = dict.fromkeys(range(history.game.num_players))
    for line, stop in zip(_table(rows), path[1:], strict=True):
        lines.append(line)
        if boards:
            lines += _new_boards(stop, viewer, shown)
    if history.is_terminal:
        players = range(history.game.num_players) if viewer is None else [viewer]
        rewards = _rewards_text(history.game, history.rewards_so_far, players, viewer)
        lines.append(f"end: {rewards}")
    return "\n".join(lines)


def _new_boards(
    history: History, viewer: Player | None, shown: dict[Player, str | None]
) -> Iterator[str]:
    """Yield the lines of the boards after a transition; `shown` has those of earlier ones."""
    actors = history.parent.actors if history.parent else ()
    for player in sorted(actors) if viewer is None else [viewer]:
        board = history.game.board_as_seen(history.infostates[player])
        if board is not None and board != shown[player]:
            shown[player] = board
            yield from (f"     {line}" for line in board.splitlines())


def _table(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield numbered lines with an aligned second column."""
    digits = len(str(len(rows)))
    width = max((len(doing) for doing, _ in rows), default=0)
    for number, (doing, showing) in enumerate(rows, start=1):
        line = f"{number:>{digits}}. {doing:<{width}}"
        yield f"{line} | {showing}" if showing else line.rstrip()


def _row(history: History, viewer: Player | None, show_worlds: bool) -> tuple[str, str]:
    """Return the actions and observations of the last transition, as the viewer knows them."""
    actors: Sequence[Player] | None = history.parent.actors if history.parent else ()
    known = dict(enumerate(history.joint_action))
    if viewer is not None:
        actors, public = history.public_move
        known = {**public, viewer: history.joint_action[viewer]}
    actions = [
        f"{_name(history.game, player, viewer)}: {value_text(known[player])}"
        for player in sorted(known)
        if known[player] is not NOOP
    ]
    seen = list(_observations(history, viewer, show_worlds))
    if viewer is not None and not actions and not seen:
        seen = ["you see nothing"]
    return ", ".join(actions) or _actors_text(history.game, actors, viewer), " | ".join(seen)


def _actors_text(game: Game, actors: Sequence[Player] | None, viewer: Player | None) -> str:
    """Return who acted if the actions are unknown."""
    if actors is None:
        return UNKNOWN
    names = [_name(game, player, viewer) for player in actors]
    return f"{' and '.join(names)} {'act' if len(names) > 1 else 'acts'}" if names else "chance"


def _observations(history: History, viewer: Player | None, show_worlds: bool) -> Iterator[str]:
    """Yield the observations of the last transition that the viewer knows."""
    seen = history.observation
    if seen.public is not None:
        yield f"all see {value_text(seen.public)}"
    for group in sorted(seen.shared):
        if viewer is None or viewer in group:
            yield f"{_seers(history.game, group, viewer)} {value_text(seen.shared[group])}"
    for player in range(history.game.num_players) if viewer is None else [viewer]:
        if (own := seen.private_part(player)) is not None:
            yield f"{_seers(history.game, (player,), viewer)} {value_text(own)}"
    if viewer is None and show_worlds and _is_hidden(history):
        yield f"chance moves to {history.world}"


def _is_hidden(history: History) -> bool:
    """Return whether another outcome of the last transition has the same observation."""
    if history.parent is None:
        return False
    game, before = history.game, (history.parent.world, history.joint_action)
    outcomes = list(islice(game.transitions(*before), MANY_OUTCOMES + 1))
    looks = _looks(history.observation, game.num_players)
    return len(outcomes) > MANY_OUTCOMES or any(
        _looks(game.observe(*before, world), game.num_players) == looks
        for world, probability in outcomes
        if probability and world != history.world
    )


def _looks(seen: Observation, num_players: int) -> tuple[Hashable, ...]:
    return (seen.public, *seen.seen_by_each(num_players))


def _rewards_of(history: History) -> str:
    """Return the nonzero rewards of the last transition as text."""
    before = history.parent.rewards_so_far if history.parent else ()
    rewards = [now - then for now, then in zip(history.rewards_so_far, before, strict=True)]
    players = [player for player, reward in enumerate(rewards) if reward]
    return _rewards_text(history.game, rewards, players, None)


def _rewards_text(
    game: Game, rewards: Sequence[float], players: Iterable[Player], viewer: Player | None
) -> str:
    return ", ".join(
        f"{_name(game, player, viewer)} {'get' if player == viewer else 'gets'} "
        + (f"{float(rewards[player]):+g}" if rewards[player] else "0")
        for player in players
    )


def _seers(game: Game, group: Sequence[Player], viewer: Player | None) -> str:
    """Return a group with its verb, the viewer first, as `you and player 2 see`."""
    ordered = sorted(group, key=lambda player: (player != viewer, player))
    names = [_name(game, player, viewer) for player in ordered]
    verb = "see" if len(group) > 1 or viewer in group else "sees"
    return f"{' and '.join(names)} {verb}"


def _name(game: Game, player: Player, viewer: Player | None) -> str:
    return "you" if player == viewer else player_name(game, player)
