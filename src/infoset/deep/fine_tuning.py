"""Fine-tuning of network policies for play."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from infoset.errors import ParameterError
from infoset.typing import FloatArray
from infoset.utils.arguments import check_count, check_number


def fine_tune(
    probabilities: NDArray[np.floating], threshold: float = 0.03, units: int = 32
) -> FloatArray:
    """Drop improbable actions of policies and round the others to multiples of `1 / units`.

    Actions with a probability below `threshold` are dropped, unless all of a row are. In descending
    order, each action then receives ⌈units · π(a)⌉ units until all units are spent. If some remain,
    they go to the first action.

    Parameters
    ----------
    probabilities : array
        [R, A] distributions, with zeros at illegal actions.
    threshold
        Probability below which an action is dropped.
    units
        Number of units; 0 for no rounding.

    Returns
    -------
    FloatArray
        [R, A] distributions.

    Notes
    -----
    Source: Perolat et al. (Science 2022), with their numbers as defaults.

    Examples
    --------
    >>> fine_tune(np.array([[0.6, 0.38, 0.02]])).tolist()
    [[0.625, 0.375, 0.0]]
    """
    check_number("threshold", threshold, maximum=1)
    check_count("units", units)
    policy: FloatArray = np.asarray(probabilities, np.float64)
    if policy.ndim != 2:
        raise ParameterError(
            f"probabilities have shape {policy.shape}; give one row per infostate, [R, A]"
        )
    kept = policy >= threshold
    policy = np.where(kept | ~kept.any(axis=1, keepdims=True), policy, 0.0)
    policy /= policy.sum(axis=1, keepdims=True)
    if units == 0:
        return policy
    order = np.argsort(-policy, axis=1, kind="stable")
    wanted = np.ceil(units * np.take_along_axis(policy, order, axis=1))
    # Units that are left when it is an action's turn; the last one that is served may get fewer.
    left = np.maximum(0, units - np.cumsum(wanted, axis=1) + wanted)
    spent = np.minimum(wanted, left)
    # Every row spends all of its units, so the probabilities sum to 1.
    spent[:, 0] += units - spent.sum(axis=1)
    rounded: FloatArray = np.zeros_like(policy)
    np.put_along_axis(rounded, order, spent / units, axis=1)
    return rounded
