"""`infoset solve`: solve a game, and save the policy, a trace and a plot in a folder."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from infoset.cli.exit_codes import INTERRUPTED
from infoset.cli.interrupts import interrupts_ignored, interrupts_reported
from infoset.cli.locks import (
    BaseOption,
    LockedGame,
    LockOption,
    finds_frequencies,
    first_decisions,
    locked_game,
)
from infoset.cli.options import (
    CheckpointOption,
    CheckpointSecondsOption,
    FormOption,
    GameArgument,
    IterationsOption,
    JsonOption,
    SecondsOption,
    Stops,
    TargetOption,
    checkpoint_options,
    folder_option,
)
from infoset.cli.progress import live
from infoset.cli.saved_results import Saved, save_and_report
from infoset.cli.screen import (
    add_times,
    asks_for_list,
    error_rows,
    list_and_leave,
    number_text,
    print_json,
    print_table,
    say_equilibrium,
    tell,
    tell_notes,
    value_text,
)
from infoset.cli.tables import TextTable
from infoset.cli.teams import (
    PenaltyOption,
    RelaxOption,
    RestartsOption,
    RuleOption,
    SeedOption,
    TeamRequest,
    TeamsOption,
    is_for_teams,
    refuse,
    solve_teams,
)

if TYPE_CHECKING:
    from infoset.efg import ExtensiveForm
    from infoset.evaluation import Evaluation
    from infoset.forms import Form
    from infoset.game import Game
    from infoset.policy import TabularPolicy
    from infoset.runs import SolveResult
    from infoset.solvers import MethodSpec

DEFAULT_METHOD = "auto"

ENDINGS = {
    "converged": "converged: target reached",
    "optimal": "optimal",
    "iterations": "iteration limit reached",
    "seconds": "time limit reached",
    "stalled": "stalled: the target is out of reach of this method or precision",
    "stopped": "stopped",
    "interrupted": "interrupted; results so far",
    "failed": "failed: the method found no confirmed solution",
}

STORED_EXACTLY = "float64"

LARGEST_WITH_STATUS = 1_000_000
"""Numbers read per gradient up to which the status of infostates is counted in less than a second.
"""


def _known_method(context: typer.Context, method: str) -> str:
    """Check the name of a method; print the table of methods and exit if it is `list`."""
    from infoset.errors import UnknownNameError
    from infoset.front.python_files import is_python_file
    from infoset.learning import LEARNERS
    from infoset.solvers import METHODS
    from infoset.teams import TEAM_METHODS

    if asks_for_list(method):
        rows = [(row.name, row.description) for row in METHODS.values()]
        rows += [(row.name, f"team games: {row.description}") for row in TEAM_METHODS.values()]
        list_and_leave(context, "methods", ("name", "description"), rows)
    if is_python_file(method):
        return method
    if METHODS.knows(method) or TEAM_METHODS.knows(method):
        return method
    learners = [name for name in LEARNERS if method.lower() in name]
    if learners:
        raise UnknownNameError(
            f"solve has no method {method!r}; learners are called {', '.join(learners)}: infoset "
            f"learn GAME --method {learners[0]}"
        )
    known = (*METHODS.known_names, *TEAM_METHODS.known_names)
    unknown = UnknownNameError.of("method", method, known)
    raise UnknownNameError(f"{unknown} (infoset solve --method list prints all methods)")


MethodOption: TypeAlias = Annotated[
    str,
    typer.Option(
        help="Method, such as auto, lp or cfr+, or file.py:NAME; 'list' prints all methods.",
        callback=_known_method,
    ),
]
PrecisionOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        help="Precision of CFR methods: float64, float32, or, on public forms, int16.",
        show_default="float64",
    ),
]
StorageOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="STORAGE",
        help="How the policy file stores probabilities: float64, float32, "
        "uint16 or uint8; the rounded policy is measured.",
        show_default=STORED_EXACTLY,
    ),
]
ThreadsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        metavar="NUMBER",
        help="Number of threads of CFR methods; useful in large two-player games.",
        show_default="1",
    ),
]
StartOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="POLICY",
        help="Policy from which auto and CFR methods start: a file or the folder of a run, for "
        "this game or a similar one, such as another board.",
        show_default="uniform",
    ),
]


def run(
    game: GameArgument,
    method: MethodOption = DEFAULT_METHOD,
    target: TargetOption = None,
    iterations: IterationsOption = None,
    seconds: SecondsOption = None,
    out: Annotated[Path | None, folder_option("runs/GAME-METHOD")] = None,
    checkpoint: CheckpointOption = None,
    checkpoint_seconds: CheckpointSecondsOption = None,
    precision: PrecisionOption = None,
    threads: ThreadsOption = None,
    form: FormOption = "auto",
    lock: LockOption = None,
    base: BaseOption = None,
    start: StartOption = None,
    storage: StorageOption = None,
    relax: RelaxOption = None,
    teams: TeamsOption = None,
    penalty: PenaltyOption = None,
    restarts: RestartsOption = None,
    seed: SeedOption = None,
    rule: RuleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Solve a game, and save the policy.

    Without --target, --iterations and --seconds, solving stops when the exploitability is at most
    0.1% of the payoff range, or 0.3% of the pot if that is less, or after 100,000 iterations. In
    games other than two-player constant-sum games, this target applies to NashConv, which must also
    be at most 0.1% of the spread of payoffs on the path. Team methods stop after a default number
    of iterations instead; with --teams, --rule or --relax, the default method is a team method.
    With --lock, values, exploitability and gains are those of the locked game, unless marked
    otherwise. Ctrl-C stops at any time and saves the results so far.
    """
    asked = TeamRequest(relax, teams, penalty, restarts, seed, rule, iterations, seconds)
    if method == DEFAULT_METHOD and asked.is_for_teams:
        method = asked.default_method()
    if is_for_teams(method):
        refuse(
            f"{method} is a team method; omit the option",
            target=target,
            precision=precision,
            threads=threads,
            form=None if form == "auto" else form,
            lock=lock or None,
            base=base,
            start=start,
            storage=storage,
        )
        keeping = checkpoint_options(checkpoint, checkpoint_seconds)
        solve_teams(game, method, asked, keeping, out=out, as_json=as_json)
        return
    refuse(
        f"{method} is not a team method; omit the option, or add --method progressive-hiding",
        relax=relax,
        teams=teams,
        penalty=penalty,
        restarts=restarts,
        rule=rule,
    )
    from infoset.experiments import check_writable
    from infoset.front import choose_form, load, resolve_method, solve
    from infoset.front.game_sources import check_target
    from infoset.front.lock_sources import form_of_locks
    from infoset.front.policy_sources import check_start
    from infoset.policy import STORAGES
    from infoset.runs import make_budget
    from infoset.utils.arguments import check_choice
    from infoset.utils.clocks import compiling_seconds, working_seconds

    if storage is not None:
        check_choice("storage", storage, STORAGES)

    rules = load(game)
    chosen = resolve_method(method, precision or "float64", 1 if threads is None else threads)
    if seed is not None:
        chosen = _with_seed(chosen, seed)
    check_target(rules, target)
    check_start(start, chosen)
    check_writable(out)
    keeping = checkpoint_options(checkpoint, checkpoint_seconds)
    if base is not None and not lock:
        raise typer.BadParameter("--base needs --lock: it is the policy that locks change")
    with interrupts_reported(), live(str(rules)) as progress:
        compiled_before, began = compiling_seconds(), working_seconds()
        kind = form_of_locks(rules, form, lock or [], chosen)
        found, why = choose_form(rules, kind, chosen, progress=progress.building)
        build_seconds = working_seconds() - began
        stops = Stops(target, iterations, seconds)
        limits = stops._asdict()

        def solve_form(form: Form, **keeping: Any) -> SolveResult:
            progress.solving(chosen.name, make_budget(form, **limits))
            watch = progress.measured
            return solve(form, chosen, callback=watch, start=start, **limits, **keeping)

        locked = None
        if lock:
            before = None if keeping else partial(solve_form, found)
            locked = locked_game(found, lock, base, before)
            found = locked.form
        result = solve_form(found, **keeping)
        compile_seconds = compiling_seconds() - compiled_before
        result = replace(
            result,
            # It is neither reported nor saved, and saving needs the memory.
            current_policy=None,
            build_seconds=build_seconds,
            compile_seconds=compile_seconds,
            seed=result.seed if seed is None else seed,
            form_reason=why,
        )
    tell_notes(rules)
    ending, stored = _ending(result, stops), storage or STORED_EXACTLY
    _save(result, out, rules, stored, locked, spec=game, ending=ending, as_json=as_json)
    if result.outcome == "interrupted":
        raise typer.Exit(INTERRUPTED)


