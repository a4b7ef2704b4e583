"""`solve` and `evaluate`: the two verbs most users come for."""

from __future__ import annotations

from math import nan
from pathlib import Path
from typing import Any

from infoset.efg import ExtensiveForm, as_game, find_recall_violation
from infoset.errors import ParameterError, PolicyMismatchError
from infoset.evaluation import Evaluation, behavior_values, evaluate_policy
from infoset.front.load import FormLike, find_game, to_form
from infoset.policy import (
    Policy,
    TabularPolicy,
    load_policy,
    load_policy_csv,
    read_metadata,
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
from infoset.solvers import DEFAULT_METHOD, MethodSpec, get_method
from infoset.teams import TEAM_METHODS
from infoset.tree import ExplorationProgress, SequenceForm
from infoset.utils.arguments import check_path

__all__ = ["checkpointing", "evaluate", "find_metadata", "find_policy", "solve"]


def solve(
    game: FormLike,
    method: str | RegretScheme | MethodSpec = DEFAULT_METHOD,
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
    progress: ExplorationProgress | None = None,
) -> SolveResult:
    """Solve a game.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm or SequenceForm
        By name, as rules, or as arrays.
    method : str, RegretScheme or MethodSpec
        A name of `infoset.solvers.METHODS` (`cfr+`, `lp`, …), in any case of letters, or a row
        of your own, such as a variant of one of the library's by `dataclasses.replace`. `auto`
        chooses by the size and kind of the game, and says why in `reason`.
    target : float or str, optional
        Exploitability at which to stop, in the game's units, or relative to the payoff range as
        in `"0.1%"`; two-player constant-sum games only.
    iterations : int, optional
        Number of iterations after which to stop.
    seconds : float, optional
        Time after which to stop. With none of the three, solving stops at an exploitability of
        0.1 % of the payoff range, or after 60 seconds.
    callback : callable, optional
        Called with a `TracePoint` at every measurement; stops the solver by returning true.
    checkpoint : str or Path, optional
        A file to keep the run in. If it is there, solving goes on from it, as if it had never
        stopped, `seconds` counted from the very beginning; a file of another run is refused.
    checkpoint_seconds : float, optional
        How much of the work may be lost when the process is killed; by default 60 seconds.
    precision : str, optional
        `float64`, or `float32` for a method of the CFR family, whose iterations then move half the
        bytes. The answer is measured in double precision all the same.
    threads : int, optional
        How many do the iterations of a method of the CFR family together, in games of two players.
        The answer is the same to the bit; it comes sooner where iterations take milliseconds.
    memory : int, optional
        Bytes allowed for building the game; by default a share of what is free.
    progress : callable, optional
        Called while world states are explored, with their number and the seconds.

    Returns
    -------
    SolveResult
        Also after Ctrl-C, with what is there. Not converging is an outcome, not an error.

    Raises
    ------
    InfosetError
        If the game or method is unknown, the game breaks a rule or is too large, the method
        does not apply to it, a limit makes no sense, or the checkpoint is of another run.

    Examples
    --------
    >>> result = solve("kuhn_poker", "lp")
    >>> round(result.values[0] * 18, 9)
    -1.0
    """
    _refuse_teams(method)
    chosen = get_method(method, precision, threads)
    kept = None if checkpoint is None else checkpointing(checkpoint, checkpoint_seconds)
    form = to_form(game, memory=memory, progress=progress)
    budget = make_budget(
        form,
        target=target,
        iterations=iterations,
        seconds=seconds,
        callback=callback,
        checkpoint=kept,
    )
    return chosen.run(form, budget)


def _refuse_teams(method: object) -> None:
    """Raise if a method is one for teams, whose options and results are others."""
    if isinstance(method, str) and method.lower() in TEAM_METHODS:
        raise ParameterError(
            f"{method!r} is a method for teams: call infoset.solve_team(game, {method!r}); the "
            f"command infoset solve takes it as --method {method.lower()}"
        )


def checkpointing(checkpoint: str | Path, seconds: float) -> Checkpointing:
    """Return where a run is kept, and how often.

    Raises
    ------
    ParameterError
        As `Checkpointing`; also if it is no path.
    """
    check_path("checkpoint", checkpoint)
    return Checkpointing(Path(checkpoint), seconds)


def find_policy(
    policy: TabularPolicy | Policy | str | Path, sequence_form: SequenceForm
) -> TabularPolicy:
    """Return a policy given as such, as a file, or as the word `uniform`.

    A file whose name ends in `.csv` is read as comma-separated values, any other as Parquet. A
    policy that is no table, such as a searcher, is asked once at each infostate.

    Raises
    ------
    PolicyFileError
        If the file cannot be read as a policy.
    PolicyMismatchError
        If the policy is for another game.
    ParameterError
        If it is no policy.
    """
    if isinstance(policy, TabularPolicy):
        if policy.sequence_form.fingerprint != sequence_form.fingerprint:
            raise PolicyMismatchError(
                f"the policy is for {policy.sequence_form.name}, not for {sequence_form.name}"
            )
        return policy
    if policy == "uniform":
        return uniform_policy(sequence_form)
    if isinstance(policy, (str, Path)):
        read = load_policy_csv if is_csv(policy) else load_policy
        return read(policy, sequence_form)
    if not _is_asked(policy):
        give = "a policy, such as infoset.solve(game).policy or a searcher, a file or 'uniform'"
        raise ParameterError(f"policy={policy!r} is none; give {give}")
    return tabulate(sequence_form, [policy] * sequence_form.num_players)


def _is_asked(policy: object) -> bool:
    """Return whether something is a policy that is no table."""
    return not isinstance(policy, TabularPolicy) and hasattr(policy, "action_probabilities")


def find_metadata(policy: str | Path) -> dict[str, Any] | None:
    """Return what a policy file says of itself; None for CSV and for the word `uniform`.

    Raises
    ------
    PolicyFileError
        If the file cannot be read as a policy.
    """
    return None if policy == "uniform" or is_csv(policy) else read_metadata(policy)


def is_csv(policy: str | Path) -> bool:
    """Return whether a file is one of comma-separated values, by its name."""
    return Path(policy).suffix.lower() == ".csv"


def evaluate(
    game: FormLike | TabularPolicy,
    policy: TabularPolicy | Policy | str | Path | None = None,
    *,
    memory: int | None = None,
    progress: ExplorationProgress | None = None,
) -> Evaluation:
    """Measure a policy exactly: values, gains, NashConv, exploitability.

    What is no table, such as a searcher, is asked once at each infostate, and what it says there
    is measured; `average_search` finds what a searcher plays on average.

    Parameters
    ----------
    game : str, Game, GameTree, ExtensiveForm, SequenceForm or TabularPolicy
        The game; or the policy alone, which knows its game.
    policy : Policy, str or Path, optional
        The policy, the path of its file, or `uniform`.
    memory, progress
        As in `solve`.

    Raises
    ------
    PolicyFileError, PolicyMismatchError, ParameterError
        If the policy cannot be read, is for another game, or is none.

    Examples
    --------
    >>> round(evaluate("kuhn_poker", "uniform").values[0], 9)
    0.125
    """
    if isinstance(game, TabularPolicy):
        return evaluate_policy(game)
    if policy is None:
        raise ParameterError("give a policy to evaluate: a table, a searcher, a file, or 'uniform'")
    given = game if isinstance(game, SequenceForm) else find_game(game)
    if policy == "uniform" and isinstance(given, ExtensiveForm) and forgets(given):
        unknown = (nan,) * given.num_players
        return Evaluation(behavior_values(given), unknown, nan, None, None, nan)
    if isinstance(given, ExtensiveForm) and _is_asked(policy):
        given = as_game(given)
    form = to_form(given, memory=memory, progress=progress)
    return evaluate_policy(find_policy(policy, form))


def forgets(form: ExtensiveForm) -> bool:
    """Return whether an extensive form lacks perfect recall."""
    return find_recall_violation(form) is not None
