"""The projection of a relaxed policy, the distance between them, and the penalized objective."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.hiding._projection_kernels import fill_distances, project_by_cell, sum_by_cell
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.hiding.schedules import check_penalty
from infoset.typing import FloatArray
from infoset.utils.arguments import check_type


def project(
    relaxed_form: RelaxedForm, policy: FloatArray, weight: FloatArray | None = None
) -> FloatArray:
    """Return [C] the projection of a relaxed policy on the implementable policies (eq. 4).

        (P π)_κ(a) = Σ_{n in κ} ρ(n) π_n(a) / Σ_{n in κ} ρ(n)

    κ is a cell of the original map. The projection is the nearest implementable policy in the norm
    weighted by ρ. Cells whose nodes all have weight 0 get the unweighted mean.

    Parameters
    ----------
    policy
        [S] a relaxed policy.
    weight
        [N] ρ; by default the reach under the policy.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import build_product_form, reveal_private
    >>> from infoset.teams.hiding import relax
    >>> form = build_product_form(load_game("trade_comm(num_items=2)"))
    >>> relaxed = relax(form, reveal_private(form.information, (0, 1)))
    >>> projected = relaxed.uniform_policy()
    >>> bool(np.allclose(project(relaxed, relaxed.lift(projected)), projected))
    True
    """
    weight = _checked(relaxed_form, policy, weight)
    information = relaxed_form.relaxed
    # `project_by_cell` uses the count where a coarse cell has no weight; it overwrites `mass`.
    count = np.bincount(information.cell).astype(np.float64)
    mass, total = np.empty(information.num_cells), np.empty(relaxed_form.original.num_cells)
    sum_by_cell(relaxed_form.fine.cell, weight, mass)
    projected = np.empty(relaxed_form.original.num_entries)
    project_by_cell(
        relaxed_form.fine,
        relaxed_form.coarse,
        relaxed_form.known,
        count,
        mass,
        policy,
        total,
        projected,
    )
    return projected


def squared_distance(
    relaxed_form: RelaxedForm,
    policy: FloatArray,
    projected: FloatArray,
    weight: FloatArray | None = None,
) -> FloatArray:
    """Return [T] the squared distance of each team's relaxed policy from π̂: Σ_n ρ(n) ‖π_n - π̂_n‖².

    Parameters
    ----------
    policy
        [S] π.
    projected
        [C] π̂.
    weight
        [N] ρ; by default the reach under the policy, because penalties are paid along a play.
    """
    weight = _checked(relaxed_form, policy, weight)
    num_entries = relaxed_form.original.num_entries
    if np.shape(projected) != (num_entries,):
        raise ParameterError(
            f"a projection of shape {np.shape(projected)} is not an implementable policy of "
            f"{relaxed_form.form}, which has {num_entries} entries; compute one with project()"
        )
    distance, mass = np.empty((2, relaxed_form.relaxed.num_cells))
    fill_distances(
        relaxed_form.fine, relaxed_form.coarse, relaxed_form.known, policy, projected, distance
    )
    sum_by_cell(relaxed_form.fine.cell, weight, mass)
    totals = np.bincount(relaxed_form.cell_team, mass * distance, len(relaxed_form.teams))
    return totals.astype(np.float64)


def relaxed_objective(
    relaxed_form: RelaxedForm,
    policy: FloatArray,
    penalty: float,
    weight: FloatArray | None = None,
) -> FloatArray:
    """Return [T] the objective of each team: F(π) = J(π) - γ ‖π - P π‖² (eq. 5).

    For every γ ≥ 0 the maximum of F lies between the optimum over implementable policies and the
    optimum over relaxed policies (eq. 6). It does not increase with γ.

    Parameters
    ----------
    policy
        [S] a relaxed policy.
    penalty
        γ, in utility units.
    weight
        [N] weights of the projector and of the norm; by default the reach under the policy.
    """
    check_penalty("penalty", penalty)
    projected = project(relaxed_form, policy, weight)
    return relaxed_form.payoffs(policy) - penalty * squared_distance(
        relaxed_form, policy, projected, weight
    )


def _checked(
    relaxed_form: RelaxedForm, policy: FloatArray, weight: FloatArray | None
) -> FloatArray:
    """Return the weights, by default the reach, after checking shapes."""
    check_type("relaxed_form", relaxed_form, RelaxedForm, "infoset.teams.hiding.relax(form, map)")
    relaxed_form.check_policy(policy)
    if weight is None:
        return relaxed_form.reach(policy)
    if np.shape(weight) != (relaxed_form.form.num_nodes,):
        raise ParameterError(
            f"weights have shape {np.shape(weight)}; give one for each of the "
            f"{relaxed_form.form.num_nodes} nodes"
        )
    return weight
