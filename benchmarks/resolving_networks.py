"""NashConv of continual re-solving with learned critics, on networks for Leduc poker.

    taskset -c 0 python benchmarks/resolving_networks.py

Prints one row per seed and depth: NashConv of the network, and of search with the critic and with
exact values.
"""

from __future__ import annotations

from infoset.deep import train, train_critic
from infoset.evaluation import nash_conv, transformed_values
from infoset.games import load_game
from infoset.policy import constant_transformations
from infoset.resolving import ContinualResolving
from infoset.tree import build_tree

SEEDS = 5
STEPS = 10_000
SECONDS = 60.0
ITERATIONS = 1000


def main() -> None:
    """Train the networks and critics, and measure."""
    tree = build_tree(load_game("leduc_poker"))
    rows = constant_transformations(["fold", "call", "raise"], "call")
    print("seed,depth,network,critic,exact")
    for seed in range(SEEDS):
        run = train(tree, "rnad", steps=STEPS, seed=seed).run
        assert run is not None
        critic = train_critic(tree, run.policy, rows, seconds=SECONDS, seed=seed)
        exact = transformed_values(tree, run.policy, rows)
        for depth in (1, 2):
            found = []
            for values in (critic.tabulate(tree), exact):
                search = ContinualResolving(
                    tree, run.policy, values, depth=depth, iterations=ITERATIONS
                )
                found.append(nash_conv(search.search_policy()))
            print(f"{seed},{depth},{run.nash_conv:.3f},{found[0]:.3f},{found[1]:.3f}", flush=True)


if __name__ == "__main__":
    main()
