"""The protocol of a policy, and checks of the distributions that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from infoset.errors import ParameterError, UserFunctionError
from infoset.game import Infostate
from infoset.typing import Action, FloatArray

SUM_TOLERANCE = 1e-6
"""Tolerance for the sum of a policy's probabilities, which may be computed in `float32`."""


@runtime_checkable
class Policy(Protocol):
    """A behavioral policy: for each infostate, a distribution over the legal actions."""

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probabilities of the legal actions, in order."""
        ...


@runtime_checkable
class BatchPolicy(Protocol):
    """A policy that answers at many infostates in one call."""

    def many_action_probabilities(
        self, infostates: Sequence[Infostate], legal_actions: Sequence[Sequence[Action]]
    ) -> list[FloatArray]:
        """Return [R] the probabilities of the legal actions at each infostate, in order."""
        ...


class UniformPolicy:
    """The uniform policy of any game; it does not need a tree."""

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the same probability for every legal action."""
        return np.full(len(legal_actions), 1.0 / len(legal_actions))


PolicyFunction: TypeAlias = Callable[[Infostate, Sequence[Action]], Any]
"""A function of an infostate and its legal actions: their probabilities, in order or by action."""


@dataclass(frozen=True)
class FunctionPolicy:
    """The policy that a function computes."""

    function: PolicyFunction

    def action_probabilities(
        self, infostate: Infostate, legal_actions: Sequence[Action]
    ) -> FloatArray:
        """Return [A] the probabilities of the legal actions, in order.

        Actions that are missing in a mapping have probability 0.
        """
        answer = self.function(infostate, legal_actions)
        if isinstance(answer, Mapping):
            answer = [answer.get(action, 0.0) for action in legal_actions]
        return np.asarray(answer, np.float64)


def as_policy(policy: object) -> Policy:
    """Return a policy; a function becomes the policy that it computes.

    The word `uniform` means the uniform policy.

    Raises
    ------
    ParameterError
        If the value is not one of these.
    """
    if isinstance(policy, str) and policy == "uniform":
        return UniformPolicy()
    if isinstance(policy, type) or not (isinstance(policy, Policy) or callable(policy)):
        shown = policy.__name__ if isinstance(policy, type) else type(policy).__name__
        raise ParameterError(
            f"policies contain a {shown}, which is not a function and has no method "
            "action_probabilities; give policies, 'uniform', or functions of an infostate and its "
            "legal actions that return their probabilities"
        )
    return policy if isinstance(policy, Policy) else FunctionPolicy(policy)


def checked_probabilities(
    policy: Policy, infostate: Infostate, legal_actions: Sequence[Action]
) -> FloatArray:
    """Return [A] the probabilities of a policy at an infostate, checked to be a distribution.

    Raises
    ------
    UserFunctionError
        If a policy of the user raises an exception.
    """
    try:
        answer = policy.action_probabilities(infostate, legal_actions)
    except Exception as error:
        _check_user_code(error, policy, infostate)
        raise
    probabilities = np.asarray(answer, np.float64)
    check_distributions(probabilities[None], infostate, legal_actions)
    return probabilities


def probabilities_at(
    policy: Policy, infostates: Sequence[Infostate], legal_actions: Sequence[Sequence[Action]]
) -> list[FloatArray]:
    """Return [R] the probabilities of a policy at several infostates, checked to be distributions.

    A policy with the method `many_action_probabilities`, such as that of a network, is called once.

    Raises
    ------
    UserFunctionError
        If a policy of the user raises an exception.
    """
    if not isinstance(policy, BatchPolicy):
        pairs = zip(infostates, legal_actions, strict=True)
        return [checked_probabilities(policy, infostate, legal) for infostate, legal in pairs]
    if not infostates:
        return []
    try:
        answers = policy.many_action_probabilities(infostates, legal_actions)
    except Exception as error:
        _check_user_code(error, policy, *infostates)
        raise
    for infostate, legal, answer in zip(infostates, legal_actions, answers, strict=True):
        check_distributions(np.asarray(answer)[None], infostate, legal)
    return answers


def _check_user_code(error: Exception, policy: Policy, *infostates: Infostate) -> None:
    """Raise an error that names the infostate, if a policy of the user raised an exception."""
    function = policy.function if isinstance(policy, FunctionPolicy) else policy
    first, more = infostates[0], len(infostates) - 1
    others = f" or one of {more} others" if more else ""
    where = f"at the infostate {first} of player {first.player}{others}"
    UserFunctionError.check(error, function, "the policy", where)


def check_distributions(
    answers: FloatArray, infostate: Infostate, legal_actions: Sequence[Action]
) -> None:
    """Raise unless each row of `answers` [R, A] is a distribution over the legal actions."""
    is_fitting = np.zeros(len(answers), bool)
    if answers.shape[1:] == (len(legal_actions),):
        is_fitting = (answers >= 0).all(axis=1) & (abs(answers.sum(axis=1) - 1) <= SUM_TOLERANCE)
    if not is_fitting.all():
        wrong = answers[int(is_fitting.argmin())]
        raise ParameterError(
            f"a policy returned {wrong.tolist()} at the infostate {infostate} of player "
            f"{infostate.player}, where the legal actions are {list(legal_actions)}; it must "
            "return one nonnegative probability per legal action, with sum 1"
        )
