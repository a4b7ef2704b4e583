"""The function `evaluate_hands`."""

from __future__ import annotations

from collections.abc import Sequence

from infoset import evaluation
from infoset.errors import ParameterError
from infoset.evaluation import HandEvaluation
from infoset.forms import PublicForm
from infoset.front.game_sources import FormLike, to_public_form
from infoset.front.policy_sources import EvaluatedPolicy, listed_policies, resolve_profile
from infoset.policy import TabularPolicy, transfer_policy
from infoset.runs import SolveResult
from infoset.tree import BuildProgress


def evaluate_hands(
    game: FormLike | TabularPolicy | SolveResult,
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy] | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> tuple[HandEvaluation, HandEvaluation]:
    """Measure exactly what each hand of each player earns by a policy, and by a best response.

    The game must have a public form. Values are those given the hand; see `HandEvaluation`.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, Form, TabularPolicy or SolveResult
        The game; or a `TabularPolicy`, or a result with one, alone. If the policy is on another
        form, the game must be known by name.
    policy : TabularPolicy, SolveResult, str or Path, or a list of two, optional
        The policy, a result, the path of a file, or `uniform`; a list has one for each player.
    memory, progress
        As in `solve`.

    Raises
    ------
    UnsupportedGameError
        If the game has no public form.
    PolicyFileError, PolicyMismatchError, ParameterError
        If the policy cannot be read, belongs to another game, or is missing.

    Examples
    --------
    >>> first, second = evaluate_hands("kuhn_poker", "uniform")
    >>> first.public_form.hands[0], first.values.round(3).tolist()
    (('J', 'Q', 'K'), [-0.875, 0.125, 1.125])
    """
    found = profile_by_hand(game, policy, memory=memory, progress=progress)
    return evaluation.evaluate_hands(found)


def profile_by_hand(
    game: FormLike | TabularPolicy | SolveResult,
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy] | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> TabularPolicy[PublicForm]:
    """Return the policy of all players on a public form, given the arguments of `evaluate_hands`.

    Raises
    ------
    UnsupportedGameError, PolicyFileError, PolicyMismatchError, ParameterError
        As in `evaluate_hands`.
    """
    given = game.policy if isinstance(game, SolveResult) else game
    if isinstance(given, TabularPolicy):
        form = to_public_form(given.form, memory=memory, progress=progress)
        return transfer_policy(given, form)
    if policy is None:
        raise ParameterError(
            "policy is missing; give the game and a policy, as in "
            "evaluate_hands('leduc_poker', policy), or a TabularPolicy alone"
        )
    public_form = to_public_form(given, memory=memory, progress=progress)
    return resolve_profile(listed_policies(policy), public_form)
