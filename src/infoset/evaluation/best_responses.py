"""Exact expected values, best responses, NashConv, and exploitability on the sequence form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.evaluation.public_evaluation import (
    PlayerValues,
    values_of_policies,
    values_of_weights,
)
from infoset.forms import (
    GameForm,
    PublicForm,
    behavior_to_plan,
    public_utility_gradient,
    terminal_gradient,
)
from infoset.policy import PublicPolicy, TabularPolicy, check_policy
from infoset.typing import FloatArray, IntArray, Player
from infoset.utils.arguments import check_player
from infoset.utils.compilation import linear_kernel
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers

__all__ = [
    "BestResponse",
    "Evaluation",
    "best_response",
    "best_response_plan",
    "best_response_sweep",
    "evaluate_plans",
    "evaluate_policy",
    "evaluate_public_weights",
    "expected_values",
    "exploitability",
    "nash_conv",
    "plan_value",
    "utility_gradient",
]


@dataclass(frozen=True, repr=False)
class Evaluation(ShortRepr):
    """Expected utilities of a policy, and the gains from best responses to it.

    Attributes
    ----------
    values : tuple[float, ...]
        Expected utility of each player, in the game's units.
    gains : tuple[float, ...]
        Gain of each player from a best response to the others, at least 0. NaN for games without
        perfect recall, for which best responses are not computed.
    nash_conv : float
        Sum of the gains.
    exploitability : float or None
        Mean of the gains; None unless the game is two-player constant-sum with perfect recall.
    security_levels : tuple[float, float] or None
        Security level of each player's policy: a lower bound on its utility against any opponent,
        minus an allowance for rounding. None if `exploitability` is None. The value of the game for
        player 0 lies between `security_levels[0]` and the constant sum minus `security_levels[1]`.
    rounding : float
        Bound on the rounding error of a best-response value in float64. Smaller gains are not
        significant. NaN if the gains are NaN.
    """

    values: tuple[float, ...]
    gains: tuple[float, ...]
    nash_conv: float
    exploitability: float | None
    security_levels: tuple[float, float] | None
    rounding: float

    def _facts(self) -> Facts:
        values: dict[str, object] = {
            "values": format_numbers(self.values),
            "gains": format_numbers(self.gains),
            "NashConv": self.nash_conv,
        }
        if self.exploitability is not None:
            values["exploitability"] = self.exploitability
        return Facts("", values, "see .security_levels, .rounding")


@dataclass(frozen=True, repr=False)
class BestResponse(ShortRepr):
    """A best response of one player to the policies of the others.

    Attributes
    ----------
    player : Player
    value : float
        Expected utility of the player, in the game's units.
    policy : TabularPolicy or PublicPolicy
        The given policy with the player's part replaced by a pure best response. Ties go to the
        first action.
    """

    player: Player
    value: float
    policy: TabularPolicy | PublicPolicy


def utility_gradient(form: GameForm, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
    """Return [Q] the gradient of a player's expected utility with respect to its own plan.

    The gradient depends only on the `plans` [Q] of the other players.
    """
    if isinstance(form, PublicForm):
        return public_utility_gradient(form, plans[1 - player], player)
    gradient = np.zeros(form.treeplexes[player].num_sequences)
    terminal_gradient(player, form.terminal_sequence, form.payoff, plans, gradient)
    return gradient


@linear_kernel
def best_response_sweep(
    parent_sequence: IntArray,
    first_sequence: IntArray,
    num_actions: IntArray,
    gradient: FloatArray,
) -> IntArray:
    """Return [I] the best sequence at each infostate; ties go to the first action.

    parent_sequence, first_sequence, num_actions : [I]. gradient : [Q], overwritten with the
    counterfactual value of each sequence under best play, so that gradient[0] becomes the value of
    the best response.
    """
    best = np.empty(len(num_actions), np.int32)
    # Infostates are numbered parents first. Going backwards, the values of all infostates below
    # have already been added to the sequences of an infostate.
    for infostate in range(len(num_actions) - 1, -1, -1):
        first = first_sequence[infostate]
        chosen = first
        for sequence in range(first + 1, first + num_actions[infostate]):
            if gradient[sequence] > gradient[chosen]:
                chosen = sequence
        best[infostate] = chosen
        # v(I) = max_a v(Ia), added to the value of the sequence that leads to I.
        gradient[parent_sequence[infostate]] += gradient[chosen]
    return best


def plan_value(gradient: FloatArray, plan: FloatArray) -> float:
    """Return the inner product of a gradient [Q] and a plan [Q]: the value of the plan.

    The product does not use BLAS: on a busy machine its threads cost more than the product, and its
    rounding depends on the number of threads.
    """
    return float(np.einsum("i,i", gradient, plan))


def evaluate_plans(form: GameForm, plans: Sequence[FloatArray]) -> Evaluation:
    """Evaluate realization plans, per player [Q], in one pass over the payoffs for each player.

    Gains are computed in float64. A gain that is negative because of rounding is reported as 0.
    """
    plans, found = tuple(plans), []
    for player, plex in enumerate(form.treeplexes):
        gradient = utility_gradient(form, plans, player)
        value = plan_value(gradient, plans[player])
        best_response_sweep(plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient)
        found.append(PlayerValues(value, float(gradient[0])))
    return _evaluation(form, found)


def _evaluation(form: GameForm, found: Sequence[PlayerValues]) -> Evaluation:
    """Return the evaluation of a policy, given what each player earns."""
    values = tuple(own.value for own in found)
    best = tuple(own.best for own in found)
    gains = tuple(max(own.best - own.value, 0.0) for own in found)
    conv, rounding = sum(gains), form.rounding
    halved = security_levels = None
    if form.is_two_player_constant_sum:
        total = float(form.constant_sum or 0.0)
        halved = conv / 2
        security_levels = (total - best[1] - rounding, total - best[0] - rounding)
    return Evaluation(values, gains, conv, halved, security_levels, rounding)


def evaluate_policy(policy: TabularPolicy | PublicPolicy) -> Evaluation:
    """Evaluate a policy, tabular or on a public form: values, gains, NashConv, exploitability.

    `infoset.evaluate` does the same for games by name and policies from files.

    Raises
    ------
    ParameterError
        If `policy` is neither a `TabularPolicy` nor a `PublicPolicy`.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> round(evaluate_policy(uniform_policy(kuhn)).exploitability, 12)
    0.458333333333
    """
    if isinstance(policy, PublicPolicy):
        form = policy.public_form
        return _evaluation(form, values_of_policies(form, policy.probabilities))
    return evaluate_plans(_form_of(policy), policy.realization_plans())


def evaluate_public_weights(
    form: PublicForm, weights: tuple[FloatArray, ...], workspace: FloatArray | None = None
) -> Evaluation:
    """Evaluate `PublicPolicy.from_weights` without building the policy, to the same bits.

    Parameters
    ----------
    form : PublicForm
    weights : tuple[FloatArray, ...]
        Per player, [Q] nonnegative weights in float64, in the order of `game_layouts`. They are
        overwritten.
    workspace : FloatArray, optional
        An array at least as long as those of weights, which is overwritten. New memory costs more
        time than the numbers that are written to it, so callers that evaluate often pass it.
    """
    return _evaluation(form, values_of_weights(form, weights, workspace))


def expected_values(policy: TabularPolicy | PublicPolicy) -> tuple[float, ...]:
    """Return the expected utility of each player, in the game's units.

    Raises
    ------
    ParameterError
        If `policy` is neither a `TabularPolicy` nor a `PublicPolicy`.
    """
    form = _form_of(policy)
    plans = policy.realization_plans()
    return tuple(
        plan_value(utility_gradient(form, plans, player), plans[player])
        for player in range(form.num_players)
    )


def best_response(policy: TabularPolicy | PublicPolicy, player: Player) -> BestResponse:
    """Return a best response of one player to the policies of the others, and its value.

    Raises
    ------
    ParameterError
        If `policy` is neither a `TabularPolicy` nor a `PublicPolicy`, or the game has no such
        player.
    """
    form = _form_of(policy)
    check_player(player, form.num_players, form.name)
    value, pure = _best_behavior(form, policy.realization_plans(), player)
    chosen = [*policy.probabilities]
    chosen[player] = pure
    if isinstance(form, PublicForm):
        return BestResponse(player, value, PublicPolicy(form, (chosen[0], chosen[1])))
    return BestResponse(player, value, TabularPolicy(form, tuple(chosen)))


def _form_of(policy: TabularPolicy | PublicPolicy) -> GameForm:
    """Return the game of a policy, which is checked to be one."""
    if isinstance(policy, PublicPolicy):
        return policy.public_form
    check_policy(policy)
    return policy.form


def best_response_plan(form: GameForm, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
    """Return [Q] a pure best response to the `plans` [Q] of the others, as a realization plan.

    Ties go to the first action. The player's own plan is ignored.
    """
    plex = form.treeplexes[player]
    _, pure = _best_behavior(form, plans, player)
    return behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, pure)


def _best_behavior(
    form: GameForm, plans: tuple[FloatArray, ...], player: Player
) -> tuple[float, FloatArray]:
    """Return the value of a best response, and [Q] its policy in behavior form."""
    plex = form.treeplexes[player]
    gradient = utility_gradient(form, plans, player)
    best = best_response_sweep(
        plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient
    )
    pure = np.zeros(plex.num_sequences)
    pure[best] = 1.0
    pure[0] = 1.0
    return float(gradient[0]), pure


def nash_conv(policy: TabularPolicy | PublicPolicy) -> float:
    """Return NashConv: the sum over players of the gain of a best response.

    Raises
    ------
    ParameterError
        If `policy` is neither a `TabularPolicy` nor a `PublicPolicy`.
    """
    return evaluate_policy(policy).nash_conv


def exploitability(policy: TabularPolicy | PublicPolicy) -> float:
    """Return NashConv / 2 in a two-player constant-sum game, in the game's units.

    Papers differ: some call NashConv itself, or the gain of one player, exploitability.

    Raises
    ------
    ParameterError
        If `policy` is neither a `TabularPolicy` nor a `PublicPolicy`.
    UnsupportedGameError
        If the game is not two-player constant-sum, because exploitability is then undefined.
    """
    result = evaluate_policy(policy).exploitability
    if result is None:
        raise UnsupportedGameError(
            f"exploitability is defined only for two-player constant-sum games, and "
            f"{_form_of(policy).name} is not such a game; use nash_conv(policy)"
        )
    return result
