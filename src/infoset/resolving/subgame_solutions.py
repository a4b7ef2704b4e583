"""Policies for full games from trunk policies, by solving the subgames again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np

from infoset.beliefs import PublicBeliefState, TreeCut, TreePart, counterfactual_form
from infoset.forms import Form
from infoset.policy import TabularPolicy, uniform_policy
from infoset.regret import SCHEMES, RegretMinimizer, RegretScheme
from infoset.resolving.gadgets import gadget_form
from infoset.solvers.regret_family import average_policy
from infoset.typing import FloatArray
from infoset.utils.arguments import check_choice

SubgameSolver: TypeAlias = Callable[[TreePart, PublicBeliefState], TabularPolicy]
"""Function of a subgame and the belief at its root that returns a policy for the subgame."""

SAFE_GADGETS: Final = ("resolving", "max-margin")
"""Gadgets that need only values of the opponent."""


@dataclass(frozen=True)
class SubgameRegret:
    """Solve a subgame by regret minimization, starting from scratch each time.

    The subgame is solved in the form that `counterfactual_form` returns. Infostates with range
    zero, which the trunk policy may reach later, therefore get a policy and a value, too.
    """

    scheme: RegretScheme = SCHEMES["cfr+"]
    iterations: int = 100
    """Number of iterations for each subgame and belief."""

    def __call__(self, part: TreePart, belief: PublicBeliefState) -> TabularPolicy:
        """Return the average policy of the subgame."""
        return self.solve(counterfactual_form(part, belief))

    def solve(self, form: Form) -> TabularPolicy:
        """Return the average policy of a form of the subgame."""
        minimizer = RegretMinimizer(form, self.scheme)
        minimizer.run(self.iterations)
        return average_policy(minimizer)


def solve_subgames(
    cut: TreeCut, trunk_policy: TabularPolicy, solve_subgame: SubgameSolver
) -> TabularPolicy:
    """Return a policy for the whole game: the trunk policy and subgame solutions for its ranges.

    This is unsafe re-solving: every subgame is solved as if the ranges were fixed. In a two-player
    zero-sum game the result is optimal against an opponent who follows the trunk policy. An
    opponent who reaches the subgame with other ranges may exploit it, however good the trunk policy
    is. `resolve_subgames` is safe, because it bounds the value of each opponent infostate.

    Parameters
    ----------
    trunk_policy
        A policy for the trunk.

    Raises
    ------
    PolicyMismatchError
        If `trunk_policy` is not a policy for the trunk.
    """
    tree, trunk = cut.tree, cut.trunk
    start = PublicBeliefState.with_unit_ranges(tree)
    whole = trunk.replace_policy(uniform_policy(tree.sequence_form), trunk_policy)
    for part in cut.subgames():
        belief = trunk.leaf_belief(part.root, start, trunk_policy)
        whole = part.replace_policy(whole, solve_subgame(part, belief))
    return whole


def resolve_subgames(
    cut: TreeCut,
    trunk_policy: TabularPolicy,
    root_values: Mapping[int, Sequence[FloatArray]],
    solve_subgame: SubgameRegret | None = None,
    gadget: str = "resolving",
) -> TabularPolicy:
    """Return a policy for the whole game: the trunk policy and safe solutions of the subgames.

    For each player, every subgame is solved again with a gadget that offers the opponent its
    average values of CFR-D. The exploitability of the result is at most the average regret of the
    trunk plus the errors of the solutions of the subgames, so it tends to zero if these errors do.

    Parameters
    ----------
    cut
        A two-player constant-sum game and its cut.
    trunk_policy
        The average policy for the trunk.
    root_values
        Counterfactual values averaged over the same iterations, as `Decomposition.root_values`.
    solve_subgame
        The method for the subgames with gadget; by default `SubgameRegret()`.
    gadget
        "resolving" or "max-margin".

    Raises
    ------
    UnsupportedGameError
        If the game is not two-player constant-sum.
    PolicyMismatchError
        If `trunk_policy` is not a policy for the trunk.

    Notes
    -----
    Source: Burch, Johanson and Bowling (2014).
    """
    check_choice("gadget", gadget, SAFE_GADGETS)
    solve_subgame = SubgameRegret() if solve_subgame is None else solve_subgame
    tree = cut.tree
    start = PublicBeliefState.with_unit_ranges(tree)
    whole = cut.trunk.replace_policy(uniform_policy(tree.sequence_form), trunk_policy)
    found = [values.copy() for values in whole.probabilities]
    for part in cut.subgames():
        belief = cut.trunk.leaf_belief(part.root, start, trunk_policy)
        for player, own_range in enumerate(belief.ranges):
            other = 1 - player
            reach = belief.counterfactual_reach(other)
            if not reach.sum() > 0:
                continue  # The player never leads here, so its policy here has no effect.
            # Counterfactual values count future rewards only, the gadget whole utilities.
            total = root_values[part.root][other] + belief.counterfactual_rewards(other)
            offered = np.divide(total, reach, out=np.zeros_like(total), where=reach > 0)
            form = gadget_form(part, player, own_range, offered, gadget=gadget)
            inside = solve_subgame.solve(form).probabilities[player]
            found[player][part.sequences[player]] = inside
    return TabularPolicy(tree.sequence_form, tuple(found))
