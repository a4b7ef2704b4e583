"""Public states as plain values: where one is, what each player may hold, what a policy does there.

Every view consists of numbers, texts and tuples, and `dataclasses.asdict` turns it into JSON
values. Unknown numbers are None; no number is invented.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from infoset.errors import ParameterError
from infoset.typing import IntArray, LongArray, Player
from infoset.utils.arguments import check_count, check_player
from infoset.views.labels import are_hands, class_text, hand_class
from infoset.views.places import Place, Places

MAX_CHILDREN = 200
"""Children and histories in one answer; the next call begins where it ends."""
MAX_INFOSTATES = 500
"""Infostates of one player in one answer."""
MAX_CHOICES = 8
"""Children of each public state on a path, in one answer."""
MAX_PROBABILITIES = 60
"""Acting infostates of each player whose probabilities a run sends."""
MAX_HANDS = 1326
"""Hands of two cards, all of which are in one answer."""
MAX_LABEL = 60


@dataclass(frozen=True)
class StateLink:
    """A public state, as an entry in a list."""

    state: int
    """Number of the public state."""
    label: str
    """The last public observation."""
    probability: float
    """Probability of the state, given its parent; 0 if the policy never reaches the parent."""
    num_children: int
    num_infostates: tuple[int, ...]
    """[N] number of each player's infostates."""
    actors: tuple[Player, ...]
    """Players who act in some history."""
    is_end: bool
    """Whether all its histories are terminal."""


@dataclass(frozen=True)
class ChildrenView:
    """Some of the public states that are one public observation longer."""

    state: int
    """The parent."""
    start: int
    total: int
    """Position of the first child in this answer, and the number of all children."""
    children: tuple[StateLink, ...]


@dataclass(frozen=True)
class StateView:
    """A public state."""

    state: int
    path: tuple[StateLink, ...]
    """The public states from the root to this one."""
    choices: tuple[ChildrenView, ...]
    """For each state of the path its most probable children, in order, and the next one."""
    probability: float
    """Probability of the state under the policy."""
    num_histories: int
    num_infostates: tuple[int, ...]
    """[N]"""
    actors: tuple[Player, ...]
    """Players who act in some history."""
    num_children: int
    values: tuple[float, ...] | None
    """[N] expected utilities at the state; None if the policy never reaches it."""


@dataclass(frozen=True)
class ActionView:
    """An action at an infostate."""

    label: str
    probability: float
    """Probability of the action under the policy."""
    value: float | None
    """Expected utility of the player after the action, given the infostate; None if chance and the
    others never lead there."""
    regret: float | None
    """`value` less the value of the infostate, times the counterfactual reach: the regret that CFR
    adds up. None if `value` is None."""


@dataclass(frozen=True)
class InfostateView:
    """What a player may hold at a public state, and what the policy does with it."""

    infostate: int
    """Number in the player's infostate tree."""
    label: str
    """The private part: private observations, and own actions that are not public, marked `!`."""
    own_reach: float
    """Probability that the player's own actions lead here, which is an entry of its range."""
    probability: float | None
    """Probability of the infostate, given the public state: the belief of an onlooker. None if the
    policy never reaches the public state."""
    value: float | None
    """Expected utility of the player here; None if chance and the others never lead here."""
    actions: tuple[ActionView, ...]
    """Empty where the player does not act."""
    hand: str
    """The class of a hand of two cards, such as `AKo`; empty otherwise."""
    equity: float | None
    """Probability to win plus half of that to tie, if all betting stopped; only in public forms."""


@dataclass(frozen=True)
class InfostatesView:
    """Some of the infostates of a player at a public state, in the order of the rules."""

    state: int
    player: Player
    start: int
    total: int
    """Position of the first infostate in this answer, and the number of all."""
    infostates: tuple[InfostateView, ...]
    are_hands: bool
    """Whether these are hands of two cards, such as `AhKd`; `view_hand_grid` draws them."""
    frequencies: tuple[float, ...] | None
    """[A] how often each action is played, over all infostates of the player here; None if their
    actions differ, if nobody acts, or if the policy never reaches the public state."""


