"""Remarks of `check_game`: games that break no rule, but are probably not as intended."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from infoset.game._whole_game import Choice, WholeGame
from infoset.game._world_checks import Edge
from infoset.game.infostate import Step, value_text
from infoset.typing import CHANCE, Player

MAX_SEARCHES: Final = 20
"""Maximum number of searches for a later observation that depends on a player's choice."""

PAID_BEFORE: Final = (
    "compute the final rewards from next_world: rewards is not called at the last world state"
)


@dataclass(frozen=True)
class Remark:
    """Something suspicious in a game that breaks no rule."""

    kind: str
    """Key of `REMARKS`."""
    found: str
    """The suspicious feature, in words."""
    advice: str
    """The advised change, if it is not intended."""

    def __str__(self) -> str:
        return f"{self.found}; if this is not intended, {self.advice}"


def constant_utilities(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find players whose utility is the same in every play."""
    constant = [p for p in whole.players if whole.utilities[p].is_constant]
    utilities = [f"{whole.utilities[p].low:g}" for p in whole.players]
    if len(constant) == whole.num_players:
        yield f"every play ends with the utilities {', '.join(utilities)}", PAID_BEFORE
    else:
        for player in sorted(whole.acting.intersection(constant)):
            found = f"the utility of {whole.name(player)} is {utilities[player]} in every play"
            yield found, PAID_BEFORE


def idle_players(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find players who never act."""
    advice = "omit the player from num_players, or list it in actors where it acts"
    if not whole.acting:
        yield "no player ever acts", "list the players who act in actors"
    else:
        for player in whole.players:
            if player not in whole.acting:
                yield f"{whole.name(player)} never acts", advice


def forced_players(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find players who act, but never have a choice."""
    for player in sorted(whole.acting - whole.choosing):
        yield (
            f"{whole.name(player)} has only one legal action wherever it acts",
            "list all its actions in legal_actions",
        )


def actions_without_effect(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find players whose actions make no difference."""
    for player in sorted(whole.choosing - whole.effective):
        yield (
            f"the actions of {whole.name(player)} make no difference to next worlds, rewards and "
            "observations",
            f"use joint_action[{player}] in transitions or rewards",
        )


def empty_observations(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find players whose private observations never tell them anything."""
    owner: list[Player] = [*whole.players]
    privates: dict[Hashable, set[Hashable]] = {}
    given, informed = set(), set()
    for origin in whole.infostates.origin[whole.num_players :]:
        assert origin is not None  # only the first ones are initial
        before, step = origin
        player = owner[before]
        owner.append(player)
        if step.private is not None and not _repeats_action(step):
            given.add(player)
        known = privates.setdefault((before, step.action, step.public), set())
        known.add(step.private)
        if len(known) > 1:
            informed.add(player)
    for player in sorted(given - informed):
        yield (
            f"the private observations of {whole.name(player)} never give it new information",
            "put this player's hidden information into them, or omit them",
        )


def _repeats_action(step: Step) -> bool:
    """Return whether a private observation is only the player's own action."""
    return step.action is not None and step.private in (step.action, (step.action,))


def shared_secrets(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find private observations that all players always share."""
    seen = {tuple(step.private for step in edge.steps) for edge in _edges(whole)}
    private = [parts for parts in seen if any(part is not None for part in parts)]
    if whole.num_players > 1 and private and all(len(set(parts)) == 1 for parts in private):
        yield (
            "all players always have the same private observations",
            "give each player its own part, or make the observations public",
        )


def unseen_actions(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find choices that a player who acts after them never observes."""
    left = MAX_SEARCHES
    unseen: dict[tuple[Player, Player], list[Choice]] = {}
    for choice, later in whole.later_choosers.items():
        if choice.player in whole.effective:
            for observer in sorted(later - {choice.player} - whole.sees_at_once(choice)):
                left -= 1
                if left >= 0 and not whole.observes(observer, choice):
                    unseen.setdefault((choice.player, observer), []).append(choice)
    for (mover, observer), choices in sorted(unseen.items()):
        what = f"any earlier action of {whole.name(mover)}"
        if len(choices) < sum(choice.player == mover for choice in whole.later_choosers):
            actions = ", ".join(map(value_text, choices[-1].actions))
            what = f"which of {actions} {whole.name(mover)} chose earlier"
        yield (
            f"{whole.name(observer)} never observes {what}",
            "show it in observe",
        )


def unseen_chance(whole: WholeGame) -> Iterator[tuple[str, str]]:
    """Find chance moves whose outcomes nobody ever observes."""
    chance = Choice(CHANCE)
    if whole.later_choosers[chance] and not any(whole.observes(p, chance) for p in whole.players):
        yield (
            "no player ever observes any outcome of chance",
            "show the dealt card or other outcome in observe, privately if only one player sees it",
        )


def _edges(whole: WholeGame) -> Iterator[Edge]:
    return (edge for fact in whole.facts.values() for edge in fact.edges)


REMARKS: Final[Mapping[str, Callable[[WholeGame], Iterator[tuple[str, str]]]]] = MappingProxyType(
    {
        "constant utilities": constant_utilities,
        "a player who never acts": idle_players,
        "a player without a choice": forced_players,
        "actions without effect": actions_without_effect,
        "private observations without information": empty_observations,
        "private observations that are equal": shared_secrets,
        "actions that are not observed": unseen_actions,
        "chance that is not observed": unseen_chance,
    }
)
"""The function that finds each kind of remark, as pairs of a suspicious feature and advice."""


def find_remarks(whole: WholeGame) -> tuple[Remark, ...]:
    """Return all remarks about a game, in the order of `REMARKS`."""
    return tuple(
        Remark(kind, found, advice)
        for kind, find in REMARKS.items()
        for found, advice in find(whole)
    )
