"""Leaks of a policy: what decisions contribute to NashConv."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

from infoset.evaluation import Leak
from infoset.game.infostate import START, join_steps
from infoset.typing import Player
from infoset.utils.arguments import check_count
from infoset.views.places import Place, Places

MAX_LEAKS = 50
"""Leaks in one answer."""

MAX_STATES = 10
"""Public states in one answer."""


@dataclass(frozen=True)
class LeakView:
    """An infostate where a player loses utility against a best response."""

    player: Player
    infostate: int
    """Number at its public state, as in `InfostateView`."""
    state: int
    """Its public state."""
    label: str
    """The whole infostate."""
    cost: float
    """Its part of NashConv."""
    loss: float
    """What a decision there loses on average, if play after it is a best response."""
    actions: tuple[str, ...]
    probabilities: tuple[float, ...]
    values: tuple[float | None, ...]
    """Expected utility after each action, if play after it is a best response."""
    best: int
    """The position of the best action."""


@dataclass(frozen=True)
class LeaksView:
    """Some of the leaks, largest cost first."""

    start: int
    total: int
    """Position of the first leak in this answer, and the number of all."""
    nash_conv: float
    """The sum of all costs."""
    leaks: tuple[LeakView, ...]


@dataclass(frozen=True)
class StateLeakView:
    """The leaks of a player at a public state, added up."""

    state: int
    label: str
    """The public observations that lead there."""
    player: Player
    cost: float
    """Their part of NashConv."""
    num_infostates: int
    """Number of infostates with leaks."""


@dataclass(frozen=True)
class StateLeaksView:
    """Some of the public states with leaks, largest cost first."""

    start: int
    total: int
    """Position of the first state in this answer, and the number of all."""
    nash_conv: float
    states: tuple[StateLeakView, ...]


def view_state_leaks(places: Places, start: int = 0, size: int = MAX_STATES) -> StateLeaksView:
    """Return up to 10 public states with leaks, largest cost first."""
    check_count("start", start)
    check_count("size", size, minimum=1)
    report, found = places.leaks, []
    for player in range(places.num_players):
        sums = report.sums(player, places.acting_infostates(player)[0])
        found += [(-cost, state, player, count) for state, cost, count in sums]
    views = tuple(
        StateLeakView(state, _line(places.at(state)), player, -cost, count)
        for cost, state, player, count in sorted(found)[start : start + min(size, MAX_STATES)]
    )
    return StateLeaksView(start, len(found), report.nash_conv, views)


def _line(place: Place) -> str:
    """Return the public observations that lead to a place."""
    labels: list[str] = []
    while place.parent is not None:
        labels.append(place.label)
        place = place.parent
    return join_steps(reversed(labels)) if labels else START


def view_leaks(places: Places, start: int = 0, size: int = MAX_LEAKS) -> LeaksView:
    """Return up to 50 leaks of a policy, largest cost first."""
    check_count("start", start)
    check_count("size", size, minimum=1)
    report = places.leaks
    end = min(start + min(size, MAX_LEAKS), report.num_leaks)
    shown = report.leaks(end)[start:] if end > start else []
    leaks = tuple(_leak(places, leak) for leak in shown)
    return LeaksView(start, report.num_leaks, report.nash_conv, leaks)


def _leak(places: Places, leak: Leak) -> LeakView:
    state, infostate = (int(own[leak.number]) for own in places.acting_infostates(leak.player))
    return LeakView(
        player=leak.player,
        infostate=infostate,
        state=state,
        label=leak.infostate,
        cost=leak.cost,
        loss=leak.loss,
        actions=tuple(map(str, leak.actions)),
        probabilities=leak.played,
        values=tuple(None if isnan(value) else value for value in leak.values),
        best=leak.actions.index(leak.best),
    )