@dataclass(frozen=True)
class HistoryView:
    """A history."""

    history: int
    """Number in the game tree."""
    moves: tuple[str, ...]
    """Actions, or the observations that chance caused, one for each transition."""
    infostates: tuple[int, ...]
    """[N] infostate of each player."""
    probability: float | None
    """Probability of the history, given the public state; None if the policy never reaches it."""
    values: tuple[float, ...]
    """[N] expected utilities if everybody follows the policy from here on."""
    is_terminal: bool


@dataclass(frozen=True)
class HistoriesView:
    """Some of the histories of a public state."""

    state: int
    start: int
    total: int
    histories: tuple[HistoryView, ...]


def view_children(places: Places, state: int, start: int = 0) -> ChildrenView:
    """Return up to 200 of the children of a public state."""
    children = places.at(state).children
    shown = range(len(children))[page(start, len(children), MAX_CHILDREN)]
    links = tuple(_link(places.at(children[at])) for at in shown)
    return ChildrenView(state, start, len(children), links)


def view_state(places: Places, state: int) -> StateView:
    """Return a public state with its path from the root.

    Examples
    --------
    >>> import infoset
    >>> from infoset.policy import uniform_policy
    >>> from infoset.views import PublicPlaces
    >>> form = infoset.build_public_form("leduc_poker")
    >>> view = view_state(PublicPlaces(form, uniform_policy(form)), 1)
    >>> [link.label for link in view.path], round(view.probability, 9), view.actors
    (['∅', 'call'], 0.5, (1,))
    """
    place = places.at(state)
    line: list[Place] = []
    at: Place | None = place
    while at is not None:
        line.insert(0, at)
        at = at.parent
    here = _link(place)
    following = [*(one.number for one in line[1:]), None]
    return StateView(
        state=state,
        path=tuple(map(_link, line)),
        choices=tuple(
            _choices(places, one, taken) for one, taken in zip(line, following, strict=True)
        ),
        probability=place.probability,
        num_histories=place.num_histories,
        num_infostates=here.num_infostates,
        actors=here.actors,
        num_children=here.num_children,
        values=place.values,
    )


def _choices(places: Places, place: Place, taken: int | None) -> ChildrenView:
    """Return the most probable children of a place, and the one that is taken, in order."""
    children = place.children
    links = [_link(places.at(number)) for number in children]
    likely = sorted(links, key=lambda link: (link.state != taken, -link.probability))
    shown = {link.state for link in likely[:MAX_CHOICES]}
    kept = tuple(link for link in links if link.state in shown)
    return ChildrenView(place.number, 0, len(children), kept)


def view_infostates(places: Places, state: int, player: Player, start: int = 0) -> InfostatesView:
    """Return up to 500 of a player's infostates at a public state, or all of its hands.

    Raises
    ------
    ParameterError
        If the public state or the player does not exist, or `start` is not a position.
    """
    place = places.at(state)
    check_player(player, places.num_players, places.name)
    numbers = place.infostates(player)
    every = range(len(numbers))
    # The first label tells most games from those of hands.
    holds_hands = all(
        are_hands(place.labels(player, shown, MAX_LABEL)) for shown in (every[:1], every)
    )
    shown = every[page(start, len(numbers), MAX_HANDS if holds_hands else MAX_INFOSTATES)]
    rows = _infostates(place, player, numbers, shown)
    frequencies = _frequencies(place, player, len(numbers))
    return InfostatesView(state, player, start, len(numbers), rows, holds_hands, frequencies)


