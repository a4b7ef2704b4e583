"""True state sampling ratios of arrays: for games that are not built."""

from __future__ import annotations

import numpy as np

from infoset.errors import ParameterError
from infoset.typing import FloatArray
from infoset.utils.arguments import SUM_TOLERANCE, check_choice

__all__ = [
    "CANDIDATES",
    "check_candidates",
    "hand_sampling_ratios",
    "mean_true_state_sampling_ratio",
]

CANDIDATES = ("sorted", "ordered")
"""How candidates are counted: each infostate once, or by its prior probability."""


def hand_sampling_ratios(
    reach: FloatArray, prior: FloatArray, *, candidates: str = "sorted"
) -> FloatArray:
    """Return [..., K] the true state sampling ratio of each hand, by what is seen of its player.

    Of K hands one is dealt, and the player does what its policy does with it. An observer of
    outcome o, such as a first bid, believes `η(k | o) ∝ prior[k] reach[o, k]`, and the ratio is
    that times the number of hands (or, `ordered`, over the prior).

    Parameters
    ----------
    reach : FloatArray
        [..., K] probability of the player's own actions in each outcome, for each hand.
    prior : FloatArray
        [K] probability of each hand, for an observer who has not looked at the player; those of
        probability 0 are no candidates.
    candidates : str
        `sorted` or `ordered`, as in `true_state_sampling_ratio`.

    Returns
    -------
    FloatArray
        NaN for outcomes that no hand leads to, and hands that are never dealt.

    Raises
    ------
    ParameterError
        If the arrays do not fit, or are no probabilities.
    UnknownNameError
        If there is no such way to count candidates.

    Examples
    --------
    Three hands, and a policy that bets with the last and half of those before:

    >>> import numpy as np
    >>> bets, passes = np.array([0, 0.5, 1]), np.array([1, 0.5, 0])
    >>> hand_sampling_ratios(np.stack([bets, passes]), np.ones(3) / 3).tolist()
    [[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]
    """
    check_candidates(candidates)
    reach, prior = np.asarray(reach, np.float64), np.asarray(prior, np.float64)
    _check_arrays(reach, prior)
    joint = reach * prior
    total = joint.sum(axis=-1, keepdims=True)
    belief = np.divide(joint, total, out=np.full(reach.shape, np.nan), where=total > 0)
    guess = prior if candidates == "ordered" else (prior > 0) / np.count_nonzero(prior)
    ratios: FloatArray = np.divide(belief, guess, out=np.full(reach.shape, np.nan), where=guess > 0)
    return ratios


def mean_true_state_sampling_ratio(
    reach: FloatArray,
    prior: FloatArray,
    *,
    weights: FloatArray | None = None,
    candidates: str = "sorted",
) -> float:
    """Return the true state sampling ratio of arrays, averaged over play.

        mean = Σ_o w[o] Σ_k prior[k] reach[o, k] ratio[o, k] / Σ_o w[o] Σ_k prior[k] reach[o, k]

    Parameters
    ----------
    reach, prior, candidates
        As in `hand_sampling_ratios`. Outcomes that are left out, such as the end of the
        game, do not count.
    weights : FloatArray, optional
        [...] probability that nature and the others do their part of each outcome; by default
        the same for all.

    Raises
    ------
    ParameterError
        If the arrays do not fit, are no probabilities, or no outcome ever happens.
    UnknownNameError
        If there is no such way to count candidates.

    Examples
    --------
    >>> import numpy as np
    >>> honest = np.eye(3)
    >>> mean_true_state_sampling_ratio(honest, np.array([1, 1, 1]) / 3)
    3.0
    """
    ratios = hand_sampling_ratios(reach, prior, candidates=candidates)
    weights = np.ones(ratios.shape[:-1]) if weights is None else np.asarray(weights, np.float64)
    if weights.shape != ratios.shape[:-1] or not ((weights >= 0) & np.isfinite(weights)).all():
        raise ParameterError(
            f"weights have shape {weights.shape}, or some are negative; they are not, and of shape "
            f"{ratios.shape[:-1]}, one for each outcome of reach"
        )
    joint = weights[..., None] * reach * prior
    happens = joint > 0
    if not happens.any():
        raise ParameterError("no outcome ever happens, by reach, prior and weights together")
    return float(np.average(ratios[happens], weights=joint[happens]))


def check_candidates(candidates: str) -> None:
    """Raise unless there is such a way to count candidates."""
    check_choice("way to count candidates", candidates, CANDIDATES)


def _check_arrays(reach: FloatArray, prior: FloatArray) -> None:
    if prior.ndim != 1 or reach.shape[-1:] != prior.shape:
        raise ParameterError(
            f"reach has shape {reach.shape} and prior {prior.shape}; with K hands they have "
            "[..., K] and [K]"
        )
    if not (prior >= 0).all() or not abs(prior.sum() - 1) <= SUM_TOLERANCE:
        raise ParameterError(
            f"prior sums to {prior.sum()}, or has negative numbers; it is the probability of each "
            "hand"
        )
    if not ((reach >= 0) & (reach <= 1 + SUM_TOLERANCE)).all():
        raise ParameterError(
            "reach has numbers that are no probabilities; it is the probability of the player's "
            "actions in each outcome, for each hand"
        )
