"""The functions that a product form is written down by, and whether their answers will do."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeAlias

from infoset.errors import ParameterError
from infoset.typing import Action
from infoset.utils.arguments import check_callable

__all__ = ["Actions", "Rules"]

Actions: TypeAlias = tuple[Action, ...]
"""What was chosen, one action for each stage that is over."""


@dataclass(frozen=True)
class Rules:
    """The functions as they were given; the methods below check what they answer.

    Attributes
    ----------
    num_agents, num_stages : int
    agent, legal_actions, information, reward : callable
        As `make_product_form` has them.
    """

    num_agents: int
    num_stages: int
    agent: Callable[[Hashable, Actions], int | None]
    legal_actions: Callable[[Hashable, Actions], Sequence[Action]]
    information: Callable[[Hashable, Actions], Hashable]
    reward: Callable[[Hashable, Actions], Sequence[float]]

    def __post_init__(self) -> None:
        for name in ("agent", "legal_actions", "information", "reward"):
            check_callable(
                name, getattr(self, name), "a function of an outcome and the actions since"
            )

    def who_acts(self, outcome: Hashable, actions: Actions) -> int | None:
        """Return the agent who acts after a prefix; None where play is over."""
        agent = self.agent(outcome, actions)
        if agent is None:
            return None
        if isinstance(agent, bool) or agent not in range(self.num_agents):
            raise ParameterError(
                f"agent({outcome!r}, {actions!r}) is {agent!r}; it must be a number from 0 to "
                f"{self.num_agents - 1}, or None where play is over"
            )
        if len(actions) == self.num_stages:
            raise ParameterError(
                f"play goes on after {self.num_stages} actions, agent({outcome!r}, {actions!r}) is "
                f"{agent!r}; it must be None after the last stage: give a larger num_stages"
            )
        return int(agent)

    def may_do(self, outcome: Hashable, actions: Actions) -> Actions:
        """Return what may be done after a prefix."""
        legal = self.legal_actions(outcome, actions)
        is_list = isinstance(legal, Iterable) and not isinstance(legal, str)
        chosen = tuple(legal) if is_list else ()
        if not chosen or len(set(chosen)) < len(chosen):
            raise ParameterError(
                f"legal_actions({outcome!r}, {actions!r}) is {legal!r}; it must be one action or "
                "more, each once, in a list or tuple"
            )
        return chosen

    def knows(self, outcome: Hashable, actions: Actions) -> Hashable:
        """Return what whoever acts after a prefix knows."""
        known = self.information(outcome, actions)
        if not isinstance(known, Hashable):
            raise ParameterError(
                f"information({outcome!r}, {actions!r}) is {known!r}, which cannot be compared; "
                "give text, numbers, or tuples of them"
            )
        return known

    def pays(self, outcome: Hashable, actions: Actions) -> Sequence[float]:
        """Return what a play pays."""
        reward = self.reward(outcome, actions)
        if len(reward) != self.num_agents or not all(map(isfinite, reward)):
            raise ParameterError(
                f"reward({outcome!r}, {actions!r}) is {reward!r}; it must be a finite number for "
                f"each of {self.num_agents} agents"
            )
        return reward