def _save(
    result: SolveResult,
    out: Path | None,
    rules: Game | ExtensiveForm,
    storage: str,
    locked: LockedGame | None,
    *,
    spec: str,
    ending: str,
    as_json: bool,
) -> None:
    """Save a result in a folder, and print a report."""
    from infoset.evaluation import evaluate_policy
    from infoset.experiments import save_run

    source, whole, more = None, None, {}
    if locked is not None:
        with interrupts_ignored():  # the result is not saved yet
            source, whole = locked.source, evaluate_policy(result.policy)
        more = locked.record(whole)

    def report(saved: Saved) -> None:
        if as_json:
            about = {**more, "infostates": _count_status(result.policy)}
            print_json({**result.summary(), **about, **saved.record})
            return
        _report(result, ending, saved.folder, storage, locked, whole)
        saved.say(spec, by_node=finds_frequencies(result.policy.form))

    save_and_report(
        lambda to: save_run(result, to, game=rules, storage=storage, lock=source, about=more),
        out,
        report,
    )


def _with_seed(method: MethodSpec, seed: int) -> MethodSpec:
    """Return a method that draws random numbers with a seed."""
    from infoset.solvers import has_seed, with_seed

    if not has_seed(method):
        raise typer.BadParameter(
            f"--seed: {method.name} draws no random numbers; team methods do, and so do your own "
            "methods with a parameter seed"
        )
    return with_seed(method, seed)


