"""The function `leak_report`: where a policy loses."""

from __future__ import annotations

from collections.abc import Sequence

from infoset import evaluation
from infoset.evaluation import LeakReport
from infoset.front.game_sources import FormLike
from infoset.front.hand_evaluation import profile_by_hand
from infoset.front.policy_sources import EvaluatedPolicy
from infoset.front.solution import measured_profile
from infoset.policy import TabularPolicy
from infoset.runs import SolveResult
from infoset.tree import BuildProgress


def leak_report(
    game: FormLike | TabularPolicy | SolveResult,
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy] | None = None,
    *,
    by_hand: bool = False,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> LeakReport:
    """Return where a policy loses: what each decision contributes to NashConv, exactly.

    Parameters
    ----------
    game, policy, memory, progress
        As in `evaluate`.
    by_hand
        Whether to measure on the public form, by lines and hands; the game must have one. By
        default, the form is chosen as in `evaluate`.

    Raises
    ------
    UnsupportedGameError, PolicyFileError, PolicyMismatchError, ParameterError
        As in `evaluate`, and in `evaluate_hands` with `by_hand`.

    Examples
    --------
    >>> found = leak_report("kuhn_poker", "uniform")
    >>> [
    ...     (leak.infostate, leak.best, round(leak.cost, 6))
    ...     for leak in found.leaks(top=2)
    ... ]
    [('[K] / bet', 'bet', 0.25), ('[K] / pass / bet', 'bet', 0.125)]
    """
    if by_hand:
        by_hands = profile_by_hand(game, policy, memory=memory, progress=progress)
        return evaluation.leak_report(by_hands)
    found, _ = measured_profile(game, policy, memory=memory, progress=progress)
    return evaluation.leak_report(found)
