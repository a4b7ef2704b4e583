"""What a user gives as a policy, converted to a table or to a policy on a public form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias, cast

from infoset.errors import ParameterError, PolicyFileError, PolicyMismatchError
from infoset.evaluation import CorrelatedPolicy
from infoset.forms import PublicForm, SequenceForm
from infoset.front.form_choice import to_public_form
from infoset.front.policy_files import (
    game_of_policy,
    is_correlated,
    is_policy_file,
    is_public,
    load_correlated_policy_file,
    load_policy_file,
    load_public_policy_file,
)
from infoset.policy import (
    Policy,
    PublicPolicy,
    TabularPolicy,
    tabulate,
    uniform_policy,
    uniform_public_policy,
)
from infoset.runs import SolveResult

__all__ = [
    "EvaluatedPolicy",
    "is_public_policy",
    "is_queried",
    "listed_policies",
    "resolve_average",
    "resolve_policy",
    "resolve_profile",
    "resolve_public_policy",
    "resolve_public_profile",
]

EvaluatedPolicy: TypeAlias = TabularPolicy | PublicPolicy | Policy | SolveResult[Any] | str | Path
"""A policy, a result with one, the path of its file, or the word `uniform`."""


def resolve_policy(
    policy: TabularPolicy | Policy | SolveResult | str | Path, form: SequenceForm
) -> TabularPolicy:
    """Return the tabular policy for an object, a file, or the word `uniform`.

    A file whose name ends in `.csv` is read as comma-separated values, one that ends in `.npz` as a
    network, and any other as Parquet; the folder of a run stands for its policy. Any other policy,
    such as a searcher, is queried once at each infostate.

    Raises
    ------
    PolicyFileError
        If the file cannot be read as a policy.
    PolicyMismatchError
        If the policy belongs to another game.
    ParameterError
        If the value is not a policy.
    """
    if isinstance(policy, SolveResult):
        policy = policy.policy
    if isinstance(policy, PublicPolicy):
        return policy.to_tabular(form)
    if isinstance(policy, TabularPolicy):
        if policy.form.fingerprint != form.fingerprint:
            raise PolicyMismatchError(
                f"the policy belongs to {policy.form.name}, not to {form.name}; "
                "give a policy for this game"
            )
        return policy
    if policy == "uniform":
        return uniform_policy(form)
    if isinstance(policy, (str, Path)):
        if is_public(policy):
            return _public_as_table(policy, form)
        return load_policy_file(policy, form)
    if not is_queried(policy):
        give = "a policy such as infoset.solve(game).policy, a searcher, a file or 'uniform'"
        raise ParameterError(f"policy={policy!r} is not a policy; give {give}")
    return tabulate(form, [policy] * form.num_players)


def _public_as_table(path: str | Path, form: SequenceForm) -> TabularPolicy:
    """Return the policy in a file of a public form as a table."""
    try:
        public_form = to_public_form(game_of_policy(path))
    except PolicyFileError as error:
        raise PolicyFileError(
            f"{path} holds a policy on a public form, and a policy with one row per infostate is "
            "needed: convert it with infoset.load_policy(path, game).to_tabular(form)"
        ) from error
    return load_public_policy_file(path, public_form).to_tabular(form)


def resolve_public_policy(policy: EvaluatedPolicy, public_form: PublicForm) -> PublicPolicy:
    """Return the policy on a public form for an object, a file, or the word `uniform`.

    A tabular policy of the same game is converted.

    Raises
    ------
    PolicyFileError
        If the file cannot be read as a policy, or is not a table of probabilities.
    PolicyMismatchError
        If the policy belongs to another game.
    ParameterError
        If the value is not such a policy.
    """
    if isinstance(policy, SolveResult):
        policy = policy.policy
    if isinstance(policy, PublicPolicy):
        if policy.public_form.fingerprint != public_form.fingerprint:
            raise PolicyMismatchError(
                f"the policy belongs to another public form, of {policy.public_form.name}, not to "
                f"that of {public_form.name}; give a policy for this form"
            )
        return policy
    if isinstance(policy, TabularPolicy):
        return PublicPolicy.from_tabular(public_form, policy)
    if policy == "uniform":
        return uniform_public_policy(public_form)
    if isinstance(policy, (str, Path)) and is_policy_file(str(policy)):
        return load_public_policy_file(policy, public_form)
    if is_queried(policy):
        raise ParameterError(
            f"a {type(policy).__name__} has no table on the public form of {public_form.name}, on "
            "which policies are measured here: bound its exploitability by "
            "infoset.search.exploitability_lower_bound (infoset evaluate --lower-bound)"
        )
    raise ParameterError(
        f"policy={policy!r} is not a policy on the public form of {public_form.name}: give a "
        "PublicPolicy, a TabularPolicy of the same game, a file of one, or 'uniform'"
    )


def is_public_policy(policy: object) -> bool:
    """Return whether a policy, a result or a file has a policy on a public form."""
    if isinstance(policy, SolveResult):
        policy = policy.policy
    is_file = isinstance(policy, (str, Path)) and is_policy_file(str(policy))
    return isinstance(policy, PublicPolicy) or (is_file and is_public(str(policy)))


def resolve_average(
    policy: CorrelatedPolicy | TabularPolicy | Policy | SolveResult | str | Path,
    form: SequenceForm,
) -> TabularPolicy:
    """Return the tabular policy for an object, a file or `uniform`, correlated policies included.

    The average stands for a correlated policy; see `CorrelatedPolicy.average`. For a best response
    in a two-player game the two are the same.

    Raises
    ------
    PolicyFileError, PolicyMismatchError, ParameterError
        As raised by `resolve_policy`.
    """
    if isinstance(policy, CorrelatedPolicy):
        return resolve_policy(policy.average(), form)
    if isinstance(policy, (str, Path)) and is_policy_file(str(policy)) and is_correlated(policy):
        return load_correlated_policy_file(policy, form).average()
    return resolve_policy(policy, form)


def is_queried(policy: object) -> bool:
    """Return whether a value is a policy that is not tabular."""
    return not isinstance(policy, TabularPolicy) and hasattr(policy, "action_probabilities")


def listed_policies(
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy],
) -> list[EvaluatedPolicy]:
    """Return a policy for all players, or those of each, as a list."""
    return [*policy] if isinstance(policy, list | tuple) else [cast("EvaluatedPolicy", policy)]


def resolve_public_profile(
    players: Sequence[EvaluatedPolicy], public_form: PublicForm
) -> PublicPolicy:
    """Return the policy on a public form that plays as `players`: one for all, or one for each."""
    _check_number(players, 2, public_form.name)
    found = [resolve_public_policy(player, public_form) for player in players]
    return PublicPolicy(public_form, (found[0].probabilities[0], found[-1].probabilities[1]))


def resolve_profile(players: Sequence[EvaluatedPolicy], form: SequenceForm) -> TabularPolicy:
    """Return the tabular policy that plays as `players`: one for all, or one for each."""
    _check_number(players, form.num_players, form.name)
    found = [resolve_policy(player, form) for player in players]
    if len(found) == 1:
        return found[0]
    chosen = [one.probabilities[player] for player, one in enumerate(found)]
    return TabularPolicy(form, tuple(chosen))


def _check_number(players: Sequence[object], num_players: int, name: str) -> None:
    """Raise unless there is one policy for all players, or one for each."""
    if len(players) not in (1, num_players):
        raise ParameterError(
            f"got {len(players)} policies; {name} has {num_players} players: give one policy for "
            "all, or one for each"
        )
