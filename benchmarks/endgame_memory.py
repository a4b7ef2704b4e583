"""Measure how much memory solving an endgame of no-limit hold'em takes, by stage and by array.

    python benchmarks/endgame_memory.py                      # measure and print; a minute
    python benchmarks/endgame_memory.py --game SPEC          # another endgame
    python benchmarks/endgame_memory.py --method dcfr+       # another method
    python benchmarks/endgame_memory.py --write              # also update its page in docs/solvers

Each row is measured in a new process. Numbers are bytes for each sequence of the public form, above
what the process needed for `import infoset` and one solution of Kuhn poker. Compiled kernels are
loaded from the disk. "Command" is the peak of `infoset solve`, which also saves the policy, and
"whole" that of one call of `infoset.solve`, with its measurements and its result. The other columns
are peaks of its stages, called one after another: the form is built; the state of the method is
allocated and its first iterations are run; the average policy is measured; the result is made from
the state; its policy is saved to a file; and the policy is evaluated once more. "Arrays" are those
that the state keeps.

The peaks of stages are read from `/proc`, so that this runs on Linux only.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from report import DOCS, environment, environment_text, replace_part, table

import infoset
from infoset.policy import save_policy
from infoset.regret import SCHEMES
from infoset.solvers.regret_family import RegretSolver

__all__ = ["array_bytes", "measured"]

PAGE = DOCS / "solvers" / "poker_endgames.md"
GAME = (
    "nolimit_endgame(board=Ks9d8h4s,pot=4780,stack=17610,min_bet=100,bets=[0.5,1],raises=[1],"
    "max_raises=3)"
)
METHOD, ITERATIONS = "dcfr", 10
PRECISIONS = ("int16", "float32", "float64")
STAGES = ("build", "iterations", "measurement", "result", "save", "evaluate")
HEADER = ["precision", "command", "whole", *STAGES]


def peak_of(work: Callable[[], object]) -> tuple[object, int]:
    """Return the result of some work, and the peak of the process meanwhile, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    value = work()
    status = Path("/proc/self/status").read_text().splitlines()
    line = next(row for row in status if row.startswith("VmHWM"))
    return value, 1024 * int(line.split()[1])


def whole_peak(game: str, method: str, precision: str) -> dict[str, float]:
    """Return the peak of one call of `solve`."""
    infoset.solve("kuhn_poker")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = infoset.solve(game, method, form="public", iterations=ITERATIONS, precision=precision)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"whole": 1024 * peak, "sequences": num_sequences(result.policy.form)}


def command_peak(game: str, method: str, precision: str) -> dict[str, float]:
    """Return the peak of the command that solves a game and saves the policy."""
    infoset.solve("kuhn_poker")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with TemporaryDirectory() as folder:
        options = {"method": method, "precision": precision, "iterations": str(ITERATIONS)}
        options |= {"form": "public", "out": f"{folder}/run"}
        texts = [text for name, value in options.items() for text in (f"--{name}", value)]
        command = [sys.executable, "-m", "infoset", "solve", game, *texts]
        subprocess.run(command, check=True, capture_output=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - before
    return {"command": 1024 * peak}


def num_sequences(form: infoset.Form) -> int:
    """Return the number of sequences of both players."""
    return sum(plex.num_sequences for plex in form.treeplexes)


def stage_peaks(game: str, method: str, precision: str) -> dict[str, float]:
    """Return the peaks of the stages, and the bytes of the arrays of the state."""
    infoset.solve("kuhn_poker")
    before = peak_of(lambda: None)[1]
    peaks: dict[str, int] = {}

    def stage(name: str, work: Callable[[], object]) -> object:
        value, peaks[name] = peak_of(work)
        return value

    with TemporaryDirectory() as folder:
        form = stage("build", lambda: infoset.build_public_form(game))
        # In a list, so that the solver is freed when it returns its result.
        solvers = [stage("iterations", lambda: _iterated(form, method, precision))]
        held = array_bytes(solvers[0])
        stage("measurement", solvers[0].evaluate)
        policy = stage("result", lambda: _result(solvers.pop()))[0]
        stage("save", lambda: save_policy(policy, Path(folder) / "policy.parquet"))
        stage("evaluate", lambda: infoset.evaluate(policy))
    above = {name: peak - before for name, peak in peaks.items()}
    return {**above, "sequences": num_sequences(form), "arrays": held}


def _iterated(form: infoset.Form, method: str, precision: str) -> RegretSolver:
    solver = RegretSolver(form, SCHEMES[method], precision)
    solver.run(ITERATIONS)
    return solver


def _result(solver: RegretSolver) -> tuple[infoset.TabularPolicy, infoset.TabularPolicy]:
    solver.finish()
    return solver.policy(), solver.current_policy()


def array_bytes(solver: RegretSolver) -> dict[str, int]:
    """Return by name the bytes of the arrays that a solver and its form keep."""
    found: dict[str, int] = {}
    seen = set[int]()
    form = solver.form
    groups = {
        "": vars(solver),
        "layout.": {str(n): vars(own) for n, own in enumerate(form.layouts)},
        "treeplex.": {str(n): vars(own) for n, own in enumerate(form.treeplexes)},
        "form.": vars(form),
    }
    for prefix, values in groups.items():
        for path, array in _arrays(values, ()):
            owner = array if array.base is None else array.base
            if id(owner) not in seen and isinstance(owner, np.ndarray):
                seen.add(id(owner))
                name = prefix + next(part for part in path if not part.isdigit())
                found[name] = found.get(name, 0) + owner.nbytes
    return found


def _arrays(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Yield the arrays in nested mappings and sequences, with the keys that lead to them."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, Mapping):
        for key, own in value.items():
            yield from _arrays(own, (*path, str(key)))
    elif isinstance(value, tuple):
        for place, own in enumerate(value):
            yield from _arrays(own, (*path, str(place)))


def measured(*arguments: str) -> dict[str, float]:
    """Return what a new process measures, given its arguments."""
    command = [sys.executable, __file__, "--measure", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def row_of(game: str, method: str, precision: str) -> tuple[list[str], dict[str, float]]:
    """Return the row of a precision, and the bytes of arrays by name for each sequence."""
    measured("whole", game, method, precision)  # compiles the kernels
    whole = measured("whole", game, method, precision)
    command = measured("command", game, method, precision)
    found = measured("stages", game, method, precision)
    size = found["sequences"]
    numbers = [command["command"], whole["whole"], *(found[name] for name in STAGES)]
    held = {name: number / size for name, number in found["arrays"].items()}
    return [precision, *(f"{number / size:.1f}" for number in numbers)], held


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", metavar="SPEC", default=GAME, help="the endgame")
    parser.add_argument("--method", default=METHOD, help="a member of the CFR family")
    parser.add_argument("--write", action="store_true", help=f"update {PAGE.name}")
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.measure:
        kind, *rest = chosen.measure
        measure = {"whole": whole_peak, "command": command_peak, "stages": stage_peaks}[kind]
        print(json.dumps(measure(*rest)))
        return
    rows = []
    for precision in PRECISIONS:
        row, held = row_of(chosen.game, chosen.method, precision)
        rows.append(row)
        print(*row)
        for name, number in sorted(held.items(), key=lambda own: -own[1]):
            if number >= 0.05:
                print(f"    {number:6.2f}  {name}")
    part = f"{table(HEADER, rows)}\n\n{environment_text(environment())}"
    print(part)
    if chosen.write:
        PAGE.write_text(replace_part(PAGE.read_text(), "endgame_memory.py", part))


if __name__ == "__main__":
    main()
