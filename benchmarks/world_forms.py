"""Measure world forms: time to build them and to measure a policy exactly, and memory.

    python benchmarks/world_forms.py                     # small games beside their sequence forms
    python benchmarks/world_forms.py large               # those of 10⁸ to 3·10¹⁰ histories

Nothing is written. Each row is a process of its own, on one core; times are processor times. The
world graph is explored in Python and can be cached (`graph_cache`); `build` is all that follows,
compiled code ready. `measure` is NashConv of the uniform policy, and memory the peak of the process
less that of importing the library. For small games, `sums` and `visits` are the times of one
gradient of both players by sums over worlds and by visits of all histories, in nanoseconds a
history.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from typing import Any

from report import environment, environment_text, shown, table

SMALL = (
    "leduc_poker",
    "goofspiel(num_cards=4,imp_info=True)",
    "liars_dice(dice_sides=5)",
    "phantom_ttt(num_rows=2)",
    "dark_hex(num_rows=2,num_cols=3)",
    "dark_hex(num_rows=2,num_cols=3,gameversion=adh)",
    "dark_hex(num_rows=2,num_cols=4)",
)
LARGE = (
    "phantom_ttt",
    "phantom_ttt(gameversion=abrupt)",
    "dark_hex",
    "dark_hex(gameversion=adh)",
    "liars_dice(dice_sides=11)",
    "liars_dice(numdice=2,dice_sides=5)",
    "goofspiel(num_cards=8,imp_info=True,points_order=descending)",
    "goofspiel(num_cards=6,imp_info=True)",
    "battleship(board_width=3,board_height=2,ship_sizes=[2],ship_values=[1],num_shots=4)",
)
WARM = "phantom_ttt(num_rows=2,num_cols=2,line_length=2)"


def main() -> None:
    """Measure and print."""
    is_large = sys.argv[1:] == ["large"]
    rows = [row_of(game, not is_large) for game in (LARGE if is_large else SMALL)]
    header = ["game", "histories", "sequences", "NashConv", "graph", "build", "measure", "memory"]
    beside = ["sums", "visits", "sequence form: build", "measure"]
    print(table(header if is_large else [*header, *beside], rows))
    print("\n" + environment_text(environment()))


def row_of(game: str, lists: bool) -> list[str]:
    """Return the row of a game, measured in a process of its own."""
    command = [sys.executable, __file__, "--measure", game, *(["--lists"] if lists else [])]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    row = [game, f"{found['histories']:.3g}", f"{found['sequences']:,}", f"{found['conv']:.10f}"]
    row += [shown(found[name]) for name in ("graph", "build", "measure")]
    row.append(f"{found['memory'] / 1e9:.2f} GB")
    if lists:
        row += [f"{1e9 * seconds / found['histories']:.2f}" for seconds in found["gradients"]]
        row += [shown(seconds) for seconds in found["listed"]]
    return row


def measure(game: str, lists: bool) -> dict[str, Any]:
    """Return what a row shows."""
    import infoset
    from infoset.tree import build_world_graph, contract_graph, contract_worlds, count_histories
    from infoset.utils.interpretation import always_compiled

    with always_compiled():
        for form in ("world", "sequence"):
            infoset.evaluate(infoset.solve(WARM, "cfr+", iterations=1, form=form).policy)
    before = peak()
    began = time.process_time()
    graph = build_world_graph(infoset.load(game))
    found: dict[str, Any] = {"graph": time.process_time() - began}
    found["histories"] = count_histories(graph).histories
    forms = [contract_worlds, contract_graph][: 1 + lists]
    timed = []
    for contract in forms:
        began = time.process_time()
        form = contract(graph)
        built = time.process_time()
        conv = infoset.evaluate(form, "uniform").nash_conv
        timed.append((built - began, time.process_time() - built))
        found.setdefault("conv", conv)
        found.setdefault("sequences", sum(plex.num_sequences for plex in form.treeplexes))
        found.setdefault("memory", peak() - before)
        assert abs(conv - found["conv"]) < 1e-9
        if lists and form.kind == "world":
            found["gradients"] = [gradients(form), gradients(form.by_histories())]
    (found["build"], found["measure"]), *rest = timed
    return found | {"listed": rest[0] if rest else ()}


def gradients(form: Any) -> float:
    """Return the processor time of one gradient of each player, compiled code ready."""
    import numpy as np

    rng = np.random.default_rng(0)
    plans = tuple(rng.random(plex.num_sequences) for plex in form.treeplexes)
    form.gradient(plans, 0)
    began = time.process_time()
    for player in range(2):
        form.gradient(plans, player)
    return time.process_time() - began


def peak() -> int:
    """Return the largest memory of the process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measure(sys.argv[2], "--lists" in sys.argv)))
    else:
        main()
