"""Draw NashConv of exact R-NaD on Leduc poker for three values of η, beside this file.

python docs/networks/draw_how.py
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import infoset
from infoset.plotting.figures import new_figure
from infoset.solvers import RNaD

FILE = Path(__file__).with_name("rnad_eta.svg")
ITERATIONS = 6000
BASE = replace(RNaD(), alternating=False, period=300, step_size=0.05)
"""Small simultaneous steps and long periods, as those of a network."""
ETAS = (0.05, 0.2, 1.0)


def main() -> None:
    """Solve Leduc poker three times, and save the figure."""
    figure = new_figure((6.0, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for eta in ETAS:
        spec = replace(BASE, name=f"eta-{eta}", eta=eta)
        trace = infoset.solve("leduc_poker", spec, iterations=ITERATIONS).trace
        steps = [point.iteration for point in trace]
        axes.plot(steps, [point.nash_conv for point in trace], label=f"η = {eta}")
    axes.set(yscale="log", xlabel="iterations", ylabel="NashConv (chips)")
    axes.legend(frameon=False)
    axes.grid(visible=True, alpha=0.3)
    figure.savefig(FILE, metadata={"Date": None})


if __name__ == "__main__":
    main()
