"""Time whole commands, from the start of the process, with an empty and with a full kernel cache.

    python benchmarks/first_call.py            # print the table
    python benchmarks/first_call.py --write    # also update docs/benchmarks.md and the results

Each command runs in a new folder with an empty kernel cache, and then again with the cache that
this run has filled. Bytecode files exist in both cases, as after an installation. Kernels are the
compiled functions that the first run leaves in the cache. On an idle machine of two cores, it takes
about three minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from report import DOCS, environment, environment_text, replace_part, shown, table, timed

PAGE = DOCS / "benchmarks.md"
RESULTS = Path(__file__).parent / "results" / "first_call.json"
WARM_RUNS = 3

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("info", "kuhn_poker"),
    ("solve", "kuhn_poker"),
    ("solve", "kuhn_poker", "--method", "cfr+"),
    ("solve", "leduc_poker"),
    ("solve", "leduc_poker", "--method", "dcfr", "--iterations", "100"),
    ("solve", "leduc_poker", "--method", "mmd", "--iterations", "100"),
    ("solve", "leduc_poker", "--method", "rtcfr+", "--iterations", "100"),
    ("compare", "kuhn_poker", "--methods", "cfr,cfr+"),
    ("learn", "kuhn_poker", "--episodes", "1000"),
    ("learn", "kuhn_poker", "--method", "balanced-efce-omd", "--episodes", "1000"),
    ("match", "kuhn_poker", "uniform", "pimc", "--deals", "100"),
    ("match", "kuhn_poker", "uniform", "ismcts", "--deals", "100"),
    ("match", "leduc_poker", "uniform", "epimc", "--deals", "20"),
    ("solve", "trade_comm(num_items=3)"),
    ("solve", "trade_comm(num_items=3)", "--method", "exact"),
    ("solve", "trade_comm(num_items=3)", "--method", "progressive-hiding", "--iterations", "100"),
    ("solve", "trade_comm(num_items=3)", "--method", "minorize-maximize", "--iterations", "20"),
)


def variables(cache: str) -> dict[str, str]:
    """Return the environment of a command that uses a kernel cache."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "NUMBA_CACHE_DIR")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "NUMBA_CACHE_DIR": cache}


def seconds_of(arguments: Sequence[str], folder: str, cache: str) -> float:
    """Return the wall-clock seconds of a Python process."""
    command = [sys.executable, *arguments]
    where = {"cwd": folder, "env": variables(cache), "stdin": subprocess.DEVNULL}
    return timed(lambda: subprocess.run(command, **where, check=True, capture_output=True))[1]


def measured(command: Sequence[str]) -> dict[str, object]:
    """Return the times of a command with an empty and with a full cache, and its kernels."""
    with tempfile.TemporaryDirectory() as folder:
        cache = f"{folder}/cache"
        arguments = ("-m", "infoset", *command)
        cold = seconds_of(arguments, folder, cache)
        num_kernels = len([*Path(cache).rglob("*.nbc")])
        warm = median(seconds_of(arguments, folder, cache) for _ in range(WARM_RUNS))
    return {"command": list(command), "cold": cold, "warm": warm, "kernels": num_kernels}


def import_seconds() -> float:
    """Return the seconds of a process that imports the package; write the bytecode files first."""
    with tempfile.TemporaryDirectory() as folder:
        for command in COMMANDS:
            seconds_of(("-m", "infoset", command[0], "--help"), folder, f"{folder}/cache")
        seconds_of(("-m", "infoset", *COMMANDS[1]), folder, f"{folder}/cache")
        found = [seconds_of(("-c", "import infoset"), folder, f"{folder}/cache") for _ in range(5)]
    return median(found)


def page_part(found: dict[str, object]) -> str:
    """Return the part of the page: the machine, and a table of the commands."""
    rows = [["`import infoset`", "", shown(found["import"]), ""]]
    for row in found["commands"]:
        words = [f'"{word}"' if "(" in word else word for word in row["command"]]
        text = f"`infoset {' '.join(words)}`"
        rows.append([text, shown(row["cold"]), shown(row["warm"]), str(row["kernels"])])
    made = table(["command", "empty cache", "full cache", "kernels compiled"], rows)
    return f"{environment_text(found['environment'])}\n\n{made}"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="update the page and the results")
    arguments = parser.parse_args()
    found: dict[str, object] = {"environment": environment(), "import": import_seconds()}
    found["commands"] = [measured(command) for command in COMMANDS]
    print(page_part(found))
    if arguments.write:
        RESULTS.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_part(text, "first_call.py", page_part(found)), encoding="utf-8")
