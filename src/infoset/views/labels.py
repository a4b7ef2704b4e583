"""Labels for pictures: probabilities, utilities, and what a player saw and did."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Final

import numpy as np

from infoset.forms import InfostateTree
from infoset.game import Probability
from infoset.game.infostate import Step, step_text, value_text
from infoset.tree import WorldGraph
from infoset.typing import NOOP, Action

EMPTY = "∅"
LARGEST_DENOMINATOR = 999
SMALLEST_SHOWN = 0.005
ROUNDING = 1e-12
RANKS: Final = "AKQJT98765432"
HAND: Final = re.compile(r"\W*([2-9TJQKA])([cdhs])\W*([2-9TJQKA])([cdhs])\W*")


def shorten(text: str, length: int) -> str:
    """Return the text, cut to `length` characters, on one line.

    Examples
    --------
    >>> shorten("a long observation", 8)
    'a long …'
    """
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def number_duplicates(texts: Iterable[str]) -> list[str]:
    """Return distinct texts: repeated ones get a number.

    Examples
    --------
    >>> number_duplicates(["heads", "tails", "heads"])
    ['heads', 'tails', 'heads #2']
    """
    seen: dict[str, int] = {}
    result = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        result.append(text if seen[text] == 1 else f"{text} #{seen[text]}")
    return result


def probability_text(probability: Probability) -> str:
    """Return a probability as text: a short fraction, or two digits.

    Examples
    --------
    >>> [probability_text(value) for value in (Fraction(1, 6), 0.3333, 1e-9, 0.9999)]
    ['1/6', '0.33', '<0.01', '>0.99']
    """
    if isinstance(probability, (Fraction, int)):
        exact = Fraction(probability)
        if exact.denominator <= LARGEST_DENOMINATOR:
            return str(exact)
    value = float(probability)
    if abs(value - round(value)) < ROUNDING:
        return f"{value:.0f}"
    if value < SMALLEST_SHOWN:
        return "<0.01"
    return ">0.99" if value > 1 - SMALLEST_SHOWN else f"{value:.2f}"


def utilities_text(utilities: Iterable[float]) -> str:
    """Return utilities with their signs.

    Examples
    --------
    >>> utilities_text([1.0, -1.0, 0.0, 2.5])
    '+1, −1, 0, +2.5'
    """
    texts = (f"{value:+.6g}" if value else "0" for value in utilities)
    return ", ".join(texts).replace("-", "−")


def count_text(count: int, singular: str, plural: str = "") -> str:
    """Return a count with its noun.

    Examples
    --------
    >>> count_text(1, "history", "histories"), count_text(9212, "infostate")
    ('1 history', '9,212 infostates')
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def hand_class(label: str) -> tuple[int, int] | None:
    """Return the row and column of a hand of two cards in the grid; None for any other text.

    The hand may be a class of hands itself, as `class_text` writes it.

    Examples
    --------
    >>> hand_class("AhKh"), hand_class("Ah, Kd"), hand_class("2c 2d"), hand_class("J")
    ((0, 1), (1, 0), (12, 12), None)
    >>> hand_class("AKs"), hand_class("77")
    ((0, 1), (7, 7))
    """
    if label in PLACE_OF_CLASS:
        return PLACE_OF_CLASS[label]
    found = HAND.fullmatch(label)
    if found is None or found.group(1, 2) == found.group(3, 4):
        return None
    # One suit above the diagonal of the grid, two suits below it.
    high, low = sorted((RANKS.index(found[1]), RANKS.index(found[3])))
    return (high, low) if found[2] == found[4] else (low, high)


def are_hands(labels: Sequence[str]) -> bool:
    """Return whether there are labels, and all are hands of two cards."""
    return bool(labels) and None not in map(hand_class, labels)


def hands_in(label: str) -> int:
    """Return the number of two-card hands that a label represents.

    Examples
    --------
    >>> hands_in("AhKh"), hands_in("AKs"), hands_in("AKo"), hands_in("AA")
    (1, 4, 12, 6)
    """
    place = PLACE_OF_CLASS.get(label)
    if place is None:
        return 1
    row, column = place
    return 6 if row == column else 4 if row < column else 12


def class_text(place: tuple[int, int]) -> str:
    """Return the name of a class of hands, given its place in the grid.

    Examples
    --------
    >>> class_text((0, 1)), class_text((1, 0)), class_text((12, 12))
    ('AKs', 'AKo', '22')
    """
    high, low = sorted(place)
    kind = "" if high == low else "s" if place == (high, low) else "o"
    return f"{RANKS[high]}{RANKS[low]}{kind}"


PLACE_OF_CLASS: Final = {
    class_text((row, column)): (row, column)
    for row in range(len(RANKS))
    for column in range(len(RANKS))
}
"""The row and column of each class of hands."""


