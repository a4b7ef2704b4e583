"""What a user gives as a policy, converted to a table on a form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias, cast

from infoset.errors import GameTooLargeError, ParameterError, PolicyMismatchError
from infoset.evaluation import CorrelatedPolicy
from infoset.forms import AnyForm, Form, as_sequence_form
from infoset.front.form_choice import ChosenForm, choose_form
from infoset.front.game_sources import FormLike
from infoset.front.policy_files import (
    is_correlated,
    is_csv,
    is_network,
    is_policy_file,
    kind_of_file,
    load_correlated_policy_file,
    load_policy,
    load_policy_file,
    policy_path,
    read_policy_metadata,
)
from infoset.policy import (
    Policy,
    PolicyFunction,
    TabularPolicy,
    tabulate,
    transfer_by_labels,
    transfer_policy,
    uniform_policy,
)
from infoset.policy.policy_tables import game_in_file
from infoset.runs import SolveResult, WarmStart
from infoset.solvers import MethodSpec, check_supports_start
from infoset.tree import BuildProgress
from infoset.utils.text import shortened

EvaluatedPolicy: TypeAlias = TabularPolicy | Policy | PolicyFunction | SolveResult | str | Path
"""A policy, a function of an infostate and its legal actions, a result with a policy, the path of
its file, or the word `uniform`."""


def resolve_policy(policy: EvaluatedPolicy, form: AnyForm) -> TabularPolicy[AnyForm]:
    """Return the tabular policy on a form for an object, a file, or the word `uniform`.

    A tabular policy on another form of the same game is transferred. A file whose name ends in
    `.csv` is read as comma-separated values, one that ends in `.npz` as a network, and any other as
    Parquet; the folder of a run is read as its policy. Any other policy, such as a searcher, or a
    function, is queried once at each infostate.

    Raises
    ------
    PolicyFileError
        If the file cannot be read as a policy.
    PolicyMismatchError
        If the policy belongs to another game.
    """
    if isinstance(policy, SolveResult):
        policy = policy.policy
    if isinstance(policy, TabularPolicy):
        return transfer_policy(policy, form)
    if policy == "uniform":
        return uniform_policy(form)
    if isinstance(policy, (str, Path)):
        return load_policy_file(policy, form)
    if not is_queried(policy):
        give = (
            "a policy such as infoset.solve(game).policy, a searcher, a function of an infostate "
            "and its legal actions, a file or 'uniform'"
        )
        raise ParameterError(f"policy={policy!r} is not a policy; give {give}")
    return tabulate(form, [policy] * form.num_players)


def check_start(start: EvaluatedPolicy | None, method: MethodSpec) -> None:
    """Check that a method supports warm starts, and that the file of a policy exists.

    Raises
    ------
    ParameterError
        As raised by `check_supports_start`.
    PolicyFileError
        As raised by `policy_path`.
    """
    if start is None:
        return
    check_supports_start(method)
    if isinstance(start, (str, Path)) and start != "uniform":
        policy_path(start)


def resolve_start(start: EvaluatedPolicy, form: AnyForm) -> tuple[TabularPolicy, WarmStart]:
    """Return the policy on a form from which a run starts, and its origin.

    It may be for a similar game; see `transfer_by_labels`. Its file must then contain the name of a
    game that `load` builds.

    Raises
    ------
    PolicyFileError, PolicyMismatchError, ParameterError
        As raised by `resolve_policy` and `transfer_by_labels`.
    """
    if isinstance(start, SolveResult):
        start = start.policy
    if isinstance(start, TabularPolicy):
        given, source = start, start.form.name
    else:
        is_other = _named_game(start) not in (None, form.whole.name)
        given = load_policy(cast("str", start)) if is_other else resolve_policy(start, form.whole)
        source = str(start) if isinstance(start, (str, Path)) else given.form.name
    policy, share = transfer_by_labels(given, form)
    return policy, WarmStart(source, policy.digest, share)


def policy_kind(*policies: object) -> str:
    """Return the kind of form to which policies, results or files belong, as `solve` names it.

    It is "public" if one of them is on a public form; "world" or "sequence" if one is on such a
    form; and "auto" if every form has them all, as it has uniform policies, networks, searchers,
    and CSV files, which name infostates by their texts.
    """
    found = {_kind(policy) for policy in policies}
    return next((kind for kind in ("public", "world", "sequence") if kind in found), "auto")


def form_of_policies(
    game: FormLike,
    *policies: object,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> Form:
    """Return the form of `choose_form_of_policies`."""
    return choose_form_of_policies(game, *policies, memory=memory, progress=progress).form


def choose_form_of_policies(
    game: FormLike,
    *policies: object,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> ChosenForm:
    """Build the form of a game to which policies, results or files belong; see `policy_kind`.

    Raises
    ------
    PolicyMismatchError
        If that form is too large, and a file names another game.
    ParameterError, GameTooLargeError, UnsupportedGameError
        As raised by `choose_form`.
    """
    try:
        kind = policy_kind(*policies)
        # A measurement takes one gradient, but asking for each infostate takes longer.
        count = 100 if any(map(_is_by_infostate, policies)) else 1
        return choose_form(game, kind, memory=memory, progress=progress, num_gradients=count)
    except GameTooLargeError as error:
        # A file of another game explains more than the size of this one.
        for policy in policies:
            name = _named_game(policy)
            if name not in (None, str(game)):
                raise PolicyMismatchError(
                    f"{policy} is a policy for {shortened(str(name))}, not for {game}; give a "
                    "policy for this game"
                ) from error
        raise


def _is_by_infostate(policy: object) -> bool:
    """Return whether a policy is asked for each infostate, or is a file with their texts."""
    if isinstance(policy, (str, Path)):
        return is_policy_file(str(policy)) and is_csv(policy)
    return is_queried(policy)


def _named_game(policy: object) -> object:
    """Return the name of the game in a policy file; None for anything else."""
    if not isinstance(policy, (str, Path)) or not is_policy_file(str(policy)):
        return None
    if policy == "uniform" or is_network(policy):
        return (read_policy_metadata(policy) or {}).get("game")
    # The checks of `read_policy_metadata` take as long as reading the policy.
    return game_in_file(policy_path(policy))


def _kind(policy: object) -> str:
    if isinstance(policy, SolveResult):
        policy = policy.policy
    if isinstance(policy, TabularPolicy | CorrelatedPolicy):
        kind: str = policy.form.kind
        return kind
    if isinstance(policy, (str, Path)) and is_policy_file(str(policy)):
        return "auto" if is_csv(policy) or is_network(policy) else kind_of_file(policy)
    return "auto"


def resolve_average(
    policy: CorrelatedPolicy | TabularPolicy | Policy | SolveResult | str | Path,
    form: AnyForm,
) -> TabularPolicy[AnyForm]:
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
        correlated = load_correlated_policy_file(policy, as_sequence_form(form))
        return resolve_policy(correlated.average(), form)
    return resolve_policy(policy, form)


def is_queried(policy: object) -> bool:
    """Return whether a value is a policy that is not tabular, or a function."""
    if isinstance(policy, TabularPolicy | type):
        return False
    return callable(policy) or hasattr(policy, "action_probabilities")


def listed_policies(
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy],
) -> list[EvaluatedPolicy]:
    """Return a policy for all players, or those of each, as a list."""
    return [*policy] if isinstance(policy, list | tuple) else [cast("EvaluatedPolicy", policy)]


def resolve_profile(players: Sequence[EvaluatedPolicy], form: AnyForm) -> TabularPolicy[AnyForm]:
    """Return the tabular policy that plays as `players`: one for all, or one for each."""
    if len(players) not in (1, form.num_players):
        raise ParameterError(
            f"got {len(players)} policies; {form.name} has {form.num_players} players: give one "
            "policy for all, or one for each"
        )
    found = [resolve_policy(player, form) for player in players]
    if len(found) == 1:
        return found[0]
    chosen = [one.probabilities[player] for player, one in enumerate(found)]
    return TabularPolicy(form, tuple(chosen))
