"""Observations of an OpenSpiel game, from its observers or from its strings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias

from infoset.game import Observation
from infoset.interop.openspiel._trial import observation_kinds
from infoset.interop.openspiel.states import CachedState, Moves, Observer, import_pyspiel
from infoset.interop.openspiel.trials import observers_are_safe
from infoset.interop.openspiel.witnesses import Visit
from infoset.typing import Player

MAX_AGREEMENT_HISTORIES = 1000
"""Number of histories that are compared with OpenSpiel's strings when a game is loaded."""

PublicViews: TypeAlias = Callable[[Moves], Sequence[str]]
"""Function that returns the public observation of a world state for each player."""

NO_PUBLIC = "OpenSpiel offers no public observations of {name}"
DISAGREE = "OpenSpiel's observers of {name} contradict its strings and are not used"
UNSAFE = "OpenSpiel's observers of {name} crash or could not be tried, and are not used"
ONLY_TIME = ": public states contain only the number of moves"
OWN_TURN = (
    "A player sees OpenSpiel's information-state string where it is to act and at the end of the "
    "game"
)
EVERY_MOVE = (
    "OpenSpiel offers no information-state strings: players see its observation strings after "
    "every move"
)


@dataclass(frozen=True)
class Sources:
    """The sources of a game's observations; None or False marks a source that is not used."""

    moves: bool = False
    """Whether all moves are public, as under perfect information."""
    public: Observer | None = None
    """OpenSpiel's public observer, used after every move."""
    private: Observer | None = None
    """OpenSpiel's private observer or its observation string, used after every move."""
    own_turn: Observer | None = None
    """OpenSpiel's information-state string, used when the player is to act and at the end."""
    describes_state: bool = True
    """Whether the private string describes a state and is observed when it changes. If False, it
    describes an event and is observed when it is not empty."""

    def observe(
        self, before: CachedState, move: str | tuple[str, ...] | None, after: CachedState
    ) -> Observation:
        """Return the observation of the transition between two states."""
        public: Hashable = move if self.moves else None
        if self.public is not None:
            public = after.observation(self.public, 0)
        players = range(after.state.num_players())
        if self.own_turn is not None:
            return Observation(public, [self._known(self.own_turn, after, p) for p in players])
        if self.private is not None:
            return Observation(
                public, [self._changed(self.private, before, after, p) for p in players]
            )
        return Observation(public)

    def _known(self, observer: Observer, after: CachedState, player: Player) -> Hashable:
        if after.is_terminal:  # OpenSpiel's string may be the same as in a nonterminal state
            return ("end", after.observation(observer, player))
        return after.observation(observer, player) if player in after.actors else None

    def _changed(
        self, observer: Observer, before: CachedState, after: CachedState, player: Player
    ) -> Hashable:
        text = after.observation(observer, player)
        nothing = before.observation(observer, player) if self.describes_state else ""
        return None if text == nothing else text


class Candidate(NamedTuple):
    """One choice of sources, with notes for the user."""

    sources: Sources
    notes: tuple[str, ...]


def candidates(game: Any, use_observers: bool | None = None) -> list[Candidate]:
    """Return the possible sources of observations, the most informative first.

    Observers are called only if this is known to be safe; None checks whether it is.
    """
    game_type, information = game.get_type(), import_pyspiel().GameType.Information
    if game_type.information in (information.PERFECT_INFORMATION, information.ONE_SHOT):
        return [Candidate(Sources(moves=True), ())]
    if use_observers is None:
        use_observers = observers_are_safe(game)
    found, missing = [], NO_PUBLIC if use_observers else UNSAFE
    public, private = observers(game) if use_observers else (None, None)
    if public is not None and private is not None:
        describes_state = private(game.new_initial_state(), 0) != ""
        found = [
            Candidate(Sources(public=public, private=private, describes_state=describes_state), ())
        ]
        missing = DISAGREE
    missing = missing.format(name=game_type.short_name) + ONLY_TIME
    if game_type.provides_information_state_string:
        found.append(Candidate(Sources(own_turn=information_string), (missing, OWN_TURN)))
    elif game_type.provides_observation_string:
        found.append(Candidate(Sources(private=observation_string), (missing, EVERY_MOVE)))
    return found


def information_string(state: Any, player: Player) -> str:
    """Return OpenSpiel's information-state string."""
    return str(state.information_state_string(player))


def observation_string(state: Any, player: Player) -> str:
    """Return OpenSpiel's observation string."""
    return str(state.observation_string(player))


def observers(game: Any) -> tuple[Observer | None, Observer | None]:
    """Return OpenSpiel's public and private observers; None for one that returns no strings."""
    public, private = observation_kinds(import_pyspiel())
    return observer(game, public), observer(game, private)


def observer(game: Any, kind: Any) -> Observer | None:
    """Return the string function of an OpenSpiel observer; None if it does not exist."""
    make = import_module("open_spiel.python.observation").make_observation
    try:
        made = make(game, kind)
        text = None if made is None else made.string_from(game.new_initial_state(), 0)
    except (RuntimeError, ValueError, TypeError, NotImplementedError):
        return None
    if made is None or text is None:
        return None
    shown: Observer = made.string_from
    return shown


def observations_agree(visits: Iterator[Visit], public: PublicViews | None) -> bool:
    """Return whether infostates made of observations agree with OpenSpiel's strings.

    An infostate must determine whether its player acts, and the legal actions. It must distinguish
    histories exactly as the player's past strings, its actions and the number of moves do. The
    public observation of one player must determine that of every other player.
    """
    # Every fact is a pair (key, value): the same key must always come with the same value.
    table: dict[Hashable, Hashable] = {}
    return all(
        table.setdefault(key, value) == value
        for here in visits
        for key, value in (*own_facts(here), *public_facts(here, public))
    )


def own_facts(here: Visit) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield the facts about one player, which relate its infostate to strings and actions."""
    for player, infostate in enumerate(here.history.infostates):
        yield ("legal", infostate), here.history.legal_actions(player)
        if player in here.strings:
            known = (here.strings[player], here.memories[player], len(here.world))
            yield ("told", infostate), known
            yield (player, known), infostate


def public_facts(here: Visit, public: PublicViews | None) -> Iterator[tuple[Hashable, Hashable]]:
    """Yield facts that relate two players' views of the public observation."""
    if public is None:
        return
    first, *others = public(here.world)
    for player, view in enumerate(others, start=1):
        yield ("other", player, first), view
        yield ("first", player, view), first
