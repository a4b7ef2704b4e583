"""The projection of a relaxed policy, its penalty, and what is to be made large."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError
from infoset.teams.hiding._projector_kernels import fill_distances, project_by_label, sum_by_label
from infoset.teams.hiding.relaxed_form import RelaxedForm
from infoset.teams.hiding.schedules import check_gamma
from infoset.typing import FloatArray
from infoset.utils.arguments import check_type

__all__ = ["penalty", "project", "relaxed_objective"]


def project(
    relaxed_form: RelaxedForm, policy: FloatArray, weight: FloatArray | None = None
) -> FloatArray:
    """Return [C] the implementable policy nearest to a relaxed one: its shadow.

        (P π)_κ(a) = Σ_{n in κ} ρ(n) π_n(a) / Σ_{n in κ} ρ(n)

    the mean of what it chooses at the nodes of a label of the original map. Nodes of a label whose
    weights are all 0 count alike.

    Parameters
    ----------
    relaxed_form : RelaxedForm
    policy : FloatArray
        [S] a relaxed policy.
    weight : FloatArray, optional
        [N] ρ; by default the reach of each node under the policy.

    Raises
    ------
    ParameterError
        If policy or weights have another shape.

    Examples
    --------
    >>> from infoset.games import load_game
    >>> from infoset.teams import product_form, reveal_private
    >>> from infoset.teams.hiding import relax
    >>> form = product_form(load_game("trade_comm(num_items=2)"))
    >>> lent = relax(form, reveal_private(form.information, (0, 1)))
    >>> shadow = lent.uniform_policy()
    >>> bool(np.allclose(project(lent, lent.lent(shadow)), shadow))
    True
    """
    weight = _checked(relaxed_form, policy, weight)
    information = relaxed_form.relaxed
    count = np.bincount(information.label).astype(np.float64)
    mass, total = np.empty(information.num_labels), np.empty(relaxed_form.original.num_labels)
    sum_by_label(relaxed_form.fine.label, weight, mass)
    shadow = np.empty(relaxed_form.original.num_slots)
    project_by_label(
        relaxed_form.fine,
        relaxed_form.coarse,
        relaxed_form.known,
        count,
        mass,
        policy,
        total,
        shadow,
    )
    return shadow


def penalty(
    relaxed_form: RelaxedForm,
    policy: FloatArray,
    shadow: FloatArray,
    weight: FloatArray | None = None,
) -> FloatArray:
    """Return [T] how far each team's relaxed policy is off a shadow: Σ_n ρ(n) ‖π_n - π̂_n‖².

    Parameters
    ----------
    relaxed_form : RelaxedForm
    policy : FloatArray
        [S] π.
    shadow : FloatArray
        [C] π̂.
    weight : FloatArray, optional
        [N] ρ; by default the reach of each node under the policy, so that penalties are paid along
        the play.

    Raises
    ------
    ParameterError
        If policy, shadow or weights have another shape.
    """
    weight = _checked(relaxed_form, policy, weight)
    num_slots = relaxed_form.original.num_slots
    if np.shape(shadow) != (num_slots,):
        raise ParameterError(
            f"a shadow of shape {np.shape(shadow)} is no implementable policy of "
            f"{relaxed_form.form}, which has {num_slots} slots; make one by `project`"
        )
    distance, mass = np.empty((2, relaxed_form.relaxed.num_labels))
    fill_distances(
        relaxed_form.fine, relaxed_form.coarse, relaxed_form.known, policy, shadow, distance
    )
    sum_by_label(relaxed_form.fine.label, weight, mass)
    totals = np.bincount(relaxed_form.label_team, mass * distance, len(relaxed_form.teams))
    return totals.astype(np.float64)


def relaxed_objective(
    relaxed_form: RelaxedForm,
    policy: FloatArray,
    gamma: float,
    weight: FloatArray | None = None,
) -> FloatArray:
    """Return [T] F(π) = J(π) - γ ‖π - P π‖², what each team is to make large.

    For every γ the best F is at least what the best implementable policy earns, and at most what
    the best relaxed one does; it falls as γ grows.

    Parameters
    ----------
    relaxed_form : RelaxedForm
    policy : FloatArray
        [S] a relaxed policy.
    gamma : float
        γ, in units of utility.
    weight : FloatArray, optional
        [N] the weights of projector and norm; by default the reach under the policy.

    Raises
    ------
    ParameterError
        If γ is negative, or policy or weights have another shape.
    """
    check_gamma("gamma", gamma)
    shadow = project(relaxed_form, policy, weight)
    return relaxed_form.payoffs(policy) - gamma * penalty(relaxed_form, policy, shadow, weight)


def _checked(
    relaxed_form: RelaxedForm, policy: FloatArray, weight: FloatArray | None
) -> FloatArray:
    """Return the weights, by default the reach, once shapes are checked."""
    check_type("relaxed_form", relaxed_form, RelaxedForm, "infoset.teams.hiding.relax(form, map)")
    relaxed_form.check_policy(policy)
    if weight is None:
        return relaxed_form.reach(policy)
    if np.shape(weight) != (relaxed_form.form.num_nodes,):
        raise ParameterError(
            f"weights have shape {np.shape(weight)}; there must be one for each of the "
            f"{relaxed_form.form.num_nodes} nodes"
        )
    return weight