MAX_CELL_LENGTH = 18
MAX_STEP_LENGTH = 32
NOTHING_PRIVATE = "–"


def _last_step(tree: InfostateTree, infostate: int) -> Step:
    taken = tree.action[infostate]
    actions = tree.legal_actions(int(tree.parent[infostate]))
    return Step(
        actions[taken] if taken >= 0 else NOOP,
        tree.observations[tree.private_observation[infostate]],
        tree.observations[tree.public_observation[infostate]],
    )


def observation_text(tree: InfostateTree, infostate: int) -> str:
    """Return the last step of an infostate: own action, public and private observation."""
    step = _last_step(tree, infostate)
    return EMPTY if step == (NOOP, None, None) else shorten(step_text(*step), MAX_STEP_LENGTH)


def private_texts(
    tree: InfostateTree, infostates: Iterable[int], max_length: int = MAX_CELL_LENGTH
) -> dict[int, str]:
    """Return the private information of a player at infostates, by infostate.

    Infostates of one public state have distinct texts. A text that is too long or not unique is
    replaced by the number of the infostate in its tree: `#17`.
    """
    texts: dict[int, str] = {}
    taken: set[tuple[int, str]] = set()
    for infostate in infostates:
        text = _private_text(tree, infostate)
        public_state = int(tree.public_state[infostate])
        if len(text) > max_length or (public_state, text) in taken:
            text = f"#{infostate}"
        taken.add((public_state, text))
        texts[infostate] = text
    return texts


def private_text(steps: Iterable[Step]) -> str:
    """Return the private part of an infostate: private observations and own actions, marked `!`.

    Own actions that a public observation contains are left out.

    Examples
    --------
    >>> private_text(
    ...     [Step(None, "K", None), Step("bet", None, "bet"), Step(3, None, "won")]
    ... )
    'K !3'
    """
    parts: list[str] = []
    for step in steps:
        if step.action is not NOOP and not _tells(step.public, step.action):
            parts.append(f"!{value_text(step.action)}")
        if step.private is not None:
            parts.append(value_text(step.private))
    return " ".join(parts) or NOTHING_PRIVATE


def _private_text(tree: InfostateTree, infostate: int) -> str:
    steps: list[Step] = []
    while infostate > 0:
        steps.append(_last_step(tree, infostate))
        infostate = int(tree.parent[infostate])
    return private_text(reversed(steps))


def _tells(public: Hashable, action: Action) -> bool:
    """Return whether a public observation is the action or contains it."""
    return action in public if isinstance(public, tuple) else action == public


def private_order(tree: InfostateTree, infostate: int) -> tuple[tuple[int, int], ...]:
    """Return a sort key of an infostate: private observations and own actions, step by step."""
    steps: list[tuple[int, int]] = []
    while infostate > 0:
        steps.append((int(tree.private_observation[infostate]), int(tree.action[infostate])))
        infostate = int(tree.parent[infostate])
    return tuple(reversed(steps))


def move_texts(graph: WorldGraph, world: int) -> list[str]:
    """Return distinct labels of the edges of a world state.

    A label names the actions of the players and, if there are several outcomes, the observations
    that the outcome causes.
    """
    edges = slice(*graph.first_edge[world : world + 2].tolist())
    # Edges with equal joint actions are the outcomes of one; a single outcome needs no label.
    _, which, outcomes = np.unique(
        graph.joint_action[edges], axis=0, return_inverse=True, return_counts=True
    )
    has_one_outcome = outcomes[which.ravel()] == 1
    texts = [
        _move_text(graph, world, edge, bool(is_sure))
        for edge, is_sure in zip(range(edges.start, edges.stop), has_one_outcome, strict=True)
    ]
    return number_duplicates(texts)


def _move_text(graph: WorldGraph, world: int, edge: int, is_sure: bool) -> str:
    labels = [action for action in graph.joint_action_of(world, edge) if action is not NOOP]
    parts = [", ".join(value_text(label) for label in labels)] if labels else []
    parts += [] if labels and is_sure else [_outcome_text(graph, edge)]
    return shorten(" → ".join(parts), MAX_STEP_LENGTH)


def _outcome_text(graph: WorldGraph, edge: int) -> str:
    """Return the observations of a transition: `public [private of player 0 | of player 1]`."""
    public = graph.observations[graph.public_observation[edge]]
    private = [graph.observations[seen] for seen in graph.private_observation[edge]]
    parts = [] if public is None else [value_text(public)]
    if any(seen is not None for seen in private):
        texts = (NOTHING_PRIVATE if seen is None else value_text(seen) for seen in private)
        parts.append(f"[{' | '.join(texts)}]")
    return " ".join(parts) or EMPTY
