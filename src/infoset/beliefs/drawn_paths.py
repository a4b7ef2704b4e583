"""Batches of histories that a game draws as `History` objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from infoset.beliefs.history_batches import HistoryBatch, ObservedStep, Successor
from infoset.errors import GameRuleError, show
from infoset.game import History
from infoset.typing import NOOP, FloatArray, JointAction, World

RULE: Final = "sample_histories_as_seen draws histories that agree with the information"


def path_batch(
    root: HistoryBatch,
    histories: Sequence[History],
    weight: FloatArray,
    steps: Sequence[ObservedStep],
) -> HistoryBatch:
    """Return the batch of drawn histories, in the order of their first draws.

    Parameters
    ----------
    root
        The batch of the initial history.
    histories
        [K] the histories, at least one.
    weight
        [K] their weights; those of equal histories are added.
    steps
        [T] the observations.

    Raises
    ------
    GameRuleError
        If a history does not begin in the initial world state, contains an illegal action, or does
        not agree with an observation.
    """
    paths = [history.path() for history in histories]
    for path in paths:
        if path[0].world != root.worlds[0]:
            found = "a drawn history begins in another world state than initial_world()"
            raise GameRuleError(RULE, found=found, world=path[0].world)
    batch, position = root, [0] * len(paths)
    for depth, observed in enumerate(steps, start=1):
        numbers: dict[tuple[int, JointAction, World], int] = {}
        successors: list[Successor] = []
        for place, path in enumerate(paths):
            origin, after = position[place], path[depth]
            key = origin, after.joint_action, after.world
            if key not in numbers:
                successors.append(_checked_successor(batch, origin, after, observed))
            position[place] = numbers.setdefault(key, len(numbers))
        batch = batch.extend(successors)
    total = np.bincount(position, weights=weight).astype(np.float64)
    unknown = np.full(len(total), np.nan)  # what the game divided the chance reach by
    batch = replace(batch, weight=total, method="samples", inclusion=unknown)
    batch.remember(dict(zip(position, histories, strict=True)))
    return batch


def _checked_successor(
    batch: HistoryBatch, origin: int, after: History, observed: ObservedStep
) -> Successor:
    """Return the last transition of a history, if it is legal and agrees with the observation."""
    world, joint_action = batch.worlds[origin], after.joint_action
    legal = [
        index.choices(number, batch.game, world)
        for index, number in zip(
            batch.infostate_indexes, batch.infostate[origin].tolist(), strict=True
        )
    ]
    problem = None
    if not all(action in actions for action, actions in zip(joint_action, legal, strict=True)):
        problem = "which is illegal"
    elif observed.player is not None and joint_action[observed.player] != observed.step.action:
        problem = f"but player {observed.player} took the action {show(observed.step.action)}"
    elif not observed.agrees(after.observation):
        who = "the public" if observed.player is None else f"player {observed.player}"
        seen = observed.step._replace(action=NOOP)
        problem = f"but {who} did not observe {show(after.observation)}; it observed {show(seen)}"
    if problem is not None:
        found = f"a drawn history continues with joint action {show(joint_action)}, {problem}"
        raise GameRuleError(RULE, found=found, world=world, player=observed.player)
    return Successor(origin, joint_action, after.world, 1.0, after.observation)
