"""Measure time and memory by the number of histories.

Each game is measured in its own process: exploring the rules, building the sequence form level by
level, creating the state of CFR+, and an iteration. In another process it is explored with
`graph_cache`, which saves the world graph, and loaded from there. Times are processor times of one
thread, which depend less on the load of the machine. Memory is the peak of the process.

    python benchmarks/scale.py                 # measure games that have no row yet
    python benchmarks/scale.py --again TEXT    # measure games again whose name contains TEXT
    python benchmarks/scale.py --explore       # explore, save and load all games again
    python benchmarks/scale.py --write         # also update the tables and the figure

Liar's dice with one die is also solved, including building. A game is skipped if the free memory is
smaller than the memory listed for it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import matplotlib as mpl
import psutil
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from report import DOCS, environment, environment_text, replace_part, shown, table

from infoset import load
from infoset.evaluation import evaluate_policy
from infoset.regret import SCHEMES, RegretMinimizer
from infoset.runs import make_budget
from infoset.solvers import get_method
from infoset.tree import (
    WorldGraph,
    build_world_graph,
    contract_graph,
    count_histories,
    graph_cache,
)
from infoset.utils.text import format_bytes

PAGE = DOCS / "solvers" / "scale.md"
FIGURE = DOCS / "images" / "scale.svg"
RESULTS = Path(__file__).parent / "results" / "scale.json"

SHIP = "ship_sizes=[{}],ship_values=[1]"
FAMILIES = {
    "liar's dice, one die": [f"liars_dice(dice_sides={sides})" for sides in range(3, 11)],
    "liar's dice, more dice": [
        f"liars_dice(numdice={dice},dice_sides={sides})"
        for dice, sides in ((2, 2), (2, 3), (2, 4), (3, 3))
    ],
    "Leduc poker": [f"leduc_poker(num_ranks={ranks})" for ranks in (3, 5, 9, 13, 20)],
    "Kuhn poker, players": [f"kuhn_poker(players={players})" for players in range(2, 7)],
    "goofspiel, descending": [
        f"goofspiel(num_cards={cards},imp_info=True,points_order=descending)"
        for cards in range(3, 8)
    ],
    "goofspiel, random": [
        f"goofspiel(num_cards={cards},imp_info=True,points_order=random)" for cards in (3, 4, 5)
    ],
    "battleship": [
        f"battleship(board_width={width},board_height=2,{SHIP.format(ship)},num_shots={shots})"
        for width, ship, shots in ((2, 1, 2), (2, 1, 3), (3, 2, 2), (3, 2, 3), (3, 2, 4))
    ],
}
GIGABYTES_NEEDED = {
    "liars_dice(dice_sides=10)": 12,
    "liars_dice(numdice=3,dice_sides=3)": 6,
    "goofspiel(num_cards=7,imp_info=True,points_order=descending)": 7,
}
SOLVED = [f"liars_dice(dice_sides={sides})" for sides in range(6, 11)]
METHOD, TARGET = "dcfr", 1e-3
MOST_WORLDS, MOST_SECONDS = 4_000_000, 1800.0
LEAST_BYTES = 30_000_000
BATCHES, SECONDS_OF_BATCH = 5, 0.2
EXPLORATIONS = 2
COLORS = ("#1f5fa8", "#6fa3d8", "#b5532a", "#3f8f5b", "#7a5aa6", "#b99be0", "#8a7a2f")
MARKERS = "osD^v<>"
GRID = "#d9d9d9"
STYLE = {"svg.hashsalt": "infoset", "svg.fonttype": "none", "font.size": 9}

Row = dict[str, Any]
Results = dict[str, dict[str, Row]]
Value = TypeVar("Value")


def processor_time(work: Callable[[], Value]) -> tuple[Value, float]:
    """Return the result of `work` and its processor seconds."""
    started = time.process_time()
    value = work()
    return value, time.process_time() - started


def peak_bytes() -> int:
    """Return the peak memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def compile_kernels() -> None:
    """Compile the kernels of a measurement, for two and for three players."""
    for players in (2, 3):
        RegretMinimizer(form_of(f"kuhn_poker(players={players})"), SCHEMES["cfr+"]).run(1)


def form_of(spec: str) -> Any:
    """Return the sequence form of a game."""
    return contract_graph(build_world_graph(load(spec)))


def graph_of(spec: str) -> WorldGraph:
    """Return the world graph of a game."""
    return build_world_graph(load(spec), max_worlds=MOST_WORLDS, max_seconds=MOST_SECONDS)


