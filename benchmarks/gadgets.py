"""NashConv of blueprints for Leduc poker whose subgames are solved again with each gadget.

    taskset -c 0 python benchmarks/gadgets.py

The subgames begin at the board card, and the opponent is offered the values of a best response to
the blueprint. Prints one row per blueprint.
"""

from __future__ import annotations

from resolved_subgames import cut_game

from infoset.beliefs import PublicBeliefState, TreeCut
from infoset.evaluation import nash_conv
from infoset.policy import TabularPolicy, uniform_policy
from infoset.resolving import SubgameRegret, accumulated_gifts, best_response_values, gadget_form

ITERATIONS = 1000
BLUEPRINTS = (0, 5, 30, 200, 2000)
"""Iterations of CFR+; 0 for the uniform policy."""


def resolve(cut: TreeCut, blueprint: TabularPolicy, gadget: str) -> TabularPolicy:
    """Return the blueprint with all subgames solved again by both players."""
    whole = [probabilities.copy() for probabilities in blueprint.probabilities]
    solver = SubgameRegret(iterations=ITERATIONS)
    for part in cut.subgames():
        belief = PublicBeliefState.from_policy(cut.tree, blueprint, part.root)
        for player, own_range in enumerate(belief.ranges):
            own = blueprint.probabilities[player][part.sequences[player]]
            offered = best_response_values(part, player, own_range, own)
            gifts = None
            if gadget == "none":
                offered = belief.ranges[1 - player]
            elif gadget == "reach-max-margin":
                gifts = accumulated_gifts(cut.tree, player, blueprint, part.root)
            form = gadget_form(part, player, own_range, offered, gadget=gadget, gifts=gifts)
            whole[player][part.sequences[player]] = solver.solve(form).probabilities[player]
    return TabularPolicy(blueprint.form, tuple(whole))


def main() -> None:
    """Measure each blueprint with each gadget."""
    cut = cut_game("leduc_poker")
    gadgets = ("none", "resolving", "max-margin", "reach-max-margin")
    print("iterations,blueprint," + ",".join(gadgets))
    for iterations in BLUEPRINTS:
        blueprint = uniform_policy(cut.tree.sequence_form)
        if iterations:
            blueprint = SubgameRegret(iterations=iterations).solve(cut.tree.sequence_form)
        policies = [blueprint, *(resolve(cut, blueprint, gadget) for gadget in gadgets)]
        row = ",".join(f"{nash_conv(policy):.4f}" for policy in policies)
        print(f"{iterations},{row}", flush=True)


if __name__ == "__main__":
    main()
