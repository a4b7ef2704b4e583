"""The program of the child process: it reads a job from standard input, and runs it.

    python -m infoset.benchmark.child_program

The parent process enforces the limits on time and memory; see `child_process.py`.
"""

from __future__ import annotations

import warnings

from infoset.benchmark.child_messages import claim_standard_streams
from infoset.benchmark.method_runs import run_races
from infoset.benchmark.searcher_trials import run_trials
from infoset.benchmark.subjects import report_subject


def main() -> None:
    """Run the job on standard input, and report on standard output."""
    messenger = claim_standard_streams()
    job = messenger.read()
    warnings.simplefilter("ignore")
    run = {"races": run_races, "trials": run_trials, "subject": report_subject}[job["task"]]
    run(job, messenger)
    messenger.send("finished")


if __name__ == "__main__":
    main()
