"""NashConv of CFR-D's whole policy, with unsafe and with safe solutions of the subgames.

    taskset -c 0 python benchmarks/resolved_subgames.py

Prints one row per game and number of iterations of CFR-D.
"""

from __future__ import annotations

from infoset.beliefs import TreeCut, cut_tree
from infoset.evaluation import nash_conv
from infoset.games import load_game
from infoset.regret import SCHEMES
from infoset.resolving import DecompositionSolver, SubgameRegret, resolve_subgames, solve_subgames
from infoset.tree import build_tree

GAMES = (
    "kuhn_poker",
    "leduc_poker",
    "goofspiel(num_cards=4,imp_info=True,points_order=descending)",
    "liars_dice(dice_sides=3)",
)
ITERATIONS = (10, 100, 400)
SUBGAME_ITERATIONS = 400


def cut_game(name: str) -> TreeCut:
    """Return Leduc poker cut at the board card, other games after two transitions."""
    tree = build_tree(load_game(name))
    if "leduc" not in name:
        return cut_tree(tree, depth=2)
    labels = map(tree.public_tree.label, range(tree.public_tree.num_public_states))
    last = [label.split(" / ")[-1] for label in labels]  # such as "call", "Ks", "Ks vs. Qh"
    return cut_tree(tree, public_states=[n for n, name in enumerate(last) if len(name) == 2])


def main() -> None:
    """Run CFR-D on each game, and measure its whole policies."""
    print("game,subgames,iterations,unsafe,resolving,max-margin")
    solve = SubgameRegret(iterations=SUBGAME_ITERATIONS)
    for name in GAMES:
        solver = DecompositionSolver(cut_game(name), SCHEMES["cfr+"], solve)
        for iterations in ITERATIONS:
            solver.run(iterations - solver.iteration)
            cut, trunk, values = solver.cut, solver.trunk_policy(), solver.root_values()
            found = [solve_subgames(cut, trunk, solve)]
            for gadget in ("resolving", "max-margin"):
                found.append(resolve_subgames(cut, trunk, values, solve, gadget))
            row = ",".join(f"{nash_conv(policy):.4f}" for policy in found)
            print(f"{name},{len(cut.roots) - 1},{iterations},{row}", flush=True)


if __name__ == "__main__":
    main()
