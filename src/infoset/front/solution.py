"""The functions `solve` and `evaluate`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from types import FunctionType

from infoset.efg import ExtensiveForm, as_game, find_recall_violation
from infoset.errors import ParameterError
from infoset.evaluation import (
    Evaluation,
    behavior_values,
    evaluate_policy,
)
from infoset.forms import Form
from infoset.front.form_choice import choose_form
from infoset.front.game_sources import FormLike, check_target, load, resolve_game
from infoset.front.policy_sources import (
    EvaluatedPolicy,
    check_start,
    choose_form_of_policies,
    is_queried,
    listed_policies,
    resolve_profile,
    resolve_start,
)
from infoset.front.python_files import is_python_file, load_from_python_file
from infoset.policy import TabularPolicy
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
    with_start,
)
from infoset.teams import TEAM_METHODS
from infoset.tree import BuildProgress
from infoset.utils.arguments import check_path
from infoset.utils.clocks import compiling_seconds, working_seconds

METHOD_KINDS = (RegretScheme, MethodSpec, FunctionType)
"""What `path/to/file.py:NAME` may name as a method."""


def solve(
    game: FormLike,
    method: str | RegretScheme | MethodSpec | Run = DEFAULT_METHOD,
    *,
    form: str = "auto",
    target: Target | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    callback: Callback | None = None,
    checkpoint: str | Path | None = None,
    checkpoint_seconds: float = DEFAULT_CHECKPOINT_SECONDS,
    precision: str = "float64",
    threads: int = 1,
    start: EvaluatedPolicy | None = None,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> SolveResult:
    """Solve a game.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or Form
        By name, as rules, or as arrays.
    method : str, RegretScheme, MethodSpec or function
        A name of `infoset.solvers.METHODS` (`cfr+`, `lp`, …), in upper or lower case;
        `path/to/file.py:NAME`; or your own method, such as a library scheme changed by
        `dataclasses.replace`, or a function of a form and a budget that returns a policy.
        `auto` chooses by the size and kind of the game, and `SolveResult.reason` says why.
    form
        "sequence", "public" or "world"; or "auto", which is the sequence form if it fits in the
        limits on building and no other is much faster, and otherwise the public form, if the game
        has public rules, or the world form; `SolveResult.form_reason` then says why.
    target : float or str, optional
        Distance from equilibrium at which to stop, in the game's units, or as a percentage of the
        payoff range such as `"0.1%"`: exploitability in two-player constant-sum games, NashConv in
        others. If the method or precision cannot reach the target, the outcome is 'stalled'.
    iterations
        Number of iterations after which to stop.
    seconds
        Time after which to stop; building the game and compiling do not count. Without any of the
        three limits, solving stops when the exploitability is at most 0.1% of the payoff range, or
        0.3% of the pot if that is less, or after 100,000 iterations (fewer in large games; see
        `Budget.max_iterations`). In games other than two-player constant-sum games, this target
        applies to NashConv, which must also be at most 0.1% of the spread on the path
        (`infoset.runs.run_measured`). The result then does not depend on the clock. Without limits,
        exact methods run to completion. `SolveResult.target` is the target of the run.
    callback : callable, optional
        Called with a `TracePoint` at every measurement; returning true stops the solver.
    checkpoint
        File in which the run is saved. If the file exists, solving resumes from it, with the same
        results as without the interruption, and `seconds` includes the time of earlier sessions.
        The file of a different run raises an error.
    checkpoint_seconds
        Seconds between saves, which bound the work that is lost if the process is killed.
    precision
        `float64`; for methods of the CFR family also `float32`, which halves their memory, and, on
        public forms, `int16`, which halves that of large ones again. With these, `auto` chooses a
        method of the CFR family. The answer is always measured in double precision. See
        `RegretMinimizer`.
    threads
        Number of threads that compute each iteration of a CFR method in two-player games. The
        result is the same, bit for bit, for any number. Several threads are faster if an iteration
        takes milliseconds.
    start : Policy, SolveResult, str or Path, optional
        Policy from which `auto` or a method of the CFR family starts, instead of uniform play, in
        the forms that `evaluate` accepts. It may be for a similar game, such as another board,
        other ranges, or the game before `lock`. It applies to infostates (on public forms, lines
        and hands) that both games have, with the same actions; `SolveResult.start` has their share.
        A poor start costs iterations, but does not weaken any guarantee. Where neither the start
        nor the run reaches an infostate, the answer is arbitrary.
    memory
        Bytes allowed for building the game; by default 70% of the free memory.
    progress : callable, optional
        Called with a `BuildPoint` several times while the game is built.

    Returns
    -------
    SolveResult
        After Ctrl-C, the answer so far. A run that does not converge has an outcome that says so,
        and raises no error.

    Raises
    ------
    InfosetError
        If the game or method is unknown, the game breaks a rule or is too large, the method does
        not apply to the game or does not support warm starts, the start has no infostate in common
        with the game, a limit is out of range, or the checkpoint belongs to another run.

    Examples
    --------
    >>> result = solve("kuhn_poker", "lp")
    >>> round(result.values[0] * 18, 9)
    -1.0
    """
    chosen = resolve_method(method, precision, threads)
    check_start(start, chosen)
    kept = None if checkpoint is None else checkpointing(checkpoint, checkpoint_seconds)
    compiled_before, began = compiling_seconds(), working_seconds()
    given = load(game) if isinstance(game, str) else game
    check_target(given, target)
    found, why = choose_form(given, form, chosen, memory=memory, progress=progress)
    build_seconds = working_seconds() - began
    known = None
    if start is not None:
        policy, known = resolve_start(start, found)
        chosen = with_start(chosen, policy)
    budget = make_budget(
        found,
        target=target,
        iterations=iterations,
        seconds=seconds,
        callback=callback,
        checkpoint=kept,
    )
    return replace(
        run_method(chosen, found, budget),
        build_seconds=build_seconds,
        compile_seconds=compiling_seconds() - compiled_before,
        form_reason=why,
        start=known,
    )


def resolve_method(
    method: str | RegretScheme | MethodSpec | Run, precision: str = "float64", threads: int = 1
) -> MethodSpec:
    """Return a method that is given by name, as an object, or as `path/to/file.py:NAME`.

    Raises
    ------
    UnknownNameError, ParameterError
        As raised by `get_method` and `load_from_python_file`; or if the method is for teams, or a
        changed scheme has the name of a library method.
    """
    if isinstance(method, str) and METHODS.knows(method):
        return get_method(method, precision, threads)
    if isinstance(method, str) and TEAM_METHODS.knows(method):
        raise ParameterError(
            f"{method!r} is a team method: call infoset.solve_team(game, {method!r}), or run "
            f"infoset solve GAME --method {method.lower()}"
        )
    if is_python_file(method):
        method = load_from_python_file(str(method), METHOD_KINDS, "method")
    if isinstance(method, RegretScheme):
        known = METHODS.get(method.name)
        # Results of a changed scheme must not be taken for those of the library's method.
        if known is not None and known != get_method(method):
            raise ParameterError(
                f"the scheme called {method.name!r} differs from the library's method of that "
                "name; give it a different name, such as dataclasses.replace(scheme, name='mine')"
            )
    return get_method(method, precision, threads)


def checkpointing(checkpoint: str | Path, seconds: float) -> Checkpointing:
    """Return the file in which a run is saved, and the interval between saves.

    Raises
    ------
    ParameterError
        As raised by `Checkpointing`, or if `checkpoint` is not a path.
    """
    check_path("checkpoint", checkpoint)
    return Checkpointing(Path(checkpoint), seconds)


def evaluate(
    game: FormLike | TabularPolicy | SolveResult,
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy] | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> Evaluation:
    """Measure a policy exactly: values, gains, NashConv, exploitability.

    A policy that is not tabular, such as a searcher, is queried once at each infostate, and these
    answers are measured; `average_search` estimates the average policy of a searcher. A policy on a
    public form is measured there, without the tree of the game. `Evaluation.form_reason` says why a
    game is measured on a public form or a world form.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, Form, TabularPolicy or SolveResult
        The game; or a `TabularPolicy` or a result alone, which belongs to a game.
    policy : Policy, SolveResult, str or Path, or a list of these, optional
        The policy, a result with a policy, the path of its file, or `uniform`. A list has one for
        each player, of which only that player's part is used: the values are those of their play
        against each other.
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
    >>> exact = solve("kuhn_poker", "lp")
    >>> round(evaluate("kuhn_poker", ["uniform", exact]).values[0], 9)
    -0.166666667
    """
    if policy == "uniform" and not isinstance(game, SolveResult | TabularPolicy | Form):
        game = resolve_game(game)
        # Without perfect recall there is no sequence form; values by visiting histories need none.
        if isinstance(game, ExtensiveForm) and forgets(game):
            unknown = (nan,) * game.num_players
            return Evaluation(behavior_values(game), unknown, nan, None, None, nan)
    profile, why = measured_profile(game, policy, memory=memory, progress=progress)
    return replace(evaluate_policy(profile), form_reason=why)


def measured_profile(
    game: FormLike | TabularPolicy | SolveResult,
    policy: EvaluatedPolicy | Sequence[EvaluatedPolicy] | None = None,
    *,
    memory: int | None = None,
    progress: BuildProgress | None = None,
) -> tuple[TabularPolicy, str | None]:
    """Return the policy of all players that `evaluate` measures, and why it has another form.

    Raises
    ------
    PolicyFileError, PolicyMismatchError, ParameterError
        As in `evaluate`.
    """
    if isinstance(game, SolveResult | TabularPolicy):
        return game.policy if isinstance(game, SolveResult) else game, None
    if policy is None:
        raise ParameterError("policy is missing; give a policy, a searcher, a file, or 'uniform'")
    players = listed_policies(policy)
    if isinstance(game, Form):
        return resolve_profile(players, game), None
    given = resolve_game(game)
    if isinstance(given, ExtensiveForm) and any(map(is_queried, players)):
        given = as_game(given)
    found, why = choose_form_of_policies(given, *players, memory=memory, progress=progress)
    return resolve_profile(players, found), why


def forgets(form: ExtensiveForm) -> bool:
    """Return whether an extensive form lacks perfect recall."""
    return find_recall_violation(form) is not None
