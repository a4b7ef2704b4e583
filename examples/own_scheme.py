"""Vary a method of the library, and compare it with others.

    python examples/own_scheme.py

Writes the figure comparison.png to the current folder.
"""

from dataclasses import replace

import infoset
from infoset.plotting import plot_comparison, save_figure
from infoset.regret import SCHEMES

# Regret schemes are rows of parameters: this is DCFR with another discount of negative regrets.
milder = replace(SCHEMES["dcfr"], name="dcfr-milder", negative_discount=0.5)

results = infoset.compare("leduc_poker", ["cfr+", "dcfr", milder], iterations=500)
for result in results:
    print(f"{result.method:12} {result.exploitability:.5f}")

save_figure(plot_comparison(results), "comparison.png")