def explore(spec: str) -> Row:
    """Explore, save and load the world graph of one game in this process."""
    exploring = min(processor_time(lambda: graph_of(spec))[1] for _ in range(EXPLORATIONS))
    with tempfile.TemporaryDirectory() as folder, graph_cache(folder):
        graph, saving = processor_time(lambda: graph_of(spec))
        (file,) = Path(folder).iterdir()
        loading = min(processor_time(lambda: graph_of(spec))[1] for _ in range(BATCHES))
        return {
            "exploring": exploring,
            "saving": max(0.0, saving - exploring),
            "loading": loading,
            "bytes_saved": file.stat().st_size,
            "transitions": graph.num_edges,
        }


def measure(spec: str) -> Row:
    """Measure one game in this process."""
    compile_kernels()
    before = peak_bytes()
    graph, exploring = processor_time(lambda: graph_of(spec))
    counts = count_histories(graph)
    form, building = processor_time(lambda: contract_graph(graph))
    peak_of_building = peak_bytes()
    minimizer, starting = processor_time(lambda: RegretMinimizer(form, SCHEMES["cfr+"]))
    minimizer.run(1)
    return {
        "spec": spec,
        "world_states": counts.world_states,
        "histories": counts.histories,
        "terminals": counts.terminals,
        "infostates": sum(tree.num_infostates for tree in form.infostate_trees),
        "sequences": sum(plex.num_sequences for plex in form.treeplexes),
        "payoffs": form.num_payoffs,
        "exploring": exploring,
        "building": building,
        "starting": starting,
        "iteration": seconds_of_iteration(minimizer),
        "bytes_before": before,
        "bytes_building": peak_of_building,
        "bytes_solving": peak_bytes(),
    }


def seconds_of_iteration(minimizer: RegretMinimizer) -> float:
    """Return the minimum time of an iteration over a few batches."""
    _, first = processor_time(lambda: minimizer.run(1))
    count = max(1, int(SECONDS_OF_BATCH / max(first, 1e-6)))
    batches = [processor_time(lambda: minimizer.run(count)) for _ in range(BATCHES)]
    return min(seconds for _, seconds in batches) / count


def solve(spec: str) -> Row:
    """Build and solve one game in this process."""
    compile_kernels()
    form, building = processor_time(lambda: form_of(spec))
    budget = make_budget(form, target=TARGET, iterations=None, seconds=None, callback=None)
    result, solving = processor_time(lambda: get_method(METHOD).run(form, budget))
    measured, certifying = processor_time(lambda: evaluate_policy(result.policy))
    return {
        "spec": spec,
        "iterations": result.iterations,
        "exploitability": measured.exploitability,
        "security_levels": measured.security_levels,
        "rounding": measured.rounding,
        "building": building,
        "solving": solving,
        "certifying": certifying,
        "bytes": peak_bytes(),
    }


def in_own_process(option: str, spec: str) -> Row:
    """Measure one game in a separate process, with an option of this command."""
    one_thread = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, __file__, option, spec]
    answer = subprocess.check_output(command, env=os.environ | one_thread, text=True)
    return json.loads(answer)


def measure_missing(known: Results) -> None:
    """Measure every game without a row if enough memory is free; save after each game."""
    games = [spec for specs in FAMILIES.values() for spec in specs]
    for part, option, specs in (("games", "--one", games), ("solved", "--solve", SOLVED)):
        for spec in specs:
            free = psutil.virtual_memory().available
            if spec not in known[part] and free > GIGABYTES_NEEDED.get(spec, 4) * 1e9:
                known[part][spec] = in_own_process(option, spec)
                if part == "games":
                    known[part][spec] |= in_own_process("--explore-one", spec)
                keep(known)
                print(json.dumps(known[part][spec]), flush=True)


def explore_again(known: Results) -> None:
    """Explore, save and load all measured games again; save after each game."""
    for spec, row in known["games"].items():
        row |= in_own_process("--explore-one", spec)
        keep(known)
        print(json.dumps(row), flush=True)


def keep(known: Results) -> None:
    """Save the measurements and the description of the machine."""
    RESULTS.parent.mkdir(exist_ok=True)
    rows = {part: list(by_spec.values()) for part, by_spec in known.items()}
    RESULTS.write_text(json.dumps({"environment": environment(), **rows}, indent=1) + "\n")


