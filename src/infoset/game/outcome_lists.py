"""Lists of transitions, which have an end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import Any, Final, TypeVar

from infoset.errors import GameRuleError, show
from infoset.typing import JointAction, World

Outcome = TypeVar("Outcome")

MAX_OUTCOMES: Final = 10_000_000
"""Maximum number of outcomes of a joint action that a generator may yield."""

MAX_IMPOSSIBLE: Final = 1_000_000
"""Maximum number of outcomes of probability 0 in a row."""

LISTS = (list, tuple)
"""The usual types of answers; checks of abstract classes are slow."""


def ended(
    outcomes: Iterable[Outcome],
    world: World,
    joint_action: JointAction,
    max_outcomes: int = MAX_OUTCOMES,
) -> Iterable[Outcome]:
    """Return the outcomes of a joint action; a generator that seems to have no end raises.

    A generator may yield possible outcomes without end, or impossible ones, as `2.0**-n` from n =
    1075 on.

    Raises
    ------
    GameRuleError
        After too many outcomes, while they are iterated over.
    """
    if type(outcomes) in LISTS or isinstance(outcomes, Sized):
        return outcomes
    return _counted(outcomes, world, joint_action, max_outcomes)


def _counted(
    outcomes: Iterable[Any], world: World, joint_action: JointAction, max_outcomes: int
) -> Iterator[Any]:
    last_possible = 0
    for number, outcome in enumerate(outcomes, 1):
        yield outcome
        if outcome[1]:
            last_possible = number
        is_endless = number - last_possible >= MAX_IMPOSSIBLE
        if is_endless or number >= max_outcomes:
            what = f"{MAX_IMPOSSIBLE:,} outcomes of probability 0 in a row"
            found = what if is_endless else f"more than {max_outcomes:,} outcomes"
            raise GameRuleError(
                "transitions lists each next world of positive probability, and then ends",
                found=f"transitions of joint action {show(joint_action)} lists {found}, the last "
                f"of which is {show(outcome)}",
                world=world,
            )
