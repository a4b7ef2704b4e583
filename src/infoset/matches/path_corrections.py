"""Plays with the luck of their own draws taken out, by any value function."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import TypeAlias

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation._kernels import drawn_index
from infoset.game import History
from infoset.policy import Policy, checked_probabilities
from infoset.typing import FloatArray, Player

__all__ = ["ValueFunction", "play_corrected"]

ValueFunction: TypeAlias = Callable[[History], Sequence[float]]
"""Guesses what each player will have at the end, at a history that is not terminal."""

MOST_OUTCOMES = 1000
"""A draw among more is left as it is: the mean over its outcomes would take too long."""

Answers: TypeAlias = Mapping[Player, FloatArray]


def play_corrected(
    history: History,
    policies: Sequence[Policy],
    own: Sequence[np.random.Generator],
    nature: np.random.Generator,
    values: ValueFunction,
) -> tuple[History, FloatArray]:
    """Play to the end; return it, and [N] by how much luck there was less than expected.

    At each step the outcome that was drawn is compared with the mean over all, each by its value:

        correction = Σ_t E[v(h_{t+1}) | h_t] − v(h_{t+1})

    The mean of the correction is zero, whatever the values are: utility and correction have the
    mean of the utility. The random numbers are those of `play_out`.

    Notes
    -----
    Source: Burch et al. (2018). Differs from the paper: what players know privately is as it was
    drawn, so that policies are asked along the play only; draws of more than 1000 outcomes are
    not corrected.
    """
    correction = np.zeros(history.game.num_players)
    while not history.is_terminal:
        answers = {
            player: checked_probabilities(
                policies[player], history.infostates[player], history.legal_actions(player)
            )
            for player in history.actors
        }
        chosen = {
            player: history.legal_actions(player)[drawn_index(answer, own[player].random())]
            for player, answer in answers.items()
        }
        following = history.sample(history.joint(chosen), nature)
        outcomes = list(islice(_outcomes(history, answers), MOST_OUTCOMES + 1))
        if 1 < len(outcomes) <= MOST_OUTCOMES:
            correction -= _value(following, values)
            for probability, outcome in outcomes:
                correction += probability * _value(outcome, values)
        history = following
    return history, correction


def _outcomes(history: History, answers: Answers) -> Iterator[tuple[float, History]]:
    """Yield the histories one transition longer, with their probabilities."""
    options = [
        [
            (float(probability), player, action)
            for probability, action in zip(answer, history.legal_actions(player), strict=True)
            if probability > 0
        ]
        for player, answer in answers.items()
    ]
    for chosen in product(*options):
        joint_action = history.joint({player: action for _, player, action in chosen})
        share = float(np.prod([probability for probability, _, _ in chosen]))
        for world, chance in history.game.transitions(history.world, joint_action):
            yield share * float(chance), history.extend(joint_action, world)


def _value(history: History, values: ValueFunction) -> FloatArray:
    """Return [N] the values of a history: utilities where it is terminal."""
    if history.is_terminal:
        return np.array(history.rewards_so_far, np.float64)
    found = np.asarray(values(history), np.float64)
    if found.shape != (history.game.num_players,) or not np.isfinite(found).all():
        raise ParameterError(
            f"values answered {found.tolist()} at {history!r}; return what each of the "
            f"{history.game.num_players} players will have at the end, as finite numbers"
        )
    return found
