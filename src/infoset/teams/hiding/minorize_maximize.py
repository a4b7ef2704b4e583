"""Minorize-maximize (Algorithm 1): proximal steps that never decrease the objective."""

from __future__ import annotations

from typing import Any, ClassVar, Final

import numpy as np

from infoset.errors import ParameterError, UnsupportedGameError
from infoset.teams.hiding._minorize_maximize_kernels import Stages, minorize_maximize
from infoset.teams.hiding.progressive_hiding import numbers_of
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.hiding.scheme import HidingScheme, Weighting
from infoset.teams.hiding.state import FixedPolicies, HidingState, HidingTrace
from infoset.teams.policies import check_probabilities, random_probabilities
from infoset.teams.product_form import find_recall_violation
from infoset.typing import FloatArray
from infoset.utils.arguments import check_number

SCHEME: Final = HidingScheme(
    projector="current",
    weighting=Weighting("counterfactual beliefs", "given the cell", "team", conditional=True),
)
"""The projector and the weights for which both steps are exact."""


class MinorizeMaximize(HidingState):
    """The state of minorize-maximize (Algorithm 1), and its iterations.

    The algorithm alternates the projection π̂ ← P π with the best relaxed policy given π̂,

        π ← argmax J(π) - γ E_π ‖π - π̂‖²

    One pass from the last stage to the first computes this maximum. The objective
    F(π) = J(π) - γ E_π ‖π - P π‖² never decreases (Theorem 3), because P π is the nearest
    implementable policy: the maximized function equals F at the old π and is at most F at the
    new π.

    Parameters
    ----------
    relaxed_form
        The learning team must have perfect recall under the relaxed map.
    penalty
        γ, in utility units; positive.
    start
        [S] initial relaxed policy. By default the policy at each cell is drawn uniformly from the
        simplex.
    seed
        Seed of the initial policy.
    fixed
        Implementable policies [C] of all other teams.

    Raises
    ------
    UnsupportedGameError
        If the team lacks perfect recall under the relaxed map; the message shows two prefixes.

    Source: B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025,
    Algorithm 1 and Theorem 3. The formulas of the steps are derived; see the page on progressive
    hiding.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form, get_relaxation, relax
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
    >>> relaxed = relax(form, get_relaxation("recall").relax(form.information, (0, 1)))
    >>> round(
    ...     float(MinorizeMaximize(relaxed, penalty=0.5).run(30).implementable[-1, 0]),
    ...     6,
    ... )
    1.0
    """

    _multiplier_step: ClassVar = 0.0
    """As in the kernel."""

    def __init__(
        self,
        relaxed_form: RelaxedForm,
        penalty: float,
        *,
        start: FloatArray | None = None,
        seed: int = 0,
        fixed: FixedPolicies | None = None,
    ) -> None:
        check_number("penalty", penalty)
        if penalty == 0:
            raise ParameterError(
                "penalty=0 has no proximal step; give a positive penalty, such as 0.3"
            )
        super().__init__(relaxed_form, penalty, seed, fixed or {})
        if len(self._game.teams) != 1:
            raise ParameterError(
                f"{len(self._game.teams)} teams would learn, but proximal steps support only one: "
                "fix the policies of the others, or use ProgressiveHiding (--method "
                "progressive-hiding)"
            )
        team = int(self._game.teams[0])
        violation = find_recall_violation(relaxed_form.relaxed, relaxed_form.teams[team])
        if violation is not None:
            raise UnsupportedGameError(
                "proximal steps need a team with perfect recall under the relaxed map: "
                f"{violation} Use perfect_recall_closure(map, team), or relax='recall' (--relax "
                "recall), or ProgressiveHiding (--method progressive-hiding)"
            )
        self._numbers = numbers_of(SCHEME, relaxed_form, 1)
        bounds = np.arange(relaxed_form.form.num_stages + 1)
        # Cells are numbered in order of stages, so `searchsorted` finds the first one of each.
        self._stages = Stages(
            first_node=relaxed_form.form.arrays.first_node,
            first_cell=np.searchsorted(relaxed_form.relaxed.stage, bounds),
        )
        own = np.repeat(relaxed_form.cell_team == team, relaxed_form.relaxed.num_actions)
        drawn = random_probabilities(relaxed_form.relaxed, self._generator)
        first = drawn if start is None else start
        check_probabilities(relaxed_form.relaxed, first)
        self._state.policy[own] = first[own]

    def run(self, iterations: int) -> HidingTrace:
        """Run `iterations` more iterations, in one compiled call, and return their trace."""
        trace = self._trace_rows(iterations)
        minorize_maximize(
            self._multiplier_step,
            self._stages,
            self._game,
            self._numbers,
            self._state,
            self._workspace,
            trace,
        )
        return HidingTrace(*np.moveaxis(trace, 2, 0))

    def settings(self) -> dict[str, Any]:
        """Return the settings that, with game, maps and start, determine every iteration."""
        return {"penalty": float(self._state.penalty[0]), "seed": self.seed}
