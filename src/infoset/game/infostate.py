"""Infostates and public states: sequences folded from a player's actions and observations."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.typing import NOOP, Action, Player

__all__ = ["Infostate", "PublicState", "Step", "infostate_generator", "step_text"]

START = "(start)"


class Step(NamedTuple):
    """What one transition adds to an infostate.

    Attributes
    ----------
    action : Action
        The player's own action, `NOOP` where it did not act.
    private, public : Hashable
        The two parts of its observation.
    """

    action: Action
    private: Hashable
    public: Hashable


@dataclass(frozen=True)
class Infostate:
    """All that a player knows: its own actions and its observations, in order.

    Two infostates are equal exactly when the player cannot tell them apart.
    """

    player: Player
    steps: tuple[Step, ...] = ()

    @property
    def public_state(self) -> PublicState:
        """The public state this infostate lies in."""
        return PublicState(tuple(step.public for step in self.steps))

    def extend(self, step: Step) -> Infostate:
        """Return the infostate after one more step."""
        return Infostate(self.player, (*self.steps, step))

    def __str__(self) -> str:
        return join_steps(step_text(*step) for step in self.steps)


@dataclass(frozen=True)
class PublicState:
    """All that everybody knows: the public observations, in order."""

    observations: tuple[Hashable, ...] = ()

    def __str__(self) -> str:
        return join_steps(step_text(NOOP, None, public) for public in self.observations)


def step_text(action: Action, private: Hashable, public: Hashable) -> str:
    """Return one step of an infostate as text: `!action public [private]`, absent parts left out.

    An own action that the public observation repeats is printed once.

    Examples
    --------
    >>> step_text("bet", None, "bet"), step_text(3, None, "won"), step_text(None, "K", "deal")
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
    """Return an observation or action as text, tuples without Python's quotes."""
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return ",".join(value_text(part) for part in value)
    return str(value)


def join_steps(texts: Iterable[str]) -> str:
    """Return the steps of an infostate or public state as one line."""
    return " / ".join(texts) or START


def infostate_generator(seed: int, infostate: Infostate) -> np.random.Generator:
    """Return a generator for a seed and an infostate, the same in every process."""
    digest = hashlib.blake2b(repr(infostate).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, np.uint32).tolist()
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(words)))
