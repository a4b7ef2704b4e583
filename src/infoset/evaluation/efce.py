"""Exact distance of play from an extensive-form correlated equilibrium (EFCE)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from infoset.errors import ParameterError
from infoset.evaluation._trigger_kernels import TriggerPairs, add_triggered, trigger_gains
from infoset.evaluation.cce import check_finite_sums, checked_weights
from infoset.evaluation.trigger_pairs import enumerate_trigger_pairs
from infoset.forms import SequenceForm, Treeplex, as_sequence_form, check_sequence_form, plan_value
from infoset.policy import TabularPolicy
from infoset.typing import Action, FloatArray, Player, StateArrays


class TriggerDeviation(NamedTuple):
    """The trigger deviation of a player with the largest gain."""

    player: Player
    infostate: str
    """The infostate of the recommendation, as text."""
    action: Action
    """The recommended action."""
    gain: float
    """Expected gain of the best deviation that starts at this recommendation; until then the player
    follows all recommendations. The expectation is over all play, in the game's units; it is
    negative for a loss."""


@dataclass(frozen=True)
class EFCEEvaluation:
    """Values of recommended play, and its distance from an EFCE."""

    values: tuple[float, ...]
    """Expected utility of each player, in the game's units."""
    deviations: tuple[TriggerDeviation | None, ...]
    """The best trigger deviation of each player; None for a player without decisions."""
    efce_gap: float
    """The largest gain of a trigger deviation, at least 0: the play is an `efce_gap`-EFCE. In a
    matrix game, an EFCE is a correlated equilibrium."""
    total_gains: tuple[float, ...]
    """Gain of each player if it may deviate at a set of triggers, none of which precedes another,
    instead of at a single trigger. This is at least the gain of its best trigger deviation, and at
    least its gain in `evaluate_cce`."""


class EFCEEvaluator:
    """Evaluates a mixture of policies, one of which is drawn and recommended action by action.

    A player receives a recommendation at each infostate that it reaches, until it deviates for the
    first time. Recommendations reveal information about the draw. The evaluator therefore stores a
    gradient for every trigger g = (x_g, a_g): the sum of the gradients of the policies μ, each
    multiplied by μ(g).

    Parameters
    ----------
    form
        The game, with any number of players and any payoffs.

    Raises
    ------
    GameTooLargeError
        If the game has more than 20,000,000 pairs of a trigger and a later sequence.

    Notes
    -----
    Source: von Stengel and Forges (2008). Trigger deviations: Gordon, Greenwald and Marks (2008)
    and Farina, Celli, Marchesi and Gatti (2022).

    Examples
    --------
    In the game of chicken, a traffic light tells the first car, the second car, or neither to go,
    each with probability 1/3.

    >>> import numpy as np
    >>> from infoset.games import matrix_game
    >>> from infoset.tree import build_tree
    >>> chicken = matrix_game([[0, 7], [2, 6]], [[0, 2], [7, 6]])
    >>> evaluator = EFCEEvaluator(build_tree(chicken).sequence_form)
    >>> go, stop = np.array([1.0, 1, 0]), np.array([1.0, 0, 1])
    >>> for plans in ((go, stop), (stop, go), (stop, stop)):
    ...     evaluator.add(plans)
    >>> light = evaluator.evaluate()
    >>> light.values, light.efce_gap
    ((5.0, 5.0), 0.0)
    """

    def __init__(self, form: SequenceForm) -> None:
        check_sequence_form(form)
        self.form = form
        numbered = [_pairs(plex, form.name) for plex in form.treeplexes]
        self._pairs = [pairs for pairs, _ in numbered]
        sizes = [1, form.num_players, *(size for _, size in numbered)]
        self._sums = np.zeros(sum(sizes))
        # Views of one array, so that a checkpoint stores it alone.
        self._weight, self._values, *self._gradients = np.split(self._sums, np.cumsum(sizes)[:-1])

    @property
    def weight(self) -> float:
        """Total weight of the policies added so far."""
        return float(self._weight[0])

    @property
    def num_pairs(self) -> int:
        """Number of pairs of trigger and later sequence; `add` takes time linear in this number."""
        return sum(map(len, self._gradients))

    def state(self) -> StateArrays:
        """Return the array that `add` changes, by name."""
        return {"triggered": self._sums}

    def add(self, plans: Sequence[FloatArray], weight: float = 1.0) -> None:
        """Add a policy to the mixture.

        Parameters
        ----------
        plans
            Per player [Q], its realization plan.
        weight
            Weight of the policy.
        """
        form, plans = self.form, tuple(plans)
        self._weight += weight
        for player, plex in enumerate(form.treeplexes):
            gradient = weight * form.gradient(plans, player)
            with np.errstate(over="ignore", invalid="ignore"):  # detected at evaluation
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
        """Compute the exact values and deviation gains of the mixture, with one pass per trigger.

        Raises
        ------
        ParameterError
            If no policy of positive weight has been added.
        NumericalError
            If sums of payoffs exceed the range of floating point.
        """
        if not self.weight > 0:
            raise ParameterError("the mixture is empty; first add a policy with a positive weight")
        check_finite_sums(self._sums, self.form)
        gains, totals = zip(*map(self._gains, range(self.form.num_players)), strict=True)
        deviations = tuple(self._largest(player, own) for player, own in enumerate(gains))
        return EFCEEvaluation(
            values=tuple((self._values / self.weight).tolist()),
            deviations=deviations,
            efce_gap=max([0.0, *(deviation.gain for deviation in deviations if deviation)]),
            total_gains=tuple(float(total[0]) for total in totals),
        )

    def _gains(self, player: Player) -> tuple[FloatArray, FloatArray]:
        """Return [Q] the gain of each trigger and [Q] the total gain at and below each sequence."""
        plex = self.form.treeplexes[player]
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
        plex = self.form.treeplexes[player]
        if not plex.num_infostates:
            return None
        tree = self.form.infostate_trees[player]
        sequence = 1 + int(np.argmax(gains[1:]))  # the empty sequence is not a trigger
        here = int(plex.infostate_of_sequence[sequence])
        actions = tree.legal_actions(int(tree.acting[here]))
        action = actions[sequence - int(plex.first_sequence[here])]
        return TriggerDeviation(player, tree.acting_labels[here], action, float(gains[sequence]))


def _pairs(plex: Treeplex, game: str) -> tuple[TriggerPairs, int]:
    return enumerate_trigger_pairs(
        plex.parent_sequence, plex.first_sequence, plex.num_actions, plex.num_sequences, game
    )


def evaluate_efce(
    policies: Sequence[TabularPolicy], weights: Sequence[float] | None = None
) -> EFCEEvaluation:
    """Evaluate play in which one of several policies is drawn and recommended to the players.

    If a policy mixes actions, an action is drawn and recommended before it is played.

    Parameters
    ----------
    policies
        At least one, all for the same game.
    weights
        One nonnegative number per policy; by default all equal.

    Raises
    ------
    ParameterError, PolicyMismatchError
        As in `evaluate_cce`.
    GameTooLargeError
        As in `EFCEEvaluator`.

    Examples
    --------
    A Nash equilibrium is an EFCE that needs no recommendations.

    >>> import infoset
    >>> solved = infoset.solve("kuhn_poker", method="lp")
    >>> evaluate_efce([solved.policy]).efce_gap < 1e-9
    True
    """
    weights = checked_weights(policies, weights)
    evaluator = EFCEEvaluator(as_sequence_form(policies[0].form))
    for policy, weight in zip(policies, weights, strict=True):
        evaluator.add(policy.realization_plans(), weight)
    return evaluator.evaluate()
