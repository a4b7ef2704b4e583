"""The functions `solve` and `evaluate`."""

from __future__ import annotations

from dataclasses import replace
from math import nan
from pathlib import Path
from types import FunctionType
from typing import overload

from infoset.efg import ExtensiveForm, as_game, find_recall_violation
from infoset.errors import GameTooLargeError, ParameterError, PolicyMismatchError
from infoset.evaluation import (
    CorrelatedPolicy,
    Evaluation,
    behavior_values,
    evaluate_policy,
)
from infoset.front.game_sources import FormLike, resolve_game, to_form
from infoset.front.policy_files import (
    is_correlated,
    is_policy_file,
    load_correlated_policy_file,
    load_policy_file,
)
from infoset.front.python_files import check_has_name, is_python_file, load_from_python_file
from infoset.game import Game
from infoset.policy import (
    Policy,
    PublicPolicy,
    TabularPolicy,
    tabulate,
    uniform_policy,
)
from infoset.regret import RegretScheme
from infoset.runs import (
    DEFAULT_CHECKPOINT_SECONDS,
    Callback,
    Checkpointing,
    SolveResult,
    Target,
    make_budget,
)
from infoset.solvers import (
    DEFAULT_METHOD,
    METHODS,
    MethodSpec,
    Run,
    get_method,
    run_method,
    run_on_public_form,
)
from infoset.teams import TEAM_METHODS
from infoset.tree import BuildProgress, GameForm, PublicForm, SequenceForm, public_rules_of
from infoset.utils.arguments import check_path
from infoset.utils.clocks import compiling_seconds, working_seconds

__all__ = [
    "METHOD_KINDS",
    "checkpointing",
    "evaluate",
    "resolve_average",
    "resolve_method",
    "resolve_policy",
    "solve",
]

METHOD_KINDS = (RegretScheme, MethodSpec, FunctionType)
"""What `path/to/file.py:NAME` may name as a method."""


