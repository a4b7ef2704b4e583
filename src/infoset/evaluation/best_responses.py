"""Exact expected values, best responses, NashConv, and exploitability on any form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infoset.errors import UnsupportedGameError
from infoset.forms import (
    Form,
    PlayerValues,
    behavior_to_plan,
    best_response_sweep,
    plan_value,
    values_of_plans,
)
from infoset.policy import TabularPolicy, check_policy
from infoset.typing import FloatArray, Player
from infoset.utils.arguments import check_player
from infoset.utils.short_repr import Facts, ShortRepr, format_numbers


@dataclass(frozen=True, repr=False)
class Evaluation(ShortRepr):
    """Expected utilities of a policy, and the gains from best responses to it."""

    values: tuple[float, ...]
    """Expected utility of each player, in the game's units."""
    gains: tuple[float, ...]
    """Gain of each player from a best response to the others, at least 0. NaN for games without
    perfect recall, for which best responses are not computed."""
    nash_conv: float
    """Sum of the gains."""
    exploitability: float | None
    """Mean of the gains; None unless the game is two-player constant-sum with perfect recall."""
    security_levels: tuple[float, float] | None
    """Security level of each player's policy: a lower bound on its utility against any opponent,
    minus an allowance for rounding. None if `exploitability` is None. The value of the game for
    player 0 lies between `security_levels[0]` and the constant sum minus `security_levels[1]`."""
    rounding: float
    """Bound on the rounding error of a best-response value in float64. Smaller gains are not
    significant. NaN if the gains are NaN."""
    form_reason: str | None = None
    """Why `infoset.evaluate` measured on a public form or a world form; None if it did not."""

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
    """A best response of one player to the policies of the others."""

    player: Player
    value: float
    """Expected utility of the player, in the game's units."""
    policy: TabularPolicy[Form]
    """The given policy with the player's part replaced by a pure best response. Ties go to the
    first action."""


def evaluate_plans(form: Form, plans: Sequence[FloatArray]) -> Evaluation:
    """Evaluate realization plans, per player [Q], in one pass over the payoffs for each player.

    Gains are computed in float64. A gain that is negative because of rounding is reported as 0.
    """
    return evaluation_of(form, values_of_plans(form, tuple(plans)))


def evaluation_of(form: Form, found: Sequence[PlayerValues]) -> Evaluation:
    """Return the evaluation of a policy, given what each player earns on a form."""
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


def evaluate_policy(policy: TabularPolicy[Form]) -> Evaluation:
    """Evaluate a tabular policy: values, gains, NashConv, exploitability.

    `infoset.evaluate` does the same for games by name and policies from files.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.policy import uniform_policy
    >>> from infoset.tree import build_tree
    >>> kuhn = build_tree(load_game("kuhn_poker")).sequence_form
    >>> round(evaluate_policy(uniform_policy(kuhn)).exploitability, 12)
    0.458333333333
    """
    check_policy(policy)
    return evaluation_of(policy.form, policy.player_values())


def expected_values(policy: TabularPolicy[Form]) -> tuple[float, ...]:
    """Return the expected utility of each player, in the game's units."""
    check_policy(policy)
    form = policy.form
    plans = policy.realization_plans()
    return tuple(
        plan_value(form.gradient(plans, player), plans[player])
        for player in range(form.num_players)
    )


def best_response(policy: TabularPolicy[Form], player: Player) -> BestResponse:
    """Return a best response of one player to the policies of the others, and its value.

    Raises
    ------
    ParameterError
        If `policy` is not a `TabularPolicy`, or the game has no such
        player.
    """
    check_policy(policy)
    form = policy.form
    check_player(player, form.num_players, form.name)
    value, pure = _best_behavior(form, policy.realization_plans(), player)
    chosen = [*policy.probabilities]
    chosen[player] = pure
    return BestResponse(player, value, TabularPolicy(form, tuple(chosen)))


def best_response_plan(form: Form, plans: tuple[FloatArray, ...], player: Player) -> FloatArray:
    """Return [Q] a pure best response to the `plans` [Q] of the others, as a realization plan.

    Ties go to the first action. The player's own plan is ignored.
    """
    plex = form.treeplexes[player]
    _, pure = _best_behavior(form, plans, player)
    return behavior_to_plan(plex.parent_sequence, plex.first_sequence, plex.num_actions, pure)


def _best_behavior(
    form: Form, plans: tuple[FloatArray, ...], player: Player
) -> tuple[float, FloatArray]:
    """Return the value of a best response, and [Q] its policy in behavior form."""
    plex = form.treeplexes[player]
    gradient = form.gradient(plans, player)
    best = best_response_sweep(
        plex.parent_sequence, plex.first_sequence, plex.num_actions, gradient
    )
    pure = np.zeros(plex.num_sequences)
    pure[best] = 1.0
    pure[0] = 1.0
    return float(gradient[0]), pure


def nash_conv(policy: TabularPolicy[Form]) -> float:
    """Return NashConv: the sum over players of the gain of a best response."""
    return evaluate_policy(policy).nash_conv


def exploitability(policy: TabularPolicy[Form]) -> float:
    """Return NashConv / 2 in a two-player constant-sum game, in the game's units.

    Papers differ: some call NashConv itself, or the gain of one player, exploitability.

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum, because exploitability is then undefined.
    """
    result = evaluate_policy(policy).exploitability
    if result is None:
        raise UnsupportedGameError(
            f"exploitability is defined only for two-player constant-sum games, but "
            f"{policy.form.name} is not such a game; use nash_conv(policy)"
        )
    return result
