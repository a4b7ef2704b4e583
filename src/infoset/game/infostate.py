"""Infostates and public states: sequences of actions and observations."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.typing import NOOP, Action, Player

START = "(start)"


class Step(NamedTuple):
    """The part of an infostate that one transition adds."""

    action: Action
    """The player's own action; `NOOP` if it did not act."""
    private: Hashable
    public: Hashable
    """The two parts of the player's observation."""


@dataclass(frozen=True)
class Infostate:
    """A player's information: its own actions and observations so far, in order.

    Two histories have equal infostates if and only if the player cannot distinguish them.
    """

    player: Player
    steps: tuple[Step, ...] = ()

    @property
    def public_state(self) -> PublicState:
        """The public state that contains the infostate."""
        return PublicState(tuple(step.public for step in self.steps))

    def extend(self, step: Step) -> Infostate:
        """Return this infostate extended by one step."""
        return Infostate(self.player, (*self.steps, step))

    def __str__(self) -> str:
        return join_steps(step_text(*step) for step in self.steps)


@dataclass(frozen=True)
class PublicState:
    """The public information: the public observations so far, in order."""

    observations: tuple[Hashable, ...] = ()

    def __str__(self) -> str:
        return join_steps(step_text(NOOP, None, public) for public in self.observations)


def step_text(action: Action, private: Hashable, public: Hashable) -> str:
    """Format a step of an infostate as `!action public [private]`; absent parts are left out.

    If the player's action equals the public observation, it is printed only once.

    Examples
    --------
    >>> (
    ...     step_text("bet", None, "bet"),
    ...     step_text(3, None, "won"),
    ...     step_text(None, "K", "deal"),
    ... )
    ('bet', '!3 won', 'deal [K]')
    >>> step_text(None, None, None)
    '.'
    """
    parts = []
    if action is not NOOP and action != public:
        parts.append(f"!{value_text(action)}")
    if public is not None:
        parts.append(value_text(public))
    if private is not None:
        parts.append(f"[{value_text(private)}]")
    return " ".join(parts) or "."


def value_text(value: Hashable) -> str:
    """Format an observation or action; the entries of a tuple are joined by commas."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return ",".join(value_text(part) for part in value)
    return label_text(value)


def label_text(value: Hashable) -> str:
    """Return a label as `str` does, except that sets are written in the same order everywhere.

    Examples
    --------
    >>> label_text(frozenset({"b", "a"})), label_text((1, "a"))
    ('{a,b}', "(1, 'a')")
    """
    text = str(value)  # also shows the sets inside a tuple
    return canonical_text(value) if "frozenset({" in text else text


def canonical_text(value: object) -> str:
    """Return a label as text that does not depend on the iteration order of sets."""
    if isinstance(value, (set, frozenset)):
        return "{" + ",".join(sorted(map(canonical_text, value))) + "}"
    if isinstance(value, tuple):
        return "(" + ",".join(map(canonical_text, value)) + ")"
    return str(value)


def join_steps(texts: Iterable[str]) -> str:
    """Join the steps of an infostate or public state into one line."""
    return " / ".join(texts) or START


def split_steps(line: str) -> list[str]:
    """Return the steps of a line that `join_steps` has joined."""
    return [] if line == START else line.split(" / ")


def infostate_generator(seed: int, infostate: Infostate) -> np.random.Generator:
    """Return a random generator that depends only on a seed and an infostate."""
    # Not `hash`: it differs between processes, because texts are hashed with a random salt.
    digest = hashlib.blake2b(repr(infostate).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, np.uint32).tolist()
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(words)))
