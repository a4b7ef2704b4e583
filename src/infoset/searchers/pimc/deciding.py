"""From the scores of actions to a policy."""

from __future__ import annotations

from typing import NamedTuple

from infoset.errors import ParameterError
from infoset.game import Infostate
from infoset.searchers.models import SearchModel
from infoset.searchers.pimc._max_n_kernels import TIE_TOLERANCE
from infoset.typing import Action, FloatArray

__all__ = ["Scores", "deciding_actions", "split_ties"]


class Scores(NamedTuple):
    """Scores of actions.

    Attributes
    ----------
    score : FloatArray
        [A] sum over worlds of what each action is worth there.
    size : float
        Sum over worlds of the largest absolute value, by which ties are told from differences.
    """

    score: FloatArray
    size: float


def split_ties(scores: Scores) -> FloatArray:
    """Return [A] the policy that plays the actions of the best score alike.

    Scores are tied that differ by no more than a billionth of their size.

    Examples
    --------
    >>> import numpy as np
    >>> split_ties(Scores(np.array([0.1 + 0.2, 0.3, -1.0]), 1.0)).tolist()
    [0.5, 0.5, 0.0]
    """
    is_best = scores.score >= scores.score.max() - TIE_TOLERANCE * scores.size
    policy: FloatArray = is_best / is_best.sum()
    return policy


def deciding_actions(model: SearchModel, infostate: Infostate) -> tuple[Action, ...]:
    """Return the actions at an infostate.

    Raises
    ------
    ParameterError
        If its player has none there.
    """
    actions = model.legal_actions(infostate)
    if not actions:
        raise ParameterError(
            f"at the infostate {infostate} player {infostate.player} does not act; search where "
            "it is to decide"
        )
    return actions
