"""Progressive hedging: proximal steps with multipliers for differences between scenarios."""

from __future__ import annotations

from typing import ClassVar

from infoset.teams.hiding.minorize_maximize import MinorizeMaximize


class ProgressiveHedging(MinorizeMaximize):
    """The state of progressive hedging (scenario decomposition), and its iterations.

    A cell of the relaxed map stands for a scenario, as far as it is known there. Each scenario is
    solved separately, with a price w for each action. The policies of scenarios that the agents
    cannot tell apart are then averaged, and prices rise for actions above the average:

        π ← argmax J(π) - E_π Σ_stages [<w, π> + γ ‖π - π̂‖²]
        π̂ ← P π
        w ← w + 2γ (π - π̂)

    One pass from the last stage to the first computes the maximum. With w = 0 throughout, this is
    `MinorizeMaximize`. Multipliers can make the scenarios agree at any penalty; the penalty alone
    leaves a distance. With a single decision per play the payoff is linear in the policy, and the
    projected policies converge to an optimum. With several decisions it is not concave: a run may
    end in a local optimum, and with a large penalty the first multipliers outweigh the payoffs.

    Parameters and errors are those of `MinorizeMaximize`.

    Notes
    -----
    Source: R. T. Rockafellar, R. J.-B. Wets, "Scenarios and policy aggregation in optimization
    under uncertainty", Mathematics of Operations Research 16 (1991), with the step r = 2γ; cited by
    B. Heymann, M. Lanctot, "Learning in games with progressive hiding", AAMAS 2025, section 3.
    Differs from the source: average, price and penalty are weighted by the reach of a scenario's
    node along the play, not by the probability of the scenario alone, because only then does one
    pass solve a scenario exactly. Both weights are equal at the first decision of a play.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form, get_relaxation, relax
    >>> form = build_product_form(load_game("cooperative_matching_pennies"))
    >>> relaxed = relax(form, get_relaxation("recall").relax(form.information, (0, 1)))
    >>> trace = ProgressiveHedging(relaxed, penalty=0.5).run(50)
    >>> [round(float(numbers[-1, 0]), 6) for numbers in trace[:3]]
    [1.0, 1.0, 0.0]
    """

    _multiplier_step: ClassVar = 1.0