def read(again: str) -> Results:
    """Return the saved measurements except those of games whose text contains `again`."""
    stored = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    return {
        part: {r["spec"]: r for r in stored.get(part, []) if not again or again not in r["spec"]}
        for part in ("games", "solved")
    }


def table_of_sizes(known: dict[str, Row]) -> str:
    """Return the table of the largest game of each family."""
    header = ["game", "histories", "infostates", "explore", "load", "build", "iteration", "peak"]
    rows = []
    for specs in FAMILIES.values():
        for spec in [spec for spec in specs if "loading" in known.get(spec, {})][-1:]:
            row = known[spec]
            counts = [f"{row[name]:,}" for name in ("histories", "infostates")]
            times = [shown(row[name]) for name in ("exploring", "loading", "building", "iteration")]
            rows.append([f"`{spec}`", *counts, *times, format_bytes(row["bytes_solving"])])
    return table(header, rows)


def text_on_solutions(known: dict[str, Row]) -> str:
    """Return a sentence on the largest game that was solved."""
    spec = [spec for spec in SOLVED if spec in known][-1]
    row = known[spec]
    low, high = row["security_levels"][0], -row["security_levels"][1]
    return (
        f"`{METHOD}` solves `{spec}` to an exploitability of {TARGET:g} in {row['iterations']} "
        f"iterations, which take {shown(row['solving'])}, after {shown(row['building'])} for "
        f"exploring and building: player 0 gets {low:.5f} to {high:.5f}."
    )


def draw(known: dict[str, Row]) -> Figure:
    """Draw time and memory by the number of histories."""
    figure = Figure(figsize=(7.6, 6.4), layout="constrained")
    building, iterating, memory, per_history = figure.subplots(2, 2).flat
    panels: list[tuple[Axes, str, Callable[[Row], float]]] = [
        (building, "seconds to explore and build", lambda r: r["exploring"] + r["building"]),
        (iterating, "seconds of one iteration of CFR+", lambda r: r["iteration"]),
        (memory, "bytes at peak, solving, less those before the game", solving_bytes),
        (per_history, "the same, per history", lambda r: solving_bytes(r) / r["histories"]),
    ]
    for axes, title, value in panels:
        for (family, specs), color, marker in zip(FAMILIES.items(), COLORS, MARKERS, strict=True):
            rows = [known[spec] for spec in specs if spec in known and value(known[spec]) > 0]
            axes.loglog(
                [row["histories"] for row in rows],
                [value(row) for row in rows],
                marker,
                linestyle="-",
                color=color,
                markersize=4,
                linewidth=1,
                label=family,
            )
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("histories")
        axes.grid(color=GRID, linewidth=0.5)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = building.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def solving_bytes(row: Row) -> float:
    """Return the peak memory minus the memory before the game was loaded; 0 if too small."""
    taken = row["bytes_solving"] - row["bytes_before"]
    return float(taken) if taken > LEAST_BYTES else 0.0


def write(known: Results) -> None:
    """Write the tables to the page, and draw the figure."""
    made_by = environment_text(json.loads(RESULTS.read_text())["environment"])
    sizes, solution = table_of_sizes(known["games"]), text_on_solutions(known["solved"])
    part = f"{sizes}\n\n{solution}\n\n{made_by}"
    PAGE.write_text(replace_part(PAGE.read_text(), "scale.py", part))
    with mpl.rc_context(STYLE):
        draw(known["games"]).savefig(FIGURE, metadata={"Date": None})


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--one", metavar="SPEC", help="measure one game in this process, and print its row"
    )
    parser.add_argument(
        "--solve", metavar="SPEC", help="solve one game in this process, and print its row"
    )
    parser.add_argument(
        "--explore-one", metavar="SPEC", help="explore one game in this process, and print its row"
    )
    parser.add_argument(
        "--explore", action="store_true", help="explore, save and load all games again"
    )
    parser.add_argument(
        "--again", metavar="TEXT", default="", help="measure games again whose text contains TEXT"
    )
    parser.add_argument("--write", action="store_true", help="update docs/solvers/scale.md")
    arguments = parser.parse_args()
    if arguments.one or arguments.solve:
        print(json.dumps(measure(arguments.one) if arguments.one else solve(arguments.solve)))
        return
    if arguments.explore_one:
        print(json.dumps(explore(arguments.explore_one)))
        return
    known = read(arguments.again)
    if arguments.explore:
        explore_again(known)
    measure_missing(known)
    if arguments.write:
        write(known)


if __name__ == "__main__":
    main()
