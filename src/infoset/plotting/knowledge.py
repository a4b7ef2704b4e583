"""What is known and what happened, as short labels for pictures."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

import numpy as np

from infoset.game.infostate import step_text, value_text
from infoset.plotting.texts import EMPTY, number_apart, shorten
from infoset.tree import InfostateTree, WorldGraph
from infoset.typing import NOOP, Action, IntArray

__all__ = [
    "LONGEST_CELL",
    "LONGEST_STEP",
    "move_texts",
    "private_order",
    "private_texts",
    "seen_text",
]

LONGEST_CELL = 18
LONGEST_STEP = 32
NOTHING_PRIVATE = "–"


class _Step(NamedTuple):
    action: Action
    private: Hashable
    public: Hashable


def _last_step(tree: InfostateTree, infostate: int) -> _Step:
    taken = tree.action[infostate]
    actions = tree.legal_actions(int(tree.parent[infostate]))
    return _Step(
        actions[taken] if taken >= 0 else NOOP,
        tree.observations[tree.private_observation[infostate]],
        tree.observations[tree.public_observation[infostate]],
    )


def seen_text(tree: InfostateTree, infostate: int) -> str:
    """Return what the last step added to an infostate: own action, public and private part."""
    step = _last_step(tree, infostate)
    return EMPTY if step == (NOOP, None, None) else shorten(step_text(*step), LONGEST_STEP)


def private_texts(tree: InfostateTree, infostates: Iterable[int]) -> dict[int, str]:
    """Return what a player knows at infostates and not everybody does, by infostate.

    Two infostates of one public state have different texts. What is too long, or would be the
    same, is told apart by the number of the infostate in its tree: `#17`.
    """
    texts: dict[int, str] = {}
    taken: set[tuple[int, str]] = set()
    for infostate in infostates:
        text = _private_text(tree, infostate)
        public_state = int(tree.public_state[infostate])
        if len(text) > LONGEST_CELL or (public_state, text) in taken:
            text = f"#{infostate}"
        taken.add((public_state, text))
        texts[infostate] = text
    return texts


def _private_text(tree: InfostateTree, infostate: int) -> str:
    parts: list[str] = []
    while infostate > 0:
        step = _last_step(tree, infostate)
        if step.private is not None:
            parts.append(value_text(step.private))
        if step.action is not NOOP and not _tells(step.public, step.action):
            parts.append(f"!{value_text(step.action)}")
        infostate = int(tree.parent[infostate])
    return " ".join(reversed(parts)) or NOTHING_PRIVATE


def _tells(public: Hashable, action: Action) -> bool:
    """Return whether a public observation is, or has as a part, the action."""
    return action in public if isinstance(public, tuple) else action == public


def private_order(tree: InfostateTree, infostate: int) -> tuple[tuple[int, int], ...]:
    """Return a key that sorts infostates by what was seen and done in private, step by step."""
    steps: list[tuple[int, int]] = []
    while infostate > 0:
        steps.append((int(tree.private_observation[infostate]), int(tree.action[infostate])))
        infostate = int(tree.parent[infostate])
    return tuple(reversed(steps))


def move_texts(graph: WorldGraph, world: int) -> list[str]:
    """Return the labels of the edges of a world state, all different.

    An edge is called after what the players do and, where nature has a choice, after what its
    outcome shows.
    """
    edges = range(*graph.first_edge[world : world + 2].tolist())
    joint_actions = graph.joint_action[edges.start : edges.stop]
    texts = [_move_text(graph, world, edge, joint_actions) for edge in edges]
    return number_apart(texts)


def _move_text(graph: WorldGraph, world: int, edge: int, siblings: IntArray) -> str:
    joint = graph.joint_action[edge]
    players = np.flatnonzero(joint >= 0)
    labels = [
        graph.action_sets[graph.action_set[world, player]][joint[player]] for player in players
    ]
    is_sure = len(labels) > 0 and (siblings == joint).all(axis=1).sum() == 1
    parts = [", ".join(value_text(label) for label in labels)] if labels else []
    parts += [] if is_sure else [_outcome_text(graph, edge)]
    return shorten(" → ".join(parts), LONGEST_STEP)


def _outcome_text(graph: WorldGraph, edge: int) -> str:
    """Return what a transition shows: `public [private of player 0 | of player 1]`."""
    public = graph.observations[graph.public_observation[edge]]
    private = [graph.observations[seen] for seen in graph.private_observation[edge]]
    parts = [] if public is None else [value_text(public)]
    if any(seen is not None for seen in private):
        texts = (NOTHING_PRIVATE if seen is None else value_text(seen) for seen in private)
        parts.append(f"[{' | '.join(texts)}]")
    return " ".join(parts) or EMPTY
