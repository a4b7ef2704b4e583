"""Minimum action probabilities: games in which every hand trembles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import inf
from typing import TypeAlias, cast

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation import Evaluation, evaluate_policy, utility_gradient
from infoset.policy import TabularPolicy
from infoset.solvers._infostates import find_infostate, numbers_by_action, sequences_at
from infoset.solvers._kernels import perturbed_best_value
from infoset.tree import SequenceForm, Treeplex, check_sequence_form
from infoset.typing import Action, FloatArray, Player
from infoset.utils.arguments import SUM_TOLERANCE, check_number

__all__ = ["MinProbabilities", "PerturbedGame", "perturb_game"]


MinProbabilities: TypeAlias = float | Mapping[tuple[str, Player], float | Mapping[Action, float]]
"""One number for all actions; or, by infostate (as text) and player, a number for its actions or
one for each, zero for what is left out."""


@dataclass(frozen=True, eq=False)
class PerturbedGame:
    """A game whose players must play each action with at least some probability.

    Attributes
    ----------
    form : SequenceForm
    min_probabilities : tuple[FloatArray, ...]
        Per player [Q] least probability of the action each sequence ends in; 0 for the empty one.
    """

    form: SequenceForm
    min_probabilities: tuple[FloatArray, ...]

    def shares(self) -> tuple[FloatArray, ...]:
        """Return per player [Q] what is left at its infostate beyond the least probabilities."""
        return tuple(map(_share, self.form.treeplexes, self.min_probabilities))

    def mix(self, policy: TabularPolicy) -> TabularPolicy:
        """Return what is played where a policy is meant and hands tremble.

        Each action gets its least probability, and its part by `policy` of what is left.
        """
        parts = zip(self.shares(), policy.probabilities, self.min_probabilities, strict=True)
        return TabularPolicy(
            self.form, tuple(share * meant + least for share, meant, least in parts)
        )

    def from_plans(self, plans: tuple[FloatArray, ...]) -> TabularPolicy:
        """Return the policy of plans, per player [Q], that have the least probabilities.

        What rounding took from these it gets back; where a plan does not lead, uniform is meant.
        """
        meant = []
        for plex, plan, least in zip(
            self.form.treeplexes, plans, self.min_probabilities, strict=True
        ):
            rest = plan.copy()
            rest[1:] -= least[1:] * np.repeat(plan[plex.parent_sequence], plex.num_actions)
            meant.append(np.maximum(rest, 0.0))
        return self.mix(TabularPolicy.from_weights(self.form, meant))

    def evaluate(self, policy: TabularPolicy) -> Evaluation:
        """Measure a policy against players who tremble as it does.

        Gains, and so NashConv, exploitability and what is guaranteed, are those of best responses
        that have the least probabilities too: exact, by one sweep. `evaluate_policy` lets best
        responses be as they like.
        """
        measured = evaluate_policy(policy)
        plans = policy.realization_plans()
        best = [self._best_value(plans, player) for player in range(self.form.num_players)]
        pairs = zip(best, measured.values, strict=True)
        gains = tuple(max(most - value, 0.0) for most, value in pairs)
        changes = replace(measured, gains=gains, nash_conv=sum(gains))
        if measured.guarantees is None:
            return changes
        total = float(self.form.constant_sum or 0.0) - measured.rounding
        return replace(
            changes,
            exploitability=changes.nash_conv / 2,
            guarantees=(total - best[1], total - best[0]),
        )

    def _best_value(self, plans: tuple[FloatArray, ...], player: Player) -> float:
        plex = self.form.treeplexes[player]
        gradient = utility_gradient(self.form, plans, player)
        return perturbed_best_value(
            plex.parent_sequence,
            plex.first_sequence,
            plex.num_actions,
            self.min_probabilities[player],
            gradient,
        )


def _share(plex: Treeplex, least: FloatArray) -> FloatArray:
    if plex.num_infostates == 0:
        return np.ones(1)
    left = np.maximum(1.0 - np.add.reduceat(least, plex.first_sequence), 0.0)
    return np.concatenate([[1.0], np.repeat(left, plex.num_actions)])


def check_min_probabilities(min_probability: object) -> None:
    """Raise unless it is a number, or a mapping by infostate and player; before any game is known.

    Raises
    ------
    ParameterError
        If it is neither, or a number above 1.
    """
    if isinstance(min_probability, Mapping):
        return
    check_number("min_probability", min_probability, minimum=-inf)
    if cast(float, min_probability) > 1:
        raise ParameterError(
            f"min_probability={min_probability} is more than 1, and those of the actions at an "
            "infostate sum to at most 1: give a small number such as 0.01"
        )


def perturb_game(form: SequenceForm, min_probability: MinProbabilities) -> PerturbedGame:
    """Return the game in which every action has at least some probability.

    Parameters
    ----------
    form : SequenceForm
        Any number of players, any payoffs.
    min_probability : float or Mapping
        One number for all actions; or, by infostate, as text, and player, a number for its
        actions or a mapping with one for each. What is left out has 0.

    Raises
    ------
    UnknownNameError
        If there is no such infostate or action.
    ParameterError
        If there is no such player, or a number is negative, or those of an infostate sum to more
        than one.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.runs import Budget
    >>> from infoset.solvers import solve_perturbed
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> result = solve_perturbed(perturb_game(kuhn, 0.05), "cfr+", Budget(iterations=1000))
    >>> bool(result.exploitability < 1e-3), round(result.policy["[K] / bet", 1]["pass"], 4)
    (True, 0.05)
    """
    check_sequence_form(form)
    check_min_probabilities(min_probability)
    if isinstance(min_probability, Mapping):
        least = _by_infostate(form, min_probability)
    else:
        least = tuple(
            np.r_[0.0, np.full(plex.num_sequences - 1, float(min_probability))]
            for plex in form.treeplexes
        )
    for player in range(form.num_players):
        _check(form, player, least[player])
    return PerturbedGame(form, least)


def _by_infostate(
    form: SequenceForm, given: Mapping[tuple[str, Player], float | Mapping[Action, float]]
) -> tuple[FloatArray, ...]:
    least = tuple(np.zeros(plex.num_sequences) for plex in form.treeplexes)
    for key, numbers in given.items():
        infostate = find_infostate(form, key)
        label, player = key
        if not isinstance(numbers, Mapping):
            check_number(f"the least probability at {label!r}", numbers, minimum=-inf)
        least[player][sequences_at(form, player, infostate)] = (
            numbers_by_action(form, player, infostate, numbers)
            if isinstance(numbers, Mapping)
            else numbers
        )
    return least


def _check(form: SequenceForm, player: Player, least: FloatArray) -> None:
    """Check that there are policies with these least probabilities."""
    plex, labels = form.treeplexes[player], form.infostate_trees[player].acting_labels
    for first, count, label in zip(plex.first_sequence, plex.num_actions, labels, strict=True):
        here = least[first : first + count]
        if not (here >= 0).all() or not here.sum() <= 1 + SUM_TOLERANCE:
            raise ParameterError(
                f"the least probabilities at {label!r} of player {player} are {here.tolist()}; "
                f"they are not negative and sum to at most 1, so that one number for its {count} "
                f"actions is at most {1 / count:.6g}"
            )