@overload
def solve(
    game: FormLike,
    method: str | RegretScheme | MethodSpec | Run = ...,
    *,
    target: Target | None = ...,
    iterations: int | None = ...,
    seconds: float | None = ...,
    callback: Callback | None = ...,
    checkpoint: str | Path | None = ...,
    checkpoint_seconds: float = ...,
    precision: str = ...,
    threads: int = ...,
    memory: int | None = ...,
    progress: BuildProgress | None = ...,
) -> SolveResult: ...
@overload
def solve(
    game: PublicForm,
    method: str | RegretScheme | MethodSpec | Run = ...,
    *,
    target: Target | None = ...,
    iterations: int | None = ...,
    seconds: float | None = ...,
    callback: Callback | None = ...,
    checkpoint: str | Path | None = ...,
    checkpoint_seconds: float = ...,
    precision: str = ...,
    threads: int = ...,
    memory: int | None = ...,
    progress: BuildProgress | None = ...,
) -> SolveResult[PublicPolicy]: ...
def solve(
    game: FormLike | PublicForm,
    method: str | RegretScheme | MethodSpec | Run = DEFAULT_METHOD,
    *,
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = DEFAULT_CHECKPOINT_SECONDS,
    precision: str = "float64",
    threads: int = 1,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> SolveResult | SolveResult[PublicPolicy]:
    """Solve a game.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm or PublicForm
        By name, as rules, or as arrays. Public forms, see `build_public_form`, are solved by the
        CFR family.
    method : str, RegretScheme, MethodSpec or function
        A name of `infoset.solvers.METHODS` (`cfr+`, `lp`, …), in upper or lower case;
        `path/to/file.py:NAME`; or your own method, such as a library scheme changed by
        `dataclasses.replace`, or a function of a sequence form and a budget that returns a policy.
        `auto` chooses by the size and kind of the game, and `SolveResult.reason` says why.
    target : float or str, optional
        Distance from equilibrium at which to stop, in the game's units, or as a percentage of the
        payoff range such as `"0.1%"`: exploitability in two-player constant-sum games, NashConv in
        others. If the method or precision cannot reach the target, the outcome is 'stalled'.
    iterations : int, optional
        Number of iterations after which to stop.
    seconds : float, optional
        Time after which to stop; building the game and compiling do not count. Without any of the
        three limits, solving stops at a distance from equilibrium of 0.1% of the payoff range, or
        after 100,000 iterations (fewer in large games; see `Budget.max_iterations`), so the result
        does not depend on the clock. Without limits, exact methods run to completion.
    callback : callable, optional
        Called with a `TracePoint` at every measurement; returning true stops the solver.
    checkpoint : str or Path, optional
        File in which the run is saved. If the file exists, solving resumes from it, with the same
        results as without the interruption, and `seconds` includes the time of earlier sessions.
        The file of a different run raises an error.
    checkpoint_seconds : float, optional
        Seconds between saves, which bound the work that is lost if the process is killed.
    precision : str, optional
        `float64`, or `float32` for methods of the CFR family, which halves their memory traffic.
        The answer is always measured in double precision.
    threads : int, optional
        Number of threads that compute each iteration of a CFR method in two-player games. The
        result is the same, bit for bit, for any number. Several threads are faster if an iteration
        takes milliseconds.
    memory : int, optional
        Bytes allowed for building the game; by default 70% of the free memory.
    progress : callable, optional
        Called with a `BuildPoint` several times while the game is built.

    Returns
    -------
    SolveResult
        After Ctrl-C, the answer so far. A run that does not converge has an outcome that says so,
        and raises no error. The policies are tabular, or those of the public form that was given.

    Raises
    ------
    InfosetError
        If the game or method is unknown, the game breaks a rule or is too large, the method does
        not apply to the game, a limit is out of range, or the checkpoint belongs to another run.

    Examples
    --------
    >>> result = solve("kuhn_poker", "lp")
    >>> round(result.values[0] * 18, 9)
    -1.0
    """
    _refuse_teams(method)
    chosen = resolve_method(method, precision, threads)
    kept = None if checkpoint is None else checkpointing(checkpoint, checkpoint_seconds)
    compiled_before, began = compiling_seconds(), working_seconds()
    form: GameForm
    if isinstance(game, PublicForm):
        form = game
    else:
        try:
            form = to_form(game, memory=memory, progress=progress)
        except GameTooLargeError as error:
            _suggest_public_form(error, game)
            raise
    build_seconds = working_seconds() - began
    budget = make_budget(
        form,
        target=target,
        iterations=iterations,
        seconds=seconds,
        callback=callback,
        checkpoint=kept,
    )
    result = (
        run_on_public_form(chosen, form, budget)
        if isinstance(form, PublicForm)
        else run_method(chosen, form, budget)
    )
    compile_seconds = compiling_seconds() - compiled_before
    return replace(result, build_seconds=build_seconds, compile_seconds=compile_seconds)


def _suggest_public_form(error: GameTooLargeError, game: FormLike) -> None:
    """Raise an error that also suggests the public form, if the game has public rules."""
    found = resolve_game(game) if isinstance(game, (str, Game)) else None
    if isinstance(found, Game) and public_rules_of(found) is not None:
        suggestion = f"solve(build_public_form({str(found)!r}), method)"
        raise type(error)(
            f"{error}. Its public form is smaller: {suggestion}", error.counts
        ) from error


def resolve_method(
    method: str | RegretScheme | MethodSpec | Run, precision: str = "float64", threads: int = 1
) -> MethodSpec:
    """Return a method that is given by name, as an object, or as `path/to/file.py:NAME`.

    Raises
    ------
    UnknownNameError, ParameterError
        As raised by `get_method` and `load_from_python_file`; or if a changed scheme has the name
        of a method of the library.
    """
    check_has_name(method, METHOD_KINDS, "method")
    if is_python_file(method):
        method = load_from_python_file(str(method), METHOD_KINDS, "method")
    if isinstance(method, RegretScheme):
        _check_scheme_name(method)
    return get_method(method, precision, threads)


def _check_scheme_name(scheme: RegretScheme) -> None:
    """Raise if results of a changed scheme would be taken for those of a library method."""
    known = METHODS.get(scheme.name)
    if known is not None and known != get_method(scheme):
        raise ParameterError(
            f"the scheme called {scheme.name!r} differs from the library's method of that name; "
            "give it a name of its own, such as dataclasses.replace(scheme, name='mine')"
        )


def _refuse_teams(method: object) -> None:
    """Raise if a method is a team method, whose options and results are different."""
    if isinstance(method, str) and TEAM_METHODS.knows(method):
        raise ParameterError(
            f"{method!r} is a team method: call infoset.solve_team(game, {method!r}), or run "
            f"infoset solve GAME --method {method.lower()}"
        )


def checkpointing(checkpoint: str | Path, seconds: float) -> Checkpointing:
    """Return the file in which a run is saved, and the interval between saves.

    Raises
    ------
    ParameterError
        As raised by `Checkpointing`, or if `checkpoint` is not a path.
    """
    check_path("checkpoint", checkpoint)
    return Checkpointing(Path(checkpoint), seconds)


def resolve_policy(
    policy: TabularPolicy | Policy | SolveResult | str | Path, sequence_form: SequenceForm
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
    if isinstance(policy, TabularPolicy):
        if policy.sequence_form.fingerprint != sequence_form.fingerprint:
            raise PolicyMismatchError(
                f"the policy belongs to {policy.sequence_form.name}, not to {sequence_form.name}; "
                "give a policy for this game"
            )
        return policy
    if policy == "uniform":
        return uniform_policy(sequence_form)
    if isinstance(policy, (str, Path)):
        return load_policy_file(policy, sequence_form)
    if not _is_queried(policy):
        give = "a policy such as infoset.solve(game).policy, a searcher, a file or 'uniform'"
        raise ParameterError(f"policy={policy!r} is not a policy; give {give}")
    return tabulate(sequence_form, [policy] * sequence_form.num_players)


def resolve_average(
    policy: CorrelatedPolicy | TabularPolicy | Policy | SolveResult | str | Path,
    sequence_form: SequenceForm,
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
        return resolve_policy(policy.average(), sequence_form)
    if isinstance(policy, (str, Path)) and is_policy_file(str(policy)) and is_correlated(policy):
        return load_correlated_policy_file(policy, sequence_form).average()
    return resolve_policy(policy, sequence_form)


def _is_queried(policy: object) -> bool:
    """Return whether a value is a policy that is not tabular."""
    return not isinstance(policy, TabularPolicy) and hasattr(policy, "action_probabilities")


def evaluate(
    game: FormLike | TabularPolicy | PublicPolicy | SolveResult | SolveResult[PublicPolicy],
    policy: TabularPolicy | Policy | SolveResult | str | Path | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> Evaluation:
    """Measure a policy exactly: values, gains, NashConv, exploitability.

    A policy that is not tabular, such as a searcher, is queried once at each infostate, and these
    answers are measured; `average_search` estimates the average policy of a searcher.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm, policy or SolveResult
        The game; or a `TabularPolicy`, a `PublicPolicy` or a result alone, which belongs to a game.
    policy : Policy, SolveResult, str or Path, optional
        The policy, a result with a policy, the path of its file, or `uniform`.
    memory, progress
        As in `solve`.

    Raises
    ------
    PolicyFileError, PolicyMismatchError, ParameterError
        If the policy cannot be read, belongs to another game, or is missing.

    Examples
    --------
    >>> round(evaluate("kuhn_poker", "uniform").values[0], 9)
    0.125
    """
    if isinstance(game, SolveResult):
        game = game.policy
    if isinstance(game, (TabularPolicy, PublicPolicy)):
        return evaluate_policy(game)
    if policy is None:
        raise ParameterError("policy is missing; give a policy, a searcher, a file, or 'uniform'")
    given = game if isinstance(game, SequenceForm) else resolve_game(game)
    if policy == "uniform" and isinstance(given, ExtensiveForm) and forgets(given):
        unknown = (nan,) * given.num_players
        return Evaluation(behavior_values(given), unknown, nan, None, None, nan)
    if isinstance(given, ExtensiveForm) and _is_queried(policy):
        given = as_game(given)
    form = to_form(given, memory=memory, progress=progress)
    return evaluate_policy(resolve_policy(policy, form))


def forgets(form: ExtensiveForm) -> bool:
    """Return whether an extensive form lacks perfect recall."""
    return find_recall_violation(form) is not None