def _tell_shared_payoffs(policy: TabularPolicy) -> None:
    """Mention team methods if all players always get the same payoff."""
    if policy.form.has_shared_payoffs:
        tell(
            "note: all players get the same payoff; --method portfolio finds what they can get "
            "together, which an equilibrium need not be"
        )


def _count_status(policy: TabularPolicy) -> dict[str, int]:
    """Return the number of infostates of each status; empty if counting them takes long."""
    from infoset.evaluation import STATUSES, infostate_status

    if policy.form.gradient_cost > LARGEST_WITH_STATUS:
        return {}
    pairs = [*zip(infostate_status(policy), policy.form.multiplicities, strict=True)]
    return {name: sum(int(many[own == name].sum()) for own, many in pairs) for name in STATUSES}


def _ending(result: SolveResult, stops: Stops) -> str:
    """Return why a run ended, with the default target or limit if no limit was given."""
    from infoset.runs import default_target

    if result.outcome not in ("converged", "iterations") or stops != (None, None, None):
        return ENDINGS[result.outcome]
    if result.target is None:
        return "converged" if result.outcome == "converged" else ENDINGS["iterations"]
    target = default_target(result.policy.form)
    percent, _, pot = target.partition("%")
    if result.outcome == "iterations":
        return f"default iteration limit reached; --target {target} runs without it"
    return f"converged: default target reached, {percent}% of the {pot or 'payoff range'}"


def _report(
    result: SolveResult,
    ending: str,
    folder: Path | None,
    storage: str,
    locked: LockedGame | None,
    whole: Evaluation | None,
) -> None:
    """Print the table of results; `folder` is None if they could not be saved."""
    from infoset.evaluation import evaluate_policy
    from infoset.front import read_policy_metadata
    from infoset.game import player_name
    from infoset.policy import restrict_policy, rounded_policy

    table, pot = TextTable(), result.policy.form.source.initial_pot
    table.add_row("outcome", ending)
    if result.reason is not None:
        table.add_row("method", result.reason)
    if result.form_reason is not None:
        table.add_row("form", result.form_reason)
    if result.start is not None:
        percent = int(100 * result.start.share)  # rounded down, so that 100 means all
        table.add_row("start", f"{result.start.source} ({percent}% of infostates)")
    table.add_row("iterations", number_text(result.iterations))
    add_times(table, result)
    for player, value in enumerate(result.values):
        name = player_name(result.policy.form, player)
        table.add_row(f"value of {name}", value_text(value, player, pot))
    for player, level in enumerate(result.security_levels or ()):
        name = player_name(result.policy.form, player)
        table.add_row(f"security level of {name}", number_text(level))
    for name, text in error_rows(result.measured, pot):
        table.add_row(name, text)
    for name, gap in result.gaps.items():
        table.add_row(f"{name} gap", number_text(gap))
    counts = _count_status(result.policy)
    form = result.policy.form
    if finds_frequencies(form):
        for name, text in first_decisions(result.policy):
            table.add_row(name, text)
    if locked is not None and whole is not None:
        locked.add_rows(table, result.policy, whole)
    if counts:
        shown = (f"{count:,} {name}" for name, count in counts.items() if count)
        table.add_row("infostates", ", ".join(shown))
    if storage != STORED_EXACTLY and folder is not None:
        # The file has the measurement in the full game.
        measured = (read_policy_metadata(folder) or {})["measured"]
        if locked is not None:
            as_stored = restrict_policy(locked.form, rounded_policy(result.policy, storage))
            measured = asdict(evaluate_policy(as_stored))
        error = measured["exploitability"]
        kind = "NashConv" if error is None else "exploitability"
        error = measured["nash_conv"] if error is None else error
        table.add_row(f"{kind} as stored", f"{number_text(error)} ({storage})")
    print_table(table, title=f"{result.game}, {result.method}")
    say_equilibrium(result.measured)
    _tell_shared_payoffs(result.policy)