def view_histories(places: Places, state: int, start: int = 0) -> HistoriesView:
    """Return up to 200 of the histories of a public state.

    Raises
    ------
    UnsupportedGameError
        If histories are not listed, as in a public form.
    """
    place = places.at(state)
    found, total = place.histories(), place.probability
    shown = range(len(found.numbers))[page(start, len(found.numbers), MAX_CHILDREN)]
    rows = tuple(
        HistoryView(
            history=int(found.numbers[at]),
            moves=found.moves(int(found.numbers[at])),
            infostates=tuple(found.infostates[at].tolist()),
            probability=float(found.reach[at]) / total if total > 0 else None,
            values=tuple(found.values[at].tolist()),
            is_terminal=bool(found.is_terminal[at]),
        )
        for at in shown
    )
    return HistoriesView(state, start, len(found.numbers), rows)


def view_probabilities(places: Places, state: int) -> dict[str, tuple[float, ...]]:
    """Return the action probabilities at a public state: up to 60 acting infostates of each player.

    The keys are `player.infostate`, in the order of the rules.
    """
    place = places.at(state)
    found = {}
    for player in place.actors:
        numbers = place.infostates(player).tolist()
        acting = (at for at in range(len(numbers)) if place.legal_actions(player, at))
        for at in islice(acting, MAX_PROBABILITIES):
            found[f"{player}.{numbers[at]}"] = tuple(place.policy(player, at).tolist())
    return found


def page(start: int, total: int, size: int) -> slice:
    """Return which entries are in an answer."""
    check_count("start", start)
    if start and start >= total:
        raise ParameterError(f"start={start}: there are {total} entries, counted from 0")
    return slice(start, start + size)


def _link(place: Place) -> StateLink:
    parent = place.parent
    before = 1.0 if parent is None else parent.probability
    return StateLink(
        state=place.number,
        label=place.label,
        # Rounding can make the parent's sum smaller than that of its only child.
        probability=min(1.0, place.probability / before) if before > 0 else 0.0,
        num_children=len(place.children),
        num_infostates=place.num_infostates,
        actors=place.actors,
        is_end=place.is_end,
    )


def _infostates(
    place: Place, player: Player, numbers: IntArray | LongArray, shown: range
) -> tuple[InfostateView, ...]:
    """Return the views of infostates at positions."""
    total, labels = place.probability, place.labels(player, shown, MAX_LABEL)
    own_reach, reach = place.own_reach(player), place.reach(player)
    values, equity = place.infostate_values(player), place.equity(player)
    counterfactual = place.counterfactual_reach(player)
    return tuple(
        InfostateView(
            infostate=int(numbers[at]),
            label=label,
            own_reach=float(own_reach[at]),
            probability=float(reach[at]) / total if total > 0 else None,
            value=known(values[at]),
            actions=_actions(place, player, at, float(values[at]), float(counterfactual[at])),
            hand=class_text(place_of) if (place_of := hand_class(label)) else "",
            equity=None if equity is None else known(equity[at]),
        )
        for at, label in zip(shown, labels, strict=True)
    )


def _actions(
    place: Place, player: Player, position: int, value: float, reach: float
) -> tuple[ActionView, ...]:
    legal = place.legal_actions(player, position)
    if not legal:
        return ()
    worth = place.action_values(player, position)
    regrets = reach * (worth - value)  # r(I, a) = π₋ᵢ(I) · (v(I, a) - v(I)), as CFR adds up
    columns = place.policy(player, position), worth, regrets
    return tuple(
        ActionView(str(action), float(share), known(value), known(regret))
        for action, share, value, regret in zip(legal, *columns, strict=True)
    )


def _frequencies(place: Place, player: Player, count: int) -> tuple[float, ...] | None:
    """Return the mean policy of a player's infostates, weighted by the belief."""
    if player not in place.actors or not place.probability > 0:
        return None
    actions = place.legal_actions(player, 0)
    if not actions or any(place.legal_actions(player, at) != actions for at in range(count)):
        return None
    played = np.array([place.policy(player, at) for at in range(count)])
    return tuple((place.reach(player) @ played / place.probability).tolist())


def known(value: float) -> float | None:
    """Return a number for JSON, which has no NaN: None if it is unknown."""
    return None if np.isnan(value) else float(value)
