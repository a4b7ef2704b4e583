"""Recommended play: what a player gains by not following a recommendation, exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation.exploitability import plan_value, utility_gradient
from infoset.evaluation.joint import checked_weights
from infoset.evaluation.triggers._kernels import TriggerPairs, add_triggered, trigger_gains
from infoset.evaluation.triggers.pairs import trigger_pairs
from infoset.policy import TabularPolicy
from infoset.tree import SequenceForm, Treeplex, check_sequence_form
from infoset.typing import Action, FloatArray, Player, StateArrays

__all__ = ["EFCEEvaluation", "EFCEEvaluator", "TriggerDeviation", "evaluate_efce"]


class TriggerDeviation(NamedTuple):
    """The recommendation that it pays a player most not to follow.

    Attributes
    ----------
    player : Player
    infostate : str
        Where it is given, as text.
    action : Action
        What is recommended.
    gain : float
        What the player gains, in expectation over all play, by going on as it likes from there
        and then only, in the game's units. Below zero where it would lose.
    """

    player: Player
    infostate: str
    action: Action
    gain: float


@dataclass(frozen=True)
class EFCEEvaluation:
    """What recommended play earns, and how far it is from an extensive-form correlated equilibrium.

    Attributes
    ----------
    values : tuple[float, ...]
        Expected utility of each player, in the game's units.
    deviations : tuple[TriggerDeviation | None, ...]
        Of each player, the recommendation that it pays most not to follow; None for a player
        without decisions.
    efce_gap : float
        The largest gain of a trigger, at least 0: recommended play is an `efce_gap`-extensive-form
        correlated equilibrium. In a matrix game, a correlated equilibrium.
    total_gains : tuple[float, ...]
        What each player would gain that leaves off following wherever it pays, instead of after
        one trigger only; not below that of its triggers, nor below the gains of `evaluate_cce`.
    """

    values: tuple[float, ...]
    deviations: tuple[TriggerDeviation | None, ...]
    efce_gap: float
    total_gains: tuple[float, ...]


class EFCEEvaluator:
    """A mixture of policies, of which one is drawn, and recommended to the players step by step.

    Each player sees a recommendation at an infostate when it gets there. From the first one on
    that it does not follow, it sees none. Recommendations say something of the draw, so that
    for every trigger (x_g, a_g) a gradient is kept: the sum of those of the policies μ, each
    times μ(x_g, a_g).

    Parameters
    ----------
    sequence_form : SequenceForm
        Any number of players, any payoffs.

    Raises
    ------
    GameTooLargeError
        If it has more than 20,000,000 pairs of a trigger and a sequence that may follow it.

    Notes
    -----
    Source: von Stengel and Forges (2008); trigger deviations: Gordon, Greenwald and Marks (2008),
    Farina, Celli, Marchesi and Gatti (2022).

    Examples
    --------
    Chicken: a light that tells one car to go and the other to stop, or both to stop, each alike.

    >>> import numpy as np
    >>> from infoset.games import matrix_game
    >>> from infoset.tree import build_tree
    >>> chicken = matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]])
    >>> play = EFCEEvaluator(build_tree(chicken).sequence_form)
    >>> go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    >>> for plans in ((go, stop), (stop, go), (stop, stop)):
    ...     play.add(plans)
    >>> light = play.evaluate()
    >>> light.values, light.efce_gap
    ((5.0, 5.0), 0.0)
    """

    def __init__(self, sequence_form: SequenceForm) -> None:
        check_sequence_form(sequence_form)
        self.sequence_form = sequence_form
        numbered = [_pairs(plex, sequence_form.name) for plex in sequence_form.treeplexes]
        self._pairs = [pairs for pairs, _ in numbered]
        sizes = [1, sequence_form.num_players, *(size for _, size in numbered)]
        self._sums = np.zeros(sum(sizes))
        self._weight, self._values, *self._gradients = np.split(self._sums, np.cumsum(sizes)[:-1])

    @property
    def weight(self) -> float:
        """Weight of all policies together."""
        return float(self._weight[0])

    @property
    def num_pairs(self) -> int:
        """Number of pairs of a trigger and a sequence that may follow it: what `add` goes over."""
        return sum(map(len, self._gradients))

    def state(self) -> StateArrays:
        """Return the array that `add` moves, by name."""
        return {"triggered": self._sums}

    def add(self, plans: Sequence[FloatArray], weight: float = 1.0) -> None:
        """Add a policy to the mixture.

        Parameters
        ----------
        plans : Sequence[FloatArray]
            Per player [Q], its realization plan.
        weight : float
            Of the policy.
        """
        form, plans = self.sequence_form, tuple(plans)
        self._weight += weight
        for player, plex in enumerate(form.treeplexes):
            gradient = weight * utility_gradient(form, plans, player)
            self._values[player] += plan_value(gradient, plans[player])
            add_triggered(
                plex.first_sequence,
                plex.num_actions,
                self._pairs[player],
                plans[player],
                gradient,
                self._gradients[player],
            )

    def evaluate(self) -> EFCEEvaluation:
        """Measure the mixture, exactly: one pass for each trigger.

        Raises
        ------
        ParameterError
            If nothing of positive weight was added.
        """
        if not self.weight > 0:
            raise ParameterError("nothing is played yet: add policies of positive weight first")
        gains, totals = zip(*map(self._gains, range(self.sequence_form.num_players)), strict=True)
        deviations = tuple(self._largest(player, own) for player, own in enumerate(gains))
        return EFCEEvaluation(
            values=tuple((self._values / self.weight).tolist()),
            deviations=deviations,
            efce_gap=max([0.0, *(deviation.gain for deviation in deviations if deviation)]),
            total_gains=tuple(float(total[0]) for total in totals),
        )

    def _gains(self, player: Player) -> tuple[FloatArray, FloatArray]:
        """Return [Q] what each trigger gains, and what those at and below each sequence do."""
        plex = self.sequence_form.treeplexes[player]
        gains, totals = np.empty(plex.num_sequences), np.empty(plex.num_sequences)
        trigger_gains(
            plex.parent_sequence,
            plex.first_sequence,
            plex.num_actions,
            self._pairs[player],
            self._gradients[player] / self.weight,
            gains,
            totals,
        )
        return gains, totals

    def _largest(self, player: Player, gains: FloatArray) -> TriggerDeviation | None:
        plex = self.sequence_form.treeplexes[player]
        if not plex.num_infostates:
            return None
        tree = self.sequence_form.infostate_trees[player]
        sequence = 1 + int(np.argmax(gains[1:]))
        here = int(plex.infostate_of_sequence[sequence])
        actions = tree.legal_actions(int(tree.acting[here]))
        action = actions[sequence - int(plex.first_sequence[here])]
        return TriggerDeviation(player, tree.acting_labels[here], action, float(gains[sequence]))


def _pairs(plex: Treeplex, game: str) -> tuple[TriggerPairs, int]:
    return trigger_pairs(
        plex.parent_sequence, plex.first_sequence, plex.num_actions, plex.num_sequences, game
    )


def evaluate_efce(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None = None
) -> EFCEEvaluation:
    """Measure recommended play, in which one of some policies is drawn and told step by step.

    Where a policy draws among actions, what is drawn is told, before it is played.

    Parameters
    ----------
    policies : Sequence[TabularPolicy]
        At least one, all for the same game.
    weights : Sequence[float], optional
        One per policy, not negative; by default all alike.

    Raises
    ------
    ParameterError, PolicyMismatchError
        As in `evaluate_cce`.
    GameTooLargeError
        As in `EFCEEvaluator`.

    Examples
    --------
    In an equilibrium of all players alone, nobody has to be told anything.

    >>> import infoset
    >>> solved = infoset.solve("kuhn_poker", method="lp")
    >>> evaluate_efce([solved.policy]).efce_gap < 1e-9
    True
    """
    weights = checked_weights(policies, weights)
    play = EFCEEvaluator(policies[0].sequence_form)
    for policy, weight in zip(policies, weights, strict=True):
        play.add(policy.realization_plans(), weight)
    return play.evaluate()
